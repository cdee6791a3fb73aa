"""The default engine: markdown-it-py with rules of our own where mdast needs more.

``parse`` returns markdown-it's block tokens. Text within blocks is not parsed yet: the builders
call ``parse_inline`` for it, so that no block's inline tokens outlive its node.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ujsx.mdast._extension import Extension

from ._block_parser import BlockParser
from ._brackets import close, open_image, open_link
from ._content import content
from ._delimiters import stars, tildes
from ._footnotes import footnote_definition
from ._inline_parser import InlineParser
from ._inline_state import InlineRule
from ._leaf_blocks import heading, html_block, thematic_break
from ._quote import DEEP_MARKER, quote
from ._spans import autolink, code, escape, html, newline, reference
from ._table import table

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
        extension.plugin(md)


def _not_silent(rule: Callable[[Any, bool], bool]) -> InlineRule:
    return lambda state: rule(state, False)


def environment(*, gfm: bool, places: bool = False) -> dict[str, Any]:
    """Return what the rules of one parse share; ``places`` says whether inline tokens have theirs."""
    return {
        "definitions": set(),
        "footnotes": set(),
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
