"""The table of what secrets look like. Kinds with a prefix of their own come first, and win over the others.

Figures are those of the sources; where a source gives none, they are lengths below which no key was seen.
Quantities have an upper bound or take what they can for good (``++``), so that no text takes longer than in
proportion to its length.
"""

from __future__ import annotations

import re

from hud_runtime.secrets._pattern import SecretPattern, bits, is_no_placeholder

BEHIND = r"(?<=[\d;\[]m)|(?<=\\[nrt])"
"""Behind a terminal's colour, or the end of a line as JSON has it: letters, and none of a token."""

B = rf"(?:(?<![A-Za-z0-9_-])|{BEHIND})"
"""Before a token: no character of one."""

E = r"(?![A-Za-z0-9_-])"
"""Behind a token of a fixed length."""


def _re(expression: str) -> re.Pattern[str]:
    """Compile a pattern of tokens, which are ASCII: a letter of another script ends them."""
    return re.compile(expression, re.ASCII)


def _is_random(text: str) -> bool:
    """Letters and digits without a pattern, as keys are that begin like ordinary words."""
    body = text[3:]
    return is_no_placeholder(text) and bits(body) >= 3.2 and _is_mixed(body)


def _is_mixed(text: str) -> bool:
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text))


USUAL_PASSWORDS = frozenset({
    "admin", "administrator", "api_key", "apikey", "basic", "bearer", "default", "example", "false",
    "guest", "key", "letmein", "minio", "mongo", "mysql", "neo4j", "none", "null",
    "oauth", "pass", "passwd", "password", "postgres", "pwd", "rabbitmq", "redis", "root", "secret",
    "string", "test", "testing", "token", "toor", "true", "user", "username",
})  # fmt: skip
"""What stands for a password in documentation and in test set-ups: nothing is lost when it is read."""

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

CODE = re.compile(
    r"[A-Za-z_][\w-]*(?:[.\[(:/\\][\s\S]*)?[;,]?|[/~.][\s\S]*|-[\s\S]*|https?:[\s\S]*"
)
"""A name, an expression, a path or an address, as stands behind ``password=`` in programs."""


DOTTED = re.compile(r"(?:[A-Za-z_]\w*+[.]){1,16}[A-Za-z_]\w*+[;,]?")
"""An attribute of something, such as ``process.env.API_KEY2``."""


def _is_password(text: str) -> bool:
    """What stands as a password in an address, where every word may be one."""
    if text.lower() in USUAL_PASSWORDS or text.startswith(("$", "{", "%", "[", "*", "<")):
        return False
    return len(set(text)) > 2 and not any(
        each in text.lower() for each in ("example", "placeholder", "your", "xxxx", "changeme")
    )


def _is_bearer(text: str) -> bool:
    return _is_mixed(text) and is_no_placeholder(text) and bits(text) >= 3.0


def _is_private_key(text: str) -> bool:
    """A block with its end, or the beginning of one that was cut: not a program that names the first line."""
    is_whole = text.rstrip().endswith("-----") and "END " in text[-64:]
    return is_whole or (len(text) > 80 and bits(text) >= 4 and _is_mixed(text))


def _is_quoted(text: str) -> bool:
    """What stands in quotes behind ``password =``: letters and digits, and none of what stands for one."""
    lowered = text.lower()
    if UUID.fullmatch(text) or lowered in USUAL_PASSWORDS or not is_no_placeholder(text):
        return False
    if any(each in lowered for each in ("test", "password", "secret", "token", "mock", "key")):
        return False
    return _is_mixed(text) and bits(text) >= 2.5 and not EXPRESSION.match(text)


EXPRESSION = re.compile(r"[\w.]+[(\[]|https?:|[~./]")
"""A call, an address or a path."""


def _is_assigned(text: str) -> bool:
    """What stands behind ``password =``: none of what programs and documentation have there."""
    lowered = text.lower()
    if UUID.fullmatch(text) or lowered in USUAL_PASSWORDS or not is_no_placeholder(text):
        return False
    if any(each in lowered for each in ("test", "password", "secret", "token", "mock")):
        return False
    if DOTTED.fullmatch(text):
        return False
    if text.count("/") > 1 and "+" not in text:
        return False  # a path
    if CODE.fullmatch(text) and not (_is_mixed(text) and bits(text) >= 3.2):
        return False
    return _is_mixed(text) and bits(text) >= 2.5 and not EXPRESSION.match(text)


GITHUB = "docs.github.com, About authentication to GitHub: GitHub's token formats"
GITLAB = "docs.gitlab.com, GitLab tokens: token prefixes"
OPENAI = "platform.openai.com, API keys: sk-, sk-proj-, sk-svcacct-, sk-admin-"

GENERIC = (
    "what is assigned to a name like these: github.com/gitleaks/gitleaks, rule generic-api-key"
)

ASSIGNED_HINTS = (
    "passw", "passphrase", "pwd", "secret", "_key", "-key", "apikey", "accesskey", "_token", "-token",
    "apitoken", "authtoken", "accesstoken", "refreshtoken", "bottoken",
)  # fmt: skip

ASSIGNED = (
    r"(?i)(?:passw(?:or)?d|passphrase|(?<=[_;?&])pwd|secret(?:_?key)?|api[_-]?key|access[_-]?key"
    r"|(?:auth|access|refresh|api|bot)[_-]?token)"
    r"[\\\"'`]{0,3}\s{0,3}(?:=>|:=|=|:)\s{0,3}"
)
"""A name that something secret is given to, in programs, settings and JSON."""

PATTERNS: tuple[SecretPattern, ...] = (
    SecretPattern(
        "private-key",
        ("private key",),
        # The lines of the key, or what is there of them; "\n" may stand as two characters.
        _re(
            r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----"
            r"(?=[\s\\nr\"'>|+,]{0,24}(?:Proc-Type|Version|Comment|[A-Za-z0-9+/]{8}))"
            r"(?:[A-Za-z0-9+/=\s\\:,.>|\"'*-](?<!----))++"
            r"(?:--END [A-Z0-9 ]{1,40}-----)?"
        ),
        "RFC 7468, section 10 and 11; RFC 9580, section 6.2",
        _is_private_key,
        shown=0,
    ),
    SecretPattern(
        "anthropic-key",
        ("sk-ant-",),
        _re(B + r"sk-ant-[a-z]{2,8}\d{2}-[\w-]{24,}+"),
        "docs.anthropic.com, API keys: sk-ant-api03-, sk-ant-admin01-, sk-ant-oat01-",
    ),
    SecretPattern(
        "openrouter-key",
        ("sk-or-",),
        _re(B + r"sk-or-v\d-[0-9a-f]{40,128}" + E),
        "openrouter.ai, API authentication",
    ),
    SecretPattern(
        "openai-key",
        ("sk-",),
        _re(
            B + r"sk-(?:(?:proj|svcacct|admin|None)-[\w-]{32,}+|[A-Za-z0-9]{32,128}" + E + ")"
        ),
        f"{OPENAI}; keys of makers with the same interface look like its older ones",
        _is_random,
        shown=3,
    ),
    SecretPattern(
        "google-key",
        ("aiza",),
        _re(B + r"AIza[\w-]{35}" + E),
        "cloud.google.com, API keys: 39 characters, beginning with AIza",
    ),
    SecretPattern(
        "google-oauth",
        ("gocspx-", "ya29."),
        _re(B + r"(?:GOCSPX-[\w-]{28}" + E + r"|ya29\.[\w-]{30,}+)"),
        "developers.google.com, OAuth 2.0 credentials",
    ),
    SecretPattern(
        "aws-access-key-id",
        ("akia", "asia"),
        _re(B + r"(?:AKIA|ASIA)[A-Z0-9]{16}" + E),
        "docs.aws.amazon.com, IAM identifiers: unique identifiers",
        lambda text: "EXAMPLE" not in text and bits(text[4:]) >= 2.5,
    ),
    SecretPattern(
        "aws-secret-key",
        ("secret",),
        _re(
            r"(?i:secret[_ ]?access[_ ]?key)[\\\"'`]{0,3}\s{0,4}[:=]\s{0,4}[\\\"'`]{0,3}"
            r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        "docs.aws.amazon.com, AWS account reference: secret access keys, 40 characters",
        shown=0,
    ),
    SecretPattern(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        _re(B + r"gh[pousr]_[A-Za-z0-9]{36,255}" + E),
        GITHUB,
    ),
    SecretPattern(
        "github-token",
        ("github_pat_",),
        _re(B + r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}" + E),
        GITHUB,
    ),
    SecretPattern(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt", "glcbt-", "glptt-", "gloas-", "glsoat-"),
        _re(
            B + r"gl(?:pat|dt|rtr?|cbt|ptt|oas|soat)-[\w-]{20,}+"
            r"(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?"
        ),
        GITLAB,
    ),
    SecretPattern(
        "slack-token",
        ("xox", "xapp-"),
        _re(
            B + r"(?:xox[abceoprs](?:\.xox[bp])?-(?=[A-Za-z0-9-]{0,64}\d)[A-Za-z0-9-]{18,}+"
            r"|xapp-\d-[A-Za-z0-9]{6,24}-\d{6,24}-[a-f0-9]{32,128})"
        ),
        "api.slack.com, Token types",
    ),
    SecretPattern(
        "slack-webhook",
        ("hooks.slack.com/",),
        _re(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/"
            r"(?P<secret>[A-Z0-9]{8,16}/[A-Za-z0-9]{8,24}/[A-Za-z0-9/]{16,64})"
        ),
        "api.slack.com, Sending messages using incoming webhooks",
        shown=0,
    ),
    SecretPattern(
        "stripe-key",
        ("k_live_", "k_test_", "whsec_"),
        _re(
            B + r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9]{32,64})" + E
        ),
        "docs.stripe.com, API keys; Webhooks",
    ),
    SecretPattern(
        "huggingface-token",
        ("hf_",),
        _re(B + r"hf_[A-Za-z0-9]{34,40}" + E),
        "huggingface.co, Hub: user access tokens",
        lambda text: is_no_placeholder(text) and bits(text) >= 3.5,
        shown=3,
    ),
    SecretPattern(
        "npm-token",
        ("npm_",),
        _re(B + r"npm_[A-Za-z0-9]{36}" + E),
        "github.blog, npm has a new access token format",
    ),
    SecretPattern(
        "pypi-token",
        ("pypi-ageichlwas5vcmc", "pypi-agendgvzdc5wexbplm9yz"),
        _re(B + r"pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZ)[\w-]{50,}+"),
        "pypi.org/help: API tokens; they are macaroons for pypi.org or test.pypi.org",
    ),
    SecretPattern(
        "groq-key", ("gsk_",), _re(B + r"gsk_[A-Za-z0-9]{52}" + E),
        "console.groq.com, API keys",
    ),
    SecretPattern(
        "xai-key", ("xai-",), _re(B + r"xai-[A-Za-z0-9]{80}" + E),
        "docs.x.ai, API keys",
    ),
    SecretPattern(
        "perplexity-key", ("pplx-",), _re(B + r"pplx-[A-Za-z0-9]{48,56}" + E),
        "gitleaks, rule perplexity-api-key",
    ),
    SecretPattern(
        "replicate-token", ("r8_",), _re(B + r"r8_[A-Za-z0-9]{37}" + E),
        "replicate.com, API tokens", shown=3,
    ),
    SecretPattern(
        "sendgrid-key", ("sg.",), _re(B + r"SG\.[\w-]{22}\.[\w-]{43}" + E),
        "gitleaks, rule sendgrid-api-token", shown=3,
    ),
    SecretPattern(
        "digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), _re(B + r"do[opr]_v1_[0-9a-f]{64}" + E),
        "docs.digitalocean.com, Personal access tokens: token formats", shown=3,
    ),
    SecretPattern(
        "docker-token", ("dckr_",), _re(B + r"dckr_(?:pat|oat)_[\w-]{27,64}" + E),
        "docs.docker.com, Personal access tokens",
    ),
    SecretPattern(
        "vault-token", ("hvs.", "hvb."), _re(B + r"hv[sb]\.[\w-]{24,}+"),
        "developer.hashicorp.com, Vault: token prefixes",
    ),
    SecretPattern(
        "age-key", ("age-secret-key-1",), _re(B + r"AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}" + E),
        "github.com/C2SP/C2SP, age.md: X25519 identities, in Bech32",
    ),
    SecretPattern(
        "shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), _re(B + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}" + E),
        "shopify.dev, Access tokens: prefixes",
    ),
    SecretPattern(
        "linear-key", ("lin_api_",), _re(B + r"lin_api_[A-Za-z0-9]{40}" + E),
        "gitleaks, rule linear-api-key",
    ),
    SecretPattern(
        "notion-token", ("ntn_",), _re(B + r"ntn_[A-Za-z0-9]{46}" + E),
        "developers.notion.com, Changelog: prefix of tokens",
    ),
    SecretPattern(
        "azure-key",
        ("accountkey", "sharedaccesskey", "sharedsecret"),
        _re(
            r"(?i:AccountKey|SharedAccessKey|SharedSecret)\s{0,2}=\s{0,2}"
            r"(?P<secret>[A-Za-z0-9+/]{43,88}={1,2})"
        ),
        "learn.microsoft.com, Azure Storage connection strings; Service Bus",
        shown=0,
    ),
    SecretPattern(
        "azure-client-secret",
        ("q~",),
        _re(rf"(?:(?<![\w~.-])|{BEHIND})" r"[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
        "learn.microsoft.com, Microsoft Purview: Azure AD client secret",
        shown=0,
    ),
    SecretPattern(
        "jwt",
        ("eyj",),
        # A header and a payload are JSON objects, which begin with {" in base64url.
        _re(
            B + r"eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.(?P<rest>[\w-]{16,}+)|" + B +
            r"eyJ[\w-]{10,}+\.[\w-]*+\.[\w-]{8,}+\.[\w-]{16,}+\.[\w-]{16,}+"
        ),
        "RFC 7519, section 3; RFC 7515 and 7516, section 7.1",
        lambda text: bits(text) >= 4,
        shown=3,
    ),
    SecretPattern(
        "url-password",
        ("://",),
        _re(
            r"://[^\s/:@\"'`<>\\]{0,128}:(?P<secret>[^\s/@\"'`<>\\:]{4,256})@(?=[\w\[$.{%])"
            r"(?!(?:[\w-]{1,63}[.]){0,4}example\b)"
        ),
        "RFC 3986, section 3.2.1",
        _is_password,
        shown=0,
    ),
    SecretPattern(
        "authorization",
        ("bearer", "authorization"),
        _re(
            r"(?i)(?:authorization[\\\"'`]{0,3}\s{0,3}[:=]\s{0,3}[\\\"'`]{0,3}"
            r"(?:bearer|basic|token)|\bbearer)\s{1,3}(?P<secret>[A-Za-z0-9._~+/-]{16,}+={0,2})"
        ),
        "RFC 6750, section 2.1; RFC 7617, section 2",
        _is_bearer,
        shown=0,
    ),
    SecretPattern(
        "password",
        ("--passw", "--token", "--secret", "--api-key", "--auth-token"),
        _re(
            r"(?<![\w-])--(?:password|passwd|passphrase|token|secret|auth-token|api-key)(?:=|\s{1,3})[\"']?"
            r"(?P<secret>[^\s\"'`\\,;(){}\[\]<>$*]{8,}+)(?![(\[.])"
        ),
        "options of programs: gitleaks, rule generic-api-key",
        _is_assigned,
        shown=0,
    ),
    SecretPattern(
        "password",
        ("curl",),
        _re(
            r"\bcurl\b[^\n|;&]{0,200}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,64}:(?P<secret>[^\s\"'`\\$]{6,128})"
        ),
        "curl.se, the man page of curl: -u, --user",
        _is_password,
        shown=0,
    ),
    SecretPattern(
        "password",
        ASSIGNED_HINTS,
        _re(
            ASSIGNED + r"[\\]{0,2}[\"'`](?P<secret>[^\s\"'`\\]{6,256})[\\]{0,2}[\"'`]"
        ),
        GENERIC,
        _is_quoted,
        shown=0,
    ),
    SecretPattern(
        "password",
        ASSIGNED_HINTS,
        _re(ASSIGNED + r"(?P<secret>[^\s\"'`\\,;(){}\[\]<>$*]{8,}+)(?![(\[.])"),
        GENERIC,
        _is_assigned,
        shown=0,
    ),
)  # fmt: skip
"""What secrets look like. Kinds that are surest stand first: of two that overlap, the first is it."""
