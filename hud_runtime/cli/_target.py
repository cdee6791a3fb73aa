"""Named subjects: layouts, components, sessions, and the amount shown of them."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from hud_runtime._errors import ProjectError, TranscriptError
from hud_runtime._layout_components import components
from hud_runtime._location import default_path
from hud_runtime.cli._commands import Options, UsageError, domain, own_components, turn_of, typed_in
from hud_runtime.cli._stored import (
    STANDARD_INPUT,
    OpenStore,
    existing,
    file_near,
    is_there,
    on_disk,
    read_text,
    reading,
)
from hud_runtime.projects import (
    CODE,
    FORMS,
    is_object,
    kind_of,
    load_object,
    unnamed,
    with_whole_path,
)
from ujsx.errors import did_you_mean, nearest

if TYPE_CHECKING:
    from hud_components import Domain, HudState, State
    from hud_runtime.history.exchange import SessionReplay
    from hud_runtime.observe import Problem
    from hud_runtime.session import GivenLook
    from ujsx import Child, Component, Density, DensityLike, RenderContext, Rendered

Kind = Literal["layout", "object", "gallery", "recording", "session"]

LAYOUTS = (".md", ".markdown")
"""The suffixes of layouts in Markdown with tags."""

JSON = ".json"
"""The suffix of trees as data; transcripts may have it, too."""

TARGET_FORMS = (
    "a layout (.md, or .json for a tree as data), module:NAME, file.py:NAME, a transcript or an exported "
    "session, or a session's id"
)
"""The forms of a subject's name, for help and errors."""

_NODE = frozenset({"type", "props", "children", "key"})
"""The names of the fields of a tree's node as data."""


class NamedTarget(NamedTuple):
    """The meaning of a name."""

    name: str
    kind: Kind

    @property
    def is_session(self) -> bool:
        """True if it has its own state and turns."""
        return self.kind in {"recording", "session"}


def target_of(name: str, store: str | None = None, *, rendered: bool = True) -> NamedTarget:
    """Return the meaning of a name, without checking that a session exists.

    :param store: the user's store; with one, a file can only be a layout.
    :param rendered: whether an object is rendered, as it is, or in a HUD.
    :raises UsageError: for a missing file, and for a Python file without an object's NAME.

    >>> target_of("acme.huds:layout").kind, target_of("shop").kind
    ('object', 'session')
    """
    if is_object(name):
        place = name.rpartition(":")[0]
        if place.endswith(CODE):
            existing(place)
        return NamedTarget(name, "object")
    if name.endswith(CODE):
        existing(name)
        raise UsageError(unnamed(name, Path.cwd(), rendered=rendered))
    if name == STANDARD_INPUT:
        return NamedTarget(name, "layout")
    is_file = is_there(name, Path.exists) and not is_there(name, Path.is_dir)
    if is_file and is_layout(name):
        return NamedTarget(name, "layout")
    return NamedTarget(name, "recording" if is_file and store is None else "session")


def is_layout(name: str) -> bool:
    """Return whether a file is a layout, by its name, or its content: a tree in JSON, or a tag at its beginning."""
    suffix = Path(name).suffix.lower()
    is_json = suffix == JSON and is_there(name, Path.is_file)  # a pipe can be read only once
    return suffix in LAYOUTS or (_is_tree(read_text(name)) if is_json else _begins_with_tag(name))


def _begins_with_tag(name: str) -> bool:
    """Tell whether a file begins with a tag, as layouts do, and transcripts do not."""
    if not is_there(name, Path.is_file):  # a pipe can be read only once
        return False
    with Path(name).open("rb") as file:
        return file.read(_BEGINNING).lstrip().startswith(b"<")


_BEGINNING = 1_000
"""The bytes in which a file's first character stands."""


def _is_tree(text: str) -> bool:
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and "type" in data and {*data} <= _NODE


def check_is_session(name: str) -> None:
    """Refuse an object of an author's code in place of a session.

    :raises UsageError: for one, with the command that shows it.
    """
    if is_object(name) or name.endswith(CODE):
        named = name if is_object(name) else f"{name}:NAME"
        raise UsageError(
            f"{name} is Python, not a session; `ujsx preview {named}` shows what code makes"
        )


@contextmanager
def session_in_store(name: str, store: str | None) -> Generator[tuple[OpenStore, str]]:
    """Open a session's store for reading, and provide the session's id.

    :param store: the user's store; None for the default one.
    :raises UsageError: if there is no such session, with the nearest name.
    """
    if store is None and not default_path().exists():
        if _is_like_a_path(name):
            existing(name)  # reports the nearest name
        near = file_near(name)
        hint = (
            f'did you mean "{near}"?' if near else "check the path, or name a store: --store FILE"
        )
        what = (
            f"{name} is a folder" if is_there(name, Path.is_dir) else f'there is no file "{name}"'
        )
        raise UsageError(f"{what}, and there is no store with sessions at {default_path()}; {hint}")
    with reading(store) as stored:
        if store is None and _is_like_a_path(name) and stored.find(name) is None:
            existing(name)
        yield stored, stored.id_of(name)


def tree_of(target: NamedTarget, state: type[State]) -> Child | Domain[Any]:
    """Return the tree of a layout or an object, or the object's domain.

    :param state: the class of the shown states, whose domain has the sections for a layout.
    :raises UsageError: for any other name.
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
    """Convert an exception of an author's code to a sentence with its place; our own errors pass.

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


# Components by name or as objects of an author's code, and the error for an unknown one.


FILES = (*LAYOUTS, JSON, ".jsonl")
"""The suffixes of files, which distinguish them from dotted names of modules."""


def component_of(name: str) -> Any:
    """Return the component with a name: a known one, or an object of an author's code.

    :param name: ``DecisionsList``, ``module:NAME``, also as ``module.NAME``, or ``file.py:NAME``.
    :raises UsageError: if there is no such component, with the nearest name.
    :raises ProjectError: as :func:`load_object` does.

    >>> component_of("ujsx.elements:Link") is component_of("Link")
    True
    """
    if is_object(name) or name.endswith(CODE):
        return load_object(target_of(name, rendered=False).name, folder=Path.cwd())
    module, separator, attribute = name.rpartition(".")
    is_file = Path(name).suffix.lower() in FILES
    if separator and not is_file and is_object(f"{module}:{attribute}"):
        return load_object(f"{module}:{attribute}", folder=Path.cwd())
    return _known(name)


def _known(name: str) -> type[Component]:
    known = components()
    if name not in known:
        own = "" if nearest(name, known) else f"; one of your own is named {FORMS}"
        raise UsageError(f'"{name}" is not a component; {did_you_mean(name, known)}{own}')
    return known[name]


# The amount shown of a HUD or a layout, and its report: as data, and as remarks.

NAMED = 5
"""Maximum problems that are reported one by one; ``--json`` has all of them."""


def density_named(name: str | None) -> Density | None:
    """Return the density with a name, or ``None`` without one.

    :raises DensityError: for an unknown name, with the nearest one.

    >>> density_named("compact")
    <Density.COMPACT: 'compact'>
    """
    from ujsx import Density

    return None if name is None else Density.of(cast("DensityLike", name))


def density_asked_for(state: HudState) -> Density:
    """Return the density for the last reading of the context; full without one.

    >>> from hud_components import ContextUsage, HudState
    >>> density_asked_for(HudState(usage=ContextUsage(used=150_000)))
    <Density.COMPACT: 'compact'>
    """
    from hud_components import density_for
    from ujsx import Density

    return Density.FULL if state.usage is None else density_for(state.usage.percentage)


def account(rendered: Rendered, density: Density | None, budget: int | None) -> dict[str, Any]:
    r"""Return a rendering as JSON data.

    :param density: the requested or chosen density; ``None`` if a budget decides.

    >>> from ujsx import Density, render_document
    >>> account(render_document("Port 8080"), Density.FULL, None)["text"]
    'Port 8080\n'
    """
    return {
        "density": density,
        "budget": budget,
        "over_budget": rendered.over_budget,
        "tokens": rendered.tokens,
        "text": rendered.text,
        "sections": [
            {
                "name": each.name,
                "rung": None if each.rung is None else str(each.rung),
                "tokens": each.tokens,
                "start": each.start,
                "end": each.end,
                "fingerprint": each.fingerprint,
            }
            for each in rendered.sections
        ],
        "omitted": [asdict(each) for each in rendered.omitted],
    }


def excess(rendered: Rendered) -> list[str]:
    """Return the remark on a rendering that exceeds its budget, if it does."""
    if not rendered.over_budget:
        return []
    return [f"over the budget: the least that can be shown has {rendered.budgeted} tokens"]


def with_problems(place: str, problems: Sequence[Problem]) -> list[str]:
    """Return the lines with the shown turn, and its missing parts.

    >>> from hud_runtime.observe import Problem
    >>> with_problems("turn 1 of 1", [Problem(6, "not JSON")])
    ['turn 1 of 1, 1 problem: line 6: not JSON']
    """
    if not problems:
        return [place]
    if len(problems) == 1:
        return [f"{place}, 1 problem: {problems[0]}"]
    lines = [f"{place}, {len(problems)} problems:"]
    lines += [f"  {problem}" for problem in problems[:NAMED]]
    if len(problems) > NAMED:
        lines.append(f"  … {len(problems) - NAMED} more; --json has them all")
    return lines


def problems_data(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return the problems as data for ``--json``."""
    return [asdict(each) for each in problems]


# The session whose state a command shows: a transcript, or a store's session, at any turn.


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
    """The current time, in milliseconds since the epoch, for the present of a live session.
    The HUD of a past turn, or of a transcript, shows no age.
    """

    problems: tuple[Problem, ...] = ()
    """Parts of a transcript that could not be read or recorded."""

    not_understood: str = ""
    """Known parts of a transcript that were not understood, in a line; empty for none."""

    others: str = ""
    """The other sessions in a transcript's file, in a line; empty for none."""

    @property
    def place(self) -> list[str]:
        """The turn and the number of turns, and the missing parts, in lines."""
        lines = with_problems(f"turn {self.turn} of {self.turns}", self.problems)
        others = f"{self.others}; --of ID reads it" if self.others else ""
        return [*lines, *filter(None, (self.not_understood, others))]

    @property
    def context(self) -> RenderContext:
        """The context for rendering a layout: the state, the session's words, and the time."""
        from hud_components import Now
        from hud_components.layout import context_of

        context = context_of(self.state).with_value(self.state)
        return context if self.now is None else context.with_value(Now(self.now))

    @classmethod
    def nobodys(cls) -> ShownSession:
        """Return an empty session in the requested domain, for a command without a session."""
        return cls("", domain().state(), 0, 0)


def example_of(own: Domain[Any]) -> ShownSession:
    """Return a made-up session of a domain, as a preview shows it."""
    from hud_runtime import HudStore
    from hud_runtime.preview import example_session

    with HudStore.open(":memory:", domain=own, clock=lambda: 0) as store:
        session = example_session(store, own)
        return ShownSession(session.id, session.state(), session.turn, session.turn)


def named_session(options: Options) -> ShownSession | None:
    """Return the named session, or ``None``.

    :raises UsageError: like :func:`shown_session`, and for a store or a turn without a session.
    """
    if options.session is not None:
        return shown_session(options.session, options.store, options.turn)
    for name in ("store", "turn"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} needs --session, a transcript or the id of a session")
    return None


def shown_session(name: str, store: str | None, turn: int | None) -> ShownSession:
    """Return the session with a name, after a turn.

    Without a named store, a file is a transcript or an exported session; any other name is looked up in a
    store.

    :param store: the store's file; ``None`` for the default one.
    :param turn: the turn; ``None`` for the last one.
    :raises UsageError: if there is no such session, or no such turn in it.
    """
    if session_target(name, store).kind == "recording":
        return of_recording(name, turn)
    with session_in_store(name, store) as (stored, session_id):
        return _of_store(stored, session_id, turn)


def session_target(name: str, store: str | None) -> NamedTarget:
    """Return the meaning of a session's name: a recorded file, or a store's session.

    :raises UsageError: for a name that cannot be a session's.
    """
    check_is_session(name)
    if store is None and (
        name == STANDARD_INPUT or (is_there(name, Path.exists) and not is_there(name, Path.is_dir))
    ):
        return NamedTarget(name, "recording")
    return NamedTarget(name, "session")


@contextmanager
def recording(name: str, session: str | None = None) -> Generator[SessionReplay]:
    """Replay a transcript or an exported session; its file may be - for standard input, or a folder.

    :param session: a session's id, in a transcript with several; ``None`` for the newest.
    :raises UsageError: for a layout.
    :raises UjsxError: for any other file that is not a recorded session.
    """
    from hud_components import CODING
    from hud_runtime.history.exchange import is_log, replayed

    folder = name != STANDARD_INPUT and is_there(name, Path.is_dir)
    with ExitStack() as held:
        path = Path(name) if folder else held.enter_context(on_disk(name))
        # The project is not queried if nothing depends on it.
        own = domain() if is_log(path) else CODING
        try:
            found = held.enter_context(replayed(path, session, domain=own))
        except TranscriptError:
            if name != STANDARD_INPUT and is_layout(name):
                raise UsageError(
                    f"{name} is a layout, not a session; `ujsx render {name}` and `ujsx preview {name}` show it, "
                    "with --session FILE_OR_ID of a session; a HUD's Markdown is such a text, and no session either"
                ) from None
            raise
        yield found


def of_recording(name: str, turn: int | None, session: str | None = None) -> ShownSession:
    """Return a recorded session, after a turn.

    :param session: as for :func:`recording`.
    :raises UsageError: like :func:`shown_session`.
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


def _of_store(stored: OpenStore, session_id: str, turn: int | None) -> ShownSession:
    from hud_runtime import At

    session = stored.opened(session_id)
    state = session.state()
    if turn is None:
        return ShownSession(session.id, state, session.turn, session.turn, session.now())
    turn = turn_of(turn, session.turn)
    return ShownSession(session.id, session.state(at=At.turn(turn)), turn, session.turn)


# The layout and the words of a command.


def name_whole_paths(options: Options) -> None:
    """Replace relative paths of files with absolute ones."""
    for option in ("layout", "words"):
        name = getattr(options, option)
        if name is not None:
            whole = with_whole_path(name) if is_object(name) else os.path.abspath(name)  # noqa: PTH100 - a link stays
            setattr(options, option, whole)


def look_of(options: Options) -> GivenLook:
    """Return the requested layout and words. Files are read later, when a session starts.

    :raises UsageError: for a relative path if a host chooses the folder, and for an object that is neither.
    :raises ProjectError: for a module that is missing or cannot be imported.
    """
    from hud_runtime.session import GivenLook

    layout = None if options.layout is None else _source(options.layout)
    words = None if options.words is None else _source(options.words)
    if layout is not None and not isinstance(layout, Path):
        from hud_runtime.preview import shown_of

        layout = shown_of(layout, str(options.layout))
    if not (words is None or isinstance(words, Path) or hasattr(words, "keys")):
        raise UsageError(f"{options.words} is {kind_of(words)}, and not a mapping of words")
    return GivenLook(cast("Any", layout), words, own_components())


def _source(name: str) -> Any:
    folder = typed_in()
    if is_object(name):
        return load_object(name, folder=folder)
    if folder is None and not Path(name).is_absolute():
        raise UsageError(
            f"a host chooses the folder here: write the whole path of {name}, such as {Path(name).resolve()}"
        )
    return Path(name)
