"""Which files are in use."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, get_args

from pydantic import AfterValidator, Field
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import HudModel, Line, Milliseconds, Origin
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection, Split
from hud_components.declaring._props import UNSET, ItemsProp
from hud_components.declaring._worth import (
    BRIEF,
    COUNTED,
    DONE_OR_OLD,
    FILES_NAMED,
    IN_WORK,
    IN_WORK_IN_FULL,
    MOST,
)
from hud_components.folding import (
    Kind,
    Moment,
    Payload,
    Verb,
    carrying,
    said_again,
    said_now,
    same_if_equal,
    with_values,
)
from hud_components.sections._facts_list import COMMIT, FOUND, FactSet
from hud_components.sections._sources import ReportedValue
from hud_components.words._cut import line, lines
from ujsx import Density, Disclosure, Examples, RenderContext, Rung, Template
from ujsx.errors import did_you_mean, quoted

NAMES = 3
"""Files that the shortest form names."""

EDITED = "file.edit"
"""The event that tells that a file is changed."""

FileStatus: TypeAlias = Literal["reading", "editing", "referenced"]
"""What the agent does with a file."""


class FileDraft(HudModel):
    """A file by its path."""

    path: Line
    """The path, as you write it elsewhere."""


def _plain(path: str) -> str:
    """A path without steps that lead nowhere: ``./src//a.py`` is ``src/a.py``."""
    if "://" in path:
        return path
    return posixpath.normpath(path) + "/" * (path.endswith("/") and path.strip("/") != "")


class FileNamed(FileDraft):
    """A file by its path."""

    path: Annotated[Line, AfterValidator(_plain)]
    """The path, as you write it elsewhere."""


def _is_not(value: object) -> bool:
    # Not written where it is not so: states from before commits were looked at stay the same.
    return not value


class ActiveFile(ReportedValue, FileDraft):
    """A file that the agent is using."""

    status: FileStatus = "reading"
    """What the agent does with it."""

    last_accessed: Milliseconds = 0
    """When it was last used."""

    committed: SkipJsonSchema[bool] = Field(default=False, exclude_if=_is_not)
    """Whether what was edited is committed, and the file was not used since: it stays one that was
    edited, and comes after those in work. A dump has it where it is so; no event has it."""


class FileOpen(Payload, FileDraft):
    """The agent looks at a file, or something points it there."""

    status: Literal["reading", "referenced"] = "reading"
    """Whether the file is read, or only mentioned. A file that is edited stays so."""


class FileEdit(Payload, FileDraft):
    """The agent changes a file."""


class FileClose(Payload, FileDraft):
    """A file is gone, or falls out of what the agent works on."""


class FileKept(Payload, FileDraft):
    """A file in a replaced section."""

    status: FileStatus = "reading"
    """What the agent does with it."""


CLOSENESS: Mapping[FileStatus, int] = {"referenced": 0, "reading": 1, "editing": 2}
"""How much the agent does with a file. It only grows."""


Files: TypeAlias = tuple[ActiveFile, ...]

_FILES = Kind("path", key="path")


def opened(files: Files, said: FileOpen, moment: Moment) -> Files:
    """A file is read or mentioned."""
    return _used(files, said.path, said.status, moment)


def edited(files: Files, said: FileEdit, moment: Moment) -> Files:
    """A file is changed."""
    return _used(files, said.path, "editing", moment)


def closed(files: Files, said: FileClose, moment: Moment) -> Files:
    """A file is no longer in use."""
    index = _FILES.index(files)
    numbers = index.with_key(said.path) or index.with_key(_plain(said.path))
    for number in numbers:
        index.remove(number)
    left = carrying(index, files)
    if not numbers:
        paths = [file.path for file in files]
        raise LookupError(
            f"{quoted(said.path)} is not among the active files; {did_you_mean(said.path, paths)}"
        )
    return left


def committed(files: Files, said: FactSet, moment: Moment) -> Files:
    """Work is committed: what was edited until then is in work no longer."""
    if said.name != COMMIT or not said.value.strip():
        return files
    left = (
        with_values(file, committed=True) if file.status == "editing" else file for file in files
    )
    return same_if_equal(files, tuple(left))


def _used(files: Files, path: str, status: FileStatus, moment: Moment) -> Files:
    """The files with one of them used: a new one stands last, and one that is known keeps its place."""
    index = _FILES.index(files)
    numbers = index.with_key(path)
    if not numbers:
        source = said_now(ActiveFile, moment)
        index.append(ActiveFile(path=path, status=status, last_accessed=moment.timestamp, **source))
        return carrying(index, files)
    known = index[numbers[0]]
    closest = max(known.status, status, key=CLOSENESS.__getitem__)
    file = said_again(
        known,
        moment,
        status=closest,
        last_accessed=moment.timestamp,
        committed=known.committed and status == "referenced",
    )
    if file is not known:
        index.replace(numbers[0], file)
    return carrying(index, files)


SAY_LITTLE = frozenset(
    [
        "__init__",
        "__main__",
        "app",
        "changelog",
        "client",
        "cmd",
        "common",
        "config",
        "conftest",
        "constants",
        "core",
        "errors",
        "helpers",
        "index",
        "init",
        "layout",
        "lib",
        "main",
        "makefile",
        "mod",
        "models",
        "package",
        "page",
        "readme",
        "route",
        "server",
        "setup",
        "test",
        "tests",
        "types",
        "util",
        "utils",
    ]
)
"""Names of files, without what follows a dot, that many folders have."""


def _folder_and_name(path: str) -> tuple[str, str]:
    end = path[-LONGEST_END:].rstrip("/\\")
    *_, folder, name = ("", *_BEHIND_SLASH.split(end))
    return folder, name


def _says_enough(name: str, others: Sequence[str]) -> bool:
    return others.count(name) == 1 and name.partition(".")[0].lower() not in SAY_LITTLE


LONGEST_END = 400
"""Characters of a path's end that its name is looked for in."""

_BEHIND_SLASH = re.compile(r"(?<=[/\\])")


def _use(file: ActiveFile, place: int) -> tuple[bool, int, int]:
    """How much a file is in use beside others, by its place among them."""
    return not file.committed, file.last_accessed, place


class ActiveFiles(ItemsSection[ActiveFile]):
    """The files the agent uses; those in work, and used last, when not all are shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=COUNTED),
            Rung(Density.MINIMAL, NAMES, width=BRIEF, worth=FILES_NAMED),
            Rung(Density.MINIMAL, NAMES, is_spare=True, width=MOST, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, 3, worth=IN_WORK),
            Rung(Density.COMPACT, 5, worth=IN_WORK),
            Rung(Density.COMPACT, is_spare=True, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, is_spare=True, width=MOST, worth=DONE_OR_OLD),
            Rung(Density.FULL, 15, worth=IN_WORK_IN_FULL),
            Rung(Density.FULL, worth=DONE_OR_OLD),
        )
    )
    name = prop = "files"
    field = "active_files"
    aliases = ("files_modified", "modified_files", "key_files")
    event = "file"
    draft = FileDraft
    on = MappingProxyType({FOUND: committed})
    from_project = True
    key = text = "path"
    is_reported = True
    why_fixed = "files follow what the agent's tools do; `hud files.close` closes one"
    kept = FileKept
    verbs = (
        Verb(
            "open",
            opened,
            help="a file in this list: one that you read",
            answer="Open: {id}.",
            told="{path} opened ({status})",
            payload=FileOpen,
            arguments=FileNamed,
        ),
        Verb(
            "edit",
            edited,
            help="a file in this list: one that you change",
            answer="Editing: {id}.",
            told="{path} edited",
            payload=FileEdit,
            arguments=FileNamed,
        ),
        Verb(
            "close",
            closed,
            help="a file that you are done with: it leaves this list",
            answer="Closed: {id}.",
            told="{path} closed",
            payload=FileClose,
            arguments=FileDraft,
        ),
    )
    title = "Active files"
    noun = "file|files"
    forms = tuple(
        Form(f"files.{status}", ("path",), {"status": status}, f"`{{path}}` ({status})")
        for status in get_args(FileStatus)
    )

    @classmethod
    def inherited(cls, value: ActiveFile, origin: Origin) -> ActiveFile:
        return value.model_copy(update={"status": "referenced", "committed": False})

    @classmethod
    def replaced(cls, items: Files, drafts: Sequence[FileKept], moment: Moment) -> Files:
        known = {file.path: file for file in items}
        files: dict[str, ActiveFile] = {}
        for one in drafts:
            file = known.get(one.path)
            if file is None:
                source = said_now(ActiveFile, moment)
                file = ActiveFile(path=one.path, last_accessed=moment.timestamp, **source)
            files[one.path] = said_again(file, moment, status=one.status)
        return same_if_equal(items, tuple(files.values()))

    _most_named = NAMES

    examples: ClassVar[Examples] = lambda: {
        "four files": ActiveFiles(
            files=(
                {"path": "src/auth/tokens.py", "status": "editing", "last_accessed": 4},
                {"path": "src/auth/models.py", "status": "referenced", "last_accessed": 3},
                {"path": "src/db/schema.py", "last_accessed": 2},
                {"path": "tests/test_tokens.py", "status": "editing", "last_accessed": 1},
            )
        ),
    }

    files: ItemsProp[ActiveFile] = UNSET
    """The files; those of the session when None."""

    def split(self, items: Sequence[ActiveFile], limit: int | None) -> Split:
        """Return the files used last and the others, each in the order in which they came in.

        Committed files, as long as nobody uses them again, come after all others.
        """
        if limit is None or len(items) <= limit:
            return items, (), 0
        places = range(len(items))
        by_use = sorted(places, key=lambda place: _use(items[place], place))
        hidden = set(by_use[: len(items) - limit])
        kept = [item for place, item in enumerate(items) if place not in hidden]
        return kept, [items[place] for place in sorted(hidden)], 0

    def _texts_of(self, items: Sequence[ActiveFile], ctx: RenderContext) -> Sequence[str]:
        """The names of files, each behind its folder where the name alone says little."""
        parts = [_folder_and_name(item.path) for item in items]
        names = [name for _, name in parts]
        return [
            line(name if _says_enough(name, names) else folder + name, ctx.width)
            for folder, name in parts
        ]

    def rows(
        self, items: Sequence[ActiveFile], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        by_status = dict(zip(get_args(FileStatus), templates, strict=True))
        paths = lines([file.path for file in items], ctx.width)
        return [(by_status[file.status], path) for file, path in zip(items, paths, strict=True)]
