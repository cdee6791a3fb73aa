"""The bounds of what ujsx needs: one for each distribution, and the doctor knows the same."""

from __future__ import annotations

import tomllib
from importlib.metadata import version

import pytest

from hud_runtime.cli._doctor import Requirement, requirements
from tests.ids import looped
from tests.lowest import IGNORED, PYPROJECT, bounds

PROJECT = tomllib.loads(PYPROJECT.read_text("utf-8"))


class TestBounds:
    def test_are_the_same_wherever_a_distribution_is_named(self) -> None:
        known: dict[str, str] = {}
        for name, oldest in bounds():
            assert known.setdefault(name, oldest) == oldest, name

    def test_are_those_of_all_that_is_needed(self) -> None:
        needed = PROJECT["project"]["dependencies"]
        assert {f"{name}>={oldest}" for name, oldest in bounds()} >= set(needed)

    def test_are_tried_by_all_tests_but_those_of_folders_and_files_that_are_there(self) -> None:
        tests = PYPROJECT.parent / "tests/hud_runtime"
        assert all((tests / name).exists() for name in IGNORED)

    @looped("line", ["pydantic", "pydantic==2.12", "pydantic>=2.12,<3"])
    def test_are_lower_ones_and_no_others(self, line: str) -> None:
        project = {
            "project": {"dependencies": [line], "optional-dependencies": {}},
            "dependency-groups": {"test": []},
        }
        with pytest.raises(ValueError, match="NAME>=VERSION"):
            list(bounds(project))


class TestRequirements:
    def test_are_those_of_the_project(self) -> None:
        found = requirements()
        assert found is not None
        said = PROJECT["project"]
        declared = [
            *map(Requirement.parse, said["dependencies"]),
            *(
                Requirement.parse(f"{line}; extra == '{extra}'")
                for extra, lines in said["optional-dependencies"].items()
                for line in lines
            ),
        ]
        assert sorted(found, key=repr) == sorted(declared, key=repr)

    def test_are_met_by_what_the_tests_run_with(self) -> None:
        for each in requirements() or ():
            if each.extra is None:
                assert each.is_met_by(version(each.name)), each

    @looped(
        "line", ["", "pydantic<3", "pydantic>=2,<3", "a @ https://b", "mcp>=2; python_version>'3'"]
    )
    def test_that_say_more_than_ours_are_refused(self, line: str) -> None:
        with pytest.raises(ValueError, match="NAME>=VERSION"):
            Requirement.parse(line)

    @looped(
        ("found", "is_met"),
        [
            ("2.12", True),
            ("2.12.0", True),
            ("2.12.3", True),
            ("2.100", True),
            ("3.0a1", True),
            ("1!0.1", False),
            ("2.12+local", True),
            ("2.12.post1", True),
            ("2.11.99", False),
            ("2.9", False),
            ("2", False),
            ("2.12a1", False),
            ("2.12.0.dev3", False),
            ("2.12-rc.1", False),
            ("unknown", True),
        ],
    )
    def test_are_met_by_versions_that_are_as_new(self, found: str, is_met: bool) -> None:
        assert Requirement("x", "2.12").is_met_by(found) is is_met
