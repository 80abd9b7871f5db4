"""Texts of many scripts and odd forms: what a segmenter, a sizer or an adapter meets in the wild."""

from __future__ import annotations

from random import Random

from caesura.checks import check_int

FRAGMENTS = (
    "The cat sat. ", "A tax on salt, paid yearly; ", "semantic ", "I know I can. ", "Is it? ", "No! ", "e.g. ", "3.14 ",
    " unquestionably", " internationalisation",
    "word", " ", "  ", ". ", ", ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t", "\x0b", "\x1c", "\u2028", "\u00a0", "\u3000",
    " " * 40, "\n" * 30, "x" * 60, "\u4e2d\u6587\u6ca1\u6709\u7a7a\u683c\u3002", "\u771f\u7684\uff1f\uff01",
    "\u0645\u0631\u062d\u0628\u0627\u061f ", "\u05e9\u05dc\u05d5\u05dd. ",
    "\u0928\u092e\u0938\u094d\u0924\u0947\u0964 ",
    "e\u0301", "a\u0300\u0316\u0342", "\u0301", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea",
    "\U0001f44d\U0001f3fd", "\u1112\u1161\u11ab", "\u200d", "\u200b", "\ufeff", "\x00", "\ud800", "\udc00",
    "\ud83d\ude00",
    "```\ncode()\n```\n", "| a | b |\n", "# Title\n", "- item\n", "\u201cQuoted.\u201d ", "(in brackets) ",
)  # fmt: skip
"""Pieces of which odd texts are made: prose, marks, blanks of every kind, clusters, surrogates, Markdown."""

PROSE = (
    "The ferry leaves at nine. It takes forty minutes, or an hour against the tide.",
    "Die Fähre fährt um neun. Sie braucht bei Gegenstrom eine Stunde, sonst weniger.",
    "Le bac part à neuf heures. « Et le retour ? » demanda-t-elle.",
    "¿Cuándo sale el barco? A las nueve, si no hay niebla.",
    "Паром отходит в девять. Билеты продают на борту.",
    "Το πλοίο φεύγει στις εννιά. Πού είναι τα εισιτήρια;",
    "渡し船は九時に出ます。切符は船の中で買えます。",
    "渡轮九点开。船票在船上买。",
    "배는 아홉 시에 떠납니다. 표는 배에서 삽니다.",
    "تغادر العبّارة في التاسعة. هل التذاكر على متنها؟",
    "המעבורת יוצאת בתשע. הכרטיסים נמכרים על הסיפון.",
    "नाव नौ बजे चलती है। टिकट नाव पर मिलते हैं।",
    "เรือออกเก้าโมง ตั๋วซื้อบนเรือ",
    "Phà rời bến lúc chín giờ. Vé bán trên phà.",
    "ጀልባው በሦስት ሰዓት ይነሳል። ቲኬት በጀልባው ላይ ይሸጣል።",
    "Նավը մեկնում է իննին։ Տոմսերը վաճառվում են նավի վրա։",
)
"""The same two sentences or so in sixteen languages and twelve scripts."""

LEAST = (
    *("", " ", "\n", "\r\n", "\t \n", "\u3000\u00a0\u2028", ".", "x", "\x00", "\ud800", "e\u0301"),
    *(" padded ", "no stop", "One.\r\nTwo."),
)
"""What is always among the texts."""


def odd_texts(count: int = 300, seed: int = 0, *, surrogates: bool = True) -> list[str]:
    """Returns `count` texts, the same for one seed, the shortest first, from the empty one to some thousand characters.

    Blank texts, sixteen languages, every kind of blank and line end, combining marks, joined emoji, right-to-left, NUL,
    code points of every plane, Markdown. surrogates: whether some hold lone surrogates, which no encoding takes.
    Raises `SettingError` for a `count` under 1.
    """
    check_int("count", count, 1)
    random = Random(seed)  # noqa: S311 - texts, no secrets
    found = [*LEAST, *PROSE, "\n\n".join(PROSE), " ".join(PROSE[:4] * 20)]
    while len(found) < count:
        pieces = [_piece(random) for _ in range(random.randrange(1, 30))]
        found.append("".join(pieces))
    if not surrogates:
        found = ["".join(one for one in text if not "\ud800" <= one <= "\udfff") for text in found]
    return sorted(found[:count], key=len)


def _piece(random: Random) -> str:
    kind = random.random()
    if kind < 0.2:
        return random.choice(PROSE) + random.choice(("", " ", "\n", "\n\n", "\r\n"))
    if kind < 0.85:
        return random.choice(FRAGMENTS)
    return "".join(chr(random.randrange(0x110000)) for _ in range(random.randrange(1, 6)))
