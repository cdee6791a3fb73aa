r"""Plugins of markdown-it as extensions, by a table of their tokens' nodes and Markdown; and admonitions, read by one.

The plugin's own rules read. A node is written by its row of the table, and the text is read back at once: any other
reading is refused, so that a value cannot break out of its markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from string import Formatter
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

import msgspec
from mdit_py_plugins.admon import admon_plugin
from msgspec.structs import replace

from ujsx.errors import MdastError, did_you_mean, shown
from ujsx.mdast._nodes import (
    CONTENT_MODELS,
    Blockquote,
    Build,
    Code,
    Emphasis,
    Extension,
    FlowContent,
    Handler,
    Holds,
    LineStart,
    Node,
    Paragraph,
    Parent,
    PhrasingContent,
    Root,
    Text,
)
from ujsx.mdast._writer import Writer
from ujsx.mdast.from_markdown import from_markdown
from ujsx.mdast.to_markdown._handlers import indented, quoted, starts_block
from ujsx.mdast.to_markdown._phrasing import Unwritable
from ujsx.mdast.to_markdown._unsafe import ASCII_PUNCTUATION, Unsafe
from ujsx.mdast.util import to_string

Value: TypeAlias = "str | Callable[[Any], Any]"
"""The place of a field's value in a token: ``"content"``, ``"info"``, ``"meta.name"``; or a function of the token."""

Plugin: TypeAlias = Callable[..., None]
"""A plugin of markdown-it: a function of a ``MarkdownIt`` and options."""


@dataclass(frozen=True, kw_only=True)
class TokenNode:
    """A row of a plugin's table: the node for a token, and its Markdown.

    :param node: the class of nodes.
    :param write: a Markdown template with the names of fields in braces, ``{children}`` for the content and
        ``{fence}``; the lines of blocks in it are indented like the first. Or a handler, a function of the node and the
        writer's state.
    :param stands_as: whether the node is a block (``"flow"``), inline (``"phrasing"``), or a ``"part"`` of another
        row's node, whose handler writes it.
    :param fields: the place in the token of each field's value.
    :param build: creates the node from the token and its child nodes, if ``fields`` cannot.
    :param holds: the kind of children: blocks, phrasing, or phrasing in one line; ``None`` for none.
    :param fence: the shortest fence, such as ``":::"``; it is written longer than any within.
    :param clean: from an unwritable node to the nearest one that may be written; by default with its texts in one line.
    """

    node: type[Node]
    write: str | Handler
    stands_as: Literal["flow", "phrasing", "part"] = "flow"
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    holds: Holds | None = None
    fence: str = ""
    build: Build | None = None
    clean: Callable[[Any], Any] | None = None


def extension_of(
    plugin: Plugin,
    nodes: Mapping[str, TokenNode],
    *,
    name: str | None = None,
    unsafe: Iterable[Unsafe] | None = None,
    line_starts: Iterable[LineStart] | None = None,
    without: Iterable[str] = (),
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Extension:
    r"""Return an extension from a plugin of markdown-it, such as those of mdit-py-plugins.

    :param plugin: the plugin.
    :param nodes: the rows by token type. ``"sub"`` includes the tokens ``sub_open`` and ``sub_close``.
    :param name: the extension's name; the plugin's by default.
    :param unsafe: the characters that need a backslash in texts; by default the first of each inline template.
    :param line_starts: the markup that needs a backslash at the start of a line; by default the beginnings of block
        templates.
    :param without: rules of the plugin to disable. Rules that change tokens after reading are not supported, and must
        be named here if the nodes do not need them.
    :param options: the plugin's own options.
    :raises MdastError: for a table that cannot work, and for a plugin that reads nothing.

    >>> from mdit_py_plugins.superscript import superscript_plugin
    >>> from ujsx.mdast import Node, from_markdown, to_markdown
    >>> class Raised(Node, frozen=True):
    ...     value: str
    >>> raised = extension_of(
    ...     superscript_plugin,
    ...     {"sup": TokenNode(node=Raised, write="^{value}^", stands_as="phrasing", fields={"value": "text"})},
    ... )
    >>> tree = from_markdown("the 1^st^", extensions=[raised])
    >>> tree.children[0].children[1]
    Raised(value='st')
    >>> print(to_markdown(tree, extensions=[raised]), end="")
    the 1^st^
    """
    own = name or getattr(plugin, "__name__", "plugin").removesuffix("_plugin").replace("_", "-")
    without = tuple(without)
    apply = partial(plugin, **options)
    _check_rules(own, apply, without)
    for token, row in nodes.items():
        _check_row(own, token, row)
    templates = [row for row in nodes.values() if isinstance(row.write, str)]
    if len(templates) < len(nodes) and unsafe is None and line_starts is None:
        raise MdastError(
            f"{own}: a handler does not tell what texts must escape; pass unsafe= and line_starts=, () for nothing"
        )
    found = _unsafe(own, templates) if unsafe is None else tuple(unsafe)
    # A character without a backslash escape is written as a reference; a backslash right before would escape its &.
    found += tuple(
        Unsafe("\\", row.why, after=re.escape(row.character))
        for row in found
        if row.character not in ASCII_PUNCTUATION
    )
    starts = _line_starts(own, templates, found) if line_starts is None else tuple(line_starts)
    kinds = {row.node: row for row in nodes.values()}
    writers = {kind: _Row(row) for kind, row in kinds.items()}
    phrasing = {kind: writers[kind].write for kind, row in kinds.items() if _in_line(row)}
    extension = Extension(
        name=own,
        plugin=apply,
        without=without,
        build={
            f"{token}{end}": row.build or _built(row)
            for token, row in nodes.items()
            for end in ("", "_close")
        },
        phrasing=phrasing,
        flow={kind: writers[kind].write for kind, row in kinds.items() if not _in_line(row)},
        holds={kind: row.holds for kind, row in kinds.items() if row.holds is not None},
        canonical={
            kind: writers[kind].canonical for kind, row in kinds.items() if row.stands_as != "part"
        },
        unsafe=found,
        line_starts=starts,
        read_back=frozenset(phrasing),
    )
    for writer in writers.values():
        writer.extension = extension
    return extension


# --- The declaration ------------------------------------------------------------------------


def _check_rules(name: str, apply: Plugin, without: tuple[str, ...]) -> None:
    """Refuse a plugin that reads nothing, or that changes tokens after reading."""
    from markdown_it import MarkdownIt

    md = MarkdownIt()
    chains: dict[str, Any] = {
        "core": md.core.ruler,
        "block": md.block.ruler,
        "inline": md.inline.ruler,
        "pairs": md.inline.ruler2,
    }
    before = {chain: {*ruler.get_all_rules()} for chain, ruler in chains.items()}
    apply(md)
    added = {
        chain: [each for each in ruler.get_all_rules() if each not in before[chain]]
        for chain, ruler in chains.items()
    }
    known = [rule for rules in added.values() for rule in rules]
    for rule in without:
        if rule not in known:
            raise MdastError(
                f"{name} has no rule {rule!r} to leave out; {did_you_mean(rule, known)}"
            )
    reads = [rule for chain in ("block", "inline") for rule in added[chain] if rule not in without]
    changes = [rule for chain in ("core", "pairs") for rule in added[chain] if rule not in without]
    if not reads:
        raise MdastError(
            f"{name} has no rule that reads Markdown ({', '.join(known) or 'none at all'}); an extension needs one"
        )
    if changes:
        raise MdastError(
            f"{name} changes tokens after they are read ({', '.join(changes)}), which is not done here; if its "
            f"nodes do not need that, pass without={changes}"
        )


def _check_row(name: str, token: str, given: Any) -> None:
    """Refuse a row with names that its node does not have."""
    where = f"{name}: the row of {token!r}"
    kind = getattr(given, "node", None)
    if not (isinstance(given, TokenNode) and isinstance(kind, type) and issubclass(kind, Node)):
        raise MdastError(f"{where} is a TokenNode with a class of nodes, not {shown(given)}")
    row: TokenNode = given
    own = [each for each in row.node.__struct_fields__ if each not in ("position", "data")]
    if ("children" in own) != (row.holds is not None):
        raise MdastError(
            f"{where} says what {row.node.__name__} holds if it has children, and only then"
        )
    if row.holds == "flow" and _in_line(row):
        raise MdastError(f"{where} stands in a line and cannot hold blocks")
    written: list[str] = []
    if isinstance(row.write, str):
        written = [each for _, each, _, _ in Formatter().parse(row.write) if each is not None]
        if row.holds is not None and "children" not in written:
            raise MdastError(f"{where} does not write its {{children}}")
        if _beginning(row)[:1] == "\\" and _beginning(row)[1:2] in {*ASCII_PUNCTUATION}:
            raise MdastError(
                f"{where} starts with a backslash before punctuation, which is how texts are escaped: a text "
                "could not be told from it"
            )
        if _beginning(row).startswith(("```", "~~~")) and row.node is not Code:
            raise MdastError(
                f"{where} starts as fenced code does: code could not be told from it; read it as code, "
                "or give the plugin other marks"
            )
    for each in [*row.fields, *written]:
        if each not in own and not (each == "fence" and row.fence):
            raise MdastError(f"{where} names {each!r}; {did_you_mean(each, own)}")


def _in_line(row: TokenNode) -> bool:
    return row.stands_as == "phrasing"


def _beginning(row: TokenNode) -> str:
    """Return the initial markup of a template."""
    text = str(row.write).replace("{fence}", row.fence).replace("{{", "\0")
    return text.split("{", 1)[0].split("\n", 1)[0].replace("\0", "{").strip(" ")


def _unsafe(name: str, rows: Iterable[TokenNode]) -> tuple[Unsafe, ...]:
    characters = {_beginning(row)[:1]: None for row in rows if _in_line(row)}
    if "" in characters:
        raise MdastError(
            f"{name}: a template starts with a field; pass the characters that are unsafe="
        )
    return tuple(Unsafe(each, f"starts what {name} reads") for each in characters)


def _line_starts(
    name: str, rows: Iterable[TokenNode], unsafe: Iterable[Unsafe]
) -> tuple[LineStart, ...]:
    anywhere = {row.character for row in unsafe}
    found: dict[str, LineStart] = {}
    for row in rows:
        begins = "" if _in_line(row) else _beginning(row)
        if begins and begins[0] not in anywhere:
            found[begins] = LineStart(begins[0], f"what {name} reads", re.escape(begins))
    return tuple(found.values())


# --- From tokens to nodes -------------------------------------------------------------------


def _built(row: TokenNode) -> Build:
    in_json = dict(zip(row.node.__struct_fields__, row.node.__struct_encode_fields__, strict=True))

    def build(token: Any, children: tuple[Any, ...]) -> Node:
        values = {name: _value(token, children, where) for name, where in row.fields.items()}
        if children and row.holds is None and "text" not in row.fields.values():
            raise MdastError(
                f"the row of {token.type!r} holds nothing, and there are nodes in it; say what it holds, or take "
                'its "text" for a field'
            )
        if row.holds is not None:
            values["children"] = children
        try:
            if row.holds is not None:
                return row.node(**values)
            return msgspec.convert({in_json[name]: values[name] for name in values}, row.node)
        except (msgspec.ValidationError, TypeError) as error:
            raise MdastError(
                f"the token {token.type!r} does not fit {row.node.__name__}: {error}; see its fields="
            ) from None

    return build


def _value(token: Any, children: tuple[Any, ...], where: Value) -> Any:
    if callable(where):
        return where(token)
    if where == "text":
        return "".join([getattr(child, "value", "") for child in children])
    name, _, key = where.partition(".")
    value: Any = getattr(token, name, None)
    return value.get(key) if key and value else value


# --- From nodes to Markdown -----------------------------------------------------------------


class _Row:
    """The writer of a row's nodes, which reads back each text."""

    extension: Extension

    def __init__(self, row: TokenNode) -> None:
        self.row = row

    def write(self, node: Any, writing: Any) -> str:
        row = self.row
        text = row.write(node, writing) if callable(row.write) else self._filled(node, writing)
        if _in_line(row):
            self._check_line(node, text, writing)
        elif row.stands_as == "flow" and not self._is_same(
            _only(_read(text, writing.rules.extensions)), node
        ):
            raise Unwritable(node, "it would be read as something else")
        elif writing.depth and row.holds is None and "\n" in text:
            quote = _only(_read(quoted(text), writing.rules.extensions))
            if _only(quote) != node:
                raise Unwritable(
                    node, "in a quote or an item its plugin reads it with what is before its lines"
                )
        return text

    def _filled(self, node: Any, writing: Any) -> str:
        """Return the template filled with the node's fields and children."""
        template = str(self.row.write)
        own = _fields_of(node)[1]
        values = {name: "" if value is None else str(value) for name, value in own.items()}
        values["children"] = "" if self.row.holds is None else self._children(node, writing)
        fence = self.row.fence
        if fence:
            fence = _longer_than_any(fence, "\n".join(values.values()))
        if "{children}" in template:
            line = template.partition("{children}")[0].rpartition("\n")[2]
            if values["children"]:
                width = len(line.format(**values, fence=fence))
                values["children"] = indented(values["children"], " " * width)
            else:
                template = template.replace(f"\n{line}{{children}}", "")
        return template.format(**values, fence=fence)

    def _children(self, node: Any, writing: Any) -> str:
        writing.enter(node)
        if self.row.holds == "flow":
            written = writing.contained(node, node.children)
        elif self.row.holds == "line":
            written = writing.line(node.children)
        else:
            written = writing.run(node.children, "text")
        writing.leave()
        return str(written)

    def _check_line(self, node: Any, text: str, writing: Any) -> None:
        if writing.in_cell and ("\\|" in text or "\n" in text):
            raise Unwritable(node, "a pipe in it would end its table cell")
        if "\n" in text and (
            writing.one_line
            or any(line != line.strip(" \t") or not line for line in text.split("\n"))
            or starts_block(text, writing.line_starts)
        ):
            raise Unwritable(node, "a line end in it would be read as another")
        read = (_only(_read(each, (self.extension,))) for each in (f"x{text}x", f"x {text} x"))
        if not any(self._is_same(_only(each, place=1), node) for each in read):
            raise Unwritable(node, "it would be read as something else")

    def _is_same(self, read: Any, node: Any) -> bool:
        """Return whether a node is read with its fields, and blocks of the same kinds in it."""
        if self.row.holds is None:
            return bool(read == node)
        return _fields_of(read) == _fields_of(node) and (
            self.row.holds != "flow" or _shape(read) == _shape(node)
        )

    @cached_property
    def _writer(self) -> Writer:
        return Writer(extensions=[self.extension])

    def canonical(self, node: Any) -> Node | None:
        """Return a node whose texts can be written, or else only its content or its words."""
        clean = (self.row.clean or _cleaned)(node)
        children: Any = getattr(node, "children", ())
        if _in_line(self.row):
            if self._is_writable(_in_paragraph(node)):
                return node  # type: ignore[no-any-return]
            # If neither can be written, the line has its words.
            is_clean = not children or self._is_writable(_in_paragraph(clean))
            return clean if is_clean else Emphasis(children)
        for made in (node, clean):
            if self._is_writable(made):
                return made  # type: ignore[no-any-return]
        if self.row.holds == "flow":
            blocks = [block for each in children for block in self._blocks_of(each)]
            return Blockquote(tuple(blocks)) if blocks else None
        words = getattr(node, "value", "")
        return Paragraph(children) if children else Code(words) if words else None

    def _blocks_of(self, node: Any) -> tuple[Any, ...]:
        """Return a part's content as blocks; anything else unchanged."""
        kind = node.__class__
        holds = self.extension.holds.get(kind)
        if kind in self.extension.canonical or holds is None:
            return (node,)
        return node.children if holds == "flow" else (Paragraph(node.children),)

    def _is_writable(self, node: Any) -> bool:
        """Return whether a node can be written, apart from another extension's nodes in it."""
        children: tuple[Any, ...] = getattr(node, "children", ())
        own = [i for i, child in enumerate(children) if self._blocks_of(child) != (child,)]
        if _in_line(self.row):
            own = [1]  # between two texts of a paragraph
        try:
            self._writer.blocks([node])
        except MdastError as error:
            paths = ["$.children[0]", *[f"$.children[0].children[{i}]" for i in own]]
            return error.path not in paths
        return True


def _in_paragraph(node: Any) -> Paragraph:
    """Return a paragraph with phrasing, without its content, between two texts."""
    alone: Any = msgspec.structs.replace(node, children=()) if hasattr(node, "children") else node
    return Paragraph((Text("x "), alone, Text(" x")))


@lru_cache(maxsize=256)
def _read(text: str, extensions: tuple[Extension, ...]) -> Root:
    return from_markdown(text, extensions=extensions)


def _longer_than_any(fence: str, text: str) -> str:
    """Return a fence longer than any of its kind at the start of a line of a text."""
    runs = re.findall(rf"^[ \t>]*({re.escape(fence[0])}{{{len(fence)},}})", text, re.MULTILINE)
    return max([fence, *[f"{run}{fence[0]}" for run in runs]], key=len)


def _cleaned(node: Any) -> Any:
    """Return a node with each of its texts in one line."""
    own = _fields_of(node)[1]
    lines = {
        name: " ".join(value.replace("\0", "\ufffd").split())
        for name, value in own.items()
        if isinstance(value, str)
    }
    return msgspec.structs.replace(node, **lines)


def _only(node: Any, place: int = 0) -> Any:
    children = getattr(node, "children", ())
    return children[place] if len(children) == 2 * place + 1 else None


def _fields_of(node: Any) -> tuple[type, dict[str, Any]]:
    """Return a node's class and its own fields."""
    kind = node.__class__
    names = getattr(node, "__struct_fields__", ())
    left_out = ("position", "data", "children")
    return kind, {name: getattr(node, name) for name in names if name not in left_out}


def _shape(node: Any) -> tuple[Any, ...]:
    """Return the kinds of the blocks in a node."""
    kind = node.__class__
    model = CONTENT_MODELS.get(kind)
    if model is not None and model.holds == "phrasing":
        return (kind,)
    return kind, *[_shape(child) for child in getattr(node, "children", ())]


# Admonitions of Python-Markdown and MkDocs:
#
# ``!!! note "Title"`` in front of indented blocks. ``???`` folds one, ``???+`` folds one that is open at first. The
# plugin of mdit-py-plugins reads them. Words without quotes are classes in Python-Markdown and a title in the plugin,
# so they are kept unchanged.

_QUOTED = re.compile(r'\s*([^"\s](?:[^"]*[^"\s])?)\s+".*"[^"\s]*\Z')
_NEVER_IN_KIND = re.compile(r'["\0\s]+')


class AdmonitionTitle(Parent, frozen=True):
    """The first child of an admonition whose title is in quotes; without children, it has none on purpose."""

    children: tuple[PhrasingContent, ...] = ()


class Admonition(Parent, frozen=True):
    """A box around blocks.

    ``kind`` is its class, or several separated by spaces. ``fold``: ``-`` for initially folded, ``+`` for initially
    open.
    """

    kind: str
    fold: Literal["-", "+"] | None = None
    children: tuple[AdmonitionTitle | FlowContent, ...] = ()
    stands_tight: ClassVar[bool] = True


_MARKERS = {None: "!!!", "-": "???", "+": "???+"}


def build_admonition(token: Any, children: tuple[Any, ...]) -> Admonition:
    """Return an admonition, with a title only if it is in quotes."""
    quoted = _QUOTED.match(token.info)
    blocks = children[1:] if children and isinstance(children[0], AdmonitionTitle) else children
    if quoted is None:
        return Admonition(token.info.strip(), fold(token), blocks)
    title = children[: len(children) - len(blocks)] or (AdmonitionTitle(),)
    return Admonition(quoted[1], fold(token), (*title, *blocks))


def fold(token: Any) -> Any:
    """Return the fold mark of a token's box."""
    return next(each for each, marker in _MARKERS.items() if marker == token.markup)


def write_admonition(node: Admonition, writing: Any) -> str:
    """Write ``!!! kind "Title"``, and the blocks under it, indented by four."""
    title, blocks = _parts(node)
    writing.enter(node)
    words = "" if title is None else f' "{write_title(title, writing)}"'
    written = writing.contained(node, blocks)
    writing.leave()
    head = f"{_MARKERS[node.fold]} {node.kind}{words}"
    return indented(f"{head}\n{written}", "    ") if written else head


def _parts(node: Admonition) -> tuple[AdmonitionTitle | None, tuple[Any, ...]]:
    match node.children:
        case (AdmonitionTitle() as title, *blocks):
            return title, tuple(blocks)
        case blocks:
            return None, blocks


def write_title(node: AdmonitionTitle, writing: Any) -> str:
    words = str(writing.line(node.children))
    if words != words.strip():
        raise Unwritable(node, "it has white space at an edge")
    return words


def clean_admonition(node: Admonition) -> Admonition:
    """Return an admonition whose kind and title can be written."""
    title, blocks = _parts(node)
    if title is not None:
        words = " ".join(to_string(title).split())
        blocks = (AdmonitionTitle((Text(words),) if words else ()), *blocks)
    return replace(node, kind=_NEVER_IN_KIND.sub(" ", node.kind).strip() or "note", children=blocks)


ADMONITIONS = extension_of(
    admon_plugin,
    {
        "admonition": TokenNode(
            node=Admonition,
            write=write_admonition,
            holds="flow",
            build=build_admonition,
            clean=clean_admonition,
        ),
        "admonition_title": TokenNode(
            node=AdmonitionTitle, write=write_title, stands_as="part", holds="line"
        ),
    },
    name="admonitions",
    line_starts=(
        LineStart("!", "an admonition", r"!!!(?=.*\S)"),
        LineStart("?", "an admonition", r"\?\?\?(?=.*\S)"),
    ),
)
"""``!!! note`` before indented blocks."""
