"""``ujsx -> mdast``: what each primitive means in Markdown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from tests.ujsx.transforms.cases import BOTH_WAYS, name
from ujsx import (
    Child,
    Children,
    Component,
    Element,
    ForEach,
    RenderContext,
    RenderError,
    elements,
    fragment,
    mdast,
    registry,
    render,
    to_mdast,
)
from ujsx.elements import (
    PRIMITIVES,
    BlockQuote,
    Brief,
    CodeBlock,
    FootnoteDefinition,
    Heading,
    Html,
    Item,
    LineBreak,
    Link,
    List,
    Omitted,
    Paragraph,
    Section,
    Shortened,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
    TrustedMarkdown,
    strong,
)

T = mdast.Text


def blocks(node: Child, depth: int = 0) -> tuple[Any, ...]:
    return to_mdast(node, RenderContext(depth=depth)).children


def paragraph(*nodes: Any) -> mdast.Paragraph:
    return mdast.Paragraph(tuple(T(each) if isinstance(each, str) else each for each in nodes))


class TestTable:
    @looped(("node", "expected"), BOTH_WAYS, ids=[name(each) for each, _ in BOTH_WAYS])
    def test_each_primitive_is_its_mdast_node(self, node: Any, expected: mdast.AnyNode) -> None:
        assert registry.transform("ujsx -> mdast", node) == expected

    def test_has_a_rule_for_text_and_every_primitive(self) -> None:
        for kind in (str, TrustedMarkdown, Brief, Shortened, ForEach, *PRIMITIVES.values()):
            assert registry.find("ujsx -> mdast", kind), kind

    def test_unordered_lists_have_no_start(self) -> None:
        assert blocks(List(start=5)[Item()])[0].start is None


class TestSection:
    def test_is_a_heading_and_its_content(self) -> None:
        assert blocks(Section(title="a")["x"]) == (mdast.Heading(1, (T("a"),)), paragraph("x"))

    def test_depth_follows_from_the_sections_around_up_to_6(self) -> None:
        tree: Child = "x"
        for number in range(8, 0, -1):
            tree = Section(title=str(number))[tree]
        headings = [each for each in blocks(tree) if isinstance(each, mdast.Heading)]
        assert [each.depth for each in headings] == [1, 2, 3, 4, 5, 6, 6, 6]
        assert [each.children[0] for each in headings] == [T(str(n)) for n in range(1, 9)]

    def test_depth_counts_from_the_contexts(self) -> None:
        assert blocks(Section(title="a")[Section(title="b")], depth=3) == (
            mdast.Heading(4, (T("a"),)),
            mdast.Heading(5, (T("b"),)),
        )

    def test_depth_returns_behind_a_section(self) -> None:
        tree = Section(title="a")[Section(title="b"), Section(title="c")]
        assert [each.depth for each in blocks(tree)] == [1, 2, 2]

    def test_is_deeper_in_a_quote_or_an_item_only_by_sections(self) -> None:
        tree = Section(title="a")[BlockQuote()[Section(title="b")]]
        assert blocks(tree)[1].children == (mdast.Heading(2, (T("b"),)),)

    @looped("title", ["a\nb", "a\r\n  b", "a\n\n\nb", " a\u2028b", "a\x85b", "a\tb"])
    def test_line_breaks_in_a_title_become_spaces(self, title: str) -> None:
        (heading,) = blocks(Section(title=title))
        assert render(Section(title=title)).count("\n") == 1
        assert heading.children[0].value.split() == ["a", "b"]

    def test_a_title_cannot_become_structure(self) -> None:
        title = "x\n# y\n- z *e*"
        assert render(Section(title=title)) == "# x # y - z \\*e\\*\n"

    def test_without_a_title_is_an_empty_heading(self) -> None:
        assert blocks(Section(title=" \n ")[()]) == (mdast.Heading(1),)


class TestFlow:
    """Where blocks stand, a run of inline content is one paragraph."""

    PARENTS = (
        (Section(title="a"), lambda root: root[1:]),
        (BlockQuote(), lambda root: root[0].children),
        (FootnoteDefinition(identifier="a"), lambda root: root[0].children),
        (fragment().component, lambda root: root),
    )

    @looped(("parent", "inside"), PARENTS, ids=name)
    def test_a_run_of_inline_content_is_one_paragraph(self, parent: Any, inside: Any) -> None:
        tree = parent[
            "a ", strong("b"), ThematicBreak(), "c", Paragraph()["d"], "e", Html(value="<i>")
        ]
        assert inside(blocks(tree)) == (
            paragraph("a ", mdast.Strong((T("b"),))),
            mdast.ThematicBreak(),
            paragraph("c"),
            paragraph("d"),
            paragraph("e", mdast.Html("<i>")),
        )

    def test_items_too(self) -> None:
        item = List()[Item()["a", List()[Item()["b"]]]]
        assert render(item) == "- a\n  - b\n"

    @looped("space", ["", " ", "\n", " \t\r\n"])
    def test_white_space_alone_is_no_paragraph(self, space: str) -> None:
        assert blocks([space]) == ()
        assert blocks([Paragraph()["a"], space, Paragraph()["b"]]) == (
            paragraph("a"),
            paragraph("b"),
        )
        assert blocks(BlockQuote()[space]) == (mdast.Blockquote(),)

    def test_a_space_that_is_no_white_space_of_markdown_says_something(self) -> None:
        assert blocks("\u00a0") == (paragraph("\u00a0"),)
        assert blocks(BlockQuote()["\u00a0"]) == (mdast.Blockquote((paragraph("\u00a0"),)),)

    def test_texts_that_meet_are_one(self) -> None:
        assert blocks(["a", "b", strong("c", "d")]) == (paragraph("ab", mdast.Strong((T("cd"),))),)

    def test_html_that_starts_a_run_is_a_block(self) -> None:
        assert blocks([Html(value="<b>"), "x"]) == (mdast.Html("<b>"), paragraph("x"))


class TestPhrasing:
    """Where a line stands, a block is an error."""

    LINES = (
        (Paragraph(), "Paragraph"),
        (Heading(), "Heading"),
        (strong().component, "Strong"),
        (elements.em().component, "Emphasis"),
        (elements.Strikethrough(), "Strikethrough"),
        (Link(url="u"), "Link"),
        (elements.LinkReference(identifier="a"), "LinkReference"),
    )
    BLOCKS = (
        (Paragraph()["x"], "a Paragraph is a block"),
        (Section(title="a"), "a Section is a block"),
        (List(), "a List is a block"),
        (CodeBlock(value="x"), "a CodeBlock is a block"),
        (ThematicBreak(), "a ThematicBreak is a block"),
        (fragment(List()).keyed("k"), "a List is a block"),
        (TrustedMarkdown(source="- a"), "a TrustedMarkdown is a block"),
    )

    @looped(("parent", "path"), LINES, ids=[path for _, path in LINES])
    @looped(("block", "message"), BLOCKS, ids=[name(each) for each, _ in BLOCKS])
    def test_refuses_blocks(self, parent: Any, path: str, block: Any, message: str) -> None:
        with pytest.raises(
            RenderError, match=f"{message} and cannot go inside inline text"
        ) as caught:
            blocks(BlockQuote()[Element.of(parent, ["x", block])])
        assert caught.value.path == f"BlockQuote / {path}[0]"

    def test_names_the_component_whose_render_made_it(self) -> None:
        with pytest.raises(RenderError, match="what Heads renders is a block"):
            blocks(Paragraph()["x", Heads()["y"]])

    def test_in_a_cell_too(self) -> None:
        with pytest.raises(RenderError, match="cannot go inside inline text") as caught:
            blocks(Table()[TableRow()[Element.of(TableCell(), List())]])
        assert caught.value.path == "Table / TableRow[0] / TableCell[0]"

    def test_takes_html(self) -> None:
        tree = Paragraph()[Html(value="<b>"), "x"]
        assert blocks(tree) == (paragraph(mdast.Html("<b>"), "x"),)


class Heads(Component):
    """A composite that is a block."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Section(title="a")[children]


class TestContainers:
    @looped(
        ("tree", "message"),
        [
            (
                Element.of(List(), "a"),
                "List: a List holds Items, not the text 'a'; write Item()['a']",
            ),
            (
                Element.of(List(), Paragraph()),
                "List: a List holds Items, not a Paragraph; write Item()[…]",
            ),
            (
                Element.of(List(), strong("a")),
                "List: a List holds Items, not a Strong; write Item()[…]",
            ),
            (
                Element.of(List(), elements.em("a")),
                "List: a List holds Items, not an Emphasis; write Item()[…]",
            ),
            (
                Element.of(List(), Section(title="a")),
                "List: a List holds Items, not a Section; write Item()[…]",
            ),
            (
                Element.of(List(), fragment(Item()["a"], "b").keyed("k")),
                "List: a List holds Items, not the text 'b'; write Item()['b']",
            ),
            (
                Element.of(List(), Heads()),
                "List: a List holds Items, not what Heads renders; write Item()[…]",
            ),
            (
                Element.of(Table(), TableCell()),
                "Table: a Table holds TableRows, not a TableCell; write TableRow()[TableCell()[…]]",
            ),
            (
                Element.of(Table(), "a"),
                "Table: a Table holds TableRows, not the text 'a'; write TableRow()[TableCell()['a']]",
            ),
            (
                Element.of(Table(), Omitted(count=1)),
                "Table: a Table holds TableRows, not an Omitted; write TableRow()[TableCell()[…]]",
            ),
            (
                Element.of(TableRow(), "a"),
                "TableRow: a TableRow holds TableCells, not the text 'a'; write TableCell()['a']",
            ),
        ],
    )
    def test_hold_their_own_kind(self, tree: Child, message: str) -> None:
        with pytest.raises(RenderError) as caught:
            blocks(tree)
        assert str(caught.value) == message

    def test_open_fragments_that_have_a_key(self) -> None:
        rows = fragment(TableRow()[fragment(TableCell()["a"]).keyed("c")]).keyed("r")
        assert blocks(Table()[rows]) == blocks(Table()[TableRow()[TableCell()["a"]]])
        items = fragment(Item()["a"], Omitted(count=1)).keyed("k")
        assert blocks(List()[items]) == blocks(List()[Item()["a"], Omitted(count=1)])


class TestOmitted:
    def test_is_set_apart_by_markup(self) -> None:
        assert render(Omitted(count=3)) == "*… 3 more*\n"
        assert render("… 3 more") == "… 3 more\n"
        assert render("*… 3 more*") == "\\*… 3 more\\*\n"

    def test_names_the_call_that_shows_them(self) -> None:
        assert render(Omitted(count=3, handle="notes()")) == "*… 3 more: `notes()`*\n"

    def test_leaves_the_call_out_where_it_is_brief(self) -> None:
        assert render(Omitted(count=3, handle="notes()", brief=True)) == "*… 3 more*\n"

    def test_says_what_it_is_told(self) -> None:
        assert render(Omitted(count=3, text="3\nnotes")) == "*3 notes*\n"

    def test_does_not_write_the_ids(self) -> None:
        assert render(Omitted(count=1, ids=("d-1",))) == "*… 1 more*\n"

    def test_is_the_last_item_in_a_list(self) -> None:
        assert render(List()[Item()["a"], Omitted(count=3)]) == "- a\n- *… 3 more*\n"

    def test_stands_in_a_line_as_it_is(self) -> None:
        assert render(Paragraph()["a ", Omitted(count=3)]) == "a *… 3 more*\n"


class TestTrustedMarkdown:
    def test_is_parsed_into_its_place(self) -> None:
        tree = BlockQuote()[TrustedMarkdown(source="*a*\n\n- b")]
        assert render(tree) == "> *a*\n>\n> - b\n"

    def test_stays_inside_its_parent(self) -> None:
        tree = List()[Item()[TrustedMarkdown(source="a\n\n# b\n\n---\n")], Item()["c"]]
        (made,) = mdast.from_markdown(render(tree)).children
        assert isinstance(made, mdast.List)
        assert len(made.children) == 2

    def test_stands_in_a_line_as_the_content_of_its_paragraph(self) -> None:
        tree = Paragraph()["a ", TrustedMarkdown(source="**b** `c`"), " d"]
        assert render(tree) == "a **b** `c` d\n"

    def test_headings_stand_below_the_sections_around(self) -> None:
        tree = Section(title="a")[Section(title="b")[TrustedMarkdown(source="# c\n\n###### d")]]
        assert [each.depth for each in blocks(tree)] == [1, 2, 3, 6]

    def test_headings_outside_of_sections_stay(self) -> None:
        assert blocks(TrustedMarkdown(source="## a")) == (mdast.Heading(2, (T("a"),)),)

    def test_headings_deeper_in_it_stand_below_them_too(self) -> None:
        tree = Section(title="a")[TrustedMarkdown(source="> # b\n\n- # c")]
        _, quote, items = blocks(tree)
        assert quote.children[0].depth == 2
        assert items.children[0].children[0].depth == 2

    def test_of_nothing_is_nothing(self) -> None:
        assert render(TrustedMarkdown(source="")) == ""
        assert render(Paragraph()["a", TrustedMarkdown(source="")]) == "a\n"

    def test_that_opens_a_document_may_have_front_matter_only_there(self) -> None:
        tree = Section(title="a")[TrustedMarkdown(source="---\na: 1\n---\n")]
        text = render(tree)
        assert mdast.from_markdown(text) == mdast.normalize(to_mdast(tree))


class TestLineBreak:
    def test_is_a_break(self) -> None:
        assert render(Paragraph()["a", LineBreak(), "b"]) == "a\\\nb\n"
