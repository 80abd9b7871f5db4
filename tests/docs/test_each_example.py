"""Each example answers its question: it runs as a newcomer runs it, without a key, and prints what a reader expects."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.servers.openai_server import OpenAIServer

pytestmark = pytest.mark.thorough

EXAMPLES = Path(__file__).parents[2] / "examples"
ELSEWHERE = {
    *("haystack_splitter.py", "judged_answers.py", "kinds.py", "quickstart.py"),
    *("langchain_hierarchy.py", "llama_index_hierarchy.py"),
    *("scale_dask.py", "scale_files.py", "scale_ray.py", "scale_spark.py"),
}
"""Examples that a file of tests of their own holds."""

PLACE = r"\d+-\d+"
BIRDS = r"4974-\d+: ## Counting birds Dr\. Runa Haldorsen"
FREE = r"0 calls \(0 retries, 0 repairs\), 3 replies from the journal, 0 tokens in, 0 out, cost 0\.0000"
EXPECTED: dict[str, list[str]] = {
    "split_text.py": [
        r"^10581 characters in 23 chunks, the largest of 738$",
        r"^ +0-524 +# A Year on Ternholm",
        r"^ +526-865 +## The tide mill",
    ],
    "own_embedder.py": [
        r"^\['Bread dough rises b', 'The moon pulls the '\]\n\['The moon pulls the ', 'Bread dough rises b'\]$",
        r"^12 sentences embedded; .* \(2, 512\)$",
    ],
    "count_tokens.py": [
        r"^at most 256 tokens: +1\d chunks, the largest has 2\d\d, together 26\d\d$",
        r"^at most  64 tokens: +5\d chunks, the largest has 6[0-4], ",
        r"^at most  16 tokens: +2\d\d chunks, the largest has 16, ",
    ],
    "see_gaps.py": [
        r"^ +3763 1\.\d\d █{20,} +cut  ## Kitchen and cistern",
        r"^ +8786 1\.\d\d █{20,} +cut  ## Who pays",
        r"^26 of 104 places are cut\narticle\.html: [\d,]{6,} bytes\ngaps\.svg: [\d,]{6,} bytes$",
    ],
    "openai_embeddings.py": [
        r"^23 chunks: 169 of 169 items in .*: 2 calls .*, 3636 tokens in, 0 out, cost 0\.0001$",
        rf"^How are puffins counted\? 0\.\d\d at {BIRDS}",
        r"^again: 0 calls$",
    ],
    "llama_index_pipeline.py": [
        r"^first: (\d+) nodes made, \1 in the vector store\nagain: 0 nodes made, \1 in the vector store$",
        r"^ferry\.md changed: 1 nodes made, \d\d in the vector store$",
        rf"^0\.\d\d at {BIRDS}",
    ],
    "llama_index_propositions.py": [
        r"^propositions: (\d+) of \1 items in .*: 3 calls \(0 retries, 0 repairs\), .* cost 0\.00\d\d$",
        r"^questions: (\d+) of \1 items",
        r"^How are puffins counted\? leads to 5077-5218: Puffins are counted by the burrow",
        rf"^How are puffins counted\? leads to {BIRDS}",
        rf"^again: .*: {FREE}$",
    ],
    "llama_index_graph.py": [
        r"^\d{3} statements, \d+ mentions of \d+ names$",
        r"^Dr\. Runa Haldorsen: 4974-5041: ## Counting birds Dr\. Runa Haldorsen counts everything that nests\.$",
    ],
    "langchain_pipeline.py": [
        r"^How are puffins counted\? Puffins are counted by the burrow: .* \[4974, \d+, \d+\]$",
        r"^How much does the cistern hold\? .* a cistern that holds 60,000 litres\. \[",
        r"^What does the Harbour Trust pay for\? .*£121,000, for keeping the light; .*\[",
    ],
    "langchain_propositions.py": [
        r"^16 chunks, \d{3} doors to them$",
        r"^propositions: 16 of 16 items in .*: 3 calls \(0 retries, 0 repairs\), .* cost 0\.00\d\d$",
        r"^'# A Year on Ternholm .*' rests on article\.md, 0-112$",
        r"^0\.\d\d  .*\n(.*\n)*lead to the chunk at 4974: ## Counting birds",
        rf"^again: .*: {FREE}$",
    ],
    "langchain_topics.py": [
        r"^\d+ topics: (\d+) of \1 items in .*: \d calls \(0 retries, 0 repairs\)",
        rf"(^.+, from \d+ places:\n( +{PLACE} +\S.*\n)+){{3}}",
    ],
}


def run(name: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """An example, where no key is known, from a folder that is not its own."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("OPENAI_")} | variables
    command = [sys.executable, "-X", "utf8", str(EXAMPLES / name), *arguments]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, env=environment, cwd=EXAMPLES.parent
    )


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_prints_what_a_reader_expects(name: str) -> None:
    done = run(name)
    assert done.returncode == 0, done.stderr[-3000:]
    for pattern in EXPECTED[name]:
        assert re.search(pattern, done.stdout, re.MULTILINE), (pattern, done.stdout)


def test_the_pictures_go_where_they_are_wanted(tmp_path: Path) -> None:
    assert run("see_gaps.py", str(tmp_path)).returncode == 0
    assert (tmp_path / "gaps.svg").read_text("utf-8").startswith("<?xml")
    assert "</html>" in (tmp_path / "article.html").read_text("utf-8")


def test_the_real_api_is_asked_only_with_a_key() -> None:
    done = run("openai_embeddings.py", "--openai")
    assert done.returncode != 0
    assert "--openai needs OPENAI_API_KEY in the environment" in done.stderr


@pytest.mark.enable_socket
def test_a_model_of_ones_own_is_asked_where_the_environment_says() -> None:
    with OpenAIServer() as server:
        said = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": server.url, "NO_PROXY": "127.0.0.1"}
        done = run("langchain_pipeline.py", "--openai", "qwen3:8b", **said)
        assert done.returncode == 0, done.stderr[-3000:]
        assert {request["model"] for request in server.requests} == {"qwen3:8b"}
    assert "A stand-in" not in done.stderr


def test_every_example_is_held_by_a_test_and_is_listed() -> None:
    files = {path.name for path in EXAMPLES.glob("*.py")}
    assert files == {*EXPECTED, *ELSEWHERE}
    listed = re.findall(r"\[[\w.]+\]\(([\w.]+\.py)\)", (EXAMPLES / "README.md").read_text("utf-8"))
    assert sorted(listed) == sorted(files)
    for name in files:
        text = (EXAMPLES / name).read_text("utf-8")
        assert re.match(r'"""[^"]*[?:]', text), name
