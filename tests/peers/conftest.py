"""Where the other libraries are not installed, these tests are not collected: the nox session `peers` installs them."""

from importlib.util import find_spec

if find_spec("langchain_experimental") is None:
    collect_ignore_glob = ["test_*.py"]
