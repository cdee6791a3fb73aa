"""``ujsx edit``, with editors that are scripts."""

from __future__ import annotations

import io
import json
import os
import shlex
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore

TOOL = """
import sys
from pathlib import Path
path = Path(sys.argv[-1])
text = path.read_text(encoding="utf-8")
for old, new in zip(sys.argv[1:-1:2], sys.argv[2:-1:2]):
    assert old in text, text
    text = text.replace(old, new)
path.write_text(text, encoding="utf-8")
"""
"""An editor: replaces texts that it is given, in the file that is named last."""


TWICE = """
import sys
from pathlib import Path
path = Path(sys.argv[-1])
text = path.read_text(encoding="utf-8")
path.write_text(text.replace("*8080*", "9090").replace(" 8080", " *8080*"), encoding="utf-8")
"""
"""An editor: makes a mistake, and mends it when it is called again."""


class Terminal(io.StringIO):
    """A terminal with somebody before it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "hud.db"
    with HudStore.open(path) as store:
        session = store.session("shop")
        session.record("task.set", description="Add login")
        session.record("note.add", content="Port 8080")
        session.record("step.add", description="Write the model")
    return path


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, which a test can look into."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.delenv("VISUAL", raising=False)
    return folder


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make an editor that runs a program in Python."""

    def use(source: str, *arguments: object) -> None:
        path = tmp_path / "editor.py"
        path.write_text(source, encoding="utf-8")
        # without site-packages it starts in no time
        command = [sys.executable, "-S", str(path), *map(str, arguments)]
        monkeypatch.setenv("EDITOR", shlex.join(command))

    return use


@pytest.fixture
def replace(script: Callable[..., None]) -> Callable[..., None]:
    """Make an editor that replaces texts, each with the one behind it."""
    return lambda *texts: script(TOOL, *texts)


def types(store: Path) -> list[str]:
    with HudStore.open(store) as opened:
        return [event.type for event in opened.session("shop").events(after=4)]


def kept(temporary: Path) -> list[Path]:
    return [*temporary.rglob("hud.md")]


class TestEdit:
    def test_an_edit_is_recorded(
        self, ujsx: Any, store: Path, temporary: Path, replace: Any
    ) -> None:
        replace("8080", "8081", "Write the model", "~~Write the model~~")
        done = ujsx("edit", "--session", "shop", "--store", store)
        assert done.status == 0
        assert done.out.splitlines() == [
            "notes.update id='n-3' content='Port 8081'",
            "steps.complete id='s-4'",
        ]
        assert types(store) == ["note.update", "step.complete"]
        assert kept(temporary) == []
        assert [*temporary.iterdir()] == []

    def test_no_edit_records_nothing(self, ujsx: Any, store: Path, replace: Any) -> None:
        replace()
        done = ujsx("edit", "--session", "shop", "--store", store)
        assert (done.status, done.out, done.err) == (0, "", "nothing was changed\n")
        assert types(store) == []

    def test_the_changes_as_data(self, ujsx: Any, store: Path, replace: Any) -> None:
        replace("8080", "8081")
        done = ujsx("edit", "--session", "shop", "--store", store, "--json")
        [change] = done.data["operations"]
        assert change["op"] == "notes.update"
        assert change["arguments"] == {"id": "n-3", "content": "Port 8081"}
        assert (done.data["recorded"], done.data["kept"], done.data["problems"]) == (True, None, [])

    def test_the_file_is_private(self, ujsx: Any, store: Path, tmp_path: Path, script: Any) -> None:
        modes = tmp_path / "modes.json"
        script(
            "import json, os, sys\n"
            "path = sys.argv[-1]\n"
            "modes = [os.stat(each).st_mode for each in (path, os.path.dirname(path))]\n"
            "json.dump(modes, open(sys.argv[1], 'w'))\n",
            modes,
        )
        before = os.umask(0)
        try:
            ujsx("edit", "--session", "shop", "--store", store)
        finally:
            os.umask(before)
        assert [stat.S_IMODE(mode) for mode in json.loads(modes.read_text())] == [0o600, 0o700]

    def test_a_dry_run_records_nothing_and_keeps_the_text(
        self, ujsx: Any, store: Path, temporary: Path, replace: Any
    ) -> None:
        replace("8080", "8081")
        done = ujsx("edit", "--session", "shop", "--store", store, "--dry-run")
        assert (done.status, done.out) == (0, "notes.update id='n-3' content='Port 8081'\n")
        assert types(store) == []
        [file] = kept(temporary)
        replace()
        ujsx("edit", "--session", "shop", "--store", store, "--resume", file)
        assert types(store) == ["note.update"]


class TestProblems:
    def test_problems_are_told_and_the_text_is_kept(
        self, ujsx: Any, store: Path, temporary: Path, replace: Any
    ) -> None:
        replace("Port 8080", "Port *8080*", "Add login", "Add logout")
        done = ujsx("edit", "--session", "shop", "--store", store)
        [file] = kept(temporary)
        assert (done.status, done.out) == (1, "")
        problem, count, where = done.err.splitlines()
        line = file.read_text("utf-8").splitlines().index("- `n-3` Port *8080*") + 1
        assert problem.startswith(f"line {line}, column 1: Notes: this is not a note")
        assert count == "1 problem, and nothing is recorded"
        assert where == f"the text is kept in {file}; --resume opens it again"
        assert types(store) == []

    def test_a_kept_text_is_opened_again(
        self, ujsx: Any, store: Path, temporary: Path, replace: Any
    ) -> None:
        replace("Port 8080", "Port *8080*", "Add login", "Add logout")
        ujsx("edit", "--session", "shop", "--store", store)
        [file] = kept(temporary)
        replace("*8080*", "8080")
        done = ujsx("edit", "--session", "shop", "--store", store, "--resume", file)
        assert (done.status, done.out) == (0, "task.update description='Add logout'\n")
        assert kept(temporary) == [file]

    @pytest.mark.parametrize("reply", ["\n", "n\n", ""])
    def test_a_terminal_is_asked_whether_to_open_the_text_again(
        self, ujsx: Any, store: Path, monkeypatch: pytest.MonkeyPatch, script: Any, reply: str
    ) -> None:
        script(TWICE)
        monkeypatch.setattr("sys.stdin", Terminal(reply))
        errors = Terminal()
        monkeypatch.setattr("sys.stderr", errors)
        done = ujsx("edit", "--session", "shop", "--store", store)
        assert "Enter opens the text again" in errors.getvalue()
        is_opened = reply == "\n"
        assert (done.status == 0, types(store) == ["note.update"]) == (is_opened, is_opened)

    def test_problems_as_data(self, ujsx: Any, store: Path, temporary: Path, replace: Any) -> None:
        replace("`n-3`", "`n-4`")
        done = ujsx("edit", "--session", "shop", "--store", store, "--json")
        assert done.status == 1
        assert done.data["problems"][0]["field"] == "id"
        assert (done.data["recorded"], done.data["kept"]) == (False, str(kept(temporary)[0]))

    def test_a_change_of_somebody_else_is_a_conflict(
        self, ujsx: Any, store: Path, temporary: Path, replace: Any
    ) -> None:
        replace("8080", "8081")
        ujsx("edit", "--session", "shop", "--store", store, "--dry-run")
        meanwhile = ("--id", "n-3", "--content", "Port 9090")
        ujsx("record", "shop", "note.update", *meanwhile, "--store", store)
        [file] = kept(temporary)
        replace()
        done = ujsx("edit", "--session", "shop", "--store", store, "--resume", file)
        assert done.status == 1
        clash, conflict, _ = done.err.splitlines()
        assert clash.endswith(
            "somebody else has changed it meanwhile: notes.update id='n-3' content='Port 8081'"
        )
        assert conflict.startswith("the session was changed while you edited it, and nothing is")
        assert types(store) == ["note.update"]
        assert all("8081" in each.read_text("utf-8") for each in kept(temporary))
        replace("8081", "8080", "Add login", "Add logout")  # what clashes is taken back
        done = ujsx("edit", "--session", "shop", "--store", store, "--resume", file)
        assert (done.status, types(store)) == (0, ["note.update", "task.update"])

    def test_a_change_of_another_item_is_none(
        self, ujsx: Any, store: Path, temporary: Path, replace: Any
    ) -> None:
        replace("8080", "8081")
        ujsx("edit", "--session", "shop", "--store", store, "--dry-run")
        ujsx("record", "shop", "note.add", "--content", "Ask Ada", "--store", store)
        [file] = kept(temporary)
        replace()
        done = ujsx("edit", "--session", "shop", "--store", store, "--resume", file)
        assert done.status == 0
        with HudStore.open(store) as opened:
            notes = opened.session("shop").state().notes
        assert [note.content for note in notes] == ["Port 8081", "Ask Ada"]

    def test_takes_the_session_by_its_place_too(self, ujsx: Any, store: Path, replace: Any) -> None:
        replace("8080", "8081")
        assert ujsx("edit", "shop", "--store", store).status == 0
        assert types(store) == ["note.update"]


class TestEditors:
    def test_visual_comes_first(
        self, ujsx: Any, store: Path, monkeypatch: pytest.MonkeyPatch, replace: Any
    ) -> None:
        replace()
        monkeypatch.setenv("VISUAL", os.environ["EDITOR"])
        monkeypatch.setenv("EDITOR", "no-such-editor")
        assert ujsx("edit", "--session", "shop", "--store", store).status == 0

    def test_no_shell_reads_the_command(
        self, ujsx: Any, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        touched = tmp_path / "touched"
        quiet = shlex.join([sys.executable, "-c", "pass"])
        monkeypatch.setenv("EDITOR", f"{quiet}; touch {touched} #")
        ujsx("edit", "--session", "shop", "--store", store)
        assert not touched.exists()

    def test_an_editor_that_is_not_there(
        self, ujsx: Any, store: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("EDITOR", "no-such-editor -w")
        refusal = ujsx("edit", "--session", "shop", "--store", store).refusal
        assert "no-such-editor" in refusal
        assert refusal.endswith("nothing is recorded; set $EDITOR")
        assert [*temporary.iterdir()] == []

    def test_an_editor_that_is_no_command(
        self, ujsx: Any, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("EDITOR", "vim '")
        refusal = ujsx("edit", "--session", "shop", "--store", store).refusal
        assert refusal.endswith("nothing is recorded; set $EDITOR")

    def test_an_editor_that_fails_leaves_the_text(
        self, ujsx: Any, store: Path, temporary: Path, script: Any
    ) -> None:
        script(TOOL + "sys.exit(3)\n", "8080", "8081")
        done = ujsx("edit", "--session", "shop", "--store", store)
        [file] = kept(temporary)
        assert done.status == 2
        assert done.err.splitlines()[0] == f"the text is kept in {file}; --resume opens it again"
        assert "Editing failed; nothing is recorded" in done.err
        assert types(store) == []

    def test_a_text_that_is_no_utf_8_is_kept(
        self, ujsx: Any, store: Path, temporary: Path, script: Any
    ) -> None:
        script("import sys\nopen(sys.argv[-1], 'wb').write(b'\\xff')\n")
        done = ujsx("edit", "--session", "shop", "--store", store)
        assert done.status == 2
        assert "is not UTF-8 text" in done.err
        assert kept(temporary)[0].read_bytes() == b"\xff"


class TestRefusals:
    def test_an_unknown_session(self, ujsx: Any, store: Path) -> None:
        refusal = ujsx("edit", "--session", "shp", "--store", store).refusal
        assert 'did you mean "shop"?' in refusal

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("# HUD\n", "does not begin with <!-- Version N. … -->"),
            ("<!-- Version 99. -->\n\n# HUD\n", "was made from version 99"),
        ],
    )
    def test_a_text_of_no_known_version(
        self, ujsx: Any, store: Path, tmp_path: Path, text: str, sentence: str
    ) -> None:
        file = tmp_path / "kept.md"
        file.write_text(text, encoding="utf-8")
        assert (
            sentence
            in ujsx("edit", "--session", "shop", "--store", store, "--resume", file).refusal
        )
