"""``Trust``: which folders' settings are trusted."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path

import pytest

from hud_runtime import ProjectError
from hud_runtime.projects import ProjectSettings, Trust, default_trust

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "ujsx" / "trust.json")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProjectSettings:
    """Those of a project with a layout, and with a domain that can be imported."""
    folder = tmp_path.resolve() / "shop"
    for name in ("hud.md", "other.md", "src/trusted_shop/__init__.py", "src/trusted_shop/hud.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("# it raises where it is run\n1 / 0\n")
    monkeypatch.syspath_prepend(folder / "src")
    return ProjectSettings(folder, "hud.md", "trusted_shop.hud:SHOP")


def changed_in(path: Path, how: str) -> None:
    """Let a file be another one, with the size and the time of the one before."""
    before = path.stat()
    if how == "gone":
        path.unlink()
        return
    path.write_bytes(
        path.read_bytes().swapcase() if how == "its bytes" else path.read_bytes() + b"x"
    )
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


class TestTrust:
    def test_holds_for_just_these_settings(self, trust: Trust, settings: ProjectSettings) -> None:
        assert not trust.holds(settings)
        trust.add(settings)
        assert trust.holds(settings)
        for other in (
            ProjectSettings(settings.folder, "other.md", settings.domain),
            ProjectSettings(settings.folder, "hud.md"),
            ProjectSettings(settings.folder, "hud.md", "a:B"),
            ProjectSettings(settings.folder / "src", "hud.md", settings.domain),
        ):
            assert not trust.holds(other)

    @pytest.mark.parametrize("how", ["its bytes", "its length", "gone"])
    @pytest.mark.parametrize(
        "name", ["hud.md", "src/trusted_shop/hud.py", "src/trusted_shop/__init__.py"]
    )
    def test_holds_for_the_files_that_they_name_as_they_were(
        self, trust: Trust, settings: ProjectSettings, name: str, how: str
    ) -> None:
        trust.add(settings)
        (settings.folder / "other.md").write_text("named by nobody")
        assert trust.holds(settings)
        changed_in(settings.folder / name, how)
        objection = trust.objection(settings)
        assert objection is not None
        assert f"{name} " in objection
        assert f"ujsx trust {settings.folder}" in objection
        trust.add(settings)
        assert trust.holds(settings) == (how != "gone" or name != "hud.md")

    def test_holds_no_more_where_another_file_is_found_first(
        self, trust: Trust, settings: ProjectSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trust.add(settings)
        shadow = settings.folder / "trusted_shop.py"
        shadow.write_text("SHOP = 1")
        monkeypatch.syspath_prepend(settings.folder)
        assert "trusted_shop.py" in (trust.objection(settings) or "")

    def test_holds_whatever_becomes_of_what_is_installed(
        self, trust: Trust, settings: ProjectSettings
    ) -> None:
        """A module outside the folder is the user's own: no pull of the project changes it."""
        elsewhere = ProjectSettings(settings.folder / "src", None, settings.domain)
        inner = ProjectSettings(settings.folder / "src" / "trusted_shop", None, settings.domain)
        docs = ProjectSettings(settings.folder.parent / "docs", None, settings.domain)
        for each in (elsewhere, inner, docs):
            trust.add(each)
        changed_in(settings.folder / "src" / "trusted_shop" / "hud.py", "its bytes")
        assert [trust.holds(each) for each in (elsewhere, inner, docs)] == [False, False, True]

    def test_holds_no_more_where_a_link_in_the_folder_leads_elsewhere(
        self, trust: Trust, settings: ProjectSettings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A link is as much of a project as a file; what it leads to need not be."""
        source, way = settings.folder / "src", settings.folder.parent / "way"
        way.symlink_to(settings.folder)
        for number, entry in enumerate((source, way / "src")):
            sys.path[0] = str(entry)
            source.rename(settings.folder.parent / f"old{number}")
            source.symlink_to(settings.folder.parent / f"old{number}")
            trust.add(settings)
            assert trust.holds(settings)
            evil = settings.folder.parent / f"evil{number}"
            shutil.copytree(source, evil)
            (evil / "trusted_shop" / "hud.py").write_text("SHOP = 1")
            source.unlink()
            source.symlink_to(evil)
            assert not trust.holds(settings)
            source.unlink()
            (settings.folder.parent / f"old{number}").rename(source)

    def test_of_a_layout_is_of_the_bytes_that_are_shown(
        self, trust: Trust, settings: ProjectSettings
    ) -> None:
        trust.add(settings)
        data = (settings.folder / "hud.md").read_bytes()
        assert trust.objection(settings, data) is None
        assert "hud.md" in (trust.objection(settings, data + b" ") or "")

    def test_of_an_older_version_is_of_no_files(
        self, trust: Trust, settings: ProjectSettings
    ) -> None:
        trust.add(settings)
        kept = json.loads(trust.path.read_text())
        del kept["folders"][str(settings.folder)]["files"]
        trust.path.write_text(json.dumps(kept))
        assert "hud.md" in (trust.objection(settings) or "")

    def test_is_replaced_and_taken_away(self, trust: Trust, settings: ProjectSettings) -> None:
        trust.add(settings)
        changed = ProjectSettings(settings.folder, "other.md")
        trust.add(changed)
        assert [each.settings for each in trust.folders()] == ['layout "other.md"']
        assert trust.remove(settings.folder)
        assert not trust.remove(settings.folder)
        assert trust.folders() == ()

    @posix
    def test_is_the_users_own_file(self, trust: Trust, settings: ProjectSettings) -> None:
        trust.path.parent.mkdir(mode=0o755)
        trust.add(settings)
        assert stat.S_IMODE(trust.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(trust.path.parent.stat().st_mode) == 0o700
        assert [each.name for each in trust.path.parent.iterdir()] == ["trust.json"]

    @posix
    def test_makes_folders_for_the_user_alone(
        self, tmp_path: Path, settings: ProjectSettings
    ) -> None:
        before = os.umask(0)
        try:
            Trust(tmp_path / "a" / "b" / "trust.json").add(settings)
        finally:
            os.umask(before)
        for folder in ("a", "a/b"):
            assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700

    @posix
    def test_that_others_may_write_is_none(self, trust: Trust, settings: ProjectSettings) -> None:
        trust.add(settings)
        trust.path.chmod(0o666)
        with pytest.raises(ProjectError, match="others may write"):
            trust.holds(settings)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{}",
            '{"folders": []}',
            '{"folders": {"a": 3}}',
            '{"folders": {"a": {"files": 3}}}',
            "[" * 99_999,
        ],
    )
    def test_that_is_damaged_is_none(
        self, trust: Trust, settings: ProjectSettings, text: str
    ) -> None:
        trust.path.parent.mkdir()
        trust.path.write_text(text)
        with pytest.raises(ProjectError, match="is damaged"):
            trust.holds(settings)

    def test_lies_where_the_environment_says(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setenv("UJSX_CONFIG", str(tmp_path))
        assert default_trust().path == tmp_path / "trust.json"
