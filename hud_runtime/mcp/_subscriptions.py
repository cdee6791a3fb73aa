"""The listeners to a session's resources, notified of every change by any process.

A client of the versions before 2026-07-28 subscribes to a resource, and a later one listens to several
with a request that stays open. Either is told once for each change that is seen: at once after a call of
its own, and within :data:`SECONDS` of what another process wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]

SECONDS = 1.0
"""How often the log is looked at for what other processes wrote, while somebody listens."""


class Subscriptions:
    """The resources that clients listen to.

    :param versions: tells the version of what stands behind each of these URIs.
    :param pause: waits before the next look, at these URIs, as long as somebody listens. When None, who runs the
        server lets it look every :data:`SECONDS`: see :meth:`watching`.
    """

    def __init__(
        self,
        versions: Callable[[list[str]], Awaitable[dict[str, int]]],
        pause: Callable[[list[str]], Awaitable[None]] | None = None,
    ) -> None:
        self._versions = versions
        self._pause = pause
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._subscribers: dict[str, dict[int, ServerSession]] = {}
        self._listened: Counter[str] = Counter()
        self._known: dict[str, int] = {}
        self._looking = anyio.Lock()

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> Any:
        """Tell a client of the older versions of a resource from now on."""
        await self._begin([params.uri])
        self._subscribers.setdefault(params.uri, {})[_client(ctx)] = ctx.session
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> Any:
        """Do so no more."""
        self._leave(params.uri, _client(ctx))
        return types.EmptyResult()

    async def listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """Tell a client of what it asks for, for as long as its request is open."""
        uris = list(params.notifications.resource_subscriptions or ())
        await self._begin(uris)
        self._listened.update(uris)
        try:
            if self._pause is None or not uris:  # the server looks for all, as long as it runs
                return await self._listen(ctx, params)
            async with self.watching():
                return await self._listen(ctx, params)
        finally:
            self._listened -= Counter(uris)
            self._forget()

    async def list_changed(self, ctx: Context) -> None:
        """Tell that other resources are listed now."""
        await self._bus.publish(ResourcesListChanged())
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await ctx.session.send_resource_list_changed()

    async def look(self) -> None:
        """See what has changed since the last look, and tell those who listen."""
        uris = [*{**self._subscribers, **self._listened}]
        if not uris:
            return
        async with self._looking:  # one after the other, so that no older version comes last
            for uri, version in (await self._versions(uris)).items():
                if self._known.get(uri) != version:
                    self._known[uri] = version
                    await self._tell(uri)

    def close(self) -> None:
        """Let those who listen know that nothing more comes."""
        self._listen.close()

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Look from time to time, as long as the context lasts."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch)
            yield
            group.cancel_scope.cancel()

    async def _watch(self) -> None:
        while True:
            if self._pause is None:
                await anyio.sleep(SECONDS)
            else:
                await self._pause([*self._listened])
            await self.look()

    async def _begin(self, uris: list[str]) -> None:
        """Know what a resource is when somebody begins to listen to it: later changes are told."""
        new = [uri for uri in uris if uri not in self._known]
        self._known.update(await self._versions(new))

    async def _tell(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri))
        for client, session in [*self._subscribers.get(uri, {}).items()]:
            try:
                await session.send_resource_updated(uri)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):  # it is gone
                self._leave(uri, client)

    def _leave(self, uri: str, client: int) -> None:
        subscribers = self._subscribers.get(uri, {})
        subscribers.pop(client, None)
        if not subscribers:
            self._subscribers.pop(uri, None)
        self._forget()

    def _forget(self) -> None:
        """What nobody listens to is known no more."""
        for uri in self._known.keys() - self._subscribers.keys() - self._listened.keys():
            del self._known[uri]


def _client(ctx: Context) -> int:
    """Which client asks: the SDK makes a session for each request, and what it was greeted with is the client's."""
    return id(ctx.session.client_params)
