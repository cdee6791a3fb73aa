"""What a coding session stores, says and shows, as text that can be compared with what it once was."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from hud_runtime import EventDraft, EventError, HudSession, HudStore
from hud_runtime.events import event_adapter
from hud_runtime.projection import HUD, story
from hud_runtime.testing import Ticking
from hud_runtime.tools import definitions, hud_toolset
from ujsx.errors import SchemaError

HERE = Path(__file__).parent / "data"
DRAFTS = ("drafts-1", "drafts-2", "drafts-3")

STEP = 20
"""Events between two looks."""

SHOWN: tuple[dict[str, Any], ...] = (
    {"density": "full"},
    {"density": "compact"},
    {"density": "minimal"},
    {"budget": 60},
    {"budget": 150},
    {"budget": 400},
    {"budget": 900},
)

CALLS: tuple[dict[str, Any], ...] = (
    {"op": "task.get"},
    *({"op": f"{name}.list", "limit": 7, "after": after}
      for name in ("decisions", "notes", "steps", "blockers", "files", "errors")
      for after in (0, 3)),
    {"op": "snapshot"},
    {"op": "history", "limit": 12},
    {"op": "search", "query": "port"},
    {"op": "notes.add", "content": "Port 8080"},
    {"op": "notes.add", "content": "Port 8080"},
    {"op": "notes.add", "text": "Port"},
    {"op": "notes.ad", "content": "near"},
    {"op": "notes.remove", "id": "nothing"},
    {"op": "decisions.record", "summary": "S", "details": "D", "label": "L"},
    {"op": "steps.complete", "id": "s"},
    {"op": "steps.reorder", "ids": []},
    {"op": "section.clear", "section": "files"},
    {"op": "section.clear", "section": "active_files"},
    {"op": "task.set", "description": " "},
)  # fmt: skip


def told_by(drafts_file: str) -> Iterator[tuple[str, str]]:
    """Record the drafts of a file; yield the name and the text of what came of it."""
    drafts = [json.loads(each) for each in _read(f"{drafts_file}.jsonl").splitlines()]
    huds: list[str] = []
    states: list[str] = []
    refused: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hud.db"
        with HudStore.open(path, clock=Ticking(1_000, 250), entropy=bytes) as store:
            session = store.session(drafts_file)
            for place, draft in enumerate(drafts):
                try:
                    session.record_all([EventDraft(**draft)])
                except EventError as error:
                    refused.append(f"{place} {error}")
                if place % STEP == STEP - 1:
                    states.append(_dumped(session))
                    huds += _shown(session, place)
            events = [*session.events()]
            yield f"{drafts_file}.states.jsonl", "\n".join(states)
            yield f"{drafts_file}.huds.md", "\n".join(huds)
            yield f"{drafts_file}.refused.txt", "\n".join(refused)
            yield (
                f"{drafts_file}.story.txt",
                "\n".join(words for _, words in story(events, HUD.initial)),
            )
            yield f"{drafts_file}.calls.md", "\n\n".join(_answers(session))
            child = store.session("child", parent=session.id)
            states = [_dumped(child)]
            yield f"{drafts_file}.child.md", "\n".join([*states, *_shown(child, 0)])
        with closing(sqlite3.connect(path)) as db:
            rows = db.execute(
                "SELECT type, actor, turn, lower(hex(digest)), payload FROM hud_event ORDER BY position"
            )
            yield f"{drafts_file}.log.jsonl", "\n".join(" ".join(map(str, row)) for row in rows)


def of_the_agent_alone(drafts_file: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the sum of what is kept and shown where the agent said all of the drafts."""
    drafts = [json.loads(each) for each in _read(f"{drafts_file}.jsonl").splitlines()]
    huds: list[str] = []
    states: list[str] = []
    with HudStore.open(":memory:", clock=Ticking(1_000, 250), entropy=bytes) as store:
        session = store.session(drafts_file)
        for place, draft in enumerate(drafts):
            with suppress(EventError):
                session.record_all([EventDraft(**{**draft, "actor": "agent"})])
            if place % STEP == STEP - 1:
                states.append(_dumped(session))
                huds += _shown(session, place)
    for name, lines in (("states.jsonl", states), ("huds.md", huds)):
        text = "\n".join(lines) + "\n"
        yield f"{drafts_file}.{name}", hashlib.sha256(text.encode()).hexdigest()


DIALECTS = (
    "json-schema", "openai", "openai-strict", "anthropic", "anthropic-strict", "gemini", "mcp",
)  # fmt: skip
"""The dialects of which the bytes are kept."""


def tools() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of what is exported for other programs."""
    toolset = hud_toolset(None)
    names = [None, *toolset.operations]
    told = [toolset.call("hud", {"op": "help", "operation": name}).text for name in names]
    yield "help.md", "\n\n".join(told)
    yield "event-schema.json", _json(event_adapter().json_schema())
    sums: dict[str, str] = {}
    for dialect in DIALECTS:
        for layout in ("grouped", "flat", "loose", "separate"):
            for rare in (False, True):
                try:
                    made = _json(definitions(dialect, layout=layout, rare=rare))
                except SchemaError as error:  # which is part of what is compared
                    made = str(error)
                name = f"{dialect} {layout}{' with rare' if rare else ''}"
                sums[name] = hashlib.sha256(made.encode()).hexdigest()
                if (dialect, layout) in (("openai-strict", "grouped"), ("mcp", "separate")):
                    yield f"tools {name}.json".replace(" ", "-"), made
    yield "tools.sha256.json", _json(sums)


def _answers(session: HudSession) -> Iterator[str]:
    for call in CALLS:
        result = session.call("hud", {"call": call})
        yield f"{json.dumps(call)}\n{result.text}\n{json.dumps(result.data, ensure_ascii=False)}"


def _shown(session: HudSession, place: int) -> Iterator[str]:
    for how in SHOWN:
        made = session.hud(**how, now=1_000_000)
        left = [(each.section, each.count, each.ids) for each in made.omitted]
        yield f"=== {place} {how} {made.tokens} {left}\n{made.text}"


def _dumped(session: HudSession) -> str:
    assert HUD.codec is not None
    return HUD.codec.dump(session.state())


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


def _read(name: str) -> str:
    return (HERE / name).read_bytes().decode()


def golden() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every file."""
    for drafts in DRAFTS:
        yield from told_by(drafts)
    sums = dict(each for drafts in DRAFTS for each in of_the_agent_alone(drafts))
    yield "agent-alone.sha256.json", _json(sums)
    yield from tools()
