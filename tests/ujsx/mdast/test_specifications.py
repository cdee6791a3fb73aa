"""The specifications' examples, written again, mean the same to Python's renderers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from ujsx.mdast import from_markdown, to_markdown

cmarkgfm = pytest.importorskip("cmarkgfm", reason="cmarkgfm, the second renderer, is not installed")

UNSAFE = cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE

DIFFERENT = {
    28: "cmark-gfm reads a number of eight digits as a reference, as CommonMark 0.28 did",
    354: "cmark-gfm takes no currency sign for punctuation, as CommonMark before 0.31",
}
"""Examples of CommonMark whose source cmark-gfm, of an older version, takes differently."""

DIFFERENT_GFM = {
    628: "cmark-gfm makes links of ftp:// texts, which the specification no longer has"
}
"""Examples of GFM whose source the readers take differently, with what they disagree on."""


def examples(corpora: Path, name: str) -> list[dict[str, object]]:
    path = corpora / "markdown" / name
    if not path.is_file():
        pytest.skip(f"the examples are not at {path}; name their folder in UJSX_CORPORA")
    found: list[dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def changed(
    documents: list[dict[str, object]], render: Callable[[str], str], *, gfm: bool
) -> list[object]:
    """The examples whose HTML differs after they were read and written."""
    return [
        document["example"]
        for document in documents
        if render(again(str(document["markdown"]), gfm=gfm)) != render(str(document["markdown"]))
    ]


def again(markdown: str, *, gfm: bool) -> str:
    return to_markdown(from_markdown(markdown, gfm=gfm, frontmatter=False))


class TestCommonMark:
    def test_under_markdown_it(self, corpora: Path) -> None:
        documents = examples(corpora, "commonmark-0.31.2.json")
        assert len(documents) == 652
        assert changed(documents, MarkdownIt("commonmark").render, gfm=False) == []

    def test_under_cmark(self, corpora: Path) -> None:
        documents = examples(corpora, "commonmark-0.31.2.json")
        assert changed(documents, by_cmark, gfm=False) == list(DIFFERENT)


class TestGfm:
    def test_under_cmark_gfm(self, corpora: Path) -> None:
        documents = examples(corpora, "gfm-spec.json")
        assert len(documents) == 673
        assert changed(documents, by_cmark_gfm, gfm=True) == list(DIFFERENT_GFM)


def by_cmark(markdown: str) -> str:
    return str(cmarkgfm.markdown_to_html(markdown, UNSAFE))


def by_cmark_gfm(markdown: str) -> str:
    html: str = cmarkgfm.github_flavored_markdown_to_html(markdown, UNSAFE)
    return html
