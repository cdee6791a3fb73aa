"""Inline tokens become phrasing nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ujsx.errors import MdastError
from ujsx.mdast._nodes import (
    Break,
    Build,
    Delete,
    Emphasis,
    FootnoteReference,
    Html,
    Image,
    ImageReference,
    InlineCode,
    Link,
    LinkReference,
    Node,
    PhrasingContent,
    Position,
    Strong,
    Text,
)
from ujsx.mdast.from_markdown._source import MAX_DEPTH, decode

if TYPE_CHECKING:
    from markdown_it.token import Token

# The text that stands for an image: what its description says, without markup.


def alternative(nodes: Sequence[PhrasingContent]) -> str:
    """Return nodes as plain text.

    >>> from ujsx.mdast import Emphasis, Text
    >>> alternative([Text("a "), Emphasis([Text("dog")])])
    'a dog'
    """
    return "".join(_alternative(node) for node in nodes)


def _alternative(node: PhrasingContent) -> str:
    match node:
        case Text() | InlineCode() | Html():
            return node.value
        case Image() | ImageReference():
            return node.alt or ""
        case Break() | FootnoteReference():
            return ""
        case _:
            children = getattr(node, "children", None)
            if children is not None:
                return alternative(children)
            # of an extension: what is shown of it
            return getattr(node, "alias", None) or getattr(node, "value", None) or ""


Children = list[PhrasingContent]

Locate: TypeAlias = Callable[[int, int], Position]
"""From two offsets in a block's text to a place in the document."""


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


_RUN_IN_FRONT = frozenset({"strong_open", "strong_close"})
"""Tokens that stand for one more character than they are: the inner one of the two at their side."""


_NO_BUILD: Mapping[str, Build] = MappingProxyType({})


def phrasing(
    tokens: Sequence[Token],
    *,
    line: int,
    locate: Locate | None = None,
    build: Mapping[str, Build] = _NO_BUILD,
) -> Children:
    """Return the nodes of a text's tokens; with ``locate``, each has its position.

    ``build`` makes the nodes of tokens of extensions, by the token's type.

    Raises ``MdastError``, which names the ``line``, where spans nest too deep.
    """
    children: Children = []
    outer: list[tuple[Token, Children]] = []
    text: list[Token] = []
    for token in tokens:
        kind = token.type
        if kind in _TEXT:
            if token.content:
                text.append(token)
            continue
        if text:
            children.append(_text(text, locate))
            text.clear()
        if kind in _OPENING or token.nesting == 1:
            outer.append((token, children))
            if len(outer) > MAX_DEPTH:
                raise MdastError(
                    f"line {line}: emphasis, links and the like nested more than {MAX_DEPTH} deep; "
                    "escape their markers, or nest them less"
                )
            children = []
        elif kind in _CLOSING:
            opening, siblings = outer.pop()
            node = _CLOSING[kind](opening.meta, children)
            if locate is not None:
                _place(node, locate, opening, token)
            siblings.append(node)
            children = siblings
        elif token.nesting == -1:
            opening, siblings = outer.pop()
            extended: Any = build[kind](opening, tuple(children))
            if locate is not None:
                _place(extended, locate, opening, token)
            siblings.append(extended)
            children = siblings
        else:
            leaf = _LEAVES.get(kind)
            single: Any = leaf(token) if leaf is not None else build[kind](token, ())
            if locate is not None:
                _place(single, locate, token, token)
            children.append(single)
    if text:
        children.append(_text(text, locate))
    return children


def _text(tokens: list[Token], locate: Locate | None) -> Text:
    value = "".join([token.content for token in tokens])
    if locate is None:
        return Text(value)
    return Text(value, position=locate(_start(tokens[0]), _end(tokens[-1])))


def _place(node: Node, locate: Locate, opening: Token, closing: Token) -> None:
    """Give a node that is being made its position, and a link's text its own where it is its address."""
    start, end = _start(opening), _end(closing)
    msgspec.structs.force_setattr(node, "position", locate(start, end))
    if opening.type == "literal_link":
        angle = (end - start - len(opening.content)) // 2
        text: Node = getattr(node, "children")[0]  # noqa: B009 - not each kind has some
        msgspec.structs.force_setattr(text, "position", locate(start + angle, end - angle))


def _start(token: Token) -> int:
    assert token.map is not None
    return token.map[0] - (token.type in _RUN_IN_FRONT)


def _end(token: Token) -> int:
    assert token.map is not None
    return token.map[1] + (token.type in _RUN_IN_FRONT)


# Destinations, titles and definitions (CommonMark 4.7 and 6.3): what they look like in a text.

MAX_LABEL = 999
"""How long a label may be, in characters (CommonMark 4.7)."""

MAX_PARENTHESES = 32
"""How deep parentheses may nest in a destination without brackets (as cmark has it)."""

_ENCLOSED = re.compile(r"<((?:[^\\<>\n]|\\[^\n])*+)>")
_RAW = re.compile(r"(?:[^\\()\x00-\x20\x7f]|\\[!-/:-@\[-`{-~]?)++")
_TITLE = re.compile(
    r"""[ \t\n]++(?:"((?:[^\\"]|\\.)*+)"|'((?:[^\\']|\\.)*+)'|\(((?:[^\\()]|\\.)*+)\))""",
    re.DOTALL,
)
_LABEL = re.compile(r"[ \t]*\[((?:[^\\\[\]]|\\.)++)\]:[ \t\n]*+", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:\n|\Z)")
_INDENT_AFTER_LINE_END = re.compile(r"\n[ \t]+")


def match_destination(text: str, at: int) -> tuple[str, int] | None:
    """Match ``<url>`` or ``url`` at ``at``: the decoded URL and where it ends.

    >>> match_destination("a(b)c) d", 0)
    ('a(b)c', 5)
    """
    if text.startswith("<", at):
        match = _ENCLOSED.match(text, at)
        return None if match is None else (decode(match[1]), match.end())
    end = at
    depth = 0
    while True:
        if match := _RAW.match(text, end):
            end = match.end()
        character = text[end : end + 1]
        if character == "(" and depth < MAX_PARENTHESES:
            depth += 1
        elif character == ")" and depth > 0:
            depth -= 1
        else:
            break
        end += 1
    if depth > 0 or end == at:
        return None
    return decode(text[at:end]), end


def match_title(text: str, at: int) -> tuple[str, int] | None:
    """Match white space and a quoted title at ``at``: the decoded title and where it ends.

    >>> match_title(' "a"', 0)
    ('a', 4)
    """
    match = _TITLE.match(text, at)
    if match is None:
        return None
    title = match[match.lastindex or 0]
    return decode(_INDENT_AFTER_LINE_END.sub("\n", title)), match.end()


def match_definition(text: str, at: int) -> tuple[int, str, str, str | None] | None:
    """Match a definition at ``at``: where it ends, its label as written, its URL and title.

    >>> match_definition('[a]: <b c> "d"', 0)
    (14, 'a', 'b c', 'd')
    """
    match = _LABEL.match(text, at)
    if match is None or len(match[1]) > MAX_LABEL or not match[1].strip(" \t\n"):
        return None
    found = match_destination(text, match.end())
    if found is None:
        return None
    url, end = found
    if titled := match_title(text, end):
        title, after = titled
        if rest := _REST_OF_LINE.match(text, after):
            return rest.end(), match[1], url, title
    # A title that something follows is no title; where it began a line, it is the next text.
    if rest := _REST_OF_LINE.match(text, end):
        return rest.end(), match[1], url, None
    return None
