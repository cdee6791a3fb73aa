"""``ujsx -> hast`` and ``render_html``: what a tree is as a page.

That a page is the same as that of the tree's Markdown is a property in ``hast/test_inert.py``.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    MissingRuleError,
    RenderContext,
    RenderError,
    Rung,
    UjsxError,
    elements,
    fragment,
    hast,
    mdast,
    registry,
    render_html,
    to_hast,
    to_mdast,
)
from ujsx.elements import (
    PRIMITIVES,
    BlockQuote,
    Definition,
    FootnoteDefinition,
    FootnoteReference,
    FrontMatter,
    Html,
    Item,
    LinkReference,
    List,
    Omitted,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    TrustedMarkdown,
    strong,
)


class Badge(Component):
    label: str


class Callout(Component):
    """A block of its own."""


@pytest.fixture
def mine() -> Any:
    mine = registry.copy()

    @mine.rule("ujsx -> hast", Badge)
    def badge(element: Any, transform: Any) -> hast.Element:
        return hast.Element("mark", {}, (hast.Text(element.component.label),))

    @mine.rule("ujsx -> hast", Callout)
    def callout(element: Any, transform: Any) -> hast.Element:
        return hast.Element("aside", {}, tuple(transform.all(element.children)))

    return mine


class TestRenderHtml:
    def test_ends_in_one_newline(self) -> None:
        assert render_html("a") == "<p>a</p>\n"
        assert render_html(Html(value="a\n\n")) == "a\n"

    def test_of_nothing_is_nothing(self) -> None:
        assert render_html(None) == ""
        assert render_html([" ", "\n"]) == ""

    def test_shows_what_the_density_says(self) -> None:
        class Words(Component):
            disclosure = Disclosure(ladder=(Rung(Density.MINIMAL, 0), Rung(Density.FULL)))

            def render(self, ctx: RenderContext, children: Children) -> Child:
                return ctx.density.value

        assert render_html(Words(), density="minimal") == "<p>minimal</p>\n"
        assert render_html(Words()) == "<p>full</p>\n"

    def test_hands_on_what_html_can_be_told(self) -> None:
        tree = Paragraph()["a", Html(value="<b>")]
        assert render_html(tree) == "<p>a&lt;b&gt;</p>\n"
        assert render_html(tree, allow_dangerous_html=True) == "<p>a<b></p>\n"

    def test_depth_counts_from_the_contexts(self) -> None:
        assert render_html(Section(title="a"), context=RenderContext(depth=2)) == "<h3>a</h3>\n"

    def test_takes_as_many_levels_as_a_tree_may_have(self) -> None:
        tree: Child = Paragraph()["a"]
        for _ in range(140):
            tree = BlockQuote()[tree]
        assert render_html(tree).count("<blockquote>") == 140
        for _ in range(20):
            tree = BlockQuote()[tree]
        with pytest.raises(UjsxError, match="deep"):
            render_html(tree)


class TestTable:
    def test_finds_a_rule_for_every_primitive(self) -> None:
        for cls in PRIMITIVES.values():
            assert registry.find("ujsx -> hast", cls)


class TestLines:
    def test_become_paragraphs_among_blocks(self) -> None:
        assert render_html(["a ", strong("b"), Paragraph()["c"], "d"]) == (
            "<p>a <strong>b</strong></p>\n<p>c</p>\n<p>d</p>\n"
        )

    def test_refuse_blocks(self) -> None:
        with pytest.raises(RenderError) as caught:
            render_html(Element.of(Paragraph(), Section(title="x")))
        assert str(caught.value) == (
            "Paragraph: a Section is a block and cannot go inside inline text; put it next to the paragraph"
        )


class TestMembers:
    @looped(
        ("tree", "message"),
        [
            (
                Element.of(List(), Paragraph()["a"]),
                "List: a List holds Items, not a Paragraph; write Item()[…]",
            ),
            (
                Element.of(List(), "a"),
                "List: a List holds Items, not the text 'a'; write Item()['a']",
            ),
            (
                Element.of(List(), TrustedMarkdown(source="a")),
                "List: a List holds Items, not a TrustedMarkdown; write Item()[…]",
            ),
            (
                Element.of(Table(), TableCell()),
                "Table: a Table holds TableRows, not a TableCell; write TableRow()[TableCell()[…]]",
            ),
            (
                Element.of(TableRow(), "a"),
                "TableRow: a TableRow holds TableCells, not the text 'a'; write TableCell()['a']",
            ),
        ],
    )
    def test_are_of_their_own_kind(self, tree: Child, message: str) -> None:
        with pytest.raises(RenderError) as caught:
            render_html(tree)
        assert str(caught.value) == message

    def test_of_fragments_with_a_key_are_members(self) -> None:
        assert render_html(List()[fragment(Item()["a"]).keyed("k")]) == render_html(
            List()[Item()["a"]]
        )

    def test_of_fragments_are_found_however_deep(self) -> None:
        items = fragment(Item()["a"]).keyed("k")
        for _ in range(100):
            items = fragment(items).keyed("k")
        assert render_html(List()[items]) == "<ul>\n<li>a</li>\n</ul>\n"

    def test_that_stand_for_others_are_items(self) -> None:
        assert render_html(List()[Item()["a"], Omitted(count=2)]) == (
            "<ul>\n<li>a</li>\n<li><em>… 2 more</em></li>\n</ul>\n"
        )


class TestReferences:
    def test_are_resolved_wherever_the_definition_stands(self) -> None:
        tree = [
            LinkReference(identifier="a")["x"],
            BlockQuote()[Definition(identifier="A", url="/u", title="t")],
        ]
        assert render_html(tree).startswith('<p><a href="/u" title="t">x</a></p>')

    def test_find_what_trusted_markdown_defines(self) -> None:
        tree = [LinkReference(identifier="a")["x"], TrustedMarkdown(source="[a]: /u")]
        assert render_html(tree) == '<p><a href="/u">x</a></p>\n'

    def test_of_trusted_markdown_find_what_the_tree_defines(self) -> None:
        tree = [TrustedMarkdown(source="[x][a]\n\n[a]: /1"), Definition(identifier="b", url="/2")]
        assert 'href="/1"' in render_html(tree)

    def test_of_footnotes_make_a_section(self) -> None:
        tree = [
            Paragraph()["a", FootnoteReference(identifier="n")],
            FootnoteDefinition(identifier="n")[Paragraph()["note"]],
        ]
        assert "<p>note <a href=" in render_html(tree)


class TestFrontMatter:
    def test_is_not_shown(self) -> None:
        assert render_html([FrontMatter(value="a: 1"), "b"]) == "<p>b</p>\n"


class TestARuleOfAUsersOwn:
    def test_is_found_wherever_the_component_stands(self, mine: Any) -> None:
        badge = Badge(label="<1>")
        tree = [
            List()[Item()[badge, " a"]],
            Table()[TableRow()[TableCell()[badge]]],
            Section(title="s")[BlockQuote()[strong(badge)]],
            Callout()[Paragraph()[badge]],
        ]
        assert render_html(tree, registry=mine).count("<mark>&lt;1&gt;</mark>") == 4

    def test_stands_in_a_line_if_its_element_does(self, mine: Any) -> None:
        assert render_html([Badge(label="a"), " b"], registry=mine) == "<p><mark>a</mark> b</p>\n"
        assert render_html([Callout(), " b"], registry=mine) == "<aside></aside>\n<p>b</p>\n"

    def test_sees_the_trees_references(self, mine: Any) -> None:
        tree = [Callout()[LinkReference(identifier="a")["x"]], Definition(identifier="a", url="/u")]
        assert render_html(tree, registry=mine) == '<aside><a href="/u">x</a></aside>\n'

    def test_replaces_that_of_a_primitive(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> hast", elements.Strong)(
            lambda element, transform: hast.Element("b", {}, tuple(transform.all(element.children)))
        )
        assert render_html(Item()[strong("a")], registry=mine) == "<li>\n<p><b>a</b></p>\n</li>\n"
        assert render_html(strong("a")) == "<p><strong>a</strong></p>\n"

    def test_for_markdown_alone_is_the_html_too(self) -> None:
        mine = registry.copy()
        mine.rule("ujsx -> mdast", Badge)(
            lambda element, transform: mdast.Emphasis((mdast.Text(element.component.label),))
        )
        assert render_html(["a ", Badge(label="b")], registry=mine) == "<p>a <em>b</em></p>\n"

    def test_is_needed_where_a_class_adds_props_to_a_primitive(self) -> None:
        class Trip(elements.Section):
            destination: str

        for to in (render_html, to_mdast):
            with pytest.raises(RenderError, match="Trip shows none of its props destination"):
                to(["a", Trip(title="Trip", destination="Lisbon")])

    def test_that_is_missing_is_an_error_with_the_path(self) -> None:
        with pytest.raises(MissingRuleError) as caught:
            render_html(List()[Item()[Badge(label="b")]])
        assert caught.value.path == "List / Item[0] / Badge[0]"


class TestToHast:
    def test_is_the_step_before_the_text(self) -> None:
        assert to_hast("a") == hast.Root((hast.Element("p", {}, (hast.Text("a"),)),))
