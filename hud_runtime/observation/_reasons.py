"""The sentences in which an agent says why: what it chose, found or ruled out, and for what reason."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_components.words import cut
from hud_runtime.observation._reason_patterns import HEADINGS, REASONS
from hud_runtime.observation._sentences import LOG

LOOKED_AT = 20_000
"""Characters of a message that are searched."""

SHORTEST, LONGEST = 30, 240
"""Characters of a sentence that says why; in longer ones the reason stands somewhere among other things."""

LISTED, OF_EACH = 480, 90
"""Characters of a list of decisions, and of each of them."""

MOST = 4
"""Sentences of one message that are told: the last ones, as a message mostly ends with what it comes to."""

_WHY = re.compile(
    "|".join(f"(?:{each})" for told in REASONS.values() for each in told), re.IGNORECASE
)
_HEADING = re.compile(rf"(?:#+ |\*\*)(?P<title>{HEADINGS})[:：*# ]*", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+(?=\S)|\|(?!\s*[-:])")
_ENDS = re.compile(r"(?<=[.!?])(?:\s+|(?=\*\*))|(?<=[。！？])")
_PLAN = re.compile(
    r"(?:ok(?:ay)?,? |so |now,? )*"
    r"(?:let me|let's|i'll (?:now )?(?:check|look|read|run|see|start|try|find|search)|i(?:'m going to| need to| should))\b",
    re.IGNORECASE,
)
"""The beginnings of sentences about the agent's next step, whose reason holds no longer than that."""

_LEAD = re.compile(r"^(?:[-*•✅❌]|\d{1,2}[.)]|#+)\s+")


def reasons_in(text: str) -> list[str]:
    r"""Return the sentences of a message that say why, and its lists of decisions, without code and questions.

    >>> reasons_in("Done. I used SQLite, not JSON, since two processes write.\n```\nx\n```\nShall I push?")
    ['I used SQLite, not JSON, since two processes write.']
    >>> reasons_in("Let me check the tests, because one of them failed.")
    []
    >>> reasons_in("## Decisions\n| What | Why |\n|---|---|\n| **One field** | low friction |\n| No version | rarely needed |")
    ['Decisions: What — Why; One field — low friction; No version — rarely needed']
    """
    return [*dict.fromkeys(_found(text[:LOOKED_AT]))][-MOST:]


def _found(text: str) -> Iterator[str]:
    in_fence, title = False, ""
    listed: list[str] = []
    for row in [*text.splitlines(), "#"]:
        line = row.strip()
        if title and line and _ITEM.match(line):
            listed.append(cut(_plain(" — ".join(line.strip("|").split("|"))), OF_EACH))
            continue
        if listed and line and not line.startswith("|"):
            yield cut(f"{title}: {'; '.join(listed)}", LISTED)
            title, listed = "", []
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        if in_fence or line.startswith("|") or LOG.match(row):
            continue
        heading = _HEADING.fullmatch(line)
        title = _plain(heading["title"]) if heading else title if not line else ""
        yield from filter(_says_why, map(_plain, _ENDS.split(line)))


def _plain(sentence: str) -> str:
    return " ".join(_LEAD.sub("", sentence.strip()).replace("**", "").replace("`", "").split())


def _says_why(sentence: str) -> bool:
    width = len(sentence) * (2 if "\u3000" < max(sentence, default="") < "\uff00" else 1)
    return (
        width >= SHORTEST
        and len(sentence) <= LONGEST
        and not sentence.endswith(("?", "？"))
        and not _PLAN.match(sentence)
        and _WHY.search(sentence) is not None
    )
