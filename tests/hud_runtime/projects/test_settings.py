"""What a ``pyproject.toml`` of anybody's says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_runtime import ProjectError
from hud_runtime.projects import LONGEST, project_of, read_format

ASKS = "[tool.ujsx.format]\nwrap = 80\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(ASKS)
    return tmp_path


class TestRead:
    def test_is_the_table_of_the_format(self, project: Path) -> None:
        assert read_format(project) == {"wrap": 80}

    @pytest.mark.parametrize(
        "text", ["", "[project]\nname = 'ujsx'\n", "[tool.ruff]\n# ujsx\n", "[tool.ujsx]\n"]
    )
    def test_of_a_file_that_asks_for_nothing_is_none(self, project: Path, text: str) -> None:
        (project / "pyproject.toml").write_text(text)
        assert read_format(project) == {}

    def test_of_a_folder_without_a_file_is_none(self, tmp_path: Path) -> None:
        assert read_format(tmp_path) == {}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[tool]\nujsx = 3", "tool.ujsx is a table, not 3"),
            ("[tool.ujsx", "cannot be read as TOML"),
            ("ujsx = " + "[" * 100_000, "cannot be read as TOML"),
            ("ujsx." + "a." * 40_000 + "b = 1", "has a line of more than 200 dots"),
            ("# ujsx" + " " * LONGEST, "is longer than"),
        ],
        ids=range(5),
    )
    def test_of_what_cannot_be_used_is_refused(
        self, project: Path, text: str, message: str
    ) -> None:
        (project / "pyproject.toml").write_text(text)
        with pytest.raises(ProjectError) as caught:
            read_format(project)
        assert message in caught.value.message

    def test_of_bytes_that_are_no_text_is_refused(self, project: Path) -> None:
        (project / "pyproject.toml").write_bytes(b"ujsx\xff")
        with pytest.raises(ProjectError, match="cannot be read as TOML"):
            read_format(project)

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
    def test_does_not_wait_for_a_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pyproject.toml")
        assert read_format(tmp_path) == {}

    def test_does_not_read_a_device(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
        assert read_format(tmp_path) == {}

    @settings(suppress_health_check=[*HealthCheck])
    @given(
        data=st.binary(max_size=200)
        | st.text(alphabet='[]".=ujsxtol\n', max_size=80).map(str.encode)
    )
    def test_of_anything_is_settings_or_a_refusal(self, project: Path, data: bytes) -> None:
        (project / "pyproject.toml").write_bytes(b"# ujsx\n" + data)
        try:
            found = read_format(project)
        except ProjectError:
            return
        assert all(isinstance(each, str) for each in found)


class TestProject:
    def test_is_the_nearest_folder_with_a_file(self, project: Path) -> None:
        deep = project / "a" / "b"
        deep.mkdir(parents=True)
        assert project_of(deep) == project

    def test_has_no_links_in_its_path(self, project: Path, tmp_path_factory) -> None:
        link = tmp_path_factory.mktemp("links") / "here"
        link.symlink_to(project)
        assert project_of(link) == project
        assert read_format(link) == {"wrap": 80}
