"""Sections of a single value, views, which only show others' data, and the section that a class of items stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, wraps
from inspect import signature
from itertools import chain
from types import GenericAlias, MappingProxyType, new_class
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from msgspec import structs

from hud_components._models import ContextUsage, HudItem, HudModel, HudValue, Milliseconds
from hud_components.declaring._form import (
    AROUND_A_VALUE,
    Form,
    decorated,
    has_words,
    read_item,
    said_by,
    shortened,
    titled,
    unexpected_source,
)
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lines import (
    Lines,
    labelled,
    lines_by_density,
    told_apart,
    warn,
    warn_of,
)
from hud_components.declaring._section import (
    HudSection,
    bound,
    check_declared,
    declared_texts,
    is_overridden,
    lines_owner,
    name_of,
    of_bound,
)
from hud_components.declaring._state import FACTS, State, Width, Worth
from hud_components.declaring._values import Faults, as_text, is_set, model_from_text
from hud_components.folding import Verb
from hud_components.levels import THRESHOLDS, Thresholds, thresholds_in
from hud_components.words._quoted import left_to_tell
from hud_components.words._texts import (
    Label,
    format_text,
    in_lines,
    is_titled,
    line,
    line_of,
    may_be_cut,
    with_plural,
)
from ujsx import (
    Child,
    Children,
    Component,
    DefinitionError,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rung,
)
from ujsx.components import drop_class_variables, fields_of
from ujsx.components._context import Now
from ujsx.elements import Item, List, Paragraph
from ujsx.errors import did_you_mean, shown

ValueT = TypeVar("ValueT", bound=HudModel)


@drop_class_variables
class ValueSection(HudSection, Generic[ValueT]):
    """A section of one value: in full a title and a line for each thing that it says.

    >>> from hud_components import HudValue, Line
    >>> from ujsx import render
    >>> class Customer(HudValue):
    ...     who: Line
    ...     plan: Line | None = None
    >>> class CustomerSection(ValueSection[Customer]):
    ...     name = "customer"
    ...     lines = {"full": ("**{who}** ({plan})", "**{who}**"), "compact": "**Customer:** {who}"}
    >>> print(render(CustomerSection(customer=Customer(who="Ada", plan="Pro"))), end="")
    # Customer
    <BLANKLINE>
    **Ada** (Pro)
    """

    holds_items: ClassVar[bool] = False
    takes_data: ClassVar[bool] = True
    disclosure: ClassVar[Disclosure] = Disclosure(
        (
            Rung(Density.MINIMAL, width=Width.LEAST),
            Rung(Density.MINIMAL, width=Width.SHORT, worth=Worth.ABOUT_WHAT),
            Rung(Density.MINIMAL, worth=Worth.AIM),
            Rung(Density.MINIMAL, only_if_room=True, width=Width.MOST, worth=Worth.REST),
            Rung(Density.COMPACT, width=Width.BRIEF, worth=Worth.IN_SHORT),
            Rung(Density.COMPACT, worth=Worth.MORE_IN_SHORT),
            Rung(Density.COMPACT, only_if_room=True, width=Width.MOST, worth=Worth.REST),
            Rung(Density.FULL, width=Width.LONG, worth=Worth.IN_FULL),
            Rung(Density.FULL, worth=Worth.REST),
        ),
        weight=4.0,
        floor=Density.MINIMAL,
        layer="static",
    )
    verbs: ClassVar[tuple[str | Verb, ...]] = ("set", "update", "clear")

    title: ClassVar[str] = ""
    """The heading of the value in full; by default its name."""

    lines: ClassVar[Lines] = MappingProxyType[str, Any]({})
    """The lines of the value, by density: of several, the first whose fields are set.

    Where no dense ones are given, and those in full do not begin with words of their own, the title
    stands before them: "**Customer:** Ada".
    """

    forms: ClassVar[Mapping[Density, tuple[Form, ...]]] = MappingProxyType({})
    """The ways to write it, where they do not follow from the lines."""

    noun: ClassVar[str] = ""
    """The word for such a value."""

    keeps_lines: ClassVar[bool] = False
    """True if its texts keep their line breaks in full, but for blank lines; else each is one line."""

    def __class_getitem__(cls, model: Any) -> Any:
        return GenericAlias(cls, model)

    @classmethod
    def _take_lines(cls, lines: Mapping[Density, tuple[Form, ...]]) -> None:
        full: Mapping[Form, tuple[Form, ...]] = {}
        if cls.reads_back:
            full = told_apart(cls.__name__, lines[Density.FULL], cls.value)
            first = {form: written[0] for form, written in full.items()}
            lines = {each: tuple(first.get(form, form) for form in lines[each]) for each in lines}
        title = declared_texts(cls)[f"{cls.name}.title"]
        if [*lines_by_density(cls.lines)] == [Density.FULL]:
            lines = labelled(cls.name, title, lines)
        if cls.reads_back:
            lines = {**cls._told_apart(title, lines), Density.FULL: _each(full.values())}
        cls.forms = lines
        warn_of(form for each in cls.forms.values() for form in each)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.name and cls.value is not None:
            cls.texts = declared_texts(cls)

    @classmethod
    def _told_apart(
        cls, title: str, forms: Mapping[Density, tuple[Form, ...]]
    ) -> Mapping[Density, tuple[Form, ...]]:
        """Return the dense lines, labeled if they have no words: any text would read like a bare hole."""
        dense = {form: form for each in (Density.COMPACT, Density.MINIMAL) for form in forms[each]}
        for form in [*dense]:
            if not has_words(form.source):
                why = f"{lines_owner(cls).__name__}.lines: {shown(form.source)} is the whole line in a dense HUD, so any text would read like it"
                dense[form] = replace(
                    form.labelled(title), given=form.given or form.source, why=why
                )
        apart = told_apart(cls.__name__, dense.values(), cls.value, label=title)
        written = {form: apart[dense[form]] for form in dense}
        return {
            each: _each(written[form] for form in forms[each])
            for each in (Density.COMPACT, Density.MINIMAL)
        }

    @classmethod
    def _read_as(cls, density: Density) -> tuple[Form, ...]:
        """Return the forms that read what is written at a density, in order."""
        if density is Density.FULL:
            return cls.forms[density]
        return (*cls.forms[Density.COMPACT], *cls.forms[Density.MINIMAL])

    @classmethod
    def _labelled(cls, label: Label) -> Mapping[str, str]:
        full = {form.text for form in cls.forms[Density.FULL]}
        dense = cls._read_as(Density.COMPACT)
        lines = {form.text: form.source for form in dense if form.text not in full}
        begins = {name: label.before(line) for name, line in lines.items()}
        return {**super()._labelled(label), **begins}

    @classmethod
    def forms_at(cls, density: Density) -> tuple[Form, ...]:
        return cls.forms[density]

    @classmethod
    def told(cls, value: Any, ctx: RenderContext) -> Child:
        values: dict[str, Any] = value.__dict__
        said = [(name, values[name]) for name in fields_of(cls.draft) if is_set(values[name])]
        if [name for name, _ in said] == [next(iter(fields_of(cls.draft)))]:
            return Paragraph()[as_text(said[0][1]), said_by(value, ctx)]
        rows = [Item()[f"{name}: {as_text(one)}"] for name, one in said]
        source = said_by(value, ctx)
        return List()[rows, source and Item()[source]]

    def __getitem__(self, children: Child | ValueT | Mapping[str, Any]) -> Element[Self]:
        """Attach the value, as one, its fields, or a text for its only required field: ``TaskSection()["Add a login"]``.

        A section that has its value already may take nodes, which stand behind it.

        :raises PropError: for anything that makes no value.
        :raises ChildError: for nodes in a section that takes none.
        """
        if not self.prop:
            check_declared(type(self))
        several: tuple[Any, ...] = children if isinstance(children, tuple) else (children,)
        if len(several) > 1 and all(isinstance(each, str) for each in several):
            several = ("".join(several),)
        child = several[0] if len(several) == 1 else None
        is_value = isinstance(child, str | Mapping | HudModel)
        if not is_value or getattr(self, self.prop) is not None:
            return super().__getitem__(several)
        given: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        given[self.prop] = child
        return Element(type(self)(**given))

    def given(self, ctx: RenderContext) -> Any:
        """Return the value of the prop, or of the bound state, or None."""
        if not self.prop:
            check_declared(type(self))
        value = getattr(self, self.prop)
        return left_to_tell(of_bound(self, ctx) if value is None else value, ctx)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        value = self.given(ctx)
        if value is None:
            if children:
                name = type(self).__name__
                line = f'{name}({self.prop}="…")[…], or Section(title="…")[…]'
                warn(f"{name} has no {self.prop}, so what is behind it is not shown; write {line}")
            return None
        ctx = self.with_texts(ctx)
        row = decorated(self._row(value, ctx), value, ctx, show_id=False)
        told = row[0].fill(*row[1:])
        if ctx.density is Density.FULL:
            first = Paragraph()[told] if children else told
            section = titled(format_text(ctx, f"{self.name}.title"))[first, children]
            if ctx.shows_whole_texts and not may_be_cut(value.__dict__.values(), ctx.width):
                return section
            return [section, self._shortened(value, ctx)]
        shown = (self.brief() if ctx.density is Density.MINIMAL else Paragraph())[told]
        return [shown, self._shortened(value, ctx)]

    def _shortened(self, value: Any, ctx: RenderContext) -> Child:
        """Return a note that it is shortened, if so."""
        rows = (self._row(value, each) for each in (ctx, ctx.in_full()))
        now, in_full = (dict(zip(row[0].fields, row[1:], strict=True)) for row in rows)
        return shortened(ctx, self.name, [value], [now], [in_full])

    def _row(self, value: Any, ctx: RenderContext) -> tuple[Any, ...]:
        """Return the row of the value: a template, and the texts of its fields."""
        form, texts = self._told(value, ctx)
        return (form.template(ctx), *texts)

    def _told(self, value: Any, ctx: RenderContext) -> tuple[Form, list[str]]:
        values: dict[str, Any] = value.__dict__
        others = (form for forms in self.forms.values() for form in forms)
        forms = (*self.forms[ctx.density], *others)
        form = next((form for form in forms if form.fits(values)), forms[0])
        keeps = self.keeps_lines and ctx.density is Density.FULL and form in self.forms[ctx.density]
        texts = form.texts_of(values, ctx.width, in_lines if keeps else line)
        if form.marked and not self._can_be_read((form.template(ctx), *texts), form, value, ctx):
            form = forms[forms.index(form) + 1]
        return form, texts

    def _can_be_read(
        self, row: tuple[Any, ...], form: Form, value: Any, ctx: RenderContext
    ) -> bool:
        """Tell whether the value is read back from its row in a form."""
        made = decorated(row, value, ctx, show_id=False)
        nodes = made[0].nodes(*made[1:])
        read = read_item(self._read_as(ctx.density), ctx, nodes, AROUND_A_VALUE) or {}
        read.pop("id", None)
        return form.means(read, _said(form, row, value))

    def in_short(self, ctx: RenderContext) -> Child:
        """Return its line in full for an answer, with long texts cut; ``ctx`` has the texts."""
        ctx = self.with_texts(structs.replace(ctx, density=Density.FULL, text_width=Width.BRIEF))
        form, texts = self._told(self.given(ctx), ctx)
        return form.template(ctx).fill(*texts)

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        value, ctx = self.given(ctx), self.with_texts(ctx)
        if value is None or not self.reads_back:
            return None
        form, texts = self._told(value, ctx)
        told = _said(form, (form.template(ctx), *texts), value)
        return self._of(told, getattr(value, "origin", None))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        if not cls.reads_back:
            return None
        ctx = cls.with_texts(ctx)
        density, block, taken = Density.COMPACT, blocks[0], 1
        if is_titled(blocks, format_text(ctx, f"{cls.name}.title"), ctx):
            density, block, taken = Density.FULL, blocks[1], 2
        said = read_item(cls._read_as(density), ctx, line_of(block), AROUND_A_VALUE)
        if said is None:
            return None
        origin = said.pop("id", "").removesuffix(":") or None
        section = cls._of(said, origin)
        return None if section is None else (section, taken)

    @classmethod
    def _of(cls, said: Mapping[str, Any], origin: str | None) -> Self | None:
        marked = {"origin": origin} if "origin" in fields_of(cls.value) else {}
        value = model_from_text(cls.value, {**said, **marked})
        return None if value is None else cls(**{cls.prop: value})


def _said(form: Form, row: Sequence[Any], value: Any) -> dict[str, Any]:
    """Return the fields of a value in its row."""
    by = unexpected_source(value)
    return form.told(row) if by is None else {**form.told(row), "said_by": by}


def _each(written: Iterable[tuple[Form, ...]]) -> tuple[Form, ...]:
    return tuple(chain.from_iterable(written))


# Sections that only show: views of other sections and the facts of the session.


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

    reads: ClassVar[tuple[type[HudSection | HudValue] | str, ...]] = ()
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
        """Return the current time, in milliseconds since the Unix epoch, if known."""
        return ctx.get(Now) if self.now is None else self.now

    def filled(self, ctx: RenderContext) -> Self | None:
        """Return the view with missing data from the bound state; None if there is nothing to show.

        :raises DefinitionError: for an ``of_state`` that does not return a view.
        """
        state, given = ctx.get(State), self.model_fields_set
        own = fields_of(type(self)).keys() - fields_of(View).keys()
        known = given & own
        takes_some = is_overridden(type(self), View, "of_state")
        if state is None or "state" in given or not takes_some or (own and own <= given):
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
        if "render" in vars(cls):
            own: Any = cls
            own.render = _filling(cls.render)

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        super()._declare(faults)
        if cls.__base__ is HudSection:  # this class itself
            return
        if cls.verbs or cls.on:
            line = "make it an ItemsSection or a ValueSection, or leave verbs out"
            faults.append(f"{cls.__name__}: a view has no value, so it takes no verbs; {line}")
        if isinstance(cls.reads, tuple | list):
            cls.reads = tuple(map(section_of, cls.reads))
        faults.of(_check_reads, cls)
        if cls.render is Component.render:
            line = "define render(self, ctx, children)"
            faults.append(f"{cls.__name__} does not say what it shows; {line}")
        if "of_state" in vars(cls):
            faults.of(_check_of_state, cls)

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        reads: tuple[Any, ...] = cls.reads
        names: list[str] = [each if isinstance(each, str) else each.field for each in reads]
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
    """Return a section with its data from a state, or None without any.

    Such a view has all its props, so that another state cannot replace any.

    :param thresholds: passed to an ``of_state`` with a parameter of that name.
    :raises DefinitionError: for an ``of_state`` that does not return such a section.
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
        line = "return cls(…) with its props, or None for nothing to show"
        why = f"{section.__name__}.of_state gives {shown(given)}; {line}"
        raise DefinitionError(f"{why}, and write the text in render(self, ctx, children)")
    if isinstance(made, View) and is_overridden(type(made), View, "of_state"):
        made.model_fields_set.update(fields_of(type(made)))
    return made


@lru_cache(maxsize=256)
def _goes_by_levels(section: type[HudSection]) -> bool:
    """Tell whether a section's data from a state depend on the thresholds."""
    return "thresholds" in signature(section.of_state).parameters


def _filling(
    render: Callable[[Any, RenderContext, Children], Child],
) -> Callable[[Any, RenderContext, Children], Child]:
    @wraps(render)
    def filling(self: View, ctx: RenderContext, children: Children) -> Child:
        filled = self.filled(ctx)
        return None if filled is None else render(filled, ctx, children)

    return filling


def _holds_a_value(read: Any) -> bool:
    if not (isinstance(read, type) and issubclass(read, HudSection)):
        return False
    if read.value is not None:
        check_declared(read)
    return bool(read.field)


_MADE = "_is_made"
"""The mark of a section that was made of the class of its items, or of its value, alone."""


def section_of(given: Any) -> Any:
    """Return the section of an item's or a value's class: the only one in its module, or else one of its own. Anything
    else stays unchanged.
    """
    if not (isinstance(given, type) and issubclass(given, HudValue)):
        return cast("Any", given)
    known = sections_of(given)
    if len(known) > 1:
        return given
    return known[0] if known else _own_section(given)


def sections_of(given: type[HudValue]) -> list[type[HudSection]]:
    """Return the sections of an item's or a value's class that its module declares."""

    def declared(section: type[HudSection]) -> Iterator[type[HudSection]]:
        for each in section.__subclasses__():
            is_its = each.value is given and each.__module__ == given.__module__
            if is_its and _MADE not in vars(each):
                yield each
            yield from declared(each)

    return [*declared(HudSection)]


@lru_cache(maxsize=256)
def _own_section(given: type[HudValue]) -> type[HudSection]:
    is_item = issubclass(given, HudItem)
    base: Any = (ItemsSection if is_item else ValueSection)[given]
    name = with_plural(given.__name__).rpartition("|")[2] if is_item else f"{given.__name__}Section"
    body: dict[str, Any] = {"__module__": given.__module__, "__doc__": given.__doc__}
    if name == given.__name__:  # a plural already, to which older versions added an ending
        body["former"] = (name_of(f"{name}es"),)
    made = new_class(name, (base,), {}, lambda namespace: namespace.update(body))
    setattr(made, _MADE, True)
    check_declared(made)
    return made


def _check_reads(view: type[View]) -> Iterator[str]:
    given: Any = view.reads
    if not isinstance(given, tuple | list):
        name = given.__name__ if isinstance(given, type) else shown(given)
        yield f"{view.__name__}.reads is not a tuple; write reads = ({name},)"
        return
    facts = (*FACTS, NOW)
    for read in cast("Sequence[Any]", given):
        if isinstance(read, str) and read not in facts:
            hint = did_you_mean(read, facts)
            yield f"{view.__name__}.reads: there is no fact {shown(read)}; {hint}"
        elif not isinstance(read, str) and not _holds_a_value(read):
            line = 'name an ItemsSection or a ValueSection, or a fact, such as "usage"'
            yield f"{view.__name__}.reads: {shown(read)} is not a section with a value; {line}"


def _check_of_state(view: type[View]) -> Iterator[str]:
    is_method = isinstance(vars(view)["of_state"], classmethod)
    try:
        for arguments in ((None,), (None, None, None)):
            signature(view.of_state).bind(*arguments)
    except TypeError:
        is_method = False
    if not is_method:
        line = "write @classmethod, and def of_state(cls, state, usage=None, now=None)"
        yield f"{view.__name__}.of_state takes other arguments; {line}"
