"""Print what is left of a tool's output when it is pruned, and what that wins.

FILE is a text, such as a log, or - for standard input. What is left is on standard output, what it wins on standard
error. Nothing is kept: the calls in the notices work where a host prunes.
"""

from __future__ import annotations

from dataclasses import asdict

from hud_runtime.cli._commands import Options, UsageError, one_of
from hud_runtime.cli._options import argument, json_option, option
from hud_runtime.cli._stored import read_text
from hud_runtime.cli._terminal import put, put_json, remark

MODES = ("normal", "aggressive", "hyper")


@argument("file", metavar="FILE", help="a text, or - for standard input")
@option(
    "--percentage", metavar="N", type=float, help="how full the context is, in percent (default: 0)"
)
@option("--mode", metavar="MODE", help=f"instead: {', '.join(MODES)}")
@option("--tool", metavar="NAME", default="Bash", help="the tool that answered so (default: Bash)")
@option("--command", metavar="TEXT", help="the command that a shell was given")
@json_option("what is left, and each gap, as data")
def run(options: Options) -> int:
    from hud_components import THRESHOLDS
    from hud_runtime.pruning import SmartPruning, ToolOutput, mode_for, mode_named
    from hud_runtime.session import settings_beside
    from ujsx.text import visible

    if options.mode is not None and options.percentage is not None:
        raise UsageError("give a mode, or how full the context is, and not both")
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
    output = ToolOutput(text=read_text(options.file), tool=options.tool, arguments=arguments)
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
