"""The project's tasks. `python -m nox -s quickstart` and `python -m nox -s tests` need nothing but this repository."""

from __future__ import annotations

import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent))  # `nox` alone does not look here

from sessions import measuring, publishing, tests  # noqa: F401
from sessions.environments import MEMBERS, install

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.download_python = "never"
nox.options.sessions = ["tests"]


@nox.session
def quickstart(session: nox.Session) -> None:
    """The main job: answers with their pages, in both frameworks. `-- PATH... --ask "..."` asks your own files."""
    install(session, MEMBERS, "caesura-documents[pdf]")
    session.run("python", "examples/quickstart.py", *session.posargs)
