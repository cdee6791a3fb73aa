"""The HUD as an MCP server: its tools and those of one's own, resources that are subscribed to, a prompt.

The low-level server of the SDK, so that the schema of the tools is published as it is.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar, TypeVarTuple

import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp import MCPError
from mcp.server import NotificationOptions, Server, ServerRequestContext

from hud_components import Domain
from hud_runtime.mcp._resources import (
    TYPES,
    Address,
    Form,
    ShowHud,
    address_of,
    content_of,
    content_of_nothing,
    part_of,
    uri_of,
    usual_hud,
)
from hud_runtime.mcp._roots import ask
from hud_runtime.mcp._sessions import Sessions
from hud_runtime.mcp._subscriptions import Subscriptions
from hud_runtime.mcp._toolsets import OwnTools
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

HINTS = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
"""What a client may tell its user of the tools. Nothing is destroyed: the log keeps what was."""

READS = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
"""The same of the one that only reads."""


def hud_server(
    sessions: Sessions,
    *,
    hud: ShowHud = usual_hud,
    toolsets: Iterable[Toolset] = (),
    read_tool: bool = False,
) -> Server[Any]:
    """Return the server of the sessions' HUD; run it over any of the SDK's transports.

    :param hud: renders a session's HUD, for its resource.
    :param toolsets: tools of your own that are served beside the HUD's: one for each operation.
    :param read_tool: whether what only reads is a tool of its own, ``hud_read``, with a read-only hint.
    :raises ServeError: for a tool whose name another one has.
    """
    handlers = _Handlers(sessions, hud, OwnTools(toolsets, TITLES), read_tool=read_tool)

    @asynccontextmanager
    async def lifespan(server: object) -> AsyncGenerator[None]:
        async with handlers.subscriptions.watching():
            yield

    server: Server[Any] = _Server(
        "ujsx",
        lifespan=lifespan,
        version=__version__,
        title="Agent HUD",
        instructions=instructions_of(sessions.domain, layouts=sessions.offers_layouts),
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_subscribe_resource=handlers.subscriptions.subscribe,
        on_unsubscribe_resource=handlers.subscriptions.unsubscribe,
        on_subscriptions_listen=handlers.subscriptions.listen,
        on_completion=handlers.complete,
    )
    # Added here because the constructor warns about roots, which older clients still have.
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, handlers.roots_changed
    )
    return server


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
    """What the server does for each request of the protocol."""

    def __init__(self, sessions: Sessions, hud: ShowHud, own: OwnTools, *, read_tool: bool) -> None:
        self.sessions = sessions
        self._read_tool = read_tool
        self._hud = hud
        self._own = own
        self.subscriptions = Subscriptions(self._versions)
        self._listed: str | None = None
        self._limiter: CapacityLimiter | None = None

    async def asked(
        self, ctx: Context, params: types.InputResponseRequestParams | None = None
    ) -> types.InputRequiredResult | None:
        """Learn which session the client works in; tell it if that changes what was listed."""
        question = await ask(self.sessions, ctx, params)
        if question is None and self._listed not in {None, self._to_list()}:
            self._listed = None  # told once, until it is listed again
            await self.subscriptions.list_changed(ctx)
        return question

    def _to_list(self) -> str:
        """The id of the session to list, or none, as long as the client's folders may decide it."""
        return "" if self.sessions.wants_roots else self.sessions.id

    @property
    def _one_at_a_time(self) -> CapacityLimiter:
        if self._limiter is None:  # it can only be made where an event loop runs
            self._limiter = CapacityLimiter(1)
        return self._limiter

    async def list_tools(self, ctx: Context, params: object) -> types.ListToolsResult:
        served, schema = await to_thread.run_sync(self._told_of_tools)
        tools = [
            types.Tool(
                name=each["name"],
                title=TITLES.get(each["name"]),
                description=each["description"],
                input_schema=each["inputSchema"],
                output_schema=schema if each["name"] == READ else None,
                annotations=READS if each["name"] == READ else HINTS,
            )
            for each in definitions(
                "mcp",
                domain=served,
                layouts=self.sessions.offers_layouts,
                read_tool=self._read_tool,
            )
        ]
        return types.ListToolsResult(tools=[*tools, *self._own.listed])

    def _told_of_tools(self) -> tuple[Domain[Any], dict[str, Any] | None]:
        """The domain of the tools, and the schema of the data that reading gives."""
        domain = self.sessions.domain
        if not self._read_tool:
            return domain, None
        from hud_runtime.tools._outputs import reading_schema

        return domain, reading_schema(domain, layouts=self.sessions.offers_layouts)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        question = await self.asked(ctx, params)
        if question is not None:
            return question
        try:
            result = await self._answer(params.name, params.arguments)
        except UjsxError as error:  # the store, not the call
            return types.CallToolResult(content=[_text(str(error))], is_error=True)
        await self.subscriptions.look()
        # What only a host can use is no content, which the model would read and pay for.
        host = {"ujsx": result.data} if result.operation == "hud_compact" else None
        return types.CallToolResult(
            content=[_text(result.text)],
            structured_content=self._data(params.name, result),
            is_error=result.is_error,
            _meta=host,
        )

    async def list_resources(self, ctx: Context, params: object) -> types.ListResourcesResult:
        await ask(self.sessions, ctx)
        # A list is no request that can be answered with a question: who has not been asked yet is
        # shown the session that it works in, whichever that will be.
        self._listed = self._to_list()
        resources = [
            types.Resource(
                uri=uri_of(self._listed, form),
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
        address = address_of(params.uri)
        if address is not None and not address.session_id:
            question = await self.asked(ctx, params)
            if question is not None:
                return question
            address = address._replace(session_id=self.sessions.id)
        text = None
        if address is not None:
            text = await self._in_thread(self._content, address, part_of(params.uri))
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
            found = await self._in_thread(self.sessions.beginning, params.argument.value)
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
        text = await self._in_thread(self._prompt)
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=_text(text))]
        )

    async def roots_changed(self, ctx: Context, params: types.NotificationParams) -> None:
        self.sessions.forget()

    async def _in_thread(
        self, work: Callable[[*ArgumentsT], ResultT], *arguments: *ArgumentsT
    ) -> ResultT:
        """Do what touches the disk beside the event loop, which answers pings meanwhile.

        One thing at a time and in the order of the requests, as a client expects of its own.
        """
        return await to_thread.run_sync(work, *arguments, limiter=self._one_at_a_time)

    async def _answer(self, name: str, arguments: object) -> ToolResult:
        if name not in self._own:
            return await self._in_thread(self._call, name, arguments)
        session = await self._in_thread(self.sessions.current)
        return await self._own.call(name, arguments, session)

    def _data(self, name: str, result: ToolResult) -> Any:
        """An answer's data as the output schema of its tool has it."""
        if name != READ or result.is_error:
            return self._own.output_of(name, result)
        return {"operation": result.operation, "data": result.data}

    def _call(self, name: str, arguments: object) -> ToolResult:
        return self.sessions.current().call(name, arguments)

    def _content(self, address: Address, part: int) -> str | None:
        session = self.sessions.find(address.session_id)
        if session is not None:
            is_current = session.id == self.sessions.id
            folder = self.sessions.folder if is_current else None
            return content_of(session, address.form, part, hud=self._hud, folder=folder)
        if address.session_id != self.sessions.id or part > 1:
            return None
        return content_of_nothing(address.session_id, address.form, self.sessions.domain.state())

    async def _versions(self, uris: list[str]) -> dict[str, int]:
        return await self._in_thread(self._known_versions, uris)

    def _known_versions(self, uris: list[str]) -> dict[str, int]:
        """The version of the session behind each URI; of none, where it has not begun or cannot be read."""
        versions: dict[str, int] = {}
        for uri in uris:
            address = address_of(uri)
            if address is not None:
                versions[uri] = self.sessions.version(address.session_id or self.sessions.id)
        return versions

    def _prompt(self) -> str:
        return compaction_prompt(self.sessions.current().state())


_FORMS: tuple[tuple[Form, str, str, str], ...] = (
    ("json", "state", "State", "The session's state, complete, as JSON"),
    ("markdown", "hud", "HUD", "The session's HUD, as its agent is shown it"),
)
"""The resources of a session."""


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
