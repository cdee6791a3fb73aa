"""The default engine: markdown-it-py with rules of our own where mdast needs more.

``parse`` returns markdown-it's block tokens. Text within blocks is not parsed yet: the builders
call ``parse_inline`` for it, so that no block's inline tokens outlive its node.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast._nodes import Extension
from ujsx.mdast.from_markdown._markdown_it._blocks import (
    DEEP_MARKER,
    BlockParser,
    content,
    footnote_definition,
    heading,
    html_block,
    quote,
    table,
    thematic_break,
)
from ujsx.mdast.from_markdown._markdown_it._inline import (
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
from ujsx.mdast.from_markdown._source import ASCII_PUNCTUATION

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


@lru_cache(maxsize=32)
def parser(*, gfm: bool, frontmatter: bool, extensions: tuple[Extension, ...] = ()) -> MarkdownIt:
    """Return the parser for a dialect, built once."""
    md = MarkdownIt("commonmark")
    md.block = block = BlockParser(frontmatter=frontmatter)
    md.block.ruler.enableOnly(
        [
            "code",
            "fence",
            "blockquote",
            "hr",
            "list",
            "html_block",
            "heading",
            "paragraph",
        ]
    )
    block.ruler.at("hr", thematic_break, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    block.ruler.at("blockquote", quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    block.ruler.at("html_block", html_block, {"alt": ["paragraph", "reference", "blockquote"]})
    block.ruler.at("heading", heading, {"alt": ["paragraph", "reference", "blockquote"]})
    block.ruler.at("paragraph", content)
    rules = dict(_INLINE_RULES)
    if gfm:
        block.ruler.before("paragraph", "gfm_table", table, {"alt": ["paragraph", "reference"]})
        block.ruler.before(
            "html_block",
            "footnote_definition",
            footnote_definition,
            {"alt": ["paragraph", "reference", "blockquote", "list"]},
        )
        rules["~"] = (tildes,)
    for extension in extensions:
        _extend(md, rules, extension)
    md.inline = InlineParser(rules, literals=gfm)
    return md


def _extend(md: MarkdownIt, rules: dict[str, tuple[InlineRule, ...]], extension: Extension) -> None:
    """Add an extension's rules; in a line they are asked before the others."""
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
    """Add a plugin's rules: in a line, each is asked at all characters at which markdown-it asks it."""
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
        f"{where}{plugin} takes what stands there and makes no token of it, so it would be lost; leave its rule "
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
    """Return what the rules of one parse share; ``places`` says whether inline tokens have theirs."""
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
    """Return the block tokens of a text that is ready for a tokenizer."""
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


_LISTS = {
    "bullet_list_open": "bullet_list_close",
    "ordered_list_open": "ordered_list_close",
}
