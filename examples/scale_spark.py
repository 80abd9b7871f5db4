"""A folder of documents to a folder of their chunks, with Spark: `python examples/scale_spark.py [IN OUT]`.

IN has Parquet files with the columns id and text; without arguments, the documents in examples/kinds.
Needs ``pip install pyspark pandas pyarrow caesura-scale caesura-static`` and Java 17 or later.
"""

import os
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from caesura import Limits, OptimalCut, Splitter
from caesura_scale.batch import SplitBatch
from caesura_static import StaticEmbedder

SCHEMA = "id string, chunk long, start long, end long, text string, chunk_id string, vector array<float>, error string"


def main(spark: SparkSession, source: Path | None, target: Path) -> None:
    """Cuts what is in one folder, writes the chunks into another, and says how many there are."""
    if source is None:
        kinds = [path for path in (Path(__file__).parent / "kinds").iterdir() if path.is_file()]
        documents = spark.createDataFrame(
            [(path.name, path.read_text("utf-8")) for path in kinds], "id string, text string"
        )
    else:
        documents = spark.read.parquet(str(source)).select("id", "text")
    cut = SplitBatch(Splitter(limits=Limits(800), cut=OptimalCut()), StaticEmbedder, vectors=True, on_failure="keep")
    documents.mapInArrow(cut.stream, SCHEMA).write.mode("overwrite").parquet(str(target))  # or mapInPandas
    made = spark.read.parquet(str(target))
    failed = made.filter("chunk < 0").count()
    print(f"{made.count() - failed} chunks of {made.select('id').distinct().count()} documents, {failed} failed")


if __name__ == "__main__":
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "64")  # documents in memory at a time
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    try:
        with tempfile.TemporaryDirectory() as folder:
            given = [Path(argument).absolute() for argument in sys.argv[1:3]]
            main(session, *(given or (None, Path(folder) / "chunks")))
    finally:
        session.stop()
