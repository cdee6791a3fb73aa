"""Layouts that agents bring: what may stand in one, its check, and the tree that is shown.

In: a layout document, or the same tree as data, and the class of the states that it shows. Out: a
document that can be kept, and a HUD. Such a layout is data that may come from anywhere: from what a
tool has answered, say. So it has a smaller vocabulary than a person's, and cannot leave out what has
to be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.layout._bound import Bound
from hud_components.layout._check import check_layout, paths_in
from hud_components.layout._compact import Compact
from hud_components.layout._each import Each
from hud_components.layout._hud import Hud
from hud_components.layout._order import components_of, ends_cache, is_moving
from hud_components.layout._value import Value
from hud_components.layout._when import When
from ujsx import (
    Children,
    Component,
    DefinitionError,
    Element,
    LayoutError,
    Vocabulary,
    load,
    mdast,
    read_layout,
)
from ujsx import write_layout as write
from ujsx.components import PLAIN, Node
from ujsx.elements import (
    BlockQuote,
    CodeBlock,
    Emphasis,
    Heading,
    InlineCode,
    Item,
    LineBreak,
    List,
    Paragraph,
    Section,
    Strikethrough,
    Strong,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
)
from ujsx.errors import UjsxError, shown
from ujsx.layout import Rule, Unread, check_tree

LONGEST = 8_000
"""Characters of an agent's layout; its own text may have far fewer (:func:`check_ceiling`)."""

TOLD = 8
"""Mistakes that are told at once; the rest is counted."""

SETTINGS = ("density", "limit", "show_ids")
"""The props of a section that a layout may set; the others are its data, which the session has."""

STRUCTURE: tuple[type[Component], ...] = (
    Section,
    Heading,
    Paragraph,
    List,
    Item,
    Strong,
    Emphasis,
    Strikethrough,
    InlineCode,
    CodeBlock,
    BlockQuote,
    Table,
    TableRow,
    TableCell,
    ThematicBreak,
    LineBreak,
)
"""The primitives: nothing that leads out, that names what was left out, or that is no Markdown."""

WITHOUT: frozenset[type[mdast.Node]] = frozenset(
    {
        mdast.Link,
        mdast.LinkReference,
        mdast.Image,
        mdast.ImageReference,
        mdast.Definition,
        mdast.FootnoteReference,
        mdast.FootnoteDefinition,
        mdast.Html,
        mdast.Yaml,
    }
)
"""The same for what Markdown has a form for."""

HIDING: tuple[type[Component], ...] = (When, Each, Compact)
"""What may show nothing of what stands in it, or less."""


def agent_vocabulary(state: type[State]) -> Vocabulary:
    """Return what a layout of an agent may hold.

    >>> from hud_components import HudState
    >>> known = agent_vocabulary(HudState)
    >>> "NotesSection" in known, "When" in known, "Link" in known, "Labelled" in known
    (True, True, False, False)
    """
    return Vocabulary(
        Hud, Compact, When, Each, Value, *state_class(state).sections, *STRUCTURE, own=""
    )


def state_class(given: object) -> type[State]:
    """Return the class of states that was given.

    :raises DefinitionError: for a domain, a session, a state, or what else is none, with what to give instead.

    >>> state_class(None)
    Traceback (most recent call last):
    ujsx.errors.DefinitionError: None is no class of states; give that of a domain, such as CODING.state, or session.domain.state
    """
    told = shown(given)
    if isinstance(given, type) and issubclass(given, State):
        return given
    what = "give that of a domain, such as CODING.state, or session.domain.state"
    raise DefinitionError(f"{told} is no class of states; {what}")


def check_agent_layout(text: str, state: type[State]) -> tuple[LayoutError, ...]:
    r"""Return all mistakes of an agent's layout, in their order; none if it can be shown.

    As :func:`check_layout` does, with the smaller vocabulary, and with what else an agent's layout
    may not do.

    >>> from hud_components import HudState
    >>> (error,) = check_agent_layout("<TaskSection/>\n\n[Docs](https://example.com)", HudState)
    >>> error.message
    'a Link may not stand here; write what it says as text, or as code'
    """
    if len(text) > LONGEST:
        message = f"it has {len(text):,} characters, and {LONGEST:,} is the most"
        return (LayoutError(message, line=1, column=1),)
    known = agent_vocabulary(state)
    found = check_layout(text, known, state=state, rule=_rule(state), without=WITHOUT)
    if found:
        return found
    whole = _as_a_whole(read_layout(text, known), state.sections)
    return (LayoutError(whole, line=1, column=1),) if whole else ()


def agent_layout_of_data(data: Mapping[str, Any], state: type[State]) -> str:
    """Return the document of an agent's layout that was given as a tree: ``{"type": "Hud", …}``.

    :raises LoadError: for what is no tree of the vocabulary.
    :raises LayoutError: for what stands where it cannot, each with its place in the data.

    >>> from hud_components import HudState
    >>> print(agent_layout_of_data({"type": "Hud", "children": [{"type": "TaskSection"}]}, HudState), end="")
    <Hud>
      <TaskSection/>
    </Hud>
    """
    known = agent_vocabulary(state)
    mistakes = check_tree(data, known, rule=_rule(state))
    found = [f"{place}: {message}" for place, message in mistakes]
    if found:
        raise LayoutError(_several(found))
    return write(load(data, known))


def read_agent_layout(text: str, state: type[State]) -> Element[Hud]:
    """Return the HUD of an agent's layout, with the sections that it shows in any case.

    :raises LayoutError: for a layout that cannot be shown; it tells of several mistakes.

    >>> from hud_components import HudState
    >>> hud = read_agent_layout("<Hud><NotesSection limit={3}/></Hud>", HudState)
    >>> [type(each).__name__ for each in hud.children]
    ['RulesList', 'NotesSection', 'CompactedContext', 'BlockersList', 'WarningBanner']
    """
    found = check_agent_layout(text, state)
    if found:
        raise LayoutError(
            _several([f"line {e.line}, column {e.column}: {e.message}" for e in found])
        )
    tree = read_layout(text, agent_vocabulary(state))
    hud, children = _opened(tree)
    return Element(hud, tuple(_with(children, added_sections(tree, state))))


def added_sections(tree: Element, state: type[State]) -> tuple[type[HudSection], ...]:
    """Return the sections that are shown in any case, and that a layout does not have.

    >>> from hud_components import HudState
    >>> [each.__name__ for each in added_sections(Hud()["Port 8080"], HudState)]
    ['RulesList', 'CompactedContext', 'BlockersList', 'WarningBanner']
    """
    if isinstance(tree.component, Hud) and not tree.children:  # it has the default sections
        return ()
    there = {type(each) for each in components_of(tree)}
    return tuple(each for each in state.sections if each.stays_shown and each not in there)


def _several(mistakes: Sequence[str]) -> str:
    more = len(mistakes) - TOLD
    return "; ".join([*mistakes[:TOLD], *([f"and {more} more"] if more > 0 else [])])


def _opened(tree: Element) -> tuple[Hud, Children]:
    component = tree.component
    if isinstance(component, Hud):
        return component, tree.children
    return Hud(), tree.children if component.is_fragment else (tree,)


def _with(children: Children, added: Iterable[type[HudSection]]) -> Iterator[Node]:
    """The children, and what they lack: what stands outside the budget first, what changes every turn at the
    end, the rest before that.
    """
    sections = [each() for each in added]
    yield from (each for each in sections if each.disclosure.is_apart)
    still = [each for each in sections if not (is_moving(each) or each.disclosure.is_apart)]
    moving = [each for each in sections if is_moving(each)]
    for child in children:
        if still and any(is_moving(each) for each in components_of(child)):
            yield from still
            still = []
        yield child
    yield from (*still, *moving)


def _as_a_whole(tree: Element, sections: Iterable[type[HudSection]]) -> str:
    """What is wrong with a layout as a whole, as a sentence; nothing if nothing is."""
    components = [*components_of(tree)]
    huds = sum(isinstance(each, Hud) for each in components)
    if huds > 1 or (huds and not isinstance(tree.component, Hud)):
        return "<Hud> stands around all else, and once"
    has_default = huds and not tree.children
    if not has_default and not any(isinstance(each, HudSection | Bound) for each in components):
        first = next(
            (each.__name__ for each in sections if each.field and not each.disclosure.is_apart),
            Value.__name__,
        )
        return f"it shows nothing of the session; put in a section, such as <{first}/>"
    return ""


def _rule(state: type[State]) -> Rule:
    """What has to be right of a component of an agent's layout, which are asked about in their order."""
    paths = paths_in(state)
    moving: Component | None = None

    def rule(
        component: Component, around: Sequence[Component], has_children: bool
    ) -> Iterator[tuple[str, str | UjsxError]]:
        nonlocal moving
        yield from paths(component, around, has_children)
        if isinstance(component, Hud) and not component.rules:
            yield "rules", "the user's rules are shown in any case; leave rules out"
        if isinstance(component, Each) and component.handle is not None:
            yield "handle", "the call that shows all is that of the list's section; leave it out"
        if isinstance(component, Each) and any(isinstance(each, Each) for each in around):
            yield (
                "",
                "it would show as many lines as both lists multiplied; put it beside the other <Each>",
            )
        if isinstance(component, HudSection):
            yield from _of_section(component, around)
        if component.disclosure is PLAIN:
            return
        if component.disclosure.layer == "turn":
            moving = moving or component
        elif moving is not None:
            yield "", ends_cache(type(moving).__name__, type(component).__name__)

    return rule


def _of_section(section: HudSection, around: Sequence[Component]) -> Iterator[tuple[str, str]]:
    name = type(section).__name__
    for prop in sorted(section.model_fields_set):
        if prop not in SETTINGS:
            yield prop, f"{name} shows what the session has; leave {prop} out"
        elif section.stays_shown:
            yield prop, f"{name} is shown in any case, and as it is; leave {prop} out"
    kinds = [each.kind if isinstance(each, Unread) else type(each) for each in around]
    hiding = next((kind for kind in kinds if kind in HIDING), None)
    if section.stays_shown and hiding is not None:
        yield "", f"{name} is shown in any case; put it outside of <{hiding.__name__}>"
    elif Each in kinds:
        yield "", f"{name} shows the session, and not an item; put it outside of <Each>"
