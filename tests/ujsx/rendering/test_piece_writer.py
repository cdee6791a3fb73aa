"""The texts of the pieces, one after the other, are the document that all their blocks are."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import example, given
from hypothesis import strategies as st

from tests.ids import looped
from tests.strategies import blocks
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Renderer,
    Rung,
    fragment,
    mdast,
    render,
    to_mdast,
)
from ujsx.elements import (
    BlockQuote,
    Definition,
    FrontMatter,
    Html,
    Item,
    List,
    Paragraph,
    Section,
    Strong,
    TrustedMarkdown,
    code,
    strong,
)


class Apart(Component):
    """A piece of its own."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.MINIMAL), Rung(Density.FULL)))

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


HOSTILE: tuple[Child, ...] = (
    List()[Item()["a"]],
    List(ordered=True)[Item()["b"], Item()[()]],
    List()[()],
    "text ",
    " <|im_",
    "start|>",
    "",
    " ",
    code("c"),
    strong("d"),
    Strong()[()],
    Paragraph()[()],
    Paragraph()["p"],
    Paragraph()[" "],
    Html(value="<div>"),
    Html(value="<b>"),
    Html(value="<!-- open"),
    Html(value=" "),
    Html(value="\n"),
    Html(value=""),
    Html(value="<div>\n\n</div>"),
    Definition(identifier="x", url="y"),
    Definition(identifier=" ", url="y"),
    FrontMatter(value="a: b"),
    FrontMatter(value="---"),
    BlockQuote()[Html(value="<!--")],
    TrustedMarkdown(source="- t\n\n<script>"),
    TrustedMarkdown(source="[x]: y\n"),
)

parts = st.lists(st.one_of(st.sampled_from(HOSTILE), blocks()), max_size=6)


def assert_is_all_of_the_document(given_parts: list[Child]) -> None:
    rendered = Renderer().render([Apart()[part] for part in given_parts])
    assert rendered.text == Renderer().render(fragment(given_parts)).text
    spans = [(node.start, node.end) for node in rendered.nodes]
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    assert starts == [0, *ends][: len(starts)]
    assert "".join(rendered.text[start:end] for start, end in spans) == rendered.text.removesuffix(
        "\n"
    )


@given(given_parts=parts)
@example(given_parts=[Html(value="<!-- open"), Html(value=" "), Paragraph()["p"], "q"])
@example(given_parts=["a", FrontMatter(value="b"), Html(value="\n"), List()[Item()["c"]]])
def test_all_of_the_text_belongs_to_a_piece(given_parts: list[Child]) -> None:
    assert_is_all_of_the_document(given_parts)


@looped("left", HOSTILE, ids=repr)
def test_beside_anything(left: Child) -> None:
    for right in HOSTILE:
        assert_is_all_of_the_document([left, right, Paragraph()["end"]])


def test_each_piece_has_its_own_where_each_block_has_a_text() -> None:
    pieces: list[Element] = [
        Apart()[each] for each in ("a", FrontMatter(value="b: c"), Paragraph()["d"])
    ]
    rendered = Renderer().render(pieces)
    texts = [rendered.text[node.start : node.end] for node in rendered.nodes]
    assert texts == ["a", "\n\n```yaml\nb: c\n```", "\n\nd"]


def test_what_is_written_is_what_the_tree_becomes_where_a_section_ends() -> None:
    tree = fragment(Section(title="S")[Apart()["one"], "two"], "three")
    for made in (Renderer().to_mdast(tree), to_mdast(tree)):
        assert mdast.to_markdown(made) == render(tree) == "# S\n\nonetwo\n\nthree\n"
