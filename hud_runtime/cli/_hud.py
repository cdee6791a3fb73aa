"""A session's HUD, of a store or of a transcript."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hud_runtime._location import default_path
from hud_runtime.cli._click import Declared, option, together
from hud_runtime.cli._commands import Options, UsageError, asked
from hud_runtime.cli._options import (
    agent_layouts_option,
    hud_amount_options,
    json_option,
    look_options,
    session_options,
)
from hud_runtime.cli._render import agent_layouts_of, shown_with
from hud_runtime.cli._stored import as_told, on_disk
from hud_runtime.cli._target import (
    ShownSession,
    account,
    density_named,
    excess,
    look_of,
    of_recording,
    problems_data,
    shown_session,
)
from hud_runtime.cli._terminal import put, put_json, remark

if TYPE_CHECKING:
    from hud_runtime.session import AgentLayouts
    from ujsx import Density

AGENT_LAYOUTS: tuple[AgentLayouts, ...] = ("show", "off")
"""What can become of the layouts that agents set, where a HUD is only shown."""

_formed: Declared = together(
    look_options("the HUD"),
    agent_layouts_option(AGENT_LAYOUTS),
    hud_amount_options(),
    json_option("the HUD with its account, and the state"),
)


@session_options(
    what="the session's id, its project's folder, or a transcript; - for one on standard input",
    is_required=True,
)
@option(
    "--transcript",
    is_flag=True,
    help="it is a transcript, or a folder of one, and no session of a store",
)
@option(
    "--of", metavar="ID", help="which session, of a file that has several (default: the newest)"
)
@option(
    "--kept",
    is_flag=True,
    help="instead of the HUD: which decisions and steps of a transcript the agent recorded itself",
)
@_formed
def run(options: Options) -> int:
    """Show the HUD of a session: what its agent is shown, now or after any of its turns.

    The session is one of a store, by its id, or a transcript: of Claude Code, Codex, OpenCode, Gemini CLI, a list of
    chat messages, or another of two dozen forms, or what `ujsx session export` wrote. A transcript is recorded in a
    temporary store, and its HUD is that of the state that this log adds up to.

    The HUD goes to standard output, and which turn it is, and what of a transcript could not be read, to standard
    error. The HUD of the present says how old the session is; one of the past is the same whenever it is asked for.
    """
    if options.transcript or options.of is not None or options.kept:
        return _replay(options)
    density = density_named(options.density)
    session = shown_session(options.session, options.store, options.turn)
    about = {
        "session": session.name,
        "turn": session.turn,
        "turns": session.turns,
        "now": session.now,
    }
    status = _show(session, density, options, about)
    if session.state.unreadable and not options.json:
        remark(_unread(len(session.state.unreadable), options.store))
    return status


def _replay(options: Options) -> int:
    """Show the HUD of a transcript, or of an exported session."""
    if options.store is not None:
        raise UsageError("a transcript is in no store: leave --store out")
    if options.kept:
        return _kept(options)
    density = density_named(options.density)
    session = of_recording(options.session, options.turn, options.of)
    return _show(session, density, options, {"turn": session.turn, "turns": session.turns})


def _kept(options: Options) -> int:
    """Say how well the agent kept its HUD."""
    from hud_runtime.history.exchange import is_log
    from hud_runtime.transcripts import keeping
    from hud_runtime.transcripts._live import KINDS
    from ujsx.text import visible

    if options.turn is not None:
        raise UsageError("--kept is about the whole session; leave --turn out")
    with on_disk(options.session) as path:
        if is_log(path):
            raise UsageError(
                f"--kept tells what of a transcript its agent recorded itself, and {as_told(options.session)} is an exported "
                "session: leave --kept out, or name the transcript"
            )
        found = keeping(path)
    if options.json:
        put_json({**asdict(found), "shown": [asdict(one) for one in found.shown]})
        return 0
    for what in KINDS:
        shown = found.of(what)
        kept = sum(one.is_kept for one in shown)
        put(f"{what}s: {kept} of {len(shown)} recorded by the agent itself\n")
        for one in shown:
            put("" if one.is_kept else f"  - not recorded, turn {one.turn}: {visible(one.text)}\n")
    if not found.has_tool:
        remark("the agent never called the tool of a HUD; it may not have had it")
    return 0


def _show(
    session: ShownSession, density: Density | None, options: Options, about: dict[str, Any]
) -> int:
    agent_layouts = agent_layouts_of(options, AGENT_LAYOUTS)
    shown, remarks = shown_with(look_of(options), session, density, options.budget, agent_layouts)
    rendered, room = shown.rendered, shown.room
    if options.json:
        put_json(
            {
                **about,
                **account(rendered, room.density, room.budget),
                "state": session.state.model_dump(mode="json"),
                "problems": problems_data(session.problems),
            }
        )
        return 0
    put(rendered.text)
    for line in (*session.place, *remarks, *excess(rendered)):
        remark(line)
    return 0


def _unread(count: int, store: str | None) -> str:
    """What tells why something in a store cannot be read."""
    named = asked()
    command = f"ujsx doctor {store or default_path()}{f' --domain {named}' if named else ''}"
    return f"{count} stored {'entry' if count == 1 else 'entries'} cannot be read: `{command}` tells why"
