"""The lines of lists: the shape of a list on a rung, and the single writer and reader of all shapes."""

# ruff: noqa: SLF001 - they are a part of sections

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from hud_components.declaring._form import (
    EVERYBODY,
    Form,
    Omission,
    Way,
    decorated,
    has_words,
    omitted,
    read_item,
    read_mark,
    read_said_of,
    said_by,
    said_of,
    says,
    shortened,
    unexpected_source,
    without_mark,
)
from hud_components.declaring._values import as_text
from hud_components.words._texts import (
    NUMBER,
    apart,
    counted,
    format_text,
    is_titled,
    line_of,
    only_child,
    parse_text,
    separated,
    text_in,
    without_space,
)
from ujsx import Child, Density, Element, ForEach, RenderContext, mdast
from ujsx.elements import (
    Item,
    List,
    Omitted,
    Paragraph,
    Section,
    Table,
    TableCell,
    TableRow,
    code,
    em,
    strong,
)
from ujsx.text import escaped

JOINT = ", "
"""The separator of items in the shortest form."""

LONGEST_LINE = 240
"""The most characters of items in one line: a list is easier to read for longer ones, and costs no more."""


ShapeName: TypeAlias = Literal[
    "nothing", "folded", "count", "newest", "lone", "line", "list", "done", "table"
]
"""The shapes: a count with the call that shows all, a count alone, a count with the newest, an item as a paragraph, items
in one line, a list; the last two are those of a finished plan and of a table."""


class ListShape(NamedTuple):
    """The shape of a list on a rung: how it is written, the items that it shows, and those that it leaves out.

    Computed once; writing, content, and reading back are derived from it.
    """

    name: ShapeName
    shown: Sequence[Any] = ()
    hidden: Sequence[Any] = ()

    more: int = 0
    """The number of omitted items beside the hidden ones."""

    left: Omission = Omission()
    """The omission shown in the text."""

    rows: Sequence[Any] = ()
    """The written parts: rows of the list, texts of items, cells of a table."""

    at: int | None = None
    """The row of a list before which the omission is; after all when None."""

    first: int = 1
    """The number of the first row in a numbered list."""

    said: Sequence[Mapping[str, Any]] | None = None
    """The shown fields of each item, if they are not those of its rows."""


# --- The choice of a shape ---


def shape_of(section: Any, ctx: RenderContext) -> ListShape:
    """Return the shape of a list on the context's rung.

    :param ctx: with the section's texts.
    """
    shape: Callable[..., ListShape] = section._shape
    items = section.given(ctx)
    if section.is_counted(ctx):
        return shape("folded", (), items)
    if not items and not section.unlisted:
        return ListShape("nothing")
    shown, hidden, at = section.split(items, ctx.limit)
    named = _named(section, shown, ctx)
    if named:
        return _with_newest(section, items, named, ctx)
    if named is not None or not shown:
        return shape("count", (), items)
    rows = section._rows_shown(shown, ctx)
    if section.says_in_line(rows, ctx):
        return shape("line", shown, hidden, rows)
    at = at if hidden else section.unlisted_at or 0
    return shape("list", shown, hidden, rows)._replace(at=at)


def _named(section: Any, shown: Sequence[Any], ctx: RenderContext) -> Sequence[Any] | None:
    """Return the open items that the shortest form names beside the count; ``None`` for another form, or if it would be
    ambiguous.
    """
    if ctx.density is not Density.MINIMAL or not 1 <= len(shown) <= section._most_named:
        return None
    if any(map(unexpected_source, shown)):
        return None
    to_do = section._open(shown)
    joints = [format_text(ctx, "status.separator").strip()]
    joints += [JOINT] if section._most_named > 1 else []
    told = zip(to_do, section._texts_of(to_do, ctx), strict=True)
    named = [item for item, text in told if text and not any(joint in text for joint in joints)]
    return None if to_do and not named else named


def _with_newest(
    section: Any, items: Sequence[Any], named: Sequence[Any], ctx: RenderContext
) -> ListShape:
    """Return the shape of a count with named items."""
    chosen, texts = set(map(id, named)), section._texts_of(named, ctx)
    hidden = [item for item in items if id(item) not in chosen]
    total, done = section.left_out(items)
    left, said = Omission(total - done - len(named)), [*map(section._of_text, texts)]
    return ListShape("newest", named, hidden, section.unlisted, left, texts, said=said)


# --- Writing ---


def written(section: Any, shape: ListShape, ctx: RenderContext) -> Child:
    """Return a list in its shape; None for nothing.

    :param ctx: with the section's texts.
    """
    match shape.name:
        case "folded":
            mark = mark_of(section, shape, ctx, "count", brief=False)
            return mark and Paragraph()[mark]
        case "count":
            mark = mark_of(section, shape, ctx, "count", brief=True)
            return mark and section.brief()[mark]
        case "newest":
            brief: Child = section.brief()[_newest(section, shape, ctx)]
            return brief
        case "lone":
            [(template, *texts)] = shape.rows
            rest = mark_of(section, shape, ctx, "line.more", brief=True)
            return Paragraph()[template.fill(*texts), " " if rest else None, rest]
        case "line":
            told: list[Child] = [row[0].fill(*row[1:]) for row in shape.rows]
            rest = mark_of(section, shape, ctx, "line.more", brief=True)
            told += [] if rest is None else [rest]
            return Paragraph()[strong(_label(section, ctx)), " ", separated(told, ctx)]
        case "list":
            return _list(section, shape, ctx)
        case "done":
            return Paragraph()[counted(ctx, section.name, shape.left.total, f"{section.name}.done")]
        case "table":
            rows = (section.heads(ctx), *shape.rows)
            lines = [TableRow()[[TableCell()[text] for text in row]] for row in rows]
            return _titled(section, ctx)[Table(align=section.align)[lines]]
        case _:
            return None


def mark_of(
    section: Any, shape: ListShape, ctx: RenderContext, way: Way, *, brief: bool
) -> Omitted | None:
    """Return the mark for omitted items; None for none.

    :param brief: leave the call that shows them out of the text.
    """
    if not shape.left.total:
        return None
    text = said_of(ctx, section.name, shape.left, way)
    if section.standing == "pinned" and way == "count":
        text = format_text(ctx, "pinned.count", text=text)
    return omitted(ctx, section.name, shape.hidden, shape.more, brief=brief, text=text)


def _newest(section: Any, shape: ListShape, ctx: RenderContext) -> Child:
    """Return the count of items, with the texts of the named ones."""
    count = shape.left.total + len(shape.shown)
    told = counted(ctx, section.name, count, "count.newest", newest=JOINT.join(shape.rows))
    mark = omitted(ctx, section.name, shape.hidden, shape.more, brief=True, text=told)
    return em(told) if mark is None else mark


def _list(section: Any, shape: ListShape, ctx: RenderContext) -> Child:
    title = _titled(section, ctx)
    rows, at = tuple(shape.rows), shape.at or 0
    listed = _numbered(shape.first) if section.order else _LIST
    mark = mark_of(section, shape, ctx, "more", brief=False)
    if mark is not None and 0 < at < len(rows):
        return title[listed[ForEach(rows=rows[:at]), mark, ForEach(rows=rows[at:])]]
    whole = Element(listed, (ForEach(rows=rows),))
    return Element(title, (whole,)) if mark is None else title[whole, mark]


def _titled(section: Any, ctx: RenderContext) -> Section:
    return Section.model_construct(title=format_text(ctx, f"{section.name}.title"))


_LIST = List()


@lru_cache(maxsize=64)
def _numbered(start: int) -> List:
    return List(ordered=True, start=start)


def _label(section: Any, ctx: RenderContext) -> str:
    return format_text(ctx, "line.label", title=format_text(ctx, f"{section.name}.title"))


def rows_around(
    section: Any, rows: Sequence[Any], shown: Sequence[Any], ctx: RenderContext
) -> Sequence[Any]:
    """Return rows with prefixes and suffixes: ids if shown, origins, and the mark of items that are over if their form
    lacks it.
    """
    over = section.over(ctx) if section._end and any(map(section._end.has, shown)) else None
    if over is None and not (
        section._has_ids and (section.show_ids or ":" in "".join(map(_ID, shown)))
    ):
        marks = section._unmarked
        if marks == EVERYBODY or marks.issuperset(map(_SAID_BY, shown)):
            return rows
    silent = (form for form in section.forms if over and not _says_over(section, form))
    templates = {form.template(ctx) for form in silent}
    return [
        decorated(
            row,
            item,
            ctx,
            show_id=section.show_ids,
            over=over if row[0] in templates and section._end.has(item) else None,
        )
        for row, item in zip(rows, shown, strict=True)
    ]


_ID = attrgetter("id")
_SAID_BY = attrgetter("said_by")


def _says_over(section: Any, form: Form) -> bool:
    """Tell whether a form shows that an item is over."""
    return section._end.field in form.fixed or section._end.field in form.fields


def fit_one_line(rows: Sequence[Any], ctx: RenderContext) -> bool:
    """Tell whether rows fit one line, and are distinguishable in it."""
    if not all(type(row) is tuple for row in rows):
        return False
    texts = [text for row in rows for text in _texts_shown(row)]
    if sum(map(len, texts)) > LONGEST_LINE:
        return False
    separator = format_text(ctx, "status.separator").strip()
    sources = (row[0].source for row in rows)
    return not any(separator in text for text in chain(sources, texts))


def _texts_shown(row: Sequence[Any]) -> list[str]:
    """Return the texts of a row with a hole in its line: those that can be read back."""
    template, *texts = row
    told = zip(template.fields, texts, strict=True)
    return [text for name, text in told if name in template.holes]


def shortened_rows(section: Any, shown: Sequence[Any], ctx: RenderContext) -> Child:
    """Return a note about the items whose rows are shortened."""
    now, whole = section.rows_of(shown, ctx), section.rows_of(shown, ctx.in_full())
    other = [each for each in zip(shown, now, whole, strict=True) if each[1] != each[2]]
    return shortened(
        ctx,
        section.name,
        [item for item, _, _ in other],
        told_by(section, [row for _, row, _ in other], ctx),
        told_by(section, [row for _, _, row in other], ctx),
    )


def in_full(section: Any, item: Any, ctx: RenderContext) -> Child:
    """Return an item as in a list of all items: with its id and all fields, over or not."""
    values, kind = item.__dict__, section.kind
    named = kind.key == "id"
    form = section.forms[section._place_of(values, section._forms_at[Density.FULL])]
    over = not kind.is_open(item)
    is_ticked = (flag := kind.done) == "completed"
    head: list[Child] = [code(item.id)] if named else []
    if over and flag is not None and not is_ticked:
        word = ctx.texts.get(f"{section.name}.{flag}", flag)
        head += [] if says(form.source, word) else [f" ({word})"]
    elif over and section._end is not None and flag is None and not _says_over(section, form):
        head.append(f" ({as_text(values[section._end.field])})")
    row = Item(checked=over) if is_ticked else Item()
    if form.fields == (kind.text,) and named and not has_words(form.source):
        text = _LINE_ENDS.sub("\n", str(values[kind.text])).strip("\n")
        first, *more = _BLANK_LINES.split(text)
        if more:
            head += [" ", first, said_by(item, ctx)]
            return row[Paragraph()[head], [Paragraph()[part] for part in more]]
        return row[head, " ", first, said_by(item, ctx)]
    told = form.template(ctx).fill(*form.texts_of(values))
    return row[head, " " if named else None, told, said_by(item, ctx)]


_LINE_ENDS = re.compile("\r\n?")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


# --- Reading ---


class ReadList(NamedTuple):
    """A list as read from its text."""

    items: Sequence[Mapping[str, Any]] = ()
    """The fields of each item."""

    left: Omission = Omission()
    """The omission shown in it."""

    at: int | None = None
    """The item before which the omission is; after all when None."""

    first: int = 1
    """The number of its first item in a numbered list."""

    is_table: bool = False
    """Whether it is a table."""


def said_of_items(
    section: Any, shown: Sequence[Any], ctx: RenderContext
) -> Sequence[Mapping[str, Any]]:
    """Return the fields in the rows of items, with their prefixes and suffixes."""
    told = zip(told_by(section, section.rows_of(shown, ctx), ctx), shown, strict=True)
    return [{**said, **section.said_around(item)} for said, item in told]


def told_by(section: Any, rows: Sequence[Any], ctx: RenderContext) -> Sequence[Mapping[str, Any]]:
    """Return the fields of items from their rows: those shown, and those implied by the form."""
    templates = [form.template(ctx) for form in section.forms]
    return [section.forms[templates.index(row[0])].told(row) for row in rows]


def read(section: Any, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Any, int] | None:
    """Return the section at the start of blocks, in any shape, and its number of blocks.

    :param section: its class.
    :param ctx: with the section's texts.
    """
    made, taken = None, 1
    mark = only_child(blocks[0])
    if (left := read_said_of(mark, section.name, ctx, "count", brief=True)) is not None:
        made = section._of(ReadList(left=left))
    elif (left := read_said_of(mark, section.name, ctx, "count")) is not None:
        made = _standing(section._of(ReadList(left=left)), "folded")
    elif (left := _read_pinned(section, mark, ctx)) is not None:
        made = _standing(section._of(ReadList(left=left)), "pinned")
    elif (newest := _read_newest(section, mark, ctx)) is not None:
        made = section._of(newest)
    elif (lone := _read_lone(section, blocks[0], ctx)) is not None:
        made = section._of(lone)
    elif is_titled(blocks, format_text(ctx, f"{section.name}.title"), ctx):
        made, taken = _read_list(section, blocks, ctx)
    elif (line := _read_line(section, blocks[0], ctx)) is not None:
        made = section._of(line)
    return None if made is None else (made, taken)


def _standing(made: Any, standing: str) -> Any:
    return made and made.standing_as(standing)


def _read_pinned(section: Any, node: Any, ctx: RenderContext) -> Omission | None:
    """Return the count in the mark of a pinned section with room for a count only."""
    said = text_in(node.children) if type(node) is mdast.Emphasis else ""
    told = parse_text(ctx, "pinned.count", said) if said else None
    if told is None:
        return None
    inner = mdast.Emphasis((mdast.Text(told["text"]),))
    return read_said_of(inner, section.name, ctx, "count", brief=True)


def _read_newest(section: Any, node: Any, ctx: RenderContext) -> ReadList | None:
    """Return the newest items in a mark with a count."""
    said = text_in(node.children) if type(node) is mdast.Emphasis else ""
    if not said or not section._most_named:
        return None
    told = parse_text(ctx, "count.newest", said, count=NUMBER)
    if told is None or not (newest := told.get("newest")):
        return None
    if format_text(ctx, "status.separator").strip() in newest:  # several counts share the line
        return None
    count = int(told["count"])
    if not count or counted(ctx, section.name, count, "count.newest", newest=newest) != said:
        return None
    named = newest.split(JOINT) if section._most_named > 1 else [newest]
    if len(named) > count:
        return None
    return ReadList([*map(section._of_text, named)], Omission(count - len(named)))


def _read_lone(section: Any, block: Any, ctx: RenderContext) -> ReadList | None:
    """Return the single item in a paragraph."""
    nodes = line_of(block) if section.lone_forms else ()
    rest = read_mark(nodes[-1], section.name, ctx, "line.more", brief=True) if nodes else None
    line = nodes if rest is None else without_mark(nodes)
    said = read_item(section.lone_forms, ctx, line)
    return None if said is None else ReadList([said], rest or Omission())


def _read_line(section: Any, block: Any, ctx: RenderContext) -> ReadList | None:
    """Return the items in a line."""
    parts = parts_of_line(section, block, ctx)
    if parts is None:
        return None
    over = section.over(ctx)
    told = [read_item(section.forms, ctx, part, over=over) for part in parts[0]]
    items = [each for each in told if each is not None]
    if not items or len(items) < len(told):
        return None
    left = read_said_of(parts[1], section.name, ctx, "line.more", brief=True)
    return ReadList(items, left or Omission())


def parts_of_line(
    section: Any, block: Any, ctx: RenderContext
) -> tuple[Sequence[Sequence[Any]], Any] | None:
    """Return the items of a line with a section's title, each as its nodes, and the omission mark or ``None``; ``None``
    for another line.
    """
    label, *rest = line_of(block) or (None,)
    if label != mdast.Strong((mdast.Text(escaped(_label(section, ctx))),)):
        return None
    parts = apart(without_space(rest), ctx) if rest else []
    last = parts[-1][0] if parts and len(parts[-1]) == 1 else None
    if read_said_of(last, section.name, ctx, "line.more", brief=True) is None:
        return parts, None
    return parts[:-1], last


def _read_list(section: Any, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Any, int]:
    listed, behind = blocks[1], blocks[2:3]
    if type(listed) is not mdast.List or bool(listed.ordered) is not bool(section.order):
        return None, 0
    items: list[Mapping[str, Any]] = []
    left, at = None, None
    for item in listed.children:
        if items and left is None and not listed.ordered:
            left = read_said_of(only_child(only_child(item)), section.name, ctx, "more")
            if left is not None:
                at = len(items)
                continue
        said = section.read(item, ctx)
        if said is None:
            return None, 0
        items.append(said)
    taken = 2
    if left is None and behind:
        left = read_said_of(only_child(behind[0]), section.name, ctx, "more")
        taken = 2 if left is None else 3
    first = listed.start if listed.ordered and listed.start is not None else 1
    return section._of(ReadList(items, left or Omission(), at, first)), taken
