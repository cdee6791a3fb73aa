"""The text of a compaction's summary, with the open work first.

A summary begins with what the program says about it, and an analysis; behind that stand sections. Of a
few hundred characters the first must be those that the work goes on with. Beside the program's own words and
the analysis nothing is left out: what stands before the first section is one, too.
"""

from __future__ import annotations

import re

from hud_components.words import section_rank

_THOUGHT = re.compile(r"\A\s*(?:\*\*|#+ )?(?:Analysis\b|Chronological)[^\n]*(?:\n|\Z)")
"""The first line of an analysis that has no tags."""

_TAG = re.compile(
    r"</?(?:analysis|summary|state_snapshot|SYSTEM_NOTICE|compressed_history|context)>"
)
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
_CLOSING = re.compile(
    r"\n(?:Please continue the conversation|Continue the conversation from where|If you need specific details from"
    r" before compaction)[^\n]*+(?:\n(?!#)[^\n]*+)*+\Z"
)
_OPENING = re.compile(
    r"\A\s*(?:This session is being continued from a previous conversation[^\n]*\n+(?:The summary below[^\n]*\n+)?"
    r"|Another language model started to solve this problem[^\n]*\n+|Context summary:\s*|Earlier context was compacted[^\n]*\n+)"
)

FENCE = re.compile(
    r"^[ \t]*+(?P<marks>`{3,}+|~{3,}+)[^\n]*+\n(?:(?![ \t]*+(?P=marks))[^\n]*+\n)*+(?:[ \t]*+(?P=marks))?",
    re.MULTILINE,
)
"""Code: what begins like a heading in it is a comment."""

PREFACE = "Summary"
"""The section of what stands before the first one."""

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
    text = _OPENING.sub("", _without_analysis(text.replace("\r\n", "\n")))
    start = _START.search(text)
    if start is not None and (_THOUGHT.match(text) or not text[: start.start()].strip()):
        text = text[start.end() :]
    text = _CLOSING.sub("", _OPENING.sub("", _TAG.sub("", text)))
    parts = _parts(text)
    if not parts:
        return _bounded(text.strip())
    ordered = sorted(parts, key=lambda part: section_rank(part[0]))
    return _bounded("\n\n".join(f"# {title}\n\n{body}".strip() for title, body in ordered))


def _without_analysis(text: str) -> str:
    """The text without what its author thought aloud; what is never closed stays."""
    kept: list[str] = []
    place = 0
    while (start := text.find("<analysis>", place)) >= 0:
        end = text.find("</analysis>", start)
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len("</analysis>")
    return "".join([*kept, text[place:]])


def _bounded(text: str) -> str:
    """The text, or its beginning with how much was left out."""
    if len(text) <= LONGEST:
        return text
    kept = text[: LONGEST - 40]
    return f"{kept}\n\n… {len(text) - len(kept):,} more characters"


def _parts(text: str) -> list[tuple[str, str]]:
    """The sections, each with its title; none where fewer than two say something."""
    bare = FENCE.sub(lambda code: " " * len(code[0]), text)
    kinds = [list(pattern.finditer(bare)) for pattern in (_NUMBERED, _TAGGED, *_HEADED)]
    # What is counted within a section of headings is not a section.
    for found in sorted(filter(None, kinds), key=lambda found: found[0].start()):
        ends = [*(match.start() for match in found[1:]), len(text)]
        parts = [
            (_title(match["title"]), _body(text[match.end() : end], match["title"]))
            for match, end in zip(found, ends, strict=True)
        ]
        if sum(bool(body) for _, body in parts) > 1:
            preface = _preface(text[: found[0].start()])
            return [(PREFACE, preface), *parts] if preface else parts
    return []


def _preface(text: str) -> str:
    """What stands before the first section, without the name of the whole."""
    return _START.sub("", _body(text), count=1).strip()


def _title(words: str) -> str:
    words = words.replace("_", " ").strip(" *:")
    return words[:1].upper() + words[1:]


def _body(text: str, tag: str = "") -> str:
    closing = f"</{tag}>"
    lines = [line.rstrip() for line in text.strip("\n").splitlines() if line.strip() != closing]
    depth = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[depth:] for line in lines).strip()
