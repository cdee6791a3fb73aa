"""The HUD in outgoing requests to a provider."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar, Literal, Unpack, get_args
from weakref import WeakSet

import httpx2

from hud_runtime._errors import DeliveryError
from hud_runtime.context.delivery import Delivery, Mode
from hud_runtime.integrations import bodies
from hud_runtime.integrations._dialogue import Conversations, Dialogue, Source, pruned_list
from hud_runtime.integrations._host_session import HostSession, HostTool
from hud_runtime.integrations._sending import CompactingAgent, HostOptions, nothing
from hud_runtime.integrations.bodies import Record
from hud_runtime.observe import ToolCall
from hud_runtime.observe._observations import json_of
from hud_runtime.observe._reader import calls_in
from hud_runtime.observe.messages import MessagePart, read_message
from ujsx.errors import shown
from ujsx.tools import ToolResult

CLEAR_AT = "mid-conversation-system-clear-at-2026-08-21"
"""The beta of Anthropic's messages that last for one request."""

Voice = Literal["user", "system"]
"""The role of the HUD's texts in the middle of a conversation."""


class Exchange:
    """A request with our texts, and the reader of its answer."""

    def __init__(
        self, api: bodies.Api, body: Record, dialogue: Dialogue, delivery: Delivery
    ) -> None:
        self._api = api
        self._body = body
        self._dialogue = dialogue
        self._delivery = delivery
        self._stream: Record = {}
        self._rest = b""
        self.headers: dict[str, str] = {}
        """Headers that the request needs."""

    def answered(self, answer: Mapping[str, Any]) -> None:
        """Record the whole answer, given as JSON data."""

        def tell() -> None:
            host = self._dialogue.host
            host.sent(self._delivery)
            usage, model = self._api.usage(answer)
            calls, head = _calls(self._api, answer), _head(self._api, self._body, answer)
            self._dialogue.answered(usage, model=model, calls=calls, head=head)

        self._dialogue.host.attempt("read an answer", tell, nothing)

    def feed(self, chunk: bytes) -> None:
        """Read some bytes of an answer that is streamed as events."""

        def read() -> None:
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                text = line.strip()
                if text.startswith(b"data:") and text != b"data: [DONE]":
                    event = json_of(text[5:])
                    if isinstance(event, dict):
                        FOLDS[self._api.name](self._stream, event)

        self._dialogue.host.attempt("read an answer", read, nothing)

    def ended(self) -> None:
        """Record the answer at the end of the stream."""
        if self._rest:
            self.feed(b"\n")
        if self._stream:
            self.answered(self._stream)


class Wire:
    """Adds a HUD to requests.

    A request belongs to the running conversation (:meth:`Conversations.running`), else to this wire's own. A
    request without tools, in a conversation with tools, is unchanged: it asks for a title or a summary.

    :param source: the source of sessions.
    :param mode: the placement of the HUD.
    :param voice: its role, if the model accepts a system message in the middle of a conversation.
    :param options: those of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: for another voice.
    """

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode = "append",
        voice: Voice = "user",
        **options: Unpack[HostOptions],
    ) -> None:
        if voice not in get_args(Voice):
            raise DeliveryError(
                f'{shown(voice)} is not a voice; use voice="user" or voice="system"'
            )
        self.mode: Mode = mode
        self._voice = voice
        # The message before a tail has a breakpoint, or the provider caches the longest prefix.
        self.conversations = Conversations(source, mode=mode, has_cache_breakpoint=True, **options)
        self._with_tools: WeakSet[Dialogue] = WeakSet()

    def request(
        self, api: bodies.Api, body: Record, dialogue: Dialogue | None = None
    ) -> tuple[Record, Exchange | None]:
        """Return a request with the HUD, and the exchange that reads its answer; None for an unchanged request."""
        found = self.conversations.here() if dialogue is None else dialogue
        return found.host.attempt(
            "deliver the HUD", lambda: self._request(api, body, found), lambda: (body, None)
        )

    def _request(
        self, api: bodies.Api, body: Record, dialogue: Dialogue
    ) -> tuple[Record, Exchange | None]:
        thread = api.thread(body)
        is_held = thread is not None or bool(body.get("thread"))  # or will be, from this request on
        if body.get("tools"):
            self._with_tools.add(dialogue)
        elif not is_held and dialogue in self._with_tools:
            return body, None
        messages = api.read(body)
        if not messages or messages[-1].is_answer:
            return body, None  # nothing may follow an answer that the model is to continue
        mode = self._held_mode(api, body, dialogue) if is_held else self.mode
        delivery = dialogue.request(messages, held=thread, sent=not is_held, mode=mode)
        exchange = Exchange(api, body, dialogue, delivery)
        if is_held and mode == "tail":
            exchange.headers["anthropic-beta"] = CLEAR_AT
            return bodies.fleeting(body, delivery.text), exchange
        form = bodies.SPOKEN if self._speaks(api, body, dialogue) else api
        if dialogue.host.prunes and not is_held:
            body = api.join(body, pruned_list(dialogue.host, api.messages(body)), "")
        return form.placed(body, delivery), exchange

    def _speaks(self, api: bodies.Api, body: Record, dialogue: Dialogue) -> bool:
        """Return whether the HUD is in system messages."""
        if self._voice == "user" or api is not bodies.MESSAGES:
            return False
        model = str(body.get("model"))
        if bodies.SPEAKING.search(model) is None:
            dialogue.host.say(
                f"{model} takes no system message in the middle of a conversation: the HUD goes into the user's"
                ' messages; use Claude Opus 4.8 or newer, or voice="user"'
            )
            return False
        return True

    def _held_mode(self, api: bodies.Api, body: Record, dialogue: Dialogue) -> Mode:
        """The mode if the provider holds the history: a tail needs a message that lasts for one request."""
        clears = api is bodies.MESSAGES and bodies.CLEARING.search(str(body.get("model")))
        return self.mode if self.mode == "tail" and clears else dialogue.held_mode(self.mode)


class WireClient(CompactingAgent):
    """An adapter of a client's SDK that adds a HUD to outgoing requests."""

    dialect: ClassVar[str] = "json-schema"
    """The schema dialect of the tools for its loops."""

    def __init__(
        self, source: Source = None, *, mode: Mode = "append", **options: Unpack[HostOptions]
    ) -> None:
        self._wire = Wire(source, mode=mode, **options)

    def running(self, conversation: str) -> AbstractContextManager[HostSession]:
        """Run all requests within as part of a conversation, with a session of its own."""
        return self._wire.conversations.running(conversation)

    def subagent(self, name: str) -> AbstractContextManager[HostSession]:
        """Run all requests within as a subagent's, with a child session."""
        return self._wire.conversations.running(name, is_child=True)

    @property
    def _host(self) -> HostSession:
        """The session of the running conversation."""
        return self._wire.conversations.here().host

    @abstractmethod
    def results(self, answer: Any, /) -> list[Any]:
        """Return the results of the HUD's tools that an answer calls, for your own loop."""

    async def aresults(self, answer: Any, /) -> list[Any]:
        """The same as :meth:`results`, for asynchronous loops."""
        return await asyncio.to_thread(self.results, answer)

    def _results_of(self, *messages: Any) -> list[tuple[MessagePart, ToolResult]]:
        """The calls of the HUD's tools in messages, and their results."""
        offered = self._offered
        parts = (part for each in messages for part in read_message(each).parts)
        calls = [each for each in parts if each.kind == "call" and each.name in offered]
        return [(each, offered[each.name].call(each.value)) for each in calls]

    @property
    def _offered(self) -> Mapping[str, HostTool]:
        """The HUD's tools, by name."""
        return {each.name: each for each in self._wire.conversations.tools(self.dialect)}


def _head(api: bodies.Api, body: Record, answer: Mapping[str, Any]) -> str | None:
    """The id of the history that the provider holds after the answer, if it holds one."""
    thread = api.thread(body)
    if thread is not None and thread.startswith(bodies.CONVERSATION):
        return thread
    is_held = body.get("thread") or (api is bodies.RESPONSES and body.get("store") is not False)
    return str(answer.get("id")) if is_held else None


def _calls(api: bodies.Api, answer: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """The calls in an answer; only for APIs whose providers hold histories."""
    items = [answer] if api is bodies.MESSAGES else answer.get("output") or ()
    return tuple(call for each in items for call in calls_in(read_message(each).parts))


# --- Streams ---


def _fold_messages(answer: Record, event: Record) -> None:
    kind = event.get("type")
    if kind == "message_start":
        answer.update(event["message"], content=[])
    elif kind == "content_block_start":
        answer["content"].append({**event["content_block"], "partial": ""})
    elif kind == "content_block_delta" and "partial_json" in event["delta"]:
        answer["content"][-1]["partial"] += event["delta"]["partial_json"]
    elif kind == "content_block_stop":
        block = answer["content"][-1]
        block["input"] = block.pop("partial") or block.get("input")
    elif kind == "message_delta":
        told = {key: value for key, value in event["usage"].items() if value is not None}
        answer["usage"] = {**answer.get("usage", {}), **told}


def _fold_responses(answer: Record, event: Record) -> None:
    if event.get("type") in ("response.completed", "response.incomplete", "response.failed"):
        answer.update(event["response"])


def _fold_chunks(answer: Record, event: Record) -> None:
    answer.update({key: value for key, value in event.items() if value and key != "choices"})


FOLDS: Mapping[str, Callable[[Record, Record], None]] = {
    "messages": _fold_messages,
    "responses": _fold_responses,
    "chat": _fold_chunks,
    "gemini": _fold_chunks,
}
"""By API: a function that adds a stream's event to the answer."""


# Incoming answers, as the bytes of ``httpx2``: read while they pass, never changed or delayed.


class _Read(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A stream that passes its bytes on to an exchange."""

    def __init__(self, stream: Any, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange
        self._is_over = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self._exchange.feed(chunk)
            yield chunk
        self._over()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._exchange.feed(chunk)
            yield chunk
        self._over()

    def close(self) -> None:
        self._over()
        self._stream.close()

    async def aclose(self) -> None:
        self._over()
        await self._stream.aclose()

    def _over(self) -> None:
        """Complete the answer: a reader that has enough closes a stream before its end."""
        if not self._is_over:
            self._is_over = True
            self._exchange.ended()


Mend = Callable[[Record], bool]
"""A function that repairs an answer in place, and returns whether it did."""


def _is_along(response: Any, exchange: Exchange) -> bool:
    """Whether an answer needs no reading here: it is streamed, and read while it passes."""
    if "text/event-stream" in response.headers.get("content-type", ""):
        response.stream = _Read(response.stream, exchange)
        return True
    return False


def _tell(response: Any, exchange: Exchange, mend: Mend | None) -> None:
    answer = json_of(response.content)
    if isinstance(answer, dict):
        exchange.answered(answer)
        if mend is not None and mend(answer):
            response._content = json.dumps(answer).encode()  # noqa: SLF001 - there is no other way


def read_answer(response: Any, exchange: Exchange | None, mend: Mend | None = None) -> None:
    """Let an exchange read a successful answer; do nothing without an exchange.

    :param mend: repairs answers for which their SDK would end a run.
    """
    if exchange is None or response.status_code >= 300 or _is_along(response, exchange):
        return
    response.read()
    _tell(response, exchange, mend)


async def aread_answer(response: Any, exchange: Exchange | None, mend: Mend | None = None) -> None:
    """The same as :func:`read_answer`, for asynchronous clients."""
    if exchange is None or response.status_code >= 300 or _is_along(response, exchange):
        return
    await response.aread()
    await asyncio.to_thread(_tell, response, exchange, mend)


# Clients of ``httpx2`` that add a HUD to requests, for SDKs without another place for it.


def client_of(
    base: type[httpx2.Client], wire: Wire, mend: Mend | None = None, **options: Any
) -> httpx2.Client:
    """Return a client of a class that adds a HUD to its requests; see :func:`read_answer`."""

    class ClientWithHud(base):  # type: ignore[misc, valid-type]
        def send(self, request: httpx2.Request, **more: Any) -> httpx2.Response:
            made, exchange = _with_hud(wire, request)
            response = super().send(made, **more)
            read_answer(response, exchange, mend)
            return response

    return ClientWithHud(**options)


def async_client_of(
    base: type[httpx2.AsyncClient], wire: Wire, mend: Mend | None = None, **options: Any
) -> httpx2.AsyncClient:
    """The same as :func:`client_of`, for asynchronous clients."""

    class AsyncClientWithHud(base):  # type: ignore[misc, valid-type]
        async def send(self, request: httpx2.Request, **more: Any) -> httpx2.Response:
            made, exchange = await asyncio.to_thread(_with_hud, wire, request)
            response = await super().send(made, **more)
            await aread_answer(response, exchange, mend)
            return response

    return AsyncClientWithHud(**options)


def _with_hud(wire: Wire, request: httpx2.Request) -> tuple[httpx2.Request, Exchange | None]:
    api = bodies.api_of(request.url.path)
    if api is None or request.method != "POST":
        return request, None
    try:
        given = json_of(request.content)
    except httpx2.RequestNotRead:
        return request, None
    if not isinstance(given, dict):
        return request, None
    body, exchange = wire.request(api, given)
    if exchange is None:
        return request, None
    skipped = ("content-length", "transfer-encoding", "accept-encoding")
    headers = [(key, value) for key, value in request.headers.items() if key not in skipped]
    # Without an encoding, so that the stream's events can be read.
    headers.append(("accept-encoding", "identity"))
    made = httpx2.Request(
        request.method,
        request.url,
        headers=headers,
        content=json.dumps(body).encode(),  # escaped, for halves of surrogate pairs
        extensions=request.extensions,
    )
    return made, exchange


# The import of a host's SDK, which may be missing.


@contextmanager
def extra(name: str) -> Generator[None]:
    """Import an SDK in the context; if that fails, the error has the command that installs its extra.

    >>> with extra("langchain"):
    ...     raise ImportError("No module named 'langchain'")
    Traceback (most recent call last):
    ImportError: No module named 'langchain'; install it with: pip install 'ujsx[langchain]'
    """
    try:
        yield
    except ImportError as error:
        hint = f"{error}; install it with: pip install 'ujsx[{name}]'"
        raise ImportError(hint) from error
