"""Past sessions as data: their records and parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, Literal, NamedTuple, cast

from hud_components import Domain, HudSection, Trend, level_for
from hud_components.levels import Level
from hud_runtime._errors import EventError, HistoryError
from hud_runtime.observe._observations import Record, Usage, mapping, prose, sequence, string
from hud_runtime.tools import status_line
from hud_runtime.transcripts.formats._opencode import ERROR_TEXT, is_added
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import Operation, ToolResult
from ujsx.tools._names import folded

# The HUD operations of the tool ``memory``: each is one of the tool ``hud`` under another name.
# Their names, and those of the sections, come from the document that first described the tool.

DOCUMENTED = {
    "currenttask": "task",
    "keydecisions": "decisions",
    "activefiles": "files",
    "nextsteps": "steps",
}
"""The document's names of sections, without case and separators, and their names here."""


def hud_of(ctx: object) -> Any:
    """Return the session of the calling agent.

    :raises HistoryError: if the call has none.
    """
    if ctx is None:
        raise HistoryError("no session is known here, and the HUD is that of a session")
    return ctx


def hud(ctx: object, section: str | None = None) -> ToolResult:
    """Your HUD's state, or one section.

    :param section: current_task, key_decisions, active_files, notes, blockers, next_steps.
    """
    session = hud_of(ctx)
    if section is None:
        return called(ctx, "snapshot")
    one = _section(session.domain, section)
    return called(ctx, f"{one.name}.{'get' if one.kind is None else 'list'}")


def hud_update(ctx: object, section: str, value: str | list[str] | None = None) -> ToolResult:
    """A section anew: a text, or the whole list.

    :param section: As in hud.
    :param value: Nothing clears it.
    """
    session = hud_of(ctx)
    one = _section(session.domain, section)
    if one.kind is None:
        if isinstance(value, list):
            raise HistoryError(f"{one.name} is one text, and no list")
        if value is None or not value.strip():
            return hud_clear(ctx, section)
        setting = f"{one.name}.set"
        told = next(
            iter(session.domain.payload(session.domain.operations[setting].type).model_fields)
        )
        return called(ctx, setting, **{told: value})
    if value is None:
        return hud_clear(ctx, section)
    if not one.can_replace:
        raise HistoryError(f"{one.name} cannot be replaced as a whole")
    items = [value] if isinstance(value, str) else value
    before = session.state()
    known = {getattr(each, one.kind.text): each for each in getattr(before, one.field)}
    new = [
        _item(session.domain, one, each, known.get(each))
        for each in dict.fromkeys(items)
        if each.strip()
    ]
    try:
        session.record("section.replace", **{one.field: new})
    except EventError as error:
        raise type(error)(error.message.removeprefix("section.replace: ")) from error
    is_same = session.known is before
    text = "Nothing changed." if is_same else f"{one.title or one.name}: {len(new)} now."
    return _with_status(session, text)


def hud_note(ctx: object, note: str) -> ToolResult:
    """Add a note."""
    return called(ctx, "notes.add", content=note)


def hud_decision(ctx: object, decision: str, details: str | None = None) -> ToolResult:
    """Record a decision.

    :param details: Why.
    """
    more = {} if details is None else {"details": details}
    return called(ctx, "decisions.record", summary=decision, **more)


def hud_file(ctx: object, file: str, action: Literal["add", "remove"] = "add") -> ToolResult:
    """A file in use, or no longer."""
    operation = "files.open" if action == "add" else "files.close"
    return called(ctx, operation, path=file)


def hud_blocker(ctx: object, blocker: str, action: Literal["add", "remove"] = "add") -> ToolResult:
    """What is in the way, or no longer."""
    if action == "add":
        return called(ctx, "blockers.add", description=blocker)
    return called(ctx, "blockers.remove", id=blocker)


def hud_step(ctx: object, step: str) -> ToolResult:
    """Add a next step."""
    return called(ctx, "steps.add", description=step)


def hud_clear(ctx: object, section: str | None = None) -> ToolResult:
    """Empty a section, or all.

    :param section: As in hud; all of them when it is not given.
    """
    session = hud_of(ctx)
    if section is not None:
        one = _section(session.domain, section)
        return called(ctx, "section.clear", section=one.field)
    before = session.state()
    session.record("section.clear")
    is_same = session.known is before
    return _with_status(session, "Nothing changed." if is_same else "Cleared all sections.")


def operations(*, rare: bool) -> list[Operation]:
    """Return these operations.

    :param rare: whether only ``help`` lists them, and not the tool's schema.
    """
    written = (hud_update, hud_note, hud_decision, hud_file, hud_blocker, hud_step, hud_clear)
    return [
        Operation.of(hud, reads=True, rare=rare),
        *(Operation.of(each, rare=rare) for each in written),
    ]


def called(ctx: object, operation: str, **arguments: object) -> ToolResult:
    """Return the tool ``hud``'s answer to the same call."""
    result: ToolResult = hud_of(ctx).call("hud", {"call": {"op": operation, **arguments}})
    return result


def _with_status(session: Any, text: str) -> ToolResult:
    return ToolResult(f"{text}\n{status_line(session.known)}")


def _section(domain: Domain[Any], name: str) -> Any:
    """The section with any of its names."""
    sections: dict[str, type[HudSection]] = {}
    for place, one in domain.fields.items():
        if one.has_operations:
            sections |= {folded(place): one, folded(one.name): one}
    wanted = folded(name)
    found = sections.get(wanted) or sections.get(DOCUMENTED.get(wanted, ""))
    if found is None:
        known = [one.name for one in domain.fields.values() if one.has_operations]
        raise HistoryError(f"there is no section {quoted(name)}; {did_you_mean(name, known)}")
    return found


def _item(domain: Domain[Any], section: Any, text: str, known: Any) -> dict[str, object]:
    """An item of a list; an item with the same text stays unchanged."""
    if known is None:
        return {section.kind.text: text}
    kept: dict[str, object] = known.model_dump(include={*domain.replacement(section).model_fields})
    return kept


@dataclass(frozen=True, slots=True)
class PastSession:
    """A session, in a line."""

    id: str
    title: str
    project: str
    """Its working folder; empty if unknown."""

    created: int
    """Its start time, in milliseconds since the Unix epoch, as all times here."""

    updated: int
    """The time of its last change."""

    messages: int
    """The number of its messages."""

    parent: str | None = None
    """The session whose subagent ran it."""

    agent: str | None = None
    model: str | None = None
    cost: float | None = None
    """Its cost in the host's currency; None if unknown."""

    version: str | None = None
    """The version of the host at its start."""


@dataclass(frozen=True, slots=True)
class PastPart:
    """A part of a message: words, reasoning or a call."""

    id: str
    type: str
    """The kind of part, in the host's terms: "text", "tool", "compaction" …"""

    data: Record = field(repr=False)
    """The host's data; empty if it cannot be read."""

    length: int = 0
    """Its length in the database, in characters."""


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message of a session."""

    id: str
    session: str
    number: int
    """Its number in its session, from 1; 0 if not requested."""

    role: str
    created: int
    parts: tuple[PastPart, ...] = ()
    data: Record = field(default_factory=dict[str, object], repr=False)
    """The host's data."""

    left_out: int = 0
    """The number of its parts beyond the given ones."""


@dataclass(frozen=True, slots=True)
class Page:
    """Consecutive messages, oldest first, and their position in their session."""

    session: PastSession
    messages: tuple[PastMessage, ...]

    @property
    def first(self) -> int:
        """The number of the first; one more than the last number for an empty page."""
        return self.messages[0].number if self.messages else self.session.messages + 1


@dataclass(frozen=True, slots=True)
class MessageMatch:
    """A message with the words of a search."""

    session: str
    title: str
    message: str
    role: str
    created: int
    text: str
    """The words around the match."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search."""

    found: tuple[MessageMatch, ...]
    more: bool = False
    """True if there are more results after the page."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A compaction, and the text that replaced the conversation before it."""

    number: int
    """Its number in its session, from 1, the oldest first."""

    message: str
    """The id of the message with the summary; without one, of the message that requested it."""

    created: int
    summary: str
    """Empty if the compaction did not finish."""

    cause: str = ""
    """Its cause: "automatic", "overflow", or empty if somebody requested it."""


@dataclass(frozen=True, slots=True)
class ContextUse:
    """The size of a session's context at its model's last answer.

    >>> use = ContextUse("ses_1", Usage(2_000, 48_000, 0, 100), limit=200_000)
    >>> use.used, use.percentage, use.level
    (50100, 25.05, 'green')
    """

    session: str
    usage: Usage
    limit: int
    """The size of the model's context in tokens: by its name, as the database does not have it."""

    message: str = ""
    created: int = 0
    model: str | None = None
    trend: Trend | None = None
    is_compacted: bool = False
    """True if a compaction followed, so that less is used now."""

    @property
    def used(self) -> int:
        """Tokens in the context: input, output, and cached ones."""
        return self.usage.total

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent."""
        return 100 * self.used / self.limit

    @property
    def level(self) -> Level:
        """The level of the context, in one word."""
        return level_for(self.percentage)


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of sessions, messages and parts."""

    place: str
    """The database."""

    version: str | None
    """The last migration that OpenCode recorded; None for none, and empty for the HUD's own store."""

    counts: dict[str, int]
    """The numbers by kind: projects, sessions, subagents' sessions, messages, parts, todos, compactions."""

    first: int = 0
    """The start of the first session; 0 without sessions."""

    last: int = 0
    """The time of the last change."""

    remarks: tuple[str, ...] = ()
    """Sentences about what is not read."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that an agent wrote, in a file of its own."""

    name: str
    """The file's name, which identifies it."""

    title: str
    size: int
    """Bytes."""

    changed: int
    """The time of writing, in milliseconds since the epoch."""

    folder: str
    text: str = ""
    """Its text, if requested."""


def data_of(found: object) -> Any:
    """Return records as JSON data.

    >>> data_of([Plan("a.md", "A", 1, 2, "/plans")])[0]["name"]
    'a.md'
    """
    if isinstance(found, list | tuple):
        return [data_of(each) for each in cast("Sequence[object]", found)]
    return asdict(found) if is_dataclass(found) and not isinstance(found, type) else found


def context_data(use: ContextUse | None) -> dict[str, Any] | None:
    """Return a context's use and the figures derived from it."""
    derived = ("used", "percentage", "level")
    return (
        None if use is None else {**asdict(use), **{each: getattr(use, each) for each in derived}}
    )


# The parts of a message by kind: a table for showing and searching them.


class PartText(NamedTuple):
    """A text of a part."""

    text: str
    what: str = ""
    """Its description, in a line; empty for plain words."""
    is_code: bool = False
    """True if it is a program's input or output."""
    is_beside: bool = False
    """True if it is apart from the conversation: reasoning, and a program's additions to a prompt."""


def said_by(part: PastPart) -> list[PartText]:
    """Return the complete texts of a part; a part of an unknown kind is represented by its kind.

    >>> said_by(PastPart("prt_1", "text", {"text": "Add a login"}))
    [PartText(text='Add a login', what='', is_code=False, is_beside=False)]
    """
    tell = KINDS.get(part.type)
    return [PartText("", f"a part of the kind {part.type}")] if tell is None else [*tell(part.data)]


def text_of(part: PastPart) -> str:
    """Return all texts of a part."""
    return "\n".join(each for said in said_by(part) for each in (said.what, said.text) if each)


OWN = "memory"
"""The name of our tool, to which some hosts add a server's prefix."""


def searched_in(part: PastPart) -> str:
    """Return the searched text of a part: all its texts, except calls of our own tool.

    Those contain earlier queries and results: a search would find itself.

    >>> searched_in(PastPart("prt_1", "tool", {"tool": "ujsx_memory", "state": {"output": "Port 8080"}}))
    ''
    """
    name = string(part.data.get("tool")) or ""
    is_own = part.type == "tool" and (name == OWN or name.endswith(f"_{OWN}"))
    return "" if is_own else text_of(part)


def _when(text: str, what: str = "", **more: bool) -> Iterator[PartText]:
    """A text, if it is not empty."""
    if text:
        yield PartText(text, what, **more)


def _text(data: Record) -> Iterator[PartText]:
    is_beside = is_added(data)
    what = "added by the program" if is_beside else ""
    return _when(prose(data.get("text")), what, is_beside=is_beside)


def _tool(data: Record) -> Iterator[PartText]:
    state = mapping(data.get("state"))
    name = string(data.get("tool")) or "a tool"
    status = string(state.get("status")) or ""
    title = string(state.get("title"))
    ended = "" if status == "completed" else f" ({ENDED.get(status, status)})" if status else ""
    given = mapping(state.get("input"))
    yield PartText(_arguments(given), f"{name}{ended}{f': {title}' if title else ''}", is_code=True)
    result = prose(state.get("error")) if status == "error" else prose(state.get("output"))
    yield from _when(result, "its result", is_code=True)


ENDED: Mapping[str, str] = {"error": "failed", "running": "under way", "pending": "not begun"}
"""The states of calls in words; completed calls have none."""


def _arguments(given: Record) -> str:
    if len(given) == 1:
        [only] = given.values()
        if isinstance(only, str):
            return only
    return json.dumps(given, ensure_ascii=False, default=str) if given else ""


def _file(data: Record) -> Iterator[PartText]:
    source = mapping(data.get("source"))
    name = string(data.get("filename")) or string(source.get("path")) or "without a name"
    kind = string(data.get("mime"))
    yield PartText("", f"the file {name}{f' ({kind})' if kind else ''}")


def _patch(data: Record) -> Iterator[PartText]:
    files = [each for each in sequence(data.get("files")) if isinstance(each, str)]
    yield PartText("\n".join(files), "files changed", is_code=True)


def _compaction(data: Record) -> Iterator[PartText]:
    cause = cause_of(data)
    yield PartText("", f"the conversation was compacted{f' ({cause})' if cause else ''}")


def cause_of(data: Record) -> str:
    """Return the cause of a compaction, in a word."""
    words = (("overflow", "overflow"), ("auto", "automatic"))
    return next((word for name, word in words if data.get(name) is True), "")


def _retry(data: Record) -> Iterator[PartText]:
    message = ERROR_TEXT(mapping(data.get("error")))
    yield PartText(message or "", "tried again after an error", is_code=True)


KINDS: Mapping[str, Callable[[Record], Iterable[PartText]]] = {
    "text": _text,
    "reasoning": lambda data: _when(prose(data.get("text")), "reasoning", is_beside=True),
    "tool": _tool,
    "file": _file,
    "patch": _patch,
    "subtask": lambda data: [
        PartText(prose(data.get("prompt")), f"a subtask: {prose(data.get('description'))}")
    ],
    "agent": lambda data: [
        PartText("", f"the agent {string(data.get('name')) or 'without a name'}")
    ],
    "compaction": _compaction,
    "retry": _retry,
    **dict.fromkeys(("snapshot", "step-start", "step-finish"), lambda _: ()),
}
"""The texts of a part, by its kind in OpenCode's message schema."""
