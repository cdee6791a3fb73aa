"""Columns are aligned as they are shown, and one long cell costs no more than itself."""

from tests.ids import looped
from ujsx.mdast import Table, TableCell, TableRow, Text, from_markdown, to_markdown

MAX_WIDTH = 120
"""The widest cell that others are padded to."""


def table(*rows):
    return Table(
        align=[None] * len(rows[0]),
        children=[
            TableRow(children=[TableCell(children=[Text(text)]) for text in row]) for row in rows
        ],
    )


def test_wide_and_combining_characters_are_aligned_as_they_are_shown():
    assert to_markdown(table(["city", "n"], ["東京", "1"], ["Cafe\u0301", "2"], ["👩\u200d💻", "3"])) == (
        "| city | n |\n"
        "| ---- | - |\n"
        "| 東京 | 1 |\n"
        "| Cafe\u0301 | 2 |\n"
        "| 👩\u200d💻   | 3 |\n"
    )  # fmt: skip


def test_a_column_with_a_cell_too_wide_is_not_aligned_and_the_others_are():
    wide = "x" * (MAX_WIDTH + 1)
    assert (
        to_markdown(table(["a", "bb"], [wide, "c"])) == f"| a | bb |\n| - | -- |\n| {wide} | c  |\n"
    )


def test_a_head_too_wide_does_not_widen_the_line_below_it():
    wide = "x" * (MAX_WIDTH + 1)
    assert to_markdown(table([wide], ["abc"])) == f"| {wide} |\n| --- |\n| abc |\n"


def test_cells_beyond_the_head_are_as_wide_as_what_they_hold():
    ragged = table(["a"], ["b"], ["c"]).children
    more = [
        Table((None,), (ragged[0], TableRow((*ragged[1].children, *cells)), ragged[2]))
        for cells in ([TableCell()], [TableCell((Text("dd"),))])
    ]
    assert [to_markdown(each) for each in more] == [
        "| a |\n| - |\n| b |  |\n| c |\n",
        "| a |\n| - |\n| b | dd |\n| c |\n",
    ]


@looped("cell", [MAX_WIDTH, 20_000])
def test_what_is_written_grows_with_what_there_is(cell):
    tree = table(["a"], ["x" * cell], *[["y"]] * 2_000)
    written = to_markdown(tree)
    assert from_markdown(written).children == (tree,)
    assert len(written) < 2_003 * (MAX_WIDTH + 5) + cell


def test_twice_the_table_is_twice_the_text():
    def size(n):
        return len(to_markdown(table(["a"], ["x" * 20 * n], *[["y"]] * 2 * n)))

    assert size(2_000) < 2.2 * size(1_000)
