"""Sessions as files: written, and read."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from hud_components._models import Actor
from hud_runtime._breaker import tried_again
from hud_runtime._limits import Limits
from hud_runtime.cli._arguments import UsageError, define_json, one_of
from hud_runtime.cli._files import as_told, new_file, on_disk
from hud_runtime.cli._output import answer, put_json_line, remark
from hud_runtime.cli._session_markdown import into_markdown, is_markdown, of_markdown
from hud_runtime.cli._session_transcripts import is_transcript, of_transcript, wait_for_beginning
from hud_runtime.cli._stored import Stored, define_store, reading, writing
from hud_runtime.cli._terminal import told
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime import HudSession
    from hud_runtime.exchange import MemoryFile, ProjectFile, SessionFile


class Export:
    """Write a session as a file: its whole log, or what is current in it; or write the latter into a Markdown file.

    The log is JSON lines, and loses nothing: `ujsx session import` makes the same session of it. A state
    file is the JSON that HUD plugins keep, `sessions/ID.json`, or `project/HASH.json` for `project:NAME`;
    it holds the texts of what is current, and neither ids nor history.
    Into a Markdown file, such as AGENTS.md, each section goes under its heading, and those that have none between
    two marks; all else in the file stays as it is, to the byte.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("session", metavar="SESSION", help="its id")
        parser.add_argument(
            "--as",
            dest="form",
            metavar="FORM",
            default="log",
            help=f"{' or '.join(FORMS)} (default: %(default)s)",
        )
        to = parser.add_mutually_exclusive_group()
        to.add_argument(
            "--to",
            metavar="FILE",
            help="a new file, which its owner alone can read (default: standard output)",
        )
        to.add_argument(
            "--into",
            metavar="FILE",
            help="a Markdown file that is there: write what is current into it",
        )
        define_store(parser)

    @staticmethod
    def run(options: Namespace) -> int:
        lines_of = FORMS[one_of(options.form, [*FORMS], "form")]
        if options.into is not None:
            return into_markdown(options)
        with reading(options.store) as stored:
            session_id = stored.id_of(options.session)
            lines = lines_of(stored, session_id)
            if options.to is None:
                for line in lines:
                    put_json_line(line)
                return 0
            with new_file(options.to) as file:
                file.writelines(lines)
        remark(f'exported "{session_id}" to {options.to}')
        return 0


def _log(stored: Stored, session_id: str) -> Iterator[str]:
    from hud_runtime.exchange import export_log

    lines = stored.version_of(session_id) + 1
    return told(export_log(stored.store, session_id), "exporting lines", lines)


def _state(stored: Stored, session_id: str) -> Iterator[str]:
    from hud_runtime.exchange import project_file, session_file
    from hud_runtime.session._inherit import PROJECT

    session = stored.opened(session_id)
    _check_coding(session.domain, f'"{session.id}"', "export it as its log: --as log")
    state = session.state()
    about: dict[str, Any] = {
        "project_path": (state.session and state.session.project) or "",
        "last_updated": state.updated_at,
    }
    if session.id.startswith(PROJECT):
        yield project_file(state, **about).text()
    else:
        yield session_file(state, session_id=session.id, **about).text()


def _check_coding(domain: Domain[Any], what: str, instead: str) -> None:
    """Refuse a state file of a domain that has not the sections of the coding HUD.

    :raises UsageError: with what to do instead.
    """
    from hud_components import CODING

    if not CODING.fields.items() <= domain.fields.items():
        raise UsageError(
            f'state files hold the coding HUD, and {what} is of the domain "{domain.name}"; {instead}'
        )


FORMS: dict[str, Callable[[Stored, str], Iterator[str]]] = {"log": _log, "state": _state}
"""What a session can be written as, by name."""


class Import:
    """Read a session from a file into a store: an exported log, a state file, or a transcript.

    FILE is told by what is in it. A log keeps its ids, versions and times; if it is there in part already,
    it goes on where it ends, and so does a transcript, which --follow reads again while it is being written:
    one that has just been begun is waited for.
    A state file of a HUD plugin begins a new session, or a project's defaults. What the plugin for working
    memory keeps (memory-core/ID.json, memory-working/ID.json) begins a session with memory, or is added to
    it: --domain hud_components.memory:CODING_MEMORY.
    Of a Markdown file, such as AGENTS.md or a plan, what stands under headings that name sections is added to a
    session: by default to that of the file's folder. What is not understood is counted, and stays in the file.
    """

    @staticmethod
    def define(parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="the file, or - for standard input")
        parser.add_argument(
            "-f",
            "--follow",
            action="store_true",
            help="go on with what is written to a transcript, until interrupted",
        )
        parser.add_argument(
            "--name", metavar="SESSION", help="the id that it gets (default: the one in the file)"
        )
        parser.add_argument(
            "--of",
            metavar="ID",
            help="which session of a transcript that has several (default: the newest)",
        )
        parser.add_argument(
            "--actor",
            metavar="WHO",
            help=f"who said what a Markdown file says: {', '.join(get_args(Actor))} (default: tool)",
        )
        define_store(parser)
        define_json(parser, "what was imported as data")

    @staticmethod
    def run(options: Namespace) -> int:
        folder = Path(options.file)
        if options.follow and options.file != "-":
            try:
                wait_for_beginning(folder)
            except KeyboardInterrupt:
                return 0
        with nullcontext(folder) if folder.is_dir() else on_disk(options.file) as path:
            if is_transcript(path):
                return of_transcript(path, options)
            if options.of is not None:
                raise UsageError(f"--of is for a transcript, and {as_told(options.file)} is none")
            if options.follow:
                raise UsageError(
                    f"--follow is for a transcript, and {as_told(options.file)} is none"
                )
            if is_markdown(options.file):
                return of_markdown(options)
            if options.actor is not None:
                raise UsageError(
                    f"--actor is for a Markdown file, and {as_told(options.file)} is none"
                )
            from hud_runtime.exchange import MemoryFile
            from hud_runtime.exchange._replayed import is_log

            state = None if is_log(path) else _state_file(path)
            with writing(options.store, make=True) as stored:
                before = {each: stored.log.head(each).version for each in stored.ids()}
                if isinstance(state, MemoryFile):
                    session_id = _of_memory(stored, state, options.name, as_told(options.file))
                elif state is None:
                    session_id = _of_log(stored, path, options.name)
                else:
                    session_id = _of_state(stored, state, options.name, as_told(options.file)).id
                version = stored.version_of(session_id)
                events = version - before.get(session_id, 0)
        data = {"session": session_id, "events": events, "version": version}
        line = f'imported {events:,} events into "{session_id}"'
        answer(data, [line], as_json=options.json)
        return 0


def _of_log(stored: Stored, path: Path, name: str | None) -> str:
    from hud_runtime.exchange import import_log
    from hud_runtime.exchange._replayed import log_lines

    try:
        return import_log(stored.store, told(log_lines(path), "importing lines"), session_id=name)
    except UjsxError as error:
        how = ": --name" if str(error).endswith("another name") else ""
        raise UsageError(f"{path}: {error}{how}") from None


@tried_again
def _of_state(
    stored: Stored, file: SessionFile | ProjectFile, name: str | None, place: str
) -> HudSession:
    from hud_runtime.events import parse_payload
    from hud_runtime.session._inherit import PROJECT

    _check_coding(
        stored.store.domain, "the new session", "leave --domain out, or import a log (--as log)"
    )
    session_id = _id_of(file, name, place)
    is_there = stored.version_of(session_id) > 1
    is_purged = stored.log.is_purged(session_id)
    if is_there or is_purged:
        why = "was purged" if is_purged else "is there already"
        raise UsageError(
            f'session "{session_id}" {why}; give what {place} holds another name: --name'
        )
    drafts = file.drafts()
    for draft in drafts:  # before anything is begun
        parse_payload(draft.type, draft.payload)
    with stored.log.exclusive(session_id):  # its beginning and the rest, or nothing
        if session_id.startswith(PROJECT):
            session = stored.store.project(session_id.removeprefix(PROJECT))
        else:
            at, project = file.last_updated or None, file.project_path or None
            session = stored.store.session(session_id, project, started_at=at)
        session.record_all(drafts)
    return session


@tried_again
def _of_memory(stored: Stored, file: MemoryFile, name: str | None, place: str) -> str:
    """Make a session remember what a file says: a new one, or one that is there, as there are two files.

    :raises UsageError: for a session whose domain has no memory, with what to do instead.
    """
    from hud_components.memory import blocks_of, working_memory_of
    from hud_runtime.events import parse_payload
    from hud_runtime.session._inherit import PROJECT

    session_id = name or file.session_id
    if session_id.startswith(PROJECT):
        raise UsageError(f"{place} holds a session, and {session_id} is for a project's defaults")
    if stored.log.is_purged(session_id):
        raise UsageError(
            f'session "{session_id}" was purged; give what {place} holds another name: --name'
        )
    is_there = stored.version_of(session_id) > 0
    domain = stored.opened(session_id).domain if is_there else stored.store.domain
    if not blocks_of(domain) and working_memory_of(domain) is None:
        which = f'session "{session_id}"' if is_there else "the new session"
        how = "give it another name: --name, and " if is_there else "take "
        raise UsageError(
            f'{place} holds memory, and {which} is of the domain "{domain.name}", which has none; '
            f"{how}--domain hud_components.memory:CODING_MEMORY"
        )
    try:
        drafts = file.drafts(domain)
        for draft in drafts:  # before anything is begun
            parse_payload(draft.type, draft.payload, domain)
    except UjsxError as error:
        raise UsageError(f"{place}: {error}") from None
    with stored.log.exclusive(session_id):  # its beginning and the rest, or nothing
        at = None if is_there else file.last_updated or None
        session = stored.store.session(session_id, started_at=at)
        session.record_all(drafts)
    return session_id


def _id_of(file: SessionFile | ProjectFile, name: str | None, place: str) -> str:
    """The id for what a state file holds.

    :raises UsageError: if it has none, or one that is for the other kind of file.
    """
    from hud_runtime.exchange import ProjectFile
    from hud_runtime.session._inherit import PROJECT

    if isinstance(file, ProjectFile):
        session_id = name or f"{PROJECT}{file.project_path}"
        if not session_id.startswith(PROJECT) or session_id == PROJECT:
            raise UsageError(f"{place} holds a project's defaults: --name {PROJECT}NAME says whose")
        return session_id
    session_id = name or file.session_id
    if session_id.startswith(PROJECT):
        raise UsageError(f"{place} holds a session, and {session_id} is for a project's defaults")
    return session_id


def _state_file(path: Path) -> SessionFile | ProjectFile | MemoryFile:
    """Read a state file; which one it is, its fields tell.

    :raises UsageError: for what is none.
    """
    from hud_runtime.exchange import (
        ONLY_PROJECTS,
        memory_file_kind,
        read_memory_file,
        read_project_file,
        read_session_file,
    )

    try:
        data: object = json.loads(_whole(path))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is no session: neither the JSON lines of `ujsx session export` nor a state "
            f"file in JSON ({error})"
        ) from None
    fields = cast("dict[str, Any]", data).keys() if isinstance(data, dict) else set[str]()
    try:
        if memory_file_kind(dict.fromkeys(fields)) is not None:
            return read_memory_file(path)
    except UjsxError as error:
        said = str(error)
        raise UsageError(said if str(path) in said else f"{path}: {said}") from None
    if "sessionId" in fields:
        return read_session_file(path)
    if fields & ONLY_PROJECTS:
        return read_project_file(path)
    raise UsageError(
        f'{path} is JSON, but no session: a state file has a "sessionId", or one of '
        f'{", ".join(sorted(ONLY_PROJECTS))}; a file of memory has "blocks", "slots" or "items"'
    )


def _whole(path: Path) -> str:
    limits = Limits.of_environment()
    if path.stat().st_size > limits.read:
        raise UsageError(f"{path} {limits.refusal('read', path.stat().st_size)}")
    from hud_runtime.exchange._replayed import log_lines

    try:
        return "".join(log_lines(path))
    except UjsxError as error:
        raise UsageError(f"{path}: {error}") from None
