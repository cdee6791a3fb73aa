"""Past sessions of OpenCode side by side, and as files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hud_runtime.cli._arguments import define_json, one_of
from hud_runtime.cli._files import new_file
from hud_runtime.cli._history import define_database, define_named, opened, tell
from hud_runtime.cli._output import put, remark

if TYPE_CHECKING:
    from hud_runtime.history import Figures, OpenCodeHistory

FORMS = ("json", "markdown")


class Compare:
    """Put two sessions side by side: messages, calls, tokens, the files that each has changed, and where they part."""

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the two."""
        define_named(parser)
        define_named(parser, "other")
        define_database(parser)
        define_json(parser, "the figures as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.history import compare
        from hud_runtime.history._shown_comparison import shown_comparison

        with opened(options) as history:
            found = compare(history, options.session, options.other)
        data = {"left": _data(found.left), "right": _data(found.right), "same": found.same}
        return tell(options, data, lambda: shown_comparison(found))


def _data(one: Figures) -> dict[str, Any]:
    from hud_runtime.history._records import data_of

    counts = {name: dict(getattr(one, name)) for name in ("roles", "tools", "models")}
    figures = {
        name: getattr(one, name)
        for name in ("failed", "errors", "compactions", "output", "largest")
    }
    return {"session": data_of(one.session), **counts, **figures, "files": sorted(one.files)}


class Export:
    """Write a session as a transcript: JSON as `opencode export` has it, or Markdown; nothing is cut.

    `ujsx session import` makes a session of the first, and `ujsx replay` shows its HUD.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the session, and what it becomes."""
        define_named(parser)
        define_database(parser)
        parser.add_argument(
            "--as",
            dest="form",
            metavar="FORM",
            default=FORMS[0],
            help=f"{' or '.join(FORMS)} (default: %(default)s)",
        )
        parser.add_argument(
            "--to",
            metavar="FILE",
            help="a new file, which its owner alone can read (default: standard output)",
        )

    @staticmethod
    def run(options: Namespace) -> int:
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
