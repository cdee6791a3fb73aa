"""Opening tags find their closing tags: pieces among mdast nodes become placed components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ujsx import mdast
from ujsx.components._component import Component
from ujsx.components._element import MAX_DEPTH, refusal
from ujsx.errors import shown
from ujsx.layout._components import ComponentMaker, Given, Unread, kind_of, takes_a_line
from ujsx.layout._faults import Faults, layout_error
from ujsx.layout._holes import Hole
from ujsx.layout._origins import Origin
from ujsx.layout._pieces import Braces, Comment, Scanner, Verbatim
from ujsx.layout._tags import Tag, short
from ujsx.mdast._content_model import HOLDERS

if TYPE_CHECKING:
    from ujsx.layout._parser import Found

_BLANK = " \t\n"

_ATTRIBUTES = ("url", "title", "label")
"""The texts of a node that Markdown has no text nodes for."""


class Placed(mdast.Parent, frozen=True):
    """A component among mdast nodes."""

    component: Component
    key: str | None
    children: tuple[Any, ...] = ()
    tag: Tag | None = None
    """What was written."""
    origin: Origin | None = None
    """Where the tag stood."""

    @property
    def kind(self) -> type[Component] | None:
        """The component's class; ``None`` where a tag names none."""
        return self.component.kind if type(self.component) is Unread else kind_of(self.component)


class VerbatimText(mdast.Text, frozen=True):
    """Text that was written as ``{"…"}``, and is never merged or trimmed."""

    offset: int = 0
    """Where it stands in the source."""


class _Opening(NamedTuple):
    tag: Tag
    origin: Origin
    component: Component
    key: str | None
    before: list[Any]
    """The nodes that stand before the tag."""


class Nesting:
    """Puts the pieces of one layout in their places."""

    def __init__(self, found: Found, faults: Faults, make: ComponentMaker) -> None:
        self._found = found
        self._faults = faults
        self._make = make
        self._source = Scanner(faults.source.text)
        self._block = 0
        """Where the line begins that the block of a node begins in."""

    def blocks(self, nodes: Sequence[Any], level: int = 1) -> list[Any]:
        """Return nodes with each pair of tags as a component that holds what is between them.

        A paragraph of pieces alone is none: they stand for themselves.

        :raises LayoutError: for a tag without its partner, or nested too deep.
        """
        out: list[Any] = []
        openings: list[_Opening] = []
        comment_before = False
        for node in nodes:
            self._check_attributes(node)
            if type(node) is mdast.Html:
                piece, origin = self._found[int(node.value)]
                if isinstance(piece, Comment):
                    comment_before = True
                    continue
                out = self._piece(piece, origin, out, openings, level)
            elif (
                type(node) is mdast.Text and comment_before and out and type(out[-1]) is mdast.Text
            ):
                out[-1] = mdast.Text(out[-1].value + node.value)
            elif type(node) is mdast.Paragraph:
                out += self._paragraph(node, level + len(openings))
            elif isinstance(node, mdast.Parent):
                out.append(self._parent(node, level + len(openings)))
            else:
                out.append(node)
            comment_before = False
        while openings:
            tag = openings[-1].tag
            message = (
                f"{tag} is not closed where it stands; write </{short(tag.name)}> beside it, or put both "
                "tags on lines of their own"
            )
            self._fault(message, openings[-1].origin, tag.at)
            out = self._filled(openings.pop(), out, openings)
        return out

    def _piece(
        self,
        piece: Tag | Verbatim | Hole | Braces,
        origin: Origin,
        out: list[Any],
        openings: list[_Opening],
        level: int,
    ) -> list[Any]:
        """Take a piece, and return the list that what follows it goes into."""
        if isinstance(piece, Verbatim):
            out.append(VerbatimText(piece.value, offset=origin.offset(piece.at)))
            return out
        if isinstance(piece, Hole):
            out.append(Placed(Given(name=piece.name, at=origin.offset(piece.at)), None))
            return out
        if isinstance(piece, Braces):
            self._refuse(origin.offset(piece.at))
            out.append(Placed(Unread(kind=None), None))
            return out
        if piece.closes:
            return self._closed(piece, origin, out, openings)
        if level + len(openings) > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} deep; flatten it"
            raise layout_error(self._faults.source, message, origin.offset(piece.at))
        component, key = self._make(piece, origin)
        if piece.is_whole:
            out.append(Placed(component, key, (), piece, origin))
            return out
        openings.append(_Opening(piece, origin, component, key, out))
        return []

    def _closed(
        self, tag: Tag, origin: Origin, children: list[Any], openings: list[_Opening]
    ) -> list[Any]:
        if not openings:
            message = (
                f"{tag} closes nothing here; its opening tag must stand beside it, in the same "
                "paragraph, item or quote"
            )
            self._fault(message, origin, tag.at)
            return children
        opening = openings[-1]
        if opening.tag.name != tag.name:
            line = self._faults.source.point(opening.origin.offset(opening.tag.at)).line
            message = (
                f"{tag} does not close {opening.tag} of line {line}, which is still open; write "
                f"</{short(opening.tag.name)}> first"
            )
            self._fault(message, origin, tag.at)
            if all(each.tag.name != tag.name for each in openings):
                return children
        while True:
            opening = openings.pop()
            children = self._filled(opening, children, openings)
            if opening.tag.name == tag.name:
                return children

    def _filled(
        self, opening: _Opening, children: list[Any], around: Sequence[_Opening]
    ) -> list[Any]:
        """Return what stands before a tag, and the component with what is between its tags."""
        kind = kind_of(opening.component)
        if takes_a_line(kind) and len(children) == 1:
            [child] = children
            if type(child) is mdast.Paragraph:
                children = list(child.children)
        if _holds_parts(kind, around) or not kind.takes_children:
            children = [child for child in children if not _is_blank(child)]
        if children and not kind.takes_children:
            message = f"{opening.tag}: {refusal(kind)}"
            self._fault(message, opening.origin, opening.tag.at)
            children = []
        placed = Placed(
            opening.component, opening.key, tuple(children), opening.tag, opening.origin
        )
        opening.before.append(placed)
        return opening.before

    def _parent(self, node: Any, level: int) -> Any:
        if level > MAX_DEPTH:
            line = 1 if node.position is None else node.position.start.line
            offset = self._faults.source.starts[line - 1]
            raise layout_error(
                self._faults.source, f"nested more than {MAX_DEPTH} deep; flatten it", offset
            )
        children = self.blocks(node.children, level + 1)
        return msgspec.structs.replace(node, children=tuple(children))

    def _paragraph(self, node: mdast.Paragraph, level: int) -> list[Any]:
        pieces = [
            self._found[int(child.value)][0] for child in node.children if type(child) is mdast.Html
        ]
        paragraph = self._parent(node, level)
        if not pieces:
            return [paragraph]
        line = list(paragraph.children)
        if any(isinstance(piece, Comment) for piece in pieces):
            line = _trimmed(line)
        if all(map(_is_placed, line)) and not _parts_values(line):
            return [child for child in line if type(child) is not mdast.Text]
        return [msgspec.structs.replace(paragraph, children=tuple(line))]

    def _check_attributes(self, node: Any) -> None:
        """Refuse braces in what Markdown writes beside a node's text, such as an address."""
        if node.position is not None:
            start: mdast.Point = node.position.start
            self._block = self._faults.source.starts[start.line - 1]
        for name in _ATTRIBUTES:
            value = getattr(node, name, None) or ""
            if "{" in value or "}" in value:
                message = (
                    f"nothing in braces is evaluated, as in the {name} {shown(value)}; leave them out, "
                    'write %7B and %7D, or a tag such as <Link url="…">'
                )
                self._faults.add(message, self._block)

    def _refuse(self, start: int) -> None:
        """Refuse the braces at a place of the source, and judge nothing that stands between them."""
        end = self._source.braces.get(start, start + 1)
        message = self._make.refusal_of(self._source.text[start:end])
        self._faults.add_whole(message, start, end)

    def _fault(self, message: str, origin: Origin, at: int) -> None:
        self._faults.add(message, origin.offset(at))


def _holds_parts(kind: type[Component], around: Sequence[_Opening]) -> bool:
    """Whether its children are items, rows or cells, among which white space is for the eye."""
    for each in (kind, *(kind_of(opening.component) for opening in reversed(around))):
        model = each.content_model
        if model is None or not model.is_transparent:
            return model is not None and model.holds in HOLDERS
    return False


def _trimmed(line: list[Any]) -> list[Any]:
    """A line without the white space at its edges that a comment hid from Markdown."""
    if line and type(line[0]) is mdast.Text:
        line[0] = mdast.Text(line[0].value.lstrip(_BLANK))
    if line and type(line[-1]) is mdast.Text:
        line[-1] = mdast.Text(line[-1].value.rstrip(_BLANK))
    return [child for child in line if type(child) is not mdast.Text or child.value]


def _parts_values(line: Sequence[Any]) -> bool:
    """Whether white space parts a value from another text: then it is part of the line."""
    return any(
        _is_blank(space)
        and any(map(_is_value, (one, other)))
        and all(_is_value(each) or type(each) is VerbatimText for each in (one, other))
        for one, space, other in zip(line, line[1:], line[2:], strict=False)
    )


def _is_value(node: Any) -> bool:
    return type(node) is Placed and type(node.component) is Given


def _is_placed(node: Any) -> bool:
    """Whether a node of a line stands for itself, or says nothing."""
    return _is_blank(node) or type(node) in (Placed, VerbatimText)


def _is_blank(node: Any) -> bool:
    return type(node) is mdast.Text and not node.value.strip(_BLANK)
