"""Compare the tokens of sections and tools with a lock, and fail when there are more.

A TARGET is `hud`, the built-in HUD; `tools`, the HUD's tools in each dialect; a layout document (its name
ends in .md); or what an import path such as `acme.hud:LAYOUT` names: a tree, a component, or a toolset.
Without one they are those of the lock, or the first two. They show the bundled session, or the one that
--session names, as it was after a turn; its present tells no age here.

The exit status is 1 where something grew, is new or is gone, and 2 where nothing can be told: without a
lock, with other figures than the lock's, or with nothing to measure.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime.cli._budget_lock import FAILS, Change, Figures, Lock, Tolerance, table
from hud_runtime.cli._component_names import component_of
from hud_runtime.cli._errors import UsageError
from hud_runtime.cli._explain import LAYOUTS
from hud_runtime.cli._files import is_there
from hud_runtime.cli._output import put, put_json, remark
from hud_runtime.cli._parser import one_of
from hud_runtime.cli._render import read, rendered_with
from hud_runtime.cli._shown_session import (
    ShownSession,
    define_session,
    named_session,
    shown_session,
)
from ujsx.errors import did_you_mean

if TYPE_CHECKING:
    from ujsx import Component, Element, RenderContext
    from ujsx.tokens import TokenCounter

GREW = 1
"""The exit status for figures that are not within the lock."""

BUILT_IN = ("hud", "tools")
"""The targets that have a name."""

COUNTERS = ("estimate", "o200k_base", "cl100k_base")
"""What counts: the estimate, or the encoding of a vocabulary that comes with rs-bpe."""

DEMO = "demo"
"""What a lock calls the bundled session."""

TOTAL = "total"


def define(parser: ArgumentParser) -> None:
    parser.usage = f"{parser.prog} --lock FILE [OPTION ...] [TARGET ...]"
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="what is measured")
    parser.add_argument(
        "--lock", metavar="FILE", required=True, help="the lock, a file of JSON to be committed"
    )
    parser.add_argument(
        "--update", action="store_true", help="write the lock; targets that are not named stay"
    )
    parser.add_argument(
        "--tolerance",
        metavar="N",
        type=_tolerance,
        default=Tolerance(),
        help="by how much a figure may exceed the lock's: tokens, or percent, as in 5%% (default: 0)",
    )
    parser.add_argument(
        "--counter", metavar="NAME", default=COUNTERS[0],
        help=f"what counts tokens: {', '.join(COUNTERS)} (default: {COUNTERS[0]})",
    )  # fmt: skip
    define_session(parser, what="the transcript or the session whose state is shown")
    parser.add_argument("--json", action="store_true", help="print the changes as data")


def run(options: Namespace) -> int:
    name, counter = options.lock, one_of(options.counter, COUNTERS, "counter")
    locked = Lock.read(name) if is_there(name, Path.exists) else None
    if locked is None and not options.update:
        raise UsageError(f"there is no lock {name}; check its path, or write it with --update")
    targets = options.targets or (locked and [*locked.targets]) or [*BUILT_IN]
    measured = _measured(dict.fromkeys(targets), options, counter)
    if options.update:
        _update(name, locked, measured, is_all=not options.targets)
        return 0
    lock = cast("Lock", locked)
    for target in measured.targets:
        if target not in lock.targets:
            hint = did_you_mean(target, lock.targets)
            raise UsageError(f'{name} has no target "{target}"; {hint}; --update adds it')
    lock.check_same(measured, name)
    return _tell(lock.changes(measured, options.tolerance), measured, as_json=options.json)


def _update(name: str, locked: Lock | None, measured: Lock, *, is_all: bool) -> None:
    if locked is not None and not is_all and not locked.targets.keys() <= measured.targets.keys():
        locked.check_same(measured, name)  # what stays is compared with the same things
        measured = locked.with_targets(measured)
    measured.write(name)
    remark(f"{name}: {sum(1 for _ in measured.figures())} figures of {', '.join(measured.targets)}")


def _tell(changes: Sequence[Change], measured: Lock, *, as_json: bool) -> int:
    is_good = not any(each.verdict in FAILS for each in changes)
    if as_json:
        put_json({"ok": is_good, "counter": measured.counter, "session": measured.session,
                  "changes": [asdict(each) for each in changes]})  # fmt: skip
    elif changes:
        put(table([*changes]))
    if is_good and not as_json:
        put(f"nothing grew: {sum(1 for _ in measured.figures())} figures\n")
        if any(each.verdict == "shrank" for each in changes):
            remark("some shrank; --update holds them there")
    elif not is_good:
        remark("this is not what the lock has; where it is meant, agree to it with --update")
    return 0 if is_good else GREW


def _measured(targets: Iterable[str], options: Namespace, counter: str) -> Lock:
    count, label = _counter(counter)
    session, name = _session(options)
    from ujsx import RenderContext

    context = RenderContext(count_tokens=count).with_value(session.state)
    found: dict[str, Figures] = {}
    for target in targets:
        found[target] = figures = _figures(target, session, context)
        if not any(any(parts.values()) for parts in figures.values()):
            raise UsageError(
                f"{target} shows nothing of {name}, so nothing is measured; name a session that has "
                "what it shows: --session FILE_OR_ID"
            )
    return Lock(label, name, found)


def _session(options: Namespace) -> tuple[ShownSession, str]:
    """The session whose state is shown, and what a lock calls it."""
    session = named_session(options)
    if session is None:
        with as_file(files("hud_runtime") / "data" / "demo.jsonl") as path:
            return shown_session(str(path), None, None), DEMO
    for line in session.place if session.problems else ():
        remark(line)
    return session, session.name if options.turn is None else f"{session.name}, turn {session.turn}"


def _counter(name: str) -> tuple[TokenCounter, str]:
    """A counter, and what it is called: another name for whatever counts otherwise."""
    from ujsx.tokens import WEIGHTS, estimate_tokens, rs_bpe_counter

    if name != COUNTERS[0]:
        exact = rs_bpe_counter(name)
        return exact, exact.name
    weights = blake2b(repr(WEIGHTS).encode(), digest_size=4).hexdigest()
    return estimate_tokens, f"{name} {weights}"


def _figures(target: str, session: ShownSession, context: RenderContext) -> Figures:
    from hud_components import Hud
    from hud_runtime.tools import definitions

    if target == "hud":
        return _tiers(Hud.of(session.state), context)
    if target == "tools":
        return _tools(definitions, context.count_tokens)
    if Path(target).suffix.lower() in LAYOUTS:
        return _tiers(read(target), context)
    if ":" not in target:
        raise UsageError(
            f'"{target}" is no target (a layout\'s name ends in .md, an import path is '
            f"package.module:name); {did_you_mean(target, BUILT_IN)}"
        )
    return _of_object(target, component_of(target), context)


def _of_object(name: str, found: Any, context: RenderContext) -> Figures:
    """The figures of what an import path names: a tree, a component, a model, a toolset."""
    from pydantic import BaseModel

    from ujsx import Component, Element
    from ujsx.schema import tool_definition
    from ujsx.tools import Toolset

    count, kind = context.count_tokens, type(found)
    if issubclass(kind, Component | Element):
        return _tiers(found, context)
    if issubclass(kind, Toolset):
        return _tools(found.definitions, count)
    if not (issubclass(kind, type) and issubclass(found, BaseModel)):
        raise UsageError(
            f"{name} is of the class {kind.__name__}; what can be measured is a tree, a component, a "
            "Pydantic model, or a Toolset"
        )

    def definitions(dialect: str) -> list[dict[str, Any]]:
        return [tool_definition(found, dialect=dialect)]

    tools = _tools(definitions, count)
    if issubclass(found, Component) and not any(
        field.is_required() for field in found.model_fields.values()
    ):
        return {**_tiers(found(), context), **tools}
    return tools


def _tiers(node: Component | Element, context: RenderContext) -> Figures:
    """The tokens of each section at each density, and of the whole."""
    from ujsx import Density

    figures: dict[str, dict[str, int]] = {}
    notes: list[str] = []
    for density in reversed(Density):
        rendered, said = rendered_with(node, context, density, None)
        notes += said
        parts = figures[density.value] = {}
        for section in rendered.sections:
            if section.tokens:
                _put(parts, section.name, section.tokens)
        if rendered.tokens:
            parts[TOTAL] = rendered.tokens
    for note in dict.fromkeys(notes):
        remark(note)
    return figures


def _tools(definitions: Callable[[str], list[dict[str, Any]]], count: TokenCounter) -> Figures:
    """The tokens of each tool in each dialect that can say it, and of all of them."""
    from ujsx import SchemaError
    from ujsx.schema import DIALECTS, schema_tokens

    figures: dict[str, Mapping[str, int]] = {}
    for dialect in DIALECTS:
        try:
            tools = definitions(dialect)
        except SchemaError:
            continue
        parts: dict[str, int] = {}
        for tool in tools:
            _put(
                parts,
                str(tool.get("name") or tool.get("title") or "tool"),
                schema_tokens(tool, count),
            )
        figures[dialect] = {**parts, TOTAL: sum(parts.values())}
    return figures


def _put(parts: dict[str, int], name: str, tokens: int) -> None:
    """Note a part; of several that have one name, each but the first gets a number."""
    number, place = 1, name
    while place in parts:
        number += 1
        place = f"{name} {number}"
    parts[place] = tokens


def _tolerance(text: str) -> Tolerance:
    try:
        return Tolerance.parse(text)
    except ValueError:
        raise ArgumentTypeError(f'"{text}" is no tolerance; write 20 or 5%') from None
