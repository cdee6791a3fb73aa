"""An operation: what a model can ask for, and what then happens."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, RootModel

from ujsx.components._component import Component
from ujsx.errors import DefinitionError, shown
from ujsx.tools._function import (
    FunctionHandler,
    arguments_of,
    check_is_function,
    first_of,
    is_sentence,
    needs,
    written,
)
from ujsx.tools._returns import output_schema, returns_of, structured

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Operation:
    """A model of arguments with a name, a line of help, and what answers a call.

    The handler gets the validated arguments. It returns the answer: text, a component (which is
    rendered), a Pydantic model or other JSON data, ``None`` for "done", or a whole
    :class:`ToolResult`. A component class needs no handler: its call is answered by its rendering.

    A handler may be a coroutine function: :meth:`Toolset.acall` awaits it. ``Operation.of`` makes an
    operation of a function whose parameters are the arguments.

    :raises DefinitionError: for a name that no provider takes, arguments that are no object, and
        a handler that is missing, or not called with one argument.

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

    name: str
    """Lower-case words joined by ``.``, ``_`` or ``-``: ``notes.add``."""

    arguments: type[BaseModel]
    """The model of the arguments: a call is validated with it, its schema is the tool's.

    An argument that it does not have is told to the caller, unless it says ``extra="allow"``.
    """

    handler: Callable[[Any], object] | Callable[[Any, Any], object] | FunctionHandler | None = None
    """Called with an instance of ``arguments``; ``None`` where a component answers by itself.

    It refuses by raising a ``UjsxError``, whose sentence the model reads.
    """

    help: str = ""
    """What it is for, in a few words that go on from the name: "add" "what to keep in mind".

    Each of them is paid for on every turn. A sentence, with a capital letter, stands by itself. Without any it is the
    first paragraph of the docstring: of the function, or of the arguments.
    """

    rare: bool = False
    """Whether routers leave it out of their schema. It can be called, and ``help`` tells of it."""

    reads: bool = False
    """Whether it only reads, so that it may be done once more for the next part of a long answer.

    A component that answers by itself does.
    """

    returns: Any = None
    """The type of the data that the handler returns: a model, a list of them, and so on; ``None`` for words.

    What is returned is held to it, and programs are told its schema (``output_schema``).
    """

    takes_context: bool = False
    """Whether the handler is called with the context of the call first, and then with the arguments."""

    longest: int | None = None
    """Characters of its answer that are told at once, where that is more than the toolset's limit."""

    per_item: bool = False
    """Whether it is about one item, so that a list of items is as many calls where the toolset has a transaction."""

    respelt: Callable[[Mapping[str, Any]], Mapping[str, tuple[str, Any]]] | None = None
    """What finds in the arguments of a call those that are written otherwise than their model has them, each with the field
    and the value that it can only mean: ``{"note": ("content", "Port 8080")}``. It refuses a call by raising a ``UjsxError``."""

    component: type[Component] | None = field(default=None, init=False, repr=False)
    """The component whose tool it is; its arguments are those that a caller fills in."""

    description: str = field(default="", init=False, repr=False)
    """What it is for, in sentences, as they were written: those of ``help``, or else of the docstring, which a tool of
    its own has whole. Nothing where ``help`` goes on from the name."""

    needs_context: bool = field(default=False, init=False, repr=False)
    """Whether it cannot be done without the context of a call: what gets it has no default, and its type does not take
    None."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise DefinitionError(
                f"{shown(self.name)} is no name of an operation; write lower-case words joined by "
                'dots, such as "notes.add"'
            )
        model: Any = self.arguments
        if not isinstance(model, type(BaseModel)) or issubclass(cast("type", model), RootModel):
            raise DefinitionError(
                f"{self.name}: its arguments are a Pydantic model with fields, not {shown(model)}"
            )
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
                f"{self.name}: only a component answers by itself; give a handler"
            )

    def _check_handler(self, handler: object) -> None:
        if not callable(handler):
            raise DefinitionError(f"{self.name}: its handler is a function, not {shown(handler)}")
        try:
            signature = inspect.signature(handler)
        except ValueError:  # some builtins have none
            return
        given = (None, None) if self.takes_context else (None,)
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
        """Return the operation that a function does: its parameters are the arguments.

        One that is called ``ctx``, wherever it stands, gets the context of the call instead; without a context the
        function is called only if ``ctx`` has a default, or its type takes None. What it says it returns is its
        ``returns``, where that is data. What the docstring says of the function and of its parameters is told to the
        model, as it is written. Coroutine functions are welcome.

        :param help: what is told in place of the docstring.
        :raises DefinitionError: for a parameter without a type, of one whose values are no data, such as a function,
            or one that has no name in a call.

        >>> def refund(ctx: object, order: str, amount: int = 1) -> str:
        ...     return f"{amount} for {order}"
        >>> sorted(Operation.of(refund).arguments.model_fields)
        ['amount', 'order']
        """
        check_is_function(function)
        own = name or str(getattr(function, "__name__", "")).strip("_")
        model, handler = arguments_of(own, function)
        return cls(own, model, handler, help or "", rare, reads, returns_of(function))

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the data of an answer, an object; ``None`` where it is words.

        >>> def stock(item: str) -> list[int]: ...
        >>> Operation.of(stock).output_schema["required"]
        ['result']
        """
        return output_schema(self.returns)

    def output(self, data: Any) -> Any:
        """Return the data of an answer as the output schema has it: an object; ``None`` without one."""
        return structured(self.returns, data)

    @property
    def tool_name(self) -> str:
        """The name as providers take it, which allow no dots: ``notes_add``."""
        return self.name.replace(".", "_")

    @property
    def repeatable(self) -> bool:
        """True if doing it once more changes nothing."""
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
        """Return what the handler says to the arguments; without one, the component itself.

        :param context: what a function's parameter ``ctx`` gets.
        """
        said = arguments if self.component is None else self.component.of_tool(arguments)
        if isinstance(self.handler, FunctionHandler):
            return self.handler(context, said)
        if self.handler is None:
            return said
        handler: Callable[..., object] = self.handler
        return handler(context, said) if self.takes_context else handler(said)


def _first_of(handler: Callable[..., object]) -> inspect.Parameter:
    """The first parameter of a handler, with the type that it says it has."""
    unknown = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_ONLY)
    try:
        return next(iter(inspect.signature(handler, eval_str=True).parameters.values()), unknown)
    except (NameError, SyntaxError, TypeError, ValueError):  # some builtins have none
        return unknown
