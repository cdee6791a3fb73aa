"""``make rules``: learn the weights of the words of rules, write them, and try them on texts that were kept apart.

A clause of a text is an example: of a rule where a rule begins with it, and of none else. The weights are those of a
logistic regression, drawn to nought (elastic net), and rounded to tenths, so that most are none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hud_runtime.observe.rules import clauses, rules_in, sentences, traits
from tests.hud_runtime.observation.rule_texts import Text, texts

ROOT = Path(__file__).parents[2]
WEIGHTS = ROOT / "hud_runtime" / "data" / "rule-words.tsv"

ROUNDS = 250
LEAST, RIDGE = 0.07, 1.0
"""The pull of small weights to nought, and of large ones."""

SEEN = 3
"""Examples that a trait stands in at least."""


class Example(NamedTuple):
    """The traits of a clause, and whether it is a rule."""

    traits: frozenset[str]
    is_rule: bool


def examples(given: Iterable[Text]) -> Iterator[Example]:
    """Yield the clauses of texts; of a text that is a rule as a whole those of its sentences.

    Every third text that stands alone is one of a list, too.
    """
    texts = [*given]
    alone = [each for each in texts if each.place == "alone"][::3]
    bullets = [each._replace(text=f"- {each.text}", rule=f"- {each.rule}") for each in alone]
    for each in chain(texts, bullets):
        for sentence, masked, around in sentences(each.text):
            at = _place(sentence, each.rule) if each.kind == "rule" else None
            starts = clauses(masked)
            if at is not None:
                yield Example(
                    traits(masked, max(s for s in starts if s <= at), around), is_rule=True
                )
            elif each.kind != "rule" or each.rule != each.text:
                yield from (
                    Example(traits(masked, start, around), is_rule=False) for start in starts
                )


def _place(sentence: str, rule: str) -> int | None:
    """Where in a sentence a rule begins; at its beginning if the rule goes on with it; None where it is elsewhere."""
    place = sentence.find(rule[:12])
    goes_on = sentence[:12] in rule or rule[-12:] in sentence
    return place if place >= 0 else 0 if goes_on else None


def learned(found: Sequence[Example]) -> dict[str, int]:
    """Return the weights of traits in tenths, by the method of Beck and Teboulle (FISTA)."""
    seen = Counter(chain.from_iterable(each.traits for each in found))
    numbers = {trait: n for n, trait in enumerate(sorted(t for t in seen if seen[t] >= SEEN))}
    columns = [[numbers[t] for t in sorted(each.traits) if t in numbers] for each in found]
    sizes = np.array([len(each) for each in columns])
    column, row = np.concatenate(columns).astype(int), np.repeat(np.arange(len(found)), sizes)
    truth = np.array([each.is_rule for each in found], dtype=float)

    step = 1 / (0.25 * np.bincount(column, weights=sizes[row] + 1.0) + RIDGE)
    step_all = 1 / (0.25 * float((sizes + 1).sum()))
    weights = ahead = np.zeros(len(numbers))
    bias = bias_ahead = 0.0
    pace = 1.0
    for _ in range(ROUNDS):
        score = np.bincount(row, weights=ahead[column], minlength=len(found)) + bias_ahead
        error = 1 / (1 + np.exp(-score.clip(-30, 30))) - truth
        slope = np.bincount(column, weights=error[row]) + RIDGE * ahead
        moved = ahead - step * slope
        new = np.sign(moved) * np.maximum(np.abs(moved) - LEAST * step, 0)
        new_bias = bias_ahead - step_all * float(error.sum())
        next_pace = (1 + (1 + 4 * pace**2) ** 0.5) / 2
        share = (pace - 1) / next_pace
        ahead, bias_ahead = new + share * (new - weights), new_bias + share * (new_bias - bias)
        weights, bias, pace = new, new_bias, next_pace
    tenths = {trait: round(10 * float(weights[n])) for trait, n in numbers.items()}
    return {"": round(10 * bias)} | {trait: weight for trait, weight in tenths.items() if weight}


def written(weights: dict[str, int]) -> str:
    """Return a line for each weight, with the traits that have it."""
    by_weight: dict[int, list[str]] = defaultdict(list)
    for trait, weight in weights.items():
        by_weight[weight].append(trait)
    lines = ("\t".join([str(weight), *sorted(by_weight[weight])]) for weight in sorted(by_weight))
    return "\n".join(lines) + "\n"


def heard(given: Iterable[Text]) -> str:
    """Return how many rules are heard, and how many are heard where there are none."""
    found, all_of = Counter[str](), Counter[str]()
    for each in given:
        found[each.kind] += bool(rules_in(each.text))
        all_of[each.kind] += 1
    return ", ".join(f"{kind} {found[kind]} of {all_of[kind]}" for kind in all_of)


def main() -> None:
    """Learn, write, try."""
    WEIGHTS.write_text(written(learned([*examples(texts("rules-open.tsv"))])), encoding="utf-8")
    for file in ("rules-open.tsv", "rules-apart.tsv"):
        print(f"{file}, texts in which a rule is heard: {heard(texts(file))}")


if __name__ == "__main__":
    main()
