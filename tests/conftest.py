"""What every test finds: the same examples on every run and machine, however slow it is, and a Ctrl-C that works."""

import signal

import pytest
from hypothesis import settings

collect_ignore = ["fakes/shared_stores.py"]  # the session `distributed` alone has what it imports
settings.register_profile("caesura", derandomize=True, deadline=None, database=None, print_blob=False)
settings.load_profile("caesura")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background job; tests of Ctrl-C send it
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test must be called the same in every process, else two of them cannot share the tests."""
    if named := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(f"an address is in the id of a test, give ids=: {named[0]}")
