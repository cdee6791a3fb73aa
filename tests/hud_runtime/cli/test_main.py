"""What holds for every subcommand: help, versions, refusals, and ways to end."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import hud_runtime.cli
from hud_runtime.cli import BAD_INPUT, COMMANDS, main
from tests.ids import looped
from ujsx import __version__

NAMES = [*COMMANDS]


class TestHelp:
    def test_lists_every_command_with_its_summary(self, ujsx):
        done = ujsx("--help")
        assert done.status == 0
        shown = [command for command in COMMANDS.values() if not command.is_hidden]
        for command in shown:
            assert re.search(
                rf"^{command.name} +{re.escape(command.summary)}$", done.out, re.MULTILINE
            )

    def test_fits_a_screen(self, ujsx):
        """Of 24 lines with 80 columns."""
        lines = ujsx("--help").out.splitlines()
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 80

    def test_does_not_list_what_hosts_call(self, ujsx):
        hidden = [command.name for command in COMMANDS.values() if command.is_hidden]
        assert hidden == ["hook", "statusline", "bridge"]
        assert not re.search(rf"^({'|'.join(hidden)}) ", ujsx("--help").out, re.MULTILINE)

    def test_of_all_has_at_most_forty_things_to_do(self):
        shown = [command for command in COMMANDS.values() if not command.is_hidden]
        assert len(shown) <= 22
        assert sum(len(command.actions) or 1 for command in shown) <= 40

    def test_is_what_no_argument_gives(self, ujsx):
        assert ujsx() == ujsx("--help")

    @looped("name", NAMES)
    def test_of_a_command_names_it_and_says_what_it_does(self, ujsx, name):
        done = ujsx(name, "--help")
        assert (done.status, done.err) == (0, "")
        assert done.out.lower().startswith(f"usage: ujsx {name} ")
        assert re.search(r"\n\n +[A-Z][a-z]+ |\n\n[A-Z][a-z]+ ", done.out)

    @looped("columns", [60, 80])
    @looped("name", NAMES)
    def test_keeps_within_the_terminal(self, ujsx, monkeypatch, name, columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert max(map(len, ujsx(name, "--help").out.splitlines())) <= columns


class TestVersion:
    @looped("arguments", [[], *([name] for name in NAMES)], ids=str)
    def test_is_told_everywhere(self, ujsx, arguments):
        done = ujsx(*arguments, "--version")
        assert (done.status, done.out, done.err) == (0, f"ujsx {__version__}\n", "")


class TestOtherNames:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            (["--max-tokens", "60"], ["--budget", "60"]),
            (["--detail=minimal"], ["--density", "minimal"]),
        ],
    )
    def test_an_option_of_another_tool_is_that_of_ours(self, ujsx, demo, typed, meant):
        assert ujsx("hud", demo, *typed).out == ujsx("hud", demo, *meant).out != ""

    def test_a_file_is_not_taken_for_something_else(self, ujsx, tmp_path):
        page = tmp_path / "page.md"
        page.write_text("# a\n")
        assert "there is no --output" in ujsx("parse", page, "--output", "tree.json").refusal

    @looped(
        ("typed", "line"),
        [
            ("render --watch hud.md", "there is no --watch; write ujsx preview --terminal"),
            ("hud demo --follow", "there is no --follow; write ujsx session tail --follow SESSION"),
            ("render hud.md --out hud.txt", "there is no --out; write > FILE"),
            ("notes add tests", "write ujsx record SESSION TYPE"),
        ],
    )
    def test_what_another_command_does_is_answered_with_its_line(self, ujsx, typed, line):
        assert ujsx(*typed.split()).refusal.endswith(line)

    def test_behind_two_dashes_nothing_is_an_option(self, ujsx):
        assert "--max-tokens" in ujsx("hud", "--", "--max-tokens").refusal


class TestRefusal:
    def test_of_an_unknown_command_names_the_nearest(self, ujsx):
        assert (
            ujsx("explian").refusal == 'ujsx: "explian" is not a command; did you mean "explain"?'
        )

    def test_of_an_unknown_option_names_the_nearest(self, ujsx):
        assert ujsx("demo", "--jsno").refusal == (
            'ujsx demo: there is no --jsno; did you mean "--json"?'
        )

    def test_of_an_option_like_no_other_points_to_the_help(self, ujsx):
        assert ujsx("--frobnicate=1").refusal == (
            "ujsx: there is no --frobnicate; there are --no-pager, --version, --help, --completion; see ujsx --help"
        )

    def test_of_a_shortened_option_does_not_guess(self, ujsx):
        assert ujsx("demo", "--js").status == 2

    def test_of_one_argument_too_many_quotes_it(self, ujsx):
        assert ujsx("demo", "me").refusal == (
            'ujsx demo: "me" is one argument too many; see ujsx demo --help'
        )

    @looped(
        ("name", "what"),
        [
            ("parse", "required: FILE"),
            ("session", "required: ACTION"),
            ("hud", "one of the arguments FILE_OR_ID --session is required"),
        ],
    )
    def test_of_a_missing_argument_names_it(self, ujsx, name, what):
        assert what in ujsx(name).refusal

    @looped(
        ("arguments", "sentence"),
        [
            (["session", "list", "--store"], "argument --store: it requires an argument; see ujsx session list --help"),
            (["demo", "--json=1"], "argument --json: it does not take a value; see ujsx demo --help"),
            (["bridge", "extra"], '"extra" is one argument too many; see ujsx bridge --help'),
            (["parse", "--file", "x.md"], "there is no --file; give it by position: ujsx parse FILE"),
        ],
    )  # fmt: skip
    def test_of_a_value_out_of_place_names_the_help(self, ujsx, arguments, sentence):
        assert ujsx(*arguments).refusal == f"ujsx {arguments[0]}: {sentence}"

    def test_cannot_be_made_to_steer_the_terminal(self, ujsx):
        assert ujsx("parse", "\x1b[2J\nx.md").refusal.startswith(
            "ujsx parse: there is no file ␛[2J x.md;"
        )


class TestEnd:
    def test_a_reader_that_has_seen_enough_is_no_failure(self, process):
        with process("demo") as running:
            assert running.stdout.readline().startswith("An agent builds")
            running.stdout.close()
            assert running.stderr.read() == ""
        assert running.returncode == 0

    def test_a_reader_that_was_never_there_is_no_failure(self, process):
        reading, writing = os.pipe()
        os.close(reading)
        with process("--help", anew=True, stdout=writing) as running:
            os.close(writing)
            assert running.stderr.read() == ""
        assert running.returncode == 0

    @pytest.mark.skipif(os.name == "nt", reason="there is no such file on Windows")
    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
    def test_a_full_disk_is_told_in_a_sentence(self, process):
        with (
            Path("/dev/full").open("w", encoding="utf-8") as full,
            process("--version", anew=True, stdout=full) as running,
        ):
            told = running.stderr.read()
        assert told == "ujsx: the output cannot be written: No space left on device\n"
        assert running.returncode == 2

    def test_no_place_for_temporary_files_is_told_in_a_sentence(self, ujsx, demo, monkeypatch):
        def refused(**_):
            raise PermissionError(13, "Permission denied", "/var/tmp/ujsx-x")

        monkeypatch.setattr("hud_runtime.history.exchange.TemporaryDirectory", refused)
        assert ujsx("replay", demo).refusal == "ujsx replay: /var/tmp/ujsx-x: Permission denied"

    def test_an_interrupt_is_silent(self, ujsx, monkeypatch):
        def interrupted(_):
            raise KeyboardInterrupt

        monkeypatch.setattr("ujsx.mdast.from_markdown", interrupted)
        monkeypatch.setattr("hud_runtime.cli.abandon", lambda: None)
        done = ujsx("demo")
        assert (done.status, done.out, done.err) == (130, "", "")

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for a child")
    def test_an_interrupted_process_leaves_no_traceback(self, process, tmp_path):
        pipe = tmp_path / "slow.md"
        os.mkfifo(pipe)
        with process("parse", pipe, anew=True) as running:
            with pipe.open("w", encoding="utf-8"):  # opens once the command reads, and waits
                running.send_signal(signal.SIGINT)
                assert running.wait(timeout=30) == 130
            assert running.stderr.read() == ""

    def test_a_closed_standard_output_is_no_failure(self, ujsx, monkeypatch):
        monkeypatch.setattr(sys, "stdout", None)
        assert main(["--version"]) == 0
        assert main(["doctor"]) == 0

    def test_a_mistake_of_ours_is_not_hidden(self, ujsx, monkeypatch):
        def mistaken(_):
            raise ZeroDivisionError

        monkeypatch.setattr("ujsx.mdast.from_markdown", mistaken)
        with pytest.raises(ZeroDivisionError):
            ujsx("demo")


class TestModule:
    def test_is_the_same_command(self, process):
        out, err = process("--version", anew=True).communicate()
        assert (out, err) == (f"ujsx {__version__}\n", "")

    def test_is_what_the_installed_command_calls(self):
        installed = [each for each in entry_points(group="console_scripts") if each.name == "ujsx"]
        if not installed:
            pytest.skip("ujsx is not installed here; its source is on the path")
        assert installed[0].load() is hud_runtime.cli.main


class TestStart:
    @pytest.mark.parametrize(
        "given",
        [["--version"], ["--help"], ["session", "tail", "--help"], ["hud", "--help"]],
        ids=str,
    )
    def test_waits_for_nothing_heavy(self, process, given):
        environ = os.environ | {"PYTHONPROFILEIMPORTTIME": "1"}
        environ["PYTHONPATH"] = str(Path(hud_runtime.cli.__file__).parents[2])
        _, err = process(*given, anew=True, env=environ).communicate()
        imported = {line.rpartition("|")[2].strip() for line in err.splitlines()}
        assert "hud_runtime.cli" in imported
        assert not imported & {
            "pydantic",
            "msgspec",
            "markdown_it",
            "mistune",
            "sqlite3",
            "asyncio",
        }

    @pytest.mark.parametrize(
        "given", [["hook", "codex", "--help"], ["statusline", "--version"], ["bridge", "--check"]]
    )
    def test_of_what_hosts_call_does_not_wait_for_click(self, process, given):
        environ = os.environ | {"PYTHONPROFILEIMPORTTIME": "1"}
        environ["PYTHONPATH"] = str(Path(hud_runtime.cli.__file__).parents[2])
        with process(*given, anew=True, env=environ) as running:
            _, err = running.communicate()
        assert running.returncode == 0
        imported = {line.rpartition("|")[2].strip() for line in err.splitlines()}
        assert "hud_runtime.cli" in imported
        assert "click" not in imported


class TestOutput:
    def test_that_the_encoding_lacks_is_escaped(self, ujsx, monkeypatch):
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["demo", "--density", "minimal"]) == 0
        assert b"**\\u26a0 Blocked:**" in stream.buffer.getvalue()


@looped("given", [(), ("bogus",), ("codex", "--nope")])
def test_no_mistake_in_a_hook_takes_a_prompt_away(ujsx, given):
    done = ujsx("hook", *given)
    assert done.status != BAD_INPUT
    assert (done.status == 1) == bool(done.err)
