"""Links between the pages lead somewhere, anchors too, and the guide is built from them without a warning."""

import re
from pathlib import Path

import pytest

from tests.support.server import REPOSITORY

LINK = re.compile(r"!?\[[^\]\[]*\]\(([^()\s]+)\)|<(https?://[^>\s]+)>")
HEADING = re.compile(r"^#{1,6} +(.+?) *$")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
ELSEWHERE = ("http://", "https://", "mailto:")

PAGES = sorted(
    page
    for page in (*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md"), *(REPOSITORY / "clients").glob("*.md"),
                 *(REPOSITORY / "deploy").rglob("*.md"))
    if page.name != "THIRD_PARTY_NOTICES.md"
)  # fmt: skip


def links(page: Path) -> list[str]:
    text = CODE.sub("", FENCED.sub("", page.read_text("utf-8")))
    return [link or address for link, address in LINK.findall(text)]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    found: set[str] = set()
    for line in FENCED.sub("", page.read_text("utf-8")).splitlines():
        if heading := HEADING.match(line):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "")
            anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            found.add(anchor if anchor not in found else f"{anchor}-1")
    return found


def wrong_links(page: Path) -> list[str]:
    wrong = []
    for link in links(page):
        if link.startswith(ELSEWHERE):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if path and not (target.exists() and target.is_relative_to(REPOSITORY)):
            wrong.append(f"{link}: there is no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            wrong.append(f"{link}: there is no such heading")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """A link that is relative names a file of the repository, its anchor a heading of that page."""
    assert wrong_links(page) == []


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    folder = REPOSITORY / "docs"
    indexes = [folder / "README.md", folder / "decisions" / "README.md"]
    linked = {(index.parent / link.partition("#")[0]).resolve() for index in indexes for link in links(index)}
    missing = set(folder.rglob("*.md")) - linked - set(indexes)
    assert {str(page.relative_to(REPOSITORY)) for page in missing} == set()


FOLDERS = "benchmarks|checker|clients|deploy|docs|examples|kinarow|loadtests|release|service|tests|training"
NAMED = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`|python -m ((?:{FOLDERS})\.[\w.]+)")
MADE = {
    "browser/dist/", "kinarow/kernels/compiled", "kinarow/kernels/compiled/", "service/guide",
    "service/guide/_static/licences.txt", "training/data/harvest",
}  # fmt: skip
EXAMPLES = {
    "service/routes/legal.py", "service/web/words/CODE.json", "kinarow/connect-four-v0", "kinarow/gomoku-v0",
}  # fmt: skip


@pytest.mark.parametrize(
    "page",
    [page for page in (*PAGES, *(REPOSITORY / "training").glob("*.md")) if page.name != "CHANGELOG.md"],
    ids=lambda page: str(page.relative_to(REPOSITORY)),
)
def test_files_and_commands_that_a_page_names_exist(page: Path) -> None:
    missing = set()
    for path, module in NAMED.findall(page.read_text("utf-8")):
        file = REPOSITORY / (path or module.rstrip(".").replace(".", "/"))
        if not (file.exists() or file.with_suffix(".py").exists()):
            missing.add(path or module)
    assert missing - MADE - EXAMPLES == set()


pytestmark = pytest.mark.slow
MOST_BYTES = 5_200_000


def test_the_guide_is_small(guide: Path) -> None:
    assert sum(path.stat().st_size for path in guide.rglob("*") if path.is_file()) < MOST_BYTES
    assert not [path for path in guide.rglob("*") if path.suffix in (".map", ".woff", ".woff2", ".ttf")]


def test_pages_load_nothing_from_elsewhere_and_every_link_leads_somewhere(guide: Path) -> None:
    """To a page of the guide, or of the service that shows it."""
    pages = list(guide.rglob("*.html"))
    assert len(pages) > 40
    service = {guide.parent, *(guide.parent / name for name in ("docs", "atlas", "web/css/site.css", "web/icon.svg"))}
    for page in pages:
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|link)\b[^>]*(?:src|href)="([^"]+)"', text)
        assert [address for address in loaded if "//" in address] == [], page
        linked = re.findall(r'<a\b[^>]*href="([^"#?]+)', text)
        own = [address.partition("?")[0] for address in [*loaded, *linked] if not address.startswith(("http", "#"))]
        targets = {(page.parent / address).resolve() for address in own} - service
        assert [target for target in targets if not target.is_file()] == [], page
