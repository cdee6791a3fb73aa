"""The account that a compaction gives of a session, and how full its context was after the last one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from hud_runtime.history._parts import cause_of
from hud_runtime.history._records import Checkpoint, PastMessage, PastPart
from hud_runtime.history._rows import (
    ANY,
    IN_ORDER,
    LONGEST_PART,
    MESSAGES,
    PARTS,
    about_of,
    part_of,
    record_in,
)
from hud_runtime.observation._json import mapping, prose
from hud_runtime.observation._observations import Usage
from hud_runtime.observation._usage import usage_in
from hud_runtime.projection._trend import READINGS

if TYPE_CHECKING:
    from sqlite3 import Connection


def checkpoints(db: Connection, session: str) -> list[Checkpoint]:
    """Return the compactions of a session, the oldest first.

    A message has a part that asks for one; the summary is the answer to it. Versions before that part left the
    summary alone.
    """
    asked = _asked(db, session)
    found: list[Checkpoint] = []
    waiting: dict[str, tuple[int, str]] = {}
    query = (
        f"{MESSAGES} WHERE session = :session"
        " AND (instr(data, '\"summary\"') > 0 OR id IN (SELECT value FROM json_each(:asked)))"
        f"{IN_ORDER}"
    )
    given = {"session": session, "longest": LONGEST_PART, "asked": json.dumps([*asked])}
    for row in db.execute(query, given):
        one = about_of(row)
        if one.id in asked:
            waiting[one.id] = (one.created, asked[one.id])
        elif one.data.get("summary") is True and one.role == "assistant":
            created, cause = waiting.pop(str(one.data.get("parentID")), (one.created, ""))
            text = _summary(db, one.id) if not mapping(one.data.get("error")) else ""
            found.append(Checkpoint(0, one.id, created, text, cause))
    found += [Checkpoint(0, name, at, "", cause) for name, (at, cause) in waiting.items()]
    found.sort(key=lambda each: (each.created, each.message))
    return [replace(one, number=number) for number, one in enumerate(found, start=1)]


def _asked(db: Connection, session: str) -> dict[str, str]:
    """The messages that ask for a compaction, each with why."""
    query = "SELECT message, data FROM past_part WHERE session = ? AND instr(data, '\"compaction\"') > 0"
    rows = ((str(owner), record_in(data)) for owner, data in db.execute(query, (session,)))
    return {owner: cause_of(data) for owner, data in rows if data.get("type") == "compaction"}


def _summary(db: Connection, message: str) -> str:
    given = {"message": message, "limit": ANY, "longest": LONGEST_PART}
    parts: Iterable[PastPart] = map(part_of, db.execute(PARTS, given))
    return "\n".join(prose(each.data.get("text")) for each in parts if each.type == "text")


def readings(db: Connection, session: str) -> tuple[list[tuple[PastMessage, Usage]], bool]:
    """The last readings of the context, newest first, and whether a compaction came after them.

    What was before a compaction says nothing of what is now, so it is told only where there is nothing since.
    """
    query = f"{MESSAGES} WHERE session = :session ORDER BY created DESC, id DESC"
    found: list[tuple[PastMessage, Usage]] = []
    is_compacted = False
    for row in db.execute(query, {"session": session, "longest": LONGEST_PART}):
        one = about_of(row)
        if one.data.get("summary") is True:
            if found:
                break
            is_compacted = True
            continue
        usage = usage_in(mapping(one.data.get("tokens")))
        if usage is not None:
            found.append((one, usage))
            if len(found) == READINGS:
                break
    return found, is_compacted
