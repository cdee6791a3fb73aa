"""Sections that list items, written and read back by the same forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from types import GenericAlias, MappingProxyType
from typing import Annotated, Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from pydantic import BaseModel, Field

from hud_components._models import HudModel, PlainItem
from hud_components.declaring._checks import usual_done, verbs_of
from hud_components.declaring._form import (
    Form,
    Omission,
    Over,
    Way,
    read_item,
    shows_ids,
    unexpected_source,
    unmarked,
)
from hud_components.declaring._lines import Lines, told_apart, warn, warn_of
from hud_components.declaring._lists import (
    ListShape,
    ReadList,
    ShapeName,
    fit_one_line,
    in_full,
    mark_of,
    read,
    rows_around,
    said_of_items,
    shape_of,
    shortened_rows,
    written,
)
from hud_components.declaring._section import (
    HudSection,
    check_declared,
    declared_texts,
    lines_owner,
    of_bound,
)
from hud_components.declaring._state import Width, Worth
from hud_components.declaring._values import TEXT, Faults, as_text, is_set, look_of, model_from_text
from hud_components.folding import Add, End, Kind, Verb
from hud_components.words._quoted import left_to_tell
from hud_components.words._texts import handle_of, line, may_be_cut, only_line
from ujsx import (
    Child,
    ChildError,
    Children,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rung,
    Template,
    elided,
    mdast,
)
from ujsx.components import drop_class_variables, fields_of
from ujsx.elements import Omitted

ItemT = TypeVar("ItemT", bound=HudModel)


def _flat(given: Any) -> Iterator[Any]:
    """Yield the items among nested iterables, without ``None`` and booleans."""
    if hasattr(given, "__iter__") and not isinstance(given, str | bytes | Mapping | BaseModel):
        for each in given:
            yield from _flat(each)
    elif given is not None and not isinstance(given, bool):
        yield given


Split: TypeAlias = tuple[Sequence[Any], Sequence[Any], int]
"""The shown items, the hidden ones, and the place of the latter among the former."""

LADDER = Disclosure(
    (
        Rung(Density.MINIMAL, 0),
        Rung(Density.MINIMAL, 1, only_if_room=True, width=Width.SHORT, worth=Worth.REST),
        Rung(Density.MINIMAL, 1, only_if_room=True, width=Width.MOST, worth=Worth.REST),
        Rung(Density.COMPACT, 3, worth=Worth.A_FEW),
        Rung(Density.COMPACT, 5, worth=Worth.MORE_IN_SHORT),
        Rung(Density.COMPACT, only_if_room=True, worth=Worth.REST),
        Rung(Density.COMPACT, only_if_room=True, width=Width.MOST, worth=Worth.REST),
        Rung(Density.FULL, 10),
        Rung(Density.FULL, worth=Worth.REST),
    ),
    floor=Density.MINIMAL,
)
"""The default ladder of a list: a count, the first and the newest few, ten, all."""

ENDING = ("add", "update", "complete", "remove")
"""The default verbs of a list whose items have a yes/no field that says that they are over."""


@drop_class_variables
class ItemsSection(HudSection, Generic[ItemT]):
    """A titled list of items; the first ones and the newest when not all are shown.

    A subclass says in brackets what its items are, and in its body what is said of them: a name, a
    title, a noun, the lines in which an item is written. All else follows, or is declared as well.

    >>> from hud_components import HudItem, Line
    >>> from ujsx import render
    >>> class Remedy(HudItem):
    ...     what: Line
    ...     outcome: Line = "unclear"
    >>> class Remedies(ItemsSection[Remedy]):
    ...     name = "remedies"
    ...     title = "Tried so far"
    ...     noun = "remedy|remedies"
    ...     lines = {"full": "**{what}** — {outcome}", "compact": "{what}"}
    >>> tried = Remedies(remedies=(Remedy(what="Restart", outcome="failed"),))
    >>> print(render(tried), end="")
    # Tried so far
    <BLANKLINE>
    - **Restart** — failed
    """

    holds_items: ClassVar[bool] = True
    takes_data: ClassVar[bool] = True
    disclosure: ClassVar[Disclosure] = LADDER
    verbs: ClassVar[tuple[str | Verb, ...]] = ("add", "update", "remove")

    title: ClassVar[str] = ""
    """The heading of the list; by default its name."""

    noun: ClassVar[str] = ""
    """The word for an item, in its forms for numbers: "note|notes"; by default the name of the items' class."""

    lines: ClassVar[Lines] = MappingProxyType[str, Any]({})
    """The lines of an item: :data:`Lines`, by density or one for all."""

    forms: ClassVar[tuple[Form, ...]] = ()
    """The ways to write an item, if they do not follow from the lines."""

    done: ClassVar[str | Sequence[str] | Mapping[str, Any] | None] = None
    """The sign that an item is over: a yes/no field, a choice, several, or a field with its choices."""

    prefix: ClassVar[str] = ""
    """The beginning of its items' ids; by default the first letter of its noun, or of its name."""

    text: ClassVar[str] = ""
    """The field with an item's main text; by default the first text."""

    key: ClassVar[str] = "id"
    """The field that names an item."""

    order: ClassVar[str | None] = None
    """The field that holds an item's place. The list is then numbered, and its first items are shown."""

    says_once: ClassVar[bool] = False
    """True if each text is one item's alone: the same text again means that item while it is open, whatever the other fields."""

    in_line: ClassVar[bool] = True
    """True if a compact HUD says its items in one line: "**Notes:** Port 8080 · … 3 more". It lists
    them all the same where what parts them in the line stands in one of them."""

    shows_done: ClassVar[bool] = True
    """True if items that are over are shown, too."""

    _most_named: ClassVar[int] = 1
    """The most items that the shortest form names beside their number."""

    _forms_at: ClassVar[Mapping[Density, tuple[int, ...]]] = MappingProxyType({})
    """The places of each density's forms among all."""

    _end: ClassVar[End | None] = None
    """The field that tells that an item is over, and the values for that."""

    _has_ids: ClassVar[bool]
    _unmarked: ClassVar[frozenset[str]]
    """The sources whose words are not marked."""

    unlisted: Annotated[int, Field(ge=0)] = 0
    """How many items there are beside those given: they are among what is left out."""

    unlisted_done: Annotated[int, Field(ge=0)] = 0
    """How many of those are over."""

    unlisted_at: Annotated[int, Field(ge=1)] | None = None
    """Before which of the given items those stand; behind the list when None."""

    show_ids: bool = False
    """Whether each item shows its id, so that it can be told from others in an edited text."""

    def rows(
        self, items: Sequence[Any], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        """Return the rows of the list, one for each item.

        :param templates: the templates of the forms.
        """
        places = self._forms_at[ctx.density]
        return [self._row(item, places, templates, ctx) for item in items]

    def rows_of(self, items: Sequence[Any], ctx: RenderContext) -> Sequence[Any]:
        """Return the rows of shown items, at the context's density for all or a part of them.

        :param ctx: with the section's texts.
        """
        templates = [form.template(ctx) for form in self.forms]
        if ctx.detailed_items is None or ctx.detailed_items >= len(items):
            return self.rows(items, ctx, templates)
        detailed = {id(item) for item in self.in_detail(ctx)}
        in_short = [item for item in items if id(item) not in detailed]
        in_full = [item for item in items if id(item) in detailed]
        short_rows = iter(self.rows(in_short, ctx.in_short(), templates))
        full_rows = iter(self.rows(in_full, ctx, templates))
        return [next(full_rows if id(item) in detailed else short_rows) for item in items]

    def in_detail(self, ctx: RenderContext) -> Sequence[Any]:
        """Return the items shown in detail, if not all are: those of a smaller limit."""
        return self.split(self.given(ctx), ctx.detailed_items)[0] if ctx.detailed_items != 0 else ()

    def _row(
        self,
        item: HudModel,
        places: Sequence[int],
        templates: Sequence[Template],
        ctx: RenderContext,
    ) -> tuple[Any, ...]:
        """Return the row of an item, in the first form whose fields are set, or with the marks that it needs."""
        values: Mapping[str, Any] = item.__dict__
        place = self._place_of(values, places)
        form = self.forms[place]
        texts = form.texts_of(values, ctx.width, self._short)
        row = (templates[place], *texts)
        if not form.marked or self._can_be_read(row, form, item, ctx):
            return row
        return (templates[place + 1], *texts)

    def _can_be_read(
        self, row: tuple[Any, ...], form: Form, item: HudModel, ctx: RenderContext
    ) -> bool:
        """Tell whether an item is read back from its row in a form."""
        [made] = rows_around(self, (row,), (item,), ctx)
        read = read_item(self.forms, ctx, made[0].nodes(*made[1:]), over=self.over(ctx))
        return form.means(read, {**form.told(row), **self.said_around(item)})

    _short = staticmethod(line)
    """Cuts an item's texts to a width."""

    @classmethod
    def _place_of(cls, values: Mapping[str, Any], places: Sequence[int]) -> int:
        """Return the place of an item's form: the first given one that fits.

        An item that was read at another density may lack fields; it keeps its form.
        """
        for place in chain(places, range(len(cls.forms))):
            if cls.forms[place].fits(values):
                return place
        return places[-1]

    def split(self, items: Sequence[Any], limit: int | None) -> Split:
        """Return the items within a limit, and the omitted ones: the first of ordered items, the first and the newest
        of others. Items that are over are omitted before open ones.
        """
        if limit is None or len(items) <= limit:
            return items, (), 0
        to_do = self._open(items)
        if to_do and len(to_do) < len(items):
            shown, _, at = self.split(to_do, limit)
            named = set(map(id, shown))
            return shown, [item for item in items if id(item) not in named], at
        if self.order is not None:
            return items[:limit], items[limit:], limit
        if (places := self._by_worth(items, limit)) is not None:
            kept = {*islice(places, limit)}
            hidden = [item for place, item in enumerate(items) if place not in kept]
            return [item for place, item in enumerate(items) if place in kept], hidden, 0
        gap = elided(len(items), limit)
        return (*items[: gap.start], *items[gap.stop :]), items[gap.start : gap.stop], gap.start

    def _by_worth(self, items: Sequence[Any], limit: int) -> Iterable[int] | None:
        """Return the places of items by worth, if not the first and the newest are shown."""
        return None

    @classmethod
    def _open(cls, items: Sequence[Any]) -> Sequence[Any]:
        """Return the items that are not over."""
        end = cls._end
        return items if end is None else [item for item in items if not end.has(item)]

    def listed(self, ctx: RenderContext) -> Sequence[Any]:
        """Return the items that the list shows on the context's rung, in order."""
        return self.shape(self.with_texts(ctx)).shown

    def given(self, ctx: RenderContext) -> Sequence[Any]:
        """Return the items of the prop, or of the bound state."""
        if not self.prop:
            check_declared(type(self))
        own: Sequence[Any] | None = getattr(self, self.prop)
        items: Sequence[Any] = of_bound(self, ctx, ()) if own is None else own
        items = left_to_tell(items, ctx)
        return items if self.shows_done else self._open(items)

    def as_items(self, rows: Sequence[Any]) -> Iterable[Any]:
        """Return rows, with those of several lines as items."""
        return rows

    def __class_getitem__(cls, model: Any) -> Any:
        return GenericAlias(cls, model)

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        declares = next(each for each in cls.__mro__ if "verbs" in vars(each))
        is_usual = cls.value is not None and cls.done is None and declares is ItemsSection
        if is_usual and (field := usual_done(cls)):
            cls.done, cls.verbs = field, ENDING
        super()._declare(faults)

    @classmethod
    def _take_lines(cls, lines: Mapping[Density, tuple[Form, ...]]) -> None:
        written: Mapping[Form, tuple[Form, ...]] = {
            form: (form,) for forms in lines.values() for form in forms
        }
        if cls.reads_back:
            over = cls.over(RenderContext(texts=declared_texts(cls)))
            written = told_apart(cls.__name__, written, cls.value, over)
        cls.forms = (*chain.from_iterable(written.values()),)
        cls._forms_at = {
            density: tuple(cls.forms.index(each) for form in forms for each in written[form])
            for density, forms in lines.items()
        }
        warn_of(cls.forms)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if not cls.name or cls.value is None:
            return
        cls.kind = Kind(
            text=cls.text,
            prefix=cls.prefix or (cls.noun or cls.name)[0],
            end=cls._end,
            key=cls.key,
            order=cls.order,
            says_once=cls.says_once,
        )
        lines: Any = vars(cls).get("lines", ())
        if Density.MINIMAL in lines and cls.disclosure.at(Density.MINIMAL).limit == 0:
            line = "disclosure = Disclosure((Rung(Density.MINIMAL, 3), Rung(Density.FULL))), from ujsx import Density, Disclosure, Rung"
            why = "at minimal a list is a count, and shows no line"
            place = f"{lines_owner(cls).__name__}.lines"
            warn(f"{place}: {why}; leave the one for minimal out, or write {line}")
        if not cls.lines:
            cls._forms_at = dict.fromkeys(Density, tuple(range(len(cls.forms))))
        cls.texts = declared_texts(cls)
        cls._has_ids = issubclass(cls.value, PlainItem)
        cls._unmarked = unmarked(cls.value)
        adds = any(isinstance(verb, Add) for verb in verbs_of(cls))
        cls.can_replace = (adds or cls.kept is not None) and not cls.disclosure.is_apart

    def __getitem__(
        self,
        children: Child | ItemT | Mapping[str, Any] | Iterable[Child | ItemT | Mapping[str, Any]],
    ) -> Element[Self]:
        """Attach items, its children: ``Remedies()[Remedy(what="Restart"), "New cable"]``.

        Each is an item, its fields, or a text for its only required field. Iterables are flattened, ``None`` and booleans
        are dropped.

        :raises PropError: for anything that makes no item.
        :raises ChildError: if it has items already.
        """
        cls = type(self)
        if children is None or children == ():
            return super().__getitem__(())
        if not self.prop:
            check_declared(cls)
        given: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        if given.get(self.prop) is not None:
            why = "it has its items already; put all of them in one place"
            raise ChildError(why, path=cls.__name__)
        given[self.prop] = [*_flat(children)]
        return Element(cls(**given))

    # --- Its shape ---

    def shape(self, ctx: RenderContext) -> ListShape:
        """Return the shape of the list on the context's rung, which determines its text and content.

        :param ctx: with the section's texts.
        """
        return shape_of(self, ctx)

    def _shape(
        self, name: ShapeName, shown: Sequence[Any], hidden: Sequence[Any], rows: Sequence[Any] = ()
    ) -> ListShape:
        return ListShape(name, shown, hidden, self.unlisted, self.left_out(hidden), rows)

    def left_out(self, hidden: Sequence[Any]) -> Omission:
        """Return the number of omitted items, and of those that are over."""
        done = len(hidden) - len(self._open(hidden))
        return Omission(len(hidden) + self.unlisted, done + self.unlisted_done)

    def is_counted(self, ctx: RenderContext) -> bool:
        """Tell whether it is folded to a line with the number of items, and the call that shows them."""
        is_folded = self.standing == "folded" and ctx.limit == 0
        return (
            is_folded
            and ctx.density is not Density.MINIMAL
            and handle_of(self.with_texts(ctx), self.name) is not None
        )

    def says_in_line(self, rows: Sequence[Any], ctx: RenderContext) -> bool:
        """Tell whether rows are written in one line: if they fit, and stay distinguishable."""
        return ctx.density is Density.COMPACT and self.in_line and fit_one_line(rows, ctx)

    def _texts_of(self, items: Sequence[Any], ctx: RenderContext) -> Sequence[str]:
        """Return the short texts of items in one line."""
        return [self._text_of(item, ctx) for item in items]

    def _text_of(self, item: Any, ctx: RenderContext) -> str:
        """Return the short text of an item; nothing if it is not a text."""
        assert self.kind is not None
        if look_of(fields_of(self.draft)[self.kind.text].annotation) is not TEXT:
            return ""
        text = getattr(item, self.kind.text, None)  # a parsed item may lack it
        return line(as_text(text), ctx.width) if is_set(text) else ""

    @classmethod
    def _of_text(cls, text: str) -> Mapping[str, Any]:
        """Return the fields of an item with this short text."""
        assert cls.kind is not None
        return {cls.kind.text: text}

    # --- Writing ---

    def render(self, ctx: RenderContext, children: Children) -> Child:
        ctx = self.with_texts(ctx)
        shape = self.shape(ctx)
        laid_out = written(self, shape, ctx)
        values = chain.from_iterable([item.__dict__.values() for item in shape.shown])
        is_whole = ctx.shows_whole_texts and not may_be_cut(values, ctx.width)
        if laid_out is None or is_whole or shape.name == "table":
            return laid_out
        return [laid_out, shortened_rows(self, shape.shown, ctx)]

    def _least_tokens(self, ctx: RenderContext) -> int:
        own, usual = type(self), _USUAL
        lists_each = own.render is usual.render and own.shape is usual.shape
        return len(self.given(ctx)) if lists_each else 0

    def mark(
        self, hidden: Sequence[Any], ctx: RenderContext, way: Way, *, brief: bool
    ) -> Omitted | None:
        """Return the mark for omitted items, including unlisted ones; None for none.

        :param ctx: with the section's texts.
        :param brief: leave the call that shows them out of the text.
        """
        return mark_of(self, self._shape("count", (), hidden), ctx, way, brief=brief)

    @classmethod
    def listing(cls, item: Any, ctx: RenderContext) -> Child:
        """Return an item as in a list of all items: with its id and all fields, over or not."""
        return in_full(cls, item, ctx)

    @classmethod
    def forms_at(cls, density: Density) -> tuple[Form, ...]:
        return tuple(cls.forms[place] for place in cls._forms_at[density])

    def _rows_shown(self, shown: Sequence[Any], ctx: RenderContext) -> tuple[Any, ...]:
        """Return the rows of items, with their prefixes and suffixes."""
        return tuple(self.as_items(rows_around(self, self.rows_of(shown, ctx), shown, ctx)))

    @classmethod
    def over(cls, ctx: RenderContext) -> Over | None:
        """Return the suffix of items that are over; ``None`` without a word for it."""
        end = cls._end
        word = "" if end is None else ctx.texts.get(f"{cls.name}.over", "")
        if end is None or not word:
            return None
        several = len(end.values) > 1
        return Over(end.field, {each: as_text(each) if several else word for each in end.values})

    def said_around(self, item: Any, *, show_ids: bool | None = None) -> dict[str, Any]:
        """Return the fields of an item in the prefix and suffix of its row."""
        said: dict[str, Any] = {}
        with_id = self.show_ids if show_ids is None else show_ids
        if isinstance(item, PlainItem) and item.id and (with_id or item.origin):
            said["id"] = item.id if with_id else f"{item.origin}:"
        if (by := unexpected_source(item)) is not None:
            said["said_by"] = by
        if self._end is not None and self._end.has(item):
            said[self._end.field] = getattr(item, self._end.field)
        return said

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        if not self.reads_back:
            return None
        ctx = self.with_texts(ctx)
        shape = self.shape(ctx)
        said = said_of_items(self, shape.shown, ctx) if shape.said is None else shape.said
        total, done = shape.left
        if shape.name not in ("line", "list", "lone") and done < total:  # it counts open ones alone
            total, done = total - done, 0
        is_table = shape.name == "table"
        made = self._of(ReadList(said, Omission(total, done), shape.at, shape.first, is_table))
        if made is not None and shape.name == "folded":
            return made.standing_as("folded")
        is_pinned = self.standing == "pinned" and shape.name == "count"
        return made.standing_as("pinned") if made is not None and is_pinned else made

    @classmethod
    def read(cls, item: mdast.ListItem, ctx: RenderContext) -> Mapping[str, Any] | None:
        """Return the fields of the item in a list's item, or ``None``."""
        line = only_line(item)
        return None if line is None else read_item(cls.forms, ctx, line, over=cls.over(ctx))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        return read(cls, blocks, cls.with_texts(ctx)) if cls.reads_back else None

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        """Return the section of items with these fields; ``None`` if it would be empty."""
        unlisted, done = told.left
        if not told.items and not unlisted:
            return None
        made = tuple(model_from_text(cls.value, item) for item in told.items)
        if None in made:
            return None
        usual = cls.disclosure.at(Density.FULL).limit
        limit = len(made) if usual is not None and len(made) > usual else None
        props: dict[str, Any] = {
            cls.prop: made,
            "unlisted": unlisted,
            "unlisted_done": done,
            "unlisted_at": told.at if unlisted and told.at and told.at < len(made) else None,
            "limit": limit,
            "show_ids": shows_ids(told.items),
        }
        return cls(**props)


_USUAL: type[Any] = ItemsSection
