"""Show the HUD of a transcript as it was after any of its turns.

FILE is a session of Claude Code, a list of chat messages, or a SWE-agent trajectory. It is recorded
in a temporary store, and the HUD is rendered from the state that the log adds up to. The HUD goes
to standard output; which turn it is, and what could not be read, to standard error.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import Any

from hud_runtime.cli._account import account, excess
from hud_runtime.cli._density import define_how_much, density_named
from hud_runtime.cli._files import on_disk
from hud_runtime.cli._layout_option import define_layout, layout_of, shown_with
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._problems import problems_data, with_problems
from hud_runtime.cli._replayed import Replayed, Shown, replayed
from hud_runtime.cli._turns import number, turn_of


def define(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the transcript, or - for standard input")
    parser.add_argument(
        "--turn",
        metavar="N",
        type=number,
        help="the turn after which the HUD is shown, 0 for before the agent's first message "
        "(default: the last)",
    )
    define_layout(parser)
    define_how_much(parser, "the HUD")
    parser.add_argument(
        "--json", action="store_true", help="print the HUD with its account, and the state"
    )


def run(options: Namespace) -> int:
    from hud_components import Hud
    from ujsx import RenderContext

    density = density_named(options.density)
    layout = layout_of(options)
    with on_disk(options.file) as path, replayed(path) as session:
        turn = turn_of(options.turn, session.turns)
        shown = session.shown(turn, density, options.budget)
        notes: list[str] = []
        if layout is not None:
            rendered, notes = shown_with(
                layout,
                Hud.of(shown.state),
                RenderContext().with_value(shown.state),
                shown.density,
                options.budget,
                is_asked_for=options.layout is not None,
            )
            shown = replace(shown, rendered=rendered)
    if options.json:
        put_json(_data(shown, session, options.budget))
        return 0
    put(shown.rendered.text)
    place = f"turn {turn} of {session.turns}"
    for line in (*with_problems(place, session.problems), *notes, *excess(shown.rendered)):
        remark(line)
    return 0


def _data(shown: Shown, session: Replayed, budget: int | None) -> dict[str, Any]:
    return {
        "turn": shown.turn,
        "turns": session.turns,
        **account(shown.rendered, shown.density, budget),
        "state": shown.state.model_dump(mode="json"),
        "problems": problems_data(session.problems),
    }
