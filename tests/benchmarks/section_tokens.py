"""What each section costs as a tool, in tokens (o200k): the schema of what a model fills in.

"Before" is what it was while the schema had the props of the store and of the renderer, too: ids, times,
density, limit. Those figures are those of commit 939702ff, counted then and kept, as a schema made today
with all props would be another one. They were made so, beside a copy of that commit in ``../before``:

    PYTHONPATH=../before python tests/benchmarks/section_tokens.py --json > tests/benchmarks/data/section_tokens.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import hud_components
from ujsx.schema import schema_tokens, tool_definition
from ujsx.tokens import rs_bpe_counter

BEFORE = Path(__file__).parent / "data" / "section_tokens.json"

SECTIONS = (
    "TaskSection",
    "CompactedContext",
    "DecisionsList",
    "NextSteps",
    "BlockersList",
    "NotesSection",
    "ActiveFiles",
    "ErrorsList",
    "SessionLine",
    "Hints",
    "StaleNotice",
    "WarningBanner",
    "ContextBar",
    "StatusLine",
)
"""By name, for a version that has others; a test holds them against today's."""


def before() -> Mapping[str, int]:
    """Return the tokens of each section before, by its name."""
    figures: Mapping[str, int] = json.loads(BEFORE.read_text(encoding="utf-8"))
    return figures


def now(count: Callable[[str], int]) -> Mapping[str, int]:
    """Return the tokens of each section's tool, by its name: the whole definition, in MCP's shape."""
    return {
        name: schema_tokens(tool_definition(getattr(hud_components, name), dialect="mcp"), count)
        for name in SECTIONS
    }


def main() -> None:
    """Count and print."""
    counted = now(rs_bpe_counter("o200k_base"))
    if "--json" in sys.argv:
        print(json.dumps(counted, indent=2))
        return
    title = (
        "A section as a tool, in o200k tokens: with all its props, and with what a model fills in"
    )
    rows = [(name, before()[name], tokens) for name, tokens in counted.items()]
    rows.append(("all", sum(old for _, old, _ in rows), sum(new for *_, new in rows)))
    print(title, "=" * len(title), f"{'':18}{'before':>8}{'now':>8}{'share':>8}", sep="\n")
    for name, old, new in rows:
        print(f"{name:18}{old:8,}{new:8,}{new / old:8.0%}")
    print()


if __name__ == "__main__":
    main()
