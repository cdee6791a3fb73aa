"""The text that an edit puts into a file, in a few words: the longest of its new lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hud_components.words import cut
from hud_runtime.observation._json import Record, mapping, sequence, string
from hud_runtime.observation._observations import ToolResult
from hud_runtime.secrets import masked

LONGEST = 80
"""Characters that are told of an edit."""

LOOKED_AT = 50_000
"""Characters of an edit that are looked at."""

_NEW = ("new_string", "new_str", "newString", "content", "contents", "file_text", "new_text", "new_source", "insert_text", "code_edit")  # fmt: skip
_OLD = ("old_string", "old_str", "oldString", "old_text")
_FILE = re.compile(r"^(?:\*\*\* (?:Add|Update) File:|\*\*\* Move to:|\+\+\+ )[ \t]*(?:[ab]/)?(?P<path>\S[^\t\n\r]*).*$", re.MULTILINE)  # fmt: skip


def newest_line(new: str, old: str = "") -> str:
    r"""Return the longest line of a text that another one does not have, without secrets; empty for none.

    >>> newest_line("a = 1\nretries = 5\n", "a = 1\nretries = 3\n")
    'retries = 5'
    """
    known = {line.strip() for line in old[:LOOKED_AT].splitlines()}
    lines = (line.strip() for line in new[:LOOKED_AT].splitlines())
    longest = max((line for line in lines if line not in known), key=len, default="")
    return cut(" ".join(masked(longest[: 4 * LONGEST]).split()), LONGEST)


def put_in_by(given: Record) -> str:
    """Return the newest line of what a call of an editor puts in, of several edits the last.

    >>> put_in_by({"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d"}]})
    'd'
    """
    edits = [*map(mapping, sequence(given.get("edits"))), given]
    told = (newest_line(_first(each, _NEW), _first(each, _OLD)) for each in reversed(edits))
    return next(filter(None, told), "")


def put_in_by_patch(patch: str) -> Mapping[str, str]:
    r"""Return the newest line that a patch puts in, by the path of each file as the patch has it.

    >>> dict(put_in_by_patch("*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y = 2\n*** End Patch"))
    {'a.py': 'y = 2'}
    """
    files = [*_FILE.finditer(patch)]
    ends = [*(each.start() for each in files[1:]), len(patch)]
    return {
        each["path"].strip(): newest_line(
            "\n".join(line[1:] for line in patch[each.end() : end].splitlines() if line[:1] == "+")
        )
        for each, end in zip(files, ends, strict=True)
    }


_MADE = re.compile(
    r"\bfile (?:was )?(?:successfully )?created\b|\b(?:created|wrote) (?:a )?new file\b|^A \S+\.\w+$",
    re.IGNORECASE | re.MULTILINE,
)
"""The answers of editors that made a file; patches list it behind an "A"."""


def made_new(result: ToolResult) -> bool:
    """Tell whether an answer says that a file was made.

    >>> made_new(ToolResult(text="File created successfully at: /app/a.py")), made_new(ToolResult(text="Updated a.py"))
    (True, False)
    """
    return result.data.get("type") == "create" or _MADE.search(result.text[:LONGEST]) is not None


def _first(given: Record, names: tuple[str, ...]) -> str:
    return next(filter(None, (string(given.get(name)) for name in names)), "") or ""
