"""What an edit does to a list of items: added, changed, done, open again, removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from hud_runtime.editing._pairs import Old, Pairs
from hud_runtime.editing._result import Edit, Problem
from hud_runtime.editing._rows import Row, SourcePlace
from hud_runtime.tools._record import RECORDINGS
from ujsx.errors import shown


class ListEdit:
    """Collects the operations that an edit of a list comes to, and its problems.

    :param pairs: which row is which item.
    :param place: where the list is.
    """

    def __init__(self, pairs: Pairs, place: SourcePlace) -> None:
        self.pairs = pairs
        self.kind = pairs.kind
        self.place = place
        self.items = pairs.spot.items(pairs.kind)
        """All items of the section, shown or not."""

        self.changes: list[Edit] = []
        self.problems: list[Problem] = list(pairs.problems)
        self._text = pairs.kind.fields[0]

    def compare(self) -> None:
        """Collect the operations, in an order in which each finds its item."""
        rows = self.pairs.rows
        for number, old in sorted(self.pairs.old_of.items()):
            self._compare(old, rows[number])
        for old in self.pairs.gone:
            self.change("remove", {"id": self.name(old.known.number, self.place)}, self.place)
        for number in self.pairs.new:
            self._add(rows[number])

    # --- Items that are there ---

    def _compare(self, old: Old, row: Row) -> None:
        if row.origin != old.row.origin:
            self.problem("where an item comes from is a fact; put it back", row.place, None)
        number, done = old.known.number, self.kind.kind.done
        changed = self._changed(old, row)
        if done is not None and old.row.is_done and not row.is_done:
            changed[done] = False
        if changed:
            self.change("update", {"id": self.name(number, row.place), **changed}, row.place)
        if self.kind.done is not None and row.is_done and not old.row.is_done:
            name = self.name(number, row.place, changed.get(self._text))
            self.change(self.kind.done, {"id": name}, row.place)

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

    # --- New items ---

    def _add(self, row: Row) -> None:
        same = self._same(row.values)
        if row.origin is not None:
            self.problem("a new item cannot be inherited; leave that out", row.place, None)
        elif same is not None:
            self.problem(f"{same} says that already; leave this line out", row.place, self._text)
        elif self.change(self.kind.add, row.values, row.place) and row.is_done and self.kind.done:
            name = self.name_of_new(row)
            if name is not None:
                self.change(self.kind.done, {"id": name}, row.place)

    def _same(self, said: Mapping[str, str]) -> str | None:
        """Say which item will say all that a new one says, if any will."""
        for name, values in self._open():
            if all(values.get(field) == value for field, value in said.items()):
                return name
        return None

    def _open(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """What is open when a new item is recorded: how to call it, and what it says."""
        gone = {old.known.number for old in self.pairs.gone}
        for number, item in enumerate(self.items):
            row = self.pairs.row_of(number)
            is_done = row.is_done if row is not None else not self.kind.kind.is_open(item)
            if number not in gone and not is_done:
                values = {field: getattr(item, field) for field in self.kind.fields}
                name = f"`{item.id}`" if item.id else "another line"
                yield name, values if row is None else {**values, **row.values}
        for change in self.changes:
            if change.operation == self.kind.operation(self.kind.add):
                yield f"line {change.line}", change.arguments

    # --- Names and results ---

    def name(self, number: int, place: SourcePlace, text: object = None) -> str:
        """Return what the operations call an item: its id, or else its text.

        :param number: the item's place among all.
        :param text: its text by then, where that was changed.
        """
        item = self.items[number]
        if item.id:
            return item.id
        name = str(getattr(item, self._text) if text is None else text)
        if name in self._names(but=self.pairs.row_of(number), number=number):
            self.problem(
                f"{shown(name)} has no id, and could be meant twice; edit a HUD that shows ids",
                place,
                "id",
            )
        return name

    def name_of_new(self, row: Row) -> str | None:
        """Return what operations call an item that has no id yet, or tell why nothing can."""
        text = row.values[self._text].strip()
        if text not in self._names(but=row):
            return text
        self.problem(
            "another one has this text too, so it cannot be told which is meant; word it "
            "differently, or add it at the end and undone",
            row.place,
            self._text,
        )
        return None

    def _names(self, *, but: Row | None, number: int | None = None) -> set[str]:
        """What may name an item, before the edit or after it, other than one of them."""
        others = [item for n, item in enumerate(self.items) if n != number]
        names = {item.id for item in others} | {getattr(item, self._text) for item in others}
        return names | {row.values[self._text].strip() for row in self.pairs.rows if row is not but}

    def change(self, name: str, arguments: Mapping[str, object], place: SourcePlace) -> bool:
        """Collect an operation, unless its arguments do not fit."""
        operation = self.kind.operation(name)
        try:
            valid = RECORDINGS[operation].arguments.model_validate(arguments)
        except ValidationError as error:
            for each in error.errors():
                field = ".".join(map(str, each["loc"])) or None
                self.problem(f"{each['msg']}; write something", place, field)
            return False
        self.changes.append(Edit(operation, valid.model_dump(exclude_unset=True), place.line))
        return True

    def problem(self, message: str, place: SourcePlace, field: str | None) -> None:
        """Collect what cannot be decided."""
        title = self.pairs.spot.title
        self.problems.append(Problem(message, place.line, place.column, title, field))
