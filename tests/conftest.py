"""What every test finds: the same examples on every run and machine, however slow it is, and a Ctrl-C that works."""

import gc
import re
import signal
import ssl
from collections.abc import Generator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from fakes.laws import EXAMPLES
from hypothesis import settings

collect_ignore = ["fakes/stores/shared_stores.py"]  # the session `distributed` alone has what it imports
settings.register_profile(
    "caesura", derandomize=True, deadline=None, database=None, print_blob=False, max_examples=min(100, EXAMPLES)
)
settings.load_profile("caesura")

with suppress(ImportError):  # it looks for IPv6 when it is imported, which within a test pytest-socket would warn of
    import urllib3.util.connection  # noqa: F401

ssl.create_default_context = cache(ssl.create_default_context)
"""The clients of a process share it: no test speaks TLS, and to read who is trusted takes 18 ms for each client."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background job; tests of Ctrl-C send it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file that is thorough as a whole is not even imported where such tests are left out."""
    if config.option.markexpr.strip() != "not thorough" or not collection_path.name.startswith("test_"):
        return None
    return bool(re.search(r"(?m)^pytestmark = \W*pytest\.mark\.thorough", collection_path.read_text("utf-8"))) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test must be called the same in every process, else two of them cannot share the tests."""
    if named := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(f"an address is in the id of a test, give ids=: {named[0]}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What thousands of collected tests hold is no garbage: the collector looks at it neither now nor in a test."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # seldom: a test that needs it collects
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Docstrings of tests and fakes hold no examples: a file here is imported as a test or not at all."""
    return [found for found in (yield) if type(found) is pytest.Module]
