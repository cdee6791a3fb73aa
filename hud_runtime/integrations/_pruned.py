"""Message lists with pruned outputs: for loops of one's own, and for requests on their way."""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hud_runtime.integrations._host_session import HostSession
from hud_runtime.integrations.bodies import Api
from hud_runtime.integrations.bodies._outputs import api_named, outputs_in, with_outputs

if TYPE_CHECKING:
    from hud_runtime.pruning import Pruning
    from hud_runtime.session import HudSession

Form: TypeAlias = Literal["anthropic", "chat", "responses", "gemini"]
"""Whose messages they are: Anthropic's, OpenAI's Chat Completions or Responses, Gemini's."""


def prune_messages(
    session: HudSession[Any] | HostSession,
    messages: Sequence[Any],
    form: Form,
    *,
    prune: Pruning | bool = True,
) -> list[Any]:
    r"""Return messages for the next request, with outputs of tools pruned; yours stay as they are.

    Pass the whole list each time, unpruned: what was shown of an output before is shown again, so the
    history stays the same to the byte, but for old outputs, which go together when that wins enough.

    :param session: the session that keeps what is cut. The agent needs its tool ``hud`` to bring it back.
    :param messages: as JSON data, oldest first.
    :param prune: the policies; for a :class:`HostSession` its own count.
    :raises PruningError: for a form that is none.

    >>> from hud_runtime import HudStore
    >>> listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    >>> messages = [
    ...     {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "glob", "arguments": "{}"}}]},
    ...     {"role": "tool", "tool_call_id": "1", "content": listing},
    ... ]
    >>> with HudStore.open(":memory:") as store:
    ...     pruned = prune_messages(store.session("s"), messages, "chat")
    >>> pruned[1]["content"].splitlines()[30], pruned[1]["tool_call_id"]
    ('… 340 more lines: hud output o-09d9c63f 31-370', '1')
    """
    host = session if isinstance(session, HostSession) else HostSession(session, prune=prune)
    return pruned_list(host, api_named(form), messages)


def pruned_list(host: HostSession, api: Api, messages: Sequence[Any]) -> list[Any]:
    """Return a request's messages with pruned outputs; as they are, where anything goes wrong."""

    def prune() -> list[Any]:
        outputs, new = outputs_in(api, messages)
        texts = host.pruned_history(outputs, new=new)
        return with_outputs(api, messages, texts)

    return host.attempt("prune the outputs of tools", prune, lambda: [*messages])
