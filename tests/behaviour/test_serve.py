# SPDX-License-Identifier: Apache-2.0
"""cordon serve: the endpoints: what is asked, what is answered, what is refused."""

import concurrent.futures
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import pytest

from http_client import Daemon, events
from support import SANITIZED, SLOW, THREADED, as_nobody, descendants, wait_until, why_not_nobody


@pytest.fixture(scope="module")
def daemon(cordon, tmp_path_factory):
    with Daemon(cordon, tmp_path_factory.mktemp("serve") / "s") as found:
        yield found


@pytest.fixture(scope="module")
def impatient(cordon, tmp_path_factory):
    with Daemon(cordon, tmp_path_factory.mktemp("serve") / "s", "--patience", SLOW) as found:
        yield found


def same(envelope):
    """An envelope without what differs from run to run."""
    return {k: v for k, v in envelope.items() if k != "usage"}


def test_health(daemon, cordon):
    answer = daemon.ask("GET", "/v1/health")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json.pop("level") in ("full", "degraded")
    assert {k: v for k, v in answer.json.items() if k != "level"} == {
        "status": "ready",
        "version": cordon("--version").stdout.split()[-1],
        "profiles": ["strict"],
    }


# ---- execute ---------------------------------------------------------------------------


@pytest.mark.parametrize("code, input, args, members, status", [
    ("result['n'] = input_data['n'] + 1\nprint('é')", {"n": 2**70}, [], {}, "ok"),
    ("import os", None, [], {}, "needs_approval"),
    ("1 / 0", None, [], {}, "error"),
    ("def f(:", None, [], {}, "needs_approval"),
    ("n = 0\nwhile True:\n    n += 1", None, ["--timeout", "0.3"], {"limits": {"wall_ms": 300}}, "timeout"),
    ("result['x'] = 'x' * (65 << 20)", None, [], {}, "limit"),
    ("result['x'] = float('nan')", None, [], {}, "ok"),
    ("import sys\nsys.exit(3)", None, ["--approved"], {"approved": True}, "error"),
    ("print('x' * 2_000_000)", None, [], {"approved": False, "profile": "strict"}, "ok"),
])
def test_the_answer_is_the_commands(daemon, run, code, input, args, members, status):
    if input is not None:
        members = {**members, "input_data": input}
    got, wanted = daemon.execute(code, **members), run(code, input, *args)
    assert got["status"] == wanted["status"] == status
    if status == "timeout":  # the line that ran is a matter of luck
        got["error"].pop("line", None), wanted["error"].pop("line", None)
        got["error"].pop("message"), wanted["error"].pop("message")
        got["error"].pop("traceback", None), wanted["error"].pop("traceback", None)
    assert same(got) == same(wanted)


def test_nan_as_python_writes_it(daemon):
    answer = daemon.ask("POST", "/v1/execute", {"code": "result['x'] = [float('inf'), float('nan')]",
                                                "nonfinite": "literal"})
    assert b'"result": {"x":[Infinity,NaN]}' in answer.body
    assert daemon.execute("result['x'] = float('nan')", nonfinite="null")["result"] == {"x": None}


def test_input_passes_as_it_is_written(daemon):
    answer = daemon.ask("POST", "/v1/execute", (
        b'{"input_data" : {"a": 1.10, "b": 123456789012345678901234567890, "c": "\\ud800\\u0000",'
        b' "d": {"code": "]}"}, "e": "\\\\\\"", "a\\"": []} ,\n'
        b'"code": "result[\'all\'] = input_data"}'))
    assert answer.status == 200
    assert answer.json["result"]["all"] == {
        "a": 1.1, "b": 123456789012345678901234567890, "c": "\ud800\0", "d": {"code": "]}"},
        "e": '\\"', 'a"': []}


def test_code_is_text_with_escapes(daemon):
    answer = daemon.ask("POST", "/v1/execute",
                        b'{"c\\u006fde": "result[\'x\'] = \'\\u00e9\\ud83d\\ude00\'\\r\\n#"}')
    assert answer.json["result"] == {"x": "é😀"}


def test_ten_mebibytes_in_and_out(daemon):
    text = "é" * (5 << 20)
    envelope = daemon.execute("result['x'] = input_data['x']", input_data={"x": text})
    assert envelope["result"] == {"x": text}


@pytest.mark.skipif(SANITIZED or THREADED, reason="the sanitizer's own memory is in the way")
@pytest.mark.parametrize("code, size_in, copies", [
    ("result['n'] = len(input_data['x'])", 48 << 20, 2.2),
    ("result['x'] = 'x' * (15 << 20)", 0, 2.2),
])
def test_memory_is_bounded_and_given_back(cordon, tmp_path, code, size_in, copies):
    body = json.dumps({"code": code, "input_data": {"x": "y" * size_in}}).encode()
    with Daemon(cordon, tmp_path / "s") as daemon:
        daemon.execute("")
        before = daemon.status("VmRSS")
        answer = daemon.ask("POST", "/v1/execute", body)
        assert answer.status == 200 and answer.json["status"] == "ok"
        peak = daemon.status("VmHWM") - before
        assert peak < copies * max(len(body), len(answer.body)) + (2 << 20)
        assert wait_until(lambda: daemon.status("VmRSS") < before + (4 << 20), 5)


def test_what_an_approved_run_gets(daemon):
    code = "import os\nresult['e'] = dict(os.environ)"
    given = {"A": "1", "NAME": "é = \n", "MY_TOKEN": "x", "PATH": "/bin"}
    got = daemon.execute(code, approved=True, environ=given)["result"]["e"]
    assert {k: got.get(k) for k in given} == {**given, "MY_TOKEN": None}
    got = daemon.execute(code, approved=True)["result"]["e"]
    assert {"PATH", "HOME", "LANG"} <= set(got) <= {
        "PATH", "HOME", "LANG", "PYTHONDONTWRITEBYTECODE", "PYTHONUTF8", "PYTHONIOENCODING",
        "ASAN_OPTIONS", "LD_PRELOAD"}
    got = daemon.execute(code, approved=True, environ={})["result"]["e"]
    assert "PATH" not in got


def test_profiles_of_a_configuration(cordon, tmp_path):
    config = tmp_path / "cordon.yaml"
    config.write_text("profiles:\n  - name: ungated\n    from: strict\n    gate: off\n"
                      "  - name: short\n    from: strict\n    limits:\n      wall: 1s\n")
    with Daemon(cordon, tmp_path / "s", "--config", config) as daemon:
        assert daemon.ask("GET", "/v1/health").json["profiles"] == ["strict", "ungated", "short"]
        assert daemon.execute("exec('result[\"n\"] = 1')")["status"] == "needs_approval"
        envelope = daemon.execute("import json\nresult['n'] = 1\n().__class__", profile="ungated")
        assert envelope["warnings"] is None and envelope["profile"] == "ungated"
        answer = daemon.ask("POST", "/v1/execute", {"code": "", "profile": "short",
                                                    "limits": {"wall_ms": 1001}})
        assert (answer.status, answer.json["field"]) == (400, "limits.wall_ms")


# ---- check -----------------------------------------------------------------------------


def test_check(daemon, cordon, tmp_path):
    codes = {"a.py": "import os\n", "b.py": "result['n'] = 1\n", "c.py": "def f(:\n"}
    for name, code in codes.items():
        (tmp_path / name).write_text(code)
    wanted = json.loads(cordon("check", "--json", *codes, cwd=tmp_path).stdout)
    files = [{"name": name, "code": code} for name, code in codes.items()]
    assert daemon.ask("POST", "/v1/check", {"files": files}).json == wanted
    for file, verdict in zip(files, wanted):
        answer = daemon.ask("POST", "/v1/check", {"code": file["code"], "profile": "strict"})
        assert answer.json == {**verdict, "file": None}


def test_check_of_many_files_keeps_their_order(daemon):
    files = [{"name": str(i), "code": "import os" if i % 3 else "1"} for i in range(150)]
    verdicts = daemon.ask("POST", "/v1/check", {"files": files}).json
    assert [v["file"] for v in verdicts] == [f["name"] for f in files]
    assert [len(v["warnings"]) for v in verdicts] == [int(i % 3 > 0) for i in range(150)]
    assert daemon.ask("POST", "/v1/check", {"files": []}).json == []


def test_a_file_that_cannot_be_checked_stops_no_other(daemon):
    files = [{"code": "\0"}, {"code": "1"}, {"code": "x" * (65 << 20), "name": "long"}]
    verdicts = daemon.ask("POST", "/v1/check", {"files": files}).json
    assert [v["status"] for v in verdicts] == ["needs_approval", "ok", "unreadable"]
    answer = daemon.ask("POST", "/v1/check", {"code": "x" * (65 << 20)})
    assert (answer.status, answer.json["field"]) == (400, "code")


# ---- what is refused ----------------------------------------------------------------------


DEEP = b"[" * 100_000

BAD = [
    (b"", "bad_json", None),
    (b"nonsense", "bad_json", None),
    (b"[]", "bad_json", None),
    (b"{", "bad_json", None),
    (b'{"code": ""', "bad_json", None),
    (b'{"code": ""}}', "bad_json", None),
    (b'{"code": "",}', "bad_json", None),
    (b'{"code" ""}', "bad_json", None),
    (b"{'code': ''}", "bad_json", None),
    (b'{"code": "}', "bad_json", None),
    (b'{"code": "\\x"}', "bad_json", "code"),
    (b'{"code": "\xff"}', "bad_json", "code"),
    (b'{"code": "", "limits": {"wall_ms": 10\0}}', "bad_json", "limits"),
    (b'{"code": "a\0b"}', "bad_json", "code"),
    (b'{"code": "\xed\xa0\x80"}', "bad_json", "code"),
    (b'{"code": "\\ud800"}', "bad_json", "code"),
    (b'{"code": "\n"}', "bad_json", "code"),
    (b"{}", "missing_field", "code"),
    (b'{"code": 1}', "bad_type", "code"),
    (b'{"code": null}', "bad_type", "code"),
    (b'{"code": ["' + b"x" * 1000 + b'"]}', "bad_type", "code"),
    (b'{"code": "", "code": ""}', "duplicate_field", "code"),
    (b'{"code": "", "c\\u006fde": ""}', "duplicate_field", "code"),
    (b'{"code": "", "Code": ""}', "unknown_field", "Code"),
    (b'{"code": "", "x\xc3\xa9": ' + DEEP + b"}", "bad_json", None),
    (b'{"code": "", "\xff": 1}', "bad_json", None),
    (b'{"code": "", "drop_walls": ["seccomp"]}', "unknown_field", "drop_walls"),
    (b'{"code": "", "config": "/x"}', "unknown_field", "config"),
    (b'{"code": "", "' + b"n" * 500 + b'": 1}', "unknown_field", "n" * 95),
    (b'{"code": "", "input_data": []}', "bad_type", "input_data"),
    (b'{"code": "", "input_data": null}', "bad_type", "input_data"),
    (b'{"code": "", "input_data": {"a": [}]}', "bad_value", "input_data"),
    (b'{"code": "", "input_data": {"a": [}}', "bad_json", None),
    (b'{"code": "", "input_data": {"a": "\xff"}}', "bad_value", "input_data"),
    (b'{"code": "", "input_data": {"a": NaN}}', "bad_value", "input_data"),
    (b'{"code": "", "input_data": {"a": ' + b"[" * 1001 + b"]" * 1001 + b"}}", "bad_value", "input_data"),
    (b'{"code": "", "input_data": {"a": ' + DEEP + b"]" * 100_000 + b"}}", "bad_value", "input_data"),
    (b'{"code": "", "approved": 1}', "bad_type", "approved"),
    (b'{"code": "", "approved": "true"}', "bad_type", "approved"),
    (b'{"code": "", "approved": tru}', "bad_type", "approved"),
    (b'{"code": "", "profile": "none"}', "bad_value", "profile"),
    (b'{"code": "", "profile": "a\\u0000b"}', "bad_json", "profile"),
    (b'{"code": "", "nonfinite": "maybe"}', "bad_value", "nonfinite"),
    (b'{"code": "", "nonfinite": true}', "bad_type", "nonfinite"),
    (b'{"code": "", "limits": 3}', "bad_type", "limits"),
    (b'{"code": "", "limits": {"wall_ms": 1.5}}', "bad_type", "limits.wall_ms"),
    (b'{"code": "", "limits": {"wall_ms": 0}}', "bad_value", "limits.wall_ms"),
    (b'{"code": "", "limits": {"wall_ms": -1}}', "bad_value", "limits.wall_ms"),
    (b'{"code": "", "limits": {"wall_ms": 30001}}', "bad_value", "limits.wall_ms"),
    (b'{"code": "", "limits": {"wall_ms": 99999999999999999999}}', "bad_json", "limits"),
    (b'{"code": "", "limits": {"memory_bytes": 1}}', "bad_value", "limits.memory_bytes"),
    (b'{"code": "", "limits": {"tasks": 1, "tasks": 2}}', "duplicate_field", "limits"),
    (b'{"code": "", "limits": {"gate": 1}}', "unknown_field", "limits.gate"),
    (b'{"code": "", "limits": {"": 1}}', "unknown_field", "limits."),
    (b'{"code": "", "limits": {"a\\u0000b": 1}}', "bad_json", "limits"),
    (b'{"code": "", "": 1}', "unknown_field", ""),
    (b'{"": "", "": 1}', "unknown_field", ""),
    (b'{"code": "", "\\u0000": 1}', "bad_json", None),
    (b'{"code": "", "limits": {"a": ' + DEEP + b"]" * 100_000 + b"}}", "bad_json", "limits"),
    (b'{"code": "", "environ": {}}', "bad_value", "environ"),
    (b'{"code": "", "approved": true, "environ": []}', "bad_type", "environ"),
    (b'{"code": "", "approved": true, "environ": {"A": 1}}', "bad_type", "environ.A"),
    (b'{"code": "", "approved": true, "environ": {"A=B": ""}}', "bad_value", "environ.A=B"),
    (b'{"code": "", "approved": true, "environ": {"": ""}}', "bad_value", "environ."),
    (b'{"code": "", "approved": true, "environ": {"A": "\\u0000"}}', "bad_json", "environ"),
]


@pytest.mark.parametrize("body, error, field", BAD, ids=range(len(BAD)))
def test_bad_requests(daemon, body, error, field):
    answer = daemon.ask("POST", "/v1/execute", body)
    assert answer.status == 400
    assert answer.headers["Content-Type"] == "application/json"
    assert set(answer.json) == {"error", "field", "message"}
    assert (answer.json["error"], answer.json["field"]) == (error, field), answer.json
    assert answer.json["message"]


@pytest.mark.parametrize("body, error, field", [
    (b"{}", "missing_field", "code"),
    (b'{"code": "", "files": []}', "bad_value", "files"),
    (b'{"code": "", "approved": true}', "unknown_field", "approved"),
    (b'{"files": {}}', "bad_type", "files"),
    (b'{"files": [1]}', "bad_type", "files[0]"),
    (b'{"files": [{"code": ""}, {}]}', "missing_field", "files[1].code"),
    (b'{"files": [{"code": "", "name": 1}]}', "bad_type", "files[0].name"),
    (b'{"files": [{"code": "", "kind": 1}]}', "unknown_field", "files[0].kind"),
    (b'{"files": [{"code": "", "code": ""}]}', "duplicate_field", "files[0].code"),
    (b'{"files": [{"code": "", "": ""}]}', "unknown_field", "files[0]."),
    (b'{"files": [{"code": ""}, {"code": "", "\\u0000": ""}]}', "bad_json", "files[1]"),
    (b'{"files": [{"code": ""}, {"code" ""}]}', "bad_json", "files[1]"),
    (b'{"files": [{"code": "x}]}', "bad_json", None),
    (b'{"files": [{"code": ""},]}', "bad_json", "files"),
    (b'{"files": [' + b",".join([b'{"code":""}'] * 10_001) + b"]}", "bad_value", "files"),
    (b'{"code": "", "profile": "none"}', "bad_value", "profile"),
])
def test_bad_checks(daemon, body, error, field):
    answer = daemon.ask("POST", "/v1/check", body)
    assert answer.status == 400
    assert (answer.json["error"], answer.json["field"]) == (error, field), answer.json


def test_the_deepest_input_there_may_be(daemon):
    body = b'{"code": "", "input_data": {"a": ' + b"[" * 999 + b"]" * 999 + b"}}"
    assert daemon.ask("POST", "/v1/execute", body).json["status"] == "ok"


@pytest.mark.parametrize("method, target, status, allow", [
    ("GET", "/", 404, None),
    ("POST", "/v1/executes", 404, None),
    ("POST", "/v1/execute/", 404, None),
    ("GET", "/v1/health%00", 404, None),
    ("GET", "/v1/he%61lth", 404, None),
    ("GET", "http://cordon", 404, None),
    ("GET", "http://cordon/v1/execute", 405, "POST"),
    ("GET", "/v1/execute", 405, "POST"),
    ("PUT", "/v1/check", 405, "POST"),
    ("DELETE", "/v1/check", 405, "POST"),
    ("POST", "/v1/health", 405, "GET"),
])
def test_no_such_place(daemon, method, target, status, allow):
    body = b"x" * 1_000_000 if method in ("POST", "PUT") else None
    connection = daemon.connect()
    answer = connection.ask(method, target, body)
    assert connection.ask("GET", "/v1/health").status == 200  # it goes on
    connection.close()
    assert (answer.status, answer.headers.get("Allow")) == (status, allow)
    assert set(answer.json) == {"error", "field", "message"}


@pytest.mark.parametrize("target", ["/v1/health", "/v1/health?a=%00", "http://cordon/v1/health",
                                    "HTTP://x:1/v1/health"])
def test_where_health_is(daemon, target):
    assert daemon.ask("GET", target).json["status"] == "ready"


def test_a_body_too_large_is_refused_before_it_is_sent(daemon):
    with daemon.raw() as sock:
        sock.sendall(b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nContent-Length: 400000000\r\n"
                     b"Expect: 100-continue\r\n\r\n")
        answer = sock.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 413 ") and b'"too_large"' in answer


@pytest.mark.parametrize("request_bytes", [
    b"GET /v1/health HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    b"GET /" + b"y" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x00\xff\x16\x03\x01 nonsense\r\n\r\n",
    b"GET /v1/health\r\n\r\n",
    b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"zz\r\n",
], ids=["long header", "long target", "no text", "no version", "no length", "no chunk"])
def test_no_request_at_all_leaves_the_daemon_standing(impatient, request_bytes):
    with impatient.raw() as sock:
        try:
            sock.sendall(request_bytes)
            sock.shutdown(socket.SHUT_WR)
            said = sock.makefile("rb").read()
        except (BrokenPipeError, ConnectionResetError):
            said = b""
    assert said == b"" or b" 4" in said[:13] or b" 501" in said[:13] or b" 200" in said[:13], said[:200]
    assert impatient.ask("GET", "/v1/health").status == 200


# ---- the connection -------------------------------------------------------------------------


def test_one_connection_for_many_requests(daemon):
    connection = daemon.connect()
    for i in range(5):
        answer = connection.ask("POST", "/v1/execute", {"code": f"result['i'] = {i}"})
        assert answer.json["result"] == {"i": i}
        assert connection.ask("POST", "/v1/execute", b"{").status == 400
        assert connection.ask("GET", "/v1/health").status == 200
    connection.close()


def test_pipelined_requests_are_answered_in_order(daemon):
    with daemon.raw() as sock:
        for i in range(5):
            body = json.dumps({"code": f"result['i'] = {i}"}).encode()
            sock.sendall(b"POST /v1/execute HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n%s"
                         % (len(body), b"Connection: close\r\n" if i == 4 else b"", body))
        answers = sock.makefile("rb").read()
    places = [answers.index(b'"result": {"i":%d}' % i) for i in range(5)]
    assert places == sorted(places)


def test_a_body_in_chunks(daemon):
    def pieces():
        yield b'{"code": "result['
        yield b"'n'] = 1\"}"

    connection = daemon.connect()
    connection.request("POST", "/v1/execute", pieces(), {"Transfer-Encoding": "chunked"},
                       encode_chunked=True)
    assert json.loads(connection.getresponse().read())["result"] == {"n": 1}
    connection.close()


def test_a_body_byte_by_byte(daemon):
    body = b'{"code": "result[\'n\'] = 1"}'
    with daemon.raw() as sock:
        for byte in b"POST /v1/execute HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body):
            sock.sendall(bytes([byte]))
        assert b'"result": {"n":1}' in sock.makefile("rb").read()


def test_a_hundred_at_once(daemon):
    def one(i):
        return daemon.execute("result['i'] = input_data['i']", input_data={"i": i})["result"]["i"]

    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        assert list(pool.map(one, range(100))) == list(range(100))


def test_requests_do_not_wait_for_each_other(daemon):
    slow = daemon.connect()
    slow.request("POST", "/v1/execute", json.dumps({"code": "import time\ntime.sleep(3)"}).encode())
    begun = time.monotonic()
    assert daemon.execute("result['n'] = 1")["status"] == "ok"
    assert time.monotonic() - begun < 2
    slow.close()


# ---- events ---------------------------------------------------------------------------------


def stream(daemon, code, **members):
    return daemon.ask("POST", "/v1/execute", {"code": code, **members},
                      {"Accept": "application/json, text/event-stream"})


def told(found, name):
    return "".join(data for event, data in found if event == name)


def test_events_come_while_it_runs(daemon):
    connection = daemon.connect()
    connection.request("POST", "/v1/execute", json.dumps({
        "code": "import time\nprint('a', flush=True)\ntime.sleep(1)\nprint('b')\nresult['n'] = 1",
    }).encode(), {"Accept": "text/event-stream"})
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream"
    first = [response.readline() for _ in range(3)]
    begun = time.monotonic()
    assert first == [b"event: stdout\n", b'data: "a\\n"\n', b"\n"]
    rest = events(response.read())
    assert time.monotonic() - begun > 0.5
    assert [name for name, _ in rest] == ["stdout", "envelope"]
    assert rest[-1][1]["result"] == {"n": 1} and rest[-1][1]["stdout"] == "a\nb\n"
    connection.close()


@pytest.mark.parametrize("code", [
    "for i in range(300): print('é😀' * (i * 7 % 50), i)",
    "import os, time\nfor b in 'é😀x'.encode() * 20:\n    os.write(1, bytes([b]))\n    time.sleep(0.002)",
    "import os\nos.write(1, b'a\\xffb\\xe2\\x82')\nos.write(2, b'\\xf0\\x9f')",
    "import sys\nprint('é' * 2_000_000)\nprint('x', file=sys.stderr)",
    "print('a\\x00b\\r\\n\\u2028')",
    "1 / 0",
    "",
])
def test_the_pieces_are_the_whole(daemon, code):
    answer = stream(daemon, code, approved=True)
    found = events(answer.body)
    names = [name for name, _ in found]
    assert answer.status == 200 and names.count("envelope") == 1 and names[-1] == "envelope"
    envelope = found[-1][1]
    assert told(found, "stdout") == envelope["stdout"]
    assert told(found, "stderr") == envelope["stderr"]
    assert "" not in [data for name, data in found[:-1]]
    assert same(envelope) == same(daemon.execute(code, approved=True))


def test_what_is_refused_is_no_stream(daemon):
    answer = daemon.ask("POST", "/v1/execute", b"{}", {"Accept": "text/event-stream"})
    assert (answer.status, answer.headers["Content-Type"]) == (400, "application/json")


def test_a_large_result_in_a_stream(daemon):
    found = events(stream(daemon, "result['x'] = 'é' * (4 << 20)").body)
    assert found[-1][1]["result"] == {"x": "é" * (4 << 20)}


# ---- who calls --------------------------------------------------------------------------------


ASK = """
import socket, sys
with socket.socket(socket.AF_UNIX) as sock:
    sock.connect(sys.argv[1])
    sock.sendall(sys.argv[2].encode())
    print(sock.makefile().read())
"""


@pytest.fixture
def open_directory():
    """One that an ordinary user can reach."""
    path = tempfile.mkdtemp(prefix="cordon-test-")
    os.chmod(path, 0o777)
    yield path
    shutil.rmtree(path)


def test_another_user_is_not_served(cordon, open_directory):
    why = why_not_nobody(cordon.path)
    if why:
        pytest.skip(why)
    with Daemon(cordon, open_directory + "/s") as daemon:
        request = "GET /v1/health HTTP/1.0\r\n\r\n"
        ask = as_nobody([sys.executable, "-c", ASK, daemon.path, request])
        assert b"PermissionError" in subprocess.run(ask, capture_output=True, check=False).stderr
        os.chmod(daemon.path, 0o666)  # what the mode keeps out, the daemon does, too
        said = subprocess.run(ask, capture_output=True, text=True, check=False).stdout
        assert "403" in said.split("\n")[0] and '"forbidden"' in said


def test_root_may_call_an_ordinary_users_daemon_but_name_no_environment(cordon, open_directory):
    why = why_not_nobody(cordon.path)
    if why:
        pytest.skip(why)
    with Daemon(cordon, open_directory + "/s", wrap=as_nobody) as daemon:
        assert daemon.execute("result['n'] = 1")["status"] == "ok"
        answer = daemon.ask("POST", "/v1/execute", {"code": "", "approved": True, "environ": {}})
        assert (answer.status, answer.json["field"]) == (403, "environ")


# ---- nothing stays ------------------------------------------------------------------------------


def test_nothing_gathers(daemon):
    for approved in (False, True, False):
        daemon.execute("result['n'] = 1", approved=approved)
    before = daemon.descriptors()
    for _ in range(10):
        daemon.execute("import os\nos.spawnlp(os.P_WAIT, 'true', 'true')", approved=True)
        daemon.ask("POST", "/v1/execute", b"{")
        stream(daemon, "print(1)")
    assert wait_until(lambda: daemon.descriptors() <= before, 5), (before, daemon.descriptors())
    dead = lambda: [p for p in descendants(daemon.pid, zombies=True) if p.state == "Z"]
    assert wait_until(lambda: not dead(), 5), dead()
