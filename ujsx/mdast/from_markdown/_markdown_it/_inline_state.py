"""The state of the inline rules: markdown-it's, with the brackets that are still open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token


class Bracket:
    """A ``[`` or ``![`` that may open a link, an image or a footnote's call."""

    __slots__ = ("delimiters", "image", "on_close", "start", "token")

    def __init__(
        self,
        start: int,
        token: int,
        delimiters: int,
        image: bool,
        on_close: Callable[[InlineState, Bracket, int], object] | None = None,
    ) -> None:
        self.start = start
        self.token = token
        self.delimiters = delimiters
        self.image = image
        self.on_close = on_close
        """What makes something else than a link of what stands between it and its bracket."""


class InlineState(StateInline):
    """The state of the inline rules, with the brackets that are still open."""

    pos: int

    def __init__(self, src: str, md: MarkdownIt, env: Any, outTokens: list[Token]) -> None:  # noqa: N803
        super().__init__(src, md, env, outTokens)
        self.brackets: list[Bracket] = []
        self.inactive = 0
        """How many of ``brackets`` stand before a link, and so can open none (links don't nest)."""
        self.spans: list[list[Delimiter]] = []
        """The delimiters within each link and image."""
        self.no_domain_before = 0
        """Where an autolink literal may start again, after a domain that is none."""
        self.reading: Any = None
        """What is looked for, and the rules that are asked."""

    def open_bracket(
        self, on_close: Callable[[InlineState, Bracket, int], object] | None = None
    ) -> None:
        """Take a ``[``, and whatever comes of it when it closes."""
        token = self.push("text", "", 0)
        token.content, token.map = "[", [self.pos, self.pos + 1]
        self.pos += 1
        place = len(self.tokens) - 1
        self.brackets.append(Bracket(self.pos, place, len(self.delimiters), False, on_close))

    def ahead(self) -> InlineState:
        """Return a state for a look at what comes, whose tokens nobody sees."""
        ahead = InlineState(self.src, self.md, self.env, [])
        ahead.pos, ahead.posMax, ahead.level = self.pos, self.posMax, self.level + 1
        ahead.reading, ahead.cache = self.reading, self.cache
        ahead.backticks, ahead.backticksScanned = self.backticks, self.backticksScanned
        return ahead

    def trim_pending(self, kept: str) -> None:
        """Leave white space off the end of the text that no token holds yet."""
        self.pending = kept


InlineRule = Callable[[InlineState], bool]
"""Takes what stands at ``state.pos`` and moves on, or returns ``False`` where it is not its own."""
