from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import UjsxError
from ujsx.mdast import (
    Blockquote,
    Break,
    Code,
    Definition,
    Emphasis,
    Heading,
    Html,
    InlineCode,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Root,
    Strong,
    Table,
    TableCell,
    TableRow,
    Text,
    ThematicBreak,
    Writer,
    Yaml,
    to_markdown,
)
from ujsx.mdast.to_markdown import Unsafe, WriterState


def paragraph(text: str) -> Paragraph:
    return Paragraph([Text(text)])


def bullets(*texts: str) -> List:
    return List(children=[ListItem(children=[paragraph(text)]) for text in texts])


class TestOptions:
    CASES: tuple[tuple[dict[str, Any], Node, str], ...] = (
        ({"bullet": "*"}, bullets("a"), "* a\n"),
        ({"bullet_ordered": ")"}, List(ordered=True, children=[ListItem()]), "1)\n"),
        ({"close_atx": True}, Heading(2, [Text("a")]), "## a ##\n"),
        ({"emphasis": "_"}, Emphasis([Text("a")]), "_a_\n"),
        ({"strong": "_"}, Strong([Text("a")]), "__a__\n"),
        ({"fence": "~"}, Code("a"), "~~~\na\n~~~\n"),
        (
            {"increment_list_marker": False},
            List(ordered=True, start=3, children=[ListItem(), ListItem()]),
            "3.\n3.\n",
        ),
        ({"list_item_indent": "tab"}, bullets("a"), "-   a\n"),
        ({"list_item_indent": "mixed"}, bullets("a"), "- a\n"),
        ({"quote": "'"}, Definition("a", "b", title="c"), "[a]: b 'c'\n"),
        ({"rule": "_", "rule_repetition": 5}, ThematicBreak(), "_____\n"),
        ({"rule": "*", "rule_spaces": True}, ThematicBreak(), "* * *\n"),
        ({"setext": True}, Heading(1, [Text("abcd")]), "abcd\n====\n"),
        (
            {"tight_definitions": True},
            Root([Definition("a", "b"), Definition("c", "d")]),
            "[a]: b\n[c]: d\n",
        ),
        (
            {"table_cell_padding": False, "table_pipe_align": False},
            Table([None], [TableRow([TableCell([Text("abc")])])]),
            "|abc|\n|-|\n",
        ),
        ({"bullet_other": "+"}, Root([bullets("a"), bullets("b")]), "- a\n\n+ b\n"),
    )  # fmt: skip

    @looped(("options", "tree", "expected"), CASES, ids=lambda case: str(case)[:30])
    def test_an_option_changes_how_a_node_is_written(
        self, options: dict[str, Any], tree: Node, expected: str
    ) -> None:
        assert to_markdown(tree, **options) == expected

    def test_an_unknown_option_is_an_error_with_the_nearest_name(self) -> None:
        with pytest.raises(UjsxError, match=r'no option .bulet.; did you mean "bullet"'):
            to_markdown(Root(), bulet="-")

    @looped(
        "wrong", [{"bullet": "x"}, {"setext": 1}, {"rule_repetition": 2}, {"on_unwritable": "x"}]
    )
    def test_a_value_that_is_not_allowed_is_an_error(self, wrong: dict[str, Any]) -> None:
        with pytest.raises(UjsxError, match="is not possible; it is"):
            to_markdown(Root(), **wrong)

    def test_the_other_bullet_must_differ(self) -> None:
        with pytest.raises(UjsxError, match="must differ"):
            to_markdown(Root(), bullet="*", bullet_other="*")


class TestUnwritable:
    CASES: tuple[tuple[Node, str], ...] = (
        (Paragraph(), r"^\$\.children\[0\]: paragraph .* it is empty"),
        (Paragraph([Text("a"), Emphasis()]), r"\.children\[1\]: emphasis .* it is empty"),
        (Paragraph([Text("a"), Break()]), "break .* the last of its block"),
        (Paragraph([InlineCode("a\n# b")]), "inlineCode .* line end"),
        (Paragraph([Html("<b> c")]), "html .* not one tag"),
        (Paragraph([Html("<div>"), Text("a")]), "HTML block"),
        (Html("<div>\n\n# forged"), "blank line"),
        (Code("a", meta="b"), "meta without lang"),
        (List(), "list .* empty"),
        (List(ordered=True, start=10**9, children=[ListItem()]), "start"),
        (ListItem(True), "a task's box"),
        (Table(), "no head"),
        (Root([paragraph("a"), Yaml("b: c")]), "front matter is only allowed"),
        (Root([Paragraph([LinkReference("a", children=[Text("a")])])]), "no definition of 'a'"),
        (Paragraph([Text("\0")]), r"U\+0000"),
        (Emphasis([Emphasis([Emphasis([Text("(a)")])])]), "no marker"),
    )

    @looped(("tree", "message"), CASES, ids=lambda case: str(case)[:40])
    def test_an_error_names_the_node_and_the_reason(self, tree: Node, message: str) -> None:
        with pytest.raises(UjsxError, match=message):
            to_markdown(tree)

    @looped("tree", [tree for tree, _ in CASES], ids=lambda case: str(case)[:40])
    def test_its_canonical_form_is_written_on_demand(self, tree: Node) -> None:
        to_markdown(tree, on_unwritable="normalize", verify=True)


class TestWriter:
    def test_nothing_is_an_empty_string(self) -> None:
        assert to_markdown(Root()) == ""

    def test_a_bullet_that_drew_a_rule_is_changed(self) -> None:
        inner = List(children=[ListItem(children=[List(children=[ListItem()])])])
        assert to_markdown(List(children=[ListItem(children=[inner])])) == "* - -\n"

    def test_handlers_joins_and_unsafe_patterns_can_be_added(self) -> None:
        class Mention(Node, frozen=True):
            name: str

        def mention(node: Mention, _writing: WriterState) -> str:
            return f"@{node.name}"

        writer = Writer(
            handlers={Mention: mention},
            joins=[lambda left, right, parent, options: "\n\n\n"],
            unsafe=[Unsafe("@", "mentions", after=r"\w")],
        )
        tree: Any = [Paragraph([Text("@a "), Mention("b")]), paragraph("c")]  # type: ignore[list-item]
        assert writer.write(Root(tree)) == "\\@a @b\n\n\nc\n"

    def test_a_node_without_a_handler_is_an_error(self) -> None:
        class Unknown(Node, frozen=True):
            pass

        with pytest.raises(UjsxError, match="no handler for Unknown"):
            to_markdown(Root([Unknown()]))  # type: ignore[list-item]


class TestBlocks:
    NODES = (
        Heading(2, [Text("a")]),
        bullets("a", "b"),
        bullets("c"),
        Blockquote([paragraph("d")]),
        ThematicBreak(),
    )
    ODD = (
        Paragraph(),
        Html("<!-- a"),
        Html("<div>\nb"),
        Definition("b", "c"),
        paragraph("[b]"),
        bullets("d"),
    )
    """Blocks that say nothing, that end with the document, or that depend on others."""

    def test_blocks_are_the_document(self) -> None:
        writer = Writer()
        assert "".join(writer.blocks(self.NODES)) + "\n" == writer.write(Root(self.NODES))

    @given(
        st.lists(st.sampled_from([*NODES, *ODD]), max_size=9),
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=5),
    )
    @example([Html("<!-- a"), NODES[0]], [(9, 1), (0, 0)])
    def test_a_memo_changes_nothing(
        self, document: list[Node], turns: list[tuple[int, int]]
    ) -> None:
        writer, memo = Writer(on_unwritable="normalize"), {}
        for start, stop in turns:
            blocks = document[start:] + document[:stop]
            assert writer.blocks(blocks, memo) == writer.blocks(blocks)

    def test_an_unchanged_block_is_not_written_again(self) -> None:
        written: list[Node] = []

        def noted(node: Paragraph, writing: WriterState) -> str:
            written.append(node)
            return writing.lines(node.children)

        writer, memo = Writer(handlers={Paragraph: noted}), {}
        blocks = [paragraph(str(i)) for i in range(30)]
        writer.blocks(blocks, memo)
        written.clear()
        blocks[7] = paragraph("new")
        writer.blocks(blocks, memo)
        assert written == [paragraph("new")]

    def test_a_memo_forgets_old_items_and_keeps_the_blocks(self) -> None:
        written: list[Node] = []

        def noted(node: Heading, writing: WriterState) -> str:
            written.append(node)
            return f"# {writing.lines(node.children)}"

        writer, memo = Writer(handlers={Heading: noted}), dict[int, Any]()
        title = Heading(1, [Text("a")])
        for turn in range(90):
            writer.blocks([title, bullets(str(turn), "b")], memo)
        assert written == [title]
        assert len(memo) < 90

    def test_a_list_gets_another_bullet_when_a_list_comes_before_it(self) -> None:
        writer, memo = Writer(), {}
        later = bullets("b")
        assert writer.blocks([later], memo) == ["- b"]
        assert writer.blocks([bullets("a"), later], memo) == ["- a", "\n\n* b"]
