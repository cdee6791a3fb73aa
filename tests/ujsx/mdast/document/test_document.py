"""An edit through ``Document`` changes its own lines, and no other byte."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from ujsx.errors import MdastError
from ujsx.mdast import (
    Blockquote,
    Break,
    Code,
    Definition,
    Document,
    Emphasis,
    Heading,
    Html,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Root,
    Table,
    TableCell,
    TableRow,
    Text,
    ThematicBreak,
    from_markdown,
)
from ujsx.mdast.util import find, replace

NEW = Paragraph(children=[Text("new")])
ITEM = ListItem(children=[NEW])
Edit = Callable[[Document], object]


def node(document: Document, kind: type[Any], place: int = 0) -> Any:
    return [*find(document.root, kind)][place]


def edited(text: str, edit: Edit, **options: Any) -> str:
    document = Document(text, **options)
    edit(document)
    return document.text


def text_of(kind: type[Node], words: str, place: int = 0) -> Edit:
    """Replace the words of a leaf."""
    return lambda document: document.replace(
        leaf := node(document, kind, place), replace(leaf, children=[Text(words)])
    )


def removal_of(kind: type[Node], place: int = 0) -> Edit:
    return lambda document: document.remove(node(document, kind, place))


def after(kind: type[Node], new: Node, place: int = 0) -> Edit:
    return lambda document: document.insert(new, after=node(document, kind, place))


def before(kind: type[Node], new: Node, place: int = 0) -> Edit:
    return lambda document: document.insert(new, before=node(document, kind, place))


def into(kind: type[Node], new: Node, place: int = 0) -> Edit:
    return lambda document: document.insert(new, into=node(document, kind, place))


class TestAnUneditedText:
    @looped(
        "text",
        [
            "",
            "\n\n",
            "a",
            "\ufeff# a\r\n\r\n*  b\r\n",
            "a\0b\n",
            "***\n* _a_\n+ b\n\n\n1. c\n1. d\n    - e\n\nF\n==\n",
            "---\ntitle: a\n...\n\n# b\n",
            "| [[a|b]] |\n|--|\n",
            "```\nopen",
            "\t\n  # a  #\t\n",
        ],
    )
    def test_is_the_same(self, text: str) -> None:
        assert Document(text).text == text

    def test_is_the_same_after_an_edit_that_changes_nothing(self) -> None:
        text = "* _a_\n* b [c]\n\n[c]: <d>\n"
        document = Document(text)
        document.rewrite(Paragraph, lambda paragraph: paragraph)
        document.replace(node(document, List), node(document, List))
        assert document.text == text


LINES = {
    "a heading's words": ("# a #\nb\n", text_of(Heading, "*c*"), "# \\*c\\* #\nb\n"),
    "an underlined heading": ("a\n===\nb  \nc\n", text_of(Heading, "d"), "d\n===\nb  \nc\n"),
    "a heading's depth": (
        "# a #\n_b_\n",
        lambda document: document.rewrite(Heading, lambda each: replace(each, depth=2)),
        "## a ##\n_b_\n",
    ),
    "a word of a paragraph": (
        "_a_ &copy; b\n*c* d\n",
        lambda document: document.replace(node(document, Emphasis), Text("e")),
        "e &copy; b\n*c* d\n",
    ),
    "a link's address": (
        "see __a__ [b](</c> 'd')\n",
        lambda document: document.rewrite(Link, lambda link: replace(link, url="/e")),
        "see __a__ [b](/e 'd')\n",
    ),
    "a paragraph in a quote": (
        "> > a\nlazy\n> > b\n\nc\n",
        text_of(Paragraph, "d\ne"),
        "> > d\n> > e\n\nc\n",
    ),
    "a paragraph in an item": (
        "*   a\n\n    b\n*   c\n",
        text_of(Paragraph, "d\ne", 1),
        "*   a\n\n    d\n    e\n*   c\n",
    ),
    "an item": ("1. a\n1. b\n1. c\n", text_of(Paragraph, "d", 1), "1. a\n1. d\n1. c\n"),
    "an item behind one": ("- a\n- _b_\n", after(ListItem, ITEM), "- a\n- new\n- _b_\n"),
    "an item before the first": ("3) a\n4) b\n", before(ListItem, ITEM), "3) new\n3) a\n4) b\n"),
    "an item at the end": (
        "*   a\n\n*   b\n",
        into(List, ListItem(spread=True, children=[NEW, NEW])),
        "*   a\n\n*   b\n\n*   new\n\n    new\n",
    ),
    "an item in the middle": (
        "- a\n- b\n- c\n",
        removal_of(ListItem, 1),
        "- a\n- c\n",
    ),
    "the first item": ("1. a\n2. b\n", removal_of(ListItem), "1. b\n"),
    "a list in a list": (
        "- a\n    - b\n- c\n",
        into(ListItem, List(children=[ITEM]), 2),
        "- a\n    - b\n- c\n    - new\n",
    ),
    "a task's box": (
        "* [ ]  a\n* [X] _b_\n",
        lambda document: document.rewrite(
            ListItem, lambda item: replace(item, checked=not item.checked)
        ),
        "* [x]  a\n* [ ] _b_\n",
    ),
    "a new box": (
        "* _a_\n",
        lambda document: document.rewrite(ListItem, lambda item: replace(item, checked=False)),
        "* [ ] _a_\n",
    ),
    "a box that goes": (
        "* [ ] _a_\n",
        lambda document: document.rewrite(ListItem, lambda item: replace(item, checked=None)),
        "* _a_\n",
    ),
    "a cell": (
        "a|b\n-|-\n_c_|d\n",
        text_of(TableCell, "e|f", 3),
        "a|b\n-|-\n_c_|e\\|f\n",
    ),
    "a cell of columns": (
        "| a   | b |\n| --- | - |\n| ccc | d |\n",
        text_of(TableCell, "e", 2),
        "| a   | b |\n| --- | - |\n| e   | d |\n",
    ),
    "a row": (
        "a|b\n-|-\n_c_|d\n",
        after(TableRow, TableRow(children=[TableCell(children=[Text("e")]), TableCell()])),
        "a|b\n-|-\ne||\n_c_|d\n",
    ),
    "a row that goes": ("|a|\n|-|\n|b|\n|_c_|\n", removal_of(TableRow, 1), "|a|\n|-|\n|_c_|\n"),
    "a block": ("# a\nb\n* * *\nc\n", after(Paragraph, NEW), "# a\nb\n\nnew\n* * *\nc\n"),
    "a block before all": ("_a_\n", before(Paragraph, NEW), "new\n\n_a_\n"),
    "a block that parts two": ("a\n# b\nc\n", removal_of(Heading), "a\n\nc\n"),
    "a block with its lines": ("_a_\n\n\nb\n\n_c_\n", removal_of(Paragraph, 1), "_a_\n\n\n_c_\n"),
    "all blocks": ("a\n", removal_of(Paragraph), "\n"),
    "the only block of a quote": (">  a\n\nb\n", removal_of(Paragraph), ">  \n\nb\n"),
    "a paragraph that becomes a quote": (
        "_a_\nb\n\nc\n",
        lambda document: document.replace(
            each := node(document, Paragraph), Blockquote(children=[each])
        ),
        "> _a_\n> b\n\nc\n",
    ),
    "blocks that change places": (
        "_a_\n\n\n\tb\n\nc\n===\n",
        lambda document: document.replace(
            document.root, Root(children=document.root.children[::-1])
        ),
        "c\n===\n\n```\nb\n```\n\n_a_\n",
    ),
    "code": (
        "~~~py  x\na\n~~~\n",
        lambda document: document.rewrite(Code, lambda code: replace(code, value="```\nb")),
        "~~~py x\n```\nb\n~~~\n",
    ),
    "nothing around a wiki link": (
        "a [[b|c]] _d_\n\ne\n",
        text_of(Paragraph, "f", 1),
        "a [[b|c]] _d_\n\nf\n",
    ),
}


class TestAnEdit:
    @looped(("source", "edit", "result"), LINES.values(), ids=LINES)
    def test_changes_its_own_lines(self, source: str, edit: Edit, result: str) -> None:
        assert edited(source, edit) == result

    @looped(("source", "edit", "result"), LINES.values(), ids=LINES)
    def test_keeps_line_ends_and_the_byte_order_mark(
        self, source: str, edit: Edit, result: str
    ) -> None:
        windows = "\ufeff" + source.replace("\n", "\r\n")
        assert edited(windows, edit) == "\ufeff" + result.replace("\n", "\r\n")

    def test_that_gives_other_blocks_a_meaning_writes_those_anew(self) -> None:
        """A definition makes links of brackets that were text: they get backslashes."""
        source = "_a_ [b]\n\n_c_\n"
        edit = into(Root, Definition("b", "/b"))
        assert edited(source, edit) == "_a_ \\[b]\n\n_c_\n\n[b]: /b\n"

    def test_that_takes_a_definition_away_leaves_the_text_of_its_references(self) -> None:
        source = "_a_\n[b], [^c]\nand __d__\n\n*e*\n\n[b]: /b\n"
        assert edited(source, removal_of(Definition)) == "_a_\nb, [^c]\nand __d__\n\n*e*\n"

    def test_with_a_link_in_a_reference_that_no_definition_has_leaves_its_text(self) -> None:
        """As in canonical form, where there is no link in a link."""
        link = Link("/u", children=[Text("c")])
        edit = into(Paragraph, LinkReference("x", children=[Text(" b "), link]))
        assert edited("_a_\n\n*d*\n", edit) == "_a_ b c\n\n*d*\n"

    def test_with_a_reference_in_other_letters_finds_its_definition(self) -> None:
        edit = into(Paragraph, LinkReference("X", children=[Text("b")]))
        assert edited("_a_ \n\n[x]: /u\n", edit) == "_a_[b][X] \n\n[x]: /u\n"

    def test_that_gives_a_cell_a_meaning_writes_that_cell_anew(self) -> None:
        source = "| |_a_|\n|-|---|\n| [b]|c|\n"
        edit = into(Root, Definition("b", "/b"))
        assert edited(source, edit) == "| |_a_|\n|-|---|\n| \\[b]|c|\n\n[b]: /b\n"

    def test_that_joins_two_lists_gives_one_other_bullets(self) -> None:
        assert edited("* _a_\n\nb\n\n* c\n* _d_\n", removal_of(Paragraph, 1)) == (
            "* _a_\n\n- c\n- _d_\n"
        )

    def test_behind_a_fence_that_is_open_closes_it(self) -> None:
        assert edited("_a_\n\n```\nb\n", into(Root, NEW)) == "_a_\n\n```\nb\n```\n\nnew"
        assert edited("- ~~~~~ x\n  b", into(Root, NEW)) == "- ~~~~~ x\n  b\n  ~~~~~\n\nnew"

    def test_of_an_alert_keeps_it(self) -> None:
        source = "a\r\n\r\n> [!NOTE]\r\n> b _c_\r\n"
        document = Document(source)
        document.rewrite(Emphasis, lambda each: each.children)
        assert document.text == "a\r\n\r\n> [!NOTE]\r\n> b c\r\n"
        assert node(document, Blockquote).data == {"alert": "NOTE"}

    def test_that_takes_an_alerts_mark_away_makes_it_a_quote(self) -> None:
        document = Document("> [!NOTE]\n>\n> _b_\n")
        document.replace(node(document, Paragraph), NEW)
        assert document.text == "> new\n>\n> _b_\n"
        assert node(document, Blockquote).data is None

    def test_with_an_extension(self) -> None:
        source = ":::note\n\n*  _a_\n\nb\n\n:::\n\n$$\nx\n$$\n"
        document = Document(source, extensions=["directives", "math"])
        document.replace(node(document, Paragraph, 1), NEW)
        assert document.text == source.replace("b\n", "new\n")

    def test_of_data_changes_no_text(self) -> None:
        document = Document("_a_\n\nb\n")
        document.replace(paragraph := node(document, Paragraph), replace(paragraph, data={"x": 1}))
        assert document.text == "_a_\n\nb\n"

    def test_may_come_after_others(self) -> None:
        document = Document("# a\n\n* b\n* c\n\nd\n")
        items = [*find(document.root, ListItem)]
        document.remove(items[0])
        document.replace(items[1], ListItem(children=[Paragraph(children=[Text("e")])]))
        assert document.text == "# a\n\n* e\n\nd\n"
        document.insert(ITEM, into=node(document, List))
        document.rewrite(Heading, lambda heading: replace(heading, depth=3))
        assert document.text == "### a\n\n* e\n* new\n\nd\n"
        assert from_markdown(document.text) == document.root


class TestWhatIsNew:
    @looped(
        ("source", "new", "written"),
        [
            ("* a\n", List(children=[ITEM]), "- new"),
            ("+ a\n\nb\n", List(children=[ITEM]), "+ new"),
            ("1) a\n\nb\n", List(ordered=True, start=1, children=[ITEM]), "1) new"),
            ("_a_ _b_ *c*\n", Paragraph(children=[Emphasis(children=[Text("d")])]), "_d_"),
            ("~~~\na\n~~~\n", Code("b"), "~~~\nb\n~~~"),
            ("a\n=\n", Heading(2, children=[Text("b")]), "b\n---"),
            ("# a #\n", Heading(2, children=[Text("b")]), "## b ##"),
            ("* * *\na\n", ThematicBreak(), "* * *"),
            ("|a|\n|-|\n\nb\n", Table((None,), [TableRow([TableCell([Text("c")])])]), "|c|\n|-|"),
        ],
    )
    def test_has_the_habits_of_the_text(self, source: str, new: Node, written: str) -> None:
        assert edited(source, into(Root, new)) == f"{source.rstrip()}\n\n{written}\n"

    def test_is_nested_as_deep_as_the_text_nests(self) -> None:
        """Python-Markdown wants four columns, whatever the marker is."""
        nested = ListItem(
            children=[NEW, List(children=[ListItem(children=[NEW, List(children=[ITEM])])])]
        )
        source = "* a\n    * b\n\nc\n"
        written = "* new\n    * new\n        * new\n"
        assert edited(source, after(ListItem, nested)) == f"* a\n    * b\n{written}\nc\n"
        assert edited(source, into(Root, List(children=[nested]))) == f"{source}\n{written}"

    def test_is_wide_where_code_could_look_like_a_marker(self) -> None:
        item = ListItem(children=[NEW, Code("-   a")])
        assert edited("* a\n    * b\n", into(List, item)) == (
            "* a\n    * b\n*   new\n    ```\n    -   a\n    ```\n"
        )

    def test_goes_by_options_that_are_given(self) -> None:
        edit = into(Root, Paragraph(children=[Emphasis(children=[Text("b")])]))
        assert edited("_a_\n", edit, emphasis="*") == "_a_\n\n*b*\n"

    def test_is_inert(self) -> None:
        for words in ("# a", "- a", "[b]", "<b>", "a\n===", "`", "*a*", "1. a", "a | b\n- | -"):
            document = Document("*  _a_\n\n   > c\n\n[b]: c\n")
            document.replace(node(document, Paragraph, 1), Paragraph(children=[Text(words)]))
            assert from_markdown(document.text) == document.root
            assert document.text.startswith("*  _a_\n\n   > ")
            assert document.text.endswith("\n\n[b]: c\n")


class TestMistakes:
    def test_a_node_of_another_document(self) -> None:
        document = Document("a\n")
        with pytest.raises(MdastError, match=r"is not in the tree; pass a node of the document"):
            document.remove(from_markdown("a\n").children[0])

    def test_a_node_that_was_removed(self) -> None:
        document = Document("a\n\nb\n")
        first = document.root.children[0]
        document.remove(first)
        with pytest.raises(MdastError, match="is not in the tree"):
            document.replace(first, NEW)
        assert document.text == "b\n"

    def test_no_place_or_two(self) -> None:
        document = Document("a\n")
        with pytest.raises(MdastError, match="insert takes one place"):
            document.insert(NEW)
        with pytest.raises(MdastError, match="insert takes one place"):
            document.insert(NEW, into=document.root, after=document.root.children[0])

    def test_a_place_without_children(self) -> None:
        document = Document("a\n")
        with pytest.raises(MdastError, match="nothing can be put into a Text"):
            document.insert(Break(), into=node(document, Text))

    def test_what_is_no_node(self) -> None:
        document = Document("a\n")
        with pytest.raises(MdastError, match="'b' is not a node"):
            document.replace(document.root.children[0], ["b"])  # type: ignore[list-item]

    def test_the_document_itself(self) -> None:
        document = Document("a\n")
        with pytest.raises(MdastError, match="can only be replaced by another Root"):
            document.remove(document.root)

    def test_an_option_that_does_not_exist(self) -> None:
        with pytest.raises(MdastError, match="there is no option 'bulet'"):
            Document("a\n", bulet="*")

    def test_a_tree_that_is_too_deep(self) -> None:
        document = Document("a\n\nb\n")
        first, second = document.root.children
        deep: Node = first
        for _ in range(3_000):
            deep = Blockquote(children=[deep])
        document.insert(deep, into=document.root)
        with pytest.raises(MdastError, match=r"the tree is nested .* deep"):
            document.text  # noqa: B018
        document.remove(second)

    def test_a_block_that_cannot_be_written_is_left_out(self) -> None:
        document = Document("_a_\n\nb\n")
        document.insert([Paragraph(), Html("")], after=document.root.children[0])
        assert document.text == "_a_\n\nb\n"


class TestGrowth:
    @pytest.mark.parametrize("line", ["a [b] _c_\n\n", "* a\n", "> a\n", "a|b\n-|-\nc|d\n\n"])
    def test_an_edit_of_each_block_takes_time_in_proportion(self, line: str) -> None:
        def work(text: str) -> None:
            document = Document(text)
            document.rewrite(Text, lambda text: Text(f"{text.value}x"))
            document.insert(Definition("b", "c"), into=document.root)
            assert document.text != text

        assert growth(work, line * 40, line * 320) < IN_PROPORTION
