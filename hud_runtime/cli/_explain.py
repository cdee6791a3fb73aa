"""Explain what a budget shows: the rung of each section, what every rung costs, what more would buy.

FILE is a transcript, whose HUD is explained as it was after any of its turns, or a layout document
(its name ends in .md; - is standard input), which shows the state of the transcript that --session
names, or an empty one.
"""

from __future__ import annotations

import dataclasses
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._density import density_named
from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._files import STANDARD_INPUT, existing
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._replay import number, turn_of
from hud_runtime.cli._replayed import replayed

if TYPE_CHECKING:
    from hud_components import HudState
    from ujsx import Child, Explanation

LAYOUTS = (".md", ".markdown")
"""How the names of layout documents end."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a transcript, or a layout")
    parser.add_argument(
        "--budget",
        metavar="N",
        type=number,
        required=True,
        help="how many tokens the text may have",
    )
    parser.add_argument(
        "--turn",
        metavar="N",
        type=number,
        help="the transcript's turn whose state is shown (default: the last)",
    )
    parser.add_argument(
        "--session", metavar="FILE", help="the transcript whose state a layout shows"
    )
    parser.add_argument("--density", metavar="D", help="the most to show: full, compact or minimal")
    parser.add_argument(
        "--more",
        metavar="N",
        type=number,
        default=100,
        help="how many more tokens to look ahead (default: 100)",
    )
    parser.add_argument("--json", action="store_true", help="print the same as data")


def run(options: Namespace) -> int:
    density = density_named(options.density)
    is_layout = options.file == STANDARD_INPUT or Path(options.file).suffix.lower() in LAYOUTS
    if is_layout and options.turn is not None and options.session is None:
        raise UsageError("--turn needs a transcript; name it with --session FILE")
    if not is_layout and options.session is not None:
        raise UsageError(f"--session is for layouts; {options.file} is itself a session")
    state, place = _state(options.session if is_layout else options.file, options.turn)
    node = _layout(options.file) if is_layout else _hud(state)
    from ujsx import RenderContext, explain

    explanation = explain(
        node,
        options.budget,
        density=density,
        more=options.more,
        context=RenderContext().having(state),
    )
    if options.json:
        put_json(_data(explanation))
        return 0
    put(f"{explanation}\n")
    if place is not None:
        remark(place)
    return 0


def _layout(name: str) -> Child:
    from hud_runtime.cli._render import read

    return read(name)


def _hud(state: HudState) -> Child:
    from hud_components import Hud

    return Hud.of(state)


def _state(transcript: str | None, turn: int | None) -> tuple[HudState, str | None]:
    """The state to show, and which turn of what it is."""
    if transcript is None:
        from hud_components import HudState

        return HudState(), None
    with replayed(existing(transcript)) as session:
        turn = turn_of(turn, session.turns)
        return session.state(turn), f"turn {turn} of {session.turns}"


def _data(explanation: Explanation) -> dict[str, Any]:
    """The explanation as data, each rung by its name, ``null`` for hidden."""
    data = dataclasses.asdict(explanation)
    for section, told in zip(data["sections"], explanation.sections, strict=True):
        section["rung"] = _name(told.rung)
        for row, cost in zip(section["rungs"], told.rungs, strict=True):
            row["rung"] = _name(cost.rung)
    for row, bought in zip(data["next"], explanation.next, strict=True):
        row["before"], row["after"] = _name(bought.before), _name(bought.after)
    return data


def _name(rung: object) -> str | None:
    return None if rung is None else str(rung)
