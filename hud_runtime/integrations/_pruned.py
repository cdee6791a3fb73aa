"""Message lists with pruned outputs: for loops of one's own, and for requests on their way."""

# JSON data is Any by nature.
# pyright: basic

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from hud_runtime._errors import PruningError
from hud_runtime.integrations._host_session import HostSession
from hud_runtime.messages import Part, read_message, with_answers
from hud_runtime.pruning import ToolOutput
from ujsx.errors import did_you_mean, shown

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
    if form not in (forms := get_args(Form)):
        raise PruningError(f"{shown(form)} is no form of messages; {did_you_mean(form, forms)}")
    return pruned_list(host, messages)


def pruned_list(host: HostSession, messages: Sequence[Any]) -> list[Any]:
    """Return a request's messages with pruned outputs; as they are, where anything goes wrong."""

    def prune() -> list[Any]:
        outputs, new = outputs_in(messages)
        texts = host.pruned_history(outputs, new=new)
        return with_outputs(messages, texts)

    return host.attempt("prune the outputs of tools", prune, lambda: [*messages])


def outputs_in(messages: Sequence[Any]) -> tuple[list[ToolOutput], int]:
    """Return the outputs in a request's messages, oldest first, and from which one on the model reads them first.

    >>> call = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "ls", "arguments": "{}"}}]}
    >>> found, new = outputs_in([call, {"role": "tool", "tool_call_id": "1", "content": "a.py"}])
    >>> found[0].tool, found[0].text, new
    ('ls', 'a.py', 0)
    """
    calls: dict[str, Part] = {}
    unanswered: list[Part] = []  # of an API whose calls may have no ids
    found: list[ToolOutput] = []
    turn = new = 0

    def take(text: str, result: Part, holder: Mapping[str, Any]) -> str:
        call = calls.get(result.id or "")
        if call is None and result.name:
            place = next((n for n, each in enumerate(unanswered) if each.name == result.name), None)
            call = result if place is None else unanswered.pop(place)
        found.append(
            ToolOutput(
                text=text,
                tool="" if call is None else call.name,
                id=result.id or "",
                arguments={} if call is None or call is result else call.arguments,
                turn=turn,
                failed=result.status == "failed",
                synthetic=holder.get("synthetic") is True,
            )
        )
        return text

    for message in messages:
        told = read_message(message)
        if told.role == "assistant" and told.parts:
            new = len(found)
        turn += told.role in ("user", "assistant") and bool(told.text.strip())
        for part in told.parts:
            if part.kind == "call":
                calls[part.id or ""] = part
                unanswered.append(part)
        calls.pop("", None)
        with_answers(message, take)
    return found, new


def with_outputs(messages: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """Return messages whose outputs have these texts, in the order of :func:`outputs_in`.

    >>> with_outputs([{"role": "tool", "tool_call_id": "1", "content": "a.py"}], ["…"])
    [{'role': 'tool', 'tool_call_id': '1', 'content': '…'}]
    """
    left: Iterator[str] = iter(texts)
    return [with_answers(each, lambda *_about: next(left)) for each in messages]
