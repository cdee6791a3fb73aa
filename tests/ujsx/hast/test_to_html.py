"""The text of a hast tree."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from ujsx import HastError, mdast
from ujsx.hast import Comment, Doctype, Element, Raw, Root, Text, to_html


class TestText:
    def test_is_escaped(self) -> None:
        assert to_html(Text("<a title=\"b\"> & 'c'")) == ("&lt;a title=&quot;b&quot;&gt; &amp; 'c'")

    def test_that_looks_like_a_reference_stays_text(self) -> None:
        assert to_html(Text("&lt;")) == "&amp;lt;"

    def test_has_no_character_that_a_file_cannot_hold(self) -> None:
        assert to_html(Text("a\0b\ud800c")) == "a\ufffdb\ufffdc"


class TestElement:
    def test_holds_its_children(self) -> None:
        assert to_html(Element("p", {}, (Text("a"), Element("b", {}, (Text("c"),))))) == (
            "<p>a<b>c</b></p>"
        )

    def test_without_content_has_no_end_tag(self) -> None:
        assert to_html(Element("br")) == "<br>"
        assert to_html(Element("img", {"alt": ""})) == '<img alt="">'

    def test_closes_itself_when_told(self) -> None:
        assert to_html(Element("br"), close_self_closing=True) == "<br />"
        assert to_html(Element("p"), close_self_closing=True) == "<p></p>"

    @looped("name", ["", "a b", "a>", "1", "a/", 'a"', "a\n", "<a", "é"])
    def test_with_a_name_that_is_none_is_refused(self, name: str) -> None:
        with pytest.raises(HastError, match="cannot be a tag's name"):
            to_html(Element(name))

    def test_names_the_path_of_what_it_refuses(self) -> None:
        with pytest.raises(HastError) as caught:
            to_html(Root((Element("ul", {}, (Element("li", {}, (Element("a b"),)),)),)))
        assert caught.value.path == "ul / li / a b"

    @looped("name", ["pre", "textarea"])
    def test_keeps_a_line_end_that_comes_first(self, name: str) -> None:
        assert to_html(Element(name, {}, (Text("\na"),))) == f"<{name}>\n\na</{name}>"
        assert to_html(Element(name, {}, (Text("a"),))) == f"<{name}>a</{name}>"


class TestContentThatCannotBeEscaped:
    @looped("name", ["script", "STYLE", "iframe", "noscript", "xmp"])
    def test_is_left_out(self, name: str) -> None:
        assert to_html(Root((Text("a"), Element(name, {}, (Text("f()"),)), Text("b")))) == "ab"

    def test_is_written_when_allowed(self) -> None:
        script = Element("script", {}, (Text("1 < 2 && f()"),))
        assert to_html(script, allow_dangerous_html=True) == "<script>1 < 2 && f()</script>"

    @looped("text", ["'</script>'", "</SCRIPT", "<!-- <script>"])
    def test_cannot_end_its_element(self, text: str) -> None:
        with pytest.raises(HastError, match="could end it early"):
            to_html(Element("script", {}, (Text(text),)), allow_dangerous_html=True)

    def test_is_text_alone(self) -> None:
        with pytest.raises(HastError, match="holds text and nothing else"):
            to_html(Element("style", {}, (Element("b"),)), allow_dangerous_html=True)


class TestRaw:
    def test_shows_as_text(self) -> None:
        assert to_html(Raw("<b>&amp;")) == "&lt;b&gt;&amp;amp;"

    def test_is_written_when_allowed(self) -> None:
        assert to_html(Raw("<b>&amp;"), allow_dangerous_html=True) == "<b>&amp;"

    @looped(
        ("html", "shown"),
        [
            ("<script>f()</script>", "&lt;script>f()&lt;/script>"),
            ("<XMP\nx>", "&lt;XMP\nx>"),
            ("<title/>", "&lt;title/>"),
            ("<script", "&lt;script"),
            ("<scripts>", "<scripts>"),
            ("<b>", "<b>"),
        ],
    )
    def test_is_filtered_when_told(self, html: str, shown: str) -> None:
        assert to_html(Raw(html), allow_dangerous_html=True, tag_filter=True) == shown


class TestTheRest:
    def test_a_comment_cannot_end_early(self) -> None:
        assert to_html(Comment("a --> <b> --!>")) == "<!--a --&gt; <b&gt; --!&gt;-->"

    def test_a_doctype_is_that_of_html(self) -> None:
        assert to_html(Root((Doctype(), Element("html")))) == "<!doctype html><html></html>"

    def test_what_is_no_hast_node_is_refused(self) -> None:
        node: Any = mdast.Text("a")
        with pytest.raises(HastError, match="not a hast node"):
            to_html(node)

    def test_what_nests_too_deep_is_refused(self) -> None:
        tree = Element("b")
        for _ in range(10_000):
            tree = Element("b", {}, (tree,))
        with pytest.raises(HastError, match="more than 200 levels"):
            to_html(tree)
