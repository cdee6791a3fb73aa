"""Exact counters, from packages that come with extras. Each is imported when it is asked for.

Text is counted as text: what looks like a special token is the characters that it has.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ujsx.errors import CounterError, did_you_mean


@dataclass(frozen=True, slots=True)
class Encoding:
    """The way in which OpenAI's models split text before bytes are merged, and the file that says which."""

    pattern: str
    """What is merged on its own: a regular expression with Unicode classes."""

    sha256: str
    """The digest of the vocabulary's file, ``<name>.tiktoken``."""


ENCODINGS: dict[str, Encoding] = {
    "cl100k_base": Encoding(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": Encoding(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
"""The encodings by name; what defines them is ``tiktoken_ext/openai_public.py`` of tiktoken."""


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """A counter that counts what a model's tokenizer makes of a text; equal by name."""

    name: str
    """The package and its encoding, such as ``rs-bpe o200k_base``."""

    count: Callable[[str], int] = field(repr=False, compare=False)

    made_by: tuple[Callable[..., ExactCounter], tuple[Any, ...]] | None = field(
        default=None, repr=False, compare=False
    )
    """What makes it, and of what: a pickle holds that instead of the vocabulary."""

    def __call__(self, text: str) -> int:
        return self.count(_writable(text))

    def __reduce__(self) -> tuple[Callable[..., ExactCounter], tuple[Any, ...]]:
        return self.made_by or (ExactCounter, (self.name, self.count))


def tiktoken_counter(
    vocabulary: str | os.PathLike[str], encoding: str = "o200k_base"
) -> ExactCounter:
    """Return a counter on tiktoken with a vocabulary that lies on this machine; nothing is fetched.

    :param vocabulary: the file ``o200k_base.tiktoken`` or ``cl100k_base.tiktoken``, as OpenAI
        publishes it.
    :param encoding: which of them it is.
    :raises CounterError: if tiktoken is missing, the encoding is unknown, or the file is not its
        vocabulary.

    >>> tiktoken_counter("o200k_base.tiktoken", "o200k")
    Traceback (most recent call last):
    ujsx.errors.CounterError: 'o200k' is no encoding; did you mean "o200k_base"?
    """
    return _with_tiktoken(Path(vocabulary), _known(encoding))


def rs_bpe_counter(encoding: str = "o200k_base") -> ExactCounter:
    """Return a counter on rs_bpe, which has both vocabularies in its wheel (26 MB).

    :param encoding: ``o200k_base`` or ``cl100k_base``.
    :raises CounterError: if rs_bpe is missing, or the encoding is unknown.
    """
    return _with_rs_bpe(_known(encoding))


@lru_cache
def _with_tiktoken(path: Path, name: str) -> ExactCounter:
    tiktoken = _extra("tiktoken", "tiktoken")
    encoding = ENCODINGS[name]
    ranks = _ranks(path, name, encoding.sha256)
    tokenizer = tiktoken.Encoding(
        name, pat_str=encoding.pattern, mergeable_ranks=ranks, special_tokens={}
    )
    return ExactCounter(
        f"tiktoken {name}",
        lambda text: len(tokenizer.encode_ordinary(text)),
        (_with_tiktoken, (path, name)),
    )


@lru_cache
def _with_rs_bpe(name: str) -> ExactCounter:
    tokenizer = getattr(_extra("rs_bpe.bpe", "rs-bpe").openai, name)()
    return ExactCounter(f"rs-bpe {name}", tokenizer.count, (_with_rs_bpe, (name,)))


def _ranks(path: Path, name: str, sha256: str) -> dict[bytes, int]:
    """The tokens of a vocabulary by their bytes: each line has them in base 64, and their number."""
    from base64 import b64decode
    from hashlib import sha256 as digest

    try:
        data = path.read_bytes()
    except OSError as error:
        raise CounterError(
            f"{path} cannot be read: {error.strerror or error}; save the vocabulary {name}.tiktoken "
            "there, or use rs_bpe_counter, which brings its own"
        ) from None
    if digest(data).hexdigest() != sha256:
        raise CounterError(
            f"{path} is not the vocabulary of {name}: its SHA-256 is not {sha256[:12]}…; "
            f"save {name}.tiktoken again, or name the encoding that it is"
        )
    pairs = (line.split() for line in data.splitlines() if line)
    return {b64decode(token): int(number) for token, number in pairs}


def _known(name: str) -> str:
    if name not in ENCODINGS:
        raise CounterError(f"{name!r} is no encoding; {did_you_mean(name, ENCODINGS)}")
    return name


def _extra(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise CounterError(f'{extra} is not installed; pip install "ujsx[{extra}]"') from None


def _writable(text: str) -> str:
    """The text with U+FFFD for each surrogate, which no tokenizer takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
