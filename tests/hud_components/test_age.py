"""What grows old shows its age by turns, gives up its room first, and leaves."""

from __future__ import annotations

from typing import Any

import pytest

from hud_components import (
    ActiveFile,
    Check,
    ChecksList,
    CompactedContext,
    ContextUsage,
    ErrorRecord,
    Hud,
    HudState,
    NextSteps,
    Note,
    Step,
    Task,
    Utterance,
    parse,
)
from hud_components.words import SUMMARY_AGES
from tests.ids import looped
from ujsx import Density, RenderContext, Rendered, render, render_document

SUMMARY = "Goal: sign-in.\n\n## Pending Tasks\n\n- Write the schema\n\n" + "Done. " * 400

FULL = {
    "task": Task(description="Move the ledger to the new host before the end of the month " * 3),
    "notes": tuple(Note(id=f"n-{n}", content=f"Note {n} " + "words " * 20) for n in range(30)),
    "active_files": tuple(ActiveFile(path=f"src/app/file_{n}.py") for n in range(20)),
    "next_steps": (Step(id="s-1", description="Write the schema of the ledger " * 3),),
}


def aged(age: int, **more: Any) -> HudState:
    given = {"task": Task(description="Move the ledger"), "notes": (Note(content="Port 8080"),)}
    old = {"compacted_context": SUMMARY, "compacted_in": 4, "summary_age": age}
    return HudState(**{**given, **old, **more})


def shown(state: HudState, density: Density, budget: int) -> Rendered:
    return render_document(Hud.of(state), density=density, budget=budget)


class TestSummaries:
    @looped("density", list(Density))
    def test_shrink_with_each_step_and_leave(self, density: Density) -> None:
        sizes = [
            render_document(Hud.of(aged(age)), density=density).tokens
            for age in range(len(SUMMARY_AGES) + 1)
        ]
        assert sizes == sorted(sizes, reverse=True)
        assert "before the compaction" not in render(Hud.of(aged(3)), density=density).lower()
        assert SUMMARY[:10] in render(Hud.of(aged(1))), "a line"
        assert "a summary from before the compaction: `hud snapshot`" in render(Hud.of(aged(2)))

    @looped("age", [1, 2, 3])
    @looped("density", list(Density))
    def test_never_open_a_hud_when_they_are_old(self, age: int, density: Density) -> None:
        text = render(Hud.of(aged(age)), density=density)
        place = text.lower().find("before the compaction")
        assert place == -1 or place > text.find("Move the ledger")

    @looped("age", [0, 1, 2, 3])
    def test_never_take_a_minimal_hud_out_of_its_range(self, age: int) -> None:
        for more in ({}, FULL):
            assert shown(aged(age, **more), Density.MINIMAL, 48).tokens <= 48

    @looped("age", [0, 1, 2])
    @looped("density", list(Density))
    def test_are_read_back(self, age: int, density: Density) -> None:
        made = CompactedContext(text=SUMMARY, age=age)
        text = render(made, density=density)
        read = made.as_shown(density)
        assert parse(text).children == (read,)
        assert render(read, density=density) == text

    @looped("age", [0, 1, 2, 3])
    def test_are_as_old_in_a_layout_as_in_the_state(self, age: int) -> None:
        context = RenderContext().with_value(aged(age))
        own = CompactedContext.of_state(aged(age))
        alone = render(Hud(title="")[CompactedContext()], context=context)
        assert alone == ("" if own is None else render(Hud(title="")[own]))

    def test_stay_where_they_are_between_two_steps(self) -> None:
        one, other = aged(1), aged(1, notes=(Note(content="Port 8080"), Note(content="TLS")))
        titles = [
            [section.name for section in render_document(Hud.of(state)).sections]
            for state in (one, other)
        ]
        assert titles[0] == titles[1]


class TestChecks:
    def test_a_pass_before_later_edits_says_so_at_every_density(self) -> None:
        old = Check(command="npm test", result="pass", in_turn=8, edited_since=True)
        made = ChecksList(checks=(old, Check(command="npm run lint", result="fail", in_turn=9)))
        assert "- `npm test`: pass in turn 8, before later edits\n" in render(made)
        assert "`npm test`: pass, before later edits · `npm run lint`: fail" in render(
            made, density="compact"
        )
        text = render_document(Hud()[made], density="minimal", budget=48).text
        assert text == "*2 checks: npm test: old pass, npm run lint: fail*\n"
        assert render(parse(text), density="minimal", budget=48) == text

    @looped("density", ["full", "compact"])
    def test_is_read_back(self, density: Any) -> None:
        old = Check(command="npm test", result="pass", in_turn=8, edited_since=True)
        made = ChecksList(checks=(old,))
        assert parse(render(made, density=density)).children == (made.as_shown(density),)


class TestPlans:
    def test_of_which_nothing_is_open_give_way_to_all_else(self) -> None:
        done = tuple(
            Step(id=f"s-{n}", description=f"Step {n} " * 9, completed=True, order=n)
            for n in range(9)
        )
        state = HudState(**{**FULL, "next_steps": done})
        without = HudState(**{**FULL, "next_steps": ()})
        for density, budget in ((Density.FULL, 480), (Density.COMPACT, 144), (Density.MINIMAL, 48)):
            assert shown(state, density, budget).text == shown(without, density, budget).text
        bound = RenderContext().with_value(state)
        assert render_document(Hud(), density="minimal", budget=48, context=bound).text == (
            shown(without, Density.MINIMAL, 48).text
        )
        assert render(NextSteps(steps=done), density="minimal") == "All 9 steps done\n"

    @looped("density", list(Density))
    @looped("limit", [None, 1, 2])
    def test_from_before_a_compaction_has_one_mark_that_is_read_back(
        self, density: Density, limit: int | None
    ) -> None:
        steps = (
            Step(id="s-1", description="Write the schema", completed=True, order=1),
            Step(id="s-2", description="Add a *login*", order=2),
            Step(id="s-3", description="Ship", order=3),
        )
        state = aged(0, next_steps=steps, unconfirmed=("next_steps",))
        section = NextSteps(steps=steps, limit=limit).as_set(state)
        text = render(section, density=density)
        assert text.count("*(unconfirmed)*") == 1
        [back] = parse(text).children
        assert back == section.as_shown(density)
        assert render(back, density=density) == text
        bound = render(
            NextSteps(limit=limit), density=density, context=RenderContext().with_value(state)
        )
        assert bound == text

    def test_without_an_open_step_has_no_mark(self) -> None:
        done = (Step(id="s-1", description="Write the schema", completed=True),)
        state = aged(0, next_steps=done, unconfirmed=("next_steps",))
        assert all("unconfirmed" not in render(Hud.of(state), density=each) for each in Density)

    def test_from_before_a_compaction_keep_their_next_step_alone_as_its_summary_ages(self) -> None:
        steps = tuple(
            Step(id=f"s-{n}", description=f"Step {n} of the plan", order=n) for n in range(3)
        )
        more = {**FULL, "next_steps": steps, "unconfirmed": ("next_steps",)}
        shows = [shown(aged(age, **more), Density.FULL, 200).text for age in (0, 1)]
        assert ["Step 0" in text for text in shows] == [True, True]
        assert ["Step 2" in text for text in shows] == [True, False]
        assert "Step 2" in render(Hud.of(aged(1, **more))), "where there is room"


class TestNames:
    """What is minimal names what it can, and counts the rest."""

    def test_the_newest_files_and_the_failing_check_are_named(self) -> None:
        state = HudState(
            task=Task(description="Move the ledger"),
            active_files=tuple(
                ActiveFile(path=f"src/app/{name}", last_accessed=n)
                for n, name in enumerate(("old.py", "new.py", "ledger.py", "index.ts", "host.py"))
            ),
            checks=(
                Check(command="npm run lint", result="fail"),
                Check(command="npm test", result="pass"),
            ),
            next_steps=(Step(id="s-1", description="Write the schema"),),
        )
        text = shown(state, Density.MINIMAL, 60).text
        assert text == (
            "**Task:** Move the ledger · *5 files: new.py, ledger.py, app/index.ts, host.py"
            " · 2 checks: npm run lint: fail, npm test: pass*\n\n**Next:** Write the schema\n"
        )
        assert render(parse(text), density="minimal", budget=60) == text
        assert "npm run lint: fail" in shown(state, Density.MINIMAL, 48).text
        assert "host.py" in shown(state, Density.MINIMAL, 48).text

    @pytest.mark.parametrize("is_bound", [False, True])
    def test_a_failing_check_is_named_beside_files_and_never_only_counted(
        self, is_bound: bool
    ) -> None:
        state = HudState(
            task=Task(description="Move the ledger to the new host " * 4),
            active_files=FULL["active_files"],
            errors=(ErrorRecord(message="npm test: 3 failed"),),
            checks=(
                Check(command="npm test", result="fail"),
                *(Check(command=f"npm run {n}", result="pass") for n in range(3)),
            ),
        )
        bound = RenderContext().with_value(state)
        hud: Any = Hud() if is_bound else Hud.of(state)
        texts = {
            budget: render_document(hud, density="minimal", budget=budget, context=bound).text
            for budget in range(20, 60)
        }
        assert "4 checks: npm test: fail" in texts[40]
        assert "20 files" in texts[40]
        assert all("checks: npm test" in text or "checks" not in text for text in texts.values())

    @looped("budget", [20, 30, 60])
    def test_a_short_command_that_ran_lately_is_named_and_read_back(self, budget: int) -> None:
        ran = ("make lint && make types && make test", "make test", "git log --oneline | head")
        where: tuple[Utterance, ...] = (
            *(Utterance(speaker="ran", text=each) for each in ran),
            Utterance(speaker="agent", text="All of it passes. Shall I push?"),
        )
        text = shown(HudState(where=where), Density.MINIMAL, budget).text
        assert text == "**Ran:** make test\n"
        assert render(parse(text), density="minimal", budget=budget) == text
        assert shown(HudState(where=where[3:]), Density.MINIMAL, budget).text == ""

    def test_names_come_before_how_full_the_context_is(self) -> None:
        state = HudState(
            task=Task(description="Move the ledger to the new host before the end of the month"),
            active_files=FULL["active_files"],
            checks=tuple(
                Check(command=f"npm run {each}", result="pass") for each in ("lint", "test")
            ),
            usage=ContextUsage(used=20_000),
        )
        named = "npm run lint: pass, npm run test: pass"
        texts = [shown(state, Density.MINIMAL, budget).text for budget in range(20, 80)]
        is_named = [named in text for text in texts]
        tells_usage = ["10% used" in text for text in texts]
        assert is_named.index(True) < tells_usage.index(True)
        assert is_named == sorted(is_named)

    @looped(
        "paths",
        [
            ("a/x.py", "b/x.py", "c.py"),
            ("a, b/x.py", "a/y, z.py", "c.py"),
            ("a · b.py", "c.py"),
            ("a, b.py",),
            ("/", "\\", "a/"),
            ("C:\\work\\app\\x.py", "C:\\work\\lib\\x.py"),
            ("a" * 300 + "/" + "b" * 300, "x/" * 200 + "c.py"),
            ("1 file: a", "2 checks: b: fail"),
        ],
    )
    def test_names_are_read_back_whatever_they_are(self, paths: tuple[str, ...]) -> None:
        state = HudState(active_files=tuple(ActiveFile(path=path) for path in paths))
        for budget in (10, 20, 48, 400):
            text = render_document(Hud.of(state), density="minimal", budget=budget).text
            assert render_document(parse(text), density="minimal", budget=budget).text == text

    def test_a_pinned_list_says_its_newest_before_others_or_that_it_cannot(self) -> None:
        state = HudState(
            task=Task(description="Move the ledger to the new host " * 4),
            notes=tuple(Note(id=f"n-{n}", content=f"Port {8000 + n}") for n in range(3)),
            active_files=FULL["active_files"],
            next_steps=FULL["next_steps"],
            pinned_sections=("notes",),
        )
        assert "Port 8002" in shown(state, Density.MINIMAL, 48).text
        texts = {n: shown(state, Density.MINIMAL, n).text for n in range(20, 60)}
        assert any("*3 notes, pinned*" in text for text in texts.values())
        for budget, text in texts.items():
            named = "**Notes:**" in text or "- Port" in text or "Port 8002" in text
            assert named or "notes" not in text or "notes, pinned" in text
            assert named or "20 files" not in text, "it is named before others are counted"
            if "notes, pinned" in text:
                read = parse(text)
                assert render_document(read, density="minimal", budget=budget).text == text
