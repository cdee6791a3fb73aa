"""The lines that the calls of a conversation have changed, by file, as far as their arguments tell.

A line counts as added where the new text has it more often than the old one; what was moved within a text is no change. A
file that was written as a whole has all its lines added: what it was before nobody says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, cast

from hud_runtime.messages import Statement

PATHS = ("file_path", "path", "filePath", "filename", "notebook_path")
"""Arguments that name a file."""

CHANGES = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
)
"""Arguments that have a text before and after."""

WHOLES = ("content", "contents", "file_text", "new_source")
"""Arguments that have the text of a whole file."""

READING = frozenset({"view", "read", "undo_edit"})
"""Commands of editors that change nothing that their arguments tell."""


LONGEST_PATH = 1_000
"""Characters of a path; what is longer, or has a line break in it, names no file."""


def changed_lines(said: Iterable[Statement]) -> dict[str, tuple[int, int]]:
    r"""Return how many lines were added to and removed from each file, by its path.

    >>> from hud_runtime.messages import read_message
    >>> given = {"file_path": "app.py", "old_string": "a\nb", "new_string": "a\nc\nd"}
    >>> use = {"type": "tool_use", "id": "1", "name": "Edit", "input": given}
    >>> changed_lines([read_message({"role": "assistant", "content": [use]})])
    {'app.py': (2, 1)}
    """
    found: defaultdict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for each in said:
        for part in each.parts:
            if part.kind == "call":
                _take(found, part.arguments)
    return {path: figures for path, figures in found.items() if any(figures)}


def _take(found: dict[str, tuple[int, int]], given: Mapping[str, Any]) -> None:
    path = next((given[each] for each in PATHS if isinstance(given.get(each), str)), "")
    is_path = path.strip() and path.isprintable() and len(path) <= LONGEST_PATH
    if not is_path or str(given.get("command")) in READING:
        return
    edits: Any = given.get("edits")
    several = cast("list[object]", edits) if isinstance(edits, list) else [given]
    for one in several:
        if not isinstance(one, Mapping):
            continue
        added, removed = _lines(cast("Mapping[str, Any]", one))
        before = found[path]
        found[path] = before[0] + added, before[1] + removed


def _lines(edit: Mapping[str, Any]) -> tuple[int, int]:
    for old, new in CHANGES:
        if isinstance(edit.get(old), str) or isinstance(edit.get(new), str):
            before, after = _counted(edit.get(old)), _counted(edit.get(new))
            return (after - before).total(), (before - after).total()
    whole = next((edit[each] for each in WHOLES if isinstance(edit.get(each), str)), "")
    return _counted(whole).total(), 0


def _counted(text: object) -> Counter[str]:
    return Counter(text.split("\n") if isinstance(text, str) and text else ())
