"""Health, version, the documentation pages, the page to play on and the guide."""

import gzip
import hashlib
import html
import json
import re
from pathlib import Path

import pytest
import yaml

from kinarow.version import VERSION, engine_version
from service.routes import docs
from tests.support.app import check_problem, client_with


@pytest.fixture(scope="module")
def client(app):
    return app.test_client()


def test_a_worker_that_answers_is_alive_and_ready_and_names_service_and_engine(client, ask):
    for path, status in (("/healthz", "ok"), ("/readyz", "ready")):
        response = client.get(path)
        assert (response.status_code, response.get_json()) == (200, {"status": status})
        assert response.headers["Cache-Control"] == "no-store"
    assert ask.get("/version").get_json() == {"name": "kinarow", "version": VERSION, "engine": engine_version()}
    assert engine_version().startswith(f"{VERSION}+")


def test_the_document_is_served_as_yaml_and_json(client):
    document = json.loads(client.get("/openapi.json").data)
    assert yaml.load(client.get("/openapi.yaml").data, yaml.CSafeLoader) == document
    assert document["openapi"].startswith("3.0")


def test_a_language_model_finds_what_it_needs(client):
    """Each request and each link of the text is answered; a checkout need not have the guide."""
    response = client.get("/llms.txt")
    assert (response.status_code, response.mimetype) == (200, "text/plain")
    assert response.text.startswith("# kinarow\n\n> ")
    requests = re.findall(r"`GET ([^`]+)`", response.text)
    links = re.findall(r"\]\(([^)]+)\)", response.text)
    assert len(requests) == 2
    for path in [*requests, *(f"/{link}" for link in links if link != "guide/")]:
        assert client.get(path).status_code == 200, path


@pytest.mark.parametrize("path", ["/", "/docs", "/problems"])
def test_a_page_refers_to_nothing_outside_the_service(client, path):
    response = client.get(path)
    assert (response.status_code, response.mimetype) == (200, "text/html")
    for reference in re.findall(r'(?:(?:src|href)="|url\()([^")]*)', response.text):
        assert "//" not in reference or reference.startswith("data:"), reference
        target = reference.partition("#")[0].removeprefix("./")
        if target and target != "guide/" and not reference.startswith("data:"):  # a checkout need not have the guide
            assert client.get(f"/{target}").status_code == 200, reference


@pytest.mark.parametrize(
    "path",
    [
        "/web/../app.py", "/web/../../pyproject.toml", "/web//etc/passwd", "/web/", "/web/js", "/web/js/shared",
        "/web/js/shared/../../../app.py", "/docs/../recommend.py", "/docs/docs.html",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_shipped_files(client, path):
    response = client.open("/", environ_overrides={"PATH_INFO": path})
    assert (response.status_code, response.mimetype) == (404, "application/problem+json")


def test_the_notices_name_what_is_shipped_and_every_library_that_serving_needs():
    root = Path(__file__).parents[3]
    notices = (root / "THIRD_PARTY_NOTICES.md").read_text("utf-8")
    for name in ("swagger-ui-bundle.js", "swagger-ui.css"):
        packed = root / "service" / "routes" / "static" / f"{name}.gz"
        assert f"`{name}`" in notices
        assert hashlib.sha256(gzip.decompress(packed.read_bytes())).hexdigest() in notices
    fonts = [file.read_bytes() for file in (root / "service" / "web" / "fonts").glob("*.woff2")]
    assert all(hashlib.sha256(font).hexdigest() in notices for font in fonts)
    assert sum(map(len, fonts)) <= 59_000
    pinned = re.findall(r"^([a-z0-9-]+)==", (root / "requirements" / "serve.txt").read_text("utf-8"), re.MULTILINE)
    assert [name for name in pinned if not re.search(rf"^\| .*\b{name}\b.* \|", notices, re.MULTILINE)] == []


def test_the_quick_start_of_the_api_gets_the_answer_that_it_shows(client):
    request, answer = map(html.unescape, re.findall(r"<code>(.*?)</code></pre>", client.get("/docs").text, re.DOTALL))
    shown = json.loads(answer.replace(", …", ""))
    given = client.post("/move", json=json.loads(re.findall(r"-d '(.*)'", request)[0])).get_json()
    assert shown == {name: given[name] for name in shown}


def test_padlocks_are_hidden_where_the_service_has_no_keys(client):
    keyed = client_with(keys=["a-key-of-at-least-sixteen"])
    assert ['class="keyless"' in each.get("/docs").text for each in (client, keyed)] == [True, False]
    assert ".keyless .swagger-ui .auth-wrapper" in client.get("/docs/docs.css").text


def test_what_a_problem_means_shows_names_as_code():
    page = client_with().get("/problems").text
    assert "<code>KINAROW_TRUSTED_HOSTS</code>" in page
    assert "&lt;code" not in page


POLICY = "Content-Security-Policy"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(docs, "GUIDE", tmp_path / "guide")
    return tmp_path / "guide"


@pytest.fixture
def built(folder):
    (folder / "decisions").mkdir(parents=True)
    for name in ("README.html", "decisions/0001.html", "searchindex.js"):
        (folder / name).write_text(name, "utf-8")


def test_the_other_spelling_leads_to_the_page(client):
    """Relative, so that it holds below a proxy's path too."""
    for path, location in (("/guide", "guide/"), ("/docs/", "../docs")):
        response = client.get(path)
        assert (response.status_code, response.headers["Location"]) == (308, location)


@pytest.mark.usefixtures("built")
def test_the_guide_is_sent_and_no_path_leads_out_of_it(client):
    assert client.get("/guide/").text == "README.html"
    for path, mimetype in (("decisions/0001.html", "text/html"), ("searchindex.js", "text/javascript")):
        assert client.get(f"/guide/{path}").mimetype == mimetype
    tag = client.get("/guide/").headers["ETag"]
    assert client.get("/guide/", headers={"If-None-Match": tag}).status_code == 304
    for path in ("nothing.html", "../app.py", "decisions", "/etc/passwd"):
        check_problem(client.open("/", environ_overrides={"PATH_INFO": f"/guide/{path}"}), 404)


def test_a_guide_that_is_built_while_the_service_runs_is_shown(client, folder):
    response = client.get("/guide/")
    assert response.status_code == 404
    assert "make guide" in response.text
    check_problem(client.get("/guide/api.html"), 404)
    folder.mkdir()
    (folder / "README.html").write_text("built", "utf-8")
    assert client.get("/guide/").text == "built"


@pytest.mark.usefixtures("built")
def test_the_policy_of_the_guide_is_for_the_guide_alone(client):
    """Inline styles and the theme's one script are allowed there."""
    assert f"'{docs.THEME_SCRIPT}'" in client.get("/guide/").headers[POLICY]
    for path in ("/", "/docs", "/problems"):
        assert docs.THEME_SCRIPT not in client.get(path).headers[POLICY]


HEAD = """<nav aria-label="Pages"><a href="../">Play</a><a href="" aria-current="page">Guide</a></nav><p>Play</p>"""


@pytest.mark.usefixtures("built")
def test_the_head_is_in_the_language_of_the_reader_and_the_text_is_not_changed(client, folder):
    (folder / "README.html").write_text(HEAD, "utf-8")
    english, french = (client.get("/guide/", headers={"Accept-Language": language}) for language in ("en", "fr"))
    assert english.text == HEAD
    assert "Accept-Language" in english.headers["Vary"]
    assert '<nav lang="fr" aria-label="Pages"><a href="../">Jouer</a>' in french.text
    assert french.text.endswith("<p>Play</p>")
    assert french.headers["ETag"] != english.headers["ETag"]
    for path in ("/docs", "/problems"):
        page = client.get(path, headers={"Accept-Language": "fr"})
        assert '<html lang="en">' in page.text
        assert '<nav lang="fr" aria-label="Pages">' in page.text
        assert ">Jouer</a>" in page.text
        assert "Accept-Language" in page.headers["Vary"]
