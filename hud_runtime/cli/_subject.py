"""The subject of a preview: a layout, an object, a transcript, or a session of a store.

Without SUBJECT it is the session that --session names.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime.cli._arguments import UsageError
from hud_runtime.cli._component_names import define_with
from hud_runtime.cli._domain import asked_name
from hud_runtime.cli._files import STANDARD_INPUT, existing, is_there
from hud_runtime.cli._shown_hud import define_how_much_of_a_hud, density_named
from hud_runtime.cli._shown_session import recording, session_target
from hud_runtime.cli._stored import define_store
from hud_runtime.cli._target import FORMS, Target, is_layout, session_in_store, target_of
from hud_runtime.preview import Look, Subject
from hud_runtime.projects import CODE

if TYPE_CHECKING:
    from hud_components import Budget


def define_subject(parser: ArgumentParser) -> None:
    """Add the options that name what is previewed, and how much of it is shown first."""
    parser.add_argument(
        "subject",
        metavar="SUBJECT",
        nargs="?",
        help=FORMS,
    )
    parser.add_argument(
        "--session",
        metavar="FILE_OR_ID",
        help="the recorded file or the session whose state a layout or an object shows",
    )
    parser.add_argument(
        "--turn", metavar="N", type=int, help="the turn after which it is shown (default: the last)"
    )
    define_with(parser)
    define_how_much_of_a_hud(parser)
    define_store(parser)


def look_at(options: Namespace) -> Look:
    """Return how much the options ask for.

    :raises DensityError: for a density that is none; the message names the nearest.
    """
    density = density_named(options.density)
    name = None if density is None else density.value
    return Look(options.turn, name, cast("Budget", options.budget))


def subject_of(options: Namespace, *, takes_files: bool = False) -> Subject:
    """Return what the options name.

    :param takes_files: whether a file of Python alone may be named, for a gallery of its components.
    :raises UsageError: for what is not there; the message has what is near.
    """
    if options.subject is None:
        if options.session is None:
            raise UsageError("name a SUBJECT, or a session: --session FILE_OR_ID")
        target = session_target(options.session, options.store)
    elif takes_files and options.subject.endswith(CODE) and is_there(options.subject, Path.is_file):
        target = Target(options.subject, "gallery")
    else:
        target = target_of(options.subject, options.store)
    if target.name == STANDARD_INPUT:
        raise UsageError(
            "a preview follows a file, and standard input is none; save it, and name the file"
        )
    domain, folder = asked_name()
    modules = tuple(options.modules)
    given: dict[str, Any] = {"name": target.name, "domain": domain, "modules": modules}
    if folder is not None:
        given["domain_folder"] = str(folder)
    if target.is_session:
        if None not in (options.subject, options.session):
            raise UsageError(
                f"--session is for layouts and objects; {target.name} is itself a session"
            )
        return Subject(**given, **_session(target, options.store))
    if options.session is None:
        if options.store is not None:
            raise UsageError("--store needs --session, the id of a session in it")
        shown: dict[str, Any] = {}
    else:
        shown = _session(session_target(options.session, options.store), options.store)
    given[target.kind] = target.name
    return Subject(**given, **shown)


def _session(target: Target, store: str | None) -> dict[str, Any]:
    """The fields of a subject that name a session: a recorded file, or an id in a store."""
    if target.kind == "recording":
        path = str(existing(target.name))
        if is_layout(path):  # there are transcripts in Markdown, too
            with recording(path):
                pass
        return {"transcript": path}
    with session_in_store(target.name, store) as (stored, session_id):
        return {"store": store or stored.place, "session": session_id}
