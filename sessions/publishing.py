"""The sessions that look at what is published, or write it: style, types, the site, wheels, pins, pages."""

from __future__ import annotations

from pathlib import Path

import nox

from sessions.environments import CORE, EXTRAS, MEMBERS, MODULES, PINNED, PYTHONS, ROOT, install


@nox.session
def lint(session: nox.Session) -> None:
    """Style and format, and what a workflow must not do."""
    install(session, [], "--group", "lint")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("zizmor", "--offline", "--quiet", ".github")


@nox.session
def types(session: nox.Session) -> None:
    """mypy (strict) and pyright on every package, on what users write, and on whether exported types are certain.

    What users write is in tests/typing and on the pages, whose programs need what the tests install.
    """
    install(session, MEMBERS, "--group", "types", "--group", "test")
    for module in MODULES:
        session.run("mypy", "-p", module)
    session.run("mypy", "tests/typing")
    session.env["PYRIGHT_PYTHON_IGNORE_WARNINGS"] = "1"  # else it looks whether there is a newer one
    session.run("pyright")
    session.run("python", "tests/typing/completeness.py", *MODULES)
    session.run("python", "tests/docs/types_of_programs.py")


@nox.session
def docs(session: nox.Session) -> None:
    """The site, in build/site; fails where a link leads nowhere or a page asks another host. `-- serve` shows it."""
    install(session, MEMBERS, "--group", "docs")
    session.env["NO_MKDOCS_2_WARNING"] = "1"  # a message of the theme's, for those who have not pinned MkDocs
    if session.posargs:
        session.run("mkdocs", *session.posargs)
    else:
        session.run("python", "docs/reference.py", "--check")
        session.run("mkdocs", "build", "--strict")


@nox.session
def reference(session: nox.Session) -> None:
    """Writes docs/api anew from the docstrings."""
    install(session, MEMBERS, "--group", "docs")
    session.run("python", "docs/reference.py")


@nox.session
def figures(session: nox.Session) -> None:
    """Writes the figures of CONTRIBUTING.md and docs/architecture.md; `-- REPORT...` of nox for the minutes."""
    session.run("python", "docs/figures.py", *session.posargs)


@nox.session
def version(session: nox.Session) -> None:
    """Gives every distribution one version, as `-- 0.2.0`, and asks each for the others of the same minor version."""
    session.run("python", "sessions/versions.py", *session.posargs)


@nox.session(python=PYTHONS)
def wheels(session: nox.Session) -> None:
    """Builds every distribution, installs each alone into an empty environment, and runs its README's example.

    Each is tried with the lowest versions that it declares, then with those of constraints.txt; a plugin then also
    with the extra that a module of it needs. With a tag (`-- v0.2.0`), each must have its version.
    """
    tmp = Path(session.create_tmp()).resolve()
    dist = tmp / "dist"
    session.install("uv", PINNED)
    session.run("uv", "build", "--all-packages", "--clear", "--quiet", "--out-dir", str(dist))
    new = [
        f"--refresh-package={Path(member).name}" for member in MEMBERS if member.startswith("packages")
    ]  # same version, another content
    for wheel in sorted(dist.glob("*.whl")):
        name, version = wheel.name.split("-")[:2]
        if session.posargs and session.posargs != [f"v{version}"]:
            session.error(f"{wheel.name} is not of the tag {session.posargs[0]}: set its version in pyproject.toml")
        empty = tmp / name
        session.run("uv", "venv", "--quiet", "--clear", "--python", f"{session.bin}/python", str(empty))
        python = str(empty / "bin" / "python")
        offline = ("--python", python, "--find-links", str(dist), "--no-sources", *new)
        lowest = ("--resolution=lowest-direct", "--only-binary=:all:", "--requirements", _pyproject(name))
        session.run("uv", "pip", "install", "--quiet", *lowest, *offline)
        session.run("uv", "pip", "install", "--quiet", "--no-deps", str(wheel), *offline)
        library = next((empty / "lib").glob("python*/site-packages")) / "llama_index/core/_static/nltk_cache"
        _try_wheel(session, python, wheel, "", NLTK_DATA=str(library))  # which an old llama-index-core downloads
        for extra in dict.fromkeys(["", EXTRAS.get(name, "")]):
            wanted = f"{wheel}[{extra}]" if extra else str(wheel)
            session.run("uv", "pip", "install", "--quiet", "--upgrade", wanted, PINNED, *offline)
            _try_wheel(session, python, wheel, extra)


def _pyproject(name: str) -> str:
    """A wheel's name -> the file that declares what it needs."""
    (found,) = (ROOT / member for member in MEMBERS if f'name = "{name.replace("_", "-")}"' in _text(ROOT / member))
    return str(found / "pyproject.toml")


def _text(member: Path) -> str:
    return (member / "pyproject.toml").read_text("utf-8")


def _try_wheel(session: nox.Session, python: str, wheel: Path, extra: str, **env: str) -> None:
    """Runs tests/wheels.py in the environment that has the wheel."""
    with session.chdir(wheel.parent):
        program = str(ROOT / "tests" / "wheels.py")
        session.run(python, "-I", program, str(wheel), extra, external=True, env=env)


@nox.session
def constraints(session: nox.Session) -> None:
    """Writes constraints.txt anew: the newest versions that go together, names and versions only."""
    session.install("uv")
    members = [f"{member}/pyproject.toml" for member in MEMBERS]
    groups = [f"--group={group}" for group in ("test", "peers", "scale", "end_to_end", "lint", "types", "docs")]
    quiet = ("--no-header", "--no-annotate", "--no-emit-index-url", "--quiet")
    options = ("--universal", "--python-version", PYTHONS[0], *quiet)
    found = session.run("uv", "pip", "compile", *options, *members, *groups, silent=True)
    lines = [line for line in str(found).splitlines() if "==" in line]
    (ROOT / "constraints.txt").write_text("\n".join(lines) + "\n")


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
    peers = ("coming-from-parent-document", "coming-from-semantic-chunker")
    session.run("python", "docs/shown.py", *(f"docs/{page}.md" for page in shown + peers))
    gaps = ("docs/gaps.svg", "--size", "1200")
    session.run("python", "-m", "caesura_lab", "plot", "examples/article.md", "-o", *gaps)
    manuals = ("benchmarks/manuals", "--questions", "benchmarks/manuals/questions.jsonl", "--plot", "docs/recall.svg")
    session.run("python", "-m", "caesura_lab", "measure", *manuals, "-q")
    session.run("python", "docs/cuts.py")
    session.run("python", "docs/screenshots.py")
