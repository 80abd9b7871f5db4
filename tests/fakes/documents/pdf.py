"""Lines of text, page by page -> the bytes of a PDF that has them, one line of print each."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = b"%PDF-1.4\n"


def pdf_bytes(pages: Sequence[Sequence[str]], labels: str | None = None) -> bytes:
    """A PDF in Helvetica, 12 points from line to line. labels: what it puts before each page's number, if anything."""
    catalog = "<< /Type /Catalog /Pages 2 0 R"
    if labels is not None:
        catalog += f" /PageLabels << /Nums [0 << /S /D /P ({labels}) >>] >>"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        f"{catalog} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        shown = " T* ".join(f"({_escape(line)}) Tj" for line in lines)
        content = f"BT /F1 10 Tf 12 TL 72 740 Td {shown} ET" if lines else ""
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    return _file(objects)


def _escape(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _file(objects: Sequence[str]) -> bytes:
    """Objects, numbered from 1, of which the first is the catalog -> a file with the table of where each is."""
    content, places = HEAD, list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF\n"
    )
    return content + end.encode("latin-1")
