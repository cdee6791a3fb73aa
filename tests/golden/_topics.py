"""The golden topics: everything that recorded sessions store, render, send and export.

In: sessions, domains and layouts, from ``inputs`` and from the repository's examples. Out: their texts.
The clock and the random bytes are the program's own, so that the same code gives the same texts anywhere.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from hashlib import shake_256
from importlib.util import module_from_spec, spec_from_file_location
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

import hud_components
from hud_components import (
    CODING,
    Blocker,
    Decision,
    Domain,
    Hud,
    HudState,
    Note,
    StatusLine,
    Task,
    check_layout,
    layout_vocabulary,
    parse,
)
from hud_runtime import At, EventDraft, HudSession, HudStore, Part, read_transcript
from hud_runtime.events import event_adapter
from hud_runtime.projection import projection_of, story
from hud_runtime.tools import definitions, hud_toolset
from tests.golden import _rows
from tests.golden._rows import in_lines
from tests.golden._texts import Texts
from ujsx import Component, RenderContext, Rendered, dump, read_layout, render, write_layout
from ujsx.schema import DIALECTS, LAYOUTS, tool_definition

ROOT = Path(__file__).parents[2]
INPUTS = Path(__file__).with_name("inputs")
EXAMPLES = "docs/examples"
TRANSCRIPTS = "hud_runtime/data", "tests/hud_runtime/transcripts/records"

CHUNK = 10
"""Steps between two deliveries. The clock goes on by a second at each."""

MOST_IN_POSTGRES = 3
"""Sessions of a domain that are recorded in PostgreSQL, too."""

START = 1_700_000_000_000
"""The time at which all sessions start, in milliseconds since the epoch."""

LOOKS: tuple[dict[str, Any], ...] = (
    *({"density": density, "budget": "off"} for density in ("full", "compact", "minimal")),
    *({"budget": budget} for budget in (None, 60, 150, 400, 900)),
)

LAST_DELIVERIES: tuple[dict[str, Any], ...] = (
    {"fresh": True},
    {"reanchor": 1},
    *(
        {"stores": False, "reader": "stateless", "texts": ["a", "b", "c"][:count]}
        for count in (1, 2, 3)
    ),
    {"mode": "tail", "reader": "tail", "marked": True},
    {"mode": "system", "reader": "system"},
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
"""Calls at the end of each coding session; other domains have theirs in their inputs."""


class Clock:
    """The time and the random bytes of a store: both follow from how often ``tick`` was called."""

    def __init__(self) -> None:
        self.ticks = self.reads = 0

    def tick(self) -> None:
        """Let a second pass, however often the store looks at the clock."""
        self.ticks, self.reads = self.ticks + 1, 0

    def now(self) -> int:
        """Return the time in milliseconds since the epoch."""
        return START + 1_000 * self.ticks

    def entropy(self, size: int) -> bytes:
        """Return other bytes at each read."""
        self.reads += 1
        return shake_256(f"{self.ticks} {self.reads}".encode()).digest(size)


class Story(NamedTuple):
    """A session to record."""

    name: str
    domain: Domain[Any, Any]
    steps: tuple[dict[str, Any] | EventDraft, ...]
    """Calls of the tool, and events."""
    parent: str | None = None
    told: str = ""
    """What its transcript tells besides events."""


def stories(texts: Texts) -> Iterator[Story]:
    """Yield all sessions; one that cannot be read is a case."""
    played = sorted((*INPUTS.glob("*.jsonl"), *(ROOT / EXAMPLES).glob("*.jsonl")))
    recorded = sorted(
        each for place in TRANSCRIPTS for each in (ROOT / place).iterdir() if each.is_file()
    )
    for path in (*played, *recorded):
        with texts.errors("sessions", path.name):
            yield from (_recorded if path in recorded else _played)(path)


def _played(path: Path) -> Iterator[Story]:
    lines = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    steps = tuple(line if "op" in line else EventDraft(**line) for line in lines)
    yield Story(path.stem, _domain(path.with_suffix(".py")), steps)
    if path.stem.startswith("drafts"):
        alone = (EventDraft(**{**line, "actor": "agent"}) for line in lines)
        yield Story(f"{path.stem} by the agent", CODING, tuple(alone))


def _recorded(path: Path) -> Iterator[Story]:
    found = read_transcript(path)
    told = (found.format, found.reason, f"{found.turns} turns, {found.calls} calls", found.session_id,
            *found.problems, sorted(found.skipped.items()), found.not_understood, found.other_sessions)  # fmt: skip
    children = (draft for child in found.children for draft in child)
    yield Story(path.name, CODING, (*found, *children), told="\n".join(map(str, told)))


def _domain(path: Path) -> Domain[Any, Any]:
    if not path.exists():
        return CODING
    spec = spec_from_file_location(f"golden_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(module := module_from_spec(spec))
    return next(each for each in vars(module).values() if isinstance(each, Domain))


def golden() -> Texts:
    """Return the texts of all topics."""
    texts = Texts()
    with _undisturbed(), _rows.postgres_server(texts) as server, TemporaryDirectory() as folder:
        told = [*stories(texts)]
        for domain in {each.domain.name: each.domain for each in told}.values():
            of_domain = [each for each in told if each.domain is domain]
            with texts.errors("rows", domain.name):
                path = f"{folder}/{domain.name}.db"
                _play(texts, path, domain, of_domain)
                _rows.sqlite(texts, domain.name, path)
            if server is not None:
                with texts.errors("rows in PostgreSQL", domain.name):
                    address = server.make(f"golden_{domain.name}")
                    _play(None, address, domain, of_domain[:MOST_IN_POSTGRES])
                    _rows.postgres(texts, domain.name, address)
            _exports(texts, domain)
        _components(texts)
        _layouts(texts)
    return texts


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep out what differs between machines: the limits and modes of the environment, and filters of warnings."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("UJSX_")}
    with mock.patch.dict(os.environ, ours, clear=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _play(texts: Texts | None, place: str, domain: Domain[Any, Any], told: list[Story]) -> None:
    """Record sessions in a store; what they tell is added to texts, unless only the rows are wanted."""
    clock, heard = Clock(), texts or Texts()
    with HudStore.open(place, domain=domain, clock=clock.now, entropy=clock.entropy) as store:
        for number, each in enumerate((*told, Story("child", domain, (), parent=told[0].name))):
            clock.ticks = 1_000 * number  # so that one more step changes no other session
            with heard.errors("sessions", each.name):
                session = store.session(each.name, parent=each.parent, started_at=START)
                _record(heard, clock, session, each)
                if texts is not None:
                    _look(texts, session, each)
                _tell(heard, clock, session, each)
        for title in ("kept", "purged"):
            session = store.session(title)
            session.record("session.title", title=title, turn=0)
            session.keep_output("call-1", "line\n" * 2_000, tool="Bash")
        store.purge("purged")


def _record(texts: Texts, clock: Clock, session: HudSession[Any], told: Story) -> None:
    refused: list[str] = []
    for start in range(0, len(told.steps), CHUNK):
        clock.tick()
        for step in told.steps[start : start + CHUNK]:
            if isinstance(step, EventDraft):
                session.record_all(
                    [step], refused=lambda draft, error: refused.append(f"{draft.type}: {error}")
                )
            else:
                _call(texts, session, step)
        _deliver(texts, session, f"version {session.version}", {})
    texts.add("sessions", told.name, "transcript", str, told.told)
    texts.add("sessions", told.name, "refused events", "\n".join, refused)
    texts.add(
        "sessions", told.name, "length", lambda: f"turn {session.turn}, version {session.version}"
    )


def _look(texts: Texts, session: HudSession[Any], told: Story) -> None:
    """Add the states of a session, its HUDs, what is read back from them, and its layout."""
    name, now, vocabulary = told.name, START + 3_600_000, (*told.domain.sections, StatusLine)
    codec = projection_of(told.domain).codec
    assert codec is not None
    for version in sorted({*range(0, session.version, 4 * CHUNK), session.version}):
        texts.add(
            "states",
            name,
            f"version {version}",
            lambda at: in_lines(codec.dump(session.state(at))),
            At.version(version),
        )
    for turn, look in product(sorted({session.turn // 2, session.turn}), LOOKS):
        heading, hud = (
            f"turn {turn} {json.dumps(look)}",
            cache(partial(session.hud, turn=turn, now=now, **look)),
        )
        texts.add("renderings", name, heading, lambda: hud().text)
        texts.add("accounts", name, heading, lambda: _account(hud()))
        if look["budget"] == "off":
            texts.add(
                "read-backs",
                name,
                heading,
                lambda: _json(dump(parse(hud().text, vocabulary=vocabulary))),
            )
    texts.add(
        "layouts", name, "of the state", lambda: write_layout(Hud.of(session.state(), now=now))
    )
    texts.add(
        "stories",
        name,
        "all events",
        lambda: "\n".join(
            words for _, words in story(session.events(), told.domain.state(), told.domain)
        ),
    )


def _account(made: Rendered) -> str:
    sections = (
        f"{each.path}: {each.rung}, {each.layer}, {each.tokens} tokens" for each in made.sections
    )
    omitted = (f"omitted in {each.section}: {each.count} {each.what}, {each.tokens} tokens, {each.handle}, {each.ids}"
               for each in made.omitted)  # fmt: skip
    return "\n".join(
        (f"{made.tokens} tokens, over budget: {made.over_budget}", *sections, *omitted)
    )


def _tell(texts: Texts, clock: Clock, session: HudSession[Any], told: Story) -> None:
    """Add the last deliveries, and the answers of a coding session."""
    for how in LAST_DELIVERIES:
        clock.tick()
        _deliver(texts, session, json.dumps(how), how)
    for call in CALLS if told.domain is CODING else ():
        clock.tick()
        _call(texts, session, call)


def _call(texts: Texts, session: HudSession[Any], call: dict[str, Any]) -> None:
    def answer() -> str:
        said = session.call("hud", {"call": call})
        return f"{said.text}\n{_json(said.data)}"

    texts.add("answers", session.id, json.dumps(call, ensure_ascii=False), answer)


def _deliver(texts: Texts, session: HudSession[Any], heading: str, how: dict[str, Any]) -> None:
    def deliver() -> str:
        made = session.deliver(**how)
        if made.id:
            session.delivered(made.id)
        head = f"{made.id or 'nothing'} to {made.reader} as {made.mode}, version {made.version}, because {made.why}"
        return "\n".join(
            (head, *map(_part, made.parts), *(f"again: {_part(each)}" for each in made.replay))
        )

    texts.add("deliveries", session.id, heading, deliver)


def _part(part: Part) -> str:
    place = f"{part.kind} in {part.place}, since {part.since}, layer {part.layer}"
    return f"{place}, breakpoint {part.breakpoint}, behind {part.behind}\n{part.text}"


def _exports(texts: Texts, domain: Domain[Any, Any]) -> None:
    toolset = hud_toolset(None, domain=domain, layouts=True)
    for operation in (None, *toolset.operations):
        call = {"op": "help", "operation": operation}
        texts.add(
            "help", domain.name, f"help {operation or ''}", lambda: toolset.call("hud", call).text
        )
    texts.add(
        "schemas of events",
        domain.name,
        "all events",
        lambda: _json(event_adapter(domain).json_schema()),
    )
    layouts = LAYOUTS if domain is CODING else LAYOUTS[:1]
    for dialect, layout, rare in product(DIALECTS, layouts, (False, True)):
        texts.add("schemas of tools", f"{domain.name}, {dialect}", f"{layout}{', with rare ones' if rare else ''}",
                  lambda: _json(definitions(dialect, layout=layout, rare=rare, domain=domain)))  # fmt: skip


def _components(texts: Texts) -> None:
    for name in sorted(hud_components.__all__):
        component = getattr(hud_components, name)
        if isinstance(component, type) and issubclass(component, Component):
            for dialect in DIALECTS:
                texts.add(
                    "schemas of components",
                    dialect,
                    name,
                    lambda: _json(tool_definition(component, dialect=dialect)),
                )


def _layouts(texts: Texts) -> None:
    """Add each layout of the inputs: its mistakes, and it written anew and rendered where it has none."""
    state = HudState(task=Task(description="Port 日本"), decisions=(Decision(summary="a | b"), Decision(summary="c")),
                     blockers=(Blocker(description="No <key>"),), notes=tuple(Note(content=f"Note {n}") for n in range(5)))  # fmt: skip
    for each in (INPUTS / "layouts.md").read_text("utf-8").split("\n==== ")[1:]:
        name, text = each.split("\n", 1)
        texts.add(
            "layouts",
            "inputs",
            f"{name}: mistakes",
            lambda: "\n".join(map(str, check_layout(text))),
        )
        texts.add(
            "layouts", "inputs", name, lambda: write_layout(read_layout(text, layout_vocabulary()))
        )
        texts.add(
            "layouts",
            "inputs",
            f"{name}: rendered",
            lambda: render(
                read_layout(text, layout_vocabulary()), context=RenderContext().with_value(state)
            ),
        )


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str)
