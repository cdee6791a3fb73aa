"""Sections that list items: the forms that write an item read it back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from msgspec.structs import replace
from pydantic import Field, ValidationError

from hud_components._models import HudModel, Identified
from hud_components.declaring._form import Form, decorated, read_item, shows_ids
from hud_components.declaring._omission import omitted, read_mark
from hud_components.declaring._section import HudSection, bound, titled
from hud_components.words._reading import is_titled, only_child, only_line
from hud_components.words._texts import format_text
from ujsx import (
    Child,
    Children,
    DefinitionError,
    Density,
    Element,
    ForEach,
    RenderContext,
    Template,
    elided,
    mdast,
)
from ujsx.elements import List, Paragraph
from ujsx.errors import did_you_mean

_LIST = List()
_ID = attrgetter("id")

Split: TypeAlias = tuple[Sequence[Any], Sequence[Any], int]
"""The items that are shown, those that are not, and before which of the former they stand."""


class ItemsSection(HudSection):
    """A titled list of items; the first ones and the newest when not all are shown.

    A subclass says what its items are, the forms in which they are written, and in ``rows`` which
    item takes which form. The forms read a rendering back.
    """

    kind: ClassVar[str]
    """The section's name in the tables of texts and handles."""

    prop: ClassVar[str]
    """The prop that holds the items."""

    field: ClassVar[str] = ""
    """The field of the bound state that holds them; ``""`` where no state has such items."""

    model: ClassVar[type[HudModel]]
    """The class of the items."""

    forms: ClassVar[tuple[Form, ...]]
    """How an item may be written."""

    _has_ids: ClassVar[bool]

    texts: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Texts that the table does not have, for a section of one's own: ``"risks.title"``, the noun
    ``"risks.noun"`` in its forms, the lines of its forms, and the call ``"risks.handle"``."""

    unlisted: Annotated[int, Field(ge=0)] = 0
    """How many items there are beside those given: they are among what is left out."""

    unlisted_at: Annotated[int, Field(ge=1)] | None = None
    """Before which of the given items those stand; behind the list when None."""

    show_ids: bool = False
    """Whether each item shows its id, so that it can be told from others in an edited text."""

    def rows(
        self, items: Sequence[Any], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        """Return the rows of the list, one for each item.

        :param templates: those of the forms.
        """
        raise DefinitionError(
            f"{type(self).__name__} does not say how its items are written; define "
            "rows(items, ctx, templates)"
        )

    def split(self, items: Sequence[Any], limit: int | None) -> Split:
        """Return the items that a limit shows, and those that it leaves out."""
        if limit is None or len(items) <= limit:
            return items, (), 0
        gap = elided(len(items), limit)
        return (*items[: gap.start], *items[gap.stop :]), items[gap.start : gap.stop], gap.start

    def given(self, ctx: RenderContext) -> Sequence[Any]:
        """Return the items: those of the prop, or of the bound state."""
        items: Sequence[Any] | None = getattr(self, self.prop)
        return getattr(bound(ctx), self.field, ()) if items is None else items

    def as_items(self, rows: Sequence[Any]) -> Iterable[Any]:
        """Return rows with those that take more than a line as items."""
        return rows

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        for name in ("kind", "prop", "model", "forms"):
            if not hasattr(cls, name):
                raise DefinitionError(f"{cls.__name__} does not say its {name}; see ItemsSection")
        if cls.prop not in cls.model_fields:
            hint = did_you_mean(cls.prop, cls.model_fields)
            raise DefinitionError(f'{cls.__name__}.prop: it has no prop "{cls.prop}"; {hint}')

        cls._has_ids = issubclass(cls.model, Identified)

    # --- Writing ---

    def render(self, ctx: RenderContext, children: Children) -> Child:
        items = self.given(ctx)
        if not items and not self.unlisted:
            return None
        ctx = self._with_texts(ctx)
        rows, hidden, at = self._listed(items, ctx)
        mark = None
        if hidden or self.unlisted:
            mark = omitted(ctx, self.kind, hidden, self.unlisted, brief=not rows)
        if not rows:
            return mark and Paragraph()[mark]
        title = titled(format_text(ctx, f"{self.kind}.title"))
        if mark is None:
            return Element(title, (Element(_LIST, (ForEach(rows=rows),)),))
        if 0 < at < len(rows):
            return title[_LIST[ForEach(rows=rows[:at]), mark, ForEach(rows=rows[at:])]]
        return title[_LIST[ForEach(rows=rows)], mark]

    @classmethod
    def _with_texts(cls, ctx: RenderContext) -> RenderContext:
        """A context with the section's own texts, where the caller did not replace them."""
        return replace(ctx, texts={**cls.texts, **ctx.texts}) if cls.texts else ctx

    def _listed(
        self, items: Sequence[Any], ctx: RenderContext
    ) -> tuple[tuple[Any, ...], Sequence[Any], int]:
        """The rows, the items that have none, and before which row those would stand."""
        shown, hidden, at = self.split(items, ctx.limit)
        rows = self.rows(shown, ctx, [form.template(ctx) for form in self.forms])
        if self._has_ids and (self.show_ids or ":" in "".join(map(_ID, shown))):
            pairs = zip(rows, shown, strict=True)
            rows = [decorated(row, item, ctx, show_id=self.show_ids) for row, item in pairs]
        return tuple(self.as_items(rows)), hidden, at if hidden else self.unlisted_at or 0

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        ctx = self._with_texts(ctx)
        shown, hidden, at = self.split(self.given(ctx), ctx.limit)
        templates = [form.template(ctx) for form in self.forms]
        items: list[Mapping[str, Any]] = []
        for row, item in zip(self.rows(shown, ctx, templates), shown, strict=True):
            said = dict(self.said(row, templates))
            if isinstance(item, Identified) and item.id and (self.show_ids or item.origin):
                said["id"] = item.id if self.show_ids else f"{item.origin}:"
            items.append(said)
        return self._of(items, len(hidden) + self.unlisted, at if hidden else self.unlisted_at)

    def said(self, row: Any, templates: Sequence[Template]) -> Mapping[str, Any]:
        """Return the fields of an item that its row tells."""
        template, *texts = row
        form = self.forms[templates.index(template)]
        told = zip(template.fields, texts, strict=True)
        return {**form.fixed, **{name: text for name, text in told if name in template.holes}}

    @classmethod
    def read(cls, item: mdast.ListItem, ctx: RenderContext) -> Mapping[str, Any] | None:
        """Return the fields of an item that a list's item tells, or ``None`` if it tells of none."""
        line = only_line(item)
        return None if line is None else read_item(cls.forms, ctx, line)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls._with_texts(ctx)
        mark = read_mark(only_child(blocks[0]), cls.kind, ctx, "count", brief=True)
        if mark is not None:
            section, taken = cls._of((), mark.total, None), 1
        elif is_titled(blocks, format_text(ctx, f"{cls.kind}.title"), ctx):
            section, taken = cls._parse_list(blocks, ctx)
        else:
            return None
        return None if section is None else (section, taken)

    @classmethod
    def _parse_list(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self | None, int]:
        listed, behind = blocks[1], blocks[2:3]
        if type(listed) is not mdast.List or listed.ordered:
            return None, 0
        items: list[Mapping[str, Any]] = []
        unlisted, at = 0, None
        for item in listed.children:
            mark = read_mark(only_child(only_child(item)), cls.kind, ctx, "more")
            if mark is not None and items and at is None:
                unlisted, at = mark.total, len(items)
                continue
            read = cls.read(item, ctx)
            if read is None:
                return None, 0
            items.append(read)
        if at is None and behind:
            mark = read_mark(only_child(behind[0]), cls.kind, ctx, "more")
            if mark is not None:
                return cls._of(items, mark.total, None), 3
        return cls._of(items, unlisted, at), 2

    @classmethod
    def _of(cls, items: Sequence[Mapping[str, Any]], unlisted: int, at: int | None) -> Self | None:
        """The section of items that are told by their fields; ``None`` if it would say nothing."""
        if not items and not unlisted:
            return None
        try:
            made = tuple(cls.model(**item) for item in items)
        except ValidationError:
            return None
        usual = cls.disclosure.at(Density.FULL).limit
        limit = len(made) if usual is not None and len(made) > usual else None
        props: dict[str, Any] = {
            cls.prop: made,
            "unlisted": unlisted,
            "unlisted_at": at if unlisted and at and at < len(made) else None,
            "limit": limit,
            "show_ids": shows_ids(items),
        }
        return cls(**props)
