"""A session whose every word is another one's: what its agent reads has no English in it but names, calls and refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from hud_components import TEXTS, check_texts
from hud_runtime import HudSession, HudStore
from hud_runtime.tools import HudTools
from tests.hud_runtime.integrations.looks import CAREFUL

_KEPT = re.compile(r"(\{[^{}]*\}|`[^`]*`|<[^>]*>)")
_LATIN = str.maketrans(
    {chr(97 + n): chr(0x430 + n) for n in range(26)} | {chr(65 + n): chr(0x410 + n) for n in range(26)}
)  # fmt: skip

NAMES = re.compile(
    r"`[^`]*`|</?\w[^>]*>|\[secret: [a-z-]+\]|\b(?:[tdnsbe]|rule-)-?\d+\b|\bUTC\b|\b\w+[=.]\S+"
    r"|\b(?:hud notes|task|risks|子live|子start|notes|decisions|blockers|Each|Value|When|Compact|Hud|github-token)\b"
    rf"|\b(?:{'|'.join(each.__name__ for each in CAREFUL.sections)})\b"
)
"""What is a name in an answer, and no word: ids, turns, sections, tags, calls."""


RISKS = {
    "risks.title": "Risks",
    "risks.noun": "risk|risks",
    "risks.full": "**{what}**",
    "risks.add.answer": "Added {id}.",
    "risks.update.answer": "Updated {id}.",
    "risks.remove.answer": "Removed {id}.",
}
"""The texts of the section that these tests declare."""


def replaced(text: str) -> str:
    """Return a text with other letters; holes, code and signs stay."""
    return "".join(
        part if _KEPT.fullmatch(part) else part.translate(_LATIN) for part in _KEPT.split(text)
    )


@pytest.fixture(scope="module")
def words() -> Mapping[str, str]:
    """Every text in letters of another script."""
    every = {**TEXTS, **RISKS}
    found = {name: replaced(text) for name, text in every.items() if name != "plurals"}
    with pytest.raises(ValueError, match="not translated"):
        check_texts({}, sections=CAREFUL.sections, complete=True)
    return check_texts(found, sections=CAREFUL.sections)


BEGUN: list[tuple[str, dict[str, object]]] = [
    *((each, {}) for each in ("snapshot", "task.get", "notes.list", "context", "summaries.list")),
    ("search", {"query": "無"}),
    ("task.set", {"description": "日"}),
    ("task.get", {}),
    *(
        (op, {name: f"語{n}", **more})
        for n in range(3)
        for op, name, more in (
            ("notes.add", "content", {}),
            ("decisions.record", "summary", {"details": f"理{n}"}),
            ("steps.add", "description", {}),
            ("blockers.add", "description", {}),
            ("risks.add", "what", {}),
            ("errors.add", "message", {}),
            ("rules.add", "text", {}),
            ("files.open", "path", {}),
        )
    ),
    ("notes.add", {"content": "語1"}),
    ("notes.update", {"id": "語0", "content": "新"}),
    ("notes.update", {"id": "新", "content": "新"}),
    ("notes.remove", {"id": "語1"}),
    ("blockers.resolve", {"id": "語0"}),
    ("steps.complete", {"id": "語0"}),
    *(
        (f"{section}.list", page)
        for section in ("notes", "decisions", "steps", "blockers", "risks", "errors", "rules", "files")
        for page in ({}, {"limit": 1}, {"after": 99})
    ),
    ("search", {"query": "語2"}),
    ("search", {"query": "語2", "limit": 1}),
    ("search", {"query": "無", "after": 5}),
    *((f"section.{verb}", {"section": "notes"}) for verb in ("pin", "fold", "reset", "reset")),
    ("notes.set", {"items": [{"content": "新"}, {"content": "一"}]}),
    ("notes.set", {"items": [{"content": "一"}, {"content": "二"}]}),
    ("section.clear", {"section": "risks"}),
    ("layout.show", {}),
    ("layout.set", {"layout": "<Hud><NotesSection/></Hud>"}),
    ("layout.show", {}),
    ("layout.reset", {}),
    ("notes.add", {"content": f"ghp_{'a1B2' * 9}"}),
]  # fmt: skip
"""Calls, one after the other: of everything that an answer can say."""


def _worked(session: HudSession[Any]) -> Iterator[tuple[str, str]]:
    """Do what an agent does, and yield what it is told: what was done, and the text."""
    tools = HudTools(session, layouts=True)
    for op, given in BEGUN:
        yield op, _answer(tools, op, given)
    session.record("context.snapshot", used=60_000, limit=200_000)
    yield "refused", tools.call("memory_compact", {"reason": "長"}).text
    session.record("context.snapshot", used=190_000, limit=200_000, input=1, cache_read=5, output=8)
    yield "context", _answer(tools, "context", {})
    told = session.intervention()
    assert told is not None
    yield "intervention", told.text
    for name in ("hud_compact", "memory_compact"):
        yield name, tools.call(name, {"reason": "長"}).text
    session.record("compact.before", reason="長")
    session.record("compact.after", summary="概\n\n要")
    for op in ("summaries.list", "context"):
        yield op, _answer(tools, op, {})
    for density in ("full", "compact", "minimal"):
        yield density, session.hud(density=density).text
    for budget in (10, 40, 100, 300, 1000):
        yield f"{budget}", session.hud(budget=budget, now=43 * 60_000).text
    session.delivered(session.deliver(fresh=True))
    yield "notes.add", _answer(tools, "notes.add", {"content": "後"})
    yield "steps.remove", _answer(tools, "steps.remove", {"id": "語1"})
    yield "deliver", session.deliver().text
    yield "remembered", tools._remembered()  # where a database server is away


def _answer(tools: HudTools, op: str, given: Mapping[str, object]) -> str:
    result = tools.call("hud", {"op": op, **given})
    assert not result.is_error, result.text
    return result.text


def _child(session: HudSession[Any]) -> Iterator[tuple[str, str]]:
    calls: list[tuple[str, dict[str, object]]] = [
        ("parent.show", {}),
        ("parent.show", {"new_only": True}),
        *[("parent.hand_back", {"text": "果"})] * 2,
    ]
    for op, given in calls:
        yield op, _answer(HudTools(session), op, given)
    yield "child", session.hud().text


def test_reaches_what_an_agent_reads(words: Mapping[str, str]) -> None:
    with HudStore.open(
        ":memory:", domain=CAREFUL, words=words, agent_layouts="offer", clock=lambda: 0
    ) as store:
        told = [*_worked(store.session("日"))]
        for parents in ("live", "start"):
            store.options = replace(store.options, parents=parents)
            told += _child(store.session(f"子{parents}", parent="日"))
        english = {
            (what, line)
            for what, text in told
            for line in text.splitlines()
            if re.search("[A-Za-z]{2,}", NAMES.sub("", line))
        }
    assert not english
