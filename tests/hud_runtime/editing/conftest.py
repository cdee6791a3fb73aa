"""A HUD that is edited, as most tests of editing have it."""

from __future__ import annotations

import pytest

from hud_components import (
    ActiveFile,
    Blocker,
    ContextUsage,
    Decision,
    ErrorRecord,
    HudState,
    Note,
    Step,
    Task,
)


@pytest.fixture
def state() -> HudState:
    return HudState(
        task=Task(description="Add login"),
        decisions=(
            Decision(id="d-2", summary="Use JWT", details="stateless"),
            Decision(id="d-3", summary="bcrypt for passwords"),
        ),
        next_steps=(
            Step(id="s-4", description="Write the model", completed=True, order=1),
            Step(id="s-5", description="Write the routes", order=2),
            Step(id="s-6", description="Add tests", order=3),
        ),
        notes=(
            Note(id="n-7", content="Port 8080"),
            Note(id="n-8", content="Staging has no mail.\n\nUse the log."),
        ),
        blockers=(
            Blocker(id="b-9", description="No key for the mail service"),
            Blocker(id="b-10", description="An old one", resolved=True),
        ),
        active_files=(ActiveFile(path="a.py"), ActiveFile(path="b.py", status="editing")),
        errors=(ErrorRecord(id="e-11", message="boom"),),
        compacted_context="Goal: a login.",
        usage=ContextUsage(used=20_000),
    )
