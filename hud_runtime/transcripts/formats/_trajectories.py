"""Trajectories of open agents and of evaluations: OpenHands, SWE-agent, mini-SWE-agent, Harbor's ATIF, Inspect's logs."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from hud_runtime._errors import TranscriptError
from hud_runtime.observe import _observations as observed
from hud_runtime.observe._observations import Record, mapping, prose, sequence, string
from hud_runtime.observe._reader import FolderPlace, calls_in
from hud_runtime.observe.messages import Status, read_message
from hud_runtime.transcripts import formats as rows
from hud_runtime.transcripts._source import Numbered, Source
from hud_runtime.transcripts.formats._messages import message_seen

# OpenHands' trajectories of the first kind: actions and observations, each an event. A failed edit
# has the message "I edited the file" and begins with "ERROR:". A prompt is wrapped in elements.

TOOLS: dict[str, str] = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "edit": "str_replace_editor",
    "write": "write_file",
    "read": "read_file",
    "task_tracking": "task_tracker",
    "think": "think",
    "browse": "browse",
    "browse_interactive": "browse",
    "delegate": "delegate",
    "finish": "finish",
    "call_tool_mcp": "mcp",
}
"""The tools that actions represent."""

SILENT = frozenset({"agent_state_changed", "null", "recall", "agent_think", "think"})
"""Observations without meaning."""

_RECORD = frozenset({"instance_id", "git_patch"})
_ERROR = re.compile(r"\AERROR:\s*")
_ANSWERED = "observation"
QUIET_ANSWER = "an observation of nothing"

KNOWN = {
    *TOOLS,
    "error",
    "mcp",
    "success",
    "user_rejected",
    "agent_state_changed",
    "system",
    "message",
}
"""Observations that answer nothing if they have no cause."""


def recognises_openhands(source: Source) -> str | None:
    """Return the reason to read a file as such a trajectory, or None."""
    for one in (*source.head, source.first):
        if "source" in one and ("action" in one or "observation" in one) and "kind" not in one:
            return "its events are actions and observations of a source"
        if isinstance(one.get("history"), list) and _RECORD.intersection(one):
            return "its record has an instance and a history"
    return None


def observations_openhands(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of the events."""
    is_whole = source.kind == "value" and "history" in source.first
    read = rows.reader(source, OPENHANDS_EVENTS, _kind_of_openhands)
    for line, record in [(1, source.first)] if is_whole else source.records():
        history = record.get("history")
        if observed.is_list(history):
            events = [event for one in sequence(history) for event in sequence(one) or [one]]
            for _, event in source.listed(events):
                yield from read(line, event)
            if error := string(record.get("error")):
                yield observed.Failed(line=line, message=error.strip().rpartition("\n")[2])
        else:
            yield from read(line, record)


def _kind_of_openhands(event: Record) -> str | None:
    if "action" not in event:
        kind = string(event.get("observation"))
        if kind in SILENT or (kind in KNOWN and _is_alone(event)):
            return QUIET_ANSWER
        return kind if kind is None or _is_alone(event) else _ANSWERED
    kind = string(event.get("action"))
    # The oldest records have no sources: there, a message is the user's.
    by_agent = event.get("source") == "agent" or ("source" not in event and kind != "message")
    return f"{kind} of the agent" if by_agent and kind in SPOKEN else kind


def _is_alone(event: Record) -> bool:
    is_old = "source" not in event and "args" not in event
    return _key("cause")(event) is None and not is_old


def _key(path: str) -> rows.Getter:
    return rows.at(path, lambda one: str(one) if isinstance(one, int | str) and not isinstance(one, bool) else None)  # fmt: skip


def _given_openhands(event: Record) -> Record:
    given = mapping(event.get("args")) or event
    return mapping(given.get("arguments")) if _is_other(event) else given


def _is_other(event: Record) -> bool:
    """Whether it calls an MCP server's tool, by its name."""
    return event.get("action") == "call_tool_mcp" and bool(OTHER_TOOL(event))


def _name(event: Record) -> str:
    return str(OTHER_TOOL(event)) if _is_other(event) else TOOLS[str(event.get("action"))]


OTHER_TOOL = rows.at("args.name|name")


def _message_id(event: Record) -> str | None:
    meta = mapping(event.get("tool_call_metadata"))
    is_one_of_many = observed.whole(meta.get("total_calls_in_response")) > 1
    return string(mapping(meta.get("model_response")).get("id")) if is_one_of_many else None


def _status(event: Record) -> Status:
    failed = event.get("observation") == "error" or _ERROR.match(prose(event.get("content")))
    refused = event.get("observation") == "user_rejected"
    return "refused" if refused else "failed" if failed else "unknown"


RESPONSE = "tool_call_metadata.model_response"
TURN = rows.agent(
    text="args.thought|thought|args.content|content",
    message_id=_message_id,
    model=f"{RESPONSE}.model",
    used=f"{RESPONSE}.usage.total_tokens",
    usage=f"{RESPONSE}.usage",
)
CALL = rows.call(name=_name, arguments=_given_openhands, call_id=_key("id"), of_server=_is_other)
SPOKEN = {"message", "recall", *TOOLS}

OPENHANDS_EVENTS: rows.Table = {
    **dict.fromkeys(TOOLS, CALL),
    **{f"{each} of the agent": (TURN, CALL) for each in TOOLS},
    "recall of the agent": TURN,
    "message": rows.user(text="args.content|content"),
    "message of the agent": TURN,
    "system": rows.background(text="args.content|content"),
    "condensation": rows.compacted(summary="args.summary|summary"),
    _ANSWERED: rows.result(
        directory="extras.metadata.working_dir",
        text=lambda event: _ERROR.sub("", prose(event.get("content"))),
        call_id=_key("cause"),
        status=_status,
        exit_code="extras.metadata.exit_code|extras.exit_code",
    ),
}

OPENHANDS = rows.Format(
    "OpenHands trajectory",
    recognises_openhands,
    observations_openhands,
    quiet={QUIET_ANSWER, "recall", "change_agent_state", "pause", "resume"},
)


# OpenHands' events of the second kind: each has its kind; in lines, or in a folder of files.

STATE = "ConversationStateUpdateEvent"
OPENHANDS_V1_CALL_ID = "tool_call_id"


def _given_openhands_v1(event: Record) -> Record:
    action = mapping(event.get("action"))
    return {key: value for key, value in action.items() if key != "kind"}


OPENHANDS_V1_EVENTS: rows.Table = {
    "MessageEvent of the user": rows.user(text="llm_message.content"),
    "MessageEvent": rows.agent(text="llm_message.content"),
    "ActionEvent": (
        rows.agent(text="thought", message_id="llm_response_id"),
        rows.call(name="tool_name|action.kind|=action", arguments=_given_openhands_v1, call_id=f"{OPENHANDS_V1_CALL_ID}|id"),
    ),
    "ObservationEvent": rows.result(
        text="observation.content|observation.output", call_id=f"{OPENHANDS_V1_CALL_ID}|action_id",
        status=rows.status("observation.is_error", {True: "failed"}), exit_code="observation.exit_code",
        directory="observation.metadata.working_dir",
    ),
    "UserRejectObservation": rows.result(call_id=OPENHANDS_V1_CALL_ID, status="=refused", wish="rejection_reason"),
    "AgentErrorEvent": rows.result(text="error", call_id=OPENHANDS_V1_CALL_ID, status="=failed"),
    "ConversationErrorEvent": rows.failed(message="detail|=failed"),
    "SystemPromptEvent": rows.background(text=rows.at("system_prompt", lambda said: prose(said) or prose([said]))),
    "CondensationRequest": rows.compacting(),
    "Condensation": rows.compacted(summary="summary"),
    STATE: rows.each(
        "value.usage_to_metrics.default|value.usage_to_metrics.agent",
        rows.used(
            used="accumulated_token_usage.per_turn_token", limit="accumulated_token_usage.context_window",
            model="model_name",
        ),
    ),
}  # fmt: skip


def recognises_openhands_v1(source: Source) -> str | None:
    """Return the reason to read a file, or a folder, as such events, or None."""
    if source.kind == "folder":
        return "it has files of events" if _event_files(source.path) else None
    return (
        "its events name their kinds"
        if any(string(one.get("kind")) in OPENHANDS_V1_EVENTS for one in source.head)
        else None
    )


def observations_openhands_v1(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of the events."""
    read = begin_openhands_v1(source)
    for line, event in (
        source.counted(_files(source)) if source.kind == "folder" else source.records()
    ):
        yield from read(line, event)


def begin_openhands_v1(source: Source) -> rows.RecordReader:
    """Begin a file of events."""
    return rows.reader(source, OPENHANDS_V1_EVENTS, _kind_of_openhands_v1)


def _kind_of_openhands_v1(event: Record) -> str | None:
    kind = string(event.get("kind"))
    if kind == "MessageEvent" and event.get("source") == "user":
        return "MessageEvent of the user"
    return "state" if kind == STATE and event.get("key") != "stats" else kind


def _event_files(folder: Path) -> list[Path]:
    try:
        return sorted([*folder.glob("event-*.json"), *folder.glob("events/event-*.json")])
    except OSError:  # it was deleted meanwhile
        return []


def _files(source: Source) -> Iterator[Numbered]:
    for number, path in enumerate(_event_files(source.path), start=1):
        try:
            yield number, mapping(json.loads(path.read_text("utf-8", "replace")))
        except (OSError, ValueError, RecursionError):
            source.skip("file that cannot be read")


OPENHANDS_V1 = rows.Format(
    "OpenHands events",
    recognises_openhands_v1,
    observations_openhands_v1,
    begin=begin_openhands_v1,
    quiet=frozenset([
        "state", "PauseEvent", "InterruptEvent", "TokenEvent", "CondensationSummaryEvent", "HookExecutionEvent",
    ]),
)  # fmt: skip


# SWE-agent's trajectories: a history of messages, in which the user role is the environment's. The
# older form has no calls: the command is in the last fenced block of the agent's message, and the
# next user message is its output. Outputs end with two lines with the editor's open file and the
# working directory.

COMMAND = re.compile(r"(?:^|\n)```[ \t]*\n(?P<command>(?:(?!```).*\n)+)```\s*$")
"""A fenced block without a language, at the end of a message."""

STATUS = re.compile(
    r"\n?\(Open file: (?P<file>(?:(?!\(Open file: ).)*)\)\n"
    r"\(Current directory: (?P<directory>.*)\)\n(?:bash-\$)?\s*$"
)
"""SWE-agent's lines after each output."""

NOTHING_CALLED = (
    "Your output was not formatted correctly",
    "Your last output did not use any tool calls",
    "Your last output contained multiple tool calls",
)
"""Prefixes of the program's message to an agent that called no tool, or several."""


def recognises_swe_agent(source: Source) -> str | None:
    """Return the reason to read a file as a trajectory of SWE-agent, or None."""
    if "trajectory" in source.first and "history" in source.first:
        return "it has a trajectory and a history"
    of_agent = [one for one in source.head if "role" in one and "agent" in one]
    told = any("action" in one or "message_type" in one or "thought" in one for one in of_agent)
    return "its messages name an agent and its actions" if told else None


def begin_swe_agent(source: Source) -> rows.RecordReader:
    """Begin a history."""
    asked = False
    """True if the agent's last message has a command: the next message is its output."""

    def kind_of(message: Record) -> str:
        nonlocal asked
        role = string(message.get("role")) or "no role"
        if message.get("is_demo") is True:
            return "demonstration"
        if role == "assistant":
            asked = any(_calls(message, {}))
        elif role == "tool" or (role == "user" and asked):
            asked = False
            return "output"
        elif role == "user" and prose(message.get("content")).startswith(NOTHING_CALLED):
            return "message of the program"
        return role

    return rows.reader(source, SWE_AGENT_MESSAGES, kind_of)


def _called(
    message: Record, place: FolderPlace, commands: Iterable[str | None]
) -> Iterator[observed.AnyObservation]:
    """The calls of a message, else the commands in its text."""
    found = [*calls_in(read_message(message).parts, **place)]
    yield from found
    for command in () if found else filter(None, commands):
        given = {"command": command.strip()}
        yield observed.ToolCall(**place, name="bash", arguments=given, in_text=True)


def _calls(message: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    match = COMMAND.search(prose(message.get("content")))
    command = string(message.get("action")) or (match["command"] if match else None)
    return _called(message, place, [command])


def _output(message: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    text, open_file, directory = _without_status(prose(message.get("content")))
    here: FolderPlace = {**place, "directory": directory}
    call = SWE_AGENT_CALL_ID(message)
    yield observed.ToolAnswer(**here, text=text, call_id=call, open_file=open_file)


def _asked_swe_agent(message: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    text, _, directory = _without_status(prose(message.get("content")))
    here: FolderPlace = {**place, "directory": directory}
    yield observed.UserMessage(**here, text=text)


SWE_AGENT_CALL_ID = rows.at(
    "tool_call_id|tool_call_ids",
    lambda ids: next(filter(None, map(string, (ids, *sequence(ids)))), None),
)
SWE_AGENT_MESSAGES: rows.Table = {
    "assistant": (rows.agent(text="content"), _calls),
    "output": _output,
    "user": _asked_swe_agent,
    "system": rows.background(text="content"),
}


def _without_status(text: str) -> tuple[str, str | None, str | None]:
    text = text.replace("\r\n", "\n")
    match = STATUS.search(text)
    if match is None:
        return text, None, None
    file = match["file"]
    return text[: match.start()], "" if file == "n/a" else file, match["directory"]


SWE_AGENT = rows.Format.of_records(
    "SWE-agent",
    recognises_swe_agent,
    begin_swe_agent,
    estimates=True,
    quiet={"demonstration", "message of the program"},
)


# mini-swe-agent's trajectories: commands in fenced blocks, in XML, or as tool calls.

_FENCE = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\n(?P<command>[\s\S]*?)\n?```")
_XML = re.compile(
    r"<(?P<of>mswea_bash_command|bash|command)>"
    r"(?P<command>(?:[^<]++|<(?!/(?P=of)>))*+)(?:</(?P=of)>|\Z)"
)
_CODE = re.compile(r"<returncode>(?P<code>-?\d{1,6})</returncode>")
_OUTPUT = re.compile(r"<output(?:_head)?>\n?(?P<output>[\s\S]*?)(?:</output(?:_head)?>|\Z)")
_ISSUE = re.compile(r"\A\s*Please solve this issue:\s*(?P<words>[\s\S]*)")
_END = re.compile(r"\n(?:You can execute bash commands|<instructions>|## (?:Recommended Workflow|Important Rules|Command Execution Rules))[\s\S]*")  # fmt: skip


def recognises_mini(source: Source) -> str | None:
    """Return the reason to read a file as a trajectory of mini-swe-agent, or None."""
    told = string(source.first.get("trajectory_format"))
    if told is not None and told.startswith("mini-swe-agent"):
        return "it says so"
    info = mapping(source.first.get("info"))
    if "mini_version" in info:
        return "it tells the version of mini-swe-agent"
    for one in source.head:
        if "role" in one and "<returncode>" in prose(one.get("content"))[:2_000]:
            return "its outputs have a return code"
        if "role" in one and "```mswea_bash_command" in prose(one.get("content")):
            return "its commands stand in its fences"
    return None


def begin_mini(source: Source) -> rows.RecordReader:
    """Begin a history."""
    waiting = False
    """True if the agent's last message has commands."""

    def kind_of(message: Record) -> str:
        nonlocal waiting
        role, extra = string(message.get("role")) or "no role", mapping(message.get("extra"))
        was, waiting = waiting, role == "assistant" and any(_commands(message, {}))
        if role != "user":
            return role
        if was and ("returncode" in extra or _CODE.search(prose(message.get("content"))[:500])):
            return "tool"
        return "message of the program" if was or "interrupt_type" in extra else role

    read = rows.reader(source, MINI_MESSAGES, kind_of)
    model = {"model": rows.at("info.config.model.model_name")(source.first)}
    return lambda line, message: read(line, {**message, **model})


def _commands(message: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    content, extra = prose(message.get("content")), mapping(message.get("extra"))
    given = [string(mapping(one).get("command")) for one in sequence(extra.get("actions"))]
    match = _FENCE.search(content) or _XML.search(content)
    in_text = [match["command"]] if match else []
    return _called(message, place, [*filter(None, given)] or in_text)


def _asked_mini(message: Record) -> str:
    content = prose(message.get("content"))
    match = _ISSUE.match(content)
    return _END.sub("", match["words"]) if match else content


def _result(message: Record, place: FolderPlace) -> Iterator[observed.AnyObservation]:
    text = content = prose(message.get("content"))
    code: object = mapping(message.get("extra")).get("returncode")
    match = _CODE.search(content[:500])
    if match:
        code = int(match["code"]) if code is None else code
        output = _OUTPUT.search(content)
        text = output["output"] if output else content[match.end() :]
    elif content.lstrip().startswith("{"):
        said = observed.arguments(content)
        code = said.get("returncode", code)
        text = string(said.get("output")) or ""
    yield observed.ToolAnswer(
        **place,
        text=text,
        call_id=string(message.get("tool_call_id")),
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
    )


MINI_MESSAGES: rows.Table = {
    "assistant": (
        rows.agent(text="content", model="model", used="extra.response.usage.total_tokens"),
        _commands,
    ),
    **dict.fromkeys(("tool", "function"), _result),
    "user": rows.user(text=_asked_mini),
    **dict.fromkeys(("system", "developer"), rows.background(text="content")),
}

MINI_SWE_AGENT = rows.Format.of_records(
    "mini-swe-agent",
    recognises_mini,
    begin_mini,
    estimates=True,
    quiet={"message of the program"},
)


# ATIF, the trajectories of Harbor: steps with their calls and observations.


def recognises_atif(source: Source) -> str | None:
    """Return the reason to read a file as such a trajectory, or None."""
    first = source.first
    is_one = (string(first.get("schema_version")) or "").startswith("ATIF") or "agent" in first
    return "it has steps of an agent" if is_one and observed.is_list(first.get("steps")) else None


CALLS = rows.each(
    "tool_calls", rows.call(name="function_name", arguments="arguments", call_id="tool_call_id")
)
RESULTS = rows.each("observation.results", rows.result(text="content", call_id="source_call_id"))
STEPS: rows.Table = {
    "user": rows.user(text="message"),
    "agent": rows.agent(
        text="message",
        model="model_name",
        used="metrics.prompt_tokens+metrics.completion_tokens",
        usage="metrics",
    ),
    "system": rows.background(text="message"),
}


def _source_of(step: Record) -> str | None:
    return "copied step" if step.get("is_copied_context") is True else string(step.get("source"))


def observations_atif(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of the steps."""
    read = rows.reader(source, STEPS, _source_of, None, CALLS, RESULTS)
    model = {"model_name": mapping(source.first.get("agent")).get("model_name")}
    for line, step in source.listed(source.first.get("steps")):
        yield from read(line, {**model, **step})


ATIF = rows.Format(
    "ATIF trajectory", recognises_atif, observations_atif, estimates=True, quiet={"copied step"}
)


# Inspect's logs: JSON, or a zip with a file for each sample. The first sample with messages is
# read.

ATTACHED = "attachment://"


def recognises_inspect(source: Source) -> str | None:
    """Return the reason to read a file as a log of Inspect, or None."""
    if source.kind == "zip":
        return "it holds samples and a header" if _names(source) else None
    first = source.first
    if "eval" in first and ("samples" in first or "plan" in first):
        return "it has an eval and its samples"
    return None


def observations_inspect(source: Source) -> Iterator[observed.AnyObservation]:
    """Yield the observations of a sample's messages."""
    samples = list(_samples(source))
    chosen = next((one for one in samples if sequence(one.get("messages"))), None)
    if chosen is None:
        return
    if len(samples) > 1:
        source.skipped["other sample"] += len(samples) - 1
    attachments = mapping(chosen.get("attachments"))
    for line, message in source.listed(chosen["messages"]):
        told = _plain(message, attachments)
        yield from message_seen(told, source, {"line": line}, used=_used(chosen, line))


def _plain(message: Record, attachments: Record) -> Record:
    """A message with its texts, and its error under the common names."""
    error = mapping(message.get("error"))
    text = _resolved(prose(message.get("content")), attachments) or prose(error.get("message"))
    status = "denied" if error.get("type") == "approval" else "error"
    return {**message, "content": text, **({"status": status} if error else {})}


def _used(sample: Record, line: int) -> int | None:
    """The context's size at the last message, from the sample's output."""
    if line < len(sequence(sample.get("messages"))):
        return None
    return (
        observed.whole(mapping(mapping(sample.get("output")).get("usage")).get("total_tokens"))
        or None
    )


def _resolved(text: str, attachments: Record) -> str:
    if not text.startswith(ATTACHED):
        return text
    return string(attachments.get(text.removeprefix(ATTACHED))) or text


def _names(source: Source) -> list[str]:
    try:
        with zipfile.ZipFile(source.path) as file:
            names = file.namelist()
    except (OSError, zipfile.BadZipFile):
        return []
    return sorted(one for one in names if one.startswith("samples/") and one.endswith(".json"))


def _samples(source: Source) -> Iterator[Record]:
    if source.kind != "zip":
        yield from map(mapping, sequence(source.first.get("samples")))
        return
    try:
        with zipfile.ZipFile(source.path) as file:
            for name in _names(source):
                if file.getinfo(name).file_size > source.limits.read:
                    source.skip("sample that is too long")
                    continue
                yield mapping(json.loads(file.read(name)))
    except (OSError, ValueError, RecursionError, zipfile.BadZipFile, NotImplementedError) as error:
        raise TranscriptError(f"{source.path} cannot be read: {error}") from None


INSPECT = rows.Format(
    "Inspect log",
    recognises_inspect,
    observations_inspect,
    estimates=True,
    quiet={"other sample"},
)
