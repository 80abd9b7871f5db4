"""What a document store knows settings by: the same in every process and file, another for others, and no secret."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from types import FunctionType
from typing import Any

import pytest
from fakes.langchain.retrievers import DOCUMENTS, retriever, rows
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter

from caesura.cuts.double_pass import DoublePassCut
from caesura.splitter import Splitter
from caesura.text.sentences import units
from caesura_store import setting_keys
from langchain_caesura import DoublePassSemanticSplitter, StaticEmbeddings

settings_fingerprint = partial(setting_keys.settings_fingerprint, described=(TextSplitter,))


@pytest.mark.thorough
def test_settings_are_known_by_the_same_name_in_every_process() -> None:
    code = (
        "from langchain_caesura import *\n"
        "from caesura_store.setting_keys import settings_fingerprint\n"
        "from langchain_text_splitters import *\n"
        "found = settings_fingerprint((SemanticHierarchySplitter(), DoublePassSemanticSplitter(), "
        "RecursiveCharacterTextSplitter(), SemanticPercentileSplitter(), TokenTextSplitter.__mro__, "
        "OptimalSemanticSplitter(background=[1.0, 2.0])), (TextSplitter,))"
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


def sized(factor: int, key: str = "") -> Callable[[str], int]:
    def measure(text: str, more: int = 0) -> int:
        return factor * len(text) + more + len(key[:0])

    return measure


def counted() -> Callable[[str], int]:
    def measure(text: str) -> int:
        return 1 + measure(text[1:]) if text else 0

    return measure


def known(size: Callable[[str], int]) -> str:
    return settings_fingerprint(DoublePassSemanticSplitter(length_function=size))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda text: len(text), lambda text: 4 * len(text)),
        (lambda text: len(text), lambda text: len(text.encode())),
        (lambda text: 2 * len(text), lambda text: 3 * len(text)),
        (lambda text, by=1: by * len(text), lambda text, by=2: by * len(text)),
        (lambda text, *, by=1: by * len(text), lambda text, *, by=2: by * len(text)),
        (lambda text: sum(1 for _ in text), lambda text: sum(2 for _ in text)),
        (sized(1), sized(4)),
        (lru_cache(sized(1)), lru_cache(sized(4))),
        (partial(sized(1), more=1), partial(sized(4), more=1)),
    ],
)
def test_lambdas_and_closures_are_told_apart_by_code_and_captured_values(one: Any, other: Any) -> None:
    assert known(one) != known(other)


@pytest.mark.parametrize(
    "make", [partial(sized, 4), counted, lambda: lambda text: len(text) if text in {"a", "b"} else 1]
)
def test_the_same_closure_made_again_is_the_same_setting(make: Callable[[], Any]) -> None:
    assert known(make()) == known(make())


@pytest.mark.thorough
def test_a_closure_has_the_same_name_in_every_process_and_line() -> None:
    code = "size = lambda text, by={3: {'a', 'b'}}: len(text) if text in {'x', 'y', 'z'} else 2"
    show = "from caesura_store.setting_keys import canonical\nprint(canonical(size), end='')"
    names = {
        subprocess.run(
            [sys.executable, "-c", f"{lines}{code}\n{show}"],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
                "PYTHONHASHSEED": seed,
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, lines in (("1", ""), ("2", "\n\n"), ("3", "first = 1\n"))
    }
    assert len(names) == 1


def test_what_a_closure_has_captured_is_not_shown() -> None:
    assert "sk-secret" not in known(sized(1, "sk-secret"))


def test_rows_of_another_length_function_are_cut_anew() -> None:
    made = retriever(child_splitter=DoublePassSemanticSplitter(chunk_size=120, length_function=lambda text: len(text)))
    made.add_documents(DOCUMENTS)
    strict = DoublePassSemanticSplitter(chunk_size=120, length_function=lambda text: 2 * len(text))
    retriever(made.vectorstore, docstore=made.docstore, child_splitter=strict).add_documents(DOCUMENTS)
    assert max(len(row["text"]) for row in rows(made).values()) <= 60
