"""Models whose attribute docstrings describe their fields, read only when a schema asks for them."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic.fields import FieldInfo

# The annotations of a class body, read without evaluating them.


def own_annotations(cls: type) -> Mapping[str, Any]:
    """Return what the body of this very class annotates."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    annotations: Mapping[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - as Pydantic does
    return annotations


C = TypeVar("C", bound="type[Any]")


def settled(cls: C) -> C:
    """Take from a base class's annotations what its class variables are; that they are some stays.

    Pydantic evaluates the annotations of all bases anew for each subclass, and leaves out only those
    of fields. For a base with dozens of class variables that is most of what a subclass costs.
    """
    annotations: dict[str, Any] = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - to be changed
    for name in annotations.keys() & cls.__class_vars__:
        annotations[name] = ClassVar
    return cls


if TYPE_CHECKING:
    import ast

    from pydantic._internal._model_construction import ModelMetaclass

    DocumentedType = ModelMetaclass
else:

    class DocumentedType(type(BaseModel)):
        """The class of documented models: notes where each is written."""

        # Not __new__: Pydantic looks for local names in the frame that calls its own.
        def __init__(cls, name, bases, namespace, **kwargs):  # noqa: ANN001, ANN003, ANN204
            super().__init__(name, bases, namespace, **kwargs)
            if "__qualname__" in namespace:  # written by a class statement, that is
                cls._written_at = _place()


M = TypeVar("M", bound=BaseModel)

_UPDATES = "pydantic_js_updates"
"""Where a core schema's metadata have what its JSON schema says beside its type."""

_LIKE = "_described_like"
"""Where a model says whose descriptions its fields have."""

_HOOK = "__get_pydantic_json_schema__"


def _place() -> tuple[str, int] | None:
    """Return the file and the line of the class statement that is being run."""
    frame = sys._getframe(2)  # noqa: SLF001 - the public way would load the source
    while frame.f_back is not None and frame.f_code.co_name in _MAKERS:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


_MAKERS = frozenset({"__new__", "__call__", "__init__", "__init_subclass__"})
"""Functions of classes of classes: they stand between a class statement and its class."""


class DocumentedModel(BaseModel, metaclass=DocumentedType):
    """A Pydantic model whose attribute docstrings are the descriptions of its fields.

    The rules are those of Pydantic's ``use_attribute_docstrings``: ``Field(description=…)`` has the
    last word, a field that a subclass does not write anew keeps its description, and one that it
    does loses it. A model whose source is not there, or whose configuration says
    ``use_attribute_docstrings=False``, has no descriptions but those of ``Field``.

    >>> class Port(DocumentedModel):
    ...     number: int
    ...     '''Where it listens.'''
    >>> Port.model_fields["number"].description
    'Where it listens.'
    >>> Port.model_json_schema()["properties"]["number"]["description"]
    'Where it listens.'
    """

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
    """Return a model's fields, where nobody asks for descriptions: they may not have been read."""
    return model.__pydantic_fields__


@lru_cache(maxsize=1_024)
def first_text(model: type[BaseModel]) -> str | None:
    """Return the name under which a model takes its first required text, for which a text alone stands; None without one.

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
    """Return a field's type with what is said about it, as it could be annotated."""
    of: Any = Annotated
    return of[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def described_like(made: type[M], model: type[BaseModel]) -> type[M]:
    """Let a model's fields have the descriptions of another's, where they have none. Return the model.

    It is for models made of the fields of others.
    """
    setattr(made, _LIKE, model)
    return made


class _Fields:
    """``model_fields``, with descriptions."""

    def __get__(self, node: BaseModel | None, cls: type[BaseModel]) -> dict[str, FieldInfo]:
        _describe(cls)
        fields: dict[str, FieldInfo] = vars(BaseModel)["model_fields"].__get__(node, cls)
        return fields


def _describing(hook: Callable[..., Any]) -> Callable[..., Any]:
    """Return a model's hook for JSON schemas that first gives the core schema its descriptions."""

    @wraps(hook)
    def describing(cls: type[BaseModel], core_schema: Any, handler: Any) -> Any:
        _describe_schema(cls.model_fields, core_schema)
        return hook(cls, core_schema, handler)

    describing.describes = True  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
    return describing


if not TYPE_CHECKING:  # neither is a field, or anything else that Pydantic would look at
    DocumentedModel.model_fields = _Fields()
    setattr(DocumentedModel, _HOOK, classmethod(_describing(vars(DocumentedModel)[_HOOK].__func__)))


def _describe_schema(fields: Mapping[str, FieldInfo], schema: Any) -> None:
    """Give the core schema of a model what Pydantic would have given it, had it known."""
    while schema is not None and schema["type"] != "model-fields":
        schema = schema.get("schema")  # around the fields stand the model and its validators
    for name, field in () if schema is None else schema["fields"].items():
        text = fields[name].description if name in fields else None
        metadata = field.setdefault("metadata", {})
        updates: dict[str, Any] = metadata.get(_UPDATES) or {}
        if text is not None and "description" not in updates:
            metadata[_UPDATES] = {**updates, "description": text}


def _describe(cls: type[BaseModel]) -> None:
    """Give the fields of a model their descriptions."""
    if cls.__dict__.get("_is_described") or not isinstance(cls, DocumentedType):
        return
    inherited: dict[str, FieldInfo] = {}
    for base in reversed(cls.__bases__):
        if issubclass(base, BaseModel):
            _describe(base)
            inherited.update(getattr(base, "__pydantic_fields__", {}))  # which BaseModel has not
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
    """The docstrings under the attributes of a class, where its source is there."""
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
    """The line in which it begins, decorators included."""
    last: int
    """The line in which its body begins."""
    docstrings: Mapping[str, str]


@lru_cache(maxsize=16)
def _classes_in(source: str) -> tuple[_Class, ...]:
    """The classes that a source has, with the docstrings of their attributes."""
    import ast

    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(_classes_under(tree, ""))


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
    """Yield the annotated names in a body, each with the text that stands right behind it."""
    import ast
    from inspect import cleandoc

    last: str | None = None
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Expr(value=ast.Constant(value=str(text))) if last is not None:
                yield last, cleandoc(text)
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() | ast.expr():
                pass  # what stands in them is not the class's
            case _:
                yield from _attributes(child)
        is_named = isinstance(child, ast.AnnAssign) and isinstance(child.target, ast.Name)
        last = child.target.id if is_named else None  # type: ignore[attr-defined]
