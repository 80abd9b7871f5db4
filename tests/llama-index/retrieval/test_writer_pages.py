"""Pages that nothing joined are indexed as they are; where their loader lost spaces, a warning says so."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from fakes.llama_index.indexes import index
from llama_index.core import Document

GLUED = "Theresultingprogrammustnotbeinstalled, asthepolicyofthedistributionforbidsit. "


@pytest.mark.parametrize("own", [{"page_label": "1"}, {"page": 0}, {"total_pages": 2}])
async def test_pages_whose_loader_lost_spaces_between_words_are_told_once_for_each_file(own: dict[str, Any]) -> None:
    made = index()
    pages = [
        Document(text=f"{GLUED}{number}", id_=str(number), metadata={"file_path": f"/{number // 2}.pdf", **own})
        for number in range(4)
    ]
    with pytest.warns(UserWarning, match="the loader has lost spaces .* read it with from_pdf") as told:
        made.upsert(pages)
    said = [str(each.message) for each in told if "lost spaces" in str(each.message)]
    assert [one.partition(",")[0] for one in said] == ["in '/0.pdf'", "in '/1.pdf'"]
    assert {each.filename for each in told} == {__file__}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*lost spaces")
        assert made.upsert(pages).unchanged == 4
        await made.aupsert([Document(text=GLUED, id_="a", metadata={"file_path": "/a.txt"})])
        made.upsert([Document(text="The page is right.", id_="b", metadata={"file_path": "/b.pdf", **own})])
