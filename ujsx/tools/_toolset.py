"""``Toolset``: operations as one tool or many, with long answers in parts."""

from __future__ import annotations

import inspect
import json
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from inspect import isawaitable
from threading import Lock
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, cast, overload

from pydantic import BaseModel, ConfigDict, ValidationError

from ujsx.calls import Answering, as_meant, resolving
from ujsx.components._definition import DocumentedModel, is_component_class
from ujsx.errors import DefinitionError, SchemaError, UjsxError, shown
from ujsx.schema._convert import DEPTH
from ujsx.schema._definition import define, lint, parameters_of, tool_name
from ujsx.schema._dialects import Loss, dialect_of
from ujsx.schema._router import CALL, OP, TOOL, check_shared, help_text, in_words_of, router_schema
from ujsx.text import one_line, visible
from ujsx.tools._examples import (
    cut,
    example_of,
    explained,
    nearest_call,
    schema_text,
    takes,
    with_example,
)
from ujsx.tools._fit import attempted, fitted
from ujsx.tools._json import UnreadableCallError, place
from ujsx.tools._names import folded, names
from ujsx.tools._operation import Operation
from ujsx.tools._result import ErrorKind, Repair, RepairKind, ToolResult, answered, data_of
from ujsx.tools._route import (
    HELP,
    LEVELS,
    MOST,
    SEVERAL,
    CallRefusedError,
    Catalog,
    Route,
    SeveralError,
    TakenBackError,
    in_one,
    is_half,
    opened,
    routed,
    spread,
    unless_refused,
    with_lists,
    with_root,
)

# Long answers in parts, so that nothing is lost, and no answer fills a model's context.
#
# A call requests a part with ``part`` beside its arguments. The last long answers are cached, so that their parts match
# whatever has happened since.

LONGEST_ANSWER = 16_000
"""The most characters of an answer, about 4,000 tokens, without the line about the next part."""

PART = "part"
"""The argument for a part of a long answer, from 1; see :func:`part_name`."""

KEPT = 4
"""The number of cached long answers."""

BACK = 200
"""The distance in characters to search a long line backwards for a letter to continue with."""

LONGEST_CALL = 400
"""The most characters of arguments repeated in the call for the next part."""

GOES_ON = "…"
"""The prefix of a part that begins inside a line."""


def parts(text: str, limit: int) -> list[str]:
    r"""Cut a text into parts of at most ``limit`` characters, at ends of lines where there are any.

    Joined they are the text.

    >>> parts("one\ntwo\nthree", 8)
    ['one\ntwo\n', 'three']
    """
    found: list[str] = []
    start = 0
    while len(text) - start > limit:
        end = start + limit
        cut = text.rfind("\n", start, end) + 1
        if cut <= start:
            letters = (
                at for at in range(end, max(start + 1, end - BACK), -1) if text[at].isalpha()
            )
            cut = next(letters, end)
        found.append(text[start:cut])
        start = cut
    return [*found, text[start:]]


def part_name(operation: Operation) -> str:
    """Return the name of the argument for a part of an operation's long answer, unlike its own arguments.

    >>> from ujsx.elements import Link
    >>> part_name(Operation("link", Link))
    'part'
    >>> def lines(part: int) -> str: ...
    >>> part_name(Operation.of(lines))
    'answer_part'
    """
    own, name = names(operation.arguments), PART
    while name in own:
        name = f"answer_{name}"
    return name


def part_in(arguments: dict[str, Any], operation: Operation) -> tuple[dict[str, Any], int | None]:
    """Return the arguments without :func:`part_name`, and the requested part.

    :raises UnreadableCallError: for an invalid part number.
    """
    own = part_name(operation)
    if own not in arguments:
        return arguments, None
    rest = {name: value for name, value in arguments.items() if name != own}
    asked = arguments[own]
    if isinstance(asked, str) and asked.strip().isdecimal():
        asked = int(asked[:9])
    if asked is None:
        asked = 1
    if not isinstance(asked, int) or isinstance(asked, bool) or asked < 1:
        raise UnreadableCallError("a part is a number, from 1 on", path=f"$.{own}")
    return rest, asked


class LongAnswers:
    """The last long answers of a toolset.

    :param limit: the most characters of an answer.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._kept: OrderedDict[str, ToolResult] = OrderedDict()

    def limit_of(self, operation: Operation) -> int:
        """Return the most characters of one part of an operation's answer."""
        return max(self.limit, operation.longest or 0)

    def kept(self, operation: Operation, arguments: dict[str, Any]) -> ToolResult | None:
        """Return the whole answer to a call, if it is cached."""
        return self._kept.get(_key(operation, arguments))

    def part(
        self,
        result: ToolResult,
        operation: Operation,
        arguments: dict[str, Any],
        number: int,
        *,
        shared: bool,
    ) -> ToolResult:
        """Return a part of an answer, with the call for the next one; a short answer unchanged.

        Only its text is split; the data, for programs, is whole.

        :param shared: whether the shared tool was called.
        :raises UnreadableCallError: if there are fewer parts.
        """
        every = parts(result.text, self.limit_of(operation))
        if number > len(every):
            raise UnreadableCallError(
                f"the answer has {len(every)} parts", path=f"$.{part_name(operation)}"
            )
        if len(every) == 1:
            return result
        key = _key(operation, arguments)
        self._kept[key] = result
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        shown = every[number - 1]
        begins_line = number == 1 or every[number - 2].endswith("\n")
        where = f"Part {number} of {len(every)}"
        if number < len(every):
            where += f"; the next: {_next(operation, arguments, number + 1, shared=shared)}"
        end = "" if shown.endswith("\n") else "\n"
        return replace(result, text=f"{'' if begins_line else GOES_ON}{shown}{end}\n{where}")


def _next(operation: Operation, arguments: dict[str, Any], number: int, *, shared: bool) -> str:
    """Return the call for a part, or, for long arguments, how to write it."""
    name = part_name(operation)
    call = {**({OP: operation.name} if shared else {}), **arguments, name: number}
    text = json.dumps({CALL: call} if shared else call, ensure_ascii=False)
    return text if len(text) <= LONGEST_CALL else f'the same call with "{name}": {number}'


def _key(operation: Operation, arguments: dict[str, Any]) -> str:
    return f"{operation.name} {json.dumps(arguments, sort_keys=True, default=repr)}"


SHORTEST_LIMIT = 200
"""The smallest allowed limit of an answer, in characters."""

LONGEST_ERROR = 3_000
"""The most characters of an error, whatever was sent: about 750 tokens."""

_log = logging.getLogger("ujsx.tools")

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


class About(DocumentedModel):
    """What to tell of."""

    model_config = ConfigDict(extra="forbid", cache_strings="keys")

    operation: str | None = None
    """The operation to tell of; all of them when it is not given."""


def _as_operation(given: Any) -> Any:
    """Return the operation of a function or a component class; anything else unchanged."""
    if inspect.isfunction(given) or inspect.ismethod(given):
        return Operation.of(given)
    kind: Any = given
    return Operation(tool_name(kind), kind) if is_component_class(kind) else kind


class Toolset(Answering):
    """A set of operations: their definitions for a provider, and the answers to calls.

    If several share a tool, ``help`` is added to describe them, unless there is one of that name.

    :param operations: operations, whose names must differ in more than case and separators; a function becomes its
        operation (:meth:`Operation.of`), a component class the one that renders it. None if :meth:`operation` adds
        them.
    :param name: the name of the shared tool.
    :param description: its purpose, in a sentence or two.
    :param limit: the most characters of an answer, without the line about the next part; a longer one is split at line
        ends, each part with the call for the next.
    :param absent: names of unavailable operations, each with the message for a call of it.
    :param meant: resolves an unknown name: to the only operation that it can mean, which is then called, or to None and
        the end of the refusal.
    :param one_tool: whether they are always exported as one tool, in any layout, and answer to its name only: for names
        such as ``search`` that are unclear by themselves.
    :param transaction: a context manager that rolls back after an error. With one, a call may contain several:
        ``{"calls": [{"op": …}, …]}``, or a list where an operation takes one value. All of them are done, or none.
    :raises DefinitionError: for operations with indistinguishable names, a limit below 200, and with ``one_tool`` for
        an argument called ``op``.

    >>> from pydantic import BaseModel
    >>> class Add(BaseModel, extra="forbid"):
    ...     left: int
    ...     right: int
    >>> sums = Toolset([Operation("add", Add, lambda a: f"{a.left + a.right}")], name="sums")
    >>> sums.call("sums", {"call": {"op": "add", "left": 2, "right": "3"}})
    ToolResult(text='5', is_error=False, data=None, operation='add', repairs=(Repair(kind='number', path='$.call.right'),))
    >>> print(sums.call("sums", {"op": "add", "left": 2, "rihgt": 3}))
    $.rihgt: no such argument; did you mean "right"?
    $.right: required, but not given
    $.right takes {"type":"integer"}
    for example {"call": {"op": "add", "left": 2, "right": 3}}
    """

    @resolving(
        write='write Toolset([Operation.of(function), …], name="tools")',
        operations="tools functions",
    )
    def __init__(
        self,
        operations: Iterable[Operation | Callable[..., object]] | None = None,
        *,
        name: str = "tools",
        description: str = "",
        limit: int = LONGEST_ANSWER,
        absent: Mapping[str, str] = MappingProxyType({}),
        one_tool: bool = False,
        meant: Callable[[str], tuple[str | None, str]] | None = None,
        transaction: Callable[[], AbstractContextManager[object]] | None = None,
    ) -> None:
        if limit < SHORTEST_LIMIT:
            raise DefinitionError(
                f"{name}: an answer has {SHORTEST_LIMIT} characters at least, not {limit}"
            )
        if operations is not None and not isinstance(cast("object", operations), Iterable):
            raise DefinitionError(
                f"{name}: its operations are a list, not {shown(operations)}; write Toolset([…])"
            )
        self.name = name
        self.description = description
        self._answers = LongAnswers(limit)
        self._absent = absent
        self._meant = meant
        self.one_tool = one_tool
        self._transaction = transaction
        self._adding = Lock()
        self._given = [*map(_as_operation, () if operations is None else operations)]
        self._help: list[Operation] = []
        self._made: Catalog | None = None
        self._prefixes: frozenset[str] = frozenset()
        """The prefixes of exported tool names."""
        if operations is not None:
            self._made = self._catalog_of(self._given)

    @property
    def _catalog(self) -> Catalog:
        if self._made is None:
            self._made = self._catalog_of(self._given)
        return self._made

    def _catalog_of(self, operations: Sequence[Operation]) -> Catalog:
        helping = self._helping(operations)
        made = Catalog([*operations, *helping], self.name, self._absent, self._meant)
        for each in made.by_name.values() if self.one_tool else ():
            try:
                check_shared(each)
            except SchemaError as error:
                raise DefinitionError(str(error)) from error
        self._help = helping  # once they are known to be compatible
        return made

    _also: ClassVar[Mapping[str, str]] = {"operation": "tool register"}

    @overload
    def operation(self, function: FunctionT, /) -> FunctionT: ...

    @overload
    def operation(
        self,
        function: None = None,
        /,
        *,
        name: str | None = None,
        help: str | None = None,
        rare: bool = False,
        reads: bool = False,
    ) -> Callable[[FunctionT], FunctionT]: ...

    def operation(
        self,
        function: Callable[..., object] | None = None,
        /,
        *,
        name: str | None = None,
        help: str | None = None,  # noqa: A002 - as the field of an operation is called
        rare: bool = False,
        reads: bool = False,
    ) -> Any:
        """Add a function as an operation; as a decorator, with or without arguments.

        The function is returned unchanged. Its parameters are the operation's arguments; ``ctx`` gets the context of
        the call. See :meth:`Operation.of`.

        >>> from decimal import Decimal
        >>> shop = Toolset(name="shop")
        >>> @shop.operation
        ... def refund(ctx: object, order: str, amount: Decimal) -> str:
        ...     return f"{ctx} refunded {amount} for {order}"
        >>> print(shop.call("refund", {"order": 7, "amount": "2.50"}, context="Kim"))
        Kim refunded 2.50 for 7
        """

        def add(given: FunctionT) -> FunctionT:
            made = Operation.of(given, name=name, help=help, rare=rare, reads=reads)
            with self._adding:
                operations = [*self._given, made]
                self._made = self._catalog_of(operations)
                self._given = operations
            return given

        return add if function is None else add(function)

    def _helping(self, operations: Sequence[object]) -> list[Operation]:
        """Return the operation that describes the others, unless there are none, or it exists already."""
        names = {folded(each.name) for each in operations if isinstance(each, Operation)}
        if len(operations) < 2 or HELP in {*names, folded(self.name)}:
            return []

        def told(asked: About) -> str:
            return self.describe(asked.operation)

        return [Operation(HELP, About, told, "on an operation", reads=True)]

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The operations by name."""
        return self._catalog.by_name

    def definition(
        self,
        dialect: str,
        *,
        layout: str = "grouped",
        rare: bool = False,
        brief: bool = False,
        described: bool | Collection[str] | None = None,
        depth: int = DEPTH,
        description_budget: int | None = None,
        example: bool = False,
    ) -> dict[str, Any]:
        """Return one tool for all operations, in the shape of a provider's API.

        :param layout: "grouped", "signatures", "flat" or "loose"; see :func:`ujsx.schema.router_schema`.
        :param rare: whether the schema includes rare operations.
        :param brief: whether finer constraints are left to validation.
        :param described: whether arguments have descriptions, even if brief, or the names of operations whose arguments
            have them.
        :param depth: how deeply to expand recursive arguments; see :func:`ujsx.schema.to_dialect`.
        :param description_budget: the token budget of all argument descriptions together.
        :param example: whether the tool's description ends with an example call of the first operation with an
            argument; placeholders such as ``<integer>`` replace values that the schema does not name.
        :raises SchemaError: for an unknown dialect or layout, and for "separate".
        """
        if layout == "separate":
            raise SchemaError(f"{self.name}: separate tools are several; ask for definitions()")
        listed = self._listed(rare)
        schema = router_schema(
            listed,
            dialect=dialect,
            layout=layout,
            brief=brief,
            described=described,
            depth=depth,
            description_budget=description_budget,
        )
        text = self.description
        if example:
            text = with_example(text, example_of(listed, layout))
        return define(self.name, text, schema, dialect_of(dialect))

    def definitions(
        self,
        dialect: str,
        *,
        layout: str = "separate",
        rare: bool = True,
        brief: bool = False,
        described: bool | Collection[str] | None = None,
        prefix: str = "",
        depth: int = DEPTH,
        description_budget: int | None = None,
        example: bool = False,
    ) -> list[dict[str, Any]]:
        """Return all tools: one for each operation, or a list of one router.

        A separate tool is called ``notes_add``, as not every provider allows dots.

        :param prefix: a prefix of such tools' names, for operations whose names alone are unclear. This toolset then
            also answers calls by these names.
        :param depth: how deep recursive arguments are written out; see :func:`ujsx.schema.to_dialect`.
        :param description_budget: the token budget of the descriptions of one tool's arguments.
        :param example: whether each description ends with an example call, with placeholders such as ``<integer>`` for
            values that the schema does not name.
        :raises SchemaError: for an unknown dialect or layout, and for schemas that the dialect cannot express; the path
            begins with the operation's name.

        >>> shop = Toolset(name="shop")
        >>> @shop.operation
        ... def order(item: str, count: int) -> str:
        ...     "Order an item."
        ...     return f"{count} {item}"
        >>> print(shop.definitions("mcp", example=True)[0]["description"])
        Order an item.
        For example {"item": "…", "count": "<integer>"}
        """
        if self.one_tool and layout == "separate":
            layout, rare, brief = "grouped", False, True
        if layout != "separate":
            return [
                self.definition(
                    dialect,
                    layout=layout,
                    rare=rare,
                    brief=brief,
                    described=described,
                    depth=depth,
                    description_budget=description_budget,
                    example=example,
                )
            ]
        shape = dialect_of(dialect)
        if prefix:
            with self._adding:
                self._prefixes |= {prefix}
        return [
            define(
                prefix + each.tool_name,
                with_example(
                    each.description or help_text([each]),
                    example_of([each], layout) if example else None,
                ),
                parameters_of(each.arguments, each.name, dialect, description_budget, depth),
                shape,
            )
            for each in self._listed(rare)
            if each not in self._help  # each tool has its own schema
        ]

    def lint(
        self,
        dialect: str,
        *,
        layout: str = "separate",
        rare: bool = True,
        brief: bool = False,
        depth: int = DEPTH,
    ) -> dict[str, list[Loss]]:
        """Return the findings of :func:`ujsx.schema.lint` in the parameters of each tool, by name.

        :param layout: as in :meth:`definitions`; likewise ``rare``, ``brief`` and ``depth``.
        :raises SchemaError: for an unknown dialect or layout.

        >>> shop = Toolset(name="shop")
        >>> @shop.operation
        ... def pack(parts: dict[str, int]) -> str:
        ...     "Pack parts."
        ...     return "Packed."
        >>> [f"{loss.keyword} {loss.outcome}" for loss in shop.lint("gemini")["pack"]]
        ['additionalProperties dropped', 'additionalProperties kept', 'description missing']
        """
        if self.one_tool and layout == "separate":
            layout, rare, brief = "grouped", False, True
        listed = self._listed(rare)
        if layout == "separate":
            return {
                each.tool_name: [
                    loss
                    for loss in lint(each.arguments, dialect, depth=depth)
                    if not (each.help and _is_of(loss, ""))
                ]
                for each in listed
                if each not in self._help
            }
        schema = router_schema(listed, layout=layout, brief=brief)
        found = in_words_of(lint(schema, dialect, depth=depth), listed, schema, layout)
        if brief:  # descriptions of arguments are left to ``help``
            return {self.name: [loss for loss in found if loss.outcome != "missing"]}
        return {self.name: [loss for loss in found if not _is_of(loss, f"/properties/{OP}")]}

    def describe(self, name: str | None = None) -> str:
        """Return the purpose of an operation with its schema; without a name, the purposes of all.

        :raises UnreadableCallError: for an unknown operation.
        """
        if name is None:
            told = help_text([*self.operations.values()])
            return f"{told}\n{SEVERAL}" if self._transaction else told
        operation = self._catalog.meant(name)
        if operation is None:
            raise UnreadableCallError(self._catalog.unknown(name))
        said = operation.description
        told = f"{operation.name}: {said}" if said else help_text([operation])
        return f"{told}\n{schema_text(operation)}"

    def call(self, name: str, arguments: object, *, context: object = None) -> ToolResult:
        """Execute a model's call and return the answer. Invalid input returns an answer and raises no error.

        Common mistakes of models are repaired first, and listed in the result's ``repairs``: any layout whatever the
        schema, JSON as text, also in a code fence, ``null`` for omitted arguments, numbers as text, a single value for
        a list, other spellings of a name. Then the arguments are validated strictly.

        If a handler raises an error of this library, the model gets its message. Any other exception is logged and
        stored in the result's ``exception``, and the model gets only its type, as an exception in the host would end
        the turn.

        :param name: the called tool: the toolset's name, or an operation's.
        :param arguments: the arguments as received: an object, or its JSON text.
        :param context: the value of a function's parameter ``ctx``. An operation that needs a context, and is called
            without, is not executed; the reason is logged.

        A coroutine handler runs on a new event loop. If this thread already runs one, the handler is not called, the
        answer reports that nothing was done, and the reason is logged: use :meth:`acall` there.
        """
        return self._called(name, arguments, context, 0)

    def _called(self, name: str, arguments: object, context: object, level: int) -> ToolResult:
        """Return the answer to a single call, or to one of several."""
        asked = self._asked(name, arguments)
        if isinstance(asked, SeveralError):
            return self._all(name, asked, context, level)
        if isinstance(asked, ToolResult):
            return asked
        call, given = asked
        if context is None and call.operation.needs_context:
            return self._told(call, _not_done(call.operation, CONTEXT_MISSING))
        with _telling(call.operation.name) as told:
            said = call.operation.answer(given, context)
            told.result = _answer(
                call.operation, _waited_for(said, call.operation) if isawaitable(said) else said
            )
        return self._told(call, told.result)

    async def acall(self, name: str, arguments: object, *, context: object = None) -> ToolResult:
        """Execute a call like :meth:`call`, without blocking the event loop.

        A coroutine handler is awaited here; any other one runs in a thread.

        >>> import asyncio
        >>> shop = Toolset(name="shop")
        >>> @shop.operation
        ... async def refund(order: str) -> str:
        ...     await asyncio.sleep(0)
        ...     return f"Refunded {order}."
        >>> print(asyncio.run(shop.acall("refund", {"order": "A-7"})))
        Refunded A-7.
        """
        import asyncio

        asked = self._asked(name, arguments)
        if isinstance(asked, SeveralError):
            return await asyncio.to_thread(self._all, name, asked, context, 0)
        if isinstance(asked, ToolResult):
            return asked
        call, given = asked
        operation = call.operation
        if context is None and operation.needs_context:
            return self._told(call, _not_done(operation, CONTEXT_MISSING))
        with _telling(operation.name) as told:
            if operation.is_async or operation.handler is None:
                said = operation.answer(given, context)
            else:
                said = await asyncio.to_thread(operation.answer, given, context)
            told.result = _answer(operation, await said if isawaitable(said) else said)
        return self._told(call, told.result)

    def _all(self, name: str, several: SeveralError, context: object, level: int) -> ToolResult:
        """Execute several calls, or none of them."""
        count = len(several.parts)
        if self._transaction is None or level > LEVELS:
            return _failed("not understood", str(several))
        if count > MOST:
            text = f"{count:,} calls at once, and {MOST} are the most; send them in several"
            return _failed("not understood", text)
        done: list[ToolResult] = []
        with _telling(name) as told:
            try:
                with self._transaction():
                    for number, part in enumerate(several.parts, start=1):
                        result = self._called(name, part, context, level + 1)
                        done.append(unless_refused(result, number, count))
                told.result = in_one(done)
            except CallRefusedError as refused:
                if refused.number > 1:
                    with suppress(TakenBackError), self._transaction():
                        part = several.parts[refused.number - 1]
                        refused.told_anew(self._called(name, part, context, level + 1))
                        raise TakenBackError from None
                told.result = refused.result
        return told.result

    def _asked(
        self, name: str, arguments: object
    ) -> tuple[_Call, BaseModel] | ToolResult | SeveralError:
        """Return the call or calls to execute, or the answer if there is none."""
        repairs: list[Repair] = []
        try:
            shared = self._catalog.is_tool(name)
            alone = None if shared else self._catalog.find(name)
            if alone is not None and alone.is_value:
                arguments = with_root(alone, arguments)
            given = opened(arguments, repairs, self._catalog if shared else None)
            route = self._route(name, given, repairs)
        except SeveralError as several:
            return several
        except UjsxError as error:
            return _failed("not understood", str(error), repairs=repairs)
        operation = route.operation
        meant = route.arguments
        try:
            given, number = meant, None
            if PART in " ".join(given):  # its name ends with this in any operation
                given, number = part_in(given, operation)
            call = _Call(operation, given, number, shared, repairs)
            kept = None if number is None else self._answers.kept(operation, given)
            if kept is not None:
                return self._told(call, kept)
            if (number or 1) > 1 and not operation.repeatable:
                asks = part_name(operation)
                raise UnreadableCallError(
                    f'that answer is not kept any more; {operation.name} without "{asks}" does it again',
                    path=f"$.{asks}",
                )
            given = with_lists(operation, given)
            if operation.respelt is not None:
                names = operation.respelt(given)
                if names and self._transaction is not None:  # a list under its plural, as text, too
                    parts = spread(operation, given, route.at)
                    if parts is not None:
                        return parts
                repairs += (
                    Repair(_kind_of(given[each], value), place((*route.at, each)))
                    for each, (_, value) in names.items()
                )
                given = as_meant(given, names)
            meant = given
            return call, fitted(operation.arguments, meant, route.at, repairs)
        except UjsxError as error:
            advice = nearest_call(operation, {}, shared=shared)
            result = _failed("bad arguments", str(error), schema_of=operation, advice=advice)
        except ValidationError as error:
            parts = None if self._transaction is None else spread(operation, meant, route.at)
            if parts is not None:
                return parts
            text, problems, more = explained(operation, error, route.at)
            left = attempted(operation.arguments, meant, route.at, [])[1]
            advice = nearest_call(operation, left, shared=shared)

            result = _failed(
                "bad arguments", text, problems, more=more, schema_of=operation, advice=advice
            )
        return replace(result, operation=operation.name, repairs=tuple(repairs))

    def _told(self, call: _Call, result: ToolResult) -> ToolResult:
        """Return the answer, or its requested part, with the repairs."""
        number = call.part
        if not result.is_error and (number is not None or len(result.text) > self._answers.limit):
            try:
                result = self._answers.part(
                    result, call.operation, call.given, number or 1, shared=call.shared
                )
            except UnreadableCallError as error:
                advice = nearest_call(call.operation, call.given, shared=call.shared)
                result = _failed(
                    "bad arguments", str(error), schema_of=call.operation, advice=advice
                )
        return replace(result, operation=call.operation.name, repairs=tuple(call.repairs))

    def has(self, name: object) -> bool:
        """Tell whether ``name`` is an operation, or the shared tool."""
        is_tool = self._catalog.is_tool(name)
        return is_tool or (not self.one_tool and self._operation(name) is not None)

    def _operation(self, name: object) -> Operation | None:
        """Return the operation of a name, with or without an exported prefix."""
        found = self._catalog.find(name)
        if found is None and isinstance(name, str):
            for each in self._prefixes:
                if name.startswith(each):
                    found = found or self._catalog.find(name[len(each) :])
        return found

    def _listed(self, rare: bool) -> list[Operation]:
        return [each for each in self.operations.values() if rare or not each.rare]

    def _route(self, name: object, data: dict[str, Any], repairs: list[Repair]) -> Route:
        if self._catalog.is_tool(name):
            return routed(data, self._catalog, repairs)
        operation = self._catalog.taking(name, data) or self._operation(name)
        if operation is None:
            operation = self._catalog.meant(name) or self._catalog.shorthand(name, data)
            if operation is None and is_half(str(name), data, self._catalog):
                if self._catalog.find(data.get(OP)) is None:
                    return routed({TOOL: name, **data}, self._catalog, repairs)
                repairs.append(Repair("name", "$"))  # the operation's name is whole
                return routed(data, self._catalog, repairs)
            if operation is None:
                raise UnreadableCallError(self._catalog.unknown_tool(name))
            repairs.append(Repair("name", "$"))
        return routed(data, self._catalog, repairs, operation)


def _is_of(loss: Loss, end: str) -> bool:
    """Tell whether a missing description is covered by the operation's help: the tool's, or the name's."""
    at_end = loss.pointer.endswith(end) if end else not loss.pointer
    return loss.outcome == "missing" and at_end


@dataclass(frozen=True, slots=True)
class _Call:
    """A call with its operation."""

    operation: Operation
    given: dict[str, Any]
    """The received arguments, without the part number."""
    part: int | None
    shared: bool
    repairs: list[Repair]


class _Telling:
    """The result of a handler's work."""

    result: ToolResult


@contextmanager
def _telling(name: str) -> Generator[_Telling]:
    """Turn a handler's exception into an answer."""
    told = _Telling()
    try:
        yield told
    except UjsxError as error:
        told.result = replace(_failed("refused", one_line(visible(str(error)))), exception=error)
    except Exception as error:  # noqa: BLE001 - a handler may do anything; see Toolset.call
        _log.exception("%s failed", name)
        text = (
            f"{name} broke inside the tool ({type(error).__name__}); it may have been done in part"
        )
        told.result = replace(_failed("broken", text), exception=error)


def _answer(operation: Operation, value: object) -> ToolResult:
    """Return a handler's answer, its data validated against the declared type."""
    if operation.returns is None:
        return answered(value)
    if isinstance(value, ToolResult):
        if value.is_error:
            return value
        return replace(value, data=data_of(operation.returns, value.data))
    data = data_of(operation.returns, value)
    is_read = value is None or isinstance(value, str)
    return replace(answered(value if is_read else data), data=data)


def _waited_for(said: Awaitable[object], operation: Operation) -> object:
    """Return the result of an asynchronous handler, run to completion in this thread."""
    import asyncio

    async def wait() -> object:
        return await said

    try:
        asyncio.get_running_loop()
    except RuntimeError:  # none runs in this thread
        return asyncio.run(wait())
    if not inspect.iscoroutine(said):
        raise RuntimeError(AWAITED % operation.name)
    said.close()  # it has not begun
    return _not_done(operation, AWAITED)


def _kind_of(given: object, value: object) -> RepairKind:
    """Return the kind of a mistake in an argument: its name, or a text for a value."""
    kinds: Mapping[type, RepairKind] = {int: "number", float: "number", list: "list"}
    return kinds.get(type(value), "name") if isinstance(given, str) else "name"


def _not_done(operation: Operation, why: str) -> ToolResult:
    """Return the answer to a host's faulty call, which the model cannot fix; the log tells the host."""
    _log.error(why, operation.name)
    return _failed("broken", f"{operation.name} cannot be done here now; nothing was done")


AWAITED = "%s is asynchronous, and an event loop runs here: await toolset.acall(…)"
"""The log message about a synchronous call of an asynchronous handler inside an event loop."""

CONTEXT_MISSING = "%s needs the context of the call: toolset.call(…, context=…); one that does without says so, as in ctx: Session | None"
"""The log message about a missing context."""


def _failed(
    kind: ErrorKind,
    text: str,
    problems: list[dict[str, Any]] | None = None,
    *,
    more: int = 0,
    schema_of: Operation | None = None,
    advice: str | None = None,
    repairs: Iterable[Repair] = (),
) -> ToolResult:
    text = cut(text, LONGEST_ERROR)
    data: dict[str, Any] = {"error": kind, "problems": problems or [{"problem": text}]}
    if more:
        data["more"] = more
    if schema_of is not None:
        text = f"{text}\n{takes(schema_of, problems or [])}"
        if advice is not None:
            text += f"\nfor example {advice}"
    return ToolResult(cut(text, LONGEST_ERROR), is_error=True, data=data, repairs=tuple(repairs))
