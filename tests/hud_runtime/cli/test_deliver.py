"""``ujsx deliver`` and ``ujsx cost``."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hud_runtime import HudSession, HudStore
from tests.hud_runtime.inside import FileKeeper, HudFile, OpenStore, writing
from tests.warm import python
from ujsx.tokens import estimate_tokens


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "hud.db"
    with HudStore.open(path) as opened:
        opened.session("s").record("note.add", content="Port 8080", turn=1)
    return path


class TestDeliver:
    """What is to be sent, as a shell asks for it."""

    def test_all_then_what_changed(self, ujsx, store) -> None:
        first = ujsx("deliver", "s", "--store", store, "--sent")
        assert first.out == "# HUD\n\n## Notes\n\n- Port 8080\n"
        assert first.err.startswith("whole for append (start); delivery ")
        ujsx("record", "s", "note.add", "--content", "Use JWT", "--store", store)
        second = ujsx("deliver", "s", "--store", store, "--json")
        assert second.data["parts"][0]["kind"] == "delta"
        assert ujsx("deliver", "s", "--store", store, "--delivered", second.data["id"]).status == 0
        third = ujsx("deliver", "s", "--store", store)
        assert (third.out, third.err[:11]) == ("", "nothing new")

    def test_texts_tell_what_was_cut(self, ujsx, store, tmp_path) -> None:
        ujsx("deliver", "s", "--store", store, "--sent")
        texts = tmp_path / "texts.json"
        texts.write_text(json.dumps(["hello"]), encoding="utf-8")
        assert "(cut)" in ujsx("deliver", "s", "--store", store, "--texts", texts).err
        again = ujsx("deliver", "s", "--store", store, "--texts", texts, "--replay", "--json")
        assert again.data["parts"][0]["behind"] == 1

    @pytest.mark.parametrize(
        ("arguments", "refusal"),
        [
            (("--mode", "tial"), 'did you mean "tail"'),
            (("--mode", "tail"), "anew with each request"),
            (("--replay",), "add --json"),
            (("--retry-of", "nothing"), "there is no delivery"),
        ],
    )
    def test_what_cannot_be_is_refused(self, ujsx, store, arguments, refusal) -> None:
        assert refusal in ujsx("deliver", "s", "--store", store, *arguments).refusal

    @pytest.mark.parametrize("text", ["{", "[1]", '"x"'])
    def test_texts_that_are_none_are_refused(self, ujsx, store, tmp_path, text) -> None:
        texts = tmp_path / "texts.json"
        texts.write_text(text, encoding="utf-8")
        assert (
            "texts.json is no" in ujsx("deliver", "s", "--store", store, "--texts", texts).refusal
        )


class TestCost:
    """What a HUD costs."""

    def test_it_prints_turns_and_ways(self, ujsx, store) -> None:
        shown = ujsx("cost", "s", "--store", store)
        first, *_, header, before, last = shown.out.splitlines()
        assert first.startswith("The HUD, appended (the default): ")
        assert header.split() == ["turn", "HUD", "appended", "kept", "lost", "broken", "by"]
        assert [before.split()[0], last.split()[0]] == ["0", "1"]
        assert "append " in shown.out
        data = ujsx("cost", "s", "--store", store, "--json", "--prices", "openai").data
        assert [each["turn"] for each in data["turns"]] == [0, 1]
        assert set(data["ratios"]) == set(data["ways"])

    def test_prices_are_a_table_that_a_user_replaces(self, ujsx, store, tmp_path) -> None:
        own = tmp_path / "prices.json"
        own.write_text('{"cache": "prefix", "read": 1, "write": 1}', encoding="utf-8")
        data = ujsx("cost", "s", "--store", store, "--json", "--prices", own).data
        assert data["without"] == 13_500 + 15_000
        own.write_text('{"cache": "none"}', encoding="utf-8")
        assert "has no prices" in ujsx("cost", "s", "--store", store, "--prices", own).refusal
        assert "known: anthropic" in ujsx("cost", "s", "--store", store, "--prices", "x").refusal

    def test_of_a_transcript_the_words_count_as_well(self, ujsx, tmp_path) -> None:
        file = tmp_path / "session.jsonl"
        file.write_text("".join(_claude_code(20)), encoding="utf-8")
        shown = ujsx("cost", file)
        data = ujsx("cost", file, "--json").data
        assert data["head"] == 20_000
        assert data["factor"] == pytest.approx(1.2, abs=0.1)
        assert data["without"] == pytest.approx(data["billed"]["prompts"], rel=0.01)
        assert f"Cheapest at these prices: {data['cheapest']}, " in shown.out
        assert f"have {data['tool_tokens']:,} tokens in each request" in shown.out
        assert ujsx("cost", file, "--json", "--first", 5_000).data["head"] == 5_000


def _claude_code(turns: int) -> Iterator[str]:
    """The lines of a session of Claude Code whose provider counts a fifth more than the estimate, and adds 90 to each."""
    cached, prompt, content = 0, 20_000, "Move the ledger service to PostgreSQL"
    for turn in range(turns):
        answer = "The table is moved. " * (1 + 7 * turn % 40)
        usage = {"input_tokens": 0, "cache_read_input_tokens": cached, "output_tokens": 1}
        usage["cache_creation_input_tokens"] = prompt - cached
        message = {"id": f"m-{turn}", "role": "assistant", "model": "claude-opus-4-6"}
        said = [{"type": "text", "text": answer}]
        records = (
            {"type": "user", "message": {"role": "user", "content": content}},
            {"type": "assistant", "message": {**message, "content": said, "usage": usage}},
        )
        for number, record in enumerate(records):
            ids = {"uuid": f"u-{turn}-{number}", "sessionId": "s", "cwd": "/work", "version": "2"}
            yield json.dumps({**ids, "timestamp": "2026-01-01T00:00:00Z", **record}) + "\n"
        content = f"Go on with part {turn}"
        cached = prompt
        prompt += round(1.2 * (estimate_tokens(answer) + estimate_tokens(content))) + 90


COMMAND = (sys.executable, "-P", "-m", "hud_runtime", "deliver", "s")

KILLED = """
import os, sys
os.replace = lambda *_, **__: os._exit(9)
from hud_runtime.cli import main
sys.exit(main(sys.argv[1:]))
"""


class TestFile:
    """A file that a host reads again with each request."""

    def test_has_all_of_it_behind_a_line_with_the_version(self, ujsx, store, tmp_path) -> None:
        file = tmp_path / "rules" / "hud.md"
        ujsx("deliver", "s", "--store", store, "--to", file)
        assert file.read_text() == (
            '<!-- HUD of "s", version 2, turn 1 -->\n# HUD\n\n## Notes\n\n- Port 8080\n'
        )
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        ujsx("record", "s", "note.add", "--content", "Use JWT", "--store", store)
        ujsx("deliver", "s", "--store", store, "--to", file)
        assert "version 3" in file.read_text()
        assert "Use JWT" in file.read_text()

    def test_a_budget_is_the_files_own(self, ujsx, store, tmp_path) -> None:
        with HudStore.open(store) as opened:
            for number in range(60):
                opened.session("s").record("note.add", content=f"Fact {number}")
        file = tmp_path / "hud.md"
        ujsx("deliver", "s", "--store", store, "--to", file, "--budget", "60")
        assert estimate_tokens(file.read_text().partition("\n")[2]) <= 60

    @pytest.mark.parametrize("text", ["mine\n", "\n\nmine", '<!-- HUD of "s" -->\n'])
    def test_other_text_is_kept(self, ujsx, store, tmp_path, text) -> None:
        file = tmp_path / "AGENTS.md"
        file.write_text(text)
        assert "other text" in ujsx("deliver", "s", "--store", store, "--to", file).refusal
        assert file.read_text() == text

    @pytest.mark.parametrize(
        ("arguments", "refusal"),
        [
            (("--follow",), "--to FILE"),
            (("--to", "-"), "ujsx hud prints"),
            (("--to", "x", "--json"), "only --follow and --budget"),
            (("--to", "x", "--mode", "tail"), "only --follow and --budget"),
            (("--to", "."), "ordinary file"),
        ],
    )
    def test_what_does_not_go_with_it_is_refused(self, ujsx, store, arguments, refusal) -> None:
        assert refusal in ujsx("deliver", "s", "--store", store, *arguments).refusal

    def test_an_older_version_does_not_come_behind_a_newer_one(
        self, ujsx, store, tmp_path, monkeypatch
    ) -> None:
        file = tmp_path / "hud.md"
        look = HudSession.refresh

        def late(session: HudSession) -> None:
            """Look, and have another one record and write before it goes on."""
            look(session)
            monkeypatch.setattr(HudSession, "refresh", look)
            with HudStore.open(store) as other:
                other.session("s").record("note.add", content="Use JWT")
            ujsx("deliver", "s", "--store", store, "--to", file)
            assert "Use JWT" in file.read_text()
            monkeypatch.setattr(HudSession, "refresh", lambda session: session.known)

        monkeypatch.setattr(HudSession, "refresh", late)
        assert ujsx("deliver", "s", "--store", store, "--to", file).status == 0
        assert "Use JWT" in file.read_text()

    def test_two_that_follow_keep_it_whole_and_current(self, store, tmp_path) -> None:
        file = tmp_path / "hud.md"
        call = [*COMMAND, "--store", str(store), "--to", str(file), "--follow"]
        both = [subprocess.Popen(call) for _ in range(2)]
        try:
            with HudStore.open(store) as opened:
                session = opened.session("s")
                for number in range(10):
                    session.record("note.add", content=f"Fact {number}")
                    time.sleep(0.05)
                    if file.exists():
                        first, _, rest = file.read_text().partition("\n")
                        assert first.startswith("<!-- HUD of")
                        assert rest.startswith("# HUD\n")
                wanted = f"version {session.version},"
            assert _soon(lambda: file.exists() and wanted in file.read_text())
            file.unlink()
            assert _soon(file.exists)
            with HudStore.open(store) as opened:
                opened.keeping.purge("s")
            # One that comes up as late as that finds no session.
            assert {each.wait(20) for each in both} <= {1, 2}
            assert not file.exists()
        finally:
            for each in both:
                each.kill()

    def test_killed_in_the_middle_leaves_the_file_as_it_was(self, ujsx, store, tmp_path) -> None:
        folder = tmp_path / "rules"
        to = ("deliver", "s", "--store", str(store), "--to", str(folder / "hud.md"))
        ujsx(*to)
        before = (folder / "hud.md").read_text()
        ujsx("record", "s", "note.add", "--content", "Use JWT", "--store", store)
        done = subprocess.run([sys.executable, "-c", KILLED, *to], check=False)
        assert done.returncode == 9
        assert (folder / "hud.md").read_text() == before
        assert len([*folder.iterdir()]) == 2
        ujsx(*to)
        assert "Use JWT" in (folder / "hud.md").read_text()
        assert len([*folder.iterdir()]) == 1

    def test_a_name_is_no_pattern(self, ujsx, store, tmp_path) -> None:
        other = tmp_path / ".other.md.0123456789ab"
        other.write_text("of somebody else")
        assert ujsx("deliver", "s", "--store", store, "--to", tmp_path / "*.md").status == 0
        assert other.read_text() == "of somebody else"


class TestKeptFile:
    """A file that was delivered once is kept current by all that records."""

    @pytest.fixture
    def folder(self, tmp_path, monkeypatch) -> Path:
        folder = tmp_path / "shop"
        folder.mkdir()
        monkeypatch.chdir(folder)
        return folder

    def test_has_the_session_that_began_last_in_the_folder(self, ujsx, store, folder) -> None:
        call = ("deliver", "--store", store, "--to", "hud.md")
        assert f"no session of {store} began in {folder}" in ujsx(*call).refusal
        for name in ("first", "second"):
            with HudStore.open(store) as opened:
                opened.session(name, project=str(folder))
                opened.session(f"{name}/agent", parent=name)
                opened.session(f"other {name}", project="/elsewhere")
            assert f'of session "{name}"' in ujsx(*call).err
            assert f'HUD of "{name}"' in (folder / "hud.md").read_text()
        assert "SESSION --session is required" in ujsx("deliver", "--store", store).refusal

    @pytest.mark.parametrize("by", ["bridge", "serve"])
    def test_is_kept_by_two_of_which_one_is_killed(self, ujsx, store, folder, by) -> None:
        ujsx("deliver", "s", "--store", store, "--to", "hud.md", "--budget", "300")
        file, kept = folder / "hud.md", store.parent / "hud-files.json"
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        words = (
            [by, "--socket", str(folder / f"{n}.sock")] if by == "bridge" else [by] for n in (1, 2)
        )
        call = [*COMMAND[:4], "--store", str(store)]
        both = [
            subprocess.Popen([*call[:4], *each, *call[4:]], stdin=subprocess.PIPE) for each in words
        ]
        try:
            with HudStore.open(store) as opened:
                session = opened.session("s")
                for number in range(6):
                    session.record("note.add", content=f"Fact {number}")
                    assert _soon(lambda now=session.version: f"version {now}," in file.read_text())
                    assert file.read_text().partition("\n")[2].startswith("# HUD\n")
                    if number == 3:
                        both[0].kill()
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            file.unlink()
            assert _soon(lambda: kept.read_text() == "{}")
            assert not file.exists()
        finally:
            for each in both:
                each.kill()
                each.communicate()

    def test_is_kept_by_one_that_follows_a_transcript(self, ujsx, store, folder) -> None:
        path, file = folder / "chat.jsonl", folder / "hud.md"
        said = {"role": "user", "content": "Add a login."}
        path.write_text(json.dumps(said) + "\n")
        ujsx("session", "import", path, "--name", "chat", "--store", store)
        ujsx("deliver", "chat", "--store", store, "--to", "hud.md")
        call = [*COMMAND[:4], "session", "import", str(path), "--follow", "--name", "chat"]
        follower = subprocess.Popen([*call, "--store", str(store)])
        try:
            with path.open("a") as more:
                more.write(json.dumps(said | {"content": "Add a logout as well."}) + "\n")
            assert _soon(lambda: "Add a logout" in file.read_text())
        finally:
            follower.kill()
            follower.communicate()

    def test_a_list_that_cannot_be_read_is_named(self, ujsx, store, folder) -> None:
        (store.parent / "hud-files.json").write_text("[]")
        done = ujsx("deliver", "s", "--store", store, "--to", "hud.md")
        assert "hud-files.json is not a list of files with HUDs" in done.refusal

    def test_has_the_last_event_when_its_keeper_ends_and_goes_with_its_session(
        self, ujsx, store, folder
    ) -> None:
        ujsx("deliver", "s", "--store", store, "--to", "hud.md")
        file = folder / "hud.md"
        call = [*python(), "-m", "hud_runtime", "serve", "--store", str(store)]

        @contextmanager
        def keeping() -> Iterator[None]:
            with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
                _answered(server)
                yield
                assert server.stdin is not None
                server.stdin.close()
                assert server.wait(30) == 0

        with keeping(), HudStore.open(store) as opened:
            opened.session("s").record("note.add", content="Fact 1")
        assert "Fact 1" in file.read_text()
        with keeping(), HudStore.open(store) as opened:
            opened.keeping.purge("s")
        assert not file.exists()

    @pytest.mark.parametrize("is_open", [False, True])
    def test_goes_with_a_session_that_is_purged_while_it_is_written(
        self, store, folder, monkeypatch, is_open
    ) -> None:
        file, look = HudFile(str(folder / "hud.md"), "s", str(folder)), OpenStore.opened

        def late(stored: OpenStore, name: str) -> HudSession:
            """Open a session that somebody purges right before, or right behind."""
            session = look(stored, name) if is_open else None
            with HudStore.open(store) as other:
                other.keeping.purge(name)
            return session or look(stored, name)

        with writing(str(store)) as stored:
            FileKeeper(stored).write(file)
            assert (folder / "hud.md").exists()
            monkeypatch.setattr(OpenStore, "opened", late)
            assert FileKeeper(stored).write(file) is None
        assert not (folder / "hud.md").exists()


def _answered(server: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers, and so keeps files."""
    assert server.stdin is not None
    assert server.stdout is not None
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}  # fmt: skip
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    server.stdin.write(json.dumps(asked).encode() + b"\n")
    server.stdin.flush()
    assert b"result" in server.stdout.readline()


def _soon(holds: Callable[[], bool]) -> bool:
    for _ in range(400):
        if holds():
            return True
        time.sleep(0.05)
    return False
