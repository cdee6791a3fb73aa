"""A data analyst's HUD: datasets as a table, hypotheses and their verdicts, charts, open questions.

`python analyst.py` plays a short story; `ujsx serve --domain analyst:ANALYST` serves the HUD.
"""

import json
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from hud_components import (
    ContextBar,
    Domain,
    HudItem,
    ItemsSection,
    Kept,
    Line,
    Moment,
    TableSection,
    Target,
    TaskSection,
    Verb,
)
from hud_runtime import HudStore
from hud_runtime.editing import changes, for_editing, record_changes
from ujsx import Density, Disclosure, Rung, render

Name: TypeAlias = Annotated[Line, Field(pattern="^[A-Za-z0-9_]+$")]


class Dataset(HudItem):
    """A table of data that can be asked."""

    table: Name
    """Its name: letters, digits and underscores."""
    rows: Annotated[int, Field(ge=0)]
    """How many rows it has."""
    columns: tuple[Name, ...] = ()
    """The names of its columns, in their order."""


class Datasets(TableSection[Dataset]):
    """The data that there are: a table where all is shown, and else a list."""

    name = "datasets"
    noun = "dataset|datasets"
    disclosure = Disclosure(
        (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 5), Rung(Density.FULL))
    )
    columns = ("table", "rows", "columns")
    lines = {"full": "{table}: {rows} rows"}


class Hypothesis(HudItem):
    """Something that may be so."""

    claim: Line
    """What may be so, in a sentence that data can refute."""
    verdict: Kept[Literal["supported", "refuted", "unclear"] | None] = None
    because: Kept[Line | None] = None
    judged_in: Kept[int | None] = None


class Verdict(Target):
    """What the data say of a hypothesis."""

    verdict: Literal["supported", "refuted", "unclear"]
    """What they say."""
    because: Line
    """What shows it, with its figures."""


def judge(known: tuple[Hypothesis, ...], said: Verdict, moment: Moment) -> tuple[Hypothesis, ...]:
    """A verdict, and the turn in which it was found; what is refuted stays refuted."""
    found = next(one for one in known if one.id == said.id)
    if found.verdict == "refuted":
        raise ValueError(f"{found.id} is refuted already; add a hypothesis that says what is new")
    judged = found.model_copy(update={**dict(said), "judged_in": moment.turn})
    return tuple(judged if one is found else one for one in known)


JUDGE = Verb("judge", judge, answer="Judged {id}.", told="{id} {verdict}: {because}")


class Hypotheses(ItemsSection[Hypothesis]):
    """What may be so, and what the data say of it."""

    name = "hypotheses"
    noun = "hypothesis|hypotheses"
    lines = {
        "full": "**{claim}**{? — {verdict}: {because}?}",
        "compact": "{?*{verdict}*: ?}{claim}",
    }
    verbs = ("add", "update", JUDGE, "remove")


class Chart(HudItem):
    """A chart that was drawn."""

    shows: Line
    """What can be seen in it."""
    file: Line
    """Where it is."""


class Charts(ItemsSection[Chart]):
    """The charts, oldest first."""

    name = "charts"
    noun = "chart|charts"
    lines = {"full": "`{file}`: {shows}"}


class Question(HudItem):
    """Something that nobody has answered yet."""

    question: Line
    """The question."""
    resolved: Kept[bool] = False


class Questions(ItemsSection[Question]):
    """What is still to be found out."""

    name = "questions"
    title = "Open questions"
    noun = "question|questions"
    lines = {"full": "{question}"}
    verbs = ("add", "update", "resolve", "remove")
    done = "resolved"
    shows_done = False


ANALYST = Domain(
    "analyst", sections=(TaskSection, Datasets, Hypotheses, Questions, Charts, ContextBar)
)

if __name__ == "__main__":
    with HudStore.open(":memory:", domain=ANALYST) as store:
        session = store.session("story")
        for call in Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines():
            print(session.call("hud", json.loads(call)))
        for density in Density:
            print(f"\n--- {density} ---\n", session.hud(density=density), sep="\n")
        hud, version = for_editing(session.state()), session.version
        edited = render(hud).replace("Which parcels", "By carrier, which parcels")
        for event in record_changes(session, changes(hud, edited), since=version):
            print(f"edited: {event.type} {event.payload}")
