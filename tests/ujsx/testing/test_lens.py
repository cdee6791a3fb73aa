"""``assert_lens``: pairs that are lenses pass, wrong ones are told with the value or the document."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Annotated, Any, ClassVar

import pytest
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from ujsx import (
    Component,
    DefinitionError,
    FrozenMapping,
    MissingRuleError,
    TransformRegistry,
    mdast,
    registry,
)
from ujsx.elements import (
    BlockQuote,
    Emphasis,
    Html,
    Item,
    List,
    Paragraph,
    Table,
    TableCell,
    TableRow,
    code,
    strong,
)
from ujsx.testing import assert_lens

Line = Annotated[str, Field(min_length=1)]


class Callout(Component):
    title: Line


def write_callout(element: Any, transform: Any) -> Any:
    return transform(BlockQuote()[Paragraph()[strong(element.component.title)], element.children])


def read_callout(quote: Any, transform: Any) -> Any:
    match quote.children:
        case (mdast.Paragraph(children=(mdast.Strong(children=(mdast.Text() as title,)),)), *rest):
            return Callout(title=transform(title))[transform.all(rest)]
        case _:
            return NotImplemented


class Task(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: Line
    owner: Annotated[str, Field(pattern=r"^[a-z]+$")] | None = None
    done: bool = False


class TaskList(Component):
    takes_children: ClassVar[bool] = False

    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]


def write_tasks(element: Any, transform: Any) -> Any:
    return transform(
        List()[
            (
                Item(checked=task.done)[task.text, task.owner and [" ", code(f"@{task.owner}")]]
                for task in element.component.tasks
            )
        ]
    )


def read_tasks(node: Any, transform: Any) -> Any:
    if node.ordered or node.spread:
        return NotImplemented
    tasks: list[Task] = []
    for item in node.children:
        match item:
            case mdast.ListItem(
                checked=bool(done),
                spread=False,
                children=(mdast.Paragraph(children=(mdast.Text() as text, *rest)),),
            ):
                words, owner = transform(text), None
            case _:
                return NotImplemented
        match rest:
            case []:
                pass
            case [mdast.InlineCode(value=name)] if name[1:].islower() and name[1:].isascii():
                owner = name[1:]
                if not (name[0] == "@" and owner.isalpha() and words.endswith(" ")):
                    return NotImplemented
                words = words[:-1]
            case _:
                return NotImplemented
        tasks.append(Task(text=words, owner=owner, done=done))
    return TaskList(tasks=tuple(tasks))


class Metadata(Component):
    takes_children: ClassVar[bool] = False

    entries: Annotated[FrozenMapping[Line, Line], Field(min_length=1)]


HEAD = mdast.TableRow(tuple(mdast.TableCell((mdast.Text(name),)) for name in ("Field", "Value")))


def write_metadata(element: Any, transform: Any) -> Any:
    rows = [("Field", "Value"), *element.component.entries.items()]
    return transform(Table()[(TableRow()[map(TableCell().__getitem__, row)] for row in rows)])


def read_metadata(table: Any, transform: Any) -> Any:
    head, *rows = table.children
    if any(table.align) or head != HEAD or not rows:
        return NotImplemented
    entries: dict[str, str] = {}
    for row in rows:
        match row.children:
            case (
                mdast.TableCell(children=(mdast.Text() as name,)),
                mdast.TableCell(children=(mdast.Text() as value,)),
            ) if transform(name) not in entries:
                entries[transform(name)] = transform(value)
            case _:
                return NotImplemented
    return Metadata(entries=FrozenMapping(entries))


def paired(component: type[Any], node: type[Any], write: Any, read: Any) -> TransformRegistry:
    mine = registry.copy()
    mine.pair(component, node, write=write, read=read)
    return mine


@pytest.mark.parametrize(
    ("component", "node", "write", "read"),
    [
        (Callout, mdast.Blockquote, write_callout, read_callout),
        (TaskList, mdast.List, write_tasks, read_tasks),
        (Metadata, mdast.Table, write_metadata, read_metadata),
    ],
    ids=lambda each: each.__name__ if isinstance(each, type) else "",
)
def test_a_lens_passes(component: Any, node: Any, write: Any, read: Any) -> None:
    assert_lens(paired(component, node, write, read), component, examples=100)


def titled(quote: Any) -> Any:
    match quote.children:
        case (mdast.Paragraph(children=(mdast.Strong(children=(mdast.Text() as title,)),)), *_):
            return title
        case _:
            return None


class Key(Component):
    """A key of a keyboard, in a line."""

    takes_children: ClassVar[bool] = False
    name: Annotated[str, Field(pattern=r"^[a-z]+$")]


class Loud(Component):
    """A word in a line."""

    takes_children: ClassVar[bool] = False
    word: Line


class Done(Component):
    """An item that is done."""

    takes_children: ClassVar[bool] = False
    words: Line


def read_key(node: Any, transform: Any) -> Any:
    name = node.value.removeprefix("key:")
    is_key = node.value.startswith("key:") and name.isascii() and name.isalpha() and name.islower()
    return Key(name=name) if is_key else NotImplemented


def read_loud(node: Any, transform: Any) -> Any:
    match node.children:
        case (mdast.Text() as text,):
            return Loud(word=transform(text))
        case _:
            return NotImplemented


def read_done(item: Any, transform: Any) -> Any:
    match item:
        case mdast.ListItem(
            checked=True,
            spread=False,
            children=(mdast.Paragraph(children=(mdast.Text() as text,)),),
        ):
            return Done(words=transform(text))
        case _:
            return NotImplemented


@pytest.mark.parametrize(
    ("component", "node", "write", "read"),
    [
        (Key, mdast.InlineCode, lambda e, _: mdast.InlineCode(f"key:{e.component.name}"), read_key),
        (
            Loud,
            mdast.Strong,
            lambda element, transform: transform(strong(element.component.word)),
            read_loud,
        ),
        (
            Done,
            mdast.ListItem,
            lambda element, transform: transform(Item(checked=True)[element.component.words]),
            read_done,
        ),
    ],
)
def test_a_lens_may_stand_in_a_line_or_in_a_list(
    component: Any, node: Any, write: Any, read: Any
) -> None:
    assert_lens(paired(component, node, write, read), component, examples=100)


def test_a_component_without_a_pair_has_no_lens() -> None:
    with pytest.raises(MissingRuleError, match="Callout is not paired with a node"):
        assert_lens(registry, Callout)


def forgets_the_children(quote: Any, transform: Any) -> Any:
    title = titled(quote)
    return NotImplemented if title is None else Callout(title=transform(title))


def takes_any_quote(quote: Any, transform: Any) -> Any:
    return Callout(title=mdast.util.to_string(quote) or "x")


def takes_a_line_with_more(quote: Any, transform: Any) -> Any:
    match quote.children:
        case (mdast.Paragraph(children=(mdast.Strong(children=(title, *_)), *_)), *rest):
            return Callout(title=mdast.util.to_string(title) or "x")[transform.all(rest)]
        case _:
            return NotImplemented


def changes_the_title(quote: Any, transform: Any) -> Any:
    read = read_callout(quote, transform)
    if read is NotImplemented:
        return read
    return Callout(title=read.component.title.upper())[read.children]


def reads_the_first_child_twice(quote: Any, transform: Any) -> Any:
    read = read_callout(quote, transform)
    return read if read is NotImplemented else read.component[read.children[:1] * 2]


def fails_for_others(quote: Any, transform: Any) -> Any:
    title = quote.children[0].children[0].children[0]
    return Callout(title=transform(title))[transform.all(quote.children[1:])]


def returns_none(quote: Any, transform: Any) -> Any:
    return None if titled(quote) is None else read_callout(quote, transform)


def reads_another_component(quote: Any, transform: Any) -> Any:
    return Metadata(entries=FrozenMapping({"a": "b"}))


def loose_tasks(node: Any, transform: Any) -> Any:
    tight: Any = mdast.List(False, None, False, node.children)
    return read_tasks(tight, transform)


def without_owners(element: Any, transform: Any) -> Any:
    return transform(
        List()[(Item(checked=each.done)[each.text] for each in element.component.tasks)]
    )


def without_children(element: Any, transform: Any) -> Any:
    return transform(BlockQuote()[Paragraph()[strong(element.component.title)]])


def emphasized(element: Any, transform: Any) -> Any:
    return transform(
        BlockQuote()[Paragraph()[Emphasis()[element.component.title]], element.children]
    )


def raw(element: Any, transform: Any) -> Any:
    title = Html(value=f"<b>{element.component.title}</b>")
    return transform(BlockQuote()[title, element.children])


def numbered() -> Any:
    numbers: Iterator[int] = count()

    def write(element: Any, transform: Any) -> Any:
        title = f"{element.component.title} {next(numbers)}"
        return transform(BlockQuote()[Paragraph()[strong(title)], element.children])

    return write


def a_paragraph(element: Any, transform: Any) -> Any:
    return transform(Paragraph()[strong(element.component.title)])


def a_number(element: Any, transform: Any) -> Any:
    return 3


class Step(Component):
    number: Annotated[int, Field(ge=1, le=99)]


def one_item(element: Any, transform: Any) -> Any:
    return transform(List(ordered=True, start=element.component.number)[Item()[element.children]])


def without_boxes(node: Any, transform: Any) -> Any:
    if not (node.ordered and len(node.children) == 1 and 1 <= node.start <= 99):
        return NotImplemented
    return Step(number=node.start)[transform.all(node.children[0].children)]


QUOTE, LIST = mdast.Blockquote, mdast.List
WRONG: dict[str, tuple[Any, Any, Any, Any, str]] = {
    "drops the children": (Callout, QUOTE, write_callout, forgets_the_children, "other children"),
    "takes any quote": (Callout, QUOTE, write_callout, takes_any_quote, "read"),
    "takes what is beside the title": (
        Callout,
        QUOTE,
        write_callout,
        takes_a_line_with_more,
        "reads a document that is written differently",
    ),
    "changes a prop": (Callout, QUOTE, write_callout, changes_the_title, "is not read back"),
    "doubles a child": (
        Callout,
        QUOTE,
        write_callout,
        reads_the_first_child_twice,
        "other children",
    ),
    "ignores a field": (TaskList, LIST, write_tasks, loose_tasks, "written differently"),
    "ignores the box of an item": (Step, LIST, one_item, without_boxes, "written differently"),
    "does not write a prop": (TaskList, LIST, without_owners, read_tasks, "is not read back"),
    "does not write the children": (
        Callout,
        QUOTE,
        without_children,
        read_callout,
        "written differently",
    ),
    "writes what it does not read": (Callout, QUOTE, emphasized, read_callout, "is not read back"),
    "writes raw HTML": (Callout, QUOTE, raw, read_callout, "is not read back"),
    "depends on a counter": (Callout, QUOTE, numbered(), read_callout, "the second time"),
}
REFUSED: dict[str, tuple[Any, Any, Any, Any, str]] = {
    "returns None": (
        Callout,
        QUOTE,
        write_callout,
        returns_none,
        "returned None; return a Callout",
    ),
    "reads another": (Callout, QUOTE, write_callout, reads_another_component, "returned Metadata"),
    "writes another node": (Callout, QUOTE, a_paragraph, read_callout, "return one Blockquote"),
    "writes a number": (Callout, QUOTE, a_number, read_callout, "return one Blockquote"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_pair_is_told(name: str) -> None:
    component, node, write, read, message = WRONG[name]
    with pytest.raises(AssertionError, match=message):
        assert_lens(paired(component, node, write, read), component, examples=100)


@pytest.mark.parametrize("name", REFUSED)
def test_a_result_of_the_wrong_kind_is_refused(name: str) -> None:
    component, node, write, read, message = REFUSED[name]
    with pytest.raises(DefinitionError, match=message):
        assert_lens(paired(component, node, write, read), component, examples=100)


def test_a_rule_that_fails_for_other_nodes_is_told() -> None:
    with pytest.raises((IndexError, AttributeError)):
        assert_lens(paired(Callout, QUOTE, write_callout, fails_for_others), Callout, examples=30)


def test_values_of_ones_own_are_tried() -> None:
    tried: list[str] = []

    def write(element: Any, transform: Any) -> Any:
        tried.append(element.component.title)
        return write_callout(element, transform)

    mine = paired(Callout, QUOTE, write, read_callout)
    values = st.sampled_from(["a", " b\n c "]).map(lambda title: Callout(title=title))
    assert_lens(mine, Callout, values=values, examples=10)
    assert {*tried} >= {"a", "b c"}
    assert all({*"abc"} >= {*each} - {*" x\n"} for each in tried)
