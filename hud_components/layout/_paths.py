"""Dotted paths to the fields of a state, components that show their values, and tags in place of expressions.

A JSX expression in braces, such as ``density === "full" && <NotesSection/>``, is never evaluated: the error shows
equivalent tags, ``When``, ``Each`` or ``Value``, with an ellipsis for the rest.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType, NoneType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints

from pydantic import BaseModel, StringConstraints, model_validator

from hud_components._coding import HudState
from hud_components._models import ContextUsage, PlainItem, Unreadable
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.levels import THRESHOLDS
from ujsx import Component, ContentModel, RenderContext
from ujsx.components import fields_of, members_of
from ujsx.errors import UjsxError, did_you_mean, nearest, quoted, shown
from ujsx.layout import braces_in

Path: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^(\.|[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*)$")
]
"""Names of fields separated by dots; a single dot is the current item."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

ITEM = "."

LISTED: Mapping[type[BaseModel], tuple[str, ...]] = MappingProxyType(
    {ContextUsage: ("percentage",), PlainItem: ("origin",)}
)
"""Properties allowed in paths in addition to fields."""

Kinds: TypeAlias = tuple[Any, ...]
"""The possible types of a value: classes, ``Literal`` forms, and lists of such, without ``None``."""


class BindingError(UjsxError, LookupError):
    """An unknown path of a layout, or one to an unsuitable field.

    ``prop`` is the prop with the path. ``lacking`` are the classes without the field, and ``meant`` is the field with a
    similar name; empty and ``None`` for other mistakes.

    >>> try:
    ...     kinds_at(((ContextUsage,),), "percentag")
    ... except BindingError as error:
    ...     print(error.lacking[0].__name__, error.meant)
    ContextUsage percentage
    """

    def __init__(
        self,
        message: str,
        *,
        prop: str = "",
        path: str | None = None,
        lacking: Kinds = (),
        meant: str | None = None,
    ) -> None:
        super().__init__(message, path=path)
        self.prop = prop
        self.lacking = lacking
        self.meant = meant


def kinds_at(scopes: tuple[Kinds, ...], path: str) -> Kinds:
    """Return the possible types at the end of a path.

    :param scopes: the possible types of the current items, the innermost first, and the state last. A path starts in
        the first of them with a field of its first name.
    :raises BindingError: for an unknown path, with the nearest name.

    >>> from hud_components import HudState
    >>> kinds_at(((HudState,),), "task.description")
    (<class 'str'>,)
    >>> kinds_at(((HudState,),), "task.descripton")
    Traceback (most recent call last):
    hud_components.layout._paths.BindingError: "task.descripton": a Task has no field "descripton"; did you mean "description"?
    """
    return _followed(scopes, path)[1]


def value_at(scopes: Sequence[Any], path: str) -> Any:
    """Return the value at the end of a path, or ``None``.

    :param scopes: the current items, the innermost first, and the state last.
    :raises BindingError: for a path that is unknown for any values.
    """
    return _values_to(scopes, path)[-1]


def holder_at(scopes: Sequence[Any], path: str) -> Any:
    """Return the parent of the value at the end of a path: an item, a section's value, or the state."""
    return _values_to(scopes, path)[-2:][0]


def _values_to(scopes: Sequence[Any], path: str) -> list[Any]:
    """Return the values along a path, from its start to its end."""
    place, _ = _followed(kinds_of(scopes), path)
    values = [scopes[place]]
    for name in () if path == ITEM else path.split("."):
        value = values[-1]
        values.append(getattr(value, name) if name in _fields(_kind_of(value)) else None)
    return values


def kinds_of(scopes: Sequence[Any]) -> tuple[Kinds, ...]:
    """Return the types of the values in scopes."""
    return tuple([(_kind_of(each),) for each in scopes])


def _kind_of(value: Any) -> Any:
    return value.__class__


def items_in(kinds: Kinds) -> Kinds | None:
    """Return the possible types of a list's items; ``None`` if it cannot be a list."""
    found = [_items(kind) for kind in kinds]
    lists = [each for each in found if each is not None]
    return tuple(dict.fromkeys(kind for each in lists for kind in each)) if lists else None


def is_any(kinds: Kinds, *classes: type) -> bool:
    """Tell whether a value may be of one of those classes, or is unknown."""
    return any(
        kind is Any or (isinstance(_class(kind), type) and issubclass(_class(kind), classes))
        for kind in kinds
    )


def named(kinds: Kinds) -> str:
    """Return the names of kinds for a message.

    >>> named((str,)), named((ContextUsage,))
    ('text', 'a ContextUsage')
    """
    return " or ".join(dict.fromkeys(map(_name, kinds))) or "nothing"


@lru_cache(maxsize=1024)
def _followed(scopes: tuple[Kinds, ...], path: str) -> tuple[int, Kinds]:
    """Return the place of a path's scope, and the possible types at its end."""
    if path == ITEM:
        return 0, scopes[0]
    names = path.split(".")
    place = next(
        (place for place, kinds in enumerate(scopes) if names[0] in _names(kinds) or Any in kinds),
        0,
    )
    kinds = scopes[place]
    for name in names:
        if name not in _names(kinds) and Any not in kinds:
            around = scopes if name == names[0] else (kinds,)
            raise _no_field(path, name, kinds, around)
        kinds = _behind(kinds, name)
    return place, kinds


def _behind(kinds: Kinds, name: str) -> Kinds:
    """Return the possible types after a name."""
    return tuple(dict.fromkeys(each for kind in kinds for each in _fields(kind).get(name, ()))) or (
        Any,
    )


def steps_from(kinds: Kinds) -> dict[str, Kinds]:
    """Return the possible types after each name with which a path can continue; an unknown kind has any name.

    >>> from hud_components import Task
    >>> steps_from((Task,))["goal"]
    (<class 'str'>,)
    """
    return {name: _behind(kinds, name) for name in sorted(_names(kinds)) if _NAME.fullmatch(name)}


def _no_field(path: str, name: str, kinds: Kinds, scopes: Sequence[Kinds]) -> BindingError:
    at = quoted(path)
    if items_in(kinds) is not None:
        several = "there are several; repeat for each of them"
        return BindingError(f"{at}: {several}: <Each of={quoted('…')}>")
    known = sorted({each for scope in scopes for each in _names(scope)})
    if not known:
        return BindingError(f"{at}: {named(kinds)} has no fields")
    return BindingError(
        f"{at}: {named(kinds)} has no field {quoted(name)}; {did_you_mean(name, known)}",
        lacking=kinds,
        meant=nearest(name, known),
    )


def _names(kinds: Kinds) -> AbstractSet[str]:
    return {name for kind in kinds for name in _fields(kind)}


def _fields(kind: Any) -> Mapping[str, Kinds]:
    """Return the names for paths in a value of that class, and their types."""
    return _fields_of(kind) if isinstance(kind, type) and issubclass(kind, BaseModel) else {}


@lru_cache(maxsize=256)
def _fields_of(kind: type[BaseModel]) -> Mapping[str, Kinds]:
    fields = {
        name: tuple(_alternatives(field.annotation))
        for name, field in fields_of(kind).items()
        if Unreadable not in get_args(field.annotation)  # all layouts report it
    }
    for name, computed in kind.model_computed_fields.items():
        fields[name] = tuple(_alternatives(computed.return_type))
    for base, names in LISTED.items():
        for name in names if issubclass(kind, base) else ():
            returned = hints(vars(base)[name].fget)["return"]
            fields.setdefault(name, tuple(_alternatives(returned)))
    return fields


def _alternatives(annotation: Any) -> Iterator[Any]:
    """Return the possible types of an annotation, without ``None``."""
    for each in members_of(annotation):
        if isinstance(each, TypeVar) or each is object:
            yield Any
        elif each not in (None, NoneType):
            yield each


def _items(kind: Any) -> Kinds | None:
    cls = _class(kind)
    if kind is Any:
        return (Any,)
    if not isinstance(cls, type) or not issubclass(cls, Collection):
        return None
    if issubclass(cls, str | bytes | Mapping):
        return None
    items = [each for each in get_args(kind) if each is not Ellipsis] or [Any]
    return tuple(dict.fromkeys(each for item in items for each in _alternatives(item)))


def _class(kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return _kind_of(get_args(kind)[0])
    return get_origin(kind) or kind


def _name(kind: Any) -> str:
    cls = _class(kind)
    if cls in _WORDS:
        return _WORDS[cast("type", cls)]
    if _items(kind) is not None:
        return "a list"
    name = getattr(cls, "__name__", str(cls))
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


_WORDS: Mapping[type, str] = MappingProxyType(
    {str: "text", int: "a number", float: "a number", bool: "yes or no"}
)


# The base of components that show or test values of the bound state by path.

Scopes: TypeAlias = tuple[Any, ...]
"""The possible starts of a path: the current items, the innermost first, and the state last."""


class CurrentItems(NamedTuple):
    """The current items of the enclosing ``Each``, the innermost first: a value of the context."""

    items: tuple[Any, ...] = ()


def scopes_in(ctx: RenderContext) -> Scopes:
    """Return the possible starts of a path in that context."""
    current = ctx.get(CurrentItems)
    return (*(current.items if current else ()), ctx.get(State) or _NOTHING)


_NOTHING = HudState()
"""The state if none is bound."""

UNBOUND = (
    "no state is bound, so an empty one of the coding domain is shown; bind yours: "
    "context=RenderContext().with_value(session.state()), from ujsx import RenderContext"
)
"""The message about an unknown path in that state."""


class BoundComponent(Component):
    """A component whose props name fields of the state, or of the current item."""

    content_model: ClassVar[ContentModel | None] = None

    @classmethod
    def for_expression(
        cls, expression: str, vocabulary: Mapping[str, type[Component]]
    ) -> str | None:

        return tags_for(expression, vocabulary)

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        """Yield what is wrong with the paths, where those things may be in scope."""
        return iter(())

    def inner_scopes(self, scopes: tuple[Kinds, ...]) -> tuple[Kinds, ...]:
        """Return what is in scope for the children."""
        return scopes

    def scopes(self, ctx: RenderContext) -> Scopes:
        """Return what is in scope.

        :raises BindingError: for a path that leads nowhere there.
        """
        found = scopes_in(ctx)
        checked: Any = self
        try:
            _check(checked, kinds_of(found))
        except BindingError as error:
            if found[-1] is not _NOTHING:
                raise
            error.message += f"; {UNBOUND}"
            raise
        return found


@lru_cache(maxsize=1024)
def _check(component: Any, scopes: tuple[Kinds, ...]) -> None:
    for error in component.bindings(scopes):
        raise error


class Conditions(BoundComponent):
    """Conditions on values; where several are given, all of them have to hold.

    A value counts as missing if it is empty, no, or none. A list is compared by how many items it
    has. A value that is missing compares to nothing.
    """

    has: Path | None = None
    """There is something at this path: a text that is not empty, an item, yes."""

    lacks: Path | None = None
    """There is nothing at this path."""

    field: Path | None = None
    """The value that is compared: a number, a text, or a list by its number of items."""

    equals: str | int | float | bool | None = None
    """The field's value is this one."""

    above: float | None = None
    """The field's value is greater than this."""

    below: float | None = None
    """The field's value is less than this."""

    at_least: float | None = None
    """The field's value is this, or greater."""

    at_most: float | None = None
    """The field's value is this, or less."""

    @model_validator(mode="after")
    def _compares(self) -> Conditions:
        compares = self.equals is not None or any(
            getattr(self, name) is not None for name in ORDERS
        )
        if compares and self.field is None:
            raise ValueError('a comparison needs field="…", the path of the compared value')
        if self.field is not None and not compares:
            raise ValueError(f"field is compared with one of equals, {', '.join(ORDERS)}")
        return self

    def conditions(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        """Yield what is wrong with the conditions, where those things may be in scope."""
        for name in ("has", "lacks", "field"):
            path = getattr(self, name)
            if path is not None:
                yield from path_errors(name, path, scopes)
        if self.field is not None and not any(path_errors("field", self.field, scopes)):
            kinds = kinds_at(scopes, self.field)
            yield from self._comparison(kinds)

    def _comparison(self, kinds: Kinds) -> Iterator[BindingError]:
        is_list, is_number = items_in(kinds) is not None, is_any(kinds, int, float)
        for name in ORDERS:
            if getattr(self, name) is not None and not (is_list or is_number):
                message = f'{name}: "{self.field}" is {named(kinds)}, which is not a number'
                yield BindingError(message, prop=name)
        if self.equals is None:
            return
        texts = literals(kinds)
        if texts and isinstance(self.equals, str) and self.equals not in texts:
            message = f'"{self.field}" is never {shown(self.equals)}; '
            yield BindingError(message + did_you_mean(self.equals, texts), prop="equals")
        elif not (is_list or is_any(kinds, str, int, float)):
            message = f'"{self.field}" is {named(kinds)}, which cannot be compared'
            yield BindingError(message, prop="equals")
        elif isinstance(self.equals, str) is not is_any(kinds, str) and Any not in kinds:
            message = f'"{self.field}" is {named(kinds)}, and never {shown(self.equals)}'
            yield BindingError(message, prop="equals")

    def hold(self, scopes: Scopes) -> bool:
        """Tell whether all conditions hold."""
        if self.has is not None and not is_something(value_at(scopes, self.has)):
            return False
        if self.lacks is not None and is_something(value_at(scopes, self.lacks)):
            return False
        return self.field is None or self._compared(value_at(scopes, self.field))

    def _compared(self, value: Any) -> bool:
        if not isinstance(value, str | int | float | None):
            value = len(value)
        if value is None or (self.equals is not None and value != self.equals):
            return False
        if isinstance(value, str):
            return self.equals is not None
        return all(
            holds(value, limit)
            for name, holds in ORDERS.items()
            if (limit := getattr(self, name)) is not None
        )


ORDERS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"above": operator.gt, "below": operator.lt, "at_least": operator.ge, "at_most": operator.le}
)
"""Comparisons of numbers by the props that ask for them."""


def path_errors(prop: str, path: str, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
    """Yield the error of an unknown path."""
    try:
        kinds_at(scopes, path)
    except BindingError as error:
        error.prop = prop
        yield error


def is_something(value: Any) -> bool:
    """Tell whether a value is present: 0 is; empty values, False and None are not."""
    return value is not None and value is not False and value not in ("", (), [], frozenset())


def literals(kinds: Iterable[Any]) -> list[str]:
    """Return the possible texts of a value, if only those are known; otherwise none."""
    forms = [kind for kind in kinds if is_any((kind,), str)]
    if not forms or not all(get_origin(kind) is Literal for kind in forms):
        return []
    return [str(each) for kind in forms for each in get_args(kind)]


# The tags equivalent to a JSX expression.

DEEPEST = 3
"""The maximum nesting of expressions."""

REST = "…"

_YELLOW, _RED = (f"{{{each.percentage:g}}}" for each in THRESHOLDS[1:3])

DENSITIES: Mapping[tuple[bool, str], str] = {
    (True, "full"): f'field="usage.percentage" below={_YELLOW}',
    (False, "full"): 'level="yellow"',
    (True, "compact"): f'field="usage.percentage" at_least={_YELLOW} below={_RED}',
    (True, "minimal"): 'level="red"',
    (False, "minimal"): f'field="usage.percentage" below={_RED}',
}
"""The condition for each density, and for all others: the fullness of the context decides the density."""

BEGINS: Mapping[str, str] = {
    **dict.fromkeys(("state", "props", "this"), ""),
    **dict.fromkeys(("context_info", "context", "info"), "usage"),
    "percentage": "usage.percentage",
}
"""The meaning of a path's first name that is not a field of the state."""

COMPARISONS = {">": "above", "<": "below", ">=": "at_least", "<=": "at_most"}

OPPOSITES = {"has": "lacks", "lacks": "has"}

NOTHING = ("null", "undefined", "false", "")

UNKNOWN = (
    (re.compile(r"\.map\(|\bfor\b"), f'<Each of="{REST}">{REST}</Each>'),
    (re.compile(r"&&|\|\||\?|\bif\b"), f'<When has="{REST}">{REST}</When>'),
)
"""The tags for an unreadable loop or condition."""

_IDENTIFIER = r"[A-Za-z_$][\w$]*+"
_PATH = re.compile(rf"{_IDENTIFIER}(?:\??\.{_IDENTIFIER})*+")
_COMPARED = re.compile(
    r"(?P<path>[\w$.?]++)\s*+(?P<sign>[=!]==?|[<>]=?)\s*+(?P<value>\S.*+)", re.DOTALL
)
_LOOP = re.compile(
    rf"(?P<list>[\w$.?]+?)\??\.map\(\s*+\(?\s*+(?P<item>{_IDENTIFIER})[^=]*+=>(?P<body>.*)\)",
    re.DOTALL,
)
_TEXT = re.compile(r"""(["'`])(?P<text>[^"'`{}<\\\n]*+)\1""")
_SIGN = re.compile(r"(?P<opens>[(\[{])|(?P<closes>[)\]}])|(?P<tag><[A-Za-z>])|&&|\?(?![.?])|:")
_BRACES = re.compile(r"(?P<prop>\s[\w-]++=)?\{")
_LITERAL = re.compile(r"""["\d\[{-]|true$|false$|null$""")
_TAG = re.compile(r"<([A-Za-z][\w.]*+)")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z])")


def tags_for(expression: str, vocabulary: Mapping[str, type[Component]]) -> str | None:
    """Return the tags equivalent to an expression, or ``None``.

    >>> from hud_components import layout_vocabulary
    >>> tags_for('density === "full" && <NotesSection/>', layout_vocabulary())
    '<When field="usage.percentage" below={70}><NotesSection/></When>'
    >>> tags_for("state.task", layout_vocabulary())
    '<Value of="task.description"/>'
    >>> tags_for("notes.map(note => <Item>{note.content}</Item>)", layout_vocabulary())
    '<Each of="notes"><Item><Value of="content"/></Item></Each>'
    """
    found = _ExpressionReader(vocabulary).tags(expression)
    return found if found and vocabulary.keys() >= {*_TAG.findall(found)} else None


@dataclass(frozen=True)
class _ExpressionReader:
    """A reader of expressions in one place."""

    vocabulary: Mapping[str, type[Component]]
    items: tuple[str, ...] = ()
    """The item names of the enclosing loops."""
    level: int = 0

    def tags(self, expression: str) -> str | None:
        text = _bare(expression)
        loop = _LOOP.fullmatch(text)
        if loop is not None:
            return self._each(loop)
        condition, behind = _parted(text, "?")
        if behind:
            shown, otherwise = _parted(behind, ":", over_tags=True)
            asked = self._condition(condition)
            other = self.children(otherwise)
            return self._when(asked, shown) + (other and f"<When {_opposite(asked)}>{other}</When>")
        condition, behind = _parted(text, "&&")
        if behind:
            return self._when(self._condition(condition), behind)
        if quoted := _TEXT.fullmatch(text):
            return f'{{"{quoted["text"]}"}}'
        if _PATH.fullmatch(text) and text not in ("true", *NOTHING):
            path = self._path(text)
            return f'<Value of="{path}"/>' if text.endswith(".length") else self._value(path)
        if text.startswith("<"):
            return self.children(text)
        return next((tags for pattern, tags in UNKNOWN if pattern.search(text)), None)

    def _when(self, condition: str, shown: str) -> str:
        return f"<When {condition}>{self.children(shown)}</When>"

    def _each(self, loop: re.Match[str]) -> str:
        path = self._path(loop["list"])
        inside = replace(self, items=(*self.items, loop["item"])).children(loop["body"])
        if inside == REST and path in self._sections():
            return self._value(path)
        return f'<Each of="{path}">{inside}</Each>'

    def _value(self, path: str) -> str:
        section = self._sections().get(path)
        if section is None:
            return f'<Value of="{path or REST}"/>'
        if section.kind is not None:
            return f'<Each of="{path}"><Value of="{section.kind.text}"/></Each>'
        return f'<Value of="{path}.{next(iter(fields_of(section.draft)))}"/>'

    def children(self, text: str) -> str:
        """The nodes between two tags: expressions as tags, and without the props that have some."""
        text = _bare(text)
        if text in NOTHING:
            return ""
        if quoted := _TEXT.fullmatch(text):
            return quoted["text"]
        if self.level == DEEPEST:
            return REST
        inner = replace(self, level=self.level + 1)
        if not text.startswith("<"):
            return inner.tags(text) or REST
        parts: list[str] = []
        at, ends = 0, braces_in(text)
        for brace in _BRACES.finditer(text):
            if brace.start() < at:
                continue
            parts.append(text[at : brace.start()])
            at = ends.get(brace.end() - 1, brace.end())
            inside = text[brace.end() : at - 1].strip()
            if _LITERAL.match(inside) or inside.startswith("/*"):
                parts.append(text[brace.start() : at])
            elif not brace["prop"]:
                parts.append(inner.tags(inside) or REST)
        found = " ".join("".join([*parts, text[at:]]).split()).replace(" />", "/>")
        return found if self.vocabulary.keys() >= {*_TAG.findall(found)} else REST

    def _condition(self, text: str) -> str:
        """The props of a ``When``."""
        text = _bare(text)
        bare = text.lstrip("! ")
        if _PATH.fullmatch(bare):
            return f'{"lacks" if text.count("!") % 2 else "has"}="{self._path(bare)}"'
        compared = _COMPARED.fullmatch(text)
        return (compared and self._compared(**compared.groupdict())) or f'has="{REST}"'

    def _compared(self, path: str, sign: str, value: str) -> str | None:
        at, is_equal = self._path(path), sign.startswith("=")
        if sign in COMPARISONS:
            return f'field="{at}" {COMPARISONS[sign]}={{{value}}}' if _is_number(value) else None
        if value in ("true", *NOTHING):
            return f'{"has" if (value == "true") is is_equal else "lacks"}="{at}"'
        text = _TEXT.fullmatch(value)
        if text is not None and at.endswith("density"):
            return DENSITIES.get((is_equal, text["text"]))
        equals = f'"{text["text"]}"' if text else f"{{{value}}}" if _is_number(value) else ""
        return f'field="{at}" equals={equals}' if equals and is_equal else None

    def _path(self, written: str) -> str:
        """Return a path in a layout's form: without the state or the item that it starts from."""
        first, *rest = written.replace("?", "").split(".")
        names = [_HUMP.sub("_", name).lower() for name in (first, *rest)]
        if first in self.items:
            return ".".join(names[1:]) or "."
        if names[-1] == "length":
            names.pop()
        if names and names[0] not in self._sections():
            names[:1] = filter(None, [BEGINS.get(names[0], names[0])])
        return ".".join(names)

    def _sections(self) -> Mapping[str, type[HudSection]]:
        classes = self.vocabulary.values()
        found = (each for each in classes if issubclass(each, HudSection) and each.field)
        return {each.field: each for each in found}


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _opposite(condition: str) -> str:
    prop, _, path = condition.partition("=")
    return f"{OPPOSITES[prop]}={path}" if prop in OPPOSITES else f'has="{REST}"'


def _bare(text: str) -> str:
    """Return an expression without the brackets around it."""
    text = text.strip()
    while text[:1] in ("(", "{") and _bracket_end(text) == len(text):
        text = text[1:-1].strip().removeprefix("return ").rstrip("; ")
    return text


def _bracket_end(text: str) -> int:
    """Return the end of the bracket at the start of a text, or 0."""
    depth = 0
    for found in _SIGN.finditer(text):
        depth += bool(found["opens"]) - bool(found["closes"])
        if depth == 0:
            return found.end()
    return 0


def _parted(text: str, sign: str, *, over_tags: bool = False) -> tuple[str, str]:
    """Return the text before a sign and after it; all and nothing if it is in brackets or after a tag."""
    depth = 0
    for found in _SIGN.finditer(text):
        depth += bool(found["opens"]) - bool(found["closes"])
        if found["tag"] and not over_tags:
            break
        if depth == 0 and found[0] == sign:
            return text[: found.start()].strip(), text[found.end() :].strip()
    return text, ""
