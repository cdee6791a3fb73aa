"""The HUD as an MCP server: tools, resources and subscriptions over lines of bytes."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    TypeVarTuple,
)
from urllib.parse import quote, unquote

import anyio
import mcp_types as types
from anyio import CapacityLimiter, Lock, to_thread
from mcp import MCPError
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.shared.message import SessionMessage
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from hud_components import Domain, State
from hud_runtime._errors import ServeError, StoreUnavailableError
from hud_runtime._limits import Limits
from hud_runtime.context.compaction import compaction_prompt
from hud_runtime.integrations._sending import asks_to_compact
from hud_runtime.observe._observations import replace_surrogates
from hud_runtime.serve.mcp._messages import (
    HINTS,
    INTERNAL_ERROR,
    READS,
    REPLACED,
    REPLACED_HINT,
    InvalidMessageError,
    Record,
    error_answer,
    next_messages,
)
from hud_runtime.serve.mcp._serve import Sessions
from hud_runtime.session import HudSession
from hud_runtime.tools import READ, definitions, instructions_of
from ujsx import UjsxError, __version__
from ujsx.errors import shown
from ujsx.tools import Operation, ToolResult, Toolset, parts

if TYPE_CHECKING:
    from mcp_types import InputResponseRequestParams

# A session as resources: ``hud://session/{id}`` as JSON, ``…/markdown`` as its HUD.
#
# ``hud://current`` and ``hud://current/markdown`` are those of the client's session, and can be
# listed before it is known. Long content comes in parts: ``…?part=2`` is the second.

SCHEME = "hud://session/"

CURRENT = "hud://current"
"""The client's session."""

LONGEST = 60_000
"""Characters of content at most, about 15,000 tokens: a client may show it to its model."""

Form: TypeAlias = Literal["json", "markdown"]


class Address(NamedTuple):
    """The session and the form in a URI."""

    session_id: str
    """Its id; empty for the client's session."""

    form: Form


def uri_of(session_id: str, form: Form) -> str:
    """Return the URI of a session, with its id escaped as one segment of the path.

    An empty id means the client's session.

    >>> uri_of("/srv/shop", "markdown")
    'hud://session/%2Fsrv%2Fshop/markdown'
    """
    session = f"{SCHEME}{quote(session_id, safe='')}" if session_id else CURRENT
    return f"{session}{'/markdown' if form == 'markdown' else ''}"


def address_of(uri: str) -> Address | None:
    """Parse a URI, or return ``None`` for another server's.

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
    """Return the part in a URI; by default the first.

    >>> part_of("hud://session/a/markdown?part=3"), part_of("hud://session/a")
    (3, 1)
    """
    found = _PART.search(uri)
    return int(found[1]) if found else 1


_PART = re.compile(r"[?&]part=([1-9]\d{0,8})\Z", re.ASCII)


def content_of(
    session: HudSession, form: Form, part: int = 1, *, is_away: bool = False
) -> str | None:
    """Return a session's HUD as Markdown, or its state as JSON; ``None`` for a missing part.

    Content of more than :data:`LONGEST` characters comes in parts, each with the URI of the next. A part of
    the state is JSON with a piece of the state's text under ``state_json``; the joined pieces are the
    state. While a database server is away, it is the last known state, and says so.

    :param is_away: whether the store is known to be away.
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
"""The note above content from memory."""


def _is_away(session: HudSession) -> bool:
    """Read the events of other processes; return whether the store is away."""
    try:
        session.refresh()
    except StoreUnavailableError:
        return True
    return False


def content_of_nothing(session_id: str, form: Form, state: State) -> str:
    """Return the content of a session that has not begun; reading does not begin it."""
    if form == "markdown":
        return "Nothing recorded yet.\n"
    data = state.model_dump(mode="json")
    return json.dumps({"session_id": session_id, "version": 0, "turn": 0, "state": data})


TYPES: dict[Form, str] = {"json": "application/json", "markdown": "text/markdown"}
"""The media type of each form."""


# Asking a client for its project's folders, as its version of the protocol defines.

ROOTS = "roots"

PATIENCE = 5.0
"""Seconds that a client may take to report its folders; then the working folder is used."""


async def ask(
    sessions: Sessions,
    ctx: ServerRequestContext[Any, Any],
    params: InputResponseRequestParams | None = None,
) -> InputRequiredResult | None:
    """Learn the client's folders, or return the question as the answer to its request.

    Since version 2026-07-28 a server answers a request with a question, and the client repeats the request
    with the folders. Before, a server sent its own request.
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
    except MCPError:  # a client that announces roots, but does not report them
        return []
    return _uris(told)


def _uris(told: ListRootsResult) -> list[str]:
    return [str(root.uri) for root in told.roots]


# Listeners to a session's resources, notified of changes by any process.
#
# Clients of versions before 2026-07-28 subscribe to a resource; later ones listen to several with a
# request that stays open. Each is notified once for each observed change: at once after its own
# call, and within :data:`SECONDS` of another process's event.

Context = ServerRequestContext[Any, Any]

SECONDS = 1.0
"""Seconds between polls for other processes' events, while somebody listens."""


class Subscriptions:
    """The resources that clients listen to.

    :param versions: returns the versions of these URIs' sessions.
    :param pause: waits before the next poll of these URIs, while somebody listens. When None, the owner of
        the server polls every :data:`SECONDS`: see :meth:`watching`.
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
        """Notify a client of an older version about a resource."""
        await self._begin([params.uri])
        self._subscribers.setdefault(params.uri, {})[_client(ctx)] = ctx.session
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> Any:
        """End that."""
        self._leave(params.uri, _client(ctx))
        return types.EmptyResult()

    async def listen(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        """Notify a client about its resources while its request is open."""
        uris = list(params.notifications.resource_subscriptions or ())
        await self._begin(uris)
        self._listened.update(uris)
        try:
            if self._pause is None or not uris:  # the server polls for all while it runs
                return await self._listen(ctx, params)
            async with self.watching():
                return await self._listen(ctx, params)
        finally:
            self._listened -= Counter(uris)
            self._forget()

    async def list_changed(self, ctx: Context) -> None:
        """Notify about a change in the list of resources."""
        await self._bus.publish(ResourcesListChanged())
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await ctx.session.send_resource_list_changed()

    async def look(self) -> None:
        """Check for changes, and notify the listeners."""
        uris = [*{**self._subscribers, **self._listened}]
        if not uris:
            return
        async with self._looking:  # one at a time, so that no older version comes last
            for uri, version in (await self._versions(uris)).items():
                if self._known.get(uri) != version:
                    self._known[uri] = version
                    await self._tell(uri)

    def close(self) -> None:
        """End all listeners' streams."""
        self._listen.close()

    @asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Poll for the duration of the context."""
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
        """Store a resource's version when somebody begins to listen; later changes are reported."""
        new = [uri for uri in uris if uri not in self._known]
        self._known.update(await self._versions(new))

    async def _tell(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=uri))
        for client, session in [*self._subscribers.get(uri, {}).items()]:
            try:
                await session.send_resource_updated(uri)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):  # the listener has left
                self._leave(uri, client)

    def _leave(self, uri: str, client: int) -> None:
        subscribers = self._subscribers.get(uri, {})
        subscribers.pop(client, None)
        if not subscribers:
            self._subscribers.pop(uri, None)
        self._forget()

    def _forget(self) -> None:
        """Drop resources without listeners."""
        for uri in self._known.keys() - self._subscribers.keys() - self._listened.keys():
            del self._known[uri]


def _client(ctx: Context) -> int:
    """Return the client of a request: the SDK makes a session for each request, but the handshake's data
    are the client's.
    """
    return id(ctx.session.client_params)


# Your own toolsets beside the HUD's tools: a tool for each operation, or one for all, as in their
# definitions.


class OwnTools:
    """The tools of toolsets, by name.

    :param taken: reserved names.
    :raises ServeError: for a reserved or repeated name.
    """

    def __init__(self, toolsets: Iterable[Toolset], taken: Iterable[str]) -> None:
        self.listed: list[types.Tool] = []
        self._by_name: dict[str, Toolset] = {}
        self._operations: dict[str, Operation] = {}
        names = {*taken}
        for toolset in toolsets:
            operations = {each.tool_name: each for each in toolset.operations.values()}
            for tool in _tools_of(toolset, operations):
                if tool.name in names:
                    raise ServeError(
                        f"{toolset.name}: there is a tool {tool.name} already; give the operation another name"
                    )
                names.add(tool.name)
                self.listed.append(tool)
                self._by_name[tool.name] = toolset
                if tool.name in operations:
                    self._operations[tool.name] = operations[tool.name]

    def output_of(self, name: str, result: ToolResult) -> Any:
        """Return an answer's data by the tool's output schema; None without one."""
        operation = self._operations.get(name)
        return None if operation is None or result.is_error else operation.output(result.data)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    async def call(self, name: str, arguments: object, session: HudSession[Any]) -> ToolResult:
        """Answer a call; a function's parameter ``ctx`` receives the session."""
        return await self._by_name[name].acall(name, arguments, context=session)


def _tools_of(toolset: Toolset, operations: Mapping[str, Operation]) -> Iterator[types.Tool]:
    all_read = all(each.repeatable for each in operations.values())
    for each in toolset.definitions("mcp"):
        operation = operations.get(each["name"])  # none, where they share one tool
        yield types.Tool(
            name=each["name"],
            description=each["description"],
            input_schema=each["inputSchema"],
            output_schema=None if operation is None else operation.output_schema,
            annotations=types.ToolAnnotations(
                read_only_hint=all_read if operation is None else operation.repeatable
            ),
        )


ResultT = TypeVar("ResultT")
ArgumentsT = TypeVarTuple("ArgumentsT")

ServerContext: TypeAlias = ServerRequestContext[Any, Any]

COMPACT = "compact"
"""The name of the prompt."""

TITLES = {"hud": "Agent HUD", READ: "Read the HUD", "hud_compact": "Announce a compaction"}
"""Titles of tools, for clients to show."""

COMPLETED = 100
"""Completions of an argument at most, as the protocol limits them."""


def hud_server(
    sessions: Sessions, *, toolsets: Iterable[Toolset] = (), read_tool: bool = False
) -> Server[Any]:
    """Return a server of the sessions' HUD, for any of the SDK's transports.

    :param toolsets: tools of your own to serve beside the HUD's, one for each operation.
    :param read_tool: whether operations that only read have a tool of their own, ``hud_read``, with a
        read-only hint.
    :raises ServeError: for two tools of one name.
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
    # Added here, because the constructor warns about roots, which older clients still have.
    server.add_notification_handler(
        "notifications/roots/list_changed", types.NotificationParams, handlers.roots_changed
    )
    return server


def server_of_many(
    client_of: Callable[[ServerContext], Client],
    *,
    domain: Domain[Any],
    offers_layouts: bool,
    toolsets: Iterable[Toolset] = (),
    read_tool: bool = False,
    workers: int = 16,
) -> Server[Any]:
    """Return a server for many clients, whose requests are independent.

    It keeps no state between requests, so that another server may answer the next one. Listeners are
    notified while their request is open; clients of versions before 2026-07-28 cannot listen.

    :param client_of: returns a request's client.
    :param domain: the domain of new sessions.
    :param workers: threads that query the store at once, at most.
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
        get_tool_input_schema=lambda _: None,  # no argument is passed in a header
    )


class Client:
    """The state of a client: its session, and the listeners to its resources.

    :param pause: waits before the next poll of sessions with these ids.
    """

    def __init__(
        self, sessions: Sessions, pause: Callable[[list[str]], Awaitable[None]] | None = None
    ) -> None:
        self.sessions = sessions
        self.pause = pause
        self.subscriptions: Subscriptions | None = None
        """Created by the server, which polls for changes."""
        self.in_order = Lock()
        """Held by the request in progress; the others wait."""
        self.listed: str | None = None
        """The session whose resources were listed, or None: see :meth:`to_list`."""

    def to_list(self) -> str:
        """Return the id of the session to list; empty while the client's folders may decide it."""
        return "" if self.sessions.wants_roots else self.sessions.id

    def known_versions(self, uris: list[str]) -> dict[str, int]:
        """Return the version of each URI's session; 0 for one that has not begun or cannot be read."""
        ids = self.ids_of(uris)
        return {uri: self.sessions.version(ids[uri]) for uri in ids}

    def ids_of(self, uris: Iterable[str]) -> dict[str, str]:
        """Return the session's id for each URI of ours."""
        known = {uri: address_of(uri) for uri in uris}
        return {
            uri: address.session_id or self.sessions.id
            for uri, address in known.items()
            if address is not None
        }


class _Server(Server[Any]):
    """The SDK's server, which declares that its list of resources changes."""

    def get_capabilities(
        self, notification_options: NotificationOptions | None = None, *args: Any, **more: Any
    ) -> types.ServerCapabilities:
        """Declare that to clients of versions before 2026-07-28, and to others that they can listen to it."""
        given = notification_options or NotificationOptions()
        options = NotificationOptions(
            prompts_changed=given.prompts_changed,
            resources_changed=True,
            tools_changed=given.tools_changed,
        )
        return super().get_capabilities(options, *args, **more)


class _Handlers:
    """The server's handlers of the protocol's requests."""

    def __init__(
        self,
        client_of: Callable[[ServerContext], Client],
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
        """Return them by the argument names of the SDK's server."""
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
        """Return the listeners to a client's resources."""
        if client.subscriptions is None:

            async def versions(uris: list[str]) -> dict[str, int]:
                return await self._in_thread(client, client.known_versions, uris)

            async def pause(uris: list[str]) -> None:
                assert client.pause is not None
                await client.pause([*client.ids_of(uris).values()])

            client.subscriptions = Subscriptions(versions, pause if client.pause else None)
        return client.subscriptions

    async def subscribe(self, ctx: ServerContext, params: types.SubscribeRequestParams) -> Any:
        return await self.subscriptions_of(self._client_of(ctx)).subscribe(ctx, params)

    async def unsubscribe(self, ctx: ServerContext, params: types.UnsubscribeRequestParams) -> Any:
        return await self.subscriptions_of(self._client_of(ctx)).unsubscribe(ctx, params)

    async def listen(
        self, ctx: ServerContext, params: types.SubscriptionsListenRequestParams
    ) -> Any:
        return await self.subscriptions_of(self._client_of(ctx)).listen(ctx, params)

    async def asked(
        self, ctx: ServerContext, params: types.InputResponseRequestParams | None = None
    ) -> types.InputRequiredResult | None:
        """Determine the client's session; notify the client if that changes the list."""
        client = self._client_of(ctx)
        question = await ask(client.sessions, ctx, params)
        if question is None and client.listed not in {None, client.to_list()}:
            client.listed = None  # reported once, until the next list
            await self.subscriptions_of(client).list_changed(ctx)
        return question

    @property
    def _at_once(self) -> CapacityLimiter:
        if self._limiter is None:  # can only be created in an event loop
            self._limiter = CapacityLimiter(self._workers)
        return self._limiter

    async def list_tools(self, ctx: ServerContext, params: object) -> types.ListToolsResult:
        sessions = self._client_of(ctx).sessions
        domain = await to_thread.run_sync(lambda: sessions.domain)
        kept = self._tools.get(id(domain))
        if kept is None:  # holds the domain, so that its id stays unique
            kept = domain, await to_thread.run_sync(self._tools_of, sessions, domain)
            self._tools[id(domain)] = kept
        return types.ListToolsResult(tools=[*kept[1], *self._own.listed])

    def _tools_of(self, sessions: Sessions, domain: Domain[Any]) -> list[types.Tool]:
        layouts, schema = sessions.offers_layouts, None
        if self._read_tool:  # the schema of the data that reads return
            from hud_runtime.tools._hud_tools import reading_schema

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
        self, ctx: ServerContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        question = await self.asked(ctx, params)
        if question is not None:
            return question
        try:
            result = await self._answer(self._client_of(ctx), params.name, params.arguments)
        except UjsxError as error:  # the store's error, not the call's
            return types.CallToolResult(content=[_text(str(error))], is_error=True)
        await self.subscriptions_of(self._client_of(ctx)).look()
        # Data that only a host can use is not content, which the model would read and pay for.
        host = {"ujsx": result.data} if asks_to_compact(result) else None
        hint = f"\n{REPLACED_HINT}" if REPLACED in (params.meta or {}) else ""
        return types.CallToolResult(
            content=[_text(result.text + hint)],
            structured_content=replace_surrogates(self._data(params.name, result)),
            is_error=result.is_error,
            _meta=host,
        )

    async def list_resources(self, ctx: ServerContext, params: object) -> types.ListResourcesResult:
        client = self._client_of(ctx)
        await ask(client.sessions, ctx)
        # A list cannot be answered with a question: a client whose folders are unknown gets its
        # current session, whichever that will be.
        client.listed = client.to_list()
        resources = [
            types.Resource(uri=uri_of(client.listed, form), mime_type=TYPES[form], **about)
            for form, about in _FORMS.items()
        ]
        return types.ListResourcesResult(resources=resources)

    async def list_templates(
        self, ctx: ServerContext, params: object
    ) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(
                uri_template=uri_of("{id}", form).replace("%7Bid%7D", "{id}"),
                mime_type=TYPES[form],
                **about,
            )
            for form, about in _FORMS.items()
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(
        self, ctx: ServerContext, params: types.ReadResourceRequestParams
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
        self, ctx: ServerContext, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Complete a session's id in a resource's URI; nothing else has arguments."""
        found: list[str] = []
        if isinstance(params.ref, types.ResourceTemplateReference) and params.argument.name == "id":
            client = self._client_of(ctx)
            found = await self._in_thread(client, client.sessions.beginning, params.argument.value)
        return types.CompleteResult(
            completion=types.Completion(
                values=found[:COMPLETED], total=len(found), has_more=len(found) > COMPLETED
            )
        )

    async def list_prompts(self, ctx: ServerContext, params: object) -> types.ListPromptsResult:
        prompt = types.Prompt(
            name=COMPACT,
            title="Sum up for a compaction",
            description="Sum up the conversation for yourself, beside what the HUD keeps.",
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def get_prompt(
        self, ctx: ServerContext, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        if params.name != COMPACT:
            message = f'there is no prompt {shown(params.name)}; the only one is "{COMPACT}"'
            raise MCPError(types.INVALID_PARAMS, message)
        question = await self.asked(ctx, params)
        if question is not None:
            return question
        client = self._client_of(ctx)
        text = await self._in_thread(
            client, lambda: compaction_prompt(client.sessions.current().state())
        )
        return types.GetPromptResult(
            messages=[types.PromptMessage(role="user", content=_text(text))]
        )

    async def roots_changed(self, ctx: ServerContext, params: types.NotificationParams) -> None:
        self._client_of(ctx).sessions.forget()

    async def _in_thread(
        self, client: Client, work: Callable[[*ArgumentsT], ResultT], *arguments: *ArgumentsT
    ) -> ResultT:
        """Run disk access outside of the event loop, which answers pings meanwhile.

        For each client, one request at a time in their order, as clients expect.
        """
        async with client.in_order:
            return await to_thread.run_sync(work, *arguments, limiter=self._at_once)

    async def _answer(self, client: Client, name: str, arguments: object) -> ToolResult:
        if name not in self._own:
            return await self._in_thread(
                client, lambda: client.sessions.current().call(name, arguments)
            )
        session = await self._in_thread(client, client.sessions.current)
        return await self._own.call(name, arguments, session)

    def _data(self, name: str, result: ToolResult) -> Any:
        """Return an answer's data by its tool's output schema."""
        if name != READ or result.is_error:
            return self._own.output_of(name, result)
        return {"operation": result.operation, "data": result.data}

    def _content(self, sessions: Sessions, address: Address, part: int) -> str | None:
        session, is_away = sessions.shown(address.session_id)
        if session is not None:
            return content_of(session, address.form, part, is_away=is_away)
        if address.session_id != sessions.id or part > 1:
            return None
        return content_of_nothing(address.session_id, address.form, sessions.domain.state())


_FORMS: Mapping[Form, dict[str, Any]] = {
    "json": {
        "name": "state",
        "title": "State",
        "description": "The session's state, complete, as JSON",
    },
    "markdown": {
        "name": "hud",
        "title": "HUD",
        "description": "The session's HUD, as its agent is shown it",
    },
}
"""The resources of a session."""


def _text(text: str) -> types.TextContent:
    """Return a text as content; unpaired surrogates, which your own tools may return, are replaced."""
    return types.TextContent(type="text", text=str(replace_surrogates(text)))


# The SDK's server over lines of bytes: every line with an id is answered.
#
# The SDK's own transport drops unreadable lines, and ends at an answer that it cannot write.

END_PATIENCE = 5.0
"""Seconds that open requests may take after the end of the input."""

LISTEN = "subscriptions/listen"
"""The request that is answered when its client stops listening."""

_log = logging.getLogger("hud_runtime.serve.mcp")


async def serve_lines(server: Server[Any], given: BinaryIO, out: BinaryIO) -> None:
    """Serve one client to the end of its lines."""
    to_server, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
    write, from_server = anyio.create_memory_object_stream[SessionMessage]()
    in_order = anyio.Lock()
    pending: set[types.RequestId | None] = set()

    async def put(line: bytes) -> None:
        async with in_order:
            await to_thread.run_sync(_put_line, out, line)

    async def hear() -> None:
        hear_next = partial(next_messages, given, Limits.of_environment())
        async with to_server:
            while (
                found := await to_thread.run_sync(hear_next, abandon_on_cancel=True)
            ) is not None:
                for each in found:
                    if isinstance(each, InvalidMessageError):
                        await put(_line(each.answer))
                    elif (message := _message_of(each)) is not None:
                        if isinstance(message, types.JSONRPCRequest) and message.method != LISTEN:
                            pending.add(message.id)
                        await to_server.send(SessionMessage(message))
            with anyio.move_on_after(END_PATIENCE):  # the SDK abandons open requests at the end
                while pending:  # noqa: ASYNC110 - nothing else waits for this
                    await anyio.sleep(0.01)

    async def tell() -> None:
        async with from_server:
            async for each in from_server:
                await put(_encoded(each.message))
                if isinstance(each.message, types.JSONRPCResponse | types.JSONRPCError):
                    pending.discard(each.message.id)

    async with anyio.create_task_group() as group:
        group.start_soon(hear)
        group.start_soon(tell)
        await server.run(read, write, server.create_initialization_options())


def _message_of(message: Record) -> types.JSONRPCMessage | None:
    """Return a message for the SDK; None for an invalid answer of the client."""
    if "method" in message:
        kind = types.JSONRPCRequest if "id" in message else types.JSONRPCNotification
        return kind.model_validate(message)
    try:
        return types.jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        _log.debug("an answer of the client that is none", exc_info=True)
        return None


def _encoded(message: types.JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:  # nested too deeply
        _log.exception("an answer that cannot be written")
        problem = "the answer cannot be written as JSON; the server's log says why"
        return _line(error_answer(getattr(message, "id", None), INTERNAL_ERROR, problem))


def _line(answer: Record) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _put_line(out: BinaryIO, line: bytes) -> None:
    try:
        out.write(line)
        out.flush()
    except OSError:  # the client has left; its input ends next
        _log.debug("an answer was not taken", exc_info=True)
