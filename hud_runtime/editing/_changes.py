"""The operations of an edit of a HUD, and their recording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from hud_components import (
    SECTIONS,
    Domain,
    HudSection,
    State,
)
from hud_components.declaring import SectionEvent
from hud_components.folding import Add
from hud_components.words import format_text
from hud_runtime._breaker import tried_again
from hud_runtime._errors import ConcurrencyError
from hud_runtime.editing._editable import (
    Changes,
    Edit,
    EditableSection,
    EditError,
    EditProblem,
    a,
    pieces_of,
    spots,
)
from hud_runtime.editing._items import SectionEdit, compare_order
from hud_runtime.editing._page import (
    EditedPage,
    FoundSection,
    OpenedHud,
    RestEdit,
    for_editing,
)
from hud_runtime.log.events import Actor, Event, EventDraft
from ujsx import Child, Density, DensityLike, Element, MdastError, RenderContext, render
from ujsx.errors import did_you_mean, shown
from ujsx.rendering import Piece

if TYPE_CHECKING:
    from hud_runtime.session import HudSession


def changes(
    before: Child,
    edited_markdown: str,
    *,
    density: DensityLike = Density.FULL,
    context: RenderContext | None = None,
    domain: Domain[Any] | None = None,
) -> Changes:
    r"""Return the operations of the tool ``hud`` for an edit of a HUD's text.

    Items are matched by id if the HUD shows ids (:func:`for_editing`), else by equal text, then by an equal
    first field, then by similar text. Omitted items do not count as removed, nor shortened texts as changed. An edit that is not an
    operation, or could be several, is a problem.

    :param before: the HUD as it was rendered, with its data or with a state in the context.
    :param edited_markdown: its text after the edit.
    :param density: the density of the rendering.
    :param context: the context of the rendering.
    :param domain: the domain whose sections may be added. By default that of the state in the context, or of
        the state with which the HUD was opened; else the coding domain, for a HUD with its sections alone.
    :raises EditError: for anything but text.

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
    old = _page(render(before, density=density, context=context), places)
    places = [each.spot for each in old.found]
    try:
        new = EditedPage(edited_markdown, places, frozenset(rest.text for rest in old.rest))
    except MdastError as error:
        return Changes((), (EditProblem(error.message, 1, 1, "HUD"),))
    rest = RestEdit(old, new, sections, ctx)
    found: list[Edit | EditProblem] = [*_order(old, new), *rest.problems()]
    pairs = zip(old.found, new.found, strict=True)
    for was, now in sorted(pairs, key=lambda pair: (pair[1].place or new.end).line):
        found += _compared(was, now, old, new, is_unsure=now.spot.title in rest.foreign)
    return Changes(
        tuple(each for each in found if isinstance(each, Edit)),
        tuple(
            sorted(
                (each for each in found if isinstance(each, EditProblem)),
                key=lambda each: (each.line, each.column),
            )
        ),
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


def _page(text: str, places: Sequence[EditableSection]) -> EditedPage:
    """Return the text of a HUD, with the sections that can be read from it: no table, nor one in a form of its own."""
    page = EditedPage(text, places, None)
    read = [each.spot for each in page.found if each.is_whole]
    return page if len(read) == len(places) else _page(text, read)


def _compared(
    was: FoundSection, now: FoundSection, old: EditedPage, new: EditedPage, *, is_unsure: bool
) -> Iterator[Edit | EditProblem]:
    title = was.spot.title
    for rest in now.unreadable:
        yield rest.place.problem(_unreadable(was), title)
    if now.place is None:
        if was.rows:
            what = "the whole section is gone; put it back, or, if all of it is to be removed, its heading alone"
            yield new.end.problem(what, title)
        return
    ids = {
        row.id: each.spot.title
        for each in old.found
        for row in each.rows
        if each is not was and row.id
    }
    edit = SectionEdit(was, now, ids)
    if is_unsure:
        edit.pairs.gone.clear()
    edit.compare()
    compare_order(edit)
    yield from chain(edit.operations, edit.problems)


def _unreadable(was: FoundSection) -> str:
    kind = was.spot.kind
    written, told = kind.templates(was.spot.ctx), f"{{{kind.text}}}"
    behind = "put a backslash before a mark that is meant as such"
    what = f"the {kind.what}"
    if kind.kind is not None:
        what = f"this is not {a(kind.what)}: {a(kind.what)}"
    elif written == told:
        return f"{what} is one paragraph of plain text; {behind}"
    return f"{what} is written as {written}, in plain text; {behind}"


def _order(old: EditedPage, new: EditedPage) -> Iterator[EditProblem]:
    """Yield a problem if sections are not in the layout's order."""
    there = [n for n in old.order if n in new.order]
    now = [n for n in dict.fromkeys(new.order) if n in old.order]
    for was, number in zip(there, now, strict=True):
        if was != number:
            found = new.found[number]
            what = f"the layout decides the order of sections; put it behind {_before(old, number)}"
            yield (found.place or new.end).problem(what, found.spot.title)
            return


def _before(old: EditedPage, number: int) -> str:
    place = old.order.index(number)
    return old.found[old.order[place - 1]].spot.title if place else "the HUD's title"


# Changes recorded in a session: all of them, or none if others have changed the same items.


@tried_again
def record_changes(
    session: HudSession[Any], edit: Changes, *, since: int, actor: Actor = "user"
) -> tuple[Event, ...]:
    r"""Record the operations of an edit in one transaction, and return the events.

    Concurrent changes conflict only if they concern the same items: a new note does not conflict with a
    reworded step. Hosts' reports, such as files and readings of the context, never conflict.

    :param since: the version of the session whose HUD was edited.
    :param actor: the author of the edit.
    :raises EditError: for changes with problems, or of another domain.
    :raises ConcurrencyError: if somebody else has changed the same items since then.

    >>> from hud_runtime import HudStore
    >>> from hud_runtime.editing import changes, for_editing
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     hud = for_editing(session.state())
    ...     edit = changes(hud, "# HUD\n\n## Task\n\nAdd login\n")
    ...     [event.type for event in record_changes(session, edit, since=session.version)]
    ['task.set']
    """
    if edit.problems:
        first, *more = edit.problems
        count = f"{len(more) + 1} problems are left; the first" if more else "1 problem is left"
        raise EditError(f"{count}: {first}")
    if not edit.operations:
        return ()
    with session.exclusive():
        if clashes_since(session, edit, since):
            raise ConcurrencyError(session.id, expected=since, actual=session.version)
        return session.record_all(drafts(session.domain, edit.operations, actor))


def drafts(domain: Domain[Any], operations: Iterable[Edit], actor: Actor) -> list[EventDraft]:
    """Return the events of operations."""
    return [
        EventDraft(_meant(domain, each).type, each.arguments, actor=actor) for each in operations
    ]


def document_of(session: HudSession[Any]) -> str:
    """Return the text of a whole session for editing; ``session.edit(text)`` records the changes."""
    return render(for_editing(session.state()))


def edited(session: HudSession[Any], text: str, *, actor: Actor = "user") -> tuple[Event, ...]:
    """Record an edit of a session's text, the one with ids (:func:`for_editing`) or its HUD as shown.

    :raises EditError: for an edit with problems.
    """
    document, domain = for_editing(session.latest()), session.domain
    edit = changes(document, text, domain=domain)
    shown = session.shown()
    if not _shows_ids(text, render(document), but=shown.rendered.text):
        context = shown.context
        of_shown = changes(
            shown.node, text, density=context.density, context=context, domain=domain
        )
        edit = _clearer(domain, edit, of_shown, context)
    return record_changes(session, edit, since=session.version, actor=actor)


_BEGIN = re.compile(r"^ *(?:[-*+]|\d+[.)]) +(?:\[.\] +)?`([^`]+)`", re.MULTILINE)
"""The beginning of an item in code, such as its id."""


def _clearer(
    domain: Domain[Any], of_document: Changes, of_shown: Changes, ctx: RenderContext
) -> Changes:
    """Return the changes of a text without ids: an item that it adds may be one of the shown HUD, reworded.

    :param ctx: the context of the shown HUD.
    """
    if of_document.problems:
        return min(of_shown, of_document, key=lambda each: len(each.problems))
    meant = [_meant(domain, each) for each in of_document.operations]
    sections = {each.section for each in meant if isinstance(each.verb, Add)}
    titles = {format_text(each.with_texts(ctx), f"{each.name}.title") for each in sections}
    is_unclear = any(each.section in titles for each in of_shown.problems)
    return of_shown if titles and (is_unclear or not of_shown.problems) else of_document


def _shows_ids(text: str, document: str, *, but: str) -> bool:
    """Return whether items begin with ids of a document, or with what looks like one.

    :param but: a text whose ids do not count.
    """
    found = {*_BEGIN.findall(text)}.difference(_BEGIN.findall(but))
    looks_alike = any(re.fullmatch(r"(?:.+:)?[a-z]+-\d+", each) for each in found)
    return looks_alike or not found.isdisjoint(_BEGIN.findall(document))


def undone(session: HudSession[Any], events_back: int = 1) -> tuple[Event, ...]:
    """Record what takes back the session's last events, as an edit of its text would.

    :raises EditError: for an event that cannot be taken back, such as a reading of the context.
    """
    before, events = session.version - events_back, tuple[Event, ...]()
    with suppress(EditError):  # its reasons are about the text
        text = render(for_editing(session.state(at=before)))
        events = edited(session, text, actor="agent")
    if not events:
        line = f"write session.state(at={before}) for the state before it"
        raise EditError(f"the last event cannot be taken back by an edit; {line}")
    return events


def clashes_since(session: HudSession[Any], edit: Changes, since: int) -> tuple[Edit, ...]:
    """Return the operations whose items somebody else has changed since a version.

    A new item has no conflicts. The order of a section, an item identified by its text, and a section's only
    value conflict with every change of the section.
    """
    domain, after = session.domain, session.state()
    if session.version == since:
        return ()
    before = session.state(at=since)
    changed = {section: _changed(section, before, after) for section in domain.tools}
    return tuple(
        each for each in edit.operations if _is_clash(_meant(domain, each), each, before, changed)
    )


def _meant(domain: Domain[Any], change: Edit) -> SectionEvent:
    found = domain.operations.get(change.operation)
    if found is None:
        raise EditError(
            f'the domain "{domain.name}" has no operation "{change.operation}"; '
            f"{did_you_mean(change.operation, domain.operations)}; edit a HUD of its own session"
        )
    return found


SECTION = ""
"""The name of a section as a whole, among its changed items."""


def _is_clash(
    meant: SectionEvent,
    change: Edit,
    before: State,
    changed: Mapping[type[HudSection], frozenset[str]],
) -> bool:
    section, names = meant.section, changed[meant.section]
    if not names or isinstance(meant.verb, Add):
        return False
    if section.kind is None:
        return True
    name, key = change.arguments.get(section.kind.key), section.kind.key
    is_known = any(getattr(item, key) == name for item in getattr(before, section.field))
    return name in names if is_known else True


def _changed(section: type[HudSection], before: State, after: State) -> frozenset[str]:
    """The names of the changed items, and the section as a whole; empty without changes."""
    was, now = getattr(before, section.field), getattr(after, section.field)
    if was is now or was == now:
        return frozenset()
    if section.kind is None:
        return frozenset({SECTION})
    key = section.kind.key
    old, new = ({getattr(item, key): item for item in items} for items in (was, now))
    return frozenset({SECTION, *(name for name in {*old, *new} if old.get(name) != new.get(name))})
