"""Every cut has a splitter in both plugins, which declares its settings as the cut's file says them."""

from __future__ import annotations

import ast
import inspect
from typing import Any, get_args, get_type_hints

import pytest
from llama_index.core import Document
from llama_index.node_parser import caesura as llama_index_caesura

import langchain_caesura
from caesura.host.settings import CUTS, SPLITTER_NAMES, settings_of
from langchain_caesura import splitters as langchain_splitters
from llama_index.node_parser.caesura.splitters import SPLITTERS, LevelCut, splitter_from_dict

every_cut = pytest.mark.parametrize("name", CUTS)


def types_in_source(cls: type) -> dict[str, Any]:
    """The types of the constructor's keywords, as type checkers read them."""
    tree = ast.parse(inspect.getsource(cls))
    init = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    names = vars(langchain_splitters)
    return {each.arg: eval(ast.unparse(each.annotation), names) for each in init.args.kwonlyargs if each.annotation}


@every_cut
def test_both_plugins_have_a_splitter_for_the_cut(name: str) -> None:
    for plugin in (langchain_caesura, llama_index_caesura):
        assert SPLITTER_NAMES[name] in plugin.__all__, plugin.__file__
        assert getattr(plugin, SPLITTER_NAMES[name]).cut_class is CUTS[name]


def test_a_level_of_a_hierarchy_can_have_any_cut() -> None:
    assert set(get_args(LevelCut)) == set(CUTS), "LevelCut in llama_index/node_parser/caesura/splitters.py"


@every_cut
def test_the_declared_settings_are_those_of_the_cut(name: str) -> None:
    own = {key: setting.type for key, setting in settings_of(CUTS[name]).items()}
    assert types_in_source(getattr(langchain_caesura, SPLITTER_NAMES[name])) == own
    declared = get_type_hints(getattr(llama_index_caesura, SPLITTER_NAMES[name]))
    assert {key: declared.get(key) for key in own} == own


@every_cut
def test_the_constructor_shows_defaults_and_meanings(name: str) -> None:
    splitter = getattr(langchain_caesura, SPLITTER_NAMES[name])
    fields = getattr(llama_index_caesura, SPLITTER_NAMES[name]).model_fields
    shown = inspect.signature(splitter).parameters
    for key, setting in settings_of(CUTS[name]).items():
        assert (shown[key].default, shown[key].annotation) == (setting.default, setting.type)
        assert f"{key}: {setting.meaning}" in str(splitter.__doc__)
        assert (fields[key].default, fields[key].description) == (setting.default, setting.meaning)


@pytest.mark.parametrize("name", SPLITTER_NAMES.values())
def test_a_splitter_comes_back_from_its_dict(name: str) -> None:
    kind = getattr(llama_index_caesura, name)
    assert kind in SPLITTERS
    parser = kind(chunk_size=77)
    again = splitter_from_dict(parser.to_dict(), trusted=False)
    assert type(again) is kind
    assert again.chunk_size == 77
    assert again([Document(text="One. Two.", id_="a")]) == parser([Document(text="One. Two.", id_="a")])
