"""Cline: what its hooks tell, and what they answer.

In: what a hook is given on its standard input, and the session's files, as no hook is told of a prompt. Out: what the hook
says on its standard output, which the model reads behind the results of its tools. The hooks are files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from hud_runtime.integrations._hook_events import PLACE, ContextLeft, HookedHost
from hud_runtime.integrations._hooked import CLINE, filled, session_id_in, settings_folder
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations.bridge import Answer
from hud_runtime.observe import (
    AnyObservation,
    Compacted,
    ToolAnswer,
    ToolCall,
    UserMessage,
    usage_in,
)
from hud_runtime.observe._observations import (
    Record,
    UsageDialect,
    is_list,
    json_of,
    mapping,
    prose,
    sequence,
    string,
    value_at,
)
from hud_runtime.session import NO_LOOK, GivenLook, HudStore

__all__ = ["Cline"]

LARGEST = 64 * 1024 * 1024
"""The most bytes of a session's file that are read."""

_METRICS = (UsageDialect("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"),)


class Cline(HookedHost):
    """Answers the hooks of Cline, for all its sessions of a store.

    :param store: opens the store; it is tried again after it failed.
    :param look: the layout and the words of its sessions.

    >>> import json
    >>> event = {"hookName": "tool_result", "sessionContext": {"rootSessionId": "s"}, "agent_id": "a",
    ...     "tool_result": {"name": "run_commands", "input": {"commands": ["make"]}, "output": "FAILED test_a.py"}}
    >>> with HudStore.open(":memory:", clock=lambda: 0) as store:
    ...     "test_a.py" in Cline(lambda: store).hook(json.dumps(event).encode()).text
    True
    """

    def __init__(self, store: Callable[[], HudStore[Any]], *, look: GivenLook = NO_LOOK) -> None:
        super().__init__(store, CLINE, look=look)

    def _common(self, told: Record) -> Record:
        call = mapping(told.get("tool_result") or told.get("tool_call"))
        return {
            "hook_event_name": told.get("hookName"),
            "session_id": value_at(told, ("sessionContext", "rootSessionId")),
            "agent_id": told.get("agent_id") if told.get("parent_agent_id") else None,
            "cwd": next(iter(sequence(told.get("workspaceRoots"))), None),
            "tool_name": call.get("name"),
            "tool_input": call.get("input"),
            "tool_use_id": call.get("id"),
            "tool_response": call.get("output"),
            "error": call.get("error"),
            "last_assistant_message": value_at(told, ("turn", "outputText")),
        }

    # --- Events ---

    def _calls_hud(self, event: Record) -> Answer:
        is_ours = (string(event.get("tool_name")) or "").startswith(CLINE.tool_prefix)
        return super()._calls_hud(event) if is_ours else Answer()

    def _worked(self, event: Record) -> Answer:
        host = self._sessions.reader(event)
        seen, keep = self._in_file(event, host)
        is_cut = any(isinstance(each, Compacted) for each in seen)
        message = self._message_of(event, None if is_cut else self._reading(event, host))
        host.observe(*seen, message, *self._done(event), keep=keep)
        return self._delivered(event, host)

    def _said(self, event: Record) -> Answer:
        return Answer() if filled(event.get("agent_id")) else super()._said(event)

    def _done(self, event: Record) -> Iterator[AnyObservation]:
        """The call that a hook tells of, with its result: a text, or one for each command or file."""
        name, call_id = string(event.get("tool_name")) or "", string(event.get("tool_use_id"))
        if name.startswith(CLINE.tool_prefix):
            return
        error, answer = string(event.get("error")), event.get("tool_response")
        parts = [mapping(each) for each in sequence(answer)] if is_list(answer) else []
        failed = error is not None or any(each.get("success") is False for each in parts)
        texts = [string(each.get("error")) or prose(each.get("result")) for each in parts]
        text = "\n".join(filter(None, texts)) if parts else string(answer) or prose(answer)
        yield ToolCall(name=name, arguments=mapping(event.get("tool_input")), call_id=call_id)
        yield ToolAnswer(
            call_id=call_id, status="failed" if failed else "unknown", text=error or text
        )

    # --- The session's files ---

    def _in_file(
        self, event: Record, host: HostSession
    ) -> tuple[list[AnyObservation], dict[str, object]]:
        """The prompts and the compaction that the session's files have beyond the last look, and the note of that look."""
        if filled(event.get("agent_id")) is not None:
            return [], {}  # a subagent has no file
        known, session = mapping(host.kept(PLACE)), session_id_in(event)
        prompts = {string(each.get("id")) or "": _prompt_in(each) for each in _messages(session)}
        prompts = {name: words for name, words in prompts.items() if words}
        names, cut = [*prompts], mapping(_file_of(session, "compaction"))
        is_there = known.get("prompt") in prompts
        new = names[names.index(str(known["prompt"])) + 1 :] if is_there else names[-1:]
        seen: list[AnyObservation] = [UserMessage(text=prompts[name]) for name in new]
        now = {"prompt": names[-1] if names else "", "cut": cut.get("source_last_message_key")}
        if known and now["cut"] != known.get("cut"):
            about = (
                mapping(each.get("metadata"))
                for each in map(mapping, sequence(cut.get("messages")))
            )
            summary = next(filter(None, (string(each.get("summary")) for each in about)), "")
            seen.insert(0, Compacted(summary=summary))
        return seen, {PLACE: now}

    def _newest_reading(self, event: Record) -> ContextLeft | None:
        for each in reversed(_messages(session_id_in(event))):
            usage = usage_in(mapping(each.get("metrics")), _METRICS)
            if usage is not None:
                return ContextLeft(usage, string(value_at(each, ("modelInfo", "id"))))
        return None


def _file_of(session: str, kind: str) -> object:
    """Return the data in a file of a session; None where it cannot be read."""
    path = settings_folder(CLINE, None) / CLINE.session_file.format(session, kind)
    try:
        about = path.stat()
        return _read(path, about.st_mtime_ns, about.st_size) if about.st_size <= LARGEST else None
    except (OSError, ValueError):  # no file, or no name of one
        return None


@lru_cache(maxsize=2)
def _read(path: Path, _changed_at: int, _size: int) -> object:
    """The data of a file as it is now: a hook asks more than once for the messages and the compaction."""
    return json_of(path.read_text("utf-8", "replace"))


def _messages(session: str) -> list[Record]:
    return [*map(mapping, sequence(mapping(_file_of(session, "messages")).get("messages")))]


def _prompt_in(message: Record) -> str:
    text = prose(message.get("content")) if message.get("role") == "user" else ""
    if not text.startswith("<user_input"):
        return ""
    return text.partition(">")[2].rpartition("</user_input>")[0]
