"""The pytest plugin. It is loaded in every project that has ujsx, so it imports nothing by itself."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ujsx.testing._schema_snapshots import SchemaSnapshots
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

    return TierSnapshots(_syrupy(request), request.node, _claims(request))


@pytest.fixture
def schema_snapshots(request: pytest.FixtureRequest) -> SchemaSnapshots:
    """Compare the schemas of tools, in each dialect, and of stored events with their snapshots."""
    from ujsx.testing._schema_snapshots import SchemaSnapshots

    return SchemaSnapshots(_syrupy(request), request.node, _claims(request))


CALLS = {
    "tier_snapshots": "write tier_snapshots(…) with a tree, a layout and state=, or a session",
    "schema_snapshots": "write schema_snapshots(…) with a model, a toolset or a session",
}
"""The fixtures that compare when they are called, and how."""


@pytest.hookimpl(trylast=True)  # behind the test itself, and only where that has passed
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fail a test that takes one of the fixtures, passes, and has not called it: it compares nothing."""
    for name, call in CALLS.items():
        fixture = getattr(item, "funcargs", {}).get(name)
        if getattr(fixture, "is_called", True) is False and _takes(item, name):
            pytest.fail(
                f"the test takes {name} and does not call it, so no snapshot is compared; {call}, or take it out "
                "of the test's arguments",
                pytrace=False,
            )


def _takes(item: pytest.Item, name: str) -> bool:
    """Tell whether a test names the fixture itself: one of its fixtures may call it, or be called, in its place."""
    function = getattr(item, "function", None)
    return function is not None and name in signature(function).parameters


def _syrupy(request: pytest.FixtureRequest) -> Any:
    """The fixture of syrupy."""
    try:
        return request.getfixturevalue("snapshot")
    except pytest.FixtureLookupError:
        needs = f'{request.fixturename} needs syrupy: pip install "ujsx[testing]"'
        pytest.fail(needs, pytrace=False)


def _claims(request: pytest.FixtureRequest) -> Path | None:
    """A folder that all workers of pytest-xdist share; ``None`` without workers."""
    if not hasattr(request.config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    folder = factory.getbasetemp().parent / "ujsx-claims"  # each worker's own is in one for all
    folder.mkdir(exist_ok=True)
    return folder
