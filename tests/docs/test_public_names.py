"""What the reference of the site has is what the packages give: the names read off the source are imported."""

from __future__ import annotations

from importlib import import_module
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
