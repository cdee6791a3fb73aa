"""What a compaction's summary says, with what is still to be done first.

A summary begins with what the program says about it, and an analysis; behind that stand sections. Of a
few hundred characters the first must be those that the work goes on with.
"""

from __future__ import annotations

import re

from hud_components.words import section_rank

_ANALYSIS = re.compile(r"<analysis>(?:[^<]++|<(?!/analysis>))*+(?:</analysis>)?")
_TAG = re.compile(r"</?(?:summary|state_snapshot|SYSTEM_NOTICE|compressed_history|context)>")
_START = re.compile(r"^(?:\*\*|#+ )?Summary:?(?:\*\*)?[ \t]*$", re.MULTILINE)
_NUMBERED = re.compile(
    r"^[ \t]*\d+\.[ \t]+(?:\*\*)?(?P<title>[A-Z][^:\n*]{2,60}):?(?:\*\*)?:?[ \t]*$", re.MULTILINE
)
_HEADED = tuple(
    re.compile(rf"^{marks}[ \t]+(?:\d+\.[ \t]*)?(?P<title>\S[^\n]{{1,70}}?):?[ \t]*$", re.MULTILINE)
    for marks in ("#", "##", "###", "####")
)
"""Headings by their level: the sections are those of the first one of which there are several."""

_TAGGED = re.compile(r"^[ \t]*<(?P<title>[a-z_]{3,40})>[ \t]*$", re.MULTILINE)
_CLOSED = re.compile(r"^[ \t]*</[a-z_]{3,40}>[ \t]*$\n?", re.MULTILINE)
_CLOSING = re.compile(
    r"\n(?:Please continue the conversation|Continue the conversation from where|If you need specific details from"
    r" before compaction)[\s\S]*\Z"
)
_OPENING = re.compile(
    r"\A\s*(?:This session is being continued from a previous conversation[^\n]*\n+(?:The summary below[^\n]*\n+)?"
    r"|Another language model started to solve this problem[^\n]*\n+|Context summary:\s*|Earlier context was compacted[^\n]*\n+)"
)

LONGEST = 20_000
"""Characters of a summary that are kept."""


def summary_in(text: str) -> str:
    r"""Return what a summary says as Markdown, with what is left to do first.

    >>> print(summary_in("Analysis:\nWell.\n\nSummary:\n1. Primary Request and Intent:\n   Speed.\n\n"
    ...     "7. Pending Tasks:\n   - Measure it\n"))
    # Pending Tasks
    <BLANKLINE>
    - Measure it
    <BLANKLINE>
    # Primary Request and Intent
    <BLANKLINE>
    Speed.
    """
    text = _ANALYSIS.sub("", text.replace("\r\n", "\n"))
    start = _START.search(text)
    if start is not None:
        text = text[start.end() :]
    text = _CLOSING.sub("", _OPENING.sub("", _TAG.sub("", text)))
    parts = _parts(text)
    if not parts:
        return text.strip()[:LONGEST]
    ordered = sorted(parts, key=lambda part: section_rank(part[0]))
    told = (f"# {title}\n\n{body}" for title, body in ordered if body)
    return "\n\n".join(told)[:LONGEST]


def _parts(text: str) -> list[tuple[str, str]]:
    """The sections, each with its title; none where there are fewer than two."""
    for pattern in (_NUMBERED, _TAGGED, *_HEADED):
        found = list(pattern.finditer(text))
        if len(found) < 2:
            continue
        ends = [*(match.start() for match in found[1:]), len(text)]
        return [
            (_title(match["title"]), _body(text[match.end() : end]))
            for match, end in zip(found, ends, strict=True)
        ]
    return []


def _title(words: str) -> str:
    words = words.replace("_", " ").strip(" *:")
    return words[:1].upper() + words[1:]


def _body(text: str) -> str:
    lines = [line.rstrip() for line in _CLOSED.sub("", text).strip("\n").splitlines()]
    depth = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[depth:] for line in lines).strip()
