"""Differences between texts, as a person reads them, and the report of many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from tests.ujsx.testing.inside import Difference, line_changes, report

LINES = st.lists(st.sampled_from(["", "a", "b", " c", "d "]), max_size=9)
TEXTS = LINES.map("\n".join)


def changed(before: str, after: str) -> list[str]:
    return [line for each in line_changes(before, after) for line in str(each).split("\n")]


def differences(count: int, before: str, after: str) -> list[Difference]:
    """As many snapshots, in which a number in braces is the snapshot's own."""
    return [
        Difference(
            f"case {number}",
            "full",
            f"case {number}.full.md",
            5,
            5,
            line_changes(before.format(number), after.format(number)),
        )
        for number in range(count)
    ]


class TestLineChanges:
    @looped(
        ("before", "after", "lines"),
        [
            ("", "a\n", ["  + a"]),
            ("a\n", "", ["  - a"]),
            ("a\n", "a", ["  - a", "  + a (no newline at the end)"]),
            ("a\n", "a \t\n", ["  - a", "  + a·→"]),
            ("a\nb\n", "a\nc\n", ["  - b", "  + c"]),
            ("a b c\n", "x\na b d\n", ["  + x", "  - a b c", "  + a b d"]),
            ("a b c\nx\n", "a b d\n", ["  - a b c", "  + a b d", "  - x"]),
            ("a\n\nb\n", "a\nb\n", ["  -"]),
        ],
    )
    def test_are(self, before: str, after: str, lines: list[str]) -> None:
        assert changed(before, after) == lines

    @given(before=TEXTS, after=TEXTS)
    def test_are_none_for_equal_texts_alone(self, before: str, after: str) -> None:
        assert (line_changes(before, after) == ()) == (before == after)

    @given(before=LINES, after=LINES)
    def test_have_every_line_that_came_and_went(self, before: list[str], after: list[str]) -> None:
        lines = changed("\n".join([*before, ""]), "\n".join([*after, ""]))
        came = sum(line.strip("+ ") != "" and line.startswith("  +") for line in lines)
        went = sum(line.strip("- ") != "" and line.startswith("  -") for line in lines)
        assert came - went == sum(map(bool, map(str.strip, after))) - sum(
            map(bool, map(str.strip, before))
        )

    def test_name_the_nearest_heading(self) -> None:
        before = "# HUD\n\n## Task\n\nx\n\n## Notes\n\n- a\n"
        (change,) = line_changes(before, before.replace("- a", "- b"))
        assert (change.section, change.above) == ("Notes", "## Notes")


class TestReport:
    def test_has_equal_changes_once_with_their_numbers(self) -> None:
        told = report(differences(40, "# Notes\n\n- {}\n", "# Remarks\n\n- {}\n"))
        assert told.count("- # Notes") == told.count("+ # Remarks") == 1
        assert "Remarks: 40 snapshots of 40 cases (full), such as case 0.full.md" in told

    def test_has_one_word_in_many_lines_once(self) -> None:
        told = report(differences(40, "*Notes: {}*\n", "*Remarks: {}*\n"))
        assert "… 37 more lines with the same words changed" in told
        assert told.count("+ *Remarks:") == 3

    def test_keeps_changes_of_other_words_apart(self) -> None:
        told = report(differences(40, "*Notes: {0}*\n", "*Notes: {0}{0}*\n"))
        assert told.count("  + ") == 40

    def test_obeys_nothing_that_a_file_says_to_a_terminal(self) -> None:
        told = report(differences(1, "a\x1b[2J\n", "b\x1b]0;x\x07\n"))
        assert "\x1b" not in told
        assert "- a␛[2J" in told

    def test_says_that_nothing_is_shown_any_more(self) -> None:
        gone = Difference(
            "a", "full", "a.full.md", 0, 9, line_changes("# A\n\nx\n", ""), shows_nothing=True
        )
        assert report([gone]).startswith(
            "nothing is shown any more in 1 snapshot of 1 case (full), such as a.full.md:"
        )
