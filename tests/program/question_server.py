#!/usr/bin/env python3
"""A server of 2025-11-25 over stdio whose tool `ask` asks the user, and does not withdraw the question when the call is
cancelled. Its tool `count` returns how many questions were answered."""

import json
import sys

answers = 0


def send(message):
    print(json.dumps({"jsonrpc": "2.0"} | message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "q", "version": "1"}}})
    elif method == "tools/list":
        send({"id": message["id"], "result": {"tools": [
            {"name": name, "inputSchema": {"type": "object"}} for name in ("ask", "count")]}})
    elif method == "tools/call" and message["params"]["name"] == "ask":
        send({"id": 1, "method": "elicitation/create", "params": {
            "message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}})
    elif method == "tools/call":
        send({"id": message["id"], "result": {"content": [{"type": "text", "text": f"{answers} accepted"}]}})
    elif method is None:
        answers += message["result"]["action"] == "accept"
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "no such method"}})
