"""The building blocks of authors: components, elements, and the context of a rendering."""

from __future__ import annotations

from ujsx.components._component import PLAIN as PLAIN
from ujsx.components._component import Component as Component
from ujsx.components._component import Fragment as Fragment
from ujsx.components._component import as_element as as_element
from ujsx.components._component import examples_of as examples_of
from ujsx.components._component import has_examples as has_examples
from ujsx.components._context import Now as Now
from ujsx.components._context import ReadInParts
from ujsx.components._definition import DocumentedModel
from ujsx.components._definition import check_types as check_types
from ujsx.components._definition import described_like as described_like
from ujsx.components._definition import drop_class_variables as drop_class_variables
from ujsx.components._definition import fields_of as fields_of
from ujsx.components._definition import first_text as first_text
from ujsx.components._definition import hold_frozen as hold_frozen
from ujsx.components._definition import is_mentioned as is_mentioned
from ujsx.components._definition import members_of as members_of
from ujsx.components._definition import own_annotations as own_annotations
from ujsx.components._definition import plain_type as plain_type
from ujsx.components._definition import rendered as rendered
from ujsx.components._definition import unannotated as unannotated
from ujsx.components._definition import unhashable_part as unhashable_part
from ujsx.components._definition import with_lines as with_lines
from ujsx.components._definition import with_value as with_value
from ujsx.components._element import MAX_DEPTH as MAX_DEPTH
from ujsx.components._element import Displayable as Displayable
from ujsx.components._element import Node as Node
from ujsx.components._element import normalize_children as normalize_children
from ujsx.components._vocabulary import ComponentClass as ComponentClass
from ujsx.components._vocabulary import Interpolation as Interpolation
from ujsx.components._vocabulary import interpolations_of
from ujsx.on_demand import on_demand

__all__ = ["DocumentedModel", "ReadInParts", "interpolations_of"]

on_demand(globals())
