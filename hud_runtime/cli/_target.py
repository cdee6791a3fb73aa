"""The target of a command: a layout, an object of the user's code, a recorded file, or a session of a store.

There is one rule for all commands, and one wording of what is wrong; which kinds a command takes, it says itself.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hud_runtime._errors import ProjectError
from hud_runtime._location import default_path
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._domain import own_components
from hud_runtime.cli._files import STANDARD_INPUT, existing, file_near, is_there, read_text
from hud_runtime.cli._stored import Stored, reading
from hud_runtime.projects import CODE, is_object, load_object, unnamed

if TYPE_CHECKING:
    from hud_components import Domain, State
    from ujsx import Child

Kind = Literal["layout", "object", "gallery", "recording", "session"]

LAYOUTS = (".md", ".markdown")
"""How the names of layouts end that are Markdown with tags."""

JSON = ".json"
"""How the names of trees end that are data; a transcript may, too."""

FORMS = (
    "a layout (.md, or .json for a tree as data), module:NAME, file.py:NAME, a transcript or an exported "
    "session, or a session's id"
)
"""What can be looked at, as help and refusals have it."""

_NODE = frozenset({"type", "props", "children", "key"})
"""The names in a node of a tree as data."""


class Target(NamedTuple):
    """What a name stands for."""

    name: str
    kind: Kind

    @property
    def is_session(self) -> bool:
        """True if it has a state and turns of its own."""
        return self.kind in {"recording", "session"}


def target_of(name: str, store: str | None = None) -> Target:
    """Return what a name stands for; whether a session is there, is not looked up.

    :param store: that which the user names; then a file is a layout or nothing.
    :raises UsageError: for a file that is not there, and for one of Python without the NAME in it.

    >>> target_of("acme.huds:layout").kind, target_of("shop").kind
    ('object', 'session')
    """
    if is_object(name):
        place = name.rpartition(":")[0]
        if place.endswith(CODE):
            existing(place)
        return Target(name, "object")
    if name.endswith(CODE):
        existing(name)
        raise UsageError(unnamed(name, Path.cwd()))
    if name == STANDARD_INPUT:
        return Target(name, "layout")
    is_file = is_there(name, Path.exists) and not is_there(name, Path.is_dir)
    if is_file and is_layout(name):
        return Target(name, "layout")
    return Target(name, "recording" if is_file and store is None else "session")


def is_layout(name: str) -> bool:
    """Tell whether a file is a layout, by its name, and of JSON by what it holds."""
    suffix = Path(name).suffix.lower()
    is_json = suffix == JSON and is_there(name, Path.is_file)  # a pipe can be read once
    return suffix in LAYOUTS or (is_json and _is_tree(read_text(name)))


def _is_tree(text: str) -> bool:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "type" in data and {*data} <= _NODE


def check_is_session(name: str) -> None:
    """Refuse an object of somebody's code where a session is meant.

    :raises UsageError: for one; the message says what shows it.
    """
    if is_object(name) or name.endswith(CODE):
        named = name if is_object(name) else f"{name}:NAME"
        raise UsageError(
            f"{name} is Python, and no session; `ujsx watch {named}` and `ujsx preview {named}` show what code makes"
        )


@contextmanager
def session_in_store(name: str, store: str | None) -> Generator[tuple[Stored, str]]:
    """Open the store that a session is in, to look into it, and give the session's id.

    :param store: that which the user names; the default one when None.
    :raises UsageError: if there is no such session; the message has what is near.
    """
    if store is None and not default_path().exists():
        if _is_like_a_path(name):
            existing(name)  # says what is near
        near = file_near(name)
        hint = (
            f'did you mean "{near}"?' if near else "check the path, or name a store: --store FILE"
        )
        what = (
            f"{name} is a folder" if is_there(name, Path.is_dir) else f'there is no file "{name}"'
        )
        raise UsageError(
            f"{what}, and no store at {default_path()} that could have such a session; {hint}"
        )
    with reading(store) as stored:
        if store is None and _is_like_a_path(name) and stored.find(name) is None:
            existing(name)
        yield stored, stored.id_of(name)


def tree_of(target: Target, state: type[State]) -> Child | Domain[Any]:
    """Return what a layout or an object is: a tree, or of an object a domain.

    :param state: the class of the states that it shows; the sections of their domain may stand in a layout.
    :raises UsageError: for what is neither.
    """
    from hud_runtime.cli._render import read
    from hud_runtime.preview import shown_of

    if target.kind == "layout":
        return read(target.name, state, own_components())
    found = load_object(target.name, folder=Path.cwd())
    with authors_code():
        return shown_of(found, target.name)


@contextmanager
def authors_code() -> Generator[None]:
    """Tell what an author's code raises in a sentence, with its place; a mistake of ours is let through.

    :raises UsageError: for an error in the author's code.
    """
    from hud_runtime.preview import fault_of

    try:
        yield
    except (UsageError, ProjectError, OSError):
        raise
    except (Exception, SystemExit) as error:
        fault = fault_of(error)
        if fault.file is None:
            raise
        raise UsageError(str(fault)) from error


def _is_like_a_path(name: str) -> bool:
    path = Path(name)
    return (bool(path.suffix) or len(path.parts) > 1) and not is_there(name, Path.is_dir)
