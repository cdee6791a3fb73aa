"""The plugin costs a project that does not use it nothing."""

from __future__ import annotations

from importlib import import_module

from tests.ujsx.testing.project import DECLARED, PLUGIN, Project

PLAIN = """
import sys


def test_plain():
    print("\\nMODULES", *sorted(sys.modules))
"""


def modules(project: Project, *plugins: str) -> set[str]:
    """What is loaded at the end of a run with these plugins."""
    done = project.run_process("-s", plugins=plugins)
    assert done.returncode == 0, done.stdout + done.stderr
    line = next(line for line in done.stdout.splitlines() if line.startswith("MODULES"))
    return set(line.split()[1:])


class TestPlugin:
    def test_is_declared_for_every_project_that_has_the_package(self) -> None:
        assert DECLARED["pytest11"] == {"ujsx": PLUGIN}
        assert vars(import_module(PLUGIN)).keys() >= {"tier_snapshots", "schema_snapshots"}

    def test_loads_nothing_but_itself_in_a_project_without_snapshots(
        self, project: Project
    ) -> None:
        project.write("tests/test_plain.py", PLAIN)
        with_it = modules(project, "-p", PLUGIN)
        assert with_it - modules(project) == {
            "ujsx",
            "ujsx.on_demand",
            "ujsx.testing",
            PLUGIN,
        }

    def test_says_what_to_install_where_syrupy_is_missing(self, project: Project) -> None:
        project.write("tests/test_x.py", "def test_x(tier_snapshots):\n    tier_snapshots('x')\n")
        done = project.run_process(plugins=("-p", PLUGIN))
        assert 'tier_snapshots needs syrupy: pip install "ujsx[testing]"' in done.stdout

    def test_says_that_a_test_outside_of_the_root_has_no_place(self, project: Project) -> None:
        project.write("tests/test_x.py", "def test_x(tier_snapshots):\n    tier_snapshots('x')\n")
        project.write("inner/pytest.ini", "[pytest]\n")
        done = project.run("-c", "inner/pytest.ini", "--rootdir", "inner", "tests/test_x.py")
        assert "is outside of pytest's root directory" in done.stdout
