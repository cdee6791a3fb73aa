"""The pytest plugin. It is loaded in every project that has ujsx, so it imports nothing by itself."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
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


@pytest.hookimpl(trylast=True)  # behind the test itself, and only where that has passed
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fail a test that takes ``tier_snapshots``, passes, and has not called it: it compares nothing."""
    fixture = getattr(item, "funcargs", {}).get("tier_snapshots")
    if fixture is not None and getattr(fixture, "is_called", True) is False and _takes(item):
        from ujsx.testing._snapshots import CALL

        pytest.fail(
            f"the test takes tier_snapshots and does not call it, so no snapshot is compared; {CALL}, or take it out "
            "of the test's arguments",
            pytrace=False,
        )


def _takes(item: pytest.Item) -> bool:
    """Tell whether a test names the fixture itself: one of its fixtures may call it, or be called, in its place."""
    function = getattr(item, "function", None)
    return function is not None and "tier_snapshots" in signature(function).parameters


def _claims(request: pytest.FixtureRequest) -> Path | None:
    """A folder that all workers of pytest-xdist share; ``None`` without workers."""
    if not hasattr(request.config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    folder = factory.getbasetemp().parent / "ujsx-claims"  # each worker's own is in one for all
    folder.mkdir(exist_ok=True)
    return folder
