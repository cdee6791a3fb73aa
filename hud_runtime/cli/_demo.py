"""Show on one screen what ujsx does with a session: its HUD, its cost, and the next commands.

The session is bundled: an agent builds authentication for a web service. It is recorded in a
temporary SQLite store; everything is rendered from the resulting state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, Literal

from hud_runtime.cli._click import DENSITIES, json_option, option
from hud_runtime.cli._commands import Options
from hud_runtime.cli._target import density_asked_for, density_named
from hud_runtime.cli._terminal import Style, put, put_json, style_for
from ujsx.errors import RenderError

if TYPE_CHECKING:
    from hud_components import HudSection, HudState
    from hud_runtime.history.exchange import SessionReplay
    from ujsx import Density, Rendered

DIALECT = "openai"
"""The dialect of the component that is shown as a tool."""

READ_BACK: Literal["compact"] = "compact"
"""The density of the HUD on the first screen, which is parsed back: it is short, and has every kind of section."""

NEXT: dict[str, str] = {
    "ujsx demo --all": "the HUD at every density",
    "ujsx hud FILE": "the HUD of a session of your own, at any turn",
    "ujsx explain FILE": "what its tokens are spent on, and why",
    "ujsx install claude-code": "give your agent a HUD; or codex, or opencode",
    "ujsx new domain NAME": "a HUD about something else, with its test",
    "ujsx --help": "the rest",
}
"""The next commands, and their purposes."""


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """The HUD of one turn."""

    turn: int
    state: HudState
    density: Density
    rendered: Rendered


@option(
    "--density",
    metavar="D",
    words=DENSITIES,
    help=f"show full, compact or minimal (default: {READ_BACK}; with --all, each of them)",
)
@option("--all", is_flag=True, help="show every density, which is more than fits on a screen")
@json_option("all of it as data, with the tree behind the text, and a component as a tool")
def run(options: Options) -> int:
    from hud_runtime.history.exchange import replayed
    from ujsx import Density

    density = density_named(options.density)
    wanted = density or (None if options.all or options.json else READ_BACK)
    with (
        as_file(files("hud_runtime") / "data" / "demo.jsonl") as path,
        replayed(path) as session,
    ):
        shown = [_shown(session, session.turns, each) for each in reversed(Density)]
        tree = _read_back(next(each for each in shown if each.density == READ_BACK))
        shown = [each for each in shown if wanted in (None, each.density)]
        if options.json:
            put_json(_data(session, shown, tree))
        else:
            put("".join(_parts(session, shown, style_for())))
    return 0


def _first_list() -> type[HudSection]:
    """The component that is shown as a tool."""
    from hud_components import CODING

    return next(section for section in CODING.fields.values() if section.kind is not None)


def _shown(session: SessionReplay, turn: int, density: Density | None = None) -> ShownTurn:
    """The HUD after a turn; by default in the density of the context's pressure."""
    from hud_components import Hud, room_for
    from ujsx import render_document

    state = session.state(turn)
    hud = Hud.of(state)
    room, rendered = room_for(state.usage, density).fill(
        lambda room: render_document(hud, density=room.density, budget=room.budget)
    )
    return ShownTurn(turn, state, room.density or density_asked_for(state), rendered)


def _by_level(session: SessionReplay) -> Iterator[tuple[str, ShownTurn]]:
    """The last turn at each level that the session's context has reached."""
    from hud_components import level_for

    last: dict[str, int] = {}
    for turn in range(session.turns + 1):
        usage = session.state(turn).usage
        if usage is not None:
            last[level_for(usage.percentage)] = turn
    for level, turn in last.items():
        yield level, _shown(session, turn)


def _read_back(shown: ShownTurn) -> dict[str, Any]:
    """The HUD parsed from a text, after checking that it renders as the same text, on the same rungs."""
    from hud_components import parse, room_for
    from ujsx import dump, render_document

    text = shown.rendered.text
    hud, room = parse(text), room_for(shown.state.usage, shown.density)
    again = render_document(hud, density=room.density, budget=room.budget, previous=shown.rendered)
    if again.text != text:
        raise RenderError("the HUD that was read back is not the one that was written")
    return dump(hud)


def _parts(session: SessionReplay, shown: list[ShownTurn], style: Style) -> Iterator[str]:
    yield (
        f"An agent builds authentication for a web service: {session.turns} turns, "
        f"{session.events} events\nin an append-only log (SQLite). Below is what it is shown of them.\n"
    )
    yield _heading("The fuller its context, the shorter its HUD", style)
    yield style.quoted(_table(session))
    yield _heading(f"The HUD after turn {session.turns}", style)
    for each in shown:
        yield f"\n{style.bold(str(each.density))} {style.dim(f'· {each.rendered.tokens} tokens')}\n\n"
        yield style.quoted(each.rendered.text)
    width = max(map(len, NEXT)) + 2
    yield f"\n{style.bold('Next')}\n"
    yield "".join(f"    {call:<{width}}{what}\n" for call, what in NEXT.items())


def _heading(text: str, style: Style) -> str:
    return f"\n{style.bold(text)}\n{style.dim('─' * len(text))}\n"


def _table(session: SessionReplay) -> str:
    lines = ["turn  context  level     density  tokens  left out"]
    for level, each in _by_level(session):
        used = each.state.usage.percentage if each.state.usage else 0.0
        left_out = sum(mark.count for mark in each.rendered.omitted)
        lines.append(
            f"{each.turn:>4}  {used:>6.1f}%  {level:<8}  {each.density:<7}"
            f"  {each.rendered.tokens:>6}  {left_out:>3} items"
        )
    return "\n".join(lines)


def _data(session: SessionReplay, shown: list[ShownTurn], tree: dict[str, Any]) -> dict[str, Any]:
    from ujsx.schema import tool_definition

    def hud(each: ShownTurn) -> dict[str, Any]:
        rendered = each.rendered
        return {"density": each.density, "tokens": rendered.tokens, "text": rendered.text}

    return {
        "turns": session.turns,
        "events": session.events,
        "huds": [hud(each) for each in shown],
        "pressures": [
            {"turn": each.turn, "level": level} | hud(each) for level, each in _by_level(session)
        ],
        "tree": tree,
        "tool": tool_definition(_first_list(), dialect=DIALECT),
    }
