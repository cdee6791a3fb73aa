"""The pruning of one tool's output, to be looked at: nothing is kept."""

from __future__ import annotations

from dataclasses import asdict

from hud_runtime.cli._commands import Options, UsageError, one_of
from hud_runtime.cli._stored import read_text
from hud_runtime.cli._terminal import put, put_json, remark

MODES = ("normal", "aggressive", "hyper")


def tell_pruned(options: Options) -> int:
    """Print what is left of a tool's output when it is pruned, and what that wins."""
    from hud_components import THRESHOLDS
    from hud_runtime.context.pruning import SmartPruning, ToolOutput, mode_for, mode_named
    from hud_runtime.session import settings_beside
    from ujsx.text import visible

    if options.subject is None:
        raise UsageError("--pruned needs a text: ujsx explain --pruned FILE")
    used = options.percentage or 0.0
    if not 0 <= used < float("inf"):
        raise UsageError(f"a percentage is 0 or more, not {used:g}")
    if options.mode is not None:
        one_of(options.mode, MODES, "mode")
    settings = settings_beside(None)
    table = settings.thresholds or THRESHOLDS
    mode = mode_for(used, thresholds=table) if options.mode is None else mode_named(options.mode)
    policy = (None if settings.pruning is None else settings.pruning.smart) or SmartPruning()
    arguments = {} if options.command is None else {"command": options.command}
    output = ToolOutput(text=read_text(options.subject), tool=options.tool, arguments=arguments)
    made = policy.prune(output, mode=mode)
    if options.json:
        whole: dict[str, object] = {"text": output.text, "mode": mode.name, "cuts": ()}
        sizes = {"before": output.size, "after": output.size}
        put_json({**whole, **sizes} if made is None else asdict(made))
        return 0
    put(visible(output.text if made is None else made.text))
    if made is None:
        remark(f"{output.size:,} tokens; nothing to win ({mode.name})")
    else:
        remark(f"{made.before:,} tokens, {made.after:,} left ({made.kind}, {made.mode})")
    return 0
