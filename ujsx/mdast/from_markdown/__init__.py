"""Markdown to mdast: ``from_markdown``."""

from ujsx.mdast.from_markdown._from_markdown import Engine, from_markdown

__all__ = ["Engine", "from_markdown"]
