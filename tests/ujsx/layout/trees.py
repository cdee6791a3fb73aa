"""A vocabulary for the tests of layouts, and trees of it."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from hypothesis import strategies as st

from ujsx import Component, Density, Element, FrozenMapping, Node, fragment, from_mdast
from ujsx.elements import PRIMITIVES
from ujsx.testing.strategies import canonical_roots, texts


class Panel(Component):
    """A composite with every kind of literal for a prop."""

    name: str = ""
    count: int | None = None
    share: float = 0.5
    is_open: bool = False
    words: tuple[str, ...] = ()
    numbers: FrozenMapping[str, int] | None = None
    side: Literal["left", "right"] = "left"
    density: Density | None = None
    since: date | None = None

    def render(self, ctx, children):
        return children


class Badge(Component):
    """A composite that stands in a line."""

    label: str

    def render(self, ctx, children):
        return ["[", self.label, children, "]"]


VOCABULARY = PRIMITIVES | [Panel, Badge]


@st.composite
def components(draw: st.DrawFn) -> Component:
    """Components of any class of the vocabulary, with hostile texts for props."""
    cls = draw(st.sampled_from([*VOCABULARY.values(), Panel, Panel]))
    if cls is Panel:
        return Panel(
            name=draw(texts()),
            count=draw(st.none() | st.integers()),
            share=draw(st.floats(allow_nan=False, allow_infinity=False)),
            is_open=draw(st.booleans()),
            words=tuple(draw(st.lists(texts(max_fragments=2), max_size=3))),
            numbers=draw(st.none() | st.dictionaries(texts(max_fragments=1), st.integers())),
            side=draw(st.sampled_from(["left", "right"])),
            density=draw(st.none() | st.sampled_from(Density)),
            since=draw(st.none() | st.dates()),
        )
    required = {name: each for name, each in cls.model_fields.items() if each.is_required()}
    values = {
        name: draw(texts() if field.annotation is str else st.integers(1, 9))
        for name, field in required.items()
    }
    return cls(**values)


def trees() -> st.SearchStrategy[Node]:
    """Return trees of any shape: any component in any other, texts side by side, keys."""
    leaves: st.SearchStrategy[Any] = texts(max_fragments=3) | components()
    return st.recursive(leaves, _parents, max_leaves=8)


def documents() -> st.SearchStrategy[Element]:
    """Return trees that Markdown has a form for, with components among and around them."""
    markdown = canonical_roots().map(lambda root: list(from_mdast(root).children))
    groups = st.lists(markdown | components().map(_alone), max_size=3)
    return st.builds(_document, groups, st.booleans())


def _parents(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.none() | st.none() | texts(max_fragments=2)
    return st.builds(_parent, components(), st.lists(children, max_size=3), keys)


def _parent(component: Component, children: list[Node], key: str | None) -> Element:
    element = Element.of(component, children if component.takes_children else ())
    return element if key is None else element.keyed(key)


def _alone(component: Component) -> list[Node]:
    return [component]


def _document(groups: list[list[Node]], wrapped: bool) -> Element:
    nodes = [node for group in groups for node in group]
    return Panel(name="p")[nodes] if wrapped else fragment(*nodes)
