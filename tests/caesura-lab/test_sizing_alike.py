"""`split`, `compare`, `view` and the retrieval that is measured cut a text alike, whatever the sizes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fakes.lab import ARTICLE, ROOT

from caesura_lab import compare, evaluate_retrieval, split, view
from caesura_lab.questions import Question
from caesura_lab.sizing import make_sizing
from caesura_lab.splitters.methods import list_available

FILES = [ARTICLE, *sorted((ROOT / "examples" / "kinds").glob("*.*"))]
SIZES: list[dict[str, Any]] = [{}, {"size": 900, "overlap": 100, "min_size": 50}, {"unit": "tokens", "size": 128}]


def views(path: Path, names: list[str], sizes: dict[str, Any]) -> dict[str, list[tuple[int, int]]]:
    """The chunks that the page shows, by splitter."""
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', view(path, names, **sizes).html)
    shown = json.loads(data)["documents"][0]["views"]
    return {each["splitter"]: [(row[2], row[3]) for row in each["chunks"]] for each in shown}


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:the built-in model knows English")
@pytest.mark.parametrize("path", [pytest.param(path, marks=pytest.mark.thorough) for path in FILES[1:]] + FILES[:1])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_command_cuts_a_file_alike(path: Path, sizes: dict[str, Any]) -> None:
    names = list_available(make_sizing(unit=sizes.get("unit", "characters")))[0]
    table = {row["splitter"]: row for row in compare(path, names, **sizes)}
    shown = views(path, names, sizes)
    assert list(shown) == list(table) == names
    for name, chunks in shown.items():
        assert chunks == [(row["start"], row["end"]) for row in split(path, name, **sizes)], name
        assert table[name]["chunks"] == len(chunks), name
        assert table[name]["mean_characters"] == pytest.approx(sum(b - a for a, b in chunks) / len(chunks)), name
    if "overlap" in sizes:
        return
    asked = [Question("?", str(path), [(0, 1)])]
    scores = evaluate_retrieval(path, asked, names, **sizes)
    assert {name: own.sizes.tolist() for name, own in scores.items()} == {
        name: [b - a for a, b in chunks] for name, chunks in shown.items()
    }
