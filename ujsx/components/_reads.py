"""The values of its context that a rendering reads.

In: a context. Out: the same context, whose values note what is read of them. What was made in one context is the
same in another where all is the same that was read; a value that a component never looked at may be another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from msgspec.structs import replace
from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from ujsx.components._context import RenderContext

Read: TypeAlias = "type[Any] | tuple[type[Any], str]"
"""What was read: a value, by the class that it is bound as; or a field of it; or, under no name, of which class it is."""

_CLASS = ""

_NOTHING: Mapping[type[Any], Any] = MappingProxyType({})


class Reads:
    """The values that were read of a context, and what they were.

    :param around: notes the same.

    >>> from ujsx import RenderContext
    >>> reads = Reads()
    >>> reading = reads.of(RenderContext().with_value(8080).with_value("port"))
    >>> reading.get(int), reads.found
    (8080, {<class 'int'>: 8080})
    """

    __slots__ = ("_around", "found")

    def __init__(self, around: Reads | None = None) -> None:
        self._around = around
        self.found: dict[Read, Any] = {}
        """The values by what was read."""

    def note(self, read: Read, value: object) -> None:
        """Note that something was read."""
        self.found[read] = value
        if self._around is not None:
            self._around.note(read, value)

    def of(self, context: RenderContext) -> RenderContext:
        """Return the context with values that note here what is read of them."""
        values = context.values
        if not values:
            return context
        return replace(
            context, values=_ReadValues(outer_values(context), inner_values(context), self)
        )

    def are_same(self, context: RenderContext, compare: Callable[[Any, Any], bool]) -> bool:
        """Tell whether all that was read is the same in a context that has values of the same classes.

        :param compare: tells whether two values are the same.
        """
        values = outer_values(context)
        return all(compare(read_of(values, read), value) for read, value in [*self.found.items()])

    def again(self, before: Reads) -> None:
        """Note what was read before, which is the same here."""
        for read, value in before.found.items():
            self.note(read, value)

    def copied(self) -> Reads:
        """Return the same, to which others may come."""
        made = Reads(self._around)
        made.found = self.found.copy()
        return made


def outer_values(context: RenderContext) -> Mapping[type[Any], Any]:
    """Return the values that were bound to a context before it noted what is read of them."""
    values = context.values
    return values.outer if type(values) is _ReadValues else values


def inner_values(context: RenderContext) -> Mapping[type[Any], Any]:
    """Return the values that were bound since; none where nothing is noted."""
    values = context.values
    return values.inner if type(values) is _ReadValues else _NOTHING


def with_bound(
    values: Mapping[type[Any], Any], kind: type[Any], value: object
) -> Mapping[type[Any], Any]:
    """Return values with another, which stands for all classes that it is derived from."""
    if type(values) is _ReadValues:
        outer, inner = _without(values.outer, kind), _without(values.inner, kind)
        return _ReadValues(outer, {**inner, kind: value}, values.reads)
    return MappingProxyType({**_without(values, kind), kind: value})


def _without(values: Mapping[type[Any], Any], kind: type[Any]) -> dict[type[Any], Any]:
    return {each: held for each, held in values.items() if each not in kind.__mro__}


def read_of(values: Mapping[type[Any], Any], read: Read) -> Any:
    """Return what a read gives of other values; something that is like nothing else where there is no such thing."""
    if type(read) is not tuple:
        return values.get(cast("type[Any]", read), _MISSING)
    kind, name = read
    if kind not in values:
        return _MISSING
    value: object = values[kind]
    fields: dict[str, Any] = vars(value)
    return type(value) if name == _CLASS else fields.get(name, _MISSING)


_MISSING = object()


class _ReadValues(Mapping[type[Any], Any]):
    """Values of a context that note what is read of them, but for those that were bound since.

    Which classes have a value is not noted: contexts that are compared have the same.
    """

    __slots__ = ("_parts", "inner", "outer", "reads")

    def __init__(
        self, outer: Mapping[type[Any], Any], inner: Mapping[type[Any], Any], reads: Reads
    ) -> None:
        self.outer, self.inner, self.reads = outer, inner, reads
        self._parts: dict[type[Any], Any] = {}

    def __getitem__(self, kind: type[Any]) -> Any:
        if kind in self.inner:
            return self.inner[kind]
        value = self.outer[kind]
        if not isinstance(value, ReadInParts):
            self.reads.note(kind, value)
            return value
        if kind not in self._parts:
            self.reads.note((kind, _CLASS), type(value))
            self._parts[kind] = value.in_parts(_Noting(kind, value, self.reads))
        return self._parts[kind]

    def get(self, kind: type[Any], default: Any = None) -> Any:
        return self[kind] if kind in self.inner or kind in self.outer else default

    def __contains__(self, kind: object) -> bool:
        return kind in self.inner or kind in self.outer

    def __iter__(self) -> Iterator[type[Any]]:
        yield from self.outer
        yield from self.inner

    def __len__(self) -> int:
        return len(self.outer) + len(self.inner)


class _Noting(NamedTuple):
    """Whose parts are read, and where that is noted."""

    kind: type[Any]
    value: ReadInParts
    reads: Reads

    def part(self, name: str) -> Any:
        found = self.fields[name]
        self.reads.note((self.kind, name), found)
        return found

    def whole(self) -> None:
        self.reads.note(self.kind, self.value)

    @property
    def fields(self) -> dict[str, Any]:
        return vars(self.value)


class ReadInParts:
    """The base of a model that holds many things, of which each component reads some: bound to a context, it notes which.

    It stands before the model's other base, and is none itself.

    A component that reads two fields of it is not made again when a third one changes. Whatever asks for more than a
    field at a time, such as ``vars``, ``==``, or ``model_dump``, reads all of it.

    >>> from ujsx import RenderContext
    >>> from pydantic import BaseModel
    >>> class Desk(ReadInParts, BaseModel):
    ...     port: int
    ...     host: str
    >>> reads = Reads()
    >>> desk = reads.of(RenderContext().with_value(Desk(port=8080, host="a"))).get(Desk)
    >>> desk.port, [each for each in reads.found if type(each) is tuple and each[1]]
    (8080, [(<class 'ujsx.components._reads.Desk'>, 'port')])
    >>> desk == Desk(port=8080, host="a"), Desk in reads.found
    (True, True)
    """

    __slots__ = ()

    def in_parts(self, noting: _Noting) -> ReadInParts:
        """Return the same value, of the same class, whose fields are taken over when they are asked for."""
        made: ReadInParts = object.__new__(type(self))
        _dict_of(made)[_UNREAD] = noting
        return made

    if not TYPE_CHECKING:  # a name that no field has is a mistake, for who reads the types

        def __getattr__(self, name: str) -> Any:
            """Take over a field that was not asked for before; only then is it not there."""
            noting = _dict_of(self).get(_UNREAD)
            if noting is None:
                return super().__getattr__(name)  # BaseModel has one, for private attributes
            if name in noting.fields:
                found = _dict_of(self)[name] = noting.part(name)
                return found
            if name in _SLOTS or name in getattr(type(self), "__private_attributes__", ()):
                _take_over(self)
                return getattr(self, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def __dict__(self) -> dict[str, Any]:
        fields = _dict_of(self)
        if _UNREAD in fields:
            _take_over(self)
        return _dict_of(self)

    @__dict__.setter
    def __dict__(self, fields: dict[str, Any]) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        _DICT.__set__(self, fields)


_DICT = vars(BaseModel)["__dict__"]
"""The fields of a model as they lie there; a model that is read in parts says of itself when that is asked for."""

_UNREAD = " unread"
"""Where a model holds whose fields it takes over; no field has such a name."""

_SLOTS = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
"""What a model holds beside its fields."""


def _dict_of(model: ReadInParts) -> dict[str, Any]:
    found: dict[str, Any] = _DICT.__get__(model)
    return found


def _take_over(model: ReadInParts) -> None:
    """Take over all that there is, but what it has of its own."""
    own = _dict_of(model)
    noting: _Noting = own.pop(_UNREAD)
    noting.whole()
    _DICT.__set__(model, {**noting.fields, **own})
    for name in _SLOTS:
        try:
            object.__getattribute__(model, name)
        except AttributeError:
            object.__setattr__(model, name, getattr(noting.value, name))
