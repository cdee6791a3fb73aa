"""The components that a layout may use, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hud_components import State
    from ujsx import Component, Vocabulary


def components() -> dict[str, type[Component]]:
    """Return the HUD's components and the primitives by name, without base classes.

    >>> "DecisionsList" in components(), "Link" in components(), "ItemsSection" in components()
    (True, True, False)
    """
    import hud_components
    from ujsx import Component
    from ujsx.elements import PRIMITIVES

    exported = (getattr(hud_components, name) for name in hud_components.__all__)
    hud: list[type[Component]] = [
        each
        for each in exported
        if isinstance(each, type)
        and issubclass(each, Component)
        and not (each.is_primitive or _is_base(each))
    ]
    return {each.__name__: each for each in hud} | dict(PRIMITIVES)


def _is_base(component: type[Component]) -> bool:
    """Tell whether a class is a section's base, which does not define its content."""
    return hasattr(component, "holds_items") and not getattr(component, "name", "")


OWN = (
    "for a section of your own name its domain (--domain module:NAME), for another component pass --with MODULE or list it in the domain's components=; in code use "
    "read_layout(text, layout_vocabulary() | [{name}]), or make the tree itself (`ujsx preview file.py:NAME`)"
)
"""The way to use your own component in a layout file."""


def layout_components(state: type[State]) -> Vocabulary:
    """Return the components for layouts of such states, including their domain's sections.

    >>> from hud_components import Domain, NotesSection
    >>> known = layout_components(Domain("desk", [NotesSection]).state)
    >>> "NotesSection" in known, "DecisionsList" in known
    (True, False)
    """
    from hud_components import HudSection
    from ujsx import Vocabulary

    known = components()
    general = {
        name: each
        for name, each in known.items()
        if not (issubclass(each, HudSection) and each.field)
    }
    found = general | {each.__name__: each for each in state.sections}
    return Vocabulary(*found.values(), own=OWN)
