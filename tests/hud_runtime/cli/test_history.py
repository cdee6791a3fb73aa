"""``ujsx history``: what each action prints, as Markdown and as data, and what it refuses."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from hud_runtime import read_transcript
from hud_runtime.cli._completion import HISTORY
from tests.hud_runtime.history import databases as db_of

ARGUMENTS = {
    "summary": [], "sessions": [], "messages": ["last"], "message": ["msg_ses_login_000002"], "search": ["login"],
    "compactions": ["ses_login"], "context": ["ses_login"], "children": ["ses_login"],
    "compare": ["ses_login", "ses_docs"], "export": ["ses_login"],
}  # fmt: skip
"""What each action is about, of those that have a database."""


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "data" / "opencode"
    folder.mkdir(parents=True)
    return db_of.small(folder / "opencode.db")


@pytest.mark.parametrize("action", [*ARGUMENTS])
def test_i2_each_action_finds_the_database_by_itself(ujsx, database, action):
    found = ujsx("history", action, *ARGUMENTS[action])
    named = ujsx("history", action, *ARGUMENTS[action], "--database", database)
    assert found == named
    assert found.status == 0
    assert found.out


@pytest.mark.parametrize("action", [each for each in ARGUMENTS if each != "export"])
def test_what_is_data_is_json(ujsx, database, action):
    assert ujsx("history", action, *ARGUMENTS[action], "--json").data


def test_every_action_is_tried():
    assert {*ARGUMENTS, "plans"} == {*HISTORY.actions}


def test_i6_an_export_is_a_new_file_of_its_owners(ujsx, database, tmp_path):
    target = tmp_path / "login.json"
    assert "exported" in ujsx("history", "export", "ses_login", "--to", target).err
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert read_transcript(target).drafts
    assert ujsx("history", "export", "ses_login", "--to", target).status == 2
    store = tmp_path / "other.db"
    assert ujsx("session", "import", target, "--store", store).status == 0
    assert "Five attempts" not in ujsx("hud", "ses_login", "--store", store).out
    assert "Now limit wrong attempts." in ujsx("hud", "ses_login", "--store", store).out


def test_a_transcript_as_markdown_is_whole(ujsx, database):
    text = ujsx("history", "export", "ses_login", "--as", "markdown").out
    for each in ("Where is the middleware?", "1 failed: test\\_login", "Five attempts an hour."):
        assert each.replace("\\", "") in text.replace("\\", "")


def test_i4_a_summary_by_its_number(ujsx, database):
    assert ujsx("history", "compactions", "ses_login", "1", "--json").data["number"] == 1
    assert (
        "there is one compaction, counted from 1"
        in ujsx("history", "compactions", "ses_login", "2").refusal
    )


def test_i5_plans_of_the_current_folder(ujsx, database, tmp_path, monkeypatch):
    folder = tmp_path / "shop" / ".opencode" / "plans"
    folder.mkdir(parents=True)
    (folder / "1-plan.md").write_text("# Login\n\n``` \nnot closed\n")
    monkeypatch.chdir(tmp_path / "shop")
    assert "| `1-plan.md` | Login |" in ujsx("history", "plans").out
    assert "not closed" in ujsx("history", "plans", "1-plan.md").out
    assert 'did you mean "1-plan.md"?' in ujsx("history", "plans", "2-plan.md").refusal


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["messages", "nothing"], 'there is no session "nothing"'),
        (["message", "nothing"], 'there is no message "nothing"'),
        (["sessions", "--limit", "0"], "--limit is a number from 1 to 1,000, not 0"),
        (["sessions", "--limit", "5000"], "not 5,000"),
        (["sessions", "--after", "-1"], "--after is a number from 0 on"),
        (["search", "login", "--session", "nothing"], "there is no session"),
        (["search", *map(str, range(70))], "the query has 70 words"),
        (["export", "last", "--as", "html"], '"html" is not a form'),
        (["plans", "--project", "nowhere"], "nowhere is no folder"),
        (["summary", "--database", "nowhere.db"], 'there is no file "nowhere.db"'),
        (["sesions"], 'did you mean "sessions"?'),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(ujsx, database, arguments, said):
    assert said in ujsx("history", *arguments).refusal


def test_without_opencode_it_is_said(ujsx, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert "OpenCode has not been used here" in ujsx("history", "sessions").refusal


def test_a_title_does_not_steer_a_terminal(ujsx, database):
    from contextlib import closing
    from sqlite3 import connect

    with closing(connect(database)) as db:
        db.execute("UPDATE session SET title = ? WHERE id = 'ses_docs'", ("\x1b[2J| a | b |\n# x",))
        db.commit()
    text = ujsx("history", "sessions").out
    assert "\x1b" not in text
    assert len(text.splitlines()) == 4
    assert "\x1b" not in json.dumps(ujsx("history", "sessions", "--json").data[0])
