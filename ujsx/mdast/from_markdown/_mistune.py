"""The second engine: mistune's tokens, converted to the same nodes as far as possible.

mistune has no positions, encodes the URLs of autolinks and resolves references; where its trees
differ from those of the default engine is listed in ``docs/look-up/mistune.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from re import Match
from typing import Any

from mistune import BlockParser, BlockState, InlineParser, InlineState, Markdown
from mistune.plugins import import_plugin

from ujsx.mdast import _nodes as mdast
from ujsx.mdast._nodes import ALERT, MARK, kind_of
from ujsx.mdast.from_markdown._source import (
    MarkdownSource,
    alternative,
    decode,
    decode_references,
    identifier,
    lang_and_meta,
    match_definition,
    match_front_matter,
    match_resource,
)

Data = dict[str, Any]
"""A token of mistune's."""

MAX_NESTED_LEVEL = 50
"""The maximum nesting of mistune, which recurses several times per level, and leaves deeper content as text."""

_PLUGINS = (
    "strikethrough",
    "table",
    "mistune.plugins.table.table_in_quote",
    "mistune.plugins.table.table_in_list",
    "task_lists",
    "footnotes",
    "url",
)


class _Blocks(BlockParser):
    """mistune's block parser, with a token for each definition, and info strings as they are written."""

    def parse_fenced_code(self, m: Match[str], state: BlockState) -> int | None:
        end = super().parse_fenced_code(m, state)
        if end and m["fenced_3"]:
            state.tokens[-1]["info"] = m["fenced_3"]
        return end

    def parse_ref_link(self, m: Match[str], state: BlockState) -> int | None:
        last = state.last_token()
        end = super().parse_ref_link(m, state)
        if end and not (last and last["type"] == "paragraph"):
            found = match_definition(state.src, m.start())
            if found is not None:
                state.append_token({"type": "definition", "found": found})
        return end


class _Inline(InlineParser):
    """mistune's inline parser, with destinations and titles as they are written.

    mistune removes the backslash of an escaped ``&``, so that it could not be told from that of a reference.
    """

    def parse_link_close(self, m: Match[str], state: InlineState) -> int:
        end = super().parse_link_close(m, state)
        last = state.tokens[-1] if state.tokens else {}
        if last.get("type") in ("link", "image") and "ref" not in last and end > m.end():
            found = match_resource(state.src, m.end())
            if found is not None and found[1] == end:
                last["attrs"] = found[0]
        return end


PLUGINS = {"math": "math", "definition-lists": "def_list"}
"""The extensions that mistune also supports, with its plugins."""


@cache
def _parser(gfm: bool, extensions: tuple[str, ...]) -> Markdown:
    names = (*(_PLUGINS if gfm else ()), *[PLUGINS[each] for each in extensions])
    return Markdown(
        renderer=None,
        block=_Blocks(max_nested_level=MAX_NESTED_LEVEL),
        inline=_Inline(max_nested_level=MAX_NESTED_LEVEL),
        plugins=[import_plugin(name) for name in names],
    )


def parse(
    text: str, *, gfm: bool, frontmatter: bool, extensions: tuple[str, ...] = ()
) -> mdast.Root:
    """Return the tree of a document."""
    text = MarkdownSource(text).text
    children: list[Any] = []
    if frontmatter and (match := match_front_matter(text)):
        children.append(mdast.Yaml(match[1] or ""))
        text = text[match.end() :]
    tokens = _parser(gfm, extensions)(text)
    return mdast.Root((*children, *_nodes(tokens)))


def _nodes(tokens: Iterable[Any]) -> tuple[Any, ...]:
    """Return the nodes of tokens, neighbouring texts joined."""
    nodes: list[mdast.Node] = []
    for token in tokens:
        for node in _BUILDERS[token["type"]](token):
            last = nodes[-1] if nodes else None
            if isinstance(node, mdast.Text) and isinstance(last, mdast.Text):
                nodes[-1] = mdast.Text(last.value + node.value)
            else:
                nodes.append(node)
    return tuple(nodes)


def _children(token: Data) -> tuple[Any, ...]:
    return _nodes(token["children"])


def _reference(token: Data) -> tuple[str, str, mdast.ReferenceType]:
    """Return what a resolved reference still says: whether it was collapsed, it does not."""
    label = token["label"]
    own = alternative(_children(token)) == decode(label)
    return identifier(label), decode(label), "shortcut" if own else "full"


def _link(token: Data) -> Iterable[mdast.Node]:
    attrs = token["attrs"]
    if "ref" in token:
        yield mdast.LinkReference(*_reference(token), _children(token))
    else:
        yield mdast.Link(attrs["url"], attrs.get("title"), _children(token))


def _image(token: Data) -> Iterable[mdast.Node]:
    attrs = token["attrs"]
    alt = alternative(_children(token))
    if "ref" in token:
        yield mdast.ImageReference(*_reference(token), alt)
    else:
        yield mdast.Image(attrs["url"], attrs.get("title"), alt)


def _code(token: Data) -> Iterable[mdast.Node]:
    yield mdast.Code(token["raw"].removesuffix("\n"), *lang_and_meta(token.get("info", "")))


def _list(token: Data) -> Iterable[mdast.Node]:
    attrs = token["attrs"]
    ordered = attrs["ordered"]
    start = attrs.get("start", 1) if ordered else None
    items: tuple[mdast.ListItem, ...] = _children(token)
    # mistune calls a list loose for a blank line within an item, too: then that is taken for it.
    spread = not token["tight"] and not any(item.spread for item in items)
    yield mdast.List(ordered, start, spread, items)


def _item(token: Data) -> Iterable[mdast.Node]:
    tokens = token["children"]
    kinds = [child["type"] for child in tokens]
    while kinds and kinds[-1] == "blank_line":
        kinds.pop()
    checked = token.get("attrs", {}).get("checked")
    yield mdast.ListItem(checked, "blank_line" in kinds, _nodes(tokens))


def _quote(token: Data) -> Iterable[mdast.Node]:
    match token["children"]:
        case [{"type": "paragraph", "children": [{"type": "text", "raw": raw}, *_]}, *_]:
            mark = MARK.match(raw)  # an escaped bracket is a text of its own
        case _:
            mark = None
    yield mdast.Blockquote(_children(token), data={ALERT: mark[1]} if mark else None)


def _table(token: Data) -> Iterable[mdast.Node]:
    head, body = token["children"]
    align = [cell["attrs"]["align"] for cell in head["children"]]
    rows = [head, *body["children"]]
    yield mdast.Table(tuple(align), tuple(mdast.TableRow(_nodes(row["children"])) for row in rows))


def _definition(token: Data) -> Iterable[mdast.Node]:
    _, label, url, title = token["found"]
    yield mdast.Definition(identifier(label), url, decode(label), title)


def _footnotes(token: Data) -> Iterable[mdast.Node]:
    for item in token["children"]:
        key = item["attrs"]["key"].lower()
        yield mdast.FootnoteDefinition(key, decode(key), _children(item))


def _footnote_reference(token: Data) -> Iterable[mdast.Node]:
    key = token["raw"].lower()
    yield mdast.FootnoteReference(key, decode(key))


def _extended(name: str, **fields: Any) -> Iterable[mdast.Node]:
    kind: Any = kind_of(name)
    yield kind(**fields)


_BUILDERS: dict[str, Callable[[Data], Iterable[mdast.Node]]] = {
    "text": lambda token: [mdast.Text(decode_references(token["raw"]))] if token["raw"] else [],
    "softbreak": lambda _: [mdast.Text("\n")],
    "linebreak": lambda _: [mdast.Break()],
    "codespan": lambda token: [mdast.InlineCode(token["raw"])],
    "inline_html": lambda token: [mdast.Html(token["raw"])],
    "emphasis": lambda token: [mdast.Emphasis(_children(token))],
    "strong": lambda token: [mdast.Strong(_children(token))],
    "strikethrough": lambda token: [mdast.Delete(_children(token))],
    "link": _link,
    "image": _image,
    "footnote_ref": _footnote_reference,
    "blank_line": lambda _: [],
    "paragraph": lambda token: [mdast.Paragraph(_children(token))],
    "block_text": lambda token: [mdast.Paragraph(_children(token))],
    "heading": lambda token: [mdast.Heading(token["attrs"]["level"], _children(token))],
    "thematic_break": lambda _: [mdast.ThematicBreak()],
    "block_code": _code,
    "block_html": lambda token: [mdast.Html(token["raw"].rstrip("\n"))],
    "block_quote": _quote,
    "list": _list,
    "list_item": _item,
    "task_list_item": _item,
    "table": _table,
    "table_cell": lambda token: [mdast.TableCell(_children(token))],
    "definition": _definition,
    "footnotes": _footnotes,
    "inline_math": lambda token: _extended("inlineMath", value=token["raw"]),
    "block_math": lambda token: _extended("math", value=token["raw"]),
    "def_list": lambda token: _extended("defList", children=_children(token)),
    "def_list_head": lambda token: _extended("defListTerm", children=_children(token)),
    "def_list_item": lambda token: _extended("defListDescription", children=_children(token)),
}
"""The node for each kind of token."""
