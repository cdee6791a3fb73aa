"""Law 14 through a host's session: what the model reads adds up, whatever happens to host and store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud
from hud_components.levels import level_for
from hud_runtime import Delivery, HudStore, Part, StoreFullError
from hud_runtime.integrations import HostSession, SessionBegan, interleaved
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    ToolAnswer,
    ToolCall,
    Usage,
    UserMessage,
)
from tests.hud_runtime.delivery.test_law import is_of_the_context, known_to
from tests.hud_runtime.integrations.inside import dialogue, lines_of
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import render

Message = str | Part


class Disk(ListEventStore):
    """A store whose disk may be full."""

    is_full = False

    def append(self, *args: Any, **more: Any) -> Any:
        if self.is_full:
            raise StoreFullError("the disk is full")
        return super().append(*args, **more)

    def save_delivery(self, *args: Any, **more: Any) -> Any:
        if self.is_full:
            raise StoreFullError("the disk is full")
        return super().save_delivery(*args, **more)


@dataclass
class Host:
    """A program that runs an agent: it stores our words in its history, or it does not, or it hides it."""

    kind: str
    history: list[Message] = field(default_factory=list[Message])
    sent: list[list[Message]] = field(default_factory=list[list[Message]])
    is_fresh: bool = True

    def ask(self, hud: HostSession, retry_of: str | None = None) -> Delivery:
        if self.is_fresh and self.kind == "hides":
            hud.observe(SessionBegan(source="resume"))
        texts = [each if isinstance(each, str) else each.text for each in self.history]
        return hud.before_request(
            texts=None if self.kind == "hides" else texts,
            retry_of=retry_of,
            host_keeps_messages=self.kind != "forgets",
        )

    def send(self, made: Delivery) -> list[Part]:
        """Send a request, and return what of ours the model reads."""
        prompt: Sequence[Message]
        if self.kind == "forgets":
            prompt = interleaved(self.history, made, lambda part: part)
        else:
            self.history += made.parts
            prompt = [*self.history]
        self.is_fresh = False
        self.sent.append(list(prompt))
        return [each for each in prompt if isinstance(each, Part)]

    def cut(self, count: int) -> None:
        self.history = self.history[count:]
        self.sent.clear()
        self.is_fresh = True


WORDS = st.sampled_from(["login", "tests/a.py", "README.md", "src/x y.py", "# HUD", "port 8080"])


@st.composite
def observations(draw: st.DrawFn) -> list[AnyObservation]:
    """What an agent does in a step."""
    word, number = draw(WORDS), draw(st.integers(0, 10**6))
    kind = draw(st.sampled_from(["ask", "read", "edit", "test", "todo", "usage"]))
    if kind == "ask":
        return [UserMessage(text=f"Please mend {word} in part {number}, with all its tests.")]
    if kind == "usage":
        return [AgentMessage(usage=Usage(input=number % 120_000 + 1, cache_read=number % 100))]
    call, answer = {
        "read": (ToolCall(name="Read", arguments={"file_path": word}), "1: x"),
        "edit": (ToolCall(name="Edit", arguments={"file_path": word}), "done"),
        "test": (
            ToolCall(name="Bash", arguments={"command": f"pytest {word}"}),
            draw(st.sampled_from(["1 passed", "FAILED tests/a.py::test_x - assert 0\n1 failed"])),
        ),
        "todo": (
            ToolCall(
                name="TodoWrite",
                arguments={"todos": [{"content": f"{word} {number % 5}", "status": "pending"}]},
            ),
            "ok",
        ),
    }[kind]
    return [AgentMessage(), call, ToolAnswer(text=answer)]


OPS = st.sampled_from(
    ["step"] * 3
    + ["request"] * 4
    + ["hud", "retry", "said", "cut", "cut", "disk", "disk", "killed"]
)


@given(data=st.data(), kind=st.sampled_from(["stores", "forgets", "hides"]))
def test_what_is_delivered_adds_up(data: st.DataObject, kind: str) -> None:
    disk = Disk()

    def opened() -> HostSession:
        return HostSession(
            lambda: HudStore(disk, clock=lambda: 0).session("s"), on_warning=lambda _: None
        )

    hud, host = opened(), Host(kind)
    greens = True
    for what in data.draw(st.lists(OPS, min_size=8, max_size=30)):
        if what == "step":
            hud.observe(*data.draw(observations()))
        elif what == "hud" and not disk.is_full:
            hud.call("hud", {"op": "notes.add", "content": data.draw(WORDS)})
        elif what == "said":
            host.history.append(f"message {len(host.history)}")
        elif what == "cut":
            host.cut(data.draw(st.integers(0, len(host.history))))
        elif what == "disk":
            disk.is_full = not disk.is_full
        elif what == "killed":
            hud = opened()
            if (
                disk.is_full
            ):  # that its history began anew is known to nobody now, unless it says so again
                host.is_fresh = True
        elif what in ("request", "retry"):
            made = host.ask(hud)
            if what == "retry" and made.id:
                assert host.ask(hud, made.id) == made
            before = host.sent[-1] if host.sent else []
            ours = host.send(made)
            assert host.sent[-1][: len(before)] == before  # the prefix is kept, come what may
            if made.id:
                state = hud.session.known
                usage = state.usage
                greens = greens and (usage is None or level_for(usage.percentage) == "green")
                check(state, ours, greens)


def test_another_process_says_again_what_was_delivered_though_the_disk_is_full() -> None:
    disk, host = Disk(), Host("forgets", ["hello"])

    def opened() -> HostSession:
        return HostSession(
            lambda: HudStore(disk, clock=lambda: 0).session("s"), on_warning=lambda _: None
        )

    before = host.send(host.ask(opened()))
    disk.is_full = True
    hud = opened()
    hud.observe(UserMessage(text="Please mend the login, with all its tests."))
    assert host.send(host.ask(hud)) == before != []


def check(state: Any, ours: Sequence[Part], greens: bool) -> None:
    known = {each.text for each in known_to(ours) if not is_of_the_context(each)}
    if not greens:
        return
    node = Hud.of(state)
    shown = {each.line.text for each in lines_of(render(node)) if not is_of_the_context(each.line)}
    everything = {each.line.text for each in lines_of(render(node, budget=10**9))}
    assert (
        shown
        <= known
        <= everything | shown | {each.text for each in known_to(ours) if is_of_the_context(each)}
    )


@dataclass
class Agent:
    """An agent whose user trims and rewinds what its model reads, or leaves the history to a provider and forks it."""

    disk: Disk = field(default_factory=Disk)
    history: list[Message] = field(default_factory=list[Message])
    held: dict[str, list[Message]] = field(default_factory=dict[str, list[Message]])
    """What a provider holds, by its answers' ids."""

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start another process."""
        session = HudStore(self.disk, clock=lambda: 0).session("s")
        self.dialogue = dialogue.Dialogue(HostSession(session, on_warning=lambda _: None))

    def reads(self, keep: Sequence[bool]) -> list[Part]:
        """Send what is kept of the history, and return what of ours the model reads."""
        kept = [each for each, is_kept in zip(self.history, keep, strict=True) if is_kept]
        made = self.dialogue.request(shown(self.history), reads=shown(kept))
        self.dialogue.answered()
        return parts_of(interleaved(kept, made, lambda part: part))

    def follows(self, head: str, *, is_answered: bool) -> list[Part]:
        """Send a message behind what the provider holds, and return what of ours the model reads."""
        made = self.dialogue.request([dialogue.HostMessage(text="go on")], held=head, sent=False)
        prompt = [*self.held.get(head, ()), "go on", *made.parts]
        if is_answered:
            self.dialogue.host.sent(made)
            name = head if head.startswith("conversation ") else f"answer {len(self.held)}"
            self.dialogue.answered(head=name)
            self.held[name] = prompt
        return parts_of(prompt)


def shown(messages: Sequence[Message]) -> list[dialogue.HostMessage]:
    return [dialogue.HostMessage(text=str(each)) for each in messages]


def parts_of(prompt: Sequence[Message]) -> list[Part]:
    return [each for each in prompt if isinstance(each, Part)]


DEEDS = st.sampled_from(
    ["step"] * 3 + ["said"] * 2 + ["trims"] * 4 + ["follows"] * 4 + ["rewinds", "killed", "disk"]
)


@given(data=st.data(), is_held=st.booleans())
def test_what_the_model_reads_adds_up_whatever_its_user_does_to_the_history(
    data: st.DataObject, *, is_held: bool
) -> None:
    agent, greens = Agent(), True
    for what in data.draw(st.lists(DEEDS, min_size=8, max_size=30)):
        ours: list[Part] | None = None
        if what == "step":
            agent.dialogue.host.observe(*data.draw(observations()))
        elif what == "said":
            agent.history.append(f"message {len(agent.history)}")
        elif what == "trims" and not is_held:
            some = st.lists(st.booleans(), min_size=len(agent.history), max_size=len(agent.history))
            every = st.just([True] * len(agent.history))
            ours = agent.reads(data.draw(st.one_of(some, every)))
        elif what == "follows" and is_held:
            known = st.sampled_from(["conversation a", "conversation b", *agent.held])
            newest = st.just(list(agent.held)[-1] if agent.held else "conversation a")
            head = data.draw(st.one_of(known, newest))
            ours = agent.follows(head, is_answered=data.draw(st.booleans()))
        elif what == "rewinds":
            del agent.history[data.draw(st.integers(0, len(agent.history))) :]
        elif what == "killed":
            agent.begin()
        elif what == "disk" and not is_held:
            agent.disk.is_full = not agent.disk.is_full
        if ours is not None and not agent.disk.is_full:
            state = agent.dialogue.host.session.known
            usage = state.usage
            greens = greens and (usage is None or level_for(usage.percentage) == "green")
            check(state, ours, greens)
