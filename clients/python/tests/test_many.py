# SPDX-License-Identifier: Apache-2.0
"""Many calls at once: in one loop, in threads, in several loops, in forked processes."""

import asyncio
import concurrent.futures
import multiprocessing
import os
import threading
import time

import cordon
import pytest
from conftest import SLOW

CODE = "result = {'n': input_data['n'] * 2, 't': input_data['t']}"


def given(n):
    return {"n": n, "t": f"{os.getpid()}-{n}" * 10}


def right(n, got):
    return got == {"n": 2 * n, "t": f"{os.getpid()}-{n}" * 10}


async def call(n, **kwargs):
    return right(n, (await cordon.execute_backend_code(CODE, given(n), **kwargs)).result)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_two_hundred_in_one_loop():
    async def main():
        assert await call(-1)  # the daemon is there
        before = descriptors()
        assert all(await asyncio.gather(*(call(n) for n in range(200))))
        assert descriptors() == before

    asyncio.run(asyncio.wait_for(main(), 60 * SLOW))


def test_two_hundred_that_are_the_first(script):
    assert script("""
        import asyncio, cordon

        async def main():
            calls = [cordon.execute_backend_code("result = input_data", {"n": n}) for n in range(200)]
            return [done.result["n"] for done in await asyncio.gather(*calls)]

        print(asyncio.run(main()) == list(range(200)))
    """) == "True\n"


def test_all_kinds_of_call_at_once():
    async def refused(n):
        with pytest.raises(cordon.UnsafeCodeError):
            await cordon.execute_backend_code("import os", {})
        return True

    async def failed(n):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            await cordon.execute_backend_code(f"print({n})\n1/0", {})
        return True

    async def cancelled(n):
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(cordon.execute_backend_code("while True: pass", {}), 0.05)
        return True

    async def main():
        kinds = [call, refused, failed, cancelled, call, lambda n: call(n, approved=True)]
        assert all(await asyncio.gather(*(kinds[n % 6](n) for n in range(60))))

    asyncio.run(asyncio.wait_for(main(), 60 * SLOW))


def test_twenty_threads():
    client = cordon.Client()

    def work(thread):
        for n in range(thread * 10, thread * 10 + 10):
            if not right(n, client.execute(CODE, given(n)).result):
                return False
            if client.check("import os").clean or not client.check(f"x = {n}").clean:
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        assert all(pool.map(work, range(20), timeout=60 * SLOW))


def test_twenty_threads_that_are_the_first(script):
    assert script("""
        import concurrent.futures, os, cordon
        client = cordon.Client()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            got = pool.map(lambda n: client.execute("result = input_data", {"n": n}).result["n"], range(20))
            print(list(got) == list(range(20)), len(os.listdir(os.environ["XDG_RUNTIME_DIR"])))
    """) == "True 1\n"


def test_loops_in_threads_and_one_after_the_other():
    client = cordon.AsyncClient()  # bound to none of them

    async def some(start):
        got = await asyncio.gather(*(client.execute(CODE, given(n)) for n in range(start, start + 5)))
        return all(right(start + i, one.result) for i, one in enumerate(got))

    for start in range(3):
        assert asyncio.run(some(start))
    with concurrent.futures.ThreadPoolExecutor(5) as pool:
        assert all(pool.map(lambda start: asyncio.run(some(start)), range(0, 50, 5)))


def in_process(n):
    return asyncio.run(call(n)) and cordon.Client().execute("result['a'] = 1").result == {"a": 1}


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_parallel_processes(method, private):
    """As pytest-xdist and process pools do. Each has a daemon of its own, and none stays."""
    assert asyncio.run(call(0))
    before = os.listdir(private)
    with multiprocessing.get_context(method).Pool(4) as pool:
        assert all(pool.map(in_process, range(16)))
    for _ in range(int(300 * SLOW)):
        if os.listdir(private) == before:
            break
        time.sleep(0.01)
    assert os.listdir(private) == before
    assert asyncio.run(call(1))


def test_forks_while_threads_call():
    """No fork catches a lock, and no child keeps a connection open."""
    client = cordon.Client()
    stop = threading.Event()
    wrong = []

    def work(n):
        while not stop.is_set():
            if not right(n, client.execute(CODE, given(n)).result):
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    try:
        for n in range(6):
            child = os.fork()
            if child == 0:
                os._exit(0 if right(n, client.execute(CODE, given(n)).result) else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong


def test_a_fork_in_a_running_loop():
    async def main():
        assert await call(1)
        child = os.fork()
        if child == 0:
            try:
                os._exit(0 if cordon.Client().execute(CODE, given(2)).ok else 1)
            finally:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        return await call(3)

    assert asyncio.run(main())
