"""What several tests of the runtime need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def transcripts() -> Path:
    """The folder of real transcripts, which are not part of the repository."""
    corpora = Path(os.environ.get("UJSX_CORPORA", ROOT.parent / "shared" / "data"))
    folder = corpora / "sessions"
    if not folder.is_dir():
        pytest.skip(f"no transcripts in {folder}: set UJSX_CORPORA to the folder of the corpora")
    return folder
