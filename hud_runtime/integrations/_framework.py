"""A HUD among the messages of a framework that shows each request before it goes out.

The frameworks keep none of our words: what was said is put behind the same messages again, request by request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack

from hud_runtime.integrations._anchors import interleaved
from hud_runtime.integrations._conversations import Conversations, Source
from hud_runtime.integrations._dialogue import Dialogue, Message
from hud_runtime.integrations._host_session import SentOptions
from hud_runtime.integrations._tools import check_prunes
from hud_runtime.integrations.bodies import Ours, without_system
from hud_runtime.observation import Usage
from hud_runtime.pruning import ToolOutput

T = TypeVar("T")


class Framework:
    """What the adapters of frameworks share: conversations, the HUD's tools, and the place of the HUD.

    :param tools: whether agents get the HUD's tools.
    :param options: those of :class:`HostSession`.
    """

    def __init__(
        self, source: Source = None, *, tools: bool = True, **options: Unpack[SentOptions]
    ) -> None:
        check_prunes(options.get("prune", False), tools=tools)
        # The message before a tail is marked, or the provider keeps the longest prefix.
        self.conversations = Conversations(source, **{**options, "marked": True})
        self.tools = self.conversations.tools() if tools else ()
        self._names = frozenset(each.name for each in self.tools)

    def placed(
        self, dialogue: Dialogue, own: Sequence[T], read: Callable[[T], Message]
    ) -> tuple[list[T | Ours], str]:
        """Return a request's messages with ours among them, and the words for its system prompt.

        A request that ends with an answer, which the model is to go on with, is left as it is.
        """

        def deliver() -> tuple[list[T | Ours], str]:
            said = [read(each) for each in own]
            if not said or said[-1].is_answer:
                return [*own], ""
            made = dialogue.request(said)
            system = "\n".join(each.text for each in made.parts if each.place == "system")
            return interleaved(list[Any](own), without_system(made), Ours), system

        return dialogue.host.attempt("deliver the HUD", deliver, lambda: ([*own], ""))

    async def aplaced(
        self, dialogue: Dialogue, own: Sequence[T], read: Callable[[T], Message]
    ) -> tuple[list[T | Ours], str]:
        """Do as :meth:`placed` does, beside the event loop."""
        return await asyncio.to_thread(self.placed, dialogue, own, read)

    def answered(
        self, dialogue: Dialogue, used: Callable[[], Usage | None], model: str | None = None
    ) -> None:
        """Tell that the model has answered.

        :param used: reads what that took.
        """

        def tell() -> None:
            dialogue.answered(used(), model=model)

        dialogue.host.attempt("read an answer", tell, _nothing)

    async def aanswered(
        self, dialogue: Dialogue, used: Callable[[], Usage | None], model: str | None = None
    ) -> None:
        """Do as :meth:`answered` does, beside the event loop."""
        await asyncio.to_thread(self.answered, dialogue, used, model)

    async def apruned(self, dialogue: Dialogue, output: ToolOutput) -> str:
        """Return what the model is to read of a tool's output; all of it, if the tool is the HUD's."""
        if output.tool in self._names:
            return output.text
        return await dialogue.host.apruned(output)


def _nothing() -> None:
    """Go on without."""
