"""Missing names: their meaning, or the line to write instead.

In: a package and the name. Out: the public name of that meaning in all three packages, if it is unique; otherwise the
equivalent of a name of JSX, HTML or another library, or the nearest name. The packages' sources are read, not imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from ujsx.errors import listed, synonym

PACKAGES = ("ujsx", "hud_components", "hud_runtime")


def _tables() -> dict[str, dict[str, str]]:
    """Return the tables by name: a meaning, and the names for it, separated by spaces."""
    text = Path(__file__).with_name("data").joinpath("other-names.tsv").read_text("utf-8")
    made: dict[str, dict[str, str]] = {}
    for row in text.splitlines():
        if not row.startswith("#"):
            table, meaning, names = row.split("\t")
            made.setdefault(table, {})[meaning] = names
    return made


_TABLES = _tables()

ELEMENTS = _TABLES["elements"]
"""The primitives for HTML tags and nodes of other libraries, in lower case."""

MARKS = "Strong Emphasis Strikethrough BlockQuote LineBreak ThematicBreak Paragraph"
"""Primitives for one-word names that are unambiguous even if a component's name begins alike, such as ``Bold``."""

PROPS = _TABLES["props"]
"""Other names of primitives' props, by prop."""

ALIASES = _TABLES["aliases"]
"""Names of the founding documents, and of other libraries, for things used in the same way: they work in all packages.
"""

NAMES = _TABLES["names"]
"""Names that readers of the founding documents, or of another library, may use, in any case: the public name, or the
line to write, for each. The table of a package, such as ``_TABLES["ujsx.mdast"]``, has those with a special meaning in
it, in lower case.
"""

KINDS = frozenset(
    "section list item component line bar banner notice panel view card widget".split()  # noqa: SIM905
)
"""Words of a name for the kind of thing only."""

WHOLES = ("Section", "List")
"""Endings of the names of containers."""

CLOSE = 0.88
"""The least similarity of a misspelt name to the intended one."""

MOST = 3
"""The most lines in an answer."""

MOST_LISTED = 40
"""The most names of a package in an answer."""

_ERROR = re.compile(r"(?:Error|Exception|NotFound|Exists)\Z|\A(?:Unknown|Invalid|Missing|Bad)")
"""Matches the name of an error."""

_ERROR_WORDS = frozenset("error exception not found exist unknown invalid missing bad".split())  # noqa: SIM905

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def answer(owner: object, name: str) -> str:
    """Return the end of a message about a missing name of a package, or attribute of an object.

    :param owner: the name of the package, the object, or its class.
    :returns: the line to write, or the names of the package.

    >>> answer("hud_runtime", "Treshold")
    '; write from hud_components.levels import Threshold'
    >>> answer("ujsx", "createElement"), answer("ujsx.tools", "ol")
    ('; write from ujsx import h', '; write List(ordered=True), from ujsx.elements import List')
    """
    if name.startswith("_"):
        return ""
    if name in getattr(type(owner), "model_fields", ()):
        return (
            "; the text that it was read from does not show it: model_fields_set has what it shows"
        )
    lines = _lines_of(owner, name)
    if isinstance(owner, str):
        own = _TABLES.get(owner, {}).items()
        lines = [line for line, names in own if _folded(name) in names.split()] or lines_for(name)
    if lines:
        more = ", …" if len(lines) > MOST else ""
        return f"; write {', or '.join(lines[:MOST])}{more}"
    if not isinstance(owner, str):
        kind = owner if isinstance(owner, type) else type(owner)
        its = [vars(each) for each in kind.__mro__ if each.__module__.startswith(PACKAGES)]
        names = getattr(kind, "model_fields", None) or chain(getattr(owner, "__dict__", ()), *its)
        found = sorted({each for each in names if each[0] != "_"})
        return f"; known: {listed(found)}" if found else ""
    known = sorted(each for each, places in public_names().items() if owner in places)
    if len(known) > MOST_LISTED:
        return f"; dir({owner}) lists its names"
    return f"; known: {listed(known)}" if known else ""


def module_answer(module: str, asked: Sequence[str]) -> str:
    """Return the end of a message about a missing module.

    :param asked: the imported names.

    >>> module_answer("ujsx.components.hud", ["HUD"]), module_answer("hud_components.task_section", [])
    ('; write from hud_components import Hud', '; write from hud_components import TaskSection')
    """
    parent, _, own = module.rpartition(".")
    named = _hosts_like(own, exactly=True)
    if named:
        return f"; write {', or '.join(named)}"
    found = [line for name in asked for line in lines_for(name)[:1]]
    found = found or lines_for(own) or lines_for(own.title().replace("_", ""))
    if found:
        return f"; write {', and '.join(dict.fromkeys(found))}"
    hosts = _hosts_like(own)
    if hosts:
        return f"; write {', or '.join(hosts)}"
    return answer(parent, own) or (module_answer(parent, ()) if "." in parent else "")


def _hosts_like(name: str, *, exactly: bool = False) -> list[str]:
    """Return import lines of the integrations that share the most words, or all, with a name: ``openai_sdk``."""
    words, place = {*name.split("_")} - {"sdk", "hud", "adapter"}, "hud_runtime.integrations"
    found = public_names().items()
    hosts = [each for each, places in found if place in places and each.islower()]
    shared = {each: len(words.intersection(each.split("_"))) for each in hosts}
    most = max(shared.values())
    hosts = [each for each in hosts if shared[each] == most > 0]
    if exactly:
        hosts = [each for each in hosts if {*each.split("_")} == words]
    if len(hosts) == 1:
        module = f"{place}.{hosts[0]}"
        names = [each for each, places in found if module in places and each[0].isupper()]
        if names:
            return [f"from {module} import {', '.join(names)}"]
    return [f"from {place} import {each}" for each in hosts]


def _lines_of(owner: object, name: str) -> list[str]:
    """Return the lines for a missing attribute of an object or a class: its own, or the name's meaning elsewhere."""
    kind = owner if isinstance(owner, type) else type(owner)
    tables = [vars(each).get("_instead", {}) for each in kind.__mro__]
    rows = chain.from_iterable(table.items() for table in tables)
    found = [line for line, names in rows if _folded(name) in names.split()]
    own = [each for each in dir(owner) if not each.startswith("_")]
    near = [each for each in own if _folded(each) == _folded(name)] or get_close_matches(
        name, own, 1, CLOSE
    )
    near = near or [each for each in [synonym(name, own)] if each]
    other = todays(name) if _folded(name) in _functions() else None
    found = found or [f".{each}" for each in near]
    found = found or ([written(other)] if other else _imports_below(kind, name))
    if found or isinstance(owner, type) or not hasattr(owner, "_line_for"):
        return found
    asked: Any = owner
    line: str = asked._line_for(name)  # noqa: SLF001
    return [line] if line else []


def _imports_below(kind: type[Any], name: str) -> list[str]:
    """Return the import lines of a name from the package of a class, and from those that it builds on."""
    roots = [each.__module__.partition(".")[0] for each in kind.__mro__]
    last = max((PACKAGES.index(each) for each in roots if each in PACKAGES), default=len(PACKAGES))
    lines = _imports(name)
    return [line for line in lines if line.removeprefix("from ").startswith(PACKAGES[: last + 1])]


def lines_for(name: str) -> list[str]:
    """Return the lines that a name may mean, the likeliest first."""
    other = todays(name) or element_for(name)
    found = [*([written(other)] if other else []), *_imports(name)]
    of_props = name.removesuffix("Props")
    if not found and of_props != name:
        found = [f"{of_props}.model_fields, {line}" for line in _imports(of_props)]
    import pydantic  # only unknown names need it

    if not found and name in pydantic.__all__:
        found = [f"from pydantic import {name}"]
    if not found:
        known = [each for each in public_names() if each.isupper() is name.isupper()]
        alike = (
            [each for each in known if _folded(each) == _folded(name)]
            or of_one_subject(name, known)
            or get_close_matches(name, known, 1, CLOSE)
        )
        found = [line for each in alike for line in _imports(each)[:1]]
    return [*dict.fromkeys(found)]


def home_of(package: str, name: str) -> str:
    """Return the qualified public name that a name means in each of the three packages; "" if there is none. A
    subpackage resolves its own names only.

    Names of the three come first, then those of primitives and schemas, then those of a single subpackage.

    >>> home_of("ujsx", "TaskSection"), home_of("hud_runtime", "Heading"), home_of("ujsx", "HUD")
    ('hud_components.TaskSection', 'ujsx.elements.Heading', 'hud_components.Hud')
    >>> home_of("ujsx", "install"), home_of("json", "HUD")
    ('', '')
    """
    today = _aliases_by_folded().get((_folded(name), name[:1].isupper()))
    if package not in PACKAGES:
        own = _TABLES.get(package, {}).items()
        said = [line for line, names in own if _folded(name) in names.split()]
        found = [each for each in (*said, today) if each and each.startswith(f"{package}.")]
        if package == "ujsx.elements":
            found.append(element_for(name) or "")
        return found[0] if found else ""
    if today and name not in public_names():
        return today
    places = _places(name)
    if not places or places == ["ujsx.mdast"]:
        meant = _same_kind(name)
        if meant or not places:
            return meant
    for ranked in (PACKAGES, _FIRST, places):
        found = [each for each in places if each in ranked]
        if found:
            return f"{found[0]}.{name}" if len(found) == 1 else ""
    return ""


def _same_kind(name: str) -> str:
    """Return the class for another library's name: a primitive, or the section of the same things; "" for none.

    >>> _same_kind("ListItem"), _same_kind("Bold"), _same_kind("DecisionsSection"), _same_kind("OrderedList"), _same_kind("Card")
    ('ujsx.elements.Item', 'ujsx.elements.Strong', 'hud_components.DecisionsList', '', '')
    """
    tag, said = of_tag(name)
    if tag and not said and tag != "Section":
        return (element_for(name) or "").partition("(")[0]
    found = _wholes_like(name, public_names())
    home = public_names()[found[0]] if len(found) == 1 else ()
    return f"{home[0]}.{found[0]}" if home and home[0] in PACKAGES else ""


def todays(name: str) -> str | None:
    """Return the equivalent of another library's name: a qualified public name, or a line.

    >>> todays("get_density"), todays("Threshold")
    ('hud_components.density_for', None)
    """
    return _aliases().get(name) or _by_folded().get(_folded(name))


def founding(name: str, known: Collection[str] = ()) -> str:
    """Return the current name for a founding name with the same use; others unchanged, and those of known components.

    :param known: names of components, which may be meant without the word for their kind.

    >>> founding("HUD"), founding("Task", ["TaskSection"]), founding("Notes", ["NotesSection", "Note"])
    ('Hud', 'TaskSection', 'NotesSection')
    """
    if name in known:
        return name
    today = _aliases().get(name, name).rpartition(".")[2]
    if f"{name}Section" in known:
        return f"{name}Section"
    meant = _wholes_like(name, known) if today == name else []
    return meant[0] if len(meant) == 1 else today


def _wholes_like(name: str, known: Iterable[str]) -> list[str]:
    """Return the containers of the things in another container name: ``DecisionsSection``, ``Notes``."""
    words = {each.casefold().removesuffix("s") for each in _WORD.findall(name)}
    is_plural = name.endswith("s") and KINDS.isdisjoint(words)
    if not (is_plural or name.endswith(WHOLES)):
        return []
    return [each for each in of_one_subject(name, known) if each.endswith(WHOLES)]


def element_for(tag: str) -> str | None:
    """Return the primitive for an HTML tag, as code.

    >>> element_for("ol"), element_for("marquee")
    ('ujsx.elements.List(ordered=True)', None)
    """
    found = _by_tag().get(_folded(tag))
    return found and f"{public_names()[found.partition('(')[0]][0]}.{found}"


def prop_for(component: str, name: str) -> str:
    """Return the prop of a primitive for another name; the name itself if there is none.

    >>> prop_for("Link", "href"), prop_for("Link", "title")
    ('url', 'title')
    """
    for place, others in PROPS.items():
        owner, _, prop = place.partition(".")
        if owner == component and name in others.split():
            return prop
    return name


def of_tag(tag: str) -> tuple[str, Mapping[str, Any]]:
    """Return the primitive for an HTML tag, or another library's of several words, and the props that it implies; ""
    for anything else.

    >>> of_tag("h2"), of_tag("Card"), of_tag("ListItem")
    (('Heading', {'depth': 2}), ('', {}), ('Item', {}))
    """
    found = _by_tag().get(_folded(tag))
    is_of_words = tag[:1].isupper() and len(_WORD.findall(tag)) > 1
    known = found if is_of_words or found in MARKS.split() else _by_tag().get(tag)
    return of_call(known or "")


def of_call(meaning: str) -> tuple[str, Mapping[str, Any]]:
    """Return the name in a meaning, and the arguments that are given with it.

    >>> of_call("ujsx.elements.Heading(depth=2)"), of_call("Link(url=…)"), of_call("ujsx.h")
    (('ujsx.elements.Heading', {'depth': 2}), ('Link', {}), ('ujsx.h', {}))
    """
    name, _, said = meaning.rstrip(")").partition("(")
    prop, _, value = said.partition("=")
    return name, {prop: ast.literal_eval(value)} if value not in {"", "…"} else {}


def component_for(name: str, known: Container[str]) -> str | None:
    """Return the known component for an HTML tag, or for another library's component.

    >>> component_for("h2", {"Heading"}), component_for("Container", {"Fragment"}), component_for("h2", ())
    ('Heading', 'Fragment', None)
    """
    found = _name(todays(name) or element_for(name) or "")
    return found if found in known else None


def line_for(name: str, known: Container[str]) -> str | None:
    """Return the line to write for such a tag, or for a name that is not a component here.

    >>> line_for("ul", {"List"}), line_for("ul", ())
    ('List(), from ujsx.elements import List', None)
    """
    today = todays(name) or element_for(name) or ""
    if not today.startswith(PACKAGES):
        return today or None
    return written(today if "(" in today else f"{today}()") if _name(today) in known else None


def written(today: str) -> str:
    """Return a qualified public name as the line to write; a line unchanged.

    >>> written("ujsx.elements.List(ordered=True)"), written("ujsx.h")
    ('List(ordered=True), from ujsx.elements import List', 'from ujsx import h')
    """
    if not today.startswith(PACKAGES):
        return today
    name, call = _name(today), today.partition("(")[2]
    line = f"from {today.partition('(')[0].rpartition('.')[0]} import {name}"
    return f"{name}({call}, {line}" if call else line


def _name(today: str) -> str:
    return today.partition("(")[0].rpartition(".")[2]


def _imports(name: str) -> list[str]:
    return [f"from {place} import {name}" for place in _places(name)]


def _places(name: str) -> list[str]:
    """Return the packages that export a name, the highest first, without subpackages of one that does."""
    found: list[str] = []
    for place in public_names().get(name, ()):
        if place not in found and not place.startswith(tuple(f"{each}." for each in found)):
            found.append(place)
    return found


def of_one_subject(name: str, known: Iterable[str]) -> list[str]:
    """Return the names for the same thing in other words.

    >>> of_one_subject("DecisionSection", ["Decision", "DecisionsList"]), of_one_subject("Notes", ["NotesSection"])
    (['DecisionsList'], ['NotesSection'])
    """
    subject = _subject(name)
    same = [each for each in known if subject and _subject(each) == subject]
    is_error = _ERROR.search(name) is not None
    same = [each for each in same if each.endswith("Error") is is_error]
    if is_error:
        return same or [each for each in known if each == "UjsxError"]
    if name.endswith(("Item", *WHOLES)):
        is_whole = name.endswith(WHOLES)
        same = [each for each in same if each.endswith(WHOLES) is is_whole] or same
    words = {*_WORD.findall(name)}
    shared = {each: len(words & {*_WORD.findall(each)}) for each in same}
    return [each for each in same if shared[each] == max(shared.values())]


def _subject(name: str) -> frozenset[str]:
    if not name[:1].isupper():
        return frozenset()
    words = (each.casefold().removesuffix("s") for each in _WORD.findall(name))
    return frozenset(words) - KINDS - (_ERROR_WORDS if _ERROR.search(name) else frozenset())


def _folded(name: str) -> str:
    return name.replace("_", "").casefold()


def _by_name(table: Mapping[str, str]) -> dict[str, str]:
    """Return a table's meanings by name."""
    return {each: meaning for meaning, names in table.items() for each in names.split()}


@cache
def _aliases() -> Mapping[str, str]:
    return _by_name(ALIASES)


@cache
def _aliases_by_folded() -> Mapping[tuple[str, bool], str]:
    return {(_folded(each), each[:1].isupper()): today for each, today in _aliases().items()}


@cache
def _by_folded() -> Mapping[str, str]:
    return {_folded(each): today for each, today in {**_aliases(), **_by_name(NAMES)}.items()}


@cache
def _functions() -> frozenset[str]:
    return frozenset(_folded(each) for each in _by_name(NAMES) if each[:1].islower())


@cache
def _by_tag() -> Mapping[str, str]:
    return _by_name(ELEMENTS)


@cache
def public_names() -> Mapping[str, tuple[str, ...]]:
    """Return the public names of all three packages, each with the packages that export it, the highest first.

    >>> public_names()["Threshold"], public_names()["tool_definition"], public_names()["mdast"]
    (('hud_components.levels',), ('ujsx.schema',), ('ujsx',))
    """
    sources = sorted(_sources(), key=_rank)
    found: dict[str, list[str]] = {}
    for module, source in sources:
        for name in _promised(source):
            found.setdefault(name, []).append(module)
    for module, _ in sources:  # it is also a name of its parent package
        parent, _, own = module.rpartition(".")
        found.setdefault(own, []).extend([parent] if parent else [])
    return {name: tuple(places) for name, places in found.items()}


_FIRST = ("ujsx.elements", "ujsx.schema")
"""The preferred packages for a name that several export, after the three."""


def _rank(found: tuple[str, str]) -> tuple[int, bool, int]:
    module = found[0]
    return module.count("."), module not in _FIRST, PACKAGES.index(module.partition(".")[0])


PROMISE = re.compile(r"^__all__ = ", re.MULTILINE)
"""The line with a module's public names."""


def _sources() -> Iterator[tuple[str, str]]:
    """Yield the public modules, with an ``__all__`` and without a leading underscore."""
    for package in PACKAGES:
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for path in Path(folder).rglob("*.py"):
                parts = [package, *path.relative_to(folder).with_suffix("").parts]
                if parts[-1] == "__init__":
                    parts.pop()
                if any(part.startswith("_") for part in parts):
                    continue
                source = path.read_text("utf-8")
                if PROMISE.search(source):
                    yield ".".join(parts), source


def _promised(source: str) -> list[str]:
    """Return the names in ``__all__``."""
    line = PROMISE.search(source)
    assert line is not None
    found = ast.parse(source[line.start() :]).body[0]
    assert isinstance(found, ast.Assign)
    return list(ast.literal_eval(found.value))
