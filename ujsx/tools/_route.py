"""The routing of a model's call to an operation and its arguments."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import CodeType, MappingProxyType
from typing import Any, TypeAlias, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError

from ujsx.calls import as_meant
from ujsx.components._component import Component
from ujsx.components._definition import first_text
from ujsx.errors import (
    LONGEST_NAME,
    DefinitionError,
    UjsxError,
    did_you_mean,
    listed,
    nearest,
    quoted,
    shown,
)
from ujsx.schema._definition import tool_name
from ujsx.schema._router import ARGS, CALL, OP, TOOL
from ujsx.tools._fit import is_value
from ujsx.tools._json import (
    CALL_IDS,
    ENVELOPE_FIELDS,
    ENVELOPES,
    NAMES,
    NESTED,
    PLURALS,
    UnreadableCallError,
    as_list,
    as_object,
    in_json,
    is_item,
    list_in,
    place,
    read,
    same,
    told,
)
from ujsx.tools._names import fields_at, folded, names, names_by_field
from ujsx.tools._operation import Operation
from ujsx.tools._result import Repair, RepairKind, ToolResult

# The operations of a toolset, under all spellings of their names.

HELP = "help"
"""The operation that an answer to a call without a name suggests, if a toolset has it."""

LONGEST = 200
"""The most characters of a name that are compared; own names are much shorter."""

_NAMESPACE = re.compile(r"(?:functions?|tools?|default_api)[.:/]+")
"""Prefixes of tool names that OpenAI's models and Gemini write."""

_NUMBERED = re.compile(r":\d+\Z", re.ASCII)
"""The suffix that Kimi's models write: the number of the call."""

_LEAKED = re.compile(r"(?:<\|\w+\|>(?:analysis|commentary|final|json)?|</\w+>)+\Z")
"""Suffixes that servers of open models leave: tokens that end a name, with its channel."""

_SERVER = re.compile(r"mcp__(.+)__([^_].*)", re.DOTALL)
"""The clients' form of an MCP server's tool names."""

_FLAT_SERVER = re.compile(r"(?:mcp_)+(?!_)(.+)", re.DOTALL)
"""The same with a single underscore, which leaves the end of the server's name open."""

_ID = re.compile(r"[a-z]+-[0-9]+(?:\.[0-9]+)?", re.ASCII)
"""An id from a store, which alone identifies an item's section."""

_ID_FIRST = re.compile(rf"({_ID.pattern})\.", re.ASCII)
"""An id in place of its section: ``n-2.remove``."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


NO_DATA: Mapping[str, Any] = MappingProxyType({})


class Catalog:
    """Operations by name, ignoring case, separators and the tool's name as a prefix.

    :param absent: names of operations that similar toolsets have, each with the reason for its absence.
    :param meant: what other names mean; see :class:`ujsx.tools.Toolset`.
    :raises DefinitionError: for operations with indistinguishable names, and for none at all.

    >>> from ujsx.elements import Link
    >>> catalog = Catalog([Operation("notes.add", Link)], tool="hud")
    >>> [catalog.find(name).name for name in ("notes.add", "notesAdd", "hud notes.add")]
    ['notes.add', 'notes.add', 'notes.add']
    """

    def __init__(
        self,
        operations: Iterable[Operation],
        tool: str,
        absent: Mapping[str, str] = MappingProxyType({}),
        meant: Callable[[str], tuple[str | None, str]] | None = None,
    ) -> None:
        self.tool = tool
        self._meant = meant
        self.has_words = meant is not None
        self._absent = {folded(name): why for name, why in absent.items()}
        forms: dict[str, Operation | None] = {folded(tool): None}
        by_name: dict[str, Operation] = {}
        for each in operations:
            _check(each)
            form = folded(each.name)
            if form in forms:
                raise _clash(each, forms[form], tool)
            by_name[each.name] = forms[form] = each
        if not by_name:
            raise DefinitionError(f"the toolset {tool} has no operations")
        prefixed = {folded(tool) + form: each for form, each in forms.items() if each is not None}
        self._tool_forms = {folded(tool), folded(tool) * 2}
        self.by_name: Mapping[str, Operation] = MappingProxyType(by_name)
        self.subjects = frozenset(each.partition(".")[0] for each in by_name if "." in each)
        self.operations = {each: by_name[each] for each in by_name if each not in self.subjects}
        """Those whose name no subject has."""
        self._forms = {**prefixed, **forms}

    def find(self, name: object) -> Operation | None:
        """Return the operation that ``name`` spells, or ``None``."""
        if isinstance(name, str) and name in self.by_name:
            return self.by_name[name]
        found = (self._forms.get(folded(each)) for each in self._ways(name))
        return next(filter(None, found), None)

    def meant(self, name: object) -> Operation | None:
        """Return the operation that ``name`` spells, or is a synonym of; ``None`` if ambiguous.

        :raises UnreadableCallError: if that operation would remove something that another candidate would not.
        """
        found = self.find(name)
        if found is None and self._meant is not None:
            other, hint = self._other(name)
            found = self.by_name.get(other or "")
            if found is not None and hint:
                raise UnreadableCallError(self.unknown(str(name)))
        return found

    def adding(self, name: object) -> Operation | None:
        """Return the operation that adds or sets the subject of a name."""
        return self.find(f"{name}.add") or self.by_name.get(self._other(f"{name}.add")[0] or "")

    def taking(self, name: object, given: Mapping[str, Any]) -> Operation | None:
        """Return the operation that ``name`` spells; or a synonym's, if that one alone accepts the arguments:
        ``TaskUpdate`` with a list of todos is not ``task.update``, nor ``history`` with a text, where that is a subject,
        the operation of this name.
        """
        found = self.find(name)
        if found is not None and found.name == name:
            is_subject = name in self.subjects and not self.fits(found, given)
            return (self.shorthand(name, given) if is_subject else None) or found
        if found is None or self._meant is None or self.fits(found, given):
            return found
        other = self.by_name.get(self._other(name)[0] or "")
        return other if other is not None and self.fits(other, given) else found

    def shorthand(self, name: object, given: Mapping[str, Any]) -> Operation | None:
        """Return the operation that adds what a name alone tells: ``{"note": "Port 8080"}``, ``{"op": "note", …}``.

        It is meant where it takes all that is given.
        """
        if not self._meant or not given:
            return None
        has_verb = "." in self.without_tool(str(name))
        found = None if has_verb else self.adding(name)
        if found is not None and self.fits(found, given):
            return found
        for key in STATUSES:  # {"op": "file", "path": "a.py", "status": "editing"}
            told = self.meant(f"{name}.{given[key]}") if isinstance(given.get(key), str) else None
            rest = {each: value for each, value in given.items() if each != key}
            if told is not None and self.fits(told, rest):
                return told
        return None

    def without_tool(self, name: str) -> str:
        """Return a name without the tool's name as a prefix: "clear" of "hud_clear"."""
        return re.sub(rf"(?i)^{re.escape(self.tool)}[\W_]+", "", name)

    @staticmethod
    def fits(operation: Operation, given: Mapping[str, Any]) -> bool:
        """Tell whether an operation accepts all arguments, under any of their names."""
        respelt = operation.respelt(given) if operation.respelt is not None else ()
        return given.keys() <= {*names(operation.arguments), *respelt}

    def by_arguments(self, name: str, given: Mapping[str, Any]) -> Operation | None:
        """Return the one operation, of the section of a name if it has one, that takes all arguments and needs no other.

        An id alone implies none.
        """
        if self._meant is None or not given.keys() - {"id"}:
            return None
        section = folded(name.rpartition(".")[0])
        found = [
            each
            for each in self.by_name.values()
            if section in {"", folded(each.name.rpartition(".")[0])}
            and not each.reads
            and _needed(each) <= given.keys() <= names(each.arguments)
        ]
        return found[0] if len(found) == 1 else None

    def better(self, operation: Operation, name: str, given: Mapping[str, Any]) -> Operation:
        """Return the operation of a synonym, or the one that its arguments imply if they lack what it needs."""
        lacks = (
            operation.respelt
            and _needed(operation) - as_meant(given, operation.respelt(given)).keys()
        )
        return (self.by_arguments(name, given) if lacks else None) or operation

    def takes(self, name: str) -> bool:
        """Tell whether a name that may be an envelope's is a subject of operations: a section's."""
        return self.adding(name) is not None

    def _other(self, name: object) -> tuple[str | None, str]:
        """Return the meaning of a synonym, and a hint if it is ambiguous."""
        told = [self._meant(each) for each in self._ways(name)] if self._meant else []
        sure = [each for each in told if each[0] is not None]
        return next(iter([*sure, *reversed(told)]), (None, ""))

    def hint(self, name: str) -> str:
        """Return the operations that an unknown name may mean."""
        meant, hint = self._other(name)
        return hint if meant is None else f"did you mean {quoted(meant)}?"

    def of_item(self, name: str, given: Mapping[str, Any]) -> tuple[str, str]:
        """Return the argument that has the id of an item for which another operation does what ``name`` says, and the hint.

        Both are empty where there is none.
        """
        for key, value in given.items() if self._meant else ():
            if folded(key).endswith("id") and isinstance(value, str) and _ID.fullmatch(value):
                meant, hint = self._other(f"{value}.{name.rpartition('.')[2]}")
                if meant is not None and self.find(name) is not self.by_name.get(meant):
                    return key, f"did you mean {quoted(meant)}?"
                if meant is None and hint and quoted(name) not in hint:
                    return key, hint
        return "", ""

    def is_tool(self, name: object) -> bool:
        """Tell whether ``name`` spells the name of the shared tool.

        >>> from ujsx.elements import Link
        >>> catalog = Catalog([Operation("notes.add", Link)], tool="hud")
        >>> [catalog.is_tool(name) for name in ("HUD", "functions.hud", "mcp__x__hud", "hood")]
        [True, True, True, False]
        """
        return name == self.tool or any(
            folded(each) in self._tool_forms for each in self._ways(name)
        )

    def _ways(self, name: object) -> Iterator[str]:
        """Yield the original name, then without prefixes and suffixes of hosts and models."""
        if not isinstance(name, str):
            return
        yield name
        bare = _NAMESPACE.sub("", _NUMBERED.sub("", _LEAKED.sub("", name[:LONGEST].strip())))
        server, flat = _SERVER.fullmatch(bare), _FLAT_SERVER.fullmatch(bare)
        if server is None and flat is None:
            yield bare
        elif server is None:
            if flat is not None and folded(flat[1]).startswith(folded(self.tool)):
                yield flat[1]
        elif folded(server[2]) in self._tool_forms or folded(server[1]) == folded(self.tool):
            yield server[2]  # an operation of that name may be another server's

    def unknown(self, name: str, given: Mapping[str, Any] = NO_DATA) -> str:
        """Return the message about an unknown operation.

        :param given: the arguments sent with it.
        """
        other, hint = self._other(name)
        hint = self.of_item(name, given)[1] or hint
        for each in (*self._ways(name), other or ""):
            if why := self._absent.get(folded(each).removeprefix(folded(self.tool))):
                return why
        told = self.by_arguments(name, given)
        if told is not None and quoted(told.name) not in hint:
            return f"there is no operation {_quoted(name)}; did you mean {quoted(told.name)}?"
        alike = [] if nearest(name, self.by_name) else self._alike(name[:LONGEST_NAME])
        either = " or ".join(map(quoted, alike))
        if not hint:
            hint = f"did you mean {either}?" if either else did_you_mean(name, self.by_name)
        return f"there is no operation {_quoted(name)}; {hint}"

    def missing(self) -> str:
        """Return the message about a call without an operation, with an example call."""
        first = HELP if HELP in self.by_name else next(iter(self.by_name))
        call = json.dumps({CALL: {OP: first}})
        known = listed(sorted(self.by_name))
        return f'"{OP}" is missing: it names the operation, as in {call}; known: {known}'

    def _alike(self, name: str) -> list[str]:
        """Return the operations whose names contain all words of ``name``, in the toolset's order."""
        words = _words(name)
        return [each for each in self.by_name if words and words <= _words(each)]

    def unknown_tool(self, name: object) -> str:
        """Return the message about a tool that is neither the shared one nor an operation."""
        if isinstance(name, str) and folded(name).removeprefix(folded(self.tool)) in self._absent:
            return self.unknown(name)
        hint = self._other(name)[1] or did_you_mean(str(name), (self.tool, *self.by_name))
        return f"there is no tool {_quoted(name)}; {hint}"


def _clash(operation: Operation, other: Operation | None, tool: str) -> DefinitionError:
    """Return the message about an operation with the name of another one, or of the shared tool."""
    if other is None:
        return DefinitionError(
            f'"{operation.name}" and "{tool}" cannot be told apart in a call: one is {_place(operation)}, the other the'
            " toolset; give one of them another name"
        )
    places = _place(other), _place(operation)
    made = "both are" if places[0] == places[1] else "they are"
    said = " and ".join(dict.fromkeys(places))
    return DefinitionError(
        f'"{operation.name}" and "{other.name}" cannot be told apart in a call: {made} {said}; give one of them another'
        " name, or leave one out"
    )


def _place(operation: Operation) -> str:
    """Return an operation's handler, and its source place."""
    handler: Any = operation.handler
    done_by = inspect.unwrap(getattr(handler, "function", handler)) if callable(handler) else None
    code = getattr(done_by, "__code__", None)
    if isinstance(code, CodeType):
        return f"{code.co_qualname}, {code.co_filename}:{code.co_firstlineno}"
    cls = operation.component or operation.arguments
    return f"{cls.__module__}.{cls.__qualname__}" if done_by is None else shown(done_by)


def _check(operation: object) -> None:
    if isinstance(operation, Operation):
        return
    write = 'Operation("name", a component), or Operation.of(a function)'
    given: Any = operation
    if inspect.isclass(operation):
        handler = "" if issubclass(operation, Component) else ", what answers"
        write = f'Operation("{tool_name(given)}", {given.__name__}{handler})'
    elif callable(given):
        write = "Operation.of(a function)"
    elif isinstance(getattr(given, "operations", None), Mapping):  # another toolset
        write = "its operations, [*toolset.operations.values()], without its help"
    raise DefinitionError(f"a toolset is made of operations, not of {shown(given)}; write {write}")


def _words(name: str) -> set[str]:
    """Return the words of a name in the singular: "notes" and "note" are the same word."""
    return {word.casefold().removesuffix("s") for word in _WORD.findall(name)}


def _quoted(name: object) -> str:
    """Return the name on one line, cut, in quotes for a message."""
    return quoted(repr(name)[1:-1] if isinstance(name, str) else repr(name))


# The members of calls that may have the name of an operation, or a part of it, beside those in ``_json``.

ALSO_NAMES = (
    "command", "cmd", "verb", "operation_name", "operationName", "method", "event", "event_type", "eventType", "type",
)  # fmt: skip
"""Members that contain it if their value names an operation, and otherwise mean something else."""

SUBJECTS = (
    "section", "target", "resource", "entity", "object", "collection", "list", "category", "kind",
    "item_type", "itemType", "key", "field", "type",
)  # fmt: skip
"""Members that may contain one half of the name, and another member the rest: ``{"section": "notes", "action":
"add"}``.
"""

OF_ITEMS = frozenset({"type", "kind", "category", "object", "key", "field"})
"""Those of them that may also describe an item, if the name is complete without them."""

STATUSES = ("status", "state")
"""Members that may contain the action on a thing: ``{"op": "files.add", "path": "a.py", "status": "modified"}``."""

OF_OTHER_TOOLS = {"todos": "TodoWrite", "plan": "update_plan", "file_text": "memory"}
"""Tools of other systems by a typical member: a list of todos with statuses, or a text beside a command."""

ENVELOPE_TYPES = frozenset(
    {"function", "function_call", "tool", "tool_call", "tool-call", "tool_use", "tools/call"}
)
"""The values of ``type``, or ``method``, of an object that is a provider's envelope."""

VERBS = frozenset({"action", "operation", "command", "cmd", "verb", "method"})
"""Members that may contain the verb if another one contains the section: ``{"op": "notes", "action": "add"}``."""

IN_USUAL_CASE = {each.casefold(): each for each in (*NAMES, *NESTED, *ENVELOPES)}
"""Those members in their usual spelling, by their case-folded name."""


# Arguments in two places of a call: inside an object of arguments, and beside it.

Data: TypeAlias = dict[str, Any]

At: TypeAlias = tuple[str, ...]
"""A place in a call."""

Disputed: TypeAlias = dict[str, UnreadableCallError]
"""The errors for arguments that are null in only one of the places, by name. Whether null is a value is known only with
the operation.
"""


@dataclass(frozen=True, slots=True)
class Routing:
    """The routing of one call: its catalog, and what is found out on the way."""

    catalog: Catalog
    repairs: list[Repair]
    disputed: Disputed = field(default_factory=dict[str, UnreadableCallError])

    def repaired(self, kind: RepairKind, *at: str) -> None:
        """Record a repair at a place."""
        self.repairs.append(Repair(kind, place(at)))

    def joined(self, beside: Data, inner: Data, at: At) -> Data:
        """Merge the arguments beside an object and inside it.

        Null is replaced by another value of its name, which is recorded in ``disputed``.

        :raises UnreadableCallError: for different values in both places.
        """
        both = {**beside}
        for name, value in inner.items():
            outer = both.get(name)
            if name in both and not same(outer, value):
                twice = f"as {told(value)} and outside as {told(outer)}; send it once"
                error = UnreadableCallError(
                    f"{shown(name)} is given twice, {twice}", path=place(at)
                )
                if value is not None and outer is not None:
                    raise error
                self.disputed.setdefault(name, error)
            if value is not None or name not in both:
                both[name] = value
        return both

    def check_disputed(self, model: type[BaseModel]) -> None:
        """Refuse null beside another value if null is a value too.

        :raises UnreadableCallError: for the first such argument.
        """
        for name, error in self.disputed.items():
            if is_value(model, name):
                raise error


# Several calls in one: a list of calls, or a list where an operation takes one value.
#
# In: a model's call. Out: its single calls in order; :class:`ujsx.tools.Toolset` does all of them or none.

MOST = 100
"""The most calls in one: they block other writers until the last is done."""

SEVERAL = (
    'several at once, all or none: {"calls": [{"op": …}, …]}, or a list of texts or objects for "items" where an operation'
    " takes one item"
)
"""The help text about several calls."""

LEVELS = 1
"""The maximum nesting of several calls: a list of calls, each with a list of items."""

ITEMS = ("items", "list", "values", "entries")
"""Generic names of a list of items."""


class SeveralError(UnreadableCallError):
    """Several calls where a toolset does one at a time."""

    def __init__(self, parts: Sequence[Any], *, path: str | None = None) -> None:
        super().__init__(
            f"one operation in a call, not a list of {len(parts)}; send the first, then call again for the next",
            path=path,
        )
        self.parts = parts

    def of(self, operation: Operation, beside: dict[str, Any]) -> SeveralError:
        """Return the calls of one operation with these arguments.

        :param beside: the arguments shared by all of them.
        """
        parts = [{OP: operation.name, **beside, ARGS: each} for each in self.parts]
        return SeveralError(parts, path=self.path)


def spread(operation: Operation, data: dict[str, Any], at: At) -> SeveralError | None:
    """Return the calls for arguments with a list in place of one value; None if there is none, or several.

    A list has the name of the argument whose values it contains, or of the operation's subject: ``{"op": "steps.add",
    "steps": ["Write tests", "Run them"]}``.

    >>> from pydantic import BaseModel, ValidationError
    >>> class Step(BaseModel):
    ...     description: str
    >>> add = Operation("steps.add", Step, lambda step: None, per_item=True)
    >>> spread(add, {"steps": ["a", {"description": "b"}]}, ()).parts
    [{'op': 'steps.add', 'description': 'a'}, {'op': 'steps.add', 'description': 'b'}]
    """
    if not operation.per_item:
        return None
    found = [name for name in data if _items(operation, name, data[name]) is not None]
    if len(found) != 1:
        return None
    [name] = found
    rest = {each: value for each, value in data.items() if each != name}
    made = [
        *_each(_items(operation, name, data[name]) or (), first_text(operation.arguments), rest)
    ]
    parts = [{OP: operation.name, **each} for each in made if each is not None]
    return SeveralError(parts, path=place((*at, name))) if len(parts) == len(made) else None


def with_lists(operation: Operation, data: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with JSON texts of lists parsed, except for arguments that may be texts."""
    found = {
        name: items
        for name, value in data.items()
        if isinstance(value, str) and value.lstrip()[:1] == "[" and (items := list_in(value))
    }
    if not found or not (operation.per_item or operation.respelt):
        return data
    fields = operation.arguments.model_fields
    for own, known in names_by_field(operation.arguments).items():
        if get_origin(fields[own].annotation) not in {list, tuple}:
            found = {name: items for name, items in found.items() if name not in known}
    return {**data, **found}


def _each(
    items: Sequence[Any], field: str | None, rest: dict[str, Any]
) -> Iterator[dict[str, Any] | None]:
    """Return the arguments of each call; None for one with a duplicate value, or no field for its value."""
    for item in items:
        given = as_object(item)
        if given is None and field is not None and not isinstance(item, list) and item is not None:
            given = {field: item}
        if given is None or any(
            name in rest and not same(rest[name], given[name]) for name in given
        ):
            yield None
        else:
            yield {**rest, **given}


def _items(operation: Operation, name: str, value: object) -> list[Any] | None:
    """Return the items of a list for the operation's first text, or of one with a generic name."""
    if name in fields_at(operation.arguments, ()):
        is_free = name == first_text(operation.arguments)
    else:
        try:
            other = operation.respelt({name: value}).get(name) if operation.respelt else None
        except UjsxError:  # the answer to the whole call reports it
            return None
        text = first_text(operation.arguments)
        is_free = folded(name) in _names(operation) or (other is not None and other[0] == text)
    return (as_list(value) or None) if is_free else None


def _names(operation: Operation) -> set[str]:
    """Return the possible names for a list of an operation's items: its section's, and the plural of its first text."""
    about, text = operation.name.rpartition(".")[0], first_text(operation.arguments)
    words = [*ITEMS, about, about.removesuffix("s"), *([f"{text}s"] if text else [])]
    return {folded(each) for each in words if each}


class CallRefusedError(Exception):
    """The refusal of one of several calls, so that none is done."""

    def __init__(self, number: int, count: int, result: ToolResult) -> None:
        super().__init__(number, count)
        self.number, self._count, self._said = number, count, result

    def told_anew(self, now: ToolResult) -> None:
        """Replace the answer by that after the rollback of the calls before it; if it differs, mention them.

        :param now: the answer to the call by itself.
        """
        if now.is_error and _first(now.text) == _first(self._said.text):
            self._said = now
        else:
            before = (
                "call 1, which is" if self.number == 2 else f"calls 1–{self.number - 1}, which are"
            )
            self._said = replace(self._said, text=f"(After {before} undone:) {self._said.text}")

    @property
    def result(self) -> ToolResult:
        """The answer."""
        text = (
            f"Nothing was done: call {self.number} of {self._count} is refused. {self._said.text}"
        )
        return replace(self._said, text=text, data={**self._said.data, "call": self.number})


class TakenBackError(Exception):
    """Raised to roll back the transaction of a trial."""


def _first(text: str) -> str:
    """Return the part of a refusal before the known names."""
    return text.partition(";")[0]


def unless_refused(result: ToolResult, number: int, count: int) -> ToolResult:
    """Return the answer to one of several calls.

    :raises CallRefusedError: for an error.
    """
    if result.is_error:
        raise CallRefusedError(number, count, result)
    return result


def in_one(results: Sequence[ToolResult]) -> ToolResult:
    """Return one answer for several calls: the texts joined by lines, and the data of each by its operation."""
    return ToolResult(
        "\n".join(each.text for each in results),
        data=[{"op": each.operation, "data": each.data} for each in results],
        repairs=tuple(repair for each in results for repair in each.repairs),
    )


MOST_ENVELOPES = 5
"""The maximum nesting of envelopes."""


@dataclass(frozen=True, slots=True)
class Route:
    """An operation and its arguments."""

    operation: Operation
    arguments: Data
    at: At
    """The place of the arguments in the call."""


def opened(arguments: object, repairs: list[Repair], catalog: Catalog | None = None) -> Data:
    """Return the arguments as an object, whether sent as one, as JSON text, or not at all.

    :param catalog: the operations among which a bare text may name one that reads; None if the operation is known.
    :raises SeveralError: for a list of them.
    :raises UnreadableCallError: for anything else.
    """
    if isinstance(arguments, str | bytes | bytearray):
        arguments = _from_text(arguments, repairs, catalog)
    if arguments is None:
        return {}
    arguments = _one(arguments, (), repairs)
    if isinstance(arguments, Mapping):
        items = cast("Any", arguments).items()
        return {str(name): value for name, value in items}
    raise UnreadableCallError(
        f"the arguments are an object, not {shown(cast('Any', arguments))}", path="$"
    )


def with_root(operation: Operation, arguments: object) -> object:
    """Wrap the arguments of an operation on one value in ``root``, if they are the value itself.

    >>> from pydantic import RootModel
    >>> class Tags(RootModel[list[str]]):
    ...     '''Tags of a page.'''
    >>> with_root(Operation("tags", Tags, str), ["new"]), with_root(Operation("tags", Tags, str), {"root": ["new"]})
    ({'root': ['new']}, {'root': ['new']})
    """
    value: Any = arguments
    if isinstance(arguments, str | bytes):
        with suppress(ValueError):
            value = json.loads(arguments)
    wrapped: dict[str, Any] = {"root": value}
    is_rooted = value.__class__ is dict and value.keys() == wrapped.keys()
    forms: list[Any] = [value, wrapped] if is_rooted else [wrapped]
    for form in forms:
        with suppress(ValidationError):
            operation.arguments.model_validate(form)
            return form
    return arguments


def routed(
    arguments: Data, catalog: Catalog, repairs: list[Repair], called: Operation | None = None
) -> Route:
    """Return the intended operation and its arguments, from any envelope.

    :param called: the operation whose separate tool was called; ``None`` for the shared tool.
    :raises UnreadableCallError: if the arguments name no operation, or several.
    """
    data, at = arguments, tuple[str, ...]()
    routing = Routing(catalog, repairs)
    own = frozenset[str]() if called is None else names(called.arguments)
    for _ in range(MOST_ENVELOPES):
        data = _without_type(data, own)
        if OP not in own and isinstance(data.get(OP), list):
            data = _with_one_name(data, at, routing)
        key = _name_in(data, own, catalog, called)
        if key is None and not data.keys() <= _USUAL:
            data = _in_usual_case(data, own)
            key = _name_in(data, own, catalog, called)
        is_bare = key is None and called is None and not data.keys().isdisjoint(OF_OTHER_TOOLS)
        if is_bare and (tool := _other_tool(data, catalog)):
            data, key = {TOOL: tool, **data}, TOOL
        if key is not None:
            name = data[key]
            rest = {each: value for each, value in data.items() if each != key}
            operation = catalog.operations.get(name) or catalog.taking(name, _within(rest))
            is_split = operation is None or not _HALVES.isdisjoint(data)
            whole = _in_two(data, key, catalog) if is_split else None
            if operation is None and whole is None and len(rest) == 1:  # {"args": {"section": …}}
                whole = _in_two({key: name, **_within(rest)}, key, catalog)
                rest = rest if whole is None else _within(rest)
            if whole is not None and operation in (None, whole[0]):
                operation, about = whole
                if rest.pop(about or "", None) is not None:
                    routing.repaired("layout", *at, str(about))
            if operation is None and called is None:
                operation = _implied(name, rest, catalog)
                rest = _with_id(operation, name, rest)
            if operation is not None:
                _say_name(name, operation, (*at, key), routing)
                meant = _agreed(operation, called, (*at, key))
                return addressed(meant, rest, at, routing)
            if not catalog.is_tool(name) and not any(as_list(rest.get(each)) for each in ENVELOPES):
                raise UnreadableCallError(
                    catalog.unknown(_told_with(rest, name, catalog), rest), path=place((*at, key))
                )
            routing.repaired("wrapper", *at, key)
            data = rest
        found = _inside(data, own, at, routing)
        if found is None:
            break
        data, at = found
    if called is None and data.get(OP) is not None:
        raise UnreadableCallError(_no_name(data[OP]), path=place((*at, OP)))
    if called is None:
        given = {name: value for name, value in data.items() if value is not None}
        brief = _in_brief(given, catalog)
        if brief is None:
            raise UnreadableCallError(catalog.missing(), path=place(at))
        routing.repaired("layout", *at)
        called, data = brief
    return addressed(called, data, at, routing)


def _implied(name: str, data: Data, catalog: Catalog) -> Operation | None:
    """Return the operation that a name in other words and its arguments imply."""
    found = catalog.meant(name)
    found = catalog.better(found, name, _within(data)) if found else None
    return found or catalog.shorthand(name, _within(data)) or _about(data, name, catalog)


def _with_id(operation: Operation | None, name: str, data: Data) -> Data:
    """Return the data with the id that stands in the name of an operation on an item, if they have none."""
    item = _ID_FIRST.match(name) if operation is not None else None
    is_lacking = operation and "id" in names(operation.arguments) and "id" not in _within(data)
    return {**data, "id": item[1]} if item and is_lacking else data


def _needed(operation: Operation) -> set[str]:
    """Return the required arguments."""
    return {name for name, each in operation.arguments.model_fields.items() if each.is_required()}


def _no_name(given: object) -> str:
    """Return the message about a name that is not a text; for several names, with the calls to send."""
    said = f"the name of an operation is a text, not {in_json(given)}"
    calls = [{OP: each} for each in as_list(given) or () if isinstance(each, str)]
    several = f"; send {json.dumps({'calls': calls})}, each with its own arguments"
    return said + several if calls else said


def _other_tool(data: Data, catalog: Catalog) -> str | None:
    """Return another system's tool that the arguments belong to."""
    for name, tool in OF_OTHER_TOOLS.items():
        items = (as_object(each) or {} for each in as_list(data.get(name)) or ())
        is_list = any(each in item for item in items for each in STATUSES)
        is_text = isinstance(data.get(name), str) and not data.keys().isdisjoint(ALSO_NAMES)
        if (is_list and catalog.meant(tool)) or (is_text and catalog.takes(tool)):
            return tool
    return None


def _in_brief(data: Data, catalog: Catalog) -> tuple[Operation, Data] | None:
    """Return the operation that data without its name imply, and its arguments. Nulls are ignored.

    :raises SeveralError: for several, each under its own name: ``{"task": "Ship it", "steps": ["Build", "Test"]}``.
    """
    plain = [name for name, value in data.items() if not isinstance(value, dict)]
    brief = [each for name in plain if (each := catalog.shorthand(name, data)) is not None]
    if len(brief) == 1:
        return brief[0], data
    about = next((each for each in SUBJECTS if isinstance(data.get(each), str)), None)
    if about is not None:
        rest = {name: value for name, value in data.items() if name != about}
        named = catalog.shorthand(data[about], _within(rest))
        if named is None and len(rest) == 1:  # {"section": "notes", "add": "Port 8080"}
            [(verb, value)] = rest.items()
            named, rest = catalog.meant(f"{data[about]}.{verb}"), {ARGS: value}
        return None if named is None else (named, rest)
    holds = any(isinstance(value, list | dict) for value in data.values())
    is_sure = catalog.has_words and (holds or all("." in each for each in data))
    if (
        len(data) > 1
        and is_sure
        and all(catalog.takes(each) or catalog.meant(each) for each in data)
    ):
        raise SeveralError([{name: value} for name, value in data.items()])
    return None


def is_half(name: str, data: Data, catalog: Catalog) -> bool:
    """Tell whether the called tool's name is half of an operation's name, and a member of the data the other."""
    if catalog.takes(name) and not data.keys().isdisjoint((*NAMES, *ALSO_NAMES)):
        return True
    about = _about(data, name, catalog)
    return about is not None or _in_two({OP: name, **data}, OP, catalog) is not None


def addressed(operation: Operation, data: Data, at: At, routing: Routing) -> Route:
    """Return the arguments for ``operation`` from any place in ``data``.

    They are unwrapped from ``args`` and the like, unless the operation has an argument of that name. ``data`` may
    repeat its name. Null beside them is dropped if it can only mean omitted.

    :raises UnreadableCallError: for duplicates with different values.
    """
    own, catalog = names(operation.arguments), routing.catalog
    again = [
        key
        for key in NAMES
        if key in data
        and key not in own
        and (catalog.find(data[key]) is operation or catalog.is_tool(data[key]))
    ]
    for key in again:
        routing.repaired("wrapper", *at, key)
    ids = CALL_IDS - own if at else frozenset[str]()  # of the removed envelope
    data = {key: value for key, value in data.items() if key not in again and key not in ids}
    where = at
    for _ in range(MOST_ENVELOPES):
        inner = _held(operation, data, where, own, routing)
        if inner is None:
            break
        data, where = inner
    if routing.disputed:
        routing.check_disputed(operation.arguments)
    if "id" in data and not operation.per_item:
        operation = _of_one(operation, data, where, routing)
    return Route(*_by_status(operation, data, where, routing), where)


def _of_one(operation: Operation, data: Data, at: At, routing: Routing) -> Operation:
    """Return the operation that changes one item, where the one on all items of its section gets an id and fields.

    :raises UnreadableCallError: naming the operations on one, if none of them takes what is given.
    """
    if operation.respelt is None or operation.reads or list in map(type, data.values()):
        return operation
    section = operation.name.rpartition(".")[0]
    changing = [
        each
        for each in routing.catalog.by_name.values()
        if each.per_item and each.name.rpartition(".")[0] == section
        if "id" in _needed(each) and names(each.arguments) - {"id"}
    ]
    is_lacking = _needed(operation) and data.keys().isdisjoint(names(operation.arguments))
    if not changing or not is_lacking:
        return operation
    fitting = [each for each in changing if data.keys() != {"id"} and Catalog.fits(each, data)]
    if len(fitting) == 1:
        routing.repaired("name", *at, "id")
        return fitting[0]
    either = " or ".join(quoted(each.name) for each in fitting or changing)
    why = f"{operation.name} is about all items; did you mean {either}?"
    raise UnreadableCallError(why, path=place((*at, "id")))


def _by_status(
    operation: Operation, data: Data, at: At, routing: Routing
) -> tuple[Operation, Data]:
    """Return the operation that a status implies, and the other arguments: ``{"op": "blockers.update", "id": "b-6",
    "status": "resolved"}``.

    :raises UnreadableCallError: naming the operation, if it does not accept the others, or is not certain.
    """
    known, catalog = names(operation.arguments), routing.catalog
    if operation.respelt is None or data.keys() <= known:
        return operation, data
    for key, value in data.items():
        said = value if key in STATUSES else key if value is True else None
        if key in known or not isinstance(said, str) or not said.strip():
            continue
        name = f"{operation.name.rpartition('.')[0]}.{said}"
        told = catalog.meant(name)
        rest = {name: value for name, value in data.items() if name != key}
        is_alike = told and first_text(told.arguments) == first_text(operation.arguments)
        if told and is_alike and Catalog.fits(told, rest):
            routing.repaired("name", *at, key)
            return told, rest
        hint = catalog.hint(name)
        if operation.reads or quoted(operation.name) in hint or "did you mean" not in hint:
            continue
        field, meant = operation.respelt(data).get(key, (None, value))
        if field is None or (field and meant == value and _is_truth(operation, field)):
            guess = hint.partition(", or ")[0].removesuffix("?")
            raise UnreadableCallError(f"no such argument; {guess}?", path=place((*at, key)))
    key, hint = catalog.of_item(operation.name, data)
    if hint and key not in {*known, *operation.respelt(data)}:
        raise UnreadableCallError(f"no such argument; {hint}", path=place((*at, key)))
    return operation, data


def _is_truth(operation: Operation, field: str) -> bool:
    """Tell whether a field is a boolean."""
    kind: Any = operation.arguments.model_fields[field].annotation
    return bool in (kind, *get_args(kind))


def _within(data: Data) -> Data:
    """Return the arguments, if they are in a separate member."""
    held = (as_object(data[key]) for key in NESTED if key in data)
    return next((each for each in held if each is not None), data)


def _held(
    operation: Operation, data: Data, at: At, own: frozenset[str], routing: Routing
) -> tuple[Data, At] | None:
    """Return the arguments in the member for them, or ``None``."""
    holders = [key for key in NESTED if key in data and key not in own]
    if operation.respelt is not None and dict in map(type, data.values()):
        respelt = operation.respelt(data)
        holders += [key for key in respelt if key not in own and as_object(data[key]) is not None]
    if not holders:
        return None
    many = _only_list(operation.arguments)
    text = many or first_text(operation.arguments)
    for key in sorted(holders, key=lambda each: data[each] is None):
        is_whole = many is not None and _is_list_for(many, data[key])
        try:
            inner = {many: data[key]} if is_whole else _opened(data[key], (*at, key), routing)
        except SeveralError as error:
            _check_several(operation, error)
            raise error.of(operation, {each: data[each] for each in data if each != key}) from None
        nothing = inner is None or (isinstance(inner, str) and not inner.strip())
        if text is not None and text not in data and is_item(inner):
            routing.repaired("item", *at, key)
            inner = {text: inner}
        nested = {} if nothing else as_object(inner)
        if nested is None:
            continue
        routing.repaired("layout", *at, key)
        beside = {
            name: value
            for name, value in data.items()
            if name != key
            and (name in own or name not in CALL_IDS)
            and (value is not None or is_value(operation.arguments, name))
        }
        if not beside:
            return nested, (*at, key)
        return routing.joined(beside, nested, (*at, key)), at
    return None


def _only_list(model: type[BaseModel]) -> str | None:
    """Return the only required argument, if it is a list."""
    needed = [each for each in model.model_fields.items() if each[1].is_required()]
    lists = [name for name, each in needed if get_origin(each.annotation) in {list, tuple}]
    return lists[0] if len(needed) == len(lists) == 1 else None


def _is_list_for(name: str, value: object) -> bool:
    """Tell whether a value is the list of an argument, and not a list of objects that have the argument."""
    items = as_list(value)
    return items is not None and not any(name in (as_object(each) or ()) for each in items)


def _check_several(operation: Operation, error: SeveralError) -> None:
    """Refuse several values of which the last alone would stay.

    :raises UnreadableCallError: with the call to send.
    """
    text = first_text(operation.arguments)
    if text and operation.respelt and not (operation.per_item or operation.reads):
        call = in_json({OP: operation.name, text: "…"})
        why = f"{operation.name} sets one value, not {len(error.parts)}; send {call}"
        raise UnreadableCallError(why, path=error.path)


def _without_type(data: Data, own: frozenset[str]) -> Data:
    """Return the data without an envelope's members other than name and arguments."""
    for key in ("type", "method"):
        kind = data.get(key)
        if key not in own and isinstance(kind, str) and kind in ENVELOPE_TYPES:
            return {each: data[each] for each in data if each not in {*ENVELOPE_FIELDS, key}}
    return data


_USUAL = frozenset(IN_USUAL_CASE.values())

_HALVES = frozenset(SUBJECTS)


def _in_usual_case(data: Data, own: frozenset[str]) -> Data:
    """Return the data with envelope members such as ``OP`` and ``Args`` in their usual case."""
    usual = {key: IN_USUAL_CASE.get(key.casefold(), key) for key in data if key not in own}
    named = [usual.get(key, key) for key in data]
    return data if len({*named}) < len(data) else dict(zip(named, data.values(), strict=True))


def _in_two(data: Data, key: str, catalog: Catalog) -> tuple[Operation, str | None] | None:
    """Return the operation whose name is split between two members, and the second member, unless it is also an
    argument.
    """
    said = data[key]
    whole = catalog.find(said)
    for other in (*SUBJECTS, *(() if whole is not None else (*NAMES, *ALSO_NAMES))):
        half = data.get(other)
        if other == key or not isinstance(half, str):
            continue
        found = catalog.meant(f"{half}.{said}")
        if found is not None and other not in names(found.arguments):
            is_whole = found.name == f"{half}.{said}" or (
                catalog.takes(half)
                and (whole is None or other not in OF_ITEMS or _begins(whole, half))
            )
            if is_whole or (other in VERBS and catalog.meant(said) is None):
                return found, other
        found = catalog.meant(f"{other}.{said}")
        if found is not None and other in names(found.arguments):
            return found, None
    return None


def _begins(operation: Operation, half: str) -> bool:
    return folded(operation.name).startswith(folded(half).removesuffix("s"))


def _about(data: Data, name: str, catalog: Catalog) -> Operation | None:
    """Return the operation of a name without its subject, if a single argument implies it: ``{"op": "remove", "note":
    "n-1"}``.
    """
    found = [catalog.meant(f"{key}.{catalog.without_tool(name)}") for key in data]
    meant = {each.name: each for each in found if each is not None}
    return next(iter(meant.values())) if len(meant) == 1 else None


_A_NAME = re.compile(r"[\w.:/-]+")


def _told_with(data: Data, name: str, catalog: Catalog) -> str:
    """Return an unknown name after its subject, which is not an argument of an operation."""
    taken = {each for one in catalog.by_name.values() for each in names(one.arguments)}
    said = {
        key: each
        for key, each in data.items()
        if isinstance(each, str) and _A_NAME.fullmatch(each) and key not in taken - {"section"}
    }
    about = next((said[key] for key in SUBJECTS if key in said), None)
    verb = next((said[key] for key in VERBS if key in said), None)
    if about is None:
        return name if verb is None else f"{name}.{verb}"
    return f"{about}.{name}"


def _with_one_name(data: Data, at: At, routing: Routing) -> Data:
    """Return the data with the operation's name unwrapped from a list of one."""
    named = as_list(data[OP])
    if named is None or len(named) != 1 or not isinstance(named[0], str):
        return data
    routing.repaired("list", *at, OP)
    return {**data, OP: named[0]}


def _name_in(
    data: Data, own: frozenset[str], catalog: Catalog, called: Operation | None
) -> str | None:
    """Return the member that names the operation, or the tool."""
    for key in NAMES:
        if key not in data or key in own:
            continue
        name = data[key]
        if not isinstance(name, str):
            continue
        if called is None or catalog.find(name) is not None or catalog.is_tool(name):
            return key
    for key in ALSO_NAMES if called is None else ():
        if isinstance(data.get(key), str) and (
            catalog.meant(data[key]) is not None or _in_two(data, key, catalog) is not None
        ):
            return key
    return None


def _agreed(named: Operation, called: Operation | None, at: At) -> Operation:
    """Return the named operation, if it is the one that was called."""
    if called is not None and named is not called:
        raise UnreadableCallError(
            f"the tool of {called.name} was called, and the arguments name {named.name}; call that "
            "one, or leave the name out",
            path=place(at),
        )
    return named


def _say_name(name: str, operation: Operation, at: At, routing: Routing) -> None:
    if name != operation.name:
        routing.repaired("name", *at)
    if at[-1] != OP:
        routing.repaired("layout", *at)


def _inside(data: Data, own: frozenset[str], at: At, routing: Routing) -> tuple[Data, At] | None:
    """Return the call from its envelope, or ``None`` without one."""
    catalog = routing.catalog
    for key in _HOLDERS:
        if key not in data or key in own or data[key] is None:
            continue
        if key in PLURALS and catalog.takes(key):
            continue
        if key in catalog.subjects and not _has_call(data[key], catalog):
            continue
        inner = _opened(data[key], (*at, key), routing)
        if isinstance(inner, str) and key in ENVELOPES:
            inner = {OP: inner}
        call = as_object(inner)
        if call is not None:
            if key != CALL:
                routing.repaired("wrapper", *at, key)
            beside = {name: value for name, value in data.items() if name != key}
            return routing.joined(beside, call, (*at, key)) if beside else call, (*at, key)
    said = [name for name, value in data.items() if value is not None]
    if len(said) != 1 or said[0] in own:
        return None
    only = said[0]
    call = as_object(data[only])
    operation = catalog.meant(only)
    if operation is None or (only in catalog.subjects and not _takes(operation, call)):
        operation = catalog.shorthand(only, call or {})
    beside = {name: None for name in data if name != only}
    if operation is None and call is not None and len(call) == 1:  # {"notes": {"add": …}}
        [verb] = call
        operation = catalog.meant(f"{only}.{verb}")
        if operation is not None:
            return {**beside, OP: operation.name, ARGS: call[verb]}, (*at, only, verb)
    is_around = catalog.is_tool(only)
    if call and operation and not names(operation.arguments) and catalog.find(only) is None:
        is_around = True  # {"state": {"task": …}} says what is to be set
    elif operation is not None and (
        call is not None or is_item(data[only]) or as_list(data[only]) is not None
    ):
        return {**beside, OP: operation.name, ARGS: data[only]}, (*at, only)
    if call is None or not is_around:
        return None
    routing.repaired("wrapper", *at, only)
    return routing.joined(beside, call, (*at, only)), (*at, only)


def _has_call(value: object, catalog: Catalog) -> bool:
    """Tell whether a member that has the name of a subject contains a call: an object or a text that names an operation."""
    found = as_list(value) or [value]
    named = [each for item in found for each in (as_object(item) or {OP: item}).items()]
    return any(name in NAMES and catalog.meant(said) is not None for name, said in named)


def _takes(operation: Operation, call: Data | None) -> bool:
    """Tell whether an operation accepts the arguments, or the text alone, of a call by its name."""
    if call is None:
        return first_text(operation.arguments) is not None
    return Catalog.fits(operation, call)


_HOLDERS = (*ENVELOPES, *NESTED)
"""Members that may contain a call or its arguments."""


def _opened(value: object, at: At, routing: Routing) -> object:
    """Return the value, parsed from JSON text and unwrapped from a list of one."""
    given = read(value, place(at), routing.repairs) if isinstance(value, str) else value
    return _one(given, at, routing.repairs)


def _one(value: object, at: At, repairs: list[Repair]) -> object:
    """Return the only item of a list of one, and anything but a list unchanged.

    :raises UnreadableCallError: for several calls at once.
    """
    items = as_list(value)
    if items is not None and len(items) == 1:
        repairs.append(Repair("list", place(at)))
        value = items[0]
        items = as_list(value)
    if items is not None and len(items) > 1:
        raise SeveralError(items, path=place(at))
    return value


def _from_text(
    text: str | bytes | bytearray, repairs: list[Repair], catalog: Catalog | None
) -> object:
    if not isinstance(text, str):
        text = bytes(text).decode("utf-8", "replace")
    if not text.strip():
        return None
    value = read(text, "$", repairs)
    if isinstance(value, str):
        named = catalog.meant(value.strip()) if catalog is not None and is_item(value) else None
        if named is None or not named.reads:
            send = "" if named is None else f"; send {json.dumps({CALL: {OP: named.name}})}"
            said = f"the arguments are an object, not the text {shown(text)}{send}"
            raise UnreadableCallError(said, path="$")
        repairs.append(Repair("item", "$"))
        return {OP: named.name}
    return value
