"""The guide: the pages built from docs/, sent by the service with a policy of their own, or how to build them."""

import pytest

from service.routes import guide
from tests.support.app import check_problem

POLICY = "Content-Security-Policy"


@pytest.fixture(scope="module")
def client(app):
    return app.test_client()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(guide, "FOLDER", tmp_path / "guide")
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
    assert f"'{guide.THEME_SCRIPT}'" in client.get("/guide/").headers[POLICY]
    for path in ("/", "/docs", "/problems"):
        assert guide.THEME_SCRIPT not in client.get(path).headers[POLICY]
