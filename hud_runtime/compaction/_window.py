"""The room that a model's window leaves for a conversation, and whether a conversation exceeds it.

Two formulas, those of the founding documents on compaction: a model with a limit on input of its own can take
``limit.input − reserved``; any other ``context − max output``.
"""

from __future__ import annotations

from dataclasses import dataclass

RESERVED = 20_000
"""Tokens that are kept free at most beside what the model may write, unless somebody says otherwise: the buffer of
the founding documents (``COMPACTION_BUFFER`` in OpenCode's ``session/overflow.ts``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWindow:
    """The size of a model's window in tokens, as its provider or a host reports it.

    :raises ValueError: for a figure below 0, and for one that leaves nothing to the conversation.

    >>> ModelWindow(context=200_000, output=32_000).usable()
    168000
    >>> ModelWindow(context=400_000, input=272_000, output=128_000).usable()
    252000
    >>> ModelWindow(context=0).usable() is None
    True
    """

    context: int
    """Tokens that the window holds, what the model writes included; 0 where nobody knows."""

    input: int | None = None
    """Tokens of input at most, where the provider has a limit of its own on those."""

    output: int = 0
    """Tokens that the model writes at most; 0 where nobody knows."""

    def __post_init__(self) -> None:
        for name in ("context", "input", "output"):
            count = getattr(self, name)
            if count is not None and count < 0:
                raise ValueError(f"{name} is a count of tokens, 0 or more, not {count:,}")
        if self.context and not self.input and self.output >= self.context:
            raise ValueError(
                f"output={self.output:,} leaves nothing of a context of {self.context:,} tokens;"
                " output is what the model may write in one answer"
            )

    def reserved(self, configured: int | None = None) -> int:
        """Return how many tokens of input are kept free: those that are asked for, else 20,000 or what it writes."""
        return min(RESERVED, self.output) if configured is None else configured

    def usable(self, reserved: int | None = None) -> int | None:
        """Return how many tokens a conversation may have; None where the window is not known, and so has no end.

        :param reserved: how many tokens of input are kept free, where the model has a limit on those.
        :raises ValueError: for a reserve that leaves nothing.
        """
        if not self.context:
            return None
        if not self.input:
            return self.context - self.output
        free = self.input - self.reserved(reserved)
        if free <= 0:
            raise ValueError(
                f"reserved={self.reserved(reserved):,} leaves nothing of {self.input:,} tokens of input;"
                " reserve less"
            )
        return free


def is_overflow(
    tokens: int,
    window: ModelWindow,
    *,
    reserved: int | None = None,
    auto: bool = True,
    is_summary: bool = False,
) -> bool:
    """Tell whether a conversation is beyond what its model can use.

    :param tokens: how many it has: input, output, and cached ones.
    :param reserved: tokens of input that are kept free; see :meth:`ModelWindow.reserved`.
    :param auto: False switches it off.
    :param is_summary: whether they were counted at the answer that was the summary: that read what is gone by now.

    >>> window = ModelWindow(context=200_000, output=32_000)
    >>> [is_overflow(tokens, window) for tokens in (167_999, 168_000)]
    [False, True]
    >>> is_overflow(168_000, window, is_summary=True)
    False
    """
    if not auto or is_summary:
        return False
    usable = window.usable(reserved)
    return usable is not None and tokens >= usable
