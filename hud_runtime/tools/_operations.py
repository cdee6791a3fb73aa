"""All operations of the tool ``hud``, in the order in which a model reads of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hud_runtime.tools._arguments import About, Nothing, Page, Search
from hud_runtime.tools._lists import SECTIONS, listed
from hud_runtime.tools._read import history, search, snapshot, task
from hud_runtime.tools._record import RECORDINGS, record
from hud_runtime.tools._session import SessionLike
from ujsx.tools import LONGEST_ANSWER, Operation, Toolset

NAME = "hud"

DESCRIPTION = (
    "Your working state: it outlives compaction. Name an item by id, the id's beginning, or its "
    "exact text. help(operation) tells more, rarer ones too. "
    'E.g. {"call":{"op":"notes.add","content":"…"}}'
)


def hud_toolset(session: SessionLike | None, *, limit: int = LONGEST_ANSWER) -> Toolset:
    """Return the operations on a session's HUD; without a session, to be exported only.

    :param limit: characters of an answer at most; see :class:`ujsx.tools.Toolset`.
    """
    tools: list[Toolset] = []
    operations = sorted(
        _all(session, limit), key=lambda each: _ORDER.index(each.name.partition(".")[0])
    )
    about = Operation(
        "help",
        About,
        lambda asked: tools[0].describe(asked.operation),
        "on an operation",
        reads=True,
    )
    tools.append(Toolset([*operations, about], name=NAME, description=DESCRIPTION, limit=limit))
    return tools[0]


_ORDER = (
    "task", "decisions", "notes", "steps", "blockers", "files", "errors", "section",
    "snapshot", "history", "search",
)  # fmt: skip


def _all(session: SessionLike | None, limit: int) -> Iterator[Operation]:
    def on(handler: Callable[[Any, Any], object]) -> Callable[[Any], object]:
        return partial(handler, session)

    yield Operation("task.get", Nothing, on(task), "it", reads=True)
    for section in SECTIONS:
        yield Operation(
            f"{section}.list", Page, on(partial(_listed, section, limit)), "with ids", reads=True
        )
    for name, each in RECORDINGS.items():
        yield Operation(
            name, each.arguments, on(partial(_recorded, name)), each.help, rare=each.rare
        )
    yield Operation("snapshot", Nothing, on(snapshot), "of everything", reads=True)
    yield Operation("history", Page, on(history), "newest first", reads=True)
    yield Operation("search", Search, on(search), "in history", reads=True)


def _listed(section: str, limit: int, session: SessionLike, page: Page) -> object:
    return listed(section, session.state(), page, limit)


def _recorded(name: str, session: SessionLike, arguments: Any) -> object:
    return record(session, RECORDINGS[name], arguments)
