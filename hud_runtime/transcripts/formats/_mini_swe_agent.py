"""mini-swe-agent's trajectories: commands in fenced blocks, in XML, or as calls of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observe._observations import (
    AnyObservation,
    Record,
    ToolAnswer,
    ToolCall,
    arguments,
    mapping,
    prose,
    sequence,
    string,
)
from hud_runtime.observe._reader import FolderPlace, calls_in
from hud_runtime.observe.messages import read_message
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, Table, at, reader
from hud_runtime.transcripts._source import Source

_FENCE = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\n(?P<command>[\s\S]*?)\n?```")
_XML = re.compile(
    r"<(?P<of>mswea_bash_command|bash|command)>"
    r"(?P<command>(?:[^<]++|<(?!/(?P=of)>))*+)(?:</(?P=of)>|\Z)"
)
_CODE = re.compile(r"<returncode>(?P<code>-?\d{1,6})</returncode>")
_OUTPUT = re.compile(r"<output(?:_head)?>\n?(?P<output>[\s\S]*?)(?:</output(?:_head)?>|\Z)")
_ISSUE = re.compile(r"\A\s*Please solve this issue:\s*(?P<words>[\s\S]*)")
_END = re.compile(r"\n(?:You can execute bash commands|<instructions>|## (?:Recommended Workflow|Important Rules|Command Execution Rules))[\s\S]*")  # fmt: skip

FENCE = "mswea_bash_command"


def recognises(source: Source) -> str | None:
    """Tell why a file is a trajectory of mini-swe-agent."""
    told = string(source.first.get("trajectory_format"))
    if told is not None and told.startswith("mini-swe-agent"):
        return "it says so"
    info = mapping(source.first.get("info"))
    if "mini_version" in info:
        return "it tells the version of mini-swe-agent"
    for one in source.head:
        if "role" in one and "<returncode>" in prose(one.get("content"))[:2_000]:
            return "its outputs have a return code"
        if "role" in one and f"```{FENCE}" in prose(one.get("content")):
            return "its commands stand in its fences"
    return None


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the messages tell."""
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

    read = reader(source, MESSAGES, kind_of)
    model = {"model": MODEL(source.first)}
    for line, message in source.records():
        yield from read(line, {**message, **model})


MODEL = at("info.config.model.model_name")


def _commands(message: Record, place: FolderPlace) -> Iterator[AnyObservation]:
    calls = [*calls_in(read_message(message).parts, **place)]
    yield from calls
    if calls:
        return
    content, extra = prose(message.get("content")), mapping(message.get("extra"))
    given = [string(mapping(one).get("command")) for one in sequence(extra.get("actions"))]
    match = _FENCE.search(content) or _XML.search(content)
    for command in [*filter(None, given)] or ([match["command"]] if match else []):
        said = {"command": command.strip()}
        yield ToolCall(**place, name="bash", arguments=said, in_text=True)


def _asked(message: Record) -> str:
    content = prose(message.get("content"))
    match = _ISSUE.match(content)
    return _END.sub("", match["words"]) if match else content


def _result(message: Record, place: FolderPlace) -> Iterator[AnyObservation]:
    text = content = prose(message.get("content"))
    code: object = mapping(message.get("extra")).get("returncode")
    match = _CODE.search(content[:500])
    if match:
        code = int(match["code"]) if code is None else code
        output = _OUTPUT.search(content)
        text = output["output"] if output else content[match.end() :]
    elif content.lstrip().startswith("{"):
        said = arguments(content)
        code = said.get("returncode", code)
        text = string(said.get("output")) or ""
    yield ToolAnswer(
        **place,
        text=text,
        call_id=string(message.get("tool_call_id")),
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
    )


MESSAGES: Table = {
    "assistant": (
        rows.agent(text="content", model="model", used="extra.response.usage.total_tokens"),
        _commands,
    ),
    **dict.fromkeys(("tool", "function"), _result),
    "user": rows.user(text=_asked),
    **dict.fromkeys(("system", "developer"), rows.background(text="content")),
}

FORMAT = Format(
    "mini-swe-agent",
    recognises,
    observations,
    estimates=True,
    where="*.traj.json",
    quiet={"message of the program"},
)
