"""``--with MODULE``: a package of components is used in layouts that are files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hud_runtime import ProjectError
from hud_runtime.projects import load_components

pytestmark = pytest.mark.usefixtures("warm_previews")

ACME = """
from ujsx import Component, component
from ujsx.elements import Paragraph


class Oven(Component):
    "An oven."

    degrees: int

    def render(self, ctx, children):
        return Paragraph()[f"{self.degrees} °C"]


@component
def Bell(ctx, children, *, times: int = 1):
    "A bell."
    return Paragraph()["ding " * times]


class _Hidden(Component):
    "Nobody's."
"""


@pytest.fixture(autouse=True)
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "acme_kitchen").mkdir()
    (tmp_path / "acme_kitchen" / "_oven.py").write_text(ACME, encoding="utf-8")
    (tmp_path / "acme_kitchen" / "__init__.py").write_text(
        "from acme_kitchen._oven import Bell, Oven\n", encoding="utf-8"
    )
    (tmp_path / "bare_kitchen.py").write_text("X = 1\n", encoding="utf-8")
    (tmp_path / "hud.md").write_text(
        "# Kitchen\n\n<Oven degrees={200}/>\n\n<Bell/>\n", encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize(
    ("command", "module"),
    [
        (["render"], "acme_kitchen"),
        (["render"], "acme_kitchen._oven"),
        (["render"], "acme_kitchen/_oven.py"),
        (["watch", "--once"], "acme_kitchen"),
    ],
)
def test_components_of_a_package_or_a_file_stand_in_a_layout(ujsx, command, module):
    said = ujsx(*command, "hud.md", "--with", module)
    assert said.status == 0
    assert said.out.startswith("# Kitchen\n\n200 °C\n\nding\n")


def test_several_modules_are_given_one_by_one(ujsx, acme):
    (acme / "more.py").write_text(ACME.replace("Oven", "Grill").replace("Bell", "Gong"), "utf-8")
    (acme / "hud.md").write_text("<Grill degrees={1}/>\n\n<Oven degrees={2}/>\n", "utf-8")
    said = ujsx("render", "hud.md", "--with", "more.py", "--with", "acme_kitchen")
    assert said.out == "1 °C\n\n2 °C\n"


def test_a_layout_without_them_says_how_they_get_in(ujsx):
    assert "pass --with MODULE" in ujsx("render", "hud.md").refusal


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("bare_kitchen", "bare_kitchen has no components: classes that derive from Component"),
        ("acme_kitchn", 'there is no module "acme_kitchn", neither installed'),
        ("acme_kitchen:Oven", 'components are named by package.module or file.py, not "acme_kitchen:Oven"'),
        ("nowhere.py", "there is no file nowhere.py; check its path"),
        ("broken.py", "broken.py cannot be imported: "),
        ("twin.py", 'two components are called "Section"'),
    ],
)  # fmt: skip
def test_what_has_none_is_refused(ujsx, acme, module, said):
    (acme / "broken.py").write_text("1 / 0\n", "utf-8")
    (acme / "twin.py").write_text(ACME.replace("Oven", "Section"), "utf-8")
    assert said in ujsx("render", "hud.md", "--with", module).refusal


def test_a_module_says_itself_which_they_are(acme):
    (acme / "named.py").write_text(f"{ACME}\n__all__ = ['Bell']\n", "utf-8")
    assert [each.__name__ for each in load_components("named.py", folder=acme)] == ["Bell"]
    with pytest.raises(ProjectError, match="has no components"):
        load_components("bare_kitchen", folder=acme)
    with pytest.raises(ProjectError, match=r"write the whole path of .*, such as /.*named\.py"):
        load_components("named.py")  # as where a host starts the command
