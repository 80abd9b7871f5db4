"""Real engines on this machine, installed by the session `distributed`; a plain run of the tests leaves them out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

TESTS = str(Path(__file__).parents[1])
if not all(find_spec(name) for name in ("ray", "pyspark", "dask")):
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def _workers_find_the_fakes() -> None:
    os.environ["PYTHONPATH"] = os.pathsep.join([TESTS, *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"  # else a worker of `uv run` makes its environment anew


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    """A Ray cluster of this machine -> its address. Four processors, so that two actors leave some for reading."""
    import ray

    context = ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=300_000_000)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield context.address_info["address"]
    ray.shutdown()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A Spark session of this machine; a task that fails is tried four times, as on a cluster."""
    from pyspark.sql import SparkSession

    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false"}
    batch = {"spark.sql.execution.arrow.maxRecordsPerBatch": "7", "spark.sql.shuffle.partitions": "2"}
    session = SparkSession.builder.master("local[2,4]").config(map={**local, **batch}).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def dask() -> Iterator[Any]:
    """Two Dask workers on this machine."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as client:
        yield client
