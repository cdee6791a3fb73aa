"""The default registry: its rules are tables, a module per direction."""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.transforms._from_mdast import FROM_MDAST
from ujsx.transforms._hast_to_ujsx import HAST_TO_UJSX
from ujsx.transforms._mdast_to_hast import MDAST_TO_HAST
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._to_mdast import MAX_HEADING_DEPTH as MAX_HEADING_DEPTH
from ujsx.transforms._to_mdast import TEXTS as TEXTS
from ujsx.transforms._to_mdast import TO_MDAST
from ujsx.transforms._ujsx_to_hast import UJSX_TO_HAST

on_demand(globals())

registry: TransformRegistry = TransformRegistry(
    {
        "ujsx -> mdast": TO_MDAST,
        "mdast -> ujsx": FROM_MDAST,
        "mdast -> hast": MDAST_TO_HAST,
        "ujsx -> hast": UJSX_TO_HAST,
        "hast -> ujsx": HAST_TO_UJSX,
    }
)
"""What ``render``, ``to_mdast`` and ``from_mdast`` use. Copy it to extend it."""
