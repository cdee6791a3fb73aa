"""Parts of the packages to which nothing public leads: tests import them from here alone.

A breaker and a pool of connections have a clock of the test's, and a copy of a store is interrupted. The tests' own store
ranks as SQL does, a law reads what a reader is known to know, and files are read record by record.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from hud_runtime._breaker import Backoff, Breaker
from hud_runtime.cli._hud_file import FileKeeper, HudFile
from hud_runtime.cli._stored import OpenStore, writing
from hud_runtime.context.delivery._deliver import ReaderLedger
from hud_runtime.history import _shown as shown
from hud_runtime.log.store import _search as search
from hud_runtime.log.store._backup import copy_store
from hud_runtime.transcripts._source import open_source
from hud_runtime.transcripts._transcript import recognised

with suppress(ImportError):  # without psycopg, the tests that use it are skipped
    from hud_runtime.log.postgres._connections import Connections

__all__ = [
    "Backoff",
    "Breaker",
    "Connections",
    "FileKeeper",
    "HudFile",
    "OpenStore",
    "ReaderLedger",
    "copy_store",
    "lessen",
    "open_source",
    "recognised",
    "search",
    "shown",
    "writing",
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
