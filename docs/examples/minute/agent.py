"""A host with a model that is played: the same calls each time, and everything else is as with a real one."""

import json
from pathlib import Path

from desk import DESK

from hud_runtime import HudStore
from hud_runtime.integrations import HostSession

PLAYED = [
    {"op": "remedies.add", "what": "Restarted the router", "outcome": "failed"},
    {"op": "remedies.add", "what": "Replaced the cable"},
    {"op": "remedies.update", "id": "Replaced the cable", "outcome": "failed"},
]
HISTORY = Path("history.json")


def request(host: HostSession, history: list[str]) -> list[str]:
    """Print what goes out with the next request beside the history, and return both."""
    said = [part.text for part in host.before_request(texts=history).parts]
    print(f"-- the next request, after {len(history)} of the history --")
    print("".join(said).strip() or "(nothing new to say)")
    return history + said


with HudStore.open("hud.db", domain=DESK) as store:
    host = HostSession.of(store, "4711", project=".")
    if HISTORY.exists():
        request(host, json.loads(HISTORY.read_text()))
    else:
        history = request(host, ["My router is dead."])
        for call in PLAYED:
            answer = host.call("hud", call)
            history += [json.dumps(call), str(answer)]
            print(f"model: {call['op']} -> {str(answer).splitlines()[0]}")
        history = request(host, history)
        print("-- the history is compacted --")
        HISTORY.write_text(json.dumps(request(host, ["Summary: a customer's router is dead."])))
