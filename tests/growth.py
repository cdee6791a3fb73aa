"""Whether time grows in proportion to size: regular expressions, tried on what they are made of.

``patterns("ujsx")`` finds the compiled patterns of a package's modules, and how each is used.
``superlinear(pattern, use)`` looks for an input that takes it more than a little longer than in
proportion: it repeats the pattern's own characters, alone and in pairs, behind what the pattern
starts with. ``growth(work, small, large)`` measures anything else.
"""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import pkgutil
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import combinations
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from ujsx.on_demand import LatePattern

T = TypeVar("T")

LENGTH = 4_096
"""How many characters a hostile input has."""

IN_PROPORTION = 24
"""By what factor eight times the input may take longer: eight and noise, but not its square."""

TOO_SHORT_TO_TELL = 0.001
"""Seconds. A square of ``LENGTH`` takes longer, even of every seventh character."""

_LONG = 0.2
"""Seconds. What takes longer is not measured again and again."""


# --- Time ----------------------------------------------------------------------------------


def seconds(work: Callable[[T], object], given: T, *, runs: int = 1) -> float:
    """Return the best time of ``work(given)``: its own, without collections of garbage in it."""
    best = float("inf")
    with without_collector():
        for _ in range(runs):
            start = time.thread_time()
            work(given)
            best = min(best, time.thread_time() - start)
    return best


@contextmanager
def without_collector() -> Iterator[None]:
    """Let nobody collect garbage meanwhile."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def growth(work: Callable[[T], object], small: T, large: T, *, runs: int = 5) -> float:
    """Return how many times as long as for a small input the work takes for a large one.

    An input that takes too short a time to tell is as good as one in no time at all: 0. What is out
    of proportion is measured once more, and again: other work on the machine only makes it longer.
    """
    first = seconds(work, large)
    if first < TOO_SHORT_TO_TELL:
        return 0.0
    least = first / seconds(work, small, runs=2)
    for _ in range(3):
        if least <= IN_PROPORTION:
            break
        again = min(first, seconds(work, large, runs=1 if first > _LONG else runs))
        least = min(least, again / seconds(work, small, runs=runs))
    return least


# --- Patterns ------------------------------------------------------------------------------


class Used(NamedTuple):
    """A compiled pattern of a package: where it is found, and the methods that are called on it."""

    name: str
    pattern: re.Pattern[str]
    uses: frozenset[str]


_USES = {
    "match": "match",
    "fullmatch": "match",
    "search": "search",
    "sub": "all",
    "subn": "all",
    "split": "all",
    "findall": "all",
    "finditer": "all",
}

WORK: dict[str, Callable[[re.Pattern[str]], Callable[[str], object]]] = {
    "match": lambda pattern: lambda text: (pattern.match(text), pattern.fullmatch(text)),
    "search": lambda pattern: pattern.search,
    "all": lambda pattern: lambda text: deque(pattern.finditer(text), maxlen=0),
}
"""What a use does with a text."""


@cache
def patterns(package: str) -> list[Used]:
    """Return each compiled pattern that the modules of a package hold, wherever they hold it."""
    modules = list(modules_of(package))
    uses = _uses(modules)
    found: dict[re.Pattern[str], Used] = {}
    for module in modules:
        for name, value in vars(module).items():
            for path, pattern in _held(value, name, package, set()):
                known = found.get(pattern)
                here = uses.get(name, frozenset())
                found[pattern] = Used(
                    known.name if known else f"{module.__name__}.{path}",
                    pattern,
                    here | (known.uses if known else frozenset()),
                )
    return sorted(each._replace(uses=each.uses or frozenset({"all"})) for each in found.values())


def modules_of(package: str) -> Iterator[ModuleType]:
    root = importlib.import_module(package)
    yield root
    for info in pkgutil.walk_packages(root.__path__, f"{package}."):
        if info.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(info.name)
        except ImportError:  # an extra that is not installed
            continue


def _uses(modules: Iterable[ModuleType]) -> dict[str, frozenset[str]]:
    """Return, by a variable's name, how the patterns in it are used anywhere in the package."""
    uses: dict[str, set[str]] = {}
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module) or "")):
            if isinstance(node, ast.Attribute) and node.attr in _USES:
                of = node.value
                while isinstance(of, ast.Subscript):
                    of = of.value
                name = getattr(of, "id", None) or getattr(of, "attr", None)
                if name is not None:
                    uses.setdefault(name, set()).add(_USES[node.attr])
    return {name: frozenset(of) for name, of in uses.items()}


def _held(
    value: Any, path: str, package: str, seen: set[int]
) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the patterns in a value: in collections, in classes and instances of the package."""
    if isinstance(value, LatePattern):
        value = re.compile(value.pattern, value.flags)
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield path, value
        return
    if id(value) in seen or isinstance(value, (str, bytes, ModuleType)):
        return
    seen.add(id(value))
    if isinstance(value, dict):
        parts = {f"[{key!r}]": held for key, held in list(value.items())}
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = {f"[{index}]": held for index, held in enumerate(list(value))}
    elif _is_of(value, package):
        parts = {f".{name}": held for name, held in _attributes(value)}
    else:
        return
    for name, held in parts.items():
        if name == ".pattern" and isinstance(held, str):  # compiled where it is used
            with suppress(re.error):  # another dialect's
                yield f"{path}{name}", re.compile(held, re.MULTILINE)
        else:
            yield from _held(held, f"{path}{name}", package, seen)


def _is_of(value: Any, package: str) -> bool:
    module = value.__module__ if isinstance(value, type) else type(value).__module__
    return str(module).split(".", 1)[0] == package


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    names = [*getattr(value, "__dict__", {})]
    for cls in type(value).__mro__:
        slots = getattr(cls, "__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    for name in names:
        held = inspect.getattr_static(value, name, None)
        if inspect.ismemberdescriptor(held):
            held = getattr(value, name, None)
        yield name, held


# --- Hostile inputs ------------------------------------------------------------------------


_TEMPLATE = getattr(re, "TEMPLATE", 0)
"""A flag that no longer exists from Python 3.13 on."""


def superlinear(pattern: re.Pattern[str], use: str = "all") -> str | None:
    """Return an input for which a pattern takes longer than in proportion, ``None`` if none is found.

    >>> superlinear(re.compile(r"a+b"), "match"), superlinear(re.compile(r"a+b"), "search")
    (None, "'a' * 4096")
    """
    work, clock = WORK[use](pattern), time.thread_time
    with without_collector():
        for head, body in hostile(pattern):
            for length in (24, LENGTH // 8, LENGTH):  # the cube of the long one would take an hour
                large = _repeated(head, body, length)
                start = clock()
                work(large)
                if clock() - start < TOO_SHORT_TO_TELL:
                    continue
                if growth(work, _repeated(head, body, length // 8), large, runs=2) > IN_PROPORTION:
                    times = f"{body!r} * {length // len(body)}"
                    return f"{head!r} + {times}" if head else times
    return None


def _repeated(head: str, body: str, length: int) -> str:
    return head + body * (length // len(body))


def hostile(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield what a text starts with, and what is repeated behind that: characters of the pattern."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~_TEMPLATE)
    seen: set[tuple[str, str]] = set()
    for branch in _branches(list(tree)):
        if not _is_unbounded(branch):
            continue
        heads = list(dict.fromkeys(["", *_prefixes(branch)]))
        tokens = list(dict.fromkeys(_tokens(branch)))[:_MANY]
        bodies = [*tokens, *("".join(pair) for pair in combinations(tokens, 2)), *heads[1:]]
        for head in heads:
            for body in bodies:
                if body and (head, body) not in seen:
                    seen.add((head, body))
                    yield head, body


_MANY = 9
"""How many different characters of a pattern are tried in pairs."""

_SOME = "a1 .-_\n\t<>\"'=/:*`~[](){}|&;#@!\\,é"
"""Characters that stand for a class of them."""

_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _branches(items: list[Any]) -> Iterator[list[Any]]:
    """Yield the alternatives of a pattern, each as a sequence."""
    if len(items) == 1 and items[0][0] is sre.BRANCH:
        for branch in items[0][1][1]:
            yield from _branches(list(branch))
    elif len(items) == 1 and items[0][0] is sre.SUBPATTERN:
        yield from _branches(list(items[0][1][3]))
    else:
        yield items


def _inner(op: Any, value: Any) -> list[list[Any]]:
    """Return the sequences within an item."""
    if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        return [list(value[2])]
    if op is sre.SUBPATTERN:
        return [list(value[3])]
    if op in {sre.ASSERT, sre.ASSERT_NOT}:
        return [list(value[1])]
    if op is sre.BRANCH:
        return [list(branch) for branch in value[1]]
    if op is sre.ATOMIC_GROUP:
        return [list(value)]
    if op is sre.GROUPREF_EXISTS:
        return [list(part) for part in value[1:] if part is not None]
    return []


def _is_unbounded(items: list[Any]) -> bool:
    repeats = {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}
    return any(
        (op in repeats and value[1] is sre.MAXREPEAT)
        or any(_is_unbounded(inner) for inner in _inner(op, value))
        for op, value in items
    )


def _tokens(items: list[Any]) -> Iterator[str]:
    """Yield the characters that a pattern names, and its words."""
    word = ""
    for op, value in [*items, (None, None)]:
        if op is sre.LITERAL:
            word += chr(value)
            continue
        if word:
            yield from dict.fromkeys((word, word[0], word[-1]))
            word = ""
        if op is not None:
            yield from _samples(op, value)
            for inner in _inner(op, value):
                yield from _tokens(inner)


def _samples(op: Any, value: Any) -> list[str]:
    """Return characters that stand for one item: three of a class."""
    if op is sre.IN:
        return [char for char in (*_named(value), *_SOME) if _is_in(char, value)][:3]
    if op is sre.NOT_LITERAL:
        return [char for char in _SOME if ord(char) != value][:2]
    if op is sre.ANY:
        return ["a", " "]
    return [chr(value)] if op is sre.LITERAL else []


def _named(members: list[Any]) -> Iterator[str]:
    for op, value in members:
        if op is sre.LITERAL:
            yield chr(value)
        elif op is sre.RANGE:
            yield chr(value[0])


def _is_in(char: str, members: list[Any]) -> bool:
    negated = bool(members) and members[0][0] is sre.NEGATE
    found = any(
        (op is sre.LITERAL and ord(char) == value)
        or (op is sre.RANGE and value[0] <= ord(char) <= value[1])
        or (op is sre.CATEGORY and re.match(_CATEGORIES[value], char) is not None)
        for op, value in members
    )
    return found is not negated


def _prefixes(items: list[Any]) -> Iterator[str]:
    """Yield texts that the start of a pattern matches: up to each item that repeats, and all of it.

    One that ends within a word leads to no repetition.
    """
    text = ""
    for op, value in items:
        if text and _is_unbounded([(op, value)]):
            yield text
        if op is sre.ASSERT and value[0] == -1:  # what stands behind, up to here
            behind = _example(list(value[1]))
            text = text[: max(0, len(text) - len(behind))] + behind
        elif op in {sre.ASSERT, sre.SUBPATTERN, sre.ATOMIC_GROUP}:
            for part in _prefixes(_inner(op, value)[0]):
                yield text + part
            if op is not sre.ASSERT:
                text += _example([(op, value)])
        else:
            text += _example([(op, value)])
    if text:
        yield text


def _example(items: list[Any]) -> str:
    """Return a short text that a sequence matches, as far as it is plain how."""
    text = ""
    for op, value in items:
        if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            text += _example(list(value[2])) * min(value[0], 8)
        elif op in {sre.SUBPATTERN, sre.ATOMIC_GROUP, sre.BRANCH}:
            text += _example(_inner(op, value)[0])
        else:
            text += "".join(_samples(op, value)[:1])
    return text
