"""Old outputs: which of them need not be read again, and go as a whole.

The rule is OpenCode's: from the newest backwards, so many tokens of outputs are protected; what is older goes, but
only when that wins enough to be worth that a provider reads the history anew. Some tools' answers never go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from hud_runtime._errors import PruningError
from hud_runtime.pruning._output import ToolOutput, output_id
from hud_runtime.pruning._pieces import CALL
from hud_runtime.pruning._protected import NEVER, is_protected, protected
from ujsx.errors import shown
from ujsx.tokens import estimate_tokens

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
