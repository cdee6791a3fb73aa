"""What the packages export, and what importing them costs."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hud_components.memory
import hud_runtime.history
import ujsx
import ujsx.components
import ujsx.elements
import ujsx.hast
import ujsx.mdast
import ujsx.schema
import ujsx.targets
import ujsx.testing
import ujsx.tools
from tests.ids import looped

ROOT = Path(__file__).parents[2]
PACKAGES = (
    ujsx,
    ujsx.components,
    ujsx.elements,
    ujsx.hast,
    ujsx.targets,
    ujsx.mdast,
    ujsx.schema,
    ujsx.testing,
    ujsx.tools,
)

ON_DEMAND = (
    ujsx,
    ujsx.testing,
    hud_components,
    hud_components.memory,
    hud_runtime,
    hud_runtime.history,
)

ALIASES = {"LONGEST_ANSWER", "__version__", "Child", "Children", "Node", "registry", "DIALECTS", "LAYOUTS",
    "PROVIDER_LIMITS", "PRIMITIVES", "Examples", "TIER_TOKENS",
}  # fmt: skip
"""Exported names that are no class and no function: their docstring stands in the source."""


def type_checking_imports(module: ModuleType) -> set[str]:
    """The names that a package imports for type checkers."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    return {
        alias.asname or alias.name
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has after ``code``."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


class TestAll:
    @looped("package", PACKAGES, ids=lambda each: each.__name__)
    def test_every_name_is_there(self, package: ModuleType) -> None:
        assert [name for name in package.__all__ if not hasattr(package, name)] == []

    @looped("package", ON_DEMAND, ids=lambda each: each.__name__)
    def test_is_what_type_checkers_see(self, package: ModuleType) -> None:
        seen = type_checking_imports(package)
        assert [name for name in seen if not hasattr(package, name)] == []
        assert {*package.__all__} - {"__version__"} <= seen

    @looped("package", PACKAGES, ids=lambda each: each.__name__)
    def test_has_no_name_twice(self, package: ModuleType) -> None:
        assert len(package.__all__) == len(set(package.__all__))

    @looped("package", PACKAGES, ids=lambda each: each.__name__)
    def test_every_class_and_function_has_a_docstring(self, package: ModuleType) -> None:
        for name in {*package.__all__} - ALIASES:
            value = getattr(package, name)
            assert inspect.isclass(value) or callable(value), name
            assert value.__doc__, name
            assert not value.__doc__.startswith(f"{name}("), "a dataclass writes it by itself"

    def test_every_public_method_has_a_docstring(self) -> None:
        kinds = (classmethod, staticmethod, property)
        assert [
            f"{cls.__name__}.{name}"
            for cls in (getattr(ujsx, name) for name in ujsx.__all__)
            if inspect.isclass(cls)
            for name, value in vars(cls).items()
            if not name.startswith("_") and name != "model_post_init"
            if (inspect.isfunction(value) or isinstance(value, kinds)) and not value.__doc__
        ] == []

    def test_dir_lists_them(self) -> None:
        assert set(ujsx.__all__) <= set(dir(ujsx))

    @looped("package", [ujsx, ujsx.testing], ids=lambda each: each.__name__)
    def test_a_name_that_does_not_exist_is_an_attribute_error(self, package: ModuleType) -> None:
        with pytest.raises(
            AttributeError, match=f"module '{package.__name__}' has no attribute 'nothing'"
        ):
            _ = package.nothing

    def test_a_name_stays_what_it_is_when_its_module_is_imported(self) -> None:
        """A public module with the name of a function would take its place."""
        for name in ujsx.__all__:
            before = getattr(ujsx, name)
            import_module(str(getattr(before, "__module__", None) or "ujsx"))
            assert getattr(ujsx, name) is before
        for room in PACKAGES[1:]:
            assert room.__name__.removeprefix("ujsx.") not in ujsx.__all__


HEAVY = {
    "pydantic",
    "msgspec",
    "markdown_it",
    "mdit_py_plugins",
    "mistune",
    "sqlite3",
    "syrupy",
    "hypothesis",
    "pytest",
}
READERS = {"markdown_it", "mdit_py_plugins", "mistune", "sqlite3", "syrupy", "hypothesis", "pytest"}


class TestImports:
    """Each starts an interpreter: what one must not load, nothing of what is run in it may load."""

    def test_of_ujsx_and_its_errors_loads_nothing_heavy(self) -> None:
        loaded = loaded_by("import ujsx; from ujsx import UjsxError, Density")
        assert "ujsx" in loaded
        assert not loaded & HEAVY

    def test_of_what_writes_loads_no_reader(self) -> None:
        loaded = loaded_by(
            "from ujsx import *\nimport ujsx.elements, ujsx.mdast, ujsx.schema\nimport hud_components\n"
            "from ujsx import render; from ujsx.elements import Section; render(Section(title='a')['x'])"
        )
        assert {"ujsx.schema", "hud_components"} <= loaded
        assert not loaded & READERS

    def test_of_markdown_loads_nothing_of_html(self) -> None:
        loaded = loaded_by("from ujsx import registry, render; render('a'); registry.copy()")
        assert "ujsx.transforms" in loaded
        assert not [each for each in loaded if each.startswith("ujsx.") and "hast" in each]

    def test_of_ujsx_does_not_load_the_packages_above_it(self) -> None:
        loaded = loaded_by("from ujsx import *; import ujsx.testing._given_texts")
        assert not {each for each in loaded if each.startswith(("hud_components", "hud_runtime"))}

    def test_the_second_engine_is_loaded_only_when_it_is_asked_for(self) -> None:
        loaded = loaded_by("from ujsx.mdast import from_markdown; from_markdown('a')")
        assert "markdown_it" in loaded
        assert "mistune" not in loaded
