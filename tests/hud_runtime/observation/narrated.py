"""Sessions told in a file of their own notation, and what is true at some of their moments.

| line | means |
| --- | --- |
| ``> text`` | the user says it; the lines that follow one another are one message |
| ``$ script`` | the agent runs it in a shell; lines that follow one another are one script |
| ``! Tool {"…": …}`` | the agent calls another tool |
| two spaces | what is answered |
| ``= status`` | how the call ended: ``done`` (when nothing is said), ``failed``, ``cancelled``, ``refused``, ``exit N`` |
| ``? what: value`` | what is true now |

What can be asked: ``task``, ``goal`` (parts of them), ``open`` (exactly these open errors, a part of each, divided by
``;``), ``check`` (a name and its last result), ``edited``, ``gone`` (files), ``steps`` (done/all), ``decided``, ``fact``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from hud_components import HudState
from hud_runtime import HudStore
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    Reader,
    ToolAnswer,
    ToolCall,
    UserMessage,
)

Step = tuple[str, list[str]]
"""The sign at the beginning of lines, and the lines."""


def steps(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the steps of a file: the line, the sign, and what stands behind it."""
    sign, lines, begun = "", list[str](), 0
    for number, line in enumerate([*text.splitlines(), "#"], start=1):
        new = " " if line.startswith("  ") or (not line and sign == " ") else line[:1]
        if new != sign or new in "!=?":
            if sign and sign != "#":
                yield begun, sign, "\n".join(lines).strip("\n")
            sign, lines, begun = new, [], number
        lines.append(line[2:])


def observations(part: list[tuple[int, str, str]]) -> Iterator[AnyObservation]:
    """Yield what the steps show."""
    place = 0
    while place < len(part):
        number, sign, words = part[place]
        place += 1
        if sign == ">":
            yield UserMessage(line=number, text=words)
        if sign not in "$!":
            continue
        name, _, given = words.partition(" ") if sign == "!" else ("Bash", "", "")
        arguments: dict[str, Any] = json.loads(given or "{}") if sign == "!" else {"command": words}
        answer, status = "", "done"
        while place < len(part) and part[place][1] in " =":
            answer, status = (
                (part[place][2], status) if part[place][1] == " " else (answer, part[place][2])
            )
            place += 1
        yield AgentMessage(line=number, message_id=str(number))
        yield ToolCall(line=number, name=name, arguments=arguments, call_id=str(number))
        code = re.match(r"exit (\d+)", status)
        ended: Any = status.split()[0] if not code else "failed" if code[1] != "0" else "done"
        wish = status.partition(" ")[2] if ended == "refused" else ""
        yield ToolAnswer(
            line=number,
            text=answer,
            call_id=str(number),
            status=ended,
            exit_code=int(code[1]) if code else None,
            wish=wish,
        )


def _plain(text: object) -> str:
    return " ".join(str(text).split()).lower()


def _lines(state: HudState) -> dict[str, list[str]]:
    task = state.task
    return {
        "task": [task.description] if task else [],
        "goal": [task.goal or task.description] if task else [],
        "open": [one.message for one in state.errors if not one.resolved],
        "check": [f"{one.command} {one.result}" for one in state.checks]
        + [f"{one.name} {one.result}" for one in state.checks],
        "edited": [one.path for one in state.active_files if one.status == "editing"],
        "files": [one.path for one in state.active_files],
        "steps": [f"{sum(one.completed for one in state.next_steps)}/{len(state.next_steps)}"],
        "decided": [f"{one.summary} {one.details or ''}" for one in state.decisions],
        "fact": [f"{one.name} {one.value}" for one in state.facts],
    }


def _some(shown: list[str], wanted: str) -> bool:
    return any(_plain(wanted) in one for one in map(_plain, shown))


def _exactly(shown: list[str], wanted: str) -> bool:
    parts = [one for one in map(_plain, wanted.split(";")) if one]
    left = [*map(_plain, shown)]
    for part in parts:
        found = next((one for one in left if part in one), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _gone(shown: list[str], wanted: str) -> bool:
    return not set(shown) & set(wanted.split())


def _all(shown: list[str], wanted: str) -> bool:
    return sorted(shown) == sorted(wanted.split())


def _went(shown: list[str], wanted: str) -> bool:
    name, _, result = _plain(wanted).rpartition(" ")
    return any(name in one and one.endswith(f" {result}") for one in map(_plain, shown))


ASKED: dict[str, tuple[str, Callable[[list[str], str], bool]]] = {
    "task": ("task", _some),
    "goal": ("goal", _some),
    "open": ("open", _exactly),
    "check": ("check", _went),
    "edited": ("edited", _all),
    "gone": ("files", _gone),
    "steps": ("steps", _some),
    "decided": ("decided", _some),
    "fact": ("fact", _some),
    "no check": ("check", lambda shown, wanted: not _went(shown, wanted)),
}
"""What a line can ask: where it looks, and how it compares."""


def mistakes(text: str) -> list[str]:
    """Return what a reader gets wrong in a session."""
    reader, found, part = Reader(), list[str](), list[tuple[int, str, str]]()
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        for number, sign, words in steps(text):
            if sign != "?":
                part.append((number, sign, words))
                continue
            for seen in observations(part):
                session.record_all(list(reader.feed(seen)))
            part = []
            what, _, wanted = words.partition(":")
            place, holds = ASKED[what]
            shown = _lines(session.state())[place]
            if not holds(shown, wanted.strip()):
                found.append(f"line {number}: {words.strip()!r}, but {shown}")
    return found
