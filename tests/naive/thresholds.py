"""Gap scores -> the breaks that one of the five thresholds chooses."""

from __future__ import annotations

from math import floor, sqrt


def percentile_of(values: list[float], amount: float) -> float:
    """The value `amount` percent of the way through the sorted values, between two of them in proportion."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * amount / 100
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def standard_deviation(values: list[float]) -> float:
    return sqrt(sum((value - mean(values)) ** 2 for value in values) / len(values))


def slopes(values: list[float]) -> list[float]:
    """How fast the curve rises at each place: half the way between its neighbours, the whole step at the ends."""
    last = len(values) - 1
    made = []
    for place in range(len(values)):
        left, right = max(place - 1, 0), min(place + 1, last)
        made.append((values[right] - values[left]) / (right - left))
    return made


def levels(gaps: list[float], kind: str, amount: float) -> tuple[list[float], float]:
    """What is compared, and the level that it must be over."""
    if kind == "percentile":
        return gaps, percentile_of(gaps, amount)
    if kind == "standard_deviation":
        return gaps, mean(gaps) + amount * standard_deviation(gaps)
    if kind == "interquartile":
        return gaps, mean(gaps) + amount * (percentile_of(gaps, 75) - percentile_of(gaps, 25))
    curve = slopes(gaps)
    return curve, percentile_of(curve, amount)


def chosen(gaps: list[float], kind: str, amount: float, margins: list[float] | None = None) -> list[int]:
    """The breaks that one of the five thresholds chooses."""
    if not gaps or (kind == "gradient" and len(gaps) < 2):
        return []
    if kind == "count":
        strongest = sorted(range(len(gaps)), key=lambda gap: (-gaps[gap], gap))[: int(amount) - 1]
        return sorted(gap + 1 for gap in strongest)
    values, level = levels(gaps, kind, amount)
    if margins is not None and len(gaps) > 1:
        margins.extend(abs(value - level) for value in values)
    return [gap + 1 for gap, value in enumerate(values) if value > level]
