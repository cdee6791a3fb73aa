"""The folder in which the agent works, and the files that it has touched."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from hud_components.folding import path_within
from hud_runtime.observation._ledger import Told
from hud_runtime.observation._shell import Touched


@dataclass(slots=True)
class Workspace:
    """The agent's folder, its editor's open file, and the files that it has touched."""

    root: str | None = None
    """The first working directory that is named; paths are shown from here."""

    directory: str | None = None
    """The working directory now."""

    open_file: str | None = None
    """The file in the agent's editor, as it is shown."""

    _files: set[str] = field(default_factory=set[str])

    def resume(self, root: str | None, files: Iterable[str]) -> None:
        """Go on in a project's folder, with the files that were touched there."""
        if root is not None and root.startswith("/"):
            self.enter(root)
        self._files.update(files)

    def enter(self, directory: str | None) -> None:
        """Be in this directory from now on, unless it is None."""
        if directory is not None:
            self.directory = directory
            self.root = self.root or directory

    def shown(self, path: str, directory: str | None = None) -> str:
        """Return a path as it is shown."""
        here = self.directory
        if directory:
            here = self.shown(directory)
            if self.root and not here.startswith("/"):
                here = f"{self.root}/{here}"
        return path_within(path, self.root, here)

    def holds(self, place: str, directory: str | None = None) -> bool:
        """Tell whether a folder, meant from the working directory, is of the project: in its folder, or around it.

        >>> workspace = Workspace()
        >>> workspace.enter("/app")
        >>> workspace.holds("src"), workspace.holds("../other"), workspace.holds("$(git rev-parse --show-toplevel)")
        (True, False, True)
        """
        if "rev-parse" in place or self.root is None:
            return True
        if place.startswith(("~", "$", "`")):
            return False
        here = posixpath.join(self.directory or self.root, directory or "", place)
        full, root = (f"{posixpath.normpath(one)}/" for one in (here, self.root))
        return full.startswith(root) or root.startswith(full)

    def resolved(
        self, found: Iterable[Touched], directory: str | None = None, *, or_open_file: bool = False
    ) -> list[Touched]:
        """Return touched files by the paths that are shown; without a path, the editor's open file."""
        files: list[Touched] = []
        for one in found:
            if one.path:
                files.append(replace(one, path=self.shown(one.path, directory)))
            elif or_open_file and self.open_file:
                files.append(replace(one, path=self.open_file))
        return files

    def touch(self, one: Touched) -> Iterator[Told]:
        """Yield what is told of a touched file: one that goes takes what is in it along."""
        path = one.path or ""
        if one.event != "file.close":
            self._files.add(path)
            also = {"change": one.change, "is_new": one.is_new} if one.event == "file.edit" else {}
            yield one.event, {"path": path, **{name: said for name, said in also.items() if said}}
            return
        for known in sorted(self._files):
            if known == path or known.startswith(f"{path}/"):
                self._files.discard(known)
                yield "file.close", {"path": known}

    def shows(self, open_file: str | None) -> Iterator[Told]:
        """Yield what is told when the editor shows a file; nothing where nobody says."""
        if open_file is None:
            return
        file = self.shown(open_file) if open_file else None
        if file is not None and file != self.open_file and file not in self._files:
            yield from self.touch(Touched("file.open", file))
        self.open_file = file
