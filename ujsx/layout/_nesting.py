"""The pieces of a layout beside its Markdown, nested as components."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import msgspec
from pydantic import SkipValidation

from ujsx import mdast
from ujsx._other_names import component_for, founding
from ujsx.components._component import Component, Fragment, example_of_text, own_text
from ujsx.components._definition import fields_of, first_text
from ujsx.components._element import MAX_DEPTH, refusal
from ujsx.components._vocabulary import WIDER, ComponentClass, Vocabulary
from ujsx.elements import FrontMatter, Html, TrustedMarkdown
from ujsx.errors import ChildError, PropError, nearest, shown
from ujsx.layout._tags import (
    IN_SOURCE,
    Attribute,
    Hole,
    LayoutFaults,
    LineOrigin,
    ScanFault,
    Tag,
    layout_error,
    scan_hole,
    scan_literal,
    scan_tag,
    short,
)
from ujsx.mdast._nodes import HOLDERS

# From a tag to its component: class look-up in the vocabulary, and validation of props.

KEY = "key"
"""The attribute that is not a prop: it identifies an element among its siblings."""

UNKNOWN = "is not a known component"
"""The message about an unknown tag."""

_TAG = re.compile(r"<(\w+)")


def takes_a_line(kind: type[Component]) -> bool:
    """Return whether the content of a component class is inline: a paragraph between its tags is its line."""
    return kind.content_model is not None and kind.content_model.holds == "phrasing"


class ComponentMaker:
    """Makes the components of one layout.

    :raises LayoutError: for an unknown name, and for an unknown, missing or invalid prop, at its place.
    """

    def __init__(
        self, vocabulary: Vocabulary | Iterable[ComponentClass] | None, faults: LayoutFaults
    ) -> None:
        self.vocabulary = Vocabulary.of(vocabulary).without(TrustedMarkdown)
        """The components allowed in the layout."""
        self._faults = faults
        self._is_told = False
        """Whether an error already listed the vocabulary, and how to add a component."""

    def __call__(
        self, tag: Tag, origin: LineOrigin, around: type[Component] | None = None
    ) -> tuple[Component, str | None]:
        """Return the component of an opening tag, and its key if it has one.

        When mistakes are gathered, an invalid component becomes an :class:`Unread`. A tag that needs values is
        :class:`Unmade`.

        :param around: the class of the component around the tag, whose data it may be.
        """
        model = None if around is None else around._model_of_data(tag.name)  # noqa: SLF001
        if model is not None:
            return DataTag(kind=model, tag=tag, origin=origin), None
        cls = self.class_of(tag, origin)
        if cls is None or tag.is_broken:
            return Unread(kind=cls), None
        if not tag.is_whole and text_missing(cls, tag) is not None:
            return Unmade(kind=cls, tag=tag, origin=origin), None
        return self.of_class(cls, tag, origin)

    def of_class(
        self, cls: type[Component], tag: Tag, origin: LineOrigin
    ) -> tuple[Component, str | None]:
        """Return the component of a tag whose class is known, and its key if it has one."""
        if any(type(each.value) is Hole for each in tag.attributes):
            return Unmade(kind=cls, tag=tag, origin=origin), None
        return self.made(cls, {each.name: each.value for each in tag.attributes}, tag, origin)

    def made(
        self, cls: type[Component], props: dict[str, Any], tag: Tag, origin: LineOrigin
    ) -> tuple[Component, str | None]:
        """Return the component of a tag with these props, and its key if it has one."""
        key = self._key_in(props, cls, tag, origin) if KEY in props else None
        try:
            if isinstance(made := cls(**props), Component):
                return made, key
        except PropError as error:
            self._tell(error, tag, origin, example_of_text(cls, props))
            return Unread(kind=cls), key
        self._faults.add(f"{tag}: its children go between the tags", origin.offset(tag.at))
        return Unread(kind=cls), key

    def _key_in(
        self, props: dict[str, Any], cls: type[Component], tag: Tag, origin: LineOrigin
    ) -> str | None:
        """Take the key from the props, unless it is one of the component's own."""
        key = None if KEY in fields_of(cls) else props.pop(KEY)
        if key is None or isinstance(key, str):
            return key
        at = place_of_prop(f"{tag.name}.{KEY}", "", tag)
        self._faults.add(f"a key is a string, not {shown(key)}", origin.offset(at))
        return None

    def refuse(self, error: PropError | ChildError, unmade: Unmade) -> None:
        """Report that a tag's component does not take what stands between its tags."""
        self._faults.add(f"{unmade.tag}: {error}", unmade.origin.offset(unmade.tag.at))

    def refusal_of(self, braces: str) -> str:
        """Return the message about braces without a text or a comment: the form to write instead."""
        wider = self.vocabulary.wider()
        known = {**self.vocabulary, **wider}
        tags = (each.for_expression(braces[1:-1], known) for each in known.values())
        tag = next((each for each in tags if each is not None), None)
        how = f" and pass {WIDER}" if tag and wider.keys() & {*_TAG.findall(tag)} else ""
        tag = tag or 'a text as {"…"}'
        return f"braces are not evaluated; write {tag}{how}, or \\{braces[0]} for a brace"

    def _tell(self, error: PropError, tag: Tag, origin: LineOrigin, example: str) -> None:
        """Report the mistakes in a tag's props: all at once, or each at its place."""
        mistakes = [PropError(message, path=path) for path, message in error.problems] or [error]
        for each in mistakes if self._faults.gathers else [error]:
            at = origin.offset(place_of_prop(each.path, each.message, tag))
            said = f"{each}".replace(f"; {tag.name}.", "; ")
            if example:  # a call in Python, which is written as a tag here
                said = said.replace(example, f', as in <{tag.name} … value={{"…"}}/>')
            self._faults.add(said, at)

    def class_of(self, tag: Tag, origin: LineOrigin) -> type[Component] | None:
        """Return the class that a tag names; report an unknown one and return None."""
        if not tag.name:
            return Fragment
        name = founding(tag.name, self.vocabulary)
        if name in self.vocabulary:
            return self.vocabulary[name]
        if tag.name == TrustedMarkdown.__name__:
            message = "TrustedMarkdown is for an author's own code; write the Markdown as it is"
        elif tag.name.islower() and nearest(tag.name, self.vocabulary) is None:
            meant = component_for(tag.name, self.vocabulary)
            instead = f"write <{meant}>, or \\<" if meant else "write \\<"
            message = (
                f"<{short(tag.name)}> is HTML, which layouts do not allow; {instead} for a plain <"
            )
        else:
            message = f"<{short(tag.name)}> {UNKNOWN}"
            is_near = self.vocabulary.is_near(short(tag.name))
            if is_near or not self._is_told:
                message += f"; {self.vocabulary.hint(short(tag.name))}"
            self._is_told = self._is_told or not is_near
        self._faults.add(message, origin.offset(tag.at))
        return None


class Unread(Component):
    """What stands for a tag that cannot be read, so that the rest of a layout can be checked."""

    kind: SkipValidation[type[Component] | None]
    """The class that it names, if there is one."""


class Unmade(Component):
    """A tag in which a prop is a hole, in the place of its component."""

    kind: SkipValidation[type[Component]]
    """The class that it names."""
    tag: SkipValidation[Tag]
    origin: SkipValidation[LineOrigin]
    """The tag's place."""


Unmade._open_props = ()  # noqa: SLF001 - an author's value may be a list


class DataTag(Unmade):
    """A tag of an item, or of the value, between the tags of the component whose data it is."""

    kind: SkipValidation[Any]
    """The model of the data."""

    def fields(self, given: Mapping[str, Any], inside: Sequence[Any]) -> dict[str, Any]:
        """Return the fields: the attributes, and what stands between the tags as the first required text.

        :raises ChildError: for a text that no field takes, or another has.
        """
        name = first_text(self.kind)
        if inside and (name is None or name in given):
            has = f"has {name} already" if name else "has no text"
            raise ChildError(f"{self.tag} {has}; write <{self.tag.name} …/>, with attributes alone")
        return {**given, **({str(name): inside[0]} if inside else {})}


DataTag._open_props = ()  # noqa: SLF001 - as above


class GivenChildren(Component):
    """A hole among children."""

    name: str
    at: int
    """The offset of its brace in the source."""


_ATTRIBUTES_ONLY = frozenset({"identifier", "of", "url"})
"""Names of props that hold an address or a path, which a text between tags never becomes."""


def text_missing(cls: type[Component], tag: Tag) -> str | None:
    """Return the prop that the text between the tags becomes: a component's only required text, if no attribute has it."""
    name = None if cls.takes_data or issubclass(cls, Html | FrontMatter) else own_text(cls)
    if name in _ATTRIBUTES_ONLY:
        return None
    return None if any(each.name == name for each in tag.attributes) else name


def kind_of(component: Component) -> type[Component]:
    """Return a component's class; for a tag that needs values, the class that it names."""
    return component.kind if type(component) is Unmade else type(component)


def place_of_prop(path: str | None, message: str, tag: Tag) -> int:
    """Return the place of an error's prop: its name if it is unknown, else its value."""
    given = {each.name: each for each in tag.attributes}
    _, *rest = (path or "").split(".")
    attribute = given.get(rest[0]) if rest else None
    if attribute is None:
        return tag.at
    return attribute.at if message.startswith("no such prop") else attribute.value_at


# The pieces of a layout beside its Markdown: tags, literal texts, comments, holes; and other braces, which are refused.


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Literal text, ``{"…"}``: without Markdown, and with all of its white space."""

    value: str
    at: int
    end: int


@dataclass(frozen=True, slots=True)
class LayoutComment:
    """A comment in the source, ``{/* … */}``."""

    at: int
    end: int


@dataclass(frozen=True, slots=True)
class Braces:
    """Braces without a text or a comment, such as a JSX expression; or half of a pair."""

    at: int
    end: int


class OpenComment(ScanFault):
    """A comment without an end."""


Piece: TypeAlias = Tag | Verbatim | LayoutComment | Hole | Braces

LONGEST_BRACES = 1_000
"""The longest distance of an opening brace to its partner, in characters."""

_MAY_BE_TAG = re.compile(r"<(?:[^\W\d]|[/>])")
_HTML = re.compile(r"<(?:!--|!\[CDATA\[|![A-Za-z]|\?)")
_BRACE = re.compile(r"[{}]")
_VERBATIM = re.compile(r'\{"(?:[^"\\\n]|\\.)*+"\}')


class Scanner:
    r"""Reads the pieces of one text.

    :param holes: whether a name in braces is a hole.

    >>> Scanner('{"*a*"}').scan(0)
    Verbatim(value='*a*', at=0, end=7)
    >>> Scanner("a < b").scan(2), Scanner("{state.task}").scan(0)
    (None, Braces(at=0, end=12))
    """

    def __init__(self, text: str, *, holes: bool = False) -> None:
        self.text = text
        self._holes = holes

    def scan(self, at: int) -> Piece | None:
        """Return the piece that starts at ``at``, or ``None`` for Markdown.

        :raises ScanFault: for a malformed piece.
        """
        text = self.text
        if text.startswith("{/*", at):
            end = text.find("*/}", at + 3)
            if end < 0:
                raise OpenComment("this comment is not closed; write */}", at, incomplete=True)
            return LayoutComment(at, end + 3)
        if _VERBATIM.match(text, at):
            value, end = scan_literal(text, at)
            return Verbatim(value, at, end)
        if text.startswith(("{", "}"), at):
            hole = scan_hole(text, at) if self._holes else None
            if hole is not None:
                return hole
            return Braces(at, self.braces.get(at, at + 1))
        if _MAY_BE_TAG.match(text, at):
            return scan_tag(text, at, holes=self._holes)
        if _HTML.match(text, at):
            raise ScanFault(
                r"a layout has no raw HTML; write {/* … */} for a comment, \< for a plain <", at
            )
        return None

    @cached_property
    def braces(self) -> Mapping[int, int]:
        """The pairs of braces in the text."""
        return braces_in(self.text)


def braces_in(text: str) -> Mapping[int, int]:
    """Return the end of each pair of braces, by its start.

    >>> braces_in("{a.map(b => {b.c})} {")
    {12: 17, 0: 19}
    """
    ends: dict[int, int] = {}
    open_braces: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            open_braces.append(brace.start())
        elif open_braces and brace.end() - (start := open_braces.pop()) <= LONGEST_BRACES:
            ends[start] = brace.end()
    return ends


_BLANK = " \t\n"

_ONE_TEXT = (
    'it takes one text, without tags, Markdown or values in it; write {"…"}, or make the text in'
    " Python and pass it: {text}"
)

_ATTRIBUTES = ("url", "title", "label")
"""The texts of a node that are not text nodes in Markdown."""


class PlacedTag(mdast.Parent, frozen=True):
    """A component among mdast nodes."""

    component: Component
    key: str | None
    children: tuple[Any, ...] = ()
    tag: Tag | None = None
    """The written tag."""
    origin: LineOrigin | None = None
    """The place of the tag."""

    @property
    def kind(self) -> type[Component] | None:
        """The component's class; ``None`` if the tag names none."""
        return self.component.kind if type(self.component) is Unread else kind_of(self.component)


class VerbatimText(mdast.Text, frozen=True):
    """Text written as ``{"…"}``, which is never merged or trimmed."""

    offset: int = 0
    """Its offset in the source."""


class _Opening(NamedTuple):
    tag: Tag
    origin: LineOrigin
    component: Component
    key: str | None
    before: list[Any]
    """The nodes before the tag."""


Found: TypeAlias = "list[tuple[Piece, LineOrigin]]"
"""The pieces of a layout by number, with their places."""


class Nesting:
    """The nesting of one layout's pieces."""

    def __init__(self, found: Found, faults: LayoutFaults, make: ComponentMaker) -> None:
        self._found = found
        self._faults = faults
        self._make = make
        self._source = Scanner(faults.source.text)
        self._block = 0
        """The start of the first line of a node's block."""
        self._open: list[type[Component] | None] = [None]
        """The classes of the open tags, innermost last."""

    def blocks(self, nodes: Sequence[Any], level: int = 1) -> list[Any]:
        """Return nodes with each pair of tags as a component that contains the nodes between them.

        A paragraph of pieces alone is replaced by them.

        :raises LayoutError: for a tag without its partner, or nested too deeply.
        """
        out: list[Any] = []
        openings: list[_Opening] = []
        comment_before = False
        for node in nodes:
            self._check_attributes(node)
            if type(node) is mdast.Html:
                piece, origin = self._found[int(node.value)]
                if isinstance(piece, LayoutComment):
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
                f"{tag} is not closed on its line; write </{short(tag.name)}> there, or put both tags on "
                "lines of their own"
            )
            self._fault(message, openings[-1].origin, tag.at)
            out = self._filled(openings.pop(), out, openings)
        return out

    def _piece(
        self,
        piece: Tag | Verbatim | Hole | Braces,
        origin: LineOrigin,
        out: list[Any],
        openings: list[_Opening],
        level: int,
    ) -> list[Any]:
        """Process a piece, and return the list for the nodes after it."""
        if isinstance(piece, Verbatim):
            out.append(VerbatimText(piece.value, offset=origin.offset(piece.at)))
            return out
        if isinstance(piece, Hole):
            out.append(PlacedTag(GivenChildren(name=piece.name, at=origin.offset(piece.at)), None))
            return out
        if isinstance(piece, Braces):
            self._refuse(origin.offset(piece.at))
            out.append(PlacedTag(Unread(kind=None), None))
            return out
        if piece.closes:
            return self._closed(piece, origin, out, openings)
        if level + len(openings) > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} deep; flatten it"
            raise layout_error(self._faults.source, message, origin.offset(piece.at))
        component, key = self._make(piece, origin, self._open[-1])
        if piece.is_whole:
            out.append(PlacedTag(component, key, (), piece, origin))
            return out
        self._open.append(PlacedTag(component, key).kind)
        openings.append(_Opening(piece, origin, component, key, out))
        return []

    def _closed(
        self, tag: Tag, origin: LineOrigin, children: list[Any], openings: list[_Opening]
    ) -> list[Any]:
        if not openings:
            message = (
                f"{tag} closes nothing here; put its opening tag in the same "
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
        """Return the nodes before a tag, and the component with the nodes between its tags."""
        self._open.pop()
        if type(opening.component) is Unmade:
            opening, children = self._with_text(opening, children)
        kind = kind_of(opening.component)
        if takes_a_line(kind) and len(children) == 1:
            [child] = children
            if type(child) is mdast.Paragraph:
                children = list(child.children)
        takes_nodes = kind.takes_children and kind is not DataTag
        if _holds_parts(kind, around) or not takes_nodes:
            children = [child for child in children if not _is_blank(child)]
        data = [*data_in(children)] if kind.takes_data or not takes_nodes else [None]
        has_nodes = None in data and not any(map(_is_data, data))
        if children and not (takes_nodes and has_nodes):
            opening, children = self._with_data(opening, kind, data, children)
        placed = PlacedTag(
            opening.component, opening.key, tuple(children), opening.tag, opening.origin
        )
        opening.before.append(placed)
        return opening.before

    def _with_text(self, opening: _Opening, children: list[Any]) -> tuple[_Opening, list[Any]]:
        """Return a tag with the line between its tags as the prop that it lacks, and the nodes that are left."""
        kind, origin = kind_of(opening.component), opening.origin
        name = text_missing(kind, opening.tag)
        if name is None:
            return opening, children
        tag = opening.tag.moved(origin)
        line = _line_in(children)
        if line is not None:
            at = line.at if isinstance(line, Hole) else tag.at
            tag = replace(tag, attributes=(*tag.attributes, Attribute(name, line, at, at)))
        component, key = self._make.of_class(kind, tag, IN_SOURCE)
        return opening._replace(component=component, key=key), [] if line is not None else children

    def _with_data(
        self, opening: _Opening, kind: type[Component], data: list[Any], children: list[Any]
    ) -> tuple[_Opening, list[Any]]:
        """Return a tag whose component has the data between its tags, and what is left to be filled in, or stands in it.

        Texts are filled in here, and values where they are known.
        """
        tag, origin = opening.tag, opening.origin
        if kind is DataTag:
            if len(data) > 1 or None in data:
                self._fault(f"{tag}: {_ONE_TEXT}", origin, tag.at)
            return opening, data[:1]
        if not kind.takes_data or None in data:
            self._fault(f"{tag}: {refusal(kind)}", origin, tag.at)
            return opening, []
        is_text = [isinstance(each, mdast.Text) for each in data]
        if any(is_text) and any(map(_is_value, data)) and not kind.takes_children:
            why = "its text has values in it: where does an item end?"
            self._fault(f"{tag}: {why} pass each item as one value", origin, tag.at)
            return opening, []
        if type(opening.component) is Unmade or any(map(_needs_values, data)):
            return opening._replace(component=Unmade(kind=kind, tag=tag, origin=origin)), data
        try:
            element = opening.component[tuple(map(_datum, data))]
        except (PropError, ChildError) as error:
            self._fault(f"{tag}: {error}", origin, tag.at)
            return opening, []
        return opening._replace(component=element.component), children if element.children else []

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
        if any(isinstance(piece, LayoutComment) for piece in pieces):
            line = _trimmed(line)
        if all(map(_is_placed, line)) and not _parts_values(line):
            return [child for child in line if type(child) is not mdast.Text]
        return [msgspec.structs.replace(paragraph, children=tuple(line))]

    def _check_attributes(self, node: Any) -> None:
        """Refuse braces in attributes of Markdown nodes, such as an address."""
        if node.position is not None:
            start: mdast.Point = node.position.start
            self._block = self._faults.source.starts[start.line - 1]
        for name in _ATTRIBUTES:
            value = getattr(node, name, None) or ""
            if "{" in value or "}" in value:
                message = (
                    f"braces are not evaluated, as in the {name} {shown(value)}; leave them out, "
                    'write %7B and %7D, or a tag such as <Link url="…">'
                )
                self._faults.add(message, self._block)

    def _refuse(self, start: int) -> None:
        """Refuse the braces at a place of the source, and ignore their content."""
        end = self._source.braces.get(start, start + 1)
        message = self._make.refusal_of(self._source.text[start:end])
        self._faults.add_whole(message, start, end)

    def _fault(self, message: str, origin: LineOrigin, at: int) -> None:
        self._faults.add(message, origin.offset(at))


def _holds_parts(kind: type[Component], around: Sequence[_Opening]) -> bool:
    """Tell whether its children are items, rows or cells, among which white space is insignificant."""
    for each in (kind, *(kind_of(opening.component) for opening in reversed(around))):
        model = each.content_model
        if model is None or not model.is_transparent:
            return model is not None and model.holds in HOLDERS
    return False


def _line_in(nodes: Sequence[Any]) -> str | Hole | None:
    """Return the only line of text among nodes, or the only value; None for anything else."""
    if len(nodes) == 1 and type(nodes[0]) is mdast.Paragraph:
        return _line_in(nodes[0].children)
    told = [each for each in nodes if not _is_blank(each)]
    if len(told) != 1:
        return None
    if _is_value(told[0]):
        hole = told[0].component
        return Hole(hole.name, hole.at, hole.at)
    is_line = type(told[0]) is mdast.Text and "\n" not in told[0].value
    return told[0].value if is_line or type(told[0]) is VerbatimText else None


def _trimmed(line: list[Any]) -> list[Any]:
    """Return a line without the white space at its edges that a comment hid from Markdown."""
    if line and type(line[0]) is mdast.Text:
        line[0] = mdast.Text(line[0].value.lstrip(_BLANK))
    if line and type(line[-1]) is mdast.Text:
        line[-1] = mdast.Text(line[-1].value.rstrip(_BLANK))
    return [child for child in line if type(child) is not mdast.Text or child.value]


def _parts_values(line: Sequence[Any]) -> bool:
    """Tell whether white space separates a value from another text, and so belongs to the line."""
    return any(
        _is_blank(space)
        and any(map(_is_value, (one, other)))
        and all(_is_value(each) or type(each) is VerbatimText for each in (one, other))
        for one, space, other in zip(line, line[1:], line[2:], strict=False)
    )


def _is_value(node: Any) -> bool:
    return type(node) is PlacedTag and type(node.component) is GivenChildren


def _is_data(node: Any) -> bool:
    return type(node) is PlacedTag and type(node.component) is DataTag


def _needs_values(node: Any) -> bool:
    """Tell whether a value, or a tag of data, is known with the values of a template only."""
    if not _is_data(node):
        return _is_value(node)
    given = any(type(each.value) is Hole for each in node.component.tag.attributes)
    return given or any(map(_is_value, node.children))


def _datum(node: Any) -> Any:
    """Return the text of a node, or the fields of a tag of data."""
    if not _is_data(node):
        return node.value
    given = {each.name: each.value for each in node.component.tag.attributes}
    return node.component.fields(given, [*map(_datum, node.children)])


def data_in(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield the texts, values and tags of data among nodes, those of paragraphs and lists too; ``None`` for any other
    node.
    """
    for node in nodes:
        if isinstance(node, mdast.Paragraph | mdast.List | mdast.ListItem):
            yield from data_in(node.children)
        elif not _is_blank(node):
            is_known = _is_value(node) or _is_data(node) or isinstance(node, mdast.Text)
            yield node if is_known else None


def _is_placed(node: Any) -> bool:
    """Tell whether an inline node needs no paragraph, or is empty."""
    return _is_blank(node) or type(node) in (PlacedTag, VerbatimText)


def _is_blank(node: Any) -> bool:
    return type(node) is mdast.Text and not node.value.strip(_BLANK)
