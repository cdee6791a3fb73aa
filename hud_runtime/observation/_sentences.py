"""A text in a sentence or two, on one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 240
"""Characters of a task; longer ones are cut between sentences, or between words."""

LOOKED_AT = 100_000
"""Characters of a prompt that are searched."""

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")

LOG = re.compile(
    r"(?:\s*(?:at |File \"|\d{4}-\d\d-\d\d[T ]|\[\d|\$ |> |>>> |Traceback|\+|-(?!\s)|\||```|<|[{}\[\]()]|#\d|\d+[:|]"
    r"|\w*(?:Error|Exception)\b:|E   |FAIL|PASS|npm |make: |\S+[/\\]\S+:\d+))"
)
"""How a line of a log, a trace or a program's output begins."""


def first_words(text: str) -> str:
    r"""The first lines of a text that are prose, up to a blank line behind enough of them.

    Where they end in a colon, what they lead to belongs to them, and so does what is said behind that.

    >>> first_words("I got this feedback:\n\n> The login is slow.\n\nCan you find out why, and fix it?\n\nThanks!")
    'I got this feedback: The login is slow. Can you find out why, and fix it?'
    """
    lines = text[:LOOKED_AT].splitlines()
    kept, count = _prose(lines)
    words = " ".join(kept)
    if not words.endswith((":", "：")):
        return words
    block, rest = _block(lines[count:])
    return " ".join(filter(None, (words, cut(block, QUOTED), " ".join(_prose(rest)[0]))))


def _prose(lines: Sequence[str]) -> tuple[list[str], int]:
    """The first lines that are prose, and how many lines were read."""
    kept: list[str] = []
    in_fence = False
    for place, line in enumerate(lines):
        words = line.strip()
        if words.startswith(("```", "~~~")):
            if kept:
                return kept, place
            in_fence = not in_fence
            continue
        if in_fence or not re.search(r"\w", words):
            if kept and len(" ".join(kept)) >= ENOUGH:
                return kept, place
            continue
        if kept and (LOG.match(line) or words.startswith("#")):
            return kept, place
        is_heading = words.startswith("#")
        kept.append(words.lstrip("#>*- ") if not kept else words)
        if is_heading or sum(map(len, kept)) > LONGEST:
            return kept, place + 1
    return kept, len(lines)


def _block(lines: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The first lines that stand together, or in a fence, and those behind them."""
    kept: list[str] = []
    fence = ""
    for place, line in enumerate(lines):
        words = line.strip()
        if words.startswith(("```", "~~~")) and fence in ("", words[:3]):
            if kept:
                return " ".join(kept), lines[place + bool(fence) :]
            fence = "" if fence else words[:3]
        elif words:
            kept.append(words.lstrip("> "))
        elif kept and not fence:
            return " ".join(kept), lines[place:]
    return " ".join(kept), ()


QUOTED = 100
"""Characters that are told of what the first words lead to."""

ENOUGH = 30
"""Characters after which a blank line ends what is told of an ask."""


def cut(text: str, longest: int = LONGEST) -> str:
    """Return the text on one line: whole, or its first sentences, or its first words.

    >>> cut("Add a login. Use JWT.", 15)
    'Add a login.'
    >>> cut("Add a login", 8)
    'Add a…'
    """
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    kept = ""
    for sentence in SENTENCE_END.split(line):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > longest:
            break
        kept = longer
    if kept:
        return kept
    start = line[: longest - 1]
    return f"{start.rpartition(' ')[0] or start}…"
