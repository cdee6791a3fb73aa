"""What each section says, and what it leaves out."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    ActiveFile,
    ActiveFiles,
    Blocker,
    BlockersList,
    ContextBar,
    ContextUsage,
    Decision,
    DecisionsList,
    ErrorRecord,
    ErrorsList,
    Hud,
    HudState,
    ItemsSection,
    NextSteps,
    Note,
    NotesSection,
    StatusLine,
    Step,
    Task,
    TaskSection,
    WarningBanner,
)
from hud_components.declaring import usage_of
from tests.hud_components.cases import TYPICAL
from tests.ids import looped
from ujsx import ChildError, Density, PropError, RenderContext, render, render_document
from ujsx.elements import Paragraph, Section


def notes(count: int) -> tuple[Note, ...]:
    return tuple(Note(id=f"n-{n}", content=f"note {n}") for n in range(count))


def steps(done: list[bool]) -> tuple[Step, ...]:
    return tuple(
        Step(id=f"s-{n}", description=f"step {n}", completed=is_done, order=n)
        for n, is_done in enumerate(done)
    )


class TestLimits:
    def test_full_shows_the_first_and_the_newest_and_names_the_rest_where_it_would_stand(
        self,
    ) -> None:
        rendered = render_document(NotesSection(notes=notes(23)))
        lines = rendered.text.splitlines()
        place = lines.index("- *… 4 more notes: `hud notes.list`*")
        assert lines[place - 1 : place + 2 : 2] == ["- note 11", "- note 16"]
        assert lines[-1] == "- note 22"
        (omitted,) = rendered.omitted
        assert omitted.ids == ("n-12", "n-13", "n-14", "n-15")
        assert omitted.handle == "hud notes.list"

    def test_a_longer_list_is_the_shorter_one_with_more_at_its_end(self) -> None:
        before, after = (render(NotesSection(notes=notes(count))) for count in (23, 24))
        assert after == f"{before}- note 23\n"

    def test_compact_shows_the_newest_few(self) -> None:
        text = render(NotesSection(notes=notes(5)), density="compact")
        assert text == "**Notes:** note 2 · note 3 · note 4 · *2 more*\n"

    def test_compact_lists_what_its_line_could_not_part(self) -> None:
        parted = (Note(content="a · b"), Note(content="c"))
        assert render(NotesSection(notes=parted), density="compact") == "# Notes\n\n- a · b\n- c\n"

    def test_minimal_counts(self) -> None:
        assert render(NotesSection(notes=notes(5)), density="minimal") == "*5 notes*\n"
        assert render(NotesSection(notes=notes(1)), density="minimal") == "*1 note*\n"

    def test_what_minimal_does_not_show_is_in_the_account(self) -> None:
        (omitted,) = render_document(NotesSection(notes=notes(5)), density="minimal").omitted
        assert (omitted.count, omitted.handle) == (5, "hud notes.list")

    def test_a_limit_of_the_author_counts_at_full_even_above_the_usual_one(self) -> None:
        assert render(NotesSection(notes=notes(30), limit=25)).count("- note") == 25
        assert render(NotesSection(notes=notes(30), limit=2)).count("- note") == 2

    def test_a_limit_of_the_author_does_not_widen_a_denser_rendering(self) -> None:
        section = NotesSection(notes=notes(30), limit=25)
        assert render(section, density="compact").count(" note ") == 3

    def test_a_density_of_the_author_holds_whatever_the_hud_is(self) -> None:
        section = NotesSection(notes=notes(5), density="minimal")  # type: ignore[arg-type]
        assert render(section, density="full") == "*5 notes*\n"

    def test_a_density_and_a_limit_of_the_author_go_together(self) -> None:
        section = NotesSection(notes=notes(9), density=Density.COMPACT, limit=5)
        assert render(section, density="minimal").count(" note ") == 5

    def test_a_negative_limit_is_refused(self) -> None:
        with pytest.raises(PropError, match="limit"):
            NotesSection(limit=-1)


class TestTaskSection:
    def test_line_breaks_become_spaces(self) -> None:
        assert "a b" in render(TaskSection(task=Task(description="a\nb")))

    def test_a_long_task_is_cut_when_space_is_short(self) -> None:
        text = render(TaskSection(task=Task(description="word " * 100)), density="minimal")
        assert text.endswith("…\n")
        assert len(text) < 100


class TestDecisionsList:
    def test_full_tells_the_details_compact_the_label(self) -> None:
        decision = Decision(summary="Use JWT", details="No Redis", label="JWT")
        assert "- **Use JWT** — No Redis" in render(DecisionsList(decisions=(decision,)))
        text = render(DecisionsList(decisions=(decision,)), density="compact")
        assert text == "**Decisions:** JWT\n"


FILES = st.lists(
    st.builds(
        ActiveFile,
        path=st.sampled_from([f"src/{name}.py" for name in "abcdefgh"]),
        status=st.sampled_from(["reading", "editing", "referenced"]),
        committed=st.booleans(),
        last_accessed=st.integers(0, 9),
    ),
    max_size=8,
    unique_by=lambda file: file.path,
).map(tuple)


class TestActiveFiles:
    @given(FILES, st.data())
    def test_files_that_show_alike_look_the_same(
        self, files: tuple[ActiveFile, ...], data: st.DataObject
    ) -> None:
        times = data.draw(st.lists(st.integers(0, 9), min_size=len(files), max_size=len(files)))
        now = tuple(
            file.model_copy(update={"last_accessed": time, "said_in": time, "said_at": time})
            for file, time in zip(files, times, strict=True)
        )
        sections = [ActiveFiles(files=each) for each in (files, now)]
        looks = [
            [
                *(render(each, density=density) for density in Density),
                *(render(each, budget=budget) for budget in range(5, 120, 10)),
            ]
            for each in sections
        ]
        if ActiveFiles.shows_alike(files, now, in_full=False):
            assert looks[0] == looks[1]
        assert ActiveFiles.shows_alike(files, now, in_full=True)
        assert render(sections[0], density="full") == render(sections[1], density="full")
        later = tuple(
            file.model_copy(update={"last_accessed": 100 + file.last_accessed}) for file in files
        )
        assert ActiveFiles.shows_alike(files, later, in_full=False)

    def test_those_used_last_are_shown_in_the_order_in_which_they_came(self) -> None:
        files = tuple(
            ActiveFile(path=f"{n}.py", last_accessed=used)
            for n, used in enumerate((9, 1, 8, 2, 7, 6, 5))
        )
        text = render(ActiveFiles(files=files), density="compact")
        assert re.findall(r"\d\.py", text) == ["0.py", "2.py", "3.py", "4.py", "5.py", "6.py"]

    def test_committed_ones_come_after_those_in_work(self) -> None:
        files = tuple(
            ActiveFile(path=f"{n}.py", last_accessed=n, committed=n > 2) for n in range(6)
        )
        text = render(ActiveFiles(files=files, limit=4))
        assert re.findall(r"\d\.py", text) == ["0.py", "1.py", "2.py", "5.py"]

    def test_an_enormous_path_is_cut_where_space_is_short(self) -> None:
        files = (ActiveFile(path="deep/" * 500 + "a.py"), ActiveFile(path="b.py"))
        rendered = render_document(ActiveFiles(files=files), density="compact")
        assert rendered.tokens < 80
        assert "b.py" in rendered.text
        (cut,) = rendered.omitted
        assert (cut.what, cut.count, cut.handle) == ("texts", 1, "hud files.list")
        assert "deep/" * 500 in render(ActiveFiles(files=files))


class TestNextSteps:
    def test_done_steps_are_struck_through(self) -> None:
        text = render(NextSteps(steps=steps([True, False])))
        assert "1. ~~step 0~~\n2. step 1\n" in text

    def test_they_come_in_their_order(self) -> None:
        first, second = Step(description="b", order=2), Step(description="a", order=1)
        assert "1. a\n2. b\n" in render(NextSteps(steps=(first, second)))

    def test_compact_begins_at_the_next_one(self) -> None:
        text = render(NextSteps(steps=steps([True] * 4 + [False] * 8)), density="compact")
        assert (
            text
            == "**Next steps:** step 4 · step 5 · step 6 · step 7 · step 8 · *7 more, 4 done*\n"
        )

    def test_a_part_of_the_plan_keeps_its_numbers(self) -> None:
        plan = NextSteps(steps=steps([True] * 4 + [False] * 8), limit=3)
        text = render(plan)
        assert "5. step 4\n6. step 5\n7. step 6\n" in text
        assert "*… 9 more steps, 4 done: `hud steps.list`*" in text

    def test_what_is_done_is_not_shown_before_what_is_open(self) -> None:
        plan = NextSteps(steps=steps([True] * 11 + [False]))
        assert render(plan, density="compact") == "**Next steps:** step 11 · *11 done*\n"
        assert "~~step 10~~\n12. step 11\n" in render(plan)

    def test_a_line_that_leaves_steps_out_names_none_that_is_done(self) -> None:
        steps = tuple(
            Step(id=f"s-{n}", description=f"Do {n}", completed=n in {1, 3}, order=n)
            for n in range(8)
        )
        rendered = render_document(NextSteps(steps=steps), density="compact")
        assert rendered.text == "**Next steps:** Do 0 · Do 2 · Do 4 · *5 more, 2 done*\n"
        assert [each.ids for each in rendered.omitted] == [("s-1", "s-3", "s-5", "s-6", "s-7")]

    @looped("open_from", range(13))
    def test_a_larger_limit_shows_all_that_a_smaller_one_does(self, open_from: int) -> None:
        plan = steps([n < open_from for n in range(12)])
        shown: set[str] = set()
        for limit in range(1, 13):
            text = render(NextSteps(steps=plan, limit=limit))
            now = {line for line in text.splitlines() if "step" in line and "more" not in line}
            assert shown <= now
            shown = now

    def test_minimal_says_what_is_next(self) -> None:
        plan = steps([True, False, True, False])
        text = render(NextSteps(steps=plan), density="minimal")
        assert text == "**Next:** step 1 *1 more*\n"

    def test_minimal_says_when_all_is_done(self) -> None:
        text = render(NextSteps(steps=steps([True, True])), density="minimal")
        assert text == "All 2 steps done\n"


class TestNotesSection:
    def test_lines_and_paragraphs_of_a_note_are_kept_at_full(self) -> None:
        text = render(NotesSection(notes=(Note(content="a\n  b\n\nc"),)))
        assert "- a\n  b\n\n  c\n" in text

    def test_a_note_is_one_line_when_space_is_short(self) -> None:
        text = render(NotesSection(notes=(Note(content="a\nb"),)), density="compact")
        assert text == "**Notes:** a b\n"


class TestBlockersList:
    def test_all_open_ones_are_shown_at_every_density(self) -> None:
        blockers = tuple(Blocker(description=f"blocker {n}") for n in range(12))
        for density in Density:
            assert render(BlockersList(blockers=blockers), density=density).count("blocker ") == 12

    def test_resolved_ones_leave(self) -> None:
        assert render(BlockersList(blockers=(Blocker(description="x", resolved=True),))) == ""


class TestErrorsList:
    def test_resolved_ones_leave(self) -> None:
        errors = (ErrorRecord(message="gone", resolved=True), ErrorRecord(message="here"))
        text = render(ErrorsList(errors=errors))
        assert "here" in text
        assert "gone" not in text


class TestContextBar:
    def test_full_has_the_limit_the_model_the_trend_and_the_advice(self) -> None:
        usage = ContextUsage(used=158_000, model="claude", trend="growing rapidly")
        assert render(ContextBar(usage=usage, step=5)) == (
            "🟡 Context: 75% of 200,000 tokens used (claude), growing rapidly. A compaction is "
            "possible; what the HUD holds survives it: `hud_compact`\n"
        )

    def test_minimal_has_the_share_alone(self) -> None:
        usage = ContextUsage(used=158_000, model="claude", trend="growing rapidly")
        assert render(ContextBar(usage=usage, step=5), density="minimal") == "🟡 75% used\n"

    @looped(
        ("used", "advice"),
        [
            (0, ""),
            (140_000, "A compaction is possible; what the HUD holds survives it"),
            (170_000, ""),  # the warning tells it
            (190_000, ""),
        ],
    )
    def test_the_advice_tells_the_level(self, used: int, advice: str) -> None:
        text = render(ContextBar(usage=ContextUsage(used=used), step=5))
        assert advice in text
        assert ("hud_compact" in text) is bool(advice)

    @looped(("used", "sign"), [(0, "🟢"), (140_000, "🟡"), (170_000, "🟠"), (190_000, "🔴")])
    def test_the_sign_tells_the_level(self, used: int, sign: str) -> None:
        assert render(ContextBar(usage=ContextUsage(used=used), step=5)).startswith(sign)

    def test_there_is_no_line_without_a_reading(self) -> None:
        assert render(ContextBar()) == ""

    def test_small_changes_change_no_byte(self) -> None:
        lines = {
            render(ContextBar(usage=ContextUsage(used=used), step=5), density=density)
            for used in range(140_000, 150_000, 1_000)
            for density in ("full", "compact", "minimal")
        }
        assert len(lines) == 3

    def test_with_a_step_of_one_it_has_the_figures(self) -> None:
        usage = ContextUsage(used=26_000, model="claude", trend="stable")
        assert render(ContextBar(usage=usage, step=1)) == (
            "🟢 Context: 13% used (26,000 / 200,000 tokens, claude), stable\n"
        )

    def test_a_reading_that_is_given_is_shown_as_it_is(self) -> None:
        assert render(ContextBar(percentage=67), density="compact") == "🟢 Context: 67% used\n"
        assert ContextBar(usage="67%") == ContextBar(usage=usage_of("67%"), step=1)  # type: ignore[arg-type]
        given = Hud()[NotesSection(notes=["Port 8080"]), ContextBar(used=134_000)]
        assert "67% used (134,000 / 200,000 tokens)" in render(given)


class TestWarningBanner:
    @looped(("used", "warns"), [(169_999, False), (170_000, True)])
    def test_it_warns_from_85_percent_on(self, used: int, warns: bool) -> None:
        assert bool(render(WarningBanner(usage=ContextUsage(used=used)))) is warns

    def test_it_tells_the_share_and_the_call(self) -> None:
        warning = WarningBanner(usage=ContextUsage(used=178_200))
        assert render(warning, density="minimal") == "⚠ 89% used: compaction is near\n"
        assert render(warning).startswith("> ⚠ 89% of the context is used; compaction is near")
        assert "`hud_compact`" in render(warning)

    def test_it_is_the_only_one(self) -> None:
        for used, signs in ((178_200, "⚠"), (120_000, "🟢")):
            text = render(Hud.of(HudState(usage=ContextUsage(used=used))))
            assert [sign for sign in "⚠🟢🟡🟠🔴" if sign in text] == [signs]


class TestStatusLine:
    def test_it_sums_up_in_one_line(self) -> None:
        assert render(StatusLine(state=TYPICAL)) == (
            "**Implement user authentication: JWT validation and refresh…** · 3 decisions · 3 files · "
            "2 steps · 2 notes · ⚠ 1 blocker · ⚠ 1 open error · 🟡 75%\n"
        )


class TestHud:
    def test_what_changes_every_turn_stands_last(self) -> None:
        layers = [
            child.component.disclosure.layer  # type: ignore[union-attr]
            if hasattr(child, "component")
            else child.disclosure.layer  # type: ignore[union-attr]
            for child in Hud.of(TYPICAL).children
        ]
        order = ["static", "session", "turn"]
        assert layers == sorted(layers, key=order.index)

    def test_sections_without_data_show_the_bound_state(self) -> None:
        context = RenderContext().with_value(TYPICAL)
        layout = Hud(title="Auth service")[NextSteps(), Section(title="House rules")["Be kind."]]
        text = render(layout, context=context)
        assert text.startswith("# Auth service\n\n## Next steps\n\n1. ~~Add refresh")
        assert text.endswith("## House rules\n\nBe kind.\n")

    def test_without_children_it_has_the_default_sections(self) -> None:
        for density in Density:
            context = RenderContext().with_value(TYPICAL)
            assert render(Hud(), density=density, context=context) == render(
                Hud.of(TYPICAL), density=density
            )

    def test_a_section_of_the_users_own_takes_part(self) -> None:
        text = render(Hud()[TaskSection(task=TYPICAL.task), Paragraph()["mine"]])
        assert text.endswith("\nmine\n")

    def test_fixed_texts_can_be_replaced(self) -> None:
        texts = {"hud.title": "Lage", "notes.title": "Notizen", "notes.noun": "Notiz|Notizen"}
        context = RenderContext(texts=texts)
        text = render(Hud.of(HudState(notes=notes(2))), context=context)
        assert text == "# Lage\n\n## Notizen\n\n- note 0\n- note 1\n"
        minimal = render(Hud.of(HudState(notes=notes(2))), density="minimal", context=context)
        assert minimal == "*2 Notizen*\n"

    def test_an_empty_session_is_only_its_title(self) -> None:
        assert render(Hud.of(HudState())) == "# HUD\n"
        assert render(Hud.of(HudState()), density="minimal") == ""


class TestChildren:
    @looped(
        "section",
        [
            each
            for each in CODING.sections
            if not each.takes_children and not issubclass(each, ItemsSection)
        ],
    )
    def test_are_refused_by_a_section_that_would_not_show_them(self, section: Any) -> None:
        with pytest.raises(ChildError, match=f"^{section.__name__}: it takes no children"):
            section()["lost"]

    def test_of_the_task_stand_behind_it(self) -> None:
        task = TaskSection(task=Task(description="Add login"))
        assert (
            render(task[Paragraph()["See RFC 6749."]]) == "# Task\n\nAdd login\n\nSee RFC 6749.\n"
        )
