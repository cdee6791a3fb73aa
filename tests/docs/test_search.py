"""Questions lead to their pages, by headings that have all their words, and by the site's search in two tries."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.docs.programs import DOCS
from tests.docs.test_site import SITE, built
from tests.ids import looped

QUESTIONS = {
    "langgraph stategraph": "do/hosts/langchain",
    "why is my hud cut": "do/troubleshooting",
    "add a rule of the user": "do/cookbook",
    "rename a field": "look-up/domains",
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


KEYWORDS = DOCS / "keywords.txt"


def anchors_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them; a site's leave out what a heading begins with, such as "1. "."""
    slugs = (re.sub(r"[^\w\- ]", " ", title.lower()) for title in headings_of(page).splitlines())
    plain = {"-".join(slug.split()) for slug in slugs}
    return plain | {re.sub(r"^[\d-]+", "", each) for each in plain}


def test_keywords_are_of_pages_and_headings() -> None:
    lines = KEYWORDS.read_text("utf-8").splitlines()[2:]
    places = [line.split(": ")[0].partition("#") for line in lines]
    wrong = [
        f"{page}#{anchor}"
        for page, _, anchor in places
        if not (path := DOCS / f"{page}.md").is_file()
        or (anchor and anchor not in anchors_of(path))
    ]
    assert wrong == []
    assert len(places) == len(set(places))


ASKED = {
    "how do I debug why an item is not shown": [
        "do/troubleshooting#why-is-my-hud*",
        "do/context-life-cycle#items-that-are-not-shown",
        "look-up/command-hud#ujsx-explain",
    ],
    "rotate API keys of the server": [
        "do/run-it-for-a-fleet#an-http-server*",
        "do/run-it-for-a-fleet#passwords",
        "look-up/command-server#ujsx-token*",
    ],
    "parse the LLM's Markdown output back into objects": [
        "do/read-a-hud-back",
        "do/turn-a-component-into-a-tool#let-a-model-answer-with-a-tree",
    ],
    "render a Pydantic model as Markdown": [
        "do/write-your-own-component",
        "do/write-your-own-component#render",
        "do/write-your-own-component#props",
    ],
    "redact secrets API keys in logs": [
        "do/govern-what-is-stored",
        "do/govern-what-is-stored#mask*",
        "do/govern-what-is-stored#find-secrets*",
    ],
    "use tiktoken instead of the estimate": [
        "look-up/tokens",
        "do/cookbook#count-tokens",
        "look-up/reference/ujsx.tokens#ujsx.tokens.tiktoken_counter",
    ],
    "use Postgres instead of SQLite": ["do/run-it-for-a-fleet"],
    "validate tool arguments returned by the model": [
        "do/turn-a-component-into-a-tool",
        "look-up/tools#validation*",
    ],
    "generate a function calling schema for OpenAI": [
        "do/turn-a-component-into-a-tool",
        "do/turn-a-component-into-a-tool#openai",
        "look-up/schemas",
    ],
    "retry a failed tool call, idempotency": [
        "look-up/tools#ids-pages*",
        "do/run-it-for-a-fleet#database-outages",
        "look-up/tools#*repeat*",
    ],
    "set up for a whole team, checked into the repo": [
        "do/give-an-agent-a-hud#coding-agents-install-uninstall-failures",
        "do/claude-code#changed-settings",
        "do/plug-into-an-mcp-client#configure-your-client",
    ],
    "async components / async render": [
        "do/troubleshooting#components-and-layouts",
        "do/troubleshooting",
        "do/write-your-own-component#*async*",
    ],
    "turn off the HUD for one session": [
        "do/give-an-agent-a-hud#coding-agents*",
        "do/give-an-agent-a-hud#*off*",
    ],
    "Claude Code hooks configuration settings.json": [
        "do/claude-code#changed-settings",
        "do/claude-code",
    ],
    "run in Docker or Kubernetes": [
        "do/run-it-for-a-fleet#with-docker*",
        "do/run-it-for-a-fleet#*docker*",
    ],
    "backup and restore the database while running": [
        "do/keep-a-store-safe",
        "do/keep-a-store-safe#back-up",
        "do/keep-a-store-safe#restore",
    ],
    "MCP server config for Cursor": [
        "do/plug-into-an-mcp-client",
        "do/plug-into-an-mcp-client#configure*",
    ],
    "conditional rendering of a component": [
        "do/cookbook#show-a-part-only-under-a-condition",
        "do/author-a-layout#conditions*",
        "do/write-a-layout-as-text#conditions*",
    ],
    "schema migration after upgrading": [
        "look-up/stability#upgrading-and-supported-python-versions",
        "look-up/stability",
    ],
    "how many extra tokens does the HUD cost per request": [
        "do/context-life-cycle#cost*",
        "look-up/command-hud#ujsx-cost",
        "do/claude-code#cost",
    ],
    "encrypt the database at rest": [
        "do/govern-what-is-stored#encryption*",
        "do/govern-what-is-stored#*encrypt*",
    ],
    "memory tool from Anthropic, files under /memories": ["do/memory*"],
    "what happens when the disk is full": [
        "understand/what-is-stored-where#losses*",
        "understand/what-is-stored-where#*crash*",
    ],
    "streamable HTTP transport for the MCP server": [
        "do/run-it-for-a-fleet#an-http-server*",
        "do/run-it-for-a-fleet#*http*",
        "do/plug-into-an-mcp-client#configure*",
    ],
    "does the HUD survive /compact in Claude Code": [
        "do/context-life-cycle#survival-of-a-compaction",
        "do/claude-code#text-that-the-model-reads",
        "do/claude-code",
    ],
    "VS Code Copilot agent mode": [
        "do/plug-into-an-mcp-client*",
        "do/hosts/copilot#not-supported",
        "look-up/hosts#coding-agents-features-cost-and-speed",
    ],
    "Prometheus metrics and OpenTelemetry traces": [
        "do/hosts/telemetry",
        "do/run-it-for-a-fleet#an-http-server*",
    ],
    "escape Markdown characters in user input": [
        "do/cookbook#show-text*",
        "do/cookbook#*escape*",
        "understand/markdown#guarantees",
    ],
    "strict mode schema additionalProperties false": [
        "look-up/schemas#the-dialects",
        "look-up/schemas#keywords-by-dialect",
        "look-up/schemas",
    ],
    "add a timestamp or relative time to an item": [
        "do/cookbook#format-a-time*",
        "do/extend-your-hud#derived-sections",
        "do/change-the-words#dates-in-another-language",
    ],
    "how to render a table with many rows": [
        "do/cookbook#show-a-table*",
        "look-up/sections#tables",
    ],
    "reduce the size of tool results in the context window": ["do/prune-tool-outputs*"],
    "prompt caching cache_control breakpoint": [
        "do/context-life-cycle#tail-or*",
        "do/context-life-cycle#*cach*",
        "do/hosts/anthropic",
    ],
    "rate limit requests to the server": ["look-up/limits#limits-of-a-server"],
    "time travel: what did the agent see at turn 12": [
        "do/cookbook#look-at*",
        "learn/your-first-hud#go*",
        "look-up/events#record-and-read-events",
    ],
    "mem0 alternative long term memory": ["do/memory", "do/keep-a-session-from-the-shell*"],
    "how to show only the last five items in a list": [
        "do/author-a-layout#your-own-order*",
        "do/cookbook#*items*",
        "do/cookbook#*list*",
    ],
    "database grows too large, vacuum, disk space": [
        "do/govern-what-is-stored#size-of-a-store*",
        "understand/what-is-stored-where#growth*",
        "do/govern-what-is-stored#*size*",
    ],
    "nested list or sub items in a section": ["do/cookbook#nest-a-list", "do/cookbook#*nest*"],
    "share state between subagents": ["do/give-an-agent-a-hud#subagents"],
    "model returns arguments as a JSON string, how to fix": [
        "look-up/tools#validation*",
        "do/turn-a-component-into-a-tool",
        "decisions/0012*",
    ],
    "stop the agent from repeating the same failing command": [
        "do/cookbook#add-a-rule*",
        "do/context-life-cycle#tail-or*",
    ],
    "GDPR delete a user's data": [
        "do/govern-what-is-stored",
        "do/govern-what-is-stored#delete-all*",
        "do/govern-what-is-stored#find*",
    ],
    "change an event type without breaking old logs": [
        "look-up/domains#versions*",
        "do/cookbook#rename-a-field*",
    ],
    "difference from CLAUDE.md": ["do/agents-md"],
    "pytest snapshot of my prompt": [
        "do/snapshot-test-your-hud",
        "do/snapshot-test-your-hud#write-a-snapshot*",
    ],
    "add a custom section to the HUD": [
        "do/cookbook#add-a-section*",
        "look-up/sections",
        "learn/make-a-hud-for-your-own-agent",
    ],
    "multi-tenant isolation between customers": [
        "do/run-it-for-a-fleet",
        "do/run-it-for-a-fleet#roles*",
        "do/run-it-for-a-fleet#scaling*",
    ],
    "import existing chat transcripts from ~/.claude/projects": [
        "look-up/transcripts",
        "look-up/transcripts#import*",
        "look-up/command-session#ujsx-session-import",
    ],
    "add to OpenAI Agents SDK": ["do/hosts/openai-agents"],
    "LangGraph checkpointer state persistence": ["do/hosts/langchain*"],
    "use with the Anthropic API messages.create": ["do/hosts/anthropic"],
    "where is the data stored on disk": [
        "understand/what-is-stored-where",
        "understand/what-is-stored-where#location*",
    ],
    "How do I put the HUD in the system prompt": [
        "do/context-life-cycle#tail-or*",
        "do/context-life-cycle#deliver-the-hud",
    ],
    "set a token limit for a prompt": [
        "do/context-life-cycle#budgets*",
        "do/context-life-cycle#set-a-budget*",
        "do/cookbook#trim-to-a-budget",
    ],
    "authentication bearer token for the server": [
        "do/run-it-for-a-fleet#an-http*",
        "look-up/command-server#ujsx-token*",
    ],
    "export a session as JSON": [
        "do/move-a-session*",
        "look-up/command-session#ujsx-session-export",
        "do/keep-a-session-from-the-shell#export*",
    ],
    "concurrent writers, database is locked": [
        "do/troubleshooting#sessions-and-stores",
        "understand/what-is-stored-where#sharing*",
    ],
    "how do I count tokens for Claude": [
        "look-up/tokens",
        "look-up/tokens#calibrate",
        "do/cookbook#count-tokens",
    ],
    "how to resume a session after restart": [
        "do/keep-a-session-from-the-shell",
        "do/keep-a-session-from-the-shell#begin*",
        "learn/your-first-hud*",
    ],
    "context compaction loses my guidelines": [
        "do/context-life-cycle#survival*",
        "do/context-life-cycle#conversation-kept*",
        "do/cookbook#add-a-rule*",
    ],
    "agent re-attempts approaches already known to fail": [
        "do/context-life-cycle#survival*",
        "do/context-life-cycle#conversation-kept*",
        "do/cookbook#add-a-rule*",
    ],
    "message history is too long with OpenAI": [
        "do/context-life-cycle#automatic*",
        "do/context-life-cycle#survival*",
        "do/prune-tool-outputs*",
    ],
    "how to delete user memories": [
        "do/govern-what-is-stored",
        "do/govern-what-is-stored#delete*",
        "do/govern-what-is-stored#find*",
    ],
    "session isolation and multi-user safety in MCP servers": [
        "do/run-it-for-a-fleet",
        "do/run-it-for-a-fleet#an-http*",
        "do/run-it-for-a-fleet#roles*",
    ],
    "how to escape curly braces {} in a customized prompt": [
        "do/from-f-strings-and-jinja2",
        "do/from-f-strings-and-jinja2#a-line*",
        "do/write-a-layout-as-text#text",
    ],
    "golden-file snapshot tests for prompt output": [
        "do/snapshot-test-your-hud",
        "do/snapshot-test-your-hud#write*",
    ],
    "database disk image is malformed": [
        "do/keep-a-store-safe",
        "do/keep-a-store-safe#repair*",
        "do/troubleshooting#sessions*",
    ],
    "SQLITE_BUSY: retry with backoff": [
        "understand/what-is-stored-where#sharing*",
        "do/troubleshooting#sessions*",
        "do/run-it-for-a-fleet#database-outages",
    ],
    "conversations lost after force-close": [
        "understand/what-is-stored-where#losses*",
        "do/keep-a-store-safe#repair*",
    ],
    "support max_prompt_tokens parameter": [
        "do/context-life-cycle#budgets*",
        "do/context-life-cycle#set-a-budget*",
        "do/cookbook#trim*",
    ],
    "use a custom token counter, get_num_tokens": ["look-up/tokens*", "do/cookbook#count-tokens"],
    "SessionStart hook of Claude Code": [
        "do/claude-code",
        "do/claude-code#*",
        "look-up/command-server#ujsx-hook",
    ],
    "union types in the schema not supported by OpenAI": [
        "look-up/schemas",
        "look-up/schemas#*",
        "do/turn-a-component-into-a-tool#losses*",
    ],
    "model hallucinated an unknown tool name": [
        "look-up/tools#validation*",
        "do/turn-a-component-into-a-tool",
    ],
    "multiple agents with different tools and shared memory": [
        "do/give-an-agent-a-hud#subagents",
        "do/run-it-for-a-fleet",
        "do/memory",
    ],
    "support for Azure OpenAI and Bedrock": [
        "do/hosts/openai",
        "do/give-an-agent-a-hud#in-a-loop*",
        "do/hosts/frameworks#*",
    ],
    "ImportError: no module named mcp": ["do/troubleshooting#hosts*", "do/plug-into-an-mcp-client"],
    "is there a way to view what is actually sent to the LLM": [
        "do/preview-a-layout",
        "look-up/command-hud#ujsx-hud",
        "do/claude-code",
    ],
    "prevent prompt injection from tool outputs": [
        "understand/what-a-text-hides*",
        "do/cookbook#show-text*",
    ],
}
"""Questions as people type them, and the pages and headings of which one answers: ``*`` for any further text."""

ASKED_BY_OTHERS = Path(__file__).with_name("asked.txt")
FIRST = 5
"""Results that people look at."""

NODE = shutil.which("node")


def found_by_the_site(questions: list[str]) -> list[list[str]]:
    """The places that the search of the site finds for each question, in order."""
    script = Path(__file__).with_name("search.cjs")
    asked = json.dumps(questions)
    run = subprocess.run(
        [str(NODE), script, SITE], input=asked, capture_output=True, text=True, check=True
    )
    found: list[list[str]] = json.loads(run.stdout)
    return found


@built
@pytest.mark.skipif(NODE is None, reason="the search runs in Node.js here")
class TestTheSearchOfTheSite:
    def test_finds_answers_in_two_tries(self) -> None:
        found = dict(zip(ASKED, found_by_the_site(list(ASKED)), strict=True))
        missed = {
            question: places[:2]
            for question, places in found.items()
            if not any(fnmatchcase(place, each) for place in places[:2] for each in ASKED[question])
        }
        assert missed == {}

    def test_finds_answers_by_a_question_or_by_its_words(self) -> None:
        rows = [line.split(" | ") for line in ASKED_BY_OTHERS.read_text("utf-8").splitlines()[2:]]
        found = iter(found_by_the_site([query for row in rows for query in row[:2]]))
        missed = {
            question: tries
            for question, _, answers in rows
            if not {*(tries := next(found)[:FIRST] + next(found)[:FIRST])} & {*answers.split("; ")}
        }
        assert missed == {}

    @looped(
        ("query", "name"),
        [
            ("HudStore.open", "hud_runtime.HudStore.open"),
            ("assert_fits", "ujsx.testing.assert_fits"),
            ("constructor", "ujsx.Component.model_construct"),  # each object of JavaScript has one
        ],
    )
    def test_finds_names(self, query: str, name: str) -> None:
        assert found_by_the_site([query])[0][0].endswith(f"#{name}")

    def test_finds_a_word_with_a_letter_wrong(self) -> None:
        assert found_by_the_site(["encripted"])[0][0].startswith("do/govern-what-is-stored")

    @looped("query", ["", " ", "?", "日本"])
    def test_finds_nothing(self, query: str) -> None:
        assert found_by_the_site([query]) == [[]]
