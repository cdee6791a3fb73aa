"""A lock of token counts: what each part took when somebody last agreed to it, and what it takes now.

A lock is a file of JSON, sorted, with a figure on each line, so that a review shows what grew. Figures
stand under a target (``hud``, a layout's file, an import path), a tier of it (``full``, a tool's
dialect) and a name (a section, a tool, ``total``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._files import read_text, rewrite

_TOLERANCE = re.compile(r"(?P<tokens>[0-9]+)|(?P<percent>[0-9]+(\.[0-9]+)?)%")

Figures: TypeAlias = Mapping[str, Mapping[str, int]]
"""The tokens of a target, by tier and name."""

Verdict: TypeAlias = Literal["grew", "new", "gone", "shrank", "within the tolerance"]

FAILS: frozenset[Verdict] = frozenset({"grew", "new", "gone"})
"""What a check does not let pass: more tokens, or a part of which it cannot tell how many there were
or are."""

_KIND = {"ujsx": "budget lock", "format": 1}
"""What the file says that it is."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """By how much a figure may exceed the lock's: so many tokens, or percent of it."""

    tokens: int = 0
    percent: float = 0.0

    def allows(self, old: int, new: int) -> bool:
        """Tell whether ``new`` is not too much for what was ``old``.

        >>> Tolerance(percent=5).allows(100, 105), Tolerance(tokens=4).allows(100, 105)
        (True, False)
        """
        return new <= old + self.tokens + old * self.percent / 100

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Return what ``20`` or ``5%`` means.

        :raises ValueError: for anything else.
        """
        match = _TOLERANCE.fullmatch(text)
        if match is None:
            raise ValueError(text)
        return cls(int(match["tokens"] or 0), float(match["percent"] or 0))


@dataclass(frozen=True, slots=True)
class Change:
    """A figure that is not the lock's."""

    target: str
    tier: str
    name: str
    old: int | None
    new: int | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Lock:
    """Figures, and what they are figures of: with other words for either they cannot be compared."""

    counter: str
    session: str
    """An id, or the path of a file from the lock's folder, so that it is found in every clone."""

    targets: Mapping[str, Figures]

    domain: str | None = None
    """The name of the session's domain; None for the coding HUD's."""

    turn: int | None = None
    """The turn after which the session is shown; None for the last one."""

    @property
    def shown(self) -> str:
        """The session and its turn, as a message has them."""
        return self.session if self.turn is None else f"{self.session}, turn {self.turn}"

    @classmethod
    def read(cls, name: str) -> Lock:
        """Return the lock in a file.

        :raises UsageError: for a file that is not there, or holds no lock.
        """
        try:
            data: Any = json.loads(read_text(name))
            found = {key: data[key] for key in ("ujsx", "format", "counter", "session", "targets")}
            found |= {key: data.get(key) for key in ("domain", "turn")}
            if {key: found.pop(key) for key in _KIND} == _KIND:
                lock = cls(**found)
                lock.check()
                return lock
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            if isinstance(error, UsageError):
                raise
        raise UsageError(f"{name} is no lock; remove it and write it anew with --update")

    def check(self) -> None:
        """Raise ``ValueError`` unless all figures are numbers of tokens."""
        figures = [figure for _, _, _, figure in self.figures()]
        words: tuple[object, ...] = (self.counter, self.session, self.domain or "")
        if (
            not all(type(each) is int and each >= 0 for each in figures)
            or not all(isinstance(each, str) for each in words)
            or not (self.turn is None or type(self.turn) is int)
        ):
            raise ValueError("no figures")

    def figures(self) -> Iterator[tuple[str, str, str, int]]:
        """Yield each figure, behind its target, its tier and its name."""
        for target, tiers in self.targets.items():
            for tier, parts in tiers.items():
                for name, tokens in parts.items():
                    yield target, tier, name, tokens

    def write(self, name: str) -> None:
        """Write the lock to a file, in one step where the file is there.

        :raises UsageError: if it cannot be written.
        """
        data = {**_KIND, "counter": self.counter, "session": self.session, "targets": self.targets}
        told = {"domain": self.domain, "turn": self.turn}
        data |= {key: value for key, value in told.items() if value is not None}
        text = json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        try:
            if Path(name).exists():
                rewrite(name, text)
            else:
                Path(name).write_text(text, "utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"{name} cannot be written: {error.strerror or error}") from None

    def check_same(self, other: Lock, name: str) -> None:
        """Refuse to compare figures of different things.

        :raises UsageError: if counter or session differ; the message says which.
        """
        both = {"counter": (self.counter, other.counter), "session": (self.shown, other.shown)}
        for what, (mine, theirs) in both.items():
            if mine != theirs:
                raise UsageError(
                    f"{name} has figures of the {what} {mine!r}, and these are of {theirs!r}, so "
                    f"nothing can be told; name that {what}, or agree to new figures with --update"
                )

    def with_targets(self, other: Lock) -> Lock:
        """Return the lock with the targets of another one in place of its own of that name."""
        return replace(other, targets={**self.targets, **other.targets})

    def changes(self, now: Lock, tolerance: Tolerance) -> list[Change]:
        """Return what is not as in the lock, of the targets that ``now`` has."""
        before = {row[:3]: row[3] for row in self.figures() if row[0] in now.targets}
        after = {row[:3]: row[3] for row in now.figures()}
        # In the order of what is shown now; what is gone stands at the end of its tier.
        order = {place: number for number, place in enumerate(dict.fromkeys(r[:2] for r in after))}
        places = sorted({**after, **before}, key=lambda row: order.get(row[:2], len(order)))
        return [
            Change(*place, before.get(place), after.get(place), verdict)
            for place in places
            if (verdict := _verdict(before.get(place), after.get(place), tolerance))
        ]


def _verdict(old: int | None, new: int | None, tolerance: Tolerance) -> Verdict | None:
    if old is None:
        return "new"
    if new is None:
        return "gone"
    if new == old:
        return None
    if new < old:
        return "shrank"
    return "within the tolerance" if tolerance.allows(old, new) else "grew"


def table(changes: list[Change]) -> str:
    """Return changes as a table.

    >>> print(table([Change("hud", "full", "TaskSection", 12, 15, "grew")]), end="")
    target  tier  part         locked  now
    hud     full  TaskSection      12   15  +3 grew
    """
    header = ("target", "tier", "part", "locked", "now")
    rows = [
        (each.target, each.tier, each.name, _number(each.old), _number(each.new))
        for each in changes
    ]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    said = ["", *(f"  {_difference(each)}{each.verdict}" for each in changes)]
    return "".join(
        "  ".join(
            f"{cell:>{width}}" if column > 2 else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + f"{verdict}\n"
        for row, verdict in zip([header, *rows], said, strict=True)
    )


def _number(tokens: int | None) -> str:
    return "–" if tokens is None else f"{tokens:,}"


def _difference(change: Change) -> str:
    if change.old is None or change.new is None:
        return ""
    return f"{change.new - change.old:+,} "
