"""What a text shows between its units."""

import numpy as np
import pytest

from caesura import units
from caesura.text.markup import HEADING, LINE, PARAGRAPH, structure


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        (" ", 0),
        ("", 0),
        ("\n", LINE),
        ("\r\n", LINE),
        ("  \n   ", LINE),
        ("\u2028", LINE),
        ("\n\n", PARAGRAPH),
        ("\r\n \r\n", PARAGRAPH),
        ("\n\n# ", HEADING),
        ("\n## ", HEADING),
        ("\n\\section{", HEADING),
        (" # ", 0),
    ],
)
def test_an_edge_is_as_strong_as_what_stands_there(between: str, expected: float) -> None:
    text = f"One.{between}Two."
    start = text.rindex("Two") if not between.strip() else len("One." + between) - len(between.lstrip())
    assert structure(text, [0, start]).tolist() == [expected]


def test_whitespace_counts_whichever_unit_has_it() -> None:
    text = "One.  \n\n Two."
    assert {structure(text, [0, at]).tolist()[0] for at in range(4, 10)} == {PARAGRAPH}


def test_edges_of_a_markdown_text_are_told_by_its_blank_lines_and_headings() -> None:
    text = "Tides rise. They fall.\n\nGauges read them.\n\n# Boats\n\nBoats float. Some\nsink."
    edges = units(text)
    shown = structure(text, edges[:-1])
    assert dict(zip([text[at : at + 6] for at in edges[1:-1]], shown, strict=True)) == {
        "They f": 0, "Gauges": PARAGRAPH, "# Boat": HEADING, "Some\ns": 0,
    }  # fmt: skip
    assert structure("", []).tolist() == structure("One.", [0]).tolist() == []
    assert shown.dtype == np.float64
