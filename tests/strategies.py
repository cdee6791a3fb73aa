"""Hypothesis strategies for trees of primitives and composites.

``trees`` gives any tree that data can hold, sensible or not. ``documents`` gives trees that have a
meaning as Markdown: blocks where blocks may stand, inline content in lines.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

from hypothesis import strategies as st

from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rung,
    elements,
    fragment,
)

WORDS = (
    "a",
    "two words",
    "*star*",
    "# no heading",
    "1. no list",
    "<b>",
    "x_y_z",
    "`",
    " ",
    "\n",
    "é",
    "",
)

texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=8))
"""Text as people and attackers write it; without surrogates, which no file can hold."""

keys = st.one_of(st.none(), st.text(min_size=1, max_size=3))


# --- Any tree ------------------------------------------------------------------------------

_PROPS: dict[type[Component], dict[str, st.SearchStrategy[Any]]] = {
    elements.Section: {"title": texts},
    elements.Heading: {"depth": st.integers(1, 6)},
    elements.List: {
        "ordered": st.booleans(),
        "start": st.integers(0, 999_999_999),
        "spread": st.booleans(),
    },
    elements.Item: {"checked": st.none() | st.booleans(), "spread": st.booleans()},
    elements.InlineCode: {"value": texts},
    elements.CodeBlock: {"value": texts, "lang": st.none() | texts, "meta": st.none() | texts},
    elements.Link: {"url": texts, "title": st.none() | texts},
    elements.Image: {"url": texts, "alt": texts, "title": st.none() | texts},
    elements.Table: {
        "align": st.lists(st.sampled_from([None, "left", "right", "center"]), max_size=3).map(tuple)
    },
    elements.Omitted: {"count": st.integers(1, 99), "handle": st.none() | texts},
    elements.Html: {"value": texts},
    elements.Definition: {"identifier": texts, "url": texts, "label": st.none() | texts},
    elements.LinkReference: {
        "identifier": texts,
        "reference_type": st.sampled_from(["shortcut", "collapsed", "full"]),
    },
    elements.ImageReference: {"identifier": texts, "alt": texts},
    elements.FootnoteReference: {"identifier": texts, "label": st.none() | texts},
    elements.FootnoteDefinition: {"identifier": texts, "label": st.none() | texts},
    elements.FrontMatter: {"value": texts},
}


@st.composite
def components(draw: st.DrawFn) -> Component:
    """A primitive with any props; every one of the default vocabulary can come."""
    cls = draw(st.sampled_from(list(elements.PRIMITIVES.values())))
    return cls(**{name: draw(values) for name, values in _PROPS.get(cls, {}).items()})


@st.composite
def _elements(draw: st.DrawFn, children: st.SearchStrategy[Any]) -> Element:
    component = draw(components())
    held = draw(st.lists(children, max_size=4)) if component.takes_children else ()
    element = Element.of(component, held)
    key = draw(keys)
    return element if key is None else element.keyed(key)


def trees() -> st.SearchStrategy[Element]:
    """Any tree of primitives, as an element."""
    return _elements(st.recursive(texts | components(), _elements, max_leaves=12))


# --- Trees with a meaning ------------------------------------------------------------------


@cache
def lines() -> st.SearchStrategy[Child]:
    """What may stand in a line."""
    leaves = st.one_of(
        texts,
        texts.map(elements.code),
        st.builds(elements.Image, url=texts, alt=texts),
        st.builds(elements.Omitted, count=st.integers(1, 99), handle=st.none() | texts),
        st.just(elements.LineBreak()),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(elements.strong),
            st.lists(inner, max_size=3).map(elements.em),
            st.lists(inner, max_size=3).map(lambda nodes: elements.Strikethrough()[nodes]),
            st.builds(elements.link, st.lists(inner, max_size=3), texts),
            st.builds(lambda inner, loud: Aside(loud=loud)[inner], inner, st.booleans()),
        ),
        max_leaves=4,
    )


class Aside(Component):
    """A composite in a line."""

    loud: bool = False

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return elements.strong(children) if self.loud else ["(", children, ")"]


class Titled(Component):
    """A composite without a ladder: what it has is shown in a section."""

    title: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return elements.Section(title=self.title)[children]


class Ladder(Component):
    """A composite with a ladder: its words as a count, some items, or all."""

    words: tuple[str, ...] = ()

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 1),
            Rung(Density.FULL, 3),
            Rung(Density.FULL),
        )
    )

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown, hidden = self.words[: ctx.limit], self.words[ctx.limit or 0 :]
        mark = elements.Omitted(count=len(hidden), ids=hidden) if hidden else None
        if not shown:
            return mark
        items = elements.List()[[elements.Item()[word] for word in shown], mark]
        return [elements.Section(title="Words")[items], children]


class Capped(Ladder):
    """The same with a budget of its own."""

    own: int = 10
    has_floor: bool = False

    def disclosed(self) -> Disclosure:
        floor = Density.COMPACT if self.has_floor else None
        return replace(self.disclosure, budget=self.own, floor=floor)


class Whisper(Component):
    """A composite with a ladder whose result stands in a line."""

    text: str

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.FULL))
    )

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [self.text, children] if ctx.density is Density.FULL else "…"


def _cell(content: Child) -> Element:
    return elements.TableCell()[content]


def _table(rows: list[list[Child]]) -> Element:
    return elements.Table()[[elements.TableRow()[map(_cell, row)] for row in rows]]


CAPPED = st.builds(
    Capped,
    words=st.lists(texts, max_size=5).map(tuple),
    own=st.integers(1, 60),
    has_floor=st.booleans(),
)


@cache
def blocks(*, capped: bool = False) -> st.SearchStrategy[Child]:
    """What may stand as a block, inline content among it.

    :param capped: whether components with a budget of their own are among it.
    """
    line = st.lists(lines(), max_size=3)
    leaves = st.one_of(
        lines(),
        line.map(lambda nodes: elements.Paragraph()[nodes]),
        st.builds(
            lambda depth, nodes: elements.Heading(depth=depth)[nodes], st.integers(1, 6), line
        ),
        st.builds(elements.CodeBlock, value=texts, lang=st.none() | texts),
        st.just(elements.ThematicBreak()),
        st.lists(st.lists(lines(), min_size=1, max_size=2), min_size=1, max_size=2).map(_table),
        st.builds(Ladder, words=st.lists(texts, max_size=5).map(tuple)),
        st.builds(Whisper, text=texts),
        *([CAPPED] if capped else []),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(
                lambda title, nodes: elements.Section(title=title)[nodes], texts, _some(inner)
            ),
            st.builds(lambda title, nodes: Titled(title=title)[nodes], texts, _some(inner)),
            _some(inner).map(lambda nodes: fragment(*nodes)),
            _some(inner).map(lambda nodes: elements.BlockQuote()[nodes]),
            st.builds(
                lambda ordered, items: elements.List(ordered=ordered)[
                    [elements.Item()[item] for item in items]
                ],
                st.booleans(),
                st.lists(_some(inner), max_size=3),
            ),
        ),
        max_leaves=6,
    )


def _some(nodes: st.SearchStrategy[Child]) -> st.SearchStrategy[list[Child]]:
    return st.lists(nodes, max_size=3)


@cache
def documents(*, capped: bool = False) -> st.SearchStrategy[Element]:
    """A tree with composites and ladders in it that renders.

    :param capped: whether some of them have a budget of their own.
    """
    return _some(blocks(capped=capped)).map(lambda nodes: fragment(*nodes))


class Panel(Component):
    """A composite with a ladder, in which others with ladders may stand."""

    title: str

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL))
    )

    def render(self, ctx: RenderContext, children: Children) -> Child:
        more = elements.Paragraph()["in full"] if ctx.density is Density.FULL else None
        return elements.Section(title=self.title)[more, children]


def nested_documents() -> st.SearchStrategy[Element]:
    """Trees in which ladders stand within ladders."""
    inner = _some(blocks(capped=True))
    panels = st.builds(lambda title, nodes: Panel(title=title)[nodes], texts, inner)
    return _some(
        st.one_of(panels, st.builds(lambda p, q: Panel(title="both")[p, q], panels, panels))
    ).map(lambda nodes: fragment(*nodes))
