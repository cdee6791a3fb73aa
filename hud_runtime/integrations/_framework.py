"""A HUD among the messages of a framework that shows each request before it goes out.

The frameworks keep none of our words: what was said is put behind the same messages again, request by request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, Unpack

from hud_runtime.delivery import Delivery, Mode
from hud_runtime.integrations._dialogue import Conversations, Dialogue, HostMessage, Source
from hud_runtime.integrations._host_session import HostOptions, check_prunes
from hud_runtime.integrations._sending import interleaved
from hud_runtime.integrations.bodies import Ours, without_system
from hud_runtime.observation import ToolCall, Usage

T = TypeVar("T")


class Placed(NamedTuple, Generic[T]):
    """A request's messages with ours among them."""

    messages: list[T | Ours]

    system: str = ""
    """The words for the system prompt."""

    unsure: Delivery | None = None
    """A delivery that the provider keeps if it answers."""


class Answered(NamedTuple):
    """What an answer of the model tells."""

    usage: Usage | None
    model: str | None = None
    calls: tuple[ToolCall, ...] = ()
    head: str | None = None
    """The id of the history that the provider holds once it has answered, where it holds one."""


class Framework:
    """What the adapters of frameworks share: conversations, the HUD's tools, and the place of the HUD.

    :param mode: the HUD's place.
    :param tools: whether agents get the HUD's tools.
    :param dialect: the form of their schemas.
    :param options: those of :class:`HostSession`.
    """

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode,
        tools: bool = True,
        dialect: str = "json-schema",
        **options: Unpack[HostOptions],
    ) -> None:
        check_prunes(options.get("prune", False), tools=tools)
        # The message before a tail is marked, or the provider keeps the longest prefix.
        self.conversations = Conversations(source, mode=mode, marked=True, **options)
        self.tools = self.conversations.tools(dialect) if tools else ()
        self.names = frozenset(each.name for each in self.tools)

    def placed(
        self,
        dialogue: Dialogue,
        own: Sequence[T],
        read: Callable[[T], HostMessage],
        *,
        held: str | None = None,
    ) -> Placed[T]:
        """Return a request's messages with ours among them.

        A request that ends with an answer, which the model is to go on with, is left as it is.

        :param held: the id of the history that the messages follow, where the provider holds it.
        """

        def deliver() -> Placed[T]:
            said = [read(each) for each in own]
            if not said or said[-1].is_answer:
                return Placed([*own])
            made = dialogue.request(said, held=held, sent=held is None)
            system = "\n".join(each.text for each in made.parts if each.place == "system")
            mixed = interleaved(list[Any](own), without_system(made), Ours)
            return Placed(mixed, system, None if held is None else made)

        return dialogue.host.attempt("deliver the HUD", deliver, lambda: Placed([*own]))

    async def aplaced(
        self,
        dialogue: Dialogue,
        own: Sequence[T],
        read: Callable[[T], HostMessage],
        *,
        held: str | None = None,
    ) -> Placed[T]:
        """Do as :meth:`placed` does, beside the event loop."""
        return await asyncio.to_thread(self.placed, dialogue, own, read, held=held)

    def answered(
        self, dialogue: Dialogue, read: Callable[[], Answered], placed: Placed[Any] | None = None
    ) -> None:
        """Tell that the model has answered.

        :param read: reads what the answer tells.
        """

        def tell() -> None:
            if placed is not None and placed.unsure is not None:
                dialogue.host.sent(placed.unsure)
            made = read()
            dialogue.answered(made.usage, model=made.model, calls=made.calls, head=made.head)

        dialogue.host.attempt("read an answer", tell, _nothing)

    async def aanswered(
        self, dialogue: Dialogue, read: Callable[[], Answered], placed: Placed[Any] | None = None
    ) -> None:
        """Do as :meth:`answered` does, beside the event loop."""
        await asyncio.to_thread(self.answered, dialogue, read, placed)


def _nothing() -> None:
    """Go on without."""
