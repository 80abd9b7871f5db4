"""Sentences and the teacher's rows -> one vector per token, such that their mean points where the teacher's row does.

Four steps, each from the last one's result:
1. the teacher's row of each token alone, centred, times a weight that is small for common tokens (SIF);
2. ridge regression from the mean of a sentence's token rows to the teacher's row of the sentence: one matrix;
3. the principal components of what that predicts: `dimension` of them;
4. Adam on the token vectors themselves, for the direction of each sentence's mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import embedding_bag, normalize

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Settings:
    """What the fit may vary; the values did best on packages left out of the corpus (choose.py)."""

    dimension: int = 192
    common: float = 1e-4  # a token of this share of the text gets half the weight of a rare one
    ridge: float = 0.002  # of the mean squared length of the regression's inputs
    epochs: int = 3
    batch: int = 1024
    rate: float = 3e-3  # of the mean length of a token's vector
    seed: int = 20260119


@dataclass(frozen=True)
class Bags:
    """The token numbers of many sentences, end to end, and where each begins."""

    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: list[list[int]]) -> Bags:
        """Token numbers of each sentence -> Bags."""
        sizes = np.array([len(numbers) for numbers in sentences])
        return cls(np.fromiter(chain.from_iterable(sentences), np.int64), np.cumsum(sizes) - sizes)

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, chosen: NDArray[np.int64]) -> Bags:
        """Returns the chosen sentences, in that order."""
        sizes = np.diff(self.starts, append=len(self.numbers))[chosen]
        starts = np.cumsum(sizes) - sizes
        return Bags(self.numbers[np.repeat(self.starts[chosen] - starts, sizes) + np.arange(sizes.sum())], starts)

    def mean(self, rows: torch.Tensor) -> torch.Tensor:
        """One row per token -> one row per sentence; zero for a sentence without tokens."""
        return embedding_bag(torch.from_numpy(self.numbers), rows, torch.from_numpy(self.starts), mode="mean")


def weighted(token_rows: Rows, bags: Bags, common: float) -> torch.Tensor:
    """Step 1: the teacher's rows of the tokens, centred, times common / (common + the token's share of the text)."""
    counts = np.bincount(bags.numbers, minlength=len(token_rows)) + 0.0
    weights = common / (common + counts / counts.sum())
    centre = (weights * counts) @ token_rows / (weights * counts).sum()
    return torch.from_numpy(((token_rows - centre) * weights[:, None]).astype(np.float32))


def regressed(rows: torch.Tensor, bags: Bags, targets: torch.Tensor, ridge: float) -> torch.Tensor:
    """Step 2: the token rows times the matrix that best turns their means into the targets."""
    means = bags.mean(rows).double()
    square = means.T @ means / len(means)
    square += ridge * torch.trace(square) / len(square) * torch.eye(len(square))
    matrix = torch.linalg.solve(square, means.T @ targets.double() / len(means))
    return (rows.double() @ matrix).float()


def components(rows: torch.Tensor, bags: Bags, dimension: int) -> torch.Tensor:
    """Step 3: returns (384, dimension), the directions along which sentences' rows vary most, signs fixed."""
    means = normalize(bags.mean(rows)).double()
    _, vectors = torch.linalg.eigh(means.T @ means)
    chosen = vectors.flip(1)[:, :dimension]
    largest = chosen.gather(0, chosen.abs().argmax(0, keepdim=True))
    return (chosen * largest.sign()).float()


def trained(rows: torch.Tensor, bags: Bags, targets: torch.Tensor, s: Settings) -> torch.Tensor:
    """Step 4: Adam on the token vectors, loss 1 - cosine; the rate falls to nothing along half a cosine."""
    shuffle = np.random.default_rng(s.seed)
    rows = rows.clone().requires_grad_()
    adam = torch.optim.Adam([rows], lr=s.rate * float(rows.detach().norm(dim=1).mean()))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(adam, s.epochs * -(-len(bags) // s.batch))
    targets = normalize(targets)
    for _ in range(s.epochs):
        order = shuffle.permutation(len(bags))
        for start in range(0, len(order), s.batch):
            chosen = order[start : start + s.batch]
            found = normalize(bags.take(chosen).mean(rows))
            loss = 1 - (found * targets[torch.from_numpy(chosen)]).sum(1).mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
            schedule.step()
    return rows.detach()


def fit(token_rows: Rows, bags: Bags, teacher: Rows, s: Settings) -> Rows:
    """Returns float32 (v, dimension), the vector of each token."""
    targets = torch.from_numpy(teacher - teacher.mean(0))
    rows = regressed(weighted(token_rows, bags, s.common), bags, targets, s.ridge)
    basis = components(rows, bags, s.dimension)
    return np.asarray(trained(rows @ basis, bags, targets @ basis, s), np.float32)
