"""What Claude Code's hooks say, within the limits that it has."""

from __future__ import annotations

LONGEST = 9_500
"""Characters of a text at most: of one with more than 10,000 the model gets the first 2,000."""

GUIDANCE = """\
The agent's HUD (its task, decisions, plan, notes, blockers, open files and errors) is kept outside the
conversation, and given again in full behind the summary. Do not repeat it: say what it does not hold.
Keep what the user asked for or ruled out and still holds, what was found out that the code does not tell at a
glance, what is under way, and exact names, paths and numbers."""
"""What is added to the prompt for a summary. It stands in the history once more, so it is short."""

COMPACTS = (
    "No tool can make Claude Code compact: it does so by itself when the context is full, or when the user types"
    " /compact. Tell the user that this would be a good place."
)
"""What an agent is told that asks for a compaction."""
