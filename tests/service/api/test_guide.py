"""The guide: the built pages of docs/, sent by the service with a policy of their own."""

import base64
import hashlib
import re

import pytest

from tests.service.api.test_problems import check_problem

POLICY = "Content-Security-Policy"


@pytest.fixture(scope="module")
def client(app):
    return app.test_client()


@pytest.mark.parametrize(("path", "location"), [("/guide", "guide/"), ("/docs/", "../docs")])
def test_the_other_spelling_leads_to_the_page(client, path, location):
    """Relative, so that it holds below a proxy's path too."""
    response = client.get(path)
    assert (response.status_code, response.headers["Location"]) == (308, location)


def test_the_guide_is_sent(client):
    assert "Documentation" in client.get("/guide/").text
    assert client.get("/guide/decisions/0001-numba.html").mimetype == "text/html"
    assert client.get("/guide/searchindex.js").mimetype == "text/javascript"


def test_the_policy_of_the_guide_is_for_the_guide_alone(client):
    """Inline styles and the theme's one script are allowed there."""
    policy = client.get("/guide/").headers[POLICY]
    scripts = re.findall(r"<script>(.*?)</script>", client.get("/guide/").text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert [f"'sha256-{digest}'" in policy for digest in digests] == [True]
    for path in ("/", "/docs", "/problems"):
        assert "sha256-" not in client.get(path).headers[POLICY]


@pytest.mark.parametrize("path", ["/guide/nothing.html", "/guide/../app.py", "/guide/_static", "/guide//etc/passwd"])
def test_no_path_leads_out_of_the_guide(client, path):
    check_problem(client.open("/", environ_overrides={"PATH_INFO": path}), 404)
