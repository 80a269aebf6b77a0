"""Tells from the bytes of a connection when the whole of a request has arrived, and where it ends.

It reads no more of a request than that: what is wrong with one is for the server's own parser to find. Work is
linear in the bytes however small the pieces are in which they arrive.
"""

import re
from enum import Enum

MAX_HEAD_BYTES = 64 * 1024
"""Most bytes of a request line and its headers together."""

_HEAD_END = b"\r\n\r\n"
_LINE_END = b"\r\n"
# All of a head in small letters.
_LENGTH_NAME = b"\r\ncontent-length:"
_LENGTH = re.compile(rb"[ \t]*([0-9]+)[ \t]*\r\n")
_CODING_NAME = b"\r\ntransfer-encoding:"
_CODING = re.compile(rb"[^\r\n]*chunked")
_EXPECTS_NAME = b"\r\nexpect:"
_EXPECTS = re.compile(rb"[ \t]*100-continue[ \t]*\r\n")
_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,15}")
_LENGTH_DIGITS = 15
"""A number of more digits is larger than any limit."""
_MAX_CHUNK_LINE = 256
"""Most bytes of the line that begins a chunk."""


class Arrived(Enum):
    """How much of the first request is there."""

    PART = "part"
    WHOLE = "whole"
    HEAD_ALONE = "its head, and a body that is longer than is taken"
    HEAD_TOO_LARGE = "a head that is longer than is taken"
    BODY_TOO_LARGE = "a body in chunks that is longer than is taken"


class Arrival:
    """The bytes that have come and belong to no earlier request.

    Args:
        max_body: most bytes of a body.
    """

    def __init__(self, max_body: int) -> None:
        self._max_body = max_body
        self._data = bytearray()
        self._told = False
        self._begin()

    def __len__(self) -> int:
        return len(self._data)

    def add(self, data: bytes) -> Arrived:
        """Take bytes that have come."""
        self._data += data
        return self.state()

    def state(self) -> Arrived:
        """How much of the first request is there now."""
        if self._head_end < 0 and not self._find_head():
            too_large = len(self._data) > MAX_HEAD_BYTES
            return Arrived.HEAD_TOO_LARGE if too_large else Arrived.PART
        if self._head_end > MAX_HEAD_BYTES:
            return Arrived.HEAD_TOO_LARGE
        if self._chunked:
            return self._follow_chunks()
        if self._length > self._max_body:
            self._end = self._head_end
            return Arrived.HEAD_ALONE
        self._end = self._head_end + self._length
        return Arrived.WHOLE if len(self._data) >= self._end else Arrived.PART

    def wants_go_ahead(self) -> bool:
        """Whether the client waits for ``100 Continue`` before it sends the body; true once for a request."""
        if self._head_end < 0 or self._told:
            return False
        if _field(bytes(self._data[: self._head_end]).lower(), _EXPECTS_NAME, _EXPECTS) is None:
            return False
        self._told = True
        return True

    def body_after(self, start: bytes) -> bytes | None:
        """The body of the first request, which must be whole, if it begins like this and its body is no chunks."""
        if self._chunked or not self._data.startswith(start):
            return None
        return bytes(self._data[self._head_end : self._end])

    def take(self) -> bytes:
        """The bytes of the first request, which must be whole or its head alone; the next begins after them."""
        taken = bytes(self._data[: self._end])
        del self._data[: self._end]
        self._begin()
        return taken

    def _begin(self) -> None:
        """Look at the data as at the begin of a request."""
        self._scanned = 0
        self._head_end = -1
        self._length = 0
        self._chunked = False
        self._body = 0
        self._in_trailer = False
        self._end = 0
        self._told = False

    def _find_head(self) -> bool:
        """Look for the end of the head in what was not looked at yet, and read how the body is delimited."""
        found = self._data.find(_HEAD_END, max(0, self._scanned - len(_HEAD_END) + 1))
        self._scanned = len(self._data)
        if found < 0:
            return False
        self._head_end = self._scanned = found + len(_HEAD_END)
        head = bytes(self._data[: self._head_end]).lower()
        self._chunked = _field(head, _CODING_NAME, _CODING) is not None
        length = _field(head, _LENGTH_NAME, _LENGTH)
        if length is not None:
            digits = length[1].lstrip(b"0")
            self._length = int(digits or b"0") if len(digits) <= _LENGTH_DIGITS else self._max_body + 1
        return True

    def _follow_chunks(self) -> Arrived:
        """Go on from chunk to chunk; ``_scanned`` is where the next line begins, perhaps yet to come."""
        while self._scanned <= len(self._data):
            line_end = self._data.find(_LINE_END, self._scanned)
            if line_end < 0:
                if len(self._data) - self._scanned > _MAX_CHUNK_LINE:
                    return self._as_it_is()
                return Arrived.PART
            if self._in_trailer:
                if line_end == self._scanned:
                    self._end = line_end + len(_LINE_END)
                    return Arrived.WHOLE
                self._body += line_end - self._scanned
                self._scanned = line_end + len(_LINE_END)
            else:
                size = _CHUNK_SIZE.match(self._data, self._scanned, line_end)
                if size is None:
                    return self._as_it_is()
                payload = int(size[0], 16)
                self._body += payload
                self._in_trailer = payload == 0
                self._scanned = line_end + len(_LINE_END) + payload + (len(_LINE_END) if payload else 0)
            if self._body > self._max_body or len(self._data) > 4 * (self._max_body + MAX_HEAD_BYTES):
                return Arrived.BODY_TOO_LARGE
        return Arrived.PART

    def _as_it_is(self) -> Arrived:
        """No chunk begins here: the parser shall see what came, and refuse it."""
        self._end = len(self._data)
        return Arrived.WHOLE


def _field(head: bytes, name: bytes, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """The value of the first header of a name, if it has this form."""
    found = head.find(name)
    return None if found < 0 else pattern.match(head, found + len(name))
