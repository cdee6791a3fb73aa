r"""The files that a patch changes: the form of ``apply_patch``, and unified diffs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hud_runtime.observation._observations import FileEvent

_APPLY = re.compile(r"^\*\*\* (?P<what>Add|Delete|Update) File: (?P<path>.+?)[ \t\r]*$|^\*\*\* Move to: (?P<to>.+?)[ \t\r]*$", re.MULTILINE)  # fmt: skip
_DIFF = re.compile(r"^--- (?P<old>\S[^\t\n]*+).*+\n\+\+\+ (?P<new>\S[^\t\n]*)", re.MULTILINE)
_NOTHING = "/dev/null"

_EVENTS: dict[str, FileEvent] = {"Add": "file.edit", "Update": "file.edit", "Delete": "file.close"}

BEGIN = "*** Begin Patch"


def patched(text: str) -> Iterator[tuple[FileEvent, str]]:
    r"""Yield what a patch does to which files.

    >>> list(patched("*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** End Patch"))
    [('file.close', 'a.py'), ('file.edit', 'b.py')]
    >>> list(patched("--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n"))
    [('file.edit', 'x.py')]
    """
    if BEGIN in text or "*** Update File:" in text or "*** Add File:" in text:
        yield from _applied(text)
    else:
        yield from _differing(text)


def _applied(text: str) -> Iterator[tuple[FileEvent, str]]:
    last: tuple[FileEvent, str] | None = None
    for match in _APPLY.finditer(text):
        if match["to"]:
            if last is not None:
                yield "file.close", last[1]
                last = ("file.edit", match["to"])
            continue
        if last is not None:
            yield last
        last = (_EVENTS[match["what"]], match["path"])
    if last is not None:
        yield last


def _differing(text: str) -> Iterator[tuple[FileEvent, str]]:
    for match in _DIFF.finditer(text):
        old, new = _bare(match["old"]), _bare(match["new"])
        if new == _NOTHING:
            yield "file.close", old
            continue
        if old not in (_NOTHING, new):
            yield "file.close", old
        yield "file.edit", new


def _bare(path: str) -> str:
    path = path.strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
