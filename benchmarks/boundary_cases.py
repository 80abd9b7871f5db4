"""A checkout in; what boundaries.py runs out: texts of many kinds, and the splitters that meet each, as expressions."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle, islice, product
from pathlib import Path
from typing import NamedTuple

DEAL, GENERATED, VARIANTS = 14, 95, 4
"""How many splitters meet each text, texts are generated of each kind, and splitters of the core have each cut."""


class Text(NamedTuple):
    """A text, and what it is known by."""

    kind: str
    name: str
    text: str


class Case(NamedTuple):
    """An expression that splits a text. What it can say is in boundaries.py: `SCOPE` and `name_inputs`."""

    group: str
    expression: str
    text: Text


# -- texts ------------------------------------------------------------------------------------------------------------

SOURCES = """
file       tests/golden/*/*.*                   1  30000  1
file       examples/*.md                        1  30000  1
file       examples/*/*.[mpt]*                  1  30000  1
slice      tests/golden/*/*.*                   1    900  4
slice      examples/*/*.[mpt]*                  1    900  4
rule       tests/golden/*.json                  1  30000  1
choi       shared/data/choi/*/*/*.ref           4   2500  1
essay      shared/data/essays/*.txt             1   1500 25
paper      shared/data/papers/documents.jsonl   1   1500  3
meeting    shared/data/meetings/*.jsonl         1   1500  3
retrieval  shared/data/retrieval/*.md           1   1500 40
language   shared/data/languages/*.jsonl        1   1200  1
sentence   shared/data/sentences/*.json         1   5000  1
whole      shared/data/[er]*/*.[mt]*            1  30000  1
"""
"""Kind; files in the checkout, or in `shared` beside it; every n-th of them; size and number of slices of a text."""
SUBJECTS = """tide harbour mast anchor sail rope deck hull storm compass captain ferry island pilot buoy Dr. Hale 3.14
dough oven yeast crust loaf rye crumb flour baker salt butter honey kitchen tray batch e.g. (see p. 7) ½ cup
levy treasury audit clerk form refund bracket duty income ledger budget office stamp U.S. No. 5 rate return
cell enzyme protein virus genome sample tissue antibody dose trial patient fever lung serum strain et al. 1.5"""
PIECES = {
    "prose": "{} ¦{} ¦{} {}\n\n¦{}\n¦# Part\n\n{} ¦## 2.1 More\n{}\n\n¦> {}\n¦{}[^1] ¦---\n{} ¦“{}” she said. ",
    "code": 'def f(x):\n    """{}"""\n    return x["a.b"]  # {}\n\n\n¦class A:\n    # {}\n¦```py\nx\n```\n{}\n\n¦}\n',
    "markup": "\\begin{equation}\n h = a.\n\\end{equation}\n{} ¦<p>{}</p>\n¦$$ x^2. $$\n¦<pre>\n¦{} ¦\\section{A}\n",
    "table": "| {} | 3.5 |\n¦|---|---|\n¦a,{},2\n¦a\t{}\t2\n¦<tr><td>{}</td></tr>\n¦North    3    {}\n¦\n{}\n\n",
    "list": "- {}\n¦* {}\n¦  - {}\n¦1. {}\n¦10) {}\n¦    a) {}\n¦- [ ] {}\n\n¦• {} ¦{}:\n\n",
    "dialogue": 'ANNA: {}\n¦<ben> {}\n¦[12:03] Cy: {}\n¦**Dee:** {}\n\n¦user: {}\n¦"{}" he said.\n¦“{}”\n',
    "Europe": "Er stieg z. B. am 3. Mai. „So?“ ¦Река вышла, т. е. рано. Да… ¦Ποιος ήρθε; ¦Ո՞վ եկավ։ ¦«Oui», M. R. ",
    "Asia": "海水很高。他说：“走吧。”¦「静か。」と言った。¦바다가 높았다. ¦น้ำขึ้นในตอน ¦समुद्र था। ¦ارتفع؟ ¦འཕར་སོང་། ",
    "whitespace": " ¦  ¦\n¦\n\n¦\t¦\r\n¦\f¦\v¦\xa0¦\u2028¦\u3000¦\u200b¦\x85¦a¦{}",
    "cluster": "👩\u200d🚀¦👨\u200d👩\u200d👧¦👍🏽¦🇩🇪¦🇫¦1\ufe0f\u20e3¦e\u0301\u0323¦각¦क्ष¦\u200d¦\ufeff¦{} ",
    "control": "\x00¦\ud800¦\udfff¦\ud83d\ude00¦\n\r¦\x1c¦\x7f¦\ufffd¦\U0010ffff¦{} ¦{}\r\n",
    "line end": "{}\r\n¦{}\r\n\r\n¦{} ¦- {}\r\n¦{}\r¦# Part\r\n¦ANNA: {}\r\n¦a\x00b {} ",
    "long": f"{'x' * 300}¦{'word' * 90} ¦{'a.b/' * 60}¦{'字' * 200}¦{'12345' * 99}\n¦{', a' * 80}¦{'((((' * 40}¦{{}} ",
    "tiny": "¦ ¦\n¦\t\n¦a¦.¦A.¦é¦\x00¦\ud800¦👩\u200d🚀¦字¦\r\n¦a b¦A. B.¦\u200b¦# A¦- a¦|",
}
"""Kind -> what its texts are made of; {} is a sentence."""


def read_file(path: Path, kind: str) -> list[str]:
    """A file of prose, of rules for sentences or of rows -> its texts."""
    content = path.read_bytes().decode("latin-1" if path.suffix == ".ref" else "utf-8")
    if kind in ("rule", "sentence"):
        rules = json.loads(content)
        rules = rules if isinstance(rules, list) else [rule for topic in rules.values() for rule in topic]
        return [rule[0] if isinstance(rule[-1], list) else "".join(rule) for rule in rules]
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in content.strip().split("\n")]
        parts = [row.get("turns") or row.get("paragraphs") or [row["text"]] for row in rows]
        return ["\n".join(part if isinstance(part, str) else part["text"] for part in some) for some in parts]
    return [content]


def read_texts(root: Path) -> Iterator[Text]:
    """A checkout -> the texts in it and beside it, in slices; prints what is not there."""
    for kind, pattern, every, size, most in map(str.split, SOURCES.strip().split("\n")):
        folder = root.parent if pattern.startswith("shared/") else root
        paths = sorted(folder.glob(pattern))[:: int(every)]
        if not paths:
            print(f"skipped {kind}: there is no {folder / pattern}")
        rows = [(path, number, text) for path in paths for number, text in enumerate(read_file(path, kind))]
        for path, number, text in rows:
            name = f"{kind} {path.relative_to(folder).as_posix()} {number}"
            for start in range(0, len(text), max(int(size), -(-len(text) // int(most)))):
                yield Text(kind, f"{name}@{start}", text[start : start + int(size)])


def generate_texts() -> Iterator[Text]:
    """Texts of pieces of each kind, and of all kinds; the same on every run."""
    kinds = {kind: pieces.split("¦") for kind, pieces in PIECES.items()}
    kinds["mixed"] = [piece for pieces in kinds.values() for piece in pieces]
    yield from (Text("tiny", f"tiny {number}", piece) for number, piece in enumerate(kinds.pop("tiny")))
    for (kind, pieces), number in product(kinds.items(), range(GENERATED)):
        rng, text = random.Random(f"{kind} {number}"), ""
        some = rng.sample(pieces, rng.randint(1, min(5, len(pieces))))
        for place in range(rng.choice((1, 3, 10, 30, 60))):
            words = rng.choices(SUBJECTS.split("\n")[place // 6 % 4].split(), k=rng.randint(1, 14))
            text += rng.choice(some).replace("{}", " ".join(("The", *words)) + rng.choice("...?!:"))
        yield Text(kind, f"{kind} {number}", text)


# -- splitters --------------------------------------------------------------------------------------------------------

CUTS = """DoublePassCut() | DoublePassCut(0.6, 0.8, 0.8, confidence=None, structure=0)
DoublePassCut(0.0, 0.1, 0.1, look_ahead=3, confidence=0.5) | DoublePassCut(look_ahead=0)
DoublePassCut(0.2, 0.3, 0.5, confidence=None)
PercentileCut() | PercentileCut(Adjacent(1), StandardDeviation()) | PercentileCut(Overlapping(3), Interquartile())
OptimalCut() | OptimalCut(penalty=0.5) | OptimalCut(penalty=0) | OptimalCut(n_chunks=4) | OptimalCut(0.5)
OptimalCut(structure=0, half_weight=0) | OptimalCut(n_chunks=9, structure=1, half_weight=2)
ClusterCut() | ClusterCut(half_weight=0) | ClusterCut(Ward(), half_weight=2)"""
GAPS = "Adjacent(1) | Adjacent() | Overlapping()"
THRESHOLDS = "Percentile(50) | Percentile(95) | StandardDeviation(1) | Interquartile(0.5) | Gradient() | Count(5)"
LINKAGES = "Cohesion() | Ward() | Average()"
STOPS = "None | NClusters(4) | DistanceThreshold(0.8) | Elbow() | Silhouette()"
LIMITS = "Limits() | Limits(40) | Limits(200) | Limits(1200) | Limits(200, 80) | Limits(None, 150) | Limits(180, 0, 90)"
SIZERS = "size=len | size=utf8_bytes | size=words | size=tokens(str.split) | size=tokens(superlinear_tokens)"
VIEWS, TRIMS, OVERLAPS = "view=None | view=None | view=joined(1)", "trim=True | trim=False", "0 | 0 | 2 | 60"
SPLITTERS = """Splitter() | Splitter(segment=sentences) | Splitter(Limits(60), segment=aligned(str.split))
Splitter(segment=aligned(str.splitlines)) | Splitter(segment=aligned(str.upper)) | Splitter(Limits(5), utf8_bytes)
Splitter(cut=lambda vectors, sizes, limits: np.array([2, 1])) | Splitter(Limits(10, 20)) | Splitter(Limits(7))"""
LEVELS = """[(Limits(size, 0, 2 * size // 3), OptimalCut()) for size in (2048, 512, 128)]
[(Limits(), ClusterCut(stop=DistanceThreshold(distance))) for distance in (2.5, 1.2, 0.6)]
[(Limits(1200), PercentileCut()), (Limits(400, 50), DoublePassCut()), (Limits(60), ClusterCut())]"""
HIERARCHIES = "size=len | size=words | trim=False, view=joined(1) | background=calibrate(static) | size=utf8_bytes"
BOTH_PLUGINS = """
SemanticSplitter: cut=OptimalCut(penalty=0.6) | cut=ClusterCut(Ward(), Elbow()) | cut=Splitter().cut
DoublePassSemanticSplitter:  | initial_threshold=0.2, merging_threshold=0.4, look_ahead=2 | confidence=None
SemanticPercentileSplitter:  | number_of_chunks=5 | breakpoint_threshold_type='interquartile', window_size=2
SemanticPercentileSplitter: window='overlapping', buffer_size=2, breakpoint_threshold_type='standard_deviation'
SemanticPercentileSplitter: window='joined', breakpoint_threshold_type='gradient' | breakpoint_threshold_amount=50
OptimalSemanticSplitter:  | penalty=0.5, structure=0 | n_chunks=4 | target_size=90 | half_weight=2
ClusterSemanticSplitter:  | linkage='ward' | linkage='average', n_clusters=4 | distance_threshold=0.6
ClusterSemanticSplitter: stop='elbow' | stop='silhouette', linkage='ward'"""
LANGCHAIN = """
SemanticPercentileSplitter.like_semantic_chunker:  | number_of_chunks=4 | min_chunk_size=80, buffer_size=0
SemanticHierarchySplitter:  | chunk_sizes=(600, 200, 50) | cut=DoublePassCut() | embeddings=hashed, calibrated=False
SemanticHierarchySplitter: chunk_sizes=(100, 20), length_function=words | strip_whitespace=False | cut=ClusterCut()"""
LANGCHAIN_SHARED = """chunk_size=300, chunk_overlap=60, add_start_index=True | chunk_size=None, calibrated=False
chunk_size=40, min_chunk_size=10, length_function=words, strip_whitespace=False | embeddings=hashed, batch_size=5
embeddings=lc.StaticEmbeddings(), embed_chunks=True | sentence_splitter=str.splitlines, embed_chunks=True
chunk_size=10, chunk_overlap=4 | background=calibrate(hashed), embeddings=hashed | background=[0.5] * 192"""
LLAMA_INDEX = """
DoublePassSemanticSplitter.like_double_merging:  | max_chunk_size=300, merging_range=2, merging_threshold=0.3
SemanticPercentileSplitter.like_semantic_splitter:  | buffer_size=0 | breakpoint_percentile_threshold=70
OptimalSemanticSplitter.from_dict: li.OptimalSemanticSplitter(target_size=60).to_dict()
SemanticSplitter.from_dict: li.SemanticSplitter(cut=ClusterCut(Ward(), NClusters(3))).to_dict()
SemanticHierarchyParser:  | chunk_sizes=[200, 60, 14] | cut='cluster' | cut='percentile', chunk_sizes=[128, 64]
SemanticHierarchyParser: cut='double_pass', tokenizer=list | embed_model=hashed | include_metadata=False
SemanticHierarchyParser: tokenizer=list, chunk_sizes=[400, 90] | chunk_sizes=[300, 90], tokenizer=superlinear_tokens"""
LLAMA_INDEX_SHARED = """chunk_size=250, tokenizer=list | chunk_size=None, calibrated=False | embed_model=hashed
chunk_size=80, min_chunk_size=20, include_metadata=False | embed_model=li.StaticEmbedding(), embed_chunks=True
sentence_splitter=str.splitlines, include_prev_next_rel=False | id_func=name_node | chunk_size=24
chunk_size=8, include_metadata=False | chunk_size=300, tokenizer=superlinear_tokens"""


def read_table(table: str) -> list[str]:
    """A table of expressions, some to a line -> the expressions."""
    return [cell.strip() for line in table.split("\n") for cell in line.split(" | ")]


def list_core_splits() -> Iterator[tuple[str, str]]:
    """The core's cuts with several settings, other splitters, hierarchies -> groups and expressions."""
    percentile = [f"PercentileCut({gaps}, {kind})" for gaps, kind in product(*map(read_table, (GAPS, THRESHOLDS)))]
    cluster = [f"ClusterCut({linkage}, {stop})" for linkage, stop in product(*map(read_table, (LINKAGES, STOPS)))]
    for cut, variant in product((*read_table(CUTS), *percentile, *cluster), range(VARIANTS)):
        rng = random.Random(f"{cut} {variant}")
        limits, size, view, trim, overlap = (
            rng.choice(read_table(row)) for row in (LIMITS, SIZERS, VIEWS, TRIMS, OVERLAPS)
        )
        embedder = rng.choice(("static", "hashed"))
        options = f"{limits}, {size}, {view}, {trim}{rng.choice(('', f', background=calibrate({embedder})'))}"
        if not variant:
            options, embedder, overlap = "Limits(1200), background=calibrate(static)", "static", "0"
        call = f"split_texts(Splitter({options}, cut={cut}), {embedder}, {overlap}, texts)"
        yield f"core {cut.partition('(')[0]}", call
    for splitter in read_table(SPLITTERS):
        yield "core Splitter", f"{splitter}.split_many(texts, hashed, batch_size=7)"
    yield "core Splitter", "Splitter().split(text, lambda texts: hashed(texts)[1:])"
    for levels, options in product(LEVELS.split("\n"), read_table(HIERARCHIES)):
        yield "core Hierarchy", f"Hierarchy({levels}, {options}).split(text, static)"


def list_plugin_splits() -> Iterator[tuple[str, str]]:
    """Every splitter of both plugins with settings of its own, with those that all share, and awaited, likewise."""
    langchain = "split_documents({}, documents)", "run({}.asplit_documents(documents))", "store_parents({}, documents)"
    llama_index = (
        "{}.get_nodes_from_documents(nodes)",
        "run({}.aget_nodes_from_documents(nodes))",
        "store_nodes({}, nodes)",
    )
    plugins = ("lc", LANGCHAIN, LANGCHAIN_SHARED, langchain), ("li", LLAMA_INDEX, LLAMA_INDEX_SHARED, llama_index)
    for plugin, table, shared, (call, awaited_call, store_call) in plugins:
        for line in (BOTH_PLUGINS + table).strip().split("\n"):
            name, cells = line.split(": ", 1)
            own = read_table(cells)
            both = [] if "." in name or "Hierarchy" in name else [f"{own[0]}, {more}" for more in read_table(shared)]
            splitters = [f"{plugin}.{name}({options.removeprefix(', ')})" for options in (*own, *both)]
            yield from ((f"{plugin} {name}", call.format(splitter)) for splitter in splitters)
            yield f"{plugin} {name}", awaited_call.format(splitters[0])
            if "." not in name:
                yield from ((f"{plugin} stores", store_call.format(one)) for one in (splitters[0], splitters[-1]))


# -- cases ------------------------------------------------------------------------------------------------------------


def deal_cases(texts: Sequence[Text]) -> Iterator[Case]:
    """Texts -> cases: splitters are dealt to the texts in turn, so that each meets every kind of text."""
    splits = [*list_core_splits(), *list_plugin_splits()]
    turns, kinds = cycle(random.Random(0).sample(splits, len(splits))), Counter(text.kind for text in texts)
    for text in sorted(texts, key=lambda text: text.kind):
        yield Case("units", "(sentences(text), units(text))", text)
        for split in islice(turns, max(DEAL, -(-len(splits) // kinds[text.kind]))):
            yield Case(*split, text)
    large = Text("large", "large", "\n".join(text.text for text in texts if text.kind in ("prose", "list", "dialogue")))
    for cut in ("DoublePassCut()", "PercentileCut()", "PercentileCut(Overlapping())", "OptimalCut()"):
        options = f"Limits(400, 60), background=calibrate(wide), cut={cut}"
        yield Case("core large", f"Splitter({options}).split(text, wide)", large)
    for cut in ("OptimalCut()", "ClusterCut(stop=Silhouette())"):
        yield Case("core large", f"Splitter(Limits(None, 60), cut={cut}).split(text, static)", large)
