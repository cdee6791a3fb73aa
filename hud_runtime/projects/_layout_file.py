"""A layout's file that may change, or break, while somebody shows HUDs with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._errors import ProjectError
from hud_runtime._limits import Limits
from hud_runtime.projects._trust import default_trust
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import State
    from hud_runtime.projects._settings import ProjectSettings
    from ujsx import Component, Element, Vocabulary


def layout_text(path: Path) -> str:
    """Return the text of a layout's file.

    :param path: a path without links.
    :raises ProjectError: for what cannot be read, is no text, or is too long.
    """
    limits = Limits.of_environment()
    try:
        if path.resolve() != path:
            raise ProjectError(f"{path} leads elsewhere now")
        if not path.is_file():
            raise ProjectError(f"{path} is no file")
        with path.open("rb") as file:
            data = limits.whole(file)
    except (OSError, RuntimeError) as error:
        raise ProjectError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if data is None:
        raise ProjectError(f"{path} {limits.refusal('read')}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ProjectError(f"{path} is no UTF-8 text") from None


def tree_of_data(text: str, name: str, vocabulary: Vocabulary) -> Element:
    """Return the tree of a layout that is data: JSON, as ``ujsx.dump`` writes it.

    :param name: what errors call the file.
    :raises ProjectError: for what is no JSON.
    :raises UjsxError: for what is no tree of these components.
    """
    from ujsx import load

    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{name} is no JSON: {error}") from None
    return load(data, vocabulary)


class LayoutFile:
    """The tree of a layout's file, read again when the file has changed.

    :param path: the file, without links in its path: one that comes into it is not followed.
    :param vocabulary: the components that may stand in it.
    :param tell: called with a sentence when the layout cannot be used; once for each state of the
        file and each sentence.
    :param state: the class of the states that it is to show.
    :param settings: the project's, where they ask for the file: then it is shown only as the user trusts it.
    """

    def __init__(
        self,
        path: Path,
        vocabulary: Vocabulary | tuple[type[Component], ...],
        tell: Callable[[str], object],
        *,
        state: type[State],
        settings: ProjectSettings | None = None,
    ) -> None:
        self.path = path
        self._vocabulary = vocabulary
        self._tell = tell
        self._state = state
        self._settings = settings
        self._trust = None if settings is None else default_trust()
        self._read_at: tuple[object, ...] | None = None
        self._tree: Element | None = None
        self._told: set[str] = set()

    def tree(self) -> Element | None:
        """Return the layout's tree as the file is now; ``None`` for one that cannot be used."""
        seen = self._seen()
        if seen is None or seen != self._read_at:
            self._read_at = seen
            self._told.clear()
            self._tree = self._read()
        return self._tree

    def failed(self, error: Exception) -> None:
        """Tell that the layout cannot be used for what it should show."""
        sentence = f"{self.path}: {error}; that layout is not shown"
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)

    def _read(self) -> Element | None:
        from hud_components import check_layout
        from ujsx import read_layout

        try:
            text = layout_text(self.path)
            objection = self._objection(text)
            if objection is not None:
                self._tell(objection)
                return None
            mistakes = check_layout(text, self._vocabulary, state=self._state)
            if not mistakes:
                return read_layout(text, self._vocabulary)
        except UjsxError as error:
            self.failed(error)
            return None
        for each in mistakes:
            place = f"{self.path}:{each.line}:{each.column}"
            self._tell(f"{place}: {each.message}; that layout is not shown")
        return None

    def _objection(self, text: str) -> str | None:
        """Why a project's file is not to be shown as it is now."""
        if self._trust is None or self._settings is None:
            return None
        return self._trust.objection(self._settings, text.encode())

    def _seen(self) -> tuple[object, ...] | None:
        """How the file is now, and what is trusted: each may change by itself."""
        paths = (self.path,) if self._trust is None else (self.path, self._trust.path)
        try:
            found = [each.stat() for each in paths]
        except OSError:
            return None
        return tuple((each.st_mtime_ns, each.st_size, each.st_ino) for each in found)
