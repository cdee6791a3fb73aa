"""The active-files section: the files in use."""

from __future__ import annotations

import operator
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import HudModel, Line, Milliseconds, Origin, Text
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lists import ListShape, ReadList
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import ALL_IN_SHORT, State, Width, Worth, recalls
from hud_components.folding import (
    Kind,
    Moment,
    Payload,
    Verb,
    changed_where,
    report,
    said_again,
    said_now,
    same_if_equal,
    with_index,
)
from hud_components.sections import ReportedValue
from hud_components.sections._plain_lists import COMMIT, FOUND, FactSet
from hud_components.words._texts import line, lines
from ujsx import Density, Disclosure, Examples, RenderContext, Rung, Template
from ujsx.errors import did_you_mean, quoted

NAMES = 4
"""The number of files named in the shortest form."""

LAST_USED = 3
"""The number of last used files that are shown before those that were edited."""

EDITED = "file.edit"
"""The event of a changed file."""

CLOSED = "file.close"
"""The event of a file that is gone, or that the agent is done with."""

FileStatus: TypeAlias = Literal["reading", "editing", "referenced"]
"""The agent's use of a file."""


class FileDraft(HudModel):
    """A file by its path."""

    path: Line
    """The path, as you write it elsewhere."""


def _plain(path: str) -> str:
    """Return a path without quotes and redundant steps: ``"./src//a.py"`` is ``src/a.py``."""
    if len(path) > 2 and path[0] == path[-1] and path[0] in "\"'`":
        path = path[1:-1]
    if "://" in path:
        return path
    return posixpath.normpath(path) + "/" * (path.endswith("/") and path.strip("/") != "")


class FileNamed(FileDraft):
    """A file by its path."""

    path: Annotated[Line, AfterValidator(_plain)]
    """The path, as you write it elsewhere."""


_CREATED = {"status": "editing", "is_new": True}
_GONE = 'a file that is gone is not listed; leave it out, or write session.record("file.close", path="…")'
_MOVED = f'write the new path, with status="editing"; {_GONE}'


class ActiveFile(ReportedValue, FileDraft):
    """A file that the agent is using."""

    _also_means: ClassVar[Mapping[str, Mapping[str, Any] | str]] = MappingProxyType(
        {
            **dict.fromkeys(("created", "added", "new", "untracked", "a"), _CREATED),
            "committed": {"status": "editing", "committed": True},
            **dict.fromkeys(("deleted", "removed", "gone", "d"), _GONE),
            **dict.fromkeys(("renamed", "moved", "r"), _MOVED),
        }
    )

    status: FileStatus = "reading"
    """What the agent does with it."""

    last_accessed: Milliseconds = 0
    """When it was last used."""

    committed: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)
    """Whether what was edited is committed, and the file was not used since: it stays one that was
    edited, and comes after those in work. A dump has it where it is so; no event has it."""

    is_new: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)
    """Whether the session made it. A dump has it where it is so."""

    is_unchanged: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)
    """Whether it was used again since it was committed, but not edited. A dump has it where it is so."""

    change: SkipJsonSchema[Text] = Field(default="", exclude_if=operator.not_)
    """What its last edit put in or took out, in a few words. A dump has it where that is known."""

    is_removal: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)
    """Whether its last edit took that out. A dump has it where it is so."""

    names: SkipJsonSchema[Text] = Field(default="", exclude_if=operator.not_)
    """The definitions, headings and keys that edits changed, the last first, separated by commas. A dump has it
    where there are any."""

    is_summed: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)
    """Whether a summary says what was done to it, and it was not edited since. A dump has it where it is so."""


class FileOpen(Payload, FileDraft):
    """The agent looks at a file, or something points it there."""

    status: Literal["reading", "referenced"] = "reading"
    """Whether the file is read, or only mentioned. A file that is edited stays so."""

    change: Text = Field(default="", exclude_if=operator.not_)
    """What a summary says was done to it. A dump has it where there is any."""


class FileEdit(Payload, FileDraft):
    """The agent changes a file."""

    change: Text = Field(default="", exclude_if=operator.not_)
    """What the change puts in or takes out, in a few words. A dump has it where that is known."""

    is_removal: bool = Field(default=False, exclude_if=operator.not_)
    """Whether the change takes that out. A dump has it where it is so."""

    names: Text = Field(default="", exclude_if=operator.not_)
    """The definitions, headings and keys that it changes, separated by commas. A dump has it where there are any."""

    is_new: bool = Field(default=False, exclude_if=operator.not_)
    """Whether the file is made by it. A dump has it where it is so."""


class FileClose(Payload, FileDraft):
    """A file is gone, or falls out of what the agent works on."""


class FileKept(Payload, FileDraft):
    """A file in a replaced section."""

    status: FileStatus = "reading"
    """What the agent does with it."""


CLOSENESS: Mapping[FileStatus, int] = {"referenced": 0, "reading": 1, "editing": 2}
"""The rank of a file's use, which only grows."""


Files: TypeAlias = tuple[ActiveFile, ...]

_FILES = Kind("path", key="path")


def opened(files: Files, said: FileOpen, moment: Moment) -> Files:
    """A file is read or mentioned, or a summary says what was done to it: it is not used by that."""
    if not said.change:
        return _used(files, said.path, said.status, moment)
    told = {"change": said.change, "is_removal": False, "is_summed": True}
    index = _FILES.index(files)
    if not index.with_key(said.path):
        told["status"] = "referenced"
    report(_FILES, index, ActiveFile, said.path, moment, **told)
    return with_index(index, files)


def edited(files: Files, said: FileEdit, moment: Moment) -> Files:
    """A file is changed."""
    told = {"change": said.change, "is_removal": said.is_removal, "is_summed": False}
    told = told if said.change else {}
    return _used(files, said.path, "editing", moment, told, is_new=said.is_new, names=said.names)


def closed(files: Files, said: FileClose, moment: Moment) -> Files:
    """A file is no longer in use."""
    index = _FILES.index(files)
    numbers = index.with_key(said.path) or index.with_key(_plain(said.path))
    for number in numbers:
        index.remove(number)
    left = with_index(index, files)
    if not numbers:
        paths = [file.path for file in files]
        hint = did_you_mean(said.path, paths)
        raise LookupError(f"{quoted(said.path)} is not among the active files; {hint}")
    return left


def committed(files: Files, said: FactSet, moment: Moment) -> Files:
    """Work is committed: what was edited until then is in work no longer."""
    if said.name != COMMIT or not said.value.strip():
        return files
    return changed_where(files, lambda file: file.status == "editing", committed=True)


def _used(
    files: Files,
    path: str,
    status: FileStatus,
    moment: Moment,
    change: Mapping[str, Any] = MappingProxyType({}),
    *,
    is_new: bool = False,
    names: str = "",
) -> Files:
    """Return the files after the use of one: a new one is last, and a known one keeps its place."""
    index = _FILES.index(files)
    told: dict[str, Any] = {"status": status, "is_new": is_new, "names": names, **change}
    numbers = index.with_key(path)
    if numbers:
        known = index[numbers[0]]
        closest = max(known.status, status, key=CLOSENESS.__getitem__)
        told |= {
            "status": closest,
            "committed": known.committed and status == "referenced",
            "is_unchanged": (known.committed and status == "reading")
            or (known.is_unchanged and status != "editing"),
            "is_new": known.is_new or is_new,
            "names": _with_names(known.names, names),
        }
    report(_FILES, index, ActiveFile, path, moment, last_accessed=moment.timestamp, **told)
    return with_index(index, files)


MOST_NAMES = 6
"""The most definitions, headings and keys that are told of a file."""

_COMMA = ", "


def _with_names(before: str, names: str) -> str:
    """Return the names that edits changed, the last first."""
    told = dict.fromkeys(filter(None, f"{names}{_COMMA}{before}".split(_COMMA)))
    return _COMMA.join([*told][:MOST_NAMES])


_COMMON_STEMS = (
    "__init__ __main__ app changelog client cmd common config conftest constants core errors helpers index init"
    " layout lib main makefile mod models package page readme route server setup test tests types util utils"
)
SAY_LITTLE = frozenset(_COMMON_STEMS.split())
"""Stems of file names that many folders have."""


def _folder_and_name(path: str) -> tuple[str, str]:
    end = path[-LONGEST_END:].rstrip("/\\")
    *_, folder, name = ("", *_BEHIND_SLASH.split(end))
    return folder, name


def _says_enough(name: str, others: Sequence[str]) -> bool:
    return others.count(name) == 1 and name.partition(".")[0].lower() not in SAY_LITTLE


PATH = 48
"""The shown characters of a path's end after a compaction, where room is short."""

TOLD = 72
"""The shown characters of what was done to a file after a compaction, where room is short."""

RECALLED = 6
"""The number of files shown with their edits before all else is shown in full."""


def _end_of(path: str, width: int | None) -> str:
    """Return the end of a path longer than a width, from the start of a part.

    >>> _end_of("/home/me/work/app/src/login/handlers.py", 24)
    '…/src/login/handlers.py'
    """
    if width is None or len(path) <= width:
        return path
    end = path[1 - width :]
    slash = end.find("/", 0, -1)
    return f"…{end[slash:]}" if slash >= 0 else line(path, width)


@lru_cache(maxsize=64)
def _recalled(usual: Disclosure) -> Disclosure:
    """Return the disclosure after a compaction."""
    ladder = [
        replace(rung, width=PATH)
        if rung.density is not Density.MINIMAL and not rung.width
        else rung
        for rung in usual.ladder[:-1]
    ]
    ladder.insert(-1, Rung(Density.FULL, RECALLED, width=TOLD, worth=Worth.FILES_RECALLED))
    ladder[-1] = replace(ladder[-1], width=TOLD)
    return replace(usual, ladder=(*ladder, usual.ladder[-1]))


def names_of(paths: Sequence[str], width: int) -> list[str]:
    """Return the names of files; the end of a path, in so many characters, where two have one name."""
    names = [posixpath.basename(each) for each in paths]
    return [
        name if name and names.count(name) == 1 else _end_of(path, width)
        for name, path in zip(names, paths, strict=True)
    ]


LONGEST_END = 400
"""The characters of a path's end in which its name is searched."""

_BEHIND_SLASH = re.compile(r"(?<=[/\\])")


_LOOKS: Mapping[str, Mapping[str, Any]] = {
    "editing": {"status": "editing"},
    "created": {"status": "editing", "is_new": True},
    "committed": {"status": "editing", "committed": True},
    "reading": {"status": "reading"},
    "referenced": {"status": "referenced"},
}
"""The words for a file's status, and the fields that they imply."""

_RANKS = {look: rank for rank, look in enumerate(_LOOKS)}
"""The order of files after a compaction: those in work first."""

_BECAME = {"editing": "edited, no commit seen", "created": "created, no commit seen"}
"""The words for the status of an edited file after a compaction."""

_BECAME_IN_SHORT = {"editing": "edited, no commit", "created": "created, no commit"}
"""The same beside what was done to it."""

_NAMES = {"created": "has `{names}`"}
"""The words for the names that edits changed, if not the usual ones."""

_TELLS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "": ("", {"change": ""}),
    "change": ("put in: `{change}`", {"is_removal": False, "is_summed": False}),
    "removal": ("took out: `{change}`", {"is_removal": True, "is_summed": False}),
    "summary": ("summary: {change}", {"is_removal": False, "is_summed": True}),
}
"""The words for what was done to a file, and the fields that they imply."""

_PLAIN = {
    look: Form(f"files.{look}", ("path",), said, f"`{{path}}` ({look})")
    for look, said in _LOOKS.items()
}


def _change_form(look: str, tells: str, *, has_names: bool) -> Form:
    """Return the form of a file with what was done to it."""
    words, also = _TELLS[tells]
    fields = ["path", *(["names"] * has_names), *(["change"] * bool(tells))]
    became = _BECAME_IN_SHORT if has_names or tells else _BECAME
    told = [f"`{{path}}` ({became.get(look, look)})"]
    told += [_NAMES.get(look, "changed `{names}`")] * has_names + [words] * bool(tells)
    name = ".".join(["files", look, *(["names"] * has_names), tells or "recalled"])
    no_names = {} if has_names else {"names": ""}
    return Form(name, tuple(fields), {**_LOOKS[look], **also, **no_names}, ", ".join(told))


_CHANGED = {
    (look, tells, has_names): _change_form(look, tells, has_names=has_names)
    for look, said in _LOOKS.items()
    for tells in _TELLS
    for has_names in (True, False)
    if (said["status"] == "editing" and (tells or has_names or look in _BECAME))
    or (tells == "summary" and not has_names)
}
"""The forms of files with what was done to them, after a compaction."""

_AS_BEFORE = "as_before"
"""The field that is true of a file in a line with the status of the one before it."""

_FIRST = {
    look: Form(
        f"files.{look}.first",
        ("path",),
        {**said, _AS_BEFORE: False},
        f"{_BECAME.get(look, look)}: `{{path}}`",
    )
    for look, said in _LOOKS.items()
}
_ALSO = Form("files.also", ("path",), {_AS_BEFORE: True}, "`{path}`")
"""The forms of files in a line after a compaction: each status stands before its first file."""

_FORMS = (
    *_CHANGED.values(),
    *_PLAIN.values(),
    *_FIRST.values(),
    _ALSO,
)


def _look(file: ActiveFile) -> str:
    """Return the word for a file's status."""
    if file.status != "editing":
        return file.status
    is_committed = file.committed or file.is_unchanged
    return "committed" if is_committed else "created" if file.is_new else "editing"


def _shown(file: ActiveFile) -> Mapping[str, Any]:
    """Return a file's values without those that no line shows: its time of use."""
    return {**vars(file), "last_accessed": 0, "said_in": 0, "said_at": 0}


def _by_worth(files: Sequence[ActiveFile]) -> list[int]:
    """Return the places of files: the last used; then the edited; then the rest."""
    by_use = sorted(
        range(len(files)),
        key=lambda place: (not files[place].committed, files[place].last_accessed, place),
        reverse=True,
    )
    others = by_use[LAST_USED:]
    others.sort(key=lambda place: files[place].committed or files[place].status != "editing")
    return [*by_use[:LAST_USED], *others]


class ActiveFiles(ItemsSection[ActiveFile]):
    """The files the agent uses; those in work, and used last, when not all are shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0, worth=Worth.FILES_NAMED),
            Rung(Density.MINIMAL, NAMES, width=Width.BRIEF, worth=Worth.FILES_NAMED),
            Rung(
                Density.MINIMAL, NAMES, only_if_room=True, width=Width.MOST, worth=Worth.DONE_OR_OLD
            ),
            Rung(Density.COMPACT, 6, worth=Worth.IN_WORK),
            *ALL_IN_SHORT,
            Rung(Density.FULL, 15, worth=Worth.IN_WORK_IN_FULL),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
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
    host_reported = True
    read_only_reason = "files follow what the agent's tools do; `hud files.close` closes one"
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
    forms = _FORMS

    @classmethod
    def inherited(cls, value: ActiveFile, origin: Origin) -> ActiveFile:
        left = dict.fromkeys(("committed", "is_new", "is_unchanged", "is_removal"), False)
        return value.model_copy(update={"status": "referenced", "change": "", **left})

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

    recalled: bool = False
    """Whether it repeats what the conversation said before a compaction: what edits put in or took out."""

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        return {"recalled": True} if recalls(state) else {}

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        made = super()._of(told._replace(items=_with_status(told.items)))
        if made is not None and any(_IS_RECALLED & item.keys() for item in told.items):
            return made.model_copy(update={"recalled": True})
        return made

    def given(self, ctx: RenderContext) -> Sequence[ActiveFile]:
        """Return the files; after a compaction those in work, then the others, by their status."""
        files = super().given(ctx)
        return sorted(files, key=lambda file: _RANKS[_look(file)]) if self.recalled else files

    @classmethod
    def shows_alike(cls, before: Files, now: Files, *, in_full: bool) -> bool:
        """Tell whether files differ only in their times of use, with the same ones shown where room is short."""
        pairs = zip(before, now, strict=False)
        if len(before) != len(now) or any(a is not b and _shown(a) != _shown(b) for a, b in pairs):
            return False
        if in_full:
            return True
        was, order = _by_worth(before), _by_worth(now)
        return {*was[:NAMES]} == {*order[:NAMES]} and was[NAMES:] == order[NAMES:]

    def _by_worth(self, items: Sequence[ActiveFile], limit: int) -> Sequence[int]:
        """Return the places of files by worth.

        The last used come first, then edited ones, then those only read. Committed files that are not used again come
        after all others.
        """
        return _by_worth(items)

    def disclosed(self) -> Disclosure:
        """Return the disclosure: after a compaction a few files are shown with their edits, before all of them."""
        usual = super().disclosed()
        return _recalled(usual) if self.recalled else usual

    def _texts_of(self, items: Sequence[ActiveFile], ctx: RenderContext) -> Sequence[str]:
        """Return the names of files, each after its folder if the name alone is ambiguous."""
        parts = [_folder_and_name(item.path) for item in items]
        names = [name for _, name in parts]
        return [
            line(name if _says_enough(name, names) else folder + name, ctx.width)
            for folder, name in parts
        ]

    def rows(
        self, items: Sequence[ActiveFile], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        by_form = dict(zip(_FORMS, templates, strict=True))
        widest = PATH if self.recalled and ctx.width is not None else ctx.width
        paths = [_end_of(path, widest) for path in lines([file.path for file in items])]
        if not self.recalled:
            looks = map(_look, items)
            return [(by_form[_PLAIN[look]], path) for look, path in zip(looks, paths, strict=True)]
        width = ctx.width if ctx.density is Density.FULL else 0
        return [
            _recalled_row(file, path, width, by_form)
            for file, path in zip(items, paths, strict=True)
        ]

    def shape(self, ctx: RenderContext) -> ListShape:
        """Return the shape of the list; in a line after a compaction, each status stands once."""
        shape = super().shape(ctx)
        if not self.recalled or shape.name != "line" or any(len(row) > 2 for row in shape.rows):
            return shape
        looks = [*map(_look, shape.shown)]
        forms = [
            _ALSO if place and looks[place - 1] == look else _FIRST[look]
            for place, look in enumerate(looks)
        ]
        told = zip(forms, shape.rows, strict=True)
        rows = [(form.template(ctx), path) for form, (_, path) in told]
        said = [form.told(row) for form, row in zip(forms, rows, strict=True)]
        return shape._replace(rows=rows, said=said)


def _recalled_row(
    file: ActiveFile, path: str, width: int | None, by_form: Mapping[Form, Template]
) -> tuple[Any, ...]:
    """Return the row of a file after a compaction, with what was done to it unless the width is 0."""
    look, names, change = _look(file), "", ""
    if width != 0:
        others = [each for each in file.names.split(_COMMA) if each not in file.change]
        names = _fitting(others, width)
        change = line(file.change, width and (width + width // 2 if file.is_summed else width))
    kind = "summary" if file.is_summed else "removal" if file.is_removal else "change"
    tells = kind if change else ""
    form = _CHANGED.get((look, tells, bool(names)), _PLAIN[look])
    texts = {"path": path, "names": names, "change": change}
    return (by_form[form], *(texts[name] for name in form.fields))


def _fitting(told: Sequence[str], width: int | None) -> str:
    """Return as many of the names as a width has room for, and at least a part of the first."""
    if not told:
        return ""
    fit = told if width is None else told[:1]
    for name in told[len(fit) :]:
        if len(_COMMA.join((*fit, name))) > (width or 0):
            break
        fit = [*fit, name]
    left_out = [_LEFT_OUT] if len(fit) < len(told) else []
    return _COMMA.join([line(fit[0], width), *fit[1:], *left_out])


_LEFT_OUT = "…"
"""The sign for names that are left out."""


def _with_status(items: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the fields of files, with the status of the one before for those that leave it out."""
    told: list[Mapping[str, Any]] = []
    status: Mapping[str, Any] = {}
    for item in items:
        own = {name: value for name, value in item.items() if name != _AS_BEFORE}
        if item.get(_AS_BEFORE):
            own |= status
        status = {name: own[name] for name in _STATUS if name in own}
        told.append(own)
    return told


_IS_RECALLED = frozenset(("change", _AS_BEFORE))
"""The fields that only files after a compaction have in a text."""

_STATUS = ("status", "is_new", "committed")
"""The fields of a status."""
