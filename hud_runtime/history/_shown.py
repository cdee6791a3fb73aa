"""Past sessions as Markdown made of components: comparisons and transcripts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any

from hud_components.words import cut, line
from hud_runtime._errors import HistoryError
from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._records import (
    Checkpoint,
    ContextUse,
    Counts,
    Page,
    PartText,
    PastMessage,
    PastPart,
    PastSession,
    Plan,
    SearchResult,
    said_by,
    text_of,
)
from hud_runtime.observe._observations import mapping, prose, sequence, string, usage_in
from hud_runtime.transcripts.formats._opencode import kind_of
from ujsx import Child, fragment, render
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Item,
    List,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    code,
    em,
    strong,
)
from ujsx.text import paragraphs

CHANGES = frozenset({"edit", "multiedit", "write"})
"""Tools of OpenCode that change a file."""

PATHS = ("filePath", "path")
"""Their arguments with its name."""

MOST_FILES = 10_000
"""Maximum files of each session that are remembered."""


@dataclass(slots=True)
class SessionFigures:
    """The totals of a session."""

    session: PastSession
    roles: Counter[str] = field(default_factory=Counter[str])
    """The number of messages by role."""

    tools: Counter[str] = field(default_factory=Counter[str])
    """The number of calls by tool."""

    failed: int = 0
    """Calls that failed."""

    errors: int = 0
    """Answers that ended in an error."""

    compactions: int = 0
    output: int = 0
    """Tokens that the model wrote."""

    largest: int = 0
    """The maximum tokens in the context."""

    models: Counter[str] = field(default_factory=Counter[str])
    files: set[str] = field(default_factory=set[str])
    """The changed files."""

    def take(self, message: PastMessage) -> None:
        """Count a message."""
        self.roles[message.role] += 1
        data = message.data
        self.errors += bool(mapping(data.get("error")))
        self.compactions += kind_of(data) == "summary"
        usage = usage_in(mapping(data.get("tokens")))
        if usage is not None:
            self.output += usage.output
            self.largest = max(self.largest, usage.total)
        if model := string(data.get("modelID")):
            self.models[model] += 1
        for part in message.parts:
            self._take_part(part)

    def _take_part(self, part: PastPart) -> None:
        if part.type == "patch":
            self._changed(each for each in sequence(part.data.get("files")))
        if part.type != "tool":
            return
        name, state = string(part.data.get("tool")) or "", mapping(part.data.get("state"))
        self.tools[name] += 1
        self.failed += state.get("status") == "error"
        if name in CHANGES and state.get("status") == "completed":
            given = mapping(state.get("input"))
            self._changed(given.get(each) for each in PATHS)

    def _changed(self, paths: Iterable[object]) -> None:
        for path in paths:
            if isinstance(path, str) and path and len(self.files) < MOST_FILES:
                self.files.add(path)


@dataclass(frozen=True, slots=True)
class SessionComparison:
    """Two sessions."""

    left: SessionFigures
    right: SessionFigures
    same: int
    """The number of equal messages at the beginning: those that a fork has copied."""


def compare(history: OpenCodeHistory, left: str, right: str) -> SessionComparison:
    """Return the figures of two sessions, read once, with one page of messages in memory at a time.

    :raises HistoryError: if there is no such session.
    """
    one, other = (SessionFigures(history.session(each)) for each in (left, right))
    same, is_same = 0, True
    pairs = zip_longest(
        history.all_messages(one.session.id), history.all_messages(other.session.id)
    )
    for first, second in pairs:
        for figures, message in ((one, first), (other, second)):
            if message is not None:
                figures.take(message)
        is_same = (
            is_same and first is not None and second is not None and _says_the_same(first, second)
        )
        same += is_same
    return SessionComparison(one, other, same)


def _says_the_same(one: PastMessage, other: PastMessage) -> bool:
    return one.role == other.role and [*map(text_of, one.parts)] == [*map(text_of, other.parts)]


# A session as a transcript, in the format of OpenCode's own export or as Markdown, with one page in
# memory at a time. :func:`hud_runtime.read_transcript`, and so ``ujsx session import``, reads the
# former, and so does OpenCode.

FIELDS: Mapping[str, str] = {
    "id": "id", "slug": "slug", "project": "projectID", "workspace": "workspaceID", "directory": "directory",
    "path": "path", "parent": "parentID", "title": "title", "agent": "agent", "version": "version", "cost": "cost",
}  # fmt: skip
"""Columns of a session, and their names in OpenCode's export."""

OBJECTS = ("model", "revert", "permission", "metadata")
"""The columns with JSON."""

TIMES = {each: each for each in ("created", "updated", "compacting", "archived")}
SUMMARY = {each: each for each in ("additions", "deletions", "files")}
TOKENS: Mapping[str, str] = {
    "tokens_input": "input", "tokens_output": "output", "tokens_reasoning": "reasoning",
}  # fmt: skip
CACHED: Mapping[str, str] = {"tokens_cache_read": "read", "tokens_cache_write": "write"}


def exported(history: OpenCodeHistory, session: str) -> Iterator[str]:
    """Yield the pieces of a JSON text: the session's data, its todo list, and its messages with their
    parts.

    A message or a part that is invalid JSON in the database has its id alone.

    :raises HistoryError: if there is no such session.
    """
    about = history.about(session)
    todos = [
        {"content": what, "status": status} for what, status in history.todos(str(about["id"]))
    ]
    yield f'{{"info": {_json(_info(about))},\n"todos": {_json(todos)},\n"messages": ['
    end = ""
    for message in history.all_messages(str(about["id"]), whole=True):
        yield f"{end}\n{_json(_message(message))}"
        end = ","
    yield "\n]}\n"


def _info(about: Mapping[str, Any]) -> dict[str, Any]:
    info = _named(about, FIELDS)
    info |= {name: _value(about[name]) for name in OBJECTS if about[name] is not None}
    summary = _named(about, SUMMARY)
    if summary:
        diffs = _value(about["diffs"])
        info["summary"] = summary | ({"diffs": diffs} if diffs is not None else {})
    tokens = _named(about, TOKENS)
    if tokens:
        info["tokens"] = tokens | {"cache": _named(about, CACHED)}
    if url := string(about["share"]):
        info["share"] = {"url": url}
    info["time"] = _named(about, TIMES)
    return info


def _named(about: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: about[column] for column, name in names.items() if about[column] is not None}


def _value(text: object) -> Any:
    """The content of a JSON column, which may be a list."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        return text


def _message(message: PastMessage) -> dict[str, Any]:
    owner = {"sessionID": message.session}
    parts = [
        {**each.data, "id": each.id, "messageID": message.id, **owner} for each in message.parts
    ]
    return {"info": {**message.data, "id": message.id, **owner}, "parts": parts}


def _json(value: object) -> str:
    """JSON with escapes for invalid text; a column of bytes is decoded as far as possible."""
    text = json.dumps(value, ensure_ascii=False, default=_decoded)
    return text if text.isascii() or text.isprintable() else json.dumps(value, default=_decoded)


def _decoded(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else repr(value)


TITLE = 60
"""Maximum characters of a title in a table."""

WORDS = 2_000
"""Maximum characters of somebody's words in a transcript; a single message is shown whole."""

OUTPUT = 400
"""Maximum characters of a tool's input, and of its output, in a transcript."""

PREVIEW = 160
"""Maximum characters of a summary's beginning in a list."""


def written(node: Child) -> str:
    """Return a node as Markdown, in which texts are escaped."""
    return render(fragment(node)).rstrip("\n")


def moment(milliseconds: int) -> str:
    """Return a time to the minute, in UTC.

    >>> moment(1_700_000_000_999), moment(0), moment(2**60)
    ('2023-11-14 22:13', '', '1152921504606846976 ms')
    """
    if not milliseconds:
        return ""
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):  # beyond the year 9999
        return f"{milliseconds} ms"


def table_of(heads: Sequence[str], rows: Iterable[Sequence[Child]]) -> Child:
    """A table with a head."""
    head = TableRow()[[TableCell()[each] for each in heads]]
    return Table()[head, [TableRow()[[TableCell()[each] for each in row]] for row in rows]]


# --- Sessions ---


def shown_counts(counts: Counts) -> Child:
    """The amount of data, and notes on what is not read."""
    rows = [[name, f"{count:,}"] for name, count in counts.counts.items()]
    if counts.first:
        rows += [["from", moment(counts.first)], ["to", moment(counts.last)]]
    if counts.version != "":
        rows.append(["last migration", counts.version or "none is noted"])
    remarks = [Paragraph()[em(each)] for each in counts.remarks]
    return [table_of(["", ""], rows), remarks]


def shown_sessions(sessions: Sequence[PastSession], after: int = 0, *, more: bool = False) -> Child:
    """Sessions in a table, and the call for the next page."""
    if not sessions:
        return Paragraph()["No sessions." if not after else f"None after {after}."]
    rows = [
        [
            code(each.id),
            line(each.title, TITLE),
            f"{each.messages:,}",
            moment(each.updated),
            place_of(each),
        ]
        for each in sessions
    ]
    table = table_of(["session", "title", "messages", "last used (UTC)", "folder"], rows)
    next_page = Paragraph()["More: ", code("after"), f" {after + len(sessions)}"] if more else None
    return [table, next_page]


def place_of(session: PastSession) -> Child:
    """The working folder of a session."""
    return code(line(session.project)) if session.project else ""


# --- Messages ---


def shown_page(page: Page) -> Child:
    """A page of a conversation, and its position."""
    about = page.session
    title = line(about.title, TITLE) or about.id
    if not page.messages:
        return [Paragraph()[strong(title)], Paragraph()["No messages."]]
    last = page.messages[-1].number
    which = f"Message {last}" if last == page.first else f"Messages {page.first}–{last}"
    where: list[Child] = [f"{which} of {about.messages} in ", code(about.id)]
    if page.first > 1:
        where += ["; those before: ", code("before"), f" {page.first}"]
    return Section(title=title)[Paragraph()[where], [_transcribed(each) for each in page.messages]]


def shown_transcript(session: PastSession, messages: Iterable[PastMessage]) -> Iterator[str]:
    """Yield a whole conversation as Markdown, one message at a time, without cuts."""
    about = [
        f"{session.messages:,} messages, {moment(session.created)} to {moment(session.updated)} UTC"
    ]
    title = line(session.title) or session.id
    yield written(
        Section(title=title)[Paragraph()[code(session.id), ": ", about, ", ", place_of(session)]]
    )
    for message in messages:
        yield f"\n\n{written(shown_message(message))}"
    yield "\n"


def shown_message(message: PastMessage) -> Child:
    """A message with all its parts, without cuts."""
    body = [_whole(each) for each in _told(message)]
    return _headed(message, body or Paragraph()["It says nothing."])


def _transcribed(message: PastMessage) -> Child:
    said = [_cut(each, message.id) for each in _told(message) if not each.is_beside]
    return _headed(message, said)


def _headed(message: PastMessage, said: Child) -> Child:
    """A message: its head, its words, and the number of its further parts."""
    model = message.data.get("modelID")
    by = [f" ({line(model)})"] if isinstance(model, str) else []
    number = [f"{message.number}. "] if message.number else []
    summary = [", the summary of a compaction"] if kind_of(message.data) == "summary" else []
    head = strong(*number, message.role, *by)
    left = [Paragraph()[em(f"… {message.left_out:,} more parts")]] if message.left_out else []
    return [
        Paragraph()[head, *summary, f" {moment(message.created)} ", code(message.id)],
        said,
        left,
    ]


def _told(message: PastMessage) -> Iterator[PartText]:
    for part in message.parts:
        if part.type == "too long":
            yield PartText(
                "", f"a part of {part.length:,} characters, which is too long to be shown"
            )
        elif part.type == "unreadable":
            yield PartText("", f"a part that cannot be read ({part.length:,} characters)")
        else:
            yield from said_by(part)
    error = mapping(message.data.get("error"))
    if error:
        said = prose(mapping(error.get("data")).get("message"))
        yield PartText(said, f"it ended in an error: {prose(error.get('name'))}", is_code=True)


def _cut(said: PartText, owner: str) -> Child:
    """A text as shortened for a transcript, and the call for the rest."""
    width = OUTPUT if said.is_code else WORDS
    missing = len(said.text) - width
    if missing <= 0:
        return _whole(said)
    rest = Paragraph()[em(f"… {missing:,} more characters: "), code(f"message {owner}")]
    return [_whole(said._replace(text=said.text[:width])), rest]


def _whole(said: PartText) -> Child:
    label = Paragraph()[em(line(said.what))] if said.what else None
    if not said.text:
        return label
    if said.is_code:
        return [label, CodeBlock(value=said.text)]
    return [label, BlockQuote()[[Paragraph()[each] for each in paragraphs(said.text)]]]


# --- What is looked for ---


def shown_found(result: SearchResult, after: int = 0) -> Child:
    """The hits of a search, the newest first."""
    if not result.found:
        return ["Nothing found." if not after else f"None after {after}."]
    rows = List()[
        [
            Item()[
                code(each.message), f" {each.role}, {moment(each.created)}, in ", code(each.session),
                f" {line(each.title, TITLE)}: {line(each.text, 2 * PREVIEW)}",
            ]
            for each in result.found
        ]
    ]  # fmt: skip
    last = after + len(result.found)
    return [rows, Paragraph()["More: ", code("after"), f" {last}"] if result.more else None]


def shown_checkpoints(found: Sequence[Checkpoint]) -> Child:
    """The compactions of a session, each with the beginning of its summary."""
    if not found:
        return Paragraph()["No compactions."]
    return List(ordered=True)[[Item()[_checkpoint(each)] for each in found]]


def _checkpoint(one: Checkpoint) -> Child:
    cause = f" ({one.cause})" if one.cause else ""
    if not one.summary:
        return f"{moment(one.created)}{cause}: it left no summary"
    begins = cut(line(one.summary), PREVIEW)
    return f"{moment(one.created)}{cause}, {len(one.summary):,} characters: {begins}"


def checkpoint_of(found: Sequence[Checkpoint], number: int) -> Checkpoint:
    """Return a compaction by its number, from 1 on.

    :raises HistoryError: if there are fewer.
    """
    if not 1 <= number <= len(found):
        counted = "is one compaction" if len(found) == 1 else f"are {len(found)} compactions"
        raise HistoryError(f"there is no compaction {number}: there {counted}, counted from 1")
    return found[number - 1]


def shown_checkpoint(one: Checkpoint, total: int) -> Child:
    """A whole summary."""
    cause = f", {one.cause}" if one.cause else ""
    head = Paragraph()[
        f"Compaction {one.number} of {total}, {moment(one.created)}{cause}, ", code(one.message)
    ]
    body = [Paragraph()[each] for each in paragraphs(one.summary)]
    return [head, BlockQuote()[body] if body else Paragraph()["It left no summary."]]


def shown_context(use: ContextUse | None) -> Child:
    """The size of a context, in exact figures."""
    if use is None:
        return Paragraph()["The model has not answered yet."]
    parts = {
        "input": use.usage.input, "read from the cache": use.usage.cache_read,
        "written to it": use.usage.cache_write, "output": use.usage.output,
    }  # fmt: skip
    rows: list[Child] = [
        f"{use.used:,} of {use.limit:,} tokens used, {use.percentage:.2f}%: {use.level}; {use.limit - use.used:,} left",
        f"of them: {', '.join(f'{name} {count:,}' for name, count in parts.items())}",
        [
            "read in ",
            code(use.message),
            f" {moment(use.created)}",
            f", {line(use.model)}" if use.model else "",
        ],
    ]
    if use.trend:
        rows.append(use.trend)
    if use.is_compacted:
        rows.append("a compaction came after it, so that less is used now")
    return List()[[Item()[each] for each in rows]]


def shown_plans(found: Sequence[Plan]) -> Child:
    """Plans in a table."""
    if not found:
        return Paragraph()["No plans."]
    rows: list[list[Child]] = [
        [code(line(each.name)), line(each.title, TITLE), f"{each.size:,}", moment(each.changed)]
        for each in found
    ]
    return table_of(["plan", "title", "bytes", "written (UTC)"], rows)


def shown_plan(plan: Plan) -> Child:
    """A whole plan, as in its file."""
    return [
        Paragraph()[code(line(plan.name)), f", {moment(plan.changed)}"],
        CodeBlock(value=plan.text, lang="markdown"),
    ]


# Two sessions side by side, as Markdown.

LISTED = 30
"""Files that are listed on each side of a comparison."""


def shown_comparison(both: SessionComparison) -> Child:
    """Two sessions side by side."""
    left, right = both.left, both.right
    sides = [[*_figures(left)], [*_figures(right)]]
    rows: list[list[Child]] = [
        [name, one, other] for (name, one), (_, other) in zip(*sides, strict=True)
    ]
    table = table_of(["", line(left.session.title, TITLE), line(right.session.title, TITLE)], rows)
    lists = {
        "changed in both": left.files & right.files,
        "changed in the first alone": left.files - right.files,
        "changed in the second alone": right.files - left.files,
    }
    same = (
        f"The first {both.same:,} messages say the same."
        if both.same
        else "They begin in different ways."
    )
    return [
        table,
        Paragraph()[same],
        [_files(name, files) for name, files in lists.items() if files],
    ]


def _figures(one: SessionFigures) -> Iterator[tuple[str, Child]]:
    about = one.session
    yield "session", code(about.id)
    yield "folder", place_of(about)
    yield "from", moment(about.created)
    yield "to", moment(about.updated)
    yield "messages", f"{about.messages:,}" + _counted(one.roles)
    yield "calls of tools", f"{one.tools.total():,}" + _counted(one.tools)
    yield "calls that failed", f"{one.failed:,}"
    yield "answers that ended in an error", f"{one.errors:,}"
    yield "compactions", f"{one.compactions:,}"
    yield "tokens in the context at most", f"{one.largest:,}"
    yield "tokens written", f"{one.output:,}"
    yield "models", line(", ".join(sorted(one.models)))
    yield "files changed", f"{len(one.files):,}"


def _counted(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{line(name)} {count:,}" for name, count in sorted(counts.items()))
    return f" ({told})" if told else ""


def _files(name: str, files: set[str]) -> Child:
    rows = [Item()[code(line(each))] for each in sorted(files)[:LISTED]]
    more = len(files) - LISTED
    return [
        Paragraph()[f"{name}:"],
        List()[rows, Item()[em(f"… {more:,} more")] if more > 0 else None],
    ]
