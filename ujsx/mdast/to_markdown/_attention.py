"""Markers for emphasis, strong and strikethrough that a parser pairs as the tree has them.

CommonMark pairs runs of delimiters by what stands at their sides (6.2, rules 1 to 17). The
markers are chosen here from the outside in, one node after the other, so that four things hold;
then every closing run finds its own opening run as the nearest one, whatever the depth:

1. Each opening run can open and each closing run can close. Where a neighbour is in the way, it
   is written as a character reference, which is punctuation to every parser.
2. No two runs of one character touch, so none merges with another; the exception is a span that
   shares an edge with its parent of the other kind (``***a** b*``), and strong that is all that
   its parent strong holds (``****a****``).
3. An opening run that could close as well has no open run of its character and a matching length
   around it.
4. Strikethrough does not stand in strikethrough.

Where neither ``*`` nor ``_`` does it, the tree cannot be written.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from ._characters import (
    CONTROL,
    OTHER,
    PUNCTUATION,
    SPACE,
    character_class,
    has_reference,
)


class Marks(NamedTuple):
    """How a span is written: its run, and whether the neighbours become references."""

    run: str
    before: bool
    after: bool
    shares_run: bool


class Around(NamedTuple):
    """What stands around and in a span.

    ``before`` and ``after`` are the characters outside, ``""`` at a block's edge; ``first`` and
    ``last`` those inside. ``sibling`` is the run that ends right before the span, ``parent`` the
    marks of the parent span if the span is its first or its last child.
    """

    before: str
    after: str
    first: str
    last: str
    sibling: str
    parent: Marks | None
    is_first: bool
    is_last: bool


BREAK_EDGE = "\v"
"""Stands for a hard break inside a span's edge: like a control, no reference can replace it."""


class OpenRuns:
    """The lengths of the runs that are open around a place, by marker, innermost last."""

    __slots__ = ("_lengths",)

    def __init__(self) -> None:
        self._lengths: defaultdict[str, list[int]] = defaultdict(list)

    def push(self, marks: Marks, *, is_first: bool) -> None:
        """Open a span; one that shares its parent's run makes one run of the two."""
        lengths = self._lengths[marks.run[0]]
        length = len(marks.run)
        if marks.shares_run and is_first:
            length += lengths[-1]
            lengths[:] = [length] * len(lengths)
        lengths.append(length)

    def pop(self, marks: Marks) -> None:
        """Close the innermost span."""
        self._lengths[marks.run[0]].pop()

    def depth(self, marker: str) -> int:
        """Return how many spans with this marker are open."""
        return len(self._lengths[marker])

    def is_one_run_of_strong(self, marker: str) -> bool:
        """True if the open spans with this marker are strong, each all that the last one holds."""
        lengths = self._lengths[marker]
        return lengths[-1] == 2 * len(lengths)

    def would_close(self, marker: str, length: int) -> bool:
        """True if a run that can open and close would close one of these (rules 9 and 10)."""
        return any((length + other) % 3 for other in self._lengths[marker])


def choose(length: int, preferred: str, around: Around, open_runs: OpenRuns) -> Marks | None:
    """Return the marks of a span, or ``None`` if it cannot be written where it stands.

    >>> alone = Around("", "", "a", "b", "", None, True, True)
    >>> choose(2, "*", alone, OpenRuns())
    Marks(run='**', before=False, after=False, shares_run=False)
    """
    if preferred == "~":
        return None if open_runs.depth("~") else _attempt("~", length, around, open_runs)
    markers = "*_" if preferred == "*" else "_*"
    attempts = [
        (marker, same_kind)
        for same_kind in (False, True)  # ``****a****`` is for where nothing else does
        for marker in markers
    ]
    for marker, same_kind in attempts:
        marks = _attempt(marker, length, around, open_runs, same_kind=same_kind)
        if marks is not None:
            return marks
    return None


def _attempt(
    marker: str, length: int, around: Around, open_runs: OpenRuns, *, same_kind: bool = False
) -> Marks | None:
    if around.sibling == marker:
        return None
    parent = around.parent
    shares_run = parent is not None and parent.run[0] == marker
    if shares_run and not _can_share(length, around, open_runs, same_kind=same_kind):
        return None
    if shares_run and around.is_first:
        before: bool | None = None if character_class(around.first) == CONTROL else False
    else:
        before = _opening(marker, length, around, open_runs)
    after = _closing(marker, around)
    if before is None or after is None:
        return None
    return Marks(marker * length, before, after, shares_run)


def _can_share(length: int, around: Around, open_runs: OpenRuns, *, same_kind: bool) -> bool:
    """Whether a span may touch its parent's run: ``***`` is read as strong within emphasis,
    ``****`` as strong within strong.
    """
    parent = around.parent
    assert parent is not None
    if len(parent.run) == length:
        is_all = same_kind and around.is_first and around.is_last
        return length == 2 and is_all and open_runs.is_one_run_of_strong(parent.run[0])
    return open_runs.depth(parent.run[0]) == 1 and not (
        around.is_first and around.is_last and length == 1
    )


def _opening(marker: str, length: int, around: Around, open_runs: OpenRuns) -> bool | None:
    """Return whether the character before must become a reference; ``None``: it does not help."""
    first = character_class(around.first)
    if first == CONTROL:
        return None
    outside = character_class(around.before)
    if outside == SPACE:
        return False
    if open_runs.would_close(marker, length):
        # To micromark a run behind a marker can close, whatever is at its other side.
        if first != OTHER or around.before in "*_~":
            return None
    elif first == OTHER and marker != "_":
        return False
    return _as_punctuation(outside, around.before)


def _closing(marker: str, around: Around) -> bool | None:
    """Return whether the character after must become a reference; ``None``: it does not help."""
    last = character_class(around.last)
    if last == CONTROL:
        return None
    outside = character_class(around.after)
    if outside == SPACE or (last == OTHER and marker != "_"):
        return False
    return _as_punctuation(outside, around.after)


def stands(inside: int, outside: int) -> bool:
    """Tell whether a ``*`` or ``~`` between characters of these classes needs no reference.

    So it is where no span is open around it, and none beside it.

    >>> stands(OTHER, OTHER), stands(PUNCTUATION, SPACE), stands(PUNCTUATION, OTHER)
    (True, True, False)
    """
    if inside in (CONTROL, SPACE):
        return False
    return inside == OTHER or outside in (SPACE, PUNCTUATION)


def _as_punctuation(outside: int, character: str) -> bool | None:
    if outside == PUNCTUATION:
        return False
    return True if has_reference(character) else None
