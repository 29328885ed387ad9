# SPDX-License-Identifier: Apache-2.0
"""cordon serve: callers who hold on to it, go away at any byte, or come in crowds: it answers others."""

import contextlib
import json
import os
import random
import signal
import time

import pytest

from http_client import Daemon, events
from support import SLOW, wait_until

PLACES = 100


@pytest.fixture(scope="module")
def daemon(cordon, tmp_path_factory):
    """One with room for PLACES connections, and patience for ever."""
    few_files = lambda command: ["prlimit", f"--nofile={4 * PLACES}:{4 * PLACES}", *command]
    with Daemon(cordon, tmp_path_factory.mktemp("crowd") / "s", "--patience", "1000", wrap=few_files) as found:
        assert found.execute("result['n'] = 1")["status"] == "ok"
        yield found
        assert found.execute("result['n'] = 1")["status"] == "ok"


@pytest.fixture
def nothing_stays(daemon):
    before = daemon.descriptors()
    yield
    assert wait_until(lambda: daemon.descriptors() <= before, 10), (before, daemon.descriptors())


def crowd(daemon, count, said=b""):
    found = [daemon.raw() for _ in range(count)]
    for sock in found:
        sock.sendall(said)
    return found


@pytest.mark.parametrize("said", [b"", b"POST /v1/execute HTTP/1.1\r\nHost: "], ids=["nothing", "half a head"])
def test_who_asks_for_nothing_makes_room(daemon, nothing_stays, said):
    idle = crowd(daemon, 3 * PLACES // 2, said)
    begun = time.monotonic()
    assert daemon.ask("GET", "/v1/health").status == 200
    assert time.monotonic() - begun < 8 * SLOW  # two seconds, and not a thousand
    for sock in idle:
        sock.close()


def test_who_has_asked_keeps_its_place(daemon, nothing_stays):
    connection = daemon.connect()
    connection.request("POST", "/v1/execute", json.dumps({"code": "import time\ntime.sleep(3)"}).encode())
    body = json.dumps({"code": "result['n'] = 1"}).encode()
    slow = daemon.raw()
    slow.sendall(b"POST /v1/execute HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body))
    idle = crowd(daemon, 2 * PLACES)
    assert daemon.ask("GET", "/v1/health").status == 200
    slow.sendall(body)
    assert b'"result": {"n":1}' in slow.makefile("rb").read()
    assert json.loads(connection.getresponse().read())["status"] == "ok"
    for sock in (connection, slow, *idle):
        sock.close()


def test_a_crowd_that_leaves_at_once(daemon, nothing_stays):
    """Those who waited for a place are let in, though nothing else happens."""
    idle, waiting = crowd(daemon, PLACES), crowd(daemon, 5, b"GET /v1/health HTTP/1.0\r\n\r\n")
    time.sleep(0.2)
    os.kill(daemon.pid, signal.SIGSTOP)  # it sees all of them leave in one moment
    for sock in idle:
        sock.close()
    os.kill(daemon.pid, signal.SIGCONT)
    for sock in waiting:
        sock.settimeout(1.5 * SLOW)
        assert b'"ready"' in sock.makefile("rb").read()
        sock.close()


CUT = {
    "health": b"GET /v1/health HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n",
    "execute": b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\n" b'{"code": "result[\'n\'] = 1"}',
    "chunks": b"POST /v1/check HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
              b"5;a=b\r\n{\"cod\r\n7\r\ne\": \"\"}\r\n0\r\nX: y\r\n\r\n",
    "two": b"POST /v1/check HTTP/1.1\r\nContent-Length: 12\r\n\r\n{\"code\": \"\"}GET /v1/health HTTP/1.1\r\n\r\n",
    "waiting": b"POST /v1/check HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n{\"code\": \"\"}",
}


@pytest.mark.parametrize("request_bytes", CUT.values(), ids=CUT)
def test_cut_at_each_byte(daemon, nothing_stays, request_bytes):
    halves = []  # more than there is room for
    for at in range(len(request_bytes) + 1):
        with daemon.raw() as sock:
            sock.sendall(request_bytes[:at])
        halves.append(daemon.raw())
        halves[-1].sendall(request_bytes[:at])
        halves[-1].shutdown(1)
    for sock in halves[::2]:
        sock.close()
    assert daemon.ask("GET", "/v1/health").status == 200
    for sock in halves[1::2]:
        sock.close()


def test_what_nobody_reads_stops_nobody(daemon, nothing_stays):
    code = "print('x' * 900_000)\nresult['x'] = 'x' * 10_000_000"
    body = json.dumps({"code": code}).encode()
    request = b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nContent-Length: %d\r\n\r\n%s"
    deaf = [daemon.raw() for _ in range(4)]
    for i, sock in enumerate(deaf):
        sock.sendall(request % ((b"*/*", b"text/event-stream")[i % 2], len(body), body))
    for _ in range(10):
        assert daemon.execute("result['n'] = 1")["status"] == "ok"
    envelope = events(daemon.ask("POST", "/v1/execute", {"code": code}, {"Accept": "text/event-stream"}).body)[-1][1]
    assert len(envelope["result"]["x"]) == 10_000_000
    for sock in deaf:
        sock.close()


def mutated(chance, request):
    text = bytearray(request)
    for _ in range(chance.choice([0, 1, 1, 2, 4])):
        at = chance.randrange(len(text) + 1)
        kind = chance.random()
        if kind < 0.4:
            text[at:at] = bytes(chance.choice(b"\r\n\0:;,{}[]\"\\ 09aZ\xff") for _ in range(chance.randint(1, 4)))
        elif kind < 0.7:
            del text[at : at + chance.randint(1, 8)]
        else:
            text[at:at] = text[at // 2 : at // 2 + chance.randint(1, 40)]
    return bytes(text)


def test_nonsense_of_all_kinds(daemon, nothing_stays):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        request = b"".join(mutated(chance, chance.choice(list(CUT.values()))) for _ in range(chance.randint(1, 3)))
        with daemon.raw() as sock, contextlib.suppress(OSError):
            cut = chance.randrange(len(request) + 1)
            sock.sendall(request[:cut])
            sock.sendall(request[cut:])
            if chance.random() < 0.5:
                sock.shutdown(1)
            sock.settimeout(0.02)
            sock.recv(chance.choice([1, 100, 65536]))
    assert daemon.ask("GET", "/v1/health").status == 200
