"""Settings of hosts that are rows of the table: changed where needed, and put back byte for byte."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import InstallError
from hud_runtime.integrations import opencode
from tests.hud_runtime.integrations.inside import HOOK_HOSTS, HookInstaller
from tests.hud_runtime.integrations.test_install import files
from tests.ids import looped

ROOT = Path(__file__).parents[3]
ROWS = (HOOK_HOSTS["qwen-code"], HOOK_HOSTS["gemini-cli"], HOOK_HOSTS["copilot"])

OF_OTHERS = """\
{
  "hooks": {"SessionStart": [ { "matcher": "startup", "hooks": [ { "type": "command", "command": "echo hi" } ] } ],
    "Notification": []},
  "mcpServers": {"files": {"command": "files"}}
}
"""
CASES = (None, "{}", "", OF_OTHERS, OF_OTHERS.replace("\n", "\r\n"), OF_OTHERS.rstrip())


@pytest.fixture(params=ROWS, ids=lambda row: row.name)
def row(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "settings"
    folder.mkdir()
    return folder


def there(row: Any, home: Path, **options: Any) -> Any:
    return HookInstaller(row).install(config=home, store=home.parent / "hud" / "hud.db", **options)


def gone(row: Any, home: Path) -> Any:
    return HookInstaller(row).uninstall(config=home, store=home.parent / "hud" / "hud.db")


def settings(row: Any, home: Path) -> list[Path]:
    """The files of a host's settings, in folders that are there."""
    found = [home / name for name in dict.fromkeys((row.hooks_file, row.servers_file))]
    for each in found:
        each.parent.mkdir(exist_ok=True)
    return found


@pytest.mark.parametrize("text", CASES)
def test_taking_it_out_leaves_every_byte(row: Any, home: Path, text: str | None) -> None:
    for each in settings(row, home):
        if text is not None:
            each.write_bytes(text.encode())
    before = files(home)
    there(row, home)
    once = files(home)
    assert once != before
    assert there(row, home).changed == ()
    there(row, home, domain="shop.hud:SHOP")
    there(row, home)
    assert files(home) == once
    gone(row, home)
    assert files(home) == before
    assert gone(row, home).changed == ()


def test_what_others_write_meanwhile_stays(row: Any, home: Path) -> None:
    *_, path = settings(row, home)
    path.write_text(OF_OTHERS)
    there(row, home)
    path.write_text(path.read_text().replace('"files"', '"mine"'))
    gone(row, home)
    assert path.read_text() == OF_OTHERS.replace('"files"', '"mine"')


def test_a_file_of_hooks_alone_goes_without_its_record(home: Path) -> None:
    """An older version has written it, or another store: what is left says nothing."""
    there(HOOK_HOSTS["copilot"], home)
    [path, _] = settings(HOOK_HOSTS["copilot"], home)
    text = path.read_text()
    assert json.loads(text)["version"] == 1
    shutil.rmtree(home.parent / "hud" / "installed")
    gone(HOOK_HOSTS["copilot"], home)
    assert not path.exists()


def test_each_event_of_the_row_runs_our_program(row: Any, home: Path) -> None:
    there(row, home, memory=True)
    data = json.loads((home / row.hooks_file).read_text())
    assert data["hooks"].keys() == row.events.keys()
    for name, event in row.events.items():
        [group] = data["hooks"][name]
        [hook] = group["hooks"]
        assert hook["timeout"] == event.seconds * row.unit
        assert group.get("matcher", "") == event.matcher
        assert row.name in shlex.split(hook["command"])
    server = json.loads((home / row.servers_file).read_text())["mcpServers"]["ujsx"]
    assert server["args"][server["args"].index("--host") + 1] == row.name
    assert server["args"][-1] == "--memory"
    assert HookInstaller(row).programs(home) == [[server["command"], *server["args"]]]


def test_no_hook_can_block_a_prompt(row: Any, home: Path) -> None:
    """A program that is not there any more ends with any status but 2."""
    there(row, home)
    (home.parent / "hud" / "bridge" / "_client.py").unlink()
    data = json.loads((home / row.hooks_file).read_text())
    for [group] in data["hooks"].values():
        command = group["hooks"][0]["command"]
        done = subprocess.run(command, shell=True, input=b"{}", capture_output=True, check=False)
        assert done.returncode not in (0, 2)
        assert done.stdout == b""


@pytest.mark.parametrize("text", ["[]", "{", '{"mcpServers": {"ujsx": {"command": "other"}}}'])
def test_what_cannot_be_changed_is_refused_and_stays(row: Any, home: Path, text: str) -> None:
    *_, path = settings(row, home)
    path.write_text(text)
    before = files(home)
    with pytest.raises(InstallError):
        there(row, home)
    assert files(home) == before


def test_what_a_row_cannot_do_is_said(row: Any, home: Path) -> None:
    with pytest.raises(InstallError, match="leave --project out"):
        there(row, home, project=home)
    with pytest.raises(InstallError, match="without --prune"):
        there(row, home, prune=True)
    assert files(home) == {}


class TestRemarks:
    """What keeps a HUD from a host is said, with what to do."""

    @pytest.fixture
    def path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder))
        monkeypatch.chdir(folder)  # a project without settings
        return folder

    def put(self, path: Path, host: Any, lines: str) -> None:
        program = path / host.program
        program.write_text(f"#!/bin/sh\n{lines}\n")
        program.chmod(0o700)

    @pytest.mark.parametrize("name", HOOK_HOSTS)
    def test_a_host_that_is_not_there(self, path: Path, home: Path, name: str) -> None:
        host = HOOK_HOSTS[name]
        [told] = HookInstaller(host).remarks(home)
        assert host.package in told

    @pytest.mark.parametrize("name", HOOK_HOSTS)
    def test_a_version_that_is_too_old(self, path: Path, home: Path, name: str) -> None:
        host = HOOK_HOSTS[name]
        self.put(path, host, "echo v0.0.9")
        [told] = HookInstaller(host).remarks(home)
        assert told.startswith(f"{host.title} 0.0.9 is older than {host.oldest}")

    def test_opencode_is_looked_for_as_well(self, path: Path) -> None:
        [told] = opencode.remarks()
        assert "npm install -g opencode-ai" in told
        program = path / "opencode"
        program.write_text("#!/bin/sh\necho 1.2.3\n")
        program.chmod(0o700)
        [told] = opencode.remarks()
        assert told.startswith("OpenCode 1.2.3 is older than")

    @pytest.mark.parametrize("lines", ["echo 999.1", "echo nonsense", "exit 3"])
    def test_nothing_where_nothing_is_wrong(
        self, path: Path, home: Path, row: Any, lines: str
    ) -> None:
        self.put(path, row, lines)
        assert [*HookInstaller(row).remarks(home)] == []

    @pytest.mark.parametrize("name", [each.name for each in HOOK_HOSTS.values() if each.switch])
    def test_hooks_that_are_switched_off(self, path: Path, home: Path, name: str) -> None:
        row = HOOK_HOSTS[name]
        self.put(path, row, f"echo {row.oldest}")
        assert row.switch is not None
        file, place, off = row.switch
        data: Any = off
        for key in reversed(place):
            data = {key: data}
        text = (
            f"{'.'.join(place)} = {json.dumps(off)}" if file.endswith("toml") else json.dumps(data)
        )
        (home / file).write_text(text)
        [told] = HookInstaller(row).remarks(home)
        (home / "broken").mkdir()
        (home / "broken" / file).write_text("{")
        assert [*HookInstaller(row).remarks(home / "broken")] == []
        assert f"set {'.'.join(place)} to {json.dumps(not off)}" in told
        assert str(home / file) in told

    @pytest.mark.parametrize("name", ["claude-code", "qwen-code", "gemini-cli"])
    def test_the_nearest_word_on_hooks_decides(self, path: Path, home: Path, name: str) -> None:
        """As Claude Code 2.1.330, Qwen Code 0.24.4 and Gemini CLI 0.61.0 ran a hook or not, with each pair of files."""
        row = HOOK_HOSTS[name]
        self.put(path, row, f"echo {row.oldest}")
        assert row.switch is not None

        def write(file: Path, word: bool) -> Path:
            data: Any = word
            for key in reversed(row.switch.place if row.switch else ()):
                data = {key: data}
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(data))
            return file

        off, file = row.switch.off, row.switch.file
        write(home / file, not off)
        project = write(path / row.folder / file, off)
        [told] = HookInstaller(row).remarks(home)
        assert told.startswith(f"hooks are switched off in {project}, so there is no HUD: set ")
        write(home / file, off)
        write(project, not off)
        assert [*HookInstaller(row).remarks(home)] == []
        if row.project_hooks:
            own = write(path / row.project_hooks, off)
            [told] = HookInstaller(row).remarks(home)
            assert str(own) in told
            write(project, off)
            write(own, not off)
            assert [*HookInstaller(row).remarks(home)] == []

    @pytest.mark.parametrize("name", [each.name for each in HOOK_HOSTS.values() if each.trust])
    def test_a_folder_that_is_not_trusted(
        self, path: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        """As Gemini CLI 0.61.0 and Qwen Code 0.24.4 read their files: the word for the nearest folder counts."""
        row = HOOK_HOSTS[name]
        assert row.trust is not None
        self.put(path, row, f"echo {row.oldest}")
        inner = tmp_path / "shop" / "web"
        inner.mkdir(parents=True)
        monkeypatch.chdir(inner)
        trusted, settings = home / row.trust.file, home / "settings.json"

        def told(words: object, setting: object = True) -> list[str]:
            trusted.write_text(words if isinstance(words, str) else json.dumps(words))
            settings.write_text(json.dumps({"security": {"folderTrust": {"enabled": setting}}}))
            return [*HookInstaller(row).remarks(home)]

        no, yes = "DO_NOT_TRUST", "TRUST_FOLDER"
        for words in ({str(inner): no}, {str(tmp_path): no}, {str(tmp_path): yes, str(inner): no}):
            [said] = told(words)
            assert said == (
                f"{row.title} does not trust the folder {inner}, and starts no servers in it, so its agents have no tool"
                f" hud there: type {row.trust.command} there"
            )
        for other in ({str(inner): yes}, {str(tmp_path): no, str(inner): yes}, "[]", "{"):
            assert told(other) == []
        assert told({str(inner): no}, setting=False) == []
        settings.write_text("{}")
        assert bool([*HookInstaller(row).remarks(home)]) is row.trust.is_usual

    def test_hooks_that_are_not_trusted(self, path: Path, home: Path) -> None:
        """The keys are those of `hooks/list` in the app server of Codex 0.169.0."""
        self.put(path, HOOK_HOSTS["codex"], f"echo {HOOK_HOSTS['codex'].oldest}")
        hooks, settings = home / "hooks.json", home / "config.toml"
        hooks.write_text(OF_OTHERS)
        there(HOOK_HOSTS["codex"], home)
        [told] = HookInstaller(HOOK_HOSTS["codex"]).remarks(home)
        waiting = "SessionStart, UserPromptSubmit, PostToolUse, SubagentStart, SessionEnd"
        assert told == (
            "Codex does not run hooks that you have not approved, so there is no HUD: start codex, and trust the hooks"
            f" of {hooks} ({waiting})"
        )
        places = (
            "session_start:1:0",
            "user_prompt_submit:0:0",
            "post_tool_use:0:0",
            "subagent_start:0:0",
        )
        written = settings.read_text()
        for each in places:
            written += f'[hooks.state."{hooks}:{each}"]\ntrusted_hash = "sha256:1"\n'
        settings.write_text(written)
        [told] = HookInstaller(HOOK_HOSTS["codex"]).remarks(home)
        assert told.endswith(f"of {hooks} (SessionEnd)")
        written += f'[hooks.state."{hooks}:session_end:0:0"]\ntrusted_hash = "sha256:1"\n'
        settings.write_text(written)
        assert [*HookInstaller(HOOK_HOSTS["codex"]).remarks(home)] == []
        settings.write_text(written + "enabled = false\n")
        [told] = HookInstaller(HOOK_HOSTS["codex"]).remarks(home)
        assert told.endswith(f"of {hooks} (SessionEnd)")
        settings.write_text(written)
        gone(HOOK_HOSTS["codex"], home)
        assert [*HookInstaller(HOOK_HOSTS["codex"]).remarks(home)] == []

    def test_plugins_that_are_switched_off(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.put(path, replace(HOOK_HOSTS["codex"], program="opencode"), "echo 999.1")
        assert [*opencode.remarks()] == []
        monkeypatch.setenv("OPENCODE_PURE", "1")
        assert [*opencode.remarks()] == [
            "OPENCODE_PURE is set, so OpenCode loads no plugin and has no HUD: unset it"
        ]

    @looped("host", [*HOOK_HOSTS, "opencode"])
    def test_a_mistake_that_a_host_does_not_know_is_on_its_page(self, host: str) -> None:
        row = HOOK_HOSTS.get(host)
        own = f"{host}.md" if host == "claude-code" else f"hosts/{host}.md"
        pages = (own, "give-an-agent-a-hud.md")
        text = "".join((ROOT / "docs" / "do" / page).read_text() for page in pages)
        if row is not None and row.switch is None:
            assert re.search(
                r"Hooks have no switch|`disableAllHooks`.* did not stop the hooks", text
            )
        if row is None or row.trust is None:
            assert "Folder trust matters in Gemini CLI and Qwen Code only" in text
        else:
            assert f"`{row.trust.command}`" in text
