"""A session's address, whatever its id has in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudSession, HudStore
from hud_runtime.mcp import _resources
from hud_runtime.mcp._resources import address_of, content_of, part_of, uri_of
from ujsx import RenderError

ids = st.text(min_size=1).filter(lambda text: text.strip() == text)


class TestAddress:
    @given(ids, st.sampled_from(["json", "markdown"]))
    def test_is_read_back(self, session_id, form):
        uri = uri_of(session_id, form)
        assert address_of(uri) == (session_id, form)
        assert uri.isascii()
        assert uri.count("/") == (4 if form == "markdown" else 3)

    @pytest.mark.parametrize(
        "uri",
        [
            "",
            "hud://session/",
            "hud://session",
            "file:///etc",
            "hud://session/a/html",
            "hud://session/a/b/markdown",
        ],
    )
    def test_is_none_for_other_uris(self, uri):
        assert address_of(uri) is None


class TestLayout:
    def test_of_the_command_is_shown_read_again_and_replaced_when_it_breaks(self, tmp_path, capsys):
        from hud_runtime.cli._serve import _Layouts

        path = tmp_path / "hud.md"
        path.write_text('Task: <Value of="task.description"/>')
        layouts = _Layouts(str(path))
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.record("task.set", description="Login")

            def shown() -> str:
                return str(content_of(session, "markdown", hud=layouts.hud))

            assert shown() == "Task: Login\n"
            path.write_text("<Hud>\n<Nope/>\n</Hud>\n")
            usual = content_of(session, "markdown")
            assert shown() == shown() == usual
            assert capsys.readouterr().err.count(f"{path}:2:1: <Nope> is no component") == 1
            path.write_text("Mended.")
            assert shown() == "Mended.\n"
            path.unlink()
            assert shown() == usual
            assert "that layout is not shown" in capsys.readouterr().err

    def test_is_the_commands_the_agents_the_projects_or_the_default(
        self, tmp_path, capsys, monkeypatch
    ):
        from hud_runtime.cli._serve import _Layouts
        from hud_runtime.projects import default_trust, read_settings

        monkeypatch.setenv("UJSX_CONFIG", str(tmp_path / "config"))
        project = tmp_path / "shop"
        project.mkdir()
        (project / "pyproject.toml").write_text('[tool.ujsx]\nlayout = "hud.md"\n')
        (project / "hud.md").write_text('<Hud title="Ours">\n<TaskSection/>\n</Hud>\n')
        default_trust().add(read_settings(project))
        mine = tmp_path / "mine.md"
        mine.write_text('<Hud title="Mine">\n<TaskSection/>\n</Hud>\n')
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.record("task.set", description="Login")
            given, usual = _Layouts(str(mine)), _Layouts(None)

            def title(layouts, folder=project):
                return layouts.hud(session, folder).text.splitlines()[0]

            assert (title(given), title(usual), title(usual, None)) == ("# Mine", "# Ours", "# HUD")
            session.record("layout.set", layout='<Hud title="Agent">\n<TaskSection/>\n</Hud>')
            assert (title(given), title(usual), title(usual, None)) == ("# Mine", *["# Agent"] * 2)
            mine.write_text("<Nope/>")
            assert title(given) == "# Agent"
            session.record("layout.set", layout="<TaskSection/>\n\n" + "word " * 100)
            session.record("context.snapshot", used=199_000)
            (project / "hud.md").write_text("# Ours")
            assert [title(given), title(usual), title(usual)] == ["**Task:** Login"] * 3
            default_trust().add(read_settings(project))
            assert [title(given), title(usual), title(usual)] == ["# Ours"] * 3
            session.record("layout.reset")
            assert title(usual) == "# Ours"
        errors = capsys.readouterr().err
        assert errors.count(f"{mine}:1:1: <Nope> is no component") == 1
        assert errors.count("the agent's layout is not shown: its own text takes") == 2  # each once
        assert errors.count("hud.md in") == errors.count("changed since you trusted it") == 2

    def test_that_fails_for_a_state_gives_way(self, tmp_path, capsys, monkeypatch):
        from hud_runtime.cli import _serve

        path = tmp_path / "hud.md"
        path.write_text("<Hud/>")
        layouts = _serve._Layouts(str(path))
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.record("task.set", description="Login")
            usual = content_of(session, "markdown")
            render = HudSession.hud

            def failing(self, **how):
                if how.get("layout") is not None:
                    raise RenderError("no")
                return render(self, **how)

            monkeypatch.setattr(HudSession, "hud", failing)
            assert content_of(session, "markdown", hud=layouts.hud) == usual
            assert content_of(session, "markdown", hud=layouts.hud) == usual
        assert capsys.readouterr().err == f"{path}: no; that layout is not shown\n"


class TestContent:
    def test_is_the_state_or_the_hud(self):
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.record("task.set", description="# Add a login")
            data = json.loads(content_of(session, "json"))
            assert (data["session_id"], data["version"]) == ("s", 2)
            assert data["state"]["task"]["description"] == "# Add a login"
            assert "\\# Add a login" in content_of(session, "markdown")

    def test_is_what_another_process_has_recorded(self, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store, HudStore.open(path) as other:
            session = store.session("s")
            for number in range(2):
                other.session("s").record("note.add", content=f"Port {number}")
                assert f"Port {number}" in content_of(session, "markdown")
                other.session("s").record("note.add", content=f"Host {number}")
                told = json.loads(content_of(session, "json"))
                assert told["state"]["notes"][-1]["content"] == f"Host {number}"
                assert told["version"] == 3 + 2 * number

    @pytest.mark.parametrize("form", ["json", "markdown"])
    def test_that_is_long_comes_in_parts(self, form, monkeypatch):
        def in_full(session, folder):
            return session.hud(budget="off")

        monkeypatch.setattr(_resources, "LONGEST", 2_000)
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            for number in range(30):
                session.record("note.add", content=f"Note {number} " + "y" * 1_000)
            uri, found = uri_of("s", form), []
            while uri:
                text = content_of(session, form, part_of(uri), hud=in_full)
                assert len(text) < 2_000 * 1.3
                if form == "json":
                    data = json.loads(text)
                    found.append(data["state_json"])
                    uri = data["next"]
                else:
                    shown, _, where = text.rpartition("\n\nPart ")
                    found.append(shown)
                    uri = where.strip().partition("; the next: ")[2]
            assert len(found) > 1
            if form == "json":
                assert json.loads("".join(found)) == session.state().model_dump(mode="json")
            else:
                assert "".join(found) == session.hud(budget="off").text
            assert content_of(session, form, len(found) + 1, hud=in_full) is None
