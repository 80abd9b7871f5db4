"""What the reference says where: its pages, by task, and on each page the names that a newcomer needs first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Section(NamedTuple):
    """A task, a sentence about it, and the names that serve it."""

    title: str
    names: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReferencePage:
    """A page; its names are looked up in `package`, unless they have dots themselves."""

    file: str
    title: str
    package: str
    text: str
    sections: tuple[Section, ...]


_SPLITTERS = (
    "DoublePassSemanticSplitter",
    "OptimalSemanticSplitter",
    "SemanticPercentileSplitter",
    "ClusterSemanticSplitter",
    "SemanticSplitter",
)
_TRANSFORMERS = (
    "ContextTransformer",
    "PropositionTransformer",
    "SummaryTransformer",
    "QuestionTransformer",
    "DescriptionTransformer",
    "AgenticSplitter",
)
_READERS = (
    "from_html",
    "from_docling",
    "from_unstructured",
    "from_mail",
    "from_messages",
    "from_slack",
    "from_transcript",
    "from_whatsapp",
)
_FIRST = "Begin with `DoublePassSemanticSplitter`. [Which splitter to use](../choosing.md) says when to take another."
_LLM = (
    "They ask a language model. Install the extra `llm` for them. "
    "[Propositions, summaries, questions](../propositions.md) shows them at work."
)

_PROMPTS = """\
`caesura_llm.prompts` has ours. Each asks for JSON of its own:

- `PROPOSITIONS`: of `Propositions`.
- `TOPICS` and `TITLES`: of `Topics`, which also asks for new titles.
- `SUMMARY`, `DESCRIPTION` and `IMAGE`: of `Representations`, for prose, for tables and code, and
  for pictures.
- `QUESTIONS`: of `questions`. It has `{n}` where their number goes.
- `DOCUMENT_CONTEXT` and `CHUNK_CONTEXT`: of `Contexts`, for each scope."""

_ERRORS = """\
- `caesura.SettingError`, a `ValueError`: a setting or an argument cannot be used. Constructors raise it, and
  methods raise it before they embed or write anything.
- `caesura.EmbeddingError`, a `ValueError`: an embedder did not return one row of numbers per text. Methods that
  embed raise it.
- `caesura.SegmentError`, a `ValueError`: a `sentence_splitter` returned other text than it was given. Methods
  that split raise it.
- `caesura.errors.ReplyError`, a `ValueError`: a reply of a language model cannot be used. Transformers raise
  it, unless you set ``on_failure="keep"``.
- `OSError`: a file cannot be read or written, as on a full disk. Stores and functions that read files raise it.

`caesura.CaesuraError` is the base of the first four. An error of your embedder, store or language model comes
through as it is. An entry above has a paragraph with **Raises** where it raises one of these for a reason of
its own."""

PAGES = (
    ReferencePage(
        "langchain.md",
        "LangChain plugin",
        "langchain_caesura",
        "Install `langchain-caesura`. A newcomer needs two classes: `ParentDocumentRetriever` to search, "
        "`DoublePassSemanticSplitter` to split.",
        (
            Section("Splitters", (*_SPLITTERS, "SemanticHierarchySplitter", "base.BaseSemanticSplitter"), _FIRST),
            Section("Retrievers", ("ParentDocumentRetriever", "BM25Retriever", "ScoredDocument")),
            Section("Embedders", ("StaticEmbeddings", "ContextualEmbeddings", "ChunkEmbeddings")),
            Section("Stores", ("SQLiteDocumentStore",)),
            Section("Documents from files and parsers", ("from_pdf", "from_pymupdf", "join_pages", *_READERS)),
            Section("Transformers", (*_TRANSFORMERS, "transformers.llm_transformer.LLMTransformer"), _LLM),
            Section("Errors", (), _ERRORS),
        ),
    ),
    ReferencePage(
        "llama-index.md",
        "LlamaIndex plugin",
        "llama_index.node_parser.caesura",
        "Install `llama-index-node-parser-caesura`. A newcomer needs two classes: `HierarchyIndex` to search, "
        "`DoublePassSemanticSplitter` to split. All splitters also have the settings of LlamaIndex's `NodeParser`: "
        "`include_metadata`, `include_prev_next_rel`, `callback_manager` and `id_func`.",
        (
            Section("Splitters", (*_SPLITTERS, "SemanticHierarchyParser", "base.BaseSemanticSplitter"), _FIRST),
            Section(
                "Indexes and retrievers",
                ("HierarchyIndex", "MergingRetriever", "BM25Retriever", "FoundNode"),
            ),
            Section("Embedders", ("StaticEmbedding", "ContextualEmbedding")),
            Section("Stores", ("SQLiteDocumentStore",)),
            Section("Documents from files and parsers", ("from_pdf", "from_pymupdf", "JoinPages", *_READERS)),
            Section("Transformers", (*_TRANSFORMERS, "spans_of", "transformers.llm_node_parser.LLMNodeParser"), _LLM),
            Section("Errors", (), _ERRORS),
        ),
    ),
    ReferencePage(
        "caesura.md",
        "The core: caesura",
        "caesura",
        "Texts, an embedder and limits go in; chunks come out. The core needs numpy only. "
        "[How the splitters cut](../splitters.md) says what a unit, an edge, a gap and a break are.",
        (
            Section("Split a text", ("Splitter", "Limits", "Chunk", "Span", "Segmentation", "Batch")),
            Section("Split a text into levels", ("hierarchy.Hierarchy", "hierarchy.Nested", "hierarchy.by_sizes")),
            Section("Cuts", ("DoublePassCut", "OptimalCut", "PercentileCut", "ClusterCut")),
            Section(
                "What a percentile cut compares, and its thresholds",
                (
                    "Adjacent",
                    "Overlapping",
                    "Percentile",
                    "StandardDeviation",
                    "Interquartile",
                    "Gradient",
                    "Count",
                ),
            ),
            Section(
                "How a cluster cut joins, and when it stops",
                ("Cohesion", "Average", "Ward", "Elbow", "Silhouette", "NClusters", "DistanceThreshold"),
            ),
            Section("Units of a text", ("units", "sentences", "aligned", "joined")),
            Section("What a size counts", ("utf8_bytes", "words", "tokens")),
            Section("Embedders", ("calibrate", "Background")),
            Section("Errors", ("CaesuraError", "SettingError", "SegmentError", "EmbeddingError", "errors.ReplyError")),
        ),
    ),
    ReferencePage(
        "modules.md",
        "Documents, stores, embedders, scale",
        "",
        "These packages work without LangChain and LlamaIndex.",
        (
            Section(
                "Documents from files and parsers",
                (
                    "caesura_documents.pdf.from_pdf",
                    "caesura_documents.pdf.from_pymupdf",
                    "caesura_documents.html_page.from_html",
                    "caesura_documents.docling.from_docling",
                    "caesura_documents.unstructured.from_unstructured",
                ),
            ),
            Section(
                "Conversations",
                (
                    "caesura_documents.conversations.mail.from_mail",
                    "caesura_documents.conversations.messages.from_messages",
                    "caesura_documents.conversations.slack.from_slack",
                    "caesura_documents.conversations.transcripts.from_transcript",
                    "caesura_documents.conversations.whatsapp.from_whatsapp",
                ),
            ),
            Section(
                "Source code", ("caesura_documents.source_code.Code", "caesura_documents.source_code.find_language")
            ),
            Section("spaCy", ("caesura_documents.spacy.spacy_sentences", "caesura_documents.spacy.spacy_vectors")),
            Section("Stores", ("caesura_store.sqlite_store.Store",)),
            Section(
                "Embedders",
                (
                    "caesura_store.embedding_cache.cached",
                    "caesura_store.embedding_cache.async_cached",
                    "caesura_llm.openai.openai_vectors",
                    "caesura_llm.openai.async_openai_vectors",
                ),
                "[`StaticEmbedder`](static.md) is the built-in model.",
            ),
            Section(
                "Embedders of whole documents",
                (
                    "caesura_retrieval.document_embedders.DocumentEmbedder",
                    "caesura_retrieval.document_embedders.embed_together",
                    "caesura_retrieval.late_chunking.late_chunking",
                    "caesura_retrieval.late_chunking.late_rows",
                    "caesura_llm.document_vectors.voyage_vectors",
                    "caesura_llm.document_vectors.jina_vectors",
                    "caesura_retrieval.cached_documents.cached_documents",
                ),
            ),
            Section(
                "Tables, files and streams",
                (
                    "caesura_scale.batch.SplitBatch",
                    "caesura_scale.stream.split_stream",
                    "caesura_scale.stream.asplit_stream",
                    "caesura_scale.files.SplitFile",
                    "caesura_scale.files.Part",
                ),
                "[Millions of documents](../scale.md) shows them at work.",
            ),
        ),
    ),
    ReferencePage(
        "llm.md",
        "Language models: caesura_llm",
        "caesura_llm",
        "Work with a language model, without a framework; [what it is for](../propositions.md). A `Conversation` lists "
        "requests and takes replies. A `Driver` sends the requests. A `Journal` keeps the replies.",
        (
            Section(
                "What is asked",
                (
                    "propositions.Propositions",
                    "propositions.Proposition",
                    "propositions.PassageResult",
                    "propositions.as_sentences",
                    "topics.Topics",
                    "grouping.Topic",
                    "grouping.by_embedding",
                    "representations.Representations",
                    "representations.questions",
                    "representations.ChunkResult",
                    "contexts.Contexts",
                    "contexts.ContextSource",
                    "contexts.ContextResult",
                    "passages.Passage",
                    "repair_ladder.PassageSettings",
                ),
            ),
            Section("Who asks", ("driver.Driver", "driver.Options", "openai.openai_chat", "openai.async_openai_chat")),
            Section(
                "What is kept, and what it cost",
                ("journal.Journal", "journal.Memory", "report.Report", "report.Prices"),
            ),
            Section(
                "Requests and replies",
                (
                    "conversation.Conversation",
                    "conversation.Request",
                    "conversation.Reply",
                    "conversation.Message",
                    "conversation.Image",
                    "conversation.Schema",
                    "conversation.Failure",
                    "conversation.Tally",
                ),
            ),
            Section("Prompts", ("prompts.Prompt",), _PROMPTS),
        ),
    ),
    ReferencePage(
        "static.md",
        "The built-in model: caesura_static",
        "caesura_static",
        "Texts go in, rows of 192 numbers come out, without a download or a key.",
        (Section("Embedders", ("StaticEmbedder", "LoadedEmbedder")),),
    ),
    ReferencePage(
        "lab.md",
        "The lab: caesura_lab",
        "caesura_lab",
        "See and measure chunks. The command `caesura` and these functions do the same; [the lab's page](../lab.md) "
        "shows both.",
        (
            Section("Ask files", ("ask", "PassageIndex", "FoundPassage", "FoundChunk")),
            Section("Look at chunks", ("view", "Page", "plot", "split", "read_texts", "reading.ReadingError")),
            Section("Compare splitters", ("compare", "tune", "Tuned", "Table", "embedder", "token_counter")),
            Section(
                "Measure retrieval",
                (
                    "measure",
                    "Measured",
                    "plot_recalls",
                    "evaluate",
                    "evaluate_retrieval",
                    "Scores",
                    "known_items",
                    "interpolated",
                ),
            ),
            Section(
                "Questions",
                ("read_questions", "write_questions", "WrittenQuestions", "Question", "QuestionsError"),
            ),
            Section("Measure segmentation", ("evaluate_segmentation", "pk", "window_diff", "window")),
            Section("Tell a difference from chance", ("paired_interval", "leads", "Interval")),
        ),
    ),
    ReferencePage(
        "testing.md",
        "Checks of your parts: caesura_testing",
        "caesura_testing",
        "[Parts of your own](../custom.md) shows these checks at work. A check passes, or raises `AssertionError` with "
        "what broke, the input, and the remedy. They need no test runner.",
        (
            Section("Splitters", ("check_cut", "check_segmenter", "check_sizer", "odd_texts")),
            Section("Embedders", ("check_embedder", "acheck_embedder")),
            Section("Adapters", ("check_adapter", "acheck_adapter", "check_chunks", "Record")),
        ),
    ),
)
"""In the order of the site."""
