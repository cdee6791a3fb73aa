"""From an mdast tree to Markdown that gives the same tree back: how each node is written.

One handler per node kind (``_flow``, ``_list``, ``_table``, ``_inline``), what parts two blocks
in ``_join``, what needs a backslash in the tables of ``_unsafe``, delimiter runs in
``_attention``. ``Rules`` hold a choice of options; ``ujsx.mdast.Writer`` is what uses them.
"""

from __future__ import annotations

from ._document import Rules
from ._join import Join
from ._options import ALLOWED, Options
from ._state import Handler, Memo, Writing
from ._unsafe import Unsafe

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
