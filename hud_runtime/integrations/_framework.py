"""A HUD among the messages of a framework that shows each request before it goes out.

The frameworks keep none of our words: what was said is put behind the same messages again, request by request.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, Unpack
from weakref import WeakKeyDictionary

from hud_runtime.context.compaction._request import OPENING, writer_like
from hud_runtime.context.delivery import Delivery, Mode
from hud_runtime.integrations._dialogue import Conversations, Dialogue, HostMessage, Source
from hud_runtime.integrations._host_session import HostOptions, check_prunes
from hud_runtime.integrations._sending import digest_of, interleaved
from hud_runtime.integrations.bodies import Ours, told, without_system
from hud_runtime.observe import ToolCall, Usage
from hud_runtime.observe._observations import mapping, whole
from hud_runtime.observe.messages import read_message

if TYPE_CHECKING:
    from hud_runtime.context.compaction import Ask, CompactionResult, Write

T = TypeVar("T")

SUMMED = "summed"
"""The session's own note of how many messages its last summary stands for, and of the last one of them."""


class Placed(NamedTuple, Generic[T]):
    """A request's messages with ours among them."""

    messages: list[T | Ours]

    system: str = ""
    """The words for the system prompt."""

    unsure: Delivery | None = None
    """A delivery that the provider keeps if it answers."""


class Answered(NamedTuple):
    """The contents of a model's answer."""

    usage: Usage | None
    model: str | None = None
    calls: tuple[ToolCall, ...] = ()
    head: str | None = None
    """The id of the history that the provider holds once it has answered, where it holds one."""


class Framework:
    """The part that adapters of frameworks share: conversations, the HUD's tools, and the place of the HUD.

    :param mode: the HUD's place.
    :param tools: whether agents get the HUD's tools.
    :param dialect: the form of their schemas.
    :param summary: asks a model for a summary, or several in turn; with it, histories are compacted.
    :param options: those of :class:`HostSession`.
    """

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode,
        tools: bool = True,
        dialect: str = "json-schema",
        summary: Ask | Sequence[Ask] | None = None,
        **options: Unpack[HostOptions],
    ) -> None:
        check_prunes(options.get("prune", False), tools=tools)
        # The message before a tail is marked, or the provider keeps the longest prefix.
        self.conversations = Conversations(source, mode=mode, marked=True, **options)
        self.tools = self.conversations.tools(dialect) if tools else ()
        self.names = frozenset(each.name for each in self.tools)
        self._summary = summary
        self._summaries: WeakKeyDictionary[Dialogue, tuple[str, str]] = WeakKeyDictionary()

    # --- Compactions ---
    #
    # A framework's history may stay whole: the summary stands in requests, in the place of the messages that the session
    # has noted, by this process or another one.

    def compacted(
        self, dialogue: Dialogue, own: Sequence[T], write: Write | None = None
    ) -> list[T]:
        """Return a request's messages, with a summary in the place of old ones; where it is time, one is made first.

        :param write: makes a message of the framework's, where its messages are no data.
        """
        if self._summary is None:
            return [*own]
        decision = dialogue.host.compaction()
        if decision.verdict == "now":
            short = self._short(dialogue, own, write)
            made = dialogue.host.compact(short, self._summary, decision=decision, write=write)
            self._note(dialogue, own, made)
        return self._short(dialogue, own, write)

    async def acompacted(
        self, dialogue: Dialogue, own: Sequence[T], write: Write | None = None
    ) -> list[T]:
        """Do as :meth:`compacted` does, beside the event loop; those that are asked may be coroutine functions."""
        if self._summary is None:
            return [*own]
        decision = await asyncio.to_thread(dialogue.host.compaction)
        if decision.verdict == "now":
            short = await asyncio.to_thread(self._short, dialogue, own, write)
            made = await dialogue.host.acompact(
                short, self._summary, decision=decision, write=write
            )
            await asyncio.to_thread(self._note, dialogue, own, made)
        return await asyncio.to_thread(self._short, dialogue, own, write)

    def _note(self, dialogue: Dialogue, own: Sequence[T], made: CompactionResult[T]) -> None:
        """Note how many messages the summary stands for: those behind it stay."""
        if made.summary is None:
            return
        stays = [n for n, each in enumerate(own) if _stays(each, made.messages)]
        number = stays[0] if stays else len(own)
        last = digest_of(told(own[number - 1]).text)
        self._summaries[dialogue] = last, made.summary
        dialogue.host.observe(keep={SUMMED: {"number": number, "last": last}})

    def _short(self, dialogue: Dialogue, own: Sequence[T], write: Write | None) -> list[T]:
        def short() -> list[T]:
            noted = mapping(dialogue.host.kept(SUMMED))
            number = whole(noted.get("number"))
            if not 0 < number <= len(own):
                return [*own]
            last = digest_of(told(own[number - 1]).text)
            if last != noted.get("last"):
                return [*own]  # another history
            said = f"{OPENING}\n\n{self._summary_of(dialogue, last)}"
            system = [each for each in own[:number] if read_message(each).role == "system"]
            return [*system, (write or writer_like(own))("user", said), *own[number:]]

        return dialogue.host.attempt("put a summary in its place", short, lambda: [*own])

    def _summary_of(self, dialogue: Dialogue, last: str) -> str:
        """The session's last summary, read off its events once."""
        known = self._summaries.get(dialogue)
        if known is None or known[0] != last:
            done = [each.summary for each in dialogue.host.session.compactions() if each.summary]
            known = self._summaries[dialogue] = last, done[-1]
        return known[1]

    # --- Deliveries ---

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


def _stays(message: object, made: Sequence[object]) -> bool:
    return read_message(message).role != "system" and any(message is each for each in made)
