"""Names of a package that are imported when they are first used: what is said of one that is not there."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from types import ModuleType

import pytest

import hud_components
import hud_runtime
import ujsx
import ujsx.elements
import ujsx.mdast
import ujsx.schema
from docs.public_names import names_of, packages
from hud_runtime import HudStore
from tests.ids import looped
from ujsx._other_names import ALIASES, ELEMENTS, NAMES

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


@looped(
    ("name", "today"),
    [
        ("BlockerItem", "Blocker"),
        ("NoteItem", "Note"),
        ("TaskItem", "Task"),
        ("SessionSection", "SessionLine"),
        ("StaleBanner", "StaleNotice"),
    ],
)
def test_a_name_that_is_not_there_comes_with_the_one_that_is_meant(name: str, today: str) -> None:
    for package in ROOTS:
        assert told(package.__name__, name) == f"write from hud_components import {today}"


def test_so_does_one_of_a_room() -> None:
    for package in ROOTS:
        line = "write from hud_components.levels import Threshold"
        assert told(package.__name__, "Treshold") == line


@looped(
    ("name", "today"),
    [
        ("DecisionsSection", hud_components.DecisionsList),
        ("NoteSection", hud_components.NotesSection),
        ("FilesSection", hud_components.ActiveFiles),
        ("ListItem", ujsx.elements.Item),
        ("create_element", ujsx.h),
    ],
)
def test_a_name_of_another_library_for_the_same_thing_works(name: str, today: object) -> None:
    for package in ROOTS:
        assert getattr(package, name) is today


@looped(
    ("line", "answer"),
    [
        ("import ujsx.render", "write from ujsx import render"),
        ("from ujsx.components.hud import HUD", "write from hud_components import Hud"),
        ("import hud_components.task_section", "write from hud_components import TaskSection"),
        ("import ujsx.frobnicate", "dir(ujsx) lists its names"),
        (
            "from ujsx.core import h, render",
            "write from ujsx import h, and from ujsx import render",
        ),
        ("import hud_runtime._frobnicate", ""),
    ],
)
def test_a_module_that_is_not_there_is_answered(line: str, answer: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"^No module named '") as refused:
        exec(line, {})
    assert str(refused.value).partition("; ")[2] == answer
    assert refused.value.name == line.split()[1]
    again = pickle.loads(pickle.dumps(refused.value))
    assert (type(again), str(again)) == (ModuleNotFoundError, str(refused.value))


def test_who_asks_whether_a_module_is_there_is_told_that_it_is_not() -> None:
    assert find_spec("ujsx.hud") is None
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'json\.hud'$"):
        exec("import json.hud", {})


def test_a_name_that_is_like_none_comes_with_those_that_there_are() -> None:
    assert told("ujsx.tools", "Zork") == "known: LONGEST_ANSWER, Operation, ToolResult, Toolset"


def test_to_ask_for_it_otherwise_is_an_attribute_error() -> None:
    assert not hasattr(hud_components, "DecisionsPanel")
    assert getattr(hud_components, "DecisionsPanel", None) is None


def test_no_source_is_read_for_a_name_that_is_there() -> None:
    program = """
import pathlib, sys
import hud_components, hud_runtime, ujsx

def refuse(*_):
    sys.exit("the packages' sources are looked for")

pathlib.Path.rglob = refuse
for package in (ujsx, hud_components, hud_runtime):
    assert all(hasattr(package, name) for name in package.__all__)
    assert not hasattr(package, "_DecisionsSection")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_python_adds_no_guess_of_its_own() -> None:
    import traceback

    with pytest.raises(AttributeError) as caught:
        getattr(hud_components, "StatusBar")  # noqa: B009
    [line] = traceback.format_exception_only(caught.value)
    assert line == (
        "AttributeError: module 'hud_components' has no attribute 'StatusBar'; write from hud_components import StatusLine\n"
    )


def test_it_reaches_another_process() -> None:
    import pickle

    with pytest.raises(AttributeError) as caught:
        getattr(ujsx, "StatusBar")  # noqa: B009
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_module_that_is_being_imported_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where modules import each other, the package does not have its name yet."""
    monkeypatch.delattr(hud_components, "sections", raising=False)
    from hud_components import sections

    assert sections is sys.modules["hud_components.sections"]


def test_a_private_one_that_another_thread_has_just_imported_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For a moment it stands among the modules, and the package does not have its name yet."""
    import hud_runtime.log.events

    place = next(
        each for each in sorted(sys.modules) if each.startswith("hud_runtime.log.events._")
    )
    name = place.rpartition(".")[2]
    monkeypatch.delattr(hud_runtime.log.events, name)
    found: dict[str, object] = {}
    exec(f"from hud_runtime.log.events import {name} as found", found)
    assert found["found"] is sys.modules[place]


@cache
def promised() -> frozenset[tuple[str, str]]:
    """The packages and their public names, as the documentation has them."""
    return frozenset((package, name) for package in packages() for name in names_of(package))


def of_every_installation() -> list[str]:
    """The packages that need no other library."""
    return [each for each in packages() if not each.startswith("hud_runtime.integrations.")]


class TestEveryPublicName:
    def test_is_known_where_the_documentation_has_it(self) -> None:
        modules = {each.rpartition(".")[2] for each in packages()}
        unknown = "Zork"
        for package in of_every_installation():
            with pytest.raises(AttributeError) as asked:
                getattr(import_module(package), unknown)
            _, told_so, answer = str(asked.value).partition("; known: ")
            if told_so:
                known = {*answer.split(", ")}
                assert known - modules == {*names_of(package)} - modules, package

    def test_is_there_or_answered_with_a_package_that_has_it(self) -> None:
        homes: dict[str, list[str]] = {}
        for place, name in promised():
            if name not in {"__version__", "rewrite"}:  # pytest writes that one into each module
                homes.setdefault(name, []).append(place)
        for name, places in homes.items():
            if not {*places} <= {*of_every_installation()} or places == ["ujsx.mdast"]:
                continue  # what a name of mdast means elsewhere is a primitive
            if hasattr(ujsx, name):
                found, modules = getattr(ujsx, name), map(import_module, places)
                is_of_one = any(found is getattr(each, name) for each in modules)
                assert is_of_one or isinstance(found, ModuleType), name
            else:
                with pytest.raises(AttributeError) as asked:
                    getattr(ujsx, name)
                assert any(f"from {each} import {name}" in str(asked.value) for each in places)

    @looped("asked", ROOTS)
    def test_of_one_package_works_from_the_others(self, asked: ModuleType) -> None:
        for package in ROOTS:
            for name in {*package.__all__} - {*asked.__all__, "__version__"}:
                places = [each for each in ROOTS if name in each.__all__]
                if len(places) == 1:
                    assert getattr(asked, name) is getattr(package, name)
                    exec(f"from {asked.__name__} import {name}", {})
                else:
                    assert "write from " in told(asked.__name__, name)

    @looped(
        ("asked", "name", "home"),
        [
            ("ujsx", "tool_definition", "ujsx.schema"),
            ("hud_components", "Heading", "ujsx.elements"),
            ("hud_runtime", "from_markdown", "ujsx.mdast"),
            ("ujsx", "hud_toolset", "hud_runtime.tools"),
        ],
    )
    def test_of_one_room_works_from_each_package(self, asked: str, name: str, home: str) -> None:
        found = getattr(import_module(asked), name)
        assert found is getattr(import_module(home), name)
        assert name not in {*dir(import_module(asked)), *vars(import_module(asked))}

    def test_of_several_rooms_is_answered_with_each(self) -> None:
        assert told("ujsx", "install").count("from hud_runtime.") == 3

    def test_of_a_room_is_asked_of_that_room_alone(self) -> None:
        assert told("ujsx.mdast", "TaskSection") == "write from hud_components import TaskSection"

    @looped(
        ("asked", "name", "line"),
        [
            ("ujsx.tools", "tool_schema", "from ujsx.schema import tool_schema"),
            ("hud_runtime.session", "EventStore", "from hud_runtime import EventStore"),
            ("hud_runtime", "renderHtml", "from ujsx import render_html"),
        ],
    )
    def test_comes_as_the_line_to_write(self, asked: str, name: str, line: str) -> None:
        assert told(asked, name) == f"write {line}"


class TestOtherNames:
    def test_are_told_once(self) -> None:
        names = [
            *chain.from_iterable(
                each.split() for each in (*ALIASES.values(), *NAMES.values(), *ELEMENTS.values())
            )
        ]
        folded = [
            (each.replace("_", "").casefold(), each[:1].isupper())
            for each in names
            if each != "get_density"
        ]
        assert len(folded) == len({*folded})

    @looped("package", ROOTS)
    def test_of_the_founding_documents_work(self, package: ModuleType) -> None:
        for today, names in ALIASES.items():
            place, _, own = today.partition("(")[0].rpartition(".")
            meant = getattr(HudStore if place.endswith(".HudStore") else import_module(place), own)
            for name in names.split():
                found = getattr(package, name)
                assert getattr(found, "func", found) == meant

    @looped(
        ("name", "line"),
        [
            ("get_pressure", "from hud_components import level_for"),
            ("render_layout", "from ujsx import read_layout"),
            ("hud_manager", "from hud_runtime import HudStore"),
            ("assert_snapshot", "the fixture tier_snapshots of pytest: "),
            ("ol", "List(ordered=True), from ujsx.elements import List"),
            ("without_nulls", "from ujsx.schema import from_dialect"),
            ("field_validator", "from pydantic import field_validator"),
            ("useHud", "RenderContext().with_value(value), which render("),
            ("toMarkdown", "render(tree), from ujsx import render; of mdast, from ujsx.mdast"),
        ],
    )
    def test_are_answered_with_todays_wherever_they_are_asked_for(
        self, name: str, line: str
    ) -> None:
        for package in ROOTS:
            assert told(package.__name__, name).startswith(f"write {line}")

    def test_come_as_lines_that_run(self) -> None:
        for name in " ".join([*NAMES.values(), *ELEMENTS.values()]).split():
            if hasattr(ujsx, name):
                continue  # it means a class of the same kind
            with pytest.raises(ImportError) as refused:
                exec(f"from ujsx import {name}", {})
            answer = str(refused.value).partition("; ")[2]
            assert answer.startswith(("write ", "install it with: ")), name
            line = "from " + answer.partition("from ")[2].partition(";")[0].partition(", or ")[0]
            if " import " in line and ".integrations." not in line:
                exec(line.replace(", from ", "\nfrom "), {})
