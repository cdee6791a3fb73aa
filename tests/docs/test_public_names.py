"""What the reference of the site has is what the packages give: the names read off the source are imported."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hud_components
import hud_runtime
import ujsx
from tests.docs.programs import program


@pytest.fixture(scope="module")
def names() -> ModuleType:
    return program("public_names")


def test_a_package_promises_its_all(names: ModuleType) -> None:
    for package in (ujsx, hud_components, hud_runtime):
        assert names.names_of(package.__name__) == list(package.__all__)


def test_each_name_is_what_its_definition_is(names: ModuleType) -> None:
    seen = 0
    for at, exported in names.homes().items():
        for name in exported:
            package, _, own = name.rpartition(".")
            try:
                given = getattr(import_module(package), own)
            except ImportError:  # of an SDK that is not installed
                continue
            home = import_module(at.module)
            assert given is (getattr(home, at.name) if at.name else home), name
            seen += 1
    assert seen > 400


def test_there_are_at_most_500_of_them(names: ModuleType) -> None:
    assert len({each.rpartition(".")[2] for each in names.public_names()}) <= 500


def test_a_promise_that_nothing_keeps_is_told(names: ModuleType) -> None:
    with pytest.raises(LookupError, match=r"ujsx\.elements\.Paragraf is promised"):
        names.definition("ujsx.elements", "Paragraf")


def test_examples_name_what_they_use(names: ModuleType) -> None:
    block = "from ujsx import render\nfrom json import loads\n"
    assert [at.name for at in names.imported_by(block)] == ["render"]
    assert list(names.imported_by("$ no Python")) == []


TESTS = Path(__file__).parents[1]

INSIDE = {
    "benchmarks/_inside.py": "parts of the runtime that no user calls",
    "benchmarks/_peers.py": "the library's own escapes, which the peers of a benchmark have, too",
    "hud_components/changes/reading.py": "the lines that a delta is written of, which its reader reads",
    "hud_runtime/inside.py": "parts of stores and sessions that nothing public reaches",
    "hud_runtime/integrations/inside.py": "parts of hosts' adapters that no host reaches by itself",
    "hud_runtime/observation/inside.py": "parts of the reader of sessions",
    "hud_runtime/preview/inside.py": "parts of the preview",
    "hud_runtime/serving/inside.py": "parts of the HTTP server that no client reaches",
    "test_lowest.py": "the doctor's reading of requirements",
    "ujsx/test_on_demand.py": "the tables of names that other libraries use",
    "ujsx/testing/inside.py": "parts of the test kit that a run of pytest alone reaches",
}
"""The only files of tests that import private names: what each of them needs, once for all tests."""


PRIVATE = re.compile(r"(?:ujsx|hud_components|hud_runtime)[\w.]*(?:\._| import [^)]*?\b_[a-zA-Z])")
"""The least that a file has that imports a private name: others need not be parsed."""


def imports_what_is_private(path: Path) -> bool:
    """Tell whether a file imports a private module, or a private name of one, of a package of ours."""
    source = path.read_text("utf-8")
    for node in ast.walk(ast.parse(source if PRIVATE.search(source) else "")):
        if isinstance(node, ast.ImportFrom):
            imported = [f"{node.module}.{each.name}" for each in node.names]
        else:
            imported = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        for parts in (each.split(".") for each in imported):
            is_ours = parts[0] in {"ujsx", "hud_components", "hud_runtime"}
            if is_ours and any(part.startswith("_") and part[:2] != "__" for part in parts):
                return True
    return False


def test_tests_import_public_names() -> None:
    paths = [path for path in TESTS.rglob("*.py") if "python314" not in path.parts]
    found = {path.relative_to(TESTS).as_posix() for path in paths if imports_what_is_private(path)}
    assert found == INSIDE.keys(), "call what users call, or take it off the list"
