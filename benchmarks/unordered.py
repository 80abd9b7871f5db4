"""Units' rows -> breaks, by clustering as it is published for chunking: without order, cut where the label changes.

For comparison only: sentences far apart can share a cluster, so that one odd sentence makes two breaks.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import silhouette_score

from caesura.types import Breaks, Vectors

Linkage = Literal["average", "ward"]
MOST = 32
"""The most clusters among which the silhouette chooses."""


def label_changes(rows: Vectors, method: Linkage, clusters: int | None) -> Breaks:
    """Clusters the rows into so many, or as many as have the best silhouette -> where the label changes."""
    if len(rows) < 3:
        return np.zeros(0, np.intp)
    apart = pdist(rows)
    tree = linkage(apart, method)
    if clusters is None:
        square = squareform(apart)
        tried = [fcluster(tree, count, "maxclust") for count in range(2, min(MOST, len(rows) - 1) + 1)]
        labels = max(tried, key=lambda labels: float(silhouette_score(square, labels, metric="precomputed")))
    else:
        labels = fcluster(tree, clusters, "maxclust")
    return np.flatnonzero(np.diff(labels)) + 1
