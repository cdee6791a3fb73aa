"""An edit of a section: items added, changed, completed, moved; a value set, reworded, cleared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, to_jsonable_python

from hud_components.declaring import Partial, as_text, is_set
from hud_components.folding import Add, Clear, Mark, Remove, Reorder, Set, Update, Verb
from hud_components.words import line
from hud_runtime.editing._editable import Edit, Editable, EditProblem, a
from hud_runtime.editing._page import FoundSection, Row, SourcePlace
from ujsx.errors import complaint, did_you_mean, is_raised, listed, mistakes_of, shown

ModelT = TypeVar("ModelT", bound=BaseModel)


class SectionReport:
    """Collects the operations of an edit of a section, and its problems.

    :param title: the section's title, for problems.
    """

    def __init__(self, kind: Editable, title: str) -> None:
        self.kind = kind
        self.operations: list[Edit] = []
        self.problems: list[EditProblem] = []
        self._title = title

    def problem(self, message: str, place: SourcePlace, field: str | None = None) -> None:
        """Collect a problem."""
        self.problems.append(place.problem(message, self._title, field))

    def call(
        self,
        verb: Verb,
        arguments: Mapping[str, object],
        place: SourcePlace,
        whole: Mapping[str, object] | None = None,
    ) -> bool:
        """Collect an operation, unless its arguments are invalid.

        :param whole: the item, or the value, that it makes, which must be valid as well.
        """
        valid = self.valid(self.kind.arguments(verb), arguments, verb, place)
        value = self.kind.section.value
        if valid is None or (whole is not None and self.valid(value, whole, verb, place) is None):
            return False
        self.operations.append(Edit(self.kind.operation(verb), _sent(valid), place.line))
        return True

    def valid(
        self, model: type[ModelT], values: Mapping[str, object], verb: Verb, place: SourcePlace
    ) -> ModelT | None:
        """Return a model of values as in a call of an operation, or report those that are invalid."""
        try:
            return model.model_validate(values)
        except ValidationError as error:
            for each in mistakes_of(error):
                field = ".".join(map(str, each["loc"])) or None
                self.problem(_message(each, self.kind.operation(verb)), place, field)
        return None

    def arguments(self, verb: Verb, row: Row) -> dict[str, object]:
        """Return an operation's arguments from a row, and report the fields that cannot be set."""
        said: dict[str, object] = {}
        for name, value in row.said.items():
            info = self.kind.section.value.model_fields[name]
            usual = info.get_default(call_default_factory=True)
            if not self.kind.takes(verb, name):
                if row.told.get(name, "") != (as_text(usual) if is_set(usual) else ""):
                    self.problem("only operations set it; leave it out", row.place, name)
            elif is_set(value) or value != usual:
                try:
                    said[name] = merged(row, name, None)
                except ValueError as error:
                    what = f"{error}; `hud {self.kind.operation(verb)}` takes all of it"
                    self.problem(what, row.place, name)
        return said


def merged(row: Row, name: str, old: object) -> object:
    """Return a row's value of a field, given its old value.

    :raises ValueError: with the reason, if the row's value is incomplete.
    """
    look, value = row.form.looks.get(name), row.said[name]
    if look is not None and look.merge is not None and is_set(value) and name in row.values:
        return look.merge(old, row.values[name])
    if isinstance(value, Partial):
        known = row.form.examples[name]
        is_choice = look is None or look.write is as_text
        instead = f"one of {listed(known)}" if is_choice else f"it like {shown(known[0])}"
        raise ValueError(f"write {instead}, not {shown(value)}")  # noqa: TRY004 - of a text, not a type
    return value


def _message(error: ErrorDetails, operation: str) -> str:
    if error["type"] == "missing":
        return f"it is required, and this line does not tell it; `hud {operation}` takes it"
    if error["type"] == "string_too_short":
        return f"{error['msg']}; write something"
    if error["type"] == "timezone_aware":
        return f"a time needs its offset from UTC, which this line does not tell; `hud {operation}` takes it"
    given = error["input"]
    if is_raised(error) or not isinstance(given, str):
        return complaint(error)
    return f"{error['msg']}, not {shown(given)}"


def _sent(valid: BaseModel) -> dict[str, Any]:
    """The given arguments in the form of a tool call: dates are texts there."""
    return {
        name: value if isinstance(value, tuple) else to_jsonable_python(value)
        for name, value in valid.model_dump(exclude_unset=True).items()
    }


# The matching of the items of an edited text with those of the state: by id, by text, or by a
# similar text.
#
# Ambiguous matches are not guessed.

NEAR = 0.6
"""The minimum similarity of two texts for one to be the edited other: the share of characters common to
both in the same order (``difflib``'s ratio, and the cut-off that its documentation calls a close match).
"""

LEAD = 0.1
"""The minimum lead of the best match over the next one. Ours: the ratios of notes that vary one sentence
differ by less.
"""


COMPARED = 2_500
"""Maximum pairs of texts that are compared: each costs about 0.2 ms. If 50 texts were replaced with 50
others, it is another list, and items are not matched.
"""


@dataclass(slots=True)
class Matches:
    """Pairs of indexes in two lists of texts, and the indexes without a pair."""

    pairs: dict[int, int] = field(default_factory=dict[int, int])
    """The old indexes, by the new ones."""

    unclear: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """New indexes with several possible old ones."""

    @property
    def vague(self) -> set[int]:
        """Old indexes of texts that may or may not remain."""
        return {old for several in self.unclear.values() for old in several}


def match(old: Sequence[str], new: Sequence[str]) -> Matches:
    """Return the matches of the new texts with the old ones.

    >>> match(["Use JWT", "Port 8080"], ["Port 8081", "Use JWT", "Ask Ada"]).pairs
    {1: 0, 0: 1}
    >>> match(["Port 8080", "Port 8081"], ["Port 808"]).unclear
    {0: (0, 1)}
    """
    matches = Matches()
    _equal(old, new, matches)
    _near(old, new, matches)
    return matches


def _equal(old: Sequence[str], new: Sequence[str], matches: Matches) -> None:
    wanted = _places(new)
    for text, there in _places(old).items():
        now = wanted.get(text, [])
        matches.pairs.update(zip(now, there, strict=False))
        if now and len(now) < len(there):  # one of several equal texts is gone
            matches.unclear[now[-1]] = tuple(there)


def _places(texts: Iterable[str], but: Container[int] = ()) -> Mapping[str, list[int]]:
    """The indexes of each text, without those that have a pair."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        if place not in but:
            found[text].append(place)
    return found


def _near(old: Sequence[str], new: Sequence[str], matches: Matches) -> None:
    """Pair the rest, the clearest first: each pair may make others clear."""
    known = {*matches.pairs.values()} | matches.vague
    gone = [place for place in range(len(old)) if place not in known]
    fresh = [place for place in range(len(new)) if place not in matches.pairs]
    if len(gone) * len(fresh) > COMPARED:
        matches.unclear.update(dict.fromkeys(fresh, tuple(gone)))
        return
    nearness: dict[tuple[int, int], float] = {}
    matcher = SequenceMatcher(autojunk=False)
    for other in gone:
        matcher.set_seq2(old[other])  # the matcher preprocesses it for many comparisons
        for one in fresh:
            matcher.set_seq1(new[one])
            if (ratio := _ratio(matcher)) >= NEAR:
                nearness[one, other] = ratio
    while clear := next((pair for pair in nearness if _is_clear(pair, nearness)), None):
        matches.pairs[clear[0]] = clear[1]
        nearness = {
            pair: ratio
            for pair, ratio in nearness.items()
            if pair[0] != clear[0] and pair[1] != clear[1]
        }
    for one in dict.fromkeys(pair[0] for pair in nearness):
        matches.unclear[one] = tuple(other for each, other in nearness if each == one)


def _is_clear(pair: tuple[int, int], nearness: dict[tuple[int, int], float]) -> bool:
    ratio = nearness[pair]
    return all(
        other == pair or (pair[0] != other[0] and pair[1] != other[1]) or ratio - than >= LEAD
        for other, than in nearness.items()
    )


def _ratio(matcher: SequenceMatcher[str]) -> float:
    # Cheaper upper bounds, as difflib's documentation advises.
    if matcher.real_quick_ratio() < NEAR or matcher.quick_ratio() < NEAR:
        return 0.0
    return matcher.ratio()


# The pairs of rows and items in an edited section: kept, new, and removed.

NAMED = 3
"""Maximum items that a problem names as possible matches."""


@dataclass(frozen=True, slots=True)
class Old:
    """An item before the edit: its number among all, and its row."""

    number: int
    row: Row


class Pairs:
    """The rows of an edited section, and their items.

    :param before: the section in the text before.
    :param after: the section in the text now.
    :param elsewhere: the titles of other sections, by the ids that they show.
    :param report: where problems are reported.
    """

    def __init__(
        self,
        before: FoundSection,
        after: FoundSection,
        elsewhere: Mapping[str, str],
        report: SectionReport,
    ) -> None:
        self.spot = before.spot
        self.kind = before.spot.kind
        self.old = [*map(Old, before.spot.shown, before.rows)]
        self.rows: Sequence[Row] = after.rows
        self.old_of: dict[int, Old] = {}
        """The item before the edit, by its row's number."""

        self.new: list[int] = []
        """The numbers of the new rows."""

        self.gone: list[Old] = []
        self._elsewhere = elsewhere
        self._problem = report.problem
        vague = self._pair_value() if self.kind.kind is None else self._pair_items()
        self.row_of = {old.number: self.rows[row] for row, old in self.old_of.items()}
        """The row of each item after the edit, by the item's number."""
        # An unreadable row, or one with a wrong id, may be the missing item.
        if not after.unreadable and not report.problems:
            there = {*self.row_of} | vague
            self.gone = [old for old in self.old if old.number not in there]

    def _pair_value(self) -> set[int]:
        """Pair the only row with the value."""
        self.old_of = dict(zip(range(len(self.rows)), self.old, strict=False))
        self.new = [0] if self.rows and not self.old else []
        for row in self.rows[1:]:
            what = f"there is one {self.kind.what}; leave this out, or make it an item of a list"
            self._problem(what, row.place, self.kind.text)
        return set()

    def _pair_items(self) -> set[int]:
        """Pair the rows with items; return the numbers of items that may remain."""
        self._pair_ids()
        found = {old.number for old in self.old_of.values()}
        return self._pair_texts([old for old in self.old if old.number not in found])

    def _pair_ids(self) -> None:
        """Pair the rows with an id; duplicate ids of a state are paired in order."""
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
        """Pair the rows without an id; return the numbers of items that may remain."""
        bare = {f"`{old.row.id}`" for old in self.old if old.row.id}
        rows = [number for number, row in enumerate(self.rows) if not row.id]
        for row in (self.rows[number] for number in rows if self.rows[number].text in bare):
            what = f"nothing is left of {row.text} but its id; delete the line, or write something"
            self._problem(what, row.place, self.kind.text)
        rows = [number for number in rows if self.rows[number].text not in bare]
        texts = [self.rows[number].text for number in rows]
        # An item that has lost its id is matched by its exact text, not by a similar one.
        left = [old for old in left if not old.row.id or old.row.text in texts]
        before, found = [old.row.text for old in left], Matches()
        _equal(before, texts, found)
        self._pair_keys(left, [self.rows[number] for number in rows], found)
        _near(before, texts, found)
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
        return {left[n].number for n in found.vague}

    def _pair_keys(self, left: Sequence[Old], rows: Sequence[Row], matches: Matches) -> None:
        """Pair a changed row with its item, if no others that are left have their text."""
        field, known = self.kind.text, {*matches.pairs.values()} | matches.vague
        gone = _places((old.row.told.get(field, "") for old in left), known)
        fresh = _places((row.told.get(field, "") for row in rows), {*matches.pairs})
        for text, there in gone.items():
            now = fresh.get(text, [])
            is_one = bool(text) and len(now) == len(there) == 1
            if is_one and self._can_become(left[there[0]].row, rows[now[0]]):
                matches.pairs[now[0]] = there[0]

    def _can_become(self, old: Row, new: Row) -> bool:
        """Return whether operations can change a row into another one."""
        kind, update = self.kind, self.kind.verb(Update)
        changed = [name for name in kind.fields if old.told.get(name) != new.told.get(name)]
        is_marked = new.is_done and kind.verb(Mark) is not None
        if kind.done is not None and old.is_done != new.is_done and not is_marked:
            changed.append(kind.done)
        return all(kind.takes(update, name) for name in changed)


class SectionEdit(SectionReport):
    """The edit of a section: its operations, and its problems.

    :param before: the section in the text before.
    :param after: the section in the text now.
    :param elsewhere: the titles of other sections, by the ids that they show.
    """

    def __init__(
        self, before: FoundSection, after: FoundSection, elsewhere: Mapping[str, str]
    ) -> None:
        super().__init__(before.spot.kind, before.spot.title)
        self.spot = before.spot
        self.place = after.place or SourcePlace(1, 1)
        self.items = before.spot.items
        """All items of the section, shown or not; or its value."""

        self.pairs = Pairs(before, after, elsewhere, self)
        self._text = self.kind.text

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
        item, is_own = self.items[old.number], row.origin == old.row.origin
        # An inherited value becomes the session's own when the note of its origin is removed.
        is_claimed = not is_own and row.origin is None and self._is_inherited_value(item)
        if not is_own and not is_claimed:
            what = f"the source of {a(self.kind.what)} cannot be edited; put it back"
            self.problem(what, row.place)
        update = self.kind.rewording(is_own=is_own)
        changed = {**self._reworded(old, row, update), **self._over_or_open(old, row)}
        if update is not None and (changed or is_claimed):
            self._update(update, old, row, changed)
        mark = self.kind.verb(Mark)
        if mark is not None and row.is_done and self.kind.is_open(item) and not old.row.is_done:
            named = self._named(old.number, row.place, changed.get(self._text))
            self.call(mark, named, row.place)

    def _is_inherited_value(self, item: Any) -> bool:
        return self.kind.kind is None and getattr(item, "origin", None) is not None

    def _over_or_open(self, old: Old, row: Row) -> Mapping[str, object]:
        """The arguments of an update for an item that is now completed, or reopened."""
        done = self.kind.done
        if done is None or row.is_done == old.row.is_done:
            return {}
        if row.is_done and self.kind.verb(Mark) is not None:
            return {}
        if self.kind.takes(self.kind.verb(Update), done):
            return {done: row.is_done}
        what = "mark it as over" if row.is_done else "open it again"
        self.problem(f"an edit cannot {what}; put it back as it was", row.place, done)
        return {}

    def _update(self, update: Verb, old: Old, row: Row, changed: Mapping[str, object]) -> None:
        item = self.items[old.number]
        hidden = _kept(self.kind, update, item) if isinstance(update, Set) else {}
        said = {**self._named(old.number, row.place), **hidden, **changed}
        valid = self.valid(self.kind.arguments(update), said, update, row.place)
        if valid is None:
            return
        values = {field: getattr(valid, field) for field in changed}
        new = {field: value for field, value in values.items() if value != getattr(item, field)}
        if new or not changed:  # else the same value in another form
            self.call(update, said, row.place, whole={**dict(iter(item)), **new})

    def _remove(self, old: Old) -> None:
        remove = self.kind.verb(Remove) or self.kind.verb(Clear)
        if remove is None:
            what = f"{shown(old.row.text)} is gone, and {a(self.kind.what)} cannot be removed; put it back"
            self.problem(what, self.place)
            return
        self.call(remove, self._named(old.number, self.place), self.place)

    # --- The fields of an item ---

    def _reworded(self, old: Old, row: Row, update: Verb | None) -> Mapping[str, object]:
        """The changed fields of an item, with their new values as written."""
        if row.values == old.row.values and row.fixed == old.row.fixed:
            return {}
        item, was, now = self.items[old.number], old.row.told, row.told
        full = self.spot.told(item, self.spot.in_full)
        changed: dict[str, object] = {}
        for name in self.kind.fields:
            if was.get(name) == now.get(name):
                continue
            wrong = self._wrong(name, old.row, item, full.get(name), update)
            if wrong is None:
                new = item.model_copy(update=changed)
                try:
                    changed[name] = self._new_value(name, row, new, full.get(name, ""))
                except ValueError as error:
                    wrong = str(error)
            if wrong is not None:
                self.problem(wrong, row.place, name)
        return changed

    def _new_value(self, field: str, row: Row, item: Any, full: str) -> object:
        """Return the new value of a field; its default if it was taken away, unless that is written, too.

        :raises ValueError: with the reason, if there is none.
        """
        if field in row.said:
            try:
                return merged(row, field, getattr(item, field))
            except ValueError as error:
                what = f"{error}; put it back as it was, or change it by a call"
                raise ValueError(what) from None
        info = self.kind.section.value.model_fields[field]
        usual = info.get_default(call_default_factory=True)
        if not info.is_required():
            without = item.model_copy(update={field: usual})
            if field not in self.spot.told(without, self.spot.ctx):
                return usual
        raise ValueError(f"it is gone; put it back: {shown(full)}")

    def _wrong(
        self, field: str, was: Row, item: Any, full: str | None, update: Verb | None
    ) -> str | None:
        """The reason why a field cannot be changed, if any."""
        kind, text = self.kind, was.told.get(field)
        if not kind.takes(update, field):
            return "an edit cannot set it; put it back as it was"
        if field in was.values and text:
            written = was.form.text_of(field, getattr(item, field))
            if line(was.values[field]) != line(written):
                form = "" if kind.kind is None else ", or a short form,"
                return (
                    f"only the beginning of it{form} was shown: {shown(text)}; put that back, or "
                    "edit the HUD in full"
                )
        if text is None and full:
            return (
                f"it says something that is not shown here: {shown(full)}; leave "
                "this out, or edit the HUD in full"
            )
        return None

    # --- New items ---

    def _add(self, row: Row) -> None:
        add = self.kind.verb(Add) or self.kind.verb(Set)
        same = self._same(row.told)
        if add is None:
            what = f"{a(self.kind.what)} cannot be added; leave this line out"
            self.problem(what, row.place)
        elif row.origin is not None:
            self.problem("a new item is not inherited; leave that out", row.place)
        elif same is not None:
            self.problem(f"{same} says that already; leave this line out", row.place, self._text)
        else:
            self._add_new(add, row)

    def _add_new(self, add: Verb, row: Row) -> None:
        problems = len(self.problems)
        said = self.arguments(add, row)
        if len(self.problems) > problems:
            return
        done, mark = self.kind.done, self.kind.verb(Mark)
        if row.is_done and mark is None and done is not None:
            if not self.kind.takes(add, done):
                what = "an edit cannot add a finished item; add it as an open one"
                self.problem(what, row.place, done)
                return
            said[done] = True
        if not self.call(add, said, row.place, whole=said):
            return
        told = _texts(self.operations[-1].arguments)
        self._open[told.get(self._text, "")].append((f"line {row.place.line}", told))
        if row.is_done and mark is not None:
            name = self.name_of_new(row)
            if name is not None:
                self.call(mark, {"id": name}, row.place)

    def _same(self, said: Mapping[str, str]) -> str | None:
        """Return the item that will have the same text as a new one, if any."""
        for name, values in self._open[said.get(self._text, "")]:
            if all(values.get(field) == value for field, value in said.items()):
                return name
        return None

    @cached_property
    def _open(self) -> defaultdict[str, list[tuple[str, Mapping[str, str]]]]:
        """The open items when new ones are recorded, by text: the name and the fields of each."""
        gone = {old.number for old in self.pairs.gone}
        found: defaultdict[str, list[tuple[str, Mapping[str, str]]]] = defaultdict(list)
        for number, item in enumerate(self.items):
            row = self.pairs.row_of.get(number)
            is_done = row.is_done if row is not None else not self.kind.is_open(item)
            if number not in gone and not is_done:
                values = _texts({field: getattr(item, field) for field in self.kind.fields})
                name = f"`{item.id}`" if item.id else "another line"
                values = values if row is None else {**values, **row.told}
                found[values[self._text]].append((name, values))
        return found

    # --- Names ---

    def _named(self, number: int, place: SourcePlace, text: object = None) -> Mapping[str, object]:
        """The argument that identifies an item; none for a value."""
        return {} if self.kind.kind is None else {"id": self.name(number, place, text)}

    def name(self, number: int, place: SourcePlace, text: object = None) -> str:
        """Return an item's name in operations: its id, or else its text.

        :param number: the item's index among all.
        :param text: its text by then, if that was changed.
        """
        item = self.items[number]
        if item.id:
            return str(item.id)
        name = as_text(getattr(item, self._text) if text is None else text)
        if self._is_taken(name, row=self.pairs.row_of.get(number), item=item):
            self.problem(
                f"{shown(name)} has no id, and could be meant twice; edit a HUD that shows ids",
                place,
                "id",
            )
        return name

    def name_of_new(self, row: Row) -> str | None:
        """Return a name in operations for an item without an id, or report that there is none."""
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
        """Return whether a name may be another item's, before the edit or after it."""
        own = () if item is None else self._names_of(item)
        rows = () if row is None else (row.told.get(self._text, "").strip(),)
        return self._names[name] > (*own, *rows).count(name)

    @cached_property
    def _names(self) -> Counter[str]:
        """The number of items and rows with each name."""
        items = [name for item in self.items for name in self._names_of(item)]
        return Counter([*items, *(row.told.get(self._text, "").strip() for row in self.pairs.rows)])

    def _names_of(self, item: Any) -> tuple[str, str]:
        return item.id, as_text(getattr(item, self._text))


def _kept(kind: Editable, verb: Verb, value: Any) -> dict[str, object]:
    """The non-default fields of a value that an operation takes, which sets it as a whole."""
    usual = {
        name: info.get_default(call_default_factory=True)
        for name, info in kind.section.draft.model_fields.items()
    }
    return {
        name: getattr(value, name)
        for name in usual
        if kind.takes(verb, name) and getattr(value, name) != usual[name]
    }


def _texts(values: Mapping[str, Any]) -> Mapping[str, str]:
    return {field: as_text(value) if is_set(value) else "" for field, value in values.items()}


# The order of items: with a verb for the order they move, otherwise they keep the recorded order.

Ref: TypeAlias = int | str
"""An item: its number before the edit, or the name of a new one."""


def compare_order(edit: SectionEdit) -> None:
    """Collect the changes of an edit to the order of a list."""
    verb = edit.kind.verb(Reorder)
    if verb is None:
        _refuse_moves(edit)
    else:
        _reorder(edit, verb)


def _refuse_moves(edit: SectionEdit) -> None:
    last = -1
    for row, old in sorted(edit.pairs.old_of.items()):
        if old.number < last:
            edit.problem(
                f"{edit.pairs.spot.title} stand in the order in which they were recorded; put it "
                "back",
                edit.pairs.rows[row].place,
            )
        last = max(last, old.number)


def _reorder(edit: SectionEdit, verb: Reorder) -> None:
    """Collect the shortest operation for the new order: items that it does not name keep their order."""
    if edit.problems or not edit.pairs.rows:
        return
    if not _is_a_run(edit):
        if _is_moved(edit):
            what = f"not all {edit.kind.several} are shown"
            edit.problem(f"{what}, {_UNTOLD}", edit.place, "order")
        return
    wanted = _wanted(edit)
    if wanted is None:
        return
    gone = {old.number for old in edit.pairs.gone}
    kept: list[Ref] = [number for number in range(edit.pairs.spot.listed) if number not in gone]
    first = _named_first(wanted, kept + [ref for ref in wanted if isinstance(ref, str)])
    if not first:
        return
    if edit.pairs.spot.unlisted:
        edit.problem(f"not all {edit.kind.several} are known, {_UNTOLD}", edit.place, "order")
        return
    edit.call(verb, {"ids": [_name(edit, ref) for ref in first]}, edit.place)


_UNTOLD = "so their order is unknown; edit a HUD with all of them"


def _is_a_run(edit: SectionEdit) -> bool:
    """Return whether no item between the shown ones was omitted."""
    shown = [old.number for old in edit.pairs.old]
    return not shown or len(shown) == max(shown) + 1 - min(shown)


def _is_moved(edit: SectionEdit) -> bool:
    """Return whether items were reordered, or new ones precede old ones."""
    pairs = edit.pairs
    numbers = [old.number for _, old in sorted(pairs.old_of.items())]
    last = max(pairs.old_of, default=-1)
    return numbers != sorted(numbers) or any(number < last for number in pairs.new)


def _wanted(edit: SectionEdit) -> list[Ref] | None:
    """The items in their new order, without new ones at the end: omitted ones stay before and after the shown ones.

    None if the order cannot be determined.
    """
    pairs, count = edit.pairs, edit.pairs.spot.listed
    shown = [old.number for old in pairs.old]
    start, end = (min(shown), max(shown) + 1) if shown else (count, count)
    last = max(pairs.old_of, default=-1)
    order: list[Ref] = []
    for number, row in enumerate(pairs.rows):
        if number in pairs.old_of:
            order.append(pairs.old_of[number].number)
        elif end < count or number < last:  # others come last without being named
            name = edit.name_of_new(row)
            if name is None:
                return None
            order.append(name)
    return [*range(start), *order, *range(end, count)]


def _named_first(wanted: list[Ref], natural: list[Ref]) -> list[Ref]:
    """The shortest prefix that, once named, leaves the others in the wanted order."""
    place = {ref: number for number, ref in enumerate(natural)}
    count = len(wanted)
    while count and (count == len(wanted) or place[wanted[count - 1]] <= place[wanted[count]]):
        count -= 1
    return wanted[:count]


def _name(edit: SectionEdit, ref: Ref) -> str:
    if isinstance(ref, str):
        return ref
    row = edit.pairs.row_of.get(ref)
    return edit.name(ref, edit.place, None if row is None else row.told.get(edit.kind.text))
