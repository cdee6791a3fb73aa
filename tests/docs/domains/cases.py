"""The domains of docs/examples, and the support agent's with one section more."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from hud_components import ContextBar, Domain
from hud_components.memory import MEMORY
from hud_runtime import HudSession, HudStore
from tests.docs.domains.escalations import Escalations

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "docs" / "examples"

sys.path.insert(0, str(EXAMPLES))  # as it is for a script that lies there
try:
    support: Any = import_module("support")
    analyst: Any = import_module("analyst")
finally:
    sys.path.remove(str(EXAMPLES))
    for path in EXAMPLES.glob("*.py"):  # other pages have a module "support", too
        sys.modules.pop(path.stem, None)

Call = Mapping[str, object]


@dataclass(frozen=True)
class Case:
    """A domain, and what is done with it."""

    name: str
    domain: Domain[Any]
    calls: tuple[Call, ...]
    refused: tuple[tuple[Call, str], ...]
    """Calls that cannot be, each with what its answer begins with."""
    edits: tuple[tuple[str, str, str], ...]
    """Words of the HUD, what somebody writes in their place, and the event that it comes to."""
    found: str
    """A word that one event says."""
    now: int | None = None

    def played(self, store: HudStore[Any], name: str = "story") -> HudSession[Any]:
        """Answer the calls, none of which is an error."""
        session = store.session(name)
        for call in self.calls:
            result = session.call("hud", dict(call))
            assert not result.is_error, result.text
        return session


def story(name: str) -> tuple[Call, ...]:
    return tuple(map(json.loads, (EXAMPLES / f"{name}.jsonl").read_text("utf-8").splitlines()))


SUPPORT = Case(
    "support",
    support.SUPPORT,
    story("support"),
    (
        ({"op": "ticket.set", "severity": "low"}, "ticket.set needs subject; "),
        ({"op": "ticket.set", "subject": "x", "severity": "worst"}, "$.severity: "),
        ({"op": "promises.add", "what": "Call", "due": "soon"}, "$.due: "),
        ({"op": "promises.add", "what": "Call"}, "$.due: required"),
        ({"op": "promises.add", "what": "Call", "due": "2026-03-02T10:00:00"}, "$.due: "),
        ({"op": "ticket.set", "subject": "x", "answer_by": "2026-03-02T10:00:00"}, "$.answer_by: "),
        ({"op": "promises.add", "what": "x", "due": "2026-03-02", "kept": True}, "$.kept: "),
        ({"op": "promises.keep", "id": "p-99"}, 'there is no "p-99" in promises'),
        ({"op": "remedies.add", "what": " "}, "$.what: "),
        ({"op": "remedies.add", "what": "x", "ident": "r-1"}, "$.ident: "),
        ({"op": "remedies.ad", "what": "x"}, '$.op: there is no operation "remedies.ad"'),
    ),
    (
        ("the cable** — unclear", "the cable** — worked", "remedies.update"),
        ("Home 250", "Home 500", "customer.update"),
        ("- `p-6` **Refund a week** by 2026-03-09T00:00:00+01:00\n", "", "promises.remove"),
        ("**Refund a week**", "**Refund two weeks**", "promises.update"),
        ("**No internet**", "**No telephone**", "ticket.update"),
    ),
    found="router",
    now=int(datetime.fromisoformat("2026-03-02T09:40:00+01:00").timestamp()) * 1_000,
)

ESCALATED = Case(
    "escalated",
    Domain(
        "support",
        sections=(*support.SUPPORT.sections[:-2], Escalations, *support.SUPPORT.sections[-2:]),
    ),
    (
        *SUPPORT.calls,
        {"op": "escalations.add", "to": "The network team", "why": "They see the line"},
        {"op": "escalations.raise", "by": 2},
    ),
    (
        *SUPPORT.refused,
        ({"op": "escalations.raise", "by": 0}, "a tier higher, not 0"),
        ({"op": "escalations.add", "to": "Us"}, "$.why: required"),
    ),
    (*SUPPORT.edits, ("They see the line", "They own the line", "escalations.update")),
    found="network",
    now=SUPPORT.now,
)

ANALYST = Case(
    "analyst",
    analyst.ANALYST,
    story("analyst"),
    (
        ({"op": "datasets.add", "table": "my table", "rows": 1}, "$.table: "),
        ({"op": "datasets.add", "table": "orders", "rows": -1}, "$.rows: "),
        ({"op": "datasets.add", "table": "t", "rows": 1, "columns": ["a b"]}, "$.columns"),
        ({"op": "hypotheses.add", "claim": "x", "verdict": "refuted"}, "$.verdict: "),
        ({"op": "hypotheses.judge", "id": "Returns grew since March", "verdict": "supported",
          "because": "x"}, "h-5 is refuted already"),
        ({"op": "hypotheses.judge", "id": "h-99", "verdict": "refuted", "because": "x"},
         'there is no "h-99" in hypotheses'),
        ({"op": "hypotheses.judge", "id": "h-7", "verdict": "perhaps", "because": "x"},
         "$.verdict: "),
    ),
    (
        ("Which parcels", "By carrier, which parcels", "questions.update"),
        ("Returns by month", "Returns by week", "charts.update"),
        ("**Late parcels are", "**Late gifts are", "hypotheses.update"),
        ("returns: 6310 rows", "returns: 6311 rows", "datasets.update"),
        ("Why do customers", "When do customers", "task.update"),
    ),
    found="parcels",
)  # fmt: skip

REMEMBERING = Case(
    "remembering",
    Domain("remembering", sections=(*MEMORY, ContextBar)),
    (
        {"op": "core_goal.set", "content": "Add a login"},
        {"op": "core_goal.append", "text": "with JWT, and no cookies"},
        {"op": "core_progress.set", "content": "- [x] schema\n- [ ] handler"},
        {"op": "core_context.set", "content": "All routes stand in routes.py"},
        {"op": "working_memory.add", "content": "test_login fails with 401", "slot": "error"},
        {"op": "working_memory.add", "content": "Tokens live for an hour", "slot": "decision"},
        {"op": "working_memory.add", "content": "src/login.py"},
        {"op": "working_memory.add", "content": "src/handler.py"},
        {"op": "working_memory.remove", "id": "src/handler.py"},
    ),
    (
        ({"op": "core_goal.set", "content": "x" * 1_001}, "$.content: has 1,001 characters"),
        ({"op": "core_goal.append", "text": "x" * 977}, "the content has 36 characters, and would"),
        ({"op": "core_goal.append", "text": " "}, "$.text: "),
        ({"op": "working_memory.add", "content": "x", "slot": "hope"}, "$.slot: "),
        ({"op": "working_memory.add", "content": "x", "seen": 3}, "$.seen: "),
        (
            {"op": "working_memory.remove", "id": "nothing"},
            'there is no "nothing" in working_memory',
        ),
    ),
    (
        ("Add a login", "Add a logout", "core_goal.set"),
        ("- `m-6` **Error:** test_login fails with 401\n", "", "working_memory.remove"),
        ("All routes stand", "Most routes stand", "core_context.set"),
    ),
    found="login",
)

CASES = (SUPPORT, ESCALATED, ANALYST, REMEMBERING)
