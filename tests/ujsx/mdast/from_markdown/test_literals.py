"""Autolink literals (GFM 6.9): what may stand before one, as GFM's readers have it in their HTML."""

from collections.abc import Iterator

from tests.ids import looped
from ujsx.mdast import Html, Link, Node, Text, from_markdown


def links(node: Node) -> Iterator[str]:
    if isinstance(node, Link):
        yield node.url
    for child in getattr(node, "children", ()):
        yield from links(child)


class TestWww:
    @looped(
        "before", ["", "a ", "a\n", "a  \n", "a\t", "*", "_", "~", "(", "\\*", "a\\\n", "*a*", "- "]
    )
    def test_may_follow_the_start_of_a_line_white_space_and_some_delimiters(
        self, before: str
    ) -> None:
        assert [*links(from_markdown(f"{before}www.a.b"))] == ["http://www.a.b"]

    @looped(
        "before",
        [
            "<",
            "a<br>",
            '"',
            "/",
            "-",
            "a,",
            "!",
            ".",
            ":",
            "\u3000",
            "\u00a0",
            "`a`",
            "&lt;",
            "&#42;",
        ],
    )
    def test_may_follow_nothing_else(self, before: str) -> None:
        assert [*links(from_markdown(f"{before}www.a.b"))] == []

    def test_directly_behind_a_link_is_text(self) -> None:
        assert [*links(from_markdown("[a](b)www.c.d"))] == ["b"]


class TestProtocols:
    @looped("before", ["", "a ", "<", "a<br>", ":", "1", "`a`", "\u3000", '"'])
    def test_may_follow_all_but_a_letter(self, before: str) -> None:
        assert [*links(from_markdown(f"{before}https://a.b c"))] == ["https://a.b"]
        assert [*links(from_markdown(f"{before}xhttps://a.b c"))] == []


class TestBrackets:
    @looped(
        "text",
        [
            "[https://a.b]",
            "[x][https://a.b]",
            "[www.a.b",
            "[[www.a.b]]",
            "![http://a.b]",
            "[a http://a.b](",
            "[a@b.co]",
            "[mailto:a@b.co",
        ],
    )
    def test_that_are_open_have_no_literal(self, text: str) -> None:
        (paragraph,) = from_markdown(text).children
        assert paragraph.children == (Text(text),)  # type: ignore[union-attr]

    def test_that_are_closed_change_nothing(self) -> None:
        assert [*links(from_markdown("[x] https://a.b"))] == ["https://a.b"]

    def test_html_that_parts_a_literal_is_no_part_of_it(self) -> None:
        (paragraph,) = from_markdown("a<br>www.a.org").children
        assert paragraph.children == (Text("a"), Html("<br>"), Text("www.a.org"))  # type: ignore[union-attr]


class TestProtectedText:
    @looped(
        "text",
        [
            r"a\@b.co",
            "a&#64;b.co",
            r"www\.a.b",
            r"http\://a.b",
            "http&#x3A;//a.b",
            r"mailto\:a\@b.co",
        ],
    )
    def test_an_escape_or_a_reference_keeps_it_text(self, text: str) -> None:
        assert [*links(from_markdown(text))] == []
