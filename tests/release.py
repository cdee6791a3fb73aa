"""Make a release and try it, and publish nothing: ``make release``.

The source distribution is built, and out of it the wheel; what they say of themselves and what is in them is looked at; then
the wheel is installed into an empty environment and used in an empty folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from ujsx import __version__

ROOT = Path(__file__).parents[1]
PACKAGES = ("ujsx", "hud_components", "hud_runtime")
DIST_INFO = f"ujsx-{__version__}.dist-info"

NEEDED = (
    *(f"{package}/py.typed" for package in PACKAGES),
    f"{DIST_INFO}/licenses/LICENSE",
    f"{DIST_INFO}/METADATA",
    "hud_runtime/data/demo.jsonl",
)
"""What a wheel must have, beside the code."""

NEVER = re.compile(
    r"(^|/)(tests?|snapshots|\.venv[^/]*|\.cache|\.git|__pycache__|node_modules)(/|$)|\.(db|pyc|sqlite\d?)(-\w+)?$"
)
"""What has no place in a wheel."""

TRIED = (
    (
        "-c",
        "import ujsx, hud_components, hud_runtime; from ujsx import render; from hud_runtime import HudStore",
    ),
    (
        "-c",
        "import importlib.metadata as m; assert 'MIT' in str(m.metadata('ujsx')['License-Expression'])",
    ),
    ("-m", "hud_runtime", "--version"),
    ("-m", "hud_runtime", "--help"),
    ("-m", "hud_runtime", "demo"),
    ("-m", "hud_runtime", "record", "tried", "session.start"),
    ("-m", "hud_runtime", "record", "tried", "note.add", "--content", "It works"),
    ("-m", "hud_runtime", "hud", "--session", "tried"),
)
"""What the installed wheel is tried with, as arguments of Python."""


def faults_of_wheel(names: Iterable[str]) -> list[str]:
    """Return what is wrong with the files of a wheel."""
    there = set(names)
    tops = {*PACKAGES, DIST_INFO}
    return [
        *(f"the wheel has no {name}" for name in NEEDED if name not in there),
        *(f"the wheel has {name}" for name in sorted(there) if NEVER.search(name)),
        *(f"the wheel has {name}" for name in sorted(there) if name.partition("/")[0] not in tops),
    ]


def faults_of_sources(names: Iterable[str], tracked: Iterable[str]) -> list[str]:
    """Return what is wrong with the files of a source distribution; ``tracked`` is what is in version control."""
    there = {name.partition("/")[2] for name in names} - {"", "PKG-INFO"}
    known = set(tracked)
    needed = ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "Makefile")
    return [
        *(f"the sources have no {name}" for name in needed if name not in there),
        *(
            f"the sources have {name}, which is not in version control"
            for name in sorted(there - known)
        ),
    ]


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return what it printed.

    :raises SystemExit: with what it printed, where it fails.
    """
    environment = {
        name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "UJSX_HOME"}
    }
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment | {"HOME": str(cwd), "PYTHONUTF8": "1"} if cwd != ROOT else environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(say: Callable[[str], object] = print) -> None:
    """Build, check and try a release.

    :raises SystemExit: with what is wrong.
    """
    dist = ROOT / "dist"
    for old in dist.glob("ujsx-*"):
        old.unlink()
    run(sys.executable, "-m", "build", "--outdir", dist)
    (wheel,), (sources,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sources)
    with zipfile.ZipFile(wheel) as archive:
        faults = faults_of_wheel(archive.namelist())
    with tarfile.open(sources) as packed:
        names = [member.name for member in packed.getmembers() if member.isfile()]
    faults += faults_of_sources(names, run("git", "ls-files").splitlines())
    if faults:
        raise SystemExit("\n".join(faults))
    with tempfile.TemporaryDirectory(prefix="ujsx-release-") as name:
        folder = Path(name)
        run(sys.executable, "-m", "venv", folder / "venv")
        python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(python, "-m", "pip", "install", "--quiet", "--no-cache-dir", wheel)
        empty = folder / "empty"
        empty.mkdir()
        for arguments in TRIED:
            printed = run(python, *arguments, cwd=empty)
        if "It works" not in printed:
            raise SystemExit(f"a session is recorded, and its HUD does not show it:\n{printed}")
        program = python.with_name("ujsx")
        if __version__ not in run(program, "--version", cwd=empty):
            raise SystemExit(f"{program} is of another version than {__version__}")
    for path in (sources, wheel):
        say(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    say("Both are well, and the wheel works in an empty environment. Nothing was published.")


if __name__ == "__main__":
    main()
