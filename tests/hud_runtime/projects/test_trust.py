"""``Trust``: which folders' settings are trusted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hud_runtime import ProjectError
from hud_runtime.projects import ProjectSettings, Trust, default_trust

SETTINGS = ProjectSettings(Path("/srv/shop"), "hud.md")

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "ujsx" / "trust.json")


class TestTrust:
    def test_holds_for_just_these_settings(self, trust: Trust) -> None:
        assert not trust.holds(SETTINGS)
        trust.add(SETTINGS)
        assert trust.holds(SETTINGS)
        assert not trust.holds(ProjectSettings(SETTINGS.folder, "other.md"))
        assert not trust.holds(ProjectSettings(SETTINGS.folder, "hud.md", "a:B"))
        assert not trust.holds(ProjectSettings(Path("/srv/shop2"), "hud.md"))

    def test_is_replaced_and_taken_away(self, trust: Trust) -> None:
        trust.add(SETTINGS)
        changed = ProjectSettings(SETTINGS.folder, "other.md")
        trust.add(changed)
        assert [each.settings for each in trust.folders()] == ['layout "other.md"']
        assert trust.remove(SETTINGS.folder)
        assert not trust.remove(SETTINGS.folder)
        assert trust.folders() == ()

    @posix
    def test_is_the_users_own_file(self, trust: Trust) -> None:
        trust.path.parent.mkdir(mode=0o755)
        trust.add(SETTINGS)
        assert stat.S_IMODE(trust.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(trust.path.parent.stat().st_mode) == 0o700
        assert [each.name for each in trust.path.parent.iterdir()] == ["trust.json"]

    @posix
    def test_makes_folders_for_the_user_alone(self, tmp_path: Path) -> None:
        before = os.umask(0)
        try:
            Trust(tmp_path / "a" / "b" / "trust.json").add(SETTINGS)
        finally:
            os.umask(before)
        for folder in ("a", "a/b"):
            assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700

    @posix
    def test_that_others_may_write_is_none(self, trust: Trust) -> None:
        trust.add(SETTINGS)
        trust.path.chmod(0o666)
        with pytest.raises(ProjectError, match="others may write"):
            trust.holds(SETTINGS)

    @pytest.mark.parametrize(
        "text", ["", "[]", "{}", '{"folders": []}', '{"folders": {"a": 3}}', "[" * 99_999]
    )
    def test_that_is_damaged_is_none(self, trust: Trust, text: str) -> None:
        trust.path.parent.mkdir()
        trust.path.write_text(text)
        with pytest.raises(ProjectError, match="is damaged"):
            trust.holds(SETTINGS)

    def test_lies_where_the_environment_says(self, tmp_path: Path, monkeypatch) -> None:
        monkeypatch.setenv("UJSX_CONFIG", str(tmp_path))
        assert default_trust().path == tmp_path / "trust.json"
