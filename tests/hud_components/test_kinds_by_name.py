"""Only a section's own file knows its kind of item by name: all others take any domain.

What counts as a name: a word of an identifier (``decision_of``, ``NOTES``), and a text in the code that
is a name, or has the name of an event or an operation in it ("note.add"). Docstrings and the examples
in them may name what they like.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from hud_components import CODING, NotesSection
from tests.ids import looped

ROOT = Path(__file__).parents[2]

GENERIC = frozenset(
    {"file", "files", "error", "errors", "active", "next", "list", "section", "record"}
    | {"check", "checks", "fact", "facts", "message", "rule", "rules", "where"}
)
"""Words of the coding HUD that mean other things as well wherever there is code: they count only in
the name of a class, of an event or of an operation."""

KNOWS: Mapping[str, str] = {
    "hud_components/_coding.py": "the domain's list, its state, and what its agents are told",
    "hud_components/sections/_where_we_are.py": "an answer belongs to the request before it",
    "hud_runtime/observe/*.py": "an observer: what coding agents do, as the coding HUD's events",
    "hud_runtime/transcripts/_transcript.py": "an observer: where in a prompt the task stands, what shows something to keep",
    "hud_runtime/transcripts/formats/*.py": "observers: the formats' own words for steps and tasks",
    "hud_runtime/transcripts/_source.py": "an observer: fields of a state file, which is not a transcript",
    "hud_components/layout/_parse.py": "an observer: what other programs head the coding HUD's sections with",
    "hud_runtime/editing/_markdown_file.py": "an observer: what people head their own lists with",
    "hud_runtime/history/exchange.py": "an observer: a file format of coding agents",
    "hud_components/__init__.py": "exports the sections and their models",
    "hud_components/layout/_notices.py": "an alias: props keep the names they were published with",
    "hud_components/sections/_about_session.py": "an alias: a fixed text, until a domain has another call",
    "hud_runtime/integrations/claude_code.py": "an observer: a host's own words for steps and tasks",
    "hud_runtime/integrations/_hooked.py": "an observer: the hosts' events that are asked for",
    "hud_runtime/integrations/opencode.py": "an observer: the host's own plan is told as steps",
    "hud_components/sections/_next_steps.py": "an alias: another system's tools call things to do tasks",
    "hud_runtime/cli/_stored.py": "an alias: a field of data keeps the name it was published with",
    "hud_runtime/log/store/_rows.py": "words of an index in every file: others would be another schema",
}
"""The files that know kinds by name, and why. None but these may; one that does not any more must go."""

SECTIONS = "hud_components/sections"
"""Where each section has a file, which knows its own kind."""

MEANT_OTHERWISE: Mapping[str, str] = {
    "hud_components/_models.py": "a note of an exception",
    "hud_components/words/_texts.py": "the steps of an age",
    "hud_components/sections/_context_bar.py": "the step of a bar",
    "hud_runtime/cli/_doctor.py": "remarks of the doctor",
    "hud_runtime/cli/_format.py": "the step of an indent",
    "hud_runtime/cli/_look.py": "remarks; remarks of the doctor",
    "hud_runtime/cli/_render.py": "remarks",
    "hud_runtime/preview/_process.py": "remarks of components; a step of what is made ahead",
    "hud_runtime/integrations/_settings_file.py": "the step of an indent",
    "hud_runtime/serve/mcp/_server.py": "tasks of anyio",
    "hud_runtime/log/store/_open_file.py": "a step of a loop",
    "hud_runtime/log/store/_erase.py": "steps of a purge; it is noted in the log what was erased",
    "hud_runtime/log/store/_protocol.py": "tasks of asyncio; steps from one version to the next",
    "hud_components/memory/_working.py": "a slot has the name that the documents give it; the name of that slot in an example",
    "hud_runtime/cli/_session.py": "a place in a payload, as an example",
    "hud_runtime/context/compaction/__init__.py": "what a policy says is a decision",
    "hud_runtime/context/compaction/_policy.py": "what a policy says is a decision; an observer: which files were edited meanwhile",
    "hud_runtime/context/compaction/_request.py": "a heading of a summary",
    "hud_runtime/context/compaction/_run.py": "steps of a generator",
    "hud_runtime/transcripts/formats/__init__.py": "an observer: other programs' tools for their own plans",
    "hud_runtime/history/_records.py": "an alias: names of an older plugin's operations",
    "hud_runtime/integrations/_sending.py": "what a policy says is a decision",
    "hud_runtime/integrations/_framework.py": "what a policy says is a decision",
    "hud_runtime/integrations/langchain.py": "what a policy says is a decision",
    "hud_runtime/integrations/pydantic_ai.py": "what a policy says is a decision",
    "hud_runtime/session/_keeping.py": "it is noted in the log what was erased",
    "hud_runtime/log/store/_sqlite.py": "it is noted in the log what was erased",
    "hud_runtime/log/postgres/_store.py": "it is noted in the log what was erased",
    "hud_runtime/log/store/_database.py": "a step of a copy",
    "hud_runtime/cli/_authoring.py": "remarks on a subject",
    "hud_runtime/preview/_answers.py": "remarks on a subject",
    "hud_runtime/preview/_preview.py": "remarks on a subject",
    "hud_runtime/preview/_report.py": "remarks on a subject",
    "hud_runtime/preview/_server.py": "tasks of asyncio",
    "hud_runtime/serve/http/_application.py": "tasks of anyio",
    "hud_runtime/serve/http/_serve.py": "tasks of asyncio",
    "hud_components/layout/_paths.py": "the steps of a path",
    "hud_components/layout/_documents.py": "the steps of a path",
}
"""The files that have these words, and mean something else."""

ALLOWED = {**KNOWS, **MEANT_OTHERWISE}


@cache
def words(name: str) -> frozenset[str]:
    """The words of a name, in whatever case it is written."""
    return frozenset(map(str.casefold, re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)))


@cache
def known(own: str = "") -> tuple[frozenset[str], frozenset[str]]:
    """The coding domain's words, and its whole names, without those of the section of a module."""
    kinds, names = set[str](), set[str]()
    for section in CODING.fields.values():
        if section.__module__ == own:
            continue
        kinds |= words(section.name) | words(section.event)
        names |= {section.__name__, section.value.__name__, section.draft.__name__}
        names |= {each.type for each in CODING.section_events.values() if each.section is section}
        names |= {name for name, each in CODING.operations.items() if each.section is section}
    return frozenset(kinds - GENERIC), frozenset(names)


def found(source: str, own: str = "") -> list[str]:
    """The names of kinds that a module has, each with its line.

    :param own: the module, where it is that of a section.
    """
    kinds, whole = known(own)
    return [
        f"{line}: {name}"
        for line, name in sorted(names(ast.parse(source)))
        if name in whole or not kinds.isdisjoint(words(name))
    ]


def names(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the identifiers of a module, and the names in its texts, docstrings left out."""
    nodes = [*ast.walk(module)]
    said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        match node:
            case ast.Constant(value=str() as text) if id(node) not in said:
                is_name = re.fullmatch(r"[\w.]+", text)
                for name in [text] if is_name else re.findall(r"\b[a-z_]+\.[a-z_]+\b", text):
                    yield node.lineno, name
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.keyword(arg=str() as name):
                yield node.value.lineno, name
            case ast.alias():
                yield node.lineno, node.asname or node.name
            case _:
                pass


def is_allowed(path: Path) -> bool:
    return any(path.relative_to(ROOT).match(pattern) for pattern in ALLOWED)


@cache
def told_by(path: Path) -> list[str]:
    """The names of kinds that a file has; of a section's file, those of other kinds than its own."""
    place = path.relative_to(ROOT).with_suffix("")
    own = ".".join(place.parts) if path.parent == ROOT / SECTIONS else ""
    return found(path.read_text(encoding="utf-8"), own)


def modules() -> list[Path]:
    rooms = (ROOT / "hud_components", ROOT / "hud_runtime")
    return sorted(path for room in rooms for path in room.rglob("*.py"))


def test_no_other_file_knows_a_kind_by_name() -> None:
    wrong = {
        str(path.relative_to(ROOT)): told
        for path in modules()
        if not is_allowed(path) and (told := told_by(path))
    }
    assert wrong == {}, "take it from the section's declaration"


def test_what_is_allowed_is_needed() -> None:
    paths = [path.relative_to(ROOT) for path in modules() if is_allowed(path) and told_by(path)]
    needless = [pattern for pattern in ALLOWED if not any(path.match(pattern) for path in paths)]
    assert needless == [], "take it off the list"


def test_a_sections_file_knows_its_own_kind_alone() -> None:
    own = NotesSection.__module__
    source = Path(inspect.getfile(NotesSection)).read_text(encoding="utf-8")
    assert found(source)
    assert found(source, own) == []
    assert found(f"{source}\nx = Step()\n", own) == [f"{len(source.splitlines()) + 2}: Step"]


@looped(
    ("source", "expected"),
    [
        ("def decision_of(x): ...", ["1: decision_of"]),
        ("x = state.next_steps", ["1: next_steps"]),
        ("from hud_components import ActiveFile", ["1: ActiveFile"]),
        ("x = f(notes=())", ["1: notes"]),
        ("BLOCKERS = 3", ["1: BLOCKERS"]),
        ('if kind == "blockers":\n    pass', ["1: blockers"]),
        ('print("call `hud notes.list` for more")', ["1: notes.list"]),
        ('x = "error.encountered"', ["1: error.encountered"]),
        ('"""The notes.\n\n>>> session.record("note.add")\n"""', []),
        ('x = 1\n"""A step: what ``steps.add`` adds."""', []),
        ('print("note that steps follow")', []),
        ("files = errors = open(path)", []),
    ],
)
def test_what_counts_as_a_name(source: str, expected: list[str]) -> None:
    assert found(source) == expected
