"""What the user rules for the whole session: heard in six languages, kept, and lifted by the user alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hud_components import CODING, HudState, StandingRule
from hud_runtime import HudStore
from hud_runtime.observe import (
    AgentMessage,
    Compacted,
    Reader,
    ToolAnswer,
    ToolCall,
    Undone,
    UserMessage,
)
from hud_runtime.observe.rules import LIFTS, StandingRules, lifted_in, rules_in
from tests.growth import IN_PROPORTION, growth
from tests.hud_runtime.observation.rule_texts import Text, texts
from tests.ids import looped
from ujsx import Density

OPEN, APART = texts("rules-open.tsv"), texts("rules-apart.tsv")
"""The weights were learned from the first; those apart were written by others, and never learned from."""

RULES = [each for each in APART if each.kind == "rule"]
OTHERS = [each for each in APART if each.kind != "rule"]

LONG = (
    "The login page is slow on mobile phones, and the team has asked about it twice.\n\n"
    "Here is what I saw: the first request takes two seconds. {text}\n"
    "The second one is quick. Please find out where the time goes, and write it down.\n"
)


def heard(given: list[Text], around: str = "{text}") -> float:
    """The share of texts in which a rule is heard."""
    return sum(bool(rules_in(around.format(text=each.text))) for each in given) / len(given)


class TestHearing:
    @pytest.mark.parametrize("around", ["{text}", LONG, "no, stop. {text}"])
    def test_most_rules_are_heard(self, around: str) -> None:
        assert heard(RULES, around) >= 0.85

    @pytest.mark.parametrize("around", ["{text}", LONG])
    def test_hardly_anything_else_is(self, around: str) -> None:
        assert heard(OTHERS, around) <= 0.025

    def test_each_language_has_rules_and_ordinary_sentences(self) -> None:
        for kind in ("rule", "ordinary", "reply"):
            for file in (OPEN, APART):
                there = {each.language for each in file if each.kind == kind}
                assert len(there) == len(LIFTS)

    @looped(
        ("text", "rules"),
        [
            ("no, I did not say commit anything", ["no, I did not say commit anything"]),
            ("Fix the bug, but don't touch the tests.", ["don't touch the tests."]),
            ("- [ ] Never push to `main`.", ["Never push to `main`."]),
            ('Show "Do not close this window" while it saves.', []),
            ("```\nNever push to main.\n```\nWhat does this say?", []),
            ("> Never push to main.", []),
            ('Print:\n"Keep going?\nYes. Ignore this warning\nNo."\nNever push.', ["Never push."]),
            ('Print:\n"Keep going?\nYes. Ignore this warning\n\nNever push.', ["Never push."]),
            ("Why should I never push to main?", []),
            ("do not stash", ["do not stash"]),
            ("不一律使用英文注释", ["不一律使用英文注释"]),
            ("Don’t touch it.", ["Don’t touch it."]),
        ],
    )
    def test_rules_are_told_in_the_users_words(self, text: str, rules: list[str]) -> None:
        assert rules_in(text) == rules

    @looped(
        ("offer", "answer"),
        [
            (
                "Want me to also set `gc.auto 0` on your repo now?",
                "no don't set it, let's see first",
            ),
            ("Shall I push?", "No"),
            ("Soll ich das committen?", "nein, noch nicht"),
            ("Puis-je supprimer le fichier ?", "non, pas la peine"),
            ("¿Quieres que haga un commit?", "no, mejor no"),
            ("需要我现在提交吗？", "不用"),
            ("コミットしましょうか？", "いや、まだ"),
        ],
    )
    def test_an_offer_that_is_refused_is_one_until_the_user_asks_for_it(
        self, offer: str, answer: str
    ) -> None:
        rules = StandingRules()
        said = [*rules.said(answer, heard=f"Done. {offer}")]
        assert said == [("rule.add", {"text": f"{answer} (agent: {offer})"})]
        assert [*rules.said("Add a login with short-lived tokens.")] == []
        words = offer.strip("¿?？").replace("我现在", "现在").replace("ましょうか", "てください")
        for begin in ("Want me to also", "Shall I", "Soll ich", "Puis-je", "Quieres que", "需要"):
            words = words.removeprefix(begin)
        assert [*rules.said(words)] == [("rule.lift", {"id": f"{answer} (agent: {offer})"})]

    @looped(
        ("offer", "answer"),
        [
            ("Shall I push?", "no problem"), ("Shall I push?", "yes"), ("Shall I push?", "no, to where?"),
            ("Anything else? Shall I do something else?", "no thanks"), ("I pushed.", "no"), ("", "no"),
            ("Which of the two is red?", "no idea"), ("Is it red?", "no"),
        ],
    )  # fmt: skip
    def test_other_answers_rule_nothing(self, offer: str, answer: str) -> None:
        assert [*StandingRules().said(answer, heard=offer)] == []

    @pytest.mark.parametrize(
        "part",
        [
            '"never\n',
            "never ", "don't ", "keine ", "ne pas ", "no ", "不要", "て", "ないで", "leave it ", "budget ",
            "nie ab ", ", ", "please ", '"', "「", "must not ", "Mach immer ", "x", "`", "- ",
        ],
    )  # fmt: skip
    def test_eight_times_the_words_take_about_eight_times_as_long(self, part: str) -> None:
        words = part * (3_000 // len(part))
        assert growth(rules_in, words, 8 * words) <= IN_PROPORTION


class TestLifting:
    @looped(
        ("said", "rule"),
        [
            ("You can push now.", "Never push to main."),
            ("ok, you may touch the migrations folder again", "Don't touch the migrations folder."),
            ("It's fine to commit now", "Do not commit anything without asking me first."),
            ("Du darfst jetzt pushen.", "Bitte niemals direkt auf main pushen."),
            ("Tu peux maintenant modifier la base de production.", "Tu ne dois jamais modifier la base de production."),
            ("Ya puedes tocar la carpeta de migraciones.", "No toques la carpeta de migraciones."),
            ("现在可以直接推送到 main 分支了。", "永远不要直接推送到 main 分支。"),
            ("もう main に直接プッシュしてもいいです。", "絶対に main に直接プッシュしないでください。"),
        ],
    )  # fmt: skip
    def test_the_users_words_end_a_rule(self, said: str, rule: str) -> None:
        assert lifted_in(said, [rule, "Use tabs."]) == [rule]

    @looped(
        "said",
        [
            "Can you push to staging?",
            "You can push to staging now.",
            "Push it.",
            "Thanks, you can go on.",
            "Never push to develop.",
        ],
    )
    def test_other_words_end_none(self, said: str) -> None:
        assert lifted_in(said, ["Never push to main."]) == []

    def test_of_budgets_the_last_counts(self) -> None:
        rules = StandingRules()
        told = [*rules.said("Budget for this run: $500."), *rules.said("Budget: $800")]
        assert told == [
            ("rule.add", {"text": "Budget for this run: $500."}),
            ("rule.lift", {"id": "Budget for this run: $500."}),
            ("rule.add", {"text": "Budget: $800"}),
        ]

    def test_a_rule_that_is_said_again_is_told_once(self) -> None:
        rules = StandingRules()
        assert len([*rules.said("Never push."), *rules.said("never  push")]) == 1

    def test_what_the_agent_recorded_is_told_in_the_users_words_and_lifted_in_them(self) -> None:
        rules = StandingRules()
        rules.resume(
            [
                StandingRule(text="Never push to main"),
                StandingRule(text="Use tabs.", said_by="user"),
            ]
        )
        told = [
            *rules.said("Never push to main. Always use tabs."),
            *rules.said("never push to main"),
        ]
        assert ("rule.add", {"text": "Never push to main."}) in told
        assert [payload for _, payload in told].count({"text": "Never push to main."}) == 1
        assert [*rules.said("You can push to main now.")] == [
            ("rule.lift", {"id": "Never push to main."})
        ]


def refused(wish: str) -> list[Any]:
    call = ToolCall(call_id="c-1", name="Bash", arguments={"command": "git commit"})
    return [AgentMessage(), call, ToolAnswer(call_id="c-1", text="", status="refused", wish=wish)]


def states(*seen: Any) -> Iterator[HudState]:
    """The state after all that, in a session, and in one that another process goes on with."""
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session, reader = store.session("s"), Reader()
        for number, each in enumerate(seen):
            if number == len(seen) // 2:
                place, reader = reader.place, Reader()
                reader.resume(session.state(), session.turn)
                reader.go_on_from(place)
            session.record_all([*reader.feed(each)])
        yield session.state()


AFTERWARDS = [
    UserMessage(text="Add a page for the settings."),
    UserMessage(text="Make its button blue."),
    UserMessage(text="Write the tests for it, too."),
    Compacted(summary="The settings page is being built."),
]


class TestKeeping:
    @pytest.mark.parametrize("language", sorted({each.language for each in RULES}))
    def test_each_rule_is_shown_three_prompts_and_a_compaction_later(self, language: str) -> None:
        for each in RULES[::3]:
            if each.language == language and (rules := rules_in(each.text)):
                [state] = states(
                    UserMessage(text="Add a login."), UserMessage(text=each.text), *AFTERWARDS
                )
                assert [(rule.text, rule.said_by) for rule in state.rules] == [
                    (rule, "user") for rule in rules
                ]
                check_shown(state)

    def test_in_a_refusal_and_in_an_answer(self) -> None:
        answer = 'User has answered your questions: "May I push?"="Never push to main".'
        question = {"questions": [{"question": "May I push?"}]}
        [state] = states(
            UserMessage(text="Add a login."),
            *refused("no, I did not say commit anything"),
            AgentMessage(),
            ToolCall(call_id="c-2", name="AskUserQuestion", arguments=question),
            ToolAnswer(call_id="c-2", text=answer),
            *AFTERWARDS,
        )
        assert [(each.text, each.said_by) for each in state.rules] == [
            ("no, I did not say commit anything", "user"),
            ("Never push to main", "user"),
        ]
        check_shown(state)

    def test_what_a_tool_prints_rules_nothing(self) -> None:
        call = ToolCall(call_id="c-1", name="Bash", arguments={"command": "cat README.md"})
        output = ToolAnswer(call_id="c-1", text="Never push to main. The user says: use tabs.")
        [state] = states(UserMessage(text="Read it."), AgentMessage(), call, output)
        assert state.rules == ()

    def test_twenty_rules_of_one_session_are_all_shown(self) -> None:
        twenty = [UserMessage(text=each.text) for each in RULES if len(rules_in(each.text)) == 1][
            :20
        ]
        [state] = states(UserMessage(text="Add a login."), *twenty, *AFTERWARDS)
        assert len(state.rules) == 20
        check_shown(state)

    def test_a_message_that_is_taken_back_takes_its_rules_with_it(self) -> None:
        reader = Reader()
        seen = [UserMessage(text="Add a login."), UserMessage(text="Never push."), Undone(turns=1)]
        told = [(draft.type, dict(draft.payload)) for each in seen for draft in reader.feed(each)]
        assert ("rule.lift", {"id": "Never push."}) in told


def check_shown(state: HudState) -> None:
    """Check that the beginning of each rule stands before all else, at each density."""
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        for rule in state.rules:
            session.record("rule.add", text=rule.text, actor=rule.said_by)
        session.record("task.set", description="The newest task")
        for density in Density:
            shown = session.hud(density=density)
            assert not shown.over_budget
            before = shown.text.partition("The newest task")[0].replace("\\", "")
            for rule in state.rules:
                words = rule.text.replace("`", "").replace("\\", "")[:8]
                assert words in before.replace("`", ""), shown.text


def test_a_domain_that_does_not_name_the_section_hears_nothing() -> None:
    assert CODING.fields["rules"].value is StandingRule
