"""What ``from_markdown`` takes and refuses, and what holds for every text."""

import itertools
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import mdast as m
from ujsx.errors import MdastError
from ujsx.mdast.from_markdown import from_markdown

MARKDOWN = st.text(
    st.sampled_from("ab \t\n\r\\`*_~[]()!<>#+-=|:.&;\"'^1xwh/@\u00a0\ufeff\0é😀"), max_size=60
)
"""Texts of Markdown's own characters, where anything may happen."""


def paragraph(text: str, **options: bool) -> tuple[m.PhrasingContent, ...]:
    """Return the content of a document's only paragraph."""
    (block,) = from_markdown(text, **options).children
    assert isinstance(block, m.Paragraph)
    return block.children


def walk(node: m.Node, ancestors: tuple[m.Node, ...] = ()) -> Iterator[tuple[m.Node, ...]]:
    """Yield every node after its ancestors."""
    path = (*ancestors, node)
    yield path
    for child in getattr(node, "children", ()):
        yield from walk(child, path)


class TestArguments:
    @looped("data", [b"a", bytearray(b"a")])
    def test_bytes_are_refused_with_a_way_out(self, data: object) -> None:
        with pytest.raises(MdastError, match=r"takes a str, not byte.*decode it first"):
            from_markdown(data)  # type: ignore[arg-type]

    def test_what_is_no_text_is_refused_by_its_type(self) -> None:
        with pytest.raises(MdastError, match="not NoneType"):
            from_markdown(None)  # type: ignore[arg-type]

    def test_an_unknown_engine_is_refused_with_those_that_there_are(self) -> None:
        with pytest.raises(MdastError, match='"markdown_it": choose "markdown-it" or "mistune"'):
            from_markdown("a", engine="markdown_it")  # type: ignore[arg-type]

    def test_without_gfm_its_syntax_is_text(self) -> None:
        text = "~a~ www.b.c [^d]"
        assert paragraph(text, gfm=False) == (m.Text(text),)
        (block,) = from_markdown("|a|\n|-|", gfm=False).children
        assert isinstance(block, m.Paragraph)
        (tasks,) = from_markdown("- [x] a", gfm=False).children
        assert isinstance(tasks, m.List)
        assert tasks.children[0].checked is None

    def test_without_frontmatter_its_fences_are_breaks(self) -> None:
        kinds = [type(child) for child in from_markdown("---\n---", frontmatter=False).children]
        assert kinds == [m.ThematicBreak, m.ThematicBreak]


class TestSource:
    @looped("text", ["", "\n", " \t\n\n", "\ufeff"])
    def test_nothing_is_a_root_without_children(self, text: str) -> None:
        assert from_markdown(text) == m.Root()

    @looped("end", ["\n", "\r", "\r\n"])
    def test_line_ends_of_every_kind_mean_the_same(self, end: str) -> None:
        lines = ("a", "b", "", "- c", "", "```", "d", "```")
        assert from_markdown(end.join(lines)) == from_markdown("\n".join(lines))

    def test_offsets_are_those_of_the_original(self) -> None:
        text = "\ufeffa\r\n\r\n> b\rc"
        last = from_markdown(text).children[-1]
        assert last.position is not None
        start, end = last.position.start.offset, last.position.end.offset
        assert text.removeprefix("\ufeff")[start:end] == "> b\rc"

    def test_a_null_is_a_replacement_character(self) -> None:
        assert paragraph("a\0b") == (m.Text("a\ufffdb"),)

    def test_a_later_byte_order_mark_is_text(self) -> None:
        assert paragraph("a\ufeff") == (m.Text("a\ufeff"),)

    def test_with_other_line_ends_has_the_same_alerts(self) -> None:
        text = "# a\n\nb\n\n> [!NOTE]\n> c\n"
        quote = from_markdown(text.replace("\n", "\r\n")).children[-1]
        assert quote.data == from_markdown(text).children[-1].data == {"alert": "NOTE"}


class TestLabels:
    def test_a_label_may_have_999_characters(self) -> None:
        label = "a" * 999
        definition, paragraph = from_markdown(f"[{label}]: b\n\n[{label}]").children
        assert isinstance(definition, m.Definition)
        assert isinstance(paragraph, m.Paragraph)
        assert isinstance(paragraph.children[0], m.LinkReference)
        assert [type(child) for child in from_markdown(f"[a{label}]: b").children] == [m.Paragraph]

    def test_a_full_references_text_may_be_longer(self) -> None:
        reference, *_ = from_markdown(f"[{'a' * 2000}][b]\n\n[b]: c").children[0].children
        assert isinstance(reference, m.LinkReference)


class TestDepth:
    @looped("text", ["> " * 140 + "a", "- " * 140 + "a"])
    def test_containers_may_nest_deep(self, text: str) -> None:
        *_, deepest = walk(from_markdown(text))
        assert deepest[-1] == m.Text("a")

    def test_spans_may_nest_deep(self) -> None:
        text = "*a **b " * 60 + "c" + "** d*" * 60
        assert max(map(len, walk(from_markdown(text)))) > 120

    @looped(
        "text",
        [
            ">" * 10_000 + "a",
            "- " * 1_000 + "a",
            "[^a]: " * 1_000 + "a",
            "*a **b " * 1_000 + "c" + "** d*" * 1_000,
            "![" * 1_000 + "a" + "](b)" * 1_000,
        ],
        ids=["quotes", "lists", "footnotes", "emphasis", "images"],
    )
    def test_too_deep_is_an_error_that_says_so(self, text: str) -> None:
        with pytest.raises(MdastError, match=r"line 1: .* nested more than 150 deep"):
            from_markdown(text)

    def test_too_deep_for_the_caller_is_an_error_too(self) -> None:
        def deeper() -> None:
            try:
                deeper()
            except RecursionError:
                from_markdown("> " * 140 + "a")

        with pytest.raises(MdastError, match="call from_markdown from fewer nested calls"):
            deeper()


class TestEveryText:
    @given(MARKDOWN)
    def test_has_a_tree_in_which_places_nest(self, text: str) -> None:
        for *ancestors, node in walk(from_markdown(text)):
            outer = next((a.position for a in reversed(ancestors) if a.position), None)
            if node.position is None or outer is None:
                continue
            assert outer.start.offset <= node.position.start.offset
            assert node.position.start.offset <= node.position.end.offset <= outer.end.offset

    @given(MARKDOWN)
    def test_has_no_empty_and_no_adjacent_text(self, text: str) -> None:
        for *_, node in walk(from_markdown(text)):
            children = getattr(node, "children", ())
            texts = [isinstance(child, m.Text) for child in children]
            assert (True, True) not in itertools.pairwise(texts)
            assert not isinstance(node, m.Text) or node.value

    @given(MARKDOWN)
    def test_has_the_same_tree_twice(self, text: str) -> None:
        assert from_markdown(text) == from_markdown(text)


class TestImports:
    def test_a_tokenizer_is_imported_when_it_is_needed(self) -> None:
        program = (
            "import sys; from ujsx.mdast.from_markdown import from_markdown as f\n"
            "def loaded(): return {'markdown_it', 'mistune'} & set(sys.modules)\n"
            "assert not loaded(); f('a', engine='mistune'); assert loaded() == {'mistune'}"
        )
        subprocess.run([sys.executable, "-c", program], check=True)
