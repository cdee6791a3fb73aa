"""OpenCode's sessions: its export, its database, and the folders of its former storage.

A message has parts; a call and its result are one part. A failed command is "completed" as well: its exit
status is in the part's metadata. Text that a plugin or the program added to a prompt is "synthetic".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Unpack

from hud_runtime._errors import HistoryError, TranscriptError
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._failures import refusals
from hud_runtime.observe._observations import Record, mapping, prose, sequence, string
from hud_runtime.observe._reader import FolderPlace, LinePlace, calls_in
from hud_runtime.observe.messages import KINDS, MEDIA, Status, parts_of
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._opencode_database import define_views, time_of
from hud_runtime.transcripts._source import Source, database, record_in, tables
from hud_runtime.transcripts.formats import Format, Table, each, members, reader, status, where
from hud_runtime.transcripts.formats import at as at_path

DIRECTORY = at_path("directory|location.directory")

PARTS = {*KINDS, *MEDIA, "tool"}
"""The known types of parts."""

Message = tuple[Record, list[Record]]
"""The data of a message, and its parts."""


def recognises(source: Source) -> str | None:
    """Return the reason to read a file, or a folder, as a session of OpenCode, or None."""
    if source.kind == "sqlite":
        found = {"session", "message", "part"} <= tables(source.path)
        return "it has the tables session, message and part" if found else None
    if source.kind == "folder":
        found = (source.path / "message").is_dir() and (source.path / "part").is_dir()
        return "it has the folders message and part" if found else None
    first = source.first
    info = mapping(first.get("info"))
    if "messages" in first and str(info.get("id", "")).startswith("ses"):
        return "it has a session's info and messages"
    if any(
        isinstance(one.get("info"), dict) and isinstance(one.get("parts"), list)
        for one in source.head
    ):
        return "its messages have an info and parts"
    return None


def observations(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of the messages."""
    if source.kind == "sqlite":
        about, messages, steps = _of_database(source)
    elif source.kind == "folder":
        about, messages, steps = _of_folder(source)
    else:
        about = mapping(source.first.get("info"))
        messages = [
            (mapping(one.get("info", one)), [mapping(each) for each in sequence(one.get("parts"))])
            for _, one in source.numbered
        ]
        steps = [mapping(one) for one in sequence(source.first.get("todos"))]
    directory = DIRECTORY(about)
    if title := string(about.get("title")):
        yield observed.Title(text=title, directory=directory)
    time = "time.created"
    read = reader(source, MESSAGES, kind_of, members(timestamp=time))
    second = reader(source, SECOND, "type", members(timestamp=time, directory=lambda _: directory))
    reverted = string(mapping(about.get("revert")).get("messageID"))
    for number, (info, parts) in enumerate(messages, start=1):
        blocks = parts or [mapping(each) for each in sequence(info.get("content"))]
        source.seen += max(1, len(blocks))
        for kind in (str(block.get("type")) for block in blocks):
            if kind not in PARTS:
                source.skip(kind)
        if reverted is not None and info.get("id") == reverted:
            source.skip("reverted message")
            break
        if "role" not in info and info.get("type") in SECOND:
            yield from second(number, info)
        else:
            yield from read(number, {**info, "parts": parts, "directory": directory})
    if steps:
        yield observed.PlanWritten(steps=steps_of(steps))


def steps_of(todos: object) -> tuple[tuple[str, str], ...]:
    """Return the text and the status of each item of a todo list."""
    items = map(mapping, sequence(todos))
    return tuple((prose(one.get("content")), str(one.get("status"))) for one in items)


def kind_of(message: Record) -> str | None:
    """Return the kind of a message by its data: "summary" for a compaction's, else its speaker or its type."""
    if message.get("role") == "assistant" and message.get("summary") is True:
        return "summary"
    return string(message.get("role")) or string(message.get("type"))


def _asked(message: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    if said := text_of(map(mapping, sequence(message.get("parts")))):
        here: FolderPlace = {**place, "directory": string(message.get("directory"))}
        yield observed.UserMessage(**here, text=said)


def _said(message: Record) -> str:
    return said_in(map(mapping, sequence(message.get("parts", message.get("content")))))


def _went_wrong(error: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    if error.get("name") != "MessageAbortedError":
        yield from FAILED(error, place)


def said_in(parts: Iterable[Record]) -> str:
    """Return the words in the parts of a message."""
    return "\n".join(prose(each.get("text")) for each in parts if each.get("type") == "text")


def is_added(part: Record) -> bool:
    """Return whether the program has added a part to a prompt."""
    return part.get("synthetic") is True or part.get("ignored") is True


def text_of(parts: Iterable[Record]) -> str:
    """Return the user's words in the parts of a message, without the program's additions."""
    own = [part for part in parts if part.get("type") == "text" and not is_added(part)]
    return said_in(own) if any(prose(part.get("text")) for part in own) else ""


def tool_seen(part: Record, **at: Unpack[FolderPlace]) -> Iterator[observed.AnyObservation]:
    """Yield a tool's part as observations: the call, and its result if it has ended."""
    metadata = mapping(mapping(part.get("state")).get("metadata"))
    is_named = string(part.get("tool")) is not None
    found = parts_of({**part, "type": "tool"}, is_opencode=True) if is_named else ()
    yield from calls_in(found, **at)
    for answer in found[1:]:
        text, code = answer.words, metadata.get("exit")
        refused = text.removeprefix("Error: ").startswith(refusals("opencode"))
        failed: Status = "refused" if refused else "failed"
        at.pop("directory", None)
        yield observed.ToolAnswer(
            **at,
            text=text,
            call_id=answer.id,
            status=failed if answer.status == "failed" else "done",
            exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
            data=metadata,
        )
        yield from _diagnosed(metadata, at)


def _diagnosed(metadata: Record, at: LinePlace) -> Iterator[observed.AnyObservation]:
    """A language server's diagnostics of an edited file."""
    for path, found in mapping(metadata.get("diagnostics")).items():
        for one in map(mapping, sequence(found)):
            if one.get("severity") == 1 and (message := string(one.get("message"))):
                yield observed.Failed(**at, message=f"{Path(path).name}: {message}")
                return


ERROR_TEXT = at_path("data.message|name", lambda name: string(name) or str(name))
"""The words of an error, else its name."""

SEEN_TOOL = where("type", "tool", lambda part, place: tool_seen(part, **place))
"""The reader of a tool's part; nothing for other parts."""

FAILED = rows.failed(message=ERROR_TEXT)
MESSAGES: Table = {
    "user": (
        each("parts", where("type", "compaction", rows.compacting(reason=lambda part: "auto" if part.get("auto") else ""))),
        _asked,
    ),
    "assistant": (
        rows.agent(text=_said, message_id="id", model="modelID", usage="tokens", directory="path.cwd|directory"),
        each("parts", SEEN_TOOL),
        each("error", _went_wrong),
    ),
    "summary": rows.compacted(summary=_said),
}  # fmt: skip
"""The readers of messages of the first version by kind: each reads the parts, including the tools'."""


# --- Messages of the second version: each has a type, and the assistant's a list of what it did ---


ENDED = rows.result(
    text="state.error.message|state.content",
    call_id="id",
    status=status("state.status", {"error": "failed"}, "done"),
    exit_code="state.structured.exit",
    data="state.structured",
)
SECOND: Table = {
    "user": rows.user(text="text", message_id="id"),
    "system": rows.background(text="text"),
    "shell": (
        rows.call(name="=bash", arguments=lambda one: {"command": prose(one.get("command"))}, call_id="callID"),
        rows.result(text="output", call_id="callID"),
    ),
    "assistant": (
        rows.agent(text=_said, message_id="id", model="model.id", usage="tokens"),
        each(
            "content",
            where("type", "tool", rows.call(name="name", arguments="state.input", call_id="id")),
            where("state.status", "completed", ENDED),
            where("state.status", "error", ENDED),
        ),
        each("error", rows.failed(message="message")),
    ),
    "compaction": (
        rows.compacting(reason="reason"), rows.compacted(summary="summary"),
    ),
}  # fmt: skip
"""The readers of messages by kind, as in the types of OpenCode's SDK 1.19.3."""


# --- Where it is stored ---

Stored = tuple[Record, list[Message], list[Record]]
"""The data of a session, its messages, and its todo list."""

MESSAGES_OF = "SELECT id, data FROM past_message WHERE session = :id ORDER BY created, id"
PARTS_OF = "SELECT message, data FROM past_part WHERE session = :id ORDER BY id"
STEPS_OF = "SELECT content, status FROM past_todo WHERE session = :id ORDER BY position"


def _of_database(source: Source) -> Stored:
    """The most recently used session."""
    import sqlite3

    try:
        with closing(database(source.path)) as db:
            define_views(db)
            rows = db.execute("SELECT * FROM past_session ORDER BY updated DESC").fetchall()
            if not rows:
                raise TranscriptError(f"{source.path} has no session in it")
            about = _chosen([dict(row) for row in rows], source)
            parts: dict[str, list[Record]] = {}
            for owner, data in db.execute(PARTS_OF, about):
                parts.setdefault(owner, []).append(record_in(data))
            messages: list[Message] = [
                ({**record_in(data), "id": one}, parts.get(one, []))
                for one, data in db.execute(MESSAGES_OF, about)
            ]
            steps: list[Record] = [dict(row) for row in db.execute(STEPS_OF, about)]
    except (HistoryError, sqlite3.Error) as error:
        raise TranscriptError(f"{source.path} cannot be read: {error}") from None
    return {**about, "revert": record_in(about["revert"])}, messages, steps


def _chosen(sessions: list[Record], source: Source) -> Record:
    """The requested session, else the newest without a parent; the others are noted."""
    ids = [str(one.get("id")) for one in sessions]
    roots = [one for one in sessions if not (one.get("parent") or one.get("parentID"))]
    wanted = [one for one in sessions if str(one.get("id")) == source.wanted]
    about = next(iter((*wanted, *roots, *sessions)))
    source.session_id = str(about.get("id"))
    for name, one in zip(ids, sessions, strict=True):
        if one is not about:
            source.others[name] = prose(one.get("title"))
    return about


def _of_folder(source: Source) -> Stored:
    """The most recently used session in a folder of JSON files."""
    sessions = [_file(path) for path in sorted(source.path.glob("session/**/*.json"))]
    sessions = [one for one in sessions if string(one.get("id"))]
    if not sessions:
        raise TranscriptError(f"{source.path} has no session in it: a file in the folder session")
    sessions.sort(key=lambda one: time_of(one, "updated"), reverse=True)
    about = _chosen(sessions, source)
    messages: list[Message] = []
    for path in sorted(source.path.glob(f"message/{about['id']}/*.json")):
        info = _file(path)
        owner = string(info.get("id")) or path.stem
        parts = [_file(one) for one in sorted(source.path.glob(f"part/{owner}/*.json"))]
        if not parts:
            loose = [_file(one) for one in sorted(source.path.glob("part/*.json"))]
            parts = [one for one in loose if one.get("messageID") == owner]
        messages.append((info, parts))
    messages.sort(key=lambda one: time_of(one[0], "created"))
    return about, messages, []


def _file(path: Path) -> Record:
    try:
        return record_in(path.read_text("utf-8", "replace"))
    except OSError:
        return {}


FORMAT = Format(
    "OpenCode",
    recognises,
    observations,
    quiet={"reverted message", "agent", "subtask", "retry", "synthetic", "agent-switched", "model-switched"},
)  # fmt: skip
