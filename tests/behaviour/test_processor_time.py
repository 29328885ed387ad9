# SPDX-License-Identifier: Apache-2.0
"""
Processor time of all processes of a run, also of those that nobody waits for: what the limit counts
is what the envelope tells, and no process counts twice.
"""

import pytest

from support import SLOW
from test_limits import both, profile, run_into  # noqa: F401: a fixture


@pytest.fixture
def limited(profile):  # noqa: F811
    """limited(kind, cpu) -> the arguments."""
    return lambda kind, cpu: (*kind, *profile({"cpu": cpu}, "--approved" in kind))


BURN = """
import os, signal, time

def burn(seconds):
    while time.process_time() < seconds:
        pass
    os._exit(0)

def sow(seconds):
    if (pid := os.fork()) == 0:
        burn(seconds)
    return pid

"""


@both
@pytest.mark.parametrize("code", [
    "while True: pass",
    """
    import os
    for n in range(3):
        if os.fork() == 0:
            while True: pass
    os.wait()
    """,
], ids=["one", "children"])
def test_processor_time(run, limited, kind, code):
    answer = run_into(run, "cpu", code, "--timeout", "20", *limited(kind, "1s"),
                      said="its limit of 1 s")
    assert answer["usage"]["wall_ms"] < 10000 * SLOW
    assert "limits: cpu" in answer["error"]["message"], answer
    assert "it had come to 0." not in answer["error"]["message"], answer
    least = 1000 if "--approved" in kind else 600  # a fresh interpreter's start is not counted
    assert least <= answer["usage"]["cpu_ms"] < 3000 * SLOW, answer


@both
def test_a_limit_as_long_as_the_deadline(run, limited, kind):
    """As the usual ones: several on several processors come to it before the deadline, and to no more."""
    answer = run(BURN + "for n in range(3): sow(9)\nwhile True: pass", None, "--timeout", "2",
                 *limited(kind, "2s"))
    assert answer["status"] in ("limit", "timeout"), answer
    assert answer["usage"]["cpu_ms"] < 2700 * SLOW, answer


UNSEEN = {
    "ignored": """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    pid = sow(0.03)
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass
""",
    "left behind": """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    end, other = os.pipe()
    if os.fork() == 0:
        os.close(end)
        sow(0.03)
        os._exit(0)
    os.close(other)
    os.read(end, 1)
    os.close(end)
""",
    "a chain": """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
if os.fork():
    time.sleep(20)
while True:
    begin = time.process_time()
    while time.process_time() < begin + 0.03:
        pass
    if os.fork():
        os._exit(0)
""",
}


@both
@pytest.mark.parametrize("code", UNSEEN.values(), ids=UNSEEN)
def test_who_nobody_waits_for_counts(run, limited, kind, code):
    """Before there was no limit on it at all: it is not to come to many times the limit."""
    answer = run_into(run, "cpu", BURN + code, "--timeout", "8", *limited(kind, "100ms"),
                      said="its limit of 0.1 s")
    assert 100 <= answer["usage"]["cpu_ms"] < 500 * SLOW, answer


@both
@pytest.mark.parametrize("flags", ["os.WEXITED", "os.WEXITED | os.WNOWAIT"],
                         ids=["waited for", "left as they are"])
def test_children_are_in_the_usage(run, kind, flags):
    answer = run(BURN + f"""
for pid in [sow(0.1) for n in range(3)]:
    os.waitid(os.P_PID, pid, {flags})
if "NOWAIT" in "{flags}":
    time.sleep(0.3)  # until they were looked at
""", None, *kind)
    assert answer["status"] == "ok", answer
    assert 290 <= answer["usage"]["cpu_ms"] < 400 * SLOW, answer


@both
def test_no_process_counts_twice(run, limited, kind):
    answer = run(BURN + """
for n in range(8):
    if os.fork() == 0:
        sow(0.02)
        os.wait()
        burn(0.02)
    os.wait()
""", None, "--timeout", "20", *limited(kind, "400ms"))
    assert answer["status"] == "ok", answer
    assert 310 <= answer["usage"]["cpu_ms"] < 450 * SLOW, answer
