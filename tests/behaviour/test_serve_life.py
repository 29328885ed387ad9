# SPDX-License-Identifier: Apache-2.0
"""
cordon serve: how a daemon begins and ends, and how its callers do: hang-ups, drains, signals,
the socket in the file system, slow callers.
"""

import collections
import concurrent.futures
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time

import pytest

from http_client import Daemon, events
from support import SLOW, adopt_orphans, descendants, left_behind, sandboxes, wait_until

SLEEP = "import time\nprint('begun', flush=True)\ntime.sleep(20)"


@pytest.fixture(scope="module", autouse=True)
def ours():
    adopt_orphans()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s"


@pytest.fixture(scope="module")
def daemon(cordon, tmp_path_factory):
    """For tests that leave it as it was."""
    with Daemon(cordon, tmp_path_factory.mktemp("life") / "s") as found:
        yield found


def begin(daemon, code, headers=None, **members):
    """A connection whose request is under way."""
    connection = daemon.connect()
    body = json.dumps({"code": code, **members}).encode()
    connection.request("POST", "/v1/execute", body, headers or {})
    return connection


@pytest.fixture
def before():
    """What ran below us when the test began: the module's own daemon."""
    return {p.pid for p in descendants()}


def running(daemon):
    assert wait_until(lambda: sandboxes(daemon.pid), 10)
    time.sleep(0.1)


def gone_within(daemon, seconds):
    begun = time.monotonic()
    while sandboxes(daemon.pid) and time.monotonic() < begun + 10:
        time.sleep(0.005)
    assert time.monotonic() - begun < seconds * SLOW


# ---- a caller hangs up ---------------------------------------------------------------------


@pytest.mark.parametrize("headers", [{}, {"Accept": "text/event-stream"}], ids=["whole", "events"])
@pytest.mark.parametrize("approved", [False, True], ids=["strict", "approved"])
def test_a_caller_that_hangs_up_ends_its_run(daemon, headers, approved):
    connection = begin(daemon, SLEEP, headers, approved=approved)
    running(daemon)
    connection.close()
    gone_within(daemon, 0.5)
    assert daemon.execute("result['n'] = 1")["status"] == "ok"


def test_a_caller_that_hangs_up_before_its_run_began(daemon):
    for _ in range(20):
        begin(daemon, SLEEP).close()
    time.sleep(0.05)
    assert daemon.execute("result['n'] = 1")["status"] == "ok"
    gone_within(daemon, 0.5)


def test_a_caller_that_hangs_up_ends_its_checks(daemon):
    connection = daemon.connect()
    files = [{"code": "x = 1\n" * 5_000} for _ in range(150)]
    connection.request("POST", "/v1/check", json.dumps({"files": files}).encode())
    running(daemon)
    connection.close()
    gone_within(daemon, 0.5)


def test_no_other_run_is_hurt_by_a_hang_up(daemon):
    other = begin(daemon, "import time\ntime.sleep(1)\nresult['n'] = 1")
    for _ in range(5):
        connection = begin(daemon, SLEEP)
        time.sleep(0.05)
        connection.close()
    assert json.loads(other.getresponse().read())["result"] == {"n": 1}
    other.close()


@pytest.mark.parametrize("headers", [{}, {"Accept": "text/event-stream"}], ids=["whole", "events"])
def test_to_end_the_sending_side_is_to_hang_up(daemon, headers):
    connection = begin(daemon, SLEEP, headers)
    running(daemon)
    connection.sock.shutdown(socket.SHUT_WR)
    gone_within(daemon, 0.5)
    connection.close()


def test_a_caller_that_takes_nothing_holds_up_nobody(cordon, path):
    with Daemon(cordon, path, "--patience", SLOW) as daemon:
        daemon.execute("")
        before = daemon.descriptors()
        connection = begin(daemon, "result['x'] = 'x' * (15 << 20)")
        running(daemon)
        assert daemon.execute("result['n'] = 1")["status"] == "ok"
        # It is dropped in the end, and with it what was for it.
        assert wait_until(lambda: daemon.descriptors() <= before, 8)
        connection.close()


# ---- slow callers -----------------------------------------------------------------------------


def test_who_sends_too_slowly_is_dropped(cordon, path):
    with Daemon(cordon, path, "--patience", 0.6) as daemon:
        for head in (b"GET /v1/health HTTP/1.1\r\nX: ", b"POST /v1/execute HTTP/1.1\r\n"
                     b"Host: x\r\nContent-Length: 100000\r\n\r\n{"):
            begun = time.monotonic()
            with daemon.raw() as sock:
                sock.sendall(head)
                with pytest.raises((BrokenPipeError, ConnectionResetError)):
                    while time.monotonic() < begun + 20 * SLOW:
                        sock.sendall(b"y")  # never idle
                        time.sleep(0.05)
            assert 0.5 < time.monotonic() - begun < 3 * SLOW
        with daemon.raw() as sock:  # nothing at all
            begun = time.monotonic()
            assert sock.recv(1) == b""
            assert 0.5 < time.monotonic() - begun < 3 * SLOW


def test_a_run_may_take_longer_than_the_patience(cordon, path):
    with Daemon(cordon, path, "--patience", 0.6) as daemon:
        code = "import time\ntime.sleep(1.3)\nresult['n'] = 1"
        assert daemon.execute(code)["result"] == {"n": 1}
        answer = daemon.ask("POST", "/v1/execute", {"code": code}, {"Accept": "text/event-stream"})
        assert events(answer.body)[-1][1]["result"] == {"n": 1}


# ---- the end -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_idle_daemon_ends_at_once(cordon, path, sig, before):
    daemon = Daemon(cordon, path).wait_ready()
    idle = daemon.connect()
    assert idle.ask("GET", "/v1/health").status == 200
    begun = time.monotonic()
    assert daemon.end(sig) == (0, "")
    assert time.monotonic() - begun < 2 * SLOW
    assert not path.exists()
    assert left_behind(before) == []


def test_a_drain_lets_run_what_runs(cordon, path, before):
    daemon = Daemon(cordon, path).wait_ready()
    code = "import time\ntime.sleep(1)\nresult['x'] = 'x' * (4 << 20)"
    whole, stream = begin(daemon, code), begin(daemon, code, {"Accept": "text/event-stream"})
    idle = daemon.connect()
    assert idle.ask("GET", "/v1/health").status == 200
    running(daemon)
    daemon.process.send_signal(signal.SIGTERM)
    assert wait_until(lambda: not path.exists(), 2)
    with pytest.raises((FileNotFoundError, ConnectionRefusedError)):
        daemon.raw()
    answer = idle.ask("POST", "/v1/execute", {"code": ""})
    assert (answer.status, answer.json["error"]) == (503, "draining")
    response = whole.getresponse()
    assert response.headers["Connection"] == "close"
    assert json.loads(response.read())["status"] == "ok"
    assert events(stream.getresponse().read())[-1][1]["status"] == "ok"
    assert daemon.end(0) == (0, "")
    assert left_behind(before) == []


def answer_of(sock):
    """Status and error of what comes until the end."""
    text = b""
    while piece := sock.recv(65536):
        text += piece
    head, _, body = text.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]


REQUEST = (b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n"
           b'{"code": "' + b"#" * 299_988 + b'"}')


@pytest.mark.parametrize("cut", [30, 60, 200, 250_000], ids=["line", "head", "body", "most"])
def test_a_drain_waits_for_who_is_sending(cordon, path, before, cut):
    daemon = Daemon(cordon, path).wait_ready()
    with daemon.raw() as sock:
        sock.sendall(REQUEST[:cut])
        time.sleep(0.2)
        daemon.process.send_signal(signal.SIGTERM)
        assert wait_until(lambda: not path.exists(), 2)
        time.sleep(0.2)
        sock.sendall(REQUEST[cut:])
        assert answer_of(sock) == (503, "draining")
        assert daemon.end(0) == (0, "")
    assert left_behind(before) == []


def test_a_drain_waits_no_longer_than_its_patience(cordon, path):
    daemon = Daemon(cordon, path, "--patience", 0.5).wait_ready()
    with daemon.raw() as sock:
        sock.sendall(REQUEST[:200])
        time.sleep(0.2)
        begun = time.monotonic()
        assert daemon.end() == (0, "")
        assert time.monotonic() - begun < 2 * SLOW


def test_a_drain_answers_who_had_connected(cordon, path):
    """Forty whole requests that nobody has looked at when the signal comes."""
    daemon = Daemon(cordon, path).wait_ready()
    daemon.process.send_signal(signal.SIGSTOP)
    socks = [daemon.raw() for _ in range(40)]
    for sock in socks:
        sock.sendall(b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n"
                     b'{"code": ""}')
    daemon.process.send_signal(signal.SIGTERM)
    daemon.process.send_signal(signal.SIGCONT)
    answers = [answer_of(sock) for sock in socks]
    assert answers == [(503, "draining")] * 40
    for sock in socks:
        sock.close()
    assert daemon.end(0) == (0, "")


def test_a_drain_answers_who_had_no_room(cordon, path):
    """It takes 50 connections at once, and others have taken those and say nothing."""
    daemon = Daemon(cordon, path, wrap=lambda c: ["prlimit", "--nofile=200:200", *c]).wait_ready()
    silent = [daemon.raw() for _ in range(60)]
    socks = [daemon.raw() for _ in range(10)]
    for sock in socks:
        sock.sendall(REQUEST[:60])
    time.sleep(0.3)
    daemon.process.send_signal(signal.SIGTERM)
    assert wait_until(lambda: not path.exists(), 2)
    time.sleep(0.3)
    assert daemon.process.poll() is None
    for sock in socks:
        sock.sendall(REQUEST[60:])
    assert [answer_of(sock) for sock in socks] == [(503, "draining")] * 10
    assert daemon.end(0) == (0, "")
    for sock in silent + socks:
        sock.close()


def test_who_has_sent_nothing_is_told_by_failing_to_send(cordon, path):
    daemon = Daemon(cordon, path).wait_ready()
    with daemon.raw() as sock:
        assert daemon.end() == (0, "")
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            sock.sendall(b"G")


def test_no_call_is_lost_at_a_drain(cordon, path):
    """Callers that go on and on: each call is done, refused, or could not be sent."""
    daemon = Daemon(cordon, path).wait_ready()

    def call_on():
        ends = collections.Counter()
        while True:
            try:
                sock = daemon.raw()
            except (FileNotFoundError, ConnectionRefusedError):
                return ends
            with sock:
                try:
                    sock.sendall(b"POST /v1/check HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                 b'Content-Length: 12\r\n\r\n{"code": ""}')
                except BrokenPipeError:
                    ends["unsent"] += 1
                    continue
                text = b""
                while piece := sock.recv(65536):
                    text += piece
                ends[text.split(b" ", 2)[1]] += 1

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        callers = [pool.submit(call_on) for _ in range(12)]
        time.sleep(0.5)
        assert daemon.end() == (0, "")
        ends = sum((caller.result() for caller in callers), collections.Counter())
    assert ends[b"200"] > 12 and set(ends) <= {b"200", b"503", "unsent"}, ends


def test_a_second_signal_kills(cordon, path, before):
    daemon = Daemon(cordon, path).wait_ready()
    connections = [begin(daemon, SLEEP), begin(daemon, SLEEP, {"Accept": "text/event-stream"})]
    running(daemon)
    daemon.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert daemon.process.poll() is None
    begun = time.monotonic()
    assert daemon.end(signal.SIGINT) == (128 + signal.SIGINT, "")
    assert time.monotonic() - begun < 2 * SLOW
    assert left_behind(before) == []
    for connection in connections:
        connection.close()


def test_a_killed_daemon_leaves_nothing_running(cordon, path, before):
    daemon = Daemon(cordon, path).wait_ready()
    connection = begin(daemon, SLEEP)
    running(daemon)
    assert daemon.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert left_behind(before) == []
    connection.close()


@pytest.mark.parametrize("busy", [False, True])
def test_until_eof_ends_with_its_client(cordon, tmp_path, busy, before):
    place = tmp_path / "private"
    place.mkdir()
    daemon = Daemon(cordon, place / "s", "--until-eof", stdin=subprocess.PIPE).wait_ready()
    daemon.process.stdin.write(b"hello\n")
    daemon.process.stdin.flush()
    connection = begin(daemon, SLEEP) if busy else daemon.connect()
    if busy:
        running(daemon)
    assert daemon.ask("GET", "/v1/health").status == 200
    begun = time.monotonic()
    daemon.process.stdin.close()
    assert daemon.process.wait(10 * SLOW) == 0
    assert time.monotonic() - begun < 2 * SLOW
    assert daemon.process.stdout.read() + daemon.process.stderr.read() == b""
    daemon.process.stdout.close()
    daemon.process.stderr.close()
    assert left_behind(before) == []
    assert not place.exists()
    connection.close()


def test_until_eof_leaves_a_directory_with_other_things(cordon, tmp_path):
    (tmp_path / "mine").touch()
    daemon = Daemon(cordon, tmp_path / "s", "--until-eof", stdin=subprocess.PIPE).wait_ready()
    assert daemon.process.communicate(timeout=10 * SLOW) == (b"", b"")
    assert os.listdir(tmp_path) == ["mine"]


def test_until_eof_is_refused_where_there_is_none(cordon, path):
    ran = cordon("serve", "--socket", path, "--until-eof", stdin=None)
    assert ran.code in (0, 2)  # pytest's own standard input
    with open("/dev/null", "rb") as null:
        done = subprocess.run([cordon.path, "serve", "--socket", path, "--until-eof"], stdin=null,
                              capture_output=True, check=False, timeout=60)
    assert done.returncode == 2 and b"--until-eof" in done.stderr


# ---- the socket -----------------------------------------------------------------------------------


def refused(cordon, path, *words):
    ran = cordon("serve", "--socket", path)
    assert ran.code == 2 and ran.out == b"" and ran.stderr.count("\n") == 1, ran
    for word in (*words, str(path)):
        assert word in ran.stderr


def test_the_socket_is_its_owners_alone(daemon):
    mode = os.stat(daemon.path).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600


def test_a_live_daemons_socket_is_refused(cordon, daemon):
    refused(cordon, daemon.path, "alive")
    assert daemon.ask("GET", "/v1/health").status == 200


def test_a_dead_daemons_socket_is_taken_over(cordon, path):
    dead = Daemon(cordon, path).wait_ready()
    dead.end(signal.SIGKILL)
    assert path.exists()
    with Daemon(cordon, path) as daemon:
        assert daemon.execute("result['n'] = 1")["status"] == "ok"


def test_what_is_no_socket_stays(cordon, tmp_path):
    file = tmp_path / "file"
    file.write_text("precious")
    refused(cordon, file, "no socket")
    assert file.read_text() == "precious"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    refused(cordon, link, "no socket")
    refused(cordon, tmp_path, "no socket")


def test_a_directory_is_not_made(cordon, tmp_path):
    refused(cordon, tmp_path / "none" / "s", "directory")
    assert not (tmp_path / "none").exists()


def test_a_name_too_long(cordon, tmp_path):
    refused(cordon, tmp_path / ("x" * 100), "107")


def test_a_name_in_the_working_directory(cordon, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Daemon(cordon, "s") as daemon:
        assert daemon.ask("GET", "/v1/health").status == 200
    assert os.listdir(tmp_path) == []


def test_of_many_starters_one_wins(cordon, path):
    Daemon(cordon, path).wait_ready().end(signal.SIGKILL)  # a stale socket to fight over
    daemons = [Daemon(cordon, path) for _ in range(5)]
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        ends = [pool.submit(lambda d=d: d.process.wait()) for d in daemons]
        assert wait_until(lambda: sum(e.done() for e in ends) == 4, 20)
        winner = next(d for d, e in zip(daemons, ends) if not e.done())
        assert winner.ask("GET", "/v1/health").status == 200
        assert winner.end() == (0, "")
        assert sorted(e.result() for e in ends) == [0] + [2] * 4
    for daemon in daemons:
        daemon.process.stdout.close()
        daemon.process.stderr.close()


def test_another_ones_socket_is_not_removed(cordon, path):
    daemon = Daemon(cordon, path).wait_ready()
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(path))
        assert daemon.end() == (0, "")
        assert path.exists()


@pytest.mark.parametrize("args, word", [
    ([], "--socket"),
    (["--socket", ""], "--socket"),
    (["--socket", "s", "more"], "more"),
    (["--socket", "s", "--patience", "0"], "--patience"),
    (["--socket", "s", "--patience", "x"], "--patience"),
    (["--socket", "s", "--drop-wall", "gate"], "--drop-wall"),
    (["--socket", "s", "--config", "/nonexistent"], "--config"),
    (["--socket", "s", "--python", "/nonexistent"], "--python"),
])
def test_bad_command_line(cordon, tmp_path, args, word):
    ran = cordon("serve", *args, cwd=tmp_path)
    assert ran.code == 2 and word in ran.stderr and ran.out == b""
    assert os.listdir(tmp_path) == []


def test_the_man_page_has_every_option(cordon, root):
    told = set(re.findall(r"^  (?:-h, |    )(--[a-z-]+)", cordon("serve", "--help").stdout, re.MULTILINE))
    text = (root / "man/cordon.1.scd").read_text().split("# SERVE")[1].split("\n# ")[0]
    assert told == {"--socket", "--patience", "--until-eof", "--python", "--config", "--help"}
    for option in told - {"--help"}:
        assert f"*{option}*" in text
