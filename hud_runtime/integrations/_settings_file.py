"""Settings of another program: our part is added, and every other byte kept."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from hud_runtime._errors import InstallError
from hud_runtime._location import FOLDER, make_folder
from hud_runtime.integrations.bridge._place import own_folder

# JSON files that other programs and people own: a member is added or removed, and every other byte
# is kept.
#
# In: the text of a file. Out: the text with the change. The file is never re-serialized.

JsonPath: TypeAlias = Sequence[str | int]
"""The names of members, and indexes of items, from the root."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")

_OPENS: Mapping[type, str] = {str: "{", int: "["}
"""The opening bracket of a container, by the type of its keys."""

_KINDS: Mapping[str, str] = {"{": "an object", "[": "a list"}

_TOO_DEEP = "it is nested too deeply to be changed; repair it first"


class _Container(NamedTuple):
    """An object or a list, and the positions of its parts in the text."""

    start: int
    end: int
    keys: list[str]
    starts: list[int]
    """The start of each member or item, including its key."""
    values: list[tuple[int, int]]
    """The start and end of each value."""


def data_of(text: str) -> Any:
    """Return the data of a JSON text; an empty object for an empty text.

    :raises InstallError: for anything but a JSON object.
    """
    if not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise InstallError(_TOO_DEEP) from error
    except ValueError as error:
        raise InstallError(f"it is not JSON ({error}); repair it first") from error
    if not isinstance(data, dict):
        raise InstallError("it holds no JSON object; repair it first")
    return cast("dict[str, Any]", data)


def with_value(text: str, path: JsonPath, value: object) -> str:
    r"""Return the text with a value at a place: a new member, a member's new value, or a new item.

    Missing containers are created. An index equal to the list's length adds an item. Of members with the same
    name the last counts, as for JSON parsers.

    :raises InstallError: if another kind of value is on the path.

    >>> with_value('{\n  "a": 1\n}\n', ["b", "c"], 2)
    '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n'
    >>> with_value('{"a": [1]}', ["a", 1], 2)
    '{"a": [1, 2]}'
    """
    if not text.strip("\ufeff \t\r\n"):
        text = "{}\n"
    at = _first(text)
    for depth, step in enumerate(path):
        if text[at] != _OPENS[type(step)]:
            kind, what = _KINDS[_OPENS[type(step)]], _KINDS.get(text[at], "a plain value")
            name = ".".join(map(str, path[:depth]))
            raise InstallError(f"{name} is {what}, where {kind} is needed; repair it first")
        node = _container(text, at)
        place = _place(node, step)
        if place is None:
            for missing in reversed(path[depth + 1 :]):
                value = {missing: value} if isinstance(missing, str) else [value]
            return _inserted(text, node, step, value)
        at, end = node.values[place]
        if depth + 1 == len(path):
            indent = _indent_at(text, node.starts[place])
            return text[:at] + _written(text, value, indent) + text[end:]
    return text


def without(text: str, path: JsonPath) -> str:
    r"""Return the text without the value at a place; unchanged if there is none.

    >>> without('{\n  "a": 1,\n  "b": 2\n}\n', ["b"])
    '{\n  "a": 1\n}\n'
    """
    node = _container(text, _first(text))
    for step in path[:-1]:
        place = _place(node, step)
        if place is None:
            return text
        node = _container(text, node.values[place][0])
    place = _place(node, path[-1])
    if place is None:
        return text
    if len(node.values) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if place:
        return text[: node.values[place - 1][1]] + text[node.values[place][1] :]
    return text[: node.starts[0]] + text[node.starts[1] :]


def _place(node: _Container, step: str | int) -> int | None:
    if isinstance(step, str):
        found = [place for place, key in enumerate(node.keys) if key == step]
        return found[-1] if found else None
    return step if step < len(node.values) and not node.keys else None


def _inserted(text: str, node: _Container, key: str | int, value: object) -> str:
    """The text with one more member or item, after the others, with their layout."""
    indent = _indent_at(text, node.starts[-1]) if node.starts else None
    is_inline = "\n" not in text[node.start : node.end]
    label = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    if node.values and is_inline:
        new = json.dumps(value, ensure_ascii=False)
        return text[: node.values[-1][1]] + f", {label}{new}" + text[node.values[-1][1] :]
    line = _line_end(text)
    outer = _indent_at(text, node.start)
    inner = outer + _step(text) if indent is None else indent
    new = label + _written(text, value, inner)
    if node.values:
        end = node.values[-1][1]
        return f"{text[:end]},{line}{inner}{new}{text[end:]}"
    return f"{text[: node.start + 1]}{line}{inner}{new}{line}{outer}{text[node.end - 1 :]}"


def _written(text: str, value: object, indent: str) -> str:
    step = _step(text)
    new = json.dumps(value, ensure_ascii=False, indent=step)
    return new.replace("\n", f"{_line_end(text)}{indent}")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _step(text: str) -> str:
    """The indentation unit of the text."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent_at(text: str, place: int) -> str:
    """The white space at the beginning of a position's line."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _first(text: str) -> int:
    """The start of the value in a JSON text."""
    return _past(text, len(text) - len(text.removeprefix("\ufeff")))


def _past(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()


def _container(text: str, start: int) -> _Container:
    """The container at a position of a valid JSON text; an empty one for a plain value."""
    keys: list[str] = []
    starts: list[int] = []
    values: list[tuple[int, int]] = []
    if text[start] not in _KINDS:
        return _Container(start, start, keys, starts, values)
    place = _past(text, start + 1)
    while text[place] not in "}]":
        starts.append(place)
        if text[start] == "{":
            key, place = _DECODER.raw_decode(text, place)
            keys.append(str(key))
            place = _past(text, _past(text, place) + 1)
        end = _end(text, place)
        values.append((place, end))
        place = _past(text, end)
        if text[place] == ",":
            place = _past(text, place + 1)
    return _Container(start, place + 1, keys, starts, values)


def _end(text: str, place: int) -> int:
    try:
        return _DECODER.raw_decode(text, place)[1]
    except RecursionError as error:
        raise InstallError(_TOO_DEEP) from error


Edit = Callable[[str], str]
"""A function that changes the text of a file."""

BARE = ("", "{}")
"""Texts of empty settings."""

HAS_DESCRIPTORS = os.open in os.supports_dir_fd
"""True if a file can be opened relative to its folder's descriptor: everywhere but on Windows."""

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
INNER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | NO_LINK
MADE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | NO_LINK
"""Flags to open a folder, to read a file (without blocking on a pipe), and to create one."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file of another program, to which our part is added and removed.

    :param path: the file; it may not be there.
    :param add: adds our part to a text without it.
    :param remove: removes our part from a text.
    :param records: the folder with records of the original file.
    :param part: distinguishes our part from our others in the same file, such as those of other projects.
    :param within: the project's folder, where the file is the project's: no link below it is followed.
    """

    path: Path
    add: Edit
    remove: Edit
    records: Path
    part: str = ""
    within: Path | None = None

    def check(self, *, adds: bool = True) -> None:
        """Raise :class:`InstallError` for a file that cannot be parsed.

        :param adds: whether to check adding our part, and not only removing it.
        """
        before = self._before(self._read()) or ""
        if adds:
            self._edited(self.add, before)

    def install(self) -> bool:
        """Add our part, and return whether the file changed.

        :raises InstallError: for a file that cannot be parsed; then it is unchanged.
        """
        now = self._read()
        before = self._before(now)
        text = self._edited(self.add, before or "")
        means = data_of if self.path.suffix == ".json" else str
        if now is not None and means(text) == means(now):  # it is equivalent already
            return False
        self._keep(before, now, text)
        try:
            write_file(self.path, text, within=self.within)
        except (OSError, InstallError):
            if now == before:  # there was no part of ours before
                self._forget()
            raise
        return True

    def uninstall(self) -> bool:
        """Remove our part, and return whether the file changed.

        :raises InstallError: for a file that cannot be parsed; then it is unchanged.
        """
        now = self._read()
        before = self._before(now)
        if before is None and now is not None:
            remove_file(self.path, self.within)  # a link to it was there before
        elif before is not None and before != now:
            write_file(self.path, before, within=self.within)
            self._hand_over(now, before)
        self._forget()  # not before the file is restored
        return before != now

    def _hand_over(self, now: str | None, then: str) -> None:
        """Remove this part from the records of our other parts, which were added after it."""
        ours, before = (
            self._kept(),
            self.backup.read_bytes().decode() if self.backup.exists() else "",
        )
        others = [
            (path, _record_in(path), path.with_suffix(".before"))
            for path in self.records.glob(f"{self._file}*.json")
            if path != self._record and path.with_suffix(".before").exists()
        ]
        without = {_digest(now or ""): then} | dict.fromkeys(ours.get("digests", ()), before)
        for _, record, backup in others:
            text = backup.read_bytes().decode()
            if record.get("was_there") and _digest(text) not in without:
                without[_digest(text)] = self._edited(self.remove, text)
        for path, record, backup in others:
            text = backup.read_bytes().decode()
            told = {
                **record,
                "digests": [
                    _digest(without[each]) if each in without else each
                    for each in record.get("digests", ())
                ],
            }
            if _digest(text) in ours.get("digests", ()):
                told["was_there"] = ours.get("was_there")
            write_file(backup, without.get(_digest(text), text), private=True)
            write_file(path, json.dumps(told, indent=2) + "\n", private=True)

    @property
    def backup(self) -> Path:
        """The backup of the original file."""
        return self.records / f"{self._name}.before"

    @property
    def _record(self) -> Path:
        return self.records / f"{self._name}.json"

    @property
    def _file(self) -> str:
        digest = blake2b(os.fsencode(self.path.absolute()), digest_size=6).hexdigest()
        return f"{self.path.name.lstrip('.')}-{digest}"

    @property
    def _name(self) -> str:
        if not self.part:
            return self._file
        return f"{self._file}-{blake2b(os.fsencode(self.part), digest_size=6).hexdigest()}"

    def _before(self, now: str | None) -> str | None:
        """The file without our part: the original if nobody has changed it since; None for no file."""
        if now is None:
            return None
        kept = self._kept()
        if _digest(now) in kept.get("digests", ()):
            if not kept.get("was_there"):
                return None
            with suppress(OSError, UnicodeDecodeError):
                return self.backup.read_bytes().decode()
        left = self._edited(self.remove, now)
        # The file had only our part, and its original is unknown: an older version wrote it, or
        # with another store.
        is_bare = left != now and left.strip() in BARE and not self.path.is_symlink()
        return None if is_bare else left

    def _edited(self, edit: Edit, text: str) -> str:
        try:
            return edit(text)
        except InstallError as error:
            raise InstallError(f"{self.path}: {error}") from error

    def _kept(self) -> dict[str, Any]:
        if os.path.lexists(self.records):
            own_folder(self.records)  # files that another user left there are not put into settings
        return _record_in(self._record)

    def _keep(self, before: str | None, now: str | None, text: str) -> None:
        own_folder(self.records)
        digests = [_digest(text)]
        if now is not None and _digest(now) in self._kept().get("digests", ()):
            digests.append(_digest(now))  # until the file is written, it is still the old one
        write_file(self.backup, before or "", private=True)
        record = {"file": str(self.path), "digests": digests, "was_there": before is not None}
        write_file(self._record, json.dumps(record, indent=2) + "\n", private=True)

    def _forget(self) -> None:
        for each in (self._record, self.backup):
            with suppress(FileNotFoundError):
                each.unlink()

    def _read(self) -> str | None:
        return read_file(self.path, self.within)


def _record_in(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


# --- Files that are read and written whole ---


def read_file(path: Path, within: Path | None = None) -> str | None:
    """The text of a file; None where there is none.

    :param within: a folder that the file must not leave: no link below it is followed.
    :raises InstallError: for a link below that folder, for anything but a regular file, and for invalid
        UTF-8.
    """
    try:
        with (
            _folder_of(path, within) as (folder, name),
            open(name, "rb", opener=lambda name, _: os.open(name, READ, dir_fd=folder)) as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InstallError(f"{path}: it is not a regular file; remove it first")
            return file.read().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InstallError(f"{path}: it is not in UTF-8; repair it first") from error


def write_file(path: Path, text: str, *, private: bool = False, within: Path | None = None) -> None:
    """Write a file atomically, creating its folders. An existing one keeps its mode, a new one gets 0600.

    :param private: whether an existing one gets 0600 as well.
    :param within: a folder that the file must not leave: no link below it is followed. Without it, a link
        stays a link, and its target is written.
    :raises InstallError: for a link below that folder.
    """
    with _folder_of(path, within, makes=True) as (folder, name):
        mode = 0o600
        with suppress(FileNotFoundError):
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISREG(found.st_mode) and not private:
                mode = stat.S_IMODE(found.st_mode) & 0o777
        made = str(Path(name).with_name(f".{path.name}.{os.urandom(6).hex()}"))
        handle = os.open(made, MADE, 0o600, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            os.chmod(made, mode, dir_fd=folder)
            os.replace(made, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(made, dir_fd=folder)
            raise


def remove_file(path: Path, within: Path | None = None) -> None:
    """Remove a file, or the target of a link; the link stays.

    :param within: a folder that the file must not leave: no link below it is followed.
    :raises InstallError: for a link below that folder.
    """
    with _folder_of(path, within) as (folder, name):
        os.unlink(name, dir_fd=folder)


@contextmanager
def _folder_of(
    path: Path, within: Path | None, *, makes: bool = False
) -> Generator[tuple[int | None, str]]:
    """The descriptor of a file's folder, and the file's name in it, so that the checked file is the written
    one.

    On systems without descriptors it is None, and the file's path.
    """
    if within is None:
        path = Path(os.path.realpath(path))
        if makes:
            make_folder(path.parent)
    else:
        _refuse_links(path, within)
    if not HAS_DESCRIPTORS:
        if makes:
            make_folder(path.parent)
        yield None, str(path)
        return
    *inner, name = path.relative_to(within or path.parent).parts
    folder = os.open(within or path.parent, INNER)
    try:
        for each in inner:
            if makes:
                with suppress(FileExistsError):
                    os.mkdir(each, FOLDER, dir_fd=folder)
            outer, folder = folder, os.open(each, INNER | NO_LINK, dir_fd=folder)
            os.close(outer)
        yield folder, name
    except OSError as error:
        error.filename = str(path)  # and not a name relative to a folder
        raise
    finally:
        os.close(folder)


def _refuse_links(path: Path, within: Path) -> None:
    for each in (path, *path.parents):
        if each == within:
            return
        if each.is_symlink():
            raise InstallError(
                f"{each}: it is a link, and may lead out of the project; put the folder or the file itself there, or"
                " leave --project out"
            )


# TOML files that other programs and people own: a table is added or removed, and every other byte
# is kept.
#
# In: the text of a file. Out: the text with the change. The file is never re-serialized. The result
# is parsed again, and the change is refused if it alters anything but the table.

Name: TypeAlias = Sequence[str]
"""The names of a table, from the root."""


def tables_of(text: str) -> dict[str, Any]:
    """Return the data of a TOML text.

    :raises InstallError: for invalid TOML.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise InstallError(f"it is not TOML ({error}); repair it first") from error


def with_table(
    text: str, name: Name, values: Mapping[str, str | Sequence[str]], remark: str
) -> str:
    r"""Return the text with one more table at its end, after a remark.

    :param values: texts, and lists of texts.
    :raises InstallError: if anything else would change: the table exists, or its parent is an inline table.

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
    lines += [f"{_key(key)} = {_toml_value(each)}" for key, each in values.items()]
    end = "\r\n" if "\r\n" in text else "\n"
    before = "" if not text.strip("\ufeff \t\r\n") else end if text.endswith("\n") else end + end
    return _proven(f"{text}{before}{end.join(lines)}{end}", wanted, name)


def without_table(text: str, name: Name, remark: str) -> str:
    r"""Return the text without a table, the tables in it, and the remark above it.

    :raises InstallError: if anything else would change.

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
            header = None  # a line within a string
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
    """The text, if its data is as wanted; an empty parent may be missing."""
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
    """The names in a table's header line; None for any other line."""
    if not line.lstrip().startswith("["):
        return None
    try:
        found: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    from hud_runtime.observe._observations import is_list, mapping, sequence

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
    """The lines at the end of a table that belong to the next one: comments, and the lines between."""
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return lines[end:]


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else _quoted(name)


def _toml_value(value: str | Sequence[str]) -> str:
    return _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"


def _quoted(text: str) -> str:
    # A JSON string is a TOML string, except for this character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
