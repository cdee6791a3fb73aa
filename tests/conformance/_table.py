"""The table that the run prints: a measure a line, remark's figure beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WIDTH = 46
AROUND = 30
"""Characters shown before and after the place where two texts part."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How one writer did: how many cases are right, and the others in words.

    A case is ``disputed`` when the readers disagree about the source itself, so that no writer can
    please them all.
    """

    right: int
    misses: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.right:,}" + (f" + {len(self.disputed)} disputed" if self.disputed else "")


@dataclass(frozen=True, slots=True)
class Row:
    """One measure; ``remark`` is ``None`` where it is the yardstick itself."""

    measure: str
    cases: int
    ours: Figures
    remark: Figures | None = None


def head(title: str) -> str:
    """Return the lines above rows."""
    return f"\n{title}\n\n{'':{WIDTH}} {'cases':>7}  {'remark':>18}  {'ujsx':>18}"


def line(row: Row) -> str:
    """Return a row as a line.

    >>> line(Row("a", 3, Figures(3), Figures(2, ("x",)))).split()
    ['a', '3', '2', '3']
    """
    remark = "–" if row.remark is None else str(row.remark)
    return f"{row.measure:{WIDTH}} {row.cases:7,}  {remark:>18}  {row.ours!s:>18}"


def account(rows: Iterable[Row], most: int) -> list[str]:
    """Return our misses, each row's first ``most``, and the disputed cases, a line per reason."""
    lines: list[str] = []
    for row in rows:
        misses, disputed = row.ours.misses, _by_reason(row.ours.disputed)
        for what, cases in (("missed", misses), ("disputed", disputed)):
            if cases:
                lines.append(f"\n{row.measure}, {what}:")
                lines += [f"- {case}" for case in cases[:most]]
                if len(cases) > most:
                    lines.append(f"- … and {len(cases) - most} more")
    return lines


def _by_reason(cases: Iterable[str]) -> list[str]:
    """Return cases with the number of others that have the same reason.

    >>> _by_reason(["tree 1: why; smaller: a", "tree 2: why; smaller: b", "tree 3: so"])
    ['tree 1: why; smaller: a (and 1 more)', 'tree 3: so']
    """
    alike: dict[str, list[str]] = {}
    for case in cases:
        reason = case.partition(": ")[2].partition("; smaller")[0]
        alike.setdefault(reason, []).append(case)
    return [
        first + (f" (and {len(others)} more)" if others else "")
        for first, *others in alike.values()
    ]


def difference(wanted: str, got: str) -> str:
    """Return where two texts part, in words.

    >>> difference("<p>a</p>", "<p>b</p>")
    "'<p>a</p>' became '<p>b</p>'"
    """
    place = next(
        (place for place, pair in enumerate(zip(wanted, got, strict=False)) if len({*pair}) > 1),
        min(len(wanted), len(got)),
    )
    part = slice(max(0, place - AROUND), place + AROUND)
    return f"{wanted[part]!r} became {got[part]!r}"


def parting(wanted: Sequence[str], got: Sequence[str]) -> str:
    """Return where two lists of tags part, in words."""
    return difference(" ".join(wanted), " ".join(got))
