"""What a piece's blocks and lists were written as, for the next rendering."""

from __future__ import annotations

from typing import Any


class Memory:
    """Results by key, for one turn: what the next one does not ask for is forgotten.

    >>> first = Memory()
    >>> first["a"], first["b"] = 1, 2
    >>> second = Memory(first)
    >>> second.get("a"), Memory(second).get("a"), Memory(second).get("b")
    (1, 1, None)
    """

    __slots__ = ("_before", "_now")

    def __init__(self, before: Memory | None = None) -> None:
        self._now: dict[Any, Any] = {}
        self._before: dict[Any, Any] = {} if before is None else before._now  # noqa: SLF001

    def __setitem__(self, key: Any, result: Any) -> None:
        self._now[key] = result

    def get(self, key: Any) -> Any:
        """Return what is known, and keep it on; ``None`` where nothing is."""
        result = self._now.get(key)
        if result is None:
            result = self._before.get(key)
            if result is not None:
                self._now[key] = result
        return result
