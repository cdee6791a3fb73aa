"""``TransformRegistry``: rules by direction and class."""

from __future__ import annotations

from typing import Any

import pytest

from ujsx import (
    Component,
    DefinitionError,
    Element,
    MissingRuleError,
    Renderer,
    RenderError,
    TransformRegistry,
    elements,
    fragment,
    from_mdast,
    mdast,
    registry,
    to_mdast,
)
from ujsx.elements import Item, List, Paragraph, Section, Strong, strong


class Hashtag(Component):
    word: str


class Mention(Hashtag):
    pass


def shout(element: Element[Hashtag], transform: Any) -> mdast.Text:
    return mdast.Text(element.component.word.upper())


def plain_text() -> TransformRegistry:
    """A registry of a direction of its own: trees as words in brackets."""
    made = TransformRegistry()

    @made.rule("ujsx -> words", str)
    def text(node: str, transform: Any) -> str:
        return node

    @made.rule("ujsx -> words", Component)
    def any_component(element: Element, transform: Any) -> str:
        name = type(element.component).__name__
        return f"({name} {' '.join(transform.all(element.children))})"

    return made


class TestRule:
    def test_is_found_by_class(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        assert mine.transform("ujsx -> mdast", Hashtag(word="a")) == mdast.Text("A")

    def test_serves_several_classes(self) -> None:
        mine = TransformRegistry()
        mine.rule("a -> b", Strong, Paragraph)(lambda element, transform: "x")
        assert mine.transform("a -> b", Strong()) == mine.transform("a -> b", Paragraph()) == "x"

    def test_is_found_by_the_nearest_base_class(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("A")

    def test_of_the_class_itself_goes_before_that_of_its_base(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        mine.rule("ujsx -> mdast", Mention)(lambda element, transform: mdast.Text("@"))
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("@")

    def test_that_comes_later_replaces_an_earlier_one(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("A")
        mine.rule("ujsx -> mdast", Hashtag)(lambda element, transform: mdast.Text("later"))
        assert mine.transform("ujsx -> mdast", Hashtag(word="a")) == mdast.Text("later")
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("later")

    def test_for_a_nearer_base_that_comes_later_counts(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Component)(lambda element, transform: mdast.Text("any"))
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("any")
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("A")

    def test_for_text_is_a_rule_like_others(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", str)(lambda node, transform: mdast.Text(node.upper()))
        made = mine.transform("ujsx -> mdast", strong("a", strong("b")))
        assert made == mdast.Strong((mdast.Text("A"), mdast.Strong((mdast.Text("B"),))))

    def test_is_given_back_by_the_decorator(self) -> None:
        assert registry.copy().rule("ujsx -> mdast", Hashtag)(shout) is shout

    @pytest.mark.parametrize("direction", ["ujsx", "", "ujsx->mdast", "ujsx -> ", " -> mdast"])
    def test_needs_a_direction(self, direction: str) -> None:
        with pytest.raises(DefinitionError, match='is no direction; write it as "ujsx -> mdast"'):
            registry.rule(direction, Hashtag)

    def test_needs_a_class(self) -> None:
        with pytest.raises(DefinitionError, match="needs the class that it is for"):
            registry.rule("ujsx -> mdast")


class TestDirections:
    def test_of_the_default_registry(self) -> None:
        assert set(registry.directions) >= {"ujsx -> mdast", "mdast -> ujsx"}

    def test_can_be_ones_own(self) -> None:
        tree = Section(title="a")["x", strong("y")]
        assert plain_text().transform("ujsx -> words", tree) == "(Section x (Strong y))"

    def test_may_start_at_any_kind_of_object(self) -> None:
        mine = TransformRegistry()
        mine.rule("json -> text", dict)(lambda node, transform: transform.all(node.values()))
        mine.rule("json -> text", int)(lambda node, transform: str(node))
        assert mine.transform("json -> text", {"a": 1, "b": {"c": 2}}) == ["1", "2"]

    def test_that_have_no_rules_are_named_with_the_nearest(self) -> None:
        with pytest.raises(
            MissingRuleError, match='no rules for "ujsx -> mdats"; did you mean "ujsx -> mdast"'
        ):
            registry.transform("ujsx -> mdats", Paragraph())

    def test_of_an_empty_registry_are_none(self) -> None:
        assert TransformRegistry().directions == ()
        with pytest.raises(MissingRuleError, match="there are none"):
            TransformRegistry().transform("ujsx -> mdast", Paragraph())


class TestCopy:
    def test_has_the_same_rules(self) -> None:
        tree = Section(title="a")["x"]
        assert registry.copy().transform("ujsx -> mdast", tree) == registry.transform(
            "ujsx -> mdast", tree
        )

    def test_leaves_the_original_as_it_was(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        mine.rule("ujsx -> mdast", Strong)(lambda element, transform: mdast.Text("replaced"))
        mine.rule("a -> b", Strong)(lambda element, transform: "x")
        with pytest.raises(MissingRuleError):
            registry.transform("ujsx -> mdast", Hashtag(word="a"))
        assert type(registry.transform("ujsx -> mdast", strong("x"))) is mdast.Strong
        assert "a -> b" not in registry.directions

    def test_does_not_follow_the_original(self) -> None:
        original = plain_text()
        copied = original.copy()
        original.rule("ujsx -> words", Strong)(lambda element, transform: "strong")
        assert copied.transform("ujsx -> words", Strong()) == "(Strong )"

    def test_forgets_what_the_original_found_by_a_base(self) -> None:
        original = plain_text()
        original.transform("ujsx -> words", Strong())
        copied = original.copy()
        copied.rule("ujsx -> words", Component)(lambda element, transform: "later")
        assert copied.transform("ujsx -> words", Strong()) == "later"


class TestMissingRule:
    def test_names_path_direction_and_nearest_rule(self) -> None:
        class Sektion(Component):
            pass

        tree = Section(title="a")[List()[Item()[Sektion()]]]
        with pytest.raises(MissingRuleError) as caught:
            to_mdast(tree)
        assert caught.value.path == "Section / List[0] / Item[0] / Sektion[0]"
        text = str(caught.value)
        assert 'Sektion has no render(self, ctx, children); did you mean "Section"?' in text
        assert '@registry.rule("ujsx -> mdast", Sektion)' in text

    def test_is_a_lookup_error(self) -> None:
        assert issubclass(MissingRuleError, LookupError)

    def test_of_a_kind_that_is_no_node_of_the_source(self) -> None:
        bad: Any = 3
        with pytest.raises(MissingRuleError, match="int has no rule"):
            registry.transform("mdast -> ujsx", bad)


class TestTransform:
    def test_gives_a_rule_the_context(self) -> None:
        from ujsx import RenderContext

        mine = TransformRegistry()
        mine.rule("a -> b", Paragraph)(lambda element, transform: transform.context.get(int))
        assert mine.transform("a -> b", Paragraph(), RenderContext().with_value(7)) == 7

    def test_gives_a_rule_components_without_children_as_elements(self) -> None:
        mine = TransformRegistry()
        mine.rule("a -> b", Paragraph)(lambda element, transform: type(element))
        assert mine.transform("a -> b", Paragraph()) is Element

    def test_joins_lists_among_several_results(self) -> None:
        mine = TransformRegistry()
        mine.rule("a -> b", str)(lambda node, transform: list(node))
        mine.rule("a -> b", Paragraph)(lambda element, transform: transform.all(element.children))
        assert mine.transform("a -> b", Paragraph()["ab", "c"]) == ["a", "b", "c"]

    def test_too_deep_a_tree_is_an_error_with_a_path(self) -> None:
        tree: Any = strong("x")
        for _ in range(200):
            tree = strong(tree)
        with pytest.raises(RenderError, match="nested more than 150 deep"):
            plain_text().transform("ujsx -> words", tree)

    def test_an_error_in_a_rule_leaves_the_registry_fit_for_the_next_run(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(lambda element, transform: 1 // 0)
        for _ in range(300):
            with pytest.raises(ZeroDivisionError):
                mine.transform("ujsx -> mdast", Paragraph()[Hashtag(word="a")])
        assert mine.transform("ujsx -> mdast", Paragraph()["x"])

    def test_an_error_that_a_rule_catches_does_not_count_as_depth(self) -> None:
        mine = registry.copy()

        @mine.rule("ujsx -> mdast", elements.BlockQuote)
        def forgiving(element: Element, transform: Any) -> list[Any]:
            made: list[Any] = []
            for child in element.children:
                try:
                    made.append(transform(child))
                except MissingRuleError:
                    made.append(mdast.ThematicBreak())
            return made

        tree = elements.BlockQuote()[[Hashtag(word="a")] * 400, Paragraph()["x"]]
        assert len(mine.transform("ujsx -> mdast", tree)) == 401


class TestTheWalk:
    def test_rules_see_the_order_of_the_document(self) -> None:
        mine = registry.copy()
        seen: list[str] = []

        @mine.rule("ujsx -> mdast", Hashtag, Mention)
        def numbered(element: Any, transform: Any) -> Any:
            seen.append(element.component.word)
            return mdast.Text(str(len(seen)))

        tree = Paragraph()[Hashtag(word="a"), strong("b"), Mention(word="c"), Hashtag(word="d")]
        mine.transform("ujsx -> mdast", tree)
        assert seen == ["a", "c", "d"]

    def test_tells_a_rule_in_which_primitive_its_node_stands(self) -> None:
        mine = registry.copy()
        seen: list[Any] = []

        @mine.rule("ujsx -> mdast", Hashtag)
        def noted(element: Any, transform: Any) -> Any:
            seen.append(transform.parent)
            return mdast.Text(element.component.word)

        row = elements.Item()[fragment(Hashtag(word="a")), strong(Hashtag(word="b")), "c"]
        mine.transform("ujsx -> mdast", fragment(Hashtag(word="d"), elements.List()[row]))
        assert seen == [None, elements.Item, elements.Strong]


class Chapter(Component):
    deep: bool


class TestWithARenderer:
    def test_what_is_kept_at_one_depth_is_made_again_at_another(self) -> None:
        mine = registry.copy()

        @mine.rule("ujsx -> mdast", Chapter)
        def chapter(element: Any, transform: Any) -> Any:
            inner = transform.deeper() if element.component.deep else transform
            return inner.all(element.children)

        kept = Renderer(registry=mine)
        for deep in (False, False, True, True, False):
            tree = Chapter(deep=deep)[Section(title="A")["b"]]
            assert kept.render(tree).text == ("## A\n\nb\n" if deep else "# A\n\nb\n")

    def test_rules_of_ones_own_render(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        rendered = Renderer(registry=mine).render(Paragraph()["#", Hashtag(word="urgent")])
        assert rendered.text == "#URGENT\n"

    def test_rules_of_the_way_back_are_ones_own_too(self) -> None:
        mine = registry.copy()
        mine.rule("mdast -> ujsx", mdast.Strong)(lambda node, transform: Hashtag(word="x"))
        root = mdast.from_markdown("**a**")
        assert (
            mine.transform("mdast -> ujsx", root)
            == from_mdast(mdast.from_markdown("*a*")).component[Paragraph()[Hashtag(word="x")]]
        )
