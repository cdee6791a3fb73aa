"""The layout that a session's agent has set, shown where it may and can be."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from hud_components import State
from hud_runtime._errors import StoreError
from ujsx.errors import UjsxError, did_you_mean, shown

if TYPE_CHECKING:
    from hud_components import Hud
    from ujsx import Child, Element, Rendered

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


class AgentLayout:
    """Shows a state with the layout in it; it is read once, and again when it is another one.

    :param state: the state that is shown, with its layout.
    """

    def __init__(self) -> None:
        self._read: tuple[str, Element[Hud] | UjsxError] | None = None
        self._told: set[str] = set()

    def shown(
        self,
        state: State,
        budget: int | None,
        render: Callable[[Child], Rendered],
        default: Child = None,
        tell: Callable[[str], object] | None = None,
    ) -> Rendered | None:
        """Return the rendering with the agent's layout, or ``None`` where another one is to be shown.

        :param budget: that of the rendering.
        :param render: renders a tree, or the domain's layout for ``None``.
        :param default: what is shown in its place.
        :param tell: called with the reason why it is not shown.
        """
        from hud_components import within_ceiling

        try:
            tree = self._tree(state)
            return within_ceiling(tree, state, budget, render, lambda: render(default))
        except UjsxError as error:
            self._tell(f"the agent's layout is not shown: {error}", tell)
            return None

    def _tree(self, state: State) -> Element[Hud]:
        from hud_components import read_agent_layout

        text = state.layout or ""
        if self._read is None or self._read[0] != text:
            self._told.clear()
            try:
                self._read = text, read_agent_layout(text, type(state))
            except UjsxError as error:
                self._read = text, error
        tree = self._read[1]
        if isinstance(tree, UjsxError):
            raise tree
        return tree

    def _tell(self, sentence: str, tell: Callable[[str], object] | None) -> None:
        if tell is not None:
            tell(sentence)
        elif sentence not in self._told:
            self._told.add(sentence)
            _log.warning("%s", sentence)
