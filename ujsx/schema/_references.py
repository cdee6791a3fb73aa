"""References: as they stand, or written out; and what cannot be joined with the rest of its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.schema._loss import why_no_recursion
from ujsx.schema._node import phrase
from ujsx.schema._refs import is_plain, target
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def reference(conversion: Conversion, node: Node) -> None:
    """A reference stays where the dialect has them, and gives way to what it leads to elsewhere."""
    ref = node.rest.pop("$ref")
    found = target(conversion.root, ref)
    if found is None:
        conversion.lose(node.pointer, "$ref", ref, "refused", "it leads nowhere in this schema")
    elif ref in conversion.recursive or ref in conversion.inlined:
        conversion.lose(node.pointer, "$ref", ref, "refused", why_no_recursion(conversion.dialect))
    elif conversion.dialect.verdict("$ref") is Verdict.KEEP and is_plain(ref):
        conversion.refer(ref)
        node.said["$ref"] = ref
        return
    else:
        conversion.inlined.append(ref)
        node.take_over(conversion.node(found, ref.removeprefix("#")))
        conversion.inlined.pop()
        return
    node.said["$ref"] = ref  # refused: what is said no longer matters


def in_words(conversion: Conversion, node: Node) -> None:
    """Words for a keyword that cannot be joined with the rest of its place."""
    why = "it holds beside another of its kind, which cannot be said as one"
    for place, each in enumerate(node.rest.pop("allOf")):
        for keyword, value in each.items():
            node.notes.append(phrase(keyword, value))
            conversion.lose(f"{node.pointer}/allOf/{place}", keyword, value, "described", why)
