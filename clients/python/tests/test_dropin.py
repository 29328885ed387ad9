# SPDX-License-Identifier: Apache-2.0
"""The surface that is taken over: names, signatures, sentences."""

import asyncio
import inspect
import math
import os
import re
import subprocess

import cordon
import pytest
from conftest import SLOW
from support import SANITIZER_NAMES


def execute(code, input_data=None, **kwargs):
    return asyncio.run(cordon.execute_backend_code(code, input_data or {}, **kwargs))


def refused(code, input_data=None, **kwargs):
    """The sentence of the RuntimeError."""
    with pytest.raises(RuntimeError) as told:
        execute(code, input_data, **kwargs)
    assert isinstance(told.value, cordon.BackendCodeError), told.value
    return str(told.value)


# ---- the surface --------------------------------------------------------------------------


def test_the_signatures():
    signature = inspect.signature(cordon.execute_backend_code)
    assert [(p.name, p.kind.name, p.default) for p in signature.parameters.values()] == [
        ("code", "POSITIONAL_OR_KEYWORD", inspect.Parameter.empty),
        ("input_data", "POSITIONAL_OR_KEYWORD", inspect.Parameter.empty),
        ("approved", "KEYWORD_ONLY", False),
        ("gate", "KEYWORD_ONLY", True),
    ]
    assert asyncio.iscoroutinefunction(cordon.execute_backend_code)
    assert cordon.BackendExecResult({}, "a", "b") == cordon.BackendExecResult({}, "a", "b")
    assert cordon.TIMEOUT_SECONDS == 30
    assert issubclass(cordon.UnsafeCodeError, Exception)
    assert not issubclass(cordon.UnsafeCodeError, RuntimeError)


def test_allowed_modules_are_those_of_the_strict_profile(binary):
    shown = subprocess.run([binary, "run", "--show-config"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    allow = re.search(r"\n  allow: \[([^]]*)\]", shown)[1]
    assert cordon.ALLOWED_MODULES == frozenset(allow.replace(",", " ").split())
    assert cordon.ALLOWED_MODULES >= {"json", "math", "dataclasses", "array", "collections"}


def test_a_result():
    done = execute("import sys\nprint('hi')\nprint(' low ', file=sys.stderr)\n"
                   "result = {'n': input_data['n'] + 1}", {"n": 1})
    assert done == cordon.BackendExecResult({"n": 2}, "hi\n", "low")


def test_nothing_is_a_result_too():
    assert execute("") == cordon.BackendExecResult({}, "", "")


def test_numbers_come_back_as_pythons_json_has_them():
    given = {"a": [math.nan, math.inf, -math.inf], "b": 10**4000, "c": 1.10, "d": "\ud800\0é😀"}
    got = execute("result = input_data", given).result
    assert repr(got) == repr(given)


def test_what_cannot_be_sent_is_the_callers_error():
    with pytest.raises(TypeError):
        execute("", {"x": object()})
    with pytest.raises(TypeError, match="code must be a str"):
        execute(b"")


def test_an_integer_that_python_itself_does_not_read():
    with pytest.raises(cordon.CordonError, match="4300"):
        execute("result = {'x': 10**5000}")


# ---- the gate -------------------------------------------------------------------------------


def test_warnings():
    assert cordon.get_code_warnings("result = {}") == []
    said = cordon.get_code_warnings("import os\nresult = eval('1')")
    assert len(said) == 2 and "`eval`" in said[0] and "`os`" in said[1]


@pytest.mark.parametrize("code, said", [
    ("result = {", "Syntax error"),
    ("x = '\ud800'", "Syntax error"),
    ("if 1:\nx", "Syntax error"),
    ("\0", "The code holds a null character"),
    ("x=1\n" * 300_000, "The code is longer than"),
], ids=["open", "half a character", "indent", "null", "long"])
def test_broken_code_is_a_warning_that_says_so(code, said):
    assert cordon.get_code_warnings(code)[0].startswith(said)
    with pytest.raises(cordon.UnsafeCodeError, match=f"^{said}"):
        cordon.validate_code_safety(code)
    with pytest.raises(cordon.UnsafeCodeError, match=f"^{said}"):
        execute(code)


def test_what_is_too_deep_for_the_parser_is_not_clean():
    assert cordon.get_code_warnings("(" * 5000 + ")" * 5000)


def test_unsafe_code_is_refused():
    cordon.validate_code_safety("import math")
    with pytest.raises(cordon.UnsafeCodeError, match="`os`") as told:
        cordon.validate_code_safety("import os")
    assert told.value.warnings[0].line == 1
    with pytest.raises(cordon.UnsafeCodeError, match="`os`") as told:
        execute("\nimport os")
    assert told.value.warnings[0].line == 2


def test_the_gate_works_in_a_running_loop():
    async def main():
        return cordon.get_code_warnings("import os")

    assert asyncio.run(main())


def test_without_the_gate_every_wall_stands():
    said = refused("result = {'x': str(sys)}", gate=False)
    assert "NameError: name 'sys' is not defined" in said
    assert "open" in refused("result = {'x': open('/etc/hosts').read()}", gate=False)
    assert execute("import json as j\nresult = {'x': j.dumps(1)}", gate=False).result == {"x": "1"}
    assert "Error" in refused("import os\nos.system('true')", gate=False)


def test_without_the_gate_the_settings_in_force_stay(tmp_path, script):
    (tmp_path / "cordon").mkdir()
    (tmp_path / "cordon" / "cordon.yaml").write_text(
        "profiles:\n- name: strict\n  limits: {wall: 100ms}\n", encoding="utf-8")
    said = script("""
        import asyncio, cordon
        for gate in True, False:
            try:
                asyncio.run(cordon.execute_backend_code("while True: pass", {}, gate=gate))
            except RuntimeError as e:
                print(e)
    """, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert said == 2 * "Backend code execution timed out after 0.1s\n"


def test_a_stand_in_for_the_gate(monkeypatch):
    monkeypatch.setattr(cordon, "validate_code_safety", lambda code: None)
    assert "NameError" in refused("result = {'x': str(sys)}")

    def refuse(code):
        raise cordon.UnsafeCodeError("no")

    monkeypatch.setattr(cordon, "validate_code_safety", refuse)
    with pytest.raises(cordon.UnsafeCodeError, match="^no$"):
        execute("result = {}")


# ---- approved ----------------------------------------------------------------------------------


def test_an_approved_run_has_the_environment_of_the_call(monkeypatch):
    code = "import os\nresult = dict(os.environ)"
    monkeypatch.setenv("SOMETHING", "one")
    monkeypatch.setenv("SOME_TOKEN", "x")
    assert execute(code, approved=True).result["SOMETHING"] == "one"
    monkeypatch.setenv("SOMETHING", "two")
    seen = execute(code, approved=True).result
    assert seen["SOMETHING"] == "two" and "SOME_TOKEN" not in seen
    told = {k: v for k, v in cordon.exec_env(True).items() if k not in SANITIZER_NAMES}
    assert {k: seen.get(k) for k in told} == told


def test_an_approved_run_does_what_the_caller_can(tmp_path):
    file = tmp_path / "f"
    code = f"open({str(file)!r}, 'w').write(str(sys.version_info[0]))\nresult = {{'a': 1}}"
    assert execute(code, approved=True).result == {"a": 1}
    assert file.read_text() == "3"


def test_an_approved_run_that_prints_beside_sys_stdout():
    code = "import os, subprocess\nos.write(1, b'a\\n')\nsubprocess.run(['echo', 'b'])"
    assert execute(code, approved=True).stdout == "a\nb\n"


# ---- sentences ---------------------------------------------------------------------------------


def test_an_exception():
    said = refused("import sys\nprint('before', file=sys.stderr)\n1/0")
    assert said.startswith("Backend code error (exit 1): before\nTraceback (most recent call last)")
    assert 'line 3, in <module>' in said and said.endswith("ZeroDivisionError: division by zero")


def test_a_syntax_error_of_approved_code():
    said = refused("result = {", approved=True)
    assert said.startswith("Backend code error (exit 1): ") and "SyntaxError" in said


@pytest.mark.parametrize("code, status", [
    ("raise SystemExit(3)", 3),
    ("raise SystemExit('bad')", 1),
    ("import os\nos._exit(7)", 7),
])
def test_an_exit(code, status):
    assert refused(code, approved=True).startswith(f"Backend code error (exit {status}): ")


def test_no_valid_json():
    assert refused("import os\nos.write(1, b' raw ')\nos._exit(0)", approved=True) == (
        "Backend code did not produce valid JSON. Raw output: raw")
    said = refused("result = {'f': [lambda: 0]}")
    assert said.startswith('Backend code did not produce valid JSON. result["f"][0] ')
    assert "`result` must be a dict" in refused("result = [1]")


def test_a_timeout(monkeypatch):
    monkeypatch.setattr(cordon, "TIMEOUT_SECONDS", 1)
    assert refused("print('x')\nwhile True: pass") == "Backend code execution timed out after 1s"
    monkeypatch.setattr(cordon, "TIMEOUT_SECONDS", 0.25)
    assert refused("while True: pass").endswith("timed out after 0.25s")


def test_a_limit_and_a_crash():
    said = refused("x = 'a' * (17 << 20)\nresult = {'x': x}")
    assert said.startswith("Backend code exceeded its result limit: ")
    said = refused("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", approved=True)
    assert said.startswith("Backend code crashed: ") and "SIGSEGV" in said


def test_the_error_carries_the_envelope():
    with pytest.raises(cordon.BackendCodeError) as told:
        execute("print('so far')\n1/0")
    envelope = told.value.envelope
    assert (envelope.status, envelope.stdout) == ("error", "so far\n")
    assert envelope.error.line == 2 and envelope.error.type == "ZeroDivisionError"


def test_no_daemon_is_a_runtime_error(monkeypatch):
    monkeypatch.setenv("CORDON_SOCKET", "/nonexistent/socket")
    with pytest.raises(RuntimeError, match="cordon serve --socket /nonexistent/socket"):
        execute("")
    with pytest.raises(RuntimeError):
        cordon.get_code_warnings("")
    assert execute("result = {'a': 1}", gate=False).result == {"a": 1}


def test_a_cancelled_run_is_gone_at_once():
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(cordon.execute_backend_code("while True: pass", {}), 0.3)
        # One processor's time would be shared with what goes on.
        return await cordon.execute_backend_code("result = {'pid': 1}", {})

    assert asyncio.run(asyncio.wait_for(main(), 20 * SLOW)).result == {"pid": 1}
    assert "PATH" in os.environ
