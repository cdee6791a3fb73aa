"""The look of a session's HUD: whose layout, which words, which ceiling."""

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

# The layout that a session's agent has set, shown where it may and can be.

AgentLayouts: TypeAlias = Literal["offer", "show", "off"]
"""What becomes of layouts that agents set: their tool has the operations for it, and what was set is
shown; what was set is shown; or neither."""

_log = logging.getLogger("hud_runtime.session")


def checked(choice: str) -> AgentLayouts:
    """Return a choice of what becomes of agents' layouts.

    :raises StoreError: for what is none.

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
"""A layout: a tree, a text of Markdown with tags, or the path of a file with one (or ``.json`` for a tree as data)."""

WordsSource: TypeAlias = Mapping[str, str] | Path
"""Words by name: a mapping, or the path of a JSON or TOML file with one."""

TREES = ".json"
"""The suffix of a layout's file that is a tree as data."""


class GivenLook(NamedTuple):
    """A layout and words, as somebody names them, and components that may stand in the layout's text."""

    layout: LayoutSource = None
    words: WordsSource | None = None
    components: tuple[type[Component], ...] = ()

    @property
    def is_given(self) -> bool:
        """True if a layout or words are there."""
        return self.layout is not None or self.words is not None


def look_of_domain(domain: Domain[Any]) -> GivenLook:
    """Return what sessions of a domain are shown with where nothing else is given."""
    return GivenLook(domain.layout, domain.words, domain.components)


NO_LOOK = GivenLook()
"""Nothing of one's own."""

LONGEST_PATH = 255
"""Characters of a text that can be the name of a layout's file, and is repeated as such."""


def check_look(layout: object, words: object = None, *, takes_paths: bool = True) -> None:
    """Refuse what is neither a layout nor words.

    :param takes_paths: whether the path of a file stands for what is in it.
    :raises PropError: with what to pass instead.
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
    """What is said of a text in place of a layout: a file's name, or what stands in one."""
    is_path = len(given) <= LONGEST_PATH and "\n" not in given
    text = f"; write Path({shown(given, width=2 * LONGEST_PATH)}).read_text()" if is_path else ""
    return (
        f"a layout is a tree, such as Hud()[…] of sections{other}, or Markdown with tags, such as <TaskSection/>, not the "
        f"text {shown(given)}{text}"
    )


def read_look(given: Sequence[GivenLook], domain: Domain[Any]) -> tuple[Look | None, list[str]]:
    """Return the look that a session of a domain is given, and what of it cannot be used.

    :param given: by rank: the first layout that can be used counts, and the words of all, the first ones before later ones.
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
    """Record the look that a session is given, where it is another one.

    :param given: by rank, as :func:`read_look` takes them.
    :param say: called with a sentence for each thing that cannot be used: then a session that has a look keeps it.
    :param is_asked: whether what cannot be used of the first look is refused.
    :raises PropError: for what is refused.
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
    words: WordsSource | None, domain: Domain[Any], problems: list[str]
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
    r"""Return the words in the text of a file: an object of JSON, or tables of TOML.

    :param name: the file's, whose suffix says which.
    :raises ProjectError: for what is neither.

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
    """Return the text of a file that a person names.

    :raises ProjectError: for what cannot be read, is not UTF-8, or is too long.
    """
    limits = Limits.of_environment()
    try:
        found = path.exists(), path.is_file()  # a pipe would be waited for
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
    """Return the tree of a layout that is data: JSON, as ``ujsx.dump`` writes it.

    :param name: what errors call the file.
    :raises ProjectError: for what is no JSON.
    :raises UjsxError: for what is no tree of these components.
    """
    from ujsx import load

    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProjectError(f"{name} is not JSON: {error}") from None
    return load(data, vocabulary)


def own_components(given: Iterable[GivenLook]) -> frozenset[type[Component]]:
    """Return the components of looks: those that are given, and those in layouts that are trees."""
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
    """The node of a tree, whatever form of child it was given as.

    :raises PropError: for what is not a child.
    """
    children = fragment(cast("Any", layout)).children
    return children[0] if len(children) == 1 else fragment(*children)


def check_components(components: Iterable[type[Component]], state: type[State]) -> None:
    """Refuse components that cannot stand in a layout of such states.

    :raises UjsxError: for one that has the name of another.
    """
    if own := tuple(components):
        from hud_runtime._layout_components import layout_components

        _ = layout_components(state) | own


def vocabulary_of(state: type[State], own: Iterable[type[Component]]) -> Vocabulary:
    """Return what a layout may hold: the domain's sections, the HUD's components, and components of one's own."""
    from hud_runtime._layout_components import layout_components

    known = layout_components(state)
    more = [each for each in own if each.__name__ not in known]
    return known | more if more else known


# The rendering of a session's HUD: whose layout, which ceiling, and what is kept from one turn to the next.


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """The requested look of a HUD, as :meth:`HudSession.hud` takes it, which says what each means.

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
    """The rest that a delivery tells beside the words of its request; None for all."""

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
"""The words of a session that was given none."""


@dataclass(frozen=True, slots=True)
class _KeptRenderer:
    """The renderer of a session's HUD, with what it keeps from one turn to the next."""

    renderer: Renderer
    process: int
    lock: threading.Lock


class HudRenderer:
    """Renders the HUDs of one session; threads may share it, and a fork begins anew."""

    def __init__(self, agent_layouts: AgentLayouts, looks: Iterable[GivenLook] = ()) -> None:
        self.agent_layouts: AgentLayouts = checked(agent_layouts)
        self._own = own_components(looks)
        """Components of one's own that may stand in the layout that a person gave."""
        self._look: tuple[object, Element | None, Mapping[str, str]] | None = None
        self._of_agent: tuple[str, Element[Hud] | UjsxError] | None = None
        self._told: set[str] = set()
        self._plain: tuple[Mapping[str, str], RenderContext] | None = None
        self._kept: _KeptRenderer | None = None
        self._remaining: Remaining | None = None
        self._last: tuple[State, RenderOptions, Thresholds, ShownHud] | None = None

    def anew(self) -> HudRenderer:
        """Return one that shows the same, and has shown nothing yet."""
        made = HudRenderer(self.agent_layouts)
        made.learn(self._own)
        return made

    def learn(self, own: frozenset[type[Component]]) -> None:
        """Let more components of one's own stand in the layout that a person gave."""
        self._own |= own
        self._last = None

    def shown(
        self, known: State, look: RenderOptions, table: Thresholds, renderer: Renderer | None = None
    ) -> ShownHud:
        """Render the HUD of a state, and say what it was rendered from; the same again is what it was."""
        if renderer is not None or look.on_warning is not None:
            return self._shown(known, look, table, renderer)
        last = self._last
        if last is None or last[0] is not known or last[2] is not table or last[1] != look:
            last = self._last = known, look, table, self._shown(known, look, table, None)
        return last[3]

    def _shown(
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
            if look.remaining != self._remaining:  # the very same keeps what was rendered
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
        except Exception as error:  # what an author's component raises, too
            if tree is not kept or kept is None:
                raise
            why = str(error) if isinstance(error, UjsxError) else repr(error)
            on_warning(f"the session's layout is not shown: {why}")
            shown(None)
        return made[-1]

    def _of_person(
        self, state: State, on_warning: Callable[[str], object]
    ) -> tuple[Element | None, Mapping[str, str]]:
        """The tree and the words that a session was given, read once for each look; None for the usual layout."""
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
        """The rendering with the agent's layout."""
        from hud_components import within_ceiling

        tree = self._tree_of_agent(state)
        return within_ceiling(tree, state, budget, render, lambda: render(default))

    def _tree_of_agent(self, state: State) -> Element[Hud]:
        """The tree of the layout that the agent has set, read once for each text.

        :raises UjsxError: for a text that is none.
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
        """The tree of a layout that is a text; any other as it is."""
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
        """Log a sentence once."""
        if sentence not in self._told:
            self._told.add(sentence)
            _log.warning("%s", sentence)

    @contextmanager
    def _rendering(self) -> Generator[Renderer]:
        """Give the renderer, which is for one thread at a time, and for one process."""
        kept = self._kept
        if kept is None or kept.process != os.getpid():
            from ujsx import Renderer

            kept = self._kept = _KeptRenderer(Renderer(), os.getpid(), threading.Lock())
        with kept.lock:
            yield kept.renderer


# The settings of a store's user for the contexts of its sessions, in a file beside it: data, and nothing else.
#
# So a person whose agent runs in a host sets what a program passes as arguments. Every opener of the store uses it: the
# command, hooks, bridges, servers and programs that do not say otherwise themselves.

FILE = "context.toml"
"""The file's name."""

LONGEST = 64 * 1024
"""Bytes of it at most; all that can be set has about one thousand."""

TABLES: Mapping[str, Thresholds] = {"usual": THRESHOLDS, "large-windows": LARGE_WINDOWS}
"""The tables of thresholds that percentages are set in."""

NEVER = "never"
"""The word for a level at which nothing is done."""

Given: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The settings for the contexts of a store's sessions; None where nothing is set."""

    thresholds: Thresholds | None = None
    """From where on each level holds."""

    compaction: CompactionPolicy | None = None
    """When a conversation is compacted, and how."""

    pruning: Pruning | None = None
    """How outputs of tools are pruned, where a host prunes them."""

    outbox: Outbox | None = None
    """Where records wait while a database server is away."""


def settings_beside(place: str | Path | None) -> StoreSettings:
    """Return what is set beside a store.

    :param place: its path, or the address of a database, whose settings stand beside the default store; the default
        one when None.
    :raises SettingsError: for a file that cannot be read, belongs to another user or may be written by others, and for
        settings that cannot be; it says which, and what can.
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
    """Open a file; a pipe that somebody has put there is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse_a_strangers(path: Path, found: os.stat_result) -> None:
    """A store may lie in a folder where others may put files, such as the one for temporary files."""
    if os.name == "nt":
        return
    if os.geteuid() not in (0, found.st_uid) and found.st_uid != 0:
        raise SettingsError(f"{path} belongs to another user; remove it, or copy it if you agree")
    if found.st_mode & stat.S_IWOTH:
        raise SettingsError(f"others may write {path}; look at what is in it, then: chmod 600")


def settings_in(data: bytes) -> StoreSettings:
    r"""Return what settings say.

    :raises SettingsError: for what is no TOML, and for settings that cannot be.

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
"""What is set of the policy for old outputs."""


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
"""The tables that a file may have: fields of the settings, each with what reads it."""


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
