"""``ujsx session tail``: the last events, and those to come."""

from __future__ import annotations

import json
import os
import signal

import pytest

from hud_runtime import HudStore


class TestTail:
    def test_prints_an_event_on_a_line(self, ujsx, store):
        done = ujsx("session", "tail", "shop", "--store", store)
        assert (done.status, done.err) == (0, "")
        assert done.out == (
            "    1  1970-01-01T01:00:00Z  turn 0  host   session.start  session began, project /srv/shop\n"
            "    2  1970-01-01T02:00:00Z  turn 1  agent  task.set  task set: Add a login\n"
            "    3  1970-01-01T03:00:00Z  turn 2  agent  note.add  n-3 added: Port 8080\n"
            "    4  1970-01-01T04:00:00Z  turn 3  host   context.snapshot  context at 75.0% (150,000 of 200,000 tokens)\n"
        )

    def test_as_data_has_the_events_as_an_export_has_them(self, ujsx, store):
        out = ujsx("session", "tail", "shop", "--store", store, "--json").out
        exported = ujsx("session", "export", "shop", "--store", store).out
        assert out.splitlines() == exported.splitlines()[1:]

    @pytest.mark.parametrize(
        ("how_many", "versions"),
        [
            (["-n", 2], [3, 4]),
            (["--events", 0], []),
            (["--events", 99], [1, 2, 3, 4]),
            (["--after", 3], [4]),
            (["--after", 99], []),
            (["--after", 10**30], []),
            (["-n", 10**30], [1, 2, 3, 4]),
        ],
    )
    def test_begins_where_it_is_told(self, ujsx, store, how_many, versions):
        out = ujsx("session", "tail", "shop", "--store", store, "--json", *how_many).out
        assert [json.loads(line)["version"] for line in out.splitlines()] == versions

    @pytest.mark.parametrize("option", ["--events", "--after"])
    def test_counts_from_nothing(self, ujsx, store, option):
        refusal = ujsx("session", "tail", "shop", "--store", store, option, "-1").refusal
        assert refusal.endswith(f"{option} counts from 0, not from -1")

    def test_keeps_what_steers_a_terminal_from_it(self, ujsx, store):
        with HudStore.open(store) as opened:
            opened.session("shop").record(
                "note.add", content="a\x1b[2J\n\x9bb\u202e", timestamp=2**53 - 1
            )
        lines = ujsx("session", "tail", "shop", "--store", store, "-n", 1).out
        assert lines.count("\n") == 1
        assert lines.endswith("n-5 added: a␛[2J ⟦U+009B⟧b⟦U+202E⟧\n")
        data = ujsx("session", "tail", "shop", "--store", store, "-n", 1, "--json").out
        assert not {"\x1b", "\x9b", "\u202e"} & set(data)
        assert json.loads(data)["payload"]["content"] == "a\x1b[2J\n\x9bb\u202e"

    def test_shortens_a_long_text_and_keeps_it_as_data(self, ujsx, store):
        with HudStore.open(store) as opened:
            opened.session("shop").record("note.add", content="x" * 9_999)
        out = ujsx("session", "tail", "shop", "--store", store, "-n", 1).out
        assert len(out) < 250
        assert out.endswith("…\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals and pipes")
class TestFollow:
    def test_prints_what_others_record_until_it_is_interrupted(self, process, store):
        with process("session", "tail", "shop", "-n", 1, "-f", "--store", store) as running:
            assert "context.snapshot" in running.stdout.readline()
            with HudStore.open(store) as opened:
                opened.session("shop").record("note.add", content="Port 9090")
                assert running.stdout.readline().endswith("note.add  n-5 added: Port 9090\n")
            running.send_signal(signal.SIGINT)
            assert running.wait(timeout=30) == 130
            assert running.stderr.read() == ""

    def test_ends_when_nobody_reads_though_nothing_happens(self, process, store):
        with process("session", "tail", "shop", "-n", 1, "-f", "--store", store) as running:
            assert running.stdout.readline()
            running.stdout.close()
            assert running.wait(timeout=30) == 0
            assert running.stderr.read() == ""

    def test_ends_when_the_session_is_purged(self, process, store):
        with process("session", "tail", "shop", "-n", 1, "-f", "--store", store) as running:
            assert running.stdout.readline()
            with HudStore.open(store) as opened:
                opened.keeping.purge("shop")
            assert running.wait(timeout=30) == 1
            assert running.stderr.read() == 'session "shop" was purged\n'
