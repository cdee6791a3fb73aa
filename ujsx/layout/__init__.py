"""Layout documents: Markdown with component tags, which anyone can write and which run no code.

In: a text and the vocabulary that may stand in it. Out: a tree, and the text of a tree again. The
Markdown engine splits the text, with two rules of ours: a line of tags is a block, a tag in a line
is inline (``_parser``). ``_tags`` reads the text between ``<`` and ``>``; ``_nesting`` finds each tag
its partner, and makes the component that it names. ``_write`` writes Markdown where it reads back as
the same tree, and tags elsewhere.
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
