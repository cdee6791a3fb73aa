"""The session whose state a command shows: a transcript, or one of a store, at any of its turns."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hud_runtime._errors import TranscriptError
from hud_runtime.cli._arguments import UsageError, number, turn_of
from hud_runtime.cli._domain import domain
from hud_runtime.cli._files import STANDARD_INPUT, is_there, on_disk
from hud_runtime.cli._shown_hud import with_problems
from hud_runtime.cli._stored import Stored, define_named, define_store
from hud_runtime.cli._target import Target, check_is_session, is_layout, session_in_store

if TYPE_CHECKING:
    from hud_components import Domain, HudState
    from hud_runtime.exchange._replayed import Replayed
    from hud_runtime.observation import Problem
    from ujsx import RenderContext


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session at one of its turns."""

    name: str
    """Its id, or the transcript's file."""

    state: HudState
    turn: int
    turns: int
    """The last turn."""

    now: int | None = None
    """What time it is, in milliseconds since the epoch, for the present of a session that goes on.
    The past, and a transcript, are as old as they are: their HUD tells no age."""

    problems: tuple[Problem, ...] = ()
    """What of a transcript could not be read or recorded."""

    not_understood: str = ""
    """What of a transcript was recognised and not understood, in a line; empty for nothing."""

    others: str = ""
    """Which other sessions there are in a transcript's file, in a line; empty for none."""

    @property
    def place(self) -> list[str]:
        """The turn and the number of turns, and what is missing from it; in lines."""
        lines = with_problems(f"turn {self.turn} of {self.turns}", self.problems)
        others = f"{self.others}; --of ID reads it" if self.others else ""
        return [*lines, *filter(None, (self.not_understood, others))]

    @property
    def context(self) -> RenderContext:
        """The context that a layout is rendered in: the state, the session's words, and the time."""
        from hud_components import Now
        from hud_components.layout import context_of

        context = context_of(self.state).with_value(self.state)
        return context if self.now is None else context.with_value(Now(self.now))

    @classmethod
    def nobodys(cls) -> ShownSession:
        """Return what is shown where no session is named: nothing, in the domain that is asked for."""
        return cls("", domain().state(), 0, 0)


def define_session(parser: ArgumentParser, *, what: str, required: bool = False) -> None:
    """Add the options that name a session and a turn of it.

    :param what: what the session is to the command.
    :param required: whether the command is about it; then it may also be given by its place.
    """
    if required:
        define_named(parser, metavar="FILE_OR_ID", what=what)
    else:
        parser.add_argument("--session", metavar="FILE_OR_ID", help=what)
    define_store(parser)
    parser.add_argument(
        "--turn",
        metavar="N",
        type=number,
        help="the turn after which it is shown, 0 for before the first (default: the last)",
    )


def example_of(own: Domain[Any]) -> ShownSession:
    """Return a made-up session of a domain, as a preview shows it."""
    from hud_runtime import HudStore
    from hud_runtime.preview import example_session

    with HudStore.open(":memory:", domain=own, clock=lambda: 0) as store:
        session = example_session(store, own)
        return ShownSession(session.id, session.state(), session.turn, session.turn)


def named_session(options: Namespace) -> ShownSession | None:
    """Return the session that the options name, or ``None``.

    :raises UsageError: as :func:`shown_session` does, and for a store or a turn of no session.
    """
    if options.session is not None:
        return shown_session(options.session, options.store, options.turn)
    for name in ("store", "turn"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} needs --session, a transcript or the id of a session")
    return None


def shown_session(name: str, store: str | None, turn: int | None) -> ShownSession:
    """Return the session of that name, after a turn.

    A file is a transcript or an exported session, unless a store is named; everything else is looked up in a store.

    :param store: the store's file; the default one when ``None``.
    :param turn: the last one when ``None``.
    :raises UsageError: if there is no such session, or no such turn in it.
    """
    if session_target(name, store).kind == "recording":
        return of_recording(name, turn)
    with session_in_store(name, store) as (stored, session_id):
        return _of_store(stored, session_id, turn)


def session_target(name: str, store: str | None) -> Target:
    """Return what the name of a session stands for: a file that recorded it, or one in a store.

    :raises UsageError: for a name that is no session's at all.
    """
    check_is_session(name)
    if store is None and (
        name == STANDARD_INPUT or (is_there(name, Path.exists) and not is_there(name, Path.is_dir))
    ):
        return Target(name, "recording")
    return Target(name, "session")


@contextmanager
def recording(name: str, session: str | None = None) -> Generator[Replayed]:
    """Replay a transcript or an exported session; its file may be - for standard input, or a folder.

    :param session: the id of one, in a transcript that has several; the newest when ``None``.
    :raises UsageError: for a layout.
    :raises UjsxError: for what else is no recorded session.
    """
    from hud_components import CODING
    from hud_runtime.exchange._replayed import is_log, replayed

    folder = name != STANDARD_INPUT and is_there(name, Path.is_dir)
    with ExitStack() as held:
        path = Path(name) if folder else held.enter_context(on_disk(name))
        # No project is asked where nothing follows from it.
        own = domain() if is_log(path) else CODING
        try:
            found = held.enter_context(replayed(path, session, domain=own))
        except TranscriptError:
            if name != STANDARD_INPUT and is_layout(name):
                raise UsageError(
                    f"{name} is a layout, and no session; `ujsx render {name}` and `ujsx preview {name}` show it, "
                    "with --session FILE_OR_ID of a session; a HUD's Markdown is such a text, and no session either"
                ) from None
            raise
        yield found


def of_recording(name: str, turn: int | None, session: str | None = None) -> ShownSession:
    """Return a recorded session, after a turn.

    :param session: as :func:`recording` takes it.
    :raises UsageError: as :func:`shown_session` does.
    """
    check_is_session(name)
    with recording(name, session) as found:
        turn = turn_of(turn, found.turns)
        state = found.state(turn)
        return ShownSession(
            name,
            state,
            turn,
            found.turns,
            problems=found.problems,
            not_understood=found.not_understood,
            others=found.others,
        )


def _of_store(stored: Stored, session_id: str, turn: int | None) -> ShownSession:
    from hud_runtime import At

    session = stored.opened(session_id)
    state = session.state()
    if turn is None:
        return ShownSession(session.id, state, session.turn, session.turn, session.now())
    turn = turn_of(turn, session.turn)
    return ShownSession(session.id, session.state(at=At.turn(turn)), turn, session.turn)
