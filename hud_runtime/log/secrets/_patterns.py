"""The table of secrets: the pattern of each kind, its source, and the month of the source.

Tokens begin with their maker's prefix (``hud_runtime/data/secret-tokens.tsv``); other secrets are recognized by their context
(:data:`CONTEXTS`). Quantifiers are bounded or possessive, so that the time is linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pkgutil import get_data
from typing import cast

from hud_runtime.log.secrets._surroundings import (
    MARK,
    STEMS,
    SecretPattern,
    is_basic,
    is_bearer,
    is_cookie,
    is_encoded,
    is_no_placeholder,
    is_password,
    is_phrase,
    is_random,
    is_varied,
    key_blocks,
    named_values,
)

# --- Tokens with their maker's prefix ------------------------------------------------------

SOURCES: dict[str, str] = {
    "gitleaks": "github.com/gitleaks/gitleaks, config/gitleaks.toml",
    "github": "docs.github.com, About authentication to GitHub: token formats",
    "gitlab": "docs.gitlab.com, GitLab tokens: token prefixes",
    "slack": "docs.slack.dev, Token types",
    "hermes": "github.com/NousResearch/hermes-agent, agent/redact.py",
    "pack": "redaction-pack for hermes-agent, README: formats, each with its own source",
    "rfc7519": "RFC 7519, section 3; RFC 7515 and 7516, section 7.1",
    "rfc4648": "RFC 4648, section 4, of the first line that RFC 7468, section 10, and OpenSSH's PROTOCOL.key give",
    "ujsx": "hud_runtime/serve/http/_tokens.py",
    "scanners": "the shape that public scanners and redactors agree on, found in code by its prefix",
}
"""The rows' sources, as of the month :data:`SEEN`."""

SEEN = "2026-11"

ALPHABETS = {
    "a": "A-Za-z0-9", "A": "A-Z0-9", "b": "A-Za-z0-9+/", "d": "0-9", "h": "0-9a-f", "H": "0-9A-Fa-f", "l": "a-z0-9", "w": r"\w-",
}  # fmt: skip
"""The letters of a shape: ``{36:a}`` is 36 letters and digits, ``{20+:w}`` is 20 or more characters of a word."""

_TOKENS = cast("bytes", get_data("hud_runtime", "data/secret-tokens.tsv")).decode()
"""A row for each shape: kind, shape and source. The first matching row decides the kind."""

_LETTERS = re.compile(r"\{(\d+)(?:-(\d+)|(\+))?:(\w)\}")


def _token(row: str) -> SecretPattern:
    """Return the pattern of a row of ``hud_runtime/data/secret-tokens.tsv``."""
    kind, shape, source = row.split("\t")

    def letters(hole: re.Match[str]) -> str:
        count = f"{hole[1]},{hole[2] or ''}" if hole[2] or hole[3] else hole[1]
        return f"[{ALPHABETS[hole[4]]}]{{{count}}}+"

    [literal] = re.findall(r"\A(?:[\w/-]|\\\.)*", shape)
    [mark] = re.findall(r"\A(?:[\w/-]|\\\.|\[[^\]]*\](?!\{))*", shape)
    shown = len(re.sub(r"\[[^\]]*\]|\\\.", "x", mark))
    starts = (literal.replace("\\", "")[:2],) if literal else tuple(shape[1 : shape.index("]")])

    def is_meant(text: str) -> bool:
        return is_varied(text) if shown >= 4 else is_random(text[shown:])

    return SecretPattern(
        kind,
        (),
        _LETTERS.sub(letters, shape) + r"(?!_{0,2}[A-Za-z0-9-])",
        SOURCES[source],
        is_meant,
        min(4, shown),
        SEEN,
        starts,
    )


# --- Secrets recognized by their context ---------------------------------------------------

_SHORT = r"(?P<secret>[^\s\"'`\\;|&<>(){}\[\],]{3,128})"
"""A password as a program's argument."""

_LOGIN = rf"\s{{1,20}}{MARK}[ \t]{{0,20}}login\s{{1,20}}\S{{1,255}}"
"""The user name in a .netrc file."""


def _context(
    kind: str,
    hints: str,
    expression: str,
    source: str,
    judge: Callable[[str], bool] = is_no_placeholder,
) -> SecretPattern:
    """Return a row of :data:`CONTEXTS`; its hints are separated by bars."""
    return SecretPattern(kind, tuple(hints.split("|")), expression, source, judge, 0, SEEN)


CONTEXTS: tuple[SecretPattern, ...] = (
    _context(
        "aws-secret-key", "secret",
        r"(?i:secret[_ ]?access[_ ]?key)[\"'`]{0,2}(?:\s{0,4}[:=]\s{0,4}[\"'`]?|\s)(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "docs.aws.amazon.com, AWS account reference: secret access keys",
    ),
    _context(
        "azure-key", "key|secret",
        r"(?:AccountKey|SharedAccessKey|SharedSecret)\s{0,2}=\s{0,2}(?P<secret>[A-Za-z0-9+/]{43,88}={1,2})",
        "learn.microsoft.com, Azure Storage connection strings; Service Bus",
    ),
    _context(
        "azure-key", "sig=", r"[?&;]sig=(?P<secret>[\w%+/-]{20,200}={0,2})",
        "learn.microsoft.com, Azure Storage: shared access signatures",
    ),
    _context(
        "azure-client-secret", "q~", r"(?<![\w~.])(?<!\w-)[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])",
        "gitleaks, rule azure-ad-client-secret",
    ),
    _context(
        "azure-devops-token", "azdo", r"(?<!\w)[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\w)",
        "learn.microsoft.com, Azure DevOps: personal access tokens",
    ),
    _context(
        "terraform-token", "atlasv1", r"(?<!\w)[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+",
        "gitleaks, rule hashicorp-tf-api-token",
    ),
    _context(
        "telegram-token", ":aa", r"(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])",
        "core.telegram.org, Bot API: authorizing your bot",
    ),
    _context("fly-token", "flyv1", r"FlyV1 (?P<secret>[\w+/=,-]{20,}+)", "fly.io, Access tokens"),
    _context(
        "slack-webhook", "hook", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Z0-9]{8,16}/[A-Za-z0-9]{8,24}/[A-Za-z0-9/]{16,64})",
        "docs.slack.dev, Sending messages using incoming webhooks",
    ),
    _context(
        "webhook", "hook",
        r"(?:discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,22}/"
        r"|webhook\.office\.com/webhookb2/|outlook\.office\.com/webhook/|hooks\.zapier\.com/hooks/catch/"
        r"|hook\.[\w.]{2,20}\.make\.com/"
        r"|open\.(?:feishu|larksuite)\.c(?:n|om)/open-apis/bot/v2/hook/|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=)"
        r"(?P<secret>[\w/@-]{16,400})",
        "each maker's manual of incoming webhooks",
    ),
    _context(
        "url-password", "://",
        r"://[^\s/:@\"'`<>\\]{0,128}:(?P<secret>[^\s/\"'`<>\\]{3,256})@(?=[\w\[$.{%])(?!(?:[\w-]{1,63}[.]){0,4}example\b)",
        "RFC 3986, section 3.2.1", is_password,
    ),
    _context(
        "url-password", "://",
        r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?)://[^\s/:@\"'`<>\\]{1,128}:(?!\d{1,5}[/,])(?P<secret>[^\s\"'`<>\\@]{3,256})@(?=[\w\[])",
        "RFC 3986, section 3.2.1, with a slash that nobody encoded", is_password,
    ),
    _context(
        "url-password", "://", r"https?://(?P<secret>[\w-]{16,256}(?::(?:x-oauth-basic)?)?)@(?=[\w\[])",
        "docs.github.com, Git over HTTPS with a token in place of the user's name", is_random,
    ),
    _context(
        "authorization", "auth",
        r"(?i)authorization[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`]?(?:(?:bearer|basic|token|api-?key|negotiate|digest|key|bot|jwt|geniekey|ghost|splunk|sso-key)\s{1,3})?"
        r"(?P<secret>[\w.~+/=:-]{8,2000})(?![\w(\[.])",
        "RFC 9110, section 11.6.2; RFC 6750, section 2.1; RFC 7617, section 2", is_bearer,
    ),
    _context(
        "authorization", "authorization",
        r"(?im)authorization[\"'`]?\s?[:=]\s?[\"'`]?(?:bearer|token|api-?key)\s(?P<secret>[a-z]{6,128})(?=[\"'`]|[ \t\r]*$)",
        "RFC 6750, section 2.1", is_password,
    ),
    _context(
        "authorization", "bearer", r"(?i)\bbearer\s{1,3}(?P<secret>[\w.~+/-]{16,}+={0,2})",
        "RFC 6750, section 2.1", is_random,
    ),
    _context(
        "cookie", "cookie",
        r"(?i)(?<![\w.])(?:(?<=set-)cookie[\"'`]?:\s{0,2}[\"'`]?[\w.-]{1,64}=(?P<set>)|cookie[\"'`]?:\s{0,2}[\"'`]?(?=[\w.-]{1,64}=))"
        r"(?P<secret>(?(set)[^\s;\"'`<>{}$]{8,4096}|[^\r\n\"'`<>{}$]{12,8192}))",
        "RFC 6265, sections 4.1 and 4.2", is_cookie,
    ),
    _context(
        "cookie", " -b| --cookie", r"curl\b[^\n|;]{0,200}?\s(?:-b|--cookie)[ =]?[\"']?(?P<secret>[\w.-]{1,64}=[^\r\n\"'`<>{}$]{8,4096})",
        "curl.se, the man page of curl: -b, --cookie", is_cookie,
    ),
    _context(
        "basic-auth", "auth",
        r"auth(?<![A-Za-z]auth)[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<secret>[A-Za-z0-9+/]{8,512}={0,2})(?![\w(.])",
        "docs.npmjs.com, npmrc: _auth; docs.docker.com, docker login: credential store", is_basic,
    ),
    _context(
        "password", "auth", r"auth\s?=\s?\(\s?[\"'][^\"'\n]{1,128}[\"'],\s{0,4}[\"'](?P<secret>[^\"'\n]{3,256})[\"']\s?\)",
        "requests.readthedocs.io, Basic authentication", is_password,
    ),
    _context(
        "password", " -u| --u| -a", r"(?:curl|wget|http|xh)\b[^\n|;]{0,200}?\s(?:-u|--user|-a)[ =]?(?P<quote>[\"'])?[^\s:\"'$]{1,64}:(?P<secret>(?(quote)[^\n\"'`\\]{3,128}|[^\s\"'`\\]{3,128}))",
        "curl.se, the man page of curl: -u, --user", is_password,
    ),
    _context(
        "password", " -p",
        r"(?:(?:(?:mysql|mariadb)\w{0,10}\b|7z\s)[^\n|;&]{0,200}?\s-p[\"']?|(?:sshpass|mongo\w{0,8}|(?:docker|podman|helm|az|oc|nerdctl|buildah|skopeo|cf)"
        r"\s[^\n|;&]{0,60}?\blogin)\b[^\n|;&]{0,200}?\s-p\s{0,2}[\"']?|(?:zip|sqlcmd|mosquitto_\w{3})\b[^\n|;&]{0,200}?\s-P\s{0,2}[\"']?)" + _SHORT,
        "the manual of each program", is_password,
    ),
    _context(
        "password", " -a| -w", r"(?:redis-cli\b[^\n|;&]{0,200}?\s-a|ldap\w{3,10}\b[^\n|;&]{0,200}?\s-w)\s{1,2}[\"']?" + _SHORT,
        "the manual of each program", is_password,
    ),
    _context(
        "password", "pass:", r"-pass(?:in|out)?\s{1,2}pass:" + _SHORT, "docs.openssl.org, passphrase options", is_password,
    ),
    _context(
        "password", "identified", r"(?:IDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,40}\s{1,3})?BY\s{1,3}['\"])" + _SHORT,
        "dev.mysql.com, CREATE USER", is_password,
    ),
    _context(
        "password", "pass", rf"(?:machine\s{{1,20}}(?:\S{{1,255}}{_LOGIN}|[\w-]{{1,63}}\.[\w.-]{{1,190}})|default{_LOGIN})"
        rf"\s{{1,20}}{MARK}[ \t]{{0,20}}password\s{{1,20}}(?P<secret>[^\s\"',]{{2,255}})",
        "gnu.org, inetutils: the .netrc file", is_password,
    ),
    _context(
        "password", ":5|:6|:15|:25|:*:",
        r":(?<=[\w.*-]:)(?:[56]\d{3,4}|[12]5\d{3}|\*):(?!\d+:\d+:|[\da-f]{1,4}:[\da-f]{0,4}:[\da-f]{1,4}\b)[\w.*-]{1,64}:[\w.*@-]{1,64}:(?P<secret>[^\s:\"',`)]{3,255})(?=[\"',\s]|$)",
        "postgresql.org, The password file", is_password,
    ),
    _context(
        "password", "securestring", r"ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?[\"'](?P<secret>[^\"'\n]{3,256})",
        "learn.microsoft.com, ConvertTo-SecureString", is_password,
    ),
    _context(
        "password", "requirepass", r"requirepass[ \t]{1,8}[\"']?(?P<secret>[^\s\"']{3,512})",
        "redis.io, redis.conf", is_password,
    ),
    _context(
        "password", "env |setx |set -", r"(?:ENV|setx|set -[a-z]{1,3})[ ]{1,2}[A-Z][A-Z0-9_]{0,60}(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PWD)[ ]{1,2}(?P<secret>[^\s\"']{4,512})",
        "docs.docker.com, Dockerfile: ENV; fishshell.com, set; learn.microsoft.com, setx", is_password,
    ),
    _context(
        "kubernetes-secret", "kind: secret", r"(?m)^[ \t]{1,16}[\w.-]{1,253}:[ ]{1,2}[\"']?(?P<secret>[A-Za-z0-9+/]{8,}={0,2})[\"']?$",
        "kubernetes.io, Secret: data", is_encoded,
    ),
    _context(
        "recovery-phrase", "mnemonic|phrase|seed",
        r"(?:[Mm]nemonic|MNEMONIC|[Pp]hrase|PHRASE|[Ss]eed|SEED)[\"'`]?\s{0,3}[:=]?\s{0,3}[\"'`]?(?P<secret>[a-z]{3,8}(?:[ \n][a-z]{3,8}){11,23})(?![\w-])",
        "BIP-39: mnemonic code of 12 to 24 words", is_phrase,
    ),
)  # fmt: skip
"""Secrets recognized by their context."""

PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern(
        "private-key", ("private",), key_blocks,
        "RFC 7468, sections 10 and 11; RFC 9580, section 6.2; PuTTY, appendix C: PPK", shown=0, seen=SEEN,
    ),
    *(_token(row) for row in _TOKENS.splitlines() if not row.startswith("#")),
    *CONTEXTS,
    SecretPattern("password", STEMS, named_values, "names of secrets: gitleaks, rule generic-api-key", shown=0, seen=SEEN),
)  # fmt: skip
"""The table of secrets. The most certain kinds come first: of two overlapping matches, the first kind counts."""
