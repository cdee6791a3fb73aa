"""The SDK's server over lines of bytes: every line that has an id is answered, whatever it is.

The SDK's own transport drops a line that it cannot read, and ends at an answer that it cannot write.
"""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import Any, BinaryIO

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from hud_runtime._limits import Limits
from hud_runtime.mcp._messages import (
    INTERNAL_ERROR,
    InvalidMessageError,
    Record,
    error_answer,
    next_messages,
)

PATIENCE = 5.0
"""Seconds that requests have to be answered in after the end of the input."""

LISTEN = "subscriptions/listen"
"""The request that is answered when its client listens no more."""

_log = logging.getLogger("hud_runtime.mcp")


async def serve_lines(
    server: Server[Any], given: BinaryIO, out: BinaryIO, limits: Limits | None = None
) -> None:
    """Serve one client, and return at the end of its lines.

    :param limits: ``read`` is how many bytes of a line are read.
    """
    to_server, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
    write, from_server = anyio.create_memory_object_stream[SessionMessage]()
    in_order = anyio.Lock()
    pending: set[types.RequestId | None] = set()

    async def put(line: bytes) -> None:
        async with in_order:
            await to_thread.run_sync(_put, out, line)

    async def hear() -> None:
        hear_next = partial(next_messages, given, limits or Limits.of_environment())
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
            with anyio.move_on_after(PATIENCE):  # the SDK gives up what is under way at the end
                while pending:  # noqa: ASYNC110 - nothing else waits for this
                    await anyio.sleep(0.01)

    async def tell() -> None:
        async with from_server:
            async for each in from_server:
                await put(_written(each.message))
                if isinstance(each.message, types.JSONRPCResponse | types.JSONRPCError):
                    pending.discard(each.message.id)

    async with anyio.create_task_group() as group:
        group.start_soon(hear)
        group.start_soon(tell)
        await server.run(read, write, server.create_initialization_options())


def _message_of(message: Record) -> types.JSONRPCMessage | None:
    """A message for the SDK; None for an answer of the client that is none."""
    if "method" in message:
        kind = types.JSONRPCRequest if "id" in message else types.JSONRPCNotification
        return kind.model_validate(message)
    try:
        return types.jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        _log.debug("an answer of the client that is none", exc_info=True)
        return None


def _written(message: types.JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:  # nested too deep
        _log.exception("an answer that cannot be written")
        problem = "the answer cannot be written as JSON; the server's log says why"
        return _line(error_answer(getattr(message, "id", None), INTERNAL_ERROR, problem))


def _line(answer: Record) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _put(out: BinaryIO, line: bytes) -> None:
    try:
        out.write(line)
        out.flush()
    except OSError:  # the client has gone; its input ends next
        _log.debug("an answer was not taken", exc_info=True)
