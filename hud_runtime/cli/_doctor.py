"""Check what ujsx finds on this machine: versions, SQLite, the folder of a store.

The exit status is 0 when everything that ujsx needs is there, and 1 when something is missing.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hud_runtime.cli._checks import CHECKS, Finding
from hud_runtime.cli._output import put, put_json
from hud_runtime.cli._style import Style, style_for
from ujsx._text import one_line, visible

BROKEN = 1
"""The exit status when ujsx cannot work here."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="FOLDER",
        help="the folder with your stores (default: the one for temporary files, where `ujsx "
        "replay` puts its own)",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as data")


def run(options: Namespace) -> int:
    findings = [finding for check in CHECKS for finding in check(options.data)]
    broken = any(finding.verdict == "missing" for finding in findings)
    if options.json:
        put_json({"ok": not broken, "findings": [finding.data() for finding in findings]})
    else:
        put(_text(findings, style_for()))
        put("\nujsx cannot work here.\n" if broken else "\nujsx can work here.\n")
    return BROKEN if broken else 0


def _text(findings: list[Finding], style: Style) -> str:
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    for finding in findings:
        name = style.bold(f"{finding.name:<{width}}")
        mark = "" if finding.verdict == "ok" else f"{finding.verdict}: "
        lines.append(f"{name}  {mark}{_inert(finding.value)}")
        if finding.advice:
            lines.append(f"{'':<{width}}  {style.dim(_inert(finding.advice))}")
    return "\n".join(lines) + "\n"


def _inert(text: str) -> str:
    """A finding has names of folders in it, and a name can hold what steers a terminal."""
    return one_line(visible(text))
