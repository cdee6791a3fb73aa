"""An agent of another domain is told nothing of code, and of no section that it has not."""

from __future__ import annotations

import json
import re
from types import MappingProxyType
from typing import ClassVar

import pytest

from hud_components import Domain, HudItem, HudValue, ItemsSection, Kept, Line, ValueSection
from hud_runtime import HudStore
from hud_runtime.context.compaction import compaction_prompt
from hud_runtime.tools import definitions, instructions_of

CODE = frozenset(
    [
        "blocker",
        "blockers",
        "branch",
        "code",
        "coding",
        "commit",
        "decision",
        "decisions",
        "file",
        "files",
        "path",
        "paths",
        "repository",
        "step",
        "steps",
        "task",
        "tasks",
    ]
)
"""Words of an agent that works on code."""


class Visit(HudItem):
    """A visit of a participant."""

    who: Line
    over: Kept[bool] = False


class Visits(ItemsSection[Visit]):
    """The visits that are due."""

    name = "visits"
    noun = "visit"
    lines = MappingProxyType({"full": "{who}"})
    verbs = ("add", "update", "resolve", "remove", "reorder", "replace", "append")
    done = "over"
    from_parent: ClassVar[bool] = True


class Protocol(HudValue):
    """What is tried."""

    title: Line


class ProtocolSection(ValueSection[Protocol]):
    """The protocol that is followed."""

    name = "protocol"
    lines = MappingProxyType({"full": "{title}"})
    from_parent: ClassVar[bool] = True


TRIAL = Domain("trial", sections=(ProtocolSection, Visits))


@pytest.fixture(scope="module")
def told() -> str:
    """All that an agent is told of its HUD, and answered."""
    texts = [json.dumps(definitions("mcp", domain=TRIAL, rare=True, layouts=True))]
    texts.append(instructions_of(TRIAL, layouts=True))
    with HudStore.open(":memory:", domain=TRIAL, agent_layouts="offer") as store:
        parent = store.session("parent")
        parent.record("protocol.set", title="A new pill")
        parent.record("visits.add", who="P-17")
        session = store.session("child", parent="parent")
        session.record("visits.add", who="P-18")
        session.record("visits.resolve", id="P-18")
        session.record("compact.before", reason="long")
        session.record("compact.after", summary="So far so good.")
        calls = [
            {"op": op} for op in ("snapshot", "help", "protocol.get", "visits.list", "layout.show")
        ]
        calls += [{"op": "help", "operation": each} for each in TRIAL.operations]
        calls += [
            {"op": "visits.remove", "id": "nobody"},
            {"op": "search", "query": "pill"},
            {"op": "nothing"},
            {"op": "clear", "section": "visits"},
            {"op": "protocol.clear"},
            {"op": "protocol.get"},
            {"op": "history"},
        ]
        texts += [session.call("hud", call).text for call in calls]
        texts.append(session.call("hud_compact", {"reason": "long"}).text)
        texts += [compaction_prompt(session.state()), str(session.hud())]
    return "\n".join(texts)


def test_nothing_is_said_of_code(told: str) -> None:
    assert not {*re.findall("[a-z]+", told.casefold())} & CODE


def test_operations_that_are_named_exist(told: str) -> None:
    named = {*re.findall(r"\b([a-z]+\.[a-z]+)\b", told)}
    reads = {
        "protocol.get",
        "visits.list",
        "visits.set",
        "layout.set",
        "layout.show",
        "layout.reset",
    }
    paths = {"protocol.title"}  # what a layout may show
    known = {*TRIAL.operations, *reads, *paths}
    begun = {name.partition(".")[0] for name in known}
    assert {each for each in named if each.partition(".")[0] in begun} <= known
