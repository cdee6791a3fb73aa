"""A HUD read back from its Markdown or its rendering, and the check that texts can be read back."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from string import Formatter
from types import MappingProxyType
from typing import Annotated, Any, Literal, cast, overload

from msgspec.structs import replace
from pydantic import StringConstraints

from hud_components._coding import CODING
from hud_components.declaring._checks import verbs_of
from hud_components.declaring._form import Form, with_parts, without_formats
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lines import check_forms
from hud_components.declaring._section import HudSection, check_declared
from hud_components.declaring._state import State
from hud_components.declaring._value_section import SectionT
from hud_components.layout._hud import Hud
from hud_components.layout._notices import StatusLine, UnreadableNotice
from hud_components.sections._active_files import ActiveFile, ActiveFiles, FileStatus
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._context_bar import ContextBar
from hud_components.sections._next_steps import NextSteps, Step
from hud_components.sections._plain_lists import (
    Blocker,
    BlockersList,
    Decision,
    DecisionsList,
    Note,
    NotesSection,
)
from hud_components.sections._task_section import Task, TaskSection
from hud_components.words._texts import (
    COMMON,
    Label,
    TextError,
    format_text,
    heading_of,
    line,
    text_of,
)
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    DefinitionError,
    Density,
    DensityLike,
    Element,
    Node,
    RenderContext,
    Renderer,
    RenderError,
    Template,
    TransformRegistry,
    from_mdast,
    mdast,
    to_mdast,
)
from ujsx.calls import WithText, resolving
from ujsx.errors import CallError, did_you_mean, shown
from ujsx.mdast.util import find
from ujsx.rendering import Piece
from ujsx.transforms import TEXTS as PRIMITIVE_TEXTS
from ujsx.trees import disclosed_context

# A wrapper that shortens its content.


class Compact(Component):
    """Shows its children at compact density, or denser where the HUD is.

    >>> from ujsx import render
    >>> from hud_components import Task, TaskSection
    >>> print(render(Compact()[TaskSection(task=Task(description="Add login"))]), end="")
    **Task:** Add login
    """

    content_model = ContentModel((), is_transparent=True)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return a context of compact density, unless it is denser already."""
        return (
            ctx if ctx.density <= Density.COMPACT else ctx.with_density(Density.COMPACT, ctx.limit)
        )


# Sections of other programs' HUDs, recognized by their headings.
#
# In: the blocks of a document. Out: sections of ours with the same facts. A heading may stand at any depth, with a sign
# before it and a count behind it; a list may be one of Markdown's, or lines that begin with a bullet.

Reading = Literal["task", "context", "decisions", "files", "steps", "notes", "blockers", "compacted", "title"]  # fmt: skip

HEADINGS: Mapping[str, Reading] = {
    "task": "task", "current task": "task", "goal": "task", "objective": "task",
    "context": "context", "context usage": "context", "context status": "context",
    "decisions": "decisions", "key decisions": "decisions",
    "active files": "files", "files": "files", "key files": "files", "working files": "files",
    "next steps": "steps", "steps": "steps", "todo": "steps", "todos": "steps", "plan": "steps", "tasks": "steps",
    "notes": "notes", "project notes": "notes", "working memory": "notes",
    "blockers": "blockers", "open blockers": "blockers",
    "compacted context": "compacted", "before the compaction": "compacted",
    "state": "title", "hud": "title", "agent state": "title", "session state": "title",
}  # fmt: skip
"""The content under each heading, in lower case."""

_HEADING = re.compile(r"\W*(?P<name>\w[\w ]*\w)\W*(?:[(:\[].*)?", re.DOTALL)
_BULLET = re.compile(r"^[ \t]*(?:[•‣◦▪–*-]|\d{1,4}[.)])[ \t]+", re.MULTILINE)
_USED = re.compile(
    r"(?P<percent>\d{1,3})[ \t]{0,4}%[^(%\n]{0,40}\((?P<used>[\d.,]{1,15})(?P<k>[kM]?)[ \t]{0,4}/[ \t]{0,4}"
    r"(?P<limit>[\d.,]{1,15})(?P<l>[kM]?)(?:[ \t]{1,4}tokens)?(?:,[ \t]{0,4}(?P<model>[^)\n]{1,200}))?\)"
)
_LABEL = re.compile(r"(?:current )?task[ \t]*:[ \t]*(?P<task>\S.*)", re.IGNORECASE)
_COUNTS = re.compile(r"\w[\w ]{0,30}: \d+[^|\n]{0,40}(?:\|[ \t]*\w[\w ]{0,30}: \d+[^|\n]{0,40})*")
"""Lines of counts, which sections repeat."""
_SCALE = {"": 1, "k": 1_000, "M": 1_000_000}


def foreign_at(blocks: Sequence[Any]) -> tuple[list[HudSection], int] | None:
    r"""Return the sections that begin with the first block, and their number of blocks.

    A HUD's title is a beginning without a section.

    >>> found = foreign_at(mdast.from_markdown("### Key Decisions\n- Use JWT\n").children)
    >>> found[0][0].decisions[0].summary, found[1]
    ('Use JWT', 2)
    """
    first = blocks[0]
    if type(first) is mdast.Paragraph:
        return _line(_text(first))
    if type(first) is not mdast.Heading:
        return None
    title = _text(first)
    match = _HEADING.fullmatch(title)
    of = HEADINGS.get(match["name"].lower()) if match else None
    if of is None:
        return None
    body: list[Any] = []
    for place in range(1, len(blocks)):
        block = blocks[place]
        if type(block) is mdast.Heading:
            break
        body.append(block)
    if of == "title":
        return [], 1
    if of == "context":
        bar = _bar("\n".join((title, *map(_text, body))))
        return None if bar is None else ([bar], 1 + len(body))
    read = _READERS[of](body)
    return None if read is None else ([read], 1 + len(body))


def _line(text: str) -> tuple[list[HudSection], int] | None:
    """Return the section of a line without a heading: the context usage, or the labeled task."""
    found: list[HudSection] = []
    for each in text.splitlines():
        label = _LABEL.fullmatch(each.strip())
        bar = None if label else _bar(each)
        if label:
            found.append(TaskSection(task=Task(description=label["task"])))
        elif bar:
            found.append(bar)
        elif not _COUNTS.fullmatch(each.strip()):
            return None
    return (found, 1) if found else None


def _bar(text: str) -> ContextBar | None:
    match = _USED.search(text)
    if match is None:
        return None
    used, limit = _count(match["used"], match["k"]), _count(match["limit"], match["l"])
    if not used or not limit:
        return None
    model = match["model"].strip() if match["model"] else None
    return ContextBar.model_validate({"usage": {"used": used, "limit": limit, "model": model}})


def _count(digits: str, scale: str) -> int:
    try:
        return round(float(digits.replace(",", "")) * _SCALE[scale])
    except ValueError:
        return 0


def _task(body: Sequence[Any]) -> HudSection | None:
    text = " ".join(text for text, _ in _entries(body))
    return TaskSection(task=Task(description=text)) if text else None


def _compacted(body: Sequence[Any]) -> HudSection | None:
    text = "\n\n".join(map(_text, body)).strip()
    return CompactedContext(text=text) if text else None


def _decision(text: str, _is_done: bool) -> Decision:
    """Return a decision, and the text after its dash."""
    for dash in (" — ", " – ", " -- "):
        what, _, why = text.partition(dash)
        if what.strip() and why.strip():
            return Decision(summary=what.strip(), details=why.strip())
    return Decision(summary=text)


_STATUSES: Mapping[str, FileStatus] = {"editing": "editing", "edited": "editing", "referenced": "referenced", "referencing": "referenced"}  # fmt: skip


def _file(text: str, _is_done: bool) -> ActiveFile:
    """Return a file, and the text in parentheses after it."""
    path, _, rest = text.rpartition(" (")
    said = rest.removesuffix(")") if path.strip() and rest.endswith(")") else ""
    bare = (path if said else text).strip().strip("`") or text
    return ActiveFile(path=bare, status=_STATUSES.get(said, "reading"))


def _listed(
    section: type[ItemsSection[Any]], item: Callable[[str, bool], Any]
) -> Callable[[Sequence[Any]], HudSection]:
    """Return the reader of a list: one item for each entry, from its text and whether it is done."""

    def read(body: Sequence[Any]) -> HudSection:
        props: dict[str, Any] = {section.prop: [item(*each) for each in _entries(body)]}
        return section(**props)

    return read


_READERS: Mapping[Reading, Callable[[Sequence[Any]], HudSection | None]] = {
    "task": _task,
    "compacted": _compacted,
    "decisions": _listed(DecisionsList, _decision),
    "files": _listed(ActiveFiles, _file),
    "steps": _listed(NextSteps, lambda text, is_done: Step(description=text, completed=is_done)),
    "notes": _listed(NotesSection, lambda text, _: Note(content=text)),
    "blockers": _listed(BlockersList, lambda text, _: Blocker(description=text)),
}


def _entries(body: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the items of lists, and the lines of paragraphs, that have a text, and whether each is done."""
    return (entry for block in body for entry in _entries_of(block) if entry[0])


def _entries_of(block: Any) -> Iterator[tuple[str, bool]]:
    """Return the items of a list, or the lines of a paragraph, and whether each is done."""
    if type(block) is mdast.List:
        for item in block.children:
            said = " ".join(_text(item).split())
            is_struck = next(find(item, mdast.Delete), None) is not None
            yield said, item.checked is True or is_struck
        return
    text = _text(block)
    pieces = _BULLET.split(text) if _BULLET.search(text) else [text]
    for piece in pieces:
        said = " ".join(piece.split())
        is_struck = said.startswith("~~") and said.endswith("~~")
        yield said.strip("~") if is_struck else said, is_struck


def _text(node: Any) -> str:
    """Return the text of a node, without its marks."""
    if isinstance(value := getattr(node, "value", None), str):
        return value
    if type(node) is mdast.Break:
        return "\n"
    joint = "\n" if type(node) in (mdast.List, mdast.ListItem, mdast.Blockquote) else ""
    return joint.join(map(_text, getattr(node, "children", ())))


SECTIONS: tuple[type[HudSection], ...] = (*CODING.sections, StatusLine)
"""The default sections of ``parse``."""


@overload
def parse(
    source: str | mdast.Root,
    vocabulary: Iterable[type[HudSection]] = SECTIONS,
    *,
    context: RenderContext | None = None,
    foreign: bool = False,
    registry: TransformRegistry | None = None,
) -> Element[Hud]: ...
@overload
def parse(
    source: str | mdast.Root, vocabulary: type[SectionT], *, context: RenderContext | None = None
) -> SectionT: ...
@resolving(
    "write parse(text, vocabulary=domain.sections)", source="text", vocabulary="domain sections"
)
def parse(
    source: str | mdast.Root,
    vocabulary: type[HudSection] | Iterable[type[HudSection]] = SECTIONS,
    *,
    context: RenderContext | None = None,
    foreign: bool = False,
    registry: TransformRegistry | None = None,
) -> Element[Hud] | HudSection:
    r"""Return the HUD in a Markdown text; for one section class, that section.

    A section's visible content is in its props; hidden data (ids, times, items beyond a limit) are unset. Other content
    stays in place, as primitives. Rendered at the same density, the HUD gives the same text.

    :param source: Markdown, or its mdast tree.
    :param vocabulary: the section classes to look for; the first that reads the content is used. A single class is for
        a text of that section alone.
    :param context: the fixed texts of the rendering, if not the default ones.
    :param foreign: whether to recognize sections of other programs' HUDs by their headings, such as "Key Decisions";
        they become sections of this package, so the rendered text differs.
    :param registry: the rules for other content; a registry with pairs reads your components back.
    :raises RenderError: for an invalid source, for a class that is not a section's, and for a text with anything but
        the single section.

    >>> hud = parse("# HUD\n\n## Notes\n\n- Port 8080\n\n## House rules\n\nBe kind.\n")
    >>> hud.children[0].notes[0].content
    'Port 8080'
    >>> hud.children[1]
    Section(title='House rules')[Paragraph()['Be kind.']]
    >>> parse("## State\n### Key Decisions\n- Use JWT\n", foreign=True).children[0].decisions[0].summary
    'Use JWT'
    >>> parse("# Notes\n\n- Port 8080\n", NotesSection).notes[0].content
    'Port 8080'
    """
    if isinstance(vocabulary, type):
        one = (vocabulary,)
        found = parse(source, one, context=context, foreign=foreign, registry=registry).children
        if len(found) == 1 and isinstance(found[0], vocabulary):
            return found[0]
        name = vocabulary.__name__
        line = f"parse(text, [{name}]), for the HUD of all that it shows"
        raise RenderError(f"the text is not one {name} alone; write {line}")
    given: object = str(source) if isinstance(source, WithText) else source
    if isinstance(given, str):
        if _TAG.match(given.lstrip()):
            line = "write read_layout(text, layout_vocabulary())"
            raise RenderError(f"parse takes the Markdown of a HUD, and this is a layout; {line}")
        source = mdast.from_markdown(given)
    elif not isinstance(given, mdast.Root):
        raise RenderError(f"parse takes Markdown or an mdast Root, not {shown(given)}")
    assert isinstance(source, mdast.Root)
    ctx = context or RenderContext()
    known = _sections(vocabulary)
    blocks: Sequence[Any] = source.children
    title = heading_of(blocks[0], ctx) if blocks else None
    is_section = title is not None and _section_at(blocks, known, ctx) is not None
    theirs = foreign_at(blocks) if foreign and blocks else None
    if title is None or is_section or (theirs is not None and theirs[0]):
        return Element(Hud(), tuple(_children(blocks, known, ctx, registry, foreign=foreign)))
    hud = Hud(title=None if title == format_text(ctx, "hud.title") else title)
    children = _children(blocks[1:], known, ctx.deeper(), registry, foreign=foreign)
    return Element(hud, tuple(children))


_TAG = re.compile(rf"<(?:Hud|HUD|{'|'.join(each.__name__ for each in SECTIONS)})\b")
"""The beginning of a layout document."""


def _sections(vocabulary: object) -> tuple[type[HudSection], ...]:
    """Return the classes of a vocabulary that read a section back."""
    if not isinstance(vocabulary, Iterable):
        why = f"a vocabulary is made of classes, not of {shown(vocabulary)}"
        raise RenderError(f"{why}; write (*SECTIONS, Mine)")
    known: list[type[HudSection]] = []
    for each in cast("Iterable[object]", vocabulary):
        if not (isinstance(each, type) and issubclass(each, HudSection)):
            name = each.__name__ if isinstance(each, type) else shown(each)
            why = f"{name} is not a section, and so it cannot be read back"
            line = "Leave it out, or derive it from HudSection"
            raise RenderError(f"{why}: what it shows stays Markdown. {line}")
        if hasattr(each, "holds_items"):
            check_declared(each)
        known.append(each)
    return (*known, UnreadableNotice)  # HUDs of any domain may contain it


def _children(
    blocks: Sequence[Any],
    known: Sequence[type[HudSection]],
    ctx: RenderContext,
    registry: TransformRegistry | None,
    *,
    foreign: bool,
) -> Iterator[Node]:
    others: list[Any] = []
    place = 0
    while place < len(blocks):
        rest = _Rest(blocks, place)
        own = _section_at(rest, known, ctx)
        found = ([own[0]], own[1]) if own else None
        if found is None and (shared := _sharing(blocks[place], known, ctx)):
            found = (shared, 1)
        if found is None and foreign:
            found = foreign_at(rest)
        if found is None:
            others.append(blocks[place])
            place += 1
            continue
        yield from as_they_are(others, ctx, registry)
        others.clear()
        sections, taken = found
        yield from sections
        place += taken
    yield from as_they_are(others, ctx, registry)


def _sharing(
    block: Any, known: Sequence[type[HudSection]], ctx: RenderContext
) -> list[HudSection] | None:
    """Return the sections that share a line; ``None`` for none, or a single one.

    Each begins with a label, or is a count under a mark, which untrusted text cannot contain.
    """
    if type(block) is not mdast.Paragraph:
        return None
    separator = ctx.texts.get("brief.separator", PRIMITIVE_TEXTS["brief.separator"])
    parts = _parts(block.children, separator)
    if not 1 < len(parts) <= _MOST_PARTS:
        return None
    found: list[HudSection] = []
    place = 0
    while place < len(parts):
        # A section's text may have several parts: it gets as many as it reads.
        for end in range(len(parts), place, -1):
            line = [node for part in parts[place:end] for node in part]
            read = _section_at([mdast.Paragraph(tuple(_without(line, separator)))], known, ctx)
            if read is not None:
                break
        else:
            return None
        found.append(read[0])
        place = end
    return found if len(found) > 1 else None


_MOST_PARTS = 32
"""The most parts of a line shared by sections: one with more is not parsed."""


def _parts(line: Sequence[Any], separator: str) -> list[list[Any]]:
    """Return the parts of a line that may each be a section, with the separator after each but the last. A part ends
    where a text does, which untrusted text cannot fake, and counts are separated within their mark.
    """
    parts: list[list[Any]] = [[]]
    for node in line:
        if type(node) is mdast.Emphasis and not parts[-1]:
            counts = (text_of(mdast.Paragraph(node.children)) or "").split(separator)
            if len(counts) > 1:
                marks = [mdast.Emphasis((mdast.Text(each),)) for each in counts]
                parts[-1:] = [[mark, mdast.Text(separator)] for mark in marks[:-1]]
                parts.append([marks[-1]])
                continue
        text = node.value if type(node) is mdast.Text else ""
        is_counted = [*map(type, parts[-1])] == [mdast.Emphasis]
        if is_counted and text.startswith(separator) and text != separator:
            # A value that begins with a text is behind a count.
            parts[-1].append(mdast.Text(separator))
            parts.append([])
            text = text.removeprefix(separator)
        parts[-1].append(mdast.Text(text) if text else node)
        if text.endswith(separator) and node is not line[-1]:
            parts.append([])
    return parts


def _without(line: Sequence[Any], separator: str) -> Sequence[Any]:
    """Return a line without its final separator."""
    *before, last = line
    if type(last) is not mdast.Text:
        return line
    text = last.value.removesuffix(separator)
    return [*before, mdast.Text(text)] if text else before


class _Rest(Sequence[Any]):
    """A view of the blocks from one on, without copying."""

    __slots__ = ("_blocks", "_start")

    def __init__(self, blocks: Sequence[Any], start: int) -> None:
        self._blocks = blocks
        self._start = start

    def __len__(self) -> int:
        return len(self._blocks) - self._start

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            wanted = range(self._start, len(self._blocks))[place]
            return [self._blocks[each] for each in wanted]
        return self._blocks[range(self._start, len(self._blocks))[place]]


def _section_at(
    blocks: Sequence[Any], known: Sequence[type[HudSection]], ctx: RenderContext
) -> tuple[HudSection, int] | None:
    for section in known:
        found = section.parse(blocks, ctx)
        if found is not None:
            return found
    return None


def as_they_are(
    blocks: Sequence[Any], ctx: RenderContext, registry: TransformRegistry | None = None
) -> Children:
    """Return mdast blocks as primitives, or as the registry's components.

    :param ctx: its depth is the number of sections around them.
    """
    return from_mdast(mdast.Root(tuple(blocks)), ctx, registry=registry).children if blocks else ()


# A wrapper that labels its content.


class Labelled(Component):
    """Puts a label before what its sections begin with: "Backend: Decisions".

    So that two of a kind can stand in one HUD, such as the decisions of an agent and of its
    parent. Labels nest, the outer one first. A component of your own finds its label in the
    context: ``ctx.get(Label)``.

    >>> from ujsx import render
    >>> from hud_components import Task, TaskSection
    >>> task = TaskSection(task=Task(description="Add login"))
    >>> print(render(Labelled(label="Backend")[task]), end="")
    # Backend: Task
    <BLANKLINE>
    Add login
    """

    content_model = ContentModel((), is_transparent=True)

    label: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^*~`{}]+$")]
    """What stands before each title, and before ": ". It becomes part of templates, so it may not
    have what means something there: asterisks, tildes, backticks, braces."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return a context with the label before opening texts."""
        outer, label = ctx.get(Label), line(self.label)
        if outer is None:
            own = Label(label, ctx.texts)
        else:
            own = Label(f"{outer.text}: {label}", outer.unlabelled)
        bare = replace(ctx, texts=own.unlabelled)
        texts = {name: own.before(format_text(bare, name)) for name in _opening(bare)}
        return replace(ctx, texts=MappingProxyType({**bare.texts, **texts})).with_value(own)


def _opening(ctx: RenderContext) -> Iterator[str]:
    """Return the names of the texts that sections begin with; sections label their own texts."""
    yield from ("count", "count.newest")
    yield from (name for name in {**COMMON, **ctx.texts} if name.endswith((".title", ".line")))
    others = {name for section in SECTIONS for name in section.opening}
    yield from (name for name in ctx.texts if name in others)


# A HUD as shown: its sections cut to the content of their renderings.


def as_shown(
    node: Child, *, density: DensityLike = Density.FULL, context: RenderContext | None = None
) -> Element[Hud]:
    """Return a HUD cut to the content of its rendering: the result of ``parse`` for it.

    :param density: the density of the rendering.
    :param context: the context of the rendering, with a bound state if sections need one.

    >>> from hud_components import Note, NotesSection
    >>> hud = Hud()[NotesSection(notes=(Note(id="n-1", content="Port 8080"),))]
    >>> as_shown(hud).children[0].notes
    (Note(content='Port 8080', id='', updated_at=0),)
    """
    if isinstance(cast("object", node), WithText):
        raise CallError("as_shown takes what is rendered; write as_shown(session.state())")
    ctx = (context or RenderContext()).with_density(density)
    pieces = Renderer(context=ctx).pieces(node)
    title = None
    if pieces and pieces[0].heading is not None:
        title, pieces = pieces[0].heading.title, pieces[1:]
        title = None if title == format_text(ctx, "hud.title") else title
        ctx = ctx.deeper()
    return Element(Hud(title=title), tuple(_shown_children(pieces, ctx)))


def _shown_children(pieces: list[Piece], ctx: RenderContext) -> Iterator[Node]:
    foreign: list[Any] = []
    for piece in pieces:
        if piece.is_hidden:
            continue
        section = _read_from(piece)
        if section is None:
            foreign += to_mdast(piece.heading or piece.nodes, piece.context).children
            continue
        yield from as_they_are(foreign, ctx)
        foreign.clear()
        yield section
    yield from as_they_are(foreign, ctx)


def _read_from(piece: Piece) -> HudSection | None:
    """Return the section read from a piece's text; ``None`` if it stays Markdown."""
    section = piece.ladder
    if not isinstance(section, HudSection):
        return None
    if not section.reads_back or not (
        section.is_parsed() or type(section).as_shown_in is not HudSection.as_shown_in
    ):
        return None  # it has no way to be read
    return section.as_shown_in(disclosed_context(section, piece.context))


# The tables of words: every fixed text of the coding HUD by name, as its sections declare them.


def forms_of(section: type[HudSection]) -> Iterator[Form]:
    """Return all forms in which a section writes an item, its value, or a part of itself."""
    given: Any = getattr(section, "forms", ())
    by_density = cast("Mapping[Density, tuple[Form, ...]]", given)
    ways = by_density.values() if isinstance(given, Mapping) else (given,)
    return chain(*ways, section.lone_forms, section.other_forms)


def answers_of(section: type[HudSection]) -> Iterator[tuple[str, str]]:
    """Return the tool's answers for a section's verbs, by name: ``notes.add.answer``; and its marks of items that are
    over.
    """
    if section.kind is not None and (done := section.kind.done) is not None:
        yield f"{section.name}.{done}", done
    for verb in verbs_of(section):
        if verb.is_operation:
            yield f"{section.name}.{verb.name}.answer", verb.answer_in(section)


def _texts_of(sections: Iterable[type[HudSection]]) -> dict[str, str]:
    """Return the texts of sections by name, and the sources of their lines."""
    known: dict[str, str] = {}
    for each in sections:
        lines = {form.text: form.source for form in forms_of(each) if form.text == form.whole}
        known |= {**each.texts, **lines, **dict(answers_of(each))}
    return known


_CALL = ".handle"

_OWN = {name: text for name, text in _texts_of(SECTIONS).items() if not name.endswith(_CALL)}

TEXTS: Mapping[str, str] = MappingProxyType({**COMMON, **_OWN})
"""The texts by name, replaceable by ``RenderContext(texts={…})``."""

NO_EMOJI: Mapping[str, str] = MappingProxyType(
    dict(chain(*(section.texts_without_signs.items() for section in SECTIONS)))
)
"""Words for the signs in ``TEXTS``: ``RenderContext(texts=NO_EMOJI)``."""


_ALIKE: tuple[frozenset[str], ...] = (
    frozenset(
        each for each in ContextBar.texts if re.match("context.(full|exact|compact|minimal)", each)
    ),
    frozenset({"warning.red", "warning.red.short"}),
    frozenset({"warning.critical", "warning.critical.short"}),
)
"""Texts with the same values, whether or not their default shows all of them."""


def check_texts(
    texts: Mapping[str, str],
    *,
    sections: Iterable[type[HudSection]] = (),
    complete: bool = False,
) -> Mapping[str, str]:
    """Return replacements of fixed texts, after a check of their names and braces.

    :param texts: by name, as in ``TEXTS``; ``omitted`` and ``omitted.handle`` are allowed too.
    :param sections: your own sections, such as those of a domain: their texts and lines are allowed too.
    :param complete: whether every text with words must be translated: those of ``sections`` (by default of the coding
        HUD), and those shared by all domains.
    :raises TextError: for untranslated texts, all of them; for an unknown name, with the nearest one; for a value that
        is not a text; and for one that cannot be filled in.

    >>> check_texts({"notes.title": "Notizen", "notes.noun": "Notiz|Notizen"})["notes.title"]
    'Notizen'
    >>> check_texts({"nots.title": "Notizen"})
    Traceback (most recent call last):
    hud_components.words._texts.TextError: texts['nots.title']: there is no such text; did you mean "notes.title"?
    """
    own = tuple(sections)
    lines = {form.text: form for each in (*SECTIONS, *own) for form in forms_of(each)}
    parted = {form.whole for form in lines.values() if form.text != form.whole}
    known = {**PRIMITIVE_TEXTS, **COMMON, **_texts_of((*SECTIONS, *own))}
    for name, text in texts.items():
        place = f"texts[{name!r}]"
        given: object = text
        if name not in known:
            hint = did_you_mean(str(name), known)
            raise TextError(f"there is no such text; {hint}", path=place)
        if not isinstance(given, str):
            raise TextError(f"a text is a str, not {shown(given)}", path=place)
        if name == "plurals":
            _check_patterns(text, place)
        elif name in parted:
            for form in lines.values():
                if form.whole == name:
                    shown_of = with_parts(text, form.fields)
                    _check_fields(shown_of, frozenset(form.fields), place)
                    _check_line(form, form.source, shown_of, place)
        else:
            _check_fields(text, _fields(name, known), place)
            if name in lines:
                _check_line(lines[name], known[name], text, place)
    if complete:
        needed = {**PRIMITIVE_TEXTS, **COMMON, **_texts_of(own or SECTIONS)}
        missing = [
            name for name, text in needed.items() if name not in texts and _is_said(name, text)
        ]
        if missing:
            raise TextError(f"not translated: {', '.join(missing)}")
    return texts


def usable_texts(
    texts: Mapping[str, str], sections: Iterable[type[HudSection]]
) -> tuple[Mapping[str, str], list[TextError]]:
    """Return the texts usable with the current declarations, and the reasons against the others.

    >>> usable, problems = usable_texts({"notes.title": "Notizen", "more": "{number} weitere"}, ())
    >>> usable, len(problems)
    ({'notes.title': 'Notizen'}, 1)
    """
    own = tuple(sections)
    try:
        return check_texts(texts, sections=own), []
    except TextError:
        usable: dict[str, str] = {}
        problems: list[TextError] = []
        for name, text in texts.items():
            try:
                usable |= check_texts({name: text}, sections=own)
            except TextError as error:
                problems.append(error)
        return usable, problems


@lru_cache(maxsize=64)
def _usable(look: Any, sections: tuple[type[HudSection], ...]) -> Mapping[str, str]:
    return usable_texts(look.words, sections)[0]


def words_of(state: State) -> Mapping[str, str]:
    """Return a user's usable texts for the HUD of a state; empty for none."""
    look: Any = state.look
    return _NONE if look is None else _usable(look, state.sections)


def context_of(state: State) -> RenderContext:
    """Return the context with a user's texts for the HUD of a state."""
    return _PLAIN if state.look is None else RenderContext(texts=words_of(state))


_PLAIN = RenderContext()

_NONE: Mapping[str, str] = MappingProxyType({})


_HOLE = re.compile(r"\{[^{}]*\}")


def _is_said(name: str, text: str) -> bool:
    """Tell whether a text has words of a language, not only a call, holes or signs."""
    return not name.endswith(_CALL) and any(map(str.isalpha, _HOLE.sub("", text)))


_FORMATTED = re.compile(r"\{\w+:[^{}]*\}")


def _check_line(form: Form, usual: str, text: str, place: str) -> None:
    """Refuse a line that cannot be read back, or that lacks its content."""
    needed = _fields_in(usual)
    for hole in _FORMATTED.findall(text):
        if hole not in usual:
            why = f"the format of {hole} is the declaration's"
            raise TextError(f"{why}: {shown(usual)}", path=place)
    bare = without_formats(text)
    patterns = {name: each for name, each in form.patterns if f"{{{name}}}" in bare}
    try:
        line = Template(bare, needed, patterns=patterns)
    except DefinitionError as error:
        raise TextError(str(error), path=place) from error
    for field in needed:
        if field not in line.holes:
            raise TextError(f'"{text}" does not show {{{field}}}', path=place)
    if form.examples:  # the values of its holes are known
        try:
            check_forms("its text", (dataclasses.replace(form, source=text),))
        except DefinitionError as error:
            raise TextError(str(error), path=place) from error


def _fields(name: str, known: Mapping[str, str]) -> frozenset[str]:
    """Return the values available to a text."""
    names = next((alike for alike in _ALIKE if name in alike), frozenset({name}))
    return frozenset(field for each in names for field in _fields_in(known[each]))


def _fields_in(template: str) -> list[str]:
    return [field for _, field, _, _ in Formatter().parse(template) if field is not None]


def _check_fields(text: str, allowed: frozenset[str], place: str) -> None:
    if not allowed:  # it is shown verbatim, braces included
        return
    try:
        used = _fields_in(text)
    except ValueError as error:
        raise TextError(f'"{text}": {error}; write {{{{ for a brace', path=place) from error
    unknown = next((field for field in used if field not in allowed), None)
    if unknown is not None:
        hint = did_you_mean(unknown, allowed)
        raise TextError(f'"{text}" has no value for {{{unknown}}}; {hint}', path=place)


def _check_patterns(rule: str, place: str) -> None:
    try:
        for pattern in rule.split():
            re.compile(pattern)
    except re.error as error:
        raise TextError(f'"{rule}" is not a rule for plurals: {error}', path=place) from error
