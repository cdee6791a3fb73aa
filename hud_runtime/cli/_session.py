"""Sessions of a store: listed, read, archived, erased."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hud_runtime._errors import DomainError, EventError, StoreDamagedError
from hud_runtime._location import default_path, is_address, session_ids
from hud_runtime.cli._click import (
    Parts,
    argument,
    json_option,
    number,
    option,
    part_of,
    part_options,
    store_options,
)
from hud_runtime.cli._commands import NAME_IT, Options, UsageError
from hud_runtime.cli._stored import (
    BEGIN,
    DATA,
    SUBJECT,
    OpenStore,
    event_line,
    moment,
    reading,
    searching,
    shortened,
    summary,
    writing,
)
from hud_runtime.cli._terminal import (
    Style,
    answer,
    flush,
    is_meant,
    put,
    put_json,
    put_json_line,
    remark,
    style_for,
    terminal_safe,
    told,
)

if TYPE_CHECKING:
    from hud_components import State
    from hud_runtime.context.compaction import Compaction, FileChange
    from hud_runtime.log.store import StoredOutput
    from hud_runtime.tools import ContextFigures, Summary

# A session's compactions, read from its events.

MOST_FILES = 5
"""Maximum files in the lines of a compaction; the data has all of them."""


def _compactions(options: Options) -> int:
    """List the compactions of a session, the newest last: when and why, and what each did.

    Those that failed are among them, and one that was announced and of which nothing was heard yet. The summaries
    are printed by `ujsx session show --summaries`.
    """
    with reading(options.store) as stored:
        found = stored.session(options.session).compactions()
    lines = (line for each in found for line in _lines(each))
    nothing = "the conversation was never compacted"
    answer([asdict(each) for each in found], lines, as_json=options.json, nothing=nothing)
    return 0


def _lines(compaction: Compaction) -> Iterator[str]:
    why = shortened(compaction.reason)
    yield (
        f"{compaction.number:>5}  {moment(compaction.timestamp)}  turn {compaction.turn}"
        f"  {compaction.outcome}"
        + (f", {compaction.trigger}" if compaction.trigger else "")
        + (f": {why}" if why else "")
    )
    told = [
        _from_to(compaction.tokens_before, compaction.tokens_after, "tokens"),
        _from_to(compaction.messages_before, compaction.messages_after, "messages"),
        f"{len(compaction.summary):,} characters of summary" if compaction.summary else "",
        "the request was asked again" if compaction.replayed else "",
        f"emptied {', '.join(compaction.cleared)}" if compaction.cleared else "",
        terminal_safe(compaction.error),
    ]
    if any(told):
        yield f"       {'; '.join(filter(None, told))}"
    if compaction.files:
        shown = [_file(each) for each in compaction.files[:MOST_FILES]]
        more = len(compaction.files) - len(shown)
        yield f"       {', '.join(shown)}" + (f", and {more} more files" if more else "")


def _from_to(before: int | None, after: int | None, what: str) -> str:
    if before is None and after is None:
        return ""
    first = "?" if before is None else f"{before:,}"
    return f"{first} {what}" if after is None else f"{first} → {after:,} {what}"


def _file(file: FileChange) -> str:
    name = terminal_safe(file.path)
    if file.additions is not None or file.deletions is not None:
        return f"{name} +{file.additions or 0} −{file.deletions or 0}"
    return f"{name} ×{file.edits}"


# The context of a session: its exact use, and the summary after each compaction.

PARTS = {
    "input": "plain input",
    "cache_read": "read from the cache",
    "cache_write": "written to it",
    "output": "output",
}
"""The categories of tokens that a host may report, in words."""


def _context(options: Options) -> int:
    """Tell the exact figures of a session's context, by its last reading, what to do next, and what its HUD has.

    A compaction ends what was read before it.
    """
    with reading(options.store) as stored:
        figures = stored.session(options.session).context()
    nothing = "no reading of the context holds: none was recorded, or a compaction came after it"
    lines = iter(()) if figures is None else _context_lines(figures)
    answer(figures and figures.data(), lines, as_json=options.json, nothing=nothing)
    return 0


def _context_lines(figures: ContextFigures) -> Iterator[str]:
    trend = "" if figures.trend is None else f", {figures.trend}"
    yield (
        f"{figures.used:,} of {figures.limit:,} tokens, {figures.percentage:.2f}%: {figures.level};"
        f" {figures.remaining:,} left{trend}"
    )
    counts = {words: getattr(figures, name) for name, words in PARTS.items()}
    known = [f"{count:,} {words}" for words, count in counts.items() if count is not None]
    if known:
        yield ", ".join(known)
    model = f", {terminal_safe(figures.model)}" if figures.model else ""
    yield f"read {moment(figures.timestamp)}, turn {figures.turn}, event {figures.version}{model}"
    yield f"the HUD has {figures.hud:,} tokens, {100 * figures.hud / figures.limit:.2f}% of the window"
    yield figures.next


def _left_summaries(options: Options) -> int:
    """List what stood for a session's conversation after each compaction, the newest last, or print one.

    A line has the version of the compaction's event, its time (UTC), turn, how many characters the
    summary has, and how it begins.
    """
    with reading(options.store) as stored:
        found = stored.session(options.session).summaries()
    if options.which is not None:
        return _show(_one(found, options.which), as_json=options.json)
    data, nothing = [asdict(each) for each in found], "no compaction left a summary"
    answer(data, map(_line, found), as_json=options.json, nothing=nothing)
    return 0


def _show(summary: Summary, *, as_json: bool) -> int:
    from ujsx.text import visible

    if as_json:
        put_json(asdict(summary))
    else:
        put(f"{visible(summary.text.rstrip())}\n")
    return 0


def _one(found: tuple[Summary, ...], version: str) -> Summary:
    from ujsx.errors import did_you_mean, quoted

    by_version = {f"{each.version}": each for each in found}
    if version not in by_version:
        hint = did_you_mean(version, by_version) if found else "no compaction left one"
        raise UsageError(f"there is no summary {quoted(version)}; {hint}")
    return by_version[version]


def _line(summary: Summary) -> str:
    return (
        f"{summary.version:>5}  {moment(summary.timestamp)}  turn {summary.turn}"
        f"  {len(summary.text):,} characters  {shortened(summary.text)}"
    )


# Old or unwanted sessions: archived, and purged.


@argument("sessions", metavar="SESSION", nargs=-1, required=True, help="their ids")
@store_options()
@json_option("what was archived as data")
def archive_session(options: Options) -> int:
    """Move the events before a session's last compaction out of the database, compressed.

    They go to a file beside the store. Past states, exports and searches still have them, a little
    slower.
    """
    with writing(options.store) as stored:
        # All are known, or nothing is changed.
        ids = [stored.id_of(each) for each in options.sessions]
        moved = {
            each: stored.store.keeping.archive(each) for each in told(ids, "archiving", len(ids))
        }
        why = {each: _why_none(stored, each) for each, count in moved.items() if not count}
    lines = [
        f'archived {count:,} events of "{each}"'
        if count
        else f'nothing to archive of "{each}": {why[each]}'
        for each, count in moved.items()
    ]
    answer(_data(moved), lines, as_json=options.json)
    return 0


def _why_none(stored: OpenStore, session_id: str) -> str:
    try:
        info = stored.opened(session_id).state().session
    except DomainError:
        return "nothing of it came before a compaction, or that is archived already"
    if info is None or not info.compactions:
        return "it was never compacted"
    return "what came before its last compaction is archived already"


KEPT = 1
"""The exit status if the user declined."""


@argument("sessions", metavar="SESSION", nargs=-1, required=True, help="their ids")
@option("-y", "--yes", is_flag=True, help="do not ask")
@store_options()
@json_option("what was deleted as data")
def purge(options: Options) -> int:
    """Delete sessions for good: their events, archive and search entries.

    Deleted bytes are overwritten, and a tombstone stays: the id is not used again. Repeat an
    interrupted purge to finish it.
    """
    with writing(options.store) as stored:
        # all or none, here too; a purge of a missing one may be incomplete
        ids = [
            each if stored.log.is_purged(each) else stored.id_of(each) for each in options.sessions
        ]
        events = sum(stored.log.head(each).version for each in ids)
        names = ", ".join(f'"{each}"' for each in ids)
        what = f"{names} for good, {events:,} events"
        if not options.yes and not is_meant(f"Delete {what}", f"deletes {what}"):
            remark("nothing was deleted")
            return KEPT
        gone = {each: stored.store.keeping.purge(each) for each in told(ids, "purging", len(ids))}
    lines = [f'purged "{each}": {count:,} events' for each, count in gone.items()]
    answer(_data(gone), lines, as_json=options.json)
    return 0


def _data(counts: dict[str, int]) -> list[dict[str, object]]:
    return [{"session": each, "events": count} for each, count in counts.items()]


# The texts of one event, erased.


@argument("session", metavar="SESSION", help="its id")
@argument("version", metavar="VERSION", type=number, help="the event's version")
@option(
    "--field",
    metavar="NAME",
    multiple=True,
    help="erase this text alone, such as content, or inherited.notes.2 (may be given again)",
)
@option("--secrets", is_flag=True, help="only mask possible secrets")
@option("-y", "--yes", is_flag=True, help="do not ask")
@store_options()
@json_option("what was erased as data")
def erase(options: Options) -> int:
    """Erase the texts of one event for good: from log, archive, search index and all past states.

    The event itself stays, and a new event records the erasure. The file is rewritten, so that no
    byte of the texts is left. Repeat an interrupted erasure to finish it. Delete older backups, and
    folders that a restore or repair set aside, yourself.
    """
    with writing(options.store) as stored:
        session_id = stored.id_of(options.session)
        what = f'event {options.version} of "{session_id}"'
        texts = f"texts of {what} for good"
        if not options.yes and not is_meant(f"Erase the {texts}", f"erases {texts}"):
            remark("nothing was erased")
            return KEPT
        try:
            erased = stored.store.keeping.erase(
                session_id, options.version, fields=options.field, only_secrets=options.secrets
            )
        except EventError as error:
            raise UsageError(str(error)) from error
    if erased.fields:
        lines = [f"erased in {what}: {', '.join(erased.fields)}"]
    else:
        lines = [f"there is nothing to erase in {what}"]
    lines += [
        f'the same text is in event {version} of "{other}"' for other, version in erased.elsewhere
    ]
    answer(asdict(erased), lines, as_json=options.json)
    return 0


# The events of sessions: the last and the following ones, or those with certain words.

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime import Event
    from hud_runtime.log.events import EventType
    from hud_runtime.log.store import Hit

    Types: TypeAlias = tuple[EventType, ...] | None

COUNT = 10
"""The default number of events, as in ``tail``."""

PAUSE = 0.25
"""Seconds between two checks of the store."""

ENDED = 1
"""The exit status if the followed session was purged."""


@argument("session", metavar="SESSION", help="its id")
@option("-n", "--events", type=number, default=COUNT, help="how many (default: 10)")
@option(
    "--after",
    metavar="VERSION",
    type=number,
    instead_of=("events",),
    help="instead, all events after this version",
)
@option(
    "--type",
    "types",
    metavar="TYPE",
    multiple=True,
    help="only events of this type, such as compact.after (may be given more than once)",
)
@option("-f", "--follow", is_flag=True, help="keep printing new events")
@store_options()
@json_option("each event as a line of JSON")
def tail(options: Options) -> int:
    """Print the last events of a session, the newest last; with --follow also the coming ones.

    A line has an event's version, time (UTC), turn, actor, type and text. With --json a line is the event
    as data, as `ujsx session export` writes it. Following ends with Ctrl-C, or with the program that reads it.
    """
    for name, asked in (("events", options.events), ("after", options.after)):
        if asked is not None and asked < 0:
            raise UsageError(f"--{name} counts from 0, not from {asked}")
    with reading(options.store) as stored:
        session_id = stored.id_of(options.session)
        own = _domain_of(stored, session_id)
        types = _types(options.types or None, own)
        head = stored.log.head(session_id).version
        if options.after is not None:
            events = stored.store.events(session_id, options.after, types=types)
        elif types is None:
            events = stored.store.events(session_id, max(head - options.events, 0))
        else:
            found = stored.store.events(session_id, types=types)
            events = iter(deque(found, maxlen=options.events))
        last = max(_print(events, options.after or 0, own, as_json=options.json), head)
        if options.follow:
            return _follow(stored, session_id, last, types, own, as_json=options.json)
    return 0


def _types(names: Sequence[str] | None, own: Domain[Any] | None) -> Types:
    from hud_runtime.log.events import catalog_of

    if names is None or own is None:  # the types of an unloaded domain are unknown
        return None if names is None else tuple(names)
    return tuple(map(catalog_of(own).known, names))


def _domain_of(stored: OpenStore, session_id: str) -> Domain[Any] | None:
    """The domain of a session; a remark names one that is not loaded."""
    name = stored.store.domain_name(session_id)
    own = stored.store.domains.get(name)
    if own is None:
        remark(
            f'session "{session_id}" belongs to the domain "{name}", which is not loaded, so its '
            f"events stand as they were recorded; {NAME_IT}"
        )
    return own


def _follow(
    stored: OpenStore,
    session_id: str,
    last: int,
    types: Types,
    own: Domain[Any] | None,
    *,
    as_json: bool,
) -> int:
    while True:
        flush()
        if not _is_read(PAUSE):
            return 0
        head = max(stored.log.head(session_id).version, last)
        new = stored.store.events(session_id, last, head, types=types)
        _print(new, last, own, as_json=as_json)
        last = head
        if stored.log.is_purged(session_id):
            remark(f'session "{session_id}" was purged')
            return ENDED


def _print(events: Iterable[Event], last: int, own: Domain[Any] | None, *, as_json: bool) -> int:
    """Print events, and return the version of the last one."""
    for event in events:
        if as_json:
            put_json_line(event.model_dump_json())
        else:
            put(f"{event_line(event, own)}\n")
        last = event.version
    return last


def _is_read(seconds: float) -> bool:
    """Wait, and return whether the output still has a reader; return early if it has none.

    Without this, a closed pipe is noticed only with the next line.
    """
    try:
        import select

        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)  # no event but the closed other end
    except (ImportError, AttributeError, OSError, ValueError):  # not on Windows
        time.sleep(seconds)
        return True
    return not poll.poll(1_000 * seconds)


LIMIT = 20
"""The default number of hits, as in :meth:`HudStore.search`."""


@argument("words", metavar="WORDS", nargs=-1, required=True, help="what to look for")
@option("--session", metavar="ID", help="search this session only")
@option("--limit", type=number, default=LIMIT, help=f"how many hits at most (default: {LIMIT})")
@store_options()
@json_option("the hits as data")
def search_sessions(options: Options) -> int:
    """Search the sessions of a store for events that contain all words, the best first.

    A word also finds longer ones that begin with it, in any case. A line has the session, and the
    event's version, time (UTC), turn, actor, type and matching words. No session is changed; the
    store's index is updated.
    """
    words = " ".join(options.words)
    with searching(options.store) as stored:
        session_id = None if options.session is None else stored.id_of(options.session)
        hits = stored.store.search(words, session=session_id, limit=options.limit)
    data, nothing = [asdict(hit) for hit in hits], f'nothing says "{words}"'
    answer(data, map(_hit_line, hits), as_json=options.json, nothing=nothing)
    return 0


def _hit_line(hit: Hit) -> str:
    head = f"{hit.session_id}  {hit.version:>5}  {moment(hit.timestamp)}  turn {hit.turn}"
    return f"{head}  {hit.actor:<5}  {hit.type}  {hit.snippet}"


# Overviews of sessions: all of a store, or one.

DAMAGED = "damaged"
"""The mark for data that cannot be read."""

WIDEST = 40
"""Maximum columns for ids; a longer one is complete, and shifts the rest of its line."""


@store_options()
@json_option("the sessions as data")
@option("--ids", is_flag=True, help="only the ids, for a shell's completion")
def list_sessions(options: Options) -> int:
    """List the sessions of a store, the last used first, and the defaults of projects among them.

    Sessions too damaged to be read come last; `ujsx doctor` reports the damage.
    """
    if options.ids:
        put("".join(f"{each}\n" for each in ids(options.store)))
        return 0
    found = _summaries(options.store)
    for each in found:
        if each["damaged"]:
            remark(each["damaged"])
    if options.json:
        put_json(found)
    elif found:
        put("".join(f"{line}\n" for line in _table(found, style_for())))
    else:
        remark(f"there are no sessions yet: {BEGIN}")
    return 0


def ids(store: str | None) -> list[str]:
    """The ids that can be shown in a line; those in a database need a slower query."""
    if store is not None and is_address(store):
        with reading(store) as stored:
            found = [*reversed(stored.ids())]
    else:
        found = session_ids(default_path() if store is None else Path(store).expanduser())
    return [each for each in found if each.isprintable()]


def _summaries(store: str | None) -> list[dict[str, Any]]:
    if store is None and not default_path().exists():
        return []
    with reading(store) as stored:
        ids = stored.ids()
        found = [_summary(stored, each) for each in told(ids, "reading sessions", len(ids))]
    return sorted(filter(None, found), key=lambda each: -(each["changed"] or 0))


def _summary(stored: OpenStore, session_id: str) -> dict[str, Any] | None:
    """The summary of a session, or its error."""
    try:
        found = summary(stored, session_id)
    except StoreDamagedError as error:
        return {**dict.fromkeys(DATA), "session": session_id, "damaged": str(error)}
    return found and {**found, "damaged": None}


def _table(found: list[dict[str, Any]], style: Style) -> list[str]:
    names = ["session", *(terminal_safe(each["session"]) for each in found)]
    width = min(max(map(len, names)), WIDEST)
    lines = [f"{'changed':<20}  {'events':>7}  {'turn':>5}  {'session':<{width}}  about".rstrip()]
    for name, each in zip(names[1:], found, strict=True):
        if each["damaged"]:
            lines.append(f"{DAMAGED:<36}  {name:<{width}}  see `ujsx doctor`")
            continue
        about = terminal_safe(": ".join(filter(None, (each["title"], each[SUBJECT]))))
        line = (
            f"{moment(each['changed']):<20}  {each['events']:>7,}  {each['turn']:>5,}"
            f"  {name:<{width}}  {about}"
        )
        lines.append(line.rstrip())
    return [style.bold(lines[0]), *lines[1:]]


def _overview(options: Options) -> int:
    """Say what there is of a session."""
    from hud_components import Tally
    from hud_runtime.tools import status_line

    with reading(options.store) as stored:
        session_id = stored.id_of(options.session)
        found = summary(stored, session_id)
        if found is None:
            raise UsageError(f'session "{session_id}" was purged just now')
        state = stored.opened(session_id).known
    if options.json:
        put_json({**found, "state": state.model_dump(mode="json")})
        return 0
    style = style_for()
    holds = " · ".join([*_counts_apart(state), status_line(state)])
    rows = [*_rows(found, Tally.of(state).about), ("holds", holds)]
    width = max(len(name) for name, _ in rows)
    for name, text in rows:
        put(f"{style.bold(f'{name:<{width}}')}  {terminal_safe(text)}\n")
    return 0


def _counts_apart(state: State) -> Iterator[str]:
    """Yield the counts that a status line omits because a HUD always shows the items: its rules."""
    from hud_runtime.cli._session_files import noun

    for section in state.sections:
        is_apart = section.field and section.kind is not None and section.disclosure.is_apart
        if is_apart and (count := len(getattr(state, section.field))):
            yield f"{count:,} {noun(section, count)}"


def _rows(found: dict[str, Any], subject: str) -> list[tuple[str, str]]:
    """The known data of the session, each with its label.

    :param subject: the label of its subject, in its domain.
    """
    parent = found["parent"] and f"{found['parent']}, as of its version {found['parent_version']}"
    counts = (("event", "events"), ("turn", "turn"), ("compaction", "compactions"))
    amounts = [f"{found[key]:,} {word}{'' if found[key] == 1 else 's'}" for word, key in counts]
    rows = {
        "session": found["session"],
        "title": found["title"],
        "project": found["project"],
        "parent": parent,
        "began": moment(found["began"]),
        "changed": moment(found["changed"]),
        "log": ", ".join(amounts),
        subject.replace("_", " "): found[SUBJECT],
    }
    return [(name, text) for name, text in rows.items() if text]


# The tool outputs that a session's agent saw only in part.


def _outputs(options: Options) -> int:
    """List the tool outputs that were pruned and kept, the newest last, or print one, all of it.

    A line has the output's id, its time (UTC), the tool, how hard it was pruned, its lines and characters. The
    texts of old ones are swept: `ujsx store sweep` says when.
    """
    with reading(options.store) as stored:
        session = stored.session(options.session)
        if options.which is not None:
            return _show_output(session.output(options.which), options)
        found = session.outputs()
    data, nothing = [asdict(each) for each in found], "no output was pruned"
    answer(data, map(_output_line, found), as_json=options.json, nothing=nothing)
    return 0


def _show_output(found: StoredOutput | None, options: Options) -> int:
    from ujsx.errors import quoted
    from ujsx.text import visible

    if found is None:
        raise UsageError(f"no output {quoted(options.which)} was kept in this session")
    if options.json:
        put_json(asdict(found))
    elif found.text is None:
        raise UsageError(f"the output {found.id} was swept; its tool has to be called again")
    else:
        put(visible(found.text))
    return 0


def _output_line(each: StoredOutput) -> str:
    size = f"{each.lines:,} lines, {each.characters:,} characters"
    return f"{each.id}  {moment(each.kept_at)}  {terminal_safe(each.tool)}, {each.mode}  {size}"


TOLD: Parts = {
    "context": (
        _context,
        "instead, how full its context is, by the last reading, in exact figures",
    ),
    "compactions": (
        _compactions,
        "instead, its compactions, the newest last, each with time, reason and effect",
    ),
    "summaries": (
        _left_summaries,
        "instead, the summaries of its compactions, the newest last",
    ),
    "outputs": (_outputs, "instead, its stored tool outputs, the newest last"),
}
"""Parts of a session's known data, by their options."""

OF_WHICH = ("summaries", "outputs")
"""The parts with single entries that can be printed."""


@argument("session", metavar="SESSION", help="its id")
@argument(
    "which",
    metavar="WHICH",
    required=False,
    help="of the summaries or outputs, print this one: the version of a summary, the id of an output",
)
@part_options(TOLD)
@store_options()
@json_option(
    "the same as data: of a session the state, too, of compactions the summaries, all of them whole"
)
def show(options: Options) -> int:
    """Show a session's dates, size and contents, or one part of it.

    `ujsx hud` shows the HUD itself, `ujsx session tail` the events. Compactions include failed and
    unfinished ones. `ujsx store sweep` deletes old outputs.
    """
    return part_of(options, TOLD, _overview, options.which, OF_WHICH)(options)
