"""ATIF, the trajectories of Harbor: steps with their calls and what was observed."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observation._json import (
    arguments,
    mapping,
    milliseconds,
    prose,
    sequence,
    string,
    whole,
)
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    ToolCall,
    ToolResult,
    UserMessage,
)
from hud_runtime.observation._usage import usage_in
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._answers import exit_code_in


def recognises(source: Source) -> str | None:
    """Tell why a file is such a trajectory."""
    version = string(source.first.get("schema_version"))
    is_one = (version or "").startswith("ATIF") or (
        "steps" in source.first and "agent" in source.first
    )
    return (
        "it has steps of an agent"
        if is_one and isinstance(source.first.get("steps"), list)
        else None
    )


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the steps tell."""
    for line, step in enumerate(map(mapping, sequence(source.first.get("steps"))), start=1):
        timestamp = milliseconds(step.get("timestamp"))
        text = prose(step.get("message"))
        match step.get("source"):
            case "user" if step.get("is_copied_context") is not True:
                yield UserMessage(line=line, timestamp=timestamp, text=text)
            case "agent":
                metrics = mapping(step.get("metrics"))
                used = whole(metrics.get("prompt_tokens")) + whole(metrics.get("completion_tokens"))
                model = string(step.get("model_name")) or string(
                    mapping(source.first.get("agent")).get("model_name")
                )
                yield AgentMessage(
                    line=line,
                    timestamp=timestamp,
                    text=text,
                    model=model,
                    used=used or None,
                    usage=usage_in(metrics),
                )
            case "system":
                yield Background(line=line, timestamp=timestamp, text=text)
            case _:
                source.skip(step.get("source"))
        for call in map(mapping, sequence(step.get("tool_calls"))):
            if name := string(call.get("function_name")):
                yield ToolCall(
                    line=line,
                    timestamp=timestamp,
                    name=name,
                    arguments=arguments(call.get("arguments")),
                    call_id=string(call.get("tool_call_id")),
                )
        for result in map(mapping, sequence(mapping(step.get("observation")).get("results"))):
            said = prose(result.get("content"))
            yield ToolResult(
                line=line,
                timestamp=timestamp,
                text=said,
                call_id=string(result.get("source_call_id")),
                exit_code=exit_code_in(said),
            )


FORMAT = Format("ATIF trajectory", recognises, observations, estimates=True)
