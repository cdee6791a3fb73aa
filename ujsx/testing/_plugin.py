"""The pytest plugin. It is loaded in every project that has ujsx, so it imports nothing by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ujsx.testing._snapshots import TierSnapshots

DESELECTED: pytest.StashKey[set[Path]] = pytest.StashKey()
"""The test files of which something was left out on request, as by ``-k`` or ``-m``."""


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.config.stash.setdefault(DESELECTED, set()).add(item.path)


@pytest.fixture
def tier_snapshots(request: pytest.FixtureRequest) -> TierSnapshots:
    """Compare what a tree or a session shows at each tier with the snapshot of that tier."""
    from ujsx.testing._snapshots import TierSnapshots

    try:
        snapshot: Any = request.getfixturevalue("snapshot")
    except pytest.FixtureLookupError:
        pytest.fail('tier_snapshots needs syrupy: pip install "ujsx[testing]"', pytrace=False)
    return TierSnapshots(snapshot, request.node, _claims(request))


def _claims(request: pytest.FixtureRequest) -> Path | None:
    """A folder that all workers of pytest-xdist share; ``None`` without workers."""
    if not hasattr(request.config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    folder = factory.getbasetemp().parent / "ujsx-claims"  # each worker's own is in one for all
    folder.mkdir(exist_ok=True)
    return folder
