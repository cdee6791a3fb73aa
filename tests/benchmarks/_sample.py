"""The HUD that is measured: one task, 10 decisions, 15 files, 20 notes, 10 steps."""

from __future__ import annotations

from hud_components import (
    ActiveFile,
    ContextUsage,
    Decision,
    HudState,
    Note,
    Step,
    Task,
)

_TOPICS = (
    ("Sign access tokens with RS256", "services verify them offline with the public key alone"),
    ("Hash passwords with bcrypt, cost 12", "about 250 ms here, and the library is audited"),
    ("Rotate refresh tokens on every use", "a stolen token shows itself when it is used twice"),
    ("Keep sessions in PostgreSQL", "the service has no Redis, and the load is far below it"),
    ("Limit logins to 100 a minute per address", "the default of the gateway, written down"),
)


def sample_state() -> HudState:
    """Return a state that fills every limit; its full HUD is about 1,500 tokens."""
    decisions = tuple(
        Decision(
            id=f"d-{n}",
            summary=f"{_TOPICS[n % 5][0]} in service {n}",
            details=f"{_TOPICS[n % 5][1]}; see section {n} of the design, agreed on with the team",
        )
        for n in range(10)
    )
    files = tuple(
        ActiveFile(
            path=f"src/auth/{name}_{n}.py",
            status=("reading", "editing", "referenced")[n % 3],
            last_accessed=n,
        )
        for n, name in enumerate(("tokens", "sessions", "middleware", "limits", "schema") * 3)
    )
    notes = tuple(
        Note(
            id=f"n-{n}",
            content=f"The ledger worker retries {n % 9 + 2} times before it parks an event; "
            f"runbook section {n} says how to release it, and whom to ask first",
        )
        for n in range(20)
    )
    steps = tuple(
        Step(
            id=f"s-{n}",
            description=f"Write part {n} of the refresh endpoint, with its tests and a page",
            completed=n < 4,
            order=n,
        )
        for n in range(10)
    )
    return HudState(
        task=Task(
            description="Build authentication for the web service: access and refresh tokens, "
            "password hashing, rate limits, middleware, and tests for all of it"
        ),
        decisions=decisions,
        active_files=files,
        notes=notes,
        next_steps=steps,
        usage=ContextUsage(used=134_000, model="claude-sonnet-4", trend="growing"),
    )
