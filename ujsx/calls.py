"""Calls and attributes under other names: resolved if unambiguous, else refused with the line to write.

In: a function and the other names of its arguments, or a class and the attributes that callers expect. Out: the
function, in a wrapper that is the only cost of a valid call; the class, whose own attributes stay as fast.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial, update_wrapper, wraps
from importlib import import_module
from inspect import Parameter, Signature, signature
from itertools import chain
from operator import attrgetter
from types import CodeType, MappingProxyType, MethodType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, ParamSpec, TypeVar, cast

from ujsx.errors import SYNONYMS, CallError, did_you_mean, quoted, shown, synonym

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

NOTHING: Mapping[str, str] = MappingProxyType({})

READING = (
    "percentage percent used limit model trend used_tokens limit_tokens usedTokens limitTokens"
)
"""Fields of a context reading that callers pass instead of ``usage``."""


def resolving(
    write: str = "",
    *,
    instead: Mapping[str, str] = NOTHING,
    rest: str = "",
    meaning: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    otherwise: Callable[..., Any] | None = None,
    **others: str,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that resolves other names of a function's arguments, in addition to
    :data:`ujsx.errors.SYNONYMS`.

    :param write: the line to write if a call does not fit; by default the message lists the arguments.
    :param instead: the lines to write for names that are not resolved, separated by spaces; ``{size=big}`` in a line
        is the given size, or else "big".
    :param rest: the argument that collects all other arguments in a mapping, if it is not passed itself.
    :param meaning: returns the intended arguments by name, for a call that does not fit; an argument given in its place
        and by name has a trailing underscore in its place.
    :param otherwise: the function that a call means which does not fit.
    :param others: the other names of each argument, separated by spaces; under an argument's name with a trailing
        underscore, the names of fields accepted in its place.
    :raises CallError: from the function, for a call that fits no better under the arguments' own names.

    >>> @resolving(budget="max_tokens tokens")
    ... def fit(text: str, *, budget: int = 9) -> str:
    ...     return text[:budget]
    >>> fit("Port 8080", max_tokens=4)
    'Port'
    >>> fit("Port 8080", 4)
    Traceback (most recent call last):
    ujsx.errors.CallError: fit: too many positional arguments; write fit(text, budget=…)
    """
    names = {other: name for name, all_of in others.items() for other in all_of.split()}
    lines = {name: line for all_of, line in instead.items() for name in all_of.split()}

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                within = error.__traceback__
                if within is None or within.tb_next is not None:
                    raise  # the call fits; the error is inside the function
            if otherwise is not None:
                return cast("R", otherwise(*args, **kwargs))
            meant, again = _renamed(kwargs, names), cast("Callable[..., R]", function)
            form, places = signature(function), cast("tuple[Any, ...]", args)
            if meaning is not None:
                with suppress(TypeError):  # too many positional arguments
                    bound = form.bind_partial(*args).arguments
                    placed = {f"{each}_" if each in meant else each: bound[each] for each in bound}
                    places, meant = (), meaning({**placed, **meant})
            for each in [each for each in meant if each[-1:] == "_" and each[:-1] in meant]:
                raise CallError(f"{_name_of(function)}: {each[:-1]} is given twice") from None
            for each in lines.keys() & meant.keys():
                said = {**dict(zip(form.parameters, places, strict=False)), **meant}
                line = lines[each]
                for name, usual in _GIVEN.findall(line):
                    line = line.replace(f"{{{name}={usual}}}", quoted(str(said.get(name, usual))))
                raise CallError(f"{_name_of(function)} takes no {each}=; {line}") from None
            free = form.parameters.keys() - (form.parameters if rest else meant.keys())
            unknown = [each for each in meant if each not in form.parameters]
            found = {each: synonym(each, free, is_sure=True) for each in unknown}
            for each, own in found.items():
                if own is not None and [*found.values()].count(own) == 1:
                    meant[own] = meant.pop(each)
            given = _in_place(form, places, meant, rest)
            try:
                form.bind(*given, **meant)
            except TypeError as error:
                _refuse(function, form, meant, str(error), write)
            return again(*given, **meant)

        return call

    return decorated


_GIVEN = re.compile(r"\{(\w+)=(\w*)\}")
"""The place of a given text in a line to write, with the text otherwise."""


def as_meant(
    given: Mapping[str, object], meant: Mapping[str, tuple[str, object]]
) -> dict[str, Any]:
    """Return arguments under their own names, without those that have none.

    >>> as_meant({"note": "Port 8080", "is_open": True}, {"note": ("content", "Port 8080"), "is_open": ("", True)})
    {'content': 'Port 8080'}
    """
    named = (meant.get(*each) for each in zip(given, given.items(), strict=True))
    return {name: value for name, value in named if name}


def _renamed(given: Mapping[str, object], names: Mapping[str, str]) -> dict[str, Any]:
    """Return keyword arguments under the function's own names; a duplicate keeps its other name."""
    made: dict[str, Any] = {}
    for name, value in given.items():
        meant = names.get(name, name)
        own = meant.removesuffix("_")
        if own in given:
            made[name] = value
        elif own != meant:
            made.setdefault(own, {})[name] = value
        else:
            made[own] = value
    return made


def _in_place(
    form: Signature, args: tuple[Any, ...], named: dict[str, Any], rest: str
) -> tuple[Any, ...]:
    """Return positional arguments, including those passed by name; the others stay keywords, or are collected in
    ``rest``.
    """
    first = [
        name for name, each in form.parameters.items() if each.kind is Parameter.POSITIONAL_ONLY
    ]
    args = (*args, *(named.pop(each) for each in first[len(args) :] if each in named))
    unknown = named.keys() - form.parameters.keys()
    if rest and unknown and rest not in [*named, *[*form.parameters][: len(args)]]:
        named[rest] = {each: named.pop(each) for each in [*named] if each in unknown}
    return args


def _refuse(
    function: Callable[..., Any], form: Signature, given: Mapping[str, object], why: str, write: str
) -> NoReturn:
    parameters = [each for each in form.parameters.values() if each.name not in {"self", "cls"}]
    known = [each.name for each in parameters if each.kind not in _GATHERING]
    name = _name_of(function)
    unknown = next((each for each in given if each not in known), None)
    is_listed = not write
    if not write:
        first = [each.name for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        named = [f"{each.name}=…" for each in parameters if each.kind is Parameter.KEYWORD_ONLY]
        write = f"write {name}({', '.join([*first, *named])})"
    if unknown is not None:
        hint = did_you_mean(unknown, known)
        if not hint.startswith("did") or (not is_listed and synonym(unknown, known)):
            hint = write if is_listed or not known else f"{write}; {hint}"
        raise CallError(
            f"{name} takes no {unknown}= (got {shown(given[unknown])}); {hint}"
        ) from None
    raise CallError(f"{name}: {why}; {write}") from None


def _name_of(function: Callable[..., Any]) -> str:
    return function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")


_GATHERING = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def name_in_caller(cls: type[Any]) -> str:
    """Return the name that a class has in the code that called these packages, such as that of an alias."""
    from ujsx._other_names import PACKAGES  # only mistakes need it

    frame = sys._getframe(1)  # noqa: SLF001
    inside = {*PACKAGES, "contextlib"}
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in inside:
        frame = frame.f_back
    known = {**frame.f_globals, **frame.f_locals}
    code = frame.f_code
    names = [each for each in (*code.co_names, *code.co_varnames) if known.get(each) is cls]
    return cls.__name__ if cls.__name__ in names or not names else names[0]


def with_attributes(method: Callable[P, R]) -> Callable[P, R]:
    """Return a method with the attributes and members of its result when called without arguments.

    >>> class Kettle:
    ...     @with_attributes
    ...     def water(self) -> complex:
    ...         return 90 + 5j
    >>> Kettle().water(), Kettle().water.real
    ((90+5j), 90.0)
    """
    return cast("Callable[P, R]", _WithAttributes(method))


class _WithAttributes:
    """A descriptor: a function that becomes a method with attributes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __get__(self, owner: object, kind: type[Any] | None = None) -> Any:
        return self if owner is None else BoundFunction(self._function, owner)


class BoundFunction(partial[Any]):
    """The bound function, called at the speed of C."""

    if not TYPE_CHECKING:
        __doc__ = property(lambda self: self.func.__doc__)

    @property
    def __signature__(self) -> Signature:
        return signature(MethodType(self.func, *self.args))

    def __repr__(self) -> str:
        return f"<{self.func.__qualname__} of {self.args[0]!r}; write .{self.func.__name__}()>"

    def __str__(self) -> str:
        return str(self())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.func if name.startswith("_") else self(), name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, list | tuple | dict):  # methods are not equal to their results
            return bool(self() == other)
        return self is other

    __hash__ = object.__hash__

    def __len__(self) -> int:
        return len(self())

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: Any) -> Any:
        found: Any = self()
        members: Any = [*found] if isinstance(found, Iterator) else found
        return members[key]


class OneByOne(Iterator[T]):
    """An iterator that is read whole and stored for its length, an index or a comparison, unless iteration began.

    >>> sounds = OneByOne(iter("ab"), "[*kettle.sounds()]")
    >>> bool(sounds), len(sounds), sounds[-1], [*sounds]
    (True, 2, 'b', ['a', 'b'])
    >>> sounds = OneByOne(iter("ab"), "[*kettle.sounds()]")
    >>> next(sounds), len(sounds)
    Traceback (most recent call last):
    ujsx.errors.CallError: some of them were read already; write [*kettle.sounds()]
    """

    def __init__(self, source: Iterator[T], line: str, *, alone: str = "") -> None:
        """``alone`` is the message for a comparison with an empty list, as there is always a first one."""
        self._source, self._line, self._alone = source, line, alone
        self._begun = False
        self._kept: list[T] | None = None

    def __iter__(self) -> Iterator[T]:  # noqa: PYI034 - a loop uses the source, which is faster
        if self._kept is not None:
            return iter(self._kept)
        self._begun = True
        return self._source

    def __next__(self) -> T:
        self._begun = True
        return next(self._source)

    def __repr__(self) -> str:
        return f"<one by one; write {self._line}>"

    if not TYPE_CHECKING:  # to a type checker it is an iterator

        def _all(self) -> list[T]:
            if self._kept is None:
                if self._begun:
                    raise CallError(f"some of them were read already; write {self._line}")
                self._kept = [*self._source]
                self._source = iter(self._kept)
            return self._kept

        def __getitem__(self, place: Any) -> Any:
            return self._all()[place]

        def __len__(self) -> int:
            return len(self._all())

        def __eq__(self, other: object) -> bool:
            if self is other or not isinstance(other, list | tuple):
                return self is other
            if self._alone and not other and len(self._all()) == 1:
                raise CallError(self._alone)
            return self._all() == [*other]

        __hash__ = object.__hash__


class MissingAttributeError(AttributeError):
    """An AttributeError that computes its message on demand, as most callers only use ``hasattr``."""

    def __init__(self, said: str, name: str, owner: object) -> None:
        super().__init__(said, name, name=name, obj=None)  # otherwise Python adds the nearest name
        self._owner = owner

    def __str__(self) -> str:
        from ujsx._other_names import answer  # only mistakes need it

        said, name = self.args
        return f"{said} has no attribute {name!r}{answer(self._owner, name)}"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, (str(self),)


class MissingModuleError(ModuleNotFoundError):
    """A ModuleNotFoundError that computes its message on demand, as most callers only test for the module."""

    def __init__(self, name: str, importing: CodeType, at: int) -> None:
        super().__init__(f"No module named {name!r}", name=name)
        self._importing, self._at = importing, at

    def __str__(self) -> str:
        from dis import get_instructions  # only mistakes need them

        from ujsx._other_names import module_answer

        name, asked = str(self.name), cast("tuple[str, ...]", ())
        for each in get_instructions(self._importing):
            given: Any = each.argval
            if each.offset == self._at and each.opname == "IMPORT_NAME":
                # the import may be of a submodule of the missing one
                return f"{self.args[0]}{module_answer(given if given.startswith(name) else name, asked)}"
            asked = cast("tuple[str, ...]", given) if isinstance(given, tuple) else ()
        return f"{self.args[0]}{module_answer(name, ())}"

    def __reduce__(self) -> tuple[Callable[[str], ModuleNotFoundError], tuple[str]]:
        return ModuleNotFoundError, (str(self),)


MissingAttributeError.__module__ = "builtins"  # tracebacks show the class that readers know
MissingAttributeError.__name__ = MissingAttributeError.__qualname__ = "AttributeError"
MissingModuleError.__module__ = "builtins"
MissingModuleError.__name__ = MissingModuleError.__qualname__ = "ModuleNotFoundError"


class AnsweringType(type):
    """A metaclass that reports missing attributes like its objects do."""

    if not TYPE_CHECKING:
        _of_class: ClassVar[Mapping[str, str]] = {}
        """By an attribute, or by a function with its package that takes the class first, the names that stand for it."""

        def __getattr__(cls, name: str) -> Any:
            asked = getattr(super(), "__getattr__", super().__getattribute__)
            try:
                return asked(name)  # a Pydantic model's own
            except AttributeError:
                if name.startswith("_"):
                    raise
            for own, names in cls._of_class.items():
                if name.replace("_", "").casefold() in names.split():
                    if "." in own:
                        return partial(_imported(own), cls)
                    return getattr(cls, own)
            raise MissingAttributeError(f"type object {cls.__name__!r}", name, cls)


class Answering:
    """A class whose objects report a missing attribute with the line to write.

    >>> class Kettle(Answering):
    ...     _instead = {"kettle.boil()": "heat cook"}
    >>> Kettle().heat
    Traceback (most recent call last):
    AttributeError: 'Kettle' object has no attribute 'heat'; write kettle.boil()
    """

    __slots__ = ()

    _instead: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The attributes that callers expect, in lower case without underscores, by the line to write."""

    _also: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Aliases in the same form, by a dotted attribute, or by a function with its package that takes the object first."""

    def _line_for(self, name: str) -> str:
        """Return the line to write instead of an attribute in no table; empty for none."""
        return ""

    def _stands_for(self, name: str) -> str | None:
        """Return the dotted attribute that one in no table must mean, or None."""
        return None

    if not TYPE_CHECKING:  # type checkers report missing attributes

        def __getattr__(self, name: str) -> Any:
            said = name.replace("_", "").casefold()
            tables: Any = (vars(each).get("_also", {}) for each in type(self).__mro__)
            for own, others in chain.from_iterable(each.items() for each in tables):
                if said in others.split() and not name.startswith("_"):
                    is_function = own.startswith(("ujsx.", "hud_"))
                    return partial(_imported(own), self) if is_function else attrgetter(own)(self)
            asked = getattr(super(), "__getattr__", super().__getattribute__)
            try:
                return asked(name)  # a Pydantic model's own, or the error of a property
            except AttributeError:
                if name.startswith("_") or hasattr(type(self), name):
                    raise
            if (own := self._stands_for(name)) is not None:
                return attrgetter(own)(self)
            snake = "".join(f"_{each.lower()}" if each.isupper() else each for each in name)
            if snake != name and name[0].islower():
                with suppress(AttributeError):
                    return getattr(self, snake)
            if name in _SYNONYMS:
                own = synonym(name, dir(type(self)), is_sure=True)
                if own is not None and not callable(value := getattr(self, own)):
                    return value
            raise MissingAttributeError(f"{type(self).__name__!r} object", name, self)


def _imported(function: str) -> Callable[..., Any]:
    """Return the function of a qualified name: its module may be in a higher layer."""
    package, _, name = function.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(package), name)
    return found


_SYNONYMS = frozenset(" ".join(SYNONYMS).split())
"""The words that may stand for another attribute."""


class WithText(Answering):
    """A class whose objects have a ``text``, and act as that text where the meaning is unambiguous.

    Their own attributes take precedence. An ambiguous use is refused, with the line to write.

    >>> class Label(WithText):
    ...     text = "Port 8080"
    >>> str(Label()), "80" in Label(), Label() + "!", Label()[:4], Label().upper()
    ('Port 8080', True, 'Port 8080!', 'Port', 'PORT 8080')
    >>> len(Label())
    Traceback (most recent call last):
    ujsx.errors.CallError: a Label has no length; write len(….text)
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # to a type checker, the text is ``.text``

        def __str__(self) -> str:
            return self.text

        def __format__(self, spec: str) -> str:
            return format(self.text, spec)

        def __bool__(self) -> bool:
            return bool(self.text)

        def __contains__(self, part: object) -> bool:
            return part in self.text

        def __add__(self, other: object) -> str:
            return self.text + (other if isinstance(other, str) else str(other))

        def __radd__(self, other: object) -> str:
            return other + self.text if isinstance(other, str) else NotImplemented

        def __getitem__(self, place: Any) -> str:
            if isinstance(place, str):  # as in data
                return getattr(self, place)
            return self.text[place]

        def __len__(self) -> int:
            raise CallError(f"a {type(self).__name__} has no length; write len(….text)")

        def __iter__(self) -> NoReturn:
            raise CallError(f"a {type(self).__name__} is not a list; write ….text.splitlines()")

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattr__(name)
            except AttributeError:
                if name not in _OF_TEXTS.split():
                    raise
            return getattr(self.text, name)


_OF_TEXTS = (
    "casefold encode endswith find lower lstrip partition removeprefix removesuffix replace "
    "rfind rpartition rstrip split splitlines startswith strip swapcase translate upper"
)
"""The string methods of an object with a text."""
