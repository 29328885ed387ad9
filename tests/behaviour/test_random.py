# SPDX-License-Identifier: Apache-2.0
"""
No two sandboxes of one engine share a random stream, a clock sequence or anything else
that one could write and the other read, although all are copies of one process.
"""

import os
import subprocess

import pytest

from support import Many, without_gate

run = without_gate

DRAW = """
import random, uuid, hashlib, time
result = {
    "random": random.random(), "bits": random.getrandbits(64), "gauss": random.gauss(0, 1), "choice": random.sample(range(10**9), 3),
    "new": random.Random().random(), "system": random.SystemRandom().random(), "bytes": random.randbytes(8).hex(),
    "uuid4": str(uuid.uuid4()),
    "hashed": random.Random(hashlib.sha256(uuid.uuid4().bytes + random.randbytes(4)).digest()).random(),
}
random.seed()
result["reseeded"] = random.random()
"""


@pytest.fixture(scope="module")
def many(cordon, tmp_path_factory):
    return Many(cordon, tmp_path_factory.mktemp("many"))


def results(envelopes):
    for envelope in envelopes:
        assert envelope["status"] == "ok", envelope
    return [envelope["result"] for envelope in envelopes]


def test_every_generator_differs_in_every_sandbox(many):
    drawn = results(many([DRAW] * 24))
    for name in drawn[0]:
        values = [repr(d[name]) for d in drawn]
        assert len(set(values)) == len(values), (name, values)


def test_a_seed_still_gives_its_own_stream(many):
    code = "import random\nrandom.seed(42)\nresult = {'r': random.random(), 's': random.Random('x').randint(1, 10**6)}"
    drawn = results(many([code] * 4))
    assert {d["r"] for d in drawn} == {0.6394267984578837}
    assert len({d["s"] for d in drawn}) == 1


def test_generators_behind_the_interpreter_wall_differ_too(many):
    code = """
import os, secrets, tempfile, random
result = {"urandom": os.urandom(8).hex(), "secrets": secrets.token_hex(8), "random": random.random(),
          "temp": next(tempfile._get_candidate_names())}
"""
    drawn = results(many([code] * 8, drop="interpreter"))
    for name in drawn[0]:
        assert len({d[name] for d in drawn}) == len(drawn), name


PRELOAD = """
import ctypes, glob, sys
sys.path += glob.glob("/usr/lib/python3/dist-packages")
for name in ("blas/libblas.so.3", "lapack/liblapack.so.3"):
    for path in glob.glob("/usr/lib/*/" + name):
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
try:
    import numpy.random
    numpy.random.rand()
except ImportError:
    pass
"""


@pytest.fixture(scope="module")
def numpy_python(tmp_path_factory):
    """An environment whose Python has numpy loaded before the zygote forks anything."""
    folder = tmp_path_factory.mktemp("data") / "venv"
    env = {**os.environ, "PATH": "/usr/bin:" + os.environ.get("PATH", "")}
    make = ["python3", "-m", "venv", "--without-pip", "--system-site-packages", str(folder)]
    if subprocess.run(make, check=False, capture_output=True, env=env).returncode != 0:
        pytest.skip("the host's python3 cannot make a virtual environment")
    (packages,) = folder.glob("lib/python3.*/site-packages")
    (packages / "preload_numpy.py").write_text(PRELOAD)
    (packages / "preload.pth").write_text("import preload_numpy\n")
    return folder / "bin" / "python"


def test_numpys_generator_differs_although_the_zygote_has_drawn_from_it(many, numpy_python):
    code = """
import sys
numpy = sys.modules.get("numpy")
result["r"] = numpy and [float(x) for x in numpy.random.rand(3)]
result["new"] = numpy and float(numpy.random.default_rng().random())
"""
    drawn = results(many([code] * 6, drop="interpreter", python=numpy_python))
    if drawn[0]["r"] is None:
        pytest.skip("the host's python3 has no numpy")
    for name in ("r", "new"):
        assert len({repr(d[name]) for d in drawn}) == len(drawn), name


def test_string_hashes_differ_between_engines(run):
    """Sandboxes of one zygote share the hash secret (documented); two zygotes do not."""
    assert run("result['h'] = hash('cordon')")["result"] != run("result['h'] = hash('cordon')")["result"]


MARK = """
import json, math, random, decimal, collections, statistics
seen = [hasattr(json, "mark"), hasattr(math, "mark"), hasattr(str, "mark"), "mark" in json.__dict__,
        decimal.getcontext().prec != 28, "mark" in collections.abc.__dict__, hasattr(statistics.mean, "mark")]
json.mark = math.mark = collections.abc.mark = statistics.mean.mark = 1
json.dumps = None
decimal.getcontext().prec = 5
result["seen"] = seen
"""


def test_what_one_execution_changes_no_other_sees(many):
    assert results(many([MARK] * 12, width=3)) == [{"seen": [False] * 7}] * 12


LEAVE = """
import os, builtins, sys, tempfile
seen = [hasattr(builtins, "mark"), "MARK" in os.environ, os.listdir("."), hasattr(sys, "mark")]
builtins.mark = sys.mark = 1
os.environ["MARK"] = "1"
for base in (".", "..", "/", "/tmp", "/dev/shm", "/var/tmp", "/work", tempfile.gettempdir()):
    name = os.path.join(base, "mark")
    seen.append(os.path.exists(name))
    try:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pass
result["seen"] = seen
"""


def test_nor_behind_the_interpreter_wall(many):
    for got in results(many([LEAVE] * 8, width=2, drop="box")):
        assert got["seen"][:4] == [False, False, [], False]
        # "." and what leads to it hold what this run itself has just made, at most.
        assert got["seen"][4] is False and not any(got["seen"][7:9])


def test_a_finished_sandbox_is_gone_and_never_used_again(many):
    code = """
import os, time
result = {"pid": os.getpid(), "born": time.clock_gettime(time.CLOCK_MONOTONIC), "n": globals().setdefault("n", 0)}
n += 1
"""
    drawn = results(many([code] * 10, width=1, drop="interpreter"))
    assert [d["n"] for d in drawn] == [0] * 10
    assert {d["pid"] for d in drawn} == {1}
    assert len({d["born"] for d in drawn}) == 10


def test_the_cli_gives_new_numbers_each_time(run):
    drawn = [run(DRAW)["result"] for _ in range(3)]
    for name in drawn[0]:
        assert len({repr(d[name]) for d in drawn}) == 3, name


def test_kernel_objects_are_not_shared(many):
    """Abstract sockets, System V memory, message queues, keys: of one sandbox alone."""
    code = """
import ctypes, socket, os
libc = ctypes.CDLL(None, use_errno=True)
seen = []
s = socket.socket(socket.AF_UNIX)
try:
    s.connect("\\0cordon-mark")
    seen.append("abstract")
except OSError:
    pass
t = socket.socket(socket.AF_UNIX)
try:
    t.bind("\\0cordon-mark")
    t.listen(1)
except OSError:
    pass
if libc.shmget(0x43510001, 4096, 0) >= 0:
    seen.append("shm")
libc.shmget(0x43510001, 4096, 0o1666)
if libc.msgget(0x43510001, 0) >= 0:
    seen.append("msg")
libc.msgget(0x43510001, 0o1666)
if libc.mq_open(b"/cordon_mark", 0) >= 0:
    seen.append("mq")
libc.mq_open(b"/cordon_mark", 0o102, 0o666, None)
result["seen"] = seen
"""
    assert results(many([code] * 6, width=2, drop="box")) == [{"seen": []}] * 6
