"""What an edit does to a list of items: added, changed, done, open again, removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from hud_runtime.editing._kinds import Editable
from hud_runtime.editing._layout import Known, Spot
from hud_runtime.editing._match import match
from hud_runtime.editing._page import Found
from hud_runtime.editing._result import Change, Problem
from hud_runtime.editing._rows import Place, Row
from hud_runtime.projection import Item
from hud_runtime.tools._record import RECORDINGS
from ujsx._errors import did_you_mean, shown


@dataclass(frozen=True, slots=True)
class Old:
    """An item before the edit: as recorded, and as the text had it."""

    known: Known
    row: Row

    @property
    def item(self) -> Item:
        return self.known.item


class ListEdit:
    """Compares one list before and after an edit, and collects what that comes to.

    :param before: what the text had.
    :param after: what it has.
    :param ids: the section's title by each id that another section shows.
    """

    def __init__(self, kind: Editable, before: Found, after: Found, ids: Mapping[str, str]) -> None:
        self.kind = kind
        self.spot: Spot = before.spot
        self.all = self.spot.items(kind)
        self.old = [
            Old(known, row) for known, row in zip(self.spot.shown(kind), before.rows, strict=True)
        ]
        self.after = after
        self.changes: list[Change] = []
        self.problems: list[Problem] = []
        self._ids = ids
        self.pairs: dict[int, Old] = {}
        """The item before the edit, by the number of its row after it."""

        self.new: list[int] = []
        """The numbers of the rows that are new."""

        self.gone: list[Old] = []
        self._match()

    @property
    def rows(self) -> Sequence[Row]:
        """The rows after the edit."""
        return self.after.rows

    # --- Which is which ---

    def _match(self) -> None:
        by_id = {old.row.id: old for old in self.old if old.row.id}
        seen: dict[str, Row] = {}
        open_rows: list[int] = []
        for number, row in enumerate(self.rows):
            if not row.id:
                open_rows.append(number)
            elif row.id in seen:
                first = seen[row.id].place.line
                self.problem(
                    f"`{row.id}` stands on line {first} already; leave the id out of a new "
                    f"{self.kind.what}",
                    row.place,
                    "id",
                )
            elif row.id in by_id:
                seen[row.id] = row
                self.pairs[number] = by_id[row.id]
            else:
                self._unknown(row, by_id)
        left = [old for old in self.old if old.row.id not in seen]
        unsure = self._match_texts(left, open_rows)
        paired = {id(old) for old in self.pairs.values()}
        lost = [old for old in left if id(old) not in paired and id(old) not in unsure]
        # What could not be read, or has a wrong id, may be what is missing.
        self.gone = [] if self.after.unreadable or self.problems else lost
        self.new.sort()

    def _match_texts(self, left: list[Old], rows: list[int]) -> set[int]:
        """Match rows that show no id; return which items may be there or not."""
        # An item that showed its id is found by its very text if the id is gone, not by a near one.
        texts = {_text(self.rows[number]) for number in rows}
        left = [old for old in left if not old.row.id or _text(old.row) in texts]
        found = match(
            [_text(old.row) for old in left], [_text(self.rows[number]) for number in rows]
        )
        for at, number in enumerate(rows):
            if at in found.unclear:
                several = ", ".join(shown(_text(left[n].row)) for n in found.unclear[at])
                self.problem(
                    f"this could be any of {several}; edit a HUD that shows ids",
                    self.rows[number].place,
                    self.kind.fields[0],
                )
            elif at in found.pairs:
                self.pairs[number] = left[found.pairs[at]]
            else:
                self.new.append(number)
        return {id(left[n]) for n in found.vague}

    def _unknown(self, row: Row, by_id: Mapping[str, Old]) -> None:
        hint = did_you_mean(str(row.id), by_id)
        other = self._ids.get(str(row.id))
        if other is not None:
            hint = f"it is in {other}, and items do not move between sections"
        self.problem(
            f"there is no `{row.id}` in {self.spot.title}; {hint}; a new {self.kind.what} has no id",
            row.place,
            "id",
        )

    # --- What changed ---

    def compare(self) -> None:
        """Collect the operations, in an order in which each finds its item."""
        for number, old in sorted(self.pairs.items()):
            self._compare(old, self.rows[number])
        for old in self.gone:
            self._remove(old)
        for number in self.new:
            self._add(self.rows[number])

    def _compare(self, old: Old, row: Row) -> None:
        if row.origin != old.row.origin:
            self.problem("where an item comes from is a fact; put it back", row.place, None)
        changed = self._changed(old, row)
        if old.row.is_done and not row.is_done and self.kind.kind.done:
            changed[self.kind.kind.done] = False
        if changed:
            self.change("update", {"id": self.name(old.item, row.place), **changed}, row.place)
        if row.is_done and not old.row.is_done and self.kind.done:
            name = self.name(old.item, row.place, changed.get(self.kind.fields[0]))
            self.change(self.kind.done, {"id": name}, row.place)

    def _remove(self, old: Old) -> None:
        place = self.after.place or Place(1, 1)
        self.change("remove", {"id": self.name(old.item, place)}, place)

    def _changed(self, old: Old, row: Row) -> dict[str, object]:
        changed: dict[str, object] = {}
        for field in self.kind.fields:
            before, now = old.row.values.get(field, ""), row.values.get(field, "")
            if before == now:
                continue
            if before and before != old.known.full.get(field):
                self.problem(
                    f"only the beginning of it, or a short form, was shown: {shown(before)}; put "
                    "that back, or edit the HUD in full",
                    row.place,
                    field,
                )
            else:
                changed[field] = now
        return changed

    def _add(self, row: Row) -> None:
        said = dict(row.values)
        same = self._same(said)
        if row.origin is not None:
            self.problem("a new item cannot be inherited; leave that out", row.place, None)
        elif same is not None:
            self.problem(
                f"{same} says that already; leave this line out", row.place, self.kind.fields[0]
            )
        elif self.change(self.kind.add, said, row.place) and row.is_done and self.kind.done:
            name = self.name_of_new(row)
            if name is not None:
                self.change(self.kind.done, {"id": name}, row.place)

    def _same(self, said: Mapping[str, str]) -> str | None:
        """Name what will say all that a new item says, if anything will."""
        first = self.kind.fields[0]
        for text, values, name in self._others():
            if text == said[first] and all(values.get(k, "") == v for k, v in said.items()):
                return name
        return None

    def _others(self) -> list[tuple[str, Mapping[str, Any], str]]:
        """What is open when a new item is recorded: its text, all it says, and its name."""
        first = self.kind.fields[0]
        after = {id(old.item): self.rows[number] for number, old in self.pairs.items()}
        gone = {id(old.item) for old in self.gone}
        others: list[tuple[str, Mapping[str, Any], str]] = []
        for item in self.all:
            row = after.get(id(item))
            done = row.is_done if row is not None else not self.kind.kind.is_open(item)
            if id(item) in gone or done:
                continue
            values = {field: getattr(item, field) for field in self.kind.fields}
            if row is not None:
                values |= row.values
            others.append((values[first], values, f"`{item.id}`" if item.id else "another line"))
        for each in self.changes:
            if each.operation == self.kind.operation(self.kind.add):
                said: dict[str, Any] = dict(each.arguments)
                others.append((said[first], said, f"line {each.line}"))
        return others

    # --- Names and results ---

    def name(self, item: Item, place: Place, text: object = None) -> str:
        """Return what the operations call an item: its id, or else its text.

        :param text: its text by then, where that was changed.
        """
        if item.id:
            return item.id
        name = str(getattr(item, self.kind.kind.text) if text is None else text)
        if not self._is_alone(name, but=item):
            self.problem(
                f"{shown(name)} has no id, and could be meant twice; edit a HUD that shows ids",
                place,
                "id",
            )
        return name

    def name_of_new(self, row: Row) -> str | None:
        """Return what operations call an item that has no id yet, or say why nothing can."""
        text = row.values[self.kind.fields[0]].strip()
        if self._is_alone(text, but=row):
            return text
        self.problem(
            "another one has this text too, so it cannot be told which is meant; word it "
            "differently, or add it at the end and undone",
            row.place,
            self.kind.fields[0],
        )
        return None

    def _is_alone(self, text: str, *, but: Item | Row) -> bool:
        """Tell whether a text names one item, whatever was done before."""
        first = self.kind.fields[0]
        recorded = [item for item in self.all if item is not but]
        names = {item.id for item in recorded}
        names |= {getattr(item, self.kind.kind.text) for item in recorded}
        for number, row in enumerate(self.rows):
            is_own = number in self.pairs and self.pairs[number].item is but
            if row is not but and not is_own:
                names.add(row.values[first].strip())
        return text not in names

    def change(self, name: str, arguments: Mapping[str, object], place: Place) -> bool:
        """Collect an operation, unless its arguments do not fit."""
        operation = self.kind.operation(name)
        try:
            valid = RECORDINGS[operation].arguments.model_validate(arguments)
        except ValidationError as error:
            for each in error.errors():
                field = ".".join(map(str, each["loc"])) or None
                self.problem(f"{each['msg']}; write something", place, field)
            return False
        self.changes.append(Change(operation, valid.model_dump(exclude_unset=True), place.line))
        return True

    def problem(self, message: str, place: Place, field: str | None) -> None:
        """Collect what cannot be decided."""
        self.problems.append(Problem(message, place.line, place.column, self.spot.title, field))


def _text(row: Row) -> str:
    return " — ".join(row.values.values())
