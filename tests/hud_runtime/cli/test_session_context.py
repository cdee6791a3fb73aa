"""O4, O5, O6 at the shell: sections are pinned, summaries read, and the context told exactly."""

from __future__ import annotations

import pytest

from hud_runtime import HudStore


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "hud.db"
    with HudStore.open(path, clock=lambda: 1_700_000_000_000) as opened:
        session = opened.session("shop")
        for number in range(4):
            session.record("note.add", content=f"Port {8080 + number} is taken")
    return path


class TestContext:
    def test_tells_the_figures_of_the_last_reading(self, ujsx, store):
        made = ujsx("record", "shop", "context.snapshot", "--used", "142371", "--input", "3000",
             "--cache-read", "139371", "--model", "m", "--turn", "4", "--store", store)  # fmt: skip
        assert made.status == 0, made.err
        done = ujsx("session", "context", "shop", "--store", store)
        assert (done.status, done.err) == (0, "")
        lines = done.out.splitlines()
        assert lines[:2] == [
            "142,371 of 200,000 tokens, 71.19%: yellow; 57,629 left",
            "3,000 plain input, 139,371 read from the cache",
        ]
        assert lines[2].startswith("read 20")
        assert lines[2].endswith("turn 4, event 6, m")
        assert lines[-1] == "a compaction is possible, and what the HUD holds survives it"
        data = ujsx("session", "context", "shop", "--store", store, "--json").data
        assert (data["trend"], data["next"], "held" in data) == (None, lines[-1], False)
        assert data["percentage"] == pytest.approx(71.1855)
        assert (data["cache_read"], data["output"], data["level"]) == (139_371, None, "yellow")

    def test_says_where_there_is_none(self, ujsx, store):
        done = ujsx("session", "context", "shop", "--store", store)
        assert (done.status, done.out) == (0, "")
        assert "no reading" in done.err
        assert ujsx("session", "context", "shop", "--store", store, "--json").data is None


class TestSummaries:
    @pytest.fixture
    def store(self, store):
        with HudStore.open(store, clock=lambda: 1_700_000_000_000) as opened:
            session = opened.session("shop")
            session.record("compact.after", summary="The schema is done.\n\nThe API is next.")
            session.record("compact.after", summary="All\x1b of it.", turn=3)
        return store

    def test_are_listed_the_newest_last(self, ujsx, store):
        done = ujsx("session", "summaries", "shop", "--store", store)
        assert done.out == (
            "    6  2023-11-14T22:13:20Z  turn 0  37 characters  The schema is done. The API is next.\n"
            "    7  2023-11-14T22:13:20Z  turn 3  11 characters  All␛ of it.\n"
        )

    def test_are_printed_whole(self, ujsx, store):
        done = ujsx("session", "summaries", "shop", "6", "--store", store)
        assert done.out == "The schema is done.\n\nThe API is next.\n"
        data = ujsx("session", "summaries", "shop", "7", "--store", store, "--json").data
        assert data == {
            "version": 7, "turn": 3, "timestamp": 1_700_000_000_000, "text": "All\x1b of it."
        }  # fmt: skip

    def test_are_named_where_one_is_not_there(self, ujsx, store):
        done = ujsx("session", "summaries", "shop", "5", "--store", store)
        assert done.refusal == 'ujsx session: there is no summary "5"; known: 6, 7'


class TestCompactions:
    def test_h8_are_listed_with_what_they_did(self, ujsx, store):
        with HudStore.open(store, clock=lambda: 1_700_000_000_000) as opened:
            session = opened.session("shop")
            for number in range(7):
                session.record("file.edit", path=f"src/{number}.py")
            session.record("context.snapshot", used=190_000)
            session.record("compact.before", reason="95% full\x1b", trigger="level", actor="host")
            session.record("compact.failed", error="no model")
            session.record("compact.after", summary="So far.", messages_before=40, messages_after=3)
            session.record("context.snapshot", used=9_000)
        done = ujsx("session", "compactions", "shop", "--store", store)
        files = "src/0.py ×1, src/1.py ×1, src/2.py ×1, src/3.py ×1, src/4.py ×1, and 2 more files"
        assert done.out.splitlines() == [
            "    1  2023-11-14T22:13:20Z  turn 0  failed, level: 95% full␛",
            "       190,000 tokens; no model",
            f"       {files}",
            "    2  2023-11-14T22:13:20Z  turn 0  done",
            "       190,000 → 9,000 tokens; 40 → 3 messages; 7 characters of summary",
            f"       {files}",
        ]
        first, second = ujsx("session", "compactions", "shop", "--store", store, "--json").data
        assert (first["outcome"], second["summary"], len(second["files"])) == (
            "failed",
            "So far.",
            7,
        )

    def test_h8_says_where_there_is_none(self, ujsx, store):
        done = ujsx("session", "compactions", "shop", "--store", store)
        assert (done.status, done.out) == (0, "")
        assert "never compacted" in done.err


class TestSections:
    def test_are_folded_and_explained(self, ujsx, store):
        done = ujsx("record", "shop", "section.fold", "--section", "notes", "--store", store)
        assert done.status == 0
        assert done.out.rstrip().endswith("section.fold  notes folded")
        shown = ujsx("hud", "--session", "shop", "--store", store)
        assert "*4 notes: `hud notes.list`*" in shown.out
        explained = ujsx("explain", "--session", "shop", "--store", store)
        assert "minimal/0 -> compact/0" in explained.out
        assert "it is folded" in explained.out
        ujsx("record", "shop", "section.pin", "--section", "notes", "--store", store)
        explained = ujsx("explain", "--session", "shop", "--budget", "40", "--store", store)
        assert "it is pinned" in explained.out
        ujsx("record", "shop", "section.reset", "--store", store)
        assert "- Port 8080" in ujsx("hud", "--session", "shop", "--store", store).out

    def test_are_refused_with_the_nearest_name(self, ujsx, store):
        done = ujsx("record", "shop", "section.pin", "--section", "nots", "--store", store)
        assert 'did you mean "notes"?' in done.refusal
