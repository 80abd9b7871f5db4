"""What may import what: the core by layers, the distributions among themselves, libraries in one module each."""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import product

import pytest
from house.sources import DISTRIBUTIONS, NAMES, ROOT, arrows, distribution, foreign, imported, requirements

LAYERS = (
    ("errors", "ids", "tiktoken_sizer"),
    ("checks",),
    ("types",),
    ("edges", "sizers", "vectors"),
    ("sansio",),
    ("text", "cuts"),
    ("background",),
    ("segmentation",),
    ("batch",),
    ("cutting",),
    ("splitter",),
    ("hierarchy",),
    ("host",),
)
"""The core's modules and folders: each imports from those before its line, and from its own folder."""
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
ROOMS = {
    **{name: {other for other in LAYER if LAYER[other] < LAYER[name]} for name in LAYER},
}
"""A module or folder of the core -> those that it may import."""
SELDOM = {
    "text": {"background", "cuts"},
    "cuts": {"sansio", "text", "background"},
    "ids": set(ROOMS),
}
"""Of the layers before, what these have no need of."""

PLUGIN = {
    "caesura",
    "caesura_documents",
    "caesura_llm",
    "caesura_retrieval",
    "caesura_static",
    "caesura_store",
}
MAY_IMPORT: dict[str, set[str]] = {
    "caesura": set(),
    "caesura_documents": {"caesura"},
    "caesura_retrieval": {"caesura", "caesura_store"},
    "caesura_scale": {"caesura"},
    "caesura_store": {"caesura"},
    "caesura_testing": {"caesura"},
    "caesura_static": set(),
    "caesura_llm": {"caesura", "caesura_retrieval", "caesura_store"},
    "caesura_lab": PLUGIN,
    "langchain_caesura": PLUGIN,
    "llama_index.node_parser.caesura": PLUGIN,
}
"""caesura-static names the core in its tests and extras alone; the lab gives the plugins' splitters only as text."""

FRAMEWORKS = {
    "langchain_caesura": {"numpy", "pydantic", "pydantic_core"},  # what the core and LangChain bring
    "llama_index.node_parser.caesura": {"numpy", "pydantic", "pydantic_core"},
}
OPTIONAL: dict[tuple[str, str], set[str]] = {
    ("caesura_scale", "pyarrow"): {"caesura_scale.files"},
    ("caesura_documents", "pypdfium2"): {"caesura_documents.printed.pdfium"},
    ("caesura_documents", "spacy"): {"caesura_documents.spacy"},
    ("caesura_documents", "trafilatura"): {"caesura_documents.main_content"},
    ("caesura_documents", "tree_sitter"): {"caesura_documents.syntax_tree"},
    ("caesura_llm", "openai"): {"caesura_llm.openai"},
    ("caesura_llm", "tqdm"): {"caesura_llm.driver"},
    ("caesura_lab", "langchain_core"): {"caesura_lab.splitters.peers"},
    ("caesura_lab", "langchain_experimental"): {"caesura_lab.splitters.peers"},
    ("caesura_lab", "langchain_text_splitters"): {"caesura_lab.splitters.peers"},
    ("caesura_lab", "llama_index"): {"caesura_lab.splitters.peers"},
    ("caesura_lab", "matplotlib"): {"caesura_lab.plotting"},
    ("caesura_lab", "openai"): {"caesura_lab.embedders"},
    ("caesura_lab", "pandas"): {"caesura_lab.tables"},
    ("caesura_lab", "sentence_transformers"): {"caesura_lab.embedders"},
    ("caesura_lab", "spacy"): {"caesura_lab.embedders"},
    ("caesura_static", "safetensors"): {"caesura_static.loaded"},
    ("caesura_static", "tokenizers"): {"caesura_static.loaded"},
    ("caesura_lab", "tiktoken"): {"caesura_lab.sizing"},
}
"""A library that is not always installed, and where it is imported."""


def room(name: str) -> str:
    """`caesura.cuts.scores.gaps` -> `cuts`"""
    return name.split(".")[1]


def test_every_module_of_the_core_is_in_a_layer() -> None:
    assert {room(name) for name in NAMES if name.startswith("caesura.")} == ROOMS.keys()


def test_the_core_imports_from_the_layers_below() -> None:
    wrong = [
        (name, other)
        for name, other in arrows("caesura")
        if room(name) != room(other) and room(other) not in ROOMS[room(name)] - SELDOM.get(room(name), set())
    ]
    assert wrong == []


def test_every_package_of_the_workspace_is_known_here() -> None:
    members = {path.parent for path in ROOT.glob("*/*/pyproject.toml")}
    known = {member for member in members for folder in DISTRIBUTIONS.values() if member in folder.parents}
    assert members - known == set(), "a distribution has a py.typed"
    assert MAY_IMPORT.keys() == DISTRIBUTIONS.keys()


@pytest.mark.parametrize("package", DISTRIBUTIONS)
def test_a_distribution_imports_those_it_rests_on_alone(package: str) -> None:
    found = {
        distribution(other)
        for name, path in NAMES.items()
        if distribution(name) == package
        for other in imported(path) & NAMES.keys()
    }
    assert found - {package} <= MAY_IMPORT[package]


@pytest.mark.parametrize("plugin", FRAMEWORKS)
def test_a_plugin_needs_caesura_llm_for_its_transformers_alone(plugin: str) -> None:
    rooms = {name: name.startswith(f"{plugin}.transformers") for name in NAMES if distribution(name) == plugin}
    asking = {name for name in rooms if any(other.startswith("caesura_llm") for other in imported(NAMES[name]))}
    assert asking
    assert all(rooms[name] for name in asking)
    assert [(name, other) for name, other in arrows(plugin) if rooms[other] and not rooms[name]] == []


@pytest.mark.parametrize("package", DISTRIBUTIONS)
def test_a_library_that_may_be_missing_is_imported_in_one_module(package: str) -> None:
    always = requirements(package) | FRAMEWORKS.get(package, set())
    found: dict[tuple[str, str], set[str]] = {}
    for name, path in NAMES.items():
        if distribution(name) == package:
            for library in foreign(path) - always:
                found.setdefault((package, library), set()).add(name)
    assert found == {place: names for place, names in OPTIONAL.items() if place[0] == package}


@pytest.mark.parametrize(("package", "rooms"), list(product(DISTRIBUTIONS, [False, True])), ids=str)
def test_imports_make_no_circle_among_modules_or_folders(package: str, rooms: bool) -> None:
    """Those within functions count, and those for types alone."""
    depth = package.count(".") + 2
    graph: dict[str, set[str]] = {}
    for name, other in arrows(package):
        here, there = (".".join(each.split(".")[:depth]) if rooms else each for each in (name, other))
        graph.setdefault(here, set()).update({there} - {here})
    list(TopologicalSorter(graph).static_order())  # or a CycleError that shows the circle


def test_the_arrows_are_seen() -> None:
    assert len(arrows("caesura")) > 50
    assert all(arrows(package) for package in DISTRIBUTIONS)
