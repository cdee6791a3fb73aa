"""A user's project in a folder of its own, and runs of pytest in it."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import syrupy

ROOT = Path(__file__).parents[3]

DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]

PLUGIN: str = DECLARED["pytest11"]["ujsx"]
"""The module that pytest loads in every project that has the package."""

KIT = ("-p", "syrupy", "-p", PLUGIN)
"""The plugins that a project with ``ujsx[testing]`` has."""


_QUIET = ("-p", "no:cacheprovider")

_OUTER = ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI", "BUILD_NUMBER")
"""What tells a run of pytest that it is a part of another one, or that it prints for a CI server:
there its summary repeats each failure whole. The runs of a project are whole, and say things once."""


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

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pytest in this process, which takes a tenth of what a process of its own takes."""
        said = io.StringIO()
        with self._entered(), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = pytest.main([*_QUIET, "--capture=sys", *KIT, *arguments])
        return subprocess.CompletedProcess(arguments, status, said.getvalue(), "")

    def run_process(
        self, *arguments: str, plugins: tuple[str, ...] = KIT, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run pytest in a process of its own, with these plugins and no others."""
        return subprocess.run(
            [sys.executable, "-m", "pytest", *_QUIET, *plugins, *arguments],
            cwd=self.root,
            env={
                **{name: value for name, value in os.environ.items() if name not in _OUTER},
                "PYTHONPATH": str(ROOT),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                **environment,
            },
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    @contextlib.contextmanager
    def _entered(self) -> Iterator[None]:
        """In the project's folder, with what its runs leave behind in this process taken back."""
        modules, session = set(sys.modules), syrupy._syrupy
        gc.freeze()  # pytest collects garbage at its end, many times; not among what is here by now
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.root)
            patch.setattr(sys, "path", [*sys.path])
            patch.setattr(sys, "dont_write_bytecode", True)
            patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            for name in _OUTER:
                patch.delenv(name, raising=False)
            try:
                yield
            finally:
                syrupy._syrupy = session
                for name in set(sys.modules) - modules:
                    if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(
                        self.root
                    ):
                        del sys.modules[name]
