"""What goes wrong in the middle of a run, with each SDK: the run ends as ever, and the state is right after it."""

from __future__ import annotations

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from hud_runtime import HudStore, StoreFullError, StoreLockedError
from hud_runtime.session import HudSession
from tests.hud_runtime.integrations import agents, inside
from tests.hud_runtime.integrations.hosts import HOSTS, Host, Run
from tests.hud_runtime.integrations.loopback import Asked, Call, Model, Reply
from tests.hud_runtime.store.list_store import ListEventStore

ROOT = Path(__file__).parents[3]
CONVERSATION = str(UUID(int=17))

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(params=HOSTS)
def name(request: pytest.FixtureRequest) -> str:
    found = str(request.param)
    if not HOSTS[found].is_there:
        pytest.skip(f"{found} is not installed")
    return found


@pytest.fixture(autouse=True)
def _no_inherited_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in [each for each in os.environ if each.startswith(("CLAUDE", "ANTHROPIC"))]:
        monkeypatch.delenv(each)


def read(folder: Path, file: str) -> Call:
    (folder / file).write_text("import jwt\n")
    return Call("Read", json.dumps({"file_path": str(folder / file)}))


def note(host: Host, content: str) -> Call:
    return Call(host.tool, json.dumps({"op": "notes.add", "content": content}))


def is_of_the_run(asked: Asked) -> bool:
    """Whether it is a request of the agent, and not one for a title."""
    return "Read" in asked.tools


def read_of(asked: Asked) -> str:
    return "\n".join(each.text for each in asked.blocks)


def files_of(session: HudSession[Any]) -> set[str]:
    return {Path(each.path).name for each in session.state().active_files}


# --- Killed ---


def started(name: str, model: Model, folder: Path, conversation: str) -> subprocess.Popen[str]:
    module = "tests.hud_runtime.integrations.hosts"
    given = [name, model.url, str(folder / "hud.db"), conversation, str(folder)]
    return subprocess.Popen(
        [sys.executable, "-m", module, *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )


def test_killed_in_the_middle_of_a_run_it_goes_on_in_another_process(
    name: str, tmp_path: Path
) -> None:
    host = HOSTS[name]
    script: list[Reply] = [
        read(tmp_path, "a.py"),
        note(host, "The worker retries"),
        read(tmp_path, "b.py"),
        "Nobody hears this.",
        read(tmp_path, "c.py"),
        "It goes on.",
    ]
    run: list[subprocess.Popen[str]] = []

    def kill(asked: Asked) -> None:
        if len([each for each in model.asked if is_of_the_run(each)]) == 4:
            os.killpg(run[0].pid, signal.SIGKILL)  # the host's own programs as well

    with Model(script, kill) as model:
        run.append(started(name, model, tmp_path, CONVERSATION))
        _, said = run[0].communicate(timeout=120)
        assert run[0].returncode == -signal.SIGKILL, said
        again = started(name, model, tmp_path, CONVERSATION)
        answer, said = again.communicate(timeout=120)
        assert (again.returncode, answer.strip()) == (0, "It goes on."), said
        assert "ujsx could not" not in said
        *_, first, last = [each for each in model.asked if is_of_the_run(each)]
    for known in ("The worker retries", "a.py", "b.py"):
        assert known in read_of(first)
    assert "c.py" in read_of(last)
    with HudStore.open(tmp_path / "hud.db") as store:
        assert store.sessions() == (CONVERSATION,)
        session = store.session(CONVERSATION)
        assert [each.content for each in session.state().notes] == ["The worker retries"]
        assert files_of(session) == {"a.py", "b.py", "c.py"}


def test_two_processes_with_one_store_stay_apart(name: str, tmp_path: Path) -> None:
    host = HOSTS[name]
    own = [str(UUID(int=number)) for number in (1, 2)]
    models, runs = [], []
    for each in own:
        folder = tmp_path / each
        folder.mkdir()
        models.append(
            Model([note(host, f"of {each}"), read(folder, f"{each}.py"), "done"]).__enter__()
        )
    (tmp_path / "hud.db").touch()
    for each, model in zip(own, models, strict=True):
        runs.append(started(name, model, tmp_path, each))
    for run, model in zip(runs, models, strict=True):
        answer, said = run.communicate(timeout=120)
        model.__exit__()
        assert (run.returncode, answer.strip()) == (0, "done"), said
    with HudStore.open(tmp_path / "hud.db") as store:
        assert set(store.sessions()) == set(own)
        for each in own:
            session = store.session(each)
            assert [one.content for one in session.state().notes] == [f"of {each}"]
            assert files_of(session) == {f"{each}.py"}


# --- A fault that passes ---


class Disk(ListEventStore):
    """A store that takes nothing while there is an error."""

    error: Exception | None = None

    def append(self, *args: Any, **more: Any) -> Any:
        if self.error is not None:
            raise self.error
        return super().append(*args, **more)

    def save_delivery(self, *args: Any, **more: Any) -> Any:
        if self.error is not None:
            raise self.error
        return super().save_delivery(*args, **more)


class Faulty:
    """A store with a switch for what goes wrong with it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.disk = Disk()
        self.store: HudStore[Any] = HudStore(self.disk, clock=lambda: 0)
        self.is_broken = False
        shown = HudSession.shown

        def checked(session: HudSession[Any], *args: Any, **more: Any) -> Any:
            if self.is_broken:
                raise ZeroDivisionError
            return shown(session, *args, **more)

        monkeypatch.setattr(HudSession, "shown", checked)

    def locked(self, *, on: bool) -> None:
        self.disk.error = StoreLockedError("the store is locked") if on else None

    def full(self, *, on: bool) -> None:
        self.disk.error = StoreFullError("the disk is full") if on else None

    def component(self, *, on: bool) -> None:
        self.is_broken = on


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Faulty:
    monkeypatch.setattr(inside.sending, "LOCKED", inside.NO_PAUSE)
    return Faulty(monkeypatch)


@pytest.mark.parametrize("fault", ["locked", "full", "component"])
def test_what_goes_wrong_for_a_while_is_said_once_and_all_is_right_after_it(
    name: str, fault: str, faulty: Faulty, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = HOSTS[name]
    switch = getattr(faulty, fault)
    script: list[Reply] = [
        note(host, "before"),
        read(tmp_path, "a.py"),  # from here on it goes wrong
        read(tmp_path, "b.py"),
        note(host, "meanwhile"),
        read(tmp_path, "c.py"),  # from here on it is well again
        note(host, "after"),
        "done",
    ]

    def seen(asked: Asked) -> None:
        place = len([each for each in model.asked if is_of_the_run(each)])
        if place in (2, 5) and is_of_the_run(asked):
            switch(on=place == 2)

    with caplog.at_level(logging.WARNING), Model(script, seen) as model:
        assert host.run(Run(model, faulty.store, CONVERSATION, tmp_path)) == "done"
    asked = [each for each in model.asked if is_of_the_run(each)]
    assert len(asked) == len(script)
    session = faulty.store.session(CONVERSATION)
    assert files_of(session) == {"a.py", "b.py", "c.py"}
    kept = ["before", "after"] if fault != "component" else ["before", "meanwhile", "after"]
    assert [each.content for each in session.state().notes] == kept
    agents.adds_up(session, host.shown(asked[-1]))
    told = [each.getMessage() for each in caplog.records if "ujsx could not" in each.getMessage()]
    assert len(told) == host.logs, told


# --- A lock of another program's, for long ---

LOCKED = float(os.environ.get("UJSX_LOCKED", "0"))
"""Seconds of it: ``make faults``."""


@pytest.mark.skipif(not LOCKED, reason="takes a minute: make faults")
def test_a_real_lock_of_a_minute_ends_no_run(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = HOSTS[name]
    script: list[Reply] = [
        note(host, "before"),
        read(tmp_path, "a.py"),  # from here on it is locked
        read(tmp_path, "b.py"),
        note(host, "meanwhile"),
        read(tmp_path, "c.py"),  # from here on it is not
        note(host, "after"),
        "done",
    ]
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)

        def seen(asked: Asked) -> None:
            if not is_of_the_run(asked):
                return
            place = len([each for each in model.asked if is_of_the_run(each)])
            if place == 2:
                other.execute("BEGIN EXCLUSIVE")
            if place in (3, 4, 5):
                time.sleep(LOCKED / 3)
            if place == 5:
                other.execute("ROLLBACK")
                time.sleep(inside.LOCKED.longest + 1)

        with closing(other), caplog.at_level(logging.WARNING), Model(script, seen) as model:
            assert host.run(Run(model, store, CONVERSATION, tmp_path)) == "done"
        asked = [each for each in model.asked if is_of_the_run(each)]
        assert len(asked) == len(script)
        session = store.session(CONVERSATION)
        assert files_of(session) == {"a.py", "b.py", "c.py"}
        assert [each.content for each in session.state().notes] == ["before", "after"]
        agents.adds_up(session, host.shown(asked[-1]))
    told = [each.getMessage() for each in caplog.records if "ujsx could not" in each.getMessage()]
    assert len(told) == host.logs, told
