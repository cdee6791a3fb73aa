"""The conditions that a component class must meet: its props, their defaults, its methods.

Everything is looked at once, when the class is written: its author reads the error there, and no
node pays for it.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, SchemaValidator, core_schema

from ujsx.components._annotations import own_annotations
from ujsx.components._documented import fields_of, type_of
from ujsx.components._hashable import ADVICE, unhashable_part
from ujsx.errors import DefinitionError, complaint, shown

if TYPE_CHECKING:
    from ujsx.components._component import Component

METHODS: dict[str, tuple[str, ...]] = {
    "render": ("self", "ctx", "children"),
    "provide": ("self", "ctx"),
    "disclosed": ("self",),
}
"""The methods that a component may have of its own, and what they are called with."""


def check_prop_names(cls: type[Component]) -> None:
    """Refuse a prop that has the name of something else that a component has.

    :raises DefinitionError: with what to write instead.
    """
    for name in _own_prop_names(cls):
        bases: list[Any] = [base for base in cls.__bases__ if hasattr(base, name)]
        if not bases:
            continue
        if any(name in getattr(base, "__class_vars__", ()) for base in bases):
            raise DefinitionError(
                f"{cls.__name__}.{name} belongs to the class and is no prop: drop the annotation, "
                f"or write {name}: ClassVar[…]"
            )
        raise DefinitionError(
            f"{cls.__name__}.{name}: a prop may not take the name of something that a "
            "component has anyway; give it another name"
        )


def check_annotations(cls: type[Component]) -> None:
    """Refuse a value in the class body that is meant for a prop, and has no annotation.

    Pydantic refuses it too, some versions before this is asked.

    :raises DefinitionError: with the line to write.
    """
    annotated = own_annotations(cls)
    value: Any
    for name, value in vars(cls).items():
        if (
            not name.startswith(("_", "model_"))
            and name not in annotated
            and issubclass(type(value), _DATA)
            and not any(name in getattr(base, "__class_vars__", ()) for base in cls.__mro__[1:])
        ):
            raise DefinitionError(unannotated(cls.__name__, name, value))


def unannotated(owner: str, name: str, value: object) -> str:
    """The sentence about a prop's default that has no annotation.

    >>> unannotated("Notes", "show_ids", True)
    'Notes.show_ids: a prop needs an annotation; write show_ids: bool = …, or show_ids: ClassVar[bool] = … if it is none'
    """
    kind = "…" if isinstance(value, FieldInfo | None) else _name(value.__class__)
    return (
        f"{owner}.{name}: a prop needs an annotation; write {name}: {kind} = …, or "
        f"{name}: ClassVar[{kind}] = … if it is none"
    )


def check_methods(cls: type[Component]) -> None:
    """Refuse a method that does not take what it is called with.

    :raises DefinitionError: with the line to write.
    """
    for name, parameters in METHODS.items():
        method = vars(cls).get(name)
        if type(method) is FunctionType and not _takes(method, len(parameters)):
            raise DefinitionError(
                f"{cls.__name__}.{name} is called with {', '.join(parameters)}; write "
                f"def {name}({', '.join(parameters)})"
            )


def _takes(function: FunctionType, count: int) -> bool:
    """Tell whether a function can be called with so many arguments, and with no others."""
    code, given = function.__code__, count
    accepts_more = bool(code.co_flags & _VARARGS)
    least = code.co_argcount - len(function.__defaults__ or ())
    return (
        least <= given
        and (given <= code.co_argcount or accepts_more)
        and code.co_kwonlyargcount <= len(function.__kwdefaults__ or ())
    )


_VARARGS = 0x04
"""The flag of a function with ``*args`` (``inspect.CO_VARARGS``)."""


def check_types(cls: type[BaseModel]) -> None:
    """Refuse props, or fields of data, whose values cannot be hashed.

    :raises DefinitionError: with the type to use instead of each.
    """
    faults = [
        f"{cls.__name__}.{name}: {_name(part)} cannot be hashed; {advice(part)}{_empty(field)}"
        for name, field in fields_of(cls).items()
        if (part := unhashable_part(field.annotation)) is not None
    ]
    if faults:
        raise DefinitionError(*faults)


def no_data(cls: type[BaseModel], error: PydanticSchemaGenerationError) -> Exception:
    """Return what is said of the prop whose type Pydantic knows nothing of."""
    from inspect import formatannotation  # only errors need them

    from pydantic import TypeAdapter

    for name, field in fields_of(cls).items():
        try:
            TypeAdapter(type_of(field))
        except PydanticSchemaGenerationError:
            return DefinitionError(
                f"{cls.__name__}.{name}: {formatannotation(field.annotation, base_module=cls.__module__)} is no type of data; take a"
                " text, a number, a tuple, a frozen dataclass or a model. An object of your program is let through by"
                " model_config = ConfigDict(arbitrary_types_allowed=True)"
            )
        except PydanticUserError:  # of a name that is not defined yet, say
            continue
    return error


def check_defaults(cls: type[Component]) -> None:
    """Refuse a default that its prop would not take as it is, which Pydantic does not look at.

    Most are seen to fit without asking; the others are validated once, together. What is not known
    yet, such as a class that is defined further down, is not judged.

    :raises DefinitionError: with the prop, the default, and what to write.
    """
    asked: dict[str, Any] = {}
    for name, field in fields_of(cls).items():
        default = field.default
        if default is PydanticUndefined or _fits_plainly(default, field):
            continue
        try:
            hash(default)
        except TypeError:
            raise DefinitionError(
                f"{cls.__name__}.{name}: its default {shown(default)} cannot be hashed; "
                f"{advice(type(default))}"
            ) from None
        asked[name] = default
    if not asked or not cls.__pydantic_complete__:
        return
    try:
        values = _validated(cls, asked)
    except ValidationError as error:
        detail = error.errors(include_url=False)[0]
        name = str(detail["loc"][0])
        raise DefinitionError(
            f"{cls.__name__}.{name}: its default {shown(asked[name])} does not fit: "
            f"{complaint(detail)}; give one that does, or widen the type"
        ) from None
    for name, value in values.items():
        if not _is_same(value, asked[name]):
            raise DefinitionError(
                f"{cls.__name__}.{name}: its default {shown(asked[name])} is not of its type; "
                f"write {shown(value)}"
            )


def _validated(cls: type[Component], props: dict[str, Any]) -> dict[str, Any]:
    """Some props of a class as it takes them, without those that have to be given."""
    schema: Any = cls.__pydantic_core_schema__
    definitions: list[Any] = schema.get("definitions", [])
    by_ref = {each["ref"]: each for each in definitions}
    while schema["type"] != "model-fields":  # around them stand the model and its own validators
        is_ref = schema["type"] == "definition-ref"
        schema = by_ref[schema["schema_ref"]] if is_ref else schema["schema"]
    fields = {
        name: {key: value for key, value in schema["fields"][name].items() if key != _ALIAS}
        for name in props
    }
    chosen: Any = {"type": "model-fields", "fields": fields}
    if definitions:
        chosen = core_schema.definitions_schema(chosen, definitions)
    values: dict[str, Any] = SchemaValidator(chosen).validate_python(props)[0]
    return values


_ALIAS = "validation_alias"


def _fits_plainly(default: Any, field: FieldInfo) -> bool:
    """Tell whether a default fits its prop at a glance, as most do."""
    annotation: Any = field.annotation
    if field.metadata:
        return False
    if default.__class__ in _PLAIN and default.__class__ is annotation:
        return True
    if default is None:
        return type(None) in get_args(annotation)
    if default == () and default.__class__ is tuple:
        parts = get_args(annotation)
        return get_origin(annotation) is tuple and len(parts) == 2 and parts[1] is ...
    return False


_PLAIN: frozenset[type[Any]] = frozenset({str, int, bool, float, bytes})


def _is_same(value: Any, default: Any) -> bool:
    """Tell whether a default is what its prop makes of it; 1 may stand for 1.0."""
    kinds: set[type[Any]] = {value.__class__, default.__class__}
    alike = len(kinds) == 1 or kinds == {int, float}
    return value is default or (alike and (value == default or repr(value) == repr(default)))


def advice(part: Any) -> str:
    """Return what to use instead of a type whose values cannot be hashed."""
    origin: Any = getattr(part, "__origin__", part)
    if isinstance(origin, type(BaseModel)):
        return "make the model frozen: model_config = ConfigDict(frozen=True)"
    if is_dataclass(origin):
        return "make it frozen: @dataclass(frozen=True)"
    found = ADVICE.get(origin, "use a type whose values can be hashed")
    inside = ", ".join(map(_name, getattr(part, "__args__", ())))
    return found.replace("…, …" if found.count("…") > 1 else "…", inside) if inside else found


def _empty(field: FieldInfo) -> str:
    """The default to write instead of an empty list, set or dictionary."""
    default = field.default_factory if field.default is PydanticUndefined else field.default
    kind = default if isinstance(default, type) else type(default)
    if kind not in _EMPTY or (default is not kind and default):
        return ""
    return f" = {_EMPTY[kind]}"


_EMPTY: dict[type[Any], str] = {list: "()", set: "frozenset()", dict: "FrozenMapping()"}
"""By what could change in place, what to write instead where it is empty."""


def _name(part: Any) -> str:
    return part.__name__ if isinstance(part, type) and not hasattr(part, "__args__") else str(part)


def _own_prop_names(cls: type) -> list[str]:
    return [
        name
        for name, annotation in own_annotations(cls).items()
        if not name.startswith("_") and "ClassVar" not in str(annotation)
    ]


_DATA = (str, bytes, int, float, tuple, list, dict, set, frozenset, type(None), FieldInfo)
"""What a class body holds as the default of a prop, and not as anything else."""
