"""Law 2: a document written again is read by independent renderers as it was before, or refused."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import HealthCheck, assume, given, reject, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ujsx import MdastError
from ujsx.mdast import from_markdown, normalize, to_markdown
from ujsx.testing.strategies import texts

cmarkgfm = pytest.importorskip("cmarkgfm", reason="cmarkgfm, the second renderer, is not installed")

EXAMPLES = int(os.environ.get("UJSX_FUZZ", 15 * settings.default.max_examples // 2))
"""Documents; ``UJSX_FUZZ=10000`` looks longer."""

LEFT_OUT = re.compile(r"`{200}|~{200}|\t[ \t]*\n")
"""cmark counts a fence's length in a byte; a hard break behind a tab is none to micromark, whose trees
the reader builds."""

STARTS = st.sampled_from(
    ("", "", "", "# ", "## ", "- ", "* ", "1. ", "2) ", "> ", "    ", "  ", "```\n", "***\n", "\t")
)
INLINE = st.sampled_from(
    ("*a*", "**b**", "_c_", "`d`", "[e](f)", "![g](h)", "<b>", "&amp;", "\\*", "a", " ", "a b")
)
LINES = st.builds(
    lambda start, parts: start + "".join(parts),
    STARTS,
    st.lists(INLINE | texts(max_fragments=2), max_size=4),
)
DOCUMENTS = (
    st.lists(LINES, min_size=1, max_size=8)
    .map("\n".join)
    .filter(lambda markdown: not LEFT_OUT.search(markdown))
)


def by_markdown_it(markdown: str) -> str:
    return _same(MarkdownIt("commonmark").render(markdown))


def by_cmark(markdown: str) -> str:
    return _same(cmarkgfm.markdown_to_html(markdown, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))


def _same(html: str) -> str:
    """HTML without what two renderers may spell differently: white space between tags, quotes."""
    html = re.sub(r"\s+", " ", html).replace("&quot;", '"').replace(" />", ">")
    return re.sub(r" ?(<[^>]*>) ?", r"\1", html)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(DOCUMENTS)
def test_a_document_means_the_same_when_it_is_written_again(markdown: str) -> None:
    before = by_markdown_it(markdown), by_cmark(markdown)
    assume(before[0] == before[1])  # a document that they read differently says nothing
    try:
        tree = from_markdown(markdown, gfm=False, frontmatter=False)
    except MdastError as error:
        if "nested more than" not in str(error):
            raise
        reject()
    try:
        again = to_markdown(tree)
    except MdastError:  # refused, and not written wrong; then canonical form can be written
        canonical = to_markdown(tree, on_unwritable="normalize")
        assert from_markdown(canonical, gfm=False, frontmatter=False) == normalize(tree)
        return
    assert (by_markdown_it(again), by_cmark(again)) == before
