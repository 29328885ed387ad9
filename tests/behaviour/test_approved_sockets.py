# SPDX-License-Identifier: Apache-2.0
"""
What waits in sockets and queues of an approved run, as root and as an ordinary user: counted,
though nobody has a descriptor of it, or refused; and that honest programs do not notice.
"""

import textwrap
from pathlib import Path

import pytest

from support import SLOW

MIB = 1 << 20

HEAD = """
import ctypes, os, socket, struct, time

def put(send, size):
    done = 0
    try:
        while done < 4 << 20:
            send(bytes(size))
            done += size or 768
    except (BlockingIOError, TimeoutError):
        pass
    return done

kept = []
"""

# 80 MiB, in four processes, of which one may have too few descriptors for it.
TAIL = """
os.fork()
os.fork()
for n in range(5):
    done = 0
    while done < 4 << 20:
        done += fill()
    time.sleep(0.01)
time.sleep(10)
"""

KINDS = {
    "in a netlink socket, for itself": """
        def fill():
            s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            s.bind((0, 0))
            s.setblocking(False)
            kept.append(s)
            return put(lambda data: s.sendto(data, s.getsockname()), 30000)
    """,
    "in a netlink socket, from the kernel": """
        refused = struct.pack("=IHHII", 30000, 9999, 5, 0, 0) + bytes(30000 - 16)
        def fill():
            s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            kept.append(s)
            room = s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
            for n in range(room // 40000):
                s.send(refused)
            return room // 40000 * 30000
    """,
    "in filters": """
        program = ctypes.create_string_buffer(struct.pack("HBBI", 4, 0, 0, 1) * 4095
                                              + struct.pack("HBBI", 6, 0, 0, 1))
        filter = struct.pack("HxxxxxxQ", 4096, ctypes.addressof(program))
        def fill():
            kept.append(socket.socket(socket.AF_UNIX))
            kept[-1].setsockopt(socket.SOL_SOCKET, 26, filter)
            return 100_000
    """,
    "in TCP connections that nobody takes": """
        listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        def fill():
            with socket.create_connection(listener.getsockname()) as s:
                s.settimeout(0.001)
                return put(s.send, 100_000)
    """,
    "in Unix connections that nobody takes": """
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("listener")
        listener.listen(4000)
        def fill():
            with socket.socket(socket.AF_UNIX) as s:
                s.connect("listener")
                s.settimeout(0)
                return put(s.send, 30000)
    """,
    "in packets behind a small one": """
        def fill():
            name = f"{os.getpid()}-{len(kept)}"
            kept.append(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            kept[-1].bind(name)
            for size in (1,) + (150_000,) * 9:
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
                    s.sendto(bytes(size), name)
            return 9 * 150_000
    """,
    "in packets of no bytes": """
        def fill():
            s, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            kept.append(other)
            with s:
                s.settimeout(0)
                return put(s.send, 0)
    """,
    "in sockets on their way": """
        ways = [socket.socketpair() for n in range(9)]
        def fill():
            done = 0
            pair = socket.socketpair()
            for s in pair:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 400 << 10)
                s.settimeout(0)
                done += put(s.send, 30000)
            socket.send_fds(ways[n][0], [b"x"], [s.fileno() for s in pair])
            for s in pair:
                s.close()
            return done
    """,
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_waits_in_sockets(approve, kind):
    if kind == "in filters" and int(Path("/proc/sys/net/core/optmem_max").read_text()) < 1 << 17:
        pytest.skip("this kernel takes only small ones")
    answer = approve(HEAD + textwrap.dedent(KINDS[kind]) + TAIL, None, "--memory", "32M")
    assert (answer["status"], (answer["error"] or {}).get("limit")) == ("limit", "memory"), answer
    # Twice the limit and what the interpreter is born with; without the count it is 300 and more.
    assert answer["usage"]["memory_peak_bytes"] < 192 * MIB * SLOW, answer


def test_a_server_whose_clients_do_not_wait(value):
    """What they have left in its queue counts as what it is, not as all that they could have sent."""
    assert value("""
        import socket, time
        idle = [socket.socket() for n in range(200)]
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("listener")
        listener.listen(1000)
        for n in range(1000):
            with socket.socket(socket.AF_UNIX) as s:
                s.connect("listener")
                s.send(bytes(1000))
        time.sleep(0.1)
        result["heard"] = sum(len(listener.accept()[0].recv(2000)) for n in range(1000))
    """) == {"heard": 1000000}


def test_there_are_no_more_than_a_look_is_in_time_for(approve):
    """6,400 empty ones in 40 processes: filled at once, they can hold 1.3 GiB."""
    answer = approve("""
        import os, socket, time
        for n in range(40):
            if os.fork() == 0:
                pairs = [socket.socketpair() for k in range(80)]
                time.sleep(10)
        time.sleep(10)
    """, None, "--memory", "48M")
    if answer["limits_by"] != "sampling":
        pytest.skip("a control group counts")
    assert (answer["status"], (answer["error"] or {}).get("limit")) == ("limit", "memory"), answer
    assert answer["usage"]["wall_ms"] < 5000 * SLOW, answer


def test_sockets_of_which_nobody_tells(approve):
    """There are none such, and programs do with others; of use where a control group counts."""
    answer = approve("""
        import errno, socket, struct
        def refused(family, kind, protocol):
            try:
                socket.socket(family, kind, protocol).close()
            except OSError as e:
                return errno.errorcode[e.errno]
        result["protocols"] = {refused(family, *kind)
                               for family in (socket.AF_INET, socket.AF_INET6)
                               for kind in ((1, 262), (1, 132), (2, 136), (6, 33))}
        result["families"] = {refused(socket.AF_CAN, 3, 1), refused(socket.AF_BLUETOOTH, 3, 1)}
        result["others"] = [refused(*which) for which in
                            ((2, 1, 6), (2, 2, 17), (10, 1, 0), (1, 5, 0), (16, 3, 0), (16, 3, 15))]
        s = socket.socket(type=socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            s.setsockopt(socket.SOL_SOCKET, 51, bytes(16))
        except OSError as e:
            result["instructions"] = errno.errorcode[e.errno]
        result = {name: sorted(value) if type(value) is set else value
                  for name, value in result.items()}
    """)
    if answer["limits_by"] != "sampling":
        pytest.skip("a control group counts")
    assert answer["result"] == {"protocols": ["EPROTONOSUPPORT"], "families": ["EAFNOSUPPORT"],
                                "others": [None] * 6, "instructions": "ENOMEM"}, answer


@pytest.mark.parametrize("memory, most", [("32M", 4), ("1G", 20)])
def test_queues_of_events(approve, memory, most):
    """As many as can be full without coming to half of the limit."""
    answer = approve("""
        import ctypes, os, struct
        libc = ctypes.CDLL(None)
        queues = [libc.inotify_init() for n in range(20)]
        result["queues"] = sum(queue >= 0 for queue in queues)
        assert libc.inotify_add_watch(queues[0], b".", 0x100) >= 0
        open("seen", "w").close()
        result["seen"] = os.read(queues[0], 4096)[16:20].decode()
    """, None, "--memory", memory)
    if answer["limits_by"] != "sampling":
        pytest.skip("a control group counts")
    assert answer["result"] == {"queues": most, "seen": "seen"}, answer
