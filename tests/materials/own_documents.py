"""Ten files of eight kinds that people have, written anew each time; and what a reader must find in them.

python tests/materials/own_documents.py FOLDER
"""

from __future__ import annotations

import csv
import sys
import zipfile
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pptx
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

EXPENSES = [
    ("Month", "Item", "Euro"),
    ("January", "Oven repair", 840),
    ("February", "Rye flour", 1260),
    ("March", "Bicycle courier", 310),
]
SUPPLIERS = [
    ("supplier", "town", "delivers", "phone"),
    ("Mühle Brandt", "Celle", "rye flour", "05141 220"),
    ("Hof Petersen", "Husum", "butter, cream", "04841 771"),
    ("Salz & Söhne", "Lüneburg", "salt", "04131 908"),
]


def handbook(path: Path) -> None:
    """A Word document with headings of two levels, a list, a table, and its title in its properties."""
    document = docx.Document()
    document.core_properties.title = "Employee handbook"
    document.add_heading("Employee handbook", 0)
    document.add_paragraph("This handbook is for everybody who works at the Hansa bakery.")
    document.add_heading("Leave", 1)
    document.add_heading("Annual leave", 2)
    document.add_paragraph("Everybody has 28 days of annual leave, to be taken by the end of March.")
    document.add_heading("Sick leave", 2)
    document.add_paragraph("Whoever is ill calls the shift leader before six in the morning.")
    document.add_paragraph("A doctor's note is needed from the third day.", style="List Bullet")
    document.add_heading("Working hours", 1)
    _word_table(document, [("Shift", "Begins", "Ends"), ("Early", "03:30", "11:30"), ("Late", "10:00", "18:00")])
    document.save(str(path))


def _word_table(document: docx.document.Document, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(rows=0, cols=len(rows[0]))
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text


def deck(path: Path) -> None:
    """Three slides, the second with speaker's notes."""
    presentation = pptx.Presentation()
    slides = [
        ("Plans for 2027", "A second shop opens in Harburg.", ""),
        (
            "Delivery by bicycle",
            "Two couriers bring bread to offices.",
            "Ask Mehmet about the insurance of the bicycles.",
        ),
        ("Budget", "The new oven costs 24,000 euro.", ""),
    ]
    for title, body, notes in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, body
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    presentation.save(str(path))


def expenses(path: Path) -> None:
    """A workbook of two sheets, one with a formula."""
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Expenses"
    for row in EXPENSES:
        first.append(row)
    second = book.create_sheet("Recipes")
    second.append(("Bread", "Flour kg", "Hours"))
    second.append(("Rye sourdough", 12.5, 18))
    book.save(path)


def suppliers(path: Path) -> None:
    """Values separated by semicolons in cp1252, as a German Excel writes them."""
    with path.open("w", encoding="cp1252", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows(SUPPLIERS)


_CHAPTERS = {
    "The starter": "A sourdough starter is fed with rye flour and water every twelve hours.",
    "The oven": "The bread is baked at 250 degrees, and the heat falls to 200 after ten minutes.",
}


def book(path: Path) -> None:
    """An electronic book of two chapters."""
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles>'
        "</container>"
    )
    names = [f"chapter{number}" for number in range(1, len(_CHAPTERS) + 1)]
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">bread</dc:identifier>'
        "<dc:title>Bread of the north</dc:title><dc:creator>Greta Ahlers</dc:creator><dc:date>2026-02-01</dc:date>"
        f"<dc:language>en</dc:language></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("OEBPS/content.opf", package)
        for name, (title, text) in zip(names, _CHAPTERS.items(), strict=True):
            page = f"<head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body>"
            archive.writestr(f"OEBPS/{name}.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml">{page}</html>')


def letter(path: Path) -> None:
    """A mail in plain text and HTML, with umlauts and an attachment."""
    message = EmailMessage()
    message["Subject"] = "Lieferung für die Bäckerei"
    message["From"], message["To"] = "Hof Petersen <hof@petersen.example>", "shop@hansa.example"
    message["Date"] = "Mon, 05 Jan 2026 08:30:00 +0100"
    message.set_content("Dear all,\n\nthe butter comes on Thursday; the cream is a week late.\n\nJürgen Petersen\n")
    message.add_alternative(
        "<p>Dear all,</p><p>the butter comes on Thursday; the cream is a week late.</p><p>Jürgen Petersen</p>",
        subtype="html",
    )
    message.add_attachment(b"\0\1\2", maintype="application", subtype="octet-stream", filename="stamp.bin")
    path.write_bytes(bytes(message))


def guide(path: Path) -> None:
    """reStructuredText with headings of two levels, a list and a table."""
    path.write_text(
        "==============\nOven operation\n==============\n\nBefore lighting\n===============\n\n"
        "Open the damper, then check *the gas valve*.\n\n- Wear gloves.\n- Keep the door ``closed``.\n\n"
        "Temperatures\n------------\n\n======  =======\nBread   Degrees\n======  =======\nRye     250\nWheat   230\n"
        "======  =======\n\n.. note::\n\n   The stones need an hour.\n",
        encoding="utf-8",
    )


def report(path: Path, title: str = "Microsoft Word - report.doc") -> None:
    """A PDF of three pages with a table, and a title that a printer driver made."""
    style = getSampleStyleSheet()
    story = [
        Paragraph("Inspection of the bakery", style["Title"]),
        Paragraph("The inspector came on 12 May and saw the kitchen and the store.", style["BodyText"]),
        PageBreak(),
        Paragraph("Findings", style["Heading1"]),
        Paragraph("The cold store was at nine degrees, which is two too many.", style["BodyText"]),
        Table([("Room", "Degrees"), ("Cold store", "9"), ("Kitchen", "24")]),
        PageBreak(),
        Paragraph("Measures", style["Heading1"]),
        Paragraph("A new seal is fitted to the door of the cold store by June.", style["BodyText"]),
    ]
    SimpleDocTemplate(str(path), pagesize=A4, title=title).build(story)


def page(path: Path) -> None:
    """A web page with navigation, a cookie notice, an article with headings and a table, and a footer."""
    body = "".join(
        f"<p>On day {day} the volunteers baked bread for the festival and sold it at the harbour.</p>"
        for day in range(1, 5)
    )
    path.write_text(
        "<!doctype html><html><head><title>Bread festival | Hansa bakery</title></head><body><nav><ul>"
        "<li><a href='/'>Home</a></li><li><a href='/shop'>Our shop</a></li></ul></nav>"
        "<div class='cookie-banner'>We use cookies to improve your visit.</div>"
        f"<main><article><h1>Bread festival</h1>{body}<h2>Prizes</h2><p>The rye loaf of Greta Ahlers won the first "
        "prize of the jury.</p><table><tr><th>Place</th><th>Loaf</th></tr><tr><td>1</td><td>Rye</td></tr><tr><td>2"
        "</td><td>Spelt</td></tr></table></article></main><footer>Imprint and privacy policy</footer></body></html>",
        encoding="utf-8",
    )


def notes(path: Path) -> None:
    """Markdown with front matter."""
    path.write_text(
        "---\ntitle: Notes on flour\ndate: 2026-02-03\ntags: [flour, rye]\n---\n\n# Flour\n\n## Rye\n\n"
        "Rye flour of type 1150 keeps for six months.\n\n## Spelt\n\nSpelt is kneaded briefly.\n",
        encoding="utf-8",
    )


# Name, how it is written, what must be found (with Markdown's signs where they matter), and what must not be.
FILES: dict[str, tuple[Callable[[Path], None], tuple[str, ...], tuple[str, ...]]] = {
    "handbook.docx": (
        handbook,
        (
            "everybody who works at the Hansa bakery",
            "\n# Leave",
            "\n## Annual leave",
            "\n## Sick leave",
            "28 days of annual leave",
            "A doctor's note is needed",
            "\n# Working hours",
            "| Early | 03:30 | 11:30 |",
        ),
        (),
    ),
    "deck.pptx": (
        deck,
        (
            "# Plans for 2027",
            "A second shop opens in Harburg.",
            "# Delivery by bicycle",
            "Two couriers bring bread",
            "insurance of the bicycles",
            "# Budget",
            "24,000 euro",
        ),
        (),
    ),
    "expenses.xlsx": (
        expenses,
        (
            "# Expenses",
            "| Month | Item | Euro |",
            "| February | Rye flour | 1260 |",
            "# Recipes",
            "Rye sourdough | 12.5 |",
        ),
        ("NaN", "Unnamed"),
    ),
    "suppliers.csv": (
        suppliers,
        (
            "| supplier | town | delivers |",
            "| Mühle Brandt | Celle | rye flour |",
            "| Hof Petersen | Husum | butter, cream |",
        ),
        (),
    ),
    "book.epub": (
        book,
        ("# The starter", "fed with rye flour", "# The oven", "the heat falls to 200"),
        ("application/xhtml",),
    ),
    "letter.eml": (
        letter,
        ("Lieferung für die Bäckerei", "the butter comes on Thursday; the cream is a week late.", "Jürgen Petersen"),
        ("base64", "quoted-printable", "MIME-Version"),
    ),
    "guide.rst": (
        guide,
        (
            "# Before lighting",
            "## Temperatures",
            "the gas valve",
            "- Wear gloves.",
            "| Rye | 250 |",
            "stones need an hour",
        ),
        ("======", ".. note"),
    ),
    "report.pdf": (
        report,
        ("Inspection of the bakery", "came on 12 May", "two too many", "Cold store 9", "A new seal is fitted"),
        ("�",),
    ),
    "festival.html": (
        page,
        ("On day 4 the volunteers", "# Prizes", "The rye loaf of Greta Ahlers", "| 2 | Spelt |"),
        ("Our shop", "cookies", "privacy policy"),
    ),
    "notes.md": (notes, ("# Flour", "## Rye", "keeps for six months"), ()),
}


def write_all(folder: Path) -> list[Path]:
    """Write the ten files into a folder that may be there already."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (write, _, _) in FILES.items():
        write(folder / name)
    return [folder / name for name in FILES]


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
