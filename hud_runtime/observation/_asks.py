"""The user's requests, found among the messages in the user's role.

Much of that is no ask: what the program says in the user's role, a word to go on, a pasted log. An ask is
told in a sentence or two, and what the session is about is the ask that later ones only add to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast

from hud_runtime.observation._going_on import AGREEMENT, ANSWERS
from hud_runtime.observation._markers import TASK_MARKERS, TaskMarker
from hud_runtime.observation._program_words import said_by_user
from hud_runtime.observation._sentences import LOG, LOOKED_AT, cut, first_words

GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^.!?\n]{0,30}[.!]\s+", re.IGNORECASE
)
"""What comes before the task among polite people."""


def task_in(prompt: str, markers: tuple[TaskMarker, ...] = TASK_MARKERS) -> str | None:
    r"""Return the task in a sentence or two, or None when the prompt has no words.

    >>> task_in("Hello! Can you explain decorators? I am new to Python.")
    'Can you explain decorators? I am new to Python.'
    >>> task_in("Solve this.\nISSUE:\nTimeDelta serialization precision\nHi there!")
    'TimeDelta serialization precision'
    """
    text = said_by_user(prompt)
    for marker in markers:
        match = re.search(marker.pattern, text[:LOOKED_AT], re.MULTILINE)
        if match:
            return cut(cast("str", match["task"])) or None
    first = GREETING.sub("", text, count=1) if GREETING.match(text) else text
    return cut(first_words(first)) or None


def ask_in(prompt: str, markers: tuple[TaskMarker, ...] = TASK_MARKERS) -> str | None:
    """Return what a prompt asks for, or None where it only says to go on, or is all log.

    >>> ask_in("yes, go on"), ask_in("Push it.")
    (None, 'Push it.')
    """
    text = said_by_user(prompt)
    if not text or _only_goes_on(text) or (len(text) <= REMARK and _REMARK.fullmatch(text)):
        return None
    lines = [line for line in text[:LOOKED_AT].splitlines() if line.strip()]
    prose = list(_prose(lines))
    if not prose and (len(lines) > 3 or all(map(_LOGGED.match, lines))):
        return None
    if prose and LOG.match(lines[0]) and not lines[0].startswith("```"):
        # What was pasted comes first: the ask stands behind it.
        return task_in("\n".join(lines[lines.index(prose[0]) :]), markers)
    return task_in(prompt, markers)


def _prose(lines: Sequence[str]) -> Iterator[str]:
    """The lines that say something in words: no log, no program's output, nothing in a fence."""
    in_fence = False
    for line in lines:
        if line.strip().startswith(("```", "~~~")):
            in_fence = not in_fence
        elif not in_fence and not LOG.match(line) and len(line.split()) >= PROSE:
            yield line


PROSE = 3
"""Words from which on a line among others says something."""


_THANKS = re.compile(
    r"(?:(?:this|that|it)(?:'s| is| was|) )?(?:[a-z]+[,.!]* ){0,4}(?:many |much )?(?:thanks?|thank you|thx|cheers)"
    r"(?: (?:you|so|very|much|a|lot|again|for|all|your|the|this|that|help|assistance|work|time|claude|codex|everyone))*"
    r"[.!]*(?: ?#+\w+#+)?",
    re.IGNORECASE,
)
"""Words that only thank."""


_LOGGED = re.compile(
    r"\s*+(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|File \"[^\"]++\", line \d|at \S++ ?\(|Traceback \(most recent)"
)
"""How a line begins that only a program writes, however few of them there are."""

REMARK = 200
"""Characters of a remark at most."""

_REMARK = re.compile(
    r"\([^()\n]{1,120}\)"
    r"|(?:that|this|it) (?:was|were)(?: [^\s?]+){1,7}"
    r"|(?:[^\s?]+ ){1,9}fyi[.!]*"
    r"|(?:(?:hi|hello|hey)[ ,!.]*(?:there|claude|codex)?[ ,!.]*)?"
    r"(?:how are you(?: doing)?|how(?:'s| is) it going|what(?:'s| is) up|are you (?:still )?there|you there"
    r"|wie geht(?:'s| es dir)|ça va|qué tal|come va|как дела|你好吗|元気ですか)[ ?!.]*",
    re.IGNORECASE,
)
"""A remark by the way, and small talk: nothing is asked for."""


def answers_in(prompt: str, question: str) -> bool:
    """Tell whether a prompt only answers what the agent asked or offered, in a few words of its own.

    :param question: the end of what the agent said last.

    >>> answers_in("yeah bug report only", "Bug report, feature request, or both?")
    True
    >>> answers_in("yeah bug report only", "Done."), answers_in("Why is it red?", "Shall I push?")
    (False, False)
    """
    words = said_by_user(prompt).split()
    if not words or "?" not in question or "?" in prompt:
        return False
    first = re.sub(r"[^\w]", "", words[0]).lower()
    return len(words) <= FEW or (len(words) <= SEVERAL and first in AGREEMENT)


FEW = 3
"""Words up to which a message is an answer, where the agent asked."""

SEVERAL = 8
"""The same for one that begins like an answer: "yes, but only the first two"."""


def _only_goes_on(text: str) -> bool:
    if len(text) <= 200 and _THANKS.fullmatch(" ".join(text.split())):
        return True
    words = re.findall(r"[^\W_]+", text[:200].lower())
    if text.endswith("?") and len(words) > 1:
        return False
    return (
        len(text) <= 200
        and len(words) <= 8
        and all(word in ANSWERS or (word.isdecimal() and len(word) < 3) for word in words)
    )


TURNS = re.compile(
    r"(?:thinking (?:about it )?again|on second thou?ght|actually|instead|never ?mind|forget (?:it|that|about)|scrap that"
    r"|let'?s (?:rather|instead)|change of plans?|no,? (?:wait|let'?s)|wait,? (?:no|let'?s))\b",
    re.IGNORECASE,
)
"""How an ask begins that takes the place of what was asked."""


def is_short(ask: str) -> bool:
    """Tell whether an ask is a few words that add to what was asked before: "push", "and the docs too".

    >>> is_short("draft PR please"), is_short("Add a login with JWT and a limit for wrong attempts")
    (True, False)
    """
    return len(ask.split()) + len(_UNSPACED.findall(ask)) // 2 < SHORT


_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Letters of languages that put no space between words, of which two are about one."""


SHORT = 6
"""Words below which an ask only adds to those before it."""
