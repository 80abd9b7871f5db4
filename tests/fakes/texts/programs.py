"""Programs to cut: small ones of every language, and random Python."""
# ruff: noqa: E501

from __future__ import annotations

import random

PROGRAMS = {
    "bash": "#!/bin/bash\n# greets\ngreet() {\n  local name=$1\n  echo \"hi $name\"\n}\n\nfor x in a b; do\n  greet $x\ndone\n",
    "c": "#include <a.h>\n\n/* adds */\nint add(int a, int b)\n{\n    return a + b;\n}\n\nstruct point {\n    int x;\n};\n",
    "c_sharp": "using A;\nnamespace N {\n  // a tide\n  [Old]\n  public class Tide {\n    public int Rise() {\n      return 1;\n    }\n  }\n}\n",
    "cpp": "namespace n {\ntemplate <typename T>\nclass Tide {\npublic:\n  int &rise() {\n    return x;\n  }\n};\n}\n",
    "go": "package main\n\n// Tide is\ntype Tide struct {\n\ta int\n}\n\nfunc (t *Tide) Rise() int {\n\treturn t.a\n}\n",
    "java": "import a.b;\n\n/** a tide */\n@Old\npublic class Tide {\n  int x = 1;\n\n  public int rise() {\n    return x;\n  }\n}\n",
    "javascript": "import a from 'b';\n// a tide\nexport class Tide {\n  rise(x) {\n    return x;\n  }\n}\nconst fall = (x) => {\n  return x;\n};\n",
    "kotlin": "import a.b\n\n/** a tide */\nclass Tide(val a: Int) {\n    fun rise(): Int {\n        return a\n    }\n}\n",
    "php": "<?php\nuse A;\n\n#[Old]\nclass Tide {\n    public function rise() {\n        return 1;\n    }\n}\n",
    "python": "import a\n\n\n# a tide\n@old\nclass Tide:\n    \"\"\"Doc.\"\"\"\n\n    def rise(self):\n        return 1\n",
    "ruby": "require 'a'\n\n# a tide\nclass Tide\n  def rise\n    1\n  end\nend\n",
    "rust": "use a::b;\n\n/// a tide\n#[derive(Debug)]\npub struct Tide {\n    a: u8,\n}\n\nimpl Tide {\n    fn rise(&self) -> u8 {\n        self.a\n    }\n}\n",
    "scala": "import b\n\n// a tide\nclass Tide(x: Int) {\n  def rise(y: Int): Int = {\n    y\n  }\n}\n",
    "swift": "import A\n\n/// a tide\nclass Tide {\n    func rise() -> Int {\n        return 1\n    }\n}\n",
    "tsx": "// a tide\nexport function Tide(x: P) {\n  return <b>{x}</b>;\n}\n",
    "typescript": "namespace N {\n  // a tide\n  export interface Tide {\n    a: string;\n  }\n}\nexport class Ebb {\n  @In()\n  rise(): void {\n    go();\n  }\n}\n",
}  # fmt: skip
"""A language -> a program in it."""
_SIMPLE = ("a = 1", "call(a, 'é😀')", "return_ = a", "a += (\n        1\n)", "'text'", "del a", "xs = [\n1,\n\n2]")


def python_program(seed: int) -> str:
    """A random program: classes and functions within one another, decorators, comments, blank lines."""
    rng = random.Random(seed)
    lines: list[str] = []

    def body(depth: int) -> None:
        pad = "    " * depth
        for _ in range(rng.randint(1, 5)):
            lines.extend([""] * rng.choice((0, 0, 1, 2)))
            lines.extend(f"{pad}# remark {rng.random()}" for _ in range(rng.choice((0, 0, 0, 1, 3))))
            kind = rng.choice(("class", "def", "async def", "if", "try", "simple", "simple"))
            if kind == "simple" or depth > 4 or len(lines) > 120:
                first, *more = rng.choice(_SIMPLE).split("\n")
                lines.extend([pad + first, *more])
                continue
            if kind in ("class", "def", "async def"):
                lines.extend(f"{pad}@mark({rng.random()})" for _ in range(rng.choice((0, 0, 1, 2))))
                name = f"n{rng.randrange(10 ** rng.choice((1, 20)))}"
                lines.append(f"{pad}{kind} {name}" + (":" if kind == "class" else "(x):"))
                if rng.random() < 0.4:
                    lines.append(f'{pad}    """Says."""')
            else:
                lines.append(f"{pad}{'if x' if kind == 'if' else 'try'}:")
            body(depth + 1)
            if kind in ("if", "try"):
                lines.append(f"{pad}{'else' if kind == 'if' else 'except E'}:")
                body(depth + 1)

    body(0)
    return "\n".join(lines) + "\n" * rng.choice((0, 1, 3))
