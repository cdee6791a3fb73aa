"""The rendering of a session's HUD: whose layout, which ceiling, and what is kept from one turn to the next."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from hud_components import THRESHOLDS, ContextUsage, State, Threshold, Thresholds
from hud_components.declaring import as_usual, milliseconds_of, usage_of
from hud_components.folding import with_sections
from hud_runtime.session._agent_layout import AgentLayout, AgentLayouts, checked
from hud_runtime.session._look import GivenLook, KeptLook, check_look, own_components
from ujsx import Density
from ujsx.errors import PropError, UjsxError, shown

if TYPE_CHECKING:
    from hud_components import Budget
    from hud_components.words import Remaining
    from hud_runtime.delivery import Shown
    from ujsx import Child, Component, DensityLike, RenderContext, Rendered, Renderer
    from ujsx.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class HudLook:
    """The requested look of a HUD, as :meth:`HudSession.hud` takes it, which says what each means.

    >>> HudLook(density="compact").budget is None
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
    tell: Callable[[str], object] | None = None
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

_log = logging.getLogger("hud_runtime.session")


@dataclass(frozen=True, slots=True)
class _KeptRenderer:
    """The renderer of a session's HUD, with what it keeps from one turn to the next."""

    renderer: Renderer
    process: int
    lock: threading.Lock


class Showing:
    """Renders the HUDs of one session; threads may share it, and a fork begins anew."""

    def __init__(self, agent_layouts: AgentLayouts, looks: Iterable[GivenLook] = ()) -> None:
        self.agent_layouts: AgentLayouts = checked(agent_layouts)
        self._own = own_components(looks)
        """Components of one's own that may stand in the layout that a person gave."""
        self._agent_layout = AgentLayout()
        self._look = KeptLook()
        self._told: set[str] = set()
        self._plain: tuple[Mapping[str, str], RenderContext] | None = None
        self._kept: _KeptRenderer | None = None
        self._remaining: Remaining | None = None
        self._last: tuple[State, HudLook, Thresholds, Shown] | None = None

    def anew(self) -> Showing:
        """Return one that shows the same, and has shown nothing yet."""
        made = Showing(self.agent_layouts)
        made.learn(self._own)
        return made

    def learn(self, own: frozenset[type[Component]]) -> None:
        """Let more components of one's own stand in the layout that a person gave."""
        self._own |= own
        self._last = None

    def shown(
        self, known: State, look: HudLook, table: Thresholds, renderer: Renderer | None = None
    ) -> Shown:
        """Render the HUD of a state, and say what it was rendered from; the same again is what it was."""
        if renderer is not None or look.tell is not None:
            return self._shown(known, look, table, renderer)
        last = self._last
        if last is None or last[0] is not known or last[2] is not table or last[1] != look:
            last = self._last = known, look, table, self._shown(known, look, table, None)
        return last[3]

    def _shown(
        self, known: State, look: HudLook, table: Thresholds, renderer: Renderer | None
    ) -> Shown:
        from hud_components import Hud, Now, room_for
        from hud_runtime.delivery import Shown

        for each in (look.layout, look.default):
            if each is not None:
                check_look(each, takes_paths=False)
        state = known if look.pins else as_usual(known)
        usage = state.usage if look.usage is None else look.usage
        tell = self.tell if look.tell is None else look.tell
        kept, words = (
            (None, NO_WORDS)
            if known.look is None
            else self._look.of(known, known.look, self._own, tell)
        )
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
                    state,
                    usage=usage,
                    now=look.now,
                    stale_after=look.stale_after,
                    thresholds=table,
                )
            else:
                node, bound = Hud.reporting(tree, with_sections(state, usage=usage))
                context = context.with_value(bound)
                context = context if look.now is None else context.with_value(Now(look.now))
            with self._rendering() if renderer is None else nullcontext(renderer) as renders:
                rendered = renders.render(
                    node,
                    density=room.density,
                    budget=room.budget,
                    previous=look.previous,
                    context=context,
                )
            stood = context.with_density(room.density or "full").within_budget(room.budget)
            made.append(Shown(node, rendered, stood, room))
            return rendered

        is_asked = look.layout is None and look.agent_layout and self.agent_layouts != "off"
        default = kept if look.default is None else look.default
        if is_asked and state.layout:
            seen = state if usage is state.usage else with_sections(state, usage=usage)
            own = look.budget if isinstance(look.budget, int) else None
            of_agent = self._agent_layout.shown(seen, own, shown, default, look.tell)
            if of_agent is not None:
                return next(each for each in made if each.rendered is of_agent)
        tree = default if look.layout is None else look.layout
        try:
            shown(tree)
        except Exception as error:  # what an author's component raises, too
            if tree is not kept or kept is None:
                raise
            why = str(error) if isinstance(error, UjsxError) else repr(error)
            tell(f"the session's layout is not shown: {why}")
            shown(None)
        return made[-1]

    def _context(self, look: HudLook, kept: Mapping[str, str]) -> RenderContext:
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
