"""One place of a schema on its way into a dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ujsx.schema._keywords import Schema
from ujsx.schema._notes import described


@dataclass(slots=True)
class Node:
    """What is still to be said at a place, and what has been."""

    pointer: str
    """Where it is in the schema that was given: a JSON pointer."""

    rest: Schema
    """The keywords that are still to be said."""

    said: Schema = field(default_factory=dict[str, Any])
    """The keywords of the dialect."""

    notes: list[str] = field(default_factory=list[str])
    """What the description says in place of keywords."""

    def is_object_to_be_said(self) -> bool:
        """Tell whether this is an object whose properties have not been said yet."""
        is_unsaid = self.said.get("type") == "object" and "properties" not in self.said
        return is_unsaid or "properties" in self.rest

    def take_over(self, other: Node) -> None:
        """Say here what was said there."""
        self.said.update(other.said)
        self.notes.extend(other.notes)

    def finished(self) -> Schema:
        """Return what was said, with the notes in its description."""
        text = described(self.said.pop("description", ""), self.notes)
        if "$ref" in self.said and (len(self.said) > 1 or text):  # a reference stands alone
            self.said["anyOf"] = [{"$ref": self.said.pop("$ref")}]
        if text:
            self.said["description"] = text
        return {key: self.said[key] for key in sorted(self.said)}
