"""The subject of a call, by its arguments: the script it runs, the files it names."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hud_runtime.observation._edited_text import put_in_by, put_in_by_patch
from hud_runtime.observation._json import Record, sequence, string
from hud_runtime.observation._patches import patched
from hud_runtime.observation._shell import Touched
from hud_runtime.observation._tools import (
    CodeTool,
    EditorTool,
    FileTool,
    MoveTool,
    PatchTool,
    ShellTool,
)
from hud_runtime.observation._written_by_code import written_by

ByFiles: TypeAlias = FileTool | EditorTool | PatchTool | MoveTool | CodeTool
"""The tools whose calls name files."""


def scripts_of(given: Record, tool: ShellTool) -> str:
    r"""Return the script that a call runs, which may be a text, a command's words, or several scripts.

    >>> scripts_of({"command": ["bash", "-lc", "make test"]}, ShellTool())
    "bash -lc 'make test'"
    """
    for name in tool.command:
        value = given.get(name)
        if isinstance(value, str):
            return value
        words = [*filter(None, map(string, sequence(value)))]
        if words:
            return "\n".join(words) if name == "commands" else shlex.join(words)
    return ""


def files_of(tool: ByFiles, given: Record) -> Iterator[Touched]:
    """Yield the files that a call of a tool is about."""
    match tool:
        case FileTool():
            yield Touched(tool.event, first(given, tool.path), put_in_by(given))
        case EditorTool():
            command = string(given.get(tool.command))
            writes = any(
                name in given
                for name in ("content", "new_string", "new_str", "file_text", "new_text")
            )
            event = tool.events.get(command or ("edit" if writes else "view"))
            if event is not None:
                yield Touched(event, first(given, tool.path), put_in_by(given))
        case PatchTool():
            patch = first(given, tool.patch) or ""
            found, new = list(patched(patch)), put_in_by_patch(patch)
            for change, changed in found:
                yield Touched(change, changed, new.get(changed, ""))
            if not found:
                yield Touched("file.edit", first(given, ("path", "file_path", "filePath")))
        case CodeTool():
            for written in written_by(first(given, tool.code) or ""):
                yield Touched("file.edit", written)
        case MoveTool():
            source, target = first(given, tool.source), first(given, tool.target)
            if source and target:
                yield Touched("file.close", source)
                yield Touched("file.edit", target)


def first(given: Record, names: Sequence[str]) -> str | None:
    """Return the first of these arguments that is a text."""
    return next(filter(None, (string(given.get(name)) for name in names)), None)
