"""From an mdast tree to Markdown that gives the same tree back: how each node is written.

Blocks have a handler each in ``_flow``, phrasing in ``_inline``; texts, spans and their delimiter runs
are in ``_phrasing``, the line ends between two blocks in ``_join``, backslashes in the tables of ``_unsafe``.
``Rules`` hold a choice of options; ``ujsx.mdast.Writer`` uses them.
"""

from __future__ import annotations

from ujsx.mdast.to_markdown._document import Rules as Rules
from ujsx.mdast.to_markdown._join import ALLOWED as ALLOWED
from ujsx.mdast.to_markdown._join import Join as Join
from ujsx.mdast.to_markdown._state import Handler as Handler
from ujsx.mdast.to_markdown._state import Memo as Memo
from ujsx.mdast.to_markdown._state import Writing as Writing
from ujsx.mdast.to_markdown._unsafe import Unsafe as Unsafe
