"""What tests of the lab share: the command as a real process, and two small documents."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from fakes.warm_python import warm_python

ROOT = Path(__file__).parents[2]
ARTICLE = ROOT / "examples" / "article.md"
BREAD = "Yeast makes bread dough rise. Flour and yeast make good bread. Bread dough needs flour."
TIDE = "The moon pulls at the sea. So the sea has tides. The tide turns with the moon."


def caesura(
    *arguments: object, given: bytes = b"", cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[bytes]:
    """Runs the command as a user's shell does, without any API key."""
    environment = {key: value for key, value in os.environ.items() if key not in ("OPENAI_API_KEY", "FORCE_COLOR")}
    return subprocess.run(
        [warm_python(), "-m", "caesura_lab", *map(str, arguments)],
        input=given,
        capture_output=True,
        cwd=cwd,
        timeout=120,
        check=False,
        env={**environment, "COLUMNS": "200", **more},
    )
