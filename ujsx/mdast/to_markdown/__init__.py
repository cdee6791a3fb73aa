"""From an mdast tree to Markdown that gives the same tree back: how each node is written.

Blocks have a handler each in ``_flow``, phrasing in ``_inline``; texts, spans and their delimiter runs
are in ``_phrasing``, the line ends between two blocks in ``_join``, backslashes in the tables of ``_unsafe``.
``Rules`` hold a choice of options; ``ujsx.mdast.Writer`` uses them.
"""

from __future__ import annotations

from ujsx.mdast.to_markdown._document import Rules
from ujsx.mdast.to_markdown._join import ALLOWED, Join, Options
from ujsx.mdast.to_markdown._state import Handler, Memo, Writing
from ujsx.mdast.to_markdown._unsafe import Unsafe

__all__ = [
    "ALLOWED",
    "Handler",
    "Join",
    "Memo",
    "Options",
    "Rules",
    "Unsafe",
    "Writing",
]
