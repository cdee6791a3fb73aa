"""What the HUD says about the session itself: its name, its past, its age."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from hud_components import (
    ActiveFile,
    CompactedContext,
    ContextUsage,
    Domain,
    Hints,
    Hud,
    HudItem,
    HudSection,
    HudState,
    HudValue,
    ItemsSection,
    Line,
    Note,
    NotesSection,
    Now,
    SessionInfo,
    SessionLine,
    StaleNotice,
    Task,
    UsageReading,
    ValueSection,
    parse,
)
from tests.hud_components.cases import hints_for
from tests.ids import looped
from ujsx import Density, PropError, RenderContext, render, render_document

MINUTE = 60_000

SESSION = SessionInfo(
    id="s", title="Sign-in", project="shop", started_at=1_000 * MINUTE, compactions=3
)


class TestCompactedContext:
    @looped(("density", "width"), [("full", 500), ("compact", 500)])
    def test_it_is_cut_to_500_characters(self, density: Density, width: int) -> None:
        text = render(CompactedContext(text="word " * 1_000), density=density)
        (shown,) = [line for line in text.splitlines() if "word" in line]
        shown = shown.removeprefix("**Before the compaction:** ").removeprefix("> ")
        shown = shown.partition(" *…")[0]
        assert width - 10 <= len(shown) <= width

    def test_minimal_only_says_that_it_is_there(self) -> None:
        rendered = render_document(CompactedContext(text="word " * 1_000), density="minimal")
        assert rendered.text == "*a summary from before the compaction*\n"
        (omitted,) = rendered.omitted
        assert (omitted.count, omitted.handle) == (4_999, "hud snapshot")

    @looped("density", [Density.COMPACT, Density.FULL])
    def test_a_cut_names_what_is_missing_and_the_call_that_shows_it(self, density: Density) -> None:
        rendered = render_document(CompactedContext(text="x" * 700), density=density)
        assert "*… 201 more characters: `hud snapshot`*" in rendered.text
        (omitted,) = rendered.omitted
        assert (omitted.count, omitted.handle) == (201, "hud snapshot")

    @looped("density", Density)
    def test_what_is_not_cut_is_not_marked(self, density: Density) -> None:
        assert "more" not in render(CompactedContext(text="x" * 160), density=density)

    def test_an_ellipsis_of_its_own_is_no_cut(self) -> None:
        assert "more" not in render(CompactedContext(text="and so on…"))

    def test_the_author_may_give_it_more_room(self) -> None:
        assert "more" not in render(CompactedContext(text="x" * 700, limit=700))

    def test_a_budget_may_give_it_all_the_room_it_needs(self) -> None:
        rendered = render_document(CompactedContext(text="word " * 1_000), budget=5_000)
        assert rendered.omitted == ()

    def test_a_budget_never_hides_it(self) -> None:
        rendered = render_document(CompactedContext(text="word " * 1_000), budget=1)
        assert rendered.over_budget
        assert "a summary from before" in rendered.text

    def test_full_keeps_lines_and_paragraphs(self) -> None:
        text = render(CompactedContext(text="Goal: a\n  Done: b\n\n\n\nOpen: c\n"))
        assert text == "# Before the compaction\n\n> Goal: a\n> Done: b\n>\n> Open: c\n"

    @looped("blank", ["", " \n\t\n"])
    def test_a_blank_summary_is_none(self, blank: str) -> None:
        assert render(CompactedContext(text=blank)) == ""

    def test_a_limit_without_a_character_is_refused(self) -> None:
        with pytest.raises(PropError, match="limit"):
            CompactedContext(limit=0)


class TestSessionLine:
    def test_full_has_title_project_age_and_checkpoints(self) -> None:
        assert render(SessionLine(session=SESSION, now=1_250 * MINUTE)) == (
            "**Session:** *Sign-in* · project *shop* · began 4 h ago · 3 checkpoints available\n"
        )

    def test_compact_has_title_and_checkpoints(self) -> None:
        text = render(SessionLine(session=SESSION, now=1_250 * MINUTE), density="compact")
        assert text == "**Session:** *Sign-in* · 3 checkpoints available\n"

    def test_minimal_has_no_room_for_it(self) -> None:
        assert render(SessionLine(session=SESSION), density="minimal") == ""

    def test_without_a_clock_there_is_no_age(self) -> None:
        assert "began" not in render(SessionLine(session=SESSION))

    def test_a_clock_that_is_behind_gives_no_age(self) -> None:
        assert "began" not in render(SessionLine(session=SESSION, now=5))

    def test_an_id_alone_is_nothing_to_show(self) -> None:
        assert render(SessionLine(session=SessionInfo(id="s"))) == ""

    def test_time_and_session_may_come_from_the_context(self) -> None:
        context = (
            RenderContext().with_value(HudState(session=SESSION)).with_value(Now(1_250 * MINUTE))
        )
        assert render(SessionLine(), context=context) == render(
            SessionLine(session=SESSION, now=1_250 * MINUTE)
        )


class TestStaleNotice:
    @looped(("minutes", "says"), [(29, False), (30, True), (600, True)])
    def test_it_speaks_after_half_an_hour(self, minutes: int, says: bool) -> None:
        assert bool(render(StaleNotice(updated_at=1, now=1 + minutes * MINUTE))) is says

    def test_the_threshold_is_a_prop(self) -> None:
        notice = StaleNotice(updated_at=1, now=1 + 5 * MINUTE, after=5)
        assert render(notice, density="compact").startswith("The HUD was last updated 5 min ago")
        assert render(notice, density="minimal") == ""

    def test_the_threshold_is_an_argument_of_the_default_layout(self) -> None:
        state = HudState(updated_at=1)
        texts = [
            render(Hud.of(state, now=1 + 8 * MINUTE, stale_after=after)) for after in (None, 9, 8)
        ]
        assert ["may be stale" in text for text in texts] == [False, False, True]

    def test_the_call_is_one_of_the_domain(self) -> None:
        desk = Domain("stale-desk", sections=(NotesSection, StaleNotice))
        text = render(Hud.of(desk.state(updated_at=1), now=1 + 40 * MINUTE))
        assert text.endswith("may be stale: `hud notes.update`\n")
        assert render(parse(text, vocabulary=desk.sections)) == text

    def test_it_says_how_long_ago_and_what_updates_it(self) -> None:
        assert render(StaleNotice(updated_at=1, now=43 * MINUTE)) == (
            "The HUD was last updated 40 min ago and may be stale: `hud task.update`\n"
        )

    def test_its_bytes_stay_for_a_while(self) -> None:
        texts = {render(StaleNotice(updated_at=1, now=n * MINUTE)) for n in range(41, 45)}
        assert len(texts) == 1

    @looped("notice", [StaleNotice(now=10**12), StaleNotice(updated_at=1)])
    def test_without_both_times_it_is_silent(self, notice: StaleNotice) -> None:
        assert render(notice) == ""

    def test_a_clock_that_is_behind_makes_nothing_stale(self) -> None:
        assert render(StaleNotice(updated_at=10**12, now=1)) == ""

    def test_times_may_come_from_the_context(self) -> None:
        context = RenderContext().with_value(HudState(updated_at=1)).with_value(Now(43 * MINUTE))
        assert "40 min ago" in render(StaleNotice(), context=context)


class Risk(HudItem):
    """Something that may go wrong."""

    what: Line


class Risks(ItemsSection[Risk]):
    """What may go wrong."""

    name = "risks"
    lines: ClassVar[Mapping[str, Any]] = {"full": "{what}"}


class Service(HudValue):
    """What is looked after."""

    title: Line


class ServiceSection(ValueSection[Service]):
    """What is looked after."""

    name = "service"
    lines: ClassVar[Mapping[str, Any]] = {"full": "{title}"}


def hint_of(*sections: type[HudSection]) -> str:
    """What a session of a domain with these sections is told behind a compaction."""
    state = Domain("other", (*sections, Hints)).state(session=SessionInfo(id="s", compactions=1))
    text = render(Hud.of(state))
    assert render(parse(text)) == text
    assert render(Hud()[Hints()], context=RenderContext().with_value(state)) == text
    return text.rpartition(": ")[2]


class TestHintsOfOtherDomains:
    def test_name_an_operation_that_there_is(self) -> None:
        assert hint_of(Risks) == "`hud risks.add`\n"
        assert hint_of(ServiceSection, Risks, NotesSection) == "`hud notes.add`\n"
        assert hint_of(ServiceSection) == "`hud help`\n"


class TestHints:
    def test_a_session_without_any_record_is_new(self) -> None:
        state = HudState(session=SessionInfo(id="s"))
        assert render(Hints(hints=hints_for(state))) == (
            "A new session begins with nothing recorded: `hud help`\n"
        )

    @looped(
        "recorded",
        [
            {"task": Task(description="a")},
            {"notes": (Note(content="a"),)},
            {"active_files": (ActiveFile(path="a"),)},
        ],
    )
    def test_a_session_with_a_record_is_not_new(self, recorded: dict[str, object]) -> None:
        assert "new" not in hints_for(HudState(session=SessionInfo(id="s"), **recorded))  # type: ignore[arg-type]

    def test_nothing_is_said_of_a_state_without_a_session(self) -> None:
        assert hints_for(HudState()) == ()

    def test_after_a_compaction_it_says_so_until_there_is_a_trend_again(self) -> None:
        reading = UsageReading(used=1)
        for readings, says in [((), True), ((reading,), True), ((reading, reading), False)]:
            state = HudState(session=SESSION, readings=readings)
            assert ("compacted" in hints_for(state)) is says

    def test_a_hosts_own_reading_with_a_trend_is_past_the_compaction(self) -> None:
        state = HudState(session=SESSION)
        assert hints_for(state, ContextUsage(used=1)) == ("compacted",)
        assert hints_for(state, ContextUsage(used=1, trend="stable")) == ()

    def test_what_shows_all_is_told_at_compact_alone(self) -> None:
        hints = Hints(hints=hints_for(HudState(notes=(Note(content="a"),))))
        assert render(hints, density="compact") == "Full state: `hud snapshot`\n"
        assert render(hints, density="minimal") == render(hints) == ""


class TestAge:
    @looped(
        ("milliseconds", "words"),
        [
            (0, "less than 5 min"),
            (5 * MINUTE - 1, "less than 5 min"),
            (5 * MINUTE, "5 min"),
            (119 * MINUTE, "115 min"),
            (120 * MINUTE, "2 h"),
            (47 * 60 * MINUTE, "47 h"),
            (48 * 60 * MINUTE, "2 days"),
        ],
    )
    def test_is_rounded_down(self, milliseconds: int, words: str) -> None:
        session = SessionInfo(id="s", title="Sign-in", started_at=1)
        told = render(SessionLine(session=session, now=1 + milliseconds))
        assert f" · began {words} ago" in told
