"""Debian packages and all-MiniLM-L6-v2 -> src/caesura_static/model.npz, the model that ships.

    python packages/caesura-static/distill/distill.py            makes it anew and writes it
    python packages/caesura-static/distill/distill.py --check    makes it anew and compares it with the shipped file

Needs Debian 12 with apt-get, this folder's requirements.txt, two processor cores, 3 GB of memory and half an hour,
most of it for the teacher's rows, which --cache (or CAESURA_DISTILL_CACHE) keeps for the next run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "src" / "caesura_static" / "model.npz"
VERSION = "minilm-l6-v2/1"
STEP_TOLERANCE = 2  # int8 steps
SHARE_TOLERANCE = 0.02  # of all entries may differ at all

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def make(cache: Path, file: Path) -> None:
    """Distils, and writes the model to `file`."""
    import torch

    torch.set_num_threads(2)
    torch.use_deterministic_algorithms(True)

    import corpus
    import export
    import fit
    import teacher

    text = corpus.build(cache)
    print(f"corpus: {len(text.sentences)} sentences in {len(text.runs)} runs, fingerprint {text.fingerprint}")
    corpus.verify(text)

    tokens = teacher.kept_tokens()
    bags = fit.Bags.of(teacher.numbered(text.sentences, tokens))
    rows = teacher.rows_of(text.sentences, cache / "teacher")
    vectors = fit.fit(teacher.token_rows(tokens), bags, rows, fit.Settings())
    vectors[tokens.index("[UNK]")] = 0

    steps, scale = export.quantised(vectors)
    means = bags.mean(torch.from_numpy(steps * scale)).numpy()
    export.write(file, steps, scale, export.mean_direction(means), tokens, VERSION)
    print(f"{len(tokens)} tokens, {steps.shape[1]} dimensions, {file.stat().st_size} bytes")


def main() -> int:
    """Command line -> exit code."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument(
        "--cache", type=Path, default=os.environ.get("CAESURA_DISTILL_CACHE"), help="keeps packages and rows"
    )
    options.add_argument("--check", action="store_true", help="compare with the shipped file; 1 if they differ")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = Path(chosen.cache or temporary).resolve()
        if not chosen.check:
            make(cache, SHIPPED)
            return 0
        import export

        made = Path(temporary) / "made.npz"
        make(cache, made)
        largest, share, background = export.difference(made, SHIPPED)
        print(f"against the shipped file: {largest} int8 steps at most, {share:.4%} of entries differ")
        print(f"backgrounds: {background:.2g} at most")
        return int(largest > STEP_TOLERANCE or share > SHARE_TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
