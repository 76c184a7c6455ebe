"""Reads the tools of a stdio server without Lanyard, for comparison with the output of the program."""

import contextlib
import json
import os
import select
import subprocess
import time

import processes

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "wire", "version": "1"}}


class Connection:
    def __init__(self, process):
        self.process, self.buffer, self.number = process, b"", 0

    def send(self, method, params=None, **more):
        message = {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params}), **more}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def lines(self, seconds):
        limit = time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            while b"\n" in self.buffer:
                line, self.buffer = self.buffer.split(b"\n", 1)
                yield line
            if select.select([self.process.stdout], [], [], left)[0]:
                block = os.read(self.process.stdout.fileno(), 1 << 20)
                if not block:
                    raise RuntimeError("the server ended")
                self.buffer += block
        raise RuntimeError("no answer in time")

    def request(self, method, params):
        self.number += 1
        self.send(method, params, id=self.number)
        for line in self.lines(60):
            with contextlib.suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict) and message.get("id") == self.number and "method" not in message:
                    return message["result"]
        return None


def tools(command, **options):
    """All tools of the server, page after page, in the legacy era."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               start_new_session=True, **options)
    try:
        connection = Connection(process)
        connection.request("initialize", INITIALIZE)
        connection.send("notifications/initialized")
        found, cursor = [], {}
        while True:
            page = connection.request("tools/list", cursor)
            found += page["tools"]
            if not page.get("nextCursor"):
                return found
            cursor = {"cursor": page["nextCursor"]}
    finally:
        process.stdin.close()
        processes.end(process)
        process.stdout.close()
