"""The page's files: small, without outside help, one sentence each, floors without cycles, short functions."""

import gzip
import posixpath
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from kinarow.game.rules import PRESETS, RULES
from release.backend import COPIED
from service.http import bundle, words
from service.routes import page
from tests.web.logic import FOLDER, client, run

WEB = Path(__file__).parent.parent.parent / "service" / "web"
JS = WEB / "js"
SHARED = [f"../../../{name}" for name in COPIED if name.endswith(".js")]
MODULES = {
    name: (JS / name).read_text("utf-8")
    for name in [*(path.relative_to(JS).as_posix() for path in sorted(JS.rglob("*.js"))), *SHARED]
}
"""The text of each module by its path, with those that the page shares with the clients."""
FLOORS = ({*map(posixpath.dirname, SHARED)}, {"shared"}, {"board"}, {"play", "learn", "review"}, {""})
"""The folders, each of which needs itself and what lies on floors below; at the top what draws and wires."""
BUDGET_BYTES = 83_000
"""Of all that comes before the first move in any language, compressed, but for what each rule and each game adds."""
BYTES_EACH = 80
"""Of a rule or a game: its words and what the engine declares, since an address may lead to any of them."""
LONGEST_FUNCTION = 30

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


def largest_page() -> int:
    """The bytes of the page, compressed, in the language in which they are most."""
    with client().application.test_request_context():
        return max(len(gzip.compress(page.page.__wrapped__(1, language), 9)) for language in words.tables())


def test_what_comes_before_the_first_move_is_small_however_many_rules_games_and_languages_there_are(monkeypatch):
    files = ("icon.svg", "page.css", "first.js", "later.js")
    sizes = [len(gzip.compress(fetched(f"/web/{name}").encode(), 9)) for name in files]
    whole, page_words = largest_page(), words.page_words
    of_each = {"game", *RULES}

    def without(language):
        return {key: entry for key, entry in page_words(language).items() if not of_each & {*key.split(".")}}

    monkeypatch.setattr(page, "RULES", {})
    monkeypatch.setattr(page, "PRESETS", {"connect-four": PRESETS["connect-four"]})
    monkeypatch.setattr(words, "page_words", without)
    bare = largest_page()
    print(f"{sum(sizes) + whole} bytes compressed: {whole}, without rules and games {bare}, and {sizes}")
    assert sum(sizes) + bare < BUDGET_BYTES
    assert whole - bare < BYTES_EACH * (len(RULES) + len(PRESETS) - 1)


def test_comments_are_not_sent():
    sent = "".join(fetched(f"/web/{name}") for name in ("page.css", "first.js", "later.js", "rest.js"))
    assert not re.search(r"/\*|^\s*//", sent, re.MULTILINE)


def test_no_file_names_another_host():
    own = ("http://www.w3.org/",)  # names of formats, never asked for
    for path in (path for path in WEB.rglob("*.*") if path.parent.name not in ("engine", "fonts")):
        found = re.findall(r"(?:https?:)?//[\w.-]+\.\w+/\S*", path.read_text("utf-8"))
        assert [url for url in found if not url.startswith(own)] == [], path.name


def test_folders_lie_above_each_other():
    height = {folder: at for at, floor in enumerate(FLOORS) for folder in floor}
    for module in MODULES:
        own = posixpath.dirname(module)
        for needed in imports_of(module):
            folder = posixpath.dirname(needed)
            assert folder == own or height[folder] < height[own], f"{module} needs {needed}"


def test_modules_import_each_other_without_cycles():
    TopologicalSorter({module: imports_of(module) for module in MODULES}).prepare()


@pytest.mark.parametrize("module", MODULES)
def test_functions_are_short(module):
    lines = MODULES[module].splitlines()
    for start, line in enumerate(lines):
        match = _FUNCTION.match(line)
        if match and not line.strip().startswith(("if", "for", "while", "switch", "class")):
            end = next(i for i in range(start, len(lines)) if lines[i].startswith(match["indent"] + "}"))
            assert end - start < LONGEST_FUNCTION, f"{module}:{start + 1} {line.strip()}"


def test_every_module_is_sent_once_in_scripts_that_can_be_read(tmp_path):
    sent = {name: fetched(f"/web/{name}") for name in ("first.js", "later.js", "rest.js")}
    assert sorted(re.findall(r'^modules\["(.+?)"\] = ', "".join(sent.values()), re.MULTILINE)) == sorted(MODULES)
    for name, text in sent.items():
        script = (tmp_path / name).with_suffix(".mjs")
        script.write_text(text, "utf-8")
        run("--check", script)


def test_no_code_is_left_out_with_the_comments_whatever_a_text_contains():
    text = """import { a as b,
  c } from "../d.js"; // as
export const any = "*/*", star = /[/*]/; // all
const one = /** @type {string} */ (any);
/* a
 note */
export async function* two() { return `  // ${any /* kept */}
  /* kept */`; }
"""
    module = bundle.Module("one/two.js", text.encode())
    assert (module.imports, module.exports) == ({"d.js": "{ a: b, c }"}, ["any", "star", "two"])
    assert module.wrapped().splitlines()[1:-2] == [
        'const { a: b, c } = modules["d.js"];', 'const any="*/*",star=/[/*]/;', "const one=(any);",
        "async function*two(){return`  // ${any /* kept */}", "  /* kept */`;}",
    ]  # fmt: skip


def test_a_module_that_cannot_be_read_is_refused():
    with pytest.raises(SyntaxError, match=r"one\.js"):
        bundle.Module("one.js", b"const = 1;")


def test_no_script_writes_markup_or_runs_text():
    forbidden = re.compile(r"innerHTML|insertAdjacentHTML|\beval\(|new Function|document\.write")
    assert [name for name, text in MODULES.items() if forbidden.search(text)] == []


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.test.mjs")))
def test_logic(file):
    run("--test", file)
