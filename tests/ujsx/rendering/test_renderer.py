"""``Renderer``: what did not change is kept, and the text never depends on it."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from tests.reachable import count_reachable
from tests.strategies import Ladder, Whisper, documents
from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    MdastError,
    RenderContext,
    Renderer,
    RenderError,
    Rung,
    UjsxError,
    component,
    fragment,
    mdast,
    registry,
    render,
    render_document,
)
from ujsx.elements import (
    BlockQuote,
    Definition,
    FrontMatter,
    Heading,
    Html,
    Item,
    LinkReference,
    List,
    Paragraph,
    Section,
    Strong,
    Table,
    TableCell,
    TableRow,
    code,
    strong,
)

RENDERED: list[str] = []


class Counted(Component):
    """Says when it is rendered."""

    word: str

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.FULL))
    )

    def render(self, ctx: RenderContext, children: Children) -> Child:
        RENDERED.append(self.word)
        return Section(title=self.word)[f"depth {ctx.depth}", children]


class Heard(Component):
    """Says when it is rendered, and stands on no ladder."""

    word: str | int | bool

    def render(self, ctx: RenderContext, children: Children) -> Child:
        RENDERED.append(str(self.word))
        return [f"{self.word} at {ctx.depth}, {ctx.get(str)}", children]


@component
def Fails(ctx: RenderContext, children: Children) -> Child:
    raise ValueError("no")


@pytest.fixture(autouse=True)
def nothing_rendered() -> None:
    RENDERED.clear()


turns = st.lists(st.tuples(documents(), st.sampled_from(Density)), min_size=1, max_size=5)


class TestMemory:
    @given(turns=turns)
    def test_never_shows_in_the_text(self, turns: list[tuple[Element, Density]]) -> None:
        renderer = Renderer()
        for tree, density in turns:
            kept = renderer.render(tree, density=density)
            fresh = render_document(tree, density=density)
            assert kept == fresh
            assert kept.omitted == fresh.omitted
            assert [each.text for each in kept.sections] == [each.text for each in fresh.sections]

    @given(trees=st.lists(documents(), min_size=2, max_size=3), order=st.data())
    def test_never_shows_when_parts_come_and_go(
        self, trees: list[Element], order: st.DataObject
    ) -> None:
        renderer = Renderer(keeps=order.draw(st.sampled_from([0, 2, 100])))
        for _ in range(4):
            tree = fragment(order.draw(st.lists(st.sampled_from(trees), max_size=4)))
            assert renderer.render(tree) == render_document(tree)

    def test_gives_the_same_object_for_the_same_node(self) -> None:
        renderer, tree = Renderer(), Section(title="a")[Ladder(words=("x",))]
        assert renderer.render(tree) is renderer.render(tree)

    def test_gives_the_same_object_for_an_equal_tree(self) -> None:
        renderer = Renderer()
        first = renderer.render([Section(title="a")["x"], Ladder(words=("x",))])
        assert renderer.render([Section(title="a")["x"], Ladder(words=("x",))]) is first

    def test_gives_the_same_object_at_the_same_density_however_it_is_named(self) -> None:
        renderer = Renderer()
        first = renderer.render("a")
        assert renderer.render("a", density="full") is first
        assert renderer.render("a", density=Density.FULL) is first

    def test_does_not_mistake_a_list_that_grew_for_the_same(self) -> None:
        renderer, nodes = Renderer(), ["a"]
        assert renderer.render(nodes).text == "a\n"
        nodes.append("b")
        assert renderer.render(nodes).text == "ab\n"

    def test_does_not_mistake_a_spent_iterator_for_the_same(self) -> None:
        renderer, nodes = Renderer(), iter(["a"])
        assert renderer.render(nodes).text == "a\n"
        assert renderer.render(nodes).text == ""

    def test_renders_again_only_what_changed(self) -> None:
        renderer = Renderer()
        renderer.render([Counted(word="a"), Counted(word="b")])
        renderer.render([Counted(word="a"), Counted(word="c")])
        assert RENDERED == ["a", "b", "c"]

    def test_renders_again_nothing_of_what_it_keeps_for_later(self) -> None:
        renderer, words = Renderer(keeps=3), {each: Counted(word=each) for each in "abcd"}
        for word in "abcabc":
            renderer.render(words[word])
        assert RENDERED == ["a", "b", "c"]
        for word in "dbcdac":  # in place of "a", which was not used for the longest time
            renderer.render(words[word])
        assert RENDERED == ["a", "b", "c", "d", "a"]

    def test_renders_once_what_densities_and_budgets_show_on_one_rung(self) -> None:
        on: list[tuple[object, ...]] = []

        class Seen(Counted):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                on.append((ctx.density, ctx.limit, ctx.width))
                return Paragraph()[self.word * (1 if ctx.density is Density.MINIMAL else 20)]

        renderer, node = Renderer(keeps=9), Seen(word="a")
        asked: list[dict[str, Any]] = [
            {"density": density, "budget": budget}
            for density in (None, "minimal", "full")
            for budget in (None, 1, 99)
        ]
        found = [renderer.render(node, **each) for each in asked]
        assert len(on) == len({*on}) > 1
        assert found == [render_document(node, **each) for each in asked]

    def test_keeps_for_later_what_stands_at_several_depths(self) -> None:
        renderer, node = Renderer(keeps=9), Counted(word="a")
        for _ in range(3):
            renderer.render(node)
            renderer.render(Section(title="s")[node])
        assert RENDERED == ["a", "a"]

    def test_keeps_nothing_for_later_that_was_counted_otherwise(self) -> None:
        renderer, node = Renderer(keeps=9), Counted(word="a")
        other = RenderContext(count_tokens=len)
        assert renderer.render(node, budget=99).sections[0].tokens < 9
        assert renderer.render(node, budget=99, context=other).sections[0].tokens > 9

    def test_counts_tokens_of_a_section_once(self) -> None:
        counted: list[str] = []

        def count(text: str) -> int:
            counted.append(text)
            return len(text)

        renderer = Renderer(context=RenderContext(count_tokens=count))
        for word in "xy":
            rendered = renderer.render([Counted(word="a"), Counted(word=word)])
            assert [each.tokens for each in rendered.sections] == [
                len(each.text) for each in rendered.sections
            ]
        assert len(counted) == len(set(counted)) == 3

    def test_counts_no_tokens_until_asked(self) -> None:
        def count(text: str) -> int:
            raise AssertionError

        Renderer(context=RenderContext(count_tokens=count)).render(Counted(word="a"))

    def test_keeps_depths_apart(self) -> None:
        renderer, node = Renderer(), Counted(word="a")
        assert renderer.render(node).text == "# a\n\ndepth 0\n"
        assert renderer.render(Section(title="s")[node]).text == "# s\n\n## a\n\ndepth 1\n"

    def test_keeps_densities_apart(self) -> None:
        renderer, node = Renderer(), Whisper(text="loud")
        texts = [renderer.render(node, density=each).text for each in (*Density, *Density)]
        assert texts == ["…\n", "…\n", "loud\n"] * 2

    def test_is_not_spoiled_by_an_error(self) -> None:
        renderer, good = Renderer(), [Counted(word="a"), Counted(word="b")]
        first = renderer.render(good)
        for bad in (Fails(), Section(title="x")[Fails()], [Counted(word="a"), Fails()]):
            with pytest.raises(UjsxError):
                renderer.render(bad)
        assert renderer.render(good) == first

    def test_does_not_grow_with_the_turns(self) -> None:
        renderer = Renderer()
        sizes: list[int] = []
        for turn in range(60):
            items = [Item()[str(turn), Counted(word=str(n + turn))] for n in range(9)]
            renderer.render([Counted(word=str(turn)), Paragraph()[str(turn)], List()[items]])
            sizes.append(count_reachable(renderer))
        assert max(sizes[30:]) <= 1.1 * max(sizes[3:30])

    def test_grows_with_what_is_kept_for_later_and_no_further(self) -> None:
        renderer = Renderer(keeps=5)
        sizes: list[int] = []
        for turn in range(40):
            renderer.render([Counted(word=str(turn + n)) for n in range(3)])
            sizes.append(count_reachable(renderer))
        assert max(sizes[20:]) <= 1.1 * max(sizes[5:20])


class TestUnwritable:
    """What Markdown cannot represent is put in canonical form, piece by piece."""

    def test_front_matter_behind_other_pieces_is_code(self) -> None:
        tree = [Counted(word="a"), FrontMatter(value="a: 1"), Counted(word="b")]
        assert "```yaml\na: 1\n```" in render(tree)

    ODD: ClassVar[list[Child]] = [
        Paragraph()[Html(value="<!-- open")],
        Heading(depth=3)["a\nb"],
        Html(value="<div>\n\nx"),
        Paragraph()["a\n"],
    ]

    @pytest.mark.parametrize("odd", ODD, ids=repr)
    def test_does_not_depend_on_what_stood_beside_it_before(self, odd: Child) -> None:
        plain = Counted(word="a")
        for first in self.ODD:
            renderer = Renderer()
            renderer.render([plain, first])
            assert renderer.render([plain, odd]) == render_document([plain, odd])
            assert renderer.render(plain) == render_document(plain)

    def test_keeps_references_to_what_another_piece_defines(self) -> None:
        tree = [
            Paragraph()[LinkReference(identifier="a")["x"], code("\n")],
            Ladder(words=("w",)),
            Definition(identifier="a", url="u"),
        ]
        assert render(tree).startswith("[x][a]")

    def test_is_an_error_when_the_writer_is_told_so(self) -> None:
        with pytest.raises(MdastError):
            Renderer(on_unwritable="error").render(Heading(depth=3)[Html(value="a\nb"), "x\ny"])


class TestOptions:
    def test_are_those_of_the_writer(self) -> None:
        tree = List()[Item()["a"]]
        assert Renderer(bullet="*").render(tree).text == "* a\n"
        assert Renderer().render(tree).text == "- a\n"

    def test_that_do_not_exist_are_an_error(self) -> None:
        with pytest.raises(MdastError, match='did you mean "bullet"'):
            Renderer(bulet="*")

    def test_the_registry_can_be_ones_own(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Paragraph)(lambda element, transform: transform("replaced"))
        assert Renderer(registry=mine).render(Paragraph()["a"]).text == "replaced\n"

    def test_the_contexts_values_reach_components(self) -> None:
        @component
        def Count(ctx: RenderContext, children: Children) -> Child:
            return str(ctx.get(int))

        assert Renderer(context=RenderContext().with_value(7)).render(Count()).text == "7\n"


class TestErrors:
    def test_a_bad_child_is_refused(self) -> None:
        bad: Any = 3
        with pytest.raises(ChildError):
            Renderer().render(bad)

    def test_a_block_in_a_line_has_its_path(self) -> None:
        with pytest.raises(
            UjsxError, match="is a block and cannot go inside inline text"
        ) as caught:
            render(Section(title="a")[Element.of(Paragraph(), List())])
        assert caught.value.path == "Section / Paragraph[0]"


class Frame(Component):
    """Holds its children, as a HUD does."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="Frame")[children] if children else "nothing"


class FailsOnLadder(Component):
    """Fails as a piece of its own."""

    disclosure: ClassVar[Disclosure] = Disclosure()

    def render(self, ctx: RenderContext, children: Children) -> Child:
        raise ValueError("no")


WORDS = st.sampled_from(["a", "b", "*c*", "1. d", ""])
FRAMED = st.lists(
    st.one_of(
        st.builds(Counted, word=WORDS),
        st.builds(lambda word: Counted(word=word).keyed("k"), WORDS),
        st.builds(lambda word: Paragraph()[word], WORDS),
        st.builds(lambda word: Heard(word=word)[Counted(word=word)], WORDS),
        st.builds(lambda word: Section(title=word)[Heard(word=word)[Heard(word=1)]], WORDS),
        WORDS,
        st.builds(lambda words: Ladder(words=tuple(words)), st.lists(WORDS, max_size=3)),
    ),
    max_size=4,
)


class TestFrame:
    """Where only some children of a frame changed, the others are left alone."""

    @given(st.lists(FRAMED, max_size=5))
    def test_gives_what_a_fresh_renderer_gives(self, turns: list[list[Any]]) -> None:
        frame, kept = Frame(), Renderer()
        for children in turns:
            node = frame[children]
            rendered, fresh = kept.render(node), Renderer().render(node)
            assert rendered.text == fresh.text
            assert rendered.sections == fresh.sections

    @given(FRAMED, st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=5))
    def test_the_same_children_may_come_and_go_and_change_places(
        self, pool: list[Any], turns: list[list[int]]
    ) -> None:
        frame, kept = Frame(), Renderer()
        for places in turns:
            node = frame[[pool[place] for place in places if place < len(pool)]]
            rendered, fresh = kept.render(node), Renderer().render(node)
            assert rendered.text == fresh.text
            assert rendered.tokens == fresh.tokens
            assert rendered.sections == fresh.sections

    def test_makes_only_what_is_new(self) -> None:
        frame, kept = Frame(), Renderer()
        first, second, other = (Counted(word=word) for word in "abc")
        kept.render(frame[first, second])
        RENDERED.clear()
        assert "c" in kept.render(frame[first, other, second]).text
        assert "c" not in kept.render(frame[first, second]).text
        assert RENDERED == ["c"]

    def test_asks_what_has_no_ladder_only_where_it_is_new(self) -> None:
        frame, kept = Frame(), Renderer()
        kept.render(frame[Heard(word="a")[Heard(word="b")], Heard(word="c")])
        RENDERED.clear()
        kept.render(frame[Heard(word="a")[Heard(word="b")], Heard(word="c"), Heard(word="d")])
        kept.render(frame[Heard(word="e"), Heard(word="a")[Heard(word="b")], Heard(word="c")])
        assert RENDERED == ["d", "e"]

    def test_asks_it_again_where_it_may_show_something_else(self) -> None:
        kept, one = Renderer(), RenderContext().with_value("one")
        for node, context, text in (
            (Heard(word=1), one, "1 at 0, one"),
            (Heard(word=True), one, "True at 0, one"),
            (Heard(word=True), RenderContext(), "True at 0, None"),
            (Section(title="s")[Heard(word=True)], None, "True at 1, None"),
        ):
            assert text in kept.render(node, context=context).text

    def test_what_fails_says_its_new_place(self) -> None:
        frame, kept = Frame(), Renderer()
        first, second = Counted(word="a"), Counted(word="b")
        kept.render(frame[first, second])
        with pytest.raises(RenderError) as raised:
            kept.render(frame[first, FailsOnLadder(), second])
        with pytest.raises(RenderError) as fresh:
            Renderer().render(frame[first, FailsOnLadder(), second])
        assert str(raised.value) == str(fresh.value)

    def test_makes_only_what_changed(self) -> None:
        frame, kept = Frame(), Renderer()
        first, second, other = (Counted(word=word) for word in "abc")
        kept.render(frame[first, second])
        RENDERED.clear()
        assert "c" in kept.render(frame[first, other]).text
        assert RENDERED == ["c"]


class TestItems:
    """Of a list of items, what is rendered again is what changed, however the items were made."""

    @looped(
        ("change", "most"),
        [
            (lambda texts: texts, 0),
            (lambda texts: [*texts[:5], "new", *texts[6:]], 1),
            (lambda texts: [*texts, "new"], 1),
            (lambda texts: texts[1:], 0),
            (lambda texts: [*texts[3:], "new"], 1),
        ],
    )
    def test_makes_only_what_changed(self, change: Any, most: int) -> None:
        seen: list[str] = []
        mine = registry.copy()

        @mine.rule("ujsx -> mdast", Strong)
        def counted(element: Any, transform: Any) -> mdast.Strong:
            seen.append(element.children[0])
            return mdast.Strong(tuple(transform.all(element.children)))

        def listed(texts: list[str], note: int) -> Element:
            items = [Item()[strong(text), ": ", text] for text in texts]
            return Section(title="s")[f"note {note}", List()[items]]

        texts = [f"text {number}" for number in range(12)]
        kept = Renderer(registry=mine)
        for note in range(2):
            kept.render(listed(texts, note))
        seen.clear()
        tree = listed(change(texts), 3)
        assert kept.render(tree).text == Renderer(registry=registry).render(tree).text
        assert len(seen) == most

    @looped(
        "around",
        [
            pytest.param(lambda each: [Paragraph()[one] for one in each], id="paragraphs"),
            pytest.param(
                lambda each: Table()[
                    [TableRow()[TableCell()[one], TableCell()["a"]] for one in each]
                ],
                id="rows",
            ),
            pytest.param(
                lambda each: Table()[TableRow()[[TableCell()[one] for one in each]]], id="cells"
            ),
            pytest.param(
                lambda each: [Section(title="t")[one, "b"] for one in each], id="sections"
            ),
            pytest.param(
                lambda each: List()[Item()["a", List()[[Item()[one] for one in each]]]],
                id="items of an item",
            ),
            pytest.param(
                lambda each: BlockQuote()[[Paragraph()["a ", one] for one in each]], id="a quote"
            ),
        ],
    )
    def test_in_every_kind(self, around: Any) -> None:
        seen: list[str] = []
        mine = registry.copy()

        @mine.rule("ujsx -> mdast", Strong)
        def counted(element: Any, transform: Any) -> mdast.Strong:
            seen.append(element.children[0])
            return mdast.Strong(tuple(transform.all(element.children)))

        def tree(texts: list[str], note: int) -> Element:
            return Section(title="s")[f"note {note}", around([strong(text) for text in texts])]

        texts = [f"text {number}" for number in range(8)]
        kept = Renderer(registry=mine)
        for note in range(2):
            kept.render(tree(texts, note))
        seen.clear()
        changed = tree([*texts[:4], "new", *texts[5:]], 3)
        assert kept.render(changed).text == Renderer(registry=mine).render(changed).text
        assert seen[: len(seen) - 8] == ["new"]  # a fresh one makes all of them


class TestContext:
    def test_of_a_turn_gives_what_a_fresh_renderer_gives(self) -> None:
        kept = Renderer()
        for number in (1, 2, 2, 3):
            context = RenderContext().with_value(number)
            node = Reads()
            expected = render_document(node, context=context)
            rendered = kept.render(node, context=context)
            assert (rendered.text, rendered.tokens) == (expected.text, expected.tokens)
        assert kept.render(Reads()).text == "3\n"

    def test_with_another_counter_counts_anew(self) -> None:
        kept = Renderer()
        kept.render(Reads(), context=RenderContext().with_value(1), budget=5)
        context = RenderContext(count_tokens=len).with_value(1)
        assert kept.render(Reads(), context=context, budget=50).tokens == len("1\n")

    def test_is_refused_when_it_is_none(self) -> None:
        with pytest.raises(RenderError, match="a context is a RenderContext"):
            Renderer().render(Reads(), context=3)  # type: ignore[arg-type]


class Reads(Component):
    """Shows the number that is bound."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL), Rung(Density.FULL)))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return str(ctx.get(int))
