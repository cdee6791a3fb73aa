"""Print what lets a shell complete `ujsx`: its commands, their actions, options and values.

For bash, `source <(ujsx completion bash)` in ~/.bashrc; for zsh, the same with zsh in ~/.zshrc, after
compinit; for fish, `ujsx completion fish > ~/.config/fish/completions/ujsx.fish`.
"""

from __future__ import annotations

from click.shell_completion import get_completion_class

from hud_runtime.cli._commands import Options, one_of
from hud_runtime.cli._options import COMPLETE, ROOT, argument
from hud_runtime.cli._terminal import put

SHELLS = ("bash", "zsh", "fish")


@argument("shell", metavar="SHELL", help=" or ".join(SHELLS))
def run(options: Options) -> int:
    kind = get_completion_class(one_of(options.shell, SHELLS, "shell"))
    if kind is not None:
        put(kind(ROOT, {}, "ujsx", COMPLETE).source())
    return 0
