"""What a newcomer gets wrong first, and the sentence that helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from hud_components import Hud, HudState, NotesSection
from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Disclosure,
    RenderContext,
    Renderer,
    Rung,
    UjsxError,
    Vocabulary,
    fold,
    from_mdast,
    load,
    render,
)
from ujsx.elements import (
    PRIMITIVES,
    Item,
    Link,
    List,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
)
from ujsx.schema import check_request, lint, schema_tokens, tool_schema, tree_schema
from ujsx.targets import XmlTarget
from ujsx.tools import Toolset

ANY: Any = None


class NoRender(Component):
    word: str


class Misspelt(Component):
    def rendr(self, ctx: RenderContext, children: Children) -> Child:
        return "x"


def no_disclosure() -> object:
    return type(Component)("Bad", (Component,), {"disclosure": [Rung(ANY or "full")]})


class Oven:
    """It is no data."""


def with_prop(kind: Any) -> type[Component]:
    return type(Component)(
        "Bad",
        (Component,),
        {"__annotations__": {"word": str, "prop": kind}, "__module__": __name__},
    )


@looped(
    ("made", "meant"),
    [
        (lambda: Paragraph("x"), Paragraph()["x"]),  # type: ignore[misc]
        (lambda: Paragraph(children=["x"]), Paragraph()["x"]),  # type: ignore[call-arg]
        (lambda: List("x", Item()["y"]), List()[Item()["x"], Item()["y"]]),  # type: ignore[misc]
        (lambda: Section("a", "b"), Section(title="a")["b"]),  # type: ignore[misc]
        (lambda: Section("a"), Section(title="a")),  # type: ignore[misc]
        (lambda: Section(["x"], title="a"), Section(title="a")["x"]),  # type: ignore[misc]
        (lambda: Section(title="a")("b"), Section(title="a")["b"]),  # type: ignore[operator]
        (
            lambda: Table(header=["a"], rows=[[1]]),  # type: ignore[call-arg]
            Table()[TableRow()[TableCell()["a"]], TableRow()[TableCell()["1"]]],
        ),
    ],
)
def test_children_as_other_libraries_have_them(made: Callable[[], object], meant: object) -> None:
    assert made() == meant


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a prop by its place": (
        lambda: Section(["Notes"]),  # type: ignore[misc]
        r"Section: children go in brackets; write Section\(title=…\)\['Notes'\]",
    ),
    "a prop by its place, and children": (
        lambda: Link("Notes", "x"),  # type: ignore[misc]
        r"Link: props are given by name, not 'Notes'; write Link\(url=…, title=…\)\[…\]",
    ),
    "a list of children, where a prop is needed": (
        lambda: Section([Paragraph()]),  # type: ignore[misc]
        r"^Section: children go in brackets; write Section\(title=…\)\[Paragraph\(…\)\]$",
    ),
    "children attached twice": (
        lambda: Section(title="x")["a"]["b"],
        "Section: it has its children already; put all of them in one pair of brackets",
    ),
    "an item without a list": (
        lambda: render(Item()["x"]),
        r"^Item: it stands in a List only; write List\(\)\[Item\(\)\[…\]\]$",
    ),
    "an item in a section": (
        lambda: render(Section(title="x")["a", Item()["x"]]),
        "^Section / Item: it stands in a List only",
    ),
    "a cell without a row": (
        lambda: render(TableCell()["x"]),
        "^TableCell: it stands in a TableRow only",
    ),
    "a section in a paragraph": (
        lambda: render(Paragraph()["a", Section(title="x")["b"]]),
        "^Paragraph: a Section is a block and cannot go inside inline text; put it next to the paragraph",
    ),
    "a text in a list": (
        lambda: render(List()["a"]),
        r"^List: a List holds Items, not the text 'a'; write Item\(\)\['a'\]",
    ),
    "a key as a prop": (
        lambda: Paragraph(key=1),  # type: ignore[call-arg]
        r"^Paragraph\.key: no such prop .*a key is not a prop; write \.keyed\(…\) behind the node",
    ),
    "Markdown as mdast": (
        lambda: from_mdast("# x"),  # type: ignore[arg-type]
        r"^from_mdast takes an mdast Root, not '# x'; give it mdast\.from_markdown\(text\)",
    ),
    "a rung as the ladder": (
        lambda: Disclosure(Rung(ANY or "full")),  # type: ignore[arg-type]
        r"^a ladder is a tuple of rungs, not Rung\(.*; write Disclosure\(\(Rung\(…\), Rung\(…\)\)\)",
    ),
    "a budget for a text that is text": (
        lambda: render("x", budget="10"),  # type: ignore[arg-type]
        "a budget must be a number of tokens, 0 or more, not '10'",
    ),
    "a budget that is more digits than Python reads": (
        lambda: render("x", budget="9" * 5_000),  # type: ignore[arg-type]
        r"^a budget must be a number of tokens, 0 or more, not '9+…$",
    ),
    "a state as the context": (
        lambda: render(NotesSection(), context=HudState()),  # type: ignore[arg-type]
        r"a context is a RenderContext, not HudState.*RenderContext\(\)\.with_value\(value\)",
    ),
    "a session as the state": (
        lambda: Hud.of("session"),  # type: ignore[arg-type]
        r"a HUD takes a State, such as session\.state\(\), not 'session'",
    ),
    "a budget that is text": (
        lambda: Renderer().render("x", budget="10"),  # type: ignore[arg-type]
        "a budget must be a number of tokens, 0 or more, not '10'",
    ),
    "a list as the disclosure": (no_disclosure, r"Bad\.disclosure is a Disclosure\(ladder, …\)"),
    "no rung in the ladder": (
        lambda: Disclosure(("full",)),  # type: ignore[arg-type]
        r"a ladder is made of rungs, at least one, not \('full',\)",
    ),
    "a density that does not exist": (
        lambda: Rung("ful"),  # type: ignore[arg-type]
        "'ful' is not a density; did you mean \"full\"",
    ),
    "names as a vocabulary": (
        lambda: Vocabulary(*PRIMITIVES),  # type: ignore[arg-type]
        r"add them to a vocabulary with \|, as in PRIMITIVES \| \[Mine\]",
    ),
    "a class for a schema of a request": (
        lambda: check_request([NoRender], "anthropic-strict"),  # type: ignore[list-item]
        r"^\$\[0\]: a schema is a dictionary, not .*NoRender.*write tool_schema\(…, dialect=\"anthr",
    ),
    "a class for the cost of a schema": (
        lambda: schema_tokens(NoRender),  # type: ignore[arg-type]
        r"a schema is a dictionary, not .*NoRender.*; write tool_schema\(…\) or tool_definition",
    ),
    "a name as the root": (
        lambda: tree_schema([NoRender], root="NoRender"),  # type: ignore[arg-type]
        "the root is a component class, not 'NoRender'",
    ),
    "a class as a vocabulary of a schema": (
        lambda: tree_schema(NoRender),  # type: ignore[arg-type]
        r"a vocabulary is made of several classes, not of .*; write \[NoRender\]",
    ),
    "a class as a vocabulary of data": (
        lambda: load({"type": "NoRender"}, NoRender),  # type: ignore[arg-type]
        r"a vocabulary is made of several classes, not of .*; write \[NoRender\]",
    ),
    "a class as an operation": (
        lambda: Toolset([BaseModel], name="tools"),
        r'a toolset is made of operations, .*; write Operation\("base_model", BaseModel, what answers\)',
    ),
    "a function as a model": (
        lambda: tool_schema(no_disclosure),  # type: ignore[arg-type]
        r"its tool, with name and description, is Toolset\(\[Operation\.of\(no_disclosure\)\], name=\"tools\"\)\.",
    ),
    "a toolset as a model": (
        lambda: lint(Toolset(name="tools"), "openai"),  # type: ignore[arg-type]
        r"a toolset has definitions\(dialect\) and lint\(dialect\) of its own$",
    ),
    "a prop that is not data": (
        lambda: with_prop(Oven),
        r"^Bad\.prop: (\w+\.)*Oven is not a type of data; take a text, .*arbitrary_types_allowed=True",
    ),
    "a prop that holds what is not data": (
        lambda: with_prop(tuple[Oven | None, ...]),
        r"^Bad\.prop: tuple\[.*Oven.*\] is not a type of data",
    ),
    "a function as a prop of a tool": (
        lambda: tool_schema(with_prop(Callable[[int], int])),
        r"^Bad has no JSON Schema: Bad\.prop is of a type .*Callable\[\[int\], int\]; .*, or say in tool_model\(\)",
    ),
    "a component of any class as a prop of a tool": (
        lambda: tool_schema(with_prop(tuple[Component, ...])),
        r"^Bad has no JSON Schema: Bad\.prop is of a type that no call can give, tuple\[.*Component",
    ),
    "such a prop in an answer of trees": (
        lambda: tree_schema([NoRender, with_prop(Component)]),
        r"^Bad has no JSON Schema: Bad\.prop is of a type that no call can give, .*Component",
    ),
    "the target before the tree": (
        lambda: fold(XmlTarget(), Paragraph()["a"]),  # type: ignore[arg-type]
        "is not a target: it has no create_instance; the tree comes first, then the target",
    ),
    "a text as the indent": (
        lambda: XmlTarget(indent="  "),  # type: ignore[arg-type]
        "an indent is a number of spaces, or None, not '  '",
    ),
    "a component without a render": (
        lambda: render(Paragraph()[NoRender(word="x")]),
        r"^Paragraph / NoRender\[0\]: NoRender has no render\(self, ctx, children\)\. .*@registry\.rule",
    ),
    "a render that is misspelt": (
        lambda: render(Misspelt()),
        r"^Misspelt has no render\(self, ctx, children\); is rendr meant to be it\?",
    ),
}


@looped("mistake", MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(mistake: str) -> None:
    make, message = MISTAKES[mistake]
    with pytest.raises(UjsxError, match=message):
        make()


def test_a_key_may_stand_among_the_props_and_before_the_children() -> None:
    keyed = Item()["a"].keyed("k")
    given: Any = Item(key="k")  # type: ignore[call-arg]
    assert given["a"] == Item().keyed("k")["a"] == keyed


def test_a_rung_takes_the_name_of_a_density() -> None:
    assert Disclosure((Rung("minimal", 0), Rung("full"))).at("compact") == Rung("minimal", 0)  # type: ignore[arg-type]


def test_a_title_of_the_author_stays_when_space_is_short() -> None:
    layout = Hud(title="Mine")[Section(title="House rules")["Be kind."]]
    assert render(layout, density="minimal") == "# Mine\n\n## House rules\n\nBe kind.\n"
