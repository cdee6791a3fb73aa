"""How an item is written, and read back: a text of the table, and what its holes stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, get_args

from hud_components._models import HudItem, Origin
from hud_components.words._texts import TEXTS, format_text
from ujsx import RenderContext, Template
from ujsx.mdast import Node

ID = "`{id}` "
"""What stands before an item that shows its id."""

ORIGIN = " *{origin}*"
"""What stands behind an inherited item."""

AROUND = (("", ""), (ID, ""), ("", ORIGIN), (ID, ORIGIN))
_ADDED = ("id", "origin")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """One way to write an item. When it is read, its line tells which way it was."""

    text: str
    """The name of the line in the table of texts."""

    fields: tuple[str, ...]
    """The fields of the item that the line's holes may stand for."""

    fixed: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    """What else holds of an item that is written so."""

    source: str | None = None
    """The line itself, where the table of texts does not have it."""

    patterns: tuple[tuple[str, str], ...] = ()
    """By field, the regular expression of what its hole reads, where that is not any text."""

    def template(self, ctx: RenderContext, before: str = "", behind: str = "") -> Template:
        """Return the line, with an id before it or an origin behind it."""
        source = ctx.texts.get(self.text) if ctx.texts else None
        if source is None:
            source = TEXTS[self.text] if self.source is None else self.source
        if before or behind:
            return _line(before + source + behind, (*self.fields, *_ADDED), self.patterns)
        return _line(source, self.fields, self.patterns)


@lru_cache(maxsize=512)
def _line(source: str, fields: tuple[str, ...], patterns: tuple[tuple[str, str], ...]) -> Template:
    known = {name: pattern for name, pattern in patterns if f"{{{name}}}" in source}
    return Template(source, fields, patterns=known) if known else Template.of(source, fields)


def read_item(
    forms: Sequence[Form], ctx: RenderContext, line: Sequence[Node]
) -> dict[str, Any] | None:
    """Return the fields of the item that a line shows, or ``None`` if no form writes such a line."""
    for before, behind in AROUND:
        for form in forms:
            read = form.template(ctx, before, behind).read(line)
            if read is None:
                continue
            values = {**form.fixed, **read}
            said = values.pop("origin", None)
            origins = {format_text(ctx, f"origin.{name}"): name for name in get_args(Origin)}
            if said in origins:
                values.setdefault("id", f"{origins[said]}:")
            if said is None or said in origins:
                return values
    return None


def decorated(
    row: tuple[Any, ...], item: HudItem, ctx: RenderContext, *, show_id: bool
) -> tuple[Any, ...]:
    """Return a row with the item's id before it, if it is to be shown, and its origin behind it."""
    before = ID if show_id and item.id else ""
    behind = ORIGIN if item.origin else ""
    if not before and not behind:
        return row
    template: Template = row[0]
    fields, patterns = (*template.fields, *_ADDED), tuple(template.patterns.items())
    made = _line(before + template.source + behind, fields, patterns)
    origin = format_text(ctx, f"origin.{item.origin}") if item.origin else ""
    return (made, *row[1:], item.id, origin)


def shows_ids(items: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether items that were read show ids, and not only where they come from."""
    return any(not item["id"].endswith(":") for item in items if "id" in item)
