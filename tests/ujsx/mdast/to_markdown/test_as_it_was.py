"""Documents that are written as they were, and trees that are read back as they were."""

from __future__ import annotations

from typing import Any

from tests.ids import looped
from ujsx.mdast import (
    Blockquote,
    Html,
    List,
    ListItem,
    Paragraph,
    Root,
    Table,
    TableCell,
    TableRow,
    Text,
    from_markdown,
    normalize,
    to_markdown,
)

DOCUMENTS = {
    "a line end before inline HTML": "a<br>b\n<br>c\n",
    "a line end in an image's text": "![a\nb](u)\n",
    "the same in a link": "[![a\nb](u)](v)\n",
    "a tag of several lines": '<img src="a" align="right"\n     alt="b" width="1"\n       height="2">\n',
    "a comment of several lines": "a <!-- b\n    c\nd -->\n",
    "HTML behind a task's box": "- [ ] <!-- a --> b\n- [x] <b>c</b>\n",
    "code with lines that only look like blocks": "`a\n| - | -` b `c\n---`\n",
    "an alert": "> [!WARNING]\n> a\n",
    "a wiki's link": "see [[a]] and ![[b]]\n",
    "a list of changes": "- [Fix] a\n- [Feature] b\n",
    "what closes a directive": ":::note\na\n:::\n",
}


@looped("says", DOCUMENTS)
def test_a_document_is_written_as_it_was(says: str) -> None:
    markdown = DOCUMENTS[says]
    assert to_markdown(from_markdown(markdown), verify=True) == markdown


A = Paragraph([Text("a")])

TREES: dict[str, Any] = {
    "a tag with an indent": Paragraph([Text("x "), Html('<b\n  a="x">')]),
    "an empty quote in a quote's item": Blockquote(
        [List(children=[ListItem(spread=True, children=[Blockquote(), A])])]
    ),
    "deeper": Blockquote(
        [List(children=[ListItem(spread=True, children=[Blockquote([Blockquote()]), A])])]
    ),
    "an empty quote in a loose list": Blockquote(
        [List(spread=True, children=[ListItem(children=[Blockquote()]), ListItem(children=[A])])]
    ),
}


@looped("says", TREES)
def test_a_tree_is_read_back_as_it_was(says: str) -> None:
    root = Root([TREES[says]])
    assert normalize(root) == root
    assert from_markdown(to_markdown(root)) == root


def test_the_pipes_of_a_table_are_aligned_as_it_is_shown() -> None:
    cells = ("日本", "e\u0301", "👩\u200d🔬", "❤\ufe0f", "🇨🇭")
    table = Table([None], [TableRow([TableCell([Text(cell)])]) for cell in cells])
    assert to_markdown(table).splitlines() == [
        "| 日本 |",
        "| ---- |",
        "| e\u0301    |",
        "| 👩\u200d🔬   |",
        "| ❤\ufe0f   |",
        "| 🇨🇭   |",
    ]


def test_a_long_cell_sticks_out() -> None:
    table = Table([None], [TableRow([TableCell([Text(cell)])]) for cell in ("ab", "c", "d" * 121)])
    assert to_markdown(table).splitlines()[:3] == ["| ab |", "| -- |", "| c  |"]
