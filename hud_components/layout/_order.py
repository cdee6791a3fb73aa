"""Layouts that work, but hardly as their authors meant them.

A provider caches a prompt's prefix. Whatever stands behind the first changed byte is paid for
again, so a section of the layer "turn" spoils all stable ones behind it. And sections without data
of their own show nothing where no state is bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from hud_components._models import HudModel
from hud_components.declaring._layout_warning import warn
from hud_components.declaring._section import HudSection
from hud_components.declaring._view import View
from hud_components.sections._context_bar import ContextBar
from ujsx import Children, Component, Element
from ujsx.components import PLAIN, Node, as_element, fields_of


def warn_if_volatile_first(children: Children, *, attached: bool) -> None:
    """Warn where a section that changes every turn stands before one that does not.

    The order stays as it is. Only components with a ladder of their own declare a layer. A layout
    that was warned of when its sections were attached is not warned of when it is rendered.
    """
    kinds = tuple(map(type, children))
    if not _OTHERS.isdisjoint(kinds):
        kinds = tuple(map(type, _sections(children)))
    complaint = _complaint(kinds)
    if complaint is None or (not attached and complaint in _SAID):
        return
    if attached:
        _SAID.add(complaint)
    warn(complaint)


_OTHERS: frozenset[type] = frozenset({Element, str})
"""What is no component itself."""

_SAID: set[str] = set()


@lru_cache(maxsize=256)
def _complaint(sections: tuple[type[Component], ...]) -> str | None:
    volatile: str | None = None
    for section in sections:
        if section.disclosure is PLAIN:
            continue
        if section.disclosure.layer == "turn":
            volatile = volatile or section.__name__
        elif volatile is not None:
            return (
                f"{ends_cache(volatile, section.__name__)}, or keep the order and filter out "
                "LayoutWarning"
            )
    return None


def ends_cache(volatile: str, behind: str) -> str:
    """Return what is wrong with an order, and what to do, without a full stop."""
    return (
        f"{volatile} changes every turn and stands before {behind}, so a prompt cache ends there; put "
        f"{volatile} last"
    )


def exact_at_the_end(children: Children) -> Children:
    """Return sections in which the line on the context tells the exact share where it stands last.

    Nothing that could be cached is behind it then. What its author said of its steps stays.
    """
    for place in range(len(children) - 1, -1, -1):
        node: Any = children[place]
        component = node.component if type(node) is Element else node
        if isinstance(component, ContextBar):
            exact = component.exact()
            made = Element(exact, (), node.key) if type(node) is Element else exact
            return (*children[:place], made, *children[place + 1 :])
        if not isinstance(component, HudSection) or component.disclosure.layer != "turn":
            return children
    return children


def components_of(node: Node) -> Iterator[Component]:
    """Yield the components of a tree in their order."""
    if not isinstance(node, str):
        element = as_element(node)
        yield element.component
        for child in element.children:
            yield from components_of(child)


def is_moving(component: Component | type[Component]) -> bool:
    """Tell whether what a component shows changes every turn."""
    return component.disclosure is not PLAIN and component.disclosure.layer == "turn"


def warn_if_nothing_to_show(children: Children) -> None:
    """Warn where no state is bound, and no section of the HUD has data of its own."""
    names: list[str] = []
    for section in _sections(children):
        if not isinstance(section, HudSection):
            continue
        if _has_data(section):
            return
        names.append(type(section).__name__)
    if names:
        warn(
            f"the HUD shows nothing: no state is bound, and no section has data "
            f"({', '.join(names)}); render with context=RenderContext().with_value(state), or give "
            "the sections their data"
        )


def _has_data(section: HudSection) -> bool:
    """Tell whether a section was given anything to show; what it was not, it takes from the state."""
    if isinstance(section, View):
        return not section.reads or not section.model_fields_set <= _OF_VIEWS
    return any(
        isinstance(getattr(section, name), _DATA)
        for name in section.model_fields_set
        if name not in _SETTINGS
    )


_SETTINGS = frozenset(fields_of(HudSection))
"""The props of all sections, none of which holds data."""

_OF_VIEWS = frozenset({*_SETTINGS, "now"})
"""The props of all views that hold nothing to show."""

_DATA = (tuple, str, HudModel)
"""What holds something to show; numbers and booleans say how to show it."""


def _sections(children: Children) -> Iterator[Component]:
    """The components that have a ladder or no children, in the order in which they show."""
    child: Any
    for child in children:
        if type(child) is Element:
            if child.component.disclosure is PLAIN:
                yield from _sections(child.children)
            else:
                yield child.component
        elif type(child) is not str:
            yield child
