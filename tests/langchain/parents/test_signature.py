"""What a document store knows settings by: the same in every process and file, another for others, and no secret."""

from __future__ import annotations

import os
import subprocess
import sys
from types import FunctionType
from typing import Any

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter

from caesura.cuts.double_pass import DoublePassCut
from caesura.splitter import Splitter
from caesura.text.sentences import units
from langchain_caesura import DoublePassSemanticSplitter, StaticEmbeddings
from langchain_caesura.parents.records import settings_fingerprint


def test_settings_are_known_by_the_same_name_in_every_process() -> None:
    code = (
        "from langchain_caesura import *\n"
        "from langchain_caesura.parents.records import settings_fingerprint\n"
        "from langchain_text_splitters import *\n"
        "found = settings_fingerprint((SemanticHierarchySplitter(), DoublePassSemanticSplitter(), "
        "RecursiveCharacterTextSplitter(), SemanticPercentileSplitter(), TokenTextSplitter.__mro__, "
        "OptimalSemanticSplitter(background=[1.0, 2.0])))"
    )
    here: dict[str, Any] = {}
    exec(code, here)
    path = os.pathsep.join(entry for entry in sys.path if entry)
    elsewhere = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(found, end='')"],
        env={
            **os.environ,
            "PYTHONPATH": path,
            "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert here["found"] == elsewhere.stdout
    assert " at 0x" not in here["found"]


@pytest.mark.parametrize(
    "moved",
    [DoublePassSemanticSplitter, StaticEmbeddings, Splitter, DoublePassCut, units, RecursiveCharacterTextSplitter],
)
def test_a_package_may_move_what_it_has_to_another_of_its_files(moved: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def known() -> str:
        return settings_fingerprint((DoublePassSemanticSplitter(), RecursiveCharacterTextSplitter()))

    before = known()
    monkeypatch.setattr(moved, "__module__", f"{moved.__module__.partition('.')[0]}.moved.here")
    assert known() == before


@pytest.mark.parametrize("name", ["__module__", "__qualname__"])
def test_another_function_of_ones_own_is_another_setting(name: str) -> None:
    def size(text: str) -> int:
        return len(text)

    other = FunctionType(size.__code__, {})
    for named in ("__module__", "__qualname__"):
        setattr(other, named, getattr(size, named))
    known = [settings_fingerprint(DoublePassSemanticSplitter(length_function=one)) for one in (size, other)]
    assert known[0] == known[1]
    setattr(other, name, getattr(size, name) + ".another")
    assert settings_fingerprint(DoublePassSemanticSplitter(length_function=other)) != known[0]


def test_a_method_of_a_built_in_type_has_its_module() -> None:
    assert "builtins:str.split" in settings_fingerprint(DoublePassSemanticSplitter(sentence_splitter=str.split))


def test_a_key_that_embeddings_hold_is_not_in_it() -> None:
    embeddings = StaticEmbeddings()
    embeddings.api_key = "sk-secret"  # type: ignore[attr-defined]
    assert "sk-secret" not in settings_fingerprint(DoublePassSemanticSplitter(embeddings))
