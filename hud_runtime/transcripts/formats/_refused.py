"""Files that are known and not read: what each is, and how to come by one that is."""

from __future__ import annotations

from collections.abc import Callable

from hud_runtime.observe._observations import mapping
from hud_runtime.transcripts._source import Source, tables

Sign = Callable[[Source], bool]


def _tables(source: Source) -> frozenset[str]:
    return tables(source.path) if source.kind == "sqlite" else frozenset()


REFUSED: tuple[tuple[Sign, str], ...] = (
    (lambda source: {"blobs", "meta"} <= _tables(source),
     "the store of Cursor's command line, in a form of its own; name its agent-transcripts/ID/ID.jsonl"),
    (lambda source: "cursorDiskKV" in _tables(source) or "ItemTable" in _tables(source),
     "the state of Cursor's editor; export the chat, or name its agent-transcripts/ID/ID.jsonl"),
    (lambda source: "hud_event" in _tables(source),
     "a store of ujsx: name one of its sessions, and this file with --store; `ujsx session list --store FILE` shows them"),
    (lambda source: source.kind == "sqlite",
     "a SQLite database that has no session in a form that is known"),
    (lambda source: "mapping" in source.first and "current_node" in source.first,
     "an export of ChatGPT; copy the conversation's messages into a list of {role, content}"),
    (lambda source: "composerId" in source.first or "fullConversationHeadersOnly" in source.first,
     "the headers of a chat in Cursor, without its messages; name its agent-transcripts/ID/ID.jsonl"),
    (lambda source: "chatMessages" in source.first and "sessionId" in source.first,
     "a history of Copilot before events; sessions since then are in ~/.copilot/session-state/ID/events.jsonl"),
    (lambda source: "protocol_version" in source.first and source.first.get("type") == "metadata",
     "a wire log of Kimi; export the session's messages with its own command"),
    (lambda source: any("step_index" in one and "source" in one for one in source.head),
     "a log of Antigravity, which is not read yet; export the conversation as chat messages"),
    (lambda source: "agent" in source.first and "persistence_dir" in mapping(source.first),
     "the state of an OpenHands conversation, without its events: name the folder events beside it"),
    (lambda source: source.kind == "zip",
     "a zip file that holds no samples of Inspect; unpack it first"),
)  # fmt: skip
"""How each is told, and what to do instead."""


def refusal(source: Source) -> str | None:
    """Return what a file is that is known and not read, with what to do instead."""
    return next((words for sign, words in REFUSED if sign(source)), None)
