"""A translation: what is translated, and a glossary whose terms are approved one by one."""

from typing import Literal

from hud_components import (
    ContextBar,
    Domain,
    HudItem,
    HudValue,
    ItemsSection,
    Kept,
    Line,
    Moment,
    NotesSection,
    TableSection,
    Target,
    ValueSection,
    Verb,
    Wording,
)
from hud_components.folding import Mark


class Text(HudValue):
    """The text to translate."""

    title: Line
    """Its title, in its own language."""
    into: Literal["ar", "el", "he", "hi", "ja", "th"]
    """The language of the translation."""


class TextSection(ValueSection[Text]):
    """The text that is translated."""

    name = "text"
    lines = {"full": "**{title}** → {into}", "compact": "**Text:** {title} → {into}"}
    from_parent = True


class Term(HudItem):
    """A term and its translation."""

    term: Line
    """The term, as it is in the text."""
    translation: Line
    """Its translation."""
    approved_by: Kept[Line | None] = None


class Approval(Target):
    """Approval of a translation."""

    by: Line
    """Who approves it."""


def approve(known: tuple[Term, ...], said: Approval, moment: Moment) -> tuple[Term, ...]:
    """Approve a term, whoever approved it before."""
    approved = {"approved_by": f"{said.by}, turn {moment.turn}"}
    return tuple(one.model_copy(update=approved) if one.id == said.id else one for one in known)


class Glossary(TableSection[Term]):
    """The terms and how they are translated."""

    name = "glossary"
    noun = "term|terms"
    columns = ("term", "translation", "approved_by")
    lines = {"full": "{term}: *{translation}*"}
    verbs = (
        "add",
        "update",
        Verb("approve", approve, answer="Approved {id}.", told="{id} approved by {by}"),
        "remove",
    )


class Doubt(HudItem):
    """A passage that may be wrong."""

    passage: Line
    """The passage."""
    settled: Kept[bool] = False


class Doubts(ItemsSection[Doubt]):
    """Passages that somebody should look at."""

    name = "doubts"
    noun = "doubt|doubts"
    lines = {"full": (Wording("~~{passage}~~", {"settled": True}), "{passage}")}
    verbs = ("add", Mark("settle", answer="Settled {id}."), "remove")
    done = "settled"


DOMAIN = Domain("translation", sections=(TextSection, Glossary, Doubts, NotesSection, ContextBar))
