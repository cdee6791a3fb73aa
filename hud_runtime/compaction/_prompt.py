"""The prompt for a summary: an agent writes it for itself, with its HUD and the summary before in sight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hud_components import CODING, THRESHOLDS, CompactedContext, Hud, State, Thresholds
from hud_components.declaring import as_usual
from hud_components.folding import with_sections
from ujsx import Child, Children, Component, RenderContext, render_document
from ujsx.elements import Item, List, Paragraph, Section, strong

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
    """What the HUD holds, and so need not be repeated; the summary before, too, which has to be."""

    prior: bool = True
    """Whether the summary before is shown; not, where the conversation has it."""

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
            *self._summary_before(),
            Section(title="What the HUD holds, and keeps")[
                Paragraph()["Do not repeat it; say what it does not."],
                Hud.of(_without_summary(as_usual(self.state))),
            ],
        ]

    def _summary_before(self) -> list[Child]:
        before = self.state.compacted_context
        if not before:
            return []
        told = (
            "There is a summary of what came before, and yours takes its place: keep what still "
            "holds, mend what has changed, drop what is done with."
        )
        return [Paragraph()[told], CompactedContext(text=before) if self.prior else None]


def _without_summary(state: State) -> State:
    return with_sections(state, compacted_context=None)


PROMPT_TOKENS = 30_000
"""Tokens of the prompt at most; what is left out then is named in it."""


def compaction_prompt(
    state: State,
    *,
    prior: bool = True,
    replace: str | None = None,
    append: Sequence[str] = (),
    thresholds: Thresholds = THRESHOLDS,
) -> str:
    r"""Return the prompt for a summary of the conversation, with what the HUD holds.

    :param prior: whether it shows the summary before; not, where the conversation has it.
    :param replace: a prompt of your own, as it stands, instead of all of this: parts, HUD and summary before.
    :param append: texts of your own behind it, as they stand.
    :param thresholds: where the levels begin that the HUD in it tells of.

    >>> from hud_components import HudState
    >>> print(compaction_prompt(HudState()).partition(". ")[0])
    The conversation so far is about to be replaced by a summary
    >>> compaction_prompt(HudState(), replace="Sum it up.", append=["In German."])
    'Sum it up.\n\nIn German.\n'
    """
    if replace is None:
        prompt: Any = CompactionPrompt(state=state, prior=prior)
        context = RenderContext().with_value(thresholds)
        replace = render_document(prompt, budget=PROMPT_TOKENS, context=context).text
    return "\n\n".join(each.strip("\n") for each in (replace, *append)) + "\n"
