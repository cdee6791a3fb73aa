"""A HUD's text, taken apart: the rows of what can be edited, and all the rest as it is."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hud_components.declaring import read_mark, without_mark
from hud_components.words import only_child
from hud_runtime.editing._editable import begins_with_words
from hud_runtime.editing._layout import Spot
from hud_runtime.editing._result import Problem
from hud_runtime.editing._rows import (
    Row,
    SourcePlace,
    row_of_item,
    row_of_line,
    row_of_value,
    rows_in_line,
)
from ujsx import mdast


@dataclass(frozen=True, slots=True)
class FixedPart:
    """A block that is no item: a heading, a mark, a line that hosts report, something foreign."""

    text: str
    """The block as Markdown."""

    block: Any
    """The block as it was parsed; an item of a list as a list of one."""

    place: SourcePlace

    section: str
    """The heading above it."""


@dataclass(slots=True)
class Found:
    """The part of a text that belongs to one section."""

    spot: Spot
    place: SourcePlace | None = None
    """Where it starts; None where the text does not have it."""

    rows: list[Row] = field(default_factory=list[Row])
    unreadable: list[FixedPart] = field(default_factory=list[FixedPart])
    """What stands where an item should, and no form reads."""

    def take(self, row: Row | None) -> bool:
        """Take an item in, if it is one."""
        if row is None:
            return False
        self.place = self.place or row.place
        self.rows.append(row)
        return True

    @property
    def wants_value(self) -> bool:
        """True if it is of one value, and the text has none so far."""
        return self.spot.kind.kind is None and not self.rows


class Page:
    """A text taken apart.

    :param spots: the sections that can be edited.
    :param known: the blocks that are no items although they stand among items; all that no form
        reads when it is None.
    """

    def __init__(self, text: str, spots: Sequence[Spot], known: Container[str] | None) -> None:
        self.found = [Found(spot) for spot in spots]
        self.rest: list[FixedPart] = []
        self.problems: list[Problem] = []
        self.order: list[int] = []
        """The sections in the order of their headings, by their number."""
        self.end = SourcePlace(max(text.rstrip("\n").count("\n") + 1, 1), 1)
        self._known = known
        self._above = ""
        self._inside: Found | None = None
        blocks = mdast.from_markdown(text).children
        self._without_word = [each for each in self.found if _is_unnamed(each.spot)]
        self._unnamed = self._as_before(blocks)
        for block in blocks:
            self._take(block)

    def _take(self, block: Any) -> None:
        if type(block) is mdast.Heading:
            self._open(block)
            return
        current = self._inside
        if type(block) is mdast.List:
            self._take_list(block, current)
            return
        if type(block) is mdast.Paragraph and self._take_line(block, current):
            self._inside = None
            return
        should_be = current if current is not None and current.wants_value else None
        is_known = self._keep(block, block, should_be)
        # A section's items end where the HUD has something else: what is behind it is not theirs.
        if current is not None and is_known and not _is_mark(block, current.spot):
            self._inside = None

    def _open(self, heading: mdast.Heading) -> None:
        title = _title(heading)
        self._above = title
        same = [
            n for n, each in enumerate(self.found) if each.spot.heading == (heading.depth, title)
        ]
        if len(same) > 1:  # one that shows nothing has no heading
            same = [n for n in same if self.found[n].spot.size] or same
        # Where several sections share a title, the text has them in the HUD's order.
        number = next((n for n in same if n not in self.order), same[-1] if same else None)
        if number is None:
            self._inside = None
            self._keep(heading, heading)
            return
        self.order.append(number)
        self._inside = found = self.found[number]
        found.place = found.place or SourcePlace.of(heading)

    def _take_list(self, listed: mdast.List, current: Found | None) -> None:
        for item in listed.children:
            row = None
            if current is not None and current.spot.kind.kind is not None:
                row = row_of_item(item, current.spot.kind, current.spot.ctx)
            if row is None or current is None:
                alone = mdast.List(children=(item,), ordered=listed.ordered)
                self._keep(item, alone, current)
            else:
                current.take(row)

    def _take_line(self, paragraph: mdast.Paragraph, current: Found | None) -> bool:
        if (
            current is not None
            and current.wants_value
            and current.take(row_of_value(paragraph, current.spot.kind, current.spot.ctx))
        ):
            return True
        return any(self._take_dense(paragraph, each) for each in self.found if self._has_room(each))

    def _has_room(self, found: Found) -> bool:
        """Tell whether a line may be this section's: of several alike, the first ones are full."""
        alike = [each for each in self.found if each.spot.kind is found.spot.kind]
        return found is alike[-1] or len(found.rows) < found.spot.size

    def _take_dense(self, paragraph: mdast.Paragraph, found: Found) -> bool:
        """Take in a paragraph that a section writes where there is little room."""
        spot = found.spot
        if _is_unnamed(spot):
            return self._take_unnamed(paragraph, found)
        if self._take_in_line(paragraph, found):
            return True
        if found.take(row_of_line(paragraph, spot.kind, spot.ctx)):
            return True
        mark: Any = paragraph.children[-1] if paragraph.children else None
        if (
            spot.kind.kind is None
            or read_mark(mark, spot.kind.name, spot.ctx, "more", "line.more", brief=True) is None
        ):
            return False
        bare = mdast.Paragraph(tuple(without_mark(paragraph.children)), position=paragraph.position)
        if not found.take(row_of_line(bare, spot.kind, spot.ctx)):
            return False
        self._keep(paragraph, mdast.Paragraph((mark,)))
        return True

    def _take_in_line(self, paragraph: mdast.Paragraph, found: Found) -> bool:
        """Take in the line in which a section says all its items; each has one such line at most."""
        line = None
        if found.place is None:
            line = rows_in_line(paragraph, found.spot.kind, found.spot.ctx)
        if line is None:
            return False
        rows, mark = line
        found.place = SourcePlace.of(paragraph)
        if mark is not None:
            self._keep(paragraph, mdast.Paragraph((mark,)))
        if None in rows:
            self._keep(paragraph, paragraph, found)
        else:
            found.rows += [row for row in rows if row is not None]
        return True

    def _as_before(self, blocks: Sequence[Any]) -> dict[int, Found]:
        """Which lines without a word of their own say what a section says, by the line's identity."""
        found: dict[int, Found] = {}
        lines = [block for block in blocks if type(block) is mdast.Paragraph]
        for each in self._without_word:
            for block in lines:
                row = row_of_line(block, each.spot.kind, each.spot.ctx)
                if id(block) not in found and row is not None and row.told == each.spot.brief:
                    found[id(block)] = each
                    break
        return found

    def _take_unnamed(self, paragraph: mdast.Paragraph, found: Found) -> bool:
        """Take in a line that has no word of its own: where it says what a section said, or where
        it is new, and only one section is left that it could be.
        """
        row = row_of_line(paragraph, found.spot.kind, found.spot.ctx)
        owner = self._unnamed.get(id(paragraph))
        if owner is not None:
            return owner is found and found.take(row)
        if row is None or self._known is None or not self._is_free(found):
            return False
        if mdast.to_markdown(mdast.Root((paragraph,))) in self._known:
            return False
        others = [
            each.spot
            for each in self._without_word
            if each is not found
            and self._is_free(each)
            and row_of_line(paragraph, each.spot.kind, each.spot.ctx) is not None
        ]
        if not others:
            return found.take(row)
        titles = " or ".join(spot.title for spot in (found.spot, *others))
        what = f"this could be {titles}; edit the HUD in full, where each has its heading"
        place = SourcePlace.of(paragraph)
        self.problems.append(Problem(what, place.line, place.column, found.spot.title))
        return True

    def _is_free(self, found: Found) -> bool:
        return not found.rows and all(found is not each for each in self._unnamed.values())

    def _keep(self, where: Any, block: Any, current: Found | None = None) -> bool:
        """Keep a block that is no item; tell whether the HUD has it.

        :param current: the section whose item it should be.
        """
        text = mdast.to_markdown(mdast.Root((block,)))
        is_known = self._known is None or text in self._known
        kept = FixedPart(text, block, SourcePlace.of(where), self._above)
        if current is None or is_known:
            self.rest.append(kept)
        else:
            current.unreadable.append(kept)
        return is_known


def _is_mark(block: Any, spot: Spot) -> bool:
    """Tell whether a paragraph says how many items a section leaves out."""
    name, own = spot.kind.name, f"{spot.kind.name}.more"
    names = ("more", own) if own in spot.ctx.texts else ("more",)
    return (
        spot.kind.kind is not None
        and read_mark(only_child(block), name, spot.ctx, *names) is not None
    )


def _is_unnamed(spot: Spot) -> bool:
    """Tell whether a dense line of one value could be any line: it has no word of its own."""
    forms = spot.kind.lines
    return spot.kind.kind is None and not all(begins_with_words(form, spot.ctx) for form in forms)


def _title(heading: mdast.Heading) -> str:
    return "".join(_texts(heading))


def _texts(node: Any) -> Iterator[str]:
    if isinstance(value := getattr(node, "value", None), str):
        yield value
    for child in getattr(node, "children", ()):
        yield from _texts(child)
