"""An output of a tool that was shown in part: the whole again, or some lines of it."""

from __future__ import annotations

import re
from dataclasses import asdict

from hud_components import HudModel, Line
from hud_runtime._errors import UnknownItemError
from hud_runtime.tools._session import SessionLike
from ujsx.errors import did_you_mean, quoted
from ujsx.tools import ToolResult

WHOLE = 100_000
"""Characters of an output that are told in one answer, about 25,000 tokens; a longer one comes in parts."""

_NAME = re.compile(
    r"[\s`#]*(?:hud +)?(?:output +)?(o-[\da-f]+|[^\s`:,]+)[`:,]*(?:[ \t]+(?:lines? +)?(.*))?"
)
_LINES = re.compile(r"[ \t]*(\d{1,12})(?:[ \t]*(?:-|–|…|\.\.+|:|to)[ \t]*(\d{1,12})?)?[`\s]*")


class WhichOutput(HudModel):
    """A tool's output that was cut."""

    id: Line
    """The id of the output, such as o-1a2b3c: it stands where the output was cut."""

    lines: Line | None = None
    """The lines to show, such as 31-442; all lines when it is not given."""


def show_output(session: SessionLike, asked: WhichOutput) -> ToolResult:
    """Return an output as the tool gave it, or some lines of it."""
    match = _NAME.fullmatch(asked.id.strip())
    name, behind = match.groups() if match else (asked.id, None)
    found = session.output(name)
    if found is None:
        kept = {each.id: each for each in session.outputs()}
        hint = did_you_mean(name, kept) if kept else "no output was kept in this session"
        raise UnknownItemError(f"there is no output {quoted(name)}; {hint}")
    if found.text is None:
        raise UnknownItemError(
            f"the output {name} was swept, as old ones are; call {found.tool or 'the tool'} again"
        )
    data = {**asdict(found), "lines_shown": None}
    text, wanted = found.text, asked.lines or behind
    if wanted and wanted.strip():
        first, last = _bounds(wanted, found.lines)
        text = "".join(_lines(text)[first - 1 : last])
        data |= {"text": text, "lines_shown": [first, last]}
    return ToolResult(text, data=data)


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return [*(f"{each}\n" for each in parts[:-1]), *parts[-1:]]


def _bounds(wanted: str, count: int) -> tuple[int, int]:
    match = _LINES.fullmatch(wanted)
    if match is None:
        raise UnknownItemError(f'lines are "31-442", or one number, not {quoted(wanted)}')
    first = int(match[1])
    last = int(match[2] or first)
    if not 1 <= first <= min(last, count):
        raise UnknownItemError(f"the output has the lines 1-{count}; {quoted(wanted)} are none")
    return first, min(last, count)
