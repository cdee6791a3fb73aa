"""Markdown files of a project, such as AGENTS.md, and sessions: read into one, and written from it."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from hud_components._models import Actor
from hud_runtime._breaker import tried_again
from hud_runtime.cli._arguments import UsageError, one_of
from hud_runtime.cli._domain import domain
from hud_runtime.cli._files import read_text, rewrite
from hud_runtime.cli._format_settings import SUFFIXES
from hud_runtime.cli._hud_file import alone
from hud_runtime.cli._output import answer, remark
from hud_runtime.cli._stored import Stored, reading, writing
from ujsx.errors import UjsxError

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime import HudSession
    from hud_runtime.editing import Left, MarkdownFile
    from hud_runtime.events import EventDraft

_ALSO = frozenset({".mdc", ".cursorrules", ".windsurfrules", ".clinerules"})
"""Ends, or names, of Markdown files that other tools keep their rules in."""

NAMED = 3
"""Blocks that are not understood of which the lines are named."""


def is_markdown(name: str) -> bool:
    """Whether a file is Markdown by its name."""
    path = Path(name)
    return path.suffix.lower() in {*SUFFIXES, *_ALSO} or path.name in _ALSO


def of_markdown(options: Namespace) -> int:
    """Record what a Markdown file says in a session, a new one or one that is there."""
    actor = cast("Actor", one_of(options.actor or "tool", get_args(Actor), "actor"))
    text = read_text(options.file)
    file = _with_entries(text, options.file, domain())  # before a store is made
    session_id = options.name or _id_of(file, options.file)
    with writing(options.store, make=True) as stored:
        before = stored.version_of(session_id)
        own = stored.opened(session_id).domain if before else stored.store.domain
        if own is not domain():
            file = _with_entries(text, options.file, own)
        drafts = _record(stored, session_id, file, actor)
        version = stored.version_of(session_id)
    taken = Counter(own.happenings[draft.type].section.name for draft in drafts)
    data: dict[str, Any] = {
        "session": session_id,
        "events": version - before,
        "version": version,
        "items": dict(taken),
        "left": [{"line": each.line, "text": each.text} for each in file.left],
    }
    what = ", ".join(f"{count:,} {_noun(own, name, count)}" for name, count in taken.items())
    lines = [f'imported {version - before:,} events into "{session_id}": {what or "nothing new"}']
    if file.left:
        lines.append(_told_left(file.left))
    answer(data, lines, as_json=options.json)
    return 0


@tried_again
def _record(
    stored: Stored, session_id: str, file: MarkdownFile, actor: Actor
) -> Sequence[EventDraft]:
    from hud_runtime.editing import drafts_of
    from hud_runtime.events import parse_payload

    if stored.log.is_purged(session_id):
        raise UsageError(f'session "{session_id}" was purged; give the file another: --name')
    with stored.log.exclusive(session_id):  # its beginning and the rest, or nothing
        session: HudSession[Any] = stored.opened(session_id)
        drafts = drafts_of(file, session, actor)
        for draft in drafts:
            parse_payload(draft.type, draft.payload, session.domain)
        if drafts:
            session.record_all(drafts)
    return drafts


def into_markdown(options: Namespace) -> int:
    """Write what is current in a session into a Markdown file."""
    from hud_runtime.editing import written_into

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
        remark(f"{options.into}: line {entry.line} is not from the session and stays: {entry.text}")
    if written.text == text:
        remark(f"{options.into} says what the session says; nothing is written")
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
    file = _parsed(text, name, domain)
    if not file.entries:
        raise UsageError(f"{name} has nothing to import: {_no_headings(domain)}")
    return file


def _id_of(file: MarkdownFile, name: str) -> str:
    """Return the session that a file is of: that between whose marks it has a HUD, or that of its folder."""
    marked = [*file.parts]
    return marked[0] if len(marked) == 1 else str(Path(name).resolve().parent)


def _no_headings(domain: Domain[Any]) -> str:
    from hud_runtime.editing import headings_of

    return f"it has no items under a heading such as {', '.join(headings_of(domain))}"


def _told_left(left: Sequence[Left]) -> str:
    if len(left) == 1:
        return f"1 block is not understood and stays in the file: line {left[0].line}"
    lines = ", ".join(str(each.line) for each in left[:NAMED])
    more = ", …" if len(left) > NAMED else ""
    return f"{len(left):,} blocks are not understood and stay in the file: lines {lines}{more}"


def _noun(domain: Domain[Any], name: str, count: int) -> str:
    section = next(each for each in domain.sections if each.name == name)
    one, _, several = section.texts[f"{name}.noun"].partition("|")
    return one if count == 1 else several or one
