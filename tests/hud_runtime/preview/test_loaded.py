"""What can be previewed, what is said of the rest, and where in an author's code that is."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from hud_runtime import HudStore
from hud_runtime.projects import load_object
from tests.hud_runtime.preview.inside import (
    Answers,
    Fault,
    PreviewLook,
    Subject,
    fault_of,
    files_in_traceback,
    load,
    loaded,
)
from tests.ids import looped

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
def code(tmp_path, monkeypatch):
    """A file of an author's, and the process as it was before."""
    path = tmp_path / "app.py"
    path.write_text(CODE)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield path
    for name, module in [*sys.modules.items()]:
        if getattr(module, "__file__", None) == str(path):
            del sys.modules[name]


def text(subject: Subject) -> str:
    with ExitStack() as held:
        view = Answers(loaded(subject, held), subject.name).view(PreviewLook())
    return "".join(each["text"] for each in view["nodes"])


def fault(subject: Subject) -> Fault:
    with ExitStack() as held, pytest.raises((Exception, SystemExit)) as caught:
        Answers(loaded(subject, held), subject.name).view(PreviewLook())
    return fault_of(caught.value, subject.layout)


class TestAnObject:
    @pytest.mark.parametrize(
        ("name", "shown"),
        [("Badge", "Ada"), ("badge", "Grace"), ("words", "Port 8080"), ("made", "Ada\n\nGrace")],
    )
    def test_a_tree_is_shown(self, code, name, shown):
        assert text(Subject("x", object=f"{code}:{name}")) == shown

    def test_a_domain_is_shown_with_an_example(self, code):
        shown = text(Subject("x", object=f"{code}:desk"))
        assert shown.startswith("# HUD\n\n## Notes\n\n- The schema has users and sessions\n- ")
        assert shown.count("\n- ") == 4, "the section's own example"

    def test_it_may_show_a_session(self, code, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s").record("note.add", content="Port 9090")
        code.write_text("from hud_components import NotesSection\nnotes = NotesSection()\n")
        subject = Subject("x", object=f"{code}:notes", store=str(path), session="s")
        assert "Port 9090" in text(subject)

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("number", "is of the type int, which cannot be shown; name a component"),
            ("neddy", 'has no "neddy"; did you mean "Needy"?'),
            ("Needy", "needs props: "),
            ("given", "cannot be called without arguments: missing a required argument: 'words'"),
        ],
    )
    def test_what_cannot_be_shown_is_refused(self, code, name, said):
        assert said in fault(Subject("x", object=f"{code}:{name}")).message

    def test_a_module_that_is_not_there_is_told(self, monkeypatch, tmp_path):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", [*sys.path])
        said = fault(Subject("x", object="no_such_module:shown")).message
        assert said.startswith(
            f'there is no module "no_such_module", neither installed, nor in PYTHONPATH or {tmp_path}'
        )

    def test_its_file_is_watched(self, code):
        with ExitStack() as held:
            assert loaded(Subject("x", object=f"{code}:badge"), held).files == (str(code),)

    def test_a_module_may_come_to_lie_in_the_working_folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert Subject("x", object="app.huds:layout").files == [
            str(tmp_path / "app" / "huds.py"),
            str(tmp_path / "app" / "huds" / "__init__.py"),
        ]


class TestAFault:
    @pytest.mark.parametrize(
        ("name", "kind", "source"),
        [
            ("broken", "ZeroDivisionError", "return 1 / 0"),
            ("endless", "RecursionError", "return endless()"),
            ("leaving", "SystemExit", "raise SystemExit(3)"),
        ],
    )
    def test_it_has_its_place_in_the_authors_code(self, code, name, kind, source):
        found = fault(Subject("x", object=f"{code}:{name}"))
        lines = CODE.splitlines()
        assert (found.kind, found.file) == (kind, str(code))
        assert lines[(found.line or 0) - 1].strip() == source

    @pytest.mark.parametrize(
        ("name", "said", "source"),
        [
            ("counted", "0 (int) is not a valid child", "Counted(Component)"),
            ("misplaced", "not what Lined renders", "Lined(Component)"),
            ("deep", "IndexError", "[1].pop(3)"),
            ("asked", "IndexError", "[1].pop(3)"),
            ("function", "it is data", "@component"),
        ],
    )
    def test_of_a_render_is_told_at_that_render(self, code, name, said, source):
        found = fault(Subject("x", object=f"{code}:{name}"))
        assert said in found.message
        assert found.file == str(code)
        lines = CODE.splitlines()
        at = (found.line or 0) - 1
        assert source in lines[at] or (source in lines[at - 1] and "def render" in lines[at])
        assert found.excerpt in lines[at]

    def test_what_cannot_be_parsed_has_a_mark(self, code):
        code.write_text("a = 1\nb = (\n")
        found = fault(Subject("x", object=f"{code}:a"))
        assert (found.kind, found.file, found.line) == ("SyntaxError", str(code), 2)
        assert found.excerpt.endswith("^")

    def test_the_files_that_it_went_through_are_watched(self, code):
        (code.parent / "part_of_it.py").write_text("def deeper():\n    raise ValueError('no')\n")
        code.write_text("from part_of_it import deeper\n\ndef shown():\n    return deeper()\n")
        try:
            with ExitStack() as held, pytest.raises(ValueError, match="no") as caught:
                loaded(Subject("x", object=f"{code}:shown"), held)
        finally:
            sys.modules.pop("part_of_it", None)
        assert files_in_traceback(caught.value)[-2:] == [
            str(code),
            str(code.parent / "part_of_it.py"),
        ]

    def test_an_error_whose_text_cannot_be_had_is_told_by_its_class(self):
        class MuteError(Exception):
            def __str__(self) -> str:
                raise ValueError

        assert fault_of(MuteError()).message == "MuteError"

    def test_a_layout_has_line_column_and_excerpt(self, tmp_path):
        path = tmp_path / "hud.md"
        path.write_text("<Hud>\n  <NotesSektion/>\n</Hud>\n")
        found = fault(Subject("x", layout=str(path)))
        assert (found.file, found.line, found.column) == (str(path), 2, 3)
        assert 'did you mean "NotesSection"?' in found.message
        assert "^" in found.excerpt

    @looped(
        ("data", "said"),
        [
            ("{", "is not JSON"),
            ('{"type": "Sektion"}', "did you mean"),
            ("[]", "a node is an object"),
        ],
    )
    def test_a_tree_as_data_says_what_is_wrong(self, tmp_path, data, said):
        path = tmp_path / "hud.json"
        path.write_text(data)
        assert said in fault(Subject("x", layout=str(path))).message

    def test_a_session_that_is_gone_is_missed(self, tmp_path):
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s")
        assert 'no session "t"' in fault(Subject("x", store=str(path), session="t")).message


class TestALayout:
    def test_markdown_with_tags(self, tmp_path):
        path = tmp_path / "hud.md"
        path.write_text("# Desk\n\n<NotesSection/>\n\nPort 8080\n")
        assert text(Subject("x", layout=str(path))) == "# Desk\n\nPort 8080"

    def test_a_tree_as_data(self, tmp_path):
        path = tmp_path / "hud.json"
        path.write_text('{"type": "Paragraph", "children": ["Port 8080"]}')
        assert text(Subject("x", layout=str(path))) == "Port 8080"


def test_a_file_and_the_domain_in_it_are_one_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "one_file_huds.py").write_text("class Own:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "one_file_huds", raising=False)
    found = load(f"{tmp_path / 'one_file_huds.py'}:Own")
    assert found is load_object("one_file_huds:Own")
    assert found is load("one_file_huds:Own")


def test_a_file_with_the_name_of_a_module_is_another_one(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("OWN = 1\n")
    assert load(f"{tmp_path / 'json.py'}:OWN") == 1
