"""Layout documents: Markdown with component tags, which anyone can write and which run no code.

In: a text and the vocabulary that may stand in it. Out: a tree, and the text of a tree again. The
Markdown engine splits the text, with two rules of ours: a line of tags is a block, a tag in a line
is inline (``_block_parser``, ``_parser``). ``_tags`` and ``_literals`` read what stands between
``<`` and ``>``, ``_nesting`` finds each tag its partner, ``_components`` makes what it names. ``_write`` writes Markdown where it reads back as what was meant (``_markdown``), and tags
elsewhere (``_attributes``).
"""

from __future__ import annotations

from ujsx.layout._jsx import jsx
from ujsx.layout._nesting import Unread, braces_in
from ujsx.layout._read import Rule, check_layout, check_tree, read_layout
from ujsx.layout._write import write_layout
from ujsx.on_demand import on_demand

__all__ = [
    "Rule",
    "Unread",
    "braces_in",
    "check_layout",
    "check_tree",
    "jsx",
    "read_layout",
    "write_layout",
]

on_demand(globals())
