"""An edited HUD compared with what it was: the operations that lead from one to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from hud_components import SECTIONS, Domain, HudSection, ItemsSection, State, ValueSection
from hud_runtime.editing._editable import a
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._fixed_parts import RestEdit
from hud_runtime.editing._for_editing import OpenedHud
from hud_runtime.editing._items import ListEdit
from hud_runtime.editing._layout import pieces_of, spots
from hud_runtime.editing._order import compare_order
from hud_runtime.editing._page import Found, Page
from hud_runtime.editing._pairs import Pairs
from hud_runtime.editing._result import Changes, Edit, Problem
from hud_runtime.editing._value import value_changes
from ujsx import (
    Child,
    Density,
    DensityLike,
    Element,
    MdastError,
    RenderContext,
    render,
)
from ujsx.errors import shown
from ujsx.rendering import Piece


def changes(
    before: Child,
    edited_markdown: str,
    *,
    density: DensityLike = Density.FULL,
    context: RenderContext | None = None,
    domain: Domain[Any] | None = None,
) -> Changes:
    r"""Return what an edit of a HUD's text comes to, in operations of the tool ``hud``.

    An item is known by its id where the HUD shows ids (:func:`for_editing`), else by its text: by
    equal text, then by one that is near. What the HUD left out is not taken for removed, nor a
    text that was cut for a changed one. What is no operation, or could be several, is a problem.

    :param before: the HUD as it was rendered, with its data or with a state in the context.
    :param edited_markdown: its text after the edit.
    :param density: the density of the rendering.
    :param context: the context of the rendering.
    :param domain: whose sections may come to those that the HUD shows. That of the state in the
        context when ``None``, or that of the state which the HUD was opened with; else the coding
        one, for a HUD that has no other sections than that.
    :raises EditError: for what is no text.

    >>> from hud_components import Hud, HudState, Note
    >>> hud = Hud.of(HudState(notes=(Note(id="n-2", content="Port 8080"),)))
    >>> edit = changes(hud, "# HUD\n\n## Notes\n\n- Port 8081\n- Tests run with make\n")
    >>> [str(change) for change in edit.operations]
    ["notes.update id='n-2' content='Port 8081'", "notes.add content='Tests run with make'"]
    """
    given: object = edited_markdown
    if not isinstance(given, str):
        raise EditError(f"an edited HUD is Markdown, not {shown(given)}")
    ctx = (context or RenderContext()).with_density(density)
    pieces = pieces_of(before, ctx)
    sections = _sections(before, pieces, ctx, domain)
    places = spots(pieces, sections, ctx)
    text = render(before, density=density, context=context)
    old = Page(text, places, None)
    drawn: frozenset[type[HudSection]] = frozenset(
        section for each in old.found if (section := _drawn(each)) is not None
    )
    if drawn:
        places = [spot for spot in places if type(spot.section) not in drawn]
        old = Page(text, places, None)
    try:
        new = Page(edited_markdown, places, frozenset(rest.text for rest in old.rest))
    except MdastError as error:
        return Changes((), (Problem(error.message, 1, 1, "HUD"),))
    rest = RestEdit(old, new, sections, ctx, drawn)
    found: list[Edit | Problem] = [*_order(old, new), *new.problems, *rest.problems()]
    pairs = zip(old.found, new.found, strict=True)
    for was, now in sorted(pairs, key=lambda pair: (pair[1].place or new.end).line):
        found += _compared(was, now, old, new, is_unsure=now.spot.title in rest.foreign)
    return Changes(
        tuple(each for each in found if isinstance(each, Edit)),
        tuple(sorted((each for each in found if isinstance(each, Problem)), key=_place)),
    )


def _sections(
    before: Child, pieces: Sequence[Piece], ctx: RenderContext, domain: Domain[Any] | None
) -> tuple[type[HudSection], ...]:
    """The sections that a HUD has, or could have."""
    own = [type(piece.ladder) for piece in pieces if isinstance(piece.ladder, HudSection)]
    state = ctx.get(State)
    if domain is not None:
        known = domain.sections
    elif isinstance(before, Element) and isinstance(before.component, OpenedHud):
        known = before.component.sections
    elif state is not None:
        known = state.sections
    else:
        known = SECTIONS if set(own) <= set(SECTIONS) else ()
    return tuple(dict.fromkeys((*known, *own)))


def _drawn(found: Found) -> type[HudSection] | None:
    """The section, if it renders itself otherwise than as what its lines write, as in a table."""
    shown: HudSection | None = found.spot.section
    if shown is None or len(found.rows) == found.spot.size:
        return None
    section: type[HudSection] = type(shown)
    return None if section.render in _WRITTEN_BY_LINES else section


_SECTIONS: tuple[Any, ...] = (ItemsSection, ValueSection)
_WRITTEN_BY_LINES = tuple(each.render for each in _SECTIONS)
"""What renders a section that does not render itself."""


def _compared(
    was: Found, now: Found, old: Page, new: Page, *, is_unsure: bool
) -> Iterator[Edit | Problem]:
    title = was.spot.title
    for rest in now.unreadable:
        yield Problem(_unreadable(was), rest.place.line, rest.place.column, title)
    if now.place is None:
        if was.rows:
            yield Problem(
                "the whole section is gone; put it back, or, if all of it is to be removed, its "
                "heading alone",
                new.end.line,
                new.end.column,
                title,
            )
        return
    if was.spot.kind.kind is None:
        yield from value_changes(was, now) if now.rows or not is_unsure else ()
        return
    ids = {
        row.id: each.spot.title
        for each in old.found
        for row in each.rows
        if each is not was and row.id
    }
    pairs = Pairs(was, now, ids)
    if is_unsure:
        pairs.gone.clear()
    edit = ListEdit(pairs, now.place)
    edit.compare()
    compare_order(edit)
    yield from chain(edit.changes, edit.problems)


def _unreadable(was: Found) -> str:
    kind = was.spot.kind
    written, told = kind.templates(was.spot.ctx), f"{{{kind.text}}}"
    behind = "put a backslash before a mark that is meant as such"
    if kind.kind is not None:
        what = f"this is no {kind.what}: {a(kind.what)}"
        return f"{what} is written as {written}, in plain text; {behind}"
    if written == told:
        return f"the {kind.what} is one paragraph of plain text; {behind}"
    return f"the {kind.what} is written as {written}, in plain text; {behind}"


def _order(old: Page, new: Page) -> Iterator[Problem]:
    """Sections stand in the order of the layout."""
    there = [n for n in old.order if n in new.order]
    now = [n for n in dict.fromkeys(new.order) if n in old.order]
    for was, number in zip(there, now, strict=True):
        if was != number:
            found = new.found[number]
            place = found.place or new.end
            yield Problem(
                f"the layout decides the order of sections; put it behind {_before(old, number)}",
                place.line,
                place.column,
                found.spot.title,
            )
            return


def _before(old: Page, number: int) -> str:
    place = old.order.index(number)
    return old.found[old.order[place - 1]].spot.title if place else "the HUD's title"


def _place(problem: Problem) -> tuple[int, int]:
    return problem.line, problem.column
