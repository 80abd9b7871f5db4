"""What hostile texts are made of: samples of many kinds of text, marks that mean something, blocks, openers."""

from __future__ import annotations

SAMPLES = (
    (
        "# Tide gauges\n\nA gauge reads the sea, e.g. every 6 min. Mr. Ó Dálaigh (b. 1961) built ours!\n"
        "\n## Parts\n\n| part | cost |\n|:-----|-----:|\n| float | 3.50 € |\n| drum \\| pen | 12 |\n"
        "\n- rope,\n  wet\n- nails:\n  1. long\n  2. short\n\n> It never failed.\n>> Never?\n"
        '\n```python\nfor x in sea:\n    print(x)  # "a.b"\n```\n\n    indented = code()\n\n'
        "Done[^1]. See <https://example.org/a.b?c=d>.\n\n[^1]: Nearly.\n"
    ),
    (
        "---\ntitle: Tides\n---\n\n# Tides { #tides .wide }\n\n## Before };\n\n### What?\n\n"
        '!!! note "At sea"\n\n    High at nine. Low at three.\n\n    ```sh\n    read --all\n    ```\n\n'
        '??? tip\n    Wait.\n\n=== "Bow"\n\n    One.\n\n=== "Stern"\n\n    Two. Three.\n\n'
        "/// tab | Harbour\n\n//// warning\nMoor early.\n////\n\n- a\n- b\n\n///\n\n## Fares\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "> [!NOTE] Neaps\n> The quay is dry.\n\n## Image\n\n![quay](quay.png)\n\n[^1]: A note. It goes on.\n\n    And on.\n[^2]: B.\n"
    ),
    (
        "import Tabs from '@theme/Tabs';\nexport const low = 3;\n\n# Moorings\n\n{/* not yet */}\n\n"
        '<Tabs groupId="isle">\n  <TabItem value="a"\n    label="Leith">\n\n  Sail at `9`. Wait.\n\n  </TabItem>\n</Tabs>\n\n'
        ":::tip[Rope]\n\nCoil it. Dry it.\n\n:::\n\n:::: {.note #x}\n::: inner\nText.\n:::\n::::\n\n"
        "<details>\n<summary>More</summary>\n\nThe bell rings.\n\n</details>\n\n```{warning} Springs\nStay off. Go home.\n```\n"
    ),
    (
        "=====\nTides\n=====\n\n.. _low:\n\nLow water();\n------------\n\n.. note:: At sea\n   :class: wide\n\n   High at nine. Low.\n\n"
        ".. code-block:: sh\n\n   # all of it\n   read --all\n\nKey\n^^^\n\n===  ===\na    b\n===  ===\n1    2\n===  ===\n"
    ),
    (
        '"""Reads gauges."""\n\nfrom sea import tide\n\n\nclass Gauge:\n    """One gauge. It has a float'
        '."""\n\n    def read(self, at: float = .5) -> str:\n        if at > 1.0 and not self.dry:\n'
        '            return f"{at:.2f}"\n        return {\'a\': [1, (2, 3)], "b": "x.y. Z"}["b"]\n'
        "\n\n@cached\ndef mean(xs): return sum(xs) / len(xs)\n"
    ),
    (
        "function tide(at) {\n  const x = `${at}. Now?`; // Why. Because!\n  return [1, 2].map((n) => ({ n, at })"
        ");\n}\n\n/* A block.\n * Of lines. */\nexport default tide;\n"
    ),
    (
        "<!DOCTYPE html>\n<html><body>\n<h1>Tides</h1><p>The sea rose. It fell.</p>\n<table><tr><td>a</td><td>1.5"
        "</td></tr>\n<tr><td>b</td></tr></table>\n<pre>\n x. y\n</pre>\n<!-- no. yes -->\n<script>if (a < b) { c("
        "); }</script></body>"
    ),
    ('{"tides": [{"at": "05:40", "m": 3.2, "note": "High. Wind."}, {"at": null, "m": -1e-3}],\n "ok": true}\n'),
    'at,height,note\n05:40,3.2,"High, windy. ""Very"" so."\n11:52,0.4,\n"18:0\n1",3.1,é\n',
    (
        "\\section{Tides}\nLet $h(t)=\\sum_i a_i$. Then\n\\begin{equation}\n h = a_0. \\label{h}\n"
        "\\end{equation}\n$$ x^2 \\ge 0. $$\n\\[ \\int f. \\]\n\\begin{tabular}{ll} a & b \\\\ c & d \\end{tabula"
        "r}\nSee Fig.~3, cf. [2, p. 7].\n"
    ),
    (
        "---\ntitle: Tides\ntags: [sea, moon]\n---\n\nANNA: Is it high?\nBEN: No... wait. It is!\n"
        "ANNA: \"Then go,\" he said. 'Go!'\n[12:03] <ben> ok :) see http://a.b/c?d=e.f and mail x.y@z.org.\n"
    ),
    (
        "ANNUAL REPORT 2026                                  Page 3\n\nThe gauge was moved in the spring, for the"
        " old pier had be-\ncome unsafe. Readings went on\nthe same day.\n\nStation     1999    2000\n"
        "North       3.1     3.2\n\x0cANNUAL REPORT\n\nof tides.\n"
    ),
    (
        "Der Pegel stieg z. B. am 3. Mai um ca. 2,5 m. „Wirklich?“, fragte Dr. Weiß. Ja! L'eau « monte », M. Roy."
        " ¿Cuánto? ¡Mucho!"
    ),
    (
        "Река вышла из берегов 3 мая, т. е. рано. «Неужели?» — спросил И. П. Ветров. Да… Ποιος ήρθε; Η θάλασσα. Ծ"
        "ովը բարձրացավ։ Ո՞վ եկավ։"
    ),
    ("ارتفع البحر اليوم، أليس كذلك؟ نعم! ثم هدأ؛ قال د. علي. הים עלה היום. מי בא? \u200fטוב!\u200e سلامٌ عليكم۔"),
    ("समुद्र आज ऊँचा था। क्या यह सच है? क्षत्रिय श्री ज्ञान॥ সমুদ্র উঁচু ছিল। ক্ষমা। கடல் உயர்ந்தது. க்ஷ శ్రీ ක්\u200dෂ ക്ഷ ಕ್ಷ"),
    (
        "น้ำขึ้นในตอนเช้าและลงในตอนเย็นของวันเดียวกัน แล้วก็กลับมาอีกครั้งในวันถัดไป ទ\u17b9កឡ\u17beងន\u17c5ព"
        "\u17c1លព\u17d2រ\u17b9ក។ ព\u17b7តទ\u17c1៖ ရေတက်သည်။ ဟုတ်လား၊ ཆུ་མཚོ་འཕར་སོང་། ཨོཾ༎ ባሕሩ ከፍ አለ። እውነት፧"
    ),
    (
        "今天海水很高。真的吗？真的！他说：“走吧。”然后走了……（完）「静かだ。」と彼は言った。本当？はい！바다가 "
        "높았다. 정말? 그래! 각ᆨ 한글"
    ),
    (
        "👩\u200d🚀🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 1\ufe0f\u20e3 👍🏽👨\u200d👩"
        "\u200d👧\u200d👦 🇩🇪🇫🇷🇯 e\u0301\u0323 Z\u0351\u036b\u0313\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324"
        "\u031e\u0349\u035a\u032f\u031e\u0320\u034dA\u0334\u0335\u031c\u0330\u0354\u036b\u0357\u0362L ﷽ ﬁ ǆ 𝒳 "
        "\U000e0041\u200b\ufeff"
    ),
)

MARKS = (
    *".!?,;:()[]{}<>\"'`|#-*_=~+$\\/&%@^ \t\n\r\x0b\x0c\x00\x1c\x1f\x7f\x85\xa0\xad",
    *"。！？、，；：「」『』（）“”‘’„«»‹›…‥—–‐·•।॥؟،؛۔።፧།༎៖។၊။։՞\u200b\u200c\u200d\u200e\u200f\u2028",
    *"\u2029\u202e\u2060\u3000\ufe0f\ufeff�",
    "```", "~~~", "````md", "$$", "\\[", "\\]", "\\(", "\\begin{equation}", "\\end{equation}", "\\begin{table}",
    "---\n", "***", "\n\n", "\n\n\n\n", "\r\n", "\r\n\r\n", "\n\r", "\n    ", "\n\t", "\n> ", "\n>>", "\n- ", "\n* ",
    "\n1. ", "\n10) ", "\n# ", "\n###### ", "\n|", "|\n", "\n|-|-|\n", "|---", "\n===\n", "<table>", "</table>",
    "<tr><td>", "<pre>", "</pre>", "<!--", "-->", "<script>", "</", "<a ", "<![CDATA[", "...", "....", ". . .", "?!",
    "e.g. ", "Dr. ", "U.S. ", "No. 5", "3.14", "a.b.c", "http://x.y/z.", "x@y.z", "\n[1]", "[^1]: ", "e\u0301",
    "\u0301", "\u0e33", "\u0903", "\u094d", "\u0915\u094d\u0937", "\u1100\u1161\u11a8", "\u1160", "\U0001f1e6",
    "\U0001f3fb", "\u20e3", "\U000e007f", "\U0001f469\u200d", "\ud800", "\udfff", "\ud83d\ude00", "\u0600",
    "\U000110bd", "\U0010ffff", "\ufdfd", "\u1e9e", "\u0130",
)  # fmt: skip

BLOCKS = (
    (0x00, 0x7F), (0x80, 0x24F), (0x300, 0x36F), (0x370, 0x5FF), (0x600, 0x8FF), (0x900, 0xDFF), (0xE00, 0xFFF),
    (0x1000, 0x109F), (0x1100, 0x11FF), (0x1200, 0x139F), (0x1680, 0x18AF), (0x2000, 0x206F), (0x20A0, 0x214F),
    (0x2190, 0x2BFF), (0x2E80, 0x30FF), (0x3400, 0x3500), (0x4E00, 0x5000), (0xA000, 0xABFF), (0xAC00, 0xAD00),
    (0xD7B0, 0xD7FF), (0xD800, 0xDFFF), (0xE000, 0xE010), (0xFB00, 0xFE2F), (0xFE30, 0xFFFF), (0x10000, 0x11FFF),
    (0x1F1E6, 0x1F1FF), (0x1F300, 0x1FAFF), (0xE0000, 0xE01EF), (0x10FFF0, 0x10FFFF),
)  # fmt: skip

OPENERS = (
    "(", "[", "{", "“", "«", "「", '"', "'", "`", "> ", ">", "<table>", "<div>", "```\n", "$$", "\\[", "- ", "  ",
    "\n  - ", "\\begin{equation}", "**",
)  # fmt: skip
