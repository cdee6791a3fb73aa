"""Cline's hooks, as Cline 3.0.65 was seen to run them, and the files that it keeps of a session."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, InstallError
from tests.hud_runtime.integrations.claude import asking
from tests.hud_runtime.integrations.inside import HOOK_HOSTS, HookedHost, HookInstaller
from tests.hud_runtime.integrations.test_install import files


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


class Client:
    """A client with a session ``s``, its files, and what it was told."""

    def __init__(self, folder: Path, store: HudStore) -> None:
        self.folder, self.store = folder / "data" / "sessions" / "s", store
        self.folder.mkdir(parents=True)
        self.messages: list[dict[str, Any]] = []
        self.run = "conv_1"
        self.begin()

    def begin(self) -> None:
        """Start the process that answers."""
        host = HookedHost(lambda: self.store, HOOK_HOSTS["cline"])
        self.ask = asking({"hook": host.hook, "call": host.call})

    def write(self, kind: str, **data: Any) -> None:
        (self.folder / f"s.{kind}.json").write_text(json.dumps(data))

    def prompt(self, words: str) -> None:
        text = f'<user_input mode="act">{words}</user_input>'
        content = [{"type": "text", "text": text}]
        self.messages.append({"id": f"m-{words}", "role": "user", "content": content})
        self.write("messages", messages=self.messages)

    def answered(self, used: int) -> None:
        metrics = {"inputTokens": used, "outputTokens": 5}
        self.messages.append(
            {"role": "assistant", "metrics": metrics, "modelInfo": {"id": "claude-sonnet-4-5"}}
        )
        self.write("messages", messages=self.messages)

    def compacted(self, key: str, summary: str) -> None:
        about = {"kind": "compaction_summary", "summary": summary}
        self.write("compaction", source_last_message_key=key, messages=[{"metadata": about}])

    def hook(self, kind: str, agent: str | None = None, **more: Any) -> str:
        event = {
            "hookName": kind, "sessionContext": {"rootSessionId": "s"}, "workspaceRoots": ["/shop"],
            "taskId": self.run, "agent_id": agent or "agent_1", "parent_agent_id": agent and "agent_1", **more,
        }  # fmt: skip
        said = self.ask("hook", event)
        return str(json.loads(said)["context"]) if said else ""

    def works(self, command: str, output: Any = "ok", agent: str | None = None, **more: Any) -> str:
        """Run a tool, and return what the model reads behind its result."""
        call = {"id": f"c-{command}", "name": "run_commands", "input": {"commands": [command]}}
        assert self.hook("tool_call", agent, tool_call=call) == ""
        if not more:
            output = [{"query": command, "result": output, "success": "FAILED" not in output}]
        return self.hook("tool_result", agent, tool_result={**call, "output": output, **more})

    def records(self, note: str, agent: str | None = None) -> str:
        given = {"call": {"op": "notes.add", "content": note}}
        call = {"id": f"c-{note}", "name": "ujsx__hud", "input": given}
        self.hook("tool_call", agent, tool_call=call)
        self.ask("call", {"tool": "hud", "arguments": given})
        return self.hook("tool_result", agent, tool_result={**call, "output": "Added."})


@pytest.fixture
def client(tmp_path: Path, store: HudStore, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setenv("CLINE_DIR", str(tmp_path))
    return Client(tmp_path, store)


FAILED = "FAILED tests/test_a.py::test_a - assert 0"


@pytest.mark.parametrize("restarts", [False, True])
class TestASession:
    def test_is_told_behind_results(self, client: Client, store: HudStore, restarts: bool) -> None:
        client.prompt("Add a login.")
        assert "Add a login." in client.works("ls")
        said = [client.works("pytest", FAILED), client.records("Port 8080")]
        if restarts:
            client.begin()
        said.append(client.works("pytest", "1 passed"))
        assert "test_a" in said[0]
        assert "Port 8080" in said[1]
        assert "done, no longer listed" in said[2]
        assert client.works("true") == ""
        state = store.session("s").state()
        assert state.task.description == "Add a login."
        assert [each.resolved for each in state.errors] == [True]
        client.prompt("Now limit the attempts.")
        assert "Now limit the attempts." in client.works("true 1")
        assert client.works("true 2") == ""
        assert store.session("s").state().task.description == "Now limit the attempts."

    def test_is_told_whole_behind_each_compaction(
        self, client: Client, store: HudStore, restarts: bool
    ) -> None:
        client.prompt("Add a login.")
        client.records("Port 8080")
        for number in range(2):
            client.compacted(f"id:{number}", "The login was begun.")
            if restarts:
                client.begin()
            told = client.works(f"ls {number}")
            assert told.startswith("# HUD\n")
            assert "Port 8080" in told
            assert "# HUD\n" not in client.works(f"ls -l {number}")

    def test_is_told_whole_where_it_goes_on(
        self, client: Client, store: HudStore, restarts: bool
    ) -> None:
        client.prompt("Add a login.")
        client.records("Port 8080")
        assert client.works("ls") == ""
        if restarts:
            client.begin()
        assert client.works("ls -l") == ""
        client.run = "conv_2"
        told = client.works("ls -a")
        assert told.startswith("# HUD\n")
        assert "Port 8080" in told
        assert client.works("ls -h") == ""

    def test_keeps_subagents_apart(self, client: Client, store: HudStore, restarts: bool) -> None:
        client.prompt("Add a login.")
        client.works("ls")
        assert client.works("ls", agent="agent_2").startswith("# HUD\n")
        client.records("seen by the subagent", "agent_2")
        if restarts:
            client.begin()
        client.hook("agent_end", "agent_2", turn={"outputText": "Port 1?"})
        client.hook("agent_end", turn={"outputText": "Done. Shall I go on?"})
        [child] = [each for each in store.sessions() if "/" in each]
        assert [each.content for each in store.session(child).state().notes] == [
            "seen by the subagent"
        ]
        assert store.session("s").state().notes == ()


def test_the_context_is_read_in_the_file(client: Client, store: HudStore) -> None:
    client.prompt("Add a login.")
    client.answered(12_000)
    client.works("ls")
    assert store.session("s").state().usage.used == 12_005


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"messages": 3}', '{"messages": [3, {"role": "user"}]}', "\0"]
)
def test_a_file_that_cannot_be_read_ends_nothing(client: Client, text: str) -> None:
    for kind in ("messages", "compaction"):
        (client.folder / f"s.{kind}.json").write_text(text)
    assert "test_a" in client.works("pytest", FAILED)


@pytest.mark.parametrize(
    "output", [None, 3, "text", {"content": "x"}, ["x", None], [{"result": {}}]]
)
def test_any_output_is_taken(client: Client, output: Any) -> None:
    client.works("ls", output, startedAt="2026")
    assert "test_a" in client.works("pytest", None, error=FAILED)


class TestInstalling:
    def test_leaves_every_byte(self, tmp_path: Path) -> None:
        home, store = tmp_path / "cline", tmp_path / "hud" / "hud.db"
        (home / "hooks").mkdir(parents=True)
        (home / "hooks" / "PostToolUse.sh").write_text("echo theirs\n")
        (home / "data" / "settings").mkdir(parents=True)
        (home / HOOK_HOSTS["cline"].servers_file).write_text(
            '{"mcpServers": {"files": {"command": "files"}}}'
        )
        before = files(home)
        assert (
            len(HookInstaller(HOOK_HOSTS["cline"]).install(config=home, store=store).changed) == 4
        )
        once = files(home)
        assert HookInstaller(HOOK_HOSTS["cline"]).install(config=home, store=store).changed == ()
        assert files(home) == once
        server = json.loads((home / HOOK_HOSTS["cline"].servers_file).read_text())["mcpServers"][
            "ujsx"
        ]
        assert server["timeout"] == 30
        assert HookInstaller(HOOK_HOSTS["cline"]).programs(home) == [
            [server["command"], *server["args"]]
        ]
        HookInstaller(HOOK_HOSTS["cline"]).uninstall(config=home, store=store)
        assert files(home) == before

    def test_refuses_a_hook_of_somebody_elses(self, tmp_path: Path) -> None:
        home = tmp_path / "cline"
        (home / "hooks").mkdir(parents=True)
        (home / "hooks" / "PreToolUse.py").write_text("print(1)\n")
        before = files(home)
        with pytest.raises(InstallError, match="it is a hook of yours; give it another suffix"):
            HookInstaller(HOOK_HOSTS["cline"]).install(
                config=home, store=tmp_path / "hud" / "hud.db"
            )
        assert files(home) == before

    def test_a_hook_runs_as_cline_runs_it(self, tmp_path: Path) -> None:
        home = tmp_path / "cline"
        home.mkdir()
        HookInstaller(HOOK_HOSTS["cline"]).install(config=home, store=tmp_path / "hud" / "hud.db")
        script = home / "hooks" / "TaskComplete.py"
        words = script.read_text().partition("\n")[0].removeprefix("#!").split()
        assert words[1:] == ["-I", "-S"]
        event = json.dumps({"hookName": "nothing that is known"}).encode()
        done = subprocess.run([*words, str(script)], input=event, capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
