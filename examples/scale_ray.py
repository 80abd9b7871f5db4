"""A folder of documents to a folder of their chunks, with Ray Data: `python examples/scale_ray.py [IN OUT]`.

IN has Parquet files with the columns id and text, or text files; without arguments, the documents in examples/kinds.
Needs ``pip install "ray[data]" caesura-scale caesura-static``. On a cluster, RAY_ADDRESS says where it is.
"""

import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import ray

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder


def documents(folder: Path) -> ray.data.Dataset:
    """A folder -> rows of id and text."""
    if any(folder.glob("*.parquet")):
        return ray.data.read_parquet(str(folder))
    files = ray.data.read_binary_files([str(path) for path in folder.iterdir() if path.is_file()], include_paths=True)
    return files.map(lambda row: {"id": Path(row["path"]).name, "text": row["bytes"].decode("utf-8", "replace")})


def main(source: Path, target: Path) -> None:
    """Cuts what is in one folder, writes the chunks into another, and says how many there are."""
    ray.data.DataContext.get_current().enable_progress_bars = False
    processors = int(ray.cluster_resources()["CPU"])
    documents(source).map_batches(
        SplitBatch,
        fn_constructor_kwargs={
            "splitter": Splitter(limits=Limits(800), cut=OptimalCut()),
            "load": StaticEmbedder,  # called by each actor, once
            "vectors": True,
            "on_failure": "keep",
        },
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=max(1, processors - 1)),  # the rest reads and writes
        batch_format="pyarrow",
        batch_size=64,
    ).write_parquet(str(target))
    made = pq.read_table(target, columns=["id", "chunk"]).to_pydict()
    failed = made["chunk"].count(-1)
    print(f"{len(made['id']) - failed} chunks of {len(set(made['id']))} documents, {failed} failed")


if __name__ == "__main__":
    ray.init(include_dashboard=False, log_to_driver=False)
    with tempfile.TemporaryDirectory() as folder:
        own = Path(__file__).parent / "kinds", Path(folder)
        main(*(Path(argument).absolute() for argument in sys.argv[1:3]) if sys.argv[1:] else own)
