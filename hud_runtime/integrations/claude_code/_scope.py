"""The choice between two HUDs for an event, where one is installed for all projects and another for its project
alone.
"""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

from hud_runtime._errors import InstallError
from hud_runtime.integrations._hooked import bound
from hud_runtime.integrations._settings_file import read_file

OWN_SETTINGS = Path(".claude", "settings.local.json")
"""Where a project has the hooks that are its person's."""

KNOWN = 1_000
"""Sessions of which it is known."""


class Scope:
    """Of whom a bridge answers the hooks: of all sessions, but for those of projects that have a HUD of their own.

    The host runs the hooks of both; of equal ones it runs one. So the one for all projects stands back.

    :param socket: the bridge's, which its hooks name.

    >>> Scope(Path("b.sock")).has("s", "/nowhere")
    True
    """

    def __init__(self, socket: Path) -> None:
        self._socket = str(socket)
        self._known: OrderedDict[str, bool] = OrderedDict()

    def has(self, session: str, folder: str | None) -> bool:
        """Tell whether a session's hooks are answered. It is as it was for its first event, wherever its agent goes then.

        :param folder: the one in which the agent works.
        """
        if session not in self._known:
            self._known[session] = folder is None or self._is_ours(Path(folder))
            bound(self._known, KNOWN)
        return self._known[session]

    def _is_ours(self, folder: Path) -> bool:
        for each in (folder, *folder.parents):
            try:
                text = read_file(each / OWN_SETTINGS)
            except (OSError, InstallError):
                continue
            if text is None:
                continue
            from hud_runtime.integrations.claude_code._install import sockets_in

            named = sockets_in(text)
            if named:
                return self._socket in named
        return True
