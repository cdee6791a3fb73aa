"""What the doctor looks at, and what each finding means for the user."""

from __future__ import annotations

import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, TypeAlias

from hud_runtime._location import default_path, is_address
from hud_runtime._sqlite_versions import OLDEST_SQLITE, Version, has_wal_reset_bug
from hud_runtime.cli._requirements import Requirement, requirements
from ujsx import __version__

Verdict: TypeAlias = Literal[
    "ok", "note", "missing", "too old", "unusable", "damaged", "unread", "secret"
]
"""Fine; worth knowing; something that ujsx cannot do without; something that it needs a newer version
of; a store that this ujsx cannot use; one that has lost something; something in one that its domain
cannot read; or a secret in one, where they are looked for."""

BAD: frozenset[Verdict] = frozenset(
    {"missing", "too old", "unusable", "damaged", "unread", "secret"}
)
"""Verdicts that make the doctor's exit status 1."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found."""

    name: str
    value: str
    verdict: Verdict = "ok"
    advice: str = ""
    """What it means, and what to do."""

    def data(self) -> dict[str, Any]:
        """Return the finding as JSON data."""
        return asdict(self)


OLDEST_PYTHON: Version = (3, 11)

PURPOSES: dict[str, str] = {
    "pytest": "ujsx.testing",
    "syrupy": "the snapshot fixture of ujsx.testing",
    "hypothesis": "the strategies of ujsx.testing",
    "tiktoken": "ujsx.tokens.tiktoken_counter",
    "rs-bpe": "ujsx.tokens.rs_bpe_counter",
    "networkx": "ujsx.targets.GraphTarget",
    "mcp": "`ujsx serve`",
    "psycopg": "a store in PostgreSQL",
    "psycopg-binary": "a store in PostgreSQL",
    "psycopg-pool": "a store in PostgreSQL",
}
"""What needs the distributions of the extras."""


def versions(_folder: str | None) -> Iterator[Finding]:
    """Find ujsx, Python, and the distributions they need."""
    yield Finding("ujsx", __version__)
    python = f"{platform.python_version()} ({platform.python_implementation()}, {sys.platform})"
    yield Finding("Python", python, "ok" if sys.version_info >= OLDEST_PYTHON else "missing")
    needed = requirements()
    if needed is None:
        advice = "so the versions that it needs are not known; install it: pip install ujsx"
        yield Finding("distributions", "ujsx runs without being installed", "note", advice)
    for each in needed or ():
        yield _distribution(each)


def sqlite(_folder: str | None) -> Iterator[Finding]:
    """Find SQLite, and whether its write-ahead log is sound."""
    try:
        import sqlite3
    except ImportError:  # some builds of Python come without it
        yield Finding("SQLite", "none", "missing", "install a Python that has sqlite3")
        return
    found = sqlite3.sqlite_version_info
    if found < OLDEST_SQLITE:
        advice = f"the store needs {'.'.join(map(str, OLDEST_SQLITE))}"
        yield Finding("SQLite", sqlite3.sqlite_version, "missing", advice)
    elif has_wal_reset_bug(found):
        yield Finding(
            "SQLite",
            f"{sqlite3.sqlite_version} has the WAL-reset bug",
            "note",
            "ujsx makes its own checkpoints here, while nobody can write, so its stores are safe; "
            "other programs that write to them are not: SQLite 3.51.3, 3.50.7 and 3.44.6 are cured",
        )
    else:
        yield Finding("SQLite", sqlite3.sqlite_version)


def data_folder(name: str | None) -> Iterator[Finding]:
    """Find the folder for stores, and who may read what is in it."""
    if name is not None and is_address(name):
        return
    folder = Path(tempfile.gettempdir() if name is None else name)
    label = "temporary folder" if name is None else "data folder"
    if not folder.is_dir():
        if name is None or folder.exists():
            yield Finding(label, f"{folder} is no folder", "missing", "name another one")
        else:
            yield Finding(label, f"{folder} is not there yet", "note", "it is made with mode 0700")
    elif not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(label, f"{folder} cannot be written", "missing", "check who owns it")
    elif name is None:
        yield Finding(label, f"{folder} can be written")
    else:
        yield from _privacy(label, folder)


def store_name(place: str | Path) -> str:
    """Return what a store is called in a finding: a file by its name, an address by what it leads to."""
    return place.name if isinstance(place, Path) else place.rpartition("@")[2].partition("?")[0]


def store_paths(name: str | None) -> Sequence[str | Path]:
    """Return the stores of the folder that the user gave, or the default one, if it is there.

    The address of a database stands for the store in it.
    """
    if name is not None and is_address(name):
        return [name]
    if name is not None:
        return sorted(Path(name).glob("*.db"))
    return [default_path()] if os.path.lexists(default_path()) else []


def secrets(name: str | None) -> Iterator[Finding]:
    """Find secrets in the stores."""
    from hud_runtime.cli._look_at_secrets import look_at_secrets

    yield from look_at_secrets(name)


def stores(name: str | None) -> Iterator[Finding]:
    """Look into each store of the folder, or the default one, without writing to it."""
    paths = store_paths(name)
    if not paths and name is None:
        value = f"{default_path()} is not there yet"
        yield Finding("default store", value, "ok", "it is made when needed")
    if paths:
        try:
            from hud_runtime.cli._look import look
        except ImportError:  # a dependency is missing, and another finding says so
            return
        for path in paths:
            yield from look(path)


def projects(_folder: str | None) -> Iterator[Finding]:
    """Find what trusted projects ask for, and whether it can be used."""
    from hud_runtime.cli._look_at_projects import look_at_projects

    yield from look_at_projects()


def token_counter(_folder: str | None) -> Iterator[Finding]:
    """Find what counts tokens."""
    yield Finding(
        "token counter", "ujsx.tokens.estimate_tokens, an estimate that needs no vocabulary"
    )


Check: TypeAlias = Callable[[str | None], Iterator[Finding]]
"""A look at one thing; it gets the data folder's name, if the user gave one."""

CHECKS: tuple[Check, ...] = (versions, sqlite, data_folder, stores, projects, token_counter)
"""The checks, in the order in which their findings are shown."""


def _distribution(needed: Requirement) -> Finding:
    """Find whether a distribution is there, and new enough."""
    try:
        found = version(needed.name)
    except PackageNotFoundError:
        found = None
    if found is not None and needed.is_met_by(found):
        return Finding(needed.name, found)
    value = "not installed" if found is None else f"{found} is too old"
    if needed.extra is not None:
        purpose = PURPOSES.get(needed.name, f"the extra {needed.extra}")
        newer = f" {needed.oldest} or newer" if found else ""
        advice = f'only {purpose} needs it{newer}: pip install --upgrade "ujsx[{needed.extra}]"'
        return Finding(needed.name, value, "note", advice)
    wanted = needed.name if needed.oldest is None else f'"{needed.name}>={needed.oldest}"'
    if found is None:
        return Finding(needed.name, value, "missing", f"install it: python -m pip install {wanted}")
    advice = f"update it: python -m pip install --upgrade {wanted}"
    return Finding(needed.name, value, "too old", advice)


def _privacy(label: str, folder: Path) -> Iterator[Finding]:
    value = f"{folder} (mode {stat.S_IMODE(folder.stat().st_mode):04o})"
    open_stores = [store.name for store in sorted(folder.glob("*.db")) if _is_shared(store)]
    if open_stores:
        advice = f"others may open {', '.join(open_stores)}; take that away with chmod 600"
        yield Finding(label, value, "note", advice)
    elif _is_shared(folder):
        advice = "others may see that there are stores; a new store is made with mode 0600"
        yield Finding(label, value, "note", advice)
    else:
        yield Finding(label, value)


def _is_shared(path: Path) -> bool:
    """Whether the mode lets anybody but the owner do something; Windows has no such mode."""
    if os.name == "nt" or not path.exists():  # a link may lead nowhere
        return False
    return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
