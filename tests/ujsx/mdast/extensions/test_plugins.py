"""``extension_of``: plugins of mdit-py-plugins read, and their nodes are written back, by tables."""

from __future__ import annotations

import re
from random import Random
from typing import Any, ClassVar, NamedTuple

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.attrs import attrs_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.field_list import fieldlist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from mdit_py_plugins.section_ref import section_ref_plugin
from mdit_py_plugins.subscript import sub_plugin
from mdit_py_plugins.substitution import substitution_plugin
from mdit_py_plugins.superscript import superscript_plugin
from mdit_py_plugins.tasklists import tasklists_plugin
from mdit_py_plugins.texmath import texmath_plugin

from tests.conformance._sources import sources
from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from ujsx import Component, Renderer, registry
from ujsx.elements import Paragraph
from ujsx.errors import MdastError
from ujsx.hast import to_html
from ujsx.mdast import (
    Document,
    Heading,
    Node,
    Parent,
    Root,
    Text,
    from_dict,
    from_markdown,
    normalize,
    to_dict,
    to_markdown,
)
from ujsx.mdast import Paragraph as ParagraphNode
from ujsx.mdast.extensions import (
    Admonition,
    AdmonitionTitle,
    Extension,
    LineStart,
    TokenNode,
    Unsafe,
    extension_of,
    indented,
)
from ujsx.mdast.util import find, replace
from ujsx.testing import assert_inert


class Raised(Node, frozen=True):
    value: str


class Lowered(Node, frozen=True):
    value: str


class SectionReference(Node, frozen=True):
    as_written: str
    numbers: list[int]


class Warned(Parent, frozen=True):
    info: str
    children: tuple[Any, ...] = ()
    stands_tight: ClassVar[bool] = True


class Environment(Node, frozen=True):
    value: str


class Formula(Node, frozen=True):
    value: str


class Display(Node, frozen=True):
    value: str
    label: str | None = None


class Role(Node, frozen=True):
    name: str
    value: str


class Comment(Node, frozen=True):
    value: str


class Target(Node, frozen=True):
    value: str


class Listing(Node, frozen=True):
    value: str
    info: str


class Division(Node, frozen=True):
    value: str


class Inserted(Node, frozen=True):
    value: str


class InsertedBlock(Node, frozen=True):
    value: str


class FieldName(Parent, frozen=True):
    children: tuple[Any, ...] = ()


class FieldBody(Parent, frozen=True):
    children: tuple[Any, ...] = ()


class Fields(Parent, frozen=True):
    children: tuple[Any, ...] = ()


class Span(Parent, frozen=True):
    attributes: dict[str, Any]
    children: tuple[Any, ...] = ()


def write_span(node: Span, writing: Any) -> str:
    writing.enter(node)
    words = writing.run(node.children, "label")
    writing.leave()
    attributes = " ".join(f'{key}="{value}"' for key, value in node.attributes.items())
    return f"[{words}]{{{attributes}}}"


def write_raised(node: Raised, writing: Any) -> str:
    return "^" + re.sub(r"([\\ ^])", r"\\\1", node.value) + "^"


def write_lowered(node: Lowered, writing: Any) -> str:
    return "~" + re.sub(r"([\\ ~])", r"\\\1", node.value) + "~"


def write_role(node: Role, writing: Any) -> str:
    ticks = "`" * (1 + max(map(len, re.findall("`+", node.value)), default=0))
    return f"{{{node.name}}}{ticks}{node.value}{ticks}"


def write_display(node: Display, writing: Any) -> str:
    return f"$${node.value}$$" + (f" ({node.label})" if node.label else "")


def write_comment(node: Comment, writing: Any) -> str:
    return "%" + node.value.replace("\n", "\n%")


def write_fields(node: Fields, writing: Any) -> str:
    lines: list[str] = []
    for part in node.children:
        if isinstance(part, FieldName):
            writing.one_line = True
            lines.append(f":{writing.run(part.children, 'text')}:")
            writing.one_line = False
        elif part.children:
            lines[-1] += "\n  " + indented(writing.flow(part, part.children), "  ")
    return "\n".join(lines)


def warnings(md: Any) -> None:
    container_plugin(md, name="warn")


CONTENT: dict[str, Any] = {"value": "content"}


def in_line(node: type[Node], write: Any, **fields: Any) -> TokenNode:
    return TokenNode(node=node, write=write, stands_as="phrasing", fields=fields or CONTENT)


class Table(NamedTuple):
    """A plugin, its table, inputs that it reads, or nearly does, and arguments."""

    plugin: Any
    rows: dict[str, TokenNode]
    texts: tuple[str, ...]
    options: dict[str, Any] = {}  # noqa: RUF012 - a tuple of data that nobody changes


TABLES = {
    "raised": Table(
        superscript_plugin,
        {"sup": in_line(Raised, write_raised, value="text")},
        (
            "the 1^st^ of ^a\\ b^", "2^4 + 3^5", "\\^a^", "^a\\^b^", "**^a^ b**", "^`a^b`^", "[^a^](u)",
            "| a |\n| - |\n| ^x^ |", "# ^1^", "^a^^b^", "^\\\\\\ a^",
        ),
        {"unsafe": (Unsafe("^", "raises"),)},
    ),
    "lowered": Table(
        sub_plugin,
        {"sub": in_line(Lowered, write_lowered, value="text")},
        (
            "H~2~O", "a~b\\ c~d~e~", "\\~a~", "~a\\~b~", "**~a~ b**", "~`a~b`~", "[~a~](u)", "~\\\\\\ a~",
            "| a |\n| - |\n| ~x~ |", "# ~1~", "~a~~b~", "x ~ y ~",
        ),
        {"unsafe": (Unsafe("~", "lowers"),)},
    ),
    "sections": Table(
        section_ref_plugin,
        {
            "section_ref": in_line(
                SectionReference, "{as_written}", as_written="content", numbers="meta.numbers"
            )
        },
        (
            "§1 to §1.2.3, §4.", "§1§2", "\\§1 \\\\§2", "§1a § 2 §.3", "*§01.02*", "[§1](u)", "`§1`", "## §2", "§3章",
            "| §1 |\n| - |\n| §2 |", "&sect;1", "a\n§1\nb",
        ),
        {"unsafe": (Unsafe("§", "refers to a section"),)},
    ),
    "warnings": Table(
        warnings,
        {
            "container_warn": TokenNode(
                node=Warned,
                write="{fence}{info}\n{children}\n{fence}",
                fields={"info": lambda token: token.info.rstrip()},
                holds="flow",
                fence=":::",
            )
        },
        (
            "::: warn\n*a*\n:::", ":: warn\na\n::", ":::: warn\n::: warn\na\n:::\n::::", ":::warn x=1\na\n:::",
            "a\n::: warn\nb\n:::\nc", "- a\n  ::: warn\n  b\n  :::\n- c", "> ::: warn\n> a\n>> b\n> c\n> :::",
            "::: warn\n:::", "::: warn\na\n::: b\n", "\\::: warn", "::: warn\n- ::: warn\n  a\n  :::\n:::",
            " -  ::: warn\n    - a\n    :::", "::: warned\na\n:::", "::: warn\na",
        ),
    ),
    "listings": Table(
        colon_fence_plugin,
        {
            "colon_fence": TokenNode(
                node=Listing,
                write="{fence}{info}\n{value}\n{fence}",
                fields={
                    "value": lambda token: token.content.removesuffix("\n"),
                    "info": lambda token: token.info.strip(),
                },
                fence=":::",
            )
        },
        (
            ":::a\n*b*\n:::", "::::\n:::\n\n::::", "a\n::: b\nc\n:::", "- :::\n  a\n  :::\n- b", "> :::\n> \n> a\n> :::",
            "\\:::", ":::a\n    b\n:::",
        ),
    ),
    "environments": Table(
        amsmath_plugin,
        {
            "amsmath": TokenNode(
                node=Environment, write="{value}", fields={"value": lambda token: token.content.rstrip()}
            )
        },
        (
            "\\begin{align}\na\n\\end{align}", "a\n\\begin{align*}b\\end{align*}\nc", "\\begin{own}\na\n\\end{own}",
            "> \\begin{matrix}\n> 1 & 2 \\\\\n> \\end{matrix}", "- \\begin{align}\n    a\n  \\end{align}\n- b",
            "\\\\begin{align}\na\n\\end{align}", "\\begin{align}\n\n# a\n\n\\end{align}",
        ),
        {"unsafe": (), "line_starts": (LineStart("\\", "an environment", r"\\(?=begin\{)"),)},
    ),
    "dollars": Table(
        dollarmath_plugin,
        {
            "math_inline": in_line(Formula, "${value}$"),
            "math_block": TokenNode(
                node=Display, write=write_display, fields=CONTENT
            ),
            "math_block_label": TokenNode(
                node=Display, write=write_display, fields={**CONTENT, "label": "info"}
            ),
        },
        (
            "$a$ and $5 and 6", "3$1+2$ $a_b$*c*", "$$a$$", "$$a$$ (x)", "$$\na\n\nb\n$$ (1)", "\\$a$", "$a\\$b$",
            "> $$ a $$\n>\n> b", "1. $a$\n   1. $b$", "| a |\n| - |\n| $a$ |", "a\n$$b$$\nc", "- [ ] $a$",
            "$a\n# b$", "a $b\nc$ d", "$a$$b$", "\\\\$a\\\\$", "1. a\n\n   $$\n   b\n     c\n   $$ (x)\n2. $$d\n   e$$",
            "> - $$\n>   a\n>   $$\n>\n>   b", "-\t$$\n\ta\n\n\tb\n\t$$",
        ),
        {"unsafe": (Unsafe("$", "opens a formula"),), "line_starts": ()},
    ),
    "roles": Table(
        myst_role_plugin,
        {"myst_role": in_line(Role, write_role, value="content", name="meta.name")},
        (
            "{a}`b`", "{a}`b`{c}`d` `e`", "{a}``b`c``", "{a}`b\nc`", "\\{a}`b`", "{a b}`c`", "{a}`", "{a}` b `",
            "| a |\n| - |\n| {a}`b` |", "`` {a}`b` ``",
        ),
        {"unsafe": (Unsafe("{", "names a role"),)},
    ),
    "blocks": Table(
        myst_block_plugin,
        {
            "myst_line_comment": TokenNode(node=Comment, write=write_comment, fields=CONTENT),
            "myst_target": TokenNode(node=Target, write="({value})=", fields=CONTENT),
            "myst_block_break": TokenNode(node=Division, write="+++ {value}", fields=CONTENT),
        },
        (
            "+++", " + + + words", "++", "a\n+++\n- b\n+++\n> c\n+++", "(a b)=\n# c", "a\n(b)=\nc", "a (b)=",
            "\\(a)=", "% a\n%  b\n%\n%c\nd", "\\% a", "- %a\n  %b\n- c", "a\n% b",
        ),
        {
            "unsafe": (),
            "line_starts": (
                LineStart("%", "a comment", r"%"),
                LineStart("(", "a target", r"\((?=.+\)=[ \t]*$)"),
                LineStart("+", "a division", r"\+(?=[ \t]*\+[ \t]*\+)"),
            ),
        },
    ),
    "substitutions": Table(
        substitution_plugin,
        {
            "substitution_inline": in_line(Inserted, "{{{{{value}}}}}"),
            "substitution_block": TokenNode(
                node=InsertedBlock, write="{{{{{value}}}}}", fields=CONTENT
            ),
        },
        (
            "{{ a }}\n\nb {{ c }} d", "{{a}}\n{{b}}", "- {{a}}\n\n> {{b}} c", "| a |\n| - |\n| {{b}} |", "{{ a",
            "\\{{a}}", "a\n{{ b }}\nc", "{{a}} {{b}}", "- [ ] {{a}}", "# {{a}}", "*{{a}}*", "{{}}", "{{a\nb}} c",
        ),
    ),
    "spans": Table(
        attrs_plugin,
        {
            "span": TokenNode(
                node=Span,
                write=write_span,
                stands_as="phrasing",
                fields={"attributes": lambda token: dict(token.attrs)},
                holds="phrasing",
            )
        },
        (
            "[a *b*]{.c}", "x [a [b](u)]{#i k=v} *d*", "[*a]{.c}*", "[a]{.c}[b]{.d}", "[`]`]{.c}", "[a\nb]{.c}", "[a]",
            "[[a]{.b}]{.c}", "\\[a]{.b}", "[a](u) {.c}", "[a]\\{.b}", "*[a*]{.c}", "[a]: u\n\n[a]{.b}", "| [a]{.b} |\n| - |",
        ),
        {
            "options": {"spans": True},
            "without": ["attr"],
            "unsafe": (Unsafe("{", "has attributes", before=r"(?<![^\]])"),),
        },
    ),
    "fields": Table(
        fieldlist_plugin,
        {
            "field_list": TokenNode(node=Fields, write=write_fields, holds="flow"),
            "fieldlist_name": TokenNode(
                node=FieldName, write="{children}", holds="line", stands_as="part"
            ),
            "fieldlist_body": TokenNode(
                node=FieldBody, write="{children}", holds="flow", stands_as="part"
            ),
        },
        (
            ":a: b\n:c *d*: - e\n        - f\n:g:", ":a: b\n\n     c\n\n   d", ":a:\n\n  b\n\n  c\n\nd", "::", ": :",
            ":a: > b\n   > c", ":a:\n  ```\n  b\n  ```", ":a: b\n- c\n:d: e\n> f", "- :a: b\n      c\n  :d: e\n- f",
            ":a:\n  :b: c\n  :d: e", "\\:a: b", "a\n:b: c", "> :a: b\n> :c: d",
        ),
        {"line_starts": (LineStart(":", "a field", r":(?=[^:\n]+:)"),)},
    ),
}  # fmt: skip


EXTENSIONS: dict[str, Extension | str] = {
    name: extension_of(each.plugin, each.rows, name=name, **each.options)
    for name, each in TABLES.items()
}
EXTENSIONS["admonitions"] = "admonitions"
NODES = {
    **{name: each.nodes for name, each in EXTENSIONS.items() if not isinstance(each, str)},
    "admonitions": (Admonition, AdmonitionTitle),
}
TABLES["admonitions"] = Table(
    admon_plugin,
    {},
    (
        "!!! note\n    *a*", "!!! note Own title\n\n    a", '!!! note ""\n    a', "!!! note\n    !!! tip\n        a",
        "!!! note\n\n!!! warning", "   !!!note\n       a", "    !!! note", "!!!\n    a", "a\n!!! note\n    b\nc",
        "- !!! note\n      - a\n- b", "> !!! note\n>     a\n>     > b\n>     c\n>", "??? note\n    a", "\\!!! a",
        '???+ note inline end "The *title* "x" y"\n    ```\n    a\n    ```', "!!! a\n    b\n\n\n    c", "!!! Note",
        "- a\n  !!! note\n      b\n- c", '!!! note "x', "!!! a\n    # b\n\n    ---",
    ),
)  # fmt: skip

WITHOUT_LINES = ("math_inline", "math_block_eqno")
TEX = extension_of(
    texmath_plugin,
    {"math_block": TokenNode(node=Environment, write="$${value}$$", fields=CONTENT)},
    without=WITHOUT_LINES,
)


def with_source(md: Any) -> None:
    """Texmath, whose block has its lines in the token's meta as well."""
    texmath_plugin(md)
    (rule,) = [each for each in md.block.ruler.__rules__ if each.name == "math_block"]

    def read(state: Any, start: int, end: int, silent: bool, own: Any = rule.fn) -> bool:
        is_read = bool(own(state, start, end, silent))
        if is_read and not silent:
            state.tokens[-1].meta = {"value": state.tokens[-1].content}
        return is_read

    rule.fn = read


CASES = [(name, text) for name, each in TABLES.items() for text in each.texts]


def shown(plugin: Any, text: str) -> str:
    """What markdown-it shows with a plugin, however it breaks the lines."""
    md = MarkdownIt("commonmark").enable(["table"])
    options = {"spans": True} if plugin is attrs_plugin else {}
    html = md.use(plugin, **options).render(text)
    return re.sub(r"> <", "><", re.sub(r"\s+", " ", html))


@looped(("name", "text"), CASES)
def test_what_a_plugin_reads_is_written_back(name: str, text: str) -> None:
    extension = EXTENSIONS[name]
    tree = from_markdown(text, extensions=[extension], positions="all")
    written = to_markdown(tree, extensions=[extension], on_unwritable="normalize")
    again = from_markdown(written, extensions=[extension])
    assert again == normalize(tree, extensions=[extension])
    assert shown(TABLES[name].plugin, written) == shown(TABLES[name].plugin, text)


@looped("name", TABLES)
def test_a_plugin_reads_what_it_is_for(name: str) -> None:
    kinds = NODES[name]
    read = [
        type(node)
        for text in TABLES[name].texts
        for node in find(from_markdown(text, extensions=[EXTENSIONS[name]]), *kinds)
    ]
    assert {*read} == {*kinds}


@pytest.mark.parametrize("name", TABLES)
def test_laws_hold_in_documents(name: str) -> None:
    extension, texts = EXTENSIONS[name], TABLES[name].texts
    for seed in range(25):
        random = Random(seed)
        usual = [each.text for each in sources(2, seed, gfm=True)]
        parts = [random.choice([*texts, *usual]) for _ in range(3)]
        tree = from_markdown(random.choice(["\n\n", "\n", " "]).join(parts), extensions=[extension])
        canonical = normalize(tree, extensions=[extension])
        written = to_markdown(tree, extensions=[extension], on_unwritable="normalize")
        read = from_markdown(written, extensions=[extension])
        assert normalize(read, extensions=[extension]) == canonical
        text = to_markdown(canonical, extensions=[extension])
        assert from_markdown(text, extensions=[extension]) == canonical


HOSTILE = (
    "a^b",
    "$",
    "}}",
    "`",
    "\n:::\n",
    "\n\n# a",
    "|",
    "\\",
    "a\n    b",
    " ",
    "",
    "%\n",
    "(x)=",
    "\0",
    "\r",
    "*",
)


@looped("name", ["raised", "listings", "dollars", "roles", "blocks", "substitutions"])
def test_a_value_stays_within_its_markup(name: str) -> None:
    extension = EXTENSIONS[name]
    for row in TABLES[name].rows.values():
        for value in HOSTILE:
            fields = {each: value for each in row.fields if each != "label"}
            node: Any = row.node(**fields)
            in_paragraph = row.stands_as == "phrasing"
            child: Any = ParagraphNode((Text("a "), node, Text(" b"))) if in_paragraph else node
            tree = normalize(Root((child,)), extensions=[extension])
            text = to_markdown(tree, extensions=[extension])
            assert from_markdown(text, extensions=[extension]) == tree
            assert not [*find(tree, Heading)]


@pytest.mark.parametrize("piece", ["^a ", "$a", "{a}`", "{{", "!!! a\n    ", "::: warn\n", ":a: "])
def test_plugins_read_and_write_in_proportion(piece: str) -> None:
    def round_trip(text: str) -> None:
        for extension in EXTENSIONS.values():
            try:
                tree = from_markdown(text, extensions=[extension])
            except MdastError:  # too deep
                continue
            to_markdown(tree, extensions=[extension], on_unwritable="normalize")

    assert growth(round_trip, piece * 50, piece * 400) <= 2 * IN_PROPORTION


class TestAnExtensionOfAPlugin:
    def test_goes_through_json(self) -> None:
        tree = from_markdown("the 1^st^", extensions=[EXTENSIONS["raised"]])
        assert from_dict(to_dict(tree), extensions=[EXTENSIONS["raised"]]) == tree
        boxed = from_markdown("??? note\n    a", extensions=["admonitions"])
        assert from_dict(to_dict(boxed)) == boxed

    def test_has_positions(self) -> None:
        root = from_markdown("a\n\n- ::: warn\n  b\n  :::\n", extensions=[EXTENSIONS["warnings"]])
        (box,) = find(root, Warned)
        assert box.position is not None
        assert (box.position.start.line, box.position.start.column) == (3, 3)
        assert (box.position.end.line, box.position.end.column) == (5, 6)

    def test_is_edited_in_place(self) -> None:
        text = 'Title\n=====\n\n!!! note\n\n      __a__\n\n!!! tip "b"\n    c\n'
        document = Document(text, extensions=["admonitions"])
        document.rewrite(
            Admonition, lambda box: replace(box, kind="tip" if box.kind == "note" else box.kind)
        )
        assert document.text.startswith("Title\n=====\n\n!!! tip")
        assert document.text.endswith('!!! tip "b"\n    c\n')

    def test_keeps_what_a_component_says_inert(self) -> None:
        class Box(Component):
            words: str

        mine = registry.copy()

        @mine.rule("ujsx -> mdast", Box)
        def box(element: Any, transform: Any) -> Any:
            words = transform(Paragraph()[element.component.words])
            return Admonition("note", children=(AdmonitionTitle(words.children), words))

        for words in ("!!! danger", 'a" b', "a\n\n!!! x\n    y", "    code", "\n??? z", "[x]: y"):
            rendered = Renderer(registry=mine, extensions=["admonitions"]).render(Box(words=words))
            assert_inert(rendered, extensions=["admonitions"])

    def test_of_a_kind_that_cannot_be_written_keeps_its_blocks(self) -> None:
        kept = Admonition("", children=(AdmonitionTitle((Text(" "),)), ParagraphNode((Text("a"),))))
        text = to_markdown(Root((kept,)), extensions=["admonitions"], on_unwritable="normalize")
        assert text == '!!! note ""\n    a\n'

    def test_keeps_words_that_python_markdown_takes_for_classes(self) -> None:
        text = "!!! note inline End\n    a\n"
        tree = from_markdown(text, extensions=["admonitions"])
        assert tree.children[0] == Admonition(
            "note inline End", children=(ParagraphNode((Text("a"),)),)
        )
        assert to_markdown(tree, extensions=["admonitions"]) == text


class TestTables:
    @looped(
        ("plugin", "rows", "options", "message"),
        [
            (tasklists_plugin, {}, {}, "no rule that reads Markdown .github-tasklists."),
            (lambda md: None, {}, {}, "no rule that reads Markdown .none at all."),
            (footnote_plugin, {}, {}, r"after they are read .footnote_tail.*without=\['footnote_tail'\]"),
            (attrs_plugin, {}, {"without": ["attrs"]}, "no rule 'attrs' to leave out"),
            (admon_plugin, {"a": TokenNode(node=Raised, write="^{valu}^")}, {}, "names 'valu'; did you mean"),
            (admon_plugin, {"a": TokenNode(node=Warned, write="a")}, {}, "says what Warned holds"),
            (
                admon_plugin,
                {"a": TokenNode(node=Warned, write="a", holds="flow", fields={"info": "info"})},
                {},
                "does not write its {children}",
            ),
            (
                admon_plugin,
                {"a": TokenNode(node=Warned, write="{children}", holds="flow", stands_as="phrasing")},
                {},
                "cannot hold blocks",
            ),
            (admon_plugin, {"a": in_line(Raised, "{value}^")}, {}, "starts with a field"),
            (admon_plugin, {"a": in_line(Raised, "\\({value}\\)")}, {}, "backslash before punctuation"),
            (admon_plugin, {"a": TokenNode(node=Raised, write="```x\n{value}\n```")}, {}, "fenced code"),
            (admon_plugin, {"a": in_line(Raised, write_raised)}, {}, "pass unsafe= and line_starts="),
            (admon_plugin, {"a": "^{value}^"}, {}, "is a TokenNode with a class of nodes"),
        ],
    )  # fmt: skip
    def test_that_cannot_work_are_refused(
        self, plugin: Any, rows: Any, options: Any, message: str
    ) -> None:
        with pytest.raises(MdastError, match=message):
            extension_of(plugin, rows, **options)

    def test_without_a_row_for_a_token_name_it(self) -> None:
        half = extension_of(dollarmath_plugin, {"math_inline": in_line(Formula, "${value}$")})
        assert len(from_markdown("$a$", extensions=[half]).children) == 1
        with pytest.raises(MdastError, match="what node the token 'math_block' becomes; add a row"):
            from_markdown("$$a$$", extensions=[half])

    def test_whose_row_does_not_fit_the_token_say_so(self) -> None:
        row = in_line(Role, "{{{name}}}`{value}`", value="content", name="meta.title")
        wrong = extension_of(myst_role_plugin, {"myst_role": row})
        with pytest.raises(MdastError, match=r"'myst_role' does not fit Role: .*name.*fields="):
            from_markdown("{a}`b`", extensions=[wrong])

    def test_refuse_what_would_be_lost(self) -> None:
        attributes = extension_of(attrs_plugin, {})
        with pytest.raises(MdastError, match="attrs consumes text without making a token"):
            from_markdown("`a`{#b}", extensions=[attributes])

    def test_name_a_plugin_that_fails(self) -> None:
        def broken(md: Any) -> None:
            def rule(state: Any, start: int, end: int, silent: bool) -> bool:
                return bool([][start])

            md.block.ruler.before("paragraph", "broken", rule)

        with pytest.raises(MdastError, match="line 3: the plugin of broken failed: IndexError"):
            from_markdown("# a\n\nb", extensions=[extension_of(broken, {})])

    def test_leave_a_plugins_rules_out(self) -> None:
        notes = extension_of(
            footnote_plugin,
            {"footnote_ref": in_line(Raised, "[^{value}]", value="meta.label")},
            without=["footnote_tail", "footnote_def", "footnote_inline"],
        )
        assert from_markdown("a^[b]", extensions=[notes]) == from_markdown("a^[b]")

    @looped(
        "text",
        [
            "> $$a\n> b$$",
            "- $$a\n\n    b\n  c$$",
            "> 1. $$a\n>    b$$\n>\n>    c",
            "- > $$a\n  > b$$",
            "$$a\n  b$$",
        ],
    )
    def test_read_lines_without_what_containers_put_before_them(self, text: str) -> None:
        tree = from_markdown(text, extensions=[TEX])
        (formula,) = find(tree, Environment)
        assert formula.value.startswith("a\n")
        assert ">" not in formula.value
        assert to_markdown(tree, extensions=[TEX]) == f"{text}\n"

    def test_refuse_to_write_what_a_plugin_reads_with_the_marks_of_a_quote(self) -> None:
        row = TokenNode(node=Environment, write="$${value}$$", fields={"value": "meta.value"})
        tex = extension_of(with_source, {"math_block": row}, name="tex", without=WITHOUT_LINES)
        tree = from_markdown("> $$a\n> b$$", extensions=[tex])
        with pytest.raises(MdastError, match="reads it with what is before its lines"):
            to_markdown(tree, extensions=[tex])


DIFFERENCES: tuple[tuple[Any, tuple[str, ...], str], ...] = (
    (deflist_plugin, ("definition-lists",), "a\n: b\n# c\n: d"),
    (front_matter_plugin, (), "---\na: 1\n...\nb"),
    (footnote_plugin, (), "[^A]\n\n[^a]: b"),
    (dollarmath_plugin, ("math",), "a\n$$\nb\n$$"),
)
"""Inputs of the page on extensions that the plugins read in another way than GitHub or micromark."""


@looped(("plugin", "names", "text"), DIFFERENCES)
def test_a_plugin_differs_from_the_packages_own(
    plugin: Any, names: tuple[str, ...], text: str
) -> None:
    own = to_html(registry.transform("mdast -> hast", from_markdown(text, extensions=names)))
    tags = re.compile(r"<(?:dt|h1|h2|hr|sup|pre|div)\b")
    assert tags.findall(shown(plugin, text)) != tags.findall(own)
