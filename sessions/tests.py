"""The sessions that run tests: on one interpreter or all, with the lowest versions or the newest, beside the peers."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import nox

from sessions.environments import MEMBERS, MODEL, OTHERS, PYTHONS, install

TWO = ["--numprocesses=2", "--dist=worksteal"]  # who has nothing left takes from the other
PATIENT = ["-o", "faulthandler_timeout=0"]  # a test may take as long as it wants


@nox.session
def tests(session: nox.Session) -> None:
    """Every promise that needs no other library's splitters, on the interpreter that runs nox."""
    install(session, MEMBERS, "--group", "test")
    session.run("python", "-m", "pytest", *TWO, *session.posargs)


@nox.session
def thorough(session: nox.Session) -> None:
    """The same with 2,000 documents a law instead of 50, and what takes long."""
    install(session, MEMBERS, "--group", "test")
    session.env["CAESURA_EXAMPLES"] = "2000"
    session.run("python", "-m", "pytest", "-m", "", *TWO, *PATIENT, *session.posargs)


@nox.session(python=PYTHONS)
def matrix(session: nox.Session) -> None:
    """The tests on every supported interpreter."""
    install(session, MEMBERS, "--group", "test")
    session.run("python", "-m", "pytest", *TWO, *session.posargs)


@nox.session(python=PYTHONS[0])
def minimums(session: nox.Session) -> None:
    """The tests with the lowest versions that packages and test group declare, and the lowest `openai` by itself."""
    install(session, MEMBERS, "--group", "test", versions="--resolution=lowest-direct")
    library = Path(session.virtualenv.location).resolve() / "lib" / f"python{session.python}" / "site-packages"
    session.env["NLTK_DATA"] = str(library / "llama_index/core/_static/nltk_cache")  # else an old core downloads it
    session.env["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"  # an old one says at import that there is no PyTorch
    session.run("python", "-m", "pytest", *session.posargs)
    _test_openai_apart(session, "openai==1.55.3")  # lower than what langchain-openai allows


@nox.session(python=PYTHONS[-1])
def latest(session: nox.Session) -> None:
    """The tests with the newest versions that the ranges allow, constraints.txt aside: what a newcomer gets today.

    The newest `openai` is tested by itself, as `minimums` does with the oldest.
    """
    session.install(*(f"-e{member}" for member in MEMBERS), "--group=test", "--upgrade", env={"UV_LINK_MODE": "copy"})
    session.run("python", "-m", "pytest", *session.posargs)
    _test_openai_apart(session, "openai>=3,<4")  # higher than what llama-index-llms-openai allows


def _test_openai_apart(session: nox.Session, version: str) -> None:
    """Our clients over the wire, with an `openai` that the other packages of the environment do not go with."""
    session.env["PYTHONPATH"] = apart = str(Path(session.create_tmp()).resolve())
    session.install("--target", apart, "--upgrade", version, env={"UV_LINK_MODE": "copy"})
    clients = (
        "tests/caesura-llm/test_openai.py",
        "tests/caesura-llm/test_openai_vectors.py",
        "tests/caesura-lab/test_embedders_openai.py",
    )
    session.run("python", "-m", "pytest", *clients)


@nox.session
def peers(session: nox.Session) -> None:
    """Our cuts against LangChain's SemanticChunker and LlamaIndex's two semantic parsers, break by break."""
    install(session, MEMBERS, "--group", "peers")
    session.run(
        "python", "-m", "pytest", "tests/peers", "tests/caesura-lab/splitters/test_methods.py", *session.posargs
    )


@nox.session
def models(session: nox.Session) -> None:
    """The recipes for models of other people, with the real packages, PyTorch among them, and models made on the spot.

    Nothing is downloaded but the packages.
    """
    runner = ("hypothesis", "pytest", "pytest-asyncio", "pytest-socket")
    install(session, MEMBERS, "pip", *runner)
    session.run_install("python", "-m", "pip", "install", "--quiet", MODEL[0])
    session.install(*OTHERS, env={"UV_LINK_MODE": "copy"})
    session.env["HF_HUB_OFFLINE"] = "1"
    session.run(
        "python", "-m", "pytest", "tests/models", "tests/caesura-static/test_loaded_model2vec.py", *session.posargs
    )


@nox.session
def properties(session: nox.Session) -> None:
    """The laws, held against 50,000 generated documents each instead of 2,000."""
    install(session, MEMBERS, "--group", "test")
    session.env["CAESURA_EXAMPLES"] = "50000"
    session.run(
        "python",
        "-m",
        "pytest",
        "tests/caesura",
        "tests/caesura-documents",
        "tests/promises",
        *PATIENT,
        *session.posargs,
    )


@nox.session
def end_to_end(session: nox.Session) -> None:
    """Pages of `caesura view` and `serve`, and the site, in a real Chromium: Debian's, or that which CHROMIUM names."""
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")):
        session.error("there is no chromium on the path: apt-get install chromium, or set CHROMIUM")
    install(session, MEMBERS, "--group", "end_to_end", "--group", "docs")
    session.run("python", "-m", "pytest", "tests/end_to_end", *session.posargs)


@nox.session
def distributed(session: nox.Session) -> None:
    """Ray Data, Spark (needs Java 17) and Dask run the splitters, and lose workers: tests, examples, docs/scale.md.

    Redis and Postgres have the documents of both frameworks' indexes, and are left out where Debian's are not there.
    """
    java = shutil.which("java", path=f"{os.environ['JAVA_HOME']}/bin" if os.environ.get("JAVA_HOME") else None)
    if not java:
        session.error("there is no Java, which Spark needs: apt-get install default-jre-headless (17 or later)")
    install(session, MEMBERS, "--group", "scale")
    session.env["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    session.run(
        "python",
        "-m",
        "pytest",
        "tests/caesura-scale",
        "tests/distributed",
        "-m",
        "",
        "--force-enable-socket",
        *PATIENT,
        *session.posargs,
    )
