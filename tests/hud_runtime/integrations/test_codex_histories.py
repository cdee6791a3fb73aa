"""What a person does to a conversation of Codex: each request tells the state."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from tests.hosts.told import misses
from tests.hud_runtime.integrations.codex_player import Clock, Player

SUMMARY = "The login was begun."


@dataclass
class Turn:
    """A turn, or the start of a session, with the texts of ours that stand in it."""

    said: str
    """What the person asks, or the summary says."""
    is_asked: bool
    texts: list[str] = field(default_factory=list[str])


@dataclass
class Client:
    """A client whose person goes back, forks, resumes and compacts."""

    player: Player
    store: HudStore
    clock: Clock
    session: str = ""
    turns: dict[str, list[Turn]] = field(default_factory=dict[str, list[Turn]])
    wrong: list[str] = field(default_factory=list[str])
    number: int = 0

    def __post_init__(self) -> None:
        self.now = 1_790_000_000
        self.begin()

    @property
    def chain(self) -> list[Turn]:
        return self.turns[self.session]

    def write(self, kind: str, **payload: Any) -> None:
        self.now += 1
        time = datetime.fromtimestamp(self.now, UTC).isoformat().replace("+00:00", "Z")
        self.player.write(self.session, {"timestamp": time, "type": kind, "payload": payload})

    def hook(self, name: str, **more: Any) -> str:
        common = {"session_id": self.session, "transcript_path": self.session, "cwd": "/srv/shop"}
        return self.player.hook({**common, "hook_event_name": name, **more})

    def begin(self, source: str = "startup", **meta: str) -> None:
        self.number += 1
        chain = deepcopy(self.chain) if meta else []
        self.session = f"thread-{self.number}"
        self.turns[self.session] = chain
        self.write("session_meta", id=self.session, **meta)
        self.starts(source)

    def starts(self, source: str) -> None:
        text = self.hook("SessionStart", source=source)
        said = SUMMARY if source == "compact" else ""
        self.chain.append(Turn(said, is_asked=False, texts=[text] if text else []))

    def fork(self) -> None:
        self.begin("startup", forked_from_id=self.session)

    def turn(self, prompt: str, notes: list[bool]) -> None:
        self.chain.append(Turn(prompt, is_asked=True))
        self.tells(self.hook("UserPromptSubmit", prompt=prompt))
        self.write("event_msg", type="user_message", message=prompt)
        for is_note in notes:
            self.number += 1
            call = f"call_{self.number}"
            given = json.dumps({"cmd": "echo x"})
            self.write("response_item", type="function_call", name="exec_command", arguments=given, call_id=call)  # fmt: skip
            if is_note:
                arguments = {"call": {"op": "notes.add", "content": f"note {self.number}"}}
                names = {"session_id": self.session, "thread_id": self.session}
                self.player.ask("codex-call", {"tool": "hud", "arguments": arguments, **names})
            told = {"tool_name": "exec_command", "tool_use_id": call, "tool_input": {}}
            self.tells(self.hook("PostToolUse", **told, tool_response="x"))
            self.write("response_item", type="function_call_output", call_id=call, output="x")

    def tells(self, text: str) -> None:
        if text:
            self.chain[-1].texts.append(text)
        said = [each for turn in self.chain for each in turn.texts]
        session = self.store.session(self.session)
        talk = [turn.said for turn in self.chain]
        if gap := misses(said, session, session.version, talk) if said else {"no HUD"}:
            self.wrong.append(f"{self.session}: {gap}")

    def back(self, count: int) -> None:
        """Take the last turns of the person back, with all behind them."""
        asked = [n for n, each in enumerate(self.chain) if each.is_asked]
        if asked:
            count = min(count, len(asked))
            self.turns[self.session] = self.chain[: asked[-count]]
            self.write("event_msg", type="thread_rolled_back", num_turns=count)

    def compact(self) -> None:
        self.write("compacted", message=SUMMARY)
        self.turns[self.session] = []
        self.starts("compact")


DOINGS = st.sampled_from(["turn"] * 5 + ["back", "back", "fork", "resume", "compact", "kill"])


@given(data=st.data())
def test_each_request_tells_the_state_whatever_the_person_does(data: st.DataObject) -> None:
    clock = Clock()
    with TemporaryDirectory() as folder, HudStore.open(":memory:", clock=clock) as store:
        client = Client(Player(Path(folder), lambda: store, clock), store, clock)
        for number, what in enumerate(data.draw(st.lists(DOINGS, min_size=6, max_size=20))):
            if what == "turn":
                notes = data.draw(st.lists(st.booleans(), max_size=4))
                client.turn(f"Please do part {number}.", notes)
            elif what == "back":
                client.back(data.draw(st.integers(1, 4)))
            elif what == "resume":
                client.starts("resume")
            elif what == "kill":
                client.player.begin()
            else:
                getattr(client, what)()
        assert client.wrong == []
