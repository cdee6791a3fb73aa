"""Compaction, as far as it is the HUD's: what is recorded before it, and the prompt for it."""

from __future__ import annotations

from hud_components import CODING, Hud, State
from hud_components.declaring import as_usual
from hud_runtime.tools._arguments import Compact
from hud_runtime.tools._session import SessionLike
from ujsx import Child, Children, Component, RenderContext, render_document
from ujsx.elements import Item, List, Paragraph, Section, strong
from ujsx.tools import ToolResult

PARTS: tuple[tuple[str, str], ...] = (
    ("Goal", "what this session is to reach, in the user's words where they matter"),
    ("Instructions", "what the user asked for or ruled out, and still holds"),
    ("Discoveries", "what you found out that cannot be read off the code at a glance"),
    ("Accomplished", "what is done, what is under way, what is left"),
    ("Relevant files", "the paths that matter, each with why"),
    ("Notes", "anything else that you would miss"),
)
"""The parts of a summary, by the founding documents on compaction, whose agents work on code."""

PARTS_OF_OTHERS: tuple[tuple[str, str], ...] = tuple(
    (name, meaning.replace("be read off the code", "be looked up"))
    for name, meaning in PARTS
    if name != "Relevant files"
)
"""The parts of a summary in other domains."""


class CompactionPrompt(Component):
    """Asks an agent for the summary that stands for its conversation from now on."""

    state: State
    """What the HUD holds, and so need not be repeated."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        is_coding = isinstance(self.state, CODING.state)
        named = PARTS if is_coding else PARTS_OF_OTHERS
        exact = "exact names, paths and numbers" if is_coding else "exact names and numbers"
        parts = (Item()[strong(name), f": {meaning}"] for name, meaning in named)
        return [
            Paragraph()[
                "The conversation so far is about to be replaced by a summary. You will continue "
                "this session yourself, with that summary and the HUD below and nothing else: "
                f"write for yourself, in full sentences, with {exact}."
            ],
            Paragraph()["Write these parts, and leave out one that would be empty:"],
            List(ordered=True)[parts],
            Section(title="What the HUD holds, and keeps")[
                Paragraph()["Do not repeat it; say what it does not."], Hud.of(as_usual(self.state))
            ],
        ]


PROMPT_TOKENS = 30_000
"""Tokens of the prompt at most; what is left out then is named in it."""


def compaction_prompt(state: State) -> str:
    """Return the prompt for a summary of the conversation, with what the HUD holds.

    >>> from hud_components import HudState
    >>> print(compaction_prompt(HudState()).partition(". ")[0])
    The conversation so far is about to be replaced by a summary
    """
    return render_document(CompactionPrompt(state=state), budget=PROMPT_TOKENS).text


def compact(session: SessionLike, asked: Compact) -> ToolResult:
    """Record that the conversation is about to be compacted, and return what a host needs."""
    event = session.record("compact.before", reason=asked.reason)
    data = {
        "action": "compact",
        "session_id": session.id,
        "version": event.version,
        "prompt": compaction_prompt(session.state()),
    }
    text = (
        f"Recorded at version {event.version}; what the HUD holds survives a compaction. "
        "Compacting the conversation itself is up to the program that runs you."
    )
    return ToolResult(text, data=data)
