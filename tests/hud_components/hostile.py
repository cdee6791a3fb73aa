"""HUDs that no agent and no user would write: escapes, signs and letters by lot, one long word, and a language for each text."""

from __future__ import annotations

import string
from functools import partial
from random import Random

from hud_components import (
    ActiveFile,
    ContextUsage,
    Decision,
    ErrorRecord,
    Hud,
    HudState,
    Note,
    Step,
    Task,
)
from tests.benchmarks.budget_laws import Finding, Findings
from tests.hud_components.cases import HOSTILE
from tests.token_texts import kinds
from ujsx import Child

SOUPS = (
    "\\`*_[]<>#|&~",
    string.printable[:95],
    string.ascii_lowercase,
    string.ascii_letters + string.digits,
)
"""The characters of a text by lot."""


def hostile_text(source: Random, most: int) -> str:
    """Return so many words of a language or of code, or characters by lot, or a text that looks like Markdown."""
    lot = source.random()
    if lot < 0.4:
        words = source.choice(kinds()).text.split()
        start = source.randrange(len(words))
        return " ".join(words[start : start + source.randint(1, most)])
    if lot < 0.85:
        soup = source.choice(SOUPS)
        length = 60 if soup in SOUPS[:2] else 300
        text = "".join(source.choice(soup) for _ in range(source.randint(1, length)))
    else:
        text = source.choice(HOSTILE)
    return text.strip() or "x"


def hostile_state(source: Random) -> HudState:
    """Return a state of the coding HUD with such texts."""
    text = partial(hostile_text, source)

    def some(most: int) -> range:
        return range(0 if source.random() < 0.3 else source.randint(1, most))

    def path() -> str:
        return text(1)[:200]

    return HudState(
        task=Task(description=text(20), goal=text(10) if source.random() < 0.4 else None),
        decisions=tuple(Decision(id=f"d-{n}", summary=text(12)) for n in some(8)),
        notes=tuple(Note(id=f"n-{n}", content=text(20)) for n in some(8)),
        next_steps=tuple(
            Step(id=f"s-{n}", description=text(12), completed=source.random() < 0.4, order=n)
            for n in some(6)
        ),
        active_files=tuple(ActiveFile(path=path(), last_accessed=n) for n in some(6)),
        errors=tuple(ErrorRecord(id=f"e-{n}", message=text(15)) for n in some(3)),
        usage=ContextUsage(used=source.randint(0, 200_000)),
    )


def own_hud(source: Random) -> Child:
    """Return a HUD of a section of one's own with such texts."""
    text = partial(hostile_text, source)
    found = (Finding(id=f"f-{n}", what=text(8), source=text(3), why=text(30)) for n in range(6))
    return Hud()[Findings(findings=tuple(found))]
