"""Rendering one HUD: ours, an f-string with the same escaping, Jinja2, pydantic-promptmodel.

All but the last give the same bytes, which is checked first.
"""

from __future__ import annotations

from itertools import count

from jinja2 import Environment
from pydantic_promptmodel import PromptModel

from hud_components import ContextUsage, Hud, HudState
from hud_components.words._cut import line
from tests.benchmarks._sample import sample_state
from tests.benchmarks._timing import medians, table
from ujsx import Rendered, Renderer
from ujsx.mdast.to_markdown._inline import code_span
from ujsx.mdast.to_markdown._unsafe import UNSAFE, Escapes, escape_line_starts
from ujsx.text._hidden import escaped
from ujsx.tokens import estimate_tokens

_ESCAPES = Escapes(UNSAFE)


def escape(text: str) -> str:
    """Make a text inert on one line, with the library's own functions for it."""
    return escape_line_starts(_ESCAPES.lone(escaped(line(text))))


def code(text: str) -> str:
    """Make a text inert as code on one line, likewise."""
    return code_span(escaped(line(text)))


def with_f_string(state: HudState) -> str:
    """Return the HUD as an f-string makes it."""
    e = escape
    usage = state.usage
    assert state.task is not None
    assert usage is not None
    decisions = "\n".join(f"- **{e(d.summary)}** — {e(d.details)}" for d in state.decisions)
    steps = "\n".join(
        f"{n}. ~~{e(s.description)}~~" if s.completed else f"{n}. {e(s.description)}"
        for n, s in enumerate(state.next_steps, 1)
    )
    notes = "\n".join(f"- {e(n.content)}" for n in state.notes)
    files = "\n".join(f"- {code(f.path)} ({f.status})" for f in state.active_files)
    return f"""# HUD

## Task

{e(state.task.description)}

## Decisions

{decisions}

## Next steps

{steps}

## Notes

{notes}

## Active files

{files}

🟢 Context: {int(usage.percentage // 5) * 5}% of {usage.limit:,} tokens used \
({e(usage.model or "")}), {usage.trend}
"""


_TEMPLATE = """# HUD

## Task

{{ state.task.description | md }}

## Decisions
{% for d in state.decisions %}
- **{{ d.summary | md }}** — {{ d.details | md }}
{%- endfor %}

## Next steps
{% for s in state.next_steps %}
{{ loop.index }}. {% if s.completed %}~~{{ s.description | md }}~~{% else %}\
{{ s.description | md }}{% endif %}
{%- endfor %}

## Notes
{% for n in state.notes %}
- {{ n.content | md }}
{%- endfor %}

## Active files
{% for f in state.active_files %}
- {{ f.path | code }} ({{ f.status }})
{%- endfor %}

🟢 Context: {{ (state.usage.percentage // 5) | int * 5 }}% of \
{{ "{:,}".format(state.usage.limit) }} tokens used ({{ state.usage.model | md }}), \
{{ state.usage.trend }}
"""

_JINJA = Environment(autoescape=False, keep_trailing_newline=True)  # it is Markdown
_JINJA.filters.update(md=escape, code=code)
_COMPILED = _JINJA.from_string(_TEMPLATE)


class PromptHud(PromptModel):
    """The HUD as pydantic-promptmodel has it, with lines put together beforehand."""

    _title: str = "HUD"
    task: str
    decisions: tuple[str, ...]
    next_steps: tuple[str, ...]
    notes: tuple[str, ...]
    active_files: tuple[str, ...]
    context: str


def with_promptmodel(state: HudState) -> str:
    """Return the HUD as pydantic-promptmodel makes it: lists of strings, one model."""
    usage = state.usage
    assert state.task is not None
    assert usage is not None
    return PromptHud(
        task=state.task.description,
        decisions=tuple(f"{d.summary} — {d.details}" for d in state.decisions),
        next_steps=tuple(s.description for s in state.next_steps),
        notes=tuple(n.content for n in state.notes),
        active_files=tuple(f"{f.path} ({f.status})" for f in state.active_files),
        context=f"{int(usage.percentage)}% used ({usage.used:,} / {usage.limit:,} tokens)",
    ).to_markdown()


def main() -> None:
    """Measure and print."""
    state = sample_state()
    ours = Renderer().render(Hud.of(state)).text
    assert ours == with_f_string(state), "the f-string must give the same bytes"
    assert ours == _COMPILED.render(state=state), "the template must give the same bytes"

    turns = count()
    readings = [ContextUsage(used=n * 10_000, model="claude-sonnet-4") for n in range(18)]
    *calm, warned = readings  # the last is at 85 %, where the warning stands
    around = (calm[-1], warned)
    hud = Hud.of(state)
    last = state.decisions[-1]
    changed = [
        state.model_copy(
            update={
                "decisions": (
                    *state.decisions[:-1],
                    last.model_copy(update={"summary": f"{last.summary}, {n}"}),
                )
            }
        )
        for n in range(64)
    ]

    def one_reading_changed(kept: Renderer) -> Rendered:
        return kept.render(Hud.of(state, calm[next(turns) % len(calm)]))  # each has another text

    def warning_changed(kept: Renderer) -> Rendered:
        return kept.render(Hud.of(state, around[next(turns) % 2]))

    def one_decision_changed(kept: Renderer) -> Rendered:
        return kept.render(Hud.of(changed[next(turns) % 64]))

    def cold() -> str:
        return Renderer().render(Hud.of(state)).text

    times = medians(
        {
            "ujsx, cold": cold,
            "ujsx, one reading changed": lambda k=Renderer(): one_reading_changed(k).text,
            "ujsx, one reading changed, tokens": lambda k=Renderer(): one_reading_changed(k).tokens,
            "ujsx, a warning comes or goes": lambda k=Renderer(): warning_changed(k).text,
            "ujsx, one of 10 decisions changed": lambda k=Renderer(): one_decision_changed(k).text,
            "ujsx, nothing changed": lambda k=Renderer(): k.render(hud).text,
            "ujsx, laid out anew, nothing changed": lambda k=Renderer(): (
                k.render(Hud.of(state)).text
            ),
            "f-string": lambda: with_f_string(state),
            "Jinja2": lambda: _COMPILED.render(state=state),
            "Jinja2, tokens": lambda: estimate_tokens(_COMPILED.render(state=state)),
            "promptmodel": lambda: with_promptmodel(state),
        }
    )
    title = f"A full HUD: {len(ours):,} characters, about {estimate_tokens(ours):,} tokens"
    print(table(title, times, "f-string", "Jinja2", "Jinja2, tokens", "promptmodel"))
    _print_token_counting(ours, state)


def _print_token_counting(text: str, state: HudState) -> None:
    kept = Renderer()
    times = medians(
        {
            "estimate_tokens, whole text": lambda: estimate_tokens(text),
            "Rendered.tokens, nothing changed": lambda: kept.render(Hud.of(state)).tokens,
        }
    )
    print(table("Counting its tokens", times, "estimate_tokens, whole text"))


if __name__ == "__main__":
    main()
