"""The order of worth: what a HUD shows first when tokens are short, and why.

A rung of a section's ladder says what the step up to it is worth; steps are taken in this order,
whatever they cost. What says nothing stands between what is shown in short and what is shown in full.
"""

from __future__ import annotations

from ujsx import Worth

OBSTACLES = Worth(10, "nothing goes on while it stands")
COUNTED = Worth(6, "how much there is")
FILES_NAMED = Worth(COUNTED.rank, "what is worked on, by name")
CHECKS_NAMED = Worth(7, "what was checked last, by name")
AIM = Worth(8, "what it is all about")
IN_SHORT = Worth(12, "what it says, in short")
STALE = Worth(14, "what follows may mislead")
MISSING = Worth(STALE.rank, "what is missing")
PINNED = Worth(15, "it is pinned")
PINNED_IN_SHORT = Worth(COUNTED.rank, "it is pinned: the newest of it, in short")
FOLDED = Worth(COUNTED.rank, "it is folded")
NEXT_UP = Worth(16, "what is to be done next")
LAST_CHECKS = Worth(17, "what was checked last, and what of it failed")
OPEN_ERRORS = Worth(18, "what is wrong now")
NEWEST = Worth(20, "the newest of what holds from now on")
IN_WORK = Worth(21, "what is in work")
NEWEST_FEW = Worth(22, "the newest few of what holds from now on")
A_FEW = Worth(NEWEST_FEW.rank, "a few of its items")
LAST_FINDING = Worth(23, "what the agent last found, offered or asked")
WHERE_IT_STANDS = Worth(24, "where the work stands")
MORE_IN_SHORT = Worth(30, "more of it, in short")
FINDING_RECALLED = Worth(33, "what the agent said before the compaction")
FILES_RECALLED = Worth(35, "what became of the files that were edited")
OBSTACLES_IN_FULL = Worth(40, "all of what stands in the way")
IN_FULL = Worth(41, "what it says, in full")
REASONS_RECALLED = Worth(IN_FULL.rank, "why the agent did what it did")
PLAN_IN_FULL = Worth(42, "the plan in full")
ERRORS_IN_FULL = Worth(43, "what is wrong now, in full")
NEWEST_IN_FULL = Worth(44, "what holds from now on, with its reasons")
IN_WORK_IN_FULL = Worth(60, "all of what is in work")
SHORT = 28
"""Characters of a text that are shown in any case: they say what it is about."""

BRIEF = 80
"""Characters of a text that say most of it."""

LONG = 400
"""Characters of a text that are shown before all other sections are shown in full."""

MOST = 640
"""Characters of a text that are shown below full where nothing else is left to show: more than there is room for."""

DONE_OR_OLD = Worth(70, "what is long, done, committed or old")
REST = Worth(DONE_OR_OLD.rank, "the rest of it")
LAST_FINDING_IN_FULL = Worth(75, "what the agent last said, in full")
ABOUT = Worth(80, "what is about the session itself")
LAST_MESSAGES = Worth(90, "the newest of what was said")
