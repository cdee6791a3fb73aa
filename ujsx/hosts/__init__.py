"""Hosts that come with the library: other targets than Markdown, for :func:`ujsx.fold`.

A host says what becomes of a primitive and of a text, and how a child is added to its parent; see
:class:`ujsx.HostConfig`. ``XmlHost`` writes tags, ``GraphHost`` builds a networkx graph.
"""

from __future__ import annotations

from ujsx.hosts._graph import GraphHost
from ujsx.hosts._xml import XmlHost, XmlPart

__all__ = ["GraphHost", "XmlHost", "XmlPart"]
