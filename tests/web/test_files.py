"""The page's files: small, without outside help, one sentence each, floors without cycles, short functions."""

import base64
import gzip
import posixpath
import re
from pathlib import Path

import pytest

from tests.web.logic import FOLDER, client, run

WEB = Path(__file__).parent.parent.parent / "service" / "web"
JS = WEB / "js"
MODULES = {path.relative_to(JS).as_posix(): path.read_text("utf-8") for path in sorted(JS.rglob("*.js"))}
"""The text of each module by its path."""
FLOORS = ({"shared"}, {"board"}, {"play", "learn", "review"}, {""})
"""The folders, each of which needs itself and what lies on floors below; at the top what draws and wires."""
BUDGET_BYTES = 90_000
LONGEST_FUNCTION = 30
LONGEST_LINE = 120

DRAWINGS = 4
ROUND_TRIP_MS = 200
"""Of a slow network: beside it the machine's own speed, and what else it has to do, count for little."""
FIRST_BOARD_FACTOR = 2.5
"""The first board may take this many times what the same page takes to be painted without its scripts."""

_IMPORT = re.compile(r'^(?:import|export)\s[^;]*?from "(\..+?)";$', re.MULTILINE)
_FUNCTION = re.compile(
    r"^(?P<indent> *)"
    r"(?:(?:export |async |static |get |set )*(?:function\*? )?#?[\w$]+\(.*\) \{|(?:const|let) \w+ = .*=> \{)$"
)


def imports_of(module: str) -> set[str]:
    folder = posixpath.dirname(module)
    return {posixpath.normpath(posixpath.join(folder, name)) for name in _IMPORT.findall(MODULES[module])}


def fetched(path: str, language: str = "en") -> str:
    return client().get(path, headers={"Accept-Language": language}).text


def test_all_that_comes_before_the_first_move_is_under_90_kilobytes_compressed():
    paths = ("/", "/web/icon.svg", "/web/page.css", "/web/first.js", "/web/later.js")
    sizes = [len(gzip.compress(fetched(path, "fr").encode(), 9)) for path in paths]
    print(f"{sum(sizes)} bytes compressed: {sizes}")
    assert sum(sizes) < BUDGET_BYTES


def test_comments_are_not_sent():
    sent = "".join(fetched(f"/web/{name}") for name in ("page.css", "first.js", "later.js"))
    assert not re.search(r"/\*|^\s*//", sent, re.MULTILINE)


def test_no_file_names_another_host():
    own = ("http://www.w3.org/",)  # names of formats, never asked for
    for path in (path for path in WEB.rglob("*.*") if path.parent.name != "engine"):
        found = re.findall(r"(?:https?:)?//[\w.-]+\.\w+/\S*", path.read_text("utf-8"))
        assert [url for url in found if not url.startswith(own)] == [], path.name


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_in_one_sentence_what_it_is_and_its_lines_are_short(module):
    lines = MODULES[module].splitlines()
    assert re.fullmatch(r"/\*\* [A-Z].+\. \*/", lines[0])
    assert [line for line in lines if len(line) > LONGEST_LINE] == []


def test_folders_lie_above_each_other():
    height = {folder: at for at, floor in enumerate(FLOORS) for folder in floor}
    for module in MODULES:
        own = posixpath.dirname(module)
        for needed in imports_of(module):
            folder = posixpath.dirname(needed)
            assert folder == own or height[folder] < height[own], f"{module} needs {needed}"


def test_modules_import_each_other_without_cycles():
    imports = {module: imports_of(module) for module in MODULES}
    while imports:
        floor = {name for name, needs in imports.items() if not needs & imports.keys()}
        assert floor, f"a cycle among {sorted(imports)}"
        for name in floor:
            del imports[name]


@pytest.mark.parametrize("module", MODULES)
def test_functions_are_short(module):
    lines = MODULES[module].splitlines()
    for start, line in enumerate(lines):
        match = _FUNCTION.match(line)
        if match and not line.strip().startswith(("if", "for", "while", "switch", "class")):
            end = next(i for i in range(start, len(lines)) if lines[i].startswith(match["indent"] + "}"))
            assert end - start < LONGEST_FUNCTION, f"{module}:{start + 1} {line.strip()}"


def test_every_module_is_sent_once_in_scripts_that_can_be_read(tmp_path):
    sent = {name: fetched(f"/web/{name}") for name in ("first.js", "later.js")}
    assert sorted(re.findall(r'^modules\["(.+?)"\] = ', "".join(sent.values()), re.MULTILINE)) == sorted(MODULES)
    for name, text in sent.items():
        script = (tmp_path / name).with_suffix(".mjs")
        script.write_text(text, "utf-8")
        run("--check", script)


def test_nothing_is_written_into_the_page_that_a_strict_policy_forbids():
    page = (WEB.parent / "templates" / "index.html").read_text("utf-8")
    assert not re.search(r"<style|\son\w+=|\sstyle=", page)
    assert re.findall(r"<script(?![^>]*\ssrc=)[^>]*>.*", page) == ["<script>{{ early|safe }}</script>"]
    code = "".join(MODULES.values())
    assert not re.search(r"innerHTML|insertAdjacentHTML|\beval\(|new Function|document\.write", code)


@pytest.mark.alone
def test_the_first_board_is_drawn_at_once(browser, site):
    """In a few round trips more than the page takes to be painted without scripts."""
    address = site.rstrip("/") + "/"
    page = browser.new_page()
    text = page.request.get(address).text()
    page.close()
    without = re.sub(r"<script.*?></script>", "", text)
    boards, bare = [], []
    for _ in range(DRAWINGS):
        boards.append(_drawn(browser, address, text, "first board"))
        bare.append(_drawn(browser, address, without, "first-contentful-paint"))
    print(f"first board {sorted(boards)} ms, the page without scripts {sorted(bare)} ms")
    assert min(boards) < FIRST_BOARD_FACTOR * min(bare)


def _drawn(browser, address: str, text: str, mark: str) -> int:
    """Milliseconds from asking for the page, here with this text, to a mark of its timeline.

    All else is answered after a slow network's round trip.
    """
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    headers = [{"name": "Content-Type", "value": "text/html; charset=utf-8"}]
    answer = {"responseCode": 200, "responseHeaders": headers, "body": base64.b64encode(text.encode()).decode()}
    session.on(
        "Fetch.requestPaused",
        lambda asked: session.send("Fetch.fulfillRequest", {"requestId": asked["requestId"], **answer}),
    )
    network = {"offline": False, "latency": ROUND_TRIP_MS, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", network)
    session.send("Fetch.enable", {"patterns": [{"urlPattern": address}]})
    page.goto(address)
    page.wait_for_function("(mark) => performance.getEntriesByName(mark).length > 0", arg=mark)
    time = page.evaluate("(mark) => performance.getEntriesByName(mark)[0].startTime", mark)
    page.close()
    return round(time)


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.test.mjs")))
def test_logic(file):
    run("--test", file)
