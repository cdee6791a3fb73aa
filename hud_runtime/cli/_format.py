"""Format Markdown files in place: rewrite and name the parts that parsers read differently, and
keep all other bytes.

An option rewrites its construct, --canonical everything. A file is left unchanged and named if a
parser would read it differently afterwards, or if it cannot be read; the others are written.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from hud_runtime._errors import ProjectError
from hud_runtime._progress import progress
from hud_runtime.cli._click import Declared, argument, number, option, together
from hud_runtime.cli._commands import Options, UsageError
from hud_runtime.cli._stored import STANDARD_INPUT, file_name, is_there, read_text, rewrite
from hud_runtime.cli._terminal import put, remark
from hud_runtime.projects import project_of, read_format
from ujsx.errors import MdastError, did_you_mean, shown
from ujsx.mdast._nodes import NAMES
from ujsx.mdast._writer import name_of
from ujsx.mdast.to_markdown import ALLOWED
from ujsx.mdast.to_markdown._state import checked_options

if TYPE_CHECKING:
    from ujsx.mdast import Disagreement, Document, Node, Root
    from ujsx.mdast.extensions import Extension


# The settings of ``ujsx format``: its options, else ``[tool.ujsx.format]``; and the files.

SUFFIXES = (".md", ".markdown")
"""The suffixes of Markdown files that are searched in folders."""

OF_TEXTS = (".mdown", ".mkd", ".mdx", ".qmd", ".rmd", ".txt", ".text")
"""The suffixes of other files that are formatted if they are named themselves."""

PASSED_OVER = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders of other people's files; so are those whose name begins with a dot."""


@dataclass(frozen=True, slots=True)
class FormatSettings:
    """The settings of the command, or of the project."""

    options: dict[str, Any] = field(default_factory=dict[str, Any])
    """The given options of the writer."""

    canonical: bool = False
    exclude: tuple[str, ...] = ()
    root: Path | None = None
    """The project's folder, relative to which a path may be excluded as well."""

    extensions: tuple[str, ...] = ()
    """Names of the files' Markdown extensions beyond GFM."""

    @classmethod
    def of(cls, options: Options) -> FormatSettings:
        """Return the command's settings, completed with those of the project above.

        :raises UsageError: for a table ``[tool.ujsx.format]`` with an unknown option.
        """
        try:
            project = project_of(Path())
            found: Mapping[str, Any] = read_format(project) if project is not None else {}
            table = {name.replace("-", "_"): value for name, value in found.items()}
        except ProjectError as error:
            raise UsageError(str(error)) from None
        known = (*ALLOWED, "canonical", "exclude", "extensions")
        for name in table:
            if name not in known:
                hint = did_you_mean(name, known)
                raise UsageError(f"{project}: [tool.ujsx.format] has no {name!r}; {hint}")
        given: dict[str, Any] = {
            name: value
            for name in known
            if (value := getattr(options, name)) not in (None, ())
            or (value := table.get(name)) is not None
        }
        canonical: object = given.pop("canonical", False)
        if not isinstance(canonical, bool):
            raise UsageError(f"{project}: canonical is true or false, not {shown(canonical)}")
        exclude = _texts(project, "exclude", given.pop("exclude", []))
        extensions = _texts(project, "extensions", given.pop("extensions", []))
        for each in extensions:
            if each not in NAMES:
                raise UsageError(
                    f"there is no extension {shown(each)}; {did_you_mean(each, NAMES)}"
                )
        return cls(given, canonical, exclude, project, extensions)


def _texts(project: Path | None, name: str, given: object) -> tuple[str, ...]:
    """A list of texts, as the table requires it."""
    told = shown(given)
    found = cast("Sequence[object]", given) if isinstance(given, list | tuple) else [None]
    if not all(isinstance(each, str) for each in found):
        raise UsageError(f"{project}: {name} is a list of texts, not {told}")
    return tuple(map(str, found))


def markdown_files(
    names: Iterable[str], exclude: Sequence[str], root: Path | None = None
) -> Iterator[str]:
    """Yield files, and instead of each folder its Markdown files, sorted by name.

    :param exclude: patterns of excluded paths in folders, relative to the folder, or to ``root``, the
        project's.
    :raises UsageError: for a file with another type's suffix, before any is written.
    """
    seen: set[str] = set()
    for name in names:
        if name != STANDARD_INPUT and not is_there(name, Path.is_dir):
            _check_suffix(name)
    for name in names:
        is_folder = name != STANDARD_INPUT and is_there(name, Path.is_dir)
        for each in _in_folder(name, exclude, root) if is_folder else (name,):
            if each not in seen:
                seen.add(each)
                yield each


def _check_suffix(name: str) -> None:
    """Refuse a file that another program would no longer read: any text parses as Markdown, even ``setup.py``."""
    suffix = Path(name).suffix.lower()
    if suffix and suffix not in (*SUFFIXES, *OF_TEXTS):
        raise UsageError(
            f"{file_name(name)} is not Markdown by its name; to format it all the same, give it on standard input:"
            " `ujsx format -`"
        )


def _in_folder(name: str, exclude: Sequence[str], root: Path | None) -> Iterator[str]:
    whole = Path(name).resolve()
    above = whole.relative_to(root) if root is not None and whole.is_relative_to(root) else Path()
    for folder, folders, files in os.walk(name):
        folders[:] = sorted(
            [each for each in folders if each[0] != "." and each not in PASSED_OVER]
        )
        for file in sorted(files):
            path = Path(folder, file)
            below = path.relative_to(name)
            places = {below.as_posix(), (above / below).as_posix()}
            if (
                path.suffix.lower() in SUFFIXES
                and not any(fnmatch(place, each) for place in places for each in exclude)
                and path.is_file()  # no pipe, no broken link
            ):
                yield str(path)


_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # str.splitlines knows more line ends than Markdown
_NO_LINE_END = "\\ No newline at end of file\n"

WOULD_CHANGE = 1
"""The exit status of ``--check`` for a file that would change."""

REFUSED = 2
"""The exit status for an unchanged file: it cannot be read or written, or its meaning would change."""


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """A file, its current and its new text."""

    name: str
    old: str
    new: str

    @property
    def shown(self) -> str:
        return file_name(self.name)


def _writing_option(name: str, allowed: tuple[Any, ...]) -> Declared:
    flag = f"--{name.replace('_', '-')}"
    if True in allowed:
        return option(f"{flag}/--no-{flag[2:]}", default=None)
    if allowed:
        values = " ".join([value for value in allowed if value is not None])
        return option(flag, metavar="X", help=f"one of {values}")
    return option(flag, metavar="N", type=number, help="3 or more")


@argument(
    "files",
    metavar="FILE",
    nargs=-1,
    required=True,
    help="a Markdown file, a folder with some, or - to read standard input and write standard output",
)
@option(
    "--check",
    is_flag=True,
    help="write nothing; name the files that would change and exit with 1 if there are any",
)
@option("--diff", is_flag=True, help="write nothing; show what would change")
@option("--canonical/--no-canonical", default=None, help="rewrite everything in canonical form")
@option(
    "--exclude",
    metavar="GLOB",
    multiple=True,
    help="leave out files of folders whose path, below the folder or the project, is like this, such as docs/old/*",
)
@option(
    "--extensions",
    metavar="NAME",
    multiple=True,
    help=f"Markdown beyond GFM that the files have, one of {' '.join(NAMES)}; may be given again",
)
@together(*(_writing_option(*each) for each in ALLOWED.items()))
def run(options: Options) -> int:
    settings = FormatSettings.of(options)
    checked_options(settings.options)
    changes: list[FormattedFile] = []
    refused = 0
    files = markdown_files(options.files, settings.exclude, settings.root)
    for name in progress(files, "formatting files"):
        try:
            text = read_text(name)
            new = _formatted(text, name, settings)
        except UsageError as error:
            refused += 1
            _say(error)
        else:
            changes.append(FormattedFile(name, text, new))
    different = [change for change in changes if change.new != change.old]
    writes = not (options.check or options.diff)
    same, changed = len(changes) - len(different), len(different)
    if writes:
        failed = _write(changes)
        refused, changed = refused + failed, changed - failed
    else:
        for change in different:
            put(_diff(change) if options.diff else f"{change.shown} would change\n")
    is_piped = writes and options.files == (STANDARD_INPUT,)  # the text is the output
    if not is_piped and (changed or same or not refused):  # refused files alone have been reported
        remark(_summary(changed, same, refused, writes=writes))
    if refused:
        return REFUSED
    return WOULD_CHANGE if options.check and different else 0


def _formatted(text: str, name: str, settings: FormatSettings) -> str:
    """Return a file's formatted text, and report its rewritten blocks."""
    from ujsx.mdast._nodes import resolved

    found = formatted(
        text,
        file_name(name),
        settings.options,
        extensions=resolved(settings.extensions),
        canonical=settings.canonical,
    )
    for each in found.rewritten:
        remark(f"{file_name(name)}: line {each.line}: readers differ: {each.words}")
    return found.text


def _write(changes: list[FormattedFile]) -> int:
    """Write the changed files, and return the number of failures."""
    failed = 0
    for change in changes:
        if change.name == STANDARD_INPUT:
            put(change.new)
        elif change.new != change.old:
            try:
                rewrite(change.name, change.new)
            except UsageError as error:
                failed += 1
                _say(error)
            else:
                remark(f"{change.name}: formatted")
    return failed


def _summary(changed: int, same: int, refused: int, *, writes: bool) -> str:
    """Return the number of files of each kind, in the style of formatters.

    >>> _summary(1, 12, 0, writes=False), _summary(0, 3, 1, writes=True)
    ('1 file would be formatted, 12 files already formatted', '3 files left unchanged, 1 file cannot be formatted')
    """
    kinds = (
        (changed, "formatted" if writes else "would be formatted"),
        (same, "left unchanged" if writes else "already formatted"),
        (refused, "cannot be formatted"),
    )
    parts = [f"{count:,} file{'' if count == 1 else 's'} {what}" for count, what in kinds if count]
    return ", ".join(parts) or "there are no Markdown files"


def _say(error: UsageError) -> None:
    for line in f"ujsx format: {error}".split("\n"):
        remark(line)


def _diff(change: FormattedFile) -> str:
    """Return the change as a unified diff, as ``patch`` reads it."""
    old, new = _LINE.findall(change.old), _LINE.findall(change.new)
    lines = difflib.unified_diff(old, new, change.shown, f"{change.shown}, formatted")
    return "".join([line if line.endswith("\n") else f"{line}\n{_NO_LINE_END}" for line in lines])


# Formatting that changes nothing a reader sees, except where readers disagree.

KNOWN_TO_MISTUNE = frozenset({"math", "definition-lists"})
"""The extensions that mistune supports."""

BYTE_ORDER_MARK = "\ufeff"

_STEP = re.compile(r"\.children\[(\d+)\]")


class BlockRewrite(NamedTuple):
    """A block that readers understand differently, rewritten in a form on which they agree."""

    line: int
    words: str
    """The words for the two readings."""


class FormatResult(NamedTuple):
    """A formatted text."""

    text: str
    rewritten: tuple[BlockRewrite, ...] = ()


def formatted(
    text: str,
    name: str,
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    extensions: tuple[Extension, ...] = (),
    canonical: bool = False,
) -> FormatResult:
    r"""Return a Markdown text in which readers see the same, as far as another form can achieve that.

    Only blocks on which they disagree, and those that ``options`` of the writer concern, are rewritten; all
    else keeps its bytes.

    :param name: the text's name in an error.
    :param canonical: write all of it in canonical form.
    :raises UsageError: if a reader would see a difference in the result, with its place.

    >>> formatted("* a\r\n* _b_\r\n", "a.md").text
    '* a\r\n* _b_\r\n'
    >>> formatted("* a\r\n* _b_\r\n", "a.md", {"bullet": "-"}).text
    '- a\r\n- _b_\r\n'
    >>> formatted("| b |\n| - |\nc\n", "a.md")
    FormatResult(text='| b |\n| - |\n| c |\n', rewritten=(BlockRewrite(line=3, words="markdown-it sees tableRow 'c', mistune text"),))
    """
    from ujsx.mdast import Document

    try:
        document = Document(text, extensions=extensions, **options)
    except MdastError as error:
        raise UsageError(f"{name} is left as it is: {error}") from None
    source, tree = text.removeprefix(BYTE_ORDER_MARK), document.root
    try:
        if canonical:
            result = FormatResult(document.canonical())
        else:
            for node in _about(tree, options):
                document.renew(node)
            result = _agreed(document, source, extensions) or FormatResult(document.text)
    except MdastError as error:
        where = f"{place(tree, error.path)}: " if error.path else ""
        raise UsageError(f"{name} is left as it is: {where}{error}") from None
    if result.text != text:
        written = result.text.removeprefix(BYTE_ORDER_MARK)
        if change := first_change(source, tree, written, extensions):
            raise UsageError(f"{name} is left as it is: {change}")
    return result


_LISTS = frozenset(
    {"bullet", "bullet_other", "bullet_ordered", "increment_list_marker", "list_item_indent"}
)
_OF_BULLETS = frozenset({"bullet", "bullet_other"})
_OF_NUMBERS = frozenset({"bullet_ordered", "increment_list_marker"})
"""The options for lists of one kind alone."""

_ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "close_atx": "Heading",
        "emphasis": "Emphasis",
        "fence": "Code",
        "quote": "Link Image Definition",
        "resource_link": "Link",
        "rule": "ThematicBreak",
        "rule_repetition": "ThematicBreak",
        "rule_spaces": "ThematicBreak",
        "setext": "Heading",
        "strong": "Strong",
        "table_cell_padding": "Table",
        "table_pipe_align": "Table",
    }
)
"""The kinds of nodes that the other options concern; ``tight_definitions`` concerns their surroundings."""


def _about(tree: Root, options: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the blocks that options concern. A block next to one of its kind is written with their container."""
    kinds = {kind for name in options for kind in _ABOUT.get(name, "").split()}

    def within(node: Any) -> bool:
        return type(node).__name__ in kinds or any(map(within, getattr(node, "children", ())))

    def blocks(parent: Any) -> Iterator[Node]:
        children = parent.children
        for one, other in pairwise(children):
            if type(one) is type(other) and _are_parted(one, options):
                yield parent
                return
        for child in children:
            if isinstance(child, mdast.List) and _is_about_list(child, options):
                yield child
            elif isinstance(child, mdast.Paragraph | mdast.Heading | mdast.Table) or not hasattr(
                child, "children"
            ):
                if within(child):
                    yield child
            else:
                yield from blocks(child)

    from ujsx import mdast

    yield from blocks(tree)


def _is_about_list(node: Any, options: Mapping[str, Any]) -> bool:
    others = _OF_BULLETS if node.ordered else _OF_NUMBERS
    return not (_LISTS - others).isdisjoint(options)


def _are_parted(node: Any, options: Mapping[str, Any]) -> bool:
    kind = type(node).__name__
    if kind == "Definition":
        return "tight_definitions" in options
    return kind == "List" and not _LISTS.isdisjoint(options)


def _agreed(
    document: Document, source: str, extensions: tuple[Extension, ...]
) -> FormatResult | None:
    """Return the text with the blocks rewritten on which two readers disagree, if that resolves it."""
    tree = document.root
    parted = {each.path: each for each in _parted(source, extensions, tree)}
    tried: set[str] = set()
    told: list[BlockRewrite] = []
    for _ in range(_ROUNDS):  # in each container, the first different block hides the others
        blocks = {
            path: block
            for path in _causes(parted.keys() - tried)
            if (block := _block_at(tree, path)) is not None
        }
        if not blocks:
            break
        tried |= blocks.keys()
        for block in blocks.values():
            document.renew(block)
        found, parted = parted, _parted_now(document, extensions)
        for path in sorted(blocks):
            if path in parted:
                document.restore(blocks[path])
            else:
                words = str(found[path]).partition(": ")[2]
                told.append(BlockRewrite(found[path].line, words))
    return FormatResult(document.text, tuple(sorted(told))) if told else None


_ROUNDS = 32
"""Maximum rounds of reading a text; each takes two readings."""


def _causes(paths: Iterable[str]) -> Iterator[str]:
    """Yield the first path in each block of the document, unless the previous block has one, which may be
    the cause.
    """
    last = -2
    for path in sorted(paths, key=_places):
        top = _places(path)[0]
        if top > last + 1:
            yield path
        last = top


def _places(path: str) -> list[int]:
    return [*map(int, _STEP.findall(path))]


def _parted_now(document: Document, extensions: tuple[Extension, ...]) -> dict[str, Disagreement]:
    from ujsx.mdast import from_markdown

    text = document.text.removeprefix(BYTE_ORDER_MARK)
    read = from_markdown(text, extensions=extensions)
    return {each.path: each for each in _parted(text, extensions, read)}


def _parted(text: str, extensions: tuple[Extension, ...], tree: Root) -> Sequence[Disagreement]:
    """Return the differences of the second reader, which is not asked about extensions that it lacks."""
    from ujsx.mdast import disagreements, from_markdown

    if not {each.name for each in extensions} <= KNOWN_TO_MISTUNE:
        return ()
    return disagreements(tree, from_markdown(text, engine="mistune", extensions=extensions))


def _block_at(tree: Root, path: str) -> Node | None:
    """Return the block at a path that can be rewritten: a leaf, or a container that is not an item.

    None for a block that only the second reader sees, which follows from earlier ones.
    """
    from ujsx import mdast

    nodes = [*_along(tree, path)][1:]
    if not nodes or len(nodes) < len(_places(path)):
        return None
    leaves = (mdast.Paragraph, mdast.Heading, mdast.Table, mdast.ListItem)
    return next((node for node in nodes if isinstance(node, leaves)), nodes[-1])


def first_change(
    source: str, tree: Root, result: str, extensions: tuple[Extension, ...] = ()
) -> str | None:
    """Return the first place of ``source`` that a reader sees differently in ``result``.

    The default engine must see the same tree, and the same HTML. If both engines see the same structure in
    ``source``, mistune must see it in ``result``, too; it is not asked about extensions that it lacks.
    """
    from ujsx.mdast import first_difference, from_markdown, normalize

    read = from_markdown(result, extensions=extensions)
    canonical = [normalize(each, extensions=extensions) for each in (read, tree)]
    if canonical[0] != canonical[1] or _html(read) != _html(tree):
        path, was, would_be = first_difference(tree, read)
        return (
            f"{place(tree, path)} would mean something else\n"
            f"  before: {name_of(was)}\n  after:  {name_of(would_be)}"
        )
    if _parted(source, extensions, tree):
        return None
    for found in _parted(result, extensions, read):
        return (
            f"{place(tree, found.path)}: readers would disagree\n"
            f"  markdown-it would see: {found.markdown_it}\n"
            f"  mistune would see:     {found.mistune}"
        )
    return None


def place(tree: Root, path: str) -> str:
    r"""Return the place in a text of the node at ``path``, or of its block.

    >>> from ujsx.mdast import from_markdown
    >>> place(from_markdown("a\n\n> b *c*"), "$.children[1].children[0].children[1]")
    'line 3, column 3'
    """
    points = [node.position.start for node in _along(tree, path) if node.position is not None]
    return f"line {points[-1].line}, column {points[-1].column}" if points else "line 1"


def _along(tree: Root, path: str) -> Iterator[Any]:
    """Yield the nodes of a path from the tree on, as far as they exist."""
    node: Any = tree
    yield node
    for place in _places(path):
        children = getattr(node, "children", ())
        if place >= len(children):
            return
        node = children[place]
        yield node


def _html(tree: Root) -> str:
    from ujsx import registry
    from ujsx.hast import to_html

    return to_html(registry.transform("mdast -> hast", tree))
