"""Every code block of the README and the docs is run, and every output shown is checked.

The blocks of a page share one namespace and a folder of their own, and run in order. What they print must be what the next
block with ``output`` behind its language says. A block with ``file=NAME`` is a file of a project of
its own, beside a module of the page's first block, or of all those before with ``in=MODULE.py``, which
the page's other blocks can import; a test
file in it is run with pytest. A block with
``needs=MODULE`` is left out where that module is not installed, and the page is then a skipped test.
"""

from __future__ import annotations

import contextlib
import gc
import io
import linecache
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.ujsx.testing.project import Project
from ujsx import mdast

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def read(page: Path) -> mdast.Root:
    return mdast.from_markdown(page.read_text(encoding="utf-8"))


def code_blocks(page: Path) -> list[mdast.Code]:
    """Return a page's code blocks, in order, from wherever they stand."""

    def inside(node: Any) -> Iterator[mdast.Code]:
        if isinstance(node, mdast.Code):
            yield node
        for child in getattr(node, "children", ()):
            yield from inside(child)

    return list(inside(read(page)))


def missing_of(words: list[str]) -> set[str]:
    """Return the modules that a block needs and that are not installed."""
    needed = {word.removeprefix("needs=") for word in words if word.startswith("needs=")}
    return {module for module in needed if not is_installed(module)}


def is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False


class Page:
    """Runs the blocks of one page."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.folder = folder
        self.sources: list[str] = []
        self.modules: dict[str, list[str]] = {}
        self.module = ModuleType(f"docs_{path.stem.lower()}")
        self.printed = io.StringIO()
        self.missing: set[str] = set()

    @property
    def names(self) -> list[str]:
        """The names of the modules that the page's blocks make."""
        return [file.removesuffix(".py") for file in self.modules]

    def run(self) -> None:
        sys.modules[self.module.__name__] = self.module
        try:
            for block in code_blocks(self.path):
                words = (block.meta or "").split()
                if missing := missing_of(words):
                    self.missing |= missing
                elif "output" in words:
                    self.check(block)
                elif words and words[0].startswith("file="):
                    self.run_file(words[0].removeprefix("file="), block.value)
                elif block.lang == "python":
                    self.execute(block)
        finally:
            for name in (self.module.__name__, *self.names):
                sys.modules.pop(name, None)
            self.module.__dict__.clear()
            with (
                warnings.catch_warnings()
            ):  # a script's end closes its stores, and so may an example's
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()

    def execute(self, block: mdast.Code) -> None:
        assert block.position is not None
        name = f"{self.path.name}:{block.position.start.line}"
        source = block.value + "\n"
        self.sources.append(source)
        for word in (block.meta or "").split():
            if word.startswith("in="):
                self.modules.setdefault(word.removeprefix("in="), []).append(source)
        # a class's attribute docstrings are read from its source
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        self.module.__file__ = name
        self.printed = io.StringIO()
        for each in self.names:
            sys.modules[each] = self.module
        with contextlib.redirect_stdout(self.printed), contextlib.chdir(self.folder):
            exec(compile(source, name, "exec"), self.module.__dict__)
        for each in self.names:  # a file of a project of its own imports the real one
            del sys.modules[each]

    def check(self, block: mdast.Code) -> None:
        assert self.printed.getvalue().rstrip("\n") == block.value.rstrip("\n")

    def run_file(self, name: str, source: str) -> None:
        project = Project(self.folder)
        project.write("pytest.ini", "[pytest]\npythonpath = .\n")
        modules = self.modules or {name.removeprefix("test_"): self.sources[:1]}
        for module, sources in modules.items():
            project.write(module, "".join(sources))
        project.write(name, source)
        for extra in (["--snapshot-update"], []):
            done = project.run("-q", name, *extra)
            assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if "```" in page.read_text("utf-8")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run_and_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    run = Page(page, tmp_path)
    run.run()
    if run.missing:
        pytest.skip(f"not installed, and so not all was run: {', '.join(sorted(run.missing))}")


def test_the_readme_names_the_snapshot_files_that_are_written(tmp_path: Path) -> None:
    Page(ROOT / "README.md", tmp_path).run()
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.md"))
    assert written == [
        f"snapshots/test_orders/orders.{density}.md" for density in ("compact", "full", "minimal")
    ]


def linked(page: Path) -> Iterator[tuple[str, Path]]:
    """What a page links to in the repository: as it is written, and where it leads."""

    def urls(node: Any) -> Iterator[str]:
        if isinstance(node, mdast.Link):
            yield node.url
        for child in getattr(node, "children", ()):
            yield from urls(child)

    for url in urls(read(page)):
        if not url.startswith(("http", "#")):
            yield url, (page.parent / url.partition("#")[0]).resolve()


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {url}"
        for page in PAGES
        for url, path in linked(page)
        if not path.exists()
    ]
    assert broken == []


def test_every_page_is_found_from_the_readme() -> None:
    found = {ROOT / "README.md"}
    ahead = [*found]
    while ahead:
        pages = {path for _, path in linked(ahead.pop()) if path.suffix == ".md"}
        ahead += pages - found
        found |= pages
    pages = {page for page in PAGES if (ROOT / "docs" / "decisions") not in page.parents}
    assert {str(page.relative_to(ROOT)) for page in pages - found} == set()


def test_a_module_that_is_served_prints_nothing_of_its_own() -> None:
    """What an MCP client reads is the server's standard output."""
    page = ROOT / "docs" / "do" / "extend-your-hud.md"
    parts = [each for each in code_blocks(page) if "in=desk.py" in (each.meta or "")]
    assert len(parts) > 3
    assert all(each.value.startswith("# desk.py\n") for each in parts)  # seen on the page, too
    assert "print(" not in "".join(each.value for each in parts)
