"""Lists of messages and items in any form, and the programs that write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Unpack

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, sequence, string
from hud_runtime.observe._reader import FolderPlace, LinePlace, calls_in
from hud_runtime.observe.messages import (
    KINDS,
    ROLES,
    MessagePart,
    names,
    parts_of,
    read_message,
    words_of,
)
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Source, history_in

# Lists of messages in any form: all known content is read.
#
# The reader of messages knows the forms (:mod:`hud_runtime.observe.messages`); a format recognizes
# its files. Cursor's lines have no ids and no results: calls count as successful.

SUMMARIES = (
    "Context summary:",
    "<SYSTEM_NOTICE>\nEarlier context was compacted",
    "This session is being continued from a previous conversation",
)
"""The beginnings of summaries in the user role."""

PROMPT = "system-prompt"
"""The type of a system prompt among the parts of a request."""

TIME = rows.at("timestamp|ts|time", observed.milliseconds)


def _time(message: Record) -> int | None:
    """The time of a message, or of the prompt in it."""
    parts = map(mapping, sequence(message.get("parts")))
    prompts = (one for one in parts if one.get("part_kind") == "user-prompt")
    return TIME(message) or next(map(TIME, prompts), None)


PLACE = rows.members(timestamp=_time, directory="cwd")
ABOUT = rows.members(
    model="model|model_name|modelInfo.id|metadata.model|response_metadata.model_name",
    usage="usage|response_metadata.usage|usage_metadata|usageMetadata|metrics",
    used="usageMetadata.totalTokenCount",
)
"""The places of a message's data besides its words."""


def message_seen(
    message: Record, source: Source, at: FolderPlace, **about: Any
) -> Iterator[observed.AnyObservation]:
    """Yield the observations of one message.

    :param about: its further data.
    """
    word = string(message.get("role")) or string(message.get("type")) or string(message.get("kind"))
    said = read_message(message)
    if word not in SPEAKERS and not said.has("call", "result"):
        source.skip(word or "no role")
        return
    source.count_parts(said)
    own = "\n".join(each.words for each in said.parts if _is_own(each))
    if said.role == "assistant":
        yield observed.AgentMessage(**at, text=own, **{**ABOUT(message), **about})
    for part in said.parts:
        if part.type == PROMPT:
            yield observed.Background(**at, text=part.words)
        elif part.kind == "summary":
            yield observed.Compacted(**at, summary=part.words)
        yield from calls_in([part], **at)
        # A message that is an answer itself has no flag for failed calls.
        is_whole = part.type == message.get("type")
        yield from rows.answers_in([part._replace(type="") if is_whole else part], **at)
    if ROLES.get(word or "") == "system":
        yield observed.Background(**at, text=own)
    elif said.role != "assistant" and (own.strip() or said.has("media")):
        yield from _of_user(message, own, source, at)


def _is_own(part: MessagePart) -> bool:
    """Whether it has the speaker's words, in a part of a known type."""
    return part.kind == "text" and bool(part.value) and part.is_known and part.type != PROMPT


def _of_user(
    message: Record, text: str, source: Source, at: FolderPlace
) -> Iterator[observed.AnyObservation]:
    if "synthetic_reason" in message:
        source.skip("message of the program")
    elif text.lstrip().startswith(SUMMARIES):
        yield observed.Compacted(**at, summary=text)
    else:
        yield observed.UserMessage(**at, text=text)


SPEAKERS = frozenset({*ROLES, "tool_result", "request", "response"})
"""Roles, and types of messages that have none."""


# --- SDKs' messages ---


def _blocks(record: Record, name: str = "content") -> list[Record]:
    return [mapping(one) for one in sequence(record.get(name))]


def _is_bedrock(record: Record) -> bool:
    blocks = _blocks(record) if "role" in record else []
    return any(("toolUse" in one or "toolResult" in one) and "type" not in one for one in blocks)


def _is_vercel(record: Record) -> bool:
    kinds = [str(one.get("type")) for one in _blocks(record, "parts") if "role" in record]
    is_window = any(one.startswith(("tool-", "dynamic-tool", "step-start")) for one in kinds)
    return is_window or any(
        one.get("type") in ("tool-call", "tool-result") for one in _blocks(record)
    )


def _is_pydantic_ai(record: Record) -> bool:
    return record.get("kind") in ("request", "response") and "parts" in record


def _is_gemini(record: Record) -> bool:
    return record.get("role") in ("user", "model", "function") and observed.is_list(
        record.get("parts")
    )


_TYPES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "ToolMessage": "tool",
    "SystemMessage": "system",
}
"""The types of messages by the names of their classes."""


def _is_langchain(source: Source) -> str | None:
    if isinstance(mapping(source.first.get("values")).get("messages"), list):
        return "its values have messages"
    kinds = {found["type"] for one in source.head if (found := _langchain_message(one)) is not None}
    if not kinds.isdisjoint(("human", "ai", "tool")):
        return "its messages are of the types human, ai and tool"
    return None


def _langchain_message(record: Record) -> Record | None:
    """A message in any of the three forms."""
    if record.get("lc") == 1:
        name = str((sequence(record.get("id")) or ("",))[-1])
        fields = mapping(record.get("kwargs"))
        return {**fields, "type": _TYPES[name]} if name in _TYPES else None
    kind = str(record.get("type"))
    if kind not in (*_TYPES.values(), "AIMessageChunk"):
        return None
    if isinstance(record.get("data"), dict):
        return {**mapping(record["data"]), "type": kind}
    return record if "content" in record else None


def _begin_langchain(source: Source) -> rows.RecordReader:
    read = _begin_messages(source)
    return lambda line, one: read(line, _langchain_message(one) or {"type": one.get("type")})


def _begin_messages(source: Source) -> rows.RecordReader:
    return lambda line, one: message_seen(one, source, rows.placed(line, PLACE(one)))


SDKS = tuple(
    rows.Format.of_records(name, sign, begin, estimates=True, quiet={"cachePoint"})
    for name, sign, begin in (
        ("pydantic-ai", rows.has("requests and responses of parts", _is_pydantic_ai), _begin_messages),
        ("LangChain messages", _is_langchain, _begin_langchain),
        ("Vercel AI SDK", rows.has("parts of steps and tools", _is_vercel), _begin_messages),
        ("Bedrock Converse", rows.has("blocks that are toolUse and toolResult", _is_bedrock), _begin_messages),
        ("Gemini contents", rows.has("records with a role and parts", _is_gemini), _begin_messages),
    )
)  # fmt: skip
"""The formats of SDKs' messages."""


# --- Chat messages: OpenAI's style with its dialects, Anthropic's blocks, and simulated users ---

CONTENTS = frozenset({"content", "tool_calls", "function_call", "text"})
TYPES = frozenset({"user", "assistant", "tool_result", "system"})
"""Types that represent the role in some forms."""


def is_message(record: Record) -> bool:
    """Return whether a record is a message."""
    has_role = string(record.get("role")) or str(record.get("type")) in TYPES
    return bool(has_role) and not CONTENTS.isdisjoint(record)


def _is_chat(source: Source) -> str | None:
    """Return the reason to read a file as a list of chat messages, or None."""
    if any(map(is_message, source.head)):
        return "its records have a role and a content"
    if any("traj" in one and isinstance(one["traj"], list) for one in source.head[:1]):
        return "its results have a list of chat messages each"
    if any(isinstance(one.get("messages"), list) for one in source.head[:1]):
        return "its lines have a list of chat messages each"
    return None


def _begin_chat(source: Source) -> rows.RecordReader:
    """Begin a list of messages; anything else is counted."""
    told = _begin_messages(source)

    def read(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        inner = sequence(record.get("traj")) or history_in(record)
        own = [record] if inner is None or is_message(record) else map(mapping, inner)
        for one in own:
            yield from told(line, one)

    return read


CHAT = rows.Format.of_records(
    "chat messages",
    _is_chat,
    _begin_chat,
    estimates=True,
    quiet={"message of the program", "reasoning", "session_meta"},
)


# --- Lines with a message in each: Cursor's, Droid's, Pi's, Kimi's ---

LINE_PLACE = rows.members(timestamp="timestamp|time", directory="cwd")
TITLE = rows.told(observed.Title, text="sessionTitle|title")
LINE_SUMMARY = rows.told(observed.Compacted, summary="summary")


def _is_wrapped(source: Source) -> str | None:
    """Return the reason to read a file as lines with messages, or None."""
    roles = {string(_message_in(one).get("role")) for one in source.head}
    speaks = not roles.isdisjoint(("assistant", "model"))
    is_one = speaks or (roles == {"user"} and len(source.head) < _FEW)
    is_other = any("payload" in one for one in source.head)
    return "its lines have a message each" if is_one and not is_other else None


_FEW = 4
"""Lines that may be the beginning of a session without the agent's words."""


def _message_in(record: Record) -> Record:
    message = mapping(record.get("message"))
    role = string(message.get("role")) or string(record.get("role"))
    return (
        {**message, "role": role} if role and ("content" in message or "parts" in message) else {}
    )


def _begin_lines(source: Source) -> rows.RecordReader:
    """Begin a file; its first records show whether calls have answers."""
    has_answers = any(read_message(_message_in(one)).has("result") for one in source.head)

    def read(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        message = _message_in(record)
        at = rows.placed(line, LINE_PLACE(record))
        if not message:
            kind = string(record.get("type")) or "untyped"
            found = [*TITLE(record, at)] or [*LINE_SUMMARY(record, at)] * (kind == "compaction")
            yield from found
            if not found:
                source.skip(kind)
            return
        model = {"model": record["model"]} if string(record.get("model")) else {}
        for place, seen in enumerate(message_seen({**model, **message}, source, at)):
            if not isinstance(seen, observed.ToolCall) or seen.call_id is not None:
                yield seen
                continue
            call_id = f"{line}.{place}"
            yield replace(seen, call_id=call_id)
            if not has_answers:
                yield observed.ToolAnswer(**at, call_id=call_id, status="silent")

    return read


LINES = rows.Format.of_records(
    "messages in lines",
    _is_wrapped,
    _begin_lines,
    estimates=True,
    quiet=frozenset([
        "system", "session", "model_change", "thinking_level_change", "custom", "custom_message", "label",
    ]),
)  # fmt: skip


# Items of OpenAI's Responses: messages, calls and their outputs, each an item of its own. Codex
# writes the same items; their envelopes are in :mod:`._codex`.

OWN = {
    "web_search_call": "web_search", "file_search_call": "file_search", "image_generation_call": "image_generation",
    "code_interpreter_call": "code_interpreter", "tool_search_call": "tool_search",
}  # fmt: skip
"""The tools that the provider runs itself."""

OTHERS = names("other item")
"""Further items of the agent's turn."""

NAMES = {"local_shell_call": "shell", "shell_call": "shell", "apply_patch_call": "apply_patch"}
"""The tools of calls that have a type instead of a name."""

_RUNNING = re.compile(r"Process running with session ID (?P<id>[\w-]+)")
_HEADER = re.compile(r"\A(?:(?:Chunk ID|Wall time|Process exited|Process running|Original token count|Exit code|Total output lines|Warning)\b.*\n)+(?:Output:\n?)?")  # fmt: skip


def recognises_responses(source: Source) -> str | None:
    """Return the reason to read a file as a list of such items, or None."""
    if any(
        KINDS.get(str(one.get("type"))) in ("call", "result")
        and ("call_id" in one or "function" in one)
        for one in source.head
    ):
        return "its items call functions and answer them"
    if source.first.get("object") == "response" and observed.is_list(source.first.get("output")):
        return "it is a response with its output"
    return None


def begin_responses(source: Source) -> rows.RecordReader:
    """Begin a list of items."""
    items = ItemReader(source)

    def read(line: int, record: Record) -> Iterator[observed.AnyObservation]:
        if record.get("object") != "response":
            yield from items.item(record, line=line)
            return
        for one in sequence(record.get("output")):
            yield from items.item(mapping(one), line=line)
        usage = mapping(record.get("usage"))
        yield observed.ContextUsed(
            line=line,
            used=observed.whole(usage.get("total_tokens")) or None,
            usage=observed.usage_in(usage),
            model=string(record.get("model")),
        )

    return read


class ItemReader:
    """Reads items in order: consecutive ones of the agent are one turn."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._speaks = False
        self._running: dict[str, tuple[str, str]] = {}
        """The first call and the output so far of each running command, by its session."""
        self._inputs: dict[str, str] = {}
        """The session of the command to which a call writes, by the call."""
        self.model: str | None = None
        self.directory: str | None = None

    def item(self, item: Record, **at: Unpack[LinePlace]) -> Iterator[observed.AnyObservation]:
        """Yield the observations of one item."""
        type_ = string(item.get("type")) or ("message" if "role" in item else "untyped")
        kind = KINDS.get(type_, "other")
        if type_ == "message":
            yield from self._message(item, at)
        elif kind == "thought" or type_ in OTHERS or type_ in OWN:
            yield from self._begin(at)
            if type_ in OWN:
                yield observed.ToolCall(
                    **at, name=OWN[type_], call_id=string(item.get("id")), in_text=True
                )
        elif kind in ("call", "result"):
            for part in parts_of(item):
                yield from self._call(part, at) if part.kind == "call" else self._output(part, at)
        elif kind == "summary":
            yield observed.Compacted(
                **at, summary=words_of(item.get("summary") or item.get("content"))
            )
        else:
            self._source.skip(type_)

    def end_turn(self) -> None:
        """End a turn: the agent's next words begin a new one."""
        self._speaks = False

    def _begin(self, at: LinePlace, text: str = "") -> Iterator[observed.AnyObservation]:
        if not self._speaks:
            self._speaks = True
            yield observed.AgentMessage(**at, text=text, model=self.model, directory=self.directory)

    def _message(self, item: Record, at: LinePlace) -> Iterator[observed.AnyObservation]:
        said = read_message(item)
        if said.role == "assistant":
            yield from self._begin(at, said.text)
        elif item.get("role") == "user":
            self.end_turn()
            yield observed.UserMessage(**at, text=said.text)
        else:
            yield observed.Background(**at, text=said.text)

    def _call(self, part: MessagePart, at: LinePlace) -> Iterator[observed.AnyObservation]:
        yield from self._begin(at)
        if part.type == "apply_patch_call":
            done = part.arguments
            part = part._replace(value=patch([(str(done.get("path")), done.get("type"))]))
        part = part._replace(name=NAMES.get(part.type, part.name))
        if not part.name:
            self._source.skip("call without a name")
        for call in calls_in([part], **at):
            if call.name.endswith("write_stdin") and call.call_id is not None:
                self._inputs[call.call_id] = str(call.arguments.get("session_id"))
            yield call

    def _output(self, part: MessagePart, at: LinePlace) -> Iterator[observed.AnyObservation]:
        self._speaks = self._speaks and part.type == "mcp_call"  # its output is included
        call_id = part.id
        text, code, failed = _said(part)
        began = self._inputs.pop(call_id or "", None)
        running = _RUNNING.search(text[:1_000])
        body = _HEADER.sub("", text, count=1)
        if began is not None and began in self._running:
            # A call wrote to a running command, or waited for it: its status is the command's.
            yield observed.ToolAnswer(**at, call_id=call_id, status="done")
            call_id, before = self._running.pop(began)
            body = f"{before}{body}"[-50_000:]
        if running and call_id is not None:
            self._running[running["id"]] = (call_id, body)
            yield observed.ToolAnswer(**at, call_id=call_id, is_final=False)
            return
        yield observed.ToolAnswer(
            **at,
            text=body,
            call_id=call_id,
            exit_code=rows.exit_code_in(text) if code is None else code,
            status="failed" if failed else "unknown",
            data=observed.arguments(text) if text.startswith("{") else {},
        )


EXIT = rows.at(
    "metadata.exit_code|outcome.exit_code|exitCode|exit_code",
    lambda code: code if isinstance(code, int) else None,
)


def _said(part: MessagePart) -> tuple[str, int | None, bool]:
    """The text of an output, its exit status, and whether it reports a failure."""
    output: Any = part.value
    if isinstance(output, str):
        said: Record = observed.arguments(output) if output.startswith('{"') else {}
        if "output" not in said:
            return output, None, part.status == "failed"
        output = said
    pieces = [mapping(one) for one in sequence(output) or (output,)]
    code = next((one for one in map(EXIT, pieces) if one is not None), None)
    failed = part.status == "failed" or pieces[0].get("success") is False
    return words_of(output), code, failed


def patch(changes: Iterable[tuple[str, object]]) -> Record:
    """Return the arguments of a call that changes files: the path and the change of each.

    >>> patch([("a.py", "add")])["input"].splitlines()[1]
    '*** Add File: a.py'
    """
    lines = [f"*** {_PATCHES.get(str(kind), 'Update')} File: {path}" for path, kind in changes]
    return {"input": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}


_PATCHES = {"add": "Add", "create_file": "Add", "delete": "Delete", "delete_file": "Delete"}


RESPONSES = rows.Format.of_records(
    "OpenAI Responses items", recognises_responses, begin_responses, estimates=True
)
