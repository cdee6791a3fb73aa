"""Past sessions of OpenCode: counted, listed, read, searched, compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._click import (
    Declared,
    Parts,
    argument,
    json_option,
    number,
    option,
    part_of,
    part_options,
)
from hud_runtime.cli._commands import Options, UsageError, one_of
from hud_runtime.cli._stored import export
from hud_runtime.cli._terminal import put, put_json

if TYPE_CHECKING:
    from hud_runtime.history import OpenCodeHistory, SessionFigures
    from ujsx import Child

MOST = 1_000
"""Maximum results of one command."""


from_database: Declared = option(
    "--database",
    metavar="FILE",
    help="OpenCode's database, or the folder it lies in (default: OpenCode's own, in $XDG_DATA_HOME/opencode)",
)


limited = option(
    "--limit", type=number, help="how many at most (default: 20; of plans 50, of children 100)"
)

after = option("--after", type=number, default=0, help="skip so many (default: 0)")


def opened(options: Options) -> OpenCodeHistory:
    """Return the history of the options, for a ``with`` statement."""
    from hud_runtime.history import OpenCodeHistory

    return OpenCodeHistory(options.database)


def limit_of(options: Options, usual: int = 20) -> int:
    """Return the requested number.

    :param usual: the default.
    :raises UsageError: for an invalid number.
    """
    limit: int = usual if options.limit is None else options.limit
    if not 1 <= limit <= MOST:
        raise UsageError(f"--limit is a number from 1 to {MOST:,}, not {limit:,}")
    return limit


def after_of(options: Options) -> int:
    """Return the number to skip.

    :raises UsageError: for an invalid number.
    """
    if options.after < 0:
        raise UsageError(f"--after is a number from 0 on, not {options.after:,}")
    after: int = options.after
    return after


def tell(options: Options, found: object, shown: Callable[[Any], Child]) -> int:
    """Write the result as data, or as Markdown.

    :param shown: returns the result's components, given their module.
    """
    if options.json:
        from hud_runtime.history._records import data_of

        put_json(data_of(found))
    else:
        from hud_runtime.history import _shown

        put(f"{_shown.written(shown(_shown))}\n")
    return 0


def _count(options: Options) -> int:
    """Count what OpenCode has kept: projects, sessions, messages."""
    with opened(options) as history:
        found = history.counts()
    return tell(options, found, lambda made: made.shown_counts(found))


def _sessions(options: Options) -> int:
    """List sessions, the last used first; those of subagents are left out unless they are asked for."""
    limit, after = limit_of(options), after_of(options)
    with opened(options) as history:
        found = history.sessions(
            limit=limit, after=after, project=_project(options), subagents=options.subagents
        )
    more = len(found) == limit
    return tell(options, found, lambda made: made.shown_sessions(found, after, more=more))


def _project(options: Options) -> str | None:
    """The folder by OpenCode's name, if any."""
    given: str | None = options.project
    if given is None:
        return None
    try:
        return str(Path(given).resolve()) if Path(given).is_dir() else given
    except (OSError, ValueError):
        return given


def _messages(options: Options) -> int:
    """Print messages of a session as a transcript, the last ones; long texts are cut, and say so.

    SESSION is an id, its beginning, or `last`.
    """
    with opened(options) as history:
        page = history.messages(options.session, limit=limit_of(options), before=options.before)
    return tell(options, page, lambda made: made.shown_page(page))


def _message(options: Options) -> int:
    """Print one message, with all its parts, whole."""
    with opened(options) as history:
        found = history.message(options.session)
    return tell(options, found, lambda made: made.shown_message(found))


@argument("query", metavar="WORD", nargs=-1, required=True, help="a word, or a part of one")
@from_database
@option("--session", metavar="ID", help="in one session alone")
@limited
@after
@json_option("what was found as data")
def search_history(options: Options) -> int:
    """Find messages by their words, the newest first; all words must be there, in any order."""
    limit, after = limit_of(options), after_of(options)
    with opened(options) as history:
        found = history.search(
            " ".join(options.query), session=options.session, limit=limit, after=after
        )
    return tell(options, found, lambda made: made.shown_found(found, after))


def _plans(options: Options) -> int:
    """List the plans that agents have written, the last written first, or print one.

    They are the files in `.opencode/plans` of the project's folder and the folders above it, and in `plans` beside
    OpenCode's database.
    """
    from hud_runtime.history import plan, plans

    folder = Path(options.project or ".")
    if not folder.is_dir():
        raise UsageError(f"{options.project} is not a folder")
    if options.which is None:
        found = plans(folder.resolve(), limit=limit_of(options, 50))
        return tell(options, found, lambda made: made.shown_plans(found))
    one = plan(options.which, folder.resolve())
    return tell(options, one, lambda made: made.shown_plan(one))


def _children(options: Options) -> int:
    """List the sessions of a session's subagents, the last used first."""
    if options.which is None:
        raise UsageError("--children needs a session: ujsx history list --children SESSION")
    with opened(options) as history:
        found = history.children(options.which, limit=limit_of(options, 100))
    return tell(options, found, lambda made: made.shown_sessions(found))


# The context of a past session: its use, and the summary after each compaction.


def _compactions(options: Options) -> int:
    """List the compactions of a session, each with how its summary begins, or print one summary, whole."""
    from hud_runtime.history._shown import checkpoint_of

    with opened(options) as history:
        found = history.compactions(options.session)
    if options.other is None:
        return tell(options, found, lambda made: made.shown_checkpoints(found))
    one = checkpoint_of(found, number(options.other))
    return tell(options, one, lambda made: made.shown_checkpoint(one, len(found)))


def _context(options: Options) -> int:
    """Tell how full a session's context was when its model last answered, in exact figures.

    The size of the window is that of the model's name, as the database does not tell it.
    """
    from hud_runtime.history._records import context_data

    with opened(options) as history:
        use = history.context(options.session)
    return tell(options, context_data(use), lambda made: made.shown_context(use))


# Comparisons of past OpenCode sessions, and exports.

FORMS = ("json", "markdown")


def _compare(options: Options) -> int:
    """Put two sessions side by side: messages, calls, tokens, the files that each has changed, and where they part."""
    if options.other is None:
        raise UsageError("--compare needs two sessions: ujsx history show --compare SESSION OTHER")
    from hud_runtime.history import compare

    with opened(options) as history:
        found = compare(history, options.session, options.other)
    data = {"left": _data(found.left), "right": _data(found.right), "same": found.same}
    return tell(options, data, lambda made: made.shown_comparison(found))


def _data(one: SessionFigures) -> dict[str, Any]:
    from hud_runtime.history._records import data_of

    counts = {name: dict(getattr(one, name)) for name in ("roles", "tools", "models")}
    figures = {
        name: getattr(one, name)
        for name in ("failed", "errors", "compactions", "output", "largest")
    }
    return {"session": data_of(one.session), **counts, **figures, "files": sorted(one.files)}


def _export(options: Options) -> int:
    """Write a session as a transcript: JSON as `opencode export` has it, or Markdown; nothing is cut.

    `ujsx session import` makes a session of the first, and `ujsx hud --transcript` shows its HUD.
    """
    form = one_of(options.form, FORMS, "form")
    with opened(options) as history:
        about = history.session(options.session)
        export(_pieces(history, about.id, form), about.id, options.to, put)
    return 0


def _pieces(history: OpenCodeHistory, session: str, form: str) -> Iterator[str]:
    from hud_runtime.history import exported
    from hud_runtime.history._shown import shown_transcript

    if form == "json":
        return exported(history, session)
    return shown_transcript(history.session(session), history.all_messages(session, whole=True))


LISTED: Parts = {
    "counts": (_count, "instead, how many projects, sessions and messages there are"),
    "children": (_children, "instead, the sessions of the subagents of a session"),
    "plans": (
        _plans,
        "instead, the plans that agents have written, the last written first, or one of them",
    ),
}
"""Other lists than sessions, by their options."""


@argument(
    "which",
    metavar="WHICH",
    required=False,
    help='with --children, a session: its id, how the id begins, or "last"; with --plans, print this one: its '
    "file's name",
)
@part_options(LISTED)
@from_database
@limited
@after
@option(
    "--project",
    metavar="DIR",
    help="those of a folder and the folders in it, or of a project's name; of plans, the project's folder (default: "
    "the current one)",
)
@option("--subagents", is_flag=True, help="those of subagents as well")
@json_option("the same as data")
def list_history(options: Options) -> int:
    """List sessions, the last used first; those of subagents are left out unless they are asked for.

    Plans are the files in `.opencode/plans` of the project's folder and the folders above it, and in `plans` beside
    OpenCode's database.
    """
    return part_of(options, LISTED, _sessions, options.which, ("children", "plans"))(options)


SHOWN: Parts = {
    "message": (
        _message,
        "instead, one message, with all its parts, whole; SESSION is the message's id",
    ),
    "context": (
        _context,
        "instead, how full the context was when the model last answered, in exact figures",
    ),
    "compactions": (
        _compactions,
        "instead, the compactions, each with how its summary begins, or one summary, whole",
    ),
    "compare": (
        _compare,
        "instead, two sessions side by side: messages, calls, tokens, files, and where they part",
    ),
    "whole": (_export, "instead, a transcript of the session in which nothing is cut"),
}
"""Other parts of a session than its last messages, by their options."""


@argument("session", metavar="SESSION", type=str, help='its id, how the id begins, or "last"')
@argument(
    "other",
    metavar="OTHER",
    required=False,
    help="with --compare, the other session; with --compactions, print this summary, counted from 1",
)
@part_options(SHOWN)
@from_database
@limited
@option("--before", type=number, help="messages before the one of that number")
@option(
    "--as",
    "form",
    metavar="FORM",
    words=FORMS,
    default=FORMS[0],
    goes_with=("whole",),
    help=f"with --whole, {' or '.join(FORMS)} (default: {FORMS[0]})",
)
@option(
    "--to",
    metavar="FILE",
    goes_with=("whole",),
    help="with --whole, a new file, which its owner alone can read (default: standard output)",
)
@json_option("the same as data, messages whole")
def show_history(options: Options) -> int:
    """Print messages of a session as a transcript, the last ones; long texts are cut, and say so.

    SESSION is an id, its beginning, or `last`. With --whole the transcript is JSON as `opencode export` has it, or
    Markdown; `ujsx session import` makes a session of the first, and `ujsx hud --transcript` shows its HUD. The size
    of a context's window is that of the model's name, as the database does not tell it.
    """
    return part_of(options, SHOWN, _messages, options.other, ("compare", "compactions"))(options)
