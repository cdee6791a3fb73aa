"""The doctor names what a domain cannot read any more: events, and what sessions inherited."""

from __future__ import annotations

import json
import sqlite3

import pytest

from hud_runtime import HudStore
from hud_runtime.log.events import Event, Stored
from hud_runtime.projects import load_object

MODULE = '''
from hud_components import Domain, HudItem, ItemsSection, Line, NotesSection


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    """What was tried."""
    outcome: str = ""
    """How it went."""


class Remedies(ItemsSection[Remedy]):
    """What was tried."""

    name = "remedies"
    lines = {"full": "**{what}**"}
    from_project = True


DESK = Domain("desk", sections=(Remedies, NotesSection))
'''
TODAY = MODULE.replace('outcome: str = ""', "outcome: int = 0")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A store whose second session inherited what the first ones said, and what reads it today."""
    (tmp_path / "desk_before.py").write_text(MODULE, "utf-8")
    (tmp_path / "desk_today.py").write_text(TODAY, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with HudStore.open(data / "hud.db", domain=load_object("desk_before:DESK")) as store:
        store.project("p").record("remedies.add", what="Cable", outcome="failed")
        store.project("p").record("remedies.add", what="Lamp")
        store.session("s", project="p").record("remedies.add", what="Restart", outcome="worked")
    with HudStore.open(data / "hud.db") as store:
        store.session("coding").record("note.add", content="Port 8080")
    return data


def unread(ujsx, *arguments):
    done = ujsx("doctor", "--json", *arguments)
    return done.status, [each for each in done.data["findings"] if each["verdict"] == "unread"]


class TestUnread:
    def test_is_named_with_its_section_count_versions_and_why(self, ujsx, desk):
        status, found = unread(ujsx, str(desk), "--domain", "desk_today:DESK")
        assert status == 1
        [left_out, recorded] = sorted(each["value"] for each in found)
        assert left_out.startswith("remedies: 2 entries of session.start, inherited.remedies")
        assert recorded == (
            "remedies: 3 entries of remedies.add cannot be read: the field \"outcome\" is 'failed': input should be a"
            " valid integer, unable to parse string as an integer"
            ' (session "project:p", versions 2–3; session "s", version 2)'
        )
        assert all(each["advice"] for each in found)
        said = ujsx("doctor", str(desk), "--domain", "desk_today:DESK")
        assert said.status == 1
        assert said.out.endswith("cannot be read by its domain: it is kept, and counted.\n")

    def test_is_nothing_where_all_is_read(self, ujsx, desk):
        assert unread(ujsx, str(desk), "--domain", "desk_before:DESK") == (0, [])

    def test_is_not_looked_for_in_domains_that_are_not_at_hand(self, ujsx, desk):
        status, found = unread(ujsx, str(desk))
        assert (status, found) == (0, [])
        notes = [
            each["value"]
            for each in ujsx("doctor", "--json", str(desk)).data["findings"]
            if each["verdict"] == "note" and "other domains" in each["value"]
        ]
        assert notes == ["there are sessions of other domains: desk"]

    def test_is_one_finding_where_there_is_much_of_a_kind(self, ujsx, desk):
        with HudStore.open(desk / "hud.db", domain=load_object("desk_before:DESK")) as store:
            for number in range(20):
                for name in ("s", *(f"s-{n}" for n in range(number % 7))):
                    store.session(name).record("remedies.add", what=f"No. {number}", outcome="bad")
                    store.session(name).record("note.add", content=f"No. {number}")
        _, found = unread(ujsx, str(desk), "--domain", "desk_today:DESK")
        assert len(found) == 2
        assert "versions 2–3, 5, 7, 9, 11, …; " in found[0]["value"]
        assert found[0]["value"].endswith("; and 3 more sessions)")

    def test_is_counted_where_there_are_many_kinds(self, ujsx, desk):
        with HudStore.open(desk / "hud.db", domain=load_object("desk_today:DESK")) as store:
            session = store.session("s")
            start = next(iter(session.events()))
            events = [
                Event.model_validate(
                    {
                        **start.model_dump(),
                        "id": f"e-{n}",
                        "version": session.version + n,
                        "type": f"kind{n}.add",
                        "payload": Stored(text="{}"),
                    }
                )
                for n in range(1, 61)
            ]
            session.log.append("s", session.version, events)
        _, found = unread(ujsx, str(desk), "--domain", "desk_before:DESK")
        assert len(found) == 51
        assert found[-1]["value"] == "10 more kinds of events that cannot be read"

    def test_a_value_of_a_secret_length_is_not_told_whole(self, ujsx, desk):
        with HudStore.open(desk / "hud.db", domain=load_object("desk_before:DESK")) as store:
            store.session("s").record("remedies.add", what="x", outcome="y" * 5_000)
        _, found = unread(ujsx, str(desk), "--domain", "desk_today:DESK")
        assert all(len(json.dumps(each)) < 1_000 for each in found)

    def test_does_not_change_the_store(self, ujsx, desk):
        before = (desk / "hud.db").read_bytes()
        unread(ujsx, str(desk), "--domain", "desk_today:DESK")
        assert (desk / "hud.db").read_bytes() == before
        with sqlite3.connect(f"file:{desk / 'hud.db'}?mode=ro", uri=True) as found:
            assert found.execute("SELECT count(*) FROM hud_event").fetchone() == (7,)

    def test_a_domain_that_cannot_be_had_is_told(self, ujsx, desk):
        done = ujsx("doctor", "--json", str(desk), "--domain", "nowhere:DESK")
        [note] = [each for each in done.data["findings"] if "coding HUD's" in each["value"]]
        assert "nowhere" in note["advice"]


class TestStore:
    """`ujsx doctor STORE` looks at one store."""

    def test_is_a_file(self, ujsx, desk, tmp_path):
        HudStore.open(desk / "other.db").close()
        done = ujsx("doctor", "--json", desk / "hud.db", "--domain", "desk_today:DESK")
        names = {each["name"] for each in done.data["findings"]}
        assert done.status == 1
        assert {"store hud.db", "data folder"} <= names
        assert "store other.db" not in names

    def test_is_a_folder_too(self, ujsx, desk):
        HudStore.open(desk / "other.db").close()
        done = ujsx("doctor", "--json", desk, "--domain", "desk_before:DESK")
        assert done.status == 0
        names = {each["name"] for each in done.data["findings"]}
        assert {"store hud.db", "store other.db"} <= names

    def test_has_its_secrets_looked_for(self, ujsx, desk):
        done = ujsx(
            "doctor", "--json", desk / "hud.db", "--secrets", "--domain", "desk_before:DESK"
        )
        assert "secrets in hud.db" in {each["name"] for each in done.data["findings"]}

    def test_that_is_not_there_is_refused(self, ujsx, desk):
        assert "there is no file" in ujsx("doctor", desk / "hud.dbb").refusal
        assert not (desk / "hud.dbb").exists()
