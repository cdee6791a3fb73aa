"""A text or a primitive in a primitive that cannot hold it: told where the author attaches it."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ujsx
from tests.ids import looped
from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    ContentModel,
    Density,
    Disclosure,
    Element,
    ForEach,
    Node,
    RenderContext,
    RenderError,
    Rung,
    Template,
    fragment,
    h,
    load,
    render,
)
from ujsx.elements import (
    PRIMITIVES,
    Item,
    LineBreak,
    List,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    TrustedMarkdown,
    em,
    link,
    strong,
)
from ujsx.layout import check_tree, read_layout

PROPS: dict[str, Any] = {
    "title": "t", "value": "v", "url": "u", "identifier": "i", "count": 1, "source": "s"
}  # fmt: skip
"""What primitives need, by the prop."""


def made(cls: type[Any]) -> Any:
    """A node of a primitive, with the props that it needs."""
    needed = (name for name, field in cls.model_fields.items() if field.is_required())
    return cls(**{name: PROPS[name] for name in needed})


NODES: dict[str, Node] = {
    "a text": "a",
    "no text": "",
    **{name: made(cls) for name, cls in PRIMITIVES.items()},
}
AROUND: dict[type[Any], Callable[[Element], Node]] = {
    Item: lambda node: List()[node],
    TableRow: lambda node: Table()[node],
    TableCell: lambda node: Table()[TableRow()[node]],
}
"""What a part has to stand in to be rendered."""

PARENTS = [name for name, cls in PRIMITIVES.items() if cls.takes_children and not cls.is_fragment]


def said(make: Callable[[], object]) -> str | None:
    """What a mistake is answered with."""
    try:
        make()
    except RenderError as error:
        return error.message
    return None


@looped("parent", PARENTS)
def test_is_refused_in_the_words_of_a_rendering_and_only_if_one_refuses_it(parent: str) -> None:
    component: Any = NODES[parent]
    around = AROUND.get(PRIMITIVES[parent], fragment)
    for child in NODES.values():
        tree = around(Element.of(component, child))
        assert said(partial(component.__getitem__, child)) == said(partial(render, tree))


MISTAKES: dict[str, Callable[[], object]] = {
    "one text": lambda: List()["a"],
    "one node": lambda: Table()[TableCell()],
    "one element": lambda: Paragraph()[Section(title="a")["b"]],
    "several": lambda: List()[Item()["a"], "b"],
    "a generator": lambda: TableRow()[(each or TableCell() for each in ("", "b"))],
    "a list in a list": lambda: List()[[Item()["a"]], [Paragraph()["b"]]],
    "in a fragment": lambda: List()[fragment(Item()["a"], "b")],
    "a part that stands alone": lambda: Section(title="a")[Item()["b"]],
    "in a short form": lambda: strong(Paragraph()["a"]),
    "in a short form with others": lambda: em("a", List()),
    "in a link": lambda: link(List(), "u"),
    "by a name": lambda: h("List", {}, "a"),
}


@looped("mistake", MISTAKES)
def test_the_last_frame_outside_of_the_package_is_the_authors_line(mistake: str) -> None:
    make = MISTAKES[mistake]
    with pytest.raises(RenderError) as caught:
        make()
    package = Path(ujsx.__file__).parent
    frames = traceback.extract_tb(caught.tb)
    outside = [each for each in frames if package not in Path(each.filename).parents]
    assert (outside[-1].filename, outside[-1].lineno) == (
        __file__,
        make.__code__.co_firstlineno,
    )


class Own(Component):
    """It renders to whatever fits."""

    shown: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return {"item": Item()["own"], "row": TableRow()[TableCell()["own"]]}.get(self.shown, "own")


class Ladder(Paragraph):
    """A primitive that a density may make something else."""

    disclosure = Disclosure((Rung(Density.MINIMAL, 0), Rung(Density.FULL)))


class Stated(Component):
    """A primitive of an author's, for which a registry has a rule, and that says what it is."""

    content_model = ContentModel(("list",), "row")


class Unstated(Component):
    """One that does not."""


class Subclass(Paragraph):
    """It inherits what a paragraph is."""


ROWS = ForEach(rows=((Template("{a}"), "b"),))

ALLOWED: dict[str, Callable[[], Node]] = {
    "a component that renders": lambda: List()[Own(shown="item")],
    "its element": lambda: Table()[Own(shown="row")["a"]],
    "rows": lambda: List()[ROWS],
    "rows with others": lambda: List()[Item()["a"], ROWS],
    "nothing": lambda: List()[None, False, (), [None]],
    "a fragment": lambda: List()[fragment(Item()["a"], None)],
    "a fragment with a key": lambda: List()[fragment(Item()["a"]).keyed("k")],
    "a class with a ladder": lambda: List()[Ladder()["a"]],
    "trusted Markdown": lambda: Paragraph()[TrustedMarkdown(source="*a*")],
    "a primitive that says nothing": lambda: List()[Unstated()],
    "in a primitive that says nothing": lambda: Unstated()[Item(), "a", Section(title="a")],
    "in a component that renders": lambda: Own(shown="a")[Item(), "a", Section(title="a")],
    "a primitive that says so": lambda: List()[Stated()[TableCell()]],
}


@looped("case", ALLOWED)
def test_what_may_become_what_fits_is_let_through(case: str) -> None:
    ALLOWED[case]()


def test_a_primitive_of_an_authors_is_held_to_what_it_says() -> None:
    with pytest.raises(
        RenderError, match=r"^Paragraph: a Stated is a block and cannot go inside inline"
    ):
        Paragraph()[Stated()]
    with pytest.raises(RenderError, match=r"^Section / Item: it stands in a List only"):
        Section(title="a")[Stated()]
    with pytest.raises(
        RenderError, match=r"^Stated: a TableRow holds TableCells, not the text 'a'"
    ):
        Stated()["a"]
    with pytest.raises(RenderError, match=r"^List: a List holds Items, not a Subclass"):
        List()[Subclass()]


class Wrong(Component):
    """Its own render has the mistake."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return List()["a"]


def test_in_a_render_it_has_the_path_to_there() -> None:
    with pytest.raises(RenderError) as caught:
        render(Section(title="a")["b", Wrong()])
    assert caught.value.path == "Section / Wrong[1] / List"
    assert traceback.extract_tb(caught.tb)[-4].line == 'return List()["a"]'


def test_trees_from_outside_keep_their_places() -> None:
    data = {"type": "List", "children": [{"type": "Item"}, "a"]}
    assert load(data) == Element.of(List(), [Item(), "a"])
    assert [*check_tree(data)] == [("$.children[1]", "a List holds Items, not a Text")]
    assert read_layout('<Paragraph><Section title="a"/></Paragraph>') == Element.of(
        Paragraph(), Section(title="a")
    )


def looked_at(count: int) -> int:
    """How often a class is asked where it cannot stand."""
    asked = 0

    class Asked(Paragraph):
        """It counts."""

    class Bars(frozenset[str]):
        def __contains__(self, place: object) -> bool:
            nonlocal asked
            asked += 1
            return super().__contains__(place)

    Asked.barred_from = Bars(Asked.barred_from)  # type: ignore[assignment]
    Section(title="a")[[node["a"] for node in (Asked(), Paragraph()) for _ in range(count)]]
    Section(title="a")[[node for _ in range(count) for node in (Asked(), "a", Paragraph())]]
    return asked


def test_of_the_children_of_a_class_the_first_is_looked_at() -> None:
    assert looked_at(20) == looked_at(40) == 1


def test_what_takes_no_children_remembers_none() -> None:
    given: tuple[Any, ...] = (["a", 5], "a")
    for children in given:
        with pytest.raises(ChildError):
            LineBreak()[children]


class _Shown(Component):
    """Renders a block, for all that are derived from it."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()["a"]


class _Derived(_Shown):
    """Has that render from another, as the sections of a HUD have."""


class TestPlace:
    """Where a component's own render is to blame, that is told; else where the component is written."""

    @looped(
        ("kind", "origin"), [(_Shown, inspect.unwrap(_Shown.render).__code__), (_Derived, None)]
    )
    def test_is_the_render_of_the_class_or_the_class(self, kind: Any, origin: Any) -> None:
        with pytest.raises(RenderError) as caught:
            render(Paragraph()[kind()])
        assert caught.value.origin is origin
        line = inspect.getsourcelines(kind)[1] if origin is None else origin.co_firstlineno
        [note] = caught.value.__notes__
        assert note.endswith(f"{__file__}:{line}")
