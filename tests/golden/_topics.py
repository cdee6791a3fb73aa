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
from itertools import product
from pathlib import Path
from runpy import run_path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

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
    parse,
)
from hud_components.layout import layout_vocabulary
from hud_runtime import At, EventDraft, HudSession, HudStore, Part, read_transcript
from hud_runtime.log.events import catalog_of
from hud_runtime.log.projection import projection_of, story
from hud_runtime.tools import definitions, hud_toolset
from tests.golden import _outside, _rows
from tests.golden._rows import in_lines
from tests.golden._texts import Texts
from ujsx import RenderContext, Rendered, dump, read_layout, render, write_layout
from ujsx.schema import DIALECTS, LAYOUTS, tool_definition

ROOT = Path(__file__).parents[2]
INPUTS = Path(__file__).with_name("inputs")
CALLS = INPUTS / "calls.jsonl"
"""Calls that are a session of their own, and the end of each other coding session."""

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
        {"host_keeps_messages": False, "reader": "stateless", "texts": ["a", "b", "c"][:count]}
        for count in (1, 2, 3)
    ),
    {"mode": "tail", "reader": "tail", "has_cache_breakpoint": True},
    {"mode": "system", "reader": "system"},
)


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
    """The transcript's format, counts and problems."""


def stories(texts: Texts) -> Iterator[Story]:
    """Yield all sessions; one that cannot be read is a case."""
    played = sorted((*INPUTS.glob("*.jsonl"), *(ROOT / EXAMPLES).glob("*.jsonl")))
    found = sorted(path for place in TRANSCRIPTS for path in (ROOT / place).glob("*.*"))
    recorded = [path for path in found if path.suffix not in {".sql", ".tsv"}]
    for path in (*played, *recorded):
        with texts.errors("sessions", path.name):
            yield from (_recorded if path in recorded else _played)(path)


def _played(path: Path) -> Iterator[Story]:
    lines = _lines(path)
    steps = tuple(line if "op" in line else EventDraft(**line) for line in lines)
    yield Story(path.stem, _domain(path.with_suffix(".py")), steps)
    if path.stem.startswith("drafts"):
        alone = (EventDraft(**{**line, "actor": "agent"}) for line in lines)
        yield Story(f"{path.stem} by the agent", CODING, tuple(alone))


def _recorded(path: Path) -> Iterator[Story]:
    found = read_transcript(path)
    counted = f"{found.turns} turns, {found.calls} calls, {sorted(found.skipped.items())} skipped"
    told = (
        found.format,
        found.reason,
        found.session_id,
        counted,
        found.not_understood,
        *found.problems,
    )
    drafts = (*found, *(draft for child in found.children for draft in child))
    yield Story(path.name, CODING, drafts, told="\n".join(map(str, told)))


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def _domain(path: Path) -> Domain[Any, Any]:
    if not path.exists():
        return CODING
    made = run_path(str(path)).values()
    return next(each for each in made if isinstance(each, Domain))


def golden() -> Texts:
    """Return the texts of all topics."""
    texts = Texts()
    with _undisturbed(), _rows.postgres_server(texts) as server, TemporaryDirectory() as folder:
        told = [*stories(texts)]
        for domain in {each.domain.name: each.domain for each in told}.values():
            of_domain = [each for each in told if each.domain is domain]
            with texts.errors("rows", domain.name):
                path = f"{folder}/{domain.name}.db"
                _play(texts, path, of_domain)
                _rows.sqlite(texts, domain.name, path)
            with texts.errors("rows in PostgreSQL", domain.name):
                if server is not None:
                    address = server.make(f"golden_{domain.name}")
                    _play(Texts(), address, of_domain[:MOST_IN_POSTGRES])
                    _rows.postgres(texts, domain.name, address)
            _exports(texts, domain)
        _told_outside(texts, Path(folder))
        for dialect, (name, each) in product(DIALECTS, sorted(layout_vocabulary().items())):
            texts.add("schemas of components", dialect, name, _schema, each, dialect)
        _layouts(texts)
    return texts


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep out the environment's limits and modes, and pytest's filters of warnings."""
    others = {name: text for name, text in os.environ.items() if not name.startswith("UJSX_")}
    with mock.patch.dict(os.environ, others, clear=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _play(texts: Texts, place: str, told: list[Story]) -> None:
    """Record the sessions of a domain in a store, and add what they tell."""
    clock, domain = Clock(), told[0].domain
    with HudStore.open(place, domain=domain, clock=clock.now, entropy=clock.entropy) as store:
        for number, each in enumerate((*told, Story("child", domain, (), told[0].name))):
            clock.ticks = 1_000 * number  # so that one more step changes no other session
            with texts.errors("sessions", each.name):
                session = store.session(each.name, parent=each.parent, started_at=START)
                texts.add("sessions", each.name, "transcript", str, each.told)
                _record(texts, clock, session, each)
                _look(texts, session, domain)
                _go_on(texts, clock, session, _lines(CALLS) if domain is CODING else [])
        for title in ("kept", "purged"):
            session = store.session(title)
            session.record("session.title", title=title, turn=0)
            session.keep_output("call-1", "line\n" * 2_000, tool="Bash")
        store.keeping.purge("purged")


def _record(texts: Texts, clock: Clock, session: HudSession[Any], told: Story) -> None:
    refused: list[str] = []
    for number, step in enumerate(told.steps):
        if number % CHUNK == 0:
            clock.tick()
            _deliver(texts, session, {})
        if isinstance(step, EventDraft):
            session.record_all([step], refused=lambda _, error: refused.append(str(error)))
        else:
            _call(texts, session, step)
    texts.add("sessions", told.name, "refused events", "\n".join, refused)


def _look(texts: Texts, session: HudSession[Any], domain: Domain[Any, Any]) -> None:
    """Add the states of a session, its HUDs, what is read back from them, and its layout."""
    name, now, vocabulary = session.id, START + 3_600_000, (*domain.sections, StatusLine)
    for version in sorted({*range(0, session.version, 4 * CHUNK), session.version}):
        texts.add("states", name, f"version {version}", _state, session, version, domain)
    for turn, look in product(sorted({session.turn // 2, session.turn}), LOOKS):
        heading = f"turn {turn} {json.dumps(look)}"
        hud = cache(partial(session.hud, turn=turn, now=now, **look))
        texts.add("renderings", name, heading, lambda: hud().text)
        texts.add("accounts", name, heading, lambda: _account(hud()))
        if look["budget"] == "off":
            read = partial(parse, vocabulary=vocabulary)
            texts.add("read-backs", name, heading, lambda: _json(dump(read(hud().text))))
    texts.add("layouts", name, "now", lambda: write_layout(Hud.of(session.state(), now=now)))
    texts.add("stories", name, "all events", _story, session, domain)


def _state(session: HudSession[Any], version: int, domain: Domain[Any, Any]) -> str:
    codec = projection_of(domain).codec
    assert codec is not None
    return in_lines(codec.dump(session.state(At.version(version))))


def _story(session: HudSession[Any], domain: Domain[Any, Any]) -> str:
    return "\n".join(words for _, words in story(session.events(), domain.state(), domain))


def _account(made: Rendered) -> str:
    lines = [f"{made.tokens} tokens, over budget: {made.over_budget}"]
    lines += [
        f"{each.path}: {each.rung}, {each.layer}, {each.tokens} tokens" for each in made.sections
    ]
    for left in made.omitted:
        lines.append(f"omitted in {left.section}: {left.count} {left.what}, {left.tokens} tokens")
        lines.append(f"    {left.handle} {' '.join(left.ids)}")
    return "\n".join(lines)


def _go_on(texts: Texts, clock: Clock, session: HudSession[Any], calls: list[Any]) -> None:
    """Add what is delivered of a session and answered in it at the end."""
    for how in LAST_DELIVERIES:
        clock.tick()
        _deliver(texts, session, how)
    for call in calls:
        clock.tick()
        _call(texts, session, call)


def _call(texts: Texts, session: HudSession[Any], call: dict[str, Any]) -> None:
    def answer() -> str:
        said = session.call("hud", {"call": call})
        return f"{said.text}\n{_json(said.data)}"

    texts.add("answers", session.id, json.dumps(call, ensure_ascii=False), answer)


def _deliver(texts: Texts, session: HudSession[Any], how: dict[str, Any]) -> None:
    def deliver() -> str:
        made = session.deliver(**how)
        if made.id:
            session.delivered(made.id)
        head = f"{made.id} to {made.reader} as {made.mode}, because {made.why}"
        again = (f"again {_part(part)}" for part in made.replay)
        return "\n".join((head, *map(_part, made.parts), *again))

    texts.add("deliveries", session.id, f"version {session.version} {json.dumps(how)}", deliver)


def _part(part: Part) -> str:
    place = f"{part.kind} in {part.place}, since {part.since}, layer {part.layer}"
    return f"{place}, breakpoint {part.breakpoint}, behind {part.behind}\n{part.text}"


def _told_outside(texts: Texts, folder: Path) -> None:
    """Add what hosts, models and users of the command are told, with the stores that were written there."""
    recorded = sorted(
        (*(ROOT / _outside.RECORDED).glob("*.jsonl"), *(INPUTS / "hooks").glob("*.jsonl"))
    )
    asked: dict[str, Any] = json.loads((INPUTS / "requests.json").read_text("utf-8"))
    told = [
        *(
            ("hosts", path.stem, partial(_outside.hosts, path=path, folder=folder / path.stem))
            for path in recorded
        ),
        *(
            ("requests", api, partial(_outside.requests, given=given))
            for api, given in asked.items()
        ),
    ]
    for topic, name, add in told:
        clock = Clock()
        opened = partial(HudStore.open, clock=clock.now, entropy=clock.entropy)
        with texts.errors(topic, name), opened(":memory:") as store:
            add(texts, name, store=store)
    lines = (INPUTS / "commands.txt").read_text("utf-8").splitlines()
    with texts.errors("commands", "all"):
        _outside.commands(texts, lines, folder, START + 3_600_000)


def _exports(texts: Texts, domain: Domain[Any, Any]) -> None:
    """Add the help and the schemas of a domain."""
    name, toolset = domain.name, hud_toolset(None, domain=domain, layouts=True)
    for operation in (None, *toolset.operations):
        ask = partial(toolset.call, "hud", {"op": "help", "operation": operation})
        texts.add("help", name, f"help {operation or ''}", lambda: ask().text)
    texts.add(
        "schemas of events", name, "all", lambda: _json(catalog_of(domain).adapter.json_schema())
    )
    layouts = LAYOUTS if domain is CODING else LAYOUTS[:2]
    for dialect, layout, rare in product(DIALECTS, layouts, (False, True)):
        define = partial(definitions, dialect, layout=layout, rare=rare, domain=domain)
        heading = f"{layout}{', with rare ones' if rare else ''}"
        texts.add("schemas of tools", f"{name}, {dialect}", heading, lambda: _json(define()))


def _schema(component: Any, dialect: str) -> str:
    return _json(tool_definition(component, dialect=dialect))


def _layouts(texts: Texts) -> None:
    """Add the mistakes of each layout of the inputs; without any, it written anew and rendered."""
    state = HudState(
        task=Task(description="Port 日本"),
        decisions=(Decision(summary="a | b"), Decision(summary="c")),
        blockers=(Blocker(description="No <key>"),),
        notes=tuple(Note(content=f"Note {number}") for number in range(5)),
    )
    bound = RenderContext().with_value(state)
    for each in (INPUTS / "layouts.md").read_text("utf-8").split("\n==== ")[1:]:
        name, text = each.split("\n", 1)
        add = partial(texts.add, "layouts", "inputs")
        read = partial(read_layout, text, layout_vocabulary())
        add(f"{name}: mistakes", lambda: "\n".join(map(str, check_layout(text))))
        add(f"{name}: written", lambda: write_layout(read()))
        add(f"{name}: rendered", lambda: render(read(), context=bound))


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str)
