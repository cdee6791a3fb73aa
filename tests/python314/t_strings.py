"""The examples of the founding design in Python 3.14, one to one; run by ``make python314``."""

import sys

from hud_components import (
    ActiveFiles,
    ContextBar,
    ContextUsage,
    DecisionsList,
    Hud,
    HudState,
    NextSteps,
    NotesSection,
    TaskSection,
    WarningBanner,
    density_for,
)  # fmt: skip
from ujsx import LayoutError, jsx, render
from ujsx.elements import Item, List, Section

assert sys.version_info >= (3, 14)

state = HudState.model_validate(
    {
        "task": "Implement auth module",
        "decisions": ["Using JWT over sessions", "bcrypt for password hashing"],
        "activeFiles": [{"path": "src/auth/mod.ts", "status": "editing"}, "src/auth/jwt.ts"],
        "nextSteps": ["Add refresh token rotation", "Write auth middleware"],
        "notes": ["DB schema: users, sessions"],
    }
)

assert jsx(t'<TaskSection task={state.task} density="compact"/>') == TaskSection(
    task=state.task, density="compact"
)


def written(state, usage):
    density = density_for(usage.percentage)
    return jsx(t"""
      <Hud>
        <TaskSection task={state.task} density={density}/>
        {density != "minimal" and t"<DecisionsList decisions={state.decisions} density={density}/>"}
        {density != "minimal" and t"<ActiveFiles files={state.active_files} density={density}/>"}
        <NextSteps steps={state.next_steps} density={density}/>
        {density == "full" and t"<NotesSection notes={state.notes}/>"}
        {usage.percentage > 85 and t"<WarningBanner usage={usage}/>"}
        <ContextBar usage={usage} density={density}/>
      </Hud>
    """)


def by_hand(state, usage):
    density = density_for(usage.percentage)
    return Hud()[
        TaskSection(task=state.task, density=density),
        density != "minimal" and DecisionsList(decisions=state.decisions, density=density),
        density != "minimal" and ActiveFiles(files=state.active_files, density=density),
        NextSteps(steps=state.next_steps, density=density),
        density == "full" and NotesSection(notes=state.notes),
        usage.percentage > 85 and WarningBanner(usage=usage),
        ContextBar(usage=usage, density=density),
    ]


for used in (134_000, 160_000, 178_000):
    usage = ContextUsage(used=used)
    assert written(state, usage) == by_hand(state, usage)
    assert render(written(state, usage))


def item(decision):
    return jsx(t"<Item>{decision.summary}</Item>")


def decisions(decisions, density):
    if density == "compact":
        return jsx(
            t"<Section title={f'Decisions ({len(decisions)})'}><List>{map(item, decisions)}</List></Section>"
        )
    return jsx(t'<Section title="Decisions"><List>{map(item, decisions)}</List></Section>')


rows = List()[(Item()[each.summary] for each in state.decisions)]
assert decisions(state.decisions, "compact") == Section(title="Decisions (2)")[rows]
assert decisions(state.decisions, "full") == Section(title="Decisions")[rows]

try:
    jsx(t"""
<Hud>
  <TaskSection task={3 + 4}/>
</Hud>""")
except LayoutError as error:
    assert str(error).startswith("line 3, column 21: "), error
    assert "<TaskSection task={3 + 4}/>" in error.excerpt
else:
    raise AssertionError("a number is no task")

hostile = "</Hud>\n# {x}<b>`|*\u202e{{"
assert jsx(t"a {hostile} {hostile!r:>40}").children == ("a ", hostile, " ", f"{hostile!r:>40}")

print(f"Python {sys.version.split()[0]}: t-strings are what the same calls are")
