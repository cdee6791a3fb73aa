"""Layouts of a HUD, checked: their paths too, along the classes of the state that they will show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel

from hud_components._coding import HudState
from hud_components.layout._bound import Bound
from hud_components.layout._compact import Compact
from hud_components.layout._each import Each
from hud_components.layout._hud import Hud
from hud_components.layout._labelled import Labelled
from hud_components.layout._parse import SECTIONS
from hud_components.layout._paths import Kinds
from hud_components.layout._value import Value
from hud_components.layout._when import When
from ujsx import Component, LayoutError, RenderContext, UjsxError, Vocabulary, mdast
from ujsx.components import ComponentClass
from ujsx.elements import PRIMITIVES
from ujsx.layout import Rule, Unread
from ujsx.layout import check_layout as check


@cache
def layout_vocabulary() -> Vocabulary:
    """Return what a layout of a HUD may hold: its sections, what wraps them, and the primitives.

    >>> "When" in layout_vocabulary(), "TrustedMarkdown" in layout_vocabulary()
    (True, False)
    """
    return PRIMITIVES | [Hud, Compact, Labelled, When, Each, Value, *SECTIONS]


def check_layout(
    text: str,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
    *,
    state: type[BaseModel] = HudState,
    context: RenderContext | None = None,
    rule: Rule | None = None,
    without: Collection[type[mdast.Node]] = (),
) -> tuple[LayoutError, ...]:
    r"""Return all mistakes of a HUD's layout, in their order; none if it can be used.

    As :func:`ujsx.check_layout` does, and paths that lead nowhere in the state.

    :param vocabulary: the components that may appear; :func:`layout_vocabulary` when ``None``.
    :param state: the class of the states that the layout will show.
    :param context: what it is rendered in; a state of that class, with nothing in it, when ``None``.
    :param rule: what has to be right of a component; that its paths lead somewhere, when ``None``.
    :param without: what Markdown may not stand in it.
    :raises ValueError: for a class of which no empty state can be made, and no context.

    >>> [error] = check_layout('<Hud>\n  <When has="blokers">Stop.</When>\n</Hud>')
    >>> print(error)
    line 2, column 13: "blokers": a HudState has no field "blokers"; did you mean "blockers"?
        <When has="blokers">Stop.</When>
                  ^
    """
    known = layout_vocabulary() if vocabulary is None else vocabulary
    context = RenderContext().with_value(state()) if context is None else context
    rule = paths_in(state) if rule is None else rule
    return check(text, known, context=context, rule=rule, without=without)


def paths_in(state: type[BaseModel]) -> Rule:
    """Return the rule that paths lead somewhere in a state of that class."""

    def rule(
        component: Component, around: Sequence[Component], has_children: bool
    ) -> Iterator[tuple[str, str | UjsxError]]:
        if not isinstance(component, Bound):
            return
        scopes: tuple[Kinds, ...] = ((state,),)
        for each in around:
            if isinstance(each, Bound):
                scopes = each.inner_scopes(scopes)
            elif isinstance(each, Unread) and each.kind is Each:
                scopes = ((Any,), *scopes)  # whatever it repeats for
        for error in component.bindings(scopes):
            yield error.prop, error
        if isinstance(component, Each) and not has_children:
            yield "", "there is nothing to repeat; put what each item shows between its tags"

    return rule
