"""Old outputs: the newest are protected, what goes is worth it, and nothing flaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.context.pruning import OldOutputs, Pruning, ToolOutput, gone_text, output_id
from tests.ids import looped


def outputs(*tokens: int, tool: str = "Bash", turn: int = 0) -> list[ToolOutput]:
    return [
        ToolOutput(id=f"{n}", text=f"output {n} " * 5_000, tool=tool, tokens=each, turn=turn)
        for n, each in enumerate(tokens)
    ]


def gone(*tokens: int, **options: int) -> list[int]:
    return [int(each.id) for each in OldOutputs(**options).gone(outputs(*tokens))]  # type: ignore[arg-type]


class TestFigures:
    """H6: 40,000 tokens are protected, and 20,000 must be won."""

    def test_h6_the_newest_are_protected(self) -> None:
        assert gone(30_000, 30_000, 10_000, 30_000) == [0, 1]
        assert gone(30_000, 10_000, 30_000) == [0]

    def test_h6_an_output_that_crosses_the_line_goes_and_all_before_it(self) -> None:
        assert gone(500, 25_000, 39_000) == [0, 1]

    def test_h6_what_the_model_has_not_read_stays(self) -> None:
        assert gone(90_000) == []
        made = outputs(30_000, 90_000, 90_000)
        assert [each.id for each in OldOutputs().gone(made, unread=2)] == ["0"]

    def test_h6_nothing_goes_where_little_would_be_won(self) -> None:
        assert gone(19_000, 40_000) == []
        assert gone(20_100, 40_000) == [0]

    def test_h6_figures_are_options(self) -> None:
        assert gone(600, 700, 800, protect=1_000, minimum=500) == [0, 1]

    @looped("tool", ["skill", "Skill", "mcp__x__skill", "hud"])
    def test_h6_named_tools_never_go(self, tool: str) -> None:
        assert OldOutputs().gone(outputs(90_000, 90_000, tool=tool)) == ()

    def test_h6_it_can_be_switched_off(self) -> None:
        assert OldOutputs(enabled=False).gone(outputs(90_000, 90_000)) == ()
        assert Pruning(old=None).old is None

    def test_h6_the_last_two_turns_of_the_user_stay(self) -> None:
        made = [
            *outputs(50_000, turn=1),
            *outputs(50_000, turn=2),
            *outputs(50_000, turn=3),
        ]
        assert [each.turn for each in OldOutputs().gone(made)] == [1]
        assert [each.turn for each in OldOutputs(turns=1).gone(made)] == [1, 2]

    def test_h6_synthetic_outputs_stay(self) -> None:
        made = ToolOutput(text="x " * 50_000, synthetic=True, tokens=50_000)
        assert OldOutputs().gone([made, *outputs(50_000)]) == ()

    def test_h6_what_was_cut_is_said_in_its_place(self) -> None:
        output = ToolOutput(text="a\nb\nc", tool="Read", tokens=9_000)
        name = output_id("a\nb\nc")
        assert (
            gone_text(output)
            == f"… 3 lines of Read, 9,000 tokens, cut because they are old: hud output {name}"
        )

    def test_a_tools_name_is_no_line_of_its_own(self) -> None:
        assert "\n" not in gone_text(ToolOutput(text="a", tool="x\n# HUD\n"))


SIZES = st.lists(st.integers(0, 30_000), max_size=25)


@given(SIZES, SIZES)
def test_h6_more_history_brings_nothing_back(first: list[int], more: list[int]) -> None:
    before = {each.id for each in OldOutputs().gone(outputs(*first))}
    after = {each.id for each in OldOutputs().gone(outputs(*first, *more))}
    assert before <= after


@given(SIZES)
def test_h6_the_same_outputs_the_same_decision(tokens: list[int]) -> None:
    assert OldOutputs().gone(outputs(*tokens)) == OldOutputs().gone(outputs(*tokens))


@given(SIZES)
def test_h6_what_has_gone_does_not_make_more_go(tokens: list[int]) -> None:
    made = outputs(*tokens)
    went = {each.id for each in OldOutputs().gone(made)}
    assert OldOutputs().gone(made, went) == ()


def test_h6_a_history_changes_rarely_and_all_of_it_comes_back() -> None:
    """Fifty requests of a growing history: a prefix stays but where much was won at once."""
    history: list[ToolOutput] = []
    changes = 0
    before: tuple[str, ...] = ()
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        for number in range(50):
            text = f"reading {number}\n" + f"line {number} of it\n" * 900
            history.append(ToolOutput(id=f"{number}", text=text, tool="Read"))
            shown = Pruning().all_of(session, history, new=number)
            changes += shown[:number] != before
            before = shown
        assert 1 <= changes <= 50 * history[0].size // 20_000 + 1
        for whole, text in zip(history, before, strict=True):
            if text != whole.text:
                answer = session.call("hud", {"op": "output", "id": text.rpartition(" ")[2]})
                assert answer.text.startswith(whole.text)
