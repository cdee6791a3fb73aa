"""What a person does to a conversation of OpenCode: each request tells the state."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.integrations.opencode import OpenCode
from tests.hosts.told import misses


@dataclass
class Client:
    """What the plugin asks for a client whose person reverts, forks and compacts."""

    store: HudStore
    session: str = "ses_0"
    chains: dict[str, list[str]] = field(default_factory=lambda: {"ses_0": []})
    """By session: the ids of its messages."""
    summaries: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    wrong: list[str] = field(default_factory=list[str])
    loses: bool = False
    number: int = 0

    def __post_init__(self) -> None:
        self.kill_bridge()

    def kill_bridge(self) -> None:
        self.bridge = OpenCode(lambda: self.store)

    def ask(self, kind: str, **more: Any) -> dict[str, Any]:
        event = {"line": [self.session], "directory": "/srv/shop", "type": kind, **more}
        answer = self.bridge.hook(json.dumps(event).encode())
        if self.loses:
            return {}
        if answer.arrived is not None:
            answer.arrived()
        return json.loads(answer.text or "{}")  # type: ignore[no-any-return]

    @property
    def chain(self) -> list[str]:
        return self.chains[self.session]

    def add(self) -> str:
        self.number += 1
        self.chain.append(f"msg_{self.number:06}")
        return self.chain[-1]

    def turn(self, prompt: str, notes: list[bool]) -> None:
        self.ask("chat.message", message={"id": self.add()}, parts=[{"type": "text", "text": prompt}])  # fmt: skip
        self.request()
        for is_note in notes:
            self.add()
            if is_note:
                call = {"call": {"op": "notes.add", "content": f"note {self.number}"}}
                asked = {"line": [self.session], "tool": "hud", "arguments": call}
                self.bridge.call(json.dumps(asked).encode())
            self.request()
        self.add()

    def request(self) -> None:
        told = self.ask("request", messages=self.chain, summary=self.summaries.get(self.session))
        if self.loses:
            return
        said = [each["text"] for each in sorted(told["said"], key=lambda each: each["behind"])]
        session = self.store.session(self.session)
        if gap := misses(said, session, session.version) if said else {"no HUD"}:
            self.wrong.append(f"{self.session}, {len(self.chain)} messages: {gap}")

    def revert(self, count: int) -> None:
        kept, gone = self.chain[:count], self.chain[count:]
        self.chains[self.session] = kept
        for name in gone:
            self.ask("message.removed", properties={"messageID": name})

    def fork(self, count: int) -> None:
        origin, theirs = self.session, self.chain
        self.session = f"ses_{len(self.chains)}"
        self.chains[self.session] = []
        if origin in self.summaries:
            self.summaries[self.session] = self.summaries[origin]
        for _ in theirs[:count]:
            self.add()
        self.ask("session.forked", origin=[origin], since=(theirs[count:] or [None])[0])

    def compact(self) -> None:
        self.ask("experimental.session.compacting")
        self.chains[self.session] = []
        self.add()
        self.summaries[self.session] = {"id": self.add(), "text": f"We did {self.number} things."}


DOINGS = st.sampled_from(["turn"] * 5 + ["revert", "fork", "back", "compact", "kill", "lose"])


@given(data=st.data())
def test_each_request_tells_the_state_whatever_the_person_does(data: st.DataObject) -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        client = Client(store)
        for number, what in enumerate(data.draw(st.lists(DOINGS, min_size=6, max_size=20))):
            if what == "turn":
                notes = data.draw(st.lists(st.booleans(), max_size=4))
                client.turn(f"Please do part {number}.", notes)
            elif what in ("revert", "fork"):
                getattr(client, what)(data.draw(st.integers(0, len(client.chain))))
            elif what == "back":
                client.session = data.draw(st.sampled_from(sorted(client.chains)))
            elif what == "compact":
                client.compact()
            elif what == "kill":
                client.kill_bridge()
            elif what == "lose":
                client.loses = True
                client.turn(f"Please do part {number}.", [])
                client.loses = False
        assert client.wrong == []


def test_a_copy_of_a_part_has_nothing_of_what_came_behind_it() -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        client = Client(store)
        client.turn("Add a login.", [True])
        client.turn("Now the limit of attempts.", [True])
        client.fork(3)
        client.turn("Another way.", [])
        assert client.wrong == []
        assert [each.content for each in store.session("ses_1").state().notes] == [
            "note 2",
            "note 5",
        ]
        task = store.session("ses_1").state().task
        assert task is not None
        assert "limit" not in (task.goal or "")
