"""A subject that changes: the last good rendering stays, and nothing that its code does ends anything else."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hud_runtime import HudStore
from hud_runtime.preview import FaultError, PreviewLook, Subject
from tests.hud_runtime.preview.inside import LeftError
from tests.warm import python

GOOD = "def shown():\n    return 'Port 8080'\n"
BROKEN = "def shown():\n    return 1 / 0\n"
UNREADABLE = "def shown(:\n"
PRINTS = "print('{\"answer\": 1}')\ndef shown():\n    print('{}')\n    return 'Port 9090'\n"
ENDLESS = """
from ujsx import Component
class Slow(Component):
    def render(self, ctx, children):
        while ctx.density == "minimal":
            pass
        return "Port 7070"
shown = Slow()
"""
ENDING = "import os\nos._exit(9)\n"


def text(preview, look=None):
    return "".join(each["text"] for each in preview.ask("view", look or PreviewLook())["nodes"])


def write(path, code):
    """Write a file so that it differs from the one before, whatever the clock of the file system."""
    path.write_text(code)
    at = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(at, at))


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "app.py"
    path.write_text(GOOD)
    return path


def test_a_file_is_broken_and_mended(code, preview):
    shown = preview(Subject("x", object=f"{code}:shown"))
    before = shown.revision
    assert text(shown) == "Port 8080"
    assert not shown.poll()
    write(code, BROKEN)
    assert shown.poll()
    assert (shown.fault.kind, shown.fault.file, shown.fault.line) == (
        "ZeroDivisionError",
        str(code),
        2,
    )
    assert text(shown) == "Port 8080"  # the last good one stays
    write(code, UNREADABLE)
    os.utime(code, ns=(1, 1))
    assert shown.poll()
    assert (shown.fault.kind, shown.fault.line) == ("SyntaxError", 1)
    write(code, PRINTS)
    assert shown.poll()
    assert shown.fault is None
    assert text(shown) == "Port 9090"  # what it prints is no answer
    assert shown.revision > before


def test_one_that_was_never_good_is_mended(code, preview):
    write(code, ENDING)
    shown = preview(Subject("x", object=f"{code}:shown"))
    assert "its process ended by itself, with the status 9" in str(shown.fault)
    assert not shown.has_shown
    with pytest.raises(FaultError):
        shown.ask("view")
    code.unlink()
    write(code, GOOD)
    assert shown.poll()
    assert text(shown) == "Port 8080"


def test_a_loop_without_an_end_is_stopped_and_the_next_question_answered(code, preview):
    write(code, ENDLESS)
    shown = preview(Subject("x", object=f"{code}:shown"), answering=3.0)
    with pytest.raises(FaultError, match="longer than 3 seconds"):
        shown.ask("view", PreviewLook(density="minimal"))
    shown._patience["answering"] = 60.0
    assert text(shown) == "Port 7070"


def test_one_loop_while_it_is_read_leaves_the_last_good_one(code, preview):
    shown = preview(Subject("x", object=f"{code}:shown"))
    write(code, "while True: pass\n")
    shown._patience["loading"] = 2.0
    assert shown.poll()
    assert "longer than 2 seconds" in str(shown.fault)
    assert text(shown) == "Port 8080"


def test_what_another_process_writes_is_seen(tmp_path, preview):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        store.session("s").record("note.add", content="Port 8080", turn=1)
    shown = preview(Subject("s", store=str(path), session="s"))
    shown.poll()  # it knows the version from now on
    assert not shown.poll()
    said = [*python(), "-m", "hud_runtime", "record", "s", "note.add"]
    said += ["--content", "Port 9090", "--turn", "2"]
    subprocess.run([*said, "--store", str(path)], check=True, capture_output=True)
    assert shown.poll()
    view = shown.ask("view")
    assert (view["turn"], view["turns"]) == (2, 2)
    assert "Port 9090" in text(shown)
    assert "Port 9090" not in text(shown, PreviewLook(turn=1))


def test_two_may_look_at_one_session_and_many_may_ask_at_once(tmp_path, preview):
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("s")
        for turn in range(1, 9):
            session.record("note.add", content=f"Port {turn}", turn=turn)
    subject = Subject("s", store=str(path), session="s")
    both = [preview(subject), preview(subject)]
    looks = [PreviewLook(turn=turn) for turn in range(9)] * 4
    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda at: text(both[at % 2], looks[at]), range(len(looks)))]
    for look, shown in zip(looks, found, strict=True):
        assert shown.count("- Port") == look.turn


def test_whoever_asks_while_it_is_read_anew_is_answered(code, preview):
    shown = preview(Subject("x", object=f"{code}:shown"))
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(text, shown) for _ in range(30)]
        write(code, GOOD.replace("8080", "9090"))
        assert shown.poll()
        asked += [threads.submit(text, shown) for _ in range(5)]
    found = [each.result() for each in asked]
    assert {*found} <= {"Port 8080", "Port 9090"}
    assert found[-1] == "Port 9090"


def test_its_process_ends_with_it(code, preview, until):
    shown = preview(Subject("x", object=f"{code}:shown"))
    process = shown._worker._process
    shown.close()
    assert process.poll() is not None


def test_its_process_ends_when_nobody_asks_any_more_even_in_a_loop(code, until):
    write(code, "while True: pass\n")
    command = [sys.executable, "-P", "-m", "hud_runtime.preview._process"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(f'{{"name": "x", "object": "{code}:shown"}}\n'.encode())
    process.stdin.close()
    until(lambda: process.poll() is not None)
    process.stdout.close()
    assert process.returncode == 0


SLOW = """
import time
from ujsx import Component, Density, Disclosure, Rung
class Slow(Component):
    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))
    number: int
    def render(self, ctx, children):
        if ctx.density == "minimal":
            time.sleep(0.05)  # so that there is a while in which it is asked for the rungs
        return f"Port {self.number}"
shown = [Slow(number=each) for each in range(60)]
"""


def test_who_moves_a_slider_waits_for_nobody_who_compares(code, preview, until):
    code.write_text(SLOW)
    shown = preview(Subject("x", object=f"{code}:shown"))
    done = []
    with ThreadPoolExecutor() as threads:
        rungs = threads.submit(shown.ask, "rungs", PreviewLook())
        rungs.add_done_callback(lambda _: done.append("rungs"))
        until(shown._worker.is_busy)
        assert "Port 59" in text(shown)
        done.append("view")
        assert len(rungs.result()["sections"]) == 60  # it is asked for again by itself
    until(lambda: len(done) == 2)
    assert done == ["view", "rungs"]


def test_what_tells_of_a_look_is_left_once_another_one_is_in_sight(code, preview, until):
    code.write_text(SLOW)
    shown = preview(Subject("x", object=f"{code}:shown"))
    assert "Port 59" in text(shown)
    with ThreadPoolExecutor() as threads:
        rungs = threads.submit(shown.ask, "rungs", PreviewLook())
        until(shown._worker.is_busy)
        assert "Port 59" in text(shown, PreviewLook(budget="off"))
        with pytest.raises(LeftError):
            rungs.result()
    assert (
        len(shown.ask("rungs", PreviewLook())["sections"]) == 60
    )  # by somebody who does look at it
