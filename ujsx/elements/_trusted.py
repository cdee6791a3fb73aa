"""Markdown that the author vouches for."""

from __future__ import annotations

from typing import ClassVar

from ujsx.components._component import Component


class TrustedMarkdown(Component):
    """Markdown from the author's own code, parsed into its place.

    Its structure becomes part of the tree, inside its parent: a heading in it is a heading of the
    document. Never give it text from an agent, a tool or a user; put that in the tree as it is. No
    vocabulary has it, so it cannot come in through data.
    """

    takes_children: ClassVar[bool] = False

    source: str
    """The Markdown."""
