"""The guide: the pages built from docs/, sent by the service with a policy of their own, or how to build them."""

import pytest

from service.routes import docs
from tests.support.app import check_problem

POLICY = "Content-Security-Policy"


@pytest.fixture(scope="module")
def client(app):
    return app.test_client()


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
