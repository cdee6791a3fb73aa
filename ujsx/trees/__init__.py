"""Whole trees: made by name, as data and back, and resolved into primitives."""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.trees._data import dump, load
from ujsx.trees._h import h
from ujsx.trees._resolve import ALONE, disclosed_context, expand, first_place, place_of, resolve

__all__ = [
    "ALONE",
    "disclosed_context",
    "dump",
    "expand",
    "first_place",
    "h",
    "load",
    "place_of",
    "resolve",
]

on_demand(globals())
