"""HUDs of other programs: the headings of the design documents' drawings, and what stays as it is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hud_components import HudSection, parse
from tests.ids import looped

STATE = """## State
🟢 Context: 45% used (90,000 / 200,000 tokens, anthropic/claude-sonnet-4-20250514)

### Current Task

Implementing auth middleware -- JWT validation

### Key Decisions

- Using RS256 for JWT signing — for key rotation
- Refresh tokens stored hashed in DB

### Active Files

- src/middleware/auth.ts (editing)
- src/config/auth.ts (referencing)

### Notes (showing first 2 of 4, use `memory({tool: "hud_notes"})` for all)

- Refresh token TTL: 7 days
- Rate limit: 5 requests/min

### Next Steps

1. ~~Complete JWT validation logic~~
2. Add refresh token rotation endpoint

### ⚠ Blockers

- No key for the store

### Compacted Context

The schema is done.
"""

FRAME = """# Task

Implement auth module

## Context

67% used (134k/200k tokens)
Trend: growing rapidly

## Decisions (2)

• Using JWT over sessions
• bcrypt for password hashing

## House rules

Be kind.
"""


def shown(text: str) -> dict[str, dict[str, Any]]:
    """What each section says, by its name."""
    sections = [one for one in parse(text, foreign=True).children if isinstance(one, HudSection)]
    return {type(one).__name__: one.model_dump(exclude_defaults=True) for one in sections}


class TestForeign:
    def test_knows_the_headings_of_the_status_block(self) -> None:
        found = shown(STATE)
        assert found["TaskSection"]["task"]["description"].startswith("Implementing auth")
        assert found["ContextBar"]["usage"]["used"] == 90_000
        assert found["DecisionsList"]["decisions"] == (
            {"summary": "Using RS256 for JWT signing", "details": "for key rotation"},
            {"summary": "Refresh tokens stored hashed in DB"},
        )
        assert found["ActiveFiles"]["files"] == (
            {"path": "src/middleware/auth.ts", "status": "editing"},
            {"path": "src/config/auth.ts", "status": "referenced"},
        )
        assert [one["content"] for one in found["NotesSection"]["notes"]] == [
            "Refresh token TTL: 7 days", "Rate limit: 5 requests/min",
        ]  # fmt: skip
        assert [one.get("completed", False) for one in found["NextSteps"]["steps"]] == [True, False]
        assert found["BlockersList"]["blockers"] == ({"description": "No key for the store"},)
        assert found["CompactedContext"] == {"text": "The schema is done."}

    def test_knows_the_headings_of_the_frame_and_leaves_the_rest(self) -> None:
        found = shown(FRAME)
        assert [*found] == ["TaskSection", "ContextBar", "DecisionsList"]
        assert found["ContextBar"]["usage"]["used"] == 134_000
        assert len(found["DecisionsList"]["decisions"]) == 2
        assert len(parse(FRAME, foreign=True).children) == 5

    @looped("text", [STATE, FRAME])
    def test_is_asked_for(self, text: str) -> None:
        assert parse(text) != parse(text, foreign=True)

    def test_of_ours_reads_as_ever(self) -> None:
        text = "# HUD\n\n## Notes\n\n- Port 8080\n\n## Decisions\n\n- **Use JWT** — It scales\n"
        assert parse(text, foreign=True) == parse(text)

    @given(st.text(alphabet="# Notes\n-•*>`()~:%0k/\x00task", max_size=80))
    def test_of_any_text_is_read(self, text: str) -> None:
        parse(text, foreign=True)
