"""How deep our own functions call each other for one board, on the stacks of the request and of its search together."""

import subprocess
import sys

from tests.support.server import REPOSITORY

ALL_AT_MOST = {"True": 9, "False": 14}
"""Frames of our own for a cached answer and for a searched one."""
WAY_AT_MOST = {"True": 7, "False": 10}
"""Those of them that are neither rules, nor searches, nor solvers and their loading."""

WALK = """
import sys, threading
from service.answers import recommender
from service.app import create_app

recommender.SHORT_TRY_NS = 10**10  # a busy machine must not cut a search short: what comes then is deeper
root = sys.argv[1]
ours = (f"{root}/kinarow/", f"{root}/service/")
inner = tuple(f"{root}/kinarow/{folder}/" for folder in ("game", "jit", "search", "solvers"))
deepest = {}

def names(frame):
    while frame is not None:
        if frame.f_code.co_filename.startswith(ours):
            yield frame.f_code.co_filename
        frame = frame.f_back

def profile(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.startswith(ours):
        stack = list(names(frame))
        if threading.current_thread() is not threading.main_thread():
            stack += names(sys._current_frames()[threading.main_thread().ident])
        way = [name for name in stack if not name.startswith(inner)]
        deepest["all"] = max(len(stack), deepest.get("all", 0))
        deepest["way"] = max(len(way), deepest.get("way", 0))

client = create_app(write_log=lambda line: None).test_client()
threading.setprofile(profile)
client.post("/move", json={"board": ["X.O", "...", "..."]})
client.post("/move", json={"board": ["X..", ".O.", "..."]})
sys.setprofile(profile)
for board in (["X.O", ".X.", "..O"], [".O.", "...", "..X"], ["X.O", "...", "..."]):
    deepest.clear()
    cached = client.post("/move", json={"board": board}).get_json()["search"]["cached"]
    print(cached, deepest['all'], deepest['way'])
"""


def test_a_request_goes_down_few_calls():
    walked = subprocess.run(
        [sys.executable, "-c", WALK, str(REPOSITORY)],
        cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    seen = [line.split() for line in walked.stdout.splitlines() if line.startswith(("True", "False"))]
    assert [cached for cached, *_ in seen] == ["False", "False", "True"]
    for cached, frames, way in seen:
        assert int(frames) <= ALL_AT_MOST[cached], walked.stdout
        assert int(way) <= WAY_AT_MOST[cached], walked.stdout
