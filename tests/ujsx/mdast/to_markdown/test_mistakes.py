"""What is no mdast tree is an error that says what is wrong, where, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.ids import looped
from ujsx import MdastError, elements
from ujsx.mdast import (
    Definition,
    Emphasis,
    Heading,
    Html,
    Image,
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
    normalize,
    to_markdown,
)


def written(tree: Any) -> Callable[[], object]:
    return lambda: to_markdown(tree)


def deep_emphasis() -> Node:
    tree: Any = Text("a")
    for _ in range(600):
        tree = Emphasis([tree])
    return Root([Paragraph([tree])])


any_: Any = lambda value: value  # noqa: E731 - what the type checkers would refuse

CASES: tuple[tuple[Callable[[], object], str], ...] = (
    (written("abc"), r"'abc' is not an mdast node; a text is Text\(...\)"),
    (written({"type": "root"}), r"from_dict\(...\)"),
    (lambda: Paragraph(children=any_("abc")), r"not 'abc'; write Paragraph\(children=\[Text"),
    (lambda: Paragraph(children=any_(5)), r"list of nodes, not 5"),
    (written(Root([Paragraph(any_(("abc",)))])), r"^\$\.children\[0\]\.children\[0\]: 'abc' is no"),
    (written(Paragraph([Text(any_(None))])), r"children\[0\]\.value: expected `str`, got `null`"),
    (written(Html(any_(None))), r"\.value: expected `str`, got `null`"),
    (
        written(Table(any_(["middle"]), [TableRow([TableCell([Text("a")])])])),
        r"^\$\.children\[0\]\.align\[0\]: invalid enum value 'middle'",
    ),
    (written(Heading(any_(7))), "depth 7 is not between 1 and 6"),
    (written(Link(any_(None))), r"\.url: expected `str`, got `null`"),
    (written(Image(any_(None))), r"\.url: expected `str`, got `null`"),
    (written(ListItem(any_("no"), children=[Paragraph([Text("a")])])), r"\.checked: expected"),
    (
        written(Root([Paragraph([LinkReference("a", None, any_("x"), [Text("a")])]), Definition("a", "b")])),
        r"\.reference_type: invalid enum value 'x'",
    ),
    (written(Root([Paragraph([any_(Paragraph())])])), "a Paragraph is a block"),
    (written(Root([any_(Text("a"))])), "a Text is inline"),
    (written(List(children=[any_(Paragraph())])), "a List holds ListItems, and no Paragraph"),
    (written(elements.Paragraph()["a"]), r"it is a component: ujsx\.render"),
    (lambda: normalize(any_("abc")), "'abc' is not an mdast node"),
    (lambda: normalize(Root([Paragraph(any_(("abc",)))])), "'abc' is not an mdast node"),
    (lambda: normalize(deep_emphasis()), "nested too deep"),
    (lambda: to_markdown(deep_emphasis(), on_unwritable="normalize"), "nested too deep"),
)  # fmt: skip


@looped(("work", "message"), CASES, ids=[message[:40] for _, message in CASES])
def test_a_mistake_is_told(work: Callable[[], object], message: str) -> None:
    with pytest.raises(MdastError, match=message):
        work()


def test_a_verification_that_fails_names_the_first_difference_alone() -> None:
    class Shout(Text, frozen=True):
        pass

    tree = Root([Paragraph([Text("a" * 5000)]), Paragraph([Shout("b")])])
    with pytest.raises(MdastError, match=r"^\$\.children\[1\]\.children\[0\]: ") as caught:
        to_markdown(tree, verify=True)
    assert len(str(caught.value)) < 300
