"""What the HUD's sections have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from hud_components._models import HudState
from ujsx import (
    Component,
    ContentModel,
    DefinitionError,
    Density,
    DensityLike,
    Disclosure,
    RenderContext,
    Rung,
)
from ujsx.elements import Section
from ujsx.trees import disclosed_context


class HudSection(Component):
    """A part of the HUD. Its data come with its props, or from the state bound to the context."""

    content_model = ContentModel(("flow",))
    takes_children: ClassVar[bool] = False

    density: Density | None = None
    """How dense this section is, whatever the HUD is."""

    limit: Annotated[int, Field(ge=0)] | None = None
    """How many items it shows at most, whatever the HUD's density allows."""

    def disclosed(self) -> Disclosure:
        """Return the class's disclosure, narrowed by ``density`` and ``limit``."""
        if self.density is None and self.limit is None:
            return self.disclosure
        return _narrowed(self.disclosure, self.density, self.limit)

    def as_shown(
        self, density: DensityLike = Density.FULL, context: RenderContext | None = None
    ) -> Self | None:
        r"""Return the section cut to what its rendering says, or ``None`` if it says nothing.

        It renders to the same text, and it is what ``parse`` reads from that text: ids, times and
        whatever else is not shown are as if they had not been given.

        :param density: the density of the rendering.
        :param context: the context of the rendering; its density counts when ``density`` does not.

        >>> from hud_components import Note, NotesSection
        >>> notes = NotesSection(notes=(Note(id="n-1", content="Port\n8080"), Note(content="b")))
        >>> notes.as_shown("compact").notes[0].content
        'Port 8080'
        """
        ctx = (context or RenderContext()).with_density(density)
        return self.as_shown_in(disclosed_context(self, ctx))

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        """Return the section cut to what it says on the rung that the context stands on."""
        raise DefinitionError(
            f"{type(self).__name__} does not say what it shows; define as_shown_in(ctx), and lift"
        )

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        """Return the section that blocks start with and how many of them it takes, or ``None``.

        A section that does not define it is not read back: it stays Markdown in a lifted HUD.

        :param blocks: mdast blocks, at least one; later ones may belong to other sections.
        :param ctx: the fixed texts; its depth is the number of sections around.
        """
        return None


@lru_cache(maxsize=256)
def _narrowed(disclosure: Disclosure, density: Density | None, limit: int | None) -> Disclosure:
    rungs = [disclosure.at(each) for each in (Density if density is None else (density,))]
    ladder: dict[Density, Rung] = {}
    for rung in rungs:
        limits = [each for each in (rung.limit, limit) if each is not None]
        if rung.density is Density.FULL or density is not None:
            limits = limits[-1:]  # the author's limit counts, above the usual one too
        ladder[rung.density] = Rung(rung.density, min(limits, default=None))
    return Disclosure(tuple(ladder.values()), disclosure.weight, disclosure.floor, disclosure.layer)


def titled(title: str) -> Section:
    """Return the section of that title."""
    return Section.model_construct(title=title)


def bound(ctx: RenderContext) -> HudState:
    """Return the state that a section without data of its own shows; an empty one if none."""
    return ctx.get(HudState) or _NOTHING


_NOTHING = HudState()
