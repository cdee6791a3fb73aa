"""What can be looked at: one rule for all commands, for what is an author's own too, and one wording of refusals."""

from __future__ import annotations

import sys

import pytest

from hud_runtime import HudStore
from hud_runtime.history.exchange import export_session
from hud_runtime.projects import load_object

HUDS = '''
from __future__ import annotations

from hud_components import Domain, Hud, HudItem, ItemsSection, Line, NotesSection
from ujsx import Component
from ujsx.elements import Paragraph

with open("canary", "a") as canary:
    canary.write(__name__ + "\\n")


class Order(HudItem):
    """What a customer ordered."""

    what: Line
    """What it is."""


class Orders(ItemsSection[Order]):
    """The orders."""

    name = "orders"
    noun = "order|orders"
    lines = {"full": "**{what}**", "compact": "{what}"}


class Oven(Component):
    """How warm it is."""

    degrees: int = 220

    def render(self, ctx, children):
        return Paragraph()[f"{self.degrees} °C"]


class Broken(Component):
    def render(self, ctx, children):
        return Paragraph()[{}["no"]]


BAKERY = Domain("bakery", sections=(Orders, NotesSection))
layout = Hud(title="Bakery")[Oven(), Orders()]
number = 7
'''

LAYOUT = '<Hud title="Bakery">\n  <Orders/>\n</Hud>\n'


@pytest.fixture(scope="module")
def bakery(tmp_path_factory):
    """A newcomer's folder: their code, a layout, a store, and a session that was exported of it."""
    folder = tmp_path_factory.mktemp("bakery")
    (folder / "bakery_huds.py").write_text(HUDS)
    (folder / "hud.md").write_text(LAYOUT)
    (folder / "tree.json").write_text('{"type": "Hud", "children": [{"type": "Orders"}]}')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", [*sys.path])
        own = load_object("bakery_huds:BAKERY", folder=folder)
        with HudStore.open(folder / "bakery.db", domain=own) as store:
            session = store.session("today")
            session.record("orders.add", what="Rolls")
            (folder / "today.jsonl").write_text("".join(export_session(session)))
    return folder


@pytest.fixture
def folder(bakery, monkeypatch):
    """The same, for one who has just come to it."""
    monkeypatch.chdir(bakery)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("UJSX_HOME", str(bakery / "home"))
    for name in [each for each in sys.modules if each.startswith("bakery_")]:
        monkeypatch.delitem(sys.modules, name)
    (bakery / "canary").unlink(missing_ok=True)
    return bakery


OWN = ("--domain", "bakery_huds.py:BAKERY")
STORED = ("--store", "bakery.db", "--session", "today")

TARGETS = [
    ("bakery_huds:layout", *STORED, *OWN),
    ("bakery_huds.py:layout", *STORED, *OWN),
    ("./bakery_huds.py:layout", "--session", "today.jsonl", *OWN),
    ("bakery_huds:Orders", *STORED, *OWN),
    ("hud.md", *STORED, "--domain", "bakery_huds:BAKERY"),
    ("tree.json", *STORED, *OWN),
    ("bakery_huds:BAKERY",),
    ("today.jsonl", *OWN),
    ("today", "--store", "bakery.db", *OWN),
]


@pytest.mark.usefixtures("warm_previews")
class TestOneRule:
    @pytest.mark.parametrize("given", TARGETS, ids=" ".join)
    def test_what_is_previewed_is_explained(self, ujsx, folder, given):
        explained = ujsx("explain", *given, "--json")
        assert explained.status == 0, explained.err
        assert "Orders" in [each["name"] for each in explained.data["sections"]]
        previewed = ujsx("watch", *given, "--once", "--density", "full")
        assert previewed.status == 0, previewed.out
        words = "What it is" if given == ("bakery_huds:BAKERY",) else "Rolls"
        assert f"**{words}" in previewed.out

    def test_a_module_of_a_file_is_loaded_once(self, ujsx, folder):
        assert ujsx("explain", "bakery_huds.py:layout", *STORED, *OWN).status == 0
        assert (folder / "canary").read_text() == "bakery_huds\n"

    def test_a_file_in_a_package_is_its_module(self, folder):
        package = folder / "bakery_package"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "oven.py").write_text("DEGREES = 220\n")
        (package / "huds.py").write_text("from .oven import DEGREES\n")
        assert load_object("bakery_package/huds.py:DEGREES", folder=folder) == 220
        assert "bakery_package.huds" in sys.modules


class TestWhoNamesIt:
    """A person where they stand, or what a host starts wherever it works."""

    def test_a_person_has_their_folder_looked_into(self, ujsx, folder):
        assert "(orders, notes)" in ujsx("instructions", "--domain", "bakery_huds:BAKERY").out

    @pytest.mark.parametrize("command", ["serve", "install"])
    def test_a_host_has_no_module_looked_for_there(self, ujsx, folder, command):
        given = ("claude-code",) if command == "install" else ()
        refusal = ujsx(command, *given, "--domain", "bakery_huds:BAKERY").refusal
        assert "the working folder is not looked into, unless PYTHONPATH=. stands before" in refusal
        assert f"write {folder}/bakery_huds.py:BAKERY, or install it" in refusal
        assert not (folder / "canary").exists()

    def test_a_host_takes_a_file_by_its_whole_path(self, ujsx, folder):
        refusal = ujsx("bridge", "--check", "--domain", "bakery_huds.py:BAKERY").refusal
        assert "write the whole path of" in refusal
        assert not (folder / "canary").exists()
        whole = f"{folder}/bakery_huds.py:BAKERY"
        assert ujsx("bridge", "--check", "--domain", whole).status == 0
        assert (folder / "canary").exists()

    def test_who_configures_a_server_names_a_file_where_it_works(self, ujsx, folder):
        refusal = ujsx("serve", "--domain", "bakery_huds.py:BREAD").refusal
        assert 'bakery_huds.py has no "BREAD"' in refusal
        refusal = ujsx("serve", "--tools", "bakery_huds.py:BAKERY").refusal
        assert refusal.endswith("not a Toolset")

    def test_what_was_looked_into_for_a_person_is_not_for_a_host(self, ujsx, folder):
        load_object("bakery_huds:BAKERY", folder=folder)
        (folder / "bakery_other.py").write_text("NAME = 1\n")
        refusal = ujsx("bridge", "--check", "--domain", "bakery_other:NAME").refusal
        assert 'there is no module "bakery_other"; write ' in refusal


REFUSED = [
    ("explain bakery_hudz:layout", 'there is no module "bakery_hudz", neither installed'),
    ("explain bakery_hudz:layout", 'did you mean "bakery_huds"?'),
    (
        "explain bakery_huds:layuot",
        'the module "bakery_huds" has no "layuot"; did you mean "layout"?',
    ),
    ("explain bakery_huds.py:layuot", 'bakery_huds.py has no "layuot"; did you mean "layout"?'),
    (
        "explain bakery_huds.py",
        "bakery_huds.py has Orders, Oven, Broken, BAKERY, layout, number",
    ),
    (
        "explain bakery_hudz.py:layout",
        'there is no file bakery_hudz.py; did you mean "bakery_huds.py"?',
    ),
    ("explain bakery_huds:number", "is of the type int, which cannot be shown; name a component"),
    (
        "explain bakery_huds:Broken",
        "bakery_huds.py:38: RenderError: Broken: render raised KeyError",
    ),
    ("explain hu", 'there is no file "hu"'),
    ("explain hud.mf", 'there is no file hud.mf; did you mean "hud.md"?'),
    ("explain hud.md --turn 1", "--turn needs --session"),
    (
        "explain bakery_huds:BAKERY --session today --store bakery.db --domain bakery_huds:BAKERY",
        "an example is shown",
    ),
    (
        "explain today.jsonl",
        'belongs to the domain "bakery", which is not loaded; name it: --domain',
    ),
    (
        "replay today.jsonl",
        'belongs to the domain "bakery", which is not loaded; name it: --domain',
    ),
    ("hud hud.md", "hud.md is a layout, not a session; `ujsx render hud.md`"),
    ("replay hud.md", "hud.md is a layout, not a session; `ujsx render hud.md`"),
    ("watch --once --session hud.md", "hud.md is a layout, not a session; `ujsx render hud.md`"),
    ("preview --session hud.md", "a HUD's Markdown is such a text, and no session either"),
    ("watch --once hud.md --session hud.md", "hud.md is a layout, not a session"),
    ("preview hud.md --session hud.md --to x.html", "hud.md is a layout, not a session"),
    ("watch --once", "name a SUBJECT, or a session: --session FILE_OR_ID"),
    ("hud bakery_huds:layout", "is Python, not a session; `ujsx preview bakery_huds:layout`"),
    ("cost bakery_huds.py", "is Python, not a session; `ujsx preview bakery_huds.py:NAME`"),
    (
        "render bakery_huds.py",
        "`ujsx preview bakery_huds.py:NAME --terminal --once` shows what code makes, NAME being one of Orders",
    ),
    ("watch -", "a preview needs a file, not standard input"),
    ("instructions --domain bakery_huds", 'not "bakery_huds": bakery_huds has Order, Orders'),
    ("instructions --domain bakery_huds:layout", "is of the type Element, not a Domain"),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[each[0] for each in REFUSED])
def test_a_refusal_says_what_is_near_and_what_to_do(ujsx, folder, line, said):
    done = ujsx(*line.split())
    assert done.status in {1, 2}
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("warm_previews")
def test_a_preview_without_a_subject_is_of_the_session_that_is_named(ujsx, folder):
    own = ("--store", "bakery.db", "--domain", "bakery_huds:BAKERY")
    shown = ujsx("watch", "--once", "--session", "today", *own)
    assert (shown.status, shown.out) == (0, ujsx("watch", "--once", "today", *own).out)
    assert shown.out
