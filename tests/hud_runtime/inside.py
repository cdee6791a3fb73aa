"""Parts of the packages to which nothing public leads: tests import them from here alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

import pytest

from hud_components.layout._parse import _texts_of as texts_of
from hud_runtime._breaker import LOCKED, SERVER, Breaker, Pauses
from hud_runtime.context.compaction._request import changed_lines, cuts, links
from hud_runtime.context.delivery._bill import Course
from hud_runtime.context.delivery._deliver import ReaderLedger
from hud_runtime.context.delivery._prices import Block, Spent, spent
from hud_runtime.context.pruning._output import is_error
from hud_runtime.history import _shown as shown
from hud_runtime.log.store import _rows, upcast
from hud_runtime.log.store._backup import copy_store
from hud_runtime.log.store._search import Query, SearchedEvent
from hud_runtime.preview import _preview
from hud_runtime.transcripts._source import open_source
from hud_runtime.transcripts._transcript import recognised, turn_words

with suppress(ImportError):  # without psycopg, the tests that use them are skipped
    from hud_runtime.log.postgres._connections import Connections, with_nulls, without_nulls

__all__ = [
    "LOCKED",
    "SERVER",
    "Block",
    "Breaker",
    "Connections",
    "Course",
    "Pauses",
    "Query",
    "ReaderLedger",
    "SearchedEvent",
    "Spent",
    "changed_lines",
    "copy_store",
    "cuts",
    "is_error",
    "lessen",
    "limit_of",
    "links",
    "open_source",
    "preview_by",
    "read_old_formats",
    "recognised",
    "shown",
    "spent",
    "texts_of",
    "turn_words",
    "with_nulls",
    "without_nulls",
]

LIMITS = {
    "IMPORTED": "hud_runtime.session._keeping.PAGE",
    "INDEXED": "hud_runtime.log.store._search.PAGE",
    "OWN_NUMBER": "hud_runtime.log.postgres._database.OWN_NUMBER",
    "RANKED": "hud_runtime.log.store._search.RANKED",
    "STEMS": "hud_runtime.context.pruning._output.STEMS",
    "TRIES": "hud_runtime.log._session_log.TRIES",
    "VOLUME_SIZE": "hud_runtime.log.store._files.VOLUME_SIZE",
}
"""Limits that are too large to be reached in a test, and tables that one changes."""


def lessen(patch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    """Make a limit smaller."""
    patch.setattr(LIMITS[name], value)


def limit_of(name: str) -> Any:
    """Return a limit as it is now."""
    module, _, attribute = LIMITS[name].rpartition(".")
    return getattr(import_module(module), attribute)


def read_old_formats(patch: pytest.MonkeyPatch, upcasts: Mapping[Any, Any], current: int) -> None:
    """Read stored events as a later version of the library will."""
    patch.setattr(_rows, "FORMAT", current)
    patch.setattr(_rows, "upcast", partial(upcast, upcasts=upcasts, current=current))


def preview_by(patch: pytest.MonkeyPatch, interpreter: Sequence[str]) -> None:
    """Start the processes of previews by another interpreter."""
    patch.setattr(_preview, "COMMAND", (*interpreter, *_preview.COMMAND[1:]))
