#!/usr/bin/env python3
"""A server of 2025-11-25 over stdio whose tool lists the roots that it has applied. It asks for them when the
client is initialized, and applies them some time after the answer. With the argument `silent` it never asks."""

import json
import sys
import threading
import time

roots = []


def send(message):
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


def apply(listed):
    time.sleep(0.02)
    roots.extend(root["uri"] for root in listed)


for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "r", "version": "1"}}})
    elif method == "notifications/initialized" and "silent" not in sys.argv:
        time.sleep(0.1)
        send({"id": 1, "method": "roots/list"})
    elif method == "tools/list":
        send({"id": message["id"], "result": {"tools": [{"name": "show", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        send({"id": message["id"], "result": {"content": [{"type": "text", "text": f"roots: {' '.join(roots)}"}]}})
    elif method is None:
        threading.Thread(target=apply, args=(message["result"]["roots"],)).start()
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
