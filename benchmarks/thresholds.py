"""Prints the error Pk on Choi's data over a grid of thresholds, for MiniLM and the embedded model.

How the defaults were chosen; run by `nox -s thresholds`.
"""

from __future__ import annotations

from itertools import product

from choi import arguments, embedded

from caesura import Adjacent, DoublePassCut, Neighbours, Overlapping, Percentile, PercentileCut
from caesura.types import Cut


def grid() -> dict[str, Cut]:
    """The cuts to compare, by name."""
    cuts: dict[str, Cut] = {"double pass, defaults": DoublePassCut(), "percentile, defaults": PercentileCut()}
    for initial, appending, merging in product((0.0, 0.05, 0.1, 0.15), (0.05, 0.1, 0.15), (0.1, 0.15, 0.2, 0.25)):
        thresholds = initial, appending, merging
        cuts["double pass {} {} {}".format(*thresholds)] = DoublePassCut(*thresholds)
        published = DoublePassCut(*thresholds, confidence=None, structure=0)
        cuts["double pass {} {} {}, as published".format(*thresholds)] = published
    for confidence, structure in product((0.5, 0.9, 0.95, 0.99), (0.0, 0.3, 0.6)):
        cuts[f"double pass, confidence {confidence}, structure {structure}"] = DoublePassCut(
            confidence=confidence, structure=structure
        )
    for gaps, amount in product(
        (Adjacent(2), Adjacent(3), Adjacent(4), Overlapping(1), Neighbours()), (80, 85, 90, 95)
    ):
        cuts[f"percentile {amount} {gaps}"] = PercentileCut(gaps, Percentile(amount))
    return cuts


def main() -> None:
    """Prints one line per cut: its name and the Pk in percent with each embedder."""
    options = arguments(__doc__ or "")
    data = {name: embedded(name, options.cache, options.every) for name in options.embedders}
    print(f"{'Pk in percent':56}" + "".join(f"{name:>10}" for name in data))
    for name, cut in grid().items():
        print(f"{name:56}" + "".join(f"{rows.pk(cut):10.1f}" for rows in data.values()), flush=True)


if __name__ == "__main__":
    main()
