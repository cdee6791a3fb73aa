"""The way to a bridge from a process of ours, such as an MCP server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hud_runtime.integrations.bridge import _client as client


class Link:
    """Asks a bridge, which is started where it is not there.

    :param place: its socket.
    :param program: starts it.
    :param patience: seconds that an answer may take.
    """

    def __init__(self, place: Path, program: Sequence[str], *, patience: float = 10.0) -> None:
        self._place = str(place)
        self._program = [*program]
        self._patience = patience

    def ask(self, kind: str, data: bytes) -> str | None:
        """Return the answer, or None where there is none in time."""
        try:
            found = client.answered(self._place, self._patience, kind, self._program, data)
        except OSError:  # it does not start
            return None
        if found is None:
            return None
        answer, wire = found
        try:
            wire.sendall(b"\x06")
        except OSError:
            pass
        finally:
            wire.close()
        return answer.decode("utf-8", "surrogatepass")
