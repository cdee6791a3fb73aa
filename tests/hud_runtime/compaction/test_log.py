"""H8, E7, O5: what each compaction did, read off the log; and the state as it was before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, Domain, NotesSection
from hud_runtime import EventDraft, HudSession, HudStore
from hud_runtime.context.compaction import (
    CompactionPolicy,
    FileChange,
    compact,
    compactions_of,
    decided,
)
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.compaction.test_policy import happen, section_events
from tests.hud_runtime.store.list_store import ListEventStore
from tests.ids import looped
from tests.work import growth


def session(**more: Any) -> HudSession:
    return HudStore(ListEventStore(), clock=Ticking(1_000, 10), **more).session("s")


def edited(log: HudSession, *paths: str) -> None:
    for each in paths:
        log.record("file.edit", path=each)


class TestLog:
    def test_h8_tokens_and_files_are_those_of_the_readings_and_edits(self) -> None:
        log = session()
        edited(log, "app.py", "tests/test_app.py", "app.py")
        log.record("context.snapshot", used=172_000, turn=4)
        log.record("compact.before", reason="full", actor="host")
        log.record("compact.after", summary="The login.", turn=5)
        edited(log, "docs.md")
        log.record("context.snapshot", used=21_000, turn=6)
        log.record("context.snapshot", used=30_000, turn=7)
        [made] = log.compactions()
        assert (made.number, made.outcome, made.turn, made.reason) == (1, "done", 5, "full")
        assert (made.tokens_before, made.tokens_after) == (172_000, 21_000)
        assert [(each.path, each.edits) for each in made.files] == [
            ("app.py", 2),
            ("tests/test_app.py", 1),
        ]
        assert made.timestamp > 0

    def test_h8_what_a_host_tells_goes_before_what_was_read(self) -> None:
        log = session()
        log.record("context.snapshot", used=172_000)
        diff = {"path": "app.py", "additions": 12, "deletions": 3}
        log.record(
            "compact.after", summary="x", tokens_before=150_000, tokens_after=9_000, files=[diff]
        )
        log.record("context.snapshot", used=21_000)
        [made] = log.compactions()
        assert (made.tokens_before, made.tokens_after) == (150_000, 9_000)
        assert [(each.path, each.additions, each.deletions) for each in made.files] == [
            ("app.py", 12, 3)
        ]

    def test_h8_failures_and_announcements_are_told(self) -> None:
        log = session()
        log.record("context.snapshot", used=195_000)
        decided(log, CompactionPolicy())
        log.record("compact.failed", error="no model answered")
        log.record("compact.before", reason="a good place")
        failed, announced = log.compactions()
        assert (failed.outcome, failed.trigger, failed.error) == (
            "failed",
            "level",
            "no model answered",
        )
        assert (announced.outcome, announced.number, announced.reason) == (
            "announced",
            2,
            "a good place",
        )

    def test_h8_edits_count_until_a_compaction_is_done(self) -> None:
        log = session()
        edited(log, "a.py")
        log.record("compact.failed", error="x")
        edited(log, "b.py")
        log.record("compact.after", summary="x")
        log.record("compact.after", summary="y")
        assert [[each.path for each in made.files] for made in log.compactions()] == [
            ["a.py"], ["a.py", "b.py"], [],
        ]  # fmt: skip

    def test_h8_sections_that_were_emptied_with_it(self) -> None:
        log = session()
        log.record_all(
            [
                EventDraft("compact.after", {"summary": "x"}),
                EventDraft("section.clear", {"section": "notes"}),
                EventDraft("section.clear", {"section": "decisions"}),
            ]
        )
        log.record("note.add", content="x")
        log.record("section.clear", section="notes")
        assert [each.cleared for each in log.compactions()] == [("notes", "decisions")]

    def test_h8_sessions_of_other_domains_have_one(self) -> None:
        domain = Domain("notes", sections=(NotesSection,))
        log = HudStore(ListEventStore(), domain=domain).session("s")
        log.record("compact.after", summary="x")
        assert [each.files for each in log.compactions()] == [()]
        assert "file.edit" in CODING.section_events

    @given(section_events)
    def test_h8_every_end_is_told_once_in_its_order(self, said: list[tuple[str, int]]) -> None:
        log = session()
        for each in said:
            happen(log, *each)
        ends = [
            (each.version, "done" if each.type == "compact.after" else "failed")
            for each in log.events(types=["compact.after", "compact.failed"])
        ]
        told = compactions_of(log)
        assert [
            (each.version, each.outcome) for each in told if each.outcome != "announced"
        ] == ends
        assert [each.number for each in told] == [*range(1, len(told) + 1)]
        assert [each.outcome for each in told[:-1]].count("announced") == 0

    @given(st.lists(st.sampled_from(["a", "b", "compact"]), max_size=12))
    def test_e7_the_state_before_each_can_be_rebuilt(self, said: list[str]) -> None:
        log = session()
        before: list[Any] = []
        for number, each in enumerate(said):
            if each == "compact":
                before.append(log.state().notes)
                log.record("compact.before", actor="host")
                log.record("compact.after", summary=f"So far {number}.")
                log.record("section.clear", section="notes")
            else:
                log.record("note.add", content=f"{each} {number}")
        made = log.compactions()
        assert [log.state(at=each.before).notes for each in made] == before
        assert [log.state(at=each.version).compacted_context for each in made] == [
            each.summary for each in made
        ]

    def test_e7_it_can_be_rebuilt_from_an_archive(self, tmp_path: Any) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            log = store.session("s")
            log.record("note.add", content="Port 8080")
            for number in range(2):
                log.record("compact.before", actor="host")
                log.record("compact.after", summary=f"So far {number}.")
            assert store.keeping.archive("s")
            first, second = store.session("s").compactions()
            assert first.before is not None
            assert len(store.session("s").state(at=first.before).notes) == 1
            assert (first.summary, second.summary) == ("So far 0.", "So far 1.")

    def test_o5_older_summaries_are_readable_by_number(self) -> None:
        log = session()
        for number in range(3):
            log.record("compact.after", summary=f"# Goal\n\nStep {number}.")
        for made, kept in zip(log.compactions(), log.summaries(), strict=True):
            assert (made.version, made.summary) == (kept.version, kept.text)
            told = log.call("hud", {"op": "summaries.get", "id": str(made.version)}).text
            assert made.summary.rpartition("\n")[2].rstrip(".") in told

    @looped("figure", ["tokens_before", "messages_after"])
    def test_figures_below_zero_are_refused(self, figure: str) -> None:
        with pytest.raises(ValueError, match=figure):
            session().record_all([EventDraft("compact.after", {"summary": "x", figure: -1})])


def calls(*given: dict[str, Any]) -> list[Any]:
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": str(n), "name": "Edit", "input": each}],
        }
        for n, each in enumerate(given)
    ]


class TestLines:
    def compacted(self, *given: dict[str, Any]) -> Callable[[], tuple[FileChange, ...]]:
        """Return what compacts a conversation with some calls, and returns the files of the compaction."""
        log = session()
        edited(log, *{str(each.get("path") or each.get("file_path")) for each in given})
        results = [
            {"type": "tool_result", "tool_use_id": str(n), "content": "ok"}
            for n in range(len(given))
        ]
        history = [
            {"role": "user", "content": "Go. " * 400},
            *calls(*given),
            {"role": "user", "content": results},
            {"role": "user", "content": "On."},
        ]

        def files() -> tuple[FileChange, ...]:
            compact(history, lambda _: "Done.", session=log, policy=CompactionPolicy(keep=0))
            return log.compactions()[-1].files

        return files

    def test_h8_the_lines_of_a_conversations_edits_are_in_the_log(self) -> None:
        files = self.compacted(
            {"file_path": "a.py", "old_string": "x\ny", "new_string": "x\nz\nz"},
            {"file_path": "a.py", "edits": [{"old_string": "q", "new_string": ""}]},
            {"path": "b.py", "content": "1\n2\n3"},
            {"path": "c.py", "command": "view"},
            {"path": "d.py"},
        )
        found = {each.path: (each.additions, each.deletions) for each in files()}
        assert found == {"a.py": (2, 2), "b.py": (3, 0), "c.py": (None, None), "d.py": (None, None)}

    def test_h8_hostile_paths_and_texts_cost_no_summary(self) -> None:
        log = session()
        odd = [
            {"path": "a\nb" * 900, "content": "x"},
            {"path": "\ud800", "content": "x"},
            {"path": " ", "content": "x"},
        ]
        history = [
            {"role": "user", "content": "Go. " * 400},
            *calls(*odd),
            {"role": "user", "content": "On."},
        ]
        made = compact(history, lambda _: "Done.", session=log, policy=CompactionPolicy(keep=0))
        assert made.summary == "Done."
        assert log.state().compacted_context == "Done."

    def test_h8_counting_is_in_proportion(self) -> None:
        def prepared(size: int) -> Callable[[], object]:
            texts = {"old_string": "a\nb\n" * size, "new_string": "b\na\nc\n" * size}
            return self.compacted({"path": "a.py", **texts})

        assert growth(prepared, 300) < 2.3
