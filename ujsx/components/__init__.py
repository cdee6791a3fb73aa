"""The parts that an author writes: components, elements, and the context in which they render."""

from __future__ import annotations

from ujsx.components._component import (
    PLAIN,
    Component,
    Examples,
    Fragment,
    as_element,
    component,
    examples_of,
    fragment,
    has_examples,
)
from ujsx.components._context import FrozenMapping, Now, ReadInParts, RenderContext
from ujsx.components._definition import check_types, unannotated, unhashable_part
from ujsx.components._documented import (
    DocumentedModel,
    described_like,
    fields_of,
    first_text,
    settled,
)
from ujsx.components._element import (
    MAX_DEPTH,
    Child,
    Children,
    Displayed,
    Element,
    Node,
    normalize_children,
)
from ujsx.components._elide import elided
from ujsx.components._interpolations import Interpolation, interpolations_of
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.on_demand import on_demand

__all__ = [
    "MAX_DEPTH",
    "PLAIN",
    "Child",
    "Children",
    "Component",
    "ComponentClass",
    "Displayed",
    "DocumentedModel",
    "Element",
    "Examples",
    "Fragment",
    "FrozenMapping",
    "Interpolation",
    "Node",
    "Now",
    "ReadInParts",
    "RenderContext",
    "Vocabulary",
    "as_element",
    "check_types",
    "component",
    "described_like",
    "elided",
    "examples_of",
    "fields_of",
    "first_text",
    "fragment",
    "has_examples",
    "interpolations_of",
    "normalize_children",
    "settled",
    "unannotated",
    "unhashable_part",
]

on_demand(globals())
