"""Check what ujsx finds on this machine: versions, SQLite, the stores and what is in them, extras.

The exit status is 0 when everything that ujsx needs is there, and no store is damaged or from a newer
version, or has what its domain cannot read or, with --secrets, what looks like a secret, and no outbox keeps
what its store has refused; else 1.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hud_runtime._location import is_address
from hud_runtime.cli._arguments import define_json
from hud_runtime.cli._checks import BAD, CHECKS, Finding, Place, secrets
from hud_runtime.cli._domain import define_domain
from hud_runtime.cli._files import existing
from hud_runtime.cli._output import inert, put, put_json
from hud_runtime.cli._terminal import Style, style_for

BROKEN = 1
"""The exit status when ujsx cannot work here, or when a store is damaged or cannot be used."""

ENDS: dict[str, str] = {
    "missing": "ujsx cannot work here.",
    "too old": "ujsx may fail here: update what is too old.",
    "damaged": "A store or an outbox is damaged.",
    "unusable": "A store cannot be used by this version of ujsx, or not from here.",
    "secret": "A store holds what looks like a secret.",
    "refused": "An outbox keeps what its store has refused.",
    "unread": "Something in a store cannot be read by its domain: it is kept, and counted.",
}
"""The last line by the worst verdict."""


def define(parser: ArgumentParser) -> None:
    parser.add_argument(
        "store",
        metavar="STORE",
        nargs="?",
        help="the file of a store, a folder of stores, or postgresql://...: each store is looked into, and not changed "
        "(default: the default store, and the folder for temporary files, where `ujsx replay` puts its own)",
    )
    parser.add_argument(
        "--secrets",
        action="store_true",
        help="look for secrets in all that is stored, too; they are never printed",
    )
    define_domain(parser)
    define_json(parser, "the findings as data")


def run(options: Namespace) -> int:
    checks = (*CHECKS, secrets) if options.secrets else CHECKS
    place: Place = options.store
    if options.store is not None and not is_address(options.store):
        place = options.store if Path(options.store).is_dir() else existing(options.store)
    findings = [finding for check in checks for finding in check(place)]
    verdicts = {finding.verdict for finding in findings}
    broken = not verdicts.isdisjoint(BAD)
    if options.json:
        put_json({"ok": not broken, "findings": [finding.data() for finding in findings]})
    else:
        put(_text(findings, style_for()))
        ends = [end for verdict, end in ENDS.items() if verdict in verdicts]
        put(f"\n{(ends or ['ujsx can work here.'])[0]}\n")
    return BROKEN if broken else 0


def _text(findings: list[Finding], style: Style) -> str:
    width = max(len(finding.name) for finding in findings)
    lines: list[str] = []
    for finding in findings:
        mark = "" if finding.verdict == "ok" else f"{finding.verdict}: "
        value, *rest = style.broken(f"{mark}{inert(finding.value)}", width + 2)
        lines.append(f"{style.bold(f'{finding.name:<{width}}')}  {value}")
        lines += [f"{'':<{width}}  {line}" for line in rest]
        advice = style.broken(inert(finding.advice), width + 2) if finding.advice else ()
        lines += [f"{'':<{width}}  {style.dim(line)}" for line in advice]
    return "\n".join(lines) + "\n"
