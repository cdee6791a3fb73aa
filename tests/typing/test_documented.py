"""The Python of the README and the docs is right for mypy and pyright, or says that it is a mistake."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.test_examples import ROOT
from tests.typing.checkers import Found, mypy, pyright
from tests.typing.documented import Module, modules, write

MYPY = (
    "--check-untyped-defs",
    "--ignore-missing-imports",  # an SDK is an extra
    "--allow-redefinition-new",  # the blocks of a page are one module, and use names again
    "--local-partial-types",
    "--disable-error-code=no-redef",
)
"""As a project of one's own has it that is not strict: examples leave out what can be inferred."""

PYRIGHT = {"typeCheckingMode": "standard", "pythonVersion": "3.11", "reportMissingImports": False}
"""The same, in pyright's words."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Module]]:
    folder = tmp_path_factory.mktemp("documented")
    made = write(modules(), folder)
    (folder / "pyrightconfig.json").write_text(json.dumps(PYRIGHT), encoding="utf-8")
    return folder, made


def unmarked(found: Found, made: dict[str, Module]) -> list[str]:
    """What is wrong in a line that does not say so: each with its page and line."""
    places = {
        (made[file].page, line): codes
        for (file, line), codes in found.items()
        if line not in made[file].unknown
    }
    marked = set[tuple[str, int]]().union(*(module.mistakes for module in made.values()))
    return [
        f"{page}:{line}: {', '.join(codes)}"
        for (page, line), codes in sorted(places.items())
        if (page, line) not in marked
    ]


def unseen(found: Found, made: dict[str, Module]) -> list[str]:
    """The lines that say they are wrong, and in which nothing is found."""
    places = {(made[file].page, line) for file, line in found}
    return [
        f"{page}:{line}"
        for module in made.values()
        for page, line in module.mistakes
        if (page, line) not in places
    ]


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_finds_no_mistake_but_those_that_say_so(written, tmp_path) -> None:
    folder, made = written
    found = mypy([*made], tmp_path, *MYPY, cwd=folder)
    assert (unmarked(found, made), unseen(found, made)) == ([], [])


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_pyright_finds_no_mistake_but_those_that_say_so(written) -> None:
    folder, made = written
    found = pyright(cwd=folder)
    assert (unmarked(found, made), unseen(found, made)) == ([], [])


def test_all_pages_with_python_are_looked_at(written) -> None:
    _, made = written
    assert len({module.page for module in made.values()}) > 50
    assert sum(len(module.mistakes) for module in made.values()) > 8


def test_the_lines_of_a_module_are_those_of_its_page(written) -> None:
    folder, made = written
    for name, module in made.items():
        page = (ROOT / module.page).read_text("utf-8").split("\n")
        for number, line in enumerate((folder / name).read_text("utf-8").split("\n"), start=1):
            assert not line or number == 1 or line.strip() in page[number - 1]
