"""Inline tokens become phrasing nodes: a builder per kind of token, in three tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast._nodes import (
    Break,
    Delete,
    Emphasis,
    FootnoteReference,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    PhrasingContent,
    Strong,
    Text,
)

from ._alternative import alternative
from ._source import MAX_DEPTH

Children = list[PhrasingContent]


def _link(meta: dict[str, Any], children: Children) -> PhrasingContent:
    if "url" in meta:
        return Link(meta["url"], meta["title"], tuple(children))
    return LinkReference(**meta, children=tuple(children))


def _image(meta: dict[str, Any], children: Children) -> PhrasingContent:
    alt = alternative(children)
    if "url" in meta:
        return Image(meta["url"], meta["title"], alt)
    return ImageReference(**meta, alt=alt)


_LEAVES: dict[str, Callable[[Token], PhrasingContent]] = {
    "code_inline": lambda token: InlineCode(token.content),
    "html_inline": lambda token: Html(token.content),
    "hardbreak": lambda _: Break(),
    "literal_link": lambda token: Link(token.meta["url"], children=(Text(token.content),)),
    "footnote_call": lambda token: FootnoteReference(**token.meta),
}
"""Tokens that are a node of their own."""

_TEXT = frozenset({"text", "text_special"})
"""Tokens that are text; a special one was written as an escape or a reference."""

_OPENING = frozenset({"em_open", "strong_open", "s_open", "link_open", "image_open"})
"""Tokens that start a node; what follows is its content."""

_CLOSING: dict[str, Callable[[dict[str, Any], Children], PhrasingContent]] = {
    "em_close": lambda _, children: Emphasis(tuple(children)),
    "strong_close": lambda _, children: Strong(tuple(children)),
    "s_close": lambda _, children: Delete(tuple(children)),
    "link_close": _link,
    "image_close": _image,
}
"""Tokens that end a node: what to build of the opening token's meta and the content."""


def phrasing(tokens: Sequence[Token], *, line: int) -> Children:
    """Return the nodes of a text's tokens.

    Raises ``MdastError``, which names the ``line``, where spans nest too deep.
    """
    children: Children = []
    outer: list[tuple[dict[str, Any], Children]] = []
    parts: list[str] = []
    for token in tokens:
        kind = token.type
        if kind in _TEXT:
            if token.content:
                parts.append(token.content)
            continue
        if parts:
            children.append(Text("".join(parts)))
            parts.clear()
        if kind in _OPENING:
            outer.append((token.meta, children))
            if len(outer) > MAX_DEPTH:
                raise MdastError(
                    f"line {line}: emphasis, links and the like nested more than {MAX_DEPTH} deep; "
                    "escape their markers, or nest them less"
                )
            children = []
        elif kind in _CLOSING:
            meta, siblings = outer.pop()
            siblings.append(_CLOSING[kind](meta, children))
            children = siblings
        else:
            children.append(_LEAVES[kind](token))
    if parts:
        children.append(Text("".join(parts)))
    return children
