"""A run's pace, prices and journal in, what drives one of its conversations out: counted in its report, come what may.

For hosts whose one call holds several conversations.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from caesura.llm.drive import Driver
from caesura.llm.journal import Journal, Memory
from caesura.llm.progress import bar
from caesura.llm.report import Prices, Report
from caesura.llm.schedule import Pace


@dataclass(frozen=True, slots=True)
class HostRun:
    """How the conversations of a run are driven, and the report that adds them up."""

    report: Report
    pace: Pace
    prices: Prices | None
    show_progress: bool

    @contextmanager
    def of(self, journal: Journal, name: str, doing: str) -> Iterator[tuple[Driver, Report]]:
        """Gives what drives a conversation, and the report to fill. name: the client's. doing: what a bar calls it.

        Where replies are kept in memory alone, those that led to failures are not: the next run asks again.
        """
        own = Report(self.prices)
        try:
            with bar(doing, self.show_progress) as progress:
                yield Driver(self.pace, journal, self.prices, progress), own
        finally:
            self.report.include(own)
            if isinstance(journal, Memory):
                journal.forget(name, own.failures)
