r"""Markdown beyond CommonMark and GFM: nodes, with their reading and writing.

Each extension has its nodes, rules and handlers. Pass their names to ``from_markdown`` and ``to_markdown``:

>>> from ujsx.mdast import from_markdown, to_markdown
>>> tree = from_markdown("$e^x$ of [[A page]]", extensions=["math", "wiki-links"])
>>> tree.children[0].children[0]
InlineMath(value='e^x')
>>> print(to_markdown(tree, extensions=["math", "wiki-links"]), end="")
$e^x$ of [[A page]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.mdast._nodes import NAMES, Extension
from ujsx.mdast._nodes import BlockReader as BlockReader
from ujsx.mdast._nodes import LineStart as LineStart
from ujsx.mdast.extensions._blocks import Alert, DefList, DefListDescription, DefListTerm, Toml
from ujsx.mdast.extensions._inline import (
    ContainerDirective,
    InlineMath,
    LeafDirective,
    Math,
    TextDirective,
    WikiLink,
)
from ujsx.mdast.to_markdown._handlers import indented as indented
from ujsx.mdast.to_markdown._unsafe import Unsafe
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from ujsx.mdast.extensions._plugins import Admonition, AdmonitionTitle, TokenNode, extension_of

__all__ = [
    "NAMES",
    "Admonition",
    "AdmonitionTitle",
    "Alert",
    "ContainerDirective",
    "DefList",
    "DefListDescription",
    "DefListTerm",
    "Extension",
    "InlineMath",
    "LeafDirective",
    "Math",
    "TextDirective",
    "TokenNode",
    "Toml",
    "Unsafe",
    "WikiLink",
    "extension_of",
]

on_demand(globals())
