"""The statements worth remembering: a table of patterns, and one of events.

A session whose domain has a section for errors, files, steps or decisions has them there: nothing is
remembered a second time. The table says of each rule which sections have what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Saying: TypeAlias = Literal["user", "agent", "tool"]
"""Who says something: the user, the agent in an answer, or a tool in its output."""


@dataclass(frozen=True, slots=True)
class MemoryRule:
    """A pattern in what somebody says, and what is remembered of it."""

    pattern: re.Pattern[str]
    """A regular expression; its group ``what`` is what is remembered."""

    of: Saying
    """Whose words are looked at."""

    slot: str
    """What kind of thing it is: the name of a slot, or "pool"."""

    source: str
    """Where such lines come from."""

    says: str = "{what}"
    """What is remembered, with the pattern's groups in braces."""

    has_it: frozenset[str] = frozenset()
    """The sections, by the state's field, one of which has this already: then nothing is remembered."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """An event of the coding HUD that, in a domain without it, becomes a memory."""

    field: str
    """The field of the event that says what it is."""

    slot: str = ""
    """What kind of thing it is; empty where the event says that it is over."""


FROM_EVENTS: Mapping[str, Remembered] = MappingProxyType(
    {
        "error.encountered": Remembered("message", "error"),
        "error.resolved": Remembered("id"),
        "decision.record": Remembered("summary", "decision"),
        "step.add": Remembered("description", "todo"),
        "step.complete": Remembered("id"),
        "step.remove": Remembered("id"),
        "file.open": Remembered("path", "pool"),
        "file.edit": Remembered("path", "pool"),
        "file.close": Remembered("path"),
    }
)
"""What errors, decisions, steps and files become where no section of the domain has them."""

_DECISIONS, _STEPS = frozenset({"decisions"}), frozenset({"next_steps"})


def _line(words: str) -> re.Pattern[str]:
    return re.compile(words, re.MULTILINE)


PIP = _line(r"^Successfully installed (?P<what>[\w.-]+-\d[\w.!+-]*(?: [\w.-]+-\d[\w.!+-]*){0,4}+)")
UV = _line(r"^ \+ (?P<what>[\w.-]+==\S{1,80})[ \t]*$")
POETRY = _line(r"^[ \t]*- Installing (?P<what>[\w.-]+ \([^()\s]{1,80}\))")
NPM = _line(r"^\+ (?P<what>(?:@[\w.-]+/)?[\w.-]+@\d\S{0,80})[ \t]*$")
PNPM = _line(r"^\+ (?P<what>(?:@[\w.-]+/)?[\w.-]+ \d[\w.+-]*)(?: .*)?$")
YARN = _line(r"^[├└]─ (?P<what>(?:@[\w.-]+/)?[\w.-]+@\d\S{0,80})[ \t]*$")
CARGO = _line(r"^[ \t]*Adding (?P<what>[\w-]+ v\d\S{0,80}) to (?:\w+ )?dependencies")
GO = _line(
    r"^go: (?:added|upgraded) (?P<what>[\w./~-]+ v\d\S{0,80}|[\w./~-]+ v\S{1,80} => v\S{1,80})"
)
BUNDLER = _line(r"^Installing (?P<what>[\w-]+ \d[\w.]*)[ \t]*$")

CHOSEN = _line(
    r"(?:^|[.!?;:] {1,2})(?:[Oo]k(?:ay)?,? |[Yy]es,? |[Pp]lease,? |[Nn]o,? )?"
    r"(?P<what>(?:[Ll]et'?s (?:use|go with|stick (?:with|to)|switch to|keep|drop)"
    r"|[Ww]e(?:'ll| will|'re going to) (?:use|go with|stick (?:with|to)|switch to|keep|drop)"
    r"|[Ww]e (?:have )?(?:decided|agreed) (?:to|on|that)"
    r"|[Uu]se (?!(?:case|the (?:tool|following))\b)[^\n.!?]{1,60} instead of"
    r"|[Gg]o with)\b[^\n!?]{2,180}?)(?=[.!?;](?:\s|$)|$)"
)
RULED = _line(
    r"(?:^|[.!?;:] {1,2})(?:[Pp]lease,? )?(?P<what>(?:[Aa]lways|[Nn]ever|[Dd]o not ever|[Dd]on'?t ever|[Ff]rom now on,?)"
    r" [^\n!?]{2,180}?)(?=[.!?;](?:\s|$)|$)"
)
ASKED_FOR_LATER = _line(
    r"(?:^|[.!?;:] {1,2})(?:[Pp]lease,? )?(?P<what>(?:[Dd]on'?t forget to|[Rr]emember to|[Ll]ater,? (?:we|you) (?:need|have|should)"
    r"(?: to)?|[Aa]fterwards,? (?:please )?|TODO:?)[ \t]+[^\n!?]{2,180}?)(?=[.!?;](?:\s|$)|$)"
)
OPEN_BOX = _line(r"^[ \t]*[-*+] \[ \] (?P<what>\S[^\n]{0,180})$")

FOUND_OUT = _line(
    r"^[ \t]*(?:[-*+] )?(?:\*\*)?(?P<head>[Rr]oot cause|[Kk]ey (?:finding|insight|point|fact)|[Ff]inding|[Cc]onclusion|[Ii]mportant|[Nn]ote"
    r"|[Gg]otcha|[Cc]aveat)(?:\*\*)?:(?:\*\*)?[ \t]+(?P<what>\S[^\n]{2,200})"
)
CHOSE = _line(
    r"^[ \t]*(?:[-*+] )?(?:\*\*)?(?:[Dd]ecision|[Dd]ecided)(?:\*\*)?:(?:\*\*)?[ \t]+(?P<what>\S[^\n]{2,200})"
)
LEFT_TO_DO = _line(
    r"^[ \t]*(?:[-*+] )?(?:\*\*)?(?:TODO|[Ss]till to do|[Rr]emaining|[Nn]ext step)(?:\*\*)?:(?:\*\*)?[ \t]+(?P<what>\S[^\n]{2,200})"
)


MEMORY_RULES: tuple[MemoryRule, ...] = (
    MemoryRule(PIP, "tool", "dependency", "pip install: its last line"),
    MemoryRule(UV, "tool", "dependency", "uv add, uv pip install, uv sync"),
    MemoryRule(POETRY, "tool", "dependency", "poetry add, poetry install"),
    MemoryRule(NPM, "tool", "dependency", "npm install, up to npm 6"),
    MemoryRule(PNPM, "tool", "dependency", "pnpm add"),
    MemoryRule(YARN, "tool", "dependency", "yarn add, yarn 1"),
    MemoryRule(CARGO, "tool", "dependency", "cargo add"),
    MemoryRule(GO, "tool", "dependency", "go get"),
    MemoryRule(BUNDLER, "tool", "dependency", "bundle install"),
    MemoryRule(
        CHOSEN, "user", "decision", "a user's choice between ways, in a sentence", has_it=_DECISIONS
    ),
    MemoryRule(
        RULED,
        "user",
        "decision",
        "a user's standing rule, in a sentence",
        has_it=frozenset({"rules"}),
    ),
    MemoryRule(
        ASKED_FOR_LATER, "user", "todo", "what a user wants done beside the request", has_it=_STEPS
    ),
    MemoryRule(OPEN_BOX, "user", "todo", "an open box of a list in Markdown", has_it=_STEPS),
    MemoryRule(FOUND_OUT, "agent", "pool", "a labelled line in an answer", says="{head}: {what}"),
    MemoryRule(CHOSE, "agent", "decision", "a labelled line in an answer", has_it=_DECISIONS),
    MemoryRule(LEFT_TO_DO, "agent", "todo", "a labelled line in an answer", has_it=_STEPS),
)
"""What is remembered of what is said; a user's own rules stand before or behind these.

Errors, edited files, steps and answers to questions are not among them: the reader knows those from calls
and their answers (:data:`FROM_EVENTS`).
"""
