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
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from ujsx.mdast.from_markdown._source import MAX_DEPTH

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
        state.reading = search, rules, literal
        self._read(state)
        pair_delimiters(state)
        return state.tokens

    def tokenize(self, state: StateInline) -> None:
        """Read what a plugin's rule has between its markers: its brackets and delimiters pair within it."""
        assert isinstance(state, InlineState)
        outer, state.brackets, inactive = state.brackets, [], state.inactive
        source, state.src = state.src, state.src[: state.posMax]
        state.inactive = 0
        first = len(state.delimiters)
        self._read(state)
        state.brackets, state.inactive, state.src = outer, inactive, source
        if within := state.delimiters[first:]:
            del state.delimiters[first:]
            state.spans.append(within)

    def skipToken(self, state: StateInline) -> None:  # noqa: N802
        """Move on behind what stands at a place, for a plugin's rule that looks for its end."""
        assert isinstance(state, InlineState)
        position = state.pos
        if position not in state.cache:
            ahead = state.ahead()
            is_deep = state.level >= MAX_DEPTH
            for rule in () if is_deep else self.rules.get(state.src[position], ()):
                # Its own look ahead would be one of each length; a plugin's rule knows it is no more than that.
                found: Any = rule
                if found(ahead, True) if hasattr(rule, "looks_ahead") else found(ahead):
                    break
                ahead.pos = position
            state.cache[position] = max(ahead.pos, position + 1)
        state.pos = state.cache[position]

    def _read(self, state: InlineState) -> None:
        search, rules, literal = state.reading
        src = state.src
        end = state.posMax
        position = state.pos
        while position < end:
            match = search(src, position, end)
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
        state.pos = position
        if state.pending:
            state.pushPending()

    @cached_property
    def _placed_rules(self) -> Mapping[str, tuple[InlineRule, ...]]:
        return with_places(self.rules)

    @cached_property
    def _placed_rules_with_literals(self) -> Mapping[str, tuple[InlineRule, ...]]:
        return with_places(self._rules_with_literals)


_LITERAL: tuple[InlineRule, ...] = (autolink_literal,)
_PLACED_LITERAL = with_places({"": _LITERAL})[""]
