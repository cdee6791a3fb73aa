"""The texts of one event, erased."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from hud_runtime._errors import EventError
from hud_runtime.cli._arguments import UsageError, define_json, number
from hud_runtime.cli._output import answer, ask, remark
from hud_runtime.cli._session_keep import KEPT, YES
from hud_runtime.cli._stored import define_store, writing


class Erase:
    """Erase the texts of one event for good: from log, archive, search index, and every state of the past.

    That there was an event stays, and another one tells of the erasure. The file is written anew, so that
    no byte of the texts is left. An erasure that was interrupted is finished by another one. Backups made
    before, and folders that a restore or a repair has set aside, are yours to delete.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        parser.add_argument("version", metavar="VERSION", type=number, help="the event's version")
        parser.add_argument(
            "--field",
            metavar="NAME",
            action="append",
            default=[],
            help="erase this text alone, such as content, or inherited.notes.2 (may be given again)",
        )
        parser.add_argument(
            "--secrets", action="store_true", help="mask what looks like a secret, and no more"
        )
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
        define_store(parser)
        define_json(parser, "what was erased as data")

    @staticmethod
    def run(options: Namespace) -> int:
        with writing(options.store) as stored:
            session_id = stored.id_of(options.session)
            what = f'event {options.version} of "{session_id}"'
            if not options.yes and not _is_meant(what):
                remark("nothing was erased")
                return KEPT
            try:
                erased = stored.store.erase(
                    session_id,
                    options.version,
                    fields=options.field,
                    only_secrets=options.secrets,
                )
            except EventError as error:
                raise UsageError(str(error)) from error
        lines = [f"erased in {what}: {', '.join(erased.fields)}" if erased.fields else _none(what)]
        lines += [
            f'the same text is in event {version} of "{other}"'
            for other, version in erased.elsewhere
        ]
        answer(asdict(erased), lines, as_json=options.json)
        return 0


def _none(what: str) -> str:
    return f"there is nothing to erase in {what}"


def _is_meant(what: str) -> bool:
    reply = ask(f"Erase the texts of {what} for good? [y/N]")
    if reply is None:
        raise UsageError(f"this erases texts of {what} for good; confirm it with --yes")
    return reply.lower() in YES
