"""Settings of Claude Code: changed where needed, kept otherwise byte for byte, and put back."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import stat
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, InstallError
from hud_runtime.integrations.bridge import place_of
from hud_runtime.integrations.claude_code import ClaudeCode, Scope, install, uninstall
from tests.hud_runtime.integrations.inside import HOOK_HOSTS, settings_file

OTHERS = """\
{
    "model": "opus",   "theme":"dark",
    "hooks": {
        "SessionStart": [ { "hooks": [ { "type": "command", "command": "echo hello" } ] } ],
        "PostToolBatch": []
    },
    "statusLine": { "type": "command", "command": "echo 'my line'", "padding": 0 },
    "permissions": {"deny": ["Bash(rm:*)"], "allow": []}
}
"""

STATE = (
    '{\n  "numStartups": 7,\n  "mcpServers": {"files": {"command": "files"}},\n  "projects": {}\n}'
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    config = tmp_path / "config"
    config.mkdir()
    return config


def put(home: Path, settings: str | None, state: str | None) -> None:
    for name, text in (("settings.json", settings), (".claude.json", state)):
        if text is not None:
            (home / name).write_bytes(text.encode())


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


def there(home: Path, **options: Any) -> Any:
    return install(config=home, store=home.parent / "hud" / "hud.db", **options)


def gone(home: Path, project: Path | None = None) -> Any:
    return uninstall(project, config=home, store=home.parent / "hud" / "hud.db")


CASES = [
    (None, None),
    ("{}", "{}"),
    ("{ }\n", ""),
    (OTHERS, STATE),
    (OTHERS.replace("\n", "\r\n"), STATE.replace("  ", "\t")),
    ("\ufeff" + OTHERS, STATE),
    ('{"hooks":{"Stop":[]}}', '{"mcpServers":{}}'),
]


def _refuse(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception | None = None) -> None:
    """Let nobody write a file; rights would not hinder a superuser."""
    write = settings_file.write_file

    def refused(path: Path, text: str, **options: Any) -> None:
        if path.name == name:
            raise error or PermissionError(13, "Permission denied", str(path))
        write(path, text, **options)

    monkeypatch.setattr(settings_file, "write_file", refused)


def _interrupt(monkeypatch: pytest.MonkeyPatch, *, at: int) -> None:
    """Stop before, or right behind, the write of a file: each other one of the numbers."""
    write, writes = settings_file.write_file, itertools.count()

    def interrupted(path: Path, text: str, **options: Any) -> None:
        is_it = next(writes) == at // 2
        if is_it and at % 2 == 0:
            raise KeyboardInterrupt
        write(path, text, **options)
        if is_it:
            raise KeyboardInterrupt

    monkeypatch.setattr(settings_file, "write_file", interrupted)


class TestInstalling:
    @pytest.mark.parametrize(("settings", "state"), CASES)
    def test_and_taking_out_leaves_every_byte(
        self, home: Path, settings: str | None, state: str | None
    ) -> None:
        put(home, settings, state)
        before = files(home)
        there(home)
        assert files(home) != before
        gone(home)
        assert files(home) == before
        assert gone(home).changed == ()

    @pytest.mark.parametrize(("settings", "state"), CASES)
    def test_twice_is_once(self, home: Path, settings: str | None, state: str | None) -> None:
        put(home, settings, state)
        before = files(home)
        there(home)
        once = files(home)
        assert there(home).changed == ()
        assert files(home) == once
        there(home, domain="shop.hud:SHOP")
        there(home)
        assert files(home) == once
        gone(home)
        assert files(home) == before

    def test_a_link_stays_one_whether_its_file_was_there_or_not(self, home: Path) -> None:
        dotfiles = home.parent / "dotfiles.json"
        link = home / "settings.json"
        link.symlink_to(dotfiles)
        for before in (None, OTHERS):
            if before is not None:
                dotfiles.write_text(before)
            there(home)
            assert link.is_symlink()
            assert "hooks" in json.loads(dotfiles.read_text())
            gone(home)
            assert link.is_symlink()
            assert (dotfiles.read_text() if dotfiles.exists() else None) == before

    @pytest.mark.parametrize("error", [PermissionError(13, "denied"), InstallError("a link")])
    def test_a_file_that_cannot_be_written_leaves_all_as_it_was(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        put(home, OTHERS, STATE)
        before = files(home)
        _refuse(monkeypatch, ".claude.json", error)
        with pytest.raises(type(error)):
            there(home)
        assert files(home) == before
        assert [*(home.parent / "hud" / "installed").iterdir()] == []

    def test_what_a_file_was_is_kept_until_it_is_so_again(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(home, OTHERS.replace("{", "{ ", 1), STATE)
        before = files(home)
        there(home)
        with monkeypatch.context() as within:
            _refuse(within, "settings.json")
            with pytest.raises(PermissionError):
                gone(home)
        gone(home)
        assert files(home) == before

    @pytest.mark.parametrize(("settings", "state"), [CASES[0], CASES[2]])
    @pytest.mark.parametrize(("what", "writes"), [("install", 6), ("update", 6), ("uninstall", 0)])
    def test_interrupted_at_any_write_it_still_leaves_every_byte(
        self, home: Path, settings: str | None, state: str | None, what: str, writes: int
    ) -> None:
        put(home, settings, state)
        before = files(home)
        if what == "uninstall":  # what was not there is removed, and not written
            writes = len(before)
        for number in range(2 * writes):
            if what != "install":
                there(home)
            again = partial(gone if what == "uninstall" else partial(there, domain="m:D"), home)
            with pytest.MonkeyPatch.context() as within:
                _interrupt(within, at=number)
                with pytest.raises(KeyboardInterrupt):
                    again()
            gone(home)
            assert files(home) == before

    @pytest.mark.parametrize(("settings", "state"), CASES)
    def test_what_others_change_meanwhile_stays(
        self, home: Path, settings: str | None, state: str | None
    ) -> None:
        put(home, settings, state)
        there(home)
        for name in ("settings.json", ".claude.json"):
            path = home / name
            data = json.loads(path.read_bytes().decode("utf-8-sig"))
            data["others"] = {"hooks": [1]}
            path.write_text(json.dumps(data, indent=3))
        there(home)
        gone(home)
        for name, text in (("settings.json", settings), (".claude.json", state)):
            was: dict[str, Any] = json.loads((text or "").strip("\ufeff \r\n") or "{}")
            now = json.loads((home / name).read_text())
            assert now.pop("others") == {"hooks": [1]}
            assert _without_empty(now) == _without_empty(was)

    def test_stands_beside_hooks_and_servers_of_others(self, home: Path) -> None:
        put(home, OTHERS, STATE)
        there(home)
        settings = json.loads((home / "settings.json").read_text())
        assert settings["hooks"]["SessionStart"][0]["hooks"][0]["command"] == "echo hello"
        assert set(settings["hooks"]) == {
            name for name, each in HOOK_HOSTS["claude-code"].events.items() if not each.is_optional
        }
        assert settings["permissions"]["deny"] == ["Bash(rm:*)", "mcp__ujsx__hook"]
        servers = json.loads((home / ".claude.json").read_text())["mcpServers"]
        assert set(servers) == {"files", "ujsx"}
        assert servers["ujsx"]["alwaysLoad"] is True

    def test_hooks_of_others_that_look_like_ours_stay(self, home: Path) -> None:
        theirs = {"type": "command", "command": "python3", "args": ["/srv/bridge/client.py"]}
        line = {"type": "command", "command": "python3 /srv/bridge/client.py --then x"}
        tool = {"type": "mcp_tool", "server": "ujsx", "tool": "notes"}
        hooks = {"Stop": [{"hooks": [theirs, tool]}]}
        put(home, json.dumps({"hooks": hooks, "statusLine": line}), STATE)
        before = files(home)
        there(home)
        for name in ("settings.json", ".claude.json"):  # nobody knows any more what they were
            (home / name).write_bytes((home / name).read_bytes() + b"\n")
        assert (
            json.loads((home / "settings.json").read_text())["hooks"]["Stop"][:1] == hooks["Stop"]
        )
        gone(home)
        assert {name: text.removesuffix(b"\n") for name, text in files(home).items()} == before

    @pytest.mark.parametrize(
        "form",
        [
            [
                "import sys;sys.path.insert(0,sys.argv[1]);import _client as c;c.run()",
                "/srv/bridge",
            ],
            ["import sys;exec(open(sys.argv[1]).read())", "/srv/bridge/client.py"],
        ],
    )
    def test_hooks_of_an_older_version_are_replaced(self, home: Path, form: list[str]) -> None:
        args = ["-I", "-S", "-c", *form, "/srv/bridge/b.sock", "18", "claude-code"]
        old = {"type": "command", "command": "python3", "args": args}
        line = {"type": "command", "command": shlex.join(["python3", *args])}
        put(
            home,
            json.dumps({"hooks": {"SessionStart": [{"hooks": [old]}]}, "statusLine": line}),
            None,
        )
        there(home)
        settings = json.loads((home / "settings.json").read_text())
        [group] = settings["hooks"]["SessionStart"]
        assert [each["args"] for each in group["hooks"]] != [args]
        assert "--then" not in settings["statusLine"]["command"]
        gone(home)
        assert files(home) == {}

    @pytest.mark.parametrize("settings", [None, "{}", OTHERS])
    def test_by_the_name_of_another_store_nothing_empty_stays(
        self, home: Path, tmp_path: Path, settings: str | None
    ) -> None:
        """What the files were is kept beside the store that they were written for."""
        put(home, settings, None)
        there(home)
        uninstall(config=home, store=tmp_path / "other" / "hud.db")
        assert "{}" not in {text.decode() for text in files(home).values()}
        assert ("settings.json" in files(home)) == (settings == OTHERS)

    def test_a_file_that_a_link_leads_to_stays(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "dotfiles.json").write_text("{}")
        (home / "settings.json").symlink_to(tmp_path / "dotfiles.json")
        there(home)
        uninstall(config=home, store=tmp_path / "other" / "hud.db")
        assert json.loads((tmp_path / "dotfiles.json").read_text()) == {}

    def test_a_server_of_that_name_that_is_not_ours_is_refused(self, home: Path) -> None:
        put(home, OTHERS, '{"mcpServers": {"ujsx": {"command": "ujsx", "args": ["serve"]}}}')
        before = files(home)
        with pytest.raises(InstallError, match=r"\.claude\.json: it has a server ujsx already"):
            there(home)
        assert gone(home).changed == ()
        assert files(home) == before

    @pytest.mark.parametrize(
        ("settings", "state", "why"),
        [
            ('{"hooks": []}', "{}", "hooks is a list, where an object is needed"),
            ('{"hooks": {"SessionStart": {}}}', "{}", "where a list is needed"),
            ("{}", '{"mcpServers": []}', "mcpServers is a list, where an object is needed"),
        ],
    )
    def test_what_holds_no_hooks_and_no_servers_is_refused(
        self, home: Path, settings: str, state: str, why: str
    ) -> None:
        put(home, settings, state)
        before = files(home)
        with pytest.raises(InstallError, match=why):
            there(home)
        assert files(home) == before

    def test_what_cannot_be_understood_is_refused_and_nothing_is_changed(self, home: Path) -> None:
        put(home, OTHERS, "{ // mine\n}")
        before = files(home)
        for act in (there, gone):
            with pytest.raises(InstallError, match=r"\.claude\.json: it is not JSON"):
                act(home)
        assert files(home) == before

    def test_in_one_project_is_in_settings_of_the_person(self, home: Path, tmp_path: Path) -> None:
        project = tmp_path / "shop"
        project.mkdir()
        done = there(home, project=project)
        assert {each.name for each in done.changed} == {"settings.local.json", ".claude.json"}
        state = json.loads((home / ".claude.json").read_text())
        assert set(state["projects"][str(project)]["mcpServers"]) == {"ujsx"}
        gone(home, project)
        assert files(home) == {}
        assert files(project) == {}

    @pytest.mark.parametrize(("settings", "state"), [CASES[0], CASES[3]])
    @pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
    def test_in_all_projects_and_in_some_each_is_a_part_of_its_own(
        self, home: Path, tmp_path: Path, settings: str | None, state: str | None, order: list[int]
    ) -> None:
        """They share a file, and come and go in any order."""
        put(home, settings, state)
        before = files(home)
        scopes = [None, tmp_path / "shop", tmp_path / "farm"]
        for each in scopes:
            if each is not None:
                each.mkdir()
            there(home, project=each)
        for each in scopes:
            assert there(home, project=each).changed == ()
        for taken, number in enumerate(order, 1):
            gone(home, scopes[number])
            left = {scopes[each] for each in order[taken:]}
            told = json.loads((home / ".claude.json").read_bytes() or b"{}") if left else {}
            assert ("ujsx" in told.get("mcpServers", {})) == (None in left)
            found = {
                name for name, each in told.get("projects", {}).items() if "mcpServers" in each
            }
            assert found == {str(each) for each in left if each is not None}
        assert files(home) == before

    def test_a_project_with_a_hud_of_its_own_has_that_one_alone(
        self, home: Path, tmp_path: Path
    ) -> None:
        """The host runs the hooks of both; the one for all projects stands back."""
        project = tmp_path / "shop"
        (project / "src").mkdir(parents=True)
        there(home)
        there(home, project=project, domain="shop.hud:SHOP")
        store = home.parent / "hud" / "hud.db"
        scopes = [Scope(place_of(store, each).socket) for each in (None, "shop.hud:SHOP")]

        def answering(session: str, folder: Path) -> list[bool]:
            return [each.has(session, str(folder)) for each in scopes]

        assert answering("a", project / "src") == [False, True]
        assert answering("a", tmp_path) == [False, True]  # the agent is somewhere else by now
        assert answering("b", tmp_path) == [True, True]
        with HudStore.open(":memory:") as opened:
            claude = ClaudeCode(lambda: opened, socket=place_of(store).socket)
            for folder, is_told in ((project, False), (tmp_path, True)):
                event = {"hook_event_name": "UserPromptSubmit", "prompt": "Go on.", "session_id": folder.name, "cwd": str(folder)}  # fmt: skip
                assert bool(claude.hook(json.dumps(event).encode()).text) == is_told
        own = project / ".claude" / "settings.local.json"
        own.write_text("{")
        assert answering("c", project) == [True, True]
        own.unlink()
        os.mkfifo(own)  # nobody waits for what comes out of it
        assert answering("d", project) == [True, True]

    def test_hooks_carry_their_domain_and_their_store(self, home: Path) -> None:
        there(home, domain="shop.hud:SHOP")
        settings = json.loads((home / "settings.json").read_text())
        [hook] = settings["hooks"]["SessionStart"][0]["hooks"]
        assert hook["args"][-2:] == ["--domain", "shop.hud:SHOP"]
        assert str(home.parent / "hud" / "hud.db") in hook["args"]

    def test_f4_f6_the_tools_for_memory_are_served_where_they_are_asked_for(
        self, home: Path
    ) -> None:
        def arguments() -> list[str]:
            found = json.loads((home / ".claude.json").read_text())["mcpServers"]["ujsx"]["args"]
            return list(found)

        there(home)
        assert "--memory" not in arguments()
        assert there(home, memory=True).changed == (home / ".claude.json",)
        assert arguments()[-1] == "--memory"
        assert there(home, memory=True).changed == ()
        assert there(home).changed == (home / ".claude.json",)
        assert "--memory" not in arguments()
        there(home, memory=True)
        gone(home)
        assert files(home) == {}

    def test_no_hook_can_block_a_prompt(self, home: Path) -> None:
        """A program that is not there any more ends with any status but 2."""
        there(home)
        settings = json.loads((home / "settings.json").read_text())
        client = home.parent / "hud" / "bridge" / "_client.py"
        client.unlink()
        for event in (
            n for n, each in HOOK_HOSTS["claude-code"].events.items() if each.server_fields is None
        ):
            [hook] = settings["hooks"][event][0]["hooks"]
            done = subprocess.run(
                [hook["command"], *hook["args"]], check=False, input=b"{}", capture_output=True
            )
            assert done.returncode not in (0, 2)

    def test_a_link_stays_one_and_permissions_stay(self, home: Path, tmp_path: Path) -> None:
        real = tmp_path / "dotfiles.json"
        real.write_text("{}")
        real.chmod(0o640)
        (home / "settings.json").symlink_to(real)
        there(home)
        assert (home / "settings.json").is_symlink()
        assert stat.S_IMODE(real.stat().st_mode) == 0o640
        assert "hooks" in real.read_text()

    def test_what_it_keeps_is_for_its_owner_alone(self, home: Path) -> None:
        put(home, OTHERS, STATE)
        done = there(home)
        assert [each.read_text() for each in done.backups] == [OTHERS, STATE]
        kept = home.parent / "hud"
        for each in (kept, kept / "bridge", kept / "installed"):
            assert stat.S_IMODE(each.stat().st_mode) == 0o700
        assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in done.backups)

    def test_the_status_line_passes_on_to_the_one_before(self, home: Path) -> None:
        put(home, OTHERS, STATE)
        there(home)
        line = json.loads((home / "settings.json").read_text())["statusLine"]
        assert line["padding"] == 0
        words = shlex.split(line["command"])
        assert words[words.index("--then") + 1] == "echo 'my line'"
        without_bridge = words[: words.index("--then") + 2]
        done = subprocess.run(
            without_bridge, check=False, input=b"{}", capture_output=True, env=os.environ
        )
        assert (done.returncode, done.stdout) == (0, b"my line\n")


def _without_empty(value: Any) -> Any:
    """What is left of a container once what is empty in it may have gone."""
    if isinstance(value, dict):
        return {
            key: kept for key, each in value.items() if (kept := _without_empty(each)) or each == 0
        }
    return value
