"""Lines of text, page by page -> the bytes of a PDF that has them, one line of print each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

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


def _file(objects: Sequence[str], more: str = "") -> bytes:
    """Objects, numbered from 1, of which the first is the catalog -> a file with the table of where each is.

    more: of its trailer.
    """
    content, places = HEAD, list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R{more} >>\nstartxref\n{len(content)}\n%%EOF\n"
    )
    return content + end.encode("latin-1")


# -- pages with type, places, bookmarks and pictures -------------------------------------------------------------------

FONTS = {"plain": "Helvetica", "bold": "Helvetica-Bold", "mono": "Courier"}


class Printed(NamedTuple):
    """A line of print: its text, where it begins and its baseline, in points from the upper left, its size and font."""

    text: str
    left: float
    base: float
    size: float = 10
    font: str = "plain"


def print_lines(
    texts: Sequence[str], left: float = 72, base: float = 90, step: float = 12, **type: Any
) -> list[Printed]:
    """Texts -> lines of print, one below the other."""
    return [Printed(text, left, base + number * step, **type) for number, text in enumerate(texts)]


def printed_pdf(
    pages: Sequence[Sequence[Printed]],
    *,
    bookmarks: Sequence[tuple[str, int]] = (),
    info: dict[str, str] | None = None,
    labels: str = "",
    rotate: int = 0,
    drawn: str = "",
    pictures: Collection[int] = (),
) -> bytes:
    """A PDF of lines of print on pages of 612 by 792 points.

    bookmarks: titles and the index of the page of each. labels: the entries of its page labels. rotate: the turn of
    each page, in degrees. drawn: operators that each page has. pictures: indices of pages with a picture.
    """
    fonts = {name: 3 + number for number, name in enumerate(FONTS)}
    first = 9 + len(bookmarks)
    kids = [first + 2 * number for number in range(len(pages))]
    picture, outline, dates = 6, 7, first - 1
    catalog = f"<< /Type /Catalog /Pages 2 0 R /Outlines {outline} 0 R"
    catalog += f" /PageLabels << /Nums [{labels}] >> >>" if labels else " >>"
    said = " ".join(f"/{name} ({_escape(value)})" for name, value in (info or {}).items())
    marks = [
        f"<< /Title ({_escape(title)}) /Parent {outline} 0 R /Dest [{kids[page]} 0 R /Fit]"
        + (f" /Next {outline + number + 2} 0 R" if number + 1 < len(bookmarks) else "")
        + " >>"
        for number, (title, page) in enumerate(bookmarks)
    ]
    ends = f"/First {outline + 1} 0 R /Last {outline + len(marks)} 0 R " if marks else ""
    objects = [
        catalog,
        f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>",
        *(f"<< /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding /WinAnsiEncoding >>" for base in FONTS.values()),
        (
            "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 "
            "/Length 1 >>\nstream\n\x80\nendstream"
        ),
    ]
    objects += [f"<< /Type /Outlines {ends}/Count {len(marks)} >>", *marks, f"<< {said} >>"]
    for number, lines in enumerate(pages):
        content = drawn + "".join(
            f"BT /{line.font} {line.size} Tf {line.left} {792 - line.base} Td ({_escape(line.text)}) Tj ET\n"
            for line in lines
        )
        content += "q 500 0 0 700 50 50 cm /P Do Q\n" if number in pictures else ""
        named = " ".join(f"/{name} {at} 0 R" for name, at in fonts.items())
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Rotate {rotate} /Contents {kids[number] + 1} 0 R "
            f"/Resources << /Font << {named} >> /XObject << /P {picture} 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    return _file(objects, f" /Info {dates} 0 R")
