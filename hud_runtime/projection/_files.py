"""What events do to the files in use. The one used last stands last."""

from __future__ import annotations

from collections.abc import Mapping

from hud_components import ActiveFile, FileStatus, HudState
from hud_runtime.events import Event, FileClose, FileEdit, FileOpen
from hud_runtime.projection._edits import with_sections, with_values
from hud_runtime.projection._index import Index, carrying, taken

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
    index = _index(state.active_files)
    for number in index.with_key(closed.path):
        index.remove(number)
    return with_sections(state, active_files=carrying(index, state.active_files))


def _used(state: HudState, event: Event, path: str, status: FileStatus) -> HudState:
    files = state.active_files
    index = _index(files)
    numbers = index.with_key(path)
    if not numbers:
        index.append(ActiveFile(path=path, status=status, last_accessed=event.timestamp))
        return with_sections(state, active_files=carrying(index, files))
    known = index[numbers[0]]
    closest = max(known.status, status, key=CLOSENESS.__getitem__)
    file = with_values(known, status=closest, last_accessed=event.timestamp)
    if file is not known or files[-1] is not known:
        index.move_to_end(numbers[0], file)
    return with_sections(state, active_files=carrying(index, files))


def _index(files: tuple[ActiveFile, ...]) -> Index[ActiveFile]:
    return taken(files) or Index(files, "path")
