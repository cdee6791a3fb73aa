"""Primitives that stand in a line, and their short forms."""

from __future__ import annotations

from typing import ClassVar, Literal

from ujsx import mdast
from ujsx.components._component import Component, made_of
from ujsx.components._element import Child, Element
from ujsx.mdast._content_model import CONTENT_MODELS


class Strong(Component):
    """Important text."""

    content_model = CONTENT_MODELS[mdast.Strong]


class Emphasis(Component):
    """Stressed text."""

    content_model = CONTENT_MODELS[mdast.Emphasis]


class Strikethrough(Component):
    """Text that no longer holds."""

    content_model = CONTENT_MODELS[mdast.Delete]


class InlineCode(Component):
    """Code in a line, shown as it is."""

    content_model = CONTENT_MODELS[mdast.InlineCode]
    takes_children: ClassVar[bool] = False

    value: str
    """The code."""


class Link(Component):
    """A link; its children are what is shown."""

    content_model = CONTENT_MODELS[mdast.Link]

    url: str
    """Where it leads."""

    title: str | None = None
    """What the place is called."""


class Image(Component):
    """An image."""

    content_model = CONTENT_MODELS[mdast.Image]
    takes_children: ClassVar[bool] = False

    url: str
    """Where it is."""

    alt: str = ""
    """The text that stands for it."""

    title: str | None = None
    """What it is called."""


class LineBreak(Component):
    """A line break that is meant."""

    content_model = CONTENT_MODELS[mdast.Break]
    takes_children: ClassVar[bool] = False


class LinkReference(Component):
    """A link whose place a Definition gives; its children are what is shown."""

    content_model = CONTENT_MODELS[mdast.LinkReference]

    identifier: str
    """The definition's identifier."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""

    reference_type: Literal["shortcut", "collapsed", "full"] = "full"
    """How it is written: [a], [a][] or [text][a]."""


class ImageReference(Component):
    """An image whose place a Definition gives."""

    content_model = CONTENT_MODELS[mdast.ImageReference]
    takes_children: ClassVar[bool] = False

    identifier: str
    """The definition's identifier."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""

    reference_type: Literal["shortcut", "collapsed", "full"] = "full"
    """How it is written: ![a], ![a][] or ![text][a]."""

    alt: str = ""
    """The text that stands for it."""


class FootnoteReference(Component):
    """A mark that leads to a footnote."""

    content_model = CONTENT_MODELS[mdast.FootnoteReference]
    takes_children: ClassVar[bool] = False

    identifier: str
    """The footnote's identifier."""

    label: str | None = None
    """The identifier as it is written; the identifier itself when None."""


_STRONG, _EMPHASIS = Strong(), Emphasis()  # without props, one instance serves all


def strong(*children: Child) -> Element[Strong]:
    """Return important text.

    >>> strong("x")
    Strong()['x']
    """
    return _STRONG[children[0] if len(children) == 1 else children]


def em(*children: Child) -> Element[Emphasis]:
    """Return stressed text."""
    return _EMPHASIS[children[0] if len(children) == 1 else children]


def code(value: str) -> InlineCode:
    """Return code in a line."""
    if type(value) is str:  # there is nothing to check
        return made_of(InlineCode, {"value": value}, {"value"})
    return InlineCode(value=value)


def link(text: Child, url: str, title: str | None = None) -> Element[Link]:
    """Return a link to ``url`` that shows ``text``."""
    return Link(url=url, title=title)[text]
