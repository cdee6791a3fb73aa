"""A session as resources: ``hud://session/{id}`` as JSON, ``…/markdown`` as its HUD.

``hud://current`` and ``hud://current/markdown`` are those of the session that the client works in,
which can be listed before anybody knows which one that is. What is long comes in parts: ``…?part=2``
is the second.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from hud_components import State
from hud_runtime._errors import StoreUnavailableError
from hud_runtime.session import HudSession
from ujsx.tools import parts

SCHEME = "hud://session/"

CURRENT = "hud://current"
"""The session that the client works in, whichever it is."""

LONGEST = 60_000
"""Characters of content at most, about 15,000 tokens: a client may show it to its model."""

Form: TypeAlias = Literal["json", "markdown"]


class Address(NamedTuple):
    """Which session a URI means, and in which form."""

    session_id: str
    """Its id; empty for the session that the client works in."""

    form: Form


def uri_of(session_id: str, form: Form) -> str:
    """Return the URI of a session; whatever its id has in it, it stays one part of the path.

    An empty id means the session that the client works in.

    >>> uri_of("/srv/shop", "markdown")
    'hud://session/%2Fsrv%2Fshop/markdown'
    """
    session = f"{SCHEME}{quote(session_id, safe='')}" if session_id else CURRENT
    return f"{session}{'/markdown' if form == 'markdown' else ''}"


def address_of(uri: str) -> Address | None:
    """Return what a URI means, or ``None`` where it is none of ours.

    >>> address_of("hud://session/%2Fsrv%2Fshop")
    Address(session_id='/srv/shop', form='json')
    """
    uri = uri.partition("?")[0]
    if uri in {CURRENT, f"{CURRENT}/markdown"}:
        return Address("", "json" if uri == CURRENT else "markdown")
    if not uri.startswith(SCHEME):
        return None
    part, _, form = uri.removeprefix(SCHEME).partition("/")
    if not part or form not in {"", "markdown"}:
        return None
    return Address(unquote(part), "markdown" if form else "json")


def part_of(uri: str) -> int:
    """Return which part a URI asks for; the first, where it says nothing of that.

    >>> part_of("hud://session/a/markdown?part=3"), part_of("hud://session/a")
    (3, 1)
    """
    found = _PART.search(uri)
    return int(found[1]) if found else 1


_PART = re.compile(r"[?&]part=([1-9]\d{0,8})\Z", re.ASCII)


def content_of(
    session: HudSession,
    form: Form,
    part: int = 1,
    *,
    is_away: bool = False,
) -> str | None:
    """Return a session's HUD as Markdown, or its state as JSON; ``None`` where it has no such part.

    Content of more than :data:`LONGEST` characters comes in parts, each with the URI of the next. A
    part of the state is JSON with a piece of the state's text under ``state_json``: joined, the
    pieces are the state. While a database server is away, it is what was known last, and says so.

    :param is_away: whether it is known that the store is away.
    """
    following = f"{uri_of(session.id, form)}?part={part + 1}"
    is_away = is_away or _is_away(session)
    if form == "markdown":
        known = f"{AWAY.format(session.version)}\n\n" if is_away else ""
        pieces = parts(f"{known}{session.hud(now=session.now()).text}", LONGEST)
        if part > len(pieces):
            return None
        where = f"Part {part} of {len(pieces)}"
        more = f"; the next: {following}" if part < len(pieces) else ""
        return pieces[part - 1] + (f"\n\n{where}{more}\n" if len(pieces) > 1 else "")
    data: dict[str, Any] = {
        "session_id": session.id,
        "version": session.version,
        "turn": session.turn,
    }
    if is_away:
        data["store"] = AWAY.format(session.version)
    state = session.known.model_dump(mode="json", exclude={"look"})
    pieces = parts(json.dumps(state, ensure_ascii=False), LONGEST)
    if part > len(pieces):
        return None
    if len(pieces) == 1:
        return json.dumps({**data, "state": state}, ensure_ascii=False)
    place = {"part": part, "parts": len(pieces), "next": following if part < len(pieces) else None}
    return json.dumps({**data, **place, "state_json": pieces[part - 1]}, ensure_ascii=False)


AWAY = "The store cannot be reached: this is what was known of it at version {}."
"""What is said before what is shown from memory."""


def _is_away(session: HudSession) -> bool:
    """Take in what others have written; tell whether the store is away, so that only memory tells."""
    try:
        session.refresh()
    except StoreUnavailableError:
        return True
    return False


def content_of_nothing(session_id: str, form: Form, state: State) -> str:
    """Return the content of a session that has not begun, and that reading does not begin."""
    if form == "markdown":
        return "Nothing recorded yet.\n"
    data = state.model_dump(mode="json")
    return json.dumps({"session_id": session_id, "version": 0, "turn": 0, "state": data})


TYPES: dict[Form, str] = {"json": "application/json", "markdown": "text/markdown"}
"""The media type of each form."""
