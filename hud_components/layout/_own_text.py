"""The share of a HUD that an agent's layout may use for text of its own.

A section's data are bounded by its ladder, and the text between the sections is not: it stands there
whatever the budget is. So it may take a share of what the HUD may have, and whatever takes more is
not shown: the HUD has its next layout.
"""

from __future__ import annotations

from collections.abc import Callable

from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.layout._budgets import budget_for
from hud_components.layout._hud import Hud
from hud_components.layout._value import Value
from ujsx import (
    Element,
    Fragment,
    LayoutError,
    RenderContext,
    Rendered,
    RenderedSection,
    render_document,
)
from ujsx.components import Node, as_element
from ujsx.elements import Section

SHARE = 2
"""A layout's own text may take one part in so many of the HUD's budget."""


def ceiling_of(state: State, budget: int | None = None) -> int:
    """Return how many tokens a HUD with an agent's layout may have.

    :param budget: the budget of the rendering; that of the last reading when ``None``, and
        where there is no reading that of an empty context.

    >>> from hud_components import ContextUsage, HudState
    >>> ceiling_of(HudState()), ceiling_of(HudState(usage=ContextUsage(used=190_000)))
    (500, 50)
    """
    if budget is not None:
        return budget
    usage = state.usage
    return budget_for(0 if usage is None else usage.percentage)


def within_ceiling(
    tree: Element,
    state: State,
    budget: int | None,
    render: Callable[[Element], Rendered],
    default: Callable[[], Rendered],
) -> Rendered:
    """Return the rendering of an agent's layout that keeps to what the HUD may have.

    :param tree: as :func:`read_agent_layout` returns it.
    :param state: the state that it shows.
    :param budget: that of the rendering, in tokens, if it has one.
    :param render: renders a tree.
    :param default: renders what is shown without the layout; it is asked only of a large HUD.
    :raises LayoutError: for one whose own text takes more than a quarter of the ceiling, which is
        larger than the ceiling and than the default, or which has no room for what has to be seen.
    """
    ceiling = ceiling_of(state, budget)
    rendered = render(tree)
    _check(_own(rendered), ceiling)
    stays = {each.__name__ for each in state.sections if each.stays_shown}
    for each in rendered.sections:
        if each.rung is None and each.name in stays:
            raise LayoutError(f"it leaves no room for {each.name}; give other sections a limit")
    if rendered.budgeted > ceiling and rendered.budgeted > default().budgeted:
        raise LayoutError(
            f"the HUD takes {rendered.budgeted:,} tokens with it, and {ceiling:,} is the most; give"
            " sections a limit"
        )
    return rendered


def check_ceiling(tree: Element, state: State) -> Rendered:
    r"""Return how an agent's layout would show a state, before it is set.

    Its own text is that in which all conditions hold: whatever may come, as far as it is known now.

    :raises LayoutError: for a layout that takes too much.

    >>> from hud_components import HudState
    >>> from hud_components.layout._agent_layout import read_agent_layout
    >>> wordy = read_agent_layout("<TaskSection/>\n\n" + "word " * 300, HudState)
    >>> check_ceiling(wordy, HudState())
    Traceback (most recent call last):
    ujsx.errors.LayoutError: its own text takes 307 tokens, and 250 is the most, half of the 500 that the HUD may have; say it shorter
    """
    ceiling = ceiling_of(state)
    words = render_document(_words_of(tree))
    _check(words.tokens, ceiling)

    def shown(layout: Element) -> Rendered:
        context = RenderContext().with_value(state)
        return render_document(layout, budget=ceiling, context=context)

    return within_ceiling(tree, state, ceiling, shown, lambda: shown(Hud.of(state)))


def _check(own: int, ceiling: int) -> None:
    if own * SHARE > ceiling:
        raise LayoutError(
            f"its own text takes {own:,} tokens, and {ceiling // SHARE:,} is the most, half of"
            f" the {ceiling:,} that the HUD may have; say it shorter"
        )


def _own(rendered: Rendered) -> int:
    """The tokens of what no ladder bounds."""
    return sum(each.tokens for each in rendered.nodes if not isinstance(each, RenderedSection))


def _words_of(node: Node) -> Node:
    """A layout without what the session says in it."""
    if isinstance(node, str):
        return node
    element = as_element(node)
    component = element.component
    if isinstance(component, HudSection | Value):
        return ""
    children = [_words_of(child) for child in element.children]
    model = type(component).content_model
    if isinstance(component, Hud):
        component = Section(title=component.title) if component.title else Fragment()
    elif model is not None and model.is_transparent:  # what has a condition, or is repeated
        component = Fragment()
    return Element.of(component, children)
