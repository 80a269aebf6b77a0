"""Whatever a visitor sends is read in linear time: a worker that reads for seconds answers nobody else.

Measured is processor time, for texts that make backtracking patterns and nested loops slow: repetitions of what the
readers look for, behind beginnings that lead into each of them, before ends that fit nothing.
"""

import contextlib
import gc
import itertools
import json
import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

import pyarrow as pa
import pytest

from kinarow import label
from kinarow.contract.problems import Problem
from kinarow.contract.queries import request_of
from kinarow.contract.requests import MoveRequest
from kinarow.protocols.gamesolver import read_query
from kinarow.protocols.piskvork_commands import CommandReader
from kinarow.reading.records import read_record
from tests.support.app import client_with

pytestmark = pytest.mark.slow

Read = Callable[[], object]

LENGTH = 65_536
MOST_MS = 100  # three times as much as on an idle machine
MOST_TIMES = 8  # for four times the text: a quadratic reader takes sixteen times as long
SMALL_MS = 25  # a shorter time says nothing about growth
HEADER_BYTES = 8_000  # gunicorn refuses longer headers

UNITS = (
    *"?/ \n\t1x.,;:|_-+([{\"'\\#&=%é💣",
    *(
        "1,",
        "1 ",
        "1.",
        "1. ",
        "1e9,",
        "{},",
        "x ",
        "X.O/",
        " /",
        ", ",
        "()",
        "(;",
        "(;B",
        "[a]",
        "B[aa]",
        ";B[aa]",
        "[X",
        '[X "',
        "\\]",
    ),
    *(
        "h8",
        "h8 ",
        "a1,",
        "1-0",
        " 1-0",
        "--",
        " - ",
        "://",
        "pos=4&",
        "%25",
        "+-",
        "0 1 2 ",
        "\r",
        "\u200b",
        "️⃣",
        "\\u0031",
    ),
)
ENDS = (" x", "1", "!")
BEGINNINGS = ("", "(;B[", "piskvorky 15x15\n", '[Black "', "http://a/?pos=")


def hostile(length: int, beginnings: Sequence[str] = ("",)) -> Iterator[str]:
    for unit, beginning, end in itertools.product(UNITS, beginnings, ENDS):
        yield beginning + unit * ((length - len(beginning)) // len(unit)) + end


def record(text: str) -> Read:
    return lambda: read_record(text, {"game": "gomoku"})


def labelled(text: str) -> Read:
    table = pa.table({"board": [text], "moves": [text]})
    return lambda: label(table, game="gomoku", max_nodes=1)


def piskvork(text: str) -> Read:
    reader = CommandReader()
    return lambda: [[*reader.read(line)] for line in ("START 15", "BOARD", text)]


def sent(path: str, body: bytes) -> Read:
    return lambda: client.post(path, data=body, content_type="application/json")


def posted(path: str, name: str, **rest: object) -> Callable[[str], Read]:
    return lambda text: sent(path, json.dumps({**rest, name: text}).encode())


def queried(text: str) -> Read:
    half = quote(text)[: len(text) // 2]
    query = f"board={half}&{half}=1".encode()
    return lambda: request_of(MoveRequest, query)


def solved(text: str) -> Read:
    query = f"pos={quote(text)[: len(text)]}".encode()
    return lambda: read_query(query, 25)


client = client_with(max_body_bytes=1 << 20, max_nodes=1, default_nodes=1, default_nodes_large=1)
READERS: dict[str, Callable[[str], Read]] = {
    "record": record,
    "label": labelled,
    "piskvork": piskvork,
    "query": queried,
    "solve": solved,
    "review": posted("/review", "record"),
    "board": posted("/move", "board"),
    "rows": lambda text: sent("/move", json.dumps({"board": text[: len(text) // 3].split("/")}).encode()),
    "moves": posted("/move", "moves", game="gomoku"),
    "columns": posted("/move", "moves", game="connect-four"),
    "only": posted("/move", "only", game="gomoku"),
    "game": posted("/move", "game"),
    "side": posted("/move", "to_move", board="..."),
    "names": lambda text: sent("/move", json.dumps({text: 1}).encode()),
    "body": lambda text: sent("/move", text.encode()),
    "list": lambda text: sent("/move", f"[{text}1]".encode()),
    "kaggle": posted("/adapters/kaggle-connectx", "state"),
}
HEADERS = (
    *("X-Request-ID", "traceparent", "If-None-Match", "Accept", "Accept-Encoding", "Accept-Language", "Authorization"),
    *("Origin", "Host", "X-Forwarded-For", "Content-Type", "Content-Encoding", "Range", "If-Range", "Cookie"),
)


def milliseconds(read: Read) -> float:
    began = time.process_time()
    with contextlib.suppress(ValueError, Problem):
        read()
    return (time.process_time() - began) * 1000


def least(read: Read) -> float:
    """The least of some times: others make a time longer, never shorter."""
    return min(milliseconds(read) for _ in range(5))


@pytest.fixture(scope="module", autouse=True)
def frozen() -> Iterator[None]:
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("name", READERS)
def test_four_times_the_text_takes_four_times_as_long(name):
    prepare, slow = READERS[name], {}
    least(prepare("x"))
    beginnings = BEGINNINGS if name == "record" else BEGINNINGS[:1]
    for quarter, whole in zip(*(hostile(length, beginnings) for length in (LENGTH // 4, LENGTH)), strict=True):
        read = prepare(whole)
        if milliseconds(read) > SMALL_MS and (took := least(read)) > SMALL_MS:
            before = least(prepare(quarter))
            if took > MOST_MS or took > MOST_TIMES * before:
                slow[whole[:20] + "…" + whole[-5:]] = (round(before, 1), round(took, 1))
    assert slow == {}


@pytest.mark.parametrize("name", HEADERS)
def test_no_header_takes_long(name):
    for text in hostile(HEADER_BYTES):
        headers = {name: text.encode().decode("latin-1").translate(dict.fromkeys(b"\r\n"))}
        assert milliseconds(lambda headers=headers: client.get("/healthz", headers=headers)) < MOST_MS, text[:20]
