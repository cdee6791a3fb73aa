"""A user's project, for tests that run pytest in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ujsx.testing.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
