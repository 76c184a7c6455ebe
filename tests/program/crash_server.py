#!/usr/bin/env python3
"""crash_server.py WAY [soon]: a server of the legacy era whose only tool ends the process: with an exit code, or with a
signal of this name. With `soon`, the process ends after the answer to a subscription."""

import json
import os
import resource
import signal
import sys

WAY = sys.argv[1]
RESULTS = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {"subscribe": True}},
                   "serverInfo": {"name": "crash", "version": "1"}},
    "ping": {},
    "resources/subscribe": {},
    "tools/list": {"tools": [{"name": "crash", "inputSchema": {"type": "object"}}]},
}


def end():
    print("about to end", file=sys.stderr, flush=True)
    if WAY.isdigit():
        os._exit(int(WAY))
    os.kill(os.getpid(), getattr(signal, WAY))


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "tools/call":
        end()
    elif request["method"] in RESULTS:
        answer["result"] = RESULTS[request["method"]]
    else:
        answer["error"] = {"code": -32601, "message": "there is no such method"}
    print(json.dumps(answer), flush=True)
    if request["method"] == "resources/subscribe" and "soon" in sys.argv:
        end()
