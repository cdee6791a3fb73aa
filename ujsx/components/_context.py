"""The context of a rendering: values by type, and a record of what was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias, TypeVar, cast, get_args

import msgspec
from msgspec.structs import astuple, force_setattr, replace
from pydantic import BaseModel, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from ujsx._density import WIDTHS, Density, DensityLike, Rung, longest_text
from ujsx.components._definition import are_same
from ujsx.tokens import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

# The context values that a rendering reads.
#
# In: a context. Out: the same context, whose values record reads. A result holds in another context if everything that
# was read is the same there; values that a component never read may differ.

Read: TypeAlias = "type[Any] | tuple[type[Any], str]"
"""A read: of a value, by the class that it is bound as; of one of its fields; or, with an empty name, of its class."""

_CLASS = ""

_NOTHING: Mapping[type[Any], Any] = MappingProxyType({})


class Reads:
    """The values that were read of a context, and what they were.

    :param around: note the same.

    >>> from ujsx import RenderContext
    >>> reads = Reads()
    >>> reading = reads.of(RenderContext().with_value(8080).with_value("port"))
    >>> reading.get(int), reads.found
    (8080, {<class 'int'>: 8080})
    """

    __slots__ = ("_around", "found")

    def __init__(self, *around: Reads) -> None:
        self._around = around
        self.found: dict[Read, Any] = {}
        """The values by their reads."""

    def note(self, read: Read, value: object) -> None:
        """Record a read."""
        self.found[read] = value
        for each in self._around:
            each.note(read, value)

    def of(self, context: RenderContext) -> RenderContext:
        """Return the context with values that record their reads here."""
        values = context.values
        if not values:
            return context
        return replace(
            context, values=_ReadValues(outer_values(context), inner_values(context), self)
        )

    def are_same(self, context: RenderContext, compare: Callable[[Any, Any], bool]) -> bool:
        """Tell whether every read gives the same in a context with values of the same classes.

        :param compare: tells whether two values are the same.
        """
        values = outer_values(context)
        return all(compare(read_of(values, read), value) for read, value in [*self.found.items()])

    def again(self, before: Reads) -> None:
        """Record earlier reads, which give the same here."""
        for read, value in before.found.items():
            self.note(read, value)

    def note_in(self, other: Reads) -> None:
        """Note what was read so far in another place, too, and what is read from now on."""
        other.again(self)
        if other not in self._around:
            self._around += (other,)

    def copied(self) -> Reads:
        """Return a copy, to which other reads can be added."""
        made = Reads(*self._around)
        made.found = self.found.copy()
        return made


def outer_values(context: RenderContext) -> Mapping[type[Any], Any]:
    """Return the values that were bound to a context before it recorded reads."""
    values = context.values
    return values.outer if type(values) is _ReadValues else values


def inner_values(context: RenderContext) -> Mapping[type[Any], Any]:
    """Return the values that were bound since; none where no reads are recorded."""
    values = context.values
    return values.inner if type(values) is _ReadValues else _NOTHING


def with_bound(
    values: Mapping[type[Any], Any], kind: type[Any], value: object
) -> Mapping[type[Any], Any]:
    """Return the values with another one, bound as all of its base classes."""
    if type(values) is _ReadValues:
        outer, inner = _without(values.outer, kind), _without(values.inner, kind)
        return _ReadValues(outer, {**inner, kind: value}, values.reads)
    return MappingProxyType({**_without(values, kind), kind: value})


def _without(values: Mapping[type[Any], Any], kind: type[Any]) -> dict[type[Any], Any]:
    return {each: held for each, held in values.items() if each not in kind.__mro__}


def read_of(values: Mapping[type[Any], Any], read: Read) -> Any:
    """Return the result of a read of other values, or a unique object if they lack it."""
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
    """Context values that record reads, except of values that were bound since.

    The set of bound classes is not recorded: compared contexts have the same one.
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
    """A value whose fields are read, and the record of the reads."""

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
    """The base of a large model of which each component reads a part: bound to a context, it records the fields read.

    It precedes the model's other base, and is not a model itself.

    A component that reads two fields is not rendered again when a third one changes. ``vars``, ``==``, ``model_dump``
    and the like read all of it.

    >>> from ujsx import RenderContext
    >>> from pydantic import BaseModel
    >>> class Desk(ReadInParts, BaseModel):
    ...     port: int
    ...     host: str
    >>> reads = Reads()
    >>> desk = reads.of(RenderContext().with_value(Desk(port=8080, host="a"))).get(Desk)
    >>> desk.port, [each for each in reads.found if type(each) is tuple and each[1]]
    (8080, [(<class 'ujsx.components._context.Desk'>, 'port')])
    >>> desk == Desk(port=8080, host="a"), Desk in reads.found
    (True, True)
    """

    __slots__ = ()

    def in_parts(self, noting: _Noting) -> ReadInParts:
        """Return the same value, of the same class, whose fields are copied on first access."""
        made: ReadInParts = object.__new__(type(self))
        _dict_of(made)[_UNREAD] = noting
        return made

    if not TYPE_CHECKING:  # to type checkers, an unknown field is a mistake

        def __getattr__(self, name: str) -> Any:
            """Copy a field on first access; only then is it missing."""
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
"""The stored fields of a model; a model that is read in parts records when they are accessed."""

_UNREAD = " unread"
"""The attribute for the source of a model's fields; no field can have this name."""

_SLOTS = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
"""The slots of a model other than its fields."""


def _dict_of(model: ReadInParts) -> dict[str, Any]:
    found: dict[str, Any] = _DICT.__get__(model)
    return found


def _take_over(model: ReadInParts) -> None:
    """Copy all fields that it does not have yet."""
    own = _dict_of(model)
    noting: _Noting = own.pop(_UNREAD)
    noting.whole()
    _DICT.__set__(model, {**noting.fields, **own})
    for name in _SLOTS:
        try:
            object.__getattribute__(model, name)
        except AttributeError:
            object.__setattr__(model, name, getattr(noting.value, name))


T = TypeVar("T")

_NO_VALUES: Mapping[Any, Any] = MappingProxyType({})


class RenderContext(msgspec.Struct, frozen=True):
    """The context of a rendering: immutable, and never global.

    >>> ctx = RenderContext(density=Density.COMPACT).with_value(3)
    >>> ctx.get(int), ctx.get(str)
    (3, None)
    """

    density: Density = Density.FULL
    """The density of what is rendered."""

    limit: int | None = None
    """The most items to show; ``None`` for all."""

    rung: Rung | None = None
    """The rung that a budget chose for the next component; ``None`` if the density picks it."""

    depth: int = 0
    """The number of enclosing sections."""

    count_tokens: TokenCounter = estimate_tokens
    """The token counter."""

    texts: Mapping[str, str] = _NO_VALUES
    """Replacements of components' fixed texts, by name: another language, no emoji."""

    values: Mapping[type[Any], Any] = _NO_VALUES
    """The values bound by ``with_value``, by class."""

    inner_density: Density | None = None
    """The density of the next components with a ladder, if it is not ``density``: their parent shows more of itself
    than of them.
    """

    trusts_text: bool = False
    """True if texts keep invisible characters and models' special tokens. Otherwise these are written visibly, and read
    back unchanged.
    """

    text_width: int | None = None
    """The characters of an item's text to show; ``None`` for the density's own width."""

    longest_text: int | None = None
    """The most characters of any text: a longer one cannot fit the budget, and is cut before rendering. ``None``
    without a budget.
    """

    detailed_items: int | None = None
    """The number of items to show at ``density``, chosen as under this limit; the others are shown as in
    :meth:`in_short`. ``None`` for all.
    """

    def __post_init__(self) -> None:
        if type(self.density) is not Density:
            force_setattr(self, "density", Density.of(self.density))

    def get(self, kind: type[T]) -> T | None:
        """Return the value of a class that an ancestor or the caller bound, or ``None``.

        A value of a subclass counts. Of several, the nearest subclass is returned; of equally near ones, the first by
        class name.

        >>> class Usual: ...
        >>> class Own(Usual): ...
        >>> type(RenderContext().with_value(Own()).get(Usual)).__name__
        'Own'
        """
        value: T | None = self.values.get(kind)
        if value is not None or not self.values:
            return value
        fitting = [each for each in self.values if kind in each.__mro__]
        if not fitting:
            return None
        found: T = self.values[min(fitting, key=lambda each: _distance(each, kind))]
        return found

    @property
    def width(self) -> int | None:
        """The characters of an item's text to show; ``None`` for all."""
        width = WIDTHS[self.density] if self.text_width is None else self.text_width
        return self.longest_text if width is None else width

    @property
    def shows_whole_texts(self) -> bool:
        """True if an item's text is shown in full, up to the limit of the budget."""
        return self.width == self.longest_text

    def with_value(self, value: object) -> RenderContext:
        """Return a context in which ``get(type(value))`` is ``value``.

        So is ``get`` of each of its base classes: the innermost binding takes precedence.
        """
        return replace(self, values=with_bound(self.values, type(value), value))

    def with_density(self, density: DensityLike, limit: int | None = None) -> RenderContext:
        """Return a context of that density and item limit."""
        density = Density.of(density)
        return replace(
            self,
            density=density,
            limit=limit,
            rung=None,
            inner_density=None,
            text_width=None,
            detailed_items=None,
        )

    def within_budget(self, tokens: int | None) -> RenderContext:
        """Return a context in which no text is longer than fits a budget.

        >>> RenderContext().within_budget(500).longest_text
        4096
        """
        if tokens is None:
            return self
        longest = longest_text(tokens)
        if self.longest_text is not None and self.longest_text <= longest:
            return self
        return replace(self, longest_text=longest)

    def in_full(self) -> RenderContext:
        """Return this context at full density, with twice the width for texts.

        >>> RenderContext(density="minimal").width, RenderContext(density="minimal").in_full().width
        (80, 160)
        """
        width = None if self.width is None else 2 * self.width
        return replace(self.with_density(Density.FULL), text_width=width)

    def in_short(self) -> RenderContext:
        """Return the context of items without details: that of the next lower density.

        >>> RenderContext(limit=5, detailed_items=2).in_short().density
        <Density.COMPACT: 'compact'>
        """
        lower = [*Density][max(self.density.rank - 1, 0)]
        return replace(self, density=lower, rung=None, detailed_items=None)

    def on_rung(self, rung: Rung) -> RenderContext:
        """Return the context of a component on that rung."""
        return replace(
            self,
            density=rung.density,
            limit=rung.limit,
            rung=None,
            inner_density=rung.inner_density,
            text_width=self.text_width if rung.width is None else rung.width,
            detailed_items=rung.detailed_items,
        )

    def with_rung(self, rung: Rung) -> RenderContext:
        """Return a context in which the next component with a ladder takes that rung."""
        return replace(self, rung=rung)

    def deeper(self) -> RenderContext:
        """Return the context of a section's children."""
        return replace(self, depth=self.depth + 1)


class ReadContext(RenderContext, frozen=True):
    """A context that notes which of its attributes were read, but for the values.

    So do contexts that are made of it, in the same place.

    >>> ctx = ReadContext(limit=3)
    >>> ctx.with_value(8080).limit, ctx.read
    (3, {'limit'})
    """

    read: set[str] = msgspec.field(default_factory=set[str])

    def __post_init__(self) -> None:
        if type(_DENSITY.__get__(self)) is not Density:
            super().__post_init__()

    def __eq__(self, other: object) -> bool:
        return self._plain() == (other._plain() if isinstance(other, ReadContext) else other)

    def __hash__(self) -> int:
        return hash(self._plain())

    def __repr__(self) -> str:
        return repr(self._plain())

    def __reduce__(self) -> Any:
        return self._plain().__reduce__()

    def _plain(self) -> RenderContext:
        return RenderContext(*(getattr(self, name) for name in RenderContext.__struct_fields__))


_DENSITY: Any = vars(RenderContext)["density"]


def _noted(name: str) -> property:
    """An attribute of which it is noted that it was read."""
    attribute: Any = vars(RenderContext)[name]

    def read(self: ReadContext) -> Any:
        self.read.add(name)
        return attribute.__get__(self)

    return property(read)


for _each in RenderContext.__struct_fields__:
    if _each != "values":
        setattr(ReadContext, _each, _noted(_each))


class ContextRecord(msgspec.Struct, eq=False):
    """A record of what a component read of its context."""

    context: RenderContext
    read: set[str]
    values: Reads | None
    """The parts that were read of its values, if a caller records them."""

    @classmethod
    def of(cls, context: RenderContext) -> tuple[Self, RenderContext]:
        """Return a record of what is read, and the context that notes it there."""
        values = None
        reading = context
        if type(context.values) is _ReadValues:
            values = Reads(context.values.reads)
            reading = values.of(context)
        read: set[str] = set()
        given: tuple[Any, ...] = (*astuple(reading), read)
        return cls(context, read, values), ReadContext(*given)

    def holds_in(self, context: RenderContext) -> bool:
        """Tell whether all that was read is the same in another context; note there what of its values is read."""
        known = self.context
        if not (
            all(getattr(known, name) == getattr(context, name) for name in self.read)
            and _are_identical(outer_values(known), outer_values(context))
            and _are_identical(inner_values(known), inner_values(context))
        ):
            return False
        if self.values is not None and type(context.values) is _ReadValues:
            self.values.note_in(context.values.reads)
        return True


def _are_identical(left: Mapping[Any, object], right: Mapping[Any, object]) -> bool:
    return left is right or (
        left.keys() == right.keys() and all(left[kind] is right[kind] for kind in left)
    )


def _distance(kind: type[Any], base: type[Any]) -> tuple[int, str, str]:
    """Return the distance of a class from a base, and its name to break ties."""
    return kind.__mro__.index(base), kind.__module__, kind.__qualname__


class SameContexts:
    """A comparison of contexts: whether they give the same results, for which equal values are not enough.

    It compares each pair of contexts, and of their shared values, once. It lives for one rendering, like the contexts.

    >>> one, other = RenderContext().with_value((1,)), RenderContext().with_value((True,))
    >>> SameContexts()(one, RenderContext().with_value((1,))), SameContexts()(one, other)
    (True, False)
    """

    __slots__ = ("_known", "_values")

    def __init__(self) -> None:
        self._known: _Compared = {}
        self._values: _Compared = {}

    def __call__(self, left: RenderContext, right: RenderContext) -> bool:
        return self.compare(left, right) == SAME

    def compare(self, left: RenderContext, right: RenderContext) -> int:
        """Return whether contexts differ, are alike except for their values, or are the same."""
        if left is right:
            return SAME
        pair = id(left), id(right)
        known = self._known.get(pair)
        if known is None:  # both are kept, so that their ids stay their own
            known = self._known[pair] = left, right, self._compared(left, right)
        return known[2]

    def as_read(self, left: RenderContext, right: RenderContext, reads: Reads | None) -> bool:
        """Tell whether a result of one context holds in the other.

        :param reads: its reads of the values; others may differ. None if they were not recorded, so that all values
            must be the same.
        """
        found = self.compare(left, right)
        return found == SAME or (
            found == ALIKE and reads is not None and self.read_alike(right, reads)
        )

    def read_alike(self, context: RenderContext, reads: Reads | None) -> bool:
        """Tell whether all reads give the same in a context that is alike."""
        return reads is None or reads.are_same(context, self._are_same)

    def _compared(self, left: RenderContext, right: RenderContext) -> int:
        if _beside_values(left) != _beside_values(right):
            return DIFFERENT
        if left.values is right.values:  # the usual case: identical objects
            return SAME
        ours, theirs = outer_values(left), outer_values(right)
        own, other = inner_values(left), inner_values(right)
        if ours.keys() != theirs.keys() or own.keys() != other.keys():
            return DIFFERENT
        if not all(self._are_same(value, other[kind]) for kind, value in own.items()):
            return DIFFERENT
        are_same = all(self._are_same_whole(value, theirs[kind]) for kind, value in ours.items())
        return SAME if are_same else ALIKE

    def _are_same_whole(self, left: object, right: object) -> bool:
        # values that are read in parts are compared in parts, as a whole state is large
        return left is right or (not isinstance(left, ReadInParts) and self._are_same(left, right))

    def _are_same(self, left: object, right: object) -> bool:
        if left is right:
            return True
        pair = id(left), id(right)
        known = self._values.get(pair)
        if known is None:
            known = self._values[pair] = left, right, are_same(left, right)
        return bool(known[2])


DIFFERENT, ALIKE, SAME = range(3)
"""The results of a comparison: contexts are alike if they differ only in their values."""

_Compared: TypeAlias = dict[tuple[int, int], tuple[object, object, int]]
"""Compared pairs by the ``id`` of both; the objects are kept so that their ids stay unique."""

_beside_values = attrgetter(*(name for name in RenderContext.__struct_fields__ if name != "values"))
"""The fields of a context without its values."""


# A mapping usable as a prop: immutable and hashable.

K = TypeVar("K")
V_co = TypeVar("V_co", covariant=True)


class FrozenMapping(Mapping[K, V_co]):
    """An immutable mapping with hashable values, in insertion order.

    As a prop's type it accepts any mapping, and its schema is that of ``dict``.

    >>> ports = FrozenMapping({"http": 80})
    >>> ports["http"], hash(ports) == hash(FrozenMapping(http=80)), ports == {"http": 80}
    (80, True, True)
    """

    __slots__ = ("_items",)

    def __init__(
        self, items: Mapping[K, V_co] | Iterable[tuple[K, V_co]] = (), /, **more: V_co
    ) -> None:
        self._items: dict[Any, Any] = dict(items, **more)

    def __getitem__(self, key: K, /) -> V_co:
        value: V_co = self._items[key]
        return value

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"FrozenMapping({self._items!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        key, value = get_args(source) or (Any, Any)
        as_dict: CoreSchema = handler.generate_schema(dict[key, value])  # type: ignore[valid-type]
        return core_schema.no_info_after_validator_function(
            cls,
            as_dict,
            serialization=core_schema.plain_serializer_function_ser_schema(
                dict, return_schema=as_dict, when_used="unless-none"
            ),
        )


# The time of a rendering: a context value, as renderings read no clock.


class Now(int):
    """The moment of a rendering, in milliseconds since the Unix epoch, as a value of the context.

    A rendering reads no clock: pass the current time in.

    >>> from ujsx import RenderContext
    >>> RenderContext().with_value(Now(1_700_000_000_000)).get(Now)
    1700000000000
    """
