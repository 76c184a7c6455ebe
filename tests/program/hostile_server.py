#!/usr/bin/env python3
"""hostile_server.py CASE [modern]: a server on stdio that misbehaves as the case defines. It supports 2025-11-25, or
2026-07-28 if the second argument says so. With `few-starts:FILE:MOST` it counts its starts in the file and exits
immediately beyond MOST."""

import json
import pathlib
import sys

VERSION = "2026-07-28"  # with the second argument

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
    def __init__(self, case, modern):
        self.case = case
        self.modern = modern
        self.client = {}

    def answer(self, method, params):
        if self.modern:
            return {"resultType": "complete", **self.answer_stateless(method, params)}
        return self.answer_in_session(method, params)

    def answer_stateless(self, method, params):
        version = params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
        if version != VERSION and self.case != "any-revision":
            raise Refused(-32602 if self.case == "wrong-code-for-revisions" else -32022, "unsupported revision",
                          {"supported": [VERSION], "requested": version})
        if method == "server/discover":
            return {"supportedVersions": [] if self.case == "no-revisions" else [VERSION],
                    "capabilities": {"tools": {}, "resources": {}, "prompts": {}}, "ttlMs": 0, "cacheScope": "private"}
        if method in ("initialize", "ping"):
            raise Refused(-32601, "unknown method")
        lists = {"ttlMs": 0, "cacheScope": "private"} if method.endswith("/list") else {}
        return {**self.answer_in_session(method, params), **lists}

    def answer_in_session(self, method, params):
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


def count_start(case):
    name, file, most = case.split(":")
    starts = pathlib.Path(file)
    starts.write_text(starts.read_text() + "+" if starts.exists() else "+")
    if len(starts.read_text()) > int(most):
        sys.exit("no further start")
    return name


def main():
    case = sys.argv[1]
    if case.startswith("few-starts:"):
        case = count_start(case)
    server = Server(case, sys.argv[2:] == ["modern"])
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        if server.case == "prints":
            print("request", request["method"], flush=True)
        if server.case == "loses-one-of-many" and request["id"] == 10_500:
            continue
        changed = server.case == "changed-ids" and isinstance(request["id"], str)
        answer = {"jsonrpc": "2.0", "id": 0 if changed else request["id"]}
        try:
            answer["result"] = server.answer(request["method"], request.get("params", {}))
        except Refused as refused:
            answer["error"] = refused.error
        # Not escaped to ASCII: dangerous characters are sent unchanged.
        print(json.dumps(answer, ensure_ascii=False), flush=True)


main()
