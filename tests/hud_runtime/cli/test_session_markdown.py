"""``ujsx session import AGENTS.md`` and ``ujsx session export --into AGENTS.md``."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hud_runtime import HudStore

TEXT = "Hello.\r\n\r\n# Rules\r\n\r\n* _Never_ push to main\r\n\r\n# Build\r\n\r\nRun make.\r\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "AGENTS.md"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture
def other(tmp_path):
    return tmp_path / "other.db"


class TestImport:
    def test_adds_to_the_session_of_the_file_s_folder(self, ujsx, file, other):
        found = ujsx("session", "import", file, "--store", other)
        assert found.out == (
            f'imported 2 events into "{file.parent}": session.start, 1 rule\n'
            "2 blocks are not items and stay as they are: lines 1, 9\n"
        )
        again = ujsx("session", "import", file, "--store", other, "--json")
        assert again.data == {
            "session": str(file.parent),
            "events": 0,
            "version": 2,
            "items": {},
            "left": [{"line": 1, "text": "Hello."}, {"line": 9, "text": "Run make."}],
        }

    def test_adds_to_a_session_that_is_named(self, ujsx, file, store):
        given = ("--store", store, "--name", "shop")
        assert ujsx("session", "import", file, *given, "--actor", "user").status == 0
        assert "**Rules:** Never push to main\n" in ujsx("hud", "shop", "--store", store).out

    def test_refuses_a_file_without_a_heading_that_it_knows(self, ujsx, tmp_path, other):
        path = tmp_path / "x.md"
        path.write_text("# Hello\n\n- a\n")
        assert ujsx("session", "import", path, "--store", other).refusal == (
            f"ujsx session: {path} has nothing to import: it has no items under a heading such as Task, "
            "Decisions, Next steps, ⚠ Blockers, Notes, Rules"
        )
        assert not other.exists()

    def test_refuses_an_actor_for_another_file(self, ujsx, tmp_path, other):
        path = tmp_path / "x.json"
        path.write_text("{}")
        refusal = ujsx("session", "import", path, "--actor", "user", "--store", other).refusal
        assert "--actor is for a Markdown file" in refusal

    def test_two_at_once_import_it_once(self, process, file, other):
        HudStore.open(other).close()
        both = [process("session", "import", file, "--store", other) for _ in range(2)]
        assert [(each.communicate()[1], each.wait())[1] for each in both] == [0, 0]
        with HudStore.open(other) as opened:
            assert len(opened.session(str(file.parent)).state().rules) == 1


RULES = """\
## Conventions

- One
- Two

### Don't

- push to main

## Notes

- Port 8080 is open
"""


class TestAgain:
    """A file is imported, edited, imported again, and the session exported into it."""

    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "AGENTS.md"
        path.write_text(RULES)
        return path

    @pytest.fixture
    def take(self, ujsx, path, other):
        def take(*options):
            given = ("--name", "s", "--store", other)
            return ujsx("session", "import", path, *given, *options)

        assert "3 rules, 1 note" in take().out
        return take

    def test_a_copy_gets_an_edited_line_in_the_place_of_the_old_one(self, ujsx, path, take, other):
        edited = RULES.replace("push to main", "push to main or release")
        path.write_text(edited)
        assert take().out == 'imported 2 events into "s": 1 rule\n'
        path.write_text(RULES)
        ujsx("session", "export", "s", "--into", path, "--store", other)
        assert path.read_text() == edited

    @pytest.mark.parametrize("actors", [("tool", "user"), ("user", "user"), ("user", "tool")])
    def test_an_edit_puts_no_old_line_back(self, ujsx, path, take, other, actors):
        path.write_text(RULES.replace("- One\n", "- One\n- Lint\n"))
        take("--actor", actors[0])
        edited = RULES.replace("- One\n", "- One\n- Lint and test\n")
        path.write_text(edited)
        assert "imported 2 events" in (again := take("--actor", actors[1])).out
        assert ("no line says 'Lint'" in again.err) == (actors[1] == "tool")
        told = ujsx("session", "export", "s", "--into", path, "--store", other).err
        assert ("no line says 'Lint'" in told) == (actors[1] == "tool")
        assert path.read_text() == edited

    def test_tells_which_items_have_no_line(self, ujsx, path, take, other):
        edited = RULES.replace("- Two\n", "")
        path.write_text(edited)
        removes = f"record s rule.lift --id rule-3 --store {other}"
        assert take().err == (
            f"{path}: no line says 'Two' (rule-3); an export adds one; `ujsx {removes}` removes it\n"
        )
        ujsx(*removes.split())
        assert take().err == ""
        assert (
            "is up to date" in ujsx("session", "export", "s", "--into", path, "--store", other).err
        )
        assert path.read_text() == edited

    @pytest.mark.parametrize("actor", [(), ("--actor", "agent")])
    def test_a_changed_item_gets_no_mark_of_its_source(self, ujsx, path, take, other, actor):
        given = ("--id", "n-5", "--content", "Port 8080 is free", "--store", other)
        ujsx("record", "s", "note.update", *given, *actor)
        ujsx("session", "export", "s", "--into", path, "--store", other)
        assert path.read_text() == RULES.replace("open", "free")

    def test_says_where_all_other_blocks_are_listed(self, path, take):
        path.write_text(RULES + "\n```\na\n```\n" * 4)
        assert take().out.endswith(
            "4 blocks are not items and stay as they are: lines 14, 18, 22, … (--json lists all)\n"
        )

    def test_the_session_counts_its_rules(self, ujsx, take, other):
        shown = ujsx("session", "show", "s", "--store", other).out
        assert "3 rules · no task · 1 note" in shown


class TestExport:
    def test_writes_what_is_current_and_keeps_the_rest(self, ujsx, file, store):
        file.chmod(0o640)
        ujsx("session", "import", file, "--store", store, "--name", "shop")
        written = ujsx("session", "export", "shop", "--into", file, "--store", store)
        assert (written.status, written.err) == (0, f'exported "shop" into {file}\n')
        text = file.read_bytes().decode()
        assert text.startswith(TEXT)
        assert '\r\n<!-- ujsx: HUD of "shop" -->\r\n\r\n## Task\r\n\r\nAdd a login\r\n' in text
        assert "\n" not in text.replace("\r\n", "")
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        again = ujsx("session", "export", "shop", "--into", file, "--store", store)
        assert again.err == f"{file} is up to date\n"
        # The marks say whose it is.
        found = ujsx("session", "import", file, "--store", store, "--json")
        assert (found.data["session"], found.data["events"]) == ("shop", 0)

    def test_names_the_lines_that_it_does_not_know(self, ujsx, file, store):
        written = ujsx("session", "export", "shop", "--into", file, "--store", store)
        assert (
            "line 5 is new or edited, and stays; import the file to record it: Never push to main\n"
            in written.err
        )
        assert file.read_bytes().decode().startswith(TEXT)

    def test_needs_a_file_that_is_there(self, ujsx, tmp_path, store):
        path = tmp_path / "AGENT.md"
        refusal = ujsx("session", "export", "shop", "--into", path, "--store", store).refusal
        assert "there is no file" in refusal

    def test_leaves_a_file_with_an_open_comment_at_its_end(self, ujsx, tmp_path, store):
        path = tmp_path / "AGENTS.md"
        path.write_text("# Build\n\n<!-- a\n\n- b\n")
        refusal = ujsx("session", "export", "shop", "--into", path, "--store", store).refusal
        assert "line 3: this HTML has no end, and would hold the HUD; end it" in refusal
        assert path.read_text() == "# Build\n\n<!-- a\n\n- b\n"

    def test_leaves_the_file_as_it_was_where_it_is_interrupted(
        self, ujsx, file, store, monkeypatch
    ):
        def interrupted(self, target):
            raise KeyboardInterrupt

        monkeypatch.setattr(Path, "replace", interrupted)
        ujsx("session", "export", "shop", "--into", file, "--store", store)
        assert file.read_bytes().decode() == TEXT
        assert [*file.parent.glob(".AGENTS.md*")] == []

    def test_two_at_once_write_one_part(self, process, file, store):
        both = [
            process("session", "export", "shop", "--into", file, "--store", store) for _ in range(2)
        ]
        assert [(each.communicate()[1], each.wait())[1] for each in both] == [0, 0]
        text = file.read_bytes().decode()
        assert text.startswith(TEXT)
        assert text.count("<!-- ujsx: end -->") == 1
