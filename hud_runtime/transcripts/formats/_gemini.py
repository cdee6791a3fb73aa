"""Gemini CLI's sessions (JSON, and JSON lines since 0.40).

Calls and their results are in one message. In lines, a repeated id replaces the earlier record, ``$set``
changes the session's data, and ``$rewindTo`` undoes a message and all after it. A follower of the file may
already have recorded these; their prompts no longer count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, takewhile

from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, sequence, string
from hud_runtime.observe._reader import FolderPlace
from hud_runtime.observe.messages import Status, parts_of, read_message
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Numbered, Source
from hud_runtime.transcripts.formats import Format, Table, at, each, exit_code_in, reader

STATUSES: dict[str, Status] = {"success": "unknown", "error": "failed", "cancelled": "refused"}
"""A command that fails counts as a success here."""


def recognises(source: Source) -> str | None:
    """Return the reason to read a file as a session of Gemini CLI, or None."""
    if "projectHash" in source.first and "sessionId" in source.first:
        return "it has a session's id and a project's hash"
    if any("$set" in one or "$rewindTo" in one for one in source.head):
        return "its lines change what is told about the session"
    return None


def observations(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of the messages."""
    read = reader(source, MESSAGES, _kind_of)
    for one in _latest(source) if source.kind == "lines" else source.records():
        yield from [one] if isinstance(one, observed.Undone) else read(*one)


def _latest(source: Source) -> Iterator[Numbered | observed.Undone]:
    """The final messages of a file of lines, and the records that undid some of them."""
    told: list[Numbered | observed.Undone] = []
    kept: dict[str, int] = {}
    """The positions of the messages that count."""

    def take_back(line: int, since: int) -> None:
        gone = list(kept)[since:]
        prompts = (one for one in gone if _is_prompt(told[kept[one]]))
        if first := next(prompts, None):
            told.append(observed.Undone(line=line, since=first))
        for one in gone:
            del kept[one]

    def take(name: str, message: Numbered) -> None:
        if name in kept:  # it keeps its position
            told[kept[name]] = (_line(told[kept[name]]), message[1])
        else:
            kept[name] = len(told)
            told.append(message)

    for line, record in source.records():
        said = mapping(record.get("$set"))
        back = string(record.get("$rewindTo"))
        if back is not None:
            take_back(line, list(kept).index(back) if back in kept else 0)
        elif isinstance(said.get("messages"), list):
            anew = {
                str(one.get("id") or f"{line}.{place}"): one
                for place, one in enumerate(map(mapping, sequence(said["messages"])))
            }
            pairs = takewhile(lambda pair: pair[0] == pair[1], zip(kept, anew, strict=False))
            take_back(line, sum(1 for _ in pairs))
            for name, one in anew.items():
                take(name, (line, one))
        elif (own := string(record.get("id"))) and "type" in record:
            take(own, (line, record))
        elif "$set" not in record and "sessionId" not in record:
            source.skip(record.get("type"))
    yield from told


def _is_prompt(one: Numbered | observed.Undone) -> bool:
    return not isinstance(one, observed.Undone) and one[1].get("type") == "user"


def _line(one: Numbered | observed.Undone) -> int:
    return one.line if isinstance(one, observed.Undone) else one[0]


def _kind_of(message: Record) -> str | None:
    if (kind := string(message.get("type"))) != "user":
        return kind
    text = _text(message.get("content"))
    return "summary" if "<state_snapshot>" in text[:2_000] else kind if text.strip() else NO_TEXT


def summary_in(record: Record) -> str:
    """Return the summary at the beginning of a rewritten history; empty for none."""
    history = map(mapping, sequence(mapping(record.get("$set")).get("messages")))
    texts = (_text(one.get("content")) for one in history if _kind_of(one) == "summary")
    return next(texts, "")


NO_TEXT = "user message without a text"
CALL = rows.call(name="name", arguments="args", call_id="id")


def _ended(call: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    if not string(call.get("name")) or (
        "result" not in call and str(call.get("status")) not in STATUSES
    ):
        return
    parts = chain.from_iterable(map(parts_of, sequence(call.get("result"))))
    text = "\n".join(each.words for each in parts) or _text(call.get("resultDisplay"))
    text = _WRAPPED.sub(r"\g<text>", text)
    status = STATUSES.get(str(call.get("status")), "unknown")
    yield observed.ToolAnswer(
        **place, text=_output(text), call_id=string(call.get("id")), status=status, exit_code=_exit_code(text)
    )  # fmt: skip


def called(call: Record) -> Iterator[observed.AnyObservation]:
    """Yield a call and its result; the hosts' hooks have the same form."""
    yield from CALL(call, {})
    yield from _ended(call, {})


def _exit_code(text: str) -> int | None:
    """The exit status of a command; newer versions have it only if it is not 0."""
    match = _CODE.search(text[-1_000:])
    if match:
        return int(match[1])
    is_report = text.startswith(("Command: ", "Output: "))
    return 0 if is_report else exit_code_in(text)


_WRAPPED = re.compile(r"\A<untrusted_context>\n(?P<text>[\s\S]*)\n</untrusted_context>\s*")
"""The host's own marks around the output of a tool."""

_CODE = re.compile(r"^Exit Code: (-?\d{1,6})\s*$", re.MULTILINE)


def _output(text: str) -> str:
    """The output of a command, extracted from its report."""
    if not text.startswith("Command: "):
        return text
    kept = [
        line.removeprefix("Output: ") for line in text.splitlines() if not line.startswith(_REPORT)
    ]
    return "\n".join(kept)


_REPORT = (
    "Command: ",
    "Directory: ",
    "Error: (none)",
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
)


def _text(content: object) -> str:
    return read_message({"parts": mapping(content).get("parts", content)}).text


TEXT = at("content", _text)
AGENT = rows.agent(
    text=TEXT, message_id="id", used="tokens.total|tokens.input+tokens.output", usage="tokens", model="model"
)  # fmt: skip
MESSAGES: Table = {
    "user": rows.user(text=lambda one: _text(one.get("displayContent")) or TEXT(one), message_id="id"),
    "summary": rows.compacted(summary=TEXT),
    **dict.fromkeys(("gemini", "assistant", "model", "qwen"), (AGENT, each("toolCalls", CALL, _ended))),
}  # fmt: skip

FORMAT = Format(
    "Gemini CLI",
    recognises,
    observations,
    quiet={"info", "warning", "error", NO_TEXT},
)
