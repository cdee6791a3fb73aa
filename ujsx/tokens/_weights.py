"""What characters cost: the two tables behind the estimate, in hundredths of a token.

They are fitted to what o200k counts (``make weights``, November 2026): least squares of the relative errors
over 1,988 texts of 129 kinds, 200 to 4,000 characters each. The texts are the messages of Django, Plone and
pycountry in some 110 languages, source code, Markdown, HUDs, and what is made by rules: JSON, logs, CSV, digests,
paths. A kind of text weighs the same however much there is of it, and what many people write six times
as much as the rest. docs/look-up/tokens.md has the errors on other texts.
"""

from __future__ import annotations

# fmt: off
ASCII_WEIGHTS: tuple[int, ...] = (
     55,  55,  55,  55,  55,  55,  55,  55,  55,  50,  49,  55,  55,  55,  55,  55,
     55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,  55,
     51,  25,  64,  54, 169,  26,  25,  93,  68,  65,  25, 255,  31,  42,  26,  81,  #  !"#$%&'()*+,-./
    160, 160, 160, 169, 160, 190, 160, 160, 200, 178,  25, 107,  37,  77,  93, 125,  # 0123456789:;<=>?
     73,  15,  15,  15,  56,  15,  35,  15, 141,  15, 230, 141,  15,  69,  15,  15,  # @ABCDEFGHIJKLMNO
     15, 193,  15,  15,  15,  15, 232,  15, 152,  25, 204,  64,  25,  78,  56,  32,  # PQRSTUVWXYZ[\]^_
     57,  31,  16,   8,   8,   8,  71,   8,   8,  16, 136,  61,  42,   8,   8,   8,  # `abcdefghijklmno
      8,   8,   8,   8,  13,   8,  54,  27,  43,  28,  96,  25,  25,  25,  25,  55,  # pqrstuvwxyz{|}~
)
# fmt: on
"""What each ASCII character costs, sixteen in a line.

A letter that is seldom the first of a token costs little, and takes part in the cost of those that are: only
their sum over a text means something. 55 is a guess, where no text said anything.
"""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "ASCII, which has a table of its own"),
    (0x0080, 59, "Latin-1 Supplement"),
    (0x0100, 65, "Latin Extended-A"),
    (0x0180, 74, "Latin Extended-B"),
    (0x0280, 125, "IPA and modifiers"),
    (0x0300, 101, "Combining marks"),
    (0x0380, 38, "Greek and Coptic"),
    (0x0400, 31, "Cyrillic"),
    (0x0480, 163, "Cyrillic, historic and of other languages"),
    (0x0500, 35, "Armenian"),
    (0x0580, 44, "Hebrew"),
    (0x0600, 33, "Arabic"),
    (0x0680, 71, "Arabic of other languages"),
    (0x0700, 100, "Syriac"),
    (0x0780, 166, "Thaana and N'Ko"),
    (0x0800, 100, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 38, "Devanagari"),
    (0x0980, 41, "Bengali"),
    (0x0A00, 72, "Gurmukhi"),
    (0x0A80, 51, "Gujarati"),
    (0x0B00, 94, "Oriya"),
    (0x0B80, 35, "Tamil"),
    (0x0C00, 46, "Telugu"),
    (0x0C80, 40, "Kannada"),
    (0x0D00, 37, "Malayalam"),
    (0x0D80, 57, "Sinhala"),
    (0x0E00, 39, "Thai"),
    (0x0E80, 158, "Lao"),
    (0x0F00, 100, "Tibetan"),
    (0x1000, 51, "Myanmar"),
    (0x1080, 36, "Georgian"),
    (0x1100, 100, "Hangul Jamo"),
    (0x1200, 182, "Ethiopic"),
    (0x1380, 100, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 100, "Philippine scripts"),
    (0x1780, 58, "Khmer"),
    (0x1800, 100, "Mongolian and other scripts"),
    (0x1E00, 255, "Latin Extended Additional"),
    (0x1E80, 15, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 100, "Greek Extended"),
    (0x2000, 76, "Punctuation"),
    (0x2080, 100, "Subscripts, currency"),
    (0x2100, 100, "Letterlike symbols, numbers"),
    (0x2180, 136, "Arrows"),
    (0x2200, 101, "Mathematical operators"),
    (0x2300, 99, "Technical symbols, enclosed letters"),
    (0x2500, 63, "Box drawing"),
    (0x2580, 137, "Block elements, shapes"),
    (0x2600, 152, "Symbols, dingbats"),
    (0x2780, 100, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 100, "Scripts and radicals"),
    (0x3000, 35, "CJK punctuation, Hiragana"),
    (0x3080, 87, "Hiragana, Katakana"),
    (0x3100, 100, "Bopomofo, enclosed CJK"),
    (0x3400, 100, "CJK Extension A"),
    (0x4E00, 83, "CJK"),
    (0xA000, 100, "Yi and other scripts"),
    (0xAC00, 64, "Hangul"),
    (0xD800, 255, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 100, "Private use"),
    (0xF900, 100, "Compatibility forms"),
    (0xFE00, 102, "Variation selectors, forms"),
    (0xFF00, 71, "Full-width and half-width forms"),
)
"""What every other character costs, from the one that is named up to the next line's.

A block begins at a multiple of 128. 100 is a guess, where no text said anything.
"""

DISCOUNTS: dict[str, int] = {"digit": 150, "space": 50}
"""What a digit costs less behind a digit, and a space behind a space: both are taken together in threes and more."""
