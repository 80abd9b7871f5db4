"""Splitters by name: ours are the core's, the frameworks' use the same sizer, and their pieces find their places."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes.lab import ARTICLE, BREAD, TIDE
from hypothesis import given
from hypothesis import strategies as st

from caesura import Background, Limits, OptimalCut, SettingError, Span, Splitter
from caesura_lab.embedders import CachingEmbed, CountingEmbed, Embedder, embedder
from caesura_lab.sizing import Sizing, token_counter
from caesura_lab.splitters.methods import OURS, list_available, locate, make_method, make_methods
from caesura_lab.splitters.peers import PEERS, Peer
from caesura_lab.splitting import split
from caesura_static import StaticEmbedder

TEXT = ARTICLE.read_text("utf-8")
HERE = [name for name in PEERS if not PEERS[name].missing]


@pytest.mark.parametrize("kind", OURS)
def test_our_names_are_the_cores_cuts_within_the_limits(kind: str) -> None:
    (cutting,) = make_method(kind, Sizing(900))([TEXT], embedder())
    assert cutting.segmentation is not None
    assert cutting.spans == tuple(Span(chunk.start, chunk.end) for chunk in cutting.segmentation.chunks())
    assert max(end - start for start, end in cutting.spans) <= 900
    assert cutting.lost == 0


def test_settings_reach_the_cut() -> None:
    embed = StaticEmbedder()
    splitter = Splitter(
        Limits(700), cut=OptimalCut(penalty=0.9, half_weight=2), background=Background(embed.background)
    )
    (cutting,) = make_method("optimal:penalty=0.9,half_weight=2,size=700", Sizing(2000))([TEXT], embedder())
    assert cutting.chunks == [chunk.text for chunk in splitter.split(TEXT, embed)]
    assert len(make_method("optimal:calibrated=false", Sizing(700))([TEXT], embedder())[0].spans) > 1


@pytest.mark.parametrize("kind", OURS)
def test_our_settings_are_those_of_both_plugins(kind: str) -> None:
    from llama_index.node_parser import caesura as llama_index

    import langchain_caesura

    own = OURS[kind]
    assert set(own.settings) <= set(signature(getattr(langchain_caesura, own.class_name)).parameters)
    assert set(own.settings) <= set(getattr(llama_index, own.class_name).model_fields)


@pytest.mark.parametrize("kind", HERE)
def test_a_frameworks_splitter_gives_places_in_the_text(kind: str) -> None:
    (cutting,) = make_method(kind, Sizing(900))([TEXT], embedder())
    assert cutting.segmentation is None
    assert cutting.lost == 0
    assert len(cutting.spans) > 1
    assert all(before.end <= one.start for before, one in pairwise(cutting.spans))
    outside = TEXT
    for start, end in reversed(cutting.spans):
        outside = outside[:start] + outside[end:]
    assert not outside.strip()
    if PEERS[kind].limited:
        assert max(end - start for start, end in cutting.spans) <= 900
    assert make_method(kind, Sizing(900))(["", " \n"], embedder())[1].spans == ()


@pytest.mark.parametrize("kind", ["recursive", "markdown", "token", "sentence"])
def test_frameworks_count_in_our_tokens_and_overlap(kind: str) -> None:
    count = token_counter()
    (cutting,) = make_method(kind, Sizing(200, overlap=60, sizer=count))([TEXT], embedder())
    sizes = [count(chunk) for chunk in cutting.chunks]
    assert 100 < max(sizes) <= 210  # LlamaIndex measures before it joins
    assert any(one.start < before.end for before, one in pairwise(cutting.spans))
    assert cutting.lost == 0


def test_what_is_not_installed_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Peer(lambda *_: list, (("no_such_module.inner", "no-such-package"),))
    monkeypatch.setitem(PEERS, "gone", gone)
    names, remedies = list_available(Sizing(100))
    assert "gone" not in names
    assert remedies == [
        *(f"{name} is left out: pip install {peer.missing}" for name, peer in PEERS.items() if peer.missing)
    ]
    assert "gone is left out: pip install no-such-package" in remedies
    with pytest.raises(
        SettingError, match=r"'gone' needs what .*: pip install no-such-package, .* \"caesura-lab\[frameworks\]\""
    ):
        make_method("gone", Sizing(100))


def test_a_users_own_splitters_are_taken_as_they_are() -> None:
    from langchain_text_splitters import CharacterTextSplitter
    from llama_index.core.node_parser import TokenTextSplitter

    given: dict[str, Any] = {
        "sentences": lambda text: text.split(". "),
        "ours": Splitter(Limits(60)),
        "langchain": CharacterTextSplitter(separator=". ", chunk_size=40, chunk_overlap=0),
        "llama_index": TokenTextSplitter(chunk_size=20, chunk_overlap=0, tokenizer=str.split),
    }
    made = make_methods(given, Sizing(None))
    assert [one.name for one in made] == list(given)
    for one in made:
        (cutting,) = one([f"{BREAD} {TIDE}"], embedder())
        assert len(cutting.spans) > 1
    with pytest.raises(SettingError, match="a splitter must be a name"):
        make_method(3, Sizing(9))([BREAD], embedder())
    with pytest.raises(SettingError, match="fixed is there more than once"):
        make_methods(["fixed", "fixed"], Sizing(9))
    with pytest.raises(SettingError, match="at least one splitter"):
        make_methods([], Sizing(9))


def test_a_piece_that_occurs_often_is_found_where_the_splitter_was() -> None:
    text = "Yes. No. Yes. Yes. No."
    assert locate(text, ["Yes.", "No. Yes.", "Yes.", "No."])[0] == [(0, 4), (5, 13), (14, 18), (19, 22)]
    assert locate("a b c d", ["a b", "b c", "c d"]) == ([(0, 3), (2, 5), (4, 7)], 0)
    assert locate("# Head\n\nBody.", ["Body.", "  "]) == ([(8, 13)], 0)
    assert locate("one", ["two"]) == ([], 1)


@given(st.text("ab \n", max_size=40), st.lists(st.integers(0, 40), max_size=6))
def test_the_pieces_of_any_partition_are_located(text: str, cuts: list[int]) -> None:
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(edges)]
    spans, lost = locate(text, pieces)
    assert lost == 0
    assert ["".join(text[start:end].split()) for start, end in spans] == [
        "".join(piece.split()) for piece in pieces if piece.strip()
    ]
    assert "".join(text[start:end] for start, end in spans if text).split() == [] or spans[-1].end == len(text.rstrip())


def test_embedders_are_names_functions_or_embedders() -> None:
    static = embedder("static")
    assert embedder(static) is static
    assert static([BREAD]).shape == (1, StaticEmbedder().dimension)
    assert static([]).shape == (0, 0)
    assert static(["a\ud800b"]).shape[0] == 1

    def own(texts: Any) -> list[list[float]]:
        assert all(isinstance(text, str) for text in texts)
        return [[float(len(text)), 1.0] for text in texts]

    made = embedder(own)
    assert made.name == "own"
    assert made.background.mean.shape == (2,)
    for wrong in ("", "openai", "openai:", "glove:6B", 7):
        with pytest.raises(SettingError, match="embedder must be one of static, openai:MODEL"):
            embedder(wrong)  # type: ignore[arg-type]
    if find_spec("sentence_transformers") is None:
        with pytest.raises(SettingError, match="pip install sentence-transformers"):
            embedder("sentence-transformers:all-MiniLM-L6-v2")


def test_spacys_vectors_are_an_embedder(tmp_path: Any) -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.vocab.set_vector("bread", StaticEmbedder()(["bread"])[0])
    nlp.to_disk(tmp_path / "pipeline")
    found = embedder(f"spacy:{tmp_path / 'pipeline'}")
    assert found(["bread"]).any()


def test_counting_counts_and_remembering_asks_once() -> None:
    asked: list[str] = []

    def embed(texts: Any) -> list[list[float]]:
        asked.extend(texts)
        return [[float(len(text))] for text in texts]

    counting = CountingEmbed(embed, len)
    remembering = CachingEmbed(counting)
    assert remembering(["a", "bb", "a"]).tolist() == [[1.0], [2.0], [1.0]]
    assert remembering(["bb", "ccc"]).tolist() == [[2.0], [3.0]]
    assert asked == ["a", "bb", "ccc"]
    assert (counting.calls, counting.characters, counting.tokens) == (2, 6, 6)
    assert Embedder("own", remembering)(["a"]).tolist() == [[1.0]]


def test_a_segmenter_that_goes_by_file_names_gets_them(tmp_path: Path) -> None:
    """As `Code()` does, whose languages need grammars."""

    @dataclass(frozen=True)
    class Lines:
        pattern: str = r"$"

        def for_file(self, name: str) -> Lines:
            return Lines("\n" if name.endswith(".py") else "$")

        def __call__(self, text: str) -> np.ndarray:
            return np.unique([0, *(found.end() for found in re.finditer(self.pattern, text)), len(text)])

    for name in ("tide.py", "tide.txt"):
        (tmp_path / name).write_text("rise = 1\nfall = 2\nturn = 3\n")
    splitter = Splitter(segment=Lines(), cut=lambda vectors, sizes, limits: np.arange(1, len(sizes)))
    rows = split([tmp_path / "tide.py", tmp_path / "tide.txt"], splitter).rows
    assert Counter(Path(str(row["path"])).name for row in rows) == {"tide.py": 3, "tide.txt": 1}
