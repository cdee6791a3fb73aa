"""The parts that an author writes: components, elements, and the context in which they render."""

from __future__ import annotations

from ujsx.components._annotations import settled
from ujsx.components._component import PLAIN, Component, as_element
from ujsx.components._context import RenderContext
from ujsx.components._definition import check_types, unannotated
from ujsx.components._display import Displayed
from ujsx.components._documented import DocumentedModel, described_like, fields_of, first_text
from ujsx.components._element import MAX_DEPTH, Child, Children, Element, Node, normalize_children
from ujsx.components._elide import elided
from ujsx.components._examples import Examples, examples_of, has_examples
from ujsx.components._fragment import Fragment, fragment
from ujsx.components._frozen import FrozenMapping
from ujsx.components._function import component
from ujsx.components._hashable import unhashable_part
from ujsx.components._interpolations import Interpolation, interpolations_of
from ujsx.components._now import Now
from ujsx.components._reads import ReadInParts
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
