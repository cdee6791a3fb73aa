"""From two versions of a to-do list to what changed in the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hud_runtime.events import EventType
from hud_runtime.observation._json import Record, mapping, sequence, string
from hud_runtime.observation._tools import TodoTool

Change: TypeAlias = tuple[EventType, dict[str, object]]
"""The type and the payload of an event; steps are named by their texts."""


@dataclass(frozen=True, slots=True)
class Todo:
    """One entry of a list."""

    text: str
    done: bool = False
    key: str | None = None
    """The list's own id for it, where it has one."""


def todos_in(arguments: Record, tool: TodoTool) -> list[Todo]:
    """Return the entries of a call's list. An entry that says what another one says is left out."""
    found: dict[str, Todo] = {}
    entries = next((arguments[name] for name in tool.lists if name in arguments), ())
    for entry in map(mapping, sequence(entries)):
        text = next(filter(None, (string(entry.get(name)) for name in tool.text)), "").strip()
        text = " ".join(text.split()) if "\n" in text else text
        status = entry.get("completed", entry.get("status"))
        status = (
            ("completed" if status else "pending") if isinstance(status, bool) else string(status)
        )
        if text and text not in found and status not in tool.dropped:
            found[text] = Todo(text, status in tool.done, string(entry.get("id")))
    return list(found.values())


def changes(old: Sequence[Todo], new: Sequence[Todo]) -> Iterator[Change]:
    """Yield what leads from one list to the other: removed, reworded, done, added, moved.

    >>> list(changes([Todo("a"), Todo("b")], [Todo("b", done=True), Todo("c")]))
    ... # doctest: +NORMALIZE_WHITESPACE
    [('step.remove', {'id': 'a'}), ('step.complete', {'id': 'b'}),
     ('step.add', {'description': 'c', 'completed': False})]
    """
    texts = {todo.text for todo in new}
    renamed = _renamed(old, new)
    kept: list[str] = []
    for todo in old:
        text = renamed.get(todo.text, todo.text)
        if text not in texts:
            yield "step.remove", {"id": todo.text}
            continue
        if text != todo.text:
            yield "step.update", {"id": todo.text, "description": text}
        kept.append(text)
    done = {renamed.get(todo.text, todo.text): todo.done for todo in old}
    for todo in new:
        if todo.text not in done:
            yield "step.add", {"description": todo.text, "completed": todo.done}
            kept.append(todo.text)
        elif todo.done and not done[todo.text]:
            yield "step.complete", {"id": todo.text}
        elif done[todo.text] and not todo.done:
            yield "step.update", {"id": todo.text, "completed": False}
    order = [todo.text for todo in new]
    if order != kept:
        yield "step.reorder", {"ids": order}


def _renamed(old: Sequence[Todo], new: Sequence[Todo]) -> dict[str, str]:
    """Return the new texts of entries whose key stayed and whose text did not."""
    known = {todo.text for todo in old}
    texts = {todo.key: todo.text for todo in new if todo.key}
    left = {todo.text for todo in new}
    return {
        todo.text: texts[todo.key]
        for todo in old
        if todo.key in texts and todo.text not in left and texts[todo.key] not in known
    }
