#!/usr/bin/env python3
"""A server of 2025-11-25 over stdio that sends a log message whenever it gets SIGUSR1. Its tool returns its process id."""

import json
import os
import signal
import sys


def send(message):
    os.write(1, json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")


def log(*_):
    send({"method": "notifications/message", "params": {"level": "info", "data": "a late message"}})


signal.signal(signal.SIGUSR1, log)
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "logging": {}},
            "serverInfo": {"name": "log", "version": "1"}}})
    elif method == "tools/list":
        send({"id": message["id"], "result": {"tools": [{"name": "process", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        send({"id": message["id"], "result": {"content": [{"type": "text", "text": f"process {os.getpid()}"}]}})
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
