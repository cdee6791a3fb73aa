"""What the texts of answers say beside what the tool said: an exit status, in the words of many hosts."""

from __future__ import annotations

import re

from hud_runtime.observation._observations import Status

_AT_END = re.compile(
    r"(?:\[exit code:? (?P<a>-?\d+)\]|<exited with exit code (?P<b>-?\d+)>|<returncode>(?P<c>-?\d+)</returncode>"
    r"|\[(?:The command completed with )?exit (?:code|status):? (?P<d>-?\d+)\.?\]|^exit (?:code|status):? (?P<e>-?\d+)"
    r"|Exit Code: (?P<f>-?\d+)(?:\nSignal: .*)?|Process exited with code (?P<g>-?\d+)|Command failed with exit code (?P<h>-?\d+)\.?"
    r"|\[Command finished with exit code (?P<i>-?\d+)\])\s*\Z",
    re.MULTILINE,
)
_AT_START = re.compile(
    r"\A(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?(?:Process exited with code (?P<a>-?\d+)|Exit code:? (?P<b>-?\d+)"
    r"|<returncode>(?P<c>-?\d+)</returncode>|exit_code[=:] ?(?P<d>-?\d+))"
)


def exit_code_in(text: str) -> int | None:
    r"""Return the exit status that an answer tells at its beginning or its end.

    >>> exit_code_in("1 failed\n[exit code 1]"), exit_code_in("fine")
    (1, None)
    """
    match = _AT_START.match(text[:500]) or _AT_END.search(text[-300:])
    if match is None:
        return None
    digits = next(filter(None, match.groups()), "")
    return int(digits[:12]) if digits else None


def status_of(failed: object, *, known: bool = True) -> Status:
    """Return the status that a mark of failure means; unknown where its absence means nothing."""
    if failed is True:
        return "failed"
    return "done" if known and failed is False else "unknown"
