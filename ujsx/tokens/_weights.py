"""What characters cost: the two tables behind the estimate, in hundredths of a token.

They are fitted to what o200k counts (``make weights``, November 2026): least squares of the relative errors
over 1,994 texts of 130 kinds, 200 to 4,000 characters each. The texts are the messages of Django, Plone and
pycountry in some 110 languages, source code, Markdown, HUDs, and what is made by rules: JSON, logs, CSV, digests,
paths. A kind of text weighs the same however much there is of it, and what many people write six times
as much as the rest. docs/look-up/tokens.md has the errors on other texts.
"""

from __future__ import annotations

# fmt: off
LATIN_WEIGHTS: tuple[int, ...] = (
     55,  55,  55,  55,  55,  55,  55,  55,  55,  50,  53,  55,  55,  55,  55,  55,
     55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,
     51,  25,  66,  25, 182,  25,  25, 112,  81,  67,  25, 249,  25,  39,  33,  85,  #  !"#$%&'()*+,-./
    160, 160, 160, 160, 160, 195, 160, 160, 194, 183,  25, 107,  39,  70,  95, 135,  # 0123456789:;<=>?
     72,  15,  15,  15,  45,  15,  25,  20, 143,  15, 238, 178,  15,  48,  15,  15,  # @ABCDEFGHIJKLMNO
     15, 197,  15,  15,  15,  15, 205,  15, 188,  34, 188,  78,  25,  90,  56,  36,  # PQRSTUVWXYZ[\]^_
     62,  33,  35,   8,   8,   8,  60,   8,   8,  17, 123,  43,  36,   8,   8,   8,  # `abcdefghijklmno
      8,   8,   8,   8,   9,   8,  33,  34,  53,  28, 118,  25,  25,  25,  25,  55,  # pqrstuvwxyz{|}~
     60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,
     60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,
     47,  56,  60,  60,  60,  60,  60,  60,  60,  60,  62,  40,  60,  60,  60,  60,
     60,  60,  60,  60,  60,  73,  60,  99,  60,  60,  60,  35,  60,  61,  60,  53,  # °±²³´µ¶·¸¹º»¼½¾¿
     60,  69,  60,  62,  39, 116,  60,  59,  63,  70,  60,  60,  60,  71,  68,  60,  # ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ
     60,  60,  60,  61,  60,  60,  62,  62,  60,  60,  69,  60,  55,  69,  61,  30,  # ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß
     30,  57, 160,  30, 116, 160, 160,  30, 160,  37,  30,  95,  79, 137, 160,  73,  # àáâãäåæçèéêëìíîï
    101,  72, 106,  30,  30,  30,  30,  60, 160, 113,  46, 142,  30,  82,  71,  60,  # ðñòóôõö÷øùúûüýþÿ
)
# fmt: on
"""What each character of Latin-1 costs, sixteen in a line.

A letter that is seldom the first of a token costs little, and takes part in the cost of those that are: only
their sum over a text means something. 55 and 60 are guesses, where no text said anything.
"""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "Latin-1, which has a table of its own"),
    (0x0100, 62, "Latin Extended-A and -B"),
    (0x0200, 121, "Latin Extended-B, IPA"),
    (0x0300, 38, "Greek, combining marks"),
    (0x0400, 32, "Cyrillic"),
    (0x0500, 40, "Armenian, Hebrew"),
    (0x0600, 36, "Arabic"),
    (0x0700, 166, "Syriac, Thaana, N'Ko"),
    (0x0800, 100, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 39, "Devanagari, Bengali"),
    (0x0A00, 71, "Gurmukhi"),
    (0x0A80, 51, "Gujarati"),
    (0x0B00, 94, "Oriya"),
    (0x0B80, 35, "Tamil"),
    (0x0C00, 45, "Telugu, Kannada"),
    (0x0D00, 36, "Malayalam"),
    (0x0D80, 56, "Sinhala"),
    (0x0E00, 38, "Thai"),
    (0x0E80, 158, "Lao"),
    (0x0F00, 100, "Tibetan"),
    (0x1000, 51, "Myanmar"),
    (0x1080, 35, "Georgian"),
    (0x1100, 100, "Hangul Jamo"),
    (0x1200, 181, "Ethiopic"),
    (0x1380, 100, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 100, "Philippine scripts"),
    (0x1780, 58, "Khmer"),
    (0x1800, 100, "Mongolian and other scripts"),
    (0x1E00, 255, "Latin Extended Additional"),
    (0x1E80, 15, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 100, "Greek Extended"),
    (0x2000, 99, "Punctuation, currency"),
    (0x2100, 100, "Letterlike symbols, numbers"),
    (0x2180, 131, "Arrows"),
    (0x2200, 101, "Mathematical operators"),
    (0x2300, 99, "Technical symbols, enclosed letters"),
    (0x2500, 63, "Box drawing"),
    (0x2580, 136, "Block elements, shapes"),
    (0x2600, 147, "Symbols, dingbats"),
    (0x2780, 100, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 100, "Scripts and radicals"),
    (0x3000, 64, "CJK punctuation, Hiragana, Katakana"),
    (0x3100, 100, "Bopomofo, enclosed CJK"),
    (0x3400, 100, "CJK Extension A"),
    (0x4E00, 72, "CJK"),
    (0xA000, 100, "Yi and other scripts"),
    (0xAC00, 63, "Hangul"),
    (0xD800, 247, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 100, "Private use"),
    (0xF900, 100, "Compatibility forms"),
    (0xFE00, 96, "Variation selectors, forms"),
    (0xFF00, 96, "Full-width and half-width forms"),
)
"""What every other character costs, from the one that is named up to the next line's.

A block begins where a page of 256 characters does, or its second half. 100 is a guess, where no text said
anything.
"""

DISCOUNTS: dict[str, int] = {"digit": 150, "space": 50}
"""What a digit costs less behind a digit, and a space behind a space: tokens hold several of them."""
