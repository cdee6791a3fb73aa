"""The pytest plugin. It is loaded in every project that has ujsx, so it imports nothing eagerly."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from ujsx.testing._snapshots import SchemaSnapshots, TierSnapshots

DESELECTED: pytest.StashKey[set[Path]] = pytest.StashKey()
"""The test files with deselected tests, as by ``-k`` or ``-m``."""


FIXTURE: pytest.StashKey[TierSnapshots] = pytest.StashKey()
"""The fixture of a test that has it."""

ATTRIBUTE = "tier_snapshots"
"""The attribute of a test's report with the fixture's findings, as data, which pytest-xdist sends with the report."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("ujsx").addoption(
        "--token-tolerance",
        metavar="N",
        type=_tolerance,
        help="fail where a section of tier_snapshots exceeds its tokens in tokens.json: by N tokens, or percent, as in 5%%",
    )


def _tolerance(text: str) -> str:
    from argparse import ArgumentTypeError

    from ujsx.testing._snapshots import Tolerance

    try:
        Tolerance.parse(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return text  # which pytest-xdist can send to its workers


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(TierReports(config), "ujsx-tier-reports")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    fixture = item.stash.get(FIXTURE, None)
    if fixture is not None and call.when == "call":
        found = fixture.data(call.excinfo and call.excinfo.value)
        if any(found.values()):
            setattr(report, ATTRIBUTE, found)
    return report


class TierReports:
    """The collector of the findings of tests with snapshots, in the reporting process, which prints them once."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._found: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, ATTRIBUTE):
            self._found.append(getattr(report, ATTRIBUTE))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        result = yield  # stale files are deleted by now
        has_written = any(each["written"] for each in self._found)
        if has_written and not hasattr(self._config, "workerinput"):
            from ujsx.testing._snapshots import write

            write(self._found, self._config.rootpath)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None, object, object]:
        """Report all differences once, in place of each test's own failure."""
        failed: list[Any] = terminalreporter.stats.get("failed", [])
        ours = [each for each in failed if getattr(each, ATTRIBUTE, {}).get("differences")]
        if self._config.option.tbstyle == "no":
            ours = []
        if ours:
            terminalreporter.stats["failed"] = [each for each in failed if each not in ours]
        try:
            result = yield
        finally:
            if ours:
                terminalreporter.stats["failed"] = failed
        if ours or any(each["written"] for each in self._found):
            from ujsx.testing._snapshots import summary

            for title, text in summary(self._found, [cast("str", each.nodeid) for each in ours]):
                terminalreporter.write_sep("=", title)
                terminalreporter.write_line(text)
        return result


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for item in items:
        item.config.stash.setdefault(DESELECTED, set()).add(item.path)


@pytest.fixture
def tier_snapshots(request: pytest.FixtureRequest) -> TierSnapshots:
    """Compare what a tree or a session shows at each tier with the snapshot of that tier."""
    from ujsx.testing._snapshots import TierSnapshots

    made = TierSnapshots(_syrupy(request), request.node, _claims(request))
    request.node.stash[FIXTURE] = made
    return made


@pytest.fixture
def schema_snapshots(request: pytest.FixtureRequest) -> SchemaSnapshots:
    """Compare the schemas of tools, in each dialect, and of stored events with their snapshots."""
    from ujsx.testing._snapshots import SchemaSnapshots

    return SchemaSnapshots(_syrupy(request), request.node, _claims(request))


CALLS = {
    "tier_snapshots": "write tier_snapshots(…) with a tree, a layout and state=, or a session",
    "schema_snapshots": "write schema_snapshots(…) with a model, a toolset or a session",
}
"""The fixtures that compare when called, with the call to write."""


@pytest.hookimpl(trylast=True)  # after the test itself, and only if it has passed
def pytest_runtest_call(item: pytest.Item) -> None:
    """Fail a passing test that has not called its fixture, as it compares nothing."""
    for name, call in CALLS.items():
        fixture = getattr(item, "funcargs", {}).get(name)
        if getattr(fixture, "is_called", True) is False and _takes(item, name):
            pytest.fail(
                f"the test takes {name} and does not call it, so no snapshot is compared; {call}, or take it out "
                "of the test's arguments",
                pytrace=False,
            )


def _takes(item: pytest.Item, name: str) -> bool:
    """Tell whether a test requests the fixture itself: otherwise one of its fixtures may call it."""
    function = getattr(item, "function", None)
    return function is not None and name in signature(function).parameters


def _syrupy(request: pytest.FixtureRequest) -> Any:
    """Return syrupy's fixture."""
    try:
        return request.getfixturevalue("snapshot")
    except pytest.FixtureLookupError:
        needs = f'{request.fixturename} needs syrupy: pip install "ujsx[testing]"'
        pytest.fail(needs, pytrace=False)


def _claims(request: pytest.FixtureRequest) -> Path | None:
    """Return a folder shared by all workers of pytest-xdist; ``None`` without workers."""
    if not hasattr(request.config, "workerinput"):
        return None
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    folder = factory.getbasetemp().parent / "ujsx-claims"  # each worker's own is in one for all
    folder.mkdir(exist_ok=True)
    return folder
