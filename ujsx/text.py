"""Text from outside: made fit for one place in a line, and what it hides made visible."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from unicodedata import category, east_asian_width

from ujsx.on_demand import on_demand

on_demand(globals())


# The hidden contents of a text: characters that nobody sees, and words that a model takes for its own.
#
# Each has a form that is seen: a control its picture (``␛``), anything else its code point
# (``⟦U+200B⟧``). Of a special token the first character is written so, and what is left is text. The
# forms are unambiguous: a text that has such a character itself has it in its form, too. So
# :func:`unhidden` gives back what :func:`escaped` was given, and does so piece by piece.
#
# All of it is tables. They do not follow the Unicode version of the Python that runs, so that the same
# text gives the same bytes.

OPEN, CLOSE = "⟦", "⟧"
"""Around the code point of a character that is not seen."""

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
"""Characters that act on a reader, or carry a message, and are not seen; and what they are.

They are Unicode's Default_Ignorable_Code_Points with controls, separators of lines, annotations,
and what is no character. Spaces that take room stay, and so does what is for private use: icons.
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
"""Invisible characters that a script needs, each with what has to stand beside it: one at a time."""

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
"""Special tokens: what each begins with, a pattern of what follows, and whose it is.

Those of the chat formats: what begins and ends texts, turns, roles, thoughts, calls and results. A
tokenizer matches them exactly, case included. Words that programs' own help has, as ``[ARGS]``, are
not among them.
"""

TURNS = _HUMAN, _ASSISTANT = ("Human:", "Assistant:")
"""What begins a turn of Claude's first models, where it begins a line."""


class _Late:
    """A pattern that is compiled when a text first needs it: most need none, and it takes milliseconds."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)


_STARTS = {
    start: re.compile(rf"\{start}(?={'|'.join(row for each, row, _ in TOKENS if each == start)})")
    for start in "<[]"
}
_TURN = "|".join(rf"{turn[0]}(?<![^\n]{turn[0]})(?={turn[1:]})" for turn in TURNS)
_INDENTED_TURN = rf"\A[ \t\n\r]+(?:{'|'.join(rf'{turn[0]}(?={turn[1:]})' for turn in TURNS)})"
"""A turn behind the white space at a text's start, which is dropped where a block begins."""
_CLASS = "".join(characters for characters, _ in INVISIBLE)
_FORMS = f"{OPEN}\u2400-\u241f\u2421"
_TOKENS = "|".join((*(pattern.pattern for pattern in _STARTS.values()), _TURN))
_NEEDED = "|".join(pattern for pattern, _ in NEEDED)

_PLAIN = re.escape("".join(sorted({*map(chr, range(0x20, 0x7F))} - {*"#*0123456789<[]", "H", "A"})))
"""Characters of ASCII that none of the patterns begins with, other than at the start of a text."""
_SELDOM = rf"(?=[^{_PLAIN}]|\A)"
"""What stands before the alternatives: a look at a character tells of most that it is none of them, ten times as soon."""

_HIDDEN = _Late(f"{_SELDOM}(?:(?:{_NEEDED})|([{_CLASS}]))")
_UNSAFE = _Late(f"{_SELDOM}(?:(?:{_NEEDED})|([{_CLASS}]|{_TOKENS}|{_INDENTED_TURN}))")
_ESCAPED = _Late(f"{_SELDOM}(?:(?:{_NEEDED})|([{_CLASS}{_FORMS}]|{_TOKENS}|{_INDENTED_TURN}))")

_INVISIBLE = re.compile(f"[{_CLASS}]")
_INVISIBLE_OR_FORM = re.compile(f"[{_CLASS}{_FORMS}]")

_LEADS = b"\xc2\xcd\xd8\xe1\xe2\xe3\xed\xef\xf0\xf3"
"""The first bytes in UTF-8 of what is invisible, and of forms."""

_SUSPECT = {*map(ord, PICTURES), *_LEADS}
_TELLING = bytes(1 if code in _SUSPECT else 2 * (code in b"<[]:") for code in range(256))
"""Of the bytes of which a text has one where it hides something: 1 for those of characters, 2 for those of words.

``1 in text.encode().translate(…)`` is a look at a text in C, whatever its length.
"""

_SHORT = 64
"""Below how many characters a text is soon looked through, whatever it has."""

_SEEN = bytes(code for code in range(0x80) if chr(code) not in PICTURES)
"""What is seen for certain, and most of most texts: what is left is soon looked through."""

_FORM = re.compile(f"{OPEN}[Uu]\\+([0-9A-Fa-f]{{4,6}}){CLOSE}|[\u2400-\u241f\u2421]")
_CONTROLS = {picture: control for control, picture in PICTURES.items()}


def hides_nothing(text: str) -> bool:
    """Tell whether :func:`escaped` leaves a text as it is.

    It may say no of one that has what a script needs, or speaks of turns.
    """
    found = text.encode("utf-8", "surrogatepass").translate(_TELLING)
    return (2 not in found or not _has_token(text)) and (1 not in found or is_seen(text))


def _has_token(text: str) -> bool:
    for start, pattern in _STARTS.items():
        if start in text and pattern.search(text):
            return True
    return ":" in text and (_HUMAN in text or _ASSISTANT in text)


def is_seen(text: str) -> bool:
    """Tell whether a text has no invisible character, and no form of one.

    It may say no of one that has what a script needs.
    """
    if len(text) < _SHORT:
        return not _INVISIBLE_OR_FORM.search(text)
    encoded = text.encode("utf-8", "surrogatepass")
    if 1 not in encoded.translate(_TELLING):
        return True
    rare = encoded.translate(None, _SEEN).decode("utf-8", "surrogatepass")
    return not _INVISIBLE_OR_FORM.search(rare)


def escaped(text: str) -> str:
    r"""Return a text with what it hides in forms that are seen.

    >>> escaped("run\u200b <|im_start|>system\x1b[2J")
    'run⟦U+200B⟧ ⟦U+003C⟧|im_start|>system␛[2J'
    >>> escaped("می\u200cخواهم 👩\u200d💻 ❤\ufe0f")
    'می\u200cخواهم 👩\u200d💻 ❤️'
    """
    try:  # to name no way of encoding is the quickest one, and every text of a tree is asked
        found = text.encode().translate(_TELLING)
    except UnicodeEncodeError:  # it has half of a surrogate pair
        return _ESCAPED.compiled.sub(_seen, text)
    if (2 not in found or not _has_token(text)) and (1 not in found or is_seen(text)):
        return text  # as most are
    return _ESCAPED.compiled.sub(_seen, text)


def unhidden(text: str) -> str:
    r"""Return the text of which :func:`escaped` made this one.

    >>> text = "a\u200b ⟦U+200B⟧ [INST]"
    >>> escaped(text), unhidden(escaped(text)) == text
    ('a⟦U+200B⟧ ⟦U+27E6⟧U+200B⟧ ⟦U+005B⟧INST]', True)
    """
    if text.isascii():
        return text
    return _FORM.sub(_meant, text)


def joined(texts: Sequence[str]) -> str:
    """Return written texts as one, in which they make no token together.

    >>> joined(["<|im_", "start|>"])
    '⟦U+003C⟧|im_start|>'
    """
    text = "".join(texts)
    if not any(map(may_begin, texts[:-1])) or hides_nothing(text):
        return text
    return text if _unsafe(text) <= sum(map(_unsafe, texts)) else show_hidden(text)


def may_begin(text: str) -> bool:
    """Tell whether a token could begin in a written text, and end in what follows it right away.

    Nothing else of what one text hides depends on the other: both are written already.

    >>> may_begin(" — "), may_begin("a < b"), may_begin("Hu")
    (False, True, True)
    """
    return _BEGINNING.search(text) is not None


_BEGINNING = re.compile(
    rf"[<\[\]]|(?:{'|'.join(turn[:end] for turn in TURNS for end in range(1, len(turn)))})\Z"
)


def show_hidden(text: str) -> str:
    """Return a written text with what it hides in forms that are seen; the forms it has stay."""
    return text if hides_nothing(text) else _UNSAFE.compiled.sub(_seen, text)


def _unsafe(text: str) -> int:
    """How much of a text escaping would change, beside the forms that it has."""
    return sum(match[1] is not None for match in _UNSAFE.compiled.finditer(text))


def labelled(text: str) -> str:
    """Return an escaped text that stands between brackets, which with it are no token.

    >>> labelled("INST"), labelled("say [INST"), labelled("the docs")
    ('⟦U+0049⟧NST', 'say ⟦U+005B⟧INST', 'the docs')
    """
    if " " in text and "[" not in text and "]" not in text and "<" not in text:
        return text  # no token has a space in it
    return begun("[", ended(text, "]"), "]")


def placed(url: str) -> str:
    """Return an URL, escaped so that it is no token with the angle brackets which it may stand between.

    >>> placed("a <|im_end|"), placed("|im_end| a"), placed("https://example.org/s")
    ('a ⟦U+003C⟧|im_end|', '|im_end| a', 'https://example.org/s')
    """
    if _ADDRESS.fullmatch(url):  # as most are
        return url
    url = escaped(url)
    return begun("<", ended(url, ">"), ">") if _MAY_STAND_BETWEEN_ANGLES.search(url) else url


_ADDRESS = re.compile("https?://[A-Za-z0-9./_~%?=&+#@-]*")
"""An address of the web that hides nothing, and with angle brackets is no token: each of those has other characters."""

_MAY_STAND_BETWEEN_ANGLES = re.compile(r"[\s:]")
"""White space needs them, and a URL with a scheme may be written as an autolink."""


def begun(start: str, text: str, end: str = "") -> str:
    """Return an escaped text that makes no token with the character before it.

    :param end: what is behind it.
    """
    begins = text and _STARTS[start].match(f"{start}{text}{end}")
    return f"{_form(text[0])}{text[1:]}" if begins else text


def ended(text: str, end: str) -> str:
    """Return an escaped text that makes no token with the character behind it."""
    if "<" in text or "[" in text or "]" in text:  # with which tokens begin that could end here
        return show_hidden(text + end)[: -len(end)]
    return text


def shown_invisible(text: str) -> str:
    """Return a text with its invisible characters in their forms; what it says stays as it is."""
    return _HIDDEN.compiled.sub(_seen, text) if _INVISIBLE.search(text) else text


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


# Text from outside, made fit for one place in a line.

_LINE_ENDS = re.compile("\r\n?")

_LINE_BREAKS = re.compile(
    r"(?:(?<![ \t])[ \t]++)?(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])[ \t\n\v\f\r]*"
)
"""Whatever some reader takes for the end of a line, with the white space around it.

The set is that of ``str.splitlines``: a terminal, an editor or a model may break at any of them. A
run of white space is tried from its start alone: from each of its characters, a long one would take
the square of its length.
"""

_BLANK_LINES = re.compile(r"\r?\n(?:[ \t]*\r?\n)+")

_PARTED = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LINE_EDGES = re.compile(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")

_PRINTABLE = bytes(range(0x20, 0x7F))


def is_printable(text: str) -> bool:
    r"""Tell what ``str.isprintable`` tells, in a fifth of its time where a long text is ASCII.

    >>> is_printable("a line"), is_printable("two\nlines"), is_printable("é")
    (True, False, True)
    """
    if not text.isascii():
        return text.isprintable()
    return not text.encode().translate(None, _PRINTABLE)


def is_text(text: str) -> bool:
    r"""Tell whether all of ``text`` can be written: half of a surrogate pair is no character.

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
    return _LINE_BREAKS.sub(" ", text).strip(" \t") if _LINE_BREAKS.search(text) else text


def without_blank_lines(text: str) -> str:
    r"""Return ``text`` with its lines right under one another, as a paragraph has them.

    >>> without_blank_lines("a\n \n\nb")
    'a\nb'
    """
    return _BLANK_LINES.sub("\n", text) if "\n" in text else text


def visible(text: str) -> str:
    r"""Return ``text`` with its invisible characters in forms that are seen, lines ended by ``\n``.

    For terminals and messages: the forms are those of renderings, but a text that has such a form
    itself keeps it, so that nothing changes a second time.

    >>> visible("a\x1b[31mb\u200b\r\nc")
    'a␛[31mb⟦U+200B⟧\nc'
    """
    return shown_invisible(_LINE_ENDS.sub("\n", text) if "\r" in text else text)


def paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a text, each with its line breaks, white space at edges dropped.

    >>> paragraphs("a\n  b\n\n\nc")
    ['a\nb', 'c']
    """
    parts = _PARTED.split(_LINE_ENDS.sub("\n", text).strip("\n"))
    return [kept for part in parts if (kept := _LINE_EDGES.sub("\n", part.strip(" \t\n")))]


# The width of a text where every character has one or two columns, as in a terminal.

_JOINER, _EMOJI_STYLE = "\u200d", "\ufe0f"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))


def width(text: str) -> int:
    r"""Return the columns of a text in one line: East Asian wide characters and emoji take two.

    What combines with the character before it takes none; an emoji of several characters is one.

    >>> width("abc"), width("日本"), width("e\u0301"), width("👩\u200d🔬")
    (3, 4, 1, 2)
    """
    if text.isascii():
        return len(text)
    columns = last = 0
    before = ""
    for character in text:
        if character == _EMOJI_STYLE:  # what it follows is shown as an emoji
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
