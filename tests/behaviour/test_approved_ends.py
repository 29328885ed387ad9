# SPDX-License-Identifier: Apache-2.0
"""
Approved runs: their limits, and that nothing of them outlives them. Each item holds for root and for
an ordinary user.
"""

import json
import os
import subprocess
import sys
import textwrap

import pytest

import support


# ---- limits ------------------------------------------------------------------------------------


def test_memory_of_one(approve):
    answer = approve("x = bytearray(1536 << 20)")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "memory"), answer


def test_memory_of_all(approve):
    answer = approve("""
        import os, time
        for n in range(6):
            if os.fork() == 0:
                x = bytearray(60 << 20)
                for i in range(0, len(x), 4096):
                    x[i] = 1
                time.sleep(20)
                os._exit(0)
        time.sleep(20)
    """, None, "--memory", "256M")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "memory"), answer


def test_shared_pages_count_once(value):
    assert value("""
        import os, time
        x = bytearray(100 << 20)
        for i in range(0, len(x), 4096):
            x[i] = 1
        pids = []
        for n in range(8):
            pid = os.fork()
            if pid == 0:
                time.sleep(0.3)
                os._exit(0)
            pids.append(pid)
        result["all"] = [os.waitpid(p, 0)[1] for p in pids]
    """, None, "--memory", "256M") == {"all": [0] * 8}


def test_processes(approve):
    answer = approve("""
        import os, time
        for n in range(300):
            if os.fork() == 0:
                time.sleep(10)
                os._exit(0)
        time.sleep(5)
        result["n"] = n
    """)
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "processes"), answer


def test_open_files(approve):
    answer = approve("x = [open('/dev/null') for n in range(1000)]")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "files")


def test_open_files_that_stay_open(approve):
    """The telling needs one, too."""
    answer = approve("import os\nx = []\nwhile True:\n    x.append(os.dup(1))")
    assert (answer["status"], answer["error"]["limit"]) == ("limit", "files")
    assert answer["error"]["traceback"] == (
        'Traceback (most recent call last):\n  File "<code>", line 4, in <module>\n'
        "    x.append(os.dup(1))\n             ^^^^^^^^^\n"
        "OSError: [Errno 24] Too many open files\n")


# ---- the end, of all of it ----------------------------------------------------------------------


SURVIVORS = {
    "daemon": """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for fd in range(3):
                    os.close(fd)
                time.sleep(60)
            os._exit(0)
    """,
    "deaf": """
        import os, signal, time
        r, w = os.pipe()
        if os.fork() == 0:
            for n in range(1, 65):
                try:
                    signal.signal(n, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            os.write(w, b"1")
            while True:
                time.sleep(60)
        os.read(r, 1)
    """,
    "holds stdout": """
        import subprocess
        subprocess.Popen(["sleep", "60"])
    """,
    "nohup": """
        import os
        os.system("nohup setsid sleep 60 >/dev/null 2>&1 &")
    """,
    "fork chain": """
        import os, time
        r, w = os.pipe()
        if os.fork() == 0:
            os.write(w, b"1")
            for n in range(60):
                time.sleep(0.01)
                if os.fork():
                    os._exit(0)
                os.setsid()
            time.sleep(60)
            os._exit(0)
        os.read(r, 1)
    """,
}


@pytest.mark.parametrize("how", ["normal", "error", "timeout", "crash"])
@pytest.mark.parametrize("kind", sorted(SURVIVORS))
def test_survivors(cordon, kind, how):
    """In a process of its own, which adopts whatever is left behind."""
    end = {"normal": "result['n'] = 1", "error": "raise ValueError",
           "timeout": "import time\ntime.sleep(60)",
           "crash": "import os\nos.abort()"}[how]
    code = textwrap.dedent(SURVIVORS[kind]) + end
    script = f"""
import json, os, subprocess, sys, time
sys.path.insert(0, {str(support.HERE)!r})
import support
support.adopt_orphans()
start = time.monotonic()
done = subprocess.run([{cordon.path!r}, "run", "--json", "--approved", "--timeout", "2", "-"],
                      input={code!r}.encode(), capture_output=True)
took = time.monotonic() - start
left = support.left_behind(seconds=0.1)
print(json.dumps([json.loads(done.stdout)["status"], took, [repr(p) for p in left]]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=60, check=False)
    status, took, left = json.loads(done.stdout)
    assert status == {"normal": "ok", "error": "error", "timeout": "timeout",
                      "crash": "crashed"}[how]
    assert left == []
    assert took < (10 if how == "timeout" else 8) * support.SLOW


def test_the_command_killed(cordon, tmp_path):
    """SIGKILL of the host program is the end of the run, and of its directory."""
    script = f"""
import json, os, signal, subprocess, sys, time
sys.path.insert(0, {str(support.HERE)!r})
import support
support.adopt_orphans()
p = subprocess.Popen([{cordon.path!r}, "run", "--approved", "-"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE)
p.stdin.write(b"import os, time\\nprint(os.getcwd(), flush=True)\\ntime.sleep(60)\\n")
p.stdin.close()
cwd = p.stdout.readline().decode().strip()
p.kill()
p.wait()
left = support.left_behind(seconds=0.5)
print(json.dumps([cwd, os.path.exists(cwd), [repr(q) for q in left]]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          timeout=60, check=False)
    cwd, exists, left = json.loads(done.stdout)
    assert cwd.startswith("/") and not exists
    assert left == []


def test_many_in_one_host_program(cordon, tmp_path):
    program = support.build_host(cordon, "approved", tmp_path)
    script = f"""
import json, subprocess, sys
sys.path.insert(0, {str(support.HERE)!r})
import support
support.adopt_orphans()
done = subprocess.run([{str(program)!r}, {str(support.helper_dir_of(cordon))!r}],
                      capture_output=True, text=True)
left = support.left_behind(seconds=0.5)
print(json.dumps([done.returncode, done.stderr, [repr(p) for p in left]]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
                          timeout=120 * support.SLOW, check=False)
    assert json.loads(done.stdout) == [0, "", []]
    assert not list(tmp_path.glob("cordon-*"))
