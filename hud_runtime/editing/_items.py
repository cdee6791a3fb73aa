"""The changes that an edit makes to a list of items: added, changed, done, reopened, removed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from hud_components.declaring import as_text, is_set
from hud_components.folding import Add, Mark, Remove, Update, Verb
from hud_runtime.editing._arguments import called, checked, taken
from hud_runtime.editing._changed import Reworded
from hud_runtime.editing._editable import a
from hud_runtime.editing._pairs import Old, Pairs
from hud_runtime.editing._result import Edit, Problem
from hud_runtime.editing._rows import Row, SourcePlace
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
        self.items = pairs.spot.items
        """All items of the section, shown or not."""

        self.changes: list[Edit] = []
        self.problems: list[Problem] = list(pairs.problems)
        self._text = pairs.kind.text
        self._title = pairs.spot.title

    def compare(self) -> None:
        """Collect the operations, in an order in which each finds its item."""
        rows = self.pairs.rows
        for number, old in sorted(self.pairs.old_of.items()):
            self._compare(old, rows[number])
        for old in self.pairs.gone:
            self._remove(old)
        for number in self.pairs.new:
            self._add(rows[number])

    # --- Items that are there ---

    def _compare(self, old: Old, row: Row) -> None:
        if row.origin != old.row.origin:
            self.problem("where an item comes from is a fact; put it back", row.place, None)
        number = old.known.number
        item, update = self.items[number], self.kind.verb(Update)
        changed = {**self._reworded(old, row, item), **self._over_or_open(old, row)}
        if changed and update is not None:
            self._update(update, number, row, changed)
        mark = self.kind.verb(Mark)
        if mark is not None and row.is_done and self._is_open(item) and not old.row.is_done:
            name = self.name(number, row.place, changed.get(self._text))
            self.change(mark, {"id": name}, row.place)

    def _reworded(self, old: Old, row: Row, item: Any) -> Mapping[str, object]:
        """What an update says of an item that reads anew."""
        if row.values == old.row.values and row.fixed == old.row.fixed:
            return {}
        full, update = old.known.full, self.kind.verb(Update)
        found = Reworded(self.pairs.spot, item, old.row, row, full=full, verb=update)
        self.problems += found.problems
        return found.changed

    def _over_or_open(self, old: Old, row: Row) -> Mapping[str, object]:
        """What an update says of an item that is over now, or open again."""
        done = self.kind.done
        if done is None or row.is_done == old.row.is_done:
            return {}
        if row.is_done and self.kind.verb(Mark) is not None:
            return {}
        if self.kind.takes(self.kind.verb(Update), done):
            return {done: row.is_done}
        what = "says that it is over" if row.is_done else "opens it again"
        self.problem(f"no operation of an edit {what}; put it back as it was", row.place, done)
        return {}

    def _is_open(self, item: Any) -> bool:
        return self.kind.done is None or not getattr(item, self.kind.done)

    def _update(self, update: Update, number: int, row: Row, changed: Mapping[str, object]) -> None:
        item = self.items[number]
        name = self.name(number, row.place)
        edit = called(self.kind, update, {"id": name, **changed}, row.place, self._title)
        if not isinstance(edit, Edit):
            self.problems += edit
            return
        valid = self.kind.arguments(update).model_validate(edit.arguments)
        said = {field: getattr(valid, field) for field in changed}
        new = {field: value for field, value in said.items() if value != getattr(item, field)}
        if not new:  # the same value, written in another way
            return
        wrong = checked(self.kind, update, {**dict(item), **new}, row.place, self._title)
        self.problems += wrong
        if not wrong:
            self.changes.append(edit)

    def _remove(self, old: Old) -> None:
        remove = self.kind.verb(Remove)
        if remove is None:
            what = f"{shown(old.row.text)} is gone, and nothing removes {a(self.kind.what)}; put it back"
            self.problem(what, self.place, None)
            return
        self.change(remove, {"id": self.name(old.known.number, self.place)}, self.place)

    # --- New items ---

    def _add(self, row: Row) -> None:
        add = self.kind.verb(Add)
        same = self._same(row.told)
        if add is None:
            self.problem(f"nothing adds {a(self.kind.what)}; leave this line out", row.place, None)
        elif row.origin is not None:
            self.problem(
                "a new item is said by whoever edits, and not inherited; leave that out",
                row.place,
                None,
            )
        elif same is not None:
            self.problem(f"{same} says that already; leave this line out", row.place, self._text)
        else:
            self._add_new(add, row)

    def _add_new(self, add: Add, row: Row) -> None:
        said = taken(self.kind, add, row, row.place, self._title)
        if isinstance(said, list):
            self.problems += said
            return
        done, mark = self.kind.done, self.kind.verb(Mark)
        if row.is_done and mark is None and done is not None:
            if not self.kind.takes(add, done):
                what = "no operation of an edit says that it is over; add it as an open one"
                self.problem(what, row.place, done)
                return
            said[done] = True
        if not self.change(add, said, row.place, is_whole=True):
            return
        told = _texts(self.changes[-1].arguments)
        self._open[told.get(self._text, "")].append((f"line {row.place.line}", told))
        if row.is_done and mark is not None:
            name = self.name_of_new(row)
            if name is not None:
                self.change(mark, {"id": name}, row.place)

    def _same(self, said: Mapping[str, str]) -> str | None:
        """Say which item will say all that a new one says, if any will."""
        for name, values in self._open[said.get(self._text, "")]:
            if all(values.get(field) == value for field, value in said.items()):
                return name
        return None

    @cached_property
    def _open(self) -> defaultdict[str, list[tuple[str, Mapping[str, str]]]]:
        """What is open when new items are recorded, by its text: how to call it, and what it says."""
        gone = {old.known.number for old in self.pairs.gone}
        found: defaultdict[str, list[tuple[str, Mapping[str, str]]]] = defaultdict(list)
        for number, item in enumerate(self.items):
            row = self.pairs.row_of(number)
            is_done = row.is_done if row is not None else not self._is_open(item)
            if number not in gone and not is_done:
                values = _texts({field: getattr(item, field) for field in self.kind.fields})
                name = f"`{item.id}`" if item.id else "another line"
                values = values if row is None else {**values, **row.told}
                found[values[self._text]].append((name, values))
        return found

    # --- Names and results ---

    def name(self, number: int, place: SourcePlace, text: object = None) -> str:
        """Return what the operations call an item: its id, or else its text.

        :param number: the item's place among all.
        :param text: its text by then, where that was changed.
        """
        item = self.items[number]
        if item.id:
            return str(item.id)
        name = as_text(getattr(item, self._text) if text is None else text)
        if self._is_taken(name, row=self.pairs.row_of(number), item=item):
            self.problem(
                f"{shown(name)} has no id, and could be meant twice; edit a HUD that shows ids",
                place,
                "id",
            )
        return name

    def name_of_new(self, row: Row) -> str | None:
        """Return what operations call an item that has no id yet, or tell why nothing can."""
        text = row.told.get(self._text, "").strip()
        if text and not self._is_taken(text, row=row):
            return text
        self.problem(
            "another one has this text too, so it cannot be told which is meant; word it "
            "differently, or add it at the end and undone",
            row.place,
            self._text,
        )
        return None

    def _is_taken(self, name: str, *, row: Row | None, item: Any = None) -> bool:
        """Tell whether a name may mean something else than an item, before the edit or after it."""
        own = () if item is None else self._names_of(item)
        rows = () if row is None else (row.told.get(self._text, "").strip(),)
        return self._names[name] > (*own, *rows).count(name)

    @cached_property
    def _names(self) -> Counter[str]:
        """How many items and rows may be meant by a name."""
        items = [name for item in self.items for name in self._names_of(item)]
        return Counter([*items, *(row.told.get(self._text, "").strip() for row in self.pairs.rows)])

    def _names_of(self, item: Any) -> tuple[str, str]:
        return item.id, as_text(getattr(item, self._text))

    def change(
        self,
        verb: Verb,
        arguments: Mapping[str, object],
        place: SourcePlace,
        *,
        is_whole: bool = False,
    ) -> bool:
        """Collect an operation, unless its arguments do not fit.

        :param is_whole: whether they make an item, which then has to be one.
        """
        edit = called(self.kind, verb, arguments, place, self._title)
        if not isinstance(edit, Edit):
            self.problems += edit
            return False
        wrong = checked(self.kind, verb, edit.arguments, place, self._title) if is_whole else []
        self.problems += wrong
        if wrong:
            return False
        self.changes.append(edit)
        return True

    def problem(self, message: str, place: SourcePlace, field: str | None) -> None:
        """Collect what cannot be decided."""
        self.problems.append(Problem(message, place.line, place.column, self._title, field))


def _texts(values: Mapping[str, Any]) -> Mapping[str, str]:
    return {field: as_text(value) if is_set(value) else "" for field, value in values.items()}
