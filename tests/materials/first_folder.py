"""The folder that a new user would make: sixteen documents of thirteen formats in four languages, and what to ask.

python tests/materials/first_folder.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import own_documents

# What stands before the sentences that answer, so that the beginning of a passage does not show them.
BEFORE = {
    "de": "".join(f"Das Regal {number} wird am Abend abgewischt und neu beschriftet. " for number in range(1, 21)),
    "ru": "".join(f"Мешок номер {number} стоит у северной стены склада. " for number in range(1, 21)),
    "zh": "".join(f"第{number}号货架上放着糖和盐，每周清点一次。" for number in range(1, 31)),
}
TEXTS = {
    "hausordnung.txt": (
        f"Hausordnung der Hansa-Bäckerei\n\n{BEFORE['de']}\n\n"
        "Die Backstube wird um drei Uhr morgens aufgeschlossen. Das Rauchen ist in "
        "allen Räumen verboten. Der Fahrradkeller gehört den Kurieren. Der Jahresbeitrag für den Betriebssport beträgt "
        "vierzig Euro. Wer als Letzter geht, stellt die Alarmanlage an.\n"
    ),
    "поставщики.md": (
        f"# Договор с мельницей\n\n{BEFORE['ru']}\n\n"
        "Мельница привозит ржаную муку каждый четверг. Склад принимает мешки до полудня. "
        "Счета оплачиваются в течение тридцати дней.\n\n## Качество\n\nВлажность муки не превышает четырнадцати "
        "процентов.\n"
    ),
    "面包店.txt": (
        f"汉萨面包店的故事\n\n{BEFORE['zh']}\n\n面包店在一九五二年开业。创始人是来自吕贝克的王师傅。核桃面包每天下午四点出炉。"
        "星期一面包店不营业。送货的自行车停在后院。\n"
    ),
    "ладога.tsv": "сорт\tчасы\tградусы\nбородинский\t18\t240\nукраинский\t12\t230\n",
    "节日.html": (
        "<!doctype html><html lang='zh'><head><meta charset='utf-8'><title>面包节</title></head><body><article>"
        "<h1>面包节</h1><p>面包节在五月的第二个星期六举行，地点是港口广场，欢迎所有的邻居和朋友来参加。</p>"
        "<p>孩子们可以在上午十点学习揉面，材料由面包店免费提供，请提前报名。</p>"
        "<p>第一名的奖品是一个银色的擀面杖，由市长亲自颁发给获胜者。</p></article></body></html>"
    ),
}
SETTINGS = {
    "Ofen": {
        "Hersteller": "Wachtel",
        "Baujahr": 2019,
        "Wartung": "Der Ofen wird jeden März von Firma Köhler gewartet.",
    },
    "Kühlraum": {"Solltemperatur": 5, "Hinweis": "Die Tür des Kühlraums schließt nicht von selbst."},
}
# A question, and what its sentence says that answers it.
QUESTIONS = {
    "How many days of annual leave does everybody have?": "28 days of annual leave",
    "Whom does somebody call who is ill?": "calls the shift leader before six in the morning",
    "Where does a second shop open?": "A second shop opens in Harburg",
    "How much does the new oven cost?": "The new oven costs 24,000 euro",
    "What was paid for the oven repair in January?": "Oven repair | 840",
    "Who delivers butter and cream?": "Hof Petersen | Husum | butter, cream",
    "How often is a sourdough starter fed?": "every twelve hours",
    "At what temperature is the bread baked?": "250 degrees",
    "When does the butter come?": "the butter comes on Thursday",
    "What must be opened before lighting the oven?": "Open the damper",
    "How warm was the cold store at the inspection?": "The cold store was at nine degrees",
    "Which loaf won the first prize of the jury?": "The rye loaf of Greta Ahlers won the first prize",
    "How long does rye flour of type 1150 keep?": "keeps for six months",
    "Wie hoch ist der Jahresbeitrag für den Betriebssport?": "Jahresbeitrag für den Betriebssport beträgt vierzig Euro",
    "Wann wird die Backstube aufgeschlossen?": "Die Backstube wird um drei Uhr morgens aufgeschlossen",
    "Welche Firma wartet den Ofen?": "jeden März von Firma Köhler gewartet",
    "Когда мельница привозит ржаную муку?": "Мельница привозит ржаную муку каждый четверг",
    "Какая влажность муки?": "Влажность муки не превышает четырнадцати процентов",
    "核桃面包什么时候出炉？": "核桃面包每天下午四点出炉",
    "面包节在哪里举行？": "面包节在五月的第二个星期六举行，地点是港口广场",
}


def write_all(folder: Path) -> list[Path]:
    """Write the sixteen files into a folder that may be there already."""
    written = own_documents.write_all(folder)
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    machines = folder / "maschinen.json"
    machines.write_text(json.dumps(SETTINGS, ensure_ascii=False), encoding="utf-8")
    return [*written, *(folder / name for name in TEXTS), machines]


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
