"""Behind a compaction a HUD repeats what only the conversation said, until the summary leaves."""

from __future__ import annotations

from typing import Any

from hud_components import ActiveFile, ActiveFiles, Hud, HudState, Task, Utterance, parse
from hud_components.words import SUMMARY_AGES
from hud_runtime import HudStore
from tests.ids import looped
from ujsx import Density, render

STATE: dict[str, Any] = {
    "task": Task(description="Write the docs", said_by="user"),
    "active_files": (
        ActiveFile(path="src/a.py", status="editing", is_new=True, change="retries = `5`"),
        ActiveFile(path="/home/me/elsewhere/project/packages/core/src/login.py"),
        ActiveFile(path="src/b.py", status="editing", committed=True, change="x = 1"),
    ),
    "where": (
        Utterance(speaker="asked", text="Fix the *build* → Done: a `pin` was missing."),
        Utterance(speaker="agent", text="Done. **All** tests pass, and `make` is clean. Push?"),
        Utterance(
            speaker="asked", text="Add a login → Done. All tests pass, and make is clean. Push?"
        ),
        Utterance(speaker="asks", text="Write the docs"),
        Utterance(speaker="why", text="I chose SQLite because two processes write."),
    ),
}
TOLD = ("asked: Add a login", "asked: Fix the", "put in: ", "why: I chose SQLite")


@looped("age", range(len(SUMMARY_AGES) + 1))
def test_it_is_shown_from_a_compaction_until_the_summary_leaves(age: int) -> None:
    text = render(Hud.of(HudState(**STATE, compacted_in=4, summary_age=age)))
    assert [each in text for each in TOLD] == [age < len(SUMMARY_AGES)] * len(TOLD)
    assert not any(each in render(Hud.of(HudState(**STATE))) for each in TOLD)


@looped("density", list(Density))
def test_it_is_read_back(density: Density) -> None:
    hud = Hud.of(HudState(**STATE, compacted_in=4, compacted_context="Goal: docs."))
    text = render(hud, density=density)
    assert render(parse(text), density=density) == text


def test_what_became_of_a_file_is_said_at_once() -> None:
    text = render(Hud.of(HudState(**STATE)))
    assert "`src/a.py` (created)" in text
    assert "`src/b.py` (committed)" in text


def test_behind_a_compaction_it_is_said_of_an_edit_whether_it_is_committed() -> None:
    text = render(Hud.of(HudState(**STATE, compacted_in=4)))
    assert "`src/a.py` (created, no commit), put in: " in text
    assert "`src/b.py` (committed), put in: `x = 1`" in text


def test_what_the_last_edit_took_out_is_said() -> None:
    file = ActiveFile(path="a.py", status="editing", change="def old():", is_removal=True)
    text = render(Hud.of(HudState(active_files=(file,), compacted_in=4)))
    assert "`a.py` (edited, no commit), took out: `def old():`" in text
    assert render(parse(text)) == text


NAMES = "load, save_all, read_the_settings_of_a_user, write_the_settings_of_a_user, a, b"


@looped(
    ("change", "told"),
    [
        ("", "changed `load, save_all, read_the_settings_of_a_user, …`"),
        ("x = 1", "changed `load, save_all, read_the_settings_of_a_user, …`, put in: `x = 1`"),
        (
            "def load():",
            "changed `save_all, read_the_settings_of_a_user, write_the_settings_of_a_user, b`, put in: `def load():`",
        ),
    ],
)
def test_the_names_that_edits_changed_are_told_as_far_as_there_is_room(
    change: str, told: str
) -> None:
    file = ActiveFile(path="a.py", status="editing", names=NAMES, change=change)
    others = tuple(ActiveFile(path=f"{n}.py", names=NAMES, status="editing") for n in range(9))
    hud = Hud.of(HudState(active_files=(*others, file), compacted_in=4))
    texts = [render(hud, budget=budget) for budget in (500, 400, 300, 200)]
    assert any(f"`a.py` (edited, no commit), {told}\n" in text for text in texts)
    assert NAMES not in render(Hud.of(HudState(active_files=(*others, file))))
    whole = render(hud)
    assert render(parse(whole)) == whole


def test_a_pass_tells_which_files_were_edited_since() -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        session.record("check.result", name="make", command="make", result="pass")
        for name in ("a.py", "b.py", "c.py", "b.py", "src/d.py"):
            session.record("file.edit", path=name)
        state = session.state()
        assert "`make`: pass in turn 0, before later edits" in render(Hud.of(state))
        hud = Hud.of(state.model_copy(update={"compacted_in": 1}))
        text = render(hud)
        assert "`make`: pass in turn 0, before edits of c.py, b.py, d.py" in text
        assert render(parse(text)) == text
        session.record("check.result", name="make", command="make", result="pass")
        assert session.state().checks[0].edits == ""


def test_edited_files_stand_before_those_that_were_read_but_for_the_last_used() -> None:
    edited = ActiveFile(path="old/edited.py", status="editing", last_accessed=1)
    read = tuple(ActiveFile(path=f"new/read_{n}.py", last_accessed=2 + n) for n in range(9))
    shown = [
        render(ActiveFiles(files=(edited, *read), limit=limit), density="compact")
        for limit in (3, 4)
    ]
    assert ["old/edited.py" in text for text in shown] == [False, True]
    assert all("read_8.py" in text for text in shown)


def test_an_earlier_request_is_told_with_what_came_of_it_and_nothing_twice() -> None:
    text = render(Hud.of(HudState(**STATE, compacted_in=4)))
    assert "asked: Fix the \\*build\\* → Done: a pin was missing." in text
    assert text.count("make is clean") == 1  # it is the last finding, too
    assert text.count("Write the docs") == 1  # it is the task


DEEDS = (
    ("file.edit", {"path": "src/login/form.py"}),
    ("check.result", {"name": "make test", "command": "make test", "result": "pass"}),
    ("file.edit", {"path": "src/login/view.py"}),
    ("file.edit", {"path": "docs/view.py"}),
    ("check.result", {"name": "make", "command": "make", "result": "fail"}),
    ("check.result", {"name": "make", "command": "make", "result": "pass"}),
    ("check.result", {"name": "make docs", "command": "make docs", "result": "fail"}),
    ("message.said", {"text": "", "ran": ["make", "git status", "tail -3"]}),
)


@looped(
    ("deeds", "told"),
    [
        (0, "no edit or check yet"),
        (1, "edited form.py"),
        (2, "edited form.py; passed make test"),
        (3, "edited form.py, view.py"),
        (
            8,
            "edited form.py, src/login/view.py, docs/view.py; passed make; failed make docs; ran git status",
        ),
    ],
)
@looped("density", list(Density))
def test_what_was_done_since_the_newest_request_is_told(
    deeds: int, told: str, density: Density
) -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        session.record("message.said", text="Ported. Shall I go on?")
        session.record("task.set", description="Write the docs", actor="user")
        for event, payload in DEEDS[:deeds]:
            session.record(event, payload)
        state = session.state().model_copy(update={"compacted_in": 1})
        text = render(Hud.of(state), density=density)
        assert render(parse(text), density=density) == text
        if density is Density.FULL:
            assert f"\n- since asked: {told}\n" in text
            before, _, after = text.partition("since asked")
            assert "Shall I go on?" in before
            assert "Shall I go on?" not in after
        session.record("task.set", description="Add a login", actor="user")
        left = [each.speaker for each in session.state().where if each.speaker == "did"]
        assert left == []


def test_no_files_name_is_another_deed() -> None:
    told = (
        Utterance(speaker="asks", text="Write the docs"),
        Utterance(speaker="did", text="edited a.py; passed make test"),
        Utterance(speaker="agent", text="I edit it."),
    )
    text = render(Hud.of(HudState(where=told, compacted_in=4)))
    assert "since asked: edited a.py, passed make test" in text


def test_a_reason_that_stands_in_a_message_is_not_said_twice() -> None:
    why = Utterance(speaker="why", text="I chose SQLite because two processes write.")
    message = Utterance(speaker="agent", text=f"Done. {why.text} Push?")
    text = render(Hud.of(HudState(where=(why, message), compacted_in=4)))
    assert text.count("I chose SQLite") == 1


def test_a_task_that_is_said_again_is_the_same() -> None:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        session.record("task.set", description="Write the docs", actor="user")
        session.record("task.goal", goal="Ship it")
        task = session.state().task
        session.record("task.set", description="Write the docs")
        assert session.state().task == task
