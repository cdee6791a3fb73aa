"""``mdast -> hast``: what Markdown is in HTML. The specifications' examples are in ``hast/``."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from ujsx import MissingRuleError, RenderContext, RenderError, hast, mdast, registry
from ujsx.hast import to_html
from ujsx.mdast import extensions, from_markdown
from ujsx.mdast.extensions import NAMES


def html(markdown: str, context: RenderContext | None = None) -> str:
    return to_html(registry.transform("mdast -> hast", from_markdown(markdown), context))


def html_of(node: Any) -> str:
    return to_html(registry.transform("mdast -> hast", mdast.Root((node,))))


class TestTable:
    def test_has_a_rule_for_every_node_class(self) -> None:
        concrete = {
            value
            for value in vars(mdast).values()
            if isinstance(value, type) and issubclass(value, mdast.Node)
        } - {mdast.Node, mdast.Parent, mdast.UnknownNode}
        for_others = registry.find("mdast -> hast", mdast.Node)
        for kind in concrete:
            assert registry.find("mdast -> hast", kind) is not for_others, kind

    def test_has_a_rule_for_every_node_of_an_extension(self) -> None:
        for name in extensions.__all__:
            kind: Any = getattr(extensions, name)
            if isinstance(kind, type) and issubclass(kind, mdast.Node):
                needed = kind.__struct_fields__[: -len(kind.__struct_defaults__) or None]
                html_of(kind(*("x" for _ in needed)))

    def test_names_a_node_of_somebody_elses_extension(self) -> None:
        class Emoji(mdast.Node, frozen=True):
            name: str

        with pytest.raises(MissingRuleError, match=r"Emoji has no rule .*@registry.rule"):
            html_of(mdast.Paragraph((Emoji("wave"),)))  # type: ignore[arg-type]


class TestExtensions:
    @looped(
        ("markdown", "shown"),
        [
            (
                "a $x<y$",
                '<p>a <code class="language-math math-inline">x&lt;y</code></p>',
            ),
            (
                "$$\nx\n$$",
                '<pre><code class="language-math math-display">x</code></pre>',
            ),
            (
                "> [!TIP]\n> a",
                (
                    '<div class="markdown-alert markdown-alert-tip">\n'
                    '<p class="markdown-alert-title">Tip</p>\n<p>a</p>\n</div>'
                ),
            ),
            (
                '!!! tip inline "*b*"\n    c',
                (
                    '<div class="admonition tip inline">\n'
                    '<p class="admonition-title"><em>b</em></p>\n<p>c</p>\n</div>'
                ),
            ),
            (
                "!!! tip Inline",
                '<div class="admonition tip inline">\n<p class="admonition-title">Tip</p>\n</div>',
            ),
            ('!!! tip ""', '<div class="admonition tip">\n</div>'),
            ("[[A page|words]]", '<p><a href="A%20page" class="internal">words</a></p>'),
            ("[[javascript:alert(1)]]", '<p><a class="internal">javascript:alert(1)</a></p>'),
            (
                ':abbr[HTML]{onclick="alert(1)"}',
                '<p><span data-directive="abbr">HTML</span></p>',
            ),
            ("::toc", '<div data-directive="toc"></div>'),
            (":::note\na\n:::", '<div data-directive="note">\n<p>a</p>\n</div>'),
            ("a\n: b *c*", "<dl>\n<dt>a</dt>\n<dd>b <em>c</em></dd>\n</dl>"),
            (
                "a\n\n: b\n\n  c",
                "<dl>\n<dt>a</dt>\n<dd>\n<p>b</p>\n<p>c</p>\n</dd>\n</dl>",
            ),
            ("+++\na = 1\n+++\n\nb", "<p>b</p>"),
        ],
    )
    def test_are_shown_as_others_show_them(self, markdown: str, shown: str) -> None:
        tree = from_markdown(markdown, extensions=NAMES)
        assert to_html(registry.transform("mdast -> hast", tree)) == shown


class TestDefinitions:
    def test_give_references_their_url_and_title(self) -> None:
        assert html('[a] ![b][A]\n\n[a]: /x y "t"') == (
            "<p>[a] ![b][A]</p>\n<p>[a]: /x y &quot;t&quot;</p>"
        )
        assert html('[a] ![b][A]\n\n[a]: </x y> "t"') == (
            '<p><a href="/x%20y" title="t">a</a> <img src="/x%20y" alt="b" title="t"></p>'
        )

    def test_may_stand_behind_and_in_other_blocks(self) -> None:
        assert html("[a]\n\n> [a]: /x") == '<p><a href="/x">a</a></p>\n<blockquote>\n</blockquote>'

    def test_are_the_first_of_their_name(self) -> None:
        assert 'href="/1"' in html("[a]\n\n[a]: /1\n\n[A]: /2")

    def test_that_are_missing_leave_the_text(self) -> None:
        line = (
            mdast.LinkReference("x", children=(mdast.Text("a"),)),
            mdast.ImageReference("x", alt="b"),
            mdast.FootnoteReference("x", "X"),
        )
        assert html_of(mdast.Paragraph(line)) == "<p>ab[^X]</p>"

    def test_of_a_node_by_itself_are_missing(self) -> None:
        reference = mdast.LinkReference("x", children=(mdast.Text("a"),))
        assert registry.transform("mdast -> hast", reference) == [hast.Text("a")]


class TestFootnotes:
    def test_stand_in_a_section_in_the_order_in_which_they_are_cited(self) -> None:
        page = html("a[^2] b[^1]\n\n[^1]: one\n\n[^2]: two\n\n[^3]: never")
        assert page.index("two") < page.index("one")
        assert "never" not in page
        assert '<a href="#user-content-fn-2" id="user-content-fnref-2"' in page
        assert ">1</a></sup> b<sup>" in page

    def test_lead_back_to_each_place_that_cites_them(self) -> None:
        page = html("a[^x] b[^x]\n\n[^x]: one")
        assert 'id="user-content-fnref-x-2"' in page
        assert 'href="#user-content-fnref-x"' in page
        assert 'href="#user-content-fnref-x-2"' in page
        assert 'aria-label="Back to reference 1-2"' in page

    def test_may_cite_each_other(self) -> None:
        page = html("a[^1]\n\n[^1]: one[^2]\n\n[^2]: two[^1]")
        assert page.count("<li id=") == 2
        assert 'href="#user-content-fnref-1-2"' in page

    def test_lead_back_behind_a_block_that_is_no_paragraph(self) -> None:
        assert "</code></pre>\n<a href=" in html("a[^1]\n\n[^1]:\n        code\n")

    def test_have_the_contexts_words(self) -> None:
        context = RenderContext(texts={"footnotes": "Fußnoten", "footnotes.back": "Zu {number}"})
        page = html("a[^1]\n\n[^1]: b", context)
        assert ">Fußnoten</h2>" in page
        assert 'aria-label="Zu 1"' in page

    def test_cannot_take_the_name_of_another_id(self) -> None:
        page = html('a[^"x]\n\n[^"x]: b')
        assert 'id="user-content-fnref-%22x"' in page


class TestLists:
    def test_that_are_tight_have_no_paragraphs(self) -> None:
        assert html("- a\n- b\n  > c") == (
            "<ul>\n<li>a</li>\n<li>b\n<blockquote>\n<p>c</p>\n</blockquote>\n</li>\n</ul>"
        )

    def test_that_are_loose_have_them_in_every_item(self) -> None:
        assert html("- a\n\n- b") == "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"

    def test_are_loose_when_one_item_is(self) -> None:
        items = (
            mdast.ListItem(spread=True, children=(mdast.Paragraph((mdast.Text("a"),)),)),
            mdast.ListItem(children=(mdast.Paragraph((mdast.Text("b"),)),)),
        )
        assert html_of(mdast.List(children=items)).count("<p>") == 2

    def test_begin_with_their_number(self) -> None:
        assert html("3. a").startswith('<ol start="3">')
        assert html("1. a").startswith("<ol>")
        assert html("0. a").startswith('<ol start="0">')

    @looped(
        ("children", "expected"),
        [
            ((), "<li><input {}></li>"),
            ((mdast.ThematicBreak(),), "<li><input {}>\n<hr>\n</li>"),
            ((mdast.Paragraph(),), "<li><input {}></li>"),
        ],
    )
    def test_of_tasks_have_a_box_whatever_is_in_them(
        self, children: tuple[Any, ...], expected: str
    ) -> None:
        item = mdast.ListItem(checked=False, children=children)
        box = expected.format('disabled="" type="checkbox"')
        assert html_of(mdast.List(children=(item,))) == f"<ul>\n{box}\n</ul>"


class TestTables:
    def test_have_as_many_cells_in_each_row_as_in_the_head(self) -> None:
        page = html("| a | b |\n| - | - |\n| 1 |\n| 1 | 2 | 3 |")
        assert page.count("<th>") == 2
        assert page.count("<td>") == 4
        assert "3" not in page

    def test_without_alignment_keep_the_cells_of_the_head(self) -> None:
        row = mdast.TableRow((mdast.TableCell((mdast.Text("a"),)), mdast.TableCell()))
        assert html_of(mdast.Table(children=(row,))).count("<th>") == 2

    def test_of_nothing_are_empty(self) -> None:
        assert html_of(mdast.Table()) == "<table>\n</table>"


class TestCode:
    @looped(
        ("lang", "shown"),
        [
            (None, "<code>"),
            ("", "<code>"),
            ("py", '<code class="language-py">'),
            ("a b\tc", '<code class="language-a">'),
            ('"><b>', '<code class="language-&quot;&gt;&lt;b&gt;">'),
        ],
    )
    def test_names_its_language(self, lang: str | None, shown: str) -> None:
        assert html_of(mdast.Code("x", lang)) == f"<pre>{shown}x\n</code></pre>"

    def test_in_a_line_stays_in_one(self) -> None:
        assert html_of(mdast.Paragraph((mdast.InlineCode("a\nb\r\nc"),))) == (
            "<p><code>a b c</code></p>"
        )


class TestLimits:
    def test_depth_is_an_error_of_ours(self) -> None:
        node: Any = mdast.Paragraph((mdast.Text("a"),))
        for _ in range(5_000):
            node = mdast.Blockquote((node,))
        with pytest.raises(RenderError, match="deep"):
            html_of(node)

    def test_a_hundred_quotes_are_fine(self) -> None:
        assert html(">" * 100 + " a").count("<blockquote>") == 100

    def test_a_rule_of_a_users_own_is_used_inside(self) -> None:
        mine = registry.copy()
        mine.rule("mdast -> hast", mdast.TableCell)(
            lambda node, transform: hast.Element(
                "td", {"id": "x"}, tuple(transform.all(node.children))
            )
        )
        root = mine.transform("mdast -> hast", from_markdown("| a |\n| - |\n| b |"))
        assert '<th id="x">a</th>' in to_html(root)
        assert '<td id="x">b</td>' in to_html(root)
