"""markdown-it's inline parser with its rules looked up by the character they start at.

Differences from ``markdown_it.parser_inline``:

- A character has one rule or a few, where markdown-it asks each rule in turn at each character.
- No rule looks ahead by running the others silently: brackets are matched as they are met (see
  ``_brackets``). So nesting costs no calls, needs no limit, and takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from ._autolink_literal import CANDIDATE, autolink_literal
from ._delimiters import pair_delimiters


class Bracket:
    """A ``[`` or ``![`` that may open a link, an image or a footnote's call."""

    __slots__ = ("delimiters", "image", "start", "token")

    def __init__(self, start: int, token: int, delimiters: int, image: bool) -> None:
        self.start = start
        self.token = token
        self.delimiters = delimiters
        self.image = image


class InlineState(StateInline):
    """The state of the inline rules, with the brackets that are still open."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, outTokens: list[Token]) -> None:  # noqa: N803
        super().__init__(src, md, env, outTokens)
        self.brackets: list[Bracket] = []
        self.inactive = 0
        """How many of ``brackets`` stand before a link, and so can open none (links don't nest)."""
        self.spans: list[list[Delimiter]] = []
        """The delimiters within each link and image."""
        self.no_domain_before = 0
        """Where an autolink literal may start again, after a domain that is none."""


InlineRule = Callable[[InlineState], bool]
"""Takes what stands at ``state.pos`` and moves on, or returns ``False`` where it is not its own."""


class InlineParser(ParserInline):
    """An inline parser; ``rules`` says which rules to try at a character."""

    def __init__(self, rules: Mapping[str, tuple[InlineRule, ...]], *, literals: bool) -> None:
        super().__init__()
        self.rules = rules
        self.literals = literals
        characters = re.escape("".join(rules))
        self._special = re.compile(f"[{characters}]")
        self._special_or_literal = re.compile(f"[{characters}]|{CANDIDATE}")
        self._rules_with_literals = {**rules, "_": (autolink_literal, *rules["_"])}

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        search, rules = self._special.search, self.rules
        if self.literals and ("@" in src or "://" in src or "ww." in src.lower()):
            search, rules = self._special_or_literal.search, self._rules_with_literals
        state = InlineState(src, md, env, tokens)
        end = state.posMax
        position = 0
        while position < end:
            match = search(src, position)
            start = match.start() if match is not None else end
            if start > position:
                state.append_pending(src[position:start])
            if start == end:
                break
            state.pos = start
            character = src[start]
            for rule in rules.get(character, _LITERAL):
                if rule(state):
                    break
            else:
                state.append_pending(character)
                state.pos = start + 1
            position = state.pos
        if state.pending:
            state.pushPending()
        pair_delimiters(state)
        return state.tokens


_LITERAL: tuple[InlineRule, ...] = (autolink_literal,)
