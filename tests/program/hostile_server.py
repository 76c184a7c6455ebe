#!/usr/bin/env python3
"""hostile_server.py CASE: a server on stdio, of a revision with sessions, that misbehaves as the case defines."""

import json
import sys

ESCAPES = "\x1b]0;title\x07\x1b[2J\u009b31m\u202e\rX"


def schema(properties, **more):
    return {"type": "object", "properties": properties, **more}


def doubled(levels):
    """A schema in which each level refers to the next one twice."""
    defs = {"d0": {"type": "integer"}}
    for level in range(1, levels + 1):
        defs[f"d{level}"] = {"anyOf": [{"$ref": f"#/$defs/d{level - 1}"}] * 2}
    return schema({"x": {"$ref": f"#/$defs/d{levels}"}}, **{"$defs": defs})


TOOL_SCHEMAS = {
    "recursive": schema({"x": {"anyOf": [{"$ref": "#/properties/x"}]}}),
    "exponential": doubled(40),
    "escapes": schema({f"a{ESCAPES}": {"type": ESCAPES}}),
    "defaults": schema({"scale": {"type": "string", "default": "css"}}, required=["scale"]),
}


class Refused(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.error = {"code": code, "message": message, **({"data": data} if data is not None else {})}


class Server:
    def __init__(self, case):
        self.case = case
        self.client = {}

    def answer(self, method, params):
        if method == "initialize":
            self.client = params
            version = params["protocolVersion"] if self.case == "any-revision" else "2025-11-25"
            return {"protocolVersion": version, "serverInfo": {"name": "hostile", "version": "1"},
                    "capabilities": {"tools": {}, "resources": {}, "prompts": {}}}
        if method == "ping" and self.case != "no-ping":
            return {}
        if method == "tools/list":
            return {"tools": [{"name": "tool", "description": ESCAPES if self.case == "escapes" else "A tool",
                               "inputSchema": TOOL_SCHEMAS.get(self.case, schema({}))}]}
        if method == "resources/list":
            if self.case == "failing-list":
                raise Refused(-32603, "the database is down")
            return {"resources": [{"uri": "x://a", "name": "a"}]}
        if method == "prompts/list":
            return {"prompts": [{"name": "prompt"}]}
        if method == "tools/call":
            return self.call(params)
        raise Refused(-32000 if self.case == "wrong-code" else -32601, "unknown method")

    def call(self, params):
        if self.case == "escapes":
            raise Refused(-32000, ESCAPES, {"detail": ESCAPES})
        if self.case == "tool-error":
            return {"content": [{"type": "text", "text": ESCAPES}], "isError": True}
        if self.case == "escapes-in-result":
            return {"content": [{"type": "text", "text": ESCAPES}]}
        if self.case == "capabilities":
            return {"content": [{"type": "text", "text": json.dumps(sorted(self.client["capabilities"]))}]}
        return {"content": [{"type": "text", "text": json.dumps(params.get("arguments", {}))}]}


def main():
    server = Server(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        if server.case == "prints":
            print("request", request["method"], flush=True)
        changed = server.case == "changed-ids" and isinstance(request["id"], str)
        answer = {"jsonrpc": "2.0", "id": 0 if changed else request["id"]}
        try:
            answer["result"] = server.answer(request["method"], request.get("params", {}))
        except Refused as refused:
            answer["error"] = refused.error
        # Not escaped to ASCII: dangerous characters are sent unchanged.
        print(json.dumps(answer, ensure_ascii=False), flush=True)


main()
