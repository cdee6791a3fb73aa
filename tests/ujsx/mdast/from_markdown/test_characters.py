"""Escapes, references and labels."""

import pytest

from ujsx.mdast.from_markdown._source import decode, decode_references, identifier


class TestDecode:
    @pytest.mark.parametrize(
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
        assert decode(text) == decoded

    def test_may_leave_backslashes(self) -> None:
        assert decode_references(r"\* &amp;") == r"\* &"


class TestIdentifier:
    @pytest.mark.parametrize("label", ["a b", " A\tB ", "a\n\n b"])
    def test_ignores_case_and_white_space(self, label: str) -> None:
        assert identifier(label) == "a b"

    def test_keeps_white_space_that_is_not_markdowns(self) -> None:
        assert identifier("a\u00a0") == "a\u00a0"
