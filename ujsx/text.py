"""Untrusted text: fitted to one place in a line, with hidden characters made visible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import category, east_asian_width

from ujsx.on_demand import late_pattern, on_demand

on_demand(globals())


# The hidden contents of a text: invisible characters, and models' special tokens.
#
# Each has a visible form: a control its picture (``␛``), any other character its code point (``⟦U+200B⟧``). A special
# token gets this form for its first character, and the rest is text. The forms are unambiguous, as characters used in
# forms are escaped too. So :func:`unhidden` reverses :func:`escaped`, piece by piece. The tables do not depend on
# Python's Unicode version, so that the same text gives the same bytes.

OPEN, CLOSE = "⟦", "⟧"
"""The brackets around the code point of an invisible character."""

PICTURES: dict[str, str] = {
    **{chr(code): chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n\r"},
    "\x7f": "\u2421",
}
"""C0 controls and DEL, and their control pictures."""

INVISIBLE: tuple[tuple[str, str], ...] = (
    (r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f", "controls"),
    (r"\x80-\x9f", "controls of eight bits"),
    (r"\u2028\u2029", "line ends that are none in Markdown"),
    (r"\u202a-\u202e\u2066-\u2069", "bidirectional embeddings, overrides and isolates"),
    (r"\u061c\u200e\u200f", "bidirectional marks"),
    (r"\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff", "spaces without width, joiners, operators"),
    (r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0", "hyphens and fillers that are not shown"),
    (r"\u180b-\u180f\ufe00-\ufe0f", "variation selectors"),
    (r"\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a", "annotations, format controls"),
    (r"\U000e0000-\U000e0fff", "tags, and variation selectors beyond the first sixteen"),
    (r"\ufdd0-\ufdef\ufffe\uffff", "code points that are not characters"),
    (r"\ud800-\udfff", "halves of surrogate pairs"),
)
"""Invisible characters that affect a reader, or carry a message, with their kinds.

They are Unicode's Default_Ignorable_Code_Points with controls, separators of lines, annotations, and noncharacters.
Spaces with a width stay, and so do private-use characters: icons.
"""

_EMOJI = (
    "©®\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RIGHT_TO_LEFT = "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_JOINING = (
    "\u0600-\u061b\u061d-\u085f\u0860-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1820-\u18aa"
    "\u1a20-\u1aaf\u1b00-\u1c4f\ua840-\ua8ff\ua980-\uaadf\uabc0-\uabff\ufb50-\ufdcf\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_WITHOUT_SPACES = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff\u1950-\u19df\ua9e0-\ua9ff\uaa60-\uaadf"
)
_SELECTED = (
    "\u2018-\u201d\u2200-\u22ff\u2a00-\u2aff\u3001\u3002\uff01-\uff1f\u1000-\u109f\ua840-\ua877"
)
_FLAG_TAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region)
    for region in ("gbeng", "gbsct", "gbwls")
)

NEEDED: tuple[tuple[str, str], ...] = (
    (f"\U0001f3f4(?:{_FLAG_TAGS})\U000e007f", "the flags of England, Scotland and Wales"),
    (f"[{_EMOJI}][\ufe0e\ufe0f]?(?:\u200d(?=[{_EMOJI}]))?", "emoji, and sequences of them"),
    ("[#*0-9]\ufe0f(?=\u20e3)", "keycaps"),
    (f"[{_HAN}][\ufe00-\ufe02\U000e0100-\U000e01ef]", "forms of one Chinese character"),
    (f"[{_SELECTED}][\ufe00\ufe01]", "forms of operators, quotes and letters"),
    ("[\u1820-\u18aa][\u180b-\u180f]", "forms of Mongolian letters"),
    (f"[{_JOINING}][\u200c\u200d]", "joiners of scripts whose letters join"),
    (f"[{_WITHOUT_SPACES}]\u200b(?=[{_WITHOUT_SPACES}])", "words of scripts without spaces"),
    (f"[{_RIGHT_TO_LEFT}][\u200e\u200f\u061c]", "marks after letters from right to left"),
    (f"[\u200e\u200f\u061c](?=[{_RIGHT_TO_LEFT}])", "marks before them"),
    ("\u034f(?=[\u0300-\u034e\u0350-\u036f\u0591-\u05bd])", "joiners of combining marks"),
    ("\u115f(?=[\u1161-\u11a7])|[\u1100-\u115e]\u1160", "fillers of Hangul syllables"),
)
"""Invisible characters that a script needs, each with its required neighbors: one at a time."""

_NAME = r"[\w.:/-]{1,64}"
_THOUGHTS_AND_CALLS = (
    "think|thinking|tool_calls?|tool_response|tool_result|arg_key|arg_value"
    "|function_calls|function_results"
)
_MISTRAL = (
    "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|MODEL_SETTINGS"
)

TOKENS: tuple[tuple[str, str, str], ...] = (
    ("<", rf"\|{_NAME}\|?>|{_NAME}\|>", "<|im_start|>, <|eot_id|>, <turn|>: most families"),
    ("<", r"/?\uff5c", "DeepSeek, with a wide bar"),
    ("<", r"</?SYS>>", "<<SYS>>: Llama 2"),
    ("<", r"/?(?:s|bos|eos|sop|eop|pad|unk)>", "texts: Llama 2, Mistral, Gemma, GLM"),
    ("<", r"(?:start|end|begin)_(?:of|function)_\w{1,32}>", "turns and calls: Gemma"),
    ("<", rf"/?(?:\w{{1,16}}[:_])?(?:{_THOUGHTS_AND_CALLS})>", "Qwen, GLM, Seed, MiniMax"),
    ("<", r"/?antml:", "calls: Claude"),
    ("<", r"(?:extra_id_|SPECIAL_)\d{1,5}>", "roles: Nemotron"),
    ("<", r"(?:fim_\w{1,16}|file_sep|repo_name)>", "files: StarCoder"),
    ("[", rf"/?(?:{_MISTRAL})\]", "turns and tools: Mistral"),
    ("[", r"\|\w{1,32}\|\]", "[|endofturn|]: EXAONE"),
    ("[", r"gMASK\]|(?:start|end)_header_id\]", "GLM, Kimi"),
    ("[", r"e~\[", "MiniMax"),
    ("]", r"<\]\w{1,32}\[>\[|~!?b[\[\]]|!p~\[", "MiniMax"),
)
"""Special tokens: the start of each, a pattern for the rest, and its owner.

Those of the chat formats, which delimit texts, turns, roles, thoughts, calls and results. Tokenizers match them
exactly, case included. Words of programs' help, such as ``[ARGS]``, are not included.
"""

TURNS = _HUMAN, _ASSISTANT = ("Human:", "Assistant:")
"""The starts of turns of Claude's first models, at the start of a line."""


_STARTS = {
    start: late_pattern(rf"\{start}(?={'|'.join(row for each, row, _ in TOKENS if each == start)})")
    for start in "<[]"
}
_TURN = "|".join(rf"{turn[0]}(?<![^\n]{turn[0]})(?={turn[1:]})" for turn in TURNS)
_INDENTED_TURN = rf"\A[ \t\n\r]+(?:{'|'.join(rf'{turn[0]}(?={turn[1:]})' for turn in TURNS)})"
"""A turn after white space at a text's start, which is dropped where a block begins."""
_CLASS = "".join(characters for characters, _ in INVISIBLE)
_FORMS = f"{OPEN}\u2400-\u241f\u2421"
_TOKENS = "|".join((*(pattern.pattern for pattern in _STARTS.values()), _TURN))
_NEEDED = "|".join(pattern for pattern, _ in NEEDED)

_PLAIN = re.escape("".join(sorted({*map(chr, range(0x20, 0x7F))} - {*"#*0123456789<[]", "H", "A"})))
"""ASCII characters with which no pattern begins, other than at the start of a text."""
_SELDOM = rf"(?=[^{_PLAIN}]|\A)"
"""The prefix of the alternatives: one look at a character excludes most of them, ten times as fast."""

_HIDDEN = late_pattern(f"{_SELDOM}(?:(?:{_NEEDED})|([{_CLASS}]))")
_UNSAFE = late_pattern(f"{_SELDOM}(?:(?:{_NEEDED})|([{_CLASS}]|{_TOKENS}|{_INDENTED_TURN}))")
_ESCAPED = late_pattern(
    f"{_SELDOM}(?:(?:{_NEEDED})|([{_CLASS}{_FORMS}]|{_TOKENS}|{_INDENTED_TURN}))"
)

_INVISIBLE = late_pattern(f"[{_CLASS}]")
_INVISIBLE_OR_FORM = late_pattern(f"[{_CLASS}{_FORMS}]")
_COMMON = late_pattern("[ -~\u2010-\u2027\t\n\r\xa0-\xac\xae-\u02ff\u2030-\u205f\u2070-\u23ff]*")
"""The usual characters of a text in Latin script: ASCII, letters, dashes, quotes, arrows, which are visible."""

_LEADS = b"\xc2\xcd\xd8\xe1\xe2\xe3\xed\xef\xf0\xf3"
"""The first UTF-8 bytes of invisible characters, and of forms."""

_SUSPECT = {*map(ord, PICTURES), *_LEADS}
_TELLING = bytes(1 if code in _SUSPECT else 2 * (code in b"<[]:") for code in range(256))
"""The bytes of which a text with hidden contents has at least one: 1 for those of characters, 2 for those of words.

``1 in text.encode().translate(…)`` scans a text of any length in C.
"""

_FORM = late_pattern(f"{OPEN}[Uu]\\+([0-9A-Fa-f]{{4,6}}){CLOSE}|[\u2400-\u241f\u2421]")
_CONTROLS = {picture: control for control, picture in PICTURES.items()}


def hides_nothing(text: str) -> bool:
    """Tell whether :func:`escaped` leaves a text unchanged.

    May return False for a text with characters that a script needs, or words such as ``Human:``.
    """
    found = text.encode("utf-8", "surrogatepass").translate(_TELLING)
    return (2 not in found or not _has_token(text)) and (1 not in found or is_seen(text))


def _has_token(text: str) -> bool:
    for start, pattern in _STARTS.items():
        if start in text and pattern.search(text):
            return True
    return ":" in text and (_HUMAN in text or _ASSISTANT in text)


def is_seen(text: str) -> bool:
    """Tell whether a text has no invisible characters, and no forms of them.

    May return False for a text with characters that a script needs.
    """
    return _COMMON.fullmatch(text) is not None or not _INVISIBLE_OR_FORM.search(text)


def escaped(text: str) -> str:
    r"""Return a text with its hidden contents in visible forms.

    >>> escaped("run\u200b <|im_start|>system\x1b[2J")
    'run⟦U+200B⟧ ⟦U+003C⟧|im_start|>system␛[2J'
    >>> escaped("می\u200cخواهم 👩\u200d💻 ❤\ufe0f")
    'می\u200cخواهم 👩\u200d💻 ❤️'
    """
    try:  # the default encoding is the fastest call, and every text of a tree is checked
        found = text.encode().translate(_TELLING)
    except UnicodeEncodeError:  # half of a surrogate pair
        return _ESCAPED.sub(_seen, text)
    if (2 not in found or not _has_token(text)) and (1 not in found or is_seen(text)):
        return text  # as most are
    return _ESCAPED.sub(_seen, text)


def unhidden(text: str) -> str:
    r"""Return the original text of an :func:`escaped` one.

    >>> text = "a\u200b ⟦U+200B⟧ [INST]"
    >>> escaped(text), unhidden(escaped(text)) == text
    ('a⟦U+200B⟧ ⟦U+27E6⟧U+200B⟧ ⟦U+005B⟧INST]', True)
    """
    if text.isascii():
        return text
    return _FORM.sub(_meant, text)


def joined(texts: Sequence[str]) -> str:
    """Join written texts, so that they form no special token together.

    >>> joined(["<|im_", "start|>"])
    '⟦U+003C⟧|im_start|>'
    """
    text = "".join(texts)
    if not any(map(may_begin, texts[:-1])) or hides_nothing(text):
        return text
    return text if _unsafe(text) <= sum(map(_unsafe, texts)) else show_hidden(text)


def may_begin(text: str) -> bool:
    """Tell whether a special token could begin in a written text and end in the text right after it.

    No other hidden content spans both texts, as each is already written.

    >>> may_begin(" — "), may_begin("a < b"), may_begin("Hu")
    (False, True, True)
    """
    return "<" in text or "[" in text or "]" in text or text.endswith(_BEGUN_TURNS)


_BEGUN_TURNS = tuple(turn[:end] for turn in TURNS for end in range(1, len(turn)))


def show_hidden(text: str) -> str:
    """Return a written text with its hidden contents in visible forms; existing forms stay."""
    return text if hides_nothing(text) else _UNSAFE.sub(_seen, text)


def _unsafe(text: str) -> int:
    """Return how much of a text escaping would change, apart from existing forms."""
    return sum(match[1] is not None for match in _UNSAFE.finditer(text))


def labelled(text: str) -> str:
    """Return an escaped text that forms no special token with brackets around it.

    >>> labelled("INST"), labelled("say [INST"), labelled("the docs")
    ('⟦U+0049⟧NST', 'say ⟦U+005B⟧INST', 'the docs')
    """
    if " " in text and "[" not in text and "]" not in text and "<" not in text:
        return text  # no token contains a space
    return begun("[", ended(text, "]"), "]")


def placed(url: str) -> str:
    """Return a URL, escaped so that it forms no special token with angle brackets around it.

    >>> placed("a <|im_end|"), placed("|im_end| a"), placed("https://example.org/s")
    ('a ⟦U+003C⟧|im_end|', '|im_end| a', 'https://example.org/s')
    """
    if _ADDRESS.fullmatch(url):  # as most are
        return url
    url = escaped(url)
    return begun("<", ended(url, ">"), ">") if _MAY_STAND_BETWEEN_ANGLES.search(url) else url


_ADDRESS = late_pattern("https?://[A-Za-z0-9./_~%?=&+#@-]*")
"""A web address without hidden contents that forms no token with angle brackets: tokens have other characters."""

_MAY_STAND_BETWEEN_ANGLES = late_pattern(r"[\s:]")
"""A URL with white space needs angle brackets, and one with a scheme may be written as an autolink."""


def begun(start: str, text: str, end: str = "") -> str:
    """Return an escaped text that forms no special token with the character before it.

    :param end: the text after it.
    """
    begins = text and _STARTS[start].match(f"{start}{text}{end}")
    return f"{_form(text[0])}{text[1:]}" if begins else text


def ended(text: str, end: str) -> str:
    """Return an escaped text that forms no special token with the character after it."""
    if "<" in text or "[" in text or "]" in text:  # the starts of tokens that could end here
        return show_hidden(text + end)[: -len(end)]
    return text


def shown_invisible(text: str) -> str:
    """Return a text with its invisible characters in visible forms; its words stay unchanged."""
    return _HIDDEN.sub(_seen, text) if _INVISIBLE.search(text) else text


def _seen(match: re.Match[str]) -> str:
    return f"{match[1][:-1]}{_form(match[1][-1])}" if match[1] else match[0]


def _form(character: str) -> str:
    picture = PICTURES.get(character)
    return f"{OPEN}U+{ord(character):04X}{CLOSE}" if picture is None else picture


def _meant(match: re.Match[str]) -> str:
    if match[1] is None:
        return _CONTROLS.get(match[0], match[0])  # white space has no form: ␊ stands for itself
    code = int(match[1], 16)
    return chr(code) if code <= 0x10FFFF else match[0]


# Untrusted text, fitted to one place in a line.

_LINE_ENDS = late_pattern("\r\n?")

_LINE_BREAKS = late_pattern(
    r"(?:(?<![ \t])[ \t]++)?(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])[ \t\n\v\f\r]*"
)
"""Every form of a line end, with the white space around it.

The set is that of ``str.splitlines``: a terminal, an editor or a model may break at any of them. White space is matched
from its start only: a match from each character would take quadratic time.
"""

_BLANK_LINES = late_pattern(r"\r?\n(?:[ \t]*\r?\n)+")

_PARTED = late_pattern(r"\n[ \t]*(?:\n[ \t]*)+")
_LINE_EDGES = late_pattern(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")

_PRINTABLE = bytes(range(0x20, 0x7F))


def is_printable(text: str) -> bool:
    r"""Return ``str.isprintable``, in a fifth of the time for long ASCII texts.

    >>> is_printable("a line"), is_printable("two\nlines"), is_printable("é")
    (True, False, True)
    """
    if not text.isascii():
        return text.isprintable()
    return not text.encode().translate(None, _PRINTABLE)


def is_text(text: str) -> bool:
    r"""Tell whether ``text`` can be encoded: half of a surrogate pair is not a character.

    >>> is_text("é"), is_text("a\ud83d")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def one_line(text: str) -> str:
    r"""Return ``text`` on one line: each line break becomes a space.

    >>> one_line("first\n  second")
    'first second'
    """
    if is_printable(text) or not _LINE_BREAKS.search(text):  # the first is the faster check
        return text
    return _LINE_BREAKS.sub(" ", text).strip(" \t")


def without_blank_lines(text: str) -> str:
    r"""Return ``text`` without blank lines, as in a paragraph.

    >>> without_blank_lines("a\n \n\nb")
    'a\nb'
    """
    return _BLANK_LINES.sub("\n", text) if "\n" in text else text


def visible(text: str) -> str:
    r"""Return ``text`` with its invisible characters in forms that are seen, lines ended by ``\n``.

    For terminals and messages: the forms are those of renderings, but existing forms stay, so that the function is
    idempotent.

    >>> visible("a\x1b[31mb\u200b\r\nc")
    'a␛[31mb⟦U+200B⟧\nc'
    """
    return shown_invisible(_LINE_ENDS.sub("\n", text) if "\r" in text else text)


def paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a text with their line breaks, without white space at the edges.

    >>> paragraphs("a\n  b\n\n\nc")
    ['a\nb', 'c']
    """
    parts = _PARTED.split(_LINE_ENDS.sub("\n", text).strip("\n"))
    return [kept for part in parts if (kept := _LINE_EDGES.sub("\n", part.strip(" \t\n")))]


# The width of a text in columns, as in a terminal.

_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def width(text: str) -> int:
    r"""Return the columns of a one-line text: East Asian wide characters and emoji take two.

    Combining characters take none; an emoji of several characters counts once.

    >>> width("abc"), width("日本"), width("e\u0301"), width("👩\u200d🔬")
    (3, 4, 1, 2)
    """
    if text.isascii():
        return len(text)
    columns = last = 0
    before = ""
    for character in text:
        if character == _EMOJI_STYLE:  # the character before it is shown as an emoji
            columns, last = columns + max(0, 2 - last), 2
        elif before != _JOINER and character not in _SKIN_TONES:
            own = _columns(character)
            columns, last = columns + own, own or last
        before = character
    return columns


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if category(character) in {"Mn", "Me", "Cf"} or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
