"""The plan as it was last written: whole lists, single tasks, and what of it changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hud_runtime.observation._json import Record, mapping, sequence, string
from hud_runtime.observation._todos import Change, Todo, changes, todos_in
from hud_runtime.observation._tools import TaskTool, TodoTool

_MADE = re.compile(r"Task #(\w+) created")

_LISTED = re.compile(r"^#(?P<id>\w+)\.? \[(?P<status>\w+)\] (?P<subject>.+)$", re.MULTILINE)

DONE = frozenset({"completed", "complete", "done", "finished", "closed", "x", "checked"})
DROPPED = frozenset({"cancelled", "canceled", "deleted", "removed", "skipped", "abandoned"})


class Plan:
    """The steps of a session, and the events that lead from one version of them to the next."""

    def __init__(self) -> None:
        self._todos: list[Todo] = []
        self._before: list[Todo] = []
        """Steps of the session from before this plan, which may be the host's, or not."""

    def resume(self, todos: Iterable[Todo]) -> None:
        """Go on with a session that has these steps."""
        self._before = list(todos)

    def replaced(self, todos: list[Todo]) -> Iterator[Change]:
        """Yield what leads to these steps."""
        texts = {each.text for each in todos}
        taken = [each for each in self._before if each.text in texts]
        self._before = [each for each in self._before if each.text not in texts]
        old, self._todos = [*self._todos, *taken], todos
        yield from changes(old, todos)

    def written(self, given: Record, tool: TodoTool) -> Iterator[Change]:
        """Yield what a call that writes the whole list changes.

        A list that is a text has a step on each line: ``- [x] Test``.
        """
        if not any(given.get(name) is not None for name in tool.lists):
            return
        text = next(filter(None, (string(given.get(name)) for name in tool.lists)), None)
        yield from self.replaced(todos_in(given, tool) if text is None else checklist(text))

    def steps(self, steps: Iterable[tuple[str, str]]) -> Iterator[Change]:
        """Yield what a list of texts and statuses changes."""
        found: dict[str, Todo] = {}
        for text, status in steps:
            words = " ".join(text.split())
            if words and status not in DROPPED:
                found.setdefault(words, Todo(words, status in DONE))
        yield from self.replaced(list(found.values()))

    def task(self, tool: TaskTool, given: Record, answer: str, data: Record) -> Iterator[Change]:
        """Yield what a call about tasks changes: one that is made, changed, or all of them."""
        match tool.does:
            case "create":
                text = string(given.get("subject")) or string(given.get("description"))
                made = mapping(data.get("task"))
                match_ = _MADE.search(answer)
                key = _key(made.get("id")) or (match_[1] if match_ else None)
                if text and key and all(one.key != key for one in self._todos):
                    yield from self._with([*self._todos, Todo(_free(text, self._todos), key=key)])
            case "update":
                yield from self._updated(given)
            case "list":
                tasks = [mapping(one) for one in sequence(data.get("tasks"))]
                if "tasks" not in data:
                    tasks = [match.groupdict() for match in _LISTED.finditer(answer)]
                if tasks or "tasks" in data:
                    yield from self._with(_listed(tasks))

    def _updated(self, given: Record) -> Iterator[Change]:
        key = _key(given.get("taskId")) or _key(given.get("id"))
        status, subject = string(given.get("status")), string(given.get("subject"))
        new: list[Todo] = []
        for todo in self._todos:
            if todo.key != key:
                new.append(todo)
            elif status not in DROPPED:
                done = todo.done if status is None else status in DONE
                new.append(Todo(subject or todo.text, done, todo.key))
        yield from self._with(new)

    def _with(self, todos: list[Todo]) -> Iterator[Change]:
        by_text: dict[str, Todo] = {}
        for todo in todos:
            by_text.setdefault(todo.text, todo)
        yield from self.replaced(list(by_text.values()))


def checklist(text: str) -> list[Todo]:
    r"""Return the steps of a list in Markdown.

    >>> [(one.text, one.done) for one in checklist("- [x] Read\n- [ ] Write")]
    [('Read', True), ('Write', False)]
    """
    found = {match[2]: Todo(match[2], match[1].lower() == "x") for match in _ENTRY.finditer(text)}
    return list(found.values())


_ENTRY = re.compile(
    r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]+(\S.*?)[ \t\r]*$", re.MULTILINE
)


def _listed(tasks: Iterable[Record]) -> list[Todo]:
    return [
        Todo(text, string(task.get("status")) in DONE, _key(task.get("id")))
        for task in tasks
        if (text := string(task.get("subject"))) and string(task.get("status")) not in DROPPED
    ]


def _key(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return string(value)


def _free(text: str, todos: Iterable[Todo]) -> str:
    """The text, told apart from that of another task."""
    taken = {one.text for one in todos}
    number, free = 2, text
    while free in taken:
        free, number = f"{text} ({number})", number + 1
    return free
