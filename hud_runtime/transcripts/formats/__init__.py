"""Formats: the recognition of files, and the observations of their records. Each module has one family."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from typing import Any, Self, TypeAlias, Unpack, cast

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._failures import refusals
from hud_runtime.observe._observations import Record, arguments, mapping, string, whole
from hud_runtime.observe._reader import FolderPlace
from hud_runtime.observe.messages import MessagePart, Status, grouped
from hud_runtime.observe.messages import Status as AnswerStatus
from hud_runtime.transcripts._source import Source

# Tools' answers in transcripts, including the hosts' additions: exit statuses, refusals, wishes.

_CODES = {place: "|".join(patterns) for place, patterns in grouped("exit-codes").items()}
_AT_END = re.compile(rf"(?:{_CODES['end']})\s*\Z", re.MULTILINE)
_AT_START = re.compile(rf"\A(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?(?:{_CODES['start']})")


def exit_code_in(text: str) -> int | None:
    r"""Return the exit status at the beginning or the end of an answer.

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

_REFUSED = refusals("claude code")

DECISION = "permissionDecision"
"""The member of a line with the decision about the call; versions before 2.1.330 have none."""

_EXIT = re.compile(r"\A(?:Error: )?Exit code:? (?P<code>-?\d{1,5})\b[^\n]*\n?")


def answers_in(
    parts: Iterable[MessagePart], record: Record | None = None, **at: Unpack[FolderPlace]
) -> Iterator[observed.ToolAnswer]:
    """Yield the answers among a message's parts.

    :param record: the line of a host that writes refusals as answers; None for other hosts.
    """
    for part in parts:
        if part.kind == "result" and part.type == "tool_result":
            yield _of_host(part, record, at)
        elif part.kind == "result" and (part.id is not None or part.type != "retry-prompt"):
            text = part.words
            yield observed.ToolAnswer(
                **at, text=text, call_id=part.id, status=part.status, exit_code=exit_code_in(text)
            )


def _of_host(part: MessagePart, record: Record | None, at: FolderPlace) -> observed.ToolAnswer:
    """An answer in a block of Anthropic's, which has a flag for failed calls."""
    text = part.words
    failed = part.status == "failed"
    code = _EXIT.match(text) if failed else None
    status = _status(failed, text, mapping((record or {}).get(DECISION)))
    return observed.ToolAnswer(
        **at,
        text=text[code.end() :] if code and len(text) > code.end() else text,
        call_id=part.id,
        status=status,
        exit_code=int(code["code"]) if code else None,
        wish=wish_in(text) if status == "refused" and record is not None else "",
        data=mapping((record or {}).get("toolUseResult")),
    )


def wish_in(answer: str) -> str:
    r"""Return the user's words in the refusal of a call; empty for none.

    >>> wish_in("The user doesn't want to proceed. To tell you how to proceed, the user said:\nUse JWT.")
    'Use JWT.'
    """
    wish = WISH.search(answer[:20_000])
    return wish["wish"].strip() if wish else ""


def _bare(answer: str) -> str:
    return answer[:200].removeprefix(_WRONG).lstrip()


def _status(failed: bool, text: str, decision: Record) -> AnswerStatus:
    """The end of a call, by the record: a tool may fail with the words of a refusal."""
    if not failed:
        return "done"
    bare = _bare(text)
    by_user = str(decision.get("source")).startswith("user")
    is_refusal = decision.get("decision") == "reject" and by_user
    if is_refusal if decision else bare.startswith(_REFUSED):
        return "refused"
    return "cancelled" if bare.startswith("Sibling tool call errored") else "failed"


def is_not_run(content: object) -> bool:
    """Return whether an answer looks like the host's own message that it ran nothing.

    >>> is_not_run("<tool_use_error>String to replace not found in file.</tool_use_error>")
    True
    """
    return isinstance(content, str) and content.startswith((_WRONG, *_REFUSED))


Sign: TypeAlias = Callable[[Source], str | None]
"""A function that returns, in a few words, the reason to read a file in a format; None for another format."""


def has(reason: str, is_one: Callable[[Record], object]) -> Sign:
    """Return the sign of files that have a record of a kind among the first ones.

    :param reason: the description of such a file.
    :param is_one: returns whether a record is of that kind.
    """
    return lambda source: f"it has {reason}" if any(map(is_one, source.head)) else None


RecordReader: TypeAlias = Callable[[int, Record], Iterable[observed.AnyObservation]]
"""A function that yields the observations of a record, given its number; it has state from earlier records."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format of transcripts.

    A package adds its own as an entry point of the group ``ujsx.transcripts``; those are asked first.
    """

    name: str
    """Its name."""

    recognises: Sign

    observations: Callable[[Source], Iterator[observed.AnyObservation]]
    """A function that yields a file's observations in order."""

    estimates: bool = False
    """True to estimate the context's size, because the file does not have it."""

    begin: Callable[[Source], RecordReader] | None = None
    """For formats that are read record by record: a function that begins a file. None if a record can
    change earlier ones.
    """

    quiet: AbstractSet[str] = frozenset()
    """Known kinds of records without meaning for the session's state; other skipped kinds count as not understood."""

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
        """Return a format that is read record by record, so that a growing file can be followed."""

        def observations(source: Source) -> Iterator[observed.AnyObservation]:
            told = begin(source)
            for number, record in source.records():
                yield from told(number, record)

        return cls(name, recognises, observations, estimates, begin, quiet)


# Rows of a format's table: the observation of a record, and the places of its members.
#
# A place is a path: a dot enters an object, a bar precedes an alternative, a plus adds counts, and
# the text after an equals sign is the value itself. A member's type (a text, a count, a time)
# follows from its name.

Getter: TypeAlias = Callable[[Record], Any]
Teller: TypeAlias = Callable[[Record, FolderPlace], Iterator[observed.AnyObservation]]
"""A function that yields the observations of a record, at a place."""

Table: TypeAlias = Mapping[str, Teller | Sequence[Teller]]
"""The rows by the kind of a record: one, or several; none for kinds without meaning for the session."""

NOTHING = (None, "", ())
"""Values that count as missing, so that the next alternative is tried."""

NAMED = (observed.ToolCall, observed.Title, observed.FileChanged)
"""Observations that are meaningless without their first member."""


def _some(value: object) -> int | None:
    return whole(value) or None


def _code(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


TAKES: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("text", "summary", "details", "message", "reason", "wish"), observed.prose),
    **dict.fromkeys(("used", "limit", "turns"), _some),
    "arguments": arguments,
    "data": mapping,
    "exit_code": _code,
    "timestamp": observed.milliseconds,
    "usage": lambda value: observed.usage_in(mapping(value)),
}
"""The readers of members, by name; all others read a non-empty text."""


def at(path: str, take: Callable[[Any], Any] = string) -> Getter:
    """Return the function that finds a value in a record.

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
    """Return the function that finds the present members of an observation.

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
    """Return the place of an observation: its line, and the found members."""
    return cast("FolderPlace", {"line": line, **found})


def told(make: Callable[..., observed.AnyObservation], **where: str | Getter) -> Teller:
    """Return a row: an observation, with the places of its members.

    A result without a place for its exit status has it in its words.

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
"""Rows by observation: somebody's words; a call, its result, a plan; changes of the context; facts;
failures, and changed files.
"""


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
"""Calls about a sub-agent's own plan."""

LONGEST_CHILD = 100
"""Maximum characters of a sub-agent's id."""


def of_child(child: str, its: observed.AnyObservation) -> Iterator[observed.AnyObservation]:
    """Yield an observation for a sub-agent's own session, and its calls' effects for this one, too."""
    yield observed.OfChild(line=its.line, child=f"agent-{child[:LONGEST_CHILD]}", seen=its)
    if isinstance(its, observed.ToolCall) and its.name not in OF_SUB_AGENTS:
        yield replace(its, in_text=True)
    elif isinstance(its, observed.ToolAnswer):
        yield replace(its, is_read=False)


def status(path: str, words: Mapping[Any, Status], otherwise: Status = "unknown") -> Getter:
    """Return the function that reads the end of a call from a word, or a flag, of the record.

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
    """Return the function that reads records with a table; kinds without a row are counted.

    :param kind: the place of a record's kind.
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
