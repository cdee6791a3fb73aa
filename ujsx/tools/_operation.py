"""An operation: what a model can ask for, and what then happens."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, RootModel

from ujsx.components._component import Component
from ujsx.errors import DefinitionError, shown

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Operation:
    """A model of arguments with a name, a line of help, and what answers a call.

    The handler gets the validated arguments. It returns the answer: text, a component (which is
    rendered), a Pydantic model or other JSON data, ``None`` for "done", or a whole
    :class:`ToolResult`. A component class needs no handler: its call is answered by its rendering.

    :raises DefinitionError: for a name that no provider takes, arguments that are no object, and
        a handler that is missing, asynchronous, or not called with one argument.

    >>> from pydantic import BaseModel
    >>> class Greet(BaseModel):
    ...     name: str
    >>> Operation("greet", Greet, lambda args: f"Hello {args.name}", help="say hello").help
    'say hello'
    """

    name: str
    """Lower-case words joined by ``.``, ``_`` or ``-``: ``notes.add``."""

    arguments: type[BaseModel]
    """The model of the arguments: a call is validated with it, its schema is the tool's.

    An argument that it does not have is told to the caller, unless it says ``extra="allow"``.
    """

    handler: Callable[[Any], object] | None = None
    """Called with an instance of ``arguments``; ``None`` where a component answers by itself.

    It refuses by raising a ``UjsxError``, whose sentence the model reads.
    """

    help: str = ""
    """What it is for, in a few words that go on from the name: "add" "what to keep in mind".

    Each of them is paid for on every turn.
    """

    rare: bool = False
    """Whether routers leave it out of their schema. It can be called, and ``help`` tells of it."""

    reads: bool = False
    """Whether it only reads, so that it may be done once more for the next part of a long answer.

    A component that answers by itself does.
    """

    component: type[Component] | None = field(default=None, init=False, repr=False)
    """The component whose tool it is; its arguments are those that a caller fills in."""

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
        if self.handler is not None:
            self._check_handler(self.handler)
        if inspect.iscoroutinefunction(self.handler):
            raise DefinitionError(
                f"{self.name}: its handler is asynchronous, and a call never waits; "
                "start the work there, and answer what was started"
            )
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
        try:
            signature.bind(None)
        except TypeError as error:
            raise DefinitionError(
                f"{self.name}: its handler is called with the arguments' model alone, and "
                f"{shown(handler)} takes {signature} ({error}); give a bound method, or a lambda "
                "with one parameter"
            ) from None

    @property
    def tool_name(self) -> str:
        """The name as providers take it, which allow no dots: ``notes_add``."""
        return self.name.replace(".", "_")

    @property
    def repeatable(self) -> bool:
        """Whether doing it once more changes nothing."""
        return self.reads or self.handler is None

    def answer(self, arguments: BaseModel) -> object:
        """Return what the handler says to the arguments; without one, the component itself."""
        said = arguments if self.component is None else self.component.of_tool(arguments)
        return said if self.handler is None else self.handler(said)
