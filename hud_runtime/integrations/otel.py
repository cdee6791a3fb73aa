"""OpenTelemetry events for deliveries: ``HostSession(…, watch=Telemetry())``, or ``Hud(…,
watch=Telemetry())``.

They have numbers, and keywords of ujsx: never a text of a session, and not its name. They are emitted through
OpenTelemetry's logs, within the current span, to your provider.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any

from hud_runtime.integrations._sending import DeliveryFigures
from hud_runtime.integrations._wire import extra
from hud_runtime.observe import Usage

with extra("otel"):
    from opentelemetry._logs import LogRecord, SeverityNumber, get_logger

__all__ = ["Telemetry"]

DELIVERED = "ujsx.hud.delivered"
CALLED = "ujsx.tool.called"
USED = "ujsx.request.used"


class Telemetry:
    """Emits an event for each delivery, each call of the HUD's tools, and each request.

    :param provider: the provider of logs; None for the global one.
    """

    def __init__(self, provider: Any = None) -> None:
        self._logger = get_logger("ujsx", logger_provider=provider)

    def delivered(self, figures: DeliveryFigures) -> None:
        """Emit ``ujsx.hud.delivered``."""
        sections = figures.sections
        self._emit(
            DELIVERED,
            {
                "ujsx.delivery.mode": figures.mode,
                "ujsx.delivery.why": figures.why,
                "ujsx.delivery.whole.tokens": figures.whole,
                "ujsx.delivery.delta.tokens": figures.delta,
                "ujsx.hud.tokens": figures.hud,
                "ujsx.hud.kept": figures.kept,
                "ujsx.hud.omitted": sum(each.omitted for each in sections),
                "ujsx.section.names": [each.name for each in sections],
                "ujsx.section.tokens": [each.tokens for each in sections],
                "ujsx.section.rungs": [each.rung for each in sections],
                "ujsx.section.omitted": [each.omitted for each in sections],
            },
        )

    def called(self, *, repairs: int, is_error: bool) -> None:
        """Emit ``ujsx.tool.called``."""
        self._emit(CALLED, {"ujsx.tool.repairs": repairs, "ujsx.tool.is_error": is_error})

    def used(self, usage: Usage) -> None:
        """Emit ``ujsx.request.used``."""
        self._emit(
            USED,
            {
                "gen_ai.usage.input_tokens": usage.prompt,
                "gen_ai.usage.output_tokens": usage.output,
                "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
                "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
            },
        )

    def _emit(self, name: str, attributes: dict[str, Any]) -> None:
        record = LogRecord(
            event_name=name, severity_number=SeverityNumber.INFO, attributes=attributes
        )
        self._logger.emit(record)
