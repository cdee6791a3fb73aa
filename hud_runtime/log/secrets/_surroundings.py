"""Kinds of secrets, and finders for kinds that need more than a pattern."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import log2
from typing import Literal, TypeAlias

from ujsx.errors import UjsxError
from ujsx.on_demand import late_pattern

# A kind of secret, and the tests that tell a secret from a placeholder.

PLACEHOLDERS: tuple[str, ...] = (
    "example", "sample", "dummy", "fake", "placeholder", "redacted", "changeme", "change_me", "change-me", "changethis",
    "your", "insert", "xxxx", "0000", "...", "…", "****", "<", "${", "$(", "{{", "%s", "todo", "notreal", "not-real",
    "not_real",
)  # fmt: skip
"""Parts of the placeholders of documentation and tests."""


def bits(text: str) -> float:
    """Return the Shannon entropy of a text in bits per character.

    >>> bits("aaaa"), bits("abcd")
    (0.0, 2.0)
    """
    total = len(text)
    return 0.0 - sum(n / total * log2(n / total) for n in Counter(text).values()) if total else 0.0


def is_no_placeholder(text: str) -> bool:
    """Tell whether a text has no placeholder words or fillings of documentation.

    >>> is_no_placeholder("sk-your-key-here"), is_no_placeholder("q7Rf0TzLw2")
    (False, True)
    """
    lowered = text.lower()
    return not any(each in lowered for each in PLACEHOLDERS)


def is_varied(text: str) -> bool:
    """Tell whether a text is neither a placeholder nor a few repeated characters."""
    return len(set(text)) > 7 and is_no_placeholder(text)


def is_random(text: str) -> bool:
    """Tell whether a text looks random: digits among letters, only capitals, or both cases in like numbers.

    >>> is_random("q7Rf0TzLw2"), is_random("an_ordinary_name_of_code")
    (True, False)
    """
    if bits(text) < 2.5 or not is_no_placeholder(text):
        return False
    return mixes_cases(text) or text.isupper() or (has_digit(text) and any(map(str.isalpha, text)))


def mixes_cases(text: str) -> bool:
    """Tell whether a text has capitals and small letters in like numbers, unlike names in code.

    >>> mixes_cases("QhiLAijVYqnDWcLr"), mixes_cases("replaceOccurrences")
    (True, False)
    """
    capitals, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return len(text) >= 16 and min(capitals, small) * 4 > len(text)


def has_digit(text: str) -> bool:
    """Tell whether a text has a digit."""
    return any(map(str.isdigit, text))


def is_cookie(text: str) -> bool:
    """Tell whether one of a cookie's values may be an identifier: it has a digit, or looks random.

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
"""Ordinary values after a name: types, switches, usual test passwords, "password" in other languages, kinds
of lexical tokens.
"""

FILLING = late_pattern(
    r"[xX*.•·#_?+=~-]+|[{%@\[(&|].*|\$(?!\w*[!@#%^*~?]\w).*|0x[0-9a-fA-F]+|[~^v<>=]{0,2}\d+\.\d+.*",
    re.DOTALL,
)
"""A filler in place of a secret: dots and stars, a variable, a reference, a mask."""


def is_password(text: str) -> bool:
    """Tell whether a text may be a password, in a place where any word may be one.

    >>> is_password("hunter2"), is_password("correct-horse"), is_password("$PASSWORD"), is_password("changeme")
    (True, True, False, False)
    """
    if text.lower() in USUAL or FILLING.fullmatch(text) or len(set(text)) < 3:
        return False
    return is_no_placeholder(text)


NO_CREDENTIAL = late_pattern(
    r"[A-Za-z]+(?:[-._][A-Za-z]+)*|(?!.{20})[a-z]\w*(?:[_.]\w+)+|(?:\w+://|arn:).*|[\w.]+/\w+|.*:"
)
"""Words, names, addresses and paths in place of a credential."""


def is_bearer(text: str) -> bool:
    """Tell whether a header's value is a credential rather than a word, name, path or address."""
    return is_password(text) and not NO_CREDENTIAL.fullmatch(text)


def is_basic(text: str) -> bool:
    """Tell whether a text is a user name and a password in Base64.

    >>> is_basic("YW5uOmh1bnRlcjI="), is_basic("username"), is_basic("hunter2")
    (True, False, False)
    """
    return ":" in (_decoded(text) or "")


def is_encoded(text: str) -> bool:
    """Tell whether a text is printable text in Base64.

    >>> is_encoded("aHVudGVyMg=="), is_encoded("hunter2")
    (True, False)
    """
    return (_decoded(text) or "\0").isprintable()


def _decoded(text: str) -> str | None:
    """Decode Base64; return None for anything else."""
    try:
        return b64decode(text + "=" * (-len(text) % 4)).decode()
    except (Base64Error, UnicodeDecodeError):
        return None


OF_PROSE = frozenset({
    "the", "and", "was", "for", "with", "from", "not", "but", "are", "has", "have", "its", "does", "which", "who", "been", "were", "than", "because",
})  # fmt: skip
"""Common words of prose that are not in BIP-39."""


def is_phrase(text: str) -> bool:
    """Tell whether 12 to 24 words may be a recovery phrase: a multiple of three, at most one repeated word,
    and no words of prose.
    """
    words = text.split()
    is_varied = len(set(words)) >= len(words) - 1
    return len(words) % 3 == 0 and is_varied and OF_PROSE.isdisjoint(words)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    """Compile a pattern on first use. Tokens are ASCII: a letter of another script ends them."""
    return re.compile(expression, re.ASCII)


Parts: TypeAlias = list[tuple[int, int]]
"""The spans of a secret in a text: one, or one for each line of a listing."""

Finder: TypeAlias = Callable[[str], Iterable[Parts]]


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """A kind of secret, and its pattern.

    >>> own = SecretPattern("acme-key", ("acme_",), re.compile(r"acme_[0-9a-f]{32}"), "acme's manual")
    >>> own.kind
    'acme-key'
    """

    kind: str
    """The name in masks and findings: lowercase letters, digits and hyphens."""

    hints: tuple[str, ...]
    """Parts of each match, in lowercase. The expression is only tried on a text with one of them in any
    case, so that most texts cost next to nothing.
    """

    expression: re.Pattern[str] | str | Finder
    """The pattern; a string is compiled on first use. The group ``secret`` is masked, or else the whole
    match. A function yields the parts of each secret in a text. It must take linear time, because input is
    untrusted.
    """

    source: str
    """The source of the pattern."""

    is_meant: Callable[[str], bool] = is_no_placeholder
    """Tells a secret from a lookalike."""

    shown: int = 4
    """The number of first characters that may be reported, 4 at most: the prefix of the kind."""

    seen: str = ""
    """The month in which the source was read: ``2026-11``."""

    starts: tuple[str, ...] = ()
    """The one or two characters with which each match begins, at the start of a word. They replace
    ``hints`` for tokens of at least 16 characters.
    """

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
        """Yield the parts of each secret of this kind in a text."""
        if callable(self.expression):
            yield from self.expression(text)
            return
        compiled = self._compiled()
        group = "secret" if "secret" in compiled.groupindex else 0
        for match in compiled.finditer(text):
            if self.is_meant(match[group] or ""):
                yield [match.span(group)]

    def token_at(self, text: str, at: int) -> str:
        """Return the possible token at an offset of a text; empty if there is none."""
        match = self._compiled().match(text, at)
        return match[0] if match else ""

    def _compiled(self) -> re.Pattern[str]:
        if isinstance(self.expression, re.Pattern):
            return self.expression
        assert isinstance(self.expression, str)
        return _compiled(self.expression)


MARK = r"(?:(?:[^\s:\"']{1,200}[:-])?[ \t]{0,8}\d{1,7}(?:\t|→|[:│|-] ?)|[+-](?!-)|(?:> ?){1,4}|(?:#|//|\*|│) )?"
"""A listing's mark at a line's start: of ``cat -n``, of a tool that reads files, of ``grep -n``, of a diff, of a quotation."""

LINE_NUMBER = r"(?:[^\s:\"']{1,200}:)?[ \t]{0,8}\d{1,7}(?:\t|→|[:│|] ?)"
"""The number of a line in a listing."""

# --- Private keys --------------------------------------------------------------------------

_LISTINGS = tuple(map(late_pattern, (
    r"[ \t]*\d{1,7}(?:\t|→|[:│|-] ?)", r"[^\s:\"']{1,200}[:-]\d{1,7}[:-]", r"[+ -]", r"[ \t]*(?:> ?){1,4}", r"[ \t]*(?:#|//|\*|│) ?",
    r"[ \t]*[\"']",
)))  # fmt: skip
"""The marks of listings, one for each style: a block keeps the style of its first line."""

_CHANGED = {"commit": r"\^?[0-9a-f]{7,40}+", "number": r"\d++", "space": r"[ \t]*+", "sign": "[:-]"}
_CHANGING = late_pattern(
    r"(?P<commit>\^?\b[0-9a-f]{7,40}\b)|(?P<number>\d+)|(?P<space>[ \t]+)|(?P<sign>[:-])|."
)
"""The changing parts in the mark of each line: of ``git blame``, of a log, of ``grep`` with a space in the path."""

_KEY = r"(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_EDGE = late_pattern(rf"-----(?:BEGIN|(?P<end>END)) {_KEY}|Private-Lines: (?P<count>\d{{1,3}})")
_ON_ONE_LINE = late_pattern(rf"(?:[ ,]?[A-Za-z0-9+/]{{16,}}={{0,2}})++[ ,]?(?:-----END {_KEY})?")
_LINE = late_pattern(
    r"[A-Za-z0-9+/]{1,4096}={0,3}|=[A-Za-z0-9+/]{4}|(?:Proc-Type|DEK-Info|Comment|Version|Hash): .*|"
)
_EACH_LINE = late_pattern(r"^.*$", re.MULTILINE)

_AROUND = " \t\r\"',;\\"
"""Characters around a line of a key in a program's string."""


def key_blocks(text: str) -> Iterator[Parts]:
    """Yield the parts of each private key: whole, or only its beginning or end.

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


def line_before(text: str, at: int) -> str:
    """Return the line before an offset, at most its last 400 characters."""
    return text[max(at - 400, 0) : at].rpartition("\n")[2]


def _is_key(text: str) -> bool:
    """Tell whether there is more than the first line, which programs may search for."""
    body = "".join(_EDGE.sub("", text).split())
    return len(body) > 40 and has_digit(body)


def _lines_after(text: str, edge: re.Match[str]) -> Parts:
    """Return the parts of a key that begins with an edge."""
    if on_one_line := _ON_ONE_LINE.match(text, edge.end()):
        return [(edge.start(), on_one_line.end())]
    second = text.find("\n", edge.end()) + 1
    if not second or text[edge.end() : second].strip(_AROUND + "\n"):
        return []
    listing = _listing(line_before(text, edge.start()), edge[0], text, second)
    parts = [] if edge["count"] else [edge.span()]
    for line in _EACH_LINE.finditer(text, second):
        first, last = _content(text, *line.span(), listing)
        if end := _EDGE.match(text, first):
            return _joined([*parts, end.span()] if end["end"] else parts, listing)
        if not _LINE.fullmatch(text, first, last):
            break
        if first < last:
            parts.append((first, last))
    while parts and parts[-1][1] - parts[-1][0] < 16:  # words after a truncated key
        parts.pop()
    return _joined(parts, listing)


def _lines_before(text: str, edge: re.Match[str], least: int) -> Parts:
    """Return the parts of a key without its beginning, up to its last line."""
    parts: Parts = []
    stop = edge.start()
    styles = [*_own_styles(line_before(text, stop)), *_LISTINGS]
    while stop > least:
        start = max(text.rfind("\n", least, stop) + 1, least)
        quoted = max(text.rfind('"', start, stop) + 1, start)  # in a JSON string
        lines = (_listed(text, place, stop, styles) for place in (start, quoted))
        line = next((each for each in lines if _LINE.fullmatch(text, *each)), None)
        if line is None or (line[0] == line[1] and parts):
            break
        parts.insert(0, (line[0], line[1] if parts else edge.end()))
        stop = start - 1
    return parts


def _joined(parts: Parts, listing: re.Pattern[str] | None) -> Parts:
    """Return the parts of a key; only one, if there are no marks between its lines."""
    return parts if listing or not parts else [(parts[0][0], parts[-1][1])]


def _listing(before: str, edge: str, text: str, second: int) -> re.Pattern[str] | None:
    """Return the style of a listing in which a first line stands, and the one that begins at a place of a text."""
    own = (each for each in _own_styles(before) if each.match(text, second))
    usual = (each for each in _LISTINGS if each.match(before + edge) and each.match(text, second))
    return next(chain(own, usual), None)


def _own_styles(mark: str) -> list[re.Pattern[str]]:
    """Return the styles of a line's own mark: of all before the key, and of what a text in JSON has before it."""
    marks = dict.fromkeys([mark, mark.rpartition('"')[2]])
    return [_alike(each) for each in marks if len(each) <= 120 and any(map(str.isalnum, each))]


def _alike(mark: str) -> re.Pattern[str]:
    """Return the style of a mark: the same words, with other commits, numbers, spaces and signs between."""
    parts = ((each.lastgroup, each[0]) for each in _CHANGING.finditer(mark))
    return re.compile("".join(_CHANGED.get(name or "", re.escape(part)) for name, part in parts))


def _listed(text: str, start: int, stop: int, styles: Iterable[re.Pattern[str]]) -> tuple[int, int]:
    """Return the start and the end of a line's text, after a mark in the first style that matches."""
    style = next((each for each in styles if each.match(text, start, stop)), None)
    return _content(text, start, stop, style)


def _content(text: str, start: int, stop: int, listing: re.Pattern[str] | None) -> tuple[int, int]:
    """Return the start and the end of a line's text."""
    mark = listing.match(text, start, stop) if listing else None
    first = mark.end() if mark else start
    line = text[first:stop]
    return first + len(line) - len(line.lstrip(_AROUND)), first + len(line.rstrip(_AROUND))


# --- Values of names -----------------------------------------------------------------------

STEMS = ("pass", "pw", "psk", "secret", "token", "key", "_auth", "_pat", "mnemonic")
"""Parts of the names of secrets, in lowercase."""

_NAMED = late_pattern(
    r"""
    (?P<stem>pass(?:w(?:or)?d|phrase|code|wd)?|pwd?|psk|secret|token|key|_auth|_pat|mnemonic)
    (?:[_-]?(?:base|value|base64|b64|prod(?:uction)?|staging|dev|live|test|old|new|\d{1,2}))?(?P<close>["'`\])]{0,2})
    (?:
        (?P<typed>\s?:\s?&?[A-Za-z][\w.\[\]|?\ ]{0,40}\s?=\s?(?=["'`]))
      | (?P<given>[^\S\n]{0,8}(?:=>|:=|=(?![=>~])|:(?![:=]))[^\S\n]{0,3})(?:!\w{1,16}\s)?(?:[|>][+-]?[ \t\r]*+\n_MARK[ \t]{1,16})?
      | (?P<field>["']?[\s,]{1,40}(?:-\s)?["']?value["']?\s?[:=]\s?|["']?>|\s?\{[^{}]{0,200}?\bdefault\s{0,8}=\s?)
      | (?P<told>\s(?:is|was):?\s)
      | (?P<space>,\s{0,3}(?=["'`])|[^\S\n]{1,3}(?!-))
    )
    (?:[bru@$]?(?P<quote>["'`])(?P<quoted>[^\n]{0,512}?)(?P=quote)|(?P<bare>[^\s"'`<]{1,512}))
    """.replace("_MARK", MARK.replace(" ", r"\ ").replace("#", r"\#")),
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
"""From the stem on: the end of the name, the operator, and the value."""

_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

_NO_SECRET = late_pattern(
    r"(?-i:(?:OLD)?PWD)|-*(?:max|min|num|n|next|prev(?:ious)?|page|pad|eos|bos|unk|sep|cls|mask|stop|start|end|first|last|special|cancel\w*|continuation"
    r"|primary|foreign|pub(?:lic)?|publishable|sort|partition|cache|hash|row|object|parent|group|dict|map|index|unique|idempotency|by|is|has"
    r"|use|no|any|all|with|show|forgot|reset|confirm|bi|com|over|tres|sur|under|compute|input|output|unexpected|creation|one|two|multi|single)[_.-]?(?:token|key|pass(?:word)?)",
    re.IGNORECASE,
)
"""Names that end like a secret's, but name other things."""

_CERTAIN = late_pattern(
    r"(?i:.*(?:passw|passphrase|passcode|pass[_\d-])(?!.*(?:key|token)).*|.*secret.*|.*[_.-](?:pass|(?:pwd|psk|pw[_\d-]).*)|.*_pw)"
    r"|.*[a-z](?:Pass|PASS|(?:Pwd|PWD|Psk|PSK|PW[_\d-]).*)|Pwd|_auth"
)
"""Names whose values are always secrets."""

_OF_A_KEY = late_pattern(
    r"(?:api|access|secret|private|preshared|auth|account|encryption|signing|master|license|ssh|deploy|app|application|shared|storage"
    r"|webhook|session|jwt|admin|subscription|rapidapi|functions|client|consumer|server|service|ingest|cookie)[_.-]?key",
    re.IGNORECASE,
)
_OF_OTHERS = late_pattern(
    r"(?:session|storage|cookie|app|application|client|consumer|server|service|license)[_.-]?key|_(?:auth|pat)$|mnemonic",
    re.IGNORECASE,
)
"""Names that other things share: storage places, login methods, patterns, instructions."""

_LINE_HEAD = late_pattern(
    rf"{MARK}[ \t]*(?:- )?[\"']?(?:(?:export|set|setx|env|arg|-e|--env|declare -x)[ =])?(?:\$env:)?[\w.-]*",
    re.IGNORECASE,
)
"""The start of a line before a name, in a settings file or a dump of an environment."""

_MARGIN = late_pattern(MARK)
"""The text before an unindented name at the start of a line."""

_ELEMENT = late_pattern(r"<(?:(?:property|entry|param|setting) [^<>]*)?\Z")
"""The start of an element whose value is the name's."""

_DEFINING = late_pattern(r"(?:define|setenv|putenv)\([\"']?\Z")
"""The start of a call that sets a name's value."""

_SECTION = late_pattern(rf"^{MARK}[ \t]*\[[\w .:/\"-]{{1,80}}\][ \t\r]*$", re.MULTILINE)
"""A section's heading in a settings file."""

FAR = 2_000
"""Characters between a section's heading and a value in it, at most."""

_REFERENCE = late_pattern(
    r"(?:process|os|env(?:iron)?|config|settings|self|this|secrets|vars|var|local|module|args|opts|options|params|ctx|context)\."
    r"|[\w.]+\(|[a-z][\w+.-]*://|(?:arn|vault|ssm|op|file|env|secretsmanager):"
    r"|[~.]{0,2}/(?:run|etc|var|usr|home|opt|tmp|mnt|srv|root|secrets?|data|dev|proc|Users)/|\.{1,2}/|~/|[A-Za-z]:\\"
    r"|[\w./-]+\.(?:txt|pem|key|json|ya?ml|env|crt|conf|file)\Z"
)
"""A value that refers to a secret elsewhere: a member, a call, an address, a file."""

_SIGN = late_pattern(r"[,;&|(){}\[\]>\\]")
"""The end of a value within a line."""

_REST = late_pattern(r"[^\n]{0,200}")
"""The rest of a line, 200 characters of it."""

_LINE_END = late_pattern(r"[ \t\r]*(?: #|</|$)", re.MULTILINE)
"""The end of a line, a comment there, or the end of an element."""

_BETWEEN = late_pattern(r"[ +,;.)&].*[ +,;.(&=]|.*\);.*")
"""The code between two texts of an expression: ``"token=" + value + "&"``."""

_NAME = late_pattern(r"&?[A-Za-z_$][\w$]*(?:-[\w$]+)?[;,]?", re.ASCII)
_DOTTED = late_pattern(r"[*&]{0,2}(?:[A-Za-z_$][\w$]*+(?:\.|->|::|\?\.)){1,16}[A-Za-z_]\w*+[;,]?")
_PATH = late_pattern(
    r"(?:[A-Za-z]:)?[/~.]{0,3}(?:[\w.@-]+[/\\]){1,20}[\w.@-]*|/[\w./:-]+|[a-z]+://.*"
)
_WORDS = late_pattern(r"(?<![A-Za-z\d])(?:[A-Za-z]++(?:[ '-][A-Za-z]++)++[?:.!]?|[A-Za-z\d]*+ .*)")
_EXPRESSION = late_pattern(r"(?:id|type)=|[\w.:]*(?:\(|={2,3}[\w\"'])|[\w.:=$]*[\[{][\"']?\Z")
"""A call, a comparison, or an opening bracket at the end: code in the place of a value."""
_TYPE = late_pattern(r"_?[A-Z][a-z]+(?:(?:[A-Z][a-z]*)+(?:\[.*)?|\[.*)|[a-z]+\[.*")
_NO_TOKEN = late_pattern(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\.{1,2}/.*|[\w.:]+\(.*|[a-z_-]+(?:\.[a-z_\d-]+)+"
    r"|[a-z]++(?:_?[A-Z][a-z]++|_[a-z]++|_?\d{1,2}(?!\d))+(?:[A-Z]{2})?|_+[A-Za-z]\w*|[A-Z][a-z]+(?:_?[A-Z][a-z]+)+|\d{1,7}|#[0-9a-f]{3,8}|[+!*&.:^-].*|[\w.]+=[\w.]+.*"
    r"|.* .*"
)
"""Values that are not tokens: UUIDs, paths, calls, names in code, numbers, colors, several words."""
_WORD = late_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SIGNED = late_pattern(r"\+|[A-Za-z]\d{1,8}[!@#%^*]|[A-Za-z][!@#^*]\d")
"""A ``+`` of Base64, or a sign between or behind the letters and digits of a password."""
_OF_LABELS = frozenset({
    "api", "apikey", "auth", "client", "credential", "credentials", "enter", "hash", "key", "keys", "missing", "pass", "passphrase",
    "passwd", "password", "passwords", "pwd", "required", "reset", "secret", "secrets", "test", "testing", "token", "tokens", "user", "username", "your",
})  # fmt: skip
"""Words of labels, messages and identifiers; a value made of them is not a secret."""

_TRANSLATIONS = frozenset({
    "contrasenya", "contrasinal", "cyfrinair", "geheim", "geheimnis", "gizli", "hemlighet", "hemmelig", "hemmelighed", "hemmelighet", "jeton", "nenosiri", "parol",
    "parole", "pasahitza", "paslaptis", "passwuert", "salaisuus", "secreto", "segreto", "segredo", "sekret", "skrivnost", "titok", "wachtwurd",
})  # fmt: skip
"""The words for "password", "secret" and "token" in other languages, which are passwords as well; as a quoted key's value with a capital they are labels."""

_QUOTED_KEY = late_pattern(
    r"[\"'][\w. -]{1,64}[\"']\s?:\s?(?P<label>[\"'][A-Z])?[^\s{\[]", re.ASCII
)
"""A quoted key with its value, which may be a label if capitalized."""

NEAR = 240
"""Characters before and after a value in which its neighbors are examined."""

_PAIR = r"[A-Za-z_][\w.-]{0,64}(?:: |=)(?:\[[\w ,.-]{0,80}\]|[^\"'`{}()\[\],;\n]{1,80})"
_MAPPING = late_pattern(rf"(?<!\$)\{{(?P<space> ?)(?:{_PAIR}, )*\Z")
"""The beginning of ``{user: ann, password: …}`` or ``{user=ann, password=…}``, up to a name."""

_MAPPING_END = late_pattern(rf"(?:, {_PAIR})* ?\}}+")

_BEFORE_MAPPING = late_pattern(rf"{MARK}[ \t]*(?:- )?(?:\{{?[\w.-]+: )*")
"""The text before a mapping that is not code: in YAML, its own name."""

_LOGIN = late_pattern(
    rf"{MARK}[ \t]*(?:- )?(?:user(?:_?name)?|login|uid|account|e?mail|host(?:name)?|server|database|db)[ \t]*[:=][ \t]*[^\s,;{{(]+[ \t\r]*"
)
"""A line of settings with a login's user or host."""

_OF_SENTENCES = OF_PROSE | {
    "also", "an", "argument", "arguments", "as", "at", "be", "by", "can", "either", "flag", "if", "in", "instead", "is", "it", "must", "of", "on", "only",
    "option", "options", "or", "requires", "should", "that", "then", "this", "to", "use", "used", "using", "we", "when", "where", "will", "would", "you",
}  # fmt: skip
"""Words of a line that is a sentence, not a command."""

_Hidden: TypeAlias = Literal["any", "given", "random", "long"]
"""The values of a name that are secrets: any, any but a name in code, random ones, or those of at least 16
characters.
"""


def named_values(text: str) -> Iterator[Parts]:
    """Yield each value whose name indicates a secret.

    >>> text = "api_key: getKey() DB_PASSWORD=" + "p@$$w0rd" + ' password: "' + "correct horse" + '"'
    >>> [text[start:end] for [(start, end)] in named_values(text)]
    ['p@$$w0rd', 'correct horse']
    """
    lowered = text.replace("\u0130", "I").lower()  # the one letter that gets longer in lower case
    for stem in STEMS:
        at = lowered.find(stem)
        while at >= 0:
            found = _NAMED.match(text, at)
            if found and (span := _Assignment.of(text, found).secret()):
                yield [span]
            at = lowered.find(stem, at + len(stem))


@dataclass(frozen=True, slots=True)
class _Assignment:
    """A name with a value: ``name=value`` in any form that settings, programs and commands use."""

    text: str
    found: re.Match[str]
    """The match, from the name's stem on."""
    head: str
    """The name before its stem."""
    name: str
    line: str
    """The line before the name."""

    @classmethod
    def of(cls, text: str, found: re.Match[str]) -> _Assignment:
        at = found.start()
        before = line_before(text, at)
        line = before.rstrip(_NAME_LETTERS)
        head = before[len(line) :]
        return cls(text, found, head, head + text[at : found.start("close")], line)

    @property
    def is_given(self) -> bool:
        """True if a sign of settings sets the value: ``=`` without spaces, or a colon."""
        given = self.found["given"] or ""
        return given == "=" or given.startswith(":")

    @property
    def is_option(self) -> bool:
        """True if the name is a program's option."""
        return self.head.startswith("-")

    @property
    def begins_line(self) -> bool:
        """True if the line begins with the name, except for a listing's mark and a shell keyword."""
        return _LINE_HEAD.fullmatch(self.line + self.head) is not None

    @property
    def is_setting(self) -> bool:
        """True if the line begins with the name, as in settings files and dumps of an environment."""
        return self.is_given and self.begins_line

    @property
    def is_in_section(self) -> bool:
        """True if a section's heading precedes, as in a settings file."""
        at = self.found.start()
        return _SECTION.search(self.text, max(at - FAR, 0), at) is not None

    @property
    def is_beside_login(self) -> bool:
        """True if an adjacent line has a login's user or host."""
        before = self.text[max(self.found.start() - 400, 0) : self.found.start()].split("\n")
        behind = self.text[self.found.end() : self.found.end() + 400].split("\n")
        return any(map(_LOGIN.fullmatch, [*before[-2:-1], *behind[1:2]]))

    @property
    def is_among_labels(self) -> bool:
        """True if most of the quoted keys around have labels for values, at least two, as in translations."""
        start, end = self.found.span()
        around = self.text[max(start - NEAR, 0) : start], self.text[end : end + NEAR]
        values = [each["label"] for part in around for each in _QUOTED_KEY.finditer(part)]
        labels = len(values) - values.count(None)
        return labels > 1 and labels * 2 > len(values)

    @property
    def is_in_query(self) -> bool:
        """True if the name is in an address's query."""
        return self.found["given"] == "=" and self.line.endswith(("?", "&"))

    @property
    def is_variable(self) -> bool:
        """True if the name is an environment variable's."""
        given = self.found["given"]
        is_given = given == "=" or (given == ": " and self.is_setting) or self.found["field"]
        return bool(is_given) and self.name.isupper()

    @property
    def is_argument(self) -> bool:
        """True if the value follows the name without a sign, as in calls, prose and SQL."""
        is_defined = self.is_option or _DEFINING.search(self.line)
        return self.found["space"] is not None and not is_defined

    def secret(self) -> tuple[int, int] | None:
        """Return the span of the value if it is a secret."""
        hidden = self._hidden()
        if hidden is None:
            return None
        is_quoted = self.found["quote"] is not None
        start, end = self.found.span("quoted") if is_quoted else self._bare()
        value = self.text[start:end]
        if hidden == "any" and self._is_line_of_environment(end + is_quoted):
            return (start, end) if is_password(value) and not _is_elsewhere(value) else None
        if not is_password(value) or _DOTTED.fullmatch(value) or _is_label(value):
            return None
        if value.lower() in self.name.lower() or not (value.isascii() or has_digit(value)):
            return None
        if hidden == "given":
            is_minified = not (self.head or self.found["close"]) and self.found["given"] == ":"
            is_code = is_minified or self.found["quote"] == "`" or _NO_TOKEN.fullmatch(value)
            hidden = "any" if not is_code else "random" if self.head.strip("-.") else "long"
        is_secret = (
            self._is_quoted_secret(value, hidden)
            if is_quoted
            else self._is_bare_secret(value, end, hidden)
        )
        return (start, end) if is_secret else None

    def _is_line_of_environment(self, end: int) -> bool:
        """Tell whether the line is only ``NAME=value``."""
        is_line = self.found["given"] == "=" and self.name.isupper() and self.begins_line
        return is_line and self._ends_line(end)

    def _ends_line(self, end: int) -> bool:
        """Tell whether the rest of the line is empty or a comment."""
        return _LINE_END.match(self.text, end) is not None

    def _hidden(self) -> _Hidden | None:
        """Return the values of the name that are secrets."""
        stem = self.found["stem"].lower()
        is_mask = self.line.endswith("[secret: ") or f"{self.line}{self.name}".endswith("[secret")
        if is_mask or _NO_SECRET.fullmatch(self.name):
            return None
        close, given = self.found["close"], self.found["given"] or ""
        if close.endswith(")") and given.strip() == "=>":  # a function's parameter
            return None
        if self.line.endswith("::") and close:  # a type: "AWS::IAM::AccessKey"
            return None
        if (self.found["field"] or "").endswith(">") and not _ELEMENT.search(self.line):
            return None
        if self.found["told"]:
            return "random"
        if _CERTAIN.fullmatch(self.name):
            return "any"
        if stem in ("pass", "pw", "pwd", "psk"):
            if self.head:
                return None
            is_text = self.found["given"] and self.found["quote"]
            is_part = self.found["given"] == "=" and self.line.endswith(("?", "&", ";"))
            is_text = is_text and "?" not in self.line
            is_login = self.is_setting and self.is_beside_login
            is_named = is_part or is_text or is_login or self._is_in_mapping(self._bare()[1])
            return "any" if is_named else "random"
        if stem == "key" and not _OF_A_KEY.search(self.name):
            return "random" if self.is_variable else None
        is_header = "-" in self.head and self.name[0].isupper()
        if self.head and (self.is_variable or is_header):
            return "any"
        if not (self.is_argument or _OF_OTHERS.search(self.name)):
            return "given"
        return "random" if self.head.strip("-.") else "long"

    def _is_quoted_secret(self, value: str, hidden: _Hidden) -> bool:
        if _BETWEEN.fullmatch(value):
            return False
        is_sql = self.name == "PASSWORD" and not (self.found["space"] or "").startswith(",")
        if self.is_argument and not is_sql:
            hidden = "random" if self.name.isupper() else "long"
        if hidden != "any" or _PATH.fullmatch(value):
            return _is_random_value(value, hidden)
        if self._is_label_of_key(value):
            return False
        return len(value) > 4 and (value.islower() or not _WORDS.fullmatch(value))

    def _is_label_of_key(self, value: str) -> bool:
        """Tell whether a capitalized value of a quoted key is a label: ``{"secret": "Geheimnis"}``."""
        is_key = self.found["close"] and (self.found["given"] or "").startswith(":")
        if not (is_key and value.istitle() and value.isalpha()):
            return False
        is_kind = self.found["stem"].lower() == "token" and not self.head  # a lexical token
        return is_kind or value.lower() in _TRANSLATIONS or self.is_among_labels

    def _bare(self) -> tuple[int, int]:
        """Return the span of an unquoted value: the whole word in a settings file, else up to a sign."""
        start, end = self.found.span("bare")
        is_whole = self.is_setting and self.is_variable and not self.found["close"]
        if not is_whole and (sign := _SIGN.search(self.text, start, end)):
            end = sign.start()
        return start, start + len(self.text[start:end].rstrip(",;.?:"))

    def _is_bare_secret(self, value: str, end: int, hidden: _Hidden) -> bool:
        given, after = self.found["given"], self.text[end : end + 1]
        is_whole = self._is_whole(value, end)
        is_place = is_whole or self.is_option
        looks_random = _is_random_value(value, "random")
        is_word = value.isalpha() and not looks_random
        is_type = _TYPE.fullmatch(value) or (is_word and not is_place)
        if (
            self.is_argument
            or (is_type and given != "=")
            or _PATH.fullmatch(value)
            or _EXPRESSION.match(value + after)
        ):
            return False
        if hidden != "any":
            return _is_random_value(value, hidden)
        if self.is_variable or (self.is_option and self.is_given):
            return True
        if value.isalpha() and value.isupper():  # a constant
            return False
        if is_whole or looks_random:
            return True
        if not _NAME.fullmatch(value):
            return is_place or len(value) > 5
        if self.is_option:
            return has_digit(value) or self._is_word_of_option(value)
        if given != "=" or len(value) < 6:
            return False
        is_last = self._ends_line(end) and not self.is_in_sentence
        return is_last or after in (" ", "'", '"', "&", ";")

    def _is_whole(self, value: str, end: int) -> bool:
        """Tell whether a line, a pair of quotes, an element or a part of an address is only name and value.

        A line ``name = value`` is code, unless it is unindented, in a section of settings, or has a digit.
        """
        given, quote, after = self.found["given"] or "", self.line[-1:], self.text[end : end + 1]
        ends_line = self._ends_line(end)
        if self.found["field"]:
            return ends_line or after != " "
        if self.is_in_query or (quote == after and quote in ("'", '"') and given in ("=", ": ")):
            return True
        if self._is_in_mapping(end):
            return True
        if self.is_given or not ends_line:
            return self.is_setting and ends_line
        is_value = has_digit(value) or self.is_in_section
        is_in_settings = _MARGIN.fullmatch(self.line) or (self.begins_line and is_value)
        return given.strip() == "=" and bool(is_in_settings)

    def _is_in_mapping(self, end: int) -> bool:
        """Tell whether the name is in a braced mapping that is not code.

        One with colons is a line of YAML: no code stands around it, nor spaces within its braces, unless the value is letters and a digit.
        """
        before, given = _MAPPING.search(self.line), self.found["given"]
        behind = _MAPPING_END.match(self.text, end)
        if not before or not behind or given == "=":
            return bool(before and behind)
        is_line = _BEFORE_MAPPING.fullmatch(self.line, 0, before.start()) is not None
        value = self.text[self.found.start("bare") : end]
        is_value = not before["space"] or (value.isalnum() and has_digit(value))
        return given == ": " and is_line and is_value and self._ends_line(behind.end())

    def _is_word_of_option(self, value: str) -> bool:
        """Tell whether a word after an option is its value: a single space separates them, and the line is
        not a sentence.
        """
        is_option = self.head.startswith("--") or bool(self.line.strip())
        is_behind = self.found["space"] == " " and not self.found["close"]
        return is_option and is_behind and len(value) > 3 and not self.is_in_sentence

    @property
    def is_in_sentence(self) -> bool:
        """True if the line has a word of prose."""
        rest = _REST.match(self.text, self.found.end("close"))
        words = f"{self.line} {rest[0] if rest else ''}".lower().split()
        return not _OF_SENTENCES.isdisjoint(word.rstrip("\"'`.,;:)") for word in words)


def _is_random_value(value: str, hidden: _Hidden) -> bool:
    """Tell whether a value looks random, for a name with other uses, too."""
    if len(value) < (16 if hidden == "long" else 8) or " " in value or not is_random(value):
        return False
    if value.isupper() and not has_digit(value):
        return False
    return hidden != "long" or not _NO_TOKEN.fullmatch(value)


def _is_elsewhere(value: str) -> bool:
    """Tell whether an environment's value refers to a secret rather than being one."""
    is_named = _is_label(value) and not has_digit(value) and "." not in value
    return is_named or _REFERENCE.match(value) is not None


def _is_label(text: str) -> bool:
    """Tell whether a text consists of words, one of them of labels, messages or identifiers; excludes
    passwords with signs, and Base64.
    """
    words = [word.lower() for word in _WORD.findall(text)]
    has_one = not _SIGNED.search(text) and not _OF_LABELS.isdisjoint(words)
    return has_one and sum(map(len, words)) * 2 > len(text)
