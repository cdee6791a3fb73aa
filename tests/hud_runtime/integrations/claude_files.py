"""Claude Code's side of a conversation: its session files, as version 2.1.330 writes them, and its hooks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from hud_runtime import HudStore
from hud_runtime.integrations.claude_code import ClaudeCode
from tests.hosts.told import misses

Record = dict[str, Any]


@dataclass
class Client:
    """A client whose person rewinds, branches, forks, resumes and compacts."""

    folder: Path
    store: HudStore
    now: int = 1_790_000_000_000
    """Milliseconds since the epoch, which go on with each record."""
    session: str = ""
    chain: list[Record] = field(default_factory=list[Record])
    """The messages of the next request."""
    pending: list[Record] = field(default_factory=list[Record])
    """Those that are not in the file yet."""
    chains: dict[str, list[Record]] = field(default_factory=dict[str, list[Record]])
    wrong: list[str] = field(default_factory=list[str])
    """What requests told that was not so, or did not tell."""
    huds: list[str] = field(default_factory=list[str])
    """The texts that were told."""
    requests: int = 0
    is_lagging: bool = False
    """Whether a step's records are written after its hook."""
    loses: bool = False
    """Whether answers of hooks come too late."""
    writes_words: bool = True
    """Whether the file has the texts of hooks as they were told."""
    summary: str = "The login was begun."
    """What a compaction puts in the place of all."""
    meanwhile: Callable[[], object] = int
    """What happens while the model answers."""
    number: int = 0

    def __post_init__(self) -> None:
        self.kill_bridge()
        self.begin("startup")

    def kill_bridge(self) -> None:
        """Have the next hook answered by another process."""
        self.claude = ClaudeCode(lambda: self.store)

    def clock(self) -> int:
        return self.now

    @property
    def path(self) -> Path:
        return self.folder / f"{self.session}.jsonl"

    # --- The file ---

    def add(self, kind: str, **more: Any) -> Record:
        self.number += 1
        self.now += 10
        moment = datetime.fromtimestamp(self.now / 1000, UTC).isoformat(timespec="milliseconds")
        record = {
            "parentUuid": self._parent, "isSidechain": False,
            "type": kind, "uuid": str(UUID(int=self.number)), "timestamp": moment.replace("+00:00", "Z"),
            "sessionId": self.session, "version": "2.1.330", **more,
        }  # fmt: skip
        self.chain.append(record)
        self.pending.append(record)
        return record

    @property
    def _parent(self) -> str | None:
        written = (each for each in self.chain if self.writes_words or "attachment" not in each)
        return next((each["uuid"] for each in reversed([*written])), None)

    def write(self) -> None:
        """Write what is pending, between lines that are no messages."""
        lines: list[Record] = [
            {"type": "mode", "mode": "normal", "sessionId": self.session},
            *(each for each in self.pending if self.writes_words or "attachment" not in each),
            {"type": "last-prompt", "leafUuid": "x", "sessionId": self.session},
        ]
        with self.path.open("a") as file:
            file.writelines(json.dumps(each) + "\n" for each in lines)
        os.utime(self.path, (self.now / 1000, self.now / 1000))
        self.pending = []

    @property
    def tokens(self) -> int | None:
        """The size of the context by the last answer."""
        for record in reversed(self.chain):
            if record["type"] == "assistant":
                return sum(record["message"]["usage"].values())
        return None

    # --- Hooks ---

    def hook(self, name: str, **more: Any) -> str:
        event = {
            "session_id": self.session, "transcript_path": str(self.path), "cwd": "/srv/shop",
            "hook_event_name": name, **more,
        }  # fmt: skip
        answer = self.claude.hook(json.dumps(event).encode())
        if self.loses and name != "SessionStart":
            return ""
        if answer.arrived is not None:
            answer.arrived()
        if not answer.text.startswith("{"):
            return ""
        text: str = json.loads(answer.text)["hookSpecificOutput"]["additionalContext"]
        self.huds.append(text)
        return text

    def attach(self, name: str, text: str) -> None:
        self.add("attachment", attachment={"type": "hook_success", "hookName": name, "content": ""})
        if text:
            attachment = {"type": "hook_additional_context", "hookName": name, "content": [text]}
            self.add("attachment", attachment=attachment)

    def status(self) -> None:
        """Run the command of the status line, as after each change of the conversation."""
        usage = next(
            (each["message"]["usage"] for each in reversed(self.chain) if "usage" in each.get("message", {})), None
        )  # fmt: skip
        told = {
            "session_id": self.session, "transcript_path": str(self.path), "model": {"id": "claude-opus-5-5"},
            "context_window": {"context_window_size": 1_000_000, "current_usage": usage},
        }  # fmt: skip
        self.claude.status(json.dumps(told).encode())

    # --- Sessions ---

    def begin(self, source: str, *, keeps: bool = True, **more: Any) -> None:
        """Begin a session of a new name, or go on with one."""
        if source in ("startup", "clear"):
            self.chains[self.session] = self.chain
            self.number += 1
            self.session, self.chain, self.pending = f"session-{self.number}", [], []
        text = self.hook("SessionStart", source=source, **more)
        if keeps:
            self.attach("SessionStart", text)

    def resume(self, name: str | None = None) -> None:
        """Go on with a session: with this one, unless it is named."""
        self.chains[self.session] = self.chain
        self.session, self.pending = name or self.session, []
        self.chain = [*self.chains[self.session]]
        self.begin("resume", context_tokens=self.tokens)

    def resume_at(self, answer: int) -> None:
        """Go on behind an earlier answer, as ``--resume-session-at`` does: the start's text is dropped."""
        size = self.tokens
        ends = [n for n, each in enumerate(self.chain) if each["type"] == "assistant"]
        self.chain = self.chain[: ends[answer % len(ends)] + 1] if ends else self.chain
        self.begin("resume", keeps=False, context_tokens=size)

    def fork(self) -> None:
        """Go on in a copy, as ``--continue --fork-session`` does: its file comes later, the start's text is dropped."""
        self._copy({"requestSessionId": self.session})
        self.begin("fork", keeps=False, context_tokens=self.tokens, seconds_since_last_response=0)

    def branch(self) -> None:
        """Go on in a copy, as ``/branch`` does: its file is there."""
        self.hook("SessionEnd", reason="resume")
        origin = self.session
        self._copy({"forkedFrom": {"sessionId": origin}})
        self.write()
        self.begin("fork", context_tokens=self.tokens, seconds_since_last_response=0)

    def _copy(self, more: Record) -> None:
        self.chains[self.session] = self.chain
        self.number += 1
        self.session = f"session-{self.number}"
        self.chain = [{**each, **more, "sessionId": self.session} for each in self.chain]
        self.pending = [*self.chain]

    def rewind(self, prompt: int, *, is_shown: bool = True) -> None:
        """Go back to before a prompt; the file stays as it is, and the status line is run."""
        self.now += 3_000
        prompts = [n for n, each in enumerate(self.chain) if each.get("promptId")]
        if prompts:
            self.chain = self.chain[: prompts[prompt % len(prompts)]]
            if is_shown:
                self.status()

    def compact(self) -> None:
        """Put a summary in the place of all."""
        self.hook("PreCompact", trigger="manual")
        self.hook("SubagentStop", agent_type="", last_assistant_message=self.summary)
        self.chain = []
        self.add("system", subtype="compact_boundary")
        self.add(
            "user",
            message={
                "role": "user",
                "content": f"This session is being continued.\n\n{self.summary}",
            },
        )
        text = self.hook("SessionStart", source="compact")
        self.attach("SessionStart", text)
        self.write()

    @property
    def conversation(self) -> list[str]:
        """What the user, the model and the summary say in the next request."""
        said: list[str] = []
        for content in (each["message"]["content"] for each in self.chain if "message" in each):
            blocks = [{"text": content}] if isinstance(content, str) else content
            said += [str(each["text"]) for each in blocks if "text" in each]
        return said

    # --- Turns ---

    def turn(self, prompt: str, *works: Callable[[], object]) -> None:
        """Let the person ask something, and the model work."""
        text = self.hook("UserPromptSubmit", prompt=prompt)
        self.add("user", promptId=f"p{self.number}", message={"role": "user", "content": prompt})
        self.attach("UserPromptSubmit", text)
        self._request()
        for each in works:
            call = f"toolu_{self.number}"
            self.answer([{"type": "tool_use", "id": call, "name": "Bash", "input": {}}])
            each()
            result = {"type": "tool_result", "tool_use_id": call, "content": "x"}
            self.add("user", message={"role": "user", "content": [result]})
            if not self.is_lagging:
                self.write()
            batch = [{"tool_name": "Bash", "tool_input": {}, "tool_use_id": call, "tool_response": "x"}]  # fmt: skip
            self.attach("PostToolBatch", self.hook("PostToolBatch", tool_calls=batch))
            self._request()
        self.answer([{"type": "text", "text": "Done."}])
        self.write()
        self.status()

    def says(self, text: str) -> None:
        """Let the model say something at the end of its work."""
        self.answer([{"type": "text", "text": text}])
        self.write()
        self.hook("Stop", last_assistant_message=text)

    def notes(self, content: str) -> None:
        """Let the model note something."""
        call = {"call": {"op": "notes.add", "content": content}}
        asked = {"tool": "hud", "arguments": call, "session_id": self.session}
        assert not json.loads(self.claude.call(json.dumps(asked).encode()).text)["is_error"]

    def answer(self, content: list[Record]) -> None:
        usage = {
            "input_tokens": 10, "cache_creation_input_tokens": 0, "output_tokens": 5,
            "cache_read_input_tokens": 10_000 + self.number,
        }  # fmt: skip
        message = {"role": "assistant", "model": "claude-opus-5-5", "content": content, "usage": usage}  # fmt: skip
        self.add("assistant", message=message)

    def _request(self) -> None:
        """Look whether the words that stand in a request tell the state."""
        self.requests += 1
        self.meanwhile()
        if self.loses:
            return
        attached = [each["attachment"] for each in self.chain if "attachment" in each]
        said = [text for each in attached for text in each["content"] if text.startswith("# HUD")]
        session = self.store.session(self.session)
        gap = misses(said, session, session.version, self.conversation)
        if gap:
            self.wrong.append(f"request {self.requests}: {gap}")
