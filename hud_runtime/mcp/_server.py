"""The HUD as an MCP server: its tools and those of one's own, resources that are subscribed to, a prompt.

The low-level server of the SDK, so that the schema of the tools is published as it is. Over standard input it
has one client; over HTTP each request says which one it is of.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar, TypeVarTuple

import mcp_types as types
from anyio import CapacityLimiter, Lock, to_thread
from mcp import MCPError
from mcp.server import NotificationOptions, Server, ServerRequestContext

from hud_components import Domain
from hud_runtime.integrations._compacting import asks_to_compact
from hud_runtime.mcp._hints import HINTS, READS
from hud_runtime.mcp._messages import REPLACED, REPLACED_HINT
from hud_runtime.mcp._resources import (
    TYPES,
    Address,
    Form,
    address_of,
    content_of,
    content_of_nothing,
    part_of,
    uri_of,
)
from hud_runtime.mcp._roots import ask
from hud_runtime.mcp._sessions import Sessions
from hud_runtime.mcp._subscriptions import Subscriptions
from hud_runtime.mcp._toolsets import OwnTools
from hud_runtime.observation._json import sound
from hud_runtime.tools import READ, compaction_prompt, definitions, instructions_of
from ujsx import UjsxError, __version__
from ujsx.errors import shown
from ujsx.tools import ToolResult, Toolset

ResultT = TypeVar("ResultT")
ArgumentsT = TypeVarTuple("ArgumentsT")

Context: TypeAlias = ServerRequestContext[Any, Any]

COMPACT = "compact"
"""The name of the prompt."""

TITLES = {"hud": "Agent HUD", READ: "Read the HUD", "hud_compact": "Announce a compaction"}
"""What a client may show its user of a tool."""

COMPLETED = 100
"""Values that complete an argument, at most: what the protocol allows."""


def hud_server(
    sessions: Sessions,
    *,
    toolsets: Iterable[Toolset] = (),
    read_tool: bool = False,
) -> Server[Any]:
    """Return the server of the sessions' HUD; run it over any of the SDK's transports.

    :param toolsets: tools of your own that are served beside the HUD's: one for each operation.
    :param read_tool: whether what only reads is a tool of its own, ``hud_read``, with a read-only hint.
    :raises ServeError: for a tool whose name another one has.
    """
    one = Client(sessions)

    @asynccontextmanager
    async def lifespan(server: object) -> AsyncGenerator[None]:
        async with handlers.subscriptions_of(one).watching():
            yield

    handlers = _Handlers(lambda _: one, OwnTools(toolsets, TITLES), read_tool=read_tool)
    server = _Server(
        "ujsx",
        lifespan=lifespan,
        version=__version__,
        title="Agent HUD",
        instructions=instructions_of(sessions.domain, layouts=sessions.offers_layouts),
        **handlers.named(),
        on_subscribe_resource=handlers.subscribe,
        on_unsubscribe_resource=handlers.unsubscribe,
    )
    # Added here because the constructor warns about roots, which older clients still have.
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, handlers.roots_changed
    )
    return server


def server_of_many(
    client_of: Callable[[Context], Client],
    *,
    domain: Domain[Any],
    offers_layouts: bool,
    toolsets: Iterable[Toolset] = (),
    read_tool: bool = False,
    workers: int = 16,
) -> Server[Any]:
    """Return a server whose requests are of many clients, each whole in itself.

    It remembers nothing from one request to the next, so that another server may answer the next one. Who
    listens is told for as long as the request is open; a client of the versions before 2026-07-28 cannot.

    :param client_of: tells whose a request is.
    :param domain: that of new sessions.
    :param workers: threads that ask the store at once, at most.
    """
    handlers = _Handlers(
        client_of, OwnTools(toolsets, TITLES), read_tool=read_tool, workers=workers
    )
    return Server(
        "ujsx",
        version=__version__,
        title="Agent HUD",
        instructions=instructions_of(domain, layouts=offers_layouts),
        **handlers.named(),
        get_tool_input_schema=lambda _: None,  # no argument of a tool is told in a header
    )


class Client:
    """The state of a client: the session that it works in, and the listeners to its resources.

    :param pause: waits before the next look at what others have written, of sessions with these ids.
    """

    def __init__(
        self, sessions: Sessions, pause: Callable[[list[str]], Awaitable[None]] | None = None
    ) -> None:
        self.sessions = sessions
        self.pause = pause
        self.subscriptions: Subscriptions | None = None
        """Made by the server, which looks for what is new."""
        self.in_order = Lock()
        """Held by the request that is answered: the others wait."""
        self.listed: str | None = None
        """Which session's resources were listed, or none: see :meth:`to_list`."""

    def to_list(self) -> str:
        """The id of the session to list, or none, as long as the client's folders may decide it."""
        return "" if self.sessions.wants_roots else self.sessions.id

    def known_versions(self, uris: list[str]) -> dict[str, int]:
        """The version of the session behind each URI; of none, where it has not begun or cannot be read."""
        ids = self.ids_of(uris)
        return {uri: self.sessions.version(ids[uri]) for uri in ids}

    def ids_of(self, uris: Iterable[str]) -> dict[str, str]:
        """The id of the session behind each URI that is one of ours."""
        known = {uri: address_of(uri) for uri in uris}
        return {
            uri: address.session_id or self.sessions.id
            for uri, address in known.items()
            if address is not None
        }


class _Server(Server[Any]):
    """The SDK's server, which says that its list of resources changes."""

    def get_capabilities(
        self, notification_options: NotificationOptions | None = None, *args: Any, **more: Any
    ) -> types.ServerCapabilities:
        """Say so to clients of the versions before 2026-07-28; to others, that it can be listened to."""
        given = notification_options or NotificationOptions()
        options = NotificationOptions(
            prompts_changed=given.prompts_changed,
            resources_changed=True,
            tools_changed=given.tools_changed,
        )
        return super().get_capabilities(options, *args, **more)


class _Handlers:
    """The server's answers to the requests of the protocol."""

    def __init__(
        self,
        client_of: Callable[[Context], Client],
        own: OwnTools,
        *,
        read_tool: bool,
        workers: int = 1,
    ) -> None:
        self._client_of = client_of
        self._read_tool = read_tool
        self._own = own
        self._tools: dict[int, tuple[Domain[Any], list[types.Tool]]] = {}
        self._workers = workers
        self._limiter: CapacityLimiter | None = None

    def named(self) -> dict[str, Any]:
        """Return them by the names that the SDK's server takes."""
        return {
            "on_list_tools": self.list_tools,
            "on_call_tool": self.call_tool,
            "on_list_resources": self.list_resources,
            "on_list_resource_templates": self.list_templates,
            "on_read_resource": self.read_resource,
            "on_list_prompts": self.list_prompts,
            "on_get_prompt": self.get_prompt,
            "on_subscriptions_listen": self.listen,
            "on_completion": self.complete,
        }

    def subscriptions_of(self, client: Client) -> Subscriptions:
        """Return who listens to a client's resources."""
        if client.subscriptions is None:

            async def versions(uris: list[str]) -> dict[str, int]:
                return await self._in_thread(client, client.known_versions, uris)

            async def pause(uris: list[str]) -> None:
                assert client.pause is not None
                await client.pause([*client.ids_of(uris).values()])

            client.subscriptions = Subscriptions(versions, pause if client.pause else None)
        return client.subscriptions

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> Any:
        return await self.subscriptions_of(self._client_of(ctx)).subscribe(ctx, params)

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> Any:
        return await self.subscriptions_of(self._client_of(ctx)).unsubscribe(ctx, params)

    async def listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        return await self.subscriptions_of(self._client_of(ctx)).listen(ctx, params)

    async def asked(
        self, ctx: Context, params: types.InputResponseRequestParams | None = None
    ) -> types.InputRequiredResult | None:
        """Learn which session the client works in; tell it if that changes what was listed."""
        client = self._client_of(ctx)
        question = await ask(client.sessions, ctx, params)
        if question is None and client.listed not in {None, client.to_list()}:
            client.listed = None  # told once, until it is listed again
            await self.subscriptions_of(client).list_changed(ctx)
        return question

    @property
    def _at_once(self) -> CapacityLimiter:
        if self._limiter is None:  # it can only be made where an event loop runs
            self._limiter = CapacityLimiter(self._workers)
        return self._limiter

    async def list_tools(self, ctx: Context, params: object) -> types.ListToolsResult:
        sessions = self._client_of(ctx).sessions
        domain = await to_thread.run_sync(lambda: sessions.domain)
        kept = self._tools.get(id(domain))
        if kept is None:  # with the domain itself, so that its number stays its own
            kept = domain, await to_thread.run_sync(self._tools_of, sessions, domain)
            self._tools[id(domain)] = kept
        return types.ListToolsResult(tools=[*kept[1], *self._own.listed])

    def _tools_of(self, sessions: Sessions, domain: Domain[Any]) -> list[types.Tool]:
        layouts, schema = sessions.offers_layouts, None
        if self._read_tool:  # the data that reading gives
            from hud_runtime.tools._outputs import reading_schema

            schema = reading_schema(domain, layouts=layouts)
        return [
            types.Tool(
                name=each["name"],
                title=TITLES.get(each["name"]),
                description=each["description"],
                input_schema=each["inputSchema"],
                output_schema=schema if each["name"] == READ else None,
                annotations=types.ToolAnnotations.model_validate(
                    READS if each["name"] == READ else HINTS
                ),
            )
            for each in definitions(
                "mcp", domain=domain, layouts=layouts, read_tool=self._read_tool
            )
        ]

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        question = await self.asked(ctx, params)
        if question is not None:
            return question
        try:
            result = await self._answer(self._client_of(ctx), params.name, params.arguments)
        except UjsxError as error:  # the store, not the call
            return types.CallToolResult(content=[_text(str(error))], is_error=True)
        await self.subscriptions_of(self._client_of(ctx)).look()
        # What only a host can use is no content, which the model would read and pay for.
        host = {"ujsx": result.data} if asks_to_compact(result) else None
        hint = f"\n{REPLACED_HINT}" if REPLACED in (params.meta or {}) else ""
        return types.CallToolResult(
            content=[_text(result.text + hint)],
            structured_content=sound(self._data(params.name, result)),
            is_error=result.is_error,
            _meta=host,
        )

    async def list_resources(self, ctx: Context, params: object) -> types.ListResourcesResult:
        client = self._client_of(ctx)
        await ask(client.sessions, ctx)
        # A list is no request that can be answered with a question: who has not been asked yet is
        # shown the session that it works in, whichever that will be.
        client.listed = client.to_list()
        resources = [
            types.Resource(
                uri=uri_of(client.listed, form),
                name=name,
                title=title,
                description=about,
                mime_type=TYPES[form],
            )
            for form, name, title, about in _FORMS
        ]
        return types.ListResourcesResult(resources=resources)

    async def list_templates(
        self, ctx: Context, params: object
    ) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(
                uri_template=uri_of("{id}", form).replace("%7Bid%7D", "{id}"),
                name=name,
                title=title,
                description=about,
                mime_type=TYPES[form],
            )
            for form, name, title, about in _FORMS
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        address, client = address_of(params.uri), self._client_of(ctx)
        if address is not None and not address.session_id:
            question = await self.asked(ctx, params)
            if question is not None:
                return question
            address = address._replace(session_id=client.sessions.id)
        text = None
        if address is not None:
            part = part_of(params.uri)
            text = await self._in_thread(client, self._content, client.sessions, address, part)
        if address is None or text is None:
            known = uri_of("{id}", "json").replace("%7Bid%7D", "{id}")
            message = f"there is no resource {shown(params.uri)}; {known} and {known}/markdown are"
            raise MCPError(types.INVALID_PARAMS, message, {"uri": params.uri})
        content = types.TextResourceContents(
            uri=params.uri, mime_type=TYPES[address.form], text=text
        )
        return types.ReadResourceResult(contents=[content])

    async def complete(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Complete the id of a session in the address of a resource; nothing else has arguments."""
        found: list[str] = []
        if isinstance(params.ref, types.ResourceTemplateReference) and params.argument.name == "id":
            client = self._client_of(ctx)
            found = await self._in_thread(client, client.sessions.beginning, params.argument.value)
        return types.CompleteResult(
            completion=types.Completion(
                values=found[:COMPLETED], total=len(found), has_more=len(found) > COMPLETED
            )
        )

    async def list_prompts(self, ctx: Context, params: object) -> types.ListPromptsResult:
        prompt = types.Prompt(
            name=COMPACT,
            title="Sum up for a compaction",
            description="Sum up the conversation for yourself, beside what the HUD keeps.",
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        if params.name != COMPACT:
            message = f'there is no prompt {shown(params.name)}; the only one is "{COMPACT}"'
            raise MCPError(types.INVALID_PARAMS, message)
        question = await self.asked(ctx, params)
        if question is not None:
            return question
        client = self._client_of(ctx)
        text = await self._in_thread(client, self._prompt, client.sessions)
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=_text(text))]
        )

    async def roots_changed(self, ctx: Context, params: types.NotificationParams) -> None:
        self._client_of(ctx).sessions.forget()

    async def _in_thread(
        self, client: Client, work: Callable[[*ArgumentsT], ResultT], *arguments: *ArgumentsT
    ) -> ResultT:
        """Do what touches the disk beside the event loop, which answers pings meanwhile.

        For a client one thing at a time and in the order of the requests, as it expects of its own.
        """
        async with client.in_order:
            return await to_thread.run_sync(work, *arguments, limiter=self._at_once)

    async def _answer(self, client: Client, name: str, arguments: object) -> ToolResult:
        if name not in self._own:
            return await self._in_thread(client, self._call, client.sessions, name, arguments)
        session = await self._in_thread(client, client.sessions.current)
        return await self._own.call(name, arguments, session)

    def _data(self, name: str, result: ToolResult) -> Any:
        """An answer's data as the output schema of its tool has it."""
        if name != READ or result.is_error:
            return self._own.output_of(name, result)
        return {"operation": result.operation, "data": result.data}

    def _call(self, sessions: Sessions, name: str, arguments: object) -> ToolResult:
        return sessions.current().call(name, arguments)

    def _content(self, sessions: Sessions, address: Address, part: int) -> str | None:
        session, is_away = sessions.shown(address.session_id)
        if session is not None:
            return content_of(session, address.form, part, is_away=is_away)
        if address.session_id != sessions.id or part > 1:
            return None
        return content_of_nothing(address.session_id, address.form, sessions.domain.state())

    def _prompt(self, sessions: Sessions) -> str:
        return compaction_prompt(sessions.current().state())


_FORMS: tuple[tuple[Form, str, str, str], ...] = (
    ("json", "state", "State", "The session's state, complete, as JSON"),
    ("markdown", "hud", "HUD", "The session's HUD, as its agent is shown it"),
)
"""The resources of a session."""


def _text(text: str) -> types.TextContent:
    """A text as content; halves of surrogate pairs, which a tool of one's own may return, are replaced."""
    return types.TextContent(type="text", text=str(sound(text)))
