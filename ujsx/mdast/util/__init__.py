r"""Trees looked through and changed: walk, find, rewrite, and what pages are made of.

Nodes are immutable. ``rewrite`` and ``replace`` give changed copies, in which what did not change is
shared with the tree that they were made of.

>>> from ujsx.mdast import Heading, from_markdown, to_markdown
>>> from ujsx.mdast.util import replace, rewrite
>>> tree = from_markdown("# A\n\n## *B*")
>>> deeper = rewrite(tree, Heading, lambda node: replace(node, depth=min(node.depth + 1, 6)))
>>> print(to_markdown(deeper), end="")
## A
<BLANKLINE>
### *B*
"""

from __future__ import annotations

from ujsx.on_demand import on_demand

from ._contents import Section, sections, toc
from ._find import definitions, find, walk
from ._replace import replace
from ._rewrite import rewrite
from ._slug import Slugger, slug
from ._to_string import to_string

__all__ = [
    "Section",
    "Slugger",
    "definitions",
    "find",
    "replace",
    "rewrite",
    "sections",
    "slug",
    "to_string",
    "toc",
    "walk",
]

on_demand(globals())
