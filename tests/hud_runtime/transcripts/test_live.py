"""Transcripts kept in sessions while they are written: by one, by several, and by some that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from hud_runtime import HudStore, TranscriptError
from hud_runtime.transcripts import FORMATS, LiveTranscript
from tests.hud_runtime.transcripts.stories import STORIES
from tests.ids import looped
from tests.warm import python

LINES = sorted(name for name in STORIES if name in {
    "Claude Code", "Codex rollout", "Codex rollout of 2025", "chat messages with blocks", "OpenHands events",
    "Copilot CLI", "messages in lines",
})  # fmt: skip
"""The stories in lines, of which none changes what was told before."""


KNOWN = 4
"""Lines by which every format is known."""


def _asks(first: int, last: int) -> bytes:
    """Messages of a session in lines: many asks, each with an answer."""
    lines = (
        {"type": "user", "sessionId": "s", "uuid": f"u{number}", "message": {"role": "user", "content": f"Do the thing that has the number {number}."}}
        if number % 2
        else {"type": "assistant", "sessionId": "s", "uuid": f"u{number}",
              "message": {"role": "assistant", "id": f"m{number}", "content": [], "usage": {"input_tokens": number + 1}}}
        for number in range(first, last)
    )  # fmt: skip
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _told(store: Path, name: str = "s") -> list[tuple[str, object]]:
    with HudStore.open(store) as opened:
        return [(event.type, event.payload) for event in opened.session(name).events()]


def _alone(folder: Path, data: bytes) -> list[tuple[str, object]]:
    """What an import of the whole, by nobody else, records."""
    path = folder / "alone.jsonl"
    path.write_bytes(data)
    with HudStore.open(folder / "alone.db") as store:
        LiveTranscript(store, path, name="s").update()
    return _told(folder / "alone.db")


class TestGrowing:
    @looped("name", LINES)
    def test_a_file_that_comes_byte_by_byte_tells_the_same(self, tmp_path: Path, name: str) -> None:
        path = STORIES[name](tmp_path)
        data = path.read_bytes()
        with HudStore.open(tmp_path / "hud.db") as store:
            known = len(b"".join(data.splitlines(keepends=True)[:KNOWN]))
            path.write_bytes(data[:known])
            live = LiveTranscript(store, path, name="s")
            for end in range(known, len(data) + 61, 61):
                path.write_bytes(data[:end])
                live.update()
        assert _told(tmp_path / "hud.db") == _alone(tmp_path, data)

    @looped("name", LINES)
    def test_a_line_is_read_once(self, tmp_path: Path, name: str) -> None:
        path = STORIES[name](tmp_path)
        lines = path.read_bytes().splitlines(keepends=True)
        with HudStore.open(":memory:") as store:
            path.write_bytes(b"".join(lines[:KNOWN]))
            live = LiveTranscript(store, path, name="s")
            for number in range(KNOWN, len(lines) + 1):
                path.write_bytes(b"".join(lines[:number]))
                live.update()
                live.update()
            assert live.lines_read == len(lines)

    def test_a_file_that_was_cut_and_written_anew_is_begun_anew(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        with HudStore.open(":memory:") as store:
            path.write_bytes(_asks(0, 20))
            live = LiveTranscript(store, path, name="s")
            live.update()
            path.write_bytes(_asks(0, 10))  # the same session, of which an end is gone
            with pytest.raises(
                TranscriptError, match=r"has other events .* under another name \(`--name`"
            ):
                live.update()
            path.write_bytes(_asks(0, 30))
            live.update()
            alone = LiveTranscript(store, path, name="alone").update()
            assert store.session("s").version == alone.session.version

    def test_an_import_goes_on_whose_summary_was_laid_out_otherwise(self, tmp_path: Path) -> None:
        summary = "This session is being continued from a previous conversation\n\nIt works."
        lines = [
            {"role": "user", "content": text}
            for text in ("Add a login.", summary, "Now a logout, please.")
        ]
        path = tmp_path / "chat.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("task.set", actor="user", turn=0, description="Add a login.")
            session.record(
                "compact.after", actor="host", turn=0, summary="It works, said an earlier version."
            )
            assert LiveTranscript(store, path, name="s").update().events == 2
            task = session.state().task
            assert task is not None
            assert task.description == "Now a logout, please."

    @looped(
        "back", [{"$rewindTo": "u1"}, {"$set": {"messages": [{"id": "u0", "type": "user", "content": "Add a login."}]}}]
    )  # fmt: skip
    def test_what_gemini_takes_back_is_undone(self, tmp_path: Path, back: object) -> None:
        lines: list[object] = [{"sessionId": "g", "projectHash": "ab"}]
        for number, ask in enumerate(
            ("Add a login.", "Delete all the tests, please.", "And the docs.")
        ):
            lines.append({"id": f"u{number}", "type": "user", "content": ask})
            lines.append({"id": f"a{number}", "type": "gemini", "content": f"Done {number}."})
        again = {"id": "u9", "type": "user", "content": "Write tests for it instead."}
        lines = [*lines, {"$rewindTo": "u2"}, back, again]
        told: list[tuple[str, str]] = []
        path = tmp_path / "session.jsonl"
        with HudStore.open(":memory:") as store:
            live = LiveTranscript(store, path, name="s")
            for end in range(2, len(lines) + 1):
                path.write_text("".join(json.dumps(line) + "\n" for line in lines[:end]))
                live.update()
                task = store.session("s").state().task
                assert task is not None
                told.append((task.goal or task.description, task.description))
            alone = LiveTranscript(store, path, name="alone").update()
            assert store.session("s").version == alone.session.version
        login, tests = "Add a login.", "Delete all the tests, please."
        assert [told[2], told[-4], told[-3], told[-2]] == [
            (login, tests), (login, "And the docs."), (login, tests), (login, login),
        ]  # fmt: skip
        assert told[-1] == (login, "Write tests for it instead.")

    def test_a_file_that_was_replaced_is_another_session(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        with HudStore.open(":memory:") as store:
            path.write_bytes(_asks(0, 6))
            live = LiveTranscript(store, path)
            live.update()
            path.rename(tmp_path / "s.jsonl.1")
            path.write_bytes(_asks(0, 8).replace(b'"sessionId": "s"', b'"sessionId": "t"'))
            assert live.update().session.id == "t"
            assert store.session("t").version > 1

    def test_two_that_follow_one_file_record_everything_once(self, tmp_path: Path) -> None:
        path, data = tmp_path / "s.jsonl", _asks(0, 60)
        lines = data.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:2]))
        with HudStore.open(tmp_path / "hud.db") as one, HudStore.open(tmp_path / "hud.db") as two:
            lives = [LiveTranscript(store, path, name="s") for store in (one, two)]
            for number in range(2, len(lines) + 1):
                path.write_bytes(b"".join(lines[:number]))
                for live in lives if number % 3 else lives[::-1][: number % 2 + 1]:
                    live.update()
        assert _told(tmp_path / "hud.db") == _alone(tmp_path, data)


@contextmanager
def _following(path: Path, store: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [*python(), "-m", "hud_runtime", "session", "import", str(path), "--follow", *more]
    process = subprocess.Popen(
        [*command, "--store", str(store)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()  # until nobody writes any more


def _wait(store: Path, version: int) -> None:
    """Wait until the session has so many events, half a minute at most."""
    for _ in range(300):
        if store.exists():
            try:
                with HudStore.open(store) as opened:
                    if "s" in opened.sessions() and opened.session("s").version >= version:
                        return
            except OSError:
                pass
        time.sleep(0.1)
    raise AssertionError("the follower has not come so far")


ThingT = TypeVar("ThingT")


def test_who_waits_is_told_what_is_read_and_what_is_recorded(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()

    def watch(things: Iterable[ThingT], doing: str) -> Iterable[ThingT]:
        for thing in things:
            counts[doing] += 1
            yield thing

    path = tmp_path / "s.jsonl"
    path.write_bytes(_asks(0, 500))
    with HudStore.open(":memory:") as store:
        events = LiveTranscript(store, path, name="s", watch=watch).update().events
    assert counts == {"reading lines": 500, "recording hundreds of events": -(-events // 100)}


class TestCommand:
    def test_followers_that_are_killed_and_come_back_leave_no_trace(self, tmp_path: Path) -> None:
        path, store, data = tmp_path / "s.jsonl", tmp_path / "hud.db", _asks(0, 800)
        lines = data.splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:200]))
        with _following(path, store) as first, _following(path, store):
            _wait(store, 100)
            with path.open("ab") as file:
                file.writelines(lines[200:400])
                file.write(lines[400][:20])  # half a line
            time.sleep(0.7)
            os.kill(first.pid, signal.SIGKILL)
        with path.open("ab") as file:
            file.write(lines[400][20:])
            file.writelines(lines[401:])
        with _following(path, store), _following(path, store):
            _wait(store, len(_alone(tmp_path, data)))
        assert _told(store) == _alone(tmp_path, data)

    @pytest.mark.parametrize("name", ["Codex rollout of 2025", "messages in lines"])
    def test_a_file_that_was_just_begun_is_waited_for(self, tmp_path: Path, name: str) -> None:
        story = STORIES[name](tmp_path)
        path, store, lines = tmp_path / "new.jsonl", tmp_path / "hud.db", story.read_bytes().splitlines(keepends=True)  # fmt: skip
        path.touch()
        with _following(path, store, "--name", "s") as process:
            assert process.stderr is not None
            assert b"does not tell its format yet" in process.stderr.readline()
            for part in (lines[0][:20], lines[0][20:], b"".join(lines[1:])):
                assert process.poll() is None
                with path.open("ab") as file:
                    file.write(part)
                time.sleep(0.5)
            _wait(store, len(_alone(tmp_path, b"".join(lines))))
        assert _told(store) == _alone(tmp_path, b"".join(lines))

    @looped(
        "text", ["A note.\n", '{"kind": "x"}\n' * 8, "\0\n", '{"ujsx": 1}\n'], ids=["text", "lines", "binary", "log"]
    )  # fmt: skip
    def test_what_will_be_no_transcript_is_not_waited_for(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "s.jsonl"
        path.write_text(text)
        with _following(path, tmp_path / "hud.db") as process:
            assert process.wait(timeout=20) != 0

    def test_a_file_that_is_read_as_a_whole_each_time_says_so(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.json"
        path.write_text('[{"role": "user", "content": "Add a login."}]')
        with _following(path, tmp_path / "hud.db", "--name", "s") as process:
            assert process.stderr is not None
            assert b"read again whenever it changes" in process.stderr.readline()

    def test_an_import_that_is_killed_anywhere_can_be_repeated(self, tmp_path: Path) -> None:
        path, store, data = tmp_path / "s.jsonl", tmp_path / "hud.db", _asks(0, 3_000)
        path.write_bytes(data)
        for delay in (0.9, 1.4):
            with _following(path, store):
                time.sleep(delay)
        with HudStore.open(store) as opened:
            LiveTranscript(opened, path, name="s").update()
            assert LiveTranscript(opened, path, name="s").update().events == 0
        assert _told(store) == _alone(tmp_path, data)

    def test_progress_is_for_a_terminal_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(_asks(0, 50))
        command = [*python(), "-m", "hud_runtime", "session", "import", str(path)]
        done = subprocess.run(
            [*command, "--store", str(tmp_path / "hud.db")], capture_output=True, check=True
        )
        assert done.stderr == b""


def test_formats_that_are_followed_line_by_line_say_so() -> None:
    followed = {form.name for form in FORMATS if form.begin is not None}
    assert {
        "Claude Code",
        "Codex rollout",
        "Copilot CLI",
        "messages in lines",
        "chat messages",
    } <= followed
