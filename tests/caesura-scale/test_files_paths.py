"""Paths, versions and what cuts, as SplitFile takes and refuses them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from fakes.splitters.split_batch import BATCH, SPLITTER

from caesura import SettingError
from caesura_scale.files import Part, SplitFile


def test_paths_are_those_of_the_place_where_it_was_made(
    paths: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    split = SplitFile(BATCH, "out", "1")
    monkeypatch.chdir("/")
    assert split((tmp_path / "in/0.parquet").as_uri()) == Part(
        (tmp_path / "in/0.parquet").as_uri(), split(paths[0]).name, 50, split(paths[0]).chunks, 0, True
    )
    assert (tmp_path / "out").is_dir()


def test_parts_do_not_go_among_the_documents(paths: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for same in (folder, f"{folder}{os.sep}", folder.as_uri(), f"{folder.as_uri()}/"):
        for path in (paths[0], Path(paths[0]).as_uri()):
            with pytest.raises(SettingError, match="folder must be another"):
                SplitFile(BATCH, same, "1")(path)
    assert len(list(folder.iterdir())) == len(paths)


def test_what_cuts_must_be_able_to(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="cut must be callable, got Splitter"):
        SplitFile(SPLITTER, tmp_path, "1")  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["", None, 1])
def test_a_version_is_asked_for(tmp_path: Path, version: Any) -> None:
    with pytest.raises(SettingError, match="version must name settings and model"):
        SplitFile(BATCH, tmp_path, version)
