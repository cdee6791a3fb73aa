"""What tests reach inside the packages, since nothing public leads there: each place is named here alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import pytest

from hud_runtime._breaker import LOCKED, SERVER, Breaker, Pauses
from hud_runtime.log.store import _rows, upcast
from hud_runtime.log.store._search import Query, SearchedEvent
from hud_runtime.preview import _preview

__all__ = [
    "LOCKED",
    "SERVER",
    "Breaker",
    "Pauses",
    "Query",
    "SearchedEvent",
    "lessen",
    "limit_of",
    "preview_by",
    "read_old_formats",
]

LIMITS = {
    "PAGE": "hud_runtime.log.store._search",
    "RANKED": "hud_runtime.log.store._search",
    "VOLUME_SIZE": "hud_runtime.log.store._files",
}
"""Limits that are too large to be reached in a test, by their names."""


def lessen(patch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    """Make a limit smaller."""
    patch.setattr(import_module(LIMITS[name]), name, value)


def limit_of(name: str) -> Any:
    """Return a limit as it is now."""
    return getattr(import_module(LIMITS[name]), name)


def read_old_formats(patch: pytest.MonkeyPatch, upcasts: Mapping[Any, Any], current: int) -> None:
    """Read stored events as a later version of the library will."""
    patch.setattr(_rows, "FORMAT", current)
    patch.setattr(_rows, "upcast", partial(upcast, upcasts=upcasts, current=current))


def preview_by(patch: pytest.MonkeyPatch, interpreter: Sequence[str]) -> None:
    """Start the processes of previews by another interpreter."""
    patch.setattr(_preview, "COMMAND", (*interpreter, *_preview.COMMAND[1:]))
