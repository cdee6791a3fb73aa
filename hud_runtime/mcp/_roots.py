"""Asks a client for its project's folders, in the way its version of the protocol has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hud_runtime.mcp._sessions import Sessions

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from mcp_types import InputResponseRequestParams

ROOTS = "roots"

PATIENCE = 5.0
"""Seconds that a client has to tell its folders; after that we work where we run."""


async def ask(
    sessions: Sessions,
    ctx: ServerRequestContext[Any, Any],
    params: InputResponseRequestParams | None = None,
) -> InputRequiredResult | None:
    """Learn the client's folders, or return the question to answer its request with.

    Since the version of 2026-07-28 a server asks by answering a request with a question; the client
    sends its request again with the folders. Before, a server sent a request of its own.
    """
    if not sessions.wants_roots:
        return None
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        sessions.follow(())
    elif ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        sessions.follow(await _requested(ctx))
    elif params is not None:
        told = (params.input_responses or {}).get(ROOTS)
        if not isinstance(told, ListRootsResult):
            return InputRequiredResult(input_requests={ROOTS: ListRootsRequest()})
        sessions.follow(_uris(told))
    return None


async def _requested(ctx: ServerRequestContext[Any, Any]) -> list[str]:
    try:
        told = await ctx.session.send_request(
            ListRootsRequest(), ListRootsResult, request_read_timeout_seconds=PATIENCE
        )
    except MCPError:  # a client that says it has roots, and then does not tell them
        return []
    return _uris(told)


def _uris(told: ListRootsResult) -> list[str]:
    return [str(root.uri) for root in told.roots]
