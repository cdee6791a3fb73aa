"""What the doctor tells."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

Verdict: TypeAlias = Literal["ok", "note", "missing", "too old", "unusable", "damaged"]
"""Fine; worth knowing; something that ujsx cannot do without; something that it needs a newer version
of; a store that this ujsx cannot use; or one that has lost something."""

BAD: frozenset[Verdict] = frozenset({"missing", "too old", "unusable", "damaged"})
"""Verdicts that make the doctor's exit status 1."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found."""

    name: str
    value: str
    verdict: Verdict = "ok"
    advice: str = ""
    """What it means, and what to do."""

    def data(self) -> dict[str, Any]:
        """Return the finding as JSON data."""
        return asdict(self)
