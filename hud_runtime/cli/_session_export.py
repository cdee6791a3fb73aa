"""Write a session as a file: its whole log, or what is current in it.

The log is JSON lines, and loses nothing: `ujsx session import` makes the same session of it. A state
file is the JSON that HUD plugins keep, `sessions/ID.json`, or `project/HASH.json` for `project:NAME`;
it holds the texts of what is current, and neither ids nor history.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._files import new_file
from hud_runtime.cli._output import put_json_line, remark
from hud_runtime.cli._parser import one_of
from hud_runtime.cli._progress import told
from hud_runtime.cli._stored import define_store, reading

if TYPE_CHECKING:
    from hud_runtime import HudSession


def define(parser: ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="its id")
    parser.add_argument(
        "--as",
        dest="form",
        metavar="FORM",
        default="log",
        help=f"{' or '.join(FORMS)} (default: %(default)s)",
    )
    parser.add_argument(
        "--to",
        metavar="FILE",
        help="a new file, which its owner alone can read (default: standard output)",
    )
    define_store(parser)


def run(options: Namespace) -> int:
    lines_of = FORMS[one_of(options.form, [*FORMS], "form")]
    with reading(options.store) as stored:
        session = stored.session(options.session)
        lines = lines_of(session)
        if options.to is None:
            for line in lines:
                put_json_line(line)
            return 0
        with new_file(options.to) as file:
            file.writelines(lines)
    remark(f'exported "{session.id}" to {options.to}')
    return 0


def _log(session: HudSession) -> Iterator[str]:
    from hud_runtime.exchange import export_session

    return told(export_session(session), "exporting lines", session.version + 1)


def _state(session: HudSession) -> Iterator[str]:
    from hud_runtime.exchange import project_file, session_file
    from hud_runtime.session._inherit import PROJECT

    state = session.state()
    about: dict[str, Any] = {
        "project_path": (state.session and state.session.project) or "",
        "last_updated": state.updated_at,
    }
    if session.id.startswith(PROJECT):
        yield project_file(state, **about).text()
    else:
        yield session_file(state, session_id=session.id, **about).text()


FORMS: dict[str, Callable[[HudSession], Iterator[str]]] = {"log": _log, "state": _state}
"""What a session can be written as, by name."""
