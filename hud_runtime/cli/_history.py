"""Past sessions of OpenCode: counted, listed, read, searched, compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._commands import Options, UsageError, one_of
from hud_runtime.cli._options import Declared, argument, json_option, number, option
from hud_runtime.cli._stored import new_file
from hud_runtime.cli._terminal import put, put_json, put_report, remark

if TYPE_CHECKING:
    from hud_runtime.history import OpenCodeHistory, SessionFigures
    from ujsx import Child

MOST = 1_000
"""What can be asked for at once."""


from_database: Declared = option(
    "--database",
    metavar="FILE",
    help="OpenCode's database, or the folder it lies in (default: OpenCode's own, in $XDG_DATA_HOME/opencode)",
)


def limited(usual: int, what: str) -> Declared:
    """Let the user say how many there are to be."""
    return option(
        "--limit",
        metavar="N",
        type=number,
        default=usual,
        help=f"{what} at most (default: {usual})",
    )


def named(name: str = "session") -> Declared:
    """Let the user name a session."""
    return argument(name, metavar=name.upper(), help='its id, how the id begins, or "last"')


def opened(options: Options) -> OpenCodeHistory:
    """Return the history that the options name, for a ``with`` statement."""
    from hud_runtime.history import OpenCodeHistory

    return OpenCodeHistory(options.database)


def limit_of(options: Options) -> int:
    """Return how many are asked for.

    :raises UsageError: for a number that is none.
    """
    if not 1 <= options.limit <= MOST:
        raise UsageError(f"--limit is a number from 1 to {MOST:,}, not {options.limit:,}")
    limit: int = options.limit
    return limit


def after_of(options: Options) -> int:
    """Return how many are to be passed over.

    :raises UsageError: for a number that is none.
    """
    if options.after < 0:
        raise UsageError(f"--after is a number from 0 on, not {options.after:,}")
    after: int = options.after
    return after


def tell(options: Options, found: object, shown: Callable[[], Child]) -> int:
    """Write what was found: as data, or as Markdown."""
    if options.json:
        from hud_runtime.history._records import data_of

        put_json(data_of(found))
    else:
        from hud_runtime.history._shown import written

        put_report(f"{written(shown())}\n")
    return 0


@from_database
@json_option("the counts as data")
def count_history(options: Options) -> int:
    """Count what OpenCode has kept: projects, sessions, messages."""
    from hud_runtime.history._shown import shown_counts

    with opened(options) as history:
        found = history.counts()
    return tell(options, found, lambda: shown_counts(found))


@from_database
@limited(20, "how many")
@option("--after", metavar="N", type=number, default=0, help="pass over so many (default: 0)")
@option(
    "--project",
    metavar="DIR",
    help="those of a folder and the folders in it, or of a project's name",
)
@option("--subagents", is_flag=True, help="those of subagents as well")
@json_option("the sessions as data")
def list_history(options: Options) -> int:
    """List sessions, the last used first; those of subagents are left out unless they are asked for."""
    from hud_runtime.history._shown import shown_sessions

    limit, after = limit_of(options), after_of(options)
    with opened(options) as history:
        found = history.sessions(
            limit=limit, after=after, project=_project(options), subagents=options.subagents
        )
    more = len(found) == limit
    return tell(options, found, lambda: shown_sessions(found, after, more=more))


def _project(options: Options) -> str | None:
    """The folder as OpenCode names it, where there is one."""
    given: str | None = options.project
    if given is None:
        return None
    try:
        return str(Path(given).resolve()) if Path(given).is_dir() else given
    except (OSError, ValueError):
        return given


@named()
@from_database
@limited(20, "how many messages")
@option("--before", metavar="N", type=number, help="those before the message of that number")
@json_option("the messages as data, whole")
def messages(options: Options) -> int:
    """Print messages of a session as a transcript, the last ones; long texts are cut, and say so.

    SESSION is an id, its beginning, or `last`.
    """
    from hud_runtime.history._shown import shown_page

    with opened(options) as history:
        page = history.messages(options.session, limit=limit_of(options), before=options.before)
    return tell(options, page, lambda: shown_page(page))


@argument("message", metavar="MESSAGE", help="its id")
@from_database
@json_option("the message as data")
def show_message(options: Options) -> int:
    """Print one message, with all its parts, whole."""
    from hud_runtime.history._shown import shown_message

    with opened(options) as history:
        found = history.message(options.message)
    return tell(options, found, lambda: shown_message(found))


@argument("query", metavar="WORD", nargs=-1, required=True, help="a word, or a part of one")
@from_database
@option("--session", metavar="ID", help="in one session alone")
@limited(20, "how many")
@option("--after", metavar="N", type=number, default=0, help="pass over so many (default: 0)")
@json_option("what was found as data")
def search_history(options: Options) -> int:
    """Find messages by their words, the newest first; all words must be there, in any order."""
    from hud_runtime.history._shown import shown_found

    limit, after = limit_of(options), after_of(options)
    with opened(options) as history:
        found = history.search(
            " ".join(options.query), session=options.session, limit=limit, after=after
        )
    return tell(options, found, lambda: shown_found(found, after))


@argument("name", metavar="NAME", required=False, help="print this one: its file's name")
@option(
    "--project", metavar="DIR", default=".", help="the project's folder (default: the current one)"
)
@limited(50, "how many")
@json_option("the plans as data")
def plans(options: Options) -> int:
    """List the plans that agents have written, the last written first, or print one.

    They are the files in `.opencode/plans` of the project's folder and the folders above it, and in `plans` beside
    OpenCode's database.
    """
    from hud_runtime.history import plan, plans
    from hud_runtime.history._shown import shown_plan, shown_plans

    folder = Path(options.project)
    if not folder.is_dir():
        raise UsageError(f"{options.project} is no folder")
    if options.name is None:
        found = plans(folder.resolve(), limit=limit_of(options))
        return tell(options, found, lambda: shown_plans(found))
    one = plan(options.name, folder.resolve())
    return tell(options, one, lambda: shown_plan(one))


@named()
@from_database
@limited(100, "how many")
@json_option("the sessions as data")
def children(options: Options) -> int:
    """List the sessions of a session's subagents, the last used first."""
    from hud_runtime.history._shown import shown_sessions

    with opened(options) as history:
        found = history.children(options.session, limit=limit_of(options))
    return tell(options, found, lambda: shown_sessions(found))


# The context of a past session: how full it was, and what replaced its conversation after each compaction.


@named()
@argument("number", metavar="N", type=number, required=False, help="print this one, counted from 1")
@from_database
@json_option("the compactions as data")
def history_compactions(options: Options) -> int:
    """List the compactions of a session, each with how its summary begins, or print one summary, whole."""
    from hud_runtime.history._shown import checkpoint_of, shown_checkpoint, shown_checkpoints

    with opened(options) as history:
        found = history.compactions(options.session)
    if options.number is None:
        return tell(options, found, lambda: shown_checkpoints(found))
    one = checkpoint_of(found, options.number)
    return tell(options, one, lambda: shown_checkpoint(one, len(found)))


@named()
@from_database
@json_option("the figures as data")
def history_context(options: Options) -> int:
    """Tell how full a session's context was when its model last answered, in exact figures.

    The size of the window is that of the model's name, as the database does not tell it.
    """
    from hud_runtime.history._records import context_data
    from hud_runtime.history._shown import shown_context

    with opened(options) as history:
        use = history.context(options.session)
    return tell(options, context_data(use), lambda: shown_context(use))


# Past sessions of OpenCode side by side, and as files.

FORMS = ("json", "markdown")


@named()
@named("other")
@from_database
@json_option("the figures as data")
def compare(options: Options) -> int:
    """Put two sessions side by side: messages, calls, tokens, the files that each has changed, and where they part."""
    from hud_runtime.history import compare
    from hud_runtime.history._shown import shown_comparison

    with opened(options) as history:
        found = compare(history, options.session, options.other)
    data = {"left": _data(found.left), "right": _data(found.right), "same": found.same}
    return tell(options, data, lambda: shown_comparison(found))


def _data(one: SessionFigures) -> dict[str, Any]:
    from hud_runtime.history._records import data_of

    counts = {name: dict(getattr(one, name)) for name in ("roles", "tools", "models")}
    figures = {
        name: getattr(one, name)
        for name in ("failed", "errors", "compactions", "output", "largest")
    }
    return {"session": data_of(one.session), **counts, **figures, "files": sorted(one.files)}


@named()
@from_database
@option(
    "--as",
    "form",
    metavar="FORM",
    default=FORMS[0],
    help=f"{' or '.join(FORMS)} (default: {FORMS[0]})",
)
@option(
    "--to",
    metavar="FILE",
    help="a new file, which its owner alone can read (default: standard output)",
)
def export_history(options: Options) -> int:
    """Write a session as a transcript: JSON as `opencode export` has it, or Markdown; nothing is cut.

    `ujsx session import` makes a session of the first, and `ujsx replay` shows its HUD.
    """
    form = one_of(options.form, FORMS, "form")
    with opened(options) as history:
        about = history.session(options.session)
        pieces = _pieces(history, about.id, form)
        if options.to is None:
            for piece in pieces:
                put(piece)
            return 0
        with new_file(options.to) as file:
            file.writelines(pieces)
    remark(f'exported "{about.id}" to {options.to}')
    return 0


def _pieces(history: OpenCodeHistory, session: str, form: str) -> Iterator[str]:
    from hud_runtime.history import exported
    from hud_runtime.history._shown import shown_transcript

    if form == "json":
        return exported(history, session)
    return shown_transcript(history.session(session), history.all_messages(session, whole=True))
