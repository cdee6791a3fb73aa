"""``read_settings``: a ``pyproject.toml`` of anybody's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hud_runtime import ProjectError
from hud_runtime.projects import ProjectSettings, project_of, read_settings
from hud_runtime.projects._settings import LONGEST

ASKS = '[tool.ujsx]\nlayout = "hud.md"\ndomain = "shop.domain:SHOP"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(ASKS)
    (tmp_path / "hud.md").write_text("<Hud/>")
    return tmp_path


class TestRead:
    def test_has_layout_and_domain(self, project: Path) -> None:
        found = read_settings(project)
        assert found == ProjectSettings(project, "hud.md", "shop.domain:SHOP")
        assert found.layout_path == project / "hud.md"
        assert str(found) == 'layout "hud.md", domain "shop.domain:SHOP"'

    @pytest.mark.parametrize(
        "text", ["", "[project]\nname = 'ujsx'\n", "[tool.ruff]\n# ujsx\n", "[tool.ujsx]\n"]
    )
    def test_of_a_file_that_asks_for_nothing_is_none(self, project: Path, text: str) -> None:
        (project / "pyproject.toml").write_text(text)
        assert read_settings(project) is None

    def test_of_a_folder_without_a_file_is_none(self, tmp_path: Path) -> None:
        assert read_settings(tmp_path) is None

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[tool.ujsx]\nlayuot = 'hud.md'", 'did you mean "layout"?'),
            ("[tool.ujsx]\nlayout = 3", "layout is a text, not 3"),
            ("[tool]\nujsx = 3", "tool.ujsx is a table, not 3"),
            ("[tool.ujsx", "cannot be read as TOML"),
            ("ujsx = " + "[" * 100_000, "cannot be read as TOML"),
            ("ujsx." + "a." * 40_000 + "b = 1", "has a line of more than 200 dots"),
            ("# ujsx" + " " * LONGEST, "is longer than"),
            *(
                (f"[tool.ujsx]\nlayout = '{path}'", "is no path below the folder")
                for path in (
                    "/etc/passwd",
                    "../hud.md",
                    "a/../../b",
                    "C:\\hud.md",
                    "\\\\a\\b",
                    " ",
                    "",
                )
            ),
        ],
        ids=range(14),
    )
    def test_of_what_cannot_be_used_is_refused(
        self, project: Path, text: str, message: str
    ) -> None:
        (project / "pyproject.toml").write_text(text)
        with pytest.raises(ProjectError) as caught:
            read_settings(project)
        assert message in caught.value.message

    def test_of_bytes_that_are_no_text_is_refused(self, project: Path) -> None:
        (project / "pyproject.toml").write_bytes(b"ujsx\xff")
        with pytest.raises(ProjectError, match="cannot be read as TOML"):
            read_settings(project)

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
    def test_does_not_wait_for_a_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pyproject.toml")
        assert read_settings(tmp_path) is None

    def test_does_not_read_a_device(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
        assert read_settings(tmp_path) is None

    @settings(suppress_health_check=[*HealthCheck])
    @given(
        data=st.binary(max_size=200)
        | st.text(alphabet='[]".=ujsxtol\n', max_size=80).map(str.encode)
    )
    def test_of_anything_is_settings_or_a_refusal(self, project: Path, data: bytes) -> None:
        (project / "pyproject.toml").write_bytes(b"# ujsx\n" + data)
        try:
            found = read_settings(project)
        except ProjectError:
            return
        assert found is None or isinstance(found, ProjectSettings)


class TestLayoutPath:
    def test_of_a_link_out_of_the_folder_is_refused(self, project: Path, tmp_path_factory) -> None:
        outside = tmp_path_factory.mktemp("outside") / "secret.md"
        outside.write_text("secret")
        (project / "hud.md").unlink()
        (project / "hud.md").symlink_to(outside)
        found = read_settings(project)
        assert found is not None
        with pytest.raises(ProjectError, match="leads out of the project's folder"):
            _ = found.layout_path

    def test_of_a_link_to_itself_is_refused(self, project: Path) -> None:
        (project / "hud.md").unlink()
        (project / "hud.md").symlink_to("hud.md")
        with pytest.raises(ProjectError, match="is not there"):
            _ = ProjectSettings(project, "hud.md").layout_path

    def test_of_a_folder_is_refused(self, project: Path) -> None:
        (project / "docs").mkdir()
        with pytest.raises(ProjectError, match="is no file"):
            _ = ProjectSettings(project, "docs").layout_path

    def test_of_a_link_within_the_folder_is_where_it_leads(self, project: Path) -> None:
        (project / "other.md").symlink_to("hud.md")
        assert ProjectSettings(project, "other.md").layout_path == project / "hud.md"


class TestProject:
    def test_is_the_nearest_folder_with_a_file(self, project: Path) -> None:
        deep = project / "a" / "b"
        deep.mkdir(parents=True)
        assert project_of(deep) == project

    def test_has_no_links_in_its_path(self, project: Path, tmp_path_factory) -> None:
        link = tmp_path_factory.mktemp("links") / "here"
        link.symlink_to(project)
        assert project_of(link) == project
        found = read_settings(link)
        assert found is not None
        assert found.folder == project


def test_digests_differ_with_any_value() -> None:
    digests = {
        ProjectSettings(Path("/a"), layout, domain).digest
        for layout in (None, "a", "b")
        for domain in (None, "a", "b")
    }
    assert len(digests) == 9
