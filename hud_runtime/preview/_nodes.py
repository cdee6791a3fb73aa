"""The parts of a rendered node: its kind, its primitives, its mdast, and what its other rungs show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ujsx import Child, RenderContext, Rung
    from ujsx.rendering import Piece, RenderedNode

LONGEST = 200
"""Characters of a text, or of a prop, in a tree; the exact text has all of them."""

DEEPEST = 40
"""Levels of a tree that are told."""


def kind_of(node: RenderedNode) -> str:
    """Return what a node is: a list, a value or a view of a HUD, another component, a heading, or plain text."""
    from hud_components import HudSection, ItemsSection, ValueSection
    from ujsx import Component, Element

    origin = node.part.origin
    if origin.heading is not None:
        return "heading"
    found = origin.content.component if isinstance(origin.content, Element) else origin.content
    if origin.is_plain or not isinstance(found, Component):
        return "text"
    if isinstance(found, ItemsSection):
        return "list"
    if isinstance(found, ValueSection):
        return "value"
    return "view" if isinstance(found, HudSection) else "component"


def tree_data(node: Any, level: int = 0) -> Any:
    """Return a node of a universal tree as ``[name, props, children]``, a text as it is.

    >>> from ujsx.elements import Section
    >>> tree_data(Section(title="Notes")["a"])
    ['Section', "title='Notes'", ['a']]
    """
    from ujsx.components import as_element

    if isinstance(node, str):
        return _cut(node)
    element = as_element(node)
    component = element.component
    set_ = {name: getattr(component, name) for name in component.model_fields_set}
    props = " ".join(f"{name}={value!r}" for name, value in set_.items())
    inner = element.children if level < DEEPEST else ("…",)
    return [type(component).__name__, _cut(props), [tree_data(each, level + 1) for each in inner]]


def mdast_data(text: str) -> list[Any]:
    """Return a text's mdast as ``[name, fields, children, start, end]``; places are UTF-16 units of the text.

    >>> mdast_data("⚠ *Port*")
    [['paragraph', '', [['text', "'⚠ '", [], None, None], ['emphasis', '', [['text', "'Port'", [], None, None]], None, None]], 0, 8]]
    """
    from ujsx import mdast

    units = _Units(text)
    return [_mdast(each, units, 0) for each in mdast.from_markdown(text).children]


def utf16(text: str) -> int:
    """Return how long a text is to a page, which counts in UTF-16.

    >>> utf16("ab"), utf16("🙂")
    (2, 2)
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class _Units:
    """Offsets in UTF-16, as a page counts them, of offsets in characters; asked in rising order or not."""

    def __init__(self, text: str) -> None:
        self._wide = [at for at, each in enumerate(text) if ord(each) > 0xFFFF]

    def at(self, offset: int | None) -> int | None:
        from bisect import bisect_left

        return None if offset is None else offset + bisect_left(self._wide, offset)


def _mdast(node: Any, units: _Units, level: int) -> list[Any]:
    kind = type(node).__name__
    names: tuple[str, ...] = node.__struct_fields__
    own = {
        name: value
        for name in names
        if name not in ("children", "position", "data")
        and (value := getattr(node, name)) not in (None, False, ())
    }
    fields = " ".join(
        repr(value) if name == "value" else f"{name}={value!r}" for name, value in own.items()
    )
    place = node.position
    start, end = (None, None) if place is None else (place.start.offset, place.end.offset)
    inner = getattr(node, "children", ()) if level < DEEPEST else ()
    return [
        kind[:1].lower() + kind[1:],
        _cut(fields),
        [_mdast(each, units, level + 1) for each in inner],
        units.at(start),
        units.at(end),
    ]


def piece_of(tree: Child, context: RenderContext, index: int) -> Piece | None:
    """Return what a node of a tree's rendering in that context came from; None for what has no ladder."""
    from ujsx import Renderer

    pieces = Renderer(context=context).pieces(tree)
    piece = pieces[index] if index < len(pieces) else None
    return None if piece is None or piece.ladder is None else piece


def text_on(piece: Piece, rung: Rung) -> str:
    """Return what a section shows on a rung."""
    from ujsx import Renderer

    context = piece.rendered_on(rung).context
    return Renderer(context=context).render(piece.nodes).text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
