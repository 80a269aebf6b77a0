"""A page of another origin reads /solve in a browser, as clients of connect4.gamesolver.org do."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

PAGE = b"""<!doctype html>
<title>A game of somebody else</title>
<script>
  async function read(address) {
    try {
      const response = await fetch(address);
      return [response.status, await response.json()];
    } catch (error) {
      return error.name;
    }
  }
</script>
"""


class _Elsewhere(BaseHTTPRequestHandler):
    """Sends the page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A site of another origin: another port of the loopback interface."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere) as site:
        thread = threading.Thread(target=site.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{site.server_port}/"
        site.shutdown()
        thread.join()


def test_a_page_of_another_origin_reads_solve(browser, live_server, elsewhere):
    """Scores and refusals; what other origins may not read by default, such as /move, stays closed to the page."""
    page = browser.new_page()
    try:
        page.goto(elsewhere)

        def read(path):
            return page.evaluate("(address) => read(address)", live_server.url + path)

        assert read("/solve?pos=") == [200, {"pos": "", "score": [-2, -1, 0, 1, 0, -1, -2]}]
        assert read("/solve?pos=2634774315435467514624")[1]["score"][5] == 10
        status, problem = read("/solve?pos=48")
        assert (status, problem["errors"][0]["pointer"]) == (422, "/pos")
        assert read("/move?board=XX./OO./...") == "TypeError"
    finally:
        page.close()
