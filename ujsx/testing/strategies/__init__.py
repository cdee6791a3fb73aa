"""Hypothesis strategies: components and trees of one's own, and mdast trees, with hostile text.

``components(Kind)`` makes components of any valid props, ``trees(vocabulary)`` trees of them.
``roots`` and ``canonical_roots`` make mdast documents, ``texts`` and ``hostile_texts`` what they
say. Needs the extra ``ujsx[testing]``.
"""

from __future__ import annotations

from ujsx.testing.strategies._components import components
from ujsx.testing.strategies._mdast import (
    BLOCK_DEPTH,
    BLOCK_HTML,
    INLINE_HTML,
    LABELS,
    SPAN_DEPTH,
    canonical_roots,
    flow,
    phrasing,
    roots,
)
from ujsx.testing.strategies._texts import FRAGMENTS, INJECTIONS, hostile_texts, texts
from ujsx.testing.strategies._trees import trees

__all__ = [
    "BLOCK_DEPTH",
    "BLOCK_HTML",
    "FRAGMENTS",
    "INJECTIONS",
    "INLINE_HTML",
    "LABELS",
    "SPAN_DEPTH",
    "canonical_roots",
    "components",
    "flow",
    "hostile_texts",
    "phrasing",
    "roots",
    "texts",
    "trees",
]
