"""PDF and HTML as text: what of a file is read, that chunks are slices of it, and what is said where it cannot be."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdf
import pytest
from fakes.documents.pdf import pdf_bytes
from fakes.lab import BREAD, TIDE, caesura
from typer.testing import CliRunner

from caesura_documents.html import html_encoding, html_text
from caesura_documents.pdf import from_pdf
from caesura_lab import read_texts, reading
from caesura_lab.cli import app
from caesura_lab.reading import ReadingError

PAGES = [
    [f"Ferry handbook {number}", *lines] for number, lines in enumerate([["The ferry leaves"], ["at nine."], [TIDE]])
]


def locked(password: str) -> bytes:
    writer, out = pypdf.PdfWriter(clone_from=BytesIO(pdf_bytes([[BREAD]]))), BytesIO()
    writer.encrypt(password, algorithm="RC4-128")
    writer.write(out)
    return out.getvalue()


@pytest.mark.thorough
def test_the_pages_of_a_pdf_are_one_text_of_which_chunks_are_slices(tmp_path: Path) -> None:
    path = tmp_path / "ferry"  # known by its first bytes, whatever it is called
    path.write_bytes(pdf_bytes(PAGES))
    (text,) = read_texts([path]).values()
    assert text == f"The ferry leaves at nine.\n\n{TIDE}"  # no running header, and the sentence goes on
    for done in (caesura("split", path, "--size", 60), caesura("split", "-", "--size", 60, given=path.read_bytes())):
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(rows) > 1
        assert all(row["text"] == text[row["start"] : row["end"]] for row in rows)
        assert [(row["page_start"], row["page_end"]) for row in rows] == [(1, 2), (3, 3), (3, 3)]
        assert done.stderr == b""
    shown = caesura("split", path, "--size", 60, "--format", "text").stdout
    assert b"ferry [1] 0-25, 25, pages 1-2\n" in shown
    assert b", page 3\n" in shown


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (pdf_bytes([[]]), "the PDF has 1 page without text"),
        (pdf_bytes([[], []]), "the PDF has 2 pages without text: if they are scanned, read them with OCR first"),
        (locked("secret"), "the PDF asks for a password"),
        (pdf_bytes([[BREAD]])[:60], "the PDF cannot be read "),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "the PDF cannot be read "),
        (BREAD.encode(), "the PDF cannot be read, for it begins with "),
    ],
)
def test_a_pdf_that_cannot_be_read_is_told_in_a_line(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file.pdf"
    path.write_bytes(data)
    done = caesura("split", path)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith(f"error: {path}: {said}")
    assert done.stderr.count(b"\n") == 2  # and how many could not be read


@pytest.mark.parametrize(
    ("kind", "suffix", "reader"),
    [
        (AssertionError, "pdf", "from_pdf"),
        (NotImplementedError, "html", "html_text"),
        (RecursionError, "html", "html_text"),
        (KeyError, "txt", "decode"),
        (MemoryError, "txt", "decode"),
    ],
)
def test_whatever_a_reader_raises_of_a_file_is_told_and_the_others_are_cut(
    kind: type[Exception], suffix: str, reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "a.md", tmp_path / f"b.{suffix}"]
    for path in paths:
        path.write_text(BREAD, encoding="utf-8")
    read = getattr(reading, reader)

    def fail(data: object, *rest: object, **settings: Any) -> object:
        if rest[:1] == (str(paths[0]),):
            return read(data, *rest)
        raise kind("no such filter")

    monkeypatch.setattr(reading, reader, fail)
    for command in (["split"], ["compare", "-s", "fixed"], ["view", "-s", "fixed", "-o", str(tmp_path / "page")]):
        done = CliRunner().invoke(app, [*command, *map(str, paths)])
        assert f"{paths[1]}: {kind.__name__}: " in " ".join(done.stderr.split())
        assert "1 of 2 could not be read" in done.stderr
        assert (done.exit_code, "a.md" in done.stdout or command[0] != "split") == (1, True)


def odd_pdf(trailer: str = "", stream: str = "") -> bytes:
    """A PDF of one page, with more in its trailer, or in what describes the stream of its page."""
    drawn = "BT /F1 12 Tf 72 720 Td (Tea.) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(drawn)} {stream} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Filter /Adobe.PubSec /SubFilter /adbe.pkcs7.s5 /V 4 /R 4 >>",
    ]
    data, places = "%PDF-1.6\n", []
    for number, written in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{written}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    data += f"xref\n0 7\n0000000000 65535 f \n{table}trailer << /Size 7 /Root 1 0 R {trailer} >>\n"
    data += "startxref\n"
    return f"{data}{data.index('xref')}\n%%EOF".encode()


def test_a_pdf_of_an_encryption_that_the_reader_lacks_is_told() -> None:
    with pytest.raises(ValueError, match="the PDF cannot be read"):
        from_pdf(odd_pdf("/Encrypt 6 0 R /ID [(a) (a)]"))


def test_a_pdf_with_a_filter_that_there_is_not_is_read_and_stops_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(odd_pdf(stream="/Filter /JBIG2Deco"))
    (tmp_path / "b.md").write_text(TIDE)
    assert [*read_texts([tmp_path / "a.pdf", tmp_path / "b.md"]).values()] == ["Tea.", TIDE]


def test_a_pdf_that_needs_no_password_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.pdf"
    path.write_bytes(locked(""))
    assert read_texts([path]) == {str(path): BREAD}


def test_without_the_reader_a_pdf_is_an_error_and_one_of_a_folder_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.pdf", "b.PDF"):
        (tmp_path / name).write_bytes(pdf_bytes([[BREAD]]))
    (tmp_path / "c.txt").write_text(TIDE)
    monkeypatch.setattr("caesura_documents.pdf.find_spec", lambda name: None)
    remedy = 'a PDF needs pip install "caesura-documents[pdf]"'
    done = CliRunner().invoke(app, ["split", str(tmp_path / "a.pdf")])
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: {tmp_path / 'a.pdf'}: {remedy}\n")
    done = CliRunner().invoke(app, ["split", str(tmp_path)])
    assert done.exit_code == 0
    assert done.stderr == f"skipped 2: {tmp_path / 'a.pdf'}, {tmp_path / 'b.PDF'}; {remedy}\n"
    assert {json.loads(line)["path"] for line in done.stdout.splitlines()} == {str(tmp_path / "c.txt")}


PAGE = """<!doctype html><html><head><meta charset="iso-8859-1"><title>T</title><style>p{}</style><script>x</script>
<body><nav><ul><li><a href="/">Home</a></ul></nav><h1>Harbour <em>water</em></h1><p>The cistern holds
   60,000 litres &lt;each&gt;.<br>No more.<p>It is old.<ol><li>one<ul><li>deep</ul><li><p>two</ol>
<pre><code>a = 1

  b</code></pre><table><tr><th>tide<th>time<tr><td>low<td>1 &amp; 2</table>
<table><tr><td><h2>Layout</h2><p>Caf\u00e9 \u201copen\u201d<td>side</table>end"""
SAID = """# Harbour water

The cistern holds 60,000 litres <each>.
No more.

It is old.

1. one
  - deep
2. two

```
a = 1

  b
```

| tide | time |
| --- | --- |
| low | 1 & 2 |

## Layout

Caf\u00e9 \u201copen\u201d

side

end"""


def test_html_is_read_as_its_blocks_in_the_encoding_that_it_names(tmp_path: Path) -> None:
    assert html_text(PAGE) == SAID
    for name in ("page.html", "page.php"):  # the second is known by how it begins
        (tmp_path / name).write_bytes(PAGE.encode("cp1252"))
        assert read_texts([tmp_path / name]) == {str(tmp_path / name): SAID}
    (tmp_path / "page.txt").write_text(PAGE)  # a text about HTML, it says
    assert list(read_texts([tmp_path / "page.txt"]).values()) == [PAGE]
    (tmp_path / "marked.htm").write_text(PAGE, "utf-8-sig")  # the mark is stronger than what the page says
    assert list(read_texts([tmp_path / "marked.htm"]).values()) == [SAID]
    with pytest.raises(ReadingError, match="there is no encoding 'nonsense'"):
        reading.read_source(str(tmp_path / "page.html"), "nonsense")


def test_lists_in_lists_are_indented_as_far_as_can_be_read() -> None:
    lines = html_text("<ul><li>x" * 3_000).splitlines()
    assert lines[:3] == ["- x", "  - x", "    - x"]
    assert {len(line) for line in lines[9:]} == {2 * 9 + 3}


@pytest.mark.parametrize(
    ("said", "encoding"),
    [
        (b'<meta charset="windows-1251">', "windows-1251"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=Shift_JIS'>", "shift_jis"),
        (b'<?xml version="1.0" encoding="iso-8859-1"?>', "cp1252"),
        (b"<meta charset=utf-16>", None),  # or it could not be read
        (b"<meta charset=no-such>", None),
        (b"<p>charset=latin1", None),
    ],
)
def test_the_encoding_that_html_names_is_taken_where_it_is_one(said: bytes, encoding: str | None) -> None:
    assert html_encoding(b"<!doctype html>" + said) == encoding


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("", ""),
        ("plain & simple", "plain & simple"),
        ("<p>a<p>b</div></p></table>", "a\n\nb"),
        ("<table><tr><td>1<td>2", "| 1 | 2 |\n| --- | --- |"),
        ("<nav>menu", ""),
        ("<svg><title>x</title></svg>seen<script>if (a < b) {}</script>", "seen"),
        ("<li><p>a</p></li><li></li><li>b", "- a\n- b"),
        ("<pre>\n``` no fence\n</pre>", "````\n``` no fence\n````"),
        ("<p>wide\u00a0 space", "wide\u00a0 space"),
        ("<div>" * 50_000 + "deep", "deep"),
        ("<table><tr><td>" * 20_000 + "deep", "deep"),
    ],
)
def test_html_that_is_odd_or_deep_is_read_too(html: str, said: str) -> None:
    assert html_text(html) == said


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<h1>Tides</h1><div><button>Menu</div><p>The mill.</p>", "# Tides\n\nThe mill."),
        ("<header><nav><ul><li>Home</ul></header><main><p>The mill.</main>", "The mill."),
        ("<div><nav><nav>in</nav>in</nav>out</div>", "out"),
        ("<p>One.</p><nav><p>in</nav><p>Two.", "One.\n\nTwo."),
    ],
)
def test_what_has_no_text_ends_at_the_latest_where_what_is_around_it_does(html: str, wanted: str) -> None:
    assert html_text(html) == wanted


@pytest.mark.thorough
def test_a_byte_order_mark_is_no_character_also_where_the_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "bom.md").write_bytes(b"\xef\xbb\xbf" + BREAD.encode())
    done = caesura("split", tmp_path / "bom.md", "--encoding", "utf-8")
    assert json.loads(done.stdout.splitlines()[0])["text"].startswith(BREAD[:10])
