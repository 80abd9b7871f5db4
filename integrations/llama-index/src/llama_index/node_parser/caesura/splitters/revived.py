"""What `to_dict` says of a splitter in, the splitter out."""

from __future__ import annotations

from typing import Any

from caesura.errors import SettingError
from llama_index.node_parser.caesura.base import BaseSemanticSplitter
from llama_index.node_parser.caesura.splitters.cluster import ClusterSemanticSplitter
from llama_index.node_parser.caesura.splitters.double_pass import DoublePassSemanticSplitter
from llama_index.node_parser.caesura.splitters.optimal import OptimalSemanticSplitter
from llama_index.node_parser.caesura.splitters.percentile import SemanticPercentileSplitter
from llama_index.node_parser.caesura.splitters.semantic import SemanticSplitter


def revived(data: dict[str, Any], trusted: bool) -> BaseSemanticSplitter:
    """What `to_dict` of one of these returned -> the splitter. Raises `SettingError` for another parser's."""
    kinds = (
        DoublePassSemanticSplitter,
        SemanticPercentileSplitter,
        OptimalSemanticSplitter,
        ClusterSemanticSplitter,
        SemanticSplitter,
    )
    for kind in kinds:
        if kind.class_name() == data.get("class_name"):
            return kind.from_dict(data, trusted)
    raise SettingError(
        f"from_dict() cannot make a splitter of class {data.get('class_name')}: pass it, from_dict(data, splitter=…)"
    )
