"""What others than the agent said says so, where its model asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from hud_components import (
    Domain,
    HudItem,
    HudModel,
    HudValue,
    ItemsSection,
    Line,
    Moment,
    ValueSection,
    parse,
)
from hud_components.folding import least_trusted
from ujsx import render


class Finding(HudItem):
    """Something that was found."""

    what: Line


class Findings(ItemsSection[Finding]):
    """What was found."""

    name = "findings"
    noun = "finding|findings"
    verbs = ("add", "update", "append", "replace")
    lines = {"full": "**{what}**", "compact": "{what}"}  # noqa: RUF012


class Asked(HudValue):
    """What is asked for."""

    what: Line


class Ask(ValueSection[Asked]):
    """What is asked for."""

    name = "ask"
    lines = {"full": "{what}"}  # noqa: RUF012


DESK: Domain[Any] = Domain("desk", [Ask, Findings])


def after(*said: tuple[str, str, dict[str, Any]]) -> Any:
    """The state after what these actors said."""
    state = DESK.state()
    for version, (actor, event_type, words) in enumerate(said, start=2):
        payload = DESK.payload(event_type)(**words)
        state = DESK.after(state, event_type, payload, Moment(version, version * 2, 0, actor))  # type: ignore[arg-type]
    return state


class TestAnItem:
    def test_knows_who_said_it_in_which_turn_and_event(self) -> None:
        [item] = after(("tool", "findings.add", {"what": "Port 8080"}))[Findings]
        assert (item.said_by, item.said_in, item.said_at) == ("tool", 4, 2)

    @pytest.mark.parametrize(
        ("event_type", "words"),
        [
            ("findings.update", {"id": "f-2", "what": "Port 9090"}),
            ("findings.append", {"id": "f-2", "text": "and 9091"}),
            ("findings.replace", {"items": [{"id": "f-2", "what": "Port 9090"}]}),
        ],
    )
    def test_stays_as_untrusted_as_what_it_was_made_of(
        self, event_type: str, words: dict[str, Any]
    ) -> None:
        [item] = after(
            ("tool", "findings.add", {"what": "Port 8080"}), ("agent", event_type, words)
        )[Findings]
        assert (item.said_by, item.said_in, item.said_at) == ("tool", 6, 3)

    def test_is_the_same_when_nothing_is_said_anew(self) -> None:
        first = after(("agent", "findings.add", {"what": "Port 8080"}))
        again = DESK.payload("findings.update")(id="f-2", what="Port 8080")
        assert DESK.after(first, "findings.update", again, Moment(3, 9, 9, "tool")) is first


class TestShown:
    def test_what_is_the_agents_own_says_nothing(self) -> None:
        state = after(("agent", "findings.add", {"what": "Port 8080"}))
        assert render(Findings(findings=state.findings)) == "# Findings\n\n- **Port 8080**\n"

    @pytest.mark.parametrize("show_ids", [False, True])
    @pytest.mark.parametrize("density", ["full", "compact"])
    def test_what_another_said_says_so_and_is_read_back(self, density: Any, show_ids: bool) -> None:
        made = (
            Finding(id="f-2", what="Port 8080", said_by="tool"),
            Finding(id="project:f-1", what="Python 3.11", said_by="user"),
            Finding(id="f-3", what="Mine"),
        )
        node = Findings(findings=made, show_ids=show_ids)
        text = render(node, density=density)
        assert "*said by a tool*" in text
        assert "*said by the user, from the project*" in text
        assert parse(text, vocabulary=[Findings]).children == (node.as_shown(density),)

    def test_of_one_value(self) -> None:
        state = after(("user", "ask.set", {"what": "A refund"}))
        node = Ask(ask=state.ask)
        assert render(node) == "# Ask\n\nA refund *said by the user*\n"
        assert render(node, density="compact") == "**Ask:** A refund *said by the user*\n"
        assert parse(render(node), vocabulary=[Ask]).children == (node.as_shown(),)

    def test_in_words_of_ones_own(self) -> None:
        from ujsx import RenderContext

        context = RenderContext(texts={"source.tool": "aus einem Werkzeug"})
        node = Findings(findings=(Finding(what="Port 8080", said_by="tool"),))
        assert "*aus einem Werkzeug*" in render(node, context=context)


class TestTrust:
    def test_a_tool_is_trusted_least(self) -> None:
        assert least_trusted("user", "agent") == "agent"
        assert least_trusted("host", "agent") == "host"
        assert least_trusted("tool", "host") == "tool"

    def test_nobody_fills_it_in(self) -> None:
        assert set(Findings.draft.model_fields) == {"what"}
        assert issubclass(Findings.draft, HudModel)
