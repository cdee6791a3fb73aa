"""Classes of characters and what windows of four cost: the tables behind the estimate, as ``make weights`` prints them.

They are fitted to where o200k begins tokens in some 4,800 texts of 160 kinds: what agents read, made of the files of
wheels (calls, results, paths, logs, diffs, answers, HUDs), and the messages of Django, Plone and pycountry in
some 110 languages. No recorded session is among them. docs/look-up/tokens.md has the errors on other texts.
"""

from __future__ import annotations

FIRST_CLASSES = (
    "fffffffff8cfffffffffffffffcfffffeccdfdcfccfdcdcd2222222222ccdcc1"
    "888888888888888888888888888ccfccf0776a76597ba76b77566375557fdfcf"
    "ffffffffffffffffffffffffffffffffefffffffff16fffffffff1feff1effff"
    "11118711111111111111118f1111717511151111119111181181988f111e11c1"
)
"""Of each character of Latin-1 the class as the first or the third of a window, as a hexadecimal digit."""

SECOND_CLASSES = (
    "cccccccccfaccccccccccccccccccccc9cc6c1ccccc8ccc52222222222cccfc1"
    "288888888888888888888888688cacccc44464426462746466867448662ccccc"
    "cccccccccccccccccccccccccccccccc6ccccccccc11ccccccccc1c6cc1ccccc"
    "1111221111111111111111cc1111a1ca14161211464671672817417c166a4711"
)
"""The same as the second or the fourth."""

FIRST_PAIRS = (
    "0c30242721d0400103c06f33c1f0f0000ee0646681d0b0050c30812281d04005"
    "00000000000000000c706a7a01d040090c30696621d040040ce0642221d0400d"
    "0ca0626681d050050c30222671d040010ca0692771d040040930648721d04004"
    "09302b6681d0f0040ee02fa791d0f00f0b300f0005d0f0050c306f6801d0f00f"
)
"""Of each pair of classes, the first times 16 and the second, the class as the first half of a window."""

SECOND_PAIRS = (
    "005051a3522020020490999999b090000cc0cbccccc0c00103a0123512206005"
    "000000000000000002402a3202a0100202502022422020020650505452502002"
    "08808887852050020060105a5030200a02502022200020020250101532002002"
    "0ee0edeeeee0e00d0de0ddded0d0b00e0ff0fffff7f0f00f0dd0b7b0bdd0d00e"
)
"""The same as its second half."""

# fmt: off
WINDOW_WEIGHTS: tuple[int, ...] = (
     11,   0,   0,   0,   5,  31,  11,  38,   1,   0,   1,  97, 100, 100, 100, 100,
      9,  14,   0,   0,   0,   7,   0,   0,   0,   5,   0,   2, 100,   0,   0, 100,
      0,   0,   0,  14,   7,  40,  58,  84, 100,  69,   0,  90, 100,  81,  74,  63,
      5,  69,  35,  50,  20,  84,  38,  96,  85,  60,  42,  35,  17,  92,  83,  61,
     21,  21,   9,   2,  17,   1,   1,  98,   8,  48,   0,  41,  91,   5,   1,  98,
      0,   0,   0,   5,  20,   0,  21,   0,   0,   0,   7,   0, 100,   7,   6,  89,
      0,   2,   3,   1,   0,  18,  39, 100, 100,  68,  19,  75, 100,  86,  75,  90,
     23,  11,  23,  13,  17,  65,  62,  85, 100,  79,  98,  90,  84,  90,  87,  88,
      6,  55,   0,  21,  82,  30,  24,  98,  27,  66,  21,  84, 100, 100,  82,  61,
     11,  94,   0,   0,  48,  21,  11,  83,  57,  40,  71, 100, 100,  10,  28,  97,
      6,  37,  28,  90,  23,  78,  34, 100, 100,  71,  68,  61,  27,  72,  93,  81,
     23,  69,  50,  11,  14,  34,  32,  96,  96,   0,  40,  85, 100,  28,  34,  91,
      2,  48,   0,  51,  34,  53,  33,  45,  17,  39,  60,  38,  64,  55,  63, 100,
     88,  87,  86,  90,  92,  89,  57,  84, 100, 100,  47,  96,  96,  76,  16,  89,
     94,   8,  79,  71,  75,  96,  23,  98, 100,  38,  12,  78,  28,  99,  83, 100,
     29, 100,  92,  97,  96, 100,  82, 100,  87,  99,  94,  15,  98,  11,   6, 100,
)
# fmt: on
"""What a window costs, in hundredths of a token: a line for each class of its first half."""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "Latin-1, which has a table of its own"),
    (0x0100, 26, "Latin Extended-A and -B"),
    (0x0200, 55, "Latin Extended-B, IPA"),
    (0x0300, 6, "Greek, combining marks"),
    (0x0400, 0, "Cyrillic"),
    (0x0500, 6, "Armenian, Hebrew"),
    (0x0600, 1, "Arabic"),
    (0x0700, 136, "Syriac, Thaana, N'Ko"),
    (0x0800, 65, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 5, "Devanagari, Bengali"),
    (0x0A00, 33, "Gurmukhi"),
    (0x0A80, 15, "Gujarati"),
    (0x0B00, 55, "Oriya"),
    (0x0B80, 6, "Tamil"),
    (0x0C00, 14, "Telugu, Kannada"),
    (0x0D00, 7, "Malayalam"),
    (0x0D80, 24, "Sinhala"),
    (0x0E00, 15, "Thai"),
    (0x0E80, 122, "Lao"),
    (0x0F00, 65, "Tibetan"),
    (0x1000, 25, "Myanmar"),
    (0x1080, 5, "Georgian"),
    (0x1100, 65, "Hangul Jamo"),
    (0x1200, 137, "Ethiopic"),
    (0x1380, 65, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 65, "Philippine scripts"),
    (0x1780, 33, "Khmer"),
    (0x1800, 65, "Mongolian and other scripts"),
    (0x1E00, 225, "Latin Extended Additional"),
    (0x1E80, 0, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 65, "Greek Extended"),
    (0x2000, 43, "Punctuation, currency"),
    (0x2100, 65, "Letterlike symbols, numbers"),
    (0x2180, 34, "Arrows"),
    (0x2200, 2, "Mathematical operators"),
    (0x2300, 164, "Technical symbols, enclosed letters"),
    (0x2500, 30, "Box drawing"),
    (0x2580, 29, "Block elements, shapes"),
    (0x2600, 26, "Symbols, dingbats"),
    (0x2780, 65, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 65, "Scripts and radicals"),
    (0x3000, 41, "CJK punctuation, Hiragana, Katakana"),
    (0x3100, 65, "Bopomofo, enclosed CJK"),
    (0x3400, 65, "CJK Extension A"),
    (0x4E00, 44, "CJK"),
    (0xA000, 65, "Yi and other scripts"),
    (0xAC00, 23, "Hangul"),
    (0xD800, 199, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 65, "Private use"),
    (0xF900, 65, "Compatibility forms"),
    (0xFE00, 164, "Variation selectors, forms"),
    (0xFF00, 151, "Full-width and half-width forms"),
)
"""What every character beyond Latin-1 costs beside its window, from the one that is named up to the next line's.

A block begins where a page of 256 characters does, or its second half.
"""
