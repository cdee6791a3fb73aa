"""``ujsx serve`` and ``ujsx instructions``."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from hud_runtime import HudStore
from hud_runtime.cli import main
from hud_runtime.tools import INSTRUCTIONS
from tests.ids import looped


class TestServe:
    def test_refuses_a_folder_that_is_none(self, ujsx, tmp_path):
        refusal = ujsx("serve", "--project", tmp_path / "nowhere").refusal
        assert refusal == f"ujsx serve: {tmp_path / 'nowhere'} is not a folder"

    def test_refuses_a_store_that_is_none(self, ujsx, tmp_path):
        pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
        (tmp_path / "notes.txt").write_text("no database, and longer than its header " * 10)
        refusal = ujsx("serve", "--store", tmp_path / "notes.txt").refusal
        assert "notes.txt" in refusal

    def test_refuses_a_session_that_cannot_be(self, ujsx, tmp_path):
        pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
        done = ujsx("serve", "--store", tmp_path / "hud.db", "--session", " ")
        assert "session id" in done.refusal

    def test_says_what_to_install(self, ujsx, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "mcp", None)
        assert 'pip install "ujsx[mcp]"' in ujsx("serve", "--store", tmp_path / "hud.db").refusal

    def test_says_at_the_start_which_store_it_is(self, process, tmp_path):
        pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
        with process(
            "serve", stdin=subprocess.DEVNULL, env=os.environ | {"UJSX_HOME": str(tmp_path)}
        ) as server:
            out, err = server.communicate(timeout=60)
        assert (server.returncode, out) == (0, "")
        assert err == f"ujsx serve: the store is {tmp_path / 'hud.db'}\n"


class TestFile:
    """With --to, the server keeps a file current for a host that reads one with each request."""

    @looped("options", [[], ["--session", "s", "--http", "0"], ["--session", "s", "--bridge", "x"]])
    def test_is_of_one_session(self, ujsx, tmp_path, options):
        assert "--session" in ujsx("serve", "--to", tmp_path / "hud.md", *options).refusal

    def test_with_other_text_is_refused_before_anything_is_served(self, ujsx, tmp_path):
        file = tmp_path / "AGENTS.md"
        file.write_text("# Rules\n")
        done = ujsx("serve", "--store", tmp_path / "hud.db", "--session", "s", "--to", file)
        assert "which stays" in done.refusal
        assert file.read_text() == "# Rules\n"

    def test_is_kept_current_by_two_servers_until_they_end(self, process, tmp_path):
        pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")
        store, file = tmp_path / "hud.db", tmp_path / "hud.md"
        call = ("serve", "--store", str(store), "--session", "goose", "--to", str(file))
        with (
            process(*call, stdin=subprocess.PIPE) as one,
            process(*call, stdin=subprocess.PIPE) as two,
        ):
            with HudStore.open(store) as opened:
                session = opened.session("goose")
                for content in ("Port 8080", "Use JWT"):
                    session.record("note.add", content=content)
                    assert soon(lambda text=content: file.exists() and text in file.read_text())
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            two.kill()
            said = one.communicate(timeout=60)
        assert one.returncode == 0, said
        assert "Use JWT" in file.read_text()


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it holds before long."""
    return any(holds() or time.sleep(0.05) for _ in range(400))


class TestThatCannotStart:
    """A client hears why, in answer to what it asks first; a person waits for nothing."""

    FIRST = '{"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {}}\n'

    @pytest.mark.parametrize("option", [["--domain", "nowhere:X"], ["--domain"], ["--domian", "x"]])
    def test_answers_the_first_request(self, process, option):
        with process("serve", *option, stdin=subprocess.PIPE) as server:
            out, err = server.communicate(f"\n{{\n{self.FIRST}{self.FIRST}", timeout=60)
        lines = [json.loads(each) for each in out.splitlines()]
        assert [each["id"] for each in lines] == [None, "a"]
        assert lines[1]["error"] == {"code": -32603, "message": err.strip()}
        assert (server.returncode, err[:11]) == (2, "ujsx serve:")

    @pytest.mark.parametrize("given", ["", '{"jsonrpc": "2.0", "method": "notifications/x"}\n'])
    def test_ends_where_nothing_is_asked(self, process, given):
        with process("serve", "--domain", "nowhere:X", stdin=subprocess.PIPE) as server:
            assert server.communicate(given, timeout=60)[0] == ""
        assert server.returncode == 2

    def test_reads_nothing_where_it_serves_over_http(self, process):
        with process("serve", "--http=0", "--domain", "no:X", stdin=subprocess.PIPE) as server:
            assert server.wait(timeout=60) == 2


class TestInstructions:
    def test_are_the_text_that_a_client_gets(self, ujsx):
        done = ujsx("instructions")
        assert (done.status, done.out) == (0, f"## Your HUD\n\n{INSTRUCTIONS}")

    def test_are_those_of_a_domain_in_its_own_words(self):
        from hud_components import Domain, NotesSection
        from hud_runtime.tools import instructions_of

        own = Domain("desk", [NotesSection], instructions="Note what you learn.\n")
        assert instructions_of(own) == "Note what you learn.\n"
        assert "(notes)" in instructions_of(Domain("desk", [NotesSection]))

    def test_name_only_operations_that_exist(self):
        from hud_runtime.tools import hud_toolset

        named = set(re.findall(r"`([a-z]+\.[a-z]+)`", INSTRUCTIONS))
        named |= set(re.findall(r'"(?:op|operation)": "([a-z.]+)"', INSTRUCTIONS))
        assert len(named) > 5
        assert named <= set(hud_toolset(None).operations)


def test_the_commands_stand_in_the_help(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "\nserve " in shown
    assert "\ninstall " in shown
