"""The changes that an edit makes to a section of one value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hud_components.declaring import verbs_of
from hud_components.folding import Clear, Set, Update, Verb
from hud_runtime.editing._arguments import called, checked, taken
from hud_runtime.editing._changed import Reworded
from hud_runtime.editing._editable import Editable, a
from hud_runtime.editing._page import Found
from hud_runtime.editing._result import Edit, Problem
from hud_runtime.editing._rows import Row, SourcePlace


def value_changes(before: Found, after: Found) -> Iterator[Edit | Problem]:
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


def _cleared(before: Found, after: Found) -> Edit | Problem:
    kind = before.spot.kind
    place, clear = after.place or SourcePlace(1, 1), kind.verb(Clear)
    if clear is None:
        what = f"nothing takes the {kind.what} away; put it back"
        return Problem(what, place.line, place.column, before.spot.title)
    return Edit(kind.operation(clear), {}, place.line)


def _set(before: Found, now: Row) -> Iterator[Edit | Problem]:
    kind = before.spot.kind
    verb, title = kind.verb(Set), before.spot.title
    if now.origin is not None:
        yield _problem(before, now, f"where {a(kind.what)} comes from is a fact; put it back")
    elif verb is None:
        yield _problem(before, now, f"nothing sets {a(kind.what)}; leave this out")
    else:
        said = taken(kind, verb, now, now.place, title)
        if isinstance(said, list):
            yield from said
        else:
            yield from _called(before, verb, now, said, said)


def _worded(before: Found, was: Row, now: Row, value: Any) -> Iterator[Edit | Problem]:
    kind = before.spot.kind
    verb = _wording(kind, is_own=now.origin == was.origin)
    is_inherited = getattr(value, "origin", None) is not None
    if verb is None or (now.origin != was.origin and not (is_inherited and now.origin is None)):
        if now.origin != was.origin:
            yield _problem(before, now, f"where {a(kind.what)} comes from is a fact; put it back")
        else:
            yield _problem(before, now, f"nothing words the {kind.what} anew; put it back")
        return
    found = Reworded(before.spot, value, was, now, full=before.spot.full, verb=verb)
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
    before: Found, verb: Verb, now: Row, said: dict[str, object], whole: dict[str, object]
) -> Iterator[Edit | Problem]:
    """Call an operation with what is said, where the whole value can be."""
    kind, title = before.spot.kind, before.spot.title
    edit = called(kind, verb, said, now.place, title)
    if isinstance(edit, list):
        yield from edit
        return
    wrong = checked(kind, verb, whole, now.place, title)
    yield from wrong or (edit,)


def _problem(before: Found, row: Row, message: str) -> Problem:
    place = row.place
    return Problem(message, place.line, place.column, before.spot.title, before.spot.kind.text)
