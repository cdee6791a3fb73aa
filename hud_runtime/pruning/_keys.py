"""The lines that always stay: errors, their places, and totals.

Each pattern looks at a line once, and nowhere for longer than at :data:`LOOKED_AT` characters of it.
"""

from __future__ import annotations

import re

ERRORS = re.compile(
    r"[Ee]rrors?\b|ERRORS?\b|\bERR!|[a-z]Exception\b|\bException\b|\bEXCEPTION\b|\b[Ff]ail(?:ed|ure|ures|s|ing)?\b|\bFAIL(?:ED|URE)?\b"
    r"|\b[Pp]anic(?:ked)?\b|\bFATAL\b|\b[Ff]atal\b|\bCRITICAL\b|\bSEVERE\b|\bTraceback\b|\bCaused by\b|\bdenied\b|\brefused\b"
    r"|\b[Cc]annot\b|\b[Cc]an't\b|\b[Cc]ould ?n(?:ot|'t)\b|\b[Uu]nable to\b|\bnot found\b|\b[Nn]o such\b|\b[Uu]ndefined\b|\b[Uu]nresolved\b"
    r"|\b[Uu]nexpected\b|\bAssert|\bassert |\b[Aa]borted\b|\b[Tt]imed out\b|\b[Kk]illed\b|\bsegfault|[Ss]egmentation fault|\bcore dumped\b"
    r"|\bCONFLICT\b|\b[Ii]nvalid\b|\b[Mm]issing\b|✕|✗|✘|❌|\bexit(?:ed)?(?: with)?(?: code| status)?:? *[1-9]"
)
"""Words of an error."""

ALARMS = re.compile(
    r"(?:FAIL(?:ED|URE)?|FATAL|ERROR|CRITICAL|PANIC|ABORTED|KILLED|Killed|Aborted|Terminated)(?:[\s:!]|$)"
    r"|(?:panic|fatal|FATAL ERROR|fatal error|Fatal error|Unhandled [\w ]{1,30}): |(?:Segmentation|Bus) (?:fault|error)|Error from server"
    r"|Traceback \(most recent call last\)|thread '[^'\n]{1,80}' panicked|[\w./-]{1,40}: (?:fatal|error|cannot|can't|unable to)\b"
)
"""The beginnings of a program's own last words, whatever it printed before."""

STEMS = (
    "error", "err!", "exception", "fail", "panic", "fatal", "critical", "severe", "traceback", "caused by", "denied",
    "refused", "cannot", "can't", "could", "unable", "not found", "no such", "undefined", "unresolved", "unexpected",
    "assert", "aborted", "timed out", "killed", "seg", "core dumped", "conflict", "invalid", "missing", "exit", "✕", "✗",
    "✘", "❌",
)  # fmt: skip
"""One of them is in each of these words: to look for them takes a tenth of the time."""

NO_ERROR = re.compile(
    r"^\W*(?:no|0|zero) (?:errors?|failures?|failed|issues)\b|\b(?:error|fail(?:ure|ed|ures)?|err|errors)\"?[:=] ?(?:0|null|false|none|nil|\"\"|\[\])(?=[\s,;)}]|$)",
    re.IGNORECASE,
)
"""What says that there is none."""

PLACES = re.compile(
    r"^\s*(?:-->|::: |at line \d|on line \d|line \d+,? col)|\.[A-Za-z]\w{0,4}(?::\d+:\d+|\(\d+[,:]\d+\)|:\d+): "
)
"""Where an error is: ``--> src/main.rs:3:5``, ``a.py:12: …``, ``a.ts(3,4): …``."""

SUMMARIES = re.compile(
    r"^(?:=+ [^\n]*\b(?:passed|failed|errors?|skipped|warnings?|no tests ran|short test summary info)\b|\s*(?:Tests?|Test Suites?|Test Files|Snapshots|Suites):? +\d|test result: "
    r"|Ran \d+ tests?|(?:OK|PASS|FAIL|FAILED|BUILD|DONE|SUCCESS)\b|(?:ok|FAIL|---) +\S|\s*Finished\b|Successfully |[Ff]ound \d+ |\W*\d+ (?:passed|failed|passing|failing|problems?|errors?|warnings?|issues?|"
    r"files? (?:changed|scanned|checked)|director(?:y|ies)|examples?|tests?|vulnerabilit)|[Tt]otal:? \d|added \d+ packages|Done in |All (?:checks|tests|files)|Success[:!]"
    r"|[^\n]{0,60}?\bexit(?:ed)?(?: with)?(?: code| status)?:? *\d|real\s+\d|INFO: Build completed|\d+% tests passed|coverage|TOTAL\b)",
    re.IGNORECASE,
)
"""What sums up."""

LOOKED_AT = 2_000
"""Characters of a line that are looked at."""

_VARYING = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\b|\b0x[\da-fA-F]+\b"
    r"|\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b|\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|sec|seconds)\b|\[\d+\]"
)
"""What differs in an error that comes again: times, addresses, ids of requests, how long it took."""


def same_error(line: str) -> str:
    """Return an error without what differs when the same one comes again.

    >>> same_error("10:00:01 refused: db:5432 (12 ms)") == same_error("10:00:02 refused: db:5432 (9 ms)")
    True
    """
    return _VARYING.sub("#", line[:LOOKED_AT]).strip()


def is_error(line: str) -> bool:
    """Tell whether a line has the words of an error.

    >>> [is_error(each) for each in ("ValueError: x", "0 errors", "done")]
    [True, False, False]
    """
    low = line[:LOOKED_AT].lower()
    return (
        any(each in low for each in STEMS)
        and ERRORS.search(line, 0, LOOKED_AT) is not None
        and NO_ERROR.search(line, 0, LOOKED_AT) is None
    )
