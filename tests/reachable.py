"""What can be reached from an object: for tests of what is kept, and of what is forgotten."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

_PASSED_BY = (type, ModuleType, FunctionType, MethodType)
"""What leads to all of the program."""


def reachable(*roots: Any) -> Iterator[Any]:
    """Yield the objects that lead from one to the other, each once.

    >>> sorted(each for each in reachable(["a", {1: "b"}]) if isinstance(each, str))
    ['a', 'b']
    """
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        each = stack.pop()
        if id(each) in seen or isinstance(each, _PASSED_BY):
            continue
        seen.add(id(each))
        yield each
        stack += gc.get_referents(each)


def count_reachable(*roots: Any) -> int:
    """Return how many objects can be reached."""
    return sum(1 for _ in reachable(*roots))
