"""The context of a past session: how full it was, and what replaced its conversation after each compaction."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._arguments import define_json, number
from hud_runtime.cli._history import define_database, define_named, opened, tell


class Compactions:
    """List the compactions of a session, each with how its summary begins, or print one summary, whole."""

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the session, and which of its compactions."""
        define_named(parser)
        parser.add_argument(
            "number", metavar="N", nargs="?", type=number, help="print this one, counted from 1"
        )
        define_database(parser)
        define_json(parser, "the compactions as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.history._shown import checkpoint_of, shown_checkpoint, shown_checkpoints

        with opened(options) as history:
            found = history.compactions(options.session)
        if options.number is None:
            return tell(options, found, lambda: shown_checkpoints(found))
        one = checkpoint_of(found, options.number)
        return tell(options, one, lambda: shown_checkpoint(one, len(found)))


class Context:
    """Tell how full a session's context was when its model last answered, in exact figures.

    The size of the window is that of the model's name, as the database does not tell it.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        """Add the session."""
        define_named(parser)
        define_database(parser)
        define_json(parser, "the figures as data")

    @staticmethod
    def run(options: Namespace) -> int:
        from hud_runtime.history._records import context_data
        from hud_runtime.history._shown import shown_context

        with opened(options) as history:
            use = history.context(options.session)
        return tell(options, context_data(use), lambda: shown_context(use))
