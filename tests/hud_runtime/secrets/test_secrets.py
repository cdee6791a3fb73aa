"""Secrets are found wherever they stand, and little else is taken for one."""

from __future__ import annotations

import json
import random
import re
import string
from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import hypothesis
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import Event, EventDraft, EventError, HudStore
from hud_runtime.log.secrets import (
    PATTERNS,
    SecretPattern,
    Secrets,
    find,
    masked,
    newly_masked,
    place_name,
    replaced,
    texts_in,
)
from tests.growth import growth, superlinear
from tests.ids import looped
from tests.secret_shapes import DRESSES, Shape, filled, recall, shapes
from tests.strategies import texts
from ujsx.errors import UjsxError

HERE = Path(__file__).parent

SEAMS = ("", " ", "\n", "\n  ", '"', ": ", "=", ", ", "/", "\\n", "\n     7\t", "[", "]")

PIECES = [
    *[shape.text for shape in shapes(3)][::3], "password", "API_TOKEN=", "secret: ", "[secret: jwt]", "[secret: ", "token]", "Authorization: ",
    "Cookie: a=", "://u:", "@host", "-----BEGIN PRIVATE KEY-----", "--password", "curl -u a:", "hunter2x", "your", "key", "'", "{", "\\",
]  # fmt: skip
"""Parts of texts that are about secrets, and of what is left of them."""

MARKS = (
    "my key.pem:{n}:", "certs/key.pem:", "{n:6}  ", "{commit} (Ann Lee 2024-01-0{day} 10:11:12 +0100 {n:3}) ", "{n} | ", "L{n}: ",
    "web_1  | ", "2026-11-27T08:0{day}:01Z INFO ", "[pod/web-7d9f8c6b5-x2/app] ", "{n:6}\t    ",
)  # fmt: skip
"""What tools show before each line of a file."""


def machine_lines(count: int) -> Iterator[str]:
    """Yield lines of lock files, logs and diffs: hashes, ids, addresses, images."""
    chance = random.Random(11)

    def some(size: int, letters: str = "0123456789abcdef") -> str:
        return "".join(chance.choices(letters, k=size))

    base64 = string.ascii_letters + string.digits + "+/"
    forms: list[Callable[[], str]] = [
        lambda: f'      "integrity": "sha512-{some(86, base64)}==",',
        lambda: f"    --hash=sha256:{some(64)} \\",
        lambda: f"index {some(7)}..{some(7)} 100644",
        lambda: f"commit {some(40)}",
        lambda: f"+{some(76, base64)}",
        lambda: f'<image href="data:image/png;base64,{some(160, base64)}"/>',
        lambda: (
            f"2026-11-0{some(1, '123456789')}T10:11:12Z INFO request id={some(8)}-{some(4)}-{some(4)}-{some(4)}-{some(12)} took {some(3, '123456789')}ms"
        ),
        lambda: f'checksum = "{some(64)}"',
        lambda: f'resolved "https://registry.host.io/pkg/-/pkg-1.2.3.tgz#{some(40)}"',
        lambda: (
            f"!function(e,t){{var {some(2, 'nrstu')}=e.{some(4, base64[:26])};return t?{some(3, 'abc')}:{some(2, 'xy')}}}(window,{some(1, 'no')});"
        ),
        lambda: (
            f"  key: {some(9, base64[:26])}_id, token: tokens[{some(1, '123')}], password: form.password,"
        ),
        lambda: f"-    password = request.POST.get('password', '')  # {some(8)}",
        lambda: f"E   AssertionError: {some(12)} != {some(12)}",
        lambda: f"h1:{some(43, base64)}=",
    ]
    for number in range(count):
        yield forms[number % len(forms)]()


def lines(name: str) -> list[str]:
    said = (HERE / name).read_text("utf-8").splitlines()
    return [
        each.replace("\\n", "\n").replace("\\e", "\x1b")
        for each in said
        if not each.startswith("# ")
    ]


def keys(seeds: int) -> Iterator[tuple[str, str]]:
    """Yield each kind of token that needs nothing around it, with some of them."""
    for seed in range(seeds):
        for kind, text, secrets in shapes(seed):
            if secrets == (text,) and kind != "private-key":
                yield kind, text


def assigned() -> Iterator[tuple[str, str]]:
    """Yield the kind of what is assigned, and a text with it between ⟨ and ⟩."""
    for line in lines("assigned.txt"):
        kind, template = line.split(None, 1)
        yield kind, template


class TestRecall:
    @pytest.mark.parametrize("context", lines("contexts.txt"))
    def test_every_kind_is_found_in_every_place(self, context: str) -> None:
        for kind, key in keys(3):
            text = context.replace("{}", key)
            assert [each.kind for each in find(text)] == [kind], (kind, text)
            left = masked(text)
            assert left == context.replace("{}", f"[secret: {kind}]"), kind

    @looped("seed", range(5))
    def test_what_is_assigned_is_found(self, seed: int) -> None:
        for kind, template in assigned():
            before, secret, after = re.split("[⟨⟩]", filled(template, seed))
            text = f"{before}{secret}{after}"
            assert masked(text) == f"{before}[secret: {kind}]{after}"
            [found] = find(text)
            assert (found.kind, found.begins, found.parts) == (kind, "", ())

    @looped("width", [20, 41, 64, 76, 80])
    @looped("between", ["\n", "\r\n", "\n    ", "\n> ", "\\\n"])
    def test_a_wrapped_line_hides_none(self, width: int, between: str) -> None:
        for kind, key in keys(1):
            text = f"the key of it is {key}"
            broken = between.join(
                text[start : start + width] for start in range(0, len(text), width)
            )
            inside = [at for at in range(width, len(text), width) if at - 17 >= 12]
            if not inside or len(text) - inside[-1] < 8 or inside[0] != width:
                continue  # the break is in what tells the kind, or leaves next to nothing
            left = masked(broken)
            assert f"[secret: {kind}]" in left, (kind, broken)
            assert key[-6:] not in left, (kind, broken)

    @looped("between", ["\r\n", "\\\n", "\\\r\n"])
    def test_a_token_behind_no_other_word_may_be_broken(self, between: str) -> None:
        key = filled("ghp_{36:a}", 1)
        left = f"[secret: github-token]{between}[secret: github-token]"
        assert masked(f"{key[:20]}{between}{key[20:]}") == left

    def test_a_token_broken_over_two_lines_of_a_diff_keeps_its_signs(self) -> None:
        key = filled("ghp_{36:a}", 1)
        for sign in "+-":
            left = f"{sign}[secret: github-token]"
            assert masked(f"{sign}{key[:20]}\n{sign}{key[20:]}") == f"{left}\n{left}"

    def test_a_plus_at_the_beginning_of_a_line_may_be_of_a_token(self) -> None:
        key = filled("fm2_{40:a}\n+{40:a}", 1)
        assert masked(key) == "[secret: fly-token]\n[secret: fly-token]"

    @looped("marks", ["_", "__"])
    def test_a_token_in_emphasis(self, marks: str) -> None:
        key = filled("ghp_{36:a}", 1)
        assert masked(f"{marks}{key}{marks}") == f"{marks}[secret: github-token]{marks}"
        assert masked(f"a{marks}{key}") == f"a{marks}{key}"
        assert masked(f"{key}{marks}a") == f"{key}{marks}a"

    @looped(("between", "is_near"), [(0, True), (1, False)])
    def test_a_section_of_settings_counts_for_2000_characters(
        self, between: int, is_near: bool
    ) -> None:
        section, name = "[client]", "password"
        filling = "\n#" + "." * (2_000 - len(section) - 5 + between) + "\n"
        text = f"{section}{filling}  {name} = winter\n"
        assert masked(text).endswith("= [secret: password]\n") == is_near

    def test_nothing_is_left_of_a_shape_in_any_dress(self) -> None:
        total, missed = recall(masked)
        assert total > 2_000
        assert sorted((name, shape.kind) for name, shape in missed) == [
            ("NAME=value", "private-key"),  # the first line of what is left of one
            ("broken over two lines", "openshift-token"),
            (
                "broken over two lines",
                "password",
            ),  # of words, and of letters with signs behind them
            ("broken over two lines", "password"),
            ("broken over two lines", "recovery-phrase"),
            ("broken over two lines", "recovery-phrase"),
        ]

    @looped("name", ["cat -n", "a Read tool's arrow", "file:line:", "diff +", "diff -"])
    def test_a_listing_keeps_its_marks(self, name: str) -> None:
        for shape in shapes():
            plain, dressed = shape.text, DRESSES[name](shape)
            marks = [
                line.removesuffix(text)
                for line, text in zip(dressed.split("\n"), plain.split("\n"), strict=True)
            ]
            left = masked(dressed).split("\n")
            assert len(left) == len(marks), shape
            for line, mark in zip(left, marks, strict=True):
                assert line.startswith(mark), shape
                rest = re.sub(r"\[secret: [a-z-]+\]", "", line.removeprefix(mark))
                assert all(rest not in secret for secret in shape.secrets if len(rest) > 8), shape

    def test_a_key_in_a_listing_is_one_secret_with_a_part_on_each_line(self) -> None:
        key = next(shape for shape in shapes() if shape.text.startswith("-----BEGIN "))
        text = DRESSES["cat -n"](key)
        [found] = find(text)
        lines = key.text.split("\n")
        assert [text[start:end] for start, end in found.parts] == lines
        assert (found.start, found.end) == (found.parts[0][0], found.parts[-1][1])
        assert found.begins == ""

    def test_words_behind_a_key_that_was_cut_stay(self) -> None:
        key = next(shape for shape in shapes() if shape.text.startswith("-----BEGIN "))
        lines = key.text.split("\n")[:5]
        assert masked("\n".join([*lines, "Done", "Then we go on."])) == (
            "[secret: private-key]\nDone\nThen we go on."
        )
        listed = DRESSES["cat -n"](key._replace(text="\n".join([*lines, "Done"])))
        assert masked(listed).split("\n")[-1].endswith("\tDone")

    @looped(("last", "left"), [("congratulations", "\ncongratulations"), ("q7Rf0TzLw2Kp9sVx", "")])
    def test_the_last_line_of_a_key_that_was_cut_has_16_characters(
        self, last: str, left: str
    ) -> None:
        key = next(shape for shape in shapes() if shape.text.startswith("-----BEGIN "))
        lines = key.text.split("\n")[:5]
        assert masked("\n".join([*lines, last])) == f"[secret: private-key]{left}"

    @looped("mark", ["", "+", "> ", "     7\t"])
    def test_a_key_without_its_beginning_is_masked_to_its_last_line(self, mark: str) -> None:
        key = next(shape for shape in shapes() if shape.text.endswith(" PRIVATE KEY-----"))
        lines = key.text.split("\n")[1:]
        given = "\n".join(f"{mark}{line}" for line in lines)
        left = "\n".join(f"{mark}[secret: private-key]" for _ in lines)
        assert masked(f"{mark}the end of it:\n{given}") == f"{mark}the end of it:\n{left}"

    def test_a_key_of_whole_lines_in_a_diff_keeps_its_signs(self) -> None:
        dashes = "-" * 5
        lines = [f"{dashes}BEGIN PRIVATE KEY{dashes}", *filled("{64:b}\n{64:b}", 1).split("\n")]
        given = "\n".join(f"+{line}" for line in [*lines, f"{dashes}END PRIVATE KEY{dashes}"])
        assert masked(given) == "\n".join(["+[secret: private-key]"] * 4)

    def test_an_encrypted_key_has_a_blank_line_that_stays(self) -> None:
        dashes, body = "-" * 5, filled("{64:b}", 1)
        name = f"RSA PRIVATE KEY{dashes}"
        lines = [f"{dashes}BEGIN {name}", "Proc-Type: 4,ENCRYPTED", "", body, f"{dashes}END {name}"]
        listed = [f"{at:6}\t{line}" for at, line in enumerate(lines, 9)]
        left = [
            f"{at:6}\t{'[secret: private-key]' if line else ''}" for at, line in enumerate(lines, 9)
        ]
        assert masked("\n".join(listed)) == "\n".join(left)
        assert masked("\n".join(lines)) == "[secret: private-key]"

    @looped(("size", "is_key"), [(40, False), (41, True)])
    def test_a_program_that_names_the_first_line_has_no_key(self, size: int, is_key: bool) -> None:
        dashes = "-" * 5
        body = filled(f"{{{size}:b}}", 1)
        text = f"{dashes}BEGIN PRIVATE KEY{dashes}\n{body}\n{dashes}END PRIVATE KEY{dashes}"
        assert (masked(text) == "[secret: private-key]") == is_key

    @looped("place", ["beginning", "end"])
    @looped("mark", MARKS)
    def test_a_key_behind_any_mark_is_masked_on_each_line(self, mark: str, place: str) -> None:
        key = next(shape for shape in shapes() if shape.text.startswith("-----BEGIN "))
        lines = key.text.split("\n")
        marks = [mark.format(n=at, day=at % 9, commit=f"{at}abc12d" * 2) for at in range(9, 9 + 4)]
        given = lines[:4] if place == "beginning" else lines[-4:]
        text = "\n".join(map("".join, zip(marks, given, strict=True)))
        assert masked(text) == "\n".join(f"{each}[secret: private-key]" for each in marks)
        assert masked(json.dumps(text)) == json.dumps(masked(text))

    def test_words_before_the_last_line_of_a_key_stay(self) -> None:
        key = next(shape for shape in shapes() if shape.text.endswith(" PRIVATE KEY-----"))
        *lines, last = key.text.split("\n")[-3:]
        left = ["[secret: private-key]"] * 2
        text = "\n".join([*lines, f"it ends with {last}"])
        assert masked(text) == "\n".join([*left, "it ends with [secret: private-key]"])
        text = "\n".join([*lines, f"{'it ends with':.<121} {last}"])
        assert masked(text) == text

    @looped(("size", "is_mark"), [(120, True), (121, False)])
    def test_a_mark_has_120_characters_and_the_same_words_on_each_line(
        self, size: int, is_mark: bool
    ) -> None:
        key = next(shape for shape in shapes() if shape.text.startswith("-----BEGIN "))
        lines = key.text.split("\n")[:4]
        text = "\n".join(f"{'web':.<{size}}{line}" for line in lines)
        assert (masked(text) != text) == is_mark
        other = text.replace("\nweb", "\nsql")
        assert masked(other) == other

    @looped("mark", ["7 ", "a1b2c3d ", "1 a1b2c3d 1 "])
    def test_marks_in_great_numbers_take_time_in_proportion(self, mark: str) -> None:
        line = f"{(mark * 60)[:118]} -----BEGIN PRIVATE KEY-----\n{'7' * 200}\n"

        def work(length: int) -> object:
            return find((line * (length // len(line) + 1))[:length])

        assert growth(work, 4_000, 32_000, runs=2) <= 24

    @looped(("body", "is_token"), [("aB1" * 12, False), ("aB12" * 9, True)])
    def test_a_few_characters_over_and_over_are_no_token(self, body: str, is_token: bool) -> None:
        assert bool(find(f"ghp_{body}")) == is_token

    def test_the_data_of_a_secret_in_kubernetes(self) -> None:
        value = b64encode(filled("{12:a}", 1).encode()).decode()
        text = f"kind: Secret\ndata:\n  api: {value}\n  user: YW5u\n"
        assert (
            masked(text)
            == "kind: Secret\ndata:\n  api: [secret: kubernetes-secret]\n  user: YW5u\n"
        )
        assert masked(text.replace("Secret", "ConfigMap")) == text.replace("Secret", "ConfigMap")

    def test_a_private_key_goes_as_a_whole(self) -> None:
        body = filled("{64:b}\n{64:b}\n{48:b}==", 1)
        for name in ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"):
            text = f"a\n-----BEGIN {name}-----\n{body}\n-----END {name}-----\nb"
            assert masked(text) == "a\n[secret: private-key]\nb"
            escaped = json.dumps({"key": text})
            assert masked(escaped) == '{"key": "a\\n[secret: private-key]\\nb"}'
            cut = text[: len(text) // 2]
            assert masked(cut) == "a\n[secret: private-key]"

    def test_a_line_that_is_escaped_hides_none(self) -> None:
        for kind, key in keys(1):
            text = json.dumps({"out": f"a\n{key}\r\n\t{key}\n"})
            [alone] = find(key)
            assert [(each.kind, each.begins) for each in find(text)] == [(kind, alone.begins)] * 2

    def test_the_same_words_do_not_stand_for_each_other(self) -> None:
        [one, two] = [key for kind, key in keys(1) if kind == "anthropic-key"][:2]
        assert masked(f"{one} {two} {one}") == " ".join(["[secret: anthropic-key]"] * 3)


class TestPrecision:
    def test_what_is_none_is_left(self) -> None:
        assert [text for text in lines("harmless.txt") if find(text)] == []

    def test_the_repository_has_none(self) -> None:
        root = HERE.parents[2]
        folders = [root / name for name in ("docs", "hud_runtime", "hud_components", "ujsx")]
        found = [
            (path.name, each.kind, each.start)
            for folder in folders
            for path in folder.rglob("*")
            if path.suffix in {".md", ".py", ".js", ".jsonl"}
            for each in find(path.read_text("utf-8"))
        ]
        assert found == []

    def test_lines_that_machines_write_are_none(self) -> None:
        lines = [*machine_lines(6_000)]
        found = [(each.kind, line) for line in lines for each in find(line)]
        assert found == []
        assert find("\n".join(lines)) == []

    def test_what_is_installed_has_hardly_any(self) -> None:
        """A sample of the files of libraries for tests; what passwords they have are examples."""
        folders = [Path(each.__file__).parent for each in (hypothesis, pytest, jsonschema)]
        files = [path for folder in folders for path in sorted(folder.rglob("*.py"))][::2]
        texts = [path.read_text("utf-8") for path in files]
        count = sum(text.count("\n") for text in texts)
        found = [each for text in texts for each in find(text)]
        assert count > 20_000
        assert len(found) <= 2, found

    @given(st.text(alphabet="0123456789abcdef-", min_size=8, max_size=90))
    def test_no_hash_is_one(self, text: str) -> None:
        assert find(text) == []
        assert find(f"id={text} sha256:{text}") == []


class TestOverlaps:
    """Two patterns of one's own, so that the edges are known to the character."""

    A = SecretPattern("a", ("a",), re.compile("a+b+"), "here", lambda _: True, 2)
    B = SecretPattern("b", ("b",), re.compile("b+c+"), "here", lambda _: True, 1)

    def found(self, text: str) -> list[tuple[str, int, int, str]]:
        given = find(text.ljust(12), [self.A, self.B])
        return [(each.kind, each.start, each.end, each.begins) for each in given]

    def test_what_overlaps_is_masked_to_the_last_end(self) -> None:
        assert self.found("x aabbcc y") == [("a", 2, 8, "aa")]
        assert masked("x aabbcc y..", [self.A, self.B]) == "x [secret: a] y.."
        assert masked("x aabbcc y..", [self.B, self.A]) == "x [secret: b] y.."

    def test_the_longer_one_counts_where_both_begin(self) -> None:
        long = SecretPattern("long", ("a",), re.compile("a+b+c+"), "here", lambda _: True, 0)
        assert [each.end for each in find("aabbcc......", [self.A, long])] == [6]
        assert [each.end for each in find("aabbcc......", [long, self.A])] == [6]

    def test_what_only_touches_stays_two(self) -> None:
        c = SecretPattern("c", ("c",), re.compile("c+"), "here", lambda _: True)
        assert masked("aabbcc......", [self.A, c]) == "[secret: a][secret: c]......"

    def test_what_holds_others_is_one_with_them(self) -> None:
        text = "aab" + "...bbc" * 3 + "." * 9
        whole = SecretPattern("whole", ("a",), re.compile(r"a.*c"), "here", lambda _: True)
        assert masked(text, [self.A, self.B, whole]) == "[secret: a]" + "." * 9
        assert [each.kind for each in find(text, [whole, self.A, self.B])] == ["whole"]

    @looped(
        ("before", "again"), [("", "aaaabbbbcccc dddd\n"), ("no a here\n", "\naaaabbbbcccc dddd\n")]
    )
    def test_only_lines_that_a_break_may_join_are_searched_again(
        self, before: str, again: str
    ) -> None:
        searched: list[str] = []

        def found(text: str) -> list[list[tuple[int, int]]]:
            searched.append(text)
            return []

        mine = SecretPattern("b", ("aaaa",), found, "here", shown=0)
        find(f"{before}aaaabbbb\ncccc dddd\nmore of it\n", [mine])
        assert searched[1:] == [again]

    def test_a_text_is_searched_four_times_at_most(self) -> None:
        """Else a text that shows a secret behind each mask takes the square of its length."""

        def first(text: str) -> list[list[tuple[int, int]]]:
            at = text.index("a")
            return [[(at, at + 1)]]

        mine = SecretPattern("first", ("a",), first, "here", shown=0)
        assert len(find("a." * 12, [mine])) == 4

    def test_what_is_told_of_the_beginning_is_of_the_kind_that_it_is_of(self) -> None:
        inner = SecretPattern("inner", ("b",), re.compile("bb"), "here", lambda _: True, 2)
        outer = SecretPattern("outer", ("a",), re.compile("a+b+c"), "here", lambda _: True, 0)
        [found] = find("aabbc.......", [inner, outer])
        assert (found.kind, found.start, found.end, found.begins) == ("inner", 0, 5, "")

    def test_parts_that_another_secret_joins_are_one(self) -> None:
        def of(parts: list[tuple[int, int]]) -> SecretPattern:
            return SecretPattern("parts", ("a",), lambda _text: [parts], "here", shown=0)

        text = "aaaaabbbcccc" + "." * 12
        given = [of([(0, 5), (8, 12)]), of([(3, 8)])]
        assert masked(text, given) == "[secret: parts]" + "." * 12
        assert masked(text, given[:1]) == "[secret: parts]bbb[secret: parts]" + "." * 12

    def test_a_secret_behind_another_one_is_seen_once_that_is_masked(self) -> None:
        first, second = filled("SK{32:h}", 1), filled("apify_api_{36:a}", 1)
        text = f"{first}\n{second[:20]}\n{second[20:]}"
        left = "[secret: twilio-key]\n[secret: apify-token]\n[secret: apify-token]"
        assert masked(text) == left
        assert [each.kind for each in find(text)] == ["twilio-key", "apify-token"]

    def test_secrets_at_both_ends_of_a_text(self) -> None:
        key = filled("ghp_{36:a}", 1)
        assert masked(f"{key} {key}") == "[secret: github-token] [secret: github-token]"
        assert masked(key[:-1]) == key[:-1]  # one character less is none
        assert masked(f"{key}x" * 9) == f"{key}x" * 9

    def test_a_named_token_is_masked_with_all_that_the_name_has(self) -> None:
        key = filled("ghp_{36:a}", 1)
        assert masked(f'A_TOKEN="{key}!more"') == 'A_TOKEN="[secret: github-token]"'
        assert masked(f"A_TOKEN={key}!more") == "A_TOKEN=[secret: github-token]"


class TestLaws:
    @given(texts)
    def test_masking_twice_is_masking_once(self, text: str) -> None:
        assert masked(masked(text)) == masked(text)

    @given(st.lists(st.sampled_from(PIECES), max_size=12), st.randoms())
    def test_masking_twice_is_masking_once_whatever_stands_together(
        self, pieces: list[str], chance: random.Random
    ) -> None:
        text = "".join(f"{piece}{chance.choice(SEAMS)}" for piece in pieces)
        once = masked(text)
        assert masked(once) == once
        for each in find(text):
            parts = each.parts or ((each.start, each.end),)
            assert (each.start, each.end) == (parts[0][0], parts[-1][1])
            assert all(one[1] <= two[0] for one, two in pairwise(parts))
            assert all(start < end for start, end in parts)

    @given(texts, st.sampled_from([*DRESSES]))
    def test_what_is_no_secret_keeps_its_characters(self, text: str, name: str) -> None:
        dressed = DRESSES[name](Shape("", text, (text,)))
        left = re.sub(r"\[secret: [a-z0-9-]+\]", "\0", masked(dressed)).split("\0")
        at = 0
        for piece in left:
            at = dressed.index(piece, at) + len(piece)

    @given(texts, st.sampled_from([*keys(1)]), texts)
    def test_no_key_is_left_whatever_stands_around_it(
        self, before: str, key: tuple[str, str], after: str
    ) -> None:
        assert key[1] not in masked(f"{before} {key[1]} {after}")

    @given(texts)
    def test_what_is_found_is_in_order_and_apart(self, text: str) -> None:
        found = find(f"{text} password='q7Rf0TzLw2Kp' {text}")
        assert all(one.end <= two.start for one, two in pairwise(found))
        assert all(each.start < each.end and len(each.begins) <= 4 for each in found)

    def test_every_pattern_is_linear(self) -> None:
        for pattern in PATTERNS:
            if not callable(expression := pattern.expression):
                use = "match" if pattern.starts else "all"
                assert superlinear(re.compile(expression, re.ASCII), use) is None, pattern.kind

    @pytest.mark.parametrize(
        "text",
        ["ghp_", "sk-ant-api03-", "eyJ.eyJ.", "://a:b", "password=", "-----BEGIN PRIVATE KEY-----\n",
         "--password winter ", "\n  password = winter", "<property name=token>", "Authorization: Bearer ", "token: 'a ", "Bearer a1", "\nsk-a", "a\n" * 4 + "sk-", "secret\\\"':", "xoxb-", "Q~", "AccountKey="],
    )  # fmt: skip
    def test_a_text_of_twice_the_length_takes_twice_as_long(self, text: str) -> None:
        def work(length: int) -> object:
            return find((text * length)[:length])

        assert growth(work, 4_000, 32_000, runs=2) <= 24

    def test_every_shape_again_and_again_takes_time_in_proportion(self) -> None:
        seams = ("", "0-", " ", "\n")
        for number, shape in enumerate(shapes()):
            piece = shape.text[: len(shape.text) * 2 // 3] + seams[number % 4]

            def work(length: int, piece: str = piece) -> object:
                return find((piece * (length // len(piece) + 1))[:length])

            assert growth(work, 1_000, 8_000, runs=2) <= 24, piece

    def test_no_mask_tells_anything_of_the_secret(self) -> None:
        for kind, key in keys(2):
            [found] = find(key)
            assert key.startswith(found.begins)
            assert masked(key) == f"[secret: {kind}]"


class TestRecorded:
    KEY = filled("ghp_{36:a}", 1)

    def test_secrets_are_masked_where_anything_is_recorded(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record("note.add", content=f"use {self.KEY}")
            session.record("error.encountered", message=f"curl -u x:{self.KEY}")
            session.call("hud", {"op": "decisions.record", "summary": "x", "details": self.KEY})
            session.call(
                "hud", {"op": "notes.add", "content": json.dumps({"a": {"token": self.KEY}})}
            )
            replaced = {"blockers": [{"description": f"ask {self.KEY}"}]}
            session.record_all([EventDraft("section.replace", replaced)])
            session.record("compact.after", summary=f"the token is {self.KEY}")
            session.delivered(session.deliver().id)
            child = store.session("c", parent="s")
            store.import_events("copy", [_as(each, "copy") for each in child.events()])
            assert session.state().blockers[0].description == "ask [secret: github-token]"
        files = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
        assert self.KEY.encode() not in files

    @looped("name", ["cat -n", "a Read tool's arrow", "file:line:", "diff +"])
    def test_a_listed_key_is_in_no_file_search_or_hud(self, tmp_path: Path, name: str) -> None:
        wanted = {"private-key", "ujsx-token", "atlassian-token", "databricks-token"}
        given = {shape.kind: shape for shape in shapes() if shape.kind in wanted}
        texts = [DRESSES[name](shape) for shape in given.values()]
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            for number, text in enumerate(texts):
                session.record("note.add", content=text)
                session.keep_output(f"o-{number}", text, tool="Read")
            shown = session.hud().text
            words = [secret[:24] for shape in given.values() for secret in shape.secrets]
            assert len(words) > 3
            assert all(word not in shown for word in words)
            assert all(store.search(f'"{word}"') == [] for word in words)
        files = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
        assert all(word.encode() not in files for word in words)

    def test_what_another_log_holds_is_masked_when_it_is_taken_in(self) -> None:
        with HudStore.open(":memory:", secrets="off") as store:
            session = store.session("s")
            session.record("note.add", content=f"use {self.KEY}", id="n")
            events = list(session.events())
            assert self.KEY in session.state().notes[0].content
        with HudStore.open(":memory:") as store:
            for _ in range(2):  # what is there already is the same
                store.import_events("s", events)
            assert store.session("s").state().notes[0].content == "use [secret: github-token]"
        with HudStore.open(":memory:", secrets="refuse") as store:
            with pytest.raises(EventError, match=r"note\.add: .* \(github-token\)"):
                store.import_events("s", events)
            assert store.sessions() == ()

    def test_an_answer_says_what_was_masked(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            said = session.call("hud", {"op": "notes.add", "content": f"use {self.KEY}"})
            assert "Added n-2. Masked, as secrets are not kept: github-token." in said.text
            said = session.call("hud", {"op": "notes.add", "content": "[secret: github-token] x"})
            assert "Masked" not in said.text

    def test_an_item_is_named_by_its_text_with_the_secret(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("blocker.add", description=f"{self.KEY} is revoked")
            session.record("blocker.resolve", id=f"{self.KEY} is revoked")
            assert session.state().blockers[0].resolved

    def test_secrets_can_be_refused(self) -> None:
        with HudStore.open(":memory:", secrets="refuse") as store:
            session = store.session("s")
            with pytest.raises(EventError, match=r'"content" seems .* \(github-token\)') as caught:
                session.record("note.add", content=f"use {self.KEY}")
            assert self.KEY not in str(caught.value)
            drafts = [EventDraft("note.add", {"content": each}) for each in (self.KEY, "fine")]
            told: list[EventError] = []
            session.record_all(drafts, refused=lambda _draft, error: told.append(error))
            assert [note.content for note in session.state().notes] == ["fine"]
            assert len(told) == 1
            answer = session.call("hud", {"op": "notes.add", "content": self.KEY})
            assert answer.is_error
            assert self.KEY not in answer.text

    def test_the_environment_says_what_is_usual(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("UJSX_SECRETS", "off")
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("note.add", content=self.KEY)
            assert session.state().notes[0].content == self.KEY
        monkeypatch.setenv("UJSX_SECRETS", "maks")
        with pytest.raises(UjsxError, match=r'UJSX_SECRETS: "maks" .* did you mean "mask"'):
            HudStore.open(":memory:")

    def test_a_table_of_your_own(self) -> None:
        own = SecretPattern("acme-key", ("acme_",), re.compile(r"acme_[0-9a-f]{32}"), "acme")
        with HudStore.open(":memory:", secrets=Secrets(patterns=[own])) as store:
            session = store.session("s")
            session.record("note.add", content=f"acme_{'a1b2c3d4' * 4} {self.KEY}")
            assert session.state().notes[0].content == f"[secret: acme-key] {self.KEY}"

    def test_names_are_no_texts(self) -> None:
        with HudStore.open(":memory:") as store:
            store.session("s", project=self.KEY)
            assert store.session("s", project=self.KEY).known.session is not None


def _as(event: Event, session_id: str) -> Event:
    return event.model_copy(update={"session_id": session_id, "id": ""})


class TestData:
    KEY = filled("ghp_{36:a}", 1)

    def test_keys_are_masked_too_and_none_is_lost(self) -> None:
        other = filled("ghp_{36:a}", 2)
        data = {"a": {self.KEY: 1, other: [2], "b": {other: "c"}}}
        assert Secrets().masked_data(data) == {
            "a": {"[secret: github-token]": 1, "[secret: github-token] 2": [2], "b": {"[secret: github-token]": "c"}}
        }  # fmt: skip
        with pytest.raises(
            EventError, match=r'"a\.\[secret: github-token\]" seems .* \(github-token\)'
        ):
            Secrets("refuse").taken("x", {"a": {self.KEY: 1}})
        given = {"a": {"b": "nothing"}}
        assert Secrets().taken("x", given) is given

    def test_a_text_behind_a_key_that_says_so_is_a_secret(self) -> None:
        word = "correct" + "-horse" * 2
        data = {
            "env": {"DB_PASSWORD": word, "HOME": word},
            "headers": [{"X-Api-Key": filled("{20:a}", 1)}],
        }
        left = Secrets().masked_data(data)
        assert left["env"] == {"DB_PASSWORD": "[secret: password]", "HOME": word}
        assert left["headers"] == [{"X-Api-Key": "[secret: password]"}]
        assert Secrets().masked_data(left) == left
        with pytest.raises(EventError, match=r'"env.DB_PASSWORD" .* \(password\)'):
            Secrets("refuse").taken("x", data)

    def test_a_password_may_have_quotes(self) -> None:
        for word in ("hunter2\"x'y", "it's-x9-z", 'a"b"c1!'):
            assert Secrets().masked_data({"password": word}) == {"password": "[secret: password]"}
        lines = {"password": "hunter2x\nis on the first line"}
        assert Secrets().masked_data(lines) == lines

    def test_what_says_nothing_behind_such_a_key_stays(self) -> None:
        data = {
            "password": "string",
            "token": "next",
            "api_key": "${KEY}",
            "key": "notes",
            "secret": "",
        }
        assert Secrets().masked_data(data) == data


class TestPatterns:
    @looped(
        ("kind", "hints", "shown"),
        [("Acme", ("a",), 0), ("a b", ("a",), 0), ("a", (), 0), ("a", ("A",), 0), ("a", ("a",), 5)],
    )
    def test_what_cannot_be_one_is_refused(
        self, kind: str, hints: tuple[str, ...], shown: int
    ) -> None:
        with pytest.raises(UjsxError):
            SecretPattern(kind, hints, re.compile("a"), "nobody", shown=shown)

    def test_every_row_has_a_source_and_is_tried(self) -> None:
        assert all(each.source for each in PATTERNS)
        assert all(re.fullmatch(r"20\d\d-\d\d", each.seen) for each in PATTERNS)
        tried = {shape.kind for shape in shapes()} | {kind for kind, _ in assigned()}
        assert tried | {"kubernetes-secret"} == {each.kind for each in PATTERNS}

    def test_texts_are_found_and_changed_in_their_places(self) -> None:
        data = {"a": [{"b": "x"}, "y"], "c": 1, "d": None}
        assert [(place_name(place), text) for place, text in texts_in(data)] == [
            ("a.0.b", "x"), ("a.1", "y"),
        ]  # fmt: skip
        assert replaced(data, lambda place, text: f"{place_name(place)}={text}") == {
            "a": [{"b": "a.0.b=x"}, "a.1=y"], "c": 1, "d": None,
        }  # fmt: skip
        assert newly_masked({"a": "[secret: x]"}, {"a": "[secret: x] [secret: y]"}) == ["y"]
