"""The playground's files in a site: the page, and Python for the browser where ``make docs`` has fetched it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from subprocess import run
from zipfile import ZIP_DEFLATED, ZipFile

ROOT = Path(__file__).parents[2]
PAGE = {
    "index.html": "playground/index.html",
    "playground.js": "playground/playground.js",
    "playground.py": "playground/playground.py",
    "examples.md": "playground/examples.txt",
}
"""The files of the page, and where they are in the docs."""

PYTHON = ROOT / ".cache" / "python314"
RUNTIME = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "pyodide-lock.json",
    "python_stdlib.zip",
)
"""The files of npm's pyodide that a browser loads."""


def copy_playground(place: Path) -> None:
    """Copy the page into a folder, and into ``runtime`` Python with all that the library imports."""
    runtime = place / "runtime"
    runtime.mkdir(parents=True, exist_ok=True)
    for name, source in PAGE.items():
        copyfile(ROOT / "docs" / source, place / name)
    if (PYTHON / ".installed").is_file():
        for name in RUNTIME:
            copyfile(PYTHON / "node_modules" / "pyodide" / name, runtime / name)
        copyfile(packages(), runtime / "packages.zip")


def packages() -> Path:
    """Make the archive that the browser unpacks: the library, its dependencies, and bytecode."""
    archive = PYTHON / "packages.zip"
    with ZipFile(archive, "w", ZIP_DEFLATED) as written:
        for path, name in imported():
            written.write(path, name)
    bytecode = ROOT / "docs" / "playground" / "bytecode.py"
    run(["node", ROOT / "tests" / "python314" / "run.mjs", bytecode], cwd=PYTHON, check=True)
    return archive


def imported() -> Iterator[tuple[Path, Path]]:
    """Yield the files of the library and its dependencies, each with its place among the packages."""
    site = PYTHON / "site"
    packages = [ROOT / name for name in ("ujsx", "hud_components", "hud_runtime")]
    for folder, root in [(site, site), *((each, ROOT) for each in packages)]:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, path.relative_to(root)
