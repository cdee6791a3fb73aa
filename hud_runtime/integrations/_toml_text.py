"""TOML files that other programs and people own: a table more or less, and every other byte as it was.

In: the text of a file. Out: the text with the change. Nothing is parsed and written anew; it is read back, and where it
does not tell what it told before, but for the table, the change is refused.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from hud_runtime._errors import InstallError
from hud_runtime.observation._json import is_list, is_object, mapping, sequence

Name: TypeAlias = Sequence[str]
"""The names of a table, from the root on."""


def tables_of(text: str) -> dict[str, Any]:
    """Return what a text holds.

    :raises InstallError: for what is no TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise InstallError(f"it is no TOML ({error}); mend it first") from error


def table_at(text: str, name: Name) -> Mapping[str, Any] | None:
    """Return a table; None where there is none."""
    found: object = tables_of(text)
    for each in name:
        found = mapping(found).get(each)
    return mapping(found) if is_object(found) else None


def with_table(
    text: str, name: Name, values: Mapping[str, str | Sequence[str]], remark: str
) -> str:
    r"""Return the text with one more table at its end, under a remark.

    :param values: texts, and lists of texts.
    :raises InstallError: where that is not all that changes: the table is there, or its parent is written in a line.

    >>> print(with_table('model = "x"', ["servers", "hud"], {"command": "hud", "args": ["a"]}, "A HUD"))
    model = "x"
    <BLANKLINE>
    # A HUD
    [servers.hud]
    command = "hud"
    args = ["a"]
    <BLANKLINE>
    """
    wanted = tables_of(text)
    place: Any = wanted
    for each in name[:-1]:
        place = place.setdefault(each, {})
    if not isinstance(place, dict) or name[-1] in place:
        raise InstallError(f"it has a table {'.'.join(name)} already, which is not ours; rename it")
    place[name[-1]] = {
        key: each if isinstance(each, str) else [*each] for key, each in values.items()
    }
    lines = [f"# {remark}", f"[{'.'.join(map(_key, name))}]"]
    lines += [f"{_key(key)} = {_written(each)}" for key, each in values.items()]
    end = "\r\n" if "\r\n" in text else "\n"
    before = "" if not text.strip("\ufeff \t\r\n") else end if text.endswith("\n") else end + end
    return _proven(f"{text}{before}{end.join(lines)}{end}", wanted, name)


def without_table(text: str, name: Name, remark: str) -> str:
    r"""Return the text without a table, the tables in it, and the remark above it.

    :raises InstallError: where that is not all that changes.

    >>> before = 'model = "x"'
    >>> without_table(with_table(before, ["servers", "hud"], {"command": "hud"}, "A HUD"), ["servers", "hud"], "A HUD")
    'model = "x"\n'
    """
    wanted = deepcopy(tables_of(text))
    place: Any = wanted
    for each in name[:-1]:
        place = place.get(each, {})
    if name[-1] not in place:
        return text
    del place[name[-1]]
    kept: list[str] = []
    taken: list[str] = []
    is_ours = False
    lines = text.split("\n")
    for number, line in enumerate(lines):
        header = _header(line.rstrip("\r"))
        if header is not None and not _is_whole("".join(f"{each}\n" for each in lines[:number])):
            header = None  # a line of a text
        if header is not None:
            if is_ours:
                kept += _after(taken)
            is_ours, taken = header[: len(name)] == [*name], []
            if is_ours and kept and kept[-1].rstrip("\r") == f"# {remark}":
                kept.pop()
                if kept and not kept[-1].strip():
                    kept.pop()
        (taken if is_ours else kept).append(line)
    if is_ours:
        kept += _after(taken) or [""]
    return _proven("\n".join(kept), wanted, name)


def _proven(text: str, wanted: dict[str, Any], name: Name) -> str:
    """The text, where it holds what is wanted; a parent that is empty may be missing."""
    found = tables_of(text)
    if _without_empty(found, name[:-1]) != _without_empty(wanted, name[:-1]):
        written = ".".join(name)
        raise InstallError(f"[{written}] cannot be changed alone there; change it by hand")
    return text


def _without_empty(tables: dict[str, Any], parent: Name) -> dict[str, Any]:
    if not parent or not isinstance(tables.get(parent[0]), dict):
        return tables
    inner = _without_empty(tables[parent[0]], parent[1:])
    return {
        key: each for key, each in {**tables, parent[0]: inner}.items() if key != parent[0] or each
    }


def _header(line: str) -> list[str] | None:
    """The names of the table that a line begins; None where it begins none."""
    if not line.lstrip().startswith("["):
        return None
    try:
        found: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    names: list[str] = []
    while inner := mapping(sequence(found)[0] if is_list(found) else found):
        [(key, found)] = inner.items()
        names.append(key)
    return names


def _is_whole(text: str) -> bool:
    try:
        tables_of(text)
    except InstallError:
        return False
    return True


def _after(lines: list[str]) -> list[str]:
    """What stands at the end of a table and is the next one's: comments, and the lines between."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return lines[end:]


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else _quoted(name)


def _written(value: str | Sequence[str]) -> str:
    return _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    # A text of JSON is one of TOML, but for this character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
