"""What a fresh process does before its first HUD, counted: no source is read, no model made in vain."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

WATCHED = """
import json, linecache, sys
import ast, inspect, tokenize  # Pydantic imports them
parsed, read = [], []
sys.addaudithook(lambda event, args: parsed.append(1) if (event, args[-1:]) == ("compile", ("<unknown>",)) else None)
getlines = linecache.getlines
linecache.getlines = lambda name, *rest: read.append(name) or getlines(name, *rest)
"""
"""Notes each source that is parsed (``ast.parse`` names none), and each that is read for its lines."""

TOLD = """
from pydantic import BaseModel
def below(cls):
    for each in cls.__subclasses__():
        yield each
        yield from below(each)
models = [each for each in dict.fromkeys(below(BaseModel)) if each.__module__.split(".")[0] in HOUSE]
print(json.dumps({"parsed": len(parsed), "read": read, "models": [f"{m.__module__}:{m.__name__}" for m in models]}))
""".replace("HOUSE", "('ujsx', 'hud_components', 'hud_runtime')")

FIRST_HUD = """
import tempfile
from hud_runtime import HudStore
with tempfile.TemporaryDirectory() as folder:
    with HudStore.open(f"{folder}/hud.db") as store:
        session = store.session("s")
        session.record("note.add", content="Port 8080")
        assert "Port 8080" in str(session.hud())
"""


@cache
def after(statement: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED + statement + TOLD],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("statement", ["from hud_components import *", FIRST_HUD])
def test_no_source_is_read(statement: str) -> None:
    told = after(statement)
    assert told["parsed"] == 0
    assert told["read"] == []


def test_a_source_is_read_where_a_schema_is_asked_for() -> None:
    told = after("from hud_components import Note\nNote.model_json_schema()")
    assert told["parsed"] > 0
    assert told["read"]


def test_a_first_rendering_compiles_no_pattern() -> None:
    compiling = """
import pydantic, re._compiler, sys
compiled, compile_ = [], re._compiler.compile
def noted(pattern, flags=0):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"] == "re":
        frame = frame.f_back
    if frame.f_globals["__name__"].startswith(("ujsx.mdast", "ujsx.text", "ujsx.on_demand")):
        compiled.append(pattern)
    return compile_(pattern, flags)
re._compiler.compile = noted
from ujsx import render
from ujsx.elements import Item, List, Section, code
assert render(Section(title="Notes")[List()[Item()["Port 8080: ", code("make")]]])
assert compiled == []
"""
    after(compiling)


def test_a_first_rendering_loads_nothing_that_it_does_not_use() -> None:
    loading = """
import sys
from ujsx import render
from ujsx.elements import Item, List, Section, code
assert render(Section(title="Notes")[List()[Item()["Port 8080: ", code("make")]]])
assert {"html.entities", "pydantic.functional_serializers"}.isdisjoint(sys.modules)
"""
    after(loading)


def test_a_package_is_no_model() -> None:
    assert after("import ujsx, hud_components, hud_runtime")["models"] == []


def test_what_declares_a_section_loads_no_other() -> None:
    told = after("from hud_components import ItemsSection, HudItem")
    assert [each for each in told["models"] if each.startswith("hud_components.sections")] == []
    assert len(told["models"]) <= 54


def test_models_of_the_coding_hud_are_counted() -> None:
    assert len(after("from hud_components import CODING, Hud")["models"]) <= 112


def test_what_nobody_says_has_no_model() -> None:
    models = set(after(FIRST_HUD)["models"])
    made = {each.split(":")[1] for each in models if each.startswith("hud_runtime.log.events.")}
    envelopes = {"Event", "Stored"}
    assert made == {*envelopes, "SessionStart", "SessionStartEvent", "NoteAddEvent"}
    payloads = {each for each in models if each.startswith("hud_components.folding.")}
    assert {each.split(":")[1] for each in payloads} == {
        *("Payload", "New", "Target", "Order", "MoreWords", "Change", "ItemChange"),
        "NoteAdd",
    }
    assert len(models) <= 118
