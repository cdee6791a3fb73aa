"""TOML files of others: a table more or less, and every other byte as it was."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import InstallError
from tests.hud_runtime.integrations.inside import settings_file
from tests.ids import looped

NAME = ("mcp_servers", "ujsx")
REMARK = "A HUD"
OURS = {"command": "/opt/hud", "args": ["a b", 'say "hi"', "C:\\x", "\x7f é 🟢"]}

CASES = [
    "",
    "\n",
    'model = "x"',
    'model = "x"\n',
    "# mine\r\nmodel = 'x'\r\n",
    '\ufeffmodel = "x"\n',
    '[mcp_servers.files]\ncommand = "files"\n',
    '[mcp_servers]\n\n[mcp_servers.files]\ncommand = "files"\n',
    '[projects."/srv/shop"]\ntrust_level = "trusted"\n\n# the end\n',
    'text = """\n[mcp_servers.ujsx]\n"""\n',
    '[[rules]]\nname = "a"\n\n[[rules]]\nname = "b"\n',
]


class TestATable:
    @looped("text", CASES)
    def test_comes_at_the_end_and_says_what_it_is_to_say(self, text: str) -> None:
        with_ours = settings_file.with_table(text, NAME, OURS, REMARK)
        assert with_ours.startswith(text)
        assert settings_file.tables_of(with_ours)["mcp_servers"]["ujsx"] == OURS
        assert ("\r\n" in with_ours) == ("\r\n" in text)

    @looped("text", CASES)
    def test_goes_and_leaves_the_rest(self, text: str) -> None:
        left = settings_file.without_table(
            settings_file.with_table(text, NAME, OURS, REMARK), NAME, REMARK
        )
        assert left.rstrip() == text.rstrip()
        assert settings_file.without_table(left, NAME, REMARK) == left

    @looped("text", CASES)
    def test_goes_with_what_the_program_has_put_into_it_and_behind_it(self, text: str) -> None:
        """Codex keeps what it is told to ask no more in tables of the server, and trust behind them."""
        behind = '\n# theirs\n[hooks.state."/h.json:stop:0:0"]\ntrusted_hash = "x"\n'
        grown = settings_file.with_table(text, NAME, OURS, REMARK)
        grown += (
            'enabled = true\n[mcp_servers.ujsx.tools.hud]\napproval_mode = "approve"\n' + behind
        )
        left = settings_file.without_table(grown, NAME, REMARK)
        assert left.endswith(behind)
        data = tomllib.loads(left.removeprefix("\ufeff"))
        assert data["hooks"]["state"]["/h.json:stop:0:0"] == {"trusted_hash": "x"}
        assert "ujsx" not in data.get("mcp_servers", {})
        assert left.startswith(text.rstrip())

    @looped(
        "text",
        [
            'mcp_servers = { files = { command = "files" } }\n',
            '[mcp_servers.ujsx]\ncommand = "other"\n',
            "mcp_servers = 1\n",
            "model = \n",
        ],
    )
    def test_is_refused_where_more_would_change(self, text: str) -> None:
        with pytest.raises(InstallError):
            settings_file.with_table(text, NAME, OURS, REMARK)

    def test_in_a_text_that_looks_like_it_is_refused(self) -> None:
        text = 'text = """\n[mcp_servers.ujsx]\n"""\n[mcp_servers]\nujsx = { command = "x" }\n'
        with pytest.raises(InstallError, match="by hand"):
            settings_file.without_table(text, NAME, REMARK)

    @given(st.dictionaries(st.text(min_size=1), st.text() | st.lists(st.text())))
    def test_holds_any_text(self, values: dict[str, str | list[str]]) -> None:
        sound = {k: v for k, v in values.items() if "\ud800" not in k}
        assert (
            settings_file.tables_of(settings_file.with_table("", NAME, sound, REMARK))[
                "mcp_servers"
            ]["ujsx"]
            == sound
        )
