"""A transformer comes back from a dict, from JSON and from a pickle, and tells no secret."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest
from fakes.llama_index.llms import EVERY, Plain, every, like, told
from fakes.llama_index.parsers import numbered
from fakes.servers.openai_server import OpenAIServer
from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter

from caesura import SettingError
from caesura_llm.report import Prices
from caesura_llm.retries import Pace
from llama_index.node_parser.caesura import ContextTransformer, DoublePassSemanticSplitter

pytestmark = pytest.mark.enable_socket


@every
def test_no_secret_is_in_what_is_filed(kind: Any, tmp_path: Path) -> None:
    with OpenAIServer() as server:
        llm = like(server, default_headers={"Authorization": "Bearer sk-topsecret"})
        parser = kind(llm, journal=str(tmp_path / "replies.db"))
        assert "topsecret" not in json.dumps(parser.to_dict())
        assert "topsecret" not in repr(parser) + str(parser)
        parser(told(1))
        Settings.llm = llm
        assert "topsecret" not in json.dumps(kind().to_dict())
    assert all(b"topsecret" not in path.read_bytes() for path in tmp_path.iterdir())


@every
@pytest.mark.filterwarnings("ignore:.*at their defaults")
def test_it_comes_back_from_a_dict_and_from_json(kind: Any) -> None:
    settings: dict[str, Any] = {
        "splitter": None if kind is ContextTransformer else DoublePassSemanticSplitter(chunk_size=99),
        "on_failure": "keep",
        "budget": 77,
        "title_key": None,
        "structured": False,
        "id_func": numbered,
    }
    parser = kind(MockLLM(), **settings)
    for again in (kind.from_dict(parser.to_dict(), True), kind.from_json(parser.to_json(), trusted=True)):
        assert again.to_dict() == parser.to_dict()
        assert (type(again.llm), again.splitter and again.splitter.chunk_size) == (MockLLM, settings["splitter"] and 99)
    assert kind.from_dict(kind().model_copy(update={"llm": MockLLM()}).to_dict()).on_failure == "raise"
    with pytest.raises(SettingError, match=r"Plain: pass it, from_dict\(data, llm=…\)"):
        kind.from_dict(kind(Plain()).to_dict())
    assert kind.from_dict(kind(Plain()).to_dict(), llm=Plain()).to_dict() == kind(Plain()).to_dict()


@pytest.mark.parametrize("kind", [kind for kind in EVERY if kind is not ContextTransformer])
def test_a_splitter_that_no_dict_tells_is_asked_for(kind: Any) -> None:
    with pytest.raises(SettingError, match="splitter=…"):
        kind.from_dict(kind(MockLLM(), splitter=SentenceSplitter()).to_dict())


@every
def test_how_a_run_goes_is_in_no_cache_key_and_from_dict_says_that_it_is_lost(kind: Any, tmp_path: Path) -> None:
    run = {
        "journal": tmp_path / "j.db",
        "max_concurrency": 3,
        "pace": Pace(),
        "prices": Prices(1, 2),
        "show_progress": True,
    }
    data = kind(MockLLM(), **run).to_dict()
    assert data == kind(MockLLM()).to_dict()
    names = r"from_dict\(\) has journal, max_concurrency, pace, prices, show_progress at their defaults.*journal='"
    with pytest.warns(UserWarning, match=f"{kind.__name__}.{names}") as told:
        kind.from_dict(data)
    assert [warning.filename for warning in told if warning.category is UserWarning] == [__file__]
    with pytest.warns(UserWarning, match=names):
        kind.from_json(json.dumps(data))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = kind.from_dict(data, **run)
    assert {name: getattr(again, name) for name in run} == run


@every
def test_a_pickle_has_all_settings_and_the_llm_of_this_process(kind: Any, tmp_path: Path) -> None:
    Settings.llm = Plain(temperature=0.7)
    parser = kind(journal=str(tmp_path / "j.db"), max_concurrency=3, prices=(1.0, 2.0))
    Settings.llm = MockLLM()
    again = pickle.loads(pickle.dumps(parser))
    assert type(again.llm) is MockLLM
    assert (again.journal, again.max_concurrency, again.prices) == (parser.journal, 3, Prices(1.0, 2.0))
    parser = kind(Plain(), id_func=lambda i, doc: str(i))
    with pytest.raises(SettingError, match="id_func"):
        pickle.dumps(parser)
