"""markdown-it's inline parser with its rules looked up by the character they start at.

Differences from ``markdown_it.parser_inline``:

- A character has one rule or a few, where markdown-it asks each rule in turn at each character.
- No rule looks ahead by running the others silently: brackets are matched as they are met (see
  ``_brackets``). So nesting costs no calls, needs no limit, and takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.token import Token

from ._autolink_literal import CANDIDATE, autolink_literal
from ._delimiters import pair_delimiters
from ._inline_state import InlineRule, InlineState
from ._places import PlacedState, with_places


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
        with_literals = (
            self.literals
            and not env["label"]
            and ("@" in src or "://" in src or "ww." in src.lower())
        )
        if with_literals:
            search, rules = self._special_or_literal.search, self._rules_with_literals
        literal = _LITERAL
        if env["places"]:
            rules = self._placed_rules_with_literals if with_literals else self._placed_rules
            literal = _PLACED_LITERAL
            state: InlineState = PlacedState(src, md, env, tokens)
        else:
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
            for rule in rules.get(character, literal):
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

    @cached_property
    def _placed_rules(self) -> Mapping[str, tuple[InlineRule, ...]]:
        return with_places(self.rules)

    @cached_property
    def _placed_rules_with_literals(self) -> Mapping[str, tuple[InlineRule, ...]]:
        return with_places(self._rules_with_literals)


_LITERAL: tuple[InlineRule, ...] = (autolink_literal,)
_PLACED_LITERAL = with_places({"": _LITERAL})[""]
