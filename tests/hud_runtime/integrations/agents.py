"""What every SDK's tests share: a scripted session, and what must hold in each of its requests."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from hud_components import Hud
from hud_runtime import HudSession, HudStore, StoreFullError, StoreLockedError
from hud_runtime.log.events import ContextSnapshot
from tests.hosts.told import lines_beside
from tests.hud_components.changes.reading import read
from tests.hud_runtime.delivery.test_law import is_of_the_context
from tests.hud_runtime.integrations.inside import lines_of
from tests.hud_runtime.integrations.loopback import Asked, Call, Model, Reply
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import render

FAILED = "FAILED tests/test_login.py::test_expired - assert 200 == 401\n1 failed in 0.1s"
ASK = "Add a login with JWT to the service."


def read_file(file_path: str) -> str:
    """Read a file."""
    return f"import jwt  # {file_path}"


@dataclass
class Shell:
    """A tool that runs commands: the tests fail once."""

    answers: list[str] = field(default_factory=lambda: [FAILED, "1 passed in 0.1s"])

    def __call__(self, command: str) -> str:
        """Run a command."""
        return self.answers.pop(0) if self.answers else "1 passed in 0.1s"


def hud(operation: str, **more: str) -> Call:
    return Call("hud", json.dumps({"op": operation, **more}))


LISTING = "".join(f"src/module_{number}.py\n" for number in range(400))
"""What a command prints that has too much."""

PRUNED = "o-09d9c63f"
"""The id of it."""

TO_PRUNE = (
    Call("Bash", '{"command": "find src"}'),
    hud("output", id=PRUNED),
    "The login is there.",
)
"""A long output, and the call that brings it back."""


class Lister(Shell):
    """A tool that runs commands, all of which print the listing."""

    def __call__(self, command: str) -> str:
        """Run a command."""
        return LISTING


def check_pruned(asked: Sequence[Asked]) -> None:
    """The model reads what is left, and then, by one call, the whole."""
    first, second = ("\n".join(each.text for each in one.blocks) for one in asked[1:])
    assert f"340 more lines: hud output {PRUNED} 31-370" in first
    assert "module_200.py" not in first
    assert "module_200.py" in second


WHOLE = '{"op": "notes.add", "content": "Port 8080 is taken"}'
BROKEN = '```json\n{"op": "notes.add", "content": "Port 8080 is taken",}\n```'
"""The same arguments, as no parser takes them."""

SCRIPT: tuple[Reply, ...] = (
    Call("Read", '{"file_path": "src/login.py"}'),
    hud("notes.add", content="The worker retries three times"),
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    hud("decisions.record", summary="Use RS256", details="keys rotate"),
    Call("hud", WHOLE),
    hud("no.such"),
    Call("Bash", '{"command": "pytest tests/test_login.py"}'),
    [
        "I look at both.",
        Call("Read", '{"file_path": "src/a.py"}'),
        hud("steps.add", description="Rotate keys"),
    ],
    "The login is there.",
)
"""Nine requests: files, the HUD's own tool, an error and its resolution, a refusal, two calls at once."""


WITH_BROKEN: tuple[Reply, ...] = tuple(
    Call("hud", BROKEN) if each == Call("hud", WHOLE) else each for each in SCRIPT
)
"""The same, with arguments that no parser takes, where a host's wire carries their text."""


def said_in(blocks: Sequence[str]) -> tuple[str, list[str]]:
    """The last whole HUD among the texts that a model reads, and the changes since."""
    texts = [found for each in blocks for found in parted(each)]
    if blocks[-1].startswith("## "):  # the rest of one that begins in the system prompt
        return f"{texts[-1].strip()}\n\n{blocks[-1]}", []
    start = max(n for n, each in enumerate(texts) if not each.startswith("# HUD changes"))
    return texts[start], texts[start + 1 :]


def parted(text: str) -> list[str]:
    """The HUDs in a text."""
    return [each for each in re.split(r"(?m)^(?=# HUD)", text) if each.startswith("# HUD")]


def beside_the_hud(asked: Asked) -> list[str]:
    """What a request says in other words than the HUD's: what stands there need not be told."""
    ours = asked.ours()
    return [re.split(r"(?m)^# HUD", each.text)[0 if each in ours else -1] for each in asked.blocks]


def adds_up(session: HudSession[Any], asked: Asked) -> None:
    """What the model reads of the HUD, whole and changes, is what it shows now, and nothing else.

    Words that stand in the other messages, such as the task in the prompt, need not be told.
    """
    ours = asked.ours()
    whole, changes = said_in([each.text for each in ours]) if ours else ("", [])
    told = [each for each in read(whole, changes) if not is_of_the_context(each)]
    known = {each.text for each in told}
    node = Hud.of(session.state())
    shown = [each.line for each in lines_of(render(node)) if not is_of_the_context(each.line)]
    everything = {each.line.text for each in lines_of(render(node, budget=10**9))}
    heard = [*beside_the_hud(asked), *(one.name for one in told)]
    said = {
        each.text
        for each in shown
        if all(any(part in one for one in heard) for part in each.name.split(" — goal: "))
    }
    beside = lines_beside(session.state(), [*shown, *told], "\n".join(heard))
    task = session.known.task
    if task is not None:
        everything |= {f"- {task.description}", f"- *goal:* {task.goal}"}
    is_said = task is not None and any(task.description in each.text for each in asked.blocks)
    stale = {each.text for each in told if each.title == "Task"} if is_said else set()
    assert {each.text for each in shown} <= known | said | beside, (shown, known, asked.blocks)
    assert known <= everything | {each.text for each in shown} | stale | beside, (
        known,
        asked.blocks,
    )


def check_session(session: HudSession[Any]) -> None:
    """Check the state that a session of :data:`SCRIPT` ends with."""
    state = session.state()
    assert state.task is not None
    assert state.task.description == ASK
    assert {each.path for each in state.active_files} >= {"src/login.py", "src/a.py"}
    assert [each.resolved for each in state.errors] == [True]
    contents = [each.content for each in state.notes]
    assert contents == ["The worker retries three times", "Port 8080 is taken"]
    assert [each.summary for each in state.decisions] == ["Use RS256"]
    assert [each.description for each in state.next_steps] == ["Rotate keys"]


def check_usage(session: HudSession[Any], asked: Sequence[Asked], *, writes: bool = True) -> None:
    """Check that each request was recorded as it was billed."""
    told = [each.payload for each in session.events() if isinstance(each.payload, ContextSnapshot)]
    figures = [(each.input, each.cache_read, each.cache_write, each.output) for each in told]
    plain = [(each.plain, each.cache_read, each.cache_write, 7) for each in asked]
    assert figures == plain


def check_append(asked: Sequence[Asked], *, least: float = 0.999) -> None:
    """Check what holds when the HUD is appended: the first is whole, and no byte changes later."""
    for number, each in enumerate(asked):
        if not each.ours():
            assert number < 2, each.blocks  # until there is more to tell than the prompt says
            continue
        assert each.ours()[-1].role in ("user", "system"), each.blocks
        ours = [text for block in each.ours() for text in parted(block.text)]
        assert not ours[0].startswith("# HUD changes")
        if number:
            assert each.kept >= least, (number, each.kept)


def check_tail(asked: Sequence[Asked], *, marked: bool) -> None:
    """Check what holds for a tail: once in each request, last, with a breakpoint right before it."""
    for number, each in enumerate(asked):
        if not number and not each.ours():
            continue  # there is no more to tell than the prompt says
        [ours] = each.ours()
        assert each.place(ours) == 0, each.blocks
        if marked:
            assert each.blocks[-2].is_marked, each.blocks


REFUSED: tuple[Reply, ...] = (*[hud("no.such")] * 5, "The login is there.")
"""Calls of what there is not."""


def check_refused(asked: Sequence[Asked]) -> None:
    """Check that the last refusal of :data:`REFUSED` is an error in the host's form."""
    [*_, last] = [each for each in asked[-1].blocks if "tool_result" in each.text]
    assert '"is_error": true' in last.text
    assert "no.such" in last.text


RENAME = "Now rename it, please, to sign-in."
"""What is asked when a conversation goes on."""

GOES_ON: tuple[Reply, ...] = (
    Call("Read", '{"file_path": "a.py"}'),
    "read",
    hud("notes.list"),
    "renamed",
)
"""A run for :data:`ASK`, and one for :data:`RENAME`."""

HELPED: tuple[Reply, ...] = (
    Call("ask_helper", '{"question": "Which key is it?"}'),
    hud("notes.add", content="RS256"),
    "ok",
    "done",
)
"""An agent that asks another one, by its tool ``ask_helper``."""

PARTS = tuple(f"Mend part {number} of the ledger." for number in range(4))
"""What is asked of several at once; a conversation has the name of what is asked in it."""


# --- Compactions ---

SUMMARY = "The tests of the login are left."
LONG = f"{ASK} {'It takes a token. ' * 80}"
"""An ask that is longer than the summary."""

COMPACTS: tuple[Reply, ...] = (
    Call("Read", '{"file_path": "src/login.py"}'),
    Call("hud_compact", '{"reason": "the login is read"}'),
    "The login is there.",
    "The tests are there.",
)
"""An agent that asks for a compaction, and goes on in a second run."""


@dataclass
class Summarizer:
    """A model that sums up: it takes what it is asked in the framework's form."""

    asked: list[Any] = field(default_factory=list)

    def __call__(self, messages: list[Any]) -> str:
        self.asked.append(messages)
        return SUMMARY

    async def later(self, messages: list[Any]) -> str:
        """Do the same as a coroutine function."""
        return self(messages)


def check_compacted(asked: Sequence[Asked], summarizer: Summarizer) -> None:
    """Check that the requests behind the call have the summary in the place of what was said, and that there is one."""
    assert len(summarizer.asked) == 1
    said = ["\n".join(beside_the_hud(each)) for each in asked]
    assert [LONG.strip() in each for each in said] == [True, True, *[False] * len(said[2:])]
    assert [SUMMARY in each for each in said] == [False, False, *[True] * len(said[2:])]


# --- Faults ---

Fault = Callable[[HudStore[Any]], AbstractContextManager[Any]]
"""What goes wrong with a store, or with what it is asked for."""


@contextmanager
def locked(store: HudStore[Any]) -> Iterator[Any]:
    """Nobody can write."""
    yield _Broken(StoreLockedError("the store is locked")).store()


@contextmanager
def full(store: HudStore[Any]) -> Iterator[Any]:
    """The disk is full."""
    yield _Broken(StoreFullError("the disk is full")).store()


@contextmanager
def component(store: HudStore[Any]) -> Iterator[Any]:
    """A component raises."""
    session = store.session("s")

    def shown(*args: Any, **more: Any) -> Any:
        raise ZeroDivisionError

    session.shown = shown  # type: ignore[method-assign]
    yield session


class _Broken(ListEventStore):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def store(self) -> HudStore[Any]:
        return HudStore(self, clock=lambda: 0)

    def append(self, *args: Any, **more: Any) -> Any:
        raise self._error

    def save_delivery(self, *args: Any, **more: Any) -> Any:
        raise self._error


FAULTS: list[Any] = [pytest.param(each, id=each.__name__) for each in (locked, full, component)]


def check_system(asked: Sequence[Asked]) -> None:
    """Check that the static part stands in the system prompt, and the rest behind all else."""
    for number, each in enumerate(asked):
        static, *rest = each.ours()
        assert static.role in ("system", "developer")
        assert ASK in static.text
        assert [(one.role, each.place(one)) for one in rest] == [("user", 0)] * bool(number)


@dataclass
class Played:
    """A session that was played."""

    store: HudStore[Any]
    model: Model

    @property
    def session(self) -> HudSession[Any]:
        return self.store.session(self.store.sessions()[0])


def play(
    run: Callable[[Model, HudStore[Any]], object],
    script: Sequence[Reply] = SCRIPT,
    *,
    store: HudStore[Any] | None = None,
    check: bool = True,
) -> Played:
    """Play a session, and check in each request that what the model reads adds up."""
    opened = store or HudStore.open(":memory:", clock=lambda: 0)

    def seen(asked: Asked) -> None:
        if check:
            adds_up(opened.session(opened.sessions()[0]), asked)

    with Model(script, seen) as model:
        run(model, opened)
    for each in model.asked:
        if each.error is not None:
            raise each.error
    return Played(opened, model)


def check_goes_on(played: Played, *, least: float = 0.999) -> None:
    """Check the one session that :data:`GOES_ON` leads to."""
    assert len(played.store.sessions()) == 1
    check_append(played.model.asked, least=least)
    state = played.session.state()
    assert state.task.description == RENAME
    assert [each.path for each in state.active_files] == ["a.py"]


def check_child(played: Played, parent: str) -> None:
    """Check what :data:`HELPED` leads to: the helper has a session of its own, and knows the task."""
    first, child = sorted(played.store.sessions(), key=len)
    assert first == parent
    assert child.startswith(f"{parent}/helper-")
    assert [each.content for each in played.store.session(child).state().notes] == ["RS256"]
    assert played.store.session(parent).state().notes == ()
    assert ASK in played.model.asked[1].ours()[0].text


def play_at_once(runs: Callable[[Model, HudStore[Any]], Sequence[Awaitable[object]]]) -> None:
    """Run an agent for each of :data:`PARTS` at once, and check that each has a session and a HUD of its own."""

    async def go(model: Model, store: HudStore[Any]) -> None:
        await asyncio.gather(*runs(model, store))

    played = play(
        lambda model, store: asyncio.run(go(model, store)),
        [hud("tasks.show")] * len(PARTS),
        check=False,
    )
    assert set(played.store.sessions()) == set(PARTS)
    for name in PARTS:
        assert played.store.session(name).state().task.description == name
    for each in played.model.asked:
        own = next(block.text for block in each.blocks if block.text in PARTS)
        told = "\n".join(block.text for block in each.ours())
        assert not any(part in told for part in PARTS if part != own)


def check_fault(run: Callable[[Model, Any, Callable[[str], object]], object], fault: Fault) -> None:
    """Check that a run ends as without a fault, and that each sentence about that is told once.

    :param run: runs an agent by a model, with a source of sessions and who is told.
    """
    told: list[str] = []

    def broken(model: Model, store: HudStore[Any]) -> None:
        with fault(store) as source:
            run(model, source, told.append)

    played = play(broken, check=False)
    assert len(played.model.asked) == len(SCRIPT)
    assert told
    assert len(told) == len(set(told))
