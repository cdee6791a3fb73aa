"""Layout documents: conditional parts, loops and values, and agents' layouts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, SkipValidation, model_validator

from hud_components._coding import HudState
from hud_components._models import ContextUsage
from hud_components.declaring._form import ids_of, omitted, whence
from hud_components.declaring._section import HudSection, bound, narrowed
from hud_components.declaring._state import State
from hud_components.declaring._values import WRITTEN, as_text
from hud_components.layout._hud import Hud, budget_for, components_of, ends_cache, is_moving
from hud_components.layout._parse import SECTIONS, Compact, Labelled
from hud_components.layout._paths import (
    BindingError,
    BoundComponent,
    Conditions,
    CurrentItems,
    Kinds,
    Path,
    Scopes,
    holder_at,
    is_any,
    items_in,
    kinds_at,
    named,
    path_errors,
    steps_from,
    value_at,
)
from hud_components.levels import Level, is_above, reached, thresholds_in
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    DefinitionError,
    Density,
    Disclosure,
    Element,
    Fragment,
    LayoutError,
    RenderContext,
    Rendered,
    RenderedSection,
    RenderError,
    Rung,
    UjsxError,
    Vocabulary,
    elided,
    load,
    mdast,
    read_layout,
    render_document,
)
from ujsx import write_layout as write
from ujsx.components import PLAIN, ComponentClass, Node, as_element
from ujsx.elements import (
    PRIMITIVES,
    List,
    Omitted,
    Paragraph,
    Section,
    TableCell,
    TableRow,
    code,
    em,
)
from ujsx.errors import listed, shown
from ujsx.layout import Rule, Unread, check_tree
from ujsx.layout import check_layout as check


class When(Conditions):
    """Shows its children where its conditions hold, and nothing elsewhere.

    >>> from ujsx import RenderContext, render
    >>> from hud_components import HudState, Note
    >>> state = HudState(notes=(Note(content="a"), Note(content="b")))
    >>> tree = When(field="notes", above=1)["More than one note."], When(has="task")["A task."]
    >>> print(render(tree, context=RenderContext().with_value(state)), end="")
    More than one note.
    """

    content_model = ContentModel((), is_transparent=True)

    _hints: ClassVar[Mapping[str, str]] = {
        "density": 'each section thins out by itself; for a context that fills up write level="yellow"'
    }

    any: Path | None = None
    """A list: the conditions hold for at least one of its items. Their paths begin in the item."""

    none: Path | None = None
    """A list: the conditions hold for none of its items. Their paths begin in the item."""

    level: Level | None = None
    """The context is at least that full."""

    @model_validator(mode="after")
    def _says_something(self) -> When:
        if all(getattr(self, name) is None for name in self.model_fields_set):
            raise ValueError("it has no condition; give has, lacks, field, any, none or level")
        if self.any is not None and self.none is not None:
            raise ValueError("any and none cannot both be given; put one When into another")
        return self

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        for name in ("any", "none"):
            path = getattr(self, name)
            if path is None:
                continue
            wrong = [*list_errors(name, path, scopes)]
            if wrong:
                yield from wrong
                return
            scopes = (items_in(kinds_at(scopes, path)) or (Any,), *scopes)
        yield from self.conditions(scopes)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        scopes = self.scopes(ctx)
        return children if self._is_reached(ctx) and self._holds(scopes) else None

    def _is_reached(self, ctx: RenderContext) -> bool:
        if self.level is None:
            return True
        usage: Any = getattr(bound(ctx), "usage", None)
        if not isinstance(usage, ContextUsage):
            return False
        return not is_above(self.level, reached(usage, thresholds_in(ctx)).level)

    def _holds(self, scopes: tuple[Any, ...]) -> bool:
        path = self.any or self.none
        if path is None:
            return self.hold(scopes)
        found = any(self.hold((item, *scopes)) for item in value_at(scopes, path) or ())
        return found if self.none is None else not found


def list_errors(prop: str, path: str, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
    """Yield the error of a path that is not a list's."""
    wrong = [*path_errors(prop, path, scopes)]
    yield from wrong
    if not wrong and items_in(kinds := kinds_at(scopes, path)) is None:
        yield BindingError(f'"{path}" is {named(kinds)}, and no list', prop=prop)


# A part of a layout repeated for each item of a list.


class Each(Conditions):
    """Repeats its children for each item of a list; paths in them begin in the item.

    With conditions, only for the items for which these hold. A list among the children grows:
    each item adds its lines. Where not all items are shown, it says how many are not.

    >>> from ujsx import RenderContext, render
    >>> from ujsx.elements import Item, List
    >>> from hud_components import HudState, Note, Value
    >>> state = HudState(notes=(Note(content="a"), Note(content="b")))
    >>> tree = Each(of="notes")[List()[Item()[Value(of="content")]]]
    >>> print(render(tree, context=RenderContext().with_value(state)), end="")
    - a
    - b
    """

    content_model = ContentModel((), is_transparent=True)
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            Rung(Density.COMPACT, 5),
            Rung(Density.FULL, 10),
            Rung(Density.FULL, 20),
            *(Rung(Density.FULL, limit, only_if_room=True) for limit in (24, 32, 40, 64)),
            Rung(Density.FULL),
        ),
        floor=Density.MINIMAL,
    )

    of: Path
    """Where the list is: names of fields with dots between them."""

    limit: Annotated[int, Field(ge=0)] | None = None
    """How many items are shown at most, whatever the density allows."""

    separator: str = ""
    """What stands between two items in a line."""

    handle: str | None = None
    """The call that shows all items; that of the list's section when None."""

    def disclosed(self) -> Disclosure:
        """Return the class's disclosure, narrowed by ``limit``."""
        return (
            self.disclosure if self.limit is None else narrowed(self.disclosure, None, self.limit)
        )

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        wrong = [*list_errors("of", self.of, scopes)]
        yield from wrong
        if not wrong:
            yield from self.conditions(self.inner_scopes(scopes))

    def inner_scopes(self, scopes: tuple[Kinds, ...]) -> tuple[Kinds, ...]:
        try:
            items = items_in(kinds_at(scopes, self.of))
        except BindingError:
            items = None
        return (items or (Any,), *scopes)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        if not children:
            raise RenderError(_NOTHING_REPEATED)
        scopes = self.scopes(ctx)
        items = [each for each in value_at(scopes, self.of) or () if self.hold((each, *scopes))]
        if not items:
            return None
        around = scopes[:-1]
        template = _list_in(children)
        inner = children if template is None else template.children
        gap = elided(len(items), ctx.limit)
        before = self._repeated(items[: gap.start], inner, around)
        behind = self._repeated(items[gap.stop :], inner, around)
        mark = self._mark(ctx, items[gap.start : gap.stop], brief=not (before or behind))
        if mark is None or (template is None and not (before and behind)):
            shown: Child = [*before, *behind, *_placed(mark, inner)]
            return shown if template is None else Element.of(template.component, shown)
        if template is None:
            return [*before, *_placed(mark, inner), *behind]
        if before and behind:
            return Element.of(template.component, [*before, mark, *behind])
        rows = [*before, *behind]
        return [rows and Element.of(template.component, rows), *_placed(mark, children)]

    def _repeated(self, items: Sequence[Any], children: Children, around: Scopes) -> list[Child]:
        made: list[Child] = []
        for item in items:
            if made and self.separator:
                made.append(self.separator)
            current = CurrentItems((item, *around))
            made.append(Element(ForItem.model_construct(current=current), children))
        return made

    def _mark(self, ctx: RenderContext, hidden: Sequence[Any], *, brief: bool) -> Omitted | None:
        if not hidden:
            return None
        state = ctx.get(State) or HudState()
        lists = (each for each in state.sections if each.kind is not None)
        section = next((each for each in lists if each.field == self.of), None)
        if section is not None and self.handle is None:
            return omitted(section.with_texts(ctx), section.name, hidden, brief=brief)
        return Omitted(count=len(hidden), handle=self.handle, brief=brief, ids=ids_of(hidden))


_NOTHING_REPEATED = "there is nothing to repeat; put what each item shows between its tags"


class ForItem(Component):
    """What stands for one item: its children, in the scope of the item. ``Each`` makes it."""

    content_model = ContentModel((), is_transparent=True)

    current: SkipValidation[CurrentItems]
    """The item, and those around it."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return a context in which paths start at the item."""
        return ctx.with_value(self.current)


def _list_in(children: Children) -> Element[List] | None:
    """Return the list that is the only child."""
    if len(children) != 1 or isinstance(children[0], str):
        return None
    element: Any = as_element(children[0])
    return element if isinstance(element.component, List) else None


def _placed(mark: Omitted | None, children: Children) -> list[Child]:
    """Return a mark in the form required beside the children."""
    if mark is None:
        return []
    first = next((each for each in children if not isinstance(each, str)), None)
    if first is None or isinstance(children[0], str):
        return [mark]
    element = as_element(first)
    model = type(element.component).content_model
    if model is None:
        return [mark]
    if model.is_transparent:
        return _placed(mark, element.children)
    if "table" in model.stands_as:
        return [TableRow()[TableCell()[mark]]]
    if "row" in model.stands_as:
        return [TableCell()[mark]]
    return [Paragraph()[mark]] if "flow" in model.stands_as else [mark]


# A value of the state, as text in a line.


class Value(BoundComponent):
    r"""Shows a value of the state, or of the current item, as text; nothing where there is none.

    A number has one decimal at most; dates and times are as ISO 8601 has them. Of a list it shows how
    many items there are. What is not the agent's own says so.

    >>> from ujsx import RenderContext, render
    >>> from hud_components import HudState, Task
    >>> state = HudState(task=Task(description="Add *login*"))
    >>> print(render(Value(of="task.description"), context=RenderContext().with_value(state)), end="")
    Add \*login\*
    """

    content_model = ContentModel(("phrasing",))
    takes_children: ClassVar[bool] = False

    of: Path
    """Where the value is: names of fields with dots between them, "." for the current item."""

    code: bool = False
    """Whether it is shown as code."""

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        wrong = [*path_errors("of", self.of, scopes)]
        yield from wrong
        if wrong:
            return
        kinds = kinds_at(scopes, self.of)
        if items_in(kinds) is not None or is_any(kinds, *WRITTEN):
            if kinds == (bool,):
                message = f'"{self.of}" is yes or no; ask for it: <When has="{self.of}">'
                yield BindingError(message, prop="of")
            return
        fields = list(steps_from(kinds))
        advice = (
            f"name one of its fields: {listed(fields)}" if fields else "no line shows such a value"
        )
        yield BindingError(f'"{self.of}" is {named(kinds)}; {advice}', prop="of")

    def render(self, ctx: RenderContext, children: Children) -> Child:
        scopes = self.scopes(ctx)
        text = _text(value_at(scopes, self.of))
        if not text:
            return None
        source = whence(ctx, holder_at(scopes, self.of))
        return [code(text) if self.code else text, source and [" ", em(source)]]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    if value is None or isinstance(value, WRITTEN):
        return "" if value is None else as_text(value)
    return str(len(value))


# The check of HUD layouts, including their paths along the classes of the state.


@cache
def layout_vocabulary() -> Vocabulary:
    """Return the vocabulary of HUD layouts: sections, wrappers, and primitives.

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
    r"""Return all mistakes of a HUD's layout, in order; none if it is valid.

    These are the mistakes of :func:`ujsx.check_layout`, and unknown paths in the state.

    :param vocabulary: the components that may appear; :func:`layout_vocabulary` when ``None``.
    :param state: the class of the states that the layout will show.
    :param context: the context of the rendering; an empty state of that class when ``None``.
    :param rule: the check of components; by default that their paths exist.
    :param without: Markdown nodes that are not allowed.
    :raises ValueError: for a class without an empty state, if there is no context.

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
    """Return the rule that paths exist in a state of that class."""

    def rule(
        component: Component, around: Sequence[Component], has_children: bool
    ) -> Iterator[tuple[str, str | UjsxError]]:
        if not isinstance(component, BoundComponent):
            return
        scopes: tuple[Kinds, ...] = ((state,),)
        for each in around:
            if isinstance(each, BoundComponent):
                scopes = each.inner_scopes(scopes)
            elif isinstance(each, Unread) and each.kind is Each:
                scopes = ((Any,), *scopes)  # in any loop
        for error in component.bindings(scopes):
            yield error.prop, error
        if isinstance(component, Each) and not has_children:
            yield "", _NOTHING_REPEATED

    return rule


LONGEST = 8_000
"""The most characters of an agent's layout; far fewer are allowed for its own text (:func:`check_ceiling`)."""

TOLD = 8
"""The most mistakes reported at once; the rest is counted."""

SETTINGS = ("density", "limit", "show_ids")
"""The props of a section that a layout may set; the others are its data, from the session."""

_STRUCTURE = (
    "Section Heading Paragraph List Item Strong Emphasis Strikethrough InlineCode CodeBlock BlockQuote Table TableRow"
    " TableCell ThematicBreak LineBreak"
)
STRUCTURE: tuple[type[Component], ...] = tuple(PRIMITIVES[each] for each in _STRUCTURE.split())
"""The allowed primitives: no links, no omission marks, and nothing beyond Markdown."""

WITHOUT: frozenset[type[mdast.Node]] = frozenset({
    mdast.Link, mdast.LinkReference, mdast.Image, mdast.ImageReference, mdast.Definition,
    mdast.FootnoteReference, mdast.FootnoteDefinition, mdast.Html, mdast.Yaml,
})  # fmt: skip
"""The disallowed Markdown nodes, for the same reasons."""

HIDING: tuple[type[Component], ...] = (When, Each, Compact)
"""Components that may hide or shorten their children."""


def agent_vocabulary(state: type[State]) -> Vocabulary:
    """Return the vocabulary of agents' layouts.

    >>> from hud_components import HudState
    >>> known = agent_vocabulary(HudState)
    >>> "NotesSection" in known, "When" in known, "Link" in known, "Labelled" in known
    (True, True, False, False)
    """
    sections = state_class(state).sections
    own = {each.__name__ for each in sections}
    usual: tuple[type[Component], ...] = (Hud, Compact, When, Each, Value, *STRUCTURE)
    known = (each for each in usual if each.__name__ not in own)
    return Vocabulary(*sections, *known, own="")


def state_class(given: object) -> type[State]:
    """Return the class of states for an argument.

    :raises DefinitionError: for a domain, a session, a state, or any other value, with the one to pass instead.

    >>> state_class(None)
    Traceback (most recent call last):
    ujsx.errors.DefinitionError: None is not a class of states; give that of a domain, such as CODING.state, or session.domain.state
    """
    told = shown(given)
    if isinstance(given, type) and issubclass(given, State):
        return given
    what = "give that of a domain, such as CODING.state, or session.domain.state"
    raise DefinitionError(f"{told} is not a class of states; {what}")


def check_agent_layout(text: str, state: type[State]) -> tuple[LayoutError, ...]:
    r"""Return all mistakes of an agent's layout, in order; none if it can be shown.

    These are the mistakes of :func:`check_layout` with the smaller vocabulary, and the other restrictions of agents'
    layouts.

    >>> from hud_components import HudState
    >>> (error,) = check_agent_layout("<TaskSection/>\n\n[Docs](https://example.com)", HudState)
    >>> error.message
    'a Link is not allowed here; write what it says as text, or as code'
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
    """Return the document of an agent's layout from a tree: ``{"type": "Hud", …}``.

    :raises LoadError: for data that are not a tree of the vocabulary.
    :raises LayoutError: for misplaced nodes, each with its place in the data.

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
    """Return the HUD of an agent's layout, with the mandatory sections.

    :raises LayoutError: for a layout that cannot be shown; it lists several mistakes.

    >>> from hud_components import HudState
    >>> hud = read_agent_layout("<Hud><NotesSection limit={3}/></Hud>", HudState)
    >>> [type(each).__name__ for each in hud.children]
    ['RulesList', 'NotesSection', 'CompactedContext', 'BlockersList', 'WarningBanner']
    """
    found = check_agent_layout(text, state)
    if found:
        told = [f"line {each.line}, column {each.column}: {each.message}" for each in found]
        raise LayoutError(_several(told))
    tree = read_layout(text, agent_vocabulary(state))
    hud, children = _opened(tree)
    return Element(hud, tuple(_with(children, added_sections(tree, state))))


def added_sections(tree: Element, state: type[State]) -> tuple[type[HudSection], ...]:
    """Return the mandatory sections that a layout lacks.

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
    """Return the children with the added sections: those outside the budget first, those that change every turn last,
    the rest before them.
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
    """Return the mistake of a layout as a whole, as a sentence, or nothing."""
    components = [*components_of(tree)]
    huds = sum(isinstance(each, Hud) for each in components)
    if huds > 1 or (huds and not isinstance(tree.component, Hud)):
        return "<Hud> encloses everything, once"
    has_default = huds and not tree.children
    if not has_default and not any(
        isinstance(each, HudSection | BoundComponent) for each in components
    ):
        first = next(
            (each.__name__ for each in sections if each.field and not each.disclosure.is_apart),
            Value.__name__,
        )
        return f"it shows nothing of the session; put in a section, such as <{first}/>"
    return ""


def _rule(state: type[State]) -> Rule:
    """Return the check of an agent's layout's components, called in order."""
    paths = paths_in(state)
    moving: Component | None = None

    def rule(
        component: Component, around: Sequence[Component], has_children: bool
    ) -> Iterator[tuple[str, str | UjsxError]]:
        nonlocal moving
        yield from paths(component, around, has_children)
        if isinstance(component, Hud) and not component.rules:
            yield "rules", "the user's rules are shown in any case; leave rules out"
        if isinstance(component, Hud) and type(component) is not Hud:
            yield "state", "a HUD shows what the session has; leave its state out"
        if isinstance(component, Each) and component.handle is not None:
            yield "handle", "the call that shows all is that of the list's section; leave it out"
        if isinstance(component, Each) and any(isinstance(each, Each) for each in around):
            why = "it would show as many lines as both lists multiplied"
            yield "", f"{why}; put it beside the other <Each>"
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


# The share of a HUD available to an agent's layout for its own text.
#
# A section's data are bounded by its ladder, but the text between sections is shown at any budget. So it may take a
# share of the HUD's budget; a layout that takes more is not shown, and the HUD uses its next layout.

SHARE = 2
"""The divisor of the HUD's budget for a layout's own text."""


def ceiling_of(state: State, budget: int | None = None) -> int:
    """Return the most tokens of a HUD with an agent's layout.

    :param budget: the budget of the rendering; when ``None``, that of the last reading, or of an empty context.

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
    """Return the rendering of an agent's layout within the HUD's ceiling.

    :param tree: the result of :func:`read_agent_layout`.
    :param state: the state that it shows.
    :param budget: that of the rendering, in tokens, if it has one.
    :param render: renders a tree.
    :param default: renders the HUD without the layout; called only for a large HUD.
    :raises LayoutError: for a layout whose own text takes more than a quarter of the ceiling, that exceeds both the
        ceiling and the default, or that has no room for mandatory content.
    """
    ceiling = ceiling_of(state, budget)
    rendered = render(tree)
    own = (each.tokens for each in rendered.nodes if not isinstance(each, RenderedSection))
    _check(sum(own), ceiling)  # the tokens outside of ladders
    stays = {each.__name__ for each in state.sections if each.stays_shown}
    for each in rendered.sections:
        if each.rung is None and each.name in stays:
            raise LayoutError(f"it leaves no room for {each.name}; give other sections a limit")
    if rendered.budgeted > ceiling and rendered.budgeted > default().budgeted:
        why = f"the HUD takes {rendered.budgeted:,} tokens with it, and {ceiling:,} is the most"
        raise LayoutError(f"{why}; give sections a limit")
    return rendered


def check_ceiling(tree: Element, state: State) -> Rendered:
    r"""Return the rendering of a state with an agent's layout, before it is set.

    Its own text is measured with all conditions true, to cover future states as far as known.

    :raises LayoutError: for a layout that takes too much.

    >>> from hud_components import HudState
    >>> from hud_components.layout._documents import read_agent_layout
    >>> wordy = read_agent_layout("<TaskSection/>\n\n" + "word " * 300, HudState)
    >>> check_ceiling(wordy, HudState())
    Traceback (most recent call last):
    ujsx.errors.LayoutError: its own text takes 277 tokens, and 250 is the most, half of the 500 that the HUD may have; say it shorter
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
        most = f"{ceiling // SHARE:,} is the most, half of the {ceiling:,} that the HUD may have"
        raise LayoutError(f"its own text takes {own:,} tokens, and {most}; say it shorter")


def _words_of(node: Node) -> Node:
    """Return a layout without the session's content."""
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
    elif model is not None and model.is_transparent:  # conditional or repeated parts
        component = Fragment()
    return Element.of(component, children)
