"""Sphinx's configuration: the pages of this folder become the site that the service shows at ``/guide``.

``make guide`` builds it into ``service/guide``.
"""

import re
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

from pygments.lexers.javascript import JavascriptLexer
from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "kinarow"
html_title = "kinarow"
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"

myst_heading_anchors = 4  # links to headings, by the names that GitHub gives them
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["myst.header"]  # a page may begin its parts with a third-level heading

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_numpy_docstring = False

html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["guide.css"]
html_search_scorer = str(HERE / "search_scorer.js")
templates_path = ["_templates"]
html_sidebars = {
    "**": ["sidebar/search.html", "sidebar/scroll-start.html", "sidebar/navigation.html", "sidebar/scroll-end.html"]
}
html_use_index = False
html_domain_indices = False
html_theme_options = {"footer_icons": [], "announcement": "the head, see _templates/page.html"}

DECISIONS = "decisions/README"
NAVIGATION = {
    "Play and ask": ["page", "quick-start", "api", "rules", "levels", "questions", "glossary"],
    "Use it from": [
        "researchers",
        "library",
        "data-sets",
        "command-line",
        "clients",
        "browser",
        "integrations/boardgame-io",
        "integrations/gamesolver",
        "integrations/piskvork",
        "integrations/mcp",
        "integrations/json-lines",
        "integrations/kaggle",
    ],
    "Operate it": ["public-instance", "operating", "settings", "scaling", "stability", "security"],
    "How it works": ["how-the-search-works", "large-boards", "bounds", "atlas", "proofs", "performance", DECISIONS],
}
"""The pages in the order of the side bar. GitHub shows the same pages by the links of README.md."""

_TREE = "\n```{{toctree}}\n:hidden:\n{options}\n\n{pages}\n```\n"
_OUTWARD = re.compile(r"(?<!!)\[([^\]\[]+)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")
_SHIPPED_PARTS = ("furo", "sphinx", "sphinx-basic-ng", "snowballstemmer", "pygments")
"""Packages of which the built site contains styles or scripts."""
_ACCESSIBLE = {
    # Parts that may scroll can be scrolled by keyboard.
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    '<aside class="announcement-content">': '<aside class="announcement-content" aria-label="kinarow">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
}
# Maps for debuggers, and what changes with the machine or is of use to Sphinx alone.
_UNWANTED = ("**/*.map", ".buildinfo", ".doctrees", "objects.inv", "_sources")


def add_navigation(app: Sphinx, name: str, source: list[str]) -> None:
    """Add the side bar's tables of contents to the first page, and the decisions to theirs."""
    if name == root_doc:
        for caption, pages in NAVIGATION.items():
            source[0] += _TREE.format(options=f":caption: {caption}", pages="\n".join(pages))
    elif name == DECISIONS:
        source[0] += _TREE.format(options=":glob:", pages="0*")


def name_code(app: Sphinx, name: str, source: list[str]) -> None:
    """Turn links to files outside this folder into the files' names: the site holds no code."""
    page = Path(app.env.doc2path(name))

    def named(link: re.Match[str]) -> str:
        text, target = link[1], (page.parent / link[2]).resolve()
        if target.is_relative_to(HERE):
            return link[0]
        path = target.relative_to(HERE.parent).as_posix()
        plain = text.strip("`")
        return f"`{path}`" if plain in (path, target.name) else f"{text} (`{path}`)"

    source[0] = _OUTWARD.sub(named, source[0])


def share_icon(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Show the icon of the service's own page, so that the package has one copy of it."""
    context["favicon_url"] = context["pathto"]("../web/icon.svg", 1)


def skip_tuple_fields(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the fields of named tuples as members: their only docstring is their number."""
    return True if type(member).__name__ == "_tuplegetter" else None


def make_accessible(folder: Path) -> None:
    """Give screen readers and keyboards what the theme leaves out."""
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        for before, after in _ACCESSIBLE.items():
            text = text.replace(before, after)
        page.write_text(text, "utf-8")


def tidy(app: Sphinx, failure: Exception | None) -> None:
    """Remove files that no reader needs from the built site, and add the licences of the theme and the scripts."""
    for pattern in _UNWANTED:
        for path in Path(app.outdir).glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    make_accessible(Path(app.outdir))
    licences = [
        f"{name}\n\n{file.locate().read_text('utf-8')}"
        for name in _SHIPPED_PARTS
        for file in metadata.files(name) or ()
        if file.name in ("LICENSE", "LICENSE.rst", "COPYING") and ".dist-info" in file.parts[0]
    ]
    Path(app.outdir, "_static", "licences.txt").write_text("\n\n".join(licences), "utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the steps above."""
    app.add_lexer("jsonc", JavascriptLexer)  # JSON with comments
    app.connect("source-read", name_code)
    app.connect("source-read", add_navigation)
    app.connect("html-page-context", share_icon)
    app.connect("autodoc-skip-member", skip_tuple_fields)
    app.connect("build-finished", tidy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
