"""A domain's HUD, changed as text."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hud_components import Hud
from hud_runtime.editing import changes, for_editing, record_changes
from tests.docs.domains.cases import EXAMPLES, ROOT
from tests.ids import looped
from ujsx import Density, render


def test_what_nobody_changed_comes_to_nothing(case, played):
    hud = for_editing(played.state())
    edit = changes(hud, render(hud))
    assert (edit.operations, edit.problems) == ((), ())


@pytest.mark.parametrize("density", Density)
def test_a_hud_as_an_agent_is_shown_it_can_be_edited(case, played, density):
    hud = Hud.of(played.state(), now=case.now)
    edit = changes(hud, render(hud, density=density), density=density)
    assert (edit.operations, edit.problems) == ((), ())


def test_a_table_is_put_back_or_edited_as_a_list(case, played):
    hud = Hud.of(played.state(), now=case.now)
    text = render(hud)
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    for row in tables[2:]:
        [problem] = changes(hud, text.replace(row, row.replace("| ", "| x", 1))).problems
        assert "edit the text of for_editing(state), or with `ujsx edit`" in str(problem)
    assert bool(tables) is (case.name == "analyst")


def test_each_edit_is_one_event(case, store):
    for number, (old, new, event_type) in enumerate(case.edits):
        session = case.played(store, f"edited-{number}")
        hud, version = for_editing(session.state()), session.version
        text = render(hud)
        assert text.count(old) == 1, (old, text)
        edit = changes(hud, text.replace(old, new))
        assert edit.problems == (), edit.problems
        [event] = record_changes(session, edit, since=version)
        assert (event.type, event.actor) == (event_type, "user")
        assert new.strip("*\n") in render(for_editing(session.state()))


def test_all_edits_at_once(case, played):
    hud, version = for_editing(played.state()), played.version
    text = render(hud)
    for old, new, _ in case.edits:
        text = text.replace(old, new)
    events = record_changes(played, changes(hud, text), since=version)
    kinds = [event_type for _, _, event_type in case.edits]
    merged = {*kinds} if "promises.remove" in kinds else kinds  # which item is gone cannot change
    assert {event.type for event in events} <= {*merged}
    again = for_editing(played.state())
    assert changes(again, render(again)).operations == ()


def test_a_value_that_cannot_be_is_a_problem_with_its_place(case, played):
    wrong = {
        "support": ("— failed", "— broken"),
        "escalated": ("(tier 3)", "(tier x)"),
        "analyst": ("returns: 6310 rows", "returns: many rows"),
        "remembering": ("All routes stand", f"All {'very ' * 300}routes stand"),
    }
    hud = for_editing(played.state())
    text = render(hud)
    old, new = wrong[case.name]
    assert old in text
    edit = changes(hud, text.replace(old, new, 1))
    assert [problem.line for problem in edit.problems] == [text[: text.index(old)].count("\n") + 1]


@pytest.mark.parametrize("name", ["support", "analyst"])
def test_an_example_runs_as_a_script(name):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")],
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert all(f"--- {density} ---" in done.stdout for density in Density)
    assert "\nedited: " in done.stdout


@looped("name", ["support", "analyst"])
def test_an_example_is_whole_in_under_150_lines(name):
    source = (EXAMPLES / f"{name}.py").read_text("utf-8")
    assert len(source.splitlines()) < 150
    used = {
        each.split()[1].partition(".")[0]
        for each in source.splitlines()
        if each.startswith(("from ", "import "))
    }
    assert used.isdisjoint({path.stem for path in EXAMPLES.glob("*.py")})
    assert {"hud_components", "hud_runtime", "ujsx"} <= used
