"""Neo4j Browser itself, in a headless Chromium where there is one: guide, style, an answer drawn as a graph."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TestServer
from selenium.webdriver import Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from qcg_neo4j.cli.server import browser_uri
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.statements import statement
from qcg_neo4j.interfaces.browser import GuideRoute
from qcg_neo4j.interfaces.palette import LOOKS
from qcg_neo4j.interfaces.show.picture import Dot, Line, Picture

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no Chromium with its driver on this machine")
# Nothing but the server under test is to be asked for anything.
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1600,1150"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"


class Window:
    """Browser in Chromium, connected to a server; the newest frame is the first."""

    def __init__(self, chrome: Chrome) -> None:
        self.chrome = chrome

    def found(self, selector: str, seconds: float = 60) -> list[WebElement]:
        """The elements of a selector, once there are some."""
        return list(
            self.until(lambda: self.chrome.find_elements(By.CSS_SELECTOR, selector), f"{selector} appears", seconds)
        )

    def until(self, condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if result := condition():
                return result
            time.sleep(0.3)
        pytest.fail(f"After {seconds} seconds it is not so that {what}.")

    def run(self, command: str) -> None:
        """Type a command into the editor and run it."""
        editor = self.found(".monaco-editor textarea")[0]
        self.chrome.execute_script("arguments[0].focus()", editor)
        editor.send_keys(Keys.CONTROL, "a")
        editor.send_keys(Keys.DELETE)
        editor.send_keys(command)
        editor.send_keys(Keys.ESCAPE)
        editor.send_keys(Keys.CONTROL, Keys.ENTER)

    def first_frame(self) -> str:
        return str(self.found("[data-testid=frame]")[0].text)


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    options = ChromeOptions()
    for argument in (*ARGUMENTS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(argument)
    options.binary_location = str(CHROMIUM)
    with Chrome(service=Service(DRIVER), options=options) as chrome:
        yield Window(chrome)


def test_a_page_draws_hostile_names_and_runs_none_of_them(window: Window, tmp_path: Path) -> None:
    hostile = """</script><script>document.title='owned'</script><img src=x onerror="document.title='owned'">"""
    dots = [Dot("q", "Query", f"Who? {hostile}", 0), Dot(hostile, "Chunk", hostile, 1)]
    Picture.of(hostile, dots, [Line("q", hostile, hostile)]).write(tmp_path / "page.html")
    window.chrome.get((tmp_path / "page.html").as_uri())
    assert window.found("canvas")  # it is drawn: the viewer's own script runs
    assert window.chrome.title == " ".join(hostile.split())
    # Even a script that got into the page would not run.
    window.chrome.execute_script(
        "const script = document.createElement('script'); script.text = \"document.title = 'owned'\";"
        "document.body.append(script); document.body.insertAdjacentHTML('beforeend', arguments[0])",
        hostile,
    )
    time.sleep(0.5)
    assert window.chrome.title == " ".join(hostile.split())


def test_from_the_guide_to_an_answer_that_is_drawn(
    sample_server: TestServer, sample_reports: Graph, window: Window
) -> None:
    with GuideRoute() as route:
        window.chrome.get(browser_uri(sample_server, route.guide))
        window.found("input[type=password]")[0].send_keys(sample_server.password)
        window.found("[data-testid=connect]")[0].click()
        # The guide is there before the connection is.
        window.until(lambda: "connected as user" in window.chrome.page_source.lower(), "Browser is connected")
        window.until(lambda: "From a document to an answer" in window.chrome.page_source, "the guide is shown")
        # Without the style a node shows what it says, not its id.
        window.run(f'CALL qcg.retrieve.qcg("{QUESTION}", {{passages: 1}})')
        window.until(lambda: {"Which", "Time:", "20260"} <= shown(window), "nodes show texts and titles", 180)
        style = window.found("pre.runnable")[0]
        window.chrome.execute_script("arguments[0].click()", style)
        assert "From a document to an answer" in window.chrome.page_source  # the guide stays
        window.found(".monaco-editor textarea")[0].send_keys(Keys.CONTROL, Keys.ENTER)
        window.until(lambda: LOOKS["Query"].colour in window.first_frame(), "the style is taken")
    window.run(f'CALL qcg.retrieve.qcg("{QUESTION}", {{passages: 2}})')
    drawn(window, {"Query", "Chunk", "Document"})
    window.run(":param document => '20260111_08:00'")
    window.until(lambda: "20260111_08:00" in window.first_frame(), "the parameter is set")
    window.run(on_one_line("inspect/document"))
    drawn(window, {"Document", "Chunk", "Query", "Entity", "Atom"})


def shown(window: Window) -> set[str]:
    """The first five letters of each line of what the nodes of the newest frame show."""
    texts = window.found("[data-testid=frame]")[0].find_elements(By.CSS_SELECTOR, "g.node text")
    return {str(text.get_attribute("textContent")).strip()[:5] for text in texts}


def on_one_line(path: str) -> str:
    """A statement without its comments, as it can be typed: the editor would indent further lines."""
    lines = statement(path).text.splitlines()
    return " ".join(line.strip() for line in lines if not line.strip().startswith("//"))


def drawn(window: Window, labels: set[str]) -> None:
    """The newest frame shows nodes of these labels and no others, in the colours of the style."""
    expected = {LOOKS[label].colour for label in labels}

    def colours() -> set[str]:
        frame = window.found("[data-testid=frame]")[0]
        circles = frame.find_elements(By.CSS_SELECTOR, "g.node circle.b-outline")
        return {str(circle.get_attribute("fill")).upper() for circle in circles}

    window.until(lambda: expected == colours(), f"nodes of {labels} are drawn", 180)
