"""Show the HUD of a session: what its agent is shown, now or after any of its turns.

The session is one of a store, by its id, or a transcript. The HUD goes to standard output, and which
turn it is, and what of a transcript could not be read, to standard error. The HUD of the present says
how old the session is; one of the past is the same whenever it is asked for.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._account import account, excess
from hud_runtime.cli._density import define_how_much, density_asked_for, density_named
from hud_runtime.cli._layout_option import define_layout, layout_of, shown_with
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._problems import problems_data
from hud_runtime.cli._shown_session import define_session, shown_session


def define(parser: ArgumentParser) -> None:
    define_session(
        parser, what="the session's id, its project's folder, or a transcript", required=True
    )
    define_layout(parser)
    define_how_much(parser, "the HUD")
    parser.add_argument(
        "--json", action="store_true", help="print the HUD with its account, and the state"
    )


def run(options: Namespace) -> int:
    density = density_named(options.density)
    session = shown_session(options.session, options.store, options.turn)
    from hud_components import Hud

    layout = layout_of(options)
    if density is None and options.budget is None:
        density = density_asked_for(session.state)
    rendered, notes = shown_with(
        layout,
        Hud.of(session.state, now=session.now),
        session.context,
        density,
        options.budget,
        is_asked_for=options.layout is not None,
    )
    if options.json:
        put_json(
            {
                "session": session.name,
                "turn": session.turn,
                "turns": session.turns,
                "now": session.now,
                **account(rendered, density, options.budget),
                "state": session.state.model_dump(mode="json"),
                "problems": problems_data(session.problems),
            }
        )
        return 0
    put(rendered.text)
    for line in (*session.place, *notes, *excess(rendered)):
        remark(line)
    return 0
