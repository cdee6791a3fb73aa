"""`ujsx store`: what it prints, what it refuses, and its exit status."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hud_runtime import HudStore
from tests.hud_runtime.store.stores import copy_of, events_of


@pytest.fixture
def store(filled: Path, tmp_path: Path) -> Path:
    return copy_of(filled, tmp_path / "hud.db")


class TestGroup:
    def test_lists_its_actions(self, ujsx):
        done = ujsx("store", "--help")
        for name in ("backup", "restore", "repair", "sweep"):
            assert name in done.out

    def test_knows_no_other(self, ujsx):
        assert 'is not an action; did you mean "backup"?' in ujsx("store", "bakup").refusal


class TestSweep:
    def test_m2_says_what_it_did_and_logs_it(self, ujsx, store):
        with HudStore.open(store) as opened:
            for number in range(5):
                opened.session("s").keep_output(f"o-{number}", f"text {number}", tool="Bash")
        log = ("store", "sweep", "--log", "--store", store)
        assert "nothing was swept yet" in ujsx(*log).err
        done = ujsx("store", "sweep", "--newest", 2, "--store", store)
        assert done.status == 0
        assert "5 looked at, 3 let go of" in done.out
        assert ujsx(*log).out == done.out
        data = ujsx(*log, "--json").data
        assert (data[0]["scanned"], data[0]["deleted"], data[0]["errors"]) == (5, 3, [])

    def test_figures_that_cannot_be(self, ujsx, store):
        assert "positive integers" in ujsx("store", "sweep", "--days", 0, "--store", store).refusal


class TestBackup:
    def test_says_what_is_in_it(self, ujsx, store):
        done = ujsx("store", "backup", store.with_name("backup"), "--store", store)
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith("backed up 3 sessions, 76 events, 1 archive files, ")
        assert done.out.endswith(f"to {store.with_name('backup')}\n")

    def test_says_so_as_data(self, ujsx, store):
        target = store.with_name("backup")
        data = ujsx("store", "backup", target, "--store", store, "--json").data
        assert data.pop("bytes") > 10_000
        assert data == {"path": str(target), "sessions": 3, "events": 76, "archive_files": 1}

    def test_overwrites_only_when_asked(self, ujsx, store):
        target = store.with_name("backup")
        assert ujsx("store", "backup", target, "--store", store).status == 0
        assert "is there already" in ujsx("store", "backup", target, "--store", store).refusal
        assert ujsx("store", "backup", target, "--store", store, "--overwrite").status == 0

    def test_of_no_store(self, ujsx, tmp_path):
        assert (
            "there is no file"
            in ujsx("store", "backup", "x", "--store", tmp_path / "no.db").refusal
        )


class TestRestore:
    @pytest.fixture
    def backup(self, store):
        with HudStore.open(store) as opened:
            return opened.keeping.backup(store.with_name("backup")).path

    def test_says_where_the_old_store_is_and_what_stays_purged(self, ujsx, store, backup):
        with HudStore.open(store) as opened:
            opened.keeping.purge("short")
        assert "is there already" in ujsx("store", "restore", backup, "--store", store).refusal
        done = ujsx("store", "restore", backup, "--store", store, "--force")
        assert done.status == 0
        first, second, third = done.out.splitlines()
        assert first.startswith("restored 2 sessions, 74 events, 1 archive files, ")
        assert second.startswith(f"what was there before is in {store}.replaced-")
        assert third == '"short" was purged since the backup, and stays so'
        assert sorted(events_of(store)) == ["archived", "live"]

    def test_says_so_as_data(self, ujsx, store, backup):
        data = ujsx("store", "restore", backup, "--store", store.with_name("new.db"), "--json").data
        assert (data["set_aside"], data["still_purged"], data["events"]) == (None, [], 76)

    def test_of_a_store_in_use_is_refused(self, ujsx, store, backup):
        with HudStore.open(store) as opened:
            opened.session("live")
            done = ujsx("store", "restore", backup, "--store", store, "--force")
        assert "is in use; close what has it open" in done.refusal


class TestRepair:
    def test_of_a_sound_store(self, ujsx, store):
        done = ujsx("store", "repair", "--store", store)
        assert (done.status, done.out) == (
            0,
            f"{store}: its log is sound: 3 sessions, 76 events\n",
        )

    def test_of_a_damaged_index(self, ujsx, store):
        with closing(sqlite3.connect(store)) as db:
            db.execute("UPDATE hud_search_data SET block = zeroblob(length(block)) WHERE id > 10")
            db.commit()
        done = ujsx("doctor", store.parent)
        assert done.status == 1
        assert "no event is lost; `ujsx store repair` makes it anew" in done.out
        done = ujsx("store", "repair", "--store", store)
        assert done.status == 0
        assert done.out.splitlines()[1] == "made anew: search index"
        assert ujsx("doctor", store.parent).status == 0

    def test_of_a_lost_event_is_told_with_the_exit_status(self, ujsx, store):
        store.write_bytes(store.read_bytes().replace(b'"new note 4', b'"new note X'))
        done = ujsx("doctor", store.parent)
        assert "`ujsx store repair` saves what can be read" in done.out
        done = ujsx("store", "repair", "--store", store)
        assert done.status == 1
        assert 'session "archived": missing: version 37; 36 events kept, 5 put beside' in done.out
        assert "not-in-the-log.jsonl" in done.out
        assert ujsx("doctor", store.parent).status == 0

    def test_says_so_as_data(self, ujsx, store):
        store.write_bytes(store.read_bytes().replace(b'"new note 4', b'"new note X'))
        data = ujsx("store", "repair", "--store", store, "--json").data
        assert (data["whole"], data["events"], data["not_as_written"]) == (False, 70, 1)
        assert data["lost"] == [
            {"session_id": "archived", "missing": [[37, 37]], "kept": 36, "put_beside": 5}
        ]
        assert Path(data["set_aside"]).is_dir()


class TestCheckpoint:
    def test_says_what_was_in_the_log(self, ujsx, store):
        with HudStore.open(store) as opened:
            opened.session("late")
            done = ujsx("store", "checkpoint", "--store", store)
            assert done.status == 0
            assert done.out.startswith("the write-ahead log is empty; it had ")
            assert ujsx("store", "checkpoint", "--store", store, "--json").data == {
                "before": 0,
                "after": 0,
                "blocked": "",
            }

    def test_that_is_blocked_has_an_exit_status(self, ujsx, store):
        with (
            closing(sqlite3.connect(store, isolation_level=None)) as reader,
            HudStore.open(store) as opened,
        ):
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM hud_event").fetchone()
            opened.session("late")
            done = ujsx("store", "checkpoint", "--store", store)
        assert done.status == 1
        assert "stay in the write-ahead log: another process reads" in done.out


class TestDoctor:
    def test_a_store_of_a_newer_version_is_told_with_the_exit_status(self, ujsx, store):
        with closing(sqlite3.connect(store)) as db:
            db.execute("PRAGMA user_version = 99")
        done = ujsx("doctor", store.parent)
        assert done.status == 1
        assert "unusable: cannot be used" in done.out
        assert "update ujsx" in done.out
        assert "ujsx can work here" not in done.out
        data = ujsx("doctor", store.parent, "--json").data
        assert data["ok"] is False

    def test_a_copy_without_its_log_is_told(self, ujsx, tmp_path):
        tmp_path.chmod(0o700)
        with HudStore.open(tmp_path / "hud.db") as opened:
            opened.session("s")
            (tmp_path / "copy.db").write_bytes((tmp_path / "hud.db").read_bytes())
        out = ujsx("doctor", tmp_path).out
        assert "it holds nothing" in out
        assert "copy with `ujsx store backup`" in out


class TestTailOfTypes:
    def test_has_those_of_the_archive_too(self, ujsx, store):
        done = ujsx("session", "tail", "archived", "--after", "0", "--store", store,
                    "--type", "session.start", "--type", "compact.after")  # fmt: skip
        assert [line.split()[0] for line in done.out.splitlines()] == ["1", "32"]

    def test_has_the_last_ones_of_that_type(self, ujsx, store):
        done = ujsx(
            "session", "tail", "archived", "-n", "2", "--type", "note.add", "--store", store
        )
        assert [line.split()[0] for line in done.out.splitlines()] == ["41", "42"]

    def test_knows_no_other_type(self, ujsx, store):
        done = ujsx("session", "tail", "archived", "--type", "note.ad", "--store", store)
        assert 'did you mean "note.add", or note.update?' in done.refusal
