"""Markdown to mdast: ``from_markdown``."""

from ujsx.mdast.from_markdown._from_markdown import Engine as Engine
from ujsx.mdast.from_markdown._from_markdown import from_markdown as from_markdown
