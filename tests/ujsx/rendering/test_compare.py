"""``compare``: what broke the prefix, and what it costs."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from tests.strategies import Ladder, Titled, documents
from ujsx import (
    Component,
    Element,
    RenderContext,
    Rendered,
    compare,
    fragment,
    render_document,
)
from ujsx.elements import Item, List, Paragraph, Section

HEAD = Paragraph()["The head stays as it is."]


def between(before: object, after: object, **options: object) -> object:
    return compare(*(render_document(node, **options) for node in (before, after)))  # type: ignore[arg-type]


class Bound(Ladder):
    """Shows the words of the ladder that is bound to its context."""

    def render(self, ctx: RenderContext, children: object) -> object:  # type: ignore[override]
        return (ctx.get(Ladder) or Ladder()).words


class TestComparison:
    @given(before=documents(), after=documents())
    def test_splits_both_texts_where_they_part(self, before: Element, after: Element) -> None:
        old, new = render_document(before), render_document(after)
        found = compare(old, new)
        assert old.text[: found.place] == new.text[: found.place]
        assert old.text[found.place : found.place + 1] != new.text[found.place :][:1] or (
            found.place == len(old.text) == len(new.text)
        )
        assert found.kept_tokens == old.count_tokens(old.text[: found.place])
        assert found.lost_tokens == old.count_tokens(old.text[found.place :])
        assert found.new_tokens == new.count_tokens(new.text[found.place :])

    @given(before=documents(), after=documents())
    def test_names_what_broke_the_prefix_if_anything_did(
        self, before: Element, after: Element
    ) -> None:
        old, new = render_document(before), render_document(after)
        found = compare(old, new)
        assert (found.broken is None) == new.text.startswith(old.text)
        assert str(found)

    def test_of_a_rendering_with_itself_keeps_it(self) -> None:
        rendered = render_document(HEAD)
        found = compare(rendered, rendered)
        assert (found.kept, found.lost_tokens, found.broken) == (1.0, 0, None)
        assert str(found) == "the prefix is kept; 0 tokens are new behind it"

    def test_of_what_follows_an_empty_rendering_keeps_it(self) -> None:
        assert between(None, HEAD).kept == 1.0

    def test_counts_bytes(self) -> None:
        found = compare(render_document("éa"), render_document("éb"))
        assert found.kept == 2 / 4

    def test_keeps_what_a_list_appends(self) -> None:
        lists = [List()[[Item()[word] for word in "abc"[:size]]] for size in (2, 3)]
        assert between(*lists).broken is None


class TestBreak:
    @looped(
        ("before", "after", "field", "says"),
        [
            (("a", "b"), ("x", "b"), "words[0]", "words[0] was 'a', is 'x'"),
            (("a", "b"), ("b",), "words[0]", "words[0] is gone: 'a'"),
            (("a", "b"), ("b", "c"), "words[0]", "words[0] is gone: 'a'"),
            (("a", "b"), ("x", "a", "b"), "words[0]", "words[0] is new: 'x'"),
            (("a", "b"), ("x", "y", "z"), "words[0]", "words[0] was 'a', is 'x'"),
            (("a",), (), "words[0]", "words[0] is gone: 'a'"),
        ],
    )
    def test_names_the_field(
        self, before: tuple[str, ...], after: tuple[str, ...], field: str, says: str
    ) -> None:
        tail = Paragraph()["tail"]
        trees = [[HEAD, Ladder(words=words), tail] for words in (before, after)]
        broken = between(*trees, budget=1_000).broken
        assert (broken.node, broken.field) == ("Ladder", field)
        assert str(broken.changes[0]) == says

    def test_names_the_rung(self) -> None:
        node = [HEAD, Ladder(words=("a", "b", "c"))]
        old, new = render_document(node), render_document(node, density="compact")
        change = compare(old, new).broken.changes[0]
        assert (change.field, change.before, change.after) == ("rung", "full/3", "compact/1")

    def test_names_what_was_hidden(self) -> None:
        node = [HEAD, Ladder(words=("a", "b"))]
        shown, hidden = (render_document(node, budget=budget) for budget in (100, 6))
        assert str(compare(shown, hidden).broken.changes[0]) == "rung was 'full', is 'hidden'"

    def test_names_where_the_node_stands(self) -> None:
        trees = [Titled(title="Part")[HEAD, Ladder(words=(word,))] for word in "ab"]
        assert between(*trees).broken.path == "Titled / Section / Ladder"
        assert between(*trees).broken.line == 7

    def test_names_a_component_that_is_new(self) -> None:
        broken = between([HEAD, "end"], [HEAD, Ladder(words=("a",)), "end"]).broken
        assert str(broken.changes[0]).startswith("Ladder is new: ")

    def test_names_a_component_that_is_gone(self) -> None:
        broken = between([HEAD, Ladder(words=("a",)), "end"], [HEAD, "end"]).broken
        assert broken.node == "Ladder"
        assert str(broken.changes[0]).startswith("Ladder is gone: ")

    def test_names_a_heading(self) -> None:
        trees = [[Section(title=title)[Ladder(words=("a",))]] for title in ("One", "Two")]
        broken = between(*trees).broken
        assert (broken.node, broken.field) == ("Section", "title")

    def test_names_a_text_deep_in_a_tree(self) -> None:
        trees = [fragment(HEAD, List()[Item()["a"], Item()[word]]) for word in "bc"]
        broken = between(*trees).broken
        assert str(broken.changes[0]) == "[1].children[1].children[0] was 'b', is 'c'"

    def test_names_a_bound_value(self) -> None:
        old, new = (
            render_document(Bound(), context=RenderContext().with_value(Ladder(words=(word,))))
            for word in "ab"
        )
        assert compare(old, new).broken.field == "Ladder.words[0]"

    def test_names_an_order(self) -> None:
        one, other = Ladder(words=("a",)).keyed("one"), Ladder(words=("b",)).keyed("two")
        broken = between([HEAD, one, other], [HEAD, other, one]).broken
        assert broken.field == "order"

    def test_says_it_in_a_sentence(self) -> None:
        class Count(Component):
            disclosure = Ladder.disclosure
            number: int

            def render(self, ctx: RenderContext, children: object) -> object:  # type: ignore[override]
                return f"Number {self.number}."

        assert str(between([HEAD, Count(number=17)], [HEAD, Count(number=18)])) == (
            "Count breaks the prefix in line 3: number was 17, is 18; "
            "92% of the text is kept, 1 tokens are lost behind it"
        )


class Moment(int):
    """A bound value."""


class TestBoundValues:
    @looped("first", [True, False])
    def test_that_only_one_rendering_has_are_no_problem(self, first: bool) -> None:
        one = RenderContext().with_value(Ladder(words=("a",)))
        two = RenderContext().with_value(Ladder(words=("b",))).with_value(Moment(1))
        before, after = (one, two) if first else (two, one)
        broken = compare(
            render_document(Bound(), context=before), render_document(Bound(), context=after)
        )
        assert broken is not None
        assert "Bound" in str(broken)


class Says(Component):
    """A text, in which a value may stand, and a last word that depends on a number that is not shown."""

    disclosure = Ladder.disclosure
    hidden: tuple[int, ...]
    value: Any
    text: str

    def render(self, ctx: RenderContext, children: object) -> object:  # type: ignore[override]
        return f"{self.text} {'even' if self.hidden[0] % 2 == 0 else 'odd'}"


def said(value: object, text: str) -> list[Rendered]:
    """Two renderings of the same text, of which the first one has the value."""
    nodes = (
        Says(hidden=(100,), value=value, text=text),
        Says(hidden=(101,), value=None, text=text),
    )
    return [render_document(each) for each in nodes]


@looped("text", ["aa", "a.", "1 ", "a\u0301"])
def test_values_are_looked_for_in_a_text_in_proportion_to_it(text: str) -> None:
    renderings = {size: said(text[0], text * size) for size in (20_000, 160_000)}
    factor = growth(lambda size: compare(*renderings[size]), 20_000, 160_000)
    assert factor < IN_PROPORTION


@looped(
    ("value", "text", "stands"),
    [
        (11.5, "11.5 °C", True),
        (11, "11.5 °C", False),
        (14.0, "it is 14.", True),
        (5, "11.5", False),
        ("ann", "joanne, ann-marie", True),
        ("ann", "joanne", False),
        (True, "True", False),
        ("", "x", False),
    ],
)
def test_a_value_that_stands_in_a_text_as_words_of_its_own_comes_first(
    value: object, text: str, stands: bool
) -> None:
    fields = [each.field for each in compare(*said(value, text)).broken.changes]
    assert fields == (["value", "hidden[0]"] if stands else ["hidden[0]", "value"])
