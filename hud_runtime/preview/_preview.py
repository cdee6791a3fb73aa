"""A previewed subject, and the process of its own that renders it while its file changes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, cast

import msgspec

from hud_runtime._errors import DomainError, ProjectError, ServeError
from hud_runtime.projects import find_components, find_object, is_of_author, kind_of
from ujsx.errors import quoted

if TYPE_CHECKING:
    from hud_components import Domain, HudSection, State
    from hud_runtime import HudSession, HudStore
    from ujsx import Child, Component
    from ujsx.tools import Operation


# A session of a domain in which every section has content: its example, or generated arguments of
# its operation.

NAME = "example"

ITEMS = 3
"""The number of items in each list."""

USED = 90_000
"""Tokens of the context in every turn's reading: 45 % of it, so that everything may be shown."""

EXAMPLE = "no session is named, so an example of the domain is made up; give --session"
"""The remark on a tree with an example session."""

UNSAID = "…"
"""An example's text if nothing suggests one."""


def example_session(store: HudStore[Any], domain: Domain[Any]) -> HudSession[Any]:
    """Record a made-up session: each section's first operation, with the values of the section's first
    example, or with arguments generated from the operation's schema.

    >>> from hud_components import Domain, NotesSection
    >>> from hud_runtime import HudStore
    >>> desk = Domain("desk", [NotesSection])
    >>> with HudStore.open(":memory:", domain=desk) as store:
    ...     print(example_session(store, desk).hud(density="full").text.splitlines()[2])
    ## Notes
    """
    from hud_runtime.tools import hud_toolset

    session = store.session(NAME)
    operations = hud_toolset(session).operations
    turn = 0
    section: type[HudSection]
    for section in domain.sections:
        names = [
            each.operation for each in domain.section_events.values() if each.section is section
        ]
        first = next((operations[each] for each in names if each in operations), None)
        if first is None:
            continue
        count = 1 if section.kind is None else ITEMS
        made_up = (_arguments(first, 1 + number) for number in range(count))
        for arguments in _exemplary(section, first) or made_up:
            turn += 1
            session.record("context.snapshot", actor="host", used=USED, turn=turn)
            # A refused call leaves its section empty, and reports so.
            if arguments is not None:
                session.call("hud", {"call": {"op": first.name, **arguments}})
    return session


def _exemplary(section: type[HudSection], operation: Operation) -> list[dict[str, Any]]:
    """The operation's arguments for the values of the section's first example; none without one."""
    from pydantic import BaseModel

    from ujsx.components import as_element, examples_of, has_examples

    if not section.prop or not has_examples(section):
        return []
    node = next(iter(examples_of(section).values()))
    value: Any = getattr(as_element(node).component, section.prop)
    values: tuple[Any, ...] = value if section.kind is not None else (value,)
    known = operation.arguments.model_fields
    told = (
        each.model_dump(mode="json", exclude_unset=True)
        for each in values
        if issubclass(type(each), BaseModel)
    )
    return [{name: field for name, field in each.items() if name in known} for each in told]


def _arguments(operation: Operation, number: int) -> dict[str, Any] | None:
    from ujsx.tools import example_arguments

    made = example_arguments(operation)
    fields = operation.arguments.model_fields
    return (
        None
        if made is None
        else {
            name: _text(fields[name].description or name, number)
            if value == UNSAID and name in fields
            else value
            for name, value in made.items()
        }
    )


def _text(description: str, number: int) -> str:
    sentence = description.partition(". ")[0].rstrip(".")
    return sentence if number == 1 else f"{sentence} ({number})"


# An object of an author's code, in a module or a file, as a tree or a domain.

SHOWN = "a component, an element, a function that returns one, or a Domain"
"""The objects of an author's code that can be previewed."""


def load(name: str) -> Any:
    """Return the object of an author's code with a name, which is also searched in the working folder.

    :raises ProjectError: for a module without such an object.
    :raises Exception: anything that the author's code raises.
    """
    # A cached bytecode file is valid for a source written within the same second.
    sys.dont_write_bytecode = True
    return find_object(name, folder=Path.cwd())


def shown_of(found: object, name: str) -> Domain[Any] | Child:
    """Return the domain or tree of an author's object.

    :raises ProjectError: for any other object, with the accepted ones.
    """
    from hud_components import Domain
    from ujsx import Component, Element

    if isinstance(found, type) and issubclass(found, Component):
        return _without_props(found, name)
    shown = (Domain, Component, Element, str, list, tuple)
    made: Any = cast("Any", found) if isinstance(found, shown) else _called(found, name)
    if isinstance(made, Domain):
        return made  # pyright: ignore[reportUnknownVariableType]
    if isinstance(made, Component | Element | str | list | tuple):
        return cast("Child", made)
    what = kind_of(found if isinstance(found, type) else made)
    raise ProjectError(f"{name} is {what}, which cannot be shown; name {SHOWN}")


def _called(found: Any, name: str) -> Any:
    if not callable(found):
        return found
    try:
        signature(found).bind()
    except TypeError as error:
        raise ProjectError(f"{name} cannot be called without arguments: {error}") from None
    except ValueError:  # for functions written in C
        pass
    return found()


def _without_props(component: type[Component], name: str) -> Child:
    from ujsx.components import examples_of, has_examples
    from ujsx.errors import PropError

    if has_examples(component):
        return next(iter(examples_of(component).values()))
    try:
        return component()
    except PropError as error:
        raise ProjectError(
            f"{name} needs props: {error}; declare examples in its class, or name an element of it, such as"
            f" example = {name.rpartition(':')[2]}(…)"
        ) from None


def files_of(modules: Iterable[str]) -> list[str]:
    """Return those files of modules that are the author's."""
    files = (getattr(sys.modules.get(each), "__file__", None) for each in modules)
    return sorted({each for each in files if each is not None and is_of_author(each)})


Asked = Literal[
    "view",
    "rungs",
    "change",
    "node",
    "trees",
    "events",
    "deliveries",
    "schema",
    "cost",
    "stamp",
    "ahead",
]
"""The questions that the process with a subject answers."""


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """The previewed subject: a tree, a session, or a tree that shows a session.

    Without a tree a session is shown as its agent sees it; without a session a tree shows an example of the domain that is
    named, or an empty one.

    >>> Subject("hud.md", layout="hud.md").is_live
    False
    """

    name: str
    """The name that the user gave."""

    layout: str | None = None
    """A layout's file: Markdown with tags, or a tree as JSON."""

    object: str | None = None
    """An object of an author's code: ``package.module:NAME`` or ``folder/file.py:NAME``."""

    gallery: str | None = None
    """A file of an author's code, whose components show their examples."""

    transcript: str | None = None
    """An agent's transcript, or an exported session."""

    store: str | None = None
    session: str | None = None
    """A session of a store, by its id."""

    domain: str | None = None
    """The domain, ``package.module:NAME``, or another name of an object; None for the coding HUD's."""

    domain_folder: str | None = None
    """The folder in which a person typed the domain's name, where its module is also searched."""

    modules: tuple[str, ...] = ()
    """The modules with components for the layout: ``package.module`` or a file."""

    @property
    def is_live(self) -> bool:
        """True if other processes may write to the shown session."""
        return self.session is not None

    @property
    def shows_nobodys(self) -> bool:
        """True if neither a session nor a domain is named: an empty state of the coding HUD is shown."""
        return self.transcript is None and self.session is None and self.domain is None

    @property
    def shows_example(self) -> bool:
        """True if a domain is named and no session: an example of the domain is made up."""
        return self.transcript is None and self.session is None and self.domain is not None

    @property
    def files(self) -> list[str]:
        """The files that it names, existing or not; their own dependencies are known once they are read."""
        named = [self.layout, self.gallery, self.transcript]
        found = [str(Path(each).resolve()) for each in named if each is not None]
        typed = [self.object, self.domain if self.domain_folder is not None else None]
        places = [(each or "").rpartition(":")[0] for each in typed]
        for place in dict.fromkeys([*places, *self.modules]):
            if place.endswith(".py"):
                found.append(str(Path(place).resolve()))
            elif place:
                module = Path.cwd().joinpath(*place.split("."))
                found += [f"{module}.py", str(module / "__init__.py")]
        return found


class PreviewLook(msgspec.Struct, frozen=True, omit_defaults=True):
    """The amount shown of a subject, and the turn.

    >>> PreviewLook(density="compact", turn=7)
    PreviewLook(turn=7, density='compact', budget=None)
    """

    turn: int | None = None
    """The turn after which it is shown; None for the last one."""

    density: str | None = None
    """The density's name; None for the one chosen by the context's pressure."""

    budget: int | Literal["off"] | None = None
    """The budget in tokens; "off" for none; None for the one of the density and the level."""


class Frame(msgspec.Struct, frozen=True):
    """A call that an error went through."""

    file: str
    line: int
    function: str
    source: str
    """The line in the file."""


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a subject cannot be shown, and where that is.

    >>> print(Fault("hud.md: unknown tag", file="hud.md", line=3, column=18))
    hud.md:3:18: hud.md: unknown tag
    """

    message: str
    kind: str = ""
    """The class of the error, if an author's code raised it."""

    file: str | None = None
    line: int | None = None
    column: int | None = None

    excerpt: str = ""
    """The line, and a mark under the column."""

    frames: tuple[Frame, ...] = ()
    """The author's own calls, the last one at the end."""

    def __str__(self) -> str:
        place = [str(each) for each in (self.file, self.line, self.column) if each is not None]
        kind = f"{self.kind}: " if self.kind else ""
        return f"{':'.join(place)}: {kind}{self.message}" if place else f"{kind}{self.message}"


# A loaded subject: a session, and the tree that shows it.

TREES = ".json"
"""The suffix of layouts that are trees as JSON, and not Markdown."""

EMPTY = "preview"
"""The name of the session of a tree without one."""


class PreviewSource(NamedTuple):
    """The loaded content, and its source."""

    session: HudSession[Any]
    tree: Child
    """None if the session is shown as its agent sees it."""
    files: tuple[str, ...]
    """The files that were read, which may change."""
    is_tree_alone: bool
    """True if the tree has no session of its own, so that there are no turns."""
    notes: tuple[str, ...] = ()
    """Remarks on parts that could not be read."""


def loaded(subject: Subject, held: ExitStack) -> PreviewSource:
    """Load a subject.

    :param held: closes the open resources.
    :raises Exception: for a subject that cannot be read; it may be the author's own error.
    """
    from hud_components import Domain

    before = frozenset(sys.modules)
    domain = _domain(subject)
    tree: Child = None
    own = None
    if subject.object is not None:
        found = shown_of(load(subject.object), subject.object)
        own = found if isinstance(found, Domain) else None
        tree = None if isinstance(found, Domain) else found
        if isinstance(tree, str):  # a session would take a text for a file's name
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
    return PreviewSource(session, tree, tuple(dict.fromkeys(files)), is_alone, tuple(notes))


def read_tree(path: Path, state: type[State], own: Iterable[type[Component]] = ()) -> Child:
    """Return the tree of a layout's file: Markdown with tags, or the data of a tree.

    :raises UjsxError: for an invalid layout, with the first error.
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
        raise ProjectError(f"{subject.domain} is {kind_of(found)}, not a Domain")
    return found  # pyright: ignore[reportUnknownVariableType]


def _session(
    subject: Subject, domain: Domain[Any], held: ExitStack, *, is_example: bool
) -> tuple[HudSession[Any], list[str]]:
    from hud_runtime import HudStore
    from hud_runtime.history.exchange import replayed
    from hud_runtime.session import settings_beside
    from hud_runtime.session._hud_store import open_log

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


# The process that loads a subject, restarted when it hangs or its file changes.

# The other end of that process: sends questions, waits for answers, and ends it.

LOADING = 60.0
"""Maximum seconds for loading a subject, including its code's imports."""

ANSWERING = 30.0
"""Maximum seconds for an answer."""

URGENT: frozenset[Asked] = frozenset({"view"})
"""Questions for which somebody waits: the process interrupts others for them."""

OF_A_LOOK: frozenset[Asked] = frozenset({"change", "rungs", "node"})
"""Questions that are obsolete once a slider was moved."""

HURRY = json.dumps({"what": "hurry"})
"""The message that announces an urgent question."""

COMMAND = (sys.executable, "-P", "-m", "hud_runtime.preview._process")


class FaultError(Exception):
    """An error of a subject, reported by its process."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class _Received(msgspec.Struct):
    """A line of a process's answer. The answer itself is passed on unparsed."""

    answer: msgspec.Raw = msgspec.Raw(b"null")
    fault: Fault | None = None
    files: tuple[str, ...] = ()

    stepped_aside: bool = False
    """Whether it interrupted the question for an urgent one."""


class _SteppedAsideError(Exception):
    """A process interrupted a question for an urgent one."""


class LeftError(Exception):
    """A question was dropped, as somebody now looks at something else."""


class Worker:
    """A process with a loaded subject.

    :param loading: maximum seconds for loading the subject.
    :param answering: maximum seconds for an answer.
    """

    def __init__(
        self, subject: Subject, *, loading: float = LOADING, answering: float = ANSWERING
    ) -> None:
        self._answering = answering
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._turn = threading.Lock()
        self._others = threading.Condition()
        self._urgent = 0
        self._looked_at: PreviewLook | None = None
        self.files: tuple[str, ...] = ()
        """The files that were read, or would be."""
        self.fault: Fault | None = None
        """The error of loading the subject."""
        self._send(msgspec.json.encode(subject).decode())
        try:
            opening = self._received(loading)
            self.files, self.fault = opening.files, opening.fault
        except FaultError as error:
            self.fault = error.fault
        if self.fault is not None:
            self.end()

    @property
    def is_there(self) -> bool:
        """True if it can answer."""
        return self._process.poll() is None

    def ask(
        self, what: Asked, look: PreviewLook | None = None, more: Mapping[str, object] | None = None
    ) -> bytes:
        """Return the answer to a question, as JSON.

        :raises FaultError: for a question that it cannot answer. A process without a timely answer is ended.
        :raises LeftError: for a question about a look, once somebody looks at another.
        """
        if what not in URGENT:
            return self._at_leisure(what, look, more)
        with self._others:
            self._urgent += 1
            self._looked_at = look
            if self._turn.locked():
                self._send(HURRY)
        try:
            with self._turn:
                return self._asked(what, look, more)
        finally:
            with self._others:
                self._urgent -= 1
                self._others.notify_all()

    def _at_leisure(
        self, what: Asked, look: PreviewLook | None, more: Mapping[str, object] | None
    ) -> bytes:
        """Ask a question that is not urgent, and repeat it after interruptions.

        A question about an earlier look would only delay those about the current one.
        """
        begun = self._looked_at
        while True:
            with self._others:
                self._others.wait_for(lambda: not self._urgent)
                looked_at = self._looked_at
            if what in OF_A_LOOK and looked_at not in (begun, look):
                raise LeftError
            with self._turn, suppress(_SteppedAsideError):
                return self._asked(what, look, more)

    def is_busy(self) -> bool:
        """Return whether a question is being answered."""
        return self._turn.locked()

    def _asked(
        self, what: Asked, look: PreviewLook | None, more: Mapping[str, object] | None
    ) -> bytes:
        data = {
            "what": what,
            "look": msgspec.to_builtins(look or PreviewLook()),
            "more": dict(more or {}),
        }
        self._send(json.dumps(data))
        received = self._received(self._answering)
        if received.fault is not None:
            raise FaultError(received.fault)
        if received.stepped_aside:
            raise _SteppedAsideError
        return bytes(received.answer)

    def retire(self) -> None:
        """End the process after its current answer."""
        with self._turn:
            self.end()

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # unsent data is obsolete
            self._process.stdin.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        try:  # each thread writes whole lines
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):  # it is gone; the missing answer is reported
            return

    def _received(self, seconds: float) -> _Received:
        try:
            line = self._lines.get(timeout=seconds)
        except Empty:
            self.end()
            raise FaultError(
                Fault(
                    f"it took longer than {seconds:g} seconds, so it was stopped; is there a loop"
                    " without an end?"
                )
            ) from None
        if not line:
            status = self._process.wait()
            raise FaultError(Fault(f"its process ended by itself, with the status {status}"))
        return msgspec.json.decode(line, type=_Received)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._lines.put(line)
        self._lines.put(b"")


PAUSE = 0.3
"""Seconds between two checks for changes."""

_Stamp = tuple[tuple[int, int] | None, ...]


class Preview:
    """A subject, loaded in a process of its own, and reloaded when one of its files changes.

    Thread-safe. Close it, or use it as a context manager.

    :param loading: maximum seconds for loading the subject.
    :param answering: maximum seconds for an answer.
    """

    def __init__(
        self, subject: Subject, *, loading: float = LOADING, answering: float = ANSWERING
    ) -> None:
        self.subject = subject
        self._patience = {"loading": loading, "answering": answering}
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._files: tuple[str, ...] = ()
        self._stamp: _Stamp = ()
        self._version: object = None
        self._is_closed = False
        self.revision = 0
        """A number that changes whenever the content may have changed."""
        self.fault: Fault | None = None
        """The current error of the subject; None if the subject is shown."""
        self._load()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def has_shown(self) -> bool:
        """True if there is a good rendering, current or earlier."""
        return self._worker is not None

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._is_closed = True
            if self._worker is not None:
                self._worker.end()

    def poll(self) -> bool:
        """Check for changes, reload the subject if there are some, and return whether there were."""
        before = self.revision
        if _stamp(self._files) != self._stamp:
            self._load()
        worker = self._worker
        if worker is not None and worker.is_there and self.subject.is_live and not worker.is_busy():
            with suppress(FaultError):  # the next question gets the error
                version = worker.ask("stamp")
                if version != self._version:
                    self._version = version
                    self.revision += 1
        return self.revision != before

    def ask(self, what: Asked, look: PreviewLook | None = None, **more: object) -> Any:
        """Return the answer of the subject's process, as data.

        :raises FaultError: as :meth:`answer` does.
        """
        return json.loads(self.answer(what, look, **more))

    def answer(self, what: Asked, look: PreviewLook | None = None, **more: object) -> bytes:
        """Return the answer of the subject's process, as JSON.

        :raises FaultError: for a subject that cannot be shown. The next question restarts a stopped process.
        :raises LeftError: for a question that was dropped, as somebody now looks at something else.
        """
        while True:
            worker = self._standing()
            try:
                return worker.ask(what, look, more)
            except FaultError:
                if worker is self._worker or self._is_closed:
                    raise  # a process that was replaced meanwhile could not answer

    def _standing(self) -> Worker:
        worker = self._worker
        if worker is None:
            raise FaultError(self.fault or Fault("nothing is shown yet"))
        if not worker.is_there:
            self._load(instead_of=worker)
            worker = self._worker
            assert worker is not None
            if not worker.is_there:
                raise FaultError(self.fault or Fault("its process ended"))
        return worker

    def _load(self, instead_of: Worker | None = None) -> None:
        """Load the subject; after an error, the previous process continues.

        :param instead_of: the process to replace, unless another thread has replaced it.
        """
        with self._lock:
            if self._is_closed or (instead_of is not None and self._worker is not instead_of):
                return
            stamp = _stamp(self._files)
            made = Worker(self.subject, **self._patience)
            self.fault = made.fault
            if made.fault is None:
                former, self._worker = self._worker, made
                if former is not None:
                    former.retire()
                self._files = made.files
            else:  # the files read before may contain the repair
                self._files = tuple(dict.fromkeys([*self._files, *made.files, *self.subject.files]))
            # A file that was changed meanwhile has another stamp, and is read again.
            known = (
                dict(zip(self._files, stamp, strict=False))
                if len(stamp) == len(self._files)
                else {}
            )
            now = _stamp(self._files)
            self._stamp = tuple(
                known.get(name, at) for name, at in zip(self._files, now, strict=True)
            )
            self._version = None
            self.revision += 1


def look_of(given: Mapping[str, str]) -> PreviewLook:
    """Return the look of an address's, or a command's, parameters.

    :raises ValueError: for a turn or a budget that is not a number.
    :raises RenderError: for a budget below 0.

    >>> look_of({"turn": "3", "budget": "off"})
    PreviewLook(turn=3, density=None, budget='off')
    """
    from ujsx.rendering import token_budget

    turn, budget = given.get("turn"), given.get("budget")
    return PreviewLook(
        None if not turn else int(turn),
        given.get("density") or None,
        None if not budget else "off" if budget == "off" else token_budget(int(budget)),
    )


def _stamp(files: tuple[str, ...]) -> _Stamp:
    return tuple(map(_of_file, files))


def _of_file(name: str) -> tuple[int, int] | None:
    try:
        status = Path(name).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


NEEDED = ("starlette", "uvicorn")
"""The modules of the extra."""


def check_extra() -> None:
    """Check that the extra is installed.

    :raises ServeError: if it is not, with the command that installs it.
    """
    missing = [each for each in NEEDED if find_spec(each) is None]
    if missing:
        raise ServeError(
            f"there is no module {' and no module '.join(missing)}; install the extra with: pip install"
            " 'ujsx[preview]' (ujsx preview SUBJECT --to report.html needs none)"
        )
