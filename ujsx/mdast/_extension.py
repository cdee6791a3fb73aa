"""``Extension``: a kind of Markdown beyond CommonMark and GFM, as data for reader and writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias

from ujsx.errors import MdastError, did_you_mean, shown
from ujsx.mdast._nodes import Node

# Alerts: quotes whose first words name a kind, such as ``[!NOTE]``.
#
# To the specifications they are quotes with text; GitHub and others draw a box. So that text from
# outside cannot become one, and one in a document stays one, the tree tells them apart: the quote has
# the kind in its ``data``, as ``{"alert": "NOTE"}``, and the words are the start of its text.

ALERT = "alert"
"""The key in the ``data`` of a ``Blockquote``."""

MARK = re.compile(r"\[!([A-Za-z][A-Za-z0-9-]*)\]")
"""What starts an alert; its group is the kind."""

ALERT_LINE = re.compile(
    r"\[!(?P<kind>[A-Za-z][A-Za-z0-9-]*)\](?P<fold>[+-]?)(?P<end>\n|[ ](?![ \n])|\Z)"
)
"""An alert's first line up to its title: the kind, whether it folds, and a space before a title."""


InlineRule: TypeAlias = Callable[[Any, bool], bool]
"""A rule of markdown-it: ``(state, silent)``. It takes what stands at ``state.pos`` in ``state.src``,
pushes tokens and moves on, or returns ``False``. ``silent`` is never true here."""

BlockRule: TypeAlias = Callable[[Any, int, int, bool], bool]
"""A rule of markdown-it: ``(state, start_line, end_line, silent)``. When ``silent`` it pushes nothing,
and tells whether its block would end a paragraph before it."""

Build: TypeAlias = Callable[[Any, tuple[Any, ...]], Node]
"""From a token and the nodes within to a node."""

Handler: TypeAlias = Callable[[Any, Any], str]
"""From a node, and the state of the writing, to Markdown."""

Holds: TypeAlias = Literal["flow", "phrasing", "line"]
"""What a node's children are: blocks, what stands in a line, or that without a line end."""


class BlockReader(NamedTuple):
    """A block's rule, and where it stands among those of markdown-it."""

    name: str
    """What other rules know it by."""

    rule: BlockRule

    before: str = "fence"
    """The rule that it is asked before."""

    interrupts: tuple[str, ...] = ("paragraph", "reference", "blockquote", "list")
    """The blocks that end where one of this kind starts."""


class LineStart(NamedTuple):
    """What has a meaning at the start of a line, so that text that looks like it gets a backslash."""

    characters: str
    """The characters that it starts with."""

    why: str
    """What it would be."""

    pattern: str
    """How it looks, as a regular expression."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Extension:
    """An extension of Markdown: how it is read, what nodes it becomes, and how those are written.

    :param name: what it is called where it is missing.
    :param inline: rules for what stands in a line, by the character that it starts with.
    :param blocks: rules for blocks.
    :param build: nodes of the tokens that the rules push, by the token's type: of a token that stands
        alone, or of one that closes another, which gets the opening token and what is between the two.
    :param change: nodes of blocks that were read, in place of a kind of them.
    :param phrasing: how its nodes are written that stand in a line.
    :param flow: how its nodes are written that are blocks.
    :param holds: what the children of its nodes are, where they have some.
    :param canonical: from a node whose children are canonical to the nearest one that can be written;
        ``None`` where there is none.
    :param unsafe: characters of texts that would mean something to its rules.
    :param line_starts: what would mean something to them at the start of a line.
    """

    name: str
    inline: Mapping[str, InlineRule] = field(default_factory=dict[str, InlineRule])
    blocks: tuple[BlockReader, ...] = ()
    build: Mapping[str, Build] = field(default_factory=dict[str, Build])
    change: Mapping[type[Node], Callable[[Any], Node]] = field(
        default_factory=dict[type[Node], Callable[[Any], Node]]
    )
    phrasing: Mapping[type[Node], Handler] = field(default_factory=dict[type[Node], Handler])
    flow: Mapping[type[Node], Handler] = field(default_factory=dict[type[Node], Handler])
    holds: Mapping[type[Node], Holds] = field(default_factory=dict[type[Node], Holds])
    canonical: Mapping[type[Node], Callable[[Any], Node | None]] = field(
        default_factory=dict[type[Node], Callable[[Any], Node | None]]
    )
    unsafe: tuple[Any, ...] = ()
    line_starts: tuple[LineStart, ...] = ()
    plugin: Callable[[Any], None] | None = None
    """A plugin of markdown-it, whose rules read too; see ``extension_of``."""
    without: tuple[str, ...] = ()
    """The plugin's rules that are not run."""
    read_back: frozenset[type[Node]] = frozenset()
    """Phrasing that might be read otherwise beside other text, or alone in a line: a paragraph with it is read back."""

    @property
    def nodes(self) -> tuple[type[Node], ...]:
        """The kinds of nodes that it adds."""
        return (*self.phrasing, *self.flow)


_MODULES: Mapping[str, str] = {
    "admonitions": "_admonitions",
    "alerts": "_alerts",
    "definition-lists": "_definition_lists",
    "directives": "_directives",
    "math": "_math",
    "toml": "_toml",
    "wiki-links": "_wiki_links",
}
"""The extensions of the package, each with its module, which stands above the reader and the writer."""

_TYPES: Mapping[str, str] = {
    "admonition": "admonitions",
    "admonitionTitle": "admonitions",
    "alert": "alerts",
    "containerDirective": "directives",
    "defList": "definition-lists",
    "defListDescription": "definition-lists",
    "defListTerm": "definition-lists",
    "inlineMath": "math",
    "leafDirective": "directives",
    "math": "math",
    "textDirective": "directives",
    "toml": "toml",
    "wikiLink": "wiki-links",
}
"""The extension of each type of node that the package knows beyond those of the specification."""

NAMES = tuple(_MODULES)
"""What extensions the package has."""


def resolved(extensions: Iterable[Extension | str]) -> tuple[Extension, ...]:
    """Return extensions, with those in place of names that they name.

    Raises ``MdastError`` for a name that the package does not know.

    >>> [each.name for each in resolved(["math"])]
    ['math']
    """
    if isinstance(extensions, str):
        raise MdastError(f"extensions are a list; write extensions=[{extensions!r}]")
    return tuple([each if isinstance(each, Extension) else _named(each) for each in extensions])


def _named(name: object) -> Extension:
    if not isinstance(name, str) or name not in _MODULES:
        known = f"those of the package are {', '.join(_MODULES)}"
        if isinstance(name, str):
            raise MdastError(
                f"there is no extension {name!r}; {did_you_mean(name, _MODULES)} ({known})"
            )
        raise MdastError(
            f"{shown(name)} is not an extension: pass an Extension, or a name; {known}"
        )
    module = import_module(f"ujsx.mdast.extensions.{_MODULES[name]}")
    extension: Extension = module.EXTENSION
    return extension


def kind_of(name: str) -> type[Node] | None:
    """Return the class of a type of node that an extension of the package has.

    >>> kind_of("wikiLink").__name__, kind_of("paragraph")
    ('WikiLink', None)
    """
    if name not in _TYPES:
        return None
    kinds = {str(kind.__struct_config__.tag): kind for kind in _named(_TYPES[name]).nodes}
    return kinds[name]


def home_of(name: str) -> str | None:
    """Return what extension of the package a type of node is of."""
    return _TYPES.get(name)
