"""The operations that an edit of a HUD stands for, and their recording."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from hud_components import (
    SECTIONS,
    Domain,
    HudSection,
    ItemsSection,
    State,
    TableSection,
    ValueSection,
)
from hud_components.declaring import SectionEvent, verbs_of
from hud_components.folding import Add, Clear, Set, Update, Verb
from hud_runtime._breaker import tried_again
from hud_runtime._errors import ConcurrencyError
from hud_runtime.editing._editable import (
    Changes,
    Edit,
    Editable,
    EditError,
    EditProblem,
    a,
    pieces_of,
    spots,
)
from hud_runtime.editing._items import (
    ItemEdit,
    ListEdit,
    Pairs,
    called,
    checked,
    compare_order,
    taken,
)
from hud_runtime.editing._page import (
    EditedPage,
    FoundSection,
    OpenedHud,
    RestEdit,
    Row,
    SourcePlace,
    for_editing,
)
from hud_runtime.log.events import Actor, Event, EventDraft
from ujsx import Child, Density, DensityLike, Element, MdastError, RenderContext, render
from ujsx.errors import did_you_mean, shown
from ujsx.rendering import Piece

if TYPE_CHECKING:
    from hud_runtime.session import HudSession

# The changes that an edit makes to a section of one value.


def value_changes(before: FoundSection, after: FoundSection) -> Iterator[Edit | EditProblem]:
    """Yield what an edit comes to: the value is set, worded anew, or cleared.

    An inherited value becomes the session's own when it is worded anew, or when the words that tell
    where it comes from are taken away.
    """
    kind = before.spot.kind
    was = before.rows[0] if before.rows else None
    if not after.rows:
        if was is not None and not after.unreadable:
            yield _cleared(before, after)
        return
    now, *more = after.rows
    for row in more:
        what = f"there is one {kind.what}; leave this out, or make it an item of a list"
        yield _problem(before, row, what)
    value = before.spot.value
    if was is None or value is None:
        yield from _set(before, now)
    elif now.told != was.told or now.origin != was.origin:
        yield from _worded(before, was, now, value)


def _cleared(before: FoundSection, after: FoundSection) -> Edit | EditProblem:
    kind = before.spot.kind
    place, clear = after.place or SourcePlace(1, 1), kind.verb(Clear)
    if clear is None:
        what = f"the {kind.what} cannot be removed; put it back"
        return place.problem(what, before.spot.title)
    return Edit(kind.operation(clear), {}, place.line)


def _set(before: FoundSection, now: Row) -> Iterator[Edit | EditProblem]:
    kind = before.spot.kind
    verb, title = kind.verb(Set), before.spot.title
    if now.origin is not None:
        yield _problem(before, now, f"the source of {a(kind.what)} cannot be edited; put it back")
    elif verb is None:
        yield _problem(before, now, f"{a(kind.what)} cannot be set; leave this out")
    else:
        said = taken(kind, verb, now, now.place, title)
        if isinstance(said, list):
            yield from said
        else:
            yield from _called(before, verb, now, said, said)


def _worded(before: FoundSection, was: Row, now: Row, value: Any) -> Iterator[Edit | EditProblem]:
    kind = before.spot.kind
    verb = _wording(kind, is_own=now.origin == was.origin)
    is_inherited = getattr(value, "origin", None) is not None
    if verb is None or (now.origin != was.origin and not (is_inherited and now.origin is None)):
        if now.origin != was.origin:
            yield _problem(
                before, now, f"the source of {a(kind.what)} cannot be edited; put it back"
            )
        else:
            yield _problem(before, now, f"the {kind.what} cannot be reworded; put it back")
        return
    found = ItemEdit(before.spot, value, was, now, full=before.spot.full, verb=verb)
    yield from found.problems
    if found.problems or (not found.changed and now.origin == was.origin):
        return
    said = dict(found.changed)
    if isinstance(verb, Set):  # which says all of it; what the line does not show stays
        said = {**_kept(kind, verb, value), **said}
    valid = {**dict(value), **said}
    yield from _called(before, verb, now, said, valid)


def _wording(kind: Editable, *, is_own: bool) -> Verb | None:
    """The verb that words a value anew; only one that sets it makes it the session's own."""
    update = kind.verb(Update)
    if update is not None and is_own:
        return update
    sets = [each for each in verbs_of(kind.section) if isinstance(each, Set)]
    return sets[-1] if sets else None


def _kept(kind: Editable, verb: Verb, value: Any) -> dict[str, object]:
    """What a value says that it does not say by default, and that an operation takes."""
    usual = {
        name: info.get_default(call_default_factory=True)
        for name, info in kind.section.draft.model_fields.items()
    }
    return {
        name: getattr(value, name)
        for name in usual
        if kind.takes(verb, name) and getattr(value, name) != usual[name]
    }


def _called(
    before: FoundSection, verb: Verb, now: Row, said: dict[str, object], whole: dict[str, object]
) -> Iterator[Edit | EditProblem]:
    """Call an operation with what is said, where the whole value can be."""
    kind, title = before.spot.kind, before.spot.title
    edit = called(kind, verb, said, now.place, title)
    if isinstance(edit, list):
        yield from edit
        return
    wrong = checked(kind, verb, whole, now.place, title)
    yield from wrong or (edit,)


def _problem(before: FoundSection, row: Row, message: str) -> EditProblem:
    return row.place.problem(message, before.spot.title, before.spot.kind.text)


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
    old = EditedPage(text, places, None)
    drawn: frozenset[type[HudSection]] = frozenset(
        section for each in old.found if (section := _drawn(each)) is not None
    )
    if drawn:
        places = [spot for spot in places if type(spot.section) not in drawn]
        old = EditedPage(text, places, None)
    try:
        new = EditedPage(edited_markdown, places, frozenset(rest.text for rest in old.rest))
    except MdastError as error:
        return Changes((), (EditProblem(error.message, 1, 1, "HUD"),))
    rest = RestEdit(old, new, sections, ctx, drawn)
    found: list[Edit | EditProblem] = [*_order(old, new), *new.problems, *rest.problems()]
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


def _drawn(found: FoundSection) -> type[HudSection] | None:
    """The section, if it renders itself otherwise than as what its lines write, as in a table."""
    shown: HudSection | None = found.spot.section
    if shown is None or len(found.rows) == found.spot.size:
        return None
    section: type[HudSection] = type(shown)
    is_table: bool = issubclass(section, _TABLES)
    return section if is_table or section.render not in _WRITTEN_BY_LINES else None


_SECTIONS: tuple[Any, ...] = (ItemsSection, ValueSection)
_TABLES: Any = TableSection
_WRITTEN_BY_LINES = tuple(each.render for each in _SECTIONS)
"""What renders a section that does not render itself."""


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
    """Sections stand in the order of the layout."""
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


# Changes recorded in a session: all of them, or none where others have changed the same.


@tried_again
def record_changes(
    session: HudSession[Any], edit: Changes, *, since: int, actor: Actor = "user"
) -> tuple[Event, ...]:
    r"""Record what an edit comes to, in one transaction, and return the events.

    What others record meanwhile is no conflict, so long as it is about other items: a new note
    is not in the way of a step that is worded anew. Nor is what hosts report, such as files and
    readings of the context.

    :param since: the version of the session whose HUD was edited.
    :param actor: who edited it.
    :raises EditError: for changes that have problems, or are those of another domain.
    :raises ConcurrencyError: if somebody else has changed since then what the edit changes.

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
    drafts = [
        EventDraft(_meant(session.domain, change).type, change.arguments, actor=actor)
        for change in edit.operations
    ]
    with session.exclusive():
        if clashes_since(session, edit, since):
            raise ConcurrencyError(session.id, expected=since, actual=session.version)
        return session.record_all(drafts)


def document_of(session: HudSession[Any]) -> str:
    """Return the text of all that a session has, to be edited; ``session.edit(text)`` records the changes."""
    return render(for_editing(session.state()))


def edited(session: HudSession[Any], text: str, *, actor: Actor = "user") -> tuple[Event, ...]:
    """Record what an edit of a session's text comes to: of the one with ids (:func:`for_editing`), or of its HUD as it is shown.

    :raises EditError: for an edit that is not all operations.
    """
    edit = changes(for_editing(session.latest()), text, domain=session.domain)
    if edit.problems and not re.search(r"`[a-z]+-\d+`", text):  # no id of an item
        shown = session.shown()
        of_shown = changes(
            shown.node,
            text,
            density=shown.context.density,
            context=shown.context,
            domain=session.domain,
        )
        edit = edit if of_shown.problems else of_shown
    return record_changes(session, edit, since=session.version, actor=actor)


def clashes_since(session: HudSession[Any], edit: Changes, since: int) -> tuple[Edit, ...]:
    """Return the operations that change what somebody else has changed since a version.

    A new item clashes with nothing. The order of a section, and an item that is named by its text,
    clash with every change of the section: what they come to depends on all of it. So does a
    section's one value.
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
"""What stands for a section as a whole, among the names of its items that have changed."""


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
    """Which items are others now, by name, and the section as a whole; nothing if all is the same."""
    was, now = getattr(before, section.field), getattr(after, section.field)
    if was is now or was == now:
        return frozenset()
    if section.kind is None:
        return frozenset({SECTION})
    key = section.kind.key
    old, new = ({getattr(item, key): item for item in items} for items in (was, now))
    return frozenset({SECTION, *(name for name in {*old, *new} if old.get(name) != new.get(name))})
