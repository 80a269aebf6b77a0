"""Where a request ends, seen as its bytes come in pieces of any size, agrees with gunicorn's own parser."""

import time

import pytest
from gunicorn.config import Config
from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.http.parser import RequestParser
from hypothesis import given
from hypothesis import strategies as st

from service.framing import MAX_HEAD_BYTES, Arrival, Arrived

MAX_BODY = 1000
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /move HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"POST /move HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n"
TRAILER = b"POST /move HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n0\r\nA: b\r\nC: d\r\n\r\n"
WHOLE = {"get": GET, "post": POST, "chunked": CHUNKED, "with a trailer": TRAILER}


def pieces(data, sizes):
    """The data cut in pieces of these sizes, over and over."""
    place = 0
    while place < len(data):
        for size in sizes:
            yield data[place : place + size]
            place += size


@pytest.mark.parametrize("request_bytes", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_request_is_whole_with_its_last_byte_and_not_before(request_bytes, size):
    arrival = Arrival(MAX_BODY)
    states = [arrival.add(piece) for piece in pieces(request_bytes, [size]) if piece]
    assert states[:-1] == [Arrived.PART] * (len(states) - 1)
    assert states[-1] is Arrived.WHOLE
    assert arrival.take() == request_bytes
    assert len(arrival) == 0


@given(
    st.lists(st.sampled_from(list(WHOLE.values())), min_size=1, max_size=5),
    st.lists(st.integers(1, 60), min_size=1, max_size=5),
)
def test_requests_that_come_one_after_another_are_told_apart(requests, sizes):
    arrival = Arrival(MAX_BODY)
    taken = []
    for piece in pieces(b"".join(requests), sizes):
        state = arrival.add(piece)
        while state is Arrived.WHOLE:
            taken.append(arrival.take())
            state = arrival.state()
    assert taken == requests


def test_a_body_that_is_too_long_is_known_from_the_head():
    head = b"POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n"
    arrival = Arrival(MAX_BODY)
    assert arrival.add(head) is Arrived.HEAD_ALONE
    assert arrival.take() == head
    huge = b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n"
    assert Arrival(MAX_BODY).add(huge) is Arrived.HEAD_ALONE


def test_the_longest_body_is_taken():
    body = b"x" * MAX_BODY
    arrival = Arrival(MAX_BODY)
    assert arrival.add(b"POST / HTTP/1.1\r\ncontent-length:000%d\r\n\r\n" % MAX_BODY + body) is Arrived.WHOLE


@pytest.mark.parametrize("size", [1, 10, 1001])
def test_chunks_that_are_too_long_together_are_known_soon(size):
    arrival = Arrival(MAX_BODY)
    state = arrival.add(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    sent = 0
    while state is Arrived.PART:
        state = arrival.add(b"%x\r\n" % size + b"x" * size + b"\r\n")
        sent += size
    assert state is Arrived.BODY_TOO_LARGE
    assert sent <= MAX_BODY + 2 * size


def test_a_head_that_never_ends_is_refused():
    arrival = Arrival(MAX_BODY)
    state = Arrived.PART
    sent = 0
    while state is Arrived.PART:
        state = arrival.add(b"X-A: b\r\n" * 100)
        sent += 800
    assert state is Arrived.HEAD_TOO_LARGE
    assert sent <= MAX_HEAD_BYTES + 800


def test_a_trailer_that_never_ends_is_refused():
    arrival = Arrival(MAX_BODY)
    state = arrival.add(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    for _ in range(1000):
        if state is not Arrived.PART:
            break
        state = arrival.add(b"A: b\r\n")
    assert state is Arrived.BODY_TOO_LARGE


@pytest.mark.parametrize("chunk", [b"zz\r\n", b"\r\n", b"-1\r\n", b"x" * 300])
def test_what_is_no_chunk_is_left_to_the_parser_at_once(chunk):
    head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    arrival = Arrival(MAX_BODY)
    assert arrival.add(head + chunk) is Arrived.WHOLE
    assert arrival.take() == head + chunk


def test_who_waits_for_a_go_ahead_is_told_once():
    arrival = Arrival(MAX_BODY)
    arrival.add(b"POST / HTTP/1.1\r\nExpect: 100-")
    assert not arrival.wants_go_ahead()
    arrival.add(b"continue\r\nContent-Length: 5\r\n\r\n")
    assert arrival.wants_go_ahead()
    assert not arrival.wants_go_ahead()
    assert not Arrival(MAX_BODY).wants_go_ahead()


def test_the_work_is_linear_however_small_the_pieces():
    """A byte at a time: four times the bytes take about four times as long, not sixteen."""

    def seconds(count):
        data = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * count
        arrival = Arrival(10**9)
        started = time.process_time()
        for piece in pieces(data, [1]):
            arrival.add(piece)
        return time.process_time() - started

    seconds(100)
    assert seconds(8000) < 9 * seconds(2000)


HOSTILE = st.lists(
    st.sampled_from(
        [b"POST / HTTP/1.1\r\n", b"GET /a HTTP/1.0\r\n", b"Content-Length: 5\r\n", b"Content-Length: 0\r\n"]
        + [b"content-length : 3\r\n", b"Content-Length: +5\r\n", b"Content-Length: 5, 5\r\n", b" folded\r\n"]
        + [
            b"Transfer-Encoding: chunked\r\n",
            b"Transfer-Encoding: identity\r\n",
            b"Transfer-Encoding : chunked\r\n",
        ]
        + [b"Host: a\r\n", b"\r\n", b"\n", b"\r", b"hello", b"5\r\nhello\r\n", b"0\r\n", b"0\r\n\r\n", b"x"]
    ),
    max_size=12,
).map(b"".join)


@given(HOSTILE, st.integers(1, 40))
def test_gunicorns_parser_never_sees_more_in_it_than_one_request(data, size):
    """No smuggling: what is handed over parses to one request that ends where it was cut, or the connection closes."""
    arrival = Arrival(MAX_BODY)
    state = Arrived.PART
    for piece in pieces(data, [size]):
        state = arrival.add(piece)
        if state is not Arrived.PART:
            break
    if state is not Arrived.WHOLE:
        return
    taken = arrival.take()
    assert data.startswith(taken)
    parser = RequestParser(Config(), [taken], ("127.0.0.1", 1))
    try:
        request = next(parser)
        body = request.body.read()
    except (ParseException, NoMoreData, StopIteration):
        return
    rest = parser.unreader.buf.getvalue()
    assert len(body) <= len(taken)
    # The worker closes the connection where something is left; it never is for a request of plain form.
    assert not rest or b"transfer-encoding" in taken.lower() or b"content-length" in taken.lower()
