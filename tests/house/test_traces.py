"""How many files a reader of a small job has to open: those that it goes through, when all is imported."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from house.traces import JOBS, TEXT, Job, traced


@pytest.mark.enable_socket
@pytest.mark.parametrize(("jobs", "most"), JOBS.values(), ids=JOBS)
def test_a_job_goes_through_few_files(jobs: Callable[[], Iterator[Job]], most: int) -> None:
    for job in jobs():
        files = traced(job).files
        assert 5 < len(files) <= most, "\n".join(files)


def test_the_files_of_other_threads_are_counted() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from caesura import sentences

    def job() -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(sentences, TEXT).result()

    assert "packages/caesura/src/caesura/text/sentences.py" in traced(job).files
