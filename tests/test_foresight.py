"""``make foresight``: what it counts, on a session that is small enough to count by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_components import CODING, ActiveFiles, HudState
from hud_runtime import EventDraft
from tests.benchmarks.foresight.__main__ import main, stories
from tests.benchmarks.foresight._compactions import (
    AFTER,
    BEFORE,
    CUT_AFTER,
    HUD,
    SUMMARY,
    kept,
    table,
)
from tests.benchmarks.foresight._names import Names
from tests.benchmarks.foresight._orders import ordered
from tests.benchmarks.foresight._score import BUDGETS, MET, score
from tests.benchmarks.foresight._story import Turn, story
from tests.benchmarks.foresight._tellers import TELLERS, Heard, Tellers, fitted
from tests.ids import looped
from tests.work import Act, growth
from ujsx.tokens import estimate_tokens

TEST = "pytest -q tests/test_a.py"


def messages(times: int = 1) -> Iterator[dict[str, Any]]:
    """A user asks; the agent edits a file, runs a test that fails, edits, and runs it again."""
    yield {"role": "user", "content": "Make the parser accept tabs."}
    for _ in range(times):
        yield from called("Edit", {"file_path": "src/a.py"}, "The file was updated.")
        yield from called("bash", {"command": TEST}, "E  assert 1 == 2\n1 failed in 0.1s")
        yield from called("Edit", {"file_path": "src/a.py"}, "The file was updated.")
        yield from called("bash", {"command": f"cd src; {TEST}"}, "1 passed in 0.1s")


def called(name: str, arguments: dict[str, str], answer: str) -> Iterator[dict[str, Any]]:
    call = {"id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
    yield {"role": "assistant", "content": "Now.", "tool_calls": [call]}
    yield {"role": "tool", "tool_call_id": "c", "content": answer}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "session.json"
    file.write_text(json.dumps([*messages()]), encoding="utf-8")
    return file


class TestStory:
    def test_has_what_was_done_in_each_turn(self, path: Path) -> None:
        turns = story(path)
        assert [turn.edited for turn in turns] == [[], ["src/a.py"], [], ["src/a.py"], []]
        ran = "pytest tests/test_a.py"
        assert [turn.commands for turn in turns] == [[], [], [ran], [], [ran]]
        assert [len(turn.errors) for turn in turns] == [0, 0, 1, 0, 0]

    def test_has_what_was_said(self, path: Path) -> None:
        first, second, *_ = story(path)
        assert first.said == ["Make the parser accept tabs."]
        assert second.said == ["Now.", 'Edit {"file_path": "src/a.py"}', "The file was updated."]


class TestScore:
    def test_counts_what_is_ahead_once_at_each_turn(self, path: Path) -> None:
        made = score(story(path), estimate_tokens)
        # ahead of turn 1: the file, the test, its error; of turn 2: the file and the test; of turn 3: the test
        assert {kind: made.of["HUD", kind] for kind in ("files", "commands", "errors")} == {
            "files": 2, "commands": 3, "errors": 1,
        }  # fmt: skip

    def test_counts_what_is_named(self, path: Path) -> None:
        made = score(story(path), estimate_tokens)
        named = {
            who: [made.named[who, 500, kind] for kind in ("files", "commands", "errors")]
            for who in (*TELLERS, MET)
        }
        assert named == {
            "HUD": [2, 2, 0],  # the test is known once it has run
            "last messages, cut": [2, 2, 0],
            "last messages, each cut": [2, 2, 0],
            "newest files": [2, 0, 0],
            MET: [2, 2, 0],
        }
        assert made.share("newest files", 500) == 2 / 6
        assert made.share("newest files", 500, "files") == 1

    def test_of_what_is_10_turns_ahead_counts_and_no_more(self) -> None:
        turns = [Turn(), Turn(), *(Turn() for _ in range(9)), Turn(edited=["a.py"])]
        made = score(turns, estimate_tokens)
        assert made.of["HUD", "files"] == 10  # at turns 1 to 10
        turns.insert(1, Turn())
        assert score(turns, estimate_tokens).of["HUD", "files"] == 10

    def test_of_a_session_without_a_turn_is_nothing(self) -> None:
        made = score([Turn()], estimate_tokens)
        assert made.share("HUD", 500) is None

    def test_says_what_never_reached_a_hud(self, tmp_path: Path) -> None:
        steps = [{"content": f"Step number {n} of many", "status": "pending"} for n in range(80)]
        said = [*messages(), *called("TodoWrite", {"todos": steps}, "ok"), *messages()]  # type: ignore[dict-item]
        file = tmp_path / "steps.json"
        file.write_text(json.dumps(said), encoding="utf-8")
        unsaid, all_ = score(story(file), estimate_tokens).unsaid["steps"]
        assert all_ == 80
        assert 0 < unsaid < 80  # 500 tokens have no room for 80 steps

    def test_takes_twice_the_work_for_twice_the_session(self, tmp_path: Path) -> None:
        def prepared(size: int) -> Act:
            file = tmp_path / f"{size}.json"
            file.write_text(json.dumps([*messages(size)]), encoding="utf-8")
            turns = story(file)
            return lambda: score(turns, estimate_tokens)

        assert growth(prepared, 3) < 2.3


class TestTellers:
    HEARD = Heard(
        HudState(),
        said=("a first message " * 30, "the newest message " * 30),
        files=("old.py", "new.py"),
        summary="what was before " * 90,
    )

    @looped("who", sorted({*TELLERS} - {"HUD"}))
    @looped("budget", [*BUDGETS, 1])
    def test_keep_to_their_tokens(self, who: str, budget: int) -> None:
        told = TELLERS[who](Tellers(estimate_tokens), self.HEARD, budget)
        assert estimate_tokens(told) <= budget
        assert budget < 50 or told

    def test_tell_the_newest_first(self) -> None:
        tellers = Tellers(estimate_tokens)
        assert tellers.messages(self.HEARD, 20).endswith("the newest message ")
        assert "first" not in tellers.messages(self.HEARD, 20)
        assert tellers.newest_files(self.HEARD, 50) == "- new.py\n- old.py\n"
        assert tellers.summary(self.HEARD, 50).startswith("what was before")

    @looped("keeps_end", [False, True])
    def test_fitted_keeps_as_much_as_there_is_room_for(self, keeps_end: bool) -> None:
        for room in range(13):
            assert len(fitted("twelve chars", room, len, keeps_end=keeps_end)) == room


class TestNames:
    @looped(
        ("text", "path", "is_named"),
        [
            ("- `src/a.py` (editing)", "src/a.py", True),
            ("File /srv/src/a.py:12:3: oops", "src/a.py", True),
            ("a.py", "src/a.py", True),
            ("tests/a.py", "src/a.py", False),
            ("data.py", "a.py", False),
            ("src", "src/a.py", False),
        ],
    )
    def test_of_files(self, text: str, path: str, is_named: bool) -> None:
        assert Names(text).file(path) is is_named

    def test_of_commands_whatever_their_options(self) -> None:
        names = Names(f"- `{TEST}`: fail")
        assert names.command("pytest tests/test_a.py")
        assert not names.command("pytest tests/test_b.py")
        assert not names.command("make tests/test_a.py")

    def test_of_errors(self) -> None:
        names = Names("- **pytest**: E  assert\\_it == 2")
        assert names.error("pytest: anything")
        assert names.error("make: E assert_it == 2")
        assert not names.error("make: E assert_that == 2")


class TestOrders:
    def test_hold_for_a_while(self) -> None:
        files = next(each for each in CODING.sections if each.__name__ == "ActiveFiles")
        before = files.disclosure
        with ordered({"ActiveFiles": {"weight": 7}}):
            assert files.disclosure.weight == 7
            assert files.disclosure.ladder == before.ladder
        assert files.disclosure is before

    def test_of_what_does_not_exist_are_refused(self) -> None:
        with pytest.raises(KeyError, match="Nothing"), ordered({"Nothing": {}}):
            pass

    def test_change_what_is_named(self) -> None:
        notes = [EventDraft("note.add", {"content": f"Remember {n} things"}, 1) for n in range(9)]
        edit = EventDraft("file.edit", {"path": "src/a.py"}, 1)
        turns = [Turn(), Turn(drafts=[*notes, edit]), Turn(edited=["src/a.py"])]
        named: list[int] = []
        for rank in (90, 7):
            with ordered({"ActiveFiles": {"worth": [rank] * len(ActiveFiles.disclosure.ladder)}}):
                named.append(score(turns, estimate_tokens).named["HUD", 50, "files"])
        assert named == [0, 1]


class TestCommand:
    def test_prints_a_table(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (path.parent / "notes.txt").write_text("no session\n")
        monkeypatch.setattr("sys.argv", ["foresight", "--estimate", str(path.parent)])
        main()
        printed = capsys.readouterr().out
        assert "1 session, 4 turns" in printed
        assert "| 500 | newest files | 33.3% | 100.0% | 0.0% | 0.0% |" in printed
        assert "left out: " in printed

    def test_reads_folders(self, path: Path) -> None:
        assert [name for name, _ in stories([path.parent])] == ["session.json"]


class TestCompactions:
    """H7: what of the files and errors to come is named before a compaction, and by what is left after it."""

    def turns(self, summary: str) -> list[Turn]:
        opened = EventDraft("file.edit", {"path": "src/a.py"}, 1, 0, "agent")
        done = EventDraft("compact.after", {"summary": summary}, 2, 0, "host")
        return [
            Turn(said=["Mend src/a.py and src/b.py."]),
            Turn(drafts=[opened], said=["Edit src/a.py"]),
            Turn(drafts=[done], summary=summary),
            Turn(edited=["src/a.py"]),
            Turn(edited=["src/b.py"], errors=["make test: 3 failed"]),
        ]

    def test_h7_is_counted_at_the_compaction(self) -> None:
        made = kept(self.turns("Next: src/b.py."), estimate_tokens)
        assert made.compactions == 1
        assert made.share(BEFORE, "files") == 1
        assert made.share(AFTER, "files") == 1
        assert (made.share(SUMMARY, "files"), made.share(HUD, "files")) == (0.5, 0.5)
        assert made.share(AFTER, "files", "errors") == 2 / 3

    def test_h7_what_neither_names_is_lost(self) -> None:
        made = kept(self.turns("All is well."), estimate_tokens)
        assert (made.share(AFTER, "files"), made.share(BEFORE, "files")) == (0.5, 1)

    def test_h7_without_a_compaction_a_history_is_cut_now_and_then(self) -> None:
        turns = [Turn() for _ in range(21)]
        turns[12] = Turn(edited=["a.py"])
        made = kept(turns, estimate_tokens)
        assert (made.compactions, made.cuts) == (0, 2)
        assert made.share(CUT_AFTER, "files") == 0
        assert [*table(made)][-1].endswith("| 1 files, 0 errors |")
