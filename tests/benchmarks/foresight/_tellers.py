"""What an agent could be told at a turn, within so many tokens: the HUD, and what one would take instead of it.

All count with one counter, and cut where the tokens end. A HUD whose floor has more than it may have gives the
others as much; one that has less gives nothing back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from hud_components import Hud, HudState
from ujsx import RenderContext, Renderer
from ujsx.tokens import TokenCounter

SHORT = 40
"""Tokens to which each message is cut where as many as possible are told."""


class Heard(NamedTuple):
    """What there is to tell at a turn."""

    state: HudState
    said: Sequence[str]
    """What was said up to here, the newest last."""

    files: Sequence[str]
    """The files that were opened or edited, each once, the one used last at the end."""

    summary: str
    """The newest summary that a compaction left; empty where there was none."""


class Tellers:
    """Tells what there is, within so many tokens."""

    def __init__(self, count: TokenCounter) -> None:
        self.count = count
        self._renderer = Renderer()

    def hud(self, heard: Heard, budget: int) -> str:
        """Return the HUD."""
        context = RenderContext(count_tokens=self.count)
        return self._renderer.render(Hud.of(heard.state), budget=budget, context=context).text

    def messages(self, heard: Heard, budget: int) -> str:
        """Return the last messages: as many as fit, the first of them without its beginning."""
        parts: list[str] = []
        for text in reversed(heard.said):
            parts.append(text)
            if self.count("\n".join(parts)) > budget:
                break
        return fitted("\n".join(reversed(parts)), budget, self.count, keeps_end=True)

    def shortened(self, heard: Heard, budget: int) -> str:
        """Return the beginnings of more messages, the newest first."""
        short = (fitted(text, SHORT, self.count) for text in reversed(heard.said))
        return self._listed(short, budget)

    def newest_files(self, heard: Heard, budget: int) -> str:
        """Return the files used last."""
        return self._listed(reversed(heard.files), budget)

    def summary(self, heard: Heard, budget: int) -> str:
        """Return the agent's own summary."""
        return fitted(heard.summary, budget, self.count)

    def _listed(self, texts: Iterable[str], budget: int) -> str:
        """Return a line for each text, as many as fit, the last of them cut."""
        told = ""
        for text in islice(texts, budget):  # each has a token
            told += f"- {text}\n"
            if self.count(told) > budget:
                break
        return fitted(told, budget, self.count)


Teller = Callable[[Tellers, Heard, int], str]

TELLERS: dict[str, Teller] = {
    "HUD": Tellers.hud,
    "last messages, cut": Tellers.messages,
    "last messages, each cut": Tellers.shortened,
    "newest files": Tellers.newest_files,
}

SUMMARY = "agent's own summary"
"""Who tells only where there is one."""


def fitted(text: str, budget: int, count: TokenCounter, *, keeps_end: bool = False) -> str:
    """Return as much of a text as the budget has room for: its beginning, or its end.

    >>> fitted("one two three", 7, len), fitted("one two three", 5, len, keeps_end=True)
    ('one two', 'three')
    """
    longest = budget * 40  # no token of o200k that is no run of spaces has more characters
    text = text[-longest:] if keeps_end else text[:longest]
    if count(text) <= budget:
        return text
    least, most = 0, len(text)
    while least < most:
        half = (least + most + 1) // 2
        part = text[len(text) - half :] if keeps_end else text[:half]
        least, most = (half, most) if count(part) <= budget else (least, half - 1)
    return text[len(text) - least :] if keeps_end else text[:least]
