"""The user's standing rules: requests and prohibitions for the whole session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from hud_components._models import Actor, HudModel, Kept, Line, PlainItem
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lists import ReadList
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.folding import Add, Moment, Remove, said_now, with_index, with_values
from hud_components.folding._items import Index, Kind, same_if_equal
from hud_components.folding._verb import VerbSection, kind_of
from hud_components.sections import CodingValue
from hud_components.words._quoted import RequestWords
from hud_components.words._texts import clause, same_words
from ujsx import Density, Disclosure, Examples, RenderContext, Rung

FULL, COMPACT, MINIMAL = 240, 115, 50
"""The characters of each rule by density: at most 50, 25 and 12 tokens with its markup."""


class StandingRuleDraft(HudModel):
    """Something that holds for the whole session."""

    text: Line
    """What holds, in the words of the one who said it."""


class StandingRule(PlainItem, CodingValue, StandingRuleDraft):
    """A standing rule. It is expected to be the user's: one of the agent's own is marked."""

    expected_from: ClassVar[tuple[Actor, ...]] = ("user",)

    lift_proposed: Kept[bool] = False
    """Whether another than the user would lift it; it holds until the user does."""

    def ends_by(self, moment: Moment) -> bool:
        """Tell whether the actor of a moment may end it: the user any rule, others their own."""
        return moment.actor in ("user", self.said_by)


@dataclass(frozen=True, slots=True)
class AddRule(Add):
    """A new rule. A known one that the user says again gets the user's words, and is no longer proposed to be lifted.

    Rules that differ by case, spaces and end punctuation only are the same.
    """

    def known(self, kind: Kind, index: Index[Any], said: Any) -> Any:
        words = same_words(said.text)
        return next((rule for rule in index.items if same_words(rule.text) == words), None)

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kind = kind_of(section)
        index = kind.index(value)
        known = self.known(kind, index, said)
        if known is not None and moment.actor == "user":
            [number, *_] = index.with_key(known.id)
            users = said_now(section.value, moment) | {"text": said.text}
            own = {} if known.said_by == "user" else users
            rule = with_values(known, lift_proposed=False, **own)
            if rule is not known:
                index.replace(number, rule)
        return Add.apply(self, section, with_index(index, value), said, moment)


@dataclass(frozen=True, slots=True)
class Lift(Remove):
    """A rule no longer holds, where its author or the user says so; from others it is a proposal."""

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        index = kind_of(section).index(value)
        for number in index.with_key(said.id):
            rule: Any = index[number]
            if rule.ends_by(moment):
                index.remove(number)
            elif not rule.lift_proposed:
                index.replace(number, with_values(rule, lift_proposed=True))
        return with_index(index, value)


def _outcome(before: Sequence[StandingRule], after: Sequence[StandingRule]) -> str:
    if len(after) < len(before):
        return "It no longer holds."
    return "It is not yours, so it stays: the HUD shows that you propose to lift it."


_PROPOSED = Form(
    "rules.proposed", ("text",), {"lift_proposed": True}, source="{text} *(agent: lifted?)*"
)


class RulesList(ItemsSection[StandingRule]):
    """What the user asked for, or ruled out, for the whole session, oldest first.

    It is shown first, at every density, and outside the tokens of the HUD: each rule in 50, 25 or 12
    tokens at most, none of them counted away.

    >>> from ujsx import render
    >>> users = StandingRule(text="Never push to main.", said_by="user")
    >>> rules = RulesList(rules=(users, StandingRule(text="Use tabs.")))
    >>> print(render(rules, density="minimal"), end="")
    **Rules:** Never push to main. · Use tabs. *set by the agent*
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, width=MINIMAL),
            Rung(Density.COMPACT, width=COMPACT),
            Rung(Density.FULL, width=FULL),
        ),
        floor=Density.MINIMAL,
        layer="static",
        whole=Rung(Density.FULL),
        is_apart=True,
    )
    name = prop = field = "rules"
    aliases = ("constraint", "restriction")
    event = prefix = "rule"
    draft = StandingRuleDraft
    from_parent = True
    stays_shown = True
    is_cut = False
    _is_shown_empty = False
    read_only_reason = (
        "the user ends a rule: `ujsx record SESSION rule.lift ID`; `hud rules.lift` proposes it"
    )
    title = "Rules"
    noun = "rule|rules"
    forms = (_PROPOSED, Form("rules.item", ("text",), source="{text}"))
    _most_named = 0  # each is shown
    _short = staticmethod(clause)
    verbs = (
        AddRule(
            "add",
            help="what holds for the whole session",
            doc="Something holds for the whole session.",
            answer="Added {id}.",
            told="{id} holds: {text}",
            rare=True,
        ),
        Lift(
            "lift",
            help="a rule; for one of the user's it is a proposal",
            doc="A rule is lifted: by the user, or by the one who set it. From others it is a proposal.",
            answer="Asked to lift {id}.",
            told="{id} {lifted}{item}",
            also=_outcome,
            rare=True,
        ),
    )

    examples: ClassVar[Examples] = lambda: {
        "two": RulesList(
            rules=(
                StandingRule(text="Never push to main.", said_by="user"),
                StandingRule(text="Keep the public names as they are."),
            )
        ),
    }

    rules: ItemsProp[StandingRule] = UNSET
    """The rules; those of the session when None."""

    @classmethod
    def beyond(
        cls, value: tuple[StandingRule, ...], request: RequestWords
    ) -> tuple[StandingRule, ...]:
        """Return the rules without those of the user that the request contains verbatim."""
        return tuple(
            rule
            for rule in value
            if rule.said_by != "user"
            or rule.lift_proposed
            or request.tells_item(rule.id)
            or not request.has(rule.text)
        )

    @classmethod
    def cleared(cls, value: Any, moment: Moment) -> Any:
        stays = (rule for rule in value if not rule.ends_by(moment))
        return same_if_equal(value, tuple(with_values(rule, lift_proposed=True) for rule in stays))

    def says_in_line(self, rows: Sequence[Any], ctx: RenderContext) -> bool:
        is_short = ctx.density is Density.MINIMAL
        return super().says_in_line(rows, ctx.with_density("compact") if is_short else ctx)

    @classmethod
    def _of(cls, told: ReadList) -> Self | None:
        # Rules without a mark are the user's.
        items = [{"said_by": "user", **item} for item in told.items]
        return super()._of(told._replace(items=items))
