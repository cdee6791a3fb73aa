"""What all tests share: how long properties run, and where corpora lie."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

collect_ignore = ["benchmarks", "typing/good.py", "typing/wrong.py"]

EXAMPLES = 10
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


def pytest_collection_finish() -> None:
    """Set what collecting has made apart from what the collector looks through.

    It stays until the end; walking it costs a fifth of a second for each ``gc.collect()``, and tests
    of what is freed, and runs of pytest within a test, call that several times.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of documents and sessions that are not part of the repository."""
    folder = Path(os.environ.get("UJSX_CORPORA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"there are no corpora: {folder} is missing; name their folder in UJSX_CORPORA")
    return folder
