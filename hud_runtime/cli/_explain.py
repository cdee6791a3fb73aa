"""Explain what a budget shows: the rung of each section, what every rung costs, what more would buy.

FILE is a transcript, whose HUD is explained as it was after any of its turns, or a layout document
(its name ends in .md; - is standard input), which shows the state of the session that --session
names, or an empty one. Without FILE it is the HUD of that session.
"""

from __future__ import annotations

import dataclasses
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._arguments import UsageError, define_json, number, tokens
from hud_runtime.cli._files import STANDARD_INPUT
from hud_runtime.cli._output import put_json, put_report, remark
from hud_runtime.cli._render import read
from hud_runtime.cli._shown_hud import density_named, problems_data
from hud_runtime.cli._shown_session import ShownSession, define_session, named_session

if TYPE_CHECKING:
    from ujsx import Child, Explanation

LAYOUTS = (".md", ".markdown")
"""How the names of layout documents end."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="a transcript, or a layout")
    parser.add_argument(
        "--budget",
        metavar="N",
        type=tokens,
        help="how many tokens the text may have (default: what the density and the level allow)",
    )
    define_session(parser, what="the transcript or the session whose state is shown")
    parser.add_argument("--density", metavar="D", help="the most to show: full, compact or minimal")
    parser.add_argument(
        "--more",
        metavar="N",
        type=number,
        default=100,
        help="how many more tokens to look ahead (default: 100)",
    )
    define_json(parser, "the same as data")


def run(options: Namespace) -> int:
    density = density_named(options.density)
    node, session, is_default = _chosen(options)
    from hud_components import room_for
    from ujsx import explain

    shown = session or ShownSession.nobodys()
    room = room_for(shown.state.usage, density, options.budget, is_default=is_default)
    explanation = explain(
        node, room.budget or 0, density=room.density, more=options.more, context=shown.context
    )
    if options.json:
        problems = () if session is None else session.problems
        put_json({**_data(explanation), "problems": problems_data(problems)})
        return 0
    put_report(f"{explanation}\n")
    for line in session.place if session is not None else ():
        remark(line)
    return 0


def _chosen(options: Namespace) -> tuple[Child, ShownSession | None, bool]:
    """What is explained, the session that it shows, and whether it is that in the default layout."""
    from hud_components import Hud

    name = options.file
    if name is not None and (name == STANDARD_INPUT or Path(name).suffix.lower() in LAYOUTS):
        session = named_session(options)
        return read(name, type((session or ShownSession.nobodys()).state)), session, False
    if name is not None and options.session is not None:
        raise UsageError(f"--session is for layouts; {name} is itself a session")
    options.session = name or options.session
    session = named_session(options)
    if session is None:
        raise UsageError("name a FILE, or a session: --session FILE_OR_ID")
    return Hud.of(session.state, now=session.now), session, True


def _data(explanation: Explanation) -> dict[str, Any]:
    """The explanation as data, each rung by its name, ``null`` for hidden."""
    data = dataclasses.asdict(explanation)
    for section, told in zip(data["sections"], explanation.sections, strict=True):
        section["rung"] = _name(told.rung)
        for row, cost in zip(section["rungs"], told.rungs, strict=True):
            row["rung"] = _name(cost.rung)
    for row, ranked in zip(data["order"], explanation.order, strict=True):
        for name in ("before", "after", "in_part"):
            row[name] = _name(getattr(ranked, name))
    for row, bought in zip(data["next"], explanation.next, strict=True):
        row["before"], row["after"] = _name(bought.before), _name(bought.after)
    return data


def _name(rung: object) -> str | None:
    return None if rung is None else str(rung)
