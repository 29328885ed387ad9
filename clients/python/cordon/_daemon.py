# SPDX-License-Identifier: Apache-2.0
"""
Where the daemon is. A shared one is only an address. A private one is a child process,
started when it is first called, in a directory of its own, and ended by the end of its
standard input: however this process ends, that pipe closes and the daemon goes.

Invariants: one private daemon per configuration and process; a forked child holds neither
the pipe nor a connection of its parent and starts its own; no lock is held while waiting.
"""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from . import _environ
from ._errors import Unavailable

__all__ = ["Attempt", "Endpoint", "PrivateDaemon", "SharedDaemon", "private", "ungated"]

START_SECONDS = 30.0  # for a daemon to listen, once it was started
BUSY_SECONDS = 30.0  # for room in the queue of those that wait to be accepted
STOP_SECONDS = 5.0  # for a daemon to end when its input has, before it is killed
PATH_MAX = 107  # of a Unix socket's address

_UNGATED = "- name: ungated\n  from: strict\n  gate: off\n"


class Endpoint:
    """What a transport needs to know of a daemon."""

    def attempt(self) -> Attempt:
        """The beginning of one call."""
        raise NotImplementedError


class Attempt:
    """One call's way to a connection. Nothing was sent yet, so trying again is harmless."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._pause = 0.001

    def address(self) -> str:
        """Where to connect now."""
        raise NotImplementedError

    def connected(self) -> None:
        """There was somebody."""

    def again_after(self, error: OSError) -> float:
        """How long to wait before the next try; raises Unavailable when there is no hope."""
        if error.errno not in (errno.EAGAIN, errno.EINTR):
            raise self.gone(error)
        if time.monotonic() - self._since > BUSY_SECONDS:
            raise Unavailable(f"the daemon at {self.address()} accepts no connections: {error}")
        return self.grow()

    def gone(self, error: OSError) -> Unavailable:
        return Unavailable(f"cannot reach the daemon at {self.address()}: {error}")

    def grow(self) -> float:
        self._pause = min(self._pause * 1.5, 0.05)
        return self._pause


# ---- a shared daemon ----------------------------------------------------------------


class SharedDaemon(Endpoint):
    """Somebody else's; it is neither started nor ended here."""

    def __init__(self, path: str) -> None:
        self.path = path

    def attempt(self) -> Attempt:
        return _SharedAttempt(self.path)


class _SharedAttempt(Attempt):
    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def address(self) -> str:
        return self._path

    def gone(self, error: OSError) -> Unavailable:
        if error.errno not in (errno.ENOENT, errno.ECONNREFUSED):
            return super().gone(error)
        return Unavailable(
            f"no Cordon daemon answers at {self._path}: {error}; start it with "
            f"`cordon serve --socket {self._path}`, or unset CORDON_SOCKET to have a private one"
        )


# ---- a private daemon ---------------------------------------------------------------


class PrivateDaemon(Endpoint):
    """This process's own. `extra`: what to add to the configuration in force."""

    def __init__(self, binary: str | None, config: str | None, extra: str = "") -> None:
        self._binary = binary
        self._config = config
        self._extra = extra
        self._retired: list[tuple[subprocess.Popen[bytes], str]] = []
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._pid = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._directory = ""
        self._said = -1  # what it wrote to standard error
        self._since = 0.0
        self._place: tuple[str, int] | None = None  # read without the lock, so it is one value
        self._answered = 0  # the last generation that did
        self._was_hit = False
        self.generation = 0

    def attempt(self) -> Attempt:
        return _PrivateAttempt(self)

    def ensure(self) -> tuple[str, int]:
        """The address and generation of the daemon, started if there is none."""
        place = self._place
        if place is None or self._pid != os.getpid():
            with self._lock:
                if self._place is not None and self._pid != os.getpid():
                    self._abandon()  # a fork that Python was not told of
                if self._place is None:
                    self._start()
                place = self._place
                assert place is not None
        return place

    def answered(self, generation: int) -> None:
        """Somebody could connect to it."""
        if generation != self._answered:
            with self._lock:
                self._was_hit = False
                self._answered = max(generation, self._answered)

    def replace(self, generation: int) -> bool:
        """Starts a new one, unless somebody else has since that generation."""
        with self._lock:
            if generation != self.generation or self._process is None:
                return False
            self._retire()
            self._start()
            return True

    def has_answered(self, generation: int) -> bool:
        """Whether it came to listen, so that one who finds nobody there finds it dead."""
        return self._answered >= generation

    def check_start(self, generation: int) -> None:
        """Returns while that one may yet come to listen; raises Unavailable when it cannot."""
        with self._lock:
            process = self._process
            if process is None or generation != self.generation or self.has_answered(generation):
                return
            if process.poll() is not None:
                why = self._last_words()
                self._stop(0.0)
                if process.returncode < 0 and not self._was_hit:
                    # By the terminal's Ctrl-C, most likely, before it was in its own session.
                    self._was_hit = True
                    self._start()
                    return
                raise Unavailable(f"the Cordon daemon did not start: {why}")
            if time.monotonic() - self._since > START_SECONDS:
                raise Unavailable(f"the Cordon daemon does not answer: {self._last_words()}")

    def stop(self) -> None:
        """Ends it, and what it runs."""
        with self._lock:
            if self._pid == os.getpid():
                self._stop(STOP_SECONDS)
                for process, directory in self._retired:
                    _end(process, directory, STOP_SECONDS)
                self._retired.clear()

    def leave(self) -> None:
        """As stop(), but not before the process is gone: then its input ends. See _at_exit."""
        with self._lock:
            if self._pid != os.getpid():
                return
            for process in self._processes():
                assert process.stdin is not None
                try:
                    os.dup(process.stdin.fileno())
                except OSError:
                    continue
                process.stdin.close()
                process.returncode = 0  # no complaint that nobody has waited

    def forked(self) -> None:
        """In a forked child, where the lock was taken by a thread of the parent."""
        self._lock = threading.RLock()
        self._abandon()

    def lock(self) -> None:
        self._lock.acquire()

    def unlock(self) -> None:
        self._lock.release()

    # ---- all of these with the lock held

    def _abandon(self) -> None:
        """The parent's daemon is none of ours: only our copies of its descriptors close."""
        for process in self._processes():
            process.returncode = 0  # not ours to wait for
            if process.stdin is not None:
                process.stdin.close()
        if self._said >= 0:
            os.close(self._said)
        self._retired.clear()
        self._forget()

    def _processes(self) -> list[subprocess.Popen[bytes]]:
        processes = [process for process, _ in self._retired]
        return processes if self._process is None else [*processes, self._process]

    def _start(self) -> None:
        """Nothing of it is the object's until it is whole: a signal's handler may call, too."""
        binary = self._binary or find_binary()
        command = [binary, "serve", "--until-eof", "--socket"]
        directory, said, config = "", -1, -1
        try:
            directory = _make_directory()
            said = os.memfd_create("cordon-serve", os.MFD_CLOEXEC)
            command.append(f"{directory}/socket")
            if self._extra:
                config = self._make_config(binary)
                command += ["--config", f"/proc/self/fd/{config}"]
            elif self._config:
                command += ["--config", self._config]
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd="/",
                env=_environ.for_daemon(os.environ),
                start_new_session=True,  # the terminal's Ctrl-C is ours to act upon
                pass_fds=[config] if config >= 0 else [],
            )
        except BaseException as e:
            _end(None, directory, 0.0)
            if said >= 0:
                os.close(said)
            if isinstance(e, OSError):
                raise Unavailable(f"cannot start {binary}: {e}") from e
            raise
        finally:
            if config >= 0:
                os.close(config)
        if self._place is not None:
            _end(process, directory, 0.0)  # a handler's call was faster
            os.close(said)
            return
        self._process, self._directory, self._said = process, directory, said
        self._pid = os.getpid()
        self._since = time.monotonic()
        self.generation += 1
        self._place = f"{self._directory}/socket", self.generation

    def _make_config(self, binary: str) -> int:
        """A file that is in no directory: the strict profile in force, and `extra` behind it."""
        command = [binary, "run", "--show-config"]
        if self._config:
            command += ["--config", self._config]
        for _ in range(2):
            shown = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                cwd="/",
                start_new_session=True,
            )
            if shown.returncode >= 0:
                break  # else by a signal: see check_start()
        if shown.returncode != 0:
            raise Unavailable(f"the Cordon daemon did not start: {_text(shown.stderr)}")
        config = os.memfd_create("cordon.yaml", os.MFD_CLOEXEC)
        os.write(config, shown.stdout + self._extra.encode("ascii"))
        return config

    def _last_words(self) -> str:
        if self._said < 0:
            return ""
        size = os.fstat(self._said).st_size
        words = _text(os.pread(self._said, 2000, max(0, size - 2000)))
        status = self._process.poll() if self._process else None
        return words or f"it said nothing (exit status {status})"

    def _retire(self) -> None:
        """One that takes no calls any more may still have some: it ends when they have."""
        process, directory = self._process, self._directory
        for ended in [one for one in self._retired if one[0].poll() is not None]:
            self._retired.remove(ended)
            _end(*ended, 0.0)
        if process is not None and process.poll() is None:
            self._retired.append((process, directory))
            self._process, self._directory = None, ""
        self._stop(0.0)

    def _stop(self, patience: float) -> None:
        self._place = None
        process, self._process = self._process, None
        directory, self._directory = self._directory, ""
        _end(process, directory, patience)
        if self._said >= 0:
            os.close(self._said)
            self._said = -1


def _end(process: subprocess.Popen[bytes] | None, directory: str, patience: float) -> None:
    """The end of its input ends it; only one that does not heed that is killed."""
    if process is not None:
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if directory:
        shutil.rmtree(directory, ignore_errors=True)


class _PrivateAttempt(Attempt):
    def __init__(self, daemon: PrivateDaemon) -> None:
        super().__init__()
        self._daemon = daemon
        self._replaced = False
        self._generation = 0
        self._was_there = False  # before this try: what is told of it afterwards may be newer

    def address(self) -> str:
        path, self._generation = self._daemon.ensure()
        self._was_there = self._daemon.has_answered(self._generation)
        return path

    def connected(self) -> None:
        self._daemon.answered(self._generation)

    def again_after(self, error: OSError) -> float:
        if error.errno not in (errno.ENOENT, errno.ECONNREFUSED):
            return super().again_after(error)
        if not self._was_there:
            self._daemon.check_start(self._generation)
            return min(self.grow(), 0.005)
        if self._replaced:
            raise Unavailable("the Cordon daemon ended as soon as it was started again")
        self._replaced = self._daemon.replace(self._generation)
        return 0.0


# ---- where things are -----------------------------------------------------------------


def find_binary() -> str:
    """CORDON_BIN, else the first on PATH, else the one installed beside this package."""
    named = os.environ.get("CORDON_BIN")
    if named:
        return _absolute(named)
    found = shutil.which("cordon")
    if found:
        return _absolute(found)
    for above in Path(__file__).resolve().parents:
        beside = above.parent / "bin" / "cordon"
        if above.name == "lib" and os.access(beside, os.X_OK):
            return str(beside)
    raise Unavailable(
        "there is no `cordon` on PATH nor beside this package; install Cordon, or set CORDON_BIN"
    )


def _absolute(path: str) -> str:
    """The daemon is started in another directory; ours may have been removed."""
    try:
        return os.path.abspath(path)
    except OSError as e:
        raise Unavailable(f"cannot start a Cordon daemon: where is {path}? {e}") from e


def _make_directory() -> str:
    """0700, and short enough for a socket's address."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for base in (runtime, tempfile.gettempdir(), "/tmp"):
        if not base or (base == runtime and not _is_ours(base)):
            continue
        try:
            made = tempfile.mkdtemp(prefix="cordon-", dir=os.path.abspath(base))
        except OSError:
            continue  # gone or full since somebody looked
        if len(os.fsencode(made)) + len("/socket") <= PATH_MAX:
            return made
        os.rmdir(made)
    raise Unavailable("there is no writable directory with a path short enough for a socket")


def _is_ours(path: str) -> bool:
    try:
        return os.stat(path).st_uid == os.geteuid() and os.access(path, os.W_OK | os.X_OK)
    except OSError:
        return False


def _text(said: bytes) -> str:
    return said.decode("utf-8", "replace").strip()


# ---- the process's own ------------------------------------------------------------------

_table_lock = threading.RLock()
_table: dict[tuple[str | None, str | None, str], PrivateDaemon] = {}


def private(binary: str | None = None, config: str | None = None, extra: str = "") -> PrivateDaemon:
    """The process's private daemon of that configuration."""
    if binary and "/" in binary:
        binary = _absolute(binary)  # it is started in another directory
    key = (binary, config and _absolute(config), extra)
    with _table_lock:
        if key not in _table:
            _table[key] = PrivateDaemon(*key)
        return _table[key]


def ungated() -> PrivateDaemon:
    """The one whose profile `ungated` is strict without the gate, and nothing else."""
    return private(extra=_UNGATED)


def _before_fork() -> None:
    _table_lock.acquire()
    for daemon in _table.values():
        daemon.lock()


def _after_in_parent() -> None:
    for daemon in _table.values():
        daemon.unlock()
    _table_lock.release()


def _after_in_child() -> None:
    global _table_lock
    _table_lock = threading.RLock()
    for daemon in _table.values():
        daemon.forked()


def _at_exit() -> None:
    # Threads that are left are daemon threads, and go with the process. Until then a call of
    # theirs must not find its daemon gone, and complain of it.
    is_alone = threading.active_count() == 1
    for daemon in list(_table.values()):
        if is_alone:
            daemon.stop()
        else:
            daemon.leave()


os.register_at_fork(
    before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child
)
atexit.register(_at_exit)
