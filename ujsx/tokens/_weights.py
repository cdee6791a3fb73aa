"""What characters cost: the two tables behind the estimate, in hundredths of a token.

They are fitted to what o200k counts (``make weights``, November 2026): least squares of the relative errors
over 1,988 texts of 129 kinds, 200 to 4,000 characters each. The texts are the messages of Django, Plone and
pycountry in some 110 languages, source code, Markdown, HUDs, and what is made by rules: JSON, logs, CSV, digests,
paths. A kind of text weighs the same however much there is of it, and what many people write six times
as much as the rest. docs/look-up/tokens.md has the errors on other texts.
"""

from __future__ import annotations

# fmt: off
LATIN_WEIGHTS: tuple[int, ...] = (
     55,  55,  55,  55,  55,  55,  55,  55,  55,  50,  49,  55,  55,  55,  55,  55,
     55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,
     51,  25,  67,  64, 165,  29,  25, 106,  82,  64,  25, 255,  25,  40,  35,  86,  #  !"#$%&'()*+,-./
    160, 160, 160, 164, 160, 196, 160, 160, 194, 178,  25, 111,  33,  70,  87, 139,  # 0123456789:;<=>?
     67,  15,  15,  15,  48,  15,  34,  16, 140,  15, 230, 177,  15,  47,  15,  15,  # @ABCDEFGHIJKLMNO
     15, 205,  15,  15,  15,  15, 218,  15, 166,  45, 184,  68,  25,  78,  56,  34,  # PQRSTUVWXYZ[\]^_
     72,  34,  34,   8,   8,   8,  62,   8,   8,  17, 123,  44,  35,   8,   8,   8,  # `abcdefghijklmno
      8,   8,   8,   8,   8,   8,  33,  36,  47,  20, 119,  25,  25,  25,  25,  55,  # pqrstuvwxyz{|}~
     60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,
     60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,  60,
     47,  57,  60,  60,  60,  60,  60,  60,  60,  60,  62,  41,  60,  60,  60,  60,
     60,  60,  60,  60,  60,  72,  60,  98,  60,  60,  60,  36,  60,  61,  60,  53,  # °±²³´µ¶·¸¹º»¼½¾¿
     60,  70,  60,  62,  39, 117,  60,  59,  64,  70,  60,  60,  60,  71,  68,  60,  # ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ
     60,  60,  60,  61,  60,  60,  63,  61,  60,  60,  70,  60,  55,  70,  61,  30,  # ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß
     30,  59, 160,  30, 119, 160, 160,  30, 160,  39,  30,  96,  81, 135, 160,  74,  # àáâãäåæçèéêëìíîï
    102,  73, 107,  30,  30,  30,  30,  60, 160, 115,  45, 143,  30,  90,  70,  60,  # ðñòóôõö÷øùúûüýþÿ
)
# fmt: on
"""What each character of Latin-1 costs, sixteen in a line.

A letter that is seldom the first of a token costs little, and takes part in the cost of those that are: only
their sum over a text means something. 55 and 60 are guesses, where no text said anything.
"""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "Latin-1, which has a table of its own"),
    (0x0100, 64, "Latin Extended-A and -B"),
    (0x0200, 122, "Latin Extended-B, IPA"),
    (0x0300, 38, "Greek, combining marks"),
    (0x0400, 32, "Cyrillic"),
    (0x0500, 40, "Armenian, Hebrew"),
    (0x0600, 36, "Arabic"),
    (0x0700, 166, "Syriac, Thaana, N'Ko"),
    (0x0800, 100, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 37, "Devanagari"),
    (0x0980, 41, "Bengali"),
    (0x0A00, 71, "Gurmukhi"),
    (0x0A80, 51, "Gujarati"),
    (0x0B00, 94, "Oriya"),
    (0x0B80, 35, "Tamil"),
    (0x0C00, 45, "Telugu"),
    (0x0C80, 40, "Kannada"),
    (0x0D00, 36, "Malayalam"),
    (0x0D80, 56, "Sinhala"),
    (0x0E00, 39, "Thai"),
    (0x0E80, 158, "Lao"),
    (0x0F00, 100, "Tibetan"),
    (0x1000, 51, "Myanmar"),
    (0x1080, 35, "Georgian"),
    (0x1100, 100, "Hangul Jamo"),
    (0x1200, 182, "Ethiopic"),
    (0x1380, 100, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 100, "Philippine scripts"),
    (0x1780, 58, "Khmer"),
    (0x1800, 100, "Mongolian and other scripts"),
    (0x1E00, 255, "Latin Extended Additional"),
    (0x1E80, 15, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 100, "Greek Extended"),
    (0x2000, 94, "Punctuation, currency"),
    (0x2100, 100, "Letterlike symbols, numbers"),
    (0x2180, 132, "Arrows"),
    (0x2200, 101, "Mathematical operators"),
    (0x2300, 99, "Technical symbols, enclosed letters"),
    (0x2500, 63, "Box drawing"),
    (0x2580, 136, "Block elements, shapes"),
    (0x2600, 146, "Symbols, dingbats"),
    (0x2780, 100, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 100, "Scripts and radicals"),
    (0x3000, 33, "CJK punctuation, Hiragana"),
    (0x3080, 89, "Hiragana, Katakana"),
    (0x3100, 100, "Bopomofo, enclosed CJK"),
    (0x3400, 100, "CJK Extension A"),
    (0x4E00, 83, "CJK"),
    (0xA000, 100, "Yi and other scripts"),
    (0xAC00, 63, "Hangul"),
    (0xD800, 245, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 100, "Private use"),
    (0xF900, 100, "Compatibility forms"),
    (0xFE00, 96, "Variation selectors, forms"),
    (0xFF00, 74, "Full-width and half-width forms"),
)
"""What every other character costs, from the one that is named up to the next line's.

A block begins where a page of 256 characters does, or its second half. 100 is a guess, where no text said
anything.
"""

DISCOUNTS: dict[str, int] = {"digit": 150, "space": 50}
"""What a digit costs less behind a digit, and a space behind a space: tokens hold several of them."""
