"""The requests of four APIs as JSON: what they say, and where a HUD goes.

Anthropic's Messages, OpenAI's Responses and Chat Completions, and Gemini's generateContent. Whoever sees a
request on its way, a client's middleware, a transport, a proxy, works with these; nothing here needs an SDK.
"""

from __future__ import annotations

from hud_runtime.integrations.bodies._api import (
    Api,
    Ours,
    Record,
    arguments_of,
    is_tail,
    without_system,
)
from hud_runtime.integrations.bodies._chat import CHAT
from hud_runtime.integrations.bodies._gemini import GEMINI
from hud_runtime.integrations.bodies._messages import CLEARING, EPHEMERAL, MESSAGES, fleeting
from hud_runtime.integrations.bodies._responses import (
    BREAKPOINTS,
    CONVERSATION,
    EXPLICIT,
    RESPONSES,
    responses_items,
    responses_told,
)

__all__ = [
    "BREAKPOINTS",
    "CHAT",
    "CLEARING",
    "CONVERSATION",
    "EPHEMERAL",
    "EXPLICIT",
    "GEMINI",
    "MESSAGES",
    "RESPONSES",
    "Api",
    "Ours",
    "Record",
    "api_of",
    "arguments_of",
    "fleeting",
    "is_tail",
    "responses_items",
    "responses_told",
    "without_system",
]

ENDS = {
    "/messages": MESSAGES,
    "/responses": RESPONSES,
    "/chat/completions": CHAT,
    ":generateContent": GEMINI,
    ":streamGenerateContent": GEMINI,
}
"""How the paths of requests end."""


def api_of(path: str) -> Api | None:
    """Return the API that a path belongs to.

    >>> api_of("/v1/messages?beta=true").name, api_of("/v1/embeddings")
    ('messages', None)
    """
    way = path.partition("?")[0].rstrip("/")
    return next((api for end, api in ENDS.items() if way.endswith(end)), None)
