"""A preview in the browser, as a report, and in the terminal."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from typing import Any

from hud_runtime.cli._arguments import UsageError, define_json, number
from hud_runtime.cli._files import new_file
from hud_runtime.cli._output import flush, put, put_json, remark
from hud_runtime.cli._subject import define_subject, look_at, subject_of
from hud_runtime.cli._terminal import Style, style_for
from hud_runtime.preview import PAUSE, Fault, FaultError, Look, Preview

WRONG = 1
"""The exit status for a subject that cannot be shown."""

CLEARED = "\x1b[H\x1b[2J\x1b[3J"
"""To the first line, with nothing on the screen and nothing above it (ECMA-48; the last is xterm's)."""


class PreviewPage:
    """Show a layout, a component, a domain or a session in the browser, while you change it.

    A file of Python alone, without a NAME, is shown as a gallery: the examples of all its components at every
    density, with their tokens, and a search.

    It prints the address of a page on this machine, which holds a token: nobody else can open it, and nothing
    leaves the machine. The page follows the files that SUBJECT is made of, and the session that is shown; a
    mistake is told at its place, and the last good rendering stays. Ctrl-C ends it. It needs the extra
    ujsx[preview]; with --to it does not, and writes a report instead.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_subject(parser)
        parser.add_argument(
            "--to",
            metavar="FILE",
            help="write a report, one HTML file that loads nothing, and end; an earlier report is replaced",
        )
        parser.add_argument(
            "--port", metavar="N", type=number, default=0, help="the port (default: a free one)"
        )
        parser.add_argument("--open", action="store_true", help="open the page in the browser")

    @staticmethod
    def run(options: Namespace) -> int:
        subject, look = subject_of(options, takes_files=True), look_at(options)
        if subject.gallery is not None and look != Look():
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
                serve(
                    preview, options.port, lambda address: _ready(address, opens=options.open), look
                )
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


def _reported(preview: Preview, look: Look, name: str) -> int:
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


class Watch:
    """Show a layout, a component, a domain or a session in the terminal, and again when it changes.

    Where the output is no terminal, what is new is printed below. Ctrl-C ends it; with --once nothing is
    waited for, and the exit status says whether it could be shown.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        define_subject(parser)
        parser.add_argument("--once", action="store_true", help="show it once, and end")
        define_json(parser, "each rendering as a line of data")

    @staticmethod
    def run(options: Namespace) -> int:
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

    def show(self, preview: Preview, look: Look, *, as_json: bool) -> None:
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
