"""Whatever text comes in: nothing is run, nothing hangs, and it is read or refused with a place."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.growth import IN_PROPORTION, growth
from tests.ujsx.layout.trees import VOCABULARY, documents
from ujsx import LayoutError, Node, dump, read_layout, write_layout
from ujsx.elements import TrustedMarkdown
from ujsx.testing.strategies import texts

PIECES = (
    "<Panel>", "</Panel>", "<Panel/>", "<Badge label='a'>", "</Badge>", "<>", "</>", "<", ">", "/>",
    '<Panel name="', "'", '"', "{", "}", '{"', '"}', "{/*", "*/}", "count={", "{{", "}}", "[", "\\",
    "<Section title='a'>", "</Section>", "<TrustedMarkdown source='# a'/>", "<b>", "<!--", "-->",
    "{__import__('os').system('x')}", "{...x}", "null", "1e9", "\n", "\n\n", "\n  ", "\n    ", "\t", "> ",
    "- ", "1. ", "# ", "```\n", "`", "**", "| a |\n|-|\n", "---\n", "[^a]: ", "[a]: b\n", "text",
)  # fmt: skip

fragments = st.lists(st.sampled_from(PIECES) | texts(max_fragments=2), max_size=12).map("".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A layout with parts of it cut out, doubled or exchanged."""
    text = write_layout(draw(documents()))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 20, len(text))))
        text = text[:start] + draw(st.sampled_from(("", *PIECES))) + text[end - (end > start) :]
    return text


def classes(node: Node) -> set[str]:
    """The names of all components in a tree."""

    def inside(data: Any) -> set[str]:
        if isinstance(data, str):
            return set()
        return {data["type"]}.union(*map(inside, data["children"]))

    return inside(dump(node))


def refusal(text: str) -> LayoutError | None:
    """The error for a layout, or ``None`` for one that is read, and written back."""
    try:
        tree = read_layout(text, VOCABULARY | [TrustedMarkdown])
    except LayoutError as error:
        return error
    assert classes(tree) <= {*VOCABULARY}
    assert read_layout(write_layout(tree), VOCABULARY) == tree
    return None


def check(text: str) -> None:
    """A layout is read, or refused with a place that it has."""
    error = refusal(text)
    if error is not None:
        source = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        line = source.split("\n")[(error.line or 0) - 1]
        assert 1 <= (error.column or 0) <= len(line) + 1


class TestAnyText:
    @given(text=fragments)
    @example(text="<Panel>\n\n    {/*")
    @example(text="\ufeff<Panel")
    @example(text="a\r\n\r<Panel>")
    def test_is_read_or_refused_with_a_place(self, text: str) -> None:
        check(text)

    @given(text=mutated())
    def test_that_was_a_layout_is_read_or_refused_with_a_place(self, text: str) -> None:
        check(text)

    @given(text=fragments)
    def test_runs_nothing(self, text: str) -> None:
        watch()
        RUN.clear()
        WATCHED.append(text)
        try:
            check(text)
        finally:
            WATCHED.clear()
        assert RUN == []


WATCHED: list[str] = []
"""The layout that is read just now."""

RUN: list[str] = []
"""What was done meanwhile that a layout must never do."""

_RUNNING = frozenset({"exec", "compile", "os.system", "subprocess.Popen", "open", "socket.connect"})


def _watch(event: str, _arguments: tuple[object, ...]) -> None:
    if WATCHED and event in _RUNNING:
        RUN.append(event)


@cache
def watch() -> None:
    """Watch from now on: Python calls a hook for good, so it gets none before it is needed."""
    sys.addaudithook(_watch)


def hostile(length: int) -> dict[str, str]:
    """Layouts of about so many characters."""
    return {
        "openings": "<" * length,
        "openings of tags": "<a" * length,
        "braces": "{" * length,
        "texts that do not end": '{"' * length,
        "a text of escapes": '{"' + '\\"' * length,
        "quotes": '"' * length,
        "tags that are not closed": "<Strong>" * (length // 8),
        "lines of tags that are not closed": "<Panel>\n" * (length // 8),
        "tags that close nothing": "</Strong>" * (length // 8),
        "tags side by side": "<LineBreak/>" * (length // 12),
        "lines of tags that do not end": "<A\n" * (length // 3),
        "paragraphs of tags that do not end": "a\n<A b\n" * (length // 8),
        "strings that do not end": '<A x="\n' * (length // 7),
        "one tag of many lines": "<A\n" + "a\n" * (length // 2),
        "comments that do not end": "{/* a\n\n" * (length // 7),
        "comments in an item": "- a\n" + "  {/*\n" * (length // 6),
        "lists in braces": "<A x={" + "[" * length,
        "a literal of many lines": "<A x={[" + "1,\n" * (length // 3),
        "digits": "<List start={" + "9" * length + "}/>",
        "a long name": "<" + "a" * length + "/>",
        "spaces in a tag": "<A" + " " * length + "/>",
        "quotes in quotes": ">" * length,
        "a deep staircase": "".join(" " * i + "<Panel>\n" for i in range(140))
        + (" " * 140 + "x\n") * (length // 160),
    }


SMALL, LARGE = hostile(4_000), hostile(32_000)


@pytest.mark.parametrize("name", LARGE)
def test_length_costs_no_more_than_in_proportion(name: str) -> None:
    told: list[str] = []

    def read(text: str) -> None:
        try:
            read_layout(text, VOCABULARY)
        except LayoutError as error:
            told.append(str(error))

    assert growth(read, SMALL[name], LARGE[name]) <= IN_PROPORTION
    assert all(len(each) < 2_000 for each in told)
