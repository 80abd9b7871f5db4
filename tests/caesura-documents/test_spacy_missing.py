"""Without spaCy the module is there and says what to install; with it, nothing is loaded before it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from caesura_documents.spacy import spacy_sentences, spacy_vectors


@pytest.mark.parametrize("make", [spacy_sentences, spacy_vectors])
def test_what_to_install_is_said_where_it_is_used(make: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy.language", None)
    with pytest.raises(ImportError, match=r'pip install "caesura-documents\[spacy\]"'):
        make(object())


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("module", "unloaded"),
    [("caesura", "caesura_documents.spacy"), ("caesura_documents.spacy", "spacy"), ("caesura", "spacy")],
)
def test_an_import_loads_no_more_than_it_says(module: str, unloaded: str) -> None:
    program = f"import sys, {module}; sys.exit({unloaded!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
