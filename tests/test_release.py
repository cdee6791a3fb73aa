"""What a release must have, and what it must not: looked at without building one, which ``make release`` does."""

from __future__ import annotations

from tests.ids import looped
from tests.release import NEEDED, faults_of_sources, faults_of_wheel

WELL = [*NEEDED, "ujsx/__init__.py", "ujsx/testing/_plugin.py"]
TRACKED = ["LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "Makefile", "tests/a.py"]
SOURCES = [f"ujsx-1/{name}" for name in [*TRACKED, "PKG-INFO"]]


class TestAWheel:
    def test_is_well(self) -> None:
        assert faults_of_wheel(WELL) == []

    @looped("name", NEEDED)
    def test_lacks_something(self, name: str) -> None:
        assert faults_of_wheel([each for each in WELL if each != name]) == [
            f"the wheel has no {name}"
        ]

    @looped(
        "name",
        [
            "ujsx/tests/test_x.py",
            "ujsx/__pycache__/x.pyc",
            "hud_runtime/hud.db",
            "hud_runtime/hud.db-wal",
            "ujsx/snapshots/a.md",
        ],
    )
    def test_has_something_that_is_not_for_users(self, name: str) -> None:
        assert set(faults_of_wheel([*WELL, name])) == {f"the wheel has {name}"}

    def test_has_something_beside_the_packages(self) -> None:
        assert faults_of_wheel([*WELL, "docs/x.md"]) == ["the wheel has docs/x.md"]


class TestSources:
    def test_are_well(self) -> None:
        assert faults_of_sources(SOURCES, TRACKED) == []

    def test_lack_something(self) -> None:
        assert faults_of_sources(SOURCES[1:], TRACKED) == ["the sources have no LICENSE"]

    def test_have_something_of_this_machine(self) -> None:
        (fault,) = faults_of_sources([*SOURCES, "ujsx-1/docs/private.txt"], TRACKED)
        assert fault == "the sources have docs/private.txt, which is not in version control"
