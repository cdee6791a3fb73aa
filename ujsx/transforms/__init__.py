"""The default registry: tables of rules, one module for mdast and one for hast."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module

from ujsx.on_demand import on_demand
from ujsx.transforms._mdast import FROM_MDAST, TO_MDAST
from ujsx.transforms._mdast import MAX_HEADING_DEPTH as MAX_HEADING_DEPTH
from ujsx.transforms._mdast import TEXTS as TEXTS
from ujsx.transforms._registry import Rule, TransformRegistry

on_demand(globals())


def _of_hast(name: str) -> Mapping[type, Rule]:
    """A table of the rules of hast, which are imported when one of them is asked for."""
    table: Mapping[type, Rule] = getattr(import_module("ujsx.transforms._hast"), name)
    return table


registry: TransformRegistry = TransformRegistry(
    {
        "ujsx -> mdast": TO_MDAST,
        "mdast -> ujsx": FROM_MDAST,
        "mdast -> hast": partial(_of_hast, "MDAST_TO_HAST"),
        "ujsx -> hast": partial(_of_hast, "UJSX_TO_HAST"),
        "hast -> ujsx": partial(_of_hast, "HAST_TO_UJSX"),
    }
)
"""The default rules of ``render``, ``to_mdast`` and ``from_mdast``. Copy the registry to extend it."""
