# SPDX-License-Identifier: Apache-2.0
"""Against a server that misbehaves: what is lost, what is tried again, what is told."""

import asyncio
import json
import os
import socket
import threading
import time

import cordon
import pytest

OK = json.dumps({"status": "ok", "result": {"a": 1}}).encode()
VERDICT = json.dumps({"status": "ok", "warnings": []}).encode()


def answer(body, status=200, head=b""):
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n%s\r\n" % (status, len(body), head) + body


class Server:
    """Each connection is handed to the next of `acts`; requests[i] is what it had sent."""

    def __init__(self, path, acts):
        self.path = str(path)
        self.taken = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen(5)
        self.thread = threading.Thread(target=self.serve, args=(acts,))
        self.thread.start()

    def serve(self, acts):
        for act in acts:
            connection, _ = self.socket.accept()
            with connection:
                self.taken.append(act(connection))

    @property
    def requests(self):
        self.thread.join()  # a caller may have its answer before it is done
        return self.taken

    def close(self):
        self.socket.close()
        self.thread.join()


@pytest.fixture
def server(tmp_path):
    started = []

    def start(*acts):
        made = Server(tmp_path / f"{len(started)}", acts)
        started.append(made)
        return made

    yield start
    for made in started:
        made.close()


def whole(connection):
    """A request, read to its end."""
    text = b""
    while b"\r\n\r\n" not in text:
        text += connection.recv(65536)
    head, body = text.split(b"\r\n\r\n", 1)
    lengths = [line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")]
    while lengths and len(body) < int(lengths[0].split(b":")[1]):
        body += connection.recv(65536)
    return head, body


def says(data, slowly=False):
    def act(connection):
        got = whole(connection)
        for i in range(0, len(data), 1 if slowly else len(data) or 1):
            connection.sendall(data[i : i + (1 if slowly else len(data))])
        return got

    return act


def hangs_up(connection):
    return None


def reads_a_little(connection):
    connection.recv(10)


BOTH = [
    lambda path, *a, **k: cordon.Client(path).execute(*a, **k),
    lambda path, *a, **k: asyncio.run(cordon.AsyncClient(path).execute(*a, **k)),
]
LARGE = {"x": "y" * (8 << 20)}


@pytest.fixture(params=BOTH, ids=["blocking", "asyncio"])
def execute(request):
    return request.param


def test_an_answer_byte_by_byte(server, execute):
    made = server(says(answer(OK), slowly=True))
    assert execute(made.path, "x").result == {"a": 1}
    head, body = made.requests[0]
    assert head.startswith(b"POST /v1/execute HTTP/1.1\r\n") and json.loads(body)["code"] == "x"


def test_a_lost_run_is_told_and_not_run_again(server, execute):
    for data in (b"", b"HTTP/1.1 200", answer(OK)[:-1]):
        made = server(says(data))
        with pytest.raises(cordon.RunLost, match="not run again"):
            execute(made.path, "x")
        assert len(made.requests) == 1


def test_a_lost_stream_is_told(server, execute):
    got = []
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    event = b'event: stdout\ndata: "hi"\n\n'
    made = server(says(head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(event), event)))
    with pytest.raises(cordon.RunLost):
        execute(made.path, "x", on_stdout=got.append)
    assert got == ["hi"]
    made = server(says(head + b"\r\n" + event))
    with pytest.raises(cordon.CordonError, match="no envelope"):
        execute(made.path, "x", on_stdout=got.append)


def test_what_was_not_taken_whole_is_sent_again(server, execute):
    made = server(reads_a_little, says(answer(OK)))
    assert execute(made.path, "x", LARGE).ok
    made = server(reads_a_little, hangs_up)
    with pytest.raises(cordon.CordonError, match="unanswered") as told:
        execute(made.path, "x", LARGE)
    assert not isinstance(told.value, cordon.RunLost)


def test_an_early_refusal_is_heard(server, execute):
    said = json.dumps({"error": "too_large", "field": None, "message": "too much"}).encode()

    def refuse(connection):
        connection.recv(10)
        connection.sendall(answer(said, 413))

    with pytest.raises(cordon.BadRequest, match="too much") as told:
        execute(server(refuse).path, "x", LARGE)
    assert (told.value.status, told.value.field) == (413, "")


def test_a_check_has_no_effects_and_is_made_again(server):
    made = server(says(b""), says(answer(VERDICT)))
    assert cordon.Client(made.path).check("x").clean
    made = server(says(b""), says(answer(VERDICT)))
    assert asyncio.run(cordon.AsyncClient(made.path).check("x")).clean
    made = server(says(b""), says(b""))
    with pytest.raises(cordon.CordonError, match="unanswered"):
        cordon.Client(made.path).check("x")


@pytest.mark.parametrize("data, error", [
    (answer(b"{"), "cannot be read"),
    (answer(b"[]"), "not an envelope"),
    (answer(b'{"status": 1}'), "not an envelope"),
    (answer(b'{"status": "ok", "usage": 1}'), "no object where Usage"),
    (answer(b"[" * 100_000), "cannot be read"),
    (answer(b"sorry", 500), "HTTP status 500"),
    (answer(b'{"message": "no memory"}', 500), "no memory"),
    (b"hello\r\n\r\n", "does not speak HTTP"),
], ids=range(8))
def test_an_answer_that_is_none(server, execute, data, error):
    with pytest.raises(cordon.CordonError, match=error):
        execute(server(says(data)).path, "x")


def test_a_daemon_that_ends_is_not_there(server, execute):
    said = b'{"error": "draining", "field": null, "message": "about to end"}'
    made = server(says(answer(said, 503)), says(answer(OK)))  # another came to its place
    assert execute(made.path, "x").ok
    made = server(says(answer(said, 503)), says(answer(said, 503)))
    with pytest.raises(cordon.Unavailable, match="about to end"):
        execute(made.path, "x")


def test_a_full_queue_is_waited_for(tmp_path, execute):
    """Linux answers a connect to a full queue with EAGAIN instead of a wait."""
    path = str(tmp_path / "s")
    waiting = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(0)
        while True:
            other = socket.socket(socket.AF_UNIX)
            other.setblocking(False)
            waiting.append(other)
            try:
                other.connect(path)
            except BlockingIOError:
                break

        def serve():
            time.sleep(0.2)
            for _ in waiting:  # all but the last, which was refused, and then ours
                connection, _ = listener.accept()
                with connection:
                    if len(connection.recv(10, socket.MSG_PEEK)) > 0:
                        says(answer(OK))(connection)

        for other in waiting:
            other.close()
        thread = threading.Thread(target=serve)
        thread.start()
        assert execute(path, "x").ok
        thread.join()


# ---- one that is stopped --------------------------------------------------------------------

PATIENT = [
    lambda path, *a, **k: cordon.Client(path, patience=0.05).execute(*a, **k),
    lambda path, *a, **k: asyncio.run(cordon.AsyncClient(path, patience=0.05).execute(*a, **k)),
]


@pytest.fixture
def looks(monkeypatch):
    """What is seen of the daemon, one look after the other."""
    seen = []
    monkeypatch.setattr(cordon._transport, "_is_stopped", lambda pid: seen.pop(0) if seen else False)
    return seen


@pytest.mark.parametrize("execute", PATIENT, ids=["blocking", "asyncio"])
@pytest.mark.parametrize("input_data", [{}, LARGE], ids=["silent", "and does not read"])
def test_one_that_is_stopped_is_told(tmp_path, looks, execute, input_data):
    looks += [False, True, True]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        with pytest.raises(cordon.Unresponsive, match=f"kill -KILL {os.getpid()}"):
            execute(str(tmp_path / "s"), "x", input_data)
    assert looks == []


@pytest.mark.parametrize("execute", PATIENT, ids=["blocking", "asyncio"])
def test_one_that_goes_on_is_waited_for(server, looks, execute):
    looks += [True, False, True]

    def act(connection):
        got = whole(connection)
        while looks:
            time.sleep(0.01)
        connection.sendall(answer(OK))
        return got

    assert execute(server(act).path, "x").result == {"a": 1}


def test_what_a_newer_daemon_adds_is_kept(server):
    said = json.dumps({"status": "ok", "result": {}, "new": 1, "usage": {"new": 2},
                       "error": None, "warnings": [{"rule": "r", "message": "m", "new": 3}]})
    got = cordon.Client(server(says(answer(said.encode()))).path).execute("x")
    assert got.raw["new"] == 1 and got.warnings[0].rule == "r"
