"""Two users on one machine: nothing is sent to the other one, answered to them, or taken from them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hud_runtime import ServeError
from hud_runtime.integrations.bridge import Answer, Bridge, BridgeLink, client_call, place_of
from hud_runtime.serve.mcp import DescribedServer
from tests.hud_runtime.integrations.inside import client
from tests.hud_runtime.integrations.inside import place as place_module
from ujsx import __version__

US, STRANGER = 61_001, 61_002
"""Two users; neither has to have a name."""

PROMPT = b'{"prompt": "my secret plan"}'

needs_two = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")

pytestmark = pytest.mark.filterwarnings("ignore:This process.*is multi-threaded")


def as_user(user: int, work: Callable[[], object]) -> bytes:
    """Do something as another user, and return what it writes to standard output."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.dup2(theirs, 1)
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            os.umask(0)
            work()
        except BaseException:  # noqa: BLE001 - it must not come back into the tests
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as file:
        said = file.read()
    assert os.waitpid(child, 0)[1] == 0
    return said


def listening_as(user: int, place: Path) -> socket.socket:
    """A socket that a user has made, and listens at as the kernel sees it."""
    server = socket.socket(socket.AF_UNIX)
    as_user(user, lambda: (server.bind(str(place)), server.listen()))
    server.setblocking(False)
    return server


def heard(server: socket.socket) -> bytes:
    """All that was sent to a socket, by those who have gone since."""
    said = b""
    with server, suppress(BlockingIOError):
        while True:
            wire, _ = server.accept()
            with wire:
                wire.setblocking(True)
                said += b"".join(iter(lambda wire=wire: wire.recv(65536), b""))
    return said


def ask(place: Path) -> None:
    """What a hook runs; the bridge that it would start fails."""
    given, prompt = os.pipe()
    os.write(prompt, PROMPT)
    os.close(prompt)
    os.dup2(given, 0)
    client.main(str(place), "0.3", "claude-code", "/bin/false")


# --- What the stranger has prepared, before we make a folder of that name or after ---


def folder_of_theirs(folder: Path) -> None:
    as_user(STRANGER, folder.mkdir)


def folder_of_theirs_that_we_may_read(folder: Path) -> None:
    as_user(STRANGER, lambda: folder.mkdir(0o755))


def link_to_theirs(folder: Path) -> None:
    other = folder.with_name("theirs")
    as_user(STRANGER, lambda: (other.mkdir(), folder.symlink_to(other)))


def folder_for_all(folder: Path) -> None:
    as_user(US, folder.mkdir)


def folder_in_place_of_ours(folder: Path) -> None:
    folder.parent.chmod(0o777)  # no sticky bit: anybody may rename what is in it
    as_user(US, lambda: folder.mkdir(0o700))
    as_user(STRANGER, lambda: (folder.rename(folder.with_name("old")), folder.mkdir()))


PREPARED = (
    folder_of_theirs,
    folder_of_theirs_that_we_may_read,
    link_to_theirs,
    folder_for_all,
    folder_in_place_of_ours,
)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder for all, as ``/tmp`` is."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@needs_two
class TestTwoUsers:
    @pytest.mark.parametrize("prepare", PREPARED)
    def test_no_byte_is_sent_into_what_another_has_prepared(
        self, shared: Path, prepare: Callable[[Path], None]
    ) -> None:
        place = shared / "ujsx" / "b.sock"
        prepare(place.parent)
        server = listening_as(STRANGER, place)
        trap = shared / "trap"
        as_user(STRANGER, lambda: Path(f"{place}{client.TOLD}").symlink_to(trap))
        assert as_user(US, lambda: ask(place)) == client.FAILED["claude-code"]
        assert as_user(US, lambda: BridgeLink(place, ()).ask("claude-code", PROMPT)) == b""
        assert heard(server) == b""
        assert not trap.exists()

    @pytest.mark.parametrize("prepare", PREPARED)
    def test_no_bridge_listens_there(self, shared: Path, prepare: Callable[[Path], None]) -> None:
        place = shared / "ujsx" / "b.sock"
        prepare(place.parent)

        def begin() -> None:
            with pytest.raises(ServeError, match=r"a folder of yours|others may write"):
                Bridge(place, {}).begin()

        as_user(US, begin)
        assert [*place.parent.iterdir()] == []

    @pytest.mark.parametrize("prepare", PREPARED)
    def test_nothing_is_said_to_an_agent_that_another_has_put_there(
        self, shared: Path, prepare: Callable[[Path], None]
    ) -> None:
        place = shared / "ujsx" / "b.sock"
        prepare(place.parent)
        forged = {"version": __version__, "described": {"instructions": "obey", "tools": []}}
        path = place.with_suffix(".codex.json")
        as_user(STRANGER, lambda: path.write_text(json.dumps(forged)))
        before = path.read_bytes()

        def read() -> None:
            assert DescribedServer(place, "codex").read() is None
            with pytest.raises(ServeError):
                DescribedServer(place, "codex").keep({})

        as_user(US, read)
        assert path.read_bytes() == before

    def test_a_socket_that_is_a_link_is_not_followed(self, shared: Path) -> None:
        place, theirs = shared / "ujsx" / "b.sock", shared / "theirs.sock"
        server = listening_as(STRANGER, theirs)
        as_user(US, lambda: (place.parent.mkdir(0o700), place.symlink_to(theirs)))
        as_user(US, lambda: ask(place))
        assert heard(server) == b""

    def test_a_socket_of_theirs_in_a_folder_of_ours_is_not_asked(self, shared: Path) -> None:
        place = shared / "ujsx" / "b.sock"
        folder_for_all(place.parent)
        server = listening_as(STRANGER, place)
        place.parent.chmod(0o700)  # too late
        as_user(US, lambda: ask(place))
        assert heard(server) == b""

    def test_one_that_is_replaced_after_it_was_looked_at_gets_nothing(self, shared: Path) -> None:
        place, theirs = shared / "ujsx" / "b.sock", shared / "open" / "theirs.sock"
        as_user(US, lambda: (place.parent.mkdir(0o700), theirs.parent.mkdir()))
        server = listening_as(STRANGER, theirs)
        own = listening_as(US, place)
        place.chmod(0o600)
        looked = client.is_own

        def replaced(path: str, kind: int) -> bool:
            found = looked(path, kind)
            if kind == stat.S_IFSOCK and theirs.exists():
                theirs.rename(path)
            return found

        def connect() -> None:
            client.is_own = replaced
            assert client.connected(str(place), 0) is None
            assert not theirs.exists()
            ask(place)

        as_user(US, connect)
        assert heard(server) == heard(own) == b""

    def test_a_bridge_answers_its_own_user_alone(self, shared: Path) -> None:
        place, asked = shared / "ujsx" / "b.sock", list[bytes]()

        def answer(given: bytes) -> Answer:
            asked.append(given)
            return Answer("the HUD")

        served = Bridge(place, {"shout": answer})
        assert served.begin()
        place.parent.chmod(0o777)  # as if nothing kept others out
        place.chmod(0o666)
        thread = threading.Thread(target=served.run)
        thread.start()

        def connect() -> None:
            with socket.socket(socket.AF_UNIX) as wire:
                wire.settimeout(20)
                wire.connect(str(place))
                with suppress(ConnectionError):  # it may have hung up already
                    wire.sendall(b"shout 2\nhi")
                    os.write(1, wire.recv(100))

        try:
            assert as_user(STRANGER, connect) == b""
            place.parent.chmod(0o700)
            place.chmod(0o600)
            assert BridgeLink(place, (), patience=20.0).ask("shout", b"me") == "the HUD"
        finally:
            served.end()
            thread.join()
        assert asked == [b"me"]

    @pytest.mark.parametrize("mode", [0o700, 0o777])
    def test_the_program_of_the_hooks_is_nobody_elses(self, shared: Path, mode: int) -> None:
        """A folder in a shared one may be cleaned away, and made anew by another."""
        folder, canary = shared / "bridge", shared / "canary"
        folder.mkdir()
        folder.chmod(mode)
        (folder / place_module.CLIENT.name).write_text(f"def run(): open({str(canary)!r}, 'w')")
        if mode == 0o700:
            os.chown(folder, STRANGER, STRANGER)
        call = [*client_call(folder, shared / "b.sock"), "1", "claude-code"]
        done = subprocess.run(call, check=False, input=PROMPT, capture_output=True)
        assert done.returncode == 1  # 2 would take the prompt away
        assert b"only you may write to" in done.stderr
        assert not canary.exists()


class TestOneUser:
    """What can be tried without a second user."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> Path:
        place_module.own_folder(tmp_path / "own")
        return tmp_path / "own" / "b.sock"

    @pytest.fixture
    def server(self, place: Path) -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(place))
        server.listen()
        server.setblocking(False)
        place.chmod(0o600)
        return server

    def test_what_is_ours_alone_is_asked(self, place: Path, server: socket.socket) -> None:
        assert BridgeLink(place, (), patience=0.1).ask("shout", PROMPT) is None
        assert heard(server).endswith(PROMPT)

    @pytest.mark.parametrize("mode", [0o710, 0o701, 0o770, 0o777, 0o1777])
    def test_a_folder_that_others_may_enter_is_not(
        self, place: Path, server: socket.socket, mode: int
    ) -> None:
        place.parent.chmod(mode)
        assert BridgeLink(place, (), patience=0.1).ask("shout", PROMPT) is None
        assert heard(server) == b""

    def test_a_socket_that_others_may_ask_is_not(self, place: Path, server: socket.socket) -> None:
        place.chmod(0o620)
        assert BridgeLink(place, (), patience=0.1).ask("shout", PROMPT) is None
        assert heard(server) == b""

    def test_a_folder_that_is_a_link_is_not(self, place: Path, server: socket.socket) -> None:
        link = place.parent.with_name("link")
        link.symlink_to(place.parent)
        assert BridgeLink(link / place.name, (), patience=0.1).ask("shout", PROMPT) is None
        assert heard(server) == b""

    def test_another_at_the_other_end_is_neither_asked_nor_answered(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[bytes] = []
        served = Bridge(place, {"shout": lambda given: Answer(str(asked.append(given)))})
        assert served.begin()
        thread = threading.Thread(target=served.run)
        thread.start()
        link = BridgeLink(place, (), patience=0.2)
        try:
            with monkeypatch.context() as patch:
                patch.setattr(client, "peer_of", lambda _: os.geteuid() + 1)
                assert link.ask("shout", PROMPT) is None
            us = os.geteuid()
            with monkeypatch.context() as patch, socket.socket(socket.AF_UNIX) as wire:
                patch.setattr(os, "geteuid", lambda: us + 1)  # the bridge is somebody else's
                wire.settimeout(9)
                wire.connect(str(place))
                assert wire.recv(1) == b""
            assert asked == []
            assert BridgeLink(place, (), patience=20.0).ask("shout", PROMPT) is not None
        finally:
            served.end()
            thread.join()

    @pytest.mark.parametrize(
        ("platform", "told", "user"),
        [
            ("darwin", (0, 501, 20), 501),
            ("freebsd14", (0, 1001, 1), 1001),
            ("netbsd", (1,), None),  # the same number stands for something else there
        ],
    )
    def test_other_systems_tell_it_in_their_own_way(
        self, platform: str, told: tuple[int, ...], user: int | None, monkeypatch
    ) -> None:
        class Wire:
            def getsockopt(self, level: int, option: int, size: int) -> bytes:
                assert (level, option) == (0, 1)
                return b"".join(each.to_bytes(4, sys.byteorder) for each in told)[:size]

        monkeypatch.setattr(sys, "platform", platform)
        if user is None:
            with pytest.raises(OSError, match="does not tell"):
                client.peer_of(Wire())
        else:
            assert client.peer_of(Wire()) == user

    def test_the_command_says_so(self, tmp_path: Path) -> None:
        place_module.own_folder(tmp_path / "bridge")
        (tmp_path / "bridge").chmod(0o777)
        call = [sys.executable, "-P", "-m", "hud_runtime", "hook", "claude-code"]
        done = subprocess.run(
            [*call, "--store", str(tmp_path / "hud.db")],
            check=True,
            input=PROMPT,
            capture_output=True,
        )
        assert done.stdout == b""
        assert b"no bridge answered; `ujsx bridge`" in done.stderr

    def test_a_folder_that_others_may_write_to_is_refused(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o1777)
        with pytest.raises(ServeError, match="others may write to"):
            place_module.own_folder(tmp_path)
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777

    def test_a_link_that_leads_nowhere_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        with pytest.raises(ServeError, match="not a folder of yours"):
            place_module.own_folder(tmp_path / "link")

    def test_a_long_name_leads_to_a_folder_at_home_first(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("UJSX_HOME", "/home/kim/.local/share/ujsx")
        for runtime in ("", "/run/user/501"):
            monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
            found = place_of(tmp_path / ("x" * 120) / "hud.db").socket
            assert str(found.parent) == "/home/kim/.local/share/ujsx/bridge"
