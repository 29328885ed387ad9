# SPDX-License-Identifier: Apache-2.0
"""Client and AsyncClient: the whole envelope, streams, checks, refusals."""

import asyncio
import inspect
import time

import cordon
import pytest
from conftest import SLOW, ROOT

client = cordon.Client()
aclient = cordon.AsyncClient()

SLOWLY = """
import sys, time
for i in range(3):
    print(i, flush=True)
    time.sleep(0.2)
print("é😀", file=sys.stderr, flush=True)
"""


def test_an_envelope():
    got = client.execute("print('x')\nresult['n'] = input_data['n']", {"n": 10**40})
    assert got.ok and got.status == "ok" and got.result == {"n": 10**40} and got.stdout == "x\n"
    assert got.error is None and got.warnings == [] and got.notes == [] and got.violations == []
    assert (got.profile, got.approved, got.level, got.walls_down) == ("strict", False, "full", [])
    assert not got.truncated.stdout and got.usage.wall_ms > 0 and len(got.code_sha256) == 64
    assert got.raw["result"] == got.result


def test_what_code_does_raises_nothing():
    got = client.execute("import os\nos.x")
    assert got.status == "needs_approval" and got.code_preview == "import os\nos.x"
    first = got.warnings[0]
    assert (first.rule, first.line, first.column, first.end_column) == ("import", 1, 8, 10)
    got = client.execute("def f():\n    raise KeyError('x')\nf()")
    assert got.status == "error" and got.error.type == "KeyError" and got.error.line == 2
    got = client.execute("print('a' * 3_000_000)")
    assert got.truncated.stdout and len(got.stdout) == 1 << 20 and "stdout" in got.notes[0]
    got = client.execute("result = {'a': float('nan')}", nonfinite="null")
    assert got.result == {"a": None} and got.notes


def test_limits():
    started = time.monotonic()
    got = client.execute("while True: pass", timeout=0.2)
    assert got.status == "timeout" and time.monotonic() - started < 5 * SLOW
    got = client.execute("print('a' * 100)", limits={"stdout_bytes": 10})
    assert got.stdout == "a" * 10
    with pytest.raises(cordon.BadRequest, match="31000 ms") as told:
        client.execute("", timeout=31)
    assert (told.value.field, told.value.status) == ("limits.wall_ms", 400)


@pytest.mark.parametrize("arguments, field", [
    ({"profile": "nonesuch"}, "profile"),
    ({"limits": {"nonesuch": 1}}, "limits.nonesuch"),
    ({"limits": {"wall_ms": "1"}}, "limits.wall_ms"),
    ({"input_data": [1]}, "input_data"),
    ({"nonfinite": "x"}, "nonfinite"),
    ({"approved": True, "environ": {"a=b": "c"}}, "environ.a=b"),
])
def test_a_wrong_request(arguments, field):
    with pytest.raises(cordon.BadRequest) as told:
        client.execute("", **arguments)
    assert told.value.field == field and str(told.value)


def test_an_approved_run_and_its_environment():
    code = "import os\nresult = dict(os.environ)"
    got = client.execute(code, approved=True, environ={"X": "y", "MY_TOKEN": "z"})
    assert got.approved and got.result["X"] == "y" and "MY_TOKEN" not in got.result
    assert "PATH" not in got.result and got.warnings[0].rule == "import"


def test_a_credential_goes_to_a_profile_that_keeps_it(tmp_path, private):
    config = tmp_path / "cordon.yaml"
    config.write_text("profiles:\n- name: p\n  environ: {keep: [A_TOKEN]}\n", encoding="utf-8")
    environ = {"A_TOKEN": "a", "B_TOKEN": "b"}
    code = "import os\nresult = {k: v for k, v in os.environ.items() if 'TOKEN' in k}"
    for keep, profile, seen in (((), "p", {}), (environ, "strict", {}),
                                (environ, "p", {"A_TOKEN": "a"})):
        keeping = cordon.Client(config=config, keep=keep)
        got = keeping.execute(code, approved=True, environ=environ, profile=profile)
        assert got.result == seen


def test_checks():
    assert client.check("x = 1").clean
    verdict = client.check("import os")
    assert not verdict.clean and verdict.status == "needs_approval"
    assert verdict.warnings[0].snippet == "os" and len(verdict.code_sha256) == 64
    files = {"a.py": "x = 1", "b.py": "import os", "c.py": "\0", "d.py": ""}
    verdicts = client.check_many(files)
    assert [v.name for v in verdicts] == list(files)
    assert [v.clean for v in verdicts] == [True, False, False, True]
    assert [w.rule for w in verdicts[2].warnings] == ["null-byte"]
    many = [(str(i % 3), "import os" if i % 2 else "") for i in range(100)]
    assert [v.clean for v in client.check_many(many)] == [i % 2 == 0 for i in range(100)]
    assert client.check_many([]) == []
    with pytest.raises(cordon.BadRequest):
        client.check("", profile="nonesuch")


def test_health():
    health = client.health()
    assert health.ready and health.version == cordon.__version__ and health.level == "full"
    assert health.profiles == ["strict"]


def test_versions_agree():
    text = (ROOT / "clients/python/pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{cordon.__version__}"' in text


# ---- streams ---------------------------------------------------------------------------------


def test_output_comes_as_it_is_written(monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # with it a line comes in two pieces
    got, when = [], []
    envelope = client.execute(SLOWLY, on_stdout=lambda text: (got.append(text), when.append(
        time.monotonic())), on_stderr=lambda text: got.append("err " + text), approved=True)
    assert got == ["0\n", "1\n", "2\n", "err é😀\n"]
    assert envelope.stdout == "0\n1\n2\n" and envelope.stderr == "é😀\n"
    assert when[1] - when[0] > 0.1 and when[2] - when[1] > 0.1


def test_one_stream_may_be_asked_for():
    got = []
    envelope = client.execute("import sys\nprint('a')\nprint('b', file=sys.stderr)",
                              on_stderr=got.append)
    assert "".join(got) == "b\n" and envelope.stdout == "a\n"


def test_much_output_is_streamed_whole():
    got = []
    code = "for i in range(100_000): print('é', i)"
    envelope = client.execute(code, on_stdout=got.append)
    assert "".join(got) == envelope.stdout and len(envelope.stdout) > 700_000


def test_a_wrong_request_is_told_before_any_stream():
    with pytest.raises(cordon.BadRequest):
        client.execute("", profile="nonesuch", on_stdout=print)


def test_what_a_callback_raises_ends_the_run(tmp_path):
    def fail(text):
        raise error("mine")

    mark = tmp_path / "mark"
    code = f"import time\nprint(1, flush=True)\ntime.sleep(0.7)\nopen({str(mark)!r}, 'w')"
    for error in (KeyboardInterrupt, ValueError, BrokenPipeError):
        with pytest.raises(error, match="mine"):
            client.execute(code, approved=True, on_stdout=fail)
        with pytest.raises(error, match="mine"):
            asyncio.run(aclient.execute(code, approved=True, on_stdout=fail))
    time.sleep(1)
    assert not mark.exists()


def test_callbacks_may_be_coroutines():
    got = []

    async def take(text):
        await asyncio.sleep(0)
        got.append(text)

    async def main():
        return await aclient.execute("print('a')", on_stdout=take)

    assert asyncio.run(main()).stdout == "a\n" and got == ["a\n"]


# ---- both kinds, and where the daemon is -------------------------------------------------------


def test_both_clients_offer_the_same():
    for name in ("execute", "check", "check_many", "health"):
        blocking, waiting = getattr(cordon.Client, name), getattr(cordon.AsyncClient, name)
        assert list(inspect.signature(blocking).parameters) == list(
            inspect.signature(waiting).parameters)
        assert inspect.iscoroutinefunction(waiting) and waiting.__doc__ and blocking.__doc__


def test_async_calls():
    async def main():
        envelope = await aclient.execute("result['a'] = 1", {}, timeout=5)
        verdicts = await aclient.check_many({"a": "", "b": "import os"})
        return envelope.result, [v.clean for v in verdicts], (await aclient.check("")).clean, (
            await aclient.health()).ready

    assert asyncio.run(main()) == ({"a": 1}, [True, False], True, True)


def test_blocking_calls_in_a_running_loop():
    async def main():
        return client.execute("result['a'] = 1").result

    assert asyncio.run(main()) == {"a": 1}


def test_a_shared_daemon(serve, monkeypatch, private):
    path = serve()
    for _ in range(int(1000 * SLOW)):
        try:
            assert cordon.Client(path).execute("result['a'] = 1").result == {"a": 1}
            break
        except cordon.Unavailable as e:
            assert f"cordon serve --socket {path}" in str(e)
            time.sleep(0.01)
    monkeypatch.setenv("CORDON_SOCKET", path)
    assert client.execute("result['a'] = 2").result == {"a": 2}
    assert asyncio.run(aclient.check("import os")).warnings
    assert list(private.iterdir()) == []


def test_a_configuration_of_ones_own(tmp_path, private):
    config = tmp_path / "cordon.yaml"
    config.write_text("profiles:\n- name: tiny\n  limits: {wall: 100ms}\n", encoding="utf-8")
    tiny = cordon.Client(config=config)
    assert tiny.health().profiles == ["strict", "tiny"]
    assert tiny.execute("while True: pass", profile="tiny").status == "timeout"
    config.write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(cordon.Unavailable, match="did not start: .*cordon.yaml"):
        cordon.Client(config=str(config), binary=cordon._daemon.find_binary()).health()
    with pytest.raises(ValueError, match="shared"):
        cordon.Client("x", config=config)


def test_an_answer_larger_than_asked_for():
    small = cordon.Client(max_answer=10_000)
    assert small.execute("result['a'] = 'x' * 100").ok
    with pytest.raises(cordon.CordonError, match="larger than 10000 bytes"):
        small.execute("result['a'] = 'x' * 10_000")


def test_large_data_both_ways():
    given = {"rows": [{"i": i, "t": "é" * 50} for i in range(60_000)]}
    assert client.execute("result = input_data", given).result == given
