"""Edits that keep what does not change, and an index of a section's items."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Generic, TypeVar, cast

from pydantic import BaseModel

from hud_components._models import HudModel

# Finding the items of a section without looking at each of them.
#
# A section is a tuple. The newest one of a session carries an index of itself: which item has an id,
# which open ones say a text. An event takes the index from the tuple that it changes, brings it up to
# date, and gives it to the tuple that it makes. An older tuple has none, and
# gets a new one. So an index is never wrong, and no part of any value: equality, repr, JSON,
# pickling know nothing of it.

ItemT = TypeVar("ItemT")

INDEX = "_index"
"""Where a tuple carries its index."""


class Items(tuple[ItemT, ...]):  # noqa: SLOT001  (it carries something, sometimes)
    """A tuple that may carry an index of itself.

    >>> Items("ab") == ("a", "b"), repr(Items("ab"))
    (True, "('a', 'b')")
    """

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (tuple(self),)


class Index(Generic[ItemT]):
    """The items of one section by key and, where they have one, by text."""

    def __init__(
        self, items: tuple[ItemT, ...], key: str, text: str | None = None, done: str | None = None
    ) -> None:
        self._key, self._text, self._done = key, text, done
        self.items = list(items)
        self.is_changed = False
        """Whether the items are others than those of the tuple that it was taken from."""
        # Each item has a number that stays; its place is where that stands among the numbers.
        self._numbers = list(range(len(items)))
        self._next = len(items)
        self._by_key: dict[str, list[int]] = {}
        self._by_text: dict[tuple[str, bool], list[int]] = {}
        self._sorted: list[str] | None = None
        for number, item in enumerate(items):
            self._enter(number, item)

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __getitem__(self, number: int) -> ItemT:
        """Return the item with this number."""
        return self.items[bisect_left(self._numbers, number)]

    def with_key(self, key: str) -> list[int]:
        """Return the numbers of the items with this key: one, or none, as a rule."""
        return [*self._by_key.get(key, ())]

    def saying(self, text: str, *, is_open: bool) -> list[int]:
        """Return the numbers of the open items, or the others, with this text, in their order."""
        return self._by_text.get((text, is_open), [])

    def beginning(self, start: str) -> Iterator[str]:
        """Yield the keys that begin so."""
        if self._sorted is None:
            self._sorted = sorted(self._by_key)
        keys = self._sorted
        for place in range(bisect_left(keys, start), len(keys)):
            if not keys[place].startswith(start):
                return
            yield keys[place]

    def append(self, item: ItemT) -> None:
        """Put an item at the end."""
        number, self._next = self._next, self._next + 1
        self._numbers.append(number)
        self._enter(number, item)
        self.items.append(item)
        self.is_changed = True

    def replace(self, number: int, item: ItemT) -> None:
        """Put an item with the same key in the place of another one."""
        place = bisect_left(self._numbers, number)
        self._leave(number, self.items[place])
        self._enter(number, item)
        self.items[place] = item
        self.is_changed = True

    def remove(self, number: int) -> None:
        """Take an item out."""
        place = bisect_left(self._numbers, number)
        self._leave(number, self.items[place])
        del self._numbers[place], self.items[place]
        self.is_changed = True

    def move_to_end(self, number: int, item: ItemT) -> None:
        """Put an item with the same key, and text, in the place of another one, at the end."""
        place = bisect_left(self._numbers, number)
        last, self._next = self._next, self._next + 1
        del self._numbers[place], self.items[place]
        self._numbers.append(last)
        self.items.append(item)
        _take_last(self._by_key[getattr(item, self._key)], number, last)
        if self._text is not None:
            _take_last(self._by_text[self._says(item)], number, last)
        self.is_changed = True

    def _says(self, item: ItemT) -> tuple[str, bool]:
        is_open = self._done is None or not getattr(item, self._done)
        return getattr(item, cast("str", self._text)), is_open

    def _enter(self, number: int, item: ItemT) -> None:
        key = getattr(item, self._key)
        if key not in self._by_key and self._sorted is not None:
            insort(self._sorted, key)
        _put_in(self._by_key, key, number)
        if self._text is not None:
            _put_in(self._by_text, self._says(item), number)

    def _leave(self, number: int, item: ItemT) -> None:
        key = getattr(item, self._key)
        _take_out(self._by_key, key, number)
        if key not in self._by_key and self._sorted is not None:
            del self._sorted[bisect_left(self._sorted, key)]
        if self._text is not None:
            _take_out(self._by_text, self._says(item), number)


def taken(items: tuple[ItemT, ...]) -> Index[ItemT] | None:
    """Take the index from a tuple that carries one: from then on it is the caller's alone."""
    # One step, so that of two threads only one gets it.
    return items.__dict__.pop(INDEX, None) if isinstance(items, Items) else None


def carrying(index: Index[ItemT], items: tuple[ItemT, ...]) -> tuple[ItemT, ...]:
    """Return the items of an index with the index; the very ``items`` when they are the same."""
    if index.is_changed:
        if not index.items:
            return ()  # there is one empty tuple, and to empty it again changes nothing
        index.is_changed = False
        made: Items[ItemT] = Items(index.items)
        made.__dict__[INDEX] = index
        return made
    if isinstance(items, Items):
        items.__dict__[INDEX] = index
    return items  # pyright: ignore[reportUnknownVariableType]


def _put_in(by: dict[Any, list[int]], name: object, number: int) -> None:
    numbers = by.get(name)
    if numbers is None:
        by[name] = [number]
    else:
        insort(numbers, number)


def _take_out(by: dict[Any, list[int]], name: object, number: int) -> None:
    numbers = by[name]
    if len(numbers) == 1:
        del by[name]
    else:
        del numbers[bisect_left(numbers, number)]


def _take_last(numbers: list[int], number: int, last: int) -> None:
    """Put a number that is above all others in the place of one of them."""
    numbers.remove(number)
    numbers.append(last)


ModelT = TypeVar("ModelT", bound=HudModel)

_set = object.__setattr__
_FIELDS = vars(BaseModel)["__dict__"]
"""The fields of a model as they lie there."""


def with_sections(state: ModelT, **sections: object) -> ModelT:
    """Return the state with other sections; the very state when they are what it has."""
    changed = {name: value for name, value in sections.items() if getattr(state, name) is not value}
    return replaced(state, changed) if changed else state


def with_values(model: ModelT, **values: object) -> ModelT:
    """Return the model with other values; the very model when they are what it has."""
    changed = {name: value for name, value in values.items() if getattr(model, name) != value}
    return replaced(model, changed) if changed else model


def validated(model: ModelT) -> ModelT:
    """Return the model as its own validators have it, where it has any.

    :raises ValidationError: for what they refuse.
    """
    kind = type(model)
    if not _has_validators(kind):
        return model
    return kind.model_validate({name: getattr(model, name) for name in model.model_fields_set})


@cache
def _has_validators(kind: type[HudModel]) -> bool:
    found = kind.__pydantic_decorators__
    return bool(found.validators or found.field_validators or found.model_validators)


def replaced(model: ModelT, changed: dict[str, object]) -> ModelT:
    """Do what ``model_copy(update=changed)`` does, without its deep look: five times as fast."""
    made = object.__new__(type(model))
    _FIELDS.__set__(made, _FIELDS.__get__(model) | changed)
    _set(made, "__pydantic_fields_set__", model.__pydantic_fields_set__ | changed.keys())
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made


def with_indexes(state: ModelT, fields: Iterable[str]) -> ModelT:
    """Return an equal state whose lists can carry an index: one that was read or inherited."""
    lists = {name: getattr(state, name) for name in fields}
    return with_sections(state, **{name: Items(one) for name, one in lists.items() if one})


def same_if_equal(old: tuple[ModelT, ...], new: tuple[ModelT, ...]) -> tuple[ModelT, ...]:
    """Return ``old`` when ``new`` holds the very same objects in the same order."""
    same = len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
    return old if same else new


# The path of a file as a session has it: relative to the working directory when it lies inside it.
#
# So ``reproduce.py`` and ``/testbed/reproduce.py`` are one file.

DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def path_within(path: str, root: str | None, directory: str | None = None) -> str:
    """Return ``path`` relative to ``root`` when it lies inside it, else in full.

    A relative path is meant from ``directory``, which is ``root`` unless it is given.

    >>> path_within("/testbed/src/../reproduce.py", "/testbed")
    'reproduce.py'
    >>> path_within("auth.py", "/app", "/app/src"), path_within("/etc/hosts", "/app")
    ('src/auth.py', '/etc/hosts')
    """
    base = _slashes(root) if root else ""
    here = _slashes(directory) if directory else base
    full = _slashes(path)
    if not is_absolute(full) and here:
        full = posixpath.join(here, full)
    full = posixpath.normpath(full)
    around = posixpath.normpath(base).rstrip("/") + "/" if base else ""
    return full[len(around) :] if around and full.startswith(around) else full


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if DRIVE.match(path) else path


def is_absolute(path: str) -> bool:
    """Tell whether a path begins at the root of a file system.

    >>> is_absolute("/app"), is_absolute("C:/app"), is_absolute("app")
    (True, True, False)
    """
    return path.startswith("/") or DRIVE.match(path) is not None
