"""ATIF, the trajectories of Harbor: steps with their calls and what was observed."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observe._observations import AnyObservation, Record, is_list, mapping, string
from hud_runtime.transcripts import _format as rows
from hud_runtime.transcripts._format import Format, Table, each, reader
from hud_runtime.transcripts._source import Source


def recognises(source: Source) -> str | None:
    """Tell why a file is such a trajectory."""
    first = source.first
    is_one = (string(first.get("schema_version")) or "").startswith("ATIF") or "agent" in first
    return "it has steps of an agent" if is_one and is_list(first.get("steps")) else None


CALLS = each(
    "tool_calls", rows.call(name="function_name", arguments="arguments", call_id="tool_call_id")
)
RESULTS = each("observation.results", rows.result(text="content", call_id="source_call_id"))
STEPS: Table = {
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


def observations(source: Source) -> Iterator[AnyObservation]:
    """Yield what the steps tell."""
    read = reader(source, STEPS, _source_of, None, CALLS, RESULTS)
    model = {"model_name": mapping(source.first.get("agent")).get("model_name")}
    for line, step in source.listed(source.first.get("steps")):
        yield from read(line, {**model, **step})


FORMAT = Format("ATIF trajectory", recognises, observations, estimates=True, quiet={"copied step"})
