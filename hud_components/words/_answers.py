"""The fixed texts of what the HUD's tools answer, by name. Those of a section's own verbs stand in its declaration."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ANSWERS: Mapping[str, str] = MappingProxyType(
    {
        "answer.known": "Known already: {id}.",
        "answer.same": "Nothing changed.",
        "answer.kept": "Kept, but not in the HUD yet: the store cannot be reached. It is recorded when the store is"
        " back; do not repeat it.",
        "answer.masked": "Masked, as secrets are not kept: {kinds}.",
        "answer.set": "Set: {count} {noun}.",
        "items.noun": "item|items",
        "answer.cleared": "Cleared {id}.",
        "answer.stays": "{count} stay, as only the user can end them.",
        "answer.pin": "Pinned {section}: shown in full, as far as there is room.",
        "answer.fold": "Folded {section}: {call} shows all.",
        "answer.reset": "Reset {section}: neither pinned nor folded.",
        # What reads.
        "answer.none": "None.",
        "answer.none after": "None after {count}.",
        "answer.no value": "No {section}.",
        "answer.page": "{first}–{last} of {total}",
        "answer.next": "; the next: ",
        "answer.more": "More: ",
        "answer.nothing yet": "Nothing recorded yet.",
        "answer.nothing left": "Nothing is left of what was recorded.",
        "answer.not found": "Nothing found.",
        "answer.remembered": "This is what was known at version {version}:",
        "answer.summary": "t{turn}, {time}, {count} characters: {text}",
        # The context.
        "answer.unread": "No reading of the context yet; the HUD has {tokens} tokens.",
        "answer.unread since": "No reading of the context since the last compaction; the HUD has {tokens} tokens.",
        "answer.used": "{used} of {limit} tokens used, {share}: {level}; {left} left",
        "answer.parts": "of them: {parts}",
        "answer.input": "input {count}",
        "answer.cache_read": "read from the cache {count}",
        "answer.cache_write": "written to it {count}",
        "answer.output": "output {count}",
        "answer.read in": "read in ",
        "answer.hud": "the HUD has {tokens} tokens, {share} of the window",
        "answer.red": "compaction is near: what only the conversation tells can be recorded in the HUD, and a"
        " compaction asked for",
        "answer.critical": "compaction is due: what only the conversation tells can be recorded in the HUD, and a"
        " compaction asked for",
        "level.green": "green",
        "level.yellow": "yellow",
        "level.red": "red",
        "level.critical": "critical",
        "trend.stable": "stable",
        "trend.growing": "growing",
        "trend.growing rapidly": "growing rapidly",
        # Compactions.
        "answer.compact": "Recorded at version {version}; what the HUD holds survives a compaction. Compacting the"
        " conversation itself is up to the program that runs you.",
        "answer.not compacted": "Not compacted: the context is {percent}% full; a compaction is worth its price from"
        " {least}% on.",
        "answer.compact later": "A compaction is asked for at version {version}. {used}It runs after this turn, where the"
        " program that runs you can do it; go on, and end your turn. What the HUD holds survives it.",
        "answer.compact used": "The context is {percent}% full. ",
        # The agent's layout.
        "answer.layout": "Layout set; the HUD has {tokens} tokens with it.",
        "answer.layout added": "Shown in any case, and so added: {names}.",
        "answer.layout reset": "Layout reset.",
        "answer.layout default": "The default layout:",
        "answer.layout own": "Your layout:",
        "answer.layout not shown": "Your layout, which is not shown now: {why}",
        "answer.layout tags": "A layout is Markdown with these tags: Hud (title), {sections} (limit={{3}}, density=compact),"
        ' Compact, When ({conditions}level="red"){loops}{values}. No links, images or HTML.',
        # A child and its parent.
        "answer.parent": "Your parent ",
        "answer.parent now": " now, at version {version}:",
        "answer.parent begun": " as it was when you began, at version {version}:",
        "answer.parent nothing": "nothing to see.",
        "answer.parent nothing new": "nothing new to see.",
        "answer.parent not live": "Nothing: you see your parent as it was when you began.",
        "answer.handed back": "Handed back: {id} of your parent's {section}.",
        "answer.handed by": "(handed back by {child})",
        "answer.handed before": "Your parent has that already, as {id} of its {section}.",
    }
)
"""The texts by name."""
