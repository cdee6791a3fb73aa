"""What an mdast node costs: a struct, a dataclass, a Pydantic model."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from tests.benchmarks._timing import medians, table
from ujsx.mdast import Paragraph, Text


@dataclass(frozen=True, slots=True)
class FrozenText:
    """A frozen slotted dataclass."""

    value: str
    position: object = None
    data: object = None


@dataclass(slots=True)
class SlottedText:
    """A slotted dataclass."""

    value: str
    position: object = None
    data: object = None


class ModelText(BaseModel):
    """A frozen Pydantic model."""

    model_config = ConfigDict(frozen=True)

    value: str
    position: object = None
    data: object = None


def main() -> None:
    """Measure and print."""
    children = (Text("a"),)
    times = medians(
        {
            "msgspec struct (ours)": lambda: Text("a"),
            "msgspec struct with children (ours)": lambda: Paragraph(children),
            "dataclass, slots": lambda: SlottedText("a"),
            "dataclass, frozen, slots": lambda: FrozenText("a"),
            "Pydantic model": lambda: ModelText(value="a"),
            "Pydantic model_construct": lambda: ModelText.model_construct(value="a"),
        }
    )
    print(table("One mdast node", times, "msgspec struct (ours)"))


if __name__ == "__main__":
    main()
