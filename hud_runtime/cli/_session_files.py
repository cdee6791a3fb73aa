"""Sessions as files: transcripts, logs and exports."""

from __future__ import annotations

import json
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from hud_components._models import Actor
from hud_runtime._breaker import tried_again
from hud_runtime._errors import TranscriptError
from hud_runtime._limits import Limits
from hud_runtime.cli._click import argument, json_option, option, store_options
from hud_runtime.cli._commands import Options, UsageError, domain, one_of, repeated
from hud_runtime.cli._format import SUFFIXES
from hud_runtime.cli._hud_file import keep_files
from hud_runtime.cli._stored import (
    OpenStore,
    alone,
    export,
    file_name,
    on_disk,
    read_text,
    reading,
    rewrite,
    writing,
)
from hud_runtime.cli._target import NAMED
from hud_runtime.cli._terminal import answer, flush, put_json_line, remark, told
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import Domain, HudSection
    from hud_runtime import HudSession
    from hud_runtime.editing import AbsentItem, Left, MarkdownFile
    from hud_runtime.history.exchange import MemoryFile, ProjectFile, SessionFile
    from hud_runtime.log.events import EventDraft
    from hud_runtime.transcripts import TranscriptUpdate

# A project's Markdown files, such as AGENTS.md, and sessions: imported from one, and written into
# one.

_ALSO = frozenset({".mdc", ".cursorrules", ".windsurfrules", ".clinerules"})
"""Suffixes, or names, of Markdown files with other tools' rules."""

NAMED_LINES = 3
"""Maximum named lines of blocks that are not items."""


def is_markdown(name: str) -> bool:
    """True if a file is Markdown by its name."""
    path = Path(name)
    return path.suffix.lower() in {*SUFFIXES, *_ALSO} or path.name in _ALSO


def of_markdown(options: Options) -> int:
    """Record a Markdown file in a session, new or existing."""
    from hud_runtime.editing import written_into

    actor = cast("Actor", one_of(options.actor or "tool", get_args(Actor), "actor"))
    text = read_text(options.file)
    file = _with_entries(text, options.file, domain())  # before a store is created
    session_id = options.name or _id_of(file, options.file)
    with writing(options.store, make=True) as stored:
        before = stored.version_of(session_id)
        own = stored.opened(session_id).domain if before else stored.store.domain
        if own is not domain():
            file = _with_entries(text, options.file, own)
        drafts = _record(stored, session_id, file, actor)
        version = stored.version_of(session_id)
        absent = written_into(file, stored.opened(session_id)).without_line if version else ()
    taken = _items_of(drafts, own)
    data: dict[str, Any] = {
        "session": session_id,
        "events": version - before,
        "version": version,
        "items": {section.name: count for section, count in taken.items()},
        "left": [{"line": each.line, "text": each.text} for each in file.left],
    }
    what = [] if before or not version else ["session.start"]
    what += [f"{count:,} {noun(section, count)}" for section, count in taken.items()]
    lines = [f"{_imported(version - before, session_id)}: {', '.join(what) or 'nothing new'}"]
    if file.left:
        lines.append(_told_left(file.left))
    answer(data, lines, as_json=options.json)
    _tell_absent(absent, session_id, options.file, options.store)
    return 0


def _items_of(drafts: Sequence[EventDraft], domain: Domain[Any]) -> Counter[type[HudSection]]:
    """Count the items of events by section; a replacement counts once."""
    from hud_components.folding import Remove

    found: Counter[type[HudSection]] = Counter()
    seen: set[object] = set()
    for draft, following in zip_longest(drafts, drafts[1:]):
        section, item = domain.section_events[draft.type].section, draft.payload.get("id")
        is_replaced = (
            isinstance(domain.section_events[draft.type].verb, Remove)
            and following is not None
            and domain.section_events[following.type].section is section
            and "id" not in following.payload
        )
        if not is_replaced and (item is None or (section, item) not in seen):
            found[section] += 1
        seen.add((section, item))
    return found


def _tell_absent(
    items: Sequence[AbsentItem], session_id: str, name: str, store: str | None
) -> None:
    """Report the items without a line in a file, and the command that removes each: their lines may have
    been deleted.
    """
    for each in items[:NAMED_LINES]:
        does = "an export adds one" if each.is_added else "an export adds none"
        how = (
            f"ujsx record {shlex.quote(session_id)} {each.removal} --id {each.id}{repeated(store)}"
        )
        removes = f"; `{how}` removes it" if each.removal else ""
        remark(f"{name}: no line says {each.text!r} ({each.id}); {does}{removes}")
    if len(items) > NAMED_LINES:
        remark(f"{name}: no line says {len(items) - NAMED_LINES:,} more")


@tried_again
def _record(
    stored: OpenStore, session_id: str, file: MarkdownFile, actor: Actor
) -> Sequence[EventDraft]:
    from hud_runtime.editing import drafts_of

    if stored.log.is_purged(session_id):
        raise UsageError(f'session "{session_id}" was purged; give the file another: --name')
    with stored.log.exclusive(session_id):  # its start and the rest, or nothing
        session: HudSession[Any] = stored.opened(session_id)
        drafts = drafts_of(file, session, actor)
        if drafts:
            session.record_all(drafts)
    return drafts


def into_markdown(options: Options) -> int:
    """Write a session's current items into a Markdown file."""
    from hud_runtime.editing import written_into

    if not Path(options.into).exists():
        raise UsageError(f"there is no file {options.into}; --into changes one that is there")
    with reading(options.store) as stored, alone(Path(options.into)):
        session = stored.session(options.session)
        text = read_text(options.into)
        file = _parsed(text, options.into, session.domain)
        try:
            written = written_into(file, session)
        except UjsxError as error:
            raise UsageError(f"{options.into}: {error}") from None
        if written.text != text:
            if read_text(options.into) != text:
                raise UsageError(f"{options.into} was changed meanwhile, and is left; try again")
            rewrite(options.into, written.text)
    for entry in written.unknown:
        remark(
            f"{options.into}: line {entry.line} is new or edited, and stays; import the file to record it: {entry.text}"
        )
    kept_out = [each for each in written.without_line if not each.is_added]
    _tell_absent(kept_out, session.id, options.into, options.store)
    if written.text == text:
        remark(f"{options.into} is up to date")
    else:
        remark(f'exported "{session.id}" into {options.into}')
    return 0


def _parsed(text: str, name: str, domain: Domain[Any]) -> MarkdownFile:
    from hud_runtime.editing import MarkdownFile

    try:
        return MarkdownFile(text, domain, name)
    except UjsxError as error:
        raise UsageError(f"{name}: {error}") from None


def _with_entries(text: str, name: str, domain: Domain[Any]) -> MarkdownFile:
    from hud_runtime.editing import headings_of

    file = _parsed(text, name, domain)
    if not file.entries:
        headings = ", ".join(headings_of(domain))
        raise UsageError(
            f"{name} has nothing to import: it has no items under a heading such as {headings}"
        )
    return file


def _id_of(file: MarkdownFile, name: str) -> str:
    """Return the session of a file: the one whose marks it has, or its folder's."""
    marked = [*file.parts]
    return marked[0] if len(marked) == 1 else str(Path(name).resolve().parent)


def _told_left(left: Sequence[Left]) -> str:
    if len(left) == 1:
        return f"1 block is not an item and stays as it is: line {left[0].line}"
    lines = ", ".join(str(each.line) for each in left[:NAMED_LINES])
    more = ", … (--json lists all)" if len(left) > NAMED_LINES else ""
    return f"{len(left):,} blocks are not items and stay as they are: lines {lines}{more}"


def _imported(count: int, session_id: str) -> str:
    return f'imported {count:,} event{"" if count == 1 else "s"} into "{session_id}"'


def noun(section: type[HudSection], count: int) -> str:
    """Return the noun for a number of a section's items."""
    one, _, several = section.texts[f"{section.name}.noun"].partition("|")
    return one if count == 1 else several or one


# A transcript imported into a session, and followed while it is written.

PAUSE = 1.0
"""Seconds between two checks of a followed transcript."""

SHARE = 10
"""The minimum pause, as a multiple of a check's time: a long file is not read all the time."""


def is_transcript(path: Path) -> bool:
    """True if a file is a transcript in a known format.

    :raises TranscriptError: for one in a known format that cannot be read, with the remedy.
    """
    from hud_runtime.transcripts._source import EXPORTED, refusal
    from hud_runtime.transcripts._source import open_source as opened
    from hud_runtime.transcripts._transcript import recognised

    try:
        source = opened(path, Limits.of_environment())
    except TranscriptError:
        return False  # its reader reports the error
    if source.first.keys() & EXPORTED:
        return False
    try:
        recognised(source)
    except TranscriptError:
        if path.is_dir() or refusal(source) is not None:
            raise
        return False
    return True


def wait_for_beginning(path: Path) -> None:
    """Wait until a growing file has enough records for its format to be recognized.

    A file that cannot become a transcript is not waited for: its reader reports the error.
    """
    is_told = False
    while not _tells(path):
        if not is_told:
            is_told = True
            remark(f"{path} does not tell its format yet: waiting for its first records")
        time.sleep(PAUSE)


FEW = 8
"""Minimum whole lines to recognize any format: with fewer, the file may have just been started."""

_BEGINNING = 256 * 1024
"""Bytes in which those lines are searched."""


def _tells(path: Path) -> bool:
    """Whether a file's format is known, or never will be: many lines, no JSON, an exported session."""
    from hud_runtime.transcripts._source import BINARY, EXPORTED, refusal
    from hud_runtime.transcripts._source import open_source as opened
    from hud_runtime.transcripts._transcript import recognised

    if not path.is_file():
        return True
    with path.open("rb") as file:
        begun = file.read(_BEGINNING)
    if BINARY in begun or len(begun) == _BEGINNING or begun.count(b"\n") >= FEW:
        return True
    if not begun.strip():
        return False
    try:
        source = opened(path, Limits.of_environment())
        is_other_text = source.kind == "text" and b"\n" in begun.lstrip()
        if is_other_text or source.first.keys() & EXPORTED or refusal(source) is not None:
            return True
        recognised(source)
    except TranscriptError:
        return False
    return True


def of_transcript(path: Path, options: Options) -> int:
    """Update a session from a transcript; repeatedly if it is followed."""
    from hud_runtime.integrations.bridge import place_of
    from hud_runtime.transcripts import LiveTranscript

    keeping = keep_files(place_of(options.store)) if options.follow else nullcontext()
    with writing(options.store, make=True) as stored, keeping:
        live = LiveTranscript(stored.store, path, name=options.name, session=options.of)
        is_first = True
        try:
            while True:
                begun, seen = time.monotonic(), mark(path)
                update = live.update()
                _told(update, options)
                if not options.follow:
                    return 0
                flush()  # a reader waits for it
                if is_first and not live.reads_on:
                    remark(
                        f"{path} is read again whenever it changes, as a whole: it is not a file of lines, or one in which what"
                        " was told before may change"
                    )
                is_first = False
                wait_for_change(path, seen, max(PAUSE, SHARE * (time.monotonic() - begun)))
        except KeyboardInterrupt:
            return 0
        except TranscriptError as error:
            how = ": --name" if str(error).endswith("another name") else ""
            raise UsageError(f"{error}{how}") from None


def wait_for_change(path: Path, seen: object, pause: float) -> None:
    """Wait until a file, or a folder, differs from its mark."""
    time.sleep(pause)
    while mark(path) == seen:
        time.sleep(PAUSE)


def mark(path: Path) -> object:
    """Return a value that changes with every change of a file, or a folder."""
    from hud_runtime.transcripts._transcript import child_files

    beside = [path, path.with_name(f"{path.name}-wal"), *child_files(path)]
    files = sorted(path.rglob("*")) if path.is_dir() else beside
    return [
        (each, each.stat().st_size, each.stat().st_mtime_ns) for each in files if each.is_file()
    ]


def _told(update: TranscriptUpdate, options: Options) -> None:
    if update.events or not options.follow or any(one.events for one in update.children):
        all_ = [update, *update.children]
        lines = [
            _imported(one.events, one.session.id)
            for one in all_
            if one.events or not options.follow
        ]
        data = _data(update)
        if update.children:
            data["children"] = [_data(one) for one in update.children]
        answer(data, lines, as_json=options.json)
    said = (update.transcript.not_understood, update.transcript.other_sessions)
    for words in (*(str(one) for one in update.problems[:NAMED]), *filter(None, said)):
        remark(words)


def _data(update: TranscriptUpdate) -> dict[str, object]:
    session = update.session
    return {"session": session.id, "events": update.events, "version": session.version}


def _log(stored: OpenStore, session_id: str) -> Iterator[str]:
    from hud_runtime.history.exchange import export_log

    lines = stored.version_of(session_id) + 1
    return told(export_log(stored.store, session_id), "exporting lines", lines)


def _state(stored: OpenStore, session_id: str) -> Iterator[str]:
    from hud_runtime.history.exchange import project_file, session_file
    from hud_runtime.session._parent import PROJECT

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
    """Refuse a state file for a domain without the coding HUD's sections.

    :raises UsageError: with the remedy.
    """
    from hud_components import CODING

    if not CODING.fields.items() <= domain.fields.items():
        raise UsageError(
            f'state files hold the coding HUD, and {what} is of the domain "{domain.name}"; {instead}'
        )


FORMS: dict[str, Callable[[OpenStore, str], Iterator[str]]] = {"log": _log, "state": _state}
"""The output formats of a session, by name."""


@argument("session", metavar="SESSION", help="its id")
@option(
    "--as",
    "form",
    metavar="FORM",
    words=FORMS,
    default="log",
    help=f"{' or '.join(FORMS)} (default: log)",
)
@option(
    "--to",
    metavar="FILE",
    help="a new file, which its owner alone can read (default: standard output)",
)
@option(
    "--into",
    metavar="FILE",
    instead_of=("to",),
    help="an existing Markdown file: write the current items into it",
)
@store_options()
def export_session(options: Options) -> int:
    """Export a session: its whole log, its current items, or these into a Markdown file.

    The log is JSON lines; `ujsx session import` restores the same session from it. A state file is
    the JSON of HUD plugins, `sessions/ID.json`, or `project/HASH.json` for `project:NAME`; it has
    the texts of current items, without ids and history. In a Markdown file, such as AGENTS.md, each
    section goes under its heading, and sections without a heading go between two marks; every other
    byte of the file stays.
    """
    lines_of = FORMS[one_of(options.form, [*FORMS], "form")]
    if options.into is not None:
        return into_markdown(options)
    with reading(options.store) as stored:
        session_id = stored.id_of(options.session)
        export(lines_of(stored, session_id), session_id, options.to, put_json_line)
    return 0


@argument("file", metavar="FILE", help="the file, or - for standard input")
@option(
    "-f",
    "--follow",
    is_flag=True,
    help="follow a growing transcript, until interrupted",
)
@option(
    "--name", metavar="SESSION", type=str, help="the id that it gets (default: the one in the file)"
)
@option(
    "--of",
    metavar="ID",
    help="which session of a transcript that has several (default: the newest)",
)
@option(
    "--actor",
    metavar="WHO",
    help=f"the source of a Markdown file's items: {', '.join(get_args(Actor))} (default: tool)",
)
@store_options()
@json_option("what was imported as data")
def import_session(options: Options) -> int:
    """Read a session from a file into a store: an exported log, a state file, or a transcript.

    The format is recognized by the content of FILE. A log keeps its ids, versions and times. If a
    part of a log or transcript is in the store already, the rest is added; --follow waits for new
    lines of a transcript. A state file of a HUD plugin begins a new session, or a project's
    defaults. Files of the plugin for working memory (memory-core/ID.json, memory-working/ID.json)
    begin a session with memory, or are added to it: --domain hud_components.memory:CODING_MEMORY.
    From a Markdown file, such as AGENTS.md or a plan, the items under headings that name sections
    are added to a session, by default that of the file's folder. Blocks that are not items are
    counted, and stay in the file.
    """
    folder = Path(options.file)
    if options.follow and options.file != "-":
        try:
            wait_for_beginning(folder)
        except KeyboardInterrupt:
            return 0
    with nullcontext(folder) if folder.is_dir() else on_disk(options.file) as path:
        if is_transcript(path):
            return of_transcript(path, options)
        _check_has_none(options, "a transcript", "of", "follow")
        if is_markdown(options.file):
            return of_markdown(options)
        _check_has_none(options, "a Markdown file", "actor")
        from hud_runtime.history.exchange import MemoryFile, is_log

        state = None if is_log(path) else _state_file(path)
        with writing(options.store, make=True) as stored:
            before = {each: stored.log.head(each).version for each in stored.ids()}
            if isinstance(state, MemoryFile):
                session_id = _of_memory(stored, state, options.name, file_name(options.file))
            elif state is None:
                session_id = _of_log(stored, path, options.name)
            else:
                session_id = _of_state(stored, state, options.name, file_name(options.file)).id
            version = stored.version_of(session_id)
            events = version - before.get(session_id, 0)
    data = {"session": session_id, "events": events, "version": version}
    answer(data, [_imported(events, session_id)], as_json=options.json)
    return 0


def _check_has_none(options: Options, kind: str, *names: str) -> None:
    """Refuse options for another kind of file."""
    for name in names:
        if getattr(options, name):
            told = file_name(options.file)
            raise UsageError(f"--{name} is for {kind}, and {told} is not one")


def _of_log(stored: OpenStore, path: Path, name: str | None) -> str:
    from hud_runtime.history.exchange import import_log, log_lines

    try:
        return import_log(stored.store, told(log_lines(path), "importing lines"), session_id=name)
    except UjsxError as error:
        how = ": --name" if str(error).endswith("another name") else ""
        raise UsageError(f"{path}: {error}{how}") from None


@tried_again
def _of_state(
    stored: OpenStore, file: SessionFile | ProjectFile, name: str | None, place: str
) -> HudSession:
    from hud_runtime.session._parent import PROJECT

    _check_coding(
        stored.store.domain, "the new session", "leave --domain out, or import a log (--as log)"
    )
    session_id = _session_id_of(file, name, place)
    is_there = stored.version_of(session_id) > 1
    is_purged = stored.log.is_purged(session_id)
    if is_there or is_purged:
        why = "was purged" if is_purged else "is there already"
        raise UsageError(
            f'session "{session_id}" {why}; give what {place} holds another name: --name'
        )
    drafts = file.drafts()
    with stored.log.exclusive(session_id):  # its start and the rest, or nothing
        if session_id.startswith(PROJECT):
            session = stored.store.project(session_id.removeprefix(PROJECT))
        else:
            at, project = file.last_updated or None, file.project_path or None
            session = stored.store.session(session_id, project, started_at=at)
        session.record_all(drafts)
    return session


@tried_again
def _of_memory(stored: OpenStore, file: MemoryFile, name: str | None, place: str) -> str:
    """Record a file's memories in a session, new or existing, as there are two files.

    :raises UsageError: for a session whose domain has no memory, with the remedy.
    """
    from hud_components.memory import blocks_of, working_memory_of
    from hud_runtime.log.events import catalog_of

    session_id = _session_id_of(file, name, place)
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
        for draft in drafts:  # before the session is started
            catalog_of(domain).parse(draft.type, draft.payload)
    except UjsxError as error:
        raise UsageError(f"{place}: {error}") from None
    with stored.log.exclusive(session_id):  # its start and the rest, or nothing
        at = None if is_there else file.last_updated or None
        session = stored.store.session(session_id, started_at=at)
        session.record_all(drafts)
    return session_id


def _session_id_of(
    file: SessionFile | ProjectFile | MemoryFile, name: str | None, place: str
) -> str:
    """Return the session id for a state file, or for one of memory.

    :raises UsageError: if it has none, or one for the other kind of file.
    """
    from hud_runtime.history.exchange import ProjectFile
    from hud_runtime.session._parent import PROJECT

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
    """Read a state file, whose fields determine its kind.

    :raises UsageError: for any other file.
    """
    from hud_runtime.history.exchange import (
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
            f"{path} is not a session: neither the JSON lines of `ujsx session export` nor a state "
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
    from hud_runtime.history.exchange import log_lines

    try:
        return "".join(log_lines(path))
    except UjsxError as error:
        raise UsageError(f"{path}: {error}") from None
