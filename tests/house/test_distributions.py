"""The distributions are released together: one version, one range for each other, the same classifiers."""

from __future__ import annotations

import re
import tomllib

import pytest
from fakes.pages import load_program
from house.sources import ROOT

VERSIONS = load_program("sessions/versions")
FILES = {path.parent.name: path.read_text("utf-8") for path in sorted(ROOT.glob("*/*/pyproject.toml"))}
PROJECTS = {name: tomllib.loads(text)["project"] for name, text in FILES.items()}
VERSION = PROJECTS["caesura"]["version"]
OWN = ("Environment :: Console", "Framework :: Jupyter")
"""Classifiers that one distribution has alone."""


@pytest.mark.parametrize("name", FILES)
def test_a_distribution_is_what_the_command_for_versions_writes(name: str) -> None:
    assert VERSIONS.with_version(FILES[name], VERSION) == FILES[name]


@pytest.mark.parametrize("name", PROJECTS)
def test_a_distribution_says_what_it_is(name: str) -> None:
    project = PROJECTS[name]
    shared = [each for each in PROJECTS["caesura"]["classifiers"] if each not in OWN]
    assert [each for each in project["classifiers"] if each not in OWN] == shared
    assert len(project["keywords"]) == len(set(project["keywords"])) >= 4
    assert project["description"].endswith(".")
    pythons = [each.rpartition(" ")[2] for each in shared if re.search(r"3\.\d+$", each)]
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    assert project["requires-python"] == f">={pythons[0]}"


@pytest.mark.parametrize("plugin", ["langchain", "llama-index"])
def test_a_plugin_passes_on_the_extras_by_which_files_are_read(plugin: str) -> None:
    extras = PROJECTS[plugin]["optional-dependencies"]
    (documents,) = [each for each in PROJECTS[plugin]["dependencies"] if each.startswith("caesura-documents>")]
    for name in PROJECTS["caesura-documents"]["optional-dependencies"].keys() - {"spacy"}:
        assert extras[name] == [documents.replace("documents", f"documents[{name}]")]


def test_a_version_sets_the_range_of_the_others() -> None:
    text = 'version = "0.1.0"\n\n    "caesura>=0.1,<1", # why\n    "caesura-llm[x]>=0.1,<1",\n    "numpy>=1.26",\n'
    below = text.replace("0.1.0", "0.3.2").replace(">=0.1,<1", ">=0.3,<0.4")
    assert VERSIONS.with_version(text, "0.3.2") == below
    assert VERSIONS.with_version(below, "2.1.0") == text.replace("0.1.0", "2.1.0").replace(">=0.1,<1", ">=2.1,<3")
