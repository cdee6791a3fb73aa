"""Compare the tokens of sections and tools with a lock, and fail when there are more.

A TARGET is `hud`, the built-in HUD; `tools`, the HUD's tools in each dialect; a layout document (its name
ends in .md, or in .json for a tree as data); or what module:NAME or file.py:NAME, such as `acme.hud:LAYOUT`,
names: a tree, a component, or a toolset.
Without one they are those of the lock, or the first two. They show the session that --session names, as it was
after a turn; without it the file that the lock has been measured with, or the bundled session. Its present tells
no age here.

The exit status is 1 where something grew, is new or is gone, and 2 where nothing can be told: without a
lock, with other figures than the lock's, or with nothing to measure.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from hashlib import blake2b
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hud_components import CODING
from hud_runtime.cli._arguments import UsageError, one_of
from hud_runtime.cli._budget_figures import BUILT_IN, figures_of
from hud_runtime.cli._budget_lock import FAILS, Change, Figures, Lock, Tolerance, table
from hud_runtime.cli._domain import OPTION, asked, asked_in, asked_name, domain
from hud_runtime.cli._files import STANDARD_INPUT, is_there
from hud_runtime.cli._output import put, put_json, put_report, remark
from hud_runtime.cli._shown_session import (
    ShownSession,
    define_session,
    named_session,
    session_target,
    shown_session,
)
from ujsx.errors import did_you_mean

if TYPE_CHECKING:
    from ujsx.tokens import TokenCounter

GREW = 1
"""The exit status for figures that are not within the lock."""

COUNTERS = ("estimate", "o200k_base", "cl100k_base")
"""What counts: the estimate, or the encoding of a vocabulary that comes with rs-bpe."""

DEMO = "demo"
"""What a lock calls the bundled session."""


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
    one_of(options.counter, COUNTERS, "counter")
    locked = Lock.read(options.lock) if is_there(options.lock, Path.exists) else None
    if locked is None and not options.update:
        raise UsageError(
            f"there is no lock {options.lock}; check its path, or write it with --update"
        )
    with _as_locked(options, locked) as chosen:
        return _run(chosen, locked)


@contextmanager
def _as_locked(options: Namespace, locked: Lock | None) -> Generator[Namespace]:
    """Take from a lock what the options leave open: the session's file with its turn, and the domain."""
    if locked is None:
        yield options
        return
    file = Path(options.lock).parent / locked.session
    named = (options.session, options.store, options.turn)
    if named == (None, None, None) and locked.session != DEMO and is_there(str(file), Path.is_file):
        options = Namespace(**{**vars(options), "session": str(file), "turn": locked.turn})
    if locked.domain is None or asked() is not None:
        yield options
        return
    # A lock names what it measures, too, which is code of the same project.
    with asked_in((OPTION, locked.domain), Path.cwd()):
        yield options


def _run(options: Namespace, locked: Lock | None) -> int:
    name = options.lock
    targets = options.targets or (locked and [*locked.targets]) or [*BUILT_IN]
    measured = _measured(dict.fromkeys(targets), options)
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
    count = sum(1 for _ in measured.figures())
    remark(
        f"{name}: {count} figures of {', '.join(measured.targets)}, with what {_words(measured.shown)} has"
    )


def _words(session: str) -> str:
    """What a session is called in a sentence, of what a lock calls it."""
    return "the bundled session" if session == DEMO else f"the session {session}"


def _tell(changes: Sequence[Change], measured: Lock, *, as_json: bool) -> int:
    is_good = not any(each.verdict in FAILS for each in changes)
    if as_json:
        put_json({"ok": is_good, "counter": measured.counter, "session": measured.shown,
                  "changes": [asdict(each) for each in changes]})  # fmt: skip
    elif changes:
        put_report(table([*changes]))
    if is_good and not as_json:
        put(f"nothing grew: {sum(1 for _ in measured.figures())} figures\n")
        if any(each.verdict == "shrank" for each in changes):
            remark("some shrank; --update holds them there")
    elif not is_good:
        remark("this is not what the lock has; where it is meant, agree to it with --update")
    return 0 if is_good else GREW


def _measured(targets: Iterable[str], options: Namespace) -> Lock:
    count, label = _counter(options.counter)
    session = _session(options)
    is_named = options.session is not None
    lock = Lock(
        label,
        _place(session.name, options) if is_named else DEMO,
        {},
        domain=asked_name()[0] if is_named else None,
        turn=options.turn,
    )
    from ujsx import RenderContext

    context = RenderContext(count_tokens=count).with_value(session.state)
    found: dict[str, Figures] = {}
    for target in targets:
        figures = found[target] = figures_of(target, session.state, context)
        if not any(any(parts.values()) for parts in figures.values()):
            raise UsageError(
                f"{target} shows nothing of {_words(lock.shown)}, so nothing is measured; name --domain and --session: "
                "a session that has what it shows, and where its sections are those of a domain of yours, that domain"
            )
    return replace(lock, targets=found)


def _session(options: Namespace) -> ShownSession:
    """The session whose state is shown."""
    session = named_session(options)
    if session is None:
        asked = domain()
        if asked is not CODING:
            raise UsageError(
                f'the bundled session is none of the domain "{asked.name}"; name one that is: --session FILE_OR_ID'
            )
        with as_file(files("hud_runtime") / "data" / "demo.jsonl") as path:
            return shown_session(str(path), None, None)
    for line in session.place if session.problems else ():
        remark(line)
    return session


def _place(name: str, options: Namespace) -> str:
    """What a lock calls a session: a file by its path from the lock's folder, one of a store by its id."""
    target = session_target(options.session, options.store)
    if target.kind != "recording" or name == STANDARD_INPUT:
        return name
    try:
        return Path(os.path.relpath(name, Path(options.lock).parent)).as_posix()
    except ValueError:  # on another drive
        return name


def _counter(name: str) -> tuple[TokenCounter, str]:
    """A counter, and what it is called: another name for whatever counts otherwise."""
    from ujsx.tokens import BLOCK_WEIGHTS, DISCOUNTS, LATIN_WEIGHTS, estimate_tokens, rs_bpe_counter

    if name != COUNTERS[0]:
        exact = rs_bpe_counter(name)
        return exact, exact.name
    weights = blake2b(
        repr((LATIN_WEIGHTS, BLOCK_WEIGHTS, DISCOUNTS)).encode(), digest_size=4
    ).hexdigest()
    return estimate_tokens, f"{name} {weights}"


def _tolerance(text: str) -> Tolerance:
    try:
        return Tolerance.parse(text)
    except ValueError:
        raise ArgumentTypeError(f'"{text}" is no tolerance; write 20 or 5%') from None
