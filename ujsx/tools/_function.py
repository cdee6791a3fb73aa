"""An operation from a function as people write one: its parameters are the arguments' model."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo

from ujsx.errors import DefinitionError, SchemaError, shown
from ujsx.schema._generate import as_schema, field_without_schema, for_a_model, may_lack_schema
from ujsx.schema._lint import OfFunction

CONTEXT = "ctx"
"""The parameter that gets the context of a call, wherever it stands: no argument of a model has this name."""

_ITS_CONTEXT = f'the context of the call, if it is that, is the parameter called "{CONTEXT}"'

_ANYTHING = (Any, object)
"""Types that say nothing of their values: None is one of them."""

_REFUSED = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
    inspect.Parameter.POSITIONAL_ONLY: "",
}


class _Arguments(OfFunction):
    model_config = ConfigDict(extra="forbid", cache_strings="keys", arbitrary_types_allowed=False)


@dataclass(frozen=True, slots=True)
class FunctionHandler:
    """Calls a function with the arguments of its model."""

    function: Callable[..., object]
    fields: Mapping[str, str]
    """By the parameter, the field of the model that holds its value."""
    context: inspect.Parameter | None
    """The parameter that gets the context of a call, if the function has it."""
    is_first: bool
    """Whether that is the first one, which may have another name behind a decorator."""

    @property
    def needs_context(self) -> bool:
        """True if it cannot be called without a context."""
        return self.context is not None and needs(self.context)

    def __call__(self, context: object, arguments: BaseModel) -> object:
        """Call the function; of a coroutine function, return the coroutine."""
        given = {name: getattr(arguments, field) for name, field in self.fields.items()}
        own = self.context
        if own is None or (context is None and own.default is not own.empty):
            return self.function(**given)
        if self.is_first:
            return self.function(context, **given)
        return self.function(**given, **{CONTEXT: context})


def needs(parameter: inspect.Parameter) -> bool:
    """Tell whether a context has to be given to a parameter: it has no default, and its type does not take None.

    >>> def charge(ctx: str, guest: str): ...
    >>> def free(kind: str, ctx: str | None): ...
    >>> [needs(inspect.signature(each).parameters["ctx"]) for each in (charge, free)]
    [True, False]
    """
    return parameter.default is parameter.empty and not _takes_none(parameter.annotation)


def _takes_none(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        return _takes_none(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        return any(map(_takes_none, get_args(annotation)))
    return annotation in (*_ANYTHING, None, NoneType)


def arguments_of(
    name: str, function: Callable[..., object]
) -> tuple[type[BaseModel], FunctionHandler]:
    """Return the model of a function's parameters, and what calls it with them.

    What the docstring says of a parameter, as ``:param order: …``, under ``Args:`` or under an underlined
    ``Parameters``, is its description, unless a ``Field`` has one: as the default, or in ``Annotated``.

    :param name: of the operation, for errors.
    :raises DefinitionError: for a parameter without a type, of one whose values no call can give, or
        one that has no name in a call.

    >>> def refund(ctx, order: str, amount: int = 1):
    ...     '''Refund an order.
    ...
    ...     :param order: Its number.
    ...     '''
    >>> model, _ = arguments_of("refund", refund)
    >>> model.model_json_schema()["properties"]["order"]["description"]
    'Its number.'
    """
    parameters = _parameters(name, function)
    context = next((each for each in parameters if _is_context(each)), None)
    told = dict(_told(inspect.getdoc(function) or ""))
    fields: dict[str, str] = {}
    members: dict[str, Any] = {}
    for each in parameters:
        if each is context:
            continue
        field = _field_name(each.name)
        fields[each.name] = field
        members[field] = _member(name, each, told.get(each.name), field, function)
    title = "".join(part.capitalize() for part in re.split(r"[._-]", name))
    try:
        model = create_model(title, __base__=_Arguments, __module__=function.__module__, **members)
    except PydanticUserError as error:
        for each in parameters:
            one = fields.get(each.name)
            alone = None if one is None else _refusal({one: members[one]})
            if isinstance(alone, PydanticSchemaGenerationError):
                raise _no_data(name, each, function) from error
            if alone is not None:
                raise DefinitionError(
                    f"{name}: the parameter {each.name} makes no argument: {_reason(alone)}"
                ) from error
        raise DefinitionError(f"{name}: its parameters make no model: {_reason(error)}") from error
    _check_schema(
        name,
        model,
        function,
        {fields[each.name]: each for each in parameters if each.name in fields},
    )
    is_first = (
        context is not None
        and context is parameters[0]
        and context.kind is not context.KEYWORD_ONLY
    )
    return model, FunctionHandler(function, fields, context, is_first)


def _is_context(parameter: inspect.Parameter) -> bool:
    return parameter.name == CONTEXT and parameter.kind not in {
        parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD,
    }  # fmt: skip


def _refusal(members: dict[str, Any]) -> PydanticUserError | None:
    """What Pydantic says of members of which it makes no model."""
    try:
        create_model("Alone", __base__=_Arguments, **members)
    except PydanticUserError as error:
        return error
    return None


def _reason(error: PydanticUserError) -> str:
    return str(error).partition("\n")[0]


def _check_schema(
    name: str,
    model: type[BaseModel],
    function: Callable[..., object],
    by_field: Mapping[str, inspect.Parameter],
) -> None:
    """Refuse a parameter of which no schema can tell a caller."""
    if not may_lack_schema(model):
        return
    try:
        as_schema(model)
    except SchemaError as error:
        found = field_without_schema(model)
        if found is not None:
            raise _no_data(name, by_field[found], function) from error
        # what is not defined yet may be by the time that somebody asks


def _no_data(
    name: str, parameter: inspect.Parameter, function: Callable[..., object]
) -> DefinitionError:
    kind = inspect.formatannotation(parameter.annotation, base_module=function.__module__)
    return DefinitionError(
        f"{name}: the parameter {parameter.name} is of a type that no call can give, {kind}: arguments are data, as"
        f" JSON has it; take a text, a number, a list, a dataclass or a Pydantic model. {_ITS_CONTEXT.capitalize()}"
    )


def _parameters(name: str, function: Callable[..., object]) -> list[inspect.Parameter]:
    try:
        return [*inspect.signature(function, eval_str=True).parameters.values()]
    except (NameError, SyntaxError, TypeError, ValueError) as error:
        raise DefinitionError(
            f"{name}: the types of its parameters cannot be read ({error}); write them with names"
            " that its module has"
        ) from error


def _member(
    name: str,
    parameter: inspect.Parameter,
    told: str | None,
    field: str,
    function: Callable[..., object],
) -> Any:
    if parameter.kind in _REFUSED:
        raise DefinitionError(
            f"{name}: {_REFUSED[parameter.kind]}{parameter.name} has no name in a call; give each"
            " argument a parameter of its own"
        )
    if parameter.annotation is parameter.empty and parameter.name == "self":
        owner, _, own = str(getattr(function, "__qualname__", name)).rpartition(".")
        instance = f"{owner.rpartition('.')[2]}()" if owner[-1:] not in {"", ">"} else "instance"
        raise DefinitionError(
            f"{name}: self is no argument, but the instance that the method is of; bind it: {instance}.{own}"
        )
    if parameter.annotation is parameter.empty:
        where = f"; {_ITS_CONTEXT}" if parameter.name == "context" else ""
        raise DefinitionError(
            f"{name}: the parameter {parameter.name} has no type; write {parameter.name}: str{where}"
        )
    if parameter.name == "context" and parameter.annotation in _ANYTHING:
        raise DefinitionError(
            f"{name}: the parameter {parameter.name} would be an argument of the model's, of any type; give it the type"
            f" that it has, such as {parameter.name}: str; {_ITS_CONTEXT}"
        )
    ours: dict[str, Any] = {}
    if told:
        ours["description"] = told
    if field != parameter.name:
        ours["alias"] = parameter.name
    default = parameter.default
    if default is parameter.empty:
        default = Field()
    elif not isinstance(default, FieldInfo):
        default = Field(default)
    return _below(parameter.annotation, Field(**ours)) if ours else parameter.annotation, default


def _below(annotation: Any, field: FieldInfo) -> Any:
    """The annotation with what a field says where neither the annotation nor the default says it."""
    if get_origin(annotation) is not Annotated:
        return Annotated[annotation, field]
    kind, *said = get_args(annotation)
    return Annotated[(kind, field, *said)]


def _field_name(parameter: str) -> str:
    """A field may not have the name of what every model has."""
    is_taken = hasattr(BaseModel, parameter) or parameter.startswith(("_", "model_"))
    return f"{parameter.lstrip('_')}_" if is_taken else parameter


def written(described: Callable[..., object]) -> str:
    r"""Return what the docstring of a function, or of a model, says that it is for, as it was written.

    What it says of parameters, results and errors is left out, and its examples.

    >>> def refund(order: str) -> None:
    ...     '''Refund an order.
    ...
    ...     All of it.
    ...
    ...     Args:
    ...         order: Its number.
    ...     '''
    >>> written(refund)
    'Refund an order.\n\nAll of it.'
    """
    while isinstance(described, partial):
        described = described.func
    # A class without a docstring would be told of by what it inherits from.
    own = vars(described).get("__doc__") if isinstance(described, type) else described.__doc__
    return _SECTION.split(for_a_model(inspect.cleandoc(own or "")), maxsplit=1)[0].rstrip()


def first_of(text: str) -> str:
    r"""Return the first paragraph of a text, on one line.

    >>> first_of("Refund\nan order.\n\nAll of it.")
    'Refund an order.'
    """
    return " ".join(text.partition("\n\n")[0].split())


def is_sentence(text: str) -> bool:
    """Tell whether a text stands by itself, and does not go on from a name: it begins as a sentence does.

    >>> [is_sentence(each) for each in ("Refund an order.", "an order", "PDF of an order")]
    [True, False, False]
    """
    return text[:1].isupper() and not text[1:2].isupper()


_SECTION = re.compile(
    r"^(?:Args|Arguments|Parameters|Returns|Yields|Raises|Examples?):?[ \t]*\n(?=[ \t]+\S|-{3,})",
    re.MULTILINE,
)
"""The head of a part of a docstring in the style of Google or NumPy."""

_PARAM = re.compile(r"^:param (?:[^:\n]* )?(\w+):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_ARGS = re.compile(
    r"^(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+\S.*\n?|[ \t]*\n)+)", re.MULTILINE
)
_ARG = re.compile(r"^[ \t]+\*{0,2}(\w+)(?: \([^)\n]*\))?:[ \t]*(.*)$")

_NUMPY = frozenset({"Parameters", "Other Parameters"})
"""The heads of the sections of parameters in the style of NumPy (numpydoc's format)."""


def _told(doc: str) -> Iterator[tuple[str, str]]:
    """Yield what a docstring says of parameters, in one of the three usual ways."""
    for found in _PARAM.finditer(doc):
        yield found[1], " ".join(found[2].split())
    yield from _told_below_lines(doc)
    block = _ARGS.search(doc)
    if block is None:
        return
    name, words = "", list[str]()
    for line in block[1].splitlines():
        match = _ARG.match(line)
        if match:
            if name:
                yield name, " ".join(words)
            name, words = match[1], [match[2].strip()]
        elif line.strip():
            words.append(line.strip())
    if name:
        yield name, " ".join(words)


def _told_below_lines(doc: str) -> Iterator[tuple[str, str]]:
    r"""Yield what a docstring says of parameters in the style of NumPy, in sections whose heads are underlined.

    A parameter begins its line, ``berth : int`` or ``x, y : float``; what it is for is indented below it.

    >>> list(_told_below_lines("Parameters\n----------\nx, y : float\n    Where\n    it is."))
    [('x', 'Where it is.'), ('y', 'Where it is.')]
    """
    names, words, inside = list[str](), list[str](), False
    lines = doc.splitlines()
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        if not line.strip():
            continue
        if line[0].isspace():
            words.append(line.strip())
            continue
        yield from dict.fromkeys(names, " ".join(words)).items()
        names, words = [], []
        if len(below) > 2 and not below.strip("-"):
            inside = line.rstrip() in _NUMPY
        elif inside:
            begun = (each.strip().lstrip("*") for each in line.partition(":")[0].split(","))
            names = [each for each in begun if each.isidentifier()]
    yield from dict.fromkeys(names, " ".join(words)).items()


def check_is_function(given: object) -> None:
    """Refuse what is no function."""
    if not callable(given) or inspect.isclass(given):
        raise DefinitionError(
            f"an operation is a function, not {shown(given)}; a component is Operation(name, component)"
        )
