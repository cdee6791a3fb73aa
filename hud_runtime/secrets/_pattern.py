"""A kind of secret, a row of the table; and the tests that tell a secret from a placeholder."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import log2
from typing import TypeAlias

from ujsx.errors import UjsxError

PLACEHOLDERS: tuple[str, ...] = (
    "example", "sample", "dummy", "fake", "placeholder", "redacted", "changeme", "change_me", "change-me", "changethis",
    "your", "insert", "xxxx", "0000", "...", "…", "****", "<", "${", "$(", "{{", "%s", "todo", "notreal", "not-real",
    "not_real",
)  # fmt: skip
"""Parts of the placeholders of documentation and tests."""


def bits(text: str) -> float:
    """Return the Shannon entropy of a text's characters, in bits for each.

    >>> bits("aaaa"), bits("abcd")
    (0.0, 2.0)
    """
    total = len(text)
    return 0.0 - sum(n / total * log2(n / total) for n in Counter(text).values()) if total else 0.0


def is_no_placeholder(text: str) -> bool:
    """Tell whether a text has none of the words and fillings of documentation in it.

    >>> is_no_placeholder("sk-your-key-here"), is_no_placeholder("q7Rf0TzLw2")
    (False, True)
    """
    lowered = text.lower()
    return not any(each in lowered for each in PLACEHOLDERS)


def is_varied(text: str) -> bool:
    """Tell whether a text is neither a placeholder nor a few characters over and over."""
    return len(set(text)) > 7 and is_no_placeholder(text)


def is_random(text: str) -> bool:
    """Tell whether a text looks drawn by chance: digits among letters, capitals alone, or letters of both cases alike.

    >>> is_random("q7Rf0TzLw2"), is_random("an_ordinary_name_of_code")
    (True, False)
    """
    if bits(text) < 2.5 or not is_no_placeholder(text):
        return False
    return mixes_cases(text) or text.isupper() or (has_digit(text) and any(map(str.isalpha, text)))


def mixes_cases(text: str) -> bool:
    """Tell whether a text has capitals and small letters in like numbers, as names of code have not.

    >>> mixes_cases("QhiLAijVYqnDWcLr"), mixes_cases("replaceOccurrences")
    (True, False)
    """
    capitals, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return len(text) >= 16 and min(capitals, small) * 4 > len(text)


def has_digit(text: str) -> bool:
    """Tell whether a text has a digit."""
    return any(map(str.isdigit, text))


def is_cookie(text: str) -> bool:
    """Tell whether one of the values in a cookie may be an identifier: it has a digit, or looks random.

    >>> is_cookie("SID=QKZVRWTYHJGMNBXC; theme=dark"), is_cookie("theme=dark; lang=en")
    (True, False)
    """
    words = re.split(r"[=; ]+", text)
    return has_digit(text) or any(len(each) >= 16 and is_random(each) for each in words)


USUAL = frozenset({
    "admin", "administrator", "any", "api_key", "apikey", "auto", "basic", "bearer", "bool", "boolean", "bytes", "char", "default",
    "disabled", "empty", "enabled", "expired", "false", "foo", "guest", "hash", "hashed", "hidden", "incorrect", "int", "integer", "invalid", "key", "letmein", "minio", "mongo", "mysql",
    "neo4j", "never", "nil", "no", "none", "null", "number", "oauth", "object", "off", "on", "optional", "pass", "passwd",
    "passphrase", "password", "postgres", "pwd", "rabbitmq", "redis", "required", "root", "secret", "str", "string", "test", "testing",
    "text", "token", "toor", "true", "unavailable", "undefined", "unknown", "user", "username", "value", "values", "varchar", "void", "write", "yes",
    "adgangskode", "clave", "geslo", "haslo", "heslo", "kennwort", "lozinka", "parola", "parool", "passord", "passwort", "salasana", "senha", "wachtwoord",
    "alias", "hashable", "incomplete", "comment", "identifier", "keyword", "operator", "punctuation", "variable",
})  # fmt: skip
"""Words behind a name that are no secret: types, switches, what test set-ups have for a password, "password" in other languages, kinds of tokens of a
language."""

FILLING = re.compile(
    r"[xX*.•·#_?+=~-]+|[{%@\[(&|].*|\$(?!\w*[!@#%^*~?]\w).*|0x[0-9a-fA-F]+|[~^v<>=]{0,2}\d+\.\d+.*",
    re.DOTALL,
)
"""A filling in a secret's place: dots and stars, a variable, the name of another place, a mask."""


def is_password(text: str) -> bool:
    """Tell whether a text may be a password where every word may be one.

    >>> is_password("hunter2"), is_password("correct-horse"), is_password("$PASSWORD"), is_password("changeme")
    (True, True, False, False)
    """
    if text.lower() in USUAL or FILLING.fullmatch(text) or len(set(text)) < 3:
        return False
    return is_no_placeholder(text)


NO_CREDENTIAL = re.compile(
    r"[A-Za-z]+(?:[-._][A-Za-z]+)*|(?!.{20})[a-z]\w*(?:[_.]\w+)+|(?:\w+://|arn:).*|[\w.]+/\w+|.*:"
)
"""Words, names, addresses and paths in the place of a credential."""


def is_bearer(text: str) -> bool:
    """Tell whether what stands in a header is a credential: it is no word, name, path or address."""
    return is_password(text) and not NO_CREDENTIAL.fullmatch(text)


def is_basic(text: str) -> bool:
    """Tell whether a text is a user's name and a password in Base64.

    >>> is_basic("YW5uOmh1bnRlcjI="), is_basic("username"), is_basic("hunter2")
    (True, False, False)
    """
    return ":" in (_decoded(text) or "")


def is_encoded(text: str) -> bool:
    """Tell whether a text is a printable one in Base64.

    >>> is_encoded("aHVudGVyMg=="), is_encoded("hunter2")
    (True, False)
    """
    return (_decoded(text) or "\0").isprintable()


def _decoded(text: str) -> str | None:
    """Return the text that is meant in Base64; None where none is."""
    try:
        return b64decode(text + "=" * (-len(text) % 4)).decode()
    except (Base64Error, UnicodeDecodeError):
        return None


OF_PROSE = frozenset({
    "the", "and", "was", "for", "with", "from", "not", "but", "are", "has", "have", "its", "does", "which", "who", "been", "were", "than", "because",
})  # fmt: skip
"""Words of many sentences that BIP-39 has not."""


def is_phrase(text: str) -> bool:
    """Tell whether 12 to 24 words may be a recovery phrase: threes of them, at most one of them twice, and none of prose."""
    words = text.split()
    is_varied = len(set(words)) >= len(words) - 1
    return len(words) % 3 == 0 and is_varied and OF_PROSE.isdisjoint(words)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed. Tokens are ASCII: a letter of another script ends them."""
    return re.compile(expression, re.ASCII)


Parts: TypeAlias = list[tuple[int, int]]
"""The spans of a secret's parts in a text: one, or one for each line of a listing."""

Finder: TypeAlias = Callable[[str], Iterable[Parts]]


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """A kind of secret, and what it looks like.

    >>> own = SecretPattern("acme-key", ("acme_",), re.compile(r"acme_[0-9a-f]{32}"), "acme's manual")
    >>> own.kind
    'acme-key'
    """

    kind: str
    """The name in masks and findings: lowercase letters, digits and hyphens."""

    hints: tuple[str, ...]
    """Parts of each match, in lowercase. The expression is tried only on a text that has one of them in any
    case, so that most texts cost next to nothing."""

    expression: re.Pattern[str] | str | Finder
    """The look of it; a string is compiled when it is first needed. The group ``secret`` is masked, or the whole
    match. A function yields the parts of each secret in a text. It has to be linear, as it is tried on what
    anybody sends."""

    source: str
    """The document that says so."""

    is_meant: Callable[[str], bool] = is_no_placeholder
    """Tells a secret from what only looks like one."""

    shown: int = 4
    """The number of first characters that may be reported, 4 at most: those that all of the kind begin with."""

    seen: str = ""
    """The month in which the source was looked up: ``2026-11``."""

    starts: tuple[str, ...] = ()
    """The one or two characters that each match begins with, at the start of a word. They take the place of
    ``hints`` for tokens of at least 16 characters."""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", self.kind):
            raise UjsxError(
                f"a secret's kind has lowercase letters, digits and hyphens only, not {self.kind!r}"
            )
        if not (self.hints or self.starts) or any(
            not each or each != each.lower() for each in self.hints
        ):
            raise UjsxError(f"{self.kind}: a pattern needs hints in lowercase, or no text is tried")
        if not 0 <= self.shown <= 4:
            raise UjsxError(f"{self.kind}: shown is 0 to 4 characters, not {self.shown}")

    def found(self, text: str) -> Iterator[Parts]:
        """Yield the parts of each secret of the kind in a text."""
        if callable(self.expression):
            yield from self.expression(text)
            return
        compiled = self._compiled()
        group = "secret" if "secret" in compiled.groupindex else 0
        for match in compiled.finditer(text):
            if self.is_meant(match[group] or ""):
                yield [match.span(group)]

    def token_at(self, text: str, at: int) -> str:
        """Return the possible token at a place of a text; an empty text where there is none."""
        match = self._compiled().match(text, at)
        return match[0] if match else ""

    def _compiled(self) -> re.Pattern[str]:
        if isinstance(self.expression, re.Pattern):
            return self.expression
        assert isinstance(self.expression, str)
        return _compiled(self.expression)
