"""The user's rules: shown first at every density, outside the budget, and ended by the user alone."""

from __future__ import annotations

import pytest

from hud_components import (
    BUDGETS,
    Domain,
    Hud,
    HudState,
    Note,
    NotesSection,
    RulesList,
    StandingRule,
    Tally,
    Task,
    TaskSection,
    check_agent_layout,
    parse,
    read_agent_layout,
)
from hud_components.declaring import LayoutWarning
from hud_runtime import EventError, HudStore
from hud_runtime.session import HudSession
from hud_runtime.tools import hud_toolset
from tests.ids import looped
from ujsx import Density, RenderContext, render, render_document
from ujsx.components import Fragment

LONG = (
    "Never push to main, not even for a hotfix, and ask me before you tag a release, delete a branch, or touch "
    "the settings of the repository, as the release team watches all of that and I have to answer for it, "
    "whatever the reason is, and however small the change looks to you at that moment"
)
RULES = tuple(
    StandingRule(id=f"r-{number}", text=f"Rule {number}: {LONG}.", said_by="user", said_in=number)
    for number in range(1, 21)
)
NOTES = tuple(Note(id=f"n-{n}", content=f"Fact number {n} about the service.") for n in range(40))
STATE = HudState(task=Task(description="Add a login"), notes=NOTES)
RULED = STATE.model_copy(update={"rules": RULES})
MOST = {Density.FULL: 50, Density.COMPACT: 25, Density.MINIMAL: 12}


class TestShown:
    @looped("density", Density)
    @looped("count", [1, 20])
    def test_each_rule_has_its_tokens_and_the_rest_is_as_without_rules(
        self, density: Density, count: int
    ) -> None:
        budget = BUDGETS[density].most
        state = STATE.model_copy(update={"rules": RULES[:count]})
        ruled = render_document(Hud.of(state), density=density, budget=budget)
        plain = render_document(Hud.of(STATE), density=density, budget=budget)
        title, _, rest = plain.text.partition(
            "**Task:**" if "**Task:**" in plain.text else "## Task"
        )
        assert ruled.text.startswith(title)
        assert ruled.text.endswith(rest)
        assert ruled.tokens - plain.tokens <= count * MOST[density] + 6  # the title
        assert ruled.budgeted <= budget
        assert not ruled.over_budget
        for rule in state.rules:
            assert rule.text[:12] in ruled.text

    @looped("budget", [0, 5, 50, 200, 5_000])
    def test_no_budget_hides_a_rule_or_pays_for_one(self, budget: int) -> None:
        ruled = render_document(Hud.of(RULED), budget=budget)
        plain = render_document(Hud.of(STATE), budget=budget)
        assert all(rule.text[:12] in ruled.text for rule in RULES)
        assert ruled.over_budget is plain.over_budget
        assert [each.rung for each in ruled.sections[1:]] == [each.rung for each in plain.sections]

    def test_more_budget_never_shows_less_of_them(self) -> None:
        texts = [
            render_document(Hud.of(RULED), budget=budget).text for budget in range(0, 1_500, 50)
        ]
        shown = [text.partition("Task")[0].rstrip("*# \n") for text in texts]
        assert [*map(len, shown)] == sorted(map(len, shown))

    def test_what_is_cut_is_told_with_its_call(self) -> None:
        rendered = render_document(Hud.of(RULED), density="minimal")
        [cut] = [each for each in rendered.omitted if each.section == "RulesList"]
        assert (cut.count, cut.handle, cut.what) == (20, "hud rules.list", "texts")

    @looped("density", Density)
    @looped(
        "rule",
        [
            StandingRule(text="Never push.", said_by="user"),
            StandingRule(text="Never push.", said_by="agent"),
            StandingRule(text="Never push.", said_by="user", lift_proposed=True),
            StandingRule(text="Use a · b *(agent: lifted?)*", said_by="user"),
        ],
    )
    def test_is_read_back(self, rule: StandingRule, density: Density) -> None:
        text = render(Hud.of(HudState(rules=(rule, rule))), density=density)
        assert render(parse(text), density=density) == text

    def test_is_in_no_count(self) -> None:
        assert [each.section for each in Tally.of(RULED).counts] == ["notes"]

    def test_a_state_without_rules_is_stored_as_before(self) -> None:
        assert "rules" not in HudState().model_dump()
        assert RulesList not in map(type, Hud.of(STATE).children)

    def test_stands_in_the_static_layer(self) -> None:
        [static, *_] = render_document(Hud.of(RULED)).layers
        assert "Rule 20" in static.text


class TestLayouts:
    CONTEXT = RenderContext().with_value(RULED)

    def test_one_without_them_has_them_in_front(self) -> None:
        text = render(Hud()[TaskSection(), NotesSection()], context=self.CONTEXT)
        assert text.index("Rule 1:") < text.index("Add a login")

    def test_one_that_is_no_hud_has_them_in_front(self) -> None:
        layout, state = Hud.reporting(TaskSection(), RULED)
        text = render(layout, context=RenderContext().with_value(state))
        assert text.index("Rule 1:") < text.index("Add a login")

    def test_one_that_places_them_itself_has_them_once(self) -> None:
        text = render(Hud()[TaskSection(), RulesList()], context=self.CONTEXT)
        assert text.count("Rule 1:") == 1
        assert text.index("Add a login") < text.index("Rule 1:")

    @looped("layout", [Hud(rules=False), Hud(rules=False)[TaskSection()]])
    def test_only_an_author_leaves_them_out(self, layout: Fragment) -> None:
        assert "Rule 1:" not in render(layout, context=self.CONTEXT)

    def test_no_layout_of_an_agent_leaves_them_out(self) -> None:
        [error] = check_agent_layout("<Hud rules={false}/>", HudState)
        assert "rules are shown in any case" in error.message
        for own in ('state={{"task": "Push"}}', 'task="Push"'):
            [error] = check_agent_layout(f"<Hud {own}><TaskSection/></Hud>", HudState)
            assert "leave its state out" in error.message
        hud = read_agent_layout("<Hud><NotesSection/></Hud>", HudState)
        assert "Rule 20:" in render(hud, density="minimal", context=self.CONTEXT)

    def test_a_domain_that_names_the_section_has_it(self) -> None:
        state = Domain("desk", sections=(TaskSection, RulesList)).state(rules=RULES)
        assert render(Hud.of(state), density="compact").count("Rule ") == 20
        other = Domain("plain", sections=(TaskSection,)).state()
        with pytest.warns(LayoutWarning, match="is not a section of the domain"):
            render(RulesList(), context=RenderContext().with_value(other))


@pytest.fixture
def session() -> HudSession:
    store = HudStore.open(":memory:", clock=lambda: 0)
    session = store.session("s")
    session.record("rule.add", text="Never push to main.", actor="user")
    session.record("rule.add", text="Use tabs.")
    return session


def held(session: HudSession) -> list[tuple[str, str, bool]]:
    return [(each.text, each.said_by, each.lift_proposed) for each in session.state().rules]


USERS = ("Never push to main.", "user", True)


class TestEnding:
    def test_an_agent_ends_its_own_and_proposes_for_the_users(self, session: HudSession) -> None:
        for rule in session.state().rules:
            session.call("hud", {"op": "rules.lift", "id": rule.id})
        assert held(session) == [USERS]
        for density in Density:
            assert "*(agent: lifted?)*" in session.hud(density=density).text

    def test_the_answer_says_what_became_of_it(self, session: HudSession) -> None:
        users, own = session.state().rules
        assert "stays" in session.call("hud", {"op": "rules.lift", "id": users.id}).text
        assert "no longer holds" in session.call("hud", {"op": "rules.lift", "id": own.id}).text

    @pytest.mark.parametrize("section", ["rules", None])
    def test_clearing_ends_the_agents_own(self, session: HudSession, section: str | None) -> None:
        session.record("section.clear", section=section)
        assert held(session) == [USERS]

    def test_a_tools_word_ends_none(self, session: HudSession) -> None:
        for rule in session.state().rules:
            session.record("rule.lift", id=rule.id, actor="tool")
        assert [each[2] for each in held(session)] == [True, True]

    def test_they_cannot_be_folded(self, session: HudSession) -> None:
        with pytest.raises(EventError, match="rules cannot be folded"):
            session.record("section.fold", section="rules")

    def test_the_user_ends_any(self, session: HudSession) -> None:
        for rule in session.state().rules:
            session.record("rule.lift", id=rule.id, actor="user")
        assert held(session) == []

    def test_what_the_user_says_again_is_the_users_and_not_proposed_any_more(
        self, session: HudSession
    ) -> None:
        session.record("rule.lift", id="Never push to main.")
        for text in ("Never push to main.", "Use tabs."):
            session.record("rule.add", text=text, actor="user")
        assert held(session) == [
            ("Never push to main.", "user", False),
            ("Use tabs.", "user", False),
        ]

    def test_case_spaces_and_end_marks_make_no_second_rule(self, session: HudSession) -> None:
        before = session.state().rules
        for text in ("never push to  main", "Use Tabs"):
            answer = session.call("hud", {"op": "rules.add", "text": text}).text
            assert answer.startswith("Known already: ")
            assert session.state().rules == before
            session.record("rule.add", text=text, actor="user")
        assert held(session) == [
            ("Never push to main.", "user", False),  # the user's first words stay
            ("Use Tabs", "user", False),
        ]

    def test_what_an_agent_repeats_stays_the_users(self, session: HudSession) -> None:
        session.call("hud", {"op": "rules.add", "text": "Never push to main."})
        session.call("hud", {"op": "rules.lift", "id": "Never push to main."})
        assert held(session)[0] == USERS

    def test_a_child_has_its_parents_rules(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            store.session("s").record("rule.add", text="Never push to main.", actor="user")
            child = store.session("child", parent="s")
            child.record("rule.lift", id=child.state().rules[0].id)
            assert held(child) == [USERS]
            assert "Never push to main." in child.hud(density="minimal").text

    def test_a_delivery_tells_of_a_new_one(self, session: HudSession) -> None:
        first = session.deliver(mode="append")
        session.delivered(first.id)
        session.record("rule.add", text="Never rebase.", actor="user")
        assert "Never push to main." in first.text
        assert "Never rebase." in session.deliver(mode="append").text


def test_the_tools_usual_schema_has_no_operation_of_them() -> None:
    assert "rules." not in str(hud_toolset(None).definition("mcp"))
