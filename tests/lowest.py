"""Prints the oldest versions that ``pyproject.toml`` allows, as constraints for pip: ``make lowest``.

They are those of what ujsx needs, of its extras and of its tests. What these need in turn is not held
back: pip takes the newest that fits, as it does for a user. ``--ignored`` prints, as options of pytest, the tests
that need not be run with them.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"

IGNORED: Mapping[str, str] = {
    "compaction": "",
    "delivery": "msgspec",
    "history": "",
    "integrations": "msgspec",
    "messages": "",
    "observation": "pydantic",
    "outbox": "",
    "pressure": "",
    "projects": "",
    "pruning": "",
    "secrets": "pydantic",
    "store": "msgspec",
    "transcripts": "msgspec",
}
"""What of ``tests/hud_runtime`` is not run with the oldest versions, and what its room uses by itself.

Of msgspec that is reading and writing JSON, of Pydantic plain models: the golden texts, which are compared with the
oldest versions too, have all that comes of it. The files of a store are SQLite's. The SDKs of ``integrations`` are not
installed there.
"""

NEWEST_PYTHON = (3, 14)
"""The newest Python that the oldest versions have wheels for; a newer one came out after them."""

BOUND = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?>=(?P<oldest>\d+(?:\.\d+)*)")


def bounds(project: dict[str, Any] | None = None) -> Iterator[tuple[str, str]]:
    """Yield each distribution with its lower bound: what is needed, the extras, the tests' own.

    :raises ValueError: for one without a lower bound, or with more than that.
    """
    if project is None:
        project = tomllib.loads(PYPROJECT.read_text("utf-8"))
    table = project["project"]
    lines = [
        *table["dependencies"],
        *(line for extra in table["optional-dependencies"].values() for line in extra),
        *project["dependency-groups"]["test"],
    ]
    for line in lines:
        match = BOUND.fullmatch(line)
        if match is None:
            raise ValueError(f"{line!r} in pyproject.toml is not of the form NAME>=VERSION")
        yield match["name"], match["oldest"]


def main() -> None:
    """Print the constraints; none for a Python that is newer than all of them."""
    if sys.argv[1:] == ["--ignored"]:
        sys.stderr.write(
            f"not run with the oldest versions: tests/hud_runtime/{{{','.join(IGNORED)}}}\n"
        )
        sys.stdout.write(" ".join(f"--ignore=tests/hud_runtime/{each}" for each in IGNORED))
        return
    if sys.version_info[:2] > NEWEST_PYTHON:
        newest = ".".join(map(str, NEWEST_PYTHON))
        sys.stderr.write(f"the oldest versions have no wheels for Python above {newest}\n")
        return
    sys.stdout.writelines(f"{name}=={oldest}\n" for name, oldest in dict(bounds()).items())


if __name__ == "__main__":
    main()
