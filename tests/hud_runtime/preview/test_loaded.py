"""What can be previewed, what is said of the rest, and where in an author's code that is."""

from __future__ import annotations

import os

import pytest

from hud_runtime import HudStore
from hud_runtime.preview import Subject, fault_of

CODE = """
from hud_components import Domain, NotesSection
from ujsx import Component, component, render
from ujsx.elements import List, Paragraph, Section

class Badge(Component):
    name: str = "Ada"
    def render(self, ctx, children):
        return Paragraph()[self.name]

class Needy(Component):
    name: str

badge = Badge(name="Grace")
words = "Port 8080"
number = 7

def made():
    return [Badge(), badge]

def desk():
    return Domain("desk", [NotesSection])

def given(words):
    return words

def broken():
    return 1 / 0

def endless():
    return endless()

def leaving():
    raise SystemExit(3)

class Counted(Component):
    def render(self, ctx, children):
        return len(children)

class Lined(Component):
    def render(self, ctx, children):
        return Paragraph()["a"]

class Raising(Component):
    def render(self, ctx, children):
        return Paragraph()[[1].pop(3)]

@component
def waits(ctx, children):
    return {"a": 1}

counted = Section(title="A")[Counted()]
misplaced = List()[Lined()]
deep = Section(title="A")[Section(title="B")[Raising()]]
function = [waits()]

def asked():
    return render(deep)
"""


@pytest.fixture
def code(tmp_path):
    """A file of an author's."""
    path = tmp_path / "app.py"
    path.write_text(CODE)
    return path


@pytest.fixture
def text(preview):
    """What is shown of a subject."""

    def show(**subject):
        shown = preview(Subject("x", **subject))
        return "".join(each["text"] for each in shown.ask("view")["nodes"])

    return show


@pytest.fixture
def fault(preview):
    """What is wrong with a subject."""

    def find(**subject):
        found = preview(Subject("x", **subject)).fault
        assert found is not None, subject
        return found

    return find


class TestAnObject:
    def test_a_tree_is_shown(self, code, text):
        for name, shown in {
            "Badge": "Ada",
            "badge": "Grace",
            "words": "Port 8080",
            "made": "Ada\n\nGrace",
        }.items():
            assert text(object=f"{code}:{name}") == shown, name

    def test_a_domain_is_shown_with_an_example(self, code, text):
        shown = text(object=f"{code}:desk")
        assert shown.startswith("# HUD\n\n## Notes\n\n- The schema has users and sessions\n- ")
        assert shown.count("\n- ") == 4, "the section's own example"

    def test_it_may_show_a_session(self, code, text, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s").record("note.add", content="Port 9090")
        code.write_text("from hud_components import NotesSection\nnotes = NotesSection()\n")
        assert "Port 9090" in text(object=f"{code}:notes", store=str(path), session="s")

    def test_what_cannot_be_shown_is_refused(self, code, fault):
        for name, said in {
            "number": "is of the type int, which cannot be shown; name a component",
            "neddy": 'has no "neddy"; did you mean "Needy"?',
            "Needy": "needs props: ",
            "given": "cannot be called without arguments: missing a required argument: 'words'",
        }.items():
            assert said in fault(object=f"{code}:{name}").message, name

    def test_a_module_may_come_to_lie_in_the_working_folder(self, tmp_path, monkeypatch, preview):
        monkeypatch.chdir(tmp_path)
        shown = preview(Subject("x", object="no_such_module.huds:layout"))
        assert shown.fault.message.startswith(
            f'there is no module "no_such_module.huds", neither installed, nor in PYTHONPATH or {tmp_path}'
        )
        (tmp_path / "no_such_module").mkdir()
        (tmp_path / "no_such_module" / "huds.py").write_text("layout = 'Port 8080'\n")
        assert shown.poll()
        assert shown.ask("view")["nodes"][0]["text"] == "Port 8080"

    def test_a_file_with_the_name_of_a_module_is_another_one(self, tmp_path, text):
        (tmp_path / "json.py").write_text("OWN = 'Port 8080'\n")
        assert text(object=f"{tmp_path / 'json.py'}:OWN") == "Port 8080"

    def test_a_file_and_the_module_in_it_are_one(self, tmp_path, monkeypatch, text):
        """An author's tree and domain are then of the same classes, however the two are named."""
        monkeypatch.chdir(tmp_path)
        (tmp_path / "one_file.py").write_text(
            "from hud_components import Domain, HudItem, ItemsSection, Line\n"
            "class Fact(HudItem):\n    'A fact.'\n    what: Line\n    'What it is.'\n"
            "class Facts(ItemsSection[Fact]):\n    'Facts.'\n    name, title, prefix, noun = 'facts', 'Facts', 'f', 'fact|facts'\n"
            "    lines = {'full': '{what}'}\n"
            "own = Domain('own', [Facts])\nshown = Facts()\n"
        )
        own = {"domain": f"{tmp_path}/one_file.py:own", "domain_folder": str(tmp_path)}
        assert text(object="one_file:shown", **own).startswith("# Facts\n")
        assert text(object=f"{tmp_path}/one_file.py:shown", **own).startswith("# Facts\n")


class TestAFault:
    def test_it_has_its_place_in_the_authors_code(self, code, fault):
        lines = CODE.splitlines()
        for name, kind, source in [
            ("broken", "ZeroDivisionError", "return 1 / 0"),
            ("endless", "RecursionError", "return endless()"),
            ("leaving", "SystemExit", "raise SystemExit(3)"),
        ]:
            found = fault(object=f"{code}:{name}")
            assert (found.kind, found.file) == (kind, str(code))
            assert lines[(found.line or 0) - 1].strip() == source

    def test_of_a_render_is_told_at_that_render(self, code, fault):
        lines = CODE.splitlines()
        for name, said, source in [
            ("counted", "0 (int) is not a valid child", "Counted(Component)"),
            ("misplaced", "not what Lined renders", "Lined(Component)"),
            ("deep", "IndexError", "[1].pop(3)"),
            ("asked", "IndexError", "[1].pop(3)"),
            ("function", "it is data", "@component"),
        ]:
            found = fault(object=f"{code}:{name}")
            assert said in found.message, name
            assert found.file == str(code), name
            at = (found.line or 0) - 1
            assert source in lines[at] or (source in lines[at - 1] and "def render" in lines[at])
            assert found.excerpt in lines[at], name

    def test_what_cannot_be_parsed_has_a_mark(self, code, fault):
        code.write_text("a = 1\nb = (\n")
        found = fault(object=f"{code}:a")
        assert (found.kind, found.file, found.line) == ("SyntaxError", str(code), 2)
        assert found.excerpt.endswith("^")

    def test_the_files_that_it_went_through_are_watched(self, code, preview):
        part = code.parent / "part_of_it.py"
        part.write_text("def deeper():\n    raise ValueError('no')\n")
        code.write_text("from part_of_it import deeper\n\ndef shown():\n    return deeper()\n")
        shown = preview(Subject("x", object=f"{code}:shown"))
        assert [each.file for each in shown.fault.frames] == [str(code), str(part)]
        part.write_text("def deeper():\n    return 'Port 8080'\n")
        os.utime(part, ns=(1, 1))
        assert shown.poll()
        assert shown.fault is None

    def test_an_error_whose_text_cannot_be_had_is_told_by_its_class(self):
        class MuteError(Exception):
            def __str__(self) -> str:
                raise ValueError

        assert fault_of(MuteError()).message == "MuteError"

    def test_a_layout_has_line_column_and_excerpt(self, tmp_path, fault):
        path = tmp_path / "hud.md"
        path.write_text("<Hud>\n  <NotesSektion/>\n</Hud>\n")
        found = fault(layout=str(path))
        assert (found.file, found.line, found.column) == (str(path), 2, 3)
        assert 'did you mean "NotesSection"?' in found.message
        assert "^" in found.excerpt

    def test_a_tree_as_data_says_what_is_wrong(self, tmp_path, fault):
        path = tmp_path / "hud.json"
        for data, said in {
            "{": "is not JSON",
            '{"type": "Sektion"}': "did you mean",
            "[]": "a node is an object",
        }.items():
            path.write_text(data)
            assert said in fault(layout=str(path)).message, data

    def test_a_session_that_is_gone_is_missed(self, tmp_path, fault):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s")
        assert 'no session "t"' in fault(store=str(path), session="t").message


class TestALayout:
    def test_markdown_with_tags(self, tmp_path, text):
        path = tmp_path / "hud.md"
        path.write_text("# Desk\n\n<NotesSection/>\n\nPort 8080\n")
        assert text(layout=str(path)) == "# Desk\n\nPort 8080"

    def test_a_tree_as_data(self, tmp_path, text):
        path = tmp_path / "hud.json"
        path.write_text('{"type": "Paragraph", "children": ["Port 8080"]}')
        assert text(layout=str(path)) == "Port 8080"
