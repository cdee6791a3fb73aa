"""Finders for secrets that need more than a pattern: private keys, line by line, and values behind names that say "secret".

In: a text without escapes. Out: where each secret is, without a listing's marks at the starts of its lines (numbers,
`file:12:`, a diff's signs).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import log2

from hud_runtime.secrets._pattern import (
    Parts,
    bits,
    has_digit,
    is_password,
    is_random,
    mixes_cases,
)

MARK = r"(?:(?:[^\s:\"']{1,200}[:-])?[ \t]{0,8}\d{1,7}(?:\t|→|[:│|-] ?)|[+-](?!-)|(?:> ?){1,4}|(?:#|//|\*|│) )?"
"""A listing's mark at a line's start: of ``cat -n``, of a tool that reads files, of ``grep -n``, of a diff, of a quotation."""

LINE_NUMBER = r"(?:[^\s:\"']{1,200}:)?[ \t]{0,8}\d{1,7}(?:\t|→|[:│|] ?)"
"""The number of a line in a listing."""

# --- Private keys --------------------------------------------------------------------------

_LISTINGS = tuple(map(re.compile, (
    r"[ \t]*\d{1,7}(?:\t|→|[:│|-] ?)", r"[^\s:\"']{1,200}[:-]\d{1,7}[:-]", r"[+ -]", r"[ \t]*(?:> ?){1,4}", r"[ \t]*(?:#|//|\*|│) ?",
    r"[ \t]*[\"']",
)))  # fmt: skip
"""The marks of listings, one for each style: a block goes on with the style that it begins with."""

_KEY = r"(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_EDGE = re.compile(rf"-----(?:BEGIN|(?P<end>END)) {_KEY}|Private-Lines: (?P<count>\d{{1,3}})")
_ON_ONE_LINE = re.compile(rf"(?:[ ,]?[A-Za-z0-9+/]{{16,}}={{0,2}})++[ ,]?(?:-----END {_KEY})?")
_LINE = re.compile(
    r"[A-Za-z0-9+/]{1,4096}={0,3}|=[A-Za-z0-9+/]{4}|(?:Proc-Type|DEK-Info|Comment|Version|Hash): .*|"
)
_AROUND = " \t\r\"',;\\"
"""Characters around a line of a key that is a text in a program."""


def key_blocks(text: str) -> Iterator[Parts]:
    """Yield the parts of each private key: of a whole one, of a beginning, and of an end.

    >>> key = chr(10).join(["-----BEGIN PRIVATE KEY-----", "MIIEq7Rf0TzLw2bYdKpX" * 3, "-----END PRIVATE KEY-----"])
    >>> list(key_blocks(f"a: {key} b")) == [[(3, 3 + len(key))]]
    True
    """
    done = 0
    for edge in _EDGE.finditer(text):
        if edge.start() < done:
            continue
        parts = _lines_before(text, edge, done) if edge["end"] else _lines_after(text, edge)
        if parts and _is_key(" ".join(text[start:end] for start, end in parts)):
            done = parts[-1][1]
            yield parts


def _is_key(text: str) -> bool:
    """Tell whether there is more than the first line, which a program may look for."""
    body = "".join(_EDGE.sub("", text).split())
    return len(body) > 40 and bits(body) >= 4 and has_digit(body)


def _lines_after(text: str, edge: re.Match[str]) -> Parts:
    """Return the parts of a key that begins with an edge."""
    if on_one_line := _ON_ONE_LINE.match(text, edge.end()):
        return [(edge.start(), on_one_line.end())]
    second = text.find("\n", edge.end()) + 1
    if not second or text[edge.end() : second].strip(_AROUND + "\n"):
        return []
    least = max(edge.start() - 300, 0)
    start = max(text.rfind("\n", least, edge.start()) + 1, least)
    listing = _listing(text[start : start + 300], text[second : second + 300])
    parts = [] if edge["count"] else [edge.span()]
    at = second
    while at < len(text):
        stop = text.find("\n", at) % (len(text) + 1)  # -1 is the end
        first, last = _content(text, at, stop, listing)
        if end := _EDGE.match(text, first):
            return _joined([*parts, end.span()] if end["end"] else parts, listing)
        if not _LINE.fullmatch(text, first, last):
            break
        parts += [(first, last)] if first < last else []
        at = stop + 1
    while parts and parts[-1][1] - parts[-1][0] < 16:  # words behind a key that was cut
        parts.pop()
    return _joined(parts, listing)


def _lines_before(text: str, edge: re.Match[str], least: int) -> Parts:
    """Return the parts of a key whose beginning was cut, up to its last line."""
    parts: Parts = []
    stop = edge.start()
    while stop > least:
        start = max(text.rfind("\n", least, stop) + 1, least)
        listing = next((each for each in _LISTINGS[:-2] if each.match(text, start, stop)), None)
        first, last = _content(text, start, stop, listing)
        if not _LINE.fullmatch(text, first, last) or (first == last and parts):
            break
        parts.insert(0, (first, last if parts else edge.end()))
        stop = start - 1
    return parts


def _joined(parts: Parts, listing: re.Pattern[str] | None) -> Parts:
    """Return the parts of a key; one, where no marks stand between its lines."""
    return parts if listing or not parts else [(parts[0][0], parts[-1][1])]


def _listing(first: str, second: str) -> re.Pattern[str] | None:
    """Return the style of a listing in which both lines stand."""
    return next((each for each in _LISTINGS if each.match(first) and each.match(second)), None)


def _content(text: str, start: int, stop: int, listing: re.Pattern[str] | None) -> tuple[int, int]:
    """Return where a line's own text begins and ends."""
    mark = listing.match(text, start, stop) if listing else None
    first = mark.end() if mark else start
    line = text[first:stop]
    return first + len(line) - len(line.lstrip(_AROUND)), first + len(line.rstrip(_AROUND))


# --- Values behind names -------------------------------------------------------------------

STEMS = ("pass", "pw", "psk", "secret", "token", "key", "_auth", "_pat", "mnemonic")
"""What the names of secrets have in them, in lowercase."""

_NAMED = re.compile(
    r"""
    (?:pass(?:w(?:or)?d|phrase|code|wd)?|pwd?|psk|secret|token|key|_auth|_pat|mnemonic)
    (?:[_-]?(?:base|value|base64|b64|prod(?:uction)?|staging|dev|live|test|old|new|\d{1,2}))?(?P<close>["'`\])]{0,2})
    (?:
        (?P<typed>\s?:\s?&?[A-Za-z][\w.\[\]|?\ ]{0,40}\s?=\s?(?=["'`]))
      | (?P<given>[^\S\n]{0,8}(?:=>|:=|=(?![=>~])|:(?![:=]))[^\S\n]{0,3})(?:!\w{1,16}\s)?
      | (?P<field>["']?[\s,]{1,40}(?:-\s)?["']?value["']?\s?[:=]\s?|["']?>|\s?\{[^{}]{0,200}?\bdefault\s{0,8}=\s?)
      | (?P<told>\s(?:is|was):?\s)
      | (?P<space>,\s{0,3}(?=["'`])|[^\S\n]{1,3})
    )
    (?:[bru@$]?(?P<quote>["'`])(?P<quoted>[^\n]{0,512}?)(?P=quote)|(?P<bare>[^\s"'`]{1,512}))
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
"""From the stem on: the end of the name, what gives it a value, and the value."""

_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

_NO_SECRET = re.compile(
    r"(?:max|min|num|n|next|prev(?:ious)?|page|pad|eos|bos|unk|sep|cls|mask|stop|start|end|first|last|special|cancel\w*|continuation"
    r"|primary|foreign|pub(?:lic)?|publishable|sort|partition|cache|hash|row|object|parent|group|dict|map|index|unique|idempotency|by|is|has"
    r"|use|no|with|show|forgot|reset|confirm|bi|com|over|tres|sur|under|compute)[_.-]?(?:token|key|pass(?:word)?)",
    re.IGNORECASE,
)
"""Names that end like those of secrets, but name other things."""

_OF_A_KEY = re.compile(
    r"(?:api|access|secret|private|preshared|auth|account|encryption|signing|master|license|ssh|deploy|app|application|shared|storage"
    r"|webhook|session|jwt|admin|client|consumer|server|service|ingest|cookie)[_.-]?key",
    re.IGNORECASE,
)

_LINE_HEAD = re.compile(
    rf"{MARK}[ \t]*(?:- )?[\"']?(?:(?:export|set|setx|env|arg|-e|--env|declare -x)[ =])?(?:\$env:)?[\w.-]*",
    re.IGNORECASE,
)
"""What may stand before a name in a file of settings, or a dump of an environment."""

_CUT = re.compile(r"[^,;&|(){}\[\]<>\\]*")
"""A value within a line; these signs end it."""

_NAME = re.compile(r"&?[A-Za-z_$][\w$]*(?:-[\w$]+)?[;,]?")
_DOTTED = re.compile(r"[*&]{0,2}(?:[A-Za-z_$][\w$]*+(?:\.|->|::|\?\.)){1,16}[A-Za-z_]\w*+[;,]?")
_DOTTED_WORDS = re.compile(r"[a-z_]+(?:\.[a-z_\d]+)+")
_PATH = re.compile(
    r"(?:[A-Za-z]:)?[/~.]{0,3}(?:[\w.@-]+[/\\]){1,20}[\w.@-]*|/[\w./:-]+|[a-z]+://.*"
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[A-Za-z]+(?:[ '-][A-Za-z]+)+[?:.!]?|[A-Za-z\d ]* .*")
_EXPRESSION = re.compile(r"==|=>|^[\w.:]+\(")
_TYPE = re.compile(r"_?[A-Z][a-z]+(?:[A-Z][a-z]*)*(?:\[.*)?|[a-z]+\[.*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_OF_LABELS = frozenset({
    "api", "apikey", "auth", "client", "credential", "credentials", "enter", "hash", "key", "keys", "missing", "pass", "passphrase",
    "password", "passwords", "pwd", "required", "reset", "secret", "secrets", "test", "testing", "token", "tokens", "user", "username", "your",
})  # fmt: skip
"""Words of labels, messages and identifiers; a value that consists of them is not a secret."""


def named_values(text: str) -> Iterator[Parts]:
    """Yield each value behind a name that says "secret".

    >>> text = "api_key: getKey() DB_PASSWORD=" + "p@$$w0rd" + ' password: "' + "correct horse" + '"'
    >>> [text[start:end] for [(start, end)] in named_values(text)]
    ['p@$$w0rd', 'correct horse']
    """
    lowered = text.replace("\u0130", "I").lower()  # the one letter that gets longer
    for stem in STEMS:
        at = lowered.find(stem)
        while at >= 0:
            found = _NAMED.match(text, at)
            if found and (span := _Assignment.of(text, found).secret()):
                yield [span]
            at = lowered.find(stem, at + 1)


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A name with a value: ``name=value`` in whatever form settings, programs and commands have it."""

    text: str
    found: re.Match[str]
    """From the name's stem on."""
    head: str
    """The name before its stem."""
    name: str
    line: str
    """What stands before the name on its line, the last 300 characters of it."""

    @classmethod
    def of(cls, text: str, found: re.Match[str]) -> _Assignment:
        at = found.start()
        least = max(at - 300, 0)
        line = text[max(text.rfind("\n", least, at) + 1, least) : at]
        head = line[len(line.rstrip(_NAME_LETTERS)) :][-48:]
        name = head + text[at : found.start("close")]
        return cls(text, found, head, name, line[: len(line) - len(head)])

    @property
    def is_given(self) -> bool:
        """Whether a sign of settings gives the value: ``=`` without spaces, or a colon."""
        given = self.found["given"]
        return given is not None and (given == "=" or given.startswith(":"))

    @property
    def is_option(self) -> bool:
        """Whether the name is an option of a program."""
        return self.head.startswith("-")

    @property
    def is_setting(self) -> bool:
        """Whether the line has nothing else before the name, as in files of settings and dumps of an environment."""
        return self.is_given and _LINE_HEAD.fullmatch(self.line + self.head) is not None

    @property
    def is_variable(self) -> bool:
        """Whether the name is that of a variable of the environment."""
        is_given = self.found["given"] == "=" or (self.found["given"] == ": " and self.is_setting)
        return self.name.isupper() and (is_given or self.found["field"] is not None)

    def secret(self) -> tuple[int, int] | None:
        """Return where the value is, if it is a secret."""
        sure = self._sureness()
        field = self.found["field"]
        is_element = field is not None and field.endswith(">")
        if not sure or (is_element and not self.line.endswith("<")):
            return None
        if self.found["quote"]:
            return self.found.span("quoted") if self._is_quoted_secret(sure) else None
        start, end = self._bare()
        return (start, end) if self._is_bare_secret(self.text[start:end], end, sure) else None

    def _sureness(self) -> int:
        """Return 3 where any value is a secret, 2 where a random one is, 1 where a long random one is, else 0."""
        last = self.name[len(self.head) :]
        stem, before = last.lower(), self.head[-1:]
        is_mask = self.line.endswith("[secret: ") or (
            self.line.endswith("[") and self.name == "secret"
        )
        if is_mask or _NO_SECRET.fullmatch(self.name.lstrip("-")):
            return 0
        if self.found["told"]:
            return 2
        if stem.startswith(("pw", "psk")) or stem == "pass":
            is_apart = before in ("_", "-", ".") or (before.islower() and last[0].isupper())
            if stem == "pw":
                return 3 * (before == "_") + 2 * (not before)
            return 3 if is_apart or last == "Pwd" else 2 * (not before and last != "PWD")
        if stem.startswith(("pass", "secret", "mnemonic")) or self.name == "_auth":
            return 3
        if stem.startswith("key"):
            if _OF_A_KEY.search(self.name) is None:
                return 2 * self.is_variable
            return 2 + self.is_variable
        is_header = "-" in self.head and self.name[0].isupper() and self.is_given
        if self.head and (self.is_variable or is_header):
            return 3
        return 2 if self.head.strip("-.") else 1

    def _is_quoted_secret(self, sure: int) -> bool:
        value, found = self.found["quoted"], self.found
        if found["space"] is not None and not self.is_option:  # an argument behind the name; SQL
            is_sql = self.name == "PASSWORD" and found["quote"] == "'"
            sure = 3 if is_sql else 1 + bool(found["close"] and self.name.isupper())
        if not sure or not value or not is_password(value):
            return False
        if value[0] in " +,;.)&" and value[-1] in " +,;.(&=":  # between two texts of an expression
            return False
        if sure < 3 or _PATH.fullmatch(value):
            return _is_random_value(value, sure)
        if not value.isascii():
            return has_digit(value)
        if _WORDS.fullmatch(value):
            return value.islower() and len(value) > 4 and not _is_label(value)
        return len(value) > 4 and not _is_label(value) and not _DOTTED.fullmatch(value)

    def _bare(self) -> tuple[int, int]:
        """Return where a value without quotes is: the whole word in a file of settings, else up to a sign."""
        start, end = self.found.span("bare")
        if not (self.is_setting and self.is_variable):
            cut = _CUT.match(self.text, start, end)
            end = cut.end() if cut else end
        return start, start + len(self.text[start:end].rstrip(",;.?"))

    def _is_bare_secret(self, value: str, end: int, sure: int) -> bool:
        after = self.text[end : end + 2]
        if len(value) < 3 or not is_password(value) or after[:1] in ("(", "[", "{"):
            return False
        is_type = _TYPE.fullmatch(value) is not None and self.found["given"] != "="
        if is_type or _EXPRESSION.search(value):
            return False
        is_name = _NAME.fullmatch(value) is not None
        is_argument = (
            self.is_option and not value.isalpha() and value[0] != "-" and "=" not in value
        )
        if self.found["space"] is not None and not is_argument:
            return False
        if _DOTTED.fullmatch(value) or _PATH.fullmatch(value) or _is_label(value):
            return self.is_variable and "+" in value and is_random(value)
        if sure < 3:
            return _is_random_value(value, sure)
        if self.is_variable or (self.found["field"] and not value.isalpha()):
            return True
        if self.is_option and (self.is_given or not is_name):
            return True
        ends_line = after[:1] in ("", "\n", "\r") or after == " #"
        if ends_line and (self.is_setting or self.found["field"]):
            return not is_name or value == value.lower() or _is_random_value(value, 2)
        if self.found["given"] == "=" and after[:1] in (" ", "'", '"', "&", ";"):
            return len(value) > 5
        return (not is_name and len(value) > 5) or _is_random_value(value, 2)


def _is_random_value(value: str, sure: int) -> bool:
    """Tell whether a value looks random, behind a name that has other uses, too."""
    if len(value) < (8 if sure > 1 else 16) or " " in value or not is_random(value):
        return False
    digits = sum(map(str.isdigit, value))
    if not digits and value.isupper():
        return False
    is_mixed = digits > 1 or (len(value) >= 24 and mixes_cases(value))
    if sure == 1 and (not is_mixed or _UUID.fullmatch(value)):
        return False
    if _DOTTED.fullmatch(value) or _DOTTED_WORDS.fullmatch(value) or _is_label(value):
        return False
    is_varied = bits(value) >= min(3.2, log2(len(value)) - 0.25)
    return is_varied or not (sure == 1 or _NAME.fullmatch(value) or _PATH.fullmatch(value))


def _is_label(text: str) -> bool:
    """Tell whether a text consists of words, one of them of labels, messages or identifiers."""
    words = [word.lower() for word in _WORD.findall(text)]
    return not _OF_LABELS.isdisjoint(words) and sum(map(len, words)) * 2 > len(text)
