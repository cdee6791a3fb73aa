"""A text in pieces, and the text again without some of them: each gap is named in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

SHORTEST = 120
"""Characters of a gap that are less than what is said of it."""

WORDS: Mapping[str, str] = {
    "more": "{count:,} more lines",
    "alike": "{count:,} lines like these",
    "passed": "{count:,} lines of what passed or is under way",
    "libraries": "{count:,} lines of libraries, or said before",
    "elements": "{count:,} more elements",
    "long": "{characters:,} characters",
}
"""What is said of a gap, by why it is there."""

CALL = "hud output {id}"
"""The call that shows the whole: the tool, its operation, the output's id. Lines may stand behind it."""

_ENDS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A gap."""

    start: int
    """Where it begins in the whole text, in characters."""
    end: int
    """Where it ends."""
    first: int
    """The first line of it, from 1; lines end where there is a line feed."""
    last: int
    """The last line of it."""
    why: str
    """A key of :data:`WORDS`."""


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text with their ends; what a terminal writes over is a line as well.

    >>> lines_of("10%\r50%\rdone\r\nend")
    ['10%\r', '50%\r', 'done\r\n', 'end']
    """
    return [each for each in _ENDS.split(text) if each]


def written(
    pieces: Sequence[str], cuts: Mapping[int, str], name: str
) -> tuple[str, tuple[Cut, ...]]:
    r"""Return a text without some of its pieces, with a line in each gap, and the gaps.

    A gap of less than :data:`SHORTEST` characters stays.

    :param cuts: why each of the pieces goes, by its number.
    :param name: the id of the whole.

    >>> written(["a\n", "b" * 200 + "\n", "c\n"], {1: "more"}, "o-1")[0]
    'a\n… 1 more lines: hud output o-1 2-2\nc\n'
    """
    made: list[str] = []
    found: list[Cut] = []
    has_lines = any("\n" in each for each in pieces)
    start, line = 0, 1
    for numbers in _groups(len(pieces), cuts):
        text = "".join(pieces[each] for each in numbers)
        end, lines = start + len(text), text.count("\n")
        if numbers[0] in cuts and len(text) >= SHORTEST:
            last = line + lines - text.endswith("\n")
            cut = Cut(start, end, line, last, _why(numbers, cuts))
            found.append(cut)
            made.append(_said(cut, len(numbers), name, text, has_lines=has_lines))
        else:
            made.append(text)
        start, line = end, line + lines
    return "".join(made), tuple(found)


def _groups(count: int, cuts: Mapping[int, str]) -> Iterator[range]:
    """Pieces that stay, and those that go, in turns."""
    start = 0
    for number in range(1, count + 1):
        if number == count or (number in cuts) != (start in cuts):
            yield range(start, number)
            start = number


def _why(numbers: range, cuts: Mapping[int, str]) -> str:
    reasons = {cuts[each] for each in numbers}
    return reasons.pop() if len(reasons) == 1 else "more"


def _said(cut: Cut, count: int, name: str, text: str, *, has_lines: bool) -> str:
    words = WORDS[cut.why].format(count=count, characters=cut.end - cut.start)
    where = f" {cut.first}-{cut.last}" if has_lines else ""
    # Where the gap is inside a line, so is what is said of it.
    end = "\n" if text.endswith(("\n", "\r")) else " " if cut.why in ("long", "elements") else ""
    begin = " " if cut.why in ("long", "elements") and not end.startswith("\n") else ""
    return f"{begin}… {words}: {CALL.format(id=name)}{where}{end}"
