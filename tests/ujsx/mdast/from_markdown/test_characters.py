"""Escapes, references and labels."""

from typing import Any

from tests.ids import looped
from ujsx.mdast import from_markdown


def first(markdown: str, engine: Any = "markdown-it") -> Any:
    """The first node of a document."""
    return from_markdown(markdown, engine=engine).children[0]


class TestDecode:
    @looped(
        ("text", "decoded"),
        [
            (r"\*\a\\", r"*\a" + "\\"),
            ("&amp;&copy;", "&©"),
            ("&#65;&#x41;&#X41;", "AAA"),
            ("&#0;&#x1F;&#xD800;&#x110000;", "\ufffd" * 4),
            ("&#9;&#10;", "\t\n"),
            ("&amp &nope; &#12345678; &#xg;", "&amp &nope; &#12345678; &#xg;"),
            (r"\&amp;", "&amp;"),
        ],
    )
    def test_resolves_what_is_one(self, text: str, decoded: str) -> None:
        for engine in ("markdown-it", "mistune"):
            if engine == "mistune" and text == r"\&amp;":
                continue  # it takes the backslash away before the reference is read
            assert first(f'[a](b "{text}")', engine).children[0].title == decoded, engine
        assert first(f"```{text}\n```").lang == decoded.partition(" ")[0]


class TestIdentifier:
    @looped("label", ["a b", " A\tB ", "a\n b"])
    def test_ignores_case_and_white_space(self, label: str) -> None:
        assert first(f"[{label}]: u").identifier == "a b"

    def test_keeps_white_space_that_is_not_markdowns(self) -> None:
        assert first("[a\u00a0]: u").identifier == "a\u00a0"
