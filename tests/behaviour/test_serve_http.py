# SPDX-License-Identifier: Apache-2.0
"""cordon serve: what a request's head says, and what is no request at all."""

import contextlib
import io
import json

import pytest

from http_client import Daemon

CODE = b'{"code": "result[\'n\'] = 1"}'
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(CODE), CODE)
LENGTH = b"Content-Length: %d" % len(CODE)


@pytest.fixture(scope="module")
def daemon(cordon, tmp_path_factory):
    with Daemon(cordon, tmp_path_factory.mktemp("serve") / "s") as found:
        yield found


def read_answer(file):
    """(status, headers, body) of one answer, or None at the end. 100 is an answer, too."""
    line = file.readline()
    if not line:
        return None
    status, headers = int(line.split()[1]), {}
    while (line := file.readline().strip()) != b"":
        name, value = line.decode().split(": ", 1)
        headers[name] = value
    return status, headers, file.read(int(headers.get("Content-Length", 0)))


def everything(daemon, request):
    """What comes for these bytes until the daemon closes the connection, its end read or not."""
    said = b""
    with daemon.raw() as sock, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        with contextlib.suppress(BrokenPipeError):
            sock.sendall(request)
        while piece := sock.recv(1 << 16):
            said += piece
    return said


def answers(daemon, request):
    file = io.BytesIO(everything(daemon, request))
    return list(iter(lambda: read_answer(file), None))


def post(*lines, body=CODE, target=b"/v1/execute", version=b"1.1"):
    return b"\r\n".join([b"POST %s HTTP/%s" % (target, version), b"Host: x", *lines, b"", body])


def refused(answer, status, error):
    assert answer[0] == status, answer
    assert answer[1]["Content-Type"] == "application/json"
    said = json.loads(answer[2])
    assert set(said) == {"error", "field", "message"} and said["message"]
    assert (said["error"], said["field"]) == (error, None)


# ---- which answer is wanted ------------------------------------------------------------


@pytest.mark.parametrize("lines, wanted", [
    ([], False),
    ([b"Accept: */*"], False),
    ([b"Accept: text/html;x=\"text/event-stream\", */*"], False),
    ([b"Accept: text/event-stream;q=0, application/json"], False),
    ([b"Accept: text/event-stream;q=0.4, application/json;q=0.5"], False),
    ([b"accept: TEXT/Event-Stream;Q=0.5"], True),
    ([b"Accept: application/json", b"Accept: text/event-stream"], True),
])
def test_accept(daemon, lines, wanted):
    with daemon.raw() as sock:
        sock.sendall(post(LENGTH, b"Connection: close", *lines))
        answer = sock.makefile("rb").read()
    head = answer.split(b"\r\n\r\n")[0].lower()
    assert (b"content-type: text/event-stream" in head) == wanted
    assert (b"content-type: application/json" in head) != wanted


# ---- what the body is --------------------------------------------------------------------


@pytest.mark.parametrize("name, value, error, hint", [
    ("Content-Encoding", "gzip", "unsupported_encoding", ("Accept-Encoding", "identity")),
    ("Content-Encoding", "identity, br", "unsupported_encoding", ("Accept-Encoding", "identity")),
    ("Content-Type", "text/html", "unsupported_media_type", ("Accept", "application/json")),
    ("Content-Type", "multipart/form-data; boundary=x", "unsupported_media_type", ("Accept", "application/json")),
    ("Content-Type", "application/json; charset=utf-16", "unsupported_media_type", ("Accept", "application/json")),
])
def test_a_body_that_cannot_be_read(daemon, name, value, error, hint):
    connection = daemon.connect()
    for target in ("/v1/execute", "/v1/check"):
        answer = connection.ask("POST", target, CODE + b" " * 1_000_000, {name: value})
        assert answer.status == 415 and answer.headers[hint[0]] == hint[1]
        assert set(answer.json) == {"error", "field", "message"} and answer.json["error"] == error
    assert connection.ask("GET", "/v1/health", headers={name: value}).status == 200
    connection.close()


@pytest.mark.parametrize("value", [
    "application/json", "APPLICATION/JSON; charset=\"UTF-8\"", "application/problem+json",
    "text/plain;charset=us-ascii", "application/x-www-form-urlencoded",
])
def test_a_body_by_other_names(daemon, value):
    answer = daemon.ask("POST", "/v1/execute", CODE, {"Content-Type": value, "Content-Encoding": "identity"})
    assert answer.json["result"] == {"n": 1}


# ---- a caller that waits for a word ---------------------------------------------------------


def test_expect_100_continue(daemon):
    with daemon.raw() as sock:
        sock.sendall(post(LENGTH, b"Expect: 100-Continue", b"Connection: close", body=b""))
        file = sock.makefile("rb")
        assert read_answer(file)[0] == 100
        sock.sendall(CODE)
        status, _, body = read_answer(file)
    assert status == 200 and json.loads(body)["result"] == {"n": 1}


@pytest.mark.parametrize("lines, target, status, error", [
    ([b"Expect: 100-continue"], b"/", 404, "not_found"),
    ([b"Expect: 100-continue"], b"/v1/health", 405, "method_not_allowed"),
    ([b"Expect: 100-continue", b"Content-Encoding: gzip"], b"/v1/check", 415, "unsupported_encoding"),
    ([b"Expect: something"], b"/v1/check", 417, "expectation_failed"),
    ([b"Expect: 100-continue", b"Expect: more"], b"/v1/check", 417, "expectation_failed"),
])
def test_expect_and_be_refused(daemon, lines, target, status, error):
    only, = answers(daemon, post(LENGTH, *lines, target=target, body=b""))
    refused(only, status, error)
    assert only[1]["Connection"] == "close"


# ---- where the body ends ----------------------------------------------------------------------

# What a reader who understands it otherwise would take for the next request.
HIDDEN = b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("lines, body, status, error", [
    ([b"Transfer-Encoding: gzip, chunked"], CHUNKED, 501, "not_implemented"),
    ([b"Transfer-Encoding: chunked, gzip"], CHUNKED, 400, "bad_header"),
    ([b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked"], CHUNKED, 400, "bad_header"),
    ([b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip"], CHUNKED, 400, "bad_header"),
    ([b"Transfer-Encoding: identity"], CODE, 400, "bad_header"),
    ([b"Transfer-Encoding: chunked", LENGTH], CHUNKED, 400, "bad_header"),
    ([b"Content-Length: 5", b"Transfer-Encoding: chunked"], CHUNKED, 400, "bad_header"),
    ([LENGTH, b"Content-Length: 0"], CODE, 400, "bad_header"),
    ([LENGTH, LENGTH], CODE, 400, "bad_header"),
    ([b"Content-Length : %d" % len(CODE)], CODE, 400, "bad_header"),
    ([b"Transfer-Encoding : chunked"], CHUNKED, 400, "bad_header"),
])
def test_a_body_without_one_end(daemon, lines, body, status, error):
    only, = answers(daemon, post(*lines, body=body + HIDDEN))  # the hidden one is not answered
    refused(only, status, error)
    assert only[1]["Connection"] == "close"
    only, = answers(daemon, post(b"Transfer-Encoding: chunked", body=CHUNKED, version=b"1.0"))
    refused(only, 400, "bad_header")


# ---- what libmicrohttpd refuses itself, in its own words (the manual page has the list) --------


NO_REQUESTS = [
    (post(b"Content-Length: -5"), 400),
    (post(b"Content-Length: 5, 5"), 400),
    (post(b"Content-Length: 0x5"), 400),
    (post(b"Content-Length:"), 400),
    (post(b"Content-Length: 99999999999999999999"), 413),
    (post(b"no colon"), 400),
    (post(b"Transfer-Encoding: chunked", body=b"zz\r\n"), 400),
    (post(b"Transfer-Encoding: chunked", body=b"-1\r\n"), 400),
    (post(b"Transfer-Encoding: chunked", body=b" 5\r\n"), 400),
    (post(b"Transfer-Encoding: chunked", body=b"0x5\r\n"), 400),
    (post(b"Transfer-Encoding: chunked", body=b"\r\n"), 400),
    (post(b"Transfer-Encoding: chunked", body=b"2\r\n{}XX0\r\n\r\n"), 400),
    (post(b"Transfer-Encoding: chunked", body=b"fffffffffffffffff\r\n"), 413),
    (post(b"Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\nno colon\r\n\r\n"), 400),
    (b"GET /v1/health\r\n\r\n", 400),
    (b"GET /v1/health HTTP/1\r\n\r\n", 400),
    (b"GET /v1/health HTTP/2.0\r\n\r\n", 505),
    (b"GET /" + b"y" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
    (b"GET /v1/health HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", 431),
    (b"GET /v1/health HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", 431),
]


@pytest.mark.parametrize("request_bytes, status", NO_REQUESTS, ids=range(len(NO_REQUESTS)))
def test_no_request(daemon, request_bytes, status):
    said = everything(daemon, request_bytes + HIDDEN)
    head, _, rest = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status) and b"\r\nConnection: close" in head
    assert b"<html>" in rest and b"ready" not in rest


@pytest.mark.parametrize("request_bytes", [
    b"\x16\x03\x01\x02\x00\r\n\r\n", b"hello\r\n",
], ids=["TLS", "hello"])
def test_not_even_a_line(daemon, request_bytes):
    assert answers(daemon, request_bytes) == []


# ---- methods -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "PATCH", "post", "BREW"])
@pytest.mark.parametrize("target, allow", [
    ("/v1/execute", "POST"), ("/v1/check", "POST"), ("/v1/health", "GET"),
])
def test_no_such_method(daemon, method, target, allow):
    connection = daemon.connect()
    answer = connection.ask(method, target)
    assert (answer.status, answer.headers["Allow"]) == (405, allow)
    assert answer.body == b"" if method == "HEAD" else answer.json["error"] == "method_not_allowed"
    assert connection.ask("GET", "/v1/health").status == 200  # it goes on
    connection.close()
