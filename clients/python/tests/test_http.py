# SPDX-License-Identifier: Apache-2.0
"""The reader of responses, byte by byte and without any I/O."""

import pytest

from cordon._errors import CordonError
from cordon._http import HEAD_MAX, Incomplete, Response, ServerEvents, request

SIZED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
CHUNKED = (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
           b"3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nTrailer: x\r\n\r\n")
CLOSED = b"HTTP/1.0 200 OK\r\n\r\n{\"a\":1}"
CONTINUED = b"HTTP/1.1 100 Continue\r\n\r\n" + SIZED
EMPTY = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"
EVENTS = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
          b"\r\n19\r\nevent: stdout\ndata: \"x\"\n\n\r\n0\r\n\r\n")


def feed(response, data):
    while data and not response.done:
        buffer = response.buffer()
        n = min(len(buffer), len(data))
        buffer[:n] = data[:n]
        response.received(n)
        data = data[n:]


def read(pieces, limit=1000, streaming=False):
    response = Response(limit, streaming)
    for piece in pieces:
        feed(response, piece)
    if not response.done:
        response.received(0)
    return response


@pytest.mark.parametrize("text", [SIZED, CHUNKED, CLOSED, CONTINUED], ids=range(4))
def test_any_two_pieces_make_the_whole(text):
    for at in range(len(text) + 1):
        response = read([text[:at], text[at:]])
        assert (response.status, bytes(response.body)) == (200, b'{"a":1}'), at


@pytest.mark.parametrize("text", [SIZED, CHUNKED, CLOSED, CONTINUED, EMPTY], ids=range(5))
def test_single_bytes_make_the_whole(text):
    response = read([text[i : i + 1] for i in range(len(text))])
    assert response.done and response.status in (200, 204)


def test_a_stream_comes_out_in_pieces():
    for at in range(len(EVENTS)):
        response = Response(1000, True)
        got = []
        for piece in (EVENTS[:at], EVENTS[at:]):
            feed(response, piece)
            got += response.take()
        assert response.done and response.is_stream and not response.body
        assert b"".join(got) == b'event: stdout\ndata: "x"\n\n', at


def test_a_stream_that_was_not_asked_for_is_a_body():
    assert bytes(read([EVENTS]).body).startswith(b"event: stdout")


@pytest.mark.parametrize("text", [SIZED, CHUNKED], ids=range(2))
def test_an_early_end_is_told(text):
    for at in range(len(text)):
        with pytest.raises(Incomplete) as told:
            read([text[:at]])
        assert told.value.started == (at > 0)


@pytest.mark.parametrize("text, why", [
    (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak HTTP"),
    (b"HTTP/1.1 2000 OK\r\n\r\n", "does not speak HTTP"),
    (b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "without a colon"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "no proper length"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: \xb2\r\n\r\n", "no proper length"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n", "larger than 1000"),
    (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1001, "larger than 1000"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "without a size"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nx", "without a size"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1f4\r\n" + b"x" * 500 + b"\r\n1f5\r\n"
     + b"x" * 501, "larger than 1000"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n", "chunk"),
    (b"HTTP/1.1 200 OK\r\nX: " + b"x" * HEAD_MAX, "without end"),
    (b"x" * (HEAD_MAX + 1), "without end"),
], ids=range(13))
def test_what_is_wrong_is_told(text, why):
    with pytest.raises(CordonError, match=why):
        read([text])


def test_the_longest_head_and_body():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nX: "
    text = head + b"x" * (HEAD_MAX - len(head)) + b"\r\n\r\n" + b"y" * 1000
    assert bytes(read([text]).body) == b"y" * 1000


def test_a_request():
    assert request("POST", "/x", b"{}", "application/json") == [
        b"POST /x HTTP/1.1\r\nHost: cordon\r\nAccept: application/json\r\n"
        b"Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"]
    large = b"x" * (1 << 20)
    head, body = request("POST", "/x", large, "application/json")
    assert body is large and head.endswith(b"\r\n\r\n")
    assert b"Content" not in request("GET", "/x", None, "application/json")[0]


# ---- events -----------------------------------------------------------------------------


def test_events_in_any_pieces():
    text = (b'event: stdout\ndata: "a"\n\nevent:stderr\ndata:"b"\n\n: remark\n\n'
            b'event: envelope\ndata: {"x":\ndata: 1}\n\n')
    want = [("stdout", b'"a"'), ("stderr", b'"b"'), ("message", b""), ("envelope", b'{"x":\n1}')]
    for at in range(len(text) + 1):
        events = ServerEvents(1000)
        assert events.feed(text[:at]) + events.feed(text[at:]) == want, at


def test_an_event_without_end_is_told():
    events = ServerEvents(100)
    with pytest.raises(CordonError, match="larger than 100"):
        for _ in range(11):
            events.feed(b"x" * 10)
