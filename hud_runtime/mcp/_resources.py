"""A session as resources: ``hud://session/{id}`` as JSON, ``…/markdown`` as its HUD."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import quote, unquote

from hud_runtime.session import HudSession

SCHEME = "hud://session/"

Form: TypeAlias = Literal["json", "markdown"]


class Address(NamedTuple):
    """Which session a URI means, and in which form."""

    session_id: str
    form: Form


def uri_of(session_id: str, form: Form) -> str:
    """Return the URI of a session; whatever its id has in it, it stays one part of the path.

    >>> uri_of("/srv/shop", "markdown")
    'hud://session/%2Fsrv%2Fshop/markdown'
    """
    return f"{SCHEME}{quote(session_id, safe='')}{'/markdown' if form == 'markdown' else ''}"


def address_of(uri: str) -> Address | None:
    """Return what a URI means, or ``None`` where it is none of ours.

    >>> address_of("hud://session/%2Fsrv%2Fshop")
    Address(session_id='/srv/shop', form='json')
    """
    if not uri.startswith(SCHEME):
        return None
    part, _, form = uri.removeprefix(SCHEME).partition("/")
    if not part or form not in {"", "markdown"}:
        return None
    return Address(unquote(part), "markdown" if form else "json")


def content_of(session: HudSession, form: Form) -> str:
    """Return a session's HUD as Markdown, or its state as JSON."""
    state = session.state()
    if form == "markdown":
        return session.hud(now=session.now()).text
    data = {
        "session_id": session.id,
        "version": session.version,
        "turn": session.turn,
        "state": state.model_dump(mode="json"),
    }
    return json.dumps(data, ensure_ascii=False)


TYPES: dict[Form, str] = {"json": "application/json", "markdown": "text/markdown"}
"""The media type of each form."""
