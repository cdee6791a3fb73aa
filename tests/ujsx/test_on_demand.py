"""Names of a package that are imported when they are first used: what is said of one that is not there."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from itertools import chain

import pytest

import hud_components
import hud_runtime
import ujsx
import ujsx.elements
import ujsx.mdast
import ujsx.schema
from docs.public_names import names_of, packages
from ujsx import _other_names
from ujsx._other_names import ELEMENTS, NAMES, lines_for, public_names, written

ROOTS = (ujsx, hud_components, hud_runtime)


def told(package: str, name: str) -> str:
    """What a reader is told who asks a package for a name, either way."""
    with pytest.raises(AttributeError) as asked:
        getattr(import_module(package), name)
    with pytest.raises(ImportError) as imported:
        exec(f"from {package} import {name}", {})
    answer = str(asked.value).partition("; ")[2]
    assert str(imported.value) == f"cannot import name {name!r} from {package!r}; {answer}"
    return answer


@pytest.mark.parametrize(
    ("name", "today"),
    [
        ("DecisionsSection", "DecisionsList"),
        ("BlockersSection", "BlockersList"),
        ("Blockers", "BlockersList"),
        ("NoteItem", "Note"),
        ("TaskItem", "Task"),
        ("NoteSection", "NotesSection"),
        ("SessionSection", "SessionLine"),
        ("StaleBanner", "StaleNotice"),
        ("FilesSection", "ActiveFiles"),
        ("Treshold", "Threshold"),
    ],
)
def test_a_name_that_is_not_there_comes_with_the_one_that_is_meant(name: str, today: str) -> None:
    for package in ROOTS:
        assert told(package.__name__, name) == f"write from hud_components import {today}"


def test_a_name_that_is_like_none_comes_with_those_that_there_are() -> None:
    assert told("ujsx.trees", "Zork").startswith("known: ALONE, disclosed_context, dump, ")


def test_to_ask_for_it_otherwise_is_an_attribute_error() -> None:
    assert not hasattr(hud_components, "DecisionsSection")
    assert getattr(hud_components, "DecisionsSection", None) is None


def test_no_source_is_read_before_an_answer_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_other_names, "_sources", lambda: pytest.fail("it was read"))
    public_names.cache_clear()
    assert not any(hasattr(package, "DecisionsSection") for package in ROOTS)


def test_python_adds_no_guess_of_its_own() -> None:
    import traceback

    with pytest.raises(AttributeError) as caught:
        getattr(hud_components, "HudEvent")  # noqa: B009
    [line] = traceback.format_exception_only(caught.value)
    assert line == (
        "AttributeError: module 'hud_components' has no attribute 'HudEvent'; write from hud_runtime import Event\n"
    )


def test_it_reaches_another_process() -> None:
    import pickle

    with pytest.raises(AttributeError) as caught:
        getattr(ujsx, "HUD")  # noqa: B009
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_module_that_is_being_imported_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where modules import each other, the package does not have its name yet."""
    monkeypatch.delattr(hud_components, "sections", raising=False)
    from hud_components import sections

    assert sections is sys.modules["hud_components.sections"]


@cache
def promised() -> frozenset[tuple[str, str]]:
    """The packages and their public names, as the documentation has them."""
    return frozenset((package, name) for package in packages() for name in names_of(package))


class TestEveryPublicName:
    def test_is_known_where_the_documentation_has_it(self) -> None:
        found = {(place, name) for name, places in public_names().items() for place in places}
        modules = {each.rpartition(".")[::2] for each in packages()}
        assert found - modules == promised() - modules

    @pytest.mark.parametrize("asked", ["ujsx", "hud_components", "hud_runtime", "ujsx.elements"])
    def test_is_found_from_another_package(self, asked: str) -> None:
        package = import_module(asked)
        for name in {name for _, name in promised()} - {*package.__all__, *vars(package)}:
            lines = lines_for(name)[: _other_names.MOST]
            places = [place for place, other in promised() if other == name]
            assert any(f"from {each} import {name}" in line for each in places for line in lines)

    @pytest.mark.parametrize(
        ("asked", "name", "line"),
        [
            ("hud_runtime", "Threshold", "from hud_components import Threshold"),
            ("hud_components", "render", "from ujsx import render"),
            ("ujsx", "tool_definition", "from ujsx.schema import tool_definition"),
            ("ujsx", "TaskSection", "from hud_components import TaskSection"),
            (
                "ujsx",
                "Heading",
                "from ujsx.elements import Heading, or from ujsx.mdast import Heading",
            ),
            ("ujsx.tools", "tool_schema", "from ujsx.schema import tool_schema"),
            ("hud_runtime.session", "EventStore", "from hud_runtime import EventStore"),
            ("hud_runtime", "langchain", "from hud_runtime.integrations import langchain"),
            ("hud_runtime", "renderHtml", "from ujsx import render_html"),
        ],
    )
    def test_comes_as_the_line_to_write(self, asked: str, name: str, line: str) -> None:
        assert told(asked, name) == f"write {line}"


class TestOtherNames:
    @pytest.mark.parametrize(
        "table", [NAMES, {f"ujsx.elements.{k}": v for k, v in ELEMENTS.items()}]
    )
    def test_lead_to_names_that_there_are(self, table: dict[str, str]) -> None:
        for today in table:
            place, _, name = today.partition("(")[0].rpartition(".")
            if today.startswith(_other_names.PACKAGES):
                assert place in public_names()[name] or name == "Fragment", today

    def test_are_told_once(self) -> None:
        names = [
            *chain.from_iterable(each.split() for each in (*NAMES.values(), *ELEMENTS.values()))
        ]
        folded = [each.replace("_", "").casefold() for each in names]
        assert len(folded) == len({*folded})

    @pytest.mark.parametrize(
        ("name", "line"),
        [
            ("HUD", "from hud_components import Hud"),
            ("ContextInfo", "from hud_components import ContextUsage"),
            ("ContextStatus", "from hud_components import Level"),
            ("getDensity", "from hud_components import density_for"),
            ("get_density", "from hud_components import density_for"),
            ("HudEvent", "from hud_runtime import Event"),
            ("Container", "from ujsx import Fragment"),
            ("createElement", "from ujsx import h"),
            ("ListItem", "from ujsx.elements import Item, or from ujsx.mdast import ListItem"),
            ("ol", "List(ordered=True), from ujsx.elements import List"),
            ("without_nulls", "from ujsx.schema import from_dialect"),
            ("field_validator", "from pydantic import field_validator"),
            ("useHud", "RenderContext().with_value(value), which render("),
            ("to_markdown", "render(tree), from ujsx import render; of mdast, from ujsx.mdast"),
        ],
    )
    def test_are_answered_with_todays_wherever_they_are_asked_for(
        self, name: str, line: str
    ) -> None:
        for package in ROOTS:
            assert told(package.__name__, name).startswith(f"write {line}")

    @pytest.mark.parametrize("today", [each for each in NAMES if " import " in written(each)])
    def test_come_as_lines_that_run(self, today: str) -> None:
        line = "from " + written(today).partition("from ")[2].partition(";")[0].replace(
            ", from ", "\nfrom "
        )
        if "integrations.langchain" not in line:
            exec(line, {})
