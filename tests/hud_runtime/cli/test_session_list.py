"""``ujsx session list`` and ``show``: what there is."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from hud_runtime import HudStore
from hud_runtime.log.store import SqliteEventStore
from tests.hud_runtime.cli.conftest import HOUR
from tests.ids import looped


@pytest.fixture
def several(store):
    """The store with a child, a project's defaults, and a session whose names steer a terminal."""
    with HudStore.open(store, clock=lambda: 9 * HOUR) as opened:
        opened.session("child", parent="shop").record("session.title", title="Sign-in")
        opened.project("/srv/shop").record("note.add", content="make test", timestamp=10 * HOUR)
        opened.session("\x1b[2J", started_at=1)
    return store


class TestList:
    def test_has_each_session_the_last_used_first(self, ujsx, several):
        done = ujsx("session", "list", "--store", several)
        assert (done.status, done.err) == (0, "")
        assert done.out == (
            "changed                events   turn  session            about\n"
            "1970-01-01T10:00:00Z        2      0  project:/srv/shop\n"
            "1970-01-01T09:00:00Z        2      0  child              Sign-in: Add a login\n"
            "1970-01-01T04:00:00Z        4      3  shop               Add a login\n"
            "1970-01-01T00:00:00Z        1      0  ␛[2J\n"
        )

    def test_as_data_has_all_that_is_known_of_each(self, ujsx, several):
        found = {
            each["session"]: each
            for each in ujsx("session", "list", "--store", several, "--json").data
        }
        assert found["child"] == {
            "session": "child", "title": "Sign-in", "task": "Add a login", "project": None,
            "parent": "shop", "parent_version": 4, "began": 9 * HOUR, "changed": 9 * HOUR,
            "events": 2, "turn": 0, "compactions": 0, "damaged": None,
        }  # fmt: skip
        assert found["shop"]["project"] == "/srv/shop"

    def test_of_the_default_store_is_empty_before_there_is_one(self, ujsx, tmp_path, monkeypatch):
        monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
        told = ujsx("session", "list").err
        assert told.startswith(
            "there are no sessions yet: `ujsx install claude-code` gives an agent one"
        )
        assert ujsx("session", "list", "--json").data == []
        assert not (tmp_path / "home").exists()

    def test_of_a_store_that_was_named_and_is_not_there_is_refused(self, ujsx, tmp_path, store):
        missing = tmp_path / "hub.db"
        assert ujsx("session", "list", "--store", missing).refusal == (
            f'ujsx session: there is no file {missing}; did you mean "{store}"?'
        )
        assert not missing.exists()

    @looped(
        ("content", "why"),
        [
            (b"", "is an empty file, not a store"),
            (b"no database" * 99, "it is not an SQLite database"),
        ],
    )
    def test_of_another_file_is_refused(self, ujsx, tmp_path, content, why):
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        assert why in ujsx("session", "list", "--store", path).refusal
        assert path.read_bytes() == content

    def test_of_a_newer_store_is_refused(self, ujsx, several):
        with closing(sqlite3.connect(several)) as database:
            database.execute("PRAGMA user_version = 99")
        assert "update ujsx" in ujsx("session", "list", "--store", several).refusal

    def test_has_the_others_where_one_cannot_be_read(self, ujsx, several):
        with closing(sqlite3.connect(several)) as database:
            database.execute("DROP TRIGGER hud_event_is_never_changed")
            database.execute("UPDATE hud_event SET payload = '{}' WHERE id IN"
                " (SELECT id FROM hud_event WHERE session_id = 'shop' AND version = 3)")  # fmt: skip
            database.commit()
        done = ujsx("session", "list", "--store", several)
        why = (
            'event 3 of session "shop" is not as it was written; '
            "`ujsx doctor` tells what else is damaged; restore a backup, or repair the store"
        )
        assert (done.status, done.err) == (0, f"{why}\n")
        assert [line.split()[-1] for line in done.out.splitlines()[1:-1]] == [
            "project:/srv/shop", "login", "␛[2J",
        ]  # fmt: skip
        assert done.out.splitlines()[-1].split(maxsplit=2) == [
            "damaged",
            "shop",
            "see `ujsx doctor`",
        ]
        last = ujsx("session", "list", "--store", several, "--json").data[-1]
        assert {name: value for name, value in last.items() if value is not None} == {
            "session": "shop", "damaged": why,
        }  # fmt: skip
        assert last.keys() == ujsx("session", "list", "--store", several, "--json").data[0].keys()

    def test_leaves_out_what_is_purged_meanwhile(self, ujsx, several, monkeypatch):
        ids = SqliteEventStore.sessions
        monkeypatch.setattr(SqliteEventStore, "sessions", lambda self: (*ids(self), "gone"))
        done = ujsx("session", "list", "--store", several)
        assert (done.status, done.out.count("\n")) == (0, 5)

    def test_changes_nothing(self, ujsx, several):
        before = several.read_bytes()
        ujsx("session", "list", "--store", several)
        ujsx("session", "show", "shop", "--store", several)
        assert several.read_bytes() == before


class TestShow:
    def test_says_since_when_how_much_and_what(self, ujsx, store):
        done = ujsx("session", "show", "shop", "--store", store)
        assert (done.status, done.err) == (0, "")
        assert done.out.splitlines()[:6] == [
            "session  shop",
            "project  /srv/shop",
            "began    1970-01-01T01:00:00Z",
            "changed  1970-01-01T04:00:00Z",
            "log      4 events, 3 turns, 0 compactions",
            "task     Add a login",
        ]
        assert done.out.splitlines()[6].startswith("holds    1 note")

    def test_names_the_parent(self, ujsx, several):
        out = ujsx("session", "show", "child", "--store", several).out
        assert "\nparent   shop, as of its version 4\n" in out

    def test_as_data_has_the_state(self, ujsx, store):
        data = ujsx("session", "show", "shop", "--store", store, "--json").data
        with HudStore.open(store) as opened:
            assert data["state"] == opened.session("shop").state().model_dump(mode="json")
        assert data["events"] == 4

    def test_knows_the_defaults_of_a_project(self, ujsx, several):
        assert "1 note" in ujsx("session", "show", "project:/srv/shop", "--store", several).out

    def test_knows_a_project_by_its_folder(self, ujsx, store, tmp_path, monkeypatch):
        with HudStore.open(store) as opened:
            opened.session(str(tmp_path))
        monkeypatch.chdir(tmp_path)
        shown = ujsx("session", "show", ".", "--store", store).out
        assert shown.startswith(f"session  {tmp_path}\n")

    def test_a_folder_is_the_newest_session_that_began_there(
        self, ujsx, store, tmp_path, monkeypatch
    ):
        with HudStore.open(store) as opened:
            for name, folder in (("old", tmp_path), ("new", tmp_path), ("away", tmp_path / "x")):
                opened.session(name, project=str(folder))
        monkeypatch.chdir(tmp_path)
        for name in (".", tmp_path):
            shown = ujsx("session", "show", name, "--store", store).out
            assert shown.startswith("session  new\n")
        assert "no session that began in" in ujsx("hud", "..", "--store", store).refusal

    @pytest.mark.parametrize(
        ("name", "hint"),
        [("shpo", 'did you mean "shop"?'), ("sh", 'did you mean "shop"?'), ("x", 'known: "shop"')],
    )
    def test_of_an_unknown_session_names_the_nearest(self, ujsx, store, name, hint):
        assert ujsx("session", "show", name, "--store", store).refusal == (
            f'ujsx session: {store} has no session "{name}"; {hint}'
        )

    def test_of_an_unknown_one_of_many_says_where_they_are(self, ujsx, store):
        with HudStore.open(store) as opened:
            for number in range(9):
                opened.session(f"{number}")
        refusal = ujsx("session", "show", "other", "--store", store).refusal
        assert refusal.endswith("`ujsx session list` has all 10")

    @pytest.mark.parametrize(
        "name", ["a\x00b", "x" * 5_000, "../../etc", "", "'; DROP TABLE hud_event"]
    )
    def test_takes_every_name_for_a_name(self, ujsx, store, name):
        assert "has no session" in ujsx("session", "show", name, "--store", store).refusal

    def test_refuses_a_name_that_is_no_text(self, ujsx, store):
        refusal = ujsx("session", "show", "\udcff", "--store", store).refusal
        assert refusal.endswith("is not UTF-8 text")


class TestActions:
    @looped("action", ["list", "show", "tail", "search", "export", "import", "archive", "purge"])
    def test_say_what_they_do_within_the_terminal(self, ujsx, monkeypatch, action):
        monkeypatch.setenv("COLUMNS", "60")
        done = ujsx("session", action, "--help")
        assert (done.status, done.err) == (0, "")
        assert done.out.startswith(f"Usage: ujsx session {action} ")
        assert max(map(len, done.out.splitlines())) <= 60

    def test_that_are_none_are_refused_with_the_nearest(self, ujsx):
        assert ujsx("session", "ls").refusal == (
            'ujsx session: "ls" is not an action; did you mean "list"?'
        )

    def test_refuse_options_with_the_nearest(self, ujsx):
        assert 'did you mean "--follow"?' in ujsx("session", "tail", "s", "--folow").refusal
