"""Operations: the calls that a model can make, declared or derived from a function."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from types import FunctionType, NoneType
from typing import Annotated, Any, ClassVar, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, RootModel, create_model
from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
from pydantic.fields import FieldInfo

from ujsx.calls import Answering
from ujsx.components._component import Component
from ujsx.components._definition import members_of
from ujsx.errors import DefinitionError, SchemaError, shown
from ujsx.schema._definition import OfFunction
from ujsx.schema._generate import as_schema, field_without_schema, for_a_model, may_lack_schema
from ujsx.tools._result import output_schema, returns_of, structured

# An operation from an ordinary function, whose parameters become the arguments' model.

CONTEXT = "ctx"
"""The parameter, in any position, that gets the context of a call: no argument of a model has this name."""

_ITS_CONTEXT = f'the context of the call, if it is that, is the parameter called "{CONTEXT}"'

_ANYTHING = (Any, object)
"""Types that accept any value, including None."""

_REFUSED = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
    inspect.Parameter.POSITIONAL_ONLY: "",
}


class _OperationArguments(OfFunction):
    model_config = ConfigDict(extra="forbid", cache_strings="keys", arbitrary_types_allowed=False)


@dataclass(frozen=True, slots=True)
class FunctionHandler:
    """A handler that calls a function with the arguments of its model."""

    function: Callable[..., object]
    fields: Mapping[str, str]
    """The model's field for each parameter."""
    context: inspect.Parameter | None
    """The parameter that gets the context of a call, if the function has it."""
    is_first: bool
    """True if that is the first one, which may have another name under a decorator."""

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
    """Tell whether a parameter requires a context: it has no default, and its type does not allow None.

    >>> def charge(ctx: str, guest: str): ...
    >>> def free(kind: str, ctx: str | None): ...
    >>> [needs(inspect.signature(each).parameters["ctx"]) for each in (charge, free)]
    [True, False]
    """
    nothing = (*_ANYTHING, None, NoneType)
    takes_none = any(each in nothing for each in members_of(parameter.annotation))
    return parameter.default is parameter.empty and not takes_none


def arguments_of(
    name: str, function: Callable[..., object]
) -> tuple[type[BaseModel], FunctionHandler]:
    """Return the model of a function's parameters, and the handler that calls it with them.

    A parameter's description comes from a ``Field``, as the default or in ``Annotated``, or else from the docstring:
    ``:param order: …``, under ``Args:`` or under an underlined ``Parameters``.

    :param name: of the operation, for errors.
    :raises DefinitionError: for a parameter without a type, with a type that JSON cannot represent, or without a name
        in a call.

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
    stars = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    named = (each for each in parameters if each.kind not in stars)
    context = next((each for each in named if each.name == CONTEXT), None)
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
        model = create_model(
            title, __base__=_OperationArguments, __module__=function.__module__, **members
        )
    except PydanticUserError as error:
        for each in parameters:
            one = fields.get(each.name)
            alone = None if one is None else _refusal({one: members[one]})
            if isinstance(alone, PydanticSchemaGenerationError):
                raise _no_data(name, each, function) from error
            if alone is not None:
                raise DefinitionError(
                    f"{name}: the parameter {each.name} cannot be an argument: {_reason(alone)}"
                ) from error
        raise DefinitionError(
            f"{name}: its parameters cannot form a model: {_reason(error)}"
        ) from error
    by_field = {fields[each.name]: each for each in parameters if each.name in fields}
    _check_schema(name, model, function, by_field)
    is_first = (
        context is not None
        and context is parameters[0]
        and context.kind is not context.KEYWORD_ONLY
    )
    return model, FunctionHandler(function, fields, context, is_first)


def _refusal(members: dict[str, Any]) -> PydanticUserError | None:
    """Return Pydantic's message about members that it rejects."""
    try:
        create_model("Alone", __base__=_OperationArguments, **members)
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
    """Refuse a parameter without a JSON Schema."""
    if not may_lack_schema(model):
        return
    try:
        as_schema(model)
    except SchemaError as error:
        found = field_without_schema(model)
        if found is not None:
            raise _no_data(name, by_field[found], function) from error
        # undefined names may be defined by the time of the first use


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
        raise DefinitionError(f"{name}: self is not an argument; bind the method: {instance}.{own}")
    if parameter.annotation is parameter.empty:
        where = f"; {_ITS_CONTEXT}" if parameter.name == "context" else ""
        raise DefinitionError(
            f"{name}: the parameter {parameter.name} has no type; write {parameter.name}: str{where}"
        )
    if parameter.name == "context" and parameter.annotation in _ANYTHING:
        raise DefinitionError(
            f"{name}: the parameter {parameter.name} would be an argument that the model fills with any value; give it its"
            f" type, such as {parameter.name}: str; {_ITS_CONTEXT}"
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
    """Return the annotation with a field's settings that neither the annotation nor the default has."""
    if get_origin(annotation) is not Annotated:
        return Annotated[annotation, field]
    kind, *said = get_args(annotation)
    return Annotated[(kind, field, *said)]


def _field_name(parameter: str) -> str:
    """Return the field's name, which must not be an attribute of all models."""
    is_taken = hasattr(BaseModel, parameter) or parameter.startswith(("_", "model_"))
    return f"{parameter.lstrip('_')}_" if is_taken else parameter


def written(described: Callable[..., object]) -> str:
    r"""Return the description in the docstring of a function or a model, verbatim.

    Parameters, results, errors and examples are left out.

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
    # A class without a docstring would get that of its base.
    own = vars(described).get("__doc__") if isinstance(described, type) else described.__doc__
    return _SECTION.split(for_a_model(inspect.cleandoc(own or "")), maxsplit=1)[0].rstrip()


def first_of(text: str) -> str:
    r"""Return the first paragraph of a text, on one line.

    >>> first_of("Refund\nan order.\n\nAll of it.")
    'Refund an order.'
    """
    return " ".join(text.partition("\n\n")[0].split())


def is_sentence(text: str) -> bool:
    """Tell whether a text is a sentence of its own, and does not continue a name.

    >>> [is_sentence(each) for each in ("Refund an order.", "an order", "PDF of an order")]
    [True, False, False]
    """
    return text[:1].isupper() and not text[1:2].isupper()


_SECTION = re.compile(
    r"^(?:Args|Arguments|Parameters|Returns|Yields|Raises|Examples?):?[ \t]*\n(?=[ \t]+\S|-{3,})",
    re.MULTILINE,
)
"""A section heading of a docstring in the style of Google or NumPy."""

_PARAM = re.compile(r"^:param (?:[^:\n]* )?(\w+):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)
_ARGS = re.compile(
    r"^(?:Args|Arguments|Parameters):[ \t]*\n((?:[ \t]+\S.*\n?|[ \t]*\n)+)", re.MULTILINE
)
_ARG = re.compile(r"^[ \t]+\*{0,2}(\w+)(?: \([^)\n]*\))?:[ \t]*(.*)$")

_NUMPY = frozenset({"Parameters", "Other Parameters"})
"""The headings of parameter sections in the style of NumPy (numpydoc's format)."""


def _told(doc: str) -> Iterator[tuple[str, str]]:
    """Yield the parameters' descriptions in a docstring of one of the three usual styles."""
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
    r"""Yield the parameters' descriptions in a docstring of NumPy style, in sections with underlined headings.

    A parameter begins its line, ``berth : int`` or ``x, y : float``; its description is indented below.

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


_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Operation(Answering):
    """A call that a model can make: a name, a model of the arguments, a line of help, and a handler.

    The handler gets the validated arguments. It returns the answer: text, a component (which is rendered), a Pydantic
    model or other JSON data, ``None`` for "done", or a whole :class:`ToolResult`. A component class needs no handler:
    the answer is its rendering.

    A handler may be a coroutine function: :meth:`Toolset.acall` awaits it. ``Operation.of`` creates an operation from a
    function, with its parameters as the arguments.

    :raises DefinitionError: for a name that no provider accepts, arguments that are not an object, and a handler that
        is missing, or does not take one argument.

    >>> from pydantic import BaseModel
    >>> class Greet(BaseModel):
    ...     name: str
    >>> Operation("greet", Greet, lambda args: f"Hello {args.name}", help="say hello").help
    'say hello'
    >>> class Refund(BaseModel):
    ...     "Refund an order."
    ...     order: str
    >>> Operation("orders.refund", Refund, lambda args: "done").help
    'Refund an order.'
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "tool_schema(operation.arguments), from ujsx.schema import tool_schema": "schema parameters inputschema jsonschema"
    }

    name: str
    """Lower-case words joined by ``.``, ``_`` or ``-``: ``notes.add``."""

    arguments: type[BaseModel]
    """The model of the arguments: a call is validated with it, its schema is the tool's.

    An unknown argument is reported to the caller, unless the model has ``extra="allow"``.
    """

    handler: Callable[[Any], object] | Callable[[Any, Any], object] | FunctionHandler | None = None
    """Called with an instance of ``arguments``; ``None`` if a component is the answer.

    To refuse, raise a ``UjsxError``; the model gets its message.
    """

    help: str = ""
    """Its purpose, in a few words that continue the name: "add" "what to keep in mind".

    Each word costs tokens on every turn. A capitalized sentence is used by itself. The default is the first paragraph
    of the docstring: of the function, or of the arguments.
    """

    rare: bool = False
    """True if routers omit it from their schema. It can be called, and ``help`` describes it."""

    reads: bool = False
    """True if it only reads, so that it may be repeated for the next part of a long answer.

    True for a component without a handler.
    """

    returns: Any = None
    """The type of the handler's data: a model, a list of them, and so on; ``None`` for text.

    Results are validated against it, and programs get its schema (``output_schema``).
    """

    takes_context: bool = False
    """True if the handler gets the context of the call before the arguments."""

    longest: int | None = None
    """The most characters of one part of its answer, if more than the toolset's limit."""

    per_item: bool = False
    """True if it handles one item, so that a list of items is one call each if the toolset has a transaction."""

    local_times: frozenset[str] = frozenset()
    """The arguments whose example is a date-time without an offset."""

    respelt: Callable[[Mapping[str, Any]], Mapping[str, tuple[str, Any]]] | None = None
    """Returns the arguments of a call that differ from their model, each with the field and the value that it must
    mean: ``{"note": ("content", "Port 8080")}``. It raises a ``UjsxError`` to refuse the call.
    """

    component: type[Component] | None = field(default=None, init=False, repr=False)
    """The component of this tool; the arguments are its fields for callers."""

    is_value: bool = field(default=False, init=False, repr=False)
    """True if it takes a ``RootModel``: the handler gets the only member of its arguments, ``root``."""

    description: str = field(default="", init=False, repr=False)
    """Its purpose in sentences, verbatim: those of ``help``, or else of the docstring, used in full by a separate tool.
    Empty if ``help`` continues the name.
    """

    needs_context: bool = field(default=False, init=False, repr=False)
    """True if it requires the context of a call: the parameter for it has no default, and its type does not allow None.
    """

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DefinitionError(
                f"{shown(self.name)} is not a valid name for an operation; write lower-case words joined by "
                'dots, such as "notes.add"'
            )
        model: Any = self.arguments
        if not isinstance(model, type(BaseModel)):
            raise DefinitionError(
                f"{self.name}: its arguments are a Pydantic model, not {shown(model)}"
            )
        if issubclass(model, RootModel):
            value = cast("Any", model)
            made: Any = create_model(value.__name__, __doc__=value.__doc__, root=(value, ...))
            object.__setattr__(self, "arguments", made)
            object.__setattr__(self, "is_value", True)
        if not self.help:
            handler = self.handler
            described: Any = (
                handler.function if isinstance(handler, FunctionHandler) else self.arguments
            )
            said = written(described)
            object.__setattr__(self, "description", said)
            object.__setattr__(self, "help", first_of(said))
        elif is_sentence(self.help):
            object.__setattr__(self, "description", self.help)
        if isinstance(self.handler, FunctionHandler):
            object.__setattr__(self, "needs_context", self.handler.needs_context)
        elif self.handler is not None:
            self._check_handler(self.handler)
            if self.takes_context:
                object.__setattr__(self, "needs_context", needs(_first_of(self.handler)))
        if issubclass(self.arguments, Component):
            object.__setattr__(self, "component", self.arguments)
            object.__setattr__(self, "arguments", self.arguments.tool_model())
        elif self.handler is None:
            raise DefinitionError(
                f"{self.name}: only a component works without a handler; give one"
            )

    def _check_handler(self, handler: object) -> None:
        if not callable(handler):
            raise DefinitionError(f"{self.name}: its handler is a function, not {shown(handler)}")
        given = (None, None) if self.takes_context else (None,)
        if _is_known_to_take(handler, len(given)):
            return
        try:
            signature = inspect.signature(handler)
        except ValueError:  # some builtins have none
            return
        try:
            signature.bind(*given)
        except TypeError as error:
            what = "the call's context and the" if self.takes_context else "the"
            alone = "" if self.takes_context else " alone"
            several = "two parameters" if self.takes_context else "one parameter"
            raise DefinitionError(
                f"{self.name}: its handler is called with {what} arguments' model{alone}, and "
                f"{shown(handler)} takes {signature} ({error}); give a bound method, or a lambda "
                f"with {several}"
            ) from None

    @classmethod
    def of(
        cls,
        function: Callable[..., object],
        *,
        name: str | None = None,
        help: str | None = None,  # noqa: A002 - as the field is called
        rare: bool = False,
        reads: bool = False,
    ) -> Operation:
        """Return the operation of a function, with its parameters as the arguments.

        A parameter ``ctx``, in any position, gets the context of the call instead; without a context the function is
        called only if ``ctx`` has a default, or its type allows None. The return annotation is its ``returns``, if that
        is data. The model gets the docstring's descriptions of the function and its parameters verbatim. Coroutine
        functions are supported.

        :param help: the text to use instead of the docstring.
        :raises DefinitionError: for a parameter without a type, with values that are not data, such as a function, or
            without a name in a call.

        >>> def refund(ctx: object, order: str, amount: int = 1) -> str:
        ...     return f"{amount} for {order}"
        >>> sorted(Operation.of(refund).arguments.model_fields)
        ['amount', 'order']
        """
        if not callable(cast("object", function)) or inspect.isclass(function):
            raise DefinitionError(
                f"an operation is a function, not {shown(function)}; a component is Operation(name, component)"
            )
        own = name or str(getattr(function, "__name__", "")).strip("_")
        model, handler = arguments_of(own, function)
        return cls(own, model, handler, help or "", rare, reads, returns_of(function))

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of an answer's data, an object; ``None`` for text.

        >>> def stock(item: str) -> list[int]: ...
        >>> Operation.of(stock).output_schema["required"]
        ['result']
        """
        return output_schema(self.returns)

    def output(self, data: Any) -> Any:
        """Return an answer's data in the form of the output schema, an object; ``None`` without one."""
        return structured(self.returns, data)

    @property
    def tool_name(self) -> str:
        """The name for providers, which allow no dots: ``notes_add``."""
        return self.name.replace(".", "_")

    @property
    def repeatable(self) -> bool:
        """True if a repeated call changes nothing."""
        return self.reads or self.handler is None

    @property
    def is_async(self) -> bool:
        """True if its handler is a coroutine function."""
        handler = self.handler
        function = handler.function if isinstance(handler, FunctionHandler) else handler
        return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object whose call is asynchronous
        )

    def answer(self, arguments: BaseModel, context: object = None) -> object:
        """Return the handler's answer to the arguments; without a handler, the component itself.

        :param context: the value of a function's parameter ``ctx``.
        """
        said: Any = arguments if self.component is None else self.component.of_tool(arguments)
        said = said.root if self.is_value else said
        if isinstance(self.handler, FunctionHandler):
            return self.handler(context, said)
        if self.handler is None:
            return said
        handler: Callable[..., object] = self.handler
        return handler(context, said) if self.takes_context else handler(said)


def _is_known_to_take(handler: Any, count: int) -> bool:
    """Tell whether it is a bound or partial function that accepts ``count`` more arguments."""
    if not isinstance(handler, partial) or handler.keywords:
        return False
    bound = cast("partial[object]", handler)
    function = bound.func
    return isinstance(function, FunctionType) and _takes(function, len(bound.args) + count)


@lru_cache(maxsize=256)
def _takes(function: FunctionType, count: int) -> bool:
    """Tell whether a function accepts ``count`` arguments; cached, as each toolset of a domain checks the same ones."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except (TypeError, ValueError):
        return False
    return True


def _first_of(handler: Callable[..., object]) -> inspect.Parameter:
    """Return the first parameter of a handler, with its annotated type."""
    unknown = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_ONLY)
    try:
        return next(iter(inspect.signature(handler, eval_str=True).parameters.values()), unknown)
    except (NameError, SyntaxError, TypeError, ValueError):  # some builtins have none
        return unknown
