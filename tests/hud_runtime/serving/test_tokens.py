"""Tokens: made once, kept as hashes, in a file that nobody else may read."""

from __future__ import annotations

import json
import os
import re
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import ServeError
from hud_runtime.serve.http import Tokens, tokens_beside


class TestAFile:
    def test_has_hashes_and_is_its_owners_alone(self, tokens: Tokens) -> None:
        token, text = tokens.add("shop")
        kept = tokens.path.read_text()
        assert text not in kept
        assert text.rpartition("_")[2] not in kept
        assert token.digest in kept
        assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o622])
    def test_that_others_may_touch_lets_nobody_in(self, tokens: Tokens, mode: int) -> None:
        _, text = tokens.add("shop")
        assert tokens.of(text) is not None
        tokens.path.chmod(mode)
        for _ in range(2):  # not even from memory
            with pytest.raises(ServeError, match=r"others may read .*chmod 600"):
                tokens.of(text)
        tokens.path.chmod(0o600)
        assert tokens.of(text) is not None

    @pytest.mark.parametrize(
        "content",
        [
            "", "{}", "[]", '{"tokens": []}', '{"tokens": {"a": 1}}', "[" * 100_000, "\x00",
            '{"tokens": {"0123456789ab": {"project": "a/b", "sha256": "' + "0" * 64 + '", "made_at": 1}}}',
            '{"tokens": {"0123456789ab": {"project": "a", "sha256": "", "made_at": 1}}}',
            '{"tokens": {"0123456789ab": {"project": "a", "sha256": "' + "0" * 64 + '", "made_at": "1"}}}',
        ],
    )  # fmt: skip
    def test_that_is_damaged_lets_nobody_in(self, tokens: Tokens, content: str) -> None:
        _, text = tokens.add("shop")
        tokens.path.write_text(content)
        with pytest.raises(ServeError, match="is damaged"):
            tokens.of(text)

    def test_is_read_up_to_its_bound(self, tokens: Tokens) -> None:
        """8 MiB, which hold some 50,000 tokens."""
        _, text = tokens.add("shop")
        content = tokens.path.read_text().strip()
        for size in (2**23, 2**23 + 1):
            tokens.path.write_text(content.rjust(size))
            if size == 2**23:
                assert tokens.of(text) is not None
            else:
                with pytest.raises(ServeError, match="is damaged"):
                    tokens.of(text)

    def test_of_another_user_lets_nobody_in(
        self, tokens: Tokens, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, text = tokens.add("shop")
        monkeypatch.setattr(os, "getuid", lambda: tokens.path.stat().st_uid + 1)
        with pytest.raises(ServeError, match="another user's"):
            tokens.of(text)

    def test_is_on_the_disk_before_it_has_its_name(
        self, tokens: Tokens, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was not forced there, a power failure takes away."""
        forced: list[str] = []

        def force(file: int) -> None:
            forced.append(os.pread(file, 10_000, 0).decode())
            assert not tokens.path.exists()

        monkeypatch.setattr(os, "fsync", force)
        tokens.add("shop")
        assert forced == [tokens.path.read_text()]

    def test_comes_with_a_folder_of_ones_own(self, tmp_path: Path) -> None:
        tokens = Tokens(tmp_path / "new" / "tokens.json")
        tokens.add("shop")
        assert stat.S_IMODE(tokens.path.parent.stat().st_mode) == 0o700

    def test_that_cannot_be_is_told_in_a_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        (tmp_path / "tokens.json" / "in it").mkdir(parents=True)
        for path in (tmp_path / "tokens.json", tmp_path / "file" / "tokens.json"):
            for work in (lambda own: own.add("shop"), Tokens.all):
                with pytest.raises(ServeError, match=rf"^{re.escape(str(path))}: [A-Z][a-z ]+$"):
                    work(Tokens(path))

    def test_whose_lock_cannot_be_is_told(self, tokens: Tokens) -> None:
        tokens.path.with_name("tokens.json-lock").mkdir()
        with pytest.raises(ServeError, match=r"-lock: it cannot be written: Is a dir"):
            tokens.add("shop")

    def test_that_is_a_link_to_nothing_or_gone_has_no_tokens(self, tokens: Tokens) -> None:
        _, text = tokens.add("shop")
        tokens.path.unlink()
        assert tokens.of(text) is None
        assert tokens.all() == ()

    def test_stands_beside_its_store(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("UJSX_HOME", str(tmp_path))
        own = tmp_path / "tokens.json"
        assert tokens_beside(tmp_path / "hud.db") == own
        for place in (None, ":memory:", "postgresql://db/hud"):
            assert tokens_beside(place) == own


class TestTokensOf:
    def test_a_project_may_be_several(self, tokens: Tokens) -> None:
        texts = [tokens.add("shop")[1] for _ in range(3)]
        assert len({*texts}) == 3
        assert [tokens.of(each).project for each in texts] == ["shop"] * 3  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        "name", ["", "a/b", "project:a", "a b", ".", "-a", "a-", "ä", "a\n", "a" * 65, "..", "a\0"]
    )
    def test_a_name_that_cannot_be_are_refused(self, tokens: Tokens, name: str) -> None:
        with pytest.raises(ServeError, match="not a valid name for a project"):
            tokens.add(name)
        assert not tokens.path.exists()

    def test_has_a_name_of_up_to_64_letters(self, tokens: Tokens) -> None:
        for name in ("a", "a" * 64, "My-shop_2.eu"):
            assert tokens.of(tokens.add(name)[1]).project == name  # type: ignore[union-attr]

    def test_are_told_in_the_order_of_their_making(self, tokens: Tokens) -> None:
        for second in (9.25, 7.5, 8):
            Tokens(tokens.path, clock=lambda second=second: second).add("shop")  # type: ignore[misc]
        assert [each.made_at for each in tokens.all()] == [7_500, 8_000, 9_250]

    def test_the_figures_have_no_project(self, tokens: Tokens) -> None:
        token, text = tokens.add(None)
        assert tokens.of(text) == token
        assert token.project is None


class TestRevoking:
    def test_holds_at_once_for_whoever_has_read_the_file(self, tokens: Tokens) -> None:
        server = Tokens(tokens.path)
        (one, text), (_, other) = tokens.add("shop"), tokens.add("shop")
        assert server.of(text) == one
        tokens.revoke(one.id)
        assert server.of(text) is None
        assert server.of(other) is not None

    def test_what_is_not_there_is_told(self, tokens: Tokens) -> None:
        with pytest.raises(ServeError, match="there are none"):
            tokens.revoke("0123456789ab")
        assert not [*tokens.path.parent.iterdir()]
        token, _ = tokens.add("shop")
        with pytest.raises(ServeError, match=f'did you mean "{token.id}"'):
            tokens.revoke(token.id[:-1])


class TestManyAtOnce:
    def test_lose_no_token(self, tokens: Tokens) -> None:
        def add() -> None:
            own = Tokens(tokens.path)
            for _ in range(5):
                own.add("shop")

        threads = [threading.Thread(target=add) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(tokens.all()) == 20

    def test_an_abort_in_the_middle_leaves_the_file_as_it_was(
        self, tokens: Tokens, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tokens.add("shop")
        before = tokens.path.read_bytes()

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tokens.add("till")
        assert tokens.path.read_bytes() == before
        assert {each.name for each in tokens.path.parent.iterdir()} <= {
            "tokens.json", "tokens.json-lock"
        }  # fmt: skip
        monkeypatch.undo()
        tokens.add("till")  # and the lock is free


@given(st.text())
def test_what_is_no_token_is_none_of_any(text: str) -> None:
    class One(Tokens):
        def _current(self):
            return {}

    assert One(Path("nowhere")).of(text) is None


class TestNearMisses:
    def test_are_refused(self, tokens: Tokens) -> None:
        token, text = tokens.add("shop")
        other = tokens.add("till")[1]
        secret = text.rpartition(f"{token.id}_")[2]
        for wrong in (
            text[:-1], text + "A", f" {text}", f"{text}\n", text.upper(), text.replace("ujsx", "UJSX"),
            f"ujsx_{token.id}_", f"ujsx__{secret}", token.digest, f"ujsx_{token.id}_{token.digest[:43]}",
            f"ujsx_{token.id}_{other[-43:]}", f"ujsx_{'0' * 12}_{secret}", f"ujsx_{'0' * 12}_{'A' * 43}",
        ):  # fmt: skip
            assert tokens.of(wrong) is None, wrong
        assert tokens.of(text) == token

    def test_the_file_is_plain_json(self, tokens: Tokens) -> None:
        token, _ = tokens.add("shop")
        told = json.loads(tokens.path.read_text())
        assert told == {
            "tokens": {
                token.id: {"project": "shop", "sha256": token.digest, "made_at": token.made_at}
            }
        }
