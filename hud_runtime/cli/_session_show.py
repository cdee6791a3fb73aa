"""Say what there is of a session: since when, how much, and what it holds.

`ujsx hud` shows the HUD itself, `ujsx session tail` the events.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._event_line import moment
from hud_runtime.cli._output import inert, put, put_json
from hud_runtime.cli._stored import define_store, reading
from hud_runtime.cli._style import style_for


def define(parser: ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="its id")
    define_store(parser)
    parser.add_argument("--json", action="store_true", help="print the same as data, and the state")


def run(options: Namespace) -> int:
    from hud_runtime.cli._session_summary import summary
    from hud_runtime.tools import status_line

    with reading(options.store) as stored:
        session_id = stored.id_of(options.session)
        found = summary(stored, session_id)
        if found is None:
            raise UsageError(f'session "{session_id}" was purged just now')
        state = stored.opened(session_id).known
    if options.json:
        put_json({**found, "state": state.model_dump(mode="json")})
        return 0
    style = style_for()
    rows = [*_rows(found), ("holds", status_line(state))]
    width = max(len(name) for name, _ in rows)
    put("".join(f"{style.bold(f'{name:<{width}}')}  {inert(text)}\n" for name, text in rows))
    return 0


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """What is known of the session, each with its name."""
    parent = found["parent"] and f"{found['parent']}, as of its version {found['parent_version']}"
    counts = (("event", "events"), ("turn", "turn"), ("compaction", "compactions"))
    amounts = [f"{found[key]:,} {word}{'' if found[key] == 1 else 's'}" for word, key in counts]
    rows = {
        "session": found["session"],
        "title": found["title"],
        "project": found["project"],
        "parent": parent,
        "began": moment(found["began"]),
        "changed": moment(found["changed"]),
        "log": ", ".join(amounts),
        "task": found["task"],
    }
    return [(name, text) for name, text in rows.items() if text]
