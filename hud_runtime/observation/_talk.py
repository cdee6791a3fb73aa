"""The agent's messages and commands, of which a few hundred characters are kept.

Only the agent's own words and calls count, never what a tool gives back.
"""

from __future__ import annotations

import re

from hud_components.words import ends
from hud_runtime.observation._checks import within
from hud_runtime.observation._ledger import Told
from hud_runtime.observation._program_words import is_of_program
from hud_runtime.observation._reasons import reasons_in
from hud_runtime.observation._shell_scripts import all_commands
from hud_runtime.secrets import masked

LONGEST = 480
"""Characters of a message that are kept: its beginning and its end."""

LOOKED_AT = 20_000
"""Characters at each end of a message that are looked at."""

COMMAND = 100
"""Characters of a command that are kept."""

COMMANDS = 6
"""Commands of one call that are kept."""

MOST = 12
"""Commands that are kept until the agent says something."""

ANNOUNCEMENT = 160
"""Characters from which on a message says more than what the agent does next."""

_SAYS_MORE = re.compile(r"[.!?:。！？](?:\s+|(?<=[。！？]))(?=\S)|[?？]")
"""The end of a sentence before another one, or of a question."""

IDLE = frozenset(["cd", "echo", "pwd", "export", "set", "source", "exit", "true", "sleep"])
"""Commands that say nothing of the work."""


class Talk:
    """The agent's message that is being heard.

    >>> talk = Talk()
    >>> talk.says("The index is stale. Let me rebuild it.")
    >>> talk.runs("cd app && make index 2>&1 | tail")
    >>> [*talk.told()]
    [('message.said', {'text': 'The index is stale. Let me rebuild it.', 'ran': ['make index', 'tail']})]
    """

    def __init__(self) -> None:
        self._text: list[str] = []
        self._ran: list[str] = []
        self._heard = ""

    @property
    def place(self) -> tuple[list[str], list[str], str]:
        """The parts of the message, the commands and the end of the last message, without secrets."""
        return [masked(each) for each in self._text], self._ran, self._heard

    @place.setter
    def place(self, told: tuple[list[str], list[str], str]) -> None:
        self._text, self._ran, self._heard = [*told[0]], [*told[1]], told[2]

    def says(self, text: str) -> None:
        """Take in a part of the message."""
        if text.strip():
            self._text.append(text)

    def runs(self, script: str) -> None:
        """Take in a script that the message runs."""
        spelled = (" ".join(each.words) for each in all_commands(script) if each.words)
        told = [each for each in spelled if each.split(" ")[0] not in IDLE][:COMMANDS]
        self._ran = [*self._ran, *(masked(within(each, COMMAND)) for each in told)][-MOST:]

    def told(self, *, is_last: bool = False) -> list[Told]:
        """Return what is told of the message, with the commands that ran since the one before, and begin the next.

        :param is_last: whether the user speaks next, or the conversation is cut: then it counts however little
            it says. One that only says what the agent does next does not.
        """
        text, self._text = "\n".join(self._text), []
        self._heard = masked(text[-LOOKED_AT:])[-LONGEST:] or self._heard
        if not text or not (is_last or says_more(text)):
            return []
        ran, self._ran = self._ran, []
        why = [masked(each) for each in reasons_in(text)]
        also = {name: said for name, said in (("ran", ran), ("why", why)) if said}
        return [("message.said", {"text": in_short(text), **also})]

    def heard(self, answer: str) -> str:
        """Return the end of what the agent said last, for the first message of the user behind it."""
        heard = self._heard
        if not is_of_program(answer):
            self._heard = ""
        return heard


def says_more(text: str) -> bool:
    """Tell whether a message says more than what the agent does next.

    >>> says_more("Let me run the tests:"), says_more("Two fail. Let me look."), says_more("Both?")
    (False, True, True)
    """
    return len(text) > ANNOUNCEMENT or _SAYS_MORE.search(text) is not None


def in_short(text: str) -> str:
    """Return the beginning and the end of a message. Secrets are masked first: half of one is not found later."""
    if len(text) <= LONGEST:
        return text
    if len(text) > 2 * LOOKED_AT:
        text = f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"
    return ends(masked(text), LONGEST)
