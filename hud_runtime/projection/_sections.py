"""What events do to a section as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hud_components import ActiveFile, HudState
from hud_runtime.events import Event, FileKept, New, SectionClear, SectionReplace
from hud_runtime.projection._edits import same_if_equal, with_sections, with_values
from hud_runtime.projection._items import blocker, decision, error, note
from hud_runtime.projection._kinds import KINDS, Item, Kind, made_id
from hud_runtime.projection._steps import numbered, step

EMPTY: dict[str, object] = {
    "task": None, "decisions": (), "active_files": (), "next_steps": (), "notes": (),
    "blockers": (), "errors": (),
}  # fmt: skip
"""Each section's value when there is nothing in it."""

NewT = TypeVar("NewT", bound=New)
ItemT = TypeVar("ItemT", bound=Item)


def section_clear(state: HudState, _event: Event, cleared: SectionClear) -> HudState:
    """One section is emptied, or all of them."""
    names = EMPTY if cleared.section is None else (cleared.section,)
    return with_sections(state, **{name: EMPTY[name] for name in names})


def section_replace(state: HudState, event: Event, new: SectionReplace) -> HudState:
    """A section has these contents; items that were known keep what the store adds to them."""
    at = event.timestamp
    replaced = _Replaced(event.version)
    if new.decisions is not None:
        decisions = replaced.items(
            KINDS["decision"], state.decisions, new.decisions, lambda d, i: decision(d, i, at)
        )
        return with_sections(state, decisions=decisions)
    if new.notes is not None:
        notes = replaced.items(KINDS["note"], state.notes, new.notes, lambda d, i: note(d, i, at))
        return with_sections(state, notes=notes)
    if new.blockers is not None:
        blockers = replaced.items(KINDS["blocker"], state.blockers, new.blockers, blocker)
        return with_sections(state, blockers=blockers)
    if new.errors is not None:
        errors = replaced.items(KINDS["error"], state.errors, new.errors, error)
        return with_sections(state, errors=errors)
    if new.next_steps is not None:
        steps = replaced.items(
            KINDS["step"], state.next_steps, new.next_steps, lambda d, i: step(d, i, 0)
        )
        return with_sections(state, next_steps=same_if_equal(state.next_steps, numbered(steps)))
    return with_sections(state, active_files=_files(state, event, new.active_files or ()))


class _Replaced:
    """Builds a section's new items in the event of this version."""

    def __init__(self, version: int) -> None:
        self.version = version

    def items(
        self,
        kind: Kind,
        old: tuple[ItemT, ...],
        drafts: Sequence[NewT],
        make: Callable[[NewT, str], ItemT],
    ) -> tuple[ItemT, ...]:
        """Return one item for each draft: the known one with its new words, or a new one."""
        known = {item.id: item for item in old}
        taken = {*known, *(draft.id for draft in drafts if draft.id is not None)}
        new: dict[str, ItemT] = {}
        for place, draft in enumerate(drafts, start=1):
            item_id = draft.id or made_id(kind, self.version, taken, place)
            before = known.get(item_id)
            if before is None:
                new[item_id] = make(draft, item_id)
            else:
                said = {name: value for name, value in draft if name != "id"}
                new[item_id] = with_values(before, **said)
        return same_if_equal(old, tuple(new.values()))


def _files(state: HudState, event: Event, kept: Sequence[FileKept]) -> tuple[ActiveFile, ...]:
    known = {file.path: file for file in state.active_files}
    files: dict[str, ActiveFile] = {}
    for one in kept:
        fresh = ActiveFile(path=one.path, last_accessed=event.timestamp)
        files[one.path] = with_values(known.get(one.path, fresh), status=one.status)
    return same_if_equal(state.active_files, tuple(files.values()))
