"""The places of inline tokens in the text of their block: noted by the rules' callers, on request only.

A token's ``map`` is then ``[start, end]``, offsets in the block's text. Without a request the state and
the rules are the plain ones, so that nobody pays for places who did not ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ._inline_state import InlineRule, InlineState


class PlacedState(InlineState):
    """A state that knows where the text began that no token holds yet."""

    def __init__(self, src: str, md: MarkdownIt, env: Any, outTokens: list[Token]) -> None:  # noqa: N803
        super().__init__(src, md, env, outTokens)
        self._pending_start = self._pending_end = 0

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._pending_start = self.pos
        self._pending_end = self.pos + len(text)
        super().append_pending(text)

    def trim_pending(self, kept: str) -> None:
        self._pending_end -= len(self.pending) - len(kept)
        super().trim_pending(kept)

    def pushPending(self) -> Token:  # noqa: N802
        token = super().pushPending()
        token.map = [self._pending_start, self._pending_end]
        return token


def with_places(rules: Mapping[str, tuple[InlineRule, ...]]) -> dict[str, tuple[InlineRule, ...]]:
    """Return the rules so that each notes where its tokens stand, unless it has noted it itself."""
    return {character: tuple(map(placed, each)) for character, each in rules.items()}


def placed(rule: InlineRule) -> Callable[[InlineState], bool]:
    """Return a rule that gives its tokens the place of all that it took."""

    def rule_with_places(state: InlineState) -> bool:
        start, known = state.pos, len(state.tokens)
        if not rule(state):
            return False
        for token in state.tokens[known:]:
            if token.map is None:
                token.map = [start, state.pos]
        return True

    return rule_with_places
