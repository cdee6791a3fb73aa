"""Texts in many scripts and of many kinds, with the tokens that o200k makes of each.

They are this project's own: one paragraph in many languages, and small files of every kind that agents meet;
digests, UUIDs and base64 are of seeded random numbers. No weight was fitted to them. The counts are kept
beside them, so that nothing has to be installed; ``python -m tests.token_texts`` counts anew with rs_bpe.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from functools import cache
from math import ceil
from pathlib import Path
from typing import NamedTuple

from ujsx.tokens import TokenCounter, estimate_tokens, rs_bpe_counter

DATA = Path(__file__).parent / "ujsx" / "tokens" / "data"

COUNTS = DATA / "o200k.json"


class Kind(NamedTuple):
    """A text that stands for its kind."""

    name: str
    """A language, or what it is."""

    text: str

    tokens: int
    """What o200k counts."""

    @property
    def script(self) -> str:
        """The script that most of its letters are of; what is no prose is ``code and data``."""
        if self.name[0].islower() or self.name in NOT_PROSE:
            return "code and data"
        letters = (unicodedata.name(char).split()[0] for char in self.text if char.isalpha())
        name = Counter(letters).most_common(1)[0][0].capitalize()
        return {"Cjk": "Han", "Hiragana": "Kana and Han"}.get(name, name)


NOT_PROSE = frozenset(
    {"C", "CSS", "CSV", "Go", "HTML", "HUD", "Java", "JSON, compact", "JSON, indented"}
    | {"JSON, one line", "LaTeX", "Markdown", "Python", "Rust", "SQL", "TOML", "TypeScript", "URLs"}
    | {"UUIDs", "XML", "YAML"}
)


@cache
def kinds() -> tuple[Kind, ...]:
    """Return the texts in the order of their names."""
    counts: dict[str, int] = json.loads(COUNTS.read_text(encoding="utf-8"))
    return tuple(Kind(name, _text(name), tokens) for name, tokens in counts.items())


def off(kind: Kind, counter: TokenCounter = estimate_tokens) -> float:
    """Return by which share of the exact count an estimate is too high, or too low."""
    return counter(kind.text) / kind.tokens - 1


def percentile(values: list[float], per_cent: int) -> float:
    """Return the least value that so many of a hundred do not exceed (nearest rank)."""
    return sorted(values)[ceil(len(values) * per_cent / 100) - 1]


def rows() -> list[str]:
    """Return the rows of the table in docs/look-up/tokens.md: a script each, its texts with their errors."""
    by_script: dict[str, list[Kind]] = {}
    for kind in sorted(kinds(), key=lambda kind: (kind.script, kind.name.lower())):
        by_script.setdefault(kind.script, []).append(kind)
    return [
        f"| {script} | {sum(each.tokens for each in texts):,} | "
        f"{', '.join(_told(each) for each in texts)} |"
        for script, texts in by_script.items()
    ]


def _told(kind: Kind) -> str:
    error = f"{off(kind) or 0:+.0%}".replace("-0", "+0")
    return f"{kind.name.replace(', ', ' ')} {error.replace('-', '−').replace('%', ' %')}"


def _text(name: str) -> str:
    return (DATA / "texts" / f"{name}.txt").read_text(encoding="utf-8")


def main() -> None:
    """Count the tokens of each text anew."""
    counter = rs_bpe_counter()
    names = sorted(path.stem for path in (DATA / "texts").iterdir())
    counts = {name: counter(_text(name)) for name in names}
    COUNTS.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
