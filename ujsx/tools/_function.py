"""An operation from a function as people write one: its parameters are the arguments' model."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from ujsx.errors import DefinitionError, shown

CONTEXT = "ctx"
"""The parameter that gets the context of a call, where a function has it: its first one."""

_REFUSED = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
    inspect.Parameter.POSITIONAL_ONLY: "",
}


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", cache_strings="keys", arbitrary_types_allowed=False)


@dataclass(frozen=True, slots=True)
class FunctionHandler:
    """Calls a function with the arguments of its model."""

    function: Callable[..., object]
    fields: Mapping[str, str]
    """By the parameter, the field of the model that holds its value."""
    takes_context: bool

    def __call__(self, context: object, arguments: BaseModel) -> object:
        """Call the function; of a coroutine function, return the coroutine."""
        given = {name: getattr(arguments, field) for name, field in self.fields.items()}
        first = (context,) if self.takes_context else ()
        return self.function(*first, **given)


def arguments_of(
    name: str, function: Callable[..., object]
) -> tuple[type[BaseModel], FunctionHandler]:
    """Return the model of a function's parameters, and what calls it with them.

    What the docstring says of a parameter, as ``:param order: …`` or under ``Args:``, is its description.

    :param name: of the operation, for errors.
    :raises DefinitionError: for a parameter without a type, or one that has no name in a call.

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
    takes_context = bool(parameters) and parameters[0].name == CONTEXT
    told = dict(_told(inspect.getdoc(function) or ""))
    fields: dict[str, str] = {}
    members: dict[str, Any] = {}
    for each in parameters[takes_context:]:
        field = _field_name(each.name)
        fields[each.name] = field
        members[field] = _member(name, each, told.get(each.name), field)
    title = "".join(part.capitalize() for part in re.split(r"[._-]", name))
    try:
        model = create_model(title, __base__=_Arguments, __module__=function.__module__, **members)
    except PydanticUserError as error:
        reason = str(error).partition("\n")[0]
        raise DefinitionError(f"{name}: its parameters make no model: {reason}") from error
    return model, FunctionHandler(function, fields, takes_context)


def _parameters(name: str, function: Callable[..., object]) -> list[inspect.Parameter]:
    try:
        return [*inspect.signature(function, eval_str=True).parameters.values()]
    except (NameError, SyntaxError, TypeError, ValueError) as error:
        raise DefinitionError(
            f"{name}: the types of its parameters cannot be read ({error}); write them with names"
            " that its module has"
        ) from error


def _member(name: str, parameter: inspect.Parameter, told: str | None, field: str) -> Any:
    if parameter.kind in _REFUSED:
        raise DefinitionError(
            f"{name}: {_REFUSED[parameter.kind]}{parameter.name} has no name in a call; give each"
            " argument a parameter of its own"
        )
    if parameter.annotation is parameter.empty:
        where = (
            f'; the context is the first parameter, "{CONTEXT}"'
            if parameter.name == "context"
            else ""
        )
        raise DefinitionError(
            f"{name}: the parameter {parameter.name} has no type; write {parameter.name}: str{where}"
        )
    default: Any = ... if parameter.default is parameter.empty else parameter.default
    if isinstance(default, FieldInfo):
        return parameter.annotation, default
    alias = parameter.name if field != parameter.name else None
    return parameter.annotation, Field(default, description=told, alias=alias)


def _field_name(parameter: str) -> str:
    """A field may not have the name of what every model has."""
    is_taken = hasattr(BaseModel, parameter) or parameter.startswith(("_", "model_"))
    return f"{parameter.lstrip('_')}_" if is_taken else parameter


def help_of(name: str, described: Callable[..., object]) -> str:
    """Return what goes on from an operation's name: the first line of a function's own docstring, or a model's.

    >>> def refund(order: str) -> None:
    ...     "Refund an order."
    >>> help_of("orders.refund", refund)
    'an order'
    """
    # A class without a docstring would be told of by what it inherits from.
    own = vars(described).get("__doc__") if isinstance(described, type) else described.__doc__
    line = inspect.cleandoc(own or "").partition("\n")[0].strip().removesuffix(".")
    first, _, rest = line.partition(" ")
    if first.lower() == name.rpartition(".")[2].lower():
        return rest
    return line if first[1:2].isupper() else f"{line[:1].lower()}{line[1:]}"  # "PDF of an order"


_PARAM = re.compile(r"^:param (?:[^:\n]* )?(\w+):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_ARGS = re.compile(
    r"^(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+\S.*\n?|[ \t]*\n)+)", re.MULTILINE
)
_ARG = re.compile(r"^[ \t]+\*{0,2}(\w+)(?: \([^)\n]*\))?:[ \t]*(.*)$")


def _told(doc: str) -> Iterator[tuple[str, str]]:
    """Yield what a docstring says of parameters, in one of the two usual ways."""
    for found in _PARAM.finditer(doc):
        yield found[1], " ".join(found[2].split())
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


def check_is_function(given: object) -> None:
    """Refuse what is no function."""
    if not callable(given) or inspect.isclass(given):
        raise DefinitionError(
            f"an operation is a function, not {shown(given)}; a component is Operation(name, component)"
        )
