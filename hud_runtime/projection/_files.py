"""What events do to the files in use. The one used last stands last."""

from __future__ import annotations

from collections.abc import Mapping

from hud_components import ActiveFile, FileStatus, HudState
from hud_runtime.events import Event, FileClose, FileEdit, FileOpen
from hud_runtime.projection._edits import same_if_equal, with_sections, with_values

CLOSENESS: Mapping[FileStatus, int] = {"referenced": 0, "reading": 1, "editing": 2}
"""How much the agent does with a file. It only grows: a file that was edited stays so."""


def file_open(state: HudState, event: Event, opened: FileOpen) -> HudState:
    """A file is read or mentioned."""
    return _used(state, event, opened.path, opened.status)


def file_edit(state: HudState, event: Event, edited: FileEdit) -> HudState:
    """A file is changed."""
    return _used(state, event, edited.path, "editing")


def file_close(state: HudState, _event: Event, closed: FileClose) -> HudState:
    """A file is no longer in use."""
    left = tuple(file for file in state.active_files if file.path != closed.path)
    return with_sections(state, active_files=same_if_equal(state.active_files, left))


def _used(state: HudState, event: Event, path: str, status: FileStatus) -> HudState:
    files = state.active_files
    place = next((place for place, file in enumerate(files) if file.path == path), None)
    if place is None:
        file = ActiveFile(path=path, status=status, last_accessed=event.timestamp)
        return with_sections(state, active_files=(*files, file))
    known = files[place]
    closest = max(known.status, status, key=CLOSENESS.__getitem__)
    file = with_values(known, status=closest, last_accessed=event.timestamp)
    if file is known and files[-1] is known:
        return state
    return with_sections(state, active_files=(*files[:place], *files[place + 1 :], file))
