"""The slow, obvious twin of every fast function: plain loops over plain lists, to be read as the specification.

A row is a list of floats, rows are a list of them, sizes a list of ints, breaks a list of the first unit of each new
chunk. Where a decision compares a similarity with a threshold, `margins` collects how near the two came.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import floor, inf, isfinite, sqrt

Row = list[float]
Group = tuple[int, int]


# --- rows -------------------------------------------------------------------------------------------------------------


def length(row: Row) -> float:
    return sqrt(sum(value * value for value in row))


def unit(row: Row) -> Row:
    """A row of length 1; a zero row, or one that is not finite, is zero."""
    if not all(isfinite(value) for value in row) or not any(row):
        return [0.0 for _ in row]
    return [value / length(row) for value in row]


def unit_rows(rows: list[Row], background: Row | None = None, weight: float = inf) -> list[Row]:
    """Unit rows of one document; with a background, what is left of each once the centre is subtracted, as a unit row.

    The centre is the background, or the mean of it, `weight` times, and the document's own rows that say anything.
    """
    ones = [unit(row) for row in rows]
    said = [one for one in ones if any(one)]
    if background is None or not said:
        return ones
    centre = background
    if isfinite(weight):
        total = weight + len(said)
        centre = [(weight * value + sum(own)) / total for value, *own in zip(background, *said, strict=True)]
    made = []
    for one in ones:
        left = [value - middle for value, middle in zip(one, centre, strict=True)]
        says = any(one) and length(left) >= 1e-6
        made.append(unit(left) if says else [0.0 for _ in one])
    return made


def background(rows: list[Row]) -> Row:
    """The mean of the unit rows that say anything."""
    said = [one for one in unit_rows(rows) if any(one)]
    return [sum(column) / len(said) for column in zip(*said, strict=True)]


def pooled(rows: list[Row], sizes: list[int], first: int, end: int) -> Row:
    """What the units first..end-1 say together: the sum of their rows, each by its size."""
    total = [0.0] * len(rows[0])
    for number in range(max(first, 0), min(end, len(rows))):
        for column, value in enumerate(rows[number]):
            total[column] += sizes[number] * value
    return total


def similarity(a: Row, b: Row) -> float | None:
    """The cosine of two rows; None where one of them is zero, and so similar to nothing."""
    if not any(a) or not any(b):
        return None
    return sum(x * y for x, y in zip(a, b, strict=True)) / (length(a) * length(b))


def over(a: Row, b: Row, threshold: float, margins: list[float] | None) -> bool:
    """Whether two rows are more similar than the threshold: strictly, and never where one of them is zero."""
    cosine = similarity(a, b)
    if cosine is None:
        return False
    if margins is not None:
        margins.append(abs(cosine - threshold))
    return cosine > threshold


# --- cuts -------------------------------------------------------------------------------------------------------------


def groups(breaks: list[int], n: int) -> list[Group]:
    ends = [0, *breaks, n]
    return [(start, end) for start, end in itertools.pairwise(ends) if start < end]


def double_pass(
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    initial_threshold: float,
    appending_threshold: float,
    merging_threshold: float,
    look_ahead: int,
    min_units: int,
    leftover_threshold: float,
    margins: list[float] | None = None,
) -> list[int]:
    """The published double-pass merging, on unit rows that add up by size; with `min_units` over 1, leftovers join."""
    if not rows:
        return []

    def fits(first: int, end: int) -> bool:
        return max_size is None or sum(sizes[first:end]) <= max_size

    chunks: list[Group] = []
    start = 0
    for sentence in range(1, len(rows)):
        if not fits(start, sentence + 1):
            joins = False
        elif sentence - start == 1:
            joins = over(rows[start], rows[sentence], initial_threshold, margins)
        else:
            last_two = pooled(rows, sizes, sentence - 2, sentence)
            joins = over(last_two, rows[sentence], appending_threshold, margins)
        if not joins:
            chunks.append((start, sentence))
            start = sentence
    chunks.append((start, len(rows)))

    merged: list[Group] = []
    current, next_chunk = chunks[0], 1
    while next_chunk < len(chunks):
        partner = None
        for candidate in range(next_chunk, min(next_chunk + 1 + look_ahead, len(chunks))):
            first, end = chunks[candidate]
            if not fits(current[0], end):
                continue
            if over(pooled(rows, sizes, *current), pooled(rows, sizes, first, end), merging_threshold, margins):
                partner = candidate
                break
        if partner is None:
            merged.append(current)
            current, next_chunk = chunks[next_chunk], next_chunk + 1
        else:
            current, next_chunk = (current[0], chunks[partner][1]), partner + 1
    merged.append(current)

    while min_units > 1:
        pairs = []
        for at, (left, right) in enumerate(itertools.pairwise(merged)):
            short = min(left[1] - left[0], right[1] - right[0]) < min_units
            needed = leftover_threshold if short else merging_threshold
            near = pooled(rows, sizes, *left), pooled(rows, sizes, *right)
            if fits(left[0], right[1]) and over(*near, needed, margins):
                pairs.append((-(similarity(*near) or 0.0), at))
        if not pairs:
            break
        if margins is not None and len(pairs) > 1:
            best, second = sorted(value for value, _ in pairs)[:2]
            margins.append(second - best)
        _, at = min(pairs)
        merged[at : at + 2] = [(merged[at][0], merged[at + 1][1])]

    breaks = [first for first, _ in merged[1:]]
    return fit(breaks, adjacent(rows, 3), sizes, max_size, min_size) if min_size else breaks


def neighbours(rows: list[Row]) -> list[float]:
    """1 less the cosine of the units on either side of each gap; 1 where one of them is zero."""
    return [1 - (similarity(a, b) or 0.0) for a, b in itertools.pairwise(rows)]


def adjacent(rows: list[Row], window: int) -> list[float]:
    """The `window` units before each gap against the `window` units after it, all units weighing alike."""
    scores, alike = [], [1] * len(rows)
    for gap in range(1, len(rows)):
        before = pooled(rows, alike, gap - window, gap)
        after = pooled(rows, alike, gap, gap + window)
        scores.append(1 - (similarity(before, after) or 0.0))
    return scores


def overlapping(rows: list[Row], sizes: list[int], buffer_size: int) -> list[float]:
    """Each unit pooled with those within `buffer_size` of it, against the next unit pooled likewise."""
    windows = [pooled(rows, sizes, at - buffer_size, at + buffer_size + 1) for at in range(len(rows))]
    return neighbours(windows)


def percentile_of(values: list[float], amount: float) -> float:
    """The value `amount` percent of the way through the sorted values, between two of them in proportion."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * amount / 100
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def standard_deviation(values: list[float]) -> float:
    return sqrt(sum((value - mean(values)) ** 2 for value in values) / len(values))


def slopes(values: list[float]) -> list[float]:
    """How fast the curve rises at each place: half the way between its neighbours, the whole step at the ends."""
    last = len(values) - 1
    made = []
    for place in range(len(values)):
        left, right = max(place - 1, 0), min(place + 1, last)
        made.append((values[right] - values[left]) / (right - left))
    return made


def levels(gaps: list[float], kind: str, amount: float) -> tuple[list[float], float]:
    """What is compared, and the level that it must be over."""
    if kind == "percentile":
        return gaps, percentile_of(gaps, amount)
    if kind == "standard_deviation":
        return gaps, mean(gaps) + amount * standard_deviation(gaps)
    if kind == "interquartile":
        return gaps, mean(gaps) + amount * (percentile_of(gaps, 75) - percentile_of(gaps, 25))
    curve = slopes(gaps)
    return curve, percentile_of(curve, amount)


def chosen(gaps: list[float], kind: str, amount: float, margins: list[float] | None = None) -> list[int]:
    """The breaks that one of the five thresholds chooses."""
    if not gaps or (kind == "gradient" and len(gaps) < 2):
        return []
    if kind == "count":
        strongest = sorted(range(len(gaps)), key=lambda gap: (-gaps[gap], gap))[: int(amount) - 1]
        return sorted(gap + 1 for gap in strongest)
    values, level = levels(gaps, kind, amount)
    if margins is not None and len(gaps) > 1:
        margins.extend(abs(value - level) for value in values)
    return [gap + 1 for gap, value in enumerate(values) if value > level]


def fit(breaks: list[int], gaps: list[float], sizes: list[int], max_size: int | None, min_size: int) -> list[int]:
    """Cuts what is too large at its strongest gap, then gives up the weakest break beside what is too small."""
    breaks, n = list(breaks), len(sizes)

    def total(start: int, end: int) -> int:
        return sum(sizes[start:end])

    def too_large() -> Group | None:
        for start, end in groups(breaks, n):
            if max_size is not None and end - start > 1 and total(start, end) > max_size:
                return start, end
        return None

    while (group := too_large()) is not None:
        start, end = group
        places = list(range(start + 1, end))
        roomy = [at for at in places if total(start, at) >= min_size and total(at, end) >= min_size]
        cut = max(roomy or places, key=lambda at: (gaps[at - 1], -abs(total(start, at) - total(at, end)), -at))
        breaks = sorted([*breaks, cut])

    while True:
        ends = [0, *breaks, n]
        open_to_join = []
        for start, at, end in zip(ends, breaks, ends[2:], strict=False):
            small = total(start, at) < min_size or total(at, end) < min_size
            if small and (max_size is None or total(start, end) <= max_size):
                open_to_join.append(at)
        if not open_to_join:
            return breaks
        breaks.remove(min(open_to_join, key=lambda at: (gaps[at - 1], at)))


def fit_slices(breaks: list[int], sizes: list[int], fits: Callable[[int, int], bool]) -> list[int]:
    """Halves a group that does not fit where its parts are most even, and its halves in turn."""
    made = list(breaks)

    def halve(start: int, end: int) -> None:
        if end - start < 2 or fits(start, end):
            return
        cut = min(range(start + 1, end), key=lambda at: (abs(sum(sizes[start:at]) - sum(sizes[at:end])), at))
        made.append(cut)
        halve(start, cut)
        halve(cut, end)

    for start, end in groups(breaks, len(sizes)):
        halve(start, end)
    return sorted(made)


# --- texts ------------------------------------------------------------------------------------------------------------


def units(text: str, edges: list[int]) -> list[str]:
    return [text[start:end] for start, end in itertools.pairwise(edges)]


def joined(text: str, edges: list[int], buffer_size: int) -> list[str]:
    """Each unit that is not blank with its neighbours that are not blank, trimmed; "" for a blank one."""
    pieces = [piece.strip() for piece in units(text, edges)]
    shown = []
    for at, piece in enumerate(pieces):
        before = [other for other in pieces[:at] if other]
        after = [other for other in pieces[at + 1 :] if other]
        near = [*before[max(len(before) - buffer_size, 0) :], piece, *after[:buffer_size]]
        shown.append(" ".join(near) if piece else "")
    return shown


def span(text: str, start: int, end: int, trim: bool) -> Group:
    """A range of the text, without the whitespace at its ends where it is to be trimmed."""
    while trim and start < end and text[end - 1].isspace():
        end -= 1
    while trim and start < end and text[start].isspace():
        start += 1
    return start, end


def held_groups(text: str, edges: list[int], breaks: list[int]) -> list[list[int]]:
    """For each chunk its units, those aside that are blank; no chunk is without any."""
    pieces = units(text, edges)
    found = [[at for at in range(start, end) if pieces[at].strip()] for start, end in groups(breaks, len(pieces))]
    return [group for group in found if group]


def chunks(
    text: str,
    edges: list[int],
    breaks: list[int],
    sizes: list[int],
    size: Callable[[str], int],
    max_size: int | None,
    trim: bool = True,
    overlap: int = 0,
) -> list[tuple[str, int, int]]:
    """The chunks; each but the first with as many whole units before it as the overlap has room for."""
    made: list[tuple[str, int, int]] = []
    previous: list[int] = []
    for group in held_groups(text, edges, breaks):
        start, end = span(text, edges[group[0]], edges[group[-1] + 1], trim)
        for count in range(1, len(previous)):
            earlier = previous[len(previous) - count :]
            wider, _ = span(text, edges[earlier[0]], edges[group[-1] + 1], trim)
            if sum(sizes[unit] for unit in earlier) > overlap:
                break
            if max_size is not None and size(text[wider:end]) > max_size + overlap:
                break
            start = wider
        made.append((text[start:end], start, end))
        previous = group
    return made


def chunk_vectors(text: str, edges: list[int], breaks: list[int], sizes: list[int], rows: list[Row]) -> list[Row]:
    """For each chunk the mean of the rows of its units that are not blank, by their sizes."""
    made = []
    for group in held_groups(text, edges, breaks):
        weight = sum(sizes[at] for at in group)
        columns = zip(*(rows[at] for at in group), strict=True)
        made.append(
            [sum(sizes[at] * value for at, value in zip(group, column, strict=True)) / weight for column in columns]
        )
    return made


def reliable(sizes: list[int], half_weight: float) -> list[float]:
    """size / (size + half_weight * mean size), and then as many times that as makes the mean 1."""
    mean = sum(sizes) / len(sizes)
    own = [size / (size + half_weight * mean) for size in sizes]
    return [weight * len(own) / sum(own) for weight in own]


def total_of(rows: list[Row], weights: list[float], first: int, end: int) -> Row:
    """The weighted sum of the rows from first to before end."""
    return [sum(weights[at] * rows[at][column] for at in range(first, end)) for column in range(len(rows[0]))]


def segmentations(n: int) -> list[list[int]]:
    """All sets of breaks of n units."""
    return [list(chosen) for count in range(n) for chosen in itertools.combinations(range(1, n), count)]


def worth(
    breaks: list[int],
    rows: list[Row],
    sizes: list[int],
    max_size: int | None,
    min_size: int,
    structure: list[float],
    weights: list[float],
) -> tuple[int, float] | None:
    """What a segmentation is worth without its penalties: the fewest small groups, then the greatest sum of lengths.
    None where a group of more than one unit is too large."""
    small, value = 0, sum(structure[at - 1] for at in breaks)
    for first, end in groups(breaks, len(rows)):
        size = sum(sizes[first:end])
        if end - first > 1 and max_size is not None and size > max_size:
            return None
        small += size < min_size
        value += length(total_of(rows, weights, first, end))
    return -small, value


def cluster(
    rows: list[Row], sizes: list[int], max_size: int | None, weights: list[float], linkage: str, margins: list[float]
) -> list[tuple[int, float]]:
    """The gaps that merges close, in order, each with its distance, found by looking at every gap every time."""
    ends, made = list(range(len(rows) + 1)), []
    while True:
        found = []
        for before, gap, after in zip(ends, ends[1:], ends[2:], strict=False):
            if max_size is not None and sum(sizes[before:after]) > max_size:
                continue
            left, right = total_of(rows, weights, before, gap), total_of(rows, weights, gap, after)
            a, b = sum(weights[before:gap]), sum(weights[gap:after])
            if linkage == "average":
                distance = 1 - sum(x * y for x, y in zip(left, right, strict=True)) / (a * b)
            elif linkage == "ward":
                distance = a * b / (a + b) * sum((x / a - y / b) ** 2 for x, y in zip(left, right, strict=True))
            else:
                distance = length(left) + length(right) - length([x + y for x, y in zip(left, right, strict=True)])
            found.append((distance, gap))
        if not found:
            return made
        found.sort()
        if len(found) > 1:
            margins.append(found[1][0] - found[0][0])
        made.append((found[0][1], found[0][0]))
        ends.remove(found[0][1])


def spread(breaks: list[int], rows: list[Row], weights: list[float]) -> float:
    """The weighted sum of squared distances of rows from the weighted mean of their group."""
    value = 0.0
    for first, end in groups(breaks, len(rows)):
        weight = sum(weights[first:end])
        mean = [x / weight for x in total_of(rows, weights, first, end)]
        for at in range(first, end):
            value += weights[at] * sum((x - y) ** 2 for x, y in zip(rows[at], mean, strict=True))
    return value


def silhouette(breaks: list[int], rows: list[Row], weights: list[float]) -> float:
    """The weighted mean silhouette over all rows, by the mean of 1 - dot over pairs; 0 for a row alone in its group."""
    parts = groups(breaks, len(rows))
    if len(parts) == 1:
        return 0.0

    def apart(at: int, others: list[int]) -> float:
        dots = [weights[o] * (1 - sum(x * y for x, y in zip(rows[at], rows[o], strict=True))) for o in others]
        return sum(dots) / sum(weights[o] for o in others)

    scores = 0.0
    for number, (first, end) in enumerate(parts):
        for at in range(first, end):
            others = [o for o in range(first, end) if o != at]
            if not others:
                continue
            near = [parts[other] for other in (number - 1, number + 1) if 0 <= other < len(parts)]
            beyond = min(apart(at, list(range(*part))) for part in near)
            within = apart(at, others)
            if max(within, beyond) > 0:
                scores += weights[at] * (beyond - within) / max(within, beyond)
    return scores / sum(weights)
