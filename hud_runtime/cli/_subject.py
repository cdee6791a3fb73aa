"""What a user names to be previewed: a layout, an object, a transcript, or a session of a store."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime._errors import ProjectError
from hud_runtime._location import default_path
from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._domain import asked_name
from hud_runtime.cli._files import existing, is_there, read_text
from hud_runtime.cli._layout_option import trusted_settings
from hud_runtime.cli._output import remark
from hud_runtime.cli._shown_hud import define_how_much_of_a_hud, density_named
from hud_runtime.cli._stored import define_store, reading
from hud_runtime.preview import Look, Subject

if TYPE_CHECKING:
    from hud_components import Budget

LAYOUTS = (".md", ".markdown")
"""How the names of layouts end that are Markdown with tags."""

JSON = ".json"
"""How the names of trees end that are data; a transcript may, too."""

_OBJECT = re.compile(r"(?:[^:]+\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*")

FORMS = "name a layout, module:NAME, file.py:NAME, a transcript, or a session"


def define_subject(parser: ArgumentParser) -> None:
    """Add the options that name what is previewed, and how much of it is shown first."""
    parser.add_argument(
        "subject",
        metavar="SUBJECT",
        help="a layout (.md, or .json for a tree as data), module:NAME or file.py:NAME, a transcript, or a "
        "session's id",
    )
    parser.add_argument(
        "--session",
        metavar="FILE_OR_ID",
        help="the transcript or the session whose state a layout or an object shows",
    )
    parser.add_argument(
        "--turn", metavar="N", type=int, help="the turn after which it is shown (default: the last)"
    )
    define_how_much_of_a_hud(parser)
    define_store(parser)


def look_at(options: Namespace) -> Look:
    """Return how much the options ask for.

    :raises DensityError: for a density that is none; the message names the nearest.
    """
    density = density_named(options.density)
    name = None if density is None else density.value
    return Look(options.turn, name, cast("Budget", options.budget))


def subject_of(options: Namespace) -> Subject:
    """Return what the options name.

    :raises UsageError: for what is not there; the message has what is near.
    """
    name: str = options.subject
    given: dict[str, Any] = {"name": name, "domain": asked_name()}
    if _OBJECT.fullmatch(name):
        place = name.rpartition(":")[0]
        if place.endswith(".py"):
            existing(place)
        given["object"] = name
    elif name.endswith(".py"):
        raise UsageError(f"name what is to be shown of {existing(name)}: {name}:NAME")
    elif is_there(name, Path.is_file) and _is_layout(name):
        given["layout"] = name
    else:
        if options.session is not None:
            raise UsageError(f"--session is for layouts and objects; {name} is itself a session")
        return Subject(**given, **_session(name, options.store), **_usual())
    shown = {} if options.session is None else _session(options.session, options.store)
    return Subject(**given, **shown)


def _is_layout(name: str) -> bool:
    suffix = Path(name).suffix.lower()
    return suffix in LAYOUTS or (suffix == JSON and _is_tree(read_text(name)))


def _is_tree(text: str) -> bool:
    """Whether JSON is a tree, or is nothing yet: then it is said what is wrong with it."""
    try:
        data: object = json.loads(text)
    except ValueError:
        return False
    return isinstance(data, dict) and "type" in data and {*data} <= _NODE


_NODE = frozenset({"type", "props", "children", "key"})
"""The names in a node of a tree as data."""


def _session(name: str, store: str | None) -> dict[str, str]:
    """The fields of a subject that name a session: a transcript's file, or an id in a store."""
    if store is None and (is_there(name, Path.is_file) or _is_like_a_path(name)):
        return {"transcript": str(existing(name))}
    if store is None and not default_path().exists():
        raise UsageError(
            f'there is no file "{name}", and no store at {default_path()} that could have such a session;'
            f" {FORMS}"
        )
    with reading(store) as stored:
        return {"store": store or stored.place, "session": stored.id_of(name)}


def _is_like_a_path(name: str) -> bool:
    path = Path(name)
    return bool(path.suffix) and not is_there(name, Path.is_dir)


def _usual() -> dict[str, str]:
    """The layout of the project around, once it is trusted."""
    try:
        settings = trusted_settings(Path.cwd())
    except ProjectError as error:
        remark(f"the project's layout is not shown: {error}")
        return {}
    path = None if settings is None else settings.layout_path
    return {} if path is None else {"usual_layout": str(path)}
