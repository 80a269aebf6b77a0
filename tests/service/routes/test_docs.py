"""Health, version, the documentation pages and the page to play on."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest
import yaml

from kinarow.version import VERSION, engine_version
from service.app import create_app
from service.settings import default_settings


@pytest.fixture(scope="module")
def client(app):
    return app.test_client()


@pytest.mark.parametrize(("path", "status"), [("/healthz", "ok"), ("/readyz", "ready")])
def test_a_worker_that_answers_is_alive_and_ready(client, path, status):
    response = client.get(path)
    assert (response.status_code, response.get_json()) == (200, {"status": status})
    assert response.headers["Cache-Control"] == "no-store"


def test_version_names_the_service_and_the_engine(ask):
    assert ask.get("/version").get_json() == {"name": "kinarow", "version": VERSION, "engine": engine_version()}
    assert engine_version().startswith(f"{VERSION}+")


def test_the_document_is_served_as_yaml_and_json(client):
    document = json.loads(client.get("/openapi.json").data)
    assert yaml.safe_load(client.get("/openapi.yaml").data) == document
    assert document["openapi"].startswith("3.1")


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


def references(page):
    return re.findall(r'(?:src|href)="([^"]*)"', page) + re.findall(r"url\(([^)]*)\)", page)


@pytest.mark.parametrize("path", ["/", "/docs", "/problems"])
def test_a_page_refers_to_nothing_outside_the_service(client, path):
    response = client.get(path)
    assert (response.status_code, response.mimetype) == (200, "text/html")
    for reference in references(response.text):
        assert "//" not in reference or reference.startswith("data:"), reference
        target = reference.partition("#")[0].removeprefix("./")
        if target and target != "guide/" and not reference.startswith("data:"):  # a checkout need not have the guide
            assert client.get(f"/{target}").status_code == 200, reference


def test_the_documentation_page_asks_for_the_document_and_no_validator(client):
    script = client.get("/docs/docs.js").text
    assert 'url: "openapi.json"' in script
    assert "validatorUrl: null" in script
    assert "http" not in script


def test_the_styles_of_the_documentation_page_load_nothing_from_elsewhere(client):
    for path in ("/docs/docs.css", "/docs/swagger-ui.css"):
        style = client.get(path).text
        assert "@import" not in style
        assert all(reference.strip("\"'").startswith("data:") for reference in re.findall(r"url\(([^)]*)\)", style))


@pytest.mark.parametrize(
    ("path", "media_type"), [("/docs/swagger-ui.css", "text/css"), ("/docs/swagger-ui-bundle.js", "text/javascript")]
)
def test_large_files_are_sent_compressed_to_all_who_take_that(client, path, media_type):
    plain = client.get(path)
    packed = client.get(path, headers={"Accept-Encoding": "br, gzip"})
    assert plain.mimetype == packed.mimetype == media_type
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.data) == plain.data
    assert packed.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/docs.css", "/docs/swagger-ui-bundle.js", "/openapi.yaml"])
def test_a_file_that_the_client_has_is_not_sent_again(client, path):
    tag = client.get(path, headers={"Accept-Encoding": "gzip"}).headers["ETag"]
    response = client.get(path, headers={"Accept-Encoding": "gzip", "If-None-Match": tag})
    assert (response.status_code, response.data) == (304, b"")


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
    pinned = re.findall(r"^([a-z0-9-]+)==", (root / "requirements" / "serve.txt").read_text("utf-8"), re.MULTILINE)
    assert [name for name in pinned if not re.search(rf"^\| .*\b{name}\b.* \|", notices, re.MULTILINE)] == []


def test_padlocks_are_hidden_where_the_service_has_no_keys(client):
    keyed = create_app(
        default_settings(api_keys="a-key-of-at-least-sixteen"), write_log=lambda line: None
    ).test_client()
    pages = [each.get("/docs").get_data(as_text=True) for each in (client, keyed)]
    assert ['class="keyless"' in page for page in pages] == [True, False]
    assert ".keyless .swagger-ui .auth-wrapper" in client.get("/docs/docs.css").get_data(as_text=True)


def test_metrics_may_be_switched_off(make_asker):
    assert make_asker().get("/metrics").status_code == 200
    assert make_asker(metrics=False).get("/metrics").status_code == 404
