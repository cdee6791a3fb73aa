"""The base of all sections, a section as a tool, and sections that only show."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, wraps
from inspect import signature
from types import MappingProxyType, NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
)

from msgspec.structs import replace
from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from hud_components._levels import THRESHOLDS, Thresholds, thresholds_in
from hud_components._models import (
    ContextUsage,
    HudItem,
    HudModel,
    Milliseconds,
    Origin,
    taking_texts,
)
from hud_components.declaring._checks import check_declared, check_disclosure
from hud_components.declaring._declare import SectionType, declared_texts, noun_of
from hud_components.declaring._form import Form
from hud_components.declaring._lines import SectionWarning, warn
from hud_components.declaring._state import (
    FACTS,
    NOTHING,
    Standing,
    State,
    disclosed_as,
    standing_of,
)
from hud_components.declaring._values import Faults
from hud_components.folding import VERBS, Add, Kind, Moment, Payload, Verb, items_of
from hud_components.words._cut import Label
from hud_components.words._request_words import RequestWords
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    DefinitionError,
    Density,
    DensityLike,
    Disclosure,
    PropError,
    RenderContext,
    Renderer,
    Rung,
)
from ujsx.calls import resolving
from ujsx.components import fields_of, settled
from ujsx.components._context import Now
from ujsx.elements import Brief, Paragraph, Section
from ujsx.errors import did_you_mean, listed, shown
from ujsx.trees import disclosed_context

# Types of props that take more than they hold: a text for an item, a list for a tuple, a name for a density.
#
# Pydantic sees the type of what a prop holds. Type checkers see what may be given, too.

HeldT = TypeVar("HeldT")
GivenT = TypeVar("GivenT")
ItemT = TypeVar("ItemT", bound=HudModel)

if TYPE_CHECKING:

    class Prop(Generic[HeldT, GivenT]):
        """A prop that holds the first type and is given the second."""

        def __get__(self, node: object, section: object, /) -> HeldT: ...

        def __set__(self, node: object, given: GivenT, /) -> None: ...

else:

    class Prop:
        """The type that a prop holds."""

        def __class_getitem__(cls, types):  # noqa: ANN001, ANN204
            return types[0]


ItemsProp: TypeAlias = Prop[
    tuple[ItemT, ...] | None, Iterable[ItemT | Mapping[str, Any] | str] | None
]
"""The type of a prop that holds items: ``remedies: ItemsProp[Remedy] = UNSET``.

Each may be given as an item, as its fields, or as the text of its first required text field.
"""

ValueProp: TypeAlias = Prop[ItemT | None, ItemT | Mapping[str, Any] | str | None]
"""The type of a prop that holds one value, given in the same ways: ``ticket: ValueProp[TicketInfo]``."""

UsageProp: TypeAlias = Prop[ContextUsage | None, ContextUsage | Mapping[str, Any] | str | None]
"""The type of a prop that holds a use of the context, which a share such as "67%" stands for, too."""

UNSET: Any = None
"""The default of such props: None, which type checkers take for any type."""


# A section as a tool: what a model fills in is the data alone.
#
# Ids, times and origins are the store's; densities, limits and what is left out the renderer's. None of
# them is in the schema of the tool, and a call that has one is refused.

SETTINGS = frozenset(
    {
        "after",
        "age",
        "as_list",
        "density",
        "first",
        "keep",
        "limit",
        "now",
        "refresh",
        "recalled",
        "show_ids",
        "unconfirmed",
        "standing",
        "state",
        "step",
        "unlisted",
        "unlisted_at",
        "unlisted_done",
        "updated_at",
    }
)
"""Props that say how a section shows what it has, or when."""


@lru_cache(maxsize=256)
def tool_model(section: Any) -> type[BaseModel]:
    """Return the model of what a section's tool takes: its data, which it requires.

    :raises DefinitionError: for a base of sections, which has no data.
    """
    if hasattr(section, "holds_items"):
        check_declared(section)
    fields: dict[str, Any] = {}
    for name, info in section.model_fields.items():
        if name not in SETTINGS:
            fields[name] = (_needed(section, name, info), _required(section, name, info))
    return create_model(
        section.__name__, __base__=HudModel, __doc__=section.__doc__, __module__=__name__, **fields
    )


def _needed(section: Any, name: str, info: FieldInfo) -> Any:
    """The type of a prop that has to be given: a draft in place of an item, and never None."""
    if name == section.prop and section.draft is not None:
        draft: Any = section.draft
        return tuple[draft, ...] if section.kind is not None else draft
    given = tuple(each for each in get_args(info.annotation) if each is not NoneType)
    has_none = NoneType in get_args(info.annotation)
    union: Any = Union  # for type checkers, which know it only in annotations
    return union[given] if has_none and given else info.annotation


def _required(section: Any, name: str, info: FieldInfo) -> FieldInfo:
    """A prop without a default, and without what its description says of one."""
    said = (info.description or "").partition("; ")[0].strip().removesuffix(".")
    if not said and name == section.prop and hasattr(section, "holds_items"):
        noun = declared_texts(section)[f"{section.name}.noun"]
        words = section.name.replace("_", " ")
        is_named = section.noun or noun != noun_of(section.value, words)  # else the name says more
        said = f"The {noun.rpartition('|')[-1] if is_named else words}"
    return FieldInfo(description=f"{said}." if said else None)


def of_tool(section: Any, said: BaseModel) -> Any:
    """Return the section that shows what a call of its tool says."""
    given: dict[str, Any] = dict(said)
    prop = section.prop
    if prop in given and section.draft is not None:
        value: Any = given[prop]
        is_list = section.kind is not None
        made = [_of_draft(section, draft) for draft in (value if is_list else (value,))]
        given[prop] = tuple(made) if is_list else made[0]
    return section(**given)


def _of_draft(section: Any, draft: BaseModel) -> Any:
    return section.value(**{name: value for name, value in draft if name in draft.model_fields_set})


_OF_DATA = ("items", "item", "value", "data", "str", "list", "tuple", "dict")
"""Names that callers give a section's data; the last ones are the classes of data that they give without one."""

Telling: TypeAlias = Literal["always", "missing", "never"]
"""The changes that are told: all; those of a section of which nothing was told, nor stands in the request; or none."""


_NOTHING: Mapping[str, object] = MappingProxyType({})


@settled
class HudSection(Component, metaclass=SectionType):
    """A part of the HUD. Its data come with its props, or from the state bound to the context.

    :class:`ItemsSection` lists items, :class:`ValueSection` has one value: both are what verbs make
    of them. A :class:`View` has neither; it shows what others have.
    """

    content_model = ContentModel(("flow",))
    takes_children: ClassVar[bool] = False

    name: ClassVar[str] = ""
    """What its operations begin with, and its words: "notes" for "notes.add" and "notes.title"."""

    field: ClassVar[str] = ""
    """The field of the state that holds its value; its name, unless it says another one. Empty for
    a view."""

    prop: ClassVar[str] = ""
    """The prop that holds its value; its field, unless it says another one."""

    aliases: ClassVar[tuple[str, ...]] = ()
    """What else agents call it, such as "plan": operations and events are understood under these names, too."""

    other_tools: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Names of other systems' tools for its items, written exactly so, each with the verb that it stands for."""

    event: ClassVar[str] = ""
    """What the types of its events begin with; its name, unless it says another one."""

    budget: ClassVar[int | None] = None
    """How many tokens it may take at most, whatever there is for the whole HUD."""

    verbs: ClassVar[tuple[str | Verb, ...]] = ()
    """What can happen to it: verbs by name (:data:`VERBS`), or of one's own."""

    on: ClassVar[Mapping[str, Callable[[Any, Any, Any], Any]]] = MappingProxyType({})
    """What other events do to it, by their type: a pure function of its value, what the event says,
    and the :class:`Moment`."""

    is_reported: ClassVar[bool] = False
    """Whether hosts report it, so that a change of it does not make a HUD fresh."""

    has_operations: ClassVar[bool] = True
    """Whether an agent can change it: False where its events come from hosts and transcripts alone, so
    that the tool has no operation of it."""

    reads_back: ClassVar[bool] = True
    """Whether its text is read back. Where not, a hole of its lines holds any value as its text, a HUD that
    is read keeps the section as Markdown, and its text cannot be edited."""

    why_fixed: ClassVar[str] = ""
    """Why its text cannot be edited, as a sentence without a full stop. Empty where it can, and where
    that follows: because hosts report it, it is not read back, or it has no verbs that an edit could come
    to."""

    texts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """More of its fixed texts by name, and the call that shows all: ``"risks.handle"``."""

    texts_without_signs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What says in words what its texts and lines say in signs, by their names."""

    opening: ClassVar[tuple[str, ...]] = ()
    """The names of more fixed texts that it may begin with, beside its title and the lines of its value:
    what a label stands before."""

    other_forms: ClassVar[tuple[Form, ...]] = ()
    """The ways to write what is neither an item nor its value."""

    lone_forms: ClassVar[tuple[Form, ...]] = ()
    """The ways to write an item as a paragraph of its own, where the HUD is dense."""

    is_cut: ClassVar[bool] = True
    """Whether a dense HUD may show a count in place of its items."""

    is_sourced: ClassVar[bool] = True
    """Whether its items, or its value, know who said them, in which turn and event; then what is not
    the agent's own says so where it is shown."""

    alerts: ClassVar[bool] = False
    """Whether that there is something in it is an alert: the status line says so."""

    stays_shown: ClassVar[bool] = False
    """Whether a layout that the agent has set shows it in any case: it is added where it lacks."""

    told_in_changes: ClassVar[Telling] = "always"
    """The deltas of a delivery that tell of it. Words of the conversation are in the history that the delta goes into: it
    tells them where the request has none of them and no delivery told them."""

    revision: ClassVar[int] = 1
    """Raised when the same events give another value: older snapshots are then not used."""

    former: ClassVar[tuple[str, ...]] = ()
    """Names that it had: old events, and old states, are read under them."""

    former_fields: ClassVar[Mapping[str, str | None]] = MappingProxyType({})
    """Names that fields had, each with today's: ``{"what": "summary"}``; None for one that is gone."""

    upcasts: ClassVar[Mapping[str, Callable[[dict[str, Any]], Mapping[str, Any]]]] = (
        MappingProxyType({})
    )
    """By an event's type, what makes of a recorded payload one that today's model reads. It is asked
    only of what the model does not read as it stands."""

    kind: ClassVar[Kind | None] = None
    """What tells its items apart; None where it has no items."""

    value: ClassVar[Any] = None
    """The model of its items, or of its value."""

    draft: ClassVar[Any] = None
    """The model of what an author fills in."""

    kept: ClassVar[type[Payload] | None] = None
    """What an event says of an item when all items are replaced; as much as of a new one if None."""

    from_project: ClassVar[bool] = False
    """Whether a new session starts with what its project has of it."""

    from_parent: ClassVar[bool] = False
    """Whether a new session starts with what its parent has of it, as far as that is open."""

    takes_results: ClassVar[bool] = False
    """Whether what children hand back becomes items of it; a domain's first one that says so gets them."""

    @classmethod
    def _hint_for(cls, name: str) -> str | None:
        from hud_components.declaring._spellings import names_of  # only mistakes need it
        from ujsx.tools._names import folded

        names = (*_OF_DATA, getattr(cls.value, "__name__", ""), *names_of(cls))
        if cls.prop and folded(name) in map(folded, names):
            return f"write {cls.__name__}({cls.prop}=…)"
        return super()._hint_for(name)

    @classmethod
    def inherited(cls, value: Any, origin: Origin) -> Any:
        """Return an item, or a value, as a new session starts with it: it says where it is from."""
        if cls.kind is not None and cls.kind.key == "id":
            return value.model_copy(update={"id": f"{origin}:{value.id}"})
        return value.model_copy(update={"origin": origin}) if hasattr(value, "origin") else value

    has_paragraphs: ClassVar[bool] = False
    """Whether an item may have several lines and paragraphs."""

    can_replace: ClassVar[bool] = False
    """Whether an event can replace all items at once: where one verb adds an item, and they are not shown
    in any case."""

    @classmethod
    def beyond(cls, value: Any, request: RequestWords) -> Any:
        """Return what a delivery has to tell of a value, beside the words that the request has: all of it, as a rule.

        What an agent recorded is always told.
        """
        return value

    @classmethod
    def cleared(cls, value: Any, moment: Moment) -> Any:
        """Return what is left of a value when the section is emptied: nothing, as a rule."""
        return None if cls.kind is None else ()

    @classmethod
    def replaced(cls, items: Any, drafts: Any, moment: Moment) -> Any:
        """Return the items that drafts make, where known ones keep what the store knows of them."""
        for verb in cls.verbs:
            adding = VERBS.get(verb) if isinstance(verb, str) else verb
            if isinstance(adding, Add):
                return items_of(cls, adding, items, drafts, moment)
        raise DefinitionError(f"{cls.__name__} has no verb that adds an item")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        says_so = "budget" in vars(cls) or cls.budget is not None
        faults = Faults()
        if says_so and isinstance(cls.disclosure, Disclosure):  # what is none is refused below
            with faults:
                cls.disclosure = _within(cls)
        super().__pydantic_init_subclass__(**kwargs)
        with faults:
            check_disclosure(cls)
        with faults:
            cls._declare(faults)
        faults.check()
        for name, line in _CALLED_BY.items():
            own: Any = vars(cls).get(name)
            function: Any = getattr(own, "__func__", own)  # of a class method
            if function is not None:
                called = resolving(write=line)(function)
                setattr(cls, name, called if function is own else classmethod(called))
        if not cls.reads_back and not cls.why_fixed:
            cls.why_fixed = "its lines are not read back: reads_back = False"
        _check_render(cls)

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        """Fill in what follows from the declaration, and note what is wrong with it."""

    density: Prop[Density | None, DensityLike | None] = UNSET
    """How dense this section is, whatever the HUD is."""

    limit: Annotated[int, Field(ge=0)] | None = None
    """How many items it shows at most, whatever the HUD's density allows."""

    standing: Annotated[Standing | None, Field(repr=False)] = None
    """Whether it is pinned open, folded, or as usual; what the bound state says when None."""

    def __init__(self, /, *positional: Any, **props: Any) -> None:
        try:
            super().__init__(*positional, **props)
        except PropError:
            from hud_components.declaring._repairs import repaired_props  # only what is refused

            if hasattr(type(self), "holds_items") and not self.prop:
                check_declared(type(self))
            meant = repaired_props(type(self), positional, props)
            if meant == props:
                raise
            super().__init__(**meant)

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # it adds nothing but what is refused

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        """Return the section with what a state has for it, or ``None`` where that is nothing.

        :param usage: the use of the context.
        :param now: what time it is, in milliseconds since the Unix epoch.
        """
        value = getattr(state, cls.field) if cls.field else None
        return None if value is None else cls.model_construct(**{cls.prop: value})

    @classmethod
    def forms_at(cls, density: Density) -> tuple[Form, ...]:
        """Return the ways to write an item, or a value, at a density."""
        return ()

    @classmethod
    def with_texts(cls, ctx: RenderContext) -> RenderContext:
        """Return a context with the section's own texts, where the caller did not replace them."""
        if not cls.texts:
            return ctx
        label = ctx.values.get(Label)
        own = cls.texts if label is None else {**cls.texts, **cls._labelled(label)}
        return replace(ctx, texts={**own, **ctx.texts} if ctx.texts else own)

    @classmethod
    def _labelled(cls, label: Label) -> Mapping[str, str]:
        """What it begins with, with a label before it."""
        lines = {form.text: form.source for form in (*cls.lone_forms, *cls.other_forms)}
        own = {**cls.texts, **lines}
        begins = (f"{cls.name}.title", *cls.opening)
        return {name: label.before(own[name]) for name in begins if name in own}

    @classmethod
    def listing(cls, item: Any, ctx: RenderContext) -> Child:
        """Return an item as a list of all items has it: with its id, and all that it says; ``ctx`` has the words."""
        raise DefinitionError(f"{cls.__name__} has no items to list")

    @classmethod
    def told(cls, value: Any, ctx: RenderContext) -> Child:
        """Return a value as an answer tells it: all that it says; ``ctx`` has the words."""
        raise DefinitionError(f"{cls.__name__} has no value to tell")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any, /) -> Any:
        return taking_texts(cls, super().__get_pydantic_core_schema__(source, handler))

    @classmethod
    def tool_model(cls) -> type[BaseModel]:
        return tool_model(cls)

    @classmethod
    def of_tool(cls, said: Any) -> Self:
        made: Self = of_tool(cls, said)
        return made

    def disclosed(self) -> Disclosure:
        """Return the class's disclosure, narrowed by ``density`` and ``limit``, pinned or folded."""
        own = None
        if self.density is not None or self.limit is not None:
            own = narrowed(self.disclosure, self.density, self.limit)
        if self.standing in ("pinned", "folded"):
            return disclosed_as(type(self), self.standing, own)
        return self.disclosure if own is None else own

    def brief(self) -> Component:
        """Return what holds its text at minimal density: a line that others share, if it is read back."""
        return Brief() if self.reads_back else Paragraph()

    def in_context(self, ctx: RenderContext) -> Self:
        """Return the section as the bound state has it: pinned, folded, or as it is."""
        state = None if self.standing is not None else ctx.get(State)
        return self if state is None else self.as_set(state)

    def as_set(self, state: State) -> Self:
        """Return the section pinned or folded, and with what else of it a state says beside its value."""
        told = self.told_by(state)
        made = self.model_copy(update=told) if told else self
        if not (state.pinned_sections or state.folded_sections):
            return made
        standing = standing_of(type(self), state)
        return made if standing is None else made.standing_as(standing)

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        """Return the props that a state tells beside the section's value: none, as a rule."""
        return _NOTHING

    def standing_as(self, standing: Standing) -> Self:
        """Return the section pinned, folded, or as usual, whatever a state says."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return self.model_construct(None, **{**given, "standing": standing})

    def as_shown(
        self, density: DensityLike = Density.FULL, context: RenderContext | None = None
    ) -> Self | None:
        r"""Return the section cut to what its rendering says, or ``None`` if it says nothing.

        It renders to the same text, and it is what ``parse`` reads from that text: ids, times and
        whatever else is not shown are as if they had not been given.

        :param density: the density of the rendering.
        :param context: the context of the rendering; its density counts when ``density`` does not.

        >>> from hud_components import Note, NotesSection
        >>> notes = NotesSection(notes=(Note(id="n-1", content="Port\n8080"), Note(content="b")))
        >>> notes.as_shown("compact").notes[0].content
        'Port 8080'
        """
        ctx = (context or RenderContext()).with_density(density)
        if self.disclosed().budget is not None:
            [piece] = Renderer(context=ctx).pieces(self)
            if piece.is_hidden:
                return None
            ctx = piece.context
        return self.as_shown_in(disclosed_context(self, ctx))

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        """Return the section cut to what it says on the rung that the context stands on."""
        raise DefinitionError(
            f"{type(self).__name__} does not say what it shows; define as_shown_in(ctx), and lift"
        )

    def said_in(self, ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
        """Return the fields that it tells on the rung that the context stands on, of each item that
        it shows, or of its value. A field that is required need not be among them.
        """
        return ()

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        """Return the section that blocks start with and how many of them it takes, or ``None``.

        A section that does not define it is not read back: it stays Markdown in a lifted HUD.

        :param blocks: mdast blocks, at least one; later ones may belong to other sections.
        :param ctx: the fixed texts; its depth is the number of sections around.
        """
        return None


_CALLED_BY = {
    "render": "write render(node), from ujsx import render",
    "parse": "write parse(text), from hud_components import parse",
}
"""By a method that others call with what they know, what its author writes instead."""


@lru_cache(maxsize=256)
def narrowed(disclosure: Disclosure, density: Density | None, limit: int | None) -> Disclosure:
    """Return a disclosure of one density alone, and of so many items at most."""
    rungs = [disclosure.at(each) for each in (Density if density is None else (density,))]
    ladder: dict[Density, Rung] = {}
    for rung in rungs:
        limits = [each for each in (rung.limit, limit) if each is not None]
        if rung.density is Density.FULL or density is not None:
            limits = limits[-1:]  # the author's limit counts, above the usual one too
        ladder[rung.density] = Rung(rung.density, min(limits, default=None))
    return dataclasses.replace(disclosure, ladder=tuple(ladder.values()))


def _within(section: type[HudSection]) -> Disclosure:
    try:
        return dataclasses.replace(section.disclosure, budget=section.budget)
    except DefinitionError as error:
        raise DefinitionError(f"{section.__name__}.budget: {error}") from None


def _check_render(section: type[HudSection]) -> None:
    """Say once of a section with a ``render`` of its own what its lines would do and that does not."""
    own = vars(section)
    if (
        "render" not in own
        or not section.reads_back
        or not hasattr(section, "holds_items")
        or not {"parse", "read"}.isdisjoint(own)
        or section.__module__.startswith("hud_components.")
    ):
        return
    fields = fields_of(section.value).keys() - fields_of(HudItem).keys()
    field = next((name for name in fields_of(section.value) if name in fields), "what")
    lines = getattr(section, "lines", None) or {"full": f"{{{field}}}"}
    warn(
        f"{section.__name__}.render: its text is not read back or edited, and no density makes it shorter; leave render "
        f"out, and write lines = {dict(lines)}; or define parse, too; reads_back = False says that it is meant"
    )


def titled(title: str) -> Section:
    """Return the section of that title."""
    return Section.model_construct(title=title)


def bound(ctx: RenderContext) -> Any:
    """Return the state that a section without data of its own shows; an empty one if none."""
    return ctx.get(State) or NOTHING


def of_bound(section: HudSection, ctx: RenderContext, nothing: Any = None) -> Any:
    """Return what the bound state has of a section, or ``nothing`` where no state is bound.

    Says so, as a :class:`LayoutWarning`, where the section is none of the state's domain.
    """
    state = ctx.get(State)
    if state is None:
        return nothing
    found = getattr(state, section.field, _LACKS)
    if found is not _LACKS:
        return found
    name, has = type(section).__name__, [each.__name__ for each in state.sections]
    warn(
        f"{name} shows nothing: it is not a section of the domain of the {type(state).__name__} that is bound, which has "
        f"{listed(has) or 'none'}; add it to the sections of that Domain, take it out of the layout, or give it its "
        f"data: {name}({section.prop}=…)",
        SectionWarning,
    )
    return nothing


_LACKS = object()


# Sections that only show: what other sections and the facts of the session come to.


class View(HudSection):
    r"""A section without a value and without verbs: it is made of what others have.

    It says what that is, in ``reads``, and finds it in :meth:`read` when it renders; nothing else of
    the state is there, so that it is made anew only when that changes.

    One that has props of its own takes them from a state in :meth:`of_state`. Where it stands in a
    layout without them, they are taken so from the bound state, with its use of the context and the
    context's ``Now``; where some are given, only others that are None. It shows nothing where
    :meth:`of_state` gives None.

    >>> from hud_components import HudState, NotesSection
    >>> from ujsx import render
    >>> class NoteCount(View):
    ...     reads = (NotesSection,)
    ...     def render(self, ctx, children):
    ...         return f"{len(self.read(ctx)[NotesSection])} notes"
    >>> render(NoteCount.of_state(HudState()))
    '0 notes\n'
    """

    reads: ClassVar[tuple[type[HudSection] | str, ...]] = ()
    """The sections, and the facts by name ("session", "usage" …), that it is made of; "now", where
    it tells the time."""

    state: State | None = None
    """The part of a state that it is made of; that of the bound state when None."""

    now: Milliseconds | None = None
    """What time it is, where it reads that; the context's ``Now`` when None."""

    def read(self, ctx: RenderContext) -> Any:
        """Return the state that it reads: ``self.read(ctx)[Ticket]`` is a section's value."""
        return bound(ctx) if self.state is None else self.state

    def time(self, ctx: RenderContext) -> int | None:
        """Return what time it is, in milliseconds since the Unix epoch, where that is known."""
        return ctx.get(Now) if self.now is None else self.now

    def filled(self, ctx: RenderContext) -> Self | None:
        """Return the view with what it lacks taken from the bound state; None for nothing to show.

        :raises DefinitionError: for an ``of_state`` that gives what is no view.
        """
        state, given = ctx.get(State), self.model_fields_set
        own = fields_of(type(self)).keys() - fields_of(View).keys()
        known = given & own
        if state is None or "state" in given or not _takes(type(self)) or (own and own <= given):
            return self
        made = made_of(type(self), state, state.usage, self.time(ctx), thresholds_in(ctx))
        if made is None:
            return self if known else None
        lacking = {name for name in own - known if getattr(self, name) is None} if known else own
        kept = {name: getattr(self, name) for name in (given | own) - lacking}
        return made.model_copy(update=kept) if kept else made

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.verbs or cls.on:
            raise DefinitionError(
                f"{cls.__name__}: a view has no value that something could happen to; make it an "
                "ItemsSection or a ValueSection, or leave verbs out"
            )
        _check_reads(cls)
        if cls.render is Component.render:
            raise DefinitionError(
                f"{cls.__name__} does not say what it shows; define render(self, ctx, children)"
            )
        if "of_state" in vars(cls):
            _check_of_state(cls)
        if "render" in vars(cls):
            own: Any = cls
            own.render = _filling(cls.render)

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        names = [each if isinstance(each, str) else each.field for each in cls.reads]
        known: dict[str, Any] = {
            name: usage if name == "usage" else getattr(state, name)
            for name in names
            if name in type(state).model_fields
        }
        read = type(state).model_construct(None, **known) if known else None
        return cls.model_construct(state=read, now=now if NOW in names else None)


NOW = "now"
"""The name of the prop by which a view reads the time."""


SectionT = TypeVar("SectionT", bound=HudSection)


def made_of(
    section: type[SectionT],
    state: State,
    usage: ContextUsage | None,
    now: int | None,
    thresholds: Thresholds = THRESHOLDS,
) -> SectionT | None:
    """Return a section with what a state has for it, or None where that is nothing.

    A view that is made so has all its props: nothing of another state takes the place of one.

    :param thresholds: given to an ``of_state`` that has an argument of that name.
    :raises DefinitionError: for an ``of_state`` that gives what is no such section.
    """
    if thresholds is not THRESHOLDS and _goes_by_levels(section):
        of_state: Any = section.of_state
        made: SectionT | None = of_state(state, usage, now, thresholds=thresholds)
    else:
        made = section.of_state(state, usage, now)
    if made is None:
        return None
    given: object = made
    if not isinstance(given, section):
        raise DefinitionError(
            f"{section.__name__}.of_state gives {shown(given)}; return cls(…) with its props, or None "
            "for nothing to show, and write the text in render(self, ctx, children)"
        )
    if isinstance(made, View) and _takes(type(made)):
        made.model_fields_set.update(fields_of(type(made)))
    return made


@lru_cache(maxsize=256)
def _goes_by_levels(section: type[HudSection]) -> bool:
    """Tell whether what a section makes of a state depends on the thresholds."""
    return "thresholds" in signature(section.of_state).parameters


def _takes(view: type[View]) -> bool:
    """Tell whether a view has an ``of_state`` of its own."""
    own: Any = view.of_state
    usual: Any = View.of_state
    return own.__func__ is not usual.__func__


def _filling(
    render: Callable[[Any, RenderContext, Children], Child],
) -> Callable[[Any, RenderContext, Children], Child]:
    @wraps(render)
    def filling(self: View, ctx: RenderContext, children: Children) -> Child:
        filled = self.filled(ctx)
        return None if filled is None else render(filled, ctx, children)

    return filling


def _holds_a_value(read: Any) -> bool:
    return isinstance(read, type) and issubclass(read, HudSection) and bool(read.field)


def _check_reads(view: type[View]) -> None:
    given: Any = view.reads
    if not isinstance(given, tuple | list):
        name = given.__name__ if isinstance(given, type) else shown(given)
        raise DefinitionError(f"{view.__name__}.reads is not a tuple; write reads = ({name},)")
    several: tuple[Any, ...] = tuple(view.reads)
    for read in several:
        if isinstance(read, str):
            if read not in (*FACTS, NOW):
                raise DefinitionError(
                    f"{view.__name__}.reads: there is no fact {shown(read)};"
                    f" {did_you_mean(read, (*FACTS, NOW))}"
                )
        elif not _holds_a_value(read):
            raise DefinitionError(
                f"{view.__name__}.reads: {shown(read)} is not a section with a value; name an"
                ' ItemsSection or a ValueSection, or a fact, such as "usage"'
            )


def _check_of_state(view: type[View]) -> None:
    is_method = isinstance(vars(view)["of_state"], classmethod)
    try:
        for arguments in ((None,), (None, None, None)):
            signature(view.of_state).bind(*arguments)
    except TypeError:
        is_method = False
    if not is_method:
        raise DefinitionError(
            f"{view.__name__}.of_state takes other arguments; write @classmethod, and"
            " def of_state(cls, state, usage=None, now=None)"
        )
