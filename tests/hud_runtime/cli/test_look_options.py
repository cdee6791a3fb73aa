"""``--layout`` and ``--words``: files and objects, where a person types them and where a host starts the command."""

from __future__ import annotations

import json

import pytest

from hud_runtime import HudStore
from hud_runtime.integrations import claude_code, codex, opencode

CODE = """
from hud_components import Hud, NotesSection

LAYOUT = Hud(title="Lage")[NotesSection()]
WORDS = {"notes.title": "Notizen"}
NUMBER = 3
"""


@pytest.fixture
def store(tmp_path):
    with HudStore.open(tmp_path / "hud.db") as opened:
        opened.session("s").record("note.add", content="Port 8080")
    return ("--store", tmp_path / "hud.db")


@pytest.fixture
def team(tmp_path):
    path = tmp_path / "team.py"
    path.write_text(CODE, "utf-8")
    (tmp_path / "de.toml").write_text('[notes]\ntitle = "Notizen"\n', "utf-8")
    (tmp_path / "hud.md").write_text('<Hud title="Lage">\n<NotesSection/>\n</Hud>\n', "utf-8")
    return path


SHOWN = "# Lage\n\n## Notizen\n\n- Port 8080\n"


class TestShown:
    def test_as_files_and_as_objects(self, ujsx, store, team, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for layout, words in (
            (f"{team}:LAYOUT", f"{team}:WORDS"),
            ("team.py:LAYOUT", "de.toml"),
            ("hud.md", f"{team}:WORDS"),
        ):
            done = ujsx("hud", "s", *store, "--layout", layout, "--words", words)
            assert (done.status, done.out) == (0, SHOWN), done.err

    def test_of_a_session_that_has_a_look_by_nothing(self, ujsx, store, team, tmp_path):
        with HudStore.open(store[1]) as opened:
            opened.session("s").set_look(tmp_path / "hud.md", tmp_path / "de.toml")
        assert ujsx("hud", "s", *store).out == SHOWN
        (tmp_path / "hud.md").unlink()
        assert ujsx("hud", "s", *store).out == SHOWN
        exported = tmp_path / "s.jsonl"
        exported.write_text(ujsx("session", "export", "s", *store).out, "utf-8")
        assert ujsx("hud", exported).out == SHOWN
        assert "HUD given a layout and 1 words" in ujsx("session", "tail", "s", *store).out

    def test_that_are_none_are_refused(self, ujsx, store, team):
        refused = ujsx("hud", "s", *store, "--words", f"{team}:NUMBER").refusal
        assert refused.endswith("and not a mapping of words")
        assert "NUMBER is" in ujsx("hud", "s", *store, "--layout", f"{team}:NUMBER").refusal
        assert "does not exist" in ujsx("hud", "s", *store, "--words", "no.toml").refusal


class TestOfHosts:
    def test_take_no_path_that_begins_where_the_host_works(self, ujsx, store, team, tmp_path):
        for given in (("--layout", "hud.md"), ("--words", "team.py:WORDS"), ("--with", "team.py")):
            refused = ujsx("bridge", "--check", *given).refusal
            assert "a host chooses the folder here: write the whole path" in refused

    def test_are_checked_before_they_are_installed(self, ujsx, tmp_path, team):
        assert ujsx("bridge", "--check", "--layout", tmp_path / "hud.md").status == 0
        (tmp_path / "hud.md").write_text("<Hud>\n<Nope/>\n</Hud>\n", "utf-8")
        done = ujsx("bridge", "--check", "--layout", tmp_path / "hud.md")
        assert (done.status, f"{tmp_path / 'hud.md'}:2:1" in done.err) == (1, True)

    def test_those_of_the_domain_are_checked_as_well(self, ujsx, tmp_path):
        (tmp_path / "desk.py").write_text(
            "from pathlib import Path\nfrom hud_components import Domain, NotesSection\n"
            "DESK = Domain('desk', (NotesSection,), layout=Path(__file__).with_name('desk.md'))\n",
            "utf-8",
        )
        (tmp_path / "desk.md").write_text("<Hud>\n<Motto/>\n</Hud>\n", "utf-8")
        done = ujsx("bridge", "--check", "--domain", f"{tmp_path / 'desk.py'}:DESK")
        assert (done.status, f"{tmp_path / 'desk.md'}:2:1" in done.err) == (1, True)

    def test_that_the_hooks_do_not_find_are_refused_and_nothing_is_changed(
        self, ujsx, tmp_path, team, monkeypatch
    ):
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
        monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
        monkeypatch.syspath_prepend(str(tmp_path))  # of this process, and of no other
        (tmp_path / "only_here.py").write_text("from hud_components import CODING as MINE\n")
        refused = ujsx("install", "claude-code", "--domain", "only_here:MINE").refusal
        assert 'there is no module "only_here"' in refused
        assert "the hooks run " in refused
        assert not (tmp_path / "claude").exists()

    @pytest.mark.parametrize("host", ["claude-code", "codex", "opencode"])
    def test_stand_in_the_settings_by_their_whole_paths(
        self, ujsx, tmp_path, team, monkeypatch, host
    ):
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "UJSX_HOME"):
            monkeypatch.setenv(name, str(tmp_path / "x y"))
        monkeypatch.chdir(tmp_path)
        (tmp_path / "kit.py").write_text(
            "from ujsx import Component\n\n\nclass Badge(Component):\n    text: str\n\n"
            "    def render(self, ctx, children):\n        return self.text\n",
            "utf-8",
        )
        (tmp_path / "hud.md").write_text('<Hud>\n<Badge text="x"/>\n</Hud>\n', "utf-8")
        given = ("--layout", "hud.md", "--words", "team.py:WORDS", "--with", "kit.py")
        assert ujsx("install", host, *given).status == 0
        texts = [
            each.read_text("utf-8") for each in (tmp_path / "x y").rglob("*.js*") if each.is_file()
        ]
        texts += [each.read_text("utf-8") for each in (tmp_path / "x y").rglob("*.toml")]
        assert any(str(tmp_path / "hud.md") in each for each in texts)
        assert any(f"{team}:WORDS" in each for each in texts)
        assert any(str(tmp_path / "kit.py") in each for each in texts)
        hosts = {"claude-code": claude_code, "codex": codex, "opencode": opencode}
        assert {name: len(each.programs()) for name, each in hosts.items()} == {
            name: int(name == host) for name in hosts
        }

    def test_that_are_gone_are_a_problem_of_what_was_installed(self, ujsx, tmp_path, monkeypatch):
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "UJSX_HOME", "HOME"):
            monkeypatch.setenv(name, str(tmp_path / "home"))
        layout = tmp_path / "hud.md"
        layout.write_text("<Hud>\n</Hud>\n", "utf-8")
        assert ujsx("install", "claude-code", "--layout", str(layout)).status == 0
        layout.unlink()
        [settings] = (tmp_path / "home").glob(".claude.json")
        program = json.loads(settings.read_text("utf-8"))["mcpServers"]["ujsx"]
        assert "hud.md does not exist" in ujsx("doctor").out
        # A program that starts it has options of its own.
        program["args"] = ["-u", "--with", program["command"], *program["args"]]
        program["command"] = "/usr/bin/env"
        settings.write_text(json.dumps({"mcpServers": {"ujsx": program}}), "utf-8")
        found = ujsx("doctor").out
        assert "/usr/bin/env cannot use what it was given" in found
        assert "hud.md does not exist" in found

    def test_without_them_have_the_bridge_that_they_had(self):
        from hud_runtime.integrations.bridge import place_of

        places = {
            place_of("/srv/hud.db", *each).socket
            for each in (
                (),
                (None, "/a.md"),
                (None, None, "/a.md"),
                (None, "/a.md", "/a.md"),
                (None, None, None, ("/a.md",)),
                (None, None, None, ("/a", "/b")),
            )
        }
        assert len(places) == 6
        assert place_of("/srv/hud.db").socket.name == "44c829e61994.sock"
        assert place_of("/srv/hud.db", "a:B").socket.name == "8a2346cdb846.sock"
