"""Laws 1, 2 and 12 with each extension on, and with all of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conformance._sources import sources
from tests.extension_trees import canonical_roots
from tests.growth import IN_PROPORTION, growth
from ujsx.mdast import Root, from_dict, from_markdown, normalize, to_dict, to_markdown
from ujsx.mdast.extensions import NAMES

EACH = [(name,) for name in NAMES]
SETS = [*EACH, NAMES]

FRAGMENTS = (
    "$a$", "$ a$", "$5 and $6", "$$x$$", "$$\nx\n$$", "$$", "$", "\\$", "$`a`$", ":a", ":a[b]{c=d}",
    "::a", "::a[*b*]", ":::a\nb\n:::", "::::a\n:::b\nc\n:::\n::::", ":::", ":a[", "{x}", "[[a]]",
    "[[a|b]]", "[[", "]]", "![[a]]", "> [!NOTE]\n> a", "> [!NOTE] a", "> [!note]\n>\n> - a", "a\n: b",
    "a\n\n:   b\n\n    c", "![$x$](u)", "![[[a|b]] :c[d]](u)", "a\n: b\n: c\n\nd\n~ e", ": a", "+++\na = 1\n+++", "+++",
    "!!! note\n    a", '!!! tip "*b* c"\n\n    - d', "???+ x y\n    !!! z\n        e", "!!!", "??? a",
)  # fmt: skip
"""What the extensions read, and what looks like it."""


def documents() -> st.SearchStrategy[str]:
    """Random documents with what the extensions read between their blocks and words."""
    usual = st.integers(0, 5_000).map(lambda seed: sources(1, seed, gfm=True)[0].text)
    parts = st.lists(st.sampled_from(FRAGMENTS) | usual, min_size=1, max_size=4)
    return st.tuples(parts, st.sampled_from(["\n\n", "\n", " "])).map(
        lambda pair: pair[1].join(pair[0])
    )


EXAMPLES = settings.default.max_examples


def laws(count: int) -> Any:
    return settings(
        deadline=None,
        max_examples=count,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to make these small takes minutes
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@pytest.mark.parametrize("names", SETS, ids="+".join)
class TestLaws:
    @laws(2 * EXAMPLES)
    @given(data=st.data())
    def test_a_tree_is_read_back(self, names: tuple[str, ...], data: st.DataObject) -> None:
        tree: Root = data.draw(canonical_roots(*names))
        text = to_markdown(tree, extensions=names)
        assert from_markdown(text, extensions=names) == tree

    @laws(2 * EXAMPLES)
    @given(data=st.data())
    def test_a_document_is_read_back(self, names: tuple[str, ...], data: st.DataObject) -> None:
        text = data.draw(documents())
        tree = from_markdown(text, extensions=names)
        canonical = normalize(tree, extensions=names)
        written = to_markdown(tree, extensions=names, on_unwritable="normalize")
        assert normalize(from_markdown(written, extensions=names), extensions=names) == canonical

    @laws(EXAMPLES)
    @given(data=st.data())
    def test_a_tree_is_its_json(self, names: tuple[str, ...], data: st.DataObject) -> None:
        tree = from_markdown(data.draw(documents()), extensions=names, positions="all")
        again = from_dict(to_dict(tree))
        assert again == tree
        assert to_dict(again) == to_dict(tree)


HOSTILE = (
    "$", "$a ", "$$a$", "$$\n", ":a[", ":a[b]", ":a{", ':a{b="', "::a[", ":::a\n", "[[", "[[a|", "[[a]",
    "> [!NOTE]\n", "a\n: b\n", ": ", "a\n\n: b\n\n", "+++\n", "{", ":a]",
    "!!! a\n", "!!! a\n    ",
)  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_text_is_read_and_written_in_proportion(piece: str) -> None:
    def round_trip(text: str) -> str:
        try:
            tree = from_markdown(text, extensions=NAMES)
        except Exception:  # noqa: BLE001 - too deep, which is said before the rest is looked at
            return ""
        return to_markdown(tree, extensions=NAMES, on_unwritable="normalize")

    assert growth(round_trip, piece * 500, piece * 4_000) <= IN_PROPORTION
