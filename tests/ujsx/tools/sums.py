"""A small toolset, as the tests of calls use it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ujsx import UjsxError
from ujsx.tools import Operation, Toolset


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Add(Arguments):
    """Numbers to add."""

    left: int
    """The first."""

    right: float = 0.0


class Note(Arguments):
    text: str
    tags: tuple[str, ...] = ()
    loud: bool = False
    due_in: Annotated[int, Field(ge=0)] | None = None


class Mood(Arguments):
    mood: Literal["very-good", "bad"] = "bad"


class Point(Arguments):
    x: int
    y: int = 0


class Draw(Arguments):
    points: list[Point]
    args: str = ""


class Nothing(Arguments):
    pass


class TooMuchError(UjsxError):
    pass


def add(given: Add) -> str:
    if given.left > 1_000:
        raise TooMuchError("too much for me; give at most 1000")
    return f"{given.left + given.right:g}"


OPERATIONS = (
    Operation("add", Add, add, help="two numbers"),
    Operation("notes.add", Note, lambda note: note, help="what to keep in mind"),
    Operation("mood", Mood, lambda given: given.mood, help="how it goes"),
    Operation("draw", Draw, lambda given: given, help="some points"),
    Operation("notes.clear", Nothing, lambda _: None, help="all of them", rare=True),
    Operation("crash", Nothing, lambda _: 1 / 0, help="for the tests"),
)

SUMS = Toolset(OPERATIONS, name="sums", description="Sums, and notes on them.")
