"""Clustering's settings in, a LlamaIndex node parser out."""

from __future__ import annotations

from llama_index.core.bridge.pydantic import Field

from caesura.adapter_cuts import LinkageName, StopName, cluster_cut
from caesura.types import Cut, View
from llama_index.node_parser.caesura.base import BaseSemanticSplitter


class ClusterSemanticSplitter(BaseSemanticSplitter):
    """Neighbours join from the bottom up, as in hierarchical clustering, but only neighbours: see `caesura.ClusterCut`.

    They join up to the linkage's own distance, or to one of `distance_threshold`, `n_clusters` and `stop`.
    """

    linkage: LinkageName = Field(
        default="cohesion", description="How far apart two groups are: cohesion, ward or average."
    )
    n_clusters: int | None = Field(default=None, description="Stop at so many chunks.")
    distance_threshold: float | None = Field(
        default=None, description="Stop at this distance; None: 1.25 (cohesion), 1.2 (ward), 0.95 (average)."
    )
    stop: StopName | None = Field(default=None, description="Find where to stop: elbow or silhouette.")
    half_weight: float = Field(
        default=0.25, description="A sentence of so many times the mean size counts half; 0: all sentences alike."
    )

    @classmethod
    def class_name(cls) -> str:
        """The name under which `to_dict` files it."""
        return "ClusterSemanticSplitter"

    def _cut(self) -> tuple[Cut, View | None]:
        by = self.n_clusters, self.distance_threshold, self.stop
        return cluster_cut(self.linkage, *by, self.half_weight), None
