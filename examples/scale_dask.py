"""A folder of documents to a folder of their chunks, with Dask: `python examples/scale_dask.py [IN OUT]`.

IN has Parquet files with the columns id and text; without arguments, the documents in examples/kinds.
Needs ``pip install "dask[dataframe,distributed]" caesura-scale caesura-static``. On a cluster, give Client its address.
"""

import sys
import tempfile
from pathlib import Path

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
from dask.distributed import Client

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


def documents(folder: Path) -> dd.DataFrame:
    """A folder -> rows of id and text."""
    if any(folder.glob("*.parquet")):
        return dd.read_parquet(str(folder), columns=["id", "text"])
    rows = [(path.name, path.read_text("utf-8")) for path in folder.iterdir() if path.is_file()]
    return dd.from_pandas(pd.DataFrame(rows, columns=["id", "text"]), npartitions=2)


def main(source: Path, target: Path) -> None:
    """Cuts what is in one folder, writes the chunks into another, and says how many there are."""
    cut = SplitBatch(Splitter(limits=Limits(800), cut=OptimalCut()), StaticEmbedder, vectors=True, on_failure="keep")
    found = documents(source)
    none = found._meta  # no rows, so no model is loaded here
    schema = cut(pa.Table.from_pandas(none, preserve_index=False)).schema  # a frame cannot say what a vector is
    found.map_partitions(cut, meta=cut(none)).to_parquet(str(target), schema=schema, write_index=False)
    made = dd.read_parquet(str(target))[["id", "chunk"]].compute()
    failed = int((made["chunk"] < 0).sum())
    print(f"{len(made) - failed} chunks of {made['id'].nunique()} documents, {failed} failed")


if __name__ == "__main__":
    with (
        Client(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None),
        tempfile.TemporaryDirectory() as folder,
    ):
        given = [Path(argument).absolute() for argument in sys.argv[1:3]]
        main(*(given or (Path(__file__).parent / "kinds", Path(folder))))
