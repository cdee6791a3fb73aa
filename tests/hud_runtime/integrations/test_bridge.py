"""The resident bridge: one process for all hooks, that may be killed at any time."""

from __future__ import annotations

import importlib.metadata
import json
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, ServeError
from hud_runtime.integrations.bridge import (
    Answer,
    Bridge,
    BridgeLink,
    client_call,
    place_of,
    serve_streams,
)
from hud_runtime.integrations.claude_code import ClaudeCode
from tests.hud_runtime.integrations.claude import Claude
from tests.hud_runtime.integrations.inside import client
from tests.hud_runtime.integrations.inside import place as place_module
from tests.ids import looped
from ujsx import __version__

ROOT = Path(__file__).parents[3]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "h"
    folder.mkdir()
    yield folder
    for each in pids(folder):
        os.kill(each, signal.SIGKILL)


def program(home: Path, *more: str) -> list[str]:
    place = place_of(home / "hud.db")
    run = [sys.executable, "-P", "-m", "hud_runtime", "bridge", "--store", str(place.store)]
    return [*run, "--socket", str(place.socket), *more]


def pids(home: Path) -> list[int]:
    """The bridges of a store that run."""
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"bridge" in words and str(home / "hud.db").encode() in words:
            found.append(int(each.parent.name))
    return found


def hook(
    home: Path, kind: str, given: dict[str, Any], *, patience: float = 20.0, start: bool = True
) -> str:
    """Run what a host runs for an event."""
    place = place_of(home / "hud.db").socket
    call = [*client_call(place_module.CLIENT.parent, place), f"{patience}", kind]
    done = subprocess.run(
        [*call, *(program(home) if start else ())],
        input=json.dumps(given).encode(),
        capture_output=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stderr == b""
    return done.stdout.decode()


def claude(home: Path, session: str = "s") -> Claude:
    return Claude(lambda kind, given: hook(home, kind, given), session=session)


@contextmanager
def running(bridge: Bridge) -> Iterator[threading.Thread]:
    """Run a bridge in a thread."""
    assert bridge.begin()
    thread = threading.Thread(target=bridge.run)
    thread.start()
    try:
        yield thread
    finally:
        bridge.end()
        thread.join()


@contextmanager
def listening(place: Path, backlog: int = 128) -> Iterator[socket.socket]:
    """A socket at a place, as closed to others as a bridge's."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        place.chmod(0o600)
        server.listen(backlog)
        yield server


needs_proc = pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="looks processes up in /proc"
)


@needs_proc
class TestResident:
    def test_it_starts_when_it_is_asked_and_goes_on_after_it_was_killed(self, home: Path) -> None:
        one = claude(home)
        assert one.asked("Add a login.").startswith("# HUD\n")
        one.hud("notes.add", content="Port 8080")
        [first] = pids(home)
        os.kill(first, signal.SIGKILL)
        assert "Port 8080" in one.works("Read", {"file_path": "a.py"}, "x")
        [second] = pids(home)
        assert first != second
        for path in (place_of(home / "hud.db").socket, home / "hud.db"):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(place_of(home / "hud.db").socket.parent.stat().st_mode) == 0o700
        os.kill(second, signal.SIGTERM)
        for _ in range(200):
            if not pids(home):
                break
            time.sleep(0.05)
        assert not place_of(home / "hud.db").socket.exists()

    def test_it_ends_when_it_is_told_to_and_another_one_follows(self, home: Path) -> None:
        one = claude(home)
        one.begins()
        [first] = pids(home)
        hook(home, "end", {}, start=False)
        one.hud("notes.add", content="Port 8080")
        assert "Port 8080" in one.works("Read", {"file_path": "a.py"}, "x")
        assert [each for each in pids(home) if each != first]

    def test_many_that_start_at_once_share_one(self, home: Path) -> None:
        def begin(number: int) -> str:
            return claude(home, f"s{number}").asked("Add a login.")

        with ThreadPoolExecutor(6) as pool:
            said = list(pool.map(begin, range(6)))
        assert all(each.startswith("# HUD\n") for each in said)
        for _ in range(400):
            if len(pids(home)) == 1:
                break
            time.sleep(0.05)
        assert len(pids(home)) == 1

    def test_a_locked_store_delays_a_turn_and_loses_nothing(self, home: Path) -> None:
        one = claude(home)
        one.begins()
        with closing(sqlite3.connect(home / "hud.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert one.asked("Add a login with JWT.") == ""
            assert one.works("Edit", {"file_path": "a.py"}, "done") == ""
            other.execute("ROLLBACK")
        assert len(one.news) == 1
        for _ in range(100):
            text = one.works("Edit", {"file_path": "b.py"}, "done")
            if text:
                break
            time.sleep(0.2)
        assert all(each in text for each in ("Add a login with JWT.", "a.py", "b.py"))
        assert len(one.news) == 1

    def test_where_nobody_may_start_it_nothing_is_said(self, home: Path) -> None:
        assert hook(home, "claude-code", {"session_id": "s"}, start=False) == ""
        assert pids(home) == []


class TestClient:
    """The small program: whatever happens, it says nothing or all, and ends well."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        return tmp_path / "b.sock"

    def run(self, place: Path, *program: str, patience: str = "0.3") -> bytes:
        call = [*client_call(place_module.CLIENT.parent, place), patience, "shout", *program]
        done = subprocess.run(
            call, input=b"x" * 300_000, capture_output=True, check=True, timeout=30
        )
        assert done.stderr == b""
        return done.stdout

    def test_a_program_that_is_not_there_is_no_trouble(self, place: Path) -> None:
        assert self.run(place, "/nowhere/ujsx") == b""

    def test_one_that_fails_is_told_of_and_not_waited_for(self, place: Path) -> None:
        call = [*client_call(place_module.CLIENT.parent, place), "60", "claude-code", "/bin/false"]
        before = time.monotonic()
        done = subprocess.run(call, input=b"{}", capture_output=True, check=True, timeout=30)
        assert "ujsx bridge" in json.loads(done.stdout)["systemMessage"]
        assert time.monotonic() - before < 20
        again = subprocess.run(call, input=b"{}", capture_output=True, check=True, timeout=30)
        assert (
            again.stdout == b""
        )  # each event is a program of its own, and the person is told once
        told = place.with_name(f"{place.name}.told")
        assert stat.S_IMODE(told.stat().st_mode) == 0o600
        os.utime(told, (0, 0))
        later = subprocess.run(call, input=b"{}", capture_output=True, check=True, timeout=30)
        assert later.stdout == done.stdout
        for _ in range(2):
            again = subprocess.run(call, input=b"{}", capture_output=True, check=True, timeout=30)
            assert again.stdout == b""
        with running(Bridge(place, {})):
            assert not told.exists()

    def test_one_that_ends_well_has_left_the_place_to_another(self, place: Path) -> None:
        call = [*client_call(place_module.CLIENT.parent, place), "0.5", "claude-code", "/bin/true"]
        done = subprocess.run(call, input=b"{}", capture_output=True, check=True, timeout=30)
        assert done.stdout == done.stderr == b""

    @needs_proc
    def test_one_that_is_started_has_nothing_of_its_own_and_is_its_own_session(
        self, place: Path
    ) -> None:
        """It goes on when the host ends, and writes into no answer."""
        told = place.with_name("told")
        code = (
            "import os; from pathlib import Path;"
            "streams = [os.readlink(f'/proc/self/fd/{each}') for each in range(3)];"
            f"Path({str(told)!r}).write_text(f'{{streams}} {{os.getsid(0) == os.getpid()}}\\n')"
        )
        assert self.run(place, sys.executable, "-IS", "-c", code, patience="1") == b""
        for _ in range(400):
            if told.exists() and told.read_text().endswith("\n"):
                break
            time.sleep(0.05)
        assert told.read_text() == f"{[os.devnull] * 3} True\n"

    @needs_proc
    def test_one_that_is_started_by_a_link_leaves_nothing_open(self, place: Path) -> None:
        own = Path("/proc/self/fd")
        before = len([*own.iterdir()])
        assert BridgeLink(place, ["/bin/true"], patience=0.1).ask("shout", b"") is None
        assert len([*own.iterdir()]) == before

    def test_one_that_a_link_has_started_is_no_descendant_of_its_server(self, place: Path) -> None:
        """Copilot CLI ends its servers with their children, whatever session those are in."""
        told = place.with_name("told")
        code = (
            "import os, socket, time; from pathlib import Path; before = os.getppid();"
            f"socket.socket(socket.AF_UNIX).bind({str(place)!r}); end = time.monotonic() + 20\n"
            "while os.getppid() == before and time.monotonic() < end: time.sleep(0.02)\n"
            f"Path({str(told)!r}).write_text(str(os.getppid() != before))"
        )
        link = BridgeLink(place, [sys.executable, "-IS", "-c", code], patience=1.0)
        assert link.ask("shout", b"") is None
        for _ in range(400):
            if told.exists() and told.read_text():
                break
            time.sleep(0.05)
        assert told.read_text() == "True"

    def test_one_that_fails_is_not_waited_for_by_a_link(self, place: Path) -> None:
        before = time.monotonic()
        assert BridgeLink(place, ["/bin/false"], patience=60.0).ask("shout", b"") is None
        assert time.monotonic() - before < 20

    def test_it_looks_now_and_then_for_one_that_starts(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked: list[str] = []
        monkeypatch.setattr(client, "connected", lambda place, _: looked.append(place))
        assert BridgeLink(place, ["/bin/true"], patience=1.0).ask("shout", b"") is None
        assert 1 < len(looked) <= 52  # each 20 ms

    def test_a_bridge_that_never_answers_is_left_in_time(self, place: Path) -> None:
        with listening(place):
            before = time.monotonic()
            assert self.run(place) == b""
            assert time.monotonic() - before < 20

    @pytest.mark.parametrize("answer", [b"", b"9", b"9\nhalf", b"x\ny", b"\n"])
    def test_half_an_answer_is_none(self, place: Path, answer: bytes) -> None:
        with listening(place) as server:

            def serve() -> None:
                wire, _ = server.accept()
                with wire:
                    wire.recv(1_000_000)
                    wire.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            assert self.run(place) == b""
            thread.join()

    def test_a_long_answer_arrives_and_its_arrival_is_told(self, place: Path) -> None:
        arrived = threading.Event()

        def shout(given: bytes) -> Answer:
            return Answer(given.decode().upper(), arrived.set)

        with running(Bridge(place, {"shout": shout})):
            assert not Bridge(place, {}).begin()
            assert self.run(place, patience="20") == b"X" * 300_000
            assert arrived.wait(10)

    def test_a_handler_that_fails_ends_nothing(self, place: Path) -> None:
        failed: list[bytes] = []

        def fail(given: bytes) -> Answer:
            failed.append(given)
            raise ZeroDivisionError

        bridge = Bridge(place, {"shout": fail})
        with running(bridge):
            assert self.run(place, "/bin/true", patience="20") == b""
            assert len(failed) == 1  # another try would fail, too
            bridge._handlers = {"shout": lambda _: Answer("well")}
            assert self.run(place, patience="20") == b"well"

    def test_one_that_takes_no_more_is_left_in_time(self, place: Path) -> None:
        """A bridge that was stopped answers nobody, and those that wait fill its queue."""
        with listening(place, 0), ExitStack() as waiting:
            with suppress(BlockingIOError):
                while True:
                    wire = waiting.enter_context(socket.socket(socket.AF_UNIX))
                    wire.setblocking(False)
                    wire.connect(str(place))
            assert self.run(place) == b""

    def test_the_command_before_is_run_as_a_shell_runs_it(self, place: Path) -> None:
        assert self.run(place, "--then", "yes | head -1") == b"y\n"

    def test_the_command_before_has_the_event_and_says_all_before_the_bridge_does(
        self, place: Path
    ) -> None:
        with running(Bridge(place, {"shout": lambda given: Answer(f"then {len(given)}")})):
            said = self.run(place, "--then", "wc -c; sleep 0.3; echo late", patience="20")
        assert said.split() == [b"300000", b"late", b"then", b"300000"]

    def test_n5_it_reads_nothing_from_the_disk_but_itself(self, place: Path) -> None:
        """What costs time at the start is modules, so they are counted."""
        code = (
            "import sys; before = set(sys.modules); import os;"
            f"os._exit = lambda _: print(*set(sys.modules) - before); {place_module.RUN}"
        )
        call = client_call(place_module.CLIENT.parent, place)
        call[call.index(place_module.RUN)] = code
        done = subprocess.run(
            [*call, "0.05", "x"], input="", capture_output=True, text=True, check=True
        )
        assert "_client" in done.stdout.split()
        assert set(done.stdout.split()) <= {"_client", "_socket", "os", "stat", "_stat", "posixpath", "genericpath", "os.path", "_collections_abc", "abc", "_abc"}  # fmt: skip


class TestLate:
    """What is told while a bridge starts or dies is taken in later, once, and in its order."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        return tmp_path / "b.sock"

    @staticmethod
    def killed(folder: Path, times: int, then: list[str]) -> list[str]:
        """A program that is killed so often while it starts."""
        count = folder / "starts"
        lines = f'echo x >> {count}; [ "$(wc -l < {count})" -le {times} ] && kill -9 $$; exec "$@"'
        return ["/bin/sh", "-c", lines, "sh", *then]

    @staticmethod
    def late(place: Path) -> list[Path]:
        return sorted(Path(f"{place}.late").iterdir())

    @staticmethod
    def say(place: Path, word: str, *program: str, patience: str = "5") -> bytes:
        call = [*client_call(place_module.CLIENT.parent, place), patience, "claude-code", *program]
        return subprocess.run(
            call, input=word.encode(), capture_output=True, check=True, timeout=30
        ).stdout

    def test_a_bridge_that_is_killed_while_it_starts_is_started_again(self, home: Path) -> None:
        call = self.killed(home, 2, program(home))
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
        place = place_of(home / "hud.db").socket
        done = subprocess.run(
            [*client_call(place_module.CLIENT.parent, place), "20", "claude-code", *call],
            input=json.dumps(event).encode(), capture_output=True, check=True, timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert b"Add a login." in done.stdout

    def test_one_that_is_always_killed_is_not_started_for_ever(self, place: Path) -> None:
        said = self.say(place, "a", *self.killed(place.parent, 99, []), patience="20")
        assert b"could not start" in said
        assert (place.parent / "starts").read_text() == "x\n" * client.STARTS
        assert len(self.late(place)) == 1

    @pytest.mark.parametrize("starts", [("/bin/false",), ("/bin/true",), ()])
    def test_the_next_one_takes_in_what_was_told(self, place: Path, starts: tuple[str]) -> None:
        for word in ("a", "b"):
            self.say(place, word, *starts, patience="0.2")
        assert {stat.S_IMODE(each.stat().st_mode) for each in self.late(place)} == {0o600}
        assert stat.S_IMODE(self.late(place)[0].parent.stat().st_mode) == 0o700
        heard: list[bytes] = []
        with running(
            Bridge(place, {"claude-code": lambda given: heard.append(given) or Answer("ok")})
        ):
            assert self.say(place, "c") == b"ok"
        assert heard == [b"a", b"b", b"c"]
        assert self.late(place) == []

    def test_it_need_not_be_asked_for_that(self, place: Path) -> None:
        self.say(place, "a", patience="0.1")
        heard: list[bytes] = []
        with running(Bridge(place, {"claude-code": lambda given: heard.append(given) or Answer()})):
            for _ in range(400):
                if heard:
                    break
                time.sleep(0.01)
        assert heard == [b"a"]

    def test_an_event_that_was_answered_too_late_is_recorded_once(self, place: Path) -> None:
        """Also where the bridge was killed between the two."""
        event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Add a login."}
        self.say(place, json.dumps(event), patience="0.1")
        [left] = self.late(place)
        again = left.read_bytes()
        with HudStore.open(":memory:") as store:
            for _ in range(2):
                with running(Bridge(place, {"claude-code": ClaudeCode(lambda: store).hook})):
                    self.say(place, "{}")
                assert self.late(place) == []
                left.write_bytes(again)
            told = [each.type for each in store.session("s").events()]
            assert told.count("task.set") == 1

    def test_what_is_half_written_is_not_taken_in_and_goes(self, place: Path) -> None:
        self.say(place, "a", patience="0.1")
        [left] = self.late(place)
        half = left.with_suffix(".part")
        half.write_bytes(left.read_bytes()[:-1])
        left.write_bytes(b"claude-code 9999 x\n{")
        heard: list[bytes] = []
        for _ in range(2):
            with running(
                Bridge(place, {"claude-code": lambda given: heard.append(given) or Answer()})
            ):
                self.say(place, "b")
            os.utime(half, (0, 0)) if half.exists() else None
        assert heard == [b"b", b"b"]
        assert self.late(place) == []

    def test_there_is_a_bound_on_what_waits_and_calls_are_not_kept(self, place: Path) -> None:
        folder = Path(f"{place}.late")
        folder.mkdir(0o700)
        BridgeLink(place, (), patience=0.0).ask("claude-code-call", b"{}")
        BridgeLink(place, (), patience=0.0).ask("claude-code", b"x" * (4 * 2**20 + 1))
        assert self.late(place) == []
        for number in range(1_000):
            (folder / f"{number:020}").touch()
        BridgeLink(place, (), patience=0.0).ask("claude-code", b"{}")
        assert len(self.late(place)) == 1_000

    def test_nothing_is_left_in_a_folder_that_others_may_enter(self, place: Path) -> None:
        folder = Path(f"{place}.late")
        folder.mkdir()
        folder.chmod(0o755)
        self.say(place, "a", patience="0.1")
        assert self.late(place) == []


class TestEnding:
    """A bridge that would be in the way ends, and whoever asks starts another."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        return tmp_path / "b" / "b.sock"

    def test_one_that_nobody_can_reach_ends(self, place: Path) -> None:
        with running(Bridge(place, {})) as thread:
            place.unlink()
            thread.join(20)
            assert not thread.is_alive()
        with running(Bridge(place, {})):
            assert place.exists()

    def test_it_leaves_the_socket_of_the_next_one(self, place: Path) -> None:
        with running(Bridge(place, {})) as thread:
            Path(f"{place}.lock").unlink()
            with running(Bridge(place, {"shout": lambda _: Answer("next")})):
                thread.join(20)
                assert not thread.is_alive()
                assert BridgeLink(place, (), patience=20.0).ask("shout", b"") == "next"

    @pytest.mark.parametrize("update", [Path.unlink, Path.touch])
    def test_one_that_was_updated_answers_nothing_more(
        self, place: Path, tmp_path: Path, update: Callable[[Path], None]
    ) -> None:
        code, asked = tmp_path / "_version.py", list[bytes]()

        def shout(given: bytes) -> Answer:
            asked.append(given)
            return Answer("old")

        code.touch()
        os.utime(code, (0, 0))
        with running(Bridge(place, {"shout": shout}, code=code)) as thread:
            link = BridgeLink(place, (), patience=20.0)
            assert link.ask("shout", b"1") == "old"
            update(code)
            assert link.ask("shout", b"2") is None
            thread.join(20)
            assert not thread.is_alive()
        assert asked == [b"1"]

    def test_what_is_being_answered_is_answered(self, place: Path) -> None:
        is_asked, is_over = threading.Event(), threading.Event()

        def shout(given: bytes) -> Answer:
            is_asked.set()
            is_over.wait(20)
            return Answer("well")

        with running(Bridge(place, {"shout": shout})) as thread, ThreadPoolExecutor(1) as pool:
            said = pool.submit(BridgeLink(place, (), patience=20.0).ask, "shout", b"")
            assert is_asked.wait(20)
            assert BridgeLink(place, (), patience=20.0).ask("end", b"") == ""
            assert thread.is_alive()
            is_over.set()
            assert said.result(20) == "well"

    def test_by_two_threads_at_once(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        bridge = Bridge(place, {})
        assert bridge.begin()
        close = os.close

        def slowly(handle: int) -> None:
            time.sleep(0.1)
            close(handle)

        monkeypatch.setattr(os, "close", slowly)
        with ThreadPoolExecutor(2) as pool:
            for ended in [pool.submit(bridge.end) for _ in range(2)]:
                ended.result(20)


class TestPlaces:
    def test_a_store_and_a_domain_have_one_of_their_own(self, tmp_path: Path) -> None:
        places = {
            place_of(tmp_path / name, domain).socket
            for name in ("a.db", "b.db")
            for domain in (None, "m:D", "m:E")
        }
        assert len(places) == 6

    def test_a_layout_and_words_have_one_of_their_own(self, tmp_path: Path) -> None:
        looks = ((None, None), ("m:L", None), (None, "m:L"), ("m:L", "m:L"), ("m:K", None))
        places = {
            place_of(tmp_path / "a.db", layout=layout, words=words).socket
            for layout, words in looks
        }
        assert len(places) == len(looks)

    def test_a_long_path_is_no_trouble(self, tmp_path: Path) -> None:
        socket_ = place_of(tmp_path / ("x" * 120) / "hud.db").socket
        assert len(str(socket_)) < 104

    def test_long_paths_of_the_environment_are_no_trouble(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        long = str(tmp_path / ("x" * 120))
        monkeypatch.setattr(tempfile, "tempdir", long)
        for runtime in (None, long):
            if runtime is not None:
                monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
            assert len(str(place_of(Path(long, "hud.db")).socket)) < 104

    def test_a_path_of_a_hundred_bytes_is_not_too_long(self) -> None:
        """Systems take 103 to 107."""
        for length in (100, 101):
            folder = Path("/" + "x" * (length - len("//bridge/0123456789ab.sock")))
            found = place_of(folder / "hud.db").socket
            assert (found.parent == folder / "bridge") == (length == 100), found

    @looped("mode", [0o755, 0o750, 0o705, 0o701, 0o710])
    def test_a_folder_that_others_may_enter_is_closed_to_them(
        self, tmp_path: Path, mode: int
    ) -> None:
        folder = tmp_path / "open"
        folder.mkdir()
        folder.chmod(mode)
        place_module.own_folder(folder)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

    def test_the_folder_around_one_that_is_made_is_closed_as_well(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o755)
        place_module.own_folder(tmp_path / "hud" / "bridge")
        assert stat.S_IMODE((tmp_path / "hud").stat().st_mode) == 0o700
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755

    def test_a_link_in_its_place_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path)
        with pytest.raises(ServeError, match="not a folder of yours"):
            place_module.own_folder(tmp_path / "link")

    def test_the_store_is_the_one_that_is_named(self, home: Path) -> None:
        with HudStore.open(home / "hud.db") as store:
            store.session("s").record("note.add", content="Port 8080")
        assert place_of(home / "hud.db").store == home / "hud.db"

    def test_without_a_name_it_is_the_users_own_and_a_database_is_beside_that(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("UJSX_HOME", str(home))
        own, distant = place_of(), place_of("postgresql://db.example/hud")
        assert own == place_of(home / "hud.db")
        assert (distant.store, distant.folder) == ("postgresql://db.example/hud", home)
        assert distant.socket != own.socket


class TestLauncher:
    """How a host starts us, from an environment that stays or from one that does not."""

    @pytest.mark.parametrize(
        ("prefix", "start"),
        [
            ("/home/kim/.cache/uv/archive-v0/Xy12", ["/bin/uvx", "--from"]),
            ("/home/kim/Library/Caches/uv/environments-v2/ujsx-1", ["/bin/uvx", "--from"]),
            ("/home/kim/.local/pipx/.cache/7a1", ["/bin/pipx", "run", "--spec"]),
            ("/home/kim/.cache/pipx/7a1", ["/bin/pipx", "run", "--spec"]),
            ("/home/kim/.local/share/uv/tools/ujsx", [sys.executable, "-P"]),
            ("/home/kim/shop/.venv", [sys.executable, "-P"]),
        ],
    )
    def test_names_what_will_be_there(
        self, prefix: str, start: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(place_module.shutil, "which", lambda name: f"/bin/{name}")
        found = place_module.launcher(prefix)
        assert found[: len(start)] == start
        assert found[-1] in ("ujsx", "hud_runtime")

    def test_knows_a_cache_of_any_name_by_its_tag(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(place_module.shutil, "which", lambda name: f"/bin/{name}")
        place = tmp_path / "archive-v0" / "Xy12"
        assert place_module.launcher(str(place))[0] == sys.executable
        (tmp_path / "CACHEDIR.TAG").touch()
        assert place_module.launcher(str(place))[0] == "/bin/uvx"

    @pytest.mark.parametrize(
        ("origin", "fetched"),
        [
            (None, f"ujsx=={__version__}"),
            ("no JSON", f"ujsx=={__version__}"),
            ("[]", f"ujsx=={__version__}"),
            ('{"url": "file:///srv/u.whl", "archive_info": {}}', "ujsx @ file:///srv/u.whl"),
            (
                '{"url": "https://h/u.git", "vcs_info": {"vcs": "git", "commit_id": "ab1"}}',
                "ujsx @ git+https://h/u.git@ab1",
            ),
        ],
    )
    def test_fetches_what_it_was_fetched_from(
        self, origin: str | None, fetched: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Installed:
            def read_text(self, name: str) -> str | None:
                return origin

        monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed())
        assert place_module.wanted() == fetched

    def test_without_the_program_that_made_it_this_environment_is_named(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(place_module.shutil, "which", lambda name: None)
        assert place_module.launcher("/home/kim/.cache/uv/archive-v0/Xy12")[0] == sys.executable


class TestStreams:
    """The same protocol over a pair of streams."""

    @staticmethod
    def asked(given: bytes, handlers: dict[str, Any]) -> bytes:
        out = BytesIO()
        serve_streams(BytesIO(given), out, handlers)
        return out.getvalue()

    def test_each_answer_is_told_of_in_its_order(self) -> None:
        arrived: list[str] = []

        def shout(given: bytes) -> Answer:
            return Answer(given.decode().upper(), lambda: arrived.append(given.decode()))

        requests = b"".join(b"shout 1\n%c" % each for each in b"abc")
        assert self.asked(requests + b"\x06\x15\x06\x06", {"shout": shout}) == b"1\nA1\nB1\nC"
        assert arrived == ["a", "c"]

    def test_what_fails_and_what_is_unknown_is_answered_by_nothing(self) -> None:
        def fail(_given: bytes) -> Answer:
            raise ZeroDivisionError

        assert self.asked(b"fail 0\nwhat 3\nabcfail 0\n", {"fail": fail}) == b"0\n0\n0\n"

    @looped("given", [b"", b"shout", b"shout 3\nab", b"shout -1\n", b"shout x\n", b"\n"])
    def test_half_a_request_is_the_end(self, given: bytes) -> None:
        assert self.asked(given, {"shout": lambda given: Answer("well")}) == b""

    def test_one_that_was_updated_leaves_the_next_request_to_another(self, tmp_path: Path) -> None:
        code = tmp_path / "_version.py"
        code.touch()
        os.utime(code, (0, 0))
        given, out = BytesIO(b"a 0\n" * 3), BytesIO()
        serve_streams(given, out, {"a": lambda _: Answer(str(code.touch() or "a"))}, code=code)
        assert out.getvalue() == b"1\na"

    def test_an_answer_is_sent_before_the_next_request_comes(self) -> None:
        ours, theirs = socket.socketpair()
        with ours, theirs, theirs.makefile("rb") as given, theirs.makefile("wb") as out:
            shout = {"shout": lambda given: Answer(given.decode().upper())}
            thread = threading.Thread(target=serve_streams, args=(given, out, shout))
            thread.start()
            ours.settimeout(20)
            try:
                for word in (b"a", b"b"):
                    ours.sendall(b"shout 1\n" + word)
                    assert ours.recv(100) == b"1\n" + word.upper()
            finally:
                ours.shutdown(socket.SHUT_WR)
                thread.join()

    def test_whatever_else_is_printed_is_no_answer_and_whatever_else_reads_gets_nothing(
        self,
    ) -> None:
        code = (
            "import os, subprocess, sys\n"
            "from hud_runtime.integrations.bridge import own_input, own_output\n"
            "before = [os.fstat(each) for each in (0, 1, 2)]\n"
            "with own_input() as given, own_output() as out:\n"
            "    subprocess.run(['sh', '-c', 'cat; echo noise'])\n"
            "    print('more noise', flush=True)\n"
            "    out.write(given.read())\n"
            "assert [os.fstat(each)[:3] for each in (0, 1, 2)] == [each[:3] for each in before]\n"
            "print(', and after it', end='')\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=b"the answer",
            capture_output=True,
            check=True,
            cwd=ROOT,
            timeout=60,
        )
        assert done.stdout == b"the answer, and after it"
        assert done.stderr == b"noise\nmore noise\n"

    def test_a_host_that_has_gone_is_still_listened_to(self) -> None:
        class Gone(BytesIO):
            def write(self, _: object) -> int:
                raise BrokenPipeError

        heard: list[bytes] = []

        def hear(given: bytes) -> Answer:
            heard.append(given)
            return Answer()

        serve_streams(BytesIO(b"hear 1\na" * 3), Gone(), {"hear": hear})
        assert heard == [b"a"] * 3
