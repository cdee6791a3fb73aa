"""Settings of Codex: changed where needed, kept otherwise byte for byte, and put back."""

from __future__ import annotations

import json
import shlex
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from hud_components import CODING
from hud_runtime import InstallError
from hud_runtime.cli import main
from hud_runtime.integrations.bridge import place_of
from hud_runtime.integrations.codex import install, uninstall
from hud_runtime.serve.mcp import DescribedServer, described
from tests.hud_runtime.integrations.inside import HOOK_HOSTS
from tests.hud_runtime.integrations.test_install import files

HOOKS_OF_OTHERS = """\
{
  "hooks": {"SessionStart": [ { "matcher": "startup", "hooks": [ { "type": "command", "command": "echo hi" } ] } ],
    "Stop": []}
}
"""
CONFIG_OF_OTHERS = """\
# mine
model = "gpt-5.6-sol"   # the large one

[mcp_servers.files]
command = "files"

[projects."/srv/shop"]
trust_level = "trusted"
"""
CASES = [
    (None, None),
    ("{}", ""),
    (HOOKS_OF_OTHERS, CONFIG_OF_OTHERS),
    (HOOKS_OF_OTHERS.replace("\n", "\r\n"), CONFIG_OF_OTHERS.replace("\n", "\r\n")),
    (HOOKS_OF_OTHERS, CONFIG_OF_OTHERS.rstrip()),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    config = tmp_path / "codex"
    config.mkdir()
    return config


def put(home: Path, hooks: str | None, config: str | None) -> None:
    for name, text in (("hooks.json", hooks), ("config.toml", config)):
        if text is not None:
            (home / name).write_bytes(text.encode())


def there(home: Path, **options: Any) -> Any:
    return install(config=home, store=home.parent / "hud" / "hud.db", **options)


def gone(home: Path) -> Any:
    return uninstall(config=home, store=home.parent / "hud" / "hud.db")


def hooks_of(home: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = json.loads((home / "hooks.json").read_text())["hooks"]
    return found


class TestInstalling:
    @pytest.mark.parametrize(("hooks", "config"), CASES)
    def test_and_taking_out_leaves_every_byte(
        self, home: Path, hooks: str | None, config: str | None
    ) -> None:
        put(home, hooks, config)
        before = files(home)
        there(home)
        once = files(home)
        assert once != before
        assert there(home).changed == ()
        there(home, domain="shop.hud:SHOP")
        there(home)
        assert files(home) == once
        gone(home)
        assert files(home) == before
        assert gone(home).changed == ()

    def test_what_the_client_writes_meanwhile_stays(self, home: Path) -> None:
        put(home, HOOKS_OF_OTHERS, CONFIG_OF_OTHERS)
        there(home)
        trust = '\n[hooks.state."hooks.json:session_start:1:0"]\ntrusted_hash = "sha256:x"\n'
        with (home / "config.toml").open("a") as file:
            file.write(trust)
        there(home)
        assert (home / "config.toml").read_text().count("[mcp_servers.ujsx]") == 1
        gone(home)
        assert (home / "config.toml").read_text() == CONFIG_OF_OTHERS + trust

    def test_stands_behind_hooks_of_others_which_keep_their_places(self, home: Path) -> None:
        """A hook is trusted by its place."""
        put(home, HOOKS_OF_OTHERS, CONFIG_OF_OTHERS)
        there(home)
        hooks = hooks_of(home)
        assert set(hooks) == {*HOOK_HOSTS["codex"].events, "Stop"}
        assert hooks["SessionStart"][0]["hooks"][0]["command"] == "echo hi"
        config = tomllib.loads((home / "config.toml").read_text())
        assert set(config["mcp_servers"]) == {"files", "ujsx"}
        assert config["mcp_servers"]["ujsx"]["args"][-4:-2] == ["--host", "codex"]

    def test_a_server_of_that_name_that_is_not_ours_is_refused(self, home: Path) -> None:
        put(home, None, '[mcp_servers.ujsx]\ncommand = "other"\n')
        before = files(home)
        with pytest.raises(InstallError, match="not ours"):
            there(home)
        assert files(home) == before
        gone(home)
        assert files(home) == before

    def test_f4_f6_the_tools_for_memory_are_served_where_they_are_asked_for(
        self, home: Path
    ) -> None:
        there(home)
        assert "--memory" not in (home / "config.toml").read_text()
        assert there(home, memory=True).changed == (home / "config.toml",)
        assert tomllib.loads((home / "config.toml").read_text())["mcp_servers"]["ujsx"]["args"][
            -1
        ] == ("--memory")
        assert there(home).changed == (home / "config.toml",)
        assert "--memory" not in (home / "config.toml").read_text()
        there(home, memory=True)
        gone(home)
        assert not (home / "config.toml").exists()

    def test_what_cannot_be_understood_is_refused_and_nothing_is_changed(self, home: Path) -> None:
        put(home, HOOKS_OF_OTHERS, "model = \n")
        before = files(home)
        for act in (there, gone):
            with pytest.raises(InstallError, match=r"config\.toml: it is not TOML"):
                act(home)
        assert files(home) == before

    def test_no_hook_can_take_a_prompt_away(self, home: Path) -> None:
        """Status 2 would; a program that is not there any more ends with another one."""
        there(home, domain="shop.hud:SHOP")
        (home.parent / "hud" / "bridge" / "_client.py").unlink()
        for event, groups in hooks_of(home).items():
            [hook] = groups[0]["hooks"]
            assert hook["timeout"] == HOOK_HOSTS["codex"].events[event].seconds
            assert ("shop.hud:SHOP" in shlex.split(hook["command"])) == (event != "SessionEnd")
            done = subprocess.run(
                ["/bin/sh", "-c", hook["command"]], check=False, input=b"{}", capture_output=True
            )
            assert done.returncode not in (0, 2)

    def test_what_it_keeps_is_for_its_owner_alone(self, home: Path) -> None:
        put(home, HOOKS_OF_OTHERS, CONFIG_OF_OTHERS)
        (home / "config.toml").chmod(0o600)
        done = there(home)
        assert [each.read_text() for each in done.backups] == [HOOKS_OF_OTHERS, CONFIG_OF_OTHERS]
        for each in (home.parent / "hud" / "bridge", home.parent / "hud" / "installed"):
            assert stat.S_IMODE(each.stat().st_mode) == 0o700
        assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in done.backups)
        assert stat.S_IMODE((home / "config.toml").stat().st_mode) == 0o600

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            (["--mode", "tail"], "what they add stays there"),
            (["--mode", "system"], "can only add to the history"),
            (["--mode", "nothing"], "not a mode of codex"),
            (["--project", "."], "are the team's"),
        ],
    )
    def test_what_the_host_cannot_do_is_refused_with_the_reason(
        self,
        home: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
        options: list[str],
        reason: str,
    ) -> None:
        monkeypatch.setenv("CODEX_HOME", str(home))
        monkeypatch.setenv("UJSX_HOME", str(home.parent / "hud"))
        assert main(["install", "codex", *options]) != 0
        assert reason in capsys.readouterr().err
        assert files(home) == {}


@pytest.mark.parametrize(("options", "offers"), [([], "codex"), (["--memory"], "codex+memory")])
def test_the_command_leaves_what_the_server_offers_for_the_first_session(
    home: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], offers: str
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home))
    monkeypatch.setenv("UJSX_HOME", str(home.parent / "hud"))
    assert main(["install", "codex", *options]) == 0
    place = place_of()
    assert DescribedServer(place.socket, offers).read() == described(CODING, offers)
    for each in place.socket.parent.rglob("*"):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600)
