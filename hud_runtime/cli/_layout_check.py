"""Check layout documents: `ujsx layout check FILE` says what is wrong with one, and where.

A layout is read with the HUD's components and the primitives, and rendered without a session. All
mistakes are told: what cannot be read, what stands where it cannot stand, paths that lead to no field
of the state. Nothing in it is run, and nothing is written.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime.cli._component_names import components
from hud_runtime.cli._files import read_text
from hud_runtime.cli._layout_notes import components_in, notes_on
from hud_runtime.cli._output import put, put_json
from hud_runtime.cli._parser import one_of
from hud_runtime.cli._render import place, rendered_with
from hud_runtime.cli._shown_session import ShownSession
from ujsx import LayoutError, read_layout
from ujsx.text import visible

ACTIONS = ("check",)

WRONG = 1
"""The exit status for a layout that cannot be used."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="ACTION", help=" or ".join(ACTIONS))
    parser.add_argument("file", metavar="FILE", help="a layout, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print the findings as data")


def run(options: Namespace) -> int:
    one_of(options.action, ACTIONS, "action")
    found = _checked(options.file)
    if options.json:
        put_json(found)
    else:
        put("".join(f"{line}\n" for line in _lines(found)))
    return 0 if found["ok"] else WRONG


def _checked(name: str) -> dict[str, Any]:
    """Return the findings about a file."""
    from hud_components import check_layout

    text = read_text(name)
    known, context = components().values(), ShownSession.nobodys().context
    mistakes = [_mistake(name, each) for each in check_layout(text, known, context=context)]
    found: dict[str, Any] = {"ok": not mistakes, "place": name}
    if mistakes:
        return found | mistakes[0] | {"mistakes": mistakes}
    tree = read_layout(text, known)
    _, notes = rendered_with(tree, context, None, None)
    notes = [*notes_on(tree), *notes]
    return found | {"components": components_in(tree), "notes": notes}


def _mistake(name: str, error: LayoutError) -> dict[str, Any]:
    return {
        "place": place(name, error),
        "message": error.message,
        "line": error.line,
        "column": error.column,
        "excerpt": error.excerpt,
    }


def _lines(found: dict[str, Any]) -> list[str]:
    if found["ok"]:
        names = ", ".join(found["components"])
        lines = [f"{found['place']} is a layout" + (f" of {names}" if names else "")]
        return [visible(line) for line in (*lines, *(f"note: {note}" for note in found["notes"]))]
    told = ((f"{each['place']}: {each['message']}", each["excerpt"]) for each in found["mistakes"])
    return [visible(line) for pair in told for line in pair if line]
