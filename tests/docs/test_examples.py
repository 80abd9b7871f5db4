"""The examples run as a newcomer would run them, and the chunks of each kind of document look sensible to a person."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
KINDS = ROOT / "examples" / "kinds"
LIMIT = 800  # the splitter's default
Spans = dict[str, list[tuple[int, int]]]


def kinds(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "utf8", str(ROOT / "examples" / "kinds.py"), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def text_of(name: str) -> str:
    return (KINDS / name).read_text("utf-8")


@pytest.fixture(scope="module")
def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kinds", ROOT / "examples" / "kinds.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def spans(module: ModuleType) -> Spans:
    """The place of every chunk, as the example gets it; each is the slice of its document at that place."""
    found: Spans = {path.name: [] for path in sorted(KINDS.iterdir()) if path.is_file()}
    for chunk in module.chunks_of([KINDS / name for name in found]):
        name, start = chunk.metadata["source"], chunk.metadata["start_index"]
        assert text_of(name)[start : start + len(chunk.page_content)] == chunk.page_content
        found[name].append((start, start + len(chunk.page_content)))
    return found


def torn(spans: list[tuple[int, int]], whole: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What should be whole and is inside no chunk."""
    return [(a, b) for a, b in whole if not any(start <= a and b <= end for start, end in spans)]


def places(pattern: str, text: str) -> list[tuple[int, int]]:
    """Where a pattern is found, without the whitespace around it."""
    found = [match for match in re.finditer(pattern, text, re.MULTILINE) if match[0].strip()]
    return [(m.start() + len(m[0]) - len(m[0].lstrip()), m.start() + len(m[0].rstrip())) for m in found]


def test_the_script_prints_place_size_and_first_line_of_every_chunk(spans: Spans) -> None:
    done = kinds()
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stderr.count("the built-in model knows English") == 1  # one of the documents is Chinese
    rows = re.findall(r"^ *(\d+) +([\d,]+) +([\d,]+) +([\d,]+)  (.+)$", done.stdout, re.MULTILINE)
    wanted = [(name, start, end) for name, places in spans.items() for start, end in places]
    assert len(rows) == len(wanted)
    for (_, *numbers, first), (name, start, end) in zip(rows, wanted, strict=True):
        assert [int(number.replace(",", "")) for number in numbers] == [start, end, end - start]
        assert text_of(name)[start:end].startswith(first.removesuffix("…"))


def test_a_file_of_ones_own_is_cut_too(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("Swifts sleep on the wing. Clay cracks in the kiln.\n", encoding="utf-8")
    assert "Swifts sleep on the wing." in kinds(str(path)).stdout


def test_the_documents_are_of_the_kinds_and_sizes_that_are_spoken_of() -> None:
    assert len(places(r"^\[\d\d:\d\d\] \w+: .*", text_of("chat.txt"))) >= 60
    assert len(text_of("chinese.txt")) >= 1400
    assert len(text_of("pantry.py").splitlines()) >= 120
    assert len(text_of("handbook.md").splitlines()) >= 140


@pytest.mark.parametrize("name", ["chat.txt", "chinese.txt", "handbook.md", "pantry.py"])
def test_nothing_is_lost_and_no_chunk_is_over_the_limit(name: str, spans: Spans) -> None:
    text, last = text_of(name), 0
    for start, end in spans[name]:
        assert not text[last:start].strip()
        assert 0 < end - start <= LIMIT
        chunk = text[start:end].lstrip(" ") if name == "pantry.py" else text[start:end]  # code keeps its indentation
        assert chunk == chunk.strip()
        last = end
    assert not text[last:].strip()


def test_no_line_of_code_is_torn(spans: Spans) -> None:
    assert torn(spans["pantry.py"], places(r"^.+$", text_of("pantry.py"))) == []


def test_a_function_or_class_that_fits_is_in_one_chunk(spans: Spans) -> None:
    text = text_of("pantry.py")
    blocks = places(r"^(?:@\w+.*\n)?(?:def|class) .*\n(?:(?:[ \t]+.*)?\n)*", text)
    assert len(blocks) == 6
    fitting = [(start, end) for start, end in blocks if end - start <= LIMIT]
    assert len(fitting) == 4
    assert torn(spans["pantry.py"], fitting) == []


@pytest.mark.parametrize(
    ("what", "count"),
    [
        (r"(?:^\|.*\n)+", 2),  # tables, and so all their rows
        (r"^```sh\n(?s:.*?)^```$", 1),
        (r"^1\. Switch(?s:.*?)^4\. .*$", 1),  # a list with lists inside it
        (r"(?:^> .*\n)+", 1),
    ],
)
def test_blocks_of_markdown_are_whole(what: str, count: int, spans: Spans) -> None:
    found = places(what, text_of("handbook.md"))
    assert len(found) == count
    assert torn(spans["handbook.md"], found) == []


def test_a_heading_is_in_one_chunk_with_the_first_line_of_its_section(spans: Spans) -> None:
    text = text_of("handbook.md")
    headings = places(r"^#+ .*\n\n.*$", text)
    assert len(headings) == 9
    assert torn(spans["handbook.md"], headings) == []
    assert any(text[start] == "#" for start, _ in spans["handbook.md"][1:])


def test_a_chinese_sentence_or_quotation_is_not_torn(spans: Spans) -> None:
    text = text_of("chinese.txt")
    assert torn(spans["chinese.txt"], places(r"[^。！？\n]+[。！？]", text)) == []
    assert torn(spans["chinese.txt"], places(r"“[^”]*”", text)) == []


def test_a_line_of_a_chat_is_cut_between_sentences_only(spans: Spans) -> None:
    text = text_of("chat.txt")
    for start, _ in spans["chat.txt"]:
        assert text[:start].rstrip(" ")[-1:] in ("", "\n", ".", "!", "?")


def test_no_turn_of_a_chat_is_torn(spans: Spans) -> None:
    assert torn(spans["chat.txt"], places(r"^\[\d\d:\d\d\] .*$", text_of("chat.txt"))) == []
