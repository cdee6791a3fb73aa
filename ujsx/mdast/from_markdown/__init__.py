"""Markdown to mdast: ``from_markdown``."""

from ._from_markdown import from_markdown

__all__ = ["from_markdown"]
