"""Shapes of secrets, and the dresses in which agents see them. All values are made up, from a fixed seed.

``SHAPES`` has a line for each shape: the kind that is found, and a text with holes. ``{36:a}`` is 36 characters of an
alphabet, and part of the secret; so is what stands between ``⟨`` and ``⟩``. No line holds anything secret.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

ALPHABETS = {
    "2": "023456789ACDEFGHJKLMNPQRSTUVWXYZ",
    "a": string.ascii_letters + string.digits,
    "A": string.ascii_uppercase + "234567",
    "b": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "h": "0123456789abcdef",
    "l": string.ascii_letters,
    "s": string.ascii_lowercase + string.digits,
    "w": string.ascii_letters + string.digits + "-_",
}
EDGES = {
    "a": "Qz",
    "w": "Qz",
    "l": "Qz",
    "b": "Qz",
    "A": "QZ",
    "2": "QZ",
    "d": "17",
    "h": "1f",
    "s": "q7",
}
HOLE = re.compile(r"\{(\d+):(\w)\}")

UUID = "{8:h}-{4:h}-{4:h}-{4:h}-{12:h}"

WORDS = [
    "abandon", "ability", "blanket", "cabbage", "dolphin", "elegant", "fabric", "galaxy", "harvest", "impulse", "journey", "kitchen", "lantern", "magnet", "network", "orchard", "panther", "quarter", "rescue", "silver", "tornado", "umbrella", "velvet", "walnut",
]  # fmt: skip

SHAPES = r"""
private-key         PEM RSA PRIVATE KEY 26
private-key         PEM PRIVATE KEY 3
private-key         PEM EC PRIVATE KEY 3
private-key         PEM OPENSSH PRIVATE KEY 7
private-key         PEM PGP PRIVATE KEY BLOCK 9
private-key         TAIL RSA PRIVATE KEY 9
private-key         PPK 9
password            PrivateKey = ⟨{43:a}=⟩
recovery-phrase     mnemonic: ⟨WORDS 12⟩
recovery-phrase     seed phrase = ⟨WORDS 24⟩
age-key             ⟨AGE-SECRET-KEY-1{58:2}⟩
gitlab-token        ⟨glpat-{20:w}⟩
gitlab-token        ⟨GR1348941{20:w}⟩
gitlab-token        ⟨glagent-{50:w}⟩
gitlab-token        ⟨glft-{20:w}⟩
gitlab-token        ⟨glimt-{25:a}⟩
gitlab-token        ⟨glptt-{40:h}⟩
gitlab-token        ⟨gldt-{20:w}⟩
github-token        ⟨ghp_{36:a}⟩
github-token        ⟨gho_{36:a}⟩
github-token        ⟨ghu_{36:a}⟩
github-token        ⟨ghs_{36:a}⟩
github-token        ⟨ghr_{76:a}⟩
github-token        ⟨github_pat_{22:a}_{59:a}⟩
anthropic-key       ⟨sk-ant-api03-{93:w}AA⟩
anthropic-key       ⟨sk-ant-admin01-{93:w}AA⟩
anthropic-key       ⟨sk-ant-oat01-{93:w}AA⟩
openai-key          ⟨sk-proj-{74:w}T3BlbkFJ{74:w}⟩
openai-key          ⟨sk-svcacct-{58:w}T3BlbkFJ{58:w}⟩
openai-key          ⟨sk-{20:a}T3BlbkFJ{20:a}⟩
openai-key          ⟨sk-{32:h}⟩
openrouter-key      ⟨sk-or-v1-{64:h}⟩
google-key          ⟨AIza{35:w}⟩
google-key          ⟨AQ.{50:w}⟩
google-oauth        ⟨GOCSPX-{28:w}⟩
google-oauth        ⟨ya29.{120:w}⟩
google-oauth        ⟨1//0{60:w}⟩
groq-key            ⟨gsk_{52:a}⟩
xai-key             ⟨xai-{80:a}⟩
perplexity-key      ⟨pplx-{48:a}⟩
together-key        ⟨tgp_v1_{43:w}⟩
fireworks-key       ⟨fw_{22:a}⟩
cerebras-key        ⟨csk-{48:s}⟩
nvidia-key          ⟨nvapi-{64:w}⟩
elevenlabs-key      ⟨sk_{48:h}⟩
huggingface-token   ⟨hf_{34:l}⟩
replicate-token     ⟨r8_{37:a}⟩
langsmith-key       ⟨lsv2_pt_{32:h}_{10:h}⟩
langsmith-key       ⟨lsv2_sk_{32:h}_{10:h}⟩
langfuse-key        ⟨sk-lf-UUID⟩
wandb-key           ⟨wandb_v1_{27:a}_{49:a}⟩
pinecone-key        ⟨pcsk_{6:a}_{63:a}⟩
tavily-key          ⟨tvly-{32:a}⟩
tavily-key          ⟨tvly-dev-{32:a}⟩
firecrawl-key       ⟨fc-{32:h}⟩
brave-key           ⟨BSA{27:w}⟩
e2b-key             ⟨e2b_{40:h}⟩
modal-token         ⟨ak-{22:a}⟩
modal-token         ⟨as-{22:a}⟩
mem0-key            ⟨mem0_{32:l}⟩
mem0-key            ⟨m0-{40:a}⟩
hindsight-key       ⟨hsk-{32:a}⟩
byterover-key       ⟨brv_{32:a}⟩
ujsx-token          ⟨ujsx_{12:h}_{43:w}⟩
aws-access-key-id   ⟨AKIA{16:A}⟩
aws-access-key-id   ⟨ASIA{16:A}⟩
aws-secret-key      aws_secret_access_key = ⟨{40:b}⟩
password            AWS_SESSION_TOKEN=⟨{356:b}⟩
bedrock-key         ⟨ABSK{109:b}=⟩
azure-key           AccountName=shop;AccountKey=⟨{86:b}==⟩;EndpointSuffix=core.windows.net
azure-key           https://shop.blob.core.windows.net/c?sv=2022-11-02&sr=c&sp=r&sig=⟨{43:a}%3D⟩
azure-client-secret ⟨{3:a}8Q~{34:a}⟩
password            AZURE_DEVOPS_EXT_PAT=⟨{52:s}⟩
azure-devops-token  ⟨{76:a}AZDO{4:a}⟩
slack-token         ⟨xoxb-{12:d}-{12:d}-{24:a}⟩
slack-token         ⟨xoxp-{12:d}-{12:d}-{12:d}-{32:h}⟩
slack-token         ⟨xapp-1-A{10:A}-{13:d}-{64:h}⟩
slack-webhook       https://hooks.slack.com/services/⟨T{10:A}/B{10:A}/{24:a}⟩
discord-token       ⟨MT{22:a}.{6:a}.{38:w}⟩
discord-token       ⟨NR{22:a}.{6:a}.{38:w}⟩
webhook             https://discord.com/api/webhooks/{18:d}/⟨{68:w}⟩
telegram-token      ⟨{10:d}:AA{33:w}⟩
twilio-key          ⟨SK{32:h}⟩
sendgrid-key        ⟨SG.{22:w}.{43:w}⟩
mailgun-key         ⟨key-{32:h}⟩
resend-key          ⟨re_{8:a}_{24:a}⟩
brevo-key           ⟨xkeysib-{64:h}-{16:a}⟩
stripe-key          ⟨sk_live_{24:a}⟩
stripe-key          ⟨rk_test_{99:a}⟩
stripe-key          ⟨whsec_{32:a}⟩
square-token        ⟨sq0atp-{22:w}⟩
square-token        ⟨EAAA{60:w}⟩
facebook-token      ⟨EAA{180:a}⟩
plaid-token         ⟨access-production-UUID⟩
shopify-token       ⟨shpat_{32:h}⟩
password            POSTMARK_SERVER_TOKEN=⟨UUID⟩
password            SNYK_TOKEN=⟨UUID⟩
password            CONSUL_HTTP_TOKEN=⟨UUID⟩
password            EXA_API_KEY=⟨UUID⟩
password            "postmark_api_token": "⟨UUID⟩"
vault-token         ⟨hvs.{90:w}⟩
vault-token         ⟨hvb.{138:w}⟩
vault-token         ⟨s.{24:a}⟩
terraform-token     ⟨{14:a}.atlasv1.{67:w}⟩
doppler-token       ⟨dp.pt.{43:a}⟩
databricks-token    ⟨dapi{32:h}⟩
cloudflare-token    ⟨cfut_{48:a}⟩
digitalocean-token  ⟨dop_v1_{64:h}⟩
fly-token           FlyV1 ⟨fm2_{160:b}⟩
fly-token           ⟨fo1_{43:w}⟩
password            VERCEL_TOKEN=⟨{24:a}⟩
vercel-token        ⟨vcp_{56:a}⟩
netlify-token       ⟨nfp_{40:a}⟩
heroku-key          ⟨HRKU-AA{58:w}⟩
heroku-key          ⟨HRKU-UUID⟩
render-key          ⟨rnd_{32:a}⟩
supabase-key        ⟨sbp_{40:h}⟩
supabase-key        ⟨sb_secret_{31:w}⟩
neon-key            ⟨napi_{64:s}⟩
planetscale-token   ⟨pscale_tkn_{43:w}⟩
grafana-token       ⟨glsa_{32:a}_{8:h}⟩
grafana-token       ⟨glc_{120:b}=⟩
sentry-token        ⟨sntrys_eyJ{120:a}_{43:a}⟩
sentry-token        ⟨sntryu_{64:h}⟩
newrelic-key        ⟨NRAK-{27:A}⟩
password            PAGERDUTY_API_KEY=⟨u+{18:w}⟩
password            DD_API_KEY=⟨{32:h}⟩
atlassian-token     ⟨ATATT3xFfGF0{176:w}={8:h}⟩
bitbucket-token     ⟨ATBB{32:a}⟩
figma-token         ⟨figd_{40:w}⟩
notion-token        ⟨secret_{43:a}⟩
notion-token        ⟨ntn_{46:a}⟩
airtable-token      ⟨pat{14:a}.{64:h}⟩
asana-token         ⟨1/{16:d}:{32:h}⟩
dropbox-token       ⟨sl.{135:w}⟩
linear-key          ⟨lin_api_{40:a}⟩
postman-key         ⟨PMAK-{24:h}-{34:h}⟩
jfrog-token         ⟨AKCp{69:a}⟩
jfrog-token         ⟨cmVmd{59:a}⟩
npm-token           ⟨npm_{36:a}⟩
pypi-token          ⟨pypi-AgEIcHlwaS5vcmc{150:w}⟩
rubygems-key        ⟨rubygems_{48:h}⟩
crates-token        ⟨cio{32:a}⟩
nuget-key           ⟨oy2{43:s}⟩
docker-token        ⟨dckr_pat_{27:w}⟩
onepassword-token   ⟨ops_eyJ{250:a}⟩
tailscale-key       ⟨tskey-auth-{17:a}-{32:a}⟩
jwt                 ⟨eyJ{40:w}.eyJ{120:w}.{43:w}⟩
url-password        postgres://shop:⟨{16:a}⟩@db.internal:5432/shop
url-password        redis://:⟨{12:a}⟩@cache:6379/0
url-password        amqp://u:⟨{6:a}:b{4:a}⟩@queue.internal/v
url-password        mysql://root:⟨p@$${6:a}!⟩@10.0.0.3/shop
cookie              Cookie: ⟨session={40:h}; csrf={24:a}⟩
cookie              Set-Cookie: sid=⟨{40:a}⟩; Path=/; HttpOnly
authorization       Authorization: Bearer ⟨{40:a}⟩
authorization       Authorization: Basic ⟨{30:a}==⟩
authorization       Authorization: token ⟨{40:h}⟩
password            curl -H "Private-Token: ⟨{20:a}⟩" https://git.host.io
password            curl -H 'X-Api-Key: ⟨{32:h}⟩' https://host.io
password            docker login -u ann -p ⟨{12:a}x!⟩ registry.host.io
password            mysql -uroot -p⟨{12:a}⟩ shop
password            curl -s -u ann:⟨{14:a}⟩ https://host.io
password            sshpass -p ⟨{12:a}⟩ ssh ann@host
password            db.internal:5432:shop:ann:⟨{14:a}⟩
password            machine host.io login ann password ⟨{14:a}⟩
basic-auth          //registry.host.io/:_auth=⟨YW5uO{20:a}⟩
password            //registry.npmjs.org/:_authToken=⟨UUID⟩
password            password=⟨correct-horse-battery-staple⟩
password            DB_PASSWORD=⟨p@$$w0rd!2024#x⟩
password            password: "⟨correct horse battery staple⟩"
password            passwd = '⟨{10:a}$9⟩'
password            client_secret: ⟨{32:a}⟩
password            deploy --token=⟨{32:a}4⟩
password            login --password "⟨{14:a}8⟩"
voyage-key          ⟨pa-{43:w}⟩
jina-key            ⟨jina_{60:a}⟩
context7-key        ⟨ctx7sk-UUID⟩
cursor-key          ⟨crsr_{64:h}⟩
browserbase-key     ⟨bb_live_{27:w}⟩
retaindb-key        ⟨retaindb_{32:a}⟩
huggingface-token   ⟨api_org_{34:l}⟩
shippo-token        ⟨shippo_live_{40:h}⟩
easypost-key        ⟨EZAK{54:a}⟩
flutterwave-key     ⟨FLWSECK-{32:a}-X⟩
alibaba-key         ⟨LTAI{20:a}⟩
cloudflare-token    ⟨v1.0-{24:h}-{146:h}⟩
pulumi-token        ⟨pul-{40:h}⟩
prefect-key         ⟨pnu_{36:a}⟩
openshift-token     ⟨sha256~{43:w}⟩
dynatrace-token     ⟨dt0c01.{24:A}.{64:A}⟩
posthog-key         ⟨phx_{43:a}⟩
circleci-token      ⟨CCIPAT_{22:a}_{40:h}⟩
buildkite-token     ⟨bkua_{40:s}⟩
sourcegraph-token   ⟨sgp_{16:h}_{40:h}⟩
sonar-token         ⟨squ_{40:h}⟩
hubspot-token       ⟨pat-na1-UUID⟩
contentful-token    ⟨CFPAT-{43:w}⟩
apify-token         ⟨apify_api_{36:a}⟩
typeform-token      ⟨tfp_{44:w}⟩
readme-key          ⟨rdme_{70:s}⟩
adobe-secret        ⟨p8e-{32:a}⟩
clojars-token       ⟨CLOJARS_{60:a}⟩
bitbucket-token     ⟨BBDC-{44:a}⟩
onepassword-token   ⟨A3-{6:A}-{11:A}-{5:A}-{5:A}-{5:A}⟩
private-key         ⟨b3BlbnNzaC1rZXktdjE{80:a}⟩
private-key         tls.key: ⟨LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBL{200:a}⟩
password            openssl rsa -in k.pem -passin pass:⟨{12:a}⟩
password            CREATE USER 'ann'@'%' IDENTIFIED BY '⟨{12:a}⟩';
password            requirepass ⟨{16:a}⟩
password            ENV API_TOKEN ⟨{32:a}⟩
password            ConvertTo-SecureString "⟨{10:a}!1⟩" -AsPlainText -Force
password            redis-cli -h cache -a ⟨{16:a}⟩ ping
"""


class Shape(NamedTuple):
    """A text with a secret in it."""

    kind: str
    text: str
    secrets: tuple[str, ...]
    """The parts of the secret, a line each."""


def filled(template: str, seed: int) -> str:
    """Return a template with random characters; the first and the last of a hole are letters."""
    chance = random.Random(f"{template}{seed}")

    def part(hole: re.Match[str]) -> str:
        count, alphabet = int(hole[1]), hole[2]
        body = "".join(chance.choices(ALPHABETS[alphabet], k=count))
        first, last = EDGES[alphabet]
        return f"{first}{body[1:-1]}{last}" if count > 1 else first

    return HOLE.sub(part, template)


def shapes(seed: int = 1) -> Iterator[Shape]:
    """Yield each shape, filled."""
    for number, line in enumerate(SHAPES.strip().split("\n")):
        kind, template = line.split(None, 1)
        if template.startswith(("PEM ", "TAIL ", "PPK ")):
            yield _key(kind, template, seed)
            continue
        words = random.Random(number * 97 + seed).sample(WORDS, 24)
        for count in (12, 24):
            template = template.replace(f"WORDS {count}", " ".join(words[:count]))
        text = filled(template.replace("UUID", UUID), seed)
        start, end = text.find("⟨"), text.find("⟩")
        yield Shape(kind, text.replace("⟨", "").replace("⟩", ""), (text[start + 1 : end],))


def _key(kind: str, template: str, seed: int) -> Shape:
    form, *names, count = template.split()
    name = " ".join(names)
    body = [filled("{64:b}", seed * 100 + line) for line in range(int(count) - 1)]
    body.append(filled("{40:b}", seed) + "==")
    dashes = "-" * 5
    first, last = f"{dashes}BEGIN {name}{dashes}", f"{dashes}END {name}{dashes}"
    if form == "PPK":
        lines = ["Private-Lines: " + count, *body, "Private-MAC: " + filled("{40:h}", seed)]
    else:
        lines = [*([first] if form == "PEM" else []), *body, last]
    return Shape(kind, "\n".join(lines), tuple(body))


def _broken(shape: Shape) -> str:
    longest = max(shape.secrets, key=len)
    half = longest[: max(len(longest) // 2, 9)]
    return shape.text.replace(longest, f"{half}\n{longest[len(half) :]}")


def _marked(mark: Callable[[int], str]) -> Callable[[Shape], str]:
    def dressed(shape: Shape) -> str:
        return "\n".join(mark(at) + line for at, line in enumerate(shape.text.split("\n"), 9))

    return dressed


DRESSES: Mapping[str, Callable[[Shape], str]] = {
    "as it is": lambda shape: shape.text,
    "cat -n": _marked(lambda at: f"{at:6}\t"),
    "a Read tool's arrow": _marked(lambda at: f"{at:6}→"),
    "file:line:": _marked(lambda at: f"config/prod.env:{at}:"),
    "diff +": _marked(lambda _: "+"),
    "diff -": _marked(lambda _: "-"),
    "JSON, escaped": lambda shape: json.dumps({"out": f"a\n{shape.text}\nb"}),
    "quotes and a comma": lambda shape: f"    {json.dumps(shape.text)},",
    "broken over two lines": _broken,
    "NAME=value": lambda shape: f"HOME=/root\nVALUE={shape.text}\nLANG=C",
}
"""How a tool shows a text."""


def is_hidden(shape: Shape, text: str) -> bool:
    """Tell whether nothing of a secret is in a text: no eight characters of it in a row."""
    text = re.sub(r"\[secret: [a-z0-9-]+\]", "", text)
    for secret in shape.secrets:
        pieces = [secret[at : at + 8] for at in range(max(1, len(secret) - 7))]
        if any(piece in text for piece in pieces):
            return False
    return True


def recall(masked: Callable[[str], str], seed: int = 1) -> tuple[int, list[tuple[str, Shape]]]:
    """Return how many dressed shapes there are, and those of which something is left."""
    missed: list[tuple[str, Shape]] = []
    total = 0
    for shape in shapes(seed):
        for name, dress in DRESSES.items():
            total += 1
            if not is_hidden(shape, masked(dress(shape))):
                missed.append((name, shape))
    return total, missed
