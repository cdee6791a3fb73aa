"""The short way writes what the tree's way writes."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ujsx.test_template import SOURCES
from ujsx import (
    Child,
    Component,
    Density,
    Disclosure,
    Renderer,
    Rung,
    Template,
    TransformRegistry,
    registry,
    render,
)
from ujsx._for_each import ForEach
from ujsx._made import Made
from ujsx._outline import outline
from ujsx.elements import (
    BlockQuote,
    Emphasis,
    InlineCode,
    Item,
    List,
    Omitted,
    Paragraph,
    Section,
    Strikethrough,
    Strong,
)
from ujsx.testing.strategies import hostile_texts
from ujsx.transforms._to_mdast import TO_MDAST

TEXTS = hostile_texts() | st.sampled_from(
    [
        "- a",
        "1. a",
        "#",
        "a!",
        "<b",
        "www",
        "http:",
        "www.a",
        " a",
        "a ",
        "@a",
        "-",
        "--",
        "a_b",
        "`",
    ]
)
PLAIN = st.sampled_from(["one", "two words", "a.b", "1", "Ada's", "x (y)", "+1", "#1", "日本"])
EDGES = st.sampled_from(["a ", " a", "_a_", "*a*", "a!", "# a", "- a", "1. a", "www.a.b", "a:"])
MOSTLY_PLAIN = st.integers(0, 7).flatmap(lambda n: {0: TEXTS, 1: EDGES}.get(n, PLAIN))
TEMPLATES = {source: Template(source) for source in (*SOURCES, "www{a}", "{a}.org", "**{a}!** {b}")}
TEMPLATES["{a}{b}"] = Template("{a}{b}", patterns={"a": r"\w+"})


@st.composite
def rows(draw: st.DrawFn) -> ForEach:
    texts = draw(st.sampled_from([PLAIN, MOSTLY_PLAIN]))
    source = st.sampled_from(list(TEMPLATES))
    templates = draw(st.lists(source.map(TEMPLATES.__getitem__), min_size=1, max_size=3))
    return ForEach(rows=tuple((each, *(draw(texts) for _ in each.fields)) for each in templates))


INLINE = st.one_of(
    TEXTS,
    PLAIN,
    st.builds(InlineCode, value=TEXTS.filter(bool)),
    st.builds(
        lambda mark, text: mark()[text], st.sampled_from([Strong, Emphasis, Strikethrough]), TEXTS
    ),
)
MARKS = st.builds(
    Omitted,
    count=st.integers(1, 9),
    handle=st.sampled_from([None, "hud notes.list"]),
    brief=st.booleans(),
)
PARAGRAPHS = st.lists(INLINE, max_size=4).map(lambda children: Paragraph()[children])
LISTS = st.builds(
    lambda ordered, start, children: List(ordered=ordered, start=start)[children],
    st.booleans(),
    st.sampled_from([0, 1, 7, 999_999_998]),
    st.lists(rows() | MARKS | st.builds(lambda text: Item()[text], TEXTS), max_size=3),
)
SECTIONS = st.builds(
    lambda title, children: Section(title=title)[children],
    TEXTS,
    st.lists(LISTS | MARKS | INLINE | PARAGRAPHS, max_size=3),
)


class Shown(Component):
    """Shows what it is given, on a ladder of its own."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL), Rung(Density.FULL)))

    def render(self, ctx: Any, children: Any) -> Child:
        return children


def long_way() -> TransformRegistry:
    """A registry with the same rules, of which one is not known to be the usual one."""
    changed = registry.copy()

    def item(node: Any, transform: Any) -> Any:
        return TO_MDAST[Item](node, transform)

    changed.rule("ujsx -> mdast", Item)(item)
    return changed


LONG_WAY = long_way()
ANY_PIECES = st.lists(SECTIONS | PARAGRAPHS | LISTS | TEXTS, max_size=3).map(
    lambda nodes: Shown()[nodes]
)
LIKELY_ONES = st.one_of(
    st.builds(
        lambda title, items, mark: Shown()[Section(title=title)[List()[items, mark]]],
        PLAIN,
        rows(),
        st.none() | MARKS,
    ),
    st.builds(lambda title, text: Shown()[Section(title=title)[text]], PLAIN | TEXTS, TEXTS),
    st.builds(
        lambda text, mark: Shown()[
            BlockQuote()[text], Section(title="A")[BlockQuote()[text], mark]
        ],
        MOSTLY_PLAIN | MOSTLY_PLAIN.map(lambda text: Paragraph()[text]),
        st.none() | MARKS,
    ),
    st.builds(
        lambda before, mark, text, after: Shown()[Paragraph()[before, mark()[text], after]],
        st.none() | MOSTLY_PLAIN,
        st.sampled_from([Strong, Emphasis, Strikethrough]),
        MOSTLY_PLAIN,
        st.none() | MOSTLY_PLAIN,
    ),
)
PIECES = LIKELY_ONES | ANY_PIECES


class TestShortWay:
    @given(LIKELY_ONES)
    def test_writes_what_the_long_way_writes_of_one_piece(self, piece: Any) -> None:
        assert Renderer().render(piece).text == Renderer(registry=LONG_WAY).render(piece).text

    @given(st.lists(PIECES | SECTIONS | PARAGRAPHS | LISTS, max_size=4))
    def test_writes_what_the_long_way_writes(self, nodes: list[Any]) -> None:
        expected = Renderer(registry=LONG_WAY).render(nodes)
        rendered = Renderer().render(nodes)
        assert rendered.text == expected.text
        assert rendered.sections == expected.sections
        assert rendered.omitted == expected.omitted

    @pytest.mark.parametrize(
        "node",
        [
            Section(title="A")[List()[ForEach(rows=((TEMPLATES["{a}"], "x"),))]],
            Section(title="A")[List()[ForEach(rows=((TEMPLATES["**{a}** — {b}"], "x", "y."),))]],
            Section(title="A")[
                List()[
                    ForEach(
                        rows=(
                            (TEMPLATES["**{a}** — {b}"], "x", "y."),
                            (TEMPLATES["{a}"], "x."),
                            (TEMPLATES["**{a}** — {b}"], "x*y", "_y_"),
                        )
                    )
                ]
            ],
            Section(title="A")["a text"],
            Paragraph()["a ", InlineCode(value="b"), " c"],
        ],
    )
    def test_is_open_for_what_is_plain(self, node: Any) -> None:
        (piece,) = outline((Shown()[node],), Renderer()._context)
        assert Made(piece, registry, is_short=True).short is not None

    def test_values_side_by_side_make_no_address(self) -> None:
        row = (TEMPLATES["{a}{b}"], "www", ".example.org")
        assert render(List()[ForEach(rows=(row,))]) == "- www\\.example.org\n"
