"""The pytest plugin. It is loaded in every project that has ujsx, so it imports nothing by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ujsx.testing._snapshots import TierSnapshots

pytest.register_assert_rewrite("ujsx.testing._snapshots")  # for syrupy's account of a difference


@pytest.fixture
def tier_snapshots(request: pytest.FixtureRequest) -> TierSnapshots:
    """Compare a node's rendering at each density with the snapshot of that density."""
    from ujsx.testing._snapshots import TierSnapshots

    try:
        snapshot: Any = request.getfixturevalue("snapshot")
    except pytest.FixtureLookupError:
        pytest.fail('tier_snapshots needs syrupy: pip install "ujsx[testing]"', pytrace=False)
    return TierSnapshots(snapshot, request.node.name)
