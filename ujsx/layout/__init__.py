"""Layout documents: Markdown with component tags, which run no code.

In: a text and its vocabulary. Out: a tree, and the text of a tree again. The Markdown engine splits the text, with two
additional rules: a line of tags is a block, a tag in a line is inline (``_parser``). ``_tags`` reads the text between
``<`` and ``>``; ``_nesting`` pairs tags, and creates their components. ``_documents`` builds trees from these, and
writes Markdown where it reads back as the same tree, and tags elsewhere.
"""

from __future__ import annotations

from ujsx.layout._documents import Rule as Rule
from ujsx.layout._documents import check_layout as check_layout
from ujsx.layout._documents import check_tree as check_tree
from ujsx.layout._documents import read_layout as read_layout
from ujsx.layout._documents import write_layout as write_layout
from ujsx.layout._jsx import jsx as jsx
from ujsx.layout._nesting import Unread as Unread
from ujsx.layout._nesting import braces_in as braces_in
from ujsx.on_demand import on_demand

on_demand(globals())
