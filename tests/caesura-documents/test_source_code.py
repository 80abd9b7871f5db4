"""`Code` as a segmenter: a tiling of any text, whose units are definitions and statements, with their indentation."""

from __future__ import annotations

import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from fakes.growth import assert_time_grows

pytest.importorskip("tree_sitter")

from fakes.texts.programs import PROGRAMS, python_program
from house.sources import ROOT
from naive.scopes import line_starts, statement_lines

from caesura import SettingError
from caesura_documents.source_code import Code
from caesura_documents.syntax_tree import LANGUAGES, SMALL, WHOLE
from caesura_testing import check_segmenter

OWN = sorted((ROOT / "packages/caesura/src/caesura").glob("*/*.py"))[::4]
every_language = pytest.mark.parametrize("language", LANGUAGES)


def units(text: str, language: str = "python") -> list[str]:
    return [text[start:end] for start, end in pairwise(Code(language)(text).tolist())]


@pytest.mark.thorough
@every_language
def test_the_laws_of_a_segmenter_hold(language: str) -> None:
    check_segmenter(
        Code(language), [*PROGRAMS.values(), *(python_program(seed) for seed in range(9)), "", " \n", "\ufeff"]
    )


@every_language
def test_a_definition_has_its_comment_and_its_mark_and_is_whole_where_it_is_short(language: str) -> None:
    found = units(PROGRAMS[language], language)
    for unit in found:
        first = unit.lstrip(" \t")[0]
        assert first not in "})\n"
        assert not unit.startswith("end")
        assert "{" not in unit or unit.count("{") >= unit.count("}")


@pytest.mark.parametrize("seed", range(60))
def test_units_start_at_lines_of_statements(seed: int) -> None:
    text = python_program(seed)
    starts, allowed = line_starts(text), statement_lines(text)
    edges = Code("python")(text).tolist()
    for at in edges[1:-1]:
        assert starts.index(at) + 1 in allowed
        assert text[at:].lstrip(" \t")[0] != "\n"


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_our_own_modules_are_cut_at_statements_alone(path: object) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined]
    starts, allowed = line_starts(text), statement_lines(text)
    edges = Code("python")(text).tolist()
    assert all(starts.index(at) + 1 in allowed for at in edges[1:-1])
    assert len(edges) > len(text) / 400


def test_what_stands_above_belongs_to_what_follows_and_a_docstring_to_what_holds_it() -> None:
    long = "    x = 'long enough that the class is parted at its statements, and not whole'\n" * 4
    method = "    # how\n    def f(self):\n        pass\n"
    text = f'import a\nimport b\n\n\n# why\n@mark\nclass A:\n    """Doc."""\n\n{long}\n{method}'
    found = units(text)
    assert found[0] == "import a\nimport b\n\n\n"
    assert found[1] == '# why\n@mark\nclass A:\n    """Doc."""\n\n'
    assert found[-1] == method


def test_short_statements_join_up_to_a_size_but_not_over_a_blank_line() -> None:
    text = "a = 1\n" * 100 + "\nb = 2\n"
    found = units(text)
    assert found[-1] == "b = 2\n"
    assert all(len(unit) <= SMALL + 1 for unit in found)
    assert len(found) <= 2 + 600 // SMALL


def test_a_long_definition_is_parted_at_its_statements() -> None:
    text = "def f():\n" + "".join(
        f"    for x in range({n}):\n        call(x, 'some more of it', {n})\n" for n in range(9)
    )
    assert len(text) > WHOLE
    found = units(text)
    assert len(found) > 3
    assert all(unit.startswith(("def", "    for")) for unit in found)


def test_positions_are_of_characters_and_of_no_bytes() -> None:
    text = "x = 'é😀中'\n\n# \ud800\ny = '𝔘'\r\n\r\nz = 1\n"
    assert units(text) == ["x = 'é😀中'\n\n", "# \ud800\ny = '𝔘'\r\n\r\n", "z = 1\n"]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000, "[" * 10_000 + "]" * 10_000, "{\n" * 10_000, "a + " * 9_000, '"""a\n' * 500,
        "\tif x:\n\t\ty\r\n" * 90, "\ufeffimport a\n", "def \n" * 900, "".join(map(chr, range(3000))), "x\ry\r" * 900,
        "\x00" * 99, "\ufeff\n\n", "))",
    ],
    ids=lambda text: repr(text[:6]),
)  # fmt: skip
@pytest.mark.parametrize("language", ["python", "javascript", "c", "ruby"])
def test_hostile_code_is_tiled_and_no_unit_is_blank(language: str, text: str) -> None:
    edges = Code(language)(text).tolist()
    assert (edges[0], edges[-1]) == (0, len(text))
    assert all(start < end for start, end in pairwise(edges))
    assert len(edges) == 2 or all(text[start:end].strip("\ufeff \t\r\n") for start, end in pairwise(edges))
    Code(language).outline(text)


@pytest.mark.thorough
def test_time_is_linear() -> None:
    part = "# why\n" * 40 + PROGRAMS["python"] + "x = (1 + 2)\n" * 20

    def seconds(count: int) -> float:
        text = part * count
        start = time.process_time()
        Code("python")(text)
        return time.process_time() - start

    assert_time_grows(seconds, 100, 400, 12)


def test_an_unknown_language_is_refused_with_the_near_ones() -> None:
    with pytest.raises(SettingError, match=r"got 'pyton': did you mean 'python'\?"):
        Code("pyton")
    for value in (None, 3, ["python"], ""):
        with pytest.raises(SettingError, match="language must be 'auto' or one of bash, c, c_sharp"):
            Code(value)  # type: ignore[arg-type]


def test_it_is_a_value_that_pickles_and_that_threads_share() -> None:
    code = Code("python")
    twin = pickle.loads(pickle.dumps(code))
    assert twin == code != Code("ruby")
    assert len({twin, code}) == 1
    texts = [python_program(seed) for seed in range(40)]
    expected = [code(text).tolist() for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert [edges.tolist() for edges in pool.map(twin, texts)] == expected
