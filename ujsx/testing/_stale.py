"""The snapshots that no test asks for any more.

A snapshot is stale if its test file is gone, or if each of the file's tests that have snapshots ran
to its end and passed, and none asked for it. A file of which a test was skipped, failed or left out
is not judged: what it would have asked for is not known, and ``--snapshot-update`` deletes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ujsx.testing._plugin import DESELECTED

FIXTURES = frozenset({"schema_snapshots", "tier_snapshots", "snapshot"})
"""What a test asks for that has snapshots: ours, and syrupy's, to which it may give our files."""

_PASSED: pytest.StashKey[set[str]] = pytest.StashKey()


class PassedTests:
    """Notes the tests that pass, from the first one with snapshots on. A plugin of pytest."""

    def __init__(self, passed: set[str]) -> None:
        self._passed = passed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.outcome == "passed":
            self._passed.add(report.nodeid)


def watch(config: pytest.Config) -> None:
    """Note from now on which tests pass."""
    if _PASSED not in config.stash:
        config.stash[_PASSED] = set()
        config.pluginmanager.register(PassedTests(config.stash[_PASSED]))


def is_judged(test_file: Path, session: pytest.Session) -> bool:
    """Tell whether all snapshots of a test file would have been asked for by now."""
    folder = test_file.parent
    if not folder.is_dir() or all(each.stem != test_file.stem for each in folder.iterdir()):
        return True
    config = session.config
    tests = [item for item in session.items if item.path == test_file]
    is_part = (
        not tests
        or test_file in config.stash.get(DESELECTED, set[Path]())
        or any("::" in argument for argument in config.args)
        or config.getoption("last_failed", default=False)
    )
    passed = config.stash.get(_PASSED, set[str]())
    return not is_part and all(
        item.nodeid in passed
        for item in tests
        if not FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    )
