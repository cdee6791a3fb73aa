"""What all tests share: how long properties run, and where corpora lie."""

from __future__ import annotations

import gc
import os
import re
import tomllib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

collect_ignore = ["benchmarks", "typing/good.py", "typing/wrong.py"]

EXAMPLES = 5
"""How many examples a property is tried on in the ordinary run."""

FURTHER = int(os.environ.get("UJSX_EXAMPLES", "20"))
"""How many in ``make laws``, which runs the properties alone."""

# Both look at the same examples each time; the long one at others, and at more.
settings.register_profile("default", deadline=None, max_examples=EXAMPLES, derandomize=True)
settings.register_profile("further", deadline=None, max_examples=FURTHER, derandomize=True)
settings.register_profile(
    "long", deadline=None, max_examples=1_000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


COLLECTED_AFTER = (50_000, 20, 20)
"""Python's thresholds for its garbage collector, larger than its own: a test makes many objects, and
nearly none that refers to itself. Tests of what is freed collect by themselves."""

gc.set_threshold(*COLLECTED_AFTER)


NAMED = {"browser": "make browser", "typing": "make types"}
"""Folders that are looked into where they are named, and the targets that name them."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave tests that have a target of their own to it."""
    name = collection_path.name
    if collection_path.parent != ROOT / "tests" or name not in NAMED:
        return None
    return None if any(name in argument for argument in config.args) else True


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for examples where there are some, outside of the files of tests: finding none takes as long."""
    found = yield
    if file_path.name.startswith("test_") or b">>>" not in file_path.read_bytes():
        return [each for each in found if not isinstance(each, DoctestModule)]
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import the files of tests, in each worker from another one on.

    In a new clone each file is compiled and its assertions are rewritten; so each worker does that for its
    share, and reads what the others have written. What an import raises, collecting reports.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
    if not worker or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    names = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / "tests").rglob("test_*.py")
        if not {*path.parts} & NAMED.keys()
    )
    first = len(names) * int(worker) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for name in names[first:] + names[:first]:
        with suppress(Exception, pytest.skip.Exception):
            import_module(name)


LONG: dict[str, list[str]] = tomllib.loads((ROOT / "tests" / "long.toml").read_text("utf-8"))
"""Tests that take long, by their mark; ``make laws`` runs them, not ``make test``."""

LIMIT = 0.5
"""The seconds of processor time above which a test should be in the list."""

BEGAN = pytest.StashKey[float]()


def processor_time() -> float:
    """Return the seconds that this process has worked, and those that it started and waited for."""
    return sum(os.times()[:4])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in the list."""
    marks = {name: mark for mark, names in LONG.items() for name in names}
    for item in items:
        parts = item.nodeid.partition("[")[0].split("::")
        names = {"::".join(parts[:count]) for count in range(1, len(parts) + 1)}
        for name in {item.nodeid, *names} & marks.keys():
            item.add_marker(marks[name])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[BEGAN] = processor_time()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Note the processor time of a test that should be in the list."""
    if call.when == "teardown" and not any(mark.name in LONG for mark in item.iter_markers()):
        took = processor_time() - item.stash.get(BEGAN, processor_time())
        if took > LIMIT:
            item.user_properties.append(("processor time", took))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name what took too long for ``make test``; a busy machine may have been the reason."""
    if not terminalreporter.config.option.markexpr.startswith("not (laws"):
        return
    for report in terminalreporter.stats.get("", ()):
        for name, took in report.user_properties:
            if name == "processor time":
                terminalreporter.write_line(f"{report.nodeid} took {took:.1f} s; tests/long.toml?")


if not hasattr(pytest, "Subtests"):  # before pytest 9 the first case that fails ends its test

    class _InTurn:
        @contextmanager
        def test(self, msg: str | None = None, **_: object) -> Iterator[None]:
            yield

    @pytest.fixture
    def subtests() -> _InTurn:
        return _InTurn()


def pytest_collection_finish() -> None:
    """Set what collecting has made apart from what the collector looks through.

    It stays until the end; walking it costs a fifth of a second for each ``gc.collect()``, and tests
    of what is freed, and runs of pytest within a test, call that several times.
    """
    gc.collect()
    gc.freeze()


NUMBERS = count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own. For the next number pytest looks through all folders that are there."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{name}{next(NUMBERS)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of documents and sessions that are not part of the repository."""
    folder = Path(os.environ.get("UJSX_CORPORA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there are no corpora: {folder} is missing; name their folder in UJSX_CORPORA")
    return folder
