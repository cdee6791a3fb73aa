"""Limits on what is read at once: files, lines, and what is piped in."""

from __future__ import annotations

import io
import json
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import ExchangeError, LimitError, Limits, TranscriptError, read_transcript
from hud_runtime.cli import main
from hud_runtime.history.exchange import read_session_file
from tests.ids import looped

MESSAGE = json.dumps({"role": "user", "content": "Add a login."}) + "\n"


class TestLimits:
    @looped("value", [0, -1, 1.5, "9", None])
    def test_are_whole_numbers_above_zero(self, value) -> None:
        with pytest.raises(LimitError, match="must be a positive integer"):
            Limits(text=value)

    @pytest.mark.parametrize("value", ["0", "-1", "1e6", "many", "1_000", "٣"])
    def test_of_the_environment_too(self, value: str, monkeypatch, capsys) -> None:
        with pytest.raises(LimitError, match="UJSX_MAX_READ must be a positive integer"):
            Limits.of_environment({"UJSX_MAX_READ": value})
        monkeypatch.setenv("UJSX_MAX_READ", value)
        assert main(["parse", __file__]) == 2
        assert "UJSX_MAX_READ" in capsys.readouterr().err

    def test_that_the_environment_does_not_set_are_the_usual_ones(self) -> None:
        assert Limits.of_environment({"UJSX_MAX_TEXT": ""}) == Limits()

    @given(
        lines=st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"") + b"\n")),
        end=st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")),
        limit=st.integers(1, 10),
    )
    def test_cut_no_line_and_skip_none_but_the_long(self, lines, end, limit: int) -> None:
        limits, file = Limits(read=limit), BytesIO(b"".join((*lines, end)))
        wanted = [line if len(line) <= limit else None for line in (*lines, end)]
        found = [limits.line(file) for _ in wanted]
        assert found == wanted
        assert limits.line(file) == b""


class TestTranscripts:
    def test_may_be_longer_than_a_line_may(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.jsonl"
        path.write_text(MESSAGE * 50)
        assert not read_transcript(path, limits=Limits(read=len(MESSAGE))).problems

    def test_name_a_line_that_is_too_long_and_go_on(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.jsonl"
        long = json.dumps({"role": "assistant", "content": "x" * 500}) + "\n"
        path.write_text(MESSAGE + long + MESSAGE)
        found = read_transcript(path, limits=Limits(read=200))
        [problem] = found.problems
        assert str(problem).startswith("line 2: the line has more than 200 bytes")
        path.write_text(MESSAGE + MESSAGE)
        assert found.drafts == read_transcript(path).drafts

    def test_of_one_value_have_an_end(self, tmp_path: Path) -> None:
        path = tmp_path / "chat.json"
        path.write_text(json.dumps([json.loads(MESSAGE)] * 9, indent=1))
        with pytest.raises(TranscriptError, match=r"has more than 100 bytes.*UJSX_MAX_READ"):
            read_transcript(path, limits=Limits(read=100))
        assert read_transcript(path, limits=Limits(read=path.stat().st_size)).drafts


class TestFiles:
    def test_of_states_have_an_end(self, tmp_path: Path) -> None:
        path = tmp_path / "s.json"
        path.write_text(json.dumps({"sessionId": "s", "notes": ["x" * 99]}))
        with pytest.raises(ExchangeError, match="more than 100 bytes"):
            read_session_file(path, limits=Limits(read=100))

    @pytest.mark.parametrize(
        "arguments",
        [
            ["parse", "FILE"],
            ["parse", "-"],
            ["render", "FILE"],
            ["format", "FILE"],
            ["format", "-"],
            ["layout", "check", "FILE"],
            ["replay", "LOG"],
            ["session", "import", "FILE", "--store", "STORE"],
            ["session", "import", "-", "--store", "STORE"],
        ],
    )
    def test_that_a_command_reads_have_an_end(
        self, arguments, tmp_path: Path, monkeypatch, capsys
    ) -> None:
        path, log = tmp_path / "file.md", tmp_path / "log.jsonl"
        for each in (path, log):
            each.write_text("[\n" + "text\n" * 99)
        monkeypatch.setenv("UJSX_MAX_READ", "100")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        names = {"FILE": str(path), "LOG": str(log), "STORE": str(tmp_path / "hud.db")}
        assert main([names.get(each, each) for each in arguments]) != 0
        complaint = capsys.readouterr().err
        assert " bytes, " in complaint
        assert "UJSX_MAX_READ" in complaint

    def test_of_an_exported_log_have_lines_with_an_end(
        self, tmp_path: Path, monkeypatch, capsys
    ) -> None:
        store, file = str(tmp_path / "hud.db"), tmp_path / "s.jsonl"
        main(["record", "s", "session.start", "--store", store])
        main(["record", "s", "note.add", "--content", "x" * 999, "--store", store])
        capsys.readouterr()
        main(["session", "export", "s", "--store", store])
        file.write_text(capsys.readouterr().out)
        monkeypatch.setenv("UJSX_MAX_READ", "900")
        other = str(tmp_path / "other.db")
        assert main(["session", "import", str(file), "--store", other]) == 2
        assert "line 3 has more than 900 bytes" in capsys.readouterr().err
