"""``--domain``: the command works in a domain of one's own."""

from __future__ import annotations

import json

import pytest

MODULE = '''
from typing import Literal

from hud_components import Domain, HudItem, HudValue, ItemsSection, Line, NotesSection, ValueSection


class TicketFacts(HudValue):
    """What the customer asks for."""

    subject: Line
    """What it is about."""
    store: Line | None = None
    """Where it was bought."""


class Ticket(ValueSection[TicketFacts]):
    """The ticket."""

    name = "ticket"
    lines = {"full": "**{subject}**"}


class Remedy(HudItem):
    """Something that was tried."""

    what: Line
    """What was tried."""
    outcome: Literal["worked", "failed", "unclear"] = "unclear"
    """How it went."""


class Remedies(ItemsSection[Remedy]):
    """What was tried, oldest first."""

    name = "remedies"
    title = "Tried so far"
    noun = "remedy|remedies"
    lines = {"full": "**{what}** — {outcome}", "compact": "{what}"}


DESK = Domain("desk", sections=(Ticket, Remedies, NotesSection))
NOBODY = 3
'''


@pytest.fixture
def desk(tmp_path, monkeypatch):
    (tmp_path / "desk_of_tests.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return ("--domain", "desk_of_tests:DESK", "--store", str(tmp_path / "hud.db"))


class TestDomain:
    def test_is_that_of_what_is_recorded_and_shown(self, ujsx, desk):
        assert ujsx("record", "t-1", "session.start", *desk).status == 0
        done = ujsx("record", "t-1", "remedies.add", "--what", "Restart", *desk)
        assert "r-2 added: Restart" in done.out
        payload = json.dumps({"subject": "No internet", "store": "Main Street"})
        assert ujsx("record", "t-1", "ticket.set", payload, *desk).status == 0
        assert "- **Restart** — unclear" in ujsx("hud", "t-1", *desk).out
        assert "r-2 added: Restart" in ujsx("session", "tail", "t-1", *desk).out
        assert "(ticket, remedies, notes)" in ujsx("instructions", *desk[:2]).out
        help_ = ujsx("record", "--help", *desk[:2]).out
        assert "remedies.add" in help_
        assert "decision.record" not in help_

    def test_of_ones_own_has_no_state_files(self, ujsx, desk, tmp_path):
        assert ujsx("record", "t-1", "session.start", *desk).status == 0
        ujsx("record", "t-1", "remedies.add", "--what", "Restart", *desk)
        refusal = ujsx("session", "export", "t-1", "--as", "state", *desk).refusal
        assert refusal.endswith(
            'state files hold the coding HUD, and "t-1" is of the domain "desk"; export it as its '
            "log: --as log"
        )
        file = tmp_path / "state.json"
        file.write_text('{"sessionId": "c-1", "currentTask": "Ship it"}', "utf-8")
        refusal = ujsx("session", "import", str(file), *desk).refusal
        assert refusal.endswith(
            'state files hold the coding HUD, and the new session is of the domain "desk"; leave '
            "--domain out, or import a log (--as log)"
        )

    def test_that_is_not_at_hand_is_named_and_its_log_can_be_moved(self, ujsx, desk, tmp_path):
        ujsx("record", "t-1", "session.start", *desk)
        ujsx("record", "t-1", "remedies.add", "--what", "Restart", *desk)
        store, other, file = desk[2:], str(tmp_path / "other.db"), str(tmp_path / "t.jsonl")
        refusal = ujsx("hud", "t-1", *store).refusal
        assert 'session "t-1" belongs to the domain "desk", which is not loaded' in refusal
        assert refusal.endswith("; name it: --domain package.module:NAME or file.py:NAME")
        assert ujsx("session", "export", "t-1", "--to", file, *store).status == 0
        assert ujsx("session", "import", file, "--store", other).status == 0
        assert "**Restart**" in ujsx("hud", "t-1", *desk[:2], "--store", other).out
        archived = ujsx("session", "archive", "t-1", *store)
        assert (archived.status, archived.out) == (
            0,
            'nothing to archive of "t-1": nothing of it came before a compaction, or that is archived already\n',
        )
        assert ujsx("session", "purge", "t-1", "--yes", *store).status == 0

    def test_that_is_not_at_hand_is_named_once_by_tail(self, ujsx, desk):
        ujsx("record", "t-1", "session.start", *desk)
        ujsx("record", "t-1", "remedies.add", "--what", "Restart", *desk)
        ujsx("record", "t-1", "remedies.add", "--what", "Reset", *desk)
        done = ujsx("session", "tail", "t-1", *desk[2:])
        assert done.status == 0
        assert done.err.count("\n") == 1
        assert 'belongs to the domain "desk", which is not loaded' in done.err
        assert "name it: --domain package.module:NAME or file.py:NAME\n" in done.err
        assert "cannot be read" not in done.out
        assert 'remedies.add  {"what":"Restart"' in done.out.replace(": ", ":")
        typed = ujsx("session", "tail", "t-1", "--type", "remedies.add", *desk[2:])
        assert (typed.status, typed.out.count("\n")) == (0, 2)

    def test_of_a_session_tells_its_events_whatever_is_asked_for(self, ujsx, desk):
        ujsx("record", "c-1", "session.start", *desk[2:])
        ujsx("record", "c-1", "decision.record", "--summary", "Use SQLite", *desk[2:])
        done = ujsx("session", "tail", "c-1", *desk)
        assert (done.status, done.err) == (0, "")
        assert "Use SQLite" in done.out

    def test_and_a_layout_say_in_their_help_where_modules_are_found(self, ujsx):
        for command in (("hud",), ("serve",), ("render",), ("install",)):
            assert "PYTHONPATH" in ujsx(*command, "--help").out

    @pytest.mark.parametrize(
        ("name", "answer"),
        [
            ("desk_of_tests:NOBODY", "is of the type int, not a Domain"),
            ("desk_of_tests:DESKS", 'did you mean "DESK"?'),
            ("no_such_module:X", 'there is no module "no_such_module"'),
            ("desk", "an object is named package.module:NAME or file.py:NAME"),
        ],
    )
    def test_that_is_none_is_refused(self, ujsx, desk, name, answer):
        assert answer in ujsx("record", "t", "session.start", "--domain", name, *desk[2:]).refusal
