"""The default engine: markdown-it-py with additional rules for mdast, and the conversion of its tokens to a tree.

``parse_blocks`` returns markdown-it's block tokens. Text within blocks is parsed later by the builders, so that no
block's inline tokens outlive its node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, cast

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast import _nodes as m
from ujsx.mdast._nodes import ALERT, MARK, Build, Extension, Node, Root
from ujsx.mdast.from_markdown._block_rules import (
    DEEP_MARKER,
    BlockParser,
    Cell,
    content,
    footnote_definition,
    heading,
    html_block,
    quote,
    table,
    thematic_break,
)
from ujsx.mdast.from_markdown._inline_rules import (
    InlineParser,
    InlineRule,
    autolink,
    close,
    code,
    escape,
    html,
    newline,
    open_image,
    open_link,
    reference,
    stars,
    tildes,
)
from ujsx.mdast.from_markdown._source import (
    ASCII_PUNCTUATION,
    MAX_DEPTH,
    SPACES,
    ContentPlaces,
    MarkdownSource,
    alternative,
    in_lines,
    in_one_line,
    lang_and_meta,
)

_INLINE_RULES: dict[str, tuple[InlineRule, ...]] = {
    "\n": (newline,),
    "\\": (escape,),
    "`": (code,),
    "*": (stars,),
    "_": (stars,),
    "[": (open_link,),
    "!": (open_image,),
    "]": (close,),
    "<": (autolink, html),
    "&": (reference,),
}


_BLOCK_RULES = ["code", "fence", "blockquote", "hr", "list", "html_block", "heading", "paragraph"]
"""The rules of markdown-it that stay, some of them replaced."""


@lru_cache(maxsize=32)
def parser(*, gfm: bool, frontmatter: bool, extensions: tuple[Extension, ...] = ()) -> MarkdownIt:
    """Return the parser for a dialect, built once."""
    md = MarkdownIt("commonmark")
    md.block = block = BlockParser(frontmatter=frontmatter)
    ruler = block.ruler
    ruler.enableOnly(_BLOCK_RULES)
    in_paragraphs = ["paragraph", "reference"]
    in_quotes = [*in_paragraphs, "blockquote"]
    in_lists = [*in_quotes, "list"]
    ruler.at("hr", thematic_break, {"alt": in_lists})
    ruler.at("blockquote", quote, {"alt": in_lists})
    ruler.at("html_block", html_block, {"alt": in_quotes})
    ruler.at("heading", heading, {"alt": in_quotes})
    ruler.at("paragraph", content)
    rules = dict(_INLINE_RULES)
    if gfm:
        footnote = "footnote_definition"
        ruler.before("paragraph", "gfm_table", table, {"alt": in_paragraphs})
        ruler.before("html_block", footnote, footnote_definition, {"alt": in_lists})
        rules["~"] = (tildes,)
    for extension in extensions:
        _extend(md, rules, extension)
    md.inline = InlineParser(rules, literals=gfm)
    return md


def _extend(md: MarkdownIt, rules: dict[str, tuple[InlineRule, ...]], extension: Extension) -> None:
    """Add an extension's rules; inline ones precede the others."""
    for character, rule in extension.inline.items():
        rules[character] = (_not_silent(rule), *rules.get(character, ()))
    for reader in extension.blocks:
        alternatives = list(reader.interrupts)
        md.block.ruler.before(reader.before, reader.name, reader.rule, {"alt": alternatives})
    if extension.plugin is not None:
        _use(md, rules, extension.plugin, extension)


def _not_silent(rule: Callable[[Any, bool], bool]) -> InlineRule:
    return lambda state: rule(state, False)


def _use(
    md: MarkdownIt,
    rules: dict[str, tuple[InlineRule, ...]],
    plugin: Callable[[Any], None],
    extension: Extension,
) -> None:
    """Add a plugin's rules: inline ones are tried at the same characters as in markdown-it."""
    known = {id(rule) for ruler in (md.block.ruler, md.inline.ruler) for rule in ruler.__rules__}
    plugin(md)
    for rule in md.block.ruler.__rules__:
        if id(rule) not in known:
            rule.enabled = rule.name not in extension.without
            rule.fn = _block_rule(rule.fn, extension)
    md.block.ruler.enable([])  # what is compiled of the rules before is forgotten
    added = [
        _inline_rule(rule.fn, extension.name)
        for rule in md.inline.ruler.__rules__
        if id(rule) not in known and rule.name not in extension.without
    ]
    characters = re.sub(r"\\(.)", r"\1", md.inline.terminator_re.pattern[1:-1], flags=re.DOTALL)
    for character in characters if added else "":
        rules[character] = (*added, *rules.get(character, ()))


def _block_rule(rule: Callable[..., bool], extension: Extension) -> Callable[..., bool]:
    plugin = extension.name

    def read(state: Any, start_line: int, end_line: int, silent: bool) -> bool:
        known = len(state.tokens)
        try:
            is_read = rule(state, start_line, end_line, silent)
        except _PLUGIN_FAULTS as error:
            raise _failed(plugin, error, f"line {start_line + 1}: ") from error
        if is_read and not silent:
            _complete(state, known, start_line, plugin)
            for token in state.tokens[known:]:
                if token.type in extension.build and "\n" in token.content:
                    lines = range(*state.tokens[known].map)
                    token.content = _without_containers(state, token.content, lines)
        return is_read

    return read


def _complete(state: Any, known: int, start_line: int, plugin: str) -> None:
    """Give the first token of a plugin's block what each first token has: all of its lines, and room for its place."""
    if len(state.tokens) == known:
        raise _loses(plugin, f"line {start_line + 1}: ")
    token = state.tokens[known]
    end = state.line
    while end > start_line + 1 and state.isEmpty(end - 1):
        end -= 1
    token.map = [start_line, max(end, start_line + 1)]
    if token.meta.__class__ is not dict:
        token.meta = {"value": token.meta}


def _without_containers(state: Any, content: str, lines: range) -> str:
    """Return what a plugin took from a block's lines without what containers put before them: marks, indentation."""
    parts = content.split("\n")
    bare = [state.getLines(line, line + 1, state.blkIndent, False) for line in lines]
    behind_quotes = [state.src[state.bMarks[line] : state.eMarks[line]] for line in lines]
    ends = [state.eMarks[line] for line in lines]
    whole = [state.src[state.src.rfind("\n", 0, end) + 1 : end] for end in ends]
    for taken in (behind_quotes, whole):
        for first in range(len(taken) - len(parts) + 1):
            start, *between, end = taken[first : first + len(parts)]
            if start.endswith(parts[0]) and between == parts[1:-1] and end.startswith(parts[-1]):
                cut = bare[first + 1 : first + len(parts)]
                cut[-1] = cut[-1][: max(0, len(cut[-1]) - len(end) + len(parts[-1]))]
                return "\n".join([parts[0], *cut])
    return content


def _inline_rule(rule: Callable[[Any, bool], bool], plugin: str) -> InlineRule:
    def read(state: Any, silent: bool = False) -> bool:
        if state.src[state.pos] not in ASCII_PUNCTUATION and _is_behind_backslash(state):
            return False  # to markdown-it, a backslash takes what it does not escape with it
        known = len(state.tokens), state.pending
        try:
            is_read = rule(state, silent)
        except _PLUGIN_FAULTS as error:
            raise _failed(plugin, error) from error
        if is_read and not silent and known == (len(state.tokens), state.pending):
            raise _loses(plugin)
        return is_read

    read.looks_ahead = True  # type: ignore[attr-defined]
    return read


def _loses(plugin: str, where: str = "") -> MdastError:
    return MdastError(
        f"{where}{plugin} consumes text without making a token, so the text would be lost; leave its rule "
        "out, with without=[…]"
    )


def _is_behind_backslash(state: Any) -> bool:
    start: int = state.pos
    end = start
    while start and state.src[start - 1] == "\\":
        start -= 1
    return (end - start) % 2 == 1


_PLUGIN_FAULTS = (LookupError, ValueError, TypeError, AttributeError)


def _failed(plugin: str, error: Exception, where: str = "") -> MdastError:
    if isinstance(error, MdastError):
        return error
    return MdastError(
        f"{where}the plugin of {plugin} failed: {type(error).__name__}: {error}; report it to its authors"
    )


def environment(*, gfm: bool, places: bool = False) -> dict[str, Any]:
    """Return the shared environment of one parse; ``places`` is whether inline tokens have places."""
    return {
        "definitions": set(),
        "footnote_labels": set(),
        "gfm": gfm,
        "deep_markers": True,
        "tabs": True,
        "places": places,
        "label": False,
    }


def parse_blocks(text: str, md: MarkdownIt, env: dict[str, Any]) -> list[Token]:
    """Return the block tokens of a prepared text."""
    env["deep_markers"] = DEEP_MARKER.search(text) is not None
    env["tabs"] = "\t" in text
    tokens: list[Token] = []
    md.block.parse(text, md, env, tokens)
    return _with_whole_lists(tokens)


def _with_whole_lists(tokens: list[Token]) -> list[Token]:
    """Join lists that follow each other and have the same marker, as such lists are one.

    markdown-it ends a list at an empty item that two blank lines follow.
    """
    inner = {
        place + each
        for place, (closing, opening) in enumerate(pairwise(tokens))
        if opening.type in _LISTS
        and closing.type == _LISTS[opening.type]
        and closing.markup == opening.markup
        for each in (0, 1)
    }
    return [token for place, token in enumerate(tokens) if place not in inner] if inner else tokens


_LISTS = {f"{kind}_list_open": f"{kind}_list_close" for kind in ("bullet", "ordered")}


# Inline tokens become phrasing nodes.

Children = list[m.PhrasingContent]

Locate: TypeAlias = Callable[[int, int], m.Position]
"""From two offsets in a block's text to a place in the document."""


def _link(meta: dict[str, Any], children: Children) -> m.PhrasingContent:
    if "url" in meta:
        return m.Link(meta["url"], meta["title"], tuple(children))
    return m.LinkReference(**meta, children=tuple(children))


def _image(meta: dict[str, Any], children: Children) -> m.PhrasingContent:
    alt = alternative(children)
    if "url" in meta:
        return m.Image(meta["url"], meta["title"], alt)
    return m.ImageReference(**meta, alt=alt)


_LEAVES: dict[str, Callable[[Token], m.PhrasingContent]] = {
    "code_inline": lambda token: m.InlineCode(token.content),
    "html_inline": lambda token: m.Html(token.content),
    "hardbreak": lambda _: m.Break(),
    "literal_link": lambda token: m.Link(token.meta["url"], children=(m.Text(token.content),)),
    "footnote_call": lambda token: m.FootnoteReference(**token.meta),
}
"""Tokens that are a node of their own."""

_TEXT = frozenset({"text", "text_special"})
"""Tokens that are text; a special one was written as an escape or a reference."""

_OPENING = frozenset({"em_open", "strong_open", "s_open", "link_open", "image_open"})
"""Tokens that start a node, followed by its content."""

_CLOSING: dict[str, Callable[[dict[str, Any], Children], m.PhrasingContent]] = {
    "em_close": lambda _, children: m.Emphasis(tuple(children)),
    "strong_close": lambda _, children: m.Strong(tuple(children)),
    "s_close": lambda _, children: m.Delete(tuple(children)),
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
        elif kind in _CLOSING or token.nesting == -1:
            opening, siblings = outer.pop()
            close = _CLOSING.get(kind)
            node: Any = (
                build[kind](opening, tuple(children))
                if close is None
                else close(opening.meta, children)
            )
            if locate is not None:
                _place(node, locate, opening, token)
            siblings.append(node)
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


def _text(tokens: list[Token], locate: Locate | None) -> m.Text:
    value = "".join([token.content for token in tokens])
    if locate is None:
        return m.Text(value)
    first: Any = tokens[0].map
    last: Any = tokens[-1].map
    return m.Text(value, position=locate(first[0], last[1]))


def _place(node: Node, locate: Locate, opening: Token, closing: Token) -> None:
    """Give a node that is being made its position, and a link's text its own where it is its address."""
    first: Any = opening.map
    last: Any = closing.map
    start = first[0] - (opening.type in _RUN_IN_FRONT)
    end = last[1] + (closing.type in _RUN_IN_FRONT)
    msgspec.structs.force_setattr(node, "position", locate(start, end))
    if opening.type == "literal_link":
        angle = (end - start - len(opening.content)) // 2
        text: Node = getattr(node, "children")[0]  # noqa: B009 - not each kind has some
        msgspec.structs.force_setattr(text, "position", locate(start + angle, end - angle))


# Tables: rows of cells, whose text is phrasing.


def build_table(builder: Builder, token: Token) -> m.Table:
    """Return a table; a row has the cells that were written, be they fewer or more than the head's."""
    rows = tuple(_row(builder, cells) for cells in token.meta["rows"])
    return m.Table(tuple(token.meta["align"]), rows, position=builder.position(token))


def _row(builder: Builder, cells: list[Cell]) -> m.TableRow:
    return m.TableRow(
        tuple(_cell(builder, cell) for cell in cells),
        position=builder.source.position(cells[0].start, cells[-1].end),
    )


def _cell(builder: Builder, cell: Cell) -> m.TableCell:
    tokens = builder.inline_tokens(cell.text)
    for token in tokens:
        if token.type == "code_inline" or token.type in builder.build:
            token.content = _ESCAPED_PIPE.sub(r"\1", token.content)
    position = builder.source.position(cell.start, cell.end)
    locate = None
    if builder.places:
        text = builder.source.text
        start = cell.start + (text[cell.start] == "|")
        while start < cell.end and text[start] in SPACES:
            start += 1
        locate = in_one_line(builder.source, start).position
    children = phrasing(tokens, line=position.start.line, locate=locate, build=builder.build)
    return m.TableCell(tuple(children), position=position)


_ESCAPED_PIPE = re.compile(r"(\\\\)|\\(?=\|)")
"""A backslash before a pipe is the table's, even in code; a pair of them escapes nothing there."""


# Block tokens become flow nodes: a builder per kind of token, in two tables.


def _paragraph(builder: Builder, token: Token) -> m.Paragraph:
    return m.Paragraph(tuple(builder.phrasing(token)), position=builder.position(token))


_DEPTHS: dict[str, Literal[1, 2, 3, 4, 5, 6]] = {
    "=": 1,
    "-": 2,
    "#": 1,
    "##": 2,
    "###": 3,
    "####": 4,
    "#####": 5,
    "######": 6,
}


def _heading(builder: Builder, token: Token) -> m.Heading:
    depth, children = _DEPTHS[token.markup], tuple(builder.phrasing(token))
    return m.Heading(depth, children, position=builder.position(token))


def _fence(builder: Builder, token: Token) -> m.Code:
    assert token.map is not None
    lines = token.map[1] - token.map[0]
    closed = token.content.count("\n") == lines - 2 or not builder.reaches_end(token)
    return m.Code(
        token.content.removesuffix("\n"),
        *lang_and_meta(token.info),
        position=builder.position(token) if closed else builder.to_end(token),
    )


def _html(builder: Builder, token: Token) -> m.Html:
    content = token.content
    if builder.reaches_end(token) and any(
        opening.match(content) and not closing.search(content) for opening, closing in _OPEN_HTML
    ):
        return m.Html(content, position=builder.to_end(token))
    return m.Html(content.removesuffix("\n"), position=builder.position(token))


_OPEN_HTML = tuple(
    (re.compile(rf" *{opening}", re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in (
        (r"<(?:script|pre|style|textarea)(?=[ \t\n>])", r"</(?:script|pre|style|textarea)>"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<!\[CDATA\[", r"\]\]>"),
        (r"<![a-z]", r">"),
    )
)
"""The starts and ends of HTML that a blank line does not end (CommonMark 4.6, 1 to 5)."""


def _definition(builder: Builder, token: Token) -> m.Definition:
    meta = token.meta
    key, url, label, title = meta["identifier"], meta["url"], meta["label"], meta["title"]
    return m.Definition(key, url, label, title, position=builder.position(token))


def _quote(builder: Builder, token: Token, children: list[m.FlowContent]) -> m.Blockquote:
    return m.Blockquote(
        tuple(children), position=builder.quote_position(token), data=_alert(builder, children)
    )


def _alert(builder: Builder, children: list[m.FlowContent]) -> dict[str, Any] | None:
    """Return what says that a quote is an alert: its source does, and no backslash takes it back."""
    match children:
        case [
            m.Paragraph(children=(m.Text(), *_), position=m.Position(start=m.Point(line, column))),
            *_,
        ]:
            # An offset is one of the original, which may have other line ends than the source's text.
            mark = MARK.match(builder.source.text, builder.source.starts[line - 1] + column - 1)
            return {ALERT: mark[1]} if mark else None
        case _:
            return None


def _item(builder: Builder, token: Token, children: list[m.FlowContent]) -> m.ListItem:
    return m.ListItem(
        token.meta.get("checked"),
        _spread(children),
        tuple(children),
        position=builder.spanning(token, children),
    )


def _list(builder: Builder, token: Token, children: list[m.ListItem]) -> m.List:
    ordered = token.type == "ordered_list_open"
    start = cast("int", token.attrs.get("start", 1)) if ordered else None
    return m.List(
        ordered,
        start,
        _spread(children),
        tuple(children),
        position=builder.spanning(token, children),
    )


def _spread(children: Sequence[Node]) -> bool:
    """Return whether a blank line stands between any two children."""
    return any(
        before.position is not None
        and after.position is not None
        and after.position.start.line - before.position.end.line > 1
        for before, after in pairwise(children)
    )


def _footnote(
    builder: Builder, token: Token, children: list[m.FlowContent]
) -> m.FootnoteDefinition:
    return m.FootnoteDefinition(
        token.meta["identifier"],
        token.meta["label"],
        tuple(children),
        position=builder.spanning(token, children),
    )


LEAVES: dict[str, Callable[[Builder, Token], m.RootContent]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "hr": lambda builder, token: m.ThematicBreak(position=builder.position(token)),
    "code_block": lambda builder, token: m.Code(
        token.content.removesuffix("\n"), position=builder.position(token)
    ),
    "fence": _fence,
    "html_block": _html,
    "definition": _definition,
    "table": build_table,
    "front_matter": lambda builder, token: m.Yaml(token.content, position=builder.position(token)),
}
"""Tokens that are a node of their own."""

CONTAINERS: dict[str, Callable[[Builder, Token, list[Any]], m.FlowContent | m.ListItem]] = {
    "blockquote_close": _quote,
    "bullet_list_close": _list,
    "ordered_list_close": _list,
    "list_item_close": _item,
    "footnote_close": _footnote,
}
"""Tokens that end a node: what to build of the opening token and the children."""


_QUOTE_MARKERS = f"{SPACES}>"


class _Builds(dict[str, Build]):
    """The functions that make nodes of the tokens of extensions, by the token's type."""

    def __missing__(self, kind: str) -> Build:
        if kind == "paragraph_close":  # a plugin may push one of its own
            return lambda _, children: m.Paragraph(children)
        token = kind.removesuffix("_close")
        raise MdastError(
            f"no extension says what node the token {token!r} becomes; add a row for it to nodes="
        )


class Builder:
    """The builder of a tree, with its source: the places of blocks, and their text."""

    def __init__(
        self,
        text: str,
        *,
        gfm: bool,
        frontmatter: bool,
        places: bool = False,
        extensions: tuple[Extension, ...] = (),
    ) -> None:
        self.extensions = extensions
        self.source = MarkdownSource(text)
        self.gfm = gfm
        self.md: MarkdownIt = parser(gfm=gfm, frontmatter=frontmatter, extensions=extensions)
        self.build = _Builds(
            {kind: build for each in extensions for kind, build in each.build.items()}
        )
        """The functions that create nodes from extensions' tokens."""
        self.change = {kind: change for each in extensions for kind, change in each.change.items()}
        """The functions that convert blocks after reading."""
        self.env = environment(gfm=gfm, places=places)
        self.places = places
        """Whether inline nodes get positions too."""
        self.quotes = 0
        """The number of block quotes around the current block."""

    def root(self) -> Root:
        """Return the document."""
        source = self.source
        children: list[Any] = []
        outer: list[tuple[Token, list[Any]]] = []
        for token in parse_blocks(source.text, self.md, self.env):
            kind = token.type
            if (leaf := LEAVES.get(kind)) is not None:
                children.append(leaf(self, token))
            elif token.nesting > 0:
                outer.append((token, children))
                children = []
                self.quotes += kind == "blockquote_open"
            elif token.nesting < 0:
                self.quotes -= kind == "blockquote_close"
                opening, siblings = outer.pop()
                siblings.append(self._container(kind, opening, children))
                children = siblings
            elif kind == "inline":
                children.extend(self.phrasing(token))
            else:
                made = self.build[kind](token, ())
                in_place = self.position if "start" in token.meta else self._extended_position
                msgspec.structs.force_setattr(made, "position", in_place(token))
                children.append(made)
        return Root(children=tuple(children), position=source.position(0, len(source.text)))

    def _container(self, kind: str, opening: Token, children: list[Any]) -> Node:
        make = CONTAINERS.get(kind)
        if make is None:
            made = self.build[kind](opening, tuple(children))
            position = self._extended_position(opening, children)
            msgspec.structs.force_setattr(made, "position", position)
            return made
        node = make(self, opening, children)
        if self.change and type(node) in self.change:
            return self.change[type(node)](node)
        return node

    def _extended_position(self, opening: Token, children: Sequence[Node] = ()) -> m.Position:
        """Return where an extension's node stands: to the end of its lines, if its rule tells them."""
        assert opening.map is not None
        first, last = opening.map
        start = opening.meta.get("start")
        inner = children[-1].position if children else None
        if start is None:  # a rule of a plugin: behind what containers put before the line
            if children and children[0].position is not None:
                first = children[0].position.start.line - 1
            line = self.source.line(first)
            start = self.source.starts[first] + len(line) - len(line.lstrip(_QUOTE_MARKERS))
            last = first + 1
        while last > first + 1 and not self.source.line(last - 1).strip(_QUOTE_MARKERS):
            last -= 1
        position = self.source.position(start, self.source.line_end(max(last, first + 1) - 1))
        if inner is not None and inner.end.line > position.end.line:
            return m.Position(position.start, inner.end)
        return position

    def phrasing(self, token: Token) -> Children:
        """Return the nodes of a paragraph's or heading's text."""
        assert token.map is not None
        self.env["label"] = "label" in token.meta  # in brackets, where an address is no link
        tokens = self.inline_tokens(token.content)
        self.env["label"] = False
        locate = self._places(token).position if self.places else None
        return phrasing(tokens, line=token.map[0] + 1, locate=locate, build=self.build)

    def _places(self, token: Token) -> ContentPlaces:
        """Return the places of a paragraph's or heading's text."""
        assert token.map is not None
        if token.type == "inline" and "start" in token.meta:
            return in_one_line(self.source, token.meta["start"])
        if token.markup[:1] == "#":
            start = token.meta["start"] + len(token.markup)
            while self.source.text[start : start + 1] in {" ", "\t"}:
                start += 1
            return in_one_line(self.source, start)
        last = max(token.map[0], token.map[1] - (2 if token.type == "heading" else 1))
        return in_lines(self.source, token.content, last)

    def inline_tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text."""
        tokens: list[Token] = []
        self.md.inline.parse(text, self.md, self.env, tokens)
        return tokens

    def position(self, token: Token) -> m.Position:
        """Return the position of a block without content."""
        start = token.meta["start"]
        assert token.map is not None
        return self.source.position(start, self.source.line_end(token.map[1] - 1))

    def quote_position(self, token: Token) -> m.Position:
        """Return the position of a quote; markdown-it includes blank lines after an empty one.

        A line that has only the markers of quotes around it is blank as well.
        """
        assert token.map is not None
        start, line = token.meta["start"], token.map[1]
        while not self.source.line(line - 1).strip(_QUOTE_MARKERS) and (
            self.source.line(line - 1).count(">") <= self.quotes
        ):
            line -= 1
        return self.source.position(start, self.source.line_end(line - 1))

    def reaches_end(self, token: Token) -> bool:
        """Return whether a block that nothing closes takes the text's last line end too."""
        assert token.map is not None
        return (
            not self.quotes
            and self.source.text.endswith("\n")
            and token.map[1] == len(self.source.starts) - 1
        )

    def to_end(self, token: Token) -> m.Position:
        """Return the position of a block that reaches the text's end."""
        return self.source.position(token.meta["start"], len(self.source.text))

    def spanning(self, token: Token, children: Sequence[Node]) -> m.Position:
        """Return the position of a container: it ends with its last child, or with its marker."""
        last = children[-1].position if children else None
        start = token.meta["start"]
        if last is not None:
            return m.Position(self.source.point(start), last.end)
        assert token.map is not None
        return self.source.position(start, self.source.line_end(token.map[0]))
