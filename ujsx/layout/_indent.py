"""The indent of what stands between two tags: it is for the eye, and is taken off."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock


def dedent(state: StateBlock, line: int, end: int) -> None:
    """Take the indent of the first line that is not blank off it and those that share it.

    The lines end where one is indented less. What containers have taken is not looked at.
    """
    width = 0
    for each in range(line, end):
        if state.isEmpty(each):
            continue
        indent = state.sCount[each] - state.blkIndent
        width = width or indent
        if width <= 0 or indent < width:
            return
        start = at = state.bMarks[each]
        columns = 0
        while columns < width:
            step = 4 - (columns + state.bsCount[each]) % 4 if state.src[at] == "\t" else 1
            if columns + step > width:
                break
            columns += step
            at += 1
        state.bMarks[each] = at
        state.tShift[each] -= at - start
        state.sCount[each] -= columns
        state.bsCount[each] += columns
