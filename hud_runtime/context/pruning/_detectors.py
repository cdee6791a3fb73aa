"""Kinds of output, and the lines that always stay."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hud_runtime._errors import PruningError
from hud_runtime.context.pruning._output import ORDER, ModeName, ToolOutput
from hud_runtime.observe._checks import CheckKind
from ujsx.errors import did_you_mean, shown

# The lines that always stay: errors, their places, and totals.
#
# Each pattern looks at a line once, and nowhere for longer than at :data:`LOOKED_AT` characters of it.

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


Lines: TypeAlias = Sequence[str]

SAMPLE = 200
"""Lines at each end by which an output's kind is known."""

FEWEST = 5
"""Lines that tell what kind an output is; of fewer only the tool's name does."""


@dataclass(frozen=True, slots=True)
class Detector:
    r"""A kind of output.

    :raises PruningError: for a mode that is none, a share that is no part of one, and a pattern that is not compiled.

    >>> import re
    >>> Detector("queue", line=re.compile(r"job \d+ "), dull=re.compile(r"job \d+ done$")).name
    'queue'
    """

    name: str
    tools: frozenset[str] = frozenset()
    """Tools whose answers these are, in lower case and without a server's prefix."""
    programs: frozenset[str] = frozenset()
    """Programs of a shell whose output this is: "ls", "git status"."""
    checks: frozenset[CheckKind] = frozenset()
    """The kinds of checks whose output this is."""
    line: re.Pattern[str] | None = None
    """How its lines look, searched for in each."""
    share: float = 0.6
    """The part of the lines that must look so where no name tells."""
    suffixes: frozenset[str] | None = None
    """The suffixes of the files that such a call names, where that counts."""
    has_errors: bool = True
    """Whether a line with the words of an error tells of one; a list of files, or of matches, only has them in names."""
    keys: re.Pattern[str] | None = None
    """Further lines that always stay."""
    dull: re.Pattern[str] | None = None
    """Lines that go first, however many are alike: what passed, or is under way."""
    blocks: re.Pattern[str] | None = None
    """Lines at which something begins that is told of further: the first of each of these stay."""
    similar: ModeName | None = "normal"
    """The mode from which on lines alike are cut; never when None."""
    ends: ModeName | None = "normal"
    """The mode from which on only its ends stay; never when None."""
    scale: float = 1
    """How many times as long it may be as a list of files."""

    def __post_init__(self) -> None:
        for mode in (self.similar, self.ends):
            if mode is not None and mode not in ORDER:
                raise PruningError(f"{shown(mode)} is not a mode; {did_you_mean(str(mode), ORDER)}")
        if not 0 < self.share <= 1 or not self.scale > 0:
            raise PruningError(
                f"the detector {shown(self.name)} has a share above 0 and up to 1, and a scale above 0"
            )
        for name in ("line", "keys", "dull", "blocks"):
            pattern: object = getattr(self, name)
            if pattern is not None and not _is_of_text(pattern):
                raise PruningError(
                    f"the detector {shown(self.name)} has {name}={shown(pattern)}; write"
                    f' {name}=re.compile(r"…"), a pattern of text'
                )
        for name in ("tools", "programs", "checks"):
            if isinstance(getattr(self, name), str):
                raise PruningError(
                    f"the detector {shown(self.name)} has a text as its {name}; write"
                    f' {name}=frozenset({{"…"}})'
                )

    def is_told_by(self, output: ToolOutput) -> bool:
        """Tell whether the tool's name, or all programs that it ran, say that this is such an output."""
        if self.suffixes is not None and not self.suffixes & output.suffixes:
            return False
        if output.bare_tool in self.tools:
            return True
        if output.checks & self.checks and len(output.commands) == 1:
            return True
        return bool(output.programs) and self.programs.issuperset(output.programs)

    def breaks_off(self, line: str) -> bool:
        """Tell whether a line tells of an error among lines that only have such words in what they show.

        >>> listing = next(each for each in DETECTORS if each.name == "listing")
        >>> [listing.breaks_off(each) for each in ("src/error.py", "panic: runtime error", "FAILED", " if error:")]
        [False, True, True, False]
        """
        if ALARMS.match(line):
            return True
        is_shown = any(
            pattern is not None and pattern.search(line, 0, LOOKED_AT)
            for pattern in (self.line, self.blocks)
        )
        is_free = self.line is not None and line[:1] not in ("", " ", "\t", "+", "-")
        return is_free and not is_shown and is_error(line)

    def is_seen_in(self, lines: Lines) -> bool:
        """Tell whether most of the lines look so."""
        pattern = self.line
        if pattern is None:
            return False
        found = 0
        told = 0
        for line in lines:
            if line.strip():
                told += 1
                found += pattern.search(line, 0, LOOKED_AT) is not None
        return told >= FEWEST and found >= self.share * told


def _is_of_text(pattern: object) -> bool:
    source: object = getattr(pattern, "pattern", None)
    return isinstance(pattern, re.Pattern) and isinstance(source, str)


def _words(names: str) -> frozenset[str]:
    """Names, divided by commas."""
    return frozenset(each.strip() for each in names.split(","))


_STAMP = (
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d\b|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d"
    r"|\d\d/(?:\w{3}|\d\d)/\d{4}[: ]\d\d|[IWEF]\d{4} \d\d:\d\d)"
)

STAMPED = re.compile(
    rf"^[^\w\[\n]{{0,4}}(?:\S{{1,40}} [|] |[\w.-]{{1,40}}\[\d+\]: |time=\"?|\{{\"(?:time|ts|timestamp)\":\"?)?{_STAMP}"
)
"""A line of a log: with a time, perhaps behind the name of what wrote it."""

PATH_LINE = re.compile(
    r"^(?=[^\n]{0,300}?[^\W\d_])[│├└─|`+\\ \xa0-]*(?:\./|/|~/|[A-Za-z]:\\)?[\w@.+~#=,%()\[\]-]++(?:[/\\][\w@.+~#=,%()\[\] -]+)*+[/\\]?[*@|=]?$"
    r"|^[dlcbps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?\s"
)
"""A line of a list of files: a path alone, in a tree or not, or behind its mode and owner."""

HIT = re.compile(r"^(?:[^\s:][^:\n]{0,300}:\d+[:-]|[ \t]*(?:Line )?\d+[:-]\s?\S)")
"""A match of a search: a path, a line's number, and what stands there."""

_HIT_FILE = re.compile(r"^(?:([^\s:][^:\n]{0,300}):\d+[:-]|(\S[^:\n]*[/.]\S*):?$)")

DIFF = re.compile(r"^(?:diff --git |index [\da-f]+\.\.|@@ |\+\+\+ |--- |[+-](?! |[r-][w-][x-]))")
"""A line of a diff; one that begins like an item of a list is as likely one."""

_NAMES_A_FILE = re.compile(
    r"(?<![\w@.~+/-])(?:[\w@.~+-]++/)++[\w@.+-]*+"
    r"|(?<![\w-])[\w-]++\.(?:py|js|ts|tsx|go|rs|java|md|json|toml|c|h|cpp|rb|sh|ya?ml)\b"
)
"""A path, or a file's name: what an agent goes on with."""

_PASSED = re.compile(
    r"^(?:\s*(?:✓|✔|√|ok \d+\b|PASS\b)|=== (?:RUN|PAUSE|CONT)\b|\s*--- PASS:|test \S+ (?:- .* )?\.\.\. (?:ok|ignored)$|\S*::\S* (?:PASSED|SKIPPED|XFAIL)"
    r"|\S+\.(?:py|rb|js|ts) [.sx]+ *(?:\[ *\d+%\])?$|[.sx]{10,} *(?:\[ *\d+%\])?$|\s+PASS(?:ED)? |\S+ \(\S+\) \.\.\. ok$|\[gw\d+\] \[ *\d+%\] (?:PASSED|SKIPPED)"
    r"|\?\s+\S+\s+\[no test files\])"
)
"""What a runner of tests says of what passed."""

_WORKING = re.compile(
    r"^(?:\s*(?:Compiling|Checking|Downloading|Downloaded|Fetching|Fetched|Collecting|Using cached|Requirement already|Building wheel"
    r"|Preparing metadata|Installing|Unpacking|Selecting|Setting up|Get:\d+|Hit:\d+|Pulling|Extracting|Copying|Processing|Resolving"
    r"|Linking|Generating|Updating|Adding|Locking|Verifying|Waiting|Pushed|Layer already|Already exists|CC|CXX|LD|AR|INSTALL) "
    r"|#\d+ (?:\d+\.\d+|sha256|DONE|CACHED|transferring|extracting|resolve)|\[ *\d+(?:%|/\d+)\]|npm (?:http|timing|sill|verb) "
    r"|[^\n]{0,80}?[|\[(][=#>█▓▒░━╸╺ .-]{6,}|[^\n]{0,120}?\b\d{1,3}(?:\.\d+)?%|[\da-f]{12}: )"
)
"""What says that something is under way."""

DETECTORS: tuple[Detector, ...] = (
    Detector(
        "log",
        programs=_words(
            "journalctl, dmesg, docker logs, kubectl logs, docker compose, docker-compose"
        ),
        line=STAMPED,
        share=0.5,
        keys=re.compile(r"\b(?:WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|ALERT|EMERG|PANIC)\b"),
    ),
    # What an agent reads it edits next: a file's text stays, unless hardly anything else fits.
    Detector(
        "reading",
        tools=_words(
            "read, notebookread, read_file, readfile, view, view_file, open_file, cat, fs_read, get_file_contents,"
            " read_text_file, read_files, read_many_files, str_replace_editor, str_replace_based_edit_tool, text_editor,"
            " open, scroll_up, scroll_down, goto, edit, create, file_editor, read_multiple_files"
        ),
        programs=_words("cat, head, tail, sed, nl, bat, less, more, awk, open, git show, scroll_down, scroll_up, goto"),
        has_errors=False,
        keys=re.compile(
            r"^[ \t\d:→|]{0,16}(?:(?:export|public|private|protected|static|async|abstract|final|pub(?:\(\w+\))?|default|unsafe) )*+"
            r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|namespace|const|#{1,6}) "
        ),
        similar=None,
        ends="hyper",
        scale=16,
    ),
    # What was written to be read: by a subagent, on a page.
    Detector(
        "answer",
        tools=_words(
            "task, agent, delegate, spawn_agent, wait_agent, delegate_to_agent, webfetch, web_fetch, websearch, web_search,"
            " google_web_search, fetch, browse, memory, history, ask_user, askuserquestion, exitplanmode, think, taskoutput"
        ),
        has_errors=False,
        keys=_NAMES_A_FILE,
        similar=None,
        ends="hyper",
        scale=10,
    ),
    Detector(
        "diff",
        programs=_words("git diff, git log, git show, diff, git stash"),
        line=DIFF,
        share=0.25,
        has_errors=False,
        keys=re.compile(r"^(?:diff --git |@@ |\+\+\+ |--- |commit [\da-f]{7,})"),
        similar=None,
        ends="hyper",
        scale=16,
    ),
    Detector(
        "tests",
        checks=frozenset(("test",)),
        line=re.compile(
            rf"{_PASSED.pattern}|^=+ (?:test session starts|FAILURES|ERRORS|short test summary info)|^(?:FAILED|ERROR) \S+::|^running \d+ tests?$"
            r"|^\s*--- (?:FAIL|SKIP):|^test result: |^Tests?:? |^\s*(?:✕|✗|×|●) |^E  "
        ),
        share=0.4,
        keys=re.compile(
            r"^(?:E  |>  |\s*--- FAIL|FAILED\b|ERROR\b|FAIL\b|_{3,} |---- |\s*(?:✕|✗|×|●) |not ok |test \S+ \.\.\. FAILED|\s*(?:[Ee]xpected|[Rr]eceived|[Aa]ctual|left|right|got|want)\b ?[:=])"
        ),
        dull=_PASSED,
        ends="aggressive",
        scale=3,
    ),
    Detector(
        "build",
        checks=frozenset(("build", "packages")),
        programs=_words(
            "pip install, pip3 install, uv pip, uv sync, npm install, npm ci, pnpm install, yarn install, apt install, apt-get install,"
            " apt update, apt-get update, docker pull, docker push, cargo build, cargo fetch, brew install, curl, wget, git clone, git fetch"
        ),
        line=_WORKING,
        share=0.4,
        dull=_WORKING,
    ),
    Detector(
        "search",
        tools=_words("grep, grep_search, search_file_content, search_files, search_code, search_dir, search_file, codebase_search, ripgrep, codesearch"),
        programs=_words("grep, rg, ag, ack, git grep, egrep, fgrep"),
        line=HIT,
        share=0.7,
        has_errors=False,
        keys=re.compile(r"^(?:Binary file |grep: |rg: |Found \d+ |\(Results are truncated|End of matches)"),
        blocks=_HIT_FILE,
        similar=None,
        scale=1.5,
    ),
    Detector(
        "listing",
        tools=_words("ls, list, list_dir, list_directory, list_files, glob, find, find_file, file_search, tree, directory_tree, list_code_definition_names"),
        programs=_words("ls, find, fd, tree, du, dir, wc, md5sum, sha256sum, sha1sum, cksum, stat, file, git ls-files, rg --files, exa, eza, locate"),
        line=PATH_LINE,
        share=0.85,
        has_errors=False,
        keys=re.compile(r"^(?:total \d|\d+ director|ls: |find: |fd: |tree: |\S{0,200}: *(?:Permission denied|No such file)|\(Results are truncated)"),
        similar=None,
    ),
)  # fmt: skip
"""The kinds that are known. The first that a name tells counts, else the first that most lines look like."""

PLAIN = Detector("output", ends="aggressive", scale=3)
"""Anything else."""


def detector_of(
    output: ToolOutput, lines: Lines, detectors: Iterable[Detector] = DETECTORS
) -> Detector:
    r"""Return the kind of an output.

    >>> detector_of(ToolOutput(text="", tool="Glob"), ()).name
    'listing'
    >>> text = "2026-01-02 10:00:00 INFO started\n" * 5
    >>> detector_of(ToolOutput(text=text, tool="Bash"), text.splitlines()).name
    'log'
    """
    known = [*detectors]
    sample = [*lines[:SAMPLE], *lines[SAMPLE:][-SAMPLE:]]
    told = next((each for each in known if each.is_told_by(output)), None)
    # A file of logs is a log, whoever shows it.
    if told is not None and told.name == "reading" and output.suffixes & LOGS:
        told = None
    if told is not None:
        return told
    return next((each for each in known if each.is_seen_in(sample)), PLAIN)


LOGS = frozenset({".log", ".out", ".err"})
"""Suffixes of files that are written for nobody to edit."""
