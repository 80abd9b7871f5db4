"""How do I see why a text was cut where it was? The gap curve: on the terminal, as a picture, and as a page.

python examples/see_gaps.py            writes the picture and the page into a temporary folder
python examples/see_gaps.py FOLDER     into one of yours

Needs caesura, caesura-static and caesura-lab[plot]; the command `caesura view FILE` makes the same page.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from caesura import Limits, PercentileCut, Splitter, calibrate
from caesura_lab import plot, view
from caesura_static import StaticEmbedder


def main(folder: Path) -> None:
    """Prints the places that stand out most, and saves what `caesura plot` and `caesura view` show."""
    text = (Path(__file__).parent / "article.md").read_text("utf-8")
    embed = StaticEmbedder()
    splitter = Splitter(Limits(1200), cut=PercentileCut(), background=calibrate(embed))
    batch = splitter.prepare([text])
    (made,) = splitter.finish(batch, embed(batch.texts))

    assert made.gaps is not None  # a cut by scores has one for each place between two sentences
    for unit in sorted(np.argsort(-made.gaps)[:8] + 1):
        start, score = int(made.units[unit]), made.gaps[unit - 1]
        cut = "cut" if unit in made.breaks else "   "
        print(f"{start:6} {score:.2f} {'█' * round(20 * score):40} {cut}  {' '.join(text[start:].split())[:50]}")
    print(f"{len(made.breaks)} of {len(made.gaps)} places are cut")

    plot({"article": text}, splitter).get_figure().savefig(folder / "gaps.svg")
    view({"article": text}, [splitter, "double-pass"], size=1200).save(folder / "article.html")
    for path in sorted(folder.glob("*")):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if sys.argv[1:] else temporary))
