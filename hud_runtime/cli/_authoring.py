"""Commands for authors: a domain or component to go on from, its preview, a component as a tool, and what changed in snapshots."""

from __future__ import annotations

import keyword
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from inspect import isfunction, ismethod
from pathlib import Path, PurePosixPath
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from hud_runtime._layout_components import components
from hud_runtime.cli._click import (
    Declared,
    Run,
    argument,
    hud_amount_options,
    json_option,
    number,
    option,
    store_options,
    together,
    with_option,
)
from hud_runtime.cli._commands import Options, UsageError, asked_name, one_of
from hud_runtime.cli._stored import STANDARD_INPUT, existing, is_there, new_file
from hud_runtime.cli._target import (
    TARGET_FORMS,
    NamedTarget,
    component_of,
    density_named,
    is_layout,
    recording,
    session_in_store,
    session_target,
    target_of,
)
from hud_runtime.cli._terminal import (
    Style,
    flush,
    put,
    put_json,
    put_line,
    remark,
    style_for,
)
from hud_runtime.projects import CODE, found_in
from ujsx.errors import CounterError, SchemaError, did_you_mean, shown

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.preview import Fault, Preview, PreviewLook, Subject
    from ujsx.schema import Loss
    from ujsx.testing._difference import Difference
    from ujsx.tools import Operation, Toolset


# A small working domain or component, and its snapshot test, from templates in
# ``hud_runtime/data/new`` with a few names to fill in.

MODULE = re.compile(r"[a-z][a-z0-9_]*")
CLASS = re.compile(r"[A-Z][A-Za-z0-9]*")

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""The boundaries of words in a class's name."""


def _domain(options: Options) -> int:
    """Write a domain: the sections of an agent's HUD, in NAME.py, and test_NAME.py beside it.

    It has a section of one value and one of many items, for you to rename and fill in. A file that is
    there already is never overwritten.
    """
    from hud_components import CODING

    name: str = options.name
    if not MODULE.fullmatch(name):
        raise UsageError(
            f"{shown(name)} is not a name of a domain; use lower-case letters, digits and _, a "
            "letter first"
        )
    if name == CODING.name:
        raise UsageError(f'"{name}" is the domain of coding agents; use another name')
    names = {"name": name, "module": _module(name), "constant": name.upper()}
    written = _write(options.folder, "domain", names)
    _go_on(written, names["constant"], "an example that is made up of the domain")
    return 0


def _component(options: Options) -> int:
    """Write a component in a module of its own, and its snapshot test beside it.

    NAME is the class's name, such as OpenRisks; the module is then open_risks.py, and its test
    test_open_risks.py. A file that is there already is never overwritten.
    """
    from hud_runtime._layout_components import components

    name: str = options.name
    if not CLASS.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{shown(name)} is not a name of a component; write it as a class: "
            f"{_as_class(name) or 'OpenRisks'}"
        )
    if name in components():
        raise UsageError(f"there is a component {name} already; use another name")
    module = _module("_".join(_WORDS.split(name)).lower())
    written = _write(options.folder, "component", {"name": name, "module": module})
    _go_on(written, name, "the first of its examples")
    return 0


KINDS: Mapping[str, Run] = {"domain": _domain, "component": _component}
"""The kinds of new files, by name."""


@argument("kind", metavar="KIND", words=KINDS, help=" or ".join(KINDS))
@argument(
    "name",
    metavar="NAME",
    help="of a domain, lower-case letters, digits and _; of a component, its class's name: OpenRisks",
)
@argument(
    "folder",
    metavar="FOLDER",
    required=False,
    type=Path,
    default=Path(),
    help="where to write it (default: the current folder); it is made where it is missing",
)
def write_new(options: Options) -> int:
    """Write a small working domain or component, and its snapshot test, as a start.

    A domain is the sections of an agent's HUD: one of a single value and one of many items, for you to rename and fill
    in. A component is in a module of its own: that of OpenRisks is open_risks.py, and its test test_open_risks.py.
    No existing file is overwritten.
    """
    return KINDS[one_of(options.kind, [*KINDS], "kind of thing to write")](options)


def _module(name: str) -> str:
    """The name, if a module with that name shadows no other."""
    if keyword.iskeyword(name):
        raise UsageError(f'"{name}" is a word of Python; no module can be called so')
    if name in sys.stdlib_module_names or name == "conftest" or name.startswith("test_"):
        raise UsageError(f'a module "{name}" would hide that of Python or pytest; use another name')
    if _is_installed(name):
        raise UsageError(
            f'there is a module "{name}" already, which is installed; use another name'
        )
    return name


def _is_installed(name: str) -> bool:
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return False
    # A module in the working folder is the user's own: then at most its file conflicts.
    here = Path.cwd().resolve()
    origin = None if found is None else found.origin
    return found is not None and (origin is None or here != Path(origin).resolve().parent)


def _as_class(name: str) -> str:
    """The name in the form of a class's; empty without letters at the beginning."""
    made = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))
    return made if CLASS.fullmatch(made) else ""


def _write(folder: Path, kind: str, names: Mapping[str, str]) -> list[Path]:
    """Write a module and its test, both or none."""
    module = f"{names['module']}.py"
    texts = {folder / module: f"{kind}.py.txt", folder / f"test_{module}": f"test_{kind}.py.txt"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be a folder: {error.strerror or error}") from None
    there = [str(path) for path in texts if path.exists() or path.is_symlink()]
    if there:
        raise UsageError(f"{' and '.join(there)}: there already; use another name, or folder")
    from importlib.resources import files

    templates, written = files("hud_runtime") / "data" / "new", list[Path]()
    try:
        for path, template in texts.items():
            text = Template((templates / template).read_text(encoding="utf-8")).substitute(names)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}") from None
    return written


def _go_on(written: list[Path], name: str, what: str) -> None:
    module, test = written
    for path in written:
        put_line(f"wrote {path}")
    put_line("")
    put_line(f"pytest --snapshot-update {test}")
    put_line("    writes its snapshots, which you read and keep; plain pytest then compares")
    put_line(f"ujsx preview --terminal {module}:{name} --once")
    put_line(f"    shows {what}; without --once, again whenever the file changes")


# A component as a tool.


@argument("component", metavar="COMPONENT", required=False, help="a name, or package.module:name")
@option("--all", is_flag=True, help="all of the HUD and the primitives")
@option(
    "--dialect",
    help="whose shape the tool has, such as openai or mcp (default: json-schema; with --lint "
    "and --cost, all)",
)
@option(
    "--layout",
    help="how the operations of a toolset share a tool: grouped, signatures, flat, loose, or separate (default: "
    "separate; of the HUD's tools signatures)",
)
@option("--lint", is_flag=True, help="list what becomes of keywords that a dialect lacks")
@option("--cost", is_flag=True, help="count the tokens of the definition")
@json_option("data instead of a table")
def show_schema(options: Options) -> int:
    """Print a component as a tool: its props are the tool's parameters.

    COMPONENT is a component of the HUD, a primitive, or any component, Pydantic model, toolset,
    function or domain by its import path, such as `acme.layout:Badge`; modules in the current
    folder are found too. `tools` is the HUD's own tools, `hud` and `hud_compact` one of them; a
    domain is its HUD's tools. `--lint` lists the keywords that the dialect cannot express, with
    their fate, and exits with 1 if it refuses one.
    """
    if options.lint and options.cost:
        raise UsageError("give either --lint or --cost; each has a table of its own")
    chosen, are_several = _chosen(options)
    from ujsx.schema import DIALECTS, dialect_of

    dialects = [*DIALECTS] if options.dialect is None else [dialect_of(options.dialect).name]
    if options.lint:
        found = losses(chosen, dialects)
        put_json(found) if options.json else put(account(found, len(dialects)))
        return int(any(each["outcome"] == "refused" for each in found))
    if options.cost:
        cost = costs(chosen, dialects)
        put_json(cost) if options.json else put(table(cost))
        return 0
    tools = [each.define(options.dialect or "json-schema") for each in chosen]
    put_json(tools if are_several else tools[0])
    return 0


def _chosen(options: Options) -> tuple[list[Any], bool]:
    if options.all == (options.component is not None):
        raise UsageError("give either a COMPONENT or --all; see ujsx schema --help")

    if not options.all:
        return subjects_of(options.component, options.layout)
    if options.layout is not None:
        raise UsageError("--layout is for the operations of a toolset; --all is all components")
    return all_components(), True


# The subjects of `ujsx schema`: components and models, toolsets and functions, the tools of the HUD.

TOOLS = "tools"
"""The name for all tools of the HUD."""


@dataclass(frozen=True, slots=True)
class SchemaSubject:
    """One tool, in any dialect."""

    name: str
    define: Callable[[str], dict[str, Any]]
    """Its definition in a dialect.

    :raises SchemaError: if the dialect cannot express it.
    """
    lint: Callable[[str], list[Loss]]
    """The changes of its keywords in a dialect."""


def subjects_of(name: str, layout: str | None) -> tuple[list[SchemaSubject], bool]:
    """Return the tools of a name, and whether the output lists them as several.

    :param layout: the layout of a toolset's operations in tools; None for the default.
    :raises UsageError: if there is nothing with that name, and for a layout of a single tool.
    :raises SchemaError: for anything but a tool.
    """
    is_path = ":" in name or "." in name
    if not is_path and name not in components():
        own = {each.name: each for each in _of_the_hud(layout)}
        if name == TOOLS:
            return [*own.values()], True
        if name in own:
            return [own[name]], False
        raise UsageError(_unknown(name, [TOOLS, *own, *components()]))
    found = component_of(name)
    from hud_components import Domain
    from ujsx.tools import Operation, Toolset

    if isinstance(found, Domain):
        domain: Domain[Any] = found  # pyright: ignore[reportUnknownVariableType]
        return [*_of_the_hud(layout, domain)], True
    if isinstance(found, Toolset):
        return [*_of_toolset(found, layout)], layout in {None, "separate"}
    if layout is not None:
        raise UsageError(
            f"--layout is for the operations of a toolset, and {name} is one tool by itself"
        )
    if isfunction(found) or ismethod(found):
        found = Operation.of(found)
    return [_of_operation(found) if isinstance(found, Operation) else of_model(found)], False


def _unknown(name: str, known: Sequence[str]) -> str:
    """The message for an unknown name: an object in the working folder needs another form of name."""
    return f'"{name}" is not a component; {found_in(Path.cwd(), name) or did_you_mean(name, known)}'


def all_components() -> list[SchemaSubject]:
    """Return the tools of all components of the HUD, and of the primitives."""
    return [of_model(each) for each in components().values()]


def of_model(model: Any) -> SchemaSubject:
    """Return the tool of a component or a model.

    :raises SchemaError: for any other object.
    """
    from ujsx.schema import as_model, lint, tool_definition

    def define(dialect: str) -> dict[str, Any]:
        return tool_definition(model, dialect=dialect)

    return SchemaSubject(as_model(model).__name__, define, partial(lint, model))


def _of_operation(operation: Operation) -> SchemaSubject:
    """The tool of an operation by itself."""
    from ujsx.tools import Toolset

    alone = Toolset([operation], name=f"{operation.name}.alone")
    return SchemaSubject(
        operation.tool_name,
        lambda dialect: alone.definitions(dialect)[0],
        lambda dialect: alone.lint(dialect)[operation.tool_name],
    )


def _of_toolset(toolset: Toolset, layout: str | None) -> Iterator[SchemaSubject]:
    way = layout or "separate"
    if way == "separate" and not toolset.one_tool:
        named = toolset.lint("json-schema")  # the part about the other operations is not a tool
        operations = toolset.operations.values()
        yield from (_of_operation(each) for each in operations if each.tool_name in named)
        return

    def define(dialect: str) -> dict[str, Any]:
        return toolset.definitions(dialect, layout=way)[0]

    def losses(dialect: str) -> list[Loss]:
        return toolset.lint(dialect, layout=way)[toolset.name]

    yield SchemaSubject(toolset.name, define, losses)


def _of_the_hud(layout: str | None, domain: Domain[Any] | None = None) -> Iterator[SchemaSubject]:
    """The tools with which an agent updates its HUD.

    :param domain: the domain of the HUD; None for the coding HUD.
    """
    from hud_runtime.tools import definitions

    way = layout or "signatures"
    for place, whole in enumerate(definitions("json-schema", layout=way, domain=domain)):

        def define(dialect: str, place: int = place) -> dict[str, Any]:
            return definitions(dialect, layout=way, domain=domain)[place]

        yield SchemaSubject(whole["name"], define, partial(_lint_brief, whole))


def _lint_brief(tool: dict[str, Any], dialect: str) -> list[Loss]:
    """The losses of a tool that leaves its arguments' descriptions to ``help``: missing ones do not count."""
    from ujsx.schema import lint

    return [loss for loss in lint(tool, dialect) if loss.outcome != "missing"]


# The losses and the cost of exporting components.

COLUMN = 5
"""Minimum characters of a column."""

REFUSED = "–"
"""The mark in the table for a component that a dialect cannot express."""


def losses(subjects: Sequence[SchemaSubject], dialects: Sequence[str]) -> list[dict[str, Any]]:
    """Return each loss as data, including its component and its dialect."""
    return [
        {"component": each.name, "dialect": dialect, **asdict(loss)}
        for each in subjects
        for dialect in dialects
        for loss in each.lint(dialect)
    ]


def account(found: Sequence[dict[str, Any]], dialects: int) -> str:
    """Return losses as text, a paragraph for each component and dialect.

    Losses common to all dialects, such as missing descriptions, are reported once.

    :param dialects: the number of checked dialects.
    """
    if not found:
        return f"every keyword is kept, in {'the dialect' if dialects == 1 else 'all dialects'}\n"
    pairs = {(_told(each), each["dialect"]) for each in found}
    times = Counter(told for told, _ in pairs)
    paragraphs: dict[tuple[str, str], dict[ToldLoss, None]] = {}
    for each in found:
        told = _told(each)
        where = "all dialects" if 1 < dialects == times[told] else each["dialect"]
        paragraphs.setdefault((each["component"], where), {})[told] = None
    return "\n".join("".join(_paragraph(*key, group)) for key, group in paragraphs.items())


class ToldLoss(NamedTuple):
    """A loss as reported."""

    component: str
    pointer: str
    text: str


def _told(loss: dict[str, Any]) -> ToldLoss:
    value = "" if loss["outcome"] == "missing" else f" {shown(loss['value'], width=40)}"
    text = f"{loss['keyword']}{value}: {loss['outcome']}, {loss['reason']}"
    return ToldLoss(loss["component"], loss["pointer"], text)


def _paragraph(component: str, where: str, group: Iterable[ToldLoss]) -> Iterator[str]:
    yield f"{component} in {where}\n"
    for each in group:
        yield f"  {each.pointer or '(root)'}\n    {each.text}\n"


def costs(subjects: Sequence[SchemaSubject], dialects: Sequence[str]) -> dict[str, Any]:
    """Return the cost of the definitions in tokens: the counter, and a figure for each dialect.

    A figure is ``None`` if the dialect cannot express the component.
    """
    from ujsx.tokens import ExactCounter

    counter = _counter()
    return {
        "counter": counter.name if isinstance(counter, ExactCounter) else "an estimate",
        "tokens": {
            each.name: {dialect: _tokens(each, dialect, counter) for dialect in dialects}
            for each in subjects
        },
    }


def table(found: dict[str, Any]) -> str:
    """Return costs as a table; the last row has the totals, unless a dialect cannot express a component."""
    rows: dict[str, dict[str, int | None]] = dict(found["tokens"])
    dialects = [*next(iter(rows.values()))]
    if len(rows) > 1:
        given = [*rows.values()]
        rows["together"] = {each: _sum([row[each] for row in given]) for each in dialects}
    cells = [["tokens", *(f"{each:>{COLUMN}}" for each in dialects)]]
    for name, row in rows.items():
        cells.append(
            [name, *(REFUSED if row[each] is None else f"{row[each]:,}" for each in dialects)]
        )
    refused = any(None in row.values() for row in rows.values())
    why = [f"{REFUSED} the dialect refuses it: --lint says why"] if refused else []
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        f"{name:<{widths[0]}}"
        + "".join(f"  {each:>{width}}" for each, width in zip(row, widths[1:], strict=True))
        for name, *row in cells
    ]
    return "\n".join([*lines, "", *why, f"counted by: {found['counter']}", ""])


def _sum(tokens: Sequence[int | None]) -> int | None:
    """The total cost; ``None`` if a figure is missing, as a partial sum cannot be compared."""
    known = [each for each in tokens if each is not None]
    return sum(known) if len(known) == len(tokens) else None


def _tokens(subject: SchemaSubject, dialect: str, counter: Any) -> int | None:
    from ujsx.schema import schema_tokens

    try:
        return schema_tokens(subject.define(dialect), counter)
    except SchemaError:
        return None


def _counter() -> Any:
    """An exact counter if one is installed, and the estimate otherwise."""
    from ujsx.tokens import estimate_tokens, rs_bpe_counter

    try:
        return rs_bpe_counter()
    except CounterError:
        return estimate_tokens


# Changes of snapshots since a revision of Git.

FOLDER = "snapshots"

_NAME = re.compile(r"(?P<case>.+)\.(?P<tier>full|compact|minimal|budget-\d+|text)\.md")


@argument("revision", metavar="REV", help="the revision, such as HEAD or main")
@argument(
    "folder",
    metavar="FOLDER",
    default=FOLDER,
    required=False,
    help=f"the folder of snapshots, or one in it (default: {FOLDER})",
)
def show_snapshots(options: Options) -> int:
    """Show what changed in the snapshots of HUDs since a revision of Git, section by section.

    It compares the files in the folder of snapshots, as they are now, with those of the revision REV, such as HEAD or
    main. Each changed line appears once, with its section and with how many snapshots have it; behind it stand the tokens
    of each tier, and those of each section where they changed, of the files tokens.json.
    """
    from ujsx.testing._difference import report

    folder = Path(options.folder)
    if not is_there(options.folder, Path.is_dir):
        raise UsageError(f"there is no folder {folder}; name one of snapshots, such as {FOLDER}")
    before, after = _of_revision(folder, options.revision), _of_disk(folder)
    differences = [*_differences(before, after)]
    if differences:
        put(f"{report(differences, is_accepted=True)}\n")
    table = _table(before, after)
    if table:
        put(f"\n{table}\n")
    if not differences and not table:
        remark(f"no snapshot in {folder} differs from those of {options.revision}")
    return 0


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    from ujsx.testing._difference import Difference, line_changes
    from ujsx.tokens import estimate_tokens

    for path in sorted({**before, **after}):
        match = _NAME.fullmatch(PurePosixPath(path).name)
        old, new = before.get(path, ""), after.get(path, "")
        if match is not None and old != new:
            yield Difference(
                match["case"],
                match["tier"],
                path,
                estimate_tokens(new),
                estimate_tokens(old),
                line_changes(old, new),
            )


def _table(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The changed tokens of sections, according to the files of agreed tokens."""
    from ujsx.testing._snapshots import FILE, agreed_tokens, pull_request_table

    changed: dict[tuple[str, str, str], tuple[dict[str, int], dict[str, int]]] = {}
    for path in sorted({**before, **after}):
        if PurePosixPath(path).name == FILE:
            old, new = (agreed_tokens(texts.get(path, "{}")) for texts in (before, after))
            for case in {**old, **new}:
                tiers = old.get(case, {}), new.get(case, {})
                for tier in {**tiers[0], **tiers[1]}:
                    changed[path, case, tier] = tiers[0].get(tier, {}), tiers[1].get(tier, {})
    return pull_request_table(changed)


def _of_disk(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace")
        for path in folder.rglob("*")
        if path.suffix in {".md", ".json"} and path.is_file()
    }


def _of_revision(folder: Path, revision: str) -> dict[str, str]:
    """The texts of a folder in a revision."""
    commit = _git(
        folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    if not commit:
        raise UsageError(
            f'Git has no revision "{revision}" where {folder} is; name one, such as HEAD or main'
        )
    named = _git(folder, "ls-tree", "-r", "-z", commit.decode().strip(), ".").split(b"\0")
    found = [
        (path.decode("utf-8", "replace"), kind.split()[2])
        for kind, _, path in (each.partition(b"\t") for each in named)
        if path.endswith((b".md", b".json"))
    ]
    told = _git(folder, "cat-file", "--batch", given=b"".join(b"%b\n" % blob for _, blob in found))
    texts: dict[str, str] = {}
    for path, _ in found:
        head, _, told = told.partition(b"\n")
        size = int(head.rsplit(b" ", 1)[1])
        texts[path] = told[:size].decode("utf-8", "replace")
        told = told[size + 1 :]
    return texts


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    """The output of Git; empty if it fails."""
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments, and a revision that is taken for nothing else
            ("git", "-C", str(folder), *arguments),  # noqa: S607 - the user's own
            input=given,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError(
            "git is not installed, and the snapshots of a revision are in it"
        ) from None
    return done.stdout if done.returncode == 0 else b""


# A preview in the browser, as a report, and in the terminal.

# The subject of a preview: a layout, an object, a transcript, or a session of a store. Without
# SUBJECT it is the session of --session.


of_subject: Declared = together(
    argument("subject", metavar="SUBJECT", required=False, help=TARGET_FORMS),
    option(
        "--session",
        metavar="FILE_OR_ID",
        help="the recorded file or the session whose state a layout or an object shows",
    ),
    option("--turn", type=number, help="the turn after which it is shown (default: the last)"),
    with_option(),
    hud_amount_options(),
    store_options(),
)


def look_at(options: Options) -> PreviewLook:
    """Return the requested look.

    :raises DensityError: for an unknown density, with the nearest name.
    """
    from hud_runtime.preview import PreviewLook

    density = density_named(options.density)
    name = None if density is None else density.value
    return PreviewLook(options.turn, name, options.budget)


def subject_of(options: Options, *, takes_files: bool = False) -> Subject:
    """Return the subject of the options.

    :param takes_files: whether a Python file may be named without an object, for a gallery of its components.
    :raises UsageError: for a missing subject, with the nearest name.
    """
    from hud_runtime.preview import Subject

    if options.subject is None:
        if options.session is None:
            raise UsageError("name a SUBJECT, or a session: --session FILE_OR_ID")
        target = session_target(options.session, options.store)
    elif takes_files and options.subject.endswith(CODE) and is_there(options.subject, Path.is_file):
        target = NamedTarget(options.subject, "gallery")
    else:
        target = target_of(options.subject, options.store)
    if target.name == STANDARD_INPUT:
        raise UsageError("a preview needs a file, not standard input; save it, and name the file")
    domain, folder = asked_name()
    modules = tuple(options.modules)
    given: dict[str, Any] = {"name": target.name, "domain": domain, "modules": modules}
    if folder is not None:
        given["domain_folder"] = str(folder)
    if target.is_session:
        if None not in (options.subject, options.session):
            raise UsageError(
                f"--session is for layouts and objects; {target.name} is itself a session"
            )
        return Subject(**given, **_session(target, options.store))
    if options.session is None:
        if options.store is not None:
            raise UsageError("--store needs --session, the id of a session in it")
        shown: dict[str, Any] = {}
    else:
        shown = _session(session_target(options.session, options.store), options.store)
    given[target.kind] = target.name
    return Subject(**given, **shown)


def _session(target: NamedTarget, store: str | None) -> dict[str, Any]:
    """The fields of a subject that is a session: a recorded file, or an id in a store."""
    if target.kind == "recording":
        path = str(existing(target.name))
        if is_layout(path):  # transcripts may be Markdown, too
            with recording(path):
                pass
        return {"transcript": path}
    with session_in_store(target.name, store) as (stored, session_id):
        return {"store": store or stored.place, "session": session_id}


WRONG = 1
"""The exit status for a subject that cannot be shown."""

CLEARED = "\x1b[H\x1b[2J\x1b[3J"
"""The escape codes that clear the screen and the scrollback (ECMA-48; the last is xterm's)."""


def _page(options: Options) -> int:
    """Show a subject on a page, or write a report."""
    from hud_runtime.preview import Preview, PreviewLook

    subject, look = subject_of(options, takes_files=True), look_at(options)
    if subject.gallery is not None and look != PreviewLook():
        raise UsageError(
            "a gallery shows every density, and no turn; name a component: FILE.py:NAME"
        )
    if not 0 <= options.port <= 65_535:
        raise UsageError(f"a port is a number from 0 to 65535, not {options.port}")
    if options.to is not None:
        with Preview(subject) as preview:
            _check_gallery(preview)
            return _reported(preview, look, options.to)
    from hud_runtime.preview import check_extra

    check_extra()
    from hud_runtime.preview import serve

    with Preview(subject) as preview:
        _check_gallery(preview)
        if preview.fault is not None:
            remark(str(preview.fault))
        try:
            serve(preview, options.port, lambda address: _ready(address, opens=options.open), look)
        except OSError as error:
            raise UsageError(
                f"the port {options.port} is not available: {error.strerror or error}; leave --port out"
            ) from None
    return 0


def _check_gallery(preview: Preview) -> None:
    """Refuse a Python file without a gallery: its user may have meant an object in it."""
    if preview.subject.gallery is not None and preview.fault is not None:
        raise UsageError(str(preview.fault))


def _ready(address: str, *, opens: bool) -> None:
    put(f"{address}\n")
    flush()
    remark("open it in a browser; Ctrl-C ends it")
    if opens:
        import webbrowser

        webbrowser.open(address)


def _reported(preview: Preview, look: PreviewLook, name: str) -> int:
    from hud_runtime.preview import FaultError, gallery, report
    from hud_runtime.preview._report import HEAD

    if preview.fault is not None:
        return _refused(preview.fault)
    try:
        text = report(preview, look) if preview.subject.gallery is None else gallery(preview)
    except FaultError as error:
        return _refused(error.fault)
    with new_file(name, replaces=HEAD) as file:
        file.write(text)
    remark(f"{name} is written")
    return 0


def _refused(fault: Fault) -> int:
    remark(str(fault))
    for line in fault.excerpt.splitlines():
        put(f"  {line}\n")
    return WRONG


def _in_terminal(options: Options) -> int:
    """Show a subject in the terminal, and again when it changes."""
    from hud_runtime.preview import PAUSE, Preview

    subject, look = subject_of(options), look_at(options)
    with Preview(subject) as preview:
        style = style_for()
        shown = _Screen(style, clears=style.is_terminal and not options.once and not options.json)
        while True:
            shown.show(preview, look, as_json=options.json)
            if options.once:
                return WRONG if preview.fault is not None or shown.is_wrong else 0
            while not preview.poll():
                time.sleep(PAUSE)


class _Screen:
    """The place of a rendering: over the previous one, or below it."""

    def __init__(self, style: Style, *, clears: bool) -> None:
        self._style = style
        self._clears = clears
        self._last: str | None = None
        self.is_wrong = False

    def show(self, preview: Preview, look: PreviewLook, *, as_json: bool) -> None:
        from hud_runtime.preview import FaultError

        try:
            view = preview.ask("view", look) if preview.has_shown else None
            fault = preview.fault
        except FaultError as error:
            view, fault = None, error.fault
        self.is_wrong = fault is not None
        if as_json:
            self._put_data(view, fault)
            return
        text = "" if view is None else "".join(each["text"] for each in view["nodes"]) + "\n"
        lines = [] if view is None else [*_account(view), *view["notes"]]
        if fault is not None:
            lines += [str(fault), *fault.excerpt.splitlines()]
        whole = text + "".join(f"{self._style.dim(line)}\n" for line in lines)
        if whole != self._last:
            put(f"{CLEARED}{whole}" if self._clears else whole)
            flush()
        self._last = whole

    def _put_data(self, view: dict[str, Any] | None, fault: Fault | None) -> None:
        import msgspec

        told = None if fault is None else msgspec.to_builtins(fault)
        put_json({"view": view, "fault": told})
        flush()


def _account(view: dict[str, Any]) -> list[str]:
    turn = f"turn {view['turn']} of {view['turns']} · " if view["has_turns"] else ""
    budget = "" if view["budget"] is None else f" of {view['budget']:,}"
    over = ", over the budget" if view["over_budget"] else ""
    rungs = " · ".join(
        f"{each['name']} {each['rung'] or 'hidden'} {each['tokens']:,}"
        for each in view["nodes"]
        if each["is_section"]
    )
    return [f"{turn}{view['tokens']:,}{budget} tokens{over}", *filter(None, [rungs])]


@of_subject
@option(
    "--to",
    metavar="FILE",
    instead_of=("terminal",),
    help="write a report, one HTML file that loads nothing, and end; an earlier report is replaced",
)
@option(
    "--port",
    type=number,
    default=0,
    instead_of=("terminal",),
    help="the port (default: a free one)",
)
@option("--open", is_flag=True, instead_of=("terminal",), help="open the page in the browser")
@option("--terminal", is_flag=True, help="show it in the terminal instead")
@option(
    "--once", is_flag=True, goes_with=("terminal",), help="with --terminal, show it once, and end"
)
@option(
    "--json",
    is_flag=True,
    goes_with=("terminal",),
    help="with --terminal, print each rendering as a line of data",
)
def preview_subject(options: Options) -> int:
    """Show a layout, a component, a domain or a session in the browser or the terminal, while you change it.

    A file of Python alone, without a NAME, is shown in the browser as a gallery: the examples of all its components at
    every density, with their tokens, and a search.

    It prints the address of a page on this machine, which holds a token: nobody else can open it, and nothing
    leaves the machine. The page follows the files that SUBJECT is made of, and the session that is shown; a
    mistake is told at its place, and the last good rendering stays. Ctrl-C ends it. It needs the extra
    ujsx[preview]; with --to it does not, and writes a report instead.

    With --terminal, what is new is printed below where the output is no terminal; with --once nothing is
    waited for, and the exit status says whether it could be shown.
    """
    return _in_terminal(options) if options.terminal else _page(options)
