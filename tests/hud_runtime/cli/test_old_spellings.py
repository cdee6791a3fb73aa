"""Old spellings of commands go on working, and do the same as the new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from hud_runtime.cli._commands import OLD_SPELLINGS
from tests.hud_runtime.history import databases as db_of

BEHIND: dict[str, str] = {
    "replay": "DEMO --turn 3",
    "watch": "hud.md --once",
    "layout check": "hud.md --json",
    "prune": "log.txt --mode hyper",
    "instructions": "",
    "completion": "bash",
    "snapshots diff": "HEAD nothing",
    "session context": "shop --store hud.db",
    "session compactions": "shop --store hud.db --json",
    "session summaries": "shop 3 --store hud.db",
    "session outputs": "shop --store hud.db",
    "store checkpoint": "--store hud.db --json",
    "store expire": "--older-than 36h --dry-run --store hud.db",
    "history summary": "",
    "history sessions": "--limit 1",
    "history children": "ses_login --json",
    "history plans": "--project .",
    "history messages": "last",
    "history message": "msg_ses_login_000002",
    "history compactions": "ses_login 1",
    "history context": "ses_login",
    "history compare": "ses_login ses_docs",
    "history export": "ses_login --as markdown",
}
"""What stands behind each old spelling when it is tried; it is the same behind the new one."""

REFUSED = {"session summaries", "snapshots diff"}
"""Those that are tried with what is not there."""


@pytest.fixture
def folder(tmp_path, store, demo, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "data" / "opencode").mkdir(parents=True)
    db_of.small(tmp_path / "data" / "opencode" / "opencode.db")
    (tmp_path / "hud.md").write_text("<Hud>\n  <TaskSection/>\n</Hud>\n")
    (tmp_path / "log.txt").write_text("FAILED test_login\n" * 400)
    return tmp_path


def test_each_is_tried():
    assert OLD_SPELLINGS.keys() == BEHIND.keys()


@pytest.mark.parametrize("old", OLD_SPELLINGS)
def test_an_old_spelling_does_the_same_as_the_new_one(ujsx, folder, demo, old):
    behind = [str(demo) if each == "DEMO" else each for each in BEHIND[old].split()]
    then = ujsx(*old.split(), *behind)
    now = ujsx(*OLD_SPELLINGS[old].split(), *behind)
    assert (then.status, then.out) == (now.status, now.out)
    assert then.err.partition(":")[2] == now.err.partition(":")[2]
    assert (then.status == 2) == (old in REFUSED), then.err
    assert then.out or then.err


class TestPartsThatDoNotGoTogether:
    """One of many things that a command does: what belongs to another is refused, and not passed over."""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (
                "session show shop --context --outputs",
                "--context and --outputs cannot be used together",
            ),
            ("session show shop 3 --context", '"3" is one argument too many'),
            ("history show last --to x.json", "it also needs argument --whole"),
            ("history show last 1", '"1" is one argument too many'),
            ("history show --compare last", "--compare needs two sessions"),
            ("history list --children", "--children needs a session"),
            ("history list last", '"last" is one argument too many'),
            ("store sweep --older-than 36h", "it also needs argument --sessions"),
            ("store sweep --sessions", "--sessions needs --older-than AGE"),
            ("preview hud.md --once", "it also needs argument --terminal"),
            ("preview hud.md --terminal --open", "not allowed with argument --terminal"),
            ("explain hud.md --mode hyper", "it also needs argument --pruned"),
            ("explain --pruned", "--pruned needs a text"),
            ("hud --transcript chat.jsonl --store hud.db", "a transcript is in no store"),
            ("install", "required: HOST"),
            ("render hud.md --check --findings", "not allowed with argument --check"),
        ],
    )
    def test_are_refused(self, ujsx, folder, arguments, said):
        assert said in ujsx(*arguments.split()).refusal
