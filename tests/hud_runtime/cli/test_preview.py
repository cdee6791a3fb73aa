"""``ujsx preview``, in the browser and in the terminal: what is named, what is refused, and what is shown in a terminal."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from http.client import HTTPConnection

import pytest

from hud_components import Domain, NotesSection
from hud_runtime import HudStore

pytestmark = pytest.mark.usefixtures("warm_previews")

LAYOUT = "# Desk\n\nPort 8080\n"


@pytest.fixture
def layout(tmp_path):
    path = tmp_path / "hud.md"
    path.write_text(LAYOUT)
    return path


class TestWatch:
    def test_a_layout_with_the_state_of_a_session(self, ujsx, store, tmp_path):
        path = tmp_path / "hud.md"
        path.write_text("<NotesSection/>\n\nBye\n")
        done = ujsx(
            "watch", "--once", path, "--session", "shop", "--store", store, "--density", "full"
        )
        assert done.out.startswith("# Notes\n\n- Port 8080\n\nBye\nturn 3 of 3 · ")

    def test_a_session(self, ujsx, store):
        done = ujsx("watch", "--once", "shop", "--store", store, "--turn", "1", "--density", "full")
        assert "Add a login" in done.out
        assert "Port 8080" not in done.out

    def test_as_data(self, ujsx, layout):
        done = ujsx("watch", "--once", "--json", layout)
        assert done.data["fault"] is None
        assert done.data["view"]["tokens"] > 0

    def test_a_fault_has_its_place_and_the_status_says_so(self, ujsx, layout):
        layout.write_text("<Sektion/>\n")
        done = ujsx("watch", "--once", layout)
        assert done.status == 1
        assert done.out.startswith(f"{layout}:1:1: <Sektion> is not a known component")

    def test_it_shows_what_is_new_and_ends_with_ctrl_c(self, process, layout):
        watching = process("watch", layout)
        with watching:
            assert [watching.stdout.readline() for _ in range(3)] == [
                "# Desk\n",
                "\n",
                "Port 8080\n",
            ]
            watching.stdout.readline()  # the account
            layout.write_text(LAYOUT.replace("8080", "9090, now"))
            assert [watching.stdout.readline() for _ in range(3)] == [
                "# Desk\n",
                "\n",
                "Port 9090, now\n",
            ]
            os.kill(watching.pid, signal.SIGINT)
            assert watching.wait(60) == 130
            assert watching.stderr.read() == ""


class TestReport:
    def test_it_is_one_new_file_for_its_owner(self, ujsx, layout, tmp_path):
        path = tmp_path / "report.html"
        done = ujsx("preview", layout, "--to", path)
        assert (done.status, done.err) == (0, f"{path} is written\n")
        assert "Port 8080" in path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600

    def test_it_takes_the_place_of_an_earlier_report(self, ujsx, layout, tmp_path):
        path = tmp_path / "report.html"
        ujsx("preview", layout, "--to", path)
        layout.write_text("# Desk\n\nPort 9090\n")
        done = ujsx("preview", layout, "--to", path)
        assert (done.status, done.err) == (0, f"{path} is written\n")
        assert "Port 9090" in path.read_text()
        assert path.stat().st_mode & 0o777 == 0o600
        assert sorted(each.name for each in tmp_path.iterdir()) == sorted({layout.name, path.name})

    @pytest.mark.parametrize("kind", ["page", "link"])
    def test_it_takes_the_place_of_nothing_else(self, ujsx, layout, tmp_path, kind):
        path, other = tmp_path / "report.html", tmp_path / "other.html"
        ujsx("preview", layout, "--to", other)
        if kind == "page":
            path.write_text('<!doctype html>\n<html lang="en">\n<title>Mine</title>\n')
        else:
            path.symlink_to(other)
        before = path.read_bytes()
        assert "is there already" in ujsx("preview", layout, "--to", path).refusal
        assert (path.read_bytes(), path.is_symlink()) == (before, kind == "link")

    def test_of_a_broken_subject_nothing_is_written(self, ujsx, layout, tmp_path):
        layout.write_text("<Sektion/>\n")
        done = ujsx("preview", layout, "--to", tmp_path / "report.html")
        assert done.status == 1
        assert done.err.startswith(f"{layout}:1:1:")
        assert not (tmp_path / "report.html").exists()


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "said"),
        [
            (["nothing.md"], "there is no file nothing.md"),
            (["nothing.py:hud"], "there is no file nothing.py"),
            (["hud.md", "--density", "compct"], 'did you mean "compact"?'),
            (["hud.md", "--port", "70000"], "a port is a number from 0 to 65535, not 70000"),
            (["shop", "--session", "shop"], "--session is for layouts and objects"),
            (["shpo"], 'did you mean "shop"?'),
            (["desk.py"], 'not "desk.py": desk.py has LAYOUT'),
            (["dsk.py"], "desk.py"),
        ],
    )
    def test_a_sentence_says_what_is_wrong(self, ujsx, layout, store, monkeypatch, *, given, said):
        monkeypatch.chdir(layout.parent)
        (layout.parent / "desk.py").write_text("LAYOUT = None\n")
        named = ["--store", store] if given[0].startswith("sh") else []
        assert said in ujsx("preview", *given, *named).refusal

    def test_a_store_that_is_named_as_a_file_says_how_its_sessions_are_named(self, ujsx, store):
        said = ujsx("watch", "--once", store).out
        assert "name one of its sessions, and this file with --store" in said

    def test_a_session_of_a_domain_that_is_not_named_says_how_it_is(self, ujsx, tmp_path):
        path = tmp_path / "desk.db"
        with HudStore.open(path, domain=Domain("desk", sections=(NotesSection,))) as store:
            store.session("ticket").record("note.add", content="Port 8080")
        done = ujsx("watch", "--once", "ticket", "--store", path)
        assert done.status == 1
        assert 'the domain "desk", which is not loaded' in done.out
        assert "--domain package.module:NAME or file.py:NAME" in done.out

    def test_a_missing_extra_is_named(self, ujsx, layout, monkeypatch):
        monkeypatch.setitem(sys.modules, "starlette", None)
        said = ujsx("preview", layout).refusal
        assert "there is no module starlette" in said
        assert "pip install 'ujsx[preview]'" in said

    def test_a_port_that_is_taken_is_refused(self, ujsx, layout):
        import socket

        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            assert (
                f"the port {port} is not available"
                in ujsx("preview", layout, "--port", port).refusal
            )


def test_a_json_file_is_a_tree_or_a_transcript(ujsx, tmp_path):
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps({"type": "Paragraph", "children": ["Port 8080"]}))
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"role": "user", "content": "Add a login"}]))
    assert ujsx("watch", "--once", tree).out.startswith("Port 8080\n")
    assert "Add a login" in ujsx("watch", "--once", chat).out


COMPONENT = """
from typing import ClassVar

from hud_components import HudState
from ujsx import Component, Examples


class Badge(Component):
    examples: ClassVar[Examples] = lambda: {"new": Badge(label="new")}
    label: str

    def render(self, ctx, children):
        state = ctx.get(HudState)
        return [self.label, ": ", state.notes[0].content] if state else self.label
"""


class TestGallery:
    @pytest.fixture
    def badge(self, tmp_path):
        path = tmp_path / "badge.py"
        path.write_text(COMPONENT)
        return path

    def test_a_file_of_python_is_written_as_a_page(self, ujsx, store, tmp_path, badge):
        page = tmp_path / "page.html"
        assert ujsx("preview", badge, "--to", page).err == f"{page} is written\n"
        assert "<h2>Badge</h2>" in page.read_text()
        ujsx("preview", badge, "--session", "shop", "--store", store, "--to", page)
        assert "new: Port 8080" in page.read_text(), "the state of a session is at hand"

    def test_what_has_no_place_in_one_is_refused(self, ujsx, badge):
        assert (
            "a gallery shows every density" in ujsx("preview", badge, "--density", "full").refusal
        )
        assert "badge.py has Badge" in ujsx("watch", badge, "--once").refusal

    def test_it_is_served(self, process, badge):
        with process("preview", badge) as serving:
            try:
                found = re.fullmatch(
                    r"http://([\d.]+):(\d+)/\?token=(.+)\n", serving.stdout.readline()
                )
                host, port, token = found.groups()
                for path, said in (("/", "<h2>Badge</h2>"), ("/gallery.js", "location.reload")):
                    connection = HTTPConnection(host, int(port), timeout=60)
                    cookie = {"Cookie": f"ujsx-preview-{port}={token}"}
                    connection.request("GET", path, headers=cookie)
                    answer = connection.getresponse()
                    assert (answer.status, said in answer.read().decode()) == (200, True)
                    connection.close()
            finally:
                serving.kill()
