"""Misplaced nodes: an error names each in its author's words, not in the target's.

The author wrote an ``Item``, a ``Section`` or a component of their own; that it is a ``ListItem`` or an
``<h1>`` by now is nothing that they know of. What may stand where is said by the content model alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ujsx.errors import RenderError, shown
from ujsx.mdast._content_model import (
    CONTENT_MODELS,
    HOLDERS,
    TAKES,
    Content,
    ContentModel,
    named,
)
from ujsx.mdast._nodes import Text

if TYPE_CHECKING:
    from ujsx.components._component import Component

_FORMS: Mapping[Content, str] = MappingProxyType(
    {"list": "Item()[{}]", "table": "TableRow()[TableCell()[{}]]", "row": "TableCell()[{}]"}
)
"""How something else is put into a list, a table and a row."""


def barred_from(model: ContentModel) -> frozenset[Content]:
    """Return where what has that content model cannot stand.

    >>> sorted(barred_from(CONTENT_MODELS[Text]))
    ['list', 'row', 'table']
    """
    return frozenset(place for place in TAKES if not model.fits(place))


TEXT_BARRED_FROM = barred_from(CONTENT_MODELS[Text])
"""Where a text cannot stand."""


def misplaced(place: Content, child: str | Component, parent: Component) -> RenderError:
    """Return what is said of a child that cannot stand in its parent, as a rendering says it."""
    if place in HOLDERS:
        error = no_member(place, child)
    elif place == "phrasing" or isinstance(child, str) or child.content_model is None:
        error = no_line(child)
    else:
        error = no_part(next(kind for kind in child.content_model.stands_as if kind in HOLDERS))
    error.within(type(parent).__name__)
    return error


def no_member(place: Content, child: str | Component) -> RenderError:
    """Return what is said of a child that is no member of its list, table or row."""
    holder, part = HOLDERS[place]
    written = _FORMS[place].format(shown(child, width=30) if isinstance(child, str) else "…")
    return RenderError(f"a {holder} holds {part}s, not {described(child)}; write {written}")


def as_rendered(error: RenderError, child: str | Component) -> RenderError:
    """Return an error about a child that was seen once it was rendered: what a component renders is its author's."""
    if isinstance(child, str) or child.is_primitive:
        return error
    kind = type(child)
    if "render" in vars(kind):
        return error.made_by(child.render)
    place: tuple[str, int] | None = vars(kind).get("_written_at")
    if place is not None:  # the render is somebody else's, as a section's
        error.add_note(f"{kind.__name__} is written at {place[0]}:{place[1]}")
    return error


def no_part(content: Content) -> RenderError:
    """Return what is said of a part of a list, a table or a row that stands alone."""
    holder, part = HOLDERS[content]
    message = f"it stands in a {holder} only; write {holder}()[{part}()[…]]"
    return RenderError(message, path=part)


def no_line(child: str | Component) -> RenderError:
    """Return what is said of a block among what stands in a line."""
    return RenderError(
        f"{described(child)} is a block and cannot stand in a line; put it beside the paragraph"
    )


def described(child: str | Component) -> str:
    """Return what an error calls a child: its class, or what it says.

    >>> from ujsx.elements import Item
    >>> described(Item()), described("hello")
    ('an Item', "the text 'hello'")
    """
    if isinstance(child, str):
        return f"the text {shown(child, width=30)}"
    name = type(child).__name__
    return named(name) if child.is_primitive else f"what {name} renders"
