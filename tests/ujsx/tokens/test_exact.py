"""Exact counters: what they count, and what is said when they cannot be had."""

from __future__ import annotations

import pickle
import sys
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ujsx import CounterError, tokens
from ujsx.tokens import (
    ENCODINGS,
    Encoding,
    ExactCounter,
    estimate_tokens,
    rs_bpe_counter,
    tiktoken_counter,
)

MERGES = (b"th", b"the", b" th", b" the", b" c", b" ca", b" cat")


@pytest.fixture
def vocabulary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vocabulary of the 256 bytes and a few merges, which takes the place of o200k_base's."""
    tokens = [*(bytes([byte]) for byte in range(256)), *MERGES]
    lines = [b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)]
    file = tmp_path / "o200k_base.tiktoken"
    file.write_bytes(b"".join(lines))
    own = Encoding(ENCODINGS["o200k_base"].pattern, sha256(file.read_bytes()).hexdigest())
    monkeypatch.setitem(ENCODINGS, "o200k_base", own)
    return file


class TestTiktoken:
    def test_counts_with_the_vocabulary_of_a_file(self, vocabulary: Path) -> None:
        pytest.importorskip("tiktoken")
        counter = tiktoken_counter(vocabulary)
        assert [counter(text) for text in ("", "the cat", "the the", "xyz")] == [0, 2, 2, 3]
        assert counter is tiktoken_counter(str(vocabulary))

    def test_is_pickled_without_its_vocabulary(self, vocabulary: Path) -> None:
        pytest.importorskip("tiktoken")
        counter = tiktoken_counter(vocabulary)
        written = pickle.dumps(counter)
        assert len(written) < 1_000
        assert pickle.loads(written) == counter
        assert pickle.loads(written)("the cat") == 2

    def test_counts_special_tokens_as_text(self, vocabulary: Path) -> None:
        pytest.importorskip("tiktoken")
        assert tiktoken_counter(vocabulary)("<|endoftext|>") == len("<|endoftext|>")

    def test_counts_what_no_file_can_hold(self, vocabulary: Path) -> None:
        pytest.importorskip("tiktoken")
        assert tiktoken_counter(vocabulary)("a\ud800b") == 5

    def test_has_the_definitions_of_tiktoken(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its own load fetches the vocabulary; here it tells what it would have fetched."""
        published: Any = pytest.importorskip("tiktoken_ext.openai_public")
        hashes: list[str] = []

        def nothing(url: str, expected_hash: str) -> dict[bytes, int]:
            hashes.append(expected_hash)
            return {}

        monkeypatch.setattr(published, "load_tiktoken_bpe", nothing)
        for name, encoding in ENCODINGS.items():
            assert getattr(published, name)()["pat_str"] == encoding.pattern
            assert hashes.pop() == encoding.sha256

    def test_refuses_another_file(self, vocabulary: Path) -> None:
        pytest.importorskip("tiktoken")
        other = vocabulary.with_name("other.tiktoken")
        other.write_bytes(vocabulary.read_bytes() + b"\n")
        with pytest.raises(CounterError, match=r"other.tiktoken is not the vocabulary of o200k"):
            tiktoken_counter(other)

    def test_says_where_a_file_is_missing(self, tmp_path: Path) -> None:
        pytest.importorskip("tiktoken")
        with pytest.raises(CounterError, match=r"no.tiktoken cannot be read: No such file"):
            tiktoken_counter(tmp_path / "no.tiktoken")


class TestRsBpe:
    def test_counts_as_o200k_does(self) -> None:
        pytest.importorskip("rs_bpe")
        counter = rs_bpe_counter()
        assert counter("Use JWT over sessions.") == 5
        assert counter("中文") == 1
        assert rs_bpe_counter("cl100k_base")("中文") == 2
        assert counter("a\ud800") > 0

    def test_is_pickled_by_name(self) -> None:
        pytest.importorskip("rs_bpe")
        assert pickle.loads(pickle.dumps(rs_bpe_counter()))("中文") == 1

    def test_is_near_the_estimate(self) -> None:
        pytest.importorskip("rs_bpe")
        text = Path(__file__).read_text(encoding="utf-8")
        assert abs(estimate_tokens(text) / rs_bpe_counter()(text) - 1) < 0.2

    def test_is_equal_by_name(self) -> None:
        assert ExactCounter("a", len) == ExactCounter("a", estimate_tokens)
        assert ExactCounter("a", len) != ExactCounter("b", len)

    def test_of_ones_own_is_pickled_with_what_counts(self) -> None:
        assert pickle.loads(pickle.dumps(ExactCounter("a", len)))("four") == 4


@pytest.mark.parametrize(
    ("make", "module", "extra"),
    [
        (lambda: tiktoken_counter("missing.tiktoken"), "tiktoken", "tiktoken"),
        (lambda: rs_bpe_counter("cl100k_base"), "rs_bpe.bpe", "rs-bpe"),
    ],
)
def test_without_its_package_an_exact_counter_says_what_to_install(
    make: Callable[[], object], module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens._with_rs_bpe.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CounterError, match=rf'pip install "ujsx\[{extra}\]"'):
        make()


def test_an_encoding_that_does_not_exist_is_named_with_the_nearest() -> None:
    with pytest.raises(
        CounterError, match=r"'o200k_bse' is not an encoding; did you mean \"o200k_base\"\?"
    ):
        rs_bpe_counter("o200k_bse")
