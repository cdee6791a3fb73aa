"""Markdown as a tree, from the command line."""

from __future__ import annotations

import io
import sys

import pytest

from ujsx import dump, from_mdast, load, render
from ujsx.mdast import from_dict, from_markdown, to_dict

MARKDOWN = "# Notes\n\n- [x] `make` — *done*\n"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(MARKDOWN, encoding="utf-8")
    return path


@pytest.fixture
def piped(monkeypatch):
    """Pipe bytes into the command."""

    def pipe(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return pipe


class TestTree:
    def test_is_mdast_unless_told(self, ujsx, page):
        assert ujsx("parse", page) == ujsx("parse", page, "--to", "mdast")

    def test_in_hud_is_what_lift_reads(self, ujsx, tmp_path):
        page = tmp_path / "hud.md"
        page.write_text(
            "# HUD\n\n## Notes\n\n- Port 8080\n\n## Rules\n\nBe kind.\n", encoding="utf-8"
        )
        data = ujsx("parse", page, "--to", "hud").data
        assert [child["type"] for child in data["children"]] == ["NotesSection", "Section"]
        assert data["children"][0]["props"] == {"notes": [{"content": "Port 8080"}]}

    def test_in_mdast_is_what_from_markdown_reads(self, ujsx, page):
        data = ujsx("parse", page).data
        assert data == to_dict(from_markdown(MARKDOWN))
        assert from_dict(data) == from_markdown(MARKDOWN)

    def test_in_ujsx_is_what_load_reads(self, ujsx, page):
        data = ujsx("parse", page, "--to", "ujsx").data
        assert data == dump(from_mdast(from_markdown(MARKDOWN)))
        assert render(load(data)) == MARKDOWN

    def test_of_standard_input_is_that_of_the_same_file(self, ujsx, page, piped):
        piped(MARKDOWN.encode())
        assert ujsx("parse", "-") == ujsx("parse", page)

    def test_of_lines_with_carriage_returns_has_true_offsets(self, ujsx, piped):
        piped(b"a\r\n\r\nb\r\n")
        last = ujsx("parse", "-").data["children"][-1]
        assert last["position"]["start"] == {"line": 3, "column": 1, "offset": 5}

    def test_of_nothing_is_an_empty_root(self, ujsx, piped):
        piped(b"")
        assert ujsx("parse", "-").data["children"] == []

    def test_keeps_text_as_it_is(self, ujsx, piped):
        piped("Grüße, 世界 🟢\n".encode())
        assert '"Grüße, 世界 🟢"' in ujsx("parse", "-", "--to", "ujsx").out

    def test_cannot_steer_the_terminal(self, ujsx, piped):
        piped("a\x1b[2Jb\x9b2Jc\u202ed\n".encode())
        done = ujsx("parse", "-", "--to", "ujsx")
        assert not {"\x1b", "\x9b", "\u202e"} & {*done.out}
        assert done.data["children"][0]["children"] == ["a\x1b[2Jb\x9b2Jc\u202ed"]


class TestHtml:
    def test_is_what_the_file_is_in_a_page(self, ujsx, page):
        assert ujsx("parse", page, "--to", "html").out == (
            "<h1>Notes</h1>\n<ul>\n"
            '<li><input checked="" disabled="" type="checkbox"> <code>make</code> — <em>done</em></li>'
            "\n</ul>\n"
        )

    def test_of_nothing_is_nothing(self, ujsx, piped):
        piped(b"")
        assert ujsx("parse", "-", "--to", "html").out == ""

    def test_is_safe(self, ujsx, piped):
        piped(b"<b>a</b> [b](javascript:c)\n")
        assert ujsx("parse", "-", "--to", "html").out == ("<p>&lt;b&gt;a&lt;/b&gt; <a>b</a></p>\n")

    def test_cannot_steer_the_terminal(self, ujsx, piped):
        piped("a\x1b[2Jb\x9b2Jc\u202ed\n".encode())
        out = ujsx("parse", "-", "--to", "html").out
        assert not {"\x1b", "\x9b", "\u202e"} & {*out}


class TestRefusal:
    def test_of_another_kind_of_tree_names_the_nearest(self, ujsx, page):
        assert ujsx("parse", page, "--to", "mdsat").refusal == (
            'ujsx parse: "mdsat" is not a kind of tree; did you mean "mdast"?'
        )

    def test_of_a_file_that_is_not_there_names_its_neighbour(self, ujsx, page):
        assert f'did you mean "{page}"?' in ujsx("parse", page.with_name("pgae.md")).refusal

    def test_of_a_file_like_no_other_says_what_to_check(self, ujsx, tmp_path):
        assert ujsx("parse", tmp_path / "x" / "y.md").refusal.endswith("check its path")

    def test_of_a_folder_says_so(self, ujsx, tmp_path):
        assert "is a folder" in ujsx("parse", tmp_path).refusal

    def test_of_a_binary_file_says_so(self, ujsx, piped):
        piped(b"\x7fELF\0\1")
        assert "standard input is a binary file" in ujsx("parse", "-").refusal

    def test_of_another_encoding_names_the_line(self, ujsx, tmp_path):
        path = tmp_path / "latin.md"
        path.write_bytes("a\nGrüße\n".encode("latin-1"))
        assert "line 2 has the byte 0xfc" in ujsx("parse", path).refusal

    def test_of_what_cannot_be_read_says_why(self, ujsx, page, monkeypatch):
        def refused(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("pathlib.Path.open", refused)
        assert ujsx("parse", page).refusal.endswith("cannot be read: Permission denied")

    def test_of_a_loop_of_links_says_why(self, ujsx, tmp_path):
        path = tmp_path / "loop.md"
        path.symlink_to(path)
        assert "loop.md" in ujsx("parse", path).refusal

    @pytest.mark.parametrize("tree", ["mdast", "ujsx", "html"])
    def test_of_what_nests_too_deep_names_the_line(self, ujsx, piped, tree):
        piped(b">" * 10_000 + b"a\n")
        assert "line 1" in ujsx("parse", "-", "--to", tree).refusal
