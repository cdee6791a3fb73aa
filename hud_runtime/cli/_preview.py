"""A preview in the browser, as a report, and in the terminal."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hud_runtime.cli._click import (
    Declared,
    argument,
    hud_amount_options,
    number,
    option,
    store_options,
    together,
    with_option,
)
from hud_runtime.cli._commands import Options, UsageError, asked_name
from hud_runtime.cli._stored import STANDARD_INPUT, existing, is_there, new_file
from hud_runtime.cli._target import (
    TARGET_FORMS,
    NamedTarget,
    density_named,
    is_layout,
    recording,
    session_in_store,
    session_target,
    target_of,
)
from hud_runtime.cli._terminal import Style, flush, put, put_json, remark, style_for
from hud_runtime.preview import PAUSE, Fault, FaultError, Preview, PreviewLook, Subject
from hud_runtime.projects import CODE

if TYPE_CHECKING:
    from hud_components import Budget

# The subject of a preview: a layout, an object, a transcript, or a session of a store.
#
# Without SUBJECT it is the session that --session names.


of_subject: Declared = together(
    argument("subject", metavar="SUBJECT", required=False, help=TARGET_FORMS),
    option(
        "--session",
        metavar="FILE_OR_ID",
        help="the recorded file or the session whose state a layout or an object shows",
    ),
    option(
        "--turn",
        metavar="N",
        type=number,
        help="the turn after which it is shown (default: the last)",
    ),
    with_option(),
    hud_amount_options(),
    store_options(),
)


def look_at(options: Options) -> PreviewLook:
    """Return how much the options ask for.

    :raises DensityError: for a density that is none; the message names the nearest.
    """
    density = density_named(options.density)
    name = None if density is None else density.value
    return PreviewLook(options.turn, name, cast("Budget", options.budget))


def subject_of(options: Options, *, takes_files: bool = False) -> Subject:
    """Return what the options name.

    :param takes_files: whether a file of Python alone may be named, for a gallery of its components.
    :raises UsageError: for what is not there; the message has what is near.
    """
    if options.subject is None:
        if options.session is None:
            raise UsageError("name a SUBJECT, or a session: --session FILE_OR_ID")
        target = session_target(options.session, options.store)
    elif takes_files and options.subject.endswith(CODE) and is_there(options.subject, Path.is_file):
        target = NamedTarget(options.subject, "gallery")
    else:
        target = target_of(options.subject, options.store)
    if target.name == STANDARD_INPUT:
        raise UsageError(
            "a preview follows a file, and standard input is none; save it, and name the file"
        )
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
    """The fields of a subject that name a session: a recorded file, or an id in a store."""
    if target.kind == "recording":
        path = str(existing(target.name))
        if is_layout(path):  # there are transcripts in Markdown, too
            with recording(path):
                pass
        return {"transcript": path}
    with session_in_store(target.name, store) as (stored, session_id):
        return {"store": store or stored.place, "session": session_id}


WRONG = 1
"""The exit status for a subject that cannot be shown."""

CLEARED = "\x1b[H\x1b[2J\x1b[3J"
"""To the first line, with nothing on the screen and nothing above it (ECMA-48; the last is xterm's)."""


def _page(options: Options) -> int:
    """Show it on a page, or write a report."""
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
    from hud_runtime.preview import check_extra, serve

    check_extra()
    with Preview(subject) as preview:
        _check_gallery(preview)
        if preview.fault is not None:
            remark(str(preview.fault))
        try:
            serve(preview, options.port, lambda address: _ready(address, opens=options.open), look)
        except OSError as error:
            raise UsageError(
                f"the port {options.port} cannot be had: {error.strerror or error}; leave --port out"
            ) from None
    return 0


def _check_gallery(preview: Preview) -> None:
    """Refuse a file of Python that has no gallery: its user may have meant something in it."""
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
    from hud_runtime.preview import gallery, report
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
    """Show it in the terminal, and again when it changes."""
    subject, look = subject_of(options), look_at(options)
    with Preview(subject) as preview:
        style = style_for()
        shown = _Screen(style, clears=style.wraps and not options.once and not options.json)
        while True:
            shown.show(preview, look, as_json=options.json)
            if options.once:
                return WRONG if preview.fault is not None or shown.is_wrong else 0
            while not preview.poll():
                time.sleep(PAUSE)


class _Screen:
    """The place of a rendering: over the last one, or below it where it differs."""

    def __init__(self, style: Style, *, clears: bool) -> None:
        self._style = style
        self._clears = clears
        self._last: str | None = None
        self.is_wrong = False

    def show(self, preview: Preview, look: PreviewLook, *, as_json: bool) -> None:
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
    metavar="N",
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
def run(options: Options) -> int:
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
