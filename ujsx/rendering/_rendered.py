"""The result of a rendering: the text, its layers, and what each part was made of."""

from __future__ import annotations

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
    NamedTuple,
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

# A rendering by layers: what hardly ever changes, what changes when somebody acts, what always does.

LAYERS: tuple[Layer, ...] = get_args(Layer)


@dataclass(frozen=True, slots=True)
class RenderedLayer:
    """All of a text that changes equally often."""

    layer: Layer

    text: str
    """Markdown, ending in one newline, or empty. Parts that do not stand together are joined."""

    tokens: int

    end: int
    """Where the last of it ends in the whole text, in characters; 0 where there is none. A layer whose
    end is that of the text before the next layer's begins there is a prefix of its own."""


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


# A tree as the sequence of pieces that a rendering is made of.
#
# Components with a ladder are pieces of their own: their rung can be chosen and their output kept.
# What stands between them is a piece too. Composites without a ladder and sections open up, so that
# the pieces inside them are found; one that has a rule of its own does not.

Trail: TypeAlias = "tuple[Trail, Element, int] | None"
"""The opened ancestors of a piece, innermost first, each with its place among its siblings."""

Contexts: TypeAlias = dict[tuple[int, int], tuple[Rung, RenderContext]]
"""The contexts of pieces on their rungs, by the ``id`` of the context and of the rung, which is kept so
that its ``id`` stays its own."""


class Piece(msgspec.Struct, eq=False):
    """Neighbouring nodes that are rendered together, and the context in which they stand."""

    nodes: Children
    context: RenderContext
    ladder: Component | None = None
    """The component whose ladder decides how much the piece shows."""

    key: str | None = None
    """The component's key."""

    heading: Section | None = None
    """The section that opens here; the piece is then its heading alone."""

    first: int = 0
    """The place of the first node among its siblings."""

    trail: Trail = None

    sections: int = 0
    """How many sections are open here; a context may say otherwise."""

    is_hidden: bool = False
    """Whether a budget has no room for the component at all."""

    has_budget: bool = False
    """Whether the component says itself how many tokens it may have."""

    is_apart: bool = False
    """True if the component stands outside the tree's budget."""

    longest_text: int | None = None
    """How many characters its texts have at most on a rung that does not say so itself."""

    @property
    def rung(self) -> Rung | None:
        """The rung that the component stands on; ``None`` if it is hidden, or has no ladder."""
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
        """Return the piece as it is rendered on a rung, whatever the density around it: that says nothing any more.

        So what a component becomes on a rung is one piece, whichever density or budget asks for it.

        :param contexts: those of pieces beside it, which it shares.
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
        """Return the piece as it shows everything that there is."""
        return self if self.ladder is None else self.rendered_on(self.ladder.disclosed().top)

    def is_like(self, other: Piece) -> bool:
        """Tell whether both become the same where their contexts are the same: they consist of the same nodes.

        What an account tells of them is the same, too: the names around them, and how many sections.
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
        """Put the piece's ancestors in front of an error's path."""
        _locate(error, self.trail)


def _kind(node: Node) -> str:
    if isinstance(node, str):
        return "text"
    return type(node.component if isinstance(node, Element) else node).__name__


class Expansion(msgspec.Struct, eq=False):
    """The result of a component without a ladder, and where it stood."""

    element: Element
    context: RenderContext
    trail: Trail
    sections: int
    made: tuple[Children, RenderContext]
    inside: Sequence[Expansion]
    """Those of what is in it."""
    pieces: Sequence[Piece]

    def stands(self, trail: Trail, sections: int) -> bool:
        """Tell whether its pieces stand where they stood, and are named alike."""
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
    """The results of components without a ladder, in their order: one that is equal is not asked again."""

    before: Sequence[Expansion] = ()
    """Those of the last rendering. Each is looked for where it stood, and one place before and behind."""

    are_same: SameContexts = msgspec.field(default_factory=SameContexts)
    now: list[Expansion] = []
    _place: int = 0

    def find(self, element: Element, context: RenderContext) -> tuple[Expansion | None, bool]:
        """Return the result that is nearest to that of a component, and whether it is the same."""
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
    :param registry: its rules say what opens up.
    :param expansions: takes what its components render to.
    :raises RenderError: for a component that cannot be resolved, with its path.
    """
    pieces: list[Piece] = []
    outlined = _Outline(registry, pieces)
    outlined.collect(nodes, ctx, first=first, expansions=expansions or Expansions())
    return pieces


class _Outline(NamedTuple):
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
        between: list[Node] = []

        def part(end: int) -> None:
            """The part before this place, as a piece."""
            place = end - len(between)
            self.into.append(
                Piece(tuple(between), ctx, first=place, trail=trail, sections=sections)
            )
            between.clear()

        node: Any
        for place, node in enumerate(nodes, first):
            if type(node) is str or (type(node) is Element and node.is_resolved):
                between.append(node)
                continue
            is_element = type(node) is Element
            component: Any = node.component if is_element else node
            disclosure = component.disclosed() if FACTS[type(component)].discloses else PLAIN
            if disclosure is not PLAIN:
                if between:
                    part(place)
                key = node.key if is_element else None
                standing = component.in_context(ctx) if ctx.values else component
                if standing is not component:
                    disclosure = standing.disclosed()
                    component = standing
                    node = Element(standing, node.children, key) if is_element else standing  # noqa: PLW2901
                has_budget = disclosure.budget is not None
                own = ctx if disclosure.budget is None else ctx.within_budget(disclosure.budget)
                self.into.append(
                    Piece(
                        (node,),
                        own,
                        component,
                        key,
                        first=place,
                        trail=trail,
                        sections=sections,
                        has_budget=has_budget,
                        is_apart=disclosure.is_apart,
                        longest_text=own.longest_text,
                    )
                )
            else:
                rule = self._opening(component)
                if rule is None:
                    between.append(node)
                    continue
                if between:
                    part(place)
                element = as_element(node)
                trail_of = (trail, element, place)
                self._open(rule, element, ctx, trail_of, level + 1, sections, expansions)
        if between:
            part(first + len(nodes))

    def _opening(self, component: Component) -> Any:
        """Return the rule of what opens up; ``None`` where a rule of its own makes something else of it."""
        try:
            rule = self.registry.find("ujsx -> mdast", type(component))
        except MissingRuleError:  # it is an error where it is transformed, which says where
            return None
        return rule if rule in _OPENING else None

    def _open(  # noqa: PLR0917 - all of it is where the element stands
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
"""Rules of what opens up."""


def _locate(error: UjsxError, trail: Trail) -> None:
    while trail is not None:
        trail, element, place = trail
        error.within(place_of(element, place))


# The origin of a rendering's part, as data: all that a comparison of two renderings looks at.
#
# In: a piece of a tree. Out: an :class:`Origin`, which knows nothing of rules, counters and writers.


class PartOrigin(msgspec.Struct, frozen=True):
    """The source of a part, and its place in the tree."""

    label: str
    """What stands there: a component's name, ``Section`` for a heading, else the nodes' names."""

    around: str
    """The names of the composites around it, each with a slash behind it."""

    is_plain: bool
    """Whether it is what stands between components and headings."""

    rung: Rung | None
    """The rung that it stands on; ``None`` if it is hidden, or has no ladder."""

    depth: int
    """How many sections stand around it."""

    props: frozenset[str]
    """The names of its props, where it is a component with a ladder."""

    heading: object
    """The section that opens there."""

    content: object
    """The component with a ladder, or a tuple of the nodes that are rendered together."""

    values: Mapping[str, object]
    """What is bound to its context, by the name of its class."""

    texts: object
    """The fixed texts that are replaced, by name."""

    @classmethod
    def of(cls, piece: Piece) -> PartOrigin:
        """Return what a piece is made of."""
        ladder, context = piece.ladder, piece.context
        return cls(
            label=piece.label,
            around=piece.around,
            is_plain=ladder is None and piece.heading is None,
            rung=piece.rung,
            depth=context.depth,
            props=frozenset(() if ladder is None else type(ladder).model_fields),
            heading=piece.heading,
            # A component with a ladder stands alone in its piece.
            content=piece.nodes if ladder is None else piece.nodes[0],
            values={kind.__name__: value for kind, value in context.values.items()},
            texts=context.texts,
        )


# The sources of a rendering, as bytes that another process may read.
#
# A user's components and values can be anything: of a class that only one function knows, or that
# the reading process does not have. So each is packed by itself. One that cannot be written or read
# is :data:`UNSAID`, and all others are what they were.


class _Unsaid(Enum):
    UNSAID = "unsaid"


UNSAID: Final = _Unsaid.UNSAID
"""What stands for a value that could not be written, or cannot be read here."""


def _read_only(items: dict[Any, Any]) -> Mapping[Any, Any]:
    return MappingProxyType(items)  # whose own name Python cannot look up


def _pickled(value: object) -> bytes:
    """Pickle a value; read-only mappings too, which contexts hold, and Python's own pickles do not."""
    import copyreg
    import pickle  # which those load who use it, and nobody else

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
            return pickle.loads(self.data)  # noqa: S301 - it came inside of another pickle
        except Exception:  # noqa: BLE001 - as above
            return UNSAID


Shared: TypeAlias = "dict[int, tuple[object, PackedValue]]"
"""What was packed already, by its ``id``, so that what many parts hold is written once."""


class PackedPart(msgspec.Struct, frozen=True):
    """A part of a rendering, without what rendered it."""

    packed: PartOrigin
    """Its origin; what a user wrote is packed."""

    primitives: PackedValue

    @classmethod
    def of(cls, origin: PartOrigin, primitives: Children, shared: Shared) -> PackedPart:
        """Return a part packed."""

        def packed(value: object) -> PackedValue:
            if id(value) not in shared:
                # The value is kept, so that its id stays its own.
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
        """The origin of the part, as far as it can be read here."""
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
        """The primitives and texts that it resolved into; none where they cannot be read here."""
        primitives = self.primitives.value()
        return () if primitives is UNSAID else primitives


class CountedText(msgspec.Struct, eq=False, gc=False):
    """A piece of text whose tokens are counted once, when they are first asked for."""

    text: str
    count: TokenCounter
    _tokens: int | None = None

    @property
    def tokens(self) -> int:
        if self._tokens is None:
            self._tokens = self.count(self.text)
        return self._tokens

    def __reduce__(self) -> tuple[Any, ...]:
        # It is counted already, and once is enough.
        return CountedText, (self.text, estimate_tokens, self.tokens)


class RenderedPart(Protocol):
    """A part of a rendering."""

    @property
    def around(self) -> str:
        """The names of the composites around it, each with a slash behind it."""
        ...

    @property
    def origin(self) -> PartOrigin:
        """The origin of the part: what it was made of."""
        ...

    @property
    def resolved(self) -> Children:
        """The primitives and texts that it resolved into."""
        ...


@dataclass(frozen=True, eq=False)
class RenderedNode:
    """The result of rendering a node of the tree, or neighbors that are written together.

    Two of them are equal if they have the same name, place, text and tokens.
    """

    name: str
    """The component's class name, and its key in brackets where it has one; ``Section`` for a heading."""

    start: int
    """Where its text begins in the whole text, in characters, the blank line before it included."""

    end: int
    """Where its text ends."""

    piece: CountedText = field(repr=False)

    part: RenderedPart = field(repr=False)

    goes_on: bool = field(default=False, kw_only=True)
    """Whether it stands in the line of the one before it; the text and the tokens of that line are those of the first
    one in it."""

    layer: Layer | None = field(default="static", kw_only=True)
    """How often it changes; None for a heading, which goes with what follows it."""

    @property
    def path(self) -> str:
        """The place in the tree: ``Hud / NotesSection``."""
        return self.part.around + self.name

    @property
    def nodes(self) -> Children:
        """The primitives that it resolved into; none where it was pickled, and this process cannot read them."""
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
        """Return it without what rendered it."""
        part = self.part
        if isinstance(part, PackedPart):
            return self
        return replace(self, part=PackedPart.of(part.origin, part.resolved, shared))


@dataclass(frozen=True, eq=False)
class RenderedSection(RenderedNode):
    """What one component with a ladder became.

    Where several stand in one line, its text and its tokens are those of the first of them, and the others go on.
    """

    rung: Rung | None
    """The rung it was rendered on; ``None`` if a budget hid it."""

    capped_at: int | None = None
    """Its own budget, in tokens, where that alone kept it from a higher rung; ``None`` where it was
    not in the way, or where it has none."""

    def _value(self) -> tuple[object, ...]:
        return *super()._value(), self.rung, self.capped_at


@dataclass(frozen=True)
class OmittedItems:
    """Items that a section left out, or of which it left out something."""

    section: str
    """The section's name."""

    count: int
    """How many, at least 1. Where a budget hid the section, it is what its lowest rung leaves out, else 1: the section
    itself."""

    ids: tuple[str, ...]
    """Which, where the component says."""

    tokens: int
    """How many tokens more the section would have if it showed everything: the section's figure, the same in each of its
    entries, so count it once for each section."""

    handle: str | None
    """The call that shows them."""

    what: Literal["items", "texts"] = "items"
    """Whether they are not shown, or say less than they could: a text is cut, or a detail left out."""


@dataclass(frozen=True, eq=False)
class Rendered(WithText, Displayable):
    r"""Markdown, and an account of it.

    It is data: it can be pickled, and read in another process that knows nothing of its renderer.
    What that process cannot read, such as a component of a class that it does not have, is left
    unsaid there: then :func:`compare` names fewer fields, and counts with the estimate where it
    cannot read the counter. Two renderings are equal if their texts and their accounts are.

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
        "rendered.text": "markdown tomarkdown tostring content output render",
        "rendered.sections": "parts pieces",
        "rendered.text.splitlines()": "lines",
        'Path("hud.md").write_text(rendered.text)': "save write writeto tofile savefile",
        "render_html(tree), from ujsx import render_html; of a session, render_html(Hud.of(session.state()))": "html tohtml ashtml",
        "rendered.static, and rendered.dynamic": "staticpart dynamicpart system tail stable prefix",
        "rendered.sections[0].rung.density, as each section has its own": "density level rung",
        "rendered.text, and its account: rendered.tokens, rendered.omitted, rendered.sections": "json todict tojson dict asdict "
        "modeldump modeldumpjson dump",
        "str(rendered), or rendered.text": "tostr",
    }

    text: str
    """The Markdown. It ends in one newline, or is empty."""

    account: PiecesAccount | PackedAccount = field(repr=False)
    """What else there is to say of it; the properties below say it."""

    over_budget: bool = False
    """Whether even the least that the tree can show has more tokens than the budget; what stands outside the budget
    does not count."""

    @property
    def count_tokens(self) -> TokenCounter:
        """The counter of tokens."""
        return self.account.count_tokens

    @property
    def nodes(self) -> tuple[RenderedNode, ...]:
        """All of the text by the nodes it came from: sections, headings, and what stands between."""
        return self.account.nodes

    @cached_property
    def sections(self) -> tuple[RenderedSection, ...]:
        """The components with a ladder, in their order."""
        return tuple(each for each in self.nodes if isinstance(each, RenderedSection))

    @property
    def tokens(self) -> int:
        """The tokens of the text."""
        return self.account.tokens

    @property
    def budgeted(self) -> int:
        """The tokens that count against a budget: those of the text without the components that stand outside it
        (:attr:`Disclosure.is_apart`).
        """
        return self.account.budgeted

    @property
    def budgeted_text(self) -> str:
        """The text that counts against a budget; all of it where its parts were not pickled with it."""
        account = self.account
        return self.text if isinstance(account, PackedAccount) else account.budgeted_text

    @cached_property
    def layers(self) -> tuple[RenderedLayer, ...]:
        """The text by how often it changes: the static layer, that of the session, that of the turn."""
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
            return densities.pop() if len(densities) == 1 else super().__getattr__(name)

    def _as_document(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self.text == other
        if not isinstance(other, Rendered):
            return NotImplemented
        if self is other:
            return True
        # What is dear is asked for last.
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
    """The whole account of a rendering, without what it was taken from."""

    counter: PackedValue
    tokens: int
    budgeted: int
    nodes: tuple[RenderedNode, ...]
    omitted: tuple[OmittedItems, ...]

    @classmethod
    def of(cls, account: PiecesAccount | PackedAccount) -> PackedAccount:
        """Return an account packed; what many nodes hold is written once."""
        if isinstance(account, PackedAccount):
            return account
        shared: Shared = {}
        nodes = tuple(each.packed(shared) for each in account.nodes)
        counter = PackedValue.of(account.count_tokens)
        return cls(counter, account.tokens, account.budgeted, nodes, account.omitted)

    @property
    def count_tokens(self) -> TokenCounter:
        """The counter of the rendering; the estimate where it cannot be read here."""
        counter = self.counter.value()
        return estimate_tokens if counter is UNSAID else counter
