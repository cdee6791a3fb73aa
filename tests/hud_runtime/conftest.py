"""What several tests of the runtime need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hud_runtime.store.statements import Statements, watched
from tests.hud_runtime.store.stores import fill
from tests.warm import python

ROOT = Path(__file__).parents[2]


@pytest.fixture
def transcripts() -> Path:
    """The folder of real transcripts, which are not part of the repository."""
    corpora = Path(os.environ.get("UJSX_CORPORA", ROOT.parent / "shared" / "data"))
    folder = corpora / "sessions"
    if not folder.is_dir():
        pytest.skip(f"no transcripts in {folder}: set UJSX_CORPORA to the folder of the corpora")
    return folder


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store with several sessions, of which a test takes a copy."""
    path = tmp_path_factory.mktemp("filled") / "hud.db"
    fill(path)
    return path


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """What is done around the statements of stores that are opened from now on."""
    return watched(monkeypatch)


@pytest.fixture(scope="module")
def warm_previews() -> Iterator[None]:
    """Have the processes of previews start warm."""
    from tests.hud_runtime.preview.inside import preview_by

    with pytest.MonkeyPatch.context() as patch:
        preview_by(patch, python())
        yield
