"""The label that a place in the tree has, which what stands there begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Label(NamedTuple):
    """The label of a place in the tree, as a value of the context: ``ctx.get(Label)``."""

    text: str
    """The labels around, the outer ones first."""

    unlabelled: Mapping[str, str]
    """The replaced texts as they are without a label."""

    def before(self, text: str) -> str:
        """Return a text with the label before it."""
        return f"{self.text}: {text}"
