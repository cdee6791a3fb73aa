"""The HUD as a hook of LiteLLM's proxy: ``callbacks: my_hooks.hud``, where ``hud = Hud()``.

The proxy adds it to requests on its routes for Chat Completions, Responses and Anthropic's Messages; the
client never sees it. A request's header ``x-litellm-session-id`` and its API key determine its session; a
request without the header is unchanged.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any, Unpack

from hud_runtime.context.delivery import Mode
from hud_runtime.integrations._dialogue import Dialogue, Source
from hud_runtime.integrations._sending import Guard, HostOptions
from hud_runtime.integrations._wire import Wire, extra
from hud_runtime.integrations.bodies import CHAT, MESSAGES, RESPONSES, Api, Record
from hud_runtime.observe import Usage

with extra("litellm"):
    from litellm.integrations.custom_logger import CustomLogger

__all__ = ["Hud"]

ROUTES = {
    "completion": CHAT,
    "acompletion": CHAT,
    "anthropic_messages": MESSAGES,
    "responses": RESPONSES,
    "aresponses": RESPONSES,
}

FIELDS = (
    "messages",
    "system",
    "tools",
    "input",
    "instructions",
    "previous_response_id",
    "conversation",
)
"""Fields of a request that determine the HUD's position."""

UNANSWERED = 1_000
"""Maximum requests that are remembered until their answers come."""


class Hud(CustomLogger):
    """Adds the HUD to the agents behind a proxy.

    :param source: a store, with a session for each of the proxy's; the path of one, or None for the default
        one; or the one session of all requests, for a proxy with one agent.
    :param mode: "append", "tail" or "system".
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     hud = Hud(store)
    """

    def __init__(
        self, source: Source = None, *, mode: Mode = "append", **options: Unpack[HostOptions]
    ) -> None:
        super().__init__()
        self._wire = Wire(source, mode=mode, **options)
        self._guard = Guard(options.get("on_warning"))
        self._asked: OrderedDict[str, Dialogue] = OrderedDict()

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: Any, call_type: Any
    ) -> Any:
        """Add the HUD to a request."""
        # An exception here would become the client's answer: a server error.
        return await asyncio.to_thread(
            self._guard.run,
            "deliver the HUD",
            lambda: self._with_hud(user_api_key_dict, data, ROUTES.get(str(call_type))),
            lambda: data,
        )

    def _with_hud(self, key: Any, data: Record, api: Api | None) -> Record:
        if api is None:
            return data
        dialogue = self._dialogue(key, data)
        if dialogue is None:
            return data
        alias = data.get("model")
        own = {each: data[each] for each in FIELDS if data.get(each) is not None}
        body, exchange = self._wire.request(api, {**own, "model": _model_of(alias)}, dialogue)
        if exchange is None:
            return data
        self._asked[str(data.get("litellm_call_id"))] = dialogue
        while len(self._asked) > UNANSWERED:
            self._asked.popitem(last=False)
        return {**data, **body, "model": alias}

    def _dialogue(self, key: Any, data: Record) -> Dialogue | None:
        if self._wire.conversations.is_one:
            return self._wire.conversations.here()
        named = data.get("litellm_session_id")
        if not named:
            self._guard.say(
                "a request names no session, and is left without a HUD; let the client send the header"
                " x-litellm-session-id"
            )
            return None
        # Requests with another key must not read a key's sessions.
        owner = str(getattr(key, "token", None) or "")[:12]
        return self._wire.conversations.of(f"{owner}-{named}" if owner else str(named))

    async def async_log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Record a request's usage."""

        def tell() -> None:
            dialogue = self._asked.pop(str(kwargs.get("litellm_call_id")), None)
            told = kwargs.get("standard_logging_object") or {}
            if dialogue is not None:
                dialogue.answered(_usage(told), model=told.get("model"))

        await asyncio.to_thread(self._guard.run, "read an answer", tell, lambda: None)


def _model_of(alias: Any) -> str:
    """The model behind a name of the proxy's, which determines its breakpoints."""
    from litellm.proxy import proxy_server

    router = getattr(proxy_server, "llm_router", None)
    found = router.get_model_list(model_name=alias) if router is not None else None
    return str(found[0]["litellm_params"]["model"] if found else alias)


def _usage(told: Record) -> Usage | None:
    if not told.get("prompt_tokens"):
        return None
    given = (told.get("metadata") or {}).get("usage_object") or {}
    details = given.get("prompt_tokens_details") or given.get("input_tokens_details") or {}
    read = given.get("cache_read_input_tokens") or details.get("cached_tokens") or 0
    written = given.get("cache_creation_input_tokens") or details.get("cache_write_tokens") or 0
    return Usage.of_prompt(
        told["prompt_tokens"],
        cache_read=read,
        cache_write=written,
        output=told.get("completion_tokens") or 0,
    )
