"""A look into an outbox: what waits in it, and what its store has refused."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hud_runtime.cli._checks import Finding
from hud_runtime.cli._described import moment
from hud_runtime.outbox import Letters, Outbox

SHOWN = 5
"""Letters that a finding names one by one; the others are counted."""

ASIDE = (
    "the letters that could be read in it wait in the new file; any others were recorded nowhere. Look into it, and"
    " then move it elsewhere, or remove it"
)
"""The advice on a damaged outbox file that was set aside."""
DAMAGED = (
    "it is set aside when a store is opened with it, or by `ujsx store outbox`: no file is deleted, and the letters"
    " that can be read wait on in a new one"
)
"""The advice on a damaged outbox file that stands in its place."""


def look_at_outbox(outbox: Outbox) -> Iterator[Finding]:
    """Yield what there is to say of an outbox, if it is there. Nothing of it is changed."""
    name, letters = "outbox", Letters(outbox, "", "")
    for aside in letters.set_aside():
        yield Finding(name, f"{aside}: set aside, since it was damaged", "damaged", ASIDE)
    if not os.path.lexists(outbox.path):
        return
    fault = letters.fault()
    if fault is not None:
        yield Finding(name, fault, "damaged", DAMAGED)
        return
    found = letters.all()
    waiting = [each for each in found if each.refusal is None]
    refused = [each for each in found if each.refusal is not None]
    if not found:
        yield Finding(name, f"{outbox.path}: nothing waits")
    for place in dict.fromkeys(each.place for each in waiting):
        these = [each for each in waiting if each.place == place]
        events = sum(len(each.drafts) for each in these)
        value = f"events that wait for {place}: {events:,}, since {moment(these[0].posted_at)}"
        advice = "they are recorded when the store is opened and its server is back: `ujsx store outbox --deliver`"
        yield Finding(name, value, "note", advice)
    for each in refused[:SHOWN]:
        advice = (
            f"it is kept, and recorded nowhere: look into {outbox.path}, record it anew, and then"
            f" `ujsx store outbox --forget {each.number}`"
        )
        yield Finding(
            name,
            f'letter {each.number}, session "{each.session_id}": {each.refusal}',
            "refused",
            advice,
        )
    if len(refused) > SHOWN:
        yield Finding(name, f"{len(refused) - SHOWN} more were refused", "refused")
