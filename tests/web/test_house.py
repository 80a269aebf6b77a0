"""The page's files: small, without outside help, one sentence each, no cycles, short functions."""

import gzip
import re
from pathlib import Path

import pytest

WEB = Path(__file__).parent.parent.parent / "service" / "web"
MODULES = sorted(WEB.glob("js/*.js"))
BUDGET_BYTES = 80_000
LONGEST_FUNCTION = 30
FIRST_BOARD_MS = 300

_IMPORT = re.compile(r'^(?:import|export) .*?from "\./(.+?)";$', re.MULTILINE)
_FUNCTION = re.compile(
    r"^(?P<indent> *)"
    r"(?:(?:export |async |static |get |set )*(?:function\*? )?#?[\w$]+\(.*\) \{|(?:const|let) \w+ = .*=> \{)$"
)


def test_everything_together_is_under_80_kilobytes_compressed():
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in WEB.rglob("*") if path.is_file()}
    print(f"{sum(sizes.values())} bytes compressed")
    assert sum(sizes.values()) < BUDGET_BYTES, sizes


def test_no_file_names_another_host():
    own = ("http://www.w3.org/",)  # names of formats, never asked for
    for path in WEB.rglob("*.*"):
        found = re.findall(r"(?:https?:)?//[\w.-]+\.\w+/\S*", path.read_text("utf-8"))
        assert [url for url in found if not url.startswith(own)] == [], path.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_says_in_one_sentence_what_it_is(path):
    first = path.read_text("utf-8").splitlines()[0]
    assert re.fullmatch(r"/\*\* [A-Z].+\. \*/", first)


def test_modules_import_each_other_without_cycles():
    imports = {path.name: set(_IMPORT.findall(path.read_text("utf-8"))) for path in MODULES}
    while imports:
        floor = {name for name, needs in imports.items() if not needs & imports.keys()}
        assert floor, f"a cycle among {sorted(imports)}"
        for name in floor:
            del imports[name]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_functions_are_short(path):
    lines = path.read_text("utf-8").splitlines()
    for start, line in enumerate(lines):
        match = _FUNCTION.match(line)
        if match and not line.strip().startswith(("if", "for", "while", "switch", "class")):
            end = next(i for i in range(start, len(lines)) if lines[i].startswith(match["indent"] + "}"))
            assert end - start < LONGEST_FUNCTION, f"{path.name}:{start + 1} {line.strip()}"


def test_every_module_is_fetched_at_once_and_none_in_vain():
    page = (WEB / "index.html").read_text("utf-8")
    preloaded = re.findall(r'<link rel="modulepreload" href="web/js/(.+?)">', page)
    assert preloaded == [path.name for path in MODULES if path.name != "main.js"]


def test_nothing_is_written_into_the_page_that_a_strict_policy_forbids():
    page = (WEB / "index.html").read_text("utf-8")
    assert not re.search(r"<style|\son\w+=|\sstyle=|<script(?![^>]*\ssrc=)", page)
    code = "".join(path.read_text("utf-8") for path in MODULES)
    assert not re.search(r"innerHTML|insertAdjacentHTML|\beval\(|new Function|document\.write", code)


def test_the_first_board_is_drawn_at_once(browser, site):
    times = []
    for _ in range(5):
        page = browser.new_page()
        page.goto(site)
        page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
        read = "performance.getEntriesByName('first board')[0].startTime"
        times.append(page.evaluate(read))
        page.close()
    print("first board after", [round(time) for time in times], "ms")
    assert min(times) < FIRST_BOARD_MS
