"""Claude Code's commands in the background: another call, or a notification, tells how they ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from hud_runtime.observation._messages import At
from hud_runtime.observation._observations import ToolResult

_BACKGROUND = re.compile(r"running in (?:the )?background with ID:? ?(?P<id>\w{1,40})")
_TASK = re.compile(r"<(?:task[_-]id|shell[_-]id|bash[_-]id)>\s*(?P<id>\w{1,40})\s*</")
_ENDED = re.compile(
    r"<exit_code>\s*(?P<code>-?\d{1,5})\s*</exit_code>|\(exit code (?P<other>-?\d{1,5})\)"
)
_OUTPUT = re.compile(r"<(?P<of>output|stdout)>\n?(?P<output>[\s\S]*?)\n?(?:</(?P=of)>|\Z)")


class Background:
    """The commands that go on, by the ids that they got."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}
        """By the ids of the commands: their calls."""

    def answered(self, result: ToolResult) -> Iterator[ToolResult]:
        """Yield the answer; one that only says that a command goes on is not final."""
        begun = _BACKGROUND.search(result.text[:300]) if result.status == "done" else None
        if begun and result.call_id is not None:
            self._running[begun["id"]] = result.call_id
            yield replace(result, text="", is_final=False)
            return
        yield result
        yield from self.ended({"line": result.line, "timestamp": result.timestamp}, result.text)

    def ended(self, at: At, text: str) -> Iterator[ToolResult]:
        """Yield the result of a command, where a text tells that it has ended."""
        found = _TASK.search(text[:2_000]) if self._running else None
        code = _ENDED.search(text[:2_000]) if found else None
        if found and code and (call_id := self._running.pop(found["id"], None)):
            output = _OUTPUT.search(text)
            yield ToolResult(
                **at,
                call_id=call_id,
                text=output["output"] if output else "",
                exit_code=int(code["code"] or code["other"]),
                status="done" if int(code["code"] or code["other"]) == 0 else "failed",
            )
