"""The look of a session's HUD: layout, words, and token budget."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast, get_args

from hud_components import THRESHOLDS, ContextUsage, Domain, Look, State
from hud_components.declaring import as_usual, is_layout_text, milliseconds_of, usage_of
from hud_components.folding import with_sections
from hud_components.levels import LARGE_WINDOWS, Threshold, Thresholds
from hud_runtime._errors import EventError, ProjectError, SettingsError, StoreError
from hud_runtime._limits import Limits
from hud_runtime._location import MEMORY, default_path, is_address
from hud_runtime.log.events import EventDraft
from ujsx import Child, Density, fragment
from ujsx.components import as_element
from ujsx.errors import PropError, UjsxError, did_you_mean, quoted, shown

if TYPE_CHECKING:
    from hud_components import Budget, Hud
    from hud_components.words import Remaining
    from hud_runtime.context.compaction import CompactionPolicy
    from hud_runtime.context.delivery import ShownHud
    from hud_runtime.context.pruning import Pruning
    from hud_runtime.log import SessionLog
    from hud_runtime.log.outbox import Outbox
    from ujsx import Component, DensityLike, Element, RenderContext, Rendered, Renderer, Vocabulary
    from ujsx.tokens import TokenCounter

# The layout that the session's agent has set, rendered where permitted and possible.

AgentLayouts: TypeAlias = Literal["offer", "show", "off"]
"""The policy for agents' layouts: "offer" the operations that set one, and render it; only "show" those
already set; or "off".
"""

_log = logging.getLogger("hud_runtime.session")


def checked(choice: str) -> AgentLayouts:
    """Return a valid policy for agents' layouts.

    :raises StoreError: for any other value.

    >>> checked("of")
    Traceback (most recent call last):
    hud_runtime._errors.StoreError: agent_layouts is none of offer, show, off: 'of'; did you mean "off"?
    """
    known: tuple[AgentLayouts, ...] = get_args(AgentLayouts)
    for each in known:
        if each == choice:
            return each
    hint = did_you_mean(str(choice), known)
    raise StoreError(f"agent_layouts is none of {', '.join(known)}: {shown(choice)}; {hint}")


LayoutSource: TypeAlias = "Child | Path"
"""A layout: a tree, Markdown with tags, or the path of a file with Markdown (or a tree as data, ``.json``)."""

WordsSource: TypeAlias = Mapping[str, str] | Path
"""Words by name: a mapping, or the path of a JSON or TOML file."""

TREES = ".json"
"""The suffix of a layout file that holds a tree as data."""


class GivenLook(NamedTuple):
    """A layout and words as a caller passes them, and components for a layout that is text."""

    layout: LayoutSource = None
    words: WordsSource | None = None
    components: tuple[type[Component], ...] = ()

    @property
    def is_given(self) -> bool:
        """True if there is a layout, or words."""
        return self.layout is not None or self.words is not None


def look_of_domain(domain: Domain[Any]) -> GivenLook:
    """Return the default look of a domain's sessions."""
    return GivenLook(domain.layout, domain.words, domain.components)


NO_LOOK = GivenLook()
"""Neither a layout nor words."""

LONGEST_PATH = 255
"""Characters of a text that may be a file's path, and is repeated as one in the error."""


def check_look(layout: object, words: object = None, *, takes_paths: bool = True) -> None:
    """Check that the arguments are a layout and words.

    :param takes_paths: whether a path may replace the layout.
    :raises PropError: with the value to pass instead.
    """
    if isinstance(layout, Domain):
        raise PropError(
            f"a layout is a tree, such as Hud()[…] of sections, not the domain {layout.name}: that is given to the store, "
            "HudStore.open(…, domain=…), and its sessions show its layout by themselves"
        )
    if is_layout_text(layout):
        layout = None
    if isinstance(layout, str) or (isinstance(layout, Path) and not takes_paths):
        raise PropError(_no_tree(str(layout), ", or the Path of its file" if takes_paths else ""))
    if not isinstance(layout, Path):
        _root(layout)
    if words is not None and not isinstance(words, Mapping | Path):
        raise PropError(f"words are a mapping of texts by name, or a Path, not {shown(words)}")


def _no_tree(given: str, other: str) -> str:
    """Return the error for a text in place of a layout: a file's name or content."""
    is_path = len(given) <= LONGEST_PATH and "\n" not in given
    text = f"; write Path({shown(given, width=2 * LONGEST_PATH)}).read_text()" if is_path else ""
    return (
        f"a layout is a tree, such as Hud()[…] of sections{other}, or Markdown with tags, such as <TaskSection/>, not the "
        f"text {shown(given)}{text}"
    )


def read_look(given: Sequence[GivenLook], domain: Domain[Any]) -> tuple[Look | None, list[str]]:
    """Return the look of a new session, and the problems found.

    :param given: looks by rank. The first usable layout wins; words are merged, and earlier ones win.
    """
    problems: list[str] = []
    layouts = (_layout_text(each.layout, given, domain, problems) for each in given)
    layout = next((each for each in layouts if each is not None), None)
    words: dict[str, str] = {}
    for each in reversed(given):
        words |= _words_of(each.words, domain, problems)
    problems = [*dict.fromkeys(problems)]
    if layout is None and not words:
        return None, problems
    told = json.dumps([layout, words], sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
    return Look.model_validate({"layout": layout, "words": words, "digest": digest}), problems


def record_look(
    session: SessionLog[Any],
    given: Sequence[GivenLook],
    say: Callable[[str], object],
    *,
    is_asked: bool = False,
) -> None:
    """Record the look of a session if it has changed.

    :param given: looks by rank, as for :func:`read_look`.
    :param say: called with a sentence for each problem; a session that has a look then keeps it.
    :param is_asked: whether problems of the first look are errors.
    :raises PropError: for such a problem.
    """
    refused: list[str] = []
    if is_asked:
        _layout_text(given[0].layout, given, session.domain, refused)
        _words_of(given[0].words, session.domain, refused)
    if refused:
        raise PropError("\n".join(dict.fromkeys(refused)))
    look, problems = read_look(given, session.domain)
    for each in problems:
        say(each)
    known = session.refresh().look
    if look is None or (problems and known) or (known and known.digest == look.digest):
        return
    try:
        session.record_all([EventDraft("session.look", look.model_dump(), actor="host")])
    except EventError as error:  # a text is too long, or has a secret where those are refused
        if is_asked:
            raise
        say(f"{error}; this layout and these words are not used")


def _layout_text(
    layout: LayoutSource, given: Iterable[GivenLook], domain: Domain[Any], problems: list[str]
) -> str | None:
    from hud_components import check_layout
    from ujsx import write_layout

    if layout is None:
        return None
    name = str(layout) if isinstance(layout, Path) else "the layout"
    known = vocabulary_of(domain.state, own_components(given))
    try:
        if isinstance(layout, Path):
            text = file_text(layout)
            if layout.suffix.lower() == TREES:
                text = write_layout(tree_of_data(text, name, known))
        elif isinstance(layout, str):
            text = layout
        else:
            text = write_layout(_root(layout))
        mistakes = check_layout(text, known, state=domain.state)
    except UjsxError as error:
        told = str(error)
        problems.append(f"{told if name in told else f'{name}: {told}'}; this layout is not shown")
        return None
    for each in mistakes:
        place = f"{name}:{each.line}:{each.column}" if isinstance(layout, Path) else name
        problems.append(f"{place}: {each.message}; this layout is not shown")
    return None if mistakes else text


def _words_of(
    words: WordsSource | None, domain: Domain[Any] | type[State], problems: list[str]
) -> Mapping[str, str]:
    from hud_components.layout import usable_texts

    if words is None:
        return {}
    name = str(words) if isinstance(words, Path) else "the words"
    if isinstance(words, Path):
        try:
            words = words_in(file_text(words), name)
        except UjsxError as error:
            problems.append(f"{error}; these words are not used")
            return {}
    usable, refused = usable_texts(words, domain.sections)
    problems += [f"{name}: {each}; this text is not used" for each in refused]
    return usable


def words_in(text: str, name: str) -> dict[str, str]:
    r"""Return the words in a file's text: a JSON object, or TOML tables.

    :param name: the file's name; its suffix decides the format.
    :raises ProjectError: for invalid JSON or TOML.

    >>> words_in('[notes]\ntitle = "Notizen"', "de.toml"), words_in('{"hud.title": "Lage"}', "de.json")
    ({'notes.title': 'Notizen'}, {'hud.title': 'Lage'})
    """
    import tomllib

    is_toml = name.lower().endswith(".toml")
    try:
        data: object = tomllib.loads(text) if is_toml else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{name} is not {'TOML' if is_toml else 'JSON'}: {error}") from None
    if not isinstance(data, dict):
        raise ProjectError(f"{name}: words are an object, a text for each name, not {shown(data)}")
    return dict(_flat(cast("dict[str, object]", data), ""))


def _flat(table: Mapping[str, object], before: str) -> Iterator[tuple[str, Any]]:
    for name, each in table.items():
        if isinstance(each, dict):
            yield from _flat(cast("dict[str, object]", each), f"{before}{name}.")
        else:
            yield f"{before}{name}", each


def file_text(path: Path) -> str:
    """Return the text of a user's file.

    :raises ProjectError: for a file that cannot be read, is not UTF-8, or is too long.
    """
    limits = Limits.of_environment()
    try:
        found = path.exists(), path.is_file()  # reading a pipe would block
        data: bytes | None = b""
        if all(found):
            with path.open("rb") as file:
                data = limits.whole(file)
    except (OSError, ValueError) as error:
        raise ProjectError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not all(found):
        raise ProjectError(f"{path} {'is not a file' if found[0] else 'does not exist'}")
    if data is None:
        raise ProjectError(f"{path} {limits.refusal('read')}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ProjectError(f"{path} is not UTF-8") from None


def tree_of_data(text: str, name: str, vocabulary: Vocabulary) -> Element:
    """Return the tree of a JSON layout, as ``ujsx.dump`` writes it.

    :param name: the file's name, for errors.
    :raises ProjectError: for invalid JSON.
    :raises UjsxError: for an invalid tree of these components.
    """
    from ujsx import load

    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{name} is not JSON: {error}") from None
    return load(data, vocabulary)


def own_components(given: Iterable[GivenLook]) -> frozenset[type[Component]]:
    """Return the components of looks: the registered ones, and those in trees."""
    looks = [*given]
    found = {own for each in looks for own in each.components}
    pending: list[Any] = [_root(each.layout) for each in looks if not isinstance(each.layout, Path)]
    while pending:
        node = pending.pop()
        if not isinstance(node, str):
            element = as_element(node)
            found.add(type(element.component))
            pending += element.children
    return frozenset(found)


def _root(layout: object) -> Any:
    """Return the root node of any form of child.

    :raises PropError: for what is not a child.
    """
    children = fragment(cast("Any", layout)).children
    return children[0] if len(children) == 1 else fragment(*children)


def check_components(components: Iterable[type[Component]], state: type[State]) -> None:
    """Check that components can be used in a layout of such states.

    :raises UjsxError: for a component that has the name of another.
    """
    if own := tuple(components):
        from hud_runtime._layout_components import layout_components

        _ = layout_components(state) | own


def vocabulary_of(state: type[State], own: Iterable[type[Component]]) -> Vocabulary:
    """Return a layout's vocabulary: the domain's sections, the HUD's components, and your own components."""
    from hud_runtime._layout_components import layout_components

    known = layout_components(state)
    more = [each for each in own if each.__name__ not in known]
    return known | more if more else known


# The rendering of a session's HUD: layout, token budget, and the cache between turns.


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The options of a HUD; :meth:`HudSession.hud` describes each.

    >>> RenderOptions(density="compact").budget is None
    True
    """

    usage: ContextUsage | None = None
    density: DensityLike | None = None
    budget: Budget = None
    now: int | None = None
    previous: Rendered | None = None
    layout: Child = None
    default: Child = None
    agent_layout: bool = True
    pins: bool = True
    on_warning: Callable[[str], object] | None = None
    words: Mapping[str, str] | None = None
    stale_after: int | None = None
    count_tokens: TokenCounter | None = None
    thresholds: Iterable[Threshold] | None = None
    remaining: Remaining | None = None
    """The details that a delivery adds to the words of its request; None for all."""

    def __post_init__(self) -> None:
        usage: object = self.usage
        if not isinstance(usage, ContextUsage | None):
            if self.density is None and isinstance(usage, str) and usage in {*Density}:
                object.__setattr__(self, "density", usage)
                usage = None
            object.__setattr__(self, "usage", usage_of(usage))
        if not isinstance(self.now, int | None):
            object.__setattr__(self, "now", milliseconds_of(self.now))
        if not isinstance(self.words, Mapping | None):
            raise PropError(
                f'words are fixed texts by name, such as {{"hud.title": "Status"}}, not {shown(self.words)}'
            )


NO_WORDS: Mapping[str, str] = MappingProxyType({})
"""The words of a session without its own."""


@dataclass(frozen=True, slots=True)
class _KeptRenderer:
    """The renderer of a session's HUD, with its cache."""

    renderer: Renderer
    process: int
    lock: threading.Lock


class HudRenderer:
    """Renders the HUDs of one session. Threads may share it; a forked process starts with a new renderer."""

    def __init__(self, agent_layouts: AgentLayouts, looks: Iterable[GivenLook] = ()) -> None:
        self.agent_layouts: AgentLayouts = checked(agent_layouts)
        self._own = own_components(looks)
        """The user's components that a layout may use."""
        self._look: tuple[object, Element | None, Mapping[str, str]] | None = None
        self._of_agent: tuple[str, Element[Hud] | UjsxError] | None = None
        self._told: set[str] = set()
        self._plain: tuple[Mapping[str, str], RenderContext] | None = None
        self._checked_words: Mapping[str, str] | None = None
        self._kept: _KeptRenderer | None = None
        self._remaining: Remaining | None = None
        self._last: tuple[State, RenderOptions, Thresholds, ShownHud] | None = None

    def anew(self) -> HudRenderer:
        """Return a new renderer with the same settings and an empty cache."""
        made = HudRenderer(self.agent_layouts)
        made.learn(self._own)
        return made

    def learn(self, own: frozenset[type[Component]]) -> None:
        """Add components that the user's layout may use."""
        self._own |= own
        self._last = None

    def shown(
        self, known: State, look: RenderOptions, table: Thresholds, renderer: Renderer | None = None
    ) -> ShownHud:
        """Render the HUD of a state, and return it with its sources; equal input returns the last result."""
        self._check_words(look, known)
        if renderer is not None or look.on_warning is not None:
            return self._render(known, look, table, renderer)
        last = self._last
        if last is None or last[0] is not known or last[2] is not table or last[1] != look:
            last = self._last = known, look, table, self._render(known, look, table, None)
        return last[3]

    def _render(
        self, known: State, look: RenderOptions, table: Thresholds, renderer: Renderer | None
    ) -> ShownHud:
        from hud_components import Hud, Now, room_for
        from hud_runtime.context.delivery import ShownHud as Shown

        for each in (look.layout, look.default):
            if each is not None:
                check_look(each, takes_paths=False)
        state = known if look.pins else as_usual(known)
        usage = state.usage if look.usage is None else look.usage
        on_warning = self.tell if look.on_warning is None else look.on_warning
        kept, words = self._of_person(known, on_warning)
        own, by_default = look.layout, look.default
        if isinstance(own, str) or isinstance(by_default, str):
            own, by_default = (self._as_tree(each, type(state)) for each in (own, by_default))
        plain = self._context(look, words)
        if table is not THRESHOLDS:
            plain = plain.with_value(table)
        if look.remaining is not None:
            if look.remaining != self._remaining:  # an identical object keeps the cache valid
                self._remaining = look.remaining
            plain = plain.with_value(self._remaining)
        made: list[Shown] = []

        def shown(tree: Child) -> Rendered:
            node, context = tree, plain
            room = room_for(usage, look.density, look.budget, thresholds=table)
            if tree is None:
                node = Hud.of(
                    state, usage=usage, now=look.now, stale_after=look.stale_after, thresholds=table
                )
            else:
                node, bound = Hud.reporting(tree, with_sections(state, usage=usage))
                context = context.with_value(bound)
                context = context if look.now is None else context.with_value(Now(look.now))
            with self._rendering() if renderer is None else nullcontext(renderer) as renders:
                room, rendered = room.fill(
                    lambda room: renders.render(
                        node,
                        density=room.density,
                        budget=room.budget,
                        previous=look.previous,
                        context=context,
                    )
                )
            stood = context.with_density(room.density or "full").within_budget(room.budget)
            made.append(Shown(node, rendered, stood, room, known))
            return rendered

        is_asked = look.layout is None and look.agent_layout and self.agent_layouts != "off"
        default = kept if by_default is None else by_default
        if is_asked and state.layout:
            seen = state if usage is state.usage else with_sections(state, usage=usage)
            budget = look.budget if isinstance(look.budget, int) else None
            try:
                of_agent = self._within_ceiling(seen, budget, shown, default)
                return next(each for each in made if each.rendered is of_agent)
            except UjsxError as error:
                on_warning(f"the agent's layout is not shown: {error}")
        tree = default if own is None else own
        try:
            shown(tree)
        except Exception as error:  # an author's component may raise anything
            if tree is not kept or kept is None:
                raise
            why = str(error) if isinstance(error, UjsxError) else repr(error)
            on_warning(f"the session's layout is not shown: {why}")
            shown(None)
        return made[-1]

    def _check_words(self, look: RenderOptions, known: State) -> None:
        """Report the mistakes in words that were not checked before."""
        if look.words is None or look.words is self._checked_words:
            return
        self._checked_words = look.words
        say = self.tell if look.on_warning is None else look.on_warning
        problems: list[str] = []
        _words_of(look.words, type(known), problems)
        for each in problems:
            if "; known: " not in each:  # it may be the name of an own component's text
                say(each)

    def _of_person(
        self, state: State, on_warning: Callable[[str], object]
    ) -> tuple[Element | None, Mapping[str, str]]:
        """Return the session's own tree and words, parsed once per look; no tree for the default layout."""
        look = state.look
        if look is None:
            return None, NO_WORDS
        from hud_components.layout import words_of

        key = look, type(state), self._own
        if self._look is None or self._look[0] != key:
            tree = None
            try:
                tree = self._as_tree(look.layout, type(state))
            except UjsxError as error:
                on_warning(f"the session's layout is not shown: {error}")
            self._look = key, tree, words_of(state)
        return self._look[1:]

    def _within_ceiling(
        self, state: State, budget: int | None, render: Callable[[Child], Rendered], default: Child
    ) -> Rendered:
        """Render the agent's layout within the ceiling."""
        from hud_components import within_ceiling

        tree = self._tree_of_agent(state)
        return within_ceiling(tree, state, budget, render, lambda: render(default))

    def _tree_of_agent(self, state: State) -> Element[Hud]:
        """Return the tree of the agent's layout, parsed once per text.

        :raises UjsxError: for an invalid layout.
        """
        from hud_components import read_agent_layout

        text = state.layout or ""
        if self._of_agent is None or self._of_agent[0] != text:
            try:
                self._of_agent = text, read_agent_layout(text, type(state))
            except UjsxError as error:
                self._of_agent = text, error
        tree = self._of_agent[1]
        if isinstance(tree, UjsxError):
            raise tree
        return tree

    def _as_tree(self, layout: Child, state: type[State]) -> Any:
        """Parse a layout that is text; return any other as it is."""
        if not isinstance(layout, str):
            return layout
        from ujsx import read_layout

        return read_layout(layout, vocabulary_of(state, self._own))

    def _context(self, look: RenderOptions, kept: Mapping[str, str]) -> RenderContext:
        from ujsx import RenderContext
        from ujsx.tokens import estimate_tokens

        if look.words is not None or look.count_tokens is not None:
            counter = estimate_tokens if look.count_tokens is None else look.count_tokens
            return RenderContext(texts={**kept, **(look.words or {})}, count_tokens=counter)
        if self._plain is None or self._plain[0] is not kept:
            self._plain = kept, RenderContext(texts=kept)
        return self._plain[1]

    def tell(self, sentence: str) -> None:
        """Log a warning once."""
        if sentence not in self._told:
            self._told.add(sentence)
            _log.warning("%s", sentence)

    @contextmanager
    def _rendering(self) -> Generator[Renderer]:
        """Lock the renderer for one thread; a forked process gets its own."""
        kept = self._kept
        if kept is None or kept.process != os.getpid():
            from ujsx import Renderer

            kept = self._kept = _KeptRenderer(Renderer(), os.getpid(), threading.Lock())
        with kept.lock:
            yield kept.renderer


# The user's settings for the sessions of a store: a data file beside it.
#
# With it, a user whose agent runs in a host can set what a program passes as arguments. Everything
# that opens the store applies it: the command, hooks, bridges, servers, and programs that pass no
# arguments of their own.

FILE = "context.toml"
"""The name of the settings file."""

LONGEST = 64 * 1024
"""Bytes of the file at most; a complete one has about one thousand."""

TABLES: Mapping[str, Thresholds] = {"usual": THRESHOLDS, "large-windows": LARGE_WINDOWS}
"""The threshold tables that percentages modify."""

NEVER = "never"
"""The word for a level without any effect."""

Given: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The settings of a store's sessions; None for an unset field."""

    thresholds: Thresholds | None = None
    """The start of each context level."""

    compaction: CompactionPolicy | None = None
    """The time and the method of compaction."""

    pruning: Pruning | None = None
    """Pruning of tool outputs, where a host prunes them."""

    outbox: Outbox | None = None
    """The outbox for events while a database server is away."""


def settings_beside(place: str | Path | None) -> StoreSettings:
    """Return the settings beside a store.

    :param place: a path, or the address of a database, whose settings are beside the default store; None
        for the default store.
    :raises SettingsError: for a file that cannot be read, belongs to another user or is writable by others,
        and for invalid settings, with the valid ones.
    """
    if str(place) == MEMORY:
        return StoreSettings()
    path = (default_path() if place is None or is_address(place) else Path(place)).parent / FILE
    try:
        with open(path, "rb", opener=_at_once) as file:
            _refuse_a_strangers(path, os.fstat(file.fileno()))
            data = file.read(LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return StoreSettings()
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror or error}") from None
    if len(data) > LONGEST:
        raise SettingsError(f"{path} is longer than {LONGEST:,} bytes, and is not read")
    try:
        return settings_in(data)
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None


def _at_once(path: str, flags: int) -> int:
    """Open a file without blocking on a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_a_strangers(path: Path, found: os.stat_result) -> None:
    """Refuse a file of another user: the store may be in a shared folder, such as the temporary one."""
    if os.name == "nt":
        return
    if os.geteuid() not in (0, found.st_uid) and found.st_uid != 0:
        raise SettingsError(f"{path} belongs to another user; remove it, or copy it if you agree")
    if found.st_mode & stat.S_IWOTH:
        raise SettingsError(f"others may write {path}; look at what is in it, then: chmod 600")


def settings_in(data: bytes) -> StoreSettings:
    r"""Return the settings in a file.

    :raises SettingsError: for invalid TOML or settings.

    >>> made = settings_in(b'[thresholds]\nred = 80\n[compaction]\nnow = "red"\n')
    >>> made.thresholds[2].percentage, made.compaction.now, made.pruning
    (80, 'red', None)
    """
    import tomllib

    try:
        given: Given = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"it cannot be read as TOML: {error}") from None
    made: dict[str, Any] = {}
    for name, table in given.items():
        if name not in READERS:
            raise SettingsError(f"there is no table {quoted(name)}; {did_you_mean(name, READERS)}")
        if not isinstance(table, dict):
            raise SettingsError(f"{name} is a table, [{name}], not {shown(table)}")
        try:
            made[name] = READERS[name](cast("Given", table))
        except ValueError as error:
            raise SettingsError(f"[{name}] {error}") from None
    return StoreSettings(**made)


def _thresholds(given: Given) -> Thresholds:
    known = ("table", "tell", *(each.level for each in THRESHOLDS[1:]))
    _check_names(given, known)
    name: object = given.get("table", "usual")
    if not isinstance(name, str) or name not in TABLES:
        raise SettingsError(f"table is {shown(name)}; {did_you_mean(str(name), TABLES)}")
    made = TABLES[name].at(
        **{level: value for level, value in given.items() if level not in ("table", "tell")}
    )
    if "tell" not in given:
        return made
    tell = _texts("tell", given["tell"])
    for each in tell:
        if each not in known[2:]:
            raise SettingsError(
                f"tell has the level {quoted(each)}; {did_you_mean(each, known[2:])}"
            )
    return Thresholds(replace(row, intervenes=row.level in tell) for row in made)


def _compaction(given: Given) -> CompactionPolicy:
    from hud_runtime.context.compaction import CompactionPolicy

    known = {each.name for each in fields(CompactionPolicy)} - {"thresholds", "refusals"}
    _check_names(given, sorted(known))
    made = dict(given)
    for name in {"resets", "append"} & made.keys():
        made[name] = _texts(name, made[name])
    for name in {"now", "soon"} & made.keys():
        made[name] = None if made[name] == NEVER else made[name]
    return CompactionPolicy(**made)


OF_OLD = ("protect", "minimum", "turns")
"""Settings of the policy for old outputs."""


def _pruning(given: Given) -> Pruning:
    from hud_runtime.context.pruning import NEVER as ALWAYS_WHOLE
    from hud_runtime.context.pruning import OldOutputs, Pruning, SmartPruning

    _check_names(given, ("smart", "old", "never", "worth", *OF_OLD))
    for name in ("smart", "old"):
        if not isinstance(given.get(name, True), bool):
            raise SettingsError(f"{name} is true or false, not {shown(given[name])}")
    worth: object = given.get("worth", 0)
    if not isinstance(worth, int) or isinstance(worth, bool) or worth < 0:
        raise SettingsError(f"worth must be an integer of 0 or more, not {shown(worth)}")
    never = ALWAYS_WHOLE | frozenset(_texts("never", given.get("never", [])))
    smart = SmartPruning(never=never, **{name: given[name] for name in given if name == "worth"})
    old = OldOutputs(never=never, **{name: given[name] for name in given if name in OF_OLD})
    return Pruning(
        smart=smart if given.get("smart", True) else None,
        old=old if given.get("old", True) else None,
    )


def _outbox(given: Given) -> Outbox:
    from hud_runtime.log.outbox import Outbox

    _check_names(given, [each.name for each in fields(Outbox)])
    made: dict[str, Any] = {"folder": default_path().parent / "outbox", **given}
    return Outbox(**made)


READERS: Mapping[str, Callable[[Given], object]] = {
    "thresholds": _thresholds,
    "compaction": _compaction,
    "pruning": _pruning,
    "outbox": _outbox,
}
"""The tables of the file, by field of the settings, each with its parser."""


def _check_names(given: Given, known: tuple[str, ...] | list[str]) -> None:
    for name in given:
        if name not in known:
            raise SettingsError(f"has no {quoted(name)}; {did_you_mean(name, known)}")


def _texts(name: str, given: object) -> tuple[str, ...]:
    told = shown(given)
    found = cast("list[object]", given) if isinstance(given, list) else [None]
    if not all(isinstance(each, str) for each in found):
        raise SettingsError(f"{name} is a list of texts, not {told}")
    return tuple(map(str, found))
