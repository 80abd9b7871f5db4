"""Sentences of scripts that write no stop between them: Thai, Lao, Khmer and Burmese without their stops, Tibetan.

A space parts sentences there, and also clauses, names and numbers. The words on either side of it tell which: particles
that close a sentence, words that open one, and words before or after which a sentence always goes on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from caesura.text.graphemes import inside_grapheme
from caesura.text.marks import FREE

_LEAST, _CLAUSE = 4, 20  # characters: of a sentence before a particle's space, and of a clause
_ENDED = FREE + "?!…"
_TIMES = ("เมื่อวาน", "เมื่อคืน", "เมื่อเช้า")  # words of `fronted` open these, which stand before nothing
_LETTERS = "\u0e01-\u0e45\u0e81-\u0ec4\u0edc-\u0edf\u0f40-\u0f6c\u1000-\u102a\u1780-\u17b3"
_GAP = re.compile(f"(?:(?<=[^\\s\u200b])|(?<=\n)(?=\u200b))\u200b*[ \u00a0][ \u00a0\u200b]*(?=[{_LETTERS}])")
_RUNS = ("\u0e01-\u0e59", "\u0e81-\u0ed9\u0edc-\u0edf", "\u1780-\u17d3\u200b")
_LONG = re.compile("|".join(f"[{run}]{{{_CLAUSE}}}" for run in _RUNS))
_LETTER = re.compile(f"[{_LETTERS}]")


def holds_unspaced(text: str) -> bool:
    """Whether a text has a letter of one of the scripts.

    In UTF-8 these letters begin with one of two bytes, which are looked for many times faster than letters are.
    """
    written = text.encode("utf-8", "surrogatepass")
    return (b"\xe0" in written or b"\xe1" in written) and _LETTER.search(text) is not None


class Script(NamedTuple):
    """Words of one script that tell what a space beside them means.

    closing: particles after which a sentence ends. opening: words that begin one. onward: words that go on with one,
    unless they are in `opening`. hanging: words after which one goes on. fronted: words of a clause, or of a date, that
    stands before the rest of its sentence. stop: what ends sentences in a paragraph whose spaces, therefore, do not.
    clauses: whether two long clauses are two sentences where no word says otherwise.
    """

    closing: tuple[str, ...]
    opening: tuple[str, ...] = ()
    onward: tuple[str, ...] = ()
    hanging: tuple[str, ...] = ()
    fronted: tuple[str, ...] = ()
    stop: re.Pattern[str] | None = None
    clauses: bool = False


def _words(table: str) -> tuple[str, ...]:
    return tuple(table.split())


_THAI = Script(
    closing=_words("ครับ ครับผม ค่ะ คะ นะ จ้ะ จ๊ะ จ้า ฮะ ล่ะ เถอะ เถิด หรอก หรือเปล่า หรือไม่ หรือยัง ไหม มั้ย ซะ น่ะ สิ ซิ ฯลฯ เป็นต้น"),
    opening=_words(
        """
        นอกจาก อย่างไรก็ตาม อย่างไรก็ดี ดังนั้น เพราะฉะนั้น ฉะนั้น ด้วยเหตุนี้ ต่อมา ต่อจากนั้น หลังจาก จากนั้น หลัง ขณะ ในขณะ ทั้งนี้
        แม้ ถึงแม้ ถึงอย่างไร เมื่อ หาก ถ้า ในปี ในวัน ในช่วง ในที่สุด ในทาง ในสมัย ในคริสต์ศตวรรษ ในประเทศ ในเดือน ปัจจุบัน
        เนื่องจาก เพราะ เขา เธอ มัน พวกเขา ผม ดิฉัน ฉัน เรา พวกเรา ข้าพเจ้า ท่าน พระองค์ คุณ สิ่งนี้ สิ่งเหล่านี้ นี่ นั่น การที่
        อีกทั้ง โดยทั่วไป โดยเฉพาะอย่างยิ่ง โดยรวม ยิ่งไปกว่านั้น กล่าวคือ ตามที่ จนกระทั่ง จนถึงปัจจุบัน ที่จริง ที่นี่ ที่นั่น ส่วน สำหรับ
        ระหว่าง ตัวอย่างเช่น ในทำนองเดียวกัน ในทางกลับกัน ตรงกันข้าม แรกเริ่ม เดิมที ครั้งหนึ่ง วันนี้ พรุ่งนี้ เมื่อวาน ใคร ทำไม ไม่มี
        """
    ),
    onward=_words(
        """
        และ หรือ ที่ ซึ่ง โดย ว่า เพื่อ กับ ของ จึง ก็ รวม ตลอดจน เช่น ได้แก่ เป็น คือ อัน ด้วย ทำให้ จน ถึง จาก พร้อม แห่ง แล้ว แก่
        ต่อ มี ได้ ไม่ จะ ถูก ยัง แต่ ใน กว่า ประมาณ อย่าง ทั้ง รวมถึง ตั้งแต่ ตาม เพราะ เนื่องจาก เขาก็ เธอก็ เราก็
        พวกเขาก็ ผมก็ ฉันก็ มันก็ เพียง เมื่อ หลังจาก สำหรับ นั่นคือ ระหว่าง ในขณะที่ ขณะที่
        """
    ),
    hanging=_words(
        """
        ว่า คือ ได้แก่ เช่น และ หรือ ที่ ของ ใน กับ ชื่อ โดย จาก ต่อ เป็น วันที่ เวลา ราว ประมาณ ร้อยละ จำนวน ปี ฐานะ ชนะ
        ผ้าไหม ดร. นาย นาง นางสาว คุณ ศ. รศ. ผศ. น.ส. พล.อ. พ.ต. ม.ร.ว. ม.ล. พ.ศ. ค.ศ. ๆ
        """
    ),
    fronted=_words("เมื่อ หาก ถ้า แม้ ถึงแม้ เนื่องจาก เพราะ ใน หลัง ก่อน ตั้งแต่ ระหว่าง สำหรับ นอกจาก ขณะ ตาม จาก ด้วย ส่วน"),
    stop=re.compile("[\u0e01-\u0e4e]{4}\\.(?=\\s|$)"),
    clauses=True,
)
_LAO = Script(
    closing=_words("ເດີ້ ແດ່ ເນາະ ບໍ ບໍ່ນໍ ຫຼືບໍ່ ຫຼືບໍ ຫລືບໍ່ ນໍ ຫວາ ໃດ໋ ຯລຯ ເປັນຕົ້ນ"),
    opening=_words(
        """
        ນອກຈາກ ແນວໃດກໍຕາມ ແນວໃດກໍດີ ຢ່າງໃດກໍຕາມ ຢ່າງໃດກໍດີ ດັ່ງນັ້ນ ສະນັ້ນ ເພາະສະນັ້ນ ຕໍ່ມາ ຫຼັງຈາກ ຫລັງຈາກ ຈາກນັ້ນ ເຖິງແມ່ນ ເມື່ອ ຖ້າ ຫາກ
        ໃນປີ ໃນວັນ ໃນຊ່ວງ ໃນທີ່ສຸດ ໃນຂະນະ ປັດຈຸບັນ ເນື່ອງຈາກ ລາວ ເຂົາ ເຂົາເຈົ້າ ພວກເຂົາ ພວກເຮົາ ເຮົາ ຂ້ອຍ ຂ້າພະເຈົ້າ ມັນ ທ່ານ ເພິ່ນ ນາງ
        ທັງນີ້ ພ້ອມກັນນັ້ນ ຍິ່ງໄປກວ່ານັ້ນ ຕົວຢ່າງ ມື້ນີ້ ມື້ອື່ນ ມື້ວານ ສຳລັບ ສ່ວນ ໂດຍທົ່ວໄປ
        """
    ),
    onward=_words(
        """
        ແລະ ຫຼື ຫລື ທີ່ ເຊິ່ງ ຊຶ່ງ ໂດຍ ເພື່ອ ກັບ ຂອງ ວ່າ ຈຶ່ງ ກໍ ເຊັ່ນ ໄດ້ແກ່ ຄື ລວມ ພ້ອມ ຈົນ ຕະຫຼອດ ເປັນ ແມ່ນ ແຕ່ ໃນ ຈາກ ເຖິງ ມີ ໄດ້ ບໍ່ ຈະ
        ຖືກ ຍັງ ແລ້ວ ປະມານ ແຫ່ງ ຕໍ່ ຕາມ ເຮັດໃຫ້ ລາວກໍ ພວກເຂົາກໍ ເຮົາກໍ ຂ້ອຍກໍ ມັນກໍ
        """
    ),
    hanging=_words("ວ່າ ຄື ໄດ້ແກ່ ເຊັ່ນ ແລະ ຫຼື ທີ່ ຂອງ ໃນ ກັບ ຊື່ ໂດຍ ຈາກ ເປັນ ປະມານ ທ່ານ ນາງ ທ້າວ ດຣ. ປີ ວັນທີ ພ.ສ. ຄ.ສ. ໆ"),
    fronted=_words("ເມື່ອ ຖ້າ ຫາກ ເຖິງແມ່ນ ເນື່ອງຈາກ ເພາະ ໃນ ຫຼັງ ຫລັງ ກ່ອນ ຕັ້ງແຕ່ ລະຫວ່າງ ສຳລັບ ນອກຈາກ ແນວໃດກໍ ຢ່າງໃດກໍ ດັ່ງນັ້ນ ຕໍ່ມາ"),
    stop=re.compile("[\u0e81-\u0ecd]{4}\\.(?=\\s|$)"),
    clauses=True,
)
_KHMER = Script(
    closing=_words("ទេ ណា៎ ផង វិញ ណាស់ ឬទេ ដែរ ឬនៅ សិន"),
    opening=_words(
        """
        ប៉ុន្តែ ដូច្នេះ ហេតុនេះ ក្រៅពីនេះ ក្រៅពីនោះ បន្ទាប់មក បន្ទាប់ពី ក្រោយមក ក្រោយពី ទោះ នៅឆ្នាំ នៅពេល នៅថ្ងៃ នៅក្នុង ខ្ញុំ គាត់ យើង
        ពួកគេ ពួកយើង នាង វា លោក អ្នក គេ ឥឡូវ សព្វថ្ងៃ បច្ចុប្បន្ន ប្រសិនបើ បើ ថ្ងៃនេះ ម្សិលមិញ ស្អែក តើ បាទ ចាស ជាចុងក្រោយ ម្យ៉ាងទៀត
        """
    ),
    onward=_words("ដែល និង ឬ ដើម្បី ដោយ ព្រោះ ថា របស់ ជា ដូចជា រួមទាំង ហើយ ក៏ ទើប គឺ មាន នៃ ពី ទៅ ក្នុង ជាមួយ បាន ត្រូវ រហូត"),
    hanging=_words("ថា គឺ ដូចជា និង ឬ ដែល របស់ ក្នុង ឈ្មោះ លោក លោកស្រី អ្នក បណ្ឌិត ឆ្នាំ ថ្ងៃទី ប្រហែល ដូច្នេះ ប៉ុន្តែ"),
    fronted=_words("នៅ បើ ប្រសិនបើ ទោះ ពេល ក្រៅពី បន្ទាប់ ក្រោយ ដោយសារ ចំពោះ តាម កាល"),
    stop=re.compile("[។៕]"),
    clauses=True,
)
_BURMESE = Script(
    closing=_words(
        """
        တယ် မယ် ပြီ ဘူး နော် ပေါ့ လား လဲ သလဲ မလဲ ပါ ခဲ့သည် ပါသည် ကြသည် နေသည် ရှိသည် ဖြစ်သည် ရသည် နိုင်သည် လာသည် ထားသည် သွားသည် ထိုင်သည်
        ပေးသည် လုပ်သည် တတ်သည် လိုက်သည် ဆိုသည် ပေသည် မည် ခဲ့၏ ကြ၏ ရှိ၏ လေ၏ ဖြစ်၏ ခြင်းပင် သတည်း
        """
    ),
    onward=_words("ဟု ဟူ၍ ဟူသော လို့ ဆိုပြီး ဆို၍ ဆိုတာ ဆိုသည် ဆိုသော ဖြစ်၍ မှာ ကို နှင့် သော နဲ့ ပြီး"),
    stop=re.compile("။"),
)
_TIBETAN = Script(closing=("འདུག", "འདུག་", "ཤོག", "ཤོག་"))  # after this letter no shad is written
_SCRIPTS = {0x1C: _THAI, 0x1D: _LAO, 0x1E: _TIBETAN, 0x1F: _TIBETAN, 0x20: _BURMESE, 0x2F: _KHMER}
"""By their half blocks of Unicode, 128 code points each."""


def space_edges(text: str, start: int, end: int) -> list[int]:
    """Returns the edges after those spaces of a run of prose that end sentences."""
    edges: list[int] = []
    last = clause = start
    stopped: dict[int, bool] = {}
    for gap in _GAP.finditer(text, start, end):
        at, after = gap.span()
        half = ord(text[after]) >> 7
        script = _SCRIPTS[half]
        if half not in stopped:
            stopped[half] = script.stop is not None and script.stop.search(text, start, end) is not None
        if stopped[half] or text[at - 1] in _ENDED:
            last = clause = after
        elif not _goes_on(text, last, at, after, script):
            if _ends(text, last, clause, at, after, end, script) and not inside_grapheme(text, after, start):
                edges.append(after)
                last = after
            clause = after
    return edges


def _ends(text: str, last: int, clause: int, at: int, after: int, end: int, script: Script) -> bool:
    """Whether the space at `text[at:after]` ends the sentence that began at `last`, its last clause at `clause`."""
    if at - last >= _LEAST and text.endswith(script.closing, last, at):
        return True
    if not script.clauses or at - last < _CLAUSE:
        return False
    if clause == last and text.startswith(script.fronted, last) and not text.startswith(_TIMES, last):
        return False
    if text.startswith(script.opening, after):
        return True
    return at - clause >= _CLAUSE and _LONG.match(text, after, end) is not None


def _goes_on(text: str, last: int, at: int, after: int, script: Script) -> bool:
    """Whether a word on either side of a space says that the sentence goes on."""
    if text.startswith(script.onward, after) and not text.startswith(script.opening, after):
        return True
    return text.endswith(script.hanging, last, at)
