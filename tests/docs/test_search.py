"""Questions lead to their pages: the headings of a page have all the words of a question, and few other pages' do."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.programs import DOCS
from tests.ids import looped

QUESTIONS = {
    "langgraph stategraph": "do/hosts/langchain",
    "why is my hud cut": "do/troubleshooting",
    "add a rule of the user": "do/cookbook",
    "rename a field": "look-up/sections",
    "budget for a session": "do/context-life-cycle",
    "import agents.md headings": "do/agents-md",
    "jinja2 loop with a condition": "do/from-f-strings-and-jinja2",
    "test hud with snapshots": "do/snapshot-test-your-hud",
    "component as tool gemini": "do/turn-a-component-into-a-tool",
    "survival of a compaction": "do/context-life-cycle",
    "undo a decision": "do/edit-the-hud-as-text",
    "take back a whole turn": "do/edit-the-hud-as-text",
    "dates in another language": "do/change-the-words",
    "prompt injection": "understand/what-a-text-hides",
    "function calling": "do/turn-a-component-into-a-tool",
    "web page": "do/make-a-page",
    "frequently asked questions": "do/questions",
    "hidden characters": "understand/what-a-text-hides",
    "add a hud to my existing agent": "do/give-an-agent-a-hud",
    "back up and restore": "do/keep-a-store-safe",
}
LEFT_OUT = frozenset({"a", "and", "as", "for", "is", "my", "of", "the", "to", "with"})
"""Words that a search does not look for."""

MOST = 3
"""Pages that a question may lead to."""


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[\w.]*\w", text.lower())) - LEFT_OUT


def headings() -> dict[str, set[str]]:
    """Each page's words in its title and headings."""
    return {
        str(page.relative_to(DOCS).with_suffix("")): words_of(headings_of(page))
        for page in sorted(DOCS.rglob("*.md"))
    }


def headings_of(page: Path) -> str:
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return "\n".join(re.findall(r"^#+ (.*)$", text, re.MULTILINE))


@looped(("question", "page"), QUESTIONS.items())
def test_a_question_leads_to_its_page(question: str, page: str) -> None:
    asked = words_of(question)
    found = [name for name, words in headings().items() if asked <= words]
    assert page in found, f"no heading of {page} has {asked - headings()[page]}"
    assert len(found) <= MOST, found
