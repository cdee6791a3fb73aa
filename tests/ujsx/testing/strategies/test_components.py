"""Components with any valid props: for every kind of schema, and never outside of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from pydantic import Field, PlainValidator

from tests.ids import looped
from tests.ujsx.testing.strategies.zoo import (
    ALL,
    Compounds,
    Optional,
    Required,
    Scalars,
    Times,
    Tree,
)
from ujsx import Child, Children, Component, RenderContext, StrategyError, component, render
from ujsx.elements import PRIMITIVES, strong
from ujsx.testing.strategies import INJECTIONS, components, hostile_texts

UNSHRUNK = settings(max_examples=5_000, phases=[Phase.generate])


@component
def Badge(ctx: RenderContext, children: Children, *, label: str, loud: bool = False) -> Child:
    """A label."""
    return strong(label) if loud else label


def nesting(tree: Tree) -> int:
    inner = [*tree.kids, *tree.named.values(), *([tree.next] if tree.next else [])]
    return 1 + max(map(nesting, inner), default=0)


class TestComponents:
    @pytest.mark.parametrize(
        "kind", [*ALL, Badge, *PRIMITIVES.values()], ids=lambda each: each.__name__
    )
    def test_are_of_the_class_and_values_like_any_other(self, kind: type[Component]) -> None:
        @settings(max_examples=10)
        @given(made=components(kind))
        def check(made: Component) -> None:
            assert type(made) is kind
            assert made == made.model_copy()
            assert hash(made) == hash(made.model_copy())

        check()

    @given(made=components(Scalars))
    def test_keep_to_the_constraints(self, made: Scalars) -> None:
        assert len(made.short) <= 3
        assert len(made.long) >= 40
        assert len(made.exact) == 5
        assert re.fullmatch("[a-z]+(-[a-z]+)*", made.slug)
        assert 1 <= made.whole <= 6
        assert made.odd in {7, 14}
        assert 0 < made.share < 1
        assert made.price == round(made.price, 2) > 0

    @given(made=components(Compounds))
    def test_keep_to_what_validators_check(self, made: Compounds) -> None:
        assert made.span.start <= made.span.end
        assert 2 <= len(made.few) <= 3
        assert made.huge == 10**20 + 2

    @given(made=components(Times))
    def test_do_not_depend_on_the_clock(self, made: Times) -> None:
        assert made.past.year <= 2000
        assert made.future.year >= 3000
        assert made.aware.tzinfo is not None
        assert made.naive.tzinfo is None

    @given(made=components(Tree))
    def test_lie_in_each_other_three_deep_at_most(self, made: Tree) -> None:
        assert nesting(made) <= 3

    def test_reach_what_is_rare(self) -> None:
        assert find(components(Tree), lambda made: made.label in INJECTIONS, settings=UNSHRUNK)
        alone = components(Tree, kids=st.just(()), named=st.just({}))
        assert find(alone, lambda made: made.next is not None, settings=UNSHRUNK)

    def test_leave_optional_props_out_at_times(self) -> None:
        assert find(
            components(Optional), lambda made: made.model_fields_set == {"count"}, settings=UNSHRUNK
        )
        assert find(
            components(Optional), lambda made: len(made.model_fields_set) == 2, settings=UNSHRUNK
        )

    @given(made=components(Badge, label=st.just("x")))
    def test_take_the_callers_values(self, made: Component) -> None:
        assert render(made).strip("*\n") == "x"

    @given(made=components(Tree, label=st.just("x")))
    def test_take_the_callers_values_for_those_inside_too(self, made: Tree) -> None:
        assert {each.label for each in (made, *made.kids)} == {"x"}


class TestRefused:
    def test_is_a_prop_that_does_not_exist(self) -> None:
        with pytest.raises(StrategyError, match=r'Tree.labl: no such prop; did you mean "label"'):
            components(Tree, labl=st.text())

    def test_is_a_prop_of_which_the_schema_says_nothing(self) -> None:
        class Button(Component):
            on: Callable[[], None]
            off: Annotated[int, PlainValidator(int)] = 0

        with pytest.raises(StrategyError, match=r"Button.on: nothing is known .* 'callable'.*give"):
            components(Button)
        with pytest.raises(StrategyError, match=r"Button.off: its validator function does not say"):
            components(Button, on=st.just(print))
        made = components(Button, on=st.just(print), off=st.just(1))
        assert find(made, lambda _: True).on is print

    def test_is_a_prop_inside_a_prop_by_its_path(self) -> None:
        class Inner(Component):
            on: Callable[[], None]

        class Outer(Component):
            inner: tuple[Inner, ...]

        with pytest.raises(StrategyError, match=r"^Outer.inner / Inner.on: nothing is known"):
            components(Outer)

    def test_is_a_pattern_that_python_cannot_read(self) -> None:
        class Word(Component):
            word: Annotated[str, Field(pattern=r"^\p{L}+$")]

        with pytest.raises(StrategyError, match=r"Word.word: Python's re cannot read .*p\{L\}"):
            components(Word)

    def test_is_a_component_that_never_ends(self) -> None:
        with pytest.raises(StrategyError, match="Required: it holds itself without end"):
            components(Required)


class TestHostileTexts:
    @given(data=st.data(), least=st.integers(0, 30), more=st.none() | st.integers(0, 30))
    def test_are_as_long_as_they_must_be(self, data: Any, least: int, more: int | None) -> None:
        most = None if more is None else least + more
        text = data.draw(hostile_texts(least, most))
        assert least <= len(text) <= (len(text) if most is None else most)
        text.encode()

    @looped("part", ["\n## System", "```", "</hud>", "\u200f", "🏽", "任务", "\u2028"])
    def test_have_what_attacks(self, part: str) -> None:
        assert part in find(hostile_texts(), lambda text: part in text)
