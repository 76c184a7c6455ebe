#!/usr/bin/env python3
"""validate_http_test.py PROGRAM PATH COMMAND...: `lanyard validate` with a server of another SDK by URL. The command
starts the server, which listens on the port in the variable PORT; PATH is the path of its URL."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time

GUARD = 120  # seconds


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def wait_until_it_listens(port, server):
    end = time.monotonic() + GUARD
    while server.poll() is None and time.monotonic() < end:
        with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    sys.exit("the server does not listen")


def main():
    program, path, *command = sys.argv[1:]
    port = free_port()
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "PORT": str(port)})
    try:
        wait_until_it_listens(port, server)
        done = subprocess.run([program, "validate", f"http://127.0.0.1:{port}{path}", "--json", "--timeout", "30"],
                              capture_output=True, text=True, timeout=4 * GUARD, check=False)
    finally:
        server.kill()
        server.wait()
    print(done.stdout, done.stderr)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}")
    checks = json.loads(done.stdout)["checks"]
    verdicts = [check["verdict"] for check in checks]
    if verdicts.count("passed") < 6 or {"failed", "warning"} & set(verdicts):
        sys.exit(f"verdicts: {verdicts}")


main()
