"""Past sessions as data: what is told of them, part by part."""

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
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import Operation, ToolResult
from ujsx.tools._names import folded

# The operations of the tool ``memory`` on the HUD: each is one of the tool ``hud``, under another name.
#
# The names, and those of the sections, are of the document that the tool was first described in.

DOCUMENTED = {
    "currenttask": "task",
    "keydecisions": "decisions",
    "activefiles": "files",
    "nextsteps": "steps",
}
"""What the document calls sections, without case and separators, and what they are called here."""


def hud_of(ctx: object) -> Any:
    """Return the session whose agent calls.

    :raises HistoryError: where the call came without one.
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
        return _called(session, "snapshot")
    one = _section(session.domain, section)
    return _called(session, f"{one.name}.{'get' if one.kind is None else 'list'}")


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
        return _called(session, setting, **{told: value})
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
    return _called(hud_of(ctx), "notes.add", content=note)


def hud_decision(ctx: object, decision: str, details: str | None = None) -> ToolResult:
    """Record a decision.

    :param details: Why.
    """
    more = {} if details is None else {"details": details}
    return _called(hud_of(ctx), "decisions.record", summary=decision, **more)


def hud_file(ctx: object, file: str, action: Literal["add", "remove"] = "add") -> ToolResult:
    """A file in use, or no longer."""
    operation = "files.open" if action == "add" else "files.close"
    return _called(hud_of(ctx), operation, path=file)


def hud_blocker(ctx: object, blocker: str, action: Literal["add", "remove"] = "add") -> ToolResult:
    """What is in the way, or no longer."""
    if action == "add":
        return _called(hud_of(ctx), "blockers.add", description=blocker)
    return _called(hud_of(ctx), "blockers.remove", id=blocker)


def hud_step(ctx: object, step: str) -> ToolResult:
    """Add a next step."""
    return _called(hud_of(ctx), "steps.add", description=step)


def hud_clear(ctx: object, section: str | None = None) -> ToolResult:
    """Empty a section, or all.

    :param section: As in hud; all of them when it is not given.
    """
    session = hud_of(ctx)
    if section is not None:
        one = _section(session.domain, section)
        return _called(session, "section.clear", section=one.field)
    before = session.state()
    session.record("section.clear")
    is_same = session.known is before
    return _with_status(session, "Nothing changed." if is_same else "Cleared all sections.")


def operations(*, rare: bool) -> list[Operation]:
    """Return these operations.

    :param rare: whether the tool's schema leaves them out, and ``help`` alone tells of them.
    """
    written = (hud_update, hud_note, hud_decision, hud_file, hud_blocker, hud_step, hud_clear)
    return [
        Operation.of(hud, reads=True, rare=rare),
        *(Operation.of(each, rare=rare) for each in written),
    ]


def _called(session: Any, operation: str, **arguments: object) -> ToolResult:
    """The answer of the tool ``hud``, which is given the same call."""
    result: ToolResult = session.call("hud", {"call": {"op": operation, **arguments}})
    return result


def _with_status(session: Any, text: str) -> ToolResult:
    return ToolResult(f"{text}\n{status_line(session.known)}")


def _section(domain: Domain[Any], name: str) -> Any:
    """The section that is meant, by any of its names."""
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
    """An item of a list; one that says the same already stays as it is."""
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
    """The folder that it worked in; empty where nobody says."""

    created: int
    """When it began, in milliseconds since the Unix epoch; so are all times here."""

    updated: int
    """When something last happened in it."""

    messages: int
    """How many messages it has."""

    parent: str | None = None
    """The session whose subagent it was."""

    agent: str | None = None
    model: str | None = None
    cost: float | None = None
    """What it cost, in the currency of the host; None where the host does not say."""

    version: str | None = None
    """The version of the host that began it."""


@dataclass(frozen=True, slots=True)
class PastPart:
    """A part of a message: what was said, thought or called."""

    id: str
    type: str
    """What kind of part it is, in the host's words: "text", "tool", "compaction" …"""

    data: Record = field(repr=False)
    """What the host tells of it; empty where it cannot be read."""

    length: int = 0
    """Characters of it in the database."""


@dataclass(frozen=True, slots=True)
class PastMessage:
    """A message of a session."""

    id: str
    session: str
    number: int
    """Which one of its session, counted from 1; 0 where that was not asked for."""

    role: str
    created: int
    parts: tuple[PastPart, ...] = ()
    data: Record = field(default_factory=dict[str, object], repr=False)
    """What the host tells of it."""

    left_out: int = 0
    """Parts that it has beside those that are given."""


@dataclass(frozen=True, slots=True)
class Page:
    """Messages that follow each other, oldest first, and where they stand in their session."""

    session: PastSession
    messages: tuple[PastMessage, ...]

    @property
    def first(self) -> int:
        """The number of the first; one more than there are messages where it is empty."""
        return self.messages[0].number if self.messages else self.session.messages + 1


@dataclass(frozen=True, slots=True)
class MessageMatch:
    """A message that says the words of a search."""

    session: str
    title: str
    message: str
    role: str
    created: int
    text: str
    """The words around what was found."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of a search."""

    found: tuple[MessageMatch, ...]
    more: bool = False
    """Whether there is more behind the page."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A compaction, and what stands for the conversation before it."""

    number: int
    """Which one of its session, counted from 1, the oldest first."""

    message: str
    """The id of the message that has the summary; of the one that asked for it where there is none."""

    created: int
    summary: str
    """Empty where the compaction did not come to its end."""

    cause: str = ""
    """Why it was: "automatic", "overflow", or empty where somebody asked for it."""


@dataclass(frozen=True, slots=True)
class ContextUse:
    """The size of a session's context when its model last answered.

    >>> use = ContextUse("ses_1", Usage(2_000, 48_000, 0, 100), limit=200_000)
    >>> use.used, use.percentage, use.level
    (50100, 25.05, 'green')
    """

    session: str
    usage: Usage
    limit: int
    """Tokens that the model's context holds: by its name, as the database does not say."""

    message: str = ""
    created: int = 0
    model: str | None = None
    trend: Trend | None = None
    is_compacted: bool = False
    """Whether a compaction came after it, so that less is used now."""

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
    """The last migration that OpenCode notes; None where it notes none."""

    counts: dict[str, int]
    """By what is counted: projects, sessions, subagents' sessions, messages, parts, todos, compactions."""

    first: int = 0
    """When the first session began; 0 where there is none."""

    last: int = 0
    """When something last happened."""

    remarks: tuple[str, ...] = ()
    """What is not read, in sentences."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan that an agent has written, in a file of its own."""

    name: str
    """The file's name, by which it is read."""

    title: str
    size: int
    """Bytes."""

    changed: int
    """When it was written, in milliseconds since the epoch."""

    folder: str
    text: str = ""
    """What it says, where it was asked for."""


def data_of(found: object) -> Any:
    """Return records as JSON data.

    >>> data_of([Plan("a.md", "A", 1, 2, "/plans")])[0]["name"]
    'a.md'
    """
    if isinstance(found, list | tuple):
        return [data_of(each) for each in cast("Sequence[object]", found)]
    return asdict(found) if is_dataclass(found) and not isinstance(found, type) else found


def context_data(use: ContextUse | None) -> dict[str, Any] | None:
    """Return how full a context was, with what follows from it."""
    derived = ("used", "percentage", "level")
    return (
        None if use is None else {**asdict(use), **{each: getattr(use, each) for each in derived}}
    )


# The parts of a message by their kinds: a table, for the eye and for a search.


class PartText(NamedTuple):
    """Something that a part says."""

    text: str
    what: str = ""
    """What it is, in a line; empty for what somebody simply said."""
    is_code: bool = False
    """Whether it is what a program wrote or was given."""
    is_beside: bool = False
    """Whether it is beside the conversation: reasoning, and what a program put into a prompt."""


def said_by(part: PastPart) -> list[PartText]:
    """Return what a part says, nothing left out; one of a kind that is not known says its kind.

    >>> said_by(PastPart("prt_1", "text", {"text": "Add a login"}))
    [PartText(text='Add a login', what='', is_code=False, is_beside=False)]
    """
    tell = KINDS.get(part.type)
    return [PartText("", f"a part of the kind {part.type}")] if tell is None else [*tell(part.data)]


def text_of(part: PastPart) -> str:
    """Return all that a part says."""
    return "\n".join(each for said in said_by(part) for each in (said.what, said.text) if each)


OWN = "memory"
"""The name of our tool, which some hosts write behind that of a server."""


def searched_in(part: PastPart) -> str:
    """Return what a search looks through: what a part says, but for calls of our own tool.

    They hold the words that were searched for, and what was found: a search would find itself.

    >>> searched_in(PastPart("prt_1", "tool", {"tool": "ujsx_memory", "state": {"output": "Port 8080"}}))
    ''
    """
    name = string(part.data.get("tool")) or ""
    is_own = part.type == "tool" and (name == OWN or name.endswith(f"_{OWN}"))
    return "" if is_own else text_of(part)


def _when(text: str, what: str = "", **more: bool) -> Iterator[PartText]:
    """Something that is said, if it is."""
    if text:
        yield PartText(text, what, **more)


def _text(data: Record) -> Iterator[PartText]:
    is_added = data.get("synthetic") is True or data.get("ignored") is True
    return _when(
        prose(data.get("text")), "added by the program" if is_added else "", is_beside=is_added
    )


def _tool(data: Record) -> Iterator[PartText]:
    state = mapping(data.get("state"))
    name = string(data.get("tool")) or "a tool"
    status = string(state.get("status")) or ""
    title = string(state.get("title"))
    ended = "" if status == "completed" else f" ({ENDED.get(status, status)})" if status else ""
    given = mapping(state.get("input"))
    yield PartText(_arguments(given), f"{name}{ended}{f': {title}' if title else ''}", is_code=True)
    result = prose(state.get("error")) if status == "error" else prose(state.get("output"))
    if result:
        yield PartText(result, "its result", is_code=True)


ENDED: Mapping[str, str] = {"error": "failed", "running": "under way", "pending": "not begun"}
"""How a call stands, in words; nothing is said of one that came to its end."""


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
    """Return why a compaction was, in a word."""
    words = (("overflow", "overflow"), ("auto", "automatic"))
    return next((word for name, word in words if data.get(name) is True), "")


def _retry(data: Record) -> Iterator[PartText]:
    error = mapping(data.get("error"))
    message = string(mapping(error.get("data")).get("message")) or string(error.get("name")) or ""
    yield PartText(message, "tried again after an error", is_code=True)


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
"""By the kind of a part, as OpenCode's message schema names them, what it says."""
