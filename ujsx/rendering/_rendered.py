"""The result of a rendering: the text, its layers, and the origin of each part."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from io import BytesIO
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    Protocol,
    Self,
    TypeAlias,
    get_args,
)

import msgspec

from ujsx._density import Layer, Rung, width_of
from ujsx.calls import WithText
from ujsx.components._component import PLAIN, Component, Fragment, as_element
from ujsx.components._context import RenderContext, SameContexts
from ujsx.components._definition import FACTS
from ujsx.components._element import MAX_DEPTH, Children, Displayable, Element, Node
from ujsx.elements import Section
from ujsx.errors import MissingRuleError, RenderError, UjsxError
from ujsx.tokens import TokenCounter, estimate_tokens
from ujsx.transforms import registry as default_registry
from ujsx.transforms._mdast import TO_MDAST
from ujsx.transforms._registry import OPEN, TransformRegistry
from ujsx.trees import ALONE, expand, place_of

if TYPE_CHECKING:
    from ujsx.rendering._pieces import PiecesAccount

# A rendering by layers: content that hardly ever changes, content that changes on actions, content that changes every
# turn.

LAYERS: tuple[Layer, ...] = get_args(Layer)


@dataclass(frozen=True, slots=True)
class RenderedLayer:
    """The parts of a text that change equally often."""

    layer: Layer

    text: str
    """Markdown, ending in one newline, or empty. Separate parts are joined."""

    tokens: int

    end: int
    """The end of its last part in the whole text, in characters; 0 if empty. If no later layer begins before it, this
    is the end of a stable prefix.
    """


def layers_of(nodes: Sequence[RenderedNode], count: TokenCounter) -> tuple[RenderedLayer, ...]:
    """Return the three layers of a rendering's nodes; a heading belongs to what follows it."""
    texts: dict[Layer, list[str]] = {layer: [] for layer in LAYERS}
    ends: dict[Layer, int] = dict.fromkeys(LAYERS, 0)
    layer: Layer = "static"
    for node in reversed(nodes):
        layer = node.layer or layer
        if node.text:
            texts[layer].append(node.text)
            ends[layer] = max(ends[layer], node.end)
    return tuple(_layer(each, texts[each], ends[each], count) for each in LAYERS)


def _layer(layer: Layer, texts: list[str], end: int, count: TokenCounter) -> RenderedLayer:
    text = "".join(reversed(texts)).strip("\n")
    text = f"{text}\n" if text else ""
    return RenderedLayer(layer, text, count(text) if text else 0, end)


# A tree as a sequence of pieces.
#
# Each component with a ladder is a piece: its rung can be chosen and its output cached. So is the content between two
# of them. Composites without a ladder and sections are opened to find the pieces inside, unless they have their own
# rule.

Trail: TypeAlias = "tuple[Trail, Element, int] | None"
"""The opened ancestors of a piece, innermost first, each with its place among its siblings."""

Contexts: TypeAlias = dict[tuple[int, int], tuple[Rung, RenderContext]]
"""The contexts of pieces on their rungs, by the ``id`` of the context and of the rung; the rung is kept so that its
``id`` stays unique.
"""


class Piece(msgspec.Struct, eq=False):
    """Neighboring nodes that are rendered together, and their context."""

    nodes: Children
    context: RenderContext
    ladder: Component | None = None
    """The component with the ladder of the piece."""

    key: str | None = None
    """The component's key."""

    heading: Section | None = None
    """The section that opens here; the piece is then only its heading."""

    first: int = 0
    """The place of the first node among its siblings."""

    trail: Trail = None

    sections: int = 0
    """The number of open sections; a context may have another one."""

    is_hidden: bool = False
    """True if a budget hides the component."""

    has_budget: bool = False
    """True if the component has its own token budget."""

    is_apart: bool = False
    """True if the component is outside the tree's budget."""

    longest_text: int | None = None
    """The most characters of its texts on a rung without its own width."""

    @property
    def rung(self) -> Rung | None:
        """The component's rung; ``None`` if it is hidden, or has no ladder."""
        if self.ladder is None or self.is_hidden:
            return None
        context = self.context
        return context.rung or self.ladder.disclosed().at(context.inner_density or context.density)

    def on(self, rung: Rung | None) -> Piece:
        """Return the piece on another rung, or hidden."""
        if rung is None:
            return msgspec.structs.replace(self, is_hidden=True)
        return msgspec.structs.replace(self, context=self.context.with_rung(rung), is_hidden=False)

    def rendered_on(self, rung: Rung, contexts: Contexts | None = None) -> Piece:
        """Return the piece as rendered on a rung, independent of the surrounding density.

        So each rung of a component is one piece for all densities and budgets.

        :param contexts: the contexts shared with other pieces.
        """
        known_as = id(self.context), id(rung)
        found = None if contexts is None else contexts.get(known_as)
        if found is None:
            context = msgspec.structs.replace(
                self.context,
                density=rung.density,
                limit=rung.limit,
                inner_density=rung.inner_density,
                detailed_items=rung.detailed_items,
                rung=rung,
                longest_text=self.longest_text if width_of(rung) is None else None,
            )
            found = rung, context
            if contexts is not None:
                contexts[known_as] = found
        return msgspec.structs.replace(self, context=found[1], is_hidden=False)

    def opened(self) -> Piece:
        """Return the piece on the rung that shows everything."""
        return self if self.ladder is None else self.rendered_on(self.ladder.disclosed().top)

    def is_like(self, other: Piece) -> bool:
        """Tell whether both render the same in equal contexts: they consist of the same nodes.

        Their account is the same, too: the names around them, and the number of sections.
        """
        return (
            self.is_hidden is other.is_hidden
            and self.nodes == other.nodes
            and self.heading == other.heading
            and self.sections == other.sections
            and (self.trail is other.trail or self._trails(other))
        )

    @property
    def name(self) -> str:
        """The component's class name, and its key in brackets where it has one."""
        if self.ladder is None:
            return ""
        return place_of(Element(self.ladder, (), self.key), ALONE)

    @property
    def label(self) -> str:
        """The label of the piece: the component's name, ``Section`` for a heading, else the nodes' names."""
        if self.heading is not None:
            return type(self.heading).__name__
        return self.name or " ".join(dict.fromkeys(map(_kind, self.nodes)))

    @property
    def around(self) -> str:
        """The names of the composites around the piece, each with a slash behind it."""
        path, trail = "", self.trail
        while trail is not None:
            trail, element, _ = trail
            path = f"{place_of(element, ALONE)} / {path}"
        return path

    def _trails(self, other: Piece) -> bool:
        """Tell whether both have the same names around them."""
        left, right = self.trail, other.trail
        while left is not right:
            if left is None or right is None:
                return False
            left, one, _ = left
            right, another, _ = right
            if type(one.component) is not type(another.component) or one.key != another.key:
                return False
        return True

    def locate(self, error: UjsxError) -> None:
        """Prefix an error's path with the piece's ancestors."""
        _locate(error, self.trail)


def _kind(node: Node) -> str:
    if isinstance(node, str):
        return "text"
    return type(node.component if isinstance(node, Element) else node).__name__


class Expansion(msgspec.Struct, eq=False):
    """The result of a component without a ladder, and its place."""

    element: Element
    context: RenderContext
    trail: Trail
    sections: int
    made: tuple[Children, RenderContext]
    inside: Sequence[Expansion]
    """The expansions inside it."""
    pieces: Sequence[Piece]

    def stands(self, trail: Trail, sections: int) -> bool:
        """Tell whether its pieces have the same places and names as before."""
        left, right = self.trail, trail
        while left is not right:
            if left is None or right is None:
                return False
            left, one, at = left
            right, another, place = right
            if at != place or one.key != another.key:
                return False
            if type(one.component) is not type(another.component):
                return False
        return self.sections == sections


class Expansions(msgspec.Struct, eq=False):
    """The results of components without a ladder, in order: an equal one is reused."""

    before: Sequence[Expansion] = ()
    """The expansions of the last rendering. Each is looked for in its place, and one before and after."""

    are_same: SameContexts = msgspec.field(default_factory=SameContexts)
    now: list[Expansion] = []
    _place: int = 0

    def find(self, element: Element, context: RenderContext) -> tuple[Expansion | None, bool]:
        """Return the previous result nearest to a component, and whether it is the same."""
        before, place = self.before, self._place
        if not before:
            return None, False
        for near in range(max(place - 1, 0), min(place + 2, len(before))):
            known = before[near]
            if self.are_same(known.context, context) and known.element == element:
                self._place = near + 1
                return known, True
        self._place = place + 1
        return before[place] if place < len(before) else None, False


def outline(
    nodes: Children,
    ctx: RenderContext,
    *,
    first: int = 0,
    registry: TransformRegistry = default_registry,
    expansions: Expansions | None = None,
) -> list[Piece]:
    """Return the pieces of ``nodes`` in their order.

    :param first: the place of the first node among its siblings.
    :param registry: its rules define which components are opened.
    :param expansions: receives the results of components.
    :raises RenderError: for a component that cannot be resolved, with its path.
    """
    pieces: list[Piece] = []
    outlined = _Outline(registry, pieces)
    outlined.collect(nodes, ctx, first=first, expansions=expansions or Expansions())
    return pieces


class _Outline(msgspec.Struct, eq=False):
    registry: TransformRegistry

    into: list[Piece]

    def collect(
        self,
        nodes: Children,
        ctx: RenderContext,
        *,
        first: int = 0,
        trail: Trail = None,
        level: int = 0,
        sections: int = 0,
        expansions: Expansions,
    ) -> None:
        start = 0
        node: Any
        for index, node in enumerate(nodes):
            if type(node) is str or (type(node) is Element and node.is_resolved):
                continue
            is_element = type(node) is Element
            component: Any = node.component if is_element else node
            disclosure = component.disclosed() if FACTS[type(component)].discloses else PLAIN
            rule = self._opening(component) if disclosure is PLAIN else None
            if disclosure is PLAIN and rule is None:
                continue
            if start < index:
                self.into.append(
                    Piece(
                        nodes[start:index], ctx, first=first + start, trail=trail, sections=sections
                    )
                )
            start = index + 1
            if disclosure is PLAIN:
                element = as_element(node)
                inside = trail, element, first + index
                self._open(rule, element, ctx, inside, level + 1, sections, expansions)
                continue
            standing = component.in_context(ctx) if ctx.values else component
            if standing is not component:
                disclosure = standing.disclosed()
                component = standing
                node = Element(standing, node.children, node.key) if is_element else standing  # noqa: PLW2901
            has_budget = disclosure.budget is not None
            own = ctx if disclosure.budget is None else ctx.within_budget(disclosure.budget)
            self.into.append(
                Piece(
                    (node,),
                    own,
                    component,
                    node.key if is_element else None,
                    first=first + index,
                    trail=trail,
                    sections=sections,
                    has_budget=has_budget,
                    is_apart=disclosure.is_apart,
                    longest_text=own.longest_text,
                )
            )
        if start < len(nodes):
            self.into.append(
                Piece(nodes[start:], ctx, first=first + start, trail=trail, sections=sections)
            )

    def _opening(self, component: Component) -> Any:
        """Return the rule of a component that is opened; ``None`` if it has a rule of its own."""
        try:
            rule = self.registry.find("ujsx -> mdast", type(component))
        except MissingRuleError:  # its transformation raises the error, with the place
            return None
        return rule if rule in _OPENING else None

    def _open(  # noqa: PLR0917 - all are the element's place
        self,
        rule: Any,
        element: Element,
        ctx: RenderContext,
        trail: Trail,
        level: int,
        sections: int,
        expansions: Expansions,
    ) -> None:
        component, children = element.component, element.children
        if rule is _SECTION and isinstance(component, Section):
            self.into.append(Piece((), ctx, heading=component, sections=sections))
            ctx, sections = ctx.deeper(), sections + 1
        elif rule is OPEN:
            try:
                if level > MAX_DEPTH:
                    raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
                known, is_same = expansions.find(element, ctx)
                if known is not None and is_same and known.stands(trail, sections):
                    expansions.now.append(known)
                    self.into.extend(known.pieces)
                    return
                made = known.made if known is not None and is_same else expand(element, ctx)
            except UjsxError as error:
                _locate(error, trail)
                raise
            start = len(self.into)
            inside = Expansions(() if known is None else known.inside, expansions.are_same)
            self.collect(*made, trail=trail, level=level, sections=sections, expansions=inside)
            pieces = self.into[start:]
            expansions.now.append(
                Expansion(element, ctx, trail, sections, made, inside.now, pieces)
            )
            return
        self.collect(
            children, ctx, trail=trail, level=level, sections=sections, expansions=expansions
        )


_SECTION, _FRAGMENT = TO_MDAST[Section], TO_MDAST[Fragment]
_OPENING = (OPEN, _SECTION, _FRAGMENT)
"""Rules of components that are opened."""


def _locate(error: UjsxError, trail: Trail) -> None:
    while trail is not None:
        trail, element, place = trail
        error.within(place_of(element, place))


# The origin of a rendering's part, as data: all that a comparison of two renderings needs.
#
# In: a piece of a tree. Out: a :class:`PartOrigin`, without rules, counters and writers.


class PartOrigin(msgspec.Struct, frozen=True):
    """The source of a part, and its place in the tree."""

    label: str
    """Its label: a component's name, ``Section`` for a heading, else the nodes' names."""

    around: str
    """The names of the composites around it, each with a slash behind it."""

    is_plain: bool
    """True if it is content between components and headings."""

    rung: Rung | None
    """Its rung; ``None`` if it is hidden, or has no ladder."""

    depth: int
    """The number of enclosing sections."""

    props: frozenset[str]
    """The names of its props, if it is a component with a ladder."""

    heading: object
    """The section that opens there."""

    content: object
    """The component with a ladder, or a tuple of the nodes that are rendered together."""

    values: Mapping[str, object]
    """The values bound to its context, by class name."""

    texts: object
    """The fixed texts that are replaced, by name."""

    @classmethod
    def of(cls, piece: Piece) -> PartOrigin:
        """Return the origin of a piece."""
        ladder, context = piece.ladder, piece.context
        return cls(
            label=piece.label,
            around=piece.around,
            is_plain=ladder is None and piece.heading is None,
            rung=piece.rung,
            depth=context.depth,
            props=frozenset(() if ladder is None else type(ladder).model_fields),
            heading=piece.heading,
            # A component with a ladder is alone in its piece.
            content=piece.nodes if ladder is None else piece.nodes[0],
            values={kind.__name__: value for kind, value in context.values.items()},
            texts=context.texts,
        )


# The origins of a rendering, as bytes for other processes.
#
# A user's components and values may have a local class, or one that the reading process lacks. So each is packed
# separately. One that cannot be written or read becomes :data:`UNSAID`; the others stay intact.


class _Unsaid(Enum):
    UNSAID = "unsaid"


UNSAID: Final = _Unsaid.UNSAID
"""The placeholder of a value that could not be written, or cannot be read here."""


def _read_only(items: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(items)  # Python cannot look up its own name


def _pickled(value: object) -> bytes:
    """Pickle a value, including the read-only mappings of contexts, which Python's own pickles do not support."""
    import copyreg
    import pickle  # imported by its users only

    written = BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {
        **copyreg.dispatch_table,
        MappingProxyType: lambda proxy: (_read_only, (dict(proxy),)),
    }
    pickler.dump(value)
    return written.getvalue()


class PackedValue(msgspec.Struct, frozen=True, gc=False):
    """A value as bytes; ``None`` for one that cannot be written."""

    data: bytes | None

    @classmethod
    def of(cls, value: object) -> PackedValue:
        """Return a value packed.

        >>> PackedValue.of((1, "a")).value(), PackedValue.of(lambda: 1).value() is UNSAID
        ((1, 'a'), True)
        """
        try:
            return cls(_pickled(value))
        except Exception:  # noqa: BLE001 - a value's own methods may raise anything
            return cls(None)

    def value(self) -> Any:
        """Return the value, or :data:`UNSAID`."""
        import pickle

        if self.data is None:
            return UNSAID
        try:
            return pickle.loads(self.data)  # noqa: S301 - it came inside another pickle
        except Exception:  # noqa: BLE001 - as above
            return UNSAID


Shared: TypeAlias = "dict[int, tuple[object, PackedValue]]"
"""Packed values by ``id``, so that shared values are written once."""


class PackedPart(msgspec.Struct, frozen=True):
    """A part of a rendering, without its renderer."""

    packed: PartOrigin
    """Its origin; a user's objects are packed."""

    primitives: PackedValue

    @classmethod
    def of(cls, origin: PartOrigin, primitives: Children, shared: Shared) -> PackedPart:
        """Return a part packed."""

        def packed(value: object) -> PackedValue:
            if id(value) not in shared:
                # The value is kept, so that its id stays unique.
                shared[id(value)] = (value, PackedValue.of(value))
            return shared[id(value)][1]

        return cls(
            msgspec.structs.replace(
                origin,
                heading=packed(origin.heading),
                content=packed(origin.content),
                values={name: packed(value) for name, value in origin.values.items()},
                texts=packed(origin.texts),
            ),
            packed(primitives),
        )

    @property
    def around(self) -> str:
        """The names of the composites around it."""
        return self.packed.around

    @property
    def origin(self) -> PartOrigin:
        """The origin of the part, as far as this process can read it."""
        packed: Any = self.packed
        values: Mapping[str, PackedValue] = packed.values
        return msgspec.structs.replace(
            self.packed,
            heading=packed.heading.value(),
            content=packed.content.value(),
            values={name: value.value() for name, value in values.items()},
            texts=packed.texts.value(),
        )

    @property
    def resolved(self) -> Children:
        """The primitives and texts that it resolved to; none if this process cannot read them."""
        primitives = self.primitives.value()
        return () if primitives is UNSAID else primitives


class CountedText(msgspec.Struct, eq=False, gc=False):
    """A piece of text whose tokens are counted once, on first use."""

    text: str
    count: TokenCounter
    _tokens: int | None = None

    @property
    def tokens(self) -> int:
        if self._tokens is None:
            self._tokens = self.count(self.text)
        return self._tokens

    def __reduce__(self) -> tuple[Any, ...]:
        # It is already counted.
        return CountedText, (self.text, estimate_tokens, self.tokens)


class RenderedPart(Protocol):
    """A part of a rendering."""

    @property
    def around(self) -> str:
        """The names of the composites around it, each with a slash behind it."""
        ...

    @property
    def origin(self) -> PartOrigin:
        """The origin of the part."""
        ...

    @property
    def resolved(self) -> Children:
        """The primitives and texts that it resolved to."""
        ...


@dataclass(frozen=True, eq=False)
class RenderedNode:
    """The rendering of a node, or of neighbors that are written together.

    Two of them are equal if they have the same name, place, text and tokens.
    """

    name: str
    """The component's class name, with its key in brackets if it has one; ``Section`` for a heading."""

    start: int
    """The start of its text in the whole text, in characters, the blank line before it included."""

    end: int
    """The end of its text."""

    piece: CountedText = field(repr=False)

    part: RenderedPart = field(repr=False)

    goes_on: bool = field(default=False, kw_only=True)
    """True if it continues the line of the previous node; the first node of a line has its text and tokens."""

    layer: Layer | None = field(default="static", kw_only=True)
    """The rate at which it changes; None for a heading, which belongs to the next node."""

    @property
    def path(self) -> str:
        """The place in the tree: ``Hud / NotesSection``."""
        return self.part.around + self.name

    @property
    def nodes(self) -> Children:
        """The primitives that it resolved to; none if it was pickled and this process cannot read them."""
        return self.part.resolved

    @property
    def text(self) -> str:
        """Its text, with the blank line before it."""
        return self.piece.text

    @property
    def tokens(self) -> int:
        """The tokens of its text."""
        return self.piece.tokens

    @cached_property
    def fingerprint(self) -> str:
        """A digest of its text: the same for the same bytes (BLAKE2b, 64 bits, hexadecimal)."""
        return blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self._value() == other._value()

    def __hash__(self) -> int:
        return hash((self.name, self.start, self.text))

    def _value(self) -> tuple[object, ...]:
        return self.name, self.start, self.end, self.text, self.path, self.tokens

    def __getstate__(self) -> dict[str, Any]:
        return vars(self.packed({}))

    def packed(self, shared: Shared) -> Self:
        """Return the node without its renderer."""
        part = self.part
        if isinstance(part, PackedPart):
            return self
        return replace(self, part=PackedPart.of(part.origin, part.resolved, shared))


@dataclass(frozen=True, eq=False)
class RenderedSection(RenderedNode):
    """The rendering of a component with a ladder.

    If several share a line, the first has its text and tokens, and the others continue it.
    """

    rung: Rung | None
    """The rung it was rendered on; ``None`` if a budget hid it."""

    capped_at: int | None = None
    """Its own budget, in tokens, if that alone kept it from a higher rung; otherwise ``None``."""

    def _value(self) -> tuple[object, ...]:
        return *super()._value(), self.rung, self.capped_at


@dataclass(frozen=True)
class OmittedItems:
    """Items that a section omitted or shortened."""

    section: str
    """The section's name."""

    count: int
    """Their number, at least 1. For a hidden section, the omissions of its lowest rung, else 1: the section itself."""

    ids: tuple[str, ...]
    """Their ids, if the component reports them."""

    tokens: int
    """The tokens that the section would add if it showed everything: the same figure in each of its entries, so count
    it once per section.
    """

    handle: str | None
    """The call that shows them."""

    what: Literal["items", "texts"] = "items"
    """``items`` if items are omitted, ``texts`` if texts are shortened: cut, or without a detail."""


@dataclass(frozen=True, eq=False)
class Rendered(WithText, Displayable):
    r"""A rendering: Markdown, with its account.

    It is data: it can be pickled, and read in another process without its renderer. Objects that the process cannot
    load, such as a component of an unknown class, are left out: :func:`compare` then names fewer fields, and estimates
    tokens if the counter is missing. Two renderings are equal if their texts and accounts are.

    >>> from ujsx import render_document
    >>> from ujsx.elements import Paragraph
    >>> rendered = render_document(Paragraph()["hello"])
    >>> rendered.text, rendered.sections, rendered.omitted
    ('hello\n', (), ())
    >>> import pickle
    >>> pickle.loads(pickle.dumps(rendered)) == rendered
    True
    """

    _as_child: ClassVar[str] = "it is rendered already; write rendered.text"

    _instead: ClassVar[Mapping[str, str]] = {
        '{"role": "user", "content": rendered.text}': "message prompt toprompt",
        "rendered.sections": "parts pieces",
        "rendered.text.splitlines()": "lines",
        "not rendered.over_budget": "fits isfitting withinbudget fitsbudget",
        "rendered.over_budget, and rendered.omitted": "warnings warning notes left hidden",
        'Path("hud.md").write_text(rendered.text)': "save write writeto tofile savefile",
        "render_html(tree), from ujsx import render_html; of a session, render_html(Hud.of(session.state()))": "html tohtml ashtml",
        "rendered.static, and rendered.dynamic": "staticpart dynamicpart system tail stable prefix",
        "rendered.sections[0].rung.density, as each section has its own": "density level rung",
        "rendered.text, and its account: rendered.tokens, rendered.omitted, rendered.sections": "json todict tojson dict asdict "
        "modeldump modeldumpjson dump",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "text": "markdown content output",
        "over_budget": "over isover exceeded exceeds overflow overflows isoverbudget",
        "_message": "tomessage asmessage",
        "_messages": "messages tomessages asmessages",
        "__str__": "tomarkdown tostring totext astext tostr render",
    }

    def _message(self) -> dict[str, str]:
        return {"role": "user", "content": self.text}

    def _messages(self) -> list[dict[str, str]]:
        return [self._message()]

    text: str
    """The Markdown, ending in one newline, or empty."""

    account: PiecesAccount | PackedAccount = field(repr=False)
    """The account; use the properties below."""

    over_budget: bool = False
    """True if even the tree's shortest form exceeds the budget; components outside the budget do not count."""

    @property
    def count_tokens(self) -> TokenCounter:
        """The counter of tokens."""
        return self.account.count_tokens

    @property
    def nodes(self) -> tuple[RenderedNode, ...]:
        """The whole text, divided by source nodes: sections, headings, and content between."""
        return self.account.nodes

    @cached_property
    def sections(self) -> tuple[RenderedSection, ...]:
        """The components with a ladder, in order."""
        return tuple(each for each in self.nodes if isinstance(each, RenderedSection))

    @property
    def tokens(self) -> int:
        """The tokens of the text."""
        return self.account.tokens

    @property
    def budgeted(self) -> int:
        """The tokens that count against a budget: those of the text without components outside it
        (:attr:`Disclosure.is_apart`).
        """
        return self.account.budgeted

    @property
    def budgeted_text(self) -> str:
        """The text that counts against a budget; all of it if its parts were not pickled."""
        account = self.account
        return self.text if isinstance(account, PackedAccount) else account.budgeted_text

    @cached_property
    def layers(self) -> tuple[RenderedLayer, ...]:
        """The text by frequency of change: the layers static, session, and turn."""
        return layers_of(self.nodes, self.count_tokens)

    @property
    def omitted(self) -> tuple[OmittedItems, ...]:
        """The omissions of the sections, and the calls that retrieve them."""
        return self.account.omitted

    if not TYPE_CHECKING:  # to a type checker, the layers and the rungs

        def __getattr__(self, name: str) -> Any:
            if name in {"static", "dynamic"}:
                first, *others = (each.text for each in self.layers)
                return first if name == "static" else "\n".join(filter(None, others))
            densities = (
                {each.rung.density for each in self.sections if each.rung}
                if name == "density"
                else ()
            )
            if len(densities) == 1:
                return densities.pop()
            if name[0] != "_" and "account" in vars(self) and (text := self._text_of(name)):
                return text
            return super().__getattr__(name)

        def _line_for(self, name: str) -> str:
            known = ", ".join(each.name for each in self.sections if each.text or each.goes_on)
            return f'rendered["…"] of a section that it shows: {known}' if known else ""

        def _text_of(self, name: str) -> str:
            """Return the text of a section by its name or its title, such as ``notes``."""
            from ujsx._other_names import founding, of_one_subject

            words = re.split(r"[\s_]+", name)
            whole, text = "".join(each[:1].upper() + each[1:] for each in words), ""
            known = [each.name for each in self.sections]
            meant = [*of_one_subject(whole, known), founding(whole, known)]
            for each in self.sections:
                text = text if each.goes_on else each.text.strip("\n")
                if each.name == meant[0]:
                    return text
            return ""

    def _as_document(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.text == other
        if not isinstance(other, Rendered):
            return NotImplemented
        if self is other:
            return True
        # Expensive checks come last.
        return (
            self.text == other.text
            and self.over_budget is other.over_budget
            and self.tokens == other.tokens
            and self.nodes == other.nodes
            and self.omitted == other.omitted
        )

    def __hash__(self) -> int:
        return hash(self.text)

    def __getstate__(self) -> dict[str, Any]:
        account = PackedAccount.of(self.account)
        return {"text": self.text, "account": account, "over_budget": self.over_budget}


class PackedAccount(msgspec.Struct, frozen=True):
    """The whole account of a rendering, without its pieces."""

    counter: PackedValue
    tokens: int
    budgeted: int
    nodes: tuple[RenderedNode, ...]
    omitted: tuple[OmittedItems, ...]

    @classmethod
    def of(cls, account: PiecesAccount | PackedAccount) -> PackedAccount:
        """Return a packed account; objects shared by nodes are written once."""
        if isinstance(account, PackedAccount):
            return account
        shared: Shared = {}
        nodes = tuple(each.packed(shared) for each in account.nodes)
        counter = PackedValue.of(account.count_tokens)
        return cls(counter, account.tokens, account.budgeted, nodes, account.omitted)

    @property
    def count_tokens(self) -> TokenCounter:
        """The counter of the rendering; the estimate if this process cannot read it."""
        counter = self.counter.value()
        return estimate_tokens if counter is UNSAID else counter
