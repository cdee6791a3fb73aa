"""First guesses of new users work, or are answered with the line to write: the data of ``first_guesses.toml``."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import hud_components
import hud_components.declaring
import hud_components.layout
import hud_components.levels
import hud_runtime
import ujsx
import ujsx.elements
import ujsx.mdast
import ujsx.schema
from hud_components.layout import layout_vocabulary
from hud_runtime import HudSession, HudStore
from tests.ids import looped
from ujsx import Component, Element, RenderContext, read_layout, render
from ujsx.tools import ToolResult

PACKAGES = (
    ujsx.mdast, ujsx.elements, ujsx.schema, hud_runtime,
    hud_components.layout, hud_components.levels, hud_components.declaring, hud_components, ujsx,
)  # fmt: skip
"""The modules that a guess may import from; of two of one name it has the later one's."""

GUESSES: list[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("first_guesses.toml").read_text("utf-8")
)["guess"]


PUBLIC: dict[str, Any] = {
    name: getattr(package, name) for package in PACKAGES for name in package.__all__
}


@pytest.fixture(scope="module")
def store() -> Iterator[HudStore]:
    """A store in which each guess has a session of its own."""
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


def names(session: HudSession[Any]) -> dict[str, Any]:
    """What a guess can name: all public names, and a session with something in it."""
    session.record("task.set", description="Add a login")
    session.record("decision.record", summary="Use JWT", details="Stateless")
    session.record("step.add", description="Add tests")
    session.record("note.add", content="Port 8080")
    state = session.state()

    def layout(text: str) -> str:
        context = RenderContext().with_value(state)
        return render(read_layout(text, layout_vocabulary()), context=context)

    return {
        **PUBLIC,
        "Path": Path,
        "datetime": datetime,
        "hud_components": hud_components,
        "session": session,
        "state": state,
        "layout": layout,
    }


def given_by(code: str, names: dict[str, Any]) -> str:
    """What a guess gives, as text: what it shows, or what it is answered with."""
    program = ast.parse(code.strip())
    last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else None
    exec(compile(program, "<guess>", "exec", dont_inherit=True), names)
    made = eval(compile(ast.Expression(last.value), "<guess>", "eval"), names) if last else None
    if isinstance(made, ToolResult):
        return f"{'refused: ' if made.is_error else ''}{made.text}"
    return render(made) if isinstance(made, Component | Element) else str(made)


@pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")
@looped(
    ("number", "guess"),
    enumerate(GUESSES),
    ids=[each["write"].strip().splitlines()[-1][:60] for each in GUESSES],
)
def test_a_first_guess(store: HudStore, number: int, guess: dict[str, str]) -> None:
    try:
        told = given_by(guess["write"], names(store.session(f"s{number}")))
        is_refused = told.startswith("refused: ")
    except Exception as error:  # noqa: BLE001 - whatever a new user would read
        told, is_refused = str(error), True
    assert is_refused == ("answer" in guess), told
    assert guess.get("answer", guess.get("shows", "")) in told


def test_most_guesses_work_at_once() -> None:
    assert sum("shows" in guess for guess in GUESSES) > 0.75 * len(GUESSES)
