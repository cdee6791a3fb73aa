"""The settings of a store's user for the contexts of its sessions, in a file beside it: data, and nothing else.

So a person whose agent runs in a host sets what a program passes as arguments. Every opener of the store uses it: the
command, hooks, bridges, servers and programs that do not say otherwise themselves.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from hud_components import LARGE_WINDOWS, THRESHOLDS, Thresholds
from hud_runtime._errors import SettingsError
from hud_runtime._location import MEMORY, default_path, is_address
from ujsx.errors import did_you_mean, quoted, shown

if TYPE_CHECKING:
    from hud_runtime.compaction import CompactionPolicy
    from hud_runtime.outbox import Outbox
    from hud_runtime.pruning import Pruning

FILE = "context.toml"
"""The file's name."""

LONGEST = 64 * 1024
"""Bytes of it at most; all that can be set has about one thousand."""

TABLES: Mapping[str, Thresholds] = {"usual": THRESHOLDS, "large-windows": LARGE_WINDOWS}
"""The tables of thresholds that percentages are set in."""

NEVER = "never"
"""The word for a level at which nothing is done."""

Given: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The settings for the contexts of a store's sessions; None where nothing is set."""

    thresholds: Thresholds | None = None
    """From where on each level holds."""

    compaction: CompactionPolicy | None = None
    """When a conversation is compacted, and how."""

    pruning: Pruning | None = None
    """How outputs of tools are pruned, where a host prunes them."""

    outbox: Outbox | None = None
    """Where records wait while a database server is away."""


def settings_beside(place: str | Path | None) -> StoreSettings:
    """Return what is set beside a store.

    :param place: its path, or the address of a database, whose settings stand beside the default store; the default
        one when None.
    :raises SettingsError: for a file that cannot be read, belongs to another user or may be written by others, and for
        settings that cannot be; it says which, and what can.
    """
    if str(place) == MEMORY:
        return StoreSettings()
    path = (default_path() if place is None or is_address(place) else Path(place)).parent / FILE
    try:
        with open(path, "rb", opener=_at_once) as file:
            _refuse_a_strangers(path, os.fstat(file.fileno()))
            data = file.read(LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return StoreSettings()
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from None
    if len(data) > LONGEST:
        raise SettingsError(f"{path} is longer than {LONGEST:,} bytes, and is not read")
    try:
        return settings_in(data)
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None


def _at_once(path: str, flags: int) -> int:
    """Open a file; a pipe that somebody has put there is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_a_strangers(path: Path, found: os.stat_result) -> None:
    """A store may lie in a folder where others may put files, such as the one for temporary files."""
    if os.name == "nt":
        return
    if os.geteuid() not in (0, found.st_uid) and found.st_uid != 0:
        raise SettingsError(f"{path} belongs to another user; remove it, or copy it if you agree")
    if found.st_mode & stat.S_IWOTH:
        raise SettingsError(f"others may write {path}; look at what is in it, then: chmod 600")


def settings_in(data: bytes) -> StoreSettings:
    r"""Return what settings say.

    :raises SettingsError: for what is no TOML, and for settings that cannot be.

    >>> made = settings_in(b'[thresholds]\nred = 80\n[compaction]\nnow = "red"\n')
    >>> made.thresholds[2].percentage, made.compaction.now, made.pruning
    (80, 'red', None)
    """
    import tomllib

    try:
        given: Given = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"it cannot be read as TOML: {error}") from None
    made: dict[str, Any] = {}
    for name, table in given.items():
        if name not in READERS:
            raise SettingsError(f"there is no table {quoted(name)}; {did_you_mean(name, READERS)}")
        if not isinstance(table, dict):
            raise SettingsError(f"{name} is a table, [{name}], not {shown(table)}")
        try:
            made[name] = READERS[name](cast("Given", table))
        except ValueError as error:
            raise SettingsError(f"[{name}] {error}") from None
    return StoreSettings(**made)


def _thresholds(given: Given) -> Thresholds:
    known = ("table", "tell", *(each.level for each in THRESHOLDS[1:]))
    _check_names(given, known)
    name: object = given.get("table", "usual")
    if not isinstance(name, str) or name not in TABLES:
        raise SettingsError(f"table is {shown(name)}; {did_you_mean(str(name), TABLES)}")
    made = TABLES[name].at(
        **{level: value for level, value in given.items() if level not in ("table", "tell")}
    )
    if "tell" not in given:
        return made
    tell = _texts("tell", given["tell"])
    for each in tell:
        if each not in known[2:]:
            raise SettingsError(
                f"tell has the level {quoted(each)}; {did_you_mean(each, known[2:])}"
            )
    return Thresholds(replace(row, intervenes=row.level in tell) for row in made)


def _compaction(given: Given) -> CompactionPolicy:
    from hud_runtime.compaction import CompactionPolicy

    known = {each.name for each in fields(CompactionPolicy)} - {"thresholds", "refusals"}
    _check_names(given, sorted(known))
    made = dict(given)
    for name in {"resets", "append"} & made.keys():
        made[name] = _texts(name, made[name])
    for name in {"now", "soon"} & made.keys():
        made[name] = None if made[name] == NEVER else made[name]
    return CompactionPolicy(**made)


OF_OLD = ("protect", "minimum", "turns")
"""What is set of the policy for old outputs."""


def _pruning(given: Given) -> Pruning:
    from hud_runtime.pruning import NEVER as ALWAYS_WHOLE
    from hud_runtime.pruning import OldOutputs, Pruning, SmartPruning

    _check_names(given, ("smart", "old", "never", "worth", *OF_OLD))
    for name in ("smart", "old"):
        if not isinstance(given.get(name, True), bool):
            raise SettingsError(f"{name} is true or false, not {shown(given[name])}")
    worth: object = given.get("worth", 0)
    if not isinstance(worth, int) or isinstance(worth, bool) or worth < 0:
        raise SettingsError(f"worth is a whole number, 0 or more, not {shown(worth)}")
    never = ALWAYS_WHOLE | frozenset(_texts("never", given.get("never", [])))
    smart = SmartPruning(never=never, **{name: given[name] for name in given if name == "worth"})
    old = OldOutputs(never=never, **{name: given[name] for name in given if name in OF_OLD})
    return Pruning(
        smart=smart if given.get("smart", True) else None,
        old=old if given.get("old", True) else None,
    )


def _outbox(given: Given) -> Outbox:
    from hud_runtime.outbox import Outbox

    _check_names(given, [each.name for each in fields(Outbox)])
    made: dict[str, Any] = {"folder": default_path().parent / "outbox", **given}
    return Outbox(**made)


READERS: Mapping[str, Callable[[Given], object]] = {
    "thresholds": _thresholds,
    "compaction": _compaction,
    "pruning": _pruning,
    "outbox": _outbox,
}
"""The tables that a file may have: fields of the settings, each with what reads it."""


def _check_names(given: Given, known: tuple[str, ...] | list[str]) -> None:
    for name in given:
        if name not in known:
            raise SettingsError(f"has no {quoted(name)}; {did_you_mean(name, known)}")


def _texts(name: str, given: object) -> tuple[str, ...]:
    told = shown(given)
    found = cast("list[object]", given) if isinstance(given, list) else [None]
    if not all(isinstance(each, str) for each in found):
        raise SettingsError(f"{name} is a list of texts, not {told}")
    return tuple(map(str, found))
