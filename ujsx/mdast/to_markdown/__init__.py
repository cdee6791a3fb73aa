"""From an mdast tree to Markdown that gives the same tree back: how each node is written.

One handler per node kind (``_flow``, ``_list``, ``_table``, ``_inline``), what parts two blocks
in ``_join``, what needs a backslash in the tables of ``_unsafe``, delimiter runs in
``_attention``. ``Rules`` hold a choice of options; ``ujsx.mdast.Writer`` is what uses them.
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
