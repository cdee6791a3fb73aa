"""mdast: the node classes, Markdown to a tree and a tree to Markdown."""

from __future__ import annotations

from ._nodes import *  # noqa: F403
from .to_markdown import Writer, to_markdown
