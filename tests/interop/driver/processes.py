"""Runs other programs. Every program gets its own process group and a time limit; its children end with it."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import threading
import time


def end(process, wait=10):
    """Ends a program and its children: with SIGTERM first, then with SIGKILL."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # also the children
    process.wait(wait)
    return process.returncode


class Done:
    def __init__(self, code, output, errors):
        self.code, self.output, self.errors = code, output, errors

    @property
    def shown(self):
        return self.output + self.errors


def run(command, seconds, **options):
    """Runs a program to its end. The code of a program that took too long is None."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True, **options)
    try:
        output, errors = process.communicate(timeout=seconds)
        return Done(process.returncode, output, errors)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return Done(None, output, errors + f"\nended after {seconds} s")
    finally:
        end(process)


def read_line(stream, pattern, seconds):
    """Reads the stream until it contains the pattern; returns the match."""
    limit = time.monotonic() + seconds
    seen = b""
    while (left := limit - time.monotonic()) > 0 and select.select([stream], [], [], left)[0]:
        block = os.read(stream.fileno(), 65536)
        if not block:
            break
        seen += block
        if found := re.search(pattern, seen.decode(errors="replace")):
            return found
    raise RuntimeError(f"no {pattern!r} in: {seen.decode(errors='replace')[-500:]}")


@contextlib.contextmanager
def started(command, pattern, seconds=60):
    """Starts a server and yields the match of the pattern that it prints when it is ready. Its exit code must be 0."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, bufsize=0, start_new_session=True)
    try:
        found = read_line(process.stdout, pattern, seconds)
        threading.Thread(target=process.stdout.read, daemon=True).start()  # so that the pipe does not fill up
        yield found
    finally:
        code = end(process)
    if code != 0:
        raise RuntimeError(f"{command[0]} ended with {code}")


def free_port():
    """A port that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def listening(command, port, seconds=120, **options):
    """Runs a server that listens on a port of this machine. How it ends does not matter."""
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, **options)
    try:
        limit = time.monotonic() + seconds
        while not listens(port):
            if process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"{command[0]} does not listen on port {port}; its code is {process.poll()}")
            time.sleep(0.1)
        yield
    finally:
        end(process)


def demo(program, *options):
    """Starts `lanyard serve --demo` over HTTP; the match is its URL."""
    return started([program, "serve", "--demo", "--http", "127.0.0.1:0", *options], r"http://127\.0\.0\.1:\d+/mcp")
