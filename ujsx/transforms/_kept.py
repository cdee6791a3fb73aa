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

    __slots__ = ("_before", "_deeper", "_deeper_before", "_now")

    def __init__(self, before: Kept | None = None) -> None:
        self._now: dict[Any, Any] = {}
        self._deeper: Kept | None = None
        self._before: dict[Any, Any] = {}
        self._deeper_before: Kept | None = None
        if before is not None:
            self._before, self._deeper_before = before._now, before._deeper  # noqa: SLF001

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

    def deeper(self) -> Kept:
        """Return what is kept for a section's content, where the same may become something else."""
        if self._deeper is None:
            self._deeper, self._deeper_before = Kept(self._deeper_before), None
        return self._deeper
