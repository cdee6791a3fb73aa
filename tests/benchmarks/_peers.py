"""The peers: an f-string and Jinja2, compiled, that escape what they write as the library does.

They give the same bytes, which is asserted wherever they are measured. What escapes is the library's
own, behind a quick look of the same kind as the library's: one pass in C tells of most texts that
nothing in them needs thought. It is taken text by text, before anything else is done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jinja2 import Environment

from hud_components import HudState
from hud_components.words._cut import line
from ujsx.mdast.to_markdown._inline import code_span
from ujsx.mdast.to_markdown._unsafe import USUAL, USUAL_STARTS
from ujsx.text import paragraphs
from ujsx.text._hidden import _TELLING_TOO, escaped

# --- Escaping ---

_QUIET = bytes(code for code in USUAL._quiet if not _TELLING_TOO[code])
"""The bytes of UTF-8 that need no thought, beside the start of a line, and ``www.``."""

_STARTERS = frozenset(USUAL_STARTS.starters)


def is_plain(text: str) -> bool:
    """Tell, by a quick look, that a text is one line that stays as it is, but for how it starts."""
    is_quiet = not text.encode("utf-8", "surrogatepass").translate(None, _QUIET)
    return is_quiet and "w." not in text and "W." not in text


def inline(text: str) -> str:
    """Make a text inert within a line."""
    return text if is_plain(text) else USUAL.text(escaped(text))


def starting(text: str) -> str:
    """Make a text inert that begins a line."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    return USUAL_STARTS.escape(USUAL.text(escaped(text)))


def code(text: str) -> str:
    """Make a text inert as code."""
    if is_plain(text) and text[:1] != " ":
        return f"`{text}`"
    return code_span(escaped(line(text)))


def rest(text: str) -> str:
    """Make a text inert that stands at the end of an item's line, and may take more lines."""
    if is_plain(text):
        return text
    written = USUAL.text(escaped(text))
    return _indented(USUAL_STARTS.escape(f"x{written}")[1:]) if "\n" in written else written


def lined(text: str) -> str:
    """Make a text inert within a line, which it does not break."""
    return text if is_plain(text) else USUAL.text(escaped(line(text)))


def lined_start(text: str) -> str:
    """Make a text inert that begins a line, which it does not break."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    return USUAL_STARTS.escape(USUAL.text(escaped(line(text))))


def blocks(text: str) -> str:
    """Make a text inert that is an item: each part of it between blank lines is a paragraph."""
    if is_plain(text) and text[:1] not in _STARTERS:
        return text
    if "\n" not in text:
        return lined_start(text)
    return _indented("\n\n".join(map(starting, paragraphs(text))))


def _indented(written: str) -> str:
    return written.replace("\n", "\n  ").replace("\n  \n", "\n\n")


FILTERS: dict[str, Callable[[str], str]] = {
    "inline": inline,
    "rest": rest,
    "code": code,
    "lined": lined,
    "lined_start": lined_start,
    "blocks": blocks,
}

_JINJA = Environment(autoescape=False, keep_trailing_newline=True)  # it is Markdown
_JINJA.filters.update(FILTERS)


# --- The HUD ---


def hud_with_f_string(state: HudState) -> str:
    """Return the HUD as an f-string makes it."""
    usage = state.usage
    assert state.task is not None
    assert usage is not None
    decisions = "\n".join(f"- **{lined(d.summary)}** — {lined(d.details)}" for d in state.decisions)
    steps = "\n".join(
        f"{n}. ~~{lined(s.description)}~~" if s.completed else f"{n}. {lined_start(s.description)}"
        for n, s in enumerate(state.next_steps, 1)
    )
    notes = "\n".join(f"- {blocks(n.content)}" for n in state.notes)
    files = "\n".join(f"- {code(f.path)} ({f.status})" for f in state.active_files)
    return f"""# HUD

## Task

{lined_start(state.task.description)}

## Decisions

{decisions}

## Notes

{notes}

## Active files

{files}

## Next steps

{steps}

🟢 Context: {int(usage.percentage)}% used \
({usage.used:,} / {usage.limit:,} tokens, {lined(usage.model or "")}), {usage.trend}
"""


_HUD = _JINJA.from_string("""# HUD

## Task

{{ state.task.description | lined_start }}

## Decisions
{% for d in state.decisions %}
- **{{ d.summary | lined }}** — {{ d.details | lined }}
{%- endfor %}

## Notes
{% for n in state.notes %}
- {{ n.content | blocks }}
{%- endfor %}

## Active files
{% for f in state.active_files %}
- {{ f.path | code }} ({{ f.status }})
{%- endfor %}

## Next steps
{% for s in state.next_steps %}
{{ loop.index }}. {% if s.completed %}~~{{ s.description | lined }}~~{% else %}\
{{ s.description | lined_start }}{% endif %}
{%- endfor %}

🟢 Context: {{ state.usage.percentage | int }}% used ({{ "{:,}".format(state.usage.used) }} / \
{{ "{:,}".format(state.usage.limit) }} tokens, {{ state.usage.model | lined }}), {{ state.usage.trend }}
""")


def hud_with_jinja(state: HudState) -> str:
    """Return the HUD as Jinja2 makes it."""
    return _HUD.render(state=state)


# --- Lists of a user's own ---

_NAMES = _JINJA.from_string("""# Failing tests
{% for name in rows %}
- {{ name | code }}
{%- endfor %}
""")

_PAIRS = _JINJA.from_string("""# Findings
{% for what, why in rows %}
- **{{ what | inline }}** — {{ why | rest }}
{%- endfor %}
""")

_NESTED = _JINJA.from_string("""\
{% macro bold(what) %}**{{ what | inline }}**{% endmacro %}\
{% macro label(what) %}{{ bold(what) }}{% endmacro %}\
{% macro line(what, why) %}{{ label(what) }} — {{ why | rest }}{% endmacro %}\
{% macro row(what, why) %}- {{ line(what, why) }}{% endmacro %}\
{% macro finding(what, why) %}{{ row(what, why) }}{% endmacro %}\
# Findings
{% for what, why in rows %}
{{ finding(what, why) }}
{%- endfor %}
""")


def names_with_jinja(rows: Iterable[str]) -> str:
    """Return a list of names as Jinja2 makes it."""
    return _NAMES.render(rows=rows)


def pairs_with_jinja(rows: Iterable[Any]) -> str:
    """Return a list of pairs as Jinja2 makes it."""
    return _PAIRS.render(rows=rows)


def pairs_with_macros(rows: Iterable[Any]) -> str:
    """Return a list of pairs as Jinja2 makes it with five macros, one in the other."""
    return _NESTED.render(rows=rows)
