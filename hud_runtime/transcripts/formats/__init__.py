"""Formats: how a file is recognized, and the observations of its records. Each module holds those of one family."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from typing import Any, Self, TypeAlias, Unpack, cast

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, arguments, mapping, string, whole
from hud_runtime.observe._reader import FolderPlace
from hud_runtime.observe.messages import MessagePart, Status
from hud_runtime.observe.messages import Status as AnswerStatus
from hud_runtime.transcripts._source import Source

# Tools' answers in transcripts, with what hosts write into their texts: exit statuses, refusals, wishes.

_AT_END = re.compile(
    r"(?:\[exit code:? (?P<a>-?\d+)\]|<(?:exited|shellId: \S+ completed) with exit code (?P<b>-?\d+)>|<returncode>(?P<c>-?\d+)</returncode>"
    r"|\[(?:The command completed with )?exit (?:code|status):? (?P<d>-?\d+)\.?\]|^exit (?:code|status):? (?P<e>-?\d+)"
    r"|Exit Code: (?P<f>-?\d+)(?:\nSignal: .*)?|Process exited with code (?P<g>-?\d+)|Command failed with exit code (?P<h>-?\d+)\.?"
    r"|\[Command finished with exit code (?P<i>-?\d+)\])\s*\Z",
    re.MULTILINE,
)
_AT_START = re.compile(
    r"\A(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?(?:Process exited with code (?P<a>-?\d+)|Exit code:? (?P<b>-?\d+)"
    r"|<returncode>(?P<c>-?\d+)</returncode>|exit_code[=:] ?(?P<d>-?\d+))"
)


def exit_code_in(text: str) -> int | None:
    r"""Return the exit status that an answer tells at its beginning or its end.

    >>> exit_code_in("1 failed\n[exit code 1]"), exit_code_in("fine")
    (1, None)
    """
    match = _AT_START.match(text[:500]) or _AT_END.search(text[-300:])
    if match is None:
        return None
    digits = next(filter(None, match.groups()), "")
    return int(digits[:12]) if digits else None


WISH = re.compile(r"To tell you how to proceed, the user said:\s*(?P<wish>[\s\S]*?)(?:\n\nNote: The user's next message[\s\S]*)?\Z")  # fmt: skip
"""The user's words with the refusal of a call."""

_WRONG = "<tool_use_error>"
"""The beginning of the host's own answer to a call that it could not run."""

_REFUSED = ("The user doesn't want to", "[Request interrupted by user")
"""The beginnings of its answers to calls that the user did not allow."""

_EXIT = re.compile(r"\A(?:Error: )?Exit code:? (?P<code>-?\d{1,5})\b[^\n]*\n?")


def answers_in(
    parts: Iterable[MessagePart], data: Record | None = None, **at: Unpack[FolderPlace]
) -> Iterator[observed.ToolAnswer]:
    """Yield the answers among a message's parts.

    :param data: what a host that writes refusals as answers tells beside their texts; None where no host does.
    """
    for part in parts:
        if part.kind == "result" and part.type == "tool_result":
            yield _of_host(part, data, at)
        elif part.kind == "result" and (part.id is not None or part.type != "retry-prompt"):
            text = part.words
            yield observed.ToolAnswer(
                **at, text=text, call_id=part.id, status=part.status, exit_code=exit_code_in(text)
            )


def _of_host(part: MessagePart, data: Record | None, at: FolderPlace) -> observed.ToolAnswer:
    """An answer in a block of Anthropic's, which says whether the call failed."""
    text = part.words
    failed = part.status == "failed"
    code = _EXIT.match(text) if failed else None
    status = _status(failed, text)
    return observed.ToolAnswer(
        **at,
        text=text[code.end() :] if code and len(text) > code.end() else text,
        call_id=part.id,
        status=status,
        exit_code=int(code["code"]) if code else None,
        wish=wish_in(text) if status == "refused" and data is not None else "",
        data=data or {},
    )


def wish_in(answer: str) -> str:
    r"""Return the user's words in the refusal of a call; empty where there are none.

    >>> wish_in("The user doesn't want to proceed. To tell you how to proceed, the user said:\nUse JWT.")
    'Use JWT.'
    """
    wish = WISH.search(answer[:20_000]) if _bare(answer).startswith(_REFUSED) else None
    return wish["wish"].strip() if wish else ""


def _bare(answer: str) -> str:
    return answer[:200].removeprefix(_WRONG).lstrip()


def _status(failed: bool, text: str) -> AnswerStatus:
    if not failed:
        return "done"
    bare = _bare(text)
    if bare.startswith(_REFUSED):
        return "refused"
    return "cancelled" if bare.startswith("Sibling tool call errored") else "failed"


def is_not_run(content: object) -> bool:
    """Tell whether an answer is the host's own word that it ran nothing, for hosts that do not mark it as an error.

    >>> is_not_run("<tool_use_error>String to replace not found in file.</tool_use_error>")
    True
    """
    return isinstance(content, str) and content.startswith((_WRONG, *_REFUSED))


Sign: TypeAlias = Callable[[Source], str | None]
"""Tells why a file is of a format, in a few words; None for one that is not."""


def has(reason: str, is_one: Callable[[Record], object]) -> Sign:
    """Return the sign of files of which one of the first records is of a kind.

    :param reason: what such a file has.
    :param is_one: tells a record of that kind.
    """
    return lambda source: f"it has {reason}" if any(map(is_one, source.head)) else None


RecordReader: TypeAlias = Callable[[int, Record], Iterable[observed.AnyObservation]]
"""Tells what one record tells, by its number and what it is; it remembers what came before."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of transcripts.

    A package adds its own as an entry point of the group ``ujsx.transcripts``; those are asked first.
    """

    name: str
    """What it is called."""

    recognises: Sign

    observations: Callable[[Source], Iterator[observed.AnyObservation]]
    """What is seen in a file, in the order in which it happened."""

    estimates: bool = False
    """Whether the context's size has to be estimated, because nothing in the file tells it."""

    begin: Callable[[Source], RecordReader] | None = None
    """For formats of which one record is told after the other: begins a file. None where a record can change
    what an earlier one has told."""

    quiet: AbstractSet[str] = frozenset()
    """Kinds of records that are known to tell nothing of the session's state; what else a format skips is counted
    as not understood."""

    @classmethod
    def of_records(
        cls,
        name: str,
        recognises: Sign,
        begin: Callable[[Source], RecordReader],
        *,
        estimates: bool = False,
        quiet: AbstractSet[str] = frozenset(),
    ) -> Self:
        """Return a format that is told record by record, so that a file can be followed while it is written."""

        def observations(source: Source) -> Iterator[observed.AnyObservation]:
            told = begin(source)
            for number, record in source.records():
                yield from told(number, record)

        return cls(name, recognises, observations, estimates, begin, quiet)


# Rows of a format's table: the observation that a record tells, and where its members stand in the record.
#
# A place is a path: a dot goes into an object, a bar stands before what is asked next, a plus adds counts, and what
# follows an equals sign is the value itself. What a member takes (a text, a count, a time) follows from its name.

Getter: TypeAlias = Callable[[Record], Any]
Teller: TypeAlias = Callable[[Record, FolderPlace], Iterator[observed.AnyObservation]]
"""Tells what a record tells, at a place."""

Table: TypeAlias = Mapping[str, Teller | Sequence[Teller]]
"""By the kind of a record, what it tells: a row, or several; nothing for kinds that say nothing of the session."""

NOTHING = (None, "", ())
"""Values in whose place the next way is asked."""

NAMED = (observed.ToolCall, observed.Title, observed.FileChanged)
"""Observations that say nothing without their first member."""


def _some(value: object) -> int | None:
    return whole(value) or None


def _code(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: object) -> str:
    return observed.prose(value)


TAKES: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("text", "summary", "details", "message", "reason", "wish"), _text),
    **dict.fromkeys(("used", "limit", "turns"), _some),
    "arguments": arguments,
    "data": mapping,
    "exit_code": _code,
    "timestamp": observed.milliseconds,
    "usage": lambda value: observed.usage_in(mapping(value)),
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


def placed(line: int, found: Mapping[str, Any]) -> FolderPlace:
    """Return the place of an observation: its line, and the members that were found."""
    return cast("FolderPlace", {"line": line, **found})


def told(make: Callable[..., observed.AnyObservation], **where: str | Getter) -> Teller:
    """Return a row: an observation, with the places of its members.

    A result tells its exit status in its words, where it has no other place.

    >>> row = told(observed.ToolCall, name="tool", arguments="input", call_id="id")
    >>> [each.name for each in row({"tool": "bash", "input": "{}"}, {"line": 1})]
    ['bash']
    """
    found = members(**where)
    defaults = (MISSING, MISSING)
    given_by = fields(cast("Any", make))
    needed = [each.name for each in given_by if (each.default, each.default_factory) == defaults]
    blank = dict.fromkeys(needed, "")
    is_result = make is observed.ToolAnswer and "exit_code" not in where

    def tell(record: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
        given = found(record)
        if make in NAMED and needed[0] not in given:
            return
        if is_result:
            given["exit_code"] = exit_code_in(given.get("text", ""))
        made: dict[str, Any] = {**blank, **place, **given}
        yield make(**made)

    return tell


user, agent, background = (
    partial(told, each)
    for each in (observed.UserMessage, observed.AgentMessage, observed.Background)
)
call, result, plan = (
    partial(told, each) for each in (observed.ToolCall, observed.ToolAnswer, observed.PlanWritten)
)
compacting, compacted, used = (
    partial(told, each) for each in (observed.Compacting, observed.Compacted, observed.ContextUsed)
)
title, fact, decided = (
    partial(told, each) for each in (observed.Title, observed.Found, observed.Decided)
)
failed, changed = (partial(told, each) for each in (observed.Failed, observed.FileChanged))
"""Rows by what they tell: what somebody says; a call, its result, a plan; what becomes of the context; what is found
out; what went wrong, and which file changed."""


def each(path: str, *rows: Teller) -> Teller:
    """Return rows for each object of a list, or for the one object at a place."""
    listed = at(
        path, lambda value: observed.sequence(value) or ((value,) if mapping(value) else None)
    )

    def tell(record: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
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


def of_child(child: str, its: observed.AnyObservation) -> Iterator[observed.AnyObservation]:
    """Yield what is seen of a sub-agent: for a session of its own, and what its calls do for this one, too."""
    yield observed.OfChild(line=its.line, child=f"agent-{child[:LONGEST_CHILD]}", seen=its)
    if isinstance(its, observed.ToolCall) and its.name not in OF_SUB_AGENTS:
        yield replace(its, in_text=True)
    elif isinstance(its, observed.ToolAnswer):
        yield replace(its, is_read=False)


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

    def read(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        known = table.get(name := kind_of(record) or "untyped", ())
        rows = (known,) if callable(known) else known
        if not rows:
            source.skip(name)
        here = placed(line, place_of(record))
        for row in (*rows, *also):
            yield from row(record, here)

    return read
