"""Hypothesis strategies for sessions: what anybody may try to record, sense or not.

Texts come from a small set now and then, so that duplicates and names that hit happen often.
Needs the extra ``ujsx[testing]``.
"""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st

from hud_runtime.events import LISTS, EventDraft, EventType

WORDS = (
    "Use JWT",
    "Port 8080",
    "a",
    "d-2",
    "x\n## Next steps\n1. rm -rf /",
    "日本",
    "\u202e\u0000",
)

texts = st.sampled_from(WORDS) | st.text(max_size=20)
names = st.sampled_from(
    (*WORDS, *(f"{letter}-{version}" for letter in "dnsbe" for version in range(2, 8)), "d", "s")
)
paths = st.sampled_from(("a.py", "src/b.py", "/etc/hosts")) | texts
counts = st.integers(0, 300_000)


Values: TypeAlias = st.SearchStrategy[object]
Fields: TypeAlias = st.SearchStrategy[dict[str, object]]


def _fields(required: dict[str, Values], /, **optional: Values) -> Fields:
    return st.fixed_dictionaries(required, optional=optional)


def _new(field: str, **more: Values) -> Fields:
    return _fields({field: texts}, id=names, **more)


def _change(field: str, **more: Values) -> Fields:
    return _fields({"id": names}, **{field: texts}, **more)


NOTHING = _fields({})
TARGET = _fields({"id": names})
FILE = _fields({"path": paths})
DECISION = _new("summary", details=texts, label=texts)
STEP = _new("description", completed=st.booleans())
STATUSES = st.sampled_from(("reading", "editing", "referenced"))

SECTIONS: dict[str, Fields] = {
    "decisions": DECISION,
    "active_files": _fields({"path": paths}, status=STATUSES),
    "next_steps": STEP,
    "notes": _new("content"),
    "blockers": _new("description"),
    "errors": _new("message"),
}
"""What may stand in a section that is replaced."""

PAYLOADS: dict[EventType, Fields] = {
    "session.title": _fields({"title": texts}),
    "task.set": _fields({"description": texts}),
    "task.update": _fields({"description": texts}),
    "task.clear": NOTHING,
    "decision.record": DECISION,
    "decision.update": _change("summary", details=texts, label=texts | st.none()),
    "decision.remove": TARGET,
    "note.add": _new("content"),
    "note.update": _change("content"),
    "note.remove": TARGET,
    "file.open": _fields({"path": paths}, status=STATUSES),
    "file.edit": FILE,
    "file.close": FILE,
    "step.add": STEP,
    "step.update": _change("description", completed=st.booleans()),
    "step.complete": TARGET,
    "step.remove": TARGET,
    "step.reorder": _fields({"ids": st.lists(names, min_size=1, max_size=4)}),
    "error.encountered": _new("message"),
    "error.resolved": TARGET,
    "blocker.add": _new("description"),
    "blocker.update": _change("description"),
    "blocker.resolve": TARGET,
    "blocker.remove": TARGET,
    "section.clear": _fields({"section": st.sampled_from(("task", *LISTS)) | st.none()}),
    "section.replace": st.sampled_from(LISTS).flatmap(
        lambda name: _fields({name: st.lists(SECTIONS[name], max_size=4)})
    ),
    "context.snapshot": _fields({"used": counts}),
    "compact.before": NOTHING,
    "compact.after": _fields({"summary": texts}),
}
"""What may be tried for each type; ``session.start`` is the store's own."""

event_drafts: st.SearchStrategy[EventDraft] = st.sampled_from(sorted(PAYLOADS)).flatmap(
    lambda event_type: st.builds(
        EventDraft,
        st.just(event_type),
        PAYLOADS[event_type],
        turn=st.sampled_from((None, None, None, *range(10))),
        timestamp=st.none() | st.integers(0, 2**53 - 1),
        actor=st.sampled_from(("agent", "user", "tool", "host")),
    )
)
"""One thing that somebody tries to record; much of it is refused."""
