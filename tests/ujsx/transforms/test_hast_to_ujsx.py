"""``hast -> ujsx``: HTML as a tree of primitives."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.ids import looped
from ujsx import Element, UjsxError, fragment, hast, mdast, registry, render, render_html
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Heading,
    Html,
    Image,
    InlineCode,
    Item,
    LineBreak,
    List,
    Paragraph,
    Strikethrough,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
    em,
    link,
    strong,
)
from ujsx.hast import Comment, Doctype, Raw, Text, to_html
from ujsx.testing.strategies import roots

SPACES = re.compile(r"[ \t\r\n\f]+")


def e(tag_name: str, *children: Any, **properties: Any) -> hast.Element:
    made = tuple(Text(child) if isinstance(child, str) else child for child in children)
    return hast.Element(tag_name, properties, made)


def tree(*nodes: Any) -> Element:
    made = tuple(Text(node) if isinstance(node, str) else node for node in nodes)
    found: Element = registry.transform("hast -> ujsx", hast.Root(made))
    return found


P = Paragraph()

CASES: list[tuple[hast.Content, Any]] = [
    (e("p", "a"), P["a"]),
    *((e(f"h{depth}", "a"), Heading(depth=depth)["a"]) for depth in range(1, 7)),
    (e("blockquote", e("p", "a")), BlockQuote()[P["a"]]),
    (e("blockquote", "a"), BlockQuote()[P["a"]]),
    (e("hr"), ThematicBreak()),
    (e("pre", e("code", "a\n  b\n", className=("x", "language-py"))), CodeBlock(value="a\n  b", lang="py")),
    (e("pre", e("code", "a", className="language-js y")), CodeBlock(value="a", lang="js")),
    (e("pre", "a ", e("b", "b")), CodeBlock(value="a b")),
    (e("strong", "a"), P[strong("a")]),
    (e("b", "a"), P[strong("a")]),
    (e("em", "a"), P[em("a")]),
    (e("i", "a"), P[em("a")]),
    *((e(name, "a"), P[Strikethrough()["a"]]) for name in ("del", "s", "strike")),
    (e("code", "a\n b"), P[InlineCode(value="a b")]),
    (e("a", "x", href="/u", title="t"), P[link("x", "/u", "t")]),
    (e("a", "x"), P["x"]),
    (e("img", src="/u", alt="a", title="t"), P[Image(url="/u", alt="a", title="t")]),
    (e("img", src="/u"), P[Image(url="/u")]),
    (e("img", alt="a"), P["a"]),
    (e("p", "a", e("br"), "\nb"), P["a", LineBreak(), "b"]),
    (e("ul", "\n", e("li", "a"), "\n", e("li")), List()[Item()[P["a"]], Item()]),
    (e("ol", e("li", "a"), start=3), List(ordered=True, start=3)[Item()[P["a"]]]),
    (e("ol", e("li", "a"), start="-1"), List(ordered=True)[Item()[P["a"]]]),
    (e("ul", e("li", e("p", "a"))), List(spread=True)[Item()[P["a"]]]),
    (
        e("ul", e("li", e("input", type="checkbox", checked=True), " a"), e("li", e("p", e("input", type="checkbox")))),
        List(spread=True)[Item(checked=True)[P["a"]], Item(checked=False)],
    ),
    (e("ul", e("ul", e("li", "a"))), List()[Item()[List()[Item()[P["a"]]]]]),
    (
        e("table", e("thead", e("tr", e("th", "a", align="right"), e("th", "b"))), e("tbody", e("tr", e("td", "c")))),
        Table(align=("right", None))[
            TableRow()[TableCell()["a"], TableCell()["b"]], TableRow()[TableCell()["c"]]
        ],
    ),
    (Raw("<x>"), Html(value="<x>")),
]  # fmt: skip
"""Each element, and the primitive it is."""


class TestElements:
    @looped(("node", "expected"), CASES, ids=[to_html(node)[:50] for node, _ in CASES])
    def test_are_their_primitive(self, node: hast.Content, expected: Any) -> None:
        assert tree(node) == fragment(expected)

    def test_have_names_of_any_case(self) -> None:
        assert tree(e("P", e("STRONG", "a"))) == fragment(P[strong("a")])

    def test_without_a_primitive_give_their_children(self) -> None:
        assert tree(e("p", "a ", e("span", "b ", e("u", "c")))) == fragment(P["a b c"])

    def test_that_are_blocks_give_blocks(self) -> None:
        assert tree(e("div", "a"), e("section", "b", e("h2", "c"))) == fragment(
            P["a"], P["b"], Heading(depth=2)["c"]
        )

    @looped("name", ["script", "style", "head", "title", "template", "noscript"])
    def test_that_show_nothing_vanish(self, name: str) -> None:
        assert tree(e("p", "a", e(name, "f()"), "b")) == fragment(P["ab"])

    def test_comments_and_doctypes_vanish(self) -> None:
        assert tree(Doctype(), Comment("x"), e("p", "a")) == fragment(P["a"])

    def test_blocks_in_a_line_give_what_is_in_them(self) -> None:
        assert tree(e("h1", "a", e("div", e("p", "b")), e("pre", "c\nd"))) == fragment(
            Heading()["a b ", InlineCode(value="c d")]
        )
        assert tree(e("td", "a")) == fragment(P["a"])
        assert tree(e("li", "a")) == fragment(P["a"])

    def test_a_caption_stands_before_its_table(self) -> None:
        assert tree(e("table", e("caption", "a"), e("tr", e("td", "b")))) == fragment(
            P["a"], Table(align=(None,))[TableRow()[TableCell()["b"]]]
        )

    def test_a_table_without_rows_is_nothing(self) -> None:
        assert tree(e("table")) == fragment()


class TestWhiteSpace:
    def test_collapses(self) -> None:
        assert tree(e("p", "\n a \t b\n", e("em", "c"), " ")) == fragment(P["a b ", em("c")])

    def test_that_does_not_break_stays(self) -> None:
        assert tree(e("p", "\u00a0a")) == fragment(P["\u00a0a"])

    def test_between_blocks_is_nothing(self) -> None:
        assert tree("\n", e("p", "a"), " \n", e("p", " ")) == fragment(P["a"])

    def test_is_one_where_texts_meet(self) -> None:
        assert tree(e("p", "a ", e("span", " b"))) == fragment(P["a b"])


class TestDepth:
    def test_is_an_error_of_ours(self) -> None:
        node = e("b", "a")
        for _ in range(5_000):
            node = e("b", node)
        with pytest.raises(UjsxError, match="deep"):
            tree(node)
        assert tree(e("pre", node)) == fragment(CodeBlock(value="a"))


def without_layout(html: str) -> str:
    """HTML with white space collapsed, and none where blocks meet."""
    return re.sub(
        r" ?(</?(?:p|h\d|ul|ol|li|blockquote|t\w+|pre|hr|br)\b[^>]*>) ?",
        r"\1",
        SPACES.sub(" ", html),
    ).strip()


class TestBackAgain:
    def test_the_specifications_documents_have_the_same_page(self, corpora: Path) -> None:
        path = corpora / "markdown" / "commonmark-0.31.2.json"
        if not path.is_file():
            pytest.skip(f"{path} is missing; name the folder of the corpora in UJSX_CORPORA")
        for example in json.loads(path.read_text(encoding="utf-8")):
            root = registry.transform("mdast -> hast", mdast.from_markdown(example["markdown"]))
            back = registry.transform("hast -> ujsx", root)
            assert without_layout(render_html(back)) == without_layout(to_html(root))

    @settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
    @given(roots())
    def test_any_page_is_a_tree_that_can_be_rendered(self, root: mdast.Root) -> None:
        back = registry.transform("hast -> ujsx", registry.transform("mdast -> hast", root))
        assert isinstance(render(back), str)
        assert isinstance(render_html(back), str)
