"""What one rendering leaves for the next."""

from __future__ import annotations

from typing import Any


class Kept:
    """Results by key, for one turn: what the next rendering does not ask for is forgotten.

    >>> first = Kept()
    >>> first["a"], first["b"] = 1, 2
    >>> second = Kept(first)
    >>> second.get("a"), Kept(second).get("a"), Kept(second).get("b")
    (1, 1, None)
    """

    __slots__ = ("_before", "_now")

    def __init__(self, before: Kept | None = None) -> None:
        self._before: dict[Any, Any] = {} if before is None else before._now  # noqa: SLF001 - its own class
        self._now: dict[Any, Any] = {}

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
