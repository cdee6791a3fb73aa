"""A text in a sentence or two, on one line."""

from __future__ import annotations

import re

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
    """The first lines of a text that are prose, up to a blank line behind enough of them."""
    kept: list[str] = []
    in_fence = False
    for line in text[:LOOKED_AT].splitlines():
        words = line.strip()
        if words.startswith(("```", "~~~")):
            if kept:
                break
            in_fence = not in_fence
            continue
        if in_fence or not re.search(r"\w", words):
            if kept and len(" ".join(kept)) >= ENOUGH:
                break
            continue
        if kept and (LOG.match(line) or words.startswith("#")):
            break
        is_heading = words.startswith("#")
        kept.append(words.lstrip("#>*- ") if not kept else words)
        if is_heading or sum(map(len, kept)) > LONGEST:
            break
    return " ".join(kept)


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
