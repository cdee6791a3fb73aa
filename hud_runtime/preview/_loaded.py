"""A subject that was read: a session, and the tree that shows it."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hud_runtime._errors import DomainError, ProjectError
from hud_runtime.preview._objects import files_of, load, shown_of
from hud_runtime.preview._subject import Subject
from hud_runtime.projects import find_components, find_object, kind_of
from ujsx.errors import quoted

if TYPE_CHECKING:
    from hud_components import Domain, State
    from hud_runtime import HudSession
    from ujsx import Child, Component

TREES = ".json"
"""How the names of layouts end that are trees as JSON, and not Markdown."""

EMPTY = "preview"
"""The name of the session that a tree shows where none is named."""


class Loaded(NamedTuple):
    """What is shown, and what it was read from."""

    session: HudSession[Any]
    tree: Child
    """None where the session is shown as its agent sees it."""
    files: tuple[str, ...]
    """The files that it was read from, which may change."""
    is_tree_alone: bool
    """Whether the tree has no session of its own, so that there are no turns."""
    notes: tuple[str, ...] = ()
    """What of it could not be read."""


def loaded(subject: Subject, held: ExitStack) -> Loaded:
    """Read a subject.

    :param held: closes what stays open meanwhile.
    :raises Exception: for what cannot be read; it may be the author's own.
    """
    from hud_components import Domain
    from hud_runtime.preview._example import EXAMPLE

    before = frozenset(sys.modules)
    domain = _domain(subject)
    tree: Child = None
    own = None
    if subject.object is not None:
        found = shown_of(load(subject.object), subject.object)
        own = found if isinstance(found, Domain) else None
        tree = None if isinstance(found, Domain) else found
        if isinstance(tree, str):  # a session takes no text for a layout: it may be a file's name
            tree = [tree]
    of: Domain[Any] = domain if own is None else own
    is_example = own is not None or subject.shows_example
    session, notes = _session(subject, of, held, is_example=is_example)
    known: State = session.known
    state = type(known)
    if subject.layout is not None:
        tree = read_tree(
            Path(subject.layout), state, (*of.components, *_components(subject.modules))
        )
    files = [*files_of(sys.modules.keys() - before), *subject.files]
    if is_example and tree is not None:
        notes.append(EXAMPLE)
    has_session = is_example or subject.transcript is not None or subject.session is not None
    is_alone = tree is not None and not has_session
    return Loaded(session, tree, tuple(dict.fromkeys(files)), is_alone, tuple(notes))


def read_tree(path: Path, state: type[State], own: Iterable[type[Component]] = ()) -> Child:
    """Return the tree of a layout's file: Markdown with tags, or the data of a tree.

    :raises UjsxError: for what is no layout; of several mistakes the first is told.
    """
    from hud_components import check_layout
    from hud_runtime._layout_components import layout_components
    from hud_runtime.session import file_text, tree_of_data
    from ujsx import read_layout

    text, known = file_text(path), layout_components(state) | tuple(own)
    if path.suffix.lower() == TREES:
        return tree_of_data(text, str(path), known)
    for mistake in check_layout(text, known, state=state):
        raise mistake
    return read_layout(text, known)


def _components(modules: Iterable[str]) -> tuple[type[Component], ...]:
    found = (each for name in modules for each in find_components(name, folder=Path.cwd()))
    return tuple(dict.fromkeys(found))


def _domain(subject: Subject) -> Domain[Any]:
    from hud_components import CODING, Domain

    if subject.domain is None:
        return CODING
    folder = None if subject.domain_folder is None else Path(subject.domain_folder)
    found = find_object(subject.domain, folder=folder)
    if not isinstance(found, Domain):
        raise ProjectError(f"{subject.domain} is {kind_of(found)}, and no Domain")
    return found  # pyright: ignore[reportUnknownVariableType]


def _session(
    subject: Subject, domain: Domain[Any], held: ExitStack, *, is_example: bool
) -> tuple[HudSession[Any], list[str]]:
    from hud_runtime import HudStore
    from hud_runtime.exchange._replayed import replayed
    from hud_runtime.preview._example import example_session
    from hud_runtime.session import settings_beside
    from hud_runtime.session._open_log import open_log

    if subject.transcript is not None:
        with _domain_at_hand():
            found = held.enter_context(replayed(Path(subject.transcript), domain=domain))
        notes = [*map(str, found.problems), found.not_understood, found.others]
        return found.session, [*filter(None, notes)]
    if subject.session is not None:
        assert subject.store is not None
        log = open_log(subject.store, read_only=True)
        held.callback(log.close)
        if not log.head(subject.session).version:
            raise ProjectError(f"{log.place} has no session {quoted(subject.session)} any more")
        settings = settings_beside(subject.store)
        with _domain_at_hand():
            store = HudStore(
                log, domain=domain, settings=settings, components=_components(subject.modules)
            )
            session = store.session(subject.session)
            session.refresh()
        return session, []
    store = held.enter_context(HudStore.open(":memory:", domain=domain, clock=lambda: 0))
    return (example_session(store, domain) if is_example else store.session(EMPTY)), []


@contextmanager
def _domain_at_hand() -> Generator[None]:
    try:
        yield
    except DomainError as error:
        advice = (
            "; name it: --domain package.module:NAME or file.py:NAME" if error.is_missing else ""
        )
        raise ProjectError(f"{error.what}{advice}") from None
