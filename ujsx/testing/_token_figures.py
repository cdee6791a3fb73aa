"""The tokens that were agreed to, in a ``tokens.json`` in each folder of snapshots: by case, tier and section.

The figures say how much each section of a rendering takes. ``--snapshot-update`` writes them; ``--token-tolerance``
holds renderings to them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from ujsx import Rendered
from ujsx.errors import SnapshotError
from ujsx.rendering import RenderedNode, RenderedSection

FILE = "tokens.json"

TOTAL = "total"
"""The name of the figure for a whole rendering."""

ROWS = 40
"""Rows of the table for a pull request; the others are counted."""

Figures = dict[str, int]
"""Tokens by section."""

AgreedTokens = dict[str, dict[str, Figures]]
"""Figures by case and tier."""


class Tolerance(NamedTuple):
    """By how much a figure may exceed the agreed one: so many tokens, or percent of it."""

    tokens: int = 0
    percent: float = 0.0

    def allows(self, agreed: int, now: int) -> bool:
        """Tell whether ``now`` is not too much where ``agreed`` was agreed to.

        >>> Tolerance(percent=5).allows(100, 105), Tolerance(tokens=4).allows(100, 105)
        (True, False)
        """
        return now <= agreed + self.tokens + agreed * self.percent / 100

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Return what ``20`` or ``5%`` means.

        :raises ValueError: for anything else.
        """
        match = re.fullmatch(
            r"(?P<tokens>[0-9]{1,9})|(?P<percent>[0-9]{1,6}(\.[0-9]{1,6})?)%", text
        )
        if match is None:
            raise ValueError(
                f'"{text}" is not a tolerance; write tokens, as in 20, or percent, as in 5%'
            )
        return cls(int(match["tokens"] or 0), float(match["percent"] or 0))


class WrittenFigures(msgspec.Struct, frozen=True):
    """The figures of a snapshot that was written."""

    folder: str
    """The snapshot's folder, from pytest's root directory."""

    case: str
    tier: str
    before: Figures | None
    """The agreed ones, or the total alone where none are; None for a new snapshot."""

    now: Figures
    agreed: Figures
    """Those to be written."""

    @property
    def place(self) -> tuple[str, str]:
        """The folder and the case: what sorts the figures of many tests."""
        return self.folder, self.case


def figures_of(rendered: Rendered) -> Figures:
    """Return the tokens of each section that shows something, and of the whole.

    Sections that share a line have one figure, as a line is not the sum of its parts.
    """
    figures: Figures = {}
    for name, tokens in _by_line(rendered.nodes):
        number, place = 1, name
        while place in figures:
            number += 1
            place = f"{name} {number}"
        figures[place] = tokens
    return {**figures, TOTAL: rendered.tokens}


def _by_line(nodes: Iterable[RenderedNode]) -> Iterator[tuple[str, int]]:
    lines: list[list[RenderedNode]] = []
    goes_on = False
    for each in nodes:
        if each.goes_on and goes_on:
            lines[-1].append(each)
        elif each.tokens:
            lines.append([each])
            goes_on = True
    for line in lines:
        if any(isinstance(each, RenderedSection) for each in line):
            yield " + ".join(each.name for each in line), sum(each.tokens for each in line)


def grown(agreed: Figures, now: Figures, tolerance: Tolerance) -> str:
    """Return which sections exceed the agreed figures, and by how much; nothing where none does.

    >>> grown({"NotesSection": 40, "total": 50}, {"NotesSection": 44, "Hints": 9, "total": 63}, Tolerance(percent=30))
    'Hints has 9 tokens, and none were agreed to'
    """
    allowed = f"{tolerance.percent:g} %" if tolerance.percent else f"{tolerance.tokens} tokens"
    return "; ".join(
        f"{name} has {tokens:,} tokens, and none were agreed to"
        if name not in agreed
        else f"{name} grew from {agreed[name]:,} to {tokens:,} tokens, by more than {allowed}"
        for name, tokens in now.items()
        if not (name in agreed and tolerance.allows(agreed[name], tokens))
    )


def held(agreed: Figures, now: Figures, tolerance: Tolerance) -> Figures:
    """Return the figures to agree to: the agreed ones where they still hold, so that small steps add up.

    >>> held({"Notes": 40, "Task": 9}, {"Notes": 41, "Hints": 3}, Tolerance(percent=5))
    {'Notes': 40, 'Hints': 3}
    """
    return {
        name: agreed[name]
        if name in agreed and tokens >= agreed[name] and tolerance.allows(agreed[name], tokens)
        else tokens
        for name, tokens in now.items()
    }


def agreed_tokens(text: str | bytes) -> AgreedTokens:
    """Return the tokens that a file of agreed tokens has, by case, tier and section.

    :raises SnapshotError: for a text that says something else, such as one with the marks of a merge in it.

    >>> agreed_tokens('{"typical": {"full": {"NotesSection": 40, "total": 45}}}')["typical"]["full"]["total"]
    45
    """
    try:
        return msgspec.json.decode(text, type=AgreedTokens)
    except msgspec.MsgspecError as error:
        raise SnapshotError(
            f"{FILE} does not have tokens by case, tier and section ({error}); pytest --snapshot-update writes it anew"
        ) from None


def read_agreed(folder: Path) -> AgreedTokens:
    """Return the agreed figures of a folder of snapshots; none where there is no file.

    :raises SnapshotError: as :func:`agreed_tokens` does.
    """
    try:
        return agreed_tokens((folder / FILE).read_bytes())
    except FileNotFoundError:
        return {}


def write_agreed(root: Path, snapshots: Path, written: Iterable[WrittenFigures]) -> None:
    """Write what was agreed to, and drop the figures of snapshots that are gone.

    :param root: pytest's root directory.
    :param snapshots: the folder of all snapshots.
    """
    folders: dict[Path, list[WrittenFigures]] = {path.parent: [] for path in snapshots.rglob(FILE)}
    for each in written:
        folders.setdefault(root / each.folder, []).append(each)
    for folder, them in folders.items():
        _write(folder, them)


def _write(folder: Path, written: Iterable[WrittenFigures]) -> None:
    try:
        agreed = read_agreed(folder)
    except SnapshotError:
        agreed = {}
    for each in written:
        agreed.setdefault(each.case, {})[each.tier] = each.agreed
    kept = {
        case: there
        for case, tiers in sorted(agreed.items())
        if (
            there := {
                tier: tiers[tier]
                for tier in sorted(tiers)
                if (folder / f"{case}.{tier}.md").exists()
            }
        )
    }
    path = folder / FILE
    if not kept:
        path.unlink(missing_ok=True)
        return
    text = json.dumps(kept, indent=2, ensure_ascii=False) + "\n"
    if not path.exists() or path.read_text("utf-8") != text:
        half = path.with_name(f"{FILE}.{os.getpid()}")  # another run may be writing, too
        half.write_text(text, "utf-8", newline="\n")
        half.replace(path)


Changed = Mapping[tuple[str, str, str], tuple[Figures, Figures]]
"""The figures before and after, by folder, case and tier."""


def pull_request_table(changed: Changed) -> str:
    """Return a table in Markdown of the sections whose tokens changed, by tier; of several cases the sums.

    >>> print(pull_request_table({("", "a", "full"): ({"Notes": 9, "total": 9}, {"Notes": 12, "total": 12})}))
    | section | tier | cases | tokens |
    | --- | --- | ---: | ---: |
    | Notes | full | 1 | 9 → 12 |
    | total | full | 1 | 9 → 12 |
    """
    sums: dict[tuple[str, str], tuple[int, int, int, bool]] = {}
    for (_, _, tier), (before, after) in changed.items():
        for name in {**after, **before}:
            if name == TOTAL or before.keys() != {
                TOTAL
            }:  # else it is not known what the section had
                old, new = before.get(name, 0), after.get(name, 0)
                cases, was, becomes, is_other = sums.get((name, tier), (0, 0, 0, False))
                sums[name, tier] = cases + 1, was + old, becomes + new, is_other or old != new
    rows = [
        f"| {_cell(section)} | {tier} | {cases:,} | {_number(old)} → {_number(new)} |"
        for (section, tier), (cases, old, new, is_other) in sorted(
            sums.items(), key=lambda row: row[0][0] == TOTAL
        )
        if is_other
    ]
    if not rows:
        return ""
    more = [f"| … {len(rows) - ROWS:,} more rows | | | |"] if len(rows) > ROWS else []
    return "\n".join(
        ["| section | tier | cases | tokens |", "| --- | --- | ---: | ---: |", *rows[:ROWS], *more]
    )


def _number(tokens: int) -> str:
    return f"{tokens:,}" if tokens else "–"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
