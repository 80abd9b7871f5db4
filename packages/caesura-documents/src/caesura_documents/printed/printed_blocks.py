"""Rows of a region of a page -> blocks: paragraphs, items of lists, code, tables, entries of a table of contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from statistics import median

from caesura.text.marks import ENDED
from caesura_documents.page_numbers import roman_number
from caesura_documents.parsed_text import pipe_table
from caesura_documents.printed.aligned_tables import PrintedTable, Row, find_printed_tables, join_markers
from caesura_documents.printed.page import (
    SOFT_HYPHENS,
    LinePiece,
    drop_leaders,
    is_unspaced,
    join_pieces,
    make_rows,
    row_text,
    runs_left,
)

_MOST_ROWS = 2_000  # of a region in which tables are looked for
_MOST_CELLS = 60  # of a row of a table
_BULLET = re.compile(r"(?:[•▪◦‣●○■□➢✓·\uf0b7\uf0a7]|[–—*-](?= )) *(?=\S)")
_DOT = re.compile(r"[•▪◦‣●○■□➢✓] *\w")
_NUMBERED = re.compile(
    r"(?:\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]) +(?=\S)|\[\d{1,3}\] "
)
_COUNT = re.compile(r"(\d{1,3}|[a-zA-Z]|[ivx]{2,5})[.)] ")
_MOST_AHEAD = 30  # lines of an item after which the next one is looked for
_CLAUSE = re.compile(r"[;,]$| (?:and|or)$")
"""After these, the next item of a list may begin."""
_CAPTION = re.compile(
    r"(?i:table|figure|fig\.|tab\.|tabelle|abbildung|abb\.|tableau|tabla|figura) *[A-Z]?\d{1,4}(?:[.-]\d{1,4})*"
    r"(?:[:.\u2013\u2014]|\s*$|\s+(?=[^\W\d_a-z]))"
)
_LEADERS = re.compile(r"(?<![.·…])(?<![.·…] )(?:[.·…] ?){4,}+ *[\divxlc]+$")
_PAGE = re.compile(r"\d{1,5}|[ivxlc]{1,7}")
_ENTRY = re.compile(r"[ .\u2026](\d{1,5}|[ivxlc]{1,7})$")
_SECTION = re.compile(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.? ")
_FEW_LEADERS = re.compile(r"(?: [.·…]){1,3}(?= \S{1,7}$)")
_CONTENTS = "document_index"
_MOST_ENTRIES = 12  # of a block among entries of a table of contents that is not marked as such
_FARTHEST = 300  # pages from one entry to the next
HYPHENS = f"-\u2010{SOFT_HYPHENS}"
_CLEAN = {0x02: "-", 0xFFFE: "-", 0xAD: ""}
_RANGE = re.compile(r"\d[-\u2010\u2013]$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+-$")
_ADDRESS = re.compile(
    r"(?<![\w~.{}$-])(?:https?:|www\.|[\w~.{}$-]*+/)[^\s()<>\[\]\"\u2018\u2019\u201c\u201d,;]*|(?<!-)--[^\W\d_][\w-]*"
)
"""The address of a page, a path, or an option of a command."""
_UNFINISHED = tuple("/.-_?&=#%@~:")
_WITHIN_ADDRESS = re.compile(r"[\w}>][/=_@][\w{<]|\w\.\w")
_OPENING = "([{<\"'\u2018\u201c"
_ROOM, _MUCH_ROOM = 0.1, 0.4
"""Shares of a region's width that are free at the end of a line above one that begins elsewhere, or right below."""
_MOST_TERMS = 3  # lines in type of one width that a definition follows
_LONGEST = 200  # characters of an address in which it is looked for
_BROKEN = re.compile(rf"([^\W\d_]{{2,}})[{HYPHENS}]$")


@dataclass(slots=True)
class PrintedBlock:
    """A part of a page that belongs together.

    kind: "text", "list_item", "code", "table", "caption", "document_index", "footnote" or "section_header". lines: one
    that stands by itself begins with "\\n". pieces: of each line. full: whether its last line reaches the right edge,
    so that it may go on.
    """

    kind: str
    lines: list[str]
    pieces: list[LinePiece]
    size: float
    bold: bool
    page: int
    full: bool = False
    level: int = 0
    header: str = field(default="", compare=False)
    """The first row of a table, as it is written."""

    @property
    def first(self) -> str:
        """Its first line."""
        return self.lines[0]


@dataclass(slots=True)
class _Region:
    """What is usual in a region: its left and right edge, and the distance of baselines."""

    left: float
    right: float
    step: float
    page: int


def make_blocks(
    pieces: Sequence[LinePiece], rules: Sequence[tuple[float, float, float]], page: int
) -> list[PrintedBlock]:
    """The pieces of a region -> its blocks, from the top down. page: the number of its page."""
    rows = [join_markers(row) for row in make_rows(pieces)]
    found: Sequence[PrintedTable | Row] = rows
    if len(rows) <= _MOST_ROWS and all(len(row) <= _MOST_CELLS for row in rows):
        found = find_printed_tables(rows, rules)
    lines = [_join_row(row) for row in rows]
    steps = [below.base - above.base for above, below in pairwise(lines) if below.base - above.base < 2 * above.size]
    usual = Counter(round(step, 0) for step in steps).most_common(1)
    ends = sorted(line.right for line in lines)
    region = _Region(
        min(line.left for line in lines), ends[int(0.9 * (len(ends) - 1))], usual[0][0] if usual else 0.0, page
    )
    blocks: list[PrintedBlock] = []
    waiting: list[LinePiece] = []
    for item in found:
        if isinstance(item, PrintedTable):
            blocks += _paragraphs(waiting, region)
            goes_on = bool(blocks) and blocks[-1].kind == _CONTENTS
            blocks.append(_table(item, page, goes_on))
            waiting = []
        else:
            waiting.append(_join_row(item))
    return _join_contents(blocks + _paragraphs(waiting, region))


def _join_row(row: Row) -> LinePiece:
    if len(row) == 1:
        return row[0]
    if not all(piece.mono for piece in row):
        return join_pieces(row)
    text = row[0].text
    for before, piece in pairwise(row):
        text += " " * max(1, round((piece.left - before.right) / (0.6 * piece.size))) + piece.text
    whole = join_pieces(row)
    whole.text = text
    return whole


def _table(table: PrintedTable, page: int, goes_on: bool) -> PrintedBlock:
    """goes_on: whether a table of contents is before it."""
    pieces = [piece for row in table.rows for piece in row]
    size, bold = median(piece.size for piece in pieces), all(piece.bold for piece in pieces)
    if _is_contents(table, goes_on):
        texts = _join_entries([" ".join(piece.text for piece in row) for row in table.rows])
        return PrintedBlock(_CONTENTS, texts, pieces, size, bold, page)
    lines = pipe_table(table.cells).split("\n")
    return PrintedBlock("table", lines, pieces, size, bold, page, header=lines[0])


def _is_contents(table: PrintedTable, goes_on: bool) -> bool:
    """Whether a table is one of contents: its second column has numbers of pages, in their order, after leaders, in
    many rows, or after others."""
    numbers = [row[-1].text for row in table.rows if len(row) > 1]
    if max(cell.column for cell in table.cells) != 1 or not numbers or not all(map(_PAGE.fullmatch, numbers)):
        return False
    figures = [int(number) for number in numbers if number.isdecimal()]
    if figures != sorted(figures):
        return False
    return (len(table.rows) > (1 if goes_on else 3) and len(set(figures)) > 1) or any(
        _LEADERS.search(" ".join(piece.text for piece in row)) for row in table.rows
    )


def _join_contents(blocks: Sequence[PrintedBlock]) -> list[PrintedBlock]:
    """The blocks of a region -> the same, its table of contents as one block, with an entry in a line: those in other
    type, as of chapters, and those that go on in a second line too."""
    found: list[PrintedBlock] = []
    for at, block in enumerate(blocks):
        before = found[-1] if found and found[-1].kind == _CONTENTS else None
        after = blocks[at + 1] if at + 1 < len(blocks) and blocks[at + 1].kind == _CONTENTS else None
        if block.kind in ("text", "list_item") and (before or after) and len(block.lines) <= _MOST_ENTRIES:
            begins = len(block.lines) == 1 and after and _is_begun_entry(block, before, after)
            if begins or _are_entries(block.lines, before, after):
                block.kind, block.lines = _CONTENTS, _join_entries(block.lines, is_paragraph=True)
        if before is not None and block.kind == _CONTENTS:
            before.lines = _join_entries(before.lines + block.lines)
            before.pieces = before.pieces + block.pieces
        else:
            found.append(block)
    return found


def _is_begun_entry(block: PrintedBlock, before: PrintedBlock | None, after: PrintedBlock) -> bool:
    """Whether a line goes on in the entry of a table of contents after it, which has no number of its own, and stands
    farther right; or is a letter above entries of an index."""
    is_deeper = after.pieces[0].left > block.pieces[0].left + block.size
    is_numbered = before is not None and _SECTION.match(block.first) is not None and not after.first[:1].isdigit()
    is_broken = _BROKEN.search(block.first) is not None or after.first[:1].islower()
    return len(block.first) == 1 or is_broken or (is_deeper and is_numbered)


def _are_entries(lines: Sequence[str], before: PrintedBlock | None, after: PrintedBlock | None) -> bool:
    """Whether lines end with the number of a page that lies between those of the entries before and after them."""
    own, low, high = (
        _ENTRY.search(line) if line else None
        for line in (lines[-1], before.lines[-1] if before else "", after.first if after else "")
    )
    if own is None or not own[1].isdecimal():
        return own is not None
    least = int(low[1]) if low and low[1].isdecimal() else 0
    most = int(high[1]) if high and high[1].isdecimal() else least + _FARTHEST
    return least <= int(own[1]) <= most


def _join_entries(lines: Sequence[str], is_paragraph: bool = False) -> list[str]:
    """Lines of a table of contents -> its entries: a line without a number goes on in the next, if that begins in small
    letters, or if both are of one paragraph."""
    found: list[str] = []
    for line in (_FEW_LEADERS.sub("", drop_leaders(line.lstrip())) for line in lines):
        if (
            found
            and _ENTRY.search(found[-1]) is None
            and (is_paragraph or line[:1].islower() or _BROKEN.search(found[-1]) or found[-1].endswith(","))
        ):
            found[-1] = join_line(found[-1], line, frozenset())
        else:
            found.append(line)
    return found


def _paragraphs(lines: Sequence[LinePiece], region: _Region) -> list[PrintedBlock]:
    blocks: list[PrintedBlock] = []
    own: list[LinePiece] = []
    kind = ""
    for number, line in enumerate(lines, 1):
        begins = _kind(line)
        if own and _begins_block(own, line, lines[number : number + _MOST_AHEAD], kind, begins, region):
            blocks.append(_block(own, kind, region))
            own = []
        if not own:
            kind = begins
        own.append(line)
    if own:
        blocks.append(_block(own, kind, region))
    return _part_terms(blocks, region)


def _part_terms(blocks: Sequence[PrintedBlock], region: _Region) -> list[PrintedBlock]:
    """Blocks -> the same, the terms of definitions as text, each in a line above its definition: lines that look like
    code, and stand farther left than the text after them."""
    found: list[PrintedBlock] = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block.kind == "code" and after is not None and after.kind == "text":
            left = min(piece.left for piece in after.pieces) - block.size
            count = next((n for n, piece in enumerate(block.pieces) if piece.left > left), len(block.pieces))
            aligned = count == len(block.pieces) or block.pieces[count].left > left + 0.75 * block.size
            if 0 < count <= _MOST_TERMS and aligned:
                terms, rest = block.pieces[:count], block.pieces[count:]
                lines = [terms[0].text, *(f"\n{piece.text}" for piece in terms[1:])]
                if rest:
                    found.append(PrintedBlock("text", lines, terms, block.size, block.bold, block.page))
                    found.append(_block(rest, "code", region))
                else:
                    after.lines = [*lines, f"\n{after.first}", *after.lines[1:]]
                    after.pieces = [*terms, *after.pieces]
                continue
        found.append(block)
    return found


def _kind(line: LinePiece) -> str:
    """What a line would be if a block began with it."""
    if _LEADERS.search(line.text):
        return "document_index"
    if line.mono and not _DOT.match(line.text):
        return "code"
    if _BULLET.match(line.text) or _NUMBERED.match(line.text):
        return "list_item"
    return "caption" if _CAPTION.match(line.text) else "text"


def _begins_block(
    own: Sequence[LinePiece], line: LinePiece, later: Sequence[LinePiece], kind: str, begins: str, region: _Region
) -> bool:
    """Whether a line begins another block than that of the lines before it, which is of this kind."""
    before, size = own[-1], max(line.size, own[-1].size)
    step = line.base - before.base
    is_full = kind != "code" and step < 2 * size and _room(before, line, region) <= 0
    if is_full and goes_on_in_address(before.text, line.text):
        return False
    if kind != "code" and begins in ("text", "code") and _runs_on(before, line, region):
        return step > 2 * size
    if kind == "code" and begins == "code":
        return step > 2.6 * size
    if begins == "list_item" and _has_number_within(own, line, later, kind, region):
        begins = "text"
    if begins in ("list_item", "caption", "document_index") or "code" in (kind, begins) or kind == "document_index":
        return not (begins == kind == "document_index") or step > 3 * size
    if abs(line.size - before.size) > 0.08 * size or (line.bold != before.bold and (line.bold or len(own) < 3)):
        return step > 1.6 * size or not _is_mixed(own, line, region)
    return _begins_paragraph(own, line, kind, region)


def _begins_paragraph(own: Sequence[LinePiece], line: LinePiece, kind: str, region: _Region) -> bool:
    """Whether a line of the same type begins another paragraph than that of the lines before it."""
    before, size = own[-1], max(line.size, own[-1].size)
    step = line.base - before.base
    usual = region.step if 0.9 * size <= region.step <= 1.9 * size else 1.25 * size
    if len(own) > 1:
        usual = max(usual if len(own) < 3 else 0, min(own[-1].base - own[-2].base, 2 * size))
    is_new = _ends(before) and _is_upper(line)
    if step > (1.1 if is_new else 1.22) * usual + 0.5:
        return True
    if runs_left(line.text):
        return False
    width = region.right - region.left
    if kind == "list_item":
        return (is_new and before.right < region.right - 0.1 * width) or (
            line.left <= own[0].left + 0.25 * size and before.right < region.right - 0.12 * (region.right - own[0].left)
        )
    deeper = line.left - (own[1].left if len(own) > 1 else before.left)
    if (
        0.7 * size < deeper < 4 * size
        and _ends(before)
        and line.left < region.left + 0.25 * (region.right - region.left)
    ):
        return True  # an indented first line
    return is_new and before.right < region.right - 0.1 * width


def _room(before: LinePiece, line: LinePiece, region: _Region) -> float:
    """How much of the line before is left when the first word of a line is set there too."""
    word = line.width * len(line.text.partition(" ")[0]) / max(1, len(line.text))
    return region.right - before.right - word


def _is_broken(before: LinePiece, line: LinePiece, region: _Region) -> bool:
    """Whether a line stands by itself below another, as in a list or an address: its first word has room in the line
    before, and both are not centred. Text that is indented at both sides has some room at each line."""
    shift, size = abs(line.left - before.left), line.size
    is_centred = shift > 0.5 * size and abs(line.left + line.right - before.left - before.right) < 2 * size
    if is_centred or line.base - before.base <= 0.9 * size:
        return False
    return _room(before, line, region) > (_ROOM if shift > size else _MUCH_ROOM) * (region.right - region.left)


def _is_set(lines: Sequence[LinePiece], region: _Region) -> bool:
    """Whether lines are a paragraph of their own width, as beside a figure: they are flush at the left, and the first
    word of each has no room in the line before, which ends where the longest does."""
    beyond = region.right - max(line.right for line in lines)
    is_flush = len(lines) > 3 and all(abs(line.left - lines[0].left) < 1 for line in lines)
    return is_flush and all(_room(before, line, region) <= beyond for before, line in pairwise(lines))


def _runs_on(before: LinePiece, line: LinePiece, region: _Region) -> bool:
    """Whether a line goes on with the sentence of a line that reaches the right edge."""
    wide = before.right > region.right - 0.12 * (region.right - region.left)
    begins = line.text[:1].islower() or (line.mono and not before.mono)
    return wide and begins and not _ends(before) and abs(line.size - before.size) < 0.2 * before.size


def _has_number_within(
    own: Sequence[LinePiece], line: LinePiece, later: Sequence[LinePiece], kind: str, region: _Region
) -> bool:
    """Whether the number or letter that a line begins with is of the sentence of the line before, which is of text.

    An item of a list begins farther left than the text of the item before it, or its number is beside that of another
    item: of the one before, or of the next.
    """
    before, found = own[-1], _COUNT.match(line.text)
    if found is None or kind not in ("text", "list_item") or (kind == "list_item" and len(own) == 1):
        return False
    if (len(found[1]) > 1 and roman_number(found[1]) is not None) or _ends(before) or _CLAUSE.search(before.text):
        return False
    wide = before.right > region.right - 0.12 * (region.right - region.left)
    is_indented = len(own) == 1 and before.left < region.left + 3 * line.size
    lefts = (before.left, region.left if is_indented else before.left)
    if not wide or all(abs(line.left - left) >= 0.25 * line.size for left in lefts):
        return False
    is_hung = own[0].left < line.left - 0.25 * line.size
    return _difference(own[0], line) not in ((1,) if is_hung else (-1, 0, 1)) and not _has_next(line, later)


def _has_next(line: LinePiece, later: Sequence[LinePiece]) -> bool:
    """Whether the next line that begins like this one, at its left edge, has the number after its number."""
    gaps = (_difference(line, each) for each in later if abs(each.left - line.left) < 0.75 * line.size)
    return next((gap for gap in gaps if gap is not None), None) == 1


def _difference(line: LinePiece, other: LinePiece) -> int | None:
    """How far the number that a line begins with is above that of another, if both are of one style; the least one
    where they have two readings, as i and x do."""
    ours, others = _counts(line), _counts(other)
    return min((others[style] - ours[style] for style in ours.keys() & others.keys()), key=abs, default=None)


def _counts(line: LinePiece) -> dict[str, int]:
    """The number that a line begins with as an item of a list does, or that of its letter, by the styles of lists that
    have it."""
    found = _COUNT.match(line.text)
    if found is None:
        return {}
    mark = found[1]
    if mark.isdecimal():
        return {"1": int(mark)}
    number = None if mark.strip("ivx") else roman_number(mark)  # c, d and l are rather letters
    roman = {} if number is None else {"i": number}
    return {**roman, "a" if mark.islower() else "A": ord(mark)} if len(mark) == 1 else roman


def _is_mixed(own: Sequence[LinePiece], line: LinePiece, region: _Region) -> bool:
    """Whether a line of other type goes on with the sentence, as one with a word in bold or a formula does."""
    before = own[-1]
    wide = before.right > region.right - 0.08 * (region.right - region.left)
    return wide and not _ends(before) and abs(line.size - before.size) < 0.2 * before.size and len(own) > 1


def _ends(line: LinePiece) -> bool:
    return line.text[-1:] in ENDED or line.text.endswith(":")


def _is_upper(line: LinePiece) -> bool:
    first = next((mark for mark in line.text if mark.isalnum()), "")
    return not first.islower()


def _block(lines: list[LinePiece], kind: str, region: _Region) -> PrintedBlock:
    most = max(lines, key=lambda line: len(line.text))
    bold = all(line.bold for line in lines)
    texts = [line.text for line in lines]
    if kind == "code":
        left = min(line.left for line in lines)
        wide = median(line.width / max(1, len(line.text)) for line in lines) or 1
        texts = [" " * round((line.left - left) / wide) + line.text for line in lines]
        blank = [round((below.base - above.base) / (1.2 * below.size)) > 1 for above, below in pairwise(lines)]
        texts = [texts[0], *(f"\n{text}" if gap else text for text, gap in zip(texts[1:], blank, strict=True))]
    elif kind == "document_index":
        texts = [drop_leaders(text) for text in texts]
    elif kind in ("text", "list_item"):
        is_set = _is_set(lines, region)
        broken = [not is_set and _is_broken(before, line, region) for before, line in pairwise(lines)]
        texts = [texts[0], *(f"\n{text}" if anew else text for text, anew in zip(texts[1:], broken, strict=True))]
    full = lines[-1].right > region.right - 0.1 * (region.right - region.left)
    return PrintedBlock(kind, texts, lines, most.size, bold, region.page, full)


# -- lines of a paragraph as one text ----------------------------------------------------------------------------------


def join_lines(lines: Sequence[str], known: frozenset[str] | set[str]) -> str:
    """The lines of a paragraph -> its text: words that are divided at a line's end are whole.

    known: words of the document. A hyphen stays where the word is known with it, or where a digit or a capital letter
    follows it.

    >>> join_lines(["An exam-", "ple of a well-", "known bell."], {"example", "well-known"})
    'An example of a well-known bell.'
    """
    text = lines[0]
    for line in lines[1:]:
        text = join_line(text, line, known)
    return clean_text(text)


def join_line(text: str, line: str, known: frozenset[str] | set[str]) -> str:
    """A text and the line that follows it -> both as one text: see `join_lines`."""
    if line.startswith("\n"):
        return f"{text}{line}"
    if goes_on_in_address(text, line, known):
        return f"{text[:-1] if text.endswith('/-') and line[0] != '/' else text}{line}"
    broken = _BROKEN.search(text[-60:])
    if broken is None and _RANGE.search(text[-4:]) and line[:1].isdigit():
        return f"{text}{line}"
    if broken is None:
        glued = text[-1:] in SOFT_HYPHENS or (is_unspaced(text[-1:]) and is_unspaced(line[:1]))
        return f"{text}{line}" if glued else f"{text} {line}"
    follows = _WORD.match(line[:60])
    if follows is None or not follows[0][0].islower():
        return f"{text[:-1]}-{line}"
    first, second = broken[1], follows[0].partition("-")[0]
    kept = f"{first}-{second}".lower() in known and f"{first}{second}".lower() not in known
    if whole := _COMPOUND.search(text[-60:]):
        kept = kept or f"{whole[0]}{follows[0]}".lower() in known
    return f"{text[:-1]}{'-' if kept else ''}{line}"


def goes_on_in_address(text: str, line: str, known: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether a line goes on with the address, the path or the option that a text ends with.

    What ends with a slash may be whole there. Then it goes on if a bracket before it is closed in the line, if the
    line's first word has a sign of an address within it, or if both together are known.

    >>> goes_on_in_address("in /usr/", "share/doc"), goes_on_in_address("in /usr/", "and there")
    (True, False)
    """
    given, next_word = text[-_LONGEST:].rpartition(" ")[2], line[:_LONGEST].partition(" ")[0]
    token = given.lstrip(_OPENING)
    both = _ADDRESS.match(token + next_word) if token.endswith(_UNFINISHED) and next_word else None
    if both is None or len(both[0]) <= len(token):
        return False
    if both[0].lower().rstrip(".:") in known or (token.endswith(":") and next_word.startswith("//")):
        return True
    is_web = "://" in token or token.startswith("www.")
    if is_web and token[-1] == "?":
        return "=" in next_word
    if token[-1] not in "/.:" and not token.endswith("/-"):
        is_option_or_path = token.strip("-") != "" and token.startswith(("/", "~", "--"))
        return next_word[0].isalnum() and (is_web or is_option_or_path)
    if is_web and not token.endswith("/"):
        return token[-1] in ".-" and (next_word[0].islower() or next_word[0] == "/")
    is_closed = given[0] == "(" and ")" not in given and ")" in next_word
    is_listed = next_word.startswith(token.partition("/")[0] + "/")  # as a path of its own
    return token.endswith("/") and not is_listed and (is_closed or _WITHIN_ADDRESS.search(next_word) is not None)


def clean_text(text: str) -> str:
    """Hyphens that were only for a line's end are hyphens, where they stay."""
    return text.translate(_CLEAN)


def words_of(rows: Sequence[Row]) -> set[str]:
    """The words and addresses, in small letters, that stand on a page, those apart that are divided at a line's end."""
    found: set[str] = set()
    for row in rows:
        text = row_text(row)
        if "/" in text or "--" in text:
            found.update(address.lower().rstrip(".:") for address in _ADDRESS.findall(text))
        found.update(word.lower() for word in _WORD.findall(text) if not text.endswith(f"{word}-"))
    return found
