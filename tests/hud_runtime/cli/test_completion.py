"""Completion: what is declared of the commands, and what real shells make of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from hud_runtime import HudStore
from hud_runtime._session_ids import session_ids
from hud_runtime.cli import COMMANDS
from hud_runtime.cli._completion import SCRIPTS, SESSION, VALUES, declared
from hud_runtime.session._hud_store import open_log


@pytest.fixture(scope="module")
def commands():
    return {each.path: each for each in declared()}


class TestDeclared:
    def test_has_every_command_and_every_action(self, commands):
        assert {path for path in commands if path and " " not in path} == {*COMMANDS}
        assert {*commands[""].words} == {*COMMANDS}
        assert {*commands["session"].words} == {*SESSION.actions}
        assert all(f"session {name}" in commands for name in SESSION.actions)

    def test_has_every_option_that_the_help_has(self, commands, ujsx):
        for path, each in commands.items():
            text = ujsx(*path.split(), "--help").out
            for name in {name for option in each.options for name in option.names}:
                assert name in text

    @pytest.mark.parametrize("name", VALUES)
    def test_knows_an_option_or_an_argument_for_each_list_of_values(self, commands, name):
        path, _, what = name.rpartition(" ")
        of = [commands[path]] if path else commands.values()
        found = [
            *(option.values for each in of for option in each.options if what in option.names),
            *([(*commands[path].words,)] if what.isupper() else []),
        ]
        module, _, listed = VALUES[name].partition(":")
        values = tuple(map(str, getattr(import_module(module), listed)))
        assert found
        assert {*found} == {values}
        assert len(found) == 1 or not path

    def test_offers_files_and_sessions_wherever_one_can_be_looked_at(self, commands):
        for path in ("preview", "watch", "explain", "hud", "cost"):
            assert commands[path].takes_files, path
            assert commands[path].takes_sessions, path

    def test_tells_options_with_a_value_from_those_without(self, commands):
        takes = {name: each for each in commands["replay"].options for name in each.names}
        assert takes["--density"].values == ("minimal", "compact", "full")
        assert takes["--json"].takes_value is False


class TestRefusal:
    def test_of_an_unknown_shell_names_the_nearest(self, ujsx):
        assert 'did you mean "bash"?' in ujsx("completion", "bsh").refusal


# What is typed, and what must and must not be among the words that a shell offers for it.
CASES = [
    ("ujsx se", {"session", "serve"}, {"demo"}),
    ("ujsx session l", {"list"}, {"export"}),
    ("ujsx session export --", {"--store", "--as", "--no-pager"}, {"--density"}),
    ("ujsx session export --as ", {"log", "state"}, {"json"}),
    ("ujsx history export --as ", {"json", "markdown"}, {"log"}),
    ("ujsx demo --density c", {"compact"}, {"full"}),
    ("ujsx demo --json --d", {"--density"}, {"--json"}),
    ("ujsx install cl", {"claude-code"}, {"codex"}),
    ("ujsx completion ", {"bash", "zsh", "fish"}, {"demo"}),
    ("ujsx parse not", {"notes to read.md"}, {"session"}),
    ("ujsx parse --to ", {"mdast"}, {"notes to read.md"}),
    ("ujsx hud session ", set(), {"list"}),
    ("ujsx session show shop", {"shop-login", "shop-search"}, {"desk", "list"}),
    ("ujsx session search port --session d", {"desk"}, {"shop-login"}),
    ("ujsx session show --store none.db s", set(), {"shop-login"}),
    ("ujsx history messages s", set(), {"shop-login"}),
]

IDS = (
    "shop-login",
    "shop-search",
    "desk",
    "two\nlines",
    "$(touch run)",
    "`touch run`",
    "mail:shop",
    "a b",
)
"""Sessions of the store that completion looks into."""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory, request):
    """A folder with the script for each shell, and a file to be completed."""
    folder = tmp_path_factory.mktemp("completion")
    for shell, write in SCRIPTS.items():
        (folder / f"ujsx.{shell}").write_text(write(declared()), "utf-8")
    (folder / "notes to read.md").touch()
    with HudStore.open(folder / "home" / "hud.db") as store:
        for each in IDS:
            store.session(each).record("note.add", content="Port 8080")
    return folder


def asked(shell: list[str], folder, text: str) -> str:
    environ = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "UJSX_HOME": str(folder / "home"),
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
    }
    done = subprocess.run(
        shell,
        input=text,
        cwd=folder,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


BASH = """
source ujsx.bash
offer() {
    COMP_LINE=$1 COMP_POINT=${#1}
    read -r -a COMP_WORDS <<< "${1//=/ = }"
    [[ $1 == *[\\ =] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _ujsx
    if (( ${#COMPREPLY[@]} )); then printf '%s\\n' "${COMPREPLY[@]}"
    else compgen -f -- "${COMP_WORDS[COMP_CWORD]}"
    fi
    echo ---
}
"""

FISH = """
source ujsx.fish
function offer
    complete -C $argv | string split -f1 \\t
    echo ---
end
"""

ZSH = """
# The editor's own functions, which only run where somebody types, print what they are given.
compdef() { : }
_describe() { local each; for each in ${(P)${@[-1]}}; do print -r -- ${${each//\\\\:/:}%%:*}; done }
_files() { print -rl -- * }
_message() { : }
compset() { PREFIX=${PREFIX#*=} }
source ./ujsx.zsh
offer() {
    local -a words=(${(z)1})
    [[ $1 == *' ' ]] && words+=('')
    local CURRENT=$#words PREFIX=$words[-1] all
    all=(${(f)"$(_ujsx)"})
    local each
    for each in $all; do [[ $each == ${PREFIX#*=}* ]] && print -r -- $each; done
    echo ---
}
"""


def offered(shell: list[str], folder, before: str, lines: list[str]) -> list[set[str]]:
    calls = "".join(f"offer '{line}'\n" for line in lines)
    return [
        {*part.split("\n")} - {""}
        for part in asked(shell, folder, before + calls).split("---\n")[:-1]
    ]


SHELLS = {
    "bash": (["bash", "--norc"], BASH),
    "zsh": (["zsh", "-f"], ZSH),
    "fish": (["fish", "--no-config"], FISH),
}


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_offers_what_can_come_next(scripts, name):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    shell, before = SHELLS[name]
    for (line, wanted, unwanted), found in zip(
        CASES, offered(shell, scripts, before, [line for line, _, _ in CASES]), strict=True
    ):
        assert (line, wanted - found, unwanted & found) == (line, set(), set())


def test_bash_offers_values_behind_an_equals_sign(scripts):
    lines = ["ujsx demo --density=", "ujsx demo --density=m"]
    found = offered(SHELLS["bash"][0], scripts, BASH, lines)
    assert found == [{"minimal", "compact", "full"}, {"minimal"}]


class TestSessions:
    def test_have_each_id_that_can_stand_in_a_line_the_last_first(self, scripts, ujsx):
        listed = ujsx("session", "list", "--ids", "--store", scripts / "home" / "hud.db").out
        assert listed.splitlines() == [each for each in reversed(IDS) if "\n" not in each]

    def test_are_none_where_there_is_no_store(self, tmp_path, ujsx):
        assert ujsx("session", "list", "--ids", "--store", tmp_path / "none.db").out == ""
        (tmp_path / "other.db").write_text("no database")
        assert ujsx("session", "list", "--ids", "--store", tmp_path / "other.db").out == ""

    def test_are_those_that_the_store_tells(self, scripts):
        path = scripts / "home" / "hud.db"
        with closing(open_log(str(path), read_only=True)) as log:
            assert [*log.sessions()] == session_ids(path)[::-1]

    def test_run_nothing_in_bash_and_are_quoted_there(self, scripts):
        lines = ["ujsx session show ", "ujsx session show mail:s"]
        every, behind_a_colon = offered(SHELLS["bash"][0], scripts, BASH, lines)
        assert {"a\\ b", "\\$\\(touch\\ run\\)", "\\`touch\\ run\\`"} <= every
        assert behind_a_colon == {"shop"}
        assert not (scripts / "run").exists()

    def test_are_listed_without_what_reads_events(self, scripts):
        code = (
            "import sys; from hud_runtime.cli import main; main(['session', 'list', '--ids']);"
            "print({'pydantic', 'msgspec', 'hud_runtime.store'} & {*sys.modules}, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"UJSX_HOME": str(scripts / "home")},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert (len(done.stdout.splitlines()), done.stderr) == (len(IDS) - 1, "set()\n")
