"""Both policies for a session: what is cut is kept first, so that nothing is ever lost.

What the model is shown of an output is decided once, when it is new, and never again until it goes as old: else a
provider's cache of the history would break with each change of the level. The decision is kept with the output, so
another process shows the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from hud_runtime.pressure import Measured
from hud_runtime.pruning._modes import MODES, mode_named
from hud_runtime.pruning._old import OldOutputs, gone_text
from hud_runtime.pruning._output import ToolOutput, output_id
from hud_runtime.pruning._smart import Pruned, SmartPruning
from hud_runtime.store import StoredOutput

OLD = "old"
"""The mode of an output that went as a whole."""


class Keeping(Measured, Protocol):
    """What the pruning needs of a session; :class:`hud_runtime.HudSession` has it."""

    def keep_output(self, name: str, text: str, *, tool: str = "", mode: str = "normal") -> None:
        """Keep an output."""
        ...

    def outputs(self) -> list[StoredOutput]:
        """Return what is told of the kept outputs."""
        ...


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

    def new(self, session: Keeping, output: ToolOutput) -> str:
        """Return what the model is to read of an output that is new, after the whole was kept.

        Where it cannot be kept, it is not pruned, and the store's error is raised.
        """
        pruned = self._pruned(session, output)
        if pruned is None:
            return output.text
        session.keep_output(pruned.id, output.text, tool=output.tool, mode=pruned.mode)
        return pruned.text

    def all_of(
        self, session: Keeping, outputs: Sequence[ToolOutput], *, new: int = 0
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
        self, session: Keeping, outputs: Sequence[ToolOutput], shown: list[str], unread: int
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

    def _pruned(self, session: Keeping, output: ToolOutput) -> Pruned | None:
        smart = self.smart
        return None if smart is None else smart.prune(output, level=smart.level_in(session))
