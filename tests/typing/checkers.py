"""mypy and pyright, run once over some files, and what they have to say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Found: TypeAlias = dict[tuple[str, int], set[str]]
"""Error codes by file name and line."""

_MYPY_ERROR = re.compile(
    r"^(?P<path>.+?):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.MULTILINE
)


def mypy(files: Sequence[str], cache: Path, *options: str, cwd: Path) -> Found:
    """Return what mypy finds wrong; the project's configuration is not read."""
    found: Found = defaultdict(set)
    arguments = ("--config-file=", f"--cache-dir={cache}", *options, *files)
    for error in _MYPY_ERROR.finditer(_run("mypy", *arguments, cwd=cwd)):
        found[Path(error["path"]).name, int(error["line"])].add(error["code"])
    return dict(found)


def pyright(*arguments: str, cwd: Path) -> Found:
    """Return what pyright finds wrong, by the configuration in ``cwd``."""
    found: Found = defaultdict(set)
    options = ("--outputjson", "--pythonpath", sys.executable)
    report = json.loads(_run("pyright", *options, *arguments, cwd=cwd))
    for error in report["generalDiagnostics"]:
        if error["severity"] == "error":
            line = error["range"]["start"]["line"] + 1
            found[Path(error["file"]).name, line].add(error.get("rule", error["message"]))
    return dict(found)


def _run(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in {0, 1}, done.stderr + done.stdout
    return done.stdout
