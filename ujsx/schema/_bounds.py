"""Exclusive bounds of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def bound(keyword: str, inclusive: str, step: int) -> Callable[[Conversion, Node], None]:
    """Return the step that makes an exclusive bound of integers an inclusive one.

    :param keyword: the exclusive bound.
    :param inclusive: the keyword that includes its value.
    :param step: from the one to the other: 1 upwards, -1 downwards.
    """

    def say(conversion: Conversion, node: Node) -> None:
        value = node.rest[keyword]
        if conversion.dialect.verdict(keyword) is not Verdict.REWRITE:
            return
        del node.rest[keyword]
        if node.said.get("type") == "integer" and isinstance(value, int):
            both = (value + step, node.rest.get(inclusive, value + step))
            node.rest[inclusive] = max(both) if step > 0 else min(both)
            conversion.lose(node.pointer, keyword, value, "kept", f"written as {inclusive}")
        else:
            conversion.note(node, keyword, value)

    return say
