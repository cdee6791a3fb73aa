"""Patterns of Rust and Python in the words of ECMA-262."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx.schema import to_dialect


def ecma(pattern: str) -> str | None:
    """The pattern of a text in a schema that is exported; None if the description has it instead."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    text = to_dialect(schema, "mcp")["properties"]["a"]
    if "pattern" not in text:
        assert text["description"] == f"pattern {pattern}"
    return text.get("pattern")


SAME = [
    "", "a", "^[a-z]{2}\\d$", r"\S", r"a\.b", "[^a]", "a|b", "(?:a)", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b",
    "(?<year>a)", r"\p{L}", r"[\-a]", "a*?", "a+?", "a??", "a{1,2}?", "a{2}", r"\u0041", "[+*]",
]  # fmt: skip

REWRITTEN = [
    (r"\Aa\Z", "^a$"),
    (r"\Aa\z", "^a$"),
    ("(?P<n>a)(?P=n)", r"(?<n>a)\k<n>"),
    ("a(?#said)b", "ab"),
    ("a{,3}", "a{0,3}"),
    ("[]a]", r"[\]a]"),
    ("[^]a]", r"[^\]a]"),
    (r"a\-b\@", "a-b@"),
    (r"[\@]", "[@]"),
]

NONE = [
    "(?i)a", "(?i:a)", "(?x) a", "(?s-i:a)", "(?>a)", "(a)(?(1)b)", "a++", "a*+", "a?+", "a{1}+",
    "[[:alpha:]]", "[a&&b]", "[a--b]", "[a[b]]", r"\x{41}", r"\U0001F600", r"\G", r"\a", "[a", r"\N{DASH}", "(?R)",
]  # fmt: skip


class TestEcma:
    @looped("pattern", SAME)
    def test_leaves_what_it_has(self, pattern: str) -> None:
        assert ecma(pattern) == pattern

    @looped(("pattern", "written"), REWRITTEN)
    def test_says_in_its_words_what_others_say_in_theirs(self, pattern: str, written: str) -> None:
        assert ecma(pattern) == written
        assert ecma(written) == written

    @looped("pattern", NONE)
    def test_has_no_form_for_some(self, pattern: str) -> None:
        assert ecma(pattern) is None

    @given(st.text(r"\ab[](){}?+*^$-&#<>=P:0,z~", max_size=12))
    def test_what_it_writes_stays(self, pattern: str) -> None:
        written = ecma(pattern)
        assert written is None or ecma(written) == written

    @given(st.text(r"ab[]()?+*^$-.|{},01", max_size=8), st.text("ab-.01", max_size=6))
    def test_what_it_rewrites_means_the_same(self, pattern: str, text: str) -> None:
        """As far as Python's engine can tell, which shares these forms."""
        written = ecma(pattern)
        try:
            given_, said = re.compile(pattern), re.compile(written or "(")
        except (re.error, FutureWarning):
            return
        assert bool(given_.search(text)) == bool(said.search(text))
