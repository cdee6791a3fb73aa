"""Pruning for a session: what is cut is kept first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hud_runtime._errors import PruningError
from hud_runtime.context.pruning._output import (
    CALL,
    MODES,
    NEVER,
    ToolOutput,
    is_protected,
    mode_named,
    output_id,
    protected,
)
from hud_runtime.context.pruning._smart import Pruned, SmartPruning
from hud_runtime.log import SessionLog
from ujsx.errors import shown
from ujsx.tokens import estimate_tokens

# Old outputs: which of them need not be read again, and go as a whole.
#
# The rule is OpenCode's: from the newest backwards, so many tokens of outputs are protected; what is older goes, but
# only when that wins enough to be worth that a provider reads the history anew. Some tools' answers never go.

PROTECT = 40_000
"""Tokens of the newest outputs that stay (OpenCode's PRUNE_PROTECT)."""

MINIMUM = 20_000
"""Tokens that must be won (OpenCode's PRUNE_MINIMUM)."""

TURNS = 2
"""The user's newest turns, the one under way counted, whose outputs stay: as OpenCode does."""


@dataclass(frozen=True, kw_only=True)
class OldOutputs:
    """A policy: which outputs go as a whole because they are old.

    :param protect: tokens of the newest outputs that stay.
    :param minimum: tokens that must be won, or nothing goes.
    :param turns: the user's newest turns whose outputs stay; 0 where turns are not told.
    :param never: tools whose outputs stay, by the names that :func:`protected` takes.
    :param enabled: False switches it off.
    :raises PruningError: for a figure below 0, and for names of tools that are none.

    >>> outputs = [ToolOutput(id=f"{n}", text=f"{n} " * 10_000, tokens=10_000) for n in range(8)]
    >>> [each.id for each in OldOutputs().gone(outputs)]
    ['0', '1', '2', '3']
    >>> OldOutputs().gone(outputs[3:]), OldOutputs(enabled=False).gone(outputs)
    ((), ())
    """

    protect: int = PROTECT
    minimum: int = MINIMUM
    turns: int = TURNS
    never: frozenset[str] = NEVER
    enabled: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "never", protected(self.never))
        for name in ("protect", "minimum", "turns"):
            figure: object = getattr(self, name)
            if not isinstance(figure, int) or figure < 0:
                raise PruningError(f"{name} is a whole number, 0 or more, not {shown(figure)}")

    def gone(
        self, outputs: Iterable[ToolOutput], before: Collection[str] = (), *, unread: int = 1
    ) -> tuple[ToolOutput, ...]:
        """Return the outputs that go now, oldest first.

        :param outputs: all of a session, oldest first.
        :param before: the ids of those that have gone already; they are not told again, and win nothing.
        :param unread: how many of the newest the model has not read yet: these stay, whatever their size.
        """
        known = [*outputs]
        if not self.enabled or not known:
            return ()
        newest = known[-1].turn
        is_told = newest > 0  # where nobody counts turns, all are of one
        protected = won = 0
        found: list[ToolOutput] = []
        for place, each in enumerate(reversed(known)):
            if each.id in before:
                continue
            if place < unread or (is_told and each.turn > newest - self.turns):
                protected += each.size
                continue
            if each.synthetic or is_protected(each, self.never):
                continue
            if protected + each.size <= self.protect:
                protected += each.size
                continue
            protected = self.protect
            gain = each.size - estimate_tokens(gone_text(each))
            if gain > 0:
                won += gain
                found.append(each)
        return tuple(reversed(found)) if won >= self.minimum else ()


def gone_text(output: ToolOutput) -> str:
    r"""Return what stands in the place of an output that went as a whole.

    >>> gone_text(ToolOutput(text="a\nb\n", tool="Read"))
    '… 2 lines of Read, 2 tokens, cut because they are old: hud output o-911169dd'
    """
    lines = output.text.count("\n") + (not output.text.endswith("\n"))
    call = CALL.format(id=output_id(output.text))
    tool = "".join(each for each in output.tool if each.isprintable())[:60]
    return (
        f"… {lines:,} lines{f' of {tool}' if tool else ''}, {output.size:,} tokens, cut because they"
        f" are old: {call}"
    )


OLD = "old"
"""The mode of an output that went as a whole."""


@dataclass(frozen=True, kw_only=True)
class Pruning:
    r"""The settings of pruning in a host: ``prune=Pruning(old=None)``; ``prune=True`` is all of it.

    :param smart: prunes each output when it is new; None to leave them whole.
    :param old: lets old outputs go where a host shows its whole history; None to keep them.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     listing = "".join(f"src/module_{number}.py\n" for number in range(400))
    ...     text = Pruning().new(session, ToolOutput(text=listing, tool="Glob"))
    ...     print(text.splitlines()[30])
    ...     session.output("o-09d9c63f").text == listing
    … 340 more lines: hud output o-09d9c63f 31-370
    True
    """

    smart: SmartPruning | None = field(default_factory=SmartPruning)
    old: OldOutputs | None = field(default_factory=OldOutputs)

    def new(self, session: SessionLog[Any], output: ToolOutput) -> str:
        """Return what the model is to read of an output that is new, after the whole was kept.

        Where it cannot be kept, it is not pruned, and the store's error is raised.
        """
        pruned = self._pruned(session, output)
        if pruned is None:
            return output.text
        session.keep_output(pruned.id, output.text, tool=output.tool, mode=pruned.mode)
        return pruned.text

    def all_of(
        self, session: SessionLog[Any], outputs: Sequence[ToolOutput], *, new: int = 0
    ) -> tuple[str, ...]:
        """Return what the model is to read of each output of a history, oldest first.

        :param new: from which one on they are new: the model has not read them yet.
        :raises StoreError: where one cannot be kept; then none of these is pruned.
        """
        modes = {each.id: each.mode for each in session.outputs()}
        shown: list[str] = []
        for number, output in enumerate(outputs):
            mode = modes.get(output_id(output.text)) if modes else None
            if mode is not None:
                shown.append(self._again(output, mode))
            else:
                shown.append(self.new(session, output) if number >= new else output.text)
        return self._without_old(session, outputs, shown, max(1, len(outputs) - new))

    def _without_old(
        self, session: SessionLog[Any], outputs: Sequence[ToolOutput], shown: list[str], unread: int
    ) -> tuple[str, ...]:
        if self.old is None:
            return tuple(shown)
        gone = {str(n) for n, each in enumerate(outputs) if shown[n] == gone_text(each)}
        seen = [
            replace(
                each, text=text, id=str(number), tokens=each.tokens if text == each.text else None
            )
            for number, (each, text) in enumerate(zip(outputs, shown, strict=True))
        ]
        for each in self.old.gone(seen, gone, unread=unread):
            whole = outputs[int(each.id)]
            session.keep_output(output_id(whole.text), whole.text, tool=whole.tool, mode=OLD)
            shown[int(each.id)] = gone_text(whole)
        return tuple(shown)

    def _again(self, output: ToolOutput, mode: str) -> str:
        """What was shown of an output before."""
        if mode == OLD:
            return gone_text(output)
        if self.smart is None or mode not in MODES:
            return output.text
        pruned = self.smart.prune(output, mode=mode_named(mode, self.smart.modes))
        return output.text if pruned is None else pruned.text

    def _pruned(self, session: SessionLog[Any], output: ToolOutput) -> Pruned | None:
        smart = self.smart
        return None if smart is None else smart.prune(output, level=smart.level_in(session))
