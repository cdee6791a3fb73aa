"""mini-swe-agent's trajectories: commands in fenced blocks, in XML, or as calls of a tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.messages import read_message
from hud_runtime.observation._json import Record, arguments, mapping, prose, sequence, string, whole
from hud_runtime.observation._messages import calls_in
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.transcripts._format import Format
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
    model = string(
        mapping(mapping(mapping(source.first.get("info")).get("config")).get("model")).get(
            "model_name"
        )
    )
    waiting = 0
    for line, message in source.records():
        role = string(message.get("role")) or "no role"
        content = prose(message.get("content"))
        extra = mapping(message.get("extra"))
        if role == "assistant":
            found = list(_commands(message, content, extra, line))
            waiting = len(found)
            yield AgentMessage(line=line, text=content, model=model, used=_used(extra))
            yield from found
        elif role in ("tool", "function") or (
            role == "user" and waiting and ("returncode" in extra or _CODE.search(content[:500]))
        ):
            waiting = 0
            yield _result(message, content, extra, line)
        elif role == "user" and (waiting or "interrupt_type" in extra):
            waiting = 0
            source.skip("message of the program")
        elif role == "user":
            match = _ISSUE.match(content)
            words = _END.sub("", match["words"]) if match else content
            yield UserMessage(line=line, text=words)
        elif role in ("system", "developer"):
            yield Background(line=line, text=content)
        else:
            source.skip(role)


def _commands(message: Record, content: str, extra: Record, line: int) -> Iterator[ToolCall]:
    calls = list(calls_in(read_message(message).parts, line=line))
    if calls:
        yield from calls
        return
    given = [string(mapping(one).get("command")) for one in sequence(extra.get("actions"))]
    match = _FENCE.search(content) or _XML.search(content)
    for command in [*filter(None, given)] or ([match["command"]] if match else []):
        said = {"command": command.strip()}
        yield ToolCall(line=line, name="bash", arguments=said, in_text=True)


def _result(message: Record, content: str, extra: Record, line: int) -> ToolResult:
    code: object = extra.get("returncode")
    text = content
    match = _CODE.search(content[:500])
    if match:
        code = int(match["code"]) if code is None else code
        output = _OUTPUT.search(content)
        text = output["output"] if output else content[match.end() :]
    elif content.lstrip().startswith("{"):
        said = arguments(content)
        code = said.get("returncode", code)
        text = string(said.get("output")) or ""
    return ToolResult(
        line=line,
        text=text,
        call_id=string(message.get("tool_call_id")),
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
    )


def _used(extra: Record) -> int | None:
    usage = mapping(mapping(extra.get("response")).get("usage"))
    return whole(usage.get("total_tokens")) or None


FORMAT = Format(
    "mini-swe-agent",
    recognises,
    observations,
    estimates=True,
    where="*.traj.json",
    quiet={"message of the program"},
)
