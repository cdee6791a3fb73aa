"""The definition of a component: its class, checked on creation, and the descriptions of its fields."""

from __future__ import annotations

import linecache
import re
import sys
import types
from collections import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache, wraps
from importlib import import_module
from itertools import chain
from types import CodeType, FunctionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    ForwardRef,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined, SchemaValidator, core_schema

from ujsx.calls import AnsweringType, resolving
from ujsx.errors import DefinitionError, PropError, complaint, shown

if TYPE_CHECKING:
    from ujsx.components._component import Component


# Models whose attribute docstrings describe their fields, read only when a schema asks for them.

# The annotations of a class body, read without evaluating them.


def own_annotations(cls: type) -> Mapping[str, Any]:
    """Return the annotations of this class's own body."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    annotations: Mapping[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - as Pydantic does
    return annotations


C = TypeVar("C", bound="type[Any]")


def drop_class_variables(cls: C) -> C:
    """Drop the annotations of class variables in a base class and ours above it.

    Pydantic evaluates the annotations of all bases again for each subclass, except those of fields. For a base with
    dozens of class variables this is most of a subclass's cost. Their names stay in ``__class_vars__``, which is not
    enough for those with an underscore that a class body may set: without an annotation they would become private
    attributes.
    """
    for base in cls.__mro__:
        annotations: dict[str, Any] = base.__dict__.get("__annotations__", {})  # noqa: RUF063 - to be changed
        for name in annotations.keys() & cls.__class_vars__ if base is not BaseModel else ():
            if name.startswith("_") and name not in _FOUND_OUT:
                annotations[name] = ClassVar
            else:
                del annotations[name]
    return cls


_FOUND_OUT = frozenset(
    "_defaults _described_like _is_described _is_exact _open_props _required _written_at".split()  # noqa: SIM905
)
"""Class variables that are found out for each class, and that no class body sets."""


if TYPE_CHECKING:
    import ast

    from pydantic._internal._model_construction import ModelMetaclass

    DocumentedType = ModelMetaclass
else:

    class DocumentedType(type(BaseModel)):
        """The metaclass of documented models, which records the place of each definition."""

        # Not __new__: Pydantic looks for local names in the frame that calls its own.
        def __init__(cls, name, bases, namespace, **kwargs):  # noqa: ANN001, ANN003, ANN204
            super().__init__(name, bases, namespace, **kwargs)
            if "__qualname__" in namespace:  # created by a class statement
                cls._written_at = _place()


M = TypeVar("M", bound=BaseModel)

_UPDATES = "pydantic_js_updates"
"""The key of a core schema's metadata with additions to its JSON schema."""

_LIKE = "_described_like"
"""The attribute with the model that a model's field descriptions come from."""

_HOOK = "__get_pydantic_json_schema__"


def _place() -> tuple[str, int] | None:
    """Return the file and the line of the class statement that is being run."""
    frame = sys._getframe(2)  # noqa: SLF001 - the public function would load the source
    while frame.f_back is not None and frame.f_code.co_name in _MAKERS:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


_MAKERS = frozenset({"__new__", "__call__", "__init__", "__init_subclass__"})
"""Methods of metaclasses, called between a class statement and its class."""


class DocumentedModel(BaseModel, metaclass=DocumentedType):
    """A Pydantic model whose attribute docstrings are the descriptions of its fields.

    The rules are those of Pydantic's ``use_attribute_docstrings``: ``Field(description=…)`` has the
    last word, a field that a subclass does not write anew keeps its description, and one that it
    does loses it. A model whose source is not there, or whose configuration says
    ``use_attribute_docstrings=False``, has no descriptions but those of ``Field``. Unknown names are refused,
    unless the configuration has another ``extra``.

    >>> class Port(DocumentedModel):
    ...     number: int
    ...     '''Where it listens.'''
    >>> Port.model_fields["number"].description
    'Where it listens.'
    >>> Port.model_json_schema()["properties"]["number"]["description"]
    'Where it listens.'
    """

    model_config = ConfigDict(extra="forbid")

    _written_at: ClassVar[tuple[str, int] | None] = None
    _described_like: ClassVar[type[BaseModel] | None] = None
    _is_described: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        hook = getattr(getattr(cls, _HOOK), "__func__", None)
        if hook is not None and not hasattr(hook, "describes"):  # an author's own
            setattr(cls, _HOOK, classmethod(_describing(hook)))

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        return handler(core_schema)


def fields_of(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return a model's fields; their descriptions may not have been read yet."""
    return model.__pydantic_fields__


@lru_cache(maxsize=1_024)
def first_text(model: type[BaseModel]) -> str | None:
    """Return the name of a model's first required text, which a bare text stands for, or None.

    >>> class Guest(BaseModel):
    ...     seat: int
    ...     name: str
    ...     nick: str = ""
    >>> first_text(Guest)
    'name'
    """
    for name, field in fields_of(model).items():
        kind = field.annotation
        if field.is_required() and isinstance(kind, type) and issubclass(kind, str):
            return field.validation_alias if isinstance(field.validation_alias, str) else name
    return None


def type_of(field: FieldInfo) -> Any:
    """Return a field's type with its metadata, as an annotation."""
    of: Any = Annotated
    return of[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def described_like(made: type[M], model: type[BaseModel]) -> type[M]:
    """Let a model's fields have the descriptions of another's, where they have none. Return the model.

    It is for models made of the fields of others.
    """
    setattr(made, _LIKE, model)
    return made


class _Fields:
    """The attribute ``model_fields``, with descriptions."""

    def __get__(self, node: BaseModel | None, cls: type[BaseModel]) -> dict[str, FieldInfo]:
        _describe(cls)
        fields: dict[str, FieldInfo] = vars(BaseModel)["model_fields"].__get__(node, cls)
        return fields


def _describing(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a model's JSON schema hook, so that it first adds the descriptions to the core schema."""

    @wraps(hook)
    def describing(cls: type[BaseModel], core_schema: Any, handler: Any) -> Any:
        _describe_schema(cls.model_fields, core_schema)
        return hook(cls, core_schema, handler)

    describing.describes = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
    return describing


if not TYPE_CHECKING:  # Pydantic looks at neither
    DocumentedModel.model_fields = _Fields()
    setattr(DocumentedModel, _HOOK, classmethod(_describing(vars(DocumentedModel)[_HOOK].__func__)))


def _describe_schema(fields: Mapping[str, FieldInfo], schema: Any) -> None:
    """Add to a model's core schema the descriptions that Pydantic would have added."""
    while schema is not None and schema["type"] != "model-fields":
        schema = schema.get("schema")  # the model and its validators wrap the fields
    for name, field in () if schema is None else schema["fields"].items():
        text = fields[name].description if name in fields else None
        metadata = field.setdefault("metadata", {})
        updates: dict[str, Any] = metadata.get(_UPDATES) or {}
        if text is not None and "description" not in updates:
            metadata[_UPDATES] = {**updates, "description": text}


def _describe(cls: type[BaseModel]) -> None:
    """Set the descriptions of a model's fields."""
    if cls.__dict__.get("_is_described") or not isinstance(cls, DocumentedType):
        return
    inherited: dict[str, FieldInfo] = {}
    for base in reversed(cls.__bases__):
        if issubclass(base, BaseModel):
            _describe(base)
            inherited.update(getattr(base, "__pydantic_fields__", {}))  # BaseModel has none
    own, written = own_annotations(cls), _docstrings(cls)
    like: type[BaseModel] | None = cls.__dict__.get(_LIKE)
    others = {} if like is None else like.model_fields
    for name, field in cls.__pydantic_fields__.items():
        if field.description is not None:
            continue
        if name not in own and name in inherited:
            field.description = inherited[name].description
        elif name in written:
            field.description = written[name]
        elif name in others:
            field.description = others[name].description
    cls._is_described = True  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


def _docstrings(cls: type[BaseModel]) -> Mapping[str, str]:
    """Return the docstrings of a class's attributes, if its source is available."""
    place: tuple[str, int] | None = cls.__dict__.get("_written_at")
    if place is None or cls.model_config.get("use_attribute_docstrings") is False:
        return {}
    filename, line = place
    module = sys.modules.get(cls.__module__)
    source = "".join(linecache.getlines(filename, None if module is None else vars(module)))
    classes = [each for each in _classes_in(source) if each.name == cls.__name__]
    here = [each for each in classes if each.first <= line <= each.last]
    named = [each for each in classes if each.qualname == cls.__qualname__]
    for found in (here, named):
        if len(found) == 1:
            return found[0].docstrings
    return {}


class _Class(NamedTuple):
    """A class statement in a source."""

    name: str
    qualname: str
    first: int
    """Its first line, decorators included."""
    last: int
    """The first line of its body."""
    docstrings: Mapping[str, str]


@lru_cache(maxsize=16)
def _classes_in(source: str) -> tuple[_Class, ...]:
    """Return the classes of a source, with the docstrings of their attributes."""
    try:
        tree = _parsed(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(_classes_under(tree, ""))


def _parsed(source: str) -> ast.Module:
    """Parse a source, again where Python 3.11 fails as another thread parses (python/cpython#106905)."""
    import ast

    for _ in range(4):
        with suppress(SystemError):
            return ast.parse(source)
    return ast.parse(source)


def _classes_under(node: ast.AST, prefix: str) -> Iterator[_Class]:
    import ast

    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, ast.ClassDef):
            lines = [child.lineno, *(each.lineno for each in child.decorator_list)]
            found = dict(_attributes(child))
            name = child.name
            yield _Class(name, prefix + name, min(lines), child.body[0].lineno, found)
            inner = f"{prefix}{name}."
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{prefix}{child.name}.<locals>."
        elif not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            continue
        yield from _classes_under(child, inner)


def _attributes(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the annotated names of a body, each with the string right after it."""
    import ast
    from inspect import cleandoc

    last: str | None = None
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Expr(value=ast.Constant(value=str(text))) if last is not None:
                yield last, cleandoc(text)
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.expr():
                pass  # their bodies are not the class's
            case _:
                yield from _attributes(child)
        is_named = isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name)
        last = child.target.id if is_named else None  # type: ignore[attr-defined]


# The metaclass of components: it creates nodes, and identifies component classes.

if TYPE_CHECKING:  # type checkers take the arguments from ``__init__``
    from pydantic._internal._model_construction import ModelMetaclass

    ComponentType = ModelMetaclass
else:

    class ComponentType(AnsweringType, type(DocumentedModel)):
        """The metaclass of components. Nodes without props are a single object, as they cannot differ."""

        def __call__(cls, /, *positional: Any, **props: Any) -> Any:
            facts = FACTS[cls]
            if not (props or positional):
                return cls._made_bare() if facts.bare is None else facts.bare
            try:
                if facts.validates and not positional:
                    return (facts.make or _maker(cls, facts))(props)
                return super().__call__(*positional, **props)
            except (ValidationError, PropError):
                if isinstance(props.get("key"), str) and "key" not in fields_of(cls):
                    rest = {name: props[name] for name in props if name != "key"}
                    return cls(*positional, **rest).keyed(props["key"])
                found = cls._with_children(positional, props)
            if found is not None:
                children, props = found
                return cls(**props)[children] if children else cls(**props)
            return super().__call__(*positional, **props)  # its __init__ raises the error

        def _made_bare(cls) -> Any:
            bare = super().__call__()
            if not bare.__pydantic_decorators__.model_validators and all(
                field.default_factory is None for field in fields_of(cls).values()
            ):
                FACTS[cls].bare = bare
            return bare


class Facts(msgspec.Struct, eq=False):
    """Facts about a component's class, or that of texts, for creating and attaching nodes."""

    is_leaf: bool
    barred_from: frozenset[Any]
    is_fragment: bool = False
    takes_children: bool = False
    child_place: Any = None
    discloses: bool = False
    provides: bool = False

    validates: bool = False
    """True if its validator alone creates a node from props."""

    make: Callable[[Mapping[str, Any]], Any] | None = None
    """That validator, once the class is complete."""

    bare: Any = None
    """The node without props, which is one object."""

    known_children: set[type[Any]] = set()
    """The leaf classes that were checked as its children; the next of the same class needs no check."""


class FactsByClass(dict[type[Any], Facts]):
    """The facts by class, computed on first access."""

    def __missing__(self, cls: Any) -> Facts:
        said = {name: getattr(cls, name) for name in Facts.__struct_fields__[:_SAID]}
        self[cls] = facts = Facts(**said, validates=not cls.__pydantic_custom_init__)
        return facts


FACTS = FactsByClass()
"""The facts of each class that created a node. A look-up takes a fifth of the time of a node's attribute, and a
twentieth of a class's, as both have ``__getattr__``. Used classes stay for the life of the process.
"""

_SAID = Facts.__struct_fields__.index("validates")
"""The number of facts that a class sets itself."""


def _maker(cls: Any, facts: Facts) -> Callable[[Mapping[str, Any]], Any]:
    make: Callable[[Mapping[str, Any]], Any] = cls.__pydantic_validator__.validate_python
    if cls.__pydantic_complete__:
        facts.make = make
    return make


def is_component_class(kind: type[Any]) -> bool:
    """Tell whether a class is a component class.

    It reads no attribute of the class, which would run Python code in a model's metaclass.
    """
    return type(kind) is ComponentType or isinstance(kind, ComponentType)


# The check that a prop's annotation promises hashable values, and the comparison of values beyond equality.
#
# A tree is a value: it is compared, and a key of cached renderings. So a component refuses a prop that could hold a
# list, at its definition, where the author can choose a tuple.

ADVICE: dict[type[Any], str] = {
    list: "use tuple[…, ...]",
    set: "use frozenset[…]",
    dict: "use FrozenMapping[…, …]",
    bytearray: "use bytes",
    abc.Sequence: "use tuple[…, ...]",
    abc.MutableSequence: "use tuple[…, ...]",
    abc.Iterable: "use tuple[…, ...]",
    abc.Collection: "use tuple[…, ...]",
    abc.Set: "use frozenset[…]",
    abc.MutableSet: "use frozenset[…]",
    abc.Mapping: "use FrozenMapping[…, …]",
    abc.MutableMapping: "use FrozenMapping[…, …]",
}
"""Replacements for types with unhashable values."""

_UNIONS: frozenset[object] = frozenset({Union, types.UnionType})


def plain_type(annotation: Any) -> Any:
    """Return a type without its metadata, and in place of a `type X = ...` alias the type that it stands for.

    >>> plain_type(Annotated[int, "positive"])
    <class 'int'>
    """
    while not isinstance(annotation, type):
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            break
    return annotation


def members_of(annotation: Any) -> tuple[Any, ...]:
    """Return the types of a union, or else the type itself, each without its metadata.

    >>> members_of(Annotated[int, "positive"] | None)
    (<class 'int'>, <class 'NoneType'>)
    """
    annotation = plain_type(annotation)
    if get_origin(annotation) not in _UNIONS:
        return (annotation,)
    return tuple(each for one in get_args(annotation) for each in members_of(one))


def unhashable_part(annotation: Any, seen: frozenset[Any] = frozenset()) -> Any:
    """Return the part of ``annotation`` with unhashable values, or ``None``.

    >>> unhashable_part(tuple[list[int], ...])
    list[int]
    >>> unhashable_part(tuple[int, ...]) is None
    True
    """
    annotation = plain_type(annotation)
    origin = get_origin(annotation)
    if origin is Literal:
        return None
    if origin in _UNIONS or (isinstance(origin, type) and _hashes(origin)):
        parts = (unhashable_part(part, seen) for part in get_args(annotation) if part is not ...)
        return next((part for part in parts if part is not None), None)
    if origin is not None:
        return annotation if isinstance(origin, type) else None
    if not isinstance(annotation, type) or annotation in seen:
        return None
    cls: Any = annotation
    if issubclass(cls, BaseModel):
        return _unhashable_field(cls, seen | {cls})
    return None if _hashes(cls) else cls


def may_not_hash(annotation: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Tell whether only some values of ``annotation`` can be hashed.

    >>> may_not_hash(Any), may_not_hash(tuple), may_not_hash(tuple[int, ...])
    (True, True, False)
    """
    annotation = plain_type(annotation)
    origin = get_origin(annotation)
    if origin is Literal:
        return False
    if origin is not None:
        return any(may_not_hash(part, seen) for part in get_args(annotation) if part is not ...)
    if not isinstance(annotation, type):
        return annotation is Any or isinstance(annotation, str | ForwardRef | TypeVar)
    cls: Any = annotation
    if cls in seen:
        return False
    if issubclass(cls, BaseModel):
        fields = fields_of(cls).values()
        return any(may_not_hash(field.annotation, seen | {cls}) for field in fields)
    return cls is Any or issubclass(cls, _CONTAINERS) or is_dataclass(cls) or cls is object


def is_exact(annotation: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Tell whether equal values of ``annotation`` always render the same.

    1 equals True and 1.0, 0.0 equals -0.0, and mappings are equal in any order; a class may define its own equality,
    such as that of an id. For such types, two equal values may render to different texts.

    >>> is_exact(str | None), is_exact(tuple[int, ...]), is_exact(int | bool), is_exact(float)
    (True, True, False, False)
    """
    annotation = plain_type(annotation)
    origin = get_origin(annotation)
    if origin is Literal:
        kinds: set[type[Any]] = {each.__class__ for each in get_args(annotation)}
        return not kinds >= {bool, int}
    if isinstance(origin, type) and issubclass(origin, abc.Mapping):
        return False
    if origin is not None:
        parts = [part for part in get_args(annotation) if part is not ...]
        are_numbers = sum(part is int or part is bool for part in parts)
        return are_numbers < 2 and all(is_exact(part, seen) for part in parts)
    if not isinstance(annotation, type):
        return annotation is None
    cls: Any = annotation
    if issubclass(cls, BaseModel):
        if cls.__eq__ not in EXACT_EQUALITIES or cls.model_config.get("extra") == "allow":
            return False
        props = () if cls in seen else fields_of(cls).values()
        return all(is_exact(prop.annotation, seen | {cls}) for prop in props)
    return issubclass(cls, Enum) or cls in _EXACT


def are_same(left: Any, right: Any) -> bool:
    """Tell whether values are equal and render the same.

    >>> are_same((1, "a"), (1, "a")), are_same(1, True), are_same({1: 2, 3: 4}, {3: 4, 1: 2})
    (True, False, False)
    """
    kind: type[Any] = left.__class__
    if left is right or kind is not right.__class__:
        return left is right
    return bool(left == right) and (_is_exact_class(kind) or with_kinds(left) == with_kinds(right))


def with_kinds(value: Any) -> tuple[object, ...]:
    """Return a key that is equal for values that are the same, and for no others.

    >>> with_kinds((1, "a")) == with_kinds((1, "a")), with_kinds((1,)) == with_kinds((True,))
    (True, False)
    >>> with_kinds(0.0) == with_kinds(-0.0)
    False
    """
    kind: type[Any] = value.__class__
    bases = kind.__mro__
    if BaseModel in bases:
        extra: dict[str, Any] = value.__pydantic_extra__ or {}
        return kind, *with_kinds((*value.__dict__.values(), *extra.items()))
    if is_dataclass(kind):
        return kind, *(with_kinds(getattr(value, each.name, None)) for each in fields(kind))
    if msgspec.Struct in bases:
        return kind, *(with_kinds(getattr(value, name)) for name in kind.__struct_fields__)
    if abc.Mapping in bases or dict in bases:
        return kind, *with_kinds(tuple(value.items()))
    if frozenset in bases or set in bases:
        return kind, frozenset(map(with_kinds, value))
    if tuple in bases or list in bases:
        return kind, *map(with_kinds, value)
    return (kind, value) if kind in _EXACT else (kind, value, repr(value))


class Kinded(NamedTuple):
    """A value and its kinds: equal values of other kinds may render differently."""

    value: Any
    kinds: object


def keys_of(values: Sequence[Any]) -> Sequence[Any]:
    """Return a key of each value that is equal for values that are the same, and for no others: the value itself if it
    is a text or a row of texts, and a :class:`Kinded` otherwise.

    >>> keys_of([("a", "b")]), keys_of([1]) == keys_of([True])
    ([('a', 'b')], False)
    """
    kinds = {*map(type, values)}
    if kinds == _ROWS:
        kinds = {*map(type, chain.from_iterable(values))}
    return values if kinds <= _TEXTS else [*map(_key_of, values)]


def _key_of(value: Any) -> Any:
    parts: tuple[Any, ...] = value if value.__class__ is tuple else (value,)
    kinds: tuple[type[Any], ...] = (*map(type, parts),)
    if _TEXTS.issuperset(kinds):
        return value
    return Kinded(value, kinds if _EXACT.issuperset(kinds) else with_kinds(value))


_ROWS = {tuple}
_TEXTS = frozenset({str})


@lru_cache(maxsize=256)
def _is_exact_class(cls: type[Any]) -> bool:
    return is_exact(cls)


EXACT_EQUALITIES: set[object] = {BaseModel.__eq__}
"""The equality methods of models that compare their fields."""

_EXACT = frozenset({str, bytes, int, bool, type(None)})
"""Classes whose equal values are the same."""

_CONTAINERS = (tuple, frozenset, abc.Mapping)
"""Classes that are hashable if their content is."""


def _hashes(cls: type[Any]) -> bool:
    return cls not in ADVICE and (
        issubclass(cls, Enum) or getattr(cls, "__hash__", None) is not None
    )


def _unhashable_field(model: type[BaseModel], seen: frozenset[Any]) -> Any:
    if not model.model_config.get("frozen") and model.__hash__ is None:
        return model
    parts = (unhashable_part(field.annotation, seen) for field in fields_of(model).values())
    return next((part for part in parts if part is not None), None)


METHODS: dict[str, tuple[str, ...]] = {
    "render": ("self", "ctx", "children"),
    "provide": ("self", "ctx"),
    "disclosed": ("self",),
}
"""The methods that a component may define, and their arguments."""


def check_prop_names(cls: type[Component]) -> None:
    """Refuse a prop whose name is already an attribute of components.

    :raises DefinitionError: with the remedy.
    """
    for name in _own_prop_names(cls):
        bases: list[Any] = [base for base in cls.__bases__ if hasattr(base, name)]
        if not bases:
            continue
        if any(name in getattr(base, "__class_vars__", ()) for base in bases):
            raise DefinitionError(
                f"{cls.__name__}.{name} belongs to the class and is not a prop: drop the annotation, "
                f"or write {name}: ClassVar[…]"
            )
        raise DefinitionError(
            f"{cls.__name__}.{name}: the name is taken by {bases[0].__name__}.{name}; rename the prop"
        )


def check_annotations(cls: type[Component]) -> None:
    """Refuse a prop's default in the class body that lacks an annotation.

    Pydantic refuses it too, in some versions before this check.

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
            if name in {"line", "lines"} and "{" in repr(value):  # it has a hole
                line = with_lines(cls.__name__, vars(cls), annotated, name)
                raise DefinitionError(f"{cls.__name__}.{name}: {line}")
            raise DefinitionError(unannotated(cls.__name__, name, value))


def with_lines(owner: str, own: Mapping[str, Any], annotated: Mapping[str, Any], name: str) -> str:
    """Return the sentence about the lines of a component that has none, with the classes to write.

    >>> with_lines("Orders", {"line": "{number}"}, {"orders": "list[Order]"}, "line")
    "only a section of items or of a value has lines; write class Orders(ItemsSection[Order]): line = '{number}', from hud_components import ItemsSection"
    """
    why = "only a section of items or of a value has lines; write"
    item = next(filter(None, map(_LISTED.match, _written(annotated).values())), None)
    if item is not None:
        line = f"class {owner}(ItemsSection[{item[1]}]): {name} = {shown(own[name], width=200)}"
        return f"{why} {line}, from hud_components import ItemsSection"
    return f"{why} {with_value(owner, own, annotated, ' with the lines alone')}"


def with_value(
    owner: str, own: Mapping[str, Any], annotated: Mapping[str, Any], rest: str = ""
) -> str:
    """Return the classes to write for a section whose fields are among its props.

    >>> with_value("Customer", {"plan": "free"}, {"name": "str", "plan": "str"})
    "class CustomerFacts(HudValue): name: str; plan: str = 'free' above, and class Customer(ValueSection[CustomerFacts]), from hud_components import HudValue, ValueSection"
    """
    fields = (
        f"{each}: {kind} = {own[each]!r}" if each in own else f"{each}: {kind}"
        for each, kind in _written(annotated).items()
    )
    value = f"{owner}Facts"
    return (
        f"class {value}(HudValue): {'; '.join(fields) or '…'} above, and class {owner}(ValueSection[{value}]){rest},"
        " from hud_components import HudValue, ValueSection"
    )


def _written(annotated: Mapping[str, Any]) -> dict[str, str]:
    from inspect import formatannotation  # only errors need it

    return {
        each: kind if isinstance(kind, str) else formatannotation(kind)
        for each, kind in annotated.items()
    }


_LISTED = re.compile(
    r"(?:\w+\.)*(?:list|List|tuple|Tuple|Sequence)\[(?:\w+\.)*([A-Z]\w*)(?:, \.\.\.)?\]"
)
"""The annotation of a list of items."""


def unannotated(owner: str, name: str, value: object) -> str:
    """Return the sentence about a prop's default without an annotation.

    >>> unannotated("Notes", "show_ids", True)
    'Notes.show_ids: a prop needs an annotation; write show_ids: bool = …, or show_ids: ClassVar[bool] = … if it is not a prop'
    """
    kind = "…" if isinstance(value, FieldInfo | None) else _name(value.__class__)
    return (
        f"{owner}.{name}: a prop needs an annotation; write {name}: {kind} = …, or "
        f"{name}: ClassVar[{kind}] = … if it is not a prop"
    )


def check_methods(cls: type[Component]) -> None:
    """Pass a method the arguments that it names; refuse one with other parameters.

    A component whose ``render`` has no parameter for children takes none. ``render`` may also take the context's
    density.

    :raises DefinitionError: with the line to write.
    """
    for name in ("render_full", "render_compact", "render_minimal"):
        if name in vars(cls) and not is_mentioned(name, vars(cls), cls.__bases__):
            line = "write def render(self, ctx, children), and ask ctx.density in it"
            raise DefinitionError(f"{cls.__name__}.{name}: nothing calls it; {line}")
    for name, parameters in METHODS.items():
        method = vars(cls).get(name)
        if type(method) is not FunctionType:
            continue
        code = method.__code__
        named = code.co_varnames[: code.co_argcount]
        if _takes(method, len(parameters)) and not (name == "render" and "density" in named):
            if name == "render":
                setattr(cls, name, resolving(otherwise=rendered)(method))
            continue
        known = (*parameters, "density") if name == "render" else parameters
        fits = {*named} <= {*known} and code.co_argcount == len({*named})
        if named[:1] != ("self",) or not fits or code.co_kwonlyargcount:
            raise DefinitionError(
                f"{cls.__name__}.{name} takes the wrong arguments; write "
                f"def {name}({', '.join(parameters)})"
            )
        setattr(cls, name, _given_named(method, [known.index(each) for each in named]))
        if "children" in {*parameters} - {*named} and "takes_children" not in vars(cls):
            cls.takes_children = False


def rendered(node: Any, /, *args: Any, **options: Any) -> str:
    """Return a node's Markdown: the meaning of its ``render`` without a context."""
    text: str = import_module("ujsx").render(node, *args, **options)
    return text


def is_mentioned(name: str, body: Mapping[str, Any], bases: tuple[type, ...] = ()) -> bool:
    """Tell whether a function of a class body, or of a base that an author wrote, names an attribute, or may do so.

    >>> body = {"render": lambda self: self.head + self.part("x")}
    >>> is_mentioned("head", body), is_mentioned("tail", body)
    (True, False)
    """
    ours = ("ujsx.", "hud_components.", "pydantic.", "builtins")
    every = {
        each for base in bases for each in base.__mro__ if not each.__module__.startswith(ours)
    }
    values = chain.from_iterable(each.values() for each in (body, *map(vars, every)))
    functions = (getattr(each, "__func__", getattr(each, "fget", each)) for each in values)
    codes = [getattr(each, "__code__", None) for each in functions]
    while codes:
        code = codes.pop()
        if isinstance(code, CodeType):
            if not {name, "getattr"}.isdisjoint((*code.co_names, *code.co_consts)):
                return True
            codes += code.co_consts
    return False


def _given_named(method: Callable[..., Any], places: list[int]) -> Callable[..., Any]:
    """Return the method, called with the arguments in these places only, then the context's density."""

    @wraps(method)
    def call(*given: Any) -> Any:
        return method(
            *(given[place] if place < len(given) else given[1].density for place in places)
        )

    return call


def _takes(function: FunctionType, count: int) -> bool:
    """Tell whether a function accepts exactly this number of arguments."""
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


def hold_frozen(cls: type[BaseModel]) -> None:
    """Make fields of lists, sets and dictionaries hold tuples, frozen sets and frozen mappings."""
    if not cls.__pydantic_complete__:
        return
    is_changed = False
    for field in fields_of(cls).values():
        if unhashable_part(field.annotation) is None:
            continue
        kind = _frozen(field.annotation)
        if unhashable_part(kind) is None:
            _freeze(field, kind)
            is_changed = True
    if is_changed:
        cls.model_rebuild(force=True)


def check_types(cls: type[BaseModel]) -> None:
    """Restrict fields to hashable values where their types have some; refuse other types.

    :raises DefinitionError: with the type to use instead of each.
    """
    hold_frozen(cls)
    faults: list[str] = []
    for name, field in fields_of(cls).items():
        part = unhashable_part(field.annotation)
        if part is not None:
            inside = unhashable_part(_frozen(field.annotation))
            default = _empty(field) if inside in (None, part) else ""
            part = part if inside is None else inside
            line = advice(part) + default
            faults.append(f"{cls.__name__}.{name}: {_name(part)} is not hashable; {line}")
    if faults:
        raise DefinitionError(*faults)


def _freeze(field: FieldInfo, kind: Any) -> None:
    """Change a field's type, and its default to match."""
    from pydantic import TypeAdapter

    field.annotation = kind
    default: Any = field.default
    if field.default_factory in _EMPTY:
        default = cast("Callable[[], Any]", field.default_factory)()
    if type(default) in _EMPTY:
        with suppress(ValidationError):  # a default that does not fit is refused with the others
            field.default = TypeAdapter(type_of(field)).validate_python(default)
            field.default_factory = None
            now = {"default": field.default, "default_factory": None}
            given: Any = field
            given._attributes_set |= now  # noqa: SLF001 - Pydantic 2.12 copies fields with it


def _frozen(annotation: Any) -> Any:
    """Return the type with tuples, frozen sets and frozen mappings for lists, sets and dictionaries."""
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        of: Any = Annotated
        return of[(_frozen(inside[0]), *annotation.__metadata__)]
    parts = tuple(_frozen(each) for each in inside)
    kind: Any = annotation if origin is None else origin
    made: Any = kind
    if kind in _UNIONS:
        made = Union
    elif kind in _TUPLES:
        made, parts = tuple, (*(parts or (Any,)), ...)
    elif kind in (set, abc.Set):
        made, parts = frozenset, parts or (Any,)
    elif kind in (dict, abc.Mapping):
        from ujsx.components._context import FrozenMapping

        made, parts = FrozenMapping, parts or (Any, Any)
    elif kind is Literal or not isinstance(kind, type):
        return annotation
    frozen: Any = made[parts] if parts else annotation
    return frozen


_TUPLES = (list, abc.Sequence, abc.Iterable, abc.Collection)
"""Types whose values can be stored as tuples."""


def no_data(cls: type[BaseModel], error: PydanticSchemaGenerationError) -> Exception:
    """Return the sentence about a prop whose type Pydantic does not support."""
    from inspect import formatannotation  # only errors need them

    from pydantic import TypeAdapter

    for name, field in fields_of(cls).items():
        try:
            TypeAdapter(type_of(field))
        except PydanticSchemaGenerationError:
            return DefinitionError(
                f"{cls.__name__}.{name}: {formatannotation(field.annotation, base_module=cls.__module__)} is not a type of data; take a"
                " text, a number, a tuple, a frozen dataclass or a model. An object of your program is let through by"
                " model_config = ConfigDict(arbitrary_types_allowed=True)"
            )
        except PydanticUserError:  # such as a name that is not defined yet
            continue
    return error


def check_defaults(cls: type[Component]) -> None:
    """Refuse a default that its prop would not accept unchanged; Pydantic does not validate defaults.

    Most fit at a glance; the others are validated once, together. Types that are not defined yet are skipped.

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
                f"{cls.__name__}.{name}: its default {shown(default)} is not hashable; "
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
            f"{cls.__name__}.{name}: its default {shown(asked[name])} is "
            f"{_misfit(cls, detail)}; change the default, or widen the type"
        ) from None
    for name, value in values.items():
        if not _is_same(value, asked[name]):
            raise DefinitionError(
                f"{cls.__name__}.{name}: its default {shown(asked[name])} is not of its type; "
                f"write {shown(value)}"
            )


def _misfit(cls: type[Component], detail: ErrorDetails) -> str:
    """Return the end of a sentence about a default: the expected type, or Pydantic's message."""
    kind: Any = fields_of(cls)[str(detail["loc"][0])].annotation
    if len(detail["loc"]) == 1 and isinstance(kind, type) and _OF_A_TYPE.search(detail["type"]):
        return f"not a valid {_name(kind)}"
    return f"not valid: {complaint(detail)}"


_OF_A_TYPE = re.compile(r"_(?:type|parsing)$")
"""Pydantic's error types for a value of another type."""


def _validated(cls: type[Component], props: dict[str, Any]) -> dict[str, Any]:
    """Return some props of a class, validated without the required ones."""
    schema: Any = cls.__pydantic_core_schema__
    definitions: list[Any] = schema.get("definitions", [])
    by_ref = {each["ref"]: each for each in definitions}
    while schema["type"] != "model-fields":  # the model and its own validators wrap them
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
    """Tell whether validation leaves a default unchanged; 1 may become 1.0."""
    kinds: set[type[Any]] = {value.__class__, default.__class__}
    alike = len(kinds) == 1 or kinds == {int, float}
    return value is default or (alike and (value == default or repr(value) == repr(default)))


def advice(part: Any) -> str:
    """Return the replacement for a type with unhashable values."""
    origin: Any = getattr(part, "__origin__", part)
    if isinstance(origin, type(BaseModel)):
        return "make the model frozen: model_config = ConfigDict(frozen=True)"
    if is_dataclass(origin):
        return "make it frozen: @dataclass(frozen=True)"
    found = ADVICE.get(origin, "use a type whose values can be hashed")
    inside = ", ".join(map(_name, getattr(part, "__args__", ())))
    return found.replace("…, …" if found.count("…") > 1 else "…", inside) if inside else found


def _empty(field: FieldInfo) -> str:
    """Return the default to write instead of an empty list, set or dictionary."""
    default = field.default_factory if field.default is PydanticUndefined else field.default
    kind = default if isinstance(default, type) else type(default)
    if kind not in _EMPTY or (default is not kind and default):
        return ""
    return f" = {_EMPTY[kind]}"


_EMPTY: dict[type[Any], str] = {list: "()", set: "frozenset()", dict: "FrozenMapping()"}
"""Replacements for empty mutable defaults, by type."""


def _name(part: Any) -> str:
    return part.__name__ if isinstance(part, type) and not hasattr(part, "__args__") else str(part)


def _own_prop_names(cls: type) -> list[str]:
    return [
        name
        for name, annotation in own_annotations(cls).items()
        if not name.startswith("_") and "ClassVar" not in str(annotation)
    ]


_DATA = (str, bytes, int, float, tuple, list, dict, set, frozenset, type(None), FieldInfo)
"""Types of class attributes that can only be a prop's default."""
