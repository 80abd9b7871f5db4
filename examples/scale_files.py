"""A run that may be killed and is started again, file by file: `python examples/scale_files.py [IN OUT]`.

IN has Parquet files with the columns id and text; without arguments, a few are made. One part per file comes out, whole
or not at all; what is there is not done again, a file that has changed is. Needs ``pip install "caesura-scale[parquet]"
caesura-static``, and no engine: any that maps a function over a list of paths will do in the place of the pool.
"""

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_scale.files import SplitFile
from caesura_static import StaticEmbedder

KINDS = Path(__file__).parent / "kinds"


def main(source: Path, target: Path) -> None:
    """Cuts every file of one folder into another, and says what was done."""
    cut = SplitBatch(Splitter(limits=Limits(800), cut=OptimalCut()), StaticEmbedder, on_failure="keep")
    split = SplitFile(cut, target, version="optimal-800, static 1")
    paths = sorted(source.glob("*.parquet"))
    with ProcessPoolExecutor(2) as pool:
        parts = list(pool.map(split, paths))
    gone = split.prune(parts)
    made = [part for part in parts if part.made]
    print(
        f"{sum(part.chunks for part in parts)} chunks of {sum(part.documents for part in parts)} documents: "
        f"{len(made)} of {len(parts)} parts made, {len(gone)} removed"
    )


if __name__ == "__main__":
    if sys.argv[1:]:
        main(*(Path(argument) for argument in sys.argv[1:3]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            given, chunks = Path(folder) / "in", Path(folder) / "chunks"
            given.mkdir()
            for path in KINDS.glob("*.*"):
                pq.write_table(
                    pa.table({"id": [path.name], "text": [path.read_text("utf-8")]}), given / f"{path.stem}.parquet"
                )
            main(given, chunks)
            main(given, chunks)  # nothing is left to do
            pq.write_table(pa.table({"id": ["new"], "text": ["A new text."]}), given / "chat.parquet")
            main(given, chunks)  # one file has changed
