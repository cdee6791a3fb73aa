"""An agent of Pydantic AI with a HUD. Its model is played, to say the same each time; all else is as with a real one."""

import json
from pathlib import Path

from desk import DESK
from pydantic_ai import (
    Agent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    RequestUsage,
    TextContent,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from hud_runtime import HudStore
from hud_runtime.context.compaction import CompactionPolicy
from hud_runtime.integrations.pydantic_ai import Hud

PLAYED = [
    {"op": "remedies.add", "what": "Restarted the router", "outcome": "failed"},
    {"op": "remedies.add", "what": "Replaced the cable"},
    {"op": "remedies.update", "id": "Replaced the cable", "outcome": "failed"},
]
HISTORY = Path("history.json")  # what the host keeps of the conversation, which has no HUD in it
SHOWN = Path("shown.json")  # what was printed of the HUD, to print what is new


class Played:
    """A model that makes the calls above, prints what is new of the HUD in each request, and says how full it is."""

    def __init__(self, calls: list[dict[str, str]], known: list[str]) -> None:
        self.calls, self.known = iter(calls), known

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        huds = huds_in(messages)
        new = huds[len(self.known) :] if huds[: len(self.known)] == self.known else huds
        self.known = huds
        print(f"-- the next request: {len(messages)} message{'s'[: len(messages) > 1]} --")
        print("".join(new).strip() or "(nothing new to say)")
        call = next(self.calls, None)
        if call is None:
            return ModelResponse([TextPart("The cable it is, then.")])
        print(f"model: {call['op']}, {call.get('what') or call['id']}")
        used = 190_000 if call is PLAYED[-1] else 20_000
        return ModelResponse([ToolCallPart("hud", call)], usage=RequestUsage(input_tokens=used))


def huds_in(messages: list[ModelMessage]) -> list[str]:
    """Return what a request has of the HUD."""
    found = [
        each
        for message in messages
        for part in message.parts
        for each in getattr(part, "content", None) or ()
    ]
    return [each.content for each in found if isinstance(each, TextContent)]


def summary(request: list[object]) -> str:
    print("-- the context is full: the host asks for a summary --")
    return "A customer's router is dead."


before = ModelMessagesTypeAdapter.validate_json(HISTORY.read_bytes()) if HISTORY.exists() else []
with HudStore.open("hud.db", domain=DESK) as store:
    played = Played([] if before else PLAYED, json.loads(SHOWN.read_text()) if before else [])
    model = FunctionModel(played, profile={"context_window": 200_000})
    hud = Hud(store, summary=summary, policy=CompactionPolicy(keep=0))
    agent = Agent(model, capabilities=[hud])
    run = agent.run_sync(
        "And now?" if before else "My router is dead.",
        message_history=before,
        conversation_id="4711",
    )
    HISTORY.write_bytes(run.all_messages_json())
    SHOWN.write_text(json.dumps(played.known))
