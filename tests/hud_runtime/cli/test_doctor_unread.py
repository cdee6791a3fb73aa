"""The doctor names what a domain cannot read any more: events, and what sessions inherited."""

from __future__ import annotations

import json
import sqlite3

import pytest

from hud_runtime import HudStore
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
    def test_is_named_with_its_session_version_type_and_why(self, ujsx, desk):
        status, found = unread(ujsx, "--data", str(desk), "--domain", "desk_today:DESK")
        assert status == 1
        values = sorted(each["value"] for each in found)
        assert values[0].startswith('session "project:p", version 2, remedies.add: ')
        assert 'the field "outcome" is' in values[0]
        left_out = 'session "s", version 1, session.start: inherited.remedies[0] is left out: '
        assert any(each.startswith(left_out) and "outcome" in each for each in values)
        assert any(each.startswith('session "s", version 2, remedies.add: ') for each in values)
        assert all(each["advice"] for each in found)
        said = ujsx("doctor", "--data", str(desk), "--domain", "desk_today:DESK")
        assert said.status == 1
        assert said.out.endswith("cannot be read by its domain: it is kept, and skipped.\n")

    def test_is_nothing_where_all_is_read(self, ujsx, desk):
        assert unread(ujsx, "--data", str(desk), "--domain", "desk_before:DESK") == (0, [])

    def test_is_not_looked_for_in_domains_that_are_not_at_hand(self, ujsx, desk):
        status, found = unread(ujsx, "--data", str(desk))
        assert (status, found) == (0, [])
        notes = [
            each["value"]
            for each in ujsx("doctor", "--json", "--data", str(desk)).data["findings"]
            if each["verdict"] == "note" and "other domains" in each["value"]
        ]
        assert notes == ["there are sessions of other domains: desk"]

    def test_is_counted_where_there_is_much(self, ujsx, desk):
        with HudStore.open(desk / "hud.db", domain=load_object("desk_before:DESK")) as store:
            for number in range(20):
                store.session("s").record("remedies.add", what=f"No. {number}", outcome="failed")
        _, found = unread(ujsx, "--data", str(desk), "--domain", "desk_today:DESK")
        assert len(found) == 6
        assert found[-1]["value"] == "20 more that cannot be read"

    def test_a_value_of_a_secret_length_is_not_told_whole(self, ujsx, desk):
        with HudStore.open(desk / "hud.db", domain=load_object("desk_before:DESK")) as store:
            store.session("s").record("remedies.add", what="x", outcome="y" * 5_000)
        _, found = unread(ujsx, "--data", str(desk), "--domain", "desk_today:DESK")
        assert all(len(json.dumps(each)) < 1_000 for each in found)

    def test_does_not_change_the_store(self, ujsx, desk):
        before = (desk / "hud.db").read_bytes()
        unread(ujsx, "--data", str(desk), "--domain", "desk_today:DESK")
        assert (desk / "hud.db").read_bytes() == before
        with sqlite3.connect(f"file:{desk / 'hud.db'}?mode=ro", uri=True) as found:
            assert found.execute("SELECT count(*) FROM hud_event").fetchone() == (7,)

    def test_a_domain_that_cannot_be_had_is_told(self, ujsx, desk):
        done = ujsx("doctor", "--json", "--data", str(desk), "--domain", "nowhere:DESK")
        [note] = [each for each in done.data["findings"] if "coding HUD's" in each["value"]]
        assert "nowhere" in note["advice"]
