"""Rows of a format's table: the observation that a record tells, and where its members stand in the record.

A place is a path: a dot goes into an object, a bar stands before what is asked next, a plus adds counts, and what
follows an equals sign is the value itself. What a member takes (a text, a count, a time) follows from its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import partial
from typing import Any, TypeAlias, cast

from hud_runtime.messages import Status
from hud_runtime.observation import _observations as seen
from hud_runtime.observation._json import (
    Record,
    arguments,
    mapping,
    milliseconds,
    prose,
    sequence,
    string,
    whole,
)
from hud_runtime.observation._messages import Place
from hud_runtime.observation._observations import AnyObservation, OfChild, ToolCall, ToolResult
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._answers import exit_code_in
from hud_runtime.transcripts._format import RecordReader
from hud_runtime.transcripts._source import Source

Getter: TypeAlias = Callable[[Record], Any]
Teller: TypeAlias = Callable[[Record, Place], Iterator[AnyObservation]]
"""Tells what a record tells, at a place."""

Table: TypeAlias = Mapping[str, Teller | Sequence[Teller]]
"""By the kind of a record, what it tells: a row, or several; nothing for kinds that say nothing of the session."""

NOTHING = (None, "", ())
"""Values in whose place the next way is asked."""

NAMED = (ToolCall, seen.Title, seen.FileChanged)
"""Observations that say nothing without their first member."""


def _some(value: object) -> int | None:
    return whole(value) or None


def _code(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: object) -> str:
    return prose(value)


TAKES: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("text", "summary", "details", "message", "reason", "wish"), _text),
    **dict.fromkeys(("used", "limit", "turns"), _some),
    "arguments": arguments,
    "data": mapping,
    "exit_code": _code,
    "timestamp": milliseconds,
    "usage": lambda value: usage_in(mapping(value)),
}
"""The readers of members, by name; all others take a text that is not empty."""


def at(path: str, take: Callable[[Any], Any] = string) -> Getter:
    """Return what finds a value in a record.

    >>> at("message.model|model")({"message": {}, "model": "gpt-5"})
    'gpt-5'
    >>> at("in+out", whole)({"in": 3, "out": 4})
    7
    """
    if "|" in path:
        ways = [at(each, take) for each in path.split("|")]
        return lambda record: next(
            (one for way in ways if (one := way(record)) not in NOTHING), None
        )
    if "+" in path:
        counts = [at(each, whole) for each in path.split("+")]
        return lambda record: take(sum(count(record) or 0 for count in counts))
    if path.startswith("="):
        return lambda _record: path[1:]
    names = path.split(".")

    def found(record: Record) -> Any:
        value: Any = record
        for name in names:
            value = mapping(value).get(name)
        return None if value is None else take(value)

    return found


def members(**where: str | Getter) -> Callable[[Record], dict[str, Any]]:
    """Return what finds the members of an observation, those that are there.

    >>> members(text="message.content", model="model")({"message": {"content": "Hi"}})
    {'text': 'Hi'}
    """
    ways = {
        name: at(each, TAKES.get(name, string)) if isinstance(each, str) else each
        for name, each in where.items()
    }

    def found(record: Record) -> dict[str, Any]:
        values = ((name, way(record)) for name, way in ways.items())
        return {name: value for name, value in values if value not in NOTHING}

    return found


def placed(line: int, found: Mapping[str, Any]) -> Place:
    """Return the place of an observation: its line, and the members that were found."""
    return cast("Place", {"line": line, **found})


def told(make: Callable[..., AnyObservation], **where: str | Getter) -> Teller:
    """Return a row: an observation, with the places of its members.

    A result tells its exit status in its words, where it has no other place.

    >>> row = told(ToolCall, name="tool", arguments="input", call_id="id")
    >>> [each.name for each in row({"tool": "bash", "input": "{}"}, {"line": 1})]
    ['bash']
    """
    found = members(**where)
    defaults = (MISSING, MISSING)
    given_by = fields(cast("Any", make))
    needed = [each.name for each in given_by if (each.default, each.default_factory) == defaults]
    blank = dict.fromkeys(needed, "")
    is_result = make is ToolResult and "exit_code" not in where

    def tell(record: Record, place: Place) -> Iterator[AnyObservation]:
        given = found(record)
        if make in NAMED and needed[0] not in given:
            return
        if is_result:
            given["exit_code"] = exit_code_in(given.get("text", ""))
        made: dict[str, Any] = {**blank, **place, **given}
        yield make(**made)

    return tell


user, agent, background = (
    partial(told, each) for each in (seen.UserMessage, seen.AgentMessage, seen.Background)
)
call, result, plan = (partial(told, each) for each in (ToolCall, ToolResult, seen.PlanWritten))
compacting, compacted, used = (
    partial(told, each) for each in (seen.Compacting, seen.Compacted, seen.ContextUsed)
)
title, fact, decided = (partial(told, each) for each in (seen.Title, seen.Found, seen.Decided))
failed, changed = (partial(told, each) for each in (seen.Failed, seen.FileChanged))
"""Rows by what they tell: what somebody says; a call, its result, a plan; what becomes of the context; what is found
out; what went wrong, and which file changed."""


def each(path: str, *rows: Teller) -> Teller:
    """Return rows for each object of a list, or for the one object at a place."""
    listed = at(path, lambda value: sequence(value) or ((value,) if mapping(value) else None))

    def tell(record: Record, place: Place) -> Iterator[AnyObservation]:
        for one in map(mapping, listed(record) or ()):
            for row in rows:
                yield from row(one, place)

    return tell


def where(path: str, value: object, row: Teller) -> Teller:
    """Return a row for records that have a value at a place."""
    found = at(path, lambda one: one)
    return lambda record, place: row(record, place) if found(record) == value else iter(())


OF_SUB_AGENTS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "AskUserQuestion"})
"""Calls of sub-agents that are about their own plan."""

LONGEST_CHILD = 100
"""Characters of a sub-agent's id."""


def of_child(child: str, its: AnyObservation) -> Iterator[AnyObservation]:
    """Yield what is seen of a sub-agent: for a session of its own, and what its calls do for this one, too."""
    yield OfChild(line=its.line, child=f"agent-{child[:LONGEST_CHILD]}", seen=its)
    is_call = isinstance(its, ToolCall) and its.name not in OF_SUB_AGENTS
    if is_call or isinstance(its, ToolResult):
        yield its


def status(path: str, words: Mapping[Any, Status], otherwise: Status = "unknown") -> Getter:
    """Return what tells the end of a call by a word, or a mark, of the record.

    >>> status("ok", {False: "failed"})({"ok": False})
    'failed'
    """
    found = at(path, lambda one: one if isinstance(one, str | bool) else None)
    return lambda record: words.get(found(record), otherwise)


def reader(
    source: Source,
    table: Table,
    kind: Getter | str = "type",
    place: Getter | None = None,
    *also: Teller,
) -> RecordReader:
    """Return what reads records by a table; kinds that have no row are counted.

    :param kind: where a record tells its kind.
    :param place: finds the time and the directory of a record.
    :param also: rows for records of every kind.
    """
    kind_of = at(kind) if isinstance(kind, str) else kind
    place_of = place or members(timestamp="timestamp")

    def read(line: int, record: Record) -> Iterator[AnyObservation]:
        known = table.get(name := kind_of(record) or "untyped", ())
        rows = (known,) if callable(known) else known
        if not rows:
            source.skip(name)
        here = placed(line, place_of(record))
        for row in (*rows, *also):
            yield from row(record, here)

    return read
