"""A tree that holds what no node can hold is refused with its place, never with a traceback."""

import pytest

from ujsx import elements
from ujsx._errors import MdastError
from ujsx.mdast import (
    Code,
    Definition,
    Emphasis,
    Heading,
    Image,
    InlineCode,
    Link,
    List,
    ListItem,
    Paragraph,
    Root,
    Table,
    TableCell,
    TableRow,
    Text,
    normalize,
    to_dict,
    to_markdown,
)

A = Text("a")

MALFORMED = {
    "text": ("abc", "$.children[0]: text is no node; write Text('abc')"),
    "nothing": (None, "$.children[0]: None is no mdast node"),
    "number": (Paragraph(children=[A, 3]), "$.children[0].children[1]: 3 is no mdast node"),
    "component": (elements.Paragraph()["a"], "ujsx.to_mdast makes an mdast tree of it"),
    "component within": (Paragraph(children=[elements.strong("a")]), "is of the universal tree"),
    "value": (Paragraph(children=[Text(None)]), "$.children[0].children[0].value: value is None, not str"),
    "code": (Code(None), "$.children[0].value: value is None, not str"),
    "inline code": (Paragraph(children=[InlineCode(5)]), "value is 5, not str"),
    "depth": (Heading(7, children=[A]), "$.children[0].depth: depth is 7, not 1 or 2"),
    "depth as text": (Heading("2", children=[A]), "depth is '2', not 1 or 2"),
    "no url": (Link(None, children=[A]), "$.children[0].children[0].url: url is None, not str"),
    "no url of an image": (Image(None), "url is None, not str"),
    "no url of a definition": (Definition("a", None), "url is None, not str"),
    "title": (Link("u", title=3, children=[A]), "title is 3, not str or None"),
    "start": (
        List(ordered=True, start="1", children=[ListItem(children=[Paragraph(children=[A])])]),
        "$.children[0].start: start is '1', not int or None",
    ),
    "align": (
        Table(align=["middle"], children=[TableRow(children=[TableCell(children=[A])])]),
        "align is ('middle',), not a tuple of 'left' or 'right' or 'center' or None",
    ),
    "block in a line": (Paragraph(children=[Paragraph()]), "a Paragraph cannot stand in a line"),
    "line among blocks": (Root(children=[A]), "a Text cannot stand among blocks"),
}  # fmt: skip


@pytest.mark.parametrize(("tree", "said"), MALFORMED.values(), ids=MALFORMED)
def test_the_writer_says_what_is_malformed(tree, said):
    with pytest.raises(MdastError) as raised:
        to_markdown(tree)
    assert said in str(raised.value)


@pytest.mark.parametrize("function", [to_markdown, normalize, to_dict])
@pytest.mark.parametrize("tree", ["abc", None, 3, Paragraph(children=[3])], ids=repr)
def test_every_function_of_a_tree_says_so(function, tree):
    with pytest.raises(MdastError, match=r"no node|no mdast node"):
        function(tree)


@pytest.mark.parametrize("children", ["abc", b"abc", None, 3, A], ids=repr)
def test_children_that_are_no_iterable_of_nodes_are_refused_where_they_are_given(children):
    with pytest.raises(MdastError, match="give an iterable of them"):
        Paragraph(children=children)


def test_emphasis_nested_too_deep_is_refused():
    tree = A
    for _ in range(600):
        tree = Emphasis(children=[tree])
    with pytest.raises(MdastError):
        to_markdown(Paragraph(children=[tree]))


def test_an_error_of_ones_own_handler_stays_what_it_is():
    def broken(node, writing):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        to_markdown(Paragraph(children=[A]), handlers={Paragraph: broken})
