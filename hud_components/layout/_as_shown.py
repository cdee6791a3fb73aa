"""A HUD as it is shown: its sections cut to what their renderings say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hud_components.declaring._section import HudSection
from hud_components.layout._hud import Hud
from hud_components.layout._parse import as_they_are
from hud_components.words._texts import format_text
from ujsx import Child, Density, DensityLike, Element, Node, RenderContext, Renderer, to_mdast
from ujsx.rendering import Piece
from ujsx.trees import disclosed_context


def as_shown(
    node: Child, *, density: DensityLike = Density.FULL, context: RenderContext | None = None
) -> Element[Hud]:
    """Return a HUD cut to what its rendering says: what ``parse`` reads from that rendering.

    :param density: the density of the rendering.
    :param context: the context of the rendering, with the bound state where sections need it.

    >>> from hud_components import Note, NotesSection
    >>> hud = Hud()[NotesSection(notes=(Note(id="n-1", content="Port 8080"),))]
    >>> as_shown(hud).children[0].notes
    (Note(content='Port 8080', id='', updated_at=0),)
    """
    ctx = (context or RenderContext()).with_density(density)
    pieces = Renderer(context=ctx).pieces(node)
    title = None
    if pieces and pieces[0].heading is not None:
        title, pieces = pieces[0].heading.title, pieces[1:]
        title = None if title == format_text(ctx, "hud.title") else title
        ctx = ctx.deeper()
    return Element(Hud(title=title), tuple(_children(pieces, ctx)))


def _children(pieces: list[Piece], ctx: RenderContext) -> Iterator[Node]:
    foreign: list[Any] = []
    for piece in pieces:
        if piece.is_hidden:
            continue
        section = _read_from(piece)
        if section is None:
            foreign += to_mdast(piece.heading or piece.nodes, piece.context).children
            continue
        yield from as_they_are(foreign, ctx)
        foreign.clear()
        yield section
    yield from as_they_are(foreign, ctx)


def _read_from(piece: Piece) -> HudSection | None:
    """The section that is read from a piece's text; ``None`` where that stays Markdown."""
    section = piece.ladder
    if not isinstance(section, HudSection):
        return None
    if type(section).as_shown_in is HudSection.as_shown_in or not section.reads_back:
        return None  # it does not say how it is read
    return section.as_shown_in(disclosed_context(section, piece.context))
