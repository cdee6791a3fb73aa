"""Commits and edits that git takes back, by the commands that say so, and by nobody's words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from hud_components import HudState
from hud_runtime import HudSession, HudStore
from hud_runtime.observe import (
    AgentMessage,
    AnyObservation,
    Reader,
    ToolAnswer,
    ToolCall,
    UserMessage,
)
from hud_runtime.transcripts import read_transcript
from tests.ids import looped


def edited(path: str, text: str, *, is_new: bool = False) -> tuple[AnyObservation, ...]:
    given = {"file_path": path, "old_string": "x", "new_string": text}
    answer = "File created successfully" if is_new else "ok"
    return (
        AgentMessage(text="I change it. Then I test it."),
        ToolCall(name="Edit", arguments=given, call_id="c"),
        ToolAnswer(text=answer, call_id="c", status="done"),
    )


def shell(command: str, output: str = "", code: int = 0) -> tuple[AnyObservation, ...]:
    status = "failed" if code else "done"
    return (
        AgentMessage(),
        ToolCall(name="Bash", arguments={"command": command}, call_id="b"),
        ToolAnswer(text=output, call_id="b", exit_code=code, status=status),
    )


FIRST, LAST = "b6994aa Resolve the path", "c88e8ee Count lines"
BEFORE = (
    UserMessage(text="Mend the count of lines.", directory="/app"),
    *edited("src/repo.py", "cwd = resolve()"),
    *shell("git commit -am x", "[main b6994aa] Resolve the path\n 1 file changed"),
    *edited("src/blame.py", "if content:"),
    *shell("git commit -am y", "[main c88e8ee] Count lines\n 1 file changed"),
    *edited("src/open.py", "n = 1"),
    *edited("src/other.py", "m = 1"),
    *edited("src/new.py", "k = 1", is_new=True),
)
"""Two commits, of one file each; then edits of two files, and a new file, in no commit."""


def after(*seen: AnyObservation) -> HudSession[HudState]:
    reader, session = Reader(), HudStore.open(":memory:", clock=lambda: 0).session("s")
    for each in (*BEFORE, *seen):
        session.record_all([*reader.feed(each), *reader.finish()])
    return session


def facts(session: HudSession[HudState]) -> Mapping[str, str]:
    return {each.name: each.value for each in session.state().facts}


def files(session: HudSession[HudState]) -> str:
    """The edited files that are in a commit, those in none, and those that are only known, each by its name."""
    kinds: dict[str, list[str]] = {"committed": [], "edited": [], "known": []}
    for each in session.state().active_files:
        if not each.path.startswith("src/"):
            continue
        kind = "known" if each.status != "editing" else "committed" if each.committed else "edited"
        is_told = bool(each.change or each.names)
        kinds[kind].append(each.path[4:-3] + ("!" if is_told == (kind == "known") else ""))
    return "; ".join(" ".join(sorted(each)) for each in kinds.values())


AS_BEFORE = "blame repo; new open other; "
ALL_GONE = "blame repo; new; open other"
TO_FIRST = f"HEAD is now at {FIRST}\n"
EDITS = "edits of src/open.py, src/other.py"
ONE = "edits of src/open.py"


@looped(
    ("command", "output", "commit", "undone", "left"),
    [
        # A commit that is gone, with its edits, and with those in no commit.
        ("git reset --hard HEAD~1", TO_FIRST, FIRST, f"commit {LAST}; {EDITS}", "repo; new; blame open other"),
        ("git reset HEAD^ --hard", TO_FIRST, FIRST, f"commit {LAST}; {EDITS}", "repo; new; blame open other"),
        ("git reset --hard b6994aa", TO_FIRST, FIRST, f"commit {LAST}; {EDITS}", "repo; new; blame open other"),
        ("git reset -q --hard HEAD~1", "", None, f"commit {LAST}; {EDITS}", "repo; new; blame open other"),
        ("git reset --keep HEAD~1", "", None, f"commit {LAST}", "repo; new open other; blame"),
        ("git reset --hard @~2", "HEAD is now at 1a2b3c4 Begin\n", "1a2b3c4 Begin",
         f"commit {LAST}; commit {FIRST}; {EDITS}", "; new; blame open other repo"),
        # Not certain which commits are gone: they are told no longer.
        ("git reset --hard origin/main", "HEAD is now at 1a2b3c4 Theirs\n", "1a2b3c4 Theirs", EDITS,
         "; new; blame open other repo"),
        # A commit that is gone, while its edits stay.
        ("git reset --soft HEAD~1", "", None, f"commit {LAST}", "repo; blame new open other; "),
        ("git reset HEAD~", "Unstaged changes after reset:\nM\tsrc/blame.py\n", None, f"commit {LAST}", "repo; blame new open other; "),
        ("git reset --mixed HEAD~1 && git commit -qam z", "[main 5d6e7f8] Both\n", "5d6e7f8 Both", None, "blame new open other repo; ; "),
        # The same commit.
        ("git reset --hard", f"HEAD is now at {LAST}\n", LAST, EDITS, ALL_GONE),
        ("git reset --merge HEAD", "", LAST, EDITS, ALL_GONE),
        ("git reset", "Unstaged changes after reset:\nM\tsrc/open.py\n", LAST, None, AS_BEFORE),
        ("git reset HEAD src/open.py", "", LAST, None, AS_BEFORE),
        ("git reset src/open.py", "", LAST, None, AS_BEFORE),
        ("git reset -- src/open.py", "", LAST, None, AS_BEFORE),
        # Edits in no commit, of the named files.
        ("git checkout -- src/open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git checkout src/open.py", "Updated 1 path from the index\n", LAST, ONE, "blame repo; new other; open"),
        ("cd src && git checkout open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git -C /app/src restore open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git restore -SW src/open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git restore --staged --worktree src/open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git checkout .", "Updated 2 paths from the index\n", LAST, EDITS, ALL_GONE),
        ("git checkout -- src", "", LAST, EDITS, ALL_GONE),
        ("git restore '*.py'", "", LAST, EDITS, ALL_GONE),
        ("git checkout -f", "", LAST, EDITS, ALL_GONE),
        ("git switch --discard-changes main", "Switched to branch 'main'\n", LAST, EDITS, ALL_GONE),
        ("git checkout HEAD~1 -- src/open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git restore -s main src/open.py", "", LAST, ONE, "blame repo; new other; open"),
        ("git restore --staged src/open.py", "", LAST, None, AS_BEFORE),
        ("git checkout main", "Already on 'main'\n", LAST, None, AS_BEFORE),
        ("git checkout -b src/open.py", "", LAST, None, AS_BEFORE),
        ("git checkout src/blame.py", "", LAST, None, AS_BEFORE),
        ("git clean -fd", "Removing src/new.py\n", LAST, "edits of src/new.py", "blame repo; open other; "),
        ("git clean -fd build", "", LAST, None, AS_BEFORE),
        ("git clean -nfd", "Would remove src/new.py\n", LAST, None, AS_BEFORE),
        # What a later command of the script edits is edited.
        ("git checkout src/open.py && echo 'n = 2' > src/open.py", "", LAST, ONE, "blame repo; new open! other; "),
        # A commit that replaces one, or takes the edits of one back.
        ("git commit --amend -am z", "[main 5d6e7f8] Count\n", "5d6e7f8 Count", None, "blame new open other repo; ; "),
        ("git commit -q --amend --no-edit", "", None, None, AS_BEFORE),
        ("git revert --no-edit HEAD", '[main 5d6e7f8] Revert "Count lines"\n', '5d6e7f8 Revert "Count lines"', None,
         "new open other repo; ; blame"),
        ("git revert b6994aa1f", '[main 5d6e7f8] Revert "x"\n', '5d6e7f8 Revert "x"', None, "blame new open other; ; repo"),
        ("git revert --abort", "", LAST, None, AS_BEFORE),
        ("git branch -D old", "Deleted branch old (was c88e8ee).\n", None, None, AS_BEFORE),
        ("git branch -D old", "Deleted branch old (was 1a2b3c4).\n", LAST, None, AS_BEFORE),
    ],
)  # fmt: skip
def test_by_a_command_that_succeeded(
    command: str, output: str, commit: str | None, undone: str | None, left: str
) -> None:
    session = after(*shell(command, output))
    told = facts(session)
    assert (told.get("commit"), told.get("undone"), files(session)) == (commit, undone, left)


@looped(
    ("command", "output", "code"),
    [
        # It failed.
        ("git reset --hard HEAD~1", "fatal: Unable to create '.git/index.lock': File exists.", 128),
        ("git reset --hard HEAD~9", "fatal: ambiguous argument 'HEAD~9'", 0),
        ("git checkout -- src/open.py || true", "error: pathspec 'src/open.py' did not match", 0),
        ("make && git checkout src/open.py", "make: *** [all] Error 1", 2),
        ("git stash", "No local changes to save", 0),
        ("git commit --amend --no-edit", "error: gpg failed to sign the data", 128),
        # It is about another repository.
        ("git -C ../other reset --hard HEAD~1", TO_FIRST, 0),
        ("cd ../other && git reset --hard HEAD~1", TO_FIRST, 0),
        ("cd /srv/other && git checkout . && git stash", "", 0),
        # Nobody ran it.
        ("cat notes.txt", f"$ git reset --hard HEAD~1\n{TO_FIRST}", 0),
        ("echo 'git reset --hard HEAD~1'", TO_FIRST, 0),
        ("git log -3", f"commit c88e8ee\n\n    git reset --hard\n{TO_FIRST}", 0),
        ("git log --format=%s", TO_FIRST, 0),
        ("git status", f"On branch main\n{TO_FIRST}", 0),
        ("git stash list", "stash@{0}: WIP on main: c88e8ee Count lines", 0),
    ],
)  # fmt: skip
def test_by_nothing_else(command: str, output: str, code: int) -> None:
    before, session = facts(after()), after(*shell(command, output, code))
    told = {name: value for name, value in facts(session).items() if name != "branch"}
    assert (told, files(session)) == (
        {name: value for name, value in before.items() if name != "branch"}, AS_BEFORE
    )  # fmt: skip


@looped(
    "command",
    [
        "git reset -q --hard HEAD~1; cat notes.txt",
        "git reset --hard HEAD~1 > /dev/null; cat notes.txt",
        "cat notes.txt; git reset --hard HEAD~1",
        "git reset --hard HEAD~1 | cat notes.txt",
        "git reset --soft HEAD~1 && cat notes.txt",
    ],
)
def test_without_words_of_a_file_for_what_head_is_at(command: str) -> None:
    told = facts(after(*shell(command, "HEAD is now at 6666666 Evil\nmore")))
    assert told.get("commit") is None
    assert told["undone"].startswith(f"commit {LAST}")


def test_with_the_first_line_of_what_git_itself_prints() -> None:
    output = f"{TO_FIRST}HEAD is now at 6666666 Evil\n"
    told = facts(after(*shell("git reset --hard HEAD~1 && cat notes.txt", output)))
    assert told["commit"] == FIRST


def test_until_the_next_commit_or_until_it_is_back() -> None:
    reset = shell("git reset --hard HEAD~1", TO_FIRST)
    again = shell("git reset --hard c88e8ee", f"HEAD is now at {LAST}\n")
    commit = shell("git commit -am z", "[main 5d6e7f8] More")
    told = [facts(after(*seen)) for seen in (reset, (*reset, *again), (*reset, *commit))]
    assert [(each.get("commit"), each.get("undone")) for each in told] == [
        (FIRST, f"commit {LAST}; {EDITS}"), (LAST, None), ("5d6e7f8 More", None),
    ]  # fmt: skip


def test_with_what_was_pushed() -> None:
    pushed = shell("git push", "To x\n   1a2b3c4..c88e8ee  main -> main\n")
    assert facts(after(*pushed))["pushed"] == "c88e8ee"
    assert "pushed" not in facts(after(*pushed, *shell("git reset --soft HEAD~1")))
    assert "pushed" in facts(after(*pushed, *shell("git checkout .")))


def test_with_deleted_files_that_are_back() -> None:
    removed = shell("rm src/repo.py src/blame.py")
    for command, deleted in (
        ("git checkout src/repo.py", "blame.py in src"),
        ("git restore .", None),
        ("git reset --hard", None),
        ("git stash list", "repo.py, blame.py in src"),
    ):
        assert facts(after(*removed, *shell(command))).get("deleted") == deleted


@looped(
    ("commands", "left"),
    [
        (["git stash"], AS_BEFORE),
        (["git stash", "git stash pop"], AS_BEFORE),
        (["git stash && make; git stash pop"], AS_BEFORE),
        (["git stash", "git stash apply", "git stash drop"], AS_BEFORE),
        (["git stash", "git stash drop"], ALL_GONE),
        (["git stash -q", "git stash clear"], ALL_GONE),
        (["git stash push -m wip src/open.py", "git stash drop"], "blame repo; new other; open"),
        (["git stash -- src/open.py", "git stash drop"], "blame repo; new other; open"),
        (["git stash save wip", "git stash list", "git stash drop stash@{0}"], ALL_GONE),
        # What is in a stash is in no commit, and not taken back with what is not.
        (["git stash", "git reset --hard"], AS_BEFORE),
        (["git stash", "git commit -qam z"], "blame new repo; open other; "),
        (["git stash", "git commit -qam z", "git stash pop"], "blame new repo; open other; "),
    ],
)
def test_as_a_stash_keeps_it(commands: list[str], left: str) -> None:
    outputs = {"git commit -qam z": "[main 5d6e7f8] More"}
    assert (
        files(after(*(one for each in commands for one in shell(each, outputs.get(each, "")))))
        == left
    )


def test_in_a_doubled_history_is_as_in_one() -> None:
    reset = shell("git reset --hard HEAD~1", TO_FIRST)
    once, twice = after(*reset), after(*reset, *BEFORE[1:], *reset)
    assert (facts(once), files(once)) == (facts(twice), files(twice))


class TestUsersOwnShell:
    """The commands that the user of Claude Code runs with "!"."""

    @staticmethod
    def told(tmp_path: Path, *texts: str) -> Mapping[str, str]:
        call = {
            "type": "tool_use",
            "id": "t",
            "name": "Bash",
            "input": {"command": "git commit -am y"},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": "[main c88e8ee] Count lines",
        }
        said: list[tuple[str, object]] = [
            ("user", "Mend the count of lines."),
            ("assistant", [{"type": "text", "text": "I commit it. Then we see."}, call]),
            ("user", [result]),
            *(("user", each) for each in texts),
        ]
        lines = [
            {"type": who, "uuid": f"u{n}", "parentUuid": f"u{n - 1}", "sessionId": "s", "cwd": "/app",
             "message": {"role": who, "id": f"m{n}", "content": content}}
            for n, (who, content) in enumerate(said)
        ]  # fmt: skip
        file = tmp_path / "session.jsonl"
        file.write_text("\n".join(map(json.dumps, lines)))
        read = read_transcript(file)
        facts = [each.payload for each in read.drafts if each.type == "fact.set"]
        return {"calls": str(read.calls)} | {
            str(each["name"]): str(each["value"]) for each in facts
        }

    COMMAND = "<bash-input>git reset --hard HEAD~1</bash-input>"

    def test_take_back_what_they_print(self, tmp_path: Path) -> None:
        printed = f"<bash-stdout>{TO_FIRST}</bash-stdout><bash-stderr></bash-stderr>"
        told = self.told(tmp_path, self.COMMAND, printed)
        assert (told["commit"], told["undone"]) == (FIRST, f"commit {LAST}")
        assert told["calls"] == "1"

    @pytest.mark.parametrize(
        "texts",
        [
            [COMMAND],
            [COMMAND, "<bash-stdout></bash-stdout><bash-stderr>fatal: no</bash-stderr>"],
            [f"See: {COMMAND}", f"<bash-stdout>{TO_FIRST}</bash-stdout>"],
            ["<bash-input>cat a</bash-input>", f"<bash-stdout>{COMMAND}\n{TO_FIRST}</bash-stdout>"],
            [f"<bash-stdout>{TO_FIRST}</bash-stdout>"],
        ],
    )
    def test_take_nothing_back_else(self, tmp_path: Path, texts: list[str]) -> None:
        told = self.told(tmp_path, *texts)
        assert (told["commit"], told.get("undone")) == (LAST, None)
