"""What holds of any text that somebody makes of a HUD: it is changes, or it is problems with their places."""

from __future__ import annotations

from typing import Any

from hypothesis import event
from hypothesis import strategies as st

from hud_runtime.editing import Changes, changes, for_editing, record_changes
from hud_runtime.session import HudSession
from ujsx import render


def any_text(text: str, data: st.DataObject, words: st.SearchStrategy[str]) -> str:
    """Return the text after some edits of lines, which know nothing of what is in them."""
    lines = text.splitlines()
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(lines)))
        match data.draw(st.sampled_from(("delete", "repeat", "swap", "type", "insert"))):
            case "delete":
                del lines[at : at + 1]
            case "repeat":
                lines[at:at] = lines[at : at + 1]
            case "swap":
                lines[at : at + 2] = reversed(lines[at : at + 2])
            case "type" if at < len(lines):
                lines[at] += data.draw(words)
            case _:
                lines.insert(at, data.draw(words))
    return "\n".join(lines)


def check_any_text(
    session: HudSession[Any], data: st.DataObject, words: st.SearchStrategy[str]
) -> None:
    """Edit a session's HUD, and record what that comes to, if it is no problem."""
    hud = for_editing(session.state())
    text = any_text(render(hud), data, words)
    found = changes(hud, text)
    for problem in found.problems:
        assert 1 <= problem.line <= max(text.count("\n") + 1, 1)
        assert problem.column >= 1
    event("problems" if found.problems else f"{min(len(found.operations), 2)} operations")
    if not found.problems:
        record_changes(session, found, since=session.version)
        after = for_editing(session.state())
        assert changes(after, render(after)) == Changes()
