"""Settings in, a LangChain text splitter out: neighbours join from the bottom up."""

from __future__ import annotations

from typing import Unpack

from langchain_core.embeddings import Embeddings

from caesura.adapter import EmbedFunction
from caesura.adapter_cuts import LinkageName, StopName, cluster_cut
from langchain_caesura.base import BaseSemanticSplitter, Common


class ClusterSemanticSplitter(BaseSemanticSplitter):
    """Neighbours join from the bottom up, as in hierarchical clustering, but only neighbours: `caesura.ClusterCut`.

    linkage: how far apart two groups are: "cohesion", "ward" or "average". They join up to its own distance (1.25, 1.2,
    0.95), or to one of: distance_threshold; n_clusters, so many chunks; stop, "elbow" or "silhouette".
    half_weight: a sentence of so many times the mean size counts half; 0: all sentences alike.
    The other settings: `BaseSemanticSplitter`.
    """

    def __init__(
        self,
        embeddings: Embeddings | EmbedFunction | None = None,
        *,
        linkage: LinkageName = "cohesion",
        n_clusters: int | None = None,
        distance_threshold: float | None = None,
        stop: StopName | None = None,
        half_weight: float = 0.25,
        **common: Unpack[Common],
    ) -> None:
        cut = cluster_cut(linkage, n_clusters, distance_threshold, stop, half_weight)
        super().__init__(embeddings, cut, **common)
