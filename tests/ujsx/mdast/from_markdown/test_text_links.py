"""Autolink literals in finished text."""

import pytest

from ujsx.mdast import Link, Text
from ujsx.mdast.from_markdown import from_markdown
from ujsx.mdast.from_markdown._text_links import link_literals


def links(text: str) -> list[str]:
    return [node.url for node in link_literals(text) if isinstance(node, Link)]


class TestLinkLiterals:
    @pytest.mark.parametrize(
        ("text", "urls"),
        [
            ("mailto:a@b.co", ["mailto:a@b.co"]),
            ("xmpp:a@b.co/c", ["xmpp:a@b.co/c"]),
            ("xmpp:a@b.co/1", []),
            ("a@b.c_", []),
            ("a@b.c1", []),
            ("[www.a.b", ["http://www.a.b"]),
            ("cwww.a.b", []),
            ("http://a_b.c", []),
            ("(http://a.b/(c))!", ["http://a.b/(c)"]),
            ("ahttp://b.c", []),
        ],
    )
    def test_finds_what_is_one(self, text: str, urls: list[str]) -> None:
        assert links(text) == urls

    def test_keeps_the_text_around(self) -> None:
        link = Link("mailto:b@c.de", children=(Text("b@c.de"),))
        assert link_literals("a b@c.de, f") == [Text("a "), link, Text(", f")]

    def test_makes_no_link_of_decoded_characters(self) -> None:
        assert link_literals("a@b.co", [(1, 2)]) == [Text("a@b.co")]
        assert links("a@b.co c@d.ef") == ["mailto:a@b.co", "mailto:c@d.ef"]
        assert len(link_literals("a@b.co c@d.ef", [(1, 2)])) == 2


class TestProtectedText:
    @pytest.mark.parametrize(
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
        (paragraph,) = from_markdown(text).children
        assert [type(child) for child in paragraph.children] == [Text]  # type: ignore[union-attr]
