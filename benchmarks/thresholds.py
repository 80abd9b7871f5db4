"""Prints the error Pk on Choi's data over a grid of thresholds, for MiniLM and the built-in model.

How the defaults were chosen; run by `nox -s thresholds`.
"""

from __future__ import annotations

from itertools import product

from choi import arguments, embedded

from caesura import Adjacent, ClusterCut, DoublePassCut, OptimalCut, Overlapping, Percentile, PercentileCut
from caesura.types import Cut


def grid() -> dict[str, Cut]:
    """The cuts to compare, by name."""
    cuts: dict[str, Cut] = {}
    for confidence in (0.5, 0.9, 0.95, 0.99):
        cuts[f"optimal {confidence}"] = OptimalCut(confidence)
        cuts[f"cluster {confidence}"] = ClusterCut(confidence=confidence)
    for thresholds in product((0.0, 0.05, 0.1, 0.15), (0.1, 0.15, 0.2), (0.2, 0.25, 0.3)):
        name = "double pass {} {} {}".format(*thresholds)
        cuts[name] = DoublePassCut(*thresholds)
        cuts[f"{name}, as published"] = DoublePassCut(*thresholds, confidence=None, structure=0)
    for gaps, amount in product((Adjacent(1), Adjacent(2), Adjacent(3), Adjacent(4), Overlapping(1)), (80, 85, 90, 95)):
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
