"""Which names the packages promise, where each is defined, and which pages use it: read off the source.

A public package is a folder or module without an underscore that has an ``__all__``. Each of its names is followed
through the imports, those for type checkers included, to the module that defines it: a name that is imported on
demand is seen no other way.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import resolve_name
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("ujsx", "hud_components", "hud_runtime")


class Definition(NamedTuple):
    """Where a name is defined, and how."""

    module: str
    name: str
    kind: str
    """``class``, ``function`` or ``data``."""
    doc: str = ""
    """Of data, the text below it."""
    is_alias: bool = False
    """Whether it is data that stands for a type."""


def packages() -> list[str]:
    """Return the names of all public packages and modules, those with the shortest path first."""
    found: list[str] = []
    for path in sorted(each for package in PACKAGES for each in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        is_private = any(part.startswith("_") for part in parts)
        if not is_private and re.search("^__all__ = ", path.read_text("utf-8"), re.MULTILINE):
            found.append(".".join(parts))
    return sorted(found, key=lambda name: (name.count("."), PACKAGES.index(name.partition(".")[0])))


@cache
def source_of(module: str) -> ast.Module | None:
    """Return the code of a module of ours, or None for one of others."""
    base = ROOT.joinpath(*module.split("."))
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return ast.parse(path.read_text("utf-8"))
    return None


def names_of(package: str) -> list[str]:
    """Return what a package promises, as its ``__all__`` says."""
    source = source_of(package)
    assert source is not None, package
    for statement in source.body:
        if isinstance(statement, ast.Assign) and "__all__" in names_in(statement.targets):
            return list(ast.literal_eval(statement.value))
    raise LookupError(f"{package} has no __all__")


def statements(body: Iterable[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement of a module, within ``if`` and ``try`` too, and the text below it."""
    body = list(body)
    for one, following in zip_longest(body, body[1:]):
        is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        text = following.value.value if is_text else ""
        yield one, text if isinstance(text, str) else ""
        for part in ("body", "orelse", "handlers"):
            if isinstance(one, ast.If | ast.Try | ast.ExceptHandler):
                yield from statements(getattr(one, part, ()))


def names_in(targets: list[ast.expr]) -> set[str]:
    """Return the names that an assignment gives, in tuples too."""
    return {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


@cache
def definition(module: str, name: str) -> Definition:
    """Follow a name through imports to where it is defined.

    :raises LookupError: where it is nowhere.
    """
    source = source_of(module)
    for one, text in statements(source.body if source else ()):
        match one:
            case ast.ClassDef() if one.name == name:
                return Definition(module, name, "class")
            case ast.FunctionDef() | ast.AsyncFunctionDef() if one.name == name:
                return Definition(module, name, "function")
            case ast.AnnAssign(target=ast.Name(id=target), annotation=annotation) if target == name:
                is_alias = "TypeAlias" in ast.unparse(annotation)
                return Definition(module, name, "data", text, is_alias)
            case ast.Assign(targets=targets) if name in names_in(targets):
                return Definition(module, name, "data", text)
            case ast.ImportFrom():
                origin = resolve_name("." * one.level + (one.module or ""), module)
                for each in one.names:
                    if (each.asname or each.name) == name and source_of(origin) is not None:
                        return definition(origin, each.name)
            case _:
                pass
    if source_of(f"{module}.{name}") is not None:
        return Definition(f"{module}.{name}", "", "module")
    raise LookupError(f"{module}.{name} is promised, and is defined nowhere")


@cache
def homes() -> dict[Definition, list[str]]:
    """Return the public names of each definition; it stands in full under the first."""
    found: dict[Definition, list[str]] = defaultdict(list)
    for package in packages():
        for name in names_of(package):
            found[definition(package, name)].append(f"{package}.{name}")
    return found


def public_names() -> list[str]:
    """Return all names that all public packages promise, each with its package."""
    return sorted(name for names in homes().values() for name in names)


def aliases() -> dict[str, str]:
    """Return the types that signatures call by their name, and do not write out."""
    return {each.name: names[0] for each, names in homes().items() if each.is_alias}


# --- Pages that use a name ---


@cache
def uses() -> dict[Definition, list[str]]:
    """Return, of each definition, the pages with an example that imports it."""
    found: dict[Definition, list[str]] = defaultdict(list)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text("utf-8")
        place = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for block in re.findall(r"^```python\b.*\n((?:.*\n)*?)```$", text, re.MULTILINE):
            for name in imported_by(block):
                if place not in found[name]:
                    found[name].append(place)
    return found


def imported_by(block: str) -> Iterator[Definition]:
    """Yield what an example imports from the packages; a block that is no whole Python has nothing."""
    try:
        code = ast.parse(block)
    except SyntaxError:
        return
    for one in ast.walk(code):
        if isinstance(one, ast.ImportFrom) and source_of(one.module or "") is not None:
            for each in one.names:
                yield definition(str(one.module), each.name)
