"""A HUD among the messages of a framework that passes each request to an adapter first.

The frameworks store none of our texts: in each request they are placed after the same messages again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, Unpack
from weakref import WeakKeyDictionary

from hud_runtime.context.compaction._request import OPENING
from hud_runtime.context.delivery import Mode
from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Conversations, Dialogue, Source
from hud_runtime.integrations._host_session import HostSession, check_prunes
from hud_runtime.integrations._sending import HostOptions, digest_of, nothing
from hud_runtime.integrations.bodies import PlacedMessages, placed_in, told, with_ours
from hud_runtime.observe import ToolCall, Usage
from hud_runtime.observe._observations import mapping, whole
from hud_runtime.observe.messages import read_message

if TYPE_CHECKING:
    from hud_runtime.context.compaction import Ask, CompactionResult, Write

T = TypeVar("T")

Summarizers: TypeAlias = "Ask | Sequence[Ask] | None"
"""The models that are asked for a summary: one, several in turn, or none."""

SUMMED = "summed"
"""The session's note of its last summary: the number of messages that it replaces, and the last one of them."""


class FrameworkOptions(HostOptions, total=False):
    """The options of an adapter's class, except its source: see :class:`Framework`."""

    mode: Mode
    tools: bool
    summary: Summarizers


class ModelAnswer(NamedTuple):
    """The content of a model's answer."""

    usage: Usage | None
    model: str | None = None
    calls: tuple[ToolCall, ...] = ()
    head: str | None = None
    """The id of the history that the provider holds after the answer, if it holds one."""
    limit: int | None = None
    """The size of the model's context in tokens, if known."""


def _as_it_is(message: Any) -> Any:
    return message


class Framework:
    """The common part of framework adapters: conversations, the HUD's tools, and the HUD's placement.

    :param write: makes a message of the framework from a role and a text.
    :param data: returns a message of the framework as data, if it is an object of another form.
    :param mode: the HUD's placement.
    :param tools: whether agents get the HUD's tools.
    :param dialect: the form of their schemas.
    :param summary: asks a model for a summary, or several in turn; with it, histories are compacted.
    :param options: those of :class:`HostSession`.
    """

    def __init__(
        self,
        source: Source,
        write: Write,
        *,
        data: Callable[[Any], Any] = _as_it_is,
        mode: Mode = "append",
        tools: bool = True,
        dialect: str = "json-schema",
        summary: Summarizers = None,
        **options: Unpack[HostOptions],
    ) -> None:
        check_prunes(options.get("prune", False), tools=tools)
        # The message before a tail has a breakpoint, or the provider caches the longest prefix.
        self.conversations = Conversations(source, mode=mode, has_cache_breakpoint=True, **options)
        self.tools = self.conversations.tools(dialect) if tools else ()
        self.names = frozenset(each.name for each in self.tools)
        self._write = write
        self._data = data
        self._running: defaultdict[object, list[ExitStack]] = defaultdict(list)
        self.summary = summary
        self._summaries: WeakKeyDictionary[Dialogue, tuple[str, str]] = WeakKeyDictionary()

    # --- Compactions ---
    #
    # A framework's history may stay whole: in requests, the summary replaces the messages that the
    # session has noted, in this process or another one.

    def _compacted(self, dialogue: Dialogue, own: Sequence[T]) -> list[T]:
        """A request's messages, with a summary in place of old ones; a due compaction comes first."""
        if self.summary is None:
            return [*own]
        decision = dialogue.host.compaction()
        if decision.verdict == "now":
            short = self._short(dialogue, own)
            forms = [self._data(each) for each in short]
            made = dialogue.host.compact(forms, self.summary, decision=decision, write=self._write)
            self._note(dialogue, own, _same_as(forms, short, made), made.summary)
        return self._short(dialogue, own)

    async def _acompacted(self, dialogue: Dialogue, own: Sequence[T]) -> list[T]:
        """The same for asynchronous hosts; the models may be coroutine functions."""
        if self.summary is None:
            return [*own]
        decision = await asyncio.to_thread(dialogue.host.compaction)
        if decision.verdict == "now":
            short = await asyncio.to_thread(self._short, dialogue, own)
            forms = [self._data(each) for each in short]
            made = await dialogue.host.acompact(
                forms, self.summary, decision=decision, write=self._write
            )
            stay = _same_as(forms, short, made)
            await asyncio.to_thread(self._note, dialogue, own, stay, made.summary)
        return await asyncio.to_thread(self._short, dialogue, own)

    def _note(
        self, dialogue: Dialogue, own: Sequence[T], stay: Sequence[T], summary: str | None
    ) -> None:
        """Note the number of messages that the summary replaces: those after it stay."""
        if summary is None:
            return
        kept = {id(each) for each in stay if self._role(each) != "system"}
        number = next((n for n, each in enumerate(own) if id(each) in kept), len(own))
        last = self._digest(own[number - 1])
        self._summaries[dialogue] = last, summary
        dialogue.host.observe(keep={SUMMED: {"number": number, "last": last}})

    def _short(self, dialogue: Dialogue, own: Sequence[T]) -> list[T]:
        def short() -> list[T]:
            noted = mapping(dialogue.host.kept(SUMMED))
            number = whole(noted.get("number"))
            if not 0 < number <= len(own):
                return [*own]
            last = self._digest(own[number - 1])
            if last != noted.get("last"):
                return [*own]  # another history
            said = f"{OPENING}\n\n{self._summary_of(dialogue, last)}"
            system = [each for each in own[:number] if self._role(each) == "system"]
            return [*system, self._write("user", said), *own[number:]]

        return dialogue.host.attempt("put a summary in its place", short, lambda: [*own])

    def _digest(self, message: object) -> str:
        return digest_of(told(self._data(message)).text)

    def _role(self, message: object) -> str:
        return read_message(self._data(message)).role

    def _summary_of(self, dialogue: Dialogue, last: str) -> str:
        """The session's last summary, read once from its events."""
        known = self._summaries.get(dialogue)
        if known is None or known[0] != last:
            done = [each.summary for each in dialogue.host.session.compactions() if each.summary]
            known = self._summaries[dialogue] = last, done[-1]
        return known[1]

    # --- Deliveries ---

    def placed(self, dialogue: Dialogue, own: Sequence[T]) -> PlacedMessages:
        """Return a request's messages with the HUD's among them, and a summary in place of old ones.

        A request that ends with an answer, for the model to continue, is unchanged.
        """
        return self._placed(dialogue, self._compacted(dialogue, own))

    async def aplaced(
        self, dialogue: Dialogue, own: Sequence[T], *, held: str | None = None
    ) -> PlacedMessages:
        """Do as :meth:`placed` does, beside the event loop.

        :param held: the id of the history that the messages follow, if the provider holds it: then none of
            them is old.
        """
        short = [*own] if held else await self._acompacted(dialogue, own)
        return await asyncio.to_thread(self._placed, dialogue, short, held)

    def _placed(self, dialogue: Dialogue, own: list[T], held: str | None = None) -> PlacedMessages:
        def deliver() -> PlacedMessages:
            said = [told(self._data(each)) for each in own]
            if not said or said[-1].is_answer:
                return PlacedMessages([*own])
            made = dialogue.request(said, held=held, sent=held is None)
            return placed_in(own, made)._replace(unsure=None if held is None else made)

        return dialogue.host.attempt("deliver the HUD", deliver, lambda: PlacedMessages([*own]))

    def answered(
        self,
        dialogue: Dialogue,
        read: Callable[[], ModelAnswer],
        placed: PlacedMessages | None = None,
    ) -> None:
        """Record the model's answer.

        :param read: reads the answer.
        """

        def tell() -> None:
            if placed is not None and placed.unsure is not None:
                dialogue.host.sent(placed.unsure)
            dialogue.answered(**read()._asdict())

        dialogue.host.attempt("read an answer", tell, nothing)

    async def aanswered(
        self,
        dialogue: Dialogue,
        read: Callable[[], ModelAnswer],
        placed: PlacedMessages | None = None,
    ) -> None:
        """Do as :meth:`answered` does, beside the event loop."""
        await asyncio.to_thread(self.answered, dialogue, read, placed)

    def written(self, placed: PlacedMessages) -> list[Any]:
        """Return a request's messages, with the HUD's as the user's."""
        return with_ours(placed.messages, partial(self._write, "user"))

    # --- Tools ---

    def tool_begins(self, call: object, host: HostSession) -> None:
        """Make a session the parent of agents that a tool runs, and the session of the HUD's tools.

        :param call: identifies the call; of nested ones, the newest ends first.
        """
        stack = ExitStack()
        stack.enter_context(host.running())
        self._running[call].append(stack)

    def tool_ends(self, call: object) -> bool:
        """Note the end of a call; return whether its beginning was noted."""
        running = self._running.pop(call, [])
        if not running:
            return False
        running.pop().close()
        if running:
            self._running[call] = running
        return True

    def pruned(self, host: HostSession, output: ToolOutput) -> str:
        """Return the pruned text of a tool's output; all of it for the HUD's tools."""
        return output.text if output.tool in self.names else host.pruned(output)

    async def apruned(self, host: HostSession, output: ToolOutput) -> str:
        """Do as :meth:`pruned` does, beside the event loop."""
        return output.text if output.tool in self.names else await host.apruned(output)


def _same_as(forms: Sequence[object], own: Sequence[T], made: CompactionResult[Any]) -> list[T]:
    """The messages that a compaction has left, by their forms."""
    left = {id(each) for each in made.messages}
    return [each for form, each in zip(forms, own, strict=True) if id(form) in left]
