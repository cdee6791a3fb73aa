"""Messages of SDKs: Bedrock's Converse, Vercel's AI SDK, Pydantic AI, LangChain, and Gemini's contents."""

from __future__ import annotations

from collections.abc import Iterator

from hud_runtime.observation._json import Record, is_list, mapping, sequence
from hud_runtime.observation._observations import AnyObservation
from hud_runtime.transcripts._format import Format
from hud_runtime.transcripts._source import Source
from hud_runtime.transcripts.formats._messages import messages


def _listed(source: Source) -> Iterator[AnyObservation]:
    return messages(source.records(), source)


def _blocks(record: Record, name: str = "content") -> list[Record]:
    return [mapping(one) for one in sequence(record.get(name))]


def _is_bedrock(source: Source) -> str | None:
    blocks = [one for record in source.head if "role" in record for one in _blocks(record)]
    found = any(("toolUse" in one or "toolResult" in one) and "type" not in one for one in blocks)
    return "its blocks are toolUse and toolResult" if found else None


def _is_vercel(source: Source) -> str | None:
    for record in source.head:
        if any(one.get("type") in ("tool-call", "tool-result") for one in _blocks(record)):
            return "its parts are tool-call and tool-result"
        parts = _blocks(record, "parts")
        if (
            any(
                str(one.get("type")).startswith(("tool-", "dynamic-tool", "step-start"))
                for one in parts
            )
            and "role" in record
        ):
            return "its messages have parts of steps and tools"
    return None


def _is_pydantic_ai(source: Source) -> str | None:
    found = any(
        one.get("kind") in ("request", "response") and "parts" in one for one in source.head
    )
    return "its messages are requests and responses of parts" if found else None


def _is_gemini(source: Source) -> str | None:
    of_gemini = [one for one in source.head if one.get("role") in ("user", "model", "function")]
    found = any(is_list(one.get("parts")) for one in of_gemini)
    return "its records have a role and parts" if found else None


# --- LangChain ---

_TYPES = {
    "HumanMessage": "human",
    "AIMessage": "ai",
    "ToolMessage": "tool",
    "SystemMessage": "system",
}
"""The types of messages by the names of their classes."""


def _is_langchain(source: Source) -> str | None:
    first = source.first
    values = mapping(first.get("values"))
    if isinstance(values.get("messages"), list):
        return "its values have messages"
    kinds = {found["type"] for one in source.head if (found := _langchain_message(one)) is not None}
    if not kinds.isdisjoint(("human", "ai", "tool")):
        return "its messages are of the types human, ai and tool"
    return None


def _langchain_message(record: Record) -> Record | None:
    """A message, out of any of the three forms."""
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


def _langchain(source: Source) -> Iterator[AnyObservation]:
    values = mapping(source.first.get("values")).get("messages")
    listed = enumerate(map(mapping, sequence(values)), start=1)
    for line, record in listed if is_list(values) else source.records():
        yield from messages(
            [(line, _langchain_message(record) or {"type": record.get("type")})], source
        )


BEDROCK = Format("Bedrock Converse", _is_bedrock, _listed, estimates=True)
VERCEL = Format("Vercel AI SDK", _is_vercel, _listed, estimates=True)
PYDANTIC_AI = Format("pydantic-ai", _is_pydantic_ai, _listed, estimates=True)
LANGCHAIN = Format("LangChain messages", _is_langchain, _langchain, estimates=True)
GEMINI = Format("Gemini contents", _is_gemini, _listed, estimates=True)
