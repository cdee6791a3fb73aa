"""What a store's user sets beside it holds for everybody who opens it, and what cannot be is refused with what can."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components.levels import LARGE_WINDOWS, THRESHOLDS
from hud_runtime import HudStore, SettingsError
from hud_runtime.cli import main
from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations import HostSession
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.session import StoreSettings, settings_beside
from tests.ids import looped

FILE = "context.toml"
LONGEST = 65_536

ALL = """\
[thresholds]
yellow = 40
red = 50
critical = 60
tell = ["red", "critical"]

[compaction]
now = "red"
soon = "never"
least = 30
keep = 4000
resets = ["notes"]
append = ["Keep the ticket number."]

[pruning]
never = ["Glob"]
worth = 50
protect = 10000
minimum = 5000
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / FILE).write_text(ALL, "utf-8")
    return tmp_path / "hud.db"


class TestWhoseTheyAre:
    """A store may lie in a folder where others may put files."""

    def test_another_users_are_refused(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = place.with_name(FILE)
        assert settings_beside(place) != StoreSettings()
        if os.geteuid() == 0:
            os.chown(path, 61_002, -1)
        monkeypatch.setattr(os, "geteuid", lambda: 61_001)
        with pytest.raises(SettingsError, match=f"{path} belongs to another user"):
            settings_beside(place)

    def test_those_that_others_may_write_are_refused(self, place: Path) -> None:
        path = place.with_name(FILE)
        path.chmod(0o664)  # by a umask that many systems have
        assert settings_beside(place) != StoreSettings()
        path.chmod(0o666)
        with pytest.raises(SettingsError, match=f"others may write {path}"):
            settings_beside(place)

    def test_a_pipe_in_their_place_is_not_waited_for(self, place: Path) -> None:
        place.with_name(FILE).unlink()
        os.mkfifo(place.with_name(FILE))
        assert settings_beside(place) == StoreSettings()


class TestEverybodyGoesByThem:
    def test_levels_interventions_and_the_hud(self, place: Path) -> None:
        with HudStore.open(place) as store:
            session = store.session("s")
            session.record("context.snapshot", used=104_000, limit=200_000)
            assert session.context().level == "red"
            made = session.intervention()
            assert made is not None
            assert made.level == "red"
            assert "compaction is near" in str(session.hud())

    def test_compaction(self, place: Path) -> None:
        with HudStore.open(place) as store:
            host = HostSession(store.session("s"))
            host.session.record("context.snapshot", used=70_000, limit=200_000)
            asked = host.call("memory_compact", {})
            data: Any = asked.data
            assert data["action"] == "compact"
            assert data["prompt"].endswith("Keep the ticket number.\n")
            host.session.record("compact.failed", error="none")
            host.session.record("context.snapshot", used=104_000, limit=200_000)
            assert host.policy.now == "red"
            assert host.policy.soon is None
            assert host.policy.resets == ("notes",)

    def test_pruning(self, place: Path) -> None:
        listing = "".join(f"src/module_{number}.py\n" for number in range(400))
        with HudStore.open(place) as store:
            host = HostSession(store.session("s"), prune=True)
            host.session.record("context.snapshot", used=130_000, limit=200_000)
            assert host.pruned(ToolOutput(text=listing, tool="Glob")) == listing
            assert host.pruned(ToolOutput(text=listing, tool="LS")) != listing
            assert [each.mode for each in host.session.outputs()] == ["hyper"]

    def test_a_hosts_hooks(self, place: Path) -> None:
        with HudStore.open(place) as store:
            event = {"hook_event_name": "PreCompact", "session_id": "s"}
            told = ClaudeCode(lambda: store).hook(json.dumps(event).encode()).text
            assert told.endswith("\n\nKeep the ticket number.")

    def test_the_command(self, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with HudStore.open(place) as store:
            store.session("s").record("context.snapshot", used=104_000, limit=200_000)
        assert main(["session", "context", "s", "--store", str(place), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["level"] == "red"

    def test_what_a_program_says_itself_wins(self, place: Path) -> None:
        with HudStore.open(place, thresholds=THRESHOLDS) as store:
            assert store.options.thresholds == THRESHOLDS

    def test_without_a_file_nothing_is_set(self, tmp_path: Path) -> None:
        assert settings_beside(tmp_path / "hud.db") == StoreSettings()
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.options.thresholds == THRESHOLDS


@pytest.fixture(scope="module")
def settings_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], StoreSettings]:
    folder = tmp_path_factory.mktemp("settings")

    def read(text: str) -> StoreSettings:
        (folder / FILE).write_text(text, "utf-8")
        return settings_beside(folder / "hud.db")

    return read


class TestReading:
    def test_large_windows_are_a_table(self, settings_in: Callable[[str], StoreSettings]) -> None:
        made = settings_in('[thresholds]\ntable = "large-windows"\n')
        assert made.thresholds == LARGE_WINDOWS
        made = settings_in("[thresholds]\ntell = []\n")
        assert made.thresholds is not None
        assert not any(row.intervenes for row in made.thresholds)

    def test_policies_can_be_switched_off(
        self, settings_in: Callable[[str], StoreSettings]
    ) -> None:
        made = settings_in("[compaction]\nauto = false\n[pruning]\nsmart = false\nold = false\n")
        assert made.compaction is not None
        assert not made.compaction.auto
        assert made.pruning is not None
        assert (made.pruning.smart, made.pruning.old) == (None, None)

    @looped(
        ("text", "told"),
        [
            ("[threshold]\nred = 80", 'there is no table "threshold"; did you mean "thresholds"'),
            ("thresholds = 5", "thresholds is a table"),
            ("[thresholds]\nrd = 80", r'\[thresholds\] has no "rd"; did you mean "red"'),
            ("[thresholds]\nred = 60", "each begins higher"),
            ('[thresholds]\nred = "80"', "a percentage from 0 to 100"),
            ("[thresholds]\nred = true", "a percentage from 0 to 100"),
            ('[thresholds]\ntable = "large"', 'did you mean "large-windows"'),
            ('[thresholds]\ntell = ["green"]', "tell has the level"),
            ('[thresholds]\ntell = "red"', "tell is a list of texts"),
            ('[compaction]\nnow = "blue"', "now is a level"),
            ("[compaction]\nkeep = 1.5", "keep is a number"),
            ("[compaction]\nauto = 1", "auto is true or false"),
            ('[compaction]\nthresholds = "x"', 'has no "thresholds"'),
            ('[compaction]\nappend = "x"', "append is a list of texts"),
            ("[pruning]\nprotect = -1", "protect must be an integer"),
            ("[pruning]\nworth = false", "worth must be an integer"),
            ('[pruning]\nsmart = "no"', "smart is true or false"),
            ('[pruning]\nnever = "skill"', "never is a list of texts"),
            ("[pruning", "cannot be read as TOML"),
            ("a = " + "[" * 5_000, "cannot be read as TOML"),
        ],
    )
    def test_what_cannot_be_is_refused_with_what_can(
        self, tmp_path: Path, text: str, told: str
    ) -> None:
        (tmp_path / FILE).write_text(text, "utf-8")
        with pytest.raises(SettingsError, match=told) as caught:
            HudStore.open(tmp_path / "hud.db")
        assert str(tmp_path / FILE) in str(caught.value)

    def test_what_is_no_file_of_settings_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / FILE).write_bytes(b"\xff\xfe")
        with pytest.raises(SettingsError, match="cannot be read as TOML"):
            settings_beside(tmp_path / "hud.db")
        (tmp_path / FILE).write_bytes(b"#" * (LONGEST + 1))
        with pytest.raises(SettingsError, match="longer than"):
            settings_beside(tmp_path / "hud.db")
        (tmp_path / FILE).unlink()
        (tmp_path / FILE).mkdir()
        with pytest.raises(SettingsError):
            settings_beside(tmp_path / "hud.db")

    def test_the_command_says_so_in_a_sentence(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        HudStore.open(tmp_path / "hud.db").close()
        (tmp_path / FILE).write_text("[thresholds]\nred = 6000", "utf-8")
        assert main(["session", "list", "--store", str(tmp_path / "hud.db")]) == 2
        told = capsys.readouterr().err
        assert "from 0 to 100" in told
        assert told.count("\n") == 1

    values = (
        st.booleans().map(json.dumps)
        | st.integers().map(str)
        | st.floats().map(str)
        | st.text().map(json.dumps)
        | st.lists(st.text()).map(json.dumps)
    )

    names = (
        *("table", "tell", "yellow", "red", "critical", "auto", "now", "soon", "least", "keep"),
        *("resets", "reserved", "prompt", "append", "patience", "pause", "smart", "old", "never"),
        *("worth", "protect", "minimum", "turns", "folder", "events", "bytes"),
    )

    @given(
        table=st.sampled_from(["thresholds", "compaction", "pruning", "outbox"]),
        name=st.text().map(json.dumps) | st.sampled_from(names),
        value=values,
    )
    def test_any_value_is_taken_or_refused(
        self, settings_in: Callable[[str], StoreSettings], table: str, name: str, value: str
    ) -> None:
        with suppress(SettingsError):
            settings_in(f"[{table}]\n{name} = {value}\n")
