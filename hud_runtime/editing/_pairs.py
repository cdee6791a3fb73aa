"""The pairs of rows and items in an edited list: kept, new, and gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hud_runtime.editing._errors import EditError
from hud_runtime.editing._layout import Known
from hud_runtime.editing._match import match
from hud_runtime.editing._page import Found
from hud_runtime.editing._result import Problem
from hud_runtime.editing._rows import Row, SourcePlace
from ujsx.errors import did_you_mean, shown

NAMED = 3
"""How many items a problem names that a row could be."""


@dataclass(frozen=True, slots=True)
class Old:
    """An item before the edit: as recorded, and as the text had it."""

    known: Known
    row: Row


class Pairs:
    """The rows of an edited list, and the items that they are.

    :param before: what the text had.
    :param after: what it has.
    :param elsewhere: by id, the title of the other section that shows it.
    """

    def __init__(self, before: Found, after: Found, elsewhere: Mapping[str, str]) -> None:
        self.spot = before.spot
        self.kind = before.spot.kind
        self.old = _old(before)
        self.rows: Sequence[Row] = after.rows
        self.old_of: dict[int, Old] = {}
        """The item before the edit, by the number of its row."""

        self.new: list[int] = []
        """The numbers of the rows that are new."""

        self.gone: list[Old] = []
        self.problems: list[Problem] = []
        self._elsewhere = elsewhere
        self._pair_ids()
        found = {old.known.number for old in self.old_of.values()}
        left = [old for old in self.old if old.known.number not in found]
        vague = self._pair_texts(left)
        self._row_of = {old.known.number: self.rows[row] for row, old in self.old_of.items()}
        # What could not be read, or has a wrong id, may be what is missing.
        if not after.unreadable and not self.problems:
            there = {old.known.number for old in self.old_of.values()} | vague
            self.gone = [old for old in left if old.known.number not in there]

    def row_of(self, number: int) -> Row | None:
        """Return the row that an item has after the edit, by the item's number."""
        return self._row_of.get(number)

    def _pair_ids(self) -> None:
        """Pair the rows that show an id; where a state has one twice, in its order."""
        by_id: dict[str, list[Old]] = defaultdict(list)
        for old in self.old:
            if old.row.id:
                by_id[old.row.id].append(old)
        seen: dict[str, list[Row]] = defaultdict(list)
        for number, row in enumerate(self.rows):
            if not row.id:
                continue
            there, before = by_id.get(row.id, []), seen[row.id]
            if not there:
                self._problem(self._unknown(row.id, by_id), row.place, "id")
            elif len(before) == len(there):
                self._problem(
                    f"`{row.id}` stands on line {before[0].place.line} already; leave the id "
                    f"out of a new {self.kind.what}",
                    row.place,
                    "id",
                )
            else:
                self.old_of[number] = there[len(before)]
                before.append(row)

    def _unknown(self, name: str, known: Iterable[str]) -> str:
        other = self._elsewhere.get(name)
        if other is None:
            hint = did_you_mean(name, known)
        else:
            hint = f"it is in {other}, and items do not move between sections"
        return (
            f"there is no `{name}` in {self.spot.title}; {hint}; a new {self.kind.what} has no id"
        )

    def _pair_texts(self, left: list[Old]) -> set[int]:
        """Pair the rows that show no id; return the numbers of items that may be there or not."""
        rows = [number for number, row in enumerate(self.rows) if not row.id]
        rows = [number for number in rows if not self._is_bare_id(self.rows[number])]
        texts = [self.rows[number].text for number in rows]
        # An item that showed its id is found by its very text if the id is gone, not by a near one.
        left = [old for old in left if not old.row.id or old.row.text in texts]
        found = match([old.row.text for old in left], texts)
        for at, number in enumerate(rows):
            if at in found.unclear:
                several = [shown(left[n].row.text) for n in found.unclear[at]]
                if len(several) > NAMED:
                    several[NAMED:] = ["…"]
                self._problem(
                    f"this could be any of {', '.join(several)}; edit a HUD that shows ids",
                    self.rows[number].place,
                    self.kind.text,
                )
            elif at in found.pairs:
                self.old_of[number] = left[found.pairs[at]]
            else:
                self.new.append(number)
        return {left[n].known.number for n in found.vague}

    def _is_bare_id(self, row: Row) -> bool:
        """Tell whether only the id is left of an item, which then reads like a new one."""
        known = {f"`{old.row.id}`" for old in self.old if old.row.id}
        is_bare = row.text in known
        if is_bare:
            self._problem(
                f"nothing is left of {row.text} but its id; delete the line, or write something",
                row.place,
                self.kind.text,
            )
        return is_bare

    def _problem(self, message: str, place: SourcePlace, field: str) -> None:
        self.problems.append(Problem(message, place.line, place.column, self.spot.title, field))


def _old(before: Found) -> list[Old]:
    shown_items = before.spot.shown
    if len(shown_items) != len(before.rows):
        raise EditError(
            f"{before.spot.title} shows {len(shown_items)} items, and {len(before.rows)} can be "
            "read from its text; give the forms of an item texts that differ"
        )
    return [Old(known, row) for known, row in zip(shown_items, before.rows, strict=True)]
