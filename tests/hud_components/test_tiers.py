"""How many tokens a HUD has at each density, and what it says then."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import settings

from hud_components import (
    BUDGETS,
    ActiveFile,
    Blocker,
    Check,
    ContextUsage,
    Decision,
    ErrorRecord,
    Fact,
    Hud,
    HudState,
    Note,
    Step,
    Task,
    parse,
    room_for,
)
from tests.benchmarks.budget_laws import generated_state
from tests.hud_components.hostile import hostile_state, own_hud
from tests.ids import looped
from ujsx import Child, Density, RenderContext, Rendered, render, render_document
from ujsx.errors import CounterError
from ujsx.tokens import ExactCounter, TokenCounter, doubt, rs_bpe_counter

DRAWN = HudState(
    task=Task(description="Implement auth"),
    decisions=(
        Decision(id="d-1", summary="Using JWT over sessions", label="JWT"),
        Decision(id="d-2", summary="bcrypt for password hashing", label="bcrypt"),
        Decision(id="d-3", summary="Rate limit: 100/min", label="100/min"),
    ),
    active_files=(
        ActiveFile(path="src/auth/mod.ts", status="editing"),
        ActiveFile(path="src/auth/jwt.ts", status="referenced"),
        ActiveFile(path="src/db/schema.ts", status="referenced"),
    ),
    next_steps=(
        Step(id="s-1", description="Add refresh token rotation", completed=True),
        Step(id="s-2", description="Write auth middleware", order=1),
        Step(id="s-3", description="Add tests", order=2),
    ),
    notes=(
        Note(id="n-1", content="DB schema: users, sessions"),
        Note(id="n-2", content="Env vars: JWT_SECRET, DB_URL"),
    ),
)
"""The session that the HUD's design document draws at three densities."""

DRAWINGS = {
    (62_000, Density.FULL): """\
# HUD

## Task

Implement auth

## Decisions

- Using JWT over sessions
- bcrypt for password hashing
- Rate limit: 100/min

## Notes

- DB schema: users, sessions
- Env vars: JWT_SECRET, DB_URL

## Active files

- `src/auth/mod.ts` (editing)
- `src/auth/jwt.ts` (referenced)
- `src/db/schema.ts` (referenced)

## Next steps

1. ~~Add refresh token rotation~~
2. Write auth middleware
3. Add tests

🟢 Context: 31% used (62,000 / 200,000 tokens), growing
""",
    (144_000, Density.COMPACT): """\
# HUD

**Task:** Implement auth

**Decisions:** JWT · bcrypt · 100/min

**Notes:** DB schema: users, sessions · Env vars: JWT_SECRET, DB_URL

**Active files:** `src/auth/mod.ts` (editing) · `src/auth/jwt.ts` (referenced) · `src/db/schema.ts` (referenced)

**Next steps:** ~~Add refresh token rotation~~ · Write auth middleware · Add tests

Full state: `hud snapshot`

🟡 Context: 72% used, growing. A compaction is possible; what the HUD holds survives it: `hud_compact`
""",
    (178_200, Density.MINIMAL): """\
**Task:** Implement auth · *3 decisions · 3 files: jwt.ts, schema.ts*

**Next:** Write auth middleware *1 more*

⚠ 89% used: compaction is near
""",
}


def shown(state: HudState, density: Density | None = None) -> Rendered:
    """Return the HUD of a state as a session shows it."""
    hud = Hud.of(state)
    _, rendered = room_for(state.usage, density).fill(
        lambda room: render_document(hud, density=room.density, budget=room.budget)
    )
    return rendered


def filled(hud: Child, context: RenderContext | None = None) -> Rendered:
    """Return a HUD at minimal density, within its room."""
    _, rendered = room_for(None, Density.MINIMAL).fill(
        lambda room: render_document(hud, density=room.density, budget=room.budget, context=context)
    )
    return rendered


def counted(rendered: Rendered) -> int:
    """Return the exact tokens of a HUD that count; where nothing can count them, as many as there may be."""
    try:
        count = rs_bpe_counter()
    except CounterError:
        return rendered.budgeted + doubt(rendered.budgeted_text)
    return count(rendered.budgeted_text)


def floors(state: HudState) -> int:
    """Return the tokens of what is shown in any case, whatever there is room for."""
    kept = HudState(blockers=state.blockers, compacted_context=state.compacted_context)
    return render_document(Hud.of(kept), density="minimal").tokens


class TestDrawings:
    """What the founding document draws for 31 %, 72 % and 89 %."""

    @looped(("used", "density"), DRAWINGS)
    def test_are_what_is_shown(self, used: int, density: Density) -> None:
        state = DRAWN.model_copy(update={"usage": ContextUsage(used=used, trend="growing")})
        assert room_for(state.usage).density is density
        assert shown(state).text == DRAWINGS[used, density]

    @looped(("used", "density"), DRAWINGS)
    def test_are_read_back(self, used: int, density: Density) -> None:
        state = DRAWN.model_copy(update={"usage": ContextUsage(used=used, trend="growing")})
        text = render(Hud.of(state), density=density)
        assert render(parse(text), density=density) == text


class TestTiers:
    COUNT = min(1_000, 2 * settings.default.max_examples)

    @pytest.mark.hypothesis  # random states: "make laws" looks at more of them
    @pytest.mark.parametrize("density", Density)
    def test_are_never_above_their_ranges_nor_below_while_something_is_left_out(
        self, density: Density
    ) -> None:
        source, below = random.Random(density.rank), 0
        for _ in range(self.COUNT):
            state = generated_state(source)
            rendered, tier = shown(state, density), BUDGETS[density]
            assert rendered.tokens <= tier.most + floors(state), rendered.text
            hidden = [each for each in rendered.omitted if each.what == "items"]
            below += bool(hidden) and rendered.tokens < tier.least
        assert below <= 1 + self.COUNT / 100  # the next item alone may be longer than what is left

    @looped(
        ("told", "shown_as"),
        [
            (
                {"facts": (Fact(name="branch", value="feature/auth"),)},
                "1 fact: branch: feature/auth",
            ),
            ({"checks": (Check(command="npm test", result="fail"),)}, "1 check: npm test: fail"),
        ],
    )
    def test_minimal_has_room_for_the_newest_check_or_fact(
        self, told: dict[str, Any], shown_as: str
    ) -> None:
        rendered = shown(HudState(task=Task(description="Add a login"), **told), Density.MINIMAL)
        assert rendered.text == f"**Task:** Add a login · *{shown_as}*\n"
        assert not [each for each in rendered.omitted if each.what == "items"]
        again = render(
            parse(rendered.text), density="minimal", budget=BUDGETS[Density.MINIMAL].most
        )
        assert again == rendered.text

    def test_minimal_is_read_back_where_several_name_their_newest(self) -> None:
        state = HudState(
            decisions=(Decision(summary="d"),),
            notes=(Note(content="a"),),
            active_files=(ActiveFile(path="f.py"),),
        )
        text = shown(state, Density.MINIMAL).text
        assert text == "*1 decision: d · 1 note: a · 1 file: f.py*\n"
        assert [type(each).__name__ for each in parse(text).children] == [
            "DecisionsList",
            "NotesSection",
            "ActiveFiles",
        ]

    LONG = (
        ("task", Task(description=f"Fix {'it, and then the next of them, ' * 40}")),
        ("notes", (Note(id="n-1", content="所有分片保留一个租约" * 60),)),
        ("decisions", (Decision(id="d-1", summary="Один договор на шард " * 40),)),
        ("next_steps", (Step(id="s-1", description="Read the ledger, then park it. " * 40),)),
        (
            "errors",
            (ErrorRecord(id="e-1", message="E0308: mismatched types at src/lib.rs:1 " * 40),),
        ),
        ("blockers", (Blocker(id="b-1", description="The key is with operations. " * 40),)),
        ("facts", (Fact(name="branch", value="feature/" + "a-long-name-" * 60),)),
    )

    @looped("density", Density)
    @looped(("field", "value"), LONG)
    def test_a_text_that_is_longer_than_its_tier_fills_it(
        self, field: str, value: Any, density: Density
    ) -> None:
        rendered, tier = shown(HudState(**{field: value}), density), BUDGETS[density]
        assert tier.least <= rendered.tokens <= tier.most or not rendered.omitted
        again = render(parse(rendered.text), density=density, budget=tier.most)
        assert again == rendered.text

    @pytest.mark.hypothesis
    def test_minimal_is_at_most_three_lines(self) -> None:
        source = random.Random(3)
        for _ in range(self.COUNT):
            state = generated_state(source).model_copy(update={"blockers": ()})
            blocks = shown(state, Density.MINIMAL).text.strip("\n").split("\n\n")
            assert len(blocks) <= 3, blocks

    @pytest.mark.parametrize("used", [0, 150_000, 180_000, 190_000])
    def test_whatever_is_pasted_has_its_ceiling(self, used: int) -> None:
        pasted = "a line of a log that somebody pasted\n" * 1_000
        state = HudState(
            task=Task(description=pasted, goal=pasted),
            decisions=(Decision(id="d-1", summary=pasted, details=pasted),),
            notes=(Note(id="n-1", content=pasted),),
            next_steps=(Step(id="s-1", description=pasted),),
            blockers=(Blocker(id="b-1", description=pasted),),
            compacted_context=pasted,
            usage=ContextUsage(used=used),
        )
        rendered = shown(state)
        assert rendered.tokens < 500
        assert {"TaskSection", "NextSteps"} <= {each.section for each in rendered.omitted}
        assert all(each.handle for each in rendered.omitted)

    def test_only_the_number_of_what_stays_shown_passes_a_ceiling(self) -> None:
        blockers = tuple(Blocker(id=f"b-{n}", description="word " * 90) for n in range(50))
        rendered = shown(HudState(blockers=blockers), Density.MINIMAL)
        assert rendered.over_budget
        assert rendered.tokens < 50 * 40


class TestHostileTexts:
    """Minimal is bounded on the whole text, whatever the texts are."""

    COUNT = min(400, 4 * settings.default.max_examples)

    @pytest.mark.hypothesis
    def test_pass_no_exact_token_of_minimal_that_is_not_shown_in_any_case(self) -> None:
        most = BUDGETS[Density.MINIMAL].most
        for seed in range(self.COUNT):
            source = random.Random(seed)
            for rendered in (
                shown(hostile_state(source), Density.MINIMAL),
                filled(own_hud(source)),
            ):
                assert counted(rendered) <= most, rendered.text

    def test_are_no_matter_to_an_exact_counter(self) -> None:
        notes = Hud.of(HudState(notes=(Note(content="}{" * 60),)))
        exact = ExactCounter("four characters", lambda text: len(text) // 4)

        def within(counter: TokenCounter) -> int:
            return filled(notes, RenderContext(count_tokens=counter)).budgeted

        assert within(exact) > within(exact.count)


class TestRight:
    def test_after_a_compaction_the_hud_is_not_thinnest(self) -> None:
        assert room_for(None).density is Density.FULL

    def test_off_is_for_no_ceiling(self) -> None:
        assert room_for(ContextUsage(used=150_000), budget="off") == (Density.COMPACT, None)

    def test_a_number_decides_alone(self) -> None:
        assert room_for(ContextUsage(used=190_000), budget=700) == (None, 700)
