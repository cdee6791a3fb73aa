"""The words by which an agent tells a choice, a finding or a reason, by language: a table of patterns."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REASONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "English": (
            r"because\b(?! of course)",
            r",\s*since (?!then\b|last\b)|(?:,| —| -|^)\s*(?:since|as) (?:the|it|that|this|there|we|they|you|its?|i|no|only|most|both)\b|\bas (?:it's|they're|it is|they are)\b",
            r"so that\b|in order to\b|to avoid\b|to keep\b|to prevent\b|due to\b|thanks to\b",
            r"(?:that|this|which)(?:'s| is) (?:why|because|how)\b",
            r"(?:this|that|it|which) (?:also )?(?:explains|rules out|means|confirms|proves|lets|avoids|prevents|breaks|suggests)\b",
            r"(?:i|we)(?:'ve| have|'ll| will)? (?:\w+ )?(?:chose|chosen|choose|decided?|switched|went with|go with|picked|opted|kept|dropped|reverted|ruled out|recommend|suggest|assumed?|replaced|left)\b",
            r"(?:^|\W)(?:switched|moved|changed|renamed|reverted|replaced|dropped|removed|kept) .{3,80} (?:from .{2,60} to|to|instead of|rather than|in favou?r of|since|so) ",
            r"(?:i'd|i would|my instinct is|my recommendation|better to|the (?:strongest|best|simplest|safest) \w+ (?:is|came|comes))\b",
            r"(?:root cause|the culprit|the real (?:cause|problem|issue)|turns out|turned out|the (?:issue|problem|bug|cause|fix|reason|key clue) (?:is|was)|most likely cause)\b",
            r"(?:instead of|rather than|in favou?r of|over the)\b",
            r"(?:doesn't|does not|didn't|did not|cannot|can't|won't) (?:\w+ ){0,2}?(?:work|help|exist|apply|touch|support|matter|need)",
            r"not (?:related|caused|verified|sure|needed|because)\b|pre-?existing\b|no longer\b|unrelated\b",
        ),
        "German": (
            r"\b(?:weil|denn|damit|deshalb|daher|deswegen|statt|anstatt|sodass|stellt(?:e)? sich heraus)\b",
            r"\b(?:ich|wir) (?:habe|haben|nehme|nehmen|verwende|lasse) .{0,80}(?:entschieden|gewählt|ersetzt|statt|verworfen)",
            r"\b(?:ursache|der grund|das problem|der fehler) (?:ist|war|liegt)\b",
        ),
        "French": (
            r"\b(?:parce que|car|puisque|afin de|pour éviter|au lieu de|plutôt que|c'est pourquoi|il s'avère)\b",
            r"\bj'ai (?:choisi|décidé|remplacé|gardé|retiré|opté)\b|\b(?:la cause|le problème|la raison) (?:est|était|vient)\b",
        ),
        "Spanish": (
            r"\b(?:porque|ya que|puesto que|para evitar|en lugar de|en vez de|por eso|resulta que|debido a)\b",
            r"\b(?:he |hemos )?(?:elegí|elegido|decidí|decidido|reemplacé|dejé|opté)\b|\b(?:la causa|el problema|la razón) (?:es|era|está)\b",
        ),
        "Chinese": (
            r"(?:因为|由于|所以|因此|以免|避免|而不是|改用|我(?:选择|决定|保留|去掉)|原因是|问题(?:是|在于)|说明了|排除了)",
        ),
        "Japanese": (
            r"(?:ので|ため(?:に|、|です)|なぜなら|理由は|原因は|代わりに|避けるため|ことにし|に変更し|判明)",
        ),
    }
)
"""The words of reasons, by language. Letters are compared without regard to case."""

HEADINGS = (
    r"(?:the |my |our )?(?:\w+ )?(?:decisions?|choices|rationale|reasons?|reasoning|trade-?offs?|root cause|findings?|conclusions?|why\b.{0,40})"
    r"|(?:\w+)?(?:entscheidungen|begründung(?:en)?|gründe|ursache|ergebnisse?|warum\b.{0,40})"
    r"|(?:décisions?|choix|raisons?|justifications?|conclusions?)(?: .{0,30})?"
    r"|(?:decisiones|motivos?|razones|causas?|conclusiones)(?: .{0,30})?"
    r"|(?:设计)?(?:决定|决策|原因|理由|结论)|(?:設計上の)?(?:決定|判断|理由|原因|結論)"
)
"""The headings of lists and tables of decisions, findings and their reasons."""
