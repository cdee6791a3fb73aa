"""A document by its headings: its table of contents, and its sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ujsx.mdast._nodes import (
    FootnoteReference,
    Heading,
    Link,
    LinkReference,
    List,
    ListItem,
    Node,
    Paragraph,
    Parent,
)

from ._find import find
from ._rewrite import rewrite
from ._slug import Slugger
from ._to_string import to_string


class Section(NamedTuple):
    """A heading with what follows it, up to the next heading that is no deeper."""

    heading: Heading | None
    """``None`` for what stands before the first heading."""

    content: tuple[Node, ...]
    """The blocks between the heading and the first one of ``sections``."""

    sections: tuple[Section, ...]
    """The sections within: their headings are deeper."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All blocks of the section, in their order: heading, content, and the sections within."""
        own = self.content if self.heading is None else (self.heading, *self.content)
        return (*own, *[node for each in self.sections for node in each.nodes])


def sections(tree: Parent) -> tuple[Section, ...]:
    r"""Return the sections of a document by its headings; headings in quotes and items begin none.

    >>> from ujsx.mdast import from_markdown
    >>> first, second = sections(from_markdown("a\n\n# B\n\nc\n\n## D\n\ne"))
    >>> first.heading, len(first.content), to_string(second.sections[0].heading)
    (None, 1, 'D')
    """
    blocks: Sequence[Any] = getattr(tree, "children")  # noqa: B009 - each kind declares its own
    # What is open, outermost first: depth, heading, content, sections within.
    open_: list[tuple[int, Heading | None, list[Node], list[Section]]] = [(0, None, [], [])]

    def close(depth: int) -> None:
        while open_[-1][0] >= depth:
            _, heading, content, within = open_.pop()
            open_[-1][3].append(Section(heading, tuple(content), tuple(within)))

    for block in blocks:
        if isinstance(block, Heading):
            close(block.depth)
            open_.append((block.depth, block, [], []))
        else:
            open_[-1][2].append(block)
    close(1)
    _, _, before, found = open_[0]
    return (*([Section(None, tuple(before), ())] if before else []), *found)


def toc(tree: Node, *, depths: Sequence[int] = (2, 3)) -> List:
    r"""Return a table of contents: links to the headings of these depths, as GitHub numbers them.

    A list without items, which Markdown has no form for, where there is no such heading. All headings
    count for the numbers of fragments, be they listed or not.

    >>> from ujsx.mdast import from_markdown, to_markdown
    >>> print(to_markdown(toc(from_markdown("# A\n\n## B *c*\n\n### D\n\n## D"))), end="")
    - [B *c*](#b-c)
      - [D](#d)
    - [D](#d-1)
    """
    slugger = Slugger()
    rows: list[tuple[int, Link]] = []
    for heading in find(tree, Heading):
        fragment = slugger.slug(to_string(heading, alt=False))
        if heading.depth in depths:
            rows.append((heading.depth, Link(f"#{fragment}", children=_without_links(heading))))
    return _nested(rows)


def _nested(rows: Sequence[tuple[int, Link]]) -> List:
    """Return links as a list of lists: what is deeper than the link before it stands beneath that."""
    items: list[ListItem] = []
    at = 0
    while at < len(rows):
        depth, link = rows[at]
        end = at + 1
        while end < len(rows) and rows[end][0] > depth:
            end += 1
        beneath = (_nested(rows[at + 1 : end]),) if end > at + 1 else ()
        items.append(ListItem(children=(Paragraph(children=(link,)), *beneath)))
        at = end
    return List(children=tuple(items))


def _without_links(heading: Heading) -> Any:
    """Return a heading's phrasing as it may stand in a link."""
    plain: Any = rewrite(heading, FootnoteReference, lambda _: None)
    plain = rewrite(plain, Link, lambda node: node.children)
    return rewrite(plain, LinkReference, lambda node: node.children).children
