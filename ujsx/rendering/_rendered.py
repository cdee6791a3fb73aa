"""The result of a rendering: the text, and an account of it. Both are data.

The account is taken when it is asked for. Pickling asks for all of it, and leaves behind what it
was taken from: the renderer, its rules, and what it keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

import msgspec

from ujsx._density import Layer, Rung
from ujsx.calls import Answering
from ujsx.components._display import Displayed
from ujsx.components._element import Children
from ujsx.rendering._layers import RenderedLayer, layers_of
from ujsx.rendering._origin import Origin
from ujsx.rendering._packed import UNSAID, Packed, PackedPart, Shared
from ujsx.tokens import TokenCounter, estimate_tokens

if TYPE_CHECKING:
    from ujsx.rendering._account import PiecesAccount


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
    def origin(self) -> Origin:
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
    """How many, at least 1. Of a section that a budget hid as a whole it is what its lowest rung leaves
    out; where that leaves out nothing, 1: the section itself."""

    ids: tuple[str, ...]
    """Which, where the component says."""

    tokens: int
    """How many tokens more the section would have if it showed everything."""

    handle: str | None
    """The call that shows them."""

    what: Literal["items", "texts"] = "items"
    """Whether they are not shown, or say less than they could: a text is cut, or a detail left out."""


@dataclass(frozen=True, eq=False)
class Rendered(Answering, Displayed):
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

    @cached_property
    def layers(self) -> tuple[RenderedLayer, ...]:
        """The text by how often it changes: the static layer, that of the session, that of the turn."""
        return layers_of(self.nodes, self.count_tokens)

    @property
    def omitted(self) -> tuple[OmittedItems, ...]:
        """The omissions of the sections, and the calls that retrieve them."""
        return self.account.omitted

    def _as_document(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
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
        return hash((self.text, self.over_budget))

    def __getstate__(self) -> dict[str, Any]:
        account = PackedAccount.of(self.account)
        return {"text": self.text, "account": account, "over_budget": self.over_budget}


@dataclass(frozen=True)
class PackedAccount:
    """The whole account of a rendering, without what it was taken from."""

    counter: Packed
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
        counter = Packed.of(account.count_tokens)
        return cls(counter, account.tokens, account.budgeted, nodes, account.omitted)

    @property
    def count_tokens(self) -> TokenCounter:
        """The counter of the rendering; the estimate where it cannot be read here."""
        counter = self.counter.value()
        return estimate_tokens if counter is UNSAID else counter
