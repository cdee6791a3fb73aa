"""Sections of one value: what there is one of, such as a task or a ticket."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import GenericAlias, MappingProxyType
from typing import Any, ClassVar, Generic, Self, TypeVar

from hud_components._models import HudModel
from hud_components.declaring._checks import check_declared
from hud_components.declaring._declare import declare, declared_texts
from hud_components.declaring._form import (
    ORIGIN,
    Form,
    read_item,
    said_by,
    shortened,
    unexpected_source,
    whence,
)
from hud_components.declaring._lines import (
    Lines,
    forms_of,
    has_words,
    labelled,
    lines_by_density,
    told_apart,
    warn_of,
)
from hud_components.declaring._section import HudSection, of_bound, titled
from hud_components.declaring._state import (
    AIM,
    BRIEF,
    IN_FULL,
    IN_SHORT,
    LONG,
    MORE_IN_SHORT,
    MOST,
    REST,
    SHORT,
)
from hud_components.declaring._values import Faults, as_text, as_told, is_set
from hud_components.folding import Verb
from hud_components.words._cut import Label, is_titled, line_of, may_be_cut
from hud_components.words._request_words import left_to_tell
from hud_components.words._texts import format_text
from ujsx import Child, Children, DefinitionError, Density, Disclosure, RenderContext, Rung
from ujsx.components import fields_of, settled
from ujsx.elements import Item, List, Paragraph
from ujsx.errors import shown

ValueT = TypeVar("ValueT", bound=HudModel)


_AROUND = (("", ""), ("", ORIGIN))
"""What stands around a value: it has no id."""


@settled
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
    disclosure: ClassVar[Disclosure] = Disclosure(
        (
            Rung(Density.MINIMAL, width=SHORT),
            Rung(Density.MINIMAL, worth=AIM),
            Rung(Density.MINIMAL, is_spare=True, width=MOST, worth=REST),
            Rung(Density.COMPACT, width=BRIEF, worth=IN_SHORT),
            Rung(Density.COMPACT, worth=MORE_IN_SHORT),
            Rung(Density.COMPACT, is_spare=True, width=MOST, worth=REST),
            Rung(Density.FULL, width=LONG, worth=IN_FULL),
            Rung(Density.FULL, worth=REST),
        ),
        weight=4.0,
        floor=Density.MINIMAL,
        layer="static",
    )
    verbs: ClassVar[tuple[str | Verb, ...]] = ("set", "update", "clear")

    title: ClassVar[str] = ""
    """What stands above the value in full; its name, where nothing is said."""

    lines: ClassVar[Lines] = MappingProxyType[str, Any]({})
    """How the value is written, by density: of several lines, the first whose fields are set.

    Where no dense ones are given, and those in full do not begin with words of their own, the title
    stands before them: "**Customer:** Ada".
    """

    forms: ClassVar[Mapping[Density, tuple[Form, ...]]] = MappingProxyType({})
    """The ways to write it, where they do not follow from the lines."""

    noun: ClassVar[str] = ""
    """What such a value is called."""

    keeps_lines: ClassVar[bool] = False
    """Whether its texts keep their lines in full, but for blank ones; else each stands on one line."""

    def __class_getitem__(cls, model: Any) -> Any:
        return GenericAlias(cls, model)

    @classmethod
    def _declare(cls, faults: Faults) -> None:
        super()._declare(faults)
        if not cls.name or cls.value is None:
            return
        declare(cls, faults)
        if cls.lines:
            forms: Mapping[Density, tuple[Form, ...]] = forms_of(
                cls.__name__, cls.name, cls.value, cls.lines, reads_back=cls.reads_back
            )
            if cls.reads_back:
                full = told_apart(cls.__name__, forms[Density.FULL], cls.value)
                forms = {
                    each: tuple(full.get(form, form) for form in forms[each]) for each in forms
                }
            title = declared_texts(cls)[f"{cls.name}.title"]
            if [*lines_by_density(cls.lines)] == [Density.FULL]:
                forms = labelled(cls.name, title, forms)
            cls.forms = cls._told_apart(title, forms) if cls.reads_back else forms
        elif not cls.forms:
            raise DefinitionError(
                f"{cls.__name__} has no lines, so its value cannot be written; add them, such as "
                f'lines = {{"full": "{{{next(iter(fields_of(cls.draft)))}}}"}}'
            )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.name and cls.value is not None:
            cls.texts = declared_texts(cls)

    @classmethod
    def _told_apart(
        cls, title: str, forms: Mapping[Density, tuple[Form, ...]]
    ) -> Mapping[Density, tuple[Form, ...]]:
        """The lines with dense ones that say what they are of: any text would read like a hole alone."""
        dense = {form: form for each in (Density.COMPACT, Density.MINIMAL) for form in forms[each]}
        for form in [*dense]:
            if not has_words(form.source):
                dense[form] = replace(form, source=f"**{title}:** {form.source}")
                why = (
                    f"{cls.__name__}.lines: {shown(form.source)} stands alone where the HUD is dense, and any"
                    " text would read like it"
                )
                warn_of(why, form.source, dense[form].source)
        apart = told_apart(cls.__name__, dense.values(), cls.value)
        written = {form: apart[dense[form]] for form in dense}
        return {
            each: forms[each]
            if each is Density.FULL
            else tuple(written[form] for form in forms[each])
            for each in forms
        }

    @classmethod
    def _labelled(cls, label: Label) -> Mapping[str, str]:
        full, dense = cls.forms[Density.FULL], (Density.COMPACT, Density.MINIMAL)
        lines = {
            form.text: form.source for each in dense for form in cls.forms[each] if form not in full
        }
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

    def given(self, ctx: RenderContext) -> Any:
        """Return the value: that of the prop, or of the bound state; None where there is none."""
        if not self.prop:
            check_declared(type(self))
        value = getattr(self, self.prop)
        return left_to_tell(of_bound(self, ctx) if value is None else value, ctx)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        value = self.given(ctx)
        if value is None:
            return None
        ctx = self.with_texts(ctx)
        form, texts = self._told(value, ctx)
        words = whence(ctx, value)
        if words:
            told = form.template(ctx, behind=ORIGIN).fill(*texts, "", words)
        else:
            told = form.template(ctx).fill(*texts)
        if ctx.density is Density.FULL:
            section = titled(format_text(ctx, f"{self.name}.title"))[told, children]
            if ctx.shows_whole_texts and not may_be_cut(value.__dict__.values(), ctx.width):
                return section
            return [section, self._shortened(value, ctx)]
        line = (self.brief() if ctx.density is Density.MINIMAL else Paragraph())[told]
        return [line, self._shortened(value, ctx)]

    def _shortened(self, value: Any, ctx: RenderContext) -> Child:
        """A note that it says less than it does in full, where it does."""
        said = (
            dict(zip(form.fields, texts, strict=True))
            for form, texts in (
                self._told(value, ctx),
                self._told(value, ctx.in_full()),
            )
        )
        return shortened(ctx, self.name, [value], [next(said)], [next(said)])

    def _told(self, value: Any, ctx: RenderContext) -> tuple[Form, list[str]]:
        values: dict[str, Any] = value.__dict__
        others = (form for forms in self.forms.values() for form in forms)
        forms = (*self.forms[ctx.density], *others)
        form = next((form for form in forms if form.fits(values)), forms[0])
        keeps = self.keeps_lines and ctx.density is Density.FULL and form in self.forms[ctx.density]
        return form, form.texts_of(values, ctx.width, keeps_lines=keeps)

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        value, ctx = self.given(ctx), self.with_texts(ctx)
        if value is None or not self.reads_back:
            return None
        form, texts = self._told(value, ctx)
        holes = form.template(ctx).holes
        told: dict[str, Any] = form.said(
            {name: text for name, text in zip(form.fields, texts, strict=True) if name in holes}
        )
        if (by := unexpected_source(value)) is not None:
            told["said_by"] = by
        return self._of({**form.fixed, **told}, getattr(value, "origin", None))

    def said_in(self, ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
        value = self.given(ctx)
        if value is None:
            return ()
        form, texts = self._told(value, ctx)
        return ({**form.fixed, **form.said(dict(zip(form.fields, texts, strict=True)))},)

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        if not cls.reads_back:
            return None
        ctx = cls.with_texts(ctx)
        densities: tuple[Density, ...] = (Density.COMPACT, Density.MINIMAL)
        block, taken = blocks[0], 1
        if is_titled(blocks, format_text(ctx, f"{cls.name}.title"), ctx):
            densities, block, taken = (Density.FULL,), blocks[1], 2
        for density in densities:
            said = read_item(cls.forms[density], ctx, line_of(block), _AROUND)
            if said is not None:
                origin = said.pop("id", "").removesuffix(":") or None
                section = cls._of(said, origin)
                return None if section is None else (section, taken)
        return None

    @classmethod
    def _of(cls, said: Mapping[str, Any], origin: str | None) -> Self | None:
        marked = {"origin": origin} if "origin" in fields_of(cls.value) else {}
        value = as_told(cls.value, {**said, **marked})
        return None if value is None else cls(**{cls.prop: value})
