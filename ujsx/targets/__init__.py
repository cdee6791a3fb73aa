"""Targets that come with the library beside Markdown, for :func:`ujsx.fold`.

A target says what becomes of a primitive and of a text, and how a child is added to its parent; see
:class:`ujsx.HostConfig`. ``XmlTarget`` writes tags, ``GraphTarget`` builds a networkx graph.
"""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.targets._graph import GraphTarget
from ujsx.targets._xml import XmlPart, XmlTarget
from ujsx.targets._xml_text import xml_references

__all__ = ["GraphTarget", "XmlPart", "XmlTarget", "xml_references"]

on_demand(globals())
