"""Edits of a HUD as an agent sees it: without ids, dense, with items left out."""

from __future__ import annotations

from typing import Any

from hud_components import (
    ActiveFiles,
    Blocker,
    BlockersList,
    Decision,
    DecisionsList,
    Hud,
    HudState,
    Labelled,
    NextSteps,
    Note,
    NotesSection,
    Step,
    Task,
    TaskSection,
    parse,
)
from hud_runtime.editing import Changes, changes
from tests.ids import looped
from ujsx import RenderContext, render
from ujsx.elements import Item, List, Paragraph, Section


def notes(*texts: str) -> HudState:
    return HudState(notes=tuple(Note(id=f"n-{n}", content=text) for n, text in enumerate(texts, 2)))


def steps(count: int) -> HudState:
    return HudState(
        next_steps=tuple(
            Step(id=f"s-{n}", description=f"Do part {n:03} of the work", order=n)
            for n in range(1, count + 1)
        )
    )


def edited(hud: Any, *texts: str, **how: Any) -> Changes:
    text = render(hud, **how)
    for old, new in zip(texts[::2], texts[1::2], strict=True):
        assert old in text, text
        text = text.replace(old, new)
    return changes(hud, text, **how)


def told(found: Changes) -> list[str]:
    return [str(each) for each in (*found.operations, *found.problems)]


class TestByText:
    def test_a_text_that_is_near_is_the_same_item(self) -> None:
        hud = Hud.of(notes("The worker listens on 8080", "Ask Ada"))
        assert told(edited(hud, "8080", "9090")) == [
            "notes.update id='n-2' content='The worker listens on 9090'"
        ]

    def test_a_text_that_is_not_is_another_item(self) -> None:
        hud = Hud.of(notes("The worker listens on 8080", "Ask Ada"))
        assert told(edited(hud, "Ask Ada", "Tests run with make")) == [
            "notes.remove id='n-3'",
            "notes.add content='Tests run with make'",
        ]

    def test_what_could_be_either_is_a_problem(self) -> None:
        hud = Hud.of(notes("Worker 1 has port 8081", "Worker 2 has port 8082"))
        found = edited(
            hud, "- Worker 1 has port 8081\n", "", "Worker 2 has port 8082", "Worker has port 808"
        )
        assert found.operations == ()
        assert told(found) == [
            (
                "line 5, column 1: Notes, content: this could be any of 'Worker 1 has port 8081', "
                "'Worker 2 has port 8082'; edit a HUD that shows ids"
            )
        ]

    def test_one_of_two_that_read_the_same_is_a_problem(self) -> None:
        hud = Hud.of(notes("Port 8080", "Ask Ada", "Port 8080"))
        found = edited(hud, "- Port 8080\n- Ask Ada\n", "- Ask Ada\n")
        assert found.operations == ()
        assert "could be any of 'Port 8080', 'Port 8080'" in told(found)[0]

    def test_an_item_without_an_id_is_named_by_its_text(self) -> None:
        hud = parse("# HUD\n\n## Notes\n\n- Port 8080\n- Ask Ada\n")
        assert told(edited(hud, "8080", "8081", "- Ask Ada\n", "")) == [
            "notes.update id='Port 8080' content='Port 8081'",
            "notes.remove id='Ask Ada'",
        ]

    def test_a_text_that_names_two_is_a_problem(self) -> None:
        hud = parse("# HUD\n\n## Next steps\n\n1. Test\n2. Test\n")
        found = edited(hud, "2. Test", "2. ~~Test~~")
        assert [(each.line, each.field) for each in found.problems] == [(6, "id")]
        assert "has no id, and could be meant twice" in told(found)[-1]

    def test_where_an_item_comes_from_stays(self) -> None:
        state = HudState(notes=(Note(id="project:n-2", content="Port 8080"),))
        found = edited(Hud.of(state), " *from the project*", "")
        assert "the source of a note cannot be edited" in told(found)[0]
        assert told(edited(Hud.of(state), "8080", "8081")) == [
            "notes.update id='project:n-2' content='Port 8081'"
        ]


class TestAnInheritedTask:
    @looped("density", ["full", "minimal"])
    def test_is_the_sessions_own_once_it_is_edited(self, density: str) -> None:
        hud = Hud.of(HudState(task=Task(description="Add login", origin="parent")))
        assert told(edited(hud, density=density)) == []
        for old, new, text in (
            (" *from the parent session*", "", "Add login"),
            ("login", "logout", "Add logout"),
        ):
            found = edited(hud, old, new, density=density)
            assert told(found) == [f"task.update description={text!r}"]

    def test_does_not_change_its_origin(self) -> None:
        hud = Hud.of(HudState(task=Task(description="Add login", origin="parent")))
        found = edited(hud, "the parent session", "the project")
        assert [each.message for each in found.problems] == [
            "the source of a task cannot be edited; put it back"
        ]


class TestLeftOut:
    def test_what_a_limit_hides_is_not_removed(self) -> None:
        hud = Hud.of(notes(*(f"Note number {n}" for n in range(30))))
        found = edited(hud, "Note number 29 · ", "", density="compact")
        assert told(found) == ["notes.remove id='n-31'"]

    def test_a_mark_for_what_is_left_out_is_no_item(self) -> None:
        hud = Hud.of(notes(*(f"Note number {n}" for n in range(30))))
        found = edited(hud, "27 more", "26 more", density="compact")
        assert found.operations == ()
        assert found.problems

    def test_a_section_that_is_only_counted_stays(self) -> None:
        hud = Hud.of(notes("Port 8080", "Ask Ada"))
        assert told(edited(hud, density="minimal")) == []
        found = edited(hud, "*2 notes*", "*1 note*", density="minimal")
        assert told(found) == [
            (
                "line 1, column 1: NotesSection: '*2 notes*' was changed; put it back as it was: "
                "text in this form cannot be edited here; edit the text of for_editing(state), or "
                "with `ujsx edit`, where it is a list"
            )
        ]

    def test_a_text_that_was_cut_is_not_changed(self) -> None:
        long = "a very long text " * 20
        hud = Hud.of(HudState(task=Task(description=long), notes=(Note(id="n-2", content=long),)))
        text = render(hud, density="compact")
        found = changes(hud, text.replace("a very", "A very"), density="compact")
        assert found.operations == ()
        assert [(each.section, each.field) for each in found.problems] == [
            ("Task", "description"),
            ("Notes", "content"),
        ]
        assert "only the beginning of it" in told(found)[0]

    def test_a_label_is_not_the_summary(self) -> None:
        state = HudState(decisions=(Decision(id="d-2", summary="Use JWT for all", label="JWT"),))
        found = edited(Hud.of(state), "JWT", "JWTs", density="compact")
        assert found.operations == ()
        assert "only the beginning of it, or a short form, was shown: 'JWT'" in told(found)[0]

    def test_details_that_are_not_shown_stay(self) -> None:
        state = HudState(decisions=(Decision(id="d-2", summary="Use JWT", details="stateless"),))
        assert told(edited(Hud.of(state), "JWT", "JWTs", density="compact")) == [
            "decisions.update id='d-2' summary='Use JWTs'"
        ]

    def test_steps_that_are_not_shown_keep_their_places(self) -> None:
        hud = Hud.of(steps(20))
        found = edited(
            hud,
            "Do part 001 of the work · Do part 002 of the work · ",
            "Do part 002 of the work · Do part 001 of the work · ",
            density="compact",
        )
        assert told(found) == ["steps.reorder ids=('s-2',)"]

    def test_a_step_behind_the_last_one_that_is_shown_stands_there(self) -> None:
        hud = Hud.of(steps(8))
        found = edited(
            hud, "part 005 of the work", "part 005 of the work · Rest", density="compact"
        )
        assert told(found) == [
            "steps.add description='Rest'",
            "steps.reorder ids=('s-1', 's-2', 's-3', 's-4', 's-5', 'Rest')",
        ]

    def test_steps_that_are_only_counted_cannot_be_put_in_order(self) -> None:
        hud = Hud()[NextSteps(steps=steps(2).next_steps, unlisted=3)]
        found = edited(hud, "part 001", "part X", "part 002", "part 001", "part X", "part 002")
        assert "not all steps are known" in told(found)[-1]


class TestInALine:
    """A compact HUD says all items of a section in one line."""

    HUD = Hud.of(notes("Port 8080", "Ask Ada first"))

    @looped(
        ("old", "new", "expected"),
        [
            ("8080", "8081", ["notes.update id='n-2' content='Port 8081'"]),
            ("first", "first · Be brief", ["notes.add content='Be brief'"]),
            ("Port 8080 · ", "", ["notes.remove id='n-2'"]),
            (" Port 8080 · Ask Ada first", "", [f"notes.remove id='n-{n}'" for n in (2, 3)]),
        ],
    )
    def test_items_are_edited(self, old: str, new: str, expected: list[str]) -> None:
        assert told(edited(self.HUD, old, new, density="compact")) == expected

    def test_items_are_added_in_a_line_of_their_own(self) -> None:
        found = edited(
            self.HUD, "**Notes:**", "**Notes:** Be brief\n\n**Notes:**", density="compact"
        )
        assert told(found) == ["notes.add content='Be brief'"]

    def test_an_item_that_cannot_be_read_leaves_all_as_they_are(self) -> None:
        found = edited(self.HUD, "Ask Ada", "*Ask* Ada", "Port 8080", "Port 9", density="compact")
        assert found.operations == ()
        assert [each.section for each in found.problems] == ["Notes"]
        assert "this is not a note" in told(found)[0]

    def test_a_label_that_reads_anew_removes_nothing(self) -> None:
        found = edited(self.HUD, "**Notes:**", "**Nots:**", density="compact")
        assert found.operations == ()
        assert "the whole section is gone" in told(found)[-1]

    def test_lines_of_several_sections_alike_are_told_apart(self) -> None:
        one = (Note(id="n-2", content="Port 8080"), Note(id="n-3", content="Ask Ada"))
        other = (Note(id="n-4", content="No disk"),)
        hud = Hud()[NotesSection(notes=one), NotesSection(notes=other)]
        assert told(edited(hud, " · Ask Ada", "", "No disk", "No disks", density="compact")) == [
            "notes.remove id='n-3'",
            "notes.update id='n-4' content='No disks'",
        ]


class TestSeveral:
    def test_two_lists_in_lines_are_told_apart(self) -> None:
        one = BlockersList(blockers=(Blocker(id="b-2", description="No disk"),))
        other = BlockersList(blockers=(Blocker(id="b-3", description="No key"),))
        hud = Hud()[one, other]
        assert told(edited(hud, "No key", "No keys", density="minimal")) == [
            "blockers.update id='b-3' description='No keys'"
        ]

    def test_an_id_that_a_state_has_twice_is_taken_in_its_order(self) -> None:
        twice = (Note(id="n-2", content="Port 8080"), Note(id="n-2", content="Ask Ada"))
        hud = Hud()[NotesSection(notes=twice, show_ids=True)]
        assert told(edited(hud)) == []

    def test_a_list_behind_a_paragraph_is_not_the_sections(self) -> None:
        hud = Hud()[
            NotesSection(notes=notes("Port 8080").notes),
            Paragraph()["Rules:"],
            List()[Item()["Be kind."]],
        ]
        assert told(edited(hud)) == []
        assert told(edited(hud, "kind", "rude"))[0].startswith(
            "line 9, column 1: Notes: '- Be kind.'"
        )


class TestDense:
    @looped(
        ("density", "line"),
        [("full", "Do part 001 of the work"), ("minimal", "**Next:** Do part 001 of the work")],
    )
    def test_the_next_step_is_worded_anew(self, density: str, line: str) -> None:
        found = edited(Hud.of(steps(3)), line, f"{line} now", density=density)
        assert told(found) == ["steps.update id='s-1' description='Do part 001 of the work now'"]

    def test_the_task_in_a_line_is_worded_anew(self) -> None:
        hud = Hud.of(HudState(task=Task(description="Add login")))
        assert told(edited(hud, "login", "logout", density="minimal")) == [
            "task.update description='Add logout'"
        ]


class TestLayouts:
    def test_a_state_in_the_context_is_edited(self) -> None:
        context = RenderContext().with_value(notes("Port 8080"))
        hud = Hud()[TaskSection(), NotesSection()]
        assert told(edited(hud, "8080", "8081", context=context)) == [
            "notes.update id='n-2' content='Port 8081'"
        ]

    def test_labels_and_replaced_texts_are_read(self) -> None:
        hud = Hud()[Labelled(label="Web")[NotesSection(notes=notes("Port 8080").notes)]]
        context = RenderContext(texts={"notes.title": "Notizen"})
        assert told(edited(hud, "8080", "8081", context=context)) == [
            "notes.update id='n-2' content='Port 8081'"
        ]

    def test_what_the_author_wrote_is_not_edited(self) -> None:
        hud = Hud()[
            Section(title="House rules")[Paragraph()["Be kind."]],
            DecisionsList(decisions=(Decision(id="d-2", summary="Use JWT"),)),
            ActiveFiles(files=()),
        ]
        assert told(edited(hud, "JWT", "JWTs")) == ["decisions.update id='d-2' summary='Use JWTs'"]
        assert told(edited(hud, "kind", "rude")) == [
            (
                "line 5, column 1: House rules: 'Be kind.' was changed; put it back as it was: "
                "no operation changes it"
            )
        ]

    def test_an_authors_list_under_the_heading_of_a_section_that_is_not_there_is_the_authors(
        self,
    ) -> None:
        own = Section(title="Notes")[List()[Item()["Be kind."]]]
        hud = Hud()[own, TaskSection(task=Task(description="Add login"))]
        assert told(edited(hud)) == []
        assert told(edited(hud, "login", "logout")) == ["task.update description='Add logout'"]
        assert told(edited(hud, "kind", "rude"))[0].startswith(
            "line 5, column 1: Notes: '- Be kind.' was changed; put it back"
        )

    def test_a_section_that_the_hud_did_not_show_is_added_to(self) -> None:
        hud = Hud.of(notes("Port 8080"))
        found = changes(hud, render(hud) + "\n## ⚠ Blockers\n\n- No disk\n")
        assert told(found) == ["blockers.add description='No disk'"]
