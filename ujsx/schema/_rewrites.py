"""Keywords that a dialect says in other words.

Each step takes its keyword from what is still to be said, and says it; what it cannot say it leaves
to the table of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ujsx.schema._bounds import bound
from ujsx.schema._listed import listed
from ujsx.schema._references import all_of, reference
from ujsx.schema._tuples import in_order
from ujsx.schema._unions import types, union

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node

Step: TypeAlias = "Callable[[Conversion, Node], None]"

STEPS: dict[str, Step] = {
    "$ref": reference,
    "allOf": all_of,
    "oneOf": union,
    "anyOf": union,
    "type": types,
    "const": listed,
    "enum": listed,
    "prefixItems": in_order,
    "exclusiveMinimum": bound("exclusiveMinimum", "minimum", 1),
    "exclusiveMaximum": bound("exclusiveMaximum", "maximum", -1),
}
"""The steps by the keyword that they take, in their order."""
