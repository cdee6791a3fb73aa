"""The HUD's data models: items, values, and the facts of every session.

An item is a draft, which an author fills in, plus the store's fields: id, times, and fields that only verbs set
(:data:`Kept`). All models are frozen and compared by value. Times are milliseconds since the Unix epoch.
"""

from __future__ import annotations

import operator
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from types import MappingProxyType, NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    get_origin,
    overload,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import (
    CoreSchema,
    InitErrorDetails,
    PydanticCustomError,
    PydanticKnownError,
    from_json,
)
from pydantic_core.core_schema import json_or_python_schema, with_info_before_validator_function

from ujsx import DefinitionError, FrozenMapping
from ujsx.calls import Answering, name_in_caller
from ujsx.components import (
    DocumentedModel,
    fields_of,
    first_text,
    hold_frozen,
    members_of,
    own_annotations,
)
from ujsx.errors import PropError, complaint, did_you_mean, listed, mistakes_of, quoted, shown
from ujsx.text import is_text


def _of_characters(value: object) -> object:
    """Refuse half of a surrogate pair: it is not a character, and files cannot contain it."""
    if isinstance(value, str) and not is_text(value):
        raise PydanticKnownError("string_unicode")
    return value


Text: TypeAlias = Annotated[str, BeforeValidator(_of_characters)]
"""Text of whole characters; it may be empty. A plain ``str`` would accept text that cannot be stored."""

Line: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Nonempty text, without white space at its edges.

Pydantic itself refuses half of a surrogate pair where a text has constraints.
"""

Milliseconds: TypeAlias = Annotated[int, Field(ge=0)]
"""A time, in milliseconds since the Unix epoch."""

Actor: TypeAlias = Literal["agent", "user", "tool", "host"]
"""The source of a statement: the agent, its user, a tool whose effect was seen, or the host program."""

Trend: TypeAlias = Literal["stable", "growing", "growing rapidly"]
"""The trend of the context's fullness, in words."""

Origin: TypeAlias = Literal["project", "parent"]
"""The source of an inherited item: the project's defaults, or the parent session."""


@dataclass(frozen=True, slots=True)
class _KeptMark:
    """The mark of a field that authors do not fill in."""


KEPT = _KeptMark()

T = TypeVar("T")

Kept: TypeAlias = Annotated[T, KEPT]
"""The type of a field that only verbs set: ``resolved: Kept[bool] = False``. It has a default, and exported schemas
omit it.
"""


def taking_texts(model: type[DocumentedModel], schema: CoreSchema) -> CoreSchema:
    """Return a model's core schema whose fields accept texts for their items or value.

    Python may pass a text; JSON must match the exported schema.
    """
    fields: Any = schema
    while fields["type"] != "model-fields":
        if "schema" not in fields:
            return schema
        fields = fields["schema"]  # the model and its validators wrap the fields
    for name, info in fields_of(model).items():
        if (item := item_in(info.annotation).kind) is not None:
            _take_text(item, fields["fields"][name], "schema")
    return schema


class FieldData(NamedTuple):
    """The data of a field."""

    kind: type[HudModel] | None
    """The class of the items, or of the value; None for any other field."""
    is_listed: bool
    """True if it is a list."""


def item_in(annotation: Any) -> FieldData:
    """Return the class of a field's items or value.

    >>> item_in(tuple[SessionInfo, ...] | None)
    FieldData(kind=<class 'hud_components._models.SessionInfo'>, is_listed=True)
    """
    is_union = get_origin(annotation) is not tuple
    kinds = [each for each in get_args(annotation) or [annotation] if each not in (NoneType, ...)]
    if len(kinds) == 1 and is_union and get_origin(kinds[0]) is tuple:
        return item_in(kinds[0])
    [kind] = kinds if len(kinds) == 1 else [None]
    is_data = isinstance(kind, type) and issubclass(kind, HudModel)
    return FieldData(kind if is_data else None, not is_union)


def _take_text(item: type[HudModel], within: Any, place: Any) -> None:
    """Make a part of a core schema accept a text for an item."""
    inner = within[place]
    match inner["type"]:
        case "default" | "nullable" | "function-after":
            _take_text(item, inner, "schema")
        case "tuple":
            _take_text(item, inner["items_schema"], 0)
        case "model" | "definition-ref":
            in_python = with_info_before_validator_function(partial(_in_python, item), inner)
            is_listed = isinstance(within, list)  # long JSON lists are read unchanged
            within[place] = json_or_python_schema(inner, in_python) if is_listed else in_python
        case _:
            pass


def _in_python(item: type[HudModel], given: object, info: ValidationInfo) -> object:
    if not isinstance(given, str) or info.mode != "python":
        return given
    fields: Any = item.of_text(given)
    by: tuple[Actor, ...] = getattr(item, "expected_from", ("agent",))
    return (
        fields if "agent" in by else {"said_by": by[0], **fields}
    )  # an author's data are as expected


def fields_of_text(model: type[BaseModel], given: object) -> object:
    """Return the fields for a text, the first required one; anything else unchanged.

    :raises ValueError: if other fields are also required, with the line to write instead.

    >>> class Remedy(HudModel):
    ...     what: Line
    >>> fields_of_text(Remedy, "Restart")
    {'what': 'Restart'}
    """
    if not isinstance(given, str):
        return given
    field, name = first_text(model), model.__name__
    needed = [each for each, info in fields_of(model).items() if info.is_required()]
    if field is not None and len(needed) == 1:
        return {field: given}
    if field is None:
        first = ", ".join(f"{each}=…" for each in needed or [*fields_of(model)][:1])
        raise ValueError(f"a text cannot stand for {name}; write {name}({first})")
    others = [each for each in needed if each != field]
    line = ", ".join([f"{field}={shown(given)}", *(f"{each}=…" for each in others)])
    raise ValueError(f"{name} also requires {listed(others)}; write {name}({line})")


def in_order(model: type[BaseModel], positional: tuple[Any, ...]) -> dict[str, Any]:
    """Return the fields for a text and values behind it, by the order of the fields; nothing if there are too many."""
    hidden, text = {"id", *SOURCE}, first_text(model)
    names = [each for each in fields_of(model) if each not in hidden]
    behind = names[names.index(text) :] if text in names else []
    is_given = isinstance(positional[0], str) and len(positional) <= len(behind)
    return dict(zip(behind, positional, strict=False)) if is_given else {}


def _given(model: type[HudModel], positional: tuple[Any, ...], fields: Mapping[str, Any]) -> Any:
    """Return a model's data from positional arguments: all fields in one, or a text and what follows it."""
    if len(positional) == 1 and not fields:
        return model.of_text(positional[0])
    named = in_order(model, positional)
    if named and named.keys().isdisjoint(fields):
        return {**named, **fields}
    line = ", ".join(f"{name}=…" for name, info in fields_of(model).items() if info.is_required())
    raise PropError(f"fields are given by name; write {model.__name__}({line})")


def _in_words(value: str | float | list[Any]) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


_OF_EACH = frozenset({"origin", "of_text"})
"""Attributes of models that are not fields."""


def _refusal(
    cls: type[HudModel], error: ValidationError, given: Mapping[str, Any], why: str = ""
) -> ValidationError:
    """Return Pydantic's error under the name that the caller has for the class, with what to write.

    :param given: the refused data.
    """
    name = name_in_caller(cls)
    lines: list[InitErrorDetails] = []
    faults = error.errors(include_url=False)
    strange = {str(each["loc"][0]) for each in faults if each["type"] == "extra_forbidden"}
    for each in faults:
        kind, place, said = each["type"], each["loc"], why or each["msg"]
        if kind == "extra_forbidden" and len(place) == 1:
            field = str(place[0])
            known = [each for each in fields_of(cls) if each not in {*SOURCE, "id"}]
            said = f"{name} has no field {quoted(field)}; {did_you_mean(field, known)}"
            text = first_text(cls)
            if (
                text
                and isinstance(each["input"], str | int | float | list)
                and not said.endswith("?")
            ):
                said = f"{said}; for what has none, write it into {text}"
                names = {text} | ({*given} - {*fields_of(cls)} - strange)
                words = [each for name, each in given.items() if name in names]
                if words and isinstance(words[0], str):
                    more = ", ".join(
                        f"{each}: {_in_words(given[each])}" for each in given if each in strange
                    )
                    whole = f"{words[0]} ({more})"
                    said = f"{said}: {_line_of(cls, name, {**given, text: whole})}"
        elif kind == "literal_error" and len(place) == 1 and cls._is_repaired:
            field, info = str(place[0]), fields_of(cls).get(str(place[0]))
            kinds: Iterable[Any] = [] if info is None else members_of(info.annotation)
            choice = next((word for each in kinds for word in get_args(each)), None)
            if choice is not None:
                said = f"{said}; write {_line_of(cls, name, {**given, field: choice})}"
        elif kind == "missing" and len(place) == 1:
            said = f"{said}; write {name}({place[0]}=…)"
        elif kind == "model_type" and not place:
            said = f"{said}; write {name}({first_text(cls) or ''}=…)"
        told = PydanticCustomError(
            cast("Any", kind), "{said}", {**each.get("ctx", {}), "said": said}
        )
        lines.append({"type": told, "loc": place, "input": each["input"]})
    return ValidationError.from_exception_data(name, lines)


def _line_of(cls: type[HudModel], name: str, given: Mapping[str, Any]) -> str:
    known = {each: shown(given[each], width=200) for each in given if each in fields_of(cls)}
    return f"{name}({', '.join(f'{each}={said}' for each, said in known.items())})"


class HudModel(Answering, DocumentedModel):
    """A frozen, closed Pydantic model whose attribute docstrings describe its fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,  # JSON has no such numbers: a log could not be read back
        cache_strings="keys",  # values are data, which no process-wide cache keeps
    )

    _also: ClassVar[Mapping[str, str]] = {
        "model_dump": "todict asdict",
        "model_dump_json": "tojson",
        "_get": "get",
        "_items": "items",
    }

    _is_repaired: ClassVar[bool] = True
    """True if data that it refuses are tried again under its own names and in its types."""

    _also_takes: ClassVar[tuple[str, ...]] = ()
    """The names that it takes beside those of its fields."""

    _follow: ClassVar[tuple[str, ...]] = ()
    """The names in data of what follows from its fields, which is left out."""

    _also_means: ClassVar[Mapping[str, Mapping[str, Any] | str]] = {}
    """By a word for the status, the fields that it means, or the line to write instead."""

    _made_by: ClassVar[str] = ""
    """The line that makes one, where its fields are not its author's to fill in."""

    def __init_subclass__(cls, **options: Any) -> None:
        try:
            super().__init_subclass__(**options)
        except TypeError:
            if not options:
                raise
            name = next(iter(options))
            line = f"write {name} = … in the body of the section that lists it"
            raise DefinitionError(f"{cls.__name__} takes no {name}=; {line}") from None
        for name in own_annotations(cls).keys() & _OF_EACH:
            if any(name in vars(base) for base in cls.__mro__[1:]):
                why = f"{cls.__name__}.{name} is a name that every item already has"
                other = f"{cls.__name__.lower()}_{name}"
                raise DefinitionError(f"{why}; use another one, such as {other}")

    def __init__(self, /, *positional: Any, **fields: Any) -> None:
        validated = self.__pydantic_validator__.validate_python
        cls, given = type(self), _given(type(self), positional, fields) if positional else fields
        try:
            validated(given, self_instance=self)
        except ValidationError:
            meant = cls._repaired(given)
            if cls._made_by:
                why = f"{cls.__name__} is not constructed directly"
                raise PropError(f"{why}; write {cls._made_by}") from None
            with cls._telling(given):
                if meant is None:
                    raise
                validated(meant, self_instance=self)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # it adds nothing but what is refused

    if not TYPE_CHECKING:  # type checkers know it of a frozen model

        def __getitem__(self, name: str) -> Any:
            if name in fields_of(type(self)):
                return getattr(self, name)
            hint = did_you_mean(name, fields_of(type(self)))
            raise KeyError(f"{type(self).__name__} has no field {shown(name)}; {hint}")

        def _get(self, name: str, default: Any = None) -> Any:
            return getattr(self, name, default)

        def _items(self) -> Any:
            return dict(self).items()

        def _stands_for(self, name: str) -> str | None:
            if name in fields_of(type(self)):  # an item that was read may lack it
                return None
            from hud_components.declaring._repairs import field_called  # only mistakes need it

            return field_called(type(self), name)

        def __setattr__(self, name: str, value: object) -> None:
            try:
                super().__setattr__(name, value)
            except ValidationError as error:
                why = (
                    f"the state follows from the events; to change it, record one, such as"
                    f' session.record("note.update", id="n-2", content="…"); for another {type(self).__name__}, write'
                    f" .model_copy(update={{{name!r}: {shown(value)}}})"
                )
                raise _refusal(type(self), error, {}, why) from None

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Self:
        """Validate data as Pydantic does; refused data are tried again under the model's own names.

        >>> from hud_components import HudState
        >>> HudState.model_validate({"notes": [{"note": "Port 8080"}]}).notes[0].content
        'Port 8080'
        """
        try:
            return super().model_validate(obj, **options)
        except ValidationError:
            meant = cls._repaired(obj)
            with cls._telling(obj):
                if meant is None:
                    raise
                return super().model_validate(meant, **options)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Validate JSON as Pydantic does; refused data are tried again as :meth:`model_validate` reads them.

        >>> from hud_components import HudState
        >>> HudState.model_validate_json('{"notes": ["Port 8080"]}').notes[0].content
        'Port 8080'
        """
        try:
            return super().model_validate_json(json_data, **options)
        except ValidationError as error:
            if error.errors(include_url=False)[0]["type"] == "json_invalid":
                raise
            return cls.model_validate(from_json(json_data), **options)

    @classmethod
    @contextmanager
    def _telling(cls, given: Any) -> Generator[None]:
        """Say what to write in Pydantic's error, in place of its addresses."""
        try:
            yield
        except ValidationError as error:
            known = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
            raise _refusal(cls, error, known) from None

    @classmethod
    def _repaired(cls, given: Any) -> dict[str, Any] | None:
        """Return the probable meaning of refused data; None if there is no other."""
        if not cls._is_repaired or not isinstance(given, dict):
            return None
        from hud_components.declaring._repairs import repaired  # only refused data need it

        named = cast("dict[str, Any]", given)
        meant = repaired(cls, named)
        return None if meant == named else meant

    @classmethod
    def of_text(cls, given: object) -> object:
        """Return the fields for a text: see :func:`fields_of_text`."""
        return fields_of_text(cls, given)

    _other_names: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """By a field, other names that data may have for it, unless another field has that name."""

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler, /
    ) -> CoreSchema:
        """Accept JavaScript names, ``updatedAt`` for ``updated_at``, and a text for an item."""
        made = handler(source)
        within: Any = handler.resolve_ref_schema(made)
        while "fields" not in within and "schema" in within:
            within = within["schema"]
        fields = within.get("fields", {})
        for name, field in fields.items():
            others = [each for each in cls._other_names.get(name, ()) if each not in fields]
            if others or "_" in name:
                known = chain.from_iterable((each, to_camel(each)) for each in (name, *others))
                field.setdefault("validation_alias", [[each] for each in dict.fromkeys(known)])
        return taking_texts(cls, made)


_OF_SECTIONS = frozenset(
    "name title noun verbs done weight layer floor ladder budget limit order key says_once shows_done".split()  # noqa: SIM905
)
"""Attributes of sections that their items' classes do not have, as opposed to ``lines``."""


_LINES = frozenset({"line", "template", "templates", "format"})
"""Names that are tried for ``lines``."""


class HudValue(HudModel):
    """What a section has one of, such as a ticket. It knows who said it, in which turn and event.

    What is not the agent's own says so where it is shown. Its class may declare the ``lines`` of its section.
    """

    _as_child: ClassVar[str] = (
        "a section shows it; write class Mine(ValueSection[{name}]), and Mine()[…] around it"
    )

    expected_from: ClassVar[tuple[Actor, ...]] = ("agent",)
    """The sources that are not marked; a value of any other source is marked in the HUD."""

    tells_own: ClassVar[bool] = True
    """True if it tells in which turn and event the agent said it; where not, only of what others said."""

    said_by: Kept[Actor] = "agent"
    """Who said it; of several the one whose words count least."""

    said_in: Annotated[int, Field(ge=0), KEPT] = 0
    """The agent's turn in which its words were last said."""

    said_at: Annotated[int, Field(ge=0), KEPT] = 0
    """The version of the event that said them; 0 for what is not recorded."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        what, base = cls.__name__, "ItemsSection" if issubclass(cls, PlainItem) else "ValueSection"
        for name in sorted(vars(cls).keys() - own_annotations(cls).keys()):
            value = vars(cls)[name]
            if hasattr(value, "__get__") or isinstance(value, type):
                continue  # a method, a property or a class
            if name in _LINES:
                raise DefinitionError(f"{what}.{name} has no type; write lines = {shown(value)}")
            if name in _OF_SECTIONS:
                field = f"a field is written as {name}: {type(value).__name__} = …"
                own = f"the {name} of its section as class Mine({base}[{what}]): {name} = …"
                raise DefinitionError(f"{what}.{name} has no type: {field}, and {own}")

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        hold_frozen(cls)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Yield its fields, those of its source last, and only if another said it."""
        said = [(name, value) for name, value in super().__repr_args__() if name not in SOURCE]
        sources = [(name, getattr(self, name)) for name in SOURCE]
        return said if self.said_by == "agent" else [*said, *sources]


HudValue.__class_vars__ |= {"lines", *_LINES, *_OF_SECTIONS}  # each may be a field, with a type

SOURCE: tuple[str, ...] = tuple(fields_of(HudValue))
"""The fields of a value's source."""


class PlainItem(HudModel):
    """An item that does not know who said it."""

    _as_child: ClassVar[str] = (
        "a section lists it; write class Mine(ItemsSection[{name}]), and Mine()[…] around it"
    )

    id: Text = ""
    """The store's short id, such as "d-12"; empty for what is not recorded."""

    @property
    def origin(self) -> Origin | None:
        """The source session of an inherited item, from its id; None for the session's own.

        >>> HudItem(id="project:n-2").origin
        'project'
        """
        if self.id.startswith("project:"):
            return "project"
        return "parent" if self.id.startswith("parent:") else None


class HudItem(PlainItem, HudValue):
    """Something that a section lists, and that later events can name. It knows who said it.

    >>> class Remedy(HudItem):
    ...     what: Line
    >>> Remedy(what="Restart", said_by="tool", said_in=4, said_at=9)
    Remedy(id='', what='Restart', said_by='tool', said_in=4, said_at=9)
    """


def percent_of(given: object) -> object:
    """Return the number of a text such as "67%"; anything else unchanged.

    >>> percent_of("67 %"), percent_of("most")
    (67.0, 'most')
    """
    try:
        return float(given.removesuffix("%")) if isinstance(given, str) else given
    except ValueError:
        return given


ShareAlone: TypeAlias = Annotated[SkipJsonSchema[bool], Field(exclude_if=operator.not_, repr=False)]
"""The type of a field that tells whether only the share of a reading is known; no schema has it."""


class UsageReading(HudModel):
    """One reading of the context window."""

    used: Annotated[int, Field(ge=0)]
    """Tokens in the context: input, output, and cached ones."""

    limit: Annotated[int, Field(gt=0)] = 200_000
    """Tokens that the model's context holds; 200,000 where the host does not say."""

    model: Text | None = None
    """The model's name."""

    _also_takes: ClassVar[tuple[str, ...]] = ("percentage",)

    @model_validator(mode="before")
    @classmethod
    def _of_percentage(cls, data: Any) -> Any:
        """Convert a share to a number of tokens: the least with that share of the limit.

        >>> ContextUsage.model_validate({"percentage": 75}).used
        150000
        """
        if isinstance(data, int | float):
            raise ValueError(  # noqa: TRY004 - Pydantic accepts no other error for invalid data
                f"tokens, or percent? write used={data}, or percentage={data}"
            )
        given = cast("dict[str, Any]", data)
        if not isinstance(data, dict) or "percentage" not in given:
            return given
        share, rest = given["percentage"], {**given}
        del rest["percentage"]
        limit = given.get("limit", fields_of(cls)["limit"].default)
        if not isinstance(limit, int):
            return {"used": 0, **rest}  # the limit is refused
        try:
            percent = _SHARE.validate_python(percent_of(share))
        except ValidationError as error:
            why = complaint(error.errors(include_url=False)[0])
            raise ValueError(f"percentage is {shown(share)}: {why}") from None
        numerator, denominator = percent.as_integer_ratio()
        used = -(-limit * numerator // (100 * denominator))
        said = given.get("used", used)
        if isinstance(said, int) and abs(said - used) * 100 > limit:
            raise ValueError(f"{said} of {limit} tokens are not {share} %; give one of them")
        is_alone = "is_share" in fields_of(cls) and not {"used", "limit"} & rest.keys()
        return {"used": used, **({"is_share": True} if is_alone else {}), **rest}


_SHARE: TypeAdapter[float] = TypeAdapter(
    Annotated[float, Field(ge=0, le=1_000, allow_inf_nan=False)]
)


class ContextUsage(UsageReading):
    """How full the context is, and where that is going.

    >>> ContextUsage(used=150_000).percentage
    75.0
    """

    @classmethod
    def of_text(cls, given: object) -> object:
        """Return the share for a text such as "67%"."""
        return {"percentage": given} if isinstance(given, str) and "%" in given else given

    if TYPE_CHECKING:

        @overload
        def __init__(self, *, percentage: float | str) -> None: ...

        @overload
        def __init__(
            self,
            *,
            used: int,
            limit: int = ...,
            model: str | None = ...,
            trend: Trend | None = ...,
            is_share: bool = ...,
        ) -> None: ...

        def __init__(self, **fields: Any) -> None: ...

    _follow = ("status", "level", "density")

    trend: Trend | None = None
    """How it fills up, from the last readings; None while there are too few."""

    is_share: ShareAlone = False
    """Whether only the share is known, which ``used`` and ``limit`` stand for. A dump has it where it is so."""

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent; above 100 when the limit is exceeded."""
        return 100 * self.used / self.limit


def usage_of_props(props: Any) -> Any:
    """Return the props of a component with a :class:`ContextUsage`, collecting its separately passed fields.

    ``ContextBar(percentage=67)`` is unambiguous; ``info`` is the founding documents' name. A number between 0 and 1 may
    be a share of 1, or less than one percent: a layout's author must choose. In data, such as a host's reading from a
    division, it is percent.

    :raises ValueError: for such a number, with both possible lines.

    >>> usage_of_props({"percentage": 67, "step": 1})
    {'step': 1, 'usage': {'percentage': 67}}
    """
    if not isinstance(props, dict):
        return props
    given = cast("dict[str, Any]", props)
    if "usage" not in given and "info" in given:
        given = {"usage" if name == "info" else name: value for name, value in given.items()}
    elif "usage" not in given and {"percentage", "used"} & given.keys():
        said = {
            name: given[name] for name in ("percentage", *fields_of(ContextUsage)) if name in given
        }
        given = {**{name: given[name] for name in given if name not in said}, "usage": said}
    usage = given.get("usage")
    if isinstance(usage, dict):
        _check_share(cast("dict[str, Any]", usage))
    return given


def _check_share(usage: Mapping[str, Any]) -> None:
    share = usage.get("percentage")
    if isinstance(share, float) and 0 < share < 1 and "used" not in usage:
        line = f'percentage={100 * share:g}, or percentage="{share:g}%"'
        raise ValueError(f"{share:g} of 1, or of 100? write {line}")


def usage_of(given: object) -> ContextUsage | None:
    """Return a context usage from an argument: itself, its fields, or a share as text, "67%".

    :raises PropError: for anything else, such as a number alone, with the line to write.

    >>> usage_of("67%")
    ContextUsage(used=134000, limit=200000, model=None, trend=None)
    """
    if given is None or isinstance(given, ContextUsage):
        return given
    try:
        return ContextUsage.model_validate(
            ContextUsage.of_text(given), from_attributes=isinstance(given, UsageReading)
        )
    except ValidationError as error:
        why = "; ".join(complaint(each) for each in mistakes_of(error))
        example = "ContextUsage(used=134_000, limit=200_000)"
        if isinstance(given, int):
            example += f"; for a HUD of at most {given} tokens, budget={given}"
        told = f"{shown(given)} is not a context usage"
        if isinstance(given, dict) and [*cast("dict[str, object]", given)] == ["limit"]:
            why = "used= is missing"
            example += "; a limit of items is a section's: layout=Hud()[NotesSection(limit=3)], from hud_components import Hud, NotesSection"
        line = f"{example}, from hud_components import ContextUsage"
        raise PropError(f"{told}: {why}, such as {line}") from None


def milliseconds_of(given: Any) -> Any:
    """Return a point in time as milliseconds since the Unix epoch; anything else unchanged.

    :raises PropError: for a time without its zone, with the line to write.

    >>> milliseconds_of(datetime.fromisoformat("2026-01-01T00:00+00:00"))
    1767225600000
    """
    if not isinstance(given, datetime):
        return given
    if given.tzinfo is None:
        line = "moment.replace(tzinfo=timezone.utc), or moment.astimezone()"
        raise PropError(f"{shown(given)} has no time zone; write {line}")
    return round(given.timestamp() * 1000)


class SessionInfo(HudModel):
    """The session that the HUD belongs to."""

    id: Text
    """The session's id."""

    title: Line | None = None
    """What the session is called."""

    project: Line | None = None
    """The project it works on."""

    started_at: Milliseconds = 0
    """When it began."""

    compactions: Annotated[int, Field(ge=0)] = 0
    """How often its history was compacted."""


class Look(HudModel):
    """The layout and the words that a person gave a session's HUD, as they were when it was given them."""

    layout: Annotated[Text | None, Field(exclude_if=lambda layout: layout is None)] = None
    """The layout document; None for the layout of the domain."""

    words: FrozenMapping[Line, Text] = FrozenMapping()
    """Texts that replace fixed ones, by name."""

    digest: Line
    """The SHA-256 digest of both as they were given; what is stored has masks in the place of secrets."""


class Unreadable(HudModel):
    """Stored data that the domain of today cannot read: an item or a value, or an event about no single one."""

    section: Text
    """The state's field; the name that it was recorded under, where the domain has no such section."""

    item: Text = ""
    """The item's id, or the section's name for its one value; empty for an event that names neither."""

    version: Annotated[int, Field(ge=1)]
    """The version of the first event about it that cannot be read."""

    @property
    def key(self) -> str:
        """The key by which it is counted once."""
        return f"{self.section}/{self.item}" if self.item else f"{self.section}@{self.version}"
