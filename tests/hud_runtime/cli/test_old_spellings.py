"""Old spellings and other names of commands work, and do the same as the new ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.hud_runtime.history import databases as db_of
from tests.ids import looped

TRIED: dict[str, tuple[str, str]] = {
    "replay": ("hud --transcript", "DEMO --turn 3"),
    "watch": ("preview --terminal", "hud.md --once"),
    "layout check": ("render --findings", "hud.md --json"),
    "prune": ("explain --pruned", "log.txt --mode hyper"),
    "instructions": ("install --print-instructions", ""),
    "completion": ("--completion", "bash"),
    "snapshots diff": ("snapshots", "HEAD nothing"),
    "session context": ("session show --context", "shop --store hud.db"),
    "session compactions": ("session show --compactions", "shop --store hud.db --json"),
    "session summaries": ("session show --summaries", "shop 3 --store hud.db"),
    "session outputs": ("session show --outputs", "shop --store hud.db"),
    "store checkpoint": ("store sweep --checkpoint", "--store hud.db --json"),
    "store expire": ("store sweep --sessions", "--older-than 36h --dry-run --store hud.db"),
    "history summary": ("history list --counts", ""),
    "history sessions": ("history list", "--limit 1"),
    "history children": ("history list --children", "ses_login --json"),
    "history plans": ("history list --plans", "--project ."),
    "history messages": ("history show", "last"),
    "history message": ("history show --message", "msg_ses_login_000002"),
    "history compactions": ("history show --compactions", "ses_login 1"),
    "history context": ("history show --context", "ses_login"),
    "history compare": ("history show --compare", "ses_login ses_docs"),
    "history export": ("history show --whole", "ses_login --as markdown"),
}
"""The new spelling of each old one, and what stands behind both when they are tried."""

OTHER_NAMES = {
    "session list": "sessions ls list",
    "session search": "search find grep",
    "session tail": "tail log events",
    "session export": "export dump",
    "session import": "import load",
    "schema": "tool tools",
    "snapshots": "diff",
}
"""Names that other programs have for a command."""

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


@pytest.mark.parametrize("old", TRIED)
def test_an_old_spelling_does_the_same_as_the_new_one(ujsx, folder, demo, old):
    new, more = TRIED[old]
    behind = [str(demo) if each == "DEMO" else each for each in more.split()]
    then = ujsx(*old.split(), *behind)
    now = ujsx(*new.split(), *behind)
    assert (then.status, then.out) == (now.status, now.out)
    assert then.err.partition(":")[2] == now.err.partition(":")[2]
    assert (then.status == 2) == (old in REFUSED), then.err
    assert then.out or then.err


def test_every_old_spelling_of_the_page_is_tried() -> None:
    page = (ROOT / "docs" / "look-up" / "command.md").read_text("utf-8")
    rows = re.findall(r"^\| `ujsx ([^`]+)` \| `ujsx ([^`]+)` \|$", page, re.MULTILINE)
    assert dict(rows) == {old: new for old, (new, _) in TRIED.items()}


@looped(
    ("other", "ours"),
    [
        *((f"{each} --help", f"{ours} --help") for ours, of in OTHER_NAMES.items() for each in of.split()),
        ("follow nothing", "session tail --follow nothing"),
        ("check hud.md --json", "render --findings hud.md --json"),
        ("validate hud.md --json", "render --findings hud.md --json"),
        ("lint hud.md --json", "render --findings hud.md --json"),
        ("version", "--version"),
        ("help session list", "session list --help"),
    ],
)  # fmt: skip
def test_another_name_does_the_same_as_ours(ujsx, folder, other, ours):
    then, now = ujsx(*other.split()), ujsx(*ours.split())
    assert (then.status, then.out) == (now.status, now.out)
    assert then.err.partition(":")[2] == now.err.partition(":")[2]
    assert then.status == (2 if "nothing" in other else 0), then.err


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
