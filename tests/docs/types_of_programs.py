"""The programs of the README and of all pages -> an exit code: whether mypy, strict, and pyright accept each.

A reader who checks types has copied a program into a file, with the settings of neither this repository nor a plugin.
What other people's packages leave untyped, or do not say that they export, is not ours to mend. Programs that show what
somebody has before they come to us, which begin with ``# before``, are left out.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fakes.pages import ROOT, blocks

PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("packages/*/*.md")),
    *sorted(ROOT.glob("integrations/*/README.md")),
]
SETTINGS = """
[tool.mypy]
strict = true
disallow_subclassing_any = false
implicit_reexport = true
disable_error_code = ["import-untyped", "import-not-found"]

[tool.pyright]
typeCheckingMode = "standard"
reportMissingImports = false
reportPrivateImportUsage = false
"""


def main() -> int:
    """Writes each program into a file of its own -> 1 if a checker refuses one."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "pyproject.toml").write_text(SETTINGS, "utf-8")
        files = [
            (re.sub(r"\W+", "_", f"{page.relative_to(ROOT).with_suffix('')}_{number}") + ".py", block)
            for page in PAGES
            for number, block in enumerate(blocks(page), 1)
            if not block.startswith("# before")
        ]
        for name, block in files:
            (folder / name).write_text(block, "utf-8")
        print(f"{len(files)} programs", flush=True)
        commands = ["mypy", "--python-executable", sys.executable, "."], ["pyright", "--pythonpath", sys.executable]
        codes = [subprocess.run(command, cwd=folder, check=False).returncode for command in commands]
    return int(any(codes) or not files)


if __name__ == "__main__":
    sys.exit(main())
