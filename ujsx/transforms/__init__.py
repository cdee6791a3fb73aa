"""The default registry: tables of rules, one module for mdast and one for hast."""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.transforms._hast import HAST_TO_UJSX, MDAST_TO_HAST, UJSX_TO_HAST
from ujsx.transforms._mdast import FROM_MDAST, TO_MDAST
from ujsx.transforms._mdast import MAX_HEADING_DEPTH as MAX_HEADING_DEPTH
from ujsx.transforms._mdast import TEXTS as TEXTS
from ujsx.transforms._registry import TransformRegistry

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
"""The default rules of ``render``, ``to_mdast`` and ``from_mdast``. Copy the registry to extend it."""
