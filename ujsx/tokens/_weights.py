"""Classes of characters, and what windows of four cost: the tables behind the estimate, as ``make weights`` prints them.

They are fitted to where o200k begins tokens (November 2026) in some 5,900 texts of 170 kinds: what agents read, made of the
files of wheels (calls, results, paths, logs, diffs, answers, HUDs), the messages of Django, Plone and pycountry in some
110 languages, and every other one of some recorded sessions. docs/look-up/tokens.md has the errors on other texts.
"""

from __future__ import annotations

FIRST_CLASSES = (
    "fffffffff8cffcffffffffffffffffffefcffffcffffffff2222222222fffff1"
    "888888888888888888888888888ffffff9777a766490676567666377707fffff"
    "ffffffffffffffffffffffffffffffffefffffffff17fffffffff1ffff1effff"
    "11116711111111111111111f1111717231131111314111f81481511f181e11c1"
)
"""Of each character of Latin-1 the class as the first or the third of a window, as a hexadecimal digit."""

SECOND_CLASSES = (
    "fffffffff40ff0ffffffffffffffffff9ffffbfffff8fbef2222222222fffbf1"
    "288888888888888888888888782f0ffef47744767476274474246474777fffff"
    "ffffffffffffffffffffffffffffffff4fffffffff1bfffffffff1f4ff1fffff"
    "11110211111111111111111f111101b724f712114146416f62f4421f14201111"
)
"""The same as the second or the fourth."""

FIRST_PAIRS = (
    "d720509316040008d490b094100e00fedcc0103a70040008d75030ab40060006"
    "f750303340030008d75030bb40040008d72030b360000008d72030a340060008"
    "d72030a396000008d720303b40060008d75050b3600600080000000000000000"
    "dc201033460e00ee0000000000000000d7201011160f00ffde2030ba400f00ff"
)
"""Of each pair of classes, the first times 16 and the second, the class as the first half of a window."""

SECOND_PAIRS = (
    "1050401251010011d880608666090066ccc0c0cccc0d00cc1050000431060071"
    "1100104651010011110010015101001111501011510400110030505531030000"
    "2090909982020028123070265101001111202041110100110000000000000000"
    "bbb0b0bbbb0b00bb0000000000000000fff0f0fff80f00ffeee0e0eeae0e00ea"
)
"""The same as its second half."""

# fmt: off
WINDOW_WEIGHTS: tuple[int, ...] = (
      7,   0,  14,   0,  27,   0,   0,   4,   0,   2,  15,   4, 100,  88,   0, 100,
      7,   0,  23,  28,  22,  12,   0,  12,   6,  58,  93,  41, 100,  75, 100, 100,
     19,  10,   0, 100,  17,  90,  10,  21, 100, 100, 100, 100,  18,   1,  94, 100,
     11,   0,   5,  28,  45,   0,  50,  42, 100,  98,  85,  97, 100,  73,  79,  84,
     13,   0,   7,  32,  11,  13,  36,  15,  22,  64,   4,  46, 100,  36,  91,  74,
     14,  11,  17,  10,  27,  26,  39,  97,  93,  94,  97,  94,  20,  42,  82,  93,
      0,   0,   0,   5,   2,   0,   0,   0,   0,  21,   9,  14,  90,   0,   4, 100,
     21,  34,  58,  51,  66,  65,   1,  56,  21,  62,  94,  37, 100,  38,  94,  88,
     17,  15,  86,  76,  76,  20,  15,  44,  93,  55,   0,   0,  94,  29,   0,  95,
     45,  72,   5,  76,  66,  91,  54,  42,   5,  88,  97, 100, 100,  34,  98,  87,
      3,  11,  18,  18,  65,  49,  22,  15, 100, 100,  98,  93, 100,  85, 100,  83,
     86,  28,  15,  31,  45,   9,  47,  30,  96,  81,  98,  88,  98,  63,  82,  55,
     83,  93,  90, 100,  47, 100,  40,  86,  74,  98,  97, 100,  29,  62,  84,  87,
     97,  61, 100,  98,  69,  78, 100,  95,  72, 100,  89,   5,  95,  30,  76,  92,
     29,  47,  50,  72,  63,  59,  62,  74,  80,  95,   0,   1,  98,  29,  15,  85,
    100, 100, 100, 100,  99, 100, 100, 100, 100,  83,  40,   4, 100,  57,   6,  90,
)
# fmt: on
"""The weights of windows, in hundredths of a token: a line for each class of its first half."""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "Latin-1, which has a table of its own"),
    (0x0100, 53, "Latin Extended-A and -B"),
    (0x0200, 50, "Latin Extended-B, IPA"),
    (0x0300, 85, "Combining marks"),
    (0x0380, 5, "Greek"),
    (0x0400, 0, "Cyrillic"),
    (0x0500, 5, "Armenian, Hebrew"),
    (0x0600, 1, "Arabic"),
    (0x0700, 137, "Syriac, Thaana, N'Ko"),
    (0x0800, 215, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 4, "Devanagari, Bengali"),
    (0x0A00, 32, "Gurmukhi"),
    (0x0A80, 16, "Gujarati"),
    (0x0B00, 57, "Oriya"),
    (0x0B80, 5, "Tamil"),
    (0x0C00, 14, "Telugu, Kannada"),
    (0x0D00, 6, "Malayalam"),
    (0x0D80, 25, "Sinhala"),
    (0x0E00, 14, "Thai"),
    (0x0E80, 124, "Lao"),
    (0x0F00, 215, "Tibetan"),
    (0x1000, 25, "Myanmar"),
    (0x1080, 4, "Georgian"),
    (0x1100, 215, "Hangul Jamo"),
    (0x1200, 142, "Ethiopic"),
    (0x1380, 215, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 215, "Philippine scripts"),
    (0x1780, 31, "Khmer"),
    (0x1800, 215, "Mongolian and other scripts"),
    (0x1E00, 231, "Latin Extended Additional"),
    (0x1E80, 0, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 215, "Greek Extended"),
    (0x2000, 33, "Punctuation, currency"),
    (0x2100, 215, "Letterlike symbols, numbers"),
    (0x2180, 28, "Arrows"),
    (0x2200, 215, "Mathematical operators"),
    (0x2300, 164, "Technical symbols, enclosed letters"),
    (0x2500, 28, "Box drawing"),
    (0x2580, 32, "Block elements, shapes"),
    (0x2600, 41, "Symbols, dingbats"),
    (0x2780, 215, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 215, "Scripts and radicals"),
    (0x3000, 41, "CJK punctuation, Hiragana, Katakana"),
    (0x3100, 215, "Bopomofo, enclosed CJK"),
    (0x3400, 215, "CJK Extension A"),
    (0x4E00, 40, "CJK"),
    (0xA000, 215, "Yi and other scripts"),
    (0xAC00, 25, "Hangul"),
    (0xD800, 136, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 215, "Private use"),
    (0xF900, 215, "Compatibility forms"),
    (0xFE00, 147, "Variation selectors, forms"),
    (0xFF00, 181, "Full-width and half-width forms"),
)
"""The weights of characters beyond Latin-1 beside their window, from the one that is named up to the next line's.

A block begins where a page of 256 characters does, or its second half.
"""
