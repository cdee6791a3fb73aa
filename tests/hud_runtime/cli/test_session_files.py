"""``ujsx session export`` and ``import``: sessions as files, there and back."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from hud_runtime import HudStore


@pytest.fixture
def exported(ujsx, store, tmp_path):
    """A file with the log of the session."""
    path = tmp_path / "shop.jsonl"
    assert ujsx("session", "export", "shop", "--to", path, "--store", store).status == 0
    return path


@pytest.fixture
def other(tmp_path):
    """Where another store may come to be."""
    return tmp_path / "other.db"


class TestSession:
    """An exported session where a command wants one that it can show."""

    @pytest.mark.parametrize("turn", [0, 1, 3])
    def test_is_shown_as_that_of_the_store_is(self, ujsx, store, exported, tmp_path, turn):
        layout = tmp_path / "hud.md"
        layout.write_text("<Hud><TaskSection/><NotesSection/></Hud>\n", encoding="utf-8")
        of_store, of_turn = ("shop", "--store", store), ("--turn", turn)
        shown = ujsx("hud", *of_store, *of_turn)
        assert shown.status == 0
        for command in ("replay", "hud"):
            found = ujsx(command, exported, *of_turn)
            assert (found.out, found.err) == (shown.out, shown.err)
        for command in (
            ("explain",),
            ("render", layout, "--session"),
            ("explain", layout, "--session"),
        ):
            assert ujsx(*command, exported, *of_turn).out == ujsx(*command, *of_store, *of_turn).out
        assert ujsx("cost", exported).out == ujsx("cost", *of_store).out

    def test_that_is_broken_says_where(self, ujsx, exported):
        text = exported.read_text("utf-8").replace('"version":2', '"version":7')
        exported.write_text(text, "utf-8")
        assert ujsx("replay", exported).refusal == (
            f"ujsx replay: {exported}: line 3: version 7 is where 2 belongs"
        )

    def test_says_nothing_of_what_was_kept(self, ujsx, exported):
        assert "name the transcript" in ujsx("replay", exported, "--kept").refusal

    def test_has_no_other_sessions(self, ujsx, exported):
        assert ujsx("replay", exported, "--of", "desk").refusal.endswith(
            'has no session "desk": it is that of "shop" alone'
        )

    def test_of_its_state_is_told_from_a_transcript(self, ujsx, store, tmp_path):
        path = tmp_path / "shop.json"
        given = ("session", "export", "shop", "--store", store, "--as", "state", "--to", path)
        assert ujsx(*given).status == 0
        layout = tmp_path / "hud.md"
        layout.write_text("<Hud><TaskSection/></Hud>\n", encoding="utf-8")
        for command in (
            ("replay", path),
            ("hud", "--session", path),
            ("render", layout, "--session", path),
            ("explain", path, "--budget", 90),
        ):
            assert ujsx(*command).refusal == (
                f"ujsx {command[0]}: {path} is a session that was exported, not a transcript: "
                f"`ujsx session import {path}` puts it into a store; then name its id"
            )


class TestExport:
    def test_writes_the_log_as_lines(self, ujsx, store):
        done = ujsx("session", "export", "shop", "--store", store)
        assert (done.status, done.err) == (0, "")
        header, *events = map(json.loads, done.out.splitlines())
        assert header["ujsx"] == "session"
        assert [each["version"] for each in events] == [1, 2, 3, 4]

    def test_to_a_file_makes_it_its_owners_alone(self, ujsx, store, tmp_path):
        path = tmp_path / "shop.jsonl"
        done = ujsx("session", "export", "shop", "--to", path, "--store", store)
        assert (done.status, done.out) == (0, "")
        assert done.err == f'exported "shop" to {path}\n'
        assert path.read_text("utf-8") == ujsx("session", "export", "shop", "--store", store).out
        if os.name != "nt":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_overwrites_nothing(self, ujsx, store, exported):
        before = exported.read_bytes()
        refusal = ujsx("session", "export", "shop", "--to", exported, "--store", store).refusal
        assert refusal.endswith("is there already; name a new file, or remove it")
        assert exported.read_bytes() == before

    def test_that_fails_leaves_no_file(self, ujsx, store, tmp_path, monkeypatch):
        def broken(*_):
            yield "{}\n"
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("hud_runtime.history.exchange.export_log", broken)
        path = tmp_path / "half.jsonl"
        refusal = ujsx("session", "export", "shop", "--to", path, "--store", store).refusal
        assert "No space left" in refusal
        assert [each.name for each in tmp_path.glob("*") if each.name[:6] != "hud.db"] == []

    def test_takes_no_other_files_place_that_came_meanwhile(
        self, ujsx, store, tmp_path, monkeypatch
    ):
        path = tmp_path / "shop.jsonl"

        def slow(*_):
            path.write_text("mine", "utf-8")
            yield "{}\n"

        monkeypatch.setattr("hud_runtime.history.exchange.export_log", slow)
        refusal = ujsx("session", "export", "shop", "--to", path, "--store", store).refusal
        assert "is there already" in refusal
        assert path.read_text("utf-8") == "mine"

    def test_to_a_link_is_refused(self, ujsx, store, tmp_path):
        path = tmp_path / "link"
        path.symlink_to(tmp_path / "elsewhere")
        refusal = ujsx("session", "export", "shop", "--to", path, "--store", store).refusal
        assert "is there already" in refusal
        assert not (tmp_path / "elsewhere").exists()

    def test_needs_no_hard_links(self, ujsx, store, tmp_path, monkeypatch):
        def refused(*_):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(Path, "hardlink_to", refused)
        path = tmp_path / "shop.jsonl"
        assert ujsx("session", "export", "shop", "--to", path, "--store", store).status == 0
        assert path.read_text("utf-8").startswith('{"ujsx"')

    def test_into_a_folder_that_is_not_there_is_refused(self, ujsx, store, tmp_path):
        path = tmp_path / "nowhere" / "shop.jsonl"
        refusal = ujsx("session", "export", "shop", "--to", path, "--store", store).refusal
        assert "cannot be written: No such file or directory" in refusal

    def test_as_a_state_file_has_what_is_current(self, ujsx, store):
        data = ujsx("session", "export", "shop", "--as", "state", "--store", store).data
        assert (data["sessionId"], data["projectPath"]) == ("shop", "/srv/shop")
        assert (data["currentTask"], data["notes"]) == ("Add a login", ["Port 8080"])

    def test_of_a_projects_defaults_as_a_state_file(self, ujsx, store):
        with HudStore.open(store) as opened:
            opened.project("/srv/shop").record("decision.record", summary="Tabs")
        name = "project:/srv/shop"
        data = ujsx("session", "export", name, "--as", "state", "--store", store).data
        assert (data["projectPath"], data["conventions"]) == ("/srv/shop", ["Tabs"])

    def test_in_an_unknown_form_names_the_nearest(self, ujsx, store):
        refusal = ujsx("session", "export", "shop", "--as", "sate", "--store", store).refusal
        assert refusal == 'ujsx session: "sate" is not a form; did you mean "state"?'


class TestImport:
    def test_of_a_log_gives_the_same_session(self, ujsx, store, exported, other):
        done = ujsx("session", "import", exported, "--store", other)
        assert (done.status, done.err) == (0, "")
        assert done.out == 'imported 4 events into "shop"\n'
        again = ujsx("session", "export", "shop", "--store", other).out
        assert again == exported.read_text("utf-8")

    def test_again_changes_nothing(self, ujsx, store, exported):
        data = ujsx("session", "import", exported, "--store", store, "--json").data
        assert data == {"session": "shop", "events": 0, "version": 4}

    def test_goes_on_where_the_store_ends(self, ujsx, exported, other, tmp_path):
        part = tmp_path / "part.jsonl"
        part.write_text("".join(exported.read_text("utf-8").splitlines(keepends=True)[:3]), "utf-8")
        assert "imported 2 events" in ujsx("session", "import", part, "--store", other).out
        assert "imported 2 events" in ujsx("session", "import", exported, "--store", other).out

    def test_reads_standard_input_and_gives_another_name(self, ujsx, store, exported, piped):
        piped(exported.read_bytes())
        out = ujsx("session", "import", "-", "--name", "copy", "--store", store).out
        assert out == 'imported 4 events into "copy"\n'

    def test_of_another_story_of_the_same_name_is_refused(self, ujsx, exported, other):
        with HudStore.open(other) as opened:
            opened.session("shop").record("note.add", content="mine")
        refusal = ujsx("session", "import", exported, "--store", other).refusal
        assert "its event 1 is another one; import under another name" in refusal

    def test_of_a_state_file_begins_a_session(self, ujsx, store, other, tmp_path):
        path = tmp_path / "shop.json"
        path.write_text(ujsx("session", "export", "shop", "--as", "state", "--store", store).out)
        assert ujsx("session", "import", path, "--store", other).status == 0
        with HudStore.open(other) as opened:
            state = opened.session("shop").state()
        assert (state.task.description, state.session.project) == ("Add a login", "/srv/shop")

    def test_of_a_state_file_into_a_session_that_is_there_is_refused(self, ujsx, store, tmp_path):
        path = tmp_path / "shop.json"
        path.write_text('{"sessionId": "shop", "notes": ["new"]}', "utf-8")
        refusal = ujsx("session", "import", path, "--store", store).refusal
        assert 'session "shop" is there already' in refusal
        assert ujsx("session", "import", path, "--name", "new", "--store", store).status == 0

    def test_of_a_projects_file_gives_its_sessions_their_defaults(self, ujsx, store, piped):
        piped('{"projectPath": "/srv/api", "projectNotes": ["make test"]}')
        out = ujsx("session", "import", "-", "--store", store).out
        assert out == 'imported 2 events into "project:/srv/api"\n'
        with HudStore.open(store) as opened:
            [note] = opened.session("new", project="/srv/api").state().notes
        assert note.content == "make test"

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            (b"", "standard input is not a session"),
            (b"# Notes\n", "standard input is not a session"),
            (b"\xff\xfe", "standard input: line 1 is not UTF-8 text"),
            (b"[" * 100_000, "standard input is not a session"),
            (b"[]", "standard input is JSON, but no session"),
            (b'{"name": "x"}', 'a state file has a "sessionId"'),
            (b'{"sessionId": 7}', "standard input: sessionId"),
            (b'{"projectNotes": []}', "standard input holds a project's defaults: --name project:NAME"),
            (b'{"sessionId": "project:x"}', "standard input holds a session, and project:x is for"),
            (b'{"ujsx": "session", "lines": 99, "format": 1}', "line 1: this file is from a newer"),
            (b'{"ujsx": "session", "lines": 1, "format": 1}\n', "line 2: there are no events"),
            (b'{"ujsx": "session", "lines": 1, "format": 1}\n{}', "standard input: line 2: "),
        ],
    )  # fmt: skip
    def test_of_what_is_no_session_says_why_and_where(self, ujsx, other, piped, content, why):
        piped(content)
        assert why in ujsx("session", "import", "-", "--store", other).refusal

    @pytest.mark.parametrize("name", ["new", "project:", "\udcff", " "])
    def test_of_a_projects_file_under_a_name_for_none_is_refused(self, ujsx, store, piped, name):
        piped('{"projectPath": "/srv/api", "projectNotes": ["make test"]}')
        assert ujsx("session", "import", "-", "--name", name, "--store", store).refusal
        assert ujsx("session", "list", "--store", store).out.count("\n") == 2

    @pytest.mark.parametrize("name", ["\udcff", " "])
    def test_under_a_name_that_cannot_be_is_refused(self, ujsx, store, exported, piped, name):
        assert ujsx("session", "import", exported, "--name", name, "--store", store).refusal
        piped('{"sessionId": "x", "notes": ["make test"]}')
        assert ujsx("session", "import", "-", "--name", name, "--store", store).refusal

    def test_of_what_is_no_session_makes_no_store(self, ujsx, other, tmp_path):
        path = tmp_path / "notes.txt"
        path.write_text("# Notes\n", "utf-8")
        assert (
            f"{path} is not a session" in ujsx("session", "import", path, "--store", other).refusal
        )
        assert not other.exists()

    def test_of_a_state_of_a_purged_session_is_refused(self, ujsx, store, tmp_path):
        path = tmp_path / "shop.json"
        ujsx("session", "export", "shop", "--as", "state", "--to", path, "--store", store)
        ujsx("session", "purge", "shop", "--yes", "--store", store)
        refusal = ujsx("session", "import", path, "--store", store).refusal
        assert refusal.endswith(
            f'session "shop" was purged; give what {path} holds another name: --name'
        )

    def test_of_a_purged_session_is_refused(self, ujsx, store, exported):
        ujsx("session", "purge", "shop", "--yes", "--store", store)
        refusal = ujsx("session", "import", exported, "--store", store).refusal
        assert refusal.endswith(
            'session "shop" was purged: its id is not used again; use another name: --name'
        )
        state = ujsx("session", "import", exported, "--store", store, "--name", "shop-2")
        assert state.out == 'imported 4 events into "shop-2"\n'


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_a_named_pipe_is_read_as_a_file_is(process, exported, other, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with process("session", "import", pipe, "--store", other) as running:
        pipe.write_bytes(exported.read_bytes())
        out, err = running.communicate(timeout=30)
    assert (out, err) == ('imported 4 events into "shop"\n', "")
