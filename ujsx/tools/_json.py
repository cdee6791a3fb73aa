"""JSON as models send it, read if it is unambiguous."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

from ujsx.errors import UjsxError, shown
from ujsx.schema._router import ARGS, CALL, OP, TOOL
from ujsx.tools._result import Repair, RepairKind

# A lenient reader of unambiguous near-JSON.
#
# The grammar is JSON's (RFC 8259) with a few variants that models write: see :data:`ujsx.tools.RepairKind`. Ambiguous
# text is refused: one that ends too soon, a duplicate member, a backslash that escapes nothing. One pass without
# backtracking: the time is linear in the length of the text.

LONGEST = 1_000_000
"""The longest near-JSON text that is repaired, in characters; valid JSON may be of any length."""

DEEPEST = 100
"""The maximum nesting of objects and lists in a repaired text."""

LONG_NUMBER = "a number has thousands of digits; send a shorter one"
"""The message about a number that Python does not read or write (``sys.int_info``)."""

NAMES = (OP, TOOL, "operation", "name", "tool_name", "toolName", "recipient_name", "action")
"""Members that may contain the operation's name, the most specific first."""

NESTED = (
    ARGS, "arguments", "parameters", "params", "input", "tool_input", "tool_args", "action_input",
    "kwargs", "payload", "data", "fields", "changes", "updates", "patch", "properties",
)  # fmt: skip
"""Members that may contain its arguments; the last is a schema's substitute for them."""

PLURALS = ("operations", "ops", "actions", "commands", "batch", "requests", "tool_uses")
"""Members that may contain several calls, unless they name a subject of operations."""

ENVELOPES = (
    CALL, "calls", "function", "function_call", "functionCall", "tool_call", "toolCall", "tool_use",
    "toolUse", "tool_calls", *PLURALS,
)  # fmt: skip
"""Members that may contain the whole call, or several."""

CALL_IDS = frozenset({"call_id", "tool_call_id", "toolCallId", "toolUseId"})
"""Members with a provider's id of the call, beside its arguments."""

ENVELOPE_FIELDS = CALL_IDS | {"type", "id", "index", "jsonrpc"}
"""The members of such an envelope other than name and arguments."""

WRAPPERS = frozenset({*NAMES, *NESTED, *ENVELOPES, *ENVELOPE_FIELDS}) - {
    "payload", "data", "fields", "changes", "updates", "patch", "properties", *PLURALS,
}  # fmt: skip
"""Members of objects that wrap a call. Such an object may lack its closing brace, as nothing follows the closed
arguments. Any other object might have more members.
"""

LITERALS: dict[str, bool | None] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
    "TRUE": True, "FALSE": False, "NULL": None, "Null": None,
}  # fmt: skip
"""Words for values, in JSON, in Python, and in capitals."""

CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’"}
"""The quote that ends a text, by the one that begins it."""

_SPACE = re.compile(r"(?:[\s\ufeff]|\\[nrt])+")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXT = {
    opening: re.compile(rf"{opening}([^{closing}\\]*(?:\\.[^{closing}\\]*)*){closing}", re.DOTALL)
    for opening, closing in CLOSING.items()
}
_BARE_NAME = re.compile(r"[A-Za-z_$][\w$.-]*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])", re.ASCII)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)
_WORD = re.compile(r"[\w.*/$@~-]+")
_TO_ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|.)|["\x00-\x1f]', re.DOTALL)
_FENCE = re.compile(r"(?:```|~~~)\w*", re.ASCII)
_BEFORE = re.compile(r"[\s\ufeff]*(?:(?:```|~~~)\w*\s*)?(?:\[[A-Z_]+\]\s*)?", re.ASCII)
_WRITTEN_OUT = re.compile(r"(?:[\w.]\s*\((?:\s*\w+\s*=)?|<[^<>]*=[^<>]*>|\bcall:[\w.:-]+)\s*\Z")
_QUOTED = re.compile(r"(?:\A|\s)([\"'])\s*\Z")
_CLOSER = re.compile(r"\s*[}\]]")
_ANOTHER = re.compile(r"(?:\s*<[^<>]*>)*\s*\[?\{")
_CONTINUES = tuple("[,:\"'“")


class NotJsonError(ValueError):
    """A text that is neither JSON nor unambiguous near-JSON."""


@dataclass(slots=True)
class LenientReading:
    """The value of a text, and the repaired mistakes, in order."""

    value: Any
    slips: list[RepairKind] = field(default_factory=list[RepairKind])


def lenient(text: str) -> LenientReading:
    r"""Read a text that is nearly JSON.

    :raises NotJsonError: for an ambiguous or meaningless text.

    >>> lenient("{'op': 'add', left: +2,} // done")
    LenientReading(value={'op': 'add', 'left': 2}, slips=['quotes', 'bare name', 'number', 'comma', 'comment'])
    """
    if len(text) > LONGEST:
        raise NotJsonError(f"longer than {LONGEST:,} characters, so it is not repaired")
    return _LenientReader(text).whole()


def united(pairs: list[tuple[str, Any]]) -> tuple[dict[str, Any], bool]:
    """Return an object of its members, and whether one occurs twice, with the same value.

    :raises NotJsonError: for a duplicate with different values.
    """
    made = dict(pairs)
    if len(made) == len(pairs):
        return made, False
    first: dict[str, Any] = {}
    for name, value in pairs:
        if name in first and not same(first[name], value):
            raise NotJsonError(
                f"{shown(name)} is given twice, as {told(first[name])} and as {told(value)}; "
                "send it once"
            )
        first.setdefault(name, value)
    return first, True


def told(value: object) -> str:
    """Return a value for a message to a model, with null for None."""
    return "null" if value is None else shown(value)


def same(one: object, other: object) -> bool:
    """Tell whether two values are the same JSON data; true is not 1.

    >>> same({"a": 1}, {"a": 1}), same(True, 1)
    (True, False)
    """
    return one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class _LenientReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.slips: list[RepairKind] = []

    def whole(self) -> LenientReading:
        """Read the single value of the text, ignoring words around it."""
        start = self.start()
        before, self.at = self.text[:start], start
        value = self.value(parent="")
        if _WRITTEN_OUT.search(before[-200:]):
            self.fail("a call written out; send its arguments alone, as one JSON object")
        if before.startswith("\ufeff"):
            self.slip("byte order mark")
        if quote := _QUOTED.search(before[-200:]):
            self.at += self.text.startswith(quote[1], self.at)
            self.slip("quotes")
            before = before.rstrip()[:-1]
        self.pass_over(before.removeprefix("\ufeff"))
        return LenientReading(value, self.slips)

    def start(self) -> int:
        """Return the start of the value: that of the text, or the first brace in it."""
        first = _BEFORE.match(self.text)
        begin = first.end() if first else 0
        if self.text.startswith("[", begin):
            return begin
        brace = self.text.find("{", begin)
        if brace < 0:
            self.fail("no JSON object in it", place=False)
        bracket = len(self.text[:brace].rstrip()) - 1
        return bracket if bracket >= begin and self.text[bracket] == "[" else brace

    def pass_over(self, before: str) -> None:
        """Skip the text around the value, unless it belongs to it or is another value."""
        while closer := _CLOSER.match(self.text, self.at):
            self.at = closer.end()
            self.slip("brace")
        self.space()
        after = self.text[self.at :]
        if _ANOTHER.match(after):
            self.fail(
                "two JSON values, and one operation in a call; send the first, then call again for "
                "the next"
            )
        if after.startswith(_CONTINUES) or "{" in after or "}" in after:
            self.fail("it goes on after the object is closed")
        for around in (before, after):
            if _FENCE.search(around):
                self.slip("code fence")
            if _FENCE.sub("", around).strip():
                self.slip("prose")

    def value(self, parent: str) -> Any:
        """Read a value, inside an object, a list, or neither."""
        self.space()
        begin = self.text[self.at : self.at + 1]
        if begin in {"{", "["}:
            self.depth += 1
            if self.depth > DEEPEST:
                self.fail(f"nested more than {DEEPEST} deep, so it is not repaired")
            self.at += 1
            found = self.object() if begin == "{" else self.list(parent)
            self.depth -= 1
            return found
        if begin in CLOSING:
            return self.quoted(begin)
        if number := _NUMBER.match(self.text, self.at):
            return self.number(number[0])
        word = _WORD.match(self.text, self.at)
        if word and word[0] in LITERALS:
            self.at = word.end()
            if word[0][0].isupper():
                self.slip("literal")
            return LITERALS[word[0]]
        if not begin:
            self.fail("cut off")
        bare = word[0].lstrip("-") if word else ""
        if bare in {"NaN", "Infinity", "nan", "inf", "undefined"}:
            self.fail(f"{bare} is not JSON", place=False)
        return self.fail(f"a value is missing: {shown(word[0] if word else begin)} needs quotes")

    def object(self) -> dict[str, Any]:
        """Read an object from after its brace."""
        self.space()
        if self.text.startswith("{", self.at):  # a pair of braces too many around it
            return self.doubled()
        pairs: list[tuple[str, Any]] = []
        wanted, broke = True, False
        while True:
            broke = self.space() or broke
            if self.text.startswith("}", self.at):
                self.at += 1
                if pairs and wanted:
                    self.slip("comma")
                break
            if self.at == len(self.text) and not wanted:
                self.unclosed(pairs)
                break
            if not wanted:
                if not (broke and self.next_is_member()):
                    self.fail("a comma or a closing brace is missing")
                self.slip("comma")
            pairs.append((self.name(), self.value("{")))
            broke = self.space()
            wanted = self.text.startswith(",", self.at)
            self.at += wanted
        made, twice = united(pairs)
        if twice:
            self.slip("duplicate")
        return made

    def next_is_member(self) -> bool:
        """Tell whether a name and a colon come next: the comma before them is missing."""
        opening = self.text[self.at : self.at + 1]
        found = (
            _TEXT[opening].match(self.text, self.at)
            if opening in CLOSING
            else _BARE_NAME.match(self.text, self.at)
        )
        return found is not None and self.text[found.end() : found.end() + 2].lstrip()[:1] == ":"

    def doubled(self) -> dict[str, Any]:
        """Read an object in a second pair of braces with nothing else."""
        inner = self.value("{")
        self.space()
        if not self.text.startswith("}", self.at):
            self.fail("a name is missing before the brace")
        self.at += 1
        self.slip("brace")
        return inner  # type: ignore[no-any-return]

    def unclosed(self, pairs: list[tuple[str, Any]]) -> None:
        """Accept the end of the text before a wrapper's brace, if its call is closed."""
        names = {name for name, _ in pairs}
        if not names <= WRAPPERS or not isinstance(pairs[-1][1], dict):
            self.fail("cut off")
        self.slip("brace")

    def list(self, parent: str) -> list[Any]:
        """Read a list from after its bracket; the brace of the object around it ends it too."""
        items: list[Any] = []
        wanted = True
        while True:
            self.space()
            end = self.text[self.at : self.at + 1]
            if end == "]" or (end == "}" and parent == "{" and not wanted):
                self.at += end == "]"
                if end == "}":
                    self.slip("brace")
                elif items and wanted:
                    self.slip("comma")
                return items
            if not end:
                self.fail("cut off")
            if not wanted:
                self.fail("a comma or a closing bracket is missing")
            items.append(self.value("["))
            self.space()
            wanted = self.text.startswith(",", self.at)
            self.at += wanted

    def name(self) -> str:
        """Read the name of a member, and its colon."""
        opening = self.text[self.at : self.at + 1]
        bare = _BARE_NAME.match(self.text, self.at)
        if opening in CLOSING:
            name = self.quoted(opening)
        elif bare:
            name, self.at = bare[0], bare.end()
            self.slip("bare name")
        else:
            self.fail("cut off" if not opening else "a name is missing")
        self.space()
        if not self.text.startswith(":", self.at):
            self.fail("cut off" if self.at == len(self.text) else "a colon is missing")
        self.at += 1
        return name

    def quoted(self, opening: str) -> str:
        """Read a text in quotes of any kind."""
        found = _TEXT[opening].match(self.text, self.at)
        if found is None:
            self.fail("unterminated string starting")
        if opening != '"':
            self.slip("quotes")
        text: str = json.loads(f'"{_TO_ESCAPE.sub(self.escaped, found[1])}"')
        self.at = found.end()
        return text

    def escaped(self, found: re.Match[str]) -> str:
        """Return a character of a text in JSON's form."""
        char = found[0]
        if char == '"':
            return '\\"'
        if char < " ":
            self.slip("control character")
            return f"\\u{ord(char):04x}"
        if char[1] in '"\\/bfnrt' or len(char) > 2:
            return char
        if char[1] in CLOSING or char[1] in CLOSING.values():
            self.slip("escape")
            return char[1]
        self.at += 1 + found.start()
        if not char.isprintable():
            char = "a backslash before a line break or the like"
        return self.fail(f"{char} escapes nothing; a backslash itself is \\\\")

    def number(self, text: str) -> int | float:
        """Read a number in the notation of JSON, JSON5 or Python; a leading zero may mean a text."""
        if _LEADING_ZERO.match(text):
            self.fail(f"{shown(text)} begins with a zero; is it a number or a text?")
        self.at += len(text)
        if not _JSON_NUMBER.fullmatch(text):
            self.slip("number")
            whole, dot, rest = text.removeprefix("+").partition(".")
            whole += "" if whole.strip("-") else "0"
            text = whole + (f".{rest}" if rest[:1].isdigit() else f".0{rest}" if dot else "")
        try:
            return json.loads(text)  # type: ignore[no-any-return]
        except ValueError:
            raise NotJsonError(LONG_NUMBER) from None

    def space(self) -> bool:
        """Skip white space and comments; tell whether a line ended there."""
        start = self.at
        while found := _SPACE.match(self.text, self.at) or _COMMENT.match(self.text, self.at):
            if found.re is _COMMENT:
                self.slip("comment")
            elif "\\" in found[0]:  # an escaped line break between values
                self.slip("escape")
            self.at = found.end()
        return "\n" in self.text[start : self.at]

    def slip(self, kind: RepairKind) -> None:
        if kind not in self.slips:
            self.slips.append(kind)

    def fail(self, reason: str, *, place: bool = True) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - (self.text.rfind("\n", 0, self.at) + 1) + 1
        raise NotJsonError(f"{reason} at line {line}, column {column}" if place else reason)


TIMES = 3
"""The most levels of JSON inside JSON text. Two occur in practice."""

FENCES = ("```", "~~~")
"""The fences of a code block (CommonMark 0.31.2, section 4.5)."""


class UnreadableCallError(UjsxError, ValueError):
    """A call that cannot be understood; :meth:`Toolset.call` turns it into a result."""


LONGEST_TOLD = 60
"""The most characters of a value in an error."""


def in_json(value: object) -> str:
    """Return a received value for an error: a text in quotes, anything else as JSON.

    >>> in_json("ten"), in_json([None, True]), in_json({"a": float})
    ("'ten'", '[null, true]', "{'a': <class 'float'>}")
    """
    if isinstance(value, str):
        return shown(value, width=LONGEST_TOLD)
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown(value, width=LONGEST_TOLD)
    return text if len(text) <= LONGEST_TOLD else f"{text[: LONGEST_TOLD - 1]}…"


def read(text: str, path: str, repairs: list[Repair]) -> Any:
    r"""Return the JSON data in ``text``, or ``text`` itself if there is none.

    Near-JSON is repaired if it is unambiguous.

    :raises UnreadableCallError: for a text with a JSON object or list that cannot be read.

    >>> repairs = []
    >>> read("```json\n{'op': 'help',}\n```", "$", repairs)
    {'op': 'help'}
    >>> [repair.kind for repair in repairs]
    ['quotes', 'comma', 'code fence', 'json text']
    >>> read('{"op": "notes.add", "content": "ab', "$", [])
    Traceback (most recent call last):
    ujsx.tools._json.UnreadableCallError: $: not valid JSON: unterminated string starting at line 1, column 32; send it again, whole
    """
    value: Any = text
    for _ in range(TIMES):
        try:
            reading = _strictly(value)
        except NotJsonError as error:
            raise UnreadableCallError(f"not valid JSON: {error}", path=path) from None
        except ValueError:
            if "{" not in value and not value.lstrip().startswith("["):
                return value
            try:
                reading = lenient(value)
            except NotJsonError as error:
                said = str(error)
                advice = "" if "; " in said else "; send it again, whole"
                raise UnreadableCallError(f"not valid JSON: {said}{advice}", path=path) from None
        repairs += (Repair(kind, path) for kind in (*reading.slips, "json text"))
        value = reading.value
        if not isinstance(value, str):
            break
    return value


def _strictly(text: str) -> LenientReading:
    """Read strict JSON, in a code fence too."""
    twice: list[RepairKind] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data, repeated = united(pairs)
        if repeated:
            twice.append("duplicate")
        return data

    inside = _unfenced(text)
    try:
        value = json.loads(inside, parse_constant=_no_constant, object_pairs_hook=made)
    except RecursionError:
        raise NotJsonError("nested too deep; send it again, flatter") from None
    fence: list[RepairKind] = ["code fence"] if inside is not text else []
    return LenientReading(value, [*fence, *twice[:1]])


def as_list(value: object) -> list[Any] | None:
    """Return the value if it is a list."""
    return cast("Any", value) if isinstance(value, list) else None


def as_object(value: object) -> dict[str, Any] | None:
    """Return the value if it is a JSON object."""
    return cast("Any", value) if isinstance(value, dict) else None


def list_in(text: str) -> list[Any] | None:
    """Return the list of a JSON text; None for any other text.

    >>> list_in('["a", "b"]'), list_in("[ ] Write tests"), list_in("[a]")
    (['a', 'b'], None, None)
    """
    bare = text.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        return None
    try:
        items = as_list(read(bare, "$", []))
    except UnreadableCallError:
        return None
    return items if items or not bare[1:-1].strip() else None


def is_item(value: object) -> bool:
    """Tell whether a value is a text that may mean an object: words, and neither markup nor data.

    >>> is_item("Use JWT"), is_item("<content>a</content>"), is_item("null"), is_item(3)
    (True, False, False, False)
    """
    bare = value.strip() if isinstance(value, str) else ""
    return bool(bare) and bare[0] not in "{[<" and bare.casefold() not in NOTHING


NOTHING = frozenset({"null", "none", "nil", "undefined", "nan", "n/a"})
"""Words that may mean that there is no item."""


def _unfenced(text: str) -> str:
    block = text.strip()
    fence = block[:3]
    start, end = block.find("\n"), len(block.rstrip(fence[:1]))
    fenced = fence in FENCES and block.endswith(fence) and 0 < start < end
    return block[start:end] if fenced else text


def parsed(text: str) -> Any:
    """Return the data of a JSON text.

    :raises ValueError: for invalid JSON, ``NaN`` and ``Infinity`` included, or nested too deeply.
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def written(value: object) -> str:
    """Return the JSON text of data.

    :raises UnreadableCallError: for data that is not JSON: other objects, ``NaN``, cycles, too deep a nesting.
    """
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        reason = "nested too deep; send it flatter" if deep else str(error)
        if reason.startswith("Exceeds the limit"):  # Python's message is for its operator
            reason = LONG_NUMBER
        raise UnreadableCallError(f"the arguments are not JSON data: {reason}", path="$") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_PLAIN = re.compile(r"[A-Za-z_]\w{0,40}", re.ASCII)


def place(parts: Iterable[str | int]) -> str:
    """Return the path of a value, with names other than plain words in brackets.

    >>> place(["steps", 2, "a b"])
    '$.steps[2]["a b"]'
    """
    return "$" + "".join(map(_step, parts))


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _PLAIN.fullmatch(part) else f"[{json.dumps(part[:40])}]"
