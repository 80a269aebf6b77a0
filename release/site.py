"""Writes the page as a folder of files that any static host can serve: page, engine, atlas, guide and puzzles.

    python release/site.py [FOLDER]

The folder is ``build/site`` by default. ``make site`` builds the engine and the guide before. The pages are those of
the service; the page asks only the engine in the browser, can be installed, and plays offline after the first visit.
"""

import json
import re
import shutil
import sys
from hashlib import blake2b
from pathlib import Path

from flask.testing import FlaskClient

from kinarow.search.known import proofs
from service.app import create_app
from service.http import words
from service.routes import docs, page
from service.settings import default_settings

LANGUAGE = "en"  # of the page as it arrives; its scripts take the words of the visitor's language
ICON = "web/icon.svg"
PAGE = ("web/page.css", "web/first.js", "web/later.js", "web/rest.js", "web/puzzles.json", ICON)
FONTS = ("web/fonts/inter-latin.woff2", "web/fonts/inter-vietnamese.woff2", "web/fonts/LICENSE.txt")
BESIDE = (
    "atlas.json",
    "atlas.csv",
    *(f"atlas/proofs/{name}" for name in proofs.shipped()),
    "docs/docs.css",
    "docs/theme.js",
    "web/css/site.css",
)
SEEN_ONLINE = ("guide/_images/", "guide/_sources/", "atlas/proofs/")  # files that no page needs to open
MANIFEST = {
    "name": "kinarow",
    "description": "Any k-in-a-row game, with the value of every move",
    "start_url": "./",
    "display": "standalone",
    "background_color": "#f5f2ec",
    "theme_color": "#2f5d8a",
    "icons": [{"src": ICON, "sizes": "any", "type": "image/svg+xml"}],
}


def write_site(folder: Path) -> None:
    """Write all files into a folder, which is emptied first. Without a built engine this is a ``SystemExit``."""
    if not page.engine():
        raise SystemExit("release/site.py: there is no engine; run make browser")
    shutil.rmtree(folder, ignore_errors=True)
    settings = default_settings()
    app = create_app(settings)
    with app.test_request_context():
        _write(folder, "index.html", page.page(settings.max_nodes, LANGUAGE, page.POLICY))
    client = app.test_client()
    kept = [*PAGE, *FONTS, *(f"web/words/{language}.json" for language in words.tables())]
    kept += [f"web/engine/{page.engine()}/{file.name}" for file in page.ENGINE_FOLDER.iterdir()]
    for path in (*kept, *BESIDE):
        _write(folder, path, _body(client, f"/{path}"))
    for language in words.tables():
        _write(folder, f"atlas.{language}.html", _linked(_body(client, f"/atlas?lang={language}")))
    if docs.GUIDE.is_dir():
        shutil.copytree(docs.GUIDE, folder / "guide")
        shutil.copy(folder / "guide" / docs.FIRST_PAGE, folder / "guide" / "index.html")
        for file in (folder / "guide").rglob("*.html"):
            file.write_bytes(_linked(file.read_bytes()))
    _write(folder, "manifest.webmanifest", json.dumps(MANIFEST).encode())
    _write(folder, "service-worker.js", _service_worker(folder, ["manifest.webmanifest", *kept]))


def _body(client: FlaskClient, path: str) -> bytes:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.data


def _linked(text: bytes) -> bytes:
    """A page whose links lead to files in place of the service's addresses."""
    text = re.sub(rb'(href="[./]+)atlas"', rb'\1atlas.en.html"', text)
    text = re.sub(rb'(href="[./]+guide/)"', rb'\1index.html"', text)
    return re.sub(rb'(href="[./]+)docs"', rb'\1guide/api.html"', text)


def _service_worker(folder: Path, names: list[str]) -> bytes:
    """With a digest of all files, so that those kept when they are first read do not outlive the site either."""
    whole = [file for file in sorted(folder.rglob("*")) if file.is_file() and file.name != "service-worker.js"]
    digest = blake2b(b"".join(file.read_bytes() for file in whole), digest_size=8)
    own = Path(__file__).with_name("service-worker.js").read_text("utf-8")
    kept = {file.relative_to(folder).as_posix() for file in whole} - {"index.html", *names}
    later = [name for name in sorted(kept) if not name.startswith(SEEN_ONLINE)]
    constants = {"DIGEST": digest.hexdigest(), "FILES": ["./", *sorted(names)], "LATER": later}
    lines = [f"const {name} = {json.dumps(value)};\n" for name, value in constants.items()]
    return "".join([*lines, own]).encode()


def _write(folder: Path, name: str, content: bytes) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


if __name__ == "__main__":
    write_site(Path(*sys.argv[1:]) if sys.argv[1:] else Path("build/site"))
