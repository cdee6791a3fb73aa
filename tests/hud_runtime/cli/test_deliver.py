"""``ujsx deliver`` and ``ujsx cost``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from hud_runtime import HudStore
from ujsx.tokens import estimate_tokens


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "hud.db"
    with HudStore.open(path) as opened:
        opened.session("s").record("note.add", content="Port 8080", turn=1)
    return path


class TestDeliver:
    """What is to be sent, as a shell asks for it."""

    def test_all_then_what_changed(self, ujsx, store) -> None:
        first = ujsx("deliver", "s", "--store", store, "--sent")
        assert first.out == "# HUD\n\n## Notes\n\n- Port 8080\n"
        assert first.err.startswith("whole for append (start); delivery ")
        ujsx("record", "s", "note.add", "--content", "Use JWT", "--store", store)
        second = ujsx("deliver", "s", "--store", store, "--json")
        assert second.data["parts"][0]["kind"] == "delta"
        assert ujsx("deliver", "s", "--store", store, "--delivered", second.data["id"]).status == 0
        third = ujsx("deliver", "s", "--store", store)
        assert (third.out, third.err[:11]) == ("", "nothing new")

    def test_texts_tell_what_was_cut(self, ujsx, store, tmp_path) -> None:
        ujsx("deliver", "s", "--store", store, "--sent")
        texts = tmp_path / "texts.json"
        texts.write_text(json.dumps(["hello"]), encoding="utf-8")
        assert "(cut)" in ujsx("deliver", "s", "--store", store, "--texts", texts).err
        again = ujsx("deliver", "s", "--store", store, "--texts", texts, "--replay", "--json")
        assert again.data["parts"][0]["behind"] == 1

    @pytest.mark.parametrize(
        ("arguments", "refusal"),
        [
            (("--mode", "tial"), 'did you mean "tail"'),
            (("--mode", "tail"), "anew with each request"),
            (("--replay",), "add --json"),
            (("--retry-of", "nothing"), "there is no delivery"),
        ],
    )
    def test_what_cannot_be_is_refused(self, ujsx, store, arguments, refusal) -> None:
        assert refusal in ujsx("deliver", "s", "--store", store, *arguments).refusal

    @pytest.mark.parametrize("text", ["{", "[1]", '"x"'])
    def test_texts_that_are_none_are_refused(self, ujsx, store, tmp_path, text) -> None:
        texts = tmp_path / "texts.json"
        texts.write_text(text, encoding="utf-8")
        assert (
            "texts.json is no" in ujsx("deliver", "s", "--store", store, "--texts", texts).refusal
        )


class TestCost:
    """What a HUD costs."""

    def test_it_prints_turns_and_ways(self, ujsx, store) -> None:
        shown = ujsx("cost", "s", "--store", store)
        assert shown.out.splitlines()[0].split() == [
            "turn",
            "HUD",
            "appended",
            "kept",
            "lost",
            "broken",
            "by",
        ]
        assert "append " in shown.out
        data = ujsx("cost", "s", "--store", store, "--json", "--prices", "openai").data
        assert [each["turn"] for each in data["turns"]] == [0, 1]
        assert set(data["ratios"]) == set(data["ways"])

    def test_prices_are_a_table_that_a_user_replaces(self, ujsx, store, tmp_path) -> None:
        own = tmp_path / "prices.json"
        own.write_text('{"cache": "prefix", "read": 1, "write": 1}', encoding="utf-8")
        data = ujsx("cost", "s", "--store", store, "--json", "--prices", own).data
        assert data["without"] == 13_500 + 15_000
        own.write_text('{"cache": "none"}', encoding="utf-8")
        assert "has no prices" in ujsx("cost", "s", "--store", store, "--prices", own).refusal
        assert "known: anthropic" in ujsx("cost", "s", "--store", store, "--prices", "x").refusal

    def test_of_a_transcript_the_words_count_as_well(self, ujsx, tmp_path) -> None:
        file = tmp_path / "session.jsonl"
        file.write_text("".join(_claude_code(20)), encoding="utf-8")
        shown = ujsx("cost", file)
        data = ujsx("cost", file, "--json").data
        assert data["head"] == 20_000
        assert data["factor"] == pytest.approx(1.2, abs=0.1)
        assert data["without"] == pytest.approx(data["billed"]["prompts"], rel=0.01)
        assert f"Cheapest at these prices: {data['cheapest']}." in shown.out
        assert f"have {data['tool_tokens']:,} tokens in each request" in shown.out
        assert ujsx("cost", file, "--json", "--first", 5_000).data["head"] == 5_000


def _claude_code(turns: int) -> Iterator[str]:
    """The lines of a session of Claude Code whose provider counts a fifth more than the estimate, and adds 90 to each."""
    cached, prompt, content = 0, 20_000, "Move the ledger service to PostgreSQL"
    for turn in range(turns):
        answer = "The table is moved. " * (1 + 7 * turn % 40)
        usage = {"input_tokens": 0, "cache_read_input_tokens": cached, "output_tokens": 1}
        usage["cache_creation_input_tokens"] = prompt - cached
        message = {"id": f"m-{turn}", "role": "assistant", "model": "claude-opus-4-6"}
        said = [{"type": "text", "text": answer}]
        records = (
            {"type": "user", "message": {"role": "user", "content": content}},
            {"type": "assistant", "message": {**message, "content": said, "usage": usage}},
        )
        for number, record in enumerate(records):
            ids = {"uuid": f"u-{turn}-{number}", "sessionId": "s", "cwd": "/work", "version": "2"}
            yield json.dumps({**ids, "timestamp": "2026-01-01T00:00:00Z", **record}) + "\n"
        content = f"Go on with part {turn}"
        cached = prompt
        prompt += round(1.2 * (estimate_tokens(answer) + estimate_tokens(content))) + 90
