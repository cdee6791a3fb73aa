"""``ujsx snapshots diff``: what changed since a revision, each change once."""

from __future__ import annotations

import json
import subprocess

import pytest

HUD = "# HUD\n\n## {title}\n\n- Port 8080\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A repository with snapshots of four cases, committed."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "Notes", 9)
    for call in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        own = [
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.invalid",
            "-c",
            "commit.gpgsign=false",
        ]
        subprocess.run(["git", *own, *call], cwd=tmp_path, check=True)
    return tmp_path


def write(root, title, tokens):
    place = root / "snapshots" / "tests" / "test_hud"
    place.mkdir(parents=True, exist_ok=True)
    figures = {}
    for case in ("a", "b", "ü", 'q"q'):
        figures[case] = {"full": {"NotesSection": tokens, "total": tokens + 3}}
        (place / f"{case}.full.md").write_text(HUD.format(title=title), "utf-8")
    (place / "tokens.json").write_text(json.dumps(figures), "utf-8")


def test_equal_changes_are_shown_once_with_their_section_and_tokens(ujsx, folder):
    assert (
        "no snapshot in snapshots differs from those of HEAD"
        in ujsx("snapshots", "diff", "HEAD").err
    )
    write(folder, "Remarks", 11)
    (folder / "snapshots/tests/test_hud/new.compact.md").write_text("# New\n")
    (folder / "snapshots/tests/test_hud/b.full.md").unlink()
    (folder / "snapshots/tests/test_hud/notes.md").write_text("somebody's")
    shown = ujsx("snapshots", "diff", "HEAD").out
    assert "Remarks: 3 snapshots of 3 cases (full), such as tests/test_hud/a.full.md" in shown
    assert shown.count("- ## Notes") == 2, "once changed, and once gone with its snapshot"
    assert shown.count("+ ## Remarks") == 1
    assert "New: tests/test_hud/new.compact.md\n  + # New\n" in shown
    assert "| NotesSection | full | 4 | 36 → 44 |" in shown
    assert "accepts it" not in shown
    assert "somebody's" not in shown
    part = ujsx("snapshots", "diff", "HEAD", "snapshots/tests").out
    assert "such as test_hud/a.full.md" in part


def test_what_is_no_revision_is_refused(ujsx, folder):
    for revision in ("nothing", "HEAD:snapshots", "HEAD --", "HEAD~7"):
        refusal = ujsx("snapshots", "diff", revision).refusal
        assert f'Git has no revision "{revision}" where snapshots is' in refusal
