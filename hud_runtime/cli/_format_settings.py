"""The settings of ``ujsx format``: its options, else ``[tool.ujsx.format]``; and the files."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._files import STANDARD_INPUT, as_told, is_there
from hud_runtime.projects import project_of, read_format
from ujsx.errors import did_you_mean, shown
from ujsx.mdast._extension import NAMES
from ujsx.mdast.to_markdown import ALLOWED

SUFFIXES = (".md", ".markdown")
"""The ends of names of Markdown files, which folders are searched for."""

OF_TEXTS = (".mdown", ".mkd", ".mdx", ".qmd", ".rmd", ".txt", ".text")
"""Those of other files that are formatted where they are named themselves."""

PASSED_OVER = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders that hold what others wrote; so do those whose name begins with a dot."""


@dataclass(frozen=True, slots=True)
class FormatSettings:
    """The settings that the command's caller or the project asks for."""

    options: dict[str, Any] = field(default_factory=dict[str, Any])
    """Options of the writer, those that are given."""

    canonical: bool = False
    exclude: tuple[str, ...] = ()
    root: Path | None = None
    """The project's folder, below which a path may be excluded as well."""

    extensions: tuple[str, ...] = ()
    """Names of the Markdown beyond GFM that the files have."""

    @classmethod
    def of(cls, options: Namespace) -> FormatSettings:
        """Return what the command says, and where it says nothing, what the project above says.

        :raises UsageError: for a table ``[tool.ujsx.format]`` with what is no option in it.
        """
        try:
            project = project_of(Path())
            found: Mapping[str, Any] = read_format(project) if project is not None else {}
            table = {name.replace("-", "_"): value for name, value in found.items()}
        except ProjectError as error:
            raise UsageError(str(error)) from None
        known = (*ALLOWED, "canonical", "exclude", "extensions")
        for name in table:
            if name not in known:
                hint = did_you_mean(name, known)
                raise UsageError(f"{project}: [tool.ujsx.format] has no {name!r}; {hint}")
        given: dict[str, Any] = {
            name: value
            for name in known
            if (value := getattr(options, name)) is not None
            or (value := table.get(name)) is not None
        }
        canonical: object = given.pop("canonical", False)
        if not isinstance(canonical, bool):
            raise UsageError(f"{project}: canonical is true or false, not {shown(canonical)}")
        exclude = _texts(project, "exclude", given.pop("exclude", []))
        extensions = _texts(project, "extensions", given.pop("extensions", []))
        for each in extensions:
            if each not in NAMES:
                raise UsageError(
                    f"there is no extension {shown(each)}; {did_you_mean(each, NAMES)}"
                )
        return cls(given, canonical, exclude, project, extensions)


def _texts(project: Path | None, name: str, given: object) -> tuple[str, ...]:
    """A list of texts, as the table must have it."""
    told = shown(given)
    found = cast("list[object]", given) if isinstance(given, list) else [None]
    if not all(isinstance(each, str) for each in found):
        raise UsageError(f"{project}: {name} is a list of texts, not {told}")
    return tuple(map(str, found))


def markdown_files(
    names: Iterable[str], exclude: Sequence[str], root: Path | None = None
) -> Iterator[str]:
    """Yield files, and in place of each folder the Markdown files in it, in the order of their names.

    :param exclude: what paths of files in folders are like that are left out: below the folder, or below
        ``root``, the project's.
    :raises UsageError: for a file that is something else by its name, before any is written.
    """
    seen: set[str] = set()
    for name in names:
        if name != STANDARD_INPUT and not is_there(name, Path.is_dir):
            _check_suffix(name)
    for name in names:
        is_folder = name != STANDARD_INPUT and is_there(name, Path.is_dir)
        for each in _in_folder(name, exclude, root) if is_folder else (name,):
            if each not in seen:
                seen.add(each)
                yield each


def _check_suffix(name: str) -> None:
    """Refuse what another program would no longer read: ``setup.py`` is Markdown, too, for who knows no better."""
    suffix = Path(name).suffix.lower()
    if suffix and suffix not in (*SUFFIXES, *OF_TEXTS):
        raise UsageError(
            f"{as_told(name)} is no Markdown by its name; to format it all the same, give it on standard input:"
            " `ujsx format -`"
        )


def _in_folder(name: str, exclude: Sequence[str], root: Path | None) -> Iterator[str]:
    whole = Path(name).resolve()
    above = whole.relative_to(root) if root is not None and whole.is_relative_to(root) else Path()
    for folder, folders, files in os.walk(name):
        folders[:] = sorted(
            [each for each in folders if each[0] != "." and each not in PASSED_OVER]
        )
        for file in sorted(files):
            path = Path(folder, file)
            below = path.relative_to(name)
            places = {below.as_posix(), (above / below).as_posix()}
            if (
                path.suffix.lower() in SUFFIXES
                and not any(fnmatch(place, each) for place in places for each in exclude)
                and path.is_file()  # no pipe, no link that leads nowhere
            ):
                yield str(path)
