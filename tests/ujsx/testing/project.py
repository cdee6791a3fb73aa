"""A user's project in a folder of its own, and runs of pytest in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

KIT = ("-p", "syrupy", "-p", "ujsx.testing._plugin")
"""The plugins that a project with ``ujsx[testing]`` has."""


class Project:
    """A folder with tests, and what pytest says about them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n", encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    @property
    def snapshots(self) -> set[str]:
        """The paths of all snapshots, within their folder."""
        folder = self.root / "snapshots"
        return {path.relative_to(folder).as_posix() for path in folder.rglob("*.md")}

    def run(
        self, *arguments: str, plugins: tuple[str, ...] = KIT
    ) -> subprocess.CompletedProcess[str]:
        """Run pytest with these plugins and no others, whatever is installed."""
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugins, *arguments],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
