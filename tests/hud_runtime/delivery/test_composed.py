"""A request with its deliveries, and the whole HUD at the same version."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.composed import composed, questions

RECORD = Path(__file__).parents[1] / "transcripts" / "records" / "Claude Code.jsonl"


def test_says_of_each_item_what_the_whole_hud_says() -> None:
    made = composed(RECORD)
    assert made is not None
    lines = dict(made.lines())
    assert {"told", "shown"} == {*lines.values()}, lines
    assert all(part.text in made.request for _, part in made.parts)
    bare = made._replace(parts=(), messages=())
    assert {*dict(bare.lines()).values()} == {"missing"}
    assert len(questions(made.state)) == 12
