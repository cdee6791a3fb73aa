"""The problem of a part that could not be read, and its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a transcript that could not be read or recorded."""

    line: int | None
    """The line in a file of lines, else the message's number; from 1."""

    what: str
    """One sentence."""

    def __str__(self) -> str:
        return self.what if self.line is None else f"line {self.line}: {self.what}"
