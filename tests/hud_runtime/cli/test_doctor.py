"""The doctor: what it finds is there, and what it advises does no harm."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from types import SimpleNamespace

import pytest

from hud_components import Hud, NotesSection
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import __version__

ROOT = Path(__file__).parents[3]


@pytest.fixture
def found(ujsx):
    """Call the doctor, and return its findings by name."""

    def call(*arguments: object):
        data = ujsx("doctor", "--json", *arguments).data
        return {each["name"]: each for each in data["findings"]}

    return call


class TestFindings:
    def test_name_the_versions_that_are_there(self, found):
        findings = found()
        assert findings["ujsx"]["value"] == __version__
        assert findings["Python"]["value"].startswith(".".join(map(str, sys.version_info[:3])))
        needed = [re.split(r"[>; ]", each)[0] for each in requires("ujsx") if "extra" not in each]
        assert {"pydantic", "msgspec", "markdown-it-py", "mistune"} <= {*needed}
        for name in needed:
            assert (findings[name]["value"], findings[name]["verdict"]) == (version(name), "ok")

    def test_are_the_same_in_words(self, ujsx, found):
        done = ujsx("doctor")
        assert done.status == 0
        for finding in found().values():
            assert finding["value"] in done.out
        assert done.out.endswith("\nujsx can work here.\n")

    def test_name_what_counts_tokens(self, found):
        assert "estimate_tokens" in found()["token counter"]["value"]


class TestExtras:
    def test_are_all_told_with_what_they_are_for(self, found):
        findings = found()
        names = {*re.findall(r"extra *== *[\"']([\w-]+)", "\n".join(requires("ujsx")))}
        assert len(names) > 10
        for name in names:
            assert len(findings[f"extra {name}"]["advice"].split()) > 3, name

    def test_are_told_once_each_with_all_that_they_bring(self, ujsx):
        names = [each["name"] for each in ujsx("doctor", "--json").data["findings"]]
        assert len(names) == len({*names})

    def test_that_are_there_are_told_with_their_versions(self, found):
        value = found()["extra testing"]["value"]
        for name in ("pytest", "syrupy", "hypothesis"):
            assert f"{name} {version(name)}" in value


class TestMissing:
    @pytest.fixture
    def without(self, monkeypatch):
        def hide(name: str) -> None:
            def found(asked: str):
                if asked == name:
                    raise PackageNotFoundError(asked)
                return distribution(asked)

            monkeypatch.setattr("importlib.metadata.distribution", found)

        return hide

    def test_dependency_makes_the_exit_status_1(self, ujsx, without):
        without("msgspec")
        done = ujsx("doctor")
        assert done.status == 1
        assert "missing: not installed" in done.out
        assert 'pip install "msgspec>=' in done.out
        assert done.out.endswith("\nujsx cannot work here.\n")

    @pytest.mark.parametrize("name", ["pydantic", "msgspec"])
    def test_dependency_does_not_stop_the_doctor(self, process, tmp_path, name):
        (tmp_path / f"{name}.py").write_text("raise ImportError", encoding="utf-8")
        environ = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
        out, err = process("doctor", anew=True, env=environ).communicate()
        assert err == ""
        assert "SQLite" in out

    def test_dependency_is_told_in_the_data(self, ujsx, without):
        without("mistune")
        done = ujsx("doctor", "--json")
        assert (done.status, done.data["ok"]) == (1, False)

    def test_extra_is_only_a_note(self, ujsx, found, without):
        without("syrupy")
        finding = found()["extra testing"]
        assert finding["verdict"] == "note"
        assert "no syrupy" in finding["value"]
        assert 'pip install --upgrade "ujsx[testing]"' in finding["advice"]
        assert ujsx("doctor").status == 0

    def test_extra_of_which_nothing_is_there_is_no_flaw(self, found, without):
        without("networkx")
        finding = found()["extra graph"]
        assert (finding["verdict"], finding["value"]) == ("ok", "not installed")
        assert finding["advice"].endswith(': pip install "ujsx[graph]"')

    def test_sqlite_is_told(self, found, monkeypatch):
        monkeypatch.setitem(sys.modules, "sqlite3", None)
        assert found()["SQLite"]["verdict"] == "missing"

    def test_sqlite_that_is_too_old_is_told(self, found, monkeypatch):
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 7, 17))
        assert found()["SQLite"]["verdict"] == "missing"


class TestTooOld:
    @pytest.fixture
    def having(self, monkeypatch):
        def change(name: str, version: str) -> None:
            def found(asked: str):
                return SimpleNamespace(version=version) if asked == name else distribution(asked)

            monkeypatch.setattr("importlib.metadata.distribution", found)

        return change

    def test_dependency_makes_the_exit_status_1(self, ujsx, having):
        having("markdown-it-py", "4.2.0")
        done = ujsx("doctor")
        assert done.status == 1
        assert "too old: 4.2.0 is too old" in done.out
        assert 'python -m pip install --upgrade "markdown-it-py>=4.3"' in done.out
        assert done.out.endswith("\nujsx may fail here: update what is too old.\n")

    def test_dependency_is_told_in_the_data(self, ujsx, having):
        having("mistune", "3.3.4")
        done = ujsx("doctor", "--json")
        assert (done.status, done.data["ok"]) == (1, False)
        [finding] = [each for each in done.data["findings"] if each["verdict"] == "too old"]
        assert finding["name"] == "mistune"

    def test_extra_is_only_a_note(self, ujsx, found, having):
        having("pytest", "7.4.4")
        finding = found()["extra testing"]
        assert finding["verdict"] == "note"
        assert "pytest 7.4.4 is too old (8 or newer is needed)" in finding["value"]
        assert 'pip install --upgrade "ujsx[testing]"' in finding["advice"]
        assert ujsx("doctor").status == 0

    def test_is_not_known_where_ujsx_is_not_installed(self, ujsx, found, monkeypatch):
        def missing(name: str):
            raise PackageNotFoundError(name)

        monkeypatch.setattr("importlib.metadata.distribution", missing)
        assert found()["distributions"]["verdict"] == "note"
        assert ujsx("doctor").status == 0


class TestWalReset:
    def test_is_known_by_version(self, found, monkeypatch):
        affected = {(3, 44, 5), (3, 45, 0), (3, 50, 6), (3, 51, 0), (3, 51, 2)}
        cured = {(3, 44, 6), (3, 50, 7), (3, 51, 3), (3, 52, 0)}
        for each in affected | cured:
            monkeypatch.setattr(sqlite3, "sqlite_version_info", each)
            verdict = found()["SQLite"]["verdict"]
            assert verdict == ("note" if each in affected else "ok"), each

    def test_is_a_note_with_what_it_means(self, ujsx, found, monkeypatch):
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
        finding = found()["SQLite"]
        assert finding["verdict"] == "note"
        assert "while nobody can write" in finding["advice"]
        assert ujsx("doctor").status == 0

    def test_is_not_told_of_a_version_without_it(self, found, monkeypatch):
        monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
        assert found()["SQLite"]["verdict"] == "ok"


class TestDataFolder:
    def test_that_is_private_is_fine(self, found, tmp_path):
        tmp_path.chmod(0o700)
        finding = found(tmp_path)["data folder"]
        assert (finding["verdict"], finding["advice"]) == ("ok", "")
        assert finding["value"] == f"{tmp_path} (mode 0700)"

    def test_that_others_may_list_is_a_note(self, found, tmp_path):
        tmp_path.chmod(0o755)
        assert found(tmp_path)["data folder"]["verdict"] == "note"

    def test_with_a_store_of_ours_is_fine(self, found, tmp_path):
        HudStore.open(tmp_path / "hud.db").close()
        tmp_path.chmod(0o700)
        assert found(tmp_path)["data folder"]["verdict"] == "ok"

    def test_with_a_store_that_others_may_open_names_it(self, found, tmp_path):
        HudStore.open(tmp_path / "hud.db").close()
        (tmp_path / "hud.db").chmod(0o644)
        assert "other users can open hud.db" in found(tmp_path)["data folder"]["advice"]

    def test_that_is_not_there_is_refused_and_is_not_made(self, ujsx, tmp_path):
        folder = tmp_path / "later"
        assert "there is no file" in ujsx("doctor", folder).refusal
        assert not folder.exists()

    def test_that_cannot_be_written_is_told(self, found, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda *_: False)
        assert "cannot be written" in found(tmp_path)["data folder"]["value"]

    def test_cannot_steer_the_terminal_by_its_name(self, ujsx, tmp_path):
        (tmp_path / "\x1b[2J").mkdir()
        assert "\x1b" not in ujsx("doctor", tmp_path / "\x1b[2J").out

    def test_is_the_temporary_one_unless_told(self, found):
        assert found()["temporary folder"]["verdict"] == "ok"


class TestStores:
    @pytest.fixture
    def store(self, tmp_path):
        tmp_path.chmod(0o700)
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            for number in range(20):
                session.record("note.add", content=f"note {number}")
        return tmp_path / "hud.db"

    def test_that_are_sound_are_counted(self, found, store):
        before = store.read_bytes()
        finding = found(store.parent)["store hud.db"]
        assert finding["verdict"] == "ok"
        layout, _, value = finding["value"].partition(", ")
        assert re.fullmatch(r"layout \d+", layout)
        assert value == ("sessions: 1, events: 21, all as they were written")
        assert store.read_bytes() == before

    def test_with_a_flipped_byte_are_named(self, ujsx, store):
        content = store.read_bytes()
        store.write_bytes(content.replace(b"note 17", b"note 71"))
        done = ujsx("doctor", store.parent)
        assert done.status == 1
        assert 'session "s", version 19: the row does not match its digest' in done.out
        assert done.out.endswith("\nA store or an outbox is damaged.\n")

    def test_with_very_many_damages_are_not_listed_whole(self, ujsx, store):
        content = store.read_bytes()
        store.write_bytes(content.replace(b'"note ', b'"tone '))
        assert "15 more damages" in ujsx("doctor", store.parent).out

    def test_with_a_damaged_page_are_named(self, found, store):
        content = bytearray(store.read_bytes())
        content[100:4096] = b"\xff" * 3996
        store.write_bytes(content)
        assert found(store.parent)["store hud.db"]["verdict"] == "damaged"

    def test_of_other_programs_are_left_alone(self, ujsx, found, tmp_path):
        with sqlite3.connect(tmp_path / "other.db") as db:
            db.execute("CREATE TABLE message (id TEXT)")
        db.close()
        finding = found(tmp_path)["store other.db"]
        assert finding["verdict"] == "note"
        assert "belongs to another program" in finding["advice"]
        assert ujsx("doctor", tmp_path).status == 0

    def test_the_default_one_is_looked_into(self, found, store, monkeypatch):
        monkeypatch.setenv("UJSX_HOME", str(store.parent))
        assert "events: 21" in found()["store hud.db"]["value"]
        monkeypatch.setenv("UJSX_HOME", str(store.parent / "elsewhere"))
        assert "is not there yet" in found()["default store"]["value"]
        assert not (store.parent / "elsewhere").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes in folders")
class TestNoFile:
    """Names of stores under which there is no file."""

    @looped(
        "put",
        [
            lambda path: path.mkdir(),
            lambda path: path.symlink_to("nowhere"),
            lambda path: path.symlink_to(path.name),
            lambda path: subprocess.run(["mkfifo", path], check=True),
        ],
        ids=["folder", "link to nothing", "link to itself", "pipe"],
    )
    def test_is_told_and_not_waited_for(self, ujsx, tmp_path, monkeypatch, put):
        put(tmp_path / "hud.db")
        monkeypatch.setenv("UJSX_HOME", str(tmp_path))
        for arguments in ((), (tmp_path,)):
            done = ujsx("doctor", *arguments)
            assert done.status == 1
            assert "cannot be used" in done.out
            assert "is not a file" in done.out


class TestLayouts:
    def test_that_leave_out_the_users_rules_are_named(self, found, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("bare").set_look(Hud(rules=False)[NotesSection()])
            store.session("usual").set_look(Hud()[NotesSection()])
            back = store.session("back")
            back.set_look(Hud(rules=False)[NotesSection()])
            back.set_look(Hud()[NotesSection()])
        with_rules = found(path)
        told = [each for each in with_rules.values() if "rules={false}" in each["value"]]
        assert [(each["value"], each["verdict"]) for each in told] == [
            ('a layout with rules={false} in sessions: "bare"', "note")
        ]
