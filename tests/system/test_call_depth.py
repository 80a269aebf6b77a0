"""How deep our own functions call each other for one board, on the stacks of the request and of its search together."""

import subprocess
import sys

from tests.support.server import REPOSITORY

CACHED_BELOW = 10
SEARCHED_BELOW = 15

WALK = """
import sys, threading
from service.answers import recommender
from service.app import create_app

recommender.SHORT_TRY_NS = 10**10  # a busy machine must not cut a search short: what comes then is deeper
ours = tuple(f"{sys.argv[1]}/{package}/" for package in ("kinarow", "service"))
deepest = {}

def profile(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.startswith(ours):
        depth = 0
        while frame is not None:
            depth += frame.f_code.co_filename.startswith(ours)
            frame = frame.f_back
        deepest[threading.get_ident()] = max(depth, deepest.get(threading.get_ident(), 0))
        if threading.current_thread() is not threading.main_thread():
            request = sys._current_frames()[threading.main_thread().ident]
            while request is not None:
                depth += request.f_code.co_filename.startswith(ours)
                request = request.f_back
            deepest["together"] = max(depth, deepest.get("together", 0))

client = create_app(write_log=lambda line: None).test_client()
threading.setprofile(profile)
client.post("/move", json={"board": ["X.O", "...", "..."]})
client.post("/move", json={"board": ["X..", ".O.", "..."]})
sys.setprofile(profile)
for board in (["X.O", ".X.", "..O"], [".O.", "...", "..X"], ["X.O", "...", "..."]):
    deepest.clear()
    cached = client.post("/move", json={"board": board}).get_json()["search"]["cached"]
    print(cached, max(deepest.values()))
"""


def test_a_request_goes_down_few_calls():
    walked = subprocess.run(
        [sys.executable, "-c", WALK, str(REPOSITORY)],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    seen = [line.split() for line in walked.stdout.splitlines() if line.startswith(("True", "False"))]
    assert [cached for cached, _ in seen] == ["False", "False", "True"]
    for cached, depth in seen:
        assert int(depth) < (CACHED_BELOW if cached == "True" else SEARCHED_BELOW), walked.stdout
