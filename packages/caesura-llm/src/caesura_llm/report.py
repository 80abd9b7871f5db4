"""Report of a run: counts, tokens, cost and failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from caesura.checks import check_number
from caesura.errors import SettingError
from caesura_llm.conversation import Failure


class Prices(NamedTuple):
    """Prices of a million tokens, in any currency.

    input: of those sent. output: of those received. cached: of those sent that a provider's cache serves; None: as the
    others. A `Report` or a `Driver` raises `SettingError` for a price that is no number from 0.
    """

    input: float
    output: float = 0.0
    cached: float | None = None


def as_prices(prices: Prices | tuple[float, ...] | None) -> Prices | None:
    """One to three numbers -> `Prices`. Raises `SettingError` where it is anything else."""
    if prices is None:
        return None
    if not isinstance(prices, tuple) or not 1 <= len(prices) <= 3:
        raise SettingError(
            "prices must be those of a million tokens in, out, and in from a cache, as (0.4, 1.6) or (0.4, 1.6, 0.1), "
            f"got {prices!r:.80}"
        )
    for price in prices:
        if price is not None:
            check_number("prices", price, 0, 1e9)
    return Prices(*prices)  # type: ignore[arg-type, unused-ignore] # pyright: ignore[reportArgumentType]


@dataclass(slots=True)
class Report:
    """Counts of a run, filled while it goes on.

    prices: of a million tokens, for `cost`. items: begun. finished: done. input_tokens, output_tokens: of all calls.
    seconds: that the work took. dropped: what was left out of replies, by reason. failures: items that failed. calls:
    requests sent, those that failed included. journalled: replies that were in the journal already. shared:
    requests that asked the same as one in flight. repairs: repair requests. retries: calls after the first for a
    request. retried: why, by the name of the error. cached_tokens: those of `input_tokens` that the provider says it
    took from its cache.

    Raises `SettingError` for prices that are not one to three numbers from 0.
    """

    prices: Prices | tuple[float, ...] | None = None
    items: int = 0
    finished: int = 0
    calls: int = 0
    journalled: int = 0
    shared: int = 0
    repairs: int = 0
    retries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    dropped: Counter[str] = field(default_factory=Counter)
    retried: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.prices = as_prices(self.prices)

    @property
    def cost(self) -> float | None:
        """The cost of the tokens paid for in this run; None without prices."""
        prices = as_prices(self.prices)
        if prices is None:
            return None
        cached = self.cached_tokens * (prices.input if prices.cached is None else prices.cached)
        new = (self.input_tokens - self.cached_tokens) * prices.input
        return (new + cached + self.output_tokens * prices.output) / 1e6

    def include(self, other: Report) -> None:
        """Adds the counts, tokens and failures of another report."""
        for name in (one.name for one in fields(self) if one.name != "prices"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        cost = "" if self.cost is None else f", cost {self.cost:.4f}"
        cached = f" ({self.cached_tokens} from the provider's cache)" if self.cached_tokens else ""
        summary = (
            f"{self.finished} of {self.items} items in {self.seconds:.1f} s: {self.calls} calls "
            f"({self.retries} retries, {self.repairs} repairs), {self.journalled} replies from the journal, "
            f"{self.input_tokens} tokens in{cached}, {self.output_tokens} out{cost}"
        )
        lines = [summary]
        if self.dropped.total():
            lines.append("dropped: " + ", ".join(f"{count} {name}" for name, count in sorted(self.dropped.items())))
        lines += map(str, self.failures)
        return "\n".join(lines)
