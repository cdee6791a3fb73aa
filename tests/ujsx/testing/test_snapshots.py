"""``tier_snapshots`` in a project of its own: writes, passes, fails, and is loaded for its users."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

TEST = """
from ujsx import Density, RenderContext
from ujsx.elements import Paragraph, Section
from ujsx import Component
from pathlib import Path

WORD = Path(__file__).parent.joinpath("word.txt").read_text()


class Badge(Component):
    label: str

    def render(self, ctx, children):
        return Section(title=self.label)[str(ctx.density), " ", str(ctx.get(int))]


def test_badge(tier_snapshots):
    tier_snapshots(Badge(label=WORD))


class TestNamed:
    def test_by_hand(self, tier_snapshots):
        tier_snapshots(Badge(label="b"), "by hand", context=RenderContext().having(7))
        tier_snapshots(Badge(label="c"), "one", densities=[Density.FULL])
"""

NAMES = """
import pytest
from ujsx.elements import Paragraph


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../a", "/a"])
def test_refused(tier_snapshots, name):
    with pytest.raises(ValueError, match="a snapshot's name is a plain file name"):
        tier_snapshots(Paragraph()["x"], name)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "tests" / "parts"
    folder.mkdir(parents=True)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_badge.py").write_text(TEST)
    (folder / "word.txt").write_text("new")
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    plugins = ("-p", "syrupy", "-p", "ujsx.testing._plugin", "-p", "no:cacheprovider")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *arguments],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


class TestTierSnapshots:
    def test_writes_passes_and_fails(self, project: Path) -> None:
        """One story, as each run of pytest costs a second."""
        missing = run(project)
        assert missing.returncode == 1, "a snapshot that is not there is a failure"

        written = run(project, "--snapshot-update")
        assert written.returncode == 0, written.stdout
        snapshots = project / "snapshots"
        assert {str(each.relative_to(snapshots)) for each in snapshots.rglob("*.md")} == {
            "tests/parts/test_badge/badge.minimal.md",
            "tests/parts/test_badge/badge.compact.md",
            "tests/parts/test_badge/badge.full.md",
            "tests/parts/test_badge/by hand.minimal.md",
            "tests/parts/test_badge/by hand.compact.md",
            "tests/parts/test_badge/by hand.full.md",
            "tests/parts/test_badge/one.full.md",
        }
        folder = snapshots / "tests" / "parts" / "test_badge"
        assert (folder / "badge.compact.md").read_text("utf-8") == "# new\n\ncompact None\n"
        assert (folder / "by hand.full.md").read_text("utf-8") == "# b\n\nfull 7\n"

        passed = run(project)
        assert passed.returncode == 0, passed.stdout
        assert "7 snapshots passed" in passed.stdout

        (project / "tests" / "parts" / "word.txt").write_text("changed")
        failed = run(project)
        assert failed.returncode == 1
        assert "# changed" in failed.stdout
        assert (folder / "badge.full.md").read_text("utf-8").startswith("# new")

    def test_refuses_names_that_are_no_file_names(self, project: Path) -> None:
        (project / "test_names.py").write_text(NAMES)
        done = run(project, "test_names.py")
        assert done.returncode == 0, done.stdout
        assert not (project / "snapshots").exists()


class TestPlugin:
    def test_is_declared_for_every_project_that_has_the_package(self) -> None:
        declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        assert declared["entry-points"]["pytest11"] == {"ujsx": "ujsx.testing._plugin"}

    def test_imports_nothing_by_itself(self) -> None:
        code = "import sys; import ujsx.testing._plugin; print(*sorted(sys.modules))"
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        loaded = set(done.stdout.split())
        assert "ujsx.testing._plugin" in loaded
        assert not loaded & {
            "syrupy",
            "hypothesis",
            "pydantic",
            "msgspec",
            "ujsx.testing._snapshots",
        }

    def test_says_what_to_install_where_syrupy_is_missing(self, project: Path) -> None:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-p",
                "ujsx.testing._plugin",
                "-p",
                "no:cacheprovider",
            ],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert 'tier_snapshots needs syrupy: pip install "ujsx[testing]"' in done.stdout
