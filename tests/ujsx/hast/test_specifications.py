"""The HTML of the specifications' examples is the HTML that they expect."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.ids import looped
from ujsx import registry
from ujsx.hast import to_html
from ujsx.mdast import from_markdown

DEVIATIONS: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "deviations.json").read_text(encoding="utf-8")
)
"""By file and number of the example: why its HTML differs."""

TAG = re.compile(r'<([a-z]+)((?: [a-z]+="[^"]*")*)(?: /)?>')


def examples(corpora: Path, name: str) -> list[dict[str, Any]]:
    path = corpora / "markdown" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"{path} is missing; name the folder of the corpora in UJSX_CORPORA")
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def html(markdown: str, *, gfm: bool, tag_filter: bool = False) -> str:
    """A document's HTML, written as the specifications write theirs, with one line end behind it."""
    root = registry.transform("mdast -> hast", from_markdown(markdown, gfm=gfm, frontmatter=False))
    text = to_html(
        root,
        allow_dangerous_html=True,
        allow_dangerous_urls=True,
        close_self_closing=True,
        tag_filter=tag_filter,
    )
    return ending_once(text)


def ending_once(text: str) -> str:
    return f"{text.rstrip(chr(10))}\n" if text else ""


def normalized(text: str) -> str:
    """HTML with each tag's attributes in one order, and without the slash of void elements.

    GFM's own examples write ``<input checked="" disabled="" type="checkbox">``, cmark-gfm's tests
    ``<input type="checkbox" checked="" disabled="" />``, and both ``<br />``.
    """

    def tag(found: re.Match[str]) -> str:
        attributes = sorted(re.findall(r' [a-z]+="[^"]*"', found[2]))
        return f"<{found[1]}{''.join(attributes)}>"

    return TAG.sub(tag, text)


def is_about_the_filter(example: dict[str, Any]) -> bool:
    return example["section"] in {"Disallowed Raw HTML (extension)", "ext.txt: HTML tag filter"}


class TestCommonMark:
    def test_has_652_examples(self, corpora: Path) -> None:
        assert len(examples(corpora, "commonmark-0.31.2")) == 652

    def test_each_is_as_expected_byte_for_byte(self, corpora: Path) -> None:
        differing = [
            example["example"]
            for example in examples(corpora, "commonmark-0.31.2")
            if html(example["markdown"], gfm=False) != ending_once(example["html"])
        ]
        assert differing == []


class TestGfm:
    @looped(("name", "count"), [("gfm-spec", 673), ("gfm-ext", 52)])
    def test_each_is_as_expected_or_listed(self, name: str, count: int, corpora: Path) -> None:
        found = examples(corpora, name)
        differing = {
            str(example["example"])
            for example in found
            if normalized(
                html(
                    example["markdown"],
                    gfm=name == "gfm-ext" or bool(example["ext"]),
                    tag_filter=is_about_the_filter(example),
                )
            )
            != normalized(ending_once(example["html"]))
        }
        assert len(found) == count
        assert differing == DEVIATIONS[name].keys()

    def test_the_specification_s_own_spelling_of_a_task_is_ours(self) -> None:
        root = registry.transform("mdast -> hast", from_markdown("- [ ] foo\n- [x] bar\n"))
        assert to_html(root) == (
            '<ul>\n<li><input disabled="" type="checkbox"> foo</li>\n'
            '<li><input checked="" disabled="" type="checkbox"> bar</li>\n</ul>'
        )
