"""Where the specifications' examples lie."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder that ``$UJSX_CORPORA`` names, or the one beside the repository."""
    repository = Path(__file__).parents[4]
    folder = Path(os.environ.get("UJSX_CORPORA", repository.parent / "shared" / "data"))
    if not (folder / "markdown").is_dir():
        pytest.skip(f"the specifications' examples are not at {folder}; set UJSX_CORPORA")
    return folder
