"""Markdown files in canonical form, from the command line."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from contextlib import redirect_stderr
from pathlib import Path

import cmarkgfm
import pytest
from hypothesis import given

from hud_runtime.cli import main
from tests.extension_trees import canonical_roots
from tests.ids import looped
from ujsx.mdast import Document, Writer, from_markdown, to_markdown
from ujsx.mdast.extensions import NAMES
from ujsx.mdast.to_markdown import ALLOWED

UGLY = "# Title\n* _a_\n\n| b |\n|-|\nc\n"
"""What ends in a line that is a row of the table to some readers, and a paragraph to others."""

TIDY = "# Title\n* _a_\n\n| b |\n| - |\n| c |\n"
CANONICAL = "# Title\n\n- *a*\n\n| b |\n| - |\n| c |\n"
DIFFERS = "line 6: readers differ: markdown-it sees tableRow 'c', mistune text\n"

DEEP = f"# a\n\n{'>' * 200} b\n"
"""What is refused: it nests too deep."""

OPTIONS = [
    (["--bullet", "*"], "- a\n", "* a\n"),
    (["--bullet-other", "+"], "- a\n\n* b\n", "- a\n\n+ b\n"),
    (["--bullet-ordered", ")"], "1. a\n", "1) a\n"),
    (["--close-atx"], "# a\n", "# a #\n"),
    (["--no-close-atx"], "# a #\n", "# a\n"),
    (["--emphasis", "_"], "*a*\n", "_a_\n"),
    (["--fence", "~"], "```\na\n```\n", "~~~\na\n~~~\n"),
    (["--increment-list-marker"], "1. a\n1. b\n", "1. a\n2. b\n"),
    (["--no-increment-list-marker"], "1. a\n2. b\n", "1. a\n1. b\n"),
    (["--list-item-indent", "tab"], "- a\n", "-   a\n"),
    (["--quote", "'"], '[a](b "c")\n', "[a](b 'c')\n"),
    (["--resource-link"], "<http://a.co>\n", "[http://a.co](http://a.co)\n"),
    (["--no-resource-link"], "[http://a.co](http://a.co)\n", "<http://a.co>\n"),
    (["--rule", "_"], "a\n\n---\n", "a\n\n___\n"),
    (["--rule-repetition", "5"], "a\n\n---\n", "a\n\n-----\n"),
    (["--rule-spaces"], "a\n\n---\n", "a\n\n- - -\n"),
    (["--no-rule-spaces"], "a\n\n- - -\n", "a\n\n---\n"),
    (["--setext"], "# a\n", "a\n===\n"),
    (["--no-setext"], "a\n=\n", "# a\n"),
    (["--strong", "_"], "**a**\n", "__a__\n"),
    (["--table-cell-padding"], "|a|\n|-|\n", "| a |\n| - |\n"),
    (["--no-table-cell-padding"], "| a |\n| - |\n", "|a|\n|-|\n"),
    (["--table-pipe-align"], "| abc |\n| - |\n", "| abc |\n| --- |\n"),
    (["--no-table-pipe-align"], "| abc |\n| --- |\n", "| abc |\n| - |\n"),
    (["--tight-definitions"], "[a]: b\n\n[c]: d\n", "[a]: b\n[c]: d\n"),
    (["--no-tight-definitions"], "[a]: b\n[c]: d\n", "[a]: b\n\n[c]: d\n"),
]


@pytest.fixture
def page(tmp_path):
    """Write a file of these bytes or this text."""

    def write(content: str | bytes, name: str = "page.md") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def piped(monkeypatch):
    """Pipe bytes into the command."""

    def pipe(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return pipe


class TestFile:
    def test_is_written_as_the_writer_has_it(self, ujsx, page):
        path = page(UGLY)
        done = ujsx("format", path)
        assert (done.status, done.out) == (0, "")
        assert done.err == f"{path}: {DIFFERS}{path}: formatted\n1 file formatted\n"
        assert path.read_text() == TIDY

    def test_that_is_tidy_is_not_touched(self, ujsx, page):
        path = page(TIDY)
        before = path.stat()
        done = ujsx("format", path)
        assert (done.status, done.out, done.err) == (0, "", "1 file left unchanged\n")
        assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)

    def test_may_be_one_of_several(self, ujsx, page):
        paths = [page(UGLY, "a.md"), page(TIDY, "b.md"), page(UGLY, "c.md")]
        done = ujsx("format", *paths)
        assert done.err == (
            f"{paths[0]}: {DIFFERS}{paths[2]}: {DIFFERS}{paths[0]}: formatted\n{paths[2]}: formatted\n"
            "2 files formatted, 1 file left unchanged\n"
        )
        assert {path.read_text() for path in paths} == {TIDY}

    def test_keeps_its_mode(self, ujsx, page):
        path = page(UGLY)
        path.chmod(0o640)
        ujsx("format", path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_keeps_its_line_ends(self, ujsx, page, line_end):
        path = page(UGLY.replace("\n", line_end))
        ujsx("format", path)
        assert path.read_bytes().decode() == TIDY.replace("\n", line_end)

    def test_keeps_a_byte_order_mark(self, ujsx, page):
        path = page(f"\ufeff{UGLY}")
        ujsx("format", path)
        assert path.read_text(encoding="utf-8") == f"\ufeff{TIDY}"

    def test_keeps_its_front_matter(self, ujsx, page):
        path = page(f"---\ntitle:   a\n---\n{UGLY}")
        ujsx("format", path)
        assert path.read_text() == f"---\ntitle:   a\n---\n{TIDY}"

    def test_behind_a_link_is_written_and_the_link_stays(self, ujsx, page):
        path = page(UGLY)
        link = path.with_name("link.md")
        link.symlink_to(path)
        ujsx("format", link)
        assert link.is_symlink()
        assert path.read_text() == TIDY

    def test_leaves_nothing_beside_it(self, ujsx, page):
        path = page(UGLY)
        ujsx("format", path)
        assert [*path.parent.iterdir()] == [path]

    def test_of_nothing_stays_empty(self, ujsx, page):
        path = page("")
        ujsx("format", path)
        assert path.read_bytes() == b""

    def test_with_a_bare_address_gets_no_other_text(self, ujsx, page):
        path = page("www.a.co and a@b.co\n")
        assert ujsx("format", path).status == 0
        assert from_markdown(path.read_text()) == from_markdown("www.a.co and a@b.co\n")


class TestStandardInput:
    def test_is_written_to_standard_output(self, ujsx, piped):
        piped(UGLY.encode())
        assert ujsx("format", "-").out == TIDY

    def test_is_checked_under_its_name(self, ujsx, piped):
        piped(UGLY.encode())
        done = ujsx("format", "-", "--check")
        assert (done.status, done.out) == (1, "standard input would change\n")


class TestSpelling:
    """What is not touched, as it means the same."""

    KEPT = (
        "* a\n* b\n\n- c\n\n+ d\n",
        "1. a\n1. b\n",
        "3) a\n5) b\n",
        "_a_ __b__ *c*\n",
        "http://a.b and <http://a.b>, www.a.b, a@b.co\n",
        "a  \nb\\\nc\n",
        "~~~~ py x\na\n~~~~\n",
        "a\n\n    code\n",
        "1986. A year * 2 [x] #no <a\n",
        "Title\n=====\n\n## Other ##\n",
        "* * *\n",
        "|a|b|\n|-|:-:|\n|long cell|c|\n",
        "[a]: <b> 'c'\n[d]: e\n\n[a] [d]\n",
        "- [X] a\n",
        "-   a\n\n    b\n",
        "<!-- a -->\n<!-- b -->\n\na\n",
        "> [!NOTE]\n> a _b_\n",
        "a " * 300 + "b\n",
        "&copy; \\* &amp;\n",
        "See [`pkg.A`][] and [`B`][pkg.B] here.\n\n[x]: https://e.org\n",
        "---\ntitle: x\n...\n\nbody\n",
        "* a\n    * b\n        * c\n\n1. d\n   e\n\n    f\n\n    - g\n",
        "x (https://example.org/a#b)[c](https://example.org/d)\n",
        "!!! warning\n    Some _words_\n\n    - a\n",
    )

    @pytest.mark.parametrize("text", KEPT)
    def test_stays(self, ujsx, page, text):
        path = page(text)
        assert ujsx("format", path, "--check").status == 0

    def test_gives_way_to_an_option(self, ujsx, piped):
        piped(b"* a _b_\n* c\n")
        assert ujsx("format", "-", "--bullet", "-").out == "- a _b_\n- c\n"

    def test_gives_way_to_canonical_form(self, ujsx, piped):
        piped(b"* a _b_\n* c\n")
        assert ujsx("format", "-", "--canonical").out == "- a *b*\n- c\n"


class TestUnsafePlaces:
    """What readers understand differently is written anew, and nothing else."""

    AROUND = "Title\n===\n* a\n   continued\n{}\n    __b__  \n<!-- c -->\nd\n"

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("\n> | b |\n> |:-|\n> c\n", "\n> | b |\n> | :- |\n> | c |\n"),
        ],
    )
    def test_are_rewritten_alone(self, ujsx, page, before, after):
        path = page(self.AROUND.format(before))
        told, *_ = ujsx("format", path).err.splitlines()
        assert path.read_text() == self.AROUND.format(after)
        assert told.endswith(": readers differ: markdown-it sees tableRow 'c', mistune text")


class TestUnchangedTexts:
    """What is known to stay as it is is not read again."""

    @pytest.fixture(autouse=True)
    def cache(self, tmp_path_factory, monkeypatch):
        folder = tmp_path_factory.mktemp("cache")
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        return folder / "ujsx" / "formatted"

    @pytest.fixture
    def read(self, monkeypatch):
        """The first words of the texts that were read."""
        words = []

        def noting(text, **options):
            words.append(re.findall(r"\w+", text)[0])
            return Document(text, **options)

        monkeypatch.setattr("ujsx.mdast.Document", noting)
        return words

    def test_are_read_once_for_the_same_settings(self, ujsx, page, tmp_path, read, cache):
        for name in "abc":
            page(f"* {name}\n", f"{name}.md")
        page(UGLY, "ugly.md")
        ujsx("format", tmp_path, "--check")
        assert read == ["a", "b", "c", "Title"]
        ujsx("format", tmp_path, "--check")
        assert read[4:] == ["Title"]
        ujsx("format", tmp_path, "--check", "--bullet", "*")
        assert len(read) == 9
        page("* other\n", "b.md")
        assert ujsx("format", tmp_path, "--check").status == 1
        assert read[9:] == ["other", "Title"]
        assert stat.S_IMODE(cache.stat().st_mode) == 0o600
        assert stat.S_IMODE(cache.parent.stat().st_mode) == 0o700

    @pytest.mark.parametrize("content", [b"", b"\xff\n" * 9, b"0" * 40 + b"\n", None])
    def test_are_read_where_the_cache_is_broken(self, ujsx, page, read, cache, content):
        cache.parent.mkdir()
        cache.mkdir() if content is None else cache.write_bytes(content)
        path = page("* a\n")
        assert [ujsx("format", path, "--check").status for _ in range(2)] == [0, 0]
        assert len(read) == (2 if content is None else 1)

    def test_are_kept_of_what_was_read_before_an_interruption(
        self, ujsx, page, tmp_path, monkeypatch, cache
    ):
        def interrupted(text, **options):
            if text == "* b\n":
                raise KeyboardInterrupt
            return Document(text, **options)

        for name in "abc":
            page(f"* {name}\n", f"{name}.md")
        monkeypatch.setattr("ujsx.mdast.Document", interrupted)
        ujsx("format", tmp_path, "--check")
        assert cache.read_text().count("\n") == 1

    def test_are_as_they_were_where_writing_is_interrupted(self, ujsx, page, monkeypatch, cache):
        def refused(*_, **__):
            raise OSError(28, "No space left on device")

        ujsx("format", page("* a\n"), "--check")
        before = cache.read_bytes()
        monkeypatch.setattr("os.replace", refused)
        assert ujsx("format", page("* b\n"), "--check").status == 0
        assert cache.read_bytes() == before
        assert [*cache.parent.iterdir()] == [cache]

    def test_of_two_processes_are_both_kept(self, process, tmp_path, cache):
        both = []
        for name in "ab":
            (tmp_path / name).mkdir()
            for number in range(20):
                (tmp_path / name / f"{number}.md").write_text(f"* {name}{number}\n")
            both.append(process("format", "--check", tmp_path / name))
        assert [(each.communicate(), each.returncode)[1] for each in both] == [0, 0]
        assert len({*cache.read_text().split()}) == 40

    def test_are_no_more_than_are_kept(self, ujsx, page, cache):
        cache.parent.mkdir()
        cache.write_text("".join(f"{number:032x}\n" for number in range(50_000)))
        ujsx("format", page("* a\n"), "--check")
        kept = cache.read_text().splitlines()
        assert (len(kept), kept[0]) == (50_000, f"{1:032x}")


class TestReadersOfGfm:
    """What they show is the same before and after, also where they disagree about the source."""

    @pytest.mark.parametrize(
        "text",
        [
            "- A\n  ```\n  a\n  ```\n- B\n  ```\n  b\n  ```\n  - C\n    ```\n    c\n    ```\n",
            "1. \n2. \n3. \n",
            "1. a\n\n        code\n\n2. b\n\n       code\n\n11. c\n\n        code\n",
            "- ***\n- b\n\n1. ```\n   a\n   ```\n\n- a\n\n  -\n",
            "**a *b*, c** [a **b** c](url) **x *y ~~z~~***\n",
            "これは**「重要」**です。 문서 **마크(Mark)**을.\n",
            "x (https://example.org/a#b)[c](https://example.org/d)\n",
            "| a | b |\n| - | - |\n| `\\(\\\\|\\)` | z |\n",
        ],
    )
    @pytest.mark.parametrize("options", [(), ("--canonical",)])
    def test_show_the_same(self, ujsx, piped, text, options):
        def shown(markdown):
            return cmarkgfm.github_flavored_markdown_to_html(markdown)

        piped(text.encode())
        once = ujsx("format", "-", *options).out
        assert shown(once) == shown(text)
        piped(once.encode())
        assert ujsx("format", "-", *options).out == once


class TestFolder:
    def test_stands_for_the_markdown_files_in_it(self, ujsx, page, tmp_path):
        for folder in ("a", "a/b", ".hidden", "node_modules"):
            (tmp_path / folder).mkdir()
        names = ("z.md", "a/x.MARKDOWN", "a/b/y.md", ".hidden/h.md", "node_modules/n.md", "t.txt")
        for name in names:
            page(UGLY, name)
        done = ujsx("format", tmp_path, tmp_path / "z.md", "--check")
        found = [line.removesuffix(" would change") for line in done.out.splitlines()]
        assert found == [str(tmp_path / name) for name in ("z.md", "a/x.MARKDOWN", "a/b/y.md")]

    def test_without_markdown_is_no_mistake(self, ujsx, tmp_path):
        assert ujsx("format", tmp_path).status == 0

    def test_passes_over_what_is_no_file(self, ujsx, tmp_path):
        (tmp_path / "link.md").symlink_to("nowhere.md")
        (tmp_path / "folder.md").mkdir()
        os.mkfifo(tmp_path / "pipe.md")
        done = ujsx("format", tmp_path)
        assert (done.status, done.out, done.err) == (0, "", "there are no Markdown files\n")

    def test_leaves_out_what_is_excluded(self, ujsx, page, tmp_path):
        (tmp_path / "old").mkdir()
        page(UGLY, "old/a.md")
        page(UGLY, "b.md")
        done = ujsx("format", tmp_path, "--check", "--exclude", "old/*")
        assert done.out == f"{tmp_path / 'b.md'} would change\n"


class TestProject:
    @pytest.fixture
    def project(self, tmp_path, monkeypatch):
        """Stand in a folder of a project with this table."""

        def stand(table: str) -> None:
            (tmp_path / "docs").mkdir()
            content = f'[tool.ujsx]\nlayout = "hud.md"\n\n[tool.ujsx.format]\n{table}\n'
            (tmp_path / "pyproject.toml").write_text(content)
            monkeypatch.chdir(tmp_path / "docs")

        return stand

    def test_says_how_to_write(self, ujsx, project, piped):
        project('bullet = "+"\nsetext = true\nrule-repetition = 5')
        piped(b"# a\n\n- b\n\n---\n")
        assert ujsx("format", "-").out == "a\n===\n\n+ b\n\n-----\n"

    def test_says_less_than_the_command(self, ujsx, project, piped):
        project('bullet = "+"\ncanonical = true')
        piped(b"- b _c_\n")
        assert ujsx("format", "-", "--bullet", "*", "--no-canonical").out == "* b _c_\n"

    def test_names_what_is_left_out(self, ujsx, project, page, tmp_path):
        project('exclude = ["docs/*"]')
        page(UGLY, "docs/a.md")
        assert ujsx("format", tmp_path, "--check").status == 0

    @pytest.mark.parametrize("folder", [".", "../docs", "old"])
    def test_names_what_is_left_out_below_its_own_folder(
        self, ujsx, project, page, tmp_path, folder
    ):
        project('exclude = ["docs/old/*"]')
        (tmp_path / "docs" / "old").mkdir()
        page(UGLY, "docs/old/a.md")
        assert ujsx("format", folder, "--check").status == 0

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ('bulet = "-"', "has no 'bulet'; did you mean \"bullet\"?"),
            ('bullet = "x"', "option bullet='x' is not possible"),
            ("exclude = 3", "exclude is a list of texts, not 3"),
            ("canonical = 1", "canonical is true or false, not 1"),
            ('extensions = "math"', "extensions is a list of texts, not 'math'"),
            ('extensions = ["maths"]', "there is no extension 'maths'; did you mean \"math\"?"),
        ],
    )
    def test_with_a_mistake_in_it_says_so(self, ujsx, project, piped, table, message):
        project(table)
        piped(b"a\n")
        assert message in ujsx("format", "-").refusal


class TestExtensions:
    def test_are_read_and_written(self, ujsx, page):
        path = page("* a [[b_c_d|e]] is $a*b*c$ __f__\n\n::toc{.wide}\n")
        names = ("math", "wiki-links", "directives")
        call = ["format", path, *(f"--extensions={name}" for name in names)]
        assert ujsx(*call, "--canonical").status == 0
        assert path.read_text() == '- a [[b_c_d|e]] is $a*b*c$ **f**\n\n::toc{class="wide"}\n'

    def test_keep_the_blank_lines_of_a_container(self, ujsx, piped):
        for text in (
            ":::tip[a]\n\nb\n\n- c\n\n:::\n",
            ":::tip\nb\n:::\n",
            "::::a\n:::b\nc\n\n:::\n::::\n",
        ):
            piped(text.encode())
            assert ujsx("format", "-", "--extensions", "directives").out == text

    def test_are_text_where_nobody_names_them(self, ujsx, page):
        text = "a $x$\n\n+++\nb\n+++\n"
        path = page(text)
        assert ujsx("format", path).status == 0
        assert path.read_text() == text

    @given(root=canonical_roots(*NAMES))
    def test_twice_is_once(self, root):
        once = self.canonical(to_markdown(root, extensions=NAMES))
        if once is not None:  # else readers would disagree
            assert self.canonical(once) == once

    def canonical(self, text):
        """The text in canonical form; None where it is refused."""
        given, out = io.TextIOWrapper(io.BytesIO(text.encode())), io.TextIOWrapper(io.BytesIO())
        with pytest.MonkeyPatch.context() as patch, redirect_stderr(io.StringIO()):
            patch.setattr(sys, "stdin", given)
            patch.setattr(sys, "stdout", out)
            named = [each for name in NAMES for each in ("--extensions", name)]
            status = main(["format", "-", "--canonical", *named])
            out.flush()
        return out.buffer.getvalue().decode() if status == 0 else None


def test_the_hook_for_commits_is_the_command(ujsx, page):
    hooks = (Path(__file__).parents[3] / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"^  entry: ujsx (.*)$", hooks, re.MULTILINE)
    assert entries == ["format", "format --check"]
    path = page(UGLY)
    assert ujsx(*entries[1].split(), path).status == 1
    assert ujsx(*entries[0].split(), path).status == 0
    assert path.read_text() == TIDY


class TestCheck:
    def test_names_the_files_that_would_change_and_writes_none(self, ujsx, page):
        ugly, canonical = page(UGLY, "a.md"), page(TIDY, "b.md")
        done = ujsx("format", ugly, canonical, "--check")
        assert (done.status, done.out) == (1, f"{ugly} would change\n")
        assert done.err == (
            f"{ugly}: {DIFFERS}1 file would be formatted, 1 file already formatted\n"
        )
        assert ugly.read_text() == UGLY

    def test_of_tidy_files_says_how_many_there_are(self, ujsx, page):
        done = ujsx("format", page(TIDY), "--check")
        assert (done.status, done.out, done.err) == (0, "", "1 file already formatted\n")

    def test_is_silent_after_formatting(self, ujsx, page):
        path = page(UGLY)
        ujsx("format", path, "--setext")
        assert ujsx("format", path, "--setext", "--check").status == 0
        assert ujsx("format", path, "--check").status == 0
        assert ujsx("format", path, "--no-setext", "--check").status == 1


class TestDiff:
    def test_shows_what_would_change_and_writes_nothing(self, ujsx, page):
        path = page("# a\n\n   * b\n")
        done = ujsx("format", path, "--diff", "--canonical")
        assert done.status == 0
        assert done.out.splitlines()[2:] == ["@@ -1,3 +1,3 @@", " # a", " ", "-   * b", "+- b"]
        assert path.read_text() == "# a\n\n   * b\n"

    def test_tells_of_a_missing_line_end(self, ujsx, page):
        out = ujsx("format", page("a"), "--diff", "--canonical").out
        assert out.endswith("-a\n\\ No newline at end of file\n+a\n")

    def test_fails_with_check_if_there_is_one(self, ujsx, page):
        assert ujsx("format", page(UGLY), "--diff", "--check").status == 1

    def test_of_tidy_files_is_empty(self, ujsx, page):
        assert ujsx("format", page(TIDY), "--diff").out == ""


@pytest.fixture
def writing(monkeypatch):
    """Let the writer write this, whatever it is given."""

    def write(text: str) -> None:
        monkeypatch.setattr(Writer, "_written", lambda *_, **__: [text])

    return write


class TestOption:
    @pytest.mark.parametrize(("option", "before", "after"), OPTIONS, ids=str)
    def test_writes_what_it_says(self, ujsx, piped, option, before, after):
        piped(before.encode())
        assert ujsx("format", "-", *option).out == after

    def test_is_tested_here_whatever_its_name(self):
        tested = {option[0][2:].replace("-", "_") for option, _, _ in OPTIONS}
        assert {name for name in tested if not name.startswith("no_")} == {*ALLOWED}

    def test_of_another_value_names_the_possible_ones(self, ujsx, page):
        assert ujsx("format", page(UGLY), "--bullet", "x").refusal.endswith("one of '-', '*', '+'")

    def test_that_is_no_number_is_refused(self, ujsx, page):
        assert (
            '"x" is not an integer' in ujsx("format", page(UGLY), "--rule-repetition", "x").refusal
        )

    def test_that_is_too_small_is_refused(self, ujsx, page):
        refusal = ujsx("format", page(UGLY), "--rule-repetition", "2").refusal
        assert refusal.endswith("it is an int from 3 on")

    def test_misspelt_names_the_nearest(self, ujsx, page):
        refusal = ujsx("format", page(UGLY), "--bulet", "-").refusal
        assert refusal.endswith('did you mean "--bullet"?')


class TestRefusal:
    @pytest.mark.parametrize("name", ["setup.py", "data.JSON", "page.html"])
    def test_is_of_what_is_something_else_by_its_name(self, ujsx, page, tmp_path, name):
        other, source = tmp_path / name, "# a comment\nx = 1\n"
        other.write_text(source)
        done = ujsx("format", page(UGLY), other)
        assert done.status == 2
        assert f"{name} is not Markdown by its name" in done.err
        assert other.read_text() == source
        assert page(UGLY).read_text() == UGLY, "nothing is written"

    @looped("name", ["README", "notes.txt", "page.MD", ".hidden"])
    def test_is_of_no_file_without_such_a_name(self, ujsx, tmp_path, name):
        (tmp_path / name).write_text(UGLY)
        assert ujsx("format", tmp_path / name).status == 0
        assert (tmp_path / name).read_text() == TIDY

    def test_says_where_something_would_change_and_what(self, ujsx, page, writing):
        path = page("# a\n\n> b *c*\n")
        writing("# a\n\n> b c")
        done = ujsx("format", path, "--canonical")
        assert (done.status, done.out) == (2, "")
        assert done.err == (
            f"ujsx format: {path} is left as it is: line 3, column 3 would mean something else\n"
            "  before: 'b '\n"
            "  after:  'b c'\n"
        )
        assert path.read_text() == "# a\n\n> b *c*\n"

    @pytest.mark.parametrize(
        ("source", "result"),
        [
            ("<www.a.b>\n", "<http://www.a.b>"),
            ("[a]: b\n\n[a]\n", "[a]: c\n\n[a]"),
            ("- a\n- b\n", "- a\n\n- b"),
            ("www.a.b\n", r"www\.a.b"),
            ("---\na: 1\n---\n", "---\na: 2\n---"),
            ("a\n", ""),
        ],
    )
    def test_is_of_every_change(self, ujsx, page, writing, source, result):
        path = page(source)
        writing(result)
        assert "would mean something else" in ujsx("format", path, "--canonical").err
        assert path.read_text() == source

    def test_is_of_what_a_second_reader_sees_otherwise(self, ujsx, page, writing):
        path = page("a\n\n| b |\n| - |\n| c |\n")
        writing("a\n\n| b |\n| - |\nc")
        assert (
            "line 5, column 1: readers would disagree\n" in ujsx("format", path, "--canonical").err
        )

    def test_is_not_of_what_a_second_reader_saw_otherwise_before(self, ujsx, page):
        path = page("| b |\n| - |\nc\n")
        ujsx("format", path, "--canonical")
        assert path.read_text() == "| b |\n| - |\n| c |\n"

    def test_is_not_of_an_address_that_ends_as_github_has_it(self, ujsx, page):
        path = page("http://a.co/*b*\n")
        assert ujsx("format", path).status == 0

    @pytest.mark.parametrize("content", [b"caf\xe9\n", b"a\0b\n", None])
    def test_of_what_cannot_be_read_is_of_no_other(self, ujsx, page, tmp_path, content):
        bad, ugly = tmp_path / "a.md", page(UGLY, "b.md")
        bad.symlink_to("nowhere.md") if content is None else bad.write_bytes(content)
        done = ujsx("format", bad, ugly)
        refusal, _, written, summary = done.err.splitlines()
        assert done.status == 2
        assert refusal.startswith(f"ujsx format: {bad} is ")
        assert (written, ugly.read_text()) == (f"{ugly}: formatted", TIDY)
        assert summary == "1 file formatted, 1 file cannot be formatted"

    def test_of_what_cannot_be_written_is_of_no_other(self, ujsx, page, monkeypatch):
        first, second = page(UGLY, "a.md"), page(UGLY, "b.md")
        may = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: path != first and may(path, mode))
        done = ujsx("format", first, second, "--canonical")
        assert done.status == 2
        assert done.err.startswith(f"ujsx format: {first} is read-only; ")
        assert (first.read_text(), second.read_text()) == (UGLY, CANONICAL)

    def test_of_one_file_is_of_no_other(self, ujsx, page):
        deep, ugly = page(DEEP, "a.md"), page(UGLY, "b.md")
        done = ujsx("format", deep, ugly)
        assert done.status == 2
        assert [line.split(": ")[-1] for line in done.err.splitlines()][2:-1] == ["formatted"]
        assert (deep.read_text(), ugly.read_text()) == (DEEP, TIDY)

    @pytest.mark.parametrize("option", ["--check", "--diff"])
    def test_comes_without_writing_too(self, ujsx, page, option):
        assert "left as it is" in ujsx("format", page(DEEP), option).refusal

    def test_of_no_file_says_so(self, ujsx):
        assert "FILE" in ujsx("format").refusal

    def test_of_a_file_that_is_not_there_names_its_neighbour(self, ujsx, page):
        path = page(UGLY)
        assert f'did you mean "{path}"?' in ujsx("format", path.with_name("pgae.md")).refusal

    def test_of_another_encoding_names_the_line(self, ujsx, page):
        path = page("a\nGrüße\n".encode("latin-1"))
        assert "line 2 has the byte 0xfc" in ujsx("format", path).refusal

    def test_of_a_read_only_file_says_so(self, ujsx, page, monkeypatch):
        monkeypatch.setattr("os.access", lambda *_: False)
        path = page(UGLY)
        assert f"{path} is read-only" in ujsx("format", path, "--canonical").refusal

    def test_of_what_cannot_be_written_leaves_the_old_text_and_no_other_file(
        self, ujsx, page, monkeypatch
    ):
        def refused(*_):
            raise OSError(28, "No space left on device")

        path = page(UGLY)
        monkeypatch.setattr("os.fsync", refused)
        refusal = ujsx("format", path, "--canonical").refusal
        assert refusal.endswith("cannot be written: No space left on device")
        assert path.read_text() == UGLY
        assert [*path.parent.iterdir()] == [path]

    def test_of_what_nests_too_deep_says_so(self, ujsx, piped):
        piped(b">" * 10_000 + b"a\n")
        assert "standard input is left as it is" in ujsx("format", "-").refusal
