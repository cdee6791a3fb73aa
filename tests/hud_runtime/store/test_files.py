"""A store's files are its owner's alone, wherever they are put and whatever waits there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hud_runtime import HudStore, StoreError
from hud_runtime.integrations.claude_code import install
from hud_runtime.log.store import default_path
from tests.ids import looped

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of everything in a folder, by its name."""
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
    }


def use(path: Path) -> None:
    """Open a store, use all that makes files, and look at them while it is open."""
    with HudStore.open(path) as store:
        session = store.session("s")
        session.record("note.add", content="x")
        session.record("compact.after")
        assert store.keeping.archive("s") == 2
        assert len(store.search("x")) == 1
        found = modes(path.parent)
    names = {f"hud.db{end}" for end in ("", "-wal", "-shm", "-lock")}
    folder = found.pop("hud.db-archive")
    [file] = [name for name in found if name.startswith("hud.db-archive/")]
    assert found.keys() == {*names, file}
    assert set(found.values()) == {0o600}
    assert folder == 0o700


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o377], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


class TestFiles:
    @pytest.mark.usefixtures("umask")
    def test_are_private_whatever_the_umask(self, tmp_path: Path) -> None:
        use(tmp_path / "new" / "in it" / "deep" / "hud.db")
        for folder in ("new", "new/in it", "new/in it/deep"):
            assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700

    def test_that_exist_keep_their_mode(self, tmp_path: Path) -> None:
        folder = tmp_path / "shared"
        folder.mkdir(mode=0o755)
        HudStore.open(folder / "hud.db").close()
        (folder / "hud.db").chmod(0o660)
        HudStore.open(folder / "hud.db").close()
        assert stat.S_IMODE((folder / "hud.db").stat().st_mode) == 0o660
        HudStore.open(folder / "new" / "hud.db").close()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o755


class TestTheEndOfAProcess:
    def test_a_store_that_nobody_closed_is_silent_and_loses_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        program = f"""
from hud_runtime import HudStore
store = HudStore.open({str(path)!r})
store.session("s").call("hud", {{"op": "notes.add", "content": "Port 8080"}})
other = HudStore.open({str(path)!r}).session("t")
other.record("note.add", content="Port 9090")
"""
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        with HudStore.open(path) as store:
            notes = [store.session(name).state().notes[0].content for name in ("s", "t")]
        assert notes == ["Port 8080", "Port 9090"]

    def test_a_file_that_outlives_the_modules_is_silent(self) -> None:
        program = """
from hud_runtime.log.store import _open_file
class Late:
    def __init__(self):
        self.file, self.module = _open_file.OpenFile(None), _open_file
    def __del__(self):
        self.module.sqlite3 = self.module.suppress = self.file.check_everything = None
        del self.file
kept = Late()
"""
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


class TestTraps:
    """What somebody may have put into a folder where others may write."""

    def test_a_link_is_not_followed(self, tmp_path: Path) -> None:
        victim = tmp_path / "victim"
        victim.write_text("")
        (tmp_path / "hud.db").symlink_to(victim)
        with pytest.raises(StoreError, match="is a link; name the file"):
            HudStore.open(tmp_path / "hud.db")
        assert victim.read_text() == ""

    def test_a_link_to_nothing_makes_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "hud.db").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(StoreError, match="is a link"):
            HudStore.open(tmp_path / "hud.db")
        assert not (tmp_path / "elsewhere").exists()

    @looped("end", ["-wal", "-shm", "-journal", "-lock", "-archive"])
    def test_a_link_beside_the_store_is_not_followed(self, tmp_path: Path, end: str) -> None:
        victim = tmp_path / "victim"
        victim.write_text("mine")
        (tmp_path / f"hud.db{end}").symlink_to(victim)
        with pytest.raises(StoreError, match=f"hud.db{end} is a link"):
            HudStore.open(tmp_path / "hud.db")
        assert victim.read_text() == "mine"

    def test_a_file_of_another_user_is_not_filled(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "hud.db").touch()
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        with pytest.raises(StoreError, match="belongs to another user"):
            HudStore.open(tmp_path / "hud.db")

    def test_a_device_is_no_file(self) -> None:
        with pytest.raises(StoreError, match="is not a file"):
            HudStore.open(Path("/dev/null"))

    @looped("name", ["a\0b", "x" * 300])
    def test_a_name_that_cannot_be_is_refused(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(StoreError, match="cannot be made there"):
            HudStore.open(tmp_path / name)


class TestDefaultPlace:
    def test_is_the_folder_for_a_users_data(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("UJSX_HOME", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        path = default_path()
        assert path.name == "hud.db"
        assert path.parent.name == "ujsx"
        assert tmp_path in path.parents

    def test_where_there_is_no_home_it_has_to_be_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nobody(_number: int) -> object:
            raise KeyError

        for name in ("HOME", "XDG_DATA_HOME", "UJSX_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr("pwd.getpwuid", nobody)
        with pytest.raises(StoreError, match="set UJSX_HOME to a folder"):
            default_path()
        monkeypatch.setenv("UJSX_HOME", str(tmp_path))
        with pytest.raises(StoreError, match="set HOME to a folder"):
            install()

    def test_can_be_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("UJSX_HOME", str(tmp_path / "here"))
        with HudStore.open() as store:
            store.session("s")
        assert stat.S_IMODE((tmp_path / "here" / "hud.db").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "here").stat().st_mode) == 0o700
