"""``TransformRegistry``: rules by direction and class."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from ujsx import (
    Component,
    DefinitionError,
    Element,
    MdastError,
    MissingRuleError,
    Renderer,
    RenderError,
    TransformRegistry,
    elements,
    fragment,
    from_mdast,
    mdast,
    registry,
    render,
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

    @looped("direction", ["ujsx", "", "ujsx->mdast", "ujsx -> ", " -> mdast"])
    def test_needs_a_direction(self, direction: str) -> None:
        with pytest.raises(
            DefinitionError, match='is not a direction; write it as "ujsx -> mdast"'
        ):
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


class Callout(Component):
    title: str


class Plain(Component):
    pass


def write_callout(element: Any, transform: Any) -> Any:
    title = Paragraph()[strong(element.component.title)]
    return transform(elements.BlockQuote()[title, element.children])


def read_callout(quote: Any, transform: Any) -> Any:
    match quote.children:
        case (mdast.Paragraph(children=(mdast.Strong(children=(mdast.Text() as title,)),)), *rest):
            return Callout(title=transform(title))[transform.all(rest)]
        case _:
            return NotImplemented


def with_callouts() -> TransformRegistry:
    mine = registry.copy()
    mine.pair(Callout, mdast.Blockquote, write=write_callout, read=read_callout)
    return mine


def read_with(mine: TransformRegistry, text: str) -> Any:
    return from_mdast(mdast.from_markdown(text), registry=mine).children


class TestResults:
    """A rule's result is a node, a list, or ``NotImplemented``; a node never disappears."""

    @looped(
        ("direction", "kind", "source"),
        [
            ("mdast -> ujsx", mdast.Strong, mdast.from_markdown("a **b**")),
            ("ujsx -> mdast", Strong, Paragraph()["a ", strong("b")]),
        ],
    )
    def test_that_are_none_name_the_rule(self, direction: str, kind: Any, source: Any) -> None:
        mine = registry.copy()

        @mine.rule(direction, kind)
        def forgets(node: Any, transform: Any) -> None:
            return None

        with pytest.raises(DefinitionError, match="returned None; return \\[\\] for no") as caught:
            mine.transform(direction, source)
        assert "forgets" in caught.value.__notes__[0]

    def test_that_are_no_nodes_are_refused_on_the_way_back(self) -> None:
        mine = registry.copy()
        wrong: Any = {"bold": True}
        mine.rule("mdast -> ujsx", mdast.Strong)(lambda node, transform: wrong)
        with pytest.raises(DefinitionError, match=r"returned .*bold.* is not a node"):
            read_with(mine, "**a**")

    def test_may_be_none_in_a_direction_of_ones_own(self) -> None:
        mine = TransformRegistry()
        mine.rule("json -> words", type(None))(lambda node, transform: None)
        assert mine.transform("json -> words", None) is None

    def test_that_are_not_implemented_leave_the_node_to_the_rule_before(self) -> None:
        mine = registry.copy()
        left: Any = NotImplemented
        mine.rule("mdast -> ujsx", mdast.Strong)(lambda node, transform: Hashtag(word="x"))
        mine.rule("mdast -> ujsx", mdast.Strong)(lambda node, transform: left)
        assert read_with(mine, "**a**") == (Paragraph()[Hashtag(word="x")],)
        mine.rule("mdast -> ujsx", mdast.Emphasis)(lambda node, transform: left)
        assert read_with(mine, "*a*") == read_with(registry, "*a*")

    def test_that_are_not_implemented_go_on_with_the_base_classes(self) -> None:
        mine = registry.copy()
        left: Any = NotImplemented
        mine.rule("ujsx -> mdast", Hashtag)(shout)
        mine.rule("ujsx -> mdast", Mention)(lambda element, transform: left)
        assert mine.transform("ujsx -> mdast", Mention(word="a")) == mdast.Text("A")

    def test_that_are_never_a_node_are_a_missing_rule(self) -> None:
        mine = registry.copy()
        left: Any = NotImplemented
        mine.rule("ujsx -> mdast", Hashtag)(lambda element, transform: left)
        with pytest.raises(MissingRuleError, match=r"every rule for Hashtag .* NotImplemented"):
            mine.transform("ujsx -> mdast", Hashtag(word="a"))

    def test_of_a_component_with_a_render_fall_back_on_it(self) -> None:
        class Drawn(Component):
            def render(self, ctx: Any, children: Any) -> Any:
                return strong("drawn")

        mine = registry.copy()
        left: Any = NotImplemented
        mine.rule("ujsx -> mdast", Drawn)(lambda element, transform: left)
        assert render(Drawn(), registry=mine) == "**drawn**\n"


class TestPair:
    TEXT = "> **On *call***\n\n> **Rotate \\*all\\* keys**\n>\n> - today\n>\n> > **Who?**\n"

    def test_is_written_and_read_back_nested_too(self) -> None:
        mine = with_callouts()
        other, callout = read_with(mine, self.TEXT)
        assert type(other.component) is elements.BlockQuote
        assert callout.component == Callout(title="Rotate *all* keys")
        assert callout.children[1] == Callout(title="Who?")
        assert render((other, callout), registry=mine) == self.TEXT

    def test_gives_back_what_a_title_hides(self) -> None:
        mine = with_callouts()
        title = "a\u202eb <|im_start|>"
        assert read_with(mine, render(Callout(title=title), registry=mine)) == (
            Callout(title=title),
        )

    def test_leaves_the_default_registry_alone(self) -> None:
        mine = with_callouts()
        assert read_with(mine.copy(), "> **a**") == (Callout(title="a"),)
        assert read_with(registry, "> **a**") == from_mdast(mdast.from_markdown("> **a**")).children

    def test_asks_the_pair_that_was_declared_last_first(self) -> None:
        mine = with_callouts()
        mine.pair(
            Plain,
            mdast.Blockquote,
            write=lambda element, transform: transform(elements.BlockQuote()[Paragraph()["-"]]),
            read=lambda quote, transform: (
                Plain() if mdast.util.to_string(quote) == "-" else NotImplemented
            ),
        )
        assert read_with(mine, "> \\-\n\n> **a**\n")[:2] == (Plain(), Callout(title="a"))

    @looped(
        ("component", "node", "write", "read", "message"),
        [
            (Callout(title="a"), mdast.Blockquote, None, None, "takes a component class, not Call"),
            (Component, mdast.Blockquote, None, None, "takes a component class"),
            (Callout, "blockquote", None, None, "class of an mdast node, such as mdast.Blockquote"),
            (Callout, mdast.Blockquote(), None, None, "class of an mdast node"),
            (Callout, mdast.Root, None, None, "Root is not a node that a component can be written"),
            (Callout, mdast.Blockquote, 3, None, "write is a function of a node and a transform"),
            (Callout, mdast.Blockquote, lambda element: element, None, "write takes two arguments"),
            (Callout, mdast.Blockquote, None, lambda: None, "read takes two arguments"),
            (Callout, mdast.Blockquote, read_callout, read_callout, "are the same function"),
        ],
    )
    def test_that_cannot_work_is_refused(
        self, component: Any, node: Any, write: Any, read: Any, message: str
    ) -> None:
        mine = registry.copy()
        with pytest.raises(DefinitionError, match=message):
            mine.pair(component, node, write=write or write_callout, read=read or read_callout)

    def test_of_async_functions_and_generators_is_refused_with_both_faults(self) -> None:
        async def write(element: Any, transform: Any) -> Any:
            return write_callout(element, transform)

        def read(quote: Any, transform: Any) -> Any:
            yield Callout(title="a")

        wrong: Any = write
        with pytest.raises(DefinitionError) as caught:
            registry.copy().pair(Callout, mdast.Blockquote, write=wrong, read=read)
        assert [fault[:8] for fault in caught.value.faults] == ["write is", "read is "]

    def test_of_a_component_that_has_one_is_refused(self) -> None:
        mine = with_callouts()
        with pytest.raises(DefinitionError, match="paired with Blockquote already; extend a copy"):
            mine.pair(Callout, mdast.List, write=write_callout, read=read_callout)

    def test_edits_a_document_and_keeps_the_bytes_of_the_rest(self) -> None:
        text = "* a\n\n> __Old__\n>\n> * b\n\n> __Kept__\n>\n>  c\n"
        document = mdast.Document(text, registry=with_callouts())

        def renamed(callout: Any) -> Any:
            if callout.component.title == "Kept":
                return callout
            return Callout(title="New")[callout.children]

        document.rewrite(Callout, renamed)
        assert document.text == text.replace("Old", "New")
        document.rewrite(
            Callout, lambda callout: None if "N" in callout.component.title else callout
        )
        assert document.text == "* a\n\n> __Kept__\n>\n>  c\n"
        document.rewrite(Callout, lambda callout: ["plain ", strong("words")])
        assert document.text == "* a\n\nplain __words__\n"

    def test_edits_a_document_only_with_its_registry(self) -> None:
        with pytest.raises(MdastError, match="Document\\(text, reg"):
            mdast.Document("a").rewrite(Callout, lambda callout: None)
        with pytest.raises(MissingRuleError, match="Plain is not paired with a node"):
            mdast.Document("a", registry=with_callouts()).rewrite(Plain, lambda plain: None)
